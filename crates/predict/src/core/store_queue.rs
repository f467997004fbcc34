// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Stores between execution and the cache, and which of them a load meets. `drains` says when they enter the cache.
//!
//! Stores are found by the eight-byte granules they cover: a table names the youngest store to a granule, and
//! each store the one before it. So a load looks at the stores to its own bytes only, youngest first, as the
//! hardware's comparators do.

use super::drains::{granules, Drains, Store};
use super::hint::rarely;
use super::planted::{planted, Fault};

const TABLE: usize = 1024;
const GRANULES: usize = 9;
/// Addresses are compared in all their bits.
const EXACT: u64 = u64::MAX;
/// The number of no store.
pub(super) const NOBODY: u64 = 0;

/// What a load meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meets {
    /// A store that has all its bytes.
    All,
    /// A store that has some of them.
    Some,
    /// A store that only has the same low address bits.
    Alias,
}

/// What a load gets from the stores that have its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// The store that gives the last of the values, by number.
    pub(crate) store: u64,
    /// When the last of the values was known, and when the last of the stores completed, 0 if it has not.
    pub(crate) data_time: u64,
    pub(crate) completed: u64,
    /// A doubleword comes partly from a store and partly from the cache.
    pub(crate) merged: bool,
    /// One of the stores is of a vector register.
    pub(crate) vector: bool,
}

impl Store {
    /// All bytes of a load.
    pub(crate) fn given(&self) -> Given {
        let Store { number: store, data_time, completed, vector, .. } = *self;
        Given { store, data_time, completed, merged: false, vector }
    }
}

/// The store queue.
pub(crate) struct StoreQueue {
    stores: Box<[Store]>,
    /// For each store and each of its granules, the store to that granule before it.
    previous: Box<[[u64; GRANULES]]>,
    table: Box<[(u64, u64); TABLE]>,
    /// The youngest store that the table has forgotten for one to another granule.
    hidden: u64,
    next: u64,
    entries: u64,
    alias_mask: u64,
    drains: Drains,
}

impl StoreQueue {
    pub(crate) fn new(entries: usize, alias_mask: u64, drains: Drains) -> StoreQueue {
        // More than the entries, for the stores of an open group; a long stmw counts as several.
        let room = (entries * 2).next_power_of_two().max(64);
        StoreQueue {
            stores: vec![Store::default(); room].into(),
            previous: vec![[NOBODY; GRANULES]; room].into(),
            table: Box::new([(0, NOBODY); TABLE]),
            hidden: NOBODY,
            next: 1,
            entries: entries as u64 + u64::from(planted(Fault::StoreQueueLonger)),
            alias_mask,
            drains,
        }
    }

    #[inline]
    fn slot(&self, number: u64) -> usize {
        number as usize & (self.stores.len() - 1)
    }

    /// When the entry that the next store needs becomes free; 0 if it is free, `u64::MAX` if its store has not completed.
    #[inline]
    pub(crate) fn free_at(&self) -> u64 {
        if self.next <= self.entries {
            return 0;
        }
        let holder = &self.stores[self.slot(self.next - self.entries)];
        if holder.number == self.next - self.entries {
            holder.drain
        } else {
            0
        }
    }

    #[inline]
    fn known(&self, granule: u64) -> u64 {
        granule & self.alias_mask >> 3
    }

    /// The youngest store to a granule of that of `store`, which is older.
    #[inline]
    fn before(&self, store: &Store, granule: u64) -> u64 {
        let wrong = u64::from(planted(Fault::WrongGranule));
        let index = self.known(granule.wrapping_sub(store.address >> 3)) + wrong;
        self.previous[self.slot(store.number)][index as usize % GRANULES]
    }

    /// The youngest store to a granule.
    #[inline]
    fn youngest_in(&self, granule: u64) -> u64 {
        let granule = self.known(granule);
        let (key, number) = self.table[Self::table_index(granule)];
        if key == granule {
            number
        } else {
            NOBODY
        }
    }

