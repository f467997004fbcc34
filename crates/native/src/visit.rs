// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A timed visit to a loop, and whether the core was shared meanwhile.
//!
//! On a rented machine, the core's other hardware thread may run another tenant's code. That does not show directly: the
//! core's clock is the same, and so is the time of a chain of dependent instructions, which leaves most pipes idle. But code
//! that needs the full width takes up to twice as long meanwhile, which looks like an error in the CPU's description. So a
//! control loop that needs the full width and nothing else is timed between the others.

use crate::case::{Case, Category, Program};
use crate::run::{sample, Runs, Sample};

/// The quantile of the samples that is used: low, since other code on the core only makes a loop slower.
const QUANTILE: f64 = 0.08;
/// The quantile of a visit's clock rates that is taken as the core's, and the smallest share of it that a sample may have.
const CLOCK_QUANTILE: f64 = 0.9;
const CLOCK_NEAR: f64 = 0.985;
/// The time that the control loop may take, relative to the core's width: between 1.13, which zero idioms took on a Zen 3
/// (its cpu file, dispatch.width), and 1.3, which loops of that kind took on a shared core.
pub const SHARE_MAX: f64 = 1.17;

/// The result of a visit.
pub(crate) struct Found {
    /// Cycles of a turn, if any sample is valid.
    pub cycles: Option<f64>,
    /// Samples taken.
    pub samples: u64,
    /// Those of them that were dropped because the clock changed.
    pub disturbed: u64,
}

/// Times runs many times; `None` if the program does not run.
pub(crate) fn visit(program: &Program, runs: Runs) -> Option<Found> {
    let visit = sample(program, runs).ok()?;
    let cycles = slope(&visit.samples).map(|cycles| cycles / (runs.long - runs.short) as f64);
    let samples = visit.samples.len() as u64 + visit.disturbed;
    Some(Found { cycles, samples, disturbed: visit.disturbed })
}

/// The difference in cycles between a long and a short run. A disturbance of the clock's chain makes the core look slower
/// than it is, and so the loop too fast: only samples whose clock was near the fastest count.
fn slope(samples: &[Sample]) -> Option<f64> {
    let quantile = |samples: &[Sample], share: f64, of: &dyn Fn(&Sample) -> f64| {
        let mut sorted: Vec<f64> = samples.iter().map(of).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get((sorted.len() as f64 * share) as usize).copied()
    };
    let fast = quantile(samples, CLOCK_QUANTILE, &|sample| sample.cycles_per_tick)?;
    let kept: Vec<Sample> =
        samples.iter().copied().filter(|sample| sample.cycles_per_tick >= CLOCK_NEAR * fast).collect();
    let low = |of: &dyn Fn(&Sample) -> f64| quantile(&kept, QUANTILE, of);
    Some(low(&|sample| sample.long_cycles)? - low(&|sample| sample.short_cycles)?)
        .filter(|slope| *slope > 0.0)
}

/// The control loop: eleven zero idioms, in one line with the branch. Every described core takes the loop from its micro-op
/// cache, renames it at full width and issues none of the idioms. Nops would do, too, except that Zen 4 renames two as one.
pub(crate) fn control() -> Case {
    Case {
        name: "control".into(),
        category: Category::Probe,
        functions: String::new(),
        setup: String::new(),
        body: ["eax", "ecx", "edx", "ebx", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d"]
            .map(|register| format!("xor {register}, {register}\n"))
            .concat(),
        counter: "rsi",
        offset: 0,
        held_out: false,
    }
}

/// What is visited between two runs of the control loop.
const BATCH: usize = 8;

/// The control loop and its runs.
pub struct Control {
    program: Program,
    turns: u64,
    expected_cycles: f64,
    /// Measured cycles over expected ones, of each run.
    shares: Vec<f64>,
}

impl Control {
    pub(crate) fn new(program: Program, turns: u64, expected_cycles: f64) -> Control {
        Control { program, turns, expected_cycles, shares: Vec::new() }
    }

    /// Visits all items, some of them between two looks at the control loop. `take` gets what the visit to an item found, or nothing
    /// if the core was shared meanwhile.
    pub fn watch<T, V>(
        &mut self,
        items: &mut [T],
        mut visit: impl FnMut(&T) -> V,
        mut take: impl FnMut(&mut T, Option<V>),
    ) {
        let mut alone = self.is_alone();
        for batch in items.chunks_mut(BATCH) {
            let found: Vec<V> = batch.iter().map(&mut visit).collect();
            let still = self.is_alone();
            for (item, found) in batch.iter_mut().zip(found) {
                take(item, (alone && still).then_some(found));
            }
            alone = still;
        }
    }

    /// Runs the control loop; whether it gets the full width, that is, the core is not shared now.
    fn is_alone(&mut self) -> bool {
        let runs = Runs { short: self.turns / 4, long: self.turns, filled: false, walks: false };
        let found = visit(&self.program, runs).and_then(|found| found.cycles);
        let share = found.map_or(f64::INFINITY, |cycles| cycles / self.expected_cycles);
        self.shares.push(share);
        share <= SHARE_MAX
    }

    /// Measured cycles over expected ones: best and median of the runs.
    pub fn share(&self) -> Option<[f64; 2]> {
        let best = self.shares.iter().copied().reduce(f64::min)?;
        Some([best, stats::median(&self.shares)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_samples_and_slower_clocks_do_not_count() {
        let sample =
            |long_cycles, cycles_per_tick| Sample { short_cycles: 100.0, long_cycles, cycles_per_tick };
        let mut samples = vec![sample(400.0, 1.5); 100];
        samples.extend(vec![sample(800.0, 1.5); 100]);
        samples.extend(vec![sample(300.0, 1.2); 100]);
        assert_eq!(slope(&samples), Some(300.0));
        assert_eq!(slope(&[]), None);
    }
}
