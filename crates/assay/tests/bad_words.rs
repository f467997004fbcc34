// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Arguments that name nothing: each ends with status 2 and a message that says what is wrong and which names there are.

mod common;

use common::{body, finish, Lab, GOOD};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn what_names_nothing_is_refused_with_what_there_is() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    std::fs::create_dir(lab.folder.join("folder.c")).unwrap();
    std::fs::create_dir(lab.folder.join("empty")).unwrap();
    symlink("/dev/zero", lab.folder.join("device.c")).unwrap();
    symlink("circle.c", lab.folder.join("circle.c")).unwrap();
    assert!(Command::new("mkfifo").arg(lab.folder.join("pipe.c")).status().unwrap().success());
    for (line, parts) in [
        ("check nosuch", &["'nosuch'", "csum_partial"][..]),
        ("list nosuch", &["'nosuch'", "csum_partial"]),
        ("list csum_fold -v nosuch", &["'nosuch'", "rotate"]),
        ("list -v nosuch", &["'nosuch'", "rotate"]),
        ("list csum_fold good.S", &["that is no C needs its architecture", "-a"]),
        ("check csum_partial -a powerpc64 -v nosuch", &["'nosuch'", "uint64"]),
        ("count csum_partial -a powerpc64 -v uint64 --case bogus=1", &["'bogus'", "size"]),
        (
            "count csum_partial -a powerpc64 -v uint64 --case size=18446744073709551615",
            &["18446744073709551615"],
        ),
        ("count csum_partial -a powerpc64 -v uint64 --case size=x", &["'x'", "whole number"]),
        ("predict csum_partial -c la464 -a loongarch64 -v uint64 --case size=4096,size=1", &["twice"]),
        ("check csum_partial --compiler tcc", &["'tcc'", "clang or gcc"]),
        ("check csum_partial good.S", &["that is no C needs its architecture", "-a"]),
        ("check checksum -a powerpc64 good.c", &["is a library", "csum_fold"]),
        ("check csum_partial -a powerpc64 missing.c", &["missing.c", "no such file"]),
        ("check csum_partial -a powerpc64 folder.c", &["folder.c", "is a folder"]),
        ("check csum_partial -a powerpc64 device.c", &["device.c", "a device"]),
        ("check csum_partial -a powerpc64 pipe.c", &["pipe.c", "a pipe"]),
        ("check csum_partial -a powerpc64 circle.c", &["circle.c", "symbolic links"]),
        ("check csum_partial -a powerpc64 /dev/zero", &["/dev/zero", ".c, .S, .s or .o"]),
        ("check -d empty", &["empty", "holds no hot path"]),
        ("check -d missing", &["missing", "cannot read the folder"]),
        ("check -d good.c", &["good.c", "cannot read the folder"]),
        ("check ./nosuch.S", &["./nosuch.S", "no such file", "csum_partial FILE"]),
        ("predict csum_fold -a powerpc64 -c power8,", &["-c", "empty name", "a comma too many"]),
        ("study nosuch", &["'nosuch'", "2023-loongarch-checksum"]),
        ("study --scenario x", &["--scenario", "none is named"]),
        ("study --picture x.svg", &["--picture", "none is named"]),
        ("validate --native --provenance", &["--provenance", "published figures"]),
        ("validate --native --only power9", &["--only", "published figures"]),
        ("check csum_fold/nosuch -a powerpc64 good.c", &["'nosuch'", "rotate"]),
        ("code csum_fold -v rotate -a powerpc64 good.c", &["'rotate'", "one or the other"]),
        ("list csum_fold/rotate -a powerpc64 good.c", &["'rotate'", "one or the other"]),
        ("compare ebpf --null 5", &["--null", "eBPF"]),
        ("compare ebpf --against nosuch", &["--against", "eBPF"]),
        ("compare ebpf --processes 20", &["--processes", "predicted"]),
        ("compare csum_partial/uint64 csum_partial/good.c", &["good.c", "no such file"]),
        (
            "compare csum_partial/uint64 csum_partial/uint64",
            &["nothing beside csum_partial/uint64", "--null"],
        ),
        ("compare csum_partial/uint64 -a powerpc64le -c power8", &["nothing beside csum_partial/uint64"]),
        ("compare csum_partial -a powerpc64 -v vmx --against vmx -c power8", &["nothing beside"]),
    ] {
        let ran = lab.line(line).refused(parts);
        assert!(!ran.stderr.contains("-plugin"), "the message is about the user's words: {}", ran.stderr);
    }
}

