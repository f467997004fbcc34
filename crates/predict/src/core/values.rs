// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! When each register's value is there, from which bypass domain, and what delayed it.

use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use crate::cause::{Cause, CAUSE_MASK};
use crate::description::{ADDRESS_DOMAIN, DOMAINS_MAX, OTHER_HALF, STORED_DOMAIN};
use crate::flags::Flags;
use crate::op::{Op, Result, REGISTERS};
use crate::plan::Plan;
use crate::value::{Value, DOMAIN_SHIFT, TIME_SHIFT};

/// The cause that an instruction without a delay of its own passes on at `ready`.
fn value(ready: u64) -> Value {
    ready << TIME_SHIFT | Cause::Dependency as u64
}

/// When the sources of an instruction are there.
#[derive(Clone, Copy)]
pub(crate) struct Sources {
    pub(crate) address: u64,
    pub(crate) stored: u64,
    pub(crate) other: u64,
    /// The latest of all, and the number of the cause that it waited for.
    pub(crate) last: u64,
    pub(crate) cause: u64,
}

/// The register scoreboard.
pub(crate) struct Values {
    values: [Value; REGISTERS],
    /// Cycles added, by consumer's domain and producer's; all 0 where the cpu has no domains, so that no check is needed.
    bypass: [[u8; DOMAINS_MAX]; DOMAINS_MAX],
    /// By domain, that of results to what is dispatched in a later cycle.
    later: [u8; DOMAINS_MAX],
    /// Registers with results of the cycle `fresh_at` whose domain is another one then.
    fresh: Vec<u8>,
    fresh_at: u64,
}

impl Values {
    /// `bypass` is by producer's domain and consumer's, `later` by domain.
    pub(crate) fn new(bypass: Option<&[u8]>, later: [u8; DOMAINS_MAX]) -> Values {
        let mut table = [[0; DOMAINS_MAX]; DOMAINS_MAX];
        for (index, &cycles) in bypass.unwrap_or_default().iter().enumerate() {
            table[index % DOMAINS_MAX][index / DOMAINS_MAX % DOMAINS_MAX] = cycles;
        }
        Values { values: [0; REGISTERS], bypass: table, later, fresh: Vec::new(), fresh_at: 0 }
    }

    /// An instruction is dispatched at `cycle`: what earlier cycles' results are to it.
    #[inline]
    pub(crate) fn dispatched(&mut self, cycle: u64) {
        if rarely(!self.fresh.is_empty()) && cycle > self.fresh_at {
            self.pass();
        }
    }

    /// The results of that cycle are of other domains from now on.
    #[cold]
    fn pass(&mut self) {
        while let Some(register) = self.fresh.pop() {
            self.set_domain(register, self.later[usize::from(self.domain_of(register))]);
        }
    }

    /// These results are of an instruction dispatched at `cycle`.
    #[inline(never)]
    pub(crate) fn made(&mut self, results: &[Result], cycle: u64) {
        if !planted(Fault::NeverLater) {
            self.fresh.extend(results.iter().map(|result| result.register));
            self.fresh_at = cycle;
        }
    }

    /// `result` counts its latency from `base`, and `cause` delayed it; `mark` is that of the half it comes from.
    #[inline]
    pub(crate) fn set(&mut self, result: &Result, base: u64, cause: Cause, mark: u64) {
        let other = (cause as u64).wrapping_sub(Cause::Dependency as u64);
        let timed = (base << TIME_SHIFT) + u64::from(result.value);
        self.values[usize::from(result.register)] = timed.wrapping_add(other) | mark;
    }

    /// The bypass domain that the register's value comes from.
    pub(crate) fn domain_of(&self, register: u8) -> u8 {
        (self.values[usize::from(register)] >> DOMAIN_SHIFT) as u8 % DOMAINS_MAX as u8
    }

    /// The bypass domain of what `op` copies; it becomes that of other results if the copy had to wait for the bypass.
    pub(crate) fn copied(&self, op: &Op) -> u8 {
        let domain = self.domain_of(op.first_sources[0]);
        let late = !op.is(Flags::NEAR) && self.late(domain, op.source_domain) > 0;
        if late || planted(Fault::CopyForgotten) {
            0
        } else {
            domain
        }
    }

    /// The register's value comes from that domain instead.
    #[inline]
    pub(crate) fn pass_on(&mut self, register: u8, domain: u8) {
        self.set_domain(register, domain);
        // It is one of this cycle's if it is to be another one in the next.
        if rarely(self.later[usize::from(domain) % DOMAINS_MAX] != domain) {
            self.fresh.push(register);
        }
    }

    #[inline]
    fn set_domain(&mut self, register: u8, domain: u8) {
        let value = &mut self.values[usize::from(register)];
        *value = *value & !(0xff << DOMAIN_SHIFT) | u64::from(domain) << DOMAIN_SHIFT;
    }

