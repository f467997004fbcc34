// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! All that tests the tracer and its format from outside, in one program, since a program for each file takes three times as long to build.
//! `cargo test --release -p trace --test all NAME::` runs one file.

mod format;
mod fuzz;
mod holes;
mod layers;
mod life;
mod races;
mod recording;
mod regions;
mod signals;
mod support {
    pub mod calls;
    pub mod fuzzing;
    pub mod recording;
    pub mod synthetic;
}
