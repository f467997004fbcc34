// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the out-of-order shapes differ in: which instructions may be dispatched together, and which queue and pipes they are bound to.

use super::super::queues::{Calendar, LANES};
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
    /// The cycle in which `op` can be dispatched, from `earliest` on, and whether that starts a new cycle's set; where there
    /// are slices, `held` is how many wait in each queue in the cycle `earliest`. What is `known` of its flags is known when
    /// this is compiled (`Op::has`).
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, taken: bool, held: &[u16; LANES]) -> (u64, bool);
    /// Finds slices for `op`, which may be dispatched in `cycle`, later than offered: the first cycle, from that one on, in
    /// which their queues have room.
    fn admit<K: Known>(&mut self, _op: &Op, cycle: u64, _taken: bool, _calendar: &mut Calendar) -> u64 {
        cycle
    }
    /// The instruction admitted last, whose unit's queue is `queue`, waits in the queues of its slices until `release`.
    fn hold(&self, _queue: u8, _calendar: &mut Calendar, _release: u64) {}
    /// Of the pipes in `mask`, those that a part of the instruction admitted last can take, or has to take all if it is a
    /// `pair`.
    fn pipes_of(&self, mask: u32, _part: usize, _pair: bool) -> u32 {
        mask
    }
    /// The slot that the instruction dispatched last begins with, where that matters.
    fn slot(&self) -> u32 {
        0
    }
    /// `op` is dispatched in `cycle`, which may be later than offered; `opens`: in a new group, or where there are none in a new
    /// cycle.
    fn settle<K: Known>(&mut self, op: &Op, cycle: u64, opens: bool, taken: bool);
}
