// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The account of what dispatch waits for: it is as complete where loops are leapt over as where they are not.

use super::{cpus, Bench};
use crate::oracle::program::Program;

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
