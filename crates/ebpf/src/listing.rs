// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Disassembly of a whole program.

use crate::{assemble, ffi, ByteOrder, SLOT_BYTES};
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

/// Lines that [`assemble`] makes these bytes of again: those of [`disassemble`] or, where they do not say everything (an unknown
/// opcode, a reserved field that is not 0), a `raw` line for each slot. What is no whole slot at the end becomes a comment.
///
/// ```
/// use ebpf::{assemble, disassemble_exactly, ByteOrder};
///
/// let program = assemble("r0 = 1\nraw 0x95 0 0 0 7", ByteOrder::Little)?; // exit with an immediate
/// assert_eq!(disassemble_exactly(&program, ByteOrder::Little), ["r0 = 1", "raw 0x95 0 0 0 7"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disassemble_exactly(bytecode: &[u8], order: ByteOrder) -> Vec<String> {
    let mut lines = Vec::new();
    for line in disassemble(bytecode, order) {
        let start = line.slot * SLOT_BYTES;
        let bytes = &bytecode[start..bytecode.len().min(start + line.slots * SLOT_BYTES)];
        if assemble(&line.text, order).is_ok_and(|again| again == bytes) {
            lines.push(line.text);
        } else {
            lines.extend(bytes.chunks(SLOT_BYTES).map(|slot| raw(slot, order)));
        }
    }
    lines
}

fn raw(slot: &[u8], order: ByteOrder) -> String {
    let Some(&[opcode, registers, o0, o1, i0, i1, i2, i3]) = slot.first_chunk::<SLOT_BYTES>() else {
        return format!("# no whole instruction: {} of {SLOT_BYTES} bytes", slot.len());
    };
    let (low, high) = (registers & 15, registers >> 4);
    let (dst, src, offset, imm) = match order {
        ByteOrder::Little => (low, high, i16::from_le_bytes([o0, o1]), i32::from_le_bytes([i0, i1, i2, i3])),
        ByteOrder::Big => (high, low, i16::from_be_bytes([o0, o1]), i32::from_be_bytes([i0, i1, i2, i3])),
    };
    format!("raw {opcode:#x} {dst} {src} {offset} {imm}")
}
