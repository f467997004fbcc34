// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's pipes: a map from cycles to the pipes taken in them, searched cycle by cycle.

use crate::description::{Binds, Description, Part, Steering, Unit};
use std::collections::BTreeMap;

/// The fewest cycles until a result reaches its port: one of latency one is written after two cycles.
const WRITE_BACK: u64 = 2;

/// An operation that wants a port for its result: which instruction, and when its result is there after issue.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    pub(super) instruction: u32,
    pub(super) latency: u64,
}

#[derive(Default)]
pub(super) struct Pipes {
    taken: BTreeMap<u64, u32>,
    /// Pipes taken in each cycle by operations that take several.
    long: BTreeMap<u64, u32>,
    /// Pipes that write a register in that cycle, where they write one a cycle.
    written: BTreeMap<u64, u32>,
    /// Pipes that something is bound to, each alone in its unit.
    binding: u32,
    /// Pipe, issue and dispatch of operations that were bound and may still wait.
    bound: Vec<(u32, u64, u64)>,
    /// Of pipes that as few wait for, that which was bound longest ago is bound.
    in_turn: bool,
    /// What was bound to each pipe last, counted in bindings.
    last: BTreeMap<u32, u64>,
    bindings: u64,
    /// With how many waiting for one pipe a cycle begins in which nothing is bound, if there is such a limit, and how long after its
    /// issue one still counts; the pipes that something was bound to in the newest cycle, and that which the newest instruction was
    /// bound to.
    entries: Option<usize>,
    held: u64,
    /// How many more may wait for a pipe than for the emptiest, if an operation is bound by its slot; the slot of the next one, and
    /// the pipes that those of the newest cycle had to choose from, by slots.
    apart: usize,
    pub(super) slot: u32,
    slots: (u64, BTreeMap<u32, u32>),
    bound_now: (u64, u32),
    chosen: Option<u32>,
    /// The schedulers that operations go to by slots, the pipe and issue of what may still wait there, when the last operation
    /// entered and to which it did not, how many entered with it, and how many have had to choose a pipe of each.
    steering: Option<Steering>,
    steered: Vec<(u32, u64)>,
    entered_at: u64,
    entered: u32,
    other: usize,
    choices: [usize; 2],
    /// Who has a port in a cycle.
    ports: BTreeMap<(u64, u32), Writer>,
    debts: BTreeMap<u32, u64>,
    /// The latest cycle taken.
    pub(super) latest: u64,
}

fn bits(mask: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..32).map(|bit| 1 << bit).filter(move |bit| mask & bit != 0)
}

impl Pipes {
    pub(super) fn new(description: &Description) -> Pipes {
        let counted = match description.dispatch.binds {
            Binds::No => 0,
            Binds::InTurn => 8,
            Binds::BySlot => 16,
        };
        let alone = |unit: &&Unit| unit.mask.count_ones() == 1 && unit.mask < 1 << counted;
        let binding: u32 = description.units.iter().filter(alone).map(|unit| unit.mask).sum();
        let steered = description.dispatch.steering.map_or([[0; 2]; 2], |steering| steering.pipes);
        let binding = binding & !steered.as_flattened().iter().fold(0, |all, pipe| all | pipe);
        let in_turn = description.dispatch.binds == Binds::InTurn;
        let limited = description.dispatch.binding_entries != u16::MAX;
        let entries = limited.then_some(usize::from(description.dispatch.binding_entries));
        let held = description.dispatch.binding_held;
        let apart = usize::from(description.dispatch.binding_apart);
        Pipes {
            binding,
            in_turn,
            entries,
            held,
            apart,
            steering: description.dispatch.steering,
            ..Pipes::default()
        }
    }

    fn free(&self, mask: u32, cycle: u64) -> u32 {
        mask & !self.taken.get(&cycle).copied().unwrap_or(0)
    }

    fn take(&mut self, cycle: u64, pipe: u32) {
        *self.taken.entry(cycle).or_default() |= pipe;
        self.latest = self.latest.max(cycle);
    }

