// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What is the same for all shapes of core: a block's instructions are taken one by one, each by code that is compiled for
//! its kind, with the accesses that are its own. What a core does with an instruction is its `Shape`.

use super::memory::MemoryPath;
use super::values::Values;
use super::{Backlog, Core, Counters, Event, Nobody, Record};
use crate::flags::*;
use crate::moment::Moment;
use crate::op::*;
use crate::plan::Plan;
use crate::source::Access;

/// A core's own part.
pub(super) trait Shape: Send {
    /// As what a load that computes with its value is taken.
    type PairLoad: Known;
    /// As what a store in two parts is taken.
    type PairStore: Known;

    /// Takes an instruction from fetch to completion; `next` is the address executed after it, for branches.
    fn step<W: Record, K: Known>(
        &mut self,
        plan: &Plan,
        op: &Op,
        accesses: &[Access],
        next: u64,
        events: &mut W,
    );
    /// The cycle up to which everything executed has completed.
    fn completed(&self) -> u64;
    /// The cycle in which the last instruction was dispatched.
    fn dispatched(&self) -> u64;
    /// Cycles of each pipe that are reserved behind the last dispatch.
    fn reserved(&self) -> [u16; 32];
    /// Instructions between fetch and completion at most.
    fn at_most(&self) -> u64;
    fn counted(&self) -> &Counters;
    fn shared(&mut self) -> Shared<'_>;
}

/// What every shape has.
pub(super) struct Shared<'a> {
    pub(super) memory: &'a mut MemoryPath,
    pub(super) values: &'a mut Values,
    pub(super) counters: &'a mut Counters,
    pub(super) marks: &'a mut Vec<Moment>,
}

// Each of these is compiled once a kind and shape, and not into the loop over a block: the loop stays small.

#[inline(never)]
fn branch<S: Shape, W: Record>(core: &mut S, plan: &Plan, op: &Op, next: u64, events: &mut W) {
    core.step::<W, SimpleBranch>(plan, op, &[], next, events);
}

#[inline(never)]
fn access<S: Shape, W: Record, K: Known>(
    core: &mut S,
    plan: &Plan,
    op: &Op,
    accesses: &[Access],
    events: &mut W,
) {
    core.step::<W, K>(plan, op, accesses, 0, events);
}

#[inline(never)]
fn other<S: Shape, W: Record>(
    core: &mut S,
    plan: &Plan,
    op: &Op,
    accesses: &[Access],
    next: u64,
    events: &mut W,
) {
    core.step::<W, Anything>(plan, op, accesses, next, events);
}

/// Takes the accesses of the instruction of that index from the front of those of its block.
#[inline]
fn accesses_of<'a>(rest: &mut &'a [Access], index: usize) -> &'a [Access] {
    // Nearly always there is one, in front.
    if let [first, behind @ ..] = *rest {
        let of = |access: &Access| usize::from(access.instruction);
        if of(first) == index && behind.first().is_none_or(|access| of(access) != index) {
            *rest = behind;
            return std::slice::from_ref(first);
        }
    }
    some_accesses_of(rest, index)
}

#[inline(never)]
fn some_accesses_of<'a>(rest: &mut &'a [Access], index: usize) -> &'a [Access] {
    let mut from = 0;
    while rest.get(from).is_some_and(|access| usize::from(access.instruction) < index) {
        from += 1;
    }
    let mut to = from;
    while rest.get(to).is_some_and(|access| usize::from(access.instruction) == index) {
        to += 1;
    }
    let mine = &rest[from..to];
    *rest = &rest[to..];
    mine
}

#[inline(never)]
fn execute<S: Shape, W: Record>(
    core: &mut S,
    plan: &Plan,
    block: usize,
    accesses: &[Access],
    next: u64,
    events: &mut W,
) {
    let block = &plan.blocks[block];
    let ops = &plan.ops[block.first as usize..(block.first + block.count) as usize];
    let mut rest = accesses;
    for (index, op) in ops.iter().enumerate() {
        let next = || ops.get(index + 1).map_or(next, |following| following.address);
        let mut mine = || accesses_of(&mut rest, index);
        match op.kind {
            Kind::Register => core.step::<W, Simple>(plan, op, &[], 0, events),
            Kind::Branch => branch(core, plan, op, next(), events),
            Kind::SimpleLoad => access::<S, W, SimpleLoad>(core, plan, op, mine(), events),
            Kind::PairLoad => access::<S, W, S::PairLoad>(core, plan, op, mine(), events),
            Kind::Load => access::<S, W, OtherLoad>(core, plan, op, mine(), events),
            Kind::PairStore => access::<S, W, S::PairStore>(core, plan, op, mine(), events),
            Kind::Store => access::<S, W, OtherStore>(core, plan, op, mine(), events),
            Kind::Other => other(core, plan, op, mine(), next(), events),
        }
    }
    core.shared().counters.add_block(block);
}

impl<S: Shape> Core for S {
    fn block(
        &mut self,
        plan: &Plan,
        block: usize,
        accesses: &[Access],
        next: u64,
        events: Option<&mut Vec<Event>>,
    ) {
        match events {
            None => execute(self, plan, block, accesses, next, &mut Nobody),
            Some(events) => execute(self, plan, block, accesses, next, events),
        }
    }

    fn now(&self) -> u64 {
        self.completed()
    }

    fn backlog(&mut self) -> Backlog {
        let now = self.completed();
        let memory = self.shared().memory.busy_until().saturating_sub(now);
        Backlog { memory, pipes: self.reserved() }
    }

    fn counters(&mut self) -> &mut Counters {
        let shared = self.shared();
        shared.memory.drain_into(shared.counters);
        shared.counters
    }

    fn executed(&self) -> u64 {
        self.counted().instructions
    }

    fn holds(&mut self, address: u64, store: bool) -> bool {
        self.shared().memory.caches().holds(address, store)
    }

    fn is_prefetched(&mut self, address: u64) -> bool {
        self.shared().memory.caches().is_prefetched(address)
    }

    fn touch(&mut self, address: u64, store: bool) {
        let dispatched = self.dispatched();
        self.shared().memory.caches().touch_only(address, store, dispatched);
    }

    fn forget(&mut self, registers: &[u8]) {
        let values = self.shared().values;
        registers.iter().for_each(|&register| values.forget(register));
    }

    fn marks(&mut self) -> &mut Vec<Moment> {
        self.shared().marks
    }

    fn in_flight(&self) -> u64 {
        self.at_most()
    }

    fn line_bytes(&mut self) -> u64 {
        self.shared().memory.line_bytes()
    }
}
