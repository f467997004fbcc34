// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Machines that lack something: programs that are missing, too old or broken, a cache that cannot be written or is
//! full, or has damaged files. The exit status is 2, with one message and its remedy, no partially written file is
//! left, and whatever does not need the missing thing is still judged.

mod common;

use common::{files_below, finish, root, Lab, Ran, GOOD};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder for PATH with links to all programs that Assay starts, except for the absent ones.
fn path_without(lab: &Lab, absent: &[&str]) -> PathBuf {
    let folder = lab.folder.join("bin");
    fs::create_dir_all(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let qemus = ["qemu-ppc", "qemu-ppc64", "qemu-ppc64le", "qemu-aarch64", "qemu-riscv64"];
    for name in ["clang-19", "ld.lld-19", "sh", "cat", "sleep", "ld", "ld.bfd"].iter().chain(&qemus) {
        let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
        if let Some(found) = found.filter(|_| !absent.contains(name)) {
            // The link exists already if a test calls this twice.
            let _ = std::os::unix::fs::symlink(found.canonicalize().unwrap(), folder.join(name));
        }
    }
    folder
}

fn check_with_path(lab: &Lab, path: impl Into<OsString>, archs: &[&str]) -> Ran {
    lab.write("good.c", GOOD);
    let mut command = lab.command();
    command.env("PATH", path.into()).args(["check", "csum_partial", "--quick", "--json", "good.c"]);
    for arch in archs {
        command.args(["-a", arch]);
    }
    finish(&mut command)
}

#[test]
fn a_missing_qemu_stops_only_what_needs_it() {
    let lab = Lab::shared();
    let path = path_without(&lab, &["qemu-ppc64"]);
    let ran = check_with_path(&lab, path, &["powerpc64", "riscv64"]);
    let ran = ran.refused(&["'qemu-ppc64' is missing", "./setup", "not judged", "good on powerpc64"]);
    let records = ran.records("check");
    assert_eq!((records.len(), &records[0]["arch"]), (1, &"riscv64".into()), "{ran:#?}");
    assert_eq!(records[0]["ok"], true);
}

/// As `env --ignore-signal=CHLD` and some supervisors start programs. What is ignored stays so in what is started.
#[test]
fn ends_of_children_are_seen_though_the_starter_ignored_those_of_its_own() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    let mut command = lab.command();
    command.args(["check", "csum_partial", "--quick", "-a", "powerpc64", "good.c"]);
    // SAFETY: signal is a system call on numbers.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            Ok(())
        });
    }
    let ran = finish(&mut command);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
}

#[test]
fn a_qemu_that_is_old_or_mad_is_refused_by_what_it_says() {
    for (says, parts) in [
        ("echo 'qemu-ppc64 version 6.2.0 (Debian 1:6.2)'", &["6.2.0 is too old", "7.2"][..]),
        ("echo 'qemu-ppc64 version 7.1.99'", &["7.1.99 is too old"]),
        ("echo 'qemu-ppc64 version banana'", &["does not tell its version"]),
        ("echo; exit 1", &["does not tell its version"]),
        ("kill -SEGV $$", &["does not tell its version"]),
        ("exit 0", &["does not tell its version"]),
    ] {
        let lab = Lab::shared();
        let path = path_without(&lab, &["qemu-ppc64"]);
        lab.write_program("bin/qemu-ppc64", says);
        check_with_path(&lab, path, &["powerpc64"]).refused(parts).ends(2, &["qemu-ppc64", "./setup"]);
    }
    let lab = Lab::shared();
    let path = path_without(&lab, &["qemu-ppc64"]);
    lab.write("bin/qemu-ppc64", "no program");
    check_with_path(&lab, path, &["powerpc64"]).refused(&["qemu-ppc64", "cannot start the program"]);
}

