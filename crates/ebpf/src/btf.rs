// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Just enough of BTF, the type information in BPF objects, to read map definitions. A map is a variable in section
//! `.maps`; the types of its struct's members encode the map's properties (`int (*max_entries)[16]` means 16). Format:
//! Linux, Documentation/bpf/btf.rst. Offsets in BTF are not trusted: every access is checked.

use crate::map::{MapDefinition, MapKind};
use crate::ByteOrder;
use std::collections::HashMap;

const MAGIC: u16 = 0xeb9f;
const PTR: u32 = 2;
const ARRAY: u32 = 3;
const STRUCT: u32 = 4;
const DATASEC: u32 = 15;
const VAR: u32 = 14;
/// The longest chain of typedefs, qualifiers or nested arrays that is followed; ends the walk through cyclic types.
const DEPTH_MAX: usize = 32;
/// More members than the struct of any map has; ends the walk through what only looks like one.
const MEMBERS_MAX: usize = 256;
/// The bytes of all variables' names. Variables may share a long name, so a short section can have many such bytes.
const NAMES_BYTES_MAX: usize = 64 << 20;

struct Type<'d> {
    name: u32,
    kind: u32,
    count: usize,
    size_or_type: u32,
    /// The bytes after the three words that every type has.
    rest: &'d [u8],
}

pub(crate) struct Btf<'d> {
    order: ByteOrder,
    strings: &'d [u8],
    types: Vec<Type<'d>>,
    /// The first variable of each name.
    variables: HashMap<&'d [u8], usize>,
}

pub(crate) fn word(bytes: &[u8], at: usize, order: ByteOrder) -> Option<u32> {
    let bytes: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(match order {
        ByteOrder::Little => u32::from_le_bytes(bytes),
        ByteOrder::Big => u32::from_be_bytes(bytes),
    })
}

/// Number of bytes after the three words that every type has.
fn extra_bytes(kind: u32, count: usize) -> Option<usize> {
    Some(match kind {
        1 | VAR | 17 => 4,
        ARRAY => 12,
        STRUCT | 5 | DATASEC | 19 => count * 12,
        6 | 13 => count * 8,
        2 | 7..=12 | 16 | 18 => 0,
        _ => return None,
    })
}

impl<'d> Btf<'d> {
    /// `None` if `data` is not BTF, or cannot be read to its end.
    pub(crate) fn parse(data: &'d [u8], order: ByteOrder) -> Option<Btf<'d>> {
        let magic = match order {
            ByteOrder::Little => u16::from_le_bytes(data.get(..2)?.try_into().ok()?),
            ByteOrder::Big => u16::from_be_bytes(data.get(..2)?.try_into().ok()?),
        };
        if magic != MAGIC {
            return None;
        }
        let field = |at| word(data, at, order).map(|value| value as usize);
        let body = data.get(field(4)?..)?;
        let section = |at: usize| body.get(field(at)?..field(at)?.checked_add(field(at + 4)?)?);
        let (mut rest, strings) = (section(8)?, section(16)?);
        let mut types = Vec::new();
        while !rest.is_empty() {
            let info = word(rest, 4, order)?;
            let (kind, count) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
            let end = 12 + extra_bytes(kind, count)?;
            types.push(Type {
                name: word(rest, 0, order)?,
                kind,
                count,
                size_or_type: word(rest, 8, order)?,
                rest: rest.get(12..end)?,
            });
            rest = &rest[end..];
        }
        let mut btf = Btf { order, strings, types, variables: HashMap::new() };
        btf.index_variables()?;
        Some(btf)
    }

    fn index_variables(&mut self) -> Option<()> {
        let mut bytes_left = NAMES_BYTES_MAX;
        for (index, variable) in self.types.iter().enumerate().filter(|(_, found)| found.kind == VAR) {
            let Some(name) = self.name(variable.name) else { continue };
            bytes_left = bytes_left.checked_sub(name.len())?;
            self.variables.entry(name).or_insert(index);
        }
        Some(())
    }

    fn name(&self, offset: u32) -> Option<&'d [u8]> {
        self.strings.get(offset as usize..)?.split(|byte| *byte == 0).next()
    }

    /// Whether the name at `offset` is this one; a longer name is not read to its end.
    fn is_name(&self, offset: u32, name: &str) -> bool {
        let bytes = self.strings.get(offset as usize..).and_then(|rest| rest.strip_prefix(name.as_bytes()));
        bytes.is_some_and(|rest| rest.first().is_none_or(|byte| *byte == 0))
    }

