// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which function of which file an address of a recorded program belongs to.
//!
//! Names come from the symbol tables. Where a file is stripped, the table for unwinding still tells where functions begin, and
//! one without a name is called by its place, as in `gzip+0x4a30`, which `trace --roi` takes. Where there is no such table
//! either, functions begin where the trace calls them.

use crate::cache::read_whole;
use crate::descriptors::{code_at, Descriptors};
use crate::elf::local_entry_offset;
use crate::problem::{Problem, Result};
use crate::unwind_table;
use arch::Arch;
use object::{Object, ObjectKind, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Code of a file, in the file's own addresses.
pub struct CodeFile {
    /// The file.
    pub path: PathBuf,
    /// Its name without folders.
    pub name: String,
    /// Whether it can be loaded anywhere.
    pub movable: bool,
    /// Where the first byte of the file belongs.
    start: u64,
    /// Start, end and name, in order and without overlaps.
    functions: Vec<Span>,
    /// Bytes by address.
    code: Vec<(u64, Vec<u8>)>,
    /// Where a program starts.
    entry: u64,
    /// The architecture of its code.
    pub arch: Arch,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    start: u64,
    end: u64,
    name: String,
}

/// A function as found by an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's name, without folders; empty where code came from no file.
    pub file: String,
    /// The function, by its symbol or its place.
    pub function: String,
    /// Where the function begins, in the file's own addresses.
    pub start: u64,
}

