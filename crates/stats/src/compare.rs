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

/// The p-value of a permutation test: how often a random relabelling of the processes sets the two apart as far. If the
/// variants are equal, the two times of a round are exchangeable, but for who ran first; `lab` lets each run first in half of the
/// rounds, so that this cancels. That holds for every distribution, whatever load the machine has.
///
/// How far is told by ranks. The ratio of the medians does not tell it: of an odd number of rounds one relabelled side always
/// has most of the slower times, so where times repeat, as on a quiet machine, every relabelling gives the ratio seen or its
/// inverse, however far apart the two are.
///
/// Ranks that say the opposite of the medians are no evidence for what the medians say.
fn chance(
    a: &[f64],
    b: &[f64],
    sampling: Sampling,
    ratio: f64,
    relabellings: usize,
    random: &mut SplitMix64,
) -> f64 {
    let (apart, as_far) = match sampling {
        Sampling::Rounds => as_far_by_rounds(a, b, relabellings, random),
        Sampling::Independent => as_far_by_processes(a, b, relabellings, random),
    };
    let as_far = if apart * ratio.ln() > 0.0 { as_far } else { relabellings };
    (1 + as_far) as f64 / (1 + relabellings) as f64
}

/// The two times of a round change places: Wilcoxon's signed ranks, so that drift between rounds cancels. Their sum, above 0 if a takes
/// longer, and how many relabellings set the two as far apart.
fn as_far_by_rounds(a: &[f64], b: &[f64], relabellings: usize, random: &mut SplitMix64) -> (f64, usize) {
    // 99/100 and 100/99 are one distance, but their logarithms may differ in the last bits: the larger goes on top.
    let distances: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.max(*b) / a.min(*b)).collect();
    let signed: Vec<f64> =
        a.iter().zip(b).zip(midranks(&distances)).map(|((a, b), rank)| sign(a - b) * rank).collect();
    let apart = signed.iter().sum::<f64>();
    let flipped = |random: &mut SplitMix64| -> f64 {
        signed.iter().map(|rank| if random.below(2) == 1 { -rank } else { *rank }).sum()
    };
    (apart, (0..relabellings).filter(|_| flipped(random).abs() >= apart.abs()).count())
}

/// Any process changes places with any other: Wilcoxon's sum of ranks. Returns the same two.
fn as_far_by_processes(a: &[f64], b: &[f64], relabellings: usize, random: &mut SplitMix64) -> (f64, usize) {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let mut ranks = midranks(&all);
    let expected = a.len() as f64 * (all.len() + 1) as f64 / 2.0;
    let distance = |ranks: &[f64]| ranks[..a.len()].iter().sum::<f64>() - expected;
    let apart = distance(&ranks);
    let relabelled = |_: &usize| {
        for last in (1..ranks.len()).rev() {
            ranks.swap(last, random.below(last + 1));
        }
        distance(&ranks).abs() >= apart.abs()
    };
    (apart, (0..relabellings).filter(relabelled).count())
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 {
        0.0
    } else {
        value.signum()
    }
}

