// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loops that are replayed from the queue in front of rename, without fetch and without prediction of their branches.
//!
//! Intel calls this the loop stream detector. What counts is that one path is taken again and again, not that it is the body of
//! one loop: two turns of an inner loop and what is around them are a path, too. A path is known by its taken branches, since
//! what is between these follows by itself.

use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use crate::description::Replay;
use crate::flags::Flags;
use crate::op::Op;

/// Taken branches that a path has at most: each of them enters a line.
const PATH_MAX: usize = 64;

/// Taken branches that are remembered, a power of two: those of a path, and the one in front of it.
const REMEMBERED: usize = 2 * PATH_MAX;

/// A branch that was taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    from: u64,
    to: u64,
    /// Slots delivered until then, and lines entered.
    slots: u64,
    lines: u64,
}

/// When a branch was predicted, when it was dispatched, and the slots delivered with it.
#[derive(Clone, Copy)]
pub(crate) struct Passed {
    pub(crate) predicted: u64,
    pub(crate) dispatched: u64,
    pub(crate) slots: u64,
}

/// How far a path of one length has repeated.
#[derive(Clone, Copy, Default)]
struct Alike {
    /// How many branches in a row were as that many before.
    branches: u32,
    /// When it was decided that it is replayed, once these are enough.
    decided: u64,
}

/// What a branch does to the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replayed {
    /// The loop is fetched, as before.
    No,
    /// It is replayed from now on, or still; with this branch the cycle's delivery ends, or not.
    Goes { cycle_ends: bool },
    /// It was replayed until now.
    Ends,
}

/// How many cycles the reading of rows is ahead of their delivery at most.
const ROWS_AHEAD: u64 = 8;

/// The rows of a path that have been read.
struct Rows {
    /// When the newest one that a call began was read at the earliest, in rows.
    read: u64,
    /// Slots delivered with that call.
    slots: u64,
}

/// The detector.
pub(crate) struct Detector {
    limits: Replay,
    /// The last branches taken, twice, so that those before the next one stand in a row wherever it is noted.
    last: Box<[Taken; 2 * REMEMBERED]>,
    /// Branches taken so far.
    count: usize,
    /// By the length of the path, shortest first.
    alike: Box<[Alike]>,
    /// The bits of an address that its line is.
    line_mask: u64,
    /// Branches of the path that is replayed, and those left of its turn; none if none is.
    period: usize,
    ahead: usize,
    /// Copies of the path that are delivered without a gap, and those left of them.
    copies: u64,
    left: u64,
    rows: Rows,
}

impl Detector {
    pub(crate) fn new(limits: Replay, line_mask: u64) -> Detector {
        Detector {
            limits,
            last: Box::new([Taken::default(); 2 * REMEMBERED]),
            count: 0,
            alike: vec![Alike::default(); limits.lines.min(PATH_MAX)].into(),
            line_mask,
            period: 0,
            ahead: 0,
            copies: 0,
            left: 0,
            rows: Rows { read: 0, slots: 0 },
        }
    }

    /// The path is replayed from that cycle on; so many slots were delivered so far.
    pub(crate) fn begin(&mut self, cycle: u64, slots: u64) {
        self.rows = Rows { read: cycle * self.limits.call_rows.unwrap_or(1), slots };
    }

    /// When what comes behind a call can be delivered that was in `cycle`: the call began a row, and those before it are read.
    pub(crate) fn call(&mut self, cycle: u64, slots: u64) -> u64 {
        let Some(per_cycle) = self.limits.call_rows.filter(|_| !planted(Fault::CallsJoined)) else {
            return cycle;
        };
        let rows = (slots - self.rows.slots).div_ceil(self.limits.row);
        let read = (self.rows.read + rows).max(cycle.saturating_sub(ROWS_AHEAD) * per_cycle);
        self.rows = Rows { read, slots };
        cycle.max(read / per_cycle)
    }

    /// Whether a path is replayed.
    #[inline]
    pub(crate) fn replays(&self) -> bool {
        self.period > 0
    }