/// `./assay` asks so before it fetches a kernel's source.
#[test]
fn arguments_of_kernel_are_judged_before_anything_is_set_up() {
    let lab = Lab::shared();
    lab.write("dynamic", std::fs::read("/bin/true").unwrap());
    let asked = |line: &str| {
        finish(lab.command().env("ASSAY_ARGUMENTS_ONLY", "1").env("PATH", "").args(line.split_whitespace()))
    };
    for (line, parts) in [
        (
            "kernel run -a powerpc64le --workload nosuch",
            &["nosuch", "neither a workload nor a program", "pingpong"][..],
        ),
        ("kernel run -a powerpc64le --workload dynamic", &["dynamic"]),
        ("kernel run -a powerpc64le --workload pingpong -c power3", &["power3", "power9"]),
        ("kernel run -a powerpc64le --workload pingpong --kernel nosuch", &["nosuch", "No such file"]),
        ("kernel run -a powerpc64le --workload pingpong --board nosuch", &["'nosuch'", "powernv"]),
        ("kernel build -a powerpc64le --patch nosuch", &["nosuch", "No such file"]),
        ("kernel build -a powerpc64le --source nosuch", &["nosuch", "name the top of a kernel tree"]),
        ("kernel build -a powerpc64le --compiler tcc", &["tcc", "gcc"]),
        ("kernel test -a powerpc64le nosuch", &["'nosuch'", "choose from"]),
        ("kernel trace -a powerpc64le --roi f --module nosuch.ko", &["nosuch.ko", "No such file"]),
        ("kernel trace -a powerpc64le --roi f --workload nosuch", &["nosuch", "neither a workload"]),
        ("kernel compare -a powerpc64le --roi f --workload pingpong -c power9", &["--patch"]),
        ("kernel compare -a powerpc64le --roi f --workload pingpong -c power9 --series nosuch", &["nosuch"]),
        ("kernel switches -a riscv64", &["riscv64", "choose powerpc64le"]),
        ("kernel", &["Usage:", "build"]),
        ("regcheck --bogus", &["'--bogus'"]),
    ] {
        asked(line).ends(2, parts);
    }
    for line in [
        "kernel build -a powerpc64le",
        "kernel run -a powerpc64le --workload pingpong -c power9",
        "kernel trace -a powerpc64le --roi f --workload pingpong",
        "regcheck -a powerpc64le",
        "check",
    ] {
        let ran = asked(line).ends(0, &[]);
        assert!(ran.stdout.is_empty() && ran.stderr.is_empty(), "{line}: nothing is done: {ran:?}");
    }
}

