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

/// Words here have a byte for each place in an order of pipes: the lowest bit of each, and the highest.
const LOWEST: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = LOWEST << 7;

/// Numbers for pipes for which so many wait, in order: the lower, the fewer wait, and of equals for the last pipe.
#[inline(always)]
fn ranked(waiting: &[u16; BOUND_PIPES]) -> [u32; BOUND_PIPES] {
    const { assert!(BOUND_PIPES == 8) };
    let mut ranks = [0; BOUND_PIPES];
    for pipe in 0..BOUND_PIPES {
        ranks[pipe] = u32::from(waiting[pipe]) * BOUND_PIPES as u32 + (BOUND_PIPES - 1 - pipe) as u32;
    }
    // A sorting network for eight. Not by iterators here and below: what they call is not always compiled into the loop.
    let mut exchange = |one: usize, other: usize| {
        (ranks[one], ranks[other]) = (ranks[one].min(ranks[other]), ranks[one].max(ranks[other]));
    };
    for place in 0..2 {
        exchange(place, place + 2);
        exchange(place + 4, place + 6);
    }
    for place in 0..4 {
        exchange(place, place + 4);
    }
    for place in 0..4 {
        exchange(2 * place, 2 * place + 1);
    }
    exchange(2, 4);
    exchange(3, 5);
    exchange(1, 4);
    exchange(3, 6);
    for place in 0..3 {
        exchange(2 * place + 1, 2 * place + 2);
    }
    ranks
}

/// What the slots of a cycle rank their pipes by.
#[derive(Clone, Copy)]
struct Ranks {
    /// How many waited for each pipe when the newest cycle began, and when the one before it did.
    start: [u16; BOUND_PIPES],
    before: [u16; BOUND_PIPES],
    /// All pipes in the order of the latter, and whether one of them may have to be left out.
    order: u64,
    uneven: bool,
    /// The pipes that the operations in the slots of the newest cycle had to choose from, behind as many slots without any as are
    /// seen.
    chosen_from: [u8; SEEN_SLOTS + SLOTS],
    /// A pipe for which so many more wait than for the emptiest is not taken.
    apart: u16,
}

impl Ranks {
    /// Nothing waits for any pipe.
    fn new() -> Ranks {
        let counts = [0; BOUND_PIPES];
        let mut ranks = Ranks {
            start: counts,
            before: counts,
            order: 0,
            uneven: false,
            chosen_from: [0; SEEN_SLOTS + SLOTS],
            apart: u16::MAX,
        };
        ranks.begin(counts, counts);
        ranks
    }

    /// Begins a cycle before which pipes were waited for so.
    #[inline]
    fn begin(&mut self, before: [u16; BOUND_PIPES], start: [u16; BOUND_PIPES]) {
        (self.before, self.start) = (before, start);
        let ranks = ranked(&before);
        self.order = 0;
        for (place, rank) in ranks.into_iter().enumerate() {
            self.order |= 1 << (8 * place as u32 + BOUND_PIPES as u32 - 1 - rank % BOUND_PIPES as u32);
        }
        let apart = ranks[BOUND_PIPES - 1] / BOUND_PIPES as u32 - ranks[0] / BOUND_PIPES as u32;
        self.uneven = apart >= u32::from(self.apart);
        self.chosen_from = [0; SEEN_SLOTS + SLOTS];
    }

    /// Of the pipes in `mask`, the one that an operation in that slot is bound to.
    #[inline(always)]
    fn choose(&mut self, mask: u32, slot: usize) -> u32 {
        let slot = slot % SLOTS;
        // Of the few pipes that are kept here, the mask has no more bits.
        let choice = mask as u8;
        let mut rivals = 0;
        for seen in slot..slot + SEEN_SLOTS {
            rivals += usize::from(self.chosen_from[seen] == choice);
        }
        self.chosen_from[slot + SEEN_SLOTS] = choice;
        let unseen = if planted(Fault::SlotsForgotten) { 0 } else { slot.saturating_sub(SEEN_SLOTS) };
        let mut own = self.order & (u64::from(choice) * LOWEST);
        if rarely(self.uneven) {
            own = self.without_full(own);
        }
        // In each place, how many there are up to it. A pipe's bit carries only within its byte.
        let up_to = (((own + !HIGHEST) & HIGHEST) >> 7).wrapping_mul(LOWEST);
        // They begin anew behind the last. A division, since branches that subtract would not be predicted well.
        let behind = (unseen + rivals) as u32 % ((up_to >> 56) as u32).max(1);
        // The places up to which there are no more than those in front of its own.
        let passed = (u64::from(behind) * LOWEST | HIGHEST) - up_to & HIGHEST;
        (self.order >> ((passed ^ HIGHEST).trailing_zeros() & 56)) as u32 & 0xff
    }

    /// Of these pipes, given in order, those that are not too full beside the first.
    #[inline(always)]
    fn without_full(&self, own: u64) -> u64 {
        let waiting = |pipe: u32| self.before[pipe as usize % BOUND_PIPES];
        let most = waiting(own.trailing_zeros()).saturating_add(self.apart);
        let mut left = own;
        // The last are the fullest.
        while left != 0 && waiting(63 - left.leading_zeros()) >= most {
            left ^= 1 << (63 - left.leading_zeros());
        }
        left
    }
}

