// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The libraries of regcheck's adapters, by name and by Debian package.

use clap::ValueEnum;

/// The libraries that adapters are here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Library {
    /// libs/vector_state/switch, every policy
    #[value(name = "context_switch")]
    ContextSwitch,
    /// The C library's swapcontext
    #[value(name = "ucontext")]
    Ucontext,
    /// Boost.Context's fcontext
    #[value(name = "boost_context")]
    BoostContext,
}

impl Library {
    /// In the order of the table.
    pub const ALL: [Library; 3] = [Library::ContextSwitch, Library::Ucontext, Library::BoostContext];

    /// As the adapter calls it.
    pub fn name(self) -> &'static str {
        match self {
            Library::ContextSwitch => "context_switch",
            Library::Ucontext => "ucontext",
            Library::BoostContext => "boost_context",
        }
    }

    /// The Debian package whose version is the library's.
    pub fn package(self) -> Option<&'static str> {
        match self {
            Library::ContextSwitch => None,
            Library::Ucontext => Some("libc6"),
            Library::BoostContext => Some("libboost-context"),
        }
    }
}
