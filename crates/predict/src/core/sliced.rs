// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Dispatch of POWER9 and POWER10: internal operations to slices, no groups.
//!
//! A slice has a queue, an issue port for addresses and one for everything else, and pipes of its own; two slices are
//! a superslice. In each cycle the next operations, in order, make tuples, and each tuple goes to one superslice, the
//! first of them to the superslices in turn from cycle to cycle. Within the superslice an operation goes to the slice
//! whose queue holds less. So an operation's pipe is chosen before it is known when the operation will be ready, and
//! two with the same pipe wait for each other even if the three others are idle: four pipes give 3.5 additions a
//! cycle, and a loop of two chained additions and a comparison takes more than its two cycles.
//!
//! A cracked instruction is several operations. A tuple with a restricted operation has no third one. An operation for
//! `both` slices takes two places: one on a vector of 128 bits, whose halves the slices hold, or one that runs only in the
//! even slice. POWER10's pairs start a tuple of two. Each instruction completes by itself, in order.

use super::execute::Rules;
use super::planted::{planted, Fault};
use super::queues::Calendar;
use crate::description::Description;
use crate::flags::{Flags, Known};
use crate::op::Op;

const SLICES_MAX: usize = 4;

/// What was dispatched in a cycle. Each instruction makes a new state, so it is one word, of the fields below.
#[derive(Clone, Copy, Default)]
struct Cycle {
    number: u64,
    state: u64,
}

/// A field of a cycle's state: where it starts and its bits.
#[derive(Clone, Copy)]
struct Field(u32, u64);

/// Operations and branches dispatched, and those of the branches that are taken.
const USED: Field = Field(0, 0xff);
const BRANCHES: Field = Field(8, 0xff);
const TAKEN: Field = Field(16, 0xff);
/// Number of the open tuple, its places taken, and how many it has.
const TUPLE: Field = Field(24, 0xff);
const FILLED: Field = Field(32, 0x3f);
const PLACES: Field = Field(38, 0x3f);
/// 1 if nothing more goes with it.
const CLOSED: Field = Field(46, 1);
/// How many operations the newest instruction has, and their slices, two bits each.
const OPERATIONS: Field = Field(47, 7);
const SLICES: Field = Field(50, 0xff);

impl Field {
    #[inline(always)]
    fn of(self, state: u64) -> u64 {
        state >> self.0 & self.1
    }

    #[inline(always)]
    fn set(self, state: u64, value: u64) -> u64 {
        state & !(self.1 << self.0) | value << self.0
    }
}

/// Slice of the operation of that number.
#[inline(always)]
fn slice_of(state: u64, number: usize) -> usize {
    (SLICES.of(state) >> (number * 2 & 6)) as usize % SLICES_MAX
}

/// Dispatch to slices.
pub(crate) struct Slices {
    now: Cycle,
    /// The same with the instruction that is about to be dispatched.
    next: Cycle,
    pipes: [u32; SLICES_MAX],
    pair_pipes: [u32; SLICES_MAX],
    width: u64,
    branches_max: u64,
    taken_max: u64,
    tuple_places: u64,
    tuples: u64,
    /// Number of the last superslice: 0 or 1.
    last_superslice: u64,
    /// First of the queues of the slices, if they have any.
    first_queue: Option<u8>,
    /// How many operations wait in each of them.
    held: [u16; SLICES_MAX],
}

/// A limit, at most 60, which is as good as none, so that counts fit into their fields.
fn limit(most: Option<u32>) -> u64 {
    most.map_or(60, |most| u64::from(most.min(60)))
}

impl Rules for Slices {
    const GROUPED: bool = false;
    const HALVES: bool = false;
    const SLICED: bool = true;

    fn new(description: &Description) -> Slices {
        let dispatch = &description.dispatch;
        let (of_slices, of_superslices) = description.pipes_of_slices();
        let mut pipes = [u32::MAX; SLICES_MAX];
        let mut pair_pipes = pipes;
        for (slice, mask) in of_slices.into_iter().enumerate().take(SLICES_MAX) {
            pipes[slice] = mask;
            pair_pipes[slice] = of_superslices[slice / 2];
        }
        let width = limit(Some(dispatch.width));
        let tuple_places = limit(Some(dispatch.tuple)).clamp(1, width);
        Slices {
            now: Cycle::default(),
            next: Cycle::default(),
            pipes,
            pair_pipes,
            width,
            branches_max: limit(dispatch.branches),
            taken_max: limit(dispatch.taken),
            tuple_places,
            tuples: width / tuple_places,
            last_superslice: u64::from(dispatch.slices > 2),
            first_queue: dispatch.slice_queue,
            held: [0; SLICES_MAX],
        }
    }

    /// A pair stays bound, since it takes all pipes that it is given.
    fn unlimit(&mut self) {
        self.pipes = [u32::MAX; SLICES_MAX];
    }

    #[inline(always)]
    fn see(&mut self, calendar: &mut Calendar, cycle: u64) {
        if let Some(first) = self.first_queue {
            self.held = calendar.held_from(usize::from(first), cycle);
        }
    }

