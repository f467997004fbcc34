// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What has to be known of an architecture to turn LLVM's view of an instruction into facts. A port is one `Isa`.

use arch::Arch;

use crate::facts::Facts;
use crate::registers::{File, Mapping};
use crate::shim::{Decoded, Opcode, Operand};

/// One architecture, in the order in which a porter needs it.
pub(crate) struct Isa {
    /// LLVM's name of the target.
    pub(crate) triple: &'static str,
    /// LLVM features to decode with: all that do not exclude each other. Those that LLVM does not have are left out.
    pub(crate) features: &'static str,
    /// The register space.
    pub(crate) files: &'static [File],
    /// From LLVM's register name to registers of that space.
    pub(crate) map: fn(&str) -> Mapping,
    /// From LLVM's mnemonic to the ISA's own.
    pub(crate) mnemonic: fn(&Raw) -> String,
    /// Fills in the facts; `raw.mnemonic` is what the function above returned.
    pub(crate) facts: fn(&Raw, &mut Facts),
    /// Instructions that LLVM lacks, from the instruction word and the one behind it if there is one.
    pub(crate) extra: fn(&[u32]) -> Option<Extra>,
}

/// An instruction that LLVM lacks.
pub(crate) struct Extra {
    pub(crate) mnemonic: &'static str,
    pub(crate) text: String,
    pub(crate) facts: Facts,
    /// Bytes.
    pub(crate) length: usize,
}

/// For architectures that LLVM knows all of.
pub(crate) fn no_extra(_: &[u32]) -> Option<Extra> {
    None
}

impl Isa {
    pub(crate) fn of(arch: Arch) -> &'static Isa {
        match arch {
            Arch::Powerpc => &crate::power::ISA_32,
            Arch::Powerpc64 => &crate::power::ISA_64,
            Arch::Powerpc64le => &crate::power::ISA_64LE,
            Arch::Loongarch64 => &crate::loongarch::ISA,
            Arch::X86_64 => &crate::x86::ISA,
            Arch::Aarch64 => &crate::aarch64::ISA,
            Arch::Riscv64 => &crate::riscv::ISA,
        }
    }
}

/// One decoded instruction as LLVM sees it.
pub(crate) struct Raw<'a> {
    pub(crate) decoded: &'a Decoded,
    pub(crate) opcode: &'a Opcode,
    pub(crate) mnemonic: &'a str,
    pub(crate) text: &'a str,
    pub(crate) bytes: &'a [u8],
    /// The first four bytes as the ISA's instruction word, in the byte order of the architecture; the first two if there
    /// are only those (a compressed RISC-V instruction), and 0 if there are fewer.
    pub(crate) word: u32,
    pub(crate) address: u64,
    /// Whether addresses have 32 bits.
    pub(crate) bits_32: bool,
    /// What each of LLVM's registers stands for.
    pub(crate) mappings: &'a [Mapping],
    /// What LLVM calls each of its registers.
    pub(crate) register_names: &'a [&'static str],
}

impl Raw<'_> {
    pub(crate) fn operands(&self) -> &[Operand] {
        self.decoded.operands()
    }

    /// The mapping of an operand that is a register.
    pub(crate) fn mapping(&self, operand: &Operand) -> Option<&Mapping> {
        operand.register().map(|number| &self.mappings[number])
    }

    /// LLVM's name of an operand that is a register.
    pub(crate) fn name(&self, operand: &Operand) -> Option<&'static str> {
        operand.register().map(|number| self.register_names[number])
    }

    /// Bits `first..=last` of the word, numbered as the Power ISA does: bit 0 is the most significant.
    pub(crate) fn field(&self, first: u32, last: u32) -> u32 {
        (self.word >> (31 - last)) & ((1u32 << (last - first + 1)) - 1)
    }
}
