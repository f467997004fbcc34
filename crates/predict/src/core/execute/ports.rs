// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where the newest instruction's operations issue: to the pipes of its half or slice, with the result ports that they need.

use super::Rules;
use crate::core::halves::{Halves, Side, ELSEWHERE};
use crate::core::hint::mostly;
use crate::core::planted::{planted, Fault};
use crate::core::units::Pipes;
use crate::description::{Description, Part};
use crate::flags::*;
use crate::op::Op;
use crate::relax::Relax;
use std::marker::PhantomData;

/// The pipes of an out-of-order core, as the newest instruction may take them.
pub(super) struct Ports<R> {
    pipes: Pipes,
    halves: Halves,
    /// Pipes of which any that is free is taken, if an operation may have one of them.
    any: u32,
    /// The half of the newest instruction.
    side: Side,
    /// Pipes that results take, and on a core with halves those that they come from.
    results: u32,
    results_from: u32,
    /// Loads of general registers take those, too, in slices.
    load_results: bool,
    /// Whether an operation whose result needs a port is bound to its pipe before it issues.
    binds: bool,
    rules: PhantomData<R>,
}

impl<R: Rules> Ports<R> {
    pub(super) fn new(description: &Description, relax: Relax) -> Ports<R> {
        let d = &description.dispatch;
        let mut pipes = Pipes::new(d.binds, d.one_result, &description.units, description.halves);
        if let Some(rules) = d.steering {
            pipes.steer(rules);
        }
        if !relax.window {
            pipes.limit_binding(d.binding_entries, d.binding_held);
        }
        pipes.keep_apart(d.binding_apart);
        if relax.dispatch {
            pipes.choose_ports();
        }
        let by_slot = d.lanes.iter().fold(0, |all, lane| all | lane);
        Ports {
            any: pipes.unbound & !by_slot,
            pipes,
            halves: Halves::new(description),
            side: Side::WHOLE,
            results: d.results & !relax.pipes,
            results_from: if d.results & !relax.pipes == 0 { 0 } else { d.results_from },
            load_results: d.load_results,
            binds: !relax.dispatch,
            rules: PhantomData,
        }
    }

    /// A new instruction: sends it to a half.
    #[inline]
    pub(super) fn steer(&mut self, op: &Op) {
        self.side = self.halves.steer(op);
    }

    /// Binds the newest instruction to one of these pipes; when it can be dispatched, from `now` on.
    #[inline]
    pub(super) fn admit(&mut self, mask: u8, now: u64) -> u64 {
        self.pipes.admit(u32::from(mask), now)
    }

    /// The newest instruction, which was admitted, has issued.
    #[inline]
    pub(super) fn settle(&mut self) {
        self.pipes.settle();
    }

    /// Cycles of each pipe that are reserved from `cycle` on.
    pub(super) fn reserved_from(&self, cycle: u64) -> [u16; 32] {
        self.pipes.reserved_from(cycle)
    }

    /// The newest instruction is dispatched at `now`; nothing is issued before.
    #[inline]
    pub(super) fn pass(&mut self, now: u64) {
        self.pipes.pass(now);
    }

    /// Its first operation is in that slot.
    #[inline]
    pub(super) fn at_slot(&mut self, slot: u32) {
        if !R::GROUPED && !R::SLICED {
            self.pipes.at_slot(slot);
        }
    }

    /// The pipes taken since the last call.
    #[inline]
    pub(super) fn taken(&mut self) -> u32 {
        std::mem::take(&mut self.pipes.held)
    }

    /// Of those pipes, the ones in the newest instruction's half; if none are, all.
    #[inline]
    fn usable(&self, mask: u32) -> u32 {
        match mask & self.side.pipes {
            0 => mask,
            pipes => pipes,
        }
    }

    /// Whether an operation takes any of these pipes that is free: it goes to no half and no slice, by no slot, and is bound to none.
    #[inline(always)]
    fn takes_any(&self, mask: u32) -> bool {
        !R::HALVES && !R::SLICED && mask & self.any != 0
    }

    /// Takes one of the pipes for a cycle, from `earliest` on; when.
    #[inline(always)]
    fn take(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        if R::HALVES {
            let mask = self.usable(mask);
            self.pipes.reserve_in_half(mask, prefer, earliest)
        } else {
            self.pipes.reserve_one(mask, prefer, earliest)
        }
    }

    /// The same on a core with halves for one that computes, with the port that its result needs.
    #[inline(always)]
    fn take_with_result(&mut self, op: &Op, earliest: u64) -> u64 {
        let pipes = self.usable(op.mask);
        let pipes = if self.binds { self.pipes.bind(pipes) } else { pipes };
        // Where it is not known yet which pipe that will be, the port is counted if each of them needs it.
        let results = if pipes & !self.results_from == 0 { self.results & self.side.pipes } else { 0 };
        self.pipes.reserve_both(pipes, false, results, op, earliest)
    }

    /// The same for a part of an instruction, as long as it occupies its pipe.
    #[inline]
    fn take_part(&mut self, part: &Part, earliest: u64) -> u64 {
        match R::HALVES {
            true if part.busy <= 1 => self.take(part.mask, part.prefer, earliest),
            true => self.pipes.reserve(&Part { mask: self.usable(part.mask), ..*part }, earliest),
            false => self.pipes.reserve(part, earliest),
        }
    }

