// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a calling convention promises and demands, as far as a proof needs it.

use std::ops::Range;

use arch::Arch;

/// Bytes below the stack pointer that stay what they are although a signal arrives. Zero where the ABI says that memory below
/// the stack pointer is nobody's: the 32-bit PowerPC System V ABI, the LoongArch and RISC-V psABIs, AAPCS64 (Universal
/// stack constraints). Of user space: kernels have none on x86-64 (-mno-red-zone).
mod red_zone {
    /// 64-Bit ELF V2 ABI, Protected Zone; ELFv1 has as much.
    pub const POWER64_BYTES: i64 = 288;
    /// System V ABI for AMD64, The Stack Frame.
    pub const X86_64_BYTES: i64 = 128;
}

/// The most bytes of stack that a function may write; one with a larger frame would have to probe for the guard page.
const FRAME_BYTES_MAX: i64 = 4096;

/// 64-Bit ELF V2 ABI, The Stack Frame: of its caller's header the callee may use the word for CR. The doubleword for LR, which it
/// may use for the return address alone, is not needed where nothing is called.
const CR_SAVE_WORD: Range<i64> = 8..12;

const NOTHING: Range<i64> = 0..0;

/// The registers that carry arguments and result, the callee-saved ones and the stack pointer; the red zone and what is lent
/// above it.
#[derive(Clone, Debug)]
pub(crate) struct Abi {
    pub arguments: [&'static str; 2],
    pub result: &'static str,
    pub stack_pointer: &'static str,
    pub preserved: Vec<String>,
    /// Vector registers of which only the high 64 bits are callee-saved.
    pub preserved_high: Vec<String>,
    /// How many bytes below the stack pointer are the function's.
    pub red_zone_bytes: i64,
    /// Bytes above the stack pointer at entry that the caller lends to the function.
    pub lent: Range<i64>,
}

impl Abi {
    /// Of user space on an architecture.
    pub fn of(arch: Arch) -> Abi {
        match arch {
            Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le => Abi {
                arguments: ["r3", "r4"],
                result: "r3",
                stack_pointer: "r1",
                preserved: [numbered("r", 1..=2), numbered("r", 13..=31), numbered("vs", 52..=63)].concat(),
                // f14 to f31 are non-volatile in ELFv2, in ELFv1 and in the 32-bit System V ABI; each is doubleword
                // 0 of the VSX register of its number, and doubleword 1 is volatile.
                preserved_high: numbered("vs", 14..=31),
                red_zone_bytes: if arch == Arch::Powerpc { 0 } else { red_zone::POWER64_BYTES },
                lent: if arch == Arch::Powerpc { NOTHING } else { CR_SAVE_WORD },
            },
            Arch::Loongarch64 => Abi {
                arguments: ["r4", "r5"],
                result: "r4",
                stack_pointer: "r3",
                preserved: [numbered("r", 1..=3), numbered("r", 21..=31)].concat(),
                preserved_high: Vec::new(),
                red_zone_bytes: 0,
                lent: NOTHING,
            },
            Arch::X86_64 => Abi {
                arguments: ["rdi", "rsi"],
                result: "rax",
                stack_pointer: "rsp",
                preserved: ["rbx", "rsp", "rbp", "r12", "r13", "r14", "r15"].map(str::to_owned).to_vec(),
                preserved_high: Vec::new(),
                red_zone_bytes: red_zone::X86_64_BYTES,
                lent: NOTHING,
            },
            Arch::Aarch64 => Abi {
                arguments: ["x0", "x1"],
                result: "x0",
                stack_pointer: "sp",
                preserved: [numbered("x", 18..=30), vec!["sp".to_owned()]].concat(),
                preserved_high: Vec::new(),
                red_zone_bytes: 0,
                lent: NOTHING,
            },
            Arch::Riscv64 => Abi {
                arguments: ["x10", "x11"],
                result: "x10",
                stack_pointer: "x2",
                preserved: [numbered("x", 1..=4), numbered("x", 8..=9), numbered("x", 18..=27)].concat(),
                preserved_high: Vec::new(),
                red_zone_bytes: 0,
                lent: NOTHING,
            },
        }
    }

    /// Whether a byte at this offset from the stack pointer at entry may be the function's.
    pub fn is_own(&self, offset: i64) -> bool {
        (-FRAME_BYTES_MAX..0).contains(&offset) || self.lent.contains(&offset)
    }
}

fn numbered(prefix: &str, range: std::ops::RangeInclusive<u32>) -> Vec<String> {
    range.map(|i| format!("{prefix}{i}")).collect()
}
