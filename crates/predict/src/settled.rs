// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! When a loop has settled, so that its further iterations take as long as the last ones.
//!
//! Iterations are timed in windows. Windows of equal cycles give the pace, if they execute at least twice as much as can be
//! in flight: after a miss, instructions that had waited complete in a row, at a pace that lasts no longer than that. Where
//! iterations are never alike, the mean of many windows is the pace. A pace at which more and more work is left over (stores
//! that come faster than the caches take them, divisions that come faster than their pipe while something slower holds up
//! completion) does not count: it lasts only until a queue is full.

use crate::core::Backlog;

/// Windows that have to agree at the least.
const WINDOWS_MIN: u64 = 4;
/// Iterations of a window at the least.
const ITERATIONS_MIN: u64 = 16;
/// One part in so many is how far windows that agree may differ, and how far the pace may be off.
const EXACT: u64 = 5000;
/// The same for the mean of windows that do not agree, of which there have to be so many.
const MEAN_EXACT: f64 = 1000.0;
const MEAN_WINDOWS: u64 = 64;
/// So many windows are enough if they are long and the error of their mean is a quarter of that: of a long body even the fewest
/// iterations take many cycles, and on sliced cores hardly ever the same.
const STEADY_WINDOWS: u64 = 12;
const STEADY_CYCLES: u64 = 200_000;
/// One cycle in so many is how much more or less of a pipe may be reserved behind the windows than before them. It is how far
/// off the pace may be, since no pipe has more than one operation a cycle.
const PIPES_EXACT: u64 = 1000;
/// The fewest cycles of the windows that agree: four windows of 19 cycles may be of a loop that takes 19.3.
const CYCLES_MIN: u64 = 1000;
/// How often a window is doubled where none agree.
const DOUBLED_MAX: u32 = 4;

/// What is known of a loop's pace.
pub(crate) struct Settled {
    /// Iterations of a window.
    pub(crate) window: u64,
    /// Iterations that the windows that agree have to have at the least.
    least: u64,
    doubled: u32,
    /// Windows since the last that agreed or was doubled.
    tried: u64,
    /// Windows that agree, and all that missed as often.
    alike: Windows,
    all: Windows,
    misses: u64,
}

/// Windows in a row.
#[derive(Clone, Copy, Default)]
struct Windows {
    count: u64,
    sum: u64,
    squares: f64,
    low: u64,
    high: u64,
    /// Work left over behind the first one.
    backlog: Backlog,
}

impl Windows {
    fn first(cycles: u64, backlog: Backlog) -> Windows {
        Windows {
            count: 1,
            sum: cycles,
            squares: (cycles as f64).powi(2),
            low: cycles,
            high: cycles,
            backlog,
        }
    }

    fn with(self, cycles: u64) -> Windows {
        Windows {
            count: self.count + 1,
            sum: self.sum + cycles,
            squares: self.squares + (cycles as f64).powi(2),
            low: self.low.min(cycles),
            high: self.high.max(cycles),
            backlog: self.backlog,
        }
    }

    fn agree(&self) -> bool {
        (self.high - self.low) * EXACT <= self.high
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        let (count, mean) = (self.count as f64, self.mean());
        let variance = (self.squares / count - mean * mean).max(0.0);
        (variance / count).sqrt()
    }

    /// Whether the mean is known well.
    fn mean_is_known(&self) -> bool {
        let is_steady = self.count >= STEADY_WINDOWS && self.sum >= STEADY_CYCLES;
        self.count >= MEAN_WINDOWS && self.error() * MEAN_EXACT <= self.mean()
            || is_steady && self.error() * 4.0 * MEAN_EXACT <= self.mean()
    }

    /// Whether the work left over has stayed the same over the windows, behind which it is `backlog`.
    fn keep_up(&self, backlog: &Backlog) -> bool {
        let changes = backlog.pipes.iter().zip(self.backlog.pipes).map(|(now, before)| now.abs_diff(before));
        let change = u64::from(changes.max().unwrap_or(0));
        backlog.memory.saturating_sub(self.backlog.memory) * EXACT <= self.sum
            && change * PIPES_EXACT <= self.sum
    }
}

impl Settled {
    /// Of a loop whose accesses move by such steps over lines of so many bytes; the windows that agree have to have so
    /// many iterations at the least.
    pub(crate) fn new(steps: &[i64], line: u64, least: u64) -> Settled {
        Settled {
            window: window_of(steps, line),
            least,
            doubled: 0,
            tried: 0,
            alike: Windows::default(),
            all: Windows::default(),
            misses: 0,
        }
    }

    fn patience(&self) -> u64 {
        self.least.div_ceil(self.window).max(WINDOWS_MIN)
    }

    fn agreed(&self) -> bool {
        self.alike.count >= self.patience() && self.alike.sum >= CYCLES_MIN
    }

