// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whole routines of published crates, one of which is called as often as it takes to time it: for `./assay validate --native
//! --routines`, which builds this program, runs it natively, and records the same calls of the same routine under QEMU.
//! docs/core-at-hand.md says what is measured.
//!
//! `routines list` prints name and kind of each, `routines NAME` calls one and prints what the clock said.

mod arena;
mod ciphers;
#[path = "../../src/clock.rs"]
mod clock;
mod codecs;
mod data;
mod hashes;
mod input;
mod interpreter;
mod numbers;
mod routine;
mod stack;

// Not called by name: it has the functions that the compiler calls.
use memory as _;
use routine::Routine;
use std::hint::black_box;
use std::ops::Range;
use std::process::ExitCode;

#[global_allocator]
static ARENA: arena::Arena = arena::Arena;

/// Calls before the timed ones, and those. A prediction's steady state is the later half of the calls that ended before the last
/// began, so there is one more call behind the timed ones: these are the same.
const WARM_CALLS: usize = 8;
const TIMED_CALLS: usize = 8;
/// Readings of the clock, of which the middle one counts.
const CLOCK_READINGS: usize = 9;

/// All routines, by kind.
fn all() -> impl Iterator<Item = &'static Routine> {
    [hashes::ALL, ciphers::ALL, numbers::ALL, codecs::ALL, data::ALL].into_iter().flatten()
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => all().for_each(|routine| println!("{} {}", routine.name(), routine.kind)),
        [name] => {
            let Some(chosen) = all().position(|routine| routine.name() == name) else {
                eprintln!("routines: there is no routine '{name}'; remedy: 'routines list' shows them");
                return ExitCode::from(2);
            };
            stack::call_on_it(time, chosen);
        }
        _ => {
            eprintln!("usage: routines list | routines NAME");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Times calls of the routine of this number and prints: ticks of the counter that each took, cycles per tick before and behind, and
/// a sum of all results.
extern "C" fn time(number: usize) {
    let Some(chosen) = all().nth(number) else { return };
    touch_code();
    arena::touch();
    prepare(chosen);
    let mut sum = 0u64;
    let mut calls = |range: Range<usize>| {
        for number in range {
            sum = chosen.call(number) ^ sum.rotate_left(1);
        }
    };
    calls(0..WARM_CALLS);
    let before = cycles_per_tick();
    let mut read = [clock::ticks(); TIMED_CALLS + 1];
    for timed in 0..TIMED_CALLS {
        calls(WARM_CALLS + timed..WARM_CALLS + timed + 1);
        read[timed + 1] = clock::ticks();
    }
    let after = cycles_per_tick();
    calls(WARM_CALLS + TIMED_CALLS..WARM_CALLS + TIMED_CALLS + 1);
    let reading = ticks_of_reading();
    let ticks = read.windows(2).map(|two| two[1].saturating_sub(two[0] + reading).to_string());
    let ticks = ticks.collect::<Vec<_>>().join(" ");
    println!("ticks {ticks} cycles_per_tick {before} {after} sum {sum:016x}");
}

/// Prepares all routines, and then calls all but the chosen one, which makes the branch predictor forget what it has learned of
/// the same calls, here or in an earlier process.
fn prepare(chosen: &Routine) {
    let prepared = all().map(Routine::prepare).fold(0, u64::wrapping_add);
    let others = all().filter(|routine| routine.symbol != chosen.symbol);
    black_box(others.map(|routine| routine.call_apart(1)).fold(prepared, u64::wrapping_add));
}

fn cycles_per_tick() -> f64 {
    let mut readings = [0.0; CLOCK_READINGS];
    readings.fill_with(clock::cycles_per_tick);
    readings.sort_by(f64::total_cmp);
    readings[CLOCK_READINGS / 2]
}

/// What reading the counter adds to what is timed.
fn ticks_of_reading() -> u64 {
    (0..CLOCK_READINGS).map(|_| clock::ticks().abs_diff(clock::ticks())).min().unwrap_or(0)
}

/// Reads every page of the code, so that none is mapped while a call is timed.
fn touch_code() {
    extern "C" {
        static __executable_start: u8;
        static etext: u8;
    }
    let (start, end) = (&raw const __executable_start, &raw const etext);
    let mut page = start;
    while page < end {
        // SAFETY: the linker's names for the begin and the end of what is loaded up to the code.
        unsafe { page.read_volatile() };
        page = page.wrapping_add(4096);
    }
}
