// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's out-of-order core: every instruction takes the one general path, whatever it is.

use super::caches::Hierarchy;
use super::dispatch::{Group, Slices, Slots};
use super::fetch::Front;
use super::pipes::{Pipes, Writer};
use super::registers::{Made, Ready, Registers};
use super::stores::{Meets, Store, Stores};
use super::{crossing, Machine, Tally};
use crate::cause::Cause;
use crate::core::Event;
use crate::cpu::schema::CoreKind;
use crate::description::*;
use crate::flags::Flags;
use crate::op::*;
use crate::plan::Plan;
use crate::source::Access;
use decode::Role;
use std::collections::{BTreeMap, BTreeSet};

enum Shape {
    Grouped(Group),
    Sliced(Slices),
    Plain(Slots),
}

/// The half of the core that an instruction was sent to.
#[derive(Clone, Copy)]
struct Side {
    half: Option<usize>,
    pipes: u32,
}

pub(super) struct OutOfOrder {
    description: Description,
    shape: Shape,
    front: Front,
    pipes: Pipes,
    caches: Hierarchy,
    stores: Stores,
    registers: Registers,
    /// Completion of each unit that is not open.
    completed: Vec<u64>,
    open: bool,
    unit_finish: u64,
    unit_stores: Vec<(usize, u64)>,
    unit_events: Vec<usize>,
    /// Units of the instructions that took an entry of each, in order.
    loads: Vec<usize>,
    general: Vec<usize>,
    vector: Vec<usize>,
    /// Of each queue (and half), when its entries are given back.
    queues: BTreeMap<(usize, usize), Vec<u64>>,
    /// The half that the next instruction of each kind goes to.
    turns: BTreeMap<u8, usize>,
    last_dispatch: u64,
    last_complete: u64,
    hold: u64,
    /// Loads that were flushed once and wait from then on.
    flushed: BTreeSet<u32>,
    renames_free: u64,
    lives: Vec<Event>,
    tally: Tally,
}

/// When the parts of an instruction went to their pipes.
#[derive(Default)]
struct Issued {
    last: u64,
    steps: u64,
    address: Option<u64>,
    data: Option<u64>,
    /// Cycles that memory added to the load, and whether something was computed with what it brought.
    extra: u64,
    computed: bool,
    made: Option<Made>,
}

impl OutOfOrder {
    pub(super) fn new(description: &Description) -> OutOfOrder {
        let shape = match description.kind {
            CoreKind::Grouped => Shape::Grouped(Group::new(&description.dispatch)),
            CoreKind::Sliced => Shape::Sliced(Slices::new(description)),
            _ => Shape::Plain(Slots::new(&description.dispatch)),
        };
        OutOfOrder {
            shape,
            front: Front::new(description),
            pipes: Pipes::new(description),
            caches: Hierarchy::new(&description.caches, description.memory.miss_queue),
            stores: Stores::new(description),
            registers: Registers::new(description),
            completed: Vec::new(),
            open: false,
            unit_finish: 0,
            unit_stores: Vec::new(),
            unit_events: Vec::new(),
            loads: Vec::new(),
            general: Vec::new(),
            vector: Vec::new(),
            queues: BTreeMap::new(),
            turns: BTreeMap::new(),
            last_dispatch: 0,
            last_complete: 0,
            hold: 0,
            flushed: BTreeSet::new(),
            renames_free: 0,
            lives: Vec::new(),
            tally: Tally::default(),
            description: description.clone(),
        }
    }

    /// When a unit that has finished at `finish` completes: in order, so many a cycle.
    fn completes(&self, finish: u64) -> u64 {
        let width = self.description.dispatch.complete_width;
        let before = self.completed.len().checked_sub(width).map_or(0, |unit| self.completed[unit]);
        (finish + self.description.dispatch.complete_latency).max(self.last_complete).max(before + 1)
    }

    fn complete_unit(&mut self, finish: u64) -> u64 {
        self.last_complete = self.completes(finish);
        self.completed.push(self.last_complete);
        for (number, line_ready) in std::mem::take(&mut self.unit_stores) {
            self.stores.complete(number, self.last_complete, line_ready);
        }
        self.last_complete
    }

    fn close_group(&mut self) {
        if self.open {
            self.open = false;
            let cycle = self.complete_unit(self.unit_finish);
            for event in std::mem::take(&mut self.unit_events) {
                self.lives[event].complete = cycle;
            }
            self.unit_finish = 0;
        }
    }

