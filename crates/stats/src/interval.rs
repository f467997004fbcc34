// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The interval of one median, and the reasons why there may be none.

use crate::quantile::median;
use thiserror::Error;

/// The fewest processes for which the intervals have their stated coverage; with fewer there is none. See the crate's
/// documentation.
pub const PROCESSES_MIN: usize = 10;

/// A 95 % interval, ends included; `low < high`. In the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Why there is no interval, and so no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum NoInterval {
    /// Fewer processes than the method needs.
    #[error("a 95 % interval needs {PROCESSES_MIN} processes or more, not {have}")]
    TooFewProcesses {
        /// Number of processes.
        have: usize,
    },
    /// A value that cannot be a time: zero, negative, infinite or not a number.
    #[error("process {process} gave {value}, which is no time: a broken clock or an empty loop")]
    NoTime {
        /// Index of the process, from 0.
        process: usize,
        /// Its value.
        value: f64,
    },
    /// The variants have different numbers of processes, so these do not form rounds.
    #[error(
        "{a} processes of one variant and {b} of the other are no rounds: they were not measured together"
    )]
    UnequalRounds {
        /// Processes of the first variant.
        a: usize,
        /// Processes of the second.
        b: usize,
    },
    /// The values are so alike that the interval has no width.
    #[error("the processes gave the same time again and again: the clock is too coarse, so measure more iterations a sample")]
    NoSpread,
}

/// The 95 % interval of the median over processes; `times` has one time per process, in any unit.
///
/// # Errors
/// [`NoInterval`] for too few values, for values that are not times, and where the interval would have no width.
pub fn median_interval(times: &[f64]) -> Result<Interval, NoInterval> {
    check_times(times)?;
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (rank, weight) = order_statistics(sorted.len());
    let top = sorted.len() - 1;
    let inward = |outer: f64, inner: f64| outer + weight * (inner - outer);
    let low = inward(sorted[rank], sorted[rank + 1]);
    let high = inward(sorted[top - rank], sorted[top - rank - 1]);
    if low < high {
        Ok(Interval { low, high })
    } else {
        Err(NoInterval::NoSpread)
    }
}

/// The order statistic (counted from 0) at which the interval starts, and the weight of the next one inward.
///
/// The values at ranks k and n-1-k hold the median with probability 1 - 2 P(B <= k), B binomial with n and 1/2. The
/// interval of exactly 95 % lies between two such pairs; the weight is Hettmansperger and Sheather's.
fn order_statistics(count: usize) -> (usize, f64) {
    let n = count as f64;
    // In logarithms, since (1/2)^n underflows a double for n above 1074.
    let mut log_term = n * 0.5f64.ln();
    let mut cumulated = log_term.exp();
    let mut rank = 0;
    let mut confidence = 1.0 - 2.0 * cumulated;
    loop {
        log_term += ((n - rank as f64) / (rank as f64 + 1.0)).ln();
        cumulated += log_term.exp();
        let next = 1.0 - 2.0 * cumulated;
        if next < CONFIDENCE {
            let share = (confidence - CONFIDENCE) / (confidence - next);
            let outside = rank as f64 + 1.0;
            return (rank, (n - outside) * share / (outside + (n - 2.0 * outside) * share));
        }
        confidence = next;
        rank += 1;
    }
}

/// The share of experiments in which an interval is to hold the truth.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Refuses values that have no interval.
pub(crate) fn check_times(times: &[f64]) -> Result<(), NoInterval> {
    if let Some((process, &value)) =
        times.iter().enumerate().find(|(_, time)| !(time.is_finite() && **time > 0.0))
    {
        return Err(NoInterval::NoTime { process, value });
    }
    if times.len() < PROCESSES_MIN {
        return Err(NoInterval::TooFewProcesses { have: times.len() });
    }
    debug_assert!(median(times).is_some());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_values_take_the_second_to_the_third() {
        // P(B <= 1) = 11/1024 and P(B <= 2) = 56/1024: ranks 1 and 8 hold 97.85 %, ranks 2 and 7 hold 89.06 %.
        let (rank, weight) = order_statistics(10);
        assert_eq!(rank, 1);
        let share = (0.978_515_625 - 0.95) / (0.978_515_625 - 0.890_625);
        assert!((weight - 8.0 * share / (2.0 + 6.0 * share)).abs() < 1e-12);
        let times: Vec<f64> = (1..=10).map(f64::from).collect();
        let interval = median_interval(&times).unwrap();
        assert!(
            (interval.low - (2.0 + weight)).abs() < 1e-12 && (interval.high - (9.0 - weight)).abs() < 1e-12
        );
    }

    #[test]
    fn every_count_has_order_statistics_around_the_middle() {
        for count in PROCESSES_MIN..2_000 {
            let (rank, weight) = order_statistics(count);
            assert!(rank < (count - 1) / 2 && (0.0..=1.0).contains(&weight), "{count}: {rank} {weight}");
        }
    }

    #[test]
    fn what_is_no_time_is_named() {
        let mut times = vec![5.0; 12];
        assert_eq!(median_interval(&times), Err(NoInterval::NoSpread));
        assert_eq!(median_interval(&times[..3]), Err(NoInterval::TooFewProcesses { have: 3 }));
        for bad in [0.0, -1.0, f64::INFINITY] {
            times[7] = bad;
            assert_eq!(median_interval(&times), Err(NoInterval::NoTime { process: 7, value: bad }));
        }
        times[7] = f64::NAN;
        assert!(matches!(median_interval(&times), Err(NoInterval::NoTime { process: 7, .. })));
    }
}
