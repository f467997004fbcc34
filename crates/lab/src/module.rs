// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A module of the kernel as a file: where its functions are in its sections, which have no address before it is loaded.

use crate::cache::read_whole;
use crate::elf::{arch_of, local_entry_offset};
use crate::problem::{Problem, Result};
use arch::Arch;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol, SymbolSection};
use std::path::{Path, PathBuf};

/// A function of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The section that it is in.
    pub section: String,
    /// Its symbol, from the start of the section.
    pub offset: u64,
    /// Where callers of the same module enter, from there.
    pub local_entry: u64,
    /// Its length.
    pub size_bytes: u64,
}

/// A module's functions.
#[derive(Clone, Debug)]
pub struct Module {
    /// What the kernel calls it: the file's name, with underscores.
    pub name: String,
    /// The architecture.
    pub arch: Arch,
    path: PathBuf,
    functions: Vec<(String, Place)>,
}

impl Module {
    /// Reads a module's file.
    pub fn load(path: &Path) -> Result<Module> {
        let remedy = "name a module's .ko, unpacked if it is a .ko.xz or .ko.zst";
        let data = read_whole(path, remedy)?;
        let unreadable = |what: String| Problem::new(what).at(path.display()).remedy(remedy);
        let file = object::File::parse(&*data)
            .map_err(|error| unreadable(format!("is not a readable ELF file: {error}")))?;
        if file.kind() != ObjectKind::Relocatable {
            return Err(unreadable("is no module of a kernel".to_owned()));
        }
        let arch = arch_of(&file).map_err(|problem| problem.at(path.display()))?;
        let mut functions = Vec::new();
        for symbol in file.symbols() {
            let (Ok(name), SymbolSection::Section(index)) = (symbol.name(), symbol.section()) else {
                continue;
            };
            let section = file.section_by_index(index).ok();
            let Some(Ok(section)) = section.as_ref().map(ObjectSection::name) else { continue };
            if symbol.kind() == object::SymbolKind::Text && !name.is_empty() {
                let offset = symbol.address();
                let place = Place {
                    section: section.to_owned(),
                    offset,
                    local_entry: offset + local_entry_offset(arch, &symbol),
                    size_bytes: symbol.size(),
                };
                functions.push((name.to_owned(), place));
            }
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Module { name: stem.replace('-', "_"), arch, path: path.to_path_buf(), functions })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every place of a function of this name.
    pub fn places<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Place> {
        self.functions.iter().filter(move |(other, _)| other == name).map(|(_, place)| place)
    }

    /// What the compiler has made of a function under other names.
    pub fn copies(&self, name: &str) -> Vec<&str> {
        let start = format!("{name}.");
        self.functions
            .iter()
            .map(|(other, _)| other.as_str())
            .filter(|other| other.starts_with(&start))
            .collect()
    }
}
