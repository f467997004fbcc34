// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What windows of a loop would have counted that are not simulated.

/// Windows that are skipped, and those before them that they are like.
#[derive(Clone, Copy)]
pub struct Skipped {
    /// How many are skipped.
    pub windows: u64,
    /// How many were counted: one where all are alike.
    pub counted: u64,
}

impl Skipped {
    /// What is counted in those that are skipped, if `count` was counted before.
    pub fn of(&self, count: u64) -> u64 {
        (u128::from(count) * u128::from(self.windows) / u128::from(self.counted.max(1))) as u64
    }
}