    #[inline]
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, taken: bool) -> (u64, bool) {
        if earliest <= self.now.number {
            if let Some(state) = self.add::<K>(self.now.number, self.now.state, op, taken) {
                self.next = Cycle { state, ..self.now };
                return (self.now.number, false);
            }
        }
        let cycle = earliest.max(self.now.number + 1);
        self.next = self.open::<K>(op, cycle, taken);
        (cycle, true)
    }

    #[inline(always)]
    fn place<K: Known>(&mut self, op: &Op, cycle: u64, taken: bool) {
        if cycle != self.next.number {
            self.next = self.open::<K>(op, cycle, taken);
        }
    }

    #[inline(always)]
    fn settle<K: Known>(&mut self, op: &Op, cycle: u64, _opens: bool, taken: bool) {
        self.place::<K>(op, cycle, taken);
        self.now = self.next;
    }

    #[inline(always)]
    fn operations(&self) -> usize {
        OPERATIONS.of(self.next.state) as usize
    }

    #[inline(always)]
    fn queue(&self, queue: u8, number: usize) -> usize {
        let slice = if self.first_queue == Some(queue) { slice_of(self.next.state, number) } else { 0 };
        usize::from(queue) + slice
    }

    #[inline(always)]
    fn pipes_of(&self, mask: u32, part: usize, pair: bool) -> u32 {
        let slice = slice_of(self.next.state, part.min(self.operations().max(1) - 1));
        mask & if pair { self.pair_pipes[slice] } else { self.pipes[slice] }
    }
}

impl Slices {
    /// A cycle in which nothing but `op` was dispatched. Whatever `op` is, it fits.
    #[inline(never)]
    fn open<K: Known>(&self, op: &Op, number: u64, taken: bool) -> Cycle {
        let empty = self.tuple_places << PLACES.0;
        let full = empty | self.width << USED.0 | 1 << OPERATIONS.0;
        Cycle { number, state: self.add::<K>(number, empty, op, taken).unwrap_or(full) }
    }

    /// The state of the cycle `number` with `op`, if there is room for it.
    #[inline(always)]
    fn add<K: Known>(&self, number: u64, state: u64, op: &Op, taken: bool) -> Option<u64> {
        let operations = u64::from(op.slots);
        if USED.of(state) > 0 {
            let too_many = USED.of(state) + operations > self.width
                || CLOSED.of(state) > 0
                || op.has::<K>(Flags::FIRST)
                || op.has::<K>(Flags::BRANCH) && BRANCHES.of(state) >= self.branches_max
                || taken && TAKEN.of(state) >= self.taken_max;
            if too_many {
                return None;
            }
        }
        let newest = OPERATIONS.1 << OPERATIONS.0 | SLICES.1 << SLICES.0;
        let mut state = (state & !newest) + (operations << USED.0 | u64::from(taken) << TAKEN.0);
        if op.has::<K>(Flags::LAST) {
            state = CLOSED.set(state, 1);
        }
        if op.has::<K>(Flags::BRANCH) {
            return Some(state + (1 << BRANCHES.0));
        }
        if op.slots == 1 && !op.is(Flags::BOTH | Flags::EVEN) {
            return self.add_operation(number, state, op.is(Flags::RESTRICTED), &mut self.held.clone());
        }
        self.add_operations::<K>(number, state, op)
    }

    /// The same for an instruction that is several operations, or takes several places.
    #[inline(never)]
    fn add_operations<K: Known>(&self, number: u64, mut state: u64, op: &Op) -> Option<u64> {
        if op.has::<K>(Flags::EVEN) && FILLED.of(state) > 0 {
            state = self.next_tuple(state)?;
        }
        let mut held = self.held;
        if op.has::<K>(Flags::EVEN) {
            held = [0; SLICES_MAX];
        }
        for _ in 0..op.slots {
            if op.is(Flags::BOTH) && FILLED.of(state) + 2 > PLACES.of(state) {
                state = self.next_tuple(state)?;
            }
            state = self.add_operation(number, state, op.is(Flags::RESTRICTED), &mut held)?;
            if op.is(Flags::BOTH) {
                state = self.add_operation(number, state, op.is(Flags::RESTRICTED), &mut held)?;
            }
        }
        Some(state)
    }

    #[inline(always)]
    fn next_tuple(&self, state: u64) -> Option<u64> {
        let state = PLACES.set(FILLED.set(state, 0), self.tuple_places) + (1 << TUPLE.0);
        (TUPLE.of(state) < self.tuples).then_some(state)
    }

    /// Gives one operation a slice; `held` says how many wait in each.
    #[inline(always)]
    fn add_operation(
        &self,
        number: u64,
        mut state: u64,
        restricted: bool,
        held: &mut [u16; SLICES_MAX],
    ) -> Option<u64> {
        let allows = if restricted { self.tuple_places.min(2) } else { self.tuple_places };
        if FILLED.of(state) >= PLACES.of(state).min(allows) {
            state = self.next_tuple(state)?;
        }
        if restricted {
            state = PLACES.set(state, allows);
        }
        let superslice = number.wrapping_add(TUPLE.of(state)) & self.last_superslice;
        let even = superslice as usize * 2 % SLICES_MAX;
        let fuller = held[even] > held[even + 1];
        let slice = even + usize::from(fuller != planted(Fault::OtherSlice));
        held[slice] += 1;
        let operation = OPERATIONS.of(state);
        if operation < SLICES_MAX as u64 {
            state |= (slice as u64) << (SLICES.0 + operation as u32 * 2);
            state += 1 << OPERATIONS.0;
        }
        Some(state + (1 << FILLED.0))
    }
}
