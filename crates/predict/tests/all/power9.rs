// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The mechanisms of POWER9's slices, each by the smallest loop that shows it. What the machine takes for such loops was
//! measured (`validation/power9_loops.toml`); here stands what follows from the numbers of the cpu file.

use arch::Arch;
use predict::draws::believable;
use predict::loops::{LoopSource, Walk};
use predict::{predict, Cpu, Options, Relax};
use std::path::Path;

const BDNZ: u32 = 0x4200_0000;
const NOP: u32 = 0x6000_0000;

/// `add rt,ra,rb`.
fn add(rt: u32, ra: u32, rb: u32) -> u32 {
    31 << 26 | rt << 21 | ra << 16 | rb << 11 | 266 << 1
}

/// `rldicl rt,rt,1,0`: a restricted instruction.
fn rotate(rt: u32) -> u32 {
    30 << 26 | rt << 21 | rt << 16 | 1 << 11
}

/// `ld`, `std`, `stw` of `rt` at `offset` from r6.
fn ld(rt: u32, offset: u32) -> u32 {
    58 << 26 | rt << 21 | 6 << 16 | offset
}
fn std(rt: u32, offset: u32) -> u32 {
    62 << 26 | rt << 21 | 6 << 16 | offset
}
fn stw(rt: u32, offset: u32) -> u32 {
    36 << 26 | rt << 21 | 6 << 16 | offset
}

/// Cycles of a turn of `body` and `bdnz`, the loop `offset` bytes behind a line; `addresses` are its accesses'.
fn turn_at(offset: u64, body: &[u32], addresses: &[u64]) -> f64 {
    cycles(loop_at(offset, body, addresses), Relax::default())
}

fn loop_at(offset: u64, body: &[u32], addresses: &[u64]) -> LoopSource {
    let back = (body.len() as u32 * 4).wrapping_neg() & 0xfffc;
    let words = body.iter().copied().chain([BDNZ | back]);
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let walks: Vec<Walk> = addresses.iter().map(|&start| Walk { start, step: 0, wrap: 0 }).collect();
    LoopSource::new(Arch::Powerpc64le, &code, 0x1000_0000 + offset, &walks, 4000).unwrap()
}

fn power9() -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), "power9").unwrap()
}

fn cycles(source: LoopSource, relax: Relax) -> f64 {
    cycles_on(&power9(), source, relax)
}

fn cycles_on(cpu: &Cpu, mut source: LoopSource, relax: Relax) -> f64 {
    let options = Options { relax, ..Options::default() };
    let prediction = predict(&mut source, &[cpu], &options).unwrap().remove(0);
    prediction.cycles_per_call.unwrap()
}

fn turn(body: &[u32], addresses: &[u64]) -> f64 {
    turn_at(0, body, addresses)
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.05, "{found} instead of {expected}");
}

#[test]
fn pipes_that_are_bound_at_dispatch_give_less_than_four_additions_a_cycle() {
    // Eight chains of two cycles a link could use all four pipes in every cycle, if each addition found one free.
    let body: Vec<u32> = (0..64).map(|n| add(14 + n % 8, 14 + n % 8, 4)).collect();
    let rate = 64.0 / turn(&body, &[]);
    assert!((3.3..3.7).contains(&rate), "{rate} a cycle");
    // They all use them where dispatch does not bind them, and each result takes one port and not all.
    let unbound = cycles(loop_at(0, &body, &[]), Relax { dispatch: true, ..Relax::default() });
    near(unbound, 16.0);
}

#[test]
fn two_chains_and_a_third_addition_delay_each_other_in_a_loop_of_two_cycles() {
    let least = turn(&[add(3, 3, 4), add(5, 5, 4), add(9, 5, 4)], &[]);
    assert!((2.05..2.6).contains(&least), "{least}");
    near(turn(&[add(3, 3, 4)], &[]), 2.0);
}

#[test]
fn no_third_operation_joins_a_restricted_one() {
    // Six operations that are not restricted are dispatched in a cycle, four that are.
    let nops = turn(&[NOP; 23], &[]);
    near(nops, 4.0);
    let rotates: Vec<u32> = (0..24).map(|n| rotate(14 + n % 16)).collect();
    assert!(turn(&rotates, &[]) >= 6.0);
    // One in each tuple keeps the third place of both empty.
    let mixed: Vec<u32> = (0..24).map(|n| if n % 2 == 0 { rotate(14 + n % 16) } else { NOP }).collect();
    near(turn(&mixed, &[]), 6.0);
}

