// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the simulator does with small loops whose answer is known from the cpu's numbers alone.

use arch::Arch;
use decode::Instruction;
use predict::explain::{explain, predict_placed, sensitivity};
use predict::loops::{LoopSource, Walk};
use predict::source::{Chunk, Item};
use predict::{
    predict, Access, Cause, Cpu, Options, PredictError, Prediction, RegisterKinds, Source, SourceError,
};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn cpu(name: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn code(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `bdnz` back over `before` instructions.
fn bdnz(before: u32) -> u32 {
    0x4200_0000 | (before.wrapping_mul(4).wrapping_neg() & 0xfffc)
}

const ADDI_R3: u32 = 0x3863_0001;
const NOP: u32 = 0x6000_0000;
const ADDE_R4: u32 = 0x7c84_2914;
const ADDE_R6: u32 = 0x7cc6_2914;
/// Depends on the carry alone: r8 = r4 + r4 + CA.
const ADDE_R8: u32 = 0x7d04_2114;
const EXTSWSLI_R5: u32 = 0x7cc5_16f4;
/// In no class of POWER's cores, which have no device control registers.
const MFDCR_R3: u32 = 0x7c60_0286;
/// To the next instruction but one.
const BEQ: u32 = 0x4182_0008;
const BEQLR: u32 = 0x4d82_0020;
const LD_R3_0_R4: u32 = 0xe864_0000;
const STD_R5_0_R4: u32 = 0xf8a4_0000;

fn run(name: &str, words: &[u32], walks: &[Walk], iterations: u64, options: &Options) -> Prediction {
    let mut source =
        LoopSource::new(Arch::Powerpc64le, &code(words), 0x1000_0000, walks, iterations).unwrap();
    predict(&mut source, &[&cpu(name)], options).unwrap().remove(0)
}

fn per_call(name: &str, words: &[u32], walks: &[Walk]) -> f64 {
    run(name, words, walks, 2000, &Options::default()).cycles_per_call.unwrap()
}

/// Cycles that golden_cove takes for a turn of a loop of `body`, closed by `dec rsi` and `jnz`.
fn golden_cove_turn(body: &[u8]) -> f64 {
    x86_turn("golden_cove", body, &[])
}

/// The same of any x86-64 cpu, with accesses.
pub(crate) fn x86_turn(name: &str, body: &[u8], walks: &[Walk]) -> f64 {
    x86_turn_along(name, body, walks, &[])
}

/// The same for a body whose branches go to `goes`, the loop's own behind them.
pub(crate) fn x86_turn_along(name: &str, body: &[u8], walks: &[Walk], goes: &[i64]) -> f64 {
    x86_turn_of(&cpu(name), body, walks, goes)
}

/// The same of a cpu that no file describes.
pub(crate) fn x86_turn_of(cpu: &Cpu, body: &[u8], walks: &[Walk], goes: &[i64]) -> f64 {
    let near = (-(body.len() as i32) - 9).to_le_bytes();
    let branch = match i8::try_from(-(body.len() as i64) - 5) {
        Ok(short) => vec![0x75, short as u8],
        Err(_) => [&[0x0f, 0x85], &near[..]].concat(),
    };
    let code = [body, &[0x48, 0xff, 0xce], &branch].concat();
    let mut source = LoopSource::along(Arch::X86_64, &code, 0x40_0000, walks, goes, 12_000).unwrap();
    let prediction = predict(&mut source, &[cpu], &Options::default()).unwrap().remove(0);
    prediction.cycles_per_call.unwrap()
}

/// Dispatch is done with a call whose load misses long before the load is, and where a chain of products is a little slower than
/// dispatch, it runs ahead for hundreds of calls until the window is full.
#[test]
fn a_call_lasts_until_its_results_are_there() {
    let walks = [Walk { start: 0x2000_0000, step: 0, wrap: 0 }];
    for name in ["power7", "power9", "e300c2"] {
        let cpu = cpu(name);
        let (arch, load) = match cpu.runs(Arch::Powerpc64le) {
            true => (Arch::Powerpc64le, LD_R3_0_R4),
            false => (Arch::Powerpc, 0x8064_0000), // lwz
        };
        let of_word = |word: u32| if arch == Arch::Powerpc { word.to_be_bytes() } else { word.to_le_bytes() };
        let code: Vec<u8> = [NOP, load, bdnz(2)].into_iter().flat_map(of_word).collect();
        let mut source = LoopSource::new(arch, &code, 0x1000_0000, &walks, 40).unwrap();
        let first = predict(&mut source, &[&cpu], &Options::default()).unwrap()[0].cycles_cold;
        let memory = cpu.value("cache.memory.latency");
        assert!(first >= memory, "{name}: {first:?} cycles, memory alone {memory:?}");
    }
    // imul rax, rax; fourteen nops; dec rsi; jne.
    let code = [&[0x48, 0x0f, 0xaf, 0xc0][..], &[0x90; 14], &[0x48, 0xff, 0xce, 0x75, 0xe9]].concat();
    let mut source = LoopSource::new(Arch::X86_64, &code, 0x40_0000, &[], 200).unwrap();
    let prediction = predict(&mut source, &[&cpu("golden_cove")], &Options::default()).unwrap().remove(0);
    assert_eq!(prediction.cycles_per_call, Some(3.0));
}

/// Runs of 32 and of 64 branches that go the same way, with the loop's own branch between any two: the last table of the
/// predictor looks back at 128, all of which have to count.
#[test]
fn a_branch_that_changes_after_32_and_after_64_turns_is_predicted() {
    // je over a nop; dec rsi; jne.
    let code = [0x74, 0x01, 0x90, 0x48, 0xff, 0xce, 0x75, 0xf8];
    for run in [8, 32, 64] {
        let goes = [[3, 0].repeat(run), [-1, 0].repeat(run)].concat();
        let mut source = LoopSource::along(Arch::X86_64, &code, 0x40_0000, &[], &goes, 60).unwrap();
        let prediction = predict(&mut source, &[&cpu("zen5")], &Options::default()).unwrap().remove(0);
        let misses = prediction.counters.branch_misses;
        assert!(misses < 40, "{misses} of 120 changes after {run} turns");
    }
}

/// `bctr` to four places in turn, as an interpreter's: the last target is always wrong, the one on the same path is right.
/// POWER7 has targets by address alone.
#[test]
fn an_indirect_branch_is_predicted_by_its_path_where_the_core_has_such_a_table() {
    const BCTR: u32 = 0x4e80_0420;
    let back = |from: u32| 18 << 26 | (from.wrapping_neg() & 0x03ff_fffc);
    let bytes = code(&[BCTR, NOP, back(8), back(12), back(16), back(20)]);
    let misses = |name: &str| {
        let goes = [8, 0, 12, 0, 16, 0, 20, 0];
        let mut source = LoopSource::along(Arch::Powerpc64le, &bytes, 0x1000_0000, &[], &goes, 200).unwrap();
        let options = Options::default();
        predict(&mut source, &[&cpu(name)], &options).unwrap().remove(0).counters.branch_misses
    };
    assert!(misses("power7") >= 790, "{}", misses("power7"));
    for name in ["power8", "power9", "power10"] {
        assert!(misses(name) < 40, "{name}: {} of 800", misses(name));
    }
}

/// Returns, jumps and calls that depend on a condition are predicted like other branches that do: wrongly in about half of the
/// cases where they go either way at random. A call that is not taken leaves no return address.
#[test]
fn conditional_returns_jumps_and_calls_are_predicted() {
    const BEQL: u32 = 0x4182_0009;
    const BEQCTR: u32 = 0x4d82_0420;
    const TURNS: usize = 400;
    let misses = |name: &str, words: &[u32], goes: &[i64]| {
        let mut source =
            LoopSource::along(Arch::Powerpc64le, &code(words), 0x1000_0000, &[], goes, 1).unwrap();
        let prediction = predict(&mut source, &[&cpu(name)], &Options::default()).unwrap().remove(0);
        prediction.counters.branch_misses as usize
    };
    let mut random = stats::SplitMix64::new(7);
    let at_random: Vec<i64> = (0..TURNS).flat_map(|_| [[8, -1][random.below(2)], 0]).collect();
    let never = [-1, 0].repeat(TURNS);
    // bl to beql, which is not taken, and blr; behind the call, the branch to the start.
    let calls = [0x4800_000d, NOP, 0x4bff_fff8, BEQL, 0x4e80_0020];
    let calling = [12, -1, 4, 0].repeat(TURNS);
    for name in ["power7", "power8", "power9", "power10"] {
        for branch in [BEQ, BEQLR, BEQCTR] {
            let [wrong, few] =
                [&at_random, &never].map(|goes| misses(name, &[branch, NOP, 0x4bff_fff8], goes));
            assert!(wrong > TURNS / 3 && few < 10, "{name} {branch:x}: {wrong} and {few} of {TURNS}");
        }
        let returns = misses(name, &calls, &calling);
        assert!(returns < 10, "{name}: {returns} of {TURNS}");
    }
}

/// A return that is not taken waits for neither its condition nor the link register on a core that folds branches.
#[test]
fn a_return_that_is_not_taken_costs_no_more_than_a_branch() {
    const MTLR_R3: u32 = 0x7c68_03a6;
    let cycles = |branch: u32| {
        let bytes: Vec<u8> = [MTLR_R3, branch, NOP, NOP, 0x4bff_fff0]
            .iter()
            .flat_map(|word: &u32| word.to_be_bytes())
            .collect();
        let goes = [-1, 0].repeat(100);
        let mut source = LoopSource::along(Arch::Powerpc, &bytes, 0x1000_0000, &[], &goes, 1).unwrap();
        predict(&mut source, &[&cpu("e300c2")], &Options::default()).unwrap().remove(0).cycles
    };
    assert!(cycles(BEQLR) <= cycles(BEQ) + 2, "{} {}", cycles(BEQLR), cycles(BEQ));
}

#[test]
fn golden_cove_fetches_on_behind_a_taken_branch() {
    let nops = |count| vec![0x90; count];
    let jump_over_nop = vec![0xeb, 0x01, 0x90];
    // Three operations, a jump among them, and nine, six a cycle: two cycles, not one and two.
    let split = [nops(2), jump_over_nop.clone(), nops(8)].concat();
    assert!((golden_cove_turn(&split) - 2.0).abs() < 0.01, "{}", golden_cove_turn(&split));
    // Of three taken branches the first two, which are jumps, are predicted in one cycle.
    let jumps = [jump_over_nop.clone(), jump_over_nop].concat();
    assert!((golden_cove_turn(&jumps) - 2.0).abs() < 0.01, "{}", golden_cove_turn(&jumps));
}

/// Within 128 bits a value is spread or widened in a cycle, across them in three; of what goes to vectors or comes from there, of
/// sums that saturate and of shifts by a count in a register, so many go in a cycle as LLVM has it.
#[test]
fn golden_cove_crosses_128_bits_in_three_cycles_and_fewer_bits_in_one() {
    let near = |body: Vec<u8>, expected: f64| {
        let cycles = golden_cove_turn(&body);
        assert!((cycles - expected).abs() < 0.05, "{cycles} for {expected}: {body:02x?}");
    };
    near([0xc4, 0xe2, 0x79, 0x58, 0xc9].repeat(4), 4.0); // vpbroadcastd xmm1, xmm1
    near([0xc4, 0xe2, 0x7d, 0x58, 0xc9].repeat(4), 12.0); // vpbroadcastd ymm1, xmm1
    near([0xc4, 0xe2, 0x79, 0x20, 0xc9].repeat(4), 4.0); // vpmovsxbw xmm1, xmm1
    near([0xc4, 0xe2, 0x7d, 0x20, 0xc9].repeat(4), 12.0); // vpmovsxbw ymm1, xmm1
    near([0xc4, 0xc1, 0x11, 0xec, 0xc6].repeat(12), 6.0); // vpaddsb xmm0, xmm13, xmm14
    near([0xc5, 0xf9, 0x6e, 0xc8].repeat(8), 8.0); // vmovd xmm1, eax
    near([0xc5, 0x79, 0x7e, 0xe8].repeat(8), 8.0); // vmovd eax, xmm13
    near([0xc4, 0xc1, 0x11, 0xf2, 0xce].repeat(8), 8.0); // vpslld xmm1, xmm13, xmm14
    near([0xc4, 0xc1, 0x71, 0x72, 0xf5, 3].repeat(8), 4.0); // vpslld xmm1, xmm13, 3
}

#[test]
fn golden_cove_makes_one_operation_of_a_comparison_and_its_branch() {
    let (test_rsp, jz, lea_rax) = ([0x48, 0x85, 0xe4], [0x74, 0x00], [0x48, 0x8d, 0x00]);
    let nops = [0x90; 8];
    let fused = [&nops[..], &test_rsp, &jz, &test_rsp, &jz].concat();
    // Eleven slots, fetched eight a cycle, none behind the branch that closes the loop: measured 2.00.
    assert!((golden_cove_turn(&fused) - 2.0).abs() < 0.02, "{}", golden_cove_turn(&fused));
    // So is one with memory, whatever its address is, but not one of memory with a constant (Intel's optimization manual).
    let (cmp_memory, cmp_constant) = ([0x48, 0x3b, 0x44, 0x24, 0x08], [0x83, 0x7c, 0x24, 0x08, 0x05]);
    let walk = Walk { start: 0x2000_0000, step: 0, wrap: 0 };
    let turn = |compare: &[u8]| {
        let body = [&nops[..], compare, &jz, compare, &jz].concat();
        x86_turn("golden_cove", &body, &[walk; 2])
    };
    assert!((turn(&cmp_memory) - 2.0).abs() < 0.02, "{}", turn(&cmp_memory));
    assert!(turn(&cmp_constant) > 2.1, "{}", turn(&cmp_constant));
    let apart = [&nops[..], &test_rsp, &lea_rax, &jz, &test_rsp, &lea_rax, &jz].concat();
    assert!((golden_cove_turn(&apart) - 15.0 / 6.0).abs() < 0.02, "{}", golden_cove_turn(&apart));
}

/// A loop of one-cycle turns inside of another: `add rax, 1; dec ecx; jne`, then `mov ecx, turns; dec rsi; jne`.
struct LoopInALoop {
    inner: LoopSource,
    outer: LoopSource,
    turns: u32,
    times: u32,
}

const INNER: [u8; 8] = *b"\x48\x83\xc0\x01\xff\xc9\x75\xf8";
/// Its branch is encoded as one to its own start, which LoopSource asks for; where it goes is said by the items.
const OUTER: [u8; 10] = *b"\xb9\x08\0\0\0\x48\xff\xce\x75\xf6";

impl Source for LoopInALoop {
    fn arch(&self) -> Arch {
        self.inner.arch()
    }
    fn kinds(&self) -> Arc<RegisterKinds> {
        self.inner.kinds()
    }
    fn mark(&self) -> Option<u64> {
        None
    }
    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if !self.inner.read(chunk)? {
            return Ok(false);
        }
        let mut other = Chunk::default();
        self.outer.read(&mut other)?;
        let (first, second) = (chunk.new_blocks[0][0].address, other.new_blocks[0][0].address);
        chunk.new_blocks.append(&mut other.new_blocks);
        let block = |block, next| Item::Block { block, accesses: 0..0, next };
        chunk.items.clear();
        for _ in 0..self.times {
            chunk.items.extend((1..self.turns).map(|_| block(0, first)));
            chunk.items.extend([block(0, second), block(1, first)]);
        }
        Ok(true)
    }
}

/// As measured on Emerald Rapids: 10.01 and 18.03 cycles (crates/native/probes); each exit is overruled once.
#[test]
fn golden_cove_overrules_the_quick_prediction_where_a_loop_ends() {
    for turns in [8, 16] {
        let inner = LoopSource::new(Arch::X86_64, &INNER, 0x40_0000, &[], 1).unwrap();
        let outer = LoopSource::new(Arch::X86_64, &OUTER, 0x40_0008, &[], 1).unwrap();
        let times = 20_000; // the predictor learns for some hundred cycles
        let mut source = LoopInALoop { inner, outer, turns, times };
        let prediction = predict(&mut source, &[&cpu("golden_cove")], &Options::default()).unwrap().remove(0);
        let cycles = prediction.cycles as f64 / f64::from(times);
        assert!((cycles - f64::from(turns + 2)).abs() < 0.1, "{turns} turns take {cycles} cycles");
    }
}

#[test]
fn a_taken_branch_costs_three_cycles_on_power8() {
    assert_eq!(per_call("power8", &[ADDI_R3, bdnz(1)], &[]), 3.0);
}

// Of primary opcode 31, with an operation's opcode and record bit: r3 from r3, and r5 where two are read.
const MULLD_R3: u32 = 31 << 26 | 3 << 21 | 3 << 16 | 5 << 11 | 233 << 1;
const MADDLD_R3: u32 = 4 << 26 | 3 << 21 | 3 << 16 | 5 << 11 | 5 << 6 | 51;
const ADD_R3: u32 = 31 << 26 | 3 << 21 | 3 << 16 | 5 << 11 | 266 << 1;
const EXTSW_RECORD_R3: u32 = 31 << 26 | 3 << 21 | 3 << 16 | 986 << 1 | 1;
const ROTLDI_RECORD_R3: u32 = 30 << 26 | 3 << 21 | 3 << 16 | 1 << 11 | 1;
const ISEL_R3: u32 = 31 << 26 | 3 << 21 | 3 << 16 | 5 << 11 | 2 << 6 | 15 << 1;
const AND_RECORD_R3: u32 = 31 << 26 | 3 << 21 | 3 << 16 | 5 << 11 | 28 << 1 | 1;

/// Cycles that a link of a chain takes, each of which is made of `link`.
fn chain(name: &str, link: &[u32]) -> f64 {
    let body = link.repeat(16);
    per_call(name, &[&body[..], &[bdnz(body.len() as u32)]].concat(), &[]) / 16.0
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
}

#[test]
fn a_product_of_power10_is_there_for_the_next_one_a_cycle_earlier() {
    near(chain("power10", &[MULLD_R3]), 4.0);
    near(chain("power10", &[MADDLD_R3]), 4.0);
    // Five to an addition, and two from there.
    near(chain("power10", &[MULLD_R3, ADD_R3]), 7.0);
    near(chain("power9", &[MULLD_R3]), 5.0);
}

#[test]
fn record_forms_that_extend_take_two_cycles_as_additions_do() {
    near(chain("power9", &[EXTSW_RECORD_R3]), 2.0);
    near(chain("power10", &[EXTSW_RECORD_R3]), 2.0);
}

#[test]
fn the_value_of_a_rotate_with_a_record_is_there_before_its_condition_on_power9() {
    near(chain("power9", &[ROTLDI_RECORD_R3]), 2.0);
    near(chain("power9", &[ROTLDI_RECORD_R3, ISEL_R3]), 6.0);
}

#[test]
fn conditions_of_rotates_come_as_those_of_logical_work_on_power8_and_a_cycle_later_on_power7() {
    for (cpu, later) in [("power7", 1.0), ("power8", 0.0)] {
        let logical = chain(cpu, &[AND_RECORD_R3, ISEL_R3]);
        near(chain(cpu, &[ROTLDI_RECORD_R3, ISEL_R3]), logical + later);
    }
}

#[test]
fn a_carry_chain_takes_two_cycles_a_link_and_a_second_accumulator_gains_nothing_on_power7() {
    let one = [ADDE_R4; 8].iter().copied().chain([bdnz(8)]).collect::<Vec<_>>();
    let mut two = one.clone();
    for word in two[..8].iter_mut().step_by(2) {
        *word = ADDE_R6;
    }
    assert_eq!(per_call("power7", &one, &[]), 16.0);
    assert_eq!(per_call("power7", &two, &[]), 16.0);
}

#[test]
fn a_carry_chain_runs_on_over_a_shift_to_the_left() {
    let body = [ADDE_R8, EXTSWSLI_R5].repeat(4).into_iter().chain([bdnz(8)]).collect::<Vec<_>>();
    assert!(per_call("power9", &body, &[]) >= 8.0, "the shift begins a new chain");
}

#[test]
fn skipping_a_steady_loop_deviates_by_less_than_a_thousandth_where_turns_are_alike() {
    let body = [LD_R3_0_R4, STD_R5_0_R4, ADDI_R3, ADDE_R4, bdnz(4)];
    // POWER9 sends operations to the slice whose queue holds less, so its turns differ for as long as the loop runs;
    // windows long enough for their mean reach beyond what a stream prefetches. The mean's standard error is a thousandth.
    for (name, step, exact) in [("power7", 8, 0.001), ("power8", 8, 0.001), ("power9", 0, 0.002)] {
        let walks = [0x2000_0000, 0x3000_0000].map(|start| Walk { start, step, wrap: 0 });
        let arch = Arch::Powerpc64le;
        let open =
            || folded(LoopSource::new(arch, &code(&body), 0x1000_0000, &walks, 2000).unwrap(), 100_000);
        let all = Options { skip_loops: false, ..Options::default() };
        let whole = predict(&mut open(), &[&cpu(name)], &all).unwrap().remove(0);
        let skipped = predict(&mut open(), &[&cpu(name)], &Options::default()).unwrap().remove(0);
        assert_eq!(whole.counters.instructions, skipped.counters.instructions);
        assert!(skipped.simulated < whole.simulated / 2, "{name}: nothing was skipped");
        let deviation = (skipped.cycles as f64 / whole.cycles as f64 - 1.0).abs();
        assert!(deviation < exact, "{name}: {} against {}", skipped.cycles, whole.cycles);
        // What instructions are charged with is the whole run, what was skipped included.
        let profiled = Options { profile: true, ..Options::default() };
        let charged = predict(&mut open(), &[&cpu(name)], &profiled).unwrap().remove(0);
        let places = charged.profile.expect("it was asked for");
        let executions: u64 = places.iter().map(|place| place.executions).sum();
        let cycles: u64 = places.iter().map(|place| place.cycles).sum();
        assert_eq!(executions, charged.counters.instructions, "{name}");
        assert!(
            cycles.abs_diff(charged.cycles) * 100 < charged.cycles,
            "{name}: {cycles}, {}",
            charged.cycles
        );
    }
}

/// What the instruction at that place of a loop mostly waits for.
fn waits_for(name: &str, words: &[u32], place: usize) -> &'static str {
    let profiled = Options { profile: true, ..Options::default() };
    let charged = run(name, words, &[], 2000, &profiled).profile.expect("it was asked for");
    charged[place].cause().map_or("nothing", Cause::name)
}