impl CodeFile {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<CodeFile> {
        let remedy = "name a program or library";
        let data = read_whole(path, remedy)?;
        let file = object::File::parse(&*data).map_err(|error| {
            Problem::new(format!("is not a readable ELF file: {error}")).at(path.display()).remedy(remedy)
        })?;
        let arch = crate::elf::arch_of(&file).map_err(|problem| problem.at(path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = file.segments().min_by_key(|segment| segment.file_range().0);
        let start = first.map_or(0, |segment| segment.address().wrapping_sub(segment.file_range().0));
        let code =
            code_sections(&file).filter_map(|one| Some((one.address(), one.data().ok()?.to_vec()))).collect();
        let functions = functions(&file, arch, &name);
        let movable = file.kind() == ObjectKind::Dynamic;
        let entry = code_at(Descriptors::of(&file).as_ref(), file.entry());
        Ok(CodeFile { path: path.to_path_buf(), name, movable, start, functions, code, entry, arch })
    }

    /// How far its addresses are from those in a program that loaded its first byte at `loaded`.
    pub fn bias(&self, loaded: u64) -> u64 {
        if self.movable {
            loaded.wrapping_sub(self.start)
        } else {
            0
        }
    }

    /// Whether these bytes stand at this address of the file; none where it has no code.
    pub fn has(&self, address: u64, bytes: &[u8]) -> Option<bool> {
        let (start, code) = self.code.iter().find(|(start, code)| {
            address.checked_sub(*start).is_some_and(|offset| offset < code.len() as u64)
        })?;
        let offset = (address - start) as usize;
        Some(code.get(offset..offset + bytes.len()) == Some(bytes))
    }

    /// The function at an address of the file's own; what is between functions has the place for a name.
    pub fn function(&self, address: u64) -> Place {
        let (function, start) = match self.span(address) {
            Some(span) => (span.name.clone(), span.start),
            None => (format!("{}+{address:#x}", self.name), address),
        };
        Place { file: self.name.clone(), function, start }
    }

    /// Whether an address is in a function.
    pub fn is_in_function(&self, address: u64) -> bool {
        self.span(address).is_some()
    }

    fn span(&self, address: u64) -> Option<&Span> {
        let index = self.functions.partition_point(|span| span.end <= address);
        self.functions.get(index).filter(|span| span.start <= address)
    }

    /// Has functions begin at these addresses, and where the program starts, unless they are in one. Each reaches to the next one,
    /// or to the end of its section.
    pub fn add_entries(&mut self, mut entries: BTreeSet<u64>) {
        entries.insert(self.entry);
        let entries: Vec<u64> = entries.into_iter().filter(|entry| !self.is_in_function(*entry)).collect();
        let ends = entries.iter().skip(1).copied().chain([u64::MAX]);
        let added = entries.iter().zip(ends).filter_map(|(&start, next)| {
            let holds = |(from, code): &&(u64, Vec<u8>)| (*from..from + code.len() as u64).contains(&start);
            let (from, code) = self.code.iter().find(holds)?;
            Some((start, next.min(from + code.len() as u64), format!("{}+{start:#x}", self.name)))
        });
        fill(&mut self.functions, added);
    }

    /// Where a function without a symbol is entered: its address, and behind the set-up of the table of contents, if it has that.
    pub fn entries(&self, address: u64) -> Option<(u64, u64)> {
        self.has(address, &[])?;
        let words = |offset: u64| -> Option<u32> {
            let (start, code) = self.code.iter().find(|(start, code)| {
                address.checked_sub(*start).is_some_and(|offset| offset < code.len() as u64)
            })?;
            let at = usize::try_from(address - start + offset).ok()?;
            let bytes: [u8; 4] = code.get(at..at + 4)?.try_into().ok()?;
            Some(if self.arch == Arch::Powerpc64le {
                u32::from_le_bytes(bytes)
            } else {
                u32::from_be_bytes(bytes)
            })
        };
        // addis r2,r12,HIGH; addi r2,r2,LOW (ELFv2 ABI, 2.3.2.1)
        let is_power = matches!(self.arch, Arch::Powerpc64 | Arch::Powerpc64le);
        let sets_up = is_power
            && words(0).is_some_and(|word| word >> 16 == 0x3c4c)
            && words(4).is_some_and(|word| word >> 16 == 0x3842);
        Some((address, if sets_up { address + 8 } else { address }))
    }
}

/// The sections with code, but for what a damaged header has reach beyond all addresses.
fn code_sections<'a>(file: &'a object::File<'a>) -> impl Iterator<Item = object::Section<'a, 'a>> {
    let is_code = |section: &object::Section| section.kind() == object::SectionKind::Text;
    let has_room = |section: &object::Section| section.address().checked_add(section.size()).is_some();
    file.sections().filter(is_code).filter(has_room)
}

/// Those with symbols, then those that only the table for unwinding knows, then the stubs' sections.
fn functions(file: &object::File, arch: Arch, name: &str) -> Vec<Span> {
    let mut named: BTreeMap<u64, Span> = BTreeMap::new();
    let mut sizeless: BTreeMap<u64, String> = BTreeMap::new();
    let descriptors = Descriptors::of(file);
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(text) = symbol.name() else { continue };
        // Assembly without .type; local symbols there are mostly labels.
        let is_untyped_code = || {
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            let in_code = section.is_some_and(|section| section.kind() == object::SectionKind::Text);
            in_code && symbol.is_global() || local_entry_offset(arch, &symbol) > 0
        };
        let is_code =
            symbol.kind() == SymbolKind::Text || symbol.kind() == SymbolKind::Unknown && is_untyped_code();
        if symbol.is_undefined() || !is_code || text.is_empty() || text.starts_with(['$', '.']) {
            continue;
        }
        let start = code_at(descriptors.as_ref(), symbol.address());
        if symbol.size() == 0 {
            sizeless.entry(start).or_insert_with(|| text.to_owned());
            continue;
        }
        let span = Span { start, end: start.saturating_add(symbol.size()), name: text.to_owned() };
        match named.get_mut(&start) {
            Some(known) if dullness(&known.name) <= dullness(text) => known.end = known.end.max(span.end),
            _ => drop(named.insert(start, span)),
        }
    }
    let mut spans: Vec<Span> = Vec::new();
    named.into_values().for_each(|span| spans.push(span));
    let unwound = file.section_by_name(".eh_frame").and_then(|section| {
        let data = section.data().ok()?;
        Some(unwind_table::functions(data, section.address(), file.is_64(), !file.is_little_endian()))
    });
    let place = |start: u64| sizeless.get(&start).cloned().unwrap_or_else(|| format!("{name}+{start:#x}"));
    let found = unwound.unwrap_or_default();
    fill(
        &mut spans,
        found.into_iter().map(|(start, length)| (start, start.saturating_add(length), place(start))),
    );
    let sections: Vec<(u64, u64, String)> = code_sections(file)
        .map(|one| (one.address(), one.address() + one.size(), one.name().unwrap_or_default().to_owned()))
        .collect();
    let ends: Vec<u64> = sizeless.keys().skip(1).copied().chain([u64::MAX]).collect();
    let open = sizeless.iter().zip(ends).filter_map(|((start, text), next)| {
        let section = sections.iter().find(|(from, to, _)| (*from..*to).contains(start))?;
        Some((*start, next.min(section.1), text.clone()))
    });
    fill(&mut spans, open.collect::<Vec<_>>().into_iter());
    let stubs = sections.iter().filter(|(_, _, text)| text.contains("plt") || text.contains("glink"));
    fill(
        &mut spans,
        stubs.map(|(from, to, text)| (*from, *to, format!("{name}[{text}]"))).collect::<Vec<_>>().into_iter(),
    );
    spans
}

