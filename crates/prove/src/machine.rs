// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The state that instructions work on: registers and a small memory, both of terms.
//!
//! Memory is modelled as bytes at (variable, constant offset). An address of any other form is refused, and so is a load or
//! store that could alias an earlier store through another variable. That suffices for straight-line code with few stores.
//!
//! A signal may arrive between any two instructions, and its handler uses the stack below the red zone. So what lies there is
//! undefined to a load, for ever what lay there once, and stores there are remembered.

use std::collections::{BTreeMap, BTreeSet};

use arch::Arch;

use crate::abi::Abi;
use crate::term::Term;

/// Registers and memory during symbolic execution.
#[derive(Clone, Debug)]
pub struct State {
    arch: Arch,
    registers: BTreeMap<String, Term>,
    memory: BTreeMap<(String, i64), Term>,
    abi: Abi,
    /// Bytes read so far: base variable, offset.
    loaded: BTreeSet<(String, i64)>,
    /// Offsets from the stack pointer at entry that were below the red zone when something was stored there.
    unprotected: BTreeSet<i64>,
    fresh_count: u32,
}

impl State {
    /// A state in which every register and byte is a free variable, named after the register or byte.
    pub fn new(arch: Arch) -> State {
        State {
            arch,
            registers: BTreeMap::new(),
            memory: BTreeMap::new(),
            abi: Abi::of(arch),
            loaded: BTreeSet::new(),
            unprotected: BTreeSet::new(),
            fresh_count: 0,
        }
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

    /// Sets a register. What the stack pointer leaves below the red zone is lost.
    pub fn write(&mut self, name: &str, value: Term) {
        self.registers.insert(name.to_owned(), value);
        if name == self.abi.stack_pointer {
            let is_lost = |(base, offset): &&(String, i64)| self.is_below_red_zone(base, *offset);
            let lost: Vec<_> = self.memory.keys().filter(is_lost).cloned().collect();
            for place in lost {
                let byte = self.undefined(8);
                self.memory.insert(place, byte);
            }
        }
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

    /// The bytes read so far: base variable, offset.
    pub fn loaded(&self) -> impl Iterator<Item = (&str, i64)> {
        self.loaded.iter().map(|(base, offset)| (base.as_str(), *offset))
    }

    /// Whether nothing was stored at this offset from the stack pointer at entry while it lay below the red zone.
    pub fn protected(&self, offset: i64) -> bool {
        !self.unprotected.contains(&offset)
    }

    /// Whether a byte is below the red zone now. Of a stack pointer that was not moved by a constant nothing is known, so all of
    /// the stack is.
    fn is_below_red_zone(&self, base: &str, offset: i64) -> bool {
        if base != self.abi.stack_pointer {
            return false;
        }
        match self.read(self.abi.stack_pointer, self.word()).as_offset() {
            Some((pointer, moved)) if pointer == base => {
                offset < moved.saturating_sub(self.abi.red_zone_bytes)
            }
            _ => true,
        }
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
    pub fn load(&mut self, address: &Term, bits: u32) -> Result<Term, String> {
        let (base, offset) = self.locate(address)?;
        self.loaded.extend((offset..offset + i64::from(bits / 8)).map(|at| (base.clone(), at)));
        let byte =
            |at| if self.is_below_red_zone(&base, at) { self.undefined(8) } else { self.byte(&base, at) };
        let bytes: Vec<Term> = (offset..offset + i64::from(bits / 8)).map(byte).collect();
        let value = Term::join(&bytes);
        Ok(if self.arch.big_endian() { value } else { value.reverse_bytes() })
    }

    /// Stores a value of whole bytes in the machine's byte order.
    pub fn store(&mut self, address: &Term, value: &Term) -> Result<(), String> {
        let (base, offset) = self.locate(address)?;
        let count = value.bits() / 8;
        for i in 0..count {
            let low = if self.arch.big_endian() { 8 * (count - 1 - i) } else { 8 * i };
            let at = offset + i64::from(i);
            if self.is_below_red_zone(&base, at) {
                self.unprotected.insert(at);
            }
            self.memory.insert((base.clone(), at), value.extract(low, 8));
        }
        Ok(())
    }
}
