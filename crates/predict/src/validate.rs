// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The model against published figures: every loop whose time somebody measured and that can be written down.
//!
//! `validation/figures.toml` names the figures and their sources; the loops beside it are assembly of our own in the
//! form of the measured code. Each is predicted at every alignment allowed, the median counts and the range is shown,
//! since the alignment of the measured code is rarely known. Beside the prediction stand two others: the trivial
//! bound (instructions over dispatch width, operations over pipes) and llvm-mca's.

use crate::core::Relax;
use crate::cpu::{Cpu, CpuError};
use crate::description::Description;
use crate::driver::{predict, Options, PredictError};
use crate::explain::cycles_of;
use crate::loops::{LoopSource, Walk};
use crate::plan::{Plan, RegisterKinds};
use crate::source::SourceError;
use arch::Arch;
use decode::{Decoder, Instruction, Scheduling};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Iterations of a loop; enough for the steady state to outweigh the start.
const ITERATIONS: u64 = 20_000;
/// Where the code stands; a multiple of every fetch block.
const CODE: u64 = 0x1000_0000;

/// Turns an assembly file into machine code.
pub type Assemble<'a> = dyn Fn(Arch, &Path) -> Result<Vec<u8>, String> + 'a;

/// A loop of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Assembly file beside figures.toml.
    pub code: PathBuf,
    /// `start:step:wrap` of each access in the order executed, numbers in C notation; step and wrap may be left out.
    pub accesses: Vec<String>,
}

/// One published figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The publication it belongs to.
    pub study: String,
    /// What was measured.
    pub row: String,
    /// The cpu it was measured on.
    pub cpu: String,
    /// The architecture as which the loop is assembled.
    pub arch: String,
    /// The loop.
    #[serde(rename = "loop")]
    pub measured: Loop,
    /// If there is one, the figure is the cycles of `measured` over those of this one.
    pub over: Option<Loop>,
    /// Units of the figure in one iteration (4 limbs, 1 iteration).
    pub per: f64,
    /// The figure's unit.
    pub unit: String,
    /// The figure.
    pub published: f64,
    /// For a figure that is not precise: what it stands for.
    pub range: Option<(f64, f64)>,
    /// Offsets of the code in bytes; absent: every one in a fetch block.
    pub offsets: Option<Vec<u64>>,
    /// Whether a number of the cpu was fitted to it.
    pub used_for_fit: bool,
    /// Rows of the study with the same data, where the whole programs are predicted; a mean counts them there.
    #[serde(default)]
    pub derived_from: Vec<String>,
    /// Who published it.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    figure: Vec<Figure>,
}

/// A figure, predicted.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The figure.
    pub figure: Figure,
    /// The model's answer: the median over alignments.
    pub predicted: f64,
    /// Its range over alignments.
    pub range: (f64, f64),
    /// Error of `predicted` in percent; within an imprecise figure's range: 0.
    pub error_percent: f64,
    /// The trivial bound and its error in percent.
    pub trivial: (f64, f64),
    /// llvm-mca's answer and its error in percent, or why it has none.
    pub mca: Result<(f64, f64), String>,
}

/// The figures cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A figure is described wrongly.
    #[error("{}: {problem}", path.display())]
    Figure {
        /// figures.toml, or the loop.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A cpu file is wrong.
    #[error(transparent)]
    Cpu(#[from] CpuError),
    /// A prediction failed.
    #[error(transparent)]
    Predict(#[from] PredictError),
}

/// Reads `figures.toml` of a folder.
pub fn figures(dir: &Path) -> Result<Vec<Figure>, ValidateError> {
    let path = dir.join("figures.toml");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| ValidateError::Read { path: path.clone(), reason: error.to_string() })?;
    let figures: Figures =
        toml::from_str(&text).map_err(|error| ValidateError::Figure { path, problem: error.to_string() })?;
    Ok(figures.figure)
}

fn number(text: &str) -> Option<i64> {
    match text.trim().strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.trim().parse().ok(),
    }
}

fn walk(text: &str) -> Option<Walk> {
    let numbers = text.split(':').map(number).collect::<Option<Vec<_>>>()?;
    match numbers.as_slice() {
        [start] => Some(Walk { start: *start as u64, step: 0, wrap: 0 }),
        [start, step] => Some(Walk { start: *start as u64, step: *step, wrap: 0 }),
        [start, step, wrap] => Some(Walk { start: *start as u64, step: *step, wrap: *wrap as u64 }),
        _ => None,
    }
}

struct Assembled {
    arch: Arch,
    code: Vec<u8>,
    walks: Vec<Walk>,
}

impl Assembled {
    fn new(
        dir: &Path,
        figure: &Figure,
        chosen: &Loop,
        assemble: &Assemble<'_>,
    ) -> Result<Assembled, ValidateError> {
        let path = dir.join(&chosen.code);
        let wrong = |problem: String| ValidateError::Figure { path: path.clone(), problem };
        let arch: Arch = figure.arch.parse().map_err(|error: arch::UnknownArch| wrong(error.to_string()))?;
        let code = assemble(arch, &path).map_err(&wrong)?;
        let walks = chosen.accesses.iter().map(|text| {
            walk(text)
                .ok_or_else(|| wrong(format!("access '{text}' of '{}' is not start:step:wrap", figure.row)))
        });
        let walks = walks.collect::<Result<Vec<_>, _>>()?;
        Ok(Assembled { arch, code, walks })
    }

