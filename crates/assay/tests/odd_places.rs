// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Checkouts and caches under odd paths, odd environments, and output that programs read.

mod common;

use common::{finish, native, root, Lab, GOOD};
use std::fs;
use std::process::Command;

/// Spaces, quotes, characters that shells expand, and those at which QEMU splits plugin options and ld.so what it preloads.
const ODD: &str = "a b,c'd\"e=f;$(g)\\h,,i:j";

#[test]
fn paths_with_odd_characters_are_paths_like_others() {
    let lab = Lab::in_folder(ODD);
    lab.link_qemu();
    lab.write("good.c", GOOD);
    let checkout = lab.folder.join("check out");
    fs::create_dir(&checkout).unwrap();
    for name in ["libs", "runner", "cpus", "tracer", "studies"] {
        std::os::unix::fs::symlink(root().join(name), checkout.join(name)).unwrap();
    }
    for line in [
        "check csum_partial -a powerpc64 --quick good.c",
        "check csum_partial -a powerpc64 -a riscv64 --quick -v uint64",
        "count csum_partial -a powerpc64 -a loongarch64 --case size=40 -v uint64",
        "predict csum_partial -a powerpc64 -c power8 --case size=40 -v uint64",
        // Built by make, to which a blank ends a name.
        "vdso list -a powerpc64",
        "regcheck -a powerpc64 -l context_switch --rounds 1",
        "ebpf plugin --arch powerpc64",
    ] {
        let words = line.split_whitespace();
        finish(lab.command().env("ASSAY_ROOT", &checkout).args(words)).ends(0, &["powerpc64"]);
    }
    finish(lab.command().env("ASSAY_ROOT", &checkout).args(["cache-log", "pages", "--help"]))
        .ends(0, &["cache-log-pages"]);
    // A header beside the adapter, and an object.
    let adapter = root().join("libs/vector_state/switch/regcheck/adapters/ucontext.c");
    lab.write("adapter.c", format!("#include \"beside.h\"\n{}", fs::read_to_string(adapter).unwrap()));
    lab.write("beside.h", "");
    lab.write("object.c", "");
    finish(Command::new("clang-19").args(["-c", "object.c"]).current_dir(&lab.folder)).ends(0, &[]);
    let line = format!("regcheck --adapter adapter.c --link object.o -a {} --rounds 1", native());
    lab.line(&line).ends(0, &["1 switches keep all"]);
    // The tracer sees the signal that ends it only if it is preloaded.
    lab.line("trace --timeout 1 -- sleep 60").ends(0, &["still running after 1 s", "sleep.trace: "]);
    lab.assert_tidy();
    // The QEMU that ./setup builds parses plugin options by other code than Debian's.
    if lab.cache.join("qemu-10/bin/qemu-loongarch64").is_file() {
        lab.line("count csum_partial -a loongarch64 -v lsx --case size=250").ends(0, &["lsx"]);
    } else {
        eprintln!("skipped: QEMU 10 is not built; ./setup builds it");
    }
}

#[test]
fn odd_environments_change_nothing() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    let count = |change: &dyn Fn(&mut Command)| {
        let mut command = lab.command();
        command.args("count csum_partial -a powerpc64 --case size=40 good.c".split_whitespace());
        change(&mut command);
        finish(&mut command).ends(0, &["size=40"]).stdout
    };
    let usual = count(&|_| {});
    for (unset, set) in [
        (&["HOME", "USER"][..], &[][..]),
        (&[], &[("LC_ALL", "tr_TR.UTF-8"), ("LANGUAGE", "de:fr")]),
        (&[], &[("TERM", "dumb"), ("NO_COLOR", "1")]),
        (&["TERM"], &[("TMPDIR", "/nonexistent")]),
        (&[], &[("QEMU_LOG", "exec"), ("QEMU_STRACE", "1")]),
    ] {
        let told = count(&|command| {
            for name in unset {
                command.env_remove(name);
            }
            command.envs(set.iter().copied());
        });
        assert_eq!(told, usual, "without {unset:?}, with {set:?}");
    }
    for columns in ["1", "0", "-5", "banana", "99999999999999999999"] {
        // Narrow or not, every row is there.
        count(&|command| {
            command.env("COLUMNS", columns);
        });
        finish(lab.command().env("COLUMNS", columns).args(["list", "csum_fold"])).ends(0, &["reference"]);
        finish(lab.command().env("COLUMNS", columns).arg("--help")).ends(0, &["check"]);
    }
}

#[test]
fn json_is_lines_of_records_and_nothing_else() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    let native = native();
    for (line, kind) in [
        ("list csum_fold", "variant"),
        ("check csum_partial -a powerpc64 --quick good.c", "check"),
        ("count csum_partial -a powerpc64 --case size=40 good.c", "count"),
        ("predict csum_partial -a powerpc64 -c power8 --case size=40 good.c", "prediction"),
        (&format!("measure csum_partial -a {native} --case size=40 --processes 2 good.c"), "measurement"),
    ] {
        let before = format!("--json {line}");
        let after = format!("{line} --json");
        for line in [before, after] {
            let ran = lab.line(&line).ends(0, &[]);
            for record in ran.records(kind) {
                for key in ["hotpath", "variant", "arch", "assay_version"] {
                    assert!(record[key].is_string(), "{key}: {record}");
                }
            }
        }
    }
    for (line, kind) in [
        ("doctor --json", "doctor"),
        ("study --json", "study_title"),
        ("list csum_fold --json", "variant"),
        ("cpu power9 --json", "cpu_entry"),
    ] {
        lab.line(line).ends(0, &[]).records(kind);
    }
}
