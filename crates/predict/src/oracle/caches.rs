// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's caches: sets are lists, the least recently used line is searched for, and every access goes through them.

use crate::description::{Caches, Level};

#[derive(Clone)]
struct Line {
    number: u64,
    used: u64,
    arrival: u64,
    prefetched: bool,
    written: bool,
}

/// Lines of one cache, by set.
struct Sets {
    sets: Vec<Vec<Line>>,
    ways: usize,
    clock: u64,
}

impl Sets {
    fn new(level: &Level) -> Sets {
        Sets { sets: vec![Vec::new(); level.sets], ways: level.ways, clock: 0 }
    }

    fn set(&mut self, number: u64) -> &mut Vec<Line> {
        let count = self.sets.len() as u64;
        &mut self.sets[(number % count) as usize]
    }

    /// Arrival of the line, if it is there, and whether it is used for the first time after a prefetch.
    fn find(&mut self, number: u64) -> Option<(u64, bool)> {
        self.clock += 1;
        let clock = self.clock;
        let line = self.set(number).iter_mut().find(|line| line.number == number)?;
        line.used = clock;
        Some((line.arrival, std::mem::take(&mut line.prefetched)))
    }

    /// Whether it is not there, or not used since a prefetch brought it.
    fn lacks_or_prefetched(&mut self, number: u64) -> bool {
        self.set(number).iter().all(|line| line.number != number || line.prefetched)
    }

    fn holds(&mut self, number: u64) -> bool {
        self.set(number).iter().any(|line| line.number == number)
    }

    /// Whether a line that was written had to leave.
    fn bring(&mut self, number: u64, arrival: u64, prefetched: bool) -> bool {
        self.clock += 1;
        let (used, ways) = (self.clock, self.ways);
        let set = self.set(number);
        let mut wrote = false;
        if set.len() == ways {
            let oldest = (0..ways).min_by_key(|&way| set[way].used).unwrap();
            wrote = set.remove(oldest).written;
        }
        set.push(Line { number, used, arrival, prefetched, written: false });
        wrote
    }

    fn write(&mut self, number: u64) {
        for line in self.set(number) {
            line.written |= line.number == number;
        }
    }
}

struct Outer {
    lines: Sets,
    latency: u64,
    interval: u64,
    free: u64,
}

struct Stream {
    next: u64,
    ahead: u64,
    /// The last line that it wants, and since when it wants that.
    goal: u64,
    asked: u64,
    up: bool,
    /// A second line of it was used.
    confirmed: bool,
    used: u64,
}

/// A line that a store has asked the second level for.
struct Claim {
    line: u64,
    /// When the store left the store queue.
    cycle: u64,
    /// The store writes all bytes of the line.
    whole: bool,
    /// When the line arrives, once that is known.
    arrival: Option<u64>,
}

pub(super) struct Hierarchy {
    caches: Caches,
    data: Sets,
    instruction: Sets,
    outer: Vec<Outer>,
    memory_free: u64,
    /// When each entry of the miss queue is free.
    misses: Vec<u64>,
    streams: Vec<Stream>,
    /// The streams need not be looked at before.
    idle_until: u64,
    clock: u64,
    /// All there ever were, in the order of the stores.
    claims: Vec<Claim>,
    pub(super) l1_misses: u64,
    pub(super) instruction_misses: u64,
}

impl Hierarchy {
    pub(super) fn new(caches: &Caches, miss_queue: usize) -> Hierarchy {
        let outer = |level: &Level| Outer {
            lines: Sets::new(level),
            latency: level.latency,
            interval: level.interval,
            free: 0,
        };
        Hierarchy {
            caches: caches.clone(),
            data: Sets::new(&caches.l1),
            instruction: Sets::new(&caches.instruction),
            outer: caches.outer.iter().map(outer).collect(),
            memory_free: 0,
            misses: vec![0; miss_queue.max(1)],
            streams: Vec::new(),
            idle_until: u64::MAX,
            clock: 0,
            claims: Vec::new(),
            l1_misses: 0,
            instruction_misses: 0,
        }
    }

