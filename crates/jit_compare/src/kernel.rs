// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The instruction sequences that Linux's BPF JIT for 64-bit POWER emits, re-created as assembly text, for comparison with
//! our code.
//!
//! The facts are from reading arch/powerpc/net (bpf_jit_comp64.c, bpf_jit.h, 2016 to 2026): eBPF r0 in r8, r1 to r5 in r3
//! to r7, r6 to r9 in r27 to r30; two nops where a tail call would enter; `bc` followed by a nop if the target is near,
//! so that sizes do not change between passes; byte swaps of 16 and 32 bits through a temporary and a move, of 64 bits
//! by std, addi, ldbrx; nothing is merged. The verifier inserts a zero-extension after a 32-bit operation only if the
//! upper half is read later, and the JIT omits it if its instruction clears the upper half already (loads, shifts by a
//! constant). Where kernel versions differ, the shorter sequence was taken.
//!
//! Only what the packet programs need is here; anything else is refused by name. The entry loads r1 and r2 from
//! `struct ebpf_frame`, as that of our code does, so that the result can be run and checked like any variant; the kernel's
//! code gets r1 in its register.

use std::collections::BTreeSet;
use std::fmt::Write;

/// An instruction that is not re-created.
#[derive(Debug, thiserror::Error)]
#[error("instruction {slot}: opcode {opcode:#04x} is not among the re-created kernel sequences")]
pub struct Unknown {
    /// Its index.
    pub slot: usize,
    /// Its opcode.
    pub opcode: u8,
}

/// A little-endian instruction slot.
#[derive(Clone, Copy)]
struct Insn {
    opcode: u8,
    dst: usize,
    src: usize,
    offset: i16,
    imm: i32,
}

const REGISTERS: [u32; 11] = [8, 3, 4, 5, 6, 7, 27, 28, 29, 30, 31];
const TEMPORARY: u32 = 9;
const CLASS_LDX: u8 = 1;
const CLASS_ST: u8 = 2;
const CLASS_STX: u8 = 3;
const CLASS_ALU: u8 = 4;
const CLASS_JMP: u8 = 5;
const CLASS_JMP32: u8 = 6;
const CLASS_ALU64: u8 = 7;
const EXIT: u8 = 0x95;
const JA: u8 = 0x05;
const LDDW: u8 = 0x18;
/// Offsets of r1 and r2 in `struct ebpf_frame`.
const CONTEXT: i32 = 0;
const CONTEXT_BYTES: i32 = 8;

impl Insn {
    fn decode(slot: &[u8]) -> Insn {
        Insn {
            opcode: slot[0],
            dst: usize::from(slot[1] & 15).min(10),
            src: usize::from(slot[1] >> 4).min(10),
            offset: i16::from_le_bytes([slot[2], slot[3]]),
            imm: i32::from_le_bytes([slot[4], slot[5], slot[6], slot[7]]),
        }
    }

    fn class(&self) -> u8 {
        self.opcode & 7
    }

    fn code(&self) -> u8 {
        self.opcode & 0xf0
    }

    fn by_register(&self) -> bool {
        self.opcode & 8 != 0
    }

    fn is_end(&self) -> bool {
        matches!(self.class(), CLASS_ALU | CLASS_ALU64) && self.code() == 0xd0
    }

    fn is_conditional(&self) -> bool {
        matches!(self.class(), CLASS_JMP | CLASS_JMP32) && !matches!(self.code(), 0 | 0x80 | 0x90)
    }

    fn target(&self, slot: usize) -> usize {
        (slot as i64 + 1 + i64::from(self.offset)) as usize
    }

    /// Registers whose upper halves this instruction reads, by the rules of the kernel's verifier.
    fn upper_reads(&self) -> u16 {
        let (dst, src) = (1 << self.dst, 1 << self.src);
        let operand = if self.by_register() { src } else { 0 };
        match self.class() {
            CLASS_LDX => src,
            CLASS_ST => dst,
            CLASS_STX => dst | if self.opcode & 0x18 == 0x18 { src } else { 0 },
            CLASS_ALU => u16::from(self.is_end() && self.imm == 64) * dst,
            CLASS_ALU64 if self.code() == 0xb0 => operand,
            CLASS_ALU64 => dst | operand,
            CLASS_JMP if self.opcode == EXIT => 1,
            CLASS_JMP if self.is_conditional() => dst | operand,
            _ => 0,
        }
    }