/// The plainest of several names of one address is shown.
fn dullness(name: &str) -> (usize, usize, &str) {
    (name.chars().take_while(|c| *c == '_').count(), name.len(), name)
}

/// Adds what is in no span that is there, cut to the room before the next one.
fn fill(spans: &mut Vec<Span>, more: impl Iterator<Item = (u64, u64, String)>) {
    spans.sort_by_key(|span| span.start);
    // Of two that overlap the later one begins where it says.
    for index in 1..spans.len() {
        let next = spans[index].start;
        spans[index - 1].end = spans[index - 1].end.min(next);
    }
    let mut added = Vec::new();
    for (start, end, name) in more {
        let index = spans.partition_point(|span| span.end <= start);
        match spans.get(index) {
            Some(span) if span.start <= start => {}
            Some(span) => added.push(Span { start, end: end.min(span.start), name }),
            None => added.push(Span { start, end, name }),
        }
    }
    spans.extend(added);
    spans.sort_by_key(|span| span.start);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_any_address_of_it() {
        let own = CodeFile::load(&std::env::current_exe().unwrap()).unwrap();
        let elf = crate::elf::ElfFile::load(&own.path).unwrap();
        let main = elf.function("main").unwrap();
        for address in [main.address, main.address + main.size_bytes - 1] {
            let place = own.function(address);
            assert_eq!((place.function.as_str(), place.start), ("main", main.address));
        }
        assert_eq!(own.entries(main.address), Some((main.address, main.address)));
        assert!(own.entries(0).is_none());
    }

    /// Each code section of a copy of this test's own file is moved to the last addresses, by its header.
    #[test]
    fn a_section_that_reaches_beyond_all_addresses_is_left_out() {
        let own = std::env::current_exe().unwrap();
        let mut data = std::fs::read(&own).unwrap();
        let number = |data: &[u8], at: usize, bytes: usize| {
            let mut whole = [0; 8];
            whole[..bytes].copy_from_slice(&data[at..at + bytes]);
            u64::from_le_bytes(whole) as usize
        };
        let (start, size, count) = (number(&data, 40, 8), number(&data, 58, 2), number(&data, 60, 2));
        let mut moved = 0;
        for header in (0..count).map(|index| start + index * size) {
            // SHT_PROGBITS with SHF_EXECINSTR; the address stands at byte 16.
            if number(&data, header + 4, 4) == 1 && number(&data, header + 8, 8) & 4 != 0 {
                data[header + 16..header + 24].fill(0xff);
                moved += 1;
            }
        }
        let path = std::env::temp_dir().join(format!("assay-code-map-{}", std::process::id()));
        std::fs::write(&path, data).unwrap();
        let mut copy = CodeFile::load(&path).unwrap();
        copy.add_entries(BTreeSet::from([u64::MAX - 1]));
        assert!(moved > 0 && copy.code.is_empty() && copy.has(u64::MAX, &[0]).is_none());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn gaps_are_filled_and_names_are_not_covered() {
        let span = |start, end, name: &str| Span { start, end, name: name.to_owned() };
        let mut spans = vec![span(20, 30, "b"), span(0, 10, "a")];
        let more = [(0, 10, "x".to_owned()), (12, 25, "y".to_owned()), (40, 50, "z".to_owned())];
        fill(&mut spans, more.into_iter());
        assert_eq!(spans, [span(0, 10, "a"), span(12, 20, "y"), span(20, 30, "b"), span(40, 50, "z")]);
    }
}
