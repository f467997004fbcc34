// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What tells whether the files of a user's kernel tree have changed: of each its size, time of change and mode.
//!
//! A tree has eighty thousand files. Reading them takes many seconds at every command, asking for their sizes and times half of
//! one; make and git trust these as well. The time of a file's inode would tell more, but it changes with every hard link.

use lab::build::digest;
use lab::{Problem, Result};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders at the top that are not the source: git's own, and what a user has built there.
const NOT_SOURCE: [&str; 2] = [".git", "build"];
/// Between the entries of a listing as text; no name has it.
const END: char = '\0';

/// The files of a tree, by their paths below its top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing(BTreeMap<String, String>);

impl Listing {
    /// Lists the files of a tree.
    pub fn of(folder: &Path) -> Result<Listing> {
        let mut listing = Listing::default();
        listing.add(folder, Path::new(""))?;
        Ok(listing)
    }

    fn add(&mut self, top: &Path, below: &Path) -> Result<()> {
        let folder = top.join(below);
        let unreadable = |error: std::io::Error| Problem::io("read the folder", &folder, &error);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = below.join(entry.file_name());
            if NOT_SOURCE.iter().any(|name| Path::new(name) == path) {
                continue;
            }
            let metadata = entry.metadata().map_err(unreadable)?;
            if metadata.is_dir() {
                self.add(top, &path)?;
                continue;
            }
            let stamp = format!(
                "{} {}.{:09} {:o}",
                metadata.size(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.mode()
            );
            self.0.insert(path.to_string_lossy().into_owned(), stamp);
        }
        Ok(())
    }

    /// A short text that is another one when a file changes, comes or goes.
    pub fn digest(&self) -> String {
        digest(&[&self.to_text()])
    }

    /// The files that are new here, or changed, compared with an earlier listing.
    pub fn changed_since(&self, earlier: &Listing) -> Vec<PathBuf> {
        let differs = |(path, stamp): &(&String, &String)| earlier.0.get(*path) != Some(*stamp);
        self.0.iter().filter(differs).map(|(path, _)| PathBuf::from(path)).collect()
    }

    /// As a text, to be kept in a file.
    pub fn to_text(&self) -> String {
        self.0.iter().map(|(path, stamp)| format!("{stamp} {path}{END}")).collect()
    }

    /// A listing that was kept.
    pub fn from_text(text: &str) -> Listing {
        let entry = |line: &str| {
            let (stamp_end, _) = line.match_indices(' ').nth(2)?;
            Some((line[stamp_end + 1..].to_owned(), line[..stamp_end].to_owned()))
        };
        Listing(text.split(END).filter_map(entry).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_and_what_is_no_source_is_not() {
        let top = std::env::temp_dir().join(format!("assay-listing-{}", std::process::id()));
        for folder in ["lib", ".git", "build", "lib/build"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        fs::write(top.join("lib/a b.c"), "a").unwrap();
        fs::write(top.join("lib/build/Makefile"), "a").unwrap();
        let before = Listing::of(&top).unwrap();
        assert_eq!(Listing::from_text(&before.to_text()), before);
        fs::write(top.join(".git/index"), "a").unwrap();
        fs::write(top.join("build/vmlinux"), "a").unwrap();
        fs::hard_link(top.join("lib/a b.c"), top.join("build/a.c")).unwrap();
        assert_eq!(Listing::of(&top).unwrap(), before);
        fs::write(top.join("lib/a b.c"), "ab").unwrap();
        fs::write(top.join("lib/build/new.c"), "").unwrap();
        let after = Listing::of(&top).unwrap();
        assert_ne!(after.digest(), before.digest());
        let changed = after.changed_since(&before);
        assert_eq!(changed, [PathBuf::from("lib/a b.c"), PathBuf::from("lib/build/new.c")]);
        fs::remove_dir_all(top).unwrap();
    }
}
