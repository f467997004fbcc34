// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! ELF objects as `clang -target bpf -c` and `-target bpfeb` write them.
//!
//! Each global function is a program. As in libbpf, it is linked with the functions that it calls, directly or indirectly:
//! the code of each is appended once, and calls become distances in slots. References to maps and to data sections become
//! `lddw` kinds 5 and 6 with the index of a [`MapDefinition`]; a data section is an array map of one value, in which
//! addresses of other variables are [`Pointer`]s. The address of a function becomes `lddw` kind 4, as in libbpf, and that
//! function is linked in as well. A program that needs an extern function or variable, which only a kernel could supply,
//! can be listed but not run; the object's other programs are not affected. Relocation types: LLVM, docs/BPF relocation,
//! `R_BPF_64_64` (1), `R_BPF_64_ABS64` (2), `R_BPF_64_32` (10).

mod data;

use crate::map::MapDefinition;
use crate::maps::Pointer;
use crate::slot::slot_at;
use crate::{ByteOrder, SLOT_BYTES};
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{RelocationFlags, RelocationTarget, SectionIndex, SectionKind, SymbolKind};
use std::collections::{BTreeMap, HashSet};

const R_BPF_NONE: u32 = 0;
const R_BPF_64_64: u32 = 1;
const R_BPF_64_ABS64: u32 = 2;
const R_BPF_64_32: u32 = 10;
const OP_LDDW: u8 = 0x18;
const OP_CALL: u8 = 0x85;
const CALL_LOCAL: u8 = 1;
const CALL_KERNEL_FUNCTION: u8 = 2;
const CODE_ADDRESS: u8 = 4;
const MAP_BY_INDEX: u8 = 5;
const MAP_VALUE_BY_INDEX: u8 = 6;
/// The library's limit on the size of a program, in slots.
const PROGRAM_SLOTS_MAX: usize = 1 << 20;

