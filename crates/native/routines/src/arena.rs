// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Memory for routines that allocate, without the C library and the kernel: it lies in the program, is written once before
//! anything is timed, so that no page faults later, and each call gets the same addresses as the call before.
//!
//! One thread.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most that preparations and one call take together; what is full ends the program.
const BYTES: usize = 16 << 20;

#[repr(align(4096))]
struct Memory(UnsafeCell<[u8; BYTES]>);

// SAFETY: the program has one thread.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; BYTES]));
/// Bytes in use.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Gives memory in ascending order and takes back only the last that it gave.
pub struct Arena;

// SAFETY: what it gives lies in `MEMORY`, is aligned, and is given to one owner at a time, except after `forget_since`.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = USED.load(Ordering::Relaxed).next_multiple_of(layout.align());
        let end = start.saturating_add(layout.size());
        if end > BYTES {
            return std::ptr::null_mut();
        }
        USED.store(end, Ordering::Relaxed);
        // SAFETY: within the memory.
        unsafe { MEMORY.0.get().cast::<u8>().add(start) }
    }

    unsafe fn dealloc(&self, given: *mut u8, layout: Layout) {
        if let Some(start) = start_of_last(given, layout.size()) {
            USED.store(start, Ordering::Relaxed);
        }
    }

    unsafe fn realloc(&self, given: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if let Some(start) = start_of_last(given, layout.size()).filter(|start| start + bytes <= BYTES) {
            USED.store(start + bytes, Ordering::Relaxed);
            return given;
        }
        // SAFETY: the caller's layout, with another size.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(bytes, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(given, layout.size().min(bytes));
            }
            new
        }
    }
}

/// Where the last that was given starts, if it is this.
fn start_of_last(given: *mut u8, bytes: usize) -> Option<usize> {
    let start = given as usize - MEMORY.0.get() as usize;
    (start + bytes == USED.load(Ordering::Relaxed)).then_some(start)
}

/// Writes every page. Has to be called before anything is allocated that is still in use.
pub fn touch() {
    let (memory, used) = (MEMORY.0.get().cast::<u8>(), USED.load(Ordering::Relaxed));
    for page in (used.next_multiple_of(4096)..BYTES).step_by(4096) {
        // SAFETY: within the memory, and behind what is in use.
        unsafe { memory.add(page).write_volatile(0) };
    }
}

/// Runs `work` and takes back all that it allocated. It may keep nothing.
pub fn forgetting<T: Copy>(work: impl FnOnce() -> T) -> T {
    let before = USED.load(Ordering::Relaxed);
    let result = work();
    USED.store(before, Ordering::Relaxed);
    result
}
