// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's registers: when each was written, in which domain, and where on a core with halves.

use crate::cpu::schema::CoreKind;
use crate::description::*;
use crate::flags::Flags;
use crate::op::*;
use crate::plan::Plan;
use decode::Role;

/// Where a value was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// Readers in either half have it at once.
    Anywhere,
    /// Those in the other half have it later.
    Half(usize),
    /// All have it later.
    Elsewhere,
}

#[derive(Clone, Copy)]
struct Value {
    time: u64,
    domain: u8,
    made: Made,
    /// When the instruction that made it was dispatched.
    dispatched: u64,
}

pub(super) struct Registers {
    values: Vec<Value>,
    bypass: Vec<u8>,
    /// By domain, that of its results to what is dispatched later; and when the newest instruction was.
    later: [u8; DOMAINS_MAX],
    now: u64,
    /// The core renames instruction by instruction, and moves among them.
    renames: bool,
}

/// Whether the result is the source by another name: it takes no pipe and no time to make the only one of the only other.
fn is_copy(plan: &Plan, op: &Op) -> bool {
    let (address, stored, others) = plan.sources_of(op);
    let same = |result: &Result| (result.role, result.latency(), result.domain()) == (Role::Value, 0, 0);
    plan.parts_of(op).is_empty()
        && !op.is(Flags::LOAD | Flags::STORE)
        && (address.len(), stored.len(), others.len()) == (0, 0, 1)
        && matches!(plan.results_of(op), [result] if same(result))
}

/// When the sources of an instruction are there, none before it may begin.
pub(super) struct Ready {
    pub(super) address: u64,
    pub(super) stored: u64,
    pub(super) others: u64,
}

impl Ready {
    pub(super) fn all(&self) -> u64 {
        self.address.max(self.stored).max(self.others)
    }
}

impl Registers {
    pub(super) fn new(description: &Description) -> Registers {
        let none = || vec![0; DOMAINS_MAX * DOMAINS_MAX];
        Registers {
            values: vec![Value { time: 0, domain: 0, made: Made::Anywhere, dispatched: 0 }; REGISTERS],
            bypass: description.bypass.clone().unwrap_or_else(none),
            later: description.later,
            now: 0,
            renames: description.kind == CoreKind::OutOfOrder,
        }
    }

    pub(super) fn write(&mut self, result: &Result, from: u64, made: Made) {
        let time = from + u64::from(result.latency());
        let value = Value { time, domain: result.domain(), made, dispatched: self.now };
        self.values[usize::from(result.register)] = value;
    }

    /// Whether the instruction gives its source another name, on a core that does so.
    pub(super) fn copies(&self, plan: &Plan, op: &Op) -> bool {
        self.renames && is_copy(plan, op)
    }

    /// The domain that a copy of the register has, which reads it as `reader`: its own, unless a bypass comes in between.
    pub(super) fn copied(&self, register: u8, reader: u8) -> u8 {
        let domain = self.domain_of(register);
        let waits = reader != 0 && self.cycles(domain, reader) > 0;
        if waits {
            0
        } else {
            domain
        }
    }

    /// An instruction is dispatched.
    pub(super) fn dispatched(&mut self, now: u64) {
        self.now = now;
    }

    pub(super) fn domain_of(&self, register: u8) -> u8 {
        let value = self.values[usize::from(register)];
        if self.now > value.dispatched {
            self.later[usize::from(value.domain)]
        } else {
            value.domain
        }
    }

    pub(super) fn cycles(&self, from: u8, to: u8) -> u64 {
        u64::from(self.bypass[usize::from(from) * DOMAINS_MAX + usize::from(to)])
    }

    fn latest(&self, registers: &[u8], reader: u8, start: u64, half: Option<usize>) -> u64 {
        let seen = |&register: &u8| {
            let value = self.values[usize::from(register)];
            let other_half = match value.made {
                Made::Anywhere => false,
                Made::Half(made) => half.is_some_and(|half| half != made),
                Made::Elsewhere => half.is_some(),
            };
            let domain = self.domain_of(register);
            let across = if other_half { self.cycles(domain, OTHER_HALF) } else { 0 };
            value.time + self.cycles(domain, reader).max(across)
        };
        registers.iter().map(seen).fold(start, u64::max)
    }

    pub(super) fn ready(&self, plan: &Plan, op: &Op, start: u64, half: Option<usize>) -> Ready {
        let (address, stored, others) = plan.sources_of(op);
        if self.copies(plan, op) && op.source_domain == 0 {
            let others = others.iter().map(|&one| self.values[usize::from(one)].time).fold(start, u64::max);
            return Ready { address: start, stored: start, others };
        }
        Ready {
            address: self.latest(address, ADDRESS_DOMAIN, start, half),
            stored: self.latest(stored, STORED_DOMAIN, start, half),
            others: self.latest(others, op.source_domain, start, half),
        }
    }
}
