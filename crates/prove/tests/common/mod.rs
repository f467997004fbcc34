// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles sources for the tests, with clang for each architecture, as the variants are compiled.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use arch::Arch;

/// Clang's target of each architecture, with the extensions that its variants use.
pub fn target_flags(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::Powerpc => &["--target=powerpc-linux-gnu"],
        Arch::Powerpc64 => &["--target=powerpc64-linux-gnu", "-mabi=elfv2", "-mcpu=pwr10"],
        Arch::Powerpc64le => &["--target=powerpc64le-linux-gnu", "-mcpu=pwr10"],
        Arch::Loongarch64 => &["--target=loongarch64-linux-gnu", "-march=loongarch64"],
        Arch::X86_64 => &["--target=x86_64-linux-gnu", "-mmovbe"],
        Arch::Aarch64 => &["--target=aarch64-linux-gnu"],
        Arch::Riscv64 => &["--target=riscv64-linux-gnu", "-march=rv64gc", "-mno-relax"],
    }
}

/// A temporary folder, removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("assay-prove-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a source file into the bytes of an object file.
pub fn compile(arch: Arch, source: &Path, flags: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new();
    let object = scratch.path("out.o");
    let output = Command::new("clang-19")
        .args(target_flags(arch))
        .args([
            "-O2",
            "-ffreestanding",
            "-fomit-frame-pointer",
            "-fno-asynchronous-unwind-tables",
            "-c",
            "-o",
        ])
        .arg(&object)
        .args(flags)
        .arg(source)
        .output()
        .expect("clang-19 runs");
    assert!(
        output.status.success(),
        "{} for {arch}: {}",
        source.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::read(&object).expect("clang wrote its object file")
}
