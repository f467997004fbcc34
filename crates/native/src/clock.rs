// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Core cycles from the time-stamp counter.
//!
//! The counter runs at a constant rate, the core at one that changes. A chain of dependent 64-bit multiplications relates
//! the two: each takes three cycles on every x86-64 core since 2008 (Intel since Nehalem, AMD since Zen). The time of one
//! chain includes the costs of the call and of reading the counter; in the difference between a long and a short chain
//! these cancel, if the counter is read in order: one that is read while multiplications still wait is read too early, by
//! more behind an exit that was predicted than behind one that was not. Without fences the clock of a Granite Rapids guest
//! was 4.5 percent too slow.

#![cfg(target_arch = "x86_64")]

use std::arch::asm;
use std::arch::x86_64::{_mm_lfence, _rdtsc};

/// Cycles of one multiplication of the chain.
const MULTIPLY_CYCLES: f64 = 3.0;
/// Multiplications in a turn of the chain.
const PER_TURN: f64 = 50.0;
const TURNS_SHORT: u64 = 8;
const TURNS_LONG: u64 = 56;

/// The time-stamp counter, read behind all instructions before it and before all behind it.
pub fn ticks() -> u64 {
    // SAFETY: both are part of x86-64, and Linux keeps the counter only from those who ask for that.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Ticks of a chain of `turns` turns, with so many no-operations behind each multiplication.
#[inline(never)]
fn chain<const NOPS: u8>(turns: u64) -> u64 {
    let start = ticks();
    // SAFETY: registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "imul {value}, {value}",
            ".rept {nops}",
            "nop",
            ".endr",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            value = inout(reg) start => _,
            turns = inout(reg) turns => _,
            nops = const NOPS,
        );
    }
    ticks() - start
}

/// Ticks between a short and a long run.
fn difference<const NOPS: u8>() -> f64 {
    chain::<NOPS>(TURNS_LONG) as f64 - chain::<NOPS>(TURNS_SHORT) as f64
}

/// Core cycles per tick of the counter, at present.
pub fn cycles_per_tick() -> f64 {
    (TURNS_LONG - TURNS_SHORT) as f64 * PER_TURN * MULTIPLY_CYCLES / difference::<0>().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of the middle half: the counter of some cores moves in steps, which a median shows.
    fn middle(mut ticks: Vec<f64>) -> f64 {
        ticks.sort_by(f64::total_cmp);
        let half = &ticks[ticks.len() / 4..ticks.len() * 3 / 4];
        half.iter().sum::<f64>() / half.len() as f64
    }

    /// What still waits when the counter is read must not count: among no-operations the chain takes the same cycles, with another
    /// number of multiplications in flight. (Operations of one cycle are no second clock: in a loop of 150
    /// of them Zen 3 loses one cycle and more a turn.)
    #[test]
    fn the_clock_does_not_depend_on_what_is_in_flight() {
        let mut ratios = Vec::new();
        // A core that changes its frequency in between gets another try.
        for _ in 0..10 {
            let (dense, sparse) = (0..400).map(|_| (difference::<0>(), difference::<5>())).unzip();
            let ratio = middle(dense) / middle(sparse);
            if (ratio - 1.0).abs() < 0.01 {
                return;
            }
            ratios.push(ratio);
        }
        panic!("two chains of the same cycles give clocks that differ by more than a hundredth: {ratios:?}");
    }
}
