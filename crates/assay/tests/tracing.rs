// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Recording programs of the user's: what they read, how they end, and what keeps them from starting.

mod common;

use common::{heeding_interrupts, wait_for, Lab, Ran};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// Native programs stand in for foreign ones: they run under QEMU just the same.
fn record(lab: &Lab, words: &[&str], input: &str) -> Ran {
    let mut command = lab.command();
    command.arg("trace").args(words);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code(),
        signal: std::os::unix::process::ExitStatusExt::signal(&output.status),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_program_is_found_in_path_reads_our_input_and_its_failure_is_told() {
    let lab = Lab::shared();
    let ran = record(&lab, &["--", "sh", "-c", "cat; exit 3"], "typed by the user\n");
    let ran = ran.ends(0, &["the program failed: it exited with status 3", "sh.trace: "]);
    assert_eq!(ran.stdout, "typed by the user\n");
    record(&lab, &["--", "no-such-program"], "").refused(&["no program 'no-such-program' here or in PATH"]);
    lab.write_program("script", "exit 0");
    record(&lab, &["--", "./script"], "").refused(&["is a script", "./assay trace -- INTERPRETER ./script"]);
}

/// A claim's `-cpu` is without what it does not name; that of a foreign program has all that there is.
#[test]
fn a_riscv_program_may_use_every_extension() {
    let lab = Lab::shared();
    let code = ".globl _start\n_start: cpop a0, a0\n sh1add a0, a0, a0\n vsetvli t0, a0, e8, m1, ta, ma\n li a0, 0\n li a7, 93\n ecall\n";
    build_assembly(&lab, "new", "riscv64", "-march=rv64gcv_zba_zbb", code);
    let ran = lab.line("trace -o new.trace -- ./new").ends(0, &["new.trace: "]);
    assert!(!ran.stderr.contains("SIGILL"), "{ran:#?}");
}

/// SVE's accesses have no addresses, so its programs need to be asked for.
#[test]
fn an_aarch64_program_may_use_every_extension_but_sve() {
    let lab = Lab::shared();
    let program =
        |code: &str| format!(".globl _start\n_start: mov x0, sp\n {code}\n mov x0, 0\n mov x8, 94\n svc 0\n");
    let newer = program("ldadd x1, x2, [x0]\n sdot v0.4s, v1.16b, v2.16b\n ldapur x1, [x0]");
    build_assembly(&lab, "newer", "aarch64", "-march=armv8.6-a", &newer);
    let ran = lab.line("trace -o newer.trace -- ./newer").ends(0, &["newer.trace: 7 instructions"]);
    assert!(!ran.stderr.contains("note: "), "{ran:#?}");
    let scalable = program("ptrue p0.b\n ld1b { z0.b }, p0/z, [x0]");
    build_assembly(&lab, "scalable", "aarch64", "-march=armv9-a", &scalable);
    lab.line("trace -o sve.trace -- ./scalable").ends(0, &["ended by SIGILL", "--qemu-cpu max has SVE"]);
    lab.line("trace -o sve.trace --qemu-cpu max -- ./scalable")
        .ends(0, &["sve.trace: 6 instructions", "1 accesses whose address QEMU did not tell"]);
}

/// Three calls of a function whose symbol is that of a descriptor, as POWER's first 64-bit ABI has it.
const DESCRIBED: &str = r#"
    .section ".opd","aw"
    .globl work
    .type work,@function
work:
    .quad .Lwork, 0, 0
    .size work, .Lend - .Lwork
    .text
    .globl _start
_start:
    li 5, 3
    mtctr 5
1:  bl .Lwork
    bdnz 1b
    li 0, 1
    li 3, 0
    sc
.Lwork:
    addi 4, 4, 1
    addi 4, 4, 1
    blr
.Lend:
"#;

#[test]
fn a_function_behind_a_descriptor_is_found_where_its_code_is() {
    let lab = Lab::shared();
    build_assembly(&lab, "described", "powerpc64", "-mcpu=pwr7", DESCRIBED);
    lab.line("trace --roi work -- ./described").ends(0, &["described.trace: 9 instructions in 3 entries"]);
    let told = lab.line("hot described.trace --function work").ends(0, &["addi r4, r4, 1"]).stdout;
    assert!(told.contains("blr"), "{told}");
}

fn build_assembly(lab: &Lab, name: &str, arch: &str, isa: &str, code: &str) {
    let source = format!("{name}.s");
    lab.write(&source, code);
    let mut build = std::process::Command::new("clang-19");
    build.args([format!("--target={arch}-linux-gnu").as_str(), isa]);
    build.args(["-nostdlib", "-static", "-fuse-ld=lld", "-o", name, &source]);
    common::finish(build.current_dir(&lab.folder)).ends(0, &[]);
}

/// `--case` is tried so before anything is recorded. The clocks' loop calls before it counts, and went on for 2^64 calls.
#[test]
fn a_runner_that_is_to_call_nothing_ends() {
    let lab = Lab::empty();
    lab.line("count clock_gettime -v reader -a x86_64 --case clock=0").ends(0, &[]);
    let runners = std::fs::read_dir(lab.cache.join("runners")).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: &std::path::PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with("clock_gettime-reader-x86_64-")
    };
    let mut child = std::process::Command::new({ runners }.find(named).unwrap())
        .args(["run", "clock=0", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let ended = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        child.try_wait().unwrap().is_some()
    });
    let _ = child.kill();
    assert!(ended, "it still runs after ten seconds");
    assert_eq!(child.wait_with_output().unwrap().stdout, b"result 0x0\n");
}

