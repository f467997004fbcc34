// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! All that tests the eBPF library from outside, in one program, since a program for each file takes three times as long to build.
//! `cargo test --release -p ebpf --test all NAME::` runs one file.

mod api;
mod calls;
mod cases;
mod coherent;
mod conformance;
mod differential;
mod features;
mod handmade;
mod helpers;
mod manual;
mod objects;
mod ordering;
mod overlaps;
mod support;
mod symbols;
