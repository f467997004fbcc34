// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's fetch: every instruction asks whether it is in the block, in the line, within the width, in the buffer.

use super::caches::Hierarchy;
use crate::core::branch::{Branches, Outcome};
use crate::description::{Caches, Description, Fetch};
use crate::flags::Flags;
use crate::op::*;

struct Ahead {
    predicted: u64,
    block: std::ops::Range<u64>,
    joined: bool,
    /// Whether a taken branch led to the block, and whether more has come of it than a cycle fetches.
    entered: bool,
    long: bool,
    /// Whether its first entry came in the cycle of the block before, and the second one without a third.
    shares: bool,
    alone: bool,
}

pub(super) struct Front {
    fetch: Fetch,
    line_bytes: u64,
    cycle: u64,
    /// The aligned block: where it starts and ends.
    block: std::ops::Range<u64>,
    /// When that block started.
    started: u64,
    line: Option<u64>,
    fetched: u32,
    /// Room taken by what is fetched of this block in this cycle, and by its constants.
    room_taken: u32,
    branches_fetched: u32,
    full: bool,
    redirect: Option<u64>,
    ahead: Option<Ahead>,
    /// Whether the last instruction, or what it is fused with, crosses a line.
    crosses: bool,
    /// When each instruction left the buffer.
    left: Vec<u64>,
    branches: Branches,
}

impl Front {
    pub(super) fn new(description: &Description) -> Front {
        let fetch = description.fetch.clone();
        let Caches { instruction_line: line_bytes, .. } = description.caches;
        Front {
            line_bytes,
            cycle: 0,
            block: 0..0,
            started: 0,
            line: None,
            fetched: 0,
            room_taken: 0,
            branches_fetched: 0,
            full: false,
            redirect: None,
            ahead: fetch.ahead.map(|_| Ahead {
                predicted: 0,
                block: 0..0,
                joined: false,
                entered: false,
                long: false,
                shares: false,
                alone: false,
            }),
            crosses: false,
            left: Vec::new(),
            branches: Branches::new(&description.branch, &fetch),
            fetch,
        }
    }

    /// The cycle in which the instruction is fetched.
    pub(super) fn fetch(&mut self, op: &Op, caches: &mut Hierarchy) -> u64 {
        // What is fused with the instruction in front of it is fetched with that.
        let fused = op.is(Flags::FUSED);
        let room = self.fetch.room.unwrap_or(u32::MAX);
        let takes = u32::from(op.constants) + if fused { 0 } else { 2 };
        let overfull = self.block.contains(&op.address) && self.room_taken.saturating_add(takes) > room;
        let full = !fused && (self.full || self.fetched >= self.fetch.width) || overfull;
        self.reach(op.address, full, caches);
        if self.ahead.is_none() && self.fetch.branch_ends && op.is(Flags::BRANCH) {
            self.reach(op.end() - 1, false, caches);
        }
        self.fetched += u32::from(!fused);
        self.room_taken += takes;
        let crosses = self.fetch.breaks && (op.end() - 1) / self.line_bytes != op.address / self.line_bytes;
        self.crosses = crosses || fused && self.crosses;
        if let Some(before) = self.left.len().checked_sub(self.fetch.buffer) {
            self.cycle = self.cycle.max(self.left[before]);
        }
        self.cycle
    }

    /// Fetch goes on to what is at the address, in another cycle if no more fits into this one.
    fn reach(&mut self, address: u64, full: bool, caches: &mut Hierarchy) {
        let enters = self.redirect.is_some() || !self.block.contains(&address);
        if self.ahead.is_some() {
            self.follow_prediction(address, full);
        } else if enters || full {
            let late = self.fetch.follows && enters && self.cycle > self.started;
            if self.redirect.is_some() || full || !late {
                self.cycle = self.redirect.take().unwrap_or(self.cycle + 1).max(self.cycle);
                (self.fetched, self.branches_fetched, self.full) = (0, 0, false);
            }
            self.room_taken = 0;
            let start = address / self.fetch.align * self.fetch.align;
            let line_end = (start / self.line_bytes + 1) * self.line_bytes;
            self.block = start..line_end.min(start + self.fetch.block);
        }
        let line = address / self.line_bytes;
        if self.line != Some(line) {
            self.line = Some(line);
            self.cycle += caches.fetch(address, self.cycle);
        }
        if enters {
            self.started = self.cycle;
        }
    }

