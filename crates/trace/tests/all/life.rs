// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Recordings of programs that use threads, fork, exec and signals; limits; mistakes in the arguments.

use crate::support::recording::{scratch, tracer, Program, Whole};
use arch::Arch;
use trace::Leave;

fn program(scenario: &str) -> Program {
    Program::build("life.c", Arch::Powerpc64le, &[&format!("-D{scenario}")])
}

fn regions(scenario: &str) -> Whole {
    let program = program(scenario);
    program.trace("regions", "", &[program.region("region")], &[])
}

fn lengths(whole: &Whole) -> Vec<usize> {
    whole.entries.iter().map(|e| e.1).collect()
}

#[test]
fn other_threads_are_counted() {
    let program = program("THREADS");
    let all = program.trace("all", "", &[], &[]);
    assert!(all.end.total("other_thread_instructions") > 100 * 20, "{:?}", all.end);
    let whole = program.trace("regions", "", &[program.region("region")], &[]);
    assert_eq!(whole.entries.len(), 2, "{:?}", whole.entries);
    assert_eq!(whole.entries[0], whole.entries[1]);
    assert_eq!(whole.end.total("other_thread_entries"), 100);
}

#[test]
fn the_first_thread_in_the_region_is_recorded() {
    let whole = regions("FIRST_IN_OTHER_THREAD");
    assert_eq!(whole.entries.len(), 1, "{:?}", whole.entries);
    assert_eq!(whole.end.total("other_thread_entries"), 1);
    assert_eq!(whole.end.get("end"), Some("exit"));
}

#[test]
fn the_program_may_end_while_another_thread_is_recorded() {
    for _ in 0..10 {
        let whole = regions("EXIT_ELSEWHERE");
        assert!(
            whole.entries.iter().all(|e| matches!(e.0, Leave::Return | Leave::Exit)),
            "{:?}",
            whole.entries
        );
        assert_eq!(whole.end.get("end"), Some("exit"));
    }
}

#[test]
fn a_forked_child_leaves_the_trace_to_its_parent() {
    let whole = regions("FORK");
    assert_eq!(whole.end.total("forked_children"), 1);
    assert_eq!(whole.entries.len(), 3, "{:?}", whole.entries);
    assert!(lengths(&whole).windows(2).all(|w| w[0] < w[1]));
}

#[test]
fn exec_ends_the_trace_unless_it_fails() {
    let program = program("EXEC");
    let (output, path) = program.record("exec", "", &[program.region("region")], &[]);
    assert!(output.status.success(), "{output:?}");
    let whole = Whole::read(&path);
    assert_eq!((whole.entries.len(), whole.end.get("end")), (2, Some("exec")));
}

#[test]
fn an_exec_in_any_thread_ends_the_trace() {
    let whole = regions("EXEC_ELSEWHERE");
    assert_eq!(whole.end.get("end"), Some("exec"));
    assert!(whole.entries.len() >= 100, "{:?}", whole.entries);
    let whole = regions("EXEC_BEFORE");
    assert_eq!((whole.entries.len(), whole.end.get("end")), (0, Some("exec")));
}

#[test]
fn an_exec_that_fails_after_all_is_told() {
    let program = program("EXEC_FAILS");
    let (output, path) = program.record("exec", "", &[program.region("region")], &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && told.contains("ends at an execve that failed (error 13)"),
        "{output:?}"
    );
    let whole = Whole::read(&path);
    assert_eq!((whole.entries.len(), whole.end.get("end")), (1, Some("exec")));
}

#[test]
fn a_killed_program_leaves_nothing() {
    for scenario in ["KILLED", "CRASH"] {
        let program = program(scenario);
        let (output, path) = program.record("killed", "", &[], &[]);
        assert!(!output.status.success(), "{scenario}: {output:?}");
        assert!(!path.exists(), "{scenario} left {}", path.display());
        assert!(!path.with_extension("trace.partial").exists(), "{scenario}");
    }
}

#[test]
fn a_killed_recording_leaves_what_was_there() {
    let program = program("KILLED");
    let path = program.trace_path("kept");
    std::fs::write(&path, "older").unwrap();
    let output = program.run_with(tracer(), "", &[format!("out={}", path.display())], &[]);
    assert!(!output.status.success());
    assert_eq!(std::fs::read(&path).unwrap(), b"older");
}

#[test]
fn a_program_may_close_and_reuse_all_descriptors() {
    assert_eq!(regions("CLOSES_ALL").entries.len(), 1);
    assert_eq!(regions("CLOSES_RANGE").entries.len(), 1);
}

/// Whoever is not root changes neither, and the test asks nothing.
#[test]
fn a_program_may_change_its_root_and_its_user() {
    assert_eq!(regions("GIVES_UP_RIGHTS").entries.len(), 1);
}

