// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Two schedulers of two pipes each, to which operations go by the slots that they are dispatched in (`schedulers.*`): which
//! pipe an operation waits for, and from when on.

use super::binding::HORIZON;
use super::planted::{planted, Fault};
use crate::description::Steering;

/// The schedulers, and the queue before them. Operations enter in the order of the program.
pub(super) struct Schedulers {
    rules: Steering,
    /// All their pipes; none if the core has no such schedulers.
    pub(super) pipes: u32,
    /// The cycle in which the last operation entered, and how many did in it.
    now: u64,
    entered: u32,
    /// Operations that wait for each pipe of each scheduler, and how many of them are issued in each cycle.
    waiting: [[u32; 2]; 2],
    leave: Box<[[[u16; 2]; 2]; HORIZON]>,
    /// Of each scheduler the pipe whose turn it is.
    turn: [usize; 2],
    /// The scheduler that the last operation did not enter.
    other: usize,
}

impl Schedulers {
    pub(super) fn new(rules: Option<Steering>) -> Schedulers {
        Schedulers {
            pipes: rules.iter().flat_map(|rules| rules.pipes).flatten().fold(0, |all, pipe| all | pipe),
            rules: rules.unwrap_or_default(),
            now: 0,
            entered: 0,
            waiting: [[0; 2]; 2],
            leave: Box::new([[[0; 2]; 2]; HORIZON]),
            turn: [0; 2],
            other: 0,
        }
    }

    fn pass(&mut self, now: u64) {
        let passed = (now - self.now).min(HORIZON as u64);
        for cycle in now - passed..now {
            let left = std::mem::replace(&mut self.leave[cycle as usize % HORIZON], [[0; 2]; 2]);
            for (waiting, left) in self.waiting.iter_mut().flatten().zip(left.into_iter().flatten()) {
                *waiting -= u32::from(left);
            }
        }
        self.now = now;
        self.entered = 0;
    }

    /// The pipe of `mask` that an operation waits for which is dispatched in the cycle `dispatched` as part of the instruction
    /// that begins with `slot`, and the first cycle in which it may be issued.
    pub(super) fn enter(&mut self, mask: u32, dispatched: u64, slot: u32) -> (u32, u64) {
        let mut at_once = dispatched >= self.now;
        if dispatched > self.now {
            self.pass(dispatched);
        }
        let mut one = self.scheduler(mask, at_once.then_some(slot));
        while self.full(one) || !at_once && self.entered >= self.rules.enter {
            at_once = false;
            self.pass(self.now + 1);
            one = self.scheduler(mask, None);
        }
        self.other = one ^ 1;
        self.entered += 1;
        (self.pipe(mask, one), self.now + u64::from(!at_once))
    }

    fn full(&self, one: usize) -> bool {
        self.waiting[one].iter().sum::<u32>() >= self.rules.entries
    }

    /// Which of the two an operation goes to: by its slot, or, if it had to wait for room, to the one that holds less, of equals
    /// to them in turn; but never to one whose fuller pipe is that much ahead of the other's, nor to one without its pipes.
    fn scheduler(&self, mask: u32, slot: Option<u32>) -> usize {
        let [first, second] = self.rules.pipes.map(|[one, two]| mask & (one | two) != 0);
        if first != second {
            return usize::from(second);
        }
        let fuller = self.waiting.map(|pipes| pipes[0].max(pipes[1]));
        let held = self.waiting.map(|pipes| pipes[0] + pipes[1]);
        if fuller[0].abs_diff(fuller[1]) >= self.rules.apart {
            usize::from(fuller[1] < fuller[0])
        } else if let Some(slot) = slot.filter(|_| !planted(Fault::SlotForgotten)) {
            (slot / self.rules.slots % 2) as usize
        } else if let Some(one) = self.emptier(mask) {
            one
        } else if held[0] == held[1] {
            self.other
        } else {
            usize::from(held[1] < held[0])
        }
    }

    /// The scheduler in which fewer wait for the pipes that the operation can take, if that counts.
    fn emptier(&self, mask: u32) -> Option<usize> {
        if !self.rules.by_pipes || planted(Fault::PipesForgotten) {
            return None;
        }
        let [first, second] = [0, 1].map(|one| {
            let able = self.rules.pipes[one].iter().zip(self.waiting[one]);
            able.filter(|(pipe, _)| mask & **pipe != 0).map(|(_, waiting)| waiting).min()
        });
        (first != second).then_some(usize::from(second < first))
    }

    /// The pipe of that scheduler: both in turn, whatever waits for them, as long as one is not that much ahead.
    fn pipe(&mut self, mask: u32, one: usize) -> u32 {
        let pipes = self.rules.pipes[one];
        let waiting = self.waiting[one];
        let number = if mask & pipes[0] == 0 {
            1
        } else if mask & pipes[1] == 0 {
            0
        } else if waiting[0].abs_diff(waiting[1]) >= self.rules.pipes_apart {
            usize::from(waiting[1] < waiting[0])
        } else {
            let turn = self.turn[one];
            self.turn[one] ^= usize::from(!planted(Fault::SchedulerTurnForgotten));
            turn
        };
        pipes[number]
    }

    /// An operation that waits for that pipe is issued at `cycle`.
    pub(super) fn issue(&mut self, pipe: u32, cycle: u64) {
        let cycle = cycle.clamp(self.now, self.now + HORIZON as u64 - 1);
        for (one, pipes) in self.rules.pipes.iter().enumerate() {
            for (number, own) in pipes.iter().enumerate() {
                let takes = *own == pipe;
                self.waiting[one][number] += u32::from(takes);
                self.leave[cycle as usize % HORIZON][one][number] += u16::from(takes);
            }
        }
    }
}
