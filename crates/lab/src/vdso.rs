// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What libs/vdso builds with its own Makefile: test programs and images, for those who run them here, under QEMU's user mode or
//! in a booted kernel.

use crate::cache::Workspace;
use crate::process::Command;
use crate::toolchain::require_program;
use crate::{Problem, Result};
use arch::Arch;
use std::path::PathBuf;

/// Builds one file of libs/vdso for an architecture: `vdso.so`, `vdso-test`, `reader-test`.
pub fn build(workspace: &Workspace, arch: Arch, name: &str) -> Result<PathBuf> {
    let folder = workspace.folder("vdso")?;
    let file = folder.join(arch.name()).join(name);
    let make = Command::new(require_program("make", "make")?)
        .args(["-s", "-C"])
        .arg(workspace.root.join("libs/vdso"))
        .arg(format!("ARCH={arch}"))
        .arg(format!("BUILD={}", folder.display()))
        .bare_environment();
    let _lock = workspace.lock(&format!("vdso-{arch}"))?;
    let output = make.arg(&file).run()?;
    match output.success() {
        true => Ok(file),
        false => Err(Problem::new(format!("the vDSO on {arch} does not build:\n{}", output.head(12)))
            .remedy("run ./setup; if it persists, the compiler's message above says what is wrong")),
    }
}
