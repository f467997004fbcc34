// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where things are: the checkout, and the cache folder that holds all that can be made again.
//!
//! A file in the cache is written under a temporary name of its own process and renamed when it is whole, so an
//! interrupted run leaves nothing that looks finished and two runs at once cannot meet in one file.

use crate::problem::{Problem, Result, STORAGE_FULL_REMEDY};
use std::fs;
use std::io::{ErrorKind, Write};
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
        fs::create_dir_all(&folder).map_err(|error| {
            let remedy = match error.kind() {
                ErrorKind::StorageFull => STORAGE_FULL_REMEDY,
                _ => "make it a folder that can be written, or set ASSAY_CACHE to one",
            };
            Problem::io("make the cache folder", &folder, &error).remedy(remedy)
        })?;
        Ok(folder)
    }

    /// A fresh name for a file that is being made, in a folder of its own, where compilers may put files beside it.
    /// The folder is removed when the value is dropped; the file lives on only if `keep_as` took it.
    pub fn scratch(&self, suffix: &str) -> Result<Scratch> {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder(&format!("tmp/{}-{serial}", std::process::id()))?;
        Ok(Scratch { path: folder.join(format!("new{suffix}")), folder })
    }

    /// Removes what runs that were killed have left in the cache's scratch folder.
    pub fn sweep(&self) {
        self.remove_scratch(|pid| !Path::new(&format!("/proc/{pid}")).exists());
    }

    /// Removes what this process has in the scratch folder: the last act of a run that is interrupted.
    pub fn abandon_scratch(&self) {
        self.remove_scratch(|pid| pid == std::process::id());
    }

    fn remove_scratch(&self, of_process: impl Fn(u32) -> bool) {
        let Ok(entries) = fs::read_dir(self.cache.join("tmp")) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name.to_string_lossy().split('-').next().and_then(|pid| pid.parse::<u32>().ok());
            if owner.is_some_and(&of_process) {
                // Another run may be sweeping too; whoever comes second finds nothing.
                let _ = fs::remove_dir_all(entry.path());
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
    folder: PathBuf,
}

impl Scratch {
    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Declares the file whole and gives it its name, replacing what stood there.
    pub fn keep_as(self, path: &Path) -> Result<PathBuf> {
        fs::rename(&self.path, path)
            .map_err(|error| Problem::io("put the finished file in place", path, &error))?;
        Ok(path.to_path_buf())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind all the same is swept away by the next run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes a file of the user's: beside it first and then under its name, so that an interrupted run leaves the old file or
/// none.
pub fn write_whole(path: &Path, text: &str) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let beside = PathBuf::from(beside);
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, path)).map_err(|error| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
        Problem::io("write the file", path, &error)
    })
}

/// Far more than any source has; what is longer was named by mistake.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Reads a text file, with the lab's error style. Pipes and devices, which may never end, are refused.
pub fn read_text(path: &Path) -> Result<String> {
    let metadata = fs::metadata(path).map_err(|error| Problem::io("read the file", path, &error))?;
    if !metadata.is_file() {
        return Err(Problem::new("is not a file").at(path.display()).remedy("name a source file"));
    }
    if metadata.len() > TEXT_BYTES_MAX {
        let mib = TEXT_BYTES_MAX >> 20;
        return Err(Problem::new(format!("is longer than {mib} MiB: too long for a text"))
            .at(path.display())
            .remedy("name a source file"));
    }
    let bytes = fs::read(path).map_err(|error| Problem::io("read the file", path, &error))?;
    String::from_utf8(bytes)
        .map_err(|_| Problem::new("is not UTF-8 text").at(path.display()).remedy("name a source file"))
}
