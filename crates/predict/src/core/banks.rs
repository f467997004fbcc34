// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The banks of the first level: bytes at the same offset of their lines are in one, which answers so many loads a cycle. Another
//! one waits for a cycle in which all its banks are free, and others take its pipe meanwhile: that fits loops of loads some of
//! which meet (seed 1 of `validate --native` on Redwood Cove) better than a pipe lost.

use super::hint::mostly;
use super::planted::{planted, Fault};
use crate::description::BANKS_MAX;

/// Cycles that are remembered, a power of two.
const REMEMBERED: usize = 4096;

/// Bits that count the loads of a bank in a cycle, which have to fit into a word for all banks of a line.
const COUNT: u64 = u64::BITS as u64 / BANKS_MAX;

/// Loads of each bank, by cycle.
pub(super) struct Banks {
    /// Bits of an address within a bank, and those that tell the banks of a line apart.
    shift: u32,
    mask: u64,
    /// For each bank, what its count needs beside the loads that it answers to fill its highest bit.
    lacking: u64,
    taken: Box<[(u64, u64); REMEMBERED]>,
}

impl Banks {
    /// Of so many bytes, a power of two, or what is left of one.
    pub(super) fn new(bytes: u64, line_bytes: u64, loads: u64) -> Banks {
        let shift = bytes.ilog2();
        let mask = (line_bytes >> shift) - 1;
        let lacking = (0..=mask).fold(0, |all, bank| all | ((1 << (COUNT - 1)) - loads) << (COUNT * bank));
        Banks { shift, mask, lacking, taken: Box::new([(0, 0); REMEMBERED]) }
    }

    /// A count of one for each of the banks from that one on, at its place; most loads have one.
    #[inline]
    fn counts(&self, first: u64, banks: u64) -> u64 {
        let count = |bank: u64| 1 << (COUNT * (bank & self.mask));
        if mostly(banks == 1) {
            return count(first);
        }
        (first..first + banks).fold(0, |counts, bank| counts | count(bank))
    }

    /// Cycles for which a load that went to its pipe at `cycle` waits for its banks.
    pub(super) fn wait(&mut self, address: u64, bytes: u64, cycle: u64) -> u64 {
        let first = address >> self.shift;
        let banks = (((address + bytes - 1) >> self.shift) - first).min(self.mask) + 1;
        let one = self.counts(first, banks);
        let mut at = cycle;
        loop {
            let (of, taken) = &mut self.taken[at as usize % REMEMBERED];
            if *of < at {
                (*of, *taken) = (at, 0);
            }
            if *of > at || planted(Fault::BanksFree) {
                return at - cycle;
            }
            // The highest bit of a count, beside what is lacking to it, tells that it has reached the limit.
            if (*taken + self.lacking) & one << (COUNT - 1) == 0 {
                *taken += one;
                return at - cycle;
            }
            at += 1;
        }
    }
}
