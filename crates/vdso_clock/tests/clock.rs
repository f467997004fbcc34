// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compares the crate's clocks with the system's, and checks that pages that are not clock pages are refused.

use std::time::Duration;
use vdso_clock::{Clock, ClockId, Discipline, Error, Page, Time};

fn system(id: ClockId) -> Time {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock that every Linux has.
    unsafe { libc::clock_gettime(id as i32, &mut now) };
    Time { seconds: now.tv_sec, nanoseconds: u32::try_from(now.tv_nsec).unwrap() }
}

fn open(file: &std::path::Path) -> Result<Page, Error> {
    // SAFETY: files of these tests, which nobody cuts while they are mapped.
    unsafe { Page::open(file) }
}

fn nanoseconds(time: Time) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds)
}

#[test]
fn every_clock_is_the_systems() {
    let page = Page::anonymous().unwrap();
    let mut discipline = Discipline::start(&page).unwrap();
    let clock = Clock::of_page(&page).unwrap();
    let ids = [ClockId::Realtime, ClockId::Monotonic, ClockId::MonotonicRaw, ClockId::Boottime, ClockId::Tai];
    for id in ids {
        discipline.update(Duration::from_millis(10));
        let before = system(id);
        let here = match clock.now(id) {
            Ok(time) => time,
            Err(Error::NoAnswer) => {
                println!("skipped: this processor has no counter that can be trusted");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let after = system(id);
        // The calls are about a microsecond apart, but the test may be preempted: a millisecond still shows a wrong clock.
        assert!(nanoseconds(here) > nanoseconds(before) - 1_000_000, "{id:?}: {here:?} before {before:?}");
        assert!(nanoseconds(here) < nanoseconds(after) + 1_000_000, "{id:?}: {here:?} after {after:?}");
    }
}

#[test]
fn monotonic_does_not_go_back_while_the_page_is_written() {
    let page = Page::anonymous().unwrap();
    let mut discipline = Discipline::start(&page).unwrap();
    let clock = Clock::of_page(&page).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut last = Time::default();
            for _ in 0..200_000 {
                let Ok(now) = clock.now(ClockId::Monotonic) else { continue };
                assert!(now >= last, "{now:?} after {last:?}");
                last = now;
            }
        });
        while !reader.is_finished() {
            discipline.update(Duration::from_millis(1));
        }
        reader.join().unwrap();
    });
}

#[test]
fn a_page_has_one_writer_at_a_time() {
    let page = Page::anonymous().unwrap();
    let first = Discipline::start(&page).unwrap();
    assert!(matches!(Discipline::start(&page), Err(Error::HasWriter)));
    let clock = Clock::of_page(&page).unwrap();
    drop(first);
    assert!(matches!(clock.now(ClockId::Monotonic), Err(Error::NoAnswer)), "a page without a writer goes on");
    assert!(clock.now(ClockId::MonotonicCoarse).is_ok());
    Discipline::start(&page).unwrap();
}

#[test]
fn bounds_enclose_what_the_kernel_may_be_off() {
    let page = Page::anonymous().unwrap();
    let mut discipline = Discipline::start(&page).unwrap();
    let mut clock = Clock::of_page(&page).unwrap();
    for reference in [None, Some(Duration::from_millis(5)), None] {
        discipline.set_reference(reference, 0);
        discipline.update(Duration::from_millis(10));
        match clock.now_with_bounds() {
            Ok(bounds) => {
                let error =
                    i128::try_from(reference.expect("bounds without a reference").as_nanos()).unwrap();
                assert!(nanoseconds(bounds.now) - nanoseconds(bounds.earliest) > error, "{bounds:?}");
                assert!(nanoseconds(bounds.latest) - nanoseconds(bounds.now) > error, "{bounds:?}");
            }
            Err(Error::NoBound) => assert!(reference.is_none()),
            Err(error) => assert!(matches!(error, Error::NoAnswer), "{error}"),
        }
    }
    assert!(!clock.disrupted());
}

#[test]
fn what_is_no_page_is_refused() {
    let zero = Page::anonymous().unwrap();
    assert!(matches!(Clock::of_page(&zero), Err(Error::NotAPage)));
    let folder = std::env::temp_dir().join(format!("vdso_clock-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("page");
    assert!(matches!(open(&file), Err(Error::Open { .. })));
    std::fs::write(&file, [0; 100]).unwrap();
    assert!(matches!(open(&file), Err(Error::Short)));
    std::fs::write(&file, [0; 4096]).unwrap();
    let page = open(&file).unwrap();
    assert!(matches!(Clock::of_page(&page), Err(Error::NotAPage)));
    assert!(matches!(Discipline::start(&page), Err(Error::ReadOnly)), "another's page is written");
    std::fs::remove_dir_all(&folder).unwrap();
}
