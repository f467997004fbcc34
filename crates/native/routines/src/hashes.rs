// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Hash functions and checksums.

use crate::input::{bytes, sum, text, WINDOW};
use crate::routine::routines;
use digest::Digest;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// The digest of so many bytes.
fn digest<D: Digest>(call: usize, count: usize) -> u64 {
    sum(&D::digest(bytes(call, count)))
}

/// Hashes pieces of the call's window, of which each is a little longer than the one before.
fn pieces(call: usize, mut hash: impl FnMut(&[u8]) -> u64) -> u64 {
    let window = bytes(call, WINDOW);
    (0..240).fold(0, |sum: u64, number| {
        let start = number * 7;
        sum.rotate_left(1) ^ hash(&window[start..start + number % 60 + 1])
    })
}

fn hashed(mut hasher: impl Hasher, bytes: &[u8]) -> u64 {
    hasher.write(bytes);
    hasher.finish()
}

static CRC_32: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
static CRC_64: crc::Crc<u64, crc::NoTable> = crc::Crc::<u64, crc::NoTable>::new(&crc::CRC_64_XZ);

routines! { "hash"
    roi_md4(call) { digest::<md4::Md4>(call, WINDOW) }
    roi_md5(call) { digest::<md5::Md5>(call, WINDOW) }
    roi_sha1(call) { digest::<sha1::Sha1>(call, WINDOW) }
    roi_sha256(call) { digest::<sha2::Sha256>(call, WINDOW) }
    roi_sha512(call) { digest::<sha2::Sha512>(call, WINDOW) }
    roi_sha3_256(call) { digest::<sha3::Sha3_256>(call, WINDOW) }
    roi_ripemd160(call) { digest::<ripemd::Ripemd160>(call, WINDOW) }
    roi_whirlpool(call) { digest::<whirlpool::Whirlpool>(call, 1000) }
    roi_blake2b(call) { digest::<blake2::Blake2b512>(call, WINDOW) }
    roi_blake2s(call) { digest::<blake2::Blake2s256>(call, WINDOW) }
    roi_sm3(call) { digest::<sm3::Sm3>(call, WINDOW) }
    roi_streebog256(call) { digest::<streebog::Streebog256>(call, 500) }
    roi_tiger(call) { digest::<tiger::Tiger>(call, WINDOW) }
    roi_groestl256(call) { digest::<groestl::Groestl256>(call, 500) }
    /// Short keys, as a hash table has them.
    roi_siphash13(call) { pieces(call, |piece| hashed(SipHasher13::new_with_keys(3, 5), piece)) }
    roi_xxh32(call) { pieces(call, |piece| hashed(twox_hash::XxHash32::with_seed(7), piece)) }
    roi_xxh64(call) { pieces(call, |piece| hashed(twox_hash::XxHash64::with_seed(7), piece)) }
    roi_seahash(call) { pieces(call, seahash::hash) }
    roi_fnv(call) { pieces(call, |piece| hashed(fnv::FnvHasher::default(), piece)) }
    roi_adler32(call) {
        (0..8).fold(0, |sum, part| sum ^ u64::from(adler2::adler32_slice(bytes(call + part, 1700 + part))))
    }
    /// Byte by byte, with a table.
    roi_crc32(call) { u64::from(CRC_32.checksum(bytes(call, WINDOW))) }
    /// Bit by bit.
    roi_crc64_bits(call) { CRC_64.checksum(text(call, 600)) }
}
