// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One line of text that holds every fact of an instruction; golden files consist of these.

use decode::{Decoder, Flow, Instruction, Register, Role};

/// `text | mnemonic OPCODE address:.. store:.. reads:.. writes:.. load 8 -> target`.
pub fn facts(decoder: &Decoder, instruction: &Instruction) -> String {
    let mut line = format!("{} | {} {}", instruction.text, instruction.mnemonic, instruction.opcode_name);
    let mut list = |title: &str, registers: &[Register]| {
        if !registers.is_empty() {
            let names: Vec<_> = registers.iter().map(|&register| decoder.register_name(register)).collect();
            line += &format!(" {title}={}", names.join(","));
        }
    };
    list("address", &instruction.address_reads);
    list("data", &instruction.store_reads);
    list("reads", &instruction.reads);
    let writes: Vec<_> = instruction
        .writes
        .iter()
        .map(|write| format!("{}{}", decoder.register_name(write.register), role(write.role)))
        .collect();
    if !writes.is_empty() {
        line += &format!(" writes={}", writes.join(","));
    }
    match (instruction.load, instruction.store) {
        (false, false) => {}
        (load, store) => {
            let kind = [if load { "load" } else { "" }, if store { "store" } else { "" }].concat();
            line += &format!(" {kind}={}", instruction.access_bytes);
        }
    }
    line + &flow(instruction.flow)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Value => "",
        Role::Carry => ":carry",
        Role::Condition => ":condition",
        Role::BaseUpdate => ":base",
        Role::Link => ":link",
    }
}

fn flow(flow: Flow) -> String {
    match flow {
        Flow::Next => String::new(),
        Flow::Branch { conditional, target } => {
            format!(" {}->0x{target:x}", if conditional { "branch?" } else { "branch" })
        }
        Flow::Call { target: Some(target) } => format!(" call->0x{target:x}"),
        Flow::Call { target: None } => " call->?".to_owned(),
        Flow::Return => " return".to_owned(),
        Flow::Indirect => " indirect".to_owned(),
        Flow::System => " system".to_owned(),
    }
}
