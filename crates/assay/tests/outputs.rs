// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Where `-o` writes: regular files are replaced as a whole or not at all, devices and FIFOs are written through, links
//! are followed.

mod common;

use common::{files_below, finish, root, Lab, Ran};
use std::fs;
use std::os::unix::fs::{symlink, FileTypeExt};
use std::path::Path;
use std::process::{Command, Stdio};

const EMIT: [&str; 4] = ["ebpf", "emit", "--target", "powerpc64le"];

/// `ebpf emit`, which is quick, with this `-o`.
fn emit(lab: &Lab, out: &str) -> Ran {
    let program = root().join("docs/example/ports.bpf");
    lab.assay(EMIT.iter().copied().chain([program.to_str().unwrap(), "-o", out]))
}

/// What `emit` writes.
fn code(lab: &Lab) -> Vec<u8> {
    emit(lab, "plain").ends(0, &["written to plain"]);
    fs::read(lab.folder.join("plain")).unwrap()
}

/// A static program for powerpc64le whose function `region` is entered if `enters`.
fn program(lab: &Lab, enters: bool) {
    let call = if enters { "bl region" } else { "nop" };
    lab.write("p.s", format!(".globl _start\n_start: {call}\n li 0, 1\n li 3, 0\n sc\n.type region, @function\nregion: li 4, 5\n blr\n"));
    let mut build = Command::new("clang-19");
    build.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "p.s", "-o", "p"]);
    assert!(build.current_dir(&lab.folder).status().unwrap().success());
}

#[test]
fn a_device_stays_a_device() {
    let lab = Lab::shared();
    program(&lab, true);
    let is_device = || fs::metadata("/dev/full").unwrap().file_type().is_char_device();
    assert!(is_device());
    emit(&lab, "/dev/full").refused(&["/dev/full", "cannot write the file: No space left", "another place"]);
    lab.line("trace -o /dev/full -- ./p").refused(&["/dev/full", "No space left"]);
    lab.line("explain trace.that.is.not -c power8 --html /dev/full").refused(&["trace.that.is.not"]);
    assert!(is_device(), "/dev/full was replaced");
    emit(&lab, "/dev/null").ends(0, &["written to /dev/null"]);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn what_a_verb_reads_it_does_not_replace() {
    let lab = Lab::shared();
    program(&lab, true);
    lab.write("mine.c", common::GOOD);
    lab.write("cpu.toml", "title = \"x\"\ninherits = \"power9\"\n");
    lab.write("g.s", "r0 = 0\nexit\n");
    lab.line("trace -o p.trace -- ./p").ends(0, &["p.trace"]);
    symlink("p", lab.folder.join("link")).unwrap();
    let line = |verb: &str| format!("{verb} csum_partial mine.c -a powerpc64le --case size=40");
    for (line, kept) in [
        ("trace -o p -- ./p".to_owned(), "p"),
        ("trace -o link -- ./p".to_owned(), "p"),
        ("trace -o g.s -- ./p g.s".to_owned(), "g.s"),
        ("explain p.trace -c power9 --html p.trace".to_owned(), "p.trace"),
        ("explain p.trace -c cpu.toml --html cpu.toml".to_owned(), "cpu.toml"),
        (format!("{} -c power9 --html mine.c", line("explain")), "mine.c"),
        (format!("{} -c power9 -o mine.c", line("report")), "mine.c"),
        (format!("{} -c cpu.toml -o ./cpu.toml", line("report")), "cpu.toml"),
        ("ebpf emit g.s --target powerpc64le -o g.s".to_owned(), "g.s"),
        ("foreign build -a powerpc64le mine.c -o mine.c".to_owned(), "mine.c"),
        ("kernel trace -a powerpc64le --kernel p --roi f --workload pingpong -o p".to_owned(), "p"),
    ] {
        let before = fs::read(lab.folder.join(kept)).unwrap();
        let ran = lab.line(&line);
        assert_eq!(fs::read(lab.folder.join(kept)).unwrap(), before, "{line}: {ran:?}");
        ran.refused(&["is read by this command, and would be overwritten"]);
    }
    let study = root().join("studies/engine");
    let study =
        fs::read_dir(study).unwrap().flatten().find(|file| file.path().extension() == Some("toml".as_ref()));
    let study = study.expect("there is a study").path();
    let name = study.file_stem().unwrap().to_str().unwrap();
    let ran = lab.assay(["study", name, "--picture", study.to_str().unwrap()]);
    ran.refused(&["would be overwritten"]);
    lab.assert_tidy();
}

#[test]
fn a_vdso_image_that_cannot_be_written_leaves_the_old_one() {
    let lab = Lab::shared();
    let image = lab.folder.join("images/powerpc64.so");
    lab.line("vdso build -a powerpc64 images").ends(0, &["images/powerpc64.so"]);
    let old = fs::read(&image).unwrap();
    // A limit of 512 or 1024 bytes stands for a full disk.
    let mut build = Command::new("/bin/sh");
    build.args(["-c", "ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_assay")]);
    build.args(["vdso", "build", "-a", "powerpc64", "images"]).current_dir(&lab.folder);
    build.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache);
    finish(&mut build).ends(2, &["images/powerpc64.so", "File too large"]);
    assert_eq!(files_below(&lab.folder.join("images")), std::slice::from_ref(&image));
    assert_eq!(fs::read(&image).unwrap(), old);
}

