// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which way the simulator's branches nearly always go: the compiler then puts that way straight on and the other out of the
//! way, so that the host fetches few lines and takes few jumps. A hint changes no result.

#[cold]
#[inline]
fn seldom() {}

/// The condition, which hardly ever holds.
#[inline(always)]
pub(super) fn rarely(so: bool) -> bool {
    if so {
        seldom();
    }
    so
}

/// The condition, which nearly always holds.
#[inline(always)]
pub(super) fn mostly(so: bool) -> bool {
    if !so {
        seldom();
    }
    so
}
