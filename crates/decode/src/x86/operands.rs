// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The operands of an x86 instruction as its assembly names them: five of LLVM's are one address, and the accumulator and `cl`,
//! which short encodings imply, are among them.

use crate::isa::Raw;
use crate::operand::{Address, Operand};
use crate::registers::Register;
use crate::shim;

use super::{flags, numbered, split_number, OLD, RAX, RCX};

/// In the order of the assembly: the destination first.
pub(super) fn of(raw: &Raw) -> Vec<Operand> {
    let mut named = Vec::new();
    let mut rest = raw.operands();
    // To LLVM, an address at which nothing is accessed is not a memory operand.
    let computes_address = raw.opcode.name.starts_with("LEA") && raw.mnemonic == "lea";
    while let [first, behind @ ..] = rest {
        rest = behind;
        let is_address = first.is_memory() || computes_address && !first.is_definition();
        if let (true, [scale, index, displacement, _segment, behind @ ..]) = (is_address, behind) {
            named.push(Operand::Memory(address(raw, first, scale, index, displacement)));
            rest = behind;
        } else if first.tied_to().is_none() {
            named.push(plain(raw, first));
        }
    }
    if flags::has_condition(raw) {
        named.pop(); // it is in the mnemonic
    }
    if let Some(bits) = accumulator(raw, &named) {
        named.insert(0, Operand::Register { register: Register(RAX), bits: Some(bits) });
    }
    if raw.opcode.name.ends_with("CL") {
        named.push(Operand::Register { register: Register(RCX), bits: Some(8) });
    }
    named
}

fn plain(raw: &Raw, operand: &shim::Operand) -> Operand {
    let Some(name) = raw.name(operand) else {
        return operand.immediate().map_or(Operand::Other, Operand::Constant);
    };
    match raw.mapping(operand).and_then(|mapping| mapping.registers.first()) {
        Some(&register) => Operand::Register { register, bits: bits(name) },
        None => Operand::Other,
    }
}

fn address(
    raw: &Raw,
    base: &shim::Operand,
    scale: &shim::Operand,
    index: &shim::Operand,
    displacement: &shim::Operand,
) -> Address {
    let from_next = matches!(raw.name(base), Some("RIP" | "EIP"));
    // An index that is none (EIZ, RIZ) is only encoded.
    let has_index = raw.mapping(index).is_some_and(|mapping| !mapping.registers.is_empty());
    Address {
        has_base: base.register().is_some() && !from_next,
        scale: if has_index { scale.immediate().unwrap_or(1) as u8 } else { 0 },
        displacement: displacement.immediate().unwrap_or(0),
        from_next,
    }
}

/// Bits of the accumulator, where it is implied: of a constant that stands alone (`add eax, 5` without ModRM), and of `xchg`.
fn accumulator(raw: &Raw, named: &[Operand]) -> Option<u16> {
    let exchanges = raw.mnemonic == "xchg" && named.len() == 1;
    if !exchanges && !matches!(named, [Operand::Constant(_)]) {
        return None;
    }
    let implied = raw.opcode.implicit_uses.iter().chain(&raw.opcode.implicit_definitions);
    let names = implied.map(|&number| raw.register_names[number]);
    names.filter(|name| OLD[usize::from(RAX)].contains(name)).find_map(bits)
}

/// Bits of the register, from the lowest on, that this name means; 0 for its second byte.
fn bits(name: &str) -> Option<u16> {
    const OF_OLD: [u16; 5] = [64, 32, 16, 8, 0];
    if let Some(part) = OLD.iter().find_map(|names| names.iter().position(|known| *known == name)) {
        return Some(OF_OLD[part]);
    }
    if let Some((_, part)) = name.strip_prefix('R').and_then(numbered) {
        return Some(match part {
            "D" => 32,
            "W" => 16,
            "B" => 8,
            _ => 64,
        });
    }
    match split_number(name)?.0 {
        "MM" => Some(64),
        "XMM" => Some(128),
        "YMM" => Some(256),
        "ZMM" => Some(512),
        _ => None,
    }
}