    fn lines(&self, address: u64, bytes: u64) -> std::ops::RangeInclusive<u64> {
        address / self.caches.line..=(address + bytes - 1) / self.caches.line
    }

    /// Whether a load of that byte finds its line filled no earlier than it is used.
    pub(super) fn fills(&mut self, address: u64) -> bool {
        self.data.lacks_or_prefetched(address / self.caches.line)
    }

    /// Whether the line of that byte has not come when a load at `cycle` would have it.
    pub(super) fn lacks(&mut self, address: u64, cycle: u64) -> bool {
        let (number, hit) = (address / self.caches.line, cycle + self.caches.l1.latency);
        self.data.set(number).iter().all(|line| line.number != number || line.arrival > hit)
    }

    /// Cycles beyond the first level's latency until the last line of a load at `cycle` is there.
    pub(super) fn load(&mut self, address: u64, bytes: u64, cycle: u64) -> u64 {
        self.lines(address, bytes).map(|line| self.line(line, cycle)).max().unwrap_or(0)
    }

    fn line(&mut self, line: u64, cycle: u64) -> u64 {
        let hit = cycle + self.caches.l1.latency;
        self.make_up(cycle);
        if let Some((arrival, first)) = self.data.find(line) {
            if first {
                self.follow(line, cycle);
            }
            return arrival.saturating_sub(hit);
        }
        self.l1_misses += 1;
        let entry = (0..self.misses.len()).min_by_key(|&entry| self.misses[entry]).unwrap();
        let start = cycle.max(self.misses[entry]);
        let arrival = self.from_beyond(line, start);
        self.misses[entry] = arrival;
        self.bring_first(line, arrival, false, start);
        self.follow(line, start);
        arrival.saturating_sub(hit)
    }

    /// Brings a line that was asked for at `cycle` to the first level. One that was written and has to leave takes the path of the
    /// second level behind that.
    fn bring_first(&mut self, line: u64, arrival: u64, prefetched: bool, cycle: u64) {
        let wrote = self.data.bring(line, arrival, prefetched) && self.caches.write_back > 0;
        if let (true, Some(second)) = (wrote, self.outer.first_mut()) {
            second.free = second.free.max(cycle);
            second.free += self.caches.write_back;
        }
    }

    /// When the lines of a store whose address is known at `cycle` are there; 0 if they are. None if one is claimed when the
    /// store has completed, unless it has come by then.
    pub(super) fn store(&mut self, address: u64, bytes: u64, cycle: u64) -> Option<u64> {
        let (mut ready, mut lacks) = (0, false);
        for line in self.lines(address, bytes) {
            if self.caches.write_through {
                if self.caches.claims == 0 {
                    self.store_through(line);
                } else if self.data.find(line).is_none() && self.outer[0].lines.find(line).is_none() {
                    lacks = true;
                }
            } else {
                let extra = self.line(line, cycle);
                self.data.write(line);
                if extra > 0 {
                    ready = ready.max(cycle + self.caches.l1.latency + extra);
                }
            }
        }
        if lacks {
            None
        } else {
            Some(ready)
        }
    }

    /// Whether these are all bytes of a line.
    pub(super) fn is_whole_line(&self, address: u64, bytes: u64) -> bool {
        bytes == self.caches.line && address % bytes == 0
    }

    /// Whether a store has to ask for the line: neither the first nor the second level has it, and no claim for it is to be made.
    fn is_unclaimed(&mut self, line: u64) -> bool {
        let is_asked = self.claims.iter().any(|claim| claim.arrival.is_none() && claim.line == line);
        !is_asked && !self.data.holds(line) && !self.outer[0].lines.holds(line)
    }

    /// When a completed store may claim those of its lines that it has to. Of `memory.store_misses` claims and the next one, the
    /// first has its line before the last is made.
    pub(super) fn claims_from(&mut self, address: u64, bytes: u64) -> u64 {
        let wanted = self.lines(address, bytes).filter(|&line| self.is_unclaimed(line)).count();
        let mut from = 0;
        for before in
            0..(self.claims.len() + wanted).saturating_sub(self.caches.claims).min(self.claims.len())
        {
            if self.claims[before].arrival.is_none() {
                self.make_up(self.claims[before].cycle + 1);
            }
            from = from.max(self.claims[before].arrival.unwrap());
        }
        from
    }

