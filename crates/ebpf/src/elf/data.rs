// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Maps and data sections of an object, and the addresses that data sections hold.

use super::{is_map_section, is_old_map_section, ElfError, Reader, RECORD_BYTES, R_BPF_64_ABS64};
use crate::btf::{word, Btf};
use crate::map::{MapDefinition, MapKind};
use crate::maps::Pointer;
use crate::visible::visible;
use crate::ByteOrder;
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{RelocationFlags, RelocationTarget, SectionIndex, SymbolKind};
use std::collections::BTreeMap;

impl Reader<'_> {
    fn add_map(&mut self, key: (usize, u64), map: MapDefinition, contents: Vec<u8>) -> Result<(), ElfError> {
        self.count(map.name.len() + contents.len() + RECORD_BYTES)?;
        self.map_index.insert(key, self.maps.len());
        self.maps.push(map);
        self.map_contents.push(contents);
        Ok(())
    }

    pub(super) fn read_maps(&mut self) -> Result<(), ElfError> {
        let btf = self.data_of(".BTF").and_then(|data| Btf::parse(data, self.order));
        let mut symbols: BTreeMap<usize, Vec<object::SymbolIndex>> = BTreeMap::new();
        for symbol in self.file.symbols().filter(|symbol| symbol.kind() != SymbolKind::Section) {
            let Some(section) = symbol.section_index() else { continue };
            if is_map_section(self.section_name(section)) {
                symbols.entry(section.0).or_default().push(symbol.index());
            }
        }
        for index in 0..self.section_names.len() {
            let name = self.section_names[index].clone();
            if is_map_section(&name) {
                let definitions = symbols.remove(&index).unwrap_or_default();
                self.read_map_section(SectionIndex(index), &definitions, &btf)?;
            } else if [".rodata", ".data", ".bss"].iter().any(|prefix| name.starts_with(prefix)) {
                self.read_data_section(SectionIndex(index), name)?;
            }
        }
        Ok(())
    }

    fn read_data_section(&mut self, index: SectionIndex, name: String) -> Result<(), ElfError> {
        let section = self.file.section_by_index(index)?;
        let contents = section.data()?;
        self.count(contents.len())?;
        let mut contents = contents.to_vec();
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
        self.add_map((index.0, 0), map, contents)
    }

    /// The addresses in data sections. The relocations are REL entries: the eight relocated bytes hold the addend.
    pub(super) fn read_pointers(&self) -> Result<Vec<Pointer>, ElfError> {
        let mut pointers = Vec::new();
        for section in self.file.sections() {
            let Some(map) = self.map_index.get(&(section.index().0, 0)).copied() else {
                continue;
            };
            if self.maps[map].name != self.section_name(section.index()) {
                continue; // a section of map definitions: their relocations are not data
            }
            for (offset, relocation) in section.relocations() {
                self.count(RECORD_BYTES)?;
                let pointer = self.pointer(map, offset, &relocation).map_err(|reason| {
                    let section = self.section_name(section.index()).to_owned();
                    ElfError::Data { section, offset, reason }
                })?;
                pointers.push(pointer);
            }
        }
        Ok(pointers)
    }

    fn pointer(&self, map: usize, offset: u64, relocation: &object::Relocation) -> Result<Pointer, String> {
        let (RelocationTarget::Symbol(symbol), RelocationFlags::Elf { r_type }) =
            (relocation.target(), relocation.flags())
        else {
            return Err("a relocation without a symbol".into());
        };
        let symbol = self.file.symbol_by_index(symbol).map_err(|error| error.to_string())?;
        let name = || self.symbol_name(&symbol);
        if r_type != R_BPF_64_ABS64 {
            let name = name();
            return Err(format!("relocation type {r_type} against {name}: only 64-bit addresses are known"));
        }
        let section = symbol.section_index().ok_or_else(|| {
            format!("the address of {}, which is extern: there is no kernel to supply it", name())
        })?;
        let target = *self.map_index.get(&(section.0, 0)).ok_or_else(|| {
            let (name, section) = (name(), self.section_name(section));
            format!(
                "the address of {name} in section {section}: only .rodata, .data and .bss can be pointed to"
            )
        })?;
        let start = usize::try_from(offset).map_err(|_| "outside of the section")?;
        let end = start.checked_add(8).ok_or("outside of the section")?;
        let bytes = self.map_contents[map].get(start..end).ok_or("outside of the section's contents")?;
        let bytes: [u8; 8] = bytes.try_into().expect("eight bytes");
        let addend = match self.order {
            ByteOrder::Little => u64::from_le_bytes(bytes),
            ByteOrder::Big => u64::from_be_bytes(bytes),
        };
        let target_offset = symbol.address().wrapping_add(addend);
        if target_offset > u64::from(self.maps[target].value_bytes) {
            return Err(format!(
                "the address of byte {target_offset} of {}, which is behind its end",
                name()
            ));
        }
        Ok(Pointer { map, offset: start, target, target_offset: target_offset as usize })
    }

    /// The symbol's name; for a section symbol, which has none, the section's.
    fn symbol_name(&self, symbol: &object::Symbol) -> String {
        match symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Section) {
            Some(section) => self.section_name(section).to_owned(),
            None => self.shown_name(symbol),
        }
    }

    /// Counted from `.BTF.ext`; 0 if that cannot be read. Its format: Linux, Documentation/bpf/btf.rst, section 4.2.
    pub(super) fn co_re_relocations(&self) -> u64 {
        let data = self.data_of(".BTF.ext").unwrap_or_default();
        count_co_re(data, self.order).unwrap_or(0)
    }

    fn read_map_section(
        &mut self,
        index: SectionIndex,
        symbols: &[object::SymbolIndex],
        btf: &Option<Btf>,
    ) -> Result<(), ElfError> {
        let legacy = is_old_map_section(self.section_name(index));
        let data = self.file.section_by_index(index)?.data()?;
        for symbol in symbols {
            let symbol = self.file.symbol_by_index(*symbol)?;
            let (name, offset) = (symbol.name()?, symbol.address());
            let definition = match btf {
                _ if legacy => legacy_map(name, data, offset, self.order),
                Some(btf) => btf.map(name),
                None => None,
            };
            let definition = definition.ok_or_else(|| ElfError::Reference {
                function: visible(name),
                instruction: 0,
                reason:
                    "this map's definition cannot be read (its BTF is missing or broken: compile with -g)"
                        .into(),
            })?;
            let definition = MapDefinition { name: visible(name), ..definition };
            self.add_map((index.0, offset), definition, Vec::new())?;
        }
        Ok(())
    }
}

/// Counts the CO-RE relocations in `.BTF.ext`. Words of its header: magic, version and flags; header length; offset (from
/// the header's end) and length of function infos, line infos and CO-RE relocations. The relocations start with the bytes
/// of a record; then follow, for each section, the offset of its name, the number of records and the records.
fn count_co_re(data: &[u8], order: ByteOrder) -> Option<u64> {
    let word = |at: usize| word(data, at, order).and_then(|word| usize::try_from(word).ok());
    let header = word(4)?;
    if header < 32 {
        return Some(0); // older than CO-RE
    }
    let mut at = header.checked_add(word(24)?)?;
    let end = at.checked_add(word(28)?)?;
    let record = word(at)?;
    let mut count = 0;
    at += 4;
    while at < end {
        let records = word(at.checked_add(4)?)?;
        count += records as u64;
        at = at.checked_add(8)?.checked_add(records.checked_mul(record)?)?;
    }
    Some(count)
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
