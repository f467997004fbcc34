// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loads and stores in flight, in both engines: what a load meets in the store queue, what crossing a boundary costs, and
//! how a store gets into the cache. An engine passes the cycle in which an access went to its pipe and gets the delay of its
//! bytes; a load that a store of its own unit blocks is returned to the engine, since only the engine can end that unit.

use super::banks::Banks;
use super::drains::{Drains, Store};
use super::front_end::FrontEnd;
use super::hierarchy::{Hierarchy, TO_CLAIM};
use super::hint::{mostly, rarely};
use super::order::{Order, Ran};
use super::planted::{planted, Fault};
use super::renaming::Renaming;
use super::store_queue::{Given, Meets, StoreQueue, NOBODY};
use super::table::entry;
use super::Counters;
use crate::cause::Cause;
use crate::description::*;
use crate::flags::Flags;
use crate::op::*;
use crate::plan::{Named, Plan, NAMELESS};
use crate::relax::Relax;
use crate::source::Access;

/// What memory did to a load.
#[derive(Clone, Copy)]
pub(super) struct Loaded {
    pub(super) extra: u64,
    pub(super) cause: Cause,
    /// The load was renamed to a register to which rename has added a constant.
    pub(super) counted: bool,
}

impl Loaded {
    pub(super) const AT_ONCE: Loaded = Loaded { extra: 0, cause: Cause::Dependency, counted: false };

    /// Its bytes come `extra` cycles later than from the first level, for that reason.
    pub(super) fn late(extra: u64, cause: Cause) -> Loaded {
        Loaded { extra, cause, counted: false }
    }

    /// The same after a wait; nothing is the reason if both come to nothing.
    #[inline(always)]
    pub(super) fn after(self, wait: u64) -> Loaded {
        let extra = self.extra + wait;
        Loaded { extra, cause: if extra > 0 { self.cause } else { Cause::Dependency }, ..self }
    }

    /// The cause that its results pass on: what the instruction itself met, not what its sources had met before.
    pub(super) fn passed_on(&self) -> Cause {
        if self.extra > 0 {
            self.cause
        } else {
            Cause::Dependency
        }
    }
}

/// What a load finds.
pub(super) enum Found {
    /// Its bytes.
    Bytes(Loaded),
    /// A store that has to be in the cache first.
    Blocked(Blocked),
}

/// A load that depends on a store which cannot forward to it.
pub(super) struct Blocked {
    store: u64,
    /// When it went to its pipe, and when it first tried.
    issue: u64,
    start: u64,
    /// Cycles lost in addition to the wait.
    lost: u64,
    crossing: u64,
}

impl Blocked {
    /// It was flushed and fetched again, and tries from `cycle` on.
    pub(super) fn restarts(&mut self, cycle: u64) {
        self.start = self.start.max(cycle);
    }
}

/// Loads that met stores, by what came of it.
#[derive(Default)]
struct MeetCounts {
    forwards: u64,
    forward_failures: u64,
    order_flushes: u64,
}

/// Whether a core that renames memory can take the load's register to be the stored one: the load moves all that was
/// stored, or the lowest 1 or 4 bytes of it. Measured on Golden Cove (crates/native/probes/x86_64.txt): loads and stores of
/// 2 bytes are not renamed, nor loads that start inside of the store. With `words`, 2 bytes are as good as 1 or 4.
fn renamable(access: &Access, store: &Store, words: bool) -> bool {
    let fits = |bytes: u64| matches!(bytes, 1 | 4 | 8) || words && bytes == 2;
    let bytes = u64::from(access.bytes);
    access.address == store.address && fits(bytes) && fits(store.bytes) && bytes <= store.bytes
}

/// When the newest load of a static instruction that a store supplied tried and got its bytes, and when they were there.
#[derive(Clone, Copy, Default)]
struct Supplied {
    tried: u64,
    there: u64,
}

/// Bytes of a store that the store queue keeps as one.
const PIECE: u64 = 64;

