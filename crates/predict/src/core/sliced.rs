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
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::queues::{Calendar, LANES};
use crate::description::{Description, NO_QUEUE};
use crate::flags::{Flags, Known};
use crate::op::Op;

const SLICES_MAX: usize = 4;

/// What was dispatched in a cycle. Each instruction makes a new state, so it is one word, of the fields below.
#[derive(Clone, Copy, Default)]
struct Cycle {
    number: u64,
    state: u64,
}

/// The operations of an instruction, as many as there are slices at most, and the slice of each, in two bits.
#[derive(Clone, Copy, Default)]
struct Bound {
    operations: u8,
    slices: u8,
}

impl Bound {
    /// A branch, which waits in no slice.
    const NOWHERE: Bound = Bound { operations: 0, slices: 0 };

    /// With one operation more, if there is room for it.
    #[inline(always)]
    fn with(self, slice: usize) -> Bound {
        match usize::from(self.operations) {
            SLICES_MAX.. => self,
            number => {
                Bound { operations: self.operations + 1, slices: self.slices | (slice as u8) << (2 * number) }
            }
        }
    }

    /// Slice of the operation of that number, or of the last.
    #[inline(always)]
    fn slice(self, number: usize) -> usize {
        let number = if number == 0 { 0 } else { number.min(usize::from(self.operations.max(1) - 1)) };
        usize::from(self.slices >> (2 * number)) % SLICES_MAX
    }
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

/// Dispatch to slices.
pub(crate) struct Slices {
    now: Cycle,
    /// The same with the instruction that is about to be dispatched, and where that goes.
    next: Cycle,
    bound: Bound,
    pipes: [u32; SLICES_MAX],
    pair_pipes: [u32; SLICES_MAX],
    width: u64,
    branches_max: u64,
    taken_max: u64,
    tuple_places: u64,
    /// Places of a tuple that an operation can have, and a restricted one.
    places: [u64; 2],
    tuples: u64,
    /// Number of the last superslice: 0 or 1.
    last_superslice: u64,
    /// First of the queues of the slices, or `NO_QUEUE`.
    first_queue: u8,
    /// For each queue, the bits of a slice's number that are added to its own: all for the first of the slices, else none.
    of_slices: [u8; LANES],
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
            bound: Bound::NOWHERE,
            pipes,
            pair_pipes,
            width,
            branches_max: limit(dispatch.branches),
            taken_max: limit(dispatch.taken),
            tuple_places,
            places: [tuple_places, tuple_places.min(2)],
            tuples: width / tuple_places,
            last_superslice: u64::from(dispatch.slices > 2),
            first_queue: dispatch.slice_queue.unwrap_or(NO_QUEUE),
            of_slices: std::array::from_fn(|queue| match dispatch.slice_queue {
                Some(first) if usize::from(first) == queue => SLICES_MAX as u8 - 1,
                _ => 0,
            }),
        }
    }

    /// A pair stays bound, since it takes all pipes that it is given.
    fn unlimit(&mut self) {
        self.pipes = [u32::MAX; SLICES_MAX];
    }

    #[inline(always)]
    fn offer<K: Known>(&mut self, op: &Op, earliest: u64, taken: bool, held: &[u16; LANES]) -> (u64, bool) {
        if mostly(earliest <= self.now.number) {
            if let Some((state, bound)) = self.add::<K>(self.now.number, self.now.state, op, taken, held) {
                self.next = Cycle { state, ..self.now };
                self.bound = bound;
                return (self.now.number, false);
            }
        }
        let cycle = earliest.max(self.now.number + 1);
        self.open::<K>(op, cycle, taken, held);
        (cycle, true)
    }

    #[inline(always)]
    fn admit<K: Known>(&mut self, op: &Op, cycle: u64, taken: bool, calendar: &mut Calendar) -> u64 {
        if rarely(cycle != self.next.number) {
            self.open::<K>(op, cycle, taken, calendar.held());
        }
        if op.queue == NO_QUEUE {
            return cycle;
        }
        // Which slices an instruction goes to, even later, follows from how many wait in each when it is offered.
        if rarely(calendar.is_before(cycle)) {
            let held = *calendar.held();
            calendar.pass(cycle);
            if self.has_room(op.queue, calendar) {
                return cycle;
            }
            return self.admit_later::<K>(op, cycle, taken, held, calendar);
        }
        if mostly(self.has_room(op.queue, calendar)) {
            return cycle;
        }
        self.admit_later::<K>(op, cycle, taken, *calendar.held(), calendar)
    }

    #[inline(always)]
    fn hold(&self, queue: u8, calendar: &mut Calendar, release: u64) {
        calendar.hold(self.queue(queue, 0), release);
        if rarely(self.bound.operations > 1) {
            for number in 1..self.entries(queue) {
                calendar.hold(self.queue(queue, number), release);
            }
        }
    }

    #[inline(always)]
    fn settle<K: Known>(&mut self, _op: &Op, cycle: u64, _opens: bool, _taken: bool) {
        debug_assert_eq!(cycle, self.next.number);
        self.now = Cycle { number: cycle, ..self.next };
    }

    #[inline(always)]
    fn pipes_of(&self, mask: u32, part: usize, pair: bool) -> u32 {
        let slice = self.bound.slice(part);
        mask & if pair { self.pair_pipes[slice] } else { self.pipes[slice] }
    }
}

impl Slices {
    /// A cycle in which nothing but `op` was dispatched. Whatever `op` is, it fits.
    #[inline(always)]
    fn open<K: Known>(&mut self, op: &Op, number: u64, taken: bool, held: &[u16; LANES]) {
        let empty = self.tuple_places << PLACES.0;
        let full = (empty | self.width << USED.0, Bound::NOWHERE.with(0));
        let (state, bound) = self.add::<K>(number, empty, op, taken, held).unwrap_or(full);
        self.next = Cycle { number, state };
        self.bound = bound;
    }

