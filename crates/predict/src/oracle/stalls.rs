// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The accounts have no gaps: each cycle up to that of the last dispatch has a cause, and each of the run an instruction.

use super::{cpus, Bench};
use crate::driver::{predict, Options};
use crate::oracle::program::Program;

#[test]
fn each_cycle_of_dispatch_has_a_cause() {
    for name in cpus() {
        let bench = Bench::new(&name);
        for seed in 0..12 {
            let program = Program::new(&bench.pool, seed, 300);
            let told = bench.told(&program, true, false);
            let events = &told.timeline.as_ref().unwrap().events;
            let last = events.iter().map(|event| event.dispatch).max().unwrap();
            let stalls: u64 = told.counters.stalls.iter().sum();
            assert_eq!(stalls, last, "{name}, seed {seed}: {:?}", told.counters.stalls);
        }
    }
}

#[test]
fn turns_that_are_leapt_over_are_charged_too() {
    for name in cpus() {
        let bench = Bench::new(&name);
        for seed in 0..12 {
            let program = Program::one_loop(&bench.pool, seed, 6000);
            let charged = |skip| bench.told(&program, false, skip).counters.stalls.iter().sum::<u64>() as f64;
            let (leapt, all) = (charged(true), charged(false));
            assert!(
                (leapt / all - 1.0).abs() < 0.02,
                "{name}, seed {seed}: {leapt} cycles, {all} without leaps"
            );
        }
    }
}

/// The last group of a core with groups may be open at the end, and its completion not charged.
const OPEN: u64 = 40;

#[test]
fn each_cycle_of_the_run_is_charged_to_an_instruction() {
    for name in cpus() {
        let bench = Bench::new(&name);
        for seed in 0..8 {
            for program in [Program::one_loop(&bench.pool, seed, 4000), Program::new(&bench.pool, seed, 500)]
            {
                let options = Options { profile: true, ..Options::default() };
                let told = predict(&mut program.source(), &[&bench.cpu], &options).unwrap().remove(0);
                let charged: u64 = told.profile.as_ref().unwrap().iter().map(|place| place.cycles).sum();
                let all = told.cycles;
                assert!(charged <= all && all - charged <= OPEN, "{name}, seed {seed}: {charged} of {all}");
            }
        }
    }
}
