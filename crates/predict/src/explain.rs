// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What bounds a program, and how much of the answer rests on guesses.
//!
//! `explain` is causal: it takes one resource after another as unlimited and predicts again, so "3 of 4 cycles are
//! the taken branch" means that without the branch's cost there would be one cycle. Savings do not add up: two resources
//! may each be the bound once the other is gone, and then neither saves anything alone.
//!
//! `sensitivity` moves each guessed number of the cpu to the ends of its range. `predict_placed` moves the code
//! through a fetch block. `verdict` builds on both.

use crate::cpu::{Cpu, Guess};
use crate::description::Description;
use crate::driver::{predict_jobs, Options, PredictError, Prediction};
use crate::relax::Relax;
use crate::source::{Source, SourceError};
use arch::Arch;

/// Opens the program to be predicted once more.
pub type Open<'a> = dyn FnMut() -> Result<Box<dyn Source>, SourceError> + 'a;

/// The one resource that is a rule: how many instructions go in a cycle, which go together, and to which pipe.
pub(crate) const DISPATCH: &str = "dispatch and completion (width, groups, binding)";
/// The pace at which the first-level cache takes stores.
pub const STORES: &str = "stores into the first-level cache";

/// Predictions made from one reading.
const JOBS: usize = 16;

/// Readings of the program that `explain`, `least::Bounds::of`, `sensitivity` and `predict_placed` take for a cpu, each at most, where
/// it has been predicted for that cpu.
pub fn readings_max(arch: Arch, cpu: &Cpu, predicted: &Prediction) -> Result<[usize; 4], PredictError> {
    let resources = 1 + relaxations(&Description::new(cpu)?).len();
    let batches = |jobs: usize| jobs.div_ceil(JOBS);
    let guesses = moving_guesses(cpu, predicted).len();
    Ok([batches(resources), 2, 1 + batches(2 * guesses), 1 + batches(places(arch, cpu).len())])
}

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