/// A load, where and when.
#[derive(Clone, Copy)]
struct Load<'a> {
    op: &'a Op,
    named: Named,
    access: &'a Access,
    bytes: u64,
    /// When it was dispatched and went to its pipe.
    dispatch: u64,
    issue: u64,
    /// What it costs to cross a boundary.
    crossing: u64,
}

/// A piece of a store which may have to claim lines, from the first to the last; it writes all bytes of its line, or not.
#[derive(Clone, Copy)]
struct Claiming {
    first: u64,
    last: u64,
    whole: bool,
}

/// The caches and the store queue of a core, and what meeting in them costs.
pub(super) struct MemoryPath {
    costs: Memory,
    caches: Hierarchy,
    stores: StoreQueue,
    l1_latency: u64,
    /// Loads ignore the stores in flight.
    passes_stores: bool,
    /// Address bits that differ between two bytes of an access only if it crosses some boundary; with those that tell lines apart.
    crossing_bits: u64,
    apart_bits: u64,
    /// A load takes its pipe more often if its line is not there (`Memory::fill_loads`, `late_loads`).
    takes_lines: bool,
    /// Loads that ran before a store to their bytes.
    order: Order,
    /// The newest loads that stores supplied, by static instruction, if a load that has to wait tries again only later.
    supplied: Vec<Supplied>,
    /// Which loads are expected to find their bytes in a store.
    renaming: Renaming,
    /// The first cycle in which another load's register can be renamed to a stored one.
    renames_free: u64,
    banks: Option<Banks>,
    /// Stores of the newest unit, by number, and when their lines are there; and those that have to claim theirs, in order.
    unit_stores: Vec<(u64, u64)>,
    unit_claims: Vec<Claiming>,
    /// The store that the last load had to wait for, by number, for records of single instructions.
    awaited: u64,
    counts: MeetCounts,
}

impl MemoryPath {
    /// With room for so many stores.
    pub(super) fn new(description: &Description, relax: Relax, store_entries: usize) -> MemoryPath {
        let mut costs = description.memory.clone();
        if relax.caches {
            costs.crossings.clear();
        }
        let mut caches = Hierarchy::new(&description.caches, costs.miss_queue);
        caches.ideal = relax.caches;
        let smallest = costs.crossings.iter().map(|&(boundary, _)| boundary).min();
        let crossing_bits = smallest.map_or(0, |smallest| !(smallest - 1));
        MemoryPath {
            caches,
            stores: StoreQueue::new(store_entries, costs.alias_mask, Drains::new(description, relax.stores)),
            l1_latency: description.caches.l1.latency,
            passes_stores: relax.load_hit_store,
            crossing_bits,
            apart_bits: crossing_bits | !(description.caches.line - 1),
            takes_lines: costs.fill_loads > 0 || costs.late_loads > 0,
            order: Order::new(&costs),
            supplied: Vec::new(),
            renaming: Renaming::new(&costs),
            renames_free: 0,
            banks: costs
                .bank
                .filter(|_| !relax.caches)
                .map(|(bytes, loads)| Banks::new(bytes, description.caches.line, loads)),
            unit_stores: Vec::new(),
            unit_claims: Vec::new(),
            awaited: NOBODY,
            counts: MeetCounts::default(),
            costs,
        }
    }

    /// The store that a load had to wait for since the last call, by number; 0 if there was none.
    pub(super) fn take_awaited(&mut self) -> u64 {
        std::mem::take(&mut self.awaited)
    }

    /// The newest store, by number; 0 if there was none.
    pub(super) fn newest_store(&self) -> u64 {
        self.stores.newest()
    }

    /// What the front end fetches from.
    #[inline]
    pub(super) fn caches(&mut self) -> &mut Hierarchy {
        &mut self.caches
    }

    /// Bytes of a line of the first level.
    pub(super) fn line_bytes(&self) -> u64 {
        self.caches.line_bytes()
    }

