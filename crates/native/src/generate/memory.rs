// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loops that load and store. `rdi` points to the start of a line; all data are zero at first.

use super::words::{General, FREE, INTEGER};
use super::{line, Writer};

/// Loads of a memory operand `m` into `d`.
const LOADS: &[&str] = &[
    "mov d, m",
    "mov d, m",
    "mov wd, m",
    "mov wd, m",
    "movzx wd, byte ptr m",
    "movzx wd, word ptr m",
    "movsx d, byte ptr m",
    "movsxd d, dword ptr m",
    "add d, m",
    "add wd, m",
    "xor d, m",
    "and d, m",
    "sub d, m",
    "cmp d, m",
    "imul d, m",
    "adc d, m",
    "cmovc d, m",
    "popcnt d, m",
    "movbe d, m",
    "test m, d",
];
const STORES: &[&str] = &[
    "mov m, d",
    "mov m, d",
    "mov m, d",
    "mov m, wd",
    "mov m, hd",
    "mov m, bd",
    "mov dword ptr m, 7",
    "mov qword ptr m, 0",
    "add m, d",
    "add m, wd",
    "inc dword ptr m",
    "and m, d",
    "movbe m, d",
    "sete byte ptr m",
    "push d",
];

/// A memory operand in the data, by base and displacement, or also with the index r15, which is zero.
fn operand(writer: &mut Writer, displacement: u64, indexed: bool) -> String {
    if indexed {
        format!("[rdi+{}*r15+{displacement}]", [1, 2, 4, 8][writer.random.below(4) as usize])
    } else {
        format!("[rdi+{displacement}]")
    }
}

fn put(writer: &mut Writer, pattern: &str, d: General, operand: &str) {
    let pattern = pattern.replace(" m", &format!(" {operand}"));
    let text = super::fill(&pattern, &mut writer.random, &[('d', d)], &[], true);
    writer.push(&text);
}

/// A register that is not the index.
fn target(writer: &mut Writer) -> General {
    let number = writer.random.below(12) as usize;
    FREE[number]
}

fn integers(writer: &mut Writer, most: u64) {
    for _ in 0..writer.random.within(0, most) {
        let before = writer.body.len();
        writer.integer(INTEGER);
        // The index r15 must stay zero.
        if writer.body[before..].contains("r15") {
            writer.body.truncate(before);
        }
    }
}

/// Loads that hit, some of them in a chain.
pub(super) fn loads(writer: &mut Writer) {
    writer.prepare("xor r15d, r15d");
    if writer.random.percent(35) {
        // A pointer that points to itself.
        writer.prepare("mov [rdi+256], rdi");
        writer.prepare("mov rbx, rdi");
        for _ in 0..writer.random.within(1, 4) {
            writer.push("mov rbx, [rbx+256]");
            if writer.random.percent(40) {
                let same = *writer.random.pick(&["add rbx, 0", "lea rbx, [rbx]", "or rbx, rbx"]);
                writer.push(same);
            }
        }
    }
    for _ in 0..writer.random.within(2, 16) {
        let displacement = 8 * writer.random.below(32);
        let indexed = writer.random.percent(25);
        let operand = operand(writer, displacement, indexed);
        let (pattern, d) = (*writer.random.pick(LOADS), target(writer));
        let d = if d[0] == "rbx" { FREE[0] } else { d };
        put(writer, pattern, d, &operand);
        if writer.random.percent(30) {
            let [d, s, _] = [FREE[4], d, d];
            line(writer, format_args!("add {}, {}", d[0], s[0]));
        }
    }
}

/// Stores to many places, with arithmetic between them.
pub(super) fn stores(writer: &mut Writer) {
    writer.prepare("xor r15d, r15d");
    let mut pushes = 0;
    for number in 0..writer.random.within(1, 10) {
        let near = writer.random.percent(50);
        let displacement = if near { 8 * number } else { 64 * number + 8 * writer.random.below(7) };
        let indexed = writer.random.percent(20);
        let operand = operand(writer, displacement, indexed);
        let (pattern, d) = (*writer.random.pick(STORES), target(writer));
        pushes += u64::from(pattern.starts_with("push"));
        put(writer, pattern, d, &operand);
        integers(writer, 3);
        if writer.random.percent(30) {
            let operand = format!("[rdi+{}]", 1024 + 8 * writer.random.below(8));
            put(writer, "mov d, m", d, &operand);
        }
    }
    if pushes > 0 {
        line(writer, format_args!("lea rsp, [rsp+{}]", 8 * pushes));
    }
}

