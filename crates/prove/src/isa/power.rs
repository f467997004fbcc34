// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER: the integer instructions that byte swaps are made of, 32 and 64 bit, and the moves to and from vector registers.
//!
//! The ISA numbers bits from the most significant one, so MASK(mb, me) of a 64-bit word has bit 63 - i set for each i from
//! mb to me, and wraps around if mb is greater. The 32-bit rotates work on the low word *copied into both halves*; a
//! wrapping mask selects bits of the copy in the upper half, too (Power ISA 3.1, 3.3.14).

use decode::Instruction;

use super::{field, signed, unsupported, word, Refusal};
use crate::machine::State;
use crate::term::Term;

fn mask(begin: u32, end: u32) -> u64 {
    let from = u64::MAX >> begin;
    let to = u64::MAX << (63 - end);
    if begin <= end {
        from & to
    } else {
        from | to
    }
}

/// The fields that most forms share.
struct Operands {
    /// Bits 6 to 10: RS or RT.
    s: u32,
    /// Bits 11 to 15: RA.
    a: u32,
    /// Bits 16 to 20: RB or a shift.
    b: u32,
    word: u32,
}

impl Operands {
    fn register(state: &State, number: u32) -> Term {
        state.read(&format!("r{number}"), state.word())
    }

    fn set(state: &mut State, number: u32, value: Term) {
        let value = value.extract(0, state.word());
        state.write(&format!("r{number}"), value);
    }

    /// RA|0: the register, or zero for r0.
    fn base(&self, state: &State) -> Term {
        match self.a {
            0 => Term::constant(state.word(), 0),
            a => Operands::register(state, a),
        }
    }

    fn displacement(&self, state: &State, low_bits: u32) -> Term {
        let value = signed(self.word & 0xffff & !low_bits, 16);
        Term::constant(state.word(), value as u128)
    }
}

/// A memory access: width, whether the bytes are reversed, indexed or with displacement, whether a load sign-extends,
/// whether it is a store, and the displacement's low bits that belong to the opcode.
struct Access {
    bits: u32,
    reversed: bool,
    indexed: bool,
    signed: bool,
    store: bool,
    low_bits: u32,
}

fn access(mnemonic: &str) -> Option<Access> {
    let (bits, reversed, indexed, signed, store, low_bits) = match mnemonic {
        "lbz" => (8, false, false, false, false, 0),
        "lhz" => (16, false, false, false, false, 0),
        "lha" => (16, false, false, true, false, 0),
        "lwz" => (32, false, false, false, false, 0),
        "lwa" => (32, false, false, true, false, 3),
        "ld" => (64, false, false, false, false, 3),
        "lbzx" => (8, false, true, false, false, 0),
        "lhzx" => (16, false, true, false, false, 0),
        "lwzx" => (32, false, true, false, false, 0),
        "ldx" => (64, false, true, false, false, 0),
        "lhbrx" => (16, true, true, false, false, 0),
        "lwbrx" => (32, true, true, false, false, 0),
        "ldbrx" => (64, true, true, false, false, 0),
        "stb" => (8, false, false, false, true, 0),
        "sth" => (16, false, false, false, true, 0),
        "stw" => (32, false, false, false, true, 0),
        "std" => (64, false, false, false, true, 3),
        "stbx" => (8, false, true, false, true, 0),
        "sthx" => (16, false, true, false, true, 0),
        "stwx" => (32, false, true, false, true, 0),
        "stdx" => (64, false, true, false, true, 0),
        "sthbrx" => (16, true, true, false, true, 0),
        "stwbrx" => (32, true, true, false, true, 0),
        "stdbrx" => (64, true, true, false, true, 0),
        _ => return None,
    };
    Some(Access { bits, reversed, indexed, signed, store, low_bits })
}

/// Whether only 64-bit implementations have it: 32-bit code has no registers that it could work on.
fn needs_doublewords(mnemonic: &str) -> bool {
    access(mnemonic).is_some_and(|access| access.bits == 64)
        || matches!(mnemonic, "stdu" | "lwa" | "sld" | "srd" | "extsw" | "brd")
}

pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    let word = word(instruction, state.arch().big_endian());
    let ops = Operands { s: field(word, 21, 5), a: field(word, 16, 5), b: field(word, 11, 5), word };
    let mnemonic = instruction.mnemonic.as_str();
    if state.word() < 64 && needs_doublewords(mnemonic) {
        return Err(unsupported(instruction));
    }
    if mnemonic == "stwu" || mnemonic == "stdu" {
        return store_with_update(mnemonic, &ops, state);
    }
    if let Some(access) = access(mnemonic) {
        return memory(&access, &ops, state);
    }
    let done = rotate(mnemonic, &ops, state)
        || logical(mnemonic, &ops, state)
        || arithmetic(mnemonic, &ops, state)
        || reverse(mnemonic, &ops, state)
        || vector(mnemonic, &ops, state);
    if done {
        Ok(())
    } else {
        Err(unsupported(instruction))
    }
}

fn memory(access: &Access, ops: &Operands, state: &mut State) -> Result<(), Refusal> {
    let index = if access.indexed {
        Operands::register(state, ops.b)
    } else {
        ops.displacement(state, access.low_bits)
    };
    let address = ops.base(state).add(&index);
    if access.store {
        let value = Operands::register(state, ops.s).extract(0, access.bits);
        let value = if access.reversed { value.reverse_bytes() } else { value };
        return state.store(&address, &value);
    }
    let value = state.load(&address, access.bits)?;
    let value = if access.reversed { value.reverse_bytes() } else { value };
    let bits = state.word();
    let value = if access.signed { value.sign_extend(bits) } else { value.zero_extend(bits) };
    Operands::set(state, ops.s, value);
    Ok(())
}

fn store_with_update(mnemonic: &str, ops: &Operands, state: &mut State) -> Result<(), Refusal> {
    let (bits, low_bits) = if mnemonic == "stdu" { (64, 3) } else { (32, 0) };
    let address = ops.base(state).add(&ops.displacement(state, low_bits));
    let value = Operands::register(state, ops.s).extract(0, bits);
    // Both at once in the machine; a frame that stwu makes is the function's before its back chain is stored.
    Operands::set(state, ops.a, address.clone());
    state.store(&address, &value)
}

/// The low word rotated and copied into both halves: ROTL32 of the ISA.
fn rotate_word(value: &Term, count: u32) -> Term {
    let rotated = value.extract(0, 32).rotate_left(count);
    rotated.concat(&rotated)
}

fn rotate(mnemonic: &str, ops: &Operands, state: &mut State) -> bool {
    let source = Operands::register(state, ops.s);
    let target = Operands::register(state, ops.a).zero_extend(64);
    let word = ops.word;
    let (rotated, mask, insert) = match mnemonic {
        "rlwinm" | "rlwimi" => {
            let mask = mask(field(word, 6, 5) + 32, field(word, 1, 5) + 32);
            (rotate_word(&source, ops.b), mask, mnemonic == "rlwimi")
        }
        "rldicl" | "rldicr" | "rldic" | "rldimi" if state.word() == 64 => {
            let count = ops.b | field(word, 1, 1) << 5;
            let edge = field(word, 6, 5) | field(word, 5, 1) << 5;
            let mask = match mnemonic {
                "rldicl" => mask(edge, 63),
                "rldicr" => mask(0, edge),
                _ => mask(edge, 63 - count),
            };
            (source.rotate_left(count), mask, mnemonic == "rldimi")
        }
        _ => return false,
    };
    let mask = Term::constant(64, mask.into());
    let value = rotated.and(&mask);
    let value = if insert { value.or(&target.and(&mask.not())) } else { value };
    Operands::set(state, ops.a, value);
    true
}

