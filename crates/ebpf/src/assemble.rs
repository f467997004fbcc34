// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The text form of programs: one instruction a line in LLVM's BPF assembly syntax, as [`disassemble`] writes it, with
//! comments (`# ...`) and, for bytecode that this syntax cannot express, `raw OPCODE DST SRC OFFSET IMM`.
//!
//! [`disassemble`]: crate::disassemble

mod atomic;
mod operands;

use crate::visible::visible;
use crate::{ByteOrder, SLOT_BYTES};
use atomic::{atomic, fetching};
use operands::{
    accessed, immediate, immediate64, in_bits, is_register, memory, number, offset, register, register_as,
    size_of, tokens, unsigned_size, wide_register, Memory, Register,
};

/// A line that cannot be assembled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: cannot assemble `{text}`: {reason}")]
pub struct AssembleError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Text of the line, without its comment.
    pub text: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// The fields of one slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    opcode: u8,
    dst: u8,
    src: u8,
    offset: i16,
    imm: i32,
}

impl Slot {
    fn encode(&self, order: ByteOrder) -> [u8; SLOT_BYTES] {
        let (registers, offset, imm) = match order {
            ByteOrder::Little => {
                (self.src << 4 | self.dst & 15, self.offset.to_le_bytes(), self.imm.to_le_bytes())
            }
            ByteOrder::Big => {
                (self.dst << 4 | self.src & 15, self.offset.to_be_bytes(), self.imm.to_be_bytes())
            }
        };
        [self.opcode, registers, offset[0], offset[1], imm[0], imm[1], imm[2], imm[3]]
    }
}

type Parsed<T> = Result<T, &'static str>;

/// Assembles a program.
pub fn assemble(text: &str, order: ByteOrder) -> Result<Vec<u8>, AssembleError> {
    let mut bytecode = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("").trim();
        if code.is_empty() {
            continue;
        }
        let slots = instruction(code).map_err(|reason| AssembleError {
            line: index + 1,
            text: visible(code),
            reason,
        })?;
        for slot in slots {
            bytecode.extend(slot.encode(order));
        }
    }
    Ok(bytecode)
}

fn instruction(code: &str) -> Parsed<Vec<Slot>> {
    let tokens = tokens(code);
    let one = |slot: Parsed<Slot>| slot.map(|slot| vec![slot]);
    match tokens.as_slice() {
        ["exit"] => one(Ok(Slot { opcode: 0x95, ..Slot::default() })),
        ["goto", distance @ ..] => {
            one(offset(distance).map(|offset| Slot { opcode: 0x05, offset, ..Slot::default() }))
        }
        ["gotol", distance @ ..] => {
            one(immediate(distance).map(|imm| Slot { opcode: 0x06, imm, ..Slot::default() }))
        }
        ["call", target @ ..] => one(call(target)),
        ["callx", target] => {
            one(wide_register(target).map(|dst| Slot { opcode: 0x8d, dst, ..Slot::default() }))
        }
        ["if", condition @ ..] => one(branch(condition)),
        ["lock", rest @ ..] => one(atomic(rest)),
        ["raw", ..] => one(raw(code)),
        ["*", ..] => one(store(&tokens)),
        [dst, "=", value @ .., "ll"] => lddw(dst, value),
        ["r0", "=", "*", "(", width, "*", ")", "skb", "[", place @ .., "]"] => one(packet(width, place)),
        [dst, operator, operand @ ..] => one(arithmetic_or_load(dst, operator, operand)),
        _ => Err("unknown instruction"),
    }
}

/// `r0 = *(u16 *)skb[12]`, `r0 = *(u8 *)skb[r1]`, `r0 = *(u8 *)skb[r1 + 4]`
fn packet(width: &str, place: &[&str]) -> Parsed<Slot> {
    let size = size_of(width)?;
    if size == 0x18 || width.starts_with('s') {
        return Err("packets are read in 1, 2 or 4 bytes");
    }
    let (mode, src, distance) = match place {
        [first, distance @ ..] if is_register(&[first]) => (0x40, wide_register(first)?, distance),
        distance => (0x20, 0, distance),
    };
    let imm = if mode == 0x40 && distance.is_empty() { 0 } else { immediate(distance)? };
    Ok(Slot { opcode: mode | size, src, imm, ..Slot::default() })
}

