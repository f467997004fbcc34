// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The model against a core at hand: loops are timed on the machine that this runs on and predicted for the same core.
//!
//! For most cores that Assay describes nobody here has a machine, so what its engine is worth is found out where the truth
//! costs milliseconds. `generate` writes loops from a seed, `blocks` takes basic blocks out of the programs that are
//! installed, `case` makes a function of either, `run` executes it in a process of its own: once step by step, which
//! tells the path and each address, then many times on the clock (`visit`). `source` hands the steps to the predictor, `judge`
//! compares and sums up. x86-64 only.

pub mod blocks;
pub mod case;
pub mod clock;
pub mod generate;
pub mod judge;
pub mod machine;
pub mod probes;
pub mod run;
pub mod source;
mod visit;

pub use visit::SHARE_MAX;
