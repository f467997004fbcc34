// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The engine of the out-of-order shapes: dispatch in order, execute when sources and pipes allow, complete in
//! order. What may be dispatched together, and whether instructions complete one by one or in groups, is the
//! business of the `Rules`.

use super::cache::Hierarchy;
use super::front_end::FrontEnd;
use super::queues::{Calendar, Ring, LANES};
use super::store_queue::{Meets, Store, StoreQueue};
use super::units::Pipes;
use super::values::{Sources, Values};
use super::{accesses_of, Access, Cause, Core, Counters, Event, Relax};
use crate::description::*;
use crate::plan::*;
use decode::Role;

/// Dispatch rules of a shape of core.
pub(crate) trait Rules: Send {
    /// Whether instructions complete in groups.
    const GROUPED: bool;
    /// Rules of a cpu.
    fn new(description: &Description) -> Self;
    /// The cycle in which `op` can be dispatched, from `earliest` on, and whether that starts a new cycle's set. `may`
    /// are the flags that it may have, known when this is compiled.
    fn offer(&mut self, op: &Op, may: u32, earliest: u64, taken: bool) -> (u64, bool);
    /// `op` is dispatched in `cycle`, which may be later than offered.
    fn settle(&mut self, op: &Op, may: u32, cycle: u64, opens: bool, taken: bool);
}

const UNLIMITED: usize = 2000;
/// Every flag that an instruction may have.
const ANYTHING: u32 = u32::MAX;

/// When the parts of an instruction went to their pipes.
#[derive(Default)]
struct Issued {
    last: u64,
    /// The cycle that latencies count from.
    base: u64,
    address: Option<u64>,
    data: Option<u64>,
}

/// Whether the instruction computes with what it loads, in a part that waits for it.
fn computes_with_loaded(plan: &Plan, op: &Op) -> bool {
    op.is(LOAD) && plan.parts_of(op).last().is_some_and(|part| part.waits == Waits::Loaded)
}

/// How far an instruction has come.
struct Run {
    /// Sources could be had, and were there; what the last of them waited for.
    start: u64,
    ready: u64,
    source_cause: Cause,
    /// Last part issued, and the cycle that latencies count from.
    issue: u64,
    base: u64,
    loaded: Loaded,
    /// All results there.
    finish: u64,
}

impl Run {
    /// What it waited for longest; of equals the last.
    fn cause(&self) -> Cause {
        let (for_sources, for_pipe) = (self.ready - self.start, self.issue.saturating_sub(self.ready));
        if self.loaded.extra >= for_sources.max(for_pipe) {
            self.loaded.cause
        } else if for_pipe >= for_sources {
            Cause::Unit
        } else {
            self.source_cause
        }
    }

    /// Its record; when it completes is not known yet.
    #[cold]
    fn event(&self, op: &Op, fetch: u64, dispatch: u64, opens_group: bool) -> Event {
        Event {
            op: op.index,
            fetch,
            dispatch,
            ready: self.ready,
            issue: self.issue,
            finish: self.finish,
            complete: u64::MAX,
            opens_group,
            cause: self.cause(),
        }
    }
}

/// What memory did to a load.
#[derive(Clone, Copy)]
struct Loaded {
    extra: u64,
    cause: Cause,
}

impl Loaded {
    const AT_ONCE: Loaded = Loaded { extra: 0, cause: Cause::Dependency };

    /// What its results pass on: what the instruction itself met, not what its sources had met before.
    fn passed_on(&self) -> Cause {
        if self.extra > 0 {
            self.cause
        } else {
            Cause::Dependency
        }
    }
}

/// Whether a core that renames memory can take the load's register to be the stored one: the load moves all that was
/// stored, or the lower 4 of 8 bytes. Measured on Golden Cove (crates/predict/examples/native.rs): loads of 2 bytes are
/// not renamed, nor those that start inside of the store.
fn renamable(access: &Access, store: &Store) -> bool {
    access.address == store.address
        && (u64::from(access.bytes) == store.bytes && store.bytes != 2
            || access.bytes == 4 && store.bytes == 8)
}

