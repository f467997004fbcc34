// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report as one page that stands alone: no script, no font and no image from elsewhere, light or dark as the reader has it.

use crate::model::{Block, Report};
use crate::table::{Cell, Kind, Table, Tone};

/// The look: figures in columns of equal digits, predictions and measurements told apart by more than colour (their heads say
/// it), wide tables that scroll by themselves.
const STYLE: &str = "\
:root { color-scheme: light dark; --text: #1c1e21; --back: #ffffff; --soft: #5b626b; --line: #d5d9de; --band: #f4f6f8;\n\
  --good: #12733a; --bad: #b3261e; }\n\
@media (prefers-color-scheme: dark) { :root { --text: #e4e7ea; --back: #16181b; --soft: #9ba3ac; --line: #363b42;\n\
  --band: #1e2125; --good: #5fce8b; --bad: #ff8a80; } }\n\
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 72rem;\n\
  margin: 2rem auto; padding: 0 1rem; }\n\
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }\n\
figure { margin: 1rem 0; } figcaption { margin-bottom: .4rem; }\n\
.scroll, pre { overflow-x: auto; }\n\
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n\
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }\n\
th { vertical-align: bottom; font-weight: 600; } th small { display: block; font-weight: 400; color: var(--soft); }\n\
td { white-space: nowrap; } .text { text-align: left; } td.text { white-space: normal; }\n\
tbody tr:nth-child(even) { background: var(--band); }\n\
p span { white-space: nowrap; }\n\
@media (max-width: 40rem) { th { white-space: nowrap; } }\n\
.good { color: var(--good); } .bad { color: var(--bad); }\n\
.remarks { color: var(--soft); font-size: .9rem; margin: .4rem 0; padding: 0; list-style: none; }\n\
pre { background: var(--band); padding: .8rem; }\n";

/// Renders as a page of HTML; the text ends with a line end.
pub fn html(report: &Report) -> String {
    let title = escape(&report.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for section in &report.sections {
        page.push_str("<section>\n");
        if !section.heading.is_empty() {
            page.push_str(&format!("<h2>{}</h2>\n", escape(&section.heading)));
        }
        for block in &section.blocks {
            match block {
                Block::Paragraph(text) => page.push_str(&format!("<p>{}</p>\n", unbroken(text))),
                Block::Verbatim(lines) => {
                    page.push_str(&format!("<pre>{}</pre>\n", escape(&lines.join("\n"))))
                }
                Block::Table(table) => page.push_str(&show_table(table)),
            }
        }
        page.push_str("</section>\n");
    }
    page + "</body>\n</html>\n"
}

fn show_table(table: &Table) -> String {
    let mut html = String::from("<figure>\n");
    if !table.caption.is_empty() {
        html.push_str(&format!("<figcaption>{}</figcaption>\n", escape(&table.caption)));
    }
    html.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for head in &table.heads {
        let class = if head.kind == Kind::Text { " class=\"text\"" } else { "" };
        html.push_str(&format!("<th{class} scope=\"col\">{}", escape(&head.heading)));
        if !head.qualifier().is_empty() {
            html.push_str(&format!("<small>{}</small>", escape(&head.qualifier())));
        }
        html.push_str("</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let cells = row.iter().zip(&table.heads).map(|(cell, head)| show_cell(cell, head.kind));
        html.push_str(&format!("<tr>{}</tr>\n", cells.collect::<String>()));
    }
    html.push_str("</tbody></table></div>\n");
    let remarks = table.remarks();
    if !remarks.is_empty() {
        let items = remarks.iter().map(|remark| format!("<li>{}</li>\n", escape(remark)));
        html.push_str(&format!("<ul class=\"remarks\">\n{}</ul>\n", items.collect::<String>()));
    }
    html + "</figure>\n"
}

fn show_cell(cell: &Cell, kind: Kind) -> String {
    let mut classes = Vec::new();
    if kind == Kind::Text {
        classes.push("text");
    }
    match cell.tone {
        Tone::Plain => {}
        Tone::Good => classes.push("good"),
        Tone::Bad => classes.push("bad"),
    }
    let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    let marks =
        if cell.footnotes.is_empty() { String::new() } else { format!("<sup>{}</sup>", cell.marks()) };
    format!("<td{class}>{}{marks}</td>", escape(cell.value()))
}

/// A compiler's flag is not to be broken behind its dash.
fn unbroken(text: &str) -> String {
    let word = |word: &str| match word.starts_with('-') && word.len() > 1 {
        true => format!("<span>{}</span>", escape(word)),
        false => escape(word),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}
