// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which of its pipes an operation is bound to before it waits for one: the one that was bound longest ago (POWER7 and 8), the
//! one that the fewest wait for (AMD's cores), or one by its slot (Intel's).
//!
//! Intel's cores bind all slots of a cycle at once. Each slot ranks the pipes that its operation can take by how many waited for
//! them when the cycle before began, the emptiest first, and takes the one whose rank is the number of operations in front of it
//! in its cycle that had the same pipes to choose from, so that these do not all go to one pipe. Of that number only the two
//! slots in front are looked at; all before them are taken to have the same pipes, whatever they hold. So the fourth slot takes
//! the second best pipe even if it has no rival, the sixth the fourth best.

use super::hint::rarely;
use super::planted::{planted, Fault};
use crate::description::{Binds, BOUND_PIPES};

/// Cycles remembered; a reservation farther ahead than this meets no competition.
/// A power of two, small enough that the table stays in a first-level cache.
pub(super) const HORIZON: usize = 2048;

/// When something was last bound to each pipe, counted in operations: simple fixed-point work that several pipes of a half
/// can do goes to the one to which nothing has been bound for longest.
#[derive(Clone, Copy, Default)]
pub(super) struct Turns {
    now: u32,
    last: [u32; 32],
}

impl Turns {
    /// Of the pipes in `mask`, the one to which nothing has been bound for longest.
    #[inline(always)]
    pub(super) fn choose(&mut self, mask: u32) -> u32 {
        self.now = self.now.wrapping_add(1);
        let (mut rest, mut oldest, mut age) = (mask, mask, 0);
        while rarely(rest != 0 && !mask.is_power_of_two()) {
            let pipe = rest.trailing_zeros() as usize;
            let since = self.now.wrapping_sub(self.last[pipe % 32]);
            if since > age {
                (oldest, age) = (1 << pipe, since);
            }
            rest &= rest - 1;
        }
        if oldest != 0 && !planted(Fault::PipeTurnForgotten) {
            self.last[oldest.trailing_zeros() as usize % 32] = self.now;
        }
        oldest
    }
}

/// Slots in front of an operation in its cycle that are looked at for others with the same pipes.
const SEEN_SLOTS: usize = 2;

/// Slots of a cycle that are told apart: as many as a cpu file may give it.
const SLOTS: usize = 32;

/// Bits of a rank that tell the pipe; those above tell how many wait for it.
const PIPE_BITS: u32 = 5;

/// A number that is lower for a pipe that fewer wait for, and of equals for the last one.
#[inline(always)]
fn rank_of(waiting: u16, pipe: u32) -> u32 {
    u32::from(waiting) << PIPE_BITS | (31 - pipe % 32)
}

/// The pipe that has this rank.
#[inline(always)]
fn pipe_of(rank: u32) -> u32 {
    31 - rank % 32
}

/// What the slots of a cycle rank their pipes by.
#[derive(Clone, Copy)]
struct Ranks {
    /// How many waited for each pipe when the newest cycle began, and when the one before it did.
    start: [u16; BOUND_PIPES],
    before: [u16; BOUND_PIPES],
    /// All pipes by that, the emptiest first, of equals the last; whether they are in order yet, which they are and how many.
    ranked: [u32; BOUND_PIPES],
    in_order: bool,
    all: u32,
    pipes: usize,
    /// The pipes that the operations in the slots of the newest cycle had to choose from.
    chosen_from: [u8; SLOTS],
    /// A pipe for which so many more wait than for the emptiest is not taken.
    apart: u16,
}

impl Ranks {
    /// Nothing waits for any of these pipes.
    fn new(binding: u32) -> Ranks {
        let mut ranked = [0; BOUND_PIPES];
        let pipes = (0..BOUND_PIPES as u32).rev().filter(|pipe| binding >> pipe & 1 != 0);
        for (place, pipe) in ranked.iter_mut().zip(pipes) {
            *place = rank_of(0, pipe);
        }
        let counts = [0; BOUND_PIPES];
        Ranks {
            start: counts,
            before: counts,
            ranked,
            in_order: false,
            all: binding,
            pipes: binding.count_ones() as usize,
            chosen_from: [0; SLOTS],
            apart: u16::MAX,
        }
    }

    /// Begins a cycle before which pipes were waited for so.
    fn begin(&mut self, before: [u16; BOUND_PIPES], start: [u16; BOUND_PIPES]) {
        (self.before, self.start) = (before, start);
        self.in_order = false;
        self.chosen_from = [0; SLOTS];
    }

    fn order(&mut self) {
        self.in_order = true;
        // Pipes were in nearly the same order in the cycle before.
        for at in 0..self.pipes.min(BOUND_PIPES) {
            let pipe = pipe_of(self.ranked[at]);
            let rank = rank_of(self.before[pipe as usize % BOUND_PIPES], pipe);
            let mut place = at;
            while place > 0 && self.ranked[place - 1] > rank {
                self.ranked[place] = self.ranked[place - 1];
                place -= 1;
            }
            self.ranked[place] = rank;
        }
    }

