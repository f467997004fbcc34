// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What has to be known of an architecture to turn LLVM's view of an instruction into facts. A port is one `Isa`.

use crate::facts::Facts;
use crate::operand::Operand;
use crate::registers::{File, Mapping};
use crate::shim::{self, Decoded, Opcode};

/// One architecture, in the order in which a porter needs it.
pub(crate) struct Isa {
    /// LLVM's name of the target.
    pub(crate) triple: &'static str,
    /// LLVM features to decode with: all that do not exclude each other. Those that LLVM does not have are left out.
    pub(crate) features: &'static str,
    /// The register space.
    pub(crate) files: &'static [File],
    /// Registers in which the calling convention of Linux passes arguments: the file, the first one's number in it, and how many.
    pub(crate) arguments: &'static [(&'static str, u16, u16)],
    /// From LLVM's register name to registers of that space.
    pub(crate) map: fn(&str) -> Mapping,
    /// From LLVM's mnemonic to the ISA's own.
    pub(crate) mnemonic: fn(&Raw) -> String,
    /// All of the ISA's own mnemonics that instructions have which LLVM calls so.
    pub(crate) mnemonics: fn(&str) -> Vec<String>,
    /// Those that no opcode of LLVM's leads to.
    pub(crate) own_mnemonics: &'static [&'static [&'static str]],
    /// Fills in the facts; `raw.mnemonic` is what the function above returned.
    pub(crate) facts: fn(&Raw, &mut Facts),
    /// The operands.
    pub(crate) operands: fn(&Raw) -> Vec<Operand>,
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

/// For architectures whose mnemonics are the first words of LLVM's.
pub(crate) fn first_word(llvm_mnemonic: &str) -> Vec<String> {
    llvm_mnemonic.split_whitespace().take(1).map(str::to_owned).collect()
}

/// For architectures that LLVM knows all of.
pub(crate) fn no_extra(_: &[u32]) -> Option<Extra> {
    None
}

/// One decoded instruction as LLVM sees it.
pub(crate) struct Raw<'a> {
    pub(crate) decoded: &'a Decoded,
    pub(crate) opcode: &'a Opcode,
    pub(crate) mnemonic: &'a str,
    /// As LLVM prints it, for names that only its printer has; facts come from the other fields.
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
    pub(crate) fn operands(&self) -> &[shim::Operand] {
        self.decoded.operands()
    }

    /// The mapping of an operand that is a register.
    pub(crate) fn mapping(&self, operand: &shim::Operand) -> Option<&Mapping> {
        operand.register().map(|number| &self.mappings[number])
    }

    /// LLVM's name of an operand that is a register.
    pub(crate) fn name(&self, operand: &shim::Operand) -> Option<&'static str> {
        operand.register().map(|number| self.register_names[number])
    }

    /// Bits `first..=last` of the word, numbered as the Power ISA does: bit 0 is the most significant.
    pub(crate) fn field(&self, first: u32, last: u32) -> u32 {
        (self.word >> (31 - last)) & ((1u32 << (last - first + 1)) - 1)
    }
}

/// LLVM's operands as they are, for architectures whose registers have one name each.
pub(crate) fn plain(raw: &Raw) -> Vec<Operand> {
    let named = raw.operands().iter().filter(|operand| operand.tied_to().is_none());
    let one = |operand| match raw.mapping(operand) {
        Some(Mapping { registers, partial: false }) if !registers.is_empty() => {
            Operand::Register { register: registers[0], bits: None }
        }
        _ => operand.immediate().map_or(Operand::Other, Operand::Constant),
    };
    named.map(one).collect()
}
