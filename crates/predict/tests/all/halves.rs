// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The halves of POWER7 and POWER8, and what their fixed-point pipes do, each shown by the smallest loop that depends on it.

use arch::Arch;
use predict::loops::LoopSource;
use predict::{predict, Cpu, Options, Relax};
use std::path::Path;

/// Cycles for a turn of a loop of `body` and `bdnz`.
pub(crate) fn turn(name: &str, body: &[u32]) -> f64 {
    turn_with(name, body, Relax::default())
}

fn turn_with(name: &str, body: &[u32], relax: Relax) -> f64 {
    turn_on(&load(name), body, relax)
}

pub(crate) fn load(name: &str) -> Cpu {
    let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
    Cpu::load(&cpus, name).unwrap_or_else(|error| panic!("{error}"))
}

fn turn_on(cpu: &Cpu, body: &[u32], relax: Relax) -> f64 {
    let bdnz = 0x4200_0000 | ((body.len() as u32 * 4).wrapping_neg() & 0xfffc);
    let code: Vec<u8> = body.iter().chain([&bdnz]).flat_map(|word| word.to_le_bytes()).collect();
    let mut source = LoopSource::new(Arch::Powerpc64le, &code, 0x1000_0000, &[], 2000).unwrap();
    let options = Options { relax, ..Options::default() };
    predict(&mut source, &[cpu], &options).unwrap().remove(0).cycles_per_call.unwrap()
}

/// An instruction of primary opcode 31 that computes `to` from two registers.
pub(crate) fn arithmetic(xo: u32, to: u32, a: u32, b: u32) -> u32 {
    31 << 26 | to << 21 | a << 16 | b << 11 | xo << 1
}

fn addi(to: u32, from: u32) -> u32 {
    14 << 26 | to << 21 | from << 16 | 1
}

fn and(to: u32, a: u32, b: u32) -> u32 {
    31 << 26 | a << 21 | to << 16 | b << 11 | 28 << 1
}

/// `rotldi to,from,1`
fn rotate(to: u32, from: u32) -> u32 {
    30 << 26 | from << 21 | to << 16 | 1 << 11
}

const MULLD: u32 = 233;
const MULHDU: u32 = 9;
const SUBFE: u32 = 136;
const DIVDU: u32 = 457;
const DIVDEU: u32 = 393;
/// Never written in these loops.
const INPUT: u32 = 2;
const OUTPUT: u32 = 4;

pub(crate) fn near(found: f64, cycles: f64) {
    assert!((found - cycles).abs() < 0.05, "{found} cycles, not {cycles}");
}

/// Eight products, each of the last one's result, which older turns do not wait for, and behind them `general` additions and
/// `vector` ones, which complete after the products: so many turns overlap as there are registers for.
fn behind_products(general: u32, vector: u32) -> Vec<u32> {
    let products =
        (0..8).map(|link| arithmetic(MULLD, OUTPUT, if link == 0 { INPUT } else { OUTPUT }, INPUT));
    let additions = (0..general).map(|number| addi(5 + number % 8, INPUT));
    let vectors = (0..vector).map(|number| 4 << 26 | (number % 8) << 21 | 9 << 16 | 9 << 11);
    products.chain(additions).chain(vectors).collect()
}

#[test]
fn power8_renames_general_and_vector_registers_from_one_pool() {
    let whole = |body: &[u32]| turn("power8", body);
    let general = whole(&behind_products(24, 0));
    let mixed = whole(&behind_products(12, 12));
    let half = whole(&behind_products(12, 0));
    assert!((general - mixed).abs() < 0.5, "{general} cycles, {mixed} with half of the registers vectors");
    assert!(
        half < general - 2.0,
        "{half} cycles with fewer registers, {general} with all: something else binds"
    );
}

#[test]
fn rotates_that_all_go_to_one_half_use_one_pipe() {
    // Sixteen rotates, which only FX pipes do, and sixteen additions, which LS pipes do, too.
    let (rotates, additions) = ([rotate(OUTPUT, INPUT); 16], [addi(OUTPUT + 1, INPUT); 16]);
    let in_turn: Vec<u32> = rotates.iter().zip(&additions).flat_map(|(&a, &b)| [a, b]).collect();
    let in_pairs: Vec<u32> =
        rotates.chunks(2).zip(additions.chunks(2)).flat_map(|(a, b)| [a[0], a[1], b[0], b[1]]).collect();
    near(turn("power7", &in_turn), 16.0);
    assert!(turn("power7", &in_pairs) < 10.0, "eight rotates in each half, eight groups");
}

#[test]
fn a_result_is_later_in_the_other_half() {
    let chain = [rotate(OUTPUT, OUTPUT); 12];
    let apart: Vec<u32> = chain.iter().flat_map(|&link| [link, rotate(OUTPUT + 1, INPUT)]).collect();
    for cpu in ["power7", "power8"] {
        near(turn(cpu, &chain), 24.0);
        // With another rotate behind each, all links go to one half.
        near(turn(cpu, &apart), 12.0);
        // Where pipes are unlimited, they all stay there.
        near(turn_with(cpu, &apart, Relax { pipes: u32::MAX, ..Relax::default() }), 12.0);
        // Where latency is free, it is so on the way to the other half, too.
        near(turn_with(cpu, &chain, Relax { latency: true, ..Relax::default() }), 12.0);
    }
}

