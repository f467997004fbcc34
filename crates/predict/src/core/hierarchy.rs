// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The caches behind the load/store pipes and the fetch unit: misses in flight, the paths that lines come by, prefetch, and lines
//! that stores claim. All levels hold what passes through them. Address translation is not modelled.

use super::cache::Cache;
use super::claims::{Claim, Claims};
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::streams::Streams;
use super::Counters;
use crate::description::{Caches, Level};
use std::ops::RangeInclusive;

const NEVER: u64 = u64::MAX;
/// When a line is there that a store may have to claim.
pub(super) const TO_CLAIM: u64 = u64::MAX;

/// What the memory hierarchy counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MissCounts {
    pub(crate) l1: u64,
    pub(crate) l2: u64,
    pub(crate) memory: u64,
    pub(crate) instruction: u64,
}

impl MissCounts {
    /// Moves what was counted since the last time to the core's counters.
    pub(crate) fn drain_into(&mut self, counters: &mut Counters) {
        let counts = std::mem::take(self);
        counters.l1_misses += counts.l1;
        counters.l2_misses += counts.l2;
        counters.memory_accesses += counts.memory;
        counters.instruction_misses += counts.instruction;
    }
}

struct Outer {
    cache: Cache,
    latency: u64,
    interval: u64,
    free: u64,
}

/// The whole hierarchy behind the load/store pipes and the fetch unit.
pub(crate) struct Hierarchy {
    l1: Cache,
    l1_latency: u64,
    line_shift: u32,
    instruction: Cache,
    instruction_shift: u32,
    instruction_ahead: u64,
    outer: Vec<Outer>,
    memory_latency: u64,
    memory_interval: u64,
    memory_free: u64,
    /// Arrival of each miss that holds an entry of the miss queue.
    misses: Box<[u64]>,
    streams: Streams,
    distance: u64,
    near: u64,
    prefetch_latency: u64,
    /// Before this cycle no path is free for a prefetch that was put off, and no claim takes its turn.
    put_off: u64,
    pub(crate) write_through: bool,
    write_back: u64,
    claims: Claims,
    pub(crate) counts: MissCounts,
    /// Everything hits; for finding out what the caches cost.
    pub(crate) ideal: bool,
    /// Accesses are skipped over: their lines arrive at once, and occupy no path.
    skipping: bool,
}

impl Hierarchy {
    pub(crate) fn new(caches: &Caches, miss_queue: usize) -> Hierarchy {
        let cache = |level: &Level| Cache::new(level.sets, level.ways);
        let outer = |level: &Level| Outer {
            cache: cache(level),
            latency: level.latency,
            interval: level.interval,
            free: 0,
        };
        Hierarchy {
            l1: cache(&caches.l1),
            l1_latency: caches.l1.latency,
            line_shift: caches.line.trailing_zeros(),
            instruction: cache(&caches.instruction),
            instruction_shift: caches.instruction_line.trailing_zeros(),
            instruction_ahead: caches.instruction_ahead,
            outer: caches.outer.iter().map(outer).collect(),
            memory_latency: caches.memory_latency,
            memory_interval: caches.memory_interval,
            memory_free: 0,
            misses: vec![0; miss_queue.max(1)].into(),
            streams: Streams::new(caches.streams),
            distance: caches.distance,
            near: if planted(Fault::NearForgotten) { caches.distance } else { caches.near },
            prefetch_latency: if planted(Fault::PrefetchAtOnce) { 0 } else { caches.prefetch_latency },
            put_off: NEVER,
            write_through: caches.write_through,
            write_back: caches.write_back,
            claims: Claims::new(caches.claims),
            counts: MissCounts::default(),
            ideal: false,
            skipping: false,
        }
    }

    pub(crate) fn line_of(&self, address: u64) -> u64 {
        address >> self.line_shift
    }

    pub(crate) fn line_bytes(&self) -> u64 {
        1 << self.line_shift
    }

    /// Cycles beyond the first level's latency that an access starting at `cycle` takes to get its line.
    #[inline(always)]
    pub(crate) fn data(&mut self, line: u64, cycle: u64) -> u64 {
        if rarely(self.ideal) {
            return 0;
        }
        self.catch_up(cycle);
        let Some((arrival, first_use)) = self.l1.touch(line) else { return self.miss(line, cycle) };
        if rarely(first_use) {
            self.follow(line, cycle);
        }
        arrival.saturating_sub(cycle + self.l1_latency)
    }

