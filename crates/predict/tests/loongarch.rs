// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LA464 and LA664: what fetch, taken branches and the queue of waiting integer operations do to small loops, most of them
//! in the form of published ones (docs/method.md).

use arch::Arch;
use predict::loops::{LoopSource, Walk};
use predict::{predict, Cpu, Options};
use std::path::Path;

type Register = u32;

fn three(opcode: u32, d: Register, j: Register, k: Register) -> u32 {
    opcode | k << 10 | j << 5 | d
}

fn add(d: Register, j: Register, k: Register) -> u32 {
    three(0x0010_8000, d, j, k)
}

fn sltu(d: Register, j: Register, k: Register) -> u32 {
    three(0x0012_8000, d, j, k)
}

fn addi(d: Register, j: Register, immediate: u32) -> u32 {
    0x02c0_0000 | immediate << 10 | j << 5 | d
}

fn ld(d: Register, j: Register, offset: u32) -> u32 {
    0x28c0_0000 | offset << 10 | j << 5 | d
}

fn st(d: Register, j: Register) -> u32 {
    0x29c0_0000 | j << 5 | d
}

/// `bgeu a1, a0` back over `before` instructions.
fn bgeu_back(before: u32) -> u32 {
    0x6c00_0000 | (before.wrapping_neg() & 0xffff) << 10 | 5 << 5 | 4
}

/// Cycles a turn of a loop that starts `place` bytes into a block of 64.
fn turn(cpu: &str, place: u64, words: &[u32], walks: &[Walk]) -> f64 {
    let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), cpu)
        .unwrap_or_else(|error| panic!("{error}"));
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut source =
        LoopSource::new(Arch::Loongarch64, &code, 0x1_2000_0000 + place, walks, 6000).expect("a loop");
    predict(&mut source, &[&cpu], &Options::default()).expect("a prediction")[0]
        .cycles_per_call
        .expect("a loop has turns")
}

fn words_at(offsets: impl IntoIterator<Item = u64>) -> Vec<Walk> {
    offsets.into_iter().map(|offset| Walk { start: 0x2000_0000 + offset, step: 64, wrap: 4096 }).collect()
}

#[track_caller]
fn close(cycles: f64, expected: f64) {
    assert!((cycles - expected).abs() < 0.02, "{cycles} instead of {expected}");
}

/// Go's ClearFat and memclr on a 3C5000: 2.0 to 2.14 and 3.0 cycles.
#[test]
fn a_taken_branch_takes_two_cycles_on_la464_and_five_instructions_across_a_block_three() {
    let walk = [Walk { start: 0x2000_0000, step: 8, wrap: 4096 }];
    let clear_fat = [st(0, 4), addi(4, 4, 8), bgeu_back(2)];
    close(turn("la464", 0, &clear_fat, &walk), 2.0);
    // sltu t0, a1, a0; beqz t0, out; st.d; addi.d; b
    let branch_back = 0x5000_0000 | (4u32.wrapping_neg() & 0xffff) << 10 | 0x3ff;
    let memclr = [sltu(12, 5, 4), 0x4000_0000 | 4 << 10 | 12 << 5, st(0, 4), addi(4, 4, 8), branch_back];
    close(turn("la464", 0, &memclr, &walk), 2.0);
    close(turn("la464", 16, &memclr, &walk), 3.0);
}

#[test]
fn fetch_is_wider_than_dispatch_so_a_long_loop_hides_its_branch_wherever_it_stands() {
    let long = |count: u32| {
        let adds = (0..count - 1).map(|number| add(12 + number % 8, 6, 7));
        adds.chain([bgeu_back(count - 1)]).collect::<Vec<_>>()
    };
    for place in [0, 12, 28] {
        close(turn("la464", place, &long(35), &[]), 35.0 / 4.0);
    }
    // Twenty-four nops: four pipes would bound additions.
    let nops: Vec<u32> = [0x0340_0000; 23].into_iter().chain([bgeu_back(23)]).collect();
    close(turn("la664", 0, &nops, &[]), 4.0);
}

