// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cycles from a trace and a cpu description, with the reasons.
//!
//! `cpu` loads the descriptions, `source` says what a prediction reads, `predict` runs it. Inside, `description`
//! is a cpu in typed form, `plan` compiles static instructions for it, `core` simulates. Nothing here starts a
//! process, prints, or knows where a trace came from. docs/method.md explains the model.

mod core;
pub mod cpu;
pub mod description;
pub mod doubt;
pub mod draws;
mod driver;
pub mod explain;
pub mod fallback;
pub mod figures;
pub mod fit;
mod forms;
pub mod hot;
pub mod left_out;
pub mod loops;
mod op;
#[cfg(test)]
mod oracle;
mod plan;
pub mod profile;
pub mod regions;
mod settled;
pub mod source;
mod special;
pub mod timeline;
pub mod trace_source;
pub mod validate;
pub mod verdict;

pub use crate::core::{Access, Cache, Cause, Counters, Event, Relax};
pub use cpu::{Cpu, CpuError};
pub use driver::{predict, predict_jobs, Options, PredictError, Prediction};
pub use plan::RegisterKinds;
pub use source::{Source, SourceError};
