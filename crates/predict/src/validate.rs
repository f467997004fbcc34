// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The model against published figures.
//!
//! Each figure is predicted with its code at every allowed place in a fetch block; the median counts and the range is
//! shown, because the place of the measured code is rarely known. Two other predictions are made for comparison: the
//! trivial bound (instructions over dispatch width, operations over pipes) and llvm-mca's.
//!
//! [`Prepared`] is what is the same for every cpu and every trial of a number: the code of a loop, the traces of a program.

use crate::cpu::{Cpu, CpuError};
use crate::description::Description;
use crate::driver::{predict, Options, PredictError, Prediction};
use crate::explain::cycles_of;
use crate::figures::{Figure, FigureError, Loop, Program, Subject};
use crate::loops::{LoopSource, Walk};
use crate::plan::Plan;
use crate::register_kinds::RegisterKinds;
use crate::relax::Relax;
use crate::source::SourceError;
use crate::trace_source::TraceSource;
use arch::Arch;
use decode::{Decoder, Instruction, Scheduling};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Iterations of a loop; enough for the steady state to outweigh the start.
const ITERATIONS: u64 = 20_000;
/// Enough for a search, which compares cores: the later half of them is in the steady state.
const ITERATIONS_SEARCHED: u64 = 2_000;
/// Where the code stands; a multiple of every fetch block.
const CODE: u64 = 0x1000_0000;

/// The external tools that figures need: an assembler, and an emulator that records.
pub trait Workshop {
    /// The machine code of an assembly file.
    fn assemble(&self, arch: Arch, file: &Path) -> Result<Vec<u8>, String>;

    /// A figure's program, recorded with one of its arguments.
    fn record(&self, figure: &Figure, program: &Program, argument: u64) -> Result<Recorded, String>;
}

/// A recorded program.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The trace, in which each call of what is judged is marked.
    pub trace: PathBuf,
    /// Bytes to whose multiples the judged code is aligned.
    pub alignment: u64,
}

/// A figure, predicted.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The figure.
    pub figure: Figure,
    /// The model's answer.
    pub answer: Answer,
    /// Error of the answer in percent; within an imprecise figure's range: 0. A difference has none.
    pub error_percent: Option<f64>,
    /// The trivial bound and its error in percent; a difference has none.
    pub trivial: Option<(f64, f64)>,
    /// llvm-mca's answer and its error in percent, or why it has none.
    pub mca: Result<(f64, f64), String>,
}

/// What the model says to a figure, in the figure's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The median over the places of the code; of an even number the slower of the middle two.
    pub predicted: f64,
    /// The least and the most over the places of the code.
    pub range: (f64, f64),
}

