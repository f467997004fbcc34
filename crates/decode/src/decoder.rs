// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The decoder: LLVM's target, the architecture's tables, and what was learnt of each opcode so far.

use arch::Arch;
use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::instruction::{hexadecimal, Flow, Instruction};
use crate::isa::{Isa, Raw};
use crate::ports::isa_of;
use crate::registers::{Mapping, Register, RegisterKind, RegisterSpace};
use crate::shim::{Opcode, Target};
use crate::x86::address::AddressForm;

/// No x86 instruction is longer, and no other architecture's comes near.
const INSTRUCTION_BYTES_MAX: usize = 16;

/// x86's limit (SDM volume 2, 2.3.11).
const X86_INSTRUCTION_BYTES_MAX: usize = 15;

/// What may have a `lock` prefix, with its destination in memory (SDM volume 2, LOCK); all else is undefined with one.
const LOCKABLE: [&str; 19] = [
    "add",
    "adc",
    "and",
    "btc",
    "btr",
    "bts",
    "cmpxchg",
    "cmpxchg8b",
    "cmpxchg16b",
    "dec",
    "inc",
    "neg",
    "not",
    "or",
    "sbb",
    "sub",
    "xor",
    "xadd",
    "xchg",
];

/// LLVM cannot be used for this architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("LLVM {major} cannot decode {arch}: {message}", major = env!("ASSAY_LLVM_MAJOR"))]
pub struct Error {
    /// The architecture asked for.
    pub arch: Arch,
    /// Why, in LLVM's words or ours, and what helps.
    pub message: String,
}

/// Why bytes are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// LLVM knows no instruction with this encoding.
    #[error("no known instruction")]
    Unknown,
    /// The bytes end before the instruction does.
    #[error("cut off")]
    Truncated,
}

/// Bytes that are no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at 0x{address:x} in {arch} code: bytes {}", hexadecimal(.bytes))]
pub struct DecodeError {
    /// The architecture of the decoder.
    pub arch: Arch,
    /// Where the bytes stand.
    pub address: u64,
    /// The bytes looked at, at most 16, in memory order.
    pub bytes: Vec<u8>,
    /// Why they are no instruction.
    pub reason: Reason,
}

/// Decodes instructions of one architecture, with every extension that LLVM knows and that does not exclude others.
///
/// Not `Send`: make one per thread. A new one costs about a millisecond.
pub struct Decoder {
    arch: Arch,
    isa: &'static Isa,
    target: Target,
    space: RegisterSpace,
    register_names: Vec<&'static str>,
    mappings: Vec<Mapping>,
    opcodes: Vec<Option<Opcode>>,
}

impl Decoder {
    /// Starts LLVM's target for `arch`, and no other.
    pub fn new(arch: Arch) -> Result<Decoder, Error> {
        let isa = isa_of(arch);
        let target = Target::new(isa.triple, "", isa.features).map_err(|message| Error { arch, message })?;
        let register_names = target.register_names();
        let mappings = register_names.iter().map(|name| (isa.map)(name)).collect();
        let opcodes = vec![None; target.opcode_count()];
        let space = RegisterSpace::new(isa.files);
        Ok(Decoder { arch, isa, target, space, register_names, mappings, opcodes })
    }

    /// The architecture it decodes.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// All mnemonics that `decode` may give, and some that stand for none: LLVM has opcodes that only its compiler uses.
    pub fn mnemonics(&self) -> BTreeSet<String> {
        let of_opcode = |number| (self.isa.mnemonics)(&self.target.opcode_mnemonic(number));
        let mut all: BTreeSet<String> = (0..self.opcodes.len()).flat_map(of_opcode).collect();
        all.extend(self.isa.own_mnemonics.concat().into_iter().map(str::to_owned));
        if self.arch == Arch::X86_64 {
            all.extend(LOCKABLE.map(|name| format!("lock {name}")));
        }
        all.remove("");
        all
    }

