// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A model of POWER8's micro-partition prefetch engine: a hierarchy that virtual cores share ([`Hierarchy`]), the engine
//! that logs and restores its lines ([`Engine`]), the two instructions that drive it ([`LogOperand`], [`FetchOperand`]),
//! and a scheduler of vcores after `kvmppc_run_core` in the mail thread of 2014 ([`Scheduler`]). Vcores run the steps
//! ([`Step`]) of recorded programs.
//!
//! The model answers one question: how much faster can restored lines make a slice? It counts, for each line that the
//! engine fetched, whether it was used, came too late, or was evicted unused. Time follows from the number of misses in
//! flight and the latency and bandwidth of the caches and memory; there is no pipeline, so only its differences and ratios
//! are meaningful.

mod engine;
mod hierarchy;
mod operand;
mod scheduler;
mod steps;

pub use engine::{Engine, LogScope, Rate, LOG_CYCLES_PER_LINE};
pub use hierarchy::{Counts, Found, Geometry, Hierarchy, Shape};
pub use operand::{FetchControl, FetchOperand, LogControl, LogOperand, OperandError};
pub use scheduler::{Bug, Fate, Outcome, Restore, Scheduler, Settings, Vcore};
pub use steps::{read_trace, Step};