    /// How much later than to others what comes from one domain is there to readers of another.
    pub(crate) fn late(&self, domain: u8, reader: u8) -> u64 {
        u64::from(self.row(reader)[usize::from(domain) % DOMAINS_MAX])
    }

    /// The register has a value that has been there from the first.
    pub(crate) fn forget(&mut self, register: u8) {
        self.values[usize::from(register)] = 0;
    }

    /// When the sources of a `ONE_KIND` instruction are there, at `earliest` at the earliest, and the number of the cause
    /// that the last one waited for.
    #[inline(always)]
    pub(crate) fn one_kind(&self, plan: &Plan, op: &Op, earliest: u64, far: u64) -> (u64, u64) {
        let mut latest = value(earliest);
        if mostly(op.is(Flags::NEAR)) {
            for register in op.first_sources {
                latest = latest.max(self.crossed(self.values[usize::from(register)], 0, far));
            }
        } else {
            let row = self.row(op.source_domain);
            for register in op.first_sources {
                latest = latest.max(self.seen_by(row, register, far));
            }
            if rarely(op.is(Flags::MANY_SOURCES)) && !planted(Fault::ManyForgotten) {
                latest = latest.max(self.latest(plan.all_sources(op), op.source_domain, far));
            }
        }
        (latest >> TIME_SHIFT, latest & CAUSE_MASK)
    }

    /// When the sources of a `PAIR` are there for its address and for its other part, at `earliest` at the earliest, and the
    /// number of the cause that the later of them waited for.
    #[inline(always)]
    pub(crate) fn pair(&self, op: &Op, earliest: u64, far: u64) -> (u64, u64, u64) {
        let [first, second, third] = op.first_sources;
        let (first, second, other) = if mostly(op.is(Flags::NEAR)) {
            let at_once = |register: u8| self.crossed(self.values[usize::from(register)], 0, far);
            (at_once(first), at_once(second), at_once(third))
        } else {
            let row = self.row(ADDRESS_DOMAIN);
            let other = self.row(if op.stored_sources > 0 { STORED_DOMAIN } else { op.source_domain });
            (self.seen_by(row, first, far), self.seen_by(row, second, far), self.seen_by(other, third, far))
        };
        let address = value(earliest).max(first).max(second);
        let other = value(earliest).max(other);
        (address >> TIME_SHIFT, other >> TIME_SHIFT, address.max(other) & CAUSE_MASK)
    }

    /// When the sources of `op` are there, at `earliest` at the earliest.
    #[inline]
    pub(crate) fn sources(&self, plan: &Plan, op: &Op, earliest: u64, far: u64) -> Sources {
        if op.is(Flags::ONE_KIND) {
            let (last, cause) = self.one_kind(plan, op, earliest, far);
            let of = |count| if count > 0 { last } else { earliest };
            let (address, stored, other) =
                (of(op.address_sources), of(op.stored_sources), of(op.other_sources));
            return Sources { address, stored, other, last, cause };
        }
        let least = value(earliest);
        let (of_address, of_stored, others) = plan.sources_of(op);
        let latest = |registers: &[u8], reader| match registers {
            [] => least,
            registers => self.latest(registers, reader, far).max(least),
        };
        let address = latest(of_address, ADDRESS_DOMAIN);
        let stored = latest(of_stored, STORED_DOMAIN);
        let other = latest(others, op.source_domain);
        let last = address.max(stored).max(other);
        Sources {
            address: address >> TIME_SHIFT,
            stored: stored >> TIME_SHIFT,
            other: other >> TIME_SHIFT,
            last: last >> TIME_SHIFT,
            cause: last & CAUSE_MASK,
        }
    }

    #[inline]
    fn row(&self, reader: u8) -> &[u8; DOMAINS_MAX] {
        &self.bypass[usize::from(reader) % DOMAINS_MAX]
    }

    #[inline]
    fn seen_by(&self, row: &[u8; DOMAINS_MAX], register: u8, far: u64) -> Value {
        let value = self.values[usize::from(register)];
        self.crossed(value, row[(value >> DOMAIN_SHIFT) as usize % DOMAINS_MAX], far)
    }

    /// The value `late` cycles later, or as late as values from another half, one of `far`, come, if that is later.
    #[inline]
    fn crossed(&self, value: Value, late: u8, far: u64) -> Value {
        let far = if planted(Fault::HalvesNear) { 0 } else { far };
        let late = if planted(Fault::BypassForgotten) { 0 } else { late };
        let across = || self.row(OTHER_HALF)[(value >> DOMAIN_SHIFT) as usize % DOMAINS_MAX];
        let late = if value & far != 0 { late.max(across()) } else { late };
        value + (u64::from(late) << TIME_SHIFT)
    }

    #[inline]
    fn latest(&self, registers: &[u8], reader: u8, far: u64) -> Value {
        let row = self.row(reader);
        registers.iter().fold(0, |latest, &register| latest.max(self.seen_by(row, register, far)))
    }
}