#[test]
fn missing_build_tools_are_no_verdict_on_a_variant() {
    for (name, package) in [("clang-19", "clang-19"), ("ld.lld-19", "lld-19")] {
        let lab = Lab::empty();
        let path = path_without(&lab, &[name]);
        let ran = check_with_path(&lab, path, &["powerpc64", "riscv64"]);
        let ran = ran.refused(&[name, package, "is missing", "./setup", "not judged"]);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        lab.assert_tidy();
    }
    let lab = Lab::shared();
    check_with_path(&lab, "", &["powerpc64"]).refused(&["is missing"]);
    lab.line("check csum_partial -a loongarch64 -v uint64 --compiler gcc")
        .refused(&["no gcc for loongarch64"]);
}

#[test]
fn a_compiler_that_an_architecture_has_not_is_a_skip_unless_it_is_asked_for() {
    let lab = Lab::shared();
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .any(|folder| folder.join("riscv64-linux-gnu-gcc").is_file())
    {
        eprintln!("skipped: gcc's cross compilers are not there; ./setup --gcc installs them");
        return;
    }
    let line = "check csum_fold -v rotate --quick --compiler gcc";
    lab.line(line).ends(0, &["no gcc for loongarch64", "6 right, 0 wrong, 1 skipped"]);
    let counted = lab.line("count csum_fold -v rotate --compiler gcc --json");
    let counted = counted
        .ends(0, &["skipped 1: csum_fold/rotate on loongarch64 (Debian 12 has no gcc for loongarch64)"]);
    assert!(counted.records("count").iter().all(|record| record["arch"] != "loongarch64"));
    lab.line(&format!("{line} -a loongarch64 -a riscv64")).refused(&["no gcc for loongarch64"]);
}

/// Variables that compilers and linkers read, each of which changes their output or makes them fail.
const COMPILER_VARIABLES: [&str; 8] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "DEPENDENCIES_OUTPUT",
];

#[test]
fn a_compiler_sees_nothing_of_the_environment() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    lab.write("poisoned/stdint.h", "#error poisoned\n");
    let mut command = lab.command();
    command.envs(COMPILER_VARIABLES.map(|name| (name, lab.folder.join("poisoned"))));
    command.env("CCC_OVERRIDE_OPTIONS", "+-fsyntax-only").env("SOURCE_DATE_EPOCH", "banana");
    // `count` builds the tracer, too.
    command.args("count csum_partial -a powerpc64 --case size=40 good.c -v uint64".split_whitespace());
    finish(&mut command).ends(0, &["size=40"]);
}

/// A compiler that is killed leaves its temporary files, and the cache's scratch folder is swept.
#[test]
fn compilers_have_their_temporary_files_in_the_cache() {
    let lab = Lab::empty();
    lab.write("cache/roots/powerpc64le/usr/lib/libc.a", "");
    lab.write("start.s", ".globl _start\n_start: blr\n");
    let clang = path_without(&lab, &[]).join("clang-19");
    let (real, log) = (clang.canonicalize().unwrap(), lab.folder.join("log"));
    fs::remove_file(&clang).unwrap();
    // What asks for its version makes no files.
    let note = format!("case \"$*\" in *-dump*) ;; *) echo \"$TMPDIR $*\" >>'{}' ;; esac", log.display());
    lab.write_program("bin/clang-19", &format!("{note}\nexec '{}' \"$@\"", real.display()));
    for (line, part) in [
        ("count csum_fold -a powerpc64 -v rotate --case chain=0", "plugin.c"),
        ("foreign build -a powerpc64le start.s -- -nostdlib", "start.s"),
    ] {
        let mut command = lab.command();
        command.env("PATH", lab.folder.join("bin")).args(line.split_whitespace());
        finish(&mut command).ends(0, &[]);
        let told = fs::read_to_string(&log).unwrap();
        let scratch = format!("{}/", lab.cache.join("tmp").display());
        assert!(told.contains(part) && told.lines().all(|line| line.starts_with(&scratch)), "{told}");
    }
}

