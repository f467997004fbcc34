// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! All that tests the decoder from outside, in one program, since a program for each file takes three times as long to build.
//! `cargo test --release -p decode --test all NAME::` runs one file.

mod binutils;
mod foreign_code;
mod golden;
mod random;
mod scheduling;
mod support {
    pub mod invariants;
    pub mod line;
}
mod threads;
