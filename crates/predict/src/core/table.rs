// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Tables by the number of a static instruction, which grow as instructions are met.

/// The place of an instruction.
pub(super) fn entry<T: Clone + Default>(table: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if table.len() <= index {
        table.resize(index + 1, T::default());
    }
    &mut table[index]
}