    /// The first cycle after `cycle`, at which the calendar stands, in which the queues have room.
    #[inline(never)]
    fn admit_later<K: Known>(
        &mut self,
        op: &Op,
        mut cycle: u64,
        taken: bool,
        held: [u16; LANES],
        calendar: &mut Calendar,
    ) -> u64 {
        loop {
            cycle += 1;
            calendar.tick();
            self.open::<K>(op, cycle, taken, &held);
            if self.has_room(op.queue, calendar) {
                return cycle;
            }
        }
    }

    /// Whether the queues of all operations of the newest instruction have room.
    #[inline(always)]
    fn has_room(&self, queue: u8, calendar: &Calendar) -> bool {
        if calendar.is_full(self.queue(queue, 0)) {
            return false;
        }
        if rarely(self.bound.operations > 1) {
            for number in 1..self.entries(queue) {
                if calendar.is_full(self.queue(queue, number)) {
                    return false;
                }
            }
        }
        true
    }

    /// How many entries of `queue`, that of its unit, the newest instruction takes: one for each operation in the queues of
    /// slices, one in another's.
    #[inline(always)]
    fn entries(&self, queue: u8) -> usize {
        if self.first_queue == queue {
            usize::from(self.bound.operations)
        } else {
            1
        }
    }

    /// The queue in which its operation of that number waits.
    #[inline(always)]
    fn queue(&self, queue: u8, number: usize) -> usize {
        usize::from(queue)
            + (self.bound.slice(number) & usize::from(self.of_slices[usize::from(queue) % LANES]))
    }

    /// The state of the cycle `number` with `op`, if there is room for it, and where that goes.
    #[inline(always)]
    fn add<K: Known>(
        &self,
        number: u64,
        state: u64,
        op: &Op,
        taken: bool,
        held: &[u16; LANES],
    ) -> Option<(u64, Bound)> {
        let operations = u64::from(op.slots);
        if USED.of(state) > 0 {
            let too_many = USED.of(state) + operations > self.width
                || CLOSED.of(state) > 0
                || op.has::<K>(Flags::FIRST)
                || op.has::<K>(Flags::BRANCH) && BRANCHES.of(state) >= self.branches_max
                || taken && TAKEN.of(state) >= self.taken_max;
            if rarely(too_many) {
                return None;
            }
        }
        let mut state = state + (operations << USED.0 | u64::from(taken) << TAKEN.0);
        if op.has::<K>(Flags::LAST) {
            state = CLOSED.set(state, 1);
        }
        if op.has::<K>(Flags::BRANCH) {
            return Some((state + (1 << BRANCHES.0), Bound::NOWHERE));
        }
        if mostly(op.slots == 1 && !op.is(Flags::BOTH | Flags::EVEN)) {
            let (state, slice) = self.next_slice(number, state, op.is(Flags::RESTRICTED), held)?;
            return Some((state, Bound::NOWHERE.with(slice)));
        }
        self.add_operations(number, state, op, *held)
    }

    /// The same for an instruction that is several operations, or takes several places.
    #[inline(never)]
    fn add_operations(
        &self,
        number: u64,
        mut state: u64,
        op: &Op,
        mut held: [u16; LANES],
    ) -> Option<(u64, Bound)> {
        if op.is(Flags::EVEN) && FILLED.of(state) > 0 {
            state = self.next_tuple(state, self.tuple_places)?;
        }
        if op.is(Flags::EVEN) {
            held = [0; LANES];
        }
        let mut bound = Bound::NOWHERE;
        for _ in 0..op.slots {
            if op.is(Flags::BOTH) && FILLED.of(state) + 2 > PLACES.of(state) {
                state = self.next_tuple(state, self.tuple_places)?;
            }
            for _ in 0..1 + usize::from(op.is(Flags::BOTH)) {
                let slice;
                (state, slice) = self.next_slice(number, state, op.is(Flags::RESTRICTED), &held)?;
                held[(usize::from(self.first_queue) + slice) % LANES] += 1;
                bound = bound.with(slice);
            }
        }
        Some((state, bound))
    }

    /// With one tuple more, of so many places, if there is room for it.
    #[inline(always)]
    fn next_tuple(&self, state: u64, places: u64) -> Option<u64> {
        let state = PLACES.set(FILLED.set(state, 0), places) + (1 << TUPLE.0);
        (TUPLE.of(state) < self.tuples).then_some(state)
    }

    /// The slice that the next operation goes to, and the state with its place taken; `held` says how many wait in each queue.
    #[inline(always)]
    fn next_slice(
        &self,
        number: u64,
        mut state: u64,
        restricted: bool,
        held: &[u16; LANES],
    ) -> Option<(u64, usize)> {
        let places = self.places[usize::from(restricted)];
        if rarely(restricted) {
            state = PLACES.set(state, places);
        }
        if FILLED.of(state) >= PLACES.of(state) {
            state = self.next_tuple(state, places)?;
        }
        let superslice = number.wrapping_add(TUPLE.of(state)) & self.last_superslice;
        let even = superslice as usize * 2 % SLICES_MAX;
        let queue = usize::from(self.first_queue) + even;
        let fuller = self.first_queue != NO_QUEUE && held[queue % LANES] > held[(queue + 1) % LANES];
        let slice = even + usize::from(fuller != planted(Fault::OtherSlice));
        Some((state + (1 << FILLED.0), slice))
    }
}
