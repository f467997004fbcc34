// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Measures the cost of `Clock::now` and, for comparison, of std's clocks, which use the kernel's vDSO. Batches of each
//! alternate, and the fastest of each counts.

use std::hint::black_box;
use std::time::{Duration, Instant, SystemTime};
use vdso_clock::{Clock, ClockId, Discipline, Error, Page};

const BATCH: u32 = 10_000;

/// Nanoseconds per call in one batch.
fn batch(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..BATCH).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / f64::from(BATCH)
}

fn main() -> Result<(), Error> {
    let page = Page::anonymous()?;
    let mut discipline = Discipline::start(&page)?;
    discipline.set_reference(Some(Duration::ZERO), 0);
    let clock = Clock::of_page(&page)?;
    let mut best = [f64::INFINITY; 5];
    for _ in 0..200 {
        discipline.update(Duration::from_millis(10));
        let times = [
            batch(|| _ = black_box(clock.now(ClockId::Monotonic))),
            batch(|| _ = black_box(clock.now(ClockId::MonotonicCoarse))),
            batch(|| _ = black_box(clock.now_with_bounds())),
            batch(|| _ = black_box(Instant::now())),
            batch(|| _ = black_box(SystemTime::now())),
        ];
        for (best, time) in best.iter_mut().zip(times) {
            *best = best.min(time);
        }
    }
    let names = [
        "Clock::now, monotonic",
        "Clock::now, coarse",
        "Clock::now_with_bounds",
        "Instant::now",
        "SystemTime::now",
    ];
    for (name, time) in names.iter().zip(best) {
        println!("{name:<24} {time:5.1} ns");
    }
    Ok(())
}