/// No source has three cycles: a core on which a rotate takes two, as LLVM has it for all, needs no third to the other half.
#[test]
fn a_result_of_two_cycles_is_no_later_in_the_other_half() {
    let chain = [rotate(OUTPUT, OUTPUT); 12];
    let apart: Vec<u32> = chain.iter().flat_map(|&link| [link, rotate(OUTPUT + 1, INPUT)]).collect();
    for name in ["power7", "power8"] {
        let cpu = load(name).with("class.rotate.latency.value", 2.0).expect("a number of the cpu");
        near(turn_on(&cpu, &chain, Relax::default()), 24.0);
        near(turn_on(&cpu, &apart, Relax::default()), 24.0);
    }
}

#[test]
fn the_carry_takes_two_cycles_in_either_half() {
    let chain = [arithmetic(138, OUTPUT, INPUT, INPUT); 12];
    for cpu in ["power7", "power8"] {
        near(turn(cpu, &chain), 24.0);
    }
}

#[test]
fn six_pipes_of_power8_add_and_two_do_logical_work() {
    near(turn("power8", &[addi(OUTPUT, INPUT); 96]), 16.0);
    near(turn("power8", &[and(OUTPUT, INPUT, INPUT); 96]), 48.0);
    // Four slots a group; the load/store pipes do both.
    near(turn("power7", &[and(OUTPUT, INPUT, INPUT); 96]), 24.0);
}

#[test]
fn multiplies_are_pipelined_in_both_pipes() {
    for cpu in ["power7", "power8"] {
        near(turn(cpu, &[arithmetic(MULLD, OUTPUT, INPUT, INPUT); 32]), 16.0);
        // The chain of GMP's bdiv_q_1, measured at 12 on both.
        let link = [
            arithmetic(SUBFE, OUTPUT, OUTPUT, INPUT),
            arithmetic(MULLD, OUTPUT, OUTPUT, INPUT),
            arithmetic(MULHDU, OUTPUT, OUTPUT, INPUT),
        ];
        near(turn(cpu, &link), 12.0);
    }
}

#[test]
fn each_fixed_point_pipe_of_power8_divides_alone() {
    near(turn("power8", &[arithmetic(DIVDU, OUTPUT, INPUT, INPUT); 4]), 46.0);
    near(turn("power8", &[arithmetic(DIVDEU, OUTPUT, INPUT, INPUT); 4]), 52.0);
}

/// A product of five cycles that was issued three cycles before an addition is ready has the port that the addition's result
/// needs, however much older the addition is. GMP's mul_1 takes 2.9 cycles a limb on POWER7 and 2.47 on POWER9, where a chain
/// of additions with carry allows 2.
#[test]
fn products_issued_early_delay_a_chain_of_carries() {
    const ADDE: u32 = 138;
    let adde = arithmetic(ADDE, OUTPUT, INPUT, INPUT);
    let with_products =
        [arithmetic(MULLD, 14, INPUT, INPUT), arithmetic(MULHDU, 15, INPUT, INPUT), adde].repeat(8);
    for cpu in ["power7", "power8", "power9"] {
        near(turn(cpu, &[adde; 8]), 16.0);
        let delayed = turn(cpu, &with_products);
        assert!((17.0..22.0).contains(&delayed), "{cpu}: {delayed} cycles for eight");
    }
}

#[test]
fn every_addition_that_makes_a_carry_takes_two_cycles_to_it() {
    let addic = |primary: u32| primary << 26 | (OUTPUT + 1) << 21 | OUTPUT << 16 | 1;
    let addze = arithmetic(202, OUTPUT, OUTPUT, 0);
    let chain = |cpu, link: &[u32]| turn(cpu, &link.repeat(4));
    for cpu in ["power7", "power8"] {
        // `addic`, `addic.`: to `addze` in the other half, and, with a rotation in between, to that in the same.
        for primary in [12, 13] {
            near(chain(cpu, &[addic(primary), addze]), 16.0);
            near(chain(cpu, &[addic(primary), rotate(OUTPUT + 2, INPUT), addze]), 16.0);
        }
    }
}

/// A sum of quotients: an addition that waits keeps the next root, which waits for nothing, from no pipe.
#[test]
fn a_root_that_is_ready_does_not_wait_for_an_older_addition_that_is_not() {
    let float = |xo: u32, to: u32, a: u32, b: u32| 63 << 26 | to << 21 | a << 16 | b << 11 | xo << 1;
    let (root, quotient) = (float(22, 3, 0, 2), float(18, 4, 2, 3));
    for name in ["power7", "power8"] {
        let bare = turn(name, &[root, quotient]);
        let cycles = turn(name, &[root, quotient, float(21, 5, 5, 4)]);
        assert!(cycles <= bare + 0.05, "{name}: {cycles} cycles, {bare} without the addition");
    }
}

#[test]
fn power7_selects_in_the_pipe_that_permutes() {
    // `vsel 4+n,2,3,5` and `vand 12+n,2,3` in turn: one each a cycle, where eight in one pipe take eight. A taken branch has four.
    let select = |to: u32| 4 << 26 | to << 21 | 2 << 16 | 3 << 11 | 5 << 6 | 42;
    let and = |to: u32| 4 << 26 | to << 21 | 2 << 16 | 3 << 11 | 1028;
    let body: Vec<u32> = (0..4).flat_map(|n| [select(6 + n), and(12 + n)]).collect();
    near(turn("power7", &body), 5.0);
}
