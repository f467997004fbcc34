// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The archive that a booted kernel unpacks into its first file system: cpio in the format `newc`, uncompressed, as
//! Documentation/driver-api/early-userspace/buffer-format.rst has it. Written here, because cpio(1) would need device
//! nodes in a folder, which only root can make.

use lab::{Problem, Result};
use std::collections::BTreeSet;

const MAGIC: &str = "070701";
const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive that is being written.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    files: BTreeSet<String>,
    inode: u32,
}

impl Archive {
    /// An empty archive.
    pub fn new() -> Archive {
        Archive::default()
    }

    /// Adds a folder and its parents.
    pub fn folder(&mut self, path: &str) {
        if path.is_empty() || self.folders.contains(path) {
            return;
        }
        self.folder(parent(path));
        self.folders.insert(path.to_owned());
        self.entry(path, FOLDER, (0, 0), &[]);
    }

    /// Adds an executable file.
    pub fn file(&mut self, path: &str, content: &[u8]) -> Result<()> {
        let path = path.trim_start_matches('/');
        if u32::try_from(content.len()).is_err() {
            return Err(Problem::new("is longer than the 4 GiB that an initramfs can hold").at(path));
        }
        if self.folders.contains(path) || !self.files.insert(path.to_owned()) {
            return Err(Problem::new("stands in the initramfs already")
                .at(path)
                .remedy("give it another name"));
        }
        self.folder(parent(path));
        self.entry(path, PROGRAM, (0, 0), content);
        Ok(())
    }

    /// Adds a character device.
    pub fn device(&mut self, path: &str, major: u32, minor: u32) {
        self.folder(parent(path));
        self.entry(path, CHARACTER_DEVICE, (major, minor), &[]);
    }

    /// The whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.inode = 0;
        self.entry("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, (major, minor): (u32, u32), content: &[u8]) {
        self.inode += 1;
        let name_bytes = path.len() as u32 + 1;
        // inode, mode, uid, gid, links, mtime, size, device (major, minor), rdev (major, minor), length of the name,
        // checksum
        let fields = [self.inode, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, major, minor, name_bytes, 0];
        self.bytes.extend_from_slice(MAGIC.as_bytes());
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08X}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads names, modes and contents back.
    fn entries(archive: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            let field = |index: usize| {
                let from = at + 6 + 8 * index;
                u32::from_str_radix(std::str::from_utf8(&archive[from..from + 8]).unwrap(), 16).unwrap()
            };
            assert_eq!(&archive[at..at + 6], MAGIC.as_bytes());
            let (mode, size, name_bytes) = (field(1), field(6) as usize, field(11) as usize);
            let name = String::from_utf8(archive[at + 110..at + 109 + name_bytes].to_vec()).unwrap();
            let from = (at + 110 + name_bytes).next_multiple_of(4);
            if name == "TRAILER!!!" {
                assert_eq!(archive.len(), from);
                return found;
            }
            found.push((name, mode, archive[from..from + size].to_vec()));
            at = (from + size).next_multiple_of(4);
        }
    }

    #[test]
    fn what_was_put_in_comes_out_in_an_order_that_can_be_unpacked() {
        let mut archive = Archive::new();
        archive.device("dev/console", 5, 1);
        archive.file("/a/b/program", b"12345").unwrap();
        archive.file("a/b/other", b"").unwrap();
        let found = entries(&archive.finish());
        let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["dev", "dev/console", "a", "a/b", "a/b/program", "a/b/other"]);
        assert_eq!((found[4].1, found[4].2.as_slice()), (PROGRAM, &b"12345"[..]));
        assert_eq!(found[1].1, CHARACTER_DEVICE);
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut archive = Archive::new();
        archive.file("a/b", b"1").unwrap();
        assert!(archive.file("/a/b", b"2").unwrap_err().to_string().contains("already"));
        assert!(archive.file("a", b"2").is_err());
    }
}
