// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The out-of-order engine's window: which units, instructions or groups, are in flight, and when each completes, in order.

use super::planted::{planted, Fault};
use crate::cause::CAUSE_BITS;

/// Units remembered at most: a power of two, twice as many as any window holds.
const UNITS_MAX: usize = 4096;

/// A cycle of completion, and in the bits below it the number of the cause that was waited for longest.
pub(super) type Completion = u64;

/// The cycle of a completion.
#[inline]
pub(super) fn cycle_of(completion: Completion) -> u64 {
    completion >> CAUSE_BITS
}

/// The units in flight.
pub(super) struct Window {
    /// Units in flight at most.
    entries: u64,
    /// Units completed in a cycle at most.
    width: u64,
    /// Cycles from the end of a unit's work to its completion.
    latency: u64,
    /// When the last units completed and what they waited for, by their numbers; a power of two, more than the window
    /// holds.
    completed: [Completion; UNITS_MAX],
    mask: u64,
    /// Number of the newest unit, from 1.
    newest: u64,
    last_complete: u64,
    /// Whether the newest unit is a group that more instructions may join; when those that it has have finished, and what they
    /// waited for.
    open: bool,
    finish: u64,
    cause: u64,
}

impl Window {
    pub(super) fn new(entries: u64, width: u64, latency: u64) -> Window {
        let remembered = (2 * entries.max(width)).next_power_of_two().min(UNITS_MAX as u64);
        Window {
            entries,
            width,
            latency,
            completed: [0; UNITS_MAX],
            mask: remembered - 1,
            newest: 0,
            last_complete: 0,
            open: false,
            finish: 0,
            cause: 0,
        }
    }

    /// Units in flight at most.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Number of the newest unit.
    #[inline]
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    /// Whether the newest unit is a group that has not been closed.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// When the unit completed that was completed last.
    #[inline]
    pub(super) fn last_complete(&self) -> u64 {
        self.last_complete
    }

    /// When everything in it completes, as far as is known.
    pub(super) fn end(&self) -> u64 {
        if self.open {
            self.completes(self.finish)
        } else {
            self.last_complete
        }
    }

    /// Completion of a unit. For a unit that the window no longer holds, the completion of a later one is returned: both are
    /// before the current cycle of every caller, which is all that matters to it.
    #[inline]
    pub(super) fn completion(&self, unit: u64) -> Completion {
        let oldest = (self.newest + 1).saturating_sub(self.mask + 1);
        self.recent(unit.max(oldest))
    }

    /// The same of a unit that is remembered, or would have the number if units had been counted for longer.
    #[inline]
    fn recent(&self, unit: u64) -> Completion {
        self.completed[(unit & self.mask) as usize % UNITS_MAX]
    }

    /// When the newest unit completes if all of it has finished at `finish`.
    #[inline]
    fn completes(&self, finish: u64) -> u64 {
        let width = self.width + u64::from(planted(Fault::CompletesMore));
        let before = cycle_of(self.recent(self.newest.wrapping_sub(width)));
        (finish + self.latency).max(self.last_complete).max(before + 1)
    }

    /// Completes the newest unit, which waited for `cause` (its number) and finished at `finish`.
    #[inline]
    pub(super) fn complete(&mut self, finish: u64, cause: u64) -> Completion {
        let cycle = self.completes(finish);
        self.last_complete = cycle;
        let completion = cycle << CAUSE_BITS | cause;
        self.completed[(self.newest & self.mask) as usize % UNITS_MAX] = completion;
        completion
    }

    /// The completion after which there is room for one more unit.
    #[inline]
    pub(super) fn room(&self) -> Completion {
        let entries = self.entries + u64::from(planted(Fault::WindowLonger));
        self.recent((self.newest + 1).wrapping_sub(entries))
    }

    /// The next unit, behind one that is closed; `open` if it is a group.
    #[inline]
    pub(super) fn advance(&mut self, open: bool) {
        self.newest += 1;
        self.open |= open;
    }

    /// An instruction of the open group finished at `finish` and waited for `cause` (its number).
    #[inline]
    pub(super) fn join(&mut self, finish: u64, cause: impl FnOnce() -> u64) {
        if finish > self.finish {
            self.finish = finish;
            self.cause = cause();
        }
    }

    /// Ends the open group: it completes when all of it has finished and those before it have completed.
    #[inline]
    pub(super) fn close(&mut self) -> u64 {
        self.open = false;
        let cycle = cycle_of(self.complete(self.finish, self.cause));
        self.finish = 0;
        cycle
    }
}
