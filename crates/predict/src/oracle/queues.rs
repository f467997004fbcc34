// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The oracle's issue queues: every operation that ever waited in one, with the cycle in which it left.

use crate::description::Description;
use std::collections::BTreeMap;

/// A queue and its half, 0 if it has none.
pub(super) type Queue = (usize, usize);

/// Where loads wait that are not issued.
pub(super) const WAITING_LOADS: Queue = (usize::MAX, 0);

pub(super) struct Queues {
    /// Entries of each queue, or of each half of it.
    entries: Vec<usize>,
    /// Cycles from issue until an entry of each is free.
    held_for: Vec<u64>,
    /// When its entries are freed.
    releases: BTreeMap<Queue, Vec<u64>>,
}

impl Queues {
    pub(super) fn new(description: &Description) -> Queues {
        let entries = description.queues.iter().enumerate().map(|(queue, (_, entries))| {
            let entries = usize::from(*entries);
            if description.is_in_halves(queue as u8) {
                entries.div_ceil(2)
            } else {
                entries
            }
        });
        Queues {
            entries: entries.collect(),
            held_for: description.queues_held.clone(),
            releases: BTreeMap::new(),
        }
    }

    /// How many entries are held at `cycle`.
    pub(super) fn held(&self, queue: Queue, cycle: u64) -> usize {
        let releases = self.releases.get(&queue).map_or(&[][..], |releases| releases);
        releases.iter().filter(|&&release| release > cycle).count()
    }

    /// Whether all of them have an entry free at `cycle`.
    pub(super) fn have_room(&self, queues: &[Queue], cycle: u64) -> bool {
        queues.iter().all(|&queue| self.held(queue, cycle) < self.entries[queue.0])
    }

    /// The same where each time that one is named is an entry more; a queue that is empty takes any number.
    pub(super) fn have_room_for_each(&self, queues: &[Queue], cycle: u64) -> bool {
        let wanted = |queue| queues.iter().filter(|&&other| other == queue).count();
        queues.iter().all(|&queue| {
            let held = self.held(queue, cycle);
            held == 0 || held + wanted(queue) <= self.entries[queue.0]
        })
    }

    /// Whether the queue, which has no halves, has room for so many at `cycle`, or is empty.
    pub(super) fn has_room_for(&self, many: u32, queue: u8, cycle: u64) -> bool {
        let queue = usize::from(queue);
        let held = self.held((queue, 0), cycle);
        held == 0 || held + many as usize <= self.entries[queue]
    }

    /// An operation held an entry until `release`, or as long longer as its queue's are.
    pub(super) fn add(&mut self, queue: Queue, release: u64) {
        let release = release + self.held_for.get(queue.0).copied().unwrap_or(0);
        self.releases.entry(queue).or_default().push(release);
    }
}