    /// The same of a line that the first level does not have.
    #[inline(never)]
    fn miss(&mut self, line: u64, cycle: u64) -> u64 {
        self.counts.l1 += 1;
        let entry = (0..self.misses.len()).min_by_key(|&index| self.misses[index]).unwrap_or(0);
        let start = if self.skipping { cycle } else { cycle.max(self.misses[entry]) };
        let arrival = self.transfer(line, start, true);
        if !self.skipping {
            self.misses[entry] = if planted(Fault::MissQueueFree) { 0 } else { arrival };
        }
        self.write_back(line, start);
        self.l1.insert(line, arrival, false);
        self.follow(line, start);
        arrival.saturating_sub(cycle + self.l1_latency)
    }

    /// The line that one from beyond pushes out takes the path, too, if it was written.
    fn write_back(&mut self, line: u64, cycle: u64) {
        if self.write_back == 0 || self.skipping || planted(Fault::WriteBackFree) {
            return;
        }
        if self.l1.pushes_out(line) {
            if let Some(second) = self.outer.first_mut() {
                second.free = second.free.max(cycle) + self.write_back;
            }
        }
    }

    /// When the paths to the outer caches and to memory are free again.
    pub(crate) fn busy_until(&self) -> u64 {
        self.outer.iter().map(|outer| outer.free).fold(self.memory_free, u64::max)
    }

    /// Whether an access to that byte would not be counted as a miss.
    pub(crate) fn holds(&mut self, address: u64, store: bool) -> bool {
        let line = self.line_of(address);
        if self.ideal || store && self.write_through {
            return self.ideal || !self.has_to_claim(line);
        }
        self.l1.holds(line)
    }

    /// Whether a prefetch has brought the line of that byte, which may come late.
    pub(crate) fn is_prefetched(&mut self, address: u64) -> bool {
        !self.ideal && self.l1.is_prefetched(self.line_of(address))
    }

    /// Whether a load of that byte finds its line filled no earlier than it is used.
    pub(crate) fn fills(&mut self, address: u64) -> bool {
        !self.ideal && self.l1.look(self.line_of(address)) != Some(false)
    }

    /// Whether a load of that byte at `cycle` has to wait for its line.
    pub(crate) fn comes_late(&mut self, address: u64, cycle: u64) -> bool {
        let (line, hit) = (self.line_of(address), cycle + self.l1_latency);
        !self.ideal && self.l1.arrival(line).is_none_or(|arrival| arrival > hit)
    }

    /// Whether a load of that byte at `cycle` finds its line, which was used last of its set and before: neither `fills` nor
    /// `comes_late`, as most lines do not.
    #[inline(always)]
    pub(crate) fn is_at_hand(&self, address: u64, cycle: u64) -> bool {
        self.l1.is_newest(self.line_of(address), cycle + self.l1_latency)
    }

    /// Brings the line of an access that is skipped over into the caches, uncounted.
    pub(crate) fn touch_only(&mut self, address: u64, store: bool, cycle: u64) {
        let before = self.counts;
        self.skipping = true;
        let line = self.line_of(address);
        if store && self.write_through {
            self.store_through(line);
        } else {
            self.data(line, cycle);
            if store {
                self.l1.write(line);
            }
        }
        self.counts = before;
        self.skipping = false;
    }

    /// Brings the lines of a store to where it is written; when the last one is there, 0 if all are. `TO_CLAIM` if the store may
    /// have to claim one when it has completed.
    pub(crate) fn store(&mut self, address: u64, bytes: u64, cycle: u64) -> u64 {
        let (first, last) = (self.line_of(address), self.line_of(address + bytes - 1));
        let ready = self.store_line(first, cycle);
        (first + 1..=last).fold(ready, |ready, line| ready.max(self.store_line(line, cycle)))
    }

    /// The same for one of them.
    #[inline(always)]
    fn store_line(&mut self, line: u64, cycle: u64) -> u64 {
        if self.write_through {
            return if mostly(self.store_through(line)) { 0 } else { TO_CLAIM };
        }
        let extra = self.data(line, cycle);
        if rarely(self.write_back > 0) {
            self.l1.write(line);
        }
        if extra > 0 {
            cycle + self.l1_latency + extra
        } else {
            0
        }
    }

