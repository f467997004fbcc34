// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Relations between two predictions that hold whatever the truth is: of the same code in another place, of a pattern that
//! repeats and of one that does not.

use arch::Arch;
use predict::loops::LoopSource;
use predict::{predict, Cpu, Options, Prediction};
use std::path::Path;

fn cpu(name: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap()
}

/// A conditional branch over an instruction, and the loop's own branch back to it; and the branch's target.
fn branch_in_a_loop(cpu: &Cpu) -> (Arch, Vec<u8>, i64) {
    let words = |words: [u32; 3]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if cpu.runs(Arch::X86_64) {
        // je over a nop; dec rsi; jne.
        (Arch::X86_64, vec![0x74, 0x01, 0x90, 0x48, 0xff, 0xce, 0x75, 0xf8], 3)
    } else if cpu.runs(Arch::Loongarch64) {
        // beqz $a0; nop; bnez $a1.
        (Arch::Loongarch64, words([0x4000_0880, 0x0340_0000, 0x47ff_f8bf]), 8)
    } else {
        // beq; nop; bdnz.
        (Arch::Powerpc64le, words([0x4182_0008, 0x6000_0000, 0x4200_fff8]), 8)
    }
}

/// Repeats the pattern of branches taken and not taken `times` times, in code at this address.
fn branches(cpu: &Cpu, pattern: &[bool], times: u64, address: u64) -> Prediction {
    let (arch, code, target) = branch_in_a_loop(cpu);
    let goes: Vec<i64> = pattern.iter().flat_map(|&taken| [if taken { target } else { -1 }, 0]).collect();
    let mut source = LoopSource::along(arch, &code, address, &[], &goes, times).unwrap();
    predict(&mut source, &[cpu], &Options::default()).unwrap().remove(0)
}

/// Directions that nobody knows, the same each time.
fn directions(seed: u64, count: usize) -> Vec<bool> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 63 != 0
    };
    (0..count).map(|_| next()).collect()
}

/// Each history of 32 directions and the loop's own is seen in every turn. In some places two of them met in a table of the
/// predictor, and drove each other out for ever: two branches in each turn were mispredicted there, and none elsewhere.
#[test]
fn a_pattern_that_a_history_holds_is_learnt_wherever_the_code_is() {
    let mut wrong = Vec::new();
    for name in ["zen4", "power9", "la664"] {
        let cpu = cpu(name);
        for seed in 1..=8 {
            let pattern = directions(seed, 24);
            for place in 0..8 {
                let address = 0x40_0000 + 0x440 * place;
                let misses = branches(&cpu, &pattern, 150, address).counters.branch_misses;
                if misses >= 150 {
                    wrong.push(format!("{name}: {misses} of pattern {seed} at {address:#x}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What nobody can know is wrong half of the time, whatever a predictor remembers.
#[test]
fn of_random_directions_half_are_mispredicted() {
    let names = [
        "power7",
        "power8",
        "power9",
        "power10",
        "la464",
        "la664",
        "zen3",
        "zen4",
        "zen5",
        "golden_cove",
        "redwood_cove",
    ];
    for name in names {
        let misses = branches(&cpu(name), &directions(1, 4000), 1, 0x40_0000).counters.branch_misses;
        assert!((1800..2200).contains(&misses), "{name}: {misses} of 4000");
    }
}