    /// Whether the next window may be the one that settles it.
    pub(crate) fn is_close(&self) -> bool {
        let all = &self.all;
        let may_be_steady = all.count + 1 >= STEADY_WINDOWS && all.sum + all.high >= STEADY_CYCLES;
        self.alike.count + 1 >= self.patience() || all.count + 1 >= MEAN_WINDOWS || may_be_steady
    }

    /// A window that took so long, missed so often and left so much work over.
    pub(crate) fn add(&mut self, cycles: u64, misses: u64, backlog: Backlog) {
        let continues = self.all.count > 0 && misses == self.misses;
        self.misses = misses;
        let first = Windows::first(cycles, backlog);
        self.all = if continues { self.all.with(cycles) } else { first };
        let longer = self.alike.with(cycles);
        self.alike = if continues && self.alike.count > 0 && longer.agree() { longer } else { first };
        self.tried = if self.agreed() { 0 } else { self.tried + 1 };
    }

    /// Whether a window that missed so often is like those before it.
    pub(crate) fn misses_as_before(&self, misses: u64) -> bool {
        self.misses == misses
    }

    /// Whether the window and queues may still fill, though iterations take the same: in the first three quarters of the windows
    /// that have to agree, and of those of which the mean is taken.
    pub(crate) fn fills(&self) -> [bool; 2] {
        [4 * self.alike.count <= 3 * self.patience(), 4 * self.all.count <= 3 * MEAN_WINDOWS]
    }

    /// The cycles of a window, if that has settled, and whether they are those of the windows that agree; so much work is left
    /// over behind the last one.
    pub(crate) fn pace(&self, backlog: &Backlog) -> Option<(f64, bool)> {
        if self.agreed() {
            self.alike.keep_up(backlog).then(|| (self.alike.mean(), true))
        } else {
            let is_known = self.all.mean_is_known() && self.all.keep_up(backlog);
            is_known.then(|| (self.all.mean(), false))
        }
    }

    /// Makes windows longer if that may help: iterations of 2.3 cycles are never a whole number in a short window.
    pub(crate) fn lengthen(&mut self) {
        if self.tried >= 4 * self.patience()
            && self.alike.count < self.patience()
            && self.doubled < DOUBLED_MAX
        {
            *self = Settled {
                window: 2 * self.window,
                doubled: self.doubled + 1,
                tried: 0,
                alike: Windows::default(),
                all: Windows::default(),
                ..*self
            };
        }
    }
}

/// Iterations after which every moving access stands at the same place in its line again.
fn window_of(steps: &[i64], line: u64) -> u64 {
    let period = |step: &i64| {
        let within = step.unsigned_abs() % line;
        if within == 0 {
            1
        } else {
            line / gcd(within, line)
        }
    };
    steps.iter().map(period).max().unwrap_or(1).max(ITERATIONS_MIN)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace behind so many windows of 168 cycles, after each of which so much more of the pipes is reserved.
    fn pace_after(windows: u64, grows: u64) -> Option<(f64, bool)> {
        let mut settled = Settled::new(&[], 64, 0);
        let backlog = |window: u64| {
            let mut pipes = [500; 32];
            pipes[3] += (grows * window) as u16;
            pipes[4] -= (grows * window).min(500) as u16;
            Backlog { memory: 0, pipes }
        };
        (0..windows).for_each(|window| settled.add(168, 0, backlog(window)));
        settled.pace(&backlog(windows - 1))
    }

    /// Whether windows of these cycles, one behind the other, have a pace, and that is their mean.
    fn have_a_pace(cycles: impl Iterator<Item = u64>) -> bool {
        let cycles: Vec<u64> = cycles.collect();
        let mut settled = Settled::new(&[], 64, 0);
        let backlog = Backlog { memory: 0, pipes: [0; 32] };
        cycles.iter().for_each(|&took| settled.add(took, 0, backlog));
        let mean = cycles.iter().sum::<u64>() as f64 / cycles.len() as f64;
        settled.pace(&backlog).is_some_and(|(pace, _)| pace == mean)
    }

    #[test]
    fn a_dozen_long_windows_that_differ_little_have_settled() {
        let in_turn = |low: u64, high: u64, count: usize| [low, high].into_iter().cycle().take(count);
        assert!(have_a_pace(in_turn(43_010, 43_050, 12)));
        assert!(!have_a_pace(in_turn(43_010, 43_050, 11)), "too few");
        assert!(!have_a_pace(in_turn(43_010, 43_200, 12)), "too far from each other");
        assert!(!have_a_pace(in_turn(15_010, 15_020, 12)), "too short");
    }

    #[test]
    fn windows_of_equal_cycles_have_not_settled_while_work_piles_up_in_front_of_a_pipe() {
        assert_eq!(pace_after(7, 0), Some((168.0, true)));
        for windows in [7, 100, 1000] {
            assert_eq!(pace_after(windows, 24), None);
        }
    }
}