#[test]
fn the_doctor_names_what_is_missing() {
    let lab = Lab::shared();
    let path = path_without(&lab, &["qemu-ppc64"]);
    let ran = finish(lab.command().env("PATH", path).arg("doctor"));
    ran.ends(1, &["MISSING", "'qemu-ppc64' is missing", "./setup"]);
    let path = path_without(&lab, &["qemu-ppc64"]);
    let ran = finish(lab.command().env("PATH", path).args(["doctor", "--json"])).ends(1, &[]);
    let records = ran.records("doctor");
    let missing = |arch: &str| {
        records.iter().filter(|record| record["arch"] == arch && record["state"] == "missing").count()
    };
    assert_eq!((missing("powerpc64"), missing("riscv64")), (6, 0), "each claim of one, none of the other");
    assert!(records.iter().all(|record| record["state"] != "missing" || record["remedy"].is_string()));
}

#[test]
fn a_cache_that_cannot_be_made_is_refused_once() {
    // A file in the folder's place: a folder without write permission would not stop root.
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    let file = lab.write("occupied", "");
    for cache in [file.clone(), file.join("below")] {
        let mut command = lab.command();
        command.env("ASSAY_CACHE", &cache);
        command.args(["check", "csum_partial", "-a", "powerpc64", "-a", "riscv64", "--quick", "good.c"]);
        finish(&mut command).refused(&["cannot make the cache folder", "ASSAY_CACHE", "occupied"]);
        let ran = finish(lab.command().env("ASSAY_CACHE", &cache).arg("doctor"));
        ran.ends(1, &["MISSING  cache can be written"]);
        // A verb that needs no cache works.
        finish(lab.command().env("ASSAY_CACHE", &cache).args(["list", "csum_fold"])).ends(0, &[]);
    }
}

/// Runs a shell script as root of a mount namespace of its own; `None` if the machine does not allow one.
fn in_mount_namespace(lab: &Lab, script: &str) -> Option<Ran> {
    let allowed = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this machine gives no mount namespace to this user");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).current_dir(&lab.folder);
    command.env("ASSAY", env!("CARGO_BIN_EXE_assay")).env("ASSAY_ROOT", common::root());
    Some(finish(command.env("ASSAY_CACHE", &lab.cache)))
}

#[test]
fn a_read_only_cache_is_refused_with_its_path() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    let script =
        "mount --bind \"$ASSAY_CACHE\" \"$ASSAY_CACHE\" && mount -o remount,bind,ro \"$ASSAY_CACHE\" &&
        exec \"$ASSAY\" check csum_partial -a powerpc64 --quick good.c";
    let Some(ran) = in_mount_namespace(&lab, script) else { return };
    ran.refused(&["Read-only file system", "ASSAY_CACHE", "cache"]);
    assert_eq!(files_below(&lab.cache), [lab.cache.join("qemu-10")]);
}

/// A recording may take minutes, and would be lost.
#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_program_runs() {
    let lab = Lab::shared();
    let script = "mkdir fixed && mount -t tmpfs -o ro none fixed &&
        exec \"$ASSAY\" trace -o fixed/t.trace -- touch ran";
    let Some(ran) = in_mount_namespace(&lab, script) else { return };
    ran.refused(&[
        "fixed/t.trace: cannot write the file: Read-only file system",
        "a place that can be written",
    ]);
    assert!(!lab.folder.join("ran").exists(), "the program ran");
}

