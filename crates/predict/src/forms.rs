// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What tells instructions of one mnemonic apart when they are looked for in the classes of a cpu file.

use crate::register_kinds::RegisterKinds;
use decode::{Flow, Instruction, RegisterKind, Role};

/// The forms of an instruction that a class can tell apart beyond the mnemonic, most telling first: `nop`, `zero`
/// (a result that depends on nothing), `to_vector` and `to_general` (from the other kind of register), `move`, `wide` (vectors
/// of 256 bits and more), `three` (an address of two registers and a constant), `displaced` (an address of 64 bits
/// from a register and a constant), `relative` (an address from the next instruction), `scaled` (an index times 2, 4 or 8), `self` (its only source is its only result), `byte` (from the lowest byte of a register),
/// `count` (the last source is `cl`), `one` (shifts by one, encoded so), `quad` (arithmetic on 64 bits with one or a constant), `immediate` (the last source is a constant), `direct` (a jump or call, always taken, to a place that it names), `link` (moves to or from LR, CTR, TAR), `carry` (writes CA, OV or SO), `update` (reads and writes
/// memory), `load`, `store`; first of all, what [`special::form`](crate::special::form) says of special registers.
pub(crate) fn forms(instruction: &Instruction, kinds: &RegisterKinds) -> Vec<&'static str> {
    let mut forms: Vec<&'static str> = crate::special::form(instruction).into_iter().collect();
    let mnemonic = instruction.mnemonic.as_str();
    let text = instruction.text.trim();
    if text == "nop" || text.starts_with("nop ") {
        forms.push("nop");
    }
    let operands = text.split_once(char::is_whitespace).map_or("", |(_, operands)| operands);
    let operands: Vec<_> = operands.split(',').map(str::trim).collect();
    let memory = instruction.load || instruction.store;
    let sources_alike = operands.len() >= 2 && operands[operands.len() - 1] == operands[operands.len() - 2];
    if !memory && sources_alike {
        forms.push(if ["or", "mr", "xxlor", "vor"].contains(&mnemonic) { "move" } else { "zero" });
    }
    let reads_kind = |wanted| instruction.reads.iter().any(|&register| kinds.kind(register) == wanted);
    let writes_kind = |wanted| instruction.writes.iter().any(|write| kinds.kind(write.register) == wanted);
    for (form, from, to) in [
        ("to_vector", RegisterKind::General, RegisterKind::Vector),
        ("to_general", RegisterKind::Vector, RegisterKind::General),
    ] {
        if !memory && reads_kind(from) && writes_kind(to) {
            forms.push(form);
        }
    }
    if !memory
        && matches!((&*instruction.reads, &*instruction.writes), ([read], [write]) if *read == write.register)
    {
        forms.push("self");
    }
    let is_move =
        !memory && instruction.writes.len() == 1 && instruction.reads.len() == 1 && mnemonic.contains("mov");
    if is_move || text.starts_with("mr ") {
        forms.push("move");
    }
    let last = operands.last().map_or("", |operand| operand.trim_start_matches('-'));
    let constant = operands.len() >= 2 && last.starts_with(|digit: char| digit.is_ascii_digit());
    let quad = operands[0].starts_with('r') && !operands[0].ends_with(['d', 'w', 'b']);
    let divided = instruction.load && !instruction.store && operands[0].starts_with("qword");
    if !memory && quad && (constant || operands.len() == 1) || divided && operands.len() == 1 {
        forms.push("quad");
    }
    let displaced = instruction.reads.len() + instruction.address_reads.len() == 1
        && [" + ", " - "].iter().any(|sign| text.contains(sign));
    if !memory && quad && displaced && !text.contains('*') && !text.contains("[rip ") {
        forms.push("displaced");
    }
    if !memory && constant {
        forms.push("immediate");
    }
    if !memory && operands.len() == 1 {
        forms.push("one");
    }
    if !memory && operands.len() == 2 && is_low_byte(operands[1]) {
        forms.push("byte");
    }
    if text.contains("[rip ") {
        forms.push("relative");
    }
    if ["2*", "4*", "8*"].iter().any(|scale| text.contains(scale)) {
        forms.push("scaled");
    }
    if !memory && (text.contains("ymm") || text.contains("zmm")) {
        forms.push("wide");
    }
    if operands.last() == Some(&"cl") {
        forms.push("count");
    }
    // `lea` accesses nothing: what its address is made of are its sources.
    let terms = if memory { &instruction.address_reads } else { &instruction.reads };
    if terms.len() == 2 && [" + ", " - "].iter().map(|sign| text.matches(sign).count()).sum::<usize>() == 2 {
        forms.push("three");
    }
    if matches!(instruction.flow, Flow::Branch { conditional: false, .. } | Flow::Call { target: Some(_) }) {
        forms.push("direct");
    }
    let writes = instruction.writes.iter().map(|write| write.register);
    if instruction
        .reads
        .iter()
        .copied()
        .chain(writes)
        .any(|register| kinds.kind(register) == RegisterKind::Link)
    {
        forms.push("link");
    }
    if instruction.writes.iter().any(|write| write.role == Role::Carry) {
        forms.push("carry");
    }
    match (instruction.load, instruction.store) {
        (true, true) => forms.push("update"),
        (true, false) => forms.push("load"),
        (false, true) => forms.push("store"),
        (false, false) => {}
    }
    forms
}

/// Whether that names the lowest byte of a general register of x86.
fn is_low_byte(operand: &str) -> bool {
    let numbered = operand.starts_with('r') && operand.ends_with('b');
    numbered || matches!(operand, "al" | "bl" | "cl" | "dl" | "sil" | "dil" | "bpl" | "spl")
}