/// Why an object cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// Not an ELF file, or a broken one.
    #[error("not a readable ELF object: {0}")]
    Read(#[from] object::read::Error),
    /// An ELF file for another machine.
    #[error("an ELF object for {0}, not for BPF: compile with clang -target bpf (or bpfeb) -c")]
    NotBpf(String),
    /// No program in it.
    #[error("the object has no function: is it the output of clang -target bpf -c, with its symbol table?")]
    NoPrograms,
    /// Nothing but data in it.
    #[error("the object has no code, only data or maps: name the one that holds the programs")]
    NoCode,
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
        /// The function that contains it, or the map whose definition it is.
        function: String,
        /// Slot in the function.
        instruction: usize,
        /// What is wrong.
        reason: String,
    },
    /// An address in a data section that cannot be resolved.
    #[error("section {section}, byte {offset}: {reason}")]
    Data {
        /// The section.
        section: String,
        /// Byte offset of the address in the section.
        offset: u64,
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
    /// Its section, whose name tells a loader what the program attaches to.
    pub section: String,
    /// Its bytecode with that of its callees.
    pub bytecode: Vec<u8>,
    /// Why it cannot run, if so: the first reference that only a kernel could resolve. Such instructions stay as compiled,
    /// except that the src field of a call becomes 2 (a kernel function).
    pub unresolved: Option<String>,
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
    /// The initial contents of each map: none, or those of a data section.
    pub map_contents: Vec<Vec<u8>>,
    /// The addresses of variables in those contents.
    pub pointers: Vec<Pointer>,
    /// Number of CO-RE relocations, with which a loader patches the running kernel's field offsets into the code. They are
    /// not applied: the offsets remain those of the headers that the object was compiled with.
    pub co_re_relocations: u64,
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

/// A call of a function, or an `lddw` of its address.
struct FunctionUse {
    slot: usize,
    function: usize,
    /// What the instruction's src field becomes: CALL_LOCAL or CODE_ADDRESS.
    src: u8,
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

/// The bytes of e_machine in an ELF header of either class.
const E_MACHINE: std::ops::Range<usize> = 18..20;

/// Whether a section defines maps: `.maps` with BTF, `maps` with `struct bpf_map_def`s, or `maps/NAME` with one such struct
/// (for the loaders of gobpf and ply).
fn is_map_section(name: &str) -> bool {
    name == ".maps" || is_old_map_section(name)
}

fn is_old_map_section(name: &str) -> bool {
    name == "maps" || name.starts_with("maps/")
}

impl Object {
    /// Reads an object file.
    pub fn parse(data: &[u8]) -> Result<Object, ElfError> {
        let file = object::File::parse(data)?;
        // LLVM before version 3.9 did not know EM_BPF yet and left e_machine 0; libbpf accepts such objects, too.
        let of_no_machine = data.get(E_MACHINE).is_some_and(|bytes| bytes == [0, 0]);
        if file.architecture() != object::Architecture::Bpf && !of_no_machine {
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
        let pointers = reader.read_pointers()?;
        let mut programs = Vec::new();
        for entry in (0..reader.functions.len()).filter(|index| reader.functions[*index].global) {
            programs.push(reader.link(entry)?);
        }
        if programs.is_empty() {
            return Err(
                if reader
                    .file
                    .sections()
                    .any(|section| section.kind() == SectionKind::Text && section.size() > 0)
                {
                    ElfError::NoPrograms
                } else {
                    ElfError::NoCode
                },
            );
        }
        let co_re_relocations = reader.co_re_relocations();
        let (maps, map_contents) = (reader.maps, reader.map_contents);
        Ok(Object { order, programs, maps, map_contents, pointers, co_re_relocations })
    }
}

impl<'d> Reader<'d> {
    fn section_name(&self, section: SectionIndex) -> String {
        self.file
            .section_by_index(section)
            .ok()
            .and_then(|section| section.name().ok().map(str::to_owned))
            .unwrap_or_default()
    }

    /// The symbols that are functions, and the end address of each. clang before version 8 gave functions neither type nor
    /// size: in a code section without typed symbols, each global symbol is a function that extends to the next function or
    /// to the section's end.
    fn function_symbols(&self) -> Vec<(object::Symbol<'d, '_>, u64)> {
        let code = |symbol: &object::Symbol| {
            let section = self.file.section_by_index(symbol.section_index()?).ok()?;
            (section.kind() == SectionKind::Text).then_some(section.size())
        };
        let of_code = || self.file.symbols().filter_map(|symbol| code(&symbol).map(|bytes| (symbol, bytes)));
        let typed: HashSet<_> =
            of_code().filter(|(s, _)| s.kind() == SymbolKind::Text).map(|(s, _)| s.section_index()).collect();
        let is_function = |symbol: &object::Symbol| match symbol.kind() {
            SymbolKind::Text => symbol.size() != 0 || symbol.is_global(), // else a label
            SymbolKind::Unknown | SymbolKind::Label => {
                symbol.is_global() && symbol.size() == 0 && !typed.contains(&symbol.section_index())
            }
            _ => false,
        };
        let functions: Vec<_> = of_code().filter(|(symbol, _)| is_function(symbol)).collect();
        let ends: Vec<u64> = functions
            .iter()
            .map(|(symbol, section_bytes)| {
                let (start, section) = (symbol.address(), symbol.section_index());
                let behind = |other: &u64| *other > start;
                let others = functions.iter().filter(|(other, _)| other.section_index() == section);
                let next = others.map(|(other, _)| other.address()).filter(behind).min();
                match symbol.kind() {
                    SymbolKind::Text => start.wrapping_add(symbol.size()),
                    _ => next.unwrap_or(*section_bytes),
                }
            })
            .collect();
        functions.into_iter().map(|(symbol, _)| symbol).zip(ends).collect()
    }

    fn read_functions(&mut self) -> Result<(), ElfError> {
        let mut functions = Vec::new();
        for (symbol, end) in self.function_symbols() {
            let index = symbol.section_index().expect("it is in a section");
            let data = self.file.section_by_index(index)?.data()?;
            let (name, start) = (symbol.name()?, symbol.address());
            let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            let code = range.and_then(|(start, end)| data.get(start..end)).filter(|code| {
                !code.is_empty() && code.len() % SLOT_BYTES == 0 && start % SLOT_BYTES as u64 == 0
            });
            let Some(code) = code else {
                let section = self.section_name(index);
                return Err(ElfError::BadFunction { name: name.to_owned(), section, start, end });
            };
            let start = start as usize;
            functions.push(Function { name, section: index, start, code, global: symbol.is_global() });
        }
        // A code section without a function symbol is one program: early loaders took whole sections.
        for section in self.file.sections().filter(|section| section.kind() == SectionKind::Text) {
            let (index, code) = (section.index(), section.data()?);
            let is_named = functions.iter().any(|function| function.section == index);
            if !is_named && !code.is_empty() && code.len() % SLOT_BYTES == 0 {
                functions.push(Function {
                    name: section.name()?,
                    section: index,
                    start: 0,
                    code,
                    global: true,
                });
            }
        }
        self.functions = functions;
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
                // Compilers that left e_machine 0 left the relocation type 0, too; all of them meant R_BPF_64_64.
                let of_no_machine = self.file.architecture() == object::Architecture::Unknown;
                let kind = if of_no_machine && r_type == R_BPF_NONE { R_BPF_64_64 } else { r_type };
                self.references.insert(key, Reference { kind, symbol });
            }
        }
    }

    /// Links function `entry` and all functions that it uses, directly or indirectly, into one program.
    fn link(&self, entry: usize) -> Result<Program, ElfError> {
        let mut unresolved = None;
        let mut placed: Vec<(usize, usize)> = Vec::new(); // function, first slot
        let mut code: Vec<u8> = Vec::new();
        let mut uses: Vec<FunctionUse> = Vec::new();
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
            for found in self.resolve(index, &mut code[first * SLOT_BYTES..], &mut unresolved)? {
                waiting.push(found.function);
                uses.push(FunctionUse { slot: first + found.slot, ..found });
            }
        }
        for FunctionUse { slot, function, src } in uses {
            let target = placed.iter().find(|(index, _)| *index == function).map_or(0, |(_, first)| *first);
            let mut user = slot_at(&mut code, slot, self.order).expect("the slot was just read");
            user.set_src(src);
            user.set_imm(target as i32 - slot as i32 - 1);
        }
        let function = &self.functions[entry];
        Ok(Program {
            name: function.name.to_owned(),
            section: self.section_name(function.section),
            bytecode: code,
            unresolved: unresolved.map(|error: ElfError| error.to_string()),
        })
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
                function: function.name.to_owned(),
                instruction: slot,
                reason,
            };
            let opcode = insn.opcode();
            let calls = |function| FunctionUse { slot, function, src: CALL_LOCAL };
            match reference {
                Some(reference) if self.extern_name(reference).is_some() => {
                    let name = self.extern_name(reference).unwrap_or_default();
                    let reason = if opcode == OP_CALL {
                        insn.set_src(CALL_KERNEL_FUNCTION);
                        format!(
                            "calls {name}, an extern function: kernel functions (kfuncs) do not exist here"
                        )
                    } else {
                        format!("refers to {name}, an extern variable (ksym or kconfig): there is no kernel to supply it")
                    };
                    unresolved.get_or_insert(error(reason));
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

    /// The name of the symbol, if this object does not define it.
    fn extern_name(&self, reference: &Reference) -> Option<String> {
        let symbol = self.file.symbol_by_index(reference.symbol).ok()?;
        symbol.is_undefined().then(|| symbol.name().unwrap_or("?").to_owned())
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
        self.functions
            .iter()
            .position(|function| function.section == section && (function.start / SLOT_BYTES) as i64 == slot)
            .ok_or_else(|| {
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
        let name = symbol.name().unwrap_or("?");
        let section = symbol.section_index().ok_or("refers to no section")?;
        let section_name = self.section_name(section);
        if is_map_section(&section_name) {
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