    /// A store leaves the store queue at `cycle`; `whole` if it writes all of its line.
    pub(super) fn claim(&mut self, address: u64, bytes: u64, cycle: u64, whole: bool) {
        for line in self.lines(address, bytes) {
            if self.is_unclaimed(line) {
                self.l1_misses += 1;
                self.claims.push(Claim { line, cycle, whole, arrival: None });
            }
        }
    }

    /// When the line of a claim arrives that is made now.
    fn claimed(&mut self, line: u64, cycle: u64, whole: bool) -> u64 {
        if self.outer[0].lines.find(line).is_some() {
            return cycle;
        }
        if !whole {
            return self.from_beyond(line, cycle);
        }
        let arrival = cycle + self.outer.iter().map(|outer| outer.latency).max().unwrap();
        for outer in &mut self.outer {
            if outer.lines.find(line).is_none() {
                outer.lines.bring(line, arrival, false);
            }
        }
        arrival
    }

    fn store_through(&mut self, line: u64) {
        if self.data.find(line).is_some() {
            return;
        }
        for outer in &mut self.outer {
            if outer.lines.find(line).is_some() {
                return;
            }
            outer.lines.bring(line, 0, false);
        }
    }

    /// Cycles that fetch waits for the line of instructions.
    pub(super) fn fetch(&mut self, address: u64, cycle: u64) -> u64 {
        let line = address / self.caches.instruction_line;
        if let Some((arrival, _)) = self.instruction.find(line) {
            return arrival.saturating_sub(cycle);
        }
        self.instruction_misses += 1;
        self.make_up(cycle);
        let arrival = self.fetch_line(line, cycle);
        for ahead in 1..=self.caches.instruction_ahead {
            if !self.instruction.holds(line + ahead) {
                self.fetch_line(line + ahead, cycle);
            }
        }
        arrival - cycle
    }

    fn fetch_line(&mut self, line: u64, cycle: u64) -> u64 {
        let arrival = self.from_beyond(line * self.caches.instruction_line / self.caches.line, cycle);
        self.instruction.bring(line, arrival, false);
        arrival
    }

    /// When a line that is asked for at `cycle` comes from the first level that has it, or from memory.
    fn from_beyond(&mut self, line: u64, cycle: u64) -> u64 {
        let level = (0..self.outer.len())
            .find_map(|level| self.outer[level].lines.find(line).map(|(arrival, _)| (level, arrival)));
        let (missed, arrival) = match level {
            Some((level, arrival)) => {
                let outer = &mut self.outer[level];
                let start = cycle.max(outer.free);
                outer.free = start + outer.interval;
                (level, arrival.max(start + outer.latency))
            }
            None => {
                let start = cycle.max(self.memory_free);
                self.memory_free = start + self.caches.memory_interval;
                (self.outer.len(), start + self.caches.memory_latency)
            }
        };
        for outer in &mut self.outer[..missed] {
            outer.lines.bring(line, arrival, false);
        }
        arrival
    }