    fn table_index(granule: u64) -> usize {
        (granule.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
    }

    /// When the next store may enter the cache.
    pub(crate) fn free_from(&self) -> u64 {
        self.drains.free_from()
    }

    /// When the addresses of a store in flight and of all that are newer are known.
    pub(crate) fn addressed_from(&self, number: u64) -> u64 {
        let newer = (number..self.next).map(|number| self.stores[self.slot(number)].address_time);
        newer.max().unwrap_or(0)
    }

    /// The newest store, by number.
    pub(crate) fn newest(&self) -> u64 {
        self.next - 1
    }

    /// Adds a store of at most 64 bytes, whose number and drain are not known yet; its number.
    #[inline(always)]
    pub(crate) fn add(&mut self, store: Store) -> u64 {
        let number = self.next;
        self.next += 1;
        let slot = self.slot(number);
        let Store { address, bytes, .. } = store;
        self.stores[slot] = Store { number, drain: u64::MAX, ..store };
        let (first, last) = granules(address, bytes);
        let compared = self.alias_mask >> 3;
        for (index, previous) in self.previous[slot].iter_mut().enumerate() {
            let granule = first + index as u64;
            if granule > last {
                break;
            }
            let known = granule & compared;
            let entry = &mut self.table[Self::table_index(known)];
            *previous = if entry.0 == known { entry.1 } else { NOBODY };
            if rarely(entry.0 != known) {
                self.hidden = self.hidden.max(entry.1);
            }
            *entry = (known, number);
        }
        number
    }

    /// The oldest store that had not completed does so at `cycle`; its line is there at `line_ready`. Returns when its bytes
    /// are in the cache.
    #[inline(always)]
    pub(crate) fn complete(&mut self, number: u64, cycle: u64, line_ready: u64) -> u64 {
        let slot = self.slot(number);
        let store = &mut self.stores[slot];
        let time = self.drains.enter(store, cycle, line_ready);
        if store.number == number {
            (store.drain, store.completed) = (time, cycle);
        }
        time
    }

    /// When the store of that number is in the cache.
    pub(crate) fn drain_of(&self, number: u64) -> u64 {
        let store = &self.stores[self.slot(number)];
        if store.number == number {
            store.drain
        } else {
            0
        }
    }

    /// The youngest store in flight at `cycle` that a load meets.
    pub(crate) fn find(&self, address: u64, bytes: u64, cycle: u64) -> Option<(Meets, Store)> {
        if !self.may_meet(address, bytes, cycle) {
            return None;
        }
        let (meets, number) = self.search(address, bytes, cycle, self.alias_mask)?;
        Some((meets, self.stores[self.slot(number)]))
    }

    /// Whether a load may meet a store in flight at `cycle`; most loads do not, for want of a recent store to their bytes. Stores drain
    /// in order, so the youngest tells.
    #[inline(always)]
    pub(crate) fn may_meet(&self, address: u64, bytes: u64, cycle: u64) -> bool {
        let (first, last) = granules(address, bytes);
        let in_second = || first != last && (last != first + 1 || self.in_flight(last, cycle));
        self.hides(cycle) || self.in_flight(first, cycle) || in_second()
    }

    /// Whether a store is one of so many newest.
    pub(crate) fn is_in_reach(&self, number: u64, reach: u64) -> bool {
        let reach = reach.saturating_add(u64::from(planted(Fault::ReachesFurther)));
        self.next - number <= reach
    }

    /// The youngest store in flight at `cycle` that has bytes of a load, behind any that only looks as if it had.
    #[cold]
    pub(crate) fn find_bytes(&self, address: u64, bytes: u64, cycle: u64) -> Option<(Meets, Store)> {
        let (meets, number) = self.search(address, bytes, cycle, EXACT)?;
        Some((meets, self.stores[self.slot(number)]))
    }

    /// Whether a store to that granule may be in flight at `cycle`.
    #[inline]
    fn in_flight(&self, granule: u64, cycle: u64) -> bool {
        let number = self.youngest_in(granule);
        let store = &self.stores[self.slot(number)];
        number != NOBODY && store.number == number && store.drain > cycle
    }

    /// Whether a store may be in flight at `cycle` that the table does not know of.
    #[inline]
    fn hides(&self, cycle: u64) -> bool {
        let store = &self.stores[self.slot(self.hidden)];
        store.number == self.hidden && store.drain > cycle && !planted(Fault::HiddenForgotten)
    }

    /// The same as `search` among those older than `before`, without the table.
    #[cold]
    fn scan(&self, before: u64, address: u64, bytes: u64, cycle: u64, compared: u64) -> Option<(Meets, u64)> {
        let older = (1..before).rev().map(|number| (number, &self.stores[self.slot(number)]));
        let mut in_flight =
            older.take_while(|(number, store)| store.number == *number && store.drain > cycle);
        in_flight.find_map(|(number, store)| Some((meets(store, address, bytes, compared)?, number)))
    }

    /// The youngest store in flight at `cycle` that a load meets, if those bits of addresses are compared.
    #[inline(never)]
    fn search(&self, address: u64, bytes: u64, cycle: u64, compared: u64) -> Option<(Meets, u64)> {
        if self.hides(cycle) {
            return self.scan(self.next, address, bytes, cycle, compared);
        }
        let mut youngest = None;
        let (first, last) = granules(address, bytes);
        let mut granule = first;
        while granule <= last {
            let youngest_in = self.youngest_in(granule);
            let found = self.search_granule(granule, youngest_in, address, bytes, cycle, compared);
            youngest = youngest.max(found);
            granule += 1;
        }
        youngest.map(|(number, meets)| (meets, number))
    }

    /// The same among the stores to one granule, of which `number` is the youngest.
    fn search_granule(
        &self,
        granule: u64,
        mut number: u64,
        address: u64,
        bytes: u64,
        cycle: u64,
        compared: u64,
    ) -> Option<(u64, Meets)> {
        while number != NOBODY {
            let store = &self.stores[self.slot(number)];
            if store.number != number || store.drain <= cycle {
                break;
            }
            if let Some(meets) = meets(store, address, bytes, compared) {
                return Some((number, meets));
            }
            number = self.before(store, granule);
        }
        None
    }

    /// Whether no other store in flight at `cycle` has any of the bytes that a load needs and `store` does not have.
    pub(crate) fn is_alone(&self, store: &Store, address: u64, bytes: u64, cycle: u64) -> bool {
        let end = address + bytes;
        let left = [(address, store.address.min(end)), ((store.address + store.bytes).max(address), end)];
        left.iter().all(|&(from, to)| from >= to || self.search(from, to - from, cycle, EXACT).is_none())
    }

    /// For a load that stores in flight at `cycle` cover in part, if no aligned doubleword of it needs two of them: what they
    /// give.
    pub(crate) fn in_doublewords(&self, address: u64, bytes: u64, cycle: u64) -> Option<Given> {
        let (first, last) = granules(address, bytes);
        let mut known = Given::default();
        for granule in first..=last {
            let (from, to) = (address.max(granule << 3), (address + bytes).min((granule << 3) + 8));
            let number = self.youngest_in(granule);
            let hides = self.hides(cycle);
            let youngest = if hides {
                self.scan(self.next, from, to - from, cycle, EXACT).map(|(meets, number)| (number, meets))
            } else {
                self.search_granule(granule, number, from, to - from, cycle, EXACT)
            };
            let Some((number, meets)) = youngest else { continue };
            let store = &self.stores[self.slot(number)];
            if store.data_time >= known.data_time {
                (known.store, known.data_time) = (number, store.data_time);
            }
            known.completed = known.completed.max(store.completed);
            known.vector |= store.vector;
            if meets == Meets::Some {
                let older = self.before(store, granule);
                let (until, since) = (store.address.min(to), (store.address + store.bytes).max(from));
                let left = [(from, until), (since, to)];
                let from_another = |&(from, to): &(u64, u64)| match hides {
                    _ if from >= to => false,
                    true => self.scan(number, from, to - from, cycle, EXACT).is_some(),
                    false => self.search_granule(granule, older, from, to - from, cycle, EXACT).is_some(),
                };
                if left.iter().any(from_another) {
                    return None;
                }
                known.merged = true;
            }
        }
        Some(known)
    }
}

/// What a load meets in a store, if those bits of their addresses are compared.
fn meets(store: &Store, address: u64, bytes: u64, compared: u64) -> Option<Meets> {
    // The distances from the store's start to the load's and back.
    let (behind, before) = (address.wrapping_sub(store.address), store.address.wrapping_sub(address));
    let overlap = |mask: u64| behind & mask < store.bytes || before & mask < bytes;
    if overlap(EXACT) {
        let all = behind < store.bytes && behind + bytes <= store.bytes;
        return Some(if all { Meets::All } else { Meets::Some });
    }
    (compared != EXACT && overlap(compared)).then_some(Meets::Alias)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(address: u64, bytes: u64) -> Store {
        Store { address, bytes, simple: true, ..Store::default() }
    }

    #[test]
    fn a_load_meets_the_youngest_store_to_its_bytes() {
        let mut queue = StoreQueue::new(8, u64::MAX, Drains::plain(0));
        queue.add(store(100, 4));
        let second = queue.add(store(104, 4));
        let (meets, store) = queue.find(104, 4, 5).unwrap();
        assert_eq!((meets, store.number), (Meets::All, second));
        assert_eq!(queue.find(100, 8, 5).unwrap().0, Meets::Some);
        assert_eq!(
            queue.find(100, 2, 5).unwrap().0,
            Meets::All,
            "the older one, past the younger in its granule"
        );
        assert!(queue.find(108, 4, 5).is_none());
    }

    #[test]
    fn a_drained_store_is_met_no_more() {
        let mut queue = StoreQueue::new(8, u64::MAX, Drains::plain(0));
        let number = queue.add(store(64, 8));
        assert_eq!(queue.complete(number, 10, 0), 16);
        assert!(queue.find(64, 8, 15).is_some());
        assert!(queue.find(64, 8, 16).is_none());
    }

    #[test]
    fn a_load_has_each_doubleword_from_one_store_at_most() {
        let mut queue = StoreQueue::new(8, u64::MAX, Drains::plain(0));
        let at = |address, bytes, data_time| Store { data_time, ..store(address, bytes) };
        queue.add(at(64, 8, 5));
        let given = |store, data_time, merged| Some(Given { store, data_time, merged, ..Given::default() });
        assert_eq!(queue.in_doublewords(64, 16, 0), given(1, 5, false), "the other half is the cache's");
        queue.add(at(72, 4, 7));
        assert_eq!(queue.in_doublewords(64, 16, 0), given(2, 7, true));
        queue.add(at(76, 4, 9));
        assert_eq!(queue.in_doublewords(72, 8, 0), None);
        assert_eq!(queue.in_doublewords(64, 16, 0), None);
        assert_eq!(queue.in_doublewords(76, 2, 0), given(3, 9, false));
        queue.add(at(64, 4, 11));
        queue.add(at(64, 4, 13));
        assert_eq!(queue.in_doublewords(64, 4, 0), given(5, 13, false));
    }

    #[test]
    fn sixteen_bits_of_address_make_an_alias() {
        let mut queue = StoreQueue::new(8, 0xffff, Drains::plain(0));
        queue.add(store(0x1_0040, 8));
        assert_eq!(queue.find(0x2_0040, 8, 0).unwrap().0, Meets::Alias);
        assert_eq!(queue.find(0x1_0040, 8, 0).unwrap().0, Meets::All);
        queue.add(store(0x1_fffc, 8));
        assert_eq!(queue.find(0x2_0000, 8, 0).unwrap().0, Meets::Some, "across the bits compared");
        assert_eq!(queue.find(0x5_0000, 8, 0).unwrap().0, Meets::Alias);
        let younger = queue.add(store(0x7_0040, 8));
        assert_eq!(queue.find(0x1_0040, 8, 0).unwrap().1.number, younger);
        let (meets, older) = queue.find_bytes(0x1_0040, 8, 0).unwrap();
        assert_eq!((meets, older.number), (Meets::All, 1), "behind the one that looks like it");
        assert!(queue.find_bytes(0x2_0040, 8, 0).is_none());
    }

    #[test]
    fn a_store_that_the_table_has_forgotten_is_met_all_the_same() {
        let index = |address: u64| StoreQueue::table_index(address >> 3);
        let other = (1u64..).map(|number| number << 12).find(|&other| index(other) == index(64)).unwrap();
        let mut queue = StoreQueue::new(8, u64::MAX, Drains::plain(0));
        let first = queue.add(store(64, 8));
        let second = queue.add(store(other, 8));
        let third = queue.add(store(64, 4));
        assert_eq!(queue.find(68, 4, 5).unwrap().1.number, first, "behind the younger one to its granule");
        assert_eq!(queue.in_doublewords(64, 8, 5), None);
        assert_eq!(queue.find(other, 8, 5).unwrap().1.number, second);
        assert_eq!(queue.find(64, 2, 5).unwrap().1.number, third);
    }
}
