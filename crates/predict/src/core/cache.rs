// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One level's lines, or whatever else is kept by sets: branch targets, too.
//!
//! Every line carries the cycle at which it arrives, so a second access to a missing line waits for the first
//! one's transfer, and a prefetched line that is late costs what is left. Replacement is least recently used.

use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};

const NONE: u64 = u64::MAX;
const PREFETCHED: u64 = 1 << 63;
const WRITTEN: u64 = 1 << 62;
const MARKS: u64 = PREFETCHED | WRITTEN;

/// One set-associative cache; within a set the lines stand in order of use.
#[derive(Clone)]
pub struct Cache {
    /// Line number and cycle of arrival, marked when a prefetch brought it and it has not been used yet, and when it was written.
    lines: Box<[(u64, u64)]>,
    sets: usize,
    /// The number of sets is a power of two.
    whole_mask: bool,
    ways: usize,
}

impl Cache {
    /// An empty cache.
    pub fn new(sets: usize, ways: usize) -> Cache {
        Cache { lines: vec![(NONE, 0); sets * ways].into(), sets, whole_mask: sets.is_power_of_two(), ways }
    }

    /// Where the lines of a set start: there is the one that was used last.
    #[inline]
    fn newest(&self, line: u64) -> usize {
        let set = if self.whole_mask {
            line as usize & (self.sets - 1)
        } else {
            (line % self.sets as u64) as usize
        };
        set * self.ways
    }

    #[inline]
    fn set(&mut self, line: u64) -> &mut [(u64, u64)] {
        let newest = self.newest(line);
        &mut self.lines[newest..newest + self.ways]
    }

    /// Looks a line up and makes it the most recently used: arrival, and whether this is the first use after a prefetch.
    #[inline]
    pub fn touch(&mut self, line: u64) -> Option<(u64, bool)> {
        self.touch_as(line, line)
    }

    /// The same where entries of one line's number have tags of their own.
    #[inline]
    pub(super) fn touch_as(&mut self, line: u64, tag: u64) -> Option<(u64, bool)> {
        let newest = self.newest(line);
        let newest = &mut self.lines[newest];
        if rarely(newest.0 != tag) {
            return self.use_older(line, tag);
        }
        Some(used(newest))
    }

    /// The same of a line that is not the most recently used of its set.
    #[inline(never)]
    fn use_older(&mut self, line: u64, tag: u64) -> Option<(u64, bool)> {
        let set = self.set(line);
        let way = set.iter().position(|&(of, _)| of == tag)?;
        if planted(Fault::UseForgotten) {
            return Some((set[way].1 & !MARKS, false));
        }
        let again = set[way];
        set.copy_within(..way, 1);
        set[0] = again;
        Some(used(&mut set[0]))
    }

    /// The line is written, if it is there.
    #[inline]
    pub(super) fn write(&mut self, line: u64) {
        let newest = self.newest(line);
        let newest = &mut self.lines[newest];
        if mostly(newest.0 == line) {
            newest.1 |= WRITTEN;
            return;
        }
        if let Some(found) = self.set(line).iter_mut().find(|found| found.0 == line) {
            found.1 |= WRITTEN;
        }
    }

    /// Whether `insert` of this line pushes one out that was written.
    pub(super) fn pushes_out(&mut self, line: u64) -> bool {
        self.set(line).last().is_some_and(|&(tag, arrival)| tag != NONE && arrival & WRITTEN != 0)
    }

    /// Of a line that is there, whether a prefetch brought it and it has not been used yet; leaves the order of use alone.
    #[inline]
    pub(super) fn look(&mut self, line: u64) -> Option<bool> {
        let found = self.set(line).iter().find(|&&(tag, _)| tag == line);
        found.map(|&(_, arrival)| arrival & PREFETCHED != 0)
    }

    /// When the line arrives, or arrived, leaving the order of use alone.
    #[inline]
    pub(super) fn arrival(&mut self, line: u64) -> Option<u64> {
        let newest = self.lines[self.newest(line)];
        if mostly(newest.0 == line) {
            return Some(newest.1 & !MARKS);
        }
        let found = self.set(line).iter().find(|&&(tag, _)| tag == line);
        found.map(|&(_, arrival)| arrival & !MARKS)
    }

    /// Whether the line was used last of its set and before, and arrives by `cycle`.
    #[inline]
    pub(super) fn is_newest(&self, line: u64, cycle: u64) -> bool {
        let (tag, arrival) = self.lines[self.newest(line)];
        tag == line && arrival & !WRITTEN <= cycle
    }

    /// Whether the line is there, leaving the order of use alone.
    pub fn holds(&mut self, line: u64) -> bool {
        self.look(line).is_some()
    }

    /// Whether a prefetch brought the line and it has not been used yet.
    pub fn is_prefetched(&mut self, line: u64) -> bool {
        self.look(line) == Some(true)
    }

    /// The line that `insert` of this one would evict, and whether a prefetch brought it and it was never used.
    pub fn victim(&mut self, line: u64) -> Option<(u64, bool)> {
        let &(tag, arrival) = self.set(line).last()?;
        (tag != NONE).then_some((tag, arrival & PREFETCHED != 0))
    }

    /// The number of sets.
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// The lines of a set, most recently used first.
    pub fn lines_of_set(&self, set: usize) -> impl Iterator<Item = u64> + '_ {
        let lines = &self.lines[set * self.ways..(set + 1) * self.ways];
        lines.iter().map(|&(tag, _)| tag).filter(|&tag| tag != NONE)
    }

    /// Brings a line in.
    pub fn insert(&mut self, line: u64, arrival: u64, prefetched: bool) {
        self.insert_as(line, line, arrival | if prefetched { PREFETCHED } else { 0 });
    }

    pub(super) fn insert_as(&mut self, line: u64, tag: u64, arrival: u64) {
        let set = self.set(line);
        set.copy_within(..set.len() - 1, 1);
        set[0] = (tag, arrival);
    }
}

/// Notes the use of a line: its arrival, and whether this is the first use after a prefetch.
#[inline]
fn used((_, arrival): &mut (u64, u64)) -> (u64, bool) {
    let before = std::mem::replace(arrival, *arrival & !PREFETCHED);
    (before & !MARKS, before & PREFETCHED != 0)
}