/// A program whose trace is of some hundred kilobytes: a loop loads from random addresses.
fn program_of_a_long_trace(lab: &Lab) {
    lab.write(
        "long.s",
        ".globl _start
_start: lis 9, 0x5851
 ori 9, 9, 0xf42d
 sldi 9, 9, 32
 oris 9, 9, 0x4c95
 ori 9, 9, 0x7f2d
 addis 10, 1, -1
 lis 5, 3
1: mulld 6, 6, 9
 addi 6, 6, 1
 rldicl 7, 6, 32, 48
 lbzx 8, 10, 7
 addic. 5, 5, -1
 bne 1b
 li 0, 1
 li 3, 0
 sc
",
    );
    let mut clang = Command::new("clang-19");
    clang.args([
        "--target=powerpc64le-linux-gnu",
        "-nostdlib",
        "-static",
        "-fuse-ld=lld",
        "long.s",
        "-o",
        "long",
    ]);
    finish(clang.current_dir(&lab.folder)).ends(0, &[]);
}

#[test]
fn a_recording_that_has_no_room_at_its_place_stays_in_the_cache() {
    let lab = Lab::empty();
    program_of_a_long_trace(&lab);
    let script = "mkdir small && mount -t tmpfs -o size=16k none small && echo before > small/t.trace
        \"$ASSAY\" trace -o small/t.trace -- ./long; status=$?; cat small/t.trace; exit $status";
    let Some(ran) = in_mount_namespace(&lab, script) else { return };
    let ran = ran.ends(2, &["small/t.trace", "No space left on device", "what was recorded is in "]);
    assert_eq!(ran.stdout, "before\n", "the older file stays");
    let kept = lab.cache.join("log/unwritten.trace");
    assert!(ran.stderr.contains(&kept.display().to_string()), "{ran:#?}");
    lab.assay(["predict", kept.to_str().unwrap(), "-c", "power8"]).ends(0, &["power8"]);
    lab.assert_tidy();
}

#[test]
fn a_recording_that_is_lost_is_told_with_the_limit_that_it_met() {
    let lab = Lab::empty();
    program_of_a_long_trace(&lab);
    lab.line("trace -o t.trace -- ./long").ends(0, &[]);
    fs::remove_file(lab.folder.join("t.trace")).unwrap();
    let lost = "long: the recording is lost";
    let small =
        "mount -t tmpfs -o size=200k none \"$ASSAY_CACHE\"/tmp && exec \"$ASSAY\" trace -o t.trace -- ./long";
    if let Some(ran) = in_mount_namespace(&lab, small) {
        ran.refused(&["No space left on device", lost, "ASSAY_CACHE", "--limit"]);
    }
    if let Some(ran) = under_limit(&lab, "-f 200", "trace -o t.trace -- ./long") {
        ran.refused(&["File too large", lost, "the limit on the size of files is 100 KiB", "(ulimit -f)"]);
    }
    assert!(!lab.folder.join("t.trace").exists());
    lab.assert_tidy();
}

#[test]
fn a_full_disk_is_no_verdict_and_leaves_nothing() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    // From too small for the first object to too small for a whole runner.
    for size in ["16k", "64k", "128k", "200k"] {
        let script = format!(
            "mount -t tmpfs -o size={size} none \"$ASSAY_CACHE\" || exit 99
            \"$ASSAY\" check csum_partial -a powerpc64 --quick good.c; status=$?
            find \"$ASSAY_CACHE\"/tmp -type f; exit $status"
        );
        let Some(ran) = in_mount_namespace(&lab, &script) else { return };
        let ran = ran.refused(&["free some disk space"]);
        assert_eq!(ran.stdout, "", "no verdict, and nothing left: {ran:#?}");
    }
}

