// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What POWER10's file says of pipes and slots, each shown by the smallest loop that depends on it.

use crate::halves::{arithmetic, load, near, turn};
use predict::cpu::{Entry, Kind};

/// `xvf32gerpp accumulator,vs32,vs33`.
fn outer_product(accumulator: u32) -> u32 {
    59 << 26 | accumulator << 23 | 1 << 11 | 26 << 3 | 6
}

#[test]
fn an_outer_product_takes_both_slices_of_a_superslice_at_once() {
    // Four behind each other, four cycles each; and one on each accumulator, two a cycle.
    near(turn("power10", &[outer_product(0); 4]), 16.0);
    let apart: Vec<u32> = (0..8).map(outer_product).collect();
    near(turn("power10", &apart), 4.0);
}

#[test]
fn an_addition_that_starts_a_carry_is_two_operations() {
    // `addc r4,r2,r2`: four pipes take two a cycle.
    near(turn("power10", &[arithmetic(10, 4, 2, 2); 8]), 4.0);
}

#[test]
fn nothing_of_power10_is_called_measured() {
    // No loop of it was: what POWER9 was measured or fitted to take is a guess here.
    let power10 = load("power10");
    for (key, entry) in power10.entries() {
        let measured =
            matches!(entry, Entry::Number(number) if [Kind::Measured, Kind::Fitted].contains(&number.kind));
        assert!(!measured, "{key}");
    }
}