#[test]
fn what_takes_no_pipe_is_in_no_ones_way_to_a_result_port() {
    // mfsrin and mtsrin wait for everything older and take twenty cycles; only mfsrin has a result. One of sixteen additions
    // that wait for each other has its result in the same cycle, in one of the slices.
    let cycles = |segment: u32, apart: usize| {
        let segment = 31 << 26 | 3 << 21 | 4 << 11 | segment << 1;
        let others = std::iter::repeat_n(NOP, apart).chain([add(14, 14, 5); 16]);
        turn(&std::iter::once(segment).chain(others).collect::<Vec<_>>(), &[])
    };
    for apart in 0..6 {
        near(cycles(659, apart), cycles(242, apart));
    }
}

#[test]
fn each_slice_writes_one_result_a_cycle_whoever_gives_way() {
    // Loads of four cycles issue before additions of two that have their result in the same cycle, and have the port; the
    // additions need it a cycle later, but they need it.
    let pair = |n: u32| [ld(3 + n % 2, 0), add(14 + n % 16, 7, 8)];
    let body: Vec<u32> = (0..32).flat_map(pair).collect();
    let cycles = turn(&body, &[0x2000_0000; 32]);
    assert!(cycles >= 16.0, "{cycles} for 64 results of four slices");
    let without = power9().with("dispatch.load_results", 0.0).unwrap();
    let cycles = cycles_on(&without, loop_at(0, &body, &[0x2000_0000; 32]), Relax::default());
    assert!(cycles < 13.0, "{cycles} where loads need no port");
}

#[test]
fn a_value_that_was_just_computed_takes_long_through_memory_one_that_lies_there_does_not() {
    const SLOT: u64 = 0x2000_0000;
    // std behind add, one cycle; from there to the load's value fifteen; add, two.
    near(turn(&[ld(3, 0), add(3, 3, 4), std(3, 0)], &[SLOT, SLOT]), 18.0);
    // The load's address is late, the data are not: six cycles instead of four.
    let address = |n| add(6, 3, n);
    let late = turn(&[std(4, 0), ld(3, 0), address(7)], &[SLOT, SLOT]);
    assert!((8.0..8.2).contains(&late), "{late}");
    let apart = turn(&[std(4, 64), ld(3, 0), address(7)], &[SLOT + 64, SLOT]);
    // One of the 4000 turns waits for the line.
    assert!((6.0..6.3).contains(&apart), "{apart}");
}

#[test]
fn chains_through_memory_wait_for_the_stores_before_them_to_complete() {
    const SLOT: u64 = 0x2000_0000;
    let at = |chain: u32| SLOT + 16 * u64::from(chain);
    let indexed = |xo: u32, chain: u32| 31 << 26 | chain << 21 | 7 << 11 | xo << 1;
    let (lvx, stvx) = (103, 231);
    // One behind the other: a sequence takes a cycle to complete, four from there to the value, and two more to a vector.
    let chained: Vec<u32> = (0..4).flat_map(|chain| [indexed(stvx, chain), indexed(lvx, chain)]).collect();
    let places: Vec<u64> = (0..4).flat_map(|chain| [at(chain); 2]).collect();
    near(turn(&chained, &places), 28.0);
    // All stored before any is loaded: nothing but the latency, sixteen cycles.
    let apart: Vec<u32> =
        [stvx, lvx].iter().flat_map(|&xo| (0..4).map(move |chain| indexed(xo, chain))).collect();
    let places: Vec<u64> = [at; 2].iter().flat_map(|at| (0..4).map(at)).collect();
    near(turn(&apart, &places), 16.0);
    // Slots that are loaded, changed and stored in every turn, in either order: eighteen cycles, as one such slot takes.
    let slot =
        |chain: u32| [ld(3 + chain, 8 * chain), add(3 + chain, 3 + chain, 2), std(3 + chain, 8 * chain)];
    let of_slot = |chain: u32| SLOT + 8 * u64::from(chain);
    let one_by_one: Vec<u32> = (0..4).flat_map(slot).collect();
    let places: Vec<u64> = (0..4).flat_map(|chain| [of_slot(chain); 2]).collect();
    near(turn(&one_by_one, &places), 18.0);
    let together: Vec<u32> = (0..3).flat_map(|step| (0..4).map(move |chain| slot(chain)[step])).collect();
    let places: Vec<u64> = [of_slot; 2].iter().flat_map(|at| (0..4).map(at)).collect();
    near(turn(&together, &places), 18.0);
}

