// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The out-of-order engine's loads and stores: what a load meets in the store queue, what crossing a boundary costs, and
//! how a store gets into the cache.

use super::execute::{Engine, Rules};
use super::planted::{planted, Fault};
use super::store_queue::{Meets, Store};
use super::Record;
use crate::cause::Cause;
use crate::description::*;
use crate::flags::{Anything, Flags};
use crate::op::*;
use crate::source::Access;

/// What memory did to a load.
#[derive(Clone, Copy)]
pub(super) struct Loaded {
    pub(super) extra: u64,
    pub(super) cause: Cause,
}

impl Loaded {
    pub(super) const AT_ONCE: Loaded = Loaded { extra: 0, cause: Cause::Dependency };

    /// What its results pass on: what the instruction itself met, not what its sources had met before.
    pub(super) fn passed_on(&self) -> Cause {
        if self.extra > 0 {
            self.cause
        } else {
            Cause::Dependency
        }
    }
}

/// Whether a core that renames memory can take the load's register to be the stored one: the load moves all that was
/// stored, or the lowest 1 or 4 bytes of it. Measured on Golden Cove (crates/native/probes/x86_64.txt): loads and stores of
/// 2 bytes are not renamed, nor loads that start inside of the store.
fn renamable(access: &Access, store: &Store) -> bool {
    let fits = |bytes: u64| matches!(bytes, 1 | 4 | 8);
    let bytes = u64::from(access.bytes);
    access.address == store.address && fits(bytes) && fits(store.bytes) && bytes <= store.bytes
}

impl Memory {
    /// What an access costs that crosses boundaries.
    pub(super) fn crossing(&self, address: u64, bytes: u64) -> u64 {
        // What is longer than that crosses it wherever it stands, and its latency says so.
        let crossed = |&&(boundary, _): &&(u64, u64)| {
            bytes <= boundary && (address ^ (address + bytes - 1)) & !(boundary - 1) != 0
        };
        let told = if planted(Fault::CrossingForgotten) { 0 } else { usize::MAX };
        self.crossings.iter().filter(crossed).take(told).map(|&(_, cost)| cost).sum()
    }
}

impl<R: Rules> Engine<R> {
    /// Executes the loads of one instruction that went to its pipe at `issue`.
    pub(super) fn load<W: Record>(
        &mut self,
        op: &Op,
        accesses: &[Access],
        dispatch: &mut u64,
        issue: u64,
        events: &mut W,
    ) -> Loaded {
        let mut loaded = Loaded::AT_ONCE;
        for access in accesses {
            if !access.store && access.known {
                let mut one = self.load_one(op, access, dispatch, issue, events);
                if op.is(Flags::INDEXED) {
                    one.extra += self.memory.indexed;
                }
                loaded = if one.extra > loaded.extra { one } else { loaded };
            }
        }
        loaded
    }

    #[inline(never)]
    fn load_one<W: Record>(
        &mut self,
        op: &Op,
        access: &Access,
        dispatch: &mut u64,
        issue: u64,
        events: &mut W,
    ) -> Loaded {
        let bytes = u64::from(access.bytes.max(1));
        let crossing = self.crossing(access.address, bytes);
        if crossing > 0 {
            for _ in 1..self.memory.cross_loads {
                self.pipes.reserve_one(op.mask, op.prefer, issue);
            }
        }
        let mut start = issue;
        if !self.relax.load_hit_store {
            if let Some((meets, store)) = self.stores.find(access.address, bytes, issue) {
                if store.address_time > issue {
                    start = self.too_early(op, store.address_time);
                }
                if meets == Meets::Some && self.memory.doublewords && !op.is(Flags::NO_FORWARD) {
                    if let Some((data_time, merged)) =
                        self.stores.in_doublewords(access.address, bytes, issue)
                    {
                        self.counters.forwards += 1;
                        let merge = if merged { self.memory.forward_merge } else { 0 };
                        return self.forwarded(
                            self.memory.forward,
                            start,
                            data_time + merge,
                            issue,
                            crossing,
                        );
                    }
                }
                if let (Meets::Some, Some(partly)) = (meets, self.memory.forward_partial) {
                    if !op.is(Flags::NO_FORWARD) && self.stores.is_alone(&store, access.address, bytes, issue)
                    {
                        self.counters.forwards += 1;
                        return self.forwarded(partly, start, store.data_time, issue, crossing);
                    }
                }
                if meets != Meets::Alias {
                    let waited = self.meet_store(op, meets, store.number, start, dispatch, events);
                    let simple = self.renames(op)
                        && store.simple
                        && (crossing == 0 || self.memory.renames_any)
                        && bytes >= self.memory.rename_least
                        && renamable(access, &store);
                    return match (waited, self.memory.forward_renamed.filter(|_| simple)) {
                        (None, Some(renamed)) => {
                            // The value is renamed to the store's source: it need not wait for the load's issue.
                            let slot = self.renames_free.max(*dispatch);
                            self.renames_free = slot + self.memory.rename_interval;
                            let there = (store.data_time + renamed).max(slot);
                            Loaded {
                                extra: there.saturating_sub(issue + self.l1_latency),
                                cause: Cause::LoadHitStore,
                            }
                        }
                        (None, None) => {
                            let vector = op.is(Flags::MOVES_VECTOR);
                            let forward =
                                if vector { self.memory.forward_vector } else { self.memory.forward };
                            let crossing =
                                self.memory.cross_forward.map_or(crossing, |cost| cost.min(crossing));
                            self.forwarded(forward, start, store.data_time, issue, crossing)
                        }
                        (Some(until), _) => {
                            Loaded { extra: until - issue + crossing, cause: Cause::LoadHitStore }
                        }
                    };
                }
            }
        }
        let first = self.caches.line_of(access.address);
        let last = self.caches.line_of(access.address + bytes - 1);
        let mut extra = self.caches.data(first, start);
        for line in first + 1..=last {
            extra = extra.max(self.caches.data(line, start));
        }
        let cause = if start > issue { Cause::LoadHitStore } else { Cause::CacheMiss };
        Loaded { extra: extra + crossing + (start - issue), cause }
    }

