// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The one error style of the tool: what happened, where, and what to do about it.

use std::fmt;

/// Something that stops a verb or one of its items; shown to the user as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What happened, in a clause.
    pub what: String,
    /// The file, variant or program that it happened to; empty if `what` says it.
    pub place: String,
    /// What the user can do; empty if nothing but reading `what` again.
    pub remedy: String,
}

/// The result of anything in the lab.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

impl Problem {
    /// A problem with neither place nor remedy yet.
    pub fn new(what: impl Into<String>) -> Problem {
        Problem { what: what.into(), place: String::new(), remedy: String::new() }
    }

    /// Says where.
    pub fn at(mut self, place: impl fmt::Display) -> Problem {
        self.place = place.to_string();
        self
    }

    /// Says what to do.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Problem {
        self.remedy = remedy.into();
        self
    }

    /// A failed file operation.
    pub fn io(doing: &str, path: &std::path::Path, error: &std::io::Error) -> Problem {
        let remedy = match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                "make it accessible, or set ASSAY_CACHE to a folder that can be written"
            }
            std::io::ErrorKind::StorageFull => "free some disk space",
            _ => "",
        };
        Problem::new(format!("cannot {doing}: {error}")).at(path.display()).remedy(remedy)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.what)?;
        if !self.remedy.is_empty() {
            write!(f, "\n  remedy: {}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