/// A clock's old assembly takes another path if its page has aged, as it does on a machine that is busy while it is recorded.
#[test]
fn a_recording_that_was_held_up_is_no_result() {
    let lab = Lab::shared();
    let clock = |ticks: u64| {
        format!(
            "#include <stdint.h>\nconst unsigned char vdso_reads_stamp = 1;\nstatic uint64_t ticks(void)\n{{\n\tuint64_t now;\n\n\t\
             __asm__ volatile(\"mftb %0\" : \"=r\"(now));\n\treturn now;\n}}\n\nint vdso_clock_gettime(int clock, void *result)\n\
             {{\n\tuint64_t start = ticks();\n\n\t(void)clock;\n\t(void)result;\n\twhile (ticks() - start < {ticks})\n\t\t;\n\treturn 0;\n}}\n"
        )
    };
    lab.write("prompt.c", &clock(0));
    lab.write("held.c", &clock(1 << 21));
    let count = |file: &str| {
        lab.line(&format!("count clock_gettime {file} -a powerpc64le --unchecked --case clock=0 --json"))
    };
    let has = |ran: &Ran, variant| ran.records("count").iter().any(|record| record["variant"] == variant);
    assert!(has(&count("prompt.c").ends(0, &[]), "prompt"));
    let told = &["held up in each of 8 recordings", "when the machine is less busy"];
    assert!(!has(&count("held.c").refused(told), "held"));
}

