// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Servers, which never exit by themselves: what they execute until Ctrl-C or --timeout is recorded and can be judged.

mod common;

use common::{heeding_interrupts, root, Lab};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};

const LETTERS: &str = "what a client says";

/// Starts recording `answer` in a server for another architecture; returns the recording process and the server's port.
fn serve(lab: &Lab, arch: &str, words: &[&str]) -> (Child, u16) {
    let mut clang = Command::new("clang-19");
    clang.args([
        &format!("--target={arch}-linux-gnu"),
        "-O2",
        "-ffreestanding",
        "-nostdlib",
        "-static",
        "-fuse-ld=lld",
    ]);
    clang.arg(root().join("crates/trace/tests/programs/server.c")).arg("-o").arg(lab.folder.join("server"));
    common::finish(&mut clang).ends(0, &[]);
    let mut command = lab.command();
    command.args(["trace", "--roi", "answer"]).args(words).args(["--", "./server"]);
    let mut child =
        heeding_interrupts(&mut command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let Ok(port) = line.trim().parse() else { panic!("no port: {line} {:?}", child.wait_with_output()) };
    (child, port)
}

/// Connects as a client and returns the server's answer.
fn ask(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(LETTERS.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The instructions of one answer; all answers have the same number.
fn recorded(lab: &Lab, answers: u64) -> u64 {
    let counts = lab.line("count server.trace --json").ends(0, &[]).records("trace_count");
    let calls: u64 = counts.iter().map(|one| one["calls"].as_u64().unwrap()).sum();
    assert_eq!((calls, counts.len()), (answers, 1), "{counts:?}");
    assert_eq!(counts[0]["region"], "answer");
    let instructions = counts[0]["instructions"].as_u64().unwrap();
    assert!(instructions > LETTERS.len() as u64 * 3, "{counts:?}");
    instructions
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_server_that_ctrl_c_ends_has_its_answers_recorded() {
    for (arch, cpu) in [("powerpc64le", "power9"), ("aarch64", "llvm:cortex-a76")] {
        let lab = Lab::shared();
        let (child, port) = serve(&lab, arch, &[]);
        for _ in 0..3 {
            assert_eq!(ask(port), LETTERS.to_uppercase());
        }
        // SAFETY: a signal to our own child, which has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(libc::SIGINT), "{output:?}");
        let told = told(&output);
        assert!(told.contains("interrupted: what it did until then is recorded"), "{told}");
        assert!(told.contains("in 3 entries"), "{told}");
        recorded(&lab, 3);
        let predicted = lab.line(&format!("predict server.trace -c {cpu} --json")).ends(0, &[]);
        let cycles = predicted.records("trace_prediction")[0]["cycles"].as_f64().unwrap();
        assert!(cycles > 3.0 * LETTERS.len() as f64, "{predicted:?}");
    }
}

#[test]
fn a_server_that_a_time_limit_ends_has_its_answers_recorded() {
    let lab = Lab::shared();
    // Long enough for a busy machine to connect once.
    let (child, port) = serve(&lab, "powerpc64le", &["--timeout", "8"]);
    assert_eq!(ask(port), LETTERS.to_uppercase());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = told(&output);
    assert!(told.contains("still running after 8 s and was ended"), "{told}");
    recorded(&lab, 1);
}

#[test]
fn a_server_that_nobody_asked_leaves_no_trace_and_says_why() {
    let lab = Lab::shared();
    let (child, _) = serve(&lab, "powerpc64le", &[]);
    // SAFETY: as above.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let output = child.wait_with_output().unwrap();
    let told = told(&output);
    assert!(told.contains("'answer' was never entered; nothing was written"), "{told}");
    assert!(!lab.folder.join("server.trace").exists());
}
