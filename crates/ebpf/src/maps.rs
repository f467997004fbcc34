// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Maps for programs from ELF objects: arrays and hash tables with the kernel's helpers 1 (lookup), 2 (update) and 3
//! (delete), and data sections, which are arrays of one value. map.rs has a map by itself, helpers.rs the other helpers.

use crate::map::{argument, Map, MapDefinition, MapKind, EFAULT, EINVAL};
use crate::packet::Packet;
use crate::vm::{Error, Helper, LddwKind, Vm};
use std::ffi::c_void;

/// An address in the contents of a data section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Map index of the section that holds the address.
    pub map: usize,
    /// Byte offset of the address in that section.
    pub offset: usize,
    /// Map index of the section that it points into.
    pub target: usize,
    /// Byte offset in that section.
    pub target_offset: usize,
}

impl std::fmt::Display for Pointer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Pointer { map, offset, target, target_offset } = self;
        write!(f, "the address at byte {offset} of map {map} points to byte {target_offset} of map {target}")
    }
}

/// The default limit on one map, so that an object cannot take all memory; [`crate::Limits`] overrides it.
pub(crate) const MAP_BYTES_MAX: usize = 64 << 20;
/// `lddw` of a map loads this plus the map's index: a handle, not an address.
const HANDLE: u64 = 0x6d61_7000_0000;

/// The maps that a program refers to; also the context that its helpers get.
pub(crate) struct Maps {
    maps: Vec<Map>,
    vm: *mut crate::ffi::EbpfVm,
    /// The packet that the program runs on, if it runs on one.
    pub(crate) packet: Option<Packet>,
    /// The state of helper 7 (get_prandom_u32).
    pub(crate) random: u64,
}

impl std::fmt::Debug for Maps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.maps.iter().map(|map| &map.definition)).finish()
    }
}

impl Maps {
    /// Makes the maps; `initial` holds the contents of those that are data sections, `pointers` the addresses in them.
    pub(crate) fn new(
        definitions: &[MapDefinition],
        initial: &[Vec<u8>],
        pointers: &[Pointer],
        bytes_max: usize,
    ) -> Result<Box<Maps>, Error> {
        let mut maps = Box::new(Maps { maps: Vec::new(), vm: std::ptr::null_mut(), packet: None, random: 1 });
        if definitions.len() != initial.len() {
            let (maps, contents) = (definitions.len(), initial.len());
            return Err(argument(format!(
                "{maps} maps, and contents for {contents}: each map needs an entry"
            )));
        }
        for (definition, contents) in definitions.iter().zip(initial) {
            let mut map = Map::new(definition.clone(), bytes_max)?;
            map.fill(contents)?;
            maps.maps.push(map);
        }
        for pointer in pointers {
            maps.store(pointer).ok_or_else(|| argument(format!("{pointer}: one of the two is not there")))?;
        }
        Ok(maps)
    }

    /// Writes an address into the values of a map. `None` if it does not lie in them, or points elsewhere than into a map or
    /// to its end.
    fn store(&mut self, pointer: &Pointer) -> Option<()> {
        let target = &mut self.maps.get_mut(pointer.target)?.values;
        let start = target.as_mut_ptr() as u64;
        let address =
            (pointer.target_offset <= target.len() * 8).then(|| start + pointer.target_offset as u64)?;
        let values = &mut self.maps.get_mut(pointer.map)?.values;
        if pointer.offset.checked_add(8)? > values.len() * 8 {
            return None;
        }
        // SAFETY: the eight bytes lie in the values.
        unsafe {
            values.as_mut_ptr().cast::<u8>().add(pointer.offset).cast::<u64>().write_unaligned(address)
        };
        Some(())
    }

    /// Values of `lddw` for [`crate::Options::relocate`]: map handles, and addresses in data sections. They stay valid
    /// as long as the maps live.
    pub(crate) fn relocation(&mut self) -> crate::vm::Relocate {
        let addresses: Vec<(u64, u64)> = self
            .maps
            .iter_mut()
            .map(|map| (map.values.as_mut_ptr() as u64, map.values.len() as u64 * 8))
            .collect();
        Box::new(move |kind, imm, next_imm| {
            let (start, bytes) = addresses.get(imm as usize)?;
            match kind {
                LddwKind::MapByIndex => Some(HANDLE + u64::from(imm)),
                LddwKind::MapValueByIndex => {
                    (u64::from(next_imm) < *bytes).then(|| start + u64::from(next_imm))
                }
                _ => None,
            }
        })
    }

