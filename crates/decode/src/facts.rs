// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The facts of one instruction while they are collected.

use crate::instruction::{Flow, Role, Write};
use crate::registers::{Mapping, Register};

/// What an `Instruction` says beyond its encoding and names. Lists hold each register once.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) address_reads: Vec<Register>,
    pub(crate) store_reads: Vec<Register>,
    pub(crate) reads: Vec<Register>,
    pub(crate) writes: Vec<Write>,
    pub(crate) load: bool,
    pub(crate) store: bool,
    pub(crate) access_bytes: u16,
    pub(crate) flow: Option<Flow>,
    pub(crate) conditional: bool,
    /// The ISA's own instruction for doing nothing.
    pub(crate) no_operation: bool,
}

fn add(list: &mut Vec<Register>, register: Register) {
    if !list.contains(&register) {
        list.push(register);
    }
}

impl Facts {
    pub(crate) fn read(&mut self, number: u16) {
        add(&mut self.reads, Register(number));
    }

    pub(crate) fn read_all(&mut self, mapping: &Mapping) {
        mapping.registers.iter().for_each(|&register| add(&mut self.reads, register));
    }

    pub(crate) fn address(&mut self, mapping: &Mapping) {
        mapping.registers.iter().for_each(|&register| add(&mut self.address_reads, register));
    }

    pub(crate) fn data(&mut self, mapping: &Mapping) {
        mapping.registers.iter().for_each(|&register| add(&mut self.store_reads, register));
    }

    /// The first role given to a register stays.
    pub(crate) fn write(&mut self, number: u16, role: Role) {
        let register = Register(number);
        if !self.writes.iter().any(|write| write.register == register) {
            self.writes.push(Write { register, role });
        }
    }

    /// A write of the whole register or of a part; the latter also reads it, since the rest is kept.
    pub(crate) fn write_all(&mut self, mapping: &Mapping, role: Role) {
        for &register in &mapping.registers {
            self.write(register.0, role);
            if mapping.partial {
                add(&mut self.reads, register);
            }
        }
    }

    pub(crate) fn no_write(&mut self, number: u16) {
        self.writes.retain(|write| write.register.0 != number);
    }

    pub(crate) fn no_read(&mut self, number: u16) {
        self.reads.retain(|register| register.0 != number);
    }

    /// Sets what kind of memory access it is, if it is one.
    pub(crate) fn access(&mut self, kind: Access, bytes: u16) {
        self.load = matches!(kind, Access::Load | Access::Both);
        self.store = matches!(kind, Access::Store | Access::Both);
        self.access_bytes = bytes;
    }

    /// A direct branch; without a target, an indirect jump.
    pub(crate) fn branch(&mut self, target: Option<u64>, conditional: bool) {
        self.flow = Some(target.map_or(Flow::Indirect, |target| Flow::Branch { target }));
        self.conditional = conditional;
    }
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Load,
    Store,
    /// An atomic or x86 read-modify-write.
    Both,
    /// A prefetch or cache operation: an address, and no data.
    Hint,
}
