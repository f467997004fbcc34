// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The banks of the first level: bytes at the same offset of their lines are in one, which answers so many loads a cycle. Another
//! one waits for a cycle in which all its banks are free, and others take its pipe meanwhile: that fits loops of loads some of
//! which meet (seed 1 of `validate --native` on Redwood Cove) better than a pipe lost.

use super::planted::{planted, Fault};

/// Cycles that are remembered, a power of two.
const REMEMBERED: usize = 4096;

/// Bits that count the loads of a bank in a cycle, which have to fit into a word for all banks of a line.
const COUNT: u64 = 4;

/// Loads of each bank, by cycle.
pub(super) struct Banks {
    /// Bytes of a bank, and banks of a line.
    bytes: u64,
    count: u64,
    loads: u64,
    taken: Box<[(u64, u64); REMEMBERED]>,
}

impl Banks {
    pub(super) fn new(bytes: u64, line_bytes: u64, loads: u64) -> Banks {
        Banks { bytes, count: line_bytes / bytes, loads, taken: Box::new([(0, 0); REMEMBERED]) }
    }

    /// Cycles for which a load that went to its pipe at `cycle` waits for its banks.
    pub(super) fn wait(&mut self, address: u64, bytes: u64, cycle: u64) -> u64 {
        let first = address / self.bytes;
        let banks = ((address + bytes - 1) / self.bytes - first + 1).min(self.count);
        let mut at = cycle;
        loop {
            let (of, taken) = &mut self.taken[at as usize % REMEMBERED];
            if *of < at {
                (*of, *taken) = (at, 0);
            }
            let shift = |bank: u64| COUNT * ((first + bank) % self.count);
            let is_full = |bank| (*taken >> shift(bank) & ((1 << COUNT) - 1)) >= self.loads;
            if *of > at || planted(Fault::BanksFree) || !(0..banks).any(is_full) {
                (0..banks).for_each(|bank| *taken += 1 << shift(bank));
                return at - cycle;
            }
            at += 1;
        }
    }
}
