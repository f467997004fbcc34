// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Folders, and the architectures that the tests run programs for.

pub mod cases;

use ebpf::Plugin;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tests run in parallel, but only one make may run in a folder at a time.
static BUILD: Mutex<()> = Mutex::new(());

pub fn build_lock() -> MutexGuard<'static, ()> {
    BUILD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where make puts its files; shared by the test programs, which cargo runs one after the other.
pub fn build_folder() -> PathBuf {
    scratch().join("ebpf")
}

pub fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/ebpf").canonicalize().expect("libs/ebpf")
}

pub fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Every architecture that the freestanding programs are built for, and the command that runs them here.
pub const MACHINES: [(&str, &[&str]); 6] = [
    ("x86_64", &[]),
    ("powerpc64le", &["qemu-ppc64le"]),
    ("powerpc64", &["qemu-ppc64"]),
    ("loongarch64", &["qemu-loongarch64"]),
    ("aarch64", &["qemu-aarch64"]),
    ("riscv64", &["qemu-riscv64"]),
];

/// Builds for a machine; a missing emulator fails the test rather than skipping it.
pub fn plugin(arch: &str, emulator: &[&str]) -> Plugin {
    // A program without an emulator in the table is x86_64's, and needs one on hosts of another architecture.
    let of_program = format!("qemu-{arch}");
    let emulator: Vec<&str> = match emulator {
        [] if std::env::consts::ARCH != arch => vec![&of_program],
        words => words.to_vec(),
    };
    if let Some(program) = emulator.first() {
        let found = Command::new(program).arg("--version").output();
        assert!(found.is_ok(), "{program} is needed to test {arch}: install qemu-user");
    }
    let _lock = build_lock();
    Plugin::build(&library(), &build_folder(), arch, &emulator).expect("the plugin builds")
}

pub fn has_back_end(arch: &str) -> bool {
    ebpf::targets().contains(&arch)
}
