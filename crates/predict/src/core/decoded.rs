// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The cache of decoded instructions: which lines of code come from it, and how fast the others are decoded.

use crate::description::Decoded;

/// A line that is kept, and the entries that it takes.
struct Kept {
    line: u64,
    entries: usize,
}

/// The cache, by sets; of a set, the line used last is the last.
pub(crate) struct DecodedLines {
    limits: Decoded,
    line_bytes: u64,
    sets: Vec<Vec<Kept>>,
    /// The line before is decoded.
    decoding: bool,
}

impl DecodedLines {
    pub(crate) fn new(limits: Decoded, line_bytes: u64) -> DecodedLines {
        let sets = (limits.entries / limits.ways).max(1);
        DecodedLines { limits, line_bytes, sets: (0..sets).map(|_| Vec::new()).collect(), decoding: false }
    }

    /// Fetch enters a line at `address`, in which so many instructions are known: how many aligned bytes of it are decoded in a cycle,
    /// or nothing if it comes from the cache. It is in the cache then, if so many fit. Fetch that `follows` a line which is decoded
    /// turns to the cache only where an instruction begins with a line.
    pub(crate) fn enter(&mut self, address: u64, follows: bool, instructions: u32) -> Option<u64> {
        let line = address & !(self.line_bytes - 1);
        let goes_on = follows && self.decoding && address != line;
        let number = (line / self.line_bytes) as usize % self.sets.len();
        let set = &mut self.sets[number];
        if let Some(at) = set.iter().rposition(|kept| kept.line == line) {
            set[at..].rotate_left(1);
            self.decoding = goes_on;
            return goes_on.then_some(self.rate(instructions));
        }
        self.decoding = true;
        let dense = instructions > self.limits.dense;
        if instructions <= self.limits.most {
            let entries = if dense { 3 } else { 2 };
            while set.iter().map(|kept| kept.entries).sum::<usize>() + entries > self.limits.ways {
                set.remove(0);
            }
            set.push(Kept { line, entries });
        }
        Some(self.rate(instructions))
    }

    /// Bytes decoded in a cycle of a line with so many instructions.
    fn rate(&self, instructions: u32) -> u64 {
        self.limits.bytes >> u32::from(instructions > self.limits.dense)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> DecodedLines {
        DecodedLines::new(Decoded { entries: 16, ways: 8, bytes: 32, dense: 16, most: 20 }, 64)
    }

    #[test]
    fn what_was_decoded_is_kept_as_long_as_there_is_room() {
        let mut cache = lines();
        let mut enter = |line, instructions| cache.enter(line, false, instructions);
        assert_eq!(enter(0, 16), Some(32));
        assert_eq!(enter(0, 16), None);
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
    fn too_many_instructions_are_not_kept() {
        let mut cache = lines();
        for _ in 0..3 {
            assert_eq!(cache.enter(0, false, 21), Some(16));
        }
        assert_eq!((cache.enter(64, false, 20), cache.enter(64, false, 20)), (Some(16), None));
    }

    #[test]
    fn decoding_goes_on_until_an_instruction_begins_with_a_line() {
        let mut cache = lines();
        assert_eq!(cache.enter(64, false, 16), Some(32));
        assert_eq!((cache.enter(0, false, 21), cache.enter(66, true, 16)), (Some(16), Some(32)));
        assert_eq!((cache.enter(0, false, 21), cache.enter(64, true, 16)), (Some(16), None));
        assert_eq!((cache.enter(0, false, 21), cache.enter(66, false, 16)), (Some(16), None));
    }
}
