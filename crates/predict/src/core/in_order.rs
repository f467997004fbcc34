// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cores that issue in program order (MPC8xx, e300).
//!
//! An instruction issues when its sources and its pipe are free, and nothing younger issues before it. A unit
//! that names a queue has reservation stations: the instruction may wait there while younger ones for other units
//! go past it. A branch may be folded: it leaves the fetch queue without an issue slot, its direction known if
//! its condition is there, else predicted statically. A core that does not fold also issues a conditional branch before its
//! condition is there, but nothing younger until then. Completion is in order through a short queue.

use super::execute::kept;
use super::front_end::FrontEnd;
use super::memory::{Found, Loaded, MemoryPath};
use super::planted::{planted, Fault};
use super::queues::{Calendar, Ring, LANES};
use super::shape::{Shape, Shared};
use super::units::Pipes;
use super::values::Values;
use super::{Counters, Event, Record};
use crate::cause::Cause;
use crate::description::*;
use crate::flags::*;
use crate::moment::Moment;
use crate::op::*;
use crate::plan::{Named, Plan};
use crate::relax::Relax;
use crate::source::Access;
use decode::Role;

/// What instructions write: values and base registers, and so many of them conditions. LR and CTR, which branches write, have ports
/// of their own.
#[derive(Clone, Copy, Default)]
struct Written {
    results: u32,
    conditions: u32,
}

impl Written {
    #[inline(always)]
    fn add(&mut self, role: Role) {
        self.results += u32::from(matches!(role, Role::Value | Role::BaseUpdate));
        self.conditions |= u32::from(role == Role::Condition);
    }
}

/// What completes together.
struct Together {
    /// What the instructions that complete in a cycle write at most.
    most: Written,
    /// Whether some complete only as the first of their cycle.
    first: bool,
    /// The last cycle in which anything completed, and what that has written.
    cycle: u64,
    written: Written,
}

impl Together {
    fn new(dispatch: &Dispatch) -> Together {
        let limit = |most: Option<u32>| most.unwrap_or(u32::MAX / 2);
        Together {
            most: Written {
                results: limit(dispatch.complete_results),
                conditions: limit(dispatch.complete_conditions),
            },
            first: dispatch.complete_first,
            cycle: u64::MAX,
            written: Written::default(),
        }
    }

    /// When an instruction completes that could in the cycle `earliest`.
    #[inline]
    fn complete(&mut self, op: &Op, written: Written, earliest: u64) -> u64 {
        let (mut cycle, mut all) = (earliest, written);
        if cycle == self.cycle {
            all.results += self.written.results;
            all.conditions += self.written.conditions;
            let full = all.results > self.most.results
                || all.conditions > self.most.conditions
                || op.is(Flags::FIRST) && self.first;
            if full && !planted(Fault::CompletesTogether) {
                (cycle, all) = (cycle + 1, written);
            }
        }
        (self.cycle, self.written) = (cycle, all);
        cycle
    }
}

/// An in-order core.
pub(crate) struct InOrder {
    front: FrontEnd,
    pipes: Pipes,
    calendar: Calendar,
    memory: MemoryPath,
    values: Values,
    /// Completion times of the instructions in the completion queue.
    window: Ring,
    /// For each completion slot, the first cycle in which it is free.
    completions: Ring,
    together: Together,
    width: u32,
    used: u32,
    last_issue: u64,
    last_complete: u64,
    hold: u64,
    /// When the condition of the last branch is there, before which nothing younger issues where branches are not folded.
    resolved: u64,
    complete_latency: u64,
    folded: bool,
    fold_distance: u64,
    since_folded: u64,
    mispredict: u64,
    relax: Relax,
    counters: Counters,
    marks: Vec<Moment>,
}

