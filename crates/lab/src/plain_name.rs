// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Names for those who take some characters of a path for its end, and know no way to quote them.

use crate::{Problem, Result};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A name of a file or folder without some characters: its own, or that of a link in the folder for temporary files.
pub struct PlainName {
    path: PathBuf,
    is_link: bool,
}

impl PlainName {
    /// A path without blanks, which end a name to make and to the compiler behind `$(pkg-config --cflags NAME)`.
    pub fn without_blanks(path: &Path) -> Result<PlainName> {
        Self::without(path, char::is_whitespace)
    }

    /// A path without what separates the items of `LD_PRELOAD` (ld.so(8)).
    pub fn to_preload(path: &Path) -> Result<PlainName> {
        Self::without(path, |c| c == ' ' || c == ':')
    }

    fn without(path: &Path, separates: fn(char) -> bool) -> Result<PlainName> {
        let is_plain = |path: &Path| !path.to_string_lossy().contains(separates);
        if is_plain(path) {
            return Ok(PlainName { path: path.to_owned(), is_link: false });
        }
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let folder = Some(std::env::temp_dir()).filter(|folder| is_plain(folder));
        let folder = folder.unwrap_or_else(|| PathBuf::from("/tmp"));
        loop {
            let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
            let link = folder.join(format!("assay-{}-{serial}", std::process::id()));
            match std::path::absolute(path).and_then(|path| symlink(path, &link)) {
                Ok(()) => return Ok(PlainName { path: link, is_link: true }),
                // Left by a process with our number that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Problem::io("make a link with a plain name", &link, &error)
                        .remedy("let TMPDIR name a folder that can be written"));
                }
            }
        }
    }

    /// The path, while this value lives.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PlainName {
    fn drop(&mut self) {
        if self.is_link {
            // What is left is a link that the system's own tidying takes.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stands_for_a_path_that_would_be_split() {
        let temporary = std::env::temp_dir();
        let folder = temporary.join(format!("assay plain:name-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("tracer.so");
        std::fs::write(&file, "it").unwrap();
        let name = PlainName::to_preload(&file).unwrap();
        assert!(!name.path().to_string_lossy().contains([' ', ':']), "{}", name.path().display());
        assert_eq!(std::fs::read_to_string(name.path()).unwrap(), "it");
        let link = name.path().to_owned();
        drop(name);
        assert!(!link.is_symlink() && file.is_file());
        assert_eq!(PlainName::to_preload(&temporary).unwrap().path(), temporary);
        assert!(temporary.is_dir());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
