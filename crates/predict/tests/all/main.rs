// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! All that tests the predictor from outside, in one program, since a program for each file takes three times as long to build.
//! `cargo test --release -p predict --test all NAME::` runs one file.

mod arguments;
mod behaviour;
mod blame;
mod classes;
mod cpu_files;
mod halves;
mod in_order;
mod layers;
mod least;
mod llvm_cores;
mod loongarch;
mod power10;
mod power9;
mod power_models;
mod redwood_cove;
mod relations;
mod settling;
mod store_misses;
mod strings;
mod verdict;
mod zen;
