// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The out-of-order engine's in-order ends: what an instruction waits for before it is dispatched, and which entries it frees
//! when it completes.

use super::super::hint::{mostly, rarely};
use super::super::planted::{planted, Fault};
use super::super::queues::Ring;
use super::super::window::{cycle_of, Completion};
use super::super::{Event, Record};
use super::{Engine, Rules};
use crate::cause::Cause;
use crate::description::NO_QUEUE;
use crate::flags::{Flags, Known};
use crate::op::*;
use crate::plan::Plan;

impl<R: Rules> Engine<R> {
    /// Completes an instruction that is a unit by itself; when. The entries that it holds are free from then on.
    #[inline]
    pub(super) fn complete_one<K: Known>(&mut self, op: &Op, finish: u64, cause: u64) -> u64 {
        let completion = self.window.complete(finish, cause);
        if op.is(Flags::WRITES_GENERAL) {
            self.general.take(completion);
        }
        if rarely(op.is(Flags::WRITES_VECTOR)) {
            self.vectors().take(completion);
        }
        if op.has::<K>(Flags::LOAD) {
            self.loads.take(completion);
        }
        let cycle = cycle_of(completion);
        if op.has::<K>(Flags::STORE) {
            self.memory.complete_unit(cycle);
        }
        cycle
    }

