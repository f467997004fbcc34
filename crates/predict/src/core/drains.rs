// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How stores enter the cache: in order, one after the other or several at once, and what read-modify-writes of the cache
//! make later ones wait for.

use super::planted::{planted, Fault};
use crate::description::{Description, ReadModify};
use crate::plan::Named;

/// One store.
#[derive(Clone, Copy, Default)]
pub(crate) struct Store {
    pub(crate) number: u64,
    /// Of the static instruction.
    pub(crate) index: u32,
    /// What rename knew of it.
    pub(crate) named: Named,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// When its address and its value were known.
    pub(crate) address_time: u64,
    pub(crate) data_time: u64,
    /// When it is in the cache; `u64::MAX` until it has completed.
    pub(crate) drain: u64,
    /// When it completed; 0 until it has.
    pub(crate) completed: u64,
    pub(crate) simple: bool,
    /// Of a register to which rename added a constant, if that matters.
    pub(crate) counted: bool,
    /// Of a vector register.
    pub(crate) vector: bool,
    /// It crosses the first boundary of `memory.cross`.
    pub(crate) crosses: bool,
}

/// The first and the last doubleword of an access.
#[inline]
pub(super) fn granules(address: u64, bytes: u64) -> (u64, u64) {
    (address >> 3, (address + bytes.max(1) - 1) >> 3)
}

/// How stores enter the cache.
#[derive(Clone, Copy)]
pub(crate) struct Drains {
    /// Cycles from completion to being there.
    latency: u64,
    /// Cycles until the next one, after a store within a line and after one across.
    interval: u64,
    cross_interval: u64,
    /// Most bytes of two stores that enter together, 0 if none do.
    pair: u64,
    line_shift: u32,
    /// Whether they may enter to different lines, and more than two to one.
    apart: bool,
    run: bool,
    /// When the next one may enter; line of the last if that may be the first of two.
    free: u64,
    alone_in: Option<u64>,
    modified: Option<Modified>,
}

/// Read-modify-writes of the cache, which make later stores to their doublewords wait.
#[derive(Clone, Copy)]
struct Modified {
    rule: ReadModify,
    /// Row of the last store's last byte, and how many runs of stores to one row there were before.
    row: u64,
    run: u64,
    last: [Modification; 16],
    next: usize,
}

/// One of the last ones, of which two enter in a cycle at most and matter for eight: its doublewords, when it entered, and in
/// which run of stores to one row.
#[derive(Clone, Copy, Default)]
struct Modification {
    first: u64,
    last: u64,
    at: u64,
    run: u64,
}

impl Modified {
    fn new(rule: ReadModify) -> Modified {
        Modified { rule, row: u64::MAX, run: 1, last: [Modification::default(); 16], next: 0 }
    }

    /// Whether a store that could enter at `time` has to wait for one of another run.
    fn holds(&self, store: &Store, time: u64) -> bool {
        let (first, last) = granules(store.address, store.bytes);
        let run = self.run_of(store);
        let is_busy = |one: &Modification| {
            one.run != 0
                && one.run != run
                && first <= one.last
                && one.first <= last
                && time < one.at + self.rule.busy
        };
        self.last.iter().any(is_busy) && !planted(Fault::ModifiedFree)
    }

    fn run_of(&self, store: &Store) -> u64 {
        self.run + u64::from(store.address / self.rule.row != self.row)
    }

    /// When a store enters that could at `time`.
    fn enter(&mut self, store: &Store, time: u64) -> u64 {
        let time = time + if self.holds(store, time) { self.rule.retry } else { 0 };
        self.note(store, time);
        time
    }

    /// A store entered at `time`.
    fn note(&mut self, store: &Store, time: u64) {
        self.run = self.run_of(store);
        let row = (store.address + store.bytes - 1) / self.rule.row;
        if self.rule.takes(store.address, store.bytes) {
            let (first, last) = granules(store.address, store.bytes);
            self.last[self.next] = Modification { first, last, at: time, run: self.run };
            self.next = (self.next + 1) % self.last.len();
        }
        // What crosses into another row ends its run.
        self.run += u64::from(row != store.address / self.rule.row);
        self.row = row;
    }
}

impl Drains {
    /// With `at_once` any number enters in a cycle.
    pub(crate) fn new(description: &Description, at_once: bool) -> Drains {
        let memory = &description.memory;
        let pace = |cycles: u64| if at_once { 0 } else { cycles };
        Drains {
            latency: memory.drain,
            interval: pace(memory.drain_interval),
            cross_interval: pace(memory.cross_drain),
            pair: memory.drain_pair,
            line_shift: memory.pair_bytes(description.caches.line).trailing_zeros(),
            apart: memory.drain_apart,
            run: memory.drain_run && !planted(Fault::RunForgotten),
            free: 0,
            alone_in: None,
            modified: memory.read_modify.filter(|_| !at_once).map(Modified::new),
        }
    }

