// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The two halves of POWER7 and POWER8.
//!
//! Their unified issue queue is two queues, UQ0 and UQ1, and each feeds one pipe of each kind: FX, LS, on POWER8 LU, and a
//! vector pipe. Which one an instruction waits in is settled when it is dispatched: instructions of one kind go to the two in
//! turn. Two instructions that wait in one half for the same kind of pipe then issue one after the other, even if the pipe of
//! the other half is idle. The pipe of its half that simple fixed-point work goes to is chosen at the same time
//! (`units::Turns`).

use super::hint::mostly;
use super::planted::{planted, Fault};
use crate::description::Description;
use crate::op::{Op, FIXED, NEITHER};

/// Where a value's word (`values`) has the marks of the halves that the value is late for: above its domain.
const MARK_SHIFT: u32 = 13;
/// This bit in the number of a queue means its second half.
pub(crate) const SECOND_LANE: u8 = 4;

/// The half of one instruction.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    /// Pipes that it can use.
    pub(crate) pipes: u32,
    /// The mark of values that come late to it, and that of its own.
    pub(crate) far: u64,
    pub(crate) near: u64,
    /// What its queue's number is combined with.
    pub(crate) lane: u8,
}

impl Side {
    /// Of a core without halves.
    pub(crate) const WHOLE: Side = Side { pipes: u32::MAX, far: 0, near: 0, lane: 0 };
}

/// The mark of a value that comes late to both halves.
pub(crate) const ELSEWHERE: u64 = 3 << MARK_SHIFT;

/// The halves of a core.
pub(crate) struct Halves {
    sides: [Side; 2],
    /// For each kind, a bit: the half that the next one goes to.
    next: u32,
}

impl Halves {
    pub(crate) fn new(description: &Description) -> Halves {
        let Some(halves) = &description.halves else { return Halves { sides: [Side::WHOLE; 2], next: 0 } };
        let shared = !(halves[0] | halves[1]);
        let side = |half: usize| Side {
            pipes: halves[half] | shared,
            far: 1 << (MARK_SHIFT + 1 - half as u32),
            near: 1 << (MARK_SHIFT + half as u32),
            lane: half as u8 * SECOND_LANE,
        };
        Halves { sides: [side(0), side(1)], next: 0 }
    }

    /// The half that `op` is dispatched to.
    #[inline]
    pub(crate) fn steer(&mut self, op: &Op) -> Side {
        if mostly(op.steer < FIXED) {
            let bit = 1 << op.steer;
            let half = usize::from(self.next & bit != 0);
            self.next ^= if planted(Fault::HalfTurnForgotten) { 0 } else { bit };
            return self.sides[half];
        }
        if op.steer == NEITHER {
            return Side::WHOLE;
        }
        self.sides[usize::from(op.steer & 1)]
    }
}
