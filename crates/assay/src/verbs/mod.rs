// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The verbs, one file each.

pub mod cache_log;
pub mod check;
pub mod code;
pub mod compare;
pub mod compare_ebpf;
pub mod compare_predicted;
pub mod compare_traces;
pub mod completions;
pub mod count;
pub mod cpu;
pub mod demo;
pub mod doctor;
pub mod ebpf;
pub mod explain;
pub mod fit;
pub mod foreign;
pub mod hot;
pub mod kernel;
pub mod list;
pub mod measure;
pub mod pingpong;
pub mod predict;
pub mod prove;
pub mod regcheck;
pub mod report;
pub mod study;
pub mod study_beside;
pub mod study_difference;
pub mod study_engine;
pub mod test;
mod test_changed;
pub mod trace;
pub mod validate;
pub mod validate_native;
pub mod vdso;
