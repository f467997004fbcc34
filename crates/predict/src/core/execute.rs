// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The engine of the out-of-order shapes: dispatch in order, execute when sources and pipes allow, complete in
//! order. What may be dispatched together, and whether instructions complete one by one or in groups, the `Rules`
//! say.

mod dispatch;
mod ports;
mod rules;
mod run;

pub(crate) use rules::Rules;
pub(super) use run::kept;

use super::front_end::FrontEnd;
use super::halves::SECOND_LANE;
use super::hint::{mostly, rarely};
use super::memory::{Blocked, Found, Loaded, MemoryPath};
use super::planted::{planted, Fault};
use super::queues::{Calendar, Ring, LANES};
use super::shape::{Shape, Shared};
use super::values::{Sources, Values};
use super::window::Window;
use super::{Counters, Event, Record};
use crate::cause::Cause;
use crate::description::*;
use crate::flags::*;
use crate::moment::Moment;
use crate::op::*;
use crate::plan::Plan;
use crate::relax::Relax;
use crate::source::Access;
use decode::Role;
use ports::Ports;
use run::Run;

const UNLIMITED: usize = 2000;

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
    op.is(Flags::LOAD) && plan.parts_of(op).iter().any(|part| part.waits == Waits::Loaded)
}

/// The cycle that the latency of an updated base counts from. A base of latency 0 is computed when the register is renamed,
/// as x86 cores do with the stack pointer, and waits for no pipe.
#[inline]
fn base_from(result: &Result, ready: u64, issue: u64) -> u64 {
    if result.latency() == 0 {
        ready
    } else {
        issue
    }
}

/// An out-of-order core.
pub(crate) struct Engine<R> {
    rules: R,
    front: FrontEnd,
    ports: Ports<R>,
    calendar: Calendar,
    memory: MemoryPath,
    values: Values,
    window: Window,
    loads: Ring,
    /// Loads that wait for issue, where these have a limit of their own, and the cycles from issue for which one counts.
    waiting_loads: Option<Calendar>,
    waiting_held: u64,
    /// The queue that has so many entries free before a cycle's instructions are dispatched; none if each goes by itself.
    together: Option<(usize, u16)>,
    /// Rename registers; instructions that rename without limit do not ask.
    general: Ring,
    vector: Ring,
    /// All of them are in `general`.
    shared: bool,
    /// How many events have their cycle of completion already.
    unit_events: usize,
    last_dispatch: u64,
    hold: u64,
    dispatch_latency: u64,
    mispredict: u64,
    relax: Relax,
    counters: Counters,
    marks: Vec<Moment>,
}

impl<R: Rules> Engine<R> {
    pub(crate) fn new(description: &Description, relax: Relax) -> Engine<R> {
        let freed = relax.dispatch.then(|| description.without_dispatch());
        let description = freed.as_ref().unwrap_or(description);
        let d = &description.dispatch;
        let memory = &description.memory;
        let unlimited = if relax.shorter { UNLIMITED / 2 } else { UNLIMITED };
        let limit = |entries: usize| if relax.window { unlimited } else { entries };
        let mut limits = [u16::MAX; LANES];
        if !relax.window {
            for (queue, (_, entries)) in description.queues.iter().enumerate() {
                limits[queue % LANES] = *entries;
                if description.is_in_halves(queue as u8) {
                    limits[queue % LANES] = entries.div_ceil(2);
                    limits[(queue | usize::from(SECOND_LANE)) % LANES] = entries.div_ceil(2);
                }
            }
        }
        let rename = |entries: Option<usize>| Ring::new(limit(entries.unwrap_or(unlimited)));
        // Groups may hold as many loads as they have slots, and their ring entries are not free before they close.
        let least = if R::GROUPED && !relax.dispatch { 2 * d.width as usize + 4 } else { 1 };
        let window = limit(d.window).max(1) as u64;
        let mut rules = R::new(description);
        if relax.dispatch {
            rules.unlimit();
        }
        Engine {
            rules,
            front: FrontEnd::new(description, relax),
            ports: Ports::new(description, relax),
            calendar: Calendar::new(limits).held_for(&description.queues_held),
            memory: MemoryPath::new(description, relax, limit(memory.store_queue).max(least)),
            values: Values::new(description.bypass.as_deref().filter(|_| !relax.latency), description.later),
            window: Window::new(window, d.complete_width.max(1) as u64, d.complete_latency),
            loads: Ring::new(limit(memory.load_queue).max(least)),
            waiting_loads: memory
                .waiting_loads
                .filter(|_| !relax.window)
                .map(|entries| Calendar::new([entries; LANES])),
            waiting_held: memory.waiting_held,
            together: d
                .together
                .filter(|_| !relax.dispatch)
                .map(|queue| (usize::from(queue), d.width as u16)),
            general: rename(d.rename_shared.or(d.rename_general)),
            vector: rename(d.rename_shared.or(d.rename_vector)),
            shared: d.rename_shared.is_some(),
            unit_events: 0,
            last_dispatch: 0,
            hold: 0,
            dispatch_latency: d.latency,
            mispredict: description.branch.mispredict,
            relax,
            counters: Counters::default(),
            marks: Vec::new(),
        }
    }

