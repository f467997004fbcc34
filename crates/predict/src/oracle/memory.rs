// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's loads and stores out of order: what a load finds in the store queue and the caches, and how a unit's stores get
//! into the cache. A load that a store of its own unit blocks is returned, since only the core can end that unit.

use super::caches::Hierarchy;
use super::stores::{Meets, Store, Stores};
use super::{crossing, Tally};
use crate::description::{Description, Memory as Numbers, Renames};
use crate::flags::Flags;
use crate::op::Op;
use crate::plan::{Named, NAMELESS};
use crate::source::Access;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Memory {
    numbers: Numbers,
    l1_latency: u64,
    line_bytes: u64,
    pub(super) caches: Hierarchy,
    stores: Stores,
    /// Stores of the open unit, by number, and when their lines are there, or whether they write all of a line that they may have
    /// to claim.
    of_unit: Vec<(usize, Result<u64, bool>)>,
    /// Loads that were flushed once and wait from then on.
    flushed: BTreeSet<u32>,
    /// For which store's address such a load waits, by static instruction, and how many times more; or, if for all older stores',
    /// until when those that are dispatched wait, too.
    waits: BTreeMap<u32, (u32, u32)>,
    waits_until: BTreeMap<u32, u64>,
    /// When the last load of a static instruction that stores supplied had found their data, and when it had its value.
    supplied: BTreeMap<u32, (u64, u64)>,
    /// The place of the store that a load found its bytes in last, and how much it has learned, by its own place.
    learned: BTreeMap<u32, (u32, u32)>,
    renames_free: u64,
    /// Loads of each bank, by cycle and bank.
    banks: BTreeMap<(u64, u64), u64>,
    tally: Tally,
}

/// What a load finds.
pub(super) enum Found {
    /// Its bytes, that many cycles beyond the latency of a hit.
    Bytes(u64),
    /// So late the register that was stored, to which rename has added a constant.
    Counted(u64),
    /// A store that has to be in the cache first.
    Blocked(Blocked),
}

/// A load that has to wait for a store until that is in the cache.
pub(super) struct Blocked {
    store: usize,
    meets: Meets,
    issue: u64,
    /// When it tries first.
    pub(super) start: u64,
    crossing: u64,
}

/// Whether two accesses name their bytes alike.
fn same_name(one: Named, other: Named) -> bool {
    one.name == other.name && one.name != NAMELESS
}

