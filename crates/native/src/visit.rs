// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One visit to a loop on the clock, and whether the core was its own meanwhile.
//!
//! On a rented machine the other thread of the core may belong to somebody else. Nothing tells: the clock of the core is the
//! same, and so is a chain of dependent instructions, since a core seldom has work for all of its pipes. But what
//! needs the whole width takes up to twice as long, for as long as the other one runs, and looks like a wrong description. So
//! a loop that needs all of the width and nothing else is looked at between the others.

use crate::case::{Case, Category, Program};
use crate::run::{sample, Sample};

/// The quantile of the samples that is believed: what else runs on the core only makes a loop slower.
const QUANTILE: f64 = 0.08;
/// The quantile of the clocks of a visit that is taken for the core's, and the least part of it that a sample has.
const CLOCK_QUANTILE: f64 = 0.9;
const CLOCK_NEAR: f64 = 0.985;
/// By how much the control loop may be slower than its width allows. Between 1.13, what idioms of zero took on a Zen 3 (its cpu file, dispatch.width), and
/// 1.3, what other loops of that kind took beside somebody else.
pub const SHARE_MAX: f64 = 1.17;

/// What a visit found.
pub(crate) struct Found {
    /// Cycles of a turn, if any sample can be believed.
    pub cycles: Option<f64>,
    /// Samples taken, and of them dropped because the clock moved.
    pub samples: u64,
    /// See `samples`.
    pub disturbed: u64,
}

/// Runs that many turns and a quarter of them, many times; `None` if it does not run.
pub(crate) fn visit(program: &Program, turns: u64, filled: bool) -> Option<Found> {
    let short = turns / 4;
    let visit = sample(program, short, turns, filled).ok()?;
    let cycles = slope(&visit.samples).map(|cycles| cycles / (turns - short) as f64);
    let samples = visit.samples.len() as u64 + visit.disturbed;
    Some(Found { cycles, samples, disturbed: visit.disturbed })
}

/// Cycles by which a long run takes longer than a short one. What disturbs the clock's chain on its way makes the core look
/// slower than it is, and the loop too fast: only samples count whose clock was near the fastest that was seen.
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

/// The control loop: eleven registers set to zero, in one line with the branch, which every described core takes out of its cache
/// of decoded operations, renames at its full width and gives no pipe. Nops would do, but that Zen 4 renames two as one.
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

/// Looks at the control loop.
pub(crate) struct Control {
    program: Program,
    turns: u64,
    expected_cycles: f64,
    /// Cycles by expected ones, of each look.
    shares: Vec<f64>,
}

impl Control {
    pub(crate) fn new(program: Program, turns: u64, expected_cycles: f64) -> Control {
        Control { program, turns, expected_cycles, shares: Vec::new() }
    }

    /// Whether the core gives its width now.
    pub(crate) fn is_alone(&mut self) -> bool {
        let found = visit(&self.program, self.turns, false).and_then(|found| found.cycles);
        let share = found.map_or(f64::INFINITY, |cycles| cycles / self.expected_cycles);
        self.shares.push(share);
        share <= SHARE_MAX
    }

    /// Cycles by expected ones: of the best look, and of the middle one.
    pub(crate) fn share(&mut self) -> Option<[f64; 2]> {
        self.shares.sort_by(f64::total_cmp);
        Some([*self.shares.first()?, self.shares[self.shares.len() / 2]])
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
