// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The out-of-order engine's window: which instructions are in flight, when units of them complete, and when there is
//! room for the next.

use super::execute::{Engine, Rules, UNITS_MAX};
use super::{Cause, Event};
use crate::description::*;
use crate::plan::*;

impl<R: Rules> Engine<R> {
    /// Completion of a unit, and what it waited for. Of one that the window cannot hold any more, a later one stands in:
    /// both have completed before anything that asks now, which is all that the caller wants to know.
    #[inline]
    fn completion(&self, unit: u64) -> (u64, Cause) {
        let oldest = (self.unit + 1).saturating_sub(self.completed_mask + 1);
        self.recent(unit.max(oldest))
    }

    /// The same of a unit that is remembered, or would have the number if units had been counted for longer.
    #[inline]
    fn recent(&self, unit: u64) -> (u64, Cause) {
        self.completed[(unit & self.completed_mask) as usize % UNITS_MAX]
    }

    /// When the open unit completes if nothing is added to it.
    #[inline]
    pub(super) fn closing(&self) -> u64 {
        let (before, _) = self.recent(self.unit.wrapping_sub(self.complete_width));
        (self.unit_finish + self.complete_latency).max(self.last_complete).max(before + 1)
    }

    /// Ends the open unit: it completes when all of it has finished and those before it have completed.
    #[inline(always)]
    pub(super) fn close(&mut self, events: &mut Option<&mut Vec<Event>>) {
        if !self.unit_open {
            return;
        }
        self.unit_open = false;
        let cycle = self.closing();
        self.last_complete = cycle;
        let place = (self.unit & self.completed_mask) as usize % UNITS_MAX;
        self.completed[place] = (cycle, self.unit_cause);
        if !self.unit_stores.is_empty() {
            self.complete_stores(cycle);
        }
        if let Some(events) = events {
            self.complete_events(cycle, events);
        }
        if R::GROUPED {
            self.unit_finish = 0;
        }
    }

    #[cold]
    fn complete_events(&mut self, cycle: u64, events: &mut [Event]) {
        let first = self.unit_events.min(events.len());
        for event in &mut events[first..] {
            event.complete = cycle;
        }
        self.unit_events = events.len();
    }

    #[inline(never)]
    fn complete_stores(&mut self, cycle: u64) {
        for (number, line_ready) in self.unit_stores.drain(..) {
            self.stores.complete(number, cycle, self.memory.drain, self.memory.drain_interval, line_ready);
        }
    }

    /// Puts dispatch off to `cycle` on account of `cause`.
    #[inline]
    pub(super) fn put_off(&mut self, now: &mut u64, cycle: u64, cause: Cause) {
        if cycle > *now {
            self.counters.stalls[cause as usize] += cycle - *now;
            *now = cycle;
        }
    }

    /// Opens the next unit as soon as the window has room for it.
    #[inline(always)]
    pub(super) fn open(&mut self, now: &mut u64) {
        let (cycle, cause) = self.recent((self.unit + 1).wrapping_sub(self.window));
        self.put_off(now, cycle, cause);
        self.unit += 1;
        self.unit_open = true;
        self.counters.groups += u64::from(R::GROUPED);
    }

    /// Closes the open unit, if any, and opens the next.
    #[inline(always)]
    fn turn(&mut self, now: &mut u64, events: &mut Option<&mut Vec<Event>>) {
        self.close(events);
        self.open(now);
    }

    /// The same where it happens once in several instructions.
    #[inline(never)]
    fn turn_group(&mut self, now: &mut u64, events: &mut Option<&mut Vec<Event>>) {
        self.turn(now, events);
    }

    /// The cycle in which `op` is dispatched, everything it needs to be in the window taken.
    #[inline]
    pub(super) fn dispatch<const MAY: u32>(
        &mut self,
        op: &Op,
        taken: bool,
        events: &mut Option<&mut Vec<Event>>,
    ) -> (u64, u64, bool) {
        let fetch = self.front.fetch(op, &mut self.caches);
        let mut now = self.last_dispatch;
        if fetch.max(self.hold) > now {
            self.put_off(&mut now, fetch, self.front.cause);
            self.put_off(&mut now, self.hold, Cause::Serialise);
        }
        if op.is(BEFORE & MAY) && !self.relax.serialise {
            self.close(events);
            self.put_off(&mut now, self.last_complete, Cause::Serialise);
        }
        let (cycle, mut opens) = self.rules.offer(op, MAY, now, taken);
        opens |= !self.unit_open;
        if !R::GROUPED {
            self.put_off(&mut now, cycle, Cause::DispatchRules);
            self.turn(&mut now, events);
        } else if opens {
            self.put_off(&mut now, cycle, Cause::DispatchRules);
            self.turn_group(&mut now, events);
        }
        if op.is((LOAD | STORE) & MAY) {
            self.admit_access(op, &mut now);
        }
        if op.is(WRITES_GENERAL | WRITES_VECTOR) {
            self.rename(op, &mut now);
        }
        if op.queue != NO_QUEUE {
            let cycle = self.calendar.admit(usize::from(op.queue), now);
            self.put_off(&mut now, cycle, Cause::IssueQueue);
        }
        self.rules.settle(op, MAY, now, opens, taken);
        self.last_dispatch = now;
        self.front.dispatched(now);
        (fetch, now, opens)
    }

    #[inline(always)]
    fn rename(&mut self, op: &Op, now: &mut u64) {
        if op.is(WRITES_GENERAL) {
            let holder = self.general.take(self.unit);
            self.put_off(now, self.completion(holder).0, Cause::Rename);
        }
        if op.is(WRITES_VECTOR) {
            let holder = self.vector.take(self.unit);
            self.put_off(now, self.completion(holder).0, Cause::Rename);
        }
    }

    /// Waits for room in the load and store queues.
    fn admit_access(&mut self, op: &Op, now: &mut u64) {
        if op.is(LOAD) {
            let holder = self.loads.take(self.unit);
            let (cycle, cause) = self.completion(holder);
            self.put_off(now, cycle, cause);
        }
        if op.is(STORE) {
            let cycle = self.stores.free_at();
            if cycle != u64::MAX {
                self.put_off(now, cycle, Cause::StoreQueue);
            }
        }
    }
}
