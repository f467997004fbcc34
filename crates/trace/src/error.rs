// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What can be wrong with a trace file.

use std::fs::FileType;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use arch::Arch;

/// Why a trace cannot be read. Each message says what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}{}", remedy_of(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// There is something else than a file.
    #[error("{path} is not an Assay trace: it is {kind}; {remedy}")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
        /// What to name instead.
        remedy: &'static str,
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

impl Error {
    /// What is there is no regular file.
    pub(crate) fn not_a_file(path: &Path, is: FileType) -> Error {
        let (kind, remedy) = if is.is_dir() {
            ("a folder", "name a trace in it")
        } else if is.is_fifo() || is.is_socket() {
            ("a pipe or a socket", "a trace is read several times: write it to a file first, and name that")
        } else {
            ("a device", "name a file that `assay trace` has recorded")
        };
        Error::NotAFile { path: path.to_owned(), kind, remedy }
    }

    /// Whether the bytes of the file are at fault, so that another recording of the same program can be read.
    pub fn is_of_content(&self) -> bool {
        match self {
            Error::NotATrace { .. } | Error::Newer { .. } => true,
            Error::Truncated { .. } | Error::Corrupt { .. } => true,
            Error::Io { .. } | Error::NotAFile { .. } | Error::WrongArch { .. } => false,
        }
    }
}

/// What to do where the operating system does not open, read or write the file.
fn remedy_of(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP | libc::ENAMETOOLONG) => {
            "; see that the path is right"
        }
        Some(libc::EACCES | libc::EPERM) => "; make the file and the folders above it readable to you",
        Some(libc::EMFILE) => "; raise the limit on open files (ulimit -n)",
        Some(libc::ENFILE | libc::ENOMEM) => {
            "; try again when the machine has more open files and memory to give"
        }
        Some(libc::EIO | libc::ESTALE) => "; copy the file from where it can be read, or record it again",
        Some(libc::ENOSPC | libc::EDQUOT) => "; free some disk space",
        Some(libc::EFBIG) => "; raise the limit on the size of files (ulimit -f)",
        _ => "",
    }
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
