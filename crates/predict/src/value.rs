// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The word that says when a register's value is there: the cycle, the bypass domain that it comes from and what delayed it, so
//! that the latest of several values is the largest word and brings its cause along.

use crate::cause::Cause;
use crate::description::DOMAINS_MAX;

/// Where the domain and the cycle stand in a `Value`; the cause stands lowest.
pub(crate) const DOMAIN_SHIFT: u32 = 8;
pub(crate) const TIME_SHIFT: u32 = 16;

/// That word.
pub(crate) type Value = u64;

/// The lower half of the value that a result is: its latency, counted from cycle 0, and its domain.
pub(crate) fn result_value(latency: u16, domain: u8) -> u32 {
    u32::from(latency) << TIME_SHIFT | u32::from(domain) << DOMAIN_SHIFT | Cause::Dependency as u32
}

/// The domain in it.
pub(crate) fn domain_of(value: u32) -> u8 {
    (value >> DOMAIN_SHIFT) as u8 % DOMAINS_MAX as u8
}