/// Operations that are bound to each pipe and wait for it, counted as on Intel's cores at rename (Abel and Reineke, uiCA, ICS
/// 2022).
pub(super) struct Waiting {
    now: u64,
    /// The number of the first pipe that anything is bound to; what is kept here begins with it.
    pub(super) first: u32,
    counts: [u16; BOUND_PIPES],
    ranks: Ranks,
    /// Whether of equals that pipe is bound which was not for longest; when each was bound last (`bound_at`), and the operations so
    /// far.
    in_turn: bool,
    bound: [u64; BOUND_PIPES],
    operations: u64,
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

/// A number for a pipe that was bound last by that operation: the lower, the earlier, and of equals for the last pipe.
fn bound_at(operation: u64, pipe: usize) -> u64 {
    operation * BOUND_PIPES as u64 + (BOUND_PIPES - 1 - pipe) as u64
}

impl Waiting {
    pub(super) fn new(binds: Binds, binding: u32) -> Waiting {
        let first = if binds == Binds::BySlot { binding.trailing_zeros() % 32 } else { 0 };
        Waiting {
            now: 0,
            first,
            counts: [0; BOUND_PIPES],
            ranks: Ranks::new(),
            in_turn: binds == Binds::InTurn,
            bound: std::array::from_fn(|pipe| bound_at(0, pipe)),
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
    #[inline(always)]
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
        self.admit_now(mask);
        now
    }

    /// The same in the newest cycle, in which there is room.
    #[inline(never)]
    fn admit_now(&mut self, mask: u32) {
        let unused = if planted(Fault::UsedAgain) { mask } else { mask & !self.used };
        let among = if unused == 0 { mask } else { unused };
        self.chosen =
            if self.is_in_turn() { self.choose_in_turn(among) } else { self.choose_by_slot(among, 0) };
        self.used |= self.chosen;
        self.address = None;
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
            self.bind(self.chosen, address);
        }
        self.chosen = 0;
    }

    /// Nothing is bound before `now` any more.
    #[inline(always)]
    pub(super) fn pass(&mut self, now: u64) {
        if rarely(now > self.now) {
            self.move_on(now);
        }
    }

    /// Goes to a cycle behind the newest.
    #[inline(never)]
    fn move_on(&mut self, now: u64) {
        // What the slots see is of the cycle before: the newest one, if nothing lies between.
        let mut before = self.ranks.start;
        self.leave_in(self.now);
        if rarely(now - 1 > self.now) {
            self.leave_between(self.now + 1, now - 1);
            before = self.counts;
            self.leave_in(now - 1);
        }
        let before = if planted(Fault::WaitingSeenAtOnce) { self.counts } else { before };
        self.now = now;
        self.used = 0;
        if !self.is_in_turn() {
            self.ranks.begin(before, self.counts);
        }
        if self.entries < u16::MAX {
            let entries = self.entries + u16::from(planted(Fault::BindingLonger));
            // All at once, without branches.
            let beyond =
                self.counts.iter().fold(0, |beyond, &count| beyond | count.saturating_sub(entries - 1));
            self.full = beyond != 0;
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

    /// Whether pipes are chosen in turn, not by slots.
    #[inline(always)]
    pub(super) fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// The pipe of `mask` that the newest instruction was bound to, when it was dispatched; else that which an operation is bound
    /// to in the newest cycle: `IN_TURN`, or in that slot.
    #[inline(always)]
    pub(super) fn choose<const IN_TURN: bool>(&mut self, mask: u32, slot: usize) -> u32 {
        match std::mem::take(&mut self.chosen) & mask {
            0 if IN_TURN => self.choose_in_turn(mask),
            0 => self.choose_by_slot(mask, slot),
            chosen => chosen,
        }
    }

    /// Of the pipes in `mask`, that of the slot's rank.
    #[inline(always)]
    fn choose_by_slot(&mut self, mask: u32, slot: usize) -> u32 {
        if mask & (mask - 1) == 0 {
            return mask;
        }
        self.ranks.choose(mask, slot)
    }

    /// Of the pipes in `mask`, the one that the fewest wait for, of equals that which was bound longest ago.
    #[inline(always)]
    fn choose_in_turn(&mut self, mask: u32) -> u32 {
        // Not by iterators: where these are not compiled into one loop, a prediction for Zen 4 takes a third longer. Of all that
        // tells pipes apart one number is made, the pipe's own in its lowest bits.
        let (mut rest, mut least) = (mask, u64::MAX);
        while rest != 0 {
            let place = rest.trailing_zeros() as usize % BOUND_PIPES;
            least = least.min(u64::from(self.counts[place]) << 48 | self.bound[place]);
            rest &= rest - 1;
        }
        let chosen = BOUND_PIPES - 1 - least as usize % BOUND_PIPES;
        self.operations += 1;
        if !planted(Fault::BindingForgotten) {
            self.bound[chosen] = bound_at(self.operations, chosen);
        }
        1 << chosen
    }

    /// An operation bound to that pipe now is issued at `cycle`, no earlier.
    #[inline(always)]
    pub(super) fn bind(&mut self, pipe: u32, cycle: u64) {
        let number = pipe.trailing_zeros() as usize % BOUND_PIPES;
        let cycle = (cycle + self.held).min(self.now + HORIZON as u64 - 1);
        self.counts[number] = self.counts[number].wrapping_add(1);
        let leave = &mut self.leave[cycle as usize % HORIZON][number];
        *leave = leave.wrapping_add(1);
    }
}
