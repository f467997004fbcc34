// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What bounds a program, and how much of the answer rests on guesses.
//!
//! `explain` is causal: it takes one resource after another as unlimited and predicts again, so "3 of 4 cycles are
//! the taken branch" means that without its cost there would be one. Savings do not add up: two resources may each
//! be the bound once the other is gone, and then neither saves anything alone.
//!
//! `sensitivity` moves each guessed number of the cpu to the ends of its range. `alignments` moves the code.

use crate::core::Relax;
use crate::cpu::Cpu;
use crate::description::Description;
use crate::driver::{predict_jobs, Options, PredictError, Prediction};
use crate::plan::RegisterKinds;
use crate::source::{Chunk, Source, SourceError};
use arch::Arch;
use decode::Flow;
use std::sync::Arc;

/// Opens the program to be predicted once more.
pub type Open<'a> = dyn FnMut() -> Result<Box<dyn Source>, SourceError> + 'a;

/// Predictions made from one reading.
const JOBS: usize = 16;

/// What one resource is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The resource, as a noun phrase.
    pub resource: String,
    /// Cycles when it is unlimited or free.
    pub cycles_without: f64,
}

/// Why a program takes the cycles it takes.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Cycles per call, or of the whole run when there are no calls.
    pub cycles: f64,
    /// Whether `cycles` is per call.
    pub per_call: bool,
    /// All resources, the one that saves most first.
    pub bounds: Vec<Bound>,
    /// The prediction itself.
    pub prediction: Prediction,
}

impl Explanation {
    /// The resource whose removal saves most, if it saves at least one percent.
    pub fn bound_by(&self) -> Option<&Bound> {
        self.bounds.first().filter(|bound| bound.cycles_without < 0.99 * self.cycles)
    }

    /// One sentence.
    pub fn summary(&self) -> String {
        match self.bound_by() {
            Some(bound) => format!(
                "{:.2} of {:.2} cycles are {}; without it {:.2}",
                self.cycles - bound.cycles_without,
                self.cycles,
                bound.resource,
                bound.cycles_without
            ),
            None => format!("{:.2} cycles; no single resource saves one percent of them", self.cycles),
        }
    }
}

/// Cycles per call in the steady state, or of the whole run.
pub fn cycles_of(prediction: &Prediction) -> f64 {
    prediction.cycles_per_call.unwrap_or(prediction.cycles as f64)
}

fn relaxations(description: &Description) -> Vec<(String, Relax)> {
    let none = Relax::default();
    let mut list = vec![
        ("taken branches".to_owned(), Relax { taken_branches: true, ..none }),
        ("fetch (blocks, width, taken branches)".to_owned(), Relax { fetch: true, ..none }),
        ("branch mispredictions".to_owned(), Relax { mispredicts: true, ..none }),
        ("dispatch and completion (width, groups)".to_owned(), Relax { dispatch: true, ..none }),
        ("latency of results".to_owned(), Relax { latency: true, ..none }),
        ("window, queues and rename registers".to_owned(), Relax { window: true, ..none }),
        ("loads that hit stores".to_owned(), Relax { load_hit_store: true, ..none }),
        ("cache misses".to_owned(), Relax { caches: true, ..none }),
        ("serialising instructions".to_owned(), Relax { serialise: true, ..none }),
    ];
    let mut all = 0;
    for unit in &description.units {
        all |= unit.mask;
        list.push((format!("{} pipes", unit.name), Relax { pipes: unit.mask, ..none }));
    }
    list.push(("all pipes".to_owned(), Relax { pipes: all, ..none }));
    list
}

/// Predicts with every resource in turn taken away as a limit.
pub fn explain(open: &mut Open<'_>, cpu: &Cpu) -> Result<Explanation, PredictError> {
    let list = relaxations(&Description::new(cpu)?);
    let mut predictions = Vec::new();
    let options = std::iter::once(Relax::default()).chain(list.iter().map(|(_, relax)| *relax));
    let jobs: Vec<_> = options.map(|relax| (cpu, Options { relax, ..Options::default() })).collect();
    for batch in jobs.chunks(JOBS) {
        predictions.extend(predict_jobs(&mut *open()?, batch)?);
    }
    let prediction = predictions.remove(0);
    let cycles = cycles_of(&prediction);
    let bound = |((resource, _), relaxed): (&(String, Relax), &Prediction)| Bound {
        resource: resource.clone(),
        cycles_without: cycles_of(relaxed),
    };
    let mut bounds: Vec<Bound> = list.iter().zip(&predictions).map(bound).collect();
    bounds.sort_by(|a, b| a.cycles_without.total_cmp(&b.cycles_without));
    Ok(Explanation { cycles, per_call: prediction.cycles_per_call.is_some(), bounds, prediction })
}

/// What moving one guessed number does.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The number's key.
    pub key: String,
    /// Ends of its range.
    pub range: (f64, f64),
    /// Cycles at the low and at the high end.
    pub cycles: (f64, f64),
}

/// How a prediction depends on guesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// Cycles with all guesses as they stand.
    pub cycles: f64,
    /// All guesses that move it by more than a thousandth, the strongest first.
    pub moves: Vec<Move>,
}

