// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The ratio of two medians, its interval, and the verdict that follows from it.

use crate::interval::{check_times, Interval, NoInterval, CONFIDENCE};
use crate::quantile::{median, quantile_of_sorted};
use crate::random::SplitMix64;
use std::fmt;

/// Resamples of the bootstrap. With so many, the ends of the interval vary by a few percent of its width with the seed.
pub const RESAMPLES: usize = 10_000;

/// How two sets of processes are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Process i of both variants ran in round i: whole rounds are drawn, so drift between rounds cancels.
    Rounds,
    /// The two were measured at different times or by different numbers of processes.
    Independent,
}

/// The result of comparing variant a with b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval of the ratio of times lies below 1, and the permutation test rejects chance (p of at most 0.05): a
    /// takes less time.
    Faster,
    /// The interval lies above 1, and the permutation test rejects chance: a takes more time.
    Slower,
    /// The interval contains 1, or p is above 0.05. That is not equality: more processes may show a difference.
    NoDifferenceShown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::NoDifferenceShown => "no difference shown",
        })
    }
}

/// The result of [`compare`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Median time of a over median time of b; below 1 where a is faster.
    pub ratio: f64,
    /// The 95 % interval of that ratio.
    pub interval: Interval,
    /// The verdict.
    pub verdict: Verdict,
}

/// Compares variant `a` with `b`: one time per process each, in the same unit, less is better. The same values and seed
/// give the same result on every machine.
///
/// # Errors
/// [`NoInterval`] where there can be no verdict: too few processes, values that are not times, [`Sampling::Rounds`] with
/// unequal numbers, or an interval without width.
pub fn compare(a: &[f64], b: &[f64], sampling: Sampling, seed: u64) -> Result<Comparison, NoInterval> {
    compare_with(a, b, sampling, seed, RESAMPLES)
}

