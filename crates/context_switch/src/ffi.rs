// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `libs/vector_state/switch/context_switch.h` as Rust declarations, nothing more.

use std::ffi::c_void;

pub(crate) type Entry = extern "C" fn(own: *mut Context, message: *mut c_void);

#[repr(C)]
pub(crate) struct Context {
    pub stack_pointer: *mut c_void,
    pub resumer: *mut Context,
    pub lease: u32,
    pub kept: u32,
    pub stack: *mut c_void,
    pub stack_bytes: usize,
    pub state: u8,
    pub policy: u8,
    pub entry: Option<Entry>,
}

impl Context {
    /// `CONTEXT_THREAD`.
    pub(crate) const fn thread() -> Context {
        let null = std::ptr::null_mut();
        Context {
            stack_pointer: null,
            resumer: std::ptr::null_mut(),
            lease: 0,
            kept: 0,
            stack: null,
            stack_bytes: 0,
            state: 0,
            policy: 0,
            entry: None,
        }
    }
}

/// `CONTEXT_OK`.
pub(crate) const OK: u32 = 0;

extern "C" {
    pub(crate) fn context_create(
        context: *mut Context,
        stack: *mut c_void,
        stack_bytes: usize,
        entry: Entry,
    ) -> u32;
    pub(crate) fn context_switch(from: *mut Context, to: *mut Context, message: *mut c_void) -> *mut c_void;
    pub(crate) fn context_finish(own: *mut Context, to: *mut Context, message: *mut c_void) -> !;
}