    /// Executes a `SIMPLE` instruction.
    #[inline]
    fn run_simple<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        events: &mut W,
    ) -> Run {
        let start = *dispatch + self.dispatch_latency;
        let (ready, source_cause) = self.values.one_kind(plan, op, start, self.ports.far());
        let mut issue = self.ports.simple::<K>(&self.rules, op, ready);
        if !R::GROUPED && !R::SLICED && op.has::<K>(Flags::BRANCH) && rarely(op.part_count > 1) {
            issue = issue.max(self.further_parts(plan, op, ready));
        }
        let mark = self.ports.mark(op.prefer);
        let mut loaded = Loaded::AT_ONCE;
        let mut passed_on = 0;
        if op.has::<K>(Flags::LOAD) {
            loaded = self.load(plan, op, accesses, dispatch, issue, events);
            if !R::GROUPED && !R::SLICED && rarely(loaded.counted) {
                passed_on = self.memory.counted().unwrap_or(0);
            }
        } else if !R::GROUPED && !R::SLICED && rarely(op.is(Flags::BY_DOMAIN)) {
            if op.part_count == 0 {
                passed_on = self.values.copied(op);
            } else {
                self.add_counted(plan, op, issue);
            }
        }
        let set = |values: &mut Values, result: &Result| {
            // What accesses no memory updates no base.
            let from = match result.role {
                Role::BaseUpdate if op.has::<K>(Flags::LOAD) => base_from(result, ready, issue),
                _ => issue + loaded.extra,
            };
            values.set(result, from, loaded.passed_on(), mark);
        };
        if op.result_count > 0 {
            set(&mut self.values, &op.first_result);
            if !R::GROUPED && !R::SLICED && rarely(passed_on != 0) && op.first_result.role == Role::Value {
                self.values.pass_on(op.first_result.register, passed_on);
            }
        }
        for number in 1..op.result_count {
            set(&mut self.values, plan.result_of(op, number));
        }
        let late = planted(Fault::SimpleLate) && K::FLAGS == Simple::FLAGS
            || planted(Fault::SimpleLoadLate) && K::FLAGS == SimpleLoad::FLAGS
            || planted(Fault::BranchLate) && K::FLAGS == SimpleBranch::FLAGS;
        let finish = issue + u64::from(op.finish) + loaded.extra + u64::from(late);
        Run { start, ready, source_cause, issue, base: issue, loaded, finish }
    }

    /// Issues the parts of a simple branch behind the first; when the last of them goes.
    #[inline(never)]
    fn further_parts(&mut self, plan: &Plan, op: &Op, ready: u64) -> u64 {
        let mut last = ready;
        for (number, part) in plan.parts_of(op).iter().enumerate().skip(1) {
            last = last.max(self.ports.part(&self.rules, part, number, ready));
        }
        last
    }

    /// Executes a `PAIR`.
    #[inline]
    fn run_pair<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        events: &mut W,
    ) -> Run {
        let start = *dispatch + self.dispatch_latency;
        let (for_address, for_other, source_cause) = self.values.pair(op, start, self.ports.far());
        let ready = for_address.max(for_other);
        let other = plan.parts[op.parts as usize + 1];
        let address = self.ports.one(&self.rules, op.mask, op.prefer, 0, for_address);
        if op.has::<K>(Flags::STORE) {
            let data = match R::SLICED && other.pair {
                true => self.ports.part(&self.rules, &other, 1, for_other),
                false => self.ports.one(&self.rules, other.mask, other.prefer, 1, for_other),
            };
            let base = address.max(data);
            self.keep_queued(op, &plan.parts[op.parts as usize], address);
            self.keep_queued(op, &other, base);
            let mut finish = base + u64::from(op.latency.max(1)) + u64::from(planted(Fault::PairStoreLate));
            if op.result_count > 0 {
                let update = (for_address, address);
                finish =
                    finish.max(self.set_results(plan, op, base, update, Loaded::AT_ONCE, self.ports.own()));
            }
            finish = finish.max(self.store(plan, op, accesses, address, data));
            return Run { start, ready, source_cause, issue: base, base, loaded: Loaded::AT_ONCE, finish };
        }
        let loaded = self.load(plan, op, accesses, dispatch, address, events);
        let there = (address + self.memory.l1_latency() + u64::from(other.step) + loaded.extra)
            .max(for_other)
            + u64::from(planted(Fault::PairLoadLate));
        let base = self.ports.computing(&self.rules, op, &other, 1, there);
        self.keep_queued(op, &plan.parts[op.parts as usize], address);
        self.keep_queued(op, &other, base);
        let met = Loaded { extra: 0, ..loaded };
        let finish =
            self.set_results(plan, op, base, (for_address, address), met, self.ports.own()).max(base + 1);
        Run { start, ready, source_cause, issue: base, base, loaded, finish }
    }

    /// Executes any instruction.
    fn run<W: Record>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        events: &mut W,
    ) -> Run {
        let start = *dispatch + self.dispatch_latency;
        let sources = self.values.sources(plan, op, start, self.ports.far());
        let (issued, loaded) = match plan.parts_of(op) {
            [address, data]
                if (address.waits, data.waits) == (Waits::Address, Waits::Data) && !op.is(Flags::LOAD) =>
            {
                (self.issue_store(op, [address, data], &sources), Loaded::AT_ONCE)
            }
            parts => self.issue_parts(plan, op, parts, &sources, accesses, dispatch, start, events),
        };
        let Issued { last: issue, base, address, data } = issued;
        if rarely(op.is(Flags::BY_DOMAIN)) && !op.is(Flags::LOAD | Flags::STORE) {
            self.add_counted(plan, op, issue);
        }
        let met = match () {
            () if computes_with_loaded(plan, op) => Loaded { extra: 0, ..loaded },
            () if rarely(loaded.counted) => self.with_constant(op, loaded),
            () => loaded,
        };
        let mark = self.ports.own();
        let update = (sources.address, address.unwrap_or(base));
        let mut finish = self.set_results(plan, op, base, update, met, mark).max(issue + 1);
        finish += u64::from(planted(Fault::GeneralLate));
        if op.is(Flags::STORE) {
            let (address, data) = (address.unwrap_or(issue), data.unwrap_or(issue));
            finish = finish.max(self.store(plan, op, accesses, address, data));
        }
        Run { start, ready: sources.last, source_cause: sources.cause, issue, base, loaded, finish }
    }

    /// Keeps the entry of a queue that a part holds, if it holds one by itself, until it is issued.
    #[inline(always)]
    fn keep_queued(&mut self, op: &Op, part: &Part, issue: u64) {
        if !R::GROUPED && !R::SLICED && op.is(Flags::QUEUED_APART) && part.queue != NO_QUEUE {
            self.calendar.hold(usize::from(part.queue), issue + 1);
        }
    }

    /// Issues a store's two operations.
    #[inline]
    fn issue_store(&mut self, op: &Op, parts: [&Part; 2], sources: &Sources) -> Issued {
        let address = self.ports.part(&self.rules, parts[0], 0, sources.address);
        let data = self.ports.part(&self.rules, parts[1], 1, sources.stored.max(sources.other));
        let last = address.max(data);
        self.keep_queued(op, parts[0], address);
        self.keep_queued(op, parts[1], last);
        Issued { last, base: last, address: Some(address), data: Some(data) }
    }

    /// Issues the parts of an instruction, in their order; a load goes with the first.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    fn issue_parts<W: Record>(
        &mut self,
        plan: &Plan,
        op: &Op,
        parts: &[Part],
        sources: &Sources,
        accesses: &[Access],
        dispatch: &mut u64,
        start: u64,
        events: &mut W,
    ) -> (Issued, Loaded) {
        let mut loaded = Loaded::AT_ONCE;
        let mut issued =
            Issued { last: if parts.is_empty() { sources.last } else { 0 }, ..Issued::default() };
        let (mut steps, mut previous) = (0, start);
        for (index, part) in parts.iter().enumerate() {
            let earliest = match part.waits {
                Waits::Also => {
                    if !planted(Fault::AlsoForgotten) {
                        self.ports.part(&self.rules, part, index, previous);
                    }
                    continue;
                }
                Waits::All => sources.last,
                Waits::Address => sources.address,
                Waits::Data => sources.stored.max(sources.other),
                Waits::Then => previous + u64::from(part.step),
                Waits::Loaded => {
                    let latency = self.memory.l1_latency() + u64::from(part.step);
                    let there = issued.address.unwrap_or(previous) + latency + loaded.extra;
                    there.max(sources.other).max(sources.stored)
                }
            };
            previous = if !R::GROUPED && !R::SLICED && part.waits == Waits::Loaded && part.busy <= 1 {
                self.ports.computing(&self.rules, op, part, index, earliest)
            } else {
                self.ports.part(&self.rules, part, index, earliest)
            };
            let stores = op.is(Flags::STORE) && matches!(part.waits, Waits::Data | Waits::Then);
            let until = issued.address.filter(|_| stores).map_or(previous, |address| previous.max(address));
            self.keep_queued(op, part, until);
            match part.waits {
                Waits::Address => issued.address = Some(previous),
                Waits::Data => issued.data = Some(previous),
                Waits::Then => steps += u64::from(part.step),
                Waits::All | Waits::Loaded | Waits::Also => {}
            }
            if index == 0 && op.is(Flags::LOAD) {
                loaded = self.load(plan, op, accesses, dispatch, previous, events);
            }
            issued.last = issued.last.max(previous);
        }
        if parts.is_empty() && op.is(Flags::LOAD) {
            loaded = self.load(plan, op, accesses, dispatch, issued.last, events);
        }
        issued.base = issued.last - steps.min(issued.last);
        (issued, loaded)
    }

    /// Executes the loads of one instruction that went to its pipe at `issue`.
    #[inline(always)]
    fn load<W: Record>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        issue: u64,
        events: &mut W,
    ) -> Loaded {
        if let Some(waiting) = &mut self.waiting_loads {
            let held = if planted(Fault::WaitingFreedEarly) { 0 } else { self.waiting_held };
            waiting.hold(0, issue + 1 + held);
        }
        match accesses {
            [access] => self.load_one(plan, op, access, dispatch, issue, events),
            _ => self.load_each(plan, op, accesses, dispatch, issue, events),
        }
    }

    /// The same where there is not just one.
    #[inline(never)]
    fn load_each<W: Record>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        issue: u64,
        events: &mut W,
    ) -> Loaded {
        accesses.iter().fold(Loaded::AT_ONCE, |loaded, access| {
            let one = self.load_one(plan, op, access, dispatch, issue, events);
            let counted = loaded.counted || one.counted;
            Loaded { counted, ..if one.extra > loaded.extra { one } else { loaded } }
        })
    }

    #[inline(always)]
    fn load_one<W: Record>(
        &mut self,
        plan: &Plan,
        op: &Op,
        access: &Access,
        dispatch: &mut u64,
        issue: u64,
        events: &mut W,
    ) -> Loaded {
        if rarely(access.store || !access.known) {
            return Loaded::AT_ONCE;
        }
        let named = self.memory.named(plan, op);
        let wait = self.memory.bank_wait(access, issue) + self.memory.indexing(op);
        for _ in 1..self.memory.passes(access, issue) {
            self.ports.again(op, issue);
        }
        if let Some(extra) = self.memory.undisturbed(op, named, access, *dispatch, issue) {
            return Loaded::late(extra, Cause::CacheMiss).after(wait);
        }
        let one = match self.memory.look_up(op, named, access, *dispatch, issue, &mut self.front) {
            Found::Bytes(loaded) => loaded,
            Found::Blocked(blocked) => self.wait_for_store(op, blocked, dispatch, events),
        };
        one.after(wait)
    }

    /// A load that needs a store to be in the cache. If the store is in the load's own group, the load is flushed and fetched
    /// again in a group of its own.
    #[inline(never)]
    fn wait_for_store<W: Record>(
        &mut self,
        op: &Op,
        mut blocked: Blocked,
        dispatch: &mut u64,
        events: &mut W,
    ) -> Loaded {
        if R::GROUPED && self.memory.blocks_itself(&blocked) {
            self.close(events);
            let again = self.window.last_complete() + self.memory.same_group_flush();
            let mut now = self.last_dispatch;
            self.open(&mut now);
            self.rules.settle::<Anything>(op, again, true, false);
            self.put_off(&mut now, again, Cause::LoadHitStore);
            self.last_dispatch = now;
            *dispatch = now;
            blocked.restarts(now + self.dispatch_latency);
        }
        self.memory.unblocked(&blocked)
    }

    /// Notes when the results of an instruction are there; returns when the last is. The latency of an updated base counts from
    /// the second of the two times in `update`, when the address went to its pipe, or from the first, when its sources were
    /// there (`base_from`).
    fn set_results(
        &mut self,
        plan: &Plan,
        op: &Op,
        base: u64,
        update: (u64, u64),
        loaded: Loaded,
        mark: u64,
    ) -> u64 {
        let mut finish = base + u64::from(op.latency) + loaded.extra;
        for result in plan.results_of(op) {
            let from = match result.role {
                Role::BaseUpdate => base_from(result, update.0, update.1),
                _ => base + loaded.extra,
            };
            finish = finish.max(from + u64::from(result.latency()));
            self.values.set(result, from, loaded.passed_on(), mark);
        }
        finish
    }

    /// What was loaded so, for one that makes something else of it, when that has the constant.
    #[cold]
    fn with_constant(&self, op: &Op, loaded: Loaded) -> Loaded {
        let late =
            self.memory.counted().map_or(0, |counted| self.values.late(counted, op.first_result.domain()));
        Loaded { extra: loaded.extra + late, ..loaded }
    }

    /// Takes the pipe of an operation for another cycle if it first has to add the constant which rename has added to a source.
    #[inline(never)]
    fn add_counted(&mut self, plan: &Plan, op: &Op, issue: u64) {
        let counted = self.memory.counted();
        let is_counted = |&register: &u8| Some(self.values.domain_of(register)) == counted;
        if plan.all_sources(op).iter().any(is_counted) && !planted(Fault::CountedOnce) {
            self.ports.again(op, issue);
        }
    }

    /// Puts the stores of an instruction into the queue, whose address and data went to their pipes then; when they have finished.
    #[inline(always)]
    fn store(&mut self, plan: &Plan, op: &Op, accesses: &[Access], address: u64, data: u64) -> u64 {
        let counted = self.stores_counted(plan, op);
        self.memory.store(op, self.memory.named(plan, op), accesses, address, data, counted)
    }

    /// Whether it stores a register to which rename has added a constant that no operation has added yet, if that matters.
    fn stores_counted(&self, plan: &Plan, op: &Op) -> bool {
        let is_counted =
            |domain| plan.sources_of(op).1.iter().any(|&register| self.values.domain_of(register) == domain);
        self.memory.counted().is_some_and(is_counted)
    }

    fn branch(&mut self, plan: &Plan, op: &Op, resolved: u64, next: u64) {
        let outcome = self.front.predict(plan, op, next);
        if rarely(outcome.mispredicted || outcome.unpredicted) {
            self.counters.branch_misses += 1;
            self.front.restart(resolved + self.mispredict, Cause::Mispredict);
        }
    }
}