/// The figures cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// They cannot be read.
    #[error(transparent)]
    Figures(#[from] FigureError),
    /// The code of one is wrong or cannot be had.
    #[error("{}: '{row}': {problem}", path.display())]
    Figure {
        /// The figure's file.
        path: PathBuf,
        /// The figure's row.
        row: String,
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
    goes: Vec<i64>,
}

impl Assembled {
    fn new(dir: &Path, arch: Arch, chosen: &Loop, workshop: &dyn Workshop) -> Result<Assembled, String> {
        let code = workshop.assemble(arch, &dir.join(&chosen.code))?;
        let walks = chosen
            .accesses
            .iter()
            .map(|text| walk(text).ok_or_else(|| format!("access '{text}' is not start:step:wrap")));
        Ok(Assembled { arch, code, walks: walks.collect::<Result<Vec<_>, _>>()?, goes: chosen.goes.clone() })
    }

    fn source(&self, offset: u64, iterations: u64) -> Result<LoopSource, SourceError> {
        LoopSource::along(self.arch, &self.code, CODE + offset, &self.walks, &self.goes, iterations)
    }

    /// Cycles of an iteration on each cpu.
    fn cycles(&self, cpus: &[&Cpu], offset: u64, iterations: u64) -> Result<Vec<f64>, PredictError> {
        let mut source = self.source(offset, iterations)?;
        Ok(predict(&mut source, cpus, &Options::default())?.iter().map(cycles_of).collect())
    }

    fn instructions(&self) -> Result<Vec<Instruction>, PredictError> {
        Ok(self.source(0, ITERATIONS)?.instructions().cloned().collect())
    }
}

/// Cycles of a call in steady state on each cpu, with the code shifted by some bytes.
fn cycles_per_call(recorded: &Recorded, cpus: &[&Cpu], shift: u64) -> Result<Vec<f64>, PredictError> {
    let mut source = TraceSource::open(&recorded.trace)?;
    let options = Options { skip_loops: false, shift, ..Options::default() };
    let predictions = predict(&mut source, cpus, &options)?;
    predictions.iter().map(|prediction| per_call(recorded, prediction)).collect()
}

fn per_call(recorded: &Recorded, prediction: &Prediction) -> Result<f64, PredictError> {
    prediction.cycles_per_call.ok_or_else(|| {
        SourceError::Failed(format!("{}: holds too few calls of what is judged", recorded.trace.display()))
            .into()
    })
}

enum Code {
    Loop(Assembled, Option<Assembled>),
    /// With each argument.
    Program(Vec<Recorded>),
}

/// A figure whose code is ready to be predicted on any cpu.
pub struct Prepared {
    figure: Figure,
    code: Code,
}

impl Prepared {
    /// Assembles or records the code of a figure. `dir` is the folder of the figures' files.
    pub fn new(dir: &Path, figure: &Figure, workshop: &dyn Workshop) -> Result<Prepared, ValidateError> {
        let code = Self::code(dir, figure, workshop).map_err(|problem| ValidateError::Figure {
            path: figure.file.clone(),
            row: figure.row.clone(),
            problem,
        })?;
        Ok(Prepared { figure: figure.clone(), code })
    }

    fn code(dir: &Path, figure: &Figure, workshop: &dyn Workshop) -> Result<Code, String> {
        let arch: Arch = figure.arch.parse().map_err(|error: arch::UnknownArch| error.to_string())?;
        Ok(match figure.subject() {
            Subject::Loop(measured, over) => {
                let over = over.map(|over| Assembled::new(dir, arch, over, workshop)).transpose()?;
                Code::Loop(Assembled::new(dir, arch, measured, workshop)?, over)
            }
            Subject::Program(program) => {
                let record = |argument: &u64| workshop.record(figure, program, *argument);
                Code::Program(program.arguments.iter().map(record).collect::<Result<_, _>>()?)
            }
        })
    }

    /// The figure.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// The places at which the code is tried: those named, or all in a fetch block that its alignment allows.
    fn offsets(&self, cpu: &Cpu) -> Vec<u64> {
        let alignment = match &self.code {
            Code::Loop(..) => 4,
            Code::Program(recorded) => recorded.iter().map(|one| one.alignment.max(4)).max().unwrap_or(4),
        };
        let block = cpu.value("fetch.block").map_or(32, |bytes| bytes as u64);
        let all = || (0..block.max(1)).step_by(alignment as usize).collect();
        self.figure.offsets.clone().unwrap_or_else(all)
    }

    /// The figure on each cpu, with the code at one place.
    fn at(&self, cpus: &[&Cpu], offset: u64, iterations: u64) -> Result<Vec<f64>, PredictError> {
        let (mut answers, per) = match &self.code {
            Code::Loop(measured, Some(over)) => {
                let below = over.cycles(cpus, offset, iterations)?;
                let above = measured.cycles(cpus, offset, iterations)?;
                (above.into_iter().zip(below).map(|(above, below)| above / below).collect(), 1.0)
            }
            Code::Loop(measured, None) => (measured.cycles(cpus, offset, iterations)?, self.figure.per),
            Code::Program(recorded) => {
                let mut cycles = cycles_per_call(&recorded[recorded.len() - 1], cpus, offset)?;
                if let [less, _] = &recorded[..] {
                    for (more, less) in cycles.iter_mut().zip(cycles_per_call(less, cpus, offset)?) {
                        *more -= less;
                    }
                }
                (cycles, self.figure.per)
            }
        };
        answers.iter_mut().for_each(|answer| *answer /= per);
        Ok(answers)
    }

    /// Predicts the figure on several cores, the code at the first of its places: what a search asks for.
    pub fn at_first_place(&self, cpus: &[Cpu]) -> Result<Vec<f64>, PredictError> {
        let Some(first) = cpus.first() else { return Ok(Vec::new()) };
        let cpus: Vec<&Cpu> = cpus.iter().collect();
        self.at(&cpus, self.offsets(first)[0], ITERATIONS_SEARCHED)
    }

    /// Predicts the figure on a cpu with the code at each of its places, the least first.
    pub fn at_places(&self, cpu: &Cpu) -> Result<Vec<f64>, PredictError> {
        let mut answers = Vec::new();
        for offset in self.offsets(cpu) {
            answers.extend(self.at(&[cpu], offset, ITERATIONS)?);
        }
        answers.sort_by(f64::total_cmp);
        Ok(answers)
    }

    /// Predicts the figure on a cpu.
    pub fn predict(&self, cpu: &Cpu) -> Result<Answer, PredictError> {
        let answers = self.at_places(cpu)?;
        let range = (answers[0], answers[answers.len() - 1]);
        Ok(Answer { predicted: answers[answers.len() / 2], range })
    }

    /// The trivial bound, in the figure's unit.
    fn trivial(&self, cpu: &Cpu) -> Result<f64, PredictError> {
        let bound = |blocks: Result<(Arch, Vec<Weighted>), PredictError>| {
            let (arch, blocks) = blocks?;
            trivial_bound(cpu, arch, &blocks)
        };
        match &self.code {
            Code::Loop(measured, None) => Ok(bound(measured.weighted())? / self.figure.per),
            Code::Loop(measured, Some(over)) => Ok(bound(measured.weighted())? / bound(over.weighted())?),
            Code::Program(recorded) => {
                let cycles = recorded.iter().map(|one| bound(one.weighted()));
                let cycles = cycles.collect::<Result<Vec<f64>, _>>()?;
                let less = if cycles.len() == 2 { cycles[0] } else { 0.0 };
                Ok((cycles[cycles.len() - 1] - less) / self.figure.per)
            }
        }
    }

    /// llvm-mca's answer, in the figure's unit; it is asked for loops alone.
    fn mca(&self, cpu: &Cpu) -> Result<f64, String> {
        let Code::Loop(measured, over) = &self.code else {
            return Err("a whole program, not a loop".to_owned());
        };
        let of = |one: &Assembled| {
            let instructions = one.instructions().map_err(|error| error.to_string())?;
            mca(cpu, one.arch, &instructions)
        };
        Ok(of(measured)? / over.as_ref().map_or(Ok(self.figure.per), of)?)
    }
}

/// A block of instructions, and how often it runs in an iteration or a call.
type Weighted = (Vec<Instruction>, f64);

impl Assembled {
    fn weighted(&self) -> Result<(Arch, Vec<Weighted>), PredictError> {
        Ok((self.arch, vec![(self.instructions()?, 1.0)]))
    }
}

impl Recorded {
    /// Bytes that no instruction is found in count for nothing: a bound stays a bound.
    fn weighted(&self) -> Result<(Arch, Vec<Weighted>), PredictError> {
        let failed = |error: trace::Error| SourceError::from(error);
        let mut reader = trace::Reader::open(&self.trace).map_err(failed)?;
        let arch = reader.header().arch;
        let mut decoder = Decoder::new(arch).map_err(SourceError::from)?;
        let executions = reader.executions().map_err(failed)?;
        let mark = reader.header().marks().first().map(|mark| mark.address);
        let begins = |block: &trace::Block| block.iter().any(|(address, _)| Some(address) == mark);
        let entries = reader.blocks().iter().zip(&executions).filter(|(block, _)| begins(block));
        let calls = entries.map(|(_, times)| *times).sum::<u64>().max(1) as f64;
        let blocks = reader.blocks().iter().zip(executions).map(|(block, times)| {
            let found = block.iter().filter_map(|(address, bytes)| decoder.decode(bytes, address).ok());
            (found.collect(), times as f64 / calls)
        });
        Ok((arch, blocks.collect()))
    }
}

/// Instructions over dispatch width, or operations over the pipes they can take, whichever is more.
fn trivial_bound(cpu: &Cpu, arch: Arch, blocks: &[Weighted]) -> Result<f64, PredictError> {
    let description = Description::new(cpu)?;
    let decoder = Decoder::new(arch).map_err(SourceError::from)?;
    let kinds = RegisterKinds::new(&decoder);
    let mut plan = Plan::new(None, 0, Relax::default(), None);
    let (mut instructions, mut times_of_parts) = (0.0, Vec::new());
    for (block, times) in blocks {
        plan.add_block(&description, &kinds, block);
        times_of_parts.resize(plan.parts.len(), *times);
        instructions += block.len() as f64 * times;
    }
    let mut work: BTreeMap<u32, f64> = BTreeMap::new();
    for (part, times) in plan.parts.iter().zip(times_of_parts) {
        *work.entry(part.mask).or_default() += f64::from(part.busy) * times;
    }
    let mut bound = instructions / f64::from(description.dispatch.width);
    for mask in work.keys() {
        let inside: f64 = work.iter().filter(|(other, _)| *other & !mask == 0).map(|(_, busy)| busy).sum();
        bound = bound.max(inside / f64::from(mask.count_ones().max(1)));
    }
    Ok(bound)
}

fn mca(cpu: &Cpu, arch: Arch, instructions: &[Instruction]) -> Result<f64, String> {
    let name = cpu.word("llvm").ok_or("LLVM has no model of this cpu")?;
    let mut scheduling = Scheduling::new(arch, name).map_err(|error| error.to_string())?;
    scheduling.mca_cycles(instructions, 1000).map_err(|error| error.to_string())
}

/// The error of an answer to a figure in percent of it; within an imprecise figure's range there is none.
pub fn error_percent(figure: &Figure, answer: f64) -> f64 {
    match figure.range {
        Some((low, high)) if (low..=high).contains(&answer) => 0.0,
        _ => 100.0 * (answer / figure.published - 1.0),
    }
}

/// Predicts one figure on the cpu that it was measured on, and asks the others.
pub fn check(prepared: &Prepared, cpu: &Cpu) -> Result<Outcome, ValidateError> {
    let figure = prepared.figure();
    let answer = prepared.predict(cpu)?;
    let with_error = |answer: f64| (answer, error_percent(figure, answer));
    Ok(Outcome {
        figure: figure.clone(),
        answer,
        error_percent: (!figure.difference).then(|| error_percent(figure, answer.predicted)),
        trivial: if figure.difference { None } else { Some(with_error(prepared.trivial(cpu)?)) },
        mca: prepared.mca(cpu).map(with_error),
    })
}