    /// Of the pipes in `mask`, the one that an operation in that slot is bound to.
    #[inline]
    fn choose(&mut self, mask: u32, slot: usize) -> u32 {
        if rarely(!self.in_order) {
            self.order();
        }
        let slot = slot % SLOTS;
        // Of the few pipes that are kept here, the mask has no more bits.
        let choice = mask as u8;
        let rivals =
            (1..=SEEN_SLOTS.min(slot)).filter(|back| self.chosen_from[slot - back] == choice).count();
        self.chosen_from[slot] = choice;
        let unseen = if planted(Fault::SlotsForgotten) { 0 } else { slot.saturating_sub(SEEN_SLOTS) };
        let behind = unseen + rivals;
        if mask == self.all {
            return self.pick(&self.ranked, self.pipes, behind);
        }
        let mut own = [0; BOUND_PIPES];
        let mut pipes = 0;
        for &rank in &self.ranked[..self.pipes.min(BOUND_PIPES)] {
            own[pipes % BOUND_PIPES] = rank;
            pipes += (mask >> pipe_of(rank) & 1) as usize;
        }
        self.pick(&own, pipes, behind)
    }

    /// Of the first so many of these ranks, the pipe so far behind the first; they begin anew where a pipe is left out.
    #[inline]
    fn pick(&self, ranks: &[u32; BOUND_PIPES], mut pipes: usize, behind: usize) -> u32 {
        let most = (ranks[0] >> PIPE_BITS) + u32::from(self.apart);
        while rarely(ranks[(pipes - 1) % BOUND_PIPES] >> PIPE_BITS >= most) {
            pipes -= 1;
        }
        // A division, since branches that subtract would not be predicted well.
        1 << pipe_of(ranks[(behind as u32 % pipes.max(1) as u32) as usize % BOUND_PIPES])
    }
}

/// Operations that are bound to each pipe and wait for it, counted as on Intel's cores at rename (Abel and Reineke, uiCA, ICS
/// 2022).
pub(super) struct Waiting {
    now: u64,
    /// The number of the first pipe that anything is bound to; what is kept here begins with it.
    first: u32,
    counts: [u16; BOUND_PIPES],
    ranks: Ranks,
    /// When each pipe was bound last, counted in operations, where of equals that is bound which was not for longest.
    bound: Option<[u32; BOUND_PIPES]>,
    operations: u32,
    /// Operations that wait for one pipe when a cycle begins in which no more are bound, and for how long they count after their
    /// issue.
    entries: u16,
    held: u64,
    /// Where entries are limited: whether so many waited when the cycle `now` began, pipes that something was bound to in it, and the
    /// one that the newest instruction was bound to, until it takes it.
    full: bool,
    used: u32,
    chosen: u32,
    /// When the newest instruction's first operation issued that is bound to no pipe: its address.
    address: Option<u64>,
    /// Of each cycle, those that are issued in it.
    leave: [[u16; BOUND_PIPES]; HORIZON],
}

impl Waiting {
    pub(super) fn new(binds: Binds, binding: u32) -> Waiting {
        let first = if binds == Binds::BySlot { binding.trailing_zeros() % 32 } else { 0 };
        Waiting {
            now: 0,
            first,
            counts: [0; BOUND_PIPES],
            ranks: Ranks::new(binding >> first),
            bound: (binds == Binds::InTurn).then_some([0; BOUND_PIPES]),
            operations: 0,
            entries: u16::MAX,
            held: 0,
            full: false,
            used: 0,
            chosen: 0,
            address: None,
            leave: [[0; BOUND_PIPES]; HORIZON],
        }
    }

    /// From now on nothing is bound in a cycle that begins with so many waiting for a pipe; they count until that many cycles after
    /// their issue.
    pub(super) fn limit(&mut self, entries: u16, held: u64) {
        (self.entries, self.held) = (entries, held);
    }

    /// From now on no pipe is taken for which so many more wait than for the emptiest.
    pub(super) fn keep_apart(&mut self, apart: u16) {
        self.ranks.apart = apart;
    }

    /// Binds the newest instruction, whose first bound operation can take the pipes in `mask`; the first cycle from `now` on that
    /// begins with room for every pipe.
    pub(super) fn admit(&mut self, mask: u32, mut now: u64) -> u64 {
        let mask = mask >> self.first;
        if mask == 0 {
            return now;
        }
        self.pass(now);
        while rarely(self.full) {
            now += 1;
            self.pass(now);
        }
        let unused = if planted(Fault::UsedAgain) { mask } else { mask & !self.used };
        self.chosen = self.best(if unused == 0 { mask } else { unused }, 0);
        self.used |= self.chosen;
        self.address = None;
        now
    }

