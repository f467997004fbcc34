// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The text form of programs: one instruction a line in LLVM's BPF assembly syntax, as [`disassemble`] writes it, with
//! comments (`# ...`) and, for bytecode that this syntax cannot express, `raw OPCODE DST SRC OFFSET IMM`.
//!
//! [`disassemble`]: crate::disassemble

use crate::{ByteOrder, SLOT_BYTES};

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
            text: code.to_owned(),
            reason,
        })?;
        for slot in slots {
            bytecode.extend(slot.encode(order));
        }
    }
    Ok(bytecode)
}

/// Splits a line into words, numbers and operators, so that blanks do not matter.
fn tokens(code: &str) -> Vec<&str> {
    const OPERATORS: [&str; 23] = [
        "s>>=", "<<=", ">>=", "s/=", "s%=", "+=", "-=", "*=", "/=", "|=", "&=", "%=", "^=", "s<=", "s>=",
        "==", "!=", "<=", ">=", "s<", "s>", "<", ">",
    ];
    let mut rest = code.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator)).map(|o| o.len());
        let length = match operator {
            Some(length) => length,
            None if word > 0 => word,
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

fn number(text: &str) -> Parsed<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse::<u64>(),
    }
    .map_err(|_| "not a number")?;
    Ok(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

/// A number from tokens like `- 8`, `+ 8`, `8`.
fn signed(tokens: &[&str]) -> Parsed<i64> {
    match tokens {
        ["-", digits] => Ok(number(digits)?.wrapping_neg()),
        ["+", digits] | [digits] => number(digits),
        _ => Err("a number was expected"),
    }
}

/// 32-bit immediates may be written signed or unsigned.
fn immediate(tokens: &[&str]) -> Parsed<i32> {
    let value = signed(tokens)?;
    if value < i32::MIN.into() || value > u32::MAX.into() {
        return Err("the immediate does not fit 32 bits");
    }
    Ok(value as i32)
}

fn offset(tokens: &[&str]) -> Parsed<i16> {
    signed(tokens)?.try_into().map_err(|_| "the offset does not fit 16 bits")
}

/// `r3` is (3, wide), `w3` is (3, narrow).
fn register(token: &str) -> Parsed<(u8, bool)> {
    let wide = match token.chars().next() {
        Some('r') => true,
        Some('w') => false,
        _ => return Err("a register was expected"),
    };
    match token[1..].parse::<u8>() {
        Ok(index) if index < 16 => Ok((index, wide)),
        _ => Err("a register was expected"),
    }
}

fn is_register(tokens: &[&str]) -> bool {
    matches!(tokens, [token] if register(token).is_ok())
}

fn size_of(width: &str) -> Parsed<u8> {
    match width {
        "u8" | "s8" => Ok(0x10),
        "u16" | "s16" => Ok(0x08),
        "u32" | "s32" => Ok(0x00),
        "u64" => Ok(0x18),
        _ => Err("unknown width"),
    }
}

/// Parses a memory operand, `* ( u32 * ) ( r1 + 4 )`: gives width, base, offset and the tokens after the operand.
fn memory<'a, 't>(tokens: &'a [&'t str]) -> Parsed<(&'t str, u8, i16, &'a [&'t str])> {
    match tokens {
        ["*", "(", width, "*", ")", "(", base, sign, distance, ")", rest @ ..] => {
            Ok((width, register(base)?.0, offset(&[sign, distance])?, rest))
        }
        _ => Err("a memory operand was expected"),
    }
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
            one(register(target).map(|(dst, _)| Slot { opcode: 0x8d, dst, ..Slot::default() }))
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
        [first, distance @ ..] if is_register(&[first]) => (0x40, register(first)?.0, distance),
        distance => (0x20, 0, distance),
    };
    let imm = if mode == 0x40 && distance.is_empty() { 0 } else { immediate(distance)? };
    Ok(Slot { opcode: mode | size, src, imm, ..Slot::default() })
}

fn raw(code: &str) -> Parsed<Slot> {
    let fields: Vec<i64> = code.split_whitespace().skip(1).map(number).collect::<Parsed<_>>()?;
    match fields[..] {
        [opcode, dst, src, offset, imm] => Ok(Slot {
            opcode: opcode as u8,
            dst: dst as u8,
            src: src as u8,
            offset: offset as i16,
            imm: imm as i32,
        }),
        _ => Err("raw takes opcode, dst, src, offset, imm"),
    }
}