impl Memory {
    pub(super) fn new(description: &Description) -> Memory {
        Memory {
            numbers: description.memory.clone(),
            l1_latency: description.caches.l1.latency,
            line_bytes: description.caches.line,
            caches: Hierarchy::new(&description.caches, description.memory.miss_queue),
            stores: Stores::new(description),
            of_unit: Vec::new(),
            flushed: BTreeSet::new(),
            waits: BTreeMap::new(),
            waits_until: BTreeMap::new(),
            supplied: BTreeMap::new(),
            learned: BTreeMap::new(),
            renames_free: 0,
            banks: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// When there is room for another store.
    pub(super) fn store_room(&self) -> u64 {
        self.stores.room()
    }

    /// Whether the access crosses a boundary at a cost.
    pub(super) fn crosses(&self, access: &Access) -> bool {
        crossing(&self.numbers, access.address, u64::from(access.bytes.max(1))) > 0
    }

    /// Cycles that a load tries in vain, since a bank of its bytes has answered as many loads in each as it can.
    pub(super) fn bank_wait(&mut self, access: &Access, issue: u64) -> u64 {
        let Some((bytes, loads)) = self.numbers.bank else { return 0 };
        let bytes = 1 << bytes.ilog2();
        let of_line = self.line_bytes / bytes;
        let last = access.address + u64::from(access.bytes.max(1)) - 1;
        let banks: BTreeSet<u64> =
            (access.address / bytes..=last / bytes).map(|bank| bank % of_line).collect();
        let has_room = |cycle: &u64| {
            banks.iter().all(|&bank| self.banks.get(&(*cycle, bank)).is_none_or(|&taken| taken < loads))
        };
        let cycle = (issue..).find(has_room).unwrap();
        for &bank in &banks {
            *self.banks.entry((cycle, bank)).or_default() += 1;
        }
        cycle - issue
    }

    /// What a load finds that was dispatched at `dispatch` and went to its pipe at `issue`; and when fetch starts again, if
    /// the load is flushed because it ran before the address of an older store to its bytes was known.
    pub(super) fn load(
        &mut self,
        op: &Op,
        named: Named,
        access: &Access,
        dispatch: u64,
        issue: u64,
    ) -> (Found, Vec<u64>) {
        let (found, again) = self.find(op, named, access, dispatch, issue);
        let renamed_wrongly = self.learn(op, named, access, issue);
        (found, again.into_iter().chain(renamed_wrongly).collect())
    }

    /// Learns where a load finds its bytes; when fetch starts again if it had been renamed to another store.
    fn learn(&mut self, op: &Op, named: Named, access: &Access, issue: u64) -> Option<u64> {
        let numbers = &self.numbers;
        if numbers.rename_learns == 0 {
            return None;
        }
        let (address, bytes) = (access.address, u64::from(access.bytes.max(1)));
        let crossing = crossing(numbers, address, bytes);
        let most = numbers.rename_learns + numbers.rename_unlearns;
        if let Some((number, Meets::All)) = self.stores.youngest(address, bytes, issue) {
            let store = self.stores.stores[number];
            if self.can_be_renamed(op, access, number, crossing) {
                if !same_name(named, store.named) {
                    let (_, times) = self.learned.get(&named.place).copied().unwrap_or_default();
                    self.learned.insert(named.place, (store.named.place, most.min(times + 1)));
                }
                return None;
            }
        }
        let &(place, times) = self.learned.get(&named.place)?;
        let newest = self.stores.stores.iter().rposition(|store| store.named.place == place)?;
        let in_flight = self.stores.stores[newest].drain.is_none_or(|drain| drain > issue);
        if times == 0 || !in_flight || !self.is_in_reach(newest) {
            return None;
        }
        self.learned.insert(named.place, (place, times.saturating_sub(self.numbers.rename_unlearns)));
        (times >= self.numbers.rename_learns).then_some(issue + self.l1_latency + self.numbers.rename_flush)
    }

    /// Whether a store is one of the newest that a load can be renamed to.
    fn is_in_reach(&self, number: usize) -> bool {
        ((self.stores.stores.len() - number) as u64) <= self.numbers.rename_reach
    }

    fn find(
        &mut self,
        op: &Op,
        named: Named,
        access: &Access,
        dispatch: u64,
        issue: u64,
    ) -> (Found, Option<u64>) {
        let (address, bytes) = (access.address, u64::from(access.bytes.max(1)));
        let crossing = crossing(&self.numbers, address, bytes);
        let waits = self.waits_now(op, dispatch);
        let met = self.stores.youngest(address, bytes, issue);
        let from = met.filter(|&(_, meets)| meets == Meets::All).map_or(0, |(number, _)| number);
        let remembered = self.remembered(op, waits, issue, from);
        let unit = self.numbers.order_unit;
        let words = (address / unit * unit, (address + bytes).div_ceil(unit) * unit);
        let near = self.stores.youngest(words.0, words.1 - words.0, issue);
        if let Some((number, _)) = near.filter(|_| waits && self.numbers.order_waits_older) {
            let store = self.stores.stores[number];
            if !self.renamed(op, named, access, number, crossing) {
                self.waits.insert(op.index, (store.index, self.numbers.order_remembers));
            }
        }
        let (mut start, mut again) = (issue, None);
        if let Some((number, Meets::Alias)) = met {
            let store = self.stores.stores[number];
            if self.known(op, named, access, number, crossing) > issue {
                (start, again) = self.too_early(op, &store, waits);
            }
        }
        if let Some((number, _)) = near.filter(|_| unit > 1 && again.is_none()) {
            let store = self.stores.stores[number];
            if self.known(op, named, access, number, crossing) > issue {
                (start, again) = self.too_early(op, &store, waits);
            }
        }
        if let Some((number, meets)) = self.stores.youngest_with_bytes(address, bytes, issue) {
            let store = self.stores.stores[number];
            if self.known(op, named, access, number, crossing) > start {
                let (second, flushed) = self.too_early(op, &store, waits);
                (start, again) = (second, flushed.or(again));
            }
            start = start.max(remembered);
            let found = match meets {
                Meets::All => self.forwarded(op, named, access, number, dispatch, start, crossing),
                _ => self
                    .forwarded_in_part(op, access, number, issue, start, crossing)
                    .map(|there| (there, false)),
            };
            if let Some((there, counted)) = found {
                self.tally.forwards += 1;
                let extra = there.saturating_sub(issue + self.l1_latency);
                return (if counted { Found::Counted(extra) } else { Found::Bytes(extra) }, again);
            }
            self.tally.forward_failures += 1;
            let merges = self.numbers.partial_merges && !op.is(Flags::NO_FORWARD);
            if meets == Meets::Some && merges {
                let extra = start + self.numbers.forward_failed - issue + crossing;
                return (Found::Bytes(extra), again);
            }
            return (Found::Blocked(Blocked { store: number, meets, issue, start, crossing }), again);
        }
        start = start.max(remembered);
        (Found::Bytes((start - issue) + self.caches.load(address, bytes, start) + crossing), again)
    }

    /// When a forwarded load's value is there: `cycles` from its issue, or its second one, and from the data of the stores, and
    /// not too soon behind their completion. It is `later` if it is put together.
    fn given(
        &mut self,
        op: &Op,
        cycles: u64,
        start: u64,
        stores: &[Store],
        later: u64,
        crossing: u64,
    ) -> u64 {
        let mut data =
            stores.iter().map(|store| self.added(store.data_time, store.counted)).max().unwrap_or(0) + later;
        if let Some(retry) = self.numbers.forward_retry {
            let mut tries = vec![start];
            if let Some(&(tried, value)) = self.supplied.get(&op.index) {
                if value != data {
                    tries.push(tried);
                }
            }
            if start < data {
                let last = *tries.iter().max().unwrap();
                data = if last < data { data.max(last + retry) } else { last };
            }
        }
        let there = self.there(op, cycles, start, stores, data, crossing);
        self.supplied.insert(op.index, (start.max(data), there));
        there
    }

    /// When a store may complete.
    pub(super) fn stored(&self, address_time: u64, data_time: u64, counted: bool) -> u64 {
        address_time.max(self.added(data_time, counted)) + self.numbers.store_completes
    }

    /// When data that come at `data_time` are there if rename's constant has to be added first.
    fn added(&self, data_time: u64, counted: bool) -> u64 {
        data_time + if counted { self.numbers.forward_counted } else { 0 }
    }

    /// The same if the data can be had from the cycle `data` on.
    fn there(&self, op: &Op, cycles: u64, start: u64, stores: &[Store], data: u64, crossing: u64) -> u64 {
        let there = match self.numbers.forward_data {
            Some(behind) => (start + cycles + crossing).max(data + behind),
            None => start.max(data) + cycles + crossing,
        };
        let vector = op.is(Flags::MOVES_VECTOR);
        if !self.numbers.general_completed && !vector && !stores.iter().any(|store| store.vector) {
            return there;
        }
        let completed = stores.iter().filter_map(|store| store.completed).max().unwrap_or(0);
        let behind = if vector { self.numbers.vector_completed } else { self.numbers.forward_completed };
        behind.map_or(there, |behind| there.max(completed + behind))
    }

    /// When the bytes of a load are there that one store has all of, and whether they are a register to which rename has added a
    /// constant; none if it does not forward.
    #[allow(clippy::too_many_arguments)]
    fn forwarded(
        &mut self,
        op: &Op,
        named: Named,
        access: &Access,
        number: usize,
        dispatch: u64,
        start: u64,
        crossing: u64,
    ) -> Option<(u64, bool)> {
        if op.is(Flags::NO_FORWARD) {
            return None;
        }
        let (numbers, store) = (&self.numbers, self.stores.stores[number]);
        let renamed = self.renamed(op, named, access, number, crossing);
        if let Some(cycles) = numbers.forward_renamed.filter(|_| renamed) {
            let slot = self.renames_free.max(dispatch);
            self.renames_free = slot + numbers.rename_interval;
            // An address of an index is not waited for.
            let indexed = if op.is(Flags::INDEXED) { numbers.indexed } else { 0 };
            return Some((slot.max(store.data_time + cycles).saturating_sub(indexed), store.counted));
        }
        let vector = op.is(Flags::MOVES_VECTOR);
        let cycles = if vector { numbers.forward_vector } else { numbers.forward };
        let crossing = numbers.cross_forward.unwrap_or(crossing).min(crossing);
        Some((self.given(op, cycles, start, &[store], 0, crossing), false))
    }

    /// Whether a load's register is renamed to what is stored.
    fn renamed(&self, op: &Op, named: Named, access: &Access, number: usize, crossing: u64) -> bool {
        let learns = self.numbers.rename_learns;
        let times = self.learned.get(&named.place).map_or(0, |&(_, times)| times);
        let expected = times >= learns || same_name(named, self.stores.stores[number].named);
        expected && self.can_be_renamed(op, access, number, crossing)
    }

    /// Whether it can be.
    fn can_be_renamed(&self, op: &Op, access: &Access, number: usize, crossing: u64) -> bool {
        let store = &self.stores.stores[number];
        let (numbers, bytes) = (&self.numbers, u64::from(access.bytes.max(1)));
        let words = |bytes: u64| bytes == 2 && numbers.renames != Renames::Base;
        let sizes = |bytes: u64| matches!(bytes, 1 | 4 | 8) || words(bytes);
        let computes = op.part_count > 1;
        let least = if computes { numbers.rename_least_computing } else { numbers.rename_least };
        let within = access.address == store.address && bytes <= store.bytes;
        let alike = within && sizes(bytes) && sizes(store.bytes);
        alike
            && numbers.forward_renamed.is_some()
            && self.is_in_reach(number)
            && !op.is(Flags::NO_FORWARD)
            && bytes >= least
            && store.renames
            && (!store.counted || bytes == 8 && store.bytes == 8)
            && self.renames(op)
            && (crossing == 0 || numbers.renames != Renames::Base)
    }

    /// When a load that is issued no longer runs before a store.
    fn known(&self, op: &Op, named: Named, access: &Access, number: usize, crossing: u64) -> u64 {
        let renamed = self.renamed(op, named, access, number, crossing);
        let early = if renamed { 0 } else { self.numbers.order_early };
        self.stores.stores[number].address_time + early
    }

    /// When the bytes of a load are there that the store of that number has some of; none if they cannot be put together.
    fn forwarded_in_part(
        &mut self,
        op: &Op,
        access: &Access,
        number: usize,
        issue: u64,
        start: u64,
        crossing: u64,
    ) -> Option<u64> {
        if op.is(Flags::NO_FORWARD) {
            return None;
        }
        let (address, bytes) = (access.address, u64::from(access.bytes.max(1)));
        if self.numbers.doublewords {
            if let Some((givers, merged)) = self.stores.by_doublewords(address, bytes, issue) {
                let later = if merged { self.numbers.forward_merge } else { 0 };
                return Some(self.given(op, self.numbers.forward, start, &givers, later, crossing));
            }
        }
        let alone = self.stores.is_alone(number, address, bytes, issue);
        let mut cycles = self.numbers.forward_partial.filter(|_| alone)?;
        let store = self.stores.stores[number];
        if self.numbers.partial_begins && address != store.address {
            return None;
        }
        let last = self.supplied.get(&op.index).map_or(0, |&(_, value)| value);
        if self.added(store.data_time, store.counted) == last + 1 {
            cycles = self.numbers.forward_partial_soon.unwrap_or(cycles);
        }
        Some(self.given(op, cycles, start, &[store], 0, crossing))
    }

    /// A load ready before the address of an older store; when it runs (again), and when it is fetched again if it was flushed.
    /// `waits`: because it once was.
    fn too_early(&mut self, op: &Op, store: &Store, waits: bool) -> (u64, Option<u64>) {
        self.waits.insert(op.index, (store.index, self.numbers.order_remembers));
        let before = !self.flushed.insert(op.index);
        if self.numbers.order_waits || if self.numbers.order_waits_older { waits } else { before } {
            return (store.address_time + self.numbers.order_wait, None);
        }
        self.tally.order_flushes += 1;
        let again = store.address_time + self.numbers.order_flush;
        if self.numbers.order_lasts > 0 {
            self.waits_until.insert(op.index, again + self.numbers.order_lasts);
        }
        (again, Some(again))
    }

    /// Whether a load dispatched at `dispatch` waits for the addresses of stores because it once ran before one to its bytes.
    fn waits_now(&self, op: &Op, dispatch: u64) -> bool {
        self.waits.get(&op.index).is_some_and(|&(_, left)| left > 0)
            || self.waits_until.get(&op.index).is_some_and(|&until| dispatch < until)
    }

    /// When the newest store of the instruction that the load waits for has its address, or all older stores have theirs.
    /// Those older than the one at `from`, which has all bytes of the load, do not matter.
    fn remembered(&mut self, op: &Op, waits: bool, issue: u64, from: usize) -> u64 {
        let Some((store, left)) = self.waits.get_mut(&op.index).filter(|_| waits) else { return 0 };
        let was = *left;
        *left = was.saturating_sub(1);
        if self.numbers.order_waits_older {
            let all = self.stores.stores[from..].iter().map(|store| store.address_time).max().unwrap_or(0);
            if was == 1 {
                self.waits_until.insert(op.index, all.max(issue));
            }
            return all + self.numbers.order_wait;
        }
        let newest = self.stores.stores.iter().rfind(|other| other.index == *store);
        newest.map_or(0, |store| store.address_time + self.numbers.order_wait)
    }

    /// Whether the store is in the load's own unit, which cannot complete while the load waits.
    pub(super) fn is_of_own_unit(&self, blocked: &Blocked) -> bool {
        self.stores.stores[blocked.store].drain.is_none()
    }

    /// Cycles beyond the latency of a hit after which a blocked load succeeds, which tries again and again.
    pub(super) fn retried(&self, blocked: &Blocked) -> u64 {
        let store = self.stores.stores[blocked.store];
        let drain = store.drain.unwrap_or(0);
        let mut start = blocked.start;
        while start < drain {
            start += self.numbers.reject_retry;
        }
        let lost = match blocked.meets {
            Meets::Some => self.numbers.lost(store.address, store.bytes),
            Meets::All | Meets::Alias => 0,
        };
        start + lost - blocked.issue + blocked.crossing
    }

    /// Whether an access has a form that memory is renamed for.
    fn renames(&self, op: &Op) -> bool {
        let (loads, stores) = (op.is(Flags::LOAD), op.is(Flags::STORE));
        let slow = u64::from(op.latency) > self.l1_latency;
        let computes = op.part_count > 1 || slow && op.is(Flags::GENERAL_AT_BASE);
        if self.numbers.renames == Renames::Split && loads && !stores && computes && op.slots < 2 {
            return false;
        }
        if self.numbers.renames != Renames::Base {
            return !op.is(Flags::MOVES_VECTOR) || op.is(Flags::GENERAL_AT_BASE);
        }
        let extends = loads && !stores && op.part_count == 1 && slow;
        op.is(Flags::GENERAL_AT_BASE) && !extends && !(loads && stores && op.other_sources > 0)
    }

    /// Whether a store takes the cache longer because it crosses a boundary.
    fn store_crosses(&self, address: u64, bytes: u64, crossing: u64) -> bool {
        let boundary = self.numbers.cross_store;
        if boundary == 0 {
            return crossing > 0;
        }
        bytes <= boundary && address / boundary != (address + bytes - 1) / boundary
    }

    /// Puts the stores of an instruction into the queue.
    pub(super) fn store(
        &mut self,
        op: &Op,
        named: Named,
        accesses: &[Access],
        address_time: u64,
        data_time: u64,
        counted: bool,
    ) {
        for access in accesses.iter().filter(|access| access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let ready = self.caches.store(access.address, bytes, address_time);
            let writes_line = self.caches.is_whole_line(access.address, bytes);
            let crossing = crossing(&self.numbers, access.address, bytes);
            for from in (0..bytes).step_by(64) {
                let ready = ready.map(|ready| ready + crossing).ok_or(writes_line);
                self.of_unit.push((self.stores.stores.len(), ready));
                self.stores.stores.push(Store {
                    index: op.index,
                    named,
                    address: access.address + from,
                    bytes: (bytes - from).min(64),
                    address_time,
                    data_time,
                    drain: None,
                    completed: None,
                    renames: self.renames(op),
                    counted,
                    vector: op.is(Flags::MOVES_VECTOR),
                    crosses: self.store_crosses(access.address, bytes, crossing),
                });
            }
        }
    }

    /// The open unit completed at `cycle`: its stores may enter the cache.
    pub(super) fn complete(&mut self, cycle: u64) {
        for (number, ready) in std::mem::take(&mut self.of_unit) {
            match ready {
                Ok(line_ready) => self.stores.complete(number, cycle, line_ready),
                Err(writes_line) => {
                    let Store { address, bytes, .. } = self.stores.stores[number];
                    self.stores.complete(number, cycle, self.caches.claims_from(address, bytes));
                    let entered = self.stores.stores[number].drain.unwrap();
                    self.caches.claim(address, bytes, entered, writes_line);
                }
            }
        }
    }

    /// What loads and caches have counted.
    pub(super) fn tally(&self) -> Tally {
        Tally {
            l1_misses: self.caches.l1_misses,
            instruction_misses: self.caches.instruction_misses,
            ..self.tally
        }
    }
}