    /// Opens the next unit, at `now` or when the window has room.
    fn open_unit(&mut self, now: u64) -> u64 {
        self.open = true;
        let oldest = self.completed.len().checked_sub(self.description.dispatch.window);
        now.max(oldest.map_or(0, |unit| self.completed[unit]))
    }

    /// Takes one of `entries` that are held until completion; when one is free.
    fn entry(completed: &[u64], taken: &mut Vec<usize>, entries: usize) -> u64 {
        let holder = taken.len().checked_sub(entries).map(|index| taken[index]);
        taken.push(completed.len());
        holder.and_then(|unit| completed.get(unit).copied()).unwrap_or(0)
    }

    /// Sends an instruction to a half.
    fn steer(&mut self, op: &Op) -> Side {
        let whole = Side { half: None, pipes: u32::MAX };
        let Some(halves) = self.description.halves else { return whole };
        let half = match op.steer {
            NEITHER => return whole,
            kind if kind < FIXED => {
                let next = self.turns.entry(kind).or_default();
                *next ^= 1;
                *next ^ 1
            }
            fixed => usize::from(fixed - FIXED),
        };
        Side { half: Some(half), pipes: halves[half] | !(halves[0] | halves[1]) }
    }

    fn held(&self, queue: (usize, usize), cycle: u64) -> usize {
        let releases = self.queues.get(&queue).map_or(&[][..], |releases| releases);
        releases.iter().filter(|&&release| release > cycle).count()
    }

    fn entries(&self, (queue, _): (usize, usize)) -> usize {
        let entries = usize::from(self.description.queues[queue].1);
        if self.description.is_in_halves(queue as u8) {
            entries.div_ceil(2)
        } else {
            entries
        }
    }

    fn has_room(&self, queues: &[(usize, usize)], cycle: u64) -> bool {
        queues.iter().all(|&queue| self.held(queue, cycle) < self.entries(queue))
    }

    /// The queues that the operations of an instruction wait in.
    fn queues_of(&self, op: &Op, side: Side) -> Vec<(usize, usize)> {
        let queue = usize::from(op.queue);
        match &self.shape {
            _ if op.queue == NO_QUEUE => Vec::new(),
            Shape::Sliced(slices) if self.description.dispatch.slice_queue == Some(op.queue) => {
                match &slices.now.slices[..] {
                    [] => vec![(queue, 0)],
                    slices => slices.iter().map(|slice| (queue + slice, 0)).collect(),
                }
            }
            _ => vec![(queue, side.half.unwrap_or(0))],
        }
    }

    /// The cycle of dispatch, and whether a group was opened; takes everything that the instruction needs.
    fn dispatch(&mut self, op: &Op, fetch: u64, taken: bool) -> (u64, bool, Side) {
        let mut now = self.last_dispatch.max(fetch).max(self.hold);
        if op.is(Flags::BEFORE) {
            self.close_group();
            now = now.max(self.last_complete);
        }
        let offered = now;
        let opens;
        match &self.shape {
            Shape::Grouped(group) => {
                let joins = now <= group.cycle && group.takes(op);
                opens = !joins || !self.open;
                if opens {
                    now = now.max(if joins { group.cycle } else { group.cycle + 1 });
                    self.close_group();
                    now = self.open_unit(now);
                }
            }
            Shape::Plain(slots) => {
                now = slots.first(op, taken, now);
                opens = now > self.last_dispatch;
                now = self.open_unit(now);
            }
            Shape::Sliced(slices) => {
                let held = self.waiting(offered);
                let joins = now <= slices.now.cycle && slices.joined(op, taken, &held).is_some();
                now = if joins { slices.now.cycle } else { now.max(slices.now.cycle + 1) };
                opens = !joins;
                now = self.open_unit(now);
            }
        }
        now = now.max(self.structures(op));
        let side = self.steer(op);
        now = self.enter_queues(op, now, offered, taken, side);
        match &mut self.shape {
            Shape::Grouped(group) => group.add(op, now, opens),
            Shape::Plain(slots) => slots.add(op, taken, now),
            Shape::Sliced(_) => {}
        }
        self.last_dispatch = now;
        self.front.dispatched(now);
        (now, opens, side)
    }

