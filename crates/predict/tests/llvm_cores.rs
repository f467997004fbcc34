// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cores that only LLVM describes: what its models do not hold, and what their latencies mean.

use arch::Arch;
use decode::Scheduling;
use predict::fallback::llvm_cpu;
use predict::loops::{LoopSource, Walk};
use predict::{predict, Cpu, Options};

fn llvm(arch: Arch, name: &str) -> Cpu {
    llvm_cpu(arch, name).unwrap_or_else(|error| panic!("{error}"))
}

fn per_iteration(arch: Arch, name: &str, body: &[u8], walks: &[Walk]) -> f64 {
    let mut source = LoopSource::new(arch, body, 0, walks, 400).unwrap();
    predict(&mut source, &[&llvm(arch, name)], &Options::default())
        .unwrap()
        .remove(0)
        .cycles_per_call
        .unwrap()
}

#[test]
fn every_model_of_llvm_makes_a_core() {
    for arch in Arch::ALL {
        for name in Scheduling::cpus(arch).unwrap() {
            let cpu = llvm(arch, name);
            assert!(cpu.value("branch.return_stack") > Some(0.0), "{name}: returns are predicted everywhere");
        }
    }
}

/// LLVM's latency of an instruction that loads and computes counts from the address; its other sources are needed only when
/// the load is over. A Zen 4 takes one cycle (./assay validate --native --as llvm:znver4).
#[test]
fn what_is_added_to_does_not_wait_for_the_load() {
    // add r11, [rdi]; dec rsi; jne
    let body = [0x4c, 0x03, 0x1f, 0x48, 0xff, 0xce, 0x75, 0xf8];
    let still = [Walk { start: 0x2000_0010, step: 0, wrap: 0 }];
    let cycles = per_iteration(Arch::X86_64, "znver4", &body, &still);
    assert!((1.0..1.3).contains(&cycles), "{cycles}");
}

#[test]
fn an_updated_base_does_not_wait_for_memory() {
    // pop rbx; pop rbp; dec rsi; jne
    let pops = [0x5b, 0x5d, 0x48, 0xff, 0xce, 0x75, 0xf9];
    let walks = [0, 8].map(|offset| Walk { start: 0x2000_0000 + offset, step: 0, wrap: 0 });
    let cycles = per_iteration(Arch::X86_64, "znver4", &pops, &walks);
    assert!((1.0..1.3).contains(&cycles), "{cycles}");
    // ldr x0, [x1], 8; subs x2, x2, 1; b.ne
    let loads = [0xf840_8420_u32, 0xf100_0442, 0x54ff_ffc1].map(u32::to_le_bytes).concat();
    let walk = [Walk { start: 0x2000_0000, step: 0, wrap: 0 }];
    let cycles = per_iteration(Arch::Aarch64, "cortex-a76", &loads, &walk);
    assert!((1.0..2.3).contains(&cycles), "{cycles}");
}

/// No aligned block is in LLVM's model: a loop across one takes what its width allows.
#[test]
fn fetch_goes_on_behind_a_taken_branch_out_of_order() {
    // Four nops of five bytes; dec rsi; jne: 25 bytes, of which eight stand in another block of 32.
    let mut body: Vec<u8> = [0x0f, 0x1f, 0x44, 0, 0].repeat(4);
    body.extend([0x48, 0xff, 0xce, 0x75, 0xe7]);
    let mut source = LoopSource::new(Arch::X86_64, &body, 0x1000_0008 + 8, &[], 400).unwrap();
    let predicted = predict(&mut source, &[&llvm(Arch::X86_64, "znver4")], &Options::default()).unwrap();
    let cycles = predicted[0].cycles_per_call.unwrap();
    assert!((1.0..1.1).contains(&cycles), "{cycles}");
    assert!(llvm(Arch::Riscv64, "sifive-u74").value("fetch.ahead").is_none(), "it issues in order");
}

#[test]
fn a_core_that_only_llvm_describes_is_marked_by_its_coverage() {
    let cpu = llvm(Arch::Powerpc64le, "pwr9");
    // adde 4,4,5, twice; bdnz
    let body = [0x7c84_2914_u32, 0x7c84_2914, 0x4200_fff8].map(u32::to_le_bytes).concat();
    let mut source = LoopSource::new(Arch::Powerpc64le, &body, 0, &[], 500).unwrap();
    let prediction = predict(&mut source, &[&cpu], &Options::default()).unwrap().remove(0);
    assert_eq!(prediction.coverage_percent, 0.0);
    assert!(prediction.cycles_per_call.unwrap() >= 4.0, "two links of LLVM's latency");
    let error = llvm_cpu(Arch::Loongarch64, "la464").unwrap_err().to_string();
    assert!(error.contains("la464"), "{error}");
}

#[test]
fn a_core_that_only_llvm_describes_has_guesses_that_move_and_lacks_what_llvm_says_it_lacks() {
    let u74 = llvm(Arch::Riscv64, "sifive-u74");
    let moved = u74.guesses().into_iter().filter(|guess| guess.low < guess.high).count();
    assert!(moved >= 10, "{moved} guesses have a range");
    assert_eq!(u74.word("kind"), Some("in_order"), "LLVM gives it no buffer");
    // vadd.vv v1, v2, v3; bnez a0, -4
    let body = [0x0221_80d7_u32, 0xfe05_1ee3].map(u32::to_le_bytes).concat();
    let run = |cpu| {
        let mut source = LoopSource::new(Arch::Riscv64, &body, 0, &[], 50).unwrap();
        predict(&mut source, &[cpu], &Options::default())
    };
    let error = run(&u74).unwrap_err().to_string();
    assert!(error.contains("does not have") && error.contains("vadd.vv"), "{error}");
    run(&llvm(Arch::Riscv64, "sifive-x280")).unwrap();
}
