// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! When each register's value is there, from which bypass domain, and what delayed it.

use super::Cause;
use crate::description::DOMAINS_MAX;
use crate::plan::{Op, Plan, REGISTERS};

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
    bypass: Option<Vec<u8>>,
}

impl Values {
    pub(crate) fn new(bypass: Option<Vec<u8>>) -> Values {
        Values {
            values: Box::new([Value { ready: 0, domain: 0, cause: Cause::Dependency }; REGISTERS]),
            bypass,
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
        let start = op.sources as usize;
        let stored = start + usize::from(op.address_sources);
        let other = stored + usize::from(op.stored_sources);
        let end = other + usize::from(op.other_sources);
        found.address = self.latest(&plan.sources[start..stored], ADDRESS_DOMAIN, earliest, &mut found);
        found.stored = self.latest(&plan.sources[stored..other], STORED_DOMAIN, earliest, &mut found);
        found.other = self.latest(&plan.sources[other..end], op.reads_as, earliest, &mut found);
        found
    }

    #[inline(always)]
    fn latest(&self, registers: &[u8], reader: u8, earliest: u64, found: &mut Sources) -> u64 {
        let mut latest = earliest;
        for &register in registers {
            let value = &self.values[usize::from(register)];
            let added = match &self.bypass {
                Some(table) => {
                    u64::from(table[usize::from(value.domain) * DOMAINS_MAX + usize::from(reader)])
                }
                None => 0,
            };
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