pub(crate) fn relaxations(description: &Description) -> Vec<(String, Relax)> {
    let none = Relax::default();
    let mut list = vec![
        ("taken branches".to_owned(), Relax { taken_branches: true, ..none }),
        ("fetch (blocks, width, taken branches)".to_owned(), Relax { fetch: true, ..none }),
        ("branch mispredictions".to_owned(), Relax { mispredicts: true, ..none }),
        (DISPATCH.to_owned(), Relax { dispatch: true, ..none }),
        ("latency of results".to_owned(), Relax { latency: true, ..none }),
        ("window, queues and rename registers".to_owned(), Relax { window: true, ..none }),
        ("loads that hit stores".to_owned(), Relax { load_hit_store: true, ..none }),
        (STORES.to_owned(), Relax { stores: true, ..none }),
        ("cache misses and crossings".to_owned(), Relax { caches: true, ..none }),
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

/// Predicts all jobs, a batch from each reading.
pub(crate) fn predict_all(
    open: &mut Open<'_>,
    jobs: &[(&Cpu, Options)],
) -> Result<Vec<Prediction>, PredictError> {
    let mut predictions = Vec::new();
    for batch in jobs.chunks(JOBS) {
        predictions.extend(predict_jobs(&mut *open()?, batch)?);
    }
    Ok(predictions)
}

/// Predicts with every resource in turn taken away as a limit.
pub fn explain(open: &mut Open<'_>, cpu: &Cpu, base: &Options) -> Result<Explanation, PredictError> {
    let list = relaxations(&Description::new(cpu)?);
    let options = std::iter::once(Relax::default()).chain(list.iter().map(|(_, relax)| *relax));
    let jobs: Vec<_> = options.map(|relax| (cpu, Options { relax, ..base.clone() })).collect();
    let mut predictions = predict_all(open, &jobs)?;
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
    /// The guess itself.
    pub guess: f64,
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

/// Moves each guessed number of the cpu to the ends of its range, one at a time. Numbers of classes without an executed
/// instruction have no effect, and are not tried.
pub fn sensitivity(open: &mut Open<'_>, cpu: &Cpu, base: &Options) -> Result<Sensitivity, PredictError> {
    let unmoved = predict_jobs(&mut *open()?, &[(cpu, base.clone())])?.remove(0);
    let guesses = moving_guesses(cpu, &unmoved);
    let mut changed = Vec::new();
    for guess in &guesses {
        for value in [guess.low, guess.high] {
            changed.extend(cpu.with(&guess.key, value));
        }
    }
    let jobs: Vec<_> = changed.iter().map(|cpu| (cpu, base.clone())).collect();
    let cycles: Vec<f64> = predict_all(open, &jobs)?.iter().map(cycles_of).collect();
    let base = cycles_of(&unmoved);
    let moved = guesses.iter().zip(cycles.chunks(2)).map(|(guess, ends)| Move {
        key: guess.key.clone(),
        guess: guess.value,
        range: (guess.low, guess.high),
        cycles: (ends[0], ends[1]),
    });
    let strength = |m: &Move| (m.cycles.0 - base).abs().max((m.cycles.1 - base).abs());
    let mut moves: Vec<Move> = moved.filter(|m| strength(m) > base / 1000.0).collect();
    moves.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    Ok(Sensitivity { cycles: base, moves })
}

/// The guesses that can change what was predicted.
fn moving_guesses(cpu: &Cpu, predicted: &Prediction) -> Vec<Guess> {
    let can_move = |key: &str| cpu.keys_of(key).iter().any(|key| may_move(key, predicted));
    cpu.guesses().into_iter().filter(|guess| can_move(&guess.key)).collect()
}

/// Whether a number of the cpu can change what was predicted.
fn may_move(key: &str, prediction: &Prediction) -> bool {
    let class = key.strip_prefix("class.").and_then(|rest| rest.split('.').next());
    class.is_none_or(|class| prediction.classes.contains(class))
}

/// Cycles for each place of the code in a fetch block.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignments {
    /// Bytes further on than in the trace, and the cycles there; the first is the trace's own place.
    pub places: Vec<(u64, f64)>,
}

impl Alignments {
    /// Fewest and most cycles.
    pub fn range(&self) -> (f64, f64) {
        let cycles = self.places.iter().map(|(_, cycles)| *cycles);
        cycles.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c)))
    }

    /// Whether it matters where the code stands.
    pub fn matter(&self) -> bool {
        let (low, high) = self.range();
        high > low * 1.001
    }

    /// The places with the fewest cycles.
    pub fn best(&self) -> Vec<u64> {
        let (low, _) = self.range();
        self.places.iter().filter(|(_, cycles)| *cycles == low).map(|(bytes, _)| *bytes).collect()
    }
}

/// Every place in a fetch block at which an instruction may start, as a distance in bytes from its place in the trace,
/// which is an accident of our linker. Where instructions may start at any byte, every fourth byte stands for all.
pub fn places(arch: Arch, cpu: &Cpu) -> Vec<u64> {
    let block = cpu.value("fetch.block").map_or(1, |bytes| bytes as u64).next_power_of_two();
    let step = if arch == Arch::Riscv64 { 2 } else { 4 };
    (0..block.max(1)).step_by(step).collect()
}

/// Predicts on each cpu with the code at every place in its fetch block: the prediction for the trace's own place,
/// and the cycles for all.
pub fn predict_placed(
    open: &mut Open<'_>,
    cpus: &[&Cpu],
    base: &Options,
) -> Result<Vec<(Prediction, Alignments)>, PredictError> {
    let arch = open()?.arch();
    let places: Vec<Vec<u64>> = cpus.iter().map(|cpu| places(arch, cpu)).collect();
    let jobs: Vec<(&Cpu, Options)> = cpus
        .iter()
        .zip(&places)
        .flat_map(|(cpu, places)| places.iter().map(|&shift| (*cpu, Options { shift, ..base.clone() })))
        .collect();
    let mut predictions = predict_all(open, &jobs)?.into_iter();
    let mut found = Vec::new();
    for places in &places {
        let of_cpu: Vec<Prediction> = predictions.by_ref().take(places.len()).collect();
        let cycles = places.iter().copied().zip(of_cpu.iter().map(cycles_of)).collect();
        let own = of_cpu.into_iter().next().expect("every cpu has a place");
        found.push((own, Alignments { places: cycles }));
    }
    Ok(found)
}
