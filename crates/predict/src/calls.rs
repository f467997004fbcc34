// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cycles of calls: of the first, of those in the steady state, and whether that state is reached.
//!
//! The first call finds the caches cold, and short calls behind it run while it waits, so that they complete right behind it, at a
//! pace that does not last. So calls that end before as many instructions as a window holds have followed the first count only
//! where there are no others, and many. In order, none runs while it waits.

use crate::moment::Moment;

/// Instructions behind the first call that may run out of order while it waits: the largest window of the cores described. One
/// for all of them, so that what is compared is of the same calls.
const WINDOW_INSTRUCTIONS: u64 = 512;
/// Calls remembered.
const DURATIONS: usize = 1024;
/// Calls that have to take the same time before they count as settled, in groups whose sums are compared.
const SETTLED_CALLS: usize = 16;
/// After fewer simulated instructions a branch predictor has not yet learned the patterns that repeat.
const SETTLED_INSTRUCTIONS: u64 = 50_000;
/// The most by which groups of settled calls differ, as a fraction.
const SETTLED_WITHIN: f64 = 5e-4;

/// Calls, by the cycles at which all before the mark had completed.
#[derive(Default)]
pub(crate) struct Calls {
    /// Nothing runs while a call waits.
    in_order: bool,
    pub(crate) last: Option<Moment>,
    pub(crate) count: u64,
    pub(crate) cold: Option<f64>,
    /// Instructions executed when the first call has left any window.
    cold_leaves: u64,
    /// Calls that ended before, but for the first.
    beside_cold: usize,
    durations: Vec<f64>,
    next: usize,
}

impl Calls {
    pub(crate) fn new(in_order: bool) -> Calls {
        Calls { in_order, ..Calls::default() }
    }

    /// A call begins, and with it ends the one before.
    pub(crate) fn pass(&mut self, now: Moment) {
        if let Some(last) = self.last {
            let duration = now.cycle.saturating_sub(last.cycle) as f64;
            if self.cold.is_none() {
                self.cold = Some(duration);
                self.cold_leaves = now.instructions + if self.in_order { 0 } else { WINDOW_INSTRUCTIONS };
            } else if now.instructions < self.cold_leaves {
                self.beside_cold += 1;
            }
            self.remember(duration);
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

    /// Leaps over `calls` calls that took `took` in all: the next one follows the last of them. They are remembered like others,
    /// or the mean would be of the calls before, in which queues may still have filled.
    pub(crate) fn skip(&mut self, calls: u64, took: Moment) {
        if let (1.., Some(last)) = (calls, &mut self.last) {
            self.count += calls;
            last.cycle += took.cycle;
            last.instructions += took.instructions;
            let each = took.cycle as f64 / calls as f64;
            (0..calls.min(DURATIONS as u64)).for_each(|_| self.remember(each));
        }
    }

    /// Whether the last calls took the same, group by group, with as many others before them and so many instructions executed in all.
    pub(crate) fn settled(&self, instructions: u64) -> bool {
        let calls = self.durations.len();
        if instructions < SETTLED_INSTRUCTIONS || calls < 2 * SETTLED_CALLS {
            return false;
        }
        let last = |back: usize| self.durations[(self.next + calls - back) % calls];
        let group = |first: usize| (first..first + SETTLED_CALLS / 4).map(last).sum::<f64>();
        let sums = (1..=SETTLED_CALLS).step_by(SETTLED_CALLS / 4).map(group);
        let (low, high) =
            sums.fold((f64::INFINITY, 0.0f64), |(low, high), sum| (low.min(sum), high.max(sum)));
        high - low <= high * SETTLED_WITHIN
    }

    /// Mean of the later half of the calls remembered, without the first call, which is cold, and those that ran beside it. If
    /// there are no others, the mean of these if they are many.
    pub(crate) fn steady(&self) -> Option<f64> {
        let (older, newer) = self.durations.split_at(self.next);
        let ordered: Vec<f64> = newer.iter().chain(older).copied().collect();
        let half = ordered.len() / 2;
        let from = match half.max(1 + self.beside_cold) {
            from if from < ordered.len() => from,
            _ if ordered.len() > SETTLED_CALLS => half,
            _ => return None,
        };
        let later = &ordered[from..];
        Some(later.iter().sum::<f64>() / later.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of `length` instructions that begin in these cycles.
    fn steady(length: u64, cycles: &[u64]) -> Vec<Option<f64>> {
        steady_of(Calls::default(), length, cycles)
    }

    fn steady_of(mut calls: Calls, length: u64, cycles: &[u64]) -> Vec<Option<f64>> {
        let pass = |(number, &cycle): (usize, &u64)| {
            calls.pass(Moment { cycle, instructions: number as u64 * length });
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

    #[test]
    fn in_order_no_call_runs_while_another_waits() {
        let means = steady_of(Calls::new(true), 20, &[0, 900, 1000, 1100]);
        assert_eq!(means, [None, None, Some(100.0), Some(100.0)]);
    }

    /// Fifty calls while a queue fills, and what is skipped of those that follow.
    fn filling(skipped: u64) -> Calls {
        let mut calls = Calls::default();
        (0..=50).for_each(|call| calls.pass(Moment { cycle: 90 * call, instructions: 1000 * call }));
        calls.skip(skipped, Moment { cycle: 100 * skipped, instructions: 1000 * skipped });
        calls
    }

    #[test]
    fn calls_that_are_skipped_are_of_the_steady_state_too() {
        assert_eq!(filling(0).steady(), Some(90.0));
        // Those of as many as are remembered, and those of fewer.
        for skipped in [150, 2000] {
            assert_eq!(filling(skipped).steady(), Some(100.0), "{skipped}");
        }
    }

    #[test]
    fn calls_have_settled_when_the_last_sixteen_take_the_same_however_many_there_were() {
        for skipped in [16, 2000] {
            let mut calls = filling(skipped);
            assert!(calls.settled(50_000), "{skipped}");
            let last = calls.last.unwrap();
            calls.pass(Moment { cycle: last.cycle + 101, instructions: last.instructions });
            assert!(!calls.settled(50_000), "{skipped}");
        }
    }

    #[test]
    fn many_calls_that_are_all_so_short_tell_it_all_the_same() {
        let cycles: Vec<u64> = (0..20).map(|call| if call == 0 { 0 } else { 900 + 7 * call }).collect();
        let means = steady(5, &cycles);
        assert_eq!((means[16], means[17]), (None, Some(7.0)));
    }
}
