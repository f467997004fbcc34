// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Numbers that do not fit to each other or to how things are found. The simulator would take the next that fits, so it would run
//! with another number than the file says; or the core would be none, as one whose second level is smaller than its first.

use super::{Cpu, CpuError, Entry};

/// What is found by masking addresses.
const POWERS_OF_TWO: [&str; 8] = [
    "fetch.block",
    "fetch.align",
    "memory.cross",
    "memory.cross2",
    "memory.cross_store",
    "memory.read_modify.unit",
    "memory.order_unit",
    "decoded.bytes",
];

/// Each cache with the line that its sets consist of.
const CACHES: [(&str, &str); 4] = [
    ("cache.instruction", "cache.instruction.line"),
    ("cache.l1", "cache.l1.line"),
    ("cache.l2", "cache.l1.line"),
    ("cache.l3", "cache.l1.line"),
];

impl Cpu {
    /// Fails on the first of them. Only the file's own numbers are asked, not those that are drawn from their ranges.
    pub(super) fn check_shapes(&self) -> Result<(), CpuError> {
        let odd = POWERS_OF_TWO
            .into_iter()
            .find(|key| self.value(key).is_some_and(|value| !(value as u64).is_power_of_two()));
        if let Some(key) = odd {
            return Err(self.refused(key, "a power of two"));
        }
        for (cache, line) in CACHES {
            let [size, ways] = ["size", "ways"].map(|part| format!("{cache}.{part}"));
            let (Some(kib), Some(line)) = (self.value(&size), self.value(line)) else { continue };
            let of_sets = self.value(&ways).unwrap_or(1.0) * line;
            if of_sets > 0.0 && (kib * 1024.0) % of_sets != 0.0 {
                return Err(self.refused(
                    &size,
                    &format!("whole sets: a multiple of {of_sets} bytes, which is {ways} times the line"),
                ));
            }
        }
        let line = self.value("cache.instruction.line").filter(|_| self.value("fetch.second_line").is_some());
        if let (Some(block), Some(line)) = (self.value("fetch.block"), line) {
            if block < line {
                let allowed =
                    format!("{line} bytes and more with fetch.second_line, as cache.instruction.line");
                return Err(self.refused("fetch.block", &allowed));
            }
        }
        if let Some(entries) = self.value("decoded.entries") {
            let ways = self.value("decoded.ways").unwrap_or(8.0);
            if ways > 0.0 && entries % ways != 0.0 {
                let allowed = format!("whole sets: a multiple of {ways}, which is decoded.ways");
                return Err(self.refused("decoded.entries", &allowed));
            }
        }
        for (inner, outer) in [("l1", "l2"), ("l2", "l3")] {
            let [inner, outer] = [inner, outer].map(|level| format!("cache.{level}.size"));
            if let (Some(least), Some(kib)) = (self.value(&inner), self.value(&outer)) {
                if kib < least {
                    return Err(self.refused(
                        &outer,
                        &format!("{least} KiB and more, as {inner}: what a level has, the next one has too"),
                    ));
                }
            }
        }
        Ok(())
    }

    fn refused(&self, key: &str, allowed: &str) -> CpuError {
        let place = self.entry(key).map(Entry::place).expect("its value was looked at").clone();
        let problem = format!("is {}", self.value(key).unwrap_or_default());
        CpuError::Invalid { place, key: key.to_owned(), problem, allowed: allowed.to_owned() }
    }
}