impl Sensitivity {
    /// Lowest and highest cycles with one guess moved at a time.
    pub fn range(&self) -> (f64, f64) {
        let ends = self.moves.iter().flat_map(|m| [m.cycles.0, m.cycles.1]).chain([self.cycles]);
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c)))
    }

    /// Width of that range in percent of the cycles.
    pub fn spread_percent(&self) -> f64 {
        let (low, high) = self.range();
        100.0 * (high - low) / self.cycles.max(f64::MIN_POSITIVE)
    }
}

/// Moves each guessed number of the cpu to the ends of its range, one at a time.
pub fn sensitivity(open: &mut Open<'_>, cpu: &Cpu) -> Result<Sensitivity, PredictError> {
    let guesses: Vec<_> = cpu
        .guesses()
        .into_iter()
        .filter(|guess| guess.low < guess.high && guess.key != "clock.frequency")
        .collect();
    let mut changed = vec![cpu.clone()];
    for guess in &guesses {
        for value in [guess.low, guess.high] {
            changed.extend(cpu.with(&guess.key, value));
        }
    }
    let mut cycles = Vec::new();
    for batch in changed.chunks(JOBS) {
        let jobs: Vec<_> = batch.iter().map(|cpu| (cpu, Options::default())).collect();
        cycles.extend(predict_jobs(&mut *open()?, &jobs)?.iter().map(cycles_of));
    }
    let base = cycles[0];
    let moved = guesses.iter().zip(cycles[1..].chunks(2)).map(|(guess, ends)| Move {
        key: guess.key.clone(),
        range: (guess.low, guess.high),
        cycles: (ends[0], ends[1]),
    });
    let strength = |m: &Move| (m.cycles.0 - base).abs().max((m.cycles.1 - base).abs());
    let mut moves: Vec<Move> = moved.filter(|m| strength(m) > base / 1000.0).collect();
    moves.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    Ok(Sensitivity { cycles: base, moves })
}

/// Whether "A is faster than B" holds whatever the guesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
    /// The verdict is the same at both ends of every guess.
    pub survives: bool,
    /// The guesses that turn it, with the end at which they do.
    pub decided_by: Vec<(String, f64)>,
}

/// Compares two variants on one cpu, with each guess at the ends of its range in both.
pub fn verdict(a: &Sensitivity, b: &Sensitivity) -> Survival {
    let faster = a.cycles < b.cycles;
    let keys: std::collections::BTreeSet<&str> =
        a.moves.iter().chain(&b.moves).map(|m| m.key.as_str()).collect();
    let mut decided_by = Vec::new();
    for key in keys {
        let find = |s: &Sensitivity| s.moves.iter().find(|m| m.key == key).cloned();
        let (of_a, of_b) = (find(a), find(b));
        let Some(range) = of_a.as_ref().or(of_b.as_ref()).map(|m| m.range) else { continue };
        let ends = |m: Option<Move>, base: f64| m.map_or((base, base), |m| m.cycles);
        let (ca, cb) = (ends(of_a, a.cycles), ends(of_b, b.cycles));
        for (end, x, y) in [(range.0, ca.0, cb.0), (range.1, ca.1, cb.1)] {
            if (x < y) != faster {
                decided_by.push((key.to_owned(), end));
            }
        }
    }
    Survival { survives: decided_by.is_empty(), decided_by }
}

/// A source whose code stands elsewhere.
pub struct Shifted {
    inner: Box<dyn Source>,
    bytes: u64,
}

impl Shifted {
    /// The program of `inner`, its code `bytes` further on; data stays where it is.
    pub fn new(inner: Box<dyn Source>, bytes: u64) -> Shifted {
        Shifted { inner, bytes }
    }
}

impl Source for Shifted {
    fn arch(&self) -> Arch {
        self.inner.arch()
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.inner.kinds()
    }

    fn mark(&self) -> Option<u64> {
        self.inner.mark().map(|mark| mark.wrapping_add(self.bytes))
    }

    fn calls(&self) -> bool {
        self.inner.calls()
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        let more = self.inner.read(chunk)?;
        let moved = |address: u64| address.wrapping_add(self.bytes);
        for instruction in chunk.new_blocks.iter_mut().flatten() {
            instruction.address = moved(instruction.address);
            match &mut instruction.flow {
                Flow::Branch { target, .. } | Flow::Call { target: Some(target) } => *target = moved(*target),
                _ => {}
            }
        }
        for item in &mut chunk.items {
            if let crate::source::Item::Block { next, .. } = item {
                *next = moved(*next);
            }
        }
        Ok(more)
    }
}

/// Cycles with the code shifted by each multiple of the smallest instruction, up to the cpu's fetch block.
pub fn alignments(open: &mut Open<'_>, cpu: &Cpu) -> Result<Vec<(u64, f64)>, PredictError> {
    let block = cpu.value("fetch.block").unwrap_or(16.0) as u64;
    let step = if open()?.arch() == Arch::X86_64 { block.min(8) } else { 4 };
    let mut found = Vec::new();
    for bytes in (0..block.max(step)).step_by(step as usize) {
        let mut source = Shifted::new(open()?, bytes);
        let predictions = predict_jobs(&mut source, &[(cpu, Options::default())])?;
        found.extend(predictions.iter().map(|prediction| (bytes, cycles_of(prediction))));
    }
    Ok(found)
}