    fn writes(&self) -> u16 {
        match self.class() {
            CLASS_LDX | CLASS_ALU | CLASS_ALU64 => 1 << self.dst,
            0 => 1 << self.dst,
            _ => 0,
        }
    }
}

/// Code generation for one program.
struct Kernel {
    program: Vec<Insn>,
    upper_live_after: Vec<u16>,
    text: String,
}

/// The sequences for a program of little-endian slots, as lines for the assembler between a label and `.size`.
pub fn assembly(bytecode: &[u8]) -> Result<String, Unknown> {
    let program: Vec<Insn> = bytecode.chunks_exact(8).map(Insn::decode).collect();
    let upper_live_after = upper_live_after(&program);
    let mut kernel = Kernel { program, upper_live_after, text: String::new() };
    kernel.generate()?;
    Ok(kernel.text)
}

/// The registers whose upper halves are live after each slot, by iteration to a fixed point.
fn upper_live_after(program: &[Insn]) -> Vec<u16> {
    let mut before = vec![0u16; program.len() + 1];
    let mut after = vec![0u16; program.len()];
    loop {
        let old = before.clone();
        for (slot, insn) in program.iter().enumerate().rev() {
            let jumps = insn.is_conditional() || insn.opcode == JA;
            let mut live = 0;
            if insn.opcode != EXIT && insn.opcode != JA {
                live |= before[slot + 1];
            }
            if jumps {
                live |= before.get(insn.target(slot)).copied().unwrap_or(0);
            }
            after[slot] = live;
            before[slot] = live & !insn.writes() | insn.upper_reads();
        }
        if before == old {
            return after;
        }
    }
}

