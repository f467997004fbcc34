// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The symbols of a large program, above all a kernel's `vmlinux`: found quickly by name, with every place of an ambiguous one.

use crate::cache::read_whole;
use crate::elf::{arch_of, local_entry_offset, Function};
use crate::problem::{Problem, Result};
use arch::Arch;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All that a program defines, code and data.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// The architecture.
    pub arch: Arch,
    /// Bytes of code in all sections.
    pub text_bytes: u64,
    path: PathBuf,
    /// By name, each address once.
    named: BTreeMap<String, Vec<Function>>,
    /// Addresses at which any symbol begins, for the length of symbols without one in the table.
    starts: Vec<u64>,
}

impl Symbols {
    /// Reads a program's.
    pub fn load(path: &Path) -> Result<Symbols> {
        let remedy = "name an ELF file with its symbols, such as a kernel's vmlinux";
        let data = read_whole(path, remedy)?;
        let unreadable = |what: String| Problem::new(what).at(path.display()).remedy(remedy);
        let file = object::File::parse(&*data)
            .map_err(|error| unreadable(format!("is not a readable ELF file: {error}")))?;
        let arch = arch_of(&file).map_err(|problem| problem.at(path.display()))?;
        let mut named: BTreeMap<String, Vec<Function>> = BTreeMap::new();
        let mut starts = Vec::new();
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if symbol.is_undefined() || name.is_empty() || name.starts_with('$') || name.starts_with(".L") {
                continue;
            }
            let address = symbol.address();
            let local_entry = address.wrapping_add(local_entry_offset(arch, &symbol));
            let places = named.entry(name.to_owned()).or_default();
            if !places.iter().any(|place| place.address == address) {
                places.push(Function { address, local_entry, size_bytes: symbol.size() });
            }
            starts.push(address);
        }
        if named.is_empty() {
            return Err(unreadable("has no symbols".to_owned()));
        }
        starts.sort_unstable();
        starts.dedup();
        let code = file.sections().filter(|section| section.kind() == SectionKind::Text);
        Ok(Symbols {
            arch,
            text_bytes: code.map(|section| section.size()).sum(),
            path: path.to_path_buf(),
            named,
            starts,
        })
    }

    /// Every place of this name; several where files have static functions of one name.
    pub fn places(&self, name: &str) -> &[Function] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// The places of all names that begin so.
    pub fn beginning<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Function> {
        let named = self.named.range(prefix.to_owned()..);
        named.take_while(move |(name, _)| name.starts_with(prefix)).flat_map(|(_, places)| places)
    }

    /// The first of the names that there is.
    pub fn any_of(&self, names: &[&str]) -> Option<Function> {
        names.iter().find_map(|name| self.places(name).first()).copied()
    }

    /// The places of a function, or why there are none: what is inlined has no symbol, and what the compiler has specialised
    /// has another.
    pub fn function(&self, name: &str) -> Result<&[Function]> {
        let places = self.places(name);
        if !places.is_empty() {
            return Ok(places);
        }
        let copies = self
            .named
            .range(format!("{name}.")..)
            .take_while(|(other, _)| other.starts_with(&format!("{name}.")));
        let copies: Vec<&str> = copies.map(|(other, _)| other.as_str()).collect();
        let problem = Problem::new(format!("has no function '{name}'")).at(self.path.display());
        Err(match &copies[..] {
            [] => problem.remedy(
                "it is inlined away, a macro, in a module or not configured: name the function that calls it (nm lists those there are)",
            ),
            some => problem.remedy(format!("the compiler has made copies of it: name one of {}", some.join(" "))),
        })
    }

    /// How long a function is: as the table says, or up to the next symbol.
    pub fn length(&self, function: &Function) -> u64 {
        if function.size_bytes > 0 {
            return function.size_bytes;
        }
        let next = self.starts.partition_point(|start| *start <= function.address);
        self.starts.get(next).map_or(0, |end| end - function.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This very test's program has symbols.
    fn own() -> Symbols {
        Symbols::load(&std::env::current_exe().unwrap()).unwrap()
    }

    #[test]
    fn a_function_that_is_there_is_found_and_has_a_length() {
        let symbols = own();
        let main = symbols.function("main").unwrap();
        assert_eq!(main.len(), 1);
        assert!(symbols.length(&main[0]) > 0 && symbols.text_bytes > symbols.length(&main[0]));
    }

    #[test]
    fn a_function_that_is_not_there_is_refused_with_its_copies_or_a_reason() {
        let mut symbols = own();
        let message = symbols.function("no_such_function").unwrap_err().to_string();
        assert!(message.contains("no_such_function") && message.contains("inlined away"), "{message}");
        let copy = Function { address: 1, local_entry: 1, size_bytes: 4 };
        symbols.named.insert("copied.isra.0".to_owned(), vec![copy]);
        let message = symbols.function("copied").unwrap_err().to_string();
        assert!(message.contains("copied.isra.0"), "{message}");
    }
}