/// An out-of-order core.
pub(crate) struct Engine<R> {
    rules: R,
    front: FrontEnd,
    pipes: Pipes,
    calendar: Calendar,
    caches: Hierarchy,
    stores: StoreQueue,
    memory: Memory,
    l1_latency: u64,
    values: Values,
    /// Units in flight at most.
    window: u64,
    loads: Ring,
    /// Rename registers; instructions that rename without limit do not ask.
    general: Ring,
    vector: Ring,
    /// Units completed in a cycle at most.
    complete_width: u64,
    /// When the last units completed and what they waited for, by their numbers; a power of two, more than the window
    /// holds.
    completed: Box<[(u64, Cause)]>,
    /// Number of the unit (group or instruction) being filled, from 1.
    unit: u64,
    unit_open: bool,
    unit_finish: u64,
    unit_cause: Cause,
    unit_stores: Vec<(u64, u64)>,
    unit_events: usize,
    last_complete: u64,
    last_dispatch: u64,
    hold: u64,
    dispatch_latency: u64,
    complete_latency: u64,
    mispredict: u64,
    /// Address bits that differ between two bytes of an access only if it crosses some boundary.
    crossing_bits: u64,
    /// Loads that once ran before a store to their bytes and now wait for it, by static instruction.
    waits: Vec<bool>,
    relax: Relax,
    counters: Counters,
    marks: Vec<u64>,
}

impl<R: Rules> Engine<R> {
    pub(crate) fn new(description: &Description, relax: Relax) -> Engine<R> {
        let d = &description.dispatch;
        let memory = description.memory.clone();
        let limit = |entries: usize| if relax.window { UNLIMITED } else { entries };
        let mut limits = [u16::MAX; LANES];
        if !relax.window {
            for (lane, (_, entries)) in limits.iter_mut().zip(&description.queues) {
                *lane = *entries;
            }
        }
        let mut caches = Hierarchy::new(&description.caches, memory.miss_queue);
        caches.ideal = relax.caches;
        let rename = |entries: Option<usize>| Ring::new(entries.unwrap_or(1));
        // Groups may hold as many loads as they have slots, and their ring entries are not free before they close.
        let least = if R::GROUPED { 2 * d.width as usize + 4 } else { 1 };
        let mut rules_description = description.clone();
        if relax.dispatch {
            rules_description.dispatch.width = 1000;
            rules_description.dispatch.branches = rules_description.dispatch.branches.map(|_| 1000);
            rules_description.dispatch.taken = None;
            rules_description.dispatch.three_source = None;
        }
        let window = limit(d.window).max(1) as u64;
        let complete_width = if relax.dispatch { 1000 } else { d.complete_width.max(1) as u64 };
        let remembered = (2 * window.max(complete_width)).next_power_of_two();
        let smallest = memory.crossings.iter().map(|&(boundary, _)| boundary).min();
        Engine {
            rules: R::new(&rules_description),
            front: FrontEnd::new(description, relax),
            pipes: Pipes::new(),
            calendar: Calendar::new(limits),
            caches,
            stores: StoreQueue::new(limit(memory.store_queue).max(least), memory.alias_mask),
            l1_latency: description.caches.l1.latency,
            values: Values::new(description.bypass.as_deref()),
            window,
            loads: Ring::new(limit(memory.load_queue).max(least)),
            general: rename(d.rename_general),
            vector: rename(d.rename_vector),
            complete_width,
            completed: vec![(0, Cause::Dependency); remembered as usize].into(),
            unit: 0,
            unit_open: false,
            unit_finish: 0,
            unit_cause: Cause::Dependency,
            unit_stores: Vec::new(),
            unit_events: 0,
            last_complete: 0,
            last_dispatch: 0,
            hold: 0,
            dispatch_latency: d.latency,
            complete_latency: d.complete_latency,
            mispredict: description.branch.mispredict,
            crossing_bits: smallest.map_or(0, |smallest| !(smallest - 1)),
            waits: Vec::new(),
            relax,
            memory,
            counters: Counters::default(),
            marks: Vec::new(),
        }
    }