    /// When load queue, store queue and rename registers have room.
    fn structures(&mut self, op: &Op) -> u64 {
        let dispatch = &self.description.dispatch;
        let completed = &self.completed;
        let mut now = 0;
        if op.is(Flags::LOAD) {
            now = now.max(Self::entry(completed, &mut self.loads, self.description.memory.load_queue));
        }
        if op.is(Flags::STORE) {
            now = now.max(self.stores.room());
        }
        if let Some(entries) = dispatch.rename_general.filter(|_| op.is(Flags::WRITES_GENERAL)) {
            now = now.max(Self::entry(completed, &mut self.general, entries));
        }
        if let Some(entries) = dispatch.rename_vector.filter(|_| op.is(Flags::WRITES_VECTOR)) {
            now = now.max(Self::entry(completed, &mut self.vector, entries));
        }
        now
    }

    /// How many operations wait in the queue of each slice.
    fn waiting(&self, cycle: u64) -> Vec<usize> {
        let Shape::Sliced(slices) = &self.shape else { return Vec::new() };
        let first = self.description.dispatch.slice_queue.map(usize::from);
        let held = |slice| first.map_or(0, |first| self.held((first + slice, 0), cycle));
        (0..slices.slices().max(4)).map(held).collect()
    }

    /// The first cycle from `now` on in which its queues have room. Slices are chosen by what waited when the instruction was
    /// `offered`.
    fn enter_queues(&mut self, op: &Op, mut now: u64, offered: u64, taken: bool, side: Side) -> u64 {
        let held = self.waiting(offered);
        loop {
            if let Shape::Sliced(slices) = &mut self.shape {
                // An instruction can join a cycle that has begun only in that cycle.
                let before = slices.now.clone();
                let joined = slices.joined(op, taken, &held).filter(|_| now <= before.cycle);
                slices.now = joined.unwrap_or_else(|| slices.begun(now, op, taken, &held));
                let queues = self.queues_of(op, side);
                if self.has_room(&queues, now) {
                    return now;
                }
                if let Shape::Sliced(slices) = &mut self.shape {
                    slices.now = before;
                }
            } else if self.has_room(&self.queues_of(op, side), now) {
                return now;
            }
            now += 1;
        }
    }

    fn usable(mask: u32, side: Side) -> u32 {
        if mask & side.pipes == 0 {
            mask
        } else {
            mask & side.pipes
        }
    }

    /// Issues a part of an instruction that cannot before `earliest`.
    fn part(
        &mut self,
        plan: &Plan,
        op: &Op,
        number: usize,
        earliest: u64,
        side: Side,
        issued: &mut Issued,
    ) -> u64 {
        let part = plan.parts_of(op)[number];
        let plain = is_plain(plan, op);
        let gives = plain && !op.is(Flags::BRANCH) && !plan.results_of(op).is_empty();
        let computes = gives && !op.is(Flags::LOAD);
        let writer = Writer { instruction: op.index, latency: u64::from(op.latency) };
        let dispatch = &self.description.dispatch;
        match &self.shape {
            Shape::Sliced(_) if op.is(Flags::BRANCH) => self.pipes.first_free(&part, earliest),
            Shape::Sliced(slices) => {
                let mask = slices.pipes(part.mask, number, part.pair);
                let loads = dispatch.load_results && !op.is(Flags::MOVES_VECTOR);
                let writes = computes || gives && loads;
                let results = if writes { slices.pipes(dispatch.results, 0, part.pair) } else { 0 };
                if results != 0 {
                    self.pipes.with_result(mask, part.pair, results, writer, earliest)
                } else if part.pair {
                    self.pipes.all(mask, earliest)
                } else {
                    self.pipes.first_free(&Part { mask, ..part }, earliest)
                }
            }
            Shape::Grouped(_) => {
                let mask = Self::usable(part.mask, side);
                let binds = dispatch.binds && self.description.halves.is_some();
                if part.busy > 1 || !binds {
                    return self.pipes.first_free(&Part { mask, ..part }, earliest);
                }
                let from_ports = part.mask & dispatch.results_from;
                let pipe = self.pipes.in_turn(mask);
                // Simple work in a pipe that is not made for it comes late to both halves.
                if plain && pipe != 0 && pipe & part.prefer == 0 {
                    issued.made = Some(Made::Elsewhere);
                }
                let results = if pipe & from_ports != 0 { dispatch.results & side.pipes } else { 0 };
                if computes && from_ports != 0 {
                    self.pipes.with_result(pipe, false, results, writer, earliest)
                } else {
                    self.pipes.first_free(&Part { mask: pipe, prefer: pipe, ..part }, earliest)
                }
            }
            Shape::Plain(_) => {
                if part.busy > 1 || !self.pipes.binds(part.mask) {
                    return self.pipes.first_free(&part, earliest);
                }
                let writes = dispatch.one_result
                    && op.is(Flags::WRITES_GENERAL)
                    && op.latency > 0
                    && (computes || part.waits == Waits::Loaded);
                let latency = writes.then_some(u64::from(op.latency));
                self.pipes.bound(part.mask, latency, earliest, self.last_dispatch)
            }
        }
    }

