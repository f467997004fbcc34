// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! MPC885 and e300c2: single effects of in-order cores, each by the difference of two small loops.

use arch::Arch;
use predict::loops::{LoopSource, Walk};
use predict::{predict, Cause, Cpu, Options};
use std::path::Path;

const ADDI_R3: u32 = 0x3863_0001;
const MTXER_R3: u32 = 0x7c61_03a6;
const NOP: u32 = 0x6000_0000;
/// `mullw r3, r3, r3`.
const MULLW_R3: u32 = 0x7c63_19d6;
const CMPWI_CR1_R3: u32 = 0x2c83_0000;
/// `beq cr1, +4`: folded, and not taken.
const BEQ_CR1_NEXT: u32 = 0x4186_0004;
/// `addi r5, r5, 1`, which does not depend on the other.
const ADDI_R5: u32 = 0x38a5_0001;

fn bdnz_back(before: u32) -> u32 {
    0x4200_0000 | (before.wrapping_mul(4).wrapping_neg() & 0xfffc)
}

/// `stw`, `lwz`, `stmw` or `lmw` of a register at r1 and what follows.
fn access(opcode: u32, register: u32) -> u32 {
    opcode << 26 | register << 21 | 1 << 16
}

fn load(cpu: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), cpu)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// `lwarx r3, 0, r1`, `stwcx. r3, 0, r1` and `dcbz 0, r1`.
const LWARX: u32 = 0x7c60_0828;
const STWCX: u32 = 0x7c60_092d;
const DCBZ: u32 = 0x7c00_0fec;

/// Where an instruction accesses memory, if it does.
fn offset(word: &u32) -> Option<u64> {
    let of_register = [32, 33, 36, 46, 47].contains(&(word >> 26));
    let at = of_register.then(|| u64::from((word >> 21 & 31) - 13) * 4);
    at.or_else(|| [LWARX, STWCX, DCBZ].contains(word).then_some(0))
}

/// Cycles a turn of the loop of `body`; each access goes to its own word, those of 76 bytes to the first.
fn turn(cpu: &str, body: &[u32]) -> f64 {
    turn_on(&load(cpu), body)
}

fn turn_on(cpu: &Cpu, body: &[u32]) -> f64 {
    let words = body.iter().copied().chain([bdnz_back(body.len() as u32)]);
    let code: Vec<u8> = words.flat_map(u32::to_be_bytes).collect();
    let walks: Vec<Walk> =
        body.iter().filter_map(offset).map(|at| Walk { start: 0x2000_0000 + at, step: 0, wrap: 0 }).collect();
    let mut source = LoopSource::new(Arch::Powerpc, &code, 0x1000_0000, &walks, 2000).expect("a loop");
    predict(&mut source, &[cpu], &Options::default()).expect("a prediction")[0]
        .cycles_per_call
        .expect("a loop has turns")
}

#[test]
fn what_holds_issue_is_named_as_what_an_instruction_waits_for() {
    let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), "mpc885").unwrap();
    let waits_for = |body: &[u32], place: usize| {
        let words = body.iter().copied().chain([bdnz_back(body.len() as u32)]);
        let code: Vec<u8> = words.flat_map(u32::to_be_bytes).collect();
        let mut source = LoopSource::new(Arch::Powerpc, &code, 0x1000_0000, &[], 2000).expect("a loop");
        let options = Options { profile: true, ..Options::default() };
        let told = predict(&mut source, &[&cpu], &options).expect("a prediction").remove(0);
        told.profile.expect("it was asked for")[place].cause().map(Cause::name)
    };
    assert_eq!(waits_for(&[NOP; 4], 0), Some("taken-branch"));
    assert_eq!(waits_for(&[NOP; 4], 2), Some("fetch"));
    assert_eq!(waits_for(&[MULLW_R3, MULLW_R3], 1), Some("dependency"));
}

#[test]
fn a_move_to_xer_holds_what_is_younger_for_a_cycle_on_mpc885() {
    let body = |special| [[ADDI_R3; 6], [special; 6], [ADDI_R3; 6]].concat();
    let apart = turn("mpc885", &body(MTXER_R3)) - turn("mpc885", &body(ADDI_R3));
    // The first of them hides behind the taken branch.
    assert!((5.0..=6.0).contains(&apart), "six cost {apart}");
}

