// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `regcheck` from end to end: our switch, a library that a user brings, one that loses a register, and what is refused.

mod common;

use common::{native, root, Lab};

#[test]
fn ours_has_a_record_for_each_policy_and_class() {
    let lab = Lab::shared();
    let ran = lab.line("regcheck -a riscv64 -a powerpc64le -l context_switch --rounds 2 --json").ends(0, &[]);
    let records = ran.records("check");
    for (arch, policies, classes) in [
        (
            "powerpc64le",
            &["full", "used", "vrsave", "inline"][..],
            &["gpr", "cr", "fpr", "vector", "control"][..],
        ),
        ("riscv64", &["full", "used", "inline"], &["gpr", "fpr", "control"]),
    ] {
        for policy in policies {
            for class in classes {
                let found = records
                    .iter()
                    .find(|one| one["arch"] == arch && one["policy"] == *policy && one["class"] == *class);
                let record = found.unwrap_or_else(|| panic!("{arch}, {policy}, {class}: {ran:#?}"));
                assert_eq!(record["ok"], true, "{record}");
                assert!(record["registers_count"].as_u64().expect("a count") > 0, "{record}");
                assert_eq!(record["lost"].as_array().map(Vec::len), Some(0), "{record}");
            }
        }
    }
}

/// swapcontext of the native libc, and the same with rbx overwritten on return.
#[test]
fn a_library_that_a_user_brings_is_judged() {
    let lab = Lab::shared();
    let text = std::fs::read_to_string(root().join("libs/vector_state/switch/regcheck/adapters/ucontext.c"))
        .expect("it is in the checkout");
    lab.write("good.c", &text);
    let line = format!("regcheck --adapter good.c -a {}", native());
    lab.line(&line).ends(0, &["1 switches keep all, 0 lose registers"]);
    if native() != "x86_64" {
        println!("skipped: the broken adapter is for x86_64");
        return;
    }
    let broken = text.replacen("swapcontext(", "lossy(", 2);
    assert_ne!(broken, text);
    let lossy =
        "#include <ucontext.h>\nstatic __attribute__((noinline)) void lossy(ucontext_t *a, ucontext_t *b)\n\
                 {\n\tswapcontext(a, b);\n\t__asm__ volatile(\"xorl %ebx, %ebx\");\n}\n";
    let (head, tail) = broken.split_at(broken.find("#include \"regcheck.h\"").expect("adapters include it"));
    lab.write("broken.c", format!("{head}{lossy}{tail}"));
    lab.line("regcheck --adapter broken.c -a x86_64").ends(1, &["rbx", "1 lose registers"]);
}

/// Switches that return at once keep everything, and so does a program that is over: neither says anything of registers.
#[test]
fn a_switch_that_reaches_nobody_is_no_switch() {
    let lab = Lab::shared();
    let adapter = |start: &str, there: &str| {
        format!(
            "#include \"regcheck.h\"\n#include <ucontext.h>\n#include <unistd.h>\n\
             static ucontext_t first;\nstatic int times;\n\
             static const char *start(void (*side)(void)) {{ (void)side; (void)first; (void)times; {start} return NULL; }}\n\
             static void there(void) {{ {there} }}\nstatic void back(void) {{ }}\n\
             const struct regcheck_adapter regcheck_adapters[] = {{ {{ \"odd\", \"\", start, there, back }}, {{ 0 }} }};\n"
        )
    };
    let unreached = ["odd: the switch did not reach the other side", "0 of 128", "there()"];
    let early = ["ended before it had checked every switch", "must not end the program"];
    for (name, start, there, parts) in [
        ("nowhere.c", "", "", &unreached[..]),
        ("itself.c", "", "swapcontext(&first, &first);", &unreached),
        ("exits.c", "_exit(0);", "", &early),
        ("exits_later.c", "", "if (++times == 9) _exit(1);", &early),
    ] {
        lab.write(name, adapter(start, there));
        lab.line(&format!("regcheck --adapter {name} -a {}", native())).refused(parts);
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let lab = Lab::shared();
    lab.write("nothing.c", "int nothing;\n");
    lab.write("torn.c", "int torn(\n");
    lab.write("text.txt", "hello\n");
    let arch = native();
    for (line, parts) in [
        ("regcheck --adapter missing.c".to_owned(), &["missing.c"][..]),
        (format!("regcheck --adapter torn.c -a {arch}"), &["torn.c"]),
        (format!("regcheck --adapter nothing.c -a {arch}"), &["nothing.c"]),
        (format!("regcheck --adapter nothing.c --link nosuch.o -a {arch}"), &["nosuch.o"]),
        ("regcheck --adapter text.txt".to_owned(), &["text.txt"]),
    ] {
        lab.line(&line).refused(parts);
    }
    for (line, parts) in [
        ("regcheck -a z80", &["'z80'", "powerpc64le"][..]),
        ("regcheck -l nosuch", &["'nosuch'", "boost_context"]),
        ("regcheck --rounds 0", &["--rounds"]),
        ("regcheck --link x.o", &["--adapter"]),
        ("regcheck --adapter nothing.c -l ucontext", &["--adapter", "--library"]),
    ] {
        lab.line(line).ends(2, parts);
    }
}
