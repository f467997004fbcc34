// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where the cycles of a program go, instruction by instruction.
//!
//! Results come in any order but count in program order: an instruction is charged with the cycles by which its end is later
//! than all ends before it. So the charges add up to the run, work that overlaps with something slower costs nothing, and a
//! wait is charged to the instruction that waits, as when a real core's completion is sampled.

use crate::cause::Cause;
use crate::core::Event;
use crate::skipped::Skipped;
use crate::timeline::Timeline;

/// What one static instruction took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its address in the trace.
    pub address: u64,
    /// Its text.
    pub text: String,
    /// How often it was executed.
    pub executions: u64,
    /// How often of these it was simulated; the rest was skipped in steady state.
    pub simulated: u64,
    /// The cycles it is charged with.
    pub cycles: u64,
    /// These by what it waited for most each time, in the order of `Cause::ALL`.
    pub causes: [u64; Cause::COUNT],
}

impl Place {
    /// The cause of most of its cycles.
    pub fn cause(&self) -> Option<Cause> {
        let most = self.causes.iter().enumerate().max_by_key(|(_, cycles)| **cycles)?;
        (*most.1 > 0).then(|| Cause::ALL[most.0])
    }

    /// Adds another's executions and cycles.
    pub fn add(&mut self, other: &Place) {
        self.executions += other.executions;
        self.simulated += other.simulated;
        self.cycles += other.cycles;
        for (sum, part) in self.causes.iter_mut().zip(other.causes) {
            *sum += part;
        }
    }
}

/// Charges events as they come.
#[derive(Default)]
pub(crate) struct Profile {
    /// By the number of the instruction in the plan.
    pub places: Vec<Place>,
    end: u64,
}

/// The charges of a loop's instructions at some moment.
pub(crate) type Before = Vec<(usize, Place)>;

impl Profile {
    /// Another instruction of the plan.
    pub fn define(&mut self, address: u64, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.places.push(Place { address, text, ..Place::default() });
    }

    /// Charges what was executed.
    pub fn charge(&mut self, events: &[Event]) {
        for event in events {
            let end = Timeline::end_of(event);
            let place = &mut self.places[event.op as usize];
            place.executions += 1;
            place.simulated += 1;
            if end > self.end {
                let cycles = end - self.end;
                place.cycles += cycles;
                place.causes[event.cause as usize] += cycles;
                self.end = end;
            }
        }
    }

    /// The charges of these instructions now.
    pub fn before(&self, ops: impl Iterator<Item = usize>) -> Before {
        let numbers = |place: &Place| Place { text: String::new(), ..place.clone() };
        ops.map(|op| (op, numbers(&self.places[op]))).collect()
    }

    /// Adds what is charged in windows of a loop that are skipped and like those since then.
    pub fn repeat_since(&mut self, before: &Before, skipped: Skipped) {
        for (op, before) in before {
            let place = &mut self.places[*op];
            place.executions += skipped.of(place.executions - before.executions);
            place.cycles += skipped.of(place.cycles - before.cycles);
            for (now, before) in place.causes.iter_mut().zip(before.causes) {
                *now += skipped.of(*now - before);
            }
        }
    }
}
