// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What we ask an ELF file: its architecture, the symbols it defines, and where a function really starts.
//!
//! POWER's two 64-bit ABIs link with each other without a warning and then crash, because under ELFv1 a function's
//! symbol names a descriptor and not code. `powerpc64` means ELFv2 here; an ELFv1 object is refused. A program or library that
//! is linked already can be recorded under either.

use crate::cache::read_whole;
use crate::descriptors::{code_at, Descriptors};
use crate::problem::{Problem, Result};
use arch::Arch;
use object::{elf, Architecture, Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A function's place in an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The symbol's address: under ELFv2 the global entry point.
    pub address: u64,
    /// Where callers of the same module enter: behind the TOC set-up under ELFv2, else the same.
    pub local_entry: u64,
    /// Its length as the symbol table has it.
    pub size_bytes: u64,
}

/// A parsed ELF file's answers.
#[derive(Clone, Debug)]
pub struct ElfFile {
    /// The architecture.
    pub arch: Arch,
    /// Functions it defines, by name; local ones included.
    pub functions: Vec<(String, Function)>,
    /// The names of those that other objects can call.
    pub global_names: Vec<String>,
    /// Whether it is position independent (`ET_DYN`): addresses are relative to where it is loaded.
    pub position_independent: bool,
    /// Where a program begins; 0 in a library that is none.
    pub entry: u64,
    /// What it has to find when it starts.
    pub wants: Wants,
    /// What the address of each function's section is a multiple of.
    alignments: HashMap<String, u64>,
}

/// What a dynamic program or library asks its system for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// The dynamic loader's path (`PT_INTERP`); none for a static program.
    pub loader: Option<String>,
    /// Sonames (`DT_NEEDED`).
    pub libraries: Vec<String>,
    /// Folders that the file itself names (`DT_RPATH`, `DT_RUNPATH`), as they stand there.
    pub folders: Vec<String>,
}

impl Wants {
    fn of(file: &object::File) -> Wants {
        let data = |name: &str| {
            file.section_by_name(name).and_then(|section| section.data().ok()).unwrap_or_default()
        };
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
        };
        let names = data(".dynstr");
        let mut wants = Wants::default();
        let loader = data(".interp");
        if !loader.is_empty() {
            wants.loader = Some(text(loader));
        }
        let word = if file.is_64() { 8 } else { 4 };
        for entry in data(".dynamic").chunks_exact(2 * word) {
            let number = |bytes: &[u8]| {
                let step = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
                if file.is_little_endian() {
                    bytes.iter().rev().fold(0, step)
                } else {
                    bytes.iter().fold(0, step)
                }
            };
            let (tag, value) = (number(&entry[..word]), number(&entry[word..]));
            let name =
                || text(usize::try_from(value).ok().and_then(|at| names.get(at..)).unwrap_or_default());
            match tag {
                DT_NEEDED => wants.libraries.push(name()),
                DT_RPATH | DT_RUNPATH => wants.folders.extend(name().split(':').map(str::to_owned)),
                _ => {}
            }
        }
        wants
    }
}

/// Tags of the dynamic section (System V ABI, "Dynamic Section").
const DT_NEEDED: u64 = 1;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// What to name where something is no such file.
const REMEDY: &str = "name an ELF object or program";

impl ElfFile {
    /// Reads and parses a file.
    pub fn load(path: &Path) -> Result<ElfFile> {
        Self::parse(&read_whole(path, REMEDY)?).map_err(|problem| problem.at(path.display()))
    }

