// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Parts of an instruction: words, numbers, registers, places in memory. What does not fit its field is an error.

use super::Parsed;

/// Splits a line into words, numbers and operators, so that blanks do not matter.
pub(super) fn tokens(code: &str) -> Vec<&str> {
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

/// A number without losing its sign: -1 and 2^64 - 1 are the same 64 bits, but only one of them fits 32.
pub(super) fn number(text: &str) -> Parsed<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse::<u64>(),
    }
    .map_err(|_| "not a number")?;
    Ok(if negative { -i128::from(value) } else { i128::from(value) })
}

/// A number from tokens like `- 8`, `+ 8`, `8`.
fn signed(tokens: &[&str]) -> Parsed<i128> {
    match tokens {
        ["-", digits] => Ok(-number(digits)?),
        ["+", digits] | [digits] => number(digits),
        _ => Err("a number was expected"),
    }
}

/// 32-bit immediates may be written signed or unsigned.
pub(super) fn immediate(tokens: &[&str]) -> Parsed<i32> {
    in_bits(signed(tokens)?, 32).map(|value| value as i32).ok_or("the immediate does not fit 32 bits")
}

/// As [`immediate`], of an `lddw`.
pub(super) fn immediate64(tokens: &[&str]) -> Parsed<i64> {
    in_bits(signed(tokens)?, 64).ok_or("the immediate does not fit 64 bits")
}

/// The number in so many bits, signed or unsigned, if it fits.
pub(super) fn in_bits(value: i128, bits: u32) -> Option<i64> {
    (-(1 << (bits - 1))..1 << bits).contains(&value).then_some(value as i64)
}

pub(super) fn offset(tokens: &[&str]) -> Parsed<i16> {
    signed(tokens)?.try_into().map_err(|_| "the offset does not fit 16 bits")
}

/// `r3`, which is wide, or `w3`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) index: u8,
    pub(super) wide: bool,
}

pub(super) fn register(token: &str) -> Parsed<Register> {
    let wide = match token.chars().next() {
        Some('r') => true,
        Some('w') => false,
        _ => return Err("a register was expected"),
    };
    match token[1..].parse::<u8>() {
        Ok(index) if index < 16 => Ok(Register { index, wide }),
        _ => Err("a register was expected"),
    }
}

/// A register whose 64 bits are used: an address, or an operand of 64 bits.
pub(super) fn wide_register(token: &str) -> Parsed<u8> {
    match register(token)? {
        Register { index, wide: true } => Ok(index),
        _ => Err("an r register was expected: all 64 bits are used"),
    }
}

/// A register of the other operand's width.
pub(super) fn register_as(token: &str, wide: bool) -> Parsed<u8> {
    match register(token)? {
        Register { index, wide: same } if same == wide => Ok(index),
        _ => Err("the registers have different widths: r is 64 bits, w is 32"),
    }
}

pub(super) fn is_register(tokens: &[&str]) -> bool {
    matches!(tokens, [token] if register(token).is_ok())
}

pub(super) fn size_of(width: &str) -> Parsed<u8> {
    match width {
        "u8" | "s8" => Ok(0x10),
        "u16" | "s16" => Ok(0x08),
        "u32" | "s32" => Ok(0x00),
        "u64" => Ok(0x18),
        _ => Err("unknown width"),
    }
}

/// As [`size_of`], where the sign does not matter and is not written.
pub(super) fn unsigned_size(width: &str) -> Parsed<u8> {
    if width.starts_with('s') {
        return Err("only loads extend a sign: u8, u16, u32 or u64 was expected");
    }
    size_of(width)
}

/// The register on the other side of an access: r for 64 bits; for fewer, r or w, as LLVM writes it with and without 32-bit
/// operations.
pub(super) fn accessed(token: &str, width: &str) -> Parsed<u8> {
    match width {
        "u64" | "s8" | "s16" | "s32" => wide_register(token),
        _ => register(token).map(|register| register.index),
    }
}

/// A memory operand, `* ( u32 * ) ( r1 + 4 )`: width, base and offset; and the tokens after it.
pub(super) struct Memory<'a, 't> {
    pub(super) width: &'t str,
    pub(super) base: u8,
    pub(super) offset: i16,
    pub(super) rest: &'a [&'t str],
}

pub(super) fn memory<'a, 't>(tokens: &'a [&'t str]) -> Parsed<Memory<'a, 't>> {
    match tokens {
        ["*", "(", width, "*", ")", "(", base, sign, distance, ")", rest @ ..] => {
            let (base, offset) = (wide_register(base)?, offset(&[sign, distance])?);
            Ok(Memory { width, base, offset, rest })
        }
        _ => Err("a memory operand was expected"),
    }
}
