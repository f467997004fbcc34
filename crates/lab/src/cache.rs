// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where things are: the checkout, and the cache folder that holds all that can be made again.
//!
//! A file in the cache is written under a temporary name of its own process and renamed when it is whole, so an
//! interrupted run leaves nothing that looks finished and two runs at once cannot meet in one file.

use crate::problem::{Problem, Result, STORAGE_FULL_REMEDY};
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The checkout and its cache.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The top of the checkout: holds `libs`, `runner`, `cpus`, `studies`.
    pub root: PathBuf,
    /// What can be made again: `.assay`, or `$ASSAY_CACHE`.
    pub cache: PathBuf,
}

static SERIAL: AtomicU64 = AtomicU64::new(0);

/// The scratch folders of this process that are in use.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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

    /// Writes details that a message leaves out to the log of this name; its path.
    pub fn log(&self, name: &str, line: &str) -> Result<PathBuf> {
        let log = self.folder("log")?.join(name);
        fs::write(&log, format!("{line}\n")).map_err(|error| Problem::io("write the log", &log, &error))?;
        Ok(log)
    }

    /// A fresh name for a file that is being made, in a folder of its own, where compilers may put files beside it.
    /// The folder is removed when the value is dropped; the file lives on only if `keep_as` took it.
    pub fn scratch(&self, suffix: &str) -> Result<Scratch> {
        let all = self.folder("tmp")?;
        loop {
            let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
            let folder = all.join(format!("{}-{serial}", std::process::id()));
            // Held until all is there, so that an interrupt finds it in the list or prevents it.
            let mut in_use = in_use();
            let Some(lock) = own_lock(&folder)? else { continue };
            in_use.push(folder.clone());
            let scratch = Scratch { path: folder.join(format!("new{suffix}")), folder, _lock: lock };
            let made = self
                .folder(&format!("tmp/{}", scratch.folder.file_name().unwrap_or_default().to_string_lossy()));
            drop(in_use);
            return made.map(|_| scratch);
        }
    }

    /// Removes what killed runs have left in the cache's scratch folder: every folder whose lock is not held.
    pub fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.cache.join("tmp")) else {
            return;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let folder = path.with_extension("");
            // A folder without a lock file is not in use: the lock is made before the folder, and removed after it.
            let _ = take_lock(&folder, false).map(|lock| lock.map(|_lock| remove_scratch(&folder)));
        }
    }

    /// Removes what this process has in the scratch folder: the last act of a run that is interrupted. As long as the result
    /// lives, no other thread gets more.
    pub fn abandon_scratch(&self) -> impl Sized {
        let mut in_use = in_use();
        in_use.retain(|folder| {
            let ours = folder.starts_with(&self.cache);
            if ours {
                remove_scratch(folder);
            }
            !ours
        });
        in_use
    }

    /// Waits for the lock of this name and holds it for as long as the value lives: for builds by other programs, two of
    /// which at once would write the same files.
    pub fn lock(&self, name: &str) -> Result<fs::File> {
        let path = self.folder("locks")?.join(name);
        let failed = |error: std::io::Error| Problem::io("take the lock", &path, &error);
        let file = fs::File::create(&path).map_err(failed)?;
        // SAFETY: a system call on a descriptor that is ours.
        while unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) } == -1 {
            let error = std::io::Error::last_os_error();
            if error.kind() != ErrorKind::Interrupted {
                return Err(failed(error));
            }
        }
        Ok(file)
    }

    /// The path as users can open it: relative to the checkout where it lies inside and they are there, too.
    pub fn display(&self, path: &Path) -> String {
        let is_here = std::env::current_dir().is_ok_and(|here| here == self.root);
        let short = path.strip_prefix(&self.root).ok().filter(|_| is_here);
        short.unwrap_or(path).display().to_string()
    }
}

/// A file that is being made.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    folder: PathBuf,
    /// Held for as long as the folder is in use; the kernel releases it when we die, however we do.
    _lock: fs::File,
}

