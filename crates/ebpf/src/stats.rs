// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How many byte-order operations a program has, and how many a machine with byte-reversed loads and stores (POWER,
//! x86's movbe) could do as part of an access it makes anyway.

use crate::vm::CodeStats;
use crate::{ByteOrder, Error, Vm, SLOT_BYTES};
use std::ops::AddAssign;

/// Counts over one program or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Instructions (`lddw` is one).
    pub instructions: u64,
    /// Plain and sign-extending loads.
    pub loads: u64,
    /// Stores of a register or immediate; atomic operations are not counted.
    pub stores: u64,
    /// `be16`, `be32`, `be64`.
    pub be: [u64; 3],
    /// `le16`, `le32`, `le64`.
    pub le: [u64; 3],
    /// `bswap16`, `bswap32`, `bswap64`.
    pub bswap: [u64; 3],
    /// Swaps, on a machine of the target byte order, that a byte-reversed load can do.
    pub with_load: u64,
    /// Swaps that byte-reversed stores can do.
    pub with_store: u64,
    /// Swaps that remain.
    pub remaining: u64,
}

impl Census {
    /// Counts `bytecode`, and asks the library's own fusion pass what merges on a machine of byte order `target`.
    /// `vm` must hold the same program, verified.
    pub fn of(vm: &mut Vm, bytecode: &[u8], order: ByteOrder, target: ByteOrder) -> Result<Census, Error> {
        let mut census = Census::default();
        let mut at = 0;
        while at + SLOT_BYTES <= bytecode.len() {
            let slot: &[u8; SLOT_BYTES] = bytecode[at..at + SLOT_BYTES].try_into().expect("a whole slot");
            census.count(slot, order);
            at += SLOT_BYTES * if slot[0] == 0x18 { 2 } else { 1 };
        }
        let CodeStats { swaps_with_load, swaps_with_store, swaps_in_register, .. } = vm.census(target)?;
        census.with_load = swaps_with_load.into();
        census.with_store = swaps_with_store.into();
        census.remaining = swaps_in_register.into();
        Ok(census)
    }

    fn count(&mut self, slot: &[u8; SLOT_BYTES], order: ByteOrder) {
        let imm = [slot[4], slot[5], slot[6], slot[7]];
        let bits = match order {
            ByteOrder::Little => u32::from_le_bytes(imm),
            ByteOrder::Big => u32::from_be_bytes(imm),
        };
        let width = match bits {
            16 => 0,
            32 => 1,
            _ => 2,
        };
        self.instructions += 1;
        match slot[0] {
            0xd4 => self.le[width] += 1,
            0xdc => self.be[width] += 1,
            0xd7 => self.bswap[width] += 1,
            opcode if opcode & 7 == 1 => self.loads += 1,
            opcode if opcode & 7 == 2 || opcode & 0xe7 == 0x63 => self.stores += 1,
            _ => {}
        }
    }

    /// All byte-order operations.
    pub fn byte_order_operations(&self) -> u64 {
        [self.be, self.le, self.bswap].iter().flatten().sum()
    }

    /// Swaps that merge, in percent of the swaps; `None` if there is no swap.
    pub fn fusable_percent(&self) -> Option<f64> {
        let swaps = self.with_load + self.with_store + self.remaining;
        (swaps > 0).then(|| 100.0 * (self.with_load + self.with_store) as f64 / swaps as f64)
    }
}

impl AddAssign for Census {
    fn add_assign(&mut self, other: Census) {
        self.instructions += other.instructions;
        self.loads += other.loads;
        self.stores += other.stores;
        for i in 0..3 {
            self.be[i] += other.be[i];
            self.le[i] += other.le[i];
            self.bswap[i] += other.bswap[i];
        }
        self.with_load += other.with_load;
        self.with_store += other.with_store;
        self.remaining += other.remaining;
    }
}