    /// One of the part's pipes for as long as it takes, those preferred first, from `earliest` on; when.
    pub(super) fn first_free(&mut self, part: &Part, earliest: u64) -> u64 {
        if part.mask == 0 {
            return earliest;
        }
        let cycles = usize::from(part.busy.max(1));
        for cycle in earliest.. {
            let whole = |pipe: &u32| (cycle..).take(cycles).all(|at| self.free(*pipe, at) != 0);
            let broken = |pipe: &u32| {
                let own = (cycle..).take_while(|at| self.long.get(at).copied().unwrap_or(0) & pipe == 0);
                self.free(*pipe, cycle) != 0
                    && own.filter(|&at| self.free(*pipe, at) != 0).take(cycles).count() == cycles
            };
            let preferred = |fits: &dyn Fn(&u32) -> bool| {
                bits(part.mask & part.prefer).find(fits).or_else(|| bits(part.mask).find(fits))
            };
            if let Some(pipe) = preferred(&whole).or_else(|| preferred(&broken)) {
                let own: Vec<u64> = (cycle..).filter(|&at| self.free(pipe, at) != 0).take(cycles).collect();
                for at in own {
                    self.take(at, pipe);
                    *self.long.entry(at).or_default() |= if cycles > 1 { pipe } else { 0 };
                }
                return cycle;
            }
        }
        unreachable!()
    }

    /// All of these pipes at once.
    pub(super) fn all(&mut self, mask: u32, earliest: u64) -> u64 {
        let cycle = (earliest..).find(|&cycle| self.free(mask, cycle) == mask).unwrap();
        self.take(cycle, mask);
        cycle
    }

    /// Whether whoever has those pipes to choose from is bound to one of them at dispatch.
    pub(super) fn binds(&self, mask: u32) -> bool {
        mask != 0 && mask & !self.binding == 0
    }

    /// How many wait for that pipe.
    fn waiting(&self, pipe: u32, now: u64) -> usize {
        self.bound.iter().filter(|&&(bound, issue, _)| bound == pipe && issue + self.held >= now).count()
    }

    /// Whether that cycle begins with so many waiting for one of the pipes.
    fn full(&self, entries: usize, cycle: u64) -> bool {
        let waits =
            |&&(_, issue, dispatch): &&(u32, u64, u64)| dispatch < cycle && issue + self.held >= cycle;
        bits(self.binding)
            .any(|pipe| self.bound.iter().filter(waits).filter(|one| one.0 == pipe).count() >= entries)
    }

    /// The pipe of `mask` that is next by its slot, which begins at `now`.
    fn by_slot(&mut self, mask: u32, now: u64) -> u32 {
        if self.slots.0 != now {
            self.slots = (now, BTreeMap::new());
        }
        let slots = &mut self.slots.1;
        let in_front = (0..self.slot).filter(|at| at + 2 < self.slot || slots.get(at) == Some(&mask));
        let rank = in_front.count();
        slots.insert(self.slot, mask);
        // When the cycle before began.
        let waits = |&&(_, issue, dispatch): &&(u32, u64, u64)| dispatch + 1 < now && issue + 1 >= now;
        let waiting = |pipe: u32| self.bound.iter().filter(waits).filter(|one| one.0 == pipe).count();
        let mut pipes: Vec<(usize, u32)> = bits(mask).rev().map(|pipe| (waiting(pipe), pipe)).collect();
        pipes.sort_by_key(|one| one.0);
        let emptiest = pipes[0].0;
        pipes.retain(|one| one.0 < emptiest + self.apart);
        pipes[rank % pipes.len()].1
    }

    /// Chooses the pipe that the fewest wait for at `now`, of equals that which was bound longest ago; or the one by its slot.
    fn best(&mut self, mask: u32, now: u64) -> u32 {
        if !self.in_turn && mask.count_ones() > 1 {
            return self.by_slot(mask, now);
        }
        let last = |pipe: &u32| self.last.get(pipe).copied().unwrap_or(0);
        let key = |pipe: &u32| (self.waiting(*pipe, now), last(pipe));
        let pipe = bits(mask).rev().min_by_key(key).unwrap();
        self.bindings += 1;
        self.last.insert(pipe, self.bindings);
        pipe
    }

