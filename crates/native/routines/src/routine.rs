// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a routine is, and the macro that makes one a function with a name that `--roi` finds.

use crate::arena;

/// A function of the number of its call, which is what the call's input depends on.
pub struct Routine {
    /// The name of its function.
    pub symbol: &'static str,
    /// What it is one of.
    pub kind: &'static str,
    /// The function that is timed and recorded; a sum of what it computed.
    pub function: extern "C" fn(usize) -> u64,
    /// What that function calls: the same work, but not recorded.
    pub work: fn(usize) -> u64,
}

impl Routine {
    /// Its name: without the prefix by which those who record it know functions of this kind.
    pub fn name(&self) -> &'static str {
        self.symbol.trim_start_matches("roi_")
    }

    /// Does the work of call 0 beforehand. What that makes for later calls stays.
    pub fn prepare(&self) -> u64 {
        (self.work)(0)
    }

    /// A call, without being recorded.
    pub fn call_apart(&self, number: usize) -> u64 {
        arena::forgetting(|| (self.work)(number))
    }

    /// One call, and its memory is free again.
    pub fn call(&self, number: usize) -> u64 {
        arena::forgetting(|| (self.function)(number))
    }
}

/// Routines of one kind: `roi_NAME(call) { work }`.
macro_rules! routines {
    ($kind:literal $($(#[$what:meta])* $name:ident($call:ident) $body:block)*) => {
        /// The routines of this file.
        pub const ALL: &[$crate::routine::Routine] = &[$($crate::routine::Routine {
            symbol: stringify!($name),
            kind: $kind,
            function: $name,
            work: work::$name,
        }),*];
        $(#[inline(never)] #[no_mangle] extern "C" fn $name(call: usize) -> u64 { work::$name(call) })*
        mod work {
            use super::*;
            $($(#[$what])* #[inline(never)] pub fn $name($call: usize) -> u64 $body)*
        }
    };
}
pub(crate) use routines;
