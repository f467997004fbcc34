// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report as GitHub's dialect of Markdown, for issues, wikis and README files.

use crate::model::{Block, Report};
use crate::table::{Kind, Table};

/// Renders as Markdown; the text ends with a line end.
pub fn markdown(report: &Report) -> String {
    let mut blocks = vec![format!("# {}", escape(&report.title))];
    for section in &report.sections {
        blocks.push(format!("## {}", escape(&section.heading)));
        blocks.extend(section.blocks.iter().map(|block| match block {
            Block::Paragraph(text) => escape_paragraph(text),
            Block::Verbatim(lines) => fenced(lines),
            Block::Table(table) => show_table(table),
        }));
    }
    blocks.retain(|block| !block.trim_matches(['#', ' ']).is_empty());
    blocks.join("\n\n") + "\n"
}

/// A fence that is longer than any row of backticks in the text.
fn fenced(lines: &[String]) -> String {
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}

fn show_table(table: &Table) -> String {
    let mut lines = Vec::new();
    if !table.caption.is_empty() {
        lines.push(format!("**{}**\n", escape(&table.caption)));
    }
    let heads = table.heads.iter().map(|head| {
        let qualifier = head.qualifier();
        if qualifier.is_empty() {
            escape(&head.heading)
        } else {
            format!("{}<br>{}", escape(&head.heading), escape(&qualifier))
        }
    });
    lines.push(row(heads));
    lines.push(row(table
        .heads
        .iter()
        .map(|head| String::from(if head.kind == Kind::Text { ":---" } else { "---:" }))));
    for cells in &table.rows {
        lines.push(row(cells.iter().map(|cell| escape(&format!("{} {}", cell.value(), cell.marks())))));
    }
    let remarks = table.remarks();
    if !remarks.is_empty() {
        lines.push(String::new());
        lines.extend(remarks.iter().map(|remark| format!("* {}", escape_paragraph(remark))));
    }
    lines.join("\n")
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |", cells.join(" | "))
}

/// Escapes what Markdown takes for syntax anywhere in a line.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.trim().chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '$' | '!' | '^'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// As [`escape`], and what begins a list, a rule or the underline of a heading: `- `, `+ `, `=`, `12. `, `12) `.
fn escape_paragraph(text: &str) -> String {
    let mut escaped = escape(text);
    let digits = escaped.chars().take_while(char::is_ascii_digit).count();
    let after_digits = &escaped[digits..];
    if escaped.starts_with(['-', '+', '=']) {
        escaped.insert(0, '\\');
    } else if digits > 0 && (after_digits.starts_with(". ") || after_digits.starts_with(") ")) {
        escaped.insert(digits, '\\');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_is_escaped_and_numbers_are_not() {
        assert_eq!(escape("a|b *c* <i>"), r"a\|b \*c\* \<i\>");
        assert_eq!(escape("-1.5"), "-1.5");
        assert_eq!(escape_paragraph("- item"), r"\- item");
        assert_eq!(escape_paragraph("1. item"), r"1\. item");
        assert_eq!(escape_paragraph("16.5 x"), "16.5 x");
        assert_eq!(fenced(&["a ``` b".to_owned()]), "````text\na ``` b\n````");
    }
}
