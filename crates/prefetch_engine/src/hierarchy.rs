// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A core's caches as a resource that vcores and the engine share, over the predictor's model of a cache.
//!
//! First level: write-through, no allocation on stores. Second: write-back, allocates on loads and stores. Third: filled by
//! lines from memory and by write-backs of the second. Replacement is least recently used. The ports of the third level and
//! of memory accept one line per interval, from vcores and engine together.

use predict::{Cache, Cpu};
use std::collections::HashSet;

/// Sets, ways and times of one level.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Sets.
    pub sets: usize,
    /// Ways.
    pub ways: usize,
    /// Latency in cycles.
    pub latency: u64,
    /// Cycles between two lines.
    pub interval: u64,
}

/// The whole hierarchy.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Bytes of a line.
    pub line_bytes: u64,
    /// First, second, third level.
    pub levels: [Shape; 3],
    /// Cycles until a line comes from memory.
    pub memory_latency: u64,
    /// Cycles between two lines from memory.
    pub memory_interval: u64,
    /// Misses that a core can have in flight.
    pub misses: usize,
}

impl Geometry {
    /// From a CPU's description; `None` if it does not describe three levels of caches.
    pub fn of(cpu: &Cpu) -> Option<Geometry> {
        let line = cpu.value("cache.line").unwrap_or(128.0);
        let level = |name: &str| -> Option<Shape> {
            let value = |key: &str| cpu.value(&format!("cache.{name}.{key}"));
            let ways = value("ways")?;
            let sets = (value("size")? * 1024.0 / line / ways) as usize;
            let interval = value("interval").unwrap_or(0.0) as u64;
            Some(Shape { sets, ways: ways as usize, latency: value("latency")? as u64, interval })
        };
        Some(Geometry {
            line_bytes: line as u64,
            levels: [level("l1")?, level("l2")?, level("l3")?],
            memory_latency: cpu.value("cache.memory.latency")? as u64,
            memory_interval: cpu.value("cache.memory.interval")? as u64,
            misses: cpu.value("memory.miss_queue")? as usize,
        })
    }
}

/// The level at which a line was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// First level.
    L1,
    /// Second.
    L2,
    /// Third.
    L3,
    /// Memory.
    Memory,
}

/// Accesses to each level and their results. Stores do not count at the first level, which passes them on to the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Loads and stores.
    pub accesses: u64,
    /// Hits of the first level's loads, of the second level and of the third.
    pub hits: [u64; 3],
    /// Misses, as `hits`.
    pub misses: [u64; 3],
    /// Restored lines that were used in time.
    pub restored_used: u64,
    /// Restored lines that were used but had not yet arrived.
    pub restored_late: u64,
    /// Restored lines that were evicted unused.
    pub restored_evicted: u64,
    /// Lines that the engine asked for.
    pub restored: u64,
    /// Those of them that were in the second level already.
    pub restored_present: u64,
}

/// The caches of one core.
#[derive(Clone)]
pub struct Hierarchy {
    geometry: Geometry,
    caches: [Cache; 3],
    /// The dirty lines of the second and of the third level.
    dirty: [HashSet<u64>; 2],
    last_stored: u64,
    third_free: u64,
    memory_free: u64,
    counts: Counts,
}

impl Hierarchy {
    /// Empty caches.
    pub fn new(geometry: Geometry) -> Hierarchy {
        let caches = geometry.levels.map(|level| Cache::new(level.sets, level.ways));
        Hierarchy {
            geometry,
            caches,
            dirty: Default::default(),
            last_stored: u64::MAX,
            third_free: 0,
            memory_free: 0,
            counts: Counts::default(),
        }
    }

    /// Empty caches of the same geometry, as those of another core; the counts are kept.
    pub fn emptied(&self) -> Hierarchy {
        Hierarchy { counts: self.counts, ..Hierarchy::new(self.geometry) }
    }

    /// Its geometry.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The second level, which the engine logs.
    pub fn second(&self) -> &Cache {
        &self.caches[1]
    }

    /// The third level.
    pub fn third(&self) -> &Cache {
        &self.caches[2]
    }

    /// Loads a line; returns where it was found and when it arrives.
    pub fn load(&mut self, line: u64, now: u64) -> (Found, u64) {
        self.counts.accesses += 1;
        if let Some((arrival, _)) = self.caches[0].touch(line) {
            self.counts.hits[0] += 1;
            return (Found::L1, arrival.max(now));
        }
        self.counts.misses[0] += 1;
        let (found, arrival) = self.second_level(line, now);
        self.caches[0].insert(line, arrival, false);
        (found, arrival)
    }

    /// Stores to a line: the store goes to the second level and does not change the LRU order of the first.
    pub fn store(&mut self, line: u64, now: u64) -> (Found, u64) {
        self.counts.accesses += 1;
        let result = self.second_level(line, now);
        // Most stores go to the line of the last one: this saves the set's lookup.
        if self.last_stored != line {
            self.dirty[0].insert(line);
            self.last_stored = line;
        }
        result
    }

