// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prefetch streams: which lines in a row are used, and how far ahead of them lines are asked for.
//!
//! The first use of a line that missed, or that a prefetch brought, begins two, one in each direction; the use of the line that
//! one of them expects makes a stream of it. There are so many at most, and the one that was used longest ago gives way.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

#[derive(Clone, Copy)]
pub(super) struct Stream {
    /// Line expected next.
    pub(super) next: u64,
    /// Line up to which it has been prefetched.
    pub(super) ahead: u64,
    /// Line up to which it is to be prefetched, and since when.
    pub(super) goal: u64,
    pub(super) asked: u64,
    pub(super) step: i64,
    /// When a line of it was used last.
    used: u64,
}

impl Stream {
    /// The order of last use; the two of one miss are told apart by their direction.
    pub(super) fn age(&self) -> (u64, i64) {
        (self.used, self.step)
    }

    /// `line` was used at that cycle: it is to run `distance` lines ahead of it from `asked` on.
    pub(super) fn run_ahead(&mut self, line: u64, distance: u64, asked: u64) {
        self.goal = line.wrapping_add_signed(self.step * distance as i64);
        self.next = line.wrapping_add_signed(self.step);
        self.ahead = if self.step > 0 { self.ahead.max(line) } else { self.ahead.min(line) };
        self.asked = asked;
    }

    /// Whether it has been prefetched up to its goal.
    pub(super) fn is_done(&self) -> bool {
        if self.step > 0 {
            self.ahead >= self.goal
        } else {
            self.ahead <= self.goal
        }
    }
}

/// The streams of which a second line was used, which are prefetched.
pub(super) struct Streams {
    running: Vec<Stream>,
    most: usize,
    /// What may become a stream: either direction from each of the last misses, as many as there are streams, oldest first.
    begun: VecDeque<Stream>,
    clock: u64,
}

impl Streams {
    /// So many at most; 0: nothing is prefetched.
    pub(super) fn new(most: usize) -> Streams {
        Streams { running: Vec::new(), most, begun: VecDeque::new(), clock: 0 }
    }

    /// A line that missed, or that a prefetch brought, is used at `cycle`: the stream that expected it, if one did.
    pub(super) fn follow(&mut self, line: u64, cycle: u64) -> Option<usize> {
        if self.most == 0 {
            return None;
        }
        self.clock += 1;
        let followed = self.expecting(line).or_else(|| {
            let latest = self.begun.iter().rposition(|stream| stream.next == line)?;
            let stream = self.begun.remove(latest)?;
            Some(self.put(stream))
        });
        match followed {
            Some(index) => self.running[index].used = self.clock,
            None => self.begin(line, cycle),
        }
        followed
    }

    fn begin(&mut self, line: u64, cycle: u64) {
        for step in [-1, 1] {
            if self.begun.len() == 2 * self.most {
                self.begun.pop_front();
            }
            let next = line.wrapping_add_signed(step);
            let stream = Stream { next, ahead: line, goal: line, asked: cycle, step, used: self.clock };
            self.begun.push_back(stream);
        }
    }

    /// The place of the stream, of several the latest, that expects this line next.
    fn expecting(&self, line: u64) -> Option<usize> {
        let expect = self.indices().filter(|&index| self.running[index].next == line);
        expect.max_by_key(|&index| self.running[index].age())
    }

    /// Adds a stream, in the place of the least recently used one if there is no other; returns its place.
    fn put(&mut self, stream: Stream) -> usize {
        let oldest = self.indices().min_by_key(|&index| self.running[index].age());
        match oldest {
            Some(oldest) if self.running.len() == self.most => {
                self.running[oldest] = stream;
                oldest
            }
            _ => {
                self.running.push(stream);
                self.running.len() - 1
            }
        }
    }

    pub(super) fn indices(&self) -> std::ops::Range<usize> {
        0..self.running.len()
    }
}

impl Index<usize> for Streams {
    type Output = Stream;

    fn index(&self, index: usize) -> &Stream {
        &self.running[index]
    }
}

impl IndexMut<usize> for Streams {
    fn index_mut(&mut self, index: usize) -> &mut Stream {
        &mut self.running[index]
    }
}