    fn source(&self, offset: u64) -> Result<LoopSource, SourceError> {
        LoopSource::new(self.arch, &self.code, CODE + offset, &self.walks, ITERATIONS)
    }

    fn cycles(&self, cpu: &Cpu, offset: u64) -> Result<f64, PredictError> {
        let mut source = self.source(offset)?;
        let predictions = predict(&mut source, &[cpu], &Options::default())?;
        Ok(predictions.iter().map(cycles_of).sum())
    }

    fn instructions(&self) -> Result<Vec<Instruction>, PredictError> {
        Ok(self.source(0)?.instructions().cloned().collect())
    }
}

/// Instructions over dispatch width, or operations over the pipes they can take, whichever is more.
fn trivial_bound(cpu: &Cpu, arch: Arch, instructions: &[Instruction]) -> Result<f64, PredictError> {
    let description = Description::new(cpu)?;
    let decoder = Decoder::new(arch).map_err(|error| SourceError(error.to_string()))?;
    let mut plan = Plan::new(None, 0, Relax::default(), None);
    plan.add_block(&description, &RegisterKinds::new(&decoder), instructions);
    let mut bound = instructions.len() as f64 / f64::from(description.dispatch.width);
    for choice in &plan.parts {
        let inside = plan.parts.iter().filter(|part| part.mask & !choice.mask == 0);
        let work: u32 = inside.map(|part| u32::from(part.busy)).sum();
        bound = bound.max(f64::from(work) / f64::from(choice.mask.count_ones().max(1)));
    }
    Ok(bound)
}

fn mca(cpu: &Cpu, arch: Arch, instructions: &[Instruction]) -> Result<f64, String> {
    let name = cpu.word("llvm").ok_or("LLVM has no model of this cpu")?;
    let mut scheduling = Scheduling::new(arch, name).map_err(|error| error.to_string())?;
    scheduling.mca_cycles(instructions, 1000).map_err(|error| error.to_string())
}

fn error_percent(figure: &Figure, answer: f64) -> f64 {
    match figure.range {
        Some((low, high)) if (low..=high).contains(&answer) => 0.0,
        _ => 100.0 * (answer / figure.published - 1.0),
    }
}

/// Predicts one figure.
pub fn check(
    dir: &Path,
    cpus: &Path,
    figure: &Figure,
    assemble: &Assemble<'_>,
) -> Result<Outcome, ValidateError> {
    let cpu = Cpu::load(cpus, &figure.cpu)?;
    let block = cpu.value("fetch.block").unwrap_or(32.0) as u64;
    let offsets = figure.offsets.clone().unwrap_or_else(|| (0..block).step_by(4).collect());
    let measured = Assembled::new(dir, figure, &figure.measured, assemble)?;
    let over = figure.over.as_ref().map(|over| Assembled::new(dir, figure, over, assemble)).transpose()?;
    let mut answers = Vec::new();
    for &offset in &offsets {
        let below = match &over {
            Some(over) => over.cycles(&cpu, offset)?,
            None => figure.per,
        };
        answers.push(measured.cycles(&cpu, offset)? / below);
    }
    answers.sort_by(f64::total_cmp);
    let (Some(&low), Some(&high)) = (answers.first(), answers.last()) else {
        return Err(ValidateError::Figure {
            path: dir.join("figures.toml"),
            problem: format!("'{}' has no offsets", figure.row),
        });
    };
    let predicted = answers[answers.len() / 2];
    let instructions = measured.instructions()?;
    let divided = |mine: f64, other: &dyn Fn(&[Instruction]) -> Result<f64, String>| -> Result<f64, String> {
        match &over {
            Some(over) => Ok(mine / other(&over.instructions().map_err(|error| error.to_string())?)?),
            None => Ok(mine / figure.per),
        }
    };
    let bound =
        |code: &[Instruction]| trivial_bound(&cpu, measured.arch, code).map_err(|error| error.to_string());
    let wrong = |problem: String| ValidateError::Figure { path: dir.join("figures.toml"), problem };
    let trivial = bound(&instructions).and_then(|mine| divided(mine, &bound)).map_err(wrong)?;
    let look = |code: &[Instruction]| mca(&cpu, measured.arch, code);
    let mca = look(&instructions).and_then(|mine| divided(mine, &look));
    Ok(Outcome {
        figure: figure.clone(),
        predicted,
        range: (low, high),
        error_percent: error_percent(figure, predicted),
        trivial: (trivial, error_percent(figure, trivial)),
        mca: mca.map(|answer| (answer, error_percent(figure, answer))),
    })
}

/// Predicts every figure of a folder.
pub fn validate(dir: &Path, cpus: &Path, assemble: &Assemble<'_>) -> Result<Vec<Outcome>, ValidateError> {
    figures(dir)?.iter().map(|figure| check(dir, cpus, figure, assemble)).collect()
}

/// Mean of the absolute errors in percent, of all outcomes or of those nothing was fitted to.
pub fn mean_error(outcomes: &[Outcome], with_fitted: bool) -> f64 {
    let errors: Vec<f64> = outcomes
        .iter()
        .filter(|outcome| with_fitted || !outcome.figure.used_for_fit)
        .map(|outcome| outcome.error_percent.abs())
        .collect();
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}