    /// Decodes the instruction at the start of `bytes`, which may be longer. `address` is the instruction's.
    pub fn decode(&mut self, bytes: &[u8], address: u64) -> Result<Instruction, DecodeError> {
        let window = &bytes[..bytes.len().min(INSTRUCTION_BYTES_MAX)];
        let Some(decoded) = self.target.decode(window, address) else {
            return self.decode_extra(window, address);
        };
        let number = decoded.opcode as usize;
        let opcode = self.opcodes[number].get_or_insert_with(|| self.target.opcode(number));
        if self.arch == Arch::X86_64 && opcode.name.ends_with("_PREFIX") && window.len() > 1 {
            return self.decode_behind_prefix(window, address);
        }
        let opcode = self.opcodes[number].get_or_insert_with(|| self.target.opcode(number));
        let (llvm_mnemonic, text) = (self.target.mnemonic(), self.target.text(address));
        let length = decoded.length as usize;
        let raw = Raw {
            decoded: &decoded,
            opcode,
            mnemonic: &llvm_mnemonic,
            text: &text,
            bytes: &window[..length],
            word: instruction_word(self.arch, window),
            address,
            bits_32: self.arch.word_bits() == 32,
            mappings: &self.mappings,
            register_names: &self.register_names,
        };
        let mnemonic = (self.isa.mnemonic)(&raw);
        let raw = Raw { mnemonic: &mnemonic, ..raw };
        let mut facts = Facts::default();
        (self.isa.facts)(&raw, &mut facts);
        let operands = (self.isa.operands)(&raw);
        Ok(Instruction {
            operands,
            ..assemble(&window[..length], address, opcode.name, mnemonic, text, facts)
        })
    }

    /// How an x86-64 instruction that `decode` gave forms the address of its access; none where it has none, or one that
    /// is not of general registers alone (`AddressForm`).
    pub fn address_form(&mut self, instruction: &Instruction) -> Option<AddressForm> {
        let encoding = instruction.encoding();
        let encoding = if instruction.mnemonic.starts_with("lock ") { &encoding[1..] } else { encoding };
        let decoded = self.target.decode(encoding, instruction.address)?;
        let number = decoded.opcode as usize;
        let opcode = self.opcodes[number].get_or_insert_with(|| self.target.opcode(number));
        let mnemonic = instruction.mnemonic.rsplit(' ').next().unwrap_or_default();
        crate::x86::address::of(&Raw {
            decoded: &decoded,
            opcode,
            mnemonic,
            text: &instruction.text,
            bytes: encoding,
            word: 0,
            address: instruction.address,
            bits_32: false,
            mappings: &self.mappings,
            register_names: &self.register_names,
        })
        .filter(|_| self.arch == Arch::X86_64)
    }

    /// What LLVM does not know, and the architecture's own tables may.
    fn decode_extra(&mut self, window: &[u8], address: u64) -> Result<Instruction, DecodeError> {
        let words: Vec<u32> =
            window.chunks_exact(4).take(2).map(|bytes| instruction_word(self.arch, bytes)).collect();
        match (self.isa.extra)(&words) {
            Some(extra) => {
                let encoding = &window[..extra.length];
                Ok(assemble(encoding, address, "", extra.mnemonic.to_owned(), extra.text, extra.facts))
            }
            None => Err(self.error(window, address)),
        }
    }

    /// LLVM decodes some prefixes of x86 (`lock`) as instructions of their own: joins one to the instruction after it.
    fn decode_behind_prefix(&mut self, window: &[u8], address: u64) -> Result<Instruction, DecodeError> {
        let prefix = self.target.mnemonic();
        let rest = self.decode(&window[1..], address.wrapping_add(1));
        let Ok(mut instruction) = rest else {
            return Err(self.error(window, address));
        };
        let length = usize::from(instruction.length) + 1;
        if length > X86_INSTRUCTION_BYTES_MAX {
            return Err(self.error(window, address));
        }
        instruction.address = address;
        instruction.length = length as u8;
        instruction.bytes[..length].copy_from_slice(&window[..length]);
        instruction.text = format!("{prefix} {}", instruction.text);
        if prefix == "lock" {
            let read_modify_write = instruction.load && instruction.store;
            if !read_modify_write || !LOCKABLE.contains(&instruction.mnemonic.as_str()) {
                return Err(self.error(window, address));
            }
            instruction.mnemonic = format!("lock {}", instruction.mnemonic);
        }
        Ok(instruction)
    }