#[test]
fn what_the_command_line_does_not_know_is_refused_with_what_it_knows() {
    let lab = Lab::shared();
    for (line, parts) in [
        ("frobnicate", &["'frobnicate'", "--help", "there are list, check,"][..]),
        ("checks csum_partial", &["'checks'", "similar", "'check'"]),
        ("ebpf frobnicate", &["'frobnicate'", "there are run,"]),
        ("trace --limit -1 -- true", &["'-1'", "--limit", "from 1 on"]),
        ("check csum_partial --seed -1", &["'-1'", "--seed", "from 0 on"]),
        ("explain some.trace -c power8 --from -1", &["'-1'", "--from", "from 0 on"]),
        ("hot some.trace -n -1", &["'-1'", "--count", "from 1 on"]),
        ("pingpong --drop x", &["'x'", "--drop", "from 0 on"]),
        ("kernel trace -a powerpc64le --smp -1", &["'-1'", "--smp", "from 1 to 8"]),
        ("check --bogus", &["'--bogus'", "--help"]),
        ("check csum_partial -a z80", &["'z80'", "powerpc64le"]),
        ("check csum_partial --timeout 0", &["--timeout", "from 1 to "]),
        ("trace --timeout 0 -- true", &["--timeout", "from 1 to "]),
        ("trace --limit 0 -- true", &["--limit", "from 1 on"]),
        ("hot some.trace -n 0", &["--count", "from 1 on"]),
        ("explain csum_partial/uint64 -a powerpc64le -c power8 --count 0", &["--count", "from 1 to "]),
        (
            "explain csum_partial/uint64 -a powerpc64le -c power8 --count 9999999999999999999",
            &["--count", "from 1 to "],
        ),
        ("trace --timeout 18446744073709551615 -- true", &["--timeout", "from 1 to "]),
        ("validate --native --loops 0", &["--loops", "from 1 to "]),
        ("validate --native --as power8", &["power8", "no x86-64 code"]),
        ("validate --native --as nosuch", &["'nosuch'", "zen3"]),
        ("measure csum_partial --processes 0", &["--processes", "from 1 to "]),
        ("predict csum_partial -c z80", &["'z80'", "la464"]),
    ] {
        let ran = lab.line(line).ends(2, parts);
        assert!(!ran.stderr.contains("'-- -1'"), "{ran:?}");
    }
    lab.line("").ends(2, &["Usage"]);
    lab.assay([std::ffi::OsStr::from_bytes(b"check\xff")]).ends(2, &[]);
}

#[test]
fn sources_and_traces_are_not_taken_for_each_other() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    lab.write("no_loop.txt", "// none\n");
    lab.write("good.o", "");
    lab.line("trace -o some.trace --limit 1000 -- true").ends(0, &[]);
    for (line, parts) in [
        ("predict good.c -c power8", &["good.c", "the hot path that it is judged as stands before it"][..]),
        ("explain ./good.c -c power8", &["./good.c", "stands before it"]),
        ("compare good.c -c power8", &["good.c", "stands before it"]),
        ("count good.c", &["good.c", "stands before it"]),
        ("predict csum_partial/good.c -c power8", &["write: csum_partial good.c"]),
        ("check csum_partial/good.c -a powerpc64", &["write: csum_partial good.c"]),
        ("compare some.trace good.c -c power8", &["'good.c' is no trace"]),
        ("predict csum_partial some.trace -c power8 -a powerpc64", &["some.trace", "leave out the hot path"]),
        ("explain no/such.trace -c power8", &["no such trace"]),
        ("trace -- ./good.c", &["is a source and no program", "foreign build -a ARCH ./good.c"]),
        (
            "trace -- ./good.o",
            &["is an object and no program", "link it first", "foreign build -a ARCH ./good.o"],
        ),
        ("validate --native --probes no_loop.txt", &["no_loop.txt: has no loop", "below a line '# NAME'"]),
        ("hot some.trace -c power8,power9", &["one cpu at a time", "'power8,power9'"]),
        ("cpu POWER8", &["did you mean power8?"]),
    ] {
        lab.line(line).refused(parts);
    }
    lab.line("foreign unpack -a ppc64el,loong64 hello").ends(2, &["one architecture is meant here"]);
    let ran = lab.line("trace -a ppc64el -- ./nosuch").ends(2, &["./nosuch"]);
    assert!(!ran.stderr.contains("no package"), "{ran:#?}");
    lab.write("mine.toml", "title = \"Mine\"\ninherits = \"power8\"\n");
    lab.line("predict csum_partial -c mine")
        .refused(&["unknown cpu 'mine'", "-c ./mine.toml takes the file"]);
    let line = "count csum_partial good.c good.c -v uint64 -a powerpc64le,powerpc64le --case size=40 --json";
    assert_eq!(lab.line(line).ends(0, &[]).records("count").len(), 2, "what is named twice is meant once");
    lab.write(
        "p.s",
        ".globl _start\n_start: bl main\n li 0, 1\n li 3, 0\n sc\n.type main, @function\nmain: blr\n",
    );
    let mut clang = Command::new("clang-19");
    clang.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "p.s", "-o", "p"]);
    common::finish(clang.current_dir(&lab.folder)).ends(0, &[]);
    lab.line("trace -o twice.trace --roi main --roi main -- ./p").ends(0, &["in 1 entries"]);
    assert_eq!(lab.line("count twice.trace --json").ends(0, &[]).records("trace_count").len(), 1);
    let line = "count csum_partial/uint64 -a powerpc64le --case size=40 --case size=40 --json";
    assert_eq!(lab.line(line).ends(0, &[]).records("count").len(), 1);
}