/// The message is lost, and the status is the same.
#[test]
fn a_message_that_cannot_be_written_changes_no_status() {
    let lab = Lab::shared();
    program(&lab, false);
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for (line, status) in [
        ("vdso build -a powerpc64 images", 0),
        ("trace --roi region -o t.trace -- ./p", 1),
        ("ebpf run nosuch", 2),
        ("nosuch", 2),
    ] {
        let mut command = lab.command();
        let ended = command.args(line.split(' ')).stdout(Stdio::null()).stderr(full()).status().unwrap();
        assert_eq!(ended.code(), Some(status), "{line}: {ended}");
    }
    // Results that cannot be written are another matter, whether or not this can be told.
    let mut lost = lab.command();
    assert_eq!(lost.arg("list").stdout(full()).stderr(full()).status().unwrap().code(), Some(2));
}

/// What is asked for is a result, be it the help.
#[test]
fn a_help_that_cannot_be_written_is_a_failure() {
    let lab = Lab::shared();
    for line in ["--help", "--version", "help check", "check -h", "ebpf run --help"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = lab.command().args(line.split(' ')).stdout(full).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains("cannot write the results") && told.contains("remedy"), "{line}: {told}");
        lab.line(line).ends(0, &[]);
    }
}

/// Rust's library would drop all that is printed, and report success.
#[test]
fn a_standard_output_that_nobody_can_read_is_refused() {
    let lab = Lab::shared();
    for line in ["list", "list --json", "cpu power8", "help", "--version", "completions bash"] {
        for (redirection, what) in [(">&-", "is closed"), ("1</dev/null", "open for reading only")] {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &format!("exec \"$0\" {line} {redirection}"), env!("CARGO_BIN_EXE_assay")]);
            shell.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache);
            finish(&mut shell).refused(&["standard output", what, "/dev/null"]);
        }
    }
    // Neither of the other streams matters to a result that is read.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "exec \"$0\" list <&- 2>&-", env!("CARGO_BIN_EXE_assay")]);
    shell.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache);
    finish(&mut shell).ends(0, &["csum_partial"]);
}

/// What a verb writes into a FIFO, which has to remain a FIFO.
fn through_a_fifo(lab: &Lab, run: impl FnOnce() -> Ran) -> Vec<u8> {
    let fifo = lab.folder.join("fifo");
    if !fifo.exists() {
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    }
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    let ran = run();
    // If the FIFO was replaced, nothing writes into it, and its reader would wait for ever.
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo(), "{ran:#?}");
    ran.ends(0, &[]);
    reader.join().unwrap()
}

#[test]
fn a_fifo_is_written_through() {
    let lab = Lab::shared();
    let expected = code(&lab);
    assert_eq!(through_a_fifo(&lab, || emit(&lab, "fifo")), expected);
}

const REPORT: &str = "report csum_fold -a powerpc64le -v rotate -c power8 --case chain=0";
const EXPLAIN: &str = "explain csum_fold/rotate -a powerpc64le -c power8 --case chain=0 --count 8";

/// The verbs that write text and traces treat `-o` in the same way.
#[test]
fn reports_pages_and_traces_go_through_devices_fifos_and_links() {
    let lab = Lab::shared();
    program(&lab, true);
    let is_device = || fs::metadata("/dev/full").unwrap().file_type().is_char_device();
    for line in [&format!("{REPORT} -o /dev/full"), &format!("{EXPLAIN} --html /dev/full")] {
        lab.line(line).refused(&["/dev/full", "No space left"]);
        assert!(is_device(), "{line} replaced the device");
    }
    let text = through_a_fifo(&lab, || lab.line(&format!("{REPORT} --format mail -o fifo")));
    assert!(String::from_utf8_lossy(&text).contains("rotate"));
    let page = through_a_fifo(&lab, || lab.line(&format!("{EXPLAIN} --html fifo")));
    assert!(page.starts_with(b"<!DOCTYPE html>") && page.ends_with(b"</html>\n"));
    let trace = through_a_fifo(&lab, || lab.line("trace -o fifo -- ./p"));
    assert!(trace.starts_with(b"\x89ASSAYT\n"));
    fs::create_dir(lab.folder.join("elsewhere")).unwrap();
    symlink("elsewhere/target", lab.folder.join("link")).unwrap();
    for (line, start) in [
        (format!("{REPORT} --format html -o link"), &b"<!DOCTYPE html>"[..]),
        (format!("{EXPLAIN} --html link"), b"<!DOCTYPE html>"),
        ("trace -o link -- ./p".to_owned(), b"\x89ASSAYT\n"),
    ] {
        lab.line(&line).ends(0, &[]);
        assert!(lab.folder.join("link").is_symlink(), "{line}");
        assert!(fs::read(lab.folder.join("elsewhere/target")).unwrap().starts_with(start), "{line}");
    }
    let told = lab.line(&format!("{REPORT} --format markdown -o -")).ends(0, &["wrote standard output"]);
    assert!(told.stdout.contains("| rotate") && !lab.folder.join("-").exists(), "{told:#?}");
}