    /// Prefetch streams: one that expected the line goes on, else one is begun in either direction.
    fn follow(&mut self, line: u64, cycle: u64) {
        if self.caches.streams == 0 {
            return;
        }
        self.clock += 1;
        self.streams.sort_by_key(|stream| (stream.confirmed, stream.used, stream.up));
        let Some(index) = self.streams.iter().rposition(|stream| stream.next == line) else {
            for up in [true, false] {
                self.make_room(false, 2 * self.caches.streams);
                let next = step(line, up, 1);
                self.streams.push(Stream {
                    next,
                    ahead: line,
                    goal: line,
                    asked: cycle,
                    up,
                    confirmed: false,
                    used: self.clock,
                });
            }
            return;
        };
        let Stream { mut ahead, up, confirmed, .. } = self.streams.remove(index);
        if !confirmed {
            self.make_room(true, self.caches.streams);
        }
        let (next, goal) = (step(line, up, 1), step(line, up, self.caches.distance));
        if up && ahead < line || !up && ahead > line {
            ahead = line;
        }
        let asked = cycle + self.caches.prefetch_latency;
        self.streams.push(Stream { next, ahead, goal, asked, up, confirmed: true, used: self.clock });
        if asked > cycle {
            self.idle_until = 0;
            return;
        }
        let index = self.streams.len() - 1;
        while let Some(line) = self.wanted(index) {
            // Accesses go before prefetches, which wait for one transfer at most.
            let (free, interval) = self.path(line);
            if free > cycle + interval {
                self.idle_until = 0;
                break;
            }
            self.bring_wanted(index, cycle);
        }
    }

    /// The next line that a stream wants and that is not there; passes over those that are.
    fn wanted(&mut self, index: usize) -> Option<u64> {
        loop {
            let Stream { ahead, goal, up, .. } = self.streams[index];
            let line = step(ahead, up, 1);
            if up && ahead >= goal || !up && ahead <= goal {
                return None;
            }
            if !self.data.holds(line) {
                // The second level keeps a line of its own until the stream is as near as `prefetch.near`.
                let lines_before = line.abs_diff(self.streams[index].next) + 1;
                let kept = lines_before > self.caches.near
                    && self.outer.first_mut().is_some_and(|second| second.lines.holds(line));
                return if kept { None } else { Some(line) };
            }
            self.streams[index].ahead = line;
        }
    }

    fn bring_wanted(&mut self, index: usize, cycle: u64) {
        let stream = &mut self.streams[index];
        let line = step(stream.ahead, stream.up, 1);
        stream.ahead = line;
        let arrival = self.from_beyond(line, cycle);
        self.bring_first(line, arrival, true, cycle);
    }

    /// When the path to the first level that has a line is free, and how long a transfer occupies it.
    fn path(&mut self, line: u64) -> (u64, u64) {
        match self.outer.iter_mut().position(|outer| outer.lines.holds(line)) {
            Some(level) => (self.outer[level].free, self.outer[level].interval),
            None => (self.memory_free, self.caches.memory_interval),
        }
    }

    /// Makes the claims of before `now`, and the prefetches for which the path was busy and that have begun before `now`. Of both,
    /// what begins first goes first, and claims go before prefetches of the same cycle.
    fn make_up(&mut self, now: u64) {
        while let Some(next) = self.claims.iter().position(|claim| claim.arrival.is_none()) {
            let Claim { line, cycle, whole, .. } = self.claims[next];
            if cycle >= now {
                break;
            }
            self.make_up_prefetches(cycle);
            self.claims[next].arrival = Some(self.claimed(line, cycle, whole));
        }
        self.make_up_prefetches(now);
    }

    fn make_up_prefetches(&mut self, now: u64) {
        while self.idle_until < now {
            let mut first = (u64::MAX, 0, 0, false, 0);
            for index in 0..self.streams.len() {
                if let Some(line) = self.wanted(index) {
                    let free = self.path(line).0;
                    let stream = &self.streams[index];
                    let before = line.abs_diff(stream.next);
                    first = first.min((free.max(stream.asked), before, stream.used, stream.up, index));
                }
            }
            self.idle_until = first.0;
            if first.0 < now {
                self.bring_wanted(first.4, first.0);
            }
        }
    }

    /// Drops the oldest of the streams that are, or are not, confirmed, until there are fewer than `max`.
    fn make_room(&mut self, confirmed: bool, max: usize) {
        let of_kind = |stream: &Stream| stream.confirmed == confirmed;
        while self.streams.iter().filter(|stream| of_kind(stream)).count() >= max {
            let oldest = self.streams.iter().position(of_kind).expect("there are some");
            self.streams.remove(oldest);
        }
    }
}

fn step(line: u64, up: bool, by: u64) -> u64 {
    if up {
        line.wrapping_add(by)
    } else {
        line.wrapping_sub(by)
    }
}