    /// An operation of the newest instruction that is bound to no pipe issues at `cycle`.
    #[inline]
    pub(super) fn issued(&mut self, cycle: u64) {
        if rarely(self.chosen != 0) {
            self.address.get_or_insert(cycle);
        }
    }

    /// The newest instruction has issued. If no operation of it took the pipe that it was bound to, its address waits in the place of
    /// one.
    pub(super) fn settle(&mut self) {
        if let (Some(address), true) = (self.address, self.chosen != 0 && !planted(Fault::AddressUnbound)) {
            self.bind(self.chosen << self.first, address);
        }
        self.chosen = 0;
    }

    #[inline]
    fn pass(&mut self, now: u64) {
        if rarely(now > self.now) {
            // What the slots see is of the cycle before: the newest one, if nothing lies between.
            let mut before = self.ranks.start;
            self.leave_in(self.now);
            if rarely(now - 1 > self.now) {
                self.leave_between(self.now + 1, now - 1);
                before = self.counts;
                self.leave_in(now - 1);
            }
            let before = if planted(Fault::WaitingSeenAtOnce) { self.counts } else { before };
            self.ranks.begin(before, self.counts);
            self.begin(now);
        }
    }

    /// Operations issued in that cycle wait no more.
    #[inline(always)]
    fn leave_in(&mut self, cycle: u64) {
        let cycle = cycle.saturating_sub(u64::from(planted(Fault::WaitsLonger)));
        let left = std::mem::replace(&mut self.leave[cycle as usize % HORIZON], [0; BOUND_PIPES]);
        for (count, left) in self.counts.iter_mut().zip(left) {
            *count = count.wrapping_sub(left);
        }
    }

    /// The same of several cycles, the last of them left out.
    #[inline(never)]
    fn leave_between(&mut self, from: u64, to: u64) {
        for cycle in from.max(to.saturating_sub(HORIZON as u64))..to {
            self.leave_in(cycle);
        }
    }

    /// Binds from that cycle on.
    #[inline(always)]
    fn begin(&mut self, now: u64) {
        self.now = now;
        self.used = 0;
        let entries = self.entries.saturating_add(u16::from(planted(Fault::BindingLonger)));
        // All at once, without branches.
        let beyond = self.counts.iter().fold(0, |beyond, &count| beyond | count.saturating_sub(entries - 1));
        self.full = beyond != 0;
    }

    /// The pipe of `mask` that the newest instruction was bound to, when it was dispatched; else that which an operation in that
    /// slot is bound to at `now`. Nothing is bound before `now` any more.
    #[inline]
    pub(super) fn choose(&mut self, mask: u32, now: u64, slot: usize) -> u32 {
        let mask = mask >> self.first;
        let pipe = match std::mem::take(&mut self.chosen) & mask {
            0 => {
                self.pass(now);
                self.best(mask, slot)
            }
            chosen => chosen,
        };
        pipe << self.first
    }

    /// Of the pipes in `mask`, the one that the fewest wait for, of equals that which was bound longest ago; or that of the slot's
    /// rank.
    #[inline]
    fn best(&mut self, mask: u32, slot: usize) -> u32 {
        if self.bound.is_some() {
            return self.choose_in_turn(mask);
        }
        if mask.is_power_of_two() {
            return mask;
        }
        self.ranks.choose(mask, slot)
    }

    fn choose_in_turn(&mut self, mask: u32) -> u32 {
        let Some(bound) = &mut self.bound else { return 0 };
        // Not by iterators: where these are not compiled into one loop, a prediction for Zen 4 takes a third longer.
        let (mut rest, mut chosen, mut least) = (mask, None, u64::MAX);
        while rest != 0 {
            let pipe = 31 - rest.leading_zeros();
            let place = pipe as usize % BOUND_PIPES;
            let key = u64::from(self.counts[place]) << 32 | u64::from(bound[place]);
            if key < least {
                (chosen, least) = (Some(place), key);
            }
            rest &= !(1 << pipe);
        }
        let Some(chosen) = chosen else { return 0 };
        self.operations += 1;
        if !planted(Fault::BindingForgotten) {
            bound[chosen] = self.operations;
        }
        1 << chosen
    }

    /// An operation bound to that pipe now is issued at `cycle`.
    #[inline]
    pub(super) fn bind(&mut self, pipe: u32, cycle: u64) {
        let number = (pipe >> self.first).trailing_zeros() as usize % BOUND_PIPES;
        let cycle = (cycle + self.held).clamp(self.now, self.now + HORIZON as u64 - 1);
        self.counts[number] = self.counts[number].wrapping_add(1);
        let leave = &mut self.leave[cycle as usize % HORIZON][number];
        *leave = leave.wrapping_add(1);
    }
}
