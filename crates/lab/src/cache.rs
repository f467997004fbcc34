// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where things are: the checkout, and the cache folder that holds all that can be made again.
//!
//! A file in the cache is written under a temporary name of its own process and renamed when it is whole, so an
//! interrupted run leaves nothing that looks finished and two runs at once cannot meet in one file.

use crate::problem::{Problem, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The checkout and its cache.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The top of the checkout: holds `libs`, `runner`, `cpus`, `studies`.
    pub root: PathBuf,
    /// What can be made again: `.assay`, or `$ASSAY_CACHE`.
    pub cache: PathBuf,
}

static SERIAL: AtomicU64 = AtomicU64::new(0);

impl Workspace {
    /// Finds the checkout from `$ASSAY_ROOT` (set by `./assay`) or from the current folder upwards.
    pub fn find() -> Result<Workspace> {
        let root = match std::env::var_os("ASSAY_ROOT") {
            Some(root) => PathBuf::from(root),
            None => Self::search_upwards()?,
        };
        if !root.join("runner").is_dir() {
            return Err(Problem::new("no Assay checkout here (it has no folder 'runner')")
                .at(root.display())
                .remedy("run the checkout's own ./assay, or set ASSAY_ROOT to the checkout"));
        }
        let cache = std::env::var_os("ASSAY_CACHE").map_or_else(|| root.join(".assay"), PathBuf::from);
        Ok(Workspace { root, cache })
    }

    fn search_upwards() -> Result<PathBuf> {
        let here = std::env::current_dir()
            .map_err(|error| Problem::io("read the current folder", Path::new("."), &error))?;
        here.ancestors()
            .find(|folder| folder.join("runner").is_dir() && folder.join("libs").is_dir())
            .map(Path::to_path_buf)
            .ok_or_else(|| {
                Problem::new("not inside an Assay checkout")
                    .at(here.display())
                    .remedy("run the checkout's own ./assay, or set ASSAY_ROOT to the checkout")
            })
    }

    /// A folder in the cache, made if it is missing.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.cache.join(name);
        fs::create_dir_all(&folder).map_err(|error| Problem::io("make the cache folder", &folder, &error))?;
        Ok(folder)
    }

    /// A fresh name for a file that is being made; it is removed when the value is dropped unless `keep_as` took it.
    pub fn scratch(&self, suffix: &str) -> Result<Scratch> {
        let folder = self.folder("tmp")?;
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{serial}{suffix}", std::process::id()));
        Ok(Scratch { path, kept: false })
    }

    /// Removes what runs that were killed have left in the cache's scratch folder.
    pub fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.cache.join("tmp")) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name.to_string_lossy().split('-').next().and_then(|pid| pid.parse::<u32>().ok());
            if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
                // Another run may be sweeping too; whoever comes second finds nothing.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The path as users know it: relative to the checkout where it lies inside.
    pub fn display(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// A file that is being made.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    kept: bool,
}

impl Scratch {
    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Declares the file whole and gives it its name, replacing what stood there.
    pub fn keep_as(mut self, path: &Path) -> Result<PathBuf> {
        fs::rename(&self.path, path)
            .map_err(|error| Problem::io("put the finished file in place", path, &error))?;
        self.kept = true;
        Ok(path.to_path_buf())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.kept {
            // It may never have been written.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Reads a text file, with the lab's error style.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Problem::io("read the file", path, &error))?;
    String::from_utf8(bytes)
        .map_err(|_| Problem::new("is not UTF-8 text").at(path.display()).remedy("name a source file"))
}
