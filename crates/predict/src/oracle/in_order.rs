// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's in-order core (MPC8xx, e300).

use super::caches::Hierarchy;
use super::fetch::Front;
use super::pipes::Pipes;
use super::registers::{Made, Registers};
use super::stores::{Meets, Store, Stores};
use super::{crossing, Machine, Tally};
use crate::cause::Cause;
use crate::core::Event;
use crate::description::*;
use crate::flags::Flags;
use crate::op::*;
use crate::plan::{Named, Plan};
use crate::source::Access;
use decode::Role;
use std::collections::BTreeMap;

pub(super) struct InOrder {
    description: Description,
    front: Front,
    pipes: Pipes,
    caches: Hierarchy,
    stores: Stores,
    registers: Registers,
    /// When each instruction that was not folded completed, and what it wrote.
    completed: Vec<u64>,
    wrote: Vec<(u32, u32)>,
    /// When the last branch left that was folded.
    folded_at: u64,
    /// Of each queue of reservation stations, when its entries are given back.
    queues: BTreeMap<u8, Vec<u64>>,
    last_issue: u64,
    /// Slots issued in that cycle.
    used: u32,
    hold: u64,
    /// When the condition of the last branch is known, where nothing is executed on the predicted path before.
    resolved: u64,
    /// Instructions since the last branch that was folded.
    since_folded: Option<u64>,
    lives: Vec<Event>,
    tally: Tally,
}

impl InOrder {
    pub(super) fn new(description: &Description) -> InOrder {
        InOrder {
            front: Front::new(description),
            pipes: Pipes::default(),
            caches: Hierarchy::new(&description.caches, description.memory.miss_queue),
            stores: Stores::new(description),
            registers: Registers::new(description),
            completed: Vec::new(),
            wrote: Vec::new(),
            folded_at: 0,
            queues: BTreeMap::new(),
            last_issue: 0,
            used: 0,
            hold: 0,
            resolved: 0,
            since_folded: None,
            lives: Vec::new(),
            tally: Tally::default(),
            description: description.clone(),
        }
    }

    fn last_complete(&self) -> u64 {
        self.completed.last().copied().unwrap_or(0).max(self.folded_at)
    }

    /// When everything but sources and pipes lets an instruction of so many slots issue.
    fn offered(&self, op: &Op, fetch: u64, slots: u32) -> u64 {
        let mut now = self.last_issue.max(fetch).max(self.hold);
        if op.is(Flags::BEFORE) && op.queue == NO_QUEUE {
            now = now.max(self.last_complete());
        }
        if slots > 0 && now == self.last_issue && self.used + slots > self.description.dispatch.width {
            now += 1;
        }
        let oldest = self.completed.len().checked_sub(self.description.dispatch.window);
        now = now.max(oldest.map_or(0, |oldest| self.completed[oldest])).max(self.resolved);
        if op.is(Flags::STORE) {
            now = now.max(self.stores.room());
        }
        now
    }

    fn station(&self, queue: u8, mut cycle: u64) -> u64 {
        let entries = usize::from(self.description.queues[usize::from(queue)].1);
        let releases = self.queues.get(&queue).map_or(&[][..], |releases| releases);
        while releases.iter().filter(|&&release| release > cycle).count() >= entries {
            cycle += 1;
        }
        cycle
    }

    fn load(&mut self, accesses: &[Access], issue: u64) -> u64 {
        let memory = &self.description.memory;
        let mut worst = 0;
        for access in accesses.iter().filter(|access| !access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let crossing = crossing(memory, access.address, bytes);
            let extra = match self.stores.youngest(access.address, bytes, issue) {
                Some((number, Meets::All)) => {
                    self.tally.forwards += 1;
                    let there = issue.max(self.stores.stores[number].data_time) + memory.forward + crossing;
                    there.saturating_sub(issue + self.description.caches.l1.latency)
                }
                Some((number, Meets::Some)) => {
                    self.tally.forward_failures += 1;
                    let drain = self.stores.stores[number].drain.unwrap_or(0);
                    drain.saturating_sub(issue) + memory.forward_failed + crossing
                }
                _ => self.caches.load(access.address, bytes, issue) + crossing,
            };
            worst = worst.max(extra);
        }
        worst
    }

    fn store(&mut self, accesses: &[Access], issue: u64, complete: u64) {
        for access in accesses.iter().filter(|access| access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let line_ready =
                self.caches.store(access.address, bytes, issue).expect("no core in order claims");
            let crosses = crossing(&self.description.memory, access.address, bytes);
            for from in (0..bytes).step_by(64) {
                self.stores.stores.push(Store {
                    named: Named::default(),
                    index: 0,
                    address: access.address + from,
                    bytes: (bytes - from).min(64),
                    address_time: issue,
                    data_time: issue,
                    drain: None,
                    completed: None,
                    renames: false,
                    counted: false,
                    vector: false,
                    crosses: crosses > 0,
                });
                self.stores.complete(self.stores.stores.len() - 1, complete, line_ready + crosses);
            }
        }
    }