    /// Issues all parts, in their order; memory is read with the first.
    fn issue(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        start: u64,
        ready: &Ready,
        side: Side,
    ) -> Issued {
        let mut issued = Issued::default();
        let parts = plan.parts_of(op);
        if parts.is_empty() {
            issued.last = ready.all();
            if op.is(Flags::LOAD) {
                issued.extra = self.load(plan, op, accesses, dispatch, issued.last);
            }
        }
        let mut previous = start;
        for (number, part) in parts.iter().enumerate() {
            let earliest = match part.waits {
                Waits::Also => {
                    self.part(plan, op, number, previous, side, &mut issued);
                    continue;
                }
                Waits::All => ready.all(),
                Waits::Address => ready.address,
                Waits::Data => ready.stored.max(ready.others),
                Waits::Then => previous + u64::from(part.step),
                Waits::Loaded => {
                    let loaded = issued.address.unwrap_or(previous) + self.description.caches.l1.latency;
                    (loaded + issued.extra).max(ready.others).max(ready.stored)
                }
            };
            previous = self.part(plan, op, number, earliest, side, &mut issued);
            match part.waits {
                Waits::Address => issued.address = Some(previous),
                Waits::Data => issued.data = Some(previous),
                Waits::Then => issued.steps += u64::from(part.step),
                Waits::Loaded => issued.computed = op.is(Flags::LOAD),
                Waits::All | Waits::Also => {}
            }
            if number == 0 && op.is(Flags::LOAD) {
                issued.extra = self.load(plan, op, accesses, dispatch, previous);
            }
            issued.last = issued.last.max(previous);
        }
        issued
    }

    /// Cycles beyond its latency that the memory read by an instruction costs.
    fn load(&mut self, plan: &Plan, op: &Op, accesses: &[Access], dispatch: &mut u64, issue: u64) -> u64 {
        let mut extra = 0;
        for access in accesses.iter().filter(|access| !access.store && access.known) {
            let indexed = if op.is(Flags::INDEXED) { self.description.memory.indexed } else { 0 };
            extra = extra.max(self.load_one(plan, op, access, dispatch, issue) + indexed);
        }
        extra
    }

