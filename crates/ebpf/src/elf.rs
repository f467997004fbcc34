// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! ELF objects as `clang -target bpf -c` and `-target bpfeb` write them.
//!
//! Each global function is a program. It is put together with the functions that it calls, directly or not, each once,
//! the way libbpf does it: their code one after the other, calls pointing from slot to slot. References to maps and to
//! data sections become `lddw` kinds 5 and 6 with the index of a [`MapDefinition`]; a data section is an array map of
//! one value. Relocation types: LLVM, docs/BPF relocation, `R_BPF_64_64` (1) and `R_BPF_64_32` (10).

use crate::btf::Btf;
use crate::maps::{MapDefinition, MapKind};
use crate::{ByteOrder, SLOT_BYTES};
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{RelocationFlags, RelocationTarget, SectionIndex, SectionKind, SymbolKind};
use std::collections::BTreeMap;

const R_BPF_64_64: u32 = 1;
const R_BPF_64_32: u32 = 10;
const OP_LDDW: u8 = 0x18;
const OP_CALL: u8 = 0x85;
const CALL_LOCAL: u8 = 1;
const MAP_BY_INDEX: u8 = 5;
const MAP_VALUE_BY_INDEX: u8 = 6;
/// The library's own limit of a program, in slots.
const PROGRAM_SLOTS_MAX: usize = 1 << 20;

/// Why an object cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// Not an ELF file, or a broken one.
    #[error("not a readable ELF object: {0}")]
    Read(#[from] object::read::Error),
    /// An ELF file for something else.
    #[error("an ELF object for {0}, not for BPF: compile with clang -target bpf (or bpfeb) -c")]
    NotBpf(String),
    /// No program in it.
    #[error("the object has no function: is it the output of clang -target bpf -c, with its symbol table?")]
    NoPrograms,
    /// A function's symbol does not describe code.
    #[error("function {name}: bytes {start} to {end} of section {section} are not whole instructions in it")]
    BadFunction {
        /// The function.
        name: String,
        /// Its section.
        section: String,
        /// Its symbol's value.
        start: u64,
        /// Value plus size.
        end: u64,
    },
    /// A reference that cannot be resolved.
    #[error("function {function}, instruction {instruction}: {reason}")]
    Reference {
        /// Where it is.
        function: String,
        /// Slot in the function.
        instruction: usize,
        /// What is wrong.
        reason: String,
    },
    /// Too much code.
    #[error("program {0} has more than {PROGRAM_SLOTS_MAX} instructions with the functions that it calls")]
    TooLarge(String),
}

/// One program, ready for [`crate::Vm::load`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The function's name.
    pub name: String,
    /// The section it is in, which for the kernel says what it attaches to.
    pub section: String,
    /// Its bytecode with that of its callees.
    pub bytecode: Vec<u8>,
}

/// A BPF object file.
#[derive(Debug)]
pub struct Object {
    /// The byte order of instructions and data.
    pub order: ByteOrder,
    /// Its programs, in the order of the symbol table.
    pub programs: Vec<Program>,
    /// Maps, by the index that `lddw` uses.
    pub maps: Vec<MapDefinition>,
    /// What each map starts with: empty, or a data section's contents.
    pub map_contents: Vec<Vec<u8>>,
}

struct Function<'d> {
    name: &'d str,
    section: SectionIndex,
    start: usize,
    code: &'d [u8],
    global: bool,
}

struct Reference {
    kind: u32,
    symbol: object::SymbolIndex,
}

struct Reader<'d> {
    file: object::File<'d>,
    order: ByteOrder,
    functions: Vec<Function<'d>>,
    references: BTreeMap<(usize, usize), Reference>,
    maps: Vec<MapDefinition>,
    map_contents: Vec<Vec<u8>>,
    /// (section, offset of the variable or 0) to map index.
    map_index: BTreeMap<(usize, u64), usize>,
}

