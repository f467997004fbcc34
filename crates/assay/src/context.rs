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

/// The outcome of a verb that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit status 0.
    Fine,
    /// Exit status 1: something that was judged failed.
    Failed,
}

/// What a verb runs with.
pub struct Context {
    /// The checkout and its cache.
    pub workspace: Workspace,
    /// JSON lines on stdout instead of tables.
    pub json: bool,
    /// The messages already printed about variants that failed.
    failed_in_passing: Mutex<BTreeSet<String>>,
}

impl Context {
    /// Finds the checkout and removes the scratch files that killed runs have left.
    pub fn new(json: bool) -> Result<Context> {
        let workspace = Workspace::find()?;
        workspace.sweep();
        Ok(Context { workspace, json, failed_in_passing: Mutex::default() })
    }

    /// Prints results on stdout: the records with `--json`, else the report, which is only made then.
    pub fn tell(&self, records: impl Iterator<Item = impl Record>, report: impl FnOnce() -> Report) {
        self.tell_lines(records.map(|record| record.to_line()), report);
    }

    /// [`Context::tell`] for records of several kinds, as lines.
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

    /// The destination of a verb's `-o`, checked before the work begins. Standard output can take either the records of
    /// `--json` or the file, not both.
    pub fn output(&self, named: Option<&Path>) -> Result<Option<Output>> {
        let output = named.map(Output::new).transpose()?;
        if self.json && output.as_ref().is_some_and(Output::is_stdout) {
            return Err(Problem::new("standard output takes either the records of --json or the file")
                .remedy("name a file, or leave out --json"));
        }
        Ok(output)
    }

    /// Reports a variant that failed while the others continue, once for all its cases; the exit status is then 1.
    pub fn tell_failure(&self, text: &str) {
        if self.failed_in_passing.lock().expect("no panic holds it").insert(text.to_owned()) {
            eprintln!("failed: {text}");
        }
    }

    /// Whether [`Context::tell_failure`] has reported a variant.
    pub fn failed_in_passing(&self) -> bool {
        !self.failed_in_passing.lock().expect("no panic holds it").is_empty()
    }

    /// Reports progress; on stderr, so that it never mixes with results.
    pub fn progress(&self, text: &str) {
        eprintln!("{text}");
        crate::progress::heard();
    }
}
