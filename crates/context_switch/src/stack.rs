// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A stack with a guard page below it.

use std::ffi::c_void;
use std::io;

/// Owned memory for one coroutine's stack.
#[derive(Debug)]
pub(crate) struct Stack {
    /// Start of the mapping, the guard page.
    mapping: *mut c_void,
    mapped_bytes: usize,
    page_bytes: usize,
}

impl Stack {
    /// At least `bytes`, in whole pages.
    pub(crate) fn new(bytes: usize) -> io::Result<Stack> {
        // SAFETY: plain system calls; the mapping is fresh, so nothing else refers to it.
        unsafe {
            let page_bytes = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
            let whole = bytes.checked_next_multiple_of(page_bytes).ok_or_else(too_large)?;
            let mapped_bytes = whole.checked_add(page_bytes).ok_or_else(too_large)?;
            let mapping = libc::mmap(
                std::ptr::null_mut(),
                mapped_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
                -1,
                0,
            );
            if mapping == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let stack = Stack { mapping, mapped_bytes, page_bytes };
            match libc::mprotect(mapping, page_bytes, libc::PROT_NONE) {
                0 => Ok(stack),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// The lowest usable address.
    pub(crate) fn low(&self) -> *mut c_void {
        self.mapping.wrapping_byte_add(self.page_bytes)
    }

    /// Number of usable bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.mapped_bytes - self.page_bytes
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing runs on it any more.
        unsafe {
            libc::munmap(self.mapping, self.mapped_bytes);
        }
    }
}
