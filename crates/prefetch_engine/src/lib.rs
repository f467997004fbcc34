// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER8's micro-partition prefetch engine, modelled: a hierarchy that virtual cores share ([`Hierarchy`]), the engine that
//! logs it and brings it back ([`Engine`]), the two instructions that drive it ([`LogOperand`], [`FetchOperand`]), and a
//! scheduler of vcores after the thread's `kvmppc_run_core` ([`Scheduler`]). What runs is steps ([`Step`]) of recorded programs.
//!
//! The model answers one question: what of a slice's time can come from lines that were restored? It counts, for each
//! line that the engine brought, whether it was used, came too late, or was evicted unused. Time is that of a core with so many
//! misses in flight and a memory of so much bandwidth; it is no pipeline, so only differences and ratios of it mean anything.

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
