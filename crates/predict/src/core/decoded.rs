// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cache of decoded instructions: which lines of code come from it, and how fast the others are decoded.

use crate::description::Decoded;
use std::collections::HashMap;

/// A line that is kept, from an instruction on, and the entries that it takes.
struct Kept {
    line: u64,
    from: u64,
    entries: usize,
}

/// The cache, by sets; of a set, the line used last is the last.
pub(crate) struct DecodedLines {
    limits: Decoded,
    line_bytes: u64,
    sets: Vec<Vec<Kept>>,
    /// The line before is decoded.
    decoding: bool,
    /// The instruction by which fetch entered the line that is being decoded, if it is not in the cache, and its number.
    entered: Option<(u64, usize)>,
    /// By such an instruction, how many were decoded from it on until fetch left the line, the last time.
    found: HashMap<u64, u32>,
}

impl DecodedLines {
    pub(crate) fn new(limits: Decoded, line_bytes: u64) -> DecodedLines {
        let sets = (limits.entries / limits.ways).max(1);
        DecodedLines {
            limits,
            line_bytes,
            sets: (0..sets).map(|_| Vec::new()).collect(),
            decoding: false,
            entered: None,
            found: HashMap::new(),
        }
    }

    /// Fetch enters a line at `address`, from where on so many instructions of it are known, with the instruction of that number: how
    /// many aligned bytes of it are decoded in a cycle, or nothing if it comes from the cache. What is decoded is in the cache as soon
    /// as fetch has left the line, if it fits. Fetch that `follows` a line which is decoded turns to the cache only where an
    /// instruction begins with a line.
    pub(crate) fn enter(&mut self, address: u64, follows: bool, known: u32, number: usize) -> Option<u64> {
        if let Some((from, first)) = self.entered.take() {
            let instructions = u32::try_from(number.wrapping_sub(first)).unwrap_or(u32::MAX);
            self.found.insert(from, instructions);
            self.keep(from, instructions);
        }
        let line = self.line_of(address);
        let decodes = follows && self.decoding && address != line;
        let set = self.set_of(line);
        let kept = set.iter().rposition(|kept| kept.line == line && kept.from <= address);
        if let Some(at) = kept {
            set[at..].rotate_left(1);
        } else {
            self.entered = Some((address, number));
        }
        self.decoding = decodes || kept.is_none();
        let instructions = || *self.found.get(&address).unwrap_or(&known);
        self.decoding.then(|| self.limits.bytes >> u32::from(instructions() > self.limits.dense))
    }

    fn line_of(&self, address: u64) -> u64 {
        address & !(self.line_bytes - 1)
    }

    fn set_of(&mut self, line: u64) -> &mut Vec<Kept> {
        let number = (line / self.line_bytes) as usize % self.sets.len();
        &mut self.sets[number]
    }

    /// Keeps so many instructions of a line, from that one on.
    fn keep(&mut self, from: u64, instructions: u32) {
        let (line, limits) = (self.line_of(from), self.limits);
        let set = self.set_of(line);
        set.retain(|kept| kept.line != line);
        if instructions > limits.most {
            return;
        }
        let entries = if instructions > limits.dense { 3 } else { 2 };
        while set.iter().map(|kept| kept.entries).sum::<usize>() + entries > limits.ways {
            set.remove(0);
        }
        set.push(Kept { line, from, entries });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache, and the number of the next instruction.
    struct Fetch(DecodedLines, usize);

    impl Fetch {
        fn new() -> Fetch {
            let limits = Decoded { entries: 16, ways: 8, bytes: 32, dense: 16, most: 20 };
            Fetch(DecodedLines::new(limits, 64), 0)
        }

        /// Enters a line, of which so many instructions are fetched.
        fn enter(&mut self, address: u64, follows: bool, instructions: u32) -> Option<u64> {
            let decodes = self.0.enter(address, follows, instructions, self.1);
            self.1 += instructions as usize;
            decodes
        }
    }

    #[test]
    fn what_was_decoded_is_kept_as_long_as_there_is_room() {
        let mut fetch = Fetch::new();
        let mut enter = |line, instructions| fetch.enter(line, false, instructions);
        assert_eq!((enter(0, 16), enter(0, 16)), (Some(32), None));
        // In the same one of two sets, four lines of two entries each.
        for line in [128, 256, 384] {
            assert_eq!((enter(line, 4), enter(line, 4)), (Some(32), None));
        }
        assert_eq!(enter(0, 16), None);
        // A dense line takes three, and pushes out the two that were used longest ago.
        assert_eq!((enter(512, 17), enter(512, 17)), (Some(16), None));
        assert_eq!([0, 384].map(|line| enter(line, 16)), [None; 2]);
        assert_eq!(enter(128, 4), Some(32));
    }

    #[test]
    fn a_line_is_kept_from_where_it_was_entered() {
        let mut fetch = Fetch::new();
        assert_eq!((fetch.enter(30, false, 11), fetch.enter(30, false, 11)), (Some(32), None));
        assert_eq!((fetch.enter(33, false, 10), fetch.enter(0, false, 20)), (None, Some(16)));
        assert_eq!((fetch.enter(30, false, 11), fetch.enter(0, false, 20)), (None, None));
    }

    #[test]
    fn too_many_instructions_are_not_kept_unless_a_branch_leaves_before_them() {
        let mut fetch = Fetch::new();
        for _ in 0..3 {
            assert_eq!(fetch.enter(0, false, 21), Some(16));
        }
        assert_eq!(fetch.0.enter(64, false, 21, fetch.1), Some(16));
        fetch.1 += 5;
        assert_eq!(fetch.0.enter(64, false, 21, fetch.1), None);
    }

    #[test]
    fn decoding_goes_on_until_an_instruction_begins_with_a_line() {
        let mut fetch = Fetch::new();
        assert_eq!(fetch.enter(64, false, 16), Some(32));
        assert_eq!((fetch.enter(0, false, 21), fetch.enter(66, true, 16)), (Some(16), Some(32)));
        assert_eq!((fetch.enter(0, false, 21), fetch.enter(64, true, 16)), (Some(16), None));
        assert_eq!((fetch.enter(0, false, 21), fetch.enter(66, false, 16)), (Some(16), None));
    }
}
