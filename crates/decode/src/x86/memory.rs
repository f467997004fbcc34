// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! x86 memory accesses: operands in brackets, the stack, and string instructions.

use crate::facts::{Access, Facts};
use crate::instruction::Role;
use crate::isa::Raw;
use crate::registers::Mapping;
use crate::shim::Operand;

use super::{K, RAX, RBP, RCX, RDI, RSI, RSP};

/// LLVM's bits for the prefixes F3 and F2 of a decoded instruction.
const PREFIX_REPNE: u32 = 4;
const PREFIX_REP: u32 = 8;

/// What a string instruction does, by LLVM's opcode name: `movsd` and `cmpsd` are also SSE mnemonics.
fn string(raw: &Raw) -> Option<(&'static str, u16)> {
    let (stem, width) = raw.opcode.name.split_at_checked(4)?;
    let bytes = match width {
        "B" => 1,
        "W" => 2,
        "L" => 4,
        "Q" => 8,
        _ => return None,
    };
    ["MOVS", "STOS", "LODS", "SCAS", "CMPS"]
        .into_iter()
        .find(|known| *known == stem)
        .map(|known| (known, bytes))
}

/// `rep`, `repe` or `repne` in front of a string instruction; on others the prefix has no such meaning.
pub(super) fn repeat_prefix(raw: &Raw) -> Option<&'static str> {
    let (stem, _) = string(raw)?;
    let compares = matches!(stem, "SCAS" | "CMPS");
    match raw.decoded.prefix_flags & (PREFIX_REP | PREFIX_REPNE) {
        0 => None,
        PREFIX_REPNE if compares => Some("repne"),
        _ if compares => Some("repe"),
        _ => Some("rep"),
    }
}

/// The prefixes that [`repeat_prefix`] may find in front of what LLVM calls so.
pub(super) fn repeat_prefixes(llvm_mnemonic: &str) -> &'static [&'static str] {
    match llvm_mnemonic.split_at_checked(4) {
        Some(("movs" | "stos" | "lods", "b" | "w" | "d" | "q")) => &["rep"],
        Some(("scas" | "cmps", "b" | "w" | "d" | "q")) => &["repe", "repne"],
        _ => &[],
    }
}

/// What the instruction does to memory, and how many bytes of it.
pub(super) fn of(raw: &Raw) -> Option<(Access, u16)> {
    if let Some((stem, bytes)) = string(raw) {
        let kind = match stem {
            "MOVS" => Access::Both,
            "STOS" => Access::Store,
            _ => Access::Load,
        };
        return Some((kind, bytes));
    }
    let opcode = raw.opcode;
    let in_brackets = raw.operands().iter().any(|operand| operand.is_memory());
    match raw.mnemonic {
        "call" | "push" | "pushf" | "pushfq" | "pushp" => {
            return Some((if in_brackets { Access::Both } else { Access::Store }, stack_bytes(raw)));
        }
        "pop" | "popf" | "popfq" | "popp" => {
            return Some((if in_brackets { Access::Both } else { Access::Load }, stack_bytes(raw)));
        }
        "ret" | "leave" => return Some((Access::Load, 8)),
        "enter" => return Some((Access::Store, 8)),
        "clzero" => return Some((Access::Store, 64)),
        "xlatb" => return Some((Access::Load, 1)),
        "maskmovdqu" | "vmaskmovdqu" | "maskmovq" => return Some((Access::Store, 0)),
        _ => {}
    }
    if !in_brackets {
        return None; // side effects alone make LLVM say load and store
    }
    let writes_register = raw.operands().iter().any(|operand| operand.is_definition());
    let kind = match (kind_by_name(raw.mnemonic), opcode.may_load, opcode.may_store) {
        (Some(kind), _, _) => kind,
        _ if is_maskmov(raw.mnemonic) => [Access::Store, Access::Load][usize::from(writes_register)],
        (None, true, true) => Access::Both,
        (None, true, false) => Access::Load,
        (None, false, true) => Access::Store,
        (None, false, false) => Access::Hint,
    };
    (kind != Access::Hint).then(|| (kind, bytes(raw)))
}

