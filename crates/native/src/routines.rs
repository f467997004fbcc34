// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the program of whole routines prints (`routines/src/main.rs`), and the cycles of a call that several of its processes tell.

use crate::case::{Case, Category};
use crate::run::{Failure, CLOCK_DRIFT};
use std::str::FromStr;

/// Processes that are timed, and those beyond if these do not agree.
pub const PROCESSES: usize = 11;
/// See `PROCESSES`.
pub const PROCESSES_MORE: usize = 12;
/// The fewest readings that tell anything.
const READINGS_MIN: usize = 5;
/// Of the readings of a call, the one that counts: low, since what interrupts a call only makes it slower.
const QUANTILE: f64 = 0.25;
/// The readings that must lie no further apart than `DISAGREEMENT`, relative to the one that counts, over all calls.
const BETWEEN: [f64; 2] = [0.1, 0.4];
const DISAGREEMENT: f64 = 0.05;

/// What one process printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Ticks of the counter during each call that was timed.
    ticks: Vec<f64>,
    /// Core cycles per tick before and behind them.
    cycles_per_tick: [f64; 2],
    /// A sum of all that the calls computed.
    pub sum: u64,
}

/// A line that the program does not print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no reading of a routine: '{0}'")]
pub struct NoReading(String);

impl FromStr for Reading {
    type Err = NoReading;

    fn from_str(line: &str) -> Result<Reading, NoReading> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let read = || match &words[..] {
            ["ticks", ticks @ .., "cycles_per_tick", before, after, "sum", sum] if !ticks.is_empty() => {
                Some(Reading {
                    ticks: ticks.iter().map(|ticks| ticks.parse().ok()).collect::<Option<_>>()?,
                    cycles_per_tick: [before.parse().ok()?, after.parse().ok()?],
                    sum: u64::from_str_radix(sum, 16).ok()?,
                })
            }
            _ => None,
        };
        read().ok_or_else(|| NoReading(line.to_owned()))
    }
}

impl Reading {
    fn clock(&self) -> f64 {
        (self.cycles_per_tick[0] + self.cycles_per_tick[1]) / 2.0
    }

    /// Whether the clock moved.
    fn is_disturbed(&self) -> bool {
        (self.cycles_per_tick[0] - self.cycles_per_tick[1]).abs() > CLOCK_DRIFT * self.clock()
    }

    /// Whether a prediction's steady state is of the calls that were timed: of the later half of those that ended before the last
    /// call of the trace began.
    pub fn is_of_the_half_of(&self, calls_recorded: u64) -> bool {
        calls_recorded == 2 * self.ticks.len() as u64 + 1
    }
}

/// The readings of one routine.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    kept: Vec<Reading>,
    /// Readings dropped because the clock moved.
    pub disturbed: u64,
    shared: usize,
}

impl Readings {
    /// Takes what a process printed, or that its core was shared.
    pub fn take(&mut self, found: Option<Reading>) {
        match found {
            None => self.shared += 1,
            Some(reading) if reading.is_disturbed() => self.disturbed += 1,
            Some(reading) => self.kept.push(reading),
        }
    }

    /// Readings taken on a core that was not shared.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.disturbed
    }

    /// The sum of what the calls computed.
    pub fn sum(&self) -> Option<u64> {
        self.kept.first().map(|reading| reading.sum)
    }

    /// Core cycles of a call: the mean over the calls, of each of which the lower quartile over the processes counts. So a host that
    /// takes its core away once in a process, from one call here and from another there, is not seen; and the clock may be another
    /// one in each process, if it does not move within one.
    pub fn cycles(&self) -> Result<f64, Failure> {
        if self.kept.len() < READINGS_MIN {
            return Err(if self.shared > 0 { Failure::Shared } else { Failure::Disturbed });
        }
        let [low, cycles, high] = [BETWEEN[0], QUANTILE, BETWEEN[1]].map(|share| self.mean_at(share));
        if high - low <= DISAGREEMENT * cycles {
            Ok(cycles)
        } else {
            Err(Failure::Disagree)
        }
    }

    /// The mean over the calls of what a share of the readings of a call is below.
    fn mean_at(&self, share: f64) -> f64 {
        let calls = self.kept[0].ticks.len();
        let of_call = |call: usize| {
            let cycles = |reading: &Reading| Some(reading.ticks.get(call)? * reading.clock());
            let mut cycles: Vec<f64> = self.kept.iter().filter_map(cycles).collect();
            cycles.sort_by(f64::total_cmp);
            cycles[(cycles.len() as f64 * share) as usize]
        };
        (0..calls).map(of_call).sum::<f64>() / calls as f64
    }
}

