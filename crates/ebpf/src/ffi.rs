// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `libs/ebpf/ebpf.h` and `host/host.h` as Rust declarations, nothing more.

use std::ffi::{c_char, c_uint, c_void};

pub(crate) type HelperFunction =
    extern "C" fn(r1: u64, r2: u64, r3: u64, r4: u64, r5: u64, context: *mut c_void) -> u64;
pub(crate) type Relocate =
    extern "C" fn(context: *mut c_void, kind: c_uint, imm: u32, next_imm: u32, value: *mut u64) -> bool;

#[repr(C)]
pub(crate) struct EbpfVm {
    opaque: [u8; 0],
}

#[repr(C)]
pub(crate) struct EbpfPlatform {
    opaque: [u8; 0],
}

#[repr(C)]
pub(crate) struct EbpfOptions {
    pub budget_instructions: u64,
    pub bounds: bool,
    pub helper_context: *mut c_void,
    pub relocate: Option<Relocate>,
    pub relocate_context: *mut c_void,
}

#[repr(C)]
pub(crate) struct EbpfTarget {
    pub arch: *const c_char,
    pub features: u32,
    pub swap: c_uint,
    pub fusion: c_uint,
}

#[repr(C)]
#[derive(Default)]
pub(crate) struct EbpfCodeStats {
    pub code_bytes: usize,
    pub swaps_with_load: u32,
    pub swaps_with_store: u32,
    pub swaps_in_register: u32,
    pub truncations: u32,
    pub truncations_dropped: u32,
}

extern "C" {
    pub(crate) static ebpf_host_platform: EbpfPlatform;
    pub(crate) fn ebpf_host_features() -> u32;
    pub(crate) fn ebpf_create(platform: *const EbpfPlatform, options: *const EbpfOptions) -> *mut EbpfVm;
    pub(crate) fn ebpf_destroy(vm: *mut EbpfVm);
    pub(crate) fn ebpf_register_helper(
        vm: *mut EbpfVm,
        number: u32,
        function: HelperFunction,
        flags: c_uint,
    ) -> c_uint;
    pub(crate) fn ebpf_register_region(vm: *mut EbpfVm, start: *mut c_void, bytes: usize) -> c_uint;
    pub(crate) fn ebpf_register_read_only_region(
        vm: *mut EbpfVm,
        start: *const c_void,
        bytes: usize,
    ) -> c_uint;
    pub(crate) fn ebpf_unregister_region(vm: *mut EbpfVm, start: *const c_void, bytes: usize) -> c_uint;
    pub(crate) fn ebpf_may_read(vm: *const EbpfVm, address: u64, bytes: usize) -> bool;
    pub(crate) fn ebpf_may_write(vm: *const EbpfVm, address: u64, bytes: usize) -> bool;
    pub(crate) fn ebpf_load(vm: *mut EbpfVm, bytecode: *const c_void, bytes: usize, order: c_uint) -> c_uint;
    pub(crate) fn ebpf_verify(vm: *mut EbpfVm) -> c_uint;
    pub(crate) fn ebpf_compile(vm: *mut EbpfVm, target: *const EbpfTarget) -> c_uint;
    pub(crate) fn ebpf_run(
        vm: *mut EbpfVm,
        engine: c_uint,
        context: *mut c_void,
        context_bytes: usize,
        r0: *mut u64,
    ) -> c_uint;
    pub(crate) fn ebpf_emit(
        vm: *mut EbpfVm,
        target: *const EbpfTarget,
        buffer: *mut c_void,
        bytes: *mut usize,
    ) -> c_uint;
    pub(crate) fn ebpf_message(vm: *const EbpfVm) -> *const c_char;
    pub(crate) fn ebpf_message_instruction(vm: *const EbpfVm) -> u32;
    pub(crate) fn ebpf_instructions_used(vm: *const EbpfVm) -> u64;
    pub(crate) fn ebpf_instruction_count(vm: *const EbpfVm) -> u32;
    pub(crate) fn ebpf_code_stats(vm: *const EbpfVm, stats: *mut EbpfCodeStats);
    pub(crate) fn ebpf_census(vm: *mut EbpfVm, order: c_uint, stats: *mut EbpfCodeStats) -> c_uint;
    pub(crate) fn ebpf_target_name(index: c_uint) -> *const c_char;
    pub(crate) fn ebpf_disassemble(
        bytecode: *const c_void,
        bytes: usize,
        order: c_uint,
        text: *mut c_char,
        text_bytes: usize,
    ) -> c_uint;
}