impl Scratch {
    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder around it: for the temporary files of a compiler, which a killed one leaves.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives the finished file its name, replacing a file that had it.
    pub fn keep_as(self, path: &Path) -> Result<PathBuf> {
        fs::rename(&self.path, path)
            .map_err(|error| Problem::io("put the finished file in place", path, &error))?;
        Ok(path.to_path_buf())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_scratch(&self.folder);
        in_use().retain(|folder| *folder != self.folder);
    }
}

fn in_use() -> MutexGuard<'static, Vec<PathBuf>> {
    // A thread that panicked has left a list that is whole.
    IN_USE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn lock_file(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// The lock goes last, so that a folder without one is nobody's.
fn remove_scratch(folder: &Path) {
    // If that fails, the next run removes it; another run may be removing it at this moment.
    let _ = fs::remove_dir_all(folder);
    let _ = fs::remove_file(lock_file(folder));
}

/// The lock of a folder to be made; `None` if its name is taken by a process with our number in another PID namespace, or
/// by one that was killed.
fn own_lock(folder: &Path) -> Result<Option<fs::File>> {
    if folder.exists() || lock_file(folder).exists() {
        return Ok(None);
    }
    take_lock(folder, true)
        .map_err(|error| Problem::io("lock the scratch folder", &lock_file(folder), &error))
}

/// Locks a scratch folder by a file beside it; `None` if somebody else holds the lock.
///
/// A lock, not a process number, tells whether the owner lives: containers that share a cache do not see each other's
/// processes, but they do see each other's locks.
fn take_lock(folder: &Path, fresh: bool) -> std::io::Result<Option<fs::File>> {
    let path = lock_file(folder);
    let mut options = fs::File::options();
    let file = match options.write(true).create(!fresh).create_new(fresh).open(&path) {
        Err(error) if fresh && error.kind() == ErrorKind::AlreadyExists => return Ok(None),
        file => file?,
    };
    // SAFETY: a system call on a descriptor that is ours.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
        let error = std::io::Error::last_os_error();
        return if error.kind() == ErrorKind::WouldBlock { Ok(None) } else { Err(error) };
    }
    // Between opening and locking, a sweep may have taken the file away and somebody made another of that name.
    let same =
        fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| there.ino() == ours.ino()));
    Ok(same.then_some(file))
}

/// Whether a file of the cache is the object or program that its name stands for. A power cut may leave a name whose content was
/// never written: such a file is empty, or zeros, and is made again.
pub(crate) fn holds_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Far more than any source has; a longer file was named by mistake.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Reads a text file, with the lab's error style. Pipes and devices, which may never end, are refused.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_short(path)?)
        .map_err(|_| Problem::new("is not UTF-8 text").at(path.display()).remedy("name a file of text"))
}

/// Reads a short file whose bytes may be of any encoding, as an old mail's are.
pub fn read_short(path: &Path) -> Result<Vec<u8>> {
    let remedy = "name a file of text";
    if file_length(path, remedy)? > TEXT_BYTES_MAX {
        let mib = TEXT_BYTES_MAX >> 20;
        return Err(Problem::new(format!("is longer than {mib} MiB: too long for a text"))
            .at(path.display())
            .remedy(remedy));
    }
    read_whole(path, remedy)
}

/// Reads a file of any length, such as a kernel. Pipes and devices are refused; `remedy` says what to name instead.
pub fn read_whole(path: &Path, remedy: &str) -> Result<Vec<u8>> {
    file_length(path, remedy)?;
    fs::read(path).map_err(|error| Problem::io("read the file", path, &error))
}