/// A routine in the place of a loop.
pub fn case(name: &str) -> Case {
    Case {
        name: name.to_owned(),
        category: Category::Routine,
        functions: String::new(),
        setup: String::new(),
        body: String::new(),
        counter: "",
        offset: 0,
        held_out: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two calls.
    fn reading(ticks: [u32; 2], before: f64, after: f64) -> Reading {
        format!("ticks {} {} cycles_per_tick {before} {after} sum 00ff\n", ticks[0], ticks[1])
            .parse()
            .unwrap()
    }

    fn cycles(of: impl IntoIterator<Item = Option<Reading>>) -> Result<f64, Failure> {
        let mut readings = Readings::default();
        of.into_iter().for_each(|found| readings.take(found));
        readings.cycles()
    }

    #[test]
    fn what_the_program_prints_is_read_and_nothing_else() {
        let read = reading([8000, 8100], 1.5, 1.5);
        assert_eq!((&read.ticks[..], read.sum), (&[8000.0, 8100.0][..], 255));
        assert!(read.is_of_the_half_of(5) && !read.is_of_the_half_of(6));
        for line in [
            "",
            "ticks x cycles_per_tick 1 1 sum 0",
            "ticks 9 cycles_per_tick 1 sum 0",
            "ticks cycles_per_tick 1 1 sum 0",
        ] {
            assert_eq!(line.parse::<Reading>(), Err(NoReading(line.to_owned())));
        }
    }

    #[test]
    fn clocks_may_differ_between_processes_but_not_move_within_one() {
        let good = [1.0, 1.25, 1.25, 1.0, 1.25]
            .map(|clock: f64| Some(reading([(1000.0 / clock) as u32; 2], clock, clock)));
        assert_eq!(cycles(good.clone()), Ok(1000.0));
        let moved = Some(reading([80, 80], 1.0, 1.1));
        assert_eq!(cycles(good.clone().into_iter().chain([moved])), Ok(1000.0));
        assert_eq!(cycles(good.clone().into_iter().take(4)), Err(Failure::Disturbed));
        assert_eq!(cycles(good.into_iter().take(4).chain([None])), Err(Failure::Shared));
    }

    #[test]
    fn what_interrupts_each_process_once_does_not_count() {
        let of = |interrupted: usize| {
            let mut ticks = [1000, 3000];
            ticks[interrupted] += 6000;
            Some(reading(ticks, 1.0, 1.0))
        };
        assert_eq!(cycles([0, 1, 0, 1, 0, 1].map(of)), Ok(2000.0));
        // A call that it always hits is as slow as it was.
        assert_eq!(cycles([0; 6].map(of)), Ok(5000.0));
    }

    #[test]
    fn processes_that_do_not_agree_tell_nothing() {
        let of = |ticks: [u32; 8]| cycles(ticks.map(|ticks| Some(reading([ticks, 100], 1.0, 1.0))));
        assert_eq!(of([800, 800, 800, 830, 900, 900, 900, 900]), Ok(450.0));
        assert_eq!(of([800, 800, 860, 880, 900, 900, 900, 900]), Err(Failure::Disagree));
    }
}