#[test]
fn what_holds_dispatch_is_named_as_what_an_instruction_waits_for() {
    assert_eq!(waits_for("power8", &[NOP, bdnz(1)], 0), "taken-branch");
    for name in ["power8", "power9"] {
        let straight: Vec<u32> = [NOP; 96].into_iter().chain([bdnz(96)]).collect();
        // The first of a group is charged with its cycle.
        let first = (40..56).find(|&place| waits_for(name, &straight, place) != "nothing").unwrap();
        assert_eq!(waits_for(name, &straight, first), "dispatch-slots", "{name}");
        assert_eq!(waits_for(name, &[ADDE_R4, ADDE_R4, ADDE_R4, bdnz(3)], 1), "dependency", "{name}");
    }
}

/// A loop whose first iterations come one by one and the next `times` as a repeat.
struct Folded {
    inner: LoopSource,
    times: u64,
    told: bool,
}

fn folded(inner: LoopSource, times: u64) -> Folded {
    Folded { inner, times, told: false }
}

impl Source for Folded {
    fn arch(&self) -> Arch {
        self.inner.arch()
    }
    fn kinds(&self) -> Arc<RegisterKinds> {
        self.inner.kinds()
    }
    fn mark(&self) -> Option<u64> {
        self.inner.mark()
    }
    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        let more = self.inner.read(chunk)?;
        if more && !self.told {
            self.told = true;
            let (items, accesses) = match chunk.items.last() {
                Some(Item::Block { accesses, .. }) => (1, accesses.len()),
                _ => return Err(SourceError::Failed("the loop is one block".into())),
            };
            let first = chunk.steps.len() as u32;
            chunk.steps.extend(std::iter::repeat_n(0, accesses));
            chunk.items.push(Item::Repeat {
                items,
                times: self.times,
                steps: first..first + accesses as u32,
            });
        }
        Ok(more)
    }
}