    /// When the next one may enter.
    #[inline]
    pub(super) fn free_from(&self) -> u64 {
        self.free
    }

    /// When the next store in order, completed at `cycle`, is in the cache, whose line is there at `line_ready`.
    #[inline(always)]
    pub(super) fn enter(&mut self, store: &Store, cycle: u64, line_ready: u64) -> u64 {
        let earliest = (cycle + self.latency).max(line_ready);
        if planted(Fault::DrainsAtOnce) {
            return earliest.max(self.free);
        }
        if self.pair > 0 {
            return self.enter_paired(store, earliest);
        }
        let time = self.modify(store, earliest.max(self.free));
        self.free = time + if store.crosses { self.cross_interval } else { self.interval };
        time
    }

    /// When a store enters that could at `time`, after the read-modify-writes before it.
    #[inline]
    fn modify(&mut self, store: &Store, time: u64) -> u64 {
        self.modified.as_mut().map_or(time, |modified| modified.enter(store, time))
    }

    #[inline]
    fn enter_paired(&mut self, store: &Store, earliest: u64) -> u64 {
        let line =
            if self.apart && !planted(Fault::LinesApart) { 0 } else { store.address >> self.line_shift };
        if self.run && store.crosses {
            return self.enter_across(store, earliest);
        }
        let may_pair = store.bytes <= self.pair && !store.crosses;
        let with = self.free.saturating_sub(self.interval);
        let is_held = self.modified.as_ref().is_some_and(|modified| modified.holds(store, with));
        if may_pair && self.alone_in == Some(line) && earliest <= with && !is_held {
            self.alone_in = self.alone_in.filter(|_| self.run);
            if let Some(modified) = &mut self.modified {
                modified.note(store, with);
            }
            return with;
        }
        let time = self.modify(store, earliest.max(self.free));
        self.free = time + if store.crosses { self.cross_interval } else { self.interval };
        self.alone_in = may_pair.then_some(line);
        time
    }

    /// A store to two lines, each half of which belongs to the run of its line.
    fn enter_across(&mut self, store: &Store, earliest: u64) -> u64 {
        let first = store.address >> self.line_shift;
        let with = self.free.saturating_sub(self.interval);
        let joins = self.alone_in == Some(first) && earliest <= with;
        let time = if joins { with } else { earliest.max(self.free) };
        self.free = time + self.cross_interval;
        self.alone_in = Some((store.address + store.bytes - 1) >> self.line_shift);
        (time + self.cross_interval).saturating_sub(self.interval).max(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::store_queue::StoreQueue;

    impl Drains {
        /// Six cycles after completion, one a cycle, or two of together at most so many bytes.
        pub(in crate::core) fn plain(pair: u64) -> Drains {
            let (latency, interval, cross_interval) = (6, 1, 2);
            Drains {
                latency,
                interval,
                cross_interval,
                pair,
                line_shift: 6,
                apart: false,
                run: false,
                free: 0,
                alone_in: None,
                modified: None,
            }
        }
    }

    fn store(address: u64, bytes: u64) -> Store {
        Store { address, bytes, simple: true, ..Store::default() }
    }

    /// When stores that all complete at 10 are in the cache.
    fn entered(pair: u64, stores: &[Store]) -> Vec<u64> {
        let mut queue = StoreQueue::new(8, u64::MAX, Drains::plain(pair));
        stores
            .iter()
            .map(|&store| {
                let number = queue.add(store);
                queue.complete(number, 10, 0)
            })
            .collect()
    }

    #[test]
    fn two_small_stores_to_one_line_enter_together_where_the_core_says_so() {
        let line = [store(0, 8), store(8, 8), store(16, 8), store(24, 8)];
        assert_eq!(entered(0, &line), [16, 17, 18, 19]);
        assert_eq!(entered(32, &line), [16, 16, 17, 17]);
        assert_eq!(entered(4, &line), [16, 17, 18, 19], "too large");
        let lines = [store(0, 8), store(64, 8), store(72, 8), store(0, 8)];
        assert_eq!(entered(32, &lines), [16, 17, 17, 18], "only of one line, and in order");
    }

    #[test]
    fn a_store_across_a_line_holds_the_next_one_up() {
        let across = Store { crosses: true, ..store(60, 8) };
        assert_eq!(entered(32, &[across, store(64, 8), store(72, 8)]), [16, 18, 18]);
        assert_eq!(entered(0, &[across, across, store(0, 8)]), [16, 18, 20]);
    }
}
