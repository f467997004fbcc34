// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The account of what dispatch waits for has no gaps: each cycle up to that of the last dispatch has a cause.

use super::{cpus, Bench};
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
