// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The state that instructions work on: registers and a small memory, both of terms.
//!
//! Memory is modelled as bytes at (variable, constant offset). An address of any other form is refused, and so is a load or
//! store that could alias an earlier store through another variable. That suffices for straight-line code with few stores.

use std::collections::BTreeMap;

use arch::Arch;

use crate::term::Term;

/// Registers and memory during symbolic execution.
#[derive(Clone, Debug)]
pub struct State {
    arch: Arch,
    registers: BTreeMap<String, Term>,
    memory: BTreeMap<(String, i64), Term>,
    fresh_count: u32,
}

impl State {
    /// A state in which every register and byte is a free variable, named after the register or byte.
    pub fn new(arch: Arch) -> State {
        State { arch, registers: BTreeMap::new(), memory: BTreeMap::new(), fresh_count: 0 }
    }

    /// The architecture.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Bits in a general register.
    pub fn word(&self) -> u32 {
        self.arch.word_bits()
    }

    /// A register of the given width.
    pub fn read(&self, name: &str, bits: u32) -> Term {
        match self.registers.get(name) {
            Some(term) => term.clone(),
            None => Term::variable(bits, name),
        }
    }

    /// Sets a register.
    pub fn write(&mut self, name: &str, value: Term) {
        self.registers.insert(name.to_owned(), value);
    }

    /// A value that the ISA leaves undefined: a fresh variable, so that no proof can depend on it.
    pub fn undefined(&mut self, bits: u32) -> Term {
        self.fresh_count += 1;
        Term::variable(bits, &format!("undefined{}", self.fresh_count))
    }

    /// The registers written so far.
    pub fn written(&self) -> impl Iterator<Item = (&str, &Term)> {
        self.registers.iter().map(|(name, term)| (name.as_str(), term))
    }

    /// The bytes written so far: base variable, offset, value.
    pub fn stored(&self) -> impl Iterator<Item = (&str, i64, &Term)> {
        self.memory.iter().map(|((base, offset), term)| (base.as_str(), *offset, term))
    }

    /// The byte at an offset from a base variable: the value stored there, or a free variable if there was no store.
    pub fn byte(&self, base: &str, offset: i64) -> Term {
        match self.memory.get(&(base.to_owned(), offset)) {
            Some(term) => term.clone(),
            None => Term::variable(8, &format!("memory[{base}{offset:+}]")),
        }
    }

    fn locate(&self, address: &Term) -> Result<(String, i64), String> {
        let (base, offset) =
            address.as_offset().ok_or("its address is not a register's first value plus a constant")?;
        match self.memory.keys().find(|(written, _)| written != base) {
            Some((written, _)) => Err(format!(
                "it accesses memory through {base} after a store through {written}, which could be the same place"
            )),
            None => Ok((base.to_owned(), offset)),
        }
    }

    /// Loads `bits` bits in the machine's byte order.
    pub fn load(&self, address: &Term, bits: u32) -> Result<Term, String> {
        let (base, offset) = self.locate(address)?;
        let bytes: Vec<Term> = (0..i64::from(bits / 8)).map(|i| self.byte(&base, offset + i)).collect();
        let value = Term::join(&bytes);
        Ok(if self.arch.big_endian() { value } else { value.reverse_bytes() })
    }

    /// Stores a value of whole bytes in the machine's byte order.
    pub fn store(&mut self, address: &Term, value: &Term) -> Result<(), String> {
        let (base, offset) = self.locate(address)?;
        let count = value.bits() / 8;
        for i in 0..count {
            let low = if self.arch.big_endian() { 8 * (count - 1 - i) } else { 8 * i };
            self.memory.insert((base.clone(), offset + i64::from(i)), value.extract(low, 8));
        }
        Ok(())
    }
}