    /// The cycle from `now` on in which an instruction whose first bound operation takes one of these pipes can be dispatched.
    pub(super) fn admit(&mut self, mask: u32, now: u64) -> u64 {
        let Some(entries) = self.entries.filter(|_| self.binds(mask)) else { return now };
        let cycle = (now..).find(|&cycle| !self.full(entries, cycle)).unwrap();
        let used = if self.bound_now.0 == cycle { self.bound_now.1 } else { 0 };
        let pipe = self.best(if mask & !used == 0 { mask } else { mask & !used }, cycle);
        self.bound_now = (cycle, used | pipe);
        self.chosen = Some(pipe);
        cycle
    }

    /// The newest instruction has issued, its address at `address`: if no operation took the pipe that it was bound to, that did.
    pub(super) fn settle(&mut self, address: Option<u64>) {
        if let Some((pipe, address)) = self.chosen.take().zip(address) {
            self.bound.push((pipe, address, self.bound_now.0));
        }
    }

    /// Binds to a pipe at `now` and takes it; `writes` is the latency of the general register that the pipe has to have room for, if one is asked for.
    pub(super) fn bound(&mut self, mask: u32, writes: Option<u64>, earliest: u64, now: u64) -> u64 {
        let admitted = self.chosen.take().filter(|pipe| mask & pipe != 0);
        let pipe = admitted.unwrap_or_else(|| self.best(mask, now));
        self.slot += 1;
        let mut cycle = earliest;
        loop {
            if self.free(pipe, cycle) != 0 {
                // Once selected, it keeps others from the pipe, even if it has to wait for its write port.
                self.take(cycle, pipe);
                let Some(latency) = writes else { break };
                let written = self.written.entry(cycle + latency).or_default();
                if *written & pipe == 0 {
                    *written |= pipe;
                    break;
                }
            }
            cycle += 1;
        }
        self.bound.push((pipe, cycle, now));
        cycle
    }

    /// The schedulers that the part goes to one of.
    pub(super) fn steers(&self, mask: u32) -> Option<Steering> {
        self.steering.filter(|steering| {
            let all = steering.pipes.iter().flatten().fold(0, |all, pipe| all | pipe);
            mask != 0 && mask & !all == 0
        })
    }

    /// Takes a pipe of a scheduler, for as long as the part does; `slot` is the instruction's first, of the cycle `now`.
    pub(super) fn through_scheduler(
        &mut self,
        steering: &Steering,
        part: &Part,
        earliest: u64,
        (now, slot): (u64, u32),
    ) -> u64 {
        let at_once = now >= self.entered_at;
        let mut pipe = None;
        let mut cycle = now.max(self.entered_at);
        while pipe.is_none() {
            if cycle > self.entered_at {
                (self.entered_at, self.entered) = (cycle, 0);
            }
            let by_slot = (at_once && cycle == now).then_some((slot / steering.slots) as usize % 2);
            pipe = self.entry(steering, part.mask, by_slot, cycle);
            cycle += 1;
        }
        let (pipe, direct) = pipe.unwrap();
        let from = self.entered_at + u64::from(!direct);
        let cycle = self.first_free(&Part { mask: pipe, prefer: pipe, ..*part }, earliest.max(from));
        self.steered.extend((0..u64::from(part.busy.max(1))).map(|taken| (pipe, cycle + taken)));
        cycle
    }

