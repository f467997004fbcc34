// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Runs that are ended by a signal, run concurrently, or cannot write their output: no process and no partially written
//! file is left, and the next run works.

mod common;

use common::{endless, finish, heeding_interrupts, native, Lab, GOOD};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

/// The verbs that run variants, each with a part of the command line of the process that runs the endless variant.
fn endless_runs() -> [(String, &'static str); 3] {
    [
        ("check csum_partial -a powerpc64 endless.c".to_owned(), "endless-powerpc64"),
        ("count csum_partial -a powerpc64 --case size=40 endless.c".to_owned(), "endless-powerpc64"),
        // One variant beside it: all of them would have to be built, and none of their processes lasts.
        (
            format!("measure csum_partial -a {} --case size=40 --unchecked -v uint64 endless.c", native()),
            " time size",
        ),
    ]
}

/// Starts a run that never ends, as the leader of a process group like a shell's job, and waits for its program.
fn start_endless(lab: &Lab, line: &str, part: &str) -> Child {
    lab.write("endless.c", endless());
    let mut command = lab.command();
    command.args(line.split_whitespace()).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = heeding_interrupts(&mut command).spawn().unwrap();
    lab.await_process(part);
    child
}

fn send(signal: i32, process: i32) {
    // SAFETY: a system call on integers.
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

fn assert_works(lab: &Lab) {
    lab.write("good.c", GOOD);
    lab.line("check csum_partial -a powerpc64 --quick good.c").ends(0, &["1 right"]);
    // One of ours beside it, not all: each test has an empty cache to fill.
    lab.line("count csum_partial -a powerpc64 --case size=40 good.c -v uint64").ends(0, &["size=40"]);
    lab.assert_tidy();
}

#[test]
fn an_interrupt_stops_all_and_says_so() {
    let lab = Lab::empty();
    for (line, part) in endless_runs() {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            let child = start_endless(&lab, &line, part);
            // To the whole process group, as a terminal does.
            send(signal, -(child.id() as i32));
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.signal(), Some(signal), "{line}: {output:?}");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(stderr.contains("interrupted"), "{stderr}");
            lab.await_no_process();
            lab.assert_tidy();
        }
    }
    assert_works(&lab);
}

#[test]
fn a_kill_leaves_no_process_and_the_next_run_tidies_up() {
    let lab = Lab::empty();
    for (line, part) in endless_runs() {
        let mut child = start_endless(&lab, &line, part);
        send(libc::SIGKILL, child.id() as i32);
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
        lab.await_no_process();
    }
    assert_works(&lab);
}

#[test]
fn an_interrupt_at_any_moment_leaves_whole_files_only() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    // Each run starts from the files that earlier ones have finished, so the interrupts hit compilers, the linker and QEMU.
    for milliseconds in [5, 20, 40, 80, 160, 320] {
        let mut command = lab.command();
        command.args("check csum_partial -a powerpc64 -a riscv64 good.c".split_whitespace());
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = heeding_interrupts(&mut command).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        send(libc::SIGINT, -(child.id() as i32));
        child.wait().unwrap();
        lab.await_no_process();
        // In the first milliseconds nothing tidies up yet.
        if milliseconds >= 40 {
            lab.assert_tidy();
        }
    }
    assert_works(&lab);
}

#[test]
fn two_runs_on_one_empty_cache_agree() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    let line =
        "count csum_partial -a powerpc64 -a riscv64 --case size=40 --case size=250 --json good.c -v uint64";
    let start = || {
        let mut command = lab.command();
        command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let outputs = [start(), start(), start()].map(|child| child.wait_with_output().unwrap());
    for output in &outputs {
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, outputs[0].stdout);
    }
    assert_eq!(outputs[0].stdout.iter().filter(|byte| **byte == b'\n').count(), 8);
    assert_works(&lab);
}

#[test]
fn results_that_cannot_be_written_are_no_success() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    for line in ["list", "list checksum --json", "doctor", "check csum_partial -a powerpc64 --quick good.c"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = lab.command();
        let child =
            command.args(line.split_whitespace()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {stderr}");
        assert!(stderr.contains("cannot write the results"), "{line}: {stderr}");
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_run_in_silence() {
    let lab = Lab::shared();
    let mut command = lab.command();
    let mut child =
        command.args(["list", "checksum"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGPIPE), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    lab.assert_tidy();
}

#[test]
fn an_ignored_interrupt_stays_ignored() {
    let lab = Lab::shared();
    lab.write("endless.c", endless());
    let script = "trap '' INT; exec \"$0\" check csum_partial -a powerpc64 --timeout 4 endless.c";
    let mut command = lab.command();
    let program = command.get_program().to_owned();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program)
        .current_dir(&lab.folder)
        .envs(command.get_envs().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned()))));
    let child = shell.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    lab.await_process("endless-powerpc64");
    send(libc::SIGINT, -(child.id() as i32));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    finish(command.arg("--version")).ends(0, &["assay"]);
}