#[test]
fn an_adapter_that_is_no_c_file_is_not_handed_to_the_linker() {
    let lab = Lab::shared();
    lab.write("adapter.txt", "no C");
    lab.line("regcheck --adapter adapter.txt").refused(&["adapter.txt: is no C file", "ends in .c"]);
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let lab = Lab::shared();
    for name in ["pipe", "pipe.toml", "pipe.trace", "pipe.ko"] {
        assert!(Command::new("mkfifo").arg(lab.folder.join(name)).status().unwrap().success());
    }
    lab.line("trace -o some.trace --limit 1000 -- true").ends(0, &[]);
    for (line, parts) in [
        ("hot some.trace --symbols pipe", &["pipe: is not a file", "name a program or library"][..]),
        ("hot pipe.trace", &["pipe.trace is not an Assay trace"]),
        ("predict pipe.trace", &["pipe.trace is not an Assay trace"]),
        ("count pipe.trace", &["pipe.trace is not an Assay trace"]),
        ("count ./pipe", &["./pipe is not an Assay trace", "a pipe"]),
        ("count /dev/null", &["/dev/null is not an Assay trace", "a device"]),
        ("predict csum_partial -c ./pipe.toml", &["pipe.toml", "it is not a file"]),
        ("trace -- ./pipe", &["./pipe: is not a file", "name an ELF object or program"]),
        ("validate --native --probes pipe", &["pipe: is not a file"]),
        ("validate --native --measured pipe", &["pipe: is not a file"]),
        ("pingpong --baseline pipe", &["pipe: is not a file"]),
        ("regcheck --adapter pipe", &["pipe: is not a file", "name a C file"]),
        ("ebpf conformance --suite pipe", &["pipe: is not a file", "name a JSON list"]),
    ] {
        lab.line(line).refused(parts);
    }
    let pipe = lab.folder.join("pipe.ko");
    let problem = lab::module::Module::load(&pipe).unwrap_err().to_string();
    assert!(
        problem.contains("pipe.ko: is not a file") && problem.contains("name a module's .ko"),
        "{problem}"
    );
    let problem = lab::symbols::Symbols::load(&pipe).unwrap_err().to_string();
    assert!(problem.contains("pipe.ko: is not a file") && problem.contains("vmlinux"), "{problem}");
}

#[test]
fn a_case_that_makes_no_sense_is_refused_where_it_is_measured() {
    let lab = Lab::shared();
    let line = format!("measure csum_partial -a {} -v uint64 --case bogus=1", common::native());
    lab.line(&line).refused(&["'bogus'", "size"]);
    // Refused before the variants are built and checked: this one would be reported as wrong.
    lab.write("wrong.c", body("return sum + len;"));
    for verb in ["count", "predict -c power8", "compare -c power8", "report -c power8"] {
        for (case, part) in [("bogus=1", "'bogus'"), ("size=99999999999", "outside")] {
            let line = format!("{verb} csum_partial wrong.c -v uint64 -a powerpc64le --case {case}");
            let ran = lab.line(&line).refused(&[part, "size", "hotpath.toml"]);
            assert!(!ran.stderr.contains("is wrong") && ran.stdout.is_empty(), "{ran:#?}");
        }
    }
    lab.line("explain csum_partial wrong.c -a powerpc64le -c power8 --case bogus=1").refused(&["'bogus'"]);
    // If one of several hot paths has the key, that one gets its figures, and the others are reported.
    let line = "count checksum -a powerpc64le -v reference --case ihl=5";
    lab.line(line).ends(2, &["ip_fast_csum", "csum_partial has no key 'ihl'"]);
}

