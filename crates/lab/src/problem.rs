// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The one error style of the tool: what happened, where, and what to do about it.

use std::fmt;

/// What causes a problem; it decides between the exit statuses 1 and 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blame {
    /// The machine, the checkout or the command line: nothing was learnt about what is judged. Exit status 2.
    #[default]
    Surroundings,
    /// The variant that is judged: it does not compile, it crashes. That is its verdict. Exit status 1.
    Variant,
}

/// Something that stops a verb or one of its items; shown to the user as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What happened, in a clause.
    pub what: String,
    /// The file, variant or program that it happened to; empty if `what` says it.
    pub place: String,
    /// What the user can do; empty if nothing but reading `what` again.
    pub remedy: String,
    /// What causes it.
    pub blame: Blame,
}

/// The result of anything in the lab.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

impl Problem {
    /// A problem with neither place nor remedy yet, caused by the surroundings.
    pub fn new(what: impl Into<String>) -> Problem {
        Problem { what: what.into(), place: String::new(), remedy: String::new(), blame: Blame::Surroundings }
    }

    /// Makes the variant that is judged its cause.
    pub fn of_variant(mut self) -> Problem {
        self.blame = Blame::Variant;
        self
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
            std::io::ErrorKind::StorageFull => STORAGE_FULL_REMEDY,
            std::io::ErrorKind::IsADirectory => "name a file: this is a folder",
            std::io::ErrorKind::AlreadyExists => "name another path, or move away what stands there",
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => "see that the path is right",
            _ => "",
        };
        Problem::new(format!("cannot {doing}: {error}")).at(path.display()).remedy(remedy)
    }
}

/// What to do where a disk is full.
pub const STORAGE_FULL_REMEDY: &str = "free some disk space, or set ASSAY_CACHE to a folder that has more";

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
