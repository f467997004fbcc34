// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What can be wrong with a cpu file. Every message names file, line and key and says what is allowed.

use super::number::Place;
use std::path::PathBuf;

/// A cpu file cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CpuError {
    /// No such cpu.
    #[error("unknown cpu '{name}'; {known}", known = if known.is_empty() { format!("there are no cpu files in {}", dir.display()) } else { format!("known: {}", known.join(" ")) })]
    Unknown {
        /// The name asked for.
        name: String,
        /// The folder searched.
        dir: PathBuf,
        /// What there is.
        known: Vec<String>,
    },
    /// Two files of one name, in different folders.
    #[error("two files describe the cpu '{name}': {} and {}; a cpu is called as its file: give one of them another name", first.display(), second.display())]
    Twice {
        /// The name.
        name: String,
        /// The first of them by path.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Not TOML.
    #[error("{place}: not valid TOML: {reason}; mend that line, or what stands before it")]
    Syntax {
        /// Where.
        place: Place,
        /// What the TOML parser says.
        reason: String,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key '{key}'; {hint}")]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What is allowed instead.
        hint: String,
    },
    /// A key that is needed and absent.
    #[error("{place}: missing key '{key}': {meaning}; add it as {form}")]
    Missing {
        /// The file (line 1, since the key is absent).
        place: Place,
        /// The key.
        key: String,
        /// What it means.
        meaning: String,
        /// How to write it.
        form: String,
    },
    /// A value out of bounds or of the wrong form.
    #[error("{place}: '{key}' {problem}; allowed: {allowed}")]
    Invalid {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What is wrong.
        problem: String,
        /// What is allowed.
        allowed: String,
    },
    /// A cpu that inherits, in the end, from itself.
    #[error("{place}: 'inherits' goes in a circle: {chain}; let one of them inherit from none", chain = chain.join(" -> "))]
    Cycle {
        /// Where the cycle closes.
        place: Place,
        /// The names, first and last the same.
        chain: Vec<String>,
    },
}