#[test]
fn a_file_that_is_not_there_takes_no_verdict_from_the_others() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    lab.write("other/good.c", GOOD);
    let line = "check csum_partial -a powerpc64 --quick --json missing.c good.c other/good.c";
    let ran = lab.line(line).refused(&["missing.c: there is no such file", "2 right", "not judged"]);
    let names: Vec<_> = ran.records("check").iter().map(|record| record["variant"].to_string()).collect();
    assert_eq!(names, ["\"good\"", "\"other/good\""], "files of one name are told apart");
    for verb in ["count", "predict -c power8"] {
        let line = format!("{verb} csum_partial -a powerpc64 --case size=40 other/good.c good.c");
        lab.line(&line).ends(0, &["other/good"]);
    }
}

/// Files that a verb writes may be called anything; where a name has to be text, the message names it and leaves nothing behind.
#[test]
fn a_name_that_is_no_text_works_or_is_named_in_one_message() {
    let lab = Lab::shared();
    let name = |end: &str| [&b"a\xff'b"[..], end.as_bytes()].concat();
    let of = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
    std::fs::write(lab.folder.join(of(&name(".c"))), GOOD).unwrap();
    lab.write("p.s", ".globl _start\n_start: li 0, 1\n li 3, 0\n sc\n");
    let mut clang = Command::new("clang-19");
    clang.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "p.s", "-o", "p"]);
    common::finish(clang.current_dir(&lab.folder)).ends(0, &[]);
    let run = |line: &str, last: &str| {
        let words = line.split_whitespace().map(Into::into).chain([of(&name(last))]);
        lab.assay(words.collect::<Vec<std::ffi::OsString>>())
    };
    for (line, end) in [
        ("check csum_partial -a powerpc64le", ".c"),
        ("predict -c power9", ".trace"),
        ("explain -c power9", ".trace"),
        ("list -v", ""),
        ("trace --", ""),
    ] {
        run(line, end).refused(&["not UTF-8", &format!("$'a\\377\\'b{end}'"), "a link to it"]);
    }
    let mut trace = lab.command();
    trace.args(["trace", "-o"]).arg(of(&name(".trace"))).args(["--", "./p"]);
    common::finish(&mut trace).ends(0, &["3 instructions"]);
    run("hot", ".trace").ends(0, &["./assay hot $'a\\377\\'b.trace' --function"]);
    let names: Vec<_> =
        std::fs::read_dir(&lab.folder).unwrap().flatten().map(|one| one.file_name()).collect();
    let expected = [of(b"cache"), of(b"p"), of(b"p.s"), of(&name(".c")), of(&name(".trace"))];
    assert!(names.iter().all(|one| expected.contains(one)) && names.len() == 5, "{names:?}");
}

#[test]
fn what_is_needed_and_not_there_and_what_is_no_memory_have_a_remedy() {
    let lab = Lab::shared();
    lab.write("own/checksum/csum_partial/generic/mine.c", format!("/* assay-needs: nosuch */\n{GOOD}"));
    let line = "check csum_partial -d own -a powerpc64le --quick -v mine";
    lab.line(line).ends(
        1,
        &["needs the variant 'nosuch'", "remedy: assay-needs names one of the variants beside it: "],
    );
    lab.write("g.s", "r0 = 0\nexit\n");
    lab.line("ebpf run g.s --memory @.").refused(&[".: cannot read the memory", "this is a folder"]);
}
