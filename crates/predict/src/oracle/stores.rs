// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's store queue: a list of all stores there ever were; a load looks at each of them.

use crate::description::{Description, ReadModify};
use crate::plan::Named;

#[derive(Clone, Copy)]
pub(super) struct Store {
    pub(super) index: u32,
    pub(super) named: Named,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) address_time: u64,
    pub(super) data_time: u64,
    /// When it is in the cache, once it has completed.
    pub(super) drain: Option<u64>,
    /// When it completed, once it has.
    pub(super) completed: Option<u64>,
    pub(super) renames: bool,
    pub(super) counted: bool,
    /// Of a vector register.
    pub(super) vector: bool,
    pub(super) crosses: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meets {
    All,
    Some,
    Alias,
}

pub(super) struct Stores {
    pub(super) stores: Vec<Store>,
    entries: usize,
    alias_mask: u64,
    latency: u64,
    interval: u64,
    cross_interval: u64,
    pair: u64,
    apart: bool,
    all_of_run: bool,
    line: u64,
    /// When the next may enter the cache, and the line and the cycle of the last if another may enter with it.
    next: u64,
    alone: Option<(u64, u64)>,
    read_modify: Option<ReadModify>,
    /// Row of the last byte of the last store that entered, how often stores went to another row, and the read-modify-writes
    /// that there were: address, bytes, cycle and run.
    last_row: Option<u64>,
    run: u64,
    modified: Vec<(u64, u64, u64, u64)>,
}

fn overlap(a: u64, a_bytes: u64, b: u64, b_bytes: u64) -> bool {
    a < b + b_bytes && b < a + a_bytes
}

impl Stores {
    pub(super) fn new(description: &Description) -> Stores {
        let memory = &description.memory;
        Stores {
            stores: Vec::new(),
            entries: memory.store_queue,
            alias_mask: memory.alias_mask,
            latency: memory.drain,
            interval: memory.drain_interval,
            cross_interval: memory.cross_drain,
            pair: memory.drain_pair,
            apart: memory.drain_apart,
            all_of_run: memory.drain_run,
            line: memory.pair_bytes(description.caches.line),
            next: 0,
            alone: None,
            read_modify: memory.read_modify,
            last_row: None,
            run: 0,
            modified: Vec::new(),
        }
    }

    /// When there is room for another one; a store of the group being filled is not waited for.
    pub(super) fn room(&self) -> u64 {
        let holder = self.stores.len().checked_sub(self.entries);
        holder.and_then(|holder| self.stores[holder].drain).unwrap_or(0)
    }

    /// The store of that number completed at `cycle`; its line is there at `line_ready`.
    pub(super) fn complete(&mut self, number: usize, cycle: u64, line_ready: u64) {
        self.stores[number].completed = Some(cycle);
        let store = self.stores[number];
        let earliest = (cycle + self.latency).max(line_ready);
        let line = store.address / self.line;
        if self.all_of_run && store.crosses {
            self.complete_across(number, line, earliest);
            return;
        }
        let small = self.pair > 0 && store.bytes <= self.pair && !store.crosses;
        if let Some((other, at)) = self.alone.filter(|_| small) {
            if (self.apart || other == line) && earliest <= at && self.retry(&store, at) == 0 {
                if !self.all_of_run {
                    self.alone = None;
                }
                self.enter(number, at);
                return;
            }
        }
        let at = earliest.max(self.next);
        let at = at + self.retry(&store, at);
        self.next = at + if store.crosses { self.cross_interval } else { self.interval };
        self.alone = small.then_some((line, at));
        self.enter(number, at);
    }

    /// The same for a store to two lines: each half goes with the stores to its line next to it.
    fn complete_across(&mut self, number: usize, line: u64, earliest: u64) {
        let store = self.stores[number];
        let last = (store.address + store.bytes - 1) / self.line;
        let with = self.alone.filter(|&(other, at)| other == line && earliest <= at);
        let first_half = with.map_or(earliest.max(self.next), |(_, at)| at);
        let second_half = first_half + self.cross_interval.saturating_sub(self.interval);
        self.next = first_half + self.cross_interval;
        self.alone = Some((last, second_half));
        self.enter(number, second_half);
    }

