// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Exact numbers for each entry of a region, without walking through loops.

use std::collections::HashMap;

use crate::error::Error;
use crate::event::{Counts, Event, Leave, Repetition};
use crate::reader::Reader;

/// Executions of a region that do not differ in anything counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryCounts {
    /// Number of the region.
    pub region: u8,
    /// How it was left.
    pub how: Leave,
    /// What one execution counts.
    pub counts: Counts,
    /// How many there were.
    pub entries: u64,
}

/// Counts what is left of the trace: the distinct executions of its regions, in order of first appearance, without what
/// interrupts executed inside them. Time is that of the records, not of what they repeat.
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
                counter.inside = Some((region, Counts::default()));
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

#[derive(Default)]
struct Counter {
    inside: Option<(u8, Counts)>,
    interrupted: bool,
    entries: Vec<EntryCounts>,
    places: HashMap<(u8, Leave, Counts), usize>,
    /// Of each loop around a region's ends: how things stood at the start of its last iteration.
    snapshots: HashMap<u64, Snapshot>,
}

struct Snapshot {
    inside: Option<(u8, Counts)>,
    interrupted: bool,
    entries: Vec<u64>,
}

impl Counter {
    fn add(&mut self, counts: &Counts, times: u64) {
        if let Some((_, sum)) = self.inside.as_mut().filter(|_| !self.interrupted) {
            sum.add(counts, times);
        }
    }

    fn leave(&mut self, how: Leave) {
        let Some((region, counts)) = self.inside.take() else { return };
        let place = *self.places.entry((region, how, counts)).or_insert_with(|| {
            self.entries.push(EntryCounts { region, how, counts, entries: 0 });
            self.entries.len() - 1
        });
        self.entries[place].entries = self.entries[place].entries.saturating_add(1);
    }

    /// The outermost repetition whose iterations to come can be counted without looking at them, once counted.
    fn leap(&mut self, reader: &mut Reader) -> Result<Option<(Repetition, u64)>, Error> {
        for repetition in reader.repetitions()? {
            if repetition.region_events_per_iteration == 0 {
                self.add(&repetition.counts_per_iteration, repetition.remaining);
                return Ok(Some((*repetition, repetition.remaining)));
            }
            let entries: Vec<u64> = self.entries.iter().map(|e| e.entries).collect();
            if let Some(before) = self.snapshots.get(&repetition.id) {
                if before.inside == self.inside
                    && before.interrupted == self.interrupted
                    && before.entries.len() == entries.len()
                    && repetition.remaining > 1
                {
                    // This iteration began as the last one did, so all others end as that did; the last is left over,
                    // to be walked through.
                    for (entry, before) in self.entries.iter_mut().zip(&before.entries) {
                        let more = (entry.entries - before).saturating_mul(repetition.remaining - 1);
                        entry.entries = entry.entries.saturating_add(more);
                    }
                    self.snapshots.remove(&repetition.id);
                    return Ok(Some((*repetition, repetition.remaining - 1)));
                }
            }
            if repetition.remaining > 1 {
                let snapshot = Snapshot { inside: self.inside, interrupted: self.interrupted, entries };
                self.snapshots.insert(repetition.id, snapshot);
            } else {
                self.snapshots.remove(&repetition.id);
            }
        }
        Ok(None)
    }
}
