// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The memory that a loop's iterations would access which are about to be skipped.

use crate::source::{Access, Item};

/// Windows of a loop that may be skipped.
pub(crate) struct Ahead {
    /// Iterations executed, and those of a window.
    pub(crate) done: u64,
    pub(crate) window: u64,
    /// Windows that are still to be executed.
    pub(crate) possible: u64,
}

impl Ahead {
    /// Addresses in all lines that the loads or the stores of the first of them go to.
    pub(crate) fn lines<'a>(
        &self,
        moving: &'a [(Access, i64)],
        store: bool,
        line: u64,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let (first, window) = ((self.done + 1) as i64, self.window);
        let moving = moving.iter().filter(move |(access, _)| access.store == store);
        moving.flat_map(move |&(access, step)| {
            let start = access.address.wrapping_add_signed(step.wrapping_mul(first));
            let hop = line.max(step.unsigned_abs());
            let end = step.unsigned_abs().wrapping_mul(window - 1);
            let covered = (0..end).step_by(hop as usize).chain([end]);
            let last = u64::from(access.bytes).saturating_sub(1);
            covered.flat_map(move |covered| {
                let first = start.wrapping_add_signed(covered as i64 * step.signum());
                [first, first.wrapping_add(last)]
            })
        })
    }
}

/// The accesses of an iteration that go elsewhere in the next one, and how far.
pub(crate) fn moving_of(body: &[Item], accesses: &[Access], steps: &[i64]) -> Vec<(Access, i64)> {
    let ranges = body.iter().filter_map(|item| match item {
        Item::Block { accesses, .. } => Some(accesses.clone()),
        _ => None,
    });
    let all = ranges.flat_map(|range| accesses[range.start as usize..range.end as usize].iter().copied());
    all.zip(steps.iter().copied()).filter(|(access, step)| *step != 0 && access.known).collect()
}