impl<R: Rules> Shape for Engine<R> {
    type PairLoad = PairLoad;
    type PairStore = PairStore;

    #[inline]
    fn step<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        next: u64,
        events: &mut W,
    ) {
        if W::ON {
            self.ports.taken();
            self.memory.take_awaited();
        }
        if K::FLAGS.is_none() && op.is(Flags::MARK) {
            self.marks.push(Moment { cycle: self.window.end(), instructions: self.counters.instructions });
        }
        let taken = op.has::<K>(Flags::BRANCH) && next != op.end();
        let stalls = if W::ON { self.counters.stalls } else { [0; Cause::COUNT] };
        let (fetch, mut dispatch, opens) = self.dispatch::<W, K>(plan, op, taken, events);
        let held = if W::ON { self.counters.stalled_since(&stalls) } else { (0, Cause::Dependency) };
        if !R::GROUPED && !R::SLICED {
            self.values.dispatched(dispatch);
        }
        let dispatched = dispatch;
        let run = if op.has::<K>(Flags::SIMPLE) {
            self.run_simple::<W, K>(plan, op, accesses, &mut dispatch, events)
        } else if K::FLAGS.is_some() && op.has::<K>(Flags::PAIR) {
            self.run_pair::<W, K>(plan, op, accesses, &mut dispatch, events)
        } else {
            self.run(plan, op, accesses, &mut dispatch, events)
        };
        if !R::GROUPED && !R::SLICED && rarely(op.is(Flags::PASSES)) {
            self.values.made(plan.results_of(op), dispatched);
        }
        if !R::GROUPED && !R::SLICED && rarely(op.bound != 0) {
            self.ports.settle();
        }
        if mostly(op.queue != NO_QUEUE) {
            if R::SLICED {
                self.rules.hold(op.queue, &mut self.calendar, run.issue + 1);
            } else {
                self.calendar.hold(usize::from(op.queue | self.ports.lane()), run.issue + 1);
            }
        }
        let mut complete = u64::MAX;
        if !R::GROUPED {
            complete = self.complete_one::<K>(op, run.finish, run.cause());
        } else {
            self.window.join(run.finish, || run.cause());
        }
        if op.has::<K>(Flags::BRANCH) {
            self.counters.branches_taken += u64::from(taken);
            self.branch(plan, op, run.base, next);
        }
        if W::ON {
            let pipes = self.ports.taken();
            let event = run.event(op, fetch, dispatch, complete, opens, (pipes, kept(plan, op, pipes)));
            let stored = if op.is(Flags::STORE) { self.memory.newest_store() } else { 0 };
            let cause = run.longest(held);
            events.push(Event { cause, loaded_from: self.memory.take_awaited(), stored, ..event });
        }
        if K::FLAGS.is_none() {
            if op.is(Flags::AFTER) && !self.relax.serialise {
                self.hold = self.hold.max(run.finish + u64::from(op.serial));
            }
        }
    }

    fn completed(&self) -> u64 {
        self.window.end()
    }

    fn dispatched(&self) -> u64 {
        self.last_dispatch
    }

    fn reserved(&self) -> [u16; 32] {
        self.ports.reserved_from(self.last_dispatch)
    }

    fn at_most(&self) -> u64 {
        let of_unit = if R::GROUPED { GROUP_MAX } else { 1 };
        self.window.entries() * of_unit as u64 + self.front.buffered()
    }

    fn counted(&self) -> &Counters {
        &self.counters
    }

    fn shared(&mut self) -> Shared<'_> {
        Shared {
            memory: &mut self.memory,
            values: &mut self.values,
            counters: &mut self.counters,
            marks: &mut self.marks,
        }
    }
}
