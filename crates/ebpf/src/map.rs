// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One map. Programs get pointers to values, so the values of a map lie in one block that never moves and is a region of the
//! VM.

use crate::keys::{Keys, KEY_BOOKKEEPING_BYTES};
use crate::vm::{Error, Status};
use crate::zeros::zeros;

/// The type of a map; the numbers are those of the kernel's `enum bpf_map_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    /// Key to value: hash (1), per-CPU hash (5; there is one CPU here), and LRU hash (9, and per CPU 10; a full map refuses
    /// new keys here instead of evicting old ones).
    Hash,
    /// Index to value: array (2) and per-CPU array (6).
    Array,
    /// Known by number only: helpers find nothing in it.
    Other(u32),
}

impl MapKind {
    /// From the kernel's number.
    pub fn from_number(number: u32) -> MapKind {
        match number {
            1 | 5 | 9 | 10 => MapKind::Hash,
            2 | 6 => MapKind::Array,
            other => MapKind::Other(other),
        }
    }
}

/// A map as an object defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapDefinition {
    /// The name of the variable or of the data section.
    pub name: String,
    /// Its type.
    pub kind: MapKind,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of a value.
    pub value_bytes: u32,
    /// How many it holds at most.
    pub entries: u32,
}

/// Values are aligned so that programs can use atomics on them.
const VALUE_ALIGNMENT: usize = 8;

const EPERM: i64 = -1;
const ENOENT: i64 = -2;
const E2BIG: i64 = -7;
pub(crate) const EFAULT: i64 = -14;
const EEXIST: i64 = -17;
pub(crate) const EINVAL: i64 = -22;

/// An error of what the caller gave.
pub(crate) fn argument(message: String) -> Error {
    Error { status: Status::Argument, instruction: None, message }
}

pub(crate) struct Map {
    pub(crate) definition: MapDefinition,
    stride: usize,
    pub(crate) values: Vec<u64>,
    keys: Keys,
}

/// Bytes of a map's memory, if they are at most `bytes_max`. A hash has its keys and what finds them besides the values.
fn memory_bytes(definition: &MapDefinition, stride: usize, bytes_max: usize) -> Option<usize> {
    let key = match definition.kind {
        MapKind::Hash => (definition.key_bytes as usize).checked_add(KEY_BOOKKEEPING_BYTES)?,
        MapKind::Array => 0,
        MapKind::Other(_) => return Some(0),
    };
    let bytes = stride.checked_add(key)?.checked_mul(definition.entries as usize)?;
    (bytes <= bytes_max).then_some(bytes)
}

fn memory(message: String) -> Error {
    Error { status: Status::Memory, instruction: None, message }
}

fn too_large(definition: &MapDefinition, stride: usize, bytes_max: usize) -> Error {
    let MapDefinition { name, kind, key_bytes, entries, .. } = definition;
    let keys = match kind {
        MapKind::Hash => {
            format!(", with keys of {key_bytes} bytes and {KEY_BOOKKEEPING_BYTES} more to find each,")
        }
        _ => String::new(),
    };
    memory(format!(
        "map {name}: {entries} values of {stride} bytes{keys} are more than the {bytes_max} bytes that a map may have"
    ))
}

impl Map {
    /// An empty map; an error if it could take more than `bytes_max`.
    pub(crate) fn new(definition: MapDefinition, bytes_max: usize) -> Result<Map, Error> {
        let stride = (definition.value_bytes as usize).next_multiple_of(VALUE_ALIGNMENT);
        if memory_bytes(&definition, stride, bytes_max).is_none() {
            return Err(too_large(&definition, stride, bytes_max));
        }
        let entries = match definition.kind {
            MapKind::Other(_) => 0,
            _ => definition.entries,
        };
        let of_keys = if definition.kind == MapKind::Hash { entries } else { 0 };
        let keys = Keys::new(definition.key_bytes as usize, of_keys);
        let values = zeros(stride / VALUE_ALIGNMENT * entries as usize);
        let (Some(keys), Some(values)) = (keys, values) else {
            return Err(memory(format!("map {}: this system has no memory for it", definition.name)));
        };
        Ok(Map { stride, values, keys, definition })
    }

    /// Sets the value of a data section. Objects can be made by hand, so the contents are not trusted to fit.
    pub(crate) fn fill(&mut self, contents: &[u8]) -> Result<(), Error> {
        let MapDefinition { name, kind, value_bytes, entries, .. } = &self.definition;
        if contents.is_empty() {
            return Ok(());
        }
        if *kind != MapKind::Array || *entries == 0 {
            return Err(argument(format!("map {name}: contents, which only an array of a value has")));
        }
        if contents.len() > *value_bytes as usize {
            let bytes = contents.len();
            return Err(argument(format!(
                "map {name}: contents of {bytes} bytes for a value of {value_bytes}"
            )));
        }
        self.update(&0u32.to_ne_bytes(), contents, 0);
        Ok(())
    }

    /// Whether it is a section of constants, as libbpf tells them apart: the kernel lets no program write there.
    pub(crate) fn is_constant(&self) -> bool {
        self.definition
            .name
            .strip_prefix(".rodata")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Of the value with this index.
    pub(crate) fn address(&mut self, index: usize) -> u64 {
        self.values.as_mut_ptr() as u64 + (index * self.stride) as u64
    }

    /// The index of the value with this key.
    pub(crate) fn find(&mut self, key: &[u8]) -> Option<usize> {
        match self.definition.kind {
            MapKind::Hash => self.keys.find(key),
            MapKind::Array => {
                let index = u32::from_ne_bytes(key.try_into().ok()?);
                (index < self.definition.entries).then_some(index as usize)
            }
            MapKind::Other(_) => None,
        }
    }

    /// As the kernel's helper, which no program may call for constants.
    pub(crate) fn update_by_program(&mut self, key: &[u8], value: &[u8], flags: u64) -> i64 {
        if self.is_constant() {
            EPERM
        } else {
            self.update(key, value, flags)
        }
    }

    /// The kernel's flags: 0 inserts or replaces (BPF_ANY), 1 only inserts (BPF_NOEXIST), 2 only replaces (BPF_EXIST).
    fn update(&mut self, key: &[u8], value: &[u8], flags: u64) -> i64 {
        let index = match (self.find(key), flags) {
            (_, 3..) => return EINVAL,
            (Some(_), 1) => return EEXIST,
            (None, _) if self.definition.kind != MapKind::Hash => return E2BIG, // whatever the flags are
            (None, 2) => return ENOENT,
            (Some(index), _) => index,
            (None, _) => match self.keys.insert(key) {
                Some(index) => index,
                None => return E2BIG,
            },
        };
        let address = self.address(index) as *mut u8;
        // SAFETY: the index is below the number of values; fill and the helper give at most a value's bytes.
        unsafe { std::ptr::copy(value.as_ptr(), address, value.len()) };
        0
    }

    /// As the kernel's helper: 0 or a negative error.
    pub(crate) fn delete(&mut self, key: &[u8]) -> i64 {
        match self.definition.kind {
            MapKind::Hash if self.keys.remove(key) => 0,
            MapKind::Hash => ENOENT,
            _ => EINVAL,
        }
    }
}