    /// Cycles from a load's issue to its value, if the first level has it.
    #[inline]
    pub(super) fn l1_latency(&self) -> u64 {
        self.l1_latency
    }

    /// When there is room for another store; `u64::MAX` if that store's own unit has to complete first.
    #[inline]
    pub(super) fn store_room(&self) -> u64 {
        self.stores.free_at()
    }

    /// When every line that is now in flight has arrived or been written.
    pub(super) fn busy_until(&self) -> u64 {
        self.stores.free_from().max(self.caches.busy_until())
    }

    /// Moves what was counted since the last time to the core's counters.
    pub(super) fn drain_into(&mut self, counters: &mut Counters) {
        self.caches.counts.drain_into(counters);
        let counts = std::mem::take(&mut self.counts);
        counters.forwards += counts.forwards;
        counters.forward_failures += counts.forward_failures;
        counters.order_flushes += counts.order_flushes;
    }

    /// What rename knows of an instruction's accesses, if that matters.
    #[inline(always)]
    pub(super) fn named(&self, plan: &Plan, op: &Op) -> Named {
        if self.renaming.learns() {
            plan.named_of(op)
        } else {
            Named::default()
        }
    }

    /// How many accesses a load that went to its pipe at `issue` takes it for, the filling of its line among them.
    #[inline(always)]
    pub(super) fn passes(&mut self, access: &Access, issue: u64) -> u64 {
        let crosses = self.crosses(access.address, u64::from(access.bytes.max(1)));
        if mostly(!crosses && (!self.takes_lines || self.caches.is_at_hand(access.address, issue))) {
            return 1;
        }
        self.several_passes(access, issue)
    }

    #[inline(never)]
    fn several_passes(&mut self, access: &Access, issue: u64) -> u64 {
        let own = match self.crossing(access.address, u64::from(access.bytes.max(1))) {
            0 => 1,
            _ => self.costs.cross_loads,
        };
        let fills =
            self.costs.fill_loads > 0 && self.caches.fills(access.address) && !planted(Fault::FillFree);
        let late = self.costs.late_loads > 0
            && self.caches.comes_late(access.address, issue)
            && !planted(Fault::LateFree);
        own + if fills { self.costs.fill_loads } else { 0 } + if late { self.costs.late_loads } else { 0 }
    }

    /// Cycles for which a load that went to its pipe at `issue` waits for its banks.
    #[inline]
    pub(super) fn bank_wait(&mut self, access: &Access, issue: u64) -> u64 {
        let bytes = u64::from(access.bytes.max(1));
        self.banks.as_mut().map_or(0, |banks| banks.wait(access.address, bytes, issue))
    }

    /// What an address of two registers costs.
    #[inline]
    pub(super) fn indexing(&self, op: &Op) -> u64 {
        if op.is(Flags::INDEXED) {
            self.costs.indexed
        } else {
            0
        }
    }

    /// How much later than from the first level the bytes of a load come that went to its pipe at `issue`, if it crosses nothing and
    /// no store may be in flight to its bytes: so it is with most. `look_up` knows of the others.
    #[inline(always)]
    pub(super) fn undisturbed(
        &mut self,
        op: &Op,
        named: Named,
        access: &Access,
        dispatch: u64,
        issue: u64,
    ) -> Option<u64> {
        let bytes = u64::from(access.bytes.max(1));
        let apart = (access.address ^ (access.address + bytes - 1)) & self.apart_bits != 0;
        let waits = self.order.waits(op.index, dispatch);
        let expected = self.renaming.learns() && self.renaming.may_miss(named.place);
        if rarely(apart || waits || expected) || self.stores.may_meet(access.address, bytes, issue) {
            return None;
        }
        Some(self.caches.data(self.caches.line_of(access.address), issue))
    }

