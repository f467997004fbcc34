// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's fetch: every instruction asks whether it is in the block, in the line, within the width, in the buffer.

use super::caches::Hierarchy;
use crate::core::branch::{Branches, Outcome};
use crate::core::decoded::DecodedLines;
use crate::description::{Caches, Description, Fetch, Replay};
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
    replay: Replayed,
    /// Decoded lines, how many bytes a cycle decodes of this one, and the last bytes that one did.
    decoded: Option<DecodedLines>,
    decodes: Option<u64>,
    decoding: u64,
    /// What the next restart is later because a path was left.
    exit: u64,
    /// Slots fetched.
    slots: u64,
}

/// A branch that was taken.
struct TakenBranch {
    from: u64,
    /// The line that its last byte is in.
    line: u64,
    to: u64,
    /// Slots fetched with it.
    slots: u64,
    predicted: u64,
    dispatched: u64,
}

impl TakenBranch {
    fn way(&self) -> (u64, u64) {
        (self.from, self.to)
    }
}

/// The path that is replayed, or may be soon.
#[derive(Default)]
struct Replayed {
    /// All branches that were taken, and when.
    taken: Vec<TakenBranch>,
    /// How many of them do not count as repeated.
    not_counted: usize,
    /// Branches of the path that is replayed, and how many were replayed; none if none is.
    period: usize,
    replayed: usize,
    copies: usize,
    /// Rows read before the newest one that a call began, counted from cycle 0, and slots fetched until that.
    rows_read: u64,
    row_slots: u64,
}

impl Replayed {
    /// How many branches in a row, the newest the last, were as the one so many before.
    fn alike(&self, period: usize) -> usize {
        let is_alike = |&index: &usize| self.taken[index].way() == self.taken[index - period].way();
        (self.not_counted.max(period)..self.taken.len()).rev().take_while(is_alike).count()
    }

    fn slots(&self, period: usize) -> u64 {
        let last = self.taken.len() - 1;
        self.taken[last].slots - self.taken[last - period].slots
    }

    /// Lines entered on such a path.
    fn lines(&self, period: usize, line_bytes: u64) -> usize {
        let last = self.taken.len() - 1;
        let entered = |index: usize| {
            let from = self.taken[index - 1].to / line_bytes;
            self.taken[index].line.wrapping_sub(from).wrapping_add(1)
        };
        (last + 1 - period..=last).map(entered).fold(0, u64::wrapping_add) as usize
    }