    /// The VM that the maps are attached to.
    pub(crate) fn vm(&self) -> *mut crate::ffi::EbpfVm {
        self.vm
    }

    /// Registers these helpers, and the memory of the values as regions, that of constants to be read only. The VM must have been created with these maps as
    /// its helper context ([`Maps::context`]), and must be dropped before them.
    pub(crate) fn attach(
        &mut self,
        vm: &mut Vm,
        helpers: impl IntoIterator<Item = (u32, Helper)>,
    ) -> Result<(), Error> {
        self.vm = vm.raw();
        for (number, function) in helpers {
            // SAFETY: the helpers check every argument against the VM's regions.
            unsafe { vm.register_helper(number, function, false)? };
        }
        for map in self.maps.iter_mut().filter(|map| !map.values.is_empty()) {
            let (start, bytes) = (map.values.as_mut_ptr().cast(), map.values.len() * 8);
            // SAFETY: the block does not move, and lives as long as the maps; that of constants is not written again.
            unsafe {
                if map.is_constant() {
                    vm.register_read_only_region(start, bytes)?;
                } else {
                    vm.register_region(start, bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Each map's definition and the bytes of all its values.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&MapDefinition, &[u8])> {
        self.maps.iter().map(|map| {
            let bytes = map.values.len() * 8;
            // SAFETY: the values' own memory, as bytes.
            let values = unsafe { std::slice::from_raw_parts(map.values.as_ptr().cast(), bytes) };
            (&map.definition, values)
        })
    }

    /// For [`crate::Options::helper_context`].
    pub(crate) fn context(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    /// The bytes at `address`, if the program may read them; a copy, since they may lie in a map that changes.
    ///
    /// # Safety
    /// Only during a run of the VM; without bounds, the program is trusted.
    pub(crate) unsafe fn program_bytes(&self, address: u64, bytes: usize) -> Option<Vec<u8>> {
        if bytes == 0 {
            return Some(Vec::new()); // nothing is read, so that the address may be 0, which no slice may have
        }
        // SAFETY: the VM is the one that is running.
        unsafe { crate::ffi::ebpf_may_read(self.vm, address, bytes) }
            // SAFETY: it is memory that the VM was given.
            .then(|| unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }.to_vec())
    }

    /// The type of the map that `lddw` loads this for; `None` if there is no such map.
    pub(crate) fn kind(&self, handle: u64) -> Option<MapKind> {
        self.by_handle(handle).map(|index| self.maps[index].definition.kind)
    }

    fn by_handle(&self, handle: u64) -> Option<usize> {
        let index = usize::try_from(handle.checked_sub(HANDLE)?).ok()?;
        (index < self.maps.len()).then_some(index)
    }
}

/// Runs `action` with the map of `handle` and the key at address `key`. EINVAL if there is no such map, EFAULT if the
/// program may not read the key.
fn with_key(
    context: *mut c_void,
    handle: u64,
    key: u64,
    action: impl FnOnce(&mut Maps, usize, &[u8]) -> i64,
) -> i64 {
    // SAFETY: the VM's helper context is the Maps that was attached to it.
    let maps = unsafe { &mut *context.cast::<Maps>() };
    let Some(index) = maps.by_handle(handle) else {
        return EINVAL;
    };
    let key_bytes = maps.maps[index].definition.key_bytes as usize;
    // SAFETY: a helper is called during a run.
    match unsafe { maps.program_bytes(key, key_bytes) } {
        Some(key) => action(maps, index, &key),
        None => EFAULT,
    }
}

/// Number and function of each map helper.
pub(crate) const HELPERS: [(u32, Helper); 3] = [(1, lookup), (2, update), (3, delete)];

extern "C" fn lookup(map: u64, key: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    let mut address = 0;
    with_key(context, map, key, |maps, index, key| {
        let map = &mut maps.maps[index];
        address = map.find(key).map_or(0, |found| map.address(found));
        0
    });
    address
}

extern "C" fn update(map: u64, key: u64, value: u64, flags: u64, _: u64, context: *mut c_void) -> u64 {
    with_key(context, map, key, |maps, index, key| {
        let bytes = maps.maps[index].definition.value_bytes as usize;
        // SAFETY: a helper is called during a run.
        match unsafe { maps.program_bytes(value, bytes) } {
            Some(value) => maps.maps[index].update_by_program(key, &value, flags),
            None => EFAULT,
        }
    }) as u64
}

extern "C" fn delete(map: u64, key: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    with_key(context, map, key, |maps, index, key| maps.maps[index].delete(key)) as u64
}
