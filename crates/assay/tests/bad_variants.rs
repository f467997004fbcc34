// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Variants with every kind of fault: each gets a verdict that names the fault, the exit status is 1, and the variants
//! beside it get their verdicts.

mod common;

use common::{body, endless, Lab, Ran, GOOD};
use std::fs;
use std::process::Command;

/// Checks files of the user's for powerpc64, with a right one among them that has to stay right.
fn check(lab: &Lab, files: &[&str]) -> Ran {
    lab.write("good.c", GOOD);
    let mut words = vec!["check", "csum_partial", "-a", "powerpc64", "--quick", "--timeout", "3"];
    words.extend(files);
    words.push("good.c");
    lab.assay(words)
}

/// The fault of one file, as `check --json` tells it.
fn fault(lab: &Lab, file: &str) -> String {
    lab.write("good.c", GOOD);
    let args =
        ["check", "csum_partial", "-a", "powerpc64", "--quick", "--timeout", "3", "--json", file, "good.c"];
    let ran = lab.assay(args).ends(1, &[]);
    let records = ran.records("check");
    assert_eq!(records.len(), 2, "{ran:#?}");
    assert_eq!(records[0]["ok"], false, "{}", records[0]);
    assert_eq!(records[1]["ok"], true, "the one beside it: {}", records[1]);
    records[0]["failure"].as_str().expect("a text").to_owned()
}

