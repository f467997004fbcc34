// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What can be wrong with a trace file.

use std::path::PathBuf;

use arch::Arch;

/// Why a trace cannot be read. Each message says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The file does not start with the magic bytes of a trace.
    #[error("{path} is not an Assay trace; record one with `assay trace`")]
    NotATrace {
        /// The file.
        path: PathBuf,
    },
    /// The file has a version that this build does not know.
    #[error("{path} is a trace of version {version}, this build reads up to {newest}; update Assay or record it again")]
    Newer {
        /// The file.
        path: PathBuf,
        /// The file's version.
        version: u64,
        /// The newest version that is read.
        newest: u64,
    },
    /// The file stops before its end marker.
    #[error("{path} is truncated: it stops at byte {at} without an end; record it again")]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where it stops, in bytes from the start of the file.
        at: u64,
    },
    /// The contents of the file are invalid.
    #[error("{path} is corrupt in the frame at byte {at}: {problem}; record it again")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Start of the frame, in bytes from the start of the file.
        at: u64,
        /// What is wrong there.
        problem: String,
    },
    /// The trace has another architecture than the one asked for.
    #[error("{path} is a trace of {found}, not of {wanted}")]
    WrongArch {
        /// The file.
        path: PathBuf,
        /// The trace's architecture.
        found: Arch,
        /// The architecture that was asked for.
        wanted: Arch,
    },
}

/// What is wrong in a frame; [`Error::Corrupt`] adds the file and the position.
#[derive(Debug)]
pub(crate) struct Problem(pub String);

impl From<&str> for Problem {
    fn from(text: &str) -> Problem {
        Problem(text.to_owned())
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem(text)
    }
}