    /// What a load of `op` finds that was dispatched at `dispatch` and went to its pipe at `issue`. A load that ran before
    /// the address of a store to its bytes was known restarts the front end.
    #[inline(never)]
    pub(super) fn look_up(
        &mut self,
        op: &Op,
        named: Named,
        access: &Access,
        dispatch: u64,
        issue: u64,
        front: &mut FrontEnd,
    ) -> Found {
        let bytes = u64::from(access.bytes.max(1));
        let crossing = self.crossing(access.address, bytes);
        let load = Load { op, named, access, bytes, dispatch, issue, crossing };
        if self.passes_stores {
            return Found::Bytes(self.from_caches(&load, issue));
        }
        let met = self.stores.find(access.address, bytes, issue);
        let found = self.find(&load, met, front);
        if self.renaming.learns() {
            self.learn(&load, met, front);
        }
        found
    }

    /// Where the load found its bytes, and where it will be expected to. If it had been renamed to another store, what follows it is
    /// fetched again.
    fn learn(&mut self, load: &Load<'_>, met: Option<(Meets, Store)>, front: &mut FrontEnd) {
        let Load { named, issue, .. } = *load;
        if let Some((Meets::All, store)) = met {
            if self.fits(load, &store) {
                if !self.names(load, &store) {
                    self.renaming.found(named.place, store.named.place);
                }
                return;
            }
        }
        let in_reach = |&number: &u64| self.stores.is_in_reach(number, self.costs.rename_reach);
        let expected = self.renaming.expected(named.place).filter(in_reach);
        if expected.is_some_and(|number| self.stores.drain_of(number) > issue)
            && self.renaming.missed(named.place)
        {
            front.restart(issue + self.l1_latency + self.costs.rename_flush, Cause::LoadHitStore);
        }
    }

    /// What a load finds that meets that store in flight, or none.
    #[inline(always)]
    fn find(&mut self, load: &Load<'_>, mut met: Option<(Meets, Store)>, front: &mut FrontEnd) -> Found {
        let Load { op, access, bytes, dispatch, issue, .. } = *load;
        let mut start = issue;
        let remembered = self.order.known(op.index, dispatch, issue, met.as_ref(), &self.stores);
        let near = self.near(access.address, bytes, issue);
        if let Some((_, store)) = near.or(met).filter(|_| remembered > 0) {
            if !self.renamed(load, &store) {
                self.order.meets_again(op.index);
            }
        }
        if let Some((_, store)) = near {
            if self.known(load, &store) > issue {
                start = self.too_early(op, &store, dispatch, front);
            }
        }
        if let Some((Meets::Alias, store)) = met {
            // It has none of the bytes, so once its address is known, an older store may.
            if self.known(load, &store) > issue {
                start = self.too_early(op, &store, dispatch, front);
            }
            met =
                self.stores.find_bytes(access.address, bytes, issue).filter(|_| !planted(Fault::AliasHides));
        }
        if let Some((meets, store)) = met {
            if self.known(load, &store) > start {
                start = self.too_early(op, &store, dispatch, front);
            }
            return self.meet(load, meets, &store, start.max(remembered));
        }
        Found::Bytes(self.from_caches(load, start.max(remembered)))
    }

    fn from_caches(&mut self, load: &Load<'_>, start: u64) -> Loaded {
        let first = self.caches.line_of(load.access.address);
        let last = self.caches.line_of(load.access.address + load.bytes - 1);
        let mut extra = self.caches.data(first, start);
        for line in first + 1..=last {
            extra = extra.max(self.caches.data(line, start));
        }
        let cause = if start > load.issue { Cause::LoadHitStore } else { Cause::CacheMiss };
        Loaded::late(extra + load.crossing + (start - load.issue), cause)
    }

