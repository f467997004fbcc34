// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The laboratory: discover variants, build a runner around each, run it, and record what happened.
//!
//! All process control of Assay lives here: compilers, QEMU and runners are other programs behind a process
//! boundary, each started by [`process::Command`]. Nothing here prints; the verbs of the `assay` crate do.

mod alone;
pub mod build;
pub mod cache;
pub mod case;
pub mod check;
pub mod code_map;
mod descriptors;
pub mod discover;
pub mod elf;
pub mod emulator;
pub mod foreign;
pub mod foreign_root;
pub mod freestanding;
pub mod head_keys;
pub mod host;
pub mod hotpath;
pub mod make;
pub mod measure;
pub mod module;
pub mod output;
pub mod plain_name;
pub mod pool;
pub mod problem;
pub mod process;
pub mod record;
pub mod routines;
pub mod symbols;
pub mod target;
pub mod toolchain;
mod unwind_table;

pub use problem::{Problem, Result};
