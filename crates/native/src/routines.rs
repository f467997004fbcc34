// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the program of whole routines prints (`routines/src/main.rs`), and the cycles of a call that several of its processes tell.

use crate::case::{Case, Category};
use crate::run::{Failure, CLOCK_DRIFT};
use crate::visit::CLOCK_NEAR;
use std::str::FromStr;

/// Processes that are timed, and those beyond if these do not agree.
pub const PROCESSES: usize = 11;
/// See `PROCESSES`.
pub const PROCESSES_MORE: usize = 12;
/// The fewest readings that tell anything.
const READINGS_MIN: usize = 5;
/// How far the middle half of the readings may lie apart, relative to the median.
const DISAGREEMENT: f64 = 0.05;

/// What one process printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Calls that were timed.
    calls: u64,
    /// Ticks of the counter meanwhile.
    ticks: f64,
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
        let read = || match words[..] {
            ["calls", calls, "ticks", ticks, "cycles_per_tick", before, after, "sum", sum] => Some(Reading {
                calls: calls.parse().ok()?,
                ticks: ticks.parse().ok()?,
                cycles_per_tick: [before.parse().ok()?, after.parse().ok()?],
                sum: u64::from_str_radix(sum, 16).ok()?,
            }),
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

    fn cycles_per_call(&self) -> f64 {
        self.ticks * self.clock() / self.calls as f64
    }

    /// Whether a prediction's steady state is of the calls that were timed: of the later half of those that ended before the last
    /// call of the trace began.
    pub fn is_of_the_half_of(&self, calls_recorded: u64) -> bool {
        calls_recorded == 2 * self.calls + 1
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

    /// Core cycles of a call: the median. A disturbance of the clock makes a core look slow, and what it runs fast, so only
    /// readings count whose clock was near the fastest.
    pub fn cycles(&self) -> Result<f64, Failure> {
        let fastest = self.kept.iter().map(Reading::clock).fold(0.0, f64::max);
        let near = self.kept.iter().filter(|reading| reading.clock() >= CLOCK_NEAR * fastest);
        let mut cycles: Vec<f64> = near.map(Reading::cycles_per_call).collect();
        if cycles.len() < READINGS_MIN {
            return Err(if self.shared > 0 { Failure::Shared } else { Failure::Disturbed });
        }
        cycles.sort_by(f64::total_cmp);
        let median = stats::median(&cycles).unwrap_or(f64::NAN);
        let half = cycles[cycles.len() * 3 / 4] - cycles[cycles.len() / 4];
        if half <= DISAGREEMENT * median {
            Ok(median)
        } else {
            Err(Failure::Disagree)
        }
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

    fn reading(ticks: u32, before: f64, after: f64) -> Reading {
        format!("calls 8 ticks {ticks} cycles_per_tick {before} {after} sum 00ff\n").parse().unwrap()
    }

    fn cycles(of: impl IntoIterator<Item = Option<Reading>>) -> Result<f64, Failure> {
        let mut readings = Readings::default();
        of.into_iter().for_each(|found| readings.take(found));
        readings.cycles()
    }

    #[test]
    fn what_the_program_prints_is_read_and_nothing_else() {
        let read = reading(8000, 1.5, 1.5);
        assert_eq!((read.cycles_per_call(), read.sum), (1500.0, 255));
        assert!(read.is_of_the_half_of(17) && !read.is_of_the_half_of(18));
        for line in
            ["", "calls 8 ticks x cycles_per_tick 1 1 sum 0", "calls 8 ticks 9 cycles_per_tick 1 sum 0"]
        {
            assert_eq!(line.parse::<Reading>(), Err(NoReading(line.to_owned())));
        }
    }

    #[test]
    fn the_median_counts_of_what_the_clock_did_not_disturb() {
        let good = [8000, 8008, 8016, 8024, 8032].map(|ticks| Some(reading(ticks, 1.0, 1.0)));
        assert_eq!(cycles(good), Ok(1002.0));
        // The clock moved in one, and was slow in another.
        let bad = [reading(80, 1.0, 1.1), reading(80, 0.9, 0.9)].map(Some);
        assert_eq!(cycles(good.into_iter().chain(bad)), Ok(1002.0));
        assert_eq!(cycles(good.into_iter().take(4)), Err(Failure::Disturbed));
        assert_eq!(cycles(good.into_iter().take(4).chain([None])), Err(Failure::Shared));
    }

    #[test]
    fn processes_that_do_not_agree_tell_nothing() {
        let of = |ticks: [u32; 8]| cycles(ticks.map(|ticks| Some(reading(ticks, 1.0, 1.0))));
        assert_eq!(of([800, 800, 800, 800, 800, 830, 830, 900]), Ok(100.0));
        assert_eq!(of([800, 800, 800, 800, 800, 880, 880, 900]), Err(Failure::Disagree));
    }
}