/// Where LLVM's flags tell side effects, or nothing, and not the access.
fn kind_by_name(name: &str) -> Option<Access> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let of_lines = ["prefetch", "vgatherpf", "vscatterpf", "clflush", "clwb", "cldemote"];
    if starts(&of_lines) || starts(&["invlpg", "invpcid", "invept", "invvpid"]) {
        return Some(Access::Hint);
    }
    if starts(&[
        "ldmxcsr", "vldmxcsr", "xrstor", "fxrstor", "fldcw", "fldenv", "frstor", "lgdt", "lidt", "lldt",
        "ltr", "lmsw", "vpexpand", "vexpand", "ldtile", "ptwrite", "vmptrld", "vmclear", "vmxon", "andn",
        "lfs", "lgs", "lss",
    ]) {
        return Some(Access::Load);
    }
    if starts(&[
        "stmxcsr", "vstmxcsr", "xsave", "fxsave", "fnst", "fnsave", "sgdt", "sidt", "sldt", "smsw", "str",
        "movntq", "movdiri", "wrss", "wruss", "sttile", "vmptrst", "vextract",
    ]) {
        return Some(Access::Store);
    }
    if copies_line(name) {
        return Some(Access::Both);
    }
    None
}

/// Whether it copies 64 bytes from the address in brackets to the one in a register.
fn copies_line(name: &str) -> bool {
    matches!(name, "movdir64b" | "enqcmd" | "enqcmds")
}

/// Whether it is `bts [rdi], rax` or the like, which accesses the word with bit `rax` of those from `rdi` on.
pub(super) fn takes_bit_of_string(raw: &Raw) -> bool {
    matches!(raw.mnemonic, "bt" | "btc" | "btr" | "bts") && raw.opcode.name.ends_with("mr")
}

/// The size that LLVM's printer names (`qword ptr`): none of its other tables has it.
fn bytes(raw: &Raw) -> u16 {
    if matches!(raw.mnemonic, "rstorssp" | "clrssbsy") {
        return 8; // a token of the shadow stack, which the printer calls a double word
    }
    if let Some(bytes) = element_bytes(raw.mnemonic) {
        return bytes;
    }
    // A mask that is the result, of a comparison, leaves nothing out.
    let masks = |operand: &Operand| is_mask(raw, operand) && !operand.is_definition();
    let masked = !moves_mask(raw) && raw.operands().iter().any(masks);
    if masked || is_maskmov(raw.mnemonic) {
        return 0;
    }
    if raw.mnemonic.starts_with("fxsave") || raw.mnemonic.starts_with("fxrstor") {
        return 512;
    }
    if raw.mnemonic.ends_with("tilecfg") {
        return 64;
    }
    if matches!(raw.mnemonic, "lfs" | "lgs" | "lss") {
        return far_pointer_bytes(raw);
    }
    let Some(word) = raw.text.split(" ptr").next().and_then(|before| before.rsplit([' ', ',']).next()) else {
        return 0;
    };
    match word {
        "byte" => 1,
        "word" => 2,
        "dword" => 4,
        "fword" => 6,
        "qword" => 8,
        "tbyte" => 10,
        "xmmword" => 16,
        "ymmword" => 32,
        "zmmword" => 64,
        _ => 0,
    }
}

/// An offset of the operand's size and a selector.
fn far_pointer_bytes(raw: &Raw) -> u16 {
    let offset = if raw.opcode.name.contains("16") {
        2
    } else if raw.opcode.name.contains("32") {
        4
    } else {
        8
    };
    offset + 2
}

/// Bytes of an element of a gather or scatter.
fn element_bytes(name: &str) -> Option<u16> {
    let gathers = ["vgather", "vpgather", "vscatter", "vpscatter"];
    if !gathers.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    Some(if name.ends_with('q') || name.ends_with("pd") { 8 } else { 4 })
}

/// `kmovw` and the like, whose masks are their data.
fn moves_mask(raw: &Raw) -> bool {
    raw.mnemonic.starts_with('k')
}

fn is_mask(raw: &Raw, operand: &Operand) -> bool {
    let kind = |mapping: &Mapping| {
        mapping.registers.first().is_some_and(|register| (K..K + 8).contains(&register.0))
    };
    raw.mapping(operand).is_some_and(kind)
}

