// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The fields of one instruction slot in either byte order, to be read and written in place.

use crate::{ByteOrder, SLOT_BYTES};

/// A slot's fields that linking reads and writes.
pub(crate) struct Slot<'c> {
    bytes: &'c mut [u8],
    order: ByteOrder,
}

impl Slot<'_> {
    pub(crate) fn opcode(&self) -> u8 {
        self.bytes[0]
    }

    pub(crate) fn src(&self) -> u8 {
        match self.order {
            ByteOrder::Little => self.bytes[1] >> 4,
            ByteOrder::Big => self.bytes[1] & 15,
        }
    }

    pub(crate) fn set_src(&mut self, src: u8) {
        self.bytes[1] = match self.order {
            ByteOrder::Little => self.bytes[1] & 0x0f | src << 4,
            ByteOrder::Big => self.bytes[1] & 0xf0 | src,
        };
    }

    pub(crate) fn imm(&self) -> i32 {
        let bytes = self.bytes[4..8].try_into().expect("a slot has 8 bytes");
        match self.order {
            ByteOrder::Little => i32::from_le_bytes(bytes),
            ByteOrder::Big => i32::from_be_bytes(bytes),
        }
    }

    pub(crate) fn set_imm(&mut self, imm: i32) {
        self.bytes[4..8].copy_from_slice(&match self.order {
            ByteOrder::Little => imm.to_le_bytes(),
            ByteOrder::Big => imm.to_be_bytes(),
        });
    }
}

/// The slot with this index, if the code has it.
pub(crate) fn slot_at(code: &mut [u8], slot: usize, order: ByteOrder) -> Option<Slot<'_>> {
    let bytes = code.get_mut(slot * SLOT_BYTES..(slot + 1) * SLOT_BYTES)?;
    Some(Slot { bytes, order })
}