#[test]
fn a_link_is_followed_and_the_file_replaced_in_one_step() {
    let lab = Lab::shared();
    let expected = code(&lab);
    fs::create_dir(lab.folder.join("elsewhere")).unwrap();
    symlink("elsewhere/target", lab.folder.join("link")).unwrap();
    for _ in 0..2 {
        emit(&lab, "link").ends(0, &[]);
        assert!(lab.folder.join("link").is_symlink());
        assert_eq!(fs::read(lab.folder.join("elsewhere/target")).unwrap(), expected);
    }
    assert_eq!(files_below(&lab.folder.join("elsewhere")).len(), 1);
}

#[test]
fn a_dash_is_standard_output_and_nothing_else_is_there() {
    let lab = Lab::shared();
    let expected = code(&lab);
    for name in ["-", "/dev/stdout"] {
        let program = root().join("docs/example/ports.bpf");
        let mut command = lab.command();
        command.args(EMIT).arg(program).args(["-o", name]);
        assert_eq!(command.output().unwrap().stdout, expected, "{name}");
    }
    assert!(!lab.folder.join("-").exists());
    let program = root().join("docs/example/ports.bpf");
    let ran = lab.assay(EMIT.iter().copied().chain([program.to_str().unwrap(), "-o", "-", "--json"]));
    ran.refused(&["standard output takes either"]);
}

#[test]
fn a_trace_goes_to_standard_output_beside_what_the_program_prints() {
    let lab = Lab::shared();
    lab.write(
        "hello.s",
        ".globl _start\n_start: bcl 20, 31, 1f\n1: mflr 4\n addi 4, 4, text - 1b\n li 0, 4\n li 3, 1\n li 5, 6\n sc\n \
         li 0, 1\n li 3, 0\n sc\ntext: .ascii \"hello\\n\"\n",
    );
    let mut build = Command::new("clang-19");
    build.args([
        "--target=powerpc64le-linux-gnu",
        "-nostdlib",
        "-static",
        "-fuse-ld=lld",
        "hello.s",
        "-o",
        "hello",
    ]);
    assert!(build.current_dir(&lab.folder).status().unwrap().success());
    let output = lab.command().args(["trace", "-o", "-", "--", "./hello"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"\x89ASSAYT\n"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("hello"), "{output:?}");
    let path = lab.write("t.trace", &output.stdout);
    lab.assay(["predict", path.to_str().unwrap(), "-c", "power8"]).ends(0, &["power8"]);
}

#[test]
fn a_wrong_place_is_told_before_the_work() {
    let lab = Lab::shared();
    program(&lab, true);
    emit(&lab, "no/such/code").refused(&["no/such/code", "make the folder first"]);
    emit(&lab, ".").refused(&["name a file in it"]);
    lab.line("trace -o no/t.trace -- ./p").refused(&["no/t.trace", "make the folder first"]);
    // Refused before a report's checks, counts and predictions, and before an unknown hot path.
    lab.line("report nonsense -o no/report").refused(&["no/report", "make the folder first"]);
    lab.line("explain nonsense -c power8 --html no/page").refused(&["no/page", "make the folder first"]);
    assert!(!lab.folder.join("no").exists());
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let lab = Lab::shared();
    let expected = code(&lab);
    let disk = lab.folder.join("disk");
    fs::create_dir(&disk).unwrap();
    let words = format!("{} docs/example/ports.bpf -o", EMIT.join(" "));
    let script = format!(
        "mount -t tmpfs -o size=8k none {disk} || exit 99
         cd {root} && {assay} {words} {disk}/code && head -c 4096 /dev/zero > {disk}/rest
         {assay} {words} {disk}/code
         echo status $?; ls -A {disk}; cmp {disk}/code {plain} && echo same",
        disk = disk.display(),
        root = root().display(),
        assay = env!("CARGO_BIN_EXE_assay"),
        plain = lab.folder.join("plain").display(),
    );
    assert!(expected.len() <= 4096, "one page, so that there is no second");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache);
    let ran = finish(&mut command);
    if ran.status == Some(1) && ran.stderr.starts_with("unshare:") || ran.status == Some(99) {
        eprintln!("skipped: this machine gives no mount namespace to this user: {}", ran.stderr);
        return;
    }
    ran.ends(0, &["status 2", "No space left", "name another place", "code\nrest\nsame"]);
}

#[test]
fn an_empty_trace_replaces_nothing() {
    let lab = Lab::shared();
    program(&lab, false);
    let path = lab.write("t.trace", "a good one");
    let kept = || assert_eq!(fs::read(&path).unwrap(), b"a good one");
    lab.line("trace --roi region -o t.trace -- ./p")
        .ends(1, &["'region' was never entered", "nothing was written"]);
    kept();
    lab.line("trace --qemu-cpu nonsense -o t.trace -- ./p").refused(&["nothing was written", "-cpu help"]);
    kept();
    assert!(Path::new("/dev/full").exists());
}
