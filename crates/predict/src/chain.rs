// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The chain of results that runs from iteration to iteration of a loop, through registers and through memory.
//!
//! From the result that comes last it goes back: each instruction waited for one other, the one that wrote the register, or
//! stored the bytes, that came last. Where an instruction waited for nothing of the kind, the chain begins; if that is within a
//! few iterations, none is carried from each to the next.

use crate::core::Event;
use crate::timeline::Timeline;
use decode::Role;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A chain that goes back through more than this many iterations counts as carried from each to the next.
const CARRIED: usize = 3;
/// If more of a chain's cycles are waits for pipes, the pipes bound the loop: results happen to come when these let them.
const PIPES_MAX_PERCENT: f64 = 50.0;
/// Cycles that a way of their own can take results to another half, or to a store, or spare them.
const BYPASS_MAX: u64 = 3;

/// A chain carried from iteration to iteration.
pub(crate) struct Chain {
    /// The places in the loop that are on it in most iterations.
    pub(crate) places: BTreeSet<usize>,
    /// Of its cycles, those for which one of its instructions waits for a pipe, in percent.
    pub(crate) pipes_percent: f64,
}

impl Chain {
    /// Of a loop whose iterations of `period` events each begin at `first`, `runs` of them.
    pub(crate) fn of(timeline: &Timeline, first: usize, period: usize, runs: usize) -> Option<Chain> {
        let events = &timeline.events[..first + runs * period];
        let written = Written::before_each(timeline, events);
        let last_turn = events.len() - period..events.len();
        let mut at = last_turn.max_by_key(|index| events[*index].finish)?;
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut turns = BTreeSet::new();
        let mut for_pipes = 0;
        let end = events[at].finish;
        let mut begin = end;
        while at >= first {
            *places.entry((at - first) % period).or_default() += 1;
            turns.insert((at - first) / period);
            for_pipes += events[at].issue.saturating_sub(events[at].ready);
            begin = begin.min(events[at].ready);
            match waited_for(events, &written[at], at) {
                Some(index) => at = index,
                None => break,
            }
        }
        let pipes_percent = 100.0 * for_pipes as f64 / (end - begin).max(1) as f64;
        if turns.len() <= CARRIED || pipes_percent > PIPES_MAX_PERCENT {
            return None;
        }
        // Instructions that only depend on the chain's end are not in every iteration's part of it.
        let often = places.into_iter().filter(|(_, times)| 2 * times > turns.len());
        let places: BTreeSet<usize> = often.map(|(place, _)| place).collect();
        (!places.is_empty()).then_some(Chain { places, pipes_percent })
    }
}

/// The events that wrote what an event reads, and when that was there.
struct Written(Vec<(usize, u64)>);

impl Written {
    fn before_each(timeline: &Timeline, events: &[Event]) -> Vec<Written> {
        let mut last: HashMap<u16, (usize, u64)> = HashMap::new();
        let mut all = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let Some(registers) = timeline.registers.get(event.op as usize) else {
                all.push(Written(Vec::new()));
                continue;
            };
            all.push(Written(registers.reads.iter().filter_map(|read| last.get(read).copied()).collect()));
            for (register, role) in &registers.writes {
                // A pointer that a load moves on is there long before what it loads.
                let there = if *role == Role::BaseUpdate { event.issue + 1 } else { event.finish };
                last.insert(*register, (index, there));
            }
        }
        all
    }
}

/// What an instruction waited for: for a load that had to wait for a store's bytes, that store, or what the store's completion
/// waited for; else the source that came when the instruction was ready, or about then.
fn waited_for(events: &[Event], written: &Written, at: usize) -> Option<usize> {
    let event = &events[at];
    if event.loaded_from > 0 {
        // One instruction may have made several stores; their numbers rise.
        let stores = (0..at).rev().filter(|index| events[*index].stored > 0);
        let store = stores.take_while(|index| events[*index].stored >= event.loaded_from).last()?;
        // Bytes that cannot be forwarded are there when the store has completed, behind all that is older.
        let is_forwarded = event.finish <= events[store].complete;
        return if is_forwarded {
            Some(store)
        } else {
            (0..=store).max_by_key(|index| events[*index].finish)
        };
    }
    if event.ready <= event.start {
        return None;
    }
    let near = written.0.iter().filter(|(_, there)| there.abs_diff(event.ready) <= BYPASS_MAX);
    near.min_by_key(|(index, there)| (there.abs_diff(event.ready), usize::MAX - index))
        .map(|(index, _)| *index)
}
