// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The engine: writes a log of cache lines, or fetches the lines of a log, while a program runs.
//!
//! Logging walks the second level set by set, most recent line first, then the most recent way of the third, a line every
//! [`LOG_CYCLES_PER_LINE`]. The code that runs meanwhile changes the sets that are not logged yet, and nothing signals that
//! the log is complete. A table holds the lines written so far: after an abort, or fetched too early, it is incomplete.

use crate::hierarchy::Hierarchy;

/// Cycles for a logged line. No figure is published: taken as that of the fastest fetch.
pub const LOG_CYCLES_PER_LINE: u64 = 8;

/// What is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogScope {
    /// The second level: at most 4096 lines in 32 KiB.
    L2,
    /// With the third level's most recent way: at most 12288 lines, in 128 KiB.
    L2L3,
}

/// Cycles between two fetched lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(u64);

impl Rate {
    /// The four rates, fastest first.
    pub const ALL: [Rate; 4] = [Rate(8), Rate(16), Rate(24), Rate(32)];

    /// Cycles between two lines.
    pub fn cycles(self) -> u64 {
        self.0
    }
}

enum Work {
    Idle,
    Logging { scope: LogScope, set: usize, next: u64, buffer: usize },
    Fetching { lines: Vec<u64>, at: usize, next: u64, rate: Rate },
}

/// The engine of one core, with the tables in memory that it writes and reads, by number.
pub struct Engine {
    work: Work,
    tables: Vec<Vec<u64>>,
    /// Logs that were aborted before they were complete.
    pub logs_aborted: u64,
    /// Fetches that were aborted before the end of their table.
    pub fetches_aborted: u64,
}

impl Engine {
    /// An idle engine with this number of empty tables: the posted code clears their memory, too.
    pub fn new(tables: usize) -> Engine {
        Engine { work: Work::Idle, tables: vec![Vec::new(); tables], logs_aborted: 0, fetches_aborted: 0 }
    }

    /// The lines of a table as it is in memory now.
    pub fn table(&self, buffer: usize) -> &[u64] {
        &self.tables[buffer]
    }

    /// Replaces the lines of a table.
    pub fn set_table(&mut self, buffer: usize, lines: Vec<u64>) {
        self.tables[buffer] = lines;
    }

    /// `logmpp`, abort.
    pub fn abort_log(&mut self) {
        if matches!(self.work, Work::Logging { .. }) {
            self.logs_aborted += 1;
            self.work = Work::Idle;
        }
    }

    /// MPPR, no data.
    pub fn abort_fetch(&mut self) {
        if matches!(self.work, Work::Fetching { .. }) {
            self.fetches_aborted += 1;
            self.work = Work::Idle;
        }
    }

    /// `logmpp`, log into this table from now on. Its old lines are dropped.
    pub fn log(&mut self, buffer: usize, scope: LogScope, now: u64) {
        self.abort_log();
        self.abort_fetch();
        self.tables[buffer].clear();
        self.work = Work::Logging { scope, set: 0, next: now, buffer };
    }

    /// MPPR, whole table from now on.
    pub fn fetch(&mut self, lines: Vec<u64>, rate: Rate, now: u64) {
        self.abort_fetch();
        self.abort_log();
        self.work = Work::Fetching { lines, at: 0, next: now, rate };
    }

    /// Does the work that is due until `now`.
    pub fn advance(&mut self, caches: &mut Hierarchy, now: u64) {
        match &mut self.work {
            Work::Idle => {}
            Work::Fetching { lines, at, next, rate } => {
                while *at < lines.len() && *next <= now {
                    caches.restore(lines[*at], *next);
                    *at += 1;
                    *next += rate.cycles();
                }
                if *at == lines.len() {
                    self.work = Work::Idle;
                }
            }
            Work::Logging { scope, set, next, buffer } => {
                let sets = [caches.second().sets(), caches.third().sets()];
                let all = sets[0] + if *scope == LogScope::L2L3 { sets[1] } else { 0 };
                let table = &mut self.tables[*buffer];
                while *set < all && *next <= now {
                    let before = table.len();
                    if *set < sets[0] {
                        table.extend(caches.second().lines_of_set(*set));
                    } else {
                        table.extend(caches.third().lines_of_set(*set - sets[0]).take(1));
                    }
                    // Reading an empty set takes time, too.
                    *next += LOG_CYCLES_PER_LINE * (table.len() - before).max(1) as u64;
                    *set += 1;
                }
                if *set == all {
                    self.work = Work::Idle;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::geometry;

    fn warm() -> Hierarchy {
        let mut caches = Hierarchy::new(geometry());
        for line in 0..32 {
            caches.load(line, 0);
        }
        caches
    }

    #[test]
    fn a_log_lists_the_second_level_and_a_fetch_brings_it_back() {
        let mut caches = warm();
        let mut engine = Engine::new(1);
        engine.log(0, LogScope::L2, 1000);
        engine.advance(&mut caches, 100_000);
        let mut logged = engine.table(0).to_vec();
        logged.sort_unstable();
        assert_eq!(logged, (0..32).collect::<Vec<_>>());
        for line in 100..164 {
            caches.load(line, 200_000);
        }
        assert!(!caches.second().lines_of_set(0).any(|line| line == 0));
        let table = engine.table(0).to_vec();
        engine.fetch(table, Rate::ALL[0], 300_000);
        engine.advance(&mut caches, 400_000);
        assert!(caches.second().lines_of_set(0).any(|line| line == 0));
    }

    #[test]
    fn a_log_that_is_cut_off_is_short_and_counted() {
        let mut caches = warm();
        let mut engine = Engine::new(1);
        engine.log(0, LogScope::L2, 0);
        engine.advance(&mut caches, LOG_CYCLES_PER_LINE * 10);
        engine.abort_log();
        assert!((10..14).contains(&engine.table(0).len()), "{}", engine.table(0).len());
        assert_eq!(engine.logs_aborted, 1);
    }

    #[test]
    fn lines_of_who_runs_meanwhile_get_into_the_log() {
        let mut caches = warm();
        let mut engine = Engine::new(1);
        engine.log(0, LogScope::L2, 0);
        engine.advance(&mut caches, 0);
        for line in 1000..1032 {
            caches.load(line, 10);
        }
        engine.advance(&mut caches, 100_000);
        assert!(engine.table(0).iter().any(|&line| line >= 1000));
        assert!(engine.table(0).contains(&0), "what was logged before they came stays");
    }

    #[test]
    fn the_third_levels_most_recent_way_is_logged_if_asked_for() {
        let mut caches = warm();
        let mut engine = Engine::new(1);
        engine.log(0, LogScope::L2L3, 0);
        engine.advance(&mut caches, 100_000);
        assert_eq!(
            engine.table(0).len(),
            64,
            "32 of the second level and 32 sets of the third that have a line"
        );
    }

    #[test]
    fn a_fetch_goes_by_its_rate() {
        for rate in Rate::ALL {
            let mut caches = Hierarchy::new(geometry());
            let mut engine = Engine::new(0);
            engine.fetch((0..1000).collect(), rate, 0);
            engine.advance(&mut caches, 960);
            assert_eq!(caches.counts().restored, 960 / rate.cycles() + 1);
            engine.abort_fetch();
            assert_eq!(engine.fetches_aborted, 1);
        }
    }
}