    /// The pipe that an operation waits for which enters in this cycle, and whether it did at once; `None` if there is no room.
    fn entry(
        &mut self,
        steering: &Steering,
        mask: u32,
        by_slot: Option<usize>,
        cycle: u64,
    ) -> Option<(u32, bool)> {
        self.steered.retain(|&(_, issue)| issue >= cycle);
        let waiting = |pipe: u32| self.steered.iter().filter(|(own, _)| *own == pipe).count() as u32;
        let counts = steering.pipes.map(|pipes| pipes.map(waiting));
        let sum = |one: usize| counts[one].iter().sum::<u32>();
        let most = |one: usize| *counts[one].iter().max().unwrap();
        let can = |one: usize| steering.pipes[one].iter().filter(|pipe| mask & **pipe != 0).count();
        let able = |one: usize| {
            let counts = steering.pipes[one].iter().zip(counts[one]);
            counts.filter(|(pipe, _)| mask & **pipe != 0).map(|(_, count)| count).min()
        };
        let choose = |by_slot: Option<usize>| match (can(0), can(1)) {
            (_, 0) => 0,
            (0, _) => 1,
            _ if most(0) >= most(1).saturating_add(steering.apart) => 1,
            _ if most(1) >= most(0).saturating_add(steering.apart) => 0,
            _ => match by_slot {
                Some(slot) => slot,
                None if steering.by_pipes && able(0) < able(1) => 0,
                None if steering.by_pipes && able(1) < able(0) => 1,
                None if sum(0) < sum(1) => 0,
                None if sum(1) < sum(0) => 1,
                None => self.other,
            },
        };
        let mut one = choose(by_slot);
        let direct = by_slot.is_some() && sum(one) < steering.entries;
        if !direct {
            one = choose(None);
            if sum(one) >= steering.entries || self.entered >= steering.enter || by_slot.is_some() {
                return None;
            }
        }
        self.entered += 1;
        self.other = 1 - one;
        let [first, second] = steering.pipes[one];
        let [of_first, of_second] = counts[one];
        let pipe = if can(one) == 1 {
            mask & (first | second)
        } else if of_first >= of_second.saturating_add(steering.pipes_apart) {
            second
        } else if of_second >= of_first.saturating_add(steering.pipes_apart) {
            first
        } else {
            self.choices[one] += 1;
            if self.choices[one] % 2 == 1 {
                first
            } else {
                second
            }
        };
        Some((pipe, direct))
    }

    /// Of these pipes of a half, the one that nothing was bound to for longest.
    pub(super) fn in_turn(&mut self, mask: u32) -> u32 {
        self.bindings += 1;
        let last = |pipe: &u32| self.last.get(pipe).copied().unwrap_or(0);
        let Some(pipe) = bits(mask).min_by_key(last) else { return 0 };
        self.last.insert(pipe, self.bindings);
        pipe
    }

    /// One of these pipes, or `all`, and the ports in `results` when the result is there. Who issues first has a port; an
    /// older one that had it has the next cycle in which it is free, and issues a cycle later the next time.
    pub(super) fn with_result(
        &mut self,
        mask: u32,
        all: bool,
        results: u32,
        writer: Writer,
        earliest: u64,
    ) -> u64 {
        let latency = writer.latency.max(WRITE_BACK);
        let owes = self.debts.entry(writer.instruction).or_default();
        let mut cycle = earliest + u64::from(*owes > 0);
        *owes = owes.saturating_sub(1);
        loop {
            let free = self.free(mask, cycle);
            if if all { free == mask } else { free != 0 || mask == 0 } {
                let there = cycle + latency;
                let held: Vec<(u32, Writer)> =
                    bits(results).filter_map(|port| Some((port, *self.ports.get(&(there, port))?))).collect();
                if held.iter().all(|(_, other)| other.latency.max(WRITE_BACK) < latency) {
                    for (port, other) in held {
                        let owes = self.debts.entry(other.instruction).or_default();
                        *owes = (*owes + 1).min(255);
                        let later = (there + 1..).find(|&at| !self.ports.contains_key(&(at, port))).unwrap();
                        self.ports.insert((later, port), other);
                        self.latest = self.latest.max(later);
                    }
                    let chosen = if all { mask } else { bits(free).next().unwrap_or(0) };
                    self.take(cycle, chosen);
                    for port in bits(results) {
                        self.ports.insert((there, port), writer);
                    }
                    return cycle;
                }
            }
            cycle += 1;
        }
    }
}