/// 2^40 turns of `vaddudm`, none of them skipped: with the cpu that lacks it the others stop, too, since nothing of them will be told.
#[test]
fn nobody_goes_on_where_one_cpu_lacks_what_is_executed() {
    let words = [0x1021_10c0, bdnz(1)];
    let options = Options { skip_loops: false, ..Options::default() };
    for names in [&["power7"][..], &["power7", "power8"], &["power8", "power7"]] {
        let cpus: Vec<Cpu> = names.iter().map(|name| cpu(name)).collect();
        let inner = LoopSource::new(Arch::Powerpc64le, &code(&words), 0x1000_0000, &[], 3).unwrap();
        let told = predict(&mut folded(inner, 1 << 40), &cpus.iter().collect::<Vec<_>>(), &options);
        let error = told.unwrap_err().to_string();
        let lacking = "power7 does not have what the program executes: 'vaddudm' at 0x10000000; ";
        assert!(error.starts_with(lacking), "{error}");
    }
}

/// Calls of a function that is one long loop, told as a repeat inside of each call.
struct CallsOfALoop {
    inner: LoopSource,
    calls: u32,
}

impl Source for CallsOfALoop {
    fn arch(&self) -> Arch {
        self.inner.arch()
    }
    fn kinds(&self) -> Arc<RegisterKinds> {
        self.inner.kinds()
    }
    fn mark(&self) -> Option<u64> {
        None
    }
    fn calls(&self) -> bool {
        true
    }
    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if !self.inner.read(chunk)? {
            return Ok(false);
        }
        let turn = chunk.items[0].clone();
        chunk.items.clear();
        for _ in 0..self.calls {
            let loop_of_turns = Item::Repeat { items: 1, times: 2000, steps: 0..0 };
            chunk.items.extend([Item::Enter, turn.clone(), loop_of_turns]);
        }
        Ok(true)
    }
}

