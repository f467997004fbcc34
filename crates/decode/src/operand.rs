// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The operands of an instruction, in the detail in which cores distinguish forms of it.

use crate::registers::Register;

/// One operand, from the encoding: the destinations first, and what is both read and written once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register {
        /// All of it.
        register: Register,
        /// How many bits of it, from the lowest on, where the ISA has names for parts (x86's `eax` 32, `xmm0` 128; 0 for `ah`,
        /// `bh`, `ch` and `dh`, which begin higher); none elsewhere.
        bits: Option<u16>,
    },
    /// A number: an immediate, a displacement, a target.
    Constant(i64),
    /// x86's address in brackets. (Elsewhere an address is what it is made of: registers and a constant.)
    Memory(Address),
    /// All else: a hard-wired zero, a rounding mode, one bit of a CR field.
    Other,
}

/// What an x86 address is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// A register is added as it is; `rip` is not one.
    pub has_base: bool,
    /// What the index is multiplied by, 1, 2, 4 or 8; 0 without an index.
    pub scale: u8,
    /// The constant that is added; of one that counts from the next instruction, as it is encoded.
    pub displacement: i64,
    /// It counts from the next instruction (`rip`).
    pub from_next: bool,
}

impl Operand {
    /// Whether it is a number.
    pub fn is_constant(&self) -> bool {
        matches!(self, Operand::Constant(_))
    }

    /// How many constants of up to 32 bits its encoding holds: of x86's immediates of 64 bits two, of a displaced address one.
    pub fn constants(&self) -> u8 {
        match self {
            Operand::Constant(value) if i32::try_from(*value).is_err() && u32::try_from(*value).is_err() => 2,
            Operand::Constant(_) => 1,
            Operand::Memory(address) => u8::from(address.displacement != 0 || address.from_next),
            Operand::Register { .. } | Operand::Other => 0,
        }
    }

    /// The address, of one in brackets.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Operand::Memory(address) => Some(address),
            _ => None,
        }
    }

    /// Bits of a register that has names for its parts.
    pub fn bits(&self) -> Option<u16> {
        match self {
            Operand::Register { bits, .. } => *bits,
            _ => None,
        }
    }
}
