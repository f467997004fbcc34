// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What holds for the facts of every instruction of every architecture.

use std::collections::HashSet;

use decode::{Decoder, Instruction, Register, Role};

/// The first rule that the instruction breaks, if it breaks one.
pub fn broken(decoder: &Decoder, instruction: &Instruction) -> Option<String> {
    let rules: [(&str, bool); 9] = [
        ("1 to 15 bytes", (1..=15).contains(&instruction.length)),
        (
            "no bytes behind its end",
            instruction.bytes[usize::from(instruction.length)..].iter().all(|&byte| byte == 0),
        ),
        ("a lower-case mnemonic", is_mnemonic(&instruction.mnemonic)),
        ("a text", !instruction.text.trim().is_empty()),
        ("registers that exist, each once a list", lists_are_sets(decoder, instruction)),
        ("each register written once", writes_are_a_set(decoder, instruction)),
        ("data only in stores", instruction.store_reads.is_empty() || instruction.store),
        ("a size only of an access", instruction.access_bytes == 0 || instruction.load || instruction.store),
        ("an updated base is in the address", updated_bases_are_addresses(decoder, instruction)),
    ];
    rules.into_iter().find(|(_, holds)| !holds).map(|(rule, _)| format!("not so: {rule}: {instruction:?}"))
}

fn is_mnemonic(mnemonic: &str) -> bool {
    let prefixes = ["lock ", "rep ", "repe ", "repne "];
    let bare = prefixes.iter().find_map(|prefix| mnemonic.strip_prefix(prefix)).unwrap_or(mnemonic);
    !bare.is_empty()
        && bare.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'.' || c == b'_')
}

fn lists_are_sets(decoder: &Decoder, instruction: &Instruction) -> bool {
    let is_set = |list: &[Register]| {
        let unique: HashSet<_> = list.iter().collect();
        unique.len() == list.len()
            && list.iter().all(|register| usize::from(register.0) < decoder.register_count())
    };
    is_set(&instruction.address_reads) && is_set(&instruction.store_reads) && is_set(&instruction.reads)
}

fn writes_are_a_set(decoder: &Decoder, instruction: &Instruction) -> bool {
    let unique: HashSet<_> = instruction.writes.iter().map(|write| write.register).collect();
    unique.len() == instruction.writes.len()
        && unique.iter().all(|register| usize::from(register.0) < decoder.register_count())
}

/// Save for rcx, which repeating string instructions count down, and rsp behind `leave`.
fn updated_bases_are_addresses(decoder: &Decoder, instruction: &Instruction) -> bool {
    instruction.writes.iter().filter(|write| write.role == Role::BaseUpdate).all(|write| {
        instruction.address_reads.contains(&write.register)
            || matches!(decoder.register_name(write.register), "rcx" | "rsp")
    })
}