fn call(target: &[&str]) -> Parsed<Slot> {
    let (src, number) = match target {
        ["pc", distance @ ..] => (1, distance),
        ["btf", id] => (2, std::slice::from_ref(id)),
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
    let (dst, wide) = register(a)?;
    let class = if wide { 0x05 } else { 0x06 };
    let offset = offset(distance)?;
    if is_register(b) {
        let (src, _) = register(b[0])?;
        return Ok(Slot { opcode: class | 0x08 | code, dst, src, offset, imm: 0 });
    }
    Ok(Slot { opcode: class | code, dst, offset, imm: immediate(b)?, src: 0 })
}

/// `lock *(u64 *)(r1 + 0) += r2`
fn atomic(tokens: &[&str]) -> Parsed<Slot> {
    let (width, dst, offset, rest) = memory(tokens)?;
    let [operator, source] = rest else {
        return Err("an operator and a register were expected");
    };
    let imm = match *operator {
        "+=" => 0x00,
        "|=" => 0x40,
        "&=" => 0x50,
        "^=" => 0xa0,
        _ => return Err("unknown atomic operation"),
    };
    Ok(Slot { opcode: 0xc3 | size_of(width)?, dst, src: register(source)?.0, offset, imm })
}

fn store(tokens: &[&str]) -> Parsed<Slot> {
    let (width, dst, offset, rest) = memory(tokens)?;
    let Some((&"=", value)) = rest.split_first() else {
        return Err("`=` was expected");
    };
    let size = size_of(width)?;
    if is_register(value) {
        return Ok(Slot { opcode: 0x63 | size, dst, src: register(value[0])?.0, offset, imm: 0 });
    }
    Ok(Slot { opcode: 0x62 | size, dst, src: 0, offset, imm: immediate(value)? })
}

/// `r1 = 0x10 ll`, or `r1 = map_by_idx(3)+8 ll`
fn lddw(dst: &str, value: &[&str]) -> Parsed<Vec<Slot>> {
    let (dst, _) = register(dst)?;
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
            let value = signed(value)?;
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

fn arithmetic_or_load(dst: &str, operator: &str, operand: &[&str]) -> Parsed<Slot> {
    let (dst, wide) = register(dst)?;
    let class = if wide { 0x07 } else { 0x04 };
    if operator == "=" {
        if let Some(slot) = special_assignment(dst, class, operand)? {
            return Ok(slot);
        }
    }
    let (code, offset) = arithmetic_code(operator)?;
    if is_register(operand) {
        let (src, _) = register(operand[0])?;
        return Ok(Slot { opcode: class | 0x08 | code, dst, src, offset, imm: 0 });
    }
    Ok(Slot { opcode: class | code, dst, src: 0, offset, imm: immediate(operand)? })
}

/// Parses what can follow `r1 =` besides a register or a number: negation, extensions, loads, swaps, atomic operations.
fn special_assignment(dst: u8, class: u8, operand: &[&str]) -> Parsed<Option<Slot>> {
    let slot = match operand {
        ["-", source] if register(source).is_ok() => Slot { opcode: class | 0x80, dst, ..Slot::default() },
        ["(", width, ")", source] => {
            let bits = width.strip_prefix('s').ok_or("a sign extension was expected")?;
            Slot { opcode: class | 0xb8, dst, src: register(source)?.0, offset: number(bits)? as i16, imm: 0 }
        }
        ["*", ..] => {
            let (width, src, offset, _) = memory(operand)?;
            let mode = if width.starts_with('s') { 0x81 } else { 0x61 };
            Slot { opcode: mode | size_of(width)?, dst, src, offset, imm: 0 }
        }
        [order, source] if register(source).is_ok() => byte_order(order, dst)?,
        [function, "(", rest @ ..] => fetching(dst, function, rest)?,
        _ => return Ok(None),
    };
    Ok(Some(slot))
}

fn byte_order(order: &str, dst: u8) -> Parsed<Slot> {
    let (opcode, bits) = ["bswap", "be", "le"]
        .iter()
        .zip([0xd7, 0xdc, 0xd4])
        .find_map(|(name, opcode)| Some((opcode, order.strip_prefix(name)?)))
        .ok_or("unknown operation")?;
    Ok(Slot { opcode, dst, imm: number(bits)? as i32, ..Slot::default() })
}

/// `r2 = atomic_fetch_add((u64 *)(r1 + 0), r2)`, `r2 = xchg_64(r1 + 0, r2)`, `r0 = cmpxchg_64(r1 + 0, r0, r2)`
fn fetching(dst: u8, function: &str, rest: &[&str]) -> Parsed<Slot> {
    let (size, imm) = match function {
        "xchg_64" => (0x18, 0xe1),
        "xchg32_32" => (0x00, 0xe1),
        "cmpxchg_64" => (0x18, 0xf1),
        "cmpxchg32_32" => (0x00, 0xf1),
        "atomic_fetch_add" | "atomic_fetch_or" | "atomic_fetch_and" | "atomic_fetch_xor" => {
            let ["(", width, "*", ")", "(", base, sign, distance, ")", ",", source, ")"] = rest else {
                return Err("operands of an atomic operation were expected");
            };
            let code = match function {
                "atomic_fetch_add" => 0x01,
                "atomic_fetch_or" => 0x41,
                "atomic_fetch_and" => 0x51,
                _ => 0xa1,
            };
            let slot = Slot {
                opcode: 0xc3 | size_of(width)?,
                dst: register(base)?.0,
                src: register(source)?.0,
                offset: offset(&[sign, distance])?,
                imm: code,
            };
            return if slot.src == dst { Ok(slot) } else { Err("the result goes to the operand's register") };
        }
        _ => return Err("unknown operation"),
    };
    match rest {
        [base, sign, distance, ",", middle @ .., source, ")"]
            if imm == 0xe1 || matches!(middle, [_, ","]) =>
        {
            Ok(Slot {
                opcode: 0xc3 | size,
                dst: register(base)?.0,
                src: register(source)?.0,
                offset: offset(&[sign, distance])?,
                imm,
            })
        }
        _ => Err("operands of an atomic operation were expected"),
    }
}
