// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What libraries in libs/ build with their own Makefiles: programs and images, for those who run them here, under QEMU's user
//! mode or in a booted kernel.

use crate::cache::{Scratch, Workspace};
use crate::process::{Command, Output};
use crate::toolchain::require_program;
use crate::{Problem, Result};
use arch::Arch;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Builds one file of a library for an architecture, such as `vdso-test` of `vdso`.
pub fn build(workspace: &Workspace, library: &str, arch: Arch, name: &str) -> Result<PathBuf> {
    let make = Make::new(workspace, library, library, arch)?;
    let output = make.run(name)?;
    if output.success() {
        return Ok(make.path_of(name));
    }
    Err(Problem::new(format!("does not build:\n{}", output.head(12)))
        .at(format!("libs/{library}, {name} for {arch}"))
        .remedy("run ./setup; if it persists, the compiler's message above says what is wrong"))
}

/// A run of make for one library and architecture.
///
/// To make, a blank ends a name, and checkout and cache may have some in their paths. It works in a folder of links, through which
/// it sees none.
pub struct Make<'a> {
    workspace: &'a Workspace,
    links: Scratch,
    folder: PathBuf,
    /// The folder below the cache's, for the lock's name.
    below: &'a str,
    arch: Arch,
    words: Vec<String>,
}

impl<'a> Make<'a> {
    /// By the Makefile in this folder of libs/, into this folder of the cache.
    pub fn new(workspace: &'a Workspace, library: &str, below: &'a str, arch: Arch) -> Result<Make<'a>> {
        let (folder, links) = (workspace.folder(below)?, workspace.scratch("")?);
        std::fs::create_dir(links.path())
            .map_err(|error| Problem::io("make the folder", links.path(), &error))?;
        let make = Make { workspace, links, folder, below, arch, words: vec![format!("ARCH={arch}")] };
        make.link("source", &workspace.root.join("libs").join(library))?;
        make.link("build", &make.folder)?;
        Ok(make)
    }

    /// Sets a variable of the Makefile.
    pub fn set(mut self, name: &str, value: &str) -> Make<'a> {
        self.words.push(format!("{name}={value}"));
        self
    }

    /// Sets a variable to a file or folder; messages name it as it is unless that has blanks.
    pub fn set_path(self, name: &str, path: &Path) -> Result<Make<'a>> {
        let is_plain = |text: &str| !text.contains(char::is_whitespace);
        let text = path.display().to_string();
        if is_plain(&text) {
            return Ok(self.set(name, &text));
        }
        let link = name.to_lowercase();
        // Through its folder, so that what a file includes is found beside it.
        if let (Some(folder), Some(file)) = (path.parent(), path.file_name().and_then(|file| file.to_str())) {
            if is_plain(file) {
                self.link(&link, folder)?;
                return Ok(self.set(name, &format!("{link}/{file}")));
            }
        }
        let suffix = path.extension().map(|suffix| format!(".{}", suffix.to_string_lossy()));
        let link = format!("{link}{}", suffix.unwrap_or_default());
        self.link(&link, path)?;
        Ok(self.set(name, &link))
    }

    /// Where a file of this name is built.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(self.arch.name()).join(name)
    }

    /// Builds it; another process that builds for the same architecture is waited for.
    pub fn run(&self, name: &str) -> Result<Output> {
        let _lock = self.workspace.lock(&format!("{}-{}", self.below.replace('/', "-"), self.arch))?;
        Command::new(require_program("make", "make")?)
            .args(["-s", "-C"])
            .arg(self.links.path())
            .args(["-f", "source/Makefile", "BUILD=build"])
            .args(&self.words)
            .bare_environment()
            .arg(format!("build/{}/{name}", self.arch))
            .run_supplied()
            .map_err(|problem| problem.at(self.folder.display()))
    }

    fn link(&self, name: &str, to: &Path) -> Result<()> {
        let path = self.links.path().join(name);
        symlink(to, &path).map_err(|error| Problem::io("make the link", &path, &error))
    }
}