/// `mfspr r7, 268`, as clang assembles `mftb r7` for later processors, reads the time base, too.
#[test]
fn the_time_base_is_read_in_two_ways() {
    let (mftb, mfspr) = (0x7cec_42e6, 0x7cec_42a6);
    for cpu in ["mpc885", "e300c2"] {
        assert_eq!(turn(cpu, &[mfspr; 6]), turn(cpu, &[mftb; 6]), "{cpu}");
    }
}

/// A cpu, and with each of its guesses at both ends of its range.
fn allowed(name: &str) -> Vec<(String, Cpu)> {
    let cpu = load(name);
    let mut all = vec![("as it stands".to_owned(), cpu.clone())];
    for guess in cpu.guesses() {
        for end in [guess.low, guess.high] {
            let moved = cpu.with(&guess.key, end).expect("a guess is a number of its cpu");
            all.push((format!("{} = {end}", guess.key), moved));
        }
    }
    all
}

/// On e300c2 by the 603e's manual, table 6-6. On MPC885 by Christophe Leroy's measurement, below: nineteen words go singly in less time
/// than by stmw, which takes a cycle for each. So it is on each core that the ranges allow.
#[test]
fn a_store_begins_every_cycle() {
    let stores: Vec<u32> = (13..32).map(|register| access(36, register)).collect();
    for (name, cpu) in ["mpc885", "e300c2"].into_iter().flat_map(allowed) {
        let cycles = turn_on(&cpu, &stores);
        assert!((19.0..=21.0).contains(&cycles), "{cycles}, {} with {name}", cpu.name);
    }
}

/// MPC565 manual, 3-6, and GCC's mpc.md: products begin one on each clock, in a unit that is not the one of additions.
#[test]
fn a_product_begins_every_cycle_on_mpc885_and_a_division_keeps_no_addition() {
    // mullw r7, r8, r9 and four more, to r10 and on
    let products: Vec<u32> = (0..5).map(|number| 0x7ce8_49d6 + ((3 * number) << 21)).collect();
    for (name, cpu) in allowed("mpc885") {
        let cycles = turn_on(&cpu, &products) - turn_on(&cpu, &[ADDI_R3, ADDI_R5].repeat(3)[..5]);
        assert_eq!(cycles, 0.0, "{name}");
    }
    // divw r7, r8, r9
    let divw = 0x7ce8_4bd6;
    let additions = turn("mpc885", &[divw, ADDI_R3, ADDI_R5, ADDI_R3, ADDI_R5]);
    assert!((9.0..=10.0).contains(&additions), "{additions}");
}

/// 603e manual, table 6-6: operations on caches take 2, 3 and 10 cycles if the line is there, and then complete (6.3.3.2); a
/// conditional store takes 8 behind the load and what it stores.
#[test]
fn operations_on_caches_and_reservations_take_what_the_table_says_on_e300c2() {
    let (dcbt_r1, icbi_r1) = (0x7c00_0a2c, 0x7c00_0fac);
    for (word, cycles) in [(dcbt_r1, 2.0), (icbi_r1, 3.0), (DCBZ, 10.0)] {
        let four = turn("e300c2", &[word; 8]) - turn("e300c2", &[word; 4]);
        assert!((four - 4.0 * (cycles + 1.0)).abs() < 0.1, "{four}: {word:#x}");
    }
    let reserved = turn("e300c2", &[LWARX, ADDI_R3, STWCX]);
    assert!((reserved - (2.0 + 1.0 + 8.0)).abs() < 0.1, "{reserved}");
}

/// Measured by Christophe Leroy: 2 cycles faster on MPC885, 10 on e300c2.
#[test]
fn nineteen_registers_are_saved_and_loaded_faster_one_by_one() {
    let many = [access(47, 13), ADDI_R3, ADDI_R5, ADDI_R3, access(46, 13)];
    let save = (13..32).map(|register| access(36, register));
    let single: Vec<u32> = save
        .chain([ADDI_R3, ADDI_R5, ADDI_R3])
        .chain((13..32).map(|register| access(32, register)))
        .collect();
    let gain = |cpu| turn(cpu, &many) - turn(cpu, &single);
    let (mpc885, e300c2) = (gain("mpc885"), gain("e300c2"));
    assert!((1.0..=4.0).contains(&mpc885), "{mpc885}");
    assert!((8.0..=12.0).contains(&e300c2), "{e300c2}");
}

