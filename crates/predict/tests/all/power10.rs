// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What POWER10's file says of pipes and slots, each shown by the smallest loop that depends on it.

use crate::halves::{arithmetic, load, near, turn};
use arch::Arch;
use predict::cpu::{Entry, Kind};
use predict::loops::{LoopSource, Walk};
use predict::{predict, Cpu, Options};
use std::path::Path;

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

/// `cycles` of a loop of `std r3,0(r4); ld r3,0(r4)` with that key moved.
fn through_memory(key: &str, value: f64) -> f64 {
    let cpu = load("power10").with(key, value).unwrap();
    let code: Vec<u8> =
        [0xf864_0000u32, 0xe864_0000, 0x4200_fff8].iter().flat_map(|word| word.to_le_bytes()).collect();
    let walk = Walk { start: 0x2000_0000, step: 0, wrap: 0 };
    let mut source = LoopSource::new(Arch::Powerpc64le, &code, 0x1000_0000, &[walk, walk], 2000).unwrap();
    let prediction = predict(&mut source, &[&cpu], &Options::default()).unwrap().remove(0);
    prediction.cycles_per_call.unwrap()
}

/// The first level's latency is that of loads, under another name: whichever is moved, a forwarded value comes as long after its
/// load as `memory.forward` says.
#[test]
fn a_slower_first_level_forwards_no_sooner() {
    let power10 = load("power10");
    let (cache, class) = ("cache.l1.latency", "class.load.latency.value");
    let told = through_memory(cache, power10.value(cache).unwrap());
    for key in [cache, class] {
        near(through_memory(key, 6.0), told);
    }
    let guesses: Vec<String> = power10.guesses().into_iter().map(|guess| guess.key).collect();
    assert!(guesses.contains(&cache.to_owned()) && !guesses.contains(&class.to_owned()));
}

#[test]
fn on_every_core_loads_take_what_the_first_level_takes() {
    for name in Cpu::list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus")) {
        let cpu = load(&name);
        let class = cpu.value("class.load.latency.value");
        assert!(class.is_none_or(|cycles| cpu.value("cache.l1.latency") == Some(cycles)), "{name}");
    }
}
