// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Lines that stores ask for where the first level writes through: a store that has completed and whose line the second level
//! does not hold claims it. So many claims are in flight at most, in the order of the stores; later stores to a line that is
//! claimed are gathered with the first.
//!
//! A claim takes its turn on the path to the line when its store leaves the store queue. Younger loads may have taken theirs
//! long before, and are simulated later. So a claim waits here until an access of a later cycle comes, or until a younger one
//! needs its place.

use super::planted::{planted, Fault};
use std::collections::VecDeque;

/// A line that a store asks for.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    pub(super) line: u64,
    /// When the store leaves the store queue.
    pub(super) cycle: u64,
    /// All bytes of the line are written at once, so it need not be read.
    pub(super) whole: bool,
}

/// The claims in flight.
pub(super) struct Claims {
    max: usize,
    /// Those that have not taken their turn.
    waiting: VecDeque<Claim>,
    /// When the lines arrive of those before them.
    arrivals: VecDeque<u64>,
}

impl Claims {
    /// So many at most; 0: stores ask for no line.
    pub(super) fn new(max: usize) -> Claims {
        Claims { max, waiting: VecDeque::new(), arrivals: VecDeque::new() }
    }

    pub(super) fn is_on(&self) -> bool {
        self.max > 0
    }

    /// The next that takes its turn.
    pub(super) fn next(&self) -> Option<Claim> {
        self.waiting.front().copied()
    }

    /// Whether one for that line waits, with which a store is gathered.
    pub(super) fn gathers(&self, line: u64) -> bool {
        self.waiting.iter().rev().any(|claim| claim.line == line) && !planted(Fault::ClaimedApart)
    }

    /// Whether so many more have no place.
    pub(super) fn is_full(&self, more: usize) -> bool {
        self.waiting.len() + self.arrivals.len() + more > self.max && !planted(Fault::ClaimsUnbounded)
    }

    /// Takes away the oldest one, if it is known when its line arrives; says when.
    pub(super) fn leave(&mut self) -> Option<u64> {
        self.arrivals.pop_front()
    }

    pub(super) fn add(&mut self, claim: Claim) {
        self.waiting.push_back(claim);
    }

    /// The next one has taken its turn; its line arrives then.
    pub(super) fn taken(&mut self, arrival: u64) {
        self.waiting.pop_front();
        self.arrivals.push_back(arrival);
    }
}
