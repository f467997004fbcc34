// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Memory of zeros that the system supplies when it is first touched. `vec![0; n]` does so too, but ends the process where there
//! is no memory.

use std::alloc::{alloc_zeroed, Layout};

/// A number whose bytes may all be 0.
pub(crate) trait Number: Copy {}
impl Number for u8 {}
impl Number for u64 {}

/// `None` if the system does not give the memory.
pub(crate) fn zeros<T: Number>(count: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(count).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout has a size; it is that of a vector of this length, whose zeros are numbers.
    unsafe {
        let start = alloc_zeroed(layout).cast::<T>();
        (!start.is_null()).then(|| Vec::from_raw_parts(start, count, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_does_not_have_is_refused() {
        assert_eq!(zeros::<u64>(3), Some(vec![0; 3]));
        assert_eq!(zeros::<u8>(0), Some(Vec::new()));
        assert_eq!((zeros::<u8>(1 << 56), zeros::<u64>(usize::MAX)), (None, None));
    }
}
