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
        let moving = moving.iter().filter(move |(access, _)| access.store == store);
        moving.flat_map(self.covered(line)).map(|(_, address)| address)
    }

    /// The same of loads and stores, in the order in which iterations come to them; and whether it is a store that does.
    pub(crate) fn in_order(&self, moving: &[(Access, i64)], line: u64) -> Vec<(u64, bool)> {
        let covered = self.covered(line);
        let of_access = |one: &(Access, i64)| {
            let store = one.0.store;
            covered(one).map(move |(iteration, address)| (iteration, address, store))
        };
        let mut all: Vec<_> = moving.iter().flat_map(of_access).collect();
        all.sort_by_key(|&(iteration, ..)| iteration);
        all.into_iter().map(|(_, address, store)| (address, store)).collect()
    }

    /// Addresses in all lines that an access of the first of them goes to, each with the iteration that comes to it first.
    fn covered(&self, line: u64) -> impl Fn(&(Access, i64)) -> Box<dyn Iterator<Item = (u64, u64)>> + use<> {
        let (done, window) = ((self.done + 1) as i64, self.window);
        move |&(access, step)| {
            let start = access.address.wrapping_add_signed(step.wrapping_mul(done));
            let stride = step.unsigned_abs();
            let to_next = if step > 0 { line - start % line } else { start % line + 1 };
            let entered = (to_next..).step_by(line as usize).map(move |bytes| bytes.div_ceil(stride));
            let entered = entered.take_while(move |&iteration| iteration < window - 1);
            let last = u64::from(access.bytes).saturating_sub(1);
            let goes_to = move |iteration: u64| {
                let first = start.wrapping_add_signed(step.wrapping_mul(iteration as i64));
                [(iteration, first), (iteration, first.wrapping_add(last))]
            };
            if stride < line {
                Box::new(std::iter::once(0).chain(entered).chain([window - 1]).flat_map(goes_to))
            } else {
                Box::new((0..window).flat_map(goes_to))
            }
        }
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
