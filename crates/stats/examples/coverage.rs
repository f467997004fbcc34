// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prints how often the 95 % intervals hold the truth, for docs/method.md: some minutes of experiments with known answers.
//! `cargo run --release -p stats --example coverage [REPETITIONS]`

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation::{Experiment, Scatter, SCATTERS};
use stats::{compare_with, median, Sampling, SplitMix64, Verdict};

fn main() {
    let repetitions =
        std::env::args().nth(1).map_or(20_000, |text| text.parse().expect("a number of repetitions"));
    println!(
        "Share of {repetitions} experiments in which the 95 % interval held the truth: ratio / median\n"
    );
    println!("{:<20}{}", "processes", [10, 12, 15, 20, 30].map(|count| format!("{count:>15}")).concat());
    for (name, a, b) in SCATTERS {
        print_row(name, Experiment::new(a, b, 0), repetitions);
    }
    let calm = Scatter::Normal(0.02);
    print_row("drift 2x scatter", Experiment { drift: 0.04, ..Experiment::new(calm, calm, 0) }, repetitions);
    println!("\nShare in which a difference of this size was shown, 15 processes that scatter by 2 %:");
    for percent in [0, 1, 2, 3, 4, 5] {
        let ratio = 1.0 + f64::from(percent) / 100.0;
        let outcome = Experiment { ratio, ..Experiment::new(calm, calm, 15) }.repeat(repetitions, 1_000, 2);
        println!("{percent:>3} %  {:5.1} %", 100.0 * outcome.difference_shown);
    }
    println!("\nEqual variants, each compared with the one that was measured as the fastest of them: share of\nverdicts, and of tables with one");
    for variants in [2, 3, 5, 8, 12] {
        let [verdicts, tables] = against_the_fastest(variants, repetitions / 10);
        println!("{variants:>3}    {:5.1} %  {:5.1} %", 100.0 * verdicts, 100.0 * tables);
    }
}

/// How often a comparison of equal variants with the fastest of them gives a verdict, and how often any of a table does.
fn against_the_fastest(variants: usize, tables: usize) -> [f64; 2] {
    let mut random = SplitMix64::new(3);
    let (mut verdicts, mut tables_with_one) = (0, 0);
    for _ in 0..tables {
        let mut time = || 100.0 * Scatter::Normal(0.02).draw(&mut random).exp();
        let mut times: Vec<Vec<f64>> = (0..variants).map(|_| (0..15).map(|_| time()).collect()).collect();
        times.sort_by(|a, b| median(a).unwrap().total_cmp(&median(b).unwrap()));
        let verdict =
            |other: &Vec<f64>| compare_with(other, &times[0], Sampling::Rounds, 1, 1_000).unwrap().verdict;
        let told = times[1..].iter().filter(|other| verdict(other) != Verdict::NoDifferenceShown).count();
        verdicts += told;
        tables_with_one += usize::from(told > 0);
    }
    let comparisons = (tables * (variants - 1)) as f64;
    [verdicts as f64 / comparisons, tables_with_one as f64 / tables as f64]
}

fn print_row(name: &str, experiment: Experiment, repetitions: usize) {
    print!("{name:<20}");
    for processes_count in [10, 12, 15, 20, 30] {
        let outcome = Experiment { processes_count, ..experiment }.repeat(repetitions, 1_000, 1);
        print!("{:>7.1} /{:>5.1} ", 100.0 * outcome.ratio_covered, 100.0 * outcome.median_covered);
    }
    println!();
}
