// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Measuring on the machine at hand: many short processes, the variants interleaved in random order.
//!
//! Layout, page colours and neighbours differ between processes and not within one, so the process is the unit that
//! varies and the unit that `stats` resamples. Drift of the machine's clock or load hits all variants alike because
//! they take turns. One process gives one number: the median over its samples.
//!
//! Where the code stands in its cache lines is an accident of the linker, too, and can double a time. So a round has the code of
//! all variants so many bytes further on, and rounds take turns with the places that the variants' own alignment allows, those
//! far apart first.

use crate::build::Runner;
use crate::case::Case;
use crate::emulator::Engine;
use crate::problem::{Problem, Result};
use crate::process::{signal_name, Ending};
use crate::record::refused;
use stats::SplitMix64;
use std::time::Duration;

/// A sample aims at this long: far above the clock's resolution, far below a scheduler's slice.
const SAMPLE_NS: f64 = 20_000.0;

/// A process takes milliseconds; only a broken variant takes this long.
const PROCESS_TIMEOUT: Duration = Duration::from_secs(60);

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Processes per variant and case.
    pub processes_count: usize,
    /// Samples in each.
    pub samples_count: usize,
}

impl Subject {
    /// The runner of one round of so many.
    fn runner_of(&self, round: usize, rounds_count: usize) -> &Runner {
        &self.runners[place_of(round, rounds_count, self.runners.len())]
    }
}

/// Which place of the code a round has. Where there are pairs of rounds with turned orders for all places, both of a pair have one.
///
/// Else no place comes a second time before all have come. What is computed from the rounds takes them as independent: that is too
/// careful of rounds that share out all places among them, and too bold of pairs at some of the places.
fn place_of(round: usize, rounds_count: usize, places_count: usize) -> usize {
    let pairs_count = rounds_count.div_ceil(2);
    let turn = if pairs_count < places_count { round } else { round / 2 };
    turn % places_count
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { processes_count: 15, samples_count: 200 }
    }
}

/// What is measured: one variant on one case.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its runners, with the code at one place each ([`crate::build::Builder::placed_runners`]); there is at least one.
    pub runners: Vec<Runner>,
    /// The case.
    pub case: Case,
}

/// What one process gave, per call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessSample {
    /// Nanoseconds, the median of the samples.
    pub ns: f64,
    /// The least of them.
    pub least_ns: f64,
    /// Core cycles, the median of the samples, where the runner can tell them from ticks.
    pub cycles: Option<f64>,
    /// By how many bytes the code stood further on than in the runner without room in front.
    pub place_bytes: u64,
}

/// Runs all subjects `effort.processes_count` times, each round in the order of [`orders`]; the results stand in the subjects' order.
///
/// A subject that fails once is not run again, and its failure is its result.
pub fn interleaved(
    subjects: &[Subject],
    effort: Effort,
    seed: u64,
    mut progress: impl FnMut(usize, usize),
) -> Vec<Result<Vec<ProcessSample>>> {
    let iterations = calibrate(subjects);
    let mut results: Vec<Result<Vec<ProcessSample>>> =
        iterations.iter().map(|iterations| iterations.clone().map(|_| Vec::new())).collect();
    for (round, order) in orders(subjects.len(), effort.processes_count, seed).into_iter().enumerate() {
        progress(round, effort.processes_count);
        for index in order {
            let (Ok(samples), Ok(iterations)) = (&mut results[index], &iterations[index]) else { continue };
            let subject = &subjects[index];
            let runner = subject.runner_of(round, effort.processes_count);
            match one_process(runner, &subject.case, *iterations, effort.samples_count) {
                Ok(sample) => samples.push(sample),
                Err(problem) => results[index] = Err(problem),
            }
        }
    }
    results
}

/// The order of the subjects in each round: a random one, and in the round behind it the same turned round. So each runs before
/// each other as often as behind it, and what a place in a round does to a time cancels between any two. Drawn anew for each
/// round, the first of two subjects would mostly run before the other or mostly behind it, and so in each run with this seed.
fn orders(subjects_count: usize, rounds_count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = SplitMix64::new(seed);
    let mut orders = Vec::new();
    while orders.len() < rounds_count {
        let mut order: Vec<usize> = (0..subjects_count).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        let turned_round = order.iter().rev().copied().collect();
        orders.extend([order, turned_round]);
    }
    orders.truncate(rounds_count);
    orders
}

/// Two times whose ratio is below this are compared in samples of the same number of calls.
const NEAR: f64 = 1.1;