impl Object {
    /// Reads an object file.
    pub fn parse(data: &[u8]) -> Result<Object, ElfError> {
        let file = object::File::parse(data)?;
        if file.architecture() != object::Architecture::Bpf {
            return Err(ElfError::NotBpf(format!("{:?}", file.architecture())));
        }
        let order = if file.is_little_endian() { ByteOrder::Little } else { ByteOrder::Big };
        let mut reader = Reader {
            file,
            order,
            functions: Vec::new(),
            references: BTreeMap::new(),
            maps: Vec::new(),
            map_contents: Vec::new(),
            map_index: BTreeMap::new(),
        };
        reader.read_functions()?;
        reader.read_references();
        reader.read_maps()?;
        let mut programs = Vec::new();
        for entry in (0..reader.functions.len()).filter(|index| reader.functions[*index].global) {
            programs.push(reader.link(entry)?);
        }
        if programs.is_empty() {
            return Err(ElfError::NoPrograms);
        }
        Ok(Object { order, programs, maps: reader.maps, map_contents: reader.map_contents })
    }
}

/// A slot's fields that linking reads and writes.
struct Slot<'c> {
    bytes: &'c mut [u8],
    order: ByteOrder,
}

impl Slot<'_> {
    fn opcode(&self) -> u8 {
        self.bytes[0]
    }

    fn src(&self) -> u8 {
        match self.order {
            ByteOrder::Little => self.bytes[1] >> 4,
            ByteOrder::Big => self.bytes[1] & 15,
        }
    }

    fn set_src(&mut self, src: u8) {
        self.bytes[1] = match self.order {
            ByteOrder::Little => self.bytes[1] & 0x0f | src << 4,
            ByteOrder::Big => self.bytes[1] & 0xf0 | src,
        };
    }

    fn imm(&self) -> i32 {
        let bytes = self.bytes[4..8].try_into().expect("a slot has 8 bytes");
        match self.order {
            ByteOrder::Little => i32::from_le_bytes(bytes),
            ByteOrder::Big => i32::from_be_bytes(bytes),
        }
    }

    fn set_imm(&mut self, imm: i32) {
        self.bytes[4..8].copy_from_slice(&match self.order {
            ByteOrder::Little => imm.to_le_bytes(),
            ByteOrder::Big => imm.to_be_bytes(),
        });
    }
}

fn slot_at(code: &mut [u8], slot: usize, order: ByteOrder) -> Option<Slot<'_>> {
    let bytes = code.get_mut(slot * SLOT_BYTES..(slot + 1) * SLOT_BYTES)?;
    Some(Slot { bytes, order })
}

impl<'d> Reader<'d> {
    fn section_name(&self, section: SectionIndex) -> String {
        self.file
            .section_by_index(section)
            .ok()
            .and_then(|section| section.name().ok().map(str::to_owned))
            .unwrap_or_default()
    }