    /// The marks of values that come late to the newest instruction.
    #[inline]
    pub(super) fn far(&self) -> u64 {
        if R::HALVES {
            self.side.far
        } else {
            0
        }
    }

    /// The mark of the newest instruction's result, by the pipe taken last: a result from a pipe that is not meant for simple
    /// work, a load or store pipe, comes late to both halves. Where pipes are unlimited none is taken, and none is in the way.
    #[inline]
    pub(super) fn mark(&self, prefer: u32) -> u64 {
        match R::HALVES {
            true if self.pipes.taken != 0 && self.pipes.taken & prefer == 0 => ELSEWHERE,
            _ => self.own(),
        }
    }

    /// The mark of the newest instruction's half.
    #[inline]
    pub(super) fn own(&self) -> u64 {
        if R::HALVES {
            self.side.near
        } else {
            0
        }
    }

    /// The half of a queue that the newest instruction waits in.
    #[inline]
    pub(super) fn lane(&self) -> u8 {
        if R::HALVES {
            self.side.lane
        } else {
            0
        }
    }

    /// Takes a pipe for a `SIMPLE` instruction whose sources are there at `ready`; when.
    #[inline(always)]
    pub(super) fn simple<K: Known>(&mut self, rules: &R, op: &Op, ready: u64) -> u64 {
        if mostly(self.takes_any(op.mask)) {
            return self.pipes.take_unbound(op.mask, op.prefer, ready);
        }
        if !R::SLICED && !R::HALVES && op.mask == 0 {
            return ready;
        }
        if R::SLICED && !op.has::<K>(Flags::BRANCH) {
            let pair = op.is(Flags::TAKES_PAIR);
            let mask = rules.pipes_of(op.mask, 0, pair);
            let loads_write =
                self.load_results && !op.is(Flags::MOVES_VECTOR) && !planted(Fault::LoadPortFree);
            // What takes no pipe is not computed in the slice.
            let computed = op.part_count > 0 || planted(Fault::PortWithoutPipe);
            let writes = computed && op.result_count > 0 && (loads_write || !op.has::<K>(Flags::LOAD));
            let results = if writes { rules.pipes_of(self.results, 0, pair) } else { 0 };
            self.pipes.reserve_both(mask, pair, results, op, ready)
        } else if R::HALVES
            && op.mask & self.results_from != 0
            && op.result_count > 0
            && !op.has::<K>(Flags::LOAD | Flags::BRANCH)
        {
            self.take_with_result(op, ready)
        } else if !R::GROUPED && !op.has::<K>(Flags::LOAD | Flags::BRANCH) {
            self.pipes.reserve_with_result((rules.pipes_of(op.mask, 0, false), op.prefer), op, ready)
        } else {
            // A branch of a sliced core may take any of its pipes.
            let mask = if R::SLICED { op.mask } else { rules.pipes_of(op.mask, 0, false) };
            self.take(mask, op.prefer, ready)
        }
    }

    /// Takes one of these pipes for one cycle, for a part of the newest instruction; when.
    #[inline(always)]
    pub(super) fn one(&mut self, rules: &R, mask: u32, prefer: u32, part: usize, earliest: u64) -> u64 {
        if mostly(self.takes_any(mask)) {
            return self.pipes.take_unbound(mask, prefer, earliest);
        }
        let mask = rules.pipes_of(mask, part, false);
        if R::SLICED {
            self.pipes.reserve_one(mask, prefer, earliest)
        } else {
            self.take(mask, prefer, earliest)
        }
    }

    /// Takes the pipes of a part, of that number, of the newest instruction; when.
    #[inline]
    pub(super) fn part(&mut self, rules: &R, part: &Part, number: usize, earliest: u64) -> u64 {
        let mask = rules.pipes_of(part.mask, number, part.pair);
        if !R::SLICED {
            return self.take_part(&Part { mask, ..*part }, earliest);
        }
        if part.pair {
            return self.pipes.reserve_all(mask, earliest);
        }
        if mostly(part.busy <= 1) {
            return self.pipes.reserve_one(mask, part.prefer, earliest);
        }
        self.pipes.reserve(&Part { mask, ..*part }, earliest)
    }

    /// Takes one of these pipes for a cycle, for the part, of that number, that computes with what a load brought;
    /// when.
    #[inline]
    pub(super) fn computing(&mut self, rules: &R, op: &Op, part: &Part, number: usize, earliest: u64) -> u64 {
        if R::GROUPED || R::SLICED {
            self.one(rules, part.mask, part.prefer, number, earliest)
        } else {
            let mask = rules.pipes_of(part.mask, number, false);
            self.pipes.reserve_with_result((mask, part.prefer), op, earliest)
        }
    }

    /// Takes a load's pipe once more, for an access that needs it several times.
    #[inline]
    pub(super) fn again(&mut self, op: &Op, issue: u64) {
        self.pipes.reserve_one(op.mask, op.prefer, issue);
    }
}