#[test]
fn a_loop_skipped_inside_of_a_call_does_not_make_the_call_short() {
    let body = code(&[ADDE_R4, ADDI_R3, bdnz(2)]);
    let once = |options: &Options| {
        let inner = LoopSource::new(Arch::Powerpc64le, &body, 0x1000_0000, &[], 2).unwrap();
        predict(&mut CallsOfALoop { inner, calls: 40 }, &[&cpu("power8")], options).unwrap().remove(0)
    };
    let whole = once(&Options { skip_loops: false, ..Options::default() });
    let skipped = once(&Options::default());
    assert!(skipped.simulated < whole.simulated / 2, "nothing was skipped");
    assert_eq!(whole.calls, skipped.calls);
    let (whole, skipped) = (whole.cycles_per_call.unwrap(), skipped.cycles_per_call.unwrap());
    assert!(whole > 2000.0, "{whole}");
    assert!((skipped / whole - 1.0).abs() < 0.001, "{skipped} against {whole}");
}

#[test]
fn a_program_for_another_architecture_is_refused() {
    let mut source = LoopSource::new(Arch::Powerpc64le, &code(&[ADDI_R3, bdnz(1)]), 0, &[], 10).unwrap();
    let error = predict(&mut source, &[&cpu("la464")], &Options::default()).unwrap_err();
    assert!(matches!(error, PredictError::WrongArch { .. }));
    assert!(error.to_string().contains("la464") && error.to_string().contains("powerpc64le"), "{error}");
}

