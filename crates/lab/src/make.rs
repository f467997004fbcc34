// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What libraries in libs/ build with their own Makefiles: programs and images, for those who run them here, under QEMU's user
//! mode or in a booted kernel.

use crate::cache::Workspace;
use crate::process::Command;
use crate::toolchain::require_program;
use crate::{Problem, Result};
use arch::Arch;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// Builds one file of a library for an architecture, such as `vdso-test` of `vdso`.
pub fn build(workspace: &Workspace, library: &str, arch: Arch, name: &str) -> Result<PathBuf> {
    let folder = workspace.folder(library)?;
    // To make, a blank ends a name, and checkout and cache may have some in their paths. Through these links it sees none.
    let links = workspace.scratch("")?;
    let link = |to: &PathBuf, name: &str| {
        let path = links.path().join(name);
        symlink(to, &path).map_err(|error| Problem::io("make the link", &path, &error))
    };
    std::fs::create_dir(links.path())
        .map_err(|error| Problem::io("make the folder", links.path(), &error))?;
    link(&workspace.root.join("libs").join(library), "source")?;
    link(&folder, "build")?;
    let _lock = workspace.lock(&format!("{library}-{arch}"))?;
    let output = Command::new(require_program("make", "make")?)
        .args(["-s", "-C"])
        .arg(links.path())
        .args(["-f", "source/Makefile", "BUILD=build"])
        .arg(format!("ARCH={arch}"))
        .bare_environment()
        .arg(format!("build/{arch}/{name}"))
        .run()?;
    if output.success() {
        return Ok(folder.join(arch.name()).join(name));
    }
    Err(Problem::new(format!("does not build:\n{}", output.head(12)))
        .at(format!("libs/{library}, {name} for {arch}"))
        .remedy("run ./setup; if it persists, the compiler's message above says what is wrong"))
}