/// The calls per sample of each subject that make a sample about as long as it should be.
///
/// A sample costs some 50 ns besides its calls, not all of which is subtracted. So different numbers of calls give times that
/// differ by up to a hundredth, which is more than the intervals of a quiet machine. Subjects of nearly equal speed therefore
/// get the same number, even if they are on different sides of a power of two.
fn calibrate(subjects: &[Subject]) -> Vec<Result<u64>> {
    let times: Vec<Result<f64>> = subjects.iter().map(least_ns).collect();
    let known: Vec<f64> = times.iter().filter_map(|time| time.as_ref().ok().copied()).collect();
    times.into_iter().map(|time| time.map(|ns| calls_among(ns, &known))).collect()
}

/// The least time of a call in three processes, which hardly depends on how busy the machine is. A first process, whose samples
/// the clock's resolution may distort, gives the number of calls for samples in which it does not matter.
fn least_ns(subject: &Subject) -> Result<f64> {
    let process = |calls| one_process(&subject.runners[0], &subject.case, calls, 20);
    let rough = process(64)?.least_ns;
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        least = least.min(process(calls_per_sample(rough))?.least_ns);
    }
    Ok(least)
}

/// The least of `times` that leads to `ns` by steps of less than NEAR.
fn fastest_near(ns: f64, times: &[f64]) -> f64 {
    let mut fastest = ns;
    while let Some(next) = times.iter().find(|other| **other < fastest && fastest < **other * NEAR) {
        fastest = *next;
    }
    fastest
}

/// The calls per sample of one that takes `ns`, among others that take `times`.
fn calls_among(ns: f64, times: &[f64]) -> u64 {
    calls_per_sample(fastest_near(ns, times))
}

fn calls_per_sample(ns: f64) -> u64 {
    let calls = ((SAMPLE_NS / ns.max(0.1)) as u64).clamp(1, 1 << 20);
    1 << calls.ilog2()
}

fn one_process(runner: &Runner, case: &Case, iterations: u64, samples: usize) -> Result<ProcessSample> {
    let command = Engine::Native
        .command(&runner.path)
        .args(["time", &case.to_string(), &iterations.to_string(), &samples.to_string()])
        .timeout(PROCESS_TIMEOUT);
    let output = command.run()?;
    let failed = |what: String| {
        Err(Problem::new(what).remedy(format!("have it again: {}", command.line())).of_variant())
    };
    match output.ending {
        Ending::Exited(0) => {}
        // The runner's own way to say that the case makes no sense; see `runner/assay.h`.
        Ending::Exited(2) if output.stderr.starts_with("error: ") => return Err(refused(&output)),
        Ending::Exited(status) => {
            return failed(format!("the runner exited with status {status}: {}", output.tail(3)))
        }
        Ending::Killed(signal) => return failed(format!("the runner was ended by {}", signal_name(signal))),
        Ending::TimedOut => {
            return failed(format!("the runner was still running after {} s", PROCESS_TIMEOUT.as_secs()))
        }
    }
    let samples: Vec<Timing> = output.stdout.lines().filter_map(parse_sample).collect();
    if samples.is_empty() {
        return failed("the runner printed no sample".to_owned());
    }
    let least = samples.iter().map(|sample| sample.ns).fold(f64::INFINITY, f64::min);
    let per_call = |values: Vec<f64>| stats::median(&values).unwrap_or(f64::NAN) / iterations as f64;
    let cycles: Vec<f64> = samples.iter().filter_map(|sample| sample.cycles).collect();
    Ok(ProcessSample {
        ns: per_call(samples.iter().map(|sample| sample.ns).collect()),
        least_ns: least / iterations as f64,
        cycles: (cycles.len() == samples.len()).then(|| per_call(cycles)),
        place_bytes: runner.place_bytes,
    })
}

struct Timing {
    ns: f64,
    cycles: Option<f64>,
}