/// 603e manual, 6.3.3 and 6.6.1.3: of the two that complete in a cycle a store has to be the first, both together write two general
/// registers at most, and one condition.
#[test]
fn what_completes_in_a_cycle_on_e300c2() {
    let near = |body: &[u32], cycles: f64| {
        let turn = turn("e300c2", body);
        assert!((turn - cycles).abs() <= 0.5, "{turn} instead of {cycles}: {body:x?}");
    };
    let addi_r6 = 0x38c6_0001;
    let repeat = |body: &[u32]| body.repeat(6);
    // Thirteen instructions are fetched in seven cycles, and the target of the last one in the next but one: eight at least.
    near(&repeat(&[ADDI_R3, ADDI_R5]), 8.0);
    near(&repeat(&[ADDI_R3, access(36, 13)]), 8.0);
    // Two additions; the store with an addition; one addition, before the next store.
    near(&repeat(&[ADDI_R3, ADDI_R5, access(36, 13)]), 12.0);
    // The store with an addition; two additions.
    near(&repeat(&[ADDI_R3, ADDI_R5, addi_r6, access(36, 13)]), 14.0);
    // cmpwi cr1, r3, 0; cmpwi cr2, r5, 0
    near(&repeat(&[CMPWI_CR1_R3, 0x2d05_0000]), 12.0);
    near(&repeat(&[CMPWI_CR1_R3, ADDI_R5]), 8.0);
    near(&repeat(&[access(33, 13), ADDI_R3]), 12.0);
}

/// 603e manual, figure 6-3: the target of a branch is fetched in the next but one cycle. So a loop of one pair takes two cycles, and
/// one of two pairs three.
#[test]
fn the_target_of_a_taken_branch_is_fetched_two_cycles_behind_it_on_e300c2() {
    for (body, cycles) in [(&[ADDI_R3][..], 2.0), (&[ADDI_R3, ADDI_R5, ADDI_R5], 3.0)] {
        let turn = turn("e300c2", body);
        assert!((turn - cycles).abs() < 0.1, "{turn} instead of {cycles}");
    }
}

/// 603e manual, 6.3.3.2: a move to XER takes two cycles, completes, and only then the next instruction is dispatched; a move from XER
/// lets others pass. stmw does, too, and lmw does not.
#[test]
fn what_holds_dispatch_back_on_e300c2() {
    let more = |body: &[u32], than: &[u32]| turn("e300c2", body) - turn("e300c2", than);
    let to_xer = more(&[MTXER_R3; 12], &[MTXER_R3; 6]);
    assert!((to_xer - 24.0).abs() < 0.1, "{to_xer}");
    let mfxer_r7 = 0x7ce1_02a6;
    let from_xer = more(&[[mfxer_r7].as_slice(), &[ADDI_R3; 4]].concat(), &[mfxer_r7]);
    assert!(from_xer <= 2.1, "{from_xer}");
    // Four additions are in the completion queue with it, and leave it in two cycles.
    let behind = |multiple| {
        more(&[[access(multiple, 13)].as_slice(), &[ADDI_R3; 4]].concat(), &[access(multiple, 13)])
    };
    let (store, load) = (behind(47), behind(46));
    assert!(store <= 2.1 && load >= 2.9, "{store} and {load}");
}

/// GCC's e300c2c3.md: the two integer units have one divider, which keeps neither of them.
#[test]
fn e300c2_divides_once_at_a_time() {
    // divw r7, r8, r9; divw r10, r8, r9
    let (first, second) = (0x7ce8_4bd6, 0x7d48_4bd6);
    let turn = |body: &[u32]| turn("e300c2", body);
    let (one, two) = (turn(&[first]), turn(&[first, second]));
    assert!((two - 2.0 * one).abs() < 1.1 && one < 23.0, "{one} and {two}");
    let additions = turn(&[first, ADDI_R3, ADDI_R5, ADDI_R3, ADDI_R5]);
    assert!(additions - one < 1.1, "{additions} and {one}");
}

/// A folded branch takes no entry of the completion queue, which is five long: behind a division there is room for four additions,
/// however many branches stand between them.
#[test]
fn a_folded_branch_takes_no_entry_of_the_completion_queue_of_e300c2() {
    // divw r7, r8, r9
    let divw = 0x7ce8_4bd6;
    let additions = turn("e300c2", &[[divw].as_slice(), &[ADDI_R5; 4]].concat());
    let branches = turn("e300c2", &[[divw].as_slice(), &[BEQ_CR1_NEXT, ADDI_R5].repeat(4)].concat());
    assert!((branches - additions).abs() < 0.1, "{branches} instead of {additions}");
    // bcl 20, 31, .+4 writes LR, and is retired with the others: two of them and two additions fit.
    let calls = turn("e300c2", &[[divw].as_slice(), &[0x429f_0005, ADDI_R5].repeat(4)].concat());
    assert!(calls > additions + 1.5, "{calls} with LR to write, {additions} without");
}

