// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Signals that arrive during a recording. To deliver a signal, QEMU writes the guest's memory and, up to version 7.2,
//! reports these writes as accesses of an earlier instruction (on x86-64, whose floating-point state a QEMU helper stores).
//! The trace has to hold the program's own accesses only.

use std::os::unix::process::ExitStatusExt;

use crate::support::recording::{Program, Whole};
use arch::Arch;

#[test]
fn delivering_a_signal_is_no_access_of_the_program() {
    let mut program = Program::build("signals.c", Arch::X86_64, &[]);
    program.preload();
    let whole = program.trace("preloaded", "", &[], &[]);
    let calls = whole.accesses_at(program.symbol("calls"));
    assert!(calls.len() > 100, "{}", calls.len());
    let odd: Vec<_> = calls.iter().filter(|accesses| accesses.len() != 1 || accesses[0].bytes != 8).collect();
    assert!(odd.is_empty(), "{} of {} calls: {:?}", odd.len(), calls.len(), odd[0]);
    let returns = whole.accesses_at(program.symbol("callee"));
    assert!(returns.iter().all(|accesses| accesses.len() == 1), "of {} returns", returns.len());
}

/// Without the preloaded half, the tracer does not learn when a signal is delivered, and rejects only the accesses that QEMU
/// attributes to another block.
#[test]
fn without_the_preloaded_half_the_trace_can_be_read() {
    let program = Program::build("signals.c", Arch::X86_64, &[]);
    for _ in 0..3 {
        let whole = program.trace("alone", "", &[], &[]);
        assert_eq!(whole.end.get("end"), Some("exit"));
    }
}

/// QEMU 10, which runs LoongArch's programs here, leaves such a signal to the kernel, under a number of its own.
#[test]
fn a_real_time_signal_ends_the_trace() {
    for arch in [Arch::Powerpc64le, Arch::Loongarch64] {
        let mut program = Program::build("races.c", arch, &["-DSIGNAL_ELSEWHERE", "-DSIGNAL=35"]);
        program.preload();
        let (output, path) = program.record("real_time", "", &[program.region("region")], &[]);
        assert!(output.status.signal() >= Some(32), "{arch}: {output:?}");
        assert_eq!(Whole::read(&path).end.get("end"), Some("signal"), "{arch}");
    }
}
