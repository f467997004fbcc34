// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Execution pipes: which is taken in which cycle.
//!
//! Instructions arrive in program order and take the first free cycle from the one in which their sources are
//! ready, so an older instruction is served before a younger one and a younger one may use what an older left
//! free: oldest-first scheduling, without ticking through cycles.

use super::binding::{Turns, Waiting, HORIZON};
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::schedulers::Schedulers;
use crate::description::{binding, Binds, Part, Steering, Unit};
use crate::flags::Flags;
use crate::op::Op;

/// Cycles after which the ones before them are forgotten.
const STRIDE: usize = 64;
const SPANS: usize = 16;

/// Cycles known to be full for one choice of pipes, so that a long queue is not searched again and again.
#[derive(Clone, Copy, Default)]
struct Span {
    mask: u32,
    from: u64,
    to: u64,
}

/// The pipes of a core.
pub(crate) struct Pipes {
    /// Pipes taken in each cycle from `first` on.
    busy: [u32; HORIZON],
    /// Those of them that are taken by an operation of several cycles.
    long: Box<[u32; HORIZON]>,
    /// First cycle remembered, a multiple of `STRIDE`.
    first: u64,
    spans: [Span; SPANS],
    /// Pipes that instructions are bound to if they have several to choose from; identical pipes of a unit are not among them.
    binding: u32,
    /// Pipes that instructions are neither bound to nor sent to by a scheduler: of these, any that is free is taken.
    pub(crate) unbound: u32,
    waiting: Waiting,
    schedulers: Schedulers,
    /// The cycle in which the newest instruction was dispatched, and its first slot.
    dispatched: u64,
    slot: u32,
    /// On cores whose pipes write one general register a cycle: the pipes that do, in each cycle.
    one_result: bool,
    written: Box<[u32; HORIZON]>,
    /// Every operation is bound to one of its pipes, in the half that it was sent to.
    divided: bool,
    turns: Turns,
    /// The pipe that the last operation was bound to, where all are.
    pub(crate) taken: u32,
    /// All pipes that were taken since this was last cleared.
    pub(crate) held: u32,
    ports: Ports,
}

/// The fewest cycles from issue until a result reaches its port: a result of latency one is bypassed earlier, but written
/// after two cycles.
const WRITE_BACK: u16 = 2;
/// Cycles whose holders of result ports are remembered: as many as those of which it is known whether a port is taken.
const PORT_CYCLES: usize = HORIZON;
/// Instructions that gave way and are told apart, a power of two.
const DEBTORS: usize = 4096;

/// Result ports of the slices. Instructions arrive here in program order, but a port goes to the one that issues first: a
/// product of latency five, issued when its sources were there, is in the way of an older addition of latency two that
/// became ready three cycles later. When the product arrives here, the addition has its cycle already. So the product takes
/// the cycle, the addition's result the next in which the port is free, and the addition owes a cycle: the next time it is
/// executed, it issues a cycle later. In a loop the effect is the same.
struct Ports {
    /// For each cycle and port, who has it.
    holders: Box<[[Holder; 4]; PORT_CYCLES]>,
    /// Cycles owed by each instruction.
    debts: Box<[u8; DEBTORS]>,
    /// A result takes any one of the ports that it is given: no slice was chosen at dispatch.
    any: bool,
}

/// An instruction that has a result port: its place among the debtors and its latency.
#[derive(Clone, Copy, Default)]
struct Holder {
    debtor: u16,
    latency: u16,
}

/// The place of an instruction among the debtors.
#[inline(always)]
fn debtor(op: &Op) -> u16 {
    (op.index as usize % DEBTORS) as u16
}

impl Ports {
    fn new() -> Ports {
        let holders = Box::new([[Holder::default(); 4]; PORT_CYCLES]);
        Ports { holders, debts: Box::new([0; DEBTORS]), any: false }
    }

    /// Of these ports, the ones that a result takes.
    #[inline]
    fn choose(&self, results: u32, busy: u32) -> u32 {
        if !self.any {
            return results;
        }
        let among = if results & !busy != 0 { results & !busy } else { results };
        among & among.wrapping_neg()
    }

