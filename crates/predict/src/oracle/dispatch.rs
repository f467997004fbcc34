// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's dispatch rules, one type a shape of core, each a plain record of what went before.

use crate::description::*;
use crate::flags::Flags;
use crate::op::*;

/// A dispatch group of POWER7 and POWER8: what is in it.
pub(super) struct Group {
    width: u32,
    branches_max: u32,
    three_source_max: u32,
    pub(super) cycle: u64,
    members: Vec<(Member, u32)>,
    closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Member {
    branch: bool,
    first: bool,
    ends: bool,
    even: bool,
    three: bool,
}

impl Member {
    fn of(op: &Op) -> Member {
        Member {
            branch: op.is(Flags::BRANCH) && !op.is(Flags::ALONE),
            first: op.is(Flags::FIRST | Flags::ALONE),
            ends: op.is(Flags::LAST | Flags::ALONE | Flags::ENDS),
            even: op.is(Flags::EVEN),
            three: op.is(Flags::THREE_SOURCES),
        }
    }
}

impl Group {
    pub(super) fn new(dispatch: &Dispatch) -> Group {
        Group {
            width: dispatch.width,
            branches_max: dispatch.branches.unwrap_or(1),
            three_source_max: dispatch.three_source.unwrap_or(u32::MAX),
            cycle: 0,
            members: Vec::new(),
            closed: true,
        }
    }

    /// Slots taken, by putting the members into an empty group one after the other.
    fn used(&self) -> u32 {
        self.members.iter().filter(|(member, _)| !member.branch).fold(0, |used, (member, slots)| {
            let from = if member.even && used > 0 { self.width / 2 } else { used };
            from + slots
        })
    }

    fn count(&self, counted: impl Fn(&Member) -> bool) -> u32 {
        self.members.iter().filter(|(member, _)| counted(member)).count() as u32
    }

    pub(super) fn takes(&self, op: &Op) -> bool {
        let (member, slots) = (Member::of(op), u32::from(op.slots));
        let (used, branches) = (self.used(), self.count(|member| member.branch));
        if self.closed || member.first && (used + branches > 0) {
            return false;
        }
        if member.branch {
            // An instruction that has to be first begins a group that others may join; whether it begins one is the question here.
            return !op.is(Flags::FIRST) && branches < self.branches_max;
        }
        if member.three && self.count(|member| member.three) >= self.three_source_max {
            return false;
        }
        if member.even && used > 0 {
            let after_pair = self.members.last().is_some_and(|(last, _)| last.even);
            return after_pair && used <= self.width / 2 && self.width / 2 + slots <= self.width;
        }
        used + slots <= self.width
    }

    pub(super) fn add(&mut self, op: &Op, cycle: u64, opens: bool) {
        if opens {
            self.members.clear();
        }
        self.closed = false;
        self.cycle = self.cycle.max(cycle);
        let member = Member::of(op);
        self.members.push((member, u32::from(op.slots)));
        let branches_full = member.branch && self.count(|member| member.branch) == self.branches_max;
        self.closed = member.ends || branches_full;
    }
}

/// Slots of a core that renames a fixed number a cycle; slots that do not fit into one cycle are taken in the next.
pub(super) struct Slots {
    width: u32,
    branches_max: u32,
    taken_max: u32,
    /// The cycle of the newest instruction, slots used in it, and slots of the instruction that go to later cycles.
    cycle: u64,
    used: u32,
    branches: u32,
    taken: u32,
    /// Sets of pipes, and the slot that the newest instruction began with.
    lanes: Vec<u32>,
    pub(super) slot: u32,
    /// What a cycle accepts, and the limits that the instructions of this one count for.
    accepts: Vec<Accept>,
    accepted: Vec<u8>,
}

impl Slots {
    pub(super) fn new(dispatch: &Dispatch) -> Slots {
        Slots {
            width: dispatch.width,
            branches_max: dispatch.branches.unwrap_or(u32::MAX),
            taken_max: dispatch.taken.unwrap_or(u32::MAX),
            cycle: 0,
            used: 0,
            branches: 0,
            taken: 0,
            lanes: dispatch.lanes.clone(),
            slot: 0,
            accepts: dispatch.accepts.clone(),
            accepted: Vec::new(),
        }
    }

    /// The pipes that a part of the newest instruction may take, of those that it could.
    pub(super) fn pipes(&self, mask: u32, part: usize) -> u32 {
        let of_all = mask != 0 && self.lanes.iter().fold(0, |all, lane| all | lane) == mask;
        let turn = self.slot as usize + part;
        if of_all {
            self.lanes[turn % self.lanes.len()]
        } else {
            mask
        }
    }

    pub(super) fn first(&self, op: &Op, taken: bool, earliest: u64) -> u64 {
        let mut used = self.used;
        for cycle in self.cycle.. {
            let limited = cycle == self.cycle
                && (op.is(Flags::BRANCH) && self.branches >= self.branches_max
                    || taken && self.taken >= self.taken_max
                    || self.accepts_no_more(op.steer));
            let fits = used < self.width || op.slots == 0 && cycle == self.cycle;
            if cycle >= earliest && fits && !limited {
                return cycle;
            }
            used = used.saturating_sub(self.width);
        }
        unreachable!()
    }