/// As [`compare`], with a number of resamples: simulations of many experiments need fewer.
#[doc(hidden)]
pub fn compare_with(
    a: &[f64],
    b: &[f64],
    sampling: Sampling,
    seed: u64,
    resamples: usize,
) -> Result<Comparison, NoInterval> {
    check_times(a)?;
    check_times(b)?;
    if sampling == Sampling::Rounds && a.len() != b.len() {
        return Err(NoInterval::UnequalRounds { a: a.len(), b: b.len() });
    }
    let ratio = median(a).expect("checked above") / median(b).expect("checked above");
    let (ranked_a, ranked_b) = (Ranked::new(a), Ranked::new(b));
    let (mut drawn_a, mut drawn_b) = (vec![0u32; a.len()], vec![0u32; b.len()]);
    let mut random = SplitMix64::new(seed);
    let mut ratios: Vec<f64> = (0..resamples)
        .map(|_| {
            draw(&mut drawn_a, &mut random);
            match sampling {
                Sampling::Rounds => ranked_a.median_of(&drawn_a) / ranked_b.median_of(&drawn_a),
                Sampling::Independent => {
                    draw(&mut drawn_b, &mut random);
                    ranked_a.median_of(&drawn_a) / ranked_b.median_of(&drawn_b)
                }
            }
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let interval =
        Interval { low: quantile_of_sorted(&ratios, tail), high: quantile_of_sorted(&ratios, 1.0 - tail) };
    if interval.low >= interval.high {
        return Err(NoInterval::NoSpread);
    }
    let verdict = match verdict(interval) {
        Verdict::NoDifferenceShown => Verdict::NoDifferenceShown,
        // Fifteen processes are few for a bootstrap of medians if the values are bimodal, as on a busy machine.
        _ if chance(a, b, sampling, ratio, resamples, &mut random) > 1.0 - CONFIDENCE => {
            Verdict::NoDifferenceShown
        }
        shown => shown,
    };
    Ok(Comparison { ratio, interval, verdict })
}

/// The p-value of a permutation test: how often a random relabelling of the processes gives a ratio at least as far from 1.
/// If the variants are equal, the two times of a round are exchangeable, since the order within a round is random. That
/// holds for every distribution, whatever load the machine has.
fn chance(
    a: &[f64],
    b: &[f64],
    sampling: Sampling,
    ratio: f64,
    resamples: usize,
    random: &mut SplitMix64,
) -> f64 {
    // A relabelling with the same ratio counts, in spite of rounding.
    let seen = ratio.ln().abs() * (1.0 - 1e-9);
    let (mut x, mut y) = (a.to_vec(), b.to_vec());
    let mut as_far = 1;
    for _ in 0..resamples {
        match sampling {
            Sampling::Rounds => {
                for (x, y) in x.iter_mut().zip(&mut y) {
                    if random.below(2) == 1 {
                        std::mem::swap(x, y);
                    }
                }
            }
            Sampling::Independent => {
                let mut all: Vec<f64> = x.iter().chain(&y).copied().collect();
                for last in (1..all.len()).rev() {
                    all.swap(last, random.below(last + 1));
                }
                let (first, second) = all.split_at(x.len());
                x.copy_from_slice(first);
                y.copy_from_slice(second);
            }
        }
        let other = median(&x).expect("as many as before") / median(&y).expect("as many as before");
        as_far += usize::from(other.ln().abs() >= seen);
    }
    as_far as f64 / (resamples + 1) as f64
}

fn verdict(interval: Interval) -> Verdict {
    if interval.high < 1.0 {
        Verdict::Faster
    } else if interval.low > 1.0 {
        Verdict::Slower
    } else {
        Verdict::NoDifferenceShown
    }
}

/// Draws as many processes as there are, with replacement; stores how often each was drawn.
fn draw(times_drawn: &mut [u32], random: &mut SplitMix64) {
    times_drawn.fill(0);
    for _ in 0..times_drawn.len() {
        times_drawn[random.below(times_drawn.len())] += 1;
    }
}

/// Sorted values, each with its process, so that the median of a draw is found by counting.
struct Ranked(Vec<(f64, usize)>);

impl Ranked {
    fn new(values: &[f64]) -> Ranked {
        let mut ranked: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
        ranked.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        Ranked(ranked)
    }

    fn median_of(&self, times_drawn: &[u32]) -> f64 {
        let count = self.0.len() as u32;
        let (lower_rank, upper_rank) = ((count - 1) / 2, count / 2);
        let mut passed = 0;
        let mut lower = None;
        for &(value, process) in &self.0 {
            passed += times_drawn[process];
            if passed > lower_rank && lower.is_none() {
                lower = Some(value);
            }
            if passed > upper_rank {
                return (lower.unwrap_or(value) + value) / 2.0;
            }
        }
        unreachable!("a draw has as many values as there are processes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(centre: f64, count: usize, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        (0..count).map(|_| centre * (1.0 + 0.02 * (random.unit() - 0.5))).collect()
    }

    #[test]
    fn a_draw_by_counting_has_the_median_of_the_values_drawn() {
        let mut random = SplitMix64::new(3);
        for count in [10, 11, 15, 16] {
            let values: Vec<f64> = (0..count).map(|_| (random.unit() * 8.0).floor()).collect();
            let ranked = Ranked::new(&values);
            let mut drawn = vec![0; count];
            for _ in 0..200 {
                draw(&mut drawn, &mut random);
                let listed: Vec<f64> =
                    (0..count).flat_map(|process| vec![values[process]; drawn[process] as usize]).collect();
                assert_eq!(Some(ranked.median_of(&drawn)), median(&listed));
            }
        }
    }

    #[test]
    fn verdicts_follow_the_interval() {
        let (slow, fast) = (scattered(110.0, 15, 1), scattered(100.0, 15, 2));
        for sampling in [Sampling::Rounds, Sampling::Independent] {
            let slower = compare(&slow, &fast, sampling, 9).unwrap();
            assert_eq!(slower.verdict, Verdict::Slower);
            assert!(slower.interval.low < slower.ratio && slower.ratio < slower.interval.high);
            assert_eq!(compare(&fast, &slow, sampling, 9).unwrap().verdict, Verdict::Faster);
            let alike = compare(&fast, &scattered(100.0, 15, 3), sampling, 9).unwrap();
            assert_eq!(alike.verdict, Verdict::NoDifferenceShown);
        }
    }

    /// A busy machine: in some rounds a neighbour often takes half of the core, which slows single processes.
    #[test]
    fn what_is_the_same_is_seldom_told_to_differ_on_a_busy_machine() {
        let mut random = SplitMix64::new(11);
        let mut time = |busy: f64| {
            let slowed = if random.unit() < busy { 1.6 } else { 1.0 };
            100.0 * slowed * (1.0 + 0.01 * random.unit())
        };
        let (mut by_interval, mut told) = (0, 0);
        for trial in 0..1000_u32 {
            let busy = |round: u32| if (trial + round / 5) % 3 == 0 { 0.8 } else { 0.3 };
            let a: Vec<f64> = (0..15).map(|round| time(busy(round))).collect();
            let b: Vec<f64> = (0..15).map(|round| time(busy(round))).collect();
            let found = compare_with(&a, &b, Sampling::Rounds, 1, 1000).unwrap();
            by_interval += usize::from(verdict(found.interval) != Verdict::NoDifferenceShown);
            told += usize::from(found.verdict != Verdict::NoDifferenceShown);
        }
        assert!(told <= 50, "{told} of 1000 by chance and interval, {by_interval} by the interval alone");
        assert!(by_interval > told, "the interval alone tells {by_interval}");
    }

    #[test]
    fn swapping_the_sides_inverts_ratio_and_interval() {
        let (a, b) = (scattered(110.0, 15, 1), scattered(100.0, 15, 2));
        let (forth, back) =
            (compare(&a, &b, Sampling::Rounds, 5).unwrap(), compare(&b, &a, Sampling::Rounds, 5).unwrap());
        assert!((forth.ratio * back.ratio - 1.0).abs() < 1e-12);
        assert!((forth.interval.low * back.interval.high - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let (a, b) = (scattered(110.0, 15, 1), scattered(100.0, 15, 2));
        assert_eq!(compare(&a, &b, Sampling::Rounds, 5), compare(&a, &b, Sampling::Rounds, 5));
    }

    #[test]
    fn no_interval_is_no_verdict() {
        let good = scattered(100.0, 15, 1);
        assert_eq!(
            compare(&good, &good[..12], Sampling::Rounds, 1),
            Err(NoInterval::UnequalRounds { a: 15, b: 12 })
        );
        assert!(compare(&good, &good[..12], Sampling::Independent, 1).is_ok());
        assert_eq!(
            compare(&good, &good[..9], Sampling::Independent, 1),
            Err(NoInterval::TooFewProcesses { have: 9 })
        );
        assert_eq!(compare(&[100.0; 15], &[90.0; 15], Sampling::Rounds, 1), Err(NoInterval::NoSpread));
        assert!(matches!(
            compare(&good, &[0.0; 15], Sampling::Rounds, 1),
            Err(NoInterval::NoTime { process: 0, .. })
        ));
    }
}
