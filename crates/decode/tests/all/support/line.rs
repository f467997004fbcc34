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
    line + &flow(instruction.flow, instruction.conditional)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Value => "",
        Role::Upper => ":upper",
        Role::Carry => ":carry",
        Role::Condition => ":condition",
        Role::BaseUpdate => ":base",
        Role::Link => ":link",
    }
}

fn flow(flow: Flow, conditional: bool) -> String {
    let may = if conditional { "?" } else { "" };
    match flow {
        Flow::Next => String::new(),
        Flow::Branch { target } => format!(" branch{may}->0x{target:x}"),
        Flow::Call { target: Some(target) } => format!(" call{may}->0x{target:x}"),
        Flow::Call { target: None } => format!(" call{may}->?"),
        Flow::Return => format!(" return{may}"),
        Flow::Indirect => format!(" indirect{may}"),
        Flow::System => " system".to_owned(),
    }
}