    /// A load that tries at `start` meets a store in flight to some or all of its bytes.
    fn meet(&mut self, load: &Load<'_>, meets: Meets, store: &Store, start: u64) -> Found {
        let Load { op, access, bytes, issue, crossing, .. } = *load;
        let may_forward = !op.is(Flags::NO_FORWARD);
        if meets == Meets::All && may_forward {
            self.counts.forwards += 1;
            return Found::Bytes(self.from_store(load, store, start));
        }
        if meets == Meets::Some && may_forward {
            if self.costs.doublewords {
                if let Some(given) = self.stores.in_doublewords(access.address, bytes, issue) {
                    self.counts.forwards += 1;
                    return Found::Bytes(self.forwarded(load, self.costs.forward, start, given));
                }
            }
            let begins = access.address == store.address || planted(Fault::BeginsAnywhere);
            if let Some(partly) = self.costs.forward_partial.filter(|_| begins || !self.costs.partial_begins)
            {
                if self.stores.is_alone(store, access.address, bytes, issue) {
                    self.counts.forwards += 1;
                    let partly = self.in_part(load, store, partly);
                    return Found::Bytes(self.forwarded(load, partly, start, self.given(store)));
                }
            }
        }
        self.counts.forward_failures += 1;
        if meets == Meets::Some && self.costs.partial_merges && may_forward {
            let extra = start + self.costs.forward_failed - issue + crossing;
            return Found::Bytes(Loaded::late(extra, Cause::LoadHitStore));
        }
        let lost = if meets == Meets::Some { self.costs.lost(store.address, store.bytes) } else { 0 };
        self.awaited = store.number;
        Found::Blocked(Blocked { store: store.number, issue, start, lost, crossing })
    }

    /// When a load that is issued no longer runs before a store: with its address at once if its register is renamed to what is stored.
    fn known(&self, load: &Load<'_>, store: &Store) -> u64 {
        let early = self.costs.order_early;
        store.address_time + if early > 0 && !self.renamed(load, store) { early } else { 0 }
    }

    /// Whether the register of a load that has all its bytes from one store is renamed to what is stored.
    fn renamed(&self, load: &Load<'_>, store: &Store) -> bool {
        let known =
            || !self.renaming.learns() || self.names(load, store) || self.renaming.knows(load.named.place);
        self.fits(load, store) && known()
    }

    /// Whether both name their bytes alike.
    fn names(&self, load: &Load<'_>, store: &Store) -> bool {
        load.named.name == store.named.name && load.named.name != NAMELESS && !planted(Fault::NamesUnseen)
    }

    /// Whether it can be.
    fn fits(&self, load: &Load<'_>, store: &Store) -> bool {
        let Load { op, access, bytes, crossing, .. } = *load;
        self.costs.forward_renamed.is_some()
            && !op.is(Flags::NO_FORWARD)
            && self.renames(op)
            && self.stores.is_in_reach(store.number, self.costs.rename_reach)
            && store.simple
            && (crossing == 0 || self.costs.renames != Renames::Base)
            && bytes >= self.least_renamed(op)
            && renamable(access, store, self.costs.renames != Renames::Base)
            && !(store.counted && bytes.min(store.bytes) < 8)
    }

    /// A load that has all its bytes from one store.
    fn from_store(&mut self, load: &Load<'_>, store: &Store, start: u64) -> Loaded {
        let Load { op, dispatch, issue, crossing, .. } = *load;
        let simple = self.renamed(load, store);
        if let Some(renamed) = self.costs.forward_renamed.filter(|_| simple) {
            // The value is renamed to the store's source: it need not wait for the load's issue.
            let slot = self.renames_free.max(dispatch);
            self.renames_free = slot + self.costs.rename_interval;
            let there = (store.data_time + renamed).max(slot);
            self.awaited = if there > slot { store.number } else { NOBODY };
            // Nor for its address, however long that takes.
            let address = if planted(Fault::AddressAwaited) { 0 } else { self.indexing(op) };
            let extra = there.saturating_sub(issue + self.l1_latency + address);
            return Loaded { extra, cause: Cause::LoadHitStore, counted: store.counted };
        }
        let vector = op.is(Flags::MOVES_VECTOR);
        let forward = if vector { self.costs.forward_vector } else { self.costs.forward };
        let crossing = self.costs.cross_forward.map_or(crossing, |cost| cost.min(crossing));
        self.forwarded(&Load { crossing, ..*load }, forward, start, self.given(store))
    }

