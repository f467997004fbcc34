// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What every verb gets: the checkout, and whether people or programs read the output.

use lab::cache::Workspace;
use lab::Result;
use report::{Report, Terminal};

/// How a verb that ran to its end came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit status 0.
    Fine,
    /// Exit status 1: a check failed or something got slower.
    Failed,
}

/// The surroundings of a run.
pub struct Context {
    /// The checkout and its cache.
    pub workspace: Workspace,
    /// JSON lines on stdout instead of tables.
    pub json: bool,
}

impl Context {
    /// Finds the checkout and clears away what killed runs have left.
    pub fn new(json: bool) -> Result<Context> {
        let workspace = Workspace::find()?;
        workspace.sweep();
        Ok(Context { workspace, json })
    }

    /// Prints a report for people on stdout.
    pub fn show(&self, report: &Report) {
        print!("{}", report::terminal(report, Terminal::of_stdout()));
    }

    /// Tells people what goes on; on stderr, so that it never mixes with results.
    pub fn progress(&self, text: &str) {
        eprintln!("{text}");
    }
}
