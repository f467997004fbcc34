// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The command line for a debugger that a failed check prints: it has QEMU wait for gdb, and stop where the failing
//! call enters the function.

mod common;

use common::{finish, wait_for, Lab, GOOD};
use lab::elf::ElfFile;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Architectures, with gdb's number of the program counter and whether they are little-endian.
const ARCHS: [(&str, u8, bool); 3] =
    [("powerpc64le", 64, true), ("powerpc64", 64, false), ("aarch64", 32, true)];

/// GOOD, but it skips the last byte of a buffer of over 32 bytes.
fn broken(lab: &Lab) {
    lab.write("broken.c", GOOD.replace("i < len", "i < len - (len > 32)"));
}

/// The command line for each architecture, at this port, since tests run in parallel.
fn lines(lab: &Lab, port: u32) -> Vec<(&'static str, String)> {
    broken(lab);
    let records =
        lab.line("check csum_partial broken.c -a powerpc64le,powerpc64,aarch64 --quick --json").ends(1, &[]);
    let records = records.records("check");
    let of = |arch: &str| records.iter().find(|one| one["arch"] == arch).expect("each is judged");
    let line = |arch: &str| {
        of(arch)["debugger"]
            .as_str()
            .expect("it has a line")
            .replace("-g 1234", &format!("-g {port}"))
            .replace(":1234", &format!(":{port}"))
    };
    ARCHS.iter().map(|(arch, ..)| (*arch, line(arch))).collect()
}

/// A client of gdb's remote protocol.
struct Remote(TcpStream);

impl Remote {
    fn connect(port: u32) -> Remote {
        let mut stream = None;
        wait_for("QEMU at its port", || {
            stream = TcpStream::connect(format!("127.0.0.1:{port}")).ok();
            stream.is_some()
        });
        let stream = stream.expect("it was waited for");
        stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        Remote(stream)
    }

    fn ask(&mut self, packet: &str) -> String {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        write!(self.0, "${packet}#{sum:02x}").unwrap();
        let mut byte = [0];
        let mut next = || {
            self.0.read_exact(&mut byte).expect("QEMU answers");
            byte[0]
        };
        while next() != b'$' {}
        let mut answer = Vec::new();
        loop {
            match next() {
                b'#' => break,
                other => answer.push(other),
            }
        }
        let _ = (next(), next());
        self.0.write_all(b"+").unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// Continues to an address, as `break` and `continue` do; returns the program counter.
    fn run_to(&mut self, address: u64, counter: u8, lowest_first: bool) -> u64 {
        assert_eq!(self.ask(&format!("Z0,{address:x},4")), "OK");
        let stopped = self.ask("c");
        assert!(stopped.starts_with("T05"), "a breakpoint stops it, and nothing else: {stopped}");
        // It would stop here again at once.
        assert_eq!(self.ask(&format!("z0,{address:x},4")), "OK");
        let text = self.ask(&format!("p{counter:x}"));
        let bytes = (0..8).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap());
        let bytes: [u8; 8] = bytes.collect::<Vec<_>>().try_into().unwrap();
        if lowest_first {
            u64::from_le_bytes(bytes)
        } else {
            u64::from_be_bytes(bytes)
        }
    }
}

/// A word as a shell takes it.
fn unquoted(word: &str) -> String {
    finish(Command::new("sh").args(["-c", &format!("printf %s {word}")])).ends(0, &[]).stdout
}

/// Without gdb: sends QEMU what gdb would send for these commands.
#[test]
fn qemu_stops_where_the_words_for_gdb_have_it_stop() {
    let lab = Lab::shared();
    let port = 20000 + std::process::id() % 20000;
    for ((arch, line), (_, counter, lowest_first)) in lines(&lab, port).into_iter().zip(ARCHS) {
        let (qemu, gdb) = line.split_once(" & gdb-multiarch -q ").expect("QEMU first, and gdb beside it");
        let (file, words) = gdb.split_once(" -ex ").unwrap();
        let file = unquoted(file);
        let expected = format!(
            "'target remote :{port}' -ex 'break assay_wanted_call_follows' -ex continue -ex 'tbreak csum_partial' -ex continue"
        );
        assert_eq!(words, expected, "{arch}");
        let elf = ElfFile::load(Path::new(&file)).unwrap();
        let place = |name: &str| {
            elf.function(name).unwrap_or_else(|| panic!("{arch}: no {name} in {file}")).local_entry
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {qemu}")]).current_dir(&lab.folder);
        let mut qemu = shell.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut remote = Remote::connect(port);
        // QEMU only answers for single registers once the target description was read.
        assert!(remote.ask("qXfer:features:read:target.xml:0,fff").starts_with(['m', 'l']));
        for name in ["assay_wanted_call_follows", "csum_partial"] {
            assert_eq!(remote.run_to(place(name), counter, lowest_first), place(name), "{arch}: {name}");
        }
        // The call that was just entered is the one that fails, and with it the run.
        let ended = remote.ask("c");
        assert!(ended.starts_with('W') && ended != "W00", "{arch}: {ended}");
        drop(remote);
        let mut told = String::new();
        qemu.stdout.take().unwrap().read_to_string(&mut told).unwrap();
        qemu.wait().unwrap();
        assert!(told.contains("failure: returned 0x"), "{arch}: {told}");
    }
}

/// gdb-multiarch is not part of the set-up; without it the test is skipped with a message.
#[test]
fn the_line_for_gdb_stops_where_the_function_is_entered_by_the_wrong_call() {
    let found = finish(Command::new("sh").args(["-c", "command -v gdb-multiarch"]));
    if found.status != Some(0) {
        eprintln!("skipped: there is no gdb-multiarch");
        return;
    }
    let lab = Lab::shared();
    for (arch, line) in lines(&lab, 40000 + std::process::id() % 20000) {
        let line = format!("{line} -batch -ex 'info symbol $pc' -ex 'list csum_partial' -ex kill </dev/null");
        let ran = finish(Command::new("timeout").args(["60", "sh", "-c", &line]).current_dir(&lab.folder));
        let shown = ran.stdout.split("breakpoint 2, csum_partial").nth(1);
        let shown = shown.unwrap_or_else(|| panic!("{arch}: {ran:#?}"));
        assert!(shown.contains("broken.c") && shown.contains("uint32_t csum_partial"), "{arch}: {ran:#?}");
    }
}