    /// A store that goes past the first level: the line is not brought in there, but its use is noted. Whether no claim is needed.
    pub(crate) fn store_through(&mut self, line: u64) -> bool {
        if self.l1.touch(line).is_none() {
            for outer in &mut self.outer {
                if outer.cache.touch(line).is_some() {
                    return true;
                }
                if self.claims.is_on() && !self.skipping && !self.ideal {
                    return false;
                }
                outer.cache.insert(line, 0, false);
            }
        }
        true
    }

    /// Whether a store has to claim its line: neither the first nor the second level holds it, and no older store's claim waits.
    fn has_to_claim(&mut self, line: u64) -> bool {
        self.claims.is_on()
            && !self.l1.holds(line)
            && !self.outer[0].cache.holds(line)
            && !self.claims.gathers(line)
    }

    /// From when on there is room for what a store claims that has completed and is to these lines.
    #[inline(never)]
    pub(crate) fn room_for_claims(&mut self, lines: RangeInclusive<u64>) -> u64 {
        let wanted = lines.filter(|&line| self.has_to_claim(line)).count();
        let mut room = 0;
        while self.claims.is_full(wanted) {
            match (self.claims.leave(), self.claims.next()) {
                (Some(arrival), _) => room = room.max(arrival),
                (None, Some(claim)) => self.catch_up_until(claim.cycle + 1),
                (None, None) => break,
            }
        }
        room
    }

    /// The store leaves the store queue at `cycle`, and writes all bytes of its line or not.
    #[inline(never)]
    pub(crate) fn claim(&mut self, lines: RangeInclusive<u64>, cycle: u64, whole: bool) {
        for line in lines {
            if self.has_to_claim(line) {
                self.counts.l1 += 1;
                self.counts.l2 += 1;
                let beyond = self.outer.iter_mut().all(|outer| !outer.cache.holds(line));
                self.counts.memory += u64::from(beyond && !whole);
                self.claims.add(Claim { line, cycle, whole });
                self.put_off = self.put_off.min(cycle);
            }
        }
    }

    /// The next claim takes its turn.
    fn take_claim(&mut self, Claim { line, cycle, whole }: Claim) {
        let arrival = if self.outer[0].cache.touch(line).is_some() {
            cycle
        } else if whole {
            self.establish(line, cycle)
        } else {
            self.transfer(line, cycle, false)
        };
        self.claims.taken(if planted(Fault::ClaimFree) { cycle } else { arrival });
    }

    /// A line of which nothing is read because all of it is written: it is there when the farthest cache has answered.
    fn establish(&mut self, line: u64, cycle: u64) -> u64 {
        let arrival = cycle + self.outer.iter().map(|outer| outer.latency).max().unwrap_or(0);
        for outer in &mut self.outer {
            if outer.cache.touch(line).is_none() {
                outer.cache.insert(line, arrival, false);
            }
        }
        arrival
    }

    /// Cycles that fetching from this address waits for its line.
    #[inline]
    pub(crate) fn fetch(&mut self, address: u64, cycle: u64) -> u64 {
        let line = address >> self.instruction_shift;
        if self.ideal {
            return 0;
        }
        if let Some((arrival, _)) = self.instruction.touch(line) {
            return arrival.saturating_sub(cycle);
        }
        self.counts.instruction += 1;
        self.catch_up(cycle);
        let arrival = self.instruction_transfer(line, cycle);
        for ahead in 1..=self.instruction_ahead {
            if !self.instruction.holds(line + ahead) {
                self.instruction_transfer(line + ahead, cycle);
            }
        }
        arrival - cycle
    }

    fn instruction_transfer(&mut self, line: u64, cycle: u64) -> u64 {
        let data_line = (line << self.instruction_shift) >> self.line_shift;
        let arrival = self.transfer(data_line, cycle, false);
        self.instruction.insert(line, arrival, false);
        arrival
    }

    /// Finds the line beyond the first level; says when it arrives.
    fn transfer(&mut self, line: u64, cycle: u64, counted: bool) -> u64 {
        let mut found = None;
        for (index, outer) in self.outer.iter_mut().enumerate() {
            if let Some((arrival, _)) = outer.cache.touch(line) {
                if self.skipping {
                    found = Some((index, cycle));
                    break;
                }
                let start = cycle.max(outer.free);
                outer.free = start + outer.interval;
                found = Some((index, (start + outer.latency).max(arrival)));
                break;
            }
            if counted && index == 0 {
                self.counts.l2 += 1;
            }
        }
        let (missed, arrival) = found.unwrap_or_else(|| {
            if self.skipping {
                return (self.outer.len(), cycle);
            }
            let start = cycle.max(self.memory_free);
            self.memory_free = start + self.memory_interval;
            self.counts.memory += u64::from(counted);
            (self.outer.len(), start + self.memory_latency)
        });
        for outer in &mut self.outer[..missed] {
            outer.cache.insert(line, arrival, false);
        }
        arrival
    }