/// The decoder's library is a file in memory, for which `ulimit -f` counts too.
#[test]
fn a_limit_on_the_size_of_files_is_lifted_for_the_decoder_or_named() {
    let lab = Lab::shared();
    let limited = |shell: &[&str], limit: &str| {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).args(["-c", &format!("ulimit {limit} 8; exec \"$@\""), "sh"]);
        command.args([env!("CARGO_BIN_EXE_assay"), "cpu", "llvm:pwr8"]);
        finish(command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache))
    };
    limited(&["sh"], "-S -f").ends(0, &["llvm:pwr8"]);
    // In a namespace of its own not even root may go above the hard limit.
    let ran = limited(&["unshare", "--user", "sh"], "-f");
    if ran.status == Some(1) && ran.stderr.starts_with("unshare:") {
        eprintln!("skipped: this machine gives no user namespace to this user: {}", ran.stderr);
        return;
    }
    // Eight blocks of dash, which counts in 512 bytes.
    let ran = ran.ends(2, &["assay: LLVM", "the limit on the size of files is 4 KiB", "raise it to"]);
    // What the message says to type is enough.
    let (_, told) = ran.stderr.split_once(" in bash, ulimit -f ").expect("what to type in dash");
    let blocks = told.split(' ').next().unwrap();
    let mut raised = Command::new("unshare");
    raised.args(["--user", "sh", "-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"]);
    raised.args([env!("CARGO_BIN_EXE_assay"), "cpu", "llvm:pwr8"]);
    finish(raised.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache)).ends(0, &["llvm:pwr8"]);
}

/// Runs the command in a namespace of its own, where not even root may go above a hard limit; `None` if the machine gives none.
fn under_limit(lab: &Lab, limit: &str, line: &str) -> Option<Ran> {
    let script = format!("ulimit {limit}; exec \"$ASSAY\" {line}");
    let mut command = Command::new("unshare");
    command.args(["--user", "sh", "-c", &script]).env("ASSAY", env!("CARGO_BIN_EXE_assay"));
    command.current_dir(&lab.folder).stdin(Stdio::null());
    let ran = finish(command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache));
    if ran.status == Some(1) && ran.stderr.starts_with("unshare:") {
        eprintln!("skipped: this machine gives no user namespace to this user: {}", ran.stderr);
        return None;
    }
    Some(ran)
}

/// Nothing is missing where a limit is too low, so there is nothing to install, and no file is damaged.
#[test]
fn a_limit_is_named_with_what_raises_it() {
    let lab = Lab::shared();
    let count = "count csum_partial -a powerpc64le -v adde --case size=40 --unchecked";
    let predict = "predict csum_partial -a powerpc64le -v adde -c power8 --case size=40 --unchecked";
    for line in [count, predict] {
        lab.line(line).ends(0, &["adde"]);
    }
    for (limit, line, remedy) in [
        ("-n 6", count, "raise the limit on open files (ulimit -n)"),
        ("-n 4", "cpu llvm:pwr8", "raise the limit on open files (ulimit -n)"),
        ("-v 200000", "cpu llvm:pwr8", "raise the limit on memory (ulimit -v)"),
        ("-v 200000", count, "raise the limit on memory (ulimit -v)"),
        ("-d 1000", "list csum_fold", "raise the limits on processes (ulimit -u) and on memory (ulimit -v"),
        ("-s 64", "list csum_fold", "raise the limit on the stack (ulimit -s)"),
        ("-f 1", count, "KiB: ulimit -f"),
        ("-f 1", predict, "KiB: ulimit -f"),
    ] {
        let Some(ran) = under_limit(&lab, limit, line) else { return };
        let ran = ran.ends(2, &[remedy]);
        let misleading = ["./setup", "install LLVM", "is right", "damaged"];
        let wrong = misleading.iter().find(|text| ran.stderr.contains(**text));
        assert!(wrong.is_none(), "{limit} {line}: {ran:#?}");
    }
    // What only the shell's own limit forbids is done.
    under_limit(&lab, "-S -s 64", predict).map(|ran| ran.ends(0, &["power8"]));
}

/// Wherever the memory ends: in our code, in a thread's start, in LLVM.
#[test]
fn no_limit_on_memory_ends_in_a_signal() {
    let lab = Lab::shared();
    trace_of_nothing(&lab);
    for kib in (30_000..600_000).step_by(30_000) {
        let Some(ran) = under_limit(&lab, &format!("-v {kib}"), "predict t.trace -c power8,power9") else {
            return;
        };
        let is_message = ran.stderr.contains("assay: ") && ran.stderr.contains("remedy: raise the limit");
        assert!(ran.status == Some(0) || ran.status == Some(2) && is_message, "{kib}: {ran:#?}");
    }
}

