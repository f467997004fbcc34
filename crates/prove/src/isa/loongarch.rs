// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LoongArch, 64 bit: byte reversals, bit fields, shifts, logic, plain loads and stores.
//!
//! Results of `.w` forms and of revb.2h are sign-extended from 32 bits; revb.2w and revh.2w work on both words. JITs have
//! confused revb.2h with revb.2w.

use decode::Instruction;

use super::{field, signed, unsupported, word, Refusal};
use crate::machine::State;
use crate::term::Term;

const BITS: u32 = 64;

fn read(state: &State, number: u32) -> Term {
    match number {
        0 => Term::constant(BITS, 0),
        _ => state.read(&format!("r{number}"), BITS),
    }
}

fn write(state: &mut State, number: u32, value: Term) {
    if number != 0 {
        state.write(&format!("r{number}"), value);
    }
}

pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    let word = word(instruction, false);
    let mnemonic = instruction.mnemonic.as_str();
    let (d, j, k) = (field(word, 0, 5), field(word, 5, 5), field(word, 10, 5));
    if let Some(bits) = store_bits(mnemonic) {
        let address = read(state, j).add(&displacement(word));
        let value = read(state, d).extract(0, bits);
        return state.store(&address, &value);
    }
    if let Some((bits, extend_sign)) = load_kind(mnemonic) {
        let value = state.load(&read(state, j).add(&displacement(word)), bits)?;
        let value = if extend_sign { value.sign_extend(BITS) } else { value.zero_extend(BITS) };
        write(state, d, value);
        return Ok(());
    }
    let value = reverse(mnemonic, &read(state, j))
        .or_else(|| bit_field(mnemonic, word, &read(state, j), &read(state, d)))
        .or_else(|| immediate(mnemonic, word, &read(state, j)))
        .or_else(|| two_registers(mnemonic, &read(state, j), &read(state, k)))
        .ok_or_else(|| unsupported(instruction))?;
    write(state, d, value);
    Ok(())
}

fn displacement(word: u32) -> Term {
    Term::constant(BITS, signed(field(word, 10, 12), 12) as u128)
}

fn store_bits(mnemonic: &str) -> Option<u32> {
    Some(match mnemonic {
        "st.b" => 8,
        "st.h" => 16,
        "st.w" => 32,
        "st.d" => 64,
        _ => return None,
    })
}

fn load_kind(mnemonic: &str) -> Option<(u32, bool)> {
    Some(match mnemonic {
        "ld.b" => (8, true),
        "ld.bu" => (8, false),
        "ld.h" => (16, true),
        "ld.hu" => (16, false),
        "ld.w" => (32, true),
        "ld.wu" => (32, false),
        "ld.d" => (64, false),
        _ => return None,
    })
}

fn reverse(mnemonic: &str, j: &Term) -> Option<Term> {
    Some(match mnemonic {
        "revb.2h" => j.extract(0, 32).reverse_bytes_in(16).sign_extend(BITS),
        "revb.4h" => j.reverse_bytes_in(16),
        "revb.2w" => j.reverse_bytes_in(32),
        "revb.d" => j.reverse_bytes(),
        // Halfwords in reverse order: reverse all bytes, then again those of each halfword.
        "revh.2w" => j.reverse_bytes_in(32).reverse_bytes_in(16),
        "revh.d" => j.reverse_bytes().reverse_bytes_in(16),
        _ => return None,
    })
}

fn bit_field(mnemonic: &str, word: u32, j: &Term, d: &Term) -> Option<Term> {
    let count = if mnemonic.ends_with(".d") { 6 } else { 5 };
    let (high, low) = (field(word, 16, count), field(word, 10, count));
    if high < low {
        return None;
    }
    let bits = high - low + 1;
    let insert = |width: u32| {
        let hole = Term::constant(width, ((1u128 << bits) - 1) << low).not();
        let value = j.extract(0, bits).zero_extend(width).shl(low);
        d.extract(0, width).and(&hole).or(&value)
    };
    Some(match mnemonic {
        "bstrpick.d" => j.extract(low, bits).zero_extend(BITS),
        "bstrpick.w" => j.extract(low, bits).zero_extend(32).sign_extend(BITS),
        "bstrins.d" => insert(64),
        "bstrins.w" => insert(32).sign_extend(BITS),
        _ => return None,
    })
}

fn immediate(mnemonic: &str, word: u32, j: &Term) -> Option<Term> {
    let unsigned12 = Term::constant(BITS, field(word, 10, 12).into());
    let (shift64, shift32) = (field(word, 10, 6), field(word, 10, 5));
    let low = j.extract(0, 32);
    Some(match mnemonic {
        "slli.d" => j.shl(shift64),
        "srli.d" => j.shr(shift64),
        "srai.d" => j.shift_right_signed(&Term::constant(BITS, shift64.into())),
        "rotri.d" => j.rotate_left(64 - shift64),
        "slli.w" => low.shl(shift32).sign_extend(BITS),
        "srli.w" => low.shr(shift32).sign_extend(BITS),
        "rotri.w" => low.rotate_left(32 - shift32).sign_extend(BITS),
        "andi" => j.and(&unsigned12),
        "ori" => j.or(&unsigned12),
        "xori" => j.xor(&unsigned12),
        "addi.d" => j.add(&displacement(word)),
        "lu12i.w" => Term::constant(BITS, (signed(field(word, 5, 20), 20) << 12) as u128),
        "lu52i.d" => {
            let top = Term::constant(12, field(word, 10, 12).into());
            top.concat(&j.extract(0, 52))
        }
        _ => return None,
    })
}

fn two_registers(mnemonic: &str, j: &Term, k: &Term) -> Option<Term> {
    Some(match mnemonic {
        "and" => j.and(k),
        "or" => j.or(k),
        "xor" => j.xor(k),
        "nor" => j.or(k).not(),
        "andn" => j.and(&k.not()),
        "orn" => j.or(&k.not()),
        "add.d" => j.add(k),
        "sub.d" => j.sub(k),
        "sll.d" => j.shift_left(&k.extract(0, 6).zero_extend(BITS)),
        "srl.d" => j.shift_right(&k.extract(0, 6).zero_extend(BITS)),
        _ => return None,
    })
}