    /// Trains the prefetch streams with a use of a line that missed or that a prefetch brought.
    #[inline(never)]
    fn follow(&mut self, line: u64, cycle: u64) {
        if let Some(index) = self.streams.follow(line, cycle) {
            self.run_ahead(index, line, cycle);
        }
    }

    /// From when on the path by which a line would come is free, and what a transfer takes of it.
    fn path_of(&mut self, line: u64) -> (u64, u64) {
        let level = self.outer.iter_mut().find_map(|outer| {
            let one = (outer.free, outer.interval);
            outer.cache.holds(line).then_some(one)
        });
        level.unwrap_or((self.memory_free, self.memory_interval))
    }

    /// Prefetches what a stream lacks of its distance before `line`, as long as at most one transfer waits on the path: accesses
    /// go before prefetches. The rest is put off until the path is free. So is all that follows accesses that are skipped over:
    /// they are like others for which nothing was prefetched.
    fn run_ahead(&mut self, index: usize, line: u64, cycle: u64) {
        let distance = self.distance - u64::from(planted(Fault::PrefetchShort));
        let asked = cycle + self.prefetch_latency;
        self.streams[index].run_ahead(line, distance, asked);
        if self.prefetch_latency > 0 {
            self.put_off = self.put_off.min(asked);
            return;
        }
        while let Some(coming) = self.coming(index) {
            let (free, interval) = self.path_of(coming);
            if self.skipping || free > cycle + interval {
                self.put_off = if planted(Fault::PrefetchLost) { NEVER } else { 0 };
                return;
            }
            self.bring_ahead(index, coming, cycle);
        }
    }

    /// The next line that a stream lacks of what it asked for.
    fn coming(&mut self, index: usize) -> Option<u64> {
        let mut stream = self.streams[index];
        let mut coming = None;
        while !stream.is_done() {
            let line = stream.ahead.wrapping_add_signed(stream.step);
            if !self.l1.holds(line) {
                coming = (!self.stays_near(line, stream.next)).then_some(line);
                break;
            }
            stream.ahead = line;
        }
        self.streams[index].ahead = stream.ahead;
        coming
    }

    /// Whether a line is so far ahead of a stream, which expects the line `next`, that it stays in the second level if it is there.
    fn stays_near(&mut self, line: u64, next: u64) -> bool {
        self.near < self.distance
            && line.abs_diff(next) >= self.near
            && self.outer.first_mut().is_some_and(|second| second.cache.holds(line))
    }

    fn bring_ahead(&mut self, index: usize, line: u64, cycle: u64) {
        self.streams[index].ahead = line;
        let arrival = self.transfer(line, cycle, false);
        self.write_back(line, cycle);
        self.l1.insert(line, arrival, true);
    }

    /// Makes the prefetches that were put off and for which a path was free before `now`, and the claims of before `now`.
    #[inline]
    fn catch_up(&mut self, now: u64) {
        if rarely(self.put_off < now && !self.skipping) {
            self.catch_up_until(now);
        }
    }

