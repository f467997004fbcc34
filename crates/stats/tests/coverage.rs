// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The 95 % intervals have to hold the truth in 93 to 97 % of simulated experiments, whose true answer is known. The example
//! `coverage` runs the same at length.

mod simulation;

use simulation::{Experiment, Scatter, SCATTERS};
use stats::Sampling;

const REPETITIONS: usize = 2_500; // the standard error of a share of 95 % is then 0.4 %
const RESAMPLES: usize = 600;

fn in_range(share: f64) -> bool {
    (0.93..=0.97).contains(&share)
}

#[test]
fn intervals_of_ratios_and_medians_hold_the_truth_in_93_to_97_percent() {
    for (name, a, b) in SCATTERS {
        for processes_count in [10, 15, 20, 30] {
            let outcome = Experiment::new(a, b, processes_count).repeat(REPETITIONS, RESAMPLES, 4);
            assert!(in_range(outcome.ratio_covered), "{name}, {processes_count} processes: {outcome:?}");
            assert!(in_range(outcome.median_covered), "{name}, {processes_count} processes: {outcome:?}");
        }
    }
}

#[test]
fn sets_measured_apart_are_covered_as_well() {
    for (name, a, b) in SCATTERS {
        let experiment = Experiment { sampling: Sampling::Independent, ..Experiment::new(a, b, 15) };
        let outcome = experiment.repeat(REPETITIONS, RESAMPLES, 5);
        assert!(in_range(outcome.ratio_covered), "{name}: {outcome:?}");
    }
}

#[test]
fn noise_within_processes_and_a_true_difference_do_not_change_that() {
    let experiment = Experiment {
        samples_count: 21,
        ratio: 0.8,
        ..Experiment::new(Scatter::Normal(0.01), Scatter::TwoModes(0.1), 15)
    };
    let outcome = experiment.repeat(1_000, RESAMPLES, 6);
    assert!(in_range(outcome.ratio_covered), "{outcome:?}");
    assert!(outcome.difference_shown > 0.99, "{outcome:?}");
}

#[test]
fn drift_that_rounds_share_never_makes_the_interval_too_narrow() {
    let calm = Scatter::Normal(0.02);
    let rounds = Experiment { drift: 0.05, ..Experiment::new(calm, calm, 15) };
    let apart = Experiment { sampling: Sampling::Independent, ratio: 0.96, ..rounds };
    let rounds = Experiment { ratio: 0.96, ..rounds };
    let (rounds, apart) = (rounds.repeat(1_000, RESAMPLES, 7), apart.repeat(1_000, RESAMPLES, 7));
    assert!(rounds.ratio_covered >= 0.93, "{rounds:?}");
    assert!(
        rounds.difference_shown > 2.0 * apart.difference_shown,
        "drawing whole rounds should see through drift: {rounds:?} {apart:?}"
    );
}

#[test]
fn a_difference_of_twice_the_scatter_is_seen_and_none_is_rarely_invented() {
    let calm = Scatter::Normal(0.02);
    let seen = Experiment { ratio: 1.04, ..Experiment::new(calm, calm, 15) }.repeat(1_000, RESAMPLES, 8);
    assert!(seen.difference_shown > 0.95, "{seen:?}");
    let none = Experiment::new(calm, calm, 15).repeat(REPETITIONS, RESAMPLES, 9);
    assert!((0.01..=0.05).contains(&none.difference_shown), "{none:?}");
}
