// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Tests of the architectures' tables against LLVM's, over random instructions: where LLVM is definite, the two have to
//! agree; where it is not, our table decides.

use std::collections::{BTreeMap, HashSet};

use arch::Arch;

use crate::decoder::Decoder;
use crate::instruction::Instruction;
use crate::registers::Register;
use crate::shim::{Decoded, Opcode};

const ROUNDS: u64 = 100_000;

/// Calls `check` with each of many random instructions, as LLVM and as we see it.
fn each_instruction(arch: Arch, mut check: impl FnMut(&Decoder, &Decoded, &Opcode, &Instruction)) {
    let mut decoder = Decoder::new(arch).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..ROUNDS {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bytes = (u128::from(mixed) << 64 | u128::from(mixed ^ (mixed >> 31))).to_le_bytes();
        let Some((decoded, opcode)) = decoder.as_llvm_sees(&bytes) else { continue };
        let Ok(instruction) = decoder.decode(&bytes, 0) else { continue };
        if instruction.opcode_name == opcode.name {
            check(&decoder, &decoded, &opcode, &instruction);
        }
    }
}

/// LLVM says load or store, but not both: then it is definite.
#[test]
fn accesses_agree_where_llvm_is_definite() {
    for arch in Arch::ALL {
        let mut differing = BTreeMap::new();
        each_instruction(arch, |_, _, opcode, ours| {
            let definite = opcode.may_load != opcode.may_store;
            if definite && (opcode.may_load, opcode.may_store) != (ours.load, ours.store) {
                differing.insert(opcode.name, ours.text.clone());
            }
        });
        differing.retain(|name, _| !is_known_difference(arch, name));
        assert!(differing.is_empty(), "{arch}: {differing:?}");
    }
}

/// Where LLVM is definite and wrong, or means something else.
fn is_known_difference(arch: Arch, opcode: &str) -> bool {
    match arch {
        // Atomic memory operations load and store. The rest are hints and waits that the compiler must not move.
        Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le => {
            matches!(opcode, "LDAT" | "LWAT" | "STDAT" | "STWAT" | "TSR" | "TABORT" | "WAIT")
        }
        // Cache operations are stores to LLVM so that stores are not moved past them.
        Arch::Riscv64 => opcode.starts_with("CBO_"),
        // Calls push; undefined-instruction traps load nothing.
        Arch::X86_64 => {
            opcode.starts_with("CALL")
                || opcode.starts_with("FARCALL")
                || opcode.starts_with("TRAP")
                || opcode.starts_with("UD")
        }
        _ => false,
    }
}

/// No register that LLVM names as an operand is lost, save for hard-wired zeros and state that is no dependency.
#[test]
fn every_operand_is_accounted_for() {
    for arch in Arch::ALL {
        let mut lost = BTreeMap::new();
        each_instruction(arch, |decoder, decoded, opcode, ours| {
            let written: HashSet<Register> = ours.writes.iter().map(|write| write.register).collect();
            let lists = [&ours.address_reads, &ours.store_reads, &ours.reads];
            let read: HashSet<Register> = lists.into_iter().flatten().copied().collect();
            for operand in decoded.operands() {
                let Some(number) = operand.register() else { continue };
                let known = if operand.is_definition() { &written } else { &read };
                if !decoder.mapping(number).registers.iter().all(|register| known.contains(register)) {
                    lost.insert(opcode.name, ours.text.clone());
                }
            }
        });
        lost.retain(|name, _| !is_known_loss(name));
        assert!(
            lost.is_empty(),
            "{arch}: {} lost, as {:?}",
            lost.len(),
            lost.iter().take(20).collect::<Vec<_>>()
        );
    }
}

/// POWER: the CR bit of a branch that does not test it, accumulators moved from and to VSRs, an FPSCR field that LLVM
/// takes for CR, a register that it takes for one of the other half of the VSRs, r0 that means zero. x86: operands of nop,
/// which nothing looks at. Sources that LLVM takes for destinations (x86's vmwrite, LoongArch's moves to flags), and the
/// reverse (AArch64's sysl).
fn is_known_loss(opcode: &str) -> bool {
    matches!(
        opcode,
        "XXMTACC" | "XXMFACC" | "MCRFS" | "LSWI" | "STSWI" | "CP_COPY" | "CP_PASTE_rec" | "XSIEXPQP"
    ) || opcode.ends_with("CIX")
        || opcode.ends_with("EPX")
        || opcode.starts_with("NOOP")
        || opcode.starts_with("gBC")
        || opcode.starts_with("VMWRITE")
        || matches!(opcode, "X86MTFLAG" | "ARMMTFLAG" | "SYSLxt")
}

