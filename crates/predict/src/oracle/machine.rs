// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's out-of-order core: every instruction takes the one general path, whatever it is.

use super::dispatch::{Group, Slices, Slots};
use super::fetch::Front;
use super::memory::{Found, Memory};
use super::pipes::{Pipes, Writer};
use super::queues::{Queue, Queues, WAITING_LOADS};
use super::registers::{Made, Ready, Registers};
use super::window::{Entries, Window};
use super::{Machine, Tally};
use crate::cause::Cause;
use crate::core::Event;
use crate::cpu::schema::CoreKind;
use crate::description::*;
use crate::flags::Flags;
use crate::op::*;
use crate::plan::Plan;
use crate::source::Access;
use decode::Role;
use std::collections::BTreeMap;

enum Shape {
    Grouped(Group),
    Sliced(Box<Slices>),
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
    memory: Memory,
    registers: Registers,
    window: Window,
    /// Events of the open group.
    unit_events: Vec<usize>,
    loads: Entries,
    general: Entries,
    vector: Entries,
    queues: Queues,
    /// The half that the next instruction of each kind goes to.
    turns: BTreeMap<u8, usize>,
    last_dispatch: u64,
    hold: u64,
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
    /// What was loaded is a register to which rename has added a constant.
    counted: bool,
    made: Option<Made>,
    /// When the first operation of a single cycle issued that is bound to no pipe, where operations are bound one by one.
    unbound: Option<u64>,
    /// The entries of queues that its operations held each by itself, and until when.
    queued: Vec<(Queue, u64)>,
}

impl OutOfOrder {
    pub(super) fn new(description: &Description) -> OutOfOrder {
        let shape = match description.kind {
            CoreKind::Grouped => Shape::Grouped(Group::new(&description.dispatch)),
            CoreKind::Sliced => Shape::Sliced(Box::new(Slices::new(description))),
            _ => Shape::Plain(Slots::new(&description.dispatch)),
        };
        OutOfOrder {
            shape,
            front: Front::new(description),
            pipes: Pipes::new(description),
            memory: Memory::new(description),
            registers: Registers::new(description),
            window: Window::new(&description.dispatch),
            unit_events: Vec::new(),
            loads: Entries::default(),
            general: Entries::default(),
            vector: Entries::default(),
            queues: Queues::new(description),
            turns: BTreeMap::new(),
            last_dispatch: 0,
            hold: 0,
            lives: Vec::new(),
            tally: Tally::default(),
            description: description.clone(),
        }
    }

    fn complete_unit(&mut self) -> u64 {
        let cycle = self.window.complete();
        self.memory.complete(cycle);
        cycle
    }