fn raw(code: &str) -> Parsed<Slot> {
    let fields: Vec<i128> = code.split_whitespace().skip(1).map(number).collect::<Parsed<_>>()?;
    let [opcode, dst, src, offset, imm] = fields[..] else {
        return Err("raw takes opcode, dst, src, offset, imm");
    };
    let unsigned = |value, max| u8::try_from(value).ok().filter(|value| *value <= max);
    let slot = || {
        Some(Slot {
            opcode: unsigned(opcode, u8::MAX)?,
            dst: unsigned(dst, 15)?,
            src: unsigned(src, 15)?,
            offset: in_bits(offset, 16)? as i16,
            imm: in_bits(imm, 32)? as i32,
        })
    };
    slot().ok_or("a field does not fit: opcode has 8 bits, dst and src 4 each, offset 16, imm 32")
}

fn call(target: &[&str]) -> Parsed<Slot> {
    let (src, number) = match target {
        ["pc", distance @ ..] => (1, distance),
        ["btf", id @ ..] => (2, id),
        _ => (0, target),
    };
    Ok(Slot { opcode: 0x85, src, imm: immediate(number)?, ..Slot::default() })
}

fn branch(tokens: &[&str]) -> Parsed<Slot> {
    let goto = tokens.iter().position(|token| *token == "goto").ok_or("if needs goto")?;
    let (condition, distance) = (&tokens[..goto], &tokens[goto + 1..]);
    let [a, operator, b @ ..] = condition else {
        return Err("a condition was expected");
    };
    let code = match *operator {
        "==" => 0x10,
        ">" => 0x20,
        ">=" => 0x30,
        "&" => 0x40,
        "!=" => 0x50,
        "s>" => 0x60,
        "s>=" => 0x70,
        "<" => 0xa0,
        "<=" => 0xb0,
        "s<" => 0xc0,
        "s<=" => 0xd0,
        _ => return Err("unknown condition"),
    };
    let Register { index: dst, wide } = register(a)?;
    let class = if wide { 0x05 } else { 0x06 };
    let offset = offset(distance)?;
    if is_register(b) {
        let src = register_as(b[0], wide)?;
        return Ok(Slot { opcode: class | 0x08 | code, dst, src, offset, imm: 0 });
    }
    Ok(Slot { opcode: class | code, dst, offset, imm: immediate(b)?, src: 0 })
}

fn store(tokens: &[&str]) -> Parsed<Slot> {
    let Memory { width, base: dst, offset, rest } = memory(tokens)?;
    let Some((&"=", value)) = rest.split_first() else {
        return Err("`=` was expected");
    };
    let size = unsigned_size(width)?;
    if is_register(value) {
        return Ok(Slot { opcode: 0x63 | size, dst, src: accessed(value[0], width)?, offset, imm: 0 });
    }
    Ok(Slot { opcode: 0x62 | size, dst, src: 0, offset, imm: immediate(value)? })
}

/// `r1 = 0x10 ll`, or `r1 = map_by_idx(3)+8 ll`
fn lddw(dst: &str, value: &[&str]) -> Parsed<Vec<Slot>> {
    let dst = wide_register(dst)?;
    let (src, low, high) = match value {
        [kind, "(", imm, ")", "+", next] => {
            let src = match *kind {
                "map_by_fd" => 1,
                "map_val_by_fd" => 2,
                "var_addr" => 3,
                "code_addr" => 4,
                "map_by_idx" => 5,
                "map_val_by_idx" => 6,
                _ => return Err("unknown kind of lddw"),
            };
            (src, immediate(&[imm])?, immediate(&[next])?)
        }
        _ => {
            let value = immediate64(value)?;
            (0, value as i32, (value >> 32) as i32)
        }
    };
    Ok(vec![Slot { opcode: 0x18, dst, src, offset: 0, imm: low }, Slot { imm: high, ..Slot::default() }])
}

