// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Runs a suite of programs with known results through a [`Plugin`].
//!
//! A suite is a JSON list of objects: `name`, `program` (hex of 8-byte instructions as a little-endian host lays them
//! out), `memory` (hex, may be empty) and `result` (r0). On a big-endian machine the results in
//! `libs/ebpf/tests/conformance_big_endian.txt` take the place of those that hold on little-endian machines only.

use crate::{Engine, Plugin, PluginError, Question};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file, below the checkout, of the results that differ on a big-endian machine, with the reasons.
pub const BIG_ENDIAN_RESULTS: &str = "libs/ebpf/tests/conformance_big_endian.txt";

/// One program of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name in the suite.
    pub name: String,
    /// Bytecode in hex, little-endian.
    pub program: String,
    /// Memory in hex, r1 points to it; may be empty.
    pub memory: String,
    /// r0 on a little-endian machine.
    pub result: u64,
}

/// The result of a case on a big-endian machine, where it differs from the published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigEndian {
    /// r0.
    pub result: u64,
    /// The section of RFC 9669 that explains the difference.
    pub section: String,
    /// The explanation.
    pub why: String,
}

/// The cases with another result on big-endian machines, by name.
pub type Overlay = BTreeMap<String, BigEndian>;

/// Why a suite, or its results for big-endian machines, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// Its path.
        path: String,
        /// The operating system's error.
        error: std::io::Error,
    },
    /// The file's contents are malformed.
    #[error("{path}: {reason}")]
    Contents {
        /// Its path.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

/// The default path of the suite, which is not part of the repository: in `$ASSAY_SHARED`, or in the folder `shared` beside
/// the checkout.
pub fn default_suite(checkout: &Path) -> PathBuf {
    let shared = match std::env::var_os("ASSAY_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => checkout.parent().unwrap_or(Path::new("/")).join("shared"),
    };
    shared.join("conformance/ebpf.json")
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

fn read(path: &Path) -> Result<String, SuiteError> {
    let failed = |error| SuiteError::Read { path: path.display().to_string(), error };
    // A device may have no end, and opening a pipe waits for somebody who writes.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("is not a file")));
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// Reads a suite.
pub fn read_suite(path: &Path) -> Result<Vec<Case>, SuiteError> {
    let contents = |reason: String| SuiteError::Contents { path: path.display().to_string(), reason };
    let text = read(path)?;
    let list: Vec<BTreeMap<String, String>> =
        serde_json::from_str(&text).map_err(|error| contents(error.to_string()))?;
    list.into_iter()
        .enumerate()
        .map(|(index, mut fields)| {
            let mut take = |key: &str| {
                fields.remove(key).ok_or_else(|| contents(format!("case {index} has no `{key}`")))
            };
            let (name, program, memory) = (take("name")?, take("program")?, take("memory")?);
            let result = hex(&take("result")?)
                .ok_or_else(|| contents(format!("the result of case {name} is not a number")))?;
            Ok(Case { name, program, memory, result })
        })
        .collect()
}

/// Reads results for big-endian machines. Each line holds a case's name, its result, a section of RFC 9669 and the reason.
pub fn read_overlay(path: &Path) -> Result<Overlay, SuiteError> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            let mut words = line.split_whitespace();
            match (words.next(), words.next().and_then(hex), words.next(), words.next()) {
                (Some(name), Some(result), Some(section), Some(first)) => {
                    let why = words.fold(first.to_owned(), |text, word| text + " " + word);
                    Ok((name.to_owned(), BigEndian { result, section: section.to_owned(), why }))
                }
                _ => Err(SuiteError::Contents {
                    path: path.display().to_string(),
                    reason: format!("line {} is not: case, result, section, why", index + 1),
                }),
            }
        })
        .collect()
}

/// The outcome of running a suite.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases with the right result.
    pub passed: usize,
    /// Of those, the cases judged by their big-endian result instead of the published one.
    pub passed_by_overlay: usize,
    /// One line for each case that failed or was not run.
    pub failures: Vec<String>,
}

/// Runs every case; `overlay` is used if the plugin's machine is big-endian. With `each_alone`, each case runs in a process
/// of its own, as in bpf_conformance; without it, one process runs all cases.
pub fn run(
    plugin: &Plugin,
    engine: Engine,
    options: &[&str],
    suite: &[Case],
    overlay: &Overlay,
    each_alone: bool,
) -> Result<Report, PluginError> {
    let questions: Vec<Question> =
        suite.iter().map(|case| (case.program.as_str(), case.memory.as_str())).collect();
    let answers = if each_alone {
        questions.iter().map(|question| plugin.run(*question, engine, options)).collect::<Result<_, _>>()?
    } else {
        plugin.run_batch(&questions, engine, options)?
    };
    let mut report = Report::default();
    for (case, answer) in suite.iter().zip(answers.iter()) {
        let override_ = overlay.get(&case.name).filter(|_| plugin.is_big_endian());
        let expected = override_.map_or(case.result, |big_endian| big_endian.result);
        match answer {
            Ok(_) if override_.is_some() && expected == case.result => {
                report
                    .failures
                    .push(format!("{}: listed as different on big-endian machines, but is not", case.name));
            }
            Ok(r0) if *r0 == expected => {
                report.passed += 1;
                report.passed_by_overlay += usize::from(override_.is_some());
            }
            Ok(r0) => report.failures.push(format!("{}: r0 is {r0:#x}, not {expected:#x}", case.name)),
            Err(reason) => report.failures.push(format!("{}: {reason}", case.name)),
        }
    }
    for case in &suite[answers.len().min(suite.len())..] {
        report.failures.push(format!("{}: not run", case.name));
    }
    Ok(report)
}