    /// What a store gives to a load that is not renamed to its register: first a pipe adds the constant that rename has added.
    fn given(&self, store: &Store) -> Given {
        let given = store.given();
        Given { data_time: self.added(given.data_time, store.counted), ..given }
    }

    /// When data are there that come at `data_time`, if a pipe has to add a constant that rename has added to them.
    fn added(&self, data_time: u64, counted: bool) -> u64 {
        let adds = counted && !planted(Fault::AddedAtOnce);
        data_time + if adds { self.costs.forward_counted } else { 0 }
    }

    /// What it takes to put a load together that the store has a part of, where that takes `partly` cycles as a rule.
    fn in_part(&self, load: &Load<'_>, store: &Store, partly: u64) -> u64 {
        let Some(soon) = self.costs.forward_partial_soon.filter(|_| !planted(Fault::SoonForgotten)) else {
            return partly;
        };
        let before = self.supplied.get(load.op.index as usize).copied().unwrap_or_default();
        if self.given(store).data_time == before.there + 1 {
            soon
        } else {
            partly
        }
    }

    /// A load that tries at `start` and gets its bytes from stores: `forward` cycles after it tried or after their data went
    /// to their pipe, whichever is later.
    fn forwarded(&mut self, load: &Load<'_>, forward: u64, start: u64, given: Given) -> Loaded {
        let data = given.data_time + if given.merged { self.costs.forward_merge } else { 0 };
        let there = match self.costs.forward_retry {
            Some(retry) => {
                self.forwarded_again(load, forward, start, Given { data_time: data, ..given }, retry)
            }
            None => self.there(load, forward, start, data, &given),
        };
        Loaded::late(there.saturating_sub(load.issue + self.l1_latency), Cause::LoadHitStore)
    }

    /// When its bytes are there. If the data were not when it tried, it tries again so many cycles later at the earliest. It has
    /// also tried when the same instruction's load before got its own, unless those are the data.
    #[inline(never)]
    fn forwarded_again(
        &mut self,
        load: &Load<'_>,
        forward: u64,
        start: u64,
        given: Given,
        retry: u64,
    ) -> u64 {
        let before = *entry(&mut self.supplied, load.op.index);
        let passed_on = before.there == given.data_time || planted(Fault::TriedOnce);
        let mut tried = start;
        if start < given.data_time {
            let failed = if passed_on { start } else { start.max(before.tried) };
            tried = if failed < given.data_time { given.data_time.max(failed + retry) } else { failed };
        }
        let there = self.there(load, forward, start, tried, &given);
        self.supplied[load.op.index as usize] = Supplied { tried, there };
        there
    }

    /// When a load's bytes are there that tries at `start` and may have the data from the cycle `data` on.
    #[inline]
    fn there(&mut self, load: &Load<'_>, forward: u64, start: u64, data: u64, given: &Given) -> u64 {
        let at_once = start + forward + load.crossing;
        let mut there = match self.costs.forward_data {
            Some(behind) => at_once.max(data + behind),
            None => start.max(data) + forward + load.crossing,
        };
        let to_vector = load.op.is(Flags::MOVES_VECTOR);
        let behind = if to_vector { self.costs.vector_completed } else { self.costs.forward_completed };
        let waits = self.costs.general_completed || to_vector || given.vector;
        let waits = waits && !planted(Fault::ForwardedEarly);
        if let Some(behind) = behind.filter(|_| waits) {
            there = there.max(given.completed + behind);
        }
        self.awaited = if there > at_once { given.store } else { NOBODY };
        there
    }

    /// The domain of what rename has added a constant to, if a part of it is not renamed to what is stored.
    pub(super) fn counted(&self) -> Option<u8> {
        self.costs.rename_counted
    }

