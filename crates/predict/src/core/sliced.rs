// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Dispatch of POWER9 and POWER10: internal operations to slices, no groups.
//!
//! Each cycle has slots for internal operations. A cracked instruction takes two or more; a restricted one (on
//! POWER9: what has to stay on one side of a superslice) blocks neighbours and is described as taking their slots
//! too. POWER10's pairs start at an even slot. Each instruction completes by itself, in order.

use super::execute::Rules;
use crate::description::{Description, EVEN, FIRST, LAST};
use crate::plan::{Op, BRANCH};

/// The slots of the current cycle.
pub(crate) struct Slices {
    width: u32,
    branches_max: u32,
    taken_max: u32,
    cycle: u64,
    used: u32,
    branches: u32,
    taken: u32,
    closed: bool,
}

impl Rules for Slices {
    const GROUPED: bool = false;

    fn new(description: &Description) -> Slices {
        Slices {
            width: description.dispatch.width,
            branches_max: description.dispatch.branches.unwrap_or(u32::MAX),
            taken_max: description.dispatch.taken.unwrap_or(u32::MAX),
            cycle: 0,
            used: 0,
            branches: 0,
            taken: 0,
            closed: false,
        }
    }

    #[inline]
    fn offer(&mut self, op: &Op, known: u32, earliest: u64, taken: bool) -> (u64, bool) {
        if earliest > self.cycle {
            return (earliest, true);
        }
        let even = if op.has(EVEN, known) { self.used & 1 } else { 0 };
        let must_open = self.closed || op.has(FIRST, known);
        let fits = (self.used == 0 || !must_open && self.used + even + u32::from(op.slots) <= self.width)
            && !(op.has(BRANCH, known) && self.branches >= self.branches_max)
            && !(taken && self.taken >= self.taken_max);
        if fits {
            (self.cycle, false)
        } else {
            (self.cycle + 1, true)
        }
    }

    #[inline]
    fn settle(&mut self, op: &Op, known: u32, cycle: u64, _opens: bool, taken: bool) {
        if cycle > self.cycle {
            self.cycle = cycle;
            self.used = 0;
            self.branches = 0;
            self.taken = 0;
            self.closed = false;
        }
        let even = if op.has(EVEN, known) { self.used & 1 } else { 0 };
        self.used += even + u32::from(op.slots);
        self.branches += u32::from(op.has(BRANCH, known));
        self.taken += u32::from(taken);
        self.closed = op.has(LAST, known);
    }
}
