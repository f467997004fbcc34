// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Core cycles from the time-stamp counter.
//!
//! The counter runs at a constant rate, the core at one that changes. A chain of dependent 64-bit multiplications relates
//! the two: each takes three cycles on every x86-64 core since 2008 (Intel since Nehalem, AMD since Zen). The time of one
//! chain includes the costs of the call and of reading the counter; in the difference between a long and a short chain
//! these cancel.

#![cfg(target_arch = "x86_64")]

use std::arch::{asm, x86_64::_rdtsc};

/// Cycles of one multiplication of the chain.
const MULTIPLY_CYCLES: f64 = 3.0;
/// Multiplications in a turn of the chain.
const PER_TURN: f64 = 50.0;
const TURNS_SHORT: u64 = 8;
const TURNS_LONG: u64 = 56;

/// Ticks of a chain of `turns` turns.
#[inline(never)]
fn chain(turns: u64) -> u64 {
    // SAFETY: registers only.
    unsafe {
        let start = _rdtsc();
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "imul {value}, {value}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            value = inout(reg) start => _,
            turns = inout(reg) turns => _,
        );
        _rdtsc() - start
    }
}

/// Core cycles per tick of the counter, at present.
pub fn cycles_per_tick() -> f64 {
    let ticks = chain(TURNS_LONG) as f64 - chain(TURNS_SHORT) as f64;
    (TURNS_LONG - TURNS_SHORT) as f64 * PER_TURN * MULTIPLY_CYCLES / ticks.max(1.0)
}
