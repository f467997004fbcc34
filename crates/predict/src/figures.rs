// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Published figures, as the files `validation/*.toml` write them down, one an origin.
//!
//! What was measured is a loop or a program. A loop is assembly of our own in the form of the measured code, with its
//! accesses; it is simulated without a program around it. A program is an unmodified routine of a source package, or
//! one of ours, linked with a driver beside the figures' files; it is recorded under an emulator as a user would do.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A loop of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Assembly file beside the figure's file.
    pub code: PathBuf,
    /// `start:step:wrap` of each access in the order executed, numbers in C notation; step and wrap may be left out.
    pub accesses: Vec<String>,
    /// Where each branch goes, in the order executed (`LoopSource::along`); absent: back to the start, or on, or where an
    /// unconditional one says.
    #[serde(default)]
    pub goes: Vec<i64>,
}

/// A program of a figure: some files, and a driver that calls them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The code that is judged and what it needs: files beside the figure's file, of the checkout (`/libs/...`), or, as
    /// `gmp:mpn/...`, of GMP's source. The alignment of the first one's code is kept.
    pub routine: Vec<String>,
    /// Which of several functions that a file of GMP can be made into.
    pub operation: Option<String>,
    /// C file beside the figure's file; `driver/driver.h` says what it defines.
    pub driver: PathBuf,
    /// The driver's arguments, mostly a length. With two, the figure is the difference between a call with the second and
    /// one with the first.
    pub arguments: Vec<u64>,
}

/// What a figure is of.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A loop, and perhaps one by which its cycles are divided.
    Loop(&'a Loop, Option<&'a Loop>),
    /// A program.
    Program(&'a Program),
}

/// One published figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The file that has it.
    #[serde(skip)]
    pub file: PathBuf,
    /// The publication it belongs to.
    pub study: String,
    /// What was measured.
    pub row: String,
    /// Figures of the same routine and chain are of one family: they say the same thing twice, so they are left out of a
    /// fit together.
    pub family: String,
    /// The cpu it was measured on.
    pub cpu: String,
    /// The architecture for which the code is assembled.
    pub arch: String,
    /// The loop, unless it is a program.
    #[serde(rename = "loop")]
    measured: Option<Loop>,
    /// If there is one, the figure is the cycles of `measured` over those of this one.
    over: Option<Loop>,
    /// The program, unless it is a loop.
    program: Option<Program>,
    /// Units of the figure in one iteration (4 limbs, 1 iteration) or one call (of two arguments: the units between them).
    pub per: f64,
    /// The figure's unit.
    pub unit: String,
    /// The figure.
    pub published: f64,
    /// For a figure that is not precise: what it stands for.
    pub range: Option<(f64, f64)>,
    /// Whether the figure is what one code takes more than another. It is judged in cycles and by its sign: a percentage
    /// of a small difference says nothing.
    #[serde(default)]
    pub difference: bool,
    /// Offsets of the code in bytes; absent: every one in a fetch block that the code's own alignment allows.
    pub offsets: Option<Vec<u64>>,
    /// Whether a number of the cpu was fitted to it.
    pub used_for_fit: bool,
    /// Rows of the study with the same data, where the whole programs are predicted; a mean counts them there.
    #[serde(default)]
    pub derived_from: Vec<String>,
    /// Who published it, and where.
    pub source: String,
    /// Who measured, on which machine in which SMT mode, and what the figure may therefore show.
    pub provenance: String,
}

impl Figure {
    /// What the figure is of.
    pub fn subject(&self) -> Subject<'_> {
        match (&self.measured, &self.program) {
            (Some(measured), _) => Subject::Loop(measured, self.over.as_ref()),
            (None, Some(program)) => Subject::Program(program),
            (None, None) => unreachable!("the parser refuses a figure of nothing"),
        }
    }

    /// For tables and records.
    pub fn quantity(&self) -> &'static str {
        match (self.subject(), self.difference) {
            (_, true) => "difference",
            (Subject::Loop(..), false) => "loop",
            (Subject::Program(_), false) => "routine",
        }
    }

    /// Refuses values that the types allow but that make no sense in a figure.
    fn check(&self) -> Result<(), String> {
        let texts = [
            ("study", &self.study),
            ("row", &self.row),
            ("family", &self.family),
            ("source", &self.source),
            ("provenance", &self.provenance),
        ];
        if let Some((key, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(format!("{key} says nothing"));
        }
        if !(self.per.is_finite() && self.per > 0.0) {
            return Err(format!("per = {} is no positive number", self.per));
        }
        if !self.published.is_finite() || (!self.difference && self.published <= 0.0) {
            return Err(format!("published = {} is no positive number", self.published));
        }
        if let Some((low, high)) = self.range {
            if !(low <= self.published && self.published <= high) {
                return Err(format!("published = {} is outside range", self.published));
            }
        }
        if self.offsets.as_ref().is_some_and(Vec::is_empty) {
            return Err("offsets names no place for the code; leave the key out for every place".to_owned());
        }
        match (&self.measured, &self.program, &self.over) {
            (Some(_), None, _) => Ok(()),
            (None, Some(program), None) => program.check(),
            (None, Some(_), Some(_)) => Err("over goes with a loop, not with a program".to_owned()),
            _ => Err("names both a loop and a program, or neither".to_owned()),
        }
    }
}

