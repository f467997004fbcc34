// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How long a run may take here so that nothing interrupts most of its repetitions.
//!
//! The host of a rented machine may take its core away for a moment many times in each millisecond. One Granite Rapids guest
//! loses two microseconds of every fifty: every run of 250,000 cycles there was interrupted, none of the chains that the clock
//! consists of was, and so all loops came out four percent too slow.

#![cfg(target_arch = "x86_64")]

use crate::clock::cycles_per_tick;
use std::arch::x86_64::_rdtsc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Cycles that a run takes where it can.
const RUN_CYCLES: f64 = 250_000.0;
/// Cycles that it takes at least.
const RUN_CYCLES_MIN: f64 = 20_000.0;
/// The share of the middle stretch between two interruptions that a run takes: three of four then find none.
const RUN_SHARE: f64 = 0.25;
/// Ticks between two readings of the counter, which take some thirty, from which on something else was executed.
const INTERRUPTED: u64 = 600;
/// How long the counter is watched.
const WATCHED: Duration = Duration::from_millis(30);

/// Cycles that a run should take on this machine; found out once.
pub(crate) fn run_cycles() -> f64 {
    static CYCLES: OnceLock<f64> = OnceLock::new();
    *CYCLES.get_or_init(|| run_cycles_of(&stretches(), cycles_per_tick()))
}

/// The same, from the stretches between interruptions.
fn run_cycles_of(stretches_ticks: &[f64], cycles_per_tick: f64) -> f64 {
    let middle_ticks = stats::median(stretches_ticks).unwrap_or(f64::INFINITY);
    (RUN_SHARE * middle_ticks * cycles_per_tick).clamp(RUN_CYCLES_MIN, RUN_CYCLES)
}

/// Ticks from each interruption to the next.
fn stretches() -> Vec<f64> {
    // SAFETY: the counter is a part of x86-64, and Linux keeps it only from those who ask for that.
    let ticks = || unsafe { _rdtsc() };
    let begin = Instant::now();
    let mut stretches = Vec::new();
    let (mut last, mut started) = (ticks(), None);
    while begin.elapsed() < WATCHED {
        for _ in 0..100 {
            let now = ticks();
            if now.wrapping_sub(last) > INTERRUPTED {
                stretches.extend(started.map(|started| last.wrapping_sub(started) as f64));
                started = Some(now);
            }
            last = now;
        }
        // Asking for the time is none.
        last = ticks();
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_shorter_than_the_stretches_between_interruptions() {
        assert_eq!(run_cycles_of(&[], 1.4), 250_000.0, "nothing interrupts");
        assert_eq!(run_cycles_of(&[125_000.0, 120_000.0, 3_000.0, 900_000.0], 1.4), 0.25 * 122_500.0 * 1.4);
        assert_eq!(run_cycles_of(&[1e7, 1e7], 1.0), 250_000.0, "seldom");
        assert_eq!(run_cycles_of(&[8_000.0; 9], 1.0), 20_000.0, "all the time");
    }
}
