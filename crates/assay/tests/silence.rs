// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! No verb is silent for long: if it does not report its progress, a message says that it is at work. These tests make
//! something slow and look for the message, but not for how soon it comes, which depends on the machine's load.

mod common;

use common::{finish, Lab, GOOD};

#[test]
fn whatever_takes_its_time_says_within_three_seconds_that_it_is_at_work() {
    // A compiler that is slow whenever it compiles.
    let slow = "case \" $* \" in *' -c '*) sleep 3.5 ;; esac\nPATH=${PATH#*:} exec clang-19 \"$@\"";
    let told = |number: usize, line: &str| {
        let lab = Lab::shared();
        // A source that is not in the cache, so that each verb waits for the compiler.
        let serial = format!("{}_{number}", std::process::id());
        lab.write("mine.c", format!("static const char *name_{serial} = \"{serial}\";\n{GOOD}"));
        lab.write_program("bin/clang-19", slow);
        let path = format!("{}:{}", lab.folder.join("bin").display(), std::env::var("PATH").unwrap());
        finish(lab.command().env("PATH", &path).args(line.split_whitespace())).ends(0, &[]).stderr
    };
    // Verbs that count their work print how far they are after how many seconds; others print for how many seconds they
    // are at work.
    let case = "-v uint64 -a powerpc64le --case size=40";
    let lines = [
        "check csum_partial mine.c -a powerpc64le --quick".to_owned(),
        "code csum_partial mine.c -a powerpc64le".to_owned(),
        "explain csum_partial mine.c -a powerpc64le -c power8 --case size=40 --count 8".to_owned(),
        format!("count csum_partial mine.c {case}"),
        format!("predict csum_partial mine.c {case} -c power8"),
        format!("compare csum_partial mine.c {case} -c power8"),
        format!("report csum_partial mine.c {case} -c power8 -o report"),
    ];
    std::thread::scope(|scope| {
        for (number, line) in lines.iter().enumerate() {
            scope.spawn(move || {
                let told = told(number, line);
                let mut heard = told.lines().filter(|line| line.contains(": ") && line.ends_with(" s"));
                assert!(heard.next().is_some(), "nothing is heard of {line}: {told}");
            });
        }
    });
}

#[test]
fn a_verb_that_waits_for_a_machine_says_so() {
    let lab = Lab::shared();
    lab.write("p.s", ".globl _start\n_start: li 0, 1\n li 3, 0\n sc\n");
    let mut clang = std::process::Command::new("clang-19");
    clang.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "p.s", "-o", "p"]);
    finish(clang.current_dir(&lab.folder)).ends(0, &[]);
    lab.write("vmlinux", "nothing that boots");
    lab.write_program("bin/qemu-system-ppc64", "sleep 3.5; exit 1");
    let path = format!("{}:{}", lab.folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = lab.command();
    command.env("PATH", path).args("kernel run -a powerpc64le --kernel vmlinux --workload ./p".split(' '));
    let ran = finish(&mut command).ends(1, &["kernel: at work for "]);
    // The log is in the checkout, and the user is not.
    let log = ran.stderr.split_whitespace().find(|word| word.ends_with(".log:")).unwrap();
    assert!(log.starts_with('/'), "{log}");
    lab.write_program("bin/qemu-system-ppc64", "echo cannot load that >&2; exit 1");
    finish(&mut command).refused(&[
        "vmlinux",
        "QEMU does not start it: cannot load that",
        "name an image of",
    ]);
}
