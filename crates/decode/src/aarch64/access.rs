// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! AArch64 memory accesses, by mnemonic and the width of the registers involved.
//!
//! LLVM marks barriers, hints and exclusives all as loads and stores, so the access follows from the name.

use crate::facts::{Access, Facts};
use crate::instruction::Role;
use crate::isa::Raw;
use crate::registers::{Mapping, Register};
use crate::shim::Operand;

use super::{role, P, SP, V};

/// Atomic operations that are named like loads.
const ATOMICS: [&str; 10] =
    ["ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax", "ldumin", "cas", "swp"];

/// Sets the access of the facts, and returns what kind it is.
pub(super) fn of(raw: &Raw, out: &mut Facts) -> Option<Access> {
    let kind = kind(raw)?;
    if kind != Access::Hint {
        out.access(kind, bytes(raw));
    }
    Some(kind)
}

fn kind(raw: &Raw) -> Option<Access> {
    let name = raw.mnemonic;
    let atomic = ATOMICS.iter().any(|start| name.starts_with(start));
    let moves = ["cpyp", "cpym", "cpye", "cpyfp", "cpyfm", "cpyfe"];
    let sets = ["setp", "setm", "sete", "setgp", "setgm", "setge"];
    match name {
        "sys" => cache_operation(raw.word),
        "gcsstr" | "gcssttr" | "gcspushm" => Some(Access::Store),
        "gcspopm" => Some(Access::Load),
        "prfm" | "prfum" | "rprfm" | "prfb" | "prfh" | "prfw" | "prfd" => Some(Access::Hint),
        _ if atomic || name.starts_with("rcw") => Some(Access::Both),
        _ if name.starts_with("ld") => Some(Access::Load),
        _ if name.starts_with("st") => Some(Access::Store),
        _ if moves.iter().any(|start| name.starts_with(start)) => Some(Access::Both),
        _ if sets.iter().any(|start| name.starts_with(start)) && raw.opcode.may_store => Some(Access::Store),
        _ => None,
    }
}

/// `sys` names what it does by fields (Arm ARM, C5.1.3, table of the cache maintenance instructions, all of CRn 7): CRm 4 is
/// `dc zva`, `gva` and `gzva`, which write zeros or tags; the others of `dc` and `ic` move lines.
fn cache_operation(word: u32) -> Option<Access> {
    let (crn, crm, op2) = (word >> 12 & 15, word >> 8 & 15, word >> 5 & 7);
    match (crn, crm) {
        (7, 4) if matches!(op2, 1 | 3 | 4) => Some(Access::Store),
        (7, 1 | 5 | 6 | 10..=15) => Some(Access::Hint),
        _ => None,
    }
}

/// Bytes of LLVM's register: `W3` 4, `Q0_Q1` 32; none for a vector whose length the machine decides.
fn width(name: &str) -> Option<u16> {
    let mut bytes = 0;
    for part in name.split('_') {
        bytes += match part.as_bytes().first()? {
            b'B' => 1,
            b'H' => 2,
            b'S' if part != "SP" => 4,
            b'W' => 4,
            b'Q' => 16,
            b'D' | b'X' | b'L' | b'F' | b'S' => 8,
            _ => return None,
        };
    }
    Some(bytes)
}

fn bytes(raw: &Raw) -> u16 {
    let name = raw.mnemonic;
    match name {
        "ld64b" | "st64b" | "st64bv" | "st64bv0" => return 64,
        "ldg" | "ldgm" | "stg" | "stgm" | "st2g" | "stzgm" | "sys" => return 0, // tags; a cache block
        "stzg" => return 16,
        "stz2g" => return 32,
        "ldpsw" | "gcspopm" => return 8,
        "ldraa" | "ldrab" => return 8, // the last letter is a key, not a size
        "ldap1" | "stl1" => return 8,  // one lane
        _ if name.starts_with("cpy") || name.starts_with("set") => return 0,
        _ => {}
    }
    let scalable = |operand: &Operand| raw.name(operand).is_some_and(|name| name.starts_with(['Z', 'P']));
    if raw.operands().iter().any(scalable) {
        return 0;
    }
    if let Some(bytes) = structure(raw) {
        return bytes;
    }
    // The element of ld1b and the like is SVE's; elsewhere the suffix is the size.
    if name.ends_with("sw") {
        4
    } else if name.ends_with('b') {
        1
    } else if name.ends_with('h') {
        2
    } else {
        data(raw).filter_map(|operand| raw.name(operand)).filter_map(width).sum()
    }
}

