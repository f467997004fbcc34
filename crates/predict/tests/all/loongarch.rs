// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LA464 and LA664: what fetch, taken branches and the queue of waiting integer operations do to small loops, most of them
//! in the form of published ones (docs/method.md), and vector instructions in the form of jiegec's measured ones.

use arch::Arch;
use predict::cpu::Entry;
use predict::draws::believable;
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

fn load(cpu: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), cpu)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Cycles a turn of a loop that starts `place` bytes into a block of 64.
fn turn(cpu: &str, place: u64, words: &[u32], walks: &[Walk]) -> f64 {
    turn_on(&load(cpu), place, words, walks)
}

fn turn_on(cpu: &Cpu, place: u64, words: &[u32], walks: &[Walk]) -> f64 {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut source =
        LoopSource::new(Arch::Loongarch64, &code, 0x1_2000_0000 + place, walks, 6000).expect("a loop");
    predict(&mut source, &[cpu], &Options::default()).expect("a prediction")[0]
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

/// `vinsgr2vr.d` into the upper half.
fn insert(d: Register, j: Register) -> u32 {
    0x72eb_f400 | j << 5 | d
}

/// `vpickve2gr.d` of the lower half.
fn pick(d: Register, j: Register) -> u32 {
    0x72ef_f000 | j << 5 | d
}

/// Cycles that each takes of a loop of sixteen instructions, `words` over and over.
fn each(cpu: &str, words: &[u32]) -> f64 {
    let repeated: Vec<u32> = words.iter().copied().cycle().take(16).collect();
    cycles_of(cpu, &repeated) / 16.0
}

/// Cycles a turn of a loop of these.
fn cycles_of(cpu: &str, words: &[u32]) -> f64 {
    let code: Vec<u32> = words.iter().copied().chain([bgeu_back(words.len() as u32)]).collect();
    turn(cpu, 0, &code, &[])
}

/// jiegec: 1.00 a step through the vector operand. LLVM: 3 cycles, 5 of 256 bits, which are those from a general register.
#[test]
fn an_insertion_takes_a_cycle_from_its_vector_and_more_from_a_general_register() {
    for cpu in ["la464", "la664"] {
        close(each(cpu, &[insert(1, 6)]), 1.0);
        // vreplve.d vr1, vr1, a2
        close(each(cpu, &[0x7122_8000 | 6 << 10 | 1 << 5 | 1]), 1.0);
        // xvinsgr2vr.d xr1, a2, 1
        close(each(cpu, &[0x76eb_e400 | 6 << 5 | 1]), 1.0);
        // A sum of vectors reaches the insertion at once, the insertion the sum, too.
        close(cycles_of(cpu, &[insert(1, 6), three(0x700b_8000, 1, 1, 2)]), 2.0);
        close(cycles_of(cpu, &[pick(12, 1), insert(1, 12)]), 3.0 + 3.0);
        // alsl.d, mul.d
        close(cycles_of(cpu, &[pick(12, 1), add(12, 12, 6), insert(1, 12)]), 3.0 + 1.0 + 3.0);
        close(cycles_of(cpu, &[pick(12, 1), three(0x002c_0000, 12, 12, 6), insert(1, 12)]), 3.0 + 1.0 + 3.0);
        close(cycles_of(cpu, &[pick(12, 1), three(0x001d_8000, 12, 12, 6), insert(1, 12)]), 3.0 + 4.0 + 3.0);
        let loaded = [pick(12, 1), ld(12, 12, 0), insert(1, 12), bgeu_back(3)];
        close(turn(cpu, 0, &loaded, &words_at([0])), 3.0 + 4.0 + 3.0);
        // xvpickve2gr.d a0, xr1, 0 and xvinsgr2vr.d xr1, a0, 1
        close(cycles_of(cpu, &[0x76ef_e000 | 1 << 5 | 12, 0x76eb_e400 | 12 << 5 | 1]), 5.0 + 5.0);
    }
}

#[test]
fn xvinsve0_takes_a_cycle_from_both_operands() {
    let insert = |d: Register, j: Register| 0x76ff_e000 | j << 5 | d;
    for (cpu, a_cycle) in [("la464", 2.0), ("la664", 4.0)] {
        close(each(cpu, &[insert(1, 2)]), 1.0);
        close(each(cpu, &[insert(1, 2), insert(2, 1)]), 1.0);
        let apart: Vec<u32> = (0..16).map(|register| insert(register, 16)).collect();
        close(each(cpu, &apart), 1.0 / a_cycle);
    }
}

/// LLVM: two cycles each way, where LA464 takes 7 and 15.
#[test]
fn a_flag_comes_and_goes_soon_on_la664() {
    // movcf2gr t0, fcc0; movgr2cf fcc0, t0
    let there_and_back = [0x0114_dc00 | 12, 0x0114_d800 | 12 << 5];
    assert!(cycles_of("la464", &there_and_back) >= 22.0);
    close(cycles_of("la664", &there_and_back), 4.0);
}

/// jiegec's loops of one instruction: two a cycle (LLVM: where floats are multiplied), one a cycle.
#[test]
fn la664_rounds_two_vectors_a_cycle_and_selects_halves_of_one() {
    let to_each = |opcode: u32| (0..16).map(|register| opcode | 16 << 5 | register).collect::<Vec<_>>();
    // vfrint.d, xvhseli.d
    for (cpu, opcode, cycles) in [
        ("la464", 0x729d_3800, 0.5),
        ("la664", 0x729d_3800, 0.5),
        ("la464", 0x769f_8000, 1.0),
        ("la664", 0x769f_8000, 1.0),
    ] {
        close(each(cpu, &to_each(opcode)), cycles);
    }
}

/// jiegec's loops of instructions that read their destination have eight chains: 8/7 and 8/3 a cycle, not what the pipes can do.
#[test]
fn chains_of_long_sums_and_permutations_are_as_measured() {
    let chains = |opcode: u32, count: u32| {
        (0..count).map(|chain| opcode | 31 << 10 | 30 << 5 | 3 * chain % 30).collect::<Vec<_>>()
    };
    // vmaddwev.q.d: eight chains as measured, and two more, which two pipes have room for.
    let long_sum = 0x70ad_8000;
    for cpu in ["la464", "la664"] {
        close(cycles_of(cpu, &chains(long_sum, 8)), 7.0);
        close(cycles_of(cpu, &chains(long_sum, 10)), 7.0);
    }
    // xvpermi.q
    close(cycles_of("la664", &(0..8).map(|chain| 0x77ec_0000 | 31 << 5 | chain).collect::<Vec<_>>()), 3.0);
}

/// A stream of `xvld` crosses a line of 64 bytes with every second one if it is unaligned, and with none if it is not. Stores
/// enter the cache one a cycle, and those across lines one in two.
#[test]
fn an_access_across_a_line_is_one_of_each_line() {
    let stream = |cpu: &str, opcode: u32, start: u64| {
        let accesses = (0..16).map(|register| opcode | 4 << 5 | register);
        let words: Vec<u32> = accesses.chain([bgeu_back(16)]).collect();
        let walk = |number: u64| Walk { start: start + 32 * number, step: 512, wrap: 4096 };
        turn(cpu, 0, &words, &(0..16).map(walk).collect::<Vec<_>>())
    };
    let (load, store) = (0x2c80_0000, 0x2cc0_0000);
    for cpu in ["la464", "la664"] {
        close(stream(cpu, load, 0x2000_0000), 8.0);
        close(stream(cpu, load, 0x2000_0008), 12.0);
        close(stream(cpu, store, 0x2000_0000), 16.0);
        close(stream(cpu, store, 0x2000_0008), 24.0);
    }
}

/// Loongson's latency document, as LLVM has it, and GCC's table of costs: so on all cores drawn, of LA664, which inherits it, too.
#[test]
fn a_product_takes_four_cycles() {
    // mul.d a2, a2, a2 eight times
    let chain: Vec<u32> = [three(0x001d_8000, 6, 6, 6); 8].into_iter().chain([bgeu_back(8)]).collect();
    for cpu in ["la464", "la664"].into_iter().flat_map(|cpu| believable(&load(cpu))) {
        close(turn_on(&cpu, 0, &chain, &[]), 32.0);
    }
}

/// Two stores issue in a cycle. Nothing published tells how many enter the cache, so the interval has both.
#[test]
fn la664_stores_once_a_cycle_unless_its_cache_has_a_second_port() {
    let stores: Vec<u32> = (0..8).map(|word| st(0, 4) | 8 * word << 10).chain([bgeu_back(8)]).collect();
    let walks = words_at((0..8).map(|word| 8 * word));
    let mut cpu = load("la664");
    close(turn_on(&cpu, 0, &stores, &walks), 8.0);
    let most = |key| cpu.guesses().into_iter().find(|guess| guess.key == key).map(|guess| guess.high);
    let bytes = most("memory.drain_pair").expect("a guess");
    cpu.set("memory.drain_pair", bytes).unwrap();
    close(turn_on(&cpu, 0, &stores, &walks), 4.0);
    cpu.set("unit.SD.pipes", 1.0).unwrap();
    close(turn_on(&cpu, 0, &stores, &walks), 8.0);
}

/// LLVM's model of the LA664 says that of accesses of 256 bits two go in a cycle, whichever they are.
#[test]
fn la664_has_two_ways_for_wide_accesses() {
    // Eight loads and four stores.
    let mixed = |load: u32, store: u32, bytes: u64| {
        let access = |number: u32| (if number % 3 == 2 { store } else { load }) | 4 << 5 | (12 + number);
        let words: Vec<u32> = (0..12).map(access).chain([bgeu_back(12)]).collect();
        let walk =
            |number: u64| Walk { start: 0x2000_0000 + bytes * number, step: 12 * bytes as i64, wrap: 6144 };
        turn("la664", 0, &words, &(0..12).map(walk).collect::<Vec<_>>())
    };
    let (ld, st) = ([0x28c0_0000, 0x2c00_0000, 0x2c80_0000], [0x29c0_0000, 0x2c40_0000, 0x2cc0_0000]);
    for ((load, store), (bytes, cycles)) in ld.into_iter().zip(st).zip([(8, 4.0), (16, 4.0), (32, 6.0)]) {
        close(mixed(load, store, bytes), cycles);
    }
}

/// jiegec's chains and loops of one instruction: reciprocals take less time than roots, and roots of them keep pipes longer. On
/// LA664 scalar ones keep them less long than vectors do, by LLVM.
#[test]
fn reciprocals_and_those_of_roots_have_times_of_their_own() {
    let (root, reciprocal, of_root) = (0x0114_4800, 0x0114_5800, 0x0114_6800);
    let (root_single, single, of_root_single) = (0x0114_4400, 0x0114_5400, 0x0114_6400);
    // xvfsqrt.d, xvfrecip.d, xvfrecip.s, xvfrsqrt.d
    let (roots, reciprocals, singles, of_roots) = (0x769c_e800, 0x769c_f800, 0x769c_f400, 0x769d_0800);
    let chain = |cpu, opcode: u32| each(cpu, &[opcode | 1 << 5 | 1]);
    let apart = |cpu, opcode: u32| {
        each(cpu, &(0..16).map(|register| opcode | 16 << 5 | register).collect::<Vec<_>>())
    };
    for (cpu, opcode, cycles) in [
        ("la464", root, 36.0),
        ("la464", roots, 36.0),
        ("la464", reciprocal, 23.0),
        ("la464", reciprocals, 23.0),
        ("la464", single, 12.0),
        ("la464", singles, 27.0),
        ("la664", root, 36.0),
        ("la664", roots, 36.0),
        ("la664", reciprocal, 8.0),
        ("la664", reciprocals, 8.0),
        ("la664", single, 12.0),
        ("la664", singles, 11.0),
    ] {
        close(chain(cpu, opcode), cycles);
    }
    for (cpu, opcode, cycles) in [
        ("la464", root, 18.5),
        ("la464", reciprocal, 12.0),
        ("la464", single, 7.0),
        ("la464", of_root, 27.5),
        ("la664", root, 7.0),
        ("la664", root_single, 4.0),
        ("la664", roots, 17.5),
        ("la664", reciprocal, 4.0),
        ("la664", single, 3.0),
        ("la664", singles, 5.5),
        ("la664", of_root, 12.0),
        ("la664", of_root_single, 7.0),
        ("la664", of_roots, 26.5),
    ] {
        close(apart(cpu, opcode), cycles);
    }
}

/// LLVM: two cycles to a flag from 128 bits; from 256 four on LA464, three on LA664.
#[test]
fn a_flag_from_a_long_vector_takes_longer() {
    // vsetanyeqz.b fcc0, vr1; movcf2gr t0, fcc0; vreplgr2vr.d vr1, t0
    let chain = [0x729c_a000 | 1 << 5, 0x0114_dc00 | 12, 0x729f_0c00 | 12 << 5 | 1];
    let long = [0x769c_a000 | 1 << 5, chain[1], 0x769f_0c00 | 12 << 5 | 1];
    for (cpu, more) in [("la464", 2.0), ("la664", 1.0)] {
        close(cycles_of(cpu, &long) - cycles_of(cpu, &chain), more);
    }
}

#[test]
fn a_class_goes_as_often_a_cycle_as_its_note_says() {
    let mut checked = 0;
    for cpu in ["la464", "la664"].map(load) {
        for (key, entry) in cpu.entries() {
            let Some(class) = key.strip_suffix(".latency.value").or(key.strip_suffix(".busy")) else {
                continue;
            };
            let Entry::Number(number) = entry else { continue };
            let note = number.note.as_deref().unwrap_or_default();
            let words = [("one", 1.0), ("two", 2.0), ("four", 4.0)];
            let said = words.iter().find(|(word, _)| note.contains(&format!("{word} a cycle")));
            let Some((_, said)) = said else { continue };
            let units = cpu.words(&format!("{class}.parts"))[0].split('|');
            let pipes: f64 = units.map(|unit| cpu.value(&format!("unit.{unit}.pipes")).unwrap()).sum();
            let busy = cpu.value(&format!("{class}.busy")).unwrap_or(1.0);
            assert_eq!(pipes / busy, *said, "{} {key}: {note}", cpu.name);
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked} notes");
}

/// jiegec's loops of one instruction. The branch of ours takes the pipes, too.
#[test]
fn operations_of_binary_translation_take_the_time_of_each() {
    // x86add.d, x86mul.d, setx86j, setarmj, x86mfflag, x86settm, x86mftop
    let of_both = [
        (0x003f_1cc7, 2.0),
        (0x003e_9cc3, 1.0),
        (0x0036_840c, 1.0),
        (0x0036_c40c, 1.0),
        (0x005c_fc0c, 1.0),
        (0x0000_8008, 7.0),
        (0x0000_740c, 0.25),
    ];
    let takes = |cpu: &str, words: &[u32], cycles: f64| {
        let found = each(cpu, words);
        assert!((cycles..cycles + 0.04).contains(&found), "{cpu} {words:x?}: {found} instead of {cycles}");
    };
    for cpu in ["la464", "la664"] {
        of_both.iter().for_each(|&(word, cycles)| takes(cpu, &[word], cycles));
        // armmove reads its destination; of two, each goes on every two cycles.
        takes(cpu, &[0x0036_44cc, 0x0036_44cd], 1.0);
    }
    let increment_top = [0x0000_8009];
    takes("la464", &increment_top, 0.25);
    takes("la664", &increment_top, 1.0);
}