fn arithmetic_code(operator: &str) -> Parsed<(u8, i16)> {
    Ok(match operator {
        "+=" => (0x00, 0),
        "-=" => (0x10, 0),
        "*=" => (0x20, 0),
        "/=" => (0x30, 0),
        "s/=" => (0x30, 1),
        "|=" => (0x40, 0),
        "&=" => (0x50, 0),
        "<<=" => (0x60, 0),
        ">>=" => (0x70, 0),
        "%=" => (0x90, 0),
        "s%=" => (0x90, 1),
        "^=" => (0xa0, 0),
        "=" => (0xb0, 0),
        "s>>=" => (0xc0, 0),
        _ => return Err("unknown operator"),
    })
}

fn arithmetic_or_load(token: &str, operator: &str, operand: &[&str]) -> Parsed<Slot> {
    let Register { index: dst, wide } = register(token)?;
    let class = if wide { 0x07 } else { 0x04 };
    if operator == "=" {
        if let Some(slot) = special_assignment(token, class, operand)? {
            return Ok(slot);
        }
    }
    let (code, offset) = arithmetic_code(operator)?;
    if is_register(operand) {
        let src = register_as(operand[0], wide)?;
        return Ok(Slot { opcode: class | 0x08 | code, dst, src, offset, imm: 0 });
    }
    Ok(Slot { opcode: class | code, dst, src: 0, offset, imm: immediate(operand)? })
}

/// Parses what can follow `r1 =` besides a register or a number: negation, extensions, loads, swaps, atomic operations.
fn special_assignment(token: &str, class: u8, operand: &[&str]) -> Parsed<Option<Slot>> {
    let Register { index: dst, wide } = register(token)?;
    let slot = match operand {
        ["-", source] if register(source).is_ok() => {
            own(source, token)?;
            Slot { opcode: class | 0x80, dst, ..Slot::default() }
        }
        ["(", width, ")", source] => {
            let bits = number(width.strip_prefix('s').ok_or("a sign extension was expected")?)?;
            let offset = i16::try_from(bits).map_err(|_| "the width does not fit 16 bits")?;
            Slot { opcode: class | 0xb8, dst, src: register_as(source, wide)?, offset, imm: 0 }
        }
        ["*", ..] => load(token, operand)?,
        [order, source] if register(source).is_ok() => {
            own(source, token)?;
            byte_order(order, wide_register(token)?)?
        }
        [function, "(", rest @ ..] => fetching(token, function, rest)?,
        _ => return Ok(None),
    };
    Ok(Some(slot))
}

/// Negations and byte swaps have one register.
fn own(source: &str, dst: &str) -> Parsed<()> {
    if register(source)? != register(dst)? {
        return Err("this operation has one register: move the value there first");
    }
    Ok(())
}

fn load(dst: &str, operand: &[&str]) -> Parsed<Slot> {
    let Memory { width, base, offset, rest } = memory(operand)?;
    if !rest.is_empty() {
        return Err("nothing can follow a load: compute with its register in the next line");
    }
    let mode = if width.starts_with('s') { 0x81 } else { 0x61 };
    let (opcode, dst) = (mode | size_of(width)?, accessed(dst, width)?);
    Ok(Slot { opcode, dst, src: base, offset, imm: 0 })
}

fn byte_order(order: &str, dst: u8) -> Parsed<Slot> {
    let (opcode, bits) = ["bswap", "be", "le"]
        .iter()
        .zip([0xd7, 0xdc, 0xd4])
        .find_map(|(name, opcode)| Some((opcode, order.strip_prefix(name)?)))
        .ok_or("unknown operation")?;
    let imm = match bits {
        "16" => 16,
        "32" => 32,
        "64" => 64,
        _ => return Err("bytes are swapped in 16, 32 or 64 bits"),
    };
    Ok(Slot { opcode, dst, imm, ..Slot::default() })
}