/// One block of given instructions, executed so often.
struct Once {
    block: Option<Vec<Instruction>>,
    kinds: Arc<RegisterKinds>,
}

impl Source for Once {
    fn arch(&self) -> Arch {
        Arch::Powerpc64le
    }
    fn kinds(&self) -> Arc<RegisterKinds> {
        self.kinds.clone()
    }
    fn mark(&self) -> Option<u64> {
        None
    }
    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        let Some(block) = self.block.take() else { return Ok(false) };
        let access = Access { instruction: 0, bytes: 8, store: false, known: false, address: 0 };
        chunk.new_blocks.push(block);
        chunk.accesses.push(access);
        chunk.items.push(Item::Block { block: 0, accesses: 0..1, next: 0x2000 });
        Ok(true)
    }
}

#[test]
fn an_unknown_opcode_is_executed_counted_and_named() {
    let decoder = decode::Decoder::new(Arch::Powerpc64le).unwrap();
    let kinds = Arc::new(RegisterKinds::new(&decoder));
    let unknown = Instruction::unknown(Arch::Powerpc64le, &[0, 0, 0, 0], 0x1000);
    let mut source = Once { block: Some(vec![unknown]), kinds };
    let prediction = predict(&mut source, &[&cpu("power8")], &Options::default()).unwrap().remove(0);
    assert_eq!(prediction.counters.instructions, 1);
    assert_eq!(prediction.coverage_percent, 0.0);
    assert_eq!(prediction.fallbacks.get("unknown"), Some(&1));
}

