// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Execution pipes: which is taken in which cycle.
//!
//! Instructions arrive in program order and take the first free cycle from the one in which their sources are
//! ready, so an older instruction is served before a younger one and a younger one may use what an older left
//! free: oldest-first scheduling, without ticking through cycles.

use crate::description::Part;

/// Cycles remembered; a reservation farther ahead than this meets no competition.
/// A power of two, small enough that the table stays in a first-level cache.
const HORIZON: usize = 2048;
const SPANS: usize = 16;

#[derive(Clone, Copy, Default)]
struct Cycle {
    /// Low bits of the cycle's number; the table is never out of step by as much as half of their range.
    number: u32,
    busy: u32,
}

/// Cycles known to be full for one choice of pipes, so that a long queue is not searched again and again.
#[derive(Clone, Copy, Default)]
struct Span {
    mask: u32,
    from: u64,
    to: u64,
}

/// The pipes of a core.
pub(crate) struct Pipes {
    cycles: Box<[Cycle; HORIZON]>,
    spans: [Span; SPANS],
}

impl Pipes {
    pub(crate) fn new() -> Pipes {
        Pipes { cycles: Box::new([Cycle::default(); HORIZON]), spans: [Span::default(); SPANS] }
    }

    #[inline]
    fn busy(&mut self, cycle: u64) -> u32 {
        let number = cycle as u32;
        let slot = &mut self.cycles[cycle as usize % HORIZON];
        if (number.wrapping_sub(slot.number) as i32) > 0 {
            *slot = Cycle { number, busy: 0 };
        }
        if slot.number == number {
            slot.busy
        } else {
            0
        }
    }

    #[inline]
    fn take(&mut self, cycle: u64, pipe: u32) {
        self.busy(cycle);
        let slot = &mut self.cycles[cycle as usize % HORIZON];
        if slot.number == cycle as u32 {
            slot.busy |= pipe;
        }
    }

    /// Takes one of the part's pipes, at `earliest` or as soon after it as one is free; says when.
    #[inline(never)]
    pub(crate) fn reserve(&mut self, part: &Part, earliest: u64) -> u64 {
        if part.mask == 0 {
            return earliest;
        }
        if part.busy > 1 {
            return self.reserve_long(part, earliest);
        }
        self.reserve_one(part.mask, part.prefer, earliest)
    }

    /// The same for a part that occupies its pipe for one cycle.
    #[inline]
    pub(crate) fn reserve_one(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        if self.try_one(mask, prefer, earliest) {
            earliest
        } else {
            self.reserve_later(mask, prefer, earliest)
        }
    }

    /// Takes one of the pipes in that cycle, if one is free.
    #[inline]
    fn try_one(&mut self, mask: u32, prefer: u32, cycle: u64) -> bool {
        let number = cycle as u32;
        let slot = &mut self.cycles[cycle as usize % HORIZON];
        if (number.wrapping_sub(slot.number) as i32) < 0 {
            return true;
        }
        // An entry of an older cycle counts as empty; that it is one cannot be foreseen, so nothing branches on it.
        let busy = slot.busy & u32::from(slot.number == number).wrapping_neg();
        let free = mask & !busy;
        let preferred = if free & prefer != 0 { free & prefer } else { free };
        *slot = Cycle { number, busy: busy | preferred & preferred.wrapping_neg() };
        free != 0
    }

    /// Takes one of the pipes after `earliest`, in which none is free.
    fn reserve_later(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        let index = (mask.wrapping_mul(0x9e37_79b9) >> 28) as usize;
        let span = self.spans[index];
        let known = span.mask == mask && span.from <= earliest && earliest <= span.to;
        let (from, mut cycle) = (if known { span.from } else { earliest }, earliest + 1);
        cycle = if known { cycle.max(span.to) } else { cycle };
        while !self.try_one(mask, prefer, cycle) {
            cycle += 1;
        }
        self.spans[index] = Span { mask, from, to: cycle };
        cycle
    }

    /// The same for a part that occupies its pipe for several cycles.
    fn reserve_long(&mut self, part: &Part, earliest: u64) -> u64 {
        let mut cycle = earliest;
        let pipe = loop {
            let free = part.mask & !self.busy(cycle);
            match self.choose(part, free, cycle) {
                Some(pipe) if free != 0 => break pipe,
                _ => cycle += 1,
            }
        };
        for ahead in 0..u64::from(part.busy) {
            self.take(cycle + ahead, pipe);
        }
        cycle
    }

    /// A pipe among `free` that stays free as long as the part occupies it.
    fn choose(&mut self, part: &Part, free: u32, cycle: u64) -> Option<u32> {
        let mut usable = free;
        for ahead in 1..u64::from(part.busy) {
            usable &= !self.busy(cycle + ahead);
        }
        if usable == 0 {
            return None;
        }
        let preferred = if usable & part.prefer != 0 { usable & part.prefer } else { usable };
        Some(preferred & preferred.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Waits;

    fn part(mask: u32, busy: u16) -> Part {
        Part { mask, prefer: mask, waits: Waits::All, busy, step: 1 }
    }

    #[test]
    fn two_pipes_serve_two_a_cycle_and_a_gap_is_filled_by_a_younger_instruction() {
        let mut pipes = Pipes::new();
        let taken: Vec<_> = (0..5).map(|_| pipes.reserve(&part(3, 1), 10)).collect();
        assert_eq!(taken, [10, 10, 11, 11, 12]);
        assert_eq!(pipes.reserve(&part(3, 1), 5), 5);
    }

    #[test]
    fn a_divider_blocks_its_pipe() {
        let mut pipes = Pipes::new();
        assert_eq!(pipes.reserve(&part(1, 20), 3), 3);
        assert_eq!(pipes.reserve(&part(1, 1), 4), 23);
        assert_eq!(pipes.reserve(&part(3, 1), 4), 4);
    }
}
