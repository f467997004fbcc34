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

/// LLVM's Zen 4 multiplies in one of its four arithmetic pipes and adds in all of them; by its width alone it would take 0.7 and
/// 1.5 cycles.
#[test]
fn instructions_take_the_pipes_that_llvm_says() {
    // imul rax, rbx, 3; imul rcx, rbx, 3; imul rdx, rbx, 3; dec rsi; jne
    let products = [
        0x48, 0x6b, 0xc3, 0x03, 0x48, 0x6b, 0xcb, 0x03, 0x48, 0x6b, 0xd3, 0x03, 0x48, 0xff, 0xce, 0x75, 0xef,
    ];
    let cycles = per_iteration(Arch::X86_64, "znver4", &products, &[]);
    assert!((3.0..3.1).contains(&cycles), "{cycles}");
    // add with eight registers; dec rsi; jne
    let mut sums: Vec<u8> = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc7]
        .iter()
        .flat_map(|&register| [0x48, 0x83, register, 0x01])
        .collect();
    sums.extend([0x49, 0x83, 0xc0, 0x01, 0x49, 0x83, 0xc1, 0x01, 0x48, 0xff, 0xce, 0x75, 0xdb]);
    let cycles = per_iteration(Arch::X86_64, "znver4", &sums, &[]);
    assert!((2.0..2.4).contains(&cycles), "{cycles}");
    // add x2..x7, xN, 1; subs x0, x0, 1; b.ne: Neoverse N1 has three pipes for them in one group, two of them alike.
    let sums = [0x9100_0442_u32, 0x9100_0463, 0x9100_0484, 0x9100_04a5, 0x9100_04c6, 0x9100_04e7];
    let sums = [&sums[..], &[0xf100_0400, 0x54ff_ff21]].concat();
    let sums: Vec<u8> = sums.iter().flat_map(|word| word.to_le_bytes()).collect();
    let cycles = per_iteration(Arch::Aarch64, "neoverse-n1", &sums, &[]);
    assert!((2.3..2.5).contains(&cycles), "{cycles}");
}

#[test]
fn moves_that_llvm_eliminates_and_zeros_take_no_time() {
    // mov rbx, rax; mov rcx, rbx; mov rax, rcx; add rax, 1; dec rsi; jne
    let moves = [
        0x48, 0x89, 0xc3, 0x48, 0x89, 0xd9, 0x48, 0x89, 0xc8, 0x48, 0x83, 0xc0, 0x01, 0x48, 0xff, 0xce, 0x75,
        0xee,
    ];
    let cycles = per_iteration(Arch::X86_64, "znver4", &moves, &[]);
    assert!((1.0..1.1).contains(&cycles), "{cycles}");
    // imul rax, rax; sub rax, rax; dec rsi; jne
    let zeros = [0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x29, 0xc0, 0x48, 0xff, 0xce, 0x75, 0xf4];
    let cycles = per_iteration(Arch::X86_64, "znver4", &zeros, &[]);
    assert!((1.0..1.1).contains(&cycles), "{cycles}");
}

#[test]
fn a_load_of_what_was_stored_waits_for_the_value() {
    // add rax, 1; mov [rdi], rax; mov rax, [rdi]; dec rsi; jne
    let body = [0x48, 0x83, 0xc0, 0x01, 0x48, 0x89, 0x07, 0x48, 0x8b, 0x07, 0x48, 0xff, 0xce, 0x75, 0xf1];
    let still = [0; 2].map(|_| Walk { start: 0x2000_0000, step: 0, wrap: 0 });
    let forward = llvm(Arch::X86_64, "znver4").value("memory.forward").unwrap();
    let cycles = per_iteration(Arch::X86_64, "znver4", &body, &still);
    // LLVM's plain load takes a cycle more than the load latency that its model of the core names.
    assert!((forward + 2.0..forward + 2.1).contains(&cycles), "{cycles}");
}