#[test]
fn executions_in_no_class_are_all_counted_where_a_loop_is_skipped() {
    let body = code(&[MFDCR_R3, ADDI_R3, bdnz(2)]);
    let mut source = folded(LoopSource::new(Arch::Powerpc64le, &body, 0x1000_0000, &[], 20).unwrap(), 6000);
    let prediction = predict(&mut source, &[&cpu("power8")], &Options::default()).unwrap().remove(0);
    assert!(prediction.simulated < prediction.counters.instructions / 2, "nothing was skipped");
    assert_eq!(prediction.fallbacks.get("mfdcr"), Some(&(prediction.counters.instructions / 3)));
    assert_eq!(prediction.counters.fallbacks, prediction.counters.instructions / 3);
}

#[test]
fn an_empty_program_is_an_error() {
    let decoder = decode::Decoder::new(Arch::Powerpc64le).unwrap();
    let mut source = Once { block: None, kinds: Arc::new(RegisterKinds::new(&decoder)) };
    let error = predict(&mut source, &[&cpu("power8")], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("nothing was executed"), "{error}");
}

#[test]
fn several_cpus_from_one_reading_agree_with_one_at_a_time() {
    let body = [LD_R3_0_R4, STD_R5_0_R4, ADDI_R3, bdnz(3)];
    let walks =
        [Walk { start: 0x2000_0000, step: 8, wrap: 4096 }, Walk { start: 0x3000_0000, step: 8, wrap: 4096 }];
    let cpus = [cpu("power7"), cpu("power8"), cpu("power9"), cpu("power10")];
    let open = || LoopSource::new(Arch::Powerpc64le, &code(&body), 0x1000_0000, &walks, 3000).unwrap();
    let together = predict(&mut open(), &cpus.iter().collect::<Vec<_>>(), &Options::default()).unwrap();
    for (cpu, together) in cpus.iter().zip(together) {
        let alone = predict(&mut open(), &[cpu], &Options::default()).unwrap().remove(0);
        assert_eq!((alone.cycles, alone.counters), (together.cycles, together.counters), "{}", cpu.name);
    }
}