    fn second_level(&mut self, line: u64, now: u64) -> (Found, u64) {
        if let Some((arrival, restored)) = self.caches[1].touch(line) {
            self.counts.hits[1] += 1;
            if restored && arrival > now {
                self.counts.restored_late += 1;
            } else if restored {
                self.counts.restored_used += 1;
            }
            return (Found::L2, arrival.max(now + self.geometry.levels[1].latency));
        }
        self.counts.misses[1] += 1;
        let (found, arrival) = self.third_level(line, now, true);
        self.fill_second(line, arrival, false);
        (found, arrival)
    }

    fn third_level(&mut self, line: u64, now: u64, counted: bool) -> (Found, u64) {
        if let Some((arrival, _)) = self.caches[2].touch(line) {
            self.counts.hits[2] += u64::from(counted);
            let start = now.max(self.third_free);
            self.third_free = start + self.geometry.levels[2].interval;
            return (Found::L3, arrival.max(start + self.geometry.levels[2].latency));
        }
        self.counts.misses[2] += u64::from(counted);
        let arrival = self.from_memory(now);
        self.fill_third(line, arrival);
        (Found::Memory, arrival)
    }

    fn from_memory(&mut self, now: u64) -> u64 {
        let start = now.max(self.memory_free);
        self.memory_free = start + self.geometry.memory_interval;
        start + self.geometry.memory_latency
    }

    /// Fills a line into the second level; a dirty victim is written back to the third.
    fn fill_second(&mut self, line: u64, arrival: u64, restored: bool) {
        if let Some((old, unused)) = self.caches[1].victim(line) {
            self.counts.restored_evicted += u64::from(unused);
            if self.dirty[0].remove(&old) {
                self.last_stored = u64::MAX;
                if self.caches[2].touch(old).is_none() {
                    self.fill_third(old, arrival);
                }
                self.dirty[1].insert(old);
            }
        }
        self.caches[1].insert(line, arrival, restored);
    }

    fn fill_third(&mut self, line: u64, arrival: u64) {
        if let Some((old, _)) = self.caches[2].victim(line) {
            if self.dirty[1].remove(&old) {
                self.memory_free += self.geometry.memory_interval;
            }
        }
        self.caches[2].insert(line, arrival, false);
    }

    /// Brings a line into the second level for the engine, through the same ports; returns when the line arrives.
    pub fn restore(&mut self, line: u64, now: u64) -> u64 {
        self.counts.restored += 1;
        if self.caches[1].holds(line) {
            self.counts.restored_present += 1;
            return now;
        }
        let (_, arrival) = self.third_level(line, now, false);
        self.fill_second(line, arrival, true);
        arrival
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn geometry() -> Geometry {
        let level = |sets, latency| Shape { sets, ways: 2, latency, interval: 4 };
        Geometry {
            line_bytes: 128,
            levels: [level(4, 3), level(16, 13), level(64, 27)],
            memory_latency: 300,
            memory_interval: 16,
            misses: 4,
        }
    }

    #[test]
    fn a_line_is_found_ever_farther_out() {
        let mut caches = Hierarchy::new(geometry());
        assert_eq!(caches.load(0, 0), (Found::Memory, 300));
        assert_eq!(caches.load(0, 1000), (Found::L1, 1000));
        caches.load(4, 2000);
        caches.load(8, 3000);
        assert_eq!(caches.load(0, 4000).0, Found::L2);
        for line in [16, 32, 48] {
            caches.load(line, 5000);
        }
        assert_eq!(caches.load(0, 9000).0, Found::L3);
    }

    #[test]
    fn what_was_written_and_pushed_out_is_in_the_third_level() {
        let mut caches = Hierarchy::new(geometry());
        caches.store(0, 0);
        for line in [64, 128] {
            // The same set of the third level, too: line 0 is there again only by its write-back.
            caches.load(line, 1000);
        }
        assert_eq!(caches.load(0, 9000).0, Found::L3);
    }

    #[test]
    fn restored_lines_are_used_late_or_evicted_and_share_the_memory() {
        let mut caches = Hierarchy::new(geometry());
        assert_eq!(caches.restore(1, 0), 300);
        assert_eq!(caches.restore(2, 0), 316, "the second line waits for the memory");
        assert_eq!(caches.load(3, 0).1, 332, "and a load behind both");
        caches.load(1, 1000);
        caches.load(2, 100);
        caches.restore(5, 2000);
        caches.load(5 + 16, 3000);
        caches.load(5 + 32, 3000);
        let counts = caches.counts();
        assert_eq!((counts.restored, counts.restored_used, counts.restored_late), (3, 1, 1));
        assert_eq!(counts.restored_evicted, 1);
        assert_eq!(caches.restore(5 + 32, 9000), 9000);
        assert_eq!(caches.counts().restored_present, 1);
    }
}
