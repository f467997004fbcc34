// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report as lines of fixed-width text, from which both the terminal's and the mail's form are made.

use crate::layout::{fit, hard_limit};
use crate::model::{Block, Report};
use crate::table::{Table, Tone};
use crate::text::{break_word, wrap};

/// What a piece of a line is; a terminal may show it by colour or weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Heading,
    TableHead,
    Remark,
    Good,
    Bad,
}

/// A line of styled pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub pieces: Vec<(String, Style)>,
}

impl Line {
    fn new(text: impl Into<String>, style: Style) -> Line {
        Line { pieces: vec![(text.into(), style)] }
    }

    pub fn text(&self) -> String {
        self.pieces.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// Blanks before the lines of tables and listings.
const INDENT: usize = 2;

/// The report in lines of at most `limit` columns. No two empty lines follow each other, none begins or ends the report,
/// and no line ends in a blank.
pub(crate) fn lines(report: &Report, limit: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    running(&mut lines, &report.title, limit, Style::Heading);
    for section in &report.sections {
        gap(&mut lines);
        running(&mut lines, &section.heading, limit, Style::Heading);
        for block in &section.blocks {
            gap(&mut lines);
            match block {
                Block::Paragraph(text) => running(&mut lines, text, limit, Style::Plain),
                Block::Verbatim(text) => verbatim(&mut lines, text, limit),
                Block::Table(table) => show_table(&mut lines, table, limit),
            }
        }
    }
    while lines.last().is_some_and(|line| line.text().is_empty()) {
        lines.pop();
    }
    lines
}

fn gap(lines: &mut Vec<Line>) {
    if lines.last().is_some_and(|line| !line.text().is_empty()) {
        lines.push(Line::default());
    }
}

fn running(lines: &mut Vec<Line>, text: &str, limit: usize, style: Style) {
    if !text.is_empty() {
        lines.extend(wrap(text, limit).into_iter().map(|line| Line::new(line, style)));
    }
}

fn verbatim(lines: &mut Vec<Line>, text: &[String], limit: usize) {
    for line in text {
        if line.is_empty() {
            gap(lines);
            continue;
        }
        for piece in break_word(line, limit - INDENT) {
            lines.push(Line::new(indented(piece.trim_end()), Style::Plain));
        }
    }
}

fn indented(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{:INDENT$}{text}", "")
    }
}

fn show_table(lines: &mut Vec<Line>, table: &Table, limit: usize) {
    running(lines, &table.caption, limit, Style::Plain);
    let inner = limit - INDENT;
    for (index, part) in fit(table, inner).iter().enumerate() {
        if index > 0 {
            gap(lines);
        }
        for head in &part.head {
            push_cells(lines, head, inner, Some(Style::TableHead));
        }
        let rule = Some(&part.rule).filter(|rule| !rule.is_empty());
        lines.extend(
            rule.map_or(Vec::new(), |rule| hard_limit(rule, inner))
                .iter()
                .map(|rule| Line::new(indented(rule), Style::TableHead)),
        );
        for row in &part.body {
            push_cells(lines, row, inner, None);
        }
    }
    for remark in table.remarks() {
        // The first line of a remark stands out by two columns.
        for (index, line) in wrap(&remark, inner - INDENT).iter().enumerate() {
            let hanging = if index == 0 { indented(line) } else { indented(&indented(line)) };
            lines.push(Line::new(hanging, Style::Remark));
        }
    }
}

fn push_cells(lines: &mut Vec<Line>, cells: &[(String, Tone)], inner: usize, style: Option<Style>) {
    let text: String = cells.iter().map(|(text, _)| text.as_str()).collect();
    if text.is_empty() {
        return; // a head whose headings are all empty
    }
    let broken = hard_limit(&text, inner);
    if broken.len() > 1 {
        lines.extend(
            broken.iter().map(|text| Line::new(indented(text.trim_end()), style.unwrap_or(Style::Plain))),
        );
        return;
    }
    let mut line = Line::new(" ".repeat(INDENT), Style::Plain);
    line.pieces.extend(cells.iter().map(|(text, tone)| {
        let of_tone = match tone {
            Tone::Plain => Style::Plain,
            Tone::Good => Style::Good,
            Tone::Bad => Style::Bad,
        };
        (text.clone(), style.unwrap_or(of_tone))
    }));
    lines.push(line);
}