    fn read_functions(&mut self) -> Result<(), ElfError> {
        for symbol in self.file.symbols() {
            let Some(index) = symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Text) else {
                continue;
            };
            let section = self.file.section_by_index(index)?;
            if section.kind() != SectionKind::Text {
                continue;
            }
            let name = symbol.name()?;
            if symbol.size() == 0 && !symbol.is_global() {
                continue; // a label, not a function
            }
            let data = section.data()?;
            let (start, end) = (symbol.address(), symbol.address().wrapping_add(symbol.size()));
            let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            let code = range.and_then(|(start, end)| data.get(start..end)).filter(|code| {
                !code.is_empty() && code.len() % SLOT_BYTES == 0 && start % SLOT_BYTES as u64 == 0
            });
            let Some(code) = code else {
                let section = self.section_name(index);
                return Err(ElfError::BadFunction { name: name.to_owned(), section, start, end });
            };
            let start = start as usize;
            self.functions.push(Function { name, section: index, start, code, global: symbol.is_global() });
        }
        Ok(())
    }

    fn read_references(&mut self) {
        for section in self.file.sections().filter(|section| section.kind() == SectionKind::Text) {
            for (offset, relocation) in section.relocations() {
                let (RelocationTarget::Symbol(symbol), RelocationFlags::Elf { r_type }) =
                    (relocation.target(), relocation.flags())
                else {
                    continue;
                };
                let key = (section.index().0, offset as usize);
                self.references.insert(key, Reference { kind: r_type, symbol });
            }
        }
    }

    fn add_map(&mut self, key: (usize, u64), map: MapDefinition, contents: Vec<u8>) {
        self.map_index.insert(key, self.maps.len());
        self.maps.push(map);
        self.map_contents.push(contents);
    }

    fn read_maps(&mut self) -> Result<(), ElfError> {
        let sections: Vec<(SectionIndex, String)> = self
            .file
            .sections()
            .map(|section| (section.index(), self.section_name(section.index())))
            .collect();
        for (index, name) in sections {
            if name == ".maps" || name == "maps" {
                self.read_map_section(index, name == "maps")?;
            } else if [".rodata", ".data", ".bss"].iter().any(|prefix| name.starts_with(prefix)) {
                self.read_data_section(index, name)?;
            }
        }
        Ok(())
    }

    fn read_data_section(&mut self, index: SectionIndex, name: String) -> Result<(), ElfError> {
        let section = self.file.section_by_index(index)?;
        let mut contents = section.data()?.to_vec();
        let Ok(bytes) = u32::try_from(section.size()) else {
            return Err(ElfError::NotBpf(format!("a data section {name} of more than 4 GB")));
        };
        if contents.is_empty() && bytes <= 1 << 20 {
            contents.resize(bytes as usize, 0); // .bss
        }
        let map = MapDefinition {
            name,
            kind: MapKind::Array,
            key_bytes: 4,
            value_bytes: bytes,
            entries: u32::from(bytes > 0),
        };
        self.add_map((index.0, 0), map, contents);
        Ok(())
    }

    fn read_map_section(&mut self, index: SectionIndex, legacy: bool) -> Result<(), ElfError> {
        let file_btf = self.file.section_by_name(".BTF");
        let btf_data = file_btf.map(|section| section.data()).transpose()?.unwrap_or_default();
        let btf = Btf::parse(btf_data, self.order);
        let data = self.file.section_by_index(index)?.data()?;
        let mut found = Vec::new();
        for symbol in self.file.symbols().filter(|symbol| symbol.section_index() == Some(index)) {
            if symbol.kind() == SymbolKind::Section {
                continue;
            }
            let name = symbol.name()?;
            let definition = match &btf {
                _ if legacy => legacy_map(name, data, symbol.address(), self.order),
                Some(btf) => btf.map(name),
                None => None,
            };
            let definition = definition.ok_or_else(|| ElfError::Reference {
                function: name.to_owned(),
                instruction: 0,
                reason:
                    "this map's definition cannot be read (its BTF is missing or broken: compile with -g)"
                        .into(),
            })?;
            found.push((symbol.address(), definition));
        }
        for (offset, definition) in found {
            self.add_map((index.0, offset), definition, Vec::new());
        }
        Ok(())
    }

    /// The program of function `entry` and all that it calls.
    fn link(&self, entry: usize) -> Result<Program, ElfError> {
        let mut placed: Vec<(usize, usize)> = Vec::new(); // function, first slot
        let mut code: Vec<u8> = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new(); // slot, callee
        let mut waiting = vec![entry];
        while let Some(index) = waiting.pop() {
            if placed.iter().any(|(function, _)| *function == index) {
                continue;
            }
            let first = code.len() / SLOT_BYTES;
            placed.push((index, first));
            code.extend_from_slice(self.functions[index].code);
            if code.len() > PROGRAM_SLOTS_MAX * SLOT_BYTES {
                return Err(ElfError::TooLarge(self.functions[entry].name.to_owned()));
            }
            for (slot, callee) in self.resolve(index, &mut code[first * SLOT_BYTES..])? {
                calls.push((first + slot, callee));
                waiting.push(callee);
            }
        }
        for (slot, callee) in calls {
            let target =
                placed.iter().find(|(function, _)| *function == callee).map_or(0, |(_, first)| *first);
            let mut call = slot_at(&mut code, slot, self.order).expect("the slot was just read");
            call.set_src(CALL_LOCAL);
            call.set_imm(target as i32 - slot as i32 - 1);
        }
        let function = &self.functions[entry];
        Ok(Program {
            name: function.name.to_owned(),
            section: self.section_name(function.section),
            bytecode: code,
        })
    }

    /// Resolves the references of a function in its copied code; returns its local calls as (slot, callee).
    fn resolve(&self, index: usize, code: &mut [u8]) -> Result<Vec<(usize, usize)>, ElfError> {
        let function = &self.functions[index];
        let mut calls = Vec::new();
        let mut slot = 0;
        while let Some(mut insn) = slot_at(code, slot, self.order) {
            let place = function.start + slot * SLOT_BYTES;
            let reference = self.references.get(&(function.section.0, place));
            let error = |reason: String| ElfError::Reference {
                function: function.name.to_owned(),
                instruction: slot,
                reason,
            };
            let opcode = insn.opcode();
            match reference {
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
                    calls.push((slot, self.call_reference(reference, insn.imm()).map_err(error)?));
                }
                Some(reference) => {
                    return Err(error(format!(
                        "relocation type {} on opcode {opcode:#x} is not known",
                        reference.kind
                    )))
                }
                None if opcode == OP_CALL && insn.src() == CALL_LOCAL => {
                    let target = (place / SLOT_BYTES) as i64 + 1 + i64::from(insn.imm());
                    calls.push((slot, self.function_at(function.section, target).map_err(error)?));
                }
                None => {}
            }
            slot += if opcode == OP_LDDW { 2 } else { 1 };
        }
        Ok(calls)
    }

    fn function_at(&self, section: SectionIndex, slot: i64) -> Result<usize, String> {
        self.functions
            .iter()
            .position(|function| function.section == section && (function.start / SLOT_BYTES) as i64 == slot)
            .ok_or_else(|| format!("a call to instruction {slot} of its section, where no function starts"))
    }

    fn call_reference(&self, reference: &Reference, imm: i32) -> Result<usize, String> {
        let symbol = self.file.symbol_by_index(reference.symbol).map_err(|error| error.to_string())?;
        let name = symbol.name().unwrap_or("?");
        let section =
            symbol.section_index().ok_or_else(|| format!("calls {name}, which is not in the object"))?;
        let slot = (symbol.address() / SLOT_BYTES as u64) as i64;
        self.function_at(section, slot.wrapping_add(i64::from(imm)).wrapping_add(1))
    }

    /// lddw fields for a reference to a map or a variable: src, imm, next_imm.
    fn data_reference(&self, reference: &Reference, addend: i32) -> Result<(u8, u32, u32), String> {
        let symbol = self.file.symbol_by_index(reference.symbol).map_err(|error| error.to_string())?;
        let name = symbol.name().unwrap_or("?");
        let section =
            symbol.section_index().ok_or_else(|| format!("refers to {name}, which is not in the object"))?;
        let section_name = self.section_name(section);
        if section_name == ".maps" || section_name == "maps" {
            let offset = if symbol.kind() == SymbolKind::Section { addend as u64 } else { symbol.address() };
            let map = self
                .map_index
                .get(&(section.0, offset))
                .ok_or_else(|| format!("refers to no map in {section_name}"))?;
            return Ok((MAP_BY_INDEX, *map as u32, 0));
        }
        let map = self.map_index.get(&(section.0, 0)).ok_or_else(|| {
            format!("refers to {name} in section {section_name}: only maps, .rodata, .data and .bss can be referred to")
        })?;
        let offset = (symbol.address() as u32).wrapping_add(addend as u32);
        Ok((MAP_VALUE_BY_INDEX, *map as u32, offset))
    }
}

/// `struct bpf_map_def` of older programs: type, key_size, value_size, max_entries, flags.
fn legacy_map(name: &str, data: &[u8], at: u64, order: ByteOrder) -> Option<MapDefinition> {
    let at = usize::try_from(at).ok()?;
    let field = |index: usize| {
        let bytes: [u8; 4] =
            data.get(at.checked_add(index * 4)?..at.checked_add(index * 4 + 4)?)?.try_into().ok()?;
        Some(match order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    };
    Some(MapDefinition {
        name: name.to_owned(),
        kind: MapKind::from_number(field(0)?),
        key_bytes: field(1)?,
        value_bytes: field(2)?,
        entries: field(3)?,
    })
}
