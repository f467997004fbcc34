// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Structures with a limited number of entries.
//!
//! `Ring` is for entries that are freed in program order (reorder buffer, load queue, rename registers of
//! completed instructions): entry i can be taken when entry i-n is free. `Calendar` is for issue queues, whose entries
//! are freed in any order: it counts how many become free in each cycle, and since dispatch never goes back in time, the
//! count is exact and costs a few additions a cycle.

use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use crate::description::{Part, NO_QUEUE};

/// Most entries of a ring: a power of two, no fewer than a cpu file may give any structure or than unlimited ones have.
pub(crate) const RING_MAX: usize = 2048;
/// Issue queues counted.
pub(crate) const LANES: usize = 8;
/// Cycles that a release can lie ahead; a power of two, small enough to stay in a first-level cache.
const HORIZON: usize = 2048;

/// Entries freed in program order; each keeps a number above zero that its holder left in it.
pub(crate) struct Ring {
    holders: [u64; RING_MAX],
    /// Of a power of two that is no less than `entries`.
    mask: usize,
    entries: usize,
    next: usize,
}

impl Ring {
    /// At most `RING_MAX` entries.
    pub(crate) fn new(entries: usize) -> Ring {
        let entries = (entries + usize::from(planted(Fault::RingLonger))).clamp(1, RING_MAX);
        Ring { holders: [0; RING_MAX], mask: entries.next_power_of_two() - 1, entries, next: 0 }
    }

    /// How many there are.
    pub(crate) fn entries(&self) -> u64 {
        self.entries as u64
    }

    /// The holder of the entry that is to be taken next; 0 if it was never taken.
    #[inline]
    pub(crate) fn oldest(&self) -> u64 {
        self.holders[(self.next.wrapping_sub(self.entries) & self.mask) % RING_MAX]
    }

    /// Takes that entry; says who held it.
    #[inline]
    pub(crate) fn take(&mut self, holder: u64) -> u64 {
        let before = self.oldest();
        self.holders[(self.next & self.mask) % RING_MAX] = holder;
        self.next = self.next.wrapping_add(1);
        before
    }
}

/// Entries of several queues, freed in any order.
pub(crate) struct Calendar {
    releases: [[u16; LANES]; HORIZON],
    held: [u16; LANES],
    limits: [u16; LANES],
    /// Cycles by which each queue's entries are freed later than their holders say.
    later: [u64; LANES],
    now: u64,
}

impl Calendar {
    pub(crate) fn new(limits: [u16; LANES]) -> Calendar {
        Calendar { releases: [[0; LANES]; HORIZON], held: [0; LANES], limits, later: [0; LANES], now: 0 }
    }

    /// With entries that are freed so many cycles later than their holders say.
    pub(crate) fn held_for(mut self, later: &[u64]) -> Calendar {
        for (own, &later) in self.later.iter_mut().zip(later) {
            *own = if planted(Fault::EntryFreedAtIssue) { 0 } else { later };
        }
        self
    }

    /// Moves on to `cycle`: entries released until then are free.
    #[inline(never)]
    fn advance(&mut self, cycle: u64) {
        if rarely(cycle > self.now + HORIZON as u64) {
            self.releases.fill([0; LANES]);
            self.held = [0; LANES];
            self.now = cycle;
        }
        while self.now < cycle {
            self.tick();
        }
    }

    /// Moves on to the next cycle.
    #[inline(always)]
    pub(crate) fn tick(&mut self) {
        self.now += 1;
        let released = std::mem::replace(&mut self.releases[self.now as usize % HORIZON], [0; LANES]);
        for (held, released) in self.held.iter_mut().zip(released) {
            *held = held.wrapping_sub(released);
        }
    }

    /// Whether the queue has no room then.
    #[inline(always)]
    pub(crate) fn is_full(&self, queue: usize) -> bool {
        self.held[queue % LANES] >= self.limits[queue % LANES]
    }

    /// The first cycle, from `cycle` on, at which the queue has room.
    #[inline(always)]
    pub(crate) fn admit(&mut self, queue: usize, cycle: u64) -> u64 {
        self.pass(cycle);
        debug_assert_eq!(self.now, cycle, "nobody asks for an earlier one");
        if mostly(!self.is_full(queue)) {
            return cycle;
        }
        self.wait(queue);
        self.now
    }

    /// The first cycle, from `cycle` on, at which the queue has room for so many or is empty.
    #[inline]
    pub(crate) fn admit_together(&mut self, queue: usize, many: u16, cycle: u64) -> u64 {
        self.pass(cycle);
        let queue = queue % LANES;
        let held = u32::from(self.limits[queue]).saturating_sub(u32::from(many));
        while rarely(u32::from(self.held[queue]) > held) && self.held[queue] > 0 {
            self.tick();
        }
        self.now
    }

    /// The first cycle, from `cycle` on, at which the queue of each of these parts has room for all of them that wait in it.
    #[inline(never)]
    pub(crate) fn admit_parts(&mut self, parts: &[Part], cycle: u64) -> u64 {
        self.pass(cycle);
        let parts = if planted(Fault::OneOperationQueued) { &parts[..1] } else { parts };
        for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.queue != NO_QUEUE) {
            let alike = parts[..index].iter().filter(|other| other.queue == part.queue);
            self.admit_together(usize::from(part.queue), 1 + alike.count() as u16, cycle);
        }
        self.now
    }

    /// Goes to `cycle`, if it stands before it. Nothing asks for an earlier one any more.
    #[inline(always)]
    pub(crate) fn pass(&mut self, cycle: u64) {
        if rarely(self.is_before(cycle)) {
            // Mostly it is the next.
            self.tick();
            if rarely(self.is_before(cycle)) {
                self.advance(cycle);
            }
        }
    }

    /// Whether it stands before that cycle.
    #[inline(always)]
    pub(crate) fn is_before(&self, cycle: u64) -> bool {
        self.now < cycle
    }

    /// How many entries of each queue are held in the cycle at which it stands.
    #[inline(always)]
    pub(crate) fn held(&self) -> &[u16; LANES] {
        &self.held
    }

    #[inline(never)]
    fn wait(&mut self, queue: usize) {
        while self.is_full(queue) {
            self.tick();
        }
    }

    /// Takes an entry, admitted before `release`, until then.
    #[inline]
    pub(crate) fn hold(&mut self, queue: usize, release: u64) {
        debug_assert!(release > self.now);
        let release = release - u64::from(planted(Fault::QueueFreedEarly) && release > self.now + 1);
        let queue = queue % LANES;
        let release = (release + self.later[queue]).min(self.now + HORIZON as u64 - 1);
        self.held[queue] = self.held[queue].wrapping_add(1);
        let releases = &mut self.releases[release as usize % HORIZON][queue];
        *releases = releases.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_admits_when_the_first_entry_leaves_whoever_came_first() {
        let mut limits = [u16::MAX; LANES];
        limits[0] = 2;
        let mut calendar = Calendar::new(limits);
        assert_eq!(calendar.admit(0, 5), 5);
        calendar.hold(0, 30);
        calendar.hold(0, 9);
        assert_eq!(calendar.admit(0, 6), 9);
        calendar.hold(0, 12);
        assert_eq!(calendar.admit(0, 10), 12);
    }

    #[test]
    fn a_ring_names_the_holder_of_the_entry_to_be_reused() {
        let mut ring = Ring::new(2);
        assert_eq!(ring.oldest(), 0);
        assert_eq!(ring.take(1), 0);
        ring.take(2);
        assert_eq!(ring.oldest(), 1);
        assert_eq!(ring.take(3), 1);
    }
}