    fn follow_prediction(&mut self, address: u64, full: bool) {
        let Some(ahead) = &mut self.ahead else { return };
        let (mut full, mut cycles) = (full, u64::from(full));
        let redirect = self.redirect.take();
        let mut taken_up = 0;
        let goes_on = redirect.is_none() && ahead.block.contains(&address);
        if goes_on {
            if let Some((again, entry)) = self.fetch.again.filter(|_| full) {
                if ahead.entered {
                    ahead.long = true;
                    cycles += again;
                } else if ahead.shares {
                    // The third entry is to come as if the first one had started a cycle.
                    (ahead.entered, taken_up) = (true, entry);
                }
                ahead.alone = ahead.shares;
                ahead.shares = false;
            }
        } else {
            let pairs = self.fetch.pairs && redirect.is_none();
            if pairs {
                ahead.joined = !ahead.joined;
            }
            let joins = pairs && ahead.joined;
            ahead.predicted = redirect.unwrap_or(ahead.predicted + u64::from(!joins));
            ahead.block = address..address + self.fetch.block;
            if let Some((_, entry)) = self.fetch.again {
                ahead.block.end = (address / self.line_bytes + 1) * self.line_bytes;
                self.fetched -= if ahead.alone { entry } else { 0 };
                ahead.alone = false;
                // The rest of an entry stays empty.
                let entries = self.fetched.div_ceil(entry);
                self.fetched = entries * entry;
                full = ahead.long || self.fetched >= self.fetch.width;
                cycles = u64::from(full);
                ahead.long = false;
            }
        }
        let cycle = (self.cycle + cycles).max(ahead.predicted);
        if cycle > self.cycle {
            (self.fetched, self.branches_fetched, self.full) = (taken_up, 0, false);
            self.cycle = cycle;
        }
        if !goes_on {
            ahead.entered = self.fetched == 0;
            ahead.shares = redirect.is_some() && !ahead.entered;
        }
    }

    pub(super) fn dispatched(&mut self, cycle: u64) {
        self.left.push(cycle);
    }

    /// A branch that goes on to `next`.
    pub(super) fn branch(&mut self, op: &Op, next: u64) -> Outcome {
        let outcome = self.branches.resolve(op, next);
        self.branches_fetched += 1;
        self.full |= self.branches_fetched == self.fetch.branches;
        let taken = outcome.taken_cycles > 0;
        if !taken && outcome.overruled_cycles == 0 {
            return outcome;
        }
        let mut cycles = if taken { outcome.taken_cycles + u64::from(self.crosses) } else { 0 };
        let from = match &mut self.ahead {
            Some(ahead) => {
                if self.fetch.pairs && taken {
                    ahead.joined = outcome.taken_cycles == 1 && !ahead.joined;
                    cycles -= u64::from(ahead.joined);
                } else if self.fetch.breaks && taken {
                    let jump = !op.is(Flags::CONDITIONAL | Flags::CALL | Flags::RETURN | Flags::INDIRECT);
                    // Every second jump in a row is not joined.
                    ahead.joined = jump && !ahead.joined;
                    cycles -= u64::from(ahead.joined);
                    self.full |= op.is(Flags::CONDITIONAL) || jump && !ahead.joined;
                }
                ahead.predicted.max(self.cycle.saturating_sub(self.fetch.ahead.unwrap_or(0)))
            }
            None => self.cycle,
        };
        self.restart(from + cycles + outcome.overruled_cycles);
        outcome
    }

    pub(super) fn restart(&mut self, cycle: u64) {
        self.redirect = Some(cycle);
    }
}
