// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's window: units, instructions or groups, that complete in order, and the entries that are held until they do.

use crate::description::Dispatch;

pub(super) struct Window {
    units: usize,
    width: usize,
    latency: u64,
    /// Completion of each unit that is not open.
    completed: Vec<u64>,
    last: u64,
    open: bool,
    /// When what the open unit has so far has finished.
    finish: u64,
}

/// Units of the instructions that took an entry of a structure, in order.
#[derive(Default)]
pub(super) struct Entries(Vec<usize>);

impl Window {
    pub(super) fn new(dispatch: &Dispatch) -> Window {
        Window {
            units: dispatch.window,
            width: dispatch.complete_width,
            latency: dispatch.complete_latency,
            completed: Vec::new(),
            last: 0,
            open: false,
            finish: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// When the newest unit that is not open completed.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// When a unit that has finished at `finish` completes: in order, so many a cycle.
    fn completes(&self, finish: u64) -> u64 {
        let before = self.completed.len().checked_sub(self.width).map_or(0, |unit| self.completed[unit]);
        (finish + self.latency).max(self.last).max(before + 1)
    }

    /// Opens the next unit, at `now` or when the window has room.
    pub(super) fn open(&mut self, now: u64) -> u64 {
        self.open = true;
        let oldest = self.completed.len().checked_sub(self.units);
        now.max(oldest.map_or(0, |unit| self.completed[unit]))
    }

    /// An instruction of the open unit finished at `finish`.
    pub(super) fn join(&mut self, finish: u64) {
        self.finish = self.finish.max(finish);
    }

    /// Completes the open unit; when.
    pub(super) fn complete(&mut self) -> u64 {
        self.last = self.completes(self.finish);
        self.completed.push(self.last);
        self.open = false;
        self.finish = 0;
        self.last
    }

    /// When everything completes that is in the window.
    pub(super) fn end(&self) -> u64 {
        if self.open {
            self.completes(self.finish)
        } else {
            self.last
        }
    }
}

impl Entries {
    /// Takes one of `entries` for the open unit; when one is free.
    pub(super) fn take(&mut self, window: &Window, entries: usize) -> u64 {
        let holder = self.0.len().checked_sub(entries).map(|index| self.0[index]);
        self.0.push(window.completed.len());
        holder.and_then(|unit| window.completed.get(unit).copied()).unwrap_or(0)
    }
}