    /// Learns of a branch that goes on to `next`. `known`: a path that has it may be replayed.
    pub(crate) fn branch(
        &mut self,
        op: &Op,
        next: u64,
        taken: bool,
        known: bool,
        passed: Passed,
    ) -> Replayed {
        let expected = self.before(self.period);
        if !taken {
            // Where it leaves the path, the next taken branch would tell too late.
            let leaves = self.replays() && expected.from == op.address && !planted(Fault::ReplaysOn);
            return if leaves { self.stop() } else { self.goes(false) };
        }
        let is_expected = expected.from == op.address && expected.to == next;
        let ends = self.replays() && !is_expected;
        let before = self.before(1);
        let line = |address: u64| (address & self.line_mask) / (!self.line_mask + 1);
        let entered = 1 + line(op.end() - 1).wrapping_sub(line(before.to));
        let lines = before.lines.wrapping_add(entered);
        let is_path = self.remember(Taken { from: op.address, to: next, slots: passed.slots, lines }, passed);
        if ends || !known && !self.replays() {
            return self.stop();
        }
        if !self.replays() {
            // It begins where a loop may.
            let closes = !op.is(Flags::RETURN);
            if is_path && closes {
                self.start(passed.predicted);
            }
            return self.goes(false);
        }
        self.ahead -= 1;
        if self.ahead > 0 {
            return self.goes(false);
        }
        (self.ahead, self.left) = (self.period, self.left - 1);
        let last_copy = self.left == 0;
        if last_copy {
            self.left = self.copies;
        }
        self.goes(last_copy && !planted(Fault::CopiesJoined))
    }

    fn goes(&self, cycle_ends: bool) -> Replayed {
        if self.replays() {
            Replayed::Goes { cycle_ends }
        } else {
            Replayed::No
        }
    }

    /// The branch taken so many branches ago, counted from the next one.
    fn before(&self, branches: usize) -> Taken {
        self.last[self.count.wrapping_sub(branches) % REMEMBERED]
    }

    /// Whether a path has repeated often enough with that branch.
    fn remember(&mut self, taken: Taken, passed: Passed) -> bool {
        let at = self.count % REMEMBERED;
        let after = self.limits.after as u32;
        let decided = if planted(Fault::ReplaysAtOnce) { 0 } else { passed.dispatched + self.limits.decided };
        let mut is_path = false;
        for (alike, before) in self.alike.iter_mut().zip(self.last[..at + REMEMBERED].iter().rev()) {
            if mostly(before.from != taken.from || before.to != taken.to) {
                alike.branches = 0;
            } else {
                alike.branches += 1;
                if rarely(alike.branches >= after) {
                    alike.decided = if alike.branches == after { decided } else { alike.decided };
                    is_path |= passed.predicted >= alike.decided;
                }
            }
        }
        (self.last[at], self.last[at + REMEMBERED]) = (taken, taken);
        self.count += 1;
        is_path
    }

    /// Replays the shortest path that has repeated often enough, if it is short enough.
    fn start(&mut self, predicted: u64) {
        let often =
            |alike: &Alike| alike.branches as usize >= self.limits.after && predicted >= alike.decided;
        let Some(index) = self.alike.iter().position(often) else { return };
        let (newest, first) = (self.before(1), self.before(index + 2));
        let slots = newest.slots - first.slots;
        let lines = newest.lines.wrapping_sub(first.lines);
        let longest = self.limits.slots + u64::from(planted(Fault::ReplaysLonger));
        let most = self.limits.lines as u64 + u64::from(planted(Fault::ReplaysMoreLines));
        if slots <= longest && lines <= most {
            (self.period, self.ahead) = (index + 1, index + 1);
            self.copies = self.limits.rows.div_ceil(slots.div_ceil(self.limits.row).max(1)).max(1);
            self.left = self.copies;
        }
    }

    /// Fetches the path from now on.
    pub(crate) fn stop(&mut self) -> Replayed {
        self.alike.fill(Alike::default());
        if std::mem::take(&mut self.period) > 0 {
            Replayed::Ends
        } else {
            Replayed::No
        }
    }
}