    fn load_one(&mut self, plan: &Plan, op: &Op, access: &Access, dispatch: &mut u64, issue: u64) -> u64 {
        let memory = self.description.memory.clone();
        let l1 = self.description.caches.l1.latency;
        let (address, bytes) = (access.address, u64::from(access.bytes.max(1)));
        let crossing = crossing(&memory, address, bytes);
        if crossing > 0 {
            for _ in 1..memory.cross_loads {
                let Some(&part) = plan.parts_of(op).first() else { continue };
                let part = Part { busy: 1, ..part };
                if self.pipes.binds(part.mask) {
                    self.pipes.bound(part.mask, None, issue, self.last_dispatch);
                } else {
                    self.pipes.first_free(&part, issue);
                }
            }
        }
        let mut start = issue;
        if let Some((number, meets)) = self.stores.youngest(address, bytes, issue) {
            let store = self.stores.stores[number];
            if store.address_time > issue {
                start = self.too_early(op, store.address_time);
            }
            let forwards = !op.is(Flags::NO_FORWARD);
            // Of a forwarded load: from its issue, or the second one, and from the store's value.
            let given = |cycles: u64, data: u64, crossing: u64| match memory.forward_data {
                Some(behind) => (start + cycles + crossing).max(data + behind),
                None => start.max(data) + cycles + crossing,
            };
            let beyond = |there: u64| there.saturating_sub(issue + l1);
            if meets == Meets::Some && forwards && memory.doublewords {
                if let Some((data, merged)) = self.stores.by_doublewords(address, bytes, issue) {
                    self.tally.forwards += 1;
                    let data = data + if merged { memory.forward_merge } else { 0 };
                    return beyond(given(memory.forward, data, crossing));
                }
            }
            if meets == Meets::Some && forwards && self.stores.is_alone(number, address, bytes, issue) {
                if let Some(cycles) = memory.forward_partial {
                    self.tally.forwards += 1;
                    return beyond(given(cycles, store.data_time, crossing));
                }
            }
            if meets == Meets::All && forwards {
                self.tally.forwards += 1;
                let words = |bytes: u64| bytes == 2 && memory.renames_any;
                let sizes = |bytes: u64| matches!(bytes, 1 | 4 | 8) || words(bytes);
                let computes = op.part_count > 1;
                let least = if computes { memory.rename_least_computing } else { memory.rename_least };
                let alike = address == store.address && sizes(bytes) && sizes(store.bytes);
                let renamed = alike
                    && bytes >= least
                    && store.renames
                    && self.renames(op)
                    && (crossing == 0 || memory.renames_any);
                if let Some(cycles) = memory.forward_renamed.filter(|_| renamed) {
                    let slot = self.renames_free.max(*dispatch);
                    self.renames_free = slot + memory.rename_interval;
                    return beyond(slot.max(store.data_time + cycles));
                }
                let vector = op.is(Flags::MOVES_VECTOR);
                let cycles = if vector { memory.forward_vector } else { memory.forward };
                let crossing = memory.cross_forward.unwrap_or(crossing).min(crossing);
                return beyond(given(cycles, store.data_time, crossing));
            }
            if meets != Meets::Alias {
                self.tally.forward_failures += 1;
                if meets == Meets::Some && forwards && memory.partial_merges {
                    return start + memory.forward_failed - issue + crossing;
                }
                return self.reject(op, number, meets, start, dispatch) - issue + crossing;
            }
        }
        (start - issue) + self.caches.load(address, bytes, start) + crossing
    }

    /// A load that has to wait for a store until that is in the cache, and tries again and again; when it succeeds.
    fn reject(&mut self, op: &Op, number: usize, meets: Meets, mut start: u64, dispatch: &mut u64) -> u64 {
        let memory = self.description.memory.clone();
        if self.stores.stores[number].drain.is_none() {
            // Of its own group: it is fetched again, in a group of its own.
            self.close_group();
            let again = self.last_complete + memory.same_group_flush;
            let opened = self.open_unit(self.last_dispatch);
            if let Shape::Grouped(group) = &mut self.shape {
                group.add(op, again, true);
            }
            *dispatch = opened.max(again);
            self.last_dispatch = *dispatch;
            start = start.max(*dispatch + self.description.dispatch.latency);
        }
        let drain = self.stores.stores[number].drain.unwrap_or(0);
        while start < drain {
            start += memory.reject_retry;
        }
        start + if meets == Meets::Some { memory.forward_failed } else { 0 }
    }

    /// A load ready before the address of an older store; when it runs (again).
    fn too_early(&mut self, op: &Op, address_time: u64) -> u64 {
        if self.description.memory.order_waits || !self.flushed.insert(op.index) {
            return address_time;
        }
        self.tally.order_flushes += 1;
        let again = address_time + self.description.memory.order_flush;
        self.front.restart(again);
        again
    }

    /// Whether an access has a form that memory is renamed for.
    fn renames(&self, op: &Op) -> bool {
        if self.description.memory.renames_any {
            return !op.is(Flags::MOVES_VECTOR) || op.is(Flags::GENERAL_AT_BASE);
        }
        let (loads, stores) = (op.is(Flags::LOAD), op.is(Flags::STORE));
        let slow = u64::from(op.latency) > self.description.caches.l1.latency;
        let extends = loads && !stores && op.part_count == 1 && slow;
        op.is(Flags::GENERAL_AT_BASE) && !extends && !(loads && stores && op.other_sources > 0)
    }

    fn store(&mut self, op: &Op, accesses: &[Access], address_time: u64, data_time: u64) {
        for access in accesses.iter().filter(|access| access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let line_ready = self.caches.store(access.address, bytes, address_time);
            let crossing = crossing(&self.description.memory, access.address, bytes);
            for from in (0..bytes).step_by(64) {
                self.unit_stores.push((self.stores.stores.len(), line_ready + crossing));
                self.stores.stores.push(Store {
                    address: access.address + from,
                    bytes: (bytes - from).min(64),
                    address_time,
                    data_time,
                    drain: None,
                    renames: self.renames(op),
                    crosses: crossing > 0,
                });
            }
        }
    }
}