fn is_maskmov(name: &str) -> bool {
    name.starts_with("vmaskmov") || name.starts_with("vpmaskmov")
}

fn stack_bytes(raw: &Raw) -> u16 {
    if raw.opcode.name.contains("16") {
        2
    } else {
        8
    }
}

/// Whether what the mask leaves out keeps the destination's old value. LLVM ties that value to the destination, but not where a
/// register is moved in the encoding of a store (`vmovdqu32.s`). A blend takes it from its other source.
fn merges(raw: &Raw) -> bool {
    raw.text.contains(" {k") && !raw.text.contains("{z}") && !raw.mnemonic.contains("blendm")
}

/// The operands that LLVM names: those in brackets are addresses; what a plain store reads besides is its data.
pub(super) fn operands(raw: &Raw, out: &mut Facts) {
    let plain_store = out.store && !out.load && raw.mnemonic != "call";
    let exchanges = raw.mnemonic == "xchg" && out.store;
    let mut mask_first = is_maskmov(raw.mnemonic) && out.store;
    // Kept when the source is zero, when the comparison fails, and when the selector is of no such segment.
    let keeps = matches!(raw.mnemonic, "bsf" | "bsr" | "cmpxchg" | "lar" | "lsl");
    for operand in raw.operands() {
        let Some(mapping) = raw.mapping(operand) else {
            continue;
        };
        if operand.is_definition() && raw.mnemonic == "vmwrite" {
            out.read_all(mapping); // which field, and not a register written as LLVM has it
        } else if operand.is_definition() {
            // The upper half is written last: of one register for both, it is what is left.
            let upper = raw.mnemonic == "mulx" && out.writes.is_empty();
            out.write_all(mapping, if upper { Role::Upper } else { Role::Value });
            if keeps || merges(raw) && !is_mask(raw, operand) {
                out.read_all(mapping);
            }
        } else if operand.is_memory() || copies_line(raw.mnemonic) || takes_bit_of_string(raw) {
            out.address(mapping);
        } else if is_mask(raw, operand) && !moves_mask(raw) || mask_first {
            out.read_all(mapping);
            mask_first = false;
        } else if plain_store || exchanges {
            out.data(mapping);
        } else {
            out.read_all(mapping);
        }
    }
}

/// `push`, `pop`, `call`, `ret`, `leave` and `enter`.
pub(super) fn stack(raw: &Raw, out: &mut Facts) {
    let pointer = match raw.mnemonic {
        "call" | "push" | "pushf" | "pushfq" | "pushp" | "pop" | "popf" | "popfq" | "popp" | "ret"
        | "enter" => RSP,
        "leave" => RBP,
        _ => return,
    };
    out.no_read(RSP);
    out.no_write(RSP);
    if matches!(raw.mnemonic, "leave" | "enter") {
        out.no_read(RBP);
    }
    if raw.mnemonic == "enter" {
        out.data(&Mapping::whole(RBP));
        out.write(RBP, Role::Value);
    }
    out.address(&Mapping::whole(pointer));
    out.write(RSP, Role::BaseUpdate);
}

/// String instructions: their pointers are addresses that are updated, and repeating ones count `rcx` down.
pub(super) fn strings(raw: &Raw, out: &mut Facts) {
    let Some((stem, _)) = string(raw) else { return };
    let pointers: &[u16] = match stem {
        "MOVS" | "CMPS" => &[RDI, RSI],
        "LODS" => &[RSI],
        _ => &[RDI],
    };
    for &pointer in pointers {
        out.no_read(pointer);
        out.no_write(pointer);
        out.address(&Mapping::whole(pointer));
        out.write(pointer, Role::BaseUpdate);
    }
    if stem == "STOS" {
        out.no_read(RAX);
        out.data(&Mapping::whole(RAX));
    }
    if repeat_prefix(raw).is_some() {
        out.read(RCX);
        out.write(RCX, Role::BaseUpdate);
        if stem == "LODS" {
            out.read(RAX); // kept when the count is zero
        }
    }
}
