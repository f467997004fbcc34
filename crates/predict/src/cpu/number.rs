// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One number of a cpu file and where it comes from.
//!
//! A prediction is worth as much as the numbers under it, so none of them stands alone: each says its unit, who
//! found it out, and how. A guess carries the range within which the truth is believed to lie; the sensitivity
//! analysis moves it there. A fitted number names the published figure that it was fitted to, so that this figure
//! is never counted as a success of the model.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How a number came to be known, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Measured on silicon by the source.
    Measured,
    /// Stated by the maker: manual, data sheet, list of performance events, article by the designers.
    Manual,
    /// Taken from a compiler's scheduling model, which encodes what helped a scheduler, not always the silicon.
    CompilerModel,
    /// Chosen so that the model meets a published figure, which `fitted_to` names.
    Fitted,
    /// Believed, within `range`.
    Guess,
}

impl Kind {
    /// All kinds, in order of trust.
    pub const ALL: [Kind; 5] = [Kind::Measured, Kind::Manual, Kind::CompilerModel, Kind::Fitted, Kind::Guess];

    /// The word used in cpu files.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Measured => "measured",
            Kind::Manual => "manual",
            Kind::CompilerModel => "compiler-model",
            Kind::Fitted => "fitted",
            Kind::Guess => "guess",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A place in a cpu file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<PathBuf>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// A number with its provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The value, in `unit`.
    pub value: f64,
    /// The unit, as the schema demands it.
    pub unit: String,
    /// Who says so: an entry of the file's `[sources]`, written out.
    pub source: String,
    /// How it is known.
    pub kind: Kind,
    /// Lowest and highest believable value; always there for a guess.
    pub range: Option<(f64, f64)>,
    /// The key of a guess that this number belongs to: when that one is moved, it is moved by as much, within its own range.
    /// Sources that disagree often disagree about several numbers at once, and a core with some of them by one source and some by
    /// the other is nobody's.
    pub moves_with: Option<String>,
    /// The figure a fitted number was fitted to.
    pub fitted_to: Option<String>,
    /// What a fitted number was believed to be before; a fit starts there and is drawn back to it.
    pub prior: Option<f64>,
    /// A remark, for example on sources that disagree.
    pub note: Option<String>,
    /// Where it stands.
    pub place: Place,
}
