// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A report for a terminal: as wide as it is, with colours where a person looks.

use crate::model::Report;
use crate::plain::{lines, Style};
use std::io::IsTerminal;

/// Narrower than this nothing can be laid out.
const WIDTH_MIN: usize = 40;
/// Running text and tables in a file or a pipe.
const WIDTH_DEFAULT: usize = 100;

/// What the renderer has to know of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns; 40 are taken where there are fewer.
    pub width: usize,
    /// Whether to use colours and weights.
    pub colour: bool,
}

impl Terminal {
    /// Standard output as it is: colours only on a terminal, and not where the environment variable `NO_COLOR` is set
    /// (no-color.org) or `TERM` is `dumb`; the width from `COLUMNS`, else from the terminal, else 100.
    pub fn of_stdout() -> Terminal {
        let is_terminal = std::io::stdout().is_terminal();
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let from_environment = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        Terminal {
            width: from_environment
                .or_else(|| is_terminal.then(stdout_columns).flatten())
                .unwrap_or(WIDTH_DEFAULT)
                .max(WIDTH_MIN),
            colour: is_terminal
                && variable("NO_COLOR").is_none()
                && variable("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

#[cfg(unix)]
fn stdout_columns() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ writes one winsize to the address that it is given, which is ours and lives on.
    let status = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) };
    (status == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn stdout_columns() -> Option<usize> {
    None
}

/// Renders for a terminal; the text ends with a line end.
pub fn terminal(report: &Report, terminal: Terminal) -> String {
    let mut text = String::new();
    for line in lines(report, terminal.width.max(WIDTH_MIN)) {
        for (piece, style) in &line.pieces {
            match escape(*style).filter(|_| terminal.colour && !piece.trim().is_empty()) {
                Some(escape) => text.push_str(&format!("\u{1b}[{escape}m{piece}\u{1b}[0m")),
                None => text.push_str(piece),
            }
        }
        text.push('\n');
    }
    text
}

/// The parameters of "select graphic rendition", from the eight colours that every theme defines.
fn escape(style: Style) -> Option<&'static str> {
    match style {
        Style::Plain => None,
        Style::Heading => Some("1"),
        Style::TableHead | Style::Remark => Some("2"),
        Style::Good => Some("32"),
        Style::Bad => Some("31"),
    }
}
