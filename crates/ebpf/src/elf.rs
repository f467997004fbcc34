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
mod functions;
mod link;

use crate::map::MapDefinition;
use crate::maps::Pointer;
use crate::visible::visible;
use crate::ByteOrder;
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{RelocationFlags, RelocationTarget, SectionIndex, SectionKind};
use std::cell::Cell;
use std::collections::BTreeMap;

const R_BPF_NONE: u32 = 0;
const R_BPF_64_64: u32 = 1;
const R_BPF_64_ABS64: u32 = 2;
/// The library's limit on the size of a program, in slots.
const PROGRAM_SLOTS_MAX: usize = 1 << 20;
/// The most bytes that are read or made of an object. A file's symbols and sections may overlap, so its own size limits neither.
const OBJECT_BYTES_MAX: usize = 128 << 20;
/// What a program, a map or a relocation is counted for besides its bytes.
const RECORD_BYTES: usize = 128;

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
    /// Symbols or sections that overlap, so that a short file describes a large object.
    #[error(
        "its code, data, names and relocations, counted for each symbol and section, are more than {} MiB: too many overlap",
        OBJECT_BYTES_MAX >> 20
    )]
    Overlaps,
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
    name: String,
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
    /// Bytes that may still be read or made: [`OBJECT_BYTES_MAX`].
    bytes_left: Cell<usize>,
    /// By index.
    section_names: Vec<String>,
    functions: Vec<Function<'d>>,
    /// Section and first slot of each function: its index, the first if several start there.
    function_index: BTreeMap<(usize, usize), usize>,
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
            bytes_left: Cell::new(OBJECT_BYTES_MAX),
            section_names: Vec::new(),
            functions: Vec::new(),
            function_index: BTreeMap::new(),
            references: BTreeMap::new(),
            maps: Vec::new(),
            map_contents: Vec::new(),
            map_index: BTreeMap::new(),
        };
        reader.read_section_names()?;
        reader.read_functions()?;
        reader.read_references()?;
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
    /// Counts bytes that are read or made.
    fn count(&self, bytes: usize) -> Result<(), ElfError> {
        self.bytes_left.set(self.bytes_left.get().checked_sub(bytes).ok_or(ElfError::Overlaps)?);
        Ok(())
    }

    /// Names are read once: sections may share a long one.
    fn read_section_names(&mut self) -> Result<(), ElfError> {
        for section in self.file.sections() {
            let name = section.name_bytes().unwrap_or_default();
            self.count(name.len() + RECORD_BYTES)?;
            let name = std::str::from_utf8(name).unwrap_or_default();
            let index = section.index().0;
            self.section_names.resize(self.section_names.len().max(index + 1), String::new());
            self.section_names[index] = visible(name);
        }
        Ok(())
    }

    /// A symbol's name for people.
    fn shown_name(&self, symbol: &object::Symbol) -> String {
        visible(symbol.name().unwrap_or("?"))
    }

    fn section_name(&self, section: SectionIndex) -> &str {
        self.section_names.get(section.0).map_or("", String::as_str)
    }

    /// The contents of the first section of this name, if they can be read.
    fn data_of(&self, name: &str) -> Option<&'d [u8]> {
        let index = self.section_names.iter().position(|other| other == name)?;
        self.file.section_by_index(SectionIndex(index)).ok()?.data().ok()
    }

    fn read_references(&mut self) -> Result<(), ElfError> {
        for section in self.file.sections().filter(|section| section.kind() == SectionKind::Text) {
            for (offset, relocation) in section.relocations() {
                self.count(RECORD_BYTES)?;
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
        Ok(())
    }
}