/// x86-64's return addresses are in the guest's memory.
#[test]
fn a_program_may_use_up_all_descriptors() {
    for arch in [Arch::Powerpc64le, Arch::X86_64] {
        let program = Program::build("life.c", arch, &["-DNO_DESCRIPTORS"]);
        let whole = program.trace("regions", "", &[program.region("region")], &[]);
        assert_eq!(whole.entries.len(), 5, "{arch}: {:?}", whole.entries);
        assert!(whole.entries.iter().all(|entry| *entry == whole.entries[0]), "{arch}: {:?}", whole.entries);
        assert_eq!(whole.end.images().len(), 1, "{arch}: {:?}", whole.end);
    }
}

#[test]
fn a_line_feed_in_a_path_is_kept() {
    let mut program = program("EXEC");
    let path = scratch(&format!("line\nfeed.{}", std::process::id()));
    std::fs::rename(&program.path, &path).unwrap();
    program.path = path;
    let (_, trace) = program.record("line feed", "", &[], &[]);
    let paths: Vec<_> = Whole::read(&trace).end.images().into_iter().map(|image| image.path).collect();
    assert_eq!(paths, [program.path.canonicalize().unwrap()]);
}

#[test]
fn the_limit_ends_the_trace_and_not_the_program() {
    let program = program("LONG");
    // Some are passed by the very block with which the tracer finds that a loop is under way.
    for limit in (1..8).chain((100..300).step_by(9)).chain([1000, 54321]) {
        let whole = program.trace("limit", "", &[format!("limit={limit}")], &[]);
        assert_eq!(whole.end.get("end"), Some("limit"));
        assert_eq!(whole.entries[0].0, Leave::Limit);
        let got = whole.instructions.len();
        // Recording stops between blocks, and in a repetition between iterations.
        assert!(got >= limit && got < limit + 64, "{got} instructions for {limit}");
    }
}

#[test]
fn a_signal_handler_belongs_to_the_program() {
    let program = program("HANDLER");
    let whole = program.trace("all", "", &[], &[]);
    assert_eq!(whole.accesses_at(program.symbol("handler")).len(), 1);
    let whole = program.trace("regions", "", &[program.region("region")], &[]);
    assert_eq!(whole.entries.len(), 2);
    assert!(whole.entries.iter().all(|e| e.0 == Leave::Return));
}

/// The handler's stack may lie where a frame further up than the region's would be.
#[test]
fn a_signal_handler_on_a_stack_of_its_own_belongs_to_the_region() {
    let program = program("ALTERNATE_STACK");
    let whole = program.trace("regions", "", &[program.region("region_with_signal")], &[]);
    assert_eq!(whole.accesses_at(program.symbol("handler")).len(), 1);
    assert_eq!((whole.entries.len(), whole.entries[0].0), (1, Leave::Return));
    assert_eq!(whole.end.total("longjmp_exits"), 0);
}

#[test]
fn mistakes_in_the_arguments_are_refused() {
    let program = program("LONG");
    let out = format!("out={}", scratch("mistaken.trace").display());
    for (arguments, reason) in [
        (vec![], "out=FILE is missing"),
        (vec![out.clone(), "speed=fast".into()], "unknown argument"),
        (vec![out.clone(), "roi=region".into()], "roi=region is not NAME:0xADDRESS"),
        (vec![out.clone(), "roi=region:0x12zz".into()], "is not NAME:0xADDRESS"),
        (vec![out.clone(), "limit=many".into()], "limit= takes a number"),
        (vec![out.clone(), "note=nothing".into()], "note= takes KEY:VALUE"),
        (vec!["out=/absent/folder/x.trace".into()], "cannot create /absent/folder/x.trace"),
    ] {
        let output = program.run_with(tracer(), "", &arguments, &[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(reason), "{arguments:?}: {message}");
    }
    assert!(!scratch("mistaken.trace").exists());
}

#[test]
fn a_file_system_without_room_is_reported() {
    let program = program("EXEC");
    let folder = scratch("no_room");
    let _ = std::fs::create_dir(&folder);
    // A limit on file size makes writes fail without privileges and without a file system of its own.
    let out = folder.join("x.trace");
    let plugin = format!("{},out={}", tracer().display(), out.display());
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -f 0; trap '' XFSZ; exec qemu-ppc64le -plugin \"$1\" \"$2\"", "sh", &plugin])
        .arg(&program.path)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    assert!(message.contains("cannot write") && message.contains("x.trace"), "{message}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "something was left behind");
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let program = program("EXEC");
    let output = program.run_with(tracer(), "", &["out=/dev/null".into()], &[]);
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/null is not a file"), "{output:?}");
}

#[test]
fn notes_and_marks_are_in_the_header() {
    let program = program("EXEC");
    let notes = ["note=program:life".to_owned(), "note=argv:a:b".to_owned(), "mark=run:0x1234".to_owned()];
    let (_, path) = program.record("notes", "", &notes, &[]);
    let reader = trace::Reader::open(&path).unwrap();
    let header = reader.header();
    assert_eq!((header.get("program"), header.get("argv")), (Some("life"), Some("a:b")));
    assert_eq!(header.marks()[0].address, 0x1234);
    assert_eq!(header.arch, Arch::Powerpc64le);
}
