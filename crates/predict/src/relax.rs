// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a prediction may leave out of a core, to find what bounds a program.

/// Resources taken as unlimited or free, one at a time, to find what bounds a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relax {
    /// Fetch delivers everything at once; taken branches cost nothing. Wrong predictions still do.
    pub fetch: bool,
    /// Only taken branches cost nothing.
    pub taken_branches: bool,
    /// No branch is mispredicted.
    pub mispredicts: bool,
    /// Dispatch and completion have no width and no rules.
    pub dispatch: bool,
    /// These pipes are unlimited.
    pub pipes: u32,
    /// Every result is there one cycle after issue, wherever it is used.
    pub latency: bool,
    /// Nothing waits for a result: it is there when its instruction issues.
    pub chains: bool,
    /// The window, queues and rename registers are unlimited.
    pub window: bool,
    /// They are half as long as those that stand for unlimited ones. What that changes depends on the length, so nothing but the
    /// window limits it.
    pub shorter: bool,
    /// Loads never meet a store.
    pub load_hit_store: bool,
    /// Stores are in the cache a fixed time after they complete, however many do.
    pub stores: bool,
    /// Every access hits the first level, and none takes longer for the boundaries that it crosses.
    pub caches: bool,
    /// Serialising instructions do not serialise.
    pub serialise: bool,
}