/// Whether an instruction is one operation for one cycle of one pipe, or of none, with all its sources, which are of one kind.
fn is_plain(plan: &Plan, op: &Op) -> bool {
    let (address, stored, others) = plan.sources_of(op);
    let kinds = [address, stored, others].iter().filter(|sources| !sources.is_empty()).count();
    let parts_fit = match plan.parts_of(op) {
        [] => true,
        [part] => match part.waits {
            Waits::All => part.busy <= 1,
            Waits::Address => part.busy <= 1 && !address.is_empty(),
            _ => false,
        },
        _ => false,
    };
    kinds <= 1 && parts_fit && !op.is(Flags::STORE)
}

impl Machine for OutOfOrder {
    fn step(&mut self, plan: &Plan, op: &Op, accesses: &[Access], next: u64) {
        let taken = op.is(Flags::BRANCH) && next != op.end();
        let fetch = self.front.fetch(op, &mut self.caches);
        let (mut dispatch, opens_group, side) = self.dispatch(op, fetch, taken);
        let start = dispatch + self.description.dispatch.latency;
        let ready = self.registers.ready(plan, op, start, side.half);
        let issued = self.issue(plan, op, accesses, &mut dispatch, start, &ready, side);
        let base = issued.last - issued.steps.min(issued.last);
        // An instruction that computes with what it loads has waited for that already.
        let from = base + if issued.computed { 0 } else { issued.extra };
        let mut finish = (issued.last + 1).max(from + u64::from(op.latency));
        let made = issued.made.unwrap_or(side.half.map_or(Made::Anywhere, Made::Half));
        for result in plan.results_of(op) {
            // An updated base does not wait for memory; one of latency 0 is computed when it is renamed.
            let from = match (result.role, result.latency()) {
                (Role::BaseUpdate, 0) if is_plain(plan, op) => ready.all(),
                (Role::BaseUpdate, 0) => ready.address,
                (Role::BaseUpdate, _) => issued.address.unwrap_or(base),
                _ => from,
            };
            finish = finish.max(from + u64::from(result.latency()));
            self.registers.write(result, from, made);
        }
        if op.is(Flags::STORE) {
            let (address, data) = (issued.address.unwrap_or(issued.last), issued.data.unwrap_or(issued.last));
            self.store(op, accesses, address, data);
            finish = finish.max(address.max(data) + 1);
        }
        for queue in self.queues_of(op, side) {
            self.queues.entry(queue).or_default().push(issued.last + 1);
        }
        let mut complete = u64::MAX;
        if matches!(self.shape, Shape::Grouped(_)) {
            self.unit_finish = self.unit_finish.max(finish);
            self.unit_events.push(self.lives.len());
        } else {
            complete = self.complete_unit(finish);
            self.open = false;
        }
        if op.is(Flags::BRANCH) {
            let outcome = self.front.branch(op, next);
            if outcome.mispredicted {
                self.tally.branch_misses += 1;
                self.front.restart(base + self.description.branch.mispredict);
            }
        }
        if op.is(Flags::AFTER) {
            self.hold = self.hold.max(finish + u64::from(op.serial));
        }
        self.tally.ahead = self.tally.ahead.max(self.pipes.latest.saturating_sub(self.last_dispatch));
        self.tally.ahead = self.tally.ahead.max(finish.saturating_sub(self.last_dispatch));
        self.lives.push(Event {
            op: op.index,
            fetch,
            dispatch,
            start,
            ready: ready.all(),
            issue: issued.last,
            finish,
            complete,
            opens_group,
            cause: Cause::Dependency,
            pipes: 0,
            kept: (0, 0),
            loaded_from: 0,
            stores: op.is(Flags::STORE),
        });
    }

    fn lives(&self) -> &[Event] {
        &self.lives
    }

    fn end(&self) -> u64 {
        if self.open {
            self.completes(self.unit_finish)
        } else {
            self.last_complete
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            l1_misses: self.caches.l1_misses,
            instruction_misses: self.caches.instruction_misses,
            ..self.tally
        }
    }
}