/// `ld3r`, `st2 {...}[1]`: as many elements as the digit in the name, of the size in LLVM's opcode name.
fn structure(raw: &Raw) -> Option<u16> {
    let count: u16 = raw.mnemonic.get(2..3)?.parse().ok()?;
    let opcode = raw.opcode.name.trim_end_matches("_POST");
    let tail = opcode.get(3..)?;
    if let Some(bits) = tail.strip_prefix('i').and_then(|bits| bits.parse::<u16>().ok()) {
        return Some(count * bits / 8);
    }
    let element = match tail.strip_prefix("Rv")?.chars().last()? {
        'b' => 1,
        'h' => 2,
        's' => 4,
        _ => 8,
    };
    Some(count * element)
}

/// Registers loaded or stored: the operands in front of the base that are not the base's update or a status.
fn data<'a>(raw: &'a Raw) -> impl Iterator<Item = &'a Operand> {
    let operands = raw.operands();
    let defined = operands.iter().take_while(|operand| operand.is_definition()).count();
    let updates = usize::from(base_update(raw).is_some());
    let loads = raw.mnemonic.starts_with("ld") && defined > updates;
    let range = if loads { updates..defined } else { defined..defined + stored(raw) };
    operands[range.start.min(operands.len())..range.end.min(operands.len())].iter()
}

/// How many operands a store or an atomic operation takes to memory. (`casp` names each pair by one.)
fn stored(raw: &Raw) -> usize {
    const ATOMIC_PAIRS: [&str; 7] =
        ["swpp", "rcwclrp", "rcwsclrp", "rcwsetp", "rcwssetp", "rcwswpp", "rcwsswpp"];
    match raw.mnemonic {
        "stp" | "stnp" | "stxp" | "stlxp" | "stgp" | "stilp" | "sttp" | "sttnp" => 2,
        name if ATOMIC_PAIRS.iter().any(|start| name.starts_with(start)) => 2,
        _ => 1,
    }
}

/// The definition that is an updated base: it is tied to a general register in a plain access.
fn base_update(raw: &Raw) -> Option<usize> {
    if kind(raw) == Some(Access::Both) || keeps_destination(raw) {
        return None;
    }
    let tied =
        raw.operands().iter().find(|operand| operand.tied_to().is_some() && is_general(raw, operand))?;
    tied.tied_to()
}

/// Whether a load into a general register keeps some or, where there is no guarded stack, all of it.
fn keeps_destination(raw: &Raw) -> bool {
    matches!(raw.mnemonic, "ldg" | "gcspopm")
}

fn first(raw: &Raw, operand: &Operand) -> Option<Register> {
    raw.mapping(operand).and_then(|mapping| mapping.registers.first().copied())
}

fn is_general(raw: &Raw, operand: &Operand) -> bool {
    first(raw, operand).is_some_and(|register| register.0 <= SP)
}

fn is_vector(raw: &Raw, operand: &Operand) -> bool {
    first(raw, operand).is_some_and(|register| (V..P).contains(&register.0))
}

/// The operands that LLVM names, each with its role.
pub(super) fn operands(raw: &Raw, out: &mut Facts, access: Option<Access>) {
    let base = base_update(raw).filter(|_| access.is_some());
    let data: Vec<*const Operand> = data(raw).map(|operand| operand as *const Operand).collect();
    let last_general =
        raw.operands().iter().rposition(|operand| is_general(raw, operand) && !operand.is_definition());
    let moves = raw.mnemonic.starts_with("cpy") || raw.mnemonic.starts_with("set");
    for (index, operand) in raw.operands().iter().enumerate() {
        let Some(mapping) = raw.mapping(operand) else { continue };
        let is_data = data.iter().any(|known| std::ptr::eq(*known, operand));
        match access {
            _ if operand.is_definition() => {
                define(out, mapping, base == Some(index) || (moves && access.is_some()))
            }
            None => out.read_all(mapping),
            Some(Access::Store) if is_data && !moves => out.data(mapping),
            Some(Access::Both) if !moves && Some(index) != last_general => {
                let swaps = raw.mnemonic.starts_with("swp");
                if swaps {
                    out.data(mapping)
                } else {
                    out.read_all(mapping)
                }
            }
            // The lanes that ld1 {v0.s}[1] leaves, and predicates.
            Some(Access::Load) if is_vector(raw, operand) && operand.tied_to().is_some() => {
                out.read_all(mapping)
            }
            Some(Access::Load) if keeps_destination(raw) && operand.tied_to().is_some() => {
                out.read_all(mapping)
            }
            Some(_) if !is_general(raw, operand) && !is_vector(raw, operand) => out.read_all(mapping),
            // The increment of [x0], x1 comes after the access.
            Some(_) if raw.opcode.name.ends_with("_POST") && operand.tied_to().is_none() => {
                out.read_all(mapping)
            }
            Some(_) => out.address(mapping),
        }
    }
}

fn define(out: &mut Facts, mapping: &Mapping, base: bool) {
    for register in &mapping.registers {
        out.write(register.0, if base { Role::BaseUpdate } else { role(register.0) });
    }
}
