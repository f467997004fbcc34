// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compares the model with the core at hand: loops are timed on the machine that this runs on and predicted for its core.
//!
//! For most cores that Assay describes there is no machine here, so the accuracy of its engine is found on a core where a
//! measurement takes milliseconds. `generate` writes loops from a seed, `blocks` takes basic blocks from the installed
//! programs, `case` makes a function of either, `run` executes it in a process of its own: once by single steps, which
//! records the path and each address, then many times with timing (`visit`). `source` passes the steps to the predictor,
//! `judge` compares and summarises. A turn is one iteration of a loop. x86-64 only.
//!
//! Whole routines of published crates are a program of their own (the folder `routines`); `routines` judges what it prints.

pub mod blocks;
pub mod case;
pub mod clock;
pub mod generate;
pub mod judge;
pub mod machine;
pub mod probes;
mod quiet;
pub mod routines;
pub mod run;
pub mod source;
mod visit;

pub use visit::{Control, SHARE_MAX};