impl InOrder {
    pub(crate) fn new(description: &Description, relax: Relax) -> InOrder {
        let freed = relax.dispatch.then(|| description.without_dispatch());
        let description = freed.as_ref().unwrap_or(description);
        let d = &description.dispatch;
        let mut limits = [u16::MAX; LANES];
        if !relax.window {
            for (lane, (_, entries)) in limits.iter_mut().zip(&description.queues) {
                *lane = *entries;
            }
        }
        InOrder {
            front: FrontEnd::new(description, relax),
            pipes: Pipes::new(d.binds, false, &description.units, None),
            calendar: Calendar::new(limits),
            memory: MemoryPath::new(
                description,
                relax,
                if relax.window { 1000 } else { description.memory.store_queue },
            ),
            values: Values::new(description.bypass.as_deref().filter(|_| !relax.latency), description.later),
            window: Ring::new(if relax.window { 1000 } else { d.window }),
            completions: Ring::new(d.complete_width),
            together: Together::new(d),
            width: d.width,
            used: 0,
            last_issue: 0,
            last_complete: 0,
            hold: 0,
            resolved: 0,
            complete_latency: d.complete_latency,
            folded: description.branch.folded,
            fold_distance: description.branch.fold_distance,
            since_folded: u64::MAX / 2,
            mispredict: description.branch.mispredict,
            relax,
            counters: Counters::default(),
            marks: Vec::new(),
        }
    }

    #[inline]
    fn put_off(&mut self, now: &mut u64, cycle: u64, cause: Cause) {
        if cycle > *now {
            self.counters.stalls[cause as usize] += cycle - *now;
            *now = cycle;
        }
    }

    #[inline]
    fn waits_for_older<K: Known>(&self, op: &Op) -> bool {
        op.has::<K>(Flags::BEFORE) && !self.relax.serialise
    }

    /// The cycle of issue as far as everything but sources and pipe goes.
    #[inline]
    fn offer<K: Known>(&mut self, op: &Op, fetch: u64, slots: u32) -> u64 {
        let mut now = self.last_issue;
        if fetch.max(self.hold) > now {
            self.put_off(&mut now, fetch, self.front.cause);
            self.put_off(&mut now, self.hold, Cause::Serialise);
        }
        if self.waits_for_older::<K>(op) && op.queue == NO_QUEUE {
            self.put_off(&mut now, self.last_complete, Cause::Serialise);
        }
        if slots > 0 && now == self.last_issue && self.used + slots > self.width {
            self.put_off(&mut now, self.last_issue + 1, Cause::DispatchRules);
        }
        self.put_off(&mut now, self.window.oldest().max(self.resolved), Cause::Dependency);
        if op.has::<K>(Flags::STORE) {
            self.put_off(&mut now, self.memory.store_room(), Cause::StoreQueue);
        }
        now
    }

    #[inline]
    fn settle(&mut self, cycle: u64, slots: u32) {
        if cycle > self.last_issue {
            self.last_issue = cycle;
            self.used = 0;
            self.pipes.pass(cycle);
        }
        self.used += slots;
    }

    /// Executes the loads of one instruction that went to its pipe at `issue`. Stores before it have completed, since each is a
    /// unit by itself.
    #[inline(never)]
    fn load(&mut self, op: &Op, accesses: &[Access], issue: u64) -> Loaded {
        let mut loaded = Loaded::AT_ONCE;
        for access in accesses.iter().filter(|access| !access.store && access.known) {
            let one = match self.memory.look_up(op, Named::default(), access, issue, issue, &mut self.front) {
                Found::Bytes(loaded) => loaded,
                Found::Blocked(blocked) => self.memory.unblocked(&blocked),
            };
            loaded = if one.extra > loaded.extra { one } else { loaded };
        }
        loaded
    }

    #[inline]
    fn complete(&mut self, op: &Op, written: Written, finish: u64) -> u64 {
        let width = if planted(Fault::InOrderCompletesMore) { 0 } else { self.completions.oldest() };
        let earliest = (finish + self.complete_latency).max(self.last_complete).max(width);
        let cycle = self.together.complete(op, written, earliest);
        self.completions.take(cycle + 1);
        self.window.take(cycle);
        self.last_complete = cycle;
        cycle
    }