    /// Ends the open group, if there is one.
    #[inline(always)]
    pub(super) fn close<W: Record>(&mut self, events: &mut W) {
        if !R::GROUPED || !self.window.is_open() {
            return;
        }
        let cycle = self.window.close();
        self.memory.complete_unit(cycle);
        if W::ON {
            self.complete_events(cycle, events.told());
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

    /// Delays dispatch until `cycle`, because of `cause`.
    #[inline]
    pub(super) fn put_off(&mut self, now: &mut u64, cycle: u64, cause: Cause) {
        if rarely(cycle > *now) {
            self.counters.stalls[cause as usize] += cycle - *now;
            *now = cycle;
        }
    }

    /// Delays dispatch until that completion, because of its cause.
    #[inline]
    fn wait_for(&mut self, now: &mut u64, completion: Completion) {
        if rarely(cycle_of(completion) > *now) {
            self.put_off(now, cycle_of(completion), Cause::numbered(completion));
        }
    }

    /// Opens the next unit as soon as the window has room for it.
    #[inline(always)]
    pub(super) fn open(&mut self, now: &mut u64) {
        self.wait_for(now, self.window.room());
        self.window.advance(R::GROUPED);
        if R::GROUPED {
            self.counters.groups += 1;
        }
    }

    /// Closes the open group, if any, and opens the next.
    #[inline(never)]
    fn turn_group<W: Record>(&mut self, now: &mut u64, events: &mut W) {
        self.close(events);
        self.open(now);
    }

    /// The cycle in which `op` is dispatched; takes everything that it needs to be in the window.
    #[inline]
    pub(super) fn dispatch<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        taken: bool,
        events: &mut W,
    ) -> (u64, u64, bool) {
        let fetch = self.front.fetch(op, self.memory.caches());
        let mut now = self.last_dispatch;
        self.put_off(&mut now, fetch, self.front.cause);
        if rarely(self.hold > 0) {
            let cycle = std::mem::take(&mut self.hold);
            self.put_off(&mut now, cycle, Cause::Serialise);
        }
        if op.has::<K>(Flags::BEFORE) && !self.relax.serialise {
            self.close(events);
            self.put_off(&mut now, self.window.last_complete(), Cause::Serialise);
        }
        if R::SLICED {
            self.calendar.pass(now);
        }
        let (cycle, mut opens) = self.rules.offer::<K>(op, now, taken, self.calendar.held());
        opens |= R::GROUPED && !self.window.is_open();
        if !R::GROUPED {
            self.put_off(&mut now, cycle, Cause::DispatchRules);
            self.open(&mut now);
        } else if rarely(opens) {
            self.put_off(&mut now, cycle, Cause::DispatchRules);
            self.turn_group(&mut now, events);
        }
        self.admit_access::<K>(op, &mut now);
        if op.is(Flags::WRITES_GENERAL | Flags::WRITES_VECTOR) {
            self.rename(op, &mut now);
        }
        if R::HALVES {
            self.ports.steer(op);
        }
        if !R::GROUPED && !R::SLICED && rarely(now > self.last_dispatch) {
            if let Some((queue, many)) = self.together.filter(|_| !planted(Fault::TogetherForgotten)) {
                let cycle = self.calendar.admit_together(queue, many, now);
                self.put_off(&mut now, cycle, Cause::IssueQueue);
            }
        }
        if R::SLICED {
            let cycle = self.rules.admit::<K>(op, now, taken, &mut self.calendar);
            self.put_off(&mut now, cycle, Cause::IssueQueue);
        } else if mostly(op.queue != NO_QUEUE) {
            let cycle = self.calendar.admit(usize::from(op.queue | self.ports.lane()), now);
            self.put_off(&mut now, cycle, Cause::IssueQueue);
        } else if !R::GROUPED && op.is(Flags::QUEUED_APART) {
            let cycle = self.calendar.admit_parts(plan.parts_of(op), now);
            self.put_off(&mut now, cycle, Cause::IssueQueue);
        }
        if !R::GROUPED && !R::SLICED && rarely(op.bound != 0) {
            let cycle = self.ports.admit(op.bound, now);
            self.put_off(&mut now, cycle, Cause::IssueQueue);
        }
        let is_later = now > self.last_dispatch;
        if rarely(is_later) {
            self.last_dispatch = now;
            self.ports.pass(now);
        }
        self.rules.settle::<K>(op, now, if R::GROUPED { opens } else { is_later }, taken);
        self.ports.at_slot(self.rules.slot());
        self.front.dispatched(now);
        (fetch, now, opens)
    }

    #[inline(always)]
    fn rename(&mut self, op: &Op, now: &mut u64) {
        if op.is(Flags::WRITES_GENERAL) {
            let before = Self::holder(&mut self.general, self.window.newest());
            self.put_off(now, cycle_of(self.given_back(before)), Cause::Rename);
        }
        if rarely(op.is(Flags::WRITES_VECTOR)) {
            let unit = self.window.newest();
            let before = Self::holder(self.vectors(), unit);
            self.put_off(now, cycle_of(self.given_back(before)), Cause::Rename);
        }
    }

    /// The pool that vector registers are renamed from.
    #[inline(always)]
    fn vectors(&mut self) -> &mut Ring {
        if self.shared && !planted(Fault::PoolsApart) {
            &mut self.general
        } else {
            &mut self.vector
        }
    }

    /// The last holder of the entry that the newest unit, `unit`, needs. A group takes the entry at once and leaves its number
    /// in it, an instruction takes it when its completion is known and leaves that.
    #[inline(always)]
    fn holder(ring: &mut Ring, unit: u64) -> u64 {
        if R::GROUPED {
            ring.take(unit)
        } else {
            ring.oldest()
        }
    }

    /// When that holder frees it.
    #[inline(always)]
    fn given_back(&self, holder: u64) -> Completion {
        if R::GROUPED {
            self.window.completion(holder)
        } else {
            holder
        }
    }

    /// Waits for room in the load and store queues.
    #[inline(always)]
    fn admit_access<K: Known>(&mut self, op: &Op, now: &mut u64) {
        if op.has::<K>(Flags::LOAD) {
            let before = Self::holder(&mut self.loads, self.window.newest());
            self.wait_for(now, self.given_back(before));
            if let Some(waiting) = &mut self.waiting_loads {
                let cycle = waiting.admit(0, *now);
                self.put_off(now, cycle, Cause::IssueQueue);
            }
        }
        if op.has::<K>(Flags::STORE) {
            let cycle = self.memory.store_room();
            if mostly(cycle != u64::MAX) {
                self.put_off(now, cycle, Cause::StoreQueue);
            }
        }
    }
}
