// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cycles of calls: of the first, of those in the steady state, and whether that state is reached.

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
    pub(crate) last: Option<u64>,
    pub(crate) count: u64,
    pub(crate) cold: Option<f64>,
    durations: Vec<f64>,
    next: usize,
}

impl Calls {
    pub(crate) fn pass(&mut self, cycle: u64) {
        if let Some(last) = self.last {
            let duration = (cycle - last.min(cycle)) as f64;
            if self.cold.is_none() {
                self.cold = Some(duration);
            }
            if self.durations.len() < DURATIONS {
                self.durations.push(duration);
            } else {
                self.durations[self.next] = duration;
                self.next = (self.next + 1) % DURATIONS;
            }
        }
        self.last = Some(cycle);
        self.count += 1;
    }

    /// Leaps over `calls` calls that took `cycles` in all: the next one follows the last of them.
    pub(crate) fn skip(&mut self, calls: u64, cycles: u64) {
        if calls > 0 {
            self.count += calls;
            self.last = self.last.map(|last| last + cycles);
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

    /// Mean of the later half of the calls remembered, without the first call, which is cold.
    pub(crate) fn steady(&self) -> Option<f64> {
        let (older, newer) = self.durations.split_at(self.next);
        let ordered: Vec<f64> = newer.iter().chain(older).copied().collect();
        let later = &ordered[(ordered.len() / 2).max(1).min(ordered.len())..];
        (!later.is_empty()).then(|| later.iter().sum::<f64>() / later.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_call_is_none_of_the_steady_state() {
        let mut calls = Calls::default();
        let mut steady = Vec::new();
        for cycle in [0, 900, 1000, 1100, 1300] {
            calls.pass(cycle);
            steady.push(calls.steady());
        }
        assert_eq!(steady, [None, None, Some(100.0), Some(100.0), Some(150.0)]);
    }
}
