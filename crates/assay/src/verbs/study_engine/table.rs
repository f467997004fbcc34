// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The study's report: published beside predicted, and in words why.

use super::{EngineRecord, Study};
use report::{Derived, Predicted, Report, Section, Table};

/// All tables.
pub fn report(study: &Study, records: &[EngineRecord]) -> Report {
    let mut report = Report::new(&study.title);
    let section = report.section("");
    section.paragraph(&format!("Published: {}. Machine: {}.", study.source, study.machine));
    section.paragraph(&format!(
        "Here: recorded {} programs as vcores on cpus/{} at {} MHz, {} us a slice, {} us from one vcore's exit to the next \
         one's entry, all of which the thread does not give.",
        study.arch, study.cpu, study.clock_mhz, study.slice_us, study.exit_to_entry_us
    ));
    section.table(scenarios(records));
    section.table(throughput(records));
    if records.iter().any(|record| record.requests_per_s.is_some()) {
        section.table(requests(records));
    }
    for record in records.iter().filter(|record| record.part == "scenario") {
        section.paragraph(&why(record));
    }
    for (part, title) in [
        ("scenario_rate", "At each rate of the engine"),
        ("slice_and_reuse", "Where it pays: slice length and reuse"),
        ("rate_and_table", "Rate and table, slices of 100 us, all reused"),
        ("log_time", "The time that a log has before the next vcore's entry aborts it"),
        ("variant", "What the literature proposes to restore"),
        ("mistake", "The posted code's mistakes, slices of 1 ms, all reused"),
        ("move", "Moves to another core, slices of 1 ms, all reused"),
    ] {
        if records.iter().any(|record| record.part == part) {
            part_of(section, records, part, title);
        }
    }
    report
}

const METHOD: &str = "simulated, so predicted and not measured: instructions a cycle of the first vcore with a working \
    engine over those without one; of the lines restored: in the second level already, used in time, used but late, evicted \
    unused, the rest unused at the slice's end or beyond; docs/micro-partition-prefetch.md";

fn scenarios(records: &[EngineRecord]) -> Table {
    let mut table = Table::new("Published and predicted", METHOD);
    let name = table.text_column("benchmark");
    let published = table.text_column("published gain %");
    let gain = table.predicted_column("engine as meant", "%", 2);
    let posted = table.predicted_column("as posted", "%", 2);
    let before = table.derived_column("scatter without", "%", 2);
    let after = table.derived_column("scatter with", "%", 2);
    let fates = fate_columns(&mut table);
    for record in records.iter().filter(|record| record.part == "scenario") {
        let row = table.row();
        table.set(row, name, record.row.as_str());
        table.set(
            row,
            published,
            record.published_percent.map_or("-".to_owned(), |[low, high]| match low == high {
                true => format!("{low}"),
                false => format!("{low} to {high}"),
            }),
        );
        table.set(row, gain, Predicted(record.predicted_percent));
        if let Some(value) = record.as_posted_percent {
            table.set(row, posted, Predicted(value));
        }
        table.set(row, before, Derived::from(record.scatter_percent[0]));
        table.set(row, after, Derived::from(record.scatter_percent[1]));
        set_fate(&mut table, row, fates, record);
        if let Some(text) = &record.published {
            table.mark(row, published, text);
        }
    }
    table
}

fn throughput(records: &[EngineRecord]) -> Table {
    let mut table = Table::new(
        "Throughput and latency of each benchmark",
        "simulated, so predicted and not measured: of the first vcore while it has the core; latency: of its accesses to memory \
         in the mean, from the request to the line, hits in the first level counted as none",
    );
    let name = table.text_column("benchmark");
    let rates =
        ["without", "with"].map(|way| table.predicted_column(&format!("instructions {way}"), "1/us", 0));
    let times = ["without", "with"].map(|way| table.predicted_column(&format!("access {way}"), "ns", 3));
    for record in records.iter().filter(|record| record.part == "scenario") {
        let row = table.row();
        table.set(row, name, record.row.as_str());
        for (columns, values) in [(rates, record.instructions_per_us), (times, record.access_ns)] {
            for (column, value) in columns.into_iter().zip(values) {
                table.set(row, column, Predicted(value));
            }
        }
    }
    table
}