    /// The type with this id, after following typedefs and qualifiers. Ids start at 1.
    fn get(&self, mut id: u32) -> Option<&Type<'d>> {
        for _ in 0..DEPTH_MAX {
            let found = self.types.get((id as usize).checked_sub(1)?)?;
            if !matches!(found.kind, 8..=11 | 18) {
                return Some(found);
            }
            id = found.size_or_type;
        }
        None
    }

    fn size(&self, id: u32) -> Option<u32> {
        let mut id = id;
        let mut elements = 1u32;
        for _ in 0..DEPTH_MAX {
            let found = self.get(id)?;
            match found.kind {
                PTR => return elements.checked_mul(8),
                ARRAY => {
                    elements = elements.checked_mul(word(found.rest, 8, self.order)?)?;
                    id = word(found.rest, 0, self.order)?;
                }
                1 | STRUCT | 5 | 6 | 16 | 19 => return elements.checked_mul(found.size_or_type),
                _ => return None,
            }
        }
        None
    }

    /// The type that a member's pointer points to.
    fn pointee(&self, member: u32) -> Option<u32> {
        let pointer = self.get(member)?;
        (pointer.kind == PTR).then_some(pointer.size_or_type)
    }

    /// `int (*member)[N]`: N.
    fn number(&self, member: u32) -> Option<u32> {
        let array = self.get(self.pointee(member)?)?;
        (array.kind == ARRAY).then(|| word(array.rest, 8, self.order))?
    }

    fn definition(&self, name: &str, variable: &Type<'d>) -> Option<MapDefinition> {
        let name = name.to_owned();
        let layout = self.get(variable.size_or_type)?;
        if layout.kind != STRUCT || layout.count > MEMBERS_MAX {
            return None;
        }
        let mut map =
            MapDefinition { name, kind: MapKind::Other(0), key_bytes: 0, value_bytes: 0, entries: 0 };
        for member in 0..layout.count {
            let member_name = word(layout.rest, member * 12, self.order)?;
            let member_type = word(layout.rest, member * 12 + 4, self.order)?;
            self.set_property(&mut map, member_name, member_type)?;
        }
        Some(map)
    }

    fn set_property(&self, map: &mut MapDefinition, name: u32, member: u32) -> Option<()> {
        const PROPERTIES: [&str; 6] = ["type", "max_entries", "key_size", "value_size", "key", "value"];
        match PROPERTIES.into_iter().find(|property| self.is_name(name, property)) {
            Some("type") => map.kind = MapKind::from_number(self.number(member)?),
            Some("max_entries") => map.entries = self.number(member)?,
            Some("key_size") => map.key_bytes = self.number(member)?,
            Some("value_size") => map.value_bytes = self.number(member)?,
            Some("key") => map.key_bytes = self.size(self.pointee(member)?)?,
            Some("value") => map.value_bytes = self.size(self.pointee(member)?)?,
            _ => {} // pinning, flags: without effect here
        }
        Some(())
    }

    /// The map that variable `name` defines.
    pub(crate) fn map(&self, name: &str) -> Option<MapDefinition> {
        self.definition(name, &self.types[*self.variables.get(name.as_bytes())?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BTF of one empty struct, type 1, and of variables of that type, whose names are at these offsets.
    fn btf(strings: &[u8], names: &[u32]) -> Vec<u8> {
        let types: Vec<u32> = [0, STRUCT << 24, 0]
            .into_iter()
            .chain(names.iter().flat_map(|name| [*name, VAR << 24, 1, 0]))
            .collect();
        let types: Vec<u8> = types.into_iter().flat_map(u32::to_le_bytes).collect();
        let (types_bytes, strings_bytes) = (types.len() as u32, strings.len() as u32);
        let header = [u32::from(MAGIC) | 1 << 16, 24, 0, types_bytes, types_bytes, strings_bytes];
        [header.into_iter().flat_map(u32::to_le_bytes).collect(), types, strings.to_vec()].concat()
    }

    #[test]
    fn many_variables_are_found_in_proportion() {
        const COUNT: usize = 200_000;
        let names: Vec<String> = (0..COUNT).map(|index| format!("{index:07}")).collect();
        let strings = names.join("\0").into_bytes();
        let offsets: Vec<u32> = (0..COUNT as u32).map(|index| index * 8).collect();
        let data = btf(&strings, &offsets);
        let btf = Btf::parse(&data, ByteOrder::Little).expect("it is whole");
        let start = std::time::Instant::now();
        assert!(names.iter().all(|name| btf.map(name).is_some_and(|map| map.name == *name)));
        assert!(start.elapsed().as_secs() < 20, "{:?}: minutes, by the square", start.elapsed());
        assert!(btf.map("000").is_none());
    }

    #[test]
    fn variables_that_share_a_long_name_are_refused() {
        assert!(Btf::parse(&btf(&[b'x'; 1 << 16], &[0; 2000]), ByteOrder::Little).is_none());
        assert!(Btf::parse(&btf(&[b'x'; 1 << 16], &[0; 20]), ByteOrder::Little).is_some());
    }
}
