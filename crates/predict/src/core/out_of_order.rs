// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Dispatch of plain out-of-order cores: so many instructions renamed a cycle, whatever they are.

use super::execute::Rules;
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::queues::LANES;
use crate::description::{Accept, Description};
use crate::flags::{Flags, Known};
use crate::op::Op;

/// The rename slots of the current cycle.
pub(crate) struct Slots {
    width: u32,
    branches_max: u32,
    taken_max: u32,
    cycle: u64,
    used: u32,
    branches: u32,
    taken: u32,
    /// Sets of pipes that slots go to in turn, all of these, and whose turn the newest instruction's first slot is.
    lanes: Box<[u32]>,
    any: u32,
    lane: u32,
    /// A byte for each limit on what a cycle accepts: how many it has accepted, counted so that the highest bit is set when that is
    /// all, and where that count begins. `counts` has for each set of limits, a bit each, a one in their bytes.
    accepted: u64,
    none_accepted: u64,
    counts: [u64; 256],
}

impl Rules for Slots {
    const GROUPED: bool = false;
    const HALVES: bool = false;

    fn new(description: &Description) -> Slots {
        let byte = |bit: usize, number: u8| u64::from(number) << (8 * bit);
        let accepts = &description.dispatch.accepts;
        // Of limits that are lifted (`explain`) instructions still have their bits.
        let counts = |set: usize| (0..accepts.len()).map(|bit| byte(bit, (set >> bit & 1) as u8)).sum();
        let more = u8::from(planted(Fault::AcceptsMore));
        let begins = |(bit, accept): (usize, &Accept)| byte(bit, 0x80 - accept.operations - more);
        let none_accepted = accepts.iter().enumerate().map(begins).sum();
        Slots {
            width: description.dispatch.width,
            branches_max: description.dispatch.branches.unwrap_or(u32::MAX),
            taken_max: description.dispatch.taken.unwrap_or(u32::MAX),
            cycle: 0,
            used: 0,
            branches: 0,
            taken: 0,
            any: description.dispatch.lanes.iter().fold(0, |all, lane| all | lane),
            lanes: description.dispatch.lanes.clone().into_boxed_slice(),
            lane: 0,
            accepted: none_accepted,
            none_accepted,
            counts: std::array::from_fn(counts),
        }
    }

    #[inline(always)]
    fn pipes_of(&self, mask: u32, part: usize, _pair: bool) -> u32 {
        if mostly(mask != self.any || mask == 0) {
            return mask;
        }
        self.lanes[(self.lane as usize + part) % self.lanes.len()]
    }

    #[inline]
    fn slot(&self) -> u32 {
        self.lane
    }

    #[inline]
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, taken: bool, _held: &[u16; LANES]) -> (u64, bool) {
        debug_assert!(earliest >= self.cycle);
        let full = op.has::<K>(Flags::BRANCH) && self.branches >= self.branches_max
            || taken && self.taken >= self.taken_max
            || op.steer != 0 && self.accepted & self.counts[usize::from(op.steer)] << 7 != 0;
        // The second of a fused pair takes the slot of the first.
        if mostly((self.used < self.width || op.slots == 0) && !full) {
            return (earliest, earliest > self.cycle);
        }
        let free = if self.used >= self.width { self.free() } else { self.cycle + 1 };
        let cycle = earliest.max(free);
        (cycle, cycle > self.cycle)
    }

    #[inline]
    fn settle<K: Known>(&mut self, op: &Op, cycle: u64, opens: bool, taken: bool) {
        debug_assert_eq!(opens, cycle > self.cycle);
        if rarely(opens) {
            // Slots that did not fit into one cycle are taken in the next.
            let passed = (cycle - self.cycle).saturating_mul(u64::from(self.width));
            let left = u64::from(self.used).saturating_sub(passed) as u32;
            self.used = if planted(Fault::SpillForgotten) { 0 } else { left };
            self.cycle = cycle;
            self.branches = 0;
            self.taken = 0;
            self.accepted = self.none_accepted;
        }
        let shared = u32::from(op.slots == 0);
        self.lane = if planted(Fault::LaneForgotten) { 0 } else { self.used.saturating_sub(shared) };
        self.used += u32::from(op.slots);
        self.branches += u32::from(op.has::<K>(Flags::BRANCH));
        self.taken += u32::from(taken);
        if rarely(op.steer != 0) {
            self.accepted += self.counts[usize::from(op.steer)];
        }
    }
}

impl Slots {
    /// The first cycle with room after the newest instruction, which takes more slots than a cycle has.
    #[inline]
    fn free(&self) -> u64 {
        let cycles = if self.used < 2 * self.width { 1 } else { self.used / self.width };
        self.cycle + u64::from(cycles)
    }
}
