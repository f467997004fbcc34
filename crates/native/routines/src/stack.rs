// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A stack at the same address in every process. The kernel's moves from process to process, and with it which accesses cross a
//! line and which wait for a store that only has the same low address: some routines take a tenth more or less.

use std::arch::asm;
use std::cell::UnsafeCell;

const BYTES: usize = 256 << 10;

#[repr(align(4096))]
struct Memory(UnsafeCell<[u8; BYTES]>);

// SAFETY: the program has one thread.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; BYTES]));

/// Writes every page of it, and calls `work` on it.
pub fn call_on_it(work: extern "C" fn(usize), argument: usize) {
    let bottom = MEMORY.0.get().cast::<u8>();
    // SAFETY: within the memory, which nothing else uses; `work` follows the calling convention, the program ends where it panics,
    // and the stack pointer is a multiple of 16 where it calls.
    unsafe {
        (0..BYTES).step_by(4096).for_each(|page| bottom.add(page).write_volatile(0));
        asm!(
            "mov r12, rsp",
            "mov rsp, {top}",
            "call {work}",
            "mov rsp, r12",
            top = in(reg) bottom.add(BYTES),
            work = in(reg) work,
            in("rdi") argument,
            out("r12") _,
            clobber_abi("sysv64"),
        );
    }
}