/// Four chains, each load right behind its store, on a core of which `memory.general_completed` is that: only what goes from general
/// registers to general registers depends on it. Loads of vectors and loads from stores of vectors were measured.
#[test]
fn what_stays_in_general_registers_may_not_have_to_wait_for_completion() {
    const SLOT: u64 = 0x2000_0000;
    let indexed = |xo: u32, chain: u32| 31 << 26 | chain << 21 | 7 << 11 | xo << 1;
    let (lvx, stvx, mtvsrd, mfvsrd) = (103, 231, 179, 51);
    // Between v0 and r8, v1 and r9, and on.
    let moved = |xo: u32, chain: u32| 31 << 26 | chain << 21 | (8 + chain) << 16 | xo << 1 | 1;
    let general = |chain: u32| vec![std(8 + chain, 16 * chain), ld(8 + chain, 16 * chain)];
    let vector = |chain: u32| vec![indexed(stvx, chain), indexed(lvx, chain)];
    let out = |chain: u32| vec![indexed(stvx, chain), ld(8 + chain, 16 * chain), moved(mtvsrd, chain)];
    let in_part = |chain: u32| vec![moved(mfvsrd, chain), std(8 + chain, 16 * chain), indexed(lvx, chain)];
    let places: Vec<u64> = (0..4).flat_map(|chain| [SLOT + 16 * chain; 2]).collect();
    let turn = |pair: &dyn Fn(u32) -> Vec<u32>, waits: f64| {
        let cpu = power9().with("memory.general_completed", waits).expect("a number of the cpu");
        let body: Vec<u32> = (0..4).flat_map(pair).collect();
        cycles_on(&cpu, loop_at(0, &body, &places), Relax::default())
    };
    for waits in [0.0, 1.0] {
        near(turn(&vector, waits), 28.0);
        near(turn(&out, waits), 24.1);
        near(turn(&in_part, waits), 28.0);
    }
    near(turn(&general, 0.0), 15.0);
    near(turn(&general, 1.0), 16.0);
}

#[test]
fn a_doubleword_comes_from_one_store_and_the_cache_or_waits() {
    const SLOT: u64 = 0x2000_0000;
    let one = turn(&[ld(3, 0), add(3, 3, 4), stw(3, 0)], &[SLOT, SLOT]);
    near(one, 20.0);
    let two = turn(&[ld(3, 0), add(3, 3, 4), stw(3, 0), stw(3, 4)], &[SLOT, SLOT, SLOT + 4]);
    assert!((36.0..42.0).contains(&two), "{two}");
}

#[test]
fn a_direct_branch_takes_one_cycle_and_three_in_company_of_indirect_ones() {
    let branch_on = 18 << 26 | 16;
    let line = [branch_on, NOP, NOP, NOP];
    near(turn(&[line, line, line, line, line, line, line, line].concat(), &[]), 9.0);
    let (mtctr_r14, bctr, b_back) =
        (0x7dc9_03a6, 0x4e80_0420, 18 << 26 | (20_u32.wrapping_neg() & 0x03ff_fffc));
    let code: Vec<u8> =
        [mtctr_r14, bctr, NOP, NOP, NOP, b_back].iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let goes = [20, 0];
    let chain = LoopSource::along(Arch::Powerpc64le, &code, 0x1000_0000, &[], &goes, 4000).unwrap();
    near(cycles(chain, Relax::default()), 6.0);
}

#[test]
fn what_is_fetched_from_a_target_starts_at_sixteen_bytes_and_ends_with_the_line() {
    // Fourteen instructions leave in fourteen sixths of a cycle. From a multiple of 16 bytes they are fetched as eight and
    // six, from 12 bytes behind one as five, eight and one, from 16 bytes before a line's end as four, eight and two.
    let body = [NOP; 13];
    near(turn_at(16, &body, &[]), 14.0 / 6.0);
    near(turn_at(28, &body, &[]), 3.0);
    near(turn_at(112, &body, &[]), 3.0);
}

#[test]
fn a_loop_that_counts_takes_two_cycles_a_turn() {
    near(turn(&[NOP; 4], &[]), 2.0);
}

/// The user's manual gives branches a queue of sixteen. So on no core drawn do fifteen that wait for a slow comparison keep the
/// additions behind them from being done meanwhile: they cost half their own fifteen cycles or so, and not the additions'.
#[test]
fn sixteen_branches_wait_for_their_condition_without_holding_up_dispatch() {
    // divd r5, r5, r4; cmpdi cr7, r5, -1; beq cr7, .+4
    let (divide, compare, branch) = (0x7ca5_23d2, 0x2fa5_ffff, 0x419e_0004);
    let body = |branches: usize| {
        let waits = [vec![branch; branches], vec![NOP; 15 - branches]].concat();
        [vec![divide, compare], waits, vec![add(7, 3, 4); 60]].concat()
    };
    for cpu in believable(&power9()) {
        let turn = |branches| cycles_on(&cpu, loop_at(0, &body(branches), &[]), Relax::default());
        let (without, with) = (turn(0), turn(15));
        assert!(with < without + 12.0, "{with}, {without} without branches");
    }
}
