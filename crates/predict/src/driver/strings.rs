// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Repeated string instructions of x86. An emulator executes them element by element, and so they are recorded: a loop of one
//! instruction, 8192 turns for as many bytes. A core moves as many bytes at once as its path to the cache is wide
//! (`memory.string_bytes`), so elements next to each other are put together again.

use crate::source::Access;

/// A recorded turn and how its accesses move from turn to turn.
pub(super) struct Strings<'a> {
    accesses: &'a [Access],
    steps: &'a [i64],
    /// Of the element.
    element: u64,
    /// Elements moved at once.
    pub(super) at_once: u64,
}

impl<'a> Strings<'a> {
    /// `None` if elements are not next to each other, or not moved several at once.
    pub(super) fn of(accesses: &'a [Access], steps: &'a [i64], bytes: u64) -> Option<Strings<'a>> {
        let element = u64::from(accesses.first()?.bytes);
        let adjoins = |(access, step): (&Access, &i64)| {
            access.known && u64::from(access.bytes) == element && step.unsigned_abs() == element
        };
        let adjoin = accesses.len() == steps.len() && accesses.iter().zip(steps).all(adjoins);
        let at_once = bytes.checked_div(element)?;
        (adjoin && at_once > 1).then_some(Strings { accesses, steps, element, at_once })
    }

    /// Elements from that turn on up to where pieces of so many begin: of what is written, or of what is read if nothing is.
    pub(super) fn before_pieces(&self, turn: u64) -> u64 {
        let leading = self.accesses.iter().position(|access| access.store).unwrap_or(0);
        let (access, step) = (&self.accesses[leading], self.steps[leading]);
        let piece = self.at_once * self.element;
        let first = access.address.wrapping_add_signed(step.wrapping_mul(turn as i64));
        let before = if step > 0 { first.wrapping_neg() } else { first.wrapping_add(self.element) };
        before % piece / self.element
    }

    /// The accesses to so many elements from that turn on, put together.
    pub(super) fn gathered(&self, turn: u64, elements: u64) -> Vec<Access> {
        let whole = |(access, step): (&Access, &i64)| {
            let lowest = if *step > 0 { turn } else { turn + elements - 1 };
            let moved = step.wrapping_mul(lowest as i64);
            let bytes = (self.element * elements) as u16;
            Access { address: access.address.wrapping_add_signed(moved), bytes, ..*access }
        };
        self.accesses.iter().zip(self.steps).map(whole).collect()
    }

    /// How the accesses to pieces move.
    pub(super) fn steps(&self) -> Vec<i64> {
        self.steps.iter().map(|step| step * self.at_once as i64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(store: bool, address: u64) -> Access {
        Access { instruction: 0, bytes: 2, store, known: true, address }
    }

    #[test]
    fn elements_are_put_together_in_pieces_of_what_is_written() {
        let turn = [access(false, 1000), access(true, 2004)];
        let strings = Strings::of(&turn, &[2, 2], 32).unwrap();
        assert_eq!((strings.at_once, strings.steps()), (16, vec![32, 32]));
        assert_eq!(strings.before_pieces(1), 5, "2006 to 2016");
        let of = |accesses: Vec<Access>| -> Vec<(u64, u16)> {
            accesses.iter().map(|access| (access.address, access.bytes)).collect()
        };
        assert_eq!(of(strings.gathered(1, 5)), [(1002, 10), (2006, 10)]);
        assert_eq!(of(strings.gathered(6, 16)), [(1012, 32), (2016, 32)]);
    }

    #[test]
    fn so_are_those_that_go_down() {
        let turn = [access(true, 2004)];
        let strings = Strings::of(&turn, &[-2], 32).unwrap();
        assert_eq!(strings.before_pieces(1), 10, "2002 to 1984");
        assert_eq!(strings.gathered(1, 10), [Access { bytes: 20, ..access(true, 1984) }]);
    }

    #[test]
    fn what_is_apart_stays_so() {
        let turn = [access(true, 2004)];
        assert!(Strings::of(&turn, &[4], 32).is_none());
        assert!(Strings::of(&turn, &[2], 2).is_none());
        assert!(Strings::of(&[], &[], 32).is_none());
    }
}
