// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Dispatch groups of POWER7 and POWER8.
//!
//! Instructions leave the buffer in groups, one group a cycle, in order. A group has slots for ordinary
//! instructions and for branches; its second branch ends it. A cracked instruction takes two slots, a microcoded
//! one a whole group; some instructions have to be first in their group, some last, some alone. A group completes
//! as a whole when all of it has finished, in order, one a cycle, and only then do its stores go to the cache.
//!
//! The group former does not wait for instructions that have not been fetched: a group goes with those that have been.

use super::execute::Rules;
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::queues::LANES;
use crate::description::Description;
use crate::flags::{Flags, Known};
use crate::op::Op;

/// The group being formed.
pub(crate) struct Groups {
    width: u32,
    branches_max: u32,
    three_source_max: u32,
    open: bool,
    cycle: u64,
    used: u32,
    branches: u32,
    three_source: u32,
    /// Flags that make an instruction more than so many slots.
    special: Flags,
    /// The instruction before was a pair that started a half of the group.
    after_pair: bool,
    /// There are no groups: each instruction is one, and any number of them goes in a cycle.
    dissolved: bool,
}

impl Rules for Groups {
    const GROUPED: bool = true;
    const HALVES: bool = true;

    fn new(description: &Description) -> Groups {
        Groups {
            width: description.dispatch.width,
            branches_max: description.dispatch.branches.unwrap_or(1),
            three_source_max: description.dispatch.three_source.unwrap_or(u32::MAX),
            special: Flags::BRANCH
                | Flags::FIRST
                | Flags::LAST
                | Flags::ALONE
                | Flags::ENDS
                | Flags::EVEN
                | description.dispatch.three_source.map_or(Flags::NONE, |_| Flags::THREE_SOURCES),
            open: false,
            cycle: 0,
            used: 0,
            branches: 0,
            three_source: 0,
            after_pair: false,
            dissolved: false,
        }
    }

    fn unlimit(&mut self) {
        self.dissolved = true;
    }

    #[inline]
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, _taken: bool, _held: &[u16; LANES]) -> (u64, bool) {
        let has_room = if rarely(op.has_some::<K>(self.special)) {
            self.has_room(op)
        } else {
            self.used + u32::from(op.slots) <= self.width + u32::from(planted(Fault::GroupWider))
        };
        if mostly(self.open && earliest <= self.cycle && has_room) {
            (self.cycle, false)
        } else {
            (earliest.max(self.cycle + u64::from(!self.dissolved)), true)
        }
    }

    #[inline]
    fn settle<K: Known>(&mut self, op: &Op, cycle: u64, opens: bool, _taken: bool) {
        if rarely(opens) {
            self.used = 0;
            self.branches = 0;
            self.three_source = 0;
            self.after_pair = false;
        }
        self.open = !self.dissolved;
        self.cycle = self.cycle.max(cycle);
        if rarely(op.has_some::<K>(self.special)) {
            self.settle_special(op);
        } else {
            self.used += u32::from(op.slots);
            self.after_pair = false;
        }
    }
}

impl Groups {
    fn settle_special(&mut self, op: &Op) {
        if op.is(Flags::BRANCH) && !op.is(Flags::ALONE) {
            self.branches += 1;
            if self.branches == self.branches_max {
                self.open = false;
            }
        } else {
            if op.is(Flags::EVEN) && self.used > 0 {
                self.used = self.width / 2;
            }
            self.used += u32::from(op.slots);
        }
        self.three_source += u32::from(op.is(Flags::THREE_SOURCES));
        self.after_pair = op.is(Flags::EVEN);
        if op.is(Flags::LAST | Flags::ALONE | Flags::ENDS) {
            self.open = false;
        }
    }

    fn has_room(&self, op: &Op) -> bool {
        if op.is(Flags::BRANCH) && !op.is(Flags::ALONE) {
            return !op.is(Flags::FIRST) && self.branches < self.branches_max;
        }
        let first_only = op.is(Flags::FIRST | Flags::ALONE);
        if first_only && self.used + self.branches > 0 {
            return false;
        }
        if op.is(Flags::THREE_SOURCES) && self.three_source >= self.three_source_max {
            return false;
        }
        if op.is(Flags::EVEN) && self.used > 0 {
            let half = self.width / 2;
            return self.after_pair && self.used <= half && half + u32::from(op.slots) <= self.width;
        }
        self.used + u32::from(op.slots) <= self.width
    }
}