const NAMES: [(&str, u64, usize); 4] = [("qword", 8, 0), ("dword", 4, 1), ("word", 2, 2), ("byte", 1, 3)];

/// Loads soon after a store to the same place: of all of its bytes, of a part of them, or across their end.
pub(super) fn forwarding(writer: &mut Writer) {
    let pairs = writer.random.within(1, 3);
    for number in 0..pairs {
        let place = 128 * number + writer.random.below(4);
        let ((_, stored, width), (load_name, loaded, _)) =
            (*writer.random.pick(&NAMES), *writer.random.pick(&NAMES));
        let d = FREE[number as usize];
        let inside = if stored > loaded { writer.random.below(stored - loaded + 1) } else { 0 };
        let shift = if writer.random.percent(75) { inside } else { writer.random.below(stored + 2) };
        if writer.random.percent(20) {
            line(writer, format_args!("mov [rdi+{}], {}", place + stored, d[width]));
        }
        line(writer, format_args!("mov [rdi+{place}], {}", d[width]));
        if writer.random.percent(30) {
            integers(writer, 6);
        }
        let load = match loaded {
            8 => format!("mov {}, [rdi+{}]", d[0], place + shift),
            4 => format!("mov {}, [rdi+{}]", d[1], place + shift),
            _ => format!("movzx {}, {load_name} ptr [rdi+{}]", d[1], place + shift),
        };
        writer.push(&load);
        if writer.random.percent(70) {
            line(writer, format_args!("add {}, 1", d[0]));
        }
    }
    if writer.random.percent(30) {
        integers(writer, 8);
    }
}

/// Accesses at any offset in a few lines, half of them near the end of a line.
pub(super) fn unaligned(writer: &mut Writer) {
    for number in 0..writer.random.within(1, 8) {
        let near_the_end = writer.random.percent(50);
        let within = if near_the_end { 57 + writer.random.below(7) } else { writer.random.below(64) };
        let place = 128 * number + within;
        let d = FREE[number as usize];
        match writer.random.below(6) {
            0 | 1 => line(writer, format_args!("mov {}, [rdi+{place}]", d[0])),
            2 => line(writer, format_args!("mov {}, [rdi+{place}]", d[1])),
            3 => line(writer, format_args!("mov [rdi+{place}], {}", d[0])),
            4 => line(writer, format_args!("vmovdqu ymm{number}, [rdi+{place}]")),
            _ => line(writer, format_args!("vmovdqu [rdi+{place}], ymm{number}")),
        }
        integers(writer, 2);
    }
    if writer.random.percent(25) {
        // The data are zero, so the address does not change; the next load depends on this one all the same.
        writer.prepare("xor ebx, ebx");
        let place = 2048 + 57 + writer.random.below(7);
        line(writer, format_args!("mov rbx, [rdi+rbx+{place}]"));
    }
}

/// Sequential or random accesses to more data than the first level holds.
pub(super) fn misses(writer: &mut Writer) {
    let mask = (1u64 << writer.random.within(16, 18)) - 1;
    writer.prepare("xor ebx, ebx");
    writer.prepare("xor ebp, ebp");
    if writer.random.percent(50) {
        let step = [8, 16, 32, 64, 72, 128, 192][writer.random.below(7) as usize];
        for number in 0..writer.random.within(1, 3) {
            line(writer, format_args!("mov {}, [rdi+rbx+{}]", FREE[number as usize][0], 8 * number));
        }
        if writer.random.percent(30) {
            line(writer, format_args!("mov [rdi+rbx], rax"));
        }
        line(writer, format_args!("add rbx, {step}"));
        line(writer, format_args!("and ebx, {}", mask & !7));
    } else {
        // A full-period generator of line addresses; if chained, the next address depends on the loaded value (zero).
        let chained = writer.random.percent(50);
        line(writer, format_args!("imul ebx, ebx, 1664525"));
        line(writer, format_args!("add ebx, 1013904223"));
        line(writer, format_args!("mov ebp, ebx"));
        line(writer, format_args!("shr ebp, 8"));
        line(writer, format_args!("and ebp, {}", mask & !63));
        line(writer, format_args!("mov rax, [rdi+rbp]"));
        if chained {
            line(writer, format_args!("add ebx, eax"));
        }
    }
    for _ in 0..writer.random.below(5) {
        let d = [FREE[1], FREE[2], FREE[5], FREE[6]][writer.random.below(4) as usize];
        line(writer, format_args!("add {}, rax", d[0]));
    }
}
