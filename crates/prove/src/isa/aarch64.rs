// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! AArch64: reversals, bit-field moves, shifted logic, extraction, plain loads and stores.
//!
//! Register 31 is the zero register in all forms here, except as the base of an access, where it is the stack pointer. A
//! 32-bit result clears the upper half. rev, rev16 and rev32 are also what instructions on vectors and predicates are called.

use decode::Instruction;

use super::{field, unsupported, word, Refusal};
use crate::machine::State;
use crate::term::Term;

fn read(state: &State, number: u32, bits: u32) -> Term {
    match number {
        31 => Term::constant(bits, 0),
        _ => state.read(&format!("x{number}"), 64).extract(0, bits),
    }
}

fn write(state: &mut State, number: u32, value: Term) {
    if number != 31 {
        state.write(&format!("x{number}"), value.zero_extend(64));
    }
}

/// Whether the encoding is in one of the groups of data processing with general registers.
fn processes_general_registers(word: u32) -> bool {
    matches!(field(word, 25, 4), 0b1000 | 0b1001 | 0b0101 | 0b1101)
}

pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    let word = word(instruction, false);
    if !processes_general_registers(word) {
        return memory(instruction, word, state);
    }
    let bits = if field(word, 31, 1) == 1 { 64 } else { 32 };
    let (d, n, m) = (field(word, 0, 5), field(word, 5, 5), field(word, 16, 5));
    let a = read(state, n, bits);
    let amount = field(word, 10, 6);
    let value = match instruction.mnemonic.as_str() {
        "rev" => a.reverse_bytes(),
        "rev16" => a.reverse_bytes_in(16),
        "rev32" => a.reverse_bytes_in(32),
        "ubfm" | "bfm" => bit_field_move(state, instruction, word, bits),
        "orr" | "orn" | "and" | "bic" | "eor" | "eon" if field(word, 24, 5) == 0b01010 => {
            let b = shifted(&read(state, m, bits), field(word, 22, 2), amount);
            let b = if field(word, 21, 1) == 1 { b.not() } else { b };
            match instruction.mnemonic.as_str() {
                "orr" | "orn" => a.or(&b),
                "and" | "bic" => a.and(&b),
                _ => a.xor(&b),
            }
        }
        "extr" => a.concat(&read(state, m, bits)).extract(amount, bits),
        _ => return Err(unsupported(instruction)),
    };
    write(state, d, value);
    Ok(())
}

/// The second operand after LSL (kind 0), LSR (1), ASR (2) or ROR (3).
fn shifted(value: &Term, kind: u32, amount: u32) -> Term {
    let count = Term::constant(value.bits(), amount.into());
    match kind {
        0 => value.shift_left(&count),
        1 => value.shift_right(&count),
        2 => value.shift_right_signed(&count),
        _ => value.rotate_left(value.bits() - amount),
    }
}

/// UBFM and BFM: bits immr..=imms moved to the bottom, or, if imms is below immr, bits 0..=imms moved up.
fn bit_field_move(state: &State, instruction: &Instruction, word: u32, bits: u32) -> Term {
    let (rotate, last) = (field(word, 16, 6), field(word, 10, 6));
    let source = read(state, field(word, 5, 5), bits);
    let (value, low, count) = if last >= rotate {
        (source.extract(rotate, last - rotate + 1), 0, last - rotate + 1)
    } else {
        (source.extract(0, last + 1), bits - rotate, last + 1)
    };
    let value = value.zero_extend(bits).shl(low);
    if instruction.mnemonic == "ubfm" {
        return value;
    }
    let hole = Term::constant(bits, ((1u128 << count) - 1) << low).not();
    read(state, field(word, 0, 5), bits).and(&hole).or(&value)
}

fn memory(instruction: &Instruction, word: u32, state: &mut State) -> Result<(), Refusal> {
    // Only the form with an unsigned, scaled offset.
    if field(word, 24, 6) != 0b11_1001 {
        return Err(unsupported(instruction));
    }
    let size = field(word, 30, 2);
    let bits = 8 << size;
    let base = match field(word, 5, 5) {
        31 => state.read("sp", 64),
        n => read(state, n, 64),
    };
    let address = base.add(&Term::constant(64, (field(word, 10, 12) << size).into()));
    let t = field(word, 0, 5);
    match instruction.mnemonic.as_str() {
        "ldr" | "ldrh" | "ldrb" => {
            let value = state.load(&address, bits)?;
            write(state, t, value);
            Ok(())
        }
        "str" | "strh" | "strb" => {
            let value = read(state, t, 64).extract(0, bits);
            state.store(&address, &value)
        }
        _ => Err(unsupported(instruction)),
    }
}