/// How long a file is. What is none is refused: a device may have no end, and opening a pipe waits for somebody who writes.
pub fn file_length(path: &Path, remedy: &str) -> Result<u64> {
    let metadata = fs::metadata(path).map_err(|error| Problem::io("read the file", path, &error))?;
    match metadata.is_file() {
        true => Ok(metadata.len()),
        false => Err(Problem::new("is not a file").at(path.display()).remedy(remedy)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(name: &str) -> Workspace {
        let cache = std::env::temp_dir().join(format!("assay-cache-{name}-{}", std::process::id()));
        fs::create_dir_all(&cache).unwrap();
        Workspace { root: cache.clone(), cache }
    }

    fn names(workspace: &Workspace) -> Vec<String> {
        let entries = fs::read_dir(workspace.cache.join("tmp")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_sweep_takes_what_is_nobodys_and_leaves_what_is_in_use() {
        let workspace = workspace("sweep");
        let used = workspace.scratch(".o").unwrap();
        fs::write(used.path(), "half").unwrap();
        let tmp = workspace.cache.join("tmp");
        // Killed at each point of a scratch folder's life; the number is that of a process that lives.
        fs::create_dir(tmp.join("1-0")).unwrap();
        fs::create_dir(tmp.join("1-1")).unwrap();
        fs::write(tmp.join("1-1.lock"), "").unwrap();
        fs::write(tmp.join("1-1/new.o"), "half").unwrap();
        fs::write(tmp.join("1-2.lock"), "").unwrap();
        // In use in another PID namespace: a number that nobody has here.
        let theirs = tmp.join("999999999-0");
        let lock = own_lock(&theirs).unwrap().unwrap();
        fs::create_dir(&theirs).unwrap();
        workspace.sweep();
        assert!(used.path().is_file() && theirs.is_dir());
        assert_eq!(names(&workspace).len(), 4, "{:?}", names(&workspace));
        // Their end releases the lock. Closing it would not: a child that another test starts at this moment has it open too.
        // SAFETY: a system call on a descriptor that is ours.
        assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_UN) }, 0);
        drop(used);
        workspace.sweep();
        assert_eq!(names(&workspace), Vec::<String>::new());
        fs::remove_dir_all(&workspace.cache).unwrap();
    }

    #[test]
    fn an_interrupted_run_removes_its_own_and_nobody_elses() {
        let workspace = workspace("abandon");
        let tmp = workspace.cache.join("tmp");
        let _ours = workspace.scratch("").unwrap();
        // In another PID namespace somebody may have our number.
        let theirs = tmp.join(format!("{}-1000000", std::process::id()));
        fs::create_dir(&theirs).unwrap();
        workspace.abandon_scratch();
        assert_eq!(names(&workspace), [theirs.file_name().unwrap().to_string_lossy()]);
        fs::remove_dir_all(&workspace.cache).unwrap();
    }

    #[test]
    fn what_is_no_file_is_refused_before_it_is_opened() {
        let workspace = workspace("irregular");
        let pipe = workspace.cache.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), &workspace.cache] {
            let problem = read_whole(path, "name a kernel").unwrap_err();
            assert_eq!((problem.what.as_str(), problem.remedy.as_str()), ("is not a file", "name a kernel"));
            assert_eq!(read_text(path).unwrap_err().what, "is not a file");
        }
        fs::remove_dir_all(&workspace.cache).unwrap();
    }

    #[test]
    fn a_name_that_is_taken_is_not_shared() {
        let workspace = workspace("taken");
        let tmp = workspace.folder("tmp").unwrap();
        let next = SERIAL.load(Ordering::Relaxed);
        // Other tests of this process draw numbers at the same time.
        for serial in next..next + 50 {
            fs::write(tmp.join(format!("{}-{serial}.lock", std::process::id())), "").unwrap();
        }
        let scratch = workspace.scratch("").unwrap();
        let name = scratch.folder.file_name().unwrap().to_string_lossy().into_owned();
        let serial: u64 = name.split_once('-').unwrap().1.parse().unwrap();
        assert!(serial >= next + 50, "{name}");
        drop(scratch);
        fs::remove_dir_all(&workspace.cache).unwrap();
    }
}
