// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The kernel's source: Debian's, which `./setup --kernel` unpacks into the cache, or a tree that the user names.

use crate::listing::Listing;
use lab::cache::{read_text, Workspace};
use lab::problem::STORAGE_FULL_REMEDY;
use lab::process::Command;
use lab::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const COPY_TIMEOUT: Duration = Duration::from_secs(900);

/// A tree that is read and never written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its top.
    pub folder: PathBuf,
    /// What names it: the package's version, or for a user's tree its folder and the kernel's version.
    pub identity: String,
    /// The files of a user's tree, which may change; `None` for Debian's, which nobody edits.
    pub files: Option<Listing>,
    /// The kernel's version, as in `6.12.117`.
    pub version: String,
}

impl Source {
    /// Debian's source, from the cache.
    pub fn of_debian(workspace: &Workspace) -> Result<Source> {
        let folder = workspace.cache.join("kernel/source");
        let stamp = folder.join("assay-stamp");
        if !stamp.is_file() {
            return Err(Problem::new("the kernel's source is not there")
                .at(workspace.display(&folder))
                .remedy("run ./setup --kernel, which unpacks Debian's linux-source-6.12"));
        }
        let text = read_text(&stamp)?;
        let package = text.lines().find_map(|line| line.strip_prefix("version ")).unwrap_or_default();
        Ok(Source { identity: format!("debian {package}"), files: None, version: version(&folder)?, folder })
    }

    /// The top of a user's own tree, and its version. It must be clean: kbuild refuses O= for a tree that was built in place.
    pub fn look(folder: &Path) -> Result<(PathBuf, String)> {
        let folder = folder.canonicalize().map_err(|error| {
            Problem::io("find the kernel's source", folder, &error).remedy("name the top of a kernel tree")
        })?;
        let version = version(&folder)?;
        if folder.join(".config").exists() {
            return Err(Problem::new(
                "has been built in, and what was built there cannot be built elsewhere",
            )
            .at(folder.display())
            .remedy("make mrproper in it, or name a clean checkout (git worktree add)"));
        }
        Ok((folder, version))
    }

    /// A user's own tree.
    pub fn named(folder: &Path) -> Result<Source> {
        let (folder, version) = Source::look(folder)?;
        Ok(Source {
            identity: format!("{} {version}", folder.display()),
            files: Some(Listing::of(&folder)?),
            version,
            folder,
        })
    }

    /// What changes when a file of the tree does.
    pub fn state(&self) -> String {
        self.files.as_ref().map(Listing::digest).unwrap_or_default()
    }

    /// Refuses a tree whose files are not those that it was found with.
    pub fn must_be_unchanged(&self) -> Result<()> {
        self.must_be(&self.folder)
    }

    fn must_be(&self, folder: &Path) -> Result<()> {
        match &self.files {
            Some(files) if Listing::of(folder)? != *files => {
                Err(Problem::new("was changed while it was built, so that what was built is of no one state")
                    .at(self.folder.display())
                    .remedy("run it again, and let the tree alone meanwhile"))
            }
            _ => Ok(()),
        }
    }

    /// Copies the tree to `to` as hard links, which only take space for the folders. A folder or link `build` of the user's stays
    /// behind: ours is called so, and make would write through the links into what the user has built there.
    pub fn link_to(&self, to: &Path) -> Result<()> {
        if to.exists() {
            fs::remove_dir_all(to).map_err(|error| Problem::io("remove the old tree", to, &error))?;
        }
        copy(&["-al"], &self.folder, to)?;
        let build = to.join("build");
        let removed = match fs::symlink_metadata(&build) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&build),
            Ok(_) => fs::remove_file(&build),
            Err(_) => Ok(()),
        };
        removed.map_err(|error| Problem::io("remove the linked folder", &build, &error))?;
        self.must_be(to)
    }

    /// The names of all options that its Kconfig files define.
    pub fn options(&self) -> Result<BTreeSet<String>> {
        let mut options = BTreeSet::new();
        add_options(&self.folder, &mut options)?;
        Ok(options)
    }
}

/// Copies a file or folder by cp(1).
pub(crate) fn copy(arguments: &[&str], from: &Path, to: &Path) -> Result<()> {
    let output = Command::new("/bin/cp").args(arguments).arg(from).arg(to).timeout(COPY_TIMEOUT).run()?;
    match output.success() {
        true => Ok(()),
        false => {
            let remedy = match output.found_no_space() {
                true => STORAGE_FULL_REMEDY,
                false => "a tree that is named has to lie in the cache's file system: set ASSAY_CACHE, or copy the tree",
            };
            Err(Problem::new(format!("cannot be copied: {}", output.tail(1)))
                .at(from.display())
                .remedy(remedy))
        }
    }
}

fn add_options(folder: &Path, options: &mut BTreeSet<String>) -> Result<()> {
    let unreadable = |error: std::io::Error| Problem::io("read the folder", folder, &error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            add_options(&entry.path(), options)?;
        } else if kind.is_file() && entry.file_name().to_string_lossy().starts_with("Kconfig") {
            let text = read_text(&entry.path())?;
            let defined = text.lines().filter_map(|line| {
                let mut words = line.split_whitespace();
                words.next().filter(|word| matches!(*word, "config" | "menuconfig")).and(words.next())
            });
            options.extend(defined.map(str::to_owned));
        }
    }
    Ok(())
}

/// The version that the top Makefile states.
fn version(folder: &Path) -> Result<String> {
    let makefile = folder.join("Makefile");
    let no_kernel = || {
        Problem::new("is no kernel tree: its Makefile does not tell a kernel's version")
            .at(folder.display())
            .remedy("name the top of a kernel tree")
    };
    if !makefile.is_file() || !folder.join("Kconfig").is_file() {
        return Err(no_kernel());
    }
    let text = read_text(&makefile)?;
    let value = |key: &str| {
        text.lines().take(20).find_map(|line| Some(line.strip_prefix(key)?.trim().strip_prefix('=')?.trim()))
    };
    match (value("VERSION"), value("PATCHLEVEL"), value("SUBLEVEL")) {
        (Some(version), Some(level), Some(sub)) => Ok(format!("{version}.{level}.{sub}")),
        _ => Err(no_kernel()),
    }
}