    /// A load that went to its pipe at `issue`, and again at `start`, and has its bytes from a store whose data went to
    /// theirs at `data`, `forward` cycles behind either.
    fn forwarded(&self, forward: u64, start: u64, data: u64, issue: u64, crossing: u64) -> Loaded {
        let there = match self.memory.forward_data {
            Some(behind) => (start + forward + crossing).max(data + behind),
            None => start.max(data) + forward + crossing,
        };
        Loaded { extra: there.saturating_sub(issue + self.l1_latency), cause: Cause::LoadHitStore }
    }

    /// Whether the access has a form that a core which renames memory can rename. Golden Cove renames neither a load that
    /// extends the sign, which takes longer than others, nor one of an instruction that stores what it computed with another
    /// register.
    fn renames(&self, op: &Op) -> bool {
        if self.memory.renames_any {
            return !op.is(Flags::MOVES_VECTOR) || op.is(Flags::GENERAL_AT_BASE);
        }
        let extends = op.is(Flags::LOAD)
            && !op.is(Flags::STORE)
            && op.part_count == 1
            && u64::from(op.latency) > self.l1_latency;
        let updates = op.is(Flags::LOAD) && op.is(Flags::STORE) && op.other_sources > 0;
        op.is(Flags::GENERAL_AT_BASE) && !extends && !updates
    }

    #[inline]
    fn crossing(&self, address: u64, bytes: u64) -> u64 {
        if (address ^ (address + bytes - 1)) & self.crossing_bits == 0 {
            return 0;
        }
        self.memory.crossing(address, bytes)
    }

    /// A load was ready before an older store's address: it waits, or it ran and is flushed once.
    fn too_early(&mut self, op: &Op, address_time: u64) -> u64 {
        let index = op.index as usize;
        if self.waits.len() <= index {
            self.waits.resize(index + 1, false);
        }
        if self.memory.order_waits || self.waits[index] {
            return address_time;
        }
        self.waits[index] = !planted(Fault::FlushedAgain);
        self.counters.order_flushes += 1;
        let again = address_time + self.memory.order_flush;
        self.front.restart(again, Cause::OrderFlush);
        again
    }

    /// A load meets a store in flight. `None`: it is forwarded. Otherwise the cycle at which it can run again.
    fn meet_store<W: Record>(
        &mut self,
        op: &Op,
        meets: Meets,
        number: u64,
        start: u64,
        dispatch: &mut u64,
        events: &mut W,
    ) -> Option<u64> {
        if meets == Meets::All && !op.is(Flags::NO_FORWARD) {
            self.counters.forwards += 1;
            return None;
        }
        self.counters.forward_failures += 1;
        if meets == Meets::Some && self.memory.partial_merges && !op.is(Flags::NO_FORWARD) {
            return Some(start + self.memory.forward_failed);
        }
        let mut start = start;
        if self.stores.drain_of(number) == u64::MAX {
            // The store is in the load's own group: the load is flushed and fetched again in a group of its own.
            self.close(events);
            let again = self.last_complete + self.memory.same_group_flush;
            let mut now = self.last_dispatch;
            self.open(&mut now);
            self.rules.settle::<Anything>(op, again, true, false);
            self.put_off(&mut now, again, Cause::LoadHitStore);
            self.last_dispatch = now;
            *dispatch = now;
            start = start.max(now + self.dispatch_latency);
        }
        let drain = self.stores.drain_of(number);
        let retries = drain.saturating_sub(start).div_ceil(self.memory.reject_retry);
        let failed = if meets == Meets::Some { self.memory.forward_failed } else { 0 };
        Some(start + retries * self.memory.reject_retry + failed)
    }

    /// Puts the stores of one instruction into the queue; when they have finished.
    pub(super) fn store(&mut self, op: &Op, accesses: &[Access], address_time: u64, data_time: u64) -> u64 {
        for access in accesses.iter().filter(|access| access.store && access.known) {
            let bytes = u64::from(access.bytes.max(1));
            let line_ready = self.caches.store(access.address, bytes, address_time);
            let crossing = self.crossing(access.address, bytes);
            let mut done = 0;
            while done < bytes {
                let piece = (bytes - done).min(64);
                let number = self.stores.add(Store {
                    address: access.address + done,
                    bytes: piece,
                    address_time,
                    data_time,
                    simple: self.renames(op),
                    crosses: crossing > 0,
                    ..Store::default()
                });
                self.unit_stores.push((number, line_ready + crossing));
                done += piece;
            }
        }
        address_time.max(data_time) + 1
    }
}
