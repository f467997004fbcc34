// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cycles of calls: of the first, of those in the steady state, and whether that state is reached.
//!
//! The first call finds the caches cold, and short calls behind it run while it waits: three calls of strlen take 130 cycles and
//! then 10 and 10, but 25 each once forty have been made. So none counts that ends before as many instructions as are ever in
//! flight have followed the first.

use crate::moment::Moment;

/// Calls remembered.
const DURATIONS: usize = 1024;
/// Calls that have to take the same time before they count as settled, in groups whose sums are compared.
const SETTLED_CALLS: usize = 16;
/// After fewer simulated instructions a branch predictor has not yet learned the patterns that repeat.
const SETTLED_INSTRUCTIONS: u64 = 50_000;
/// The most by which groups of settled calls differ, as a fraction.
const SETTLED_WITHIN: f64 = 5e-4;

/// Calls, by the cycles at which the mark was passed.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) last: Option<Moment>,
    pub(crate) count: u64,
    pub(crate) cold: Option<f64>,
    /// Instructions executed when the first call has left the core.
    cold_leaves: u64,
    /// Of those that count.
    durations: Vec<f64>,
    next: usize,
}

impl Calls {
    /// A call begins, and with it ends the one before. `in_flight`: instructions that are in the core at most.
    pub(crate) fn pass(&mut self, now: Moment, in_flight: u64) {
        if let Some(last) = self.last {
            let duration = now.cycle.saturating_sub(last.cycle) as f64;
            if self.cold.is_none() {
                self.cold = Some(duration);
                self.cold_leaves = now.instructions + in_flight;
            } else if now.instructions >= self.cold_leaves {
                self.remember(duration);
            }
        }
        self.last = Some(now);
        self.count += 1;
    }

    fn remember(&mut self, duration: f64) {
        if self.durations.len() < DURATIONS {
            self.durations.push(duration);
        } else {
            self.durations[self.next] = duration;
            self.next = (self.next + 1) % DURATIONS;
        }
    }

    /// Leaps over `calls` calls that took `took` in all: the next one follows the last of them.
    pub(crate) fn skip(&mut self, calls: u64, took: Moment) {
        if let (1.., Some(last)) = (calls, &mut self.last) {
            self.count += calls;
            last.cycle += took.cycle;
            last.instructions += took.instructions;
        }
    }

    /// Whether the last calls took the same, group by group, with as many others before them and so many instructions executed in all.
    pub(crate) fn settled(&self, instructions: u64) -> bool {
        let calls = &self.durations[..];
        if instructions < SETTLED_INSTRUCTIONS {
            return false;
        }
        if calls.len() < 2 * SETTLED_CALLS || calls.len() == DURATIONS {
            return false;
        }
        let last = &calls[calls.len() - SETTLED_CALLS..];
        let sums = last.chunks(SETTLED_CALLS / 4).map(|group| group.iter().sum::<f64>());
        let (low, high) =
            sums.fold((f64::INFINITY, 0.0f64), |(low, high), sum| (low.min(sum), high.max(sum)));
        high - low <= high * SETTLED_WITHIN
    }

    /// Mean of the later half of the calls that count.
    pub(crate) fn steady(&self) -> Option<f64> {
        let (older, newer) = self.durations.split_at(self.next);
        let ordered: Vec<f64> = newer.iter().chain(older).copied().collect();
        let later = &ordered[ordered.len() / 2..];
        (!later.is_empty()).then(|| later.iter().sum::<f64>() / later.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of `length` instructions that begin in these cycles.
    fn steady(length: u64, cycles: &[u64]) -> Vec<Option<f64>> {
        let mut calls = Calls::default();
        let pass = |(number, &cycle): (usize, &u64)| {
            calls.pass(Moment { cycle, instructions: number as u64 * length }, 500);
            calls.steady()
        };
        cycles.iter().enumerate().map(pass).collect()
    }

    #[test]
    fn the_first_call_is_none_of_the_steady_state() {
        let means = [None, None, Some(100.0), Some(100.0), Some(150.0)];
        assert_eq!(steady(1000, &[0, 900, 1000, 1100, 1300]), means);
    }

    #[test]
    fn calls_that_run_while_the_first_waits_are_none_either() {
        assert_eq!(steady(200, &[0, 900, 910, 920, 970]), [None, None, None, None, Some(50.0)]);
    }
}
