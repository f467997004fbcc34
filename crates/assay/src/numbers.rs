// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whole numbers on the command line, refused with what they may be.

use std::ops::{Bound, RangeBounds};

/// Takes whole numbers of this range. (clap's own parser of a range says of `-1` and of `x` that a digit is invalid.)
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| allowed(&range))
    }
}

fn allowed(range: &impl RangeBounds<u64>) -> String {
    let lowest = match range.start_bound() {
        Bound::Included(lowest) => *lowest,
        Bound::Excluded(below) => *below + 1,
        Bound::Unbounded => 0,
    };
    match range.end_bound() {
        Bound::Included(highest) => format!("it is a whole number from {lowest} to {highest}"),
        Bound::Excluded(above) => format!("it is a whole number from {lowest} to {}", above - 1),
        Bound::Unbounded => format!("it is a whole number from {lowest} on"),
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn what_is_no_number_of_the_range_is_told_the_range() {
        let (some, all) = (whole::<u64>(2..=7), whole::<u32>(0..));
        assert_eq!((some("2"), some("7"), all("0")), (Ok(2), Ok(7), Ok(0)));
        for text in ["1", "8", "-1", "x", "", "99999999999999999999"] {
            assert_eq!(some(text), Err("it is a whole number from 2 to 7".to_owned()), "{text}");
        }
        assert_eq!(all("4294967296"), Err("it is a whole number from 0 on".to_owned()));
    }
}