#[test]
fn what_only_a_child_does_is_not_recorded_and_that_is_said() {
    let lab = Lab::shared();
    let source = "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
                  __attribute__((noinline)) int work(int n) { __asm__ volatile(\"\"); return n; }\n\
                  int main(void) { if (!fork()) _exit(work(0)); wait(NULL); return 0; }\n";
    lab.write("forks.c", source);
    lab.write("library.c", "int work(void) { return 3; }\n");
    for line in ["-o forks forks.c", "-shared -fPIC -nostdlib -o library.so library.c"] {
        let mut gcc = std::process::Command::new("gcc");
        common::finish(gcc.current_dir(&lab.folder).args(line.split(' '))).ends(0, &[]);
    }
    let told = "note: 1 forks; what the children executed is not in the trace";
    lab.line("trace -o forks.trace -- ./forks").ends(0, &[told]);
    let never = ["'work' was never entered by the program itself, only its children", "without a fork", told];
    lab.line("trace --roi work -o child.trace -- ./forks").ends(1, &never);
    lab.line("trace -- ./library.so").refused(&["is a shared library and no program", "FUNCTION@SONAME"]);
    let file = lab.folder.join("forks");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    lab.line("trace -- ./forks").refused(&["no x bit", "chmod +x ./forks"]);
}

#[test]
fn what_was_recorded_before_a_crash_a_time_limit_or_ctrl_c_is_kept() {
    let lab = Lab::shared();
    let crash = record(&lab, &["-o", "crash.trace", "--", "sh", "-c", "kill -SEGV $$"], "");
    crash.ends(0, &["ended by SIGSEGV", "until then is recorded", "crash.trace: "]);
    let late = record(&lab, &["-o", "late.trace", "--timeout", "1", "--", "sleep", "60"], "");
    late.ends(0, &["still running after 1 s", "late.trace: "]);
    lab.write("early.c", "int main(void) { __builtin_trap(); }\nint work(void) { return 3; }\n");
    let mut gcc = std::process::Command::new("gcc");
    common::finish(gcc.current_dir(&lab.folder).args(["-o", "early", "early.c"])).ends(0, &[]);
    let early = lab.line("trace --roi work -o early.trace -- ./early");
    early.ends(1, &["'work' was never entered", "; until then it entered no region"]);
    for name in ["crash", "late"] {
        let mut reader = trace::Reader::open(lab.folder.join(format!("{name}.trace"))).unwrap();
        assert!(trace::count(&mut reader).unwrap()[0].counts.instructions > 1000, "{name}");
        assert_eq!(reader.end().unwrap().get("end"), Some("signal"), "{name}");
    }
    let _ = std::fs::remove_file(lab.folder.join("stopped.trace"));
    let mut child = heeding_interrupts(&mut lab.command())
        .args(["trace", "-o", "stopped.trace", "--", "sh", "-c", "echo begun; while :; do :; done"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
    // SAFETY: a signal to our own child, which has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(libc::SIGINT));
    assert!(told.contains("interrupted: what it did until then is recorded"), "{told}");
    let mut reader = trace::Reader::open(lab.folder.join("stopped.trace")).unwrap();
    assert!(trace::count(&mut reader).unwrap()[0].counts.instructions > 1000);
    wait_for("the end of what was recorded", || lab.processes().iter().all(|line| !line.contains("begun")));
}

#[test]
fn a_missing_loader_a_missing_library_and_an_illegal_instruction_are_named_with_their_remedy() {
    let lab = Lab::shared();
    let gcc = |words: &str| {
        let mut gcc = std::process::Command::new("gcc");
        common::finish(gcc.current_dir(&lab.folder).args(words.split_whitespace())).ends(0, &[]);
    };
    lab.write("nothing.c", "int main(void) { return 0; }\n");
    gcc("-o unloadable nothing.c -Wl,--dynamic-linker=/lib/no-such-loader.so");
    let refused = ["its loader /lib/no-such-loader.so is not in", "-L", "./assay foreign unpack"];
    lab.line("trace -- ./unloadable").refused(&refused);
    lab.write("gone.c", "int gone(void) { return 0; }\n");
    lab.write("lacking.c", "int gone(void);\nint main(void) { return gone(); }\n");
    gcc("-shared -fPIC -o libgone.so gone.c");
    gcc("-o lacking lacking.c -L. -lgone");
    std::fs::remove_file(lab.folder.join("libgone.so")).unwrap();
    lab.line("trace -- ./lacking").ends(0, &["status 127", "not found in", "libgone.so", "foreign unpack"]);
    let illegal = if cfg!(target_arch = "x86_64") { "ud2" } else { ".long 0" };
    lab.write("illegal.c", &format!("int main(void) {{ __asm__ volatile(\"{illegal}\"); return 0; }}\n"));
    gcc("-o illegal illegal.c");
    lab.line("trace -- ./illegal")
        .ends(0, &["ended by SIGILL", "lacks an instruction", "trapped on purpose", "--qemu-cpu"]);
}

/// A function that calls another over and over, and the program that calls both.
const NESTED: &str = "#include <stdlib.h>
__attribute__((noinline)) unsigned inner(unsigned n) { volatile unsigned s = n; while (n--) s += n * 3; return s; }
__attribute__((noinline)) unsigned outer(unsigned n) { unsigned s = 0; while (n--) s += inner(10 + n % 4); return s; }
int main(int argc, char **argv) { unsigned s = 0; for (int i = 0; i < 7; i++) s += outer(60); return (s + inner(5)) == 77; }
";

#[test]
fn a_region_inside_of_another_is_told_apart_by_all_who_read_the_trace() {
    let lab = Lab::shared();
    lab.write("nested.c", NESTED);
    let mut gcc = std::process::Command::new("gcc");
    common::finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", "nested", "nested.c"])).ends(0, &[]);
    let told = lab.line("trace --roi outer --roi inner -o nested.trace -- ./nested").ends(0, &[]).stderr;
    assert!(told.contains("in 7 entries, 0 of them inside of another"), "{told}");
    assert!(told.contains("in 421 entries, 420 of them inside of another"), "{told}");
    let alone = lab.line("trace --roi outer -o outer.trace -- ./nested").ends(0, &[]).stderr;
    let figure = |text: &str, from: &str| {
        let rest = text.split(from).nth(1).unwrap_or_else(|| panic!("no '{from}' in {text}"));
        rest.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(figure(&told, "  outer: "), figure(&alone, "outer.trace: "));
    let counts = lab.line("count nested.trace --json").ends(0, &[]).records("trace_count");
    let inside = counts.iter().filter(|one| one["region"] == "inner" && one["nested"] == true);
    assert_eq!(inside.map(|one| one["calls"].as_u64().unwrap()).sum::<u64>(), 420);
    let cpu = common::native_cpu();
    lab.line(&format!("predict nested.trace -c {cpu}")).ends(0, &["Regions", "outer", "inner"]);
    let line = format!("predict nested.trace -c {cpu} --json");
    let told = lab.line(&line).ends(0, &[]).stdout;
    let all = told.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let regions: Vec<_> = all.filter(|one| one["kind"] == "region_prediction").collect();
    let of = |name: &str, what: &str| {
        let one = regions.iter().find(|one| one["region"] == name).unwrap_or_else(|| panic!("{regions:?}"));
        one[what].as_u64().unwrap()
    };
    assert_eq!((of("outer", "entries"), of("inner", "entries")), (7, 421));
    assert_eq!(of("outer", "instructions"), figure(&alone, "outer.trace: "));
    assert!(of("outer", "cycles") > of("inner", "cycles") / 2, "{regions:?}");
}

/// A program with two functions of which one has two names, and with many that do nothing.
fn aliases(lab: &Lab) {
    let mut source = "__attribute__((noinline)) int one(int n) { volatile int s = n; return s; }
int alias(int n) __attribute__((alias(\"one\")));
int main(int argc, char **argv) { return one(argc) + alias(1) - argc - 1; }
"
    .to_owned();
    (0..17).for_each(|number| source.push_str(&format!("void f{number}(void) {{}}\n")));
    lab.write("aliases.c", source);
    let mut gcc = std::process::Command::new("gcc");
    common::finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", "aliases", "aliases.c"])).ends(0, &[]);
}

#[test]
fn one_function_by_two_names_and_too_many_regions_are_refused() {
    let lab = Lab::shared();
    aliases(&lab);
    let twice = lab.line("trace --roi one --roi alias -- ./aliases");
    twice.refused(&["'one' and 'alias' are one function", "leave one of them out"]);
    lab.line("trace --roi one --roi one -- ./aliases").ends(0, &["in 2 entries"]);
    let many: Vec<String> = (0..17).map(|number| format!("--roi f{number}")).collect();
    let many = lab.line(&format!("trace {} -- ./aliases", many.join(" ")));
    many.refused(&["17 regions, and the tracer takes 16"]);
}

#[test]
fn the_record_of_a_recording_stands_alone_on_standard_output() {
    let lab = Lab::shared();
    let one =
        &record(&lab, &["--json", "--", "echo", "its own"], "").ends(0, &["its own"]).records("trace")[0];
    assert_eq!((one["trace"].as_str(), one["end"].as_str()), (Some("echo.trace"), Some("exit")));
    assert!(one["instructions"].as_u64() > Some(1000) && one["calls"] == 1, "{one}");
    assert!(one.get("regions").is_none(), "{one}");
    lab.write("nested.c", NESTED);
    let mut gcc = std::process::Command::new("gcc");
    let built = gcc.current_dir(&lab.folder).args(["-O1", "-o", "nested_json", "nested.c"]);
    common::finish(built).ends(0, &[]);
    let ran = lab.line("trace --json --roi outer --roi inner -- ./nested_json").ends(0, &[]);
    let regions = &ran.records("trace")[0]["regions"];
    let of = |number: usize, key: &str| regions[number][key].as_u64().unwrap();
    assert_eq!((of(0, "calls"), of(1, "calls"), of(1, "nested_calls")), (7, 421, 420), "{regions}");
    assert!(of(0, "instructions") > of(1, "instructions"), "{regions}");
}

/// Linux takes 128 KiB as one word of a command line, and far more as several.
#[test]
fn a_program_may_have_long_arguments() {
    let lab = Lab::shared();
    let long = "\u{e9}".repeat(50_000);
    let ran = record(&lab, &["-o", "long.trace", "--", "true", "x", &long, &long], "");
    ran.ends(0, &["long.trace: "]);
    let reader = trace::Reader::open(lab.folder.join("long.trace")).unwrap();
    let noted = reader.header().get("arguments").unwrap();
    assert!(noted.starts_with("x \u{e9}") && noted.len() == 4096, "{}", noted.len());
}

#[test]
fn a_real_time_signal_is_told_by_this_machines_number() {
    let lab = Lab::shared();
    let ran = record(&lab, &["-o", "real_time.trace", "--", "sh", "-c", "kill -40 $$"], "");
    ran.ends(0, &["ended by a real-time signal, which has the number", "real_time.trace: "]);
}

/// Calls of different lengths, whose mean is no whole number of cycles.
const LENGTHS: &str = "volatile int sink;
__attribute__((noinline)) void turns(int count) { while (count-- > 0) sink = count; }
int main(void) { for (int i = 0; i < 120; i++) turns(3 * i % 7); return 0; }
";

#[test]
fn the_cycles_of_a_call_are_those_of_the_record_and_not_rounded() {
    let lab = Lab::shared();
    lab.write("lengths.c", LENGTHS);
    let mut gcc = std::process::Command::new("gcc");
    common::finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", "lengths", "lengths.c"])).ends(0, &[]);
    lab.line("trace --roi turns -o lengths.trace -- ./lengths").ends(0, &[]);
    let line = format!("predict lengths.trace -c {}", common::native_cpu());
    let record = lab.line(&format!("{line} --json")).ends(0, &[]).records("trace_prediction").remove(0);
    let [steady, first] = ["cycles_per_call", "cycles_cold"].map(|key| record[key].as_f64().unwrap());
    assert!(steady.fract() > 0.0, "a mean that shows whether it is rounded: {record}");
    let told = lab.line(&line).ends(0, &["Cycles of a call, of 120"]).stdout;
    for (call, cycles) in [("steady", steady), ("first", first)] {
        let row = told.lines().find(|line| line.trim_start().starts_with(&format!("{call} ")));
        let row = row.unwrap_or_else(|| panic!("no row '{call}' in {told}"));
        assert!(row.contains(&format!(" {cycles:.2} ")), "{record} {row}");
    }
}

#[test]
fn a_function_of_a_library_is_found_by_its_soname() {
    let lab = Lab::shared();
    let words = ["-o", "malloc.trace", "--roi", "malloc@libc.so.6", "--", "ls", "/"];
    record(&lab, &words, "").ends(0, &["malloc.trace: "]);
    record(&lab, &["--roi", "malloc", "--", "ls"], "").refused(&["libc.so.6 has it: --roi malloc@libc.so.6"]);
    record(&lab, &["--roi", "malloc@libnosuch.so", "--", "ls"], "").refused(&["no library 'libnosuch.so'"]);
}

#[test]
fn an_empty_trace_does_not_replace_a_good_one_and_a_limit_is_told() {
    let lab = Lab::shared();
    lab.write("true.trace", "older");
    let ran = record(&lab, &["--qemu-cpu", "nosuch", "--", "true"], "");
    ran.refused(&["ended before the program's first instruction"]);
    assert_eq!(std::fs::read(lab.folder.join("true.trace")).unwrap(), b"older");
    let ran = record(&lab, &["--limit", "1000", "--", "true"], "");
    ran.ends(0, &["recording stopped at --limit"]);
}