impl Kernel {
    fn line(&mut self, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "\t{text}");
    }

    fn generate(&mut self) -> Result<(), Unknown> {
        let saved: BTreeSet<u32> = self
            .program
            .iter()
            .flat_map(|insn| [REGISTERS[insn.dst], REGISTERS[insn.src]])
            .filter(|register| *register >= 27)
            .collect();
        self.line("nop");
        self.line("nop");
        for register in &saved {
            self.line(&format!("std {register}, {}(1)", -8 * (32 - *register as i32)));
        }
        self.line(&format!("ld 4, {CONTEXT_BYTES}(3)"));
        self.line(&format!("ld 3, {CONTEXT}(3)"));
        let mut slot = 0;
        while slot < self.program.len() {
            let _ = writeln!(self.text, ".Lslot{slot}:");
            slot += self.instruction(slot)?;
        }
        self.text.push_str(".Lexit:\n");
        for register in &saved {
            self.line(&format!("ld {register}, {}(1)", -8 * (32 - *register as i32)));
        }
        self.line("mr 3, 8");
        self.line("blr");
        Ok(())
    }

    /// Emits one instruction and returns the slots that it takes.
    fn instruction(&mut self, slot: usize) -> Result<usize, Unknown> {
        let insn = self.program[slot];
        let known = match insn.class() {
            CLASS_ALU | CLASS_ALU64 if insn.is_end() => self.end(insn),
            CLASS_ALU | CLASS_ALU64 => self.arithmetic(slot, insn),
            CLASS_LDX | CLASS_ST | CLASS_STX => self.memory(insn),
            CLASS_JMP | CLASS_JMP32 => self.jump(slot, insn),
            _ => {
                if insn.opcode == LDDW {
                    let high = self.program.get(slot + 1).map_or(0, |second| second.imm);
                    self.load_64(REGISTERS[insn.dst], insn.imm, high);
                    return Ok(2);
                }
                false
            }
        };
        if known {
            Ok(1)
        } else {
            Err(Unknown { slot, opcode: insn.opcode })
        }
    }

    /// A sign-extended 32-bit constant.
    fn load_32(&mut self, register: u32, value: i32) {
        if i16::try_from(value).is_ok() {
            self.line(&format!("li {register}, {value}"));
            return;
        }
        self.line(&format!("lis {register}, {}", (value >> 16) as i16));
        if value & 0xffff != 0 {
            self.line(&format!("ori {register}, {register}, {}", value & 0xffff));
        }
    }

    fn load_64(&mut self, register: u32, low: i32, high: i32) {
        if i64::from(low) >> 32 == i64::from(high) {
            return self.load_32(register, low);
        }
        self.load_32(register, high);
        self.line(&format!("sldi {register}, {register}, 32"));
        if low >> 16 != 0 {
            self.line(&format!("oris {register}, {register}, {}", low >> 16 & 0xffff));
        }
        if low & 0xffff != 0 {
            self.line(&format!("ori {register}, {register}, {}", low & 0xffff));
        }
    }

    /// The zero-extension that the verifier inserts after a 32-bit operation whose upper half is read.
    fn zero_extend(&mut self, slot: usize, insn: Insn) {
        if insn.class() == CLASS_ALU && self.upper_live_after[slot] & 1 << insn.dst != 0 {
            let register = REGISTERS[insn.dst];
            self.line(&format!("rlwinm {register}, {register}, 0, 0, 31"));
        }
    }

    fn arithmetic(&mut self, slot: usize, insn: Insn) -> bool {
        let (d, s) = (REGISTERS[insn.dst], REGISTERS[insn.src]);
        let wide = insn.class() == CLASS_ALU64;
        let (w, imm) = (if wide { "d" } else { "w" }, insn.imm);
        match (insn.code(), insn.by_register()) {
            (0x00, true) => self.line(&format!("add {d}, {d}, {s}")),
            (0x10, true) => self.line(&format!("sub {d}, {d}, {s}")),
            (0x00 | 0x10, false) => {
                let imm = if insn.code() == 0x10 { imm.wrapping_neg() } else { imm };
                self.constant_operation("addi", "add", d, imm);
            }
            (0x20, true) => self.line(&format!("mull{w} {d}, {d}, {s}")),
            (0x20, false) => self.constant_operation("mulli", &format!("mull{w}"), d, imm),
            (0x40, true) => self.line(&format!("or {d}, {d}, {s}")),
            (0x50, true) => self.line(&format!("and {d}, {d}, {s}")),
            (0xa0, true) => self.line(&format!("xor {d}, {d}, {s}")),
            (0x50, false) if (imm as u32) < 0x10000 => self.line(&format!("andi. {d}, {d}, {imm}")),
            (0x50, false) => {
                self.load_32(TEMPORARY, imm);
                self.line(&format!("and {d}, {d}, {TEMPORARY}"));
            }
            (0x40, false) => self.bitwise_constant("or", wide, d, imm),
            (0xa0, false) => self.bitwise_constant("xor", wide, d, imm),
            (0x60, false) if wide => self.line(&format!("sldi {d}, {d}, {imm}")),
            (0x70, false) if wide => self.line(&format!("srdi {d}, {d}, {imm}")),
            (0xc0, false) if wide => self.line(&format!("sradi {d}, {d}, {imm}")),
            (0x60, false) => {
                self.line(&format!("slwi {d}, {d}, {imm}"));
                return true; // clears the upper half
            }
            (0x70, false) => {
                self.line(&format!("srwi {d}, {d}, {imm}"));
                return true;
            }
            (0x80, false) => self.line(&format!("neg {d}, {d}")),
            (0xb0, true) if insn.offset == 0 => self.line(&format!("mr {d}, {s}")),
            (0xb0, false) => {
                self.load_32(d, imm);
                if imm >= 0 {
                    return true;
                }
            }
            _ => return false,
        }
        self.zero_extend(slot, insn);
        true
    }

    fn constant_operation(&mut self, short: &str, long: &str, d: u32, imm: i32) {
        if i16::try_from(imm).is_ok() {
            self.line(&format!("{short} {d}, {d}, {imm}"));
        } else {
            self.load_32(TEMPORARY, imm);
            self.line(&format!("{long} {d}, {d}, {TEMPORARY}"));
        }
    }

    fn bitwise_constant(&mut self, name: &str, wide: bool, d: u32, imm: i32) {
        if imm < 0 && wide {
            self.load_32(TEMPORARY, imm);
            self.line(&format!("{name} {d}, {d}, {TEMPORARY}"));
            return;
        }
        if imm & 0xffff != 0 {
            self.line(&format!("{name}i {d}, {d}, {}", imm & 0xffff));
        }
        if imm as u32 >> 16 != 0 {
            self.line(&format!("{name}is {d}, {d}, {}", imm as u32 >> 16));
        }
    }

    fn end(&mut self, insn: Insn) -> bool {
        let (d, t) = (REGISTERS[insn.dst], TEMPORARY);
        // le on a little-endian machine only clears upper bits; be and bswap swap.
        let swaps = insn.opcode != 0xd4;
        match (insn.imm, swaps) {
            (16, true) => {
                self.line(&format!("rlwinm {t}, {d}, 8, 16, 23"));
                self.line(&format!("rlwimi {t}, {d}, 24, 24, 31"));
                self.line(&format!("mr {d}, {t}"));
            }
            (32, true) => {
                self.line(&format!("rlwinm {t}, {d}, 8, 0, 31"));
                self.line(&format!("rlwimi {t}, {d}, 24, 0, 7"));
                self.line(&format!("rlwimi {t}, {d}, 24, 16, 23"));
                self.line(&format!("mr {d}, {t}"));
            }
            (64, true) => {
                // Below the registers that are saved: see bpf_jit_stack_local.
                self.line(&format!("std {d}, -80(1)"));
                self.line(&format!("addi {t}, 1, -80"));
                self.line(&format!("ldbrx {d}, 0, {t}"));
            }
            (64, false) => {}
            (bits, false) => self.line(&format!("rldicl {d}, {d}, 0, {}", 64 - bits)),
            _ => return false,
        }
        true
    }

    fn memory(&mut self, insn: Insn) -> bool {
        let size = match insn.opcode & 0x18 {
            0x10 => "b",
            0x08 => "h",
            0x00 => "w",
            _ => "d",
        };
        if insn.opcode & 0xe0 != 0x60 {
            return false;
        }
        let is_load = insn.class() == CLASS_LDX;
        let mut value = if is_load { REGISTERS[insn.dst] } else { REGISTERS[insn.src] };
        let base = if is_load { REGISTERS[insn.src] } else { REGISTERS[insn.dst] };
        if insn.class() == CLASS_ST {
            value = TEMPORARY;
            self.load_32(TEMPORARY, if size == "b" { i32::from(insn.imm as i8) } else { insn.imm });
        }
        let name = match (is_load, size) {
            (true, "d") => "ld".to_owned(),
            (true, _) => format!("l{size}z"),
            (false, _) => format!("st{size}"),
        };
        if size == "d" && insn.offset & 3 != 0 {
            self.line(&format!("li 10, {}", insn.offset));
            self.line(&format!("{name}x {value}, {base}, 10"));
        } else {
            self.line(&format!("{name} {value}, {}({base})", insn.offset));
        }
        true
    }

    fn jump(&mut self, slot: usize, insn: Insn) -> bool {
        match insn.opcode {
            EXIT => {
                if slot + 1 != self.program.len() {
                    self.line("b .Lexit");
                }
                true
            }
            JA => {
                self.line(&format!("b .Lslot{}", insn.target(slot)));
                true
            }
            _ if insn.is_conditional() => self.branch(slot, insn),
            _ => false,
        }
    }

    fn branch(&mut self, slot: usize, insn: Insn) -> bool {
        let (d, s, imm) = (REGISTERS[insn.dst], REGISTERS[insn.src], insn.imm);
        let w = if insn.class() == CLASS_JMP { "d" } else { "w" };
        let (condition, signed) = match insn.code() {
            0x10 => ("beq", false),
            0x20 => ("bgt", false),
            0x30 => ("bge", false),
            0x50 => ("bne", false),
            0x60 => ("bgt", true),
            0x70 => ("bge", true),
            0xa0 => ("blt", false),
            0xb0 => ("ble", false),
            0xc0 => ("blt", true),
            0xd0 => ("ble", true),
            _ => return false, // the packet programs have no JSET
        };
        let l = if signed { "" } else { "l" };
        let short = if signed { i16::try_from(imm).is_ok() } else { (0..32768).contains(&imm) };
        if insn.by_register() {
            self.line(&format!("cmp{l}{w} {d}, {s}"));
        } else if short {
            self.line(&format!("cmp{l}{w}i {d}, {imm}"));
        } else {
            self.load_32(TEMPORARY, imm);
            self.line(&format!("cmp{l}{w} {d}, {TEMPORARY}"));
        }
        self.line(&format!("{condition} .Lslot{}", insn.target(slot)));
        self.line("nop");
        true
    }
}
