// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The Internet checksum of IP, TCP, UDP and ICMP: libs/checksum for Rust programs. On x86-64 the form that suits the CPU
//! and the length is chosen at run time; elsewhere the portable one runs.
//!
//! A [`Sum`] is a partial sum of 16-bit words in the machine's own byte order, as they lie in memory; the result of
//! [`Sum::fold`] is written to memory the same way ([`u16::to_ne_bytes`]) and is then right on the wire (RFC 1071, 2(B)).
//!
//! ```
//! use checksum::Sum;
//!
//! // An IPv4 header with its checksum, 0xb861, in place: its sum folds to 0.
//! let header = [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7];
//! assert_eq!(Sum::default().add(&header).fold(), 0);
//!
//! // Computed anew:
//! let mut fresh = header;
//! fresh[10..12].fill(0);
//! let check = Sum::default().add(&fresh).fold();
//! assert_eq!(check.to_ne_bytes(), [0xb8, 0x61]);
//!
//! // At the next hop, the word with the time to live changes: the checksum is updated instead of computed anew.
//! let (from, to) = (u16::from_ne_bytes([0x40, 0x11]), u16::from_ne_bytes([0x3f, 0x11]));
//! assert_eq!(checksum::replace16(check, from, to).to_ne_bytes(), [0xb9, 0x61]);
//! ```

use std::ffi::{c_int, c_void};

extern "C" {
    fn csum_partial(buffer: *const c_void, bytes: c_int, sum: u32) -> u32;
    fn csum_fold(sum: u32) -> u16;
    fn csum_partial_copy(from: *const c_void, to: *mut c_void, bytes: c_int) -> u32;
    fn csum_ipv6_magic(
        source: *const c_void,
        destination: *const c_void,
        bytes: u32,
        protocol: u8,
        sum: u32,
    ) -> u16;
    fn csum_replace2(check: u16, from: u16, to: u16) -> u16;
    fn csum_replace4(check: u16, from: u32, to: u32) -> u16;
}

/// Even, so that every piece starts at an even offset, and small enough for a C `int`.
const PIECE_BYTES: usize = 1 << 30;

/// A partial sum; the default is the sum of no bytes.
///
/// Sums of the same words may differ in representation: only the results of [`Sum::fold`] can be compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(u32);

impl Sum {
    /// Adds bytes that follow those summed so far. The last byte of an odd number is padded with a zero byte, so only the
    /// last piece of the data may have an odd length.
    #[must_use]
    pub fn add(self, bytes: &[u8]) -> Sum {
        bytes.chunks(PIECE_BYTES).fold(self, |sum, piece| {
            // SAFETY: the function reads these bytes and no others; their number fits.
            Sum(unsafe { csum_partial(piece.as_ptr().cast(), piece.len() as c_int, sum.0) })
        })
    }

    /// Copies `from` to `to` and adds it, in one pass. The sum of zero bytes alone is 0xffff instead of 0, the same number
    /// in one's complement; it folds to 0.
    ///
    /// # Panics
    /// If the lengths differ.
    #[must_use]
    pub fn add_copied(self, from: &[u8], to: &mut [u8]) -> Sum {
        assert_eq!(from.len(), to.len(), "source and destination are of one length");
        from.chunks(PIECE_BYTES).zip(to.chunks_mut(PIECE_BYTES)).fold(self, |sum, (from, to)| {
            // SAFETY: it reads the one and writes the other, which do not overlap; their length fits.
            let copied = unsafe {
                csum_partial_copy(from.as_ptr().cast(), to.as_mut_ptr().cast(), from.len() as c_int)
            };
            let (added, carry) = sum.0.overflowing_add(copied);
            Sum(added + u32::from(carry))
        })
    }

    /// The checksum for a header: folded to 16 bits and complemented.
    #[must_use]
    pub fn fold(self) -> u16 {
        // SAFETY: a function of a number.
        unsafe { csum_fold(self.0) }
    }

    /// The checksum for a TCP, UDP or ICMPv6 header over IPv6: with the pseudo-header of RFC 8200, 8.1, folded and
    /// complemented. `bytes` is the upper layer's length.
    #[must_use]
    pub fn fold_ipv6(self, source: &[u8; 16], destination: &[u8; 16], bytes: u32, protocol: u8) -> u16 {
        /// Aligned, since the C function reads words.
        #[repr(align(4))]
        struct Address([u8; 16]);
        let (source, destination) = (Address(*source), Address(*destination));
        // The limit of the C function's contract; no packet is that long.
        let bytes = bytes.min(u32::MAX - u32::from(u8::MAX));
        // SAFETY: both are 16 bytes at addresses that are multiples of 4.
        unsafe {
            let (source, destination) = (source.0.as_ptr().cast(), destination.0.as_ptr().cast());
            csum_ipv6_magic(source, destination, bytes, protocol, self.0)
        }
    }
}

/// Updates the checksum of a header in which a 16-bit word has changed (RFC 1624, equation 3); all values as in memory.
#[must_use]
pub fn replace16(check: u16, from: u16, to: u16) -> u16 {
    // SAFETY: a function of numbers.
    unsafe { csum_replace2(check, from, to) }
}

/// The same for a 32-bit word, such as an address.
#[must_use]
pub fn replace32(check: u16, from: u32, to: u32) -> u16 {
    // SAFETY: a function of numbers.
    unsafe { csum_replace4(check, from, to) }
}