    /// A branch whose sources are there at `known`, and which is executed at `executed` at the latest. A core that predicts by
    /// the encoding alone looks into the registers where it fetches a branch, and a target that nothing predicts is fetched as
    /// soon after its register is there as the right path after a condition. Other cores learn of their errors when the branch
    /// is executed.
    #[inline(never)]
    fn branch(&mut self, plan: &Plan, op: &Op, fetch: u64, known: u64, executed: u64, next: u64) {
        let outcome = self.front.predict(plan, op, next);
        let looks = self.front.branches.is_static() && !planted(Fault::RegistersUnseen);
        if looks && known <= fetch {
            return;
        }
        let resolved = if looks { known } else { known.max(executed) };
        if outcome.mispredicted {
            self.counters.branch_misses += 1;
            self.front.restart(resolved + self.mispredict, Cause::Mispredict);
        } else if outcome.unpredicted && !planted(Fault::TargetGuessed) {
            self.front.restart(resolved + self.mispredict, Cause::TakenBranch);
        }
    }

    /// When the last source is there, and what it waited for.
    #[inline]
    fn latest_source(&self, plan: &Plan, op: &Op, earliest: u64) -> (u64, u64) {
        if op.is(Flags::ONE_KIND) {
            return self.values.one_kind(plan, op, earliest, 0);
        }
        let sources = self.values.sources(plan, op, earliest, 0);
        (sources.last, sources.cause)
    }

    /// Issues the parts of an instruction; when the last went to its pipe, and how many cycles after the first by rule.
    #[inline(never)]
    fn issue_parts(&mut self, plan: &Plan, op: &Op, ready: u64) -> (u64, u64) {
        let (mut issue, mut previous, mut steps) = (ready, ready, 0);
        for part in plan.parts_of(op) {
            let step = if part.waits == Waits::Then { Some(u64::from(part.step)) } else { None };
            steps += step.unwrap_or(0);
            previous = self.pipes.reserve(part, step.map_or(ready, |step| previous + step));
            issue = issue.max(previous);
        }
        (issue, steps)
    }
}

/// Records an instruction with what it waited for longest.
#[cold]
fn record<W: Record>(events: &mut W, times: Event, waited: [(u64, Cause); 3]) {
    let longest = waited.into_iter().max_by_key(|&(cycles, _)| cycles);
    events.push(Event { cause: longest.map_or(Cause::Dependency, |(_, cause)| cause), ..times });
}

impl Shape for InOrder {
    type PairLoad = OtherLoad;
    type PairStore = OtherStore;