#[test]
fn explain_names_the_taken_branch_and_alignment_shows() {
    let body = [ADDI_R3, ADDI_R3 ^ 0x0021_0000, ADDI_R3 ^ 0x0042_0000, ADDI_R3 ^ 0x0063_0000, bdnz(4)];
    let bytes = code(&body);
    let mut open = || -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(LoopSource::new(Arch::Powerpc64le, &bytes, 0x1000_0000, &[], 2000)?))
    };
    let options = Options::default();
    let explanation = explain(&mut open, &cpu("power8"), &options).unwrap();
    assert_eq!(explanation.cycles, 3.0);
    let bound = explanation.bound_by().expect("something bounds it");
    assert!(bound.resource.contains("taken branches"), "{}", explanation.summary());
    assert!(bound.cycles_without < 2.0, "four additions, six pipes: {}", bound.cycles_without);
    let (_, found) = predict_placed(&mut open, &[&cpu("power8")], &options).unwrap().remove(0);
    let found = found.places;
    assert_eq!(found.len(), 8);
    assert_eq!(found[0], (0, 3.0));
    assert_eq!(found[4], (16, 4.0), "five instructions over a block boundary");
}

#[test]
fn a_guess_that_decides_is_found() {
    let branch_over_one = 0x4800_0008;
    let body = [branch_over_one, NOP, bdnz(2)];
    let bytes = code(&body);
    let mut open = || -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(LoopSource::new(Arch::Powerpc64le, &bytes, 0x1000_0000, &[], 500)?))
    };
    let sensitivity = sensitivity(&mut open, &cpu("power10"), &Options::default()).unwrap();
    let moved = sensitivity.moves.iter().find(|change| change.key == "fetch.btb_taken");
    let cycles = moved.map(|change| change.cycles);
    assert_eq!(cycles, Some((2.0, 4.0)), "{:?}", sensitivity.moves);
    assert!(sensitivity.moves.iter().all(|change| change.key != "cache.l3.latency"), "nothing misses");
}

#[test]
fn the_timeline_shows_each_instruction_in_order() {
    let options = Options { events: Some((10, 8)), ..Options::default() };
    let prediction = run("power8", &[ADDI_R3, ADDE_R4, bdnz(2)], &[], 100, &options);
    let timeline = prediction.timeline.expect("events were asked for");
    assert!(timeline.events.len() >= 8);
    // The eleventh instruction is the second of the fourth turn.
    let first = &timeline.texts[timeline.events[0].op as usize].1;
    assert!(first.starts_with("adde"), "{first}");
    for pair in timeline.events.windows(2) {
        assert!(pair[0].dispatch <= pair[1].dispatch && pair[0].complete <= pair[1].complete);
    }
    for event in &timeline.events {
        assert!(
            event.fetch <= event.dispatch && event.issue < event.finish && event.finish <= event.complete
        );
    }
    let text = timeline.text(80);
    assert!(text.contains("adde") && text.contains('D') && text.contains('R'), "{text}");
    let page = timeline.html(None);
    assert!(page.contains("adde") && !page.contains("http"), "the page needs nothing else");
}

#[test]
fn a_hot_loop_has_its_cycles_and_its_chain() {
    // mulld 5,5,5; nop; addi 3,4,1; bdnz: five cycles for a multiply that waits for itself (POWER8 User's Manual), and nothing
    // else on the chain.
    let body = [0x7ca5_29d2, 0x6000_0000, 0x3864_0001, bdnz(3)];
    let options = Options { events: Some((200, 2000)), skip_loops: false, ..Options::default() };
    let timeline = run("power8", &body, &[], 400, &options).timeline.expect("events were asked for");
    let hot = predict::hot::hot_loop(&timeline).expect("it is nothing but a loop");
    let expected = 1.0 * run("power8", &body, &[], 4000, &Options::default()).cycles as f64 / 4000.0;
    assert!((hot.cycles - expected).abs() < 0.05 * expected, "{} {expected}", hot.cycles);
    let chain: Vec<bool> = hot.instructions.iter().map(|one| one.on_chain).collect();
    assert_eq!((chain, hot.carried), (vec![true, false, false, false], true), "{hot:?}");
    // A multiply goes to one FX pipe, the branch to the branch pipe, and what is full adds up.
    let takes = |place: usize, unit: &str| hot.instructions[place].pipes.iter().any(|(name, _)| name == unit);
    assert!(takes(0, "FX") && takes(3, "BR") && !takes(0, "BR"), "{hot:?}");
    let of = |unit: &str| hot.units.iter().find(|load| load.name == unit).expect("it is needed");
    assert!((of("BR").cycles - 1.0).abs() < 0.01 && (of("FX").cycles - 1.0) > -0.01, "{:?}", hot.units);
    assert!(hot.units.windows(2).all(|pair| pair[0].least() >= pair[1].least()), "{:?}", hot.units);
    // A nop waits for nothing; it is on its way to the queues.
    assert_eq!(hot.instructions[1].for_sources, 0.0, "{hot:?}");
    let nop = timeline.text(80).lines().find(|line| line.contains("nop")).expect("it is there").to_owned();
    assert!(nop.contains("D.") && !nop.contains('='), "{nop}");
    // Four additions that wait for nothing but their slots are no chain.
    let body = [ADDI_R3 & 0xffe0_ffff, 0x3880_0001, 0x38a0_0001, bdnz(3)];
    let timeline = run("power8", &body, &[], 400, &options).timeline.expect("events were asked for");
    assert!(!predict::hot::hot_loop(&timeline).expect("a loop").carried);
}

