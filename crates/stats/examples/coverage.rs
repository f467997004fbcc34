// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prints how often the 95 % intervals hold the truth, for docs/method.md: some minutes of experiments with known answers.
//! `cargo run --release -p stats --example coverage [REPETITIONS]`

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation::{Experiment, Scatter, SCATTERS};

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
}

fn print_row(name: &str, experiment: Experiment, repetitions: usize) {
    print!("{name:<20}");
    for processes_count in [10, 12, 15, 20, 30] {
        let outcome = Experiment { processes_count, ..experiment }.repeat(repetitions, 1_000, 1);
        print!("{:>7.1} /{:>5.1} ", 100.0 * outcome.ratio_covered, 100.0 * outcome.median_covered);
    }
    println!();
}