fn requests(records: &[EngineRecord]) -> Table {
    let mut table = Table::new(
        "Throughput and latency of the web server",
        "simulated, so predicted and not measured: instructions a cycle over the instructions of a request, times the vcore's \
         share of the core; of the server's own code, without the kernel's work for it; latency: the requests that are \
         always under way over throughput",
    );
    let name = table.text_column("benchmark");
    let rates = ["without", "with"].map(|way| table.predicted_column(&format!("requests {way}"), "1/s", 0));
    let times = ["without", "with"].map(|way| table.predicted_column(&format!("mean time {way}"), "ms", 2));
    for record in records {
        let (Some(per_s), Some(latency)) = (record.requests_per_s, record.mean_latency_ms) else { continue };
        let row = table.row();
        table.set(row, name, record.row.as_str());
        for (columns, values) in [(rates, per_s), (times, latency)] {
            for (column, value) in columns.into_iter().zip(values) {
                table.set(row, column, Predicted(value));
            }
        }
    }
    table
}

type FateColumns = [report::Column<Predicted>; 5];

fn fate_columns(table: &mut Table) -> FateColumns {
    [
        table.predicted_column("lines a slice", "", 0),
        table.predicted_column("there", "%", 0),
        table.predicted_column("used", "%", 0),
        table.predicted_column("late", "%", 0),
        table.predicted_column("evicted", "%", 0),
    ]
}

fn set_fate(table: &mut Table, row: report::Row, columns: FateColumns, record: &EngineRecord) {
    table.set(row, columns[0], Predicted(record.restored_lines));
    for (column, value) in columns[1..].iter().zip(record.fate_percent) {
        table.set(row, *column, Predicted(value));
    }
}

fn part_of(section: &mut Section, records: &[EngineRecord], part: &str, title: &str) {
    let mut table = Table::new(title, METHOD);
    let name = table.text_column("point");
    let gain = table.predicted_column("gain", "%", 2);
    let fates = fate_columns(&mut table);
    // Logs that were aborted or operands that were refused, in the sweeps that provoke them.
    let lost = match part {
        "log_time" => Some(table.predicted_column("logs cut", "", 0)),
        "mistake" => Some(table.predicted_column("refused", "", 0)),
        _ => None,
    };
    for record in records.iter().filter(|record| record.part == part) {
        let row = table.row();
        if let Some(column) = lost {
            let count = if part == "mistake" { record.operands_refused } else { record.logs_aborted };
            table.set(row, column, Predicted(count as f64));
        }
        table.set(row, name, record.row.as_str()).set(row, gain, Predicted(record.predicted_percent));
        set_fate(&mut table, row, fates, record);
    }
    section.table(table);
}

/// What the figures of a scenario say.
fn why(record: &EngineRecord) -> String {
    let [present, used, late, evicted] = record.fate_percent;
    let mut text = format!("{}: ", record.row);
    if record.restored_lines < 1.0 {
        text.push_str("nothing is ever restored");
    } else {
        text.push_str(&format!(
            "of {:.0} lines a slice {:.0} % were there already, {:.0} % were used ({:.0} % of them too late to save all of \
             the wait), {evicted:.0} % were evicted unused",
            record.restored_lines,
            present,
            used + late,
            if used + late > 0.0 { late / (used + late) * 100.0 } else { 0.0 },
        ));
    }
    text.push_str(&format!("; the engine as meant changes {:+.2} %", record.predicted_percent));
    if let Some([low, high]) = record.published_percent {
        let own = record.predicted_percent;
        let agrees = own >= low - 1.0 && own <= high + 1.0;
        text.push_str(match (agrees, high > 0.0) {
            (true, _) => ", which agrees with what was published",
            (false, true) => ", which is not what was published: the engine cannot have been it",
            (false, false) => ", where none was published",
        });
    }
    text.push_str(", and as posted ");
    text.push_str(match record.as_posted_percent {
        Some(percent) if percent.abs() < 0.005 => "nothing at all, for it never logs.",
        _ => "something.",
    });
    text
}