    /// Whether the cycle has as many instructions as it accepts of one of those limits.
    fn accepts_no_more(&self, limits: u8) -> bool {
        self.accepts.iter().enumerate().any(|(bit, accept)| {
            let has = |limits: u8| limits & 1 << bit != 0;
            has(limits)
                && self.accepted.iter().filter(|&&one| has(one)).count() >= usize::from(accept.operations)
        })
    }

    pub(super) fn add(&mut self, op: &Op, taken: bool, cycle: u64) {
        while self.cycle < cycle {
            self.cycle += 1;
            self.used = self.used.saturating_sub(self.width);
            (self.branches, self.taken) = (0, 0);
            self.accepted.clear();
        }
        self.accepted.push(op.steer);
        self.slot = self.used.saturating_sub(u32::from(op.slots == 0));
        self.used += u32::from(op.slots);
        self.branches += u32::from(op.is(Flags::BRANCH));
        self.taken += u32::from(taken);
    }
}

/// What went to the slices in a cycle.
#[derive(Clone, Default)]
pub(super) struct Tuples {
    pub(super) cycle: u64,
    used: u32,
    branches: u32,
    taken: u32,
    closed: bool,
    tuple: u32,
    filled: u32,
    places: u32,
    /// Slices of the operations of the newest instruction.
    pub(super) slices: Vec<usize>,
}

pub(super) struct Slices {
    dispatch: Dispatch,
    pub(super) now: Tuples,
    pipes: Vec<u32>,
    pair_pipes: Vec<u32>,
}

impl Slices {
    pub(super) fn new(description: &Description) -> Slices {
        let (pipes, pair_pipes) = description.pipes_of_slices();
        Slices { dispatch: description.dispatch.clone(), now: Tuples::default(), pipes, pair_pipes }
    }

    pub(super) fn slices(&self) -> usize {
        self.dispatch.slices as usize
    }

    /// The slice of the operation of that number of the newest instruction; the last one's for those beyond.
    fn slice(&self, number: usize) -> usize {
        let slices = &self.now.slices;
        slices.get(number).or(slices.last()).copied().unwrap_or(0)
    }

    pub(super) fn pipes(&self, mask: u32, number: usize, pair: bool) -> u32 {
        let slice = self.slice(number);
        mask & if pair { self.pair_pipes[slice / 2] } else { self.pipes[slice] }
    }

    /// The cycle, of those already begun, with the instruction in it; `held` operations wait in each slice's queue.
    pub(super) fn joined(&self, op: &Op, taken: bool, held: &[usize]) -> Option<Tuples> {
        self.with(self.now.clone(), op, taken, held)
    }

    /// A cycle that begins with the instruction.
    pub(super) fn begun(&self, cycle: u64, op: &Op, taken: bool, held: &[usize]) -> Tuples {
        let empty = Tuples { cycle, places: self.dispatch.tuple, ..Tuples::default() };
        let full = Tuples { used: self.dispatch.width, slices: vec![0], ..empty.clone() };
        self.with(empty, op, taken, held).unwrap_or(full)
    }

    fn with(&self, mut at: Tuples, op: &Op, taken: bool, held: &[usize]) -> Option<Tuples> {
        let limits = &self.dispatch;
        let slots = u32::from(op.slots);
        let full = at.used + slots > limits.width
            || at.closed
            || op.is(Flags::FIRST)
            || op.is(Flags::BRANCH) && at.branches >= limits.branches.unwrap_or(u32::MAX)
            || taken && at.taken >= limits.taken.unwrap_or(u32::MAX);
        if at.used > 0 && full {
            return None;
        }
        at.used += slots;
        at.taken += u32::from(taken);
        at.closed |= op.is(Flags::LAST);
        at.slices.clear();
        if op.is(Flags::BRANCH) {
            at.branches += 1;
            return Some(at);
        }
        // A pair begins a tuple, in its even slice.
        let mut held = if op.is(Flags::EVEN) { vec![0; 4] } else { held.to_vec() };
        if op.is(Flags::EVEN) && at.filled > 0 {
            self.turn(&mut at)?;
        }
        for _ in 0..slots {
            let places = if op.is(Flags::BOTH) { 2 } else { 1 };
            if at.filled + places > at.places {
                self.turn(&mut at)?;
            }
            for _ in 0..places {
                self.operation(&mut at, op.is(Flags::RESTRICTED), &mut held)?;
            }
        }
        Some(at)
    }

    fn turn(&self, at: &mut Tuples) -> Option<()> {
        at.tuple += 1;
        (at.filled, at.places) = (0, self.dispatch.tuple);
        (at.tuple < self.dispatch.width / self.dispatch.tuple).then_some(())
    }

    fn operation(&self, at: &mut Tuples, restricted: bool, held: &mut [usize]) -> Option<()> {
        let allowed = if restricted { self.dispatch.tuple.min(2) } else { self.dispatch.tuple };
        if at.filled >= at.places.min(allowed) {
            self.turn(at)?;
        }
        if restricted {
            at.places = allowed;
        }
        let superslices = self.dispatch.slices.div_ceil(2) as u64;
        let even = ((at.cycle + u64::from(at.tuple)) % superslices) as usize * 2;
        let slice = even + usize::from(held[even] > held[even + 1]);
        held[slice] += 1;
        if at.slices.len() < 4 {
            at.slices.push(slice);
        }
        at.filled += 1;
        Some(())
    }
}