/// Two are fetched a cycle and two dispatched: a folded branch takes no slot, but its place in a fetch.
#[test]
fn a_folded_branch_costs_its_fetch_on_e300c2() {
    let pairs = |between: &[u32]| {
        let four = [[ADDI_R3, ADDI_R5].as_slice(), between].concat().repeat(4);
        turn("e300c2", &[&[CMPWI_CR1_R3], four.as_slice(), &[ADDI_R3, ADDI_R5]].concat())
    };
    assert_eq!(pairs(&[BEQ_CR1_NEXT]), pairs(&[]) + 2.0);
}

/// MPC8260 user's manual 2-7, of the 603e core that the e300 is, too: most of what the system register unit executes, CR logic and
/// moves to and from special registers by name, is held there until everything older has completed.
#[test]
fn what_the_system_unit_executes_waits_for_completion_on_e300c2() {
    const CROR: u32 = 0x4c42_1382;
    const MTLR_R3: u32 = 0x7c68_03a6;
    const MFCR_R4: u32 = 0x7c80_0026;
    for special in [CROR, MTLR_R3, MFCR_R4] {
        let four = turn("e300c2", &[special; 12]) - turn("e300c2", &[special; 8]);
        // One cycle to execute, one until it has completed.
        assert_eq!(four, 8.0, "{special:#x}");
    }
}

/// `bne cr1, .-4`, right behind its compare and never taken: predicted taken, because it goes back, unless its y bit is set.
#[test]
fn the_y_bit_turns_the_static_prediction_around() {
    const BNE_CR1_BACK: u32 = 0x4086_fffc;
    const Y: u32 = 1 << 21;
    for cpu in ["mpc885", "e300c2"] {
        let body = |branch| turn(cpu, &[ADDI_R3, CMPWI_CR1_R3, branch, ADDI_R5, ADDI_R3, ADDI_R5]);
        let (wrong, right) = (body(BNE_CR1_BACK), body(BNE_CR1_BACK | Y));
        assert!(wrong >= right + 1.0, "{cpu}: {wrong} and {right}");
    }
}

/// A routine that is called from two places and writes the link register right before it returns. Nothing predicts where it
/// goes: fetch waits for the register, which is no misprediction and takes as long wherever it went before.
#[test]
fn a_return_waits_for_its_register_wherever_it_went_before() {
    const MTLR_R3: u32 = 0x7c68_03a6;
    // mtlr, bclr and what it passes over; then the two places that it returns to, each with a branch to the start.
    let bytes: Vec<u8> = [MTLR_R3, 0x4e80_0020, NOP, NOP, 0x4bff_fff0, NOP, 0x4bff_ffe8]
        .iter()
        .flat_map(|word: &u32| word.to_be_bytes())
        .collect();
    for name in ["mpc885", "e300c2"] {
        let cpu = Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap();
        let run = |goes: &[i64]| {
            let mut source =
                LoopSource::along(Arch::Powerpc, &bytes, 0x1000_0000, &[], goes, 100).expect("a loop");
            let told = predict(&mut source, &[&cpu], &Options::default()).expect("a prediction").remove(0);
            (told.counters.branch_misses, told.cycles)
        };
        assert_eq!(run(&[12, 0, 20, 0]), (0, run(&[12, 0, 12, 0]).1), "{name}");
    }
}

#[test]
fn a_program_with_floating_point_is_refused_by_name_on_a_core_without() {
    let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
    // fadd f1, f1, f2
    let code: Vec<u8> = [ADDI_R3, 0xfc21_102a, bdnz_back(2)].into_iter().flat_map(u32::to_be_bytes).collect();
    for name in ["mpc885", "e300c2"] {
        let cpu = Cpu::load(&cpus, name).unwrap_or_else(|error| panic!("{error}"));
        let mut source = LoopSource::new(Arch::Powerpc, &code, 0x1000_0000, &[], 10).expect("a loop");
        let error =
            predict(&mut source, &[&cpu], &Options::default()).expect_err("it cannot run there").to_string();
        assert!(
            error
                .contains(&format!("{name} does not have what the program executes: 'fadd' at 0x10000004; ")),
            "{error}"
        );
    }
}
