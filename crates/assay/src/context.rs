// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What every verb gets: the checkout, and whether people or programs read the output.

use lab::cache::Workspace;
use lab::output::Output;
use lab::{Problem, Result};
use report::record::Record;
use report::{Report, Terminal};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

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
    /// What was told of variants that failed.
    failed_in_passing: Mutex<BTreeSet<String>>,
}

impl Context {
    /// Finds the checkout and clears away what killed runs have left.
    pub fn new(json: bool) -> Result<Context> {
        let workspace = Workspace::find()?;
        workspace.sweep();
        Ok(Context { workspace, json, failed_in_passing: Mutex::default() })
    }

    /// Prints results on stdout: records for programs, or the report that is made of them for people.
    pub fn tell(&self, records: impl Iterator<Item = impl Record>, report: impl FnOnce() -> Report) {
        self.tell_lines(records.map(|record| record.to_line()), report);
    }

    /// The same for records of several kinds, as lines.
    pub fn tell_lines(&self, lines: impl Iterator<Item = String>, report: impl FnOnce() -> Report) {
        if self.json {
            lines.for_each(|line| println!("{line}"));
        } else {
            self.show(&report());
        }
    }

    /// Prints a report for people on stdout.
    pub fn show(&self, report: &Report) {
        print!("{}", report::terminal(report, Terminal::of_stdout()));
    }

    /// The place of a verb's `-o`, looked at before the work begins. Standard output takes one thing: the records of
    /// `--json` or the file.
    pub fn output(&self, named: Option<&Path>) -> Result<Option<Output>> {
        let output = named.map(Output::new).transpose()?;
        if self.json && output.as_ref().is_some_and(Output::is_stdout) {
            return Err(Problem::new("standard output takes either the records of --json or the file")
                .remedy("name a file, or leave out --json"));
        }
        Ok(output)
    }

    /// Tells of a variant that failed while the others went on, once for all its cases; the run ends with status 1 for it.
    pub fn tell_failure(&self, text: &str) {
        if self.failed_in_passing.lock().expect("no panic holds it").insert(text.to_owned()) {
            eprintln!("failed: {text}");
        }
    }

    /// Whether there was such a variant.
    pub fn failed_in_passing(&self) -> bool {
        !self.failed_in_passing.lock().expect("no panic holds it").is_empty()
    }

    /// Tells people what goes on; on stderr, so that it never mixes with results.
    pub fn progress(&self, text: &str) {
        eprintln!("{text}");
        crate::progress::heard();
    }
}
