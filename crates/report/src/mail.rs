// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report for the body of a patch mail: plain text that comes through `git am` as it was.
//!
//! git interprets the beginnings of lines. `git mailinfo` ends the message at `---`, `diff -` and `Index: `, and treats `From:`
//! and the like at the top as headers; `git mailsplit` starts a new mail at `From `; `git commit` drops lines that begin with
//! `#`, strips blanks at the ends of lines and joins empty lines. So no line begins in such a way: tables and listings are
//! indented anyway, and any other such line gets a blank in front.

use crate::model::Report;
use crate::plain::lines;

/// No line is wider, so that it still fits 80 columns when it is quoted a few times.
pub const MAIL_WIDTH: usize = 72;

/// Beginnings that git or mail programs would take for something else; compared without regard to case.
const TAKEN: [&str; 11] =
    ["---", "diff -", "index: ", "#", "from ", ">from ", "from:", "subject:", "date:", "-- ", "[patch"];

/// Renders for a mail; the text ends with a line end.
pub fn mail(report: &Report) -> String {
    let mut text = String::new();
    // One column is kept for the blank in front.
    for line in lines(report, MAIL_WIDTH - 1) {
        let line = line.text();
        let lower = line.to_lowercase();
        if TAKEN.iter().any(|taken| lower.starts_with(taken)) || lower == "--" {
            text.push(' ');
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}