fn parse_sample(line: &str) -> Option<Timing> {
    let fields = line.strip_prefix("sample ")?;
    let value = |key: &str| {
        fields.split_whitespace().find_map(|field| field.strip_prefix(key)).and_then(|text| text.parse().ok())
    };
    Some(Timing { ns: value("ns=")?, cycles: value("cycles=") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_nearly_the_same_have_the_same_number_of_calls() {
        // The second ones are on either side of a power of two.
        for ns in [0.7, 0.999 * 20_000.0 / 8192.0, 44.2, 57.0, 700.0, 15_000.0] {
            let times = [ns * 1.02, ns, ns * 1.05, ns * 1.13, ns * 3.0];
            let numbers = times.map(|ns| calls_among(ns, &times));
            let calls = calls_per_sample(ns);
            assert!(calls.is_power_of_two() && numbers[..4] == [calls; 4], "{ns}: {numbers:?}");
            assert!(numbers[4] < calls || calls == 1, "{ns}: {numbers:?}");
            let sample = calls as f64 * ns;
            assert!((10_000.0..=20_000.0).contains(&sample), "{ns}: {sample}");
        }
        assert_eq!(calls_per_sample(1e9), 1);
    }

    #[test]
    fn each_runs_before_each_other_as_often_as_behind_it() {
        for (subjects, rounds) in [(1, 15), (2, 10), (2, 15), (7, 15), (10, 15), (11, 30)] {
            let orders = orders(subjects, rounds, 0x0a55_a7ed);
            assert_eq!(orders.len(), rounds);
            let place = |order: &[usize], subject| order.iter().position(|one| *one == subject).unwrap();
            for (a, b) in (0..subjects).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let before = orders.iter().filter(|order| place(order, a) < place(order, b)).count();
                assert!(
                    before == rounds / 2 || before == rounds.div_ceil(2),
                    "{a}, {b}: {before} of {rounds}"
                );
            }
        }
        assert_ne!(orders(10, 15, 1), orders(10, 15, 2));
        assert_eq!(orders(10, 15, 1), orders(10, 15, 1));
    }

    #[test]
    fn all_places_are_seen_before_one_is_seen_again() {
        for places in [1, 2, 4, 8, 16] {
            for rounds in 1..=40 {
                let mut seen = vec![0; places];
                (0..rounds).for_each(|round| seen[place_of(round, rounds, places)] += 1);
                let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
                assert!(
                    most - least <= 2 && (*least > 0 || rounds < places || *most == 1),
                    "{places} {rounds}: {seen:?}"
                );
                // Orders cancel at each place if there are pairs for all.
                let paired =
                    |round: usize| place_of(round, rounds, places) == place_of(round + 1, rounds, places);
                let all = (0..rounds - 1).step_by(2).all(paired);
                assert!(all || rounds.div_ceil(2) < places, "{places} {rounds}");
            }
        }
    }

    /// Normally distributed, by Box and Muller.
    fn normal(random: &mut SplitMix64) -> f64 {
        (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
    }

    /// The median of times that scatter by a hundredth about the level of each place, all places being as likely.
    fn true_median(levels: &[f64]) -> f64 {
        let below = |value: f64| {
            let of = |level: &f64| stats::student_share((value - level) / 0.01, 1e9).unwrap();
            levels.iter().map(of).sum::<f64>() / levels.len() as f64
        };
        let halved = |(low, high): (f64, f64), _| {
            let middle = (low + high) / 2.0;
            if below(middle) < 0.5 {
                (middle, high)
            } else {
                (low, middle)
            }
        };
        (0..40).fold((-2.0, 2.0), halved).0
    }

    /// Two variants whose times depend on the place, each in its own way, and which are equally fast over all places.
    #[test]
    fn few_rounds_at_many_places_do_not_tell_equal_variants_apart() {
        let mut random = SplitMix64::new(11);
        for (places, rounds) in [(4, 15), (8, 10), (16, 10), (16, 15)] {
            let mut times = || -> Vec<f64> {
                let levels: Vec<f64> = (0..places).map(|_| 0.05 * normal(&mut random)).collect();
                let middle = true_median(&levels);
                let time =
                    |round| levels[place_of(round, rounds, places)] - middle + 0.01 * normal(&mut random);
                (0..rounds).map(time).map(f64::exp).collect()
            };
            let is_wrong = |seed: u64| {
                let found =
                    stats::compare_with(&times(), &times(), stats::Sampling::Rounds, seed, 400).unwrap();
                found.verdict != stats::Verdict::NoDifferenceShown
            };
            let wrong = (0..1_000).map(is_wrong).filter(|wrong| *wrong).count();
            // Pairs at five of sixteen places: 67.
            assert!(wrong <= 50, "{places} places, {rounds} rounds: {wrong} of 1000");
        }
    }

    #[test]
    fn samples_are_read_with_and_without_cycles() {
        let sample = parse_sample("sample ns=20000 ticks=46000 cycles=58000").unwrap();
        assert_eq!((sample.ns, sample.cycles), (20000.0, Some(58000.0)));
        assert_eq!(parse_sample("sample ns=7 ticks=1").unwrap().cycles, None);
        assert!(parse_sample("result 0x1").is_none());
    }
}