    /// Whether the access has a form that a core which renames memory can rename. Golden Cove renames neither a load that
    /// extends the sign, which takes longer than others, nor one of an instruction that stores what it computed with another
    /// register.
    fn renames(&self, op: &Op) -> bool {
        if self.costs.renames != Renames::Base {
            let general = !op.is(Flags::MOVES_VECTOR) || op.is(Flags::GENERAL_AT_BASE);
            return general && !(self.costs.renames == Renames::Split && self.computes_in_one(op));
        }
        let extends = op.is(Flags::LOAD)
            && !op.is(Flags::STORE)
            && op.part_count == 1
            && u64::from(op.latency) > self.l1_latency;
        let updates = op.is(Flags::LOAD) && op.is(Flags::STORE) && op.other_sources > 0;
        op.is(Flags::GENERAL_AT_BASE) && !extends && !updates
    }

    /// Whether it computes with what it loads, or extends its sign, in one slot, and stores nothing.
    fn computes_in_one(&self, op: &Op) -> bool {
        let extends = op.is(Flags::GENERAL_AT_BASE) && u64::from(op.latency) > self.l1_latency;
        let computes = (op.part_count > 1 || extends) && !planted(Fault::RenamedWhole);
        computes && op.slots < 2 && op.is(Flags::LOAD) && !op.is(Flags::STORE)
    }

    /// Bytes of the smallest load that is renamed, as it computes with them or does not.
    fn least_renamed(&self, op: &Op) -> u64 {
        if op.part_count > 1 {
            self.costs.rename_least_computing
        } else {
            self.costs.rename_least
        }
    }

    /// Whether an access may cross boundaries.
    #[inline(always)]
    fn crosses(&self, address: u64, bytes: u64) -> bool {
        (address ^ (address + bytes - 1)) & self.crossing_bits != 0
    }

    /// What an access costs that crosses boundaries.
    #[inline]
    fn crossing(&self, address: u64, bytes: u64) -> u64 {
        if mostly(!self.crosses(address, bytes)) {
            return 0;
        }
        // A longer access always crosses it, and its latency includes that.
        let crossed = |&&(boundary, _): &&(u64, u64)| {
            bytes <= boundary && (address ^ (address + bytes - 1)) & !(boundary - 1) != 0
        };
        let told = if planted(Fault::CrossingForgotten) { 0 } else { usize::MAX };
        self.costs.crossings.iter().filter(crossed).take(told).map(|&(_, cost)| cost).sum()
    }

    /// Whether a store takes the cache longer because it crosses a boundary; `crossing` is what an access costs that does.
    #[inline]
    fn store_crosses(&self, address: u64, bytes: u64, crossing: u64) -> bool {
        match self.costs.cross_store {
            0 => crossing > 0,
            boundary => bytes <= boundary && (address ^ (address + bytes - 1)) & !(boundary - 1) != 0,
        }
    }

    /// A load was ready before an older store's address: when it tries. If it is flushed, what follows it is fetched again.
    fn too_early(&mut self, op: &Op, store: &Store, dispatch: u64, front: &mut FrontEnd) -> u64 {
        match self.order.too_early(op.index, store, dispatch) {
            Ran::Waits(cycle) => cycle,
            Ran::Flushed(again) => {
                self.counts.order_flushes += 1;
                front.restart(again, Cause::OrderFlush);
                again
            }
        }
    }

    /// The youngest store to a unit of memory by which the core tells that a load ran too early, if that is more than a byte.
    fn near(&self, address: u64, bytes: u64, issue: u64) -> Option<(Meets, Store)> {
        let unit = self.costs.order_unit;
        // Whole units have no other bytes.
        if (address | bytes) & (unit - 1) == 0 || planted(Fault::WordForgotten) {
            return None;
        }
        let first = address & !(unit - 1);
        self.stores.find(first, (address + bytes).next_multiple_of(unit) - first, issue)
    }

    /// Whether the store is in the load's own unit, which cannot complete while the load waits for it.
    pub(super) fn blocks_itself(&self, blocked: &Blocked) -> bool {
        self.stores.drain_of(blocked.store) == u64::MAX
    }