    /// Parses an object or executable.
    pub fn parse(data: &[u8]) -> Result<ElfFile> {
        let file = object::File::parse(data)
            .map_err(|error| Problem::new(format!("is not a readable ELF file: {error}")).remedy(REMEDY))?;
        let arch = arch_of(&file)?;
        let flags = match file.flags() {
            object::FileFlags::Elf { e_flags, .. } => e_flags,
            _ => return Err(Problem::new("is not an ELF file").remedy(REMEDY)),
        };
        if matches!(arch, Arch::Powerpc64 | Arch::Powerpc64le) {
            refuse_elfv1(&file, flags)?;
        }
        let descriptors = Descriptors::of(&file);
        let mut functions = Vec::new();
        let mut known = HashSet::new();
        let (mut alignments, mut global_names) = (HashMap::new(), Vec::new());
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
            let Ok(name) = symbol.name() else { continue };
            if symbol.is_undefined() || !is_code || name.is_empty() || name.starts_with('$') {
                continue;
            }
            let local = local_entry_offset(arch, &symbol);
            let address = code_at(descriptors.as_ref(), symbol.address());
            let function =
                Function { address, local_entry: address.wrapping_add(local), size_bytes: symbol.size() };
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            alignments.entry(name.to_owned()).or_insert(section.map_or(1, |section| section.align().max(1)));
            if known.insert((name.to_owned(), function.address)) {
                global_names.extend(symbol.is_global().then(|| name.to_owned()));
                functions.push((name.to_owned(), function));
            }
        }
        let position_independent = file.kind() == object::ObjectKind::Dynamic;
        let (entry, wants) = (file.entry(), Wants::of(&file));
        Ok(ElfFile { arch, functions, global_names, position_independent, entry, wants, alignments })
    }

    /// The function of this name; the first, where sources have static ones or a library has several versions.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.places(name).next().copied()
    }

    /// What the address of a function's section is a multiple of: in an object, wherever that is linked. 1 if there is no such
    /// function.
    pub fn alignment(&self, name: &str) -> u64 {
        self.alignments.get(name).copied().unwrap_or(1)
    }

    /// Every function of this name.
    pub fn places<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Function> {
        self.functions.iter().filter(move |(known, _)| known == name).map(|(_, function)| function)
    }
}

pub(crate) fn arch_of(file: &object::File) -> Result<Arch> {
    let arch = match (file.architecture(), file.endianness()) {
        (Architecture::PowerPc, Endianness::Big) => Arch::Powerpc,
        (Architecture::PowerPc64, Endianness::Big) => Arch::Powerpc64,
        (Architecture::PowerPc64, Endianness::Little) => Arch::Powerpc64le,
        (Architecture::LoongArch64, _) => Arch::Loongarch64,
        (Architecture::X86_64, _) => Arch::X86_64,
        (Architecture::Aarch64, Endianness::Little) => Arch::Aarch64,
        (Architecture::Riscv64, _) => Arch::Riscv64,
        (other, endianness) => {
            let order = if endianness == Endianness::Big { "big" } else { "little" };
            let known: Vec<_> = Arch::ALL.iter().map(|arch| arch.name()).collect();
            return Err(Problem::new(format!(
                "is for {other:?} ({order} endian), which Assay does not know"
            ))
            .remedy(format!("known architectures: {}", known.join(" "))));
        }
    };
    Ok(arch)
}

fn refuse_elfv1(file: &object::File, flags: u32) -> Result<()> {
    if file.kind() != object::ObjectKind::Relocatable {
        return Ok(());
    }
    let abi = flags & elf::EF_PPC64_ABI;
    let has_descriptors = file.section_by_name(".opd").is_some_and(|section| section.size() > 0);
    if abi == 1 || has_descriptors {
        return Err(Problem::new("follows the ELFv1 ABI, which links with ELFv2 code and then crashes")
            .remedy("compile it with -mabi=elfv2 (assembly: .abiversion 2)"));
    }
    Ok(())
}

/// ELFv2 codes the distance from global to local entry point in three bits of `st_other` (ELFv2 ABI 3.4.1).
pub(crate) fn local_entry_offset<'a>(arch: Arch, symbol: &impl ObjectSymbol<'a>) -> u64 {
    if !matches!(arch, Arch::Powerpc64 | Arch::Powerpc64le) {
        return 0;
    }
    let object::SymbolFlags::Elf { st_other, .. } = symbol.flags() else {
        return 0;
    };
    match st_other >> 5 {
        code @ 2..=6 => 1 << code,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_elf_is_refused_with_a_reason() {
        for junk in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"] {
            let message = ElfFile::parse(junk).unwrap_err().to_string();
            assert!(message.contains("ELF"), "{message}");
        }
    }
}