/// The rank of each value from 1; equal ones share the middle of theirs. All are multiples of a half, so sums are exact.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&x, &y| values[x].total_cmp(&values[y]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&x, &y| values[x] == values[y]) {
        for &place in equal {
            ranks[place] = before as f64 + (equal.len() + 1) as f64 / 2.0;
        }
        before += equal.len();
    }
    ranks
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

    /// A quiet machine, whose times repeat.
    #[test]
    fn times_that_repeat_are_told_apart() {
        let of = |values: [(f64, usize); 2]| values.map(|(time, count)| vec![time; count]).concat();
        for half in [5, 7, 12, 25] {
            let (slow, fast) =
                (of([(200.0, half + 1), (201.0, half)]), of([(99.0, half), (100.0, half + 1)]));
            for sampling in [Sampling::Rounds, Sampling::Independent] {
                assert_eq!(compare(&slow, &fast, sampling, 9).unwrap().verdict, Verdict::Slower);
                assert_eq!(compare(&fast, &slow, sampling, 9).unwrap().verdict, Verdict::Faster);
            }
        }
    }

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(midranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(midranks(&[]), [0.0; 0]);
    }

    /// How often as far apart, of all ways to choose who is exchanged (the bits of a number below 2^`bits`).
    fn share_as_far(
        bits: u32,
        chosen: impl Fn(u32) -> bool,
        distance: impl Fn(u32) -> f64,
        seen: u32,
    ) -> f64 {
        let all: Vec<u32> = (0..1 << bits).filter(|exchanged| chosen(*exchanged)).collect();
        let as_far = all.iter().filter(|exchanged| distance(**exchanged).abs() >= distance(seen).abs());
        as_far.count() as f64 / all.len() as f64
    }

    #[test]
    fn chance_is_that_of_all_exchanges() {
        let a = [100.0, 104.0, 99.0, 107.0, 103.0, 108.0];
        let b = [101.0, 98.0, 97.0, 102.0, 96.0, 105.0];
        let told = |sampling| chance(&a, &b, sampling, 1.02, 20_000, &mut SplitMix64::new(1));
        // Ranks of the differences of rounds: 1, 5, 2, 4, 6, 3; only the first is below 0.
        let ranks = [1.0, 5.0, 2.0, 4.0, 6.0, 3.0];
        let signed = |below: u32| -> f64 {
            ranks
                .iter()
                .enumerate()
                .map(|(place, rank)| if below >> place & 1 == 1 { -rank } else { *rank })
                .sum()
        };
        let exact = share_as_far(6, |_| true, signed, 1);
        assert!((told(Sampling::Rounds) - exact).abs() < 0.01, "{} {exact}", told(Sampling::Rounds));
        // No two times are the same, so the ranks of a and b together are 1 to 12.
        let all = midranks(&[a, b].concat());
        let of_first = |first: u32| -> f64 {
            all.iter()
                .enumerate()
                .filter(|(place, _)| first >> place & 1 == 1)
                .map(|(_, rank)| rank)
                .sum::<f64>()
                - 39.0
        };
        let exact = share_as_far(12, |first| first.count_ones() == 6, of_first, 0b11_1111);
        assert!(
            (told(Sampling::Independent) - exact).abs() < 0.01,
            "{} {exact}",
            told(Sampling::Independent)
        );
    }

    /// The interval alone tells them apart, and chance sets them as far apart in seven to nine of a hundred cases.
    #[test]
    fn what_chance_explains_more_often_than_in_one_of_twenty_cases_is_no_verdict() {
        let mut random = SplitMix64::new(5);
        for sampling in [Sampling::Rounds, Sampling::Independent] {
            let mut tried = 0;
            for _ in 0..500 {
                let mut times = || -> Vec<f64> {
                    (0..10).map(|_| if random.unit() < 0.5 { 160.0 } else { 100.0 } * (1.0 + 0.01 * random.unit())).collect()
                };
                let (a, b) = (times(), times());
                let found = compare_with(&a, &b, sampling, 1, 400).unwrap();
                let chance = chance(&a, &b, sampling, found.ratio, 400, &mut SplitMix64::new(2));
                if verdict(found.interval) != Verdict::NoDifferenceShown && (0.07..0.09).contains(&chance) {
                    assert_eq!(found.verdict, Verdict::NoDifferenceShown, "{a:?} {b:?}");
                    tried += 1;
                }
            }
            assert!(tried > 0, "{sampling:?}");
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

    /// Times of whole cycles: many rounds differ by as much in opposite directions.
    #[test]
    fn swapping_sides_whose_times_repeat_keeps_the_verdict() {
        let a = [201, 201, 200, 201, 200, 201, 199, 200, 201, 199, 200, 199, 200, 199, 200].map(f64::from);
        let b = [199, 199, 199, 199, 199, 199, 200, 199, 199, 200, 199, 200, 199, 199, 199].map(f64::from);
        let p = |a, b, seed| {
            let (apart, as_far) = as_far_by_rounds(a, b, 2000, &mut SplitMix64::new(seed));
            (apart.abs(), as_far)
        };
        for seed in 0..20 {
            assert_eq!(p(&a, &b, seed), p(&b, &a, seed), "seed {seed}");
            let of = |a, b| compare_with(a, b, Sampling::Rounds, seed, 2000).unwrap();
            let (forth, back) = (of(&a, &b), of(&b, &a));
            let inverted = match forth.verdict {
                Verdict::Faster => Verdict::Slower,
                Verdict::Slower => Verdict::Faster,
                Verdict::NoDifferenceShown => Verdict::NoDifferenceShown,
            };
            assert_eq!(inverted, back.verdict, "seed {seed}");
            assert!((forth.interval.low * back.interval.high - 1.0).abs() < 1e-4, "seed {seed}");
            assert!((forth.interval.high * back.interval.low - 1.0).abs() < 1e-4, "seed {seed}");
        }
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
