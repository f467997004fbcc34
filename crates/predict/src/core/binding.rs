// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which of its pipes an operation is bound to before it waits for one: the one that was bound longest ago (POWER7 and 8), or
//! the one that the fewest wait for (x86 cores).

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

/// Operations that are bound to each pipe and wait for it: the next goes to the pipe with the fewest, as on Intel's cores,
/// which count them at rename (Abel and Reineke, uiCA, ICS 2022).
pub(super) struct Waiting {
    now: u64,
    counts: [u16; BOUND_PIPES],
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
    pub(super) fn new(binds: Binds) -> Waiting {
        Waiting {
            now: 0,
            counts: [0; BOUND_PIPES],
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

    /// Binds the newest instruction, whose first bound operation can take the pipes in `mask`; the first cycle from `now` on that
    /// begins with room for every pipe.
    pub(super) fn admit(&mut self, mask: u32, mut now: u64) -> u64 {
        if mask == 0 {
            return now;
        }
        self.pass(now);
        while rarely(self.full) {
            now += 1;
            self.pass(now);
        }
        let unused = if planted(Fault::UsedAgain) { mask } else { mask & !self.used };
        self.chosen = self.best(if unused == 0 { mask } else { unused });
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
            self.bind(self.chosen, address);
        }
        self.chosen = 0;
    }

    #[inline]
    fn pass(&mut self, now: u64) {
        if rarely(now > self.now) {
            self.leave_in(self.now);
            if rarely(now - 1 > self.now) {
                self.leave_between(self.now + 1, now);
            }
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

    /// The pipe of `mask` that the newest instruction was bound to, when it was dispatched; else that which an operation is bound to
    /// at `now`. Nothing is bound before `now` any more.
    #[inline]
    pub(super) fn choose(&mut self, mask: u32, now: u64) -> u32 {
        match std::mem::take(&mut self.chosen) & mask {
            0 => {
                self.pass(now);
                self.best(mask)
            }
            chosen => chosen,
        }
    }

    /// Of the pipes in `mask`, the one that the fewest wait for; of equals the last, or that which was bound longest ago.
    #[inline]
    fn best(&mut self, mask: u32) -> u32 {
        if self.bound.is_some() {
            return self.choose_in_turn(mask);
        }
        let (mut rest, mut chosen, mut fewest) = (mask, 0, u16::MAX);
        while rest != 0 {
            let pipe = 31 - rest.leading_zeros();
            let count = self.counts[pipe as usize % BOUND_PIPES];
            if count < fewest || chosen == 0 || count == fewest && planted(Fault::FirstOfEquals) {
                (chosen, fewest) = (1 << pipe, count);
            }
            rest &= !(1 << pipe);
        }
        chosen
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
        let number = pipe.trailing_zeros() as usize % BOUND_PIPES;
        let cycle = (cycle + self.held).clamp(self.now, self.now + HORIZON as u64 - 1);
        self.counts[number] = self.counts[number].wrapping_add(1);
        let leave = &mut self.leave[cycle as usize % HORIZON][number];
        *leave = leave.wrapping_add(1);
    }
}
