// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loops that test control flow and instruction fetch.

use super::words::INTEGER;
use super::{line, Writer};

fn integers(writer: &mut Writer, first: u64, last: u64) {
    for _ in 0..writer.random.within(first, last) {
        let before = writer.body.len();
        writer.integer(INTEGER);
        // The registers that hold a pattern or a function's address must not change.
        if ["r14", "r15"].iter().any(|kept| writer.body[before..].contains(kept)) {
            writer.body.truncate(before);
        }
    }
}

/// Forward branches that repeat a pattern of up to 64 bits, are always or never taken, or, in some loops, are random.
pub(super) fn branches(writer: &mut Writer) {
    let bits = writer.random.next();
    let period = [1, 2, 4, 8, 16, 64][writer.random.below(6) as usize];
    let pattern =
        (0..64 / period).fold(0, |all, part| all | (bits & (u64::MAX >> (64 - period))) << (part * period));
    writer.prepare(&format!("mov r15, {pattern}"));
    writer.prepare("xor r14d, r14d");
    let random = writer.random.percent(12);
    for _ in 0..writer.random.within(1, 5) {
        let label = writer.label();
        match writer.random.below(5) {
            0 => line(writer, format_args!("test rsp, rsp\njz {label}")),
            1 => line(writer, format_args!("test rsp, rsp\njnz {label}")),
            2 => {
                let bit = 1 << writer.random.below(4);
                line(writer, format_args!("test sil, {bit}\njz {label}"));
            }
            _ => line(writer, format_args!("ror r15, 1\njc {label}")),
        }
        // Otherwise the target could be the next instruction, and taken and not taken would look the same.
        writer.push("nop");
        integers(writer, 0, 6);
        line(writer, format_args!("{label}:"));
        integers(writer, 0, 4);
    }
    if random {
        // The state is in memory, so that each run continues the sequence.
        let label = writer.label();
        line(writer, format_args!("imul r14, [rdi], 1103515245\nadd r14, 12345\nmov [rdi], r14"));
        line(writer, format_args!("bt r14, 30\njc {label}\nadd rax, rcx\n{label}:"));
    }
}

/// Calls of small functions, some of which call others; in some loops one is called through a register.
pub(super) fn calls(writer: &mut Writer) {
    let mut names = Vec::new();
    for depth in 0..writer.random.within(1, 3) {
        let name = writer.label();
        let before = std::mem::take(&mut writer.body);
        let saves = writer.random.percent(40);
        if saves {
            writer.push("push rbx");
        }
        integers(writer, 0, 6);
        if depth > 0 && writer.random.percent(50) {
            let inner: &String = writer.random.pick(&names);
            line(writer, format_args!("call {inner}"));
        }
        if saves {
            writer.push("pop rbx");
        }
        let function = std::mem::replace(&mut writer.body, before);
        writer.functions += &format!(".p2align 4\n{name}:\n{function}ret\n");
        names.push(name);
    }
    let through = writer.random.percent(25);
    writer.prepare(&format!("lea r15, [rip+{}]", names[0]));
    for _ in 0..writer.random.within(1, 3) {
        integers(writer, 0, 5);
        let name: &String = writer.random.pick(&names);
        line(writer, format_args!("call {name}"));
    }
    if through {
        writer.push("call r15");
    }
    integers(writer, 0, 4);
}

/// Long turns, instructions of every length, jumps to unaligned targets.
pub(super) fn fetch(writer: &mut Writer) {
    let long = writer.random.percent(40);
    let parts = if long { writer.random.within(10, 60) } else { writer.random.within(1, 10) };
    let nops = writer.random.percent(50);
    for _ in 0..parts {
        match writer.random.below(10) {
            0 | 1 => {
                let label = writer.label();
                let gap = writer.random.within(1, 40);
                line(writer, format_args!("jmp {label}\n.nops {gap}"));
                line(writer, format_args!("{label}:"));
            }
            2..=4 if nops => {
                let length = writer.random.within(1, 9);
                line(writer, format_args!(".nops {length}"));
            }
            _ => integers(writer, 1, 6),
        }
    }
}