    #[cfg(test)]
    pub(crate) fn as_llvm_sees(&mut self, bytes: &[u8]) -> Option<(crate::shim::Decoded, Opcode)> {
        let decoded = self.target.decode(bytes, 0)?;
        Some((decoded, self.target.opcode(decoded.opcode as usize)))
    }

    #[cfg(test)]
    pub(crate) fn mapping(&self, number: usize) -> &Mapping {
        &self.mappings[number]
    }

    fn error(&mut self, window: &[u8], address: u64) -> DecodeError {
        let reason = if self.is_cut_off(window, address) { Reason::Truncated } else { Reason::Unknown };
        DecodeError { arch: self.arch, address, bytes: window.to_vec(), reason }
    }

    /// Whether bytes that are not an instruction could be the beginning of one.
    fn is_cut_off(&mut self, window: &[u8], address: u64) -> bool {
        let needed = match self.arch {
            // Bytes that become an instruction when zeros are appended were only cut off.
            Arch::X86_64 => {
                let mut padded = [0; INSTRUCTION_BYTES_MAX];
                padded[..window.len()].copy_from_slice(window);
                return window.len() < X86_INSTRUCTION_BYTES_MAX
                    && self.target.decode(&padded, address).is_some();
            }
            Arch::Riscv64 if window.first().is_some_and(|byte| byte & 3 != 3) => 2,
            // Primary opcode 1 is the prefix of two words.
            Arch::Powerpc64 | Arch::Powerpc64le if instruction_word(self.arch, window) >> 26 == 1 => 8,
            _ => 4,
        };
        window.len() < needed
    }

    /// Registers are numbered from 0 to one less than this.
    pub fn register_count(&self) -> usize {
        self.space.count()
    }

    /// The register's name, for people. A number that is no register of the architecture has the name `?`.
    pub fn register_name(&self, register: Register) -> &str {
        self.space.name(register).unwrap_or("?")
    }

    /// What the register holds. A number that is no register of the architecture is `Other`.
    pub fn register_kind(&self, register: Register) -> RegisterKind {
        self.space.kind(register).unwrap_or(RegisterKind::Other)
    }

    /// The registers in which a function gets its arguments.
    pub fn arguments(&self) -> Vec<Register> {
        let of_file = |&(file, first, count): &(&str, u16, u16)| {
            let named = |number| self.space.find(&format!("{file}{number}"));
            let first = named(first).or_else(|| self.space.find(file));
            (0..count).filter_map(move |behind| first.map(|Register(first)| Register(first + behind)))
        };
        self.isa.arguments.iter().flat_map(of_file).collect()
    }

    /// The register of this name.
    pub fn register(&self, name: &str) -> Option<Register> {
        self.space.find(name)
    }
}

fn assemble(
    encoding: &[u8],
    address: u64,
    opcode_name: &str,
    mnemonic: String,
    text: String,
    facts: Facts,
) -> Instruction {
    let mut bytes = [0; INSTRUCTION_BYTES_MAX];
    bytes[..encoding.len()].copy_from_slice(encoding);
    Instruction {
        address,
        bytes,
        length: encoding.len() as u8,
        mnemonic,
        opcode_name: opcode_name.to_owned(),
        text,
        address_reads: facts.address_reads,
        store_reads: facts.store_reads,
        reads: facts.reads,
        writes: facts.writes,
        load: facts.load,
        store: facts.store,
        access_bytes: facts.access_bytes,
        flow: facts.flow.unwrap_or(Flow::Next),
        conditional: facts.conditional,
        no_operation: facts.no_operation,
        operands: Vec::new(),
    }
}

fn instruction_word(arch: Arch, bytes: &[u8]) -> u32 {
    let Some(word) = bytes.first_chunk::<4>() else {
        // A compressed RISC-V instruction may be the last one of a buffer.
        return bytes.first_chunk::<2>().map_or(0, |half| u16::from_le_bytes(*half).into());
    };
    if arch.big_endian() {
        u32::from_be_bytes(*word)
    } else {
        u32::from_le_bytes(*word)
    }
}
