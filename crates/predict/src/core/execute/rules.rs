// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the out-of-order shapes differ in: which instructions may be dispatched together, and which queue and pipes they are bound to.

use super::super::queues::Calendar;
use crate::description::Description;
use crate::flags::Known;
use crate::op::Op;

/// Dispatch rules of a shape of core.
pub(crate) trait Rules: Send {
    /// Whether instructions complete in groups.
    const GROUPED: bool;
    /// Whether the core may have halves (`halves`).
    const HALVES: bool;
    /// Whether instructions are bound to slices, each with a queue and pipes of its own, when they are dispatched.
    const SLICED: bool = false;
    /// Rules of a cpu.
    fn new(description: &Description) -> Self;
    /// Takes away what `Description::without_dispatch` has left of groups and slices.
    fn unlimit(&mut self) {}
    /// Looks at the issue queues before the next instruction is offered in `cycle`.
    fn see(&mut self, _calendar: &mut Calendar, _cycle: u64) {}
    /// The cycle in which `op` can be dispatched, from `earliest` on, and whether that starts a new cycle's set. What is
    /// `known` of its flags is known when this is compiled (`Op::has`).
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, taken: bool) -> (u64, bool);
    /// Finds slices for `op` if it is dispatched in `cycle`, which may be later than offered.
    fn place<K: Known>(&mut self, _op: &Op, _cycle: u64, _taken: bool) {}
    /// Whether the instruction placed last is several operations.
    fn is_cracked(&self) -> bool {
        false
    }
    /// How many entries of `queue`, that of its unit, it takes: one for each operation in the queues of slices, one in another's.
    fn entries(&self, _queue: u8) -> usize {
        1
    }
    /// The queue in which its operation of that number waits; `queue` is that of its unit.
    fn queue(&self, queue: u8, _number: usize) -> usize {
        usize::from(queue)
    }
    /// Of the pipes in `mask`, those that a part of the instruction placed last can take, or has to take all if it is a
    /// `pair`.
    fn pipes_of(&self, mask: u32, _part: usize, _pair: bool) -> u32 {
        mask
    }
    /// The slot that the instruction placed last begins with, where that matters.
    fn slot(&self) -> usize {
        0
    }
    /// `op` is dispatched in `cycle`, which may be later than offered.
    fn settle<K: Known>(&mut self, op: &Op, cycle: u64, opens: bool, taken: bool);
}
