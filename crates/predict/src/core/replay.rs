// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loops that are replayed from the queue in front of rename, without fetch and without prediction of their branches.
//!
//! Intel calls this the loop stream detector. What counts is that one path is taken again and again, not that it is the body of
//! one loop: two turns of an inner loop and what is around them are a path, too. A path is known by its taken branches, since
//! what is between these follows by itself.

use super::hint::mostly;
use super::planted::{planted, Fault};
use crate::description::Replay;
use crate::op::Op;

/// Taken branches that a path has at most.
const PATH_MAX: usize = 64;

/// Taken branches that are remembered, a power of two: those of a path, and the one in front of it.
const REMEMBERED: usize = 2 * PATH_MAX;

/// A branch that was taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    from: u64,
    to: u64,
    /// Slots delivered until then.
    slots: u64,
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
    /// For each length of path, shortest first, how many branches in a row were as that many before.
    alike: Box<[u32]>,
    /// Branches of the path that is replayed, and those left of its turn; none if none is.
    period: usize,
    ahead: usize,
    /// Copies of the path that are delivered without a gap, and those left of them.
    copies: u64,
    left: u64,
    rows: Rows,
}

impl Detector {
    pub(crate) fn new(limits: Replay) -> Detector {
        Detector {
            limits,
            last: Box::new([Taken::default(); 2 * REMEMBERED]),
            count: 0,
            alike: vec![0; limits.taken.min(PATH_MAX)].into(),
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

    /// Learns of a branch that goes on to `next`; so many slots were delivered so far. `known`: a path that has it may be replayed.
    pub(crate) fn branch(&mut self, op: &Op, next: u64, taken: bool, known: bool, slots: u64) -> Replayed {
        let expected = self.before(self.period);
        if !taken {
            // Where it leaves the path, the next taken branch would tell too late.
            let leaves = self.replays() && expected.from == op.address && !planted(Fault::ReplaysOn);
            return if leaves { self.stop() } else { self.goes(false) };
        }
        let is_expected = expected.from == op.address && expected.to == next;
        let ends = self.replays() && !is_expected;
        let is_path = self.remember(Taken { from: op.address, to: next, slots });
        if ends || !known && !self.replays() {
            return self.stop();
        }
        if !self.replays() {
            if is_path {
                self.start();
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
    fn remember(&mut self, taken: Taken) -> bool {
        let at = self.count % REMEMBERED;
        let mut is_path = false;
        for (alike, before) in self.alike.iter_mut().zip(self.last[..at + REMEMBERED].iter().rev()) {
            if mostly(before.from != taken.from || before.to != taken.to) {
                *alike = 0;
            } else {
                *alike += 1;
                is_path |= *alike as usize >= self.limits.after;
            }
        }
        (self.last[at], self.last[at + REMEMBERED]) = (taken, taken);
        self.count += 1;
        is_path
    }

    /// Replays the shortest path that has repeated often enough, if it is short enough.
    fn start(&mut self) {
        let often = |&alike: &u32| alike as usize >= self.limits.after;
        let Some(index) = self.alike.iter().position(often) else { return };
        let slots = self.before(1).slots - self.before(index + 2).slots;
        let longest = self.limits.slots + u64::from(planted(Fault::ReplaysLonger));
        if slots <= longest {
            (self.period, self.ahead) = (index + 1, index + 1);
            self.copies = self.limits.rows.div_ceil(slots.div_ceil(self.limits.row).max(1)).max(1);
            self.left = self.copies;
        }
    }

    /// Fetches the path from now on.
    pub(crate) fn stop(&mut self) -> Replayed {
        self.alike.fill(0);
        if std::mem::take(&mut self.period) > 0 {
            Replayed::Ends
        } else {
            Replayed::No
        }
    }
}
