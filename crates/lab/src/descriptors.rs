// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Function descriptors of POWER's first 64-bit ABI (64-bit PowerPC ELF ABI Supplement 1.9, 3.2.4): a function's symbol names three
//! doublewords in the section `.opd`, of which the first is the address of its code.

use object::{Object, ObjectSection, RelocationTarget};
use std::collections::BTreeMap;

/// The descriptors of a linked file.
pub(crate) struct Descriptors {
    start: u64,
    data: Vec<u8>,
    /// Doublewords that the loader writes, relative to where the file is loaded.
    relocated: BTreeMap<u64, u64>,
    big_endian: bool,
}

impl Descriptors {
    /// Those that the file has.
    pub(crate) fn of(file: &object::File) -> Option<Descriptors> {
        let section = file.section_by_name(".opd").filter(|section| section.size() > 0)?;
        let data = section.data().ok()?.to_vec();
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let relative = relocations.filter(|(_, one)| one.target() == RelocationTarget::Absolute);
        let relocated = relative.map(|(place, one)| (place, one.addend() as u64)).collect();
        Some(Descriptors { start: section.address(), data, relocated, big_endian: !file.is_little_endian() })
    }

    /// Where the function's code begins whose symbol is at this address; the address itself if no descriptor is there.
    pub(crate) fn code(&self, address: u64) -> u64 {
        let bytes = || {
            let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
            let bytes = self.data.get(at..at.checked_add(8)?)?.try_into().ok()?;
            Some(if self.big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
        };
        self.relocated.get(&address).copied().or_else(bytes).unwrap_or(address)
    }
}

/// Where the code of a function begins, by its symbol's address.
pub(crate) fn code_at(descriptors: Option<&Descriptors>, address: u64) -> u64 {
    descriptors.map_or(address, |descriptors| descriptors.code(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_gives_way_to_what_the_loader_writes_and_code_to_nothing() {
        let mut data = vec![0; 40];
        data[6..8].copy_from_slice(&[0x12, 0x34]);
        let relocated = BTreeMap::from([(0x1018, 0x5678)]);
        let descriptors = Descriptors { start: 0x1000, data, relocated, big_endian: true };
        let found =
            [0x1000, 0x1018, 0xfff, 0x1021, 0x1028, u64::MAX].map(|address| descriptors.code(address));
        assert_eq!(found, [0x1234, 0x5678, 0xfff, 0x1021, 0x1028, u64::MAX]);
        assert_eq!(code_at(None, 0x1000), 0x1000);
    }
}