/// The numbers in the architectures' modules are those of their tables.
#[test]
fn register_names_stand_where_the_constants_say() {
    let power = [
        (0, "r0"),
        (32, "vs0"),
        (96, "cr0"),
        (104, "ca"),
        (107, "lr"),
        (108, "ctr"),
        (115, "spr"),
        (116, "acc0"),
    ];
    let x86 = [
        (4, "rsp"),
        (7, "rdi"),
        (11, "r11"),
        (32, "zmm0"),
        (64, "k0"),
        (72, "cf"),
        (74, "zf"),
        (76, "x87"),
        (87, "tmm0"),
    ];
    let loongarch = [(1, "r1"), (32, "f0"), (64, "fcc0"), (72, "fcsr0"), (73, "scr0"), (77, "eflags")];
    let aarch64 =
        [(30, "x30"), (31, "sp"), (32, "v0"), (64, "p0"), (80, "nzcv"), (81, "sysreg"), (82, "ffr")];
    let riscv = [(5, "x5"), (32, "f0"), (64, "v0"), (96, "vl"), (97, "vtype"), (98, "fcsr"), (99, "csr")];
    let all: [(Arch, &[(u16, &str)]); 5] = [
        (Arch::Powerpc64le, &power),
        (Arch::X86_64, &x86),
        (Arch::Loongarch64, &loongarch),
        (Arch::Aarch64, &aarch64),
        (Arch::Riscv64, &riscv),
    ];
    for (arch, registers) in all {
        let decoder = Decoder::new(arch).unwrap();
        assert!(decoder.register_count() < 255, "{arch}");
        for &(number, name) in registers {
            assert_eq!(decoder.register_name(Register(number)), name, "{arch}");
            assert_eq!(decoder.register(name), Some(Register(number)), "{arch}");
        }
    }
}

/// The calling conventions' registers of arguments, the first and the last of each file: a name that is none would be left out.
#[test]
fn registers_of_arguments_are_those_of_the_calling_conventions() {
    let power = (33, vec!["r3", "r10", "vs1", "vs13", "vs34", "vs45"]);
    let all = [
        (Arch::Powerpc, power.clone()),
        (Arch::Powerpc64, power.clone()),
        (Arch::Powerpc64le, power),
        (Arch::X86_64, (15, vec!["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "zmm0", "zmm7"])),
        (Arch::Loongarch64, (16, vec!["r4", "r11", "f0", "f7"])),
        (Arch::Aarch64, (17, vec!["x0", "x8", "v0", "v7"])),
        (Arch::Riscv64, (32, vec!["x10", "x17", "f10", "f17", "v8", "v23"])),
    ];
    for (arch, (count, among)) in all {
        let decoder = Decoder::new(arch).unwrap();
        let arguments = decoder.arguments();
        assert_eq!(arguments.len(), count, "{arch}");
        for name in among {
            assert!(arguments.contains(&decoder.register(name).unwrap()), "{arch}: {name}");
        }
    }
}

/// So that a name in a cpu file that no instruction has can be told from one that some have.
#[test]
fn each_mnemonic_that_is_decoded_is_among_those_that_there_are() {
    for arch in Arch::ALL {
        let known = Decoder::new(arch).unwrap().mnemonics();
        assert!(known.len() > 500 && !known.contains("nosuch"), "{arch}: {} mnemonics", known.len());
        let mut unknown = BTreeMap::new();
        let mut look = |ours: &Instruction| {
            if !known.contains(&ours.mnemonic) {
                unknown.insert(ours.mnemonic.clone(), ours.text.clone());
            }
        };
        each_instruction(arch, |_, _, _, ours| look(ours));
        if arch == Arch::Aarch64 {
            let mut decoder = Decoder::new(arch).unwrap();
            let hints = (0..128u32).map(|number| 0xd503_201f | number << 5);
            hints.filter_map(|word| decoder.decode(&word.to_le_bytes(), 0).ok()).for_each(|hint| look(&hint));
        }
        assert!(unknown.is_empty(), "{arch}: {unknown:?}");
    }
}