    /// Cycles that a store waits which could enter at `at`, since one of its doublewords is being read and written for a store
    /// of another run: stores to one row that follow each other are written together.
    fn retry(&self, store: &Store, at: u64) -> u64 {
        let Some(rule) = self.read_modify else { return 0 };
        let run = self.run + u64::from(self.last_row != Some(store.address / rule.row));
        let doublewords = |address: u64, bytes: u64| address / 8..=(address + bytes - 1) / 8;
        let own = doublewords(store.address, store.bytes);
        let is_busy = |&(address, bytes, entered, of_run): &(u64, u64, u64, u64)| {
            of_run != run
                && at < entered + rule.busy
                && doublewords(address, bytes).any(|one| own.contains(&one))
        };
        if self.modified.iter().any(is_busy) {
            rule.retry
        } else {
            0
        }
    }

    fn enter(&mut self, number: usize, at: u64) {
        let store = &mut self.stores[number];
        store.drain = Some(at);
        let Some(rule) = self.read_modify else { return };
        let (first, last) = (store.address / rule.row, (store.address + store.bytes - 1) / rule.row);
        if self.last_row != Some(first) {
            self.run += 1;
        }
        if rule.takes(store.address, store.bytes) {
            self.modified.push((store.address, store.bytes, at, self.run));
        }
        if last != first {
            self.run += 1;
        }
        self.last_row = Some(last);
    }

    fn meets(&self, store: &Store, address: u64, bytes: u64) -> Option<Meets> {
        if overlap(store.address, store.bytes, address, bytes) {
            let all = store.address <= address && address + bytes <= store.address + store.bytes;
            return Some(if all { Meets::All } else { Meets::Some });
        }
        // The bits compared of the addresses of two bytes are the same.
        let mask = self.alias_mask;
        let alike = |byte: u64| (byte.wrapping_sub(store.address) & mask) < store.bytes;
        let alias = mask != u64::MAX && (0..bytes).any(|byte| alike(address + byte));
        alias.then_some(Meets::Alias)
    }

    /// Numbers of the stores that are not in the cache at `cycle` and that a load meets, youngest first.
    fn met(&self, address: u64, bytes: u64, cycle: u64) -> impl Iterator<Item = (usize, Meets)> + '_ {
        (0..self.stores.len()).rev().filter_map(move |number| {
            let store = &self.stores[number];
            let in_flight = store.drain.is_none_or(|drain| drain > cycle);
            let meets = self.meets(store, address, bytes).filter(|_| in_flight)?;
            Some((number, meets))
        })
    }

    pub(super) fn youngest(&self, address: u64, bytes: u64, cycle: u64) -> Option<(usize, Meets)> {
        self.met(address, bytes, cycle).next()
    }

    /// Of these, those that have bytes of the load.
    fn with_bytes(&self, address: u64, bytes: u64, cycle: u64) -> impl Iterator<Item = (usize, Meets)> + '_ {
        self.met(address, bytes, cycle).filter(|(_, meets)| *meets != Meets::Alias)
    }

    pub(super) fn youngest_with_bytes(&self, address: u64, bytes: u64, cycle: u64) -> Option<(usize, Meets)> {
        self.with_bytes(address, bytes, cycle).next()
    }

    /// The bytes of a load that the store of that number does not have.
    fn rest(&self, number: usize, address: u64, bytes: u64) -> Vec<(u64, u64)> {
        let store = &self.stores[number];
        let end = address + bytes;
        let pieces = [(address, store.address.min(end)), ((store.address + store.bytes).max(address), end)];
        pieces.into_iter().filter(|(from, to)| from < to).map(|(from, to)| (from, to - from)).collect()
    }

    /// Whether no other store in flight has what the load needs beyond this one's bytes.
    pub(super) fn is_alone(&self, number: usize, address: u64, bytes: u64, cycle: u64) -> bool {
        let rest = self.rest(number, address, bytes);
        rest.iter().all(|&(from, bytes)| self.youngest_with_bytes(from, bytes, cycle).is_none())
    }

    /// The stores that the load has values from, and whether a doubleword needs the cache, too; none if one needs two stores.
    pub(super) fn by_doublewords(&self, address: u64, bytes: u64, cycle: u64) -> Option<(Vec<Store>, bool)> {
        let (mut givers, mut merged) = (Vec::new(), false);
        let mut at = address;
        while at < address + bytes {
            let end = (at / 8 * 8 + 8).min(address + bytes);
            let mut met = self.with_bytes(at, end - at, cycle);
            if let Some((number, meets)) = met.next() {
                givers.push(self.stores[number]);
                if meets == Meets::Some {
                    merged = true;
                    for (from, bytes) in self.rest(number, at, end - at) {
                        if self.with_bytes(from, bytes, cycle).any(|(other, _)| other < number) {
                            return None;
                        }
                    }
                }
            }
            at = end;
        }
        Some((givers, merged))
    }
}
