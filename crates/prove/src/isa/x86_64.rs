// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! x86-64: moves, bswap, movbe, rotates and shifts by an immediate, logic.
//!
//! A 32-bit result clears the upper half of the register; an 8- or 16-bit one leaves the rest as it was. Flags are not
//! modelled, so nothing that reads them has semantics here.

use decode::Instruction;

use super::{unsupported, Refusal};
use crate::machine::State;
use crate::term::Term;

const NAMES: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];

/// An instruction's REX prefix, operand size and opcode, and the bytes after the opcode.
struct Encoding<'a> {
    rex: u8,
    bits: u32,
    opcode: u32,
    rest: &'a [u8],
}

/// The operand that ModRM describes.
enum Place {
    Register(usize),
    Memory(Term),
}

fn read(state: &State, register: usize, bits: u32) -> Term {
    state.read(NAMES[register], 64).extract(0, bits)
}

fn write(state: &mut State, register: usize, value: Term) {
    let bits = value.bits();
    let value = if bits >= 32 {
        value.zero_extend(64)
    } else {
        read(state, register, 64).extract(bits, 64 - bits).concat(&value)
    };
    state.write(NAMES[register], value);
}

impl<'a> Encoding<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Encoding<'a>> {
        let mut rest = bytes;
        let mut bits = 32;
        let mut rex = 0;
        if *rest.first()? == 0x66 {
            bits = 16;
            rest = &rest[1..];
        }
        if rest.first()? & 0xf0 == 0x40 {
            rex = rest[0];
            rest = &rest[1..];
        }
        if rex & 8 != 0 {
            bits = 64;
        }
        let mut opcode = u32::from(*rest.first()?);
        rest = &rest[1..];
        if opcode == 0x0f {
            opcode = 0x0f00 | u32::from(*rest.first()?);
            rest = &rest[1..];
            if opcode == 0x0f38 {
                opcode = 0x0f_3800 | u32::from(*rest.first()?);
                rest = &rest[1..];
            }
        }
        Some(Encoding { rex, bits, opcode, rest })
    }

    /// The register field, the place, and the bytes after ModRM, SIB and displacement.
    fn modrm(&self, state: &State) -> Option<(usize, Place, &'a [u8])> {
        let modrm = *self.rest.first()?;
        let mut rest = &self.rest[1..];
        let register = usize::from(modrm >> 3 & 7 | (self.rex & 4) << 1);
        let low = modrm & 7;
        if modrm >> 6 == 3 {
            return Some((register, Place::Register(usize::from(low | (self.rex & 1) << 3)), rest));
        }
        let mut base = low;
        if low == 4 {
            // Only SIB bytes without an index are known, which rsp as a base needs.
            let sib = *rest.first()?;
            rest = &rest[1..];
            if sib >> 3 & 7 != 4 || self.rex & 2 != 0 {
                return None;
            }
            base = sib & 7;
        }
        let displacement = match modrm >> 6 {
            0 if base == 5 => return None,
            0 => 0,
            1 => {
                let value = i64::from(*rest.first()? as i8);
                rest = &rest[1..];
                value
            }
            _ => {
                let value = i64::from(i32::from_le_bytes(rest.get(..4)?.try_into().ok()?));
                rest = &rest[4..];
                value
            }
        };
        let base = read(state, usize::from(base | (self.rex & 1) << 3), 64);
        Some((register, Place::Memory(base.add(&Term::constant(64, displacement as u128))), rest))
    }
}

fn load(state: &mut State, place: &Place, bits: u32) -> Result<Term, Refusal> {
    match place {
        Place::Register(register) => Ok(read(state, *register, bits)),
        Place::Memory(address) => state.load(address, bits),
    }
}

fn store(state: &mut State, place: &Place, value: Term) -> Result<(), Refusal> {
    match place {
        Place::Register(register) => {
            write(state, *register, value);
            Ok(())
        }
        Place::Memory(address) => state.store(address, &value),
    }
}

pub fn step(instruction: &Instruction, state: &mut State) -> Result<(), Refusal> {
    let bytes = &instruction.bytes[..usize::from(instruction.length)];
    let refuse = || unsupported(instruction);
    let encoding = Encoding::parse(bytes).ok_or_else(refuse)?;
    let bits = encoding.bits;
    if encoding.opcode & 0xfff8 == 0x0fc8 {
        let register = (encoding.opcode & 7) as usize | usize::from(encoding.rex & 1) << 3;
        if bits == 16 {
            return Err("the result of a 16-bit bswap is undefined".to_owned());
        }
        let value = read(state, register, bits).reverse_bytes();
        write(state, register, value);
        return Ok(());
    }
    let (register, place, rest) = encoding.modrm(state).ok_or_else(refuse)?;
    match encoding.opcode {
        0x89 => {
            let value = read(state, register, bits);
            store(state, &place, value)
        }
        0x8b | 0x0fb7 | 0x0fb6 => {
            let source = match encoding.opcode {
                0x8b => bits,
                0x0fb7 => 16,
                _ => 8,
            };
            // Without REX, byte registers 4 to 7 are ah, ch, dh, bh.
            if source == 8 && encoding.rex == 0 && matches!(place, Place::Register(4..)) {
                return Err(refuse());
            }
            let value = load(state, &place, source)?.zero_extend(bits);
            write(state, register, value);
            Ok(())
        }
        0x0f_38f0 => {
            let value = load(state, &place, bits)?.reverse_bytes();
            write(state, register, value);
            Ok(())
        }
        0x0f_38f1 => {
            let value = read(state, register, bits).reverse_bytes();
            store(state, &place, value)
        }
        0x09 | 0x21 | 0x31 | 0x01 | 0x0b | 0x23 | 0x33 | 0x03 => {
            let other = load(state, &place, bits)?;
            let own = read(state, register, bits);
            let value = match encoding.opcode & 0xfc {
                0x08 => other.or(&own),
                0x20 => other.and(&own),
                0x30 => other.xor(&own),
                _ => other.add(&own),
            };
            if encoding.opcode & 2 == 0 {
                store(state, &place, value)
            } else {
                write(state, register, value);
                Ok(())
            }
        }
        0xc1 | 0xd1 => {
            let count = match encoding.opcode {
                0xc1 => u32::from(*rest.first().ok_or_else(refuse)?),
                _ => 1,
            } & if bits == 64 { 63 } else { 31 };
            let old = load(state, &place, bits)?;
            let value = match register & 7 {
                0 => old.rotate_left(count),
                1 => old.rotate_left(bits - count % bits),
                4 => old.shl(count),
                5 => old.shr(count),
                _ => return Err(refuse()),
            };
            store(state, &place, value)
        }
        0x81 | 0x83 => {
            let immediate = match encoding.opcode {
                0x83 => i64::from(*rest.first().ok_or_else(refuse)? as i8),
                _ if bits == 16 => i64::from(i16::from_le_bytes(immediate_bytes(rest).ok_or_else(refuse)?)),
                _ => i64::from(i32::from_le_bytes(immediate_bytes(rest).ok_or_else(refuse)?)),
            };
            let immediate = Term::constant(bits, immediate as u128);
            let old = load(state, &place, bits)?;
            let value = match register & 7 {
                0 => old.add(&immediate),
                1 => old.or(&immediate),
                4 => old.and(&immediate),
                5 => old.sub(&immediate),
                6 => old.xor(&immediate),
                _ => return Err(refuse()),
            };
            store(state, &place, value)
        }
        _ => Err(refuse()),
    }
}

fn immediate_bytes<const N: usize>(rest: &[u8]) -> Option<[u8; N]> {
    rest.get(..N)?.try_into().ok()
}
