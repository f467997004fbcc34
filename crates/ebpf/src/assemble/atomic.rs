// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Atomic operations. Those that give the old value give it to a register that the instruction implies: the source, or r0.

use super::operands::{accessed, memory, offset, register_as, unsigned_size, wide_register, Memory};
use super::{Parsed, Slot};

const FETCH: i32 = 0x01;
const XCHG: i32 = 0xe1;
const CMPXCHG: i32 = 0xf1;

fn slot(size: u8, base: u8, source: u8, offset: i16, imm: i32) -> Slot {
    Slot { opcode: 0xc3 | size, dst: base, src: source, offset, imm }
}

/// `lock *(u64 *)(r1 + 0) += r2`
pub(super) fn atomic(tokens: &[&str]) -> Parsed<Slot> {
    let Memory { width, base, offset, rest } = memory(tokens)?;
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
    Ok(slot(unsigned_size(width)?, base, accessed(source, width)?, offset, imm))
}

/// `r2 = atomic_fetch_add((u64 *)(r1 + 0), r2)`, `r2 = xchg_64(r1 + 0, r2)`, `r0 = cmpxchg_64(r1 + 0, r0, r2)`
pub(super) fn fetching(result: &str, function: &str, rest: &[&str]) -> Parsed<Slot> {
    match function {
        "xchg_64" => exchange(result, true, rest),
        "xchg32_32" => exchange(result, false, rest),
        "cmpxchg_64" => compare_exchange(result, true, rest),
        "cmpxchg32_32" => compare_exchange(result, false, rest),
        "atomic_fetch_add" => fetch(result, 0x00, rest),
        "atomic_fetch_or" => fetch(result, 0x40, rest),
        "atomic_fetch_and" => fetch(result, 0x50, rest),
        "atomic_fetch_xor" => fetch(result, 0xa0, rest),
        _ => Err("unknown operation"),
    }
}

fn size(wide: bool) -> u8 {
    if wide {
        0x18
    } else {
        0x00
    }
}

/// The source, to which the result goes too.
fn source_and_result(source: &str, result: &str, wide: bool) -> Parsed<u8> {
    if source != result {
        return Err("the result goes to the operand's register");
    }
    register_as(source, wide)
}

fn fetch(result: &str, code: i32, rest: &[&str]) -> Parsed<Slot> {
    let ["(", width, "*", ")", "(", base, sign, distance, ")", ",", source, ")"] = rest else {
        return Err("operands of an atomic operation were expected");
    };
    let source = source_and_result(source, result, *width == "u64")?;
    Ok(slot(unsigned_size(width)?, wide_register(base)?, source, offset(&[sign, distance])?, code | FETCH))
}

fn exchange(result: &str, wide: bool, rest: &[&str]) -> Parsed<Slot> {
    let [base, sign, distance, ",", source, ")"] = rest else {
        return Err("operands of an atomic operation were expected");
    };
    let source = source_and_result(source, result, wide)?;
    Ok(slot(size(wide), wide_register(base)?, source, offset(&[sign, distance])?, XCHG))
}

fn compare_exchange(result: &str, wide: bool, rest: &[&str]) -> Parsed<Slot> {
    let [base, sign, distance, ",", expected, ",", source, ")"] = rest else {
        return Err("operands of an atomic operation were expected");
    };
    if register_as(result, wide)? != 0 || register_as(expected, wide)? != 0 {
        return Err("cmpxchg compares with register 0, and the result goes there");
    }
    Ok(slot(
        size(wide),
        wide_register(base)?,
        register_as(source, wide)?,
        offset(&[sign, distance])?,
        CMPXCHG,
    ))
}
