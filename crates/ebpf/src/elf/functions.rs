// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The functions of an object, from its symbols or, in objects of early compilers, its sections.

use super::{ElfError, Function, Reader};
use crate::visible::visible;
use crate::SLOT_BYTES;
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{SectionKind, SymbolKind};
use std::collections::{BTreeSet, HashSet};
use std::ops::Bound::{Excluded, Included};

impl<'d> Reader<'d> {
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
        let section = |symbol: &object::Symbol| symbol.section_index().map(|index| index.0);
        let place = |symbol: &object::Symbol| (section(symbol), symbol.address());
        let starts: BTreeSet<_> = functions.iter().map(|(symbol, _)| place(symbol)).collect();
        let next = |symbol: &object::Symbol| {
            let behind = (Excluded(place(symbol)), Included((section(symbol), u64::MAX)));
            starts.range(behind).next().map(|(_, start)| *start)
        };
        let ends: Vec<u64> = functions
            .iter()
            .map(|(symbol, section_bytes)| match symbol.kind() {
                SymbolKind::Text => symbol.address().wrapping_add(symbol.size()),
                _ => next(symbol).unwrap_or(*section_bytes),
            })
            .collect();
        functions.into_iter().map(|(symbol, _)| symbol).zip(ends).collect()
    }

    /// Finds the functions of all code sections.
    pub(super) fn read_functions(&mut self) -> Result<(), ElfError> {
        let mut functions = Vec::new();
        for (symbol, end) in self.function_symbols() {
            let index = symbol.section_index().expect("it is in a section");
            let data = self.file.section_by_index(index)?.data()?;
            let (name, start) = (symbol.name()?, symbol.address());
            self.count(name.len())?;
            let name = visible(name);
            let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            let code = range.and_then(|(start, end)| data.get(start..end)).filter(|code| {
                !code.is_empty() && code.len() % SLOT_BYTES == 0 && start % SLOT_BYTES as u64 == 0
            });
            let Some(code) = code else {
                let section = self.section_name(index).to_owned();
                return Err(ElfError::BadFunction { name, section, start, end });
            };
            let start = start as usize;
            functions.push(Function { name, section: index, start, code, global: symbol.is_global() });
        }
        // A code section without a function symbol is one program: early loaders took whole sections.
        let named: HashSet<_> = functions.iter().map(|function| function.section).collect();
        for section in self.file.sections().filter(|section| section.kind() == SectionKind::Text) {
            let (index, code) = (section.index(), section.data()?);
            if !named.contains(&index) && !code.is_empty() && code.len() % SLOT_BYTES == 0 {
                functions.push(Function {
                    name: self.section_name(index).to_owned(),
                    section: index,
                    start: 0,
                    code,
                    global: true,
                });
            }
        }
        for (index, function) in functions.iter().enumerate() {
            let place = (function.section.0, function.start / SLOT_BYTES);
            self.function_index.entry(place).or_insert(index);
        }
        self.functions = functions;
        Ok(())
    }
}
