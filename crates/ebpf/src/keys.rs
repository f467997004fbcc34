// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The keys of a hash map, each with the index of its value. They lie in one block, and the hashes of those in use in a tree,
//! so that a map's memory is known before anything is in it, and nothing is written for entries that are not in use.

use crate::zeros::zeros;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

/// The most that a key takes besides its own bytes: 38 in the tree, whose nodes of 112 and 208 bytes hold at least 5 keys, and
/// 8 in the list of free indices, which doubles as it grows.
pub(crate) const KEY_BOOKKEEPING_BYTES: usize = 48;

pub(crate) struct Keys {
    key_bytes: usize,
    entries: u32,
    keys: Vec<u8>,
    /// Hash and index of each key in use. The hashes are seeded: a program cannot choose keys of one hash.
    in_use: BTreeSet<(u32, u32)>,
    hasher: RandomState,
    /// Indices below this have been in use.
    used: u32,
    /// Those of them that are not in use any more.
    free: Vec<u32>,
}

impl Keys {
    /// `None` without memory. The caller knows that the bytes of all keys can be counted.
    pub(crate) fn new(key_bytes: usize, entries: u32) -> Option<Keys> {
        Some(Keys {
            key_bytes,
            entries,
            keys: zeros(key_bytes * entries as usize)?,
            in_use: BTreeSet::new(),
            hasher: RandomState::new(),
            used: 0,
            free: Vec::new(),
        })
    }

    fn hash(&self, key: &[u8]) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    fn place(&self, index: u32) -> std::ops::Range<usize> {
        let start = index as usize * self.key_bytes;
        start..start + self.key_bytes
    }

    fn entry(&self, key: &[u8]) -> Option<(u32, u32)> {
        let hash = self.hash(key);
        let mut same_hash = self.in_use.range((hash, 0)..=(hash, u32::MAX)).copied();
        same_hash.find(|(_, index)| self.keys[self.place(*index)] == *key)
    }

    /// The index of a key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<usize> {
        self.entry(key).map(|(_, index)| index as usize)
    }

    /// Adds a key that is not there, and gives its index; `None` if there is no room.
    pub(crate) fn insert(&mut self, key: &[u8]) -> Option<usize> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.used < self.entries => {
                self.used += 1;
                self.used - 1
            }
            None => return None,
        };
        let place = self.place(index);
        self.keys[place].copy_from_slice(key);
        self.in_use.insert((self.hash(key), index));
        Some(index as usize)
    }

    /// Removes a key; false if it is not there.
    pub(crate) fn remove(&mut self, key: &[u8]) -> bool {
        let Some(entry) = self.entry(key) else { return false };
        self.in_use.remove(&entry);
        self.free.push(entry.1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_index_until_they_are_removed() {
        let mut keys = Keys::new(2, 3).expect("memory");
        assert_eq!([b"aa", b"bb", b"cc"].map(|key| keys.insert(key)), [Some(0), Some(1), Some(2)]);
        assert_eq!((keys.insert(b"dd"), keys.find(b"dd"), keys.find(b"bb")), (None, None, Some(1)));
        assert!(keys.remove(b"bb") && !keys.remove(b"bb"));
        assert_eq!((keys.insert(b"dd"), keys.find(b"bb")), (Some(1), None));
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut keys = Keys::new(4, 300_000).expect("memory"); // by the birthday bound, about ten pairs share 32 bits
        for key in 0..300_000_u32 {
            assert_eq!(keys.insert(&key.to_ne_bytes()), Some(key as usize));
        }
        assert!((0..300_000_u32).all(|key| keys.find(&key.to_ne_bytes()) == Some(key as usize)));
    }
}
