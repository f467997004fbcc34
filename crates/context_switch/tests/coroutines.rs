// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Properties of coroutines: values in and out, panics, drops, floating-point registers across switches, many at once.

use context_switch::{Coroutine, State, Suspender};
use std::cell::Cell;
use std::os::unix::process::ExitStatusExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;

const STACK_BYTES: usize = 64 << 10;

struct Counts(Rc<Cell<u32>>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn one_without_input_is_an_iterator() {
    let squares = Coroutine::new(STACK_BYTES, |suspender, ()| (1..=5).for_each(|n| suspender.suspend(n * n)));
    assert_eq!(squares.unwrap().collect::<Vec<u32>>(), [1, 4, 9, 16, 25]);
}

#[test]
fn one_that_has_finished_is_refused() {
    let mut once = Coroutine::<(), (), u8>::new(STACK_BYTES, |_, ()| 7).unwrap();
    assert_eq!(once.resume(()), State::Finished(7));
    assert!(once.is_finished());
    assert!(catch_unwind(AssertUnwindSafe(|| once.resume(()))).is_err());
}

#[test]
fn a_panic_goes_to_whoever_resumed() {
    let mut fails = Coroutine::<(), (), ()>::new(STACK_BYTES, |suspender, ()| {
        suspender.suspend(());
        std::panic::resume_unwind(Box::new("the closure's"));
    })
    .unwrap();
    assert_eq!(fails.resume(()), State::Suspended(()));
    let payload = catch_unwind(AssertUnwindSafe(|| fails.resume(()))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"the closure's"));
    assert!(fails.is_finished());
}

#[test]
fn dropping_one_in_the_middle_drops_what_lives_on_its_stack() {
    let dropped = Rc::new(Cell::new(0));
    for resumes in 0..3 {
        let (inside, captured) = (dropped.clone(), Counts(dropped.clone()));
        let mut waits = Coroutine::<(), (), ()>::new(STACK_BYTES, move |suspender, ()| {
            let _captured = captured;
            let _local = Counts(inside);
            suspender.suspend(());
            suspender.suspend(());
        })
        .unwrap();
        (0..resumes).for_each(|_| assert_eq!(waits.resume(()), State::Suspended(())));
        dropped.set(0);
        drop(waits);
        // A coroutine that never began has no local yet.
        assert_eq!(dropped.get(), if resumes == 0 { 1 } else { 2 }, "{resumes}");
    }
}

#[test]
fn one_that_catches_the_unwinding_and_suspends_is_unwound_again() {
    let dropped = Rc::new(Cell::new(0));
    let inside = dropped.clone();
    let mut stubborn = Coroutine::<(), (), ()>::new(STACK_BYTES, move |suspender, ()| {
        let _local = Counts(inside);
        assert!(catch_unwind(AssertUnwindSafe(|| suspender.suspend(()))).is_err());
        suspender.suspend(());
    })
    .unwrap();
    assert_eq!(stubborn.resume(()), State::Suspended(()));
    drop(stubborn);
    assert_eq!(dropped.get(), 1);
}

/// Suspends when it is dropped.
struct Suspends<'a>(&'a mut Suspender<u32, u32>);

impl Drop for Suspends<'_> {
    fn drop(&mut self) {
        assert_eq!(self.0.suspend(1), 2);
    }
}

/// One that suspends in a destructor while its own panic unwinds it.
fn panics_and_suspends() -> Coroutine<u32, u32, ()> {
    let mut fails = Coroutine::new(STACK_BYTES, |suspender, _| {
        let _local = Suspends(suspender);
        std::panic::resume_unwind(Box::new("the closure's"));
    })
    .unwrap();
    assert_eq!(fails.resume(0), State::Suspended(1));
    fails
}

#[test]
fn a_destructor_may_suspend_while_a_panic_unwinds() {
    let mut fails = panics_and_suspends();
    let payload = catch_unwind(AssertUnwindSafe(|| fails.resume(2))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"the closure's"));
}

/// Whether the test of this name aborts in a process of its own, where `do_it` is called.
fn aborts(test: &str, do_it: impl FnOnce()) -> bool {
    const IN_CHILD: &str = "CONTEXT_SWITCH_ABORTS";
    if std::env::var_os(IN_CHILD).is_some() {
        do_it();
        std::process::exit(0);
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", test]).env(IN_CHILD, "1").output().unwrap();
    output.status.signal() == Some(libc::SIGABRT)
}

#[test]
fn a_destructor_that_suspends_while_the_drop_unwinds_aborts() {
    assert!(aborts("a_destructor_that_suspends_while_the_drop_unwinds_aborts", || {
        let mut waits = Coroutine::<u32, u32, ()>::new(STACK_BYTES, |suspender, _| {
            let local = Suspends(suspender);
            local.0.suspend(0);
        })
        .unwrap();
        assert_eq!(waits.resume(0), State::Suspended(0));
        drop(waits);
    }));
}

#[test]
fn dropping_one_that_a_panic_unwinds_aborts() {
    assert!(aborts("dropping_one_that_a_panic_unwinds_aborts", || drop(panics_and_suspends())));
}

#[test]
fn sums_kept_in_registers_survive() {
    let mut numbers = Coroutine::<(), f64, ()>::new(STACK_BYTES, |suspender, ()| {
        let mut terms = [1.0, 2.0, 3.0, 4.0];
        for _ in 0..1000 {
            suspender.suspend(terms.iter().sum());
            terms.iter_mut().zip([1.0, 2.0, 3.0, 4.0]).for_each(|(term, step)| *term += step);
        }
    })
    .unwrap();
    let (mut sum, mut squares) = (0.0, 0.0);
    for n in &mut numbers {
        sum += n;
        squares += n * n;
    }
    assert_eq!((sum, squares), (10.0 * 500_500.0, 100.0 * 333_833_500.0));
}

#[test]
fn a_thousand_take_turns_and_may_nest() {
    let mut all: Vec<_> = (0..1000u64)
        .map(|own| {
            Coroutine::<u64, u64, ()>::new(16 << 10, move |suspender, mut input| loop {
                let mut inner = Coroutine::<u64, (), u64>::new(16 << 10, move |_, n| n * own).unwrap();
                let State::Finished(product) = inner.resume(input) else { unreachable!() };
                input = suspender.suspend(product);
            })
            .unwrap()
        })
        .collect();
    for round in 1..4 {
        for (own, coroutine) in all.iter_mut().enumerate() {
            assert_eq!(coroutine.resume(round), State::Suspended(round * own as u64));
        }
    }
}

#[test]
fn a_stack_that_is_no_stack_is_refused() {
    assert!(Coroutine::<(), (), ()>::new(usize::MAX, |_, ()| ()).is_err());
    assert!(Coroutine::<(), (), ()>::new(0, |_, ()| ()).is_err());
}
