// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What rename knows of an access before its address is known: which instruction it is of, and what names its bytes, which are
//! registers, scale and displacement. Where a register is written between a store and a load, both still have one name here; on
//! Zen 5 they no longer have.

use decode::{Instruction, Operand, Register};
use std::collections::HashMap;

/// The name of what is accessed in no place, or in more than one.
pub(crate) const NAMELESS: u32 = 0;
/// Of what is at the stack pointer, at any displacement: pushes and pops move it, and rename knows how far.
const ON_STACK: u32 = 1;

/// What rename knows of an instruction's accesses.
#[derive(Clone, Copy, Default)]
pub(crate) struct Named {
    /// The instruction, the same in every block that it stands in.
    pub(crate) place: u32,
    /// The name of its bytes.
    pub(crate) name: u32,
}

/// Of each instruction, by its number.
#[derive(Default)]
pub(super) struct Names {
    of: Vec<Named>,
    places: HashMap<u64, u32>,
    names: HashMap<(Vec<Register>, u8, i64), u32>,
}

impl Names {
    /// Of the next instruction; `stack` is the stack pointer.
    pub(super) fn add(&mut self, instruction: &Instruction, stack: Option<Register>) {
        let name = self.name(instruction, stack);
        let next = self.places.len() as u32;
        let place = *self.places.entry(instruction.address).or_insert(next);
        self.of.push(Named { place, name });
    }

    pub(super) fn of(&self, index: u32) -> Named {
        self.of.get(index as usize).copied().unwrap_or_default()
    }

    fn name(&mut self, instruction: &Instruction, stack: Option<Register>) -> u32 {
        let registers = &instruction.address_reads;
        if !registers.is_empty() && registers.iter().all(|&register| Some(register) == stack) {
            return ON_STACK;
        }
        let mut places = instruction.operands.iter().filter_map(|operand| match operand {
            Operand::Memory(address) => Some(address),
            _ => None,
        });
        let (Some(place), None) = (places.next(), places.next()) else {
            return NAMELESS;
        };
        // What counts from the next instruction is told apart by what it comes to.
        let from = if place.from_next { instruction.address + u64::from(instruction.length) } else { 0 };
        let displacement = place.displacement.wrapping_add(from as i64);
        let next = ON_STACK + 1 + self.names.len() as u32;
        *self.names.entry((registers.clone(), place.scale, displacement)).or_insert(next)
    }
}