    #[inline(always)]
    fn step<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        next: u64,
        events: &mut W,
    ) {
        if W::ON {
            self.pipes.held = 0;
            self.memory.take_awaited();
        }
        if K::FLAGS.is_none() && op.is(Flags::MARK) {
            self.marks.push(Moment { cycle: self.last_complete, instructions: self.counters.instructions });
        }
        let fetch = self.front.fetch(op, self.memory.caches());
        let foldable = op.has::<K>(Flags::BRANCH)
            && (self.folded && !planted(Fault::FoldForgotten))
            && !op.has::<K>(Flags::BEFORE | Flags::AFTER)
            && self.since_folded >= self.fold_distance;
        self.since_folded = if foldable { 0 } else { self.since_folded + 1 };
        let slots = if foldable { 0 } else { u32::from(op.slots) };
        let stalls = if W::ON { self.counters.stalls } else { [0; Cause::COUNT] };
        let mut issue = self.offer::<K>(op, fetch, slots);
        let offered = issue;
        let stationed = op.queue != NO_QUEUE;
        if stationed && !foldable {
            let cycle = self.calendar.admit(usize::from(op.queue), issue);
            self.put_off(&mut issue, cycle, Cause::IssueQueue);
        }
        let admitted = issue;
        let held = if W::ON { self.counters.stalled_since(&stalls) } else { (0, Cause::Dependency) };
        let (mut last, mut source_cause) = self.latest_source(plan, op, issue);
        // An instruction with a reservation station waits there for older ones, and younger ones for other units overtake it.
        if stationed && self.waits_for_older::<K>(op) && self.last_complete > last {
            (last, source_cause) = (self.last_complete, Cause::Serialise as u64);
        }
        let mut dispatch = issue;
        let mut steps = 0;
        // MPC823e reference manual, 8.2.6: what is fetched on the predicted path is not executed before the condition is resolved.
        let predicted = op.has::<K>(Flags::BRANCH) && op.is(Flags::CONDITIONAL) && !self.folded;
        if predicted {
            self.resolved = if planted(Fault::ConditionForgotten) { 0 } else { last };
        }
        let ready = if foldable || predicted { issue } else { last };
        issue = ready;
        if !foldable {
            if op.has::<K>(Flags::SIMPLE) {
                issue = self.pipes.reserve_one(op.mask, op.prefer, ready);
            } else {
                (issue, steps) = self.issue_parts(plan, op, ready);
            }
        }
        let base = issue - steps.min(issue);
        if stationed && !foldable {
            self.calendar.hold(usize::from(op.queue), issue + 1);
        } else {
            if ready > dispatch {
                self.put_off(&mut dispatch, ready, Cause::numbered(source_cause));
            }
            self.put_off(&mut dispatch, base, Cause::Unit);
        }
        self.settle(dispatch, slots);
        self.front.dispatched(dispatch);
        let loaded = if op.has::<K>(Flags::LOAD) { self.load(op, accesses, base) } else { Loaded::AT_ONCE };
        let extra = loaded.extra;
        let mut finish = base + if foldable { 0 } else { u64::from(op.latency.max(1)) + extra };
        let mut written = Written::default();
        for result in plan.results_of(op) {
            if !op.has::<K>(Flags::BRANCH) {
                written.add(result.role);
            }
            let from = base + if result.role == Role::BaseUpdate { 0 } else { extra };
            finish = finish.max(from + u64::from(result.latency()));
            self.values.set(result, from, loaded.passed_on(), 0);
        }
        // A branch that is folded takes no entry of the completion queue, unless it writes LR or CTR (603e manual, 6.3.1). What it
        // waits for is older than what is fetched behind it, and completes first.
        let is_gone = foldable && plan.results_of(op).is_empty();
        let complete = if is_gone && !planted(Fault::FoldedCompletes) {
            self.last_complete = self.last_complete.max(base);
            self.last_complete
        } else {
            self.complete(op, written, finish)
        };
        if op.has::<K>(Flags::STORE) {
            self.memory.store(op, Named::default(), accesses, base, base, false);
            self.memory.complete_unit(complete);
        }
        if op.has::<K>(Flags::BRANCH) {
            self.counters.branches_taken += u64::from(next != op.end());
            self.branch(plan, op, fetch, last, base, next);
        }
        if W::ON {
            let waited = [
                // What held it before delayed nothing if a source came later.
                if ready == admitted { held } else { (ready - admitted, Cause::numbered(source_cause)) },
                (base.saturating_sub(ready), Cause::Unit),
                (extra, loaded.cause),
            ];
            let times = Event {
                op: op.index,
                fetch,
                dispatch,
                start: offered,
                ready,
                issue,
                finish,
                complete,
                opens_group: false,
                cause: Cause::Dependency,
                pipes: self.pipes.held,
                kept: kept(plan, op, self.pipes.held),
                loaded_from: self.memory.take_awaited(),
                stored: if op.is(Flags::STORE) { self.memory.newest_store() } else { 0 },
            };
            record(events, times, waited);
        }
        if K::FLAGS.is_none() {
            if op.is(Flags::AFTER) && !self.relax.serialise {
                self.hold = self.hold.max(finish + u64::from(op.serial));
            }
        }
    }

    fn completed(&self) -> u64 {
        self.last_complete
    }

    fn dispatched(&self) -> u64 {
        self.last_issue
    }

    fn reserved(&self) -> [u16; 32] {
        [0; 32]
    }

    fn at_most(&self) -> u64 {
        self.window.entries() + self.front.buffered()
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