/// Linux system calls of powerpc64: `sc` with the number in r0.
const SYSCALL: &str = "
static long call(long number, long a, long b, long c, long d)
{
	register long r0 __asm__(\"r0\") = number;
	register long r3 __asm__(\"r3\") = a;
	register long r4 __asm__(\"r4\") = b;
	register long r5 __asm__(\"r5\") = c;
	register long r6 __asm__(\"r6\") = d;
	register long r7 __asm__(\"r7\") = -1;
	register long r8 __asm__(\"r8\") = 0;

	__asm__ volatile(\"sc\" : \"+r\"(r0), \"+r\"(r3), \"+r\"(r4), \"+r\"(r5), \"+r\"(r6), \"+r\"(r7), \"+r\"(r8)
			 : : \"memory\", \"cr0\", \"r9\", \"r10\", \"r11\", \"r12\");
	return r3;
}
";

#[test]
fn sources_that_do_not_build_are_told_why() {
    let lab = Lab::shared();
    let other = "extern uint32_t elsewhere(int);\n";
    for (name, text, part) in [
        ("syntax.c", body("return nonsense;"), "undeclared identifier 'nonsense'"),
        (
            "undefined.c",
            format!("#include <stdint.h>\n{other}{}", body("return elsewhere(len);")),
            "elsewhere",
        ),
        (
            "twice.c",
            format!("{GOOD}{}", GOOD.replace("csum_partial", "csum_partial_reference")),
            "duplicate symbol",
        ),
        (
            "unknown.c",
            format!("/* assay-require: power8 */\n{GOOD}"),
            "unknown.c:1: unknown key 'assay-require'",
        ),
        ("no_value.c", format!("/* assay-requires: */\n{GOOD}"), "has no value"),
        ("claim.c", format!("/* assay-requires: power77 */\n{GOOD}"), "power77"),
        ("needs.c", format!("/* assay-needs: uint64 */\n{GOOD}"), "only inside a library folder"),
        ("flags.c", format!("/* assay-cflags: --no-such-flag */\n{GOOD}"), "--no-such-flag"),
        (
            "newer.c",
            format!("/* assay-cflags: -mcpu=power10 */\n{}", body("return __builtin_vec_vcmpneb_p;")),
            "compile",
        ),
    ] {
        lab.write(name, text);
        let told = fault(&lab, name);
        assert!(told.contains(part), "{name}: {told}");
        assert!(told.contains(name), "{name}: {told}");
    }
    lab.write("latin1.c", b"/* caf\xe9 */\n");
    assert!(fault(&lab, "latin1.c").contains("UTF-8"));
    lab.assert_tidy();
}

#[test]
fn objects_that_do_not_fit_are_told_why() {
    let lab = Lab::shared();
    let good = lab.write("source.c", GOOD);
    let compile = |object: &str, flags: &[&str]| {
        let mut command = Command::new("clang-19");
        command.args(flags).args(["-ffreestanding", "-c"]).arg(&good).arg("-o").arg(lab.folder.join(object));
        assert!(command.status().unwrap().success(), "{object}");
    };
    compile("elfv1.o", &["--target=powerpc64-linux-gnu", "-mabi=elfv1"]);
    compile("arm.o", &["--target=aarch64-linux-gnu"]);
    compile("i386.o", &["--target=i386-linux-gnu"]);
    compile("coff.o", &["--target=x86_64-windows-gnu"]);
    lab.write("text.o", "no object");
    lab.write("none.o", "");
    let elf = std::fs::read(lab.folder.join("elfv1.o")).unwrap();
    lab.write("cut.o", &elf[..elf.len() / 2]);
    for (name, part) in [
        ("elfv1.o", "-mabi=elfv2"),
        ("arm.o", "-a aarch64"),
        ("i386.o", "I386"),
        ("coff.o", "ELF"),
        ("text.o", "ELF"),
        ("none.o", "ELF"),
        ("cut.o", "cut.o"),
    ] {
        // Another file than was meant: nothing is learnt about code, and the variant beside it gets its verdict.
        lab.write("good.c", GOOD);
        let ran = lab.line(&format!("check csum_partial -a powerpc64 --json good.c {name}"));
        let ran = ran.refused(&[name, part, "1 right, 0 wrong", "not judged for this reason"]);
        assert_eq!(ran.records("check").len(), 1, "{ran:?}");
    }
    lab.assert_tidy();
}

#[test]
fn code_that_misbehaves_is_caught_and_told_how() {
    let lab = Lab::shared();
    let syscall = |text: &str| format!("#include <stdint.h>\n{SYSCALL}{}", body(text));
    let junk = "static const char junk[] = \"\\x1b[31m\\xff failure? checked 9\\nchecked\\n\";
for (;;) call(4, 1, (long)junk, sizeof(junk), 0);";
    // 64 MiB at a time, each page touched.
    let allocate = "for (;;) {
	long at = call(90, 0, 64l << 20, 3, 0x22);
	if (at >= 0 && at < 4096)
		return sum;
	for (long i = 0; i < 64l << 20; i += 4096)
		((volatile char *)at)[i] = 1;
}";
    for (name, text, part) in [
        ("crash.c", body("*(volatile int *)8 = 1; return sum;"), "SIGSEGV"),
        ("illegal.c", body("__asm__ volatile(\".long 0\"); return sum;"), "SIGILL"),
        ("over_write.c", body("((volatile char *)buf)[len] = 1; return sum;"), "SIGSEGV"),
        ("clobber.c", body("__asm__ volatile(\"li 14,0\"); return sum;"), "r14"),
        ("endless.c", endless(), "still running after 3 s"),
        ("exit.c", syscall("return call(234, 0, 0, 0, 0);"), "without having said what it checked"),
        ("junk.c", syscall(junk), "still running after 3 s"),
        (
            "fork.c",
            syscall("call(2, 0, 0, 0, 0); for (;;) __asm__ volatile(\"\");"),
            "SIGSYS (it tried to start a process)",
        ),
        ("kill.c", syscall("call(37, call(20, 0, 0, 0, 0), 6, 0, 0); return sum;"), "SIGABRT"),
        ("allocate.c", syscall(allocate), ""),
    ] {
        lab.write(name, text);
        let told = fault(&lab, name);
        assert!(told.contains(part), "{name}: {told}");
    }
    lab.assert_tidy();
}

#[test]
fn what_a_file_includes_is_part_of_it() {
    let lab = Lab::empty();
    lab.write(
        "includes.c",
        format!("#include \"own.h\"\n{}", GOOD.replace("total = sum", "total = sum + EXTRA")),
    );
    for (extra, status) in [(0, 0), (1, 1), (0, 0)] {
        lab.write("own.h", format!("#define EXTRA {extra}\n"));
        lab.line("check csum_partial -a powerpc64 --quick includes.c").ends(status, &["includes"]);
    }
}

#[test]
fn sources_that_make_the_tools_grow_are_given_up() {
    let lab = Lab::empty();
    // A terabyte of zeros in the object file.
    lab.write("zeros.S", ".data\n.zero 0x10000000000\n");
    let told = fault(&lab, "zeros.S");
    assert!(told.contains("zeros.S") && told.contains("File size limit"), "{told}");
    assert!(!told.contains("Stack dump"), "{told}");
    lab.assert_tidy();
}

#[test]
fn odd_names_are_names_like_others() {
    let lab = Lab::shared();
    let long = format!("{}.c", "x".repeat(240));
    let names = ["a b,c'd\"e$(f);g.c", "./-dash.c", "@at.c", "a=b.c", "\u{fc}ber\n.c", &long];
    for name in names {
        lab.write(name, GOOD);
    }
    let mut words = vec!["check", "csum_partial", "-a", "powerpc64", "--quick", "--json"];
    words.extend(names);
    let ran = lab.assay(words).ends(0, &["6 right"]);
    assert_eq!(ran.records("check").len(), names.len());
    for name in names {
        lab.assay(["count", "csum_partial", "-a", "powerpc64", "--case", "size=40", "--json", name])
            .ends(0, &[])
            .records("count");
    }
    check(&lab, &[]).ends(0, &["1 right"]);
}

#[test]
fn one_bad_file_in_a_folder_takes_no_verdict_from_the_others() {
    let lab = Lab::shared();
    let generic = "mine/checksum/csum_partial/generic";
    lab.write(&format!("{generic}/right.c"), GOOD);
    lab.write(&format!("{generic}/misspelt.c"), format!("/* assay-flags: -O3 */\n{GOOD}"));
    lab.write(&format!("{generic}/syntax.c"), body("return nonsense;"));
    lab.write(&format!("{generic}/needs.c"), format!("/* assay-needs: nobody */\n{GOOD}"));
    lab.write(&format!("{generic}/binary.c"), b"\xff\xfe\0");
    std::fs::create_dir(lab.folder.join(generic).join("folder.c")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", lab.folder.join(generic).join("device.c")).unwrap();
    std::os::unix::fs::symlink("nowhere", lab.folder.join(generic).join("dangling.c")).unwrap();
    assert!(Command::new("mkfifo").arg(lab.folder.join(generic).join("pipe.c")).status().unwrap().success());
    // What holds no code that could be read has no verdict.
    let told =
        ["1 right, 4 wrong", "folder.c", "device.c", "dangling.c", "pipe.c", "not judged for this reason"];
    let ran = lab.line("check csum_partial -d mine -a riscv64 --quick --json").ends(2, &told);
    assert_eq!(ran.records("check").len(), 5, "{ran:?}");
    for record in ran.records("check") {
        let right = record["variant"] == "right";
        assert_eq!(record["ok"], right, "{record}");
        assert!(right || !record["failure"].as_str().unwrap_or_default().is_empty(), "{record}");
    }
    // The verbs that run cases continue, too, with our variants beside.
    let right =
        |records: Vec<serde_json::Value>| records.iter().filter(|one| one["variant"] == "right").count();
    let ran = lab.line("count csum_partial -d mine -a riscv64 --case size=40 --json").ends(2, &["4 failed"]);
    assert_eq!(right(ran.records("count")), 1);
    lab.line("list csum_partial -d mine -a riscv64").ends(0, &["misspelt", "unknown key"]);
    let line =
        format!("measure csum_partial -d mine -a {} --case size=40 --processes 1 --json", common::native());
    let ran = lab.line(&line).ends(1, &["syntax", "does not compile"]);
    assert_eq!(right(ran.records("measurement")), 1);
}

#[test]
fn another_file_or_flag_than_was_meant_is_no_verdict() {
    let lab = Lab::shared();
    lab.write("good.c", GOOD);
    let clang = |arch: &str, to: &str| {
        let mut clang = Command::new("clang-19");
        let target = format!("--target={arch}-linux-gnu");
        let words = [target.as_str(), "-O1", "-ffreestanding", "-c", "good.c", "-o", to];
        assert!(clang.args(words).current_dir(&lab.folder).status().unwrap().success());
        std::fs::read(lab.folder.join(to)).unwrap()
    };
    clang("x86_64", "x86.o");
    let whole = clang("powerpc64le", "whole.o");
    let judge = |file: &str, more: &str| {
        lab.line(&format!("check csum_partial {file} -a powerpc64le --quick {more}"))
    };
    judge("whole.o", "").ends(0, &["1 right"]);
    let not_judged = |ran: common::Ran, parts: &[&str]| {
        let ran = ran.refused(parts).ends(2, &["0 right, 0 wrong", "not judged for this reason"]);
        assert!(!ran.stdout.contains("WRONG"), "{ran:#?}");
    };
    not_judged(
        judge("x86.o", ""),
        &["x86.o: is x86_64 code, but powerpc64le was asked for", "give -a x86_64"],
    );
    for length in [0, 10, 64, whole.len() / 4, whole.len() / 2, whole.len() - 70, whole.len() - 1] {
        lab.write("cut.o", &whole[..length]);
        not_judged(judge("cut.o", ""), &["cut.o"]);
    }
    for flags in ["--bogus", "-march=nonsense", "-std=c08"] {
        not_judged(judge("good.c", &format!("--cflags={flags}")), &["nothing compiles with", flags]);
    }
    // With what the compiler takes, it is the file that does not compile.
    judge("good.c", "--cflags=-Dreturn=nonsense").ends(1, &["1 wrong", "does not compile"]);
    lab.write("flags.c", format!("/* assay-cflags: --bogus */\n{GOOD}"));
    judge("flags.c", "").ends(1, &["1 wrong", "does not compile"]);
}

#[test]
fn a_variant_that_fails_alone_is_a_failure_and_no_wrong_usage() {
    let lab = Lab::shared();
    lab.write("crash.c", body("*(volatile int *)8 = 1; return sum;"));
    for verb in ["count", "measure"] {
        let line = format!("{verb} csum_partial -a {} --case size=40 crash.c", common::native());
        lab.line(&line).ends(1, &["crash", "SIGSEGV"]);
    }
}

/// What only one of the two claims has is illegal where the other one decides the CPU.
#[test]
fn code_for_two_extensions_of_riscv_passes_if_it_claims_both() {
    let lab = Lab::shared();
    let both = "__asm__ volatile(\".option push\\n.option arch, +zbb, +v\\n\tcpop t0, t0\\n\t\"
        \"vsetvli t0, t0, e8, m1, ta, ma\\n.option pop\" ::: \"t0\");\n";
    for (claims, status) in [("zbb rvv", 0), ("rvv", 1), ("zbb", 1)] {
        let code = GOOD.replace("\tfor (", &format!("\t{both}\tfor ("));
        lab.write("both.c", format!("/* assay-requires: {claims} */\n{code}"));
        let word = if status == 0 { "1 right" } else { "SIGILL" };
        let ran = lab.line("check csum_partial both.c -a riscv64 --quick");
        assert!(ran.status == Some(status) && format!("{ran:?}").contains(word), "{claims}: {ran:#?}");
    }
}

/// A test or reference that does not build says nothing of a variant.
#[test]
fn a_broken_test_or_reference_makes_no_variant_wrong() {
    let example = common::root().join("docs/example/libs/text/count_newlines");
    for (file, text, parts) in [
        ("test.c", "int wrong = ;\n", ["test.c: does not compile", "expected expression"]),
        ("test.c", "", ["test.c: does not define assay_hotpath", "docs/add-a-hotpath.md"]),
        ("reference.c", "int wrong = ;\n", ["reference.c: does not compile", "expected expression"]),
        ("reference.c", "", ["reference.c: does not define count_newlines", "docs/add-a-hotpath.md"]),
    ] {
        let lab = Lab::shared();
        for name in ["hotpath.toml", "test.c", "reference.c", "generic/words.c"] {
            lab.write(&format!("mine/text/count_newlines/{name}"), fs::read(example.join(name)).unwrap());
        }
        let check = "check count_newlines -d mine -a powerpc64le -v words --quick --json";
        assert_eq!(lab.line(check).ends(0, &[]).records("check").len(), 1);
        lab.write(&format!("mine/text/count_newlines/{file}"), text);
        let ran = lab.line(check).refused(&parts);
        assert_eq!(ran.stdout, "", "no verdict: {ran:#?}");
    }
}

#[test]
fn broken_contracts_name_the_file_and_the_fault() {
    let right =
        "symbol = \"twice\"\nprototype = \"int twice(int)\"\nmeaning = \"doubles\"\n[[case]]\nsize = 1\n";
    let hotpath = "mine/maths/twice";
    let adapter = "[[adapter]]\nsymbol = \"dup\"\nsource = \"adapters/own.c\"\n";
    let named = |name: &str| {
        format!("{right}[[width]]\nbits = 16\n[variants]\n\"generic/br\" = {{ 16 = \"{name}\" }}\n")
    };
    for (text, parts) in [
        ("symbol = [", &["hotpath.toml", "TOML parse error at line 1"][..]),
        ("\0\x01", &["hotpath.toml"]),
        ("symbol = \"twice\"\n", &["hotpath.toml", "prototype"]),
        (&right.replace("meaning", "color = 1\nmeaning"), &["hotpath.toml", "color"]),
        (&right.replace("\"twice\"", "\"two words\""), &["hotpath.toml", "no C identifier"]),
        (
            &right.replace("\"twice\"", "\"memcpy\""),
            &["hotpath.toml", "the runner's own", "call it my_memcpy", "--cflags=-Dmemcpy=my_memcpy"],
        ),
        (&right.replace("\"twice\"", "\"2ce\""), &["hotpath.toml", "no C identifier"]),
        (&right.replace("\"twice\"", "\"\""), &["hotpath.toml", "no C identifier"]),
        (&right.replace("size = 1", "size = -1"), &["hotpath.toml"]),
        (&right.replace("size = 1", "size = 1.5"), &["hotpath.toml"]),
        (&right.replace("size = 1", "Size = 1"), &["hotpath.toml", "'Size'"]),
        (&right.replace("size = 1", ""), &["hotpath.toml", "empty"]),
        (
            &right.replace("[[case]]\nsize = 1\n", ""),
            &["hotpath.toml", "declares no [[case]]", "declare one"],
        ),
        (&format!("{right}[[case]]\nsize = 1\n"), &["hotpath.toml", "[[case]] size=1 is there twice"]),
        (&format!("archs = []\n{right}"), &["hotpath.toml", "archs names no architecture", "leave it out"]),
        (
            &format!("archs = [\"riscv64\", \"riscv64\"]\n{right}"),
            &["hotpath.toml", "archs has riscv64 twice"],
        ),
        (&format!("{right}{}", adapter.repeat(2)), &["hotpath.toml", "two [[adapter]] are for dup"]),
        (&format!("{right}{adapter}"), &["reference.c"]),
        (&named(""), &["hotpath.toml", "generic/br is named ''"]),
        (&named("a/b"), &["hotpath.toml", "generic/br is named 'a/b'", "letters"]),
        (&named(".."), &["hotpath.toml", "generic/br is named '..'"]),
        (&named("a,b"), &["hotpath.toml", "generic/br is named 'a,b'"]),
        (&named("brh_2"), &["reference.c"]),
        (
            &format!("{right}[[adapter]]\nsymbol = \"dup\"\nsource = \"adapters/dup.c\"\n"),
            &["hotpath.toml", "no file adapters/dup.c"],
        ),
        (&format!("{right}[[width]]\nbits = 0\n"), &["hotpath.toml", "bits = 0"]),
        (
            &format!("{right}[[width]]\nbits = 16\n[[width]]\nbits = 16\nmeaning = \"other\"\n"),
            &["hotpath.toml", "the width 16 is there twice"],
        ),
        (
            &format!("{right}[[width]]\nbits = 16\ncase = [{{ size = 2 }}, {{ size = 2 }}]\n"),
            &["hotpath.toml", "[[case]] size=2 is there twice"],
        ),
        (&format!("#{}\n{right}", "x".repeat(17 << 20)), &["hotpath.toml", "too long"]),
        (right, &["reference.c"]),
    ] {
        let lab = Lab::shared();
        lab.write(&format!("{hotpath}/hotpath.toml"), text);
        lab.write(&format!("{hotpath}/adapters/own.c"), "");
        lab.write(&format!("{hotpath}/generic/br.c"), "");
        lab.line("list -d mine").refused(parts);
        lab.line("check -d mine").refused(parts);
    }
    let lab = Lab::shared();
    lab.write(&format!("{hotpath}/hotpath.toml"), right);
    lab.write(&format!("{hotpath}/reference.c"), "");
    lab.line("check -d mine").refused(&["test.c"]);
    lab.write(&format!("{hotpath}/test.c"), "");
    lab.write(&format!("{hotpath}/z80/mine.c"), "");
    lab.line("check -d mine").refused(&["'z80'", "powerpc64le"]);
}
