// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Builds variants into Linux, boots it and tests them there.
//!
//! [`build::build`] makes a kernel from Debian's source and patches; [`boot::boot`] runs a program in one under QEMU.
//! The other modules have the machine of each architecture ([`machine`]), the archive that the booted kernel takes its
//! files from ([`initramfs`]), the records that our init prints on the console ([`console`]), and the programs to run
//! there ([`workload`]). Nothing here prints; every process is started by `lab`.

pub mod boot;
pub mod build;
pub mod conformance;
pub mod console;
pub mod initramfs;
mod listing;
pub mod machine;
mod mail;
pub mod packets;
pub mod patch;
pub mod record;
pub mod region;
pub mod source;
pub mod suite;
mod test_bpf;
pub mod workload;

pub use boot::{boot, Boot, Ending, Outcome};
pub use build::{build, Built, Request};
pub use machine::Machine;
pub use patch::Patch;
pub use workload::Run;