impl Program {
    fn check(&self) -> Result<(), String> {
        match self.arguments[..] {
            [_] => {}
            [first, second] if first != second => {}
            _ => return Err("program.arguments has to be one number or two different ones".to_owned()),
        }
        if self.routine.is_empty() {
            return Err("program.routine names no file".to_owned());
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    figure: Vec<Figure>,
}

/// Figures cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A figure is described wrongly.
    #[error("{}: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Row, key and what is wrong.
        problem: String,
    },
}

/// Reads every `*.toml` of a folder, by name.
pub fn figures(dir: &Path) -> Result<Vec<Figure>, FigureError> {
    let unreadable = |path: &Path, error: std::io::Error| FigureError::Read {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let entries = std::fs::read_dir(dir).map_err(|error| unreadable(dir, error))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(|error| unreadable(dir, error)))
        .collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let mut figures = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        figures.extend(parse(&path, &text)?);
    }
    Ok(figures)
}

/// The figures in a file's text.
fn parse(path: &Path, text: &str) -> Result<Vec<Figure>, FigureError> {
    let wrong = |problem: String| FigureError::Wrong { path: path.to_owned(), problem };
    let mut figures: Figures = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    for figure in &mut figures.figure {
        figure.check().map_err(|problem| wrong(format!("'{}': {problem}", figure.row)))?;
        path.clone_into(&mut figure.file);
    }
    Ok(figures.figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = r#"
[[figure]]
study = "s"
row = "r"
family = "f"
cpu = "power7"
arch = "powerpc64"
per = 1
unit = "cycles"
published = 2.0
used_for_fit = false
source = "somebody"
provenance = "a machine"
loop = { code = "a.s", accesses = [] }
"#;
    const PROGRAM: &str =
        "program = { routine = [\"gmp:mpn/a.asm\"], driver = \"gmp/a.c\", arguments = [200, 1000] }";

    fn problem(from: &str, to: &str) -> String {
        let text = LOOP.replace("loop = { code = \"a.s\", accesses = [] }", PROGRAM);
        let text = if LOOP.contains(from) { LOOP } else { &text };
        assert!(text.contains(from), "{from}");
        parse(Path::new("some.toml"), &text.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn a_bad_figure_names_its_file_and_key() {
        let program = LOOP.replace("loop = { code = \"a.s\", accesses = [] }", PROGRAM);
        for good in [LOOP, &program] {
            assert_eq!(parse(Path::new("some.toml"), good).unwrap().len(), 1);
        }
        let cases = [
            ("family = \"f\"\n", "", "missing field `family`"),
            ("provenance = \"a machine\"\n", "", "missing field `provenance`"),
            ("\"a machine\"", "\" \"", "'r': provenance says nothing"),
            ("cpu =", "cqu =", "unknown field `cqu`"),
            ("2.0", "-2.0", "'r': published = -2"),
            ("2.0", "nan\ndifference = true", "'r': published = NaN"),
            ("per = 1", "per = nan", "'r': per = NaN"),
            ("2.0", "2.0\nrange = [3.0, 4.0]", "'r': published = 2 is outside range"),
            ("2.0", "2.0\noffsets = []", "'r': offsets names no place"),
            ("loop =", "over =", "'r': names both a loop and a program, or neither"),
            ("[200, 1000]", "[200, 200]", "'r': program.arguments"),
            ("[\"gmp:mpn/a.asm\"]", "[]", "'r': program.routine"),
            ("program =", "over = { code = \"a.s\", accesses = [] }\nprogram =", "'r': over goes with"),
            ("driver =", "drivel =", "unknown field `drivel`"),
        ];
        for (from, to, expected) in cases {
            let text = problem(from, to);
            assert!(text.starts_with("some.toml: ") && text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_difference_may_be_negative() {
        let text = LOOP.replace("2.0", "-2.0\ndifference = true");
        assert_eq!(parse(Path::new("some.toml"), &text).unwrap()[0].published, -2.0);
    }
}
