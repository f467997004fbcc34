// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The programs of libs/cache_log: built by the library's own Makefile, run, their lines read.

use crate::context::{Context, Outcome};
use lab::process::{Command, Ending, Printing};
use lab::{Problem, Result};
use std::path::PathBuf;
use std::time::Duration;

/// The longest that one process of a bench takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// Restoring a file of terabytes takes as long as its disk needs.
const PAGES_PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Builds a program of the library for this machine.
pub fn build(context: &Context, name: &str) -> Result<PathBuf> {
    let native = lab::host::native_arch().ok_or_else(|| {
        Problem::new("this machine is of no architecture that cache_log knows")
            .remedy("see libs/cache_log/README.md for those it knows")
    })?;
    lab::make::build(&context.workspace, "cache_log", native, name)
}

/// Runs a bench once; its lines as words.
pub fn lines(program: &PathBuf, arguments: &[String]) -> Result<Vec<Vec<String>>> {
    let output = Command::new(program).args(arguments).timeout(PATIENCE).run()?;
    if !output.success() {
        return Err(Problem::new(format!("ended without its result: {}", output.tail(3)))
            .at(format!("{} {}", program.display(), arguments.join(" ")))
            .remedy("if the clock jumped in every slice, wait until the machine is less busy"));
    }
    Ok(output.stdout.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

/// Hands over to cache-log-pages.
pub fn pages(context: &Context, arguments: &[String]) -> Result<Outcome> {
    let program = build(context, "cache-log-pages")?;
    let output =
        Command::new(program).args(arguments).printing(Printing::Shown).timeout(PAGES_PATIENCE).run()?;
    match output.ending {
        Ending::Exited(0) => Ok(Outcome::Fine),
        Ending::Exited(1) => Ok(Outcome::Failed),
        ending => {
            Err(Problem::new(ending.to_string()).at("cache-log-pages").remedy("its own message stands above"))
        }
    }
}
