// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Experiments with a known answer: how often do the intervals hold the truth, and how often is a difference seen?
//! Shared by the test, which runs few, and the example `coverage`, which runs many.

use stats::{compare_with, median, median_interval, Sampling, SplitMix64, Verdict};

/// How the time of a process scatters, as a natural logarithm around some level: 0.02 is about 2 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scatter {
    /// Normal, with this standard deviation.
    Normal(f64),
    /// Log-normal: a long tail towards slow.
    Skewed,
    /// Student's t with three degrees of freedom: now and then a process far off, either way.
    HeavyTails,
    /// Exponential: a floor and delays on top of it.
    Delays,
    /// A tight fast mode and, for this share of the processes, a mode that is 10 % slower (an unlucky page layout).
    TwoModes(f64),
}

impl Scatter {
    /// The deviation of one process.
    pub fn draw(self, random: &mut SplitMix64) -> f64 {
        match self {
            Scatter::Normal(deviation) => deviation * normal(random),
            Scatter::Skewed => 0.01 * normal(random).exp(),
            Scatter::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                0.01 * normal(random) / (squares / 3.0).sqrt()
            }
            Scatter::Delays => -0.02 * random.unit().ln(),
            Scatter::TwoModes(slow_share) => {
                0.003 * normal(random) + if random.unit() < slow_share { 0.1 } else { 0.0 }
            }
        }
    }

    /// The true median; from a million draws where there is no formula.
    pub fn median(self) -> f64 {
        match self {
            Scatter::Normal(_) | Scatter::HeavyTails => 0.0,
            Scatter::Skewed => 0.01,
            Scatter::Delays => 0.02 * 2f64.ln(),
            Scatter::TwoModes(_) => {
                let mut random = SplitMix64::new(77);
                median(&(0..1_000_001).map(|_| self.draw(&mut random)).collect::<Vec<_>>()).unwrap()
            }
        }
    }
}

/// Box and Muller's transform of two uniform numbers.
fn normal(random: &mut SplitMix64) -> f64 {
    (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
}

/// One kind of experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Scatter of variant a between processes.
    pub a: Scatter,
    /// Scatter of variant b.
    pub b: Scatter,
    /// Standard deviation of the drift that both processes of a round share.
    pub drift: f64,
    /// True ratio of the medians, a over b.
    pub ratio: f64,
    /// Samples in a process, which scatter by 1 %; the process gives their median.
    pub samples_count: usize,
    /// Processes of each variant.
    pub processes_count: usize,
    /// How the processes are related.
    pub sampling: Sampling,
}

/// The outcome of many repetitions, as shares of 1.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The interval of the ratio held the true ratio.
    pub ratio_covered: f64,
    /// The interval of a's median held the true median.
    pub median_covered: f64,
    /// The verdict was "faster" or "slower".
    pub difference_shown: f64,
}

impl Experiment {
    /// Two variants with this scatter and equal medians, without drift.
    pub fn new(a: Scatter, b: Scatter, processes_count: usize) -> Experiment {
        Experiment {
            a,
            b,
            drift: 0.0,
            ratio: 1.0,
            samples_count: 1,
            processes_count,
            sampling: Sampling::Rounds,
        }
    }

    /// Repeats the experiment.
    pub fn repeat(&self, repetitions: usize, resamples: usize, seed: u64) -> Outcome {
        let (level_a, level_b) = (100.0 * self.ratio / self.a.median().exp(), 100.0 / self.b.median().exp());
        let mut random = SplitMix64::new(seed);
        let (mut ratio_covered, mut median_covered, mut difference_shown) = (0, 0, 0);
        for repetition in 0..repetitions {
            let rounds: Vec<f64> =
                (0..self.processes_count).map(|_| self.drift * normal(&mut random)).collect();
            let mut measure = |scatter: Scatter, level: f64| -> Vec<f64> {
                rounds.iter().map(|drift| self.process(level, scatter, *drift, &mut random)).collect()
            };
            let (a, b) = (measure(self.a, level_a), measure(self.b, level_b));
            let comparison = compare_with(&a, &b, self.sampling, repetition as u64, resamples).unwrap();
            let median = median_interval(&a).unwrap();
            ratio_covered +=
                u32::from(comparison.interval.low <= self.ratio && self.ratio <= comparison.interval.high);
            let truth = 100.0 * self.ratio;
            median_covered += u32::from(median.low <= truth && truth <= median.high);
            difference_shown += u32::from(comparison.verdict != Verdict::NoDifferenceShown);
        }
        let share = |count: u32| f64::from(count) / repetitions as f64;
        Outcome {
            ratio_covered: share(ratio_covered),
            median_covered: share(median_covered),
            difference_shown: share(difference_shown),
        }
    }

    fn process(&self, level: f64, scatter: Scatter, drift: f64, random: &mut SplitMix64) -> f64 {
        let time = level * (scatter.draw(random) + drift).exp();
        if self.samples_count == 1 {
            return time;
        }
        let samples: Vec<f64> =
            (0..self.samples_count).map(|_| time * (0.01 * normal(random)).exp()).collect();
        median(&samples).unwrap()
    }
}

/// The kinds of scatter that the method has to handle, each with a name.
pub const SCATTERS: [(&str, Scatter, Scatter); 8] = [
    ("normal", Scatter::Normal(0.02), Scatter::Normal(0.02)),
    ("skewed", Scatter::Skewed, Scatter::Skewed),
    ("heavy tails", Scatter::HeavyTails, Scatter::HeavyTails),
    ("delays", Scatter::Delays, Scatter::Delays),
    ("two modes", Scatter::TwoModes(0.2), Scatter::TwoModes(0.2)),
    ("one scatters 5x", Scatter::Normal(0.02), Scatter::Normal(0.1)),
    ("one has two modes", Scatter::Normal(0.02), Scatter::TwoModes(0.2)),
    ("normal, delays", Scatter::Normal(0.1), Scatter::Delays),
];