#[test]
fn a_model_of_more_pipes_than_can_be_described_says_so() {
    let essay = |name| llvm(Arch::Powerpc64le, name).essays[0].1.clone();
    assert!(essay("pwr9").contains("35 pipes"), "{}", essay("pwr9"));
    assert!(!essay("pwr8").contains("guesses: "), "{}", essay("pwr8"));
    assert!(llvm(Arch::Powerpc64le, "pwr8").entry("unit.P8_LU_LS_FX.pipes").is_some());
    assert!(llvm(Arch::Powerpc64le, "pwr7").entry("unit.LS.pipes").is_some(), "it has no plain load");
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

/// A core that has tables predicts a branch where it fetches it, however long its registers have been there: `beq a0, a1` behind
/// eight instructions, at random. Where it goes either way, half of the predictions are wrong.
#[test]
fn a_core_that_issues_in_order_mispredicts_what_its_registers_would_tell() {
    const TURNS: usize = 2000;
    let u74 = llvm(Arch::Riscv64, "sifive-u74");
    // Eight times addi t0, zero, 1; beq a0, a1, +8; a no-operation; jal back.
    let body = [[0x0010_0293_u32; 8].as_slice(), &[0x00b5_0463, 0x13, 0xfd9f_f06f]].concat();
    let body: Vec<u8> = body.into_iter().flat_map(u32::to_le_bytes).collect();
    let run = |goes: &[i64]| {
        let mut source = LoopSource::along(Arch::Riscv64, &body, 0, &[], goes, 1).unwrap();
        let told = predict(&mut source, &[&u74], &Options::default()).unwrap().remove(0);
        (told.counters.branch_misses as usize, told.cycles)
    };
    let mut random = stats::SplitMix64::new(7);
    let at_random: Vec<i64> = (0..TURNS).flat_map(|_| [[40, -1][random.below(2)], 0]).collect();
    let (misses, cycles) = run(&at_random);
    let (few, least) = run(&[40, 0].repeat(TURNS));
    assert!(misses > TURNS / 3 && few < 10, "{misses} and {few} of {TURNS}");
    let penalty = u74.value("branch.mispredict").unwrap() as u64;
    assert!(cycles >= least + misses as u64 * penalty / 2, "{cycles} and {least}, {misses} wrong");
}

/// POWER has one name for three architectures, and what was meant decides which programs the heir runs.
#[test]
fn an_heir_of_a_core_that_llvm_has_for_several_architectures_says_which() {
    let folder = std::env::temp_dir().join(format!("assay-heirs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let load = |text: &str| {
        let file = folder.join("mine.toml");
        std::fs::write(&file, text).unwrap();
        Cpu::load_file(&folder, &file)
    };
    let error = load("inherits = \"llvm:pwr9\"\n").expect_err("which of them?").to_string();
    for part in ["llvm:pwr9", "LLVM has it for powerpc, powerpc64, powerpc64le; ", "arch = [\"powerpc64le\"]"]
    {
        assert!(error.contains(part), "{error}");
    }
    let said = load("arch = [\"powerpc64le\"]\ninherits = \"llvm:pwr9\"\n").unwrap();
    assert!(said.runs(Arch::Powerpc64le) && !said.runs(Arch::Powerpc));
    assert!(load("inherits = \"llvm:cortex-a76\"\n").unwrap().runs(Arch::Aarch64));
    // One core, so all that LLVM has it for may be said, but no more.
    let both = load("arch = [\"powerpc64\", \"powerpc64le\"]\ninherits = \"llvm:pwr9\"\n").unwrap();
    assert!(both.runs(Arch::Powerpc64) && both.runs(Arch::Powerpc64le));
    let foreign =
        load("arch = [\"powerpc64\", \"x86_64\"]\ninherits = \"llvm:pwr9\"\n").unwrap_err().to_string();
    assert!(foreign.contains("mine.toml:1: 'arch' names 'x86_64', but 'llvm:pwr9'"), "{foreign}");
    let unknown = load("inherits = \"llvm:nosuch\"\n").unwrap_err().to_string();
    assert!(unknown.contains("llvm:nosuch"), "{unknown}");
    std::fs::remove_dir_all(folder).unwrap();
}