    /// Whether one has repeated so often that it is replayed from the newest branch on.
    fn repeats(&self, period: usize, limits: &Replay) -> bool {
        let last = self.taken.len() - 1;
        let alike = self.alike(period);
        alike >= limits.after && {
            let decides = &self.taken[last - (alike - limits.after)];
            self.taken[last].predicted >= decides.dispatched + limits.decided
        }
    }
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
            replay: Replayed::default(),
            decoded: fetch.decoded.map(|limits| DecodedLines::new(limits, line_bytes)),
            decodes: None,
            decoding: u64::MAX,
            exit: 0,
            slots: 0,
            fetch,
        }
    }

    /// The cycle in which the instruction is fetched.
    pub(super) fn fetch(&mut self, op: &Op, caches: &mut Hierarchy) -> u64 {
        // What is fused with the instruction in front of it is fetched with that.
        let fused = op.is(Flags::FUSED);
        let room = self.fetch.room.unwrap_or(u32::MAX);
        let takes = u32::from(op.fetched_with) + if fused { 0 } else { 2 };
        let overfull = self.block.contains(&op.address) && self.room_taken.saturating_add(takes) > room;
        let replayed = self.fetch.replay.filter(|_| self.replay.period > 0);
        let width = replayed.map_or(self.fetch.width, |replay| replay.width);
        let last_branch = replayed.is_some_and(|replay| self.branches_fetched >= replay.branches);
        let branches = last_branch && op.is(Flags::BRANCH);
        let full = !fused && (self.full || self.fetched >= width) || overfull || branches;
        if self.replay.period > 0 {
            if full {
                let cycles = (self.fetched / width).max(1);
                self.cycle += u64::from(cycles);
                self.fetched = self.fetched.saturating_sub(cycles * width);
                self.full = false;
                self.branches_fetched = 0;
            }
        } else {
            let full = full | self.decodes_anew(op);
            self.reach(op.address, full, caches);
        }
        self.slots += u64::from(op.slots);
        if self.ahead.is_none() && self.fetch.branch_ends && op.is(Flags::BRANCH) {
            self.reach(op.end() - 1, false, caches);
        }
        self.fetched += if self.replay.period > 0 { u32::from(op.slots) } else { u32::from(!fused) };
        self.room_taken += takes;
        let matters = self.fetch.breaks && self.fetch.second_line.is_none();
        let crosses = matters && (op.end() - 1) / self.line_bytes != op.address / self.line_bytes;
        self.crosses = crosses || fused && self.crosses;
        if let Some(before) = self.left.len().checked_sub(self.fetch.buffer) {
            self.cycle = self.cycle.max(self.left[before]);
        }
        self.cycle
    }

    /// Whether the instruction is decoded, and in another cycle than the one before it.
    fn decodes_anew(&mut self, op: &Op) -> bool {
        let Some(decoded) = &mut self.decoded else { return false };
        let line = op.address / self.line_bytes;
        if self.line != Some(line) || self.redirect.is_some() {
            self.decodes = decoded.enter(
                op.address,
                self.redirect.is_none(),
                u32::from(op.fetched_with),
                self.left.len(),
            );
            self.decoding = u64::MAX;
        }
        let Some(bytes) = self.decodes else { return false };
        let before = std::mem::replace(&mut self.decoding, op.address / bytes);
        let leaves = self.ahead.as_ref().is_some_and(|ahead| !ahead.block.contains(&op.address));
        self.redirect.is_some() || leaves || before != self.decoding
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
            if self.fetch.second_line.is_some() {
                ahead.block.end -= address % self.line_bytes;
            }
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
        if let Some(leaves) = self.replay(op, next, &outcome) {
            return Outcome { mispredicted: leaves, unpredicted: false, ..outcome };
        }
        self.branches_fetched += 1;
        self.full |= self.branches_fetched == self.fetch.branches;
        let taken = outcome.taken_cycles > 0;
        if !taken && outcome.overruled_cycles == 0 {
            return outcome;
        }
        let mut cycles = if taken { outcome.taken_cycles + u64::from(self.crosses) } else { 0 };
        let from = match &mut self.ahead {
            Some(ahead) => {
                let lines =
                    ((op.end() - 1) / self.line_bytes).wrapping_sub(ahead.block.start / self.line_bytes);
                if let Some(more) = self.fetch.second_line.filter(|_| taken && lines % 2 == 1) {
                    cycles += more;
                }
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

    /// Whether the branch leaves the path that is replayed; nothing if none is.
    fn replay(&mut self, op: &Op, next: u64, outcome: &Outcome) -> Option<bool> {
        let limits = self.fetch.replay?;
        let path = &mut self.replay;
        let goes = path.period > 0;
        let expected = goes.then(|| path.taken[path.taken.len() - path.period].way());
        if outcome.taken_cycles == 0 {
            let leaves = expected.is_some_and(|(from, _)| from == op.address);
            if leaves {
                self.fetch_again();
                self.exit = limits.exit;
            }
            return goes.then_some(leaves);
        }
        path.taken.push(TakenBranch {
            from: op.address,
            line: (op.end() - 1) / self.line_bytes,
            to: next,
            slots: self.slots,
            predicted: self.ahead.as_ref().map_or(0, |ahead| ahead.predicted),
            dispatched: *self.left.last().unwrap_or(&0),
        });
        if goes {
            if expected != Some((op.address, next)) {
                self.fetch_again();
                self.exit = limits.exit;
                return Some(true);
            }
            path.replayed += 1;
            if let Some(rows) = limits.call_rows.filter(|_| op.is(Flags::CALL)) {
                // A call begins a row: those before it are read by then, which is not far ahead of what was delivered.
                let before = (self.slots - path.row_slots).div_ceil(limits.row);
                path.rows_read = (path.rows_read + before).max(self.cycle.saturating_sub(8) * rows);
                path.row_slots = self.slots;
                if path.rows_read / rows > self.cycle {
                    self.cycle = path.rows_read / rows;
                    (self.fetched, self.branches_fetched, self.full) = (0, 0, false);
                }
            }
            self.branches_fetched += 1;
            self.full |= path.replayed % (path.period * path.copies) == 0;
            return Some(false);
        }
        if outcome.is_new || op.is(Flags::INDIRECT) {
            path.not_counted = path.taken.len();
            return None;
        }
        if op.is(Flags::RETURN) {
            // Returns do not begin a replay.
            return None;
        }
        let short = |&period: &usize| {
            path.slots(period) <= limits.slots && path.lines(period, self.line_bytes) <= limits.lines
        };
        let mut periods = 1..=limits.lines;
        let period = periods.find(|&period| path.repeats(period, &limits)).filter(short)?;
        let rows = path.slots(period).div_ceil(limits.row);
        path.copies = limits.rows.div_ceil(rows.max(1)) as usize;
        (path.period, path.replayed, self.branches_fetched) = (period, 0, 0);
        let rows = limits.call_rows.unwrap_or(1);
        (path.rows_read, path.row_slots) = (self.cycle * rows, self.slots);
        Some(false)
    }

    fn fetch_again(&mut self) {
        self.replay.period = 0;
        self.replay.not_counted = self.replay.taken.len();
        self.block = 0..0;
        (self.fetched, self.branches_fetched, self.full) = (0, 0, false);
        if let Some(ahead) = &mut self.ahead {
            (ahead.predicted, ahead.block, ahead.joined) = (self.cycle, 0..0, false);
        }
    }

    pub(super) fn restart(&mut self, cycle: u64) {
        if self.replay.period > 0 {
            self.fetch_again();
        }
        self.redirect = Some(cycle + std::mem::take(&mut self.exit));
    }
}
