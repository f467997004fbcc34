// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The header and the end record of a trace.

use arch::Arch;
use std::path::PathBuf;

/// A function whose execution was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The symbol.
    pub name: String,
    /// Its address in its file, before the load address of a shared object is added.
    pub address: u64,
}

/// The start of a trace: what was recorded and how. Keys that a reader does not know are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Architecture of the recorded program.
    pub arch: Arch,
    /// The file's format version.
    pub version: u64,
    /// Key and value in the order of the file; keys may repeat.
    pub lines: Vec<(String, String)>,
}

impl Header {
    /// The first value of a key: `program`, `argv`, `qemu_version`, `qemu_cpu`, `tracer_version`, ...
    pub fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    fn named_addresses<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Region> + 'a {
        self.lines.iter().filter(move |(k, _)| k == key).filter_map(|(_, value)| {
            let (before, last) = split_address(value)?;
            let (name, address) = split_address(before).unwrap_or((before, last));
            Some(Region { name: name.to_owned(), address })
        })
    }

    /// The regions of interest; none means that the whole program was recorded.
    pub fn regions(&self) -> Vec<Region> {
        self.named_addresses("region").collect()
    }

    /// Entry addresses of functions that are to be timed, as the recorder was told.
    pub fn marks(&self) -> Vec<Region> {
        self.named_addresses("mark").collect()
    }
}

/// Splits off the `:0xHEX` at the end. It is the end that is looked at, since a name may have such a part, too.
fn split_address(text: &str) -> Option<(&str, u64)> {
    let (before, digits) = text.rsplit_once(":0x").filter(|(before, _)| !before.is_empty())?;
    Some((before, u64::from_str_radix(digits, 16).ok()?))
}

/// A file that code of the trace came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Where its first byte was loaded.
    pub start: u64,
    /// Its path on the machine that recorded the trace.
    pub path: PathBuf,
}

/// The end of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Key and value: `end` says why recording stopped (`exit`, `limit`, `exec`, `signal`), then totals.
    pub lines: Vec<(String, String)>,
}

impl End {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The files that the code came from, as far as they were still loaded when recording ended.
    pub fn images(&self) -> Vec<Image> {
        let values = self.lines.iter().filter(|(key, _)| key == "image").map(|(_, value)| value);
        let image = |value: &String| {
            let (start, path) = value.strip_prefix("0x")?.split_once(':')?;
            Some(Image { start: u64::from_str_radix(start, 16).ok()?, path: PathBuf::from(path) })
        };
        values.filter_map(image).collect()
    }

    /// A total; 0 if the writer did not write it.
    pub fn total(&self, key: &str) -> u64 {
        self.get(key).and_then(|value| value.parse().ok()).unwrap_or(0)
    }
}