    /// Completion of a unit, and what it waited for. Of one that the window cannot hold any more, a later one stands in:
    /// both have completed before anything that asks now, which is all that the caller wants to know.
    #[inline]
    fn completion(&self, unit: u64) -> (u64, Cause) {
        let oldest = (self.unit + 1).saturating_sub(self.completed.len() as u64);
        self.recent(unit.max(oldest))
    }

    /// The same of a unit that is remembered, or would have the number if units had been counted for longer.
    #[inline]
    fn recent(&self, unit: u64) -> (u64, Cause) {
        self.completed[unit as usize & (self.completed.len() - 1)]
    }

    /// When the open unit completes if nothing is added to it.
    #[inline]
    fn closing(&self) -> u64 {
        let (before, _) = self.recent(self.unit.wrapping_sub(self.complete_width));
        (self.unit_finish + self.complete_latency).max(self.last_complete).max(before + 1)
    }

    /// Ends the open unit: it completes when all of it has finished and those before it have completed.
    #[inline(always)]
    fn close(&mut self, events: &mut Option<&mut Vec<Event>>) {
        if !self.unit_open {
            return;
        }
        self.unit_open = false;
        let cycle = self.closing();
        self.last_complete = cycle;
        let place = self.unit as usize & (self.completed.len() - 1);
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
    fn put_off(&mut self, now: &mut u64, cycle: u64, cause: Cause) {
        if cycle > *now {
            self.counters.stalls[cause as usize] += cycle - *now;
            *now = cycle;
        }
    }

    /// Opens the next unit as soon as the window has room for it.
    #[inline(always)]
    fn open(&mut self, now: &mut u64) {
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
    fn dispatch<const MAY: u32>(
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

    /// Executes the loads of one instruction that went to its pipe at `issue`.
    fn load(
        &mut self,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        issue: u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> Loaded {
        let mut loaded = Loaded::AT_ONCE;
        for access in accesses {
            if !access.store && access.known {
                let one = self.load_one(op, access, dispatch, issue, events);
                loaded = if one.extra > loaded.extra { one } else { loaded };
            }
        }
        loaded
    }

    #[inline(never)]
    fn load_one(
        &mut self,
        op: &Op,
        access: &Access,
        dispatch: &mut u64,
        issue: u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> Loaded {
        let bytes = u64::from(access.bytes.max(1));
        let crossing = self.crossing(access.address, bytes);
        let mut start = issue;
        if !self.relax.load_hit_store {
            if let Some((meets, store)) = self.stores.find(access.address, bytes, issue) {
                if store.address_time > issue {
                    start = self.too_early(op, store.address_time);
                }
                if meets != Meets::Alias {
                    let waited = self.meet_store(op, meets, store.number, start, dispatch, events);
                    let simple = op.is(SIMPLE_ADDRESS) && store.simple && renamable(access, &store);
                    return match (waited, self.memory.forward_renamed.filter(|_| simple)) {
                        (None, Some(renamed)) => {
                            // The value is renamed to the store's source: it need not wait for the load's issue.
                            let there = store.data_time + renamed;
                            Loaded {
                                extra: there.saturating_sub(issue + self.l1_latency),
                                cause: Cause::LoadHitStore,
                            }
                        }
                        (None, None) => {
                            let there = start.max(store.data_time) + self.memory.forward;
                            let extra = (there + crossing).saturating_sub(issue + self.l1_latency);
                            Loaded { extra, cause: Cause::LoadHitStore }
                        }
                        (Some(until), _) => {
                            Loaded { extra: until - issue + crossing, cause: Cause::LoadHitStore }
                        }
                    };
                }
            }
        }
        let first = self.caches.line_of(access.address);
        let last = self.caches.line_of(access.address + bytes - 1);
        let mut extra = self.caches.data(first, start);
        for line in first + 1..=last {
            extra = extra.max(self.caches.data(line, start));
        }
        let cause = if start > issue { Cause::LoadHitStore } else { Cause::CacheMiss };
        Loaded { extra: extra + crossing + (start - issue), cause }
    }

    #[inline]
    fn crossing(&self, address: u64, bytes: u64) -> u64 {
        if (address ^ (address + bytes - 1)) & self.crossing_bits == 0 {
            return 0;
        }
        let crossed =
            |&&(boundary, _): &&(u64, u64)| (address ^ (address + bytes - 1)) & !(boundary - 1) != 0;
        self.memory.crossings.iter().filter(crossed).map(|&(_, cost)| cost).sum()
    }

    /// A load was ready before an older store's address: it waits, or it ran and is flushed once.
    fn too_early(&mut self, op: &Op, address_time: u64) -> u64 {
        let index = op.index as usize;
        if self.waits.len() <= index {
            self.waits.resize(index + 1, false);
        }
        if self.memory.order_waits || self.waits[index] {
            return address_time;
        }
        self.waits[index] = true;
        self.counters.order_flushes += 1;
        let again = address_time + self.memory.order_flush;
        self.front.restart(again, Cause::OrderFlush);
        again
    }

    /// A load meets a store in flight. `None`: it is forwarded. Otherwise the cycle at which it can run again.
    fn meet_store(
        &mut self,
        op: &Op,
        meets: Meets,
        number: u64,
        start: u64,
        dispatch: &mut u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> Option<u64> {
        if meets == Meets::All && !op.is(NO_FORWARD) {
            self.counters.forwards += 1;
            return None;
        }
        self.counters.forward_failures += 1;
        if meets == Meets::Some && self.memory.partial_merges && !op.is(NO_FORWARD) {
            return Some(start + self.memory.forward_failed);
        }
        let mut start = start;
        if self.stores.drain_of(number) == u64::MAX {
            // The store is in the load's own group: the load is flushed and fetched again in a group of its own.
            self.close(events);
            let again = self.last_complete + self.memory.same_group_flush;
            let mut now = self.last_dispatch;
            self.open(&mut now);
            self.rules.settle(op, ANYTHING, again, true, false);
            self.put_off(&mut now, again, Cause::LoadHitStore);
            self.last_dispatch = now;
            *dispatch = now;
            start = start.max(now + self.dispatch_latency);
        }
        let drain = self.stores.drain_of(number);
        let retries = drain.saturating_sub(start).div_ceil(self.memory.reject_retry);
        let failed = if meets == Meets::Some { self.memory.forward_failed } else { 0 };
        Some(start + retries * self.memory.reject_retry + failed)
    }

    /// Executes a `SIMPLE` instruction.
    #[inline]
    fn run_simple<const MAY: u32>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> Run {
        let start = *dispatch + self.dispatch_latency;
        let (ready, source_cause) = self.values.one_kind(plan, op, start);
        let issue = if op.mask == 0 { ready } else { self.pipes.reserve_one(op.mask, op.prefer, ready) };
        let mut loaded = Loaded::AT_ONCE;
        if op.is(LOAD & MAY) {
            loaded = self.load(op, accesses, dispatch, issue, events);
        }
        if op.result_count == 1 {
            let first = op.first_result;
            let extra = if first.role == Role::BaseUpdate { 0 } else { loaded.extra };
            let there = issue + u64::from(first.latency) + extra;
            self.values.set(first.register, there, first.domain, loaded.passed_on());
        } else if op.result_count > 1 {
            self.set_results(plan, op, issue, issue, loaded);
        }
        let finish = issue + u64::from(op.finish) + loaded.extra;
        Run { start, ready, source_cause, issue, base: issue, loaded, finish }
    }

    /// Executes any instruction.
    fn run(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> Run {
        let start = *dispatch + self.dispatch_latency;
        let sources = self.values.sources(plan, op, start);
        let (issued, loaded) = match plan.parts_of(op) {
            [address, data]
                if (address.waits, data.waits) == (Waits::Address, Waits::Data) && !op.is(LOAD) =>
            {
                (self.issue_store(address, data, &sources), Loaded::AT_ONCE)
            }
            parts => self.issue_parts(op, parts, &sources, accesses, dispatch, start, events),
        };
        let Issued { last: issue, base, address, data } = issued;
        let met = if computes_with_loaded(plan, op) { Loaded { extra: 0, ..loaded } } else { loaded };
        let mut finish = self.set_results(plan, op, base, address.unwrap_or(base), met).max(issue + 1);
        if op.is(STORE) {
            finish = finish.max(self.store(op, accesses, address.unwrap_or(issue), data.unwrap_or(issue)));
        }
        Run { start, ready: sources.last, source_cause: sources.cause, issue, base, loaded, finish }
    }

    /// Issues a store's two operations.
    #[inline]
    fn issue_store(&mut self, address: &Part, data: &Part, sources: &Sources) -> Issued {
        let address = self.pipes.reserve(address, sources.address);
        let data = self.pipes.reserve(data, sources.stored.max(sources.other));
        let last = address.max(data);
        Issued { last, base: last, address: Some(address), data: Some(data) }
    }

    /// Issues the parts of an instruction, in their order; a load goes with the first.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    fn issue_parts(
        &mut self,
        op: &Op,
        parts: &[Part],
        sources: &Sources,
        accesses: &[Access],
        dispatch: &mut u64,
        start: u64,
        events: &mut Option<&mut Vec<Event>>,
    ) -> (Issued, Loaded) {
        let mut loaded = Loaded::AT_ONCE;
        let mut issued =
            Issued { last: if parts.is_empty() { sources.last } else { 0 }, ..Issued::default() };
        let (mut steps, mut previous) = (0, start);
        for (index, part) in parts.iter().enumerate() {
            let earliest = match part.waits {
                Waits::All => sources.last,
                Waits::Address => sources.address,
                Waits::Data => sources.stored.max(sources.other),
                Waits::Then => previous + u64::from(part.step),
                Waits::Loaded => {
                    let there = issued.address.unwrap_or(previous) + self.l1_latency + loaded.extra;
                    there.max(sources.other).max(sources.stored)
                }
            };
            previous = self.pipes.reserve(part, earliest);
            match part.waits {
                Waits::Address => issued.address = Some(previous),
                Waits::Data => issued.data = Some(previous),
                Waits::Then => steps += u64::from(part.step),
                Waits::All | Waits::Loaded => {}
            }
            if index == 0 && op.is(LOAD) {
                loaded = self.load(op, accesses, dispatch, previous, events);
            }
            issued.last = issued.last.max(previous);
        }
        if parts.is_empty() && op.is(LOAD) {
            loaded = self.load(op, accesses, dispatch, issued.last, events);
        }
        issued.base = issued.last - steps.min(issued.last);
        (issued, loaded)
    }

    /// Says when the results of an instruction are there; the last of them.
    fn set_results(&mut self, plan: &Plan, op: &Op, base: u64, base_update: u64, loaded: Loaded) -> u64 {
        let mut finish = base + u64::from(op.latency) + loaded.extra;
        for result in plan.results_of(op) {
            let latency = u64::from(result.latency);
            let ready = match result.role {
                Role::BaseUpdate => base_update + latency,
                _ => base + latency + loaded.extra,
            };
            finish = finish.max(ready);
            self.values.set(result.register, ready, result.domain, loaded.passed_on());
        }
        finish
    }

    /// Takes an instruction from fetch to completion. `MAY`: the flags that it may have; events are recorded if that is
    /// `ANYTHING`.
    #[inline]
    fn step<const MAY: u32>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        next: u64,
        events: &mut Option<&mut Vec<Event>>,
    ) {
        let taken = op.is(BRANCH & MAY) && next != op.end();
        let (fetch, mut dispatch, opens) = self.dispatch::<MAY>(op, taken, events);
        let run = if MAY & (LOAD | STORE) == 0 || op.is(SIMPLE) {
            self.run_simple::<MAY>(plan, op, accesses, &mut dispatch, events)
        } else {
            self.run(plan, op, accesses, &mut dispatch, events)
        };
        if op.queue != NO_QUEUE {
            self.calendar.hold(usize::from(op.queue), run.issue + 1);
        }
        if !R::GROUPED || run.finish > self.unit_finish {
            self.unit_finish = run.finish;
            self.unit_cause = run.cause();
        }
        if op.is(BRANCH & MAY) {
            self.counters.branches_taken += u64::from(taken);
            self.branch(op, run.base, next);
        }
        if MAY == ANYTHING {
            if let Some(events) = events {
                events.push(run.event(op, fetch, dispatch, opens && R::GROUPED));
            }
            if op.is(AFTER) && !self.relax.serialise {
                self.hold = self.hold.max(run.finish + u64::from(op.serial));
            }
            if op.is(MARK) {
                self.marks.push(dispatch);
            }
        }
    }

    #[inline(never)]
    fn step_branch(&mut self, plan: &Plan, op: &Op, next: u64) {
        self.step::<BRANCH>(plan, op, &[], next, &mut None);
    }

    #[inline(never)]
    fn step_load(&mut self, plan: &Plan, op: &Op, accesses: &[Access]) {
        self.step::<LOAD>(plan, op, accesses, 0, &mut None);
    }

    #[inline(never)]
    fn step_store(&mut self, plan: &Plan, op: &Op, accesses: &[Access]) {
        self.step::<STORE>(plan, op, accesses, 0, &mut None);
    }

    #[inline(never)]
    fn step_other(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        next: u64,
        events: &mut Option<&mut Vec<Event>>,
    ) {
        self.step::<ANYTHING>(plan, op, accesses, next, events);
    }

    /// Puts the stores of one instruction into the queue; when they have finished.
    fn store(&mut self, op: &Op, accesses: &[Access], address_time: u64, data_time: u64) -> u64 {
        for access in accesses.iter().filter(|access| access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let first = self.caches.line_of(access.address);
            let last = self.caches.line_of(access.address + bytes - 1);
            let mut line_ready = 0;
            for line in first..=last {
                if self.caches.write_through {
                    self.caches.store_through(line);
                } else {
                    let extra = self.caches.data(line, address_time);
                    line_ready =
                        line_ready.max(if extra > 0 { address_time + self.l1_latency + extra } else { 0 });
                }
            }
            let crossing = self.crossing(access.address, bytes);
            let mut done = 0;
            while done < bytes {
                let piece = (bytes - done).min(64);
                let simple = op.is(SIMPLE_ADDRESS);
                let number = self.stores.add(access.address + done, piece, address_time, data_time, simple);
                self.unit_stores.push((number, line_ready + crossing));
                done += piece;
            }
        }
        address_time.max(data_time) + 1
    }

    fn branch(&mut self, op: &Op, resolved: u64, next: u64) {
        let outcome = self.front.predict(op, next);
        if outcome.mispredicted {
            self.counters.branch_misses += 1;
            self.front.restart(resolved + self.mispredict, Cause::Mispredict);
        }
    }
}

impl<R: Rules> Core for Engine<R> {
    fn block(
        &mut self,
        plan: &Plan,
        block: usize,
        accesses: &[Access],
        next: u64,
        mut events: Option<&mut Vec<Event>>,
    ) {
        let block = plan.blocks[block];
        let ops = &plan.ops[block.first as usize..(block.first + block.count) as usize];
        let mut rest = accesses;
        for (index, op) in ops.iter().enumerate() {
            let next = || ops.get(index + 1).map_or(next, |following| following.address);
            match if events.is_none() { op.kind } else { Kind::Other } {
                Kind::Register => self.step::<0>(plan, op, &[], 0, &mut None),
                Kind::Branch => self.step_branch(plan, op, next()),
                Kind::Load => self.step_load(plan, op, accesses_of(&mut rest, index)),
                Kind::Store => self.step_store(plan, op, accesses_of(&mut rest, index)),
                Kind::Other => {
                    let mine = accesses_of(&mut rest, index);
                    self.step_other(plan, op, mine, next(), &mut events);
                }
            }
        }
        self.counters.add_block(&block);
    }

    fn now(&self) -> u64 {
        if self.unit_open {
            self.closing()
        } else {
            self.last_complete
        }
    }

    fn counters(&mut self) -> &mut Counters {
        self.caches.counts.drain_into(&mut self.counters);
        &mut self.counters
    }

    fn touch(&mut self, address: u64, store: bool) -> bool {
        self.caches.touch_only(address, store, self.last_dispatch)
    }

    fn marks(&mut self) -> &mut Vec<u64> {
        &mut self.marks
    }

    fn line_bytes(&self) -> u64 {
        self.caches.line_bytes()
    }
}