    /// The cycles that `op` owes in all.
    #[inline]
    fn debt(&self, op: &Op) -> u8 {
        self.debts[usize::from(debtor(op)) % DEBTORS]
    }

    /// The cycles that `op` owes this time.
    #[inline]
    fn owed(&mut self, op: &Op) -> u64 {
        let debt = &mut self.debts[usize::from(debtor(op)) % DEBTORS];
        let owed = u64::from(*debt > 0);
        *debt -= owed as u8;
        owed
    }

    /// Whether all who have the ports in `taken` in that cycle issue later than `op`, so that it has them instead.
    fn give_way(&mut self, cycle: u64, taken: u32, op: &Op) -> bool {
        let holders = &self.holders[cycle as usize % PORT_CYCLES];
        let mut rest = taken;
        while rest != 0 {
            let port = rest.trailing_zeros() as usize % 4;
            if holders[port].latency >= op.latency.max(WRITE_BACK) {
                return false;
            }
            rest &= rest - 1;
        }
        rest = taken;
        while rest != 0 {
            let port = rest.trailing_zeros() as usize % 4;
            let debt = &mut self.debts[usize::from(holders[port].debtor) % DEBTORS];
            *debt = debt.saturating_add(u8::from(!planted(Fault::DebtForgotten)));
            rest &= rest - 1;
        }
        true
    }

    /// Who has the port in cycle `from` has it in cycle `to` instead.
    fn moves(&mut self, port: u32, from: u64, to: u64) {
        let port = port.trailing_zeros() as usize % 4;
        self.holders[to as usize % PORT_CYCLES][port] = self.holders[from as usize % PORT_CYCLES][port];
    }

    #[inline]
    fn hold(&mut self, cycle: u64, results: u32, op: &Op) {
        let holder = Holder { debtor: debtor(op), latency: op.latency.max(WRITE_BACK) };
        let mut rest = results;
        while rest != 0 {
            let port = rest.trailing_zeros() as usize % 4;
            self.holders[cycle as usize % PORT_CYCLES][port] = holder;
            rest &= rest - 1;
        }
    }
}

impl Pipes {
    /// `binds`: whether an instruction is bound to one of its pipes; `one_result`: a pipe has one result a cycle; `halves` are the pipes of each half of the core.
    pub(crate) fn new(binds: Binds, one_result: bool, units: &[Unit], halves: Option<[u32; 2]>) -> Pipes {
        let binds_any = binds != Binds::No;
        let binding = binding(binds, units);
        Pipes {
            busy: [0; HORIZON],
            long: Box::new([0; HORIZON]),
            first: 0,
            spans: [Span::default(); SPANS],
            binding,
            unbound: !binding,
            waiting: Waiting::new(binds, binding),
            schedulers: Schedulers::new(None),
            dispatched: 0,
            slot: 0,
            one_result: binds_any && one_result,
            written: Box::new([0; HORIZON]),
            divided: binds_any && halves.is_some(),
            turns: Turns::default(),
            taken: u32::MAX,
            held: 0,
            ports: Ports::new(),
        }
    }

    /// From now on operations go to schedulers by slots.
    pub(crate) fn steer(&mut self, rules: Steering) {
        self.schedulers = Schedulers::new(Some(rules));
        self.unbound &= !self.schedulers.pipes;
        self.binding &= !self.schedulers.pipes;
    }

    /// From now on nothing is bound to a pipe in a cycle that begins with so many operations waiting for one; they count until so
    /// many cycles after issue.
    pub(crate) fn limit_binding(&mut self, entries: u16, held: u64) {
        self.waiting.limit(entries, held);
    }

    /// From now on nothing is bound to a pipe for which so many more wait than for the emptiest.
    pub(crate) fn keep_apart(&mut self, apart: u16) {
        self.waiting.keep_apart(apart);
    }

    /// Binds the newest instruction to one of these pipes; when it can be dispatched, from `now` on.
    #[inline]
    pub(crate) fn admit(&mut self, mask: u32, now: u64) -> u64 {
        self.waiting.admit(mask & self.binding, now)
    }

