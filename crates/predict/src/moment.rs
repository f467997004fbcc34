// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A moment of a run: what calls and regions are timed by.

/// The cycle, and the instructions executed before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) cycle: u64,
    pub(crate) instructions: u64,
}
