// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A trace is complete and readable whatever the threads of a program do while one of them ends it, on every
//! architecture. A race appears only now and then, mostly on a busy machine. By default each program runs a few times;
//! for a long run: `ASSAY_RACES=1000 cargo test --release -p trace --test all races::`.

use std::os::unix::process::ExitStatusExt;

use crate::support::recording::Program;
use arch::Arch;
use trace::{End, Event, Leave, Reader};

/// How often each program runs on each architecture.
fn runs() -> usize {
    let text = std::env::var("ASSAY_RACES").unwrap_or_else(|_| "3".into());
    text.parse().unwrap_or_else(|_| panic!("ASSAY_RACES={text} is not a number"))
}

/// Reads all of a trace; returns how its region entries ended.
fn read(path: &std::path::Path) -> (Vec<Leave>, End) {
    let mut reader = Reader::open(path).unwrap_or_else(|e| panic!("{e}"));
    let mut left = Vec::new();
    while let Some(event) = reader.next().unwrap_or_else(|e| panic!("{e}")) {
        if let Event::LeaveRegion { how } = event {
            left.push(how);
        }
    }
    (left, reader.end().unwrap().clone())
}

fn build(arch: Arch, scenario: &str) -> Program {
    let scenario_flag = format!("-D{scenario}");
    let mut flags = vec![scenario_flag.as_str()];
    if arch == Arch::Aarch64 {
        flags.push("-mno-outline-atomics"); // outline atomics are calls of a library that is not linked
    }
    Program::build("races.c", arch, &flags)
}

fn race(arch: Arch, scenario: &str, check: impl Fn(&[Leave], &End)) {
    let program = build(arch, scenario);
    for run in 0..runs() {
        for arguments in [vec![program.region("region")], vec![]] {
            let (output, path) = program.record(scenario, "", &arguments, &[]);
            assert!(output.status.success(), "{arch} {scenario}, run {run}: {output:?}");
            let (left, end) = read(&path);
            assert_eq!(end.get("end"), Some("exit"), "{arch} {scenario}, run {run}");
            if !arguments.is_empty() {
                check(&left, &end);
            }
            std::fs::remove_file(&path).unwrap();
        }
    }
}

/// The program is ended by a signal that a thread other than the recorded one catches.
fn race_with_signal(arch: Arch, scenario: &str, signal: i32) {
    let mut program = build(arch, scenario);
    program.preload();
    for run in 0..runs() {
        let (output, path) = program.record(scenario, "", &[program.region("region")], &[]);
        assert_eq!(output.status.signal(), Some(signal), "{arch} {scenario}, run {run}: {output:?}");
        let (left, end) = read(&path);
        assert_eq!(end.get("end"), Some("signal"), "{arch} {scenario}, run {run}");
        assert!(left.len() > 1000, "{arch} {scenario}, run {run}: {} entries", left.len());
        returned_but_the_last(&left, &end);
        std::fs::remove_file(&path).unwrap();
    }
}

fn everywhere(scenario: &str, check: impl Fn(&[Leave], &End)) {
    for arch in Arch::ALL {
        race(arch, scenario, &check);
    }
}

fn returned_but_the_last(left: &[Leave], _: &End) {
    let before = &left[..left.len().saturating_sub(1)];
    assert!(before.iter().all(|l| *l == Leave::Return), "{left:?}");
    assert!(left.last().is_none_or(|l| matches!(l, Leave::Return | Leave::Exit)), "{left:?}");
}

#[test]
fn the_region_may_be_entered_while_another_thread_goes_on() {
    everywhere("ENTERED_ELSEWHERE", returned_but_the_last);
}

#[test]
fn the_program_may_end_while_the_recorded_thread_is_in_system_calls() {
    everywhere("IN_SYSTEM_CALLS", returned_but_the_last);
}

#[test]
fn all_threads_may_end_the_program_at_once() {
    everywhere("ALL_EXIT", returned_but_the_last);
}

#[test]
fn the_recorded_thread_may_end_with_the_program() {
    everywhere("THREAD_ENDS", |left, _| assert_eq!(left, [Leave::Return]));
}

#[test]
fn a_thread_in_the_place_of_the_recorded_one_is_another() {
    everywhere("ONE_AFTER_THE_OTHER", |left, end| {
        assert_eq!(left, [Leave::Return]);
        assert_eq!(end.total("other_thread_entries"), 9);
    });
}

/// QEMU stops no thread for such a signal.
#[test]
fn a_signal_may_end_the_program_while_another_thread_is_recorded() {
    for arch in Arch::ALL {
        race_with_signal(arch, "SIGNAL_ELSEWHERE", 15);
    }
}

/// For one that dumps core, it does.
#[test]
fn another_thread_than_the_recorded_one_may_crash() {
    for arch in Arch::ALL {
        race_with_signal(arch, "FAULT_ELSEWHERE", 11);
    }
}