    /// The newest instruction, which was admitted, has issued.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.waiting.settle();
    }

    /// From now on a result may take any of the ports that its operation is given.
    pub(crate) fn choose_ports(&mut self) {
        self.ports.any = true;
    }

    /// Nothing asks for a cycle before `now` any more.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: u64) {
        self.dispatched = now;
        if rarely(now - self.first >= STRIDE as u64) {
            self.forget(now);
        }
    }

    #[inline(never)]
    fn forget(&mut self, now: u64) {
        let stride = STRIDE as u64;
        let strides = (now - self.first) / stride;
        for passed in 0..strides.min(HORIZON as u64 / stride) {
            let start = (self.first + passed * stride) as usize % HORIZON;
            self.busy[start..start + STRIDE].fill(0);
            self.long[start..start + STRIDE].fill(0);
            if self.one_result {
                self.written[start..start + STRIDE].fill(0);
            }
        }
        self.first += strides * stride;
    }

    /// Cycles of each pipe that are reserved from `cycle` on.
    pub(crate) fn reserved_from(&self, cycle: u64) -> [u16; 32] {
        let mut reserved = [0; 32];
        for cycle in cycle.max(self.first)..self.first + HORIZON as u64 {
            let mut rest = self.busy[cycle as usize % HORIZON];
            while rest != 0 {
                reserved[rest.trailing_zeros() as usize % 32] += 1;
                rest &= rest - 1;
            }
        }
        reserved
    }

    /// Whether the cycle is too far ahead to be remembered.
    #[inline]
    fn beyond(&self, cycle: u64) -> bool {
        cycle - self.first >= HORIZON as u64
    }

    #[inline]
    fn busy(&self, cycle: u64) -> u32 {
        if rarely(self.beyond(cycle)) {
            0
        } else {
            self.busy[cycle as usize % HORIZON]
        }
    }

    #[inline]
    fn take(&mut self, cycle: u64, pipe: u32) {
        self.held |= pipe;
        if mostly(!self.beyond(cycle)) {
            self.busy[cycle as usize % HORIZON] |= pipe;
        }
    }

    /// Takes one of the part's pipes, at `earliest` or as soon after it as one is free; says when.
    #[inline(never)]
    pub(crate) fn reserve(&mut self, part: &Part, earliest: u64) -> u64 {
        if rarely(part.busy > 1) && self.steered(part.mask) {
            return self.reserve_steered(part, earliest);
        }
        if rarely(part.busy > 1) && part.mask != 0 {
            return self.reserve_long(part, earliest);
        }
        self.reserve_one(part.mask, part.prefer, earliest)
    }

    /// The same for a part that occupies its pipe for one cycle. Of no pipes, none is taken.
    #[inline(always)]
    pub(crate) fn reserve_one(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        if mostly(mask & self.unbound != 0) {
            return self.take_unbound(mask, prefer, earliest);
        }
        if self.steered(mask) {
            let (pipe, from) = self.schedulers.enter(mask, self.dispatched, self.slot);
            let cycle = self.take_one(pipe, pipe, earliest.max(from));
            self.schedulers.issue(pipe, cycle);
            return cycle;
        }
        if mask & !self.binding == 0 && mask != 0 {
            return self.reserve_bound(mask, None, earliest);
        }
        self.take_unbound(mask, prefer, earliest)
    }

    /// Takes a pipe for the next operation of the newest instruction, which is bound to one of these; the one after it has the next
    /// slot. `writes`: the latency of the general register that it writes, if a pipe writes but one a cycle.
    #[inline(always)]
    fn reserve_bound(&mut self, mask: u32, writes: Option<u16>, earliest: u64) -> u64 {
        self.waiting.pass(self.dispatched);
        match self.waiting.is_in_turn() {
            true => self.reserve_chosen::<true>(mask, writes, earliest),
            false => self.reserve_chosen::<false>(mask, writes, earliest),
        }
    }

    /// The same in the newest cycle, where pipes are chosen `IN_TURN` or by slots.
    #[inline(never)]
    fn reserve_chosen<const IN_TURN: bool>(&mut self, mask: u32, writes: Option<u16>, earliest: u64) -> u64 {
        let first = self.waiting.first;
        let bound = self.waiting.choose::<IN_TURN>(mask >> first, self.slot as usize);
        let pipe = bound << first;
        self.slot += 1;
        let cycle = match writes {
            Some(latency) => self.take_writing(pipe, latency, earliest),
            None => self.take_one(pipe, pipe, earliest),
        };
        self.waiting.bind(bound, cycle);
        cycle
    }

    /// Takes a pipe for an operation that is bound to none.
    #[inline(always)]
    pub(crate) fn take_unbound(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        let cycle = self.take_one(mask, prefer, earliest);
        self.waiting.issued(cycle);
        cycle
    }

    /// The instruction dispatched last begins with that slot.
    pub(crate) fn at_slot(&mut self, slot: u32) {
        self.slot = slot;
    }

    /// Whether one of two schedulers has the operations of these pipes.
    #[inline]
    fn steered(&self, mask: u32) -> bool {
        rarely(mask & !self.schedulers.pipes == 0) && mask != 0
    }

    /// As `reserve_one` for an operation of schedulers that takes its pipe for several cycles, and counts as that many there.
    fn reserve_steered(&mut self, part: &Part, earliest: u64) -> u64 {
        let (pipe, from) = self.schedulers.enter(part.mask, self.dispatched, self.slot);
        let cycle = self.reserve_long(&Part { mask: pipe, prefer: pipe, ..*part }, earliest.max(from));
        for taken in 0..u64::from(part.busy) {
            self.schedulers.issue(pipe, cycle + taken);
        }
        cycle
    }

    /// The same for an operation of `op` that computes its result.
    #[inline(always)]
    pub(crate) fn reserve_with_result(&mut self, (mask, prefer): (u32, u32), op: &Op, earliest: u64) -> u64 {
        if mask == 0 {
            return earliest;
        }
        if mostly(mask & self.unbound != 0) {
            return self.take_unbound(mask, prefer, earliest);
        }
        let bound = mask & !self.binding == 0;
        let writes = op.is(Flags::WRITES_GENERAL) && op.latency > 0;
        if !(bound && writes && self.one_result) {
            return self.reserve_one(mask, prefer, earliest);
        }
        self.reserve_bound(mask, Some(op.latency), earliest)
    }

    /// Takes that pipe in the first cycle from `earliest` on in which it is free and its write port will be when the result is
    /// there. A cycle in which only the port is taken is lost: an operation that is selected for a pipe keeps others from it even
    /// if it has to wait.
    #[inline(always)]
    fn take_writing(&mut self, pipe: u32, latency: u16, earliest: u64) -> u64 {
        let mut cycle = earliest;
        loop {
            let there = cycle + u64::from(latency);
            self.held |= pipe;
            if self.beyond(there) {
                return cycle;
            }
            let busy = &mut self.busy[cycle as usize % HORIZON];
            if *busy & pipe == 0 {
                *busy |= pipe;
                let written = &mut self.written[there as usize % HORIZON];
                if *written & pipe == 0 || planted(Fault::WrittenTwice) {
                    *written |= pipe;
                    return cycle;
                }
            }
            cycle += 1;
        }
    }

    /// The same as `reserve_one` on a core with halves.
    #[inline(always)]
    pub(crate) fn reserve_in_half(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        if !self.divided {
            return self.take_one(mask, prefer, earliest);
        }
        let pipe = self.bind(mask);
        self.take_one(pipe, pipe, earliest)
    }

    /// The pipe of `mask` that an operation is bound to.
    #[inline(always)]
    pub(crate) fn bind(&mut self, mask: u32) -> u32 {
        self.taken = self.turns.choose(mask);
        self.taken
    }

    /// Takes one of the pipes in `mask`, or `all`, in the first cycle from `earliest` on in which that is possible and `op`
    /// can have those in `results` when its latency is over; says when.
    #[inline(always)]
    pub(crate) fn reserve_both(&mut self, mask: u32, all: bool, results: u32, op: &Op, earliest: u64) -> u64 {
        let latency = u64::from(op.latency.max(WRITE_BACK));
        let chooses = all || mask == 0 || self.ports.any || self.ports.debt(op) > 0;
        let mut cycle = earliest;
        while mostly(!chooses && !self.beyond(cycle + latency)) {
            let there = (cycle + latency) as usize % HORIZON;
            let free = mask & !self.busy[cycle as usize % HORIZON];
            if rarely(free == 0) {
                cycle += 1;
                continue;
            }
            if rarely(self.busy[there] & results != 0) {
                break;
            }
            self.busy[there] |= results;
            let pipe = free & free.wrapping_neg();
            self.busy[cycle as usize % HORIZON] |= pipe;
            self.held |= pipe | results;
            self.ports.hold(cycle + latency, results, op);
            return cycle;
        }
        self.reserve_both_later(mask, all, results, op, cycle)
    }

    /// The same where that is not so simple.
    #[inline(never)]
    fn reserve_both_later(&mut self, mask: u32, all: bool, results: u32, op: &Op, earliest: u64) -> u64 {
        let mut cycle = earliest + self.ports.owed(op);
        while !self.try_both(mask, all, results, op, cycle) {
            cycle += 1;
        }
        cycle
    }

    /// Takes them in that cycle, if it can be.
    #[inline(always)]
    fn try_both(&mut self, mask: u32, all: bool, results: u32, op: &Op, cycle: u64) -> bool {
        let free = mask & !self.busy(cycle);
        let enough = if all { free == mask } else { free != 0 || mask == 0 };
        if !enough {
            return false;
        }
        let there = cycle + u64::from(op.latency.max(WRITE_BACK));
        let busy = self.busy(there);
        let results = if all { results } else { self.ports.choose(results, busy) };
        if busy & results != 0 && !self.displace(there, busy & results, op) {
            return false;
        }
        self.take(cycle, if all { mask } else { free & free.wrapping_neg() });
        self.take(there, results);
        self.ports.hold(there, results, op);
        true
    }

    /// Whether all who have these ports in that cycle give way to `op`. Each has then the next cycle in which its port is free.
    #[inline(never)]
    fn displace(&mut self, cycle: u64, ports: u32, op: &Op) -> bool {
        if !planted(Fault::PortFree) && !self.ports.give_way(cycle, ports, op) {
            return false;
        }
        let mut rest = if planted(Fault::ResultLost) { 0 } else { ports };
        while rest != 0 {
            let port = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let later = self.reserve_all(port, cycle + 1);
            self.ports.moves(port, cycle, later);
        }
        true
    }

    /// Takes all of these pipes at `earliest` or in the first cycle after it in which they are free; says when.
    #[inline]
    pub(crate) fn reserve_all(&mut self, mask: u32, earliest: u64) -> u64 {
        let mut cycle = earliest;
        while self.busy(cycle) & mask != 0 {
            cycle += 1;
        }
        self.take(cycle, mask);
        cycle
    }

    #[inline(always)]
    fn take_one(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        if mostly(mask == 0 || self.try_one(mask, prefer, earliest)) {
            earliest
        } else {
            self.reserve_later(mask, prefer, earliest)
        }
    }

    /// Takes one of the pipes in that cycle, if one is free.
    #[inline(always)]
    fn try_one(&mut self, mask: u32, prefer: u32, cycle: u64) -> bool {
        if rarely(self.beyond(cycle)) {
            return true;
        }
        let busy = &mut self.busy[cycle as usize % HORIZON];
        let free = mask & !*busy;
        let preferred = if free & prefer != 0 { free & prefer } else { free };
        let taken = preferred & preferred.wrapping_neg();
        *busy |= taken;
        self.held |= taken;
        free != 0
    }

    /// Takes one of the pipes after `earliest`, in which none is free.
    #[inline(never)]
    fn reserve_later(&mut self, mask: u32, prefer: u32, earliest: u64) -> u64 {
        let index = (mask.wrapping_mul(0x9e37_79b9) >> 28) as usize;
        let span = self.spans[index];
        let known = span.mask == mask && span.from <= earliest && earliest <= span.to;
        let (from, mut cycle) = (if known { span.from } else { earliest }, earliest + 1);
        cycle = if known { cycle.max(span.to) } else { cycle };
        while !self.try_one(mask, prefer, cycle) {
            cycle += 1;
        }
        let longer = u64::from(planted(Fault::SpanLonger));
        self.spans[index] = Span { mask, from, to: cycle + 2 * longer };
        cycle
    }

    /// The same for a part that occupies its pipe for several cycles.
    fn reserve_long(&mut self, part: &Part, earliest: u64) -> u64 {
        let mut cycle = earliest;
        let pipe = loop {
            let free = part.mask & !self.busy(cycle);
            match self.choose(part, free, cycle) {
                Some(pipe) if free != 0 => break pipe,
                _ => cycle += 1,
            }
        };
        let mut left = u64::from(part.busy) - u64::from(planted(Fault::PipeFreedEarly));
        let mut at = cycle;
        while left > 0 {
            if self.busy(at) & pipe == 0 {
                self.take(at, pipe);
                self.mark_long(at, pipe);
                left -= 1;
            }
            at += 1;
        }
        cycle
    }

    fn mark_long(&mut self, cycle: u64, pipe: u32) {
        if !self.beyond(cycle) {
            self.long[cycle as usize % HORIZON] |= pipe;
        }
    }

    /// A pipe among `free` that stays free as long as the part occupies it; else one that only single cycles are taken of. An
    /// older operation has such a cycle because its sources are there by then: it would wait for a division that began before,
    /// and the division does not wait for it.
    fn choose(&self, part: &Part, free: u32, cycle: u64) -> Option<u32> {
        let mut usable = free;
        for ahead in 1..u64::from(part.busy) {
            usable &= !self.busy(cycle + ahead);
        }
        if usable == 0 && !planted(Fault::OlderInTheWay) {
            usable = self.without_long(part, free, cycle);
        }
        if usable == 0 {
            return None;
        }
        let preferred = if usable & part.prefer != 0 { usable & part.prefer } else { usable };
        Some(preferred & preferred.wrapping_neg())
    }

    /// The pipes among `free` of which the part finds cycles enough before the next operation of several cycles.
    fn without_long(&self, part: &Part, free: u32, cycle: u64) -> u32 {
        let mut usable = 0;
        let mut rest = free;
        while rest != 0 {
            let pipe = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let (mut left, mut at) = (part.busy, cycle);
            while left > 0 && (self.beyond(at) || self.long[at as usize % HORIZON] & pipe == 0) {
                left -= u16::from(self.busy(at) & pipe == 0);
                at += 1;
            }
            usable |= if left == 0 { pipe } else { 0 };
        }
        usable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::{Waits, NO_QUEUE};

    fn part(mask: u32, busy: u16) -> Part {
        Part { mask, prefer: mask, waits: Waits::All, busy, step: 1, pair: false, queue: NO_QUEUE }
    }

    #[test]
    fn two_pipes_serve_two_a_cycle_and_a_gap_is_filled_by_a_younger_instruction() {
        let mut pipes = Pipes::new(Binds::No, false, &[], None);
        let taken: Vec<_> = (0..5).map(|_| pipes.reserve(&part(3, 1), 10)).collect();
        assert_eq!(taken, [10, 10, 11, 11, 12]);
        assert_eq!(pipes.reserve(&part(3, 1), 5), 5);
    }

    #[test]
    fn a_divider_blocks_its_pipe() {
        let mut pipes = Pipes::new(Binds::No, false, &[], None);
        assert_eq!(pipes.reserve(&part(1, 20), 3), 3);
        assert_eq!(pipes.reserve(&part(1, 1), 4), 23);
        assert_eq!(pipes.reserve(&part(3, 1), 4), 4);
    }

    #[test]
    fn a_divider_that_is_ready_does_not_wait_for_older_operations_that_are_not_but_for_older_divisions() {
        let mut pipes = Pipes::new(Binds::No, false, &[], None);
        pipes.reserve(&part(1, 1), 8);
        pipes.reserve(&part(1, 1), 12);
        assert_eq!(pipes.reserve(&part(1, 20), 3), 3);
        assert_eq!(pipes.reserve(&part(1, 1), 4), 25, "twenty cycles, and the two of the older ones");
        pipes.reserve(&part(1, 20), 40);
        assert_eq!(pipes.reserve(&part(1, 20), 30), 60);
    }

    #[test]
    fn a_vector_waits_until_both_pipes_of_its_superslice_are_free() {
        let mut pipes = Pipes::new(Binds::No, false, &[], None);
        pipes.reserve(&part(1, 1), 10);
        pipes.reserve(&part(2, 1), 11);
        assert_eq!(pipes.reserve_all(3, 10), 12);
        assert_eq!(pipes.reserve(&part(3, 1), 12), 13);
    }

    #[test]
    fn a_bound_instruction_waits_for_its_pipe_though_another_is_free() {
        let unit = |mask| Unit { name: String::new(), mask, queue: None, resource: None };
        let mut pipes = Pipes::new(Binds::BySlot, false, &[unit(1), unit(2), unit(12)], None);
        assert_eq!(pipes.reserve(&part(1, 1), 10), 10);
        pipes.pass(20);
        pipes.at_slot(0);
        let either: Vec<_> = (0..4).map(|_| pipes.reserve(&part(3, 1), 20)).collect();
        assert_eq!(either, [20, 20, 21, 21], "not all to one pipe");
        assert_eq!(pipes.reserve(&part(1, 1), 21), 22);
        let alike: Vec<_> = (0..3).map(|_| pipes.reserve(&part(12, 1), 20)).collect();
        assert_eq!(alike, [20, 20, 21]);
        assert_eq!(pipes.reserve(&part(3, 20), 40), 40);
    }

    /// The pipe that an operation takes in that slot, by what is left for one that can take the first pipe only.
    fn takes_first(waiting: usize, slot: u32) -> bool {
        let unit = |mask| Unit { name: String::new(), mask, queue: None, resource: None };
        let mut pipes = Pipes::new(Binds::BySlot, false, &[unit(1), unit(2)], None);
        pipes.keep_apart(5);
        pipes.pass(10);
        for _ in 0..waiting {
            pipes.reserve(&part(1, 1), 100);
        }
        pipes.pass(12);
        pipes.at_slot(slot);
        pipes.reserve(&part(3, 1), 50);
        pipes.reserve(&part(1, 1), 50) == 51
    }

    #[test]
    fn the_fourth_and_sixth_slot_take_the_second_of_two_pipes_unless_many_wait_for_it() {
        let first = |waiting: usize| (0..6).map(|slot| takes_first(waiting, slot)).collect::<Vec<_>>();
        assert_eq!(first(0), [false, false, false, true, false, true]);
        assert_eq!(first(4), [false, false, false, true, false, true]);
        assert_eq!(first(5), [false; 6]);
    }

    #[test]
    fn the_tenth_slot_ranks_by_its_own_place() {
        // Slots out of sight: seven for the tenth, six for the ninth.
        assert!(takes_first(0, 9) && !takes_first(0, 8));
    }

    #[test]
    fn slots_see_what_waited_when_the_cycle_before_began() {
        let unit = |mask| Unit { name: String::new(), mask, queue: None, resource: None };
        let takes_last_in = |cycle| {
            let mut pipes = Pipes::new(Binds::BySlot, false, &[unit(1), unit(2)], None);
            pipes.pass(10);
            pipes.reserve(&part(2, 1), 100);
            pipes.pass(cycle);
            pipes.at_slot(0);
            pipes.reserve(&part(3, 1), 50);
            pipes.reserve(&part(2, 1), 50) == 51
        };
        assert!(takes_last_in(10) && takes_last_in(11));
        assert!(!takes_last_in(12));
    }
}
