// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Exact counts for each execution of a region, without walking through every iteration of a loop.

use std::collections::HashMap;

use crate::error::Error;
use crate::event::{Counts, Event, Leave, Repetition};
use crate::reader::Reader;

/// Executions of a region with the same counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryCounts {
    /// Number of the region.
    pub region: u8,
    /// How it was left.
    pub how: Leave,
    /// Whether it was inside another region, whose counts include these.
    pub nested: bool,
    /// The counts of one execution.
    pub counts: Counts,
    /// The number of such executions.
    pub entries: u64,
}

/// Counts the rest of the trace: the distinct executions of its regions, in order of first appearance, without the code of
/// interrupts inside them. The running time depends on the number of records, not on how often they repeat.
pub fn count(reader: &mut Reader) -> Result<Vec<EntryCounts>, Error> {
    let mut counter = Counter::default();
    loop {
        while let Some((repetition, iterations)) = counter.leap(reader)? {
            reader.skip_in(&repetition, iterations)?;
        }
        let instructions_before = reader.instructions();
        match reader.next()? {
            None => return Ok(counter.entries),
            Some(Event::EnterRegion { region }) => {
                counter.enter(region);
                counter.interrupted = false;
            }
            Some(Event::Interrupt) => counter.interrupted = true,
            Some(Event::InterruptOver) => counter.interrupted = false,
            Some(Event::LeaveRegion { how }) => counter.leave(how),
            Some(Event::Block { accesses, .. }) => {
                let mut counts = Counts { blocks: 1, ..Counts::default() };
                accesses.iter().for_each(|access| counts.count(access));
                counts.instructions = reader.instructions().wrapping_sub(instructions_before);
                counter.add(&counts, 1);
            }
        }
    }
}

/// A region that was entered and not yet left.
#[derive(Clone, Copy)]
struct Inside {
    /// Unique number of this entry.
    number: u64,
    region: u8,
    counts: Counts,
}

#[derive(Default)]
struct Counter {
    /// The open regions, outermost first.
    inside: Vec<Inside>,
    entered: u64,
    interrupted: bool,
    entries: Vec<EntryCounts>,
    places: HashMap<(u8, Leave, bool, Counts), usize>,
    /// For each loop that enters or leaves regions, by id: the state at the start of its previous iteration.
    snapshots: HashMap<u64, Snapshot>,
}

struct Snapshot {
    inside: Vec<Inside>,
    interrupted: bool,
    entries: Vec<u64>,
}

impl Snapshot {
    /// What the iteration since this snapshot added to each open region, if the next one starts in the same state.
    fn added(&self, inside: &[Inside]) -> Option<Vec<Counts>> {
        let pairs = self.inside.iter().zip(inside);
        let added = pairs.map(|(before, now)| {
            let added = now.counts.since(&before.counts);
            // If each iteration enters the region anew, its counts have to be the same at the start of each.
            let alike =
                before.region == now.region && (before.number == now.number || added == Counts::default());
            alike.then_some(added)
        });
        (self.inside.len() == inside.len()).then(|| added.collect()).flatten()
    }
}

impl Counter {
    fn add(&mut self, counts: &Counts, times: u64) {
        if !self.interrupted {
            self.inside.iter_mut().for_each(|inside| inside.counts.add(counts, times));
        }
    }

    fn enter(&mut self, region: u8) {
        self.entered += 1;
        // The tracer never enters an open region again; in another writer's trace, the open entry is dropped.
        if let Some(again) = self.inside.iter().position(|inside| inside.region == region) {
            self.inside.truncate(again);
        }
        self.inside.push(Inside { number: self.entered, region, counts: Counts::default() });
    }

    fn leave(&mut self, how: Leave) {
        let Some(Inside { region, counts, .. }) = self.inside.pop() else { return };
        let nested = !self.inside.is_empty();
        let place = *self.places.entry((region, how, nested, counts)).or_insert_with(|| {
            self.entries.push(EntryCounts { region, how, nested, counts, entries: 0 });
            self.entries.len() - 1
        });
        self.entries[place].entries = self.entries[place].entries.saturating_add(1);
    }

    /// Finds the outermost repetition whose next iterations can be counted without walking through them, counts them, and
    /// returns it with their number.
    fn leap(&mut self, reader: &mut Reader) -> Result<Option<(Repetition, u64)>, Error> {
        for repetition in reader.repetitions()? {
            if repetition.region_events_per_iteration == 0 {
                self.add(&repetition.counts_per_iteration, repetition.remaining);
                return Ok(Some((*repetition, repetition.remaining)));
            }
            let entries: Vec<u64> = self.entries.iter().map(|e| e.entries).collect();
            if let Some(before) = self.snapshots.get(&repetition.id) {
                let alike = before.interrupted == self.interrupted && before.entries.len() == entries.len();
                let added = before.added(&self.inside).filter(|_| alike && repetition.remaining > 1);
                if let Some(added) = added {
                    // This iteration starts in the same state as the previous one, so each adds what that one added. The
                    // last one is left, to be walked through.
                    let times = repetition.remaining - 1;
                    for (entry, before) in self.entries.iter_mut().zip(&before.entries) {
                        let more = (entry.entries - before).saturating_mul(times);
                        entry.entries = entry.entries.saturating_add(more);
                    }
                    for (inside, added) in self.inside.iter_mut().zip(&added) {
                        inside.counts.add(added, times);
                    }
                    self.snapshots.remove(&repetition.id);
                    return Ok(Some((*repetition, times)));
                }
            }
            if repetition.remaining > 1 {
                let snapshot =
                    Snapshot { inside: self.inside.clone(), interrupted: self.interrupted, entries };
                self.snapshots.insert(repetition.id, snapshot);
            } else {
                self.snapshots.remove(&repetition.id);
            }
        }
        Ok(None)
    }
}
