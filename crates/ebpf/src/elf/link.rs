// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Linking: one function with all that it uses becomes a program, and references to symbols become what the library takes.

use super::{
    is_map_section, ElfError, Program, Reader, Reference, PROGRAM_SLOTS_MAX, RECORD_BYTES, R_BPF_64_64,
};
use crate::slot::slot_at;
use crate::SLOT_BYTES;
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{SectionIndex, SectionKind, SymbolKind};
use std::collections::HashMap;

const R_BPF_64_32: u32 = 10;
const OP_LDDW: u8 = 0x18;
const OP_CALL: u8 = 0x85;
const CALL_LOCAL: u8 = 1;
const CALL_KERNEL_FUNCTION: u8 = 2;
const CODE_ADDRESS: u8 = 4;
const MAP_BY_INDEX: u8 = 5;
const MAP_VALUE_BY_INDEX: u8 = 6;

/// A call of a function, or an `lddw` of its address.
struct FunctionUse {
    slot: usize,
    function: usize,
    /// What the instruction's src field becomes: CALL_LOCAL or CODE_ADDRESS.
    src: u8,
}

impl Reader<'_> {
    /// Links function `entry` and all functions that it uses, directly or indirectly, into one program.
    pub(super) fn link(&self, entry: usize) -> Result<Program, ElfError> {
        let mut unresolved = None;
        let mut placed: HashMap<usize, usize> = HashMap::new(); // function, first slot
        let mut code: Vec<u8> = Vec::new();
        let mut uses: Vec<FunctionUse> = Vec::new();
        let mut waiting = vec![entry];
        while let Some(index) = waiting.pop() {
            if placed.contains_key(&index) {
                continue;
            }
            let first = code.len() / SLOT_BYTES;
            placed.insert(index, first);
            self.count(self.functions[index].code.len())?;
            code.extend_from_slice(self.functions[index].code);
            if code.len() > PROGRAM_SLOTS_MAX * SLOT_BYTES {
                return Err(ElfError::TooLarge(self.functions[entry].name.clone()));
            }
            for found in self.resolve(index, &mut code[first * SLOT_BYTES..], &mut unresolved)? {
                waiting.push(found.function);
                uses.push(FunctionUse { slot: first + found.slot, ..found });
            }
        }
        for FunctionUse { slot, function, src } in uses {
            let target = placed[&function];
            let mut user = slot_at(&mut code, slot, self.order).expect("the slot was just read");
            user.set_src(src);
            user.set_imm(target as i32 - slot as i32 - 1);
        }
        let function = &self.functions[entry];
        let unresolved: Option<String> = unresolved.map(|error: ElfError| error.to_string());
        let (name, section) = (function.name.clone(), self.section_name(function.section).to_owned());
        let reason_bytes = unresolved.as_ref().map_or(0, String::len);
        self.count(name.len() + section.len() + reason_bytes + RECORD_BYTES)?;
        Ok(Program { name, section, bytecode: code, unresolved })
    }

    /// Resolves the references of a function in `code`, a copy of its code; returns its uses of functions. The first
    /// reference that only a kernel could resolve is stored in `unresolved`.
    fn resolve(
        &self,
        index: usize,
        code: &mut [u8],
        unresolved: &mut Option<ElfError>,
    ) -> Result<Vec<FunctionUse>, ElfError> {
        let function = &self.functions[index];
        let mut uses = Vec::new();
        let mut slot = 0;
        while let Some(mut insn) = slot_at(code, slot, self.order) {
            let place = function.start + slot * SLOT_BYTES;
            let reference = self.references.get(&(function.section.0, place));
            let error = |reason: String| ElfError::Reference {
                function: function.name.clone(),
                instruction: slot,
                reason,
            };
            let opcode = insn.opcode();
            let calls = |function| FunctionUse { slot, function, src: CALL_LOCAL };
            match reference {
                Some(reference) if self.is_extern(reference) => {
                    if opcode == OP_CALL {
                        insn.set_src(CALL_KERNEL_FUNCTION);
                    }
                    unresolved.get_or_insert_with(|| error(self.needs_a_kernel(reference, opcode)));
                }
                Some(reference) if reference.kind == R_BPF_64_64 && self.is_to_code(reference) => {
                    let function = self.code_reference(reference, insn.imm()).map_err(error)?;
                    if opcode != OP_LDDW {
                        return Err(error(format!("the address of a function in opcode {opcode:#x}")));
                    }
                    uses.push(FunctionUse { slot, function, src: CODE_ADDRESS });
                }
                Some(reference) if reference.kind == R_BPF_64_64 && opcode == OP_LDDW => {
                    let (src, imm, next) = self.data_reference(reference, insn.imm()).map_err(error)?;
                    insn.set_src(src);
                    insn.set_imm(imm as i32);
                    match slot_at(code, slot + 1, self.order) {
                        Some(mut second) => second.set_imm(next as i32),
                        None => return Err(error("the lddw is cut off at the function's end".into())),
                    }
                }
                Some(reference) if reference.kind == R_BPF_64_32 && opcode == OP_CALL => {
                    uses.push(calls(self.call_reference(reference, insn.imm()).map_err(error)?));
                }
                Some(reference) => {
                    return Err(error(format!(
                        "relocation type {} on opcode {opcode:#x} is not known",
                        reference.kind
                    )))
                }
                None if opcode == OP_CALL && insn.src() == CALL_LOCAL => {
                    let target = (place / SLOT_BYTES) as i64 + 1 + i64::from(insn.imm());
                    uses.push(calls(self.function_at(function.section, target).map_err(error)?));
                }
                None => {}
            }
            slot += if opcode == OP_LDDW { 2 } else { 1 };
        }
        Ok(uses)
    }

    /// Whether this object does not define the symbol.
    fn is_extern(&self, reference: &Reference) -> bool {
        self.file.symbol_by_index(reference.symbol).is_ok_and(|symbol| symbol.is_undefined())
    }

    fn needs_a_kernel(&self, reference: &Reference, opcode: u8) -> String {
        let symbol = self.file.symbol_by_index(reference.symbol);
        let name = symbol.map_or("?".to_owned(), |symbol| self.shown_name(&symbol));
        if opcode == OP_CALL {
            format!("calls {name}, an extern function: kernel functions (kfuncs) do not exist here")
        } else {
            format!("refers to {name}, an extern variable (ksym or kconfig): there is no kernel to supply it")
        }
    }

    fn is_to_code(&self, reference: &Reference) -> bool {
        let section =
            self.file.symbol_by_index(reference.symbol).ok().and_then(|symbol| symbol.section_index());
        section.is_some_and(|section| {
            self.file.section_by_index(section).is_ok_and(|section| section.kind() == SectionKind::Text)
        })
    }

    /// The function whose address an lddw loads: the symbol's address plus the immediate, in bytes.
    fn code_reference(&self, reference: &Reference, imm: i32) -> Result<usize, String> {
        let symbol = self.file.symbol_by_index(reference.symbol).map_err(|error| error.to_string())?;
        let place = (symbol.address() as i64).wrapping_add(i64::from(imm));
        let section = symbol.section_index().ok_or("refers to no section")?;
        if place % SLOT_BYTES as i64 != 0 {
            return Err(format!("the address of byte {place} of section {}", self.section_name(section)));
        }
        self.function_at(section, place / SLOT_BYTES as i64)
    }

    fn function_at(&self, section: SectionIndex, slot: i64) -> Result<usize, String> {
        let index = usize::try_from(slot).ok().and_then(|slot| self.function_index.get(&(section.0, slot)));
        index.copied().ok_or_else(|| {
            format!(
                "uses instruction {slot} of section {}, where no function starts",
                self.section_name(section)
            )
        })
    }

    fn call_reference(&self, reference: &Reference, imm: i32) -> Result<usize, String> {
        let symbol = self.file.symbol_by_index(reference.symbol).map_err(|error| error.to_string())?;
        let section = symbol.section_index().ok_or("refers to no section")?;
        let slot = (symbol.address() / SLOT_BYTES as u64) as i64;
        self.function_at(section, slot.wrapping_add(i64::from(imm)).wrapping_add(1))
    }

    /// lddw fields for a reference to a map or a variable: src, imm, next_imm.
    fn data_reference(&self, reference: &Reference, addend: i32) -> Result<(u8, u32, u32), String> {
        let symbol = self.file.symbol_by_index(reference.symbol).map_err(|error| error.to_string())?;
        let section = symbol.section_index().ok_or("refers to no section")?;
        let section_name = self.section_name(section);
        if is_map_section(section_name) {
            let offset = if symbol.kind() == SymbolKind::Section { addend as u64 } else { symbol.address() };
            let map = self
                .map_index
                .get(&(section.0, offset))
                .ok_or_else(|| format!("refers to no map in {section_name}"))?;
            return Ok((MAP_BY_INDEX, *map as u32, 0));
        }
        let map = self.map_index.get(&(section.0, 0)).ok_or_else(|| {
            let name = self.shown_name(&symbol);
            format!("refers to {name} in section {section_name}: only maps, .rodata, .data and .bss can be referred to")
        })?;
        let offset = (symbol.address() as u32).wrapping_add(addend as u32);
        Ok((MAP_VALUE_BY_INDEX, *map as u32, offset))
    }
}
