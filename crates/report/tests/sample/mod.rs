// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report with one of everything, made of invented figures.

use report::{Derived, Integer, Measured, Predicted, Published, Report, Table, Text, Tone};

/// The sample that the golden files show.
pub fn report() -> Report {
    let mut report = Report::new("csum_partial on LA464 (invented figures)");
    let section = report.section("The published table");
    section.paragraph(
        "Every figure of this report was made up to show its form. The paragraph is long enough to be wrapped in a mail, \
         and it mentions `code`, <angles>, pipes | and *stars*.",
    );
    section.table(table());
    report
        .section("# What to do next")
        .paragraph("--- a line that git would end the message at")
        .paragraph("From here on: diff - is no patch.")
        .verbatim("$ ./assay explain csum_partial\n\tld.d    $t0, $a0, 0\n\n\n--- not a patch\n");
    report
}

fn table() -> Table {
    let mut table = Table::new(
        "Time of a call",
        "predicted from a trace of the run under QEMU; measured in 15 processes, 95 % interval of the median",
    );
    let size = table.integer_column("size", "bytes");
    let variant = table.text_column("variant");
    let published = table.published_column("LS3A5000 at 2.2 GHz", "ns", 1);
    let predicted = table.predicted_column("la464", "ns", 1);
    let error = table.derived_column("error", "%", 1);
    let measured = table.measured_column("this machine", "ns", 2);
    let verdict = table.text_column("against uint64, on this machine");
    let rows = [
        (4096, "uint128", 720.0, 733.4, 91.125, "faster", Tone::Good),
        (4096, "asm", 900.0, 880.0, 131.5, "slower", Tone::Bad),
        (40, "uint64", 14.5, 14.46, 3.254, "no difference shown", Tone::Plain),
    ];
    for (bytes, name, theirs, ours, here, word, tone) in rows {
        let row = table.row();
        table
            .set(row, size, Integer(bytes))
            .set(row, variant, name)
            .set(row, published, Published(theirs))
            .set(row, predicted, Predicted(ours))
            .set(row, error, Derived::from((ours - theirs) / theirs * 100.0))
            .set(row, measured, Measured { median: here, interval: Some([here * 0.99, here * 1.01]) })
            .set(row, verdict, Text { text: word.to_owned(), tone });
        if bytes == 40 {
            table.mark(row, predicted, "one latency in this loop is a guess, 2 to 4 cycles");
        }
    }
    let row = table.row();
    table.set(row, size, Integer(40)).set(row, variant, "asm");
    table.note("A row without figures was not run: the study publishes none for it.");
    table
}
