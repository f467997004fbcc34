// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Cycles from a trace and a cpu description, with the reasons.
//!
//! `cpu` loads the descriptions, `source` says what a prediction reads, `predict` runs it. Inside, `description`
//! is a cpu in typed form, `op` what an instruction is to it, with `flags`; `plan` compiles instructions to that, `core`
//! simulates, `driver` feeds it, and `explain`, `fit`, `validate` and others ask the driver. Each knows only those below it
//! (tests/all/layers.rs has the order). Nothing here starts a process, prints, or knows where a trace came from.
//! docs/method.md explains the model.

mod ahead;
mod calls;
mod cause;
mod chain;
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
mod flags;
mod forms;
pub mod hot;
pub mod least;
pub mod left_out;
pub mod loops;
mod moment;
mod op;
#[cfg(test)]
mod oracle;
mod plan;
pub mod profile;
pub mod regions;
mod register_kinds;
mod relax;
mod settled;
mod skipped;
pub mod source;
mod special;
pub mod timeline;
pub mod trace_source;
pub mod validate;
mod value;
pub mod verdict;

pub use crate::core::{Cache, Counters, Event};
pub use cause::Cause;
pub use cpu::{Cpu, CpuError};
pub use driver::{predict, predict_jobs, Options, PredictError, Prediction};
pub use register_kinds::RegisterKinds;
pub use relax::Relax;
pub use source::{Access, Source, SourceError};