/// Writes a trace with one instruction as `t.trace`.
fn trace_of_nothing(lab: &Lab) {
    let path = lab.folder.join("t.trace");
    let mut writer = trace::Writer::create(&path, arch::Arch::Powerpc64le, &[]).unwrap();
    let nop = trace::Block { address: 0x1000, bytes: vec![0, 0, 0, 0x60], sizes: vec![4] };
    let id = writer.define_block(&nop);
    writer.put(&trace::Item::Block { id, accesses: Vec::new() }).unwrap();
    writer.finish("exit").unwrap();
}

#[test]
fn a_limit_on_the_size_of_files_is_no_verdict() {
    let lab = Lab::empty();
    lab.write("good.c", GOOD);
    let line = "check csum_partial -a powerpc64 --quick --json good.c";
    let Some(ran) = under_limit(&lab, "-f 1", line) else { return };
    let ran = ran
        .refused(&["the limit on the size of files is", "raise the limit on the size of files (ulimit -f)"]);
    assert_eq!(ran.stdout, "", "no verdict: {ran:#?}");
    lab.assert_tidy();
    lab.line(line).ends(0, &["\"ok\":true"]);
}

#[test]
fn a_tracer_that_finds_no_space_is_no_missing_package() {
    let lab = Lab::empty();
    let clang = path_without(&lab, &[]).join("clang-19");
    let real = clang.canonicalize().unwrap();
    fs::remove_file(&clang).unwrap();
    let full = "case \"$*\" in *plugin.c*) echo 'error: No space left on device' >&2; exit 1 ;; esac";
    lab.write_program("bin/clang-19", &format!("{full}\nexec '{}' \"$@\"", real.display()));
    let mut command = lab.command();
    command.env("PATH", lab.folder.join("bin"));
    command.args("count csum_fold -a powerpc64 -v rotate --case chain=0 --unchecked".split_whitespace());
    let ran = finish(&mut command).refused(&["the disk is full", "free some disk space"]);
    assert!(!ran.stderr.contains("libzstd"), "{ran:#?}");
}

#[test]
fn a_program_that_is_built_where_no_space_is_left_is_no_wrong_program() {
    let lab = Lab::empty();
    lab.write("cache/roots/powerpc64le/usr/lib/libc.a", "");
    lab.write("start.s", ".globl _start\n_start: blr\n");
    fs::remove_file(path_without(&lab, &[]).join("clang-19")).unwrap();
    lab.write_program("bin/clang-19", "echo 'error: No space left on device' >&2; exit 1");
    let mut command = lab.command();
    command.env("PATH", lab.folder.join("bin"));
    command.args("foreign build -a powerpc64le start.s -- -nostdlib".split_whitespace());
    finish(&mut command).refused(&["cache/tmp/", "the disk is full", "free some disk space"]);
    assert!(!lab.folder.join("start").exists());
    lab.assert_tidy();
}

/// After a power cut a file may have its name and nothing in it.
#[test]
fn what_a_power_cut_has_emptied_is_made_again() {
    let lab = Lab::empty();
    let line = "count csum_fold -a powerpc64le -v rotate --case chain=0 --json";
    let first = lab.line(line).ends(0, &["instructions"]).stdout;
    for content in [&b""[..], &[0; 9000]] {
        for (folder, least) in [("objects", 9), ("runners", 1), ("tracer", 1)] {
            let files = files_below(&lab.cache.join(folder));
            assert!(files.len() >= least, "{files:?}");
            files.iter().for_each(|file| fs::write(file, content).unwrap());
        }
        fs::remove_dir_all(lab.cache.join("traces")).unwrap();
        assert_eq!(lab.line(line).ends(0, &[]).stdout, first);
    }
}

