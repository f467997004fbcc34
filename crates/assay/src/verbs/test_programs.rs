// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The programs of the Rust tests: cargo builds them, and they run here, those of the longest crate beside those of all others.
//! Cargo itself runs one after the other, so that a processor is idle while the last test of each goes on.

use lab::process::{Command, Limits};
use lab::{Problem, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A program that cargo has built, with the tests of a library, of a command, or of a file.
pub struct Program {
    path: PathBuf,
    /// The crate's folder, where cargo would run it.
    folder: PathBuf,
}

/// What running some of them gave.
#[derive(Default)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub failed: bool,
}

impl Program {
    /// Reads a line of `cargo test --no-run --message-format=json`; most lines are of libraries.
    fn from_line(line: &str) -> Option<Program> {
        let record: Value = serde_json::from_str(line).ok()?;
        if record["reason"] != "compiler-artifact" || record["profile"]["test"] != true {
            return None;
        }
        let folder = Path::new(record["manifest_path"].as_str()?).parent()?.to_path_buf();
        Some(Program { path: record["executable"].as_str()?.into(), folder })
    }

    pub fn is_of(&self, package: &str) -> bool {
        self.folder.ends_with(package)
    }
}

/// Builds the tests of all crates. The error is what the compiler said.
pub fn build(cargo: Command, timeout: Duration) -> Result<Vec<Program>> {
    let output = cargo
        .args(["--no-run", "--message-format=json-render-diagnostics"])
        .timeout(timeout)
        .limits(Limits::INHERITED)
        .run()?;
    if !output.success() {
        return Err(Problem::new(format!("the tests do not build:\n{}", output.tail(30))).at("cargo test"));
    }
    let programs: Vec<Program> = output.stdout.lines().filter_map(Program::from_line).collect();
    if programs.is_empty() {
        return Err(Problem::new("names no program that it has built").at("cargo test"));
    }
    Ok(programs)
}

/// Runs programs one after the other, each to its end. `surroundings` sets the environment.
pub fn run(
    programs: &[&Program],
    surroundings: impl Fn(Command) -> Command,
    timeout: Duration,
) -> Result<Ran> {
    let mut ran = Ran::default();
    for program in programs {
        let command = Command::new(&program.path).arg("--show-output").folder(&program.folder);
        let output = surroundings(command).timeout(timeout).limits(Limits::INHERITED).run()?;
        ran.stdout += &output.stdout;
        if !output.success() {
            ran.failed = true;
            ran.stderr += &format!("{}: {}\n", program.path.display(), output.tail(30));
        }
    }
    Ok(ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_tests_are_told_from_what_else_cargo_builds() {
        let line = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/c/crates/lab/Cargo.toml","profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let program = Program::from_line(&line(true, r#""/t/lab-1""#)).expect("a program");
        assert!(program.path == Path::new("/t/lab-1") && program.is_of("lab") && !program.is_of("ab"));
        for other in
            [&line(false, r#""/t/assay""#), &line(true, "null"), r#"{"reason":"build-finished"}"#, "x"]
        {
            assert!(Program::from_line(other).is_none(), "{other}");
        }
    }
}
