// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Each renderer's whole output against a golden file, and what must hold for any text in any cell.
//!
//! `ASSAY_BLESS=1 cargo test -p report` writes the golden files anew; the change is then reviewed like code.

mod sample;

use report::{
    html, mail, markdown, terminal, Derived, Integer, Measured, Predicted, Report, Table, Terminal,
    MAIL_WIDTH,
};
use std::path::Path;

fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(expected == actual, "{name} has changed; if that is meant, bless it. Now:\n{actual}");
}

#[test]
fn the_sample_looks_as_blessed() {
    let report = sample::report();
    golden("terminal-120.txt", &terminal(&report, Terminal { width: 120, colour: false }));
    golden("terminal-80-colour.txt", &terminal(&report, Terminal { width: 80, colour: true }));
    golden("mail.txt", &mail(&report));
    golden("report.md", &markdown(&report));
    golden("report.html", &html(&report));
}

#[test]
fn colours_change_nothing_but_colours() {
    let report = sample::report();
    let coloured = terminal(&report, Terminal { width: 80, colour: true });
    let mut stripped = String::new();
    for piece in coloured.split('\u{1b}') {
        stripped.push_str(
            piece.split_once('m').filter(|(code, _)| code.starts_with('[')).map_or(piece, |(_, text)| text),
        );
    }
    assert_eq!(stripped, terminal(&report, Terminal { width: 80, colour: false }));
}

#[test]
fn names_stay_whole_on_a_terminal_of_any_width() {
    let names = ["powerpc64le", "dispatch_of_vectors_words", "golden_cove", "size=1472"];
    let mut table = Table::new("Cycles", "predicted");
    let keys = ["arch", "variant", "cpu", "case"].map(|heading| table.text_column(heading));
    let cycles = table.predicted_column("per call", "cycles", 1);
    let stall = table.text_column("mostly waits for");
    let row = table.row();
    for (column, name) in keys.into_iter().zip(names) {
        table.set(row, column, name);
    }
    table.set(row, cycles, Predicted(119.0)).set(row, stall, "window, queues and registers");
    let mut report = Report::new("Predicted");
    report.section("").table(table);
    for width in 40..=120 {
        let told = terminal(&report, Terminal { width, colour: false });
        assert!(told.lines().all(|line| line.chars().count() <= width), "{width}: {told}");
        let whole = |name: &&str| told.split_whitespace().any(|word| word.trim_end_matches(',') == *name);
        let broken: Vec<_> = names.iter().filter(|name| !whole(name)).collect();
        assert!(broken.is_empty(), "{width}: {broken:?} in {told}");
    }
}

/// SplitMix64: the same hostile texts on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * bound as u128) >> 64) as usize
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 36] = [
            "", " ", "\n", "\r\n", "\t", "\u{1b}[2J", "\0", "\u{202e}", "\u{200b}", "\u{2028}", "---", "diff -", "#", "From ",
            "From: x", "Index: ", "-- ", "|", "</td>", "<script>alert(1)</script>", "&amp;", "\"'", "`", "```", "**", "\\",
            "漢字", "e\u{301}", "👩\u{200d}💻", "a", "word", "0x7fffffff", "-1", "=", "antidisestablishmentarianism_and_more",
            "csum_partial_copy_generic_with_a_very_long_name_that_goes_on_and_on_for_more_than_a_line_of_a_mail",
        ];
        (0..self.below(6)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    fn report(&mut self) -> Report {
        let mut report = Report::new(&self.text());
        for _ in 0..self.below(3) {
            let mut table = Table::new(&self.text(), &format!("m{}", self.text()));
            let texts: Vec<_> = (0..self.below(4)).map(|_| table.text_column(&self.text())).collect();
            let integers: Vec<_> =
                (0..self.below(3)).map(|_| table.integer_column(&self.text(), &self.text())).collect();
            let predicted: Vec<_> =
                (0..self.below(8)).map(|_| table.predicted_column(&self.text(), &self.text(), 1)).collect();
            let measured = table.measured_column(&self.text(), "ns", 2);
            let ratio = table.derived_column(&self.text(), &self.text(), 2);
            for _ in 0..self.below(4) {
                let row = table.row();
                for &column in &texts {
                    table.set(row, column, self.text());
                }
                for &column in &integers {
                    table.set(row, column, Integer(self.below(usize::MAX) as u64));
                }
                for &column in &predicted {
                    table.set(row, column, Predicted(1e3 / self.below(3) as f64)).mark(
                        row,
                        column,
                        &self.text(),
                    );
                }
                table.set(row, measured, Measured { median: f64::NAN, interval: Some([1e15, -1e15]) });
                table.set(row, ratio, Derived::from(-1e-9));
            }
            table.note(&self.text());
            let (heading, paragraph, verbatim) = (self.text(), self.text(), self.text());
            report.section(&heading).paragraph(&paragraph).table(table).verbatim(&verbatim);
        }
        report
    }
}

fn assert_mail_is_safe(text: &str) {
    for (index, line) in text.lines().enumerate() {
        let columns: usize =
            line.chars().map(|c| unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)).sum();
        assert!(columns <= MAIL_WIDTH, "line {index} is {columns} wide: {line:?}");
        assert_eq!(line, line.trim_end(), "line {index} ends in a blank");
        let bad =
            ["---", "diff -", "#", "From ", "Index: ", "From:"].iter().find(|bad| line.starts_with(**bad));
        assert_eq!(bad, None, "line {index}: {line:?}");
    }
    assert!(!text.contains("\n\n\n"), "two empty lines in a row:\n{text}");
}

fn assert_no_controls(text: &str) {
    let bad = text.chars().find(|&c| {
        c != '\n' && (c.is_control() || ('\u{200b}'..='\u{200f}').contains(&c) || c == '\u{202e}')
    });
    assert_eq!(bad, None);
}

#[test]
fn no_text_whatever_breaks_a_format() {
    let mut random = Random(2023);
    for _ in 0..2_000 {
        let report = random.report();
        let mail = mail(&report);
        assert_mail_is_safe(&mail);
        let width = 40 + random.below(80);
        let wide = terminal(&report, Terminal { width, colour: false });
        let page = html(&report);
        let document = markdown(&report);
        for text in [&mail, &wide, &page, &document] {
            assert_no_controls(text);
        }
        for line in wide.lines() {
            let columns: usize =
                line.chars().map(|c| unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)).sum();
            assert!(columns <= width, "{columns} > {width}: {line:?}");
        }
        assert!(!page.contains("<script"), "{page}");
        for tag in ["table", "tr", "td", "th", "p", "pre", "section", "figure", "li", "ul"] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "<{tag}> in {page}");
        }
        assert_rows_keep_their_cells(&document);
    }
}

/// Every row of a Markdown table has as many unescaped pipes as its rule.
fn assert_rows_keep_their_cells(document: &str) {
    let pipes = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = document.lines().collect();
    let mut in_table = None;
    let mut fence: Option<&str> = None;
    for (index, line) in lines.iter().enumerate() {
        if let Some(open) = fence {
            fence = Some(open).filter(|open| line != open);
            continue;
        }
        if line.starts_with("```") {
            fence = Some(line.trim_end_matches("text"));
            continue;
        }
        if line.starts_with("| :---") || line.starts_with("| ---:") {
            in_table = Some(pipes(line));
            assert_eq!(Some(pipes(lines[index - 1])), in_table, "head of {line}");
        } else if !line.starts_with('|') {
            in_table = None;
        } else if let Some(expected) = in_table {
            assert_eq!(pipes(line), expected, "{line}");
        }
    }
}
