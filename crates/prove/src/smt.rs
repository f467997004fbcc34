// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The solver: z3 as a child process that reads SMT-LIB 2.
//!
//! SMT-LIB 2 is a standard, so another solver could replace z3, which every distribution packages.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::term::Term;
use crate::Error;

/// Seconds after which the solver gives up on one question. Byte swaps take milliseconds.
const TIMEOUT_SECONDS: u32 = 120;

/// The solver's answer to a claim.
pub enum Answer {
    /// It holds for all values of the variables.
    Valid,
    /// It fails for these values.
    Fails(HashMap<String, u128>),
    /// The solver gave up.
    Unknown(String),
}

/// Asks whether the one-bit `claim` is true for all values of its variables.
pub fn check(claim: &Term) -> Result<Answer, Error> {
    assert_eq!(claim.bits(), 1, "a claim is one bit");
    let variables = claim.variables();
    let mut script = String::from("(set-logic QF_BV)\n(set-option :produce-models true)\n");
    script += &claim.to_smt("claim");
    script += "(assert (= |claim| #b0))\n(check-sat)\n";
    for (name, _) in &variables {
        script += &format!("(get-value (|{name}|))\n");
    }
    let reply = run(&script)?;
    let mut lines = reply.lines();
    match lines.next().map(str::trim) {
        Some("unsat") => Ok(Answer::Valid),
        Some("sat") => {
            let mut values = HashMap::new();
            for ((name, _), line) in variables.iter().zip(lines) {
                let value = parse_value(line)
                    .ok_or_else(|| Error::Solver(format!("a value was expected, not '{line}'")))?;
                values.insert(name.clone(), value);
            }
            Ok(Answer::Fails(values))
        }
        Some(other) => Ok(Answer::Unknown(other.to_owned())),
        None => Err(Error::Solver("no answer".to_owned())),
    }
}

/// Extracts the number from `((|name| #x0123))` or `((name #b01))`.
fn parse_value(line: &str) -> Option<u128> {
    let text = line.trim_end_matches(')').rsplit(' ').next()?;
    match text.strip_prefix("#x") {
        Some(hex) => u128::from_str_radix(hex, 16).ok(),
        None => u128::from_str_radix(text.strip_prefix("#b")?, 2).ok(),
    }
}

fn run(script: &str) -> Result<String, Error> {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2", &format!("-T:{TIMEOUT_SECONDS}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Error::NoSolver)?;
    let mut stdin = child.stdin.take().expect("stdin was asked for");
    // After `unsat`, z3 prints an error for each get-value and continues; it reads all of its input in any case.
    let written = stdin.write_all(script.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().map_err(Error::NoSolver)?;
    written.map_err(|error| Error::Solver(format!("it closed its input: {error}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
