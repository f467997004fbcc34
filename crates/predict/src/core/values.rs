// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! When each register's value is there, from which bypass domain, and what delayed it.

use super::Cause;
use crate::description::DOMAINS_MAX;
use crate::plan::{Op, Plan, REGISTERS};

const TABLE: usize = DOMAINS_MAX * DOMAINS_MAX;
const ADDRESS_DOMAIN: u8 = 1;
const STORED_DOMAIN: u8 = 2;

#[derive(Clone, Copy)]
struct Value {
    ready: u64,
    domain: u8,
    cause: Cause,
}

/// When the sources of an instruction are there.
#[derive(Clone, Copy)]
pub(crate) struct Sources {
    pub(crate) address: u64,
    pub(crate) stored: u64,
    pub(crate) other: u64,
    /// The latest of all, and what it waited for.
    pub(crate) last: u64,
    pub(crate) cause: Cause,
}

/// The register scoreboard.
pub(crate) struct Values {
    values: Box<[Value; REGISTERS]>,
    /// Cycles added, by producer's domain and consumer's; a whole table of nothing where the cpu has no domains, so that
    /// the loop over sources need not ask.
    bypass: Box<[u8; TABLE]>,
}

impl Values {
    pub(crate) fn new(bypass: Option<Vec<u8>>) -> Values {
        let mut table = bypass.unwrap_or_default();
        table.resize(TABLE, 0);
        Values {
            values: Box::new([Value { ready: 0, domain: 0, cause: Cause::Dependency }; REGISTERS]),
            bypass: table.into_boxed_slice().try_into().expect("it has that length"),
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, register: u8, ready: u64, domain: u8, cause: Cause) {
        self.values[usize::from(register)] = Value { ready, domain, cause };
    }

    /// When the sources of `op` are there, at `earliest` at the earliest.
    #[inline]
    pub(crate) fn sources(&self, plan: &Plan, op: &Op, earliest: u64) -> Sources {
        let mut found = Sources {
            address: earliest,
            stored: earliest,
            other: earliest,
            last: earliest,
            cause: Cause::Dependency,
        };
        let (address, stored) = (usize::from(op.address_sources), usize::from(op.stored_sources));
        let all = address + stored + usize::from(op.other_sources);
        let registers = &plan.sources[op.sources as usize..op.sources as usize + all];
        let (of_address, rest) = registers.split_at(address);
        let (of_stored, others) = rest.split_at(stored);
        found.address = self.latest(of_address, ADDRESS_DOMAIN, earliest, &mut found);
        found.stored = self.latest(of_stored, STORED_DOMAIN, earliest, &mut found);
        found.other = self.latest(others, op.reads_as, earliest, &mut found);
        found
    }

    #[inline(always)]
    fn latest(&self, registers: &[u8], reader: u8, earliest: u64, found: &mut Sources) -> u64 {
        let mut latest = earliest;
        for &register in registers {
            let value = &self.values[usize::from(register)];
            let crossing = usize::from(value.domain) * DOMAINS_MAX + usize::from(reader);
            let added = u64::from(self.bypass[crossing & (TABLE - 1)]);
            let ready = value.ready + added;
            latest = latest.max(ready);
            if ready > found.last {
                found.last = ready;
                found.cause = value.cause;
            }
        }
        latest
    }
}