fn logical(mnemonic: &str, ops: &Operands, state: &mut State) -> bool {
    let bits = state.word();
    let s = Operands::register(state, ops.s);
    let b = Operands::register(state, ops.b);
    let low = Term::constant(bits, (ops.word & 0xffff).into());
    let high = Term::constant(bits, ((ops.word & 0xffff) << 16).into());
    let value = match mnemonic {
        "or" => s.or(&b),
        "and" => s.and(&b),
        "xor" => s.xor(&b),
        "nor" => s.or(&b).not(),
        "andc" => s.and(&b.not()),
        "orc" => s.or(&b.not()),
        "ori" => s.or(&low),
        "oris" => s.or(&high),
        "xori" => s.xor(&low),
        "xoris" => s.xor(&high),
        "extsw" => s.extract(0, 32).sign_extend(bits),
        "sld" => s.shift_left(&b.extract(0, 7).zero_extend(64)),
        "srd" => s.shift_right(&b.extract(0, 7).zero_extend(64)),
        "slw" => s.extract(0, 32).shift_left(&b.extract(0, 6).zero_extend(32)).zero_extend(bits),
        "srw" => s.extract(0, 32).shift_right(&b.extract(0, 6).zero_extend(32)).zero_extend(bits),
        _ => return false,
    };
    Operands::set(state, ops.a, value);
    true
}

fn arithmetic(mnemonic: &str, ops: &Operands, state: &mut State) -> bool {
    let a = Operands::register(state, ops.a);
    let b = Operands::register(state, ops.b);
    let value = match mnemonic {
        "addi" => ops.base(state).add(&ops.displacement(state, 0)),
        "addis" => {
            let shifted = signed(ops.word & 0xffff, 16) << 16;
            ops.base(state).add(&Term::constant(state.word(), shifted as u128))
        }
        "add" => a.add(&b),
        "subf" => b.sub(&a),
        "neg" => Term::constant(state.word(), 0).sub(&a),
        _ => return false,
    };
    Operands::set(state, ops.s, value);
    true
}

/// The byte reversals of ISA 3.1.
fn reverse(mnemonic: &str, ops: &Operands, state: &mut State) -> bool {
    let group = match mnemonic {
        "brh" => 16,
        "brw" => 32,
        "brd" => 64,
        _ => return false,
    };
    let value = Operands::register(state, ops.s).reverse_bytes_in(group);
    Operands::set(state, ops.a, value);
    true
}

/// VSX registers are `vs0` to `vs63`; the highest bit of the number is encoded apart, at the end of the word.
fn vector(mnemonic: &str, ops: &Operands, state: &mut State) -> bool {
    // The moves are of doublewords, which 32-bit code does not have.
    if state.word() < 64 {
        return false;
    }
    let name = |low: u32, high_bit: u32| format!("vs{}", low | field(ops.word, high_bit, 1) << 5);
    match mnemonic {
        "mtvsrd" => {
            // Doubleword 1 is undefined (7.6.1 of the ISA).
            let low = state.undefined(64);
            let value = Operands::register(state, ops.a).concat(&low);
            state.write(&name(ops.s, 0), value);
        }
        "mtvsrdd" => {
            let high = ops.base(state);
            let value = high.concat(&Operands::register(state, ops.b));
            state.write(&name(ops.s, 0), value);
        }
        "mfvsrd" => {
            let value = state.read(&name(ops.s, 0), 128).extract(64, 64);
            Operands::set(state, ops.a, value);
        }
        "mfvsrld" => {
            let value = state.read(&name(ops.s, 0), 128).extract(0, 64);
            Operands::set(state, ops.a, value);
        }
        "xxbrh" | "xxbrw" | "xxbrd" | "xxbrq" => {
            let group = match mnemonic {
                "xxbrh" => 16,
                "xxbrw" => 32,
                "xxbrd" => 64,
                _ => 128,
            };
            let value = state.read(&name(ops.b, 1), 128).reverse_bytes_in(group);
            state.write(&name(ops.s, 0), value);
        }
        _ => return false,
    }
    true
}
