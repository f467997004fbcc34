// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The semantics of instructions: for each architecture, a function that executes a decoded instruction on terms.
//!
//! The decoder gives the mnemonic; operands are taken from the encoding here. An instruction without semantics here is
//! an error that names it, never a guess.

mod aarch64;
mod loongarch;
mod power;
mod riscv;
mod x86_64;

use arch::Arch;
use decode::Instruction;

use crate::machine::State;

/// Why an instruction could not be executed.
pub type Refusal = String;

/// Executes one instruction that is not a branch.
pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    match state.arch() {
        Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le => power::step(instruction, state),
        Arch::Loongarch64 => loongarch::step(instruction, state),
        Arch::X86_64 => x86_64::step(instruction, state),
        Arch::Aarch64 => aarch64::step(instruction, state),
        Arch::Riscv64 => riscv::step(instruction, state),
    }
}

/// The 32-bit word of an instruction of a fixed-width ISA.
fn word(instruction: &Instruction, big_endian: bool) -> u32 {
    let bytes = [instruction.bytes[0], instruction.bytes[1], instruction.bytes[2], instruction.bytes[3]];
    if big_endian {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}

/// `count` bits of a word from bit `low` (0 is the least significant).
fn field(word: u32, low: u32, count: u32) -> u32 {
    (word >> low) & ((1 << count) - 1)
}

/// A field of `bits` bits, sign-extended.
fn signed(value: u32, bits: u32) -> i64 {
    i64::from((value << (32 - bits)) as i32 >> (32 - bits))
}

fn unsupported(instruction: &Instruction) -> Refusal {
    format!("no semantics for {}", instruction.mnemonic)
}
