// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Disassembly of a whole program.

use crate::{ffi, ByteOrder, SLOT_BYTES};
use std::ffi::{c_char, CStr};

/// One instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Index of the instruction's first slot, as error messages count.
    pub slot: usize,
    /// Slots it takes: 2 for `lddw`.
    pub slots: usize,
    /// The instruction in LLVM's BPF assembly syntax.
    pub text: String,
}

/// Disassembles any bytes; what is no instruction is shown as such.
pub fn disassemble(bytecode: &[u8], order: ByteOrder) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < bytecode.len() {
        let rest = &bytecode[at..];
        let mut text: [c_char; 128] = [0; 128];
        // SAFETY: both buffers are given with their lengths, and the text is always terminated.
        let (slots, text) = unsafe {
            let slots = ffi::ebpf_disassemble(
                rest.as_ptr().cast(),
                rest.len(),
                order as u32,
                text.as_mut_ptr(),
                text.len(),
            );
            (slots as usize, CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned())
        };
        lines.push(Line { slot: at / SLOT_BYTES, slots, text });
        at += slots * SLOT_BYTES;
    }
    lines
}