/// The kernel kills by SIGKILL where memory runs out.
#[test]
fn a_tool_that_is_killed_or_writes_nothing_is_no_verdict() {
    for (does, parts) in [
        ("kill -KILL $$", ["memory ran out", "try again"]),
        ("exit 0", ["clang-19 exited with status 0 and wrote nothing", "./setup"]),
    ] {
        let lab = Lab::empty();
        let clang = path_without(&lab, &[]).join("clang-19");
        let real = clang.canonicalize().unwrap();
        fs::remove_file(&clang).unwrap();
        let version = format!("case \"$*\" in *-dump*) exec '{}' \"$@\" ;; esac", real.display());
        lab.write_program("bin/clang-19", &format!("{version}\n{does}"));
        let ran = check_with_path(&lab, lab.folder.join("bin"), &["powerpc64"]).refused(&parts);
        assert_eq!(ran.stdout, "", "no verdict: {ran:#?}");
        lab.assert_tidy();
    }
}

#[test]
fn a_linker_that_finds_no_space_is_no_verdict_either() {
    let lab = Lab::empty();
    let path = path_without(&lab, &["ld.lld-19"]);
    lab.write_program(
        "bin/ld.lld-19",
        "echo 'ld.lld-19: error: failed to write output: No space left on device' >&2; exit 1",
    );
    check_with_path(&lab, path, &["powerpc64"]).refused(&["disk is full", "free some disk space"]);
    lab.assert_tidy();
}

/// Every trace of the cache.
fn traces(lab: &Lab) -> Vec<PathBuf> {
    files_below(&lab.cache.join("traces"))
}

#[test]
fn damaged_traces_are_refused_and_told_apart() {
    let lab = Lab::empty();
    let line = "predict csum_partial -a powerpc64 -v uint64 -c power8 --case size=40";
    lab.line(line).ends(0, &["power8"]);
    let [trace] = &traces(&lab)[..] else { panic!("one trace: {:?}", traces(&lab)) };
    let whole = fs::read(trace).unwrap();
    let middle = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[middle] ^= 0x55;
    let mut newer = whole.clone();
    newer[8..12].fill(0xff);
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("text", b"not a trace\n"),
        ("cut", &whole[..middle]),
        ("cut in the head", &whole[..10]),
        ("cut by one", &whole[..whole.len() - 1]),
        ("flipped", &flipped),
        ("newer", &newer),
        ("zeros", &[0; 4096]),
    ] {
        // Damaged in the cache, where its name stands for a complete trace.
        fs::write(trace, bytes).unwrap();
        let ran = lab.line(line).ends(2, &["traces/csum_partial-uint64-powerpc64", "record"]);
        assert!(ran.stderr.contains("again") || ran.stderr.contains("remedy"), "{name}: {ran:#?}");
        // Damaged as a file of the user's.
        let own = lab.write("own file.trace", bytes);
        let own = own.to_str().unwrap();
        lab.assay(["predict", own, "-c", "power8"]).ends(2, &["own file.trace", "record"]);
    }
    fs::write(trace, &whole).unwrap();
    lab.line(line).ends(0, &["power8"]);
    let own = lab.write("own file.trace", &whole);
    lab.assay(["predict", own.to_str().unwrap(), "-c", "power8"]).ends(0, &[]);
    lab.assay(["predict", own.to_str().unwrap(), "-c", "la464"]).ends(2, &["la464"]);
    lab.line("predict missing.trace -c power8").ends(2, &["missing.trace"]);
}

#[test]
fn a_checkout_that_is_none_is_refused() {
    let lab = Lab::shared();
    let elsewhere = lab.folder.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    finish(lab.command().env("ASSAY_ROOT", &elsewhere).arg("list"))
        .refused(&["no Assay checkout", "elsewhere"]);
    finish(lab.command().env_remove("ASSAY_ROOT").current_dir("/").arg("list")).refused(&["ASSAY_ROOT"]);
}
