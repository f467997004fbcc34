// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `studies/<year>-<topic>.toml`: a published table and what to run to reproduce its rows.

use lab::cache::{read_text, Workspace};
use lab::case::Case;
use lab::toolchain::CompilerKind;
use lab::{Problem, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// A published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Who published it, where and when.
    pub source: String,
    /// The published machine.
    pub machine: String,
    /// Its clock.
    pub clock_mhz: f64,
    /// Where that value comes from, and why we take it.
    pub clock_source: String,
    /// The architecture.
    pub arch: String,
    /// The cpu description that stands for the machine.
    pub cpu: String,
    /// The compiler whose code is judged; clang by default.
    compiler: Option<String>,
    /// A second compiler, whose figures are shown beside the first's.
    compiler_beside: Option<String>,
    /// What a reader has to know to judge the rows.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The rows, in the order of publication.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
    /// Differences of two rows.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
    /// Published figures of what cannot be run again.
    #[serde(default, rename = "not_judged")]
    pub not_judged: Vec<NotJudged>,
    /// Code on cpus for which nothing was published.
    #[serde(default, rename = "elsewhere")]
    pub elsewhere: Vec<Elsewhere>,
}

/// The difference of two rows in cycles: what both contain cancels out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What changes.
    pub name: String,
    /// The row before, by its name.
    pub before: String,
    /// The row after.
    pub after: String,
    /// Whether both rows' code is the published code, instruction by instruction, and not another compiler's from the
    /// same C.
    #[serde(default)]
    pub same_code: bool,
}

/// A published figure that is shown and not judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotJudged {
    /// What the row is called.
    pub name: String,
    /// Nanoseconds per call.
    pub published: f64,
    /// Why it cannot be run again.
    pub reason: String,
}

/// Code that is predicted where nobody has published a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elsewhere {
    /// The hot path.
    pub hotpath: String,
    /// Its variant.
    pub variant: String,
    /// Its case.
    #[serde(default)]
    pub case: BTreeMap<String, u64>,
    /// The architecture.
    pub arch: String,
    /// The cpus.
    pub cpus: Vec<String>,
}

/// One published figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What the row is called where variant and case do not say it.
    pub name: Option<String>,
    /// Rows of the same routine and dependency chain have the same family, in all studies and figures: they are left
    /// out of a fit together.
    pub family: String,
    /// The hot path that is run again.
    pub hotpath: Option<String>,
    /// Its variant.
    pub variant: Option<String>,
    /// Its case.
    #[serde(default)]
    pub case: BTreeMap<String, u64>,
    /// A whole program that is run again instead, relative to the checkout; its `main` is the region of interest.
    pub program: Option<PathBuf>,
    /// A second program, by whose cycles those of the first are divided.
    pub over_program: Option<PathBuf>,
    /// The cpu, if it is not the study's.
    pub cpu: Option<String>,
    /// The clock of its machine, if that is not the study's.
    pub clock_mhz: Option<f64>,
    /// What was published.
    pub quantity: Quantity,
    /// The published figure, in the unit that its quantity says.
    pub published: f64,
    /// The figure as printed, if in another unit (microseconds for a million calls).
    pub as_printed: Option<String>,
    /// The exact value that follows from the program's text, for counted quantities.
    pub expected_exactly: Option<u64>,
    /// Divisor that turns a program's cycles into cycles per iteration.
    pub iterations: Option<u64>,
    /// How precise the publication is, in percent, where that is known.
    pub precision_percent: Option<f64>,
    /// Whether a parameter of the cpu was fitted to this figure.
    #[serde(default)]
    pub used_for_fit: bool,
    /// Anything else to know.
    pub note: Option<String>,
}

/// What a row's figure is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Nanoseconds per call.
    NsPerCall,
    /// Core cycles per iteration of a program's inner loop.
    CyclesPerIteration,
    /// Cycles of one program over those of another.
    CyclesRatio,
    /// Instructions of a whole program.
    Instructions,
    /// Branches of a whole program, taken or not.
    Branches,
}

impl Quantity {
    /// For tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::NsPerCall => "time per call",
            Quantity::CyclesPerIteration => "cycles per iteration",
            Quantity::CyclesRatio => "ratio of cycles",
            Quantity::Instructions => "instructions",
            Quantity::Branches => "branches",
        }
    }

    /// The unit; empty for a ratio.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::NsPerCall => "ns",
            Quantity::CyclesPerIteration => "cycles",
            Quantity::CyclesRatio => "",
            Quantity::Instructions | Quantity::Branches => self.name(),
        }
    }

    /// Whether the figure is counted exactly and not predicted.
    pub fn is_counted(self) -> bool {
        matches!(self, Quantity::Instructions | Quantity::Branches)
    }
}

impl Study {
    /// The compiler whose code is judged.
    pub fn compiler(&self) -> Result<CompilerKind> {
        self.compiler.as_deref().map_or(Ok(CompilerKind::Clang), str::parse)
    }

    /// The compiler whose figures are shown beside, if there is one.
    pub fn compiler_beside(&self) -> Result<Option<CompilerKind>> {
        self.compiler_beside.as_deref().map(str::parse).transpose()
    }

    /// The row of this name.
    pub fn row_index(&self, name: &str) -> Result<usize> {
        self.rows.iter().position(|row| row.title() == name).ok_or_else(|| {
            Problem::new(format!("a step names '{name}', which is no row"))
                .at(format!("studies/{}.toml", self.name))
        })
    }
}

impl Row {
    /// The row's case.
    pub fn case(&self) -> Case {
        Case::from_values(self.case.clone())
    }

    /// The row's title: its own name, or variant and case.
    pub fn title(&self) -> String {
        match (&self.name, &self.variant) {
            (Some(name), _) => name.clone(),
            (None, Some(variant)) => format!("{variant} {}", self.case()),
            (None, None) => String::new(),
        }
    }
}

/// The studies of published tables, by name.
pub fn names(workspace: &Workspace) -> Result<Vec<String>> {
    names_in(workspace, "studies")
}

/// The names of the files of studies in a folder of the workspace, in order.
pub fn names_in(workspace: &Workspace, folder: &str) -> Result<Vec<String>> {
    let folder = workspace.root.join(folder);
    let entries = fs::read_dir(&folder).map_err(|error| Problem::io("read the folder", &folder, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

/// Loads a study by its name.
pub fn load(workspace: &Workspace, name: &str) -> Result<Study> {
    let path = workspace.root.join("studies").join(format!("{name}.toml"));
    let mut study: Study = toml::from_str(&read_text(&path)?).map_err(|error| {
        Problem::new(format!("is not a valid study: {error}")).at(workspace.display(&path))
    })?;
    name.clone_into(&mut study.name);
    for (index, row) in study.rows.iter().enumerate() {
        let by_hotpath = row.hotpath.is_some() && row.variant.is_some();
        if by_hotpath == row.program.is_some() {
            return Err(Problem::new(format!(
                "row {} names neither a hot path with a variant nor a program, or both",
                index + 1
            ))
            .at(workspace.display(&path)));
        }
    }
    for step in &study.steps {
        study.row_index(&step.before)?;
        study.row_index(&step.after)?;
    }
    study.compiler()?;
    study.compiler_beside()?;
    Ok(study)
}