/// Eight words, loaded in the order of `offsets`, are added in those pairs, the pairs as a tree, with their carries, as the
/// 2023 thread's uint128 does. The address goes on behind the loads, or at the end.
fn tree(offsets: [u32; 8], pairs: [(usize, usize); 4], early: bool) -> Vec<u32> {
    let word = |index: usize| 12 + index as u32;
    let mut code: Vec<u32> = offsets.iter().enumerate().map(|(index, &at)| ld(word(index), 4, at)).collect();
    let go_on = [addi(4, 4, 64), addi(7, 7, 1)];
    code.extend(go_on.iter().filter(|_| early));
    let mut level: Vec<u32> = pairs
        .iter()
        .map(|&(first, second)| {
            code.push(add(word(second), word(first), word(second)));
            word(second)
        })
        .collect();
    let carried: Vec<u32> = pairs.iter().map(|&(first, _)| word(first)).collect();
    code.extend(carried.iter().zip(&level).map(|(&first, &sum)| sltu(first, sum, first)));
    code.extend(carried.iter().zip(&level).map(|(&carry, &sum)| add(carry, carry, sum)));
    level = carried;
    while level.len() > 1 {
        let halves: Vec<(u32, u32)> = level.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        code.extend(halves.iter().map(|&(one, other)| add(other, one, other)));
        code.extend(halves.iter().map(|&(one, other)| sltu(one, other, one)));
        code.extend(halves.iter().map(|&(one, other)| add(one, one, other)));
        level = halves.into_iter().map(|(one, _)| one).collect();
    }
    let total = 6;
    code.extend([add(total, level[0], total), sltu(level[0], total, level[0])]);
    code.extend(go_on.iter().filter(|_| !early));
    code.push(add(total, total, level[0]));
    code.push(bgeu_back(code.len() as u32));
    code
}

/// bibo-mao/bench: 10.9 cycles at 26141b2, 8.7 at e357b54, from 35 instructions each.
#[test]
fn operations_that_wait_for_a_late_address_fill_the_queue_of_la464() {
    let apart = tree([8, 24, 40, 56, 0, 16, 32, 48], [(0, 4), (1, 5), (2, 6), (3, 7)], false);
    let beside = tree([0, 8, 16, 24, 32, 40, 48, 56], [(1, 0), (3, 2), (5, 4), (7, 6)], true);
    assert_eq!((apart.len(), beside.len()), (35, 35));
    let apart = turn("la464", 0, &apart, &words_at([8, 24, 40, 56, 0, 16, 32, 48]));
    let beside = turn("la464", 0, &beside, &words_at([0, 8, 16, 24, 32, 40, 48, 56]));
    assert!((9.7..=10.9).contains(&apart), "{apart}");
    assert!((8.7..=9.1).contains(&beside), "{beside}");
}

#[test]
fn what_is_inserted_into_waits_a_cycle_and_what_is_inserted_three() {
    // vinsgr2vr.d vr1, a2, 1 and xvinsgr2vr.d xr1, a2, 1; vpickve2gr.d a2, vr1, 0
    let (insert, insert_far, pick) = (0x72eb_f4c1, 0x76eb_e4c1, 0x72ef_f026);
    for cpu in ["la464", "la664"] {
        close(turn(cpu, 0, &[&[insert; 15][..], &[bgeu_back(15)]].concat(), &[]), 15.0);
        // Around through the general registers: three to insert, three to pick, one to add.
        close(turn(cpu, 0, &[insert, pick, add(6, 6, 6), bgeu_back(3)], &[]), 7.0);
        close(turn(cpu, 0, &[insert_far, pick, add(6, 6, 6), bgeu_back(3)], &[]), 9.0);
    }
}

#[test]
fn la664_rounds_floats_in_two_of_its_four_pipes() {
    // vfrint.d and vftint.w.s of vr2 to vr6, from vr1.
    let each = |word: u32| (2..7).map(move |d| word | 1 << 5 | d).collect::<Vec<_>>();
    close(turn("la664", 0, &[each(0x729d_3800), each(0x729d_3800), vec![bgeu_back(10)]].concat(), &[]), 5.0);
}