    fn close_group(&mut self) {
        if self.window.is_open() {
            let cycle = self.complete_unit();
            for event in std::mem::take(&mut self.unit_events) {
                self.lives[event].complete = cycle;
            }
        }
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

    /// Whether operations hold entries of queues, and not instructions.
    fn queues_operations(&self) -> bool {
        matches!(self.shape, Shape::Plain(_)) && self.description.dispatch.queues_operations
    }

    /// The queues that the operations of an instruction wait in.
    fn queues_of(&self, plan: &Plan, op: &Op, side: Side) -> Vec<Queue> {
        let queue = usize::from(op.queue);
        match &self.shape {
            _ if self.queues_operations() => {
                let queues = plan.parts_of(op).iter().map(|part| part.queue);
                queues.filter(|&queue| queue != NO_QUEUE).map(|queue| (usize::from(queue), 0)).collect()
            }
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
    fn dispatch(&mut self, plan: &Plan, op: &Op, fetch: u64, taken: bool) -> (u64, bool, Side) {
        let mut now = self.last_dispatch.max(fetch).max(self.hold);
        if op.is(Flags::BEFORE) {
            self.close_group();
            now = now.max(self.window.last());
        }
        let offered = now;
        let opens;
        match &self.shape {
            Shape::Grouped(group) => {
                let joins = now <= group.cycle && group.takes(op);
                opens = !joins || !self.window.is_open();
                if opens {
                    now = now.max(if joins { group.cycle } else { group.cycle + 1 });
                    self.close_group();
                    now = self.window.open(now);
                }
            }
            Shape::Plain(slots) => {
                now = slots.first(op, taken, now);
                opens = now > self.last_dispatch;
                now = self.window.open(now);
            }
            Shape::Sliced(slices) => {
                let held = self.waiting(offered);
                let joins = now <= slices.now.cycle && slices.joined(op, taken, &held).is_some();
                now = if joins { slices.now.cycle } else { now.max(slices.now.cycle + 1) };
                opens = !joins;
                now = self.window.open(now);
            }
        }
        now = now.max(self.structures(op, now));
        let side = self.steer(op);
        let dispatch = &self.description.dispatch;
        let together = dispatch.together.filter(|_| now > self.last_dispatch);
        if let (Shape::Plain(_), Some(queue)) = (&self.shape, together) {
            let room = |&cycle: &u64| self.queues.has_room_for(dispatch.width, queue, cycle);
            now = (now..).find(room).unwrap();
        }
        now = self.enter_queues(plan, op, now, offered, taken, side);
        if matches!(self.shape, Shape::Plain(_)) {
            now = self.pipes.admit(u32::from(op.bound), now);
        }
        match &mut self.shape {
            Shape::Grouped(group) => group.add(op, now, opens),
            Shape::Plain(slots) => {
                slots.add(op, taken, now);
                self.pipes.slot = slots.slot;
            }
            Shape::Sliced(_) => {}
        }
        self.last_dispatch = now;
        self.front.dispatched(now);
        self.registers.dispatched(now);
        (now, opens, side)
    }

    /// When load queue, store queue and rename registers have room, in or after the cycle `from`.
    fn structures(&mut self, op: &Op, from: u64) -> u64 {
        let dispatch = &self.description.dispatch;
        let mut now = 0;
        if op.is(Flags::LOAD) {
            now = now.max(self.loads.take(&self.window, self.description.memory.load_queue));
            let room = |cycle: &u64| {
                let limit = self.description.memory.waiting_loads.map_or(usize::MAX, usize::from);
                self.queues.held(WAITING_LOADS, *cycle) < limit
            };
            now = (now.max(from)..).find(room).unwrap();
        }
        if op.is(Flags::STORE) {
            now = now.max(self.memory.store_room());
        }
        if let Some(entries) = dispatch.rename_general.filter(|_| op.is(Flags::WRITES_GENERAL)) {
            now = now.max(self.general.take(&self.window, entries));
        }
        if let Some(entries) = dispatch.rename_vector.filter(|_| op.is(Flags::WRITES_VECTOR)) {
            now = now.max(self.vector.take(&self.window, entries));
        }
        let kinds = [Flags::WRITES_GENERAL, Flags::WRITES_VECTOR];
        for _ in kinds.into_iter().filter(|&kind| op.is(kind)) {
            if let Some(entries) = dispatch.rename_shared {
                now = now.max(self.general.take(&self.window, entries));
            }
        }
        now
    }

    /// How many operations wait in the queue of each slice.
    fn waiting(&self, cycle: u64) -> Vec<usize> {
        let Shape::Sliced(slices) = &self.shape else { return Vec::new() };
        let first = self.description.dispatch.slice_queue.map(usize::from);
        let held = |slice| first.map_or(0, |first| self.queues.held((first + slice, 0), cycle));
        (0..slices.slices().max(4)).map(held).collect()
    }

    /// The first cycle from `now` on in which its queues have room. Slices are chosen by what waited when the instruction was
    /// `offered`.
    fn enter_queues(
        &mut self,
        plan: &Plan,
        op: &Op,
        mut now: u64,
        offered: u64,
        taken: bool,
        side: Side,
    ) -> u64 {
        let held = self.waiting(offered);
        loop {
            if let Shape::Sliced(slices) = &mut self.shape {
                // An instruction can join a cycle that has begun only in that cycle.
                let before = slices.now.clone();
                let joined = slices.joined(op, taken, &held).filter(|_| now <= before.cycle);
                slices.now = joined.unwrap_or_else(|| slices.begun(now, op, taken, &held));
                let queues = self.queues_of(plan, op, side);
                if self.queues.have_room(&queues, now) {
                    return now;
                }
                if let Shape::Sliced(slices) = &mut self.shape {
                    slices.now = before;
                }
            } else if self.queues_operations() {
                if self.queues.have_room_for_each(&self.queues_of(plan, op, side), now) {
                    return now;
                }
            } else if self.queues.have_room(&self.queues_of(plan, op, side), now) {
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
                let binds = dispatch.binds != Binds::No && self.description.halves.is_some();
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
            Shape::Plain(slots) => {
                let part = Part { mask: slots.pipes(part.mask, number), ..part };
                if let Some(steering) = self.pipes.steers(part.mask) {
                    let place = (self.last_dispatch, slots.slot);
                    return self.pipes.through_scheduler(&steering, &part, earliest, place);
                }
                if part.busy > 1 || !self.pipes.binds(part.mask) {
                    let cycle = self.pipes.first_free(&part, earliest);
                    if part.busy <= 1 {
                        issued.unbound.get_or_insert(cycle);
                    }
                    return cycle;
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
                (issued.extra, issued.counted) = self.load(plan, op, accesses, dispatch, issued.last);
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
                    let latency = self.description.caches.l1.latency + u64::from(part.step);
                    let loaded = issued.address.unwrap_or(previous) + latency;
                    (loaded + issued.extra).max(ready.others).max(ready.stored)
                }
            };
            previous = self.part(plan, op, number, earliest, side, &mut issued);
            if part.queue != NO_QUEUE {
                // What stores keeps its entry until the address is known.
                let stores = op.is(Flags::STORE) && matches!(part.waits, Waits::Data | Waits::Then);
                let address = if stores { issued.address.unwrap_or(0) } else { 0 };
                issued.queued.push(((usize::from(part.queue), 0), previous.max(address) + 1));
            }
            match part.waits {
                Waits::Address => issued.address = Some(previous),
                Waits::Data => issued.data = Some(previous),
                Waits::Then => issued.steps += u64::from(part.step),
                Waits::Loaded => issued.computed = op.is(Flags::LOAD),
                Waits::All | Waits::Also => {}
            }
            if number == 0 && op.is(Flags::LOAD) {
                (issued.extra, issued.counted) = self.load(plan, op, accesses, dispatch, previous);
            }
            issued.last = issued.last.max(previous);
        }
        issued
    }

    /// Cycles beyond its latency that the memory read by an instruction costs, and whether it is a register to which rename has
    /// added a constant.
    fn load(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        issue: u64,
    ) -> (u64, bool) {
        let mut counted = false;
        self.queues.add(WAITING_LOADS, issue + 1 + self.description.memory.waiting_held);
        let mut extra = 0;
        for access in accesses.iter().filter(|access| !access.store && access.known) {
            let indexed = if op.is(Flags::INDEXED) { self.description.memory.indexed } else { 0 };
            let numbers = &self.description.memory;
            let crossing = if self.memory.crosses(access) { numbers.cross_loads - 1 } else { 0 };
            let filling = if self.memory.caches.fills(access.address) { numbers.fill_loads } else { 0 };
            let wait = self.memory.bank_wait(access, issue);
            let late = if self.memory.caches.lacks(access.address, issue) { numbers.late_loads } else { 0 };
            self.take_again(plan, op, issue, crossing + filling + late);
            let (found, again) = self.memory.load(op, plan.named_of(op), access, *dispatch, issue);
            for again in again {
                self.front.restart(again);
            }
            let beyond = match found {
                Found::Bytes(cycles) => cycles,
                Found::Counted(cycles) => {
                    counted = true;
                    cycles
                }
                Found::Blocked(mut blocked) => {
                    if self.memory.is_of_own_unit(&blocked) {
                        *dispatch = self.refetch(op);
                        blocked.start = blocked.start.max(*dispatch + self.description.dispatch.latency);
                    }
                    self.memory.retried(&blocked)
                }
            };
            extra = extra.max(beyond + indexed + wait);
        }
        (extra, counted)
    }

    /// Takes the pipe of a load that crosses a boundary for its further accesses, for the filling of its line, and if it comes late.
    fn take_again(&mut self, plan: &Plan, op: &Op, issue: u64, times: u64) {
        for _ in 0..times {
            let Some(&part) = plan.parts_of(op).first() else { continue };
            let part = Part { busy: 1, ..part };
            if self.pipes.binds(part.mask) {
                self.pipes.bound(part.mask, None, issue, self.last_dispatch);
            } else {
                self.pipes.first_free(&part, issue);
            }
        }
    }

    /// Takes the pipe of an operation for another cycle if it adds a constant of rename's.
    fn add_counted(&mut self, plan: &Plan, op: &Op, issue: u64) {
        let counted = self.description.memory.rename_counted;
        let is_counted = |&register: &u8| Some(self.registers.domain_of(register)) == counted;
        let reads = Some(op.source_domain) == self.description.dispatch.counted_twice;
        if reads
            && !op.is(Flags::BRANCH | Flags::LOAD | Flags::STORE)
            && plan.all_sources(op).iter().any(is_counted)
        {
            self.take_again(plan, op, issue, 1);
        }
    }

    /// Flushes a load that a store of its own group blocks: it is fetched again, in a group of its own. When that is
    /// dispatched.
    fn refetch(&mut self, op: &Op) -> u64 {
        self.close_group();
        let again = self.window.last() + self.description.memory.same_group_flush;
        let opened = self.window.open(self.last_dispatch);
        if let Shape::Grouped(group) = &mut self.shape {
            group.add(op, again, true);
        }
        self.last_dispatch = opened.max(again);
        self.last_dispatch
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
        let fetch = self.front.fetch(op, &mut self.memory.caches);
        let (mut dispatch, opens_group, side) = self.dispatch(plan, op, fetch, taken);
        let start = dispatch + self.description.dispatch.latency;
        let ready = self.registers.ready(plan, op, start, side.half);
        let issued = self.issue(plan, op, accesses, &mut dispatch, start, &ready, side);
        self.add_counted(plan, op, issued.last);
        self.pipes.settle(issued.unbound);
        let base = issued.last - issued.steps.min(issued.last);
        let counted = self.description.memory.rename_counted.filter(|_| issued.counted);
        let adds = counted.filter(|_| plan.parts_of(op).len() > 1);
        let adding = adds.map_or(0, |from| self.registers.cycles(from, op.first_result.domain()));
        // An instruction that computes with what it loads has waited for that already.
        let from = base + if issued.computed { 0 } else { issued.extra + adding };
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
            let domain = match (counted, plan.parts_of(op)) {
                (Some(counted), [_]) if result.role == Role::Value => counted,
                _ if self.registers.copies(plan, op) => {
                    self.registers.copied(op.first_sources[0], op.source_domain)
                }
                _ => result.domain(),
            };
            self.registers.write(
                &Result::new(result.register, domain, result.latency(), result.role),
                from,
                made,
            );
        }
        if op.is(Flags::STORE) {
            let (address, data) = (issued.address.unwrap_or(issued.last), issued.data.unwrap_or(issued.last));
            let counted = self.description.memory.rename_counted;
            let (_, stored, _) = plan.sources_of(op);
            let counted = counted
                .is_some_and(|domain| stored.iter().any(|&one| self.registers.domain_of(one) == domain));
            self.memory.store(op, plan.named_of(op), accesses, address, data, counted);
            finish = finish.max(self.memory.stored(address, data, counted));
        }
        if self.queues_operations() {
            for &(queue, release) in &issued.queued {
                let release = if issued.queued.len() == 1 { issued.last + 1 } else { release };
                self.queues.add(queue, release);
            }
        } else {
            for queue in self.queues_of(plan, op, side) {
                self.queues.add(queue, issued.last + 1);
            }
        }
        let mut complete = u64::MAX;
        self.window.join(finish);
        if matches!(self.shape, Shape::Grouped(_)) {
            self.unit_events.push(self.lives.len());
        } else {
            complete = self.complete_unit();
        }
        if op.is(Flags::BRANCH) {
            let outcome = self.front.branch(op, next);
            if outcome.mispredicted || outcome.unpredicted {
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
            stored: 0,
        });
    }

    fn lives(&self) -> &[Event] {
        &self.lives
    }

    fn end(&self) -> u64 {
        self.window.end()
    }

    fn tally(&self) -> Tally {
        let Tally { branch_misses, ahead, .. } = self.tally;
        Tally { branch_misses, ahead, ..self.memory.tally() }
    }
}