    /// Cycles from the completion before until such a unit is fetched again.
    pub(super) fn same_group_flush(&self) -> u64 {
        self.costs.same_group_flush
    }

    /// A blocked load, which tries again until the store is in the cache.
    pub(super) fn unblocked(&self, blocked: &Blocked) -> Loaded {
        let drain = self.stores.drain_of(blocked.store);
        let retries = drain.saturating_sub(blocked.start).div_ceil(self.costs.reject_retry);
        let until = blocked.start + retries * self.costs.reject_retry + blocked.lost;
        Loaded::late(until - blocked.issue + blocked.crossing, Cause::LoadHitStore)
    }

    /// Puts the stores of one instruction into the queue; when they have finished.
    /// `counted`: rename has added a constant to what is stored.
    pub(super) fn store(
        &mut self,
        op: &Op,
        named: Named,
        accesses: &[Access],
        address_time: u64,
        data_time: u64,
        counted: bool,
    ) -> u64 {
        let known = |access: &&Access| access.store && access.known;
        for access in accesses.iter().filter(known) {
            self.order.addressed(op.index, address_time);
            let bytes = u64::from(access.bytes.max(1));
            let ready = self.caches.store(access.address, bytes, address_time);
            let crossing = self.crossing(access.address, bytes);
            let ready = ready.saturating_add(crossing);
            let store = Store {
                address: access.address,
                bytes,
                address_time,
                data_time,
                index: op.index,
                named,
                simple: self.renames(op),
                counted,
                vector: op.is(Flags::MOVES_VECTOR),
                crosses: self.store_crosses(access.address, bytes, crossing),
                ..Store::default()
            };
            if mostly(bytes <= PIECE && ready != TO_CLAIM) {
                self.unit_stores.push((self.stores.add(store), ready));
            } else {
                self.add_pieces(access, store, ready);
            }
            if self.renaming.learns() {
                self.renaming.stored(named.place, self.stores.newest());
            }
        }
        let late = if planted(Fault::StoredEarly) { 1 } else { self.costs.store_completes };
        address_time.max(self.added(data_time, counted)) + late
    }

    /// Adds a store in pieces, each of which may have to claim its lines.
    #[inline(never)]
    fn add_pieces(&mut self, access: &Access, store: Store, ready: u64) {
        let mut done = 0;
        while done < store.bytes {
            let bytes = (store.bytes - done).min(PIECE);
            let number = self.stores.add(Store { address: store.address + done, bytes, ..store });
            self.unit_stores.push((number, ready));
            if ready == TO_CLAIM {
                self.may_claim(access, done, bytes);
            }
            done += bytes;
        }
    }

    /// Notes the piece of a store that begins after so many bytes.
    fn may_claim(&mut self, access: &Access, done: u64, piece: u64) {
        let line_bytes = self.caches.line_bytes();
        let line_of = |byte: u64| self.caches.line_of(access.address + byte);
        self.unit_claims.push(Claiming {
            first: line_of(done),
            last: line_of(done + piece - 1),
            whole: u64::from(access.bytes) == line_bytes && access.address % line_bytes == 0,
        });
    }

    /// The newest unit completed: its stores may enter the cache.
    #[inline]
    pub(super) fn complete_unit(&mut self, cycle: u64) {
        if !self.unit_stores.is_empty() {
            self.complete_stores(cycle);
        }
    }

    #[inline(never)]
    fn complete_stores(&mut self, cycle: u64) {
        let mut claims = self.unit_claims.iter();
        for &(number, ready) in &self.unit_stores {
            if rarely(ready == TO_CLAIM) {
                let Some(&Claiming { first, last, whole }) = claims.next() else { continue };
                let room = self.caches.room_for_claims(first..=last);
                let entered = self.stores.complete(number, cycle, room);
                self.caches.claim(first..=last, entered, whole);
            } else {
                self.stores.complete(number, cycle, ready);
            }
        }
        self.unit_claims.clear();
        self.unit_stores.clear();
    }
}
