// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Folders for programs that take a blank in a path for its end.

use lab::{Problem, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder under a path without blanks, which end a name to make and to the compiler behind `$(pkg-config --cflags NAME)`.
pub struct WithoutBlanks {
    path: PathBuf,
    is_link: bool,
}

impl WithoutBlanks {
    /// The folder itself, or a link to it in the folder for temporary files.
    pub fn of(folder: &Path) -> Result<WithoutBlanks> {
        let has_blanks = |path: &Path| path.to_string_lossy().contains(char::is_whitespace);
        if !has_blanks(folder) {
            return Ok(WithoutBlanks { path: folder.to_owned(), is_link: false });
        }
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let temporary = Some(std::env::temp_dir()).filter(|path| !has_blanks(path));
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let name = format!("assay-{}-{serial}", std::process::id());
        let path = temporary.unwrap_or_else(|| PathBuf::from("/tmp")).join(name);
        std::os::unix::fs::symlink(folder, &path).map_err(|error| {
            Problem::io("make a link without blanks to the cache", &path, &error)
                .remedy("let TMPDIR name a folder that can be written")
        })?;
        Ok(WithoutBlanks { path, is_link: true })
    }

    /// The path, while this value lives.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for WithoutBlanks {
    fn drop(&mut self) {
        if self.is_link {
            // What is left is a link that the system's own tidying takes.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
