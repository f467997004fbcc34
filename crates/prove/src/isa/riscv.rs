// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! RISC-V, 64 bit: shifts, logic, rev8 of Zbb, plain loads and stores, and the compressed forms that assemblers choose.

use decode::Instruction;

use super::{field, signed, unsupported, word, Refusal};
use crate::machine::State;
use crate::term::Term;

const BITS: u32 = 64;

fn read(state: &State, number: u32) -> Term {
    match number {
        0 => Term::constant(BITS, 0),
        _ => state.read(&format!("x{number}"), BITS),
    }
}

fn write(state: &mut State, number: u32, value: Term) {
    if number != 0 {
        state.write(&format!("x{number}"), value);
    }
}

pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    let word = word(instruction, false);
    let mnemonic = instruction.mnemonic.as_str();
    if mnemonic.starts_with("c.") {
        return compressed(instruction, word & 0xffff, state);
    }
    let (d, s1, s2) = (field(word, 7, 5), field(word, 15, 5), field(word, 20, 5));
    if let Some(bits) = match mnemonic {
        "sb" => Some(8),
        "sh" => Some(16),
        "sw" => Some(32),
        "sd" => Some(64),
        _ => None,
    } {
        let offset = signed(field(word, 25, 7) << 5 | d, 12);
        let address = read(state, s1).add(&Term::constant(BITS, offset as u128));
        let value = read(state, s2).extract(0, bits);
        return state.store(&address, &value);
    }
    let offset = Term::constant(BITS, signed(field(word, 20, 12), 12) as u128);
    if let Some((bits, extend_sign)) = match mnemonic {
        "lb" => Some((8, true)),
        "lbu" => Some((8, false)),
        "lh" => Some((16, true)),
        "lhu" => Some((16, false)),
        "lw" => Some((32, true)),
        "lwu" => Some((32, false)),
        "ld" => Some((64, false)),
        _ => None,
    } {
        let value = state.load(&read(state, s1).add(&offset), bits)?;
        let value = if extend_sign { value.sign_extend(BITS) } else { value.zero_extend(BITS) };
        write(state, d, value);
        return Ok(());
    }
    let (a, b) = (read(state, s1), read(state, s2));
    let shift = field(word, 20, 6);
    let value = match mnemonic {
        "addi" => a.add(&offset),
        "andi" => a.and(&offset),
        "ori" => a.or(&offset),
        "xori" => a.xor(&offset),
        "slli" => a.shl(shift),
        "srli" => a.shr(shift),
        "srai" => a.shift_right_signed(&Term::constant(BITS, shift.into())),
        "slliw" => a.extract(0, 32).shl(shift & 31).sign_extend(BITS),
        "srliw" => a.extract(0, 32).shr(shift & 31).sign_extend(BITS),
        "addiw" => a.add(&offset).extract(0, 32).sign_extend(BITS),
        "and" => a.and(&b),
        "or" => a.or(&b),
        "xor" => a.xor(&b),
        "add" => a.add(&b),
        "sub" => a.sub(&b),
        "lui" => Term::constant(BITS, i64::from((word & 0xffff_f000) as i32) as u128),
        "rev8" => a.reverse_bytes(),
        "zext.h" => a.extract(0, 16).zero_extend(BITS),
        "rori" => a.rotate_left(64 - shift),
        "roriw" => a.extract(0, 32).rotate_left(32 - (shift & 31)).sign_extend(BITS),
        _ => return Err(unsupported(instruction)),
    };
    write(state, d, value);
    Ok(())
}

/// The 16-bit forms; the three-bit register fields mean x8 to x15.
fn compressed(instruction: &Instruction, word: u32, state: &mut State) -> Result<(), Refusal> {
    let full = field(word, 7, 5);
    let source = field(word, 2, 5);
    let upper = 8 + field(word, 7, 3);
    let lower = 8 + field(word, 2, 3);
    let immediate = field(word, 12, 1) << 5 | source;
    let constant = Term::constant(BITS, signed(immediate, 6) as u128);
    let (target, value) = match instruction.mnemonic.as_str() {
        "c.mv" => (full, read(state, source)),
        "c.li" => (full, constant),
        "c.lui" => (full, constant.shl(12)),
        "c.addi" => (full, read(state, full).add(&constant)),
        "c.addiw" => (full, read(state, full).add(&constant).extract(0, 32).sign_extend(BITS)),
        "c.add" => (full, read(state, full).add(&read(state, source))),
        "c.slli" => (full, read(state, full).shl(immediate)),
        "c.srli" => (upper, read(state, upper).shr(immediate)),
        "c.srai" => {
            let count = Term::constant(BITS, immediate.into());
            (upper, read(state, upper).shift_right_signed(&count))
        }
        "c.andi" => (upper, read(state, upper).and(&constant)),
        "c.and" => (upper, read(state, upper).and(&read(state, lower))),
        "c.or" => (upper, read(state, upper).or(&read(state, lower))),
        "c.xor" => (upper, read(state, upper).xor(&read(state, lower))),
        "c.sub" => (upper, read(state, upper).sub(&read(state, lower))),
        "c.lw" => {
            let offset = field(word, 10, 3) << 3 | field(word, 6, 1) << 2 | field(word, 5, 1) << 6;
            let address = read(state, upper).add(&Term::constant(BITS, offset.into()));
            (lower, state.load(&address, 32)?.sign_extend(BITS))
        }
        "c.ld" => (lower, state.load(&doubleword_address(state, word), 64)?),
        "c.sd" => return state.store(&doubleword_address(state, word), &read(state, lower)),
        "c.sw" => {
            let offset = field(word, 10, 3) << 3 | field(word, 6, 1) << 2 | field(word, 5, 1) << 6;
            let address = read(state, upper).add(&Term::constant(BITS, offset.into()));
            let value = read(state, lower).extract(0, 32);
            return state.store(&address, &value);
        }
        _ => return Err(unsupported(instruction)),
    };
    write(state, target, value);
    Ok(())
}

fn doubleword_address(state: &State, word: u32) -> Term {
    let offset = field(word, 10, 3) << 3 | field(word, 5, 2) << 6;
    read(state, 8 + field(word, 7, 3)).add(&Term::constant(BITS, offset.into()))
}