    fn complete(&mut self, plan: &Plan, op: &Op, finish: u64) -> u64 {
        let dispatch = &self.description.dispatch;
        let before = self.completed.len().checked_sub(dispatch.complete_width);
        let width = before.map_or(0, |before| self.completed[before] + 1);
        let mut cycle = (finish + dispatch.complete_latency).max(self.last_complete()).max(width);
        let wrote = wrote(plan, op);
        let mut of_cycle = wrote;
        let mut others = 0;
        for (_, other) in self.completed.iter().zip(&self.wrote).rev().take_while(|(&at, _)| at == cycle) {
            of_cycle = (of_cycle.0 + other.0, of_cycle.1 + other.1);
            others += 1;
        }
        let exceeds = |limit: Option<u32>, number: u32| limit.is_some_and(|limit| number > limit);
        let full = exceeds(dispatch.complete_results, of_cycle.0)
            || exceeds(dispatch.complete_conditions, of_cycle.1)
            || dispatch.complete_first && op.is(Flags::FIRST);
        cycle += u64::from(others > 0 && full);
        self.completed.push(cycle);
        self.wrote.push(wrote);
        cycle
    }

    fn branch(&mut self, op: &Op, fetch: u64, known: u64, executed: u64, next: u64) {
        let outcome = self.front.branch(op, next);
        let mut resolved = known;
        if self.description.branch.predictor != Predictor::Static {
            resolved = resolved.max(executed);
        } else if known <= fetch {
            return;
        }
        self.tally.branch_misses += u64::from(outcome.mispredicted);
        if outcome.mispredicted || outcome.unpredicted {
            self.front.restart(resolved + self.description.branch.mispredict);
        }
    }
}

/// Values and base registers that an instruction writes, and one if it writes conditions.
fn wrote(plan: &Plan, op: &Op) -> (u32, u32) {
    let (mut values, mut conditions) = (0, 0);
    for result in plan.results_of(op).iter().filter(|_| !op.is(Flags::BRANCH)) {
        match result.role {
            Role::Value | Role::BaseUpdate => values += 1,
            Role::Condition => conditions = 1,
            _ => {}
        }
    }
    (values, conditions)
}

impl Machine for InOrder {
    fn step(&mut self, plan: &Plan, op: &Op, accesses: &[Access], next: u64) {
        let fetch = self.front.fetch(op, &mut self.caches);
        let branch = self.description.branch.clone();
        let far_enough = self.since_folded.is_none_or(|since| since >= branch.fold_distance);
        let folds =
            op.is(Flags::BRANCH) && branch.folded && !op.is(Flags::BEFORE | Flags::AFTER) && far_enough;
        self.since_folded = if folds { Some(0) } else { self.since_folded.map(|since| since + 1) };
        let slots = if folds { 0 } else { u32::from(op.slots) };
        let start = self.offered(op, fetch, slots);
        let waits_there = op.queue != NO_QUEUE && !folds;
        let entered = if waits_there { self.station(op.queue, start) } else { start };
        let mut sources = self.registers.ready(plan, op, entered, None).all();
        if op.is(Flags::BEFORE) && waits_there {
            sources = sources.max(self.last_complete());
        }
        let goes_ahead = op.is(Flags::BRANCH) && op.is(Flags::CONDITIONAL) && !branch.folded;
        if goes_ahead {
            self.resolved = sources;
        }
        let ready = if folds || goes_ahead { entered } else { sources };
        let (mut issue, mut previous, mut steps) = (ready, ready, 0);
        for part in plan.parts_of(op).iter().filter(|_| !folds) {
            let mut earliest = ready;
            if part.waits == Waits::Then {
                steps += u64::from(part.step);
                earliest = previous + u64::from(part.step);
            }
            previous = self.pipes.first_free(part, earliest);
            issue = issue.max(previous);
        }
        let base = issue - steps.min(issue);
        let mut dispatch = entered;
        if waits_there {
            self.queues.entry(op.queue).or_default().push(issue + 1);
        } else {
            dispatch = dispatch.max(ready).max(base);
        }
        if dispatch > self.last_issue {
            (self.last_issue, self.used) = (dispatch, 0);
        }
        self.used += slots;
        self.front.dispatched(dispatch);
        let extra = if op.is(Flags::LOAD) { self.load(accesses, base) } else { 0 };
        let mut finish = if folds { base } else { base + u64::from(op.latency.max(1)) };
        finish += extra;
        for result in plan.results_of(op) {
            let from = if result.role == Role::BaseUpdate { base } else { base + extra };
            finish = finish.max(from + u64::from(result.latency()));
            self.registers.write(result, from, Made::Anywhere);
        }
        let is_gone = folds && plan.results_of(op).is_empty();
        if is_gone {
            self.folded_at = base;
        }
        let complete = if is_gone { self.last_complete() } else { self.complete(plan, op, finish) };
        if op.is(Flags::STORE) {
            self.store(accesses, base, complete);
        }
        if op.is(Flags::BRANCH) {
            self.branch(op, fetch, sources, base, next);
        }
        if op.is(Flags::AFTER) {
            self.hold = self.hold.max(finish + u64::from(op.serial));
        }
        let ahead = self.pipes.latest.max(finish).saturating_sub(self.last_issue);
        self.tally.ahead = self.tally.ahead.max(ahead);
        self.lives.push(Event {
            op: op.index,
            fetch,
            dispatch,
            start,
            ready,
            issue,
            finish,
            complete,
            opens_group: false,
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
        self.last_complete()
    }

    fn tally(&self) -> Tally {
        Tally {
            l1_misses: self.caches.l1_misses,
            instruction_misses: self.caches.instruction_misses,
            ..self.tally
        }
    }
}