/// Which instructions of a loop are on its chain; none if no chain is carried.
fn on_chain(cpu: &str, body: &[u32], walks: &[Walk]) -> Vec<bool> {
    let options = Options { events: Some((200, 2000)), skip_loops: false, ..Options::default() };
    let timeline = run(cpu, body, walks, 800, &options).timeline.expect("events were asked for");
    let hot = predict::hot::hot_loop(&timeline).expect("it is nothing but a loop");
    assert_eq!(hot.carried, hot.instructions.iter().any(|one| one.on_chain), "{hot:?}");
    hot.instructions.iter().map(|one| one.on_chain).collect()
}

#[test]
fn of_two_chains_with_the_same_pace_one_is_followed() {
    // mulld 5,5,5; mulld 6,6,6: the results of both come in the same cycles.
    let chain = on_chain("power9", &[0x7ca5_29d2, 0x7cc6_31d2, bdnz(2)], &[]);
    assert!(chain == [true, false, false] || chain == [false, true, false], "{chain:?}");
}

#[test]
fn a_chain_runs_through_memory() {
    // ld 3,0(4); addi 3,3,1; std 3,0(4); addi 5,6,1: in one slot of memory, and another instruction.
    let body = [LD_R3_0_R4, ADDI_R3, 0xf864_0000, 0x38a6_0001, bdnz(4)];
    let slot = Walk { start: 0x2000_0000, step: 0, wrap: 0 };
    for cpu in ["power7", "power8", "power9", "power10"] {
        assert_eq!(on_chain(cpu, &body, &[slot, slot]), [true, true, true, false, false], "{cpu}");
    }
}

#[test]
fn a_chain_runs_through_the_completion_of_a_store_that_is_not_forwarded() {
    // divd 5,9,6; std 8,0(4); ldbrx 9,0,4: the store has all that it needs, but completes behind the division.
    let body = [0x7ca9_33d2, 0xf904_0000, 0x7d20_2428, bdnz(3)];
    let slot = Walk { start: 0x2000_0000, step: 0, wrap: 0 };
    assert_eq!(on_chain("power7", &body, &[slot, slot]), [true, false, true, false]);
}

#[test]
fn a_rejected_load_waits_for_its_store_on_power7_and_not_on_power8() {
    // stdx 6,1,7; ldbrx 6,1,7; addi; bdnz
    let body = [0x7cc1_392a, 0x7cc1_3c28, ADDI_R3, bdnz(3)];
    let walks = [Walk { start: 0x2000_0010, step: 0, wrap: 0 }; 2];
    assert!(per_call("power7", &body, &walks) > 10.0);
    assert!(per_call("power8", &body, &walks) < 7.0);
}

#[test]
fn an_instruction_younger_than_the_core_is_named() {
    // brd 3,4 of ISA 3.1; bdnz
    let body = code(&[0x7c83_0176, bdnz(1)]);
    let run = |name| {
        let mut source = LoopSource::new(Arch::Powerpc64le, &body, 0, &[], 50).unwrap();
        predict(&mut source, &[&cpu(name)], &Options::default())
    };
    run("power10").unwrap();
    for name in ["power7", "power8", "power9"] {
        let error = run(name).unwrap_err().to_string();
        assert!(error.contains(&format!("{name} does not have")) && error.contains("'brd'"), "{error}");
    }
}

/// The engines are compiled for recording events and for not doing so. Both must tell the same.
#[test]
fn recording_events_changes_nothing() {
    // ld; std; stdx; ldbrx; addi; adde; lwa 7,0(4); mulld 8,7,3; stdu 5,8(9); isync; cmpdi 8,0; beq +4; bdnz
    let body = [
        LD_R3_0_R4,
        STD_R5_0_R4,
        0x7cc1_392a,
        0x7cc1_3c28,
        ADDI_R3,
        ADDE_R4,
        0xe8e4_0002,
        0x7d07_19d2,
        0xf8a9_0009,
        0x4c00_012c,
        0x2c28_0000,
        0x4182_0004,
        bdnz(12),
    ];
    let walk = |start, step| Walk { start, step, wrap: 1 << 16 };
    let walks = [
        walk(0x2000_0000, 24),
        walk(0x2000_0300, 40),
        walk(0x2000_0014, 8),
        walk(0x2000_0010, 8),
        walk(0x2000_0100, 104),
        walk(0x2001_0000, 8),
    ];
    for cpu in ["power7", "power8", "power9", "power10"] {
        let told = |events| {
            let options = Options { skip_loops: false, events, ..Options::default() };
            let prediction = run(cpu, &body, &walks, 3000, &options);
            (prediction.cycles, prediction.counters, prediction.cycles_per_call)
        };
        assert_eq!(told(None), told(Some((0, u64::MAX))), "{cpu}");
    }
}