    /// Those that could start first go first; of several, a claim, and else the prefetch of the stream which has the fewest lines
    /// before its use.
    #[inline(never)]
    fn catch_up_until(&mut self, now: u64) {
        loop {
            let starts = self.streams.indices().filter_map(|index| {
                let line = self.coming(index)?;
                let stream = self.streams[index];
                let start = self.path_of(line).0.max(stream.asked);
                Some((start, line.abs_diff(stream.next), stream.age(), index, line))
            });
            let (start, .., index, line) = starts.min().unwrap_or((NEVER, 0, (0, 0), 0, 0));
            let claim = self.claims.next().filter(|claim| claim.cycle <= start);
            let first = claim.map_or(start, |claim| claim.cycle);
            if first >= now {
                self.put_off = first;
                return;
            }
            match claim {
                Some(claim) => self.take_claim(claim),
                None => self.bring_ahead(index, line, start),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(streams: usize) -> Hierarchy {
        let level = |sets, latency| Level { sets, ways: 2, latency, interval: 0 };
        let caches = Caches {
            instruction: level(4, 1),
            instruction_line: 64,
            line: 64,
            l1: level(4, 4),
            outer: vec![level(64, 14)],
            memory_latency: 200,
            memory_interval: 0,
            write_through: false,
            write_back: 0,
            claims: 0,
            streams,
            distance: 4,
            near: 4,
            prefetch_latency: 0,
            instruction_ahead: 0,
        };
        Hierarchy::new(&caches, 4)
    }

    #[test]
    fn a_line_costs_memory_then_nothing_then_the_second_level() {
        let mut caches = hierarchy(0);
        assert_eq!(caches.data(0, 0), 196);
        assert_eq!(caches.data(0, 1000), 0);
        caches.data(4, 2000);
        caches.data(8, 3000);
        assert_eq!(caches.data(0, 4000), 10, "two other lines of the set pushed it out");
    }

    #[test]
    fn a_second_access_waits_for_the_first_ones_transfer_only() {
        let mut caches = hierarchy(0);
        caches.data(0, 0);
        assert_eq!(caches.data(0, 100), 96);
    }

    #[test]
    fn a_stream_hides_what_a_walk_would_miss() {
        let walk = |streams| {
            let mut caches = hierarchy(streams);
            (0..64).map(|line| caches.data(line, line * 100)).sum::<u64>()
        };
        assert!(walk(4) * 3 < walk(0), "{} {}", walk(4), walk(0));
    }

    #[test]
    fn a_written_line_that_is_pushed_out_takes_the_path() {
        let last = |stored| {
            let mut caches = hierarchy(0);
            caches.write_back = 7;
            for line in [0, 4, 8, 12] {
                caches.data(line, 1000 * line);
            }
            if stored {
                caches.store(64 * 8, 8, 20_000);
                caches.store(64 * 12, 8, 30_000);
            }
            caches.data(0, 40_000); // pushes 8 out, whose set holds two
            caches.data(4, 40_000)
        };
        assert_eq!(last(true), last(false) + 7);
    }

    /// Two lines of every nine, as fast as the path brings them. What lies in the gaps is fetched at the cost of one transfer at
    /// most, which an access may find under way.
    #[test]
    fn a_prefetch_gives_way_to_accesses() {
        const ACCESSES: u64 = 1000;
        let walk = |streams| {
            let mut caches = hierarchy(streams);
            caches.outer[0] = Outer { cache: Cache::new(64, 8), latency: 14, interval: 4, free: 0 };
            for line in 0..256 {
                caches.data(line, line * 1000);
            }
            let line = |access: u64| 100 + access / 2 % 12 * 9 + access % 2;
            (0..ACCESSES).map(|access| caches.data(line(access), 1_000_000 + 4 * access)).sum::<u64>()
        };
        assert!(walk(16) <= walk(0) + 4 * ACCESSES, "{} {}", walk(16), walk(0));
    }

    /// The misses of the second walk follow on the first one's, so its prefetches find the path busy, and come later.
    #[test]
    fn two_walks_side_by_side_are_both_prefetched() {
        let cost = |walks: u64| {
            let mut caches = hierarchy(4);
            caches.l1 = Cache::new(64, 2);
            caches.memory_interval = 12;
            let line = |access: u64| access / walks + 1_000_001 * (access % walks);
            (0..64 * walks).map(|access| caches.data(line(access), access / walks * 100)).sum::<u64>() / walks
        };
        assert!(cost(2) < cost(1) + 300, "{} {}", cost(2), cost(1));
    }

    /// Streams that ended leave their places: each walk costs as little as the first, and random misses end no stream that is used.
    #[test]
    fn streams_that_ended_are_forgotten_and_those_in_use_are_not() {
        let mut caches = hierarchy(4);
        let walk = |caches: &mut Hierarchy, from: u64| -> u64 {
            (0..64).map(|line| caches.data(from + line, (from + line) * 100)).sum()
        };
        let costs: Vec<u64> = (0..20).map(|number| walk(&mut caches, number * 1000)).collect();
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");

        let mut caches = hierarchy(4);
        let mut cost = 0;
        walk(&mut caches, 0);
        for line in 64..128 {
            cost += caches.data(line, line * 100_000);
            for other in 0..20 {
                caches.data(1_000_000 + 777 * (20 * line + other), line * 100_000 + 5000 * other);
            }
        }
        assert!(cost * 3 < 64 * 196, "{cost}");
    }
}
