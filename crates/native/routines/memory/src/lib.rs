// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `memcpy` and its kin for x86-64 as it was at first.
//!
//! The C library chooses its own by what CPUID says, so natively another one than under QEMU, and then what is timed is not what
//! was recorded. These are found first by the linker. Sixteen bytes at a time; the ends overlap what is between them.
//!
//! Without `no_builtins` the compiler would see that a loop copies and make it a call of the function that it stands in.

#![no_std]
#![no_builtins]

use core::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8, _mm_storeu_si128,
};

/// Bytes of a vector.
const VECTOR: usize = 16;

unsafe fn load(from: *const u8) -> __m128i {
    // SAFETY: the caller has 16 bytes there.
    unsafe { _mm_loadu_si128(from.cast()) }
}

unsafe fn store(to: *mut u8, vector: __m128i) {
    // SAFETY: the caller has 16 bytes there.
    unsafe { _mm_storeu_si128(to.cast(), vector) }
}

/// Copies one to 15 bytes: all are read before any is written, so they may overlap.
unsafe fn copy_short(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: both halves are within the caller's bytes.
    unsafe {
        if bytes >= 8 {
            let (first, last) = (from.cast::<u64>(), from.add(bytes - 8).cast::<u64>());
            let (first, last) = (first.read_unaligned(), last.read_unaligned());
            to.cast::<u64>().write_unaligned(first);
            to.add(bytes - 8).cast::<u64>().write_unaligned(last);
        } else if bytes >= 4 {
            let (first, last) = (from.cast::<u32>(), from.add(bytes - 4).cast::<u32>());
            let (first, last) = (first.read_unaligned(), last.read_unaligned());
            to.cast::<u32>().write_unaligned(first);
            to.add(bytes - 4).cast::<u32>().write_unaligned(last);
        } else if bytes > 0 {
            let (first, middle, last) = (from.read(), from.add(bytes / 2).read(), from.add(bytes - 1).read());
            to.write(first);
            to.add(bytes / 2).write(middle);
            to.add(bytes - 1).write(last);
        }
    }
}

/// C11 7.24.2.1.
///
/// # Safety
/// Both have so many bytes, and do not overlap.
#[no_mangle]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: as the caller promises.
    unsafe { forwards(to, from, bytes) }
    to
}

/// Copies from the first byte on; the bytes may overlap if `to` is below `from`.
unsafe fn forwards(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: every vector is within the bytes. The last one is read before any byte is written.
    unsafe {
        if bytes < VECTOR {
            return copy_short(to, from, bytes);
        }
        let last = load(from.add(bytes - VECTOR));
        let mut at = 0;
        while at + VECTOR < bytes {
            store(to.add(at), load(from.add(at)));
            at += VECTOR;
        }
        store(to.add(bytes - VECTOR), last);
    }
}

/// Copies from the last byte on; the bytes may overlap if `to` is above `from`.
unsafe fn backwards(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: as in `forwards`.
    unsafe {
        if bytes < VECTOR {
            return copy_short(to, from, bytes);
        }
        let first = load(from);
        let mut left = bytes;
        while left > VECTOR {
            left -= VECTOR;
            store(to.add(left), load(from.add(left)));
        }
        store(to, first);
    }
}

/// C11 7.24.2.2.
///
/// # Safety
/// Both have so many bytes.
#[no_mangle]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: as the caller promises; the way is chosen by how they overlap.
    unsafe {
        if (to as usize).wrapping_sub(from as usize) >= bytes {
            forwards(to, from, bytes);
        } else {
            backwards(to, from, bytes);
        }
    }
    to
}

/// C11 7.24.6.1.
///
/// # Safety
/// There are so many bytes.
#[no_mangle]
pub unsafe extern "C" fn memset(to: *mut u8, value: i32, bytes: usize) -> *mut u8 {
    // SAFETY: every store is within the bytes.
    unsafe {
        if bytes < VECTOR {
            for at in 0..bytes {
                to.add(at).write(value as u8);
            }
            return to;
        }
        let vector = _mm_set1_epi8(value as i8);
        let mut at = 0;
        while at + VECTOR < bytes {
            store(to.add(at), vector);
            at += VECTOR;
        }
        store(to.add(bytes - VECTOR), vector);
    }
    to
}

/// C11 7.24.4.1.
///
/// # Safety
/// Both have so many bytes.
#[no_mangle]
pub unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, bytes: usize) -> i32 {
    let mut at = 0;
    // SAFETY: every load is within the bytes.
    unsafe {
        while at + VECTOR <= bytes {
            let equal = _mm_movemask_epi8(_mm_cmpeq_epi8(load(left.add(at)), load(right.add(at))));
            if equal != 0xffff {
                at += (!equal).trailing_zeros() as usize;
                break;
            }
            at += VECTOR;
        }
        while at < bytes {
            let (left, right) = (left.add(at).read(), right.add(at).read());
            if left != right {
                return i32::from(left) - i32::from(right);
            }
            at += 1;
        }
    }
    0
}

/// What the compiler calls where only equality counts.
///
/// # Safety
/// Both have so many bytes.
#[no_mangle]
pub unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, bytes: usize) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { memcmp(left, right, bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_copied_as_the_compiler_copies_them() {
        let original: [u8; 80] = core::array::from_fn(|at| at as u8 ^ 0x55);
        for bytes in 0..60 {
            for (to, from) in [(0, 0), (0, 3), (3, 0), (17, 1), (1, 17), (20, 20)] {
                let (mut moved, mut wanted) = (original, original);
                #[allow(clippy::manual_memcpy)] // What it offers is the copy that is tried here.
                for at in 0..bytes {
                    wanted[to + at] = original[from + at];
                }
                let start = moved.as_mut_ptr();
                // SAFETY: at most 20 and 60 bytes of 80.
                unsafe { memmove(start.add(to), start.add(from), bytes) };
                assert_eq!(moved, wanted, "{bytes} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn bytes_are_set_and_compared() {
        for bytes in 0..60 {
            let mut set = [1; 64];
            // SAFETY: less than there are.
            unsafe { memset(set.as_mut_ptr(), 0x1ff, bytes) };
            assert!(
                set[..bytes].iter().all(|byte| *byte == 255) && set[bytes..].iter().all(|byte| *byte == 1)
            );
            for at in 0..bytes {
                let mut other = set;
                other[at] = 7;
                // SAFETY: less than there are.
                let told = unsafe {
                    (memcmp(set.as_ptr(), other.as_ptr(), bytes), bcmp(set.as_ptr(), other.as_ptr(), at))
                };
                assert_eq!(told, (248, 0));
            }
        }
    }
}
