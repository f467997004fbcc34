// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The operands of `logmpp` and `mtspr MPPR`, as the mail thread of 2014 gives them: a table's address, aligned to its
//! size, and control bits. `logmpp`: log control at bit 54 (1: L2 and L3, 2: L2, 3: abort). MPPR: fetch control at bit 60
//! (0: no data, which ends a fetch; 2: until the end of the table). The thread names the prefetch rates (fastest, every 8,
//! 16, 24 or 32 cycles) but not their bits: the two bits below fetch control are this model's choice.

use std::fmt;

/// A table of the second level: 4096 lines of 8 bytes.
pub const L2_TABLE_BYTES: u64 = 32 << 10;
/// A table of the second level and the third's most recently used way.
pub const L2_L3_TABLE_BYTES: u64 = 128 << 10;

const LOG_SHIFT: u32 = 54;
const FETCH_SHIFT: u32 = 60;
const RATE_SHIFT: u32 = 58;
/// Bits 48 and up are control.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// What `logmpp` requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogControl {
    /// Nothing.
    NoOperation,
    /// Second level and the third's most recent way.
    L2L3,
    /// Second level.
    L2,
    /// End the current log.
    Abort,
}

/// What MPPR requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchControl {
    /// No data: ends a fetch.
    Abort,
    /// Until the end of the table.
    WholeTable,
}

/// Why an operand is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandError {
    /// The table's address is not a multiple of its size.
    Misaligned {
        /// The address.
        address: u64,
        /// The alignment that it needs.
        alignment: u64,
    },
    /// A fetch control that the thread does not name.
    UnknownControl(u64),
}

impl fmt::Display for OperandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandError::Misaligned { address, alignment } => {
                write!(f, "the table at {address:#x} is no multiple of {} KiB", alignment >> 10)
            }
            OperandError::UnknownControl(bits) => write!(f, "the thread names no fetch control {bits:#x}"),
        }
    }
}

/// `logmpp`'s register, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOperand {
    /// Real address of the table.
    pub address: u64,
    /// What to do.
    pub control: LogControl,
}

impl LogOperand {
    /// The register's value.
    pub fn encode(self) -> u64 {
        let control = match self.control {
            LogControl::NoOperation => 0,
            LogControl::L2L3 => 1,
            LogControl::L2 => 2,
            LogControl::Abort => 3,
        };
        self.address & ADDRESS_BITS | control << LOG_SHIFT
    }

    /// From the register's value.
    ///
    /// # Errors
    /// A table that is not aligned to its size.
    pub fn decode(register: u64) -> Result<LogOperand, OperandError> {
        let (control, alignment) = match register >> LOG_SHIFT & 3 {
            0 => (LogControl::NoOperation, 1),
            1 => (LogControl::L2L3, L2_L3_TABLE_BYTES),
            2 => (LogControl::L2, L2_TABLE_BYTES),
            _ => (LogControl::Abort, 1),
        };
        let address = register & ADDRESS_BITS;
        aligned(address, alignment).map(|()| LogOperand { address, control })
    }
}

/// The MPPR's value, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchOperand {
    /// Real address of the table.
    pub address: u64,
    /// What to do.
    pub control: FetchControl,
    /// 0 to 3: a line every 8, 16, 24 or 32 cycles.
    pub rate: u8,
}

impl FetchOperand {
    /// The register's value.
    pub fn encode(self) -> u64 {
        let control = match self.control {
            FetchControl::Abort => 0,
            FetchControl::WholeTable => 2,
        };
        self.address & ADDRESS_BITS | control << FETCH_SHIFT | u64::from(self.rate & 3) << RATE_SHIFT
    }

    /// From the register's value.
    ///
    /// # Errors
    /// A control that the thread does not name; a whole table at a misaligned address.
    pub fn decode(register: u64) -> Result<FetchOperand, OperandError> {
        let address = register & ADDRESS_BITS;
        let rate = (register >> RATE_SHIFT & 3) as u8;
        match register >> FETCH_SHIFT {
            0 => Ok(FetchOperand { address, control: FetchControl::Abort, rate }),
            2 => aligned(address, L2_TABLE_BYTES).map(|()| FetchOperand {
                address,
                control: FetchControl::WholeTable,
                rate,
            }),
            other => Err(OperandError::UnknownControl(other)),
        }
    }
}

fn aligned(address: u64, alignment: u64) -> Result<(), OperandError> {
    match address % alignment {
        0 => Ok(()),
        _ => Err(OperandError::Misaligned { address, alignment }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_what_the_thread_writes() {
        let log = LogOperand { address: 0x12340_0000, control: LogControl::L2 };
        assert_eq!(log.encode(), 0x1234_00000 | 2 << 54, "PPC_MPPE_LOG_L2");
        assert_eq!(LogOperand::decode(log.encode()), Ok(log));
        let fetch = FetchOperand { address: 0x12340_0000, control: FetchControl::WholeTable, rate: 0 };
        assert_eq!(fetch.encode(), 0x1234_00000 | 2 << 60, "PPC_MPPE_WHOLE_TABLE");
        assert_eq!(FetchOperand::decode(fetch.encode()), Ok(fetch));
        let end = FetchOperand::decode(fetch.encode() & 0x0fff_ffff_ffff_ffff).unwrap();
        assert_eq!(end.control, FetchControl::Abort, "the thread's tmp & 0x0fff...");
    }

    #[test]
    fn tables_have_to_be_aligned_to_their_size() {
        let wrong = LogOperand { address: 0x4000, control: LogControl::L2 };
        assert!(LogOperand::decode(wrong.encode()).unwrap_err().to_string().contains("32 KiB"));
        let wrong = LogOperand { address: 0x8000, control: LogControl::L2L3 };
        assert!(LogOperand::decode(wrong.encode()).unwrap_err().to_string().contains("128 KiB"));
        assert!(FetchOperand::decode(0x4000 | 2 << 60).is_err());
        assert_eq!(FetchOperand::decode(1 << 60), Err(OperandError::UnknownControl(1)));
    }

    #[test]
    fn the_posted_instruction_reads_the_stack_pointer_which_asks_for_nothing() {
        // asm(PPC_LOGMPP(R1) : : "r"(tmp)) encodes r1 whatever tmp is: a kernel stack's address.
        let kernel_stack = 0xc000_001f_e2a3_b9d0;
        assert_eq!(LogOperand::decode(kernel_stack).unwrap().control, LogControl::NoOperation);
    }

    #[test]
    fn the_posted_mask_lets_a_misaligned_table_through() {
        let masked = (0x1_2345_6789u64 & 0xffff_ffff_c000) | 2 << 54;
        assert!(LogOperand::decode(masked).is_err(), "0xffffffffc000 is a granule of 16 KiB");
        // It works by accident: pages of 4 KiB are allocated 16 at a time, aligned to 64 KiB, and (p + 0x8000) & ~0x8000
        // does not change such an address.
        let pages = 0x1_2345_0000u64;
        assert_eq!((pages + 8 * 4096) & !(8 * 4096), pages);
        assert!(LogOperand::decode(pages | 1 << 54).is_err(), "but not for the 128 KiB of both levels");
    }
}
