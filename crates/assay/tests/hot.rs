// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Functions, lines and instructions of a recorded program: with symbols and lines, stripped, and in shared libraries.

mod common;

use common::{finish, native_cpu as cpu, Lab, Ran};
use std::process::Command;

/// Two functions, one of which does nearly all the work, in a single line.
const PROGRAM: &str = "#include <stdlib.h>
__attribute__((noinline)) static unsigned busy(unsigned count)
{
	volatile unsigned sum = 1;
	for (unsigned i = 0; i < count; i++)
		sum = sum * 2654435761u / 3; // the work
	return sum;
}
__attribute__((noinline)) static unsigned idle(unsigned count) { return count ^ 5; }
int main(void)
{
	unsigned some = rand();
	return (busy(200000) + idle(some)) == 77;
}
";

/// Builds and records a native program, which stands in for a foreign one.
fn recorded(lab: &Lab, name: &str, flags: &[&str]) -> String {
    recorded_of(lab, name, PROGRAM, flags)
}

fn recorded_of(lab: &Lab, name: &str, program: &str, flags: &[&str]) -> String {
    lab.write(&format!("{name}.c"), program);
    let mut gcc = Command::new("gcc");
    let built =
        finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", name, &format!("{name}.c")]).args(flags));
    built.ends(0, &[]);
    lab.line(&format!("trace -- ./{name}")).ends(0, &[]);
    format!("{name}.trace")
}

fn of_kind(ran: &Ran, kind: &str) -> Vec<serde_json::Value> {
    let all = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    all.filter(|one: &serde_json::Value| one["kind"] == kind).collect()
}

fn functions(ran: &Ran) -> Vec<serde_json::Value> {
    ran.records("hot_function")
}

#[test]
fn the_function_and_line_that_do_the_work_are_first_by_instructions_and_by_cycles() {
    let lab = Lab::shared();
    let trace = recorded(&lab, "busybody", &["-g"]);
    let counted = functions(&lab.line(&format!("hot {trace} --json")).ends(0, &[]));
    let told = lab.line(&format!("hot {trace}")).ends(0, &["executed under QEMU"]).stdout;
    assert!(!told.contains("cycles predicted"), "none are shown: {told}");
    lab.line(&format!("hot {trace} -c {}", cpu())).ends(0, &["cycles predicted, not measured"]);
    let predicted = functions(&lab.line(&format!("hot {trace} -c {} --json", cpu())).ends(0, &[]));
    for (records, least) in [(&counted, 60.0), (&predicted, 60.0)] {
        let first = &records[0];
        assert_eq!((first["function"].as_str(), first["file"].as_str()), (Some("busy"), Some("busybody")));
        assert!(first["share_percent"].as_f64().unwrap() > least, "{first}");
    }
    // Skipped loop iterations are counted in full.
    assert_eq!(counted[0]["instructions"], predicted[0]["instructions"]);
    assert!(predicted[0]["cycles"].as_u64().unwrap() > 200_000 * 5, "{}", predicted[0]);
    let lines = format!("hot {trace} -c {} --function busy", cpu());
    let shown = lab.line(&lines).ends(0, &["Lines", "sum * 2654435761u / 3;", "busybody.c:6"]);
    assert!(!shown.stdout.contains("idle"), "{}", shown.stdout);
    let records = lab.line(&format!("{lines} --json")).ends(0, &[]).stdout;
    let work: Vec<serde_json::Value> =
        records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_line =
        work.iter().find(|one| one["source"].as_str().is_some_and(|at| at.ends_with(":6"))).unwrap();
    assert!(of_line["share_percent"].as_f64().unwrap() > 40.0, "{of_line}");
    assert!(work.iter().any(|one| one["kind"] == "hot_instruction" && one["text"] != ""));
}

#[test]
fn a_function_s_hot_loop_has_its_cycles_its_pipes_and_its_chain() {
    let lab = Lab::shared();
    // With the sum in a register, the loop has a dependency chain.
    let trace = recorded_of(&lab, "looping", &PROGRAM.replace("volatile ", ""), &["-g"]);
    let line = format!("hot {trace} -c {} --function busy", cpu());
    let shown = lab
        .line(&line)
        .ends(0, &["The hot loop", "cycles an iteration", "Pipes in an iteration", "on chain"]);
    assert!(shown.stdout.contains("is marked"), "the sum goes from iteration to iteration: {}", shown.stdout);
    let record = of_kind(&lab.line(&format!("{line} --json")).ends(0, &[]), "hot_loop").remove(0);
    let all = lab.line(&format!("hot {trace} -c {} --json", cpu())).ends(0, &[]).records("hot_function");
    // Cycles per iteration times iterations are the cycles attributed to the function.
    let turns = record["cycles"].as_f64().unwrap() * 200_000.0;
    let charged = all[0]["cycles"].as_f64().unwrap();
    assert!((turns / charged - 1.0).abs() < 0.05, "{record} {}", all[0]);
    assert!(record["unit_cycles"].as_object().unwrap().len() > 1, "{record}");
    assert!(
        !record["chain"].as_array().unwrap().is_empty() && record["has_carried_chain"] == true,
        "{record}"
    );
    // A file of which nothing was executed yet is not reported as changed.
    lab.line("trace -o early.trace --limit 2000 -- ./looping").ends(0, &["--limit"]);
    let early = lab.line("hot early.trace").ends(0, &[]).stderr;
    assert!(!early.contains("is not the file that was recorded"), "{early}");
    // Every verb says that the trace only covers the program's beginning.
    lab.line("trace -o begun.trace --limit 30000 -- ./looping").ends(0, &["--limit"]);
    for line in ["hot begun.trace", "explain begun.trace", "compare begun.trace begun.trace"] {
        let ran = lab.line(&format!("{line} -c {}", cpu())).ends(0, &[]);
        assert!(ran.stdout.contains("stopped at --limit"), "{line}: {}", ran.stdout);
    }
}

/// One of two sources with a static function of the same name.
fn half(turns: u32) -> String {
    format!(
        "__attribute__((noinline)) static unsigned busy(unsigned count)
{{
	volatile unsigned sum = 1;
	while (count--) sum = sum * 7 + count;
	return sum;
}}
unsigned of_{turns}(void) {{ return busy({turns}); }}
"
    )
}

#[test]
fn static_functions_of_one_name_are_told_apart_by_their_addresses() {
    let lab = Lab::shared();
    lab.write("few.c", half(3000));
    let program =
        half(90000) + "unsigned of_3000(void);\nint main(void) { return (of_3000() + of_90000()) == 77; }\n";
    let trace = recorded_of(&lab, "twice", &program, &["few.c", "-g"]);
    let all = functions(&lab.line(&format!("hot {trace} --json")).ends(0, &[]));
    let busy: Vec<_> = all.iter().filter(|one| one["function"] == "busy").collect();
    let [many, few] = [0, 1].map(|index| {
        let (address, count) =
            (busy[index]["address"].as_str().unwrap(), busy[index]["instructions"].clone());
        (format!("busy@twice+{address}"), count)
    });
    assert!(busy.len() == 2 && many.0 != few.0, "{busy:?}");
    // The list and the refusal call them by what --function takes.
    lab.line(&format!("hot {trace}")).ends(0, &[&many.0, &few.0, &format!("--function {}", many.0)]);
    for word in ["busy", "busy@twice"] {
        lab.line(&format!("hot {trace} --function {word}")).refused(&[
            "is several functions",
            &many.0,
            &few.0,
        ]);
    }
    // So does trace.
    let place = |name: &str| name.strip_prefix("busy@").unwrap().to_owned();
    lab.line("trace --roi busy -- ./twice").refused(&[
        "./twice: 'busy' is several functions",
        &place(&many.0),
        &place(&few.0),
    ]);
    lab.line(&format!("trace --roi {} -o few.trace -- ./twice", place(&few.0))).ends(0, &["in 1 entries"]);
    let part = functions(&lab.line("hot few.trace --json").ends(0, &[]));
    assert_eq!(part[0]["instructions"], few.1);
    for (name, instructions) in [many, few] {
        let ran = lab.line(&format!("hot {trace} --json --function {name}")).ends(0, &[]);
        let counts =
            of_kind(&ran, "hot_instruction").into_iter().map(|one| one["instructions"].as_u64().unwrap());
        assert_eq!(Some(counts.sum()), instructions.as_u64(), "{name}");
    }
}

/// A sum that is kept in memory: each iteration waits for the store of the previous one.
const KEPT: &str = "#include <stdint.h>
uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	volatile uint64_t total = sum;
	for (int i = 0; i < len; i++)
		total = total + ((const unsigned char *)buf)[i];
	return (uint32_t)total;
}
";

#[test]
fn a_chain_through_memory_is_one_and_code_has_its_functions_names() {
    let lab = Lab::shared();
    lab.write("kept.c", KEPT);
    for (arch, cpu) in [("powerpc64le", "power9"), ("powerpc64le", "power8"), ("loongarch64", "la464")] {
        let line =
            format!("explain csum_partial kept.c -a {arch} -c {cpu} --case size=1472 --unchecked --html -");
        let page = lab.line(&line).ends(0, &["The chain of results from one iteration to the next"]).stdout;
        let rows: Vec<&str> = page.split("<tr>").filter(|row| row.contains(">*<")).collect();
        let has = |start: &str| rows.iter().any(|row| row.contains(&format!(">{start} ")));
        assert!(has("ld") || has("ld.d"), "{cpu}: {rows:?}");
        assert!(has("std") || has("st.d"), "{cpu}: {rows:?}");
        assert!(rows.iter().all(|row| row.contains("csum_partial+0x")), "{cpu}: {rows:?}");
        // Branch targets are named, too, where LLVM prints an address; for LoongArch it prints an offset.
        if arch == "powerpc64le" {
            assert!(!page.contains(", 0x100") && page.contains(", csum_partial+0x"), "{cpu}: {page}");
        }
        assert!(page.contains("const texts=[\"csum_partial+0x"), "{cpu}");
    }
    let line = "explain csum_partial kept.c -a powerpc64le -c power9 --case size=1472 --unchecked --count 8";
    let told = lab.line(line).ends(0, &[]).stdout;
    let timeline = told.split("cycles from").nth(1).unwrap();
    assert!(timeline.contains("csum_partial+0x"), "{told}");
}

#[test]
fn a_trace_of_many_kinds_of_calls_shows_the_most_frequent() {
    let lab = Lab::shared();
    let program = "#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) void turns(int count) { while (count-- > 0) sink = count; }
int main(void) { for (int i = 0; i < 50; i++) turns(i); return 0; }
";
    recorded_of(&lab, "turns", program, &[]);
    lab.line("trace --roi turns -- ./turns").ends(0, &[]);
    lab.line("count turns.trace").ends(0, &["20 more kinds of calls"]);
    assert_eq!(lab.line("count turns.trace --json").ends(0, &[]).records("trace_count").len(), 50);
    lab.line("count turns.trace -v uint64").refused(&["leave out -v"]);
}

#[test]
fn functions_of_libraries_have_their_names_and_stripped_ones_a_place_that_can_be_recorded() {
    let lab = Lab::shared();
    let trace = recorded(&lab, "stripped", &["-s"]);
    let all = functions(&lab.line(&format!("hot {trace} -n 100000 --json")).ends(0, &[]));
    assert!(all.iter().any(|one| one["function"] == "rand" && one["file"] == "libc.so.6"));
    let busy = all[0]["function"].as_str().unwrap();
    assert!(busy.starts_with("stripped+0x"), "{busy}");
    lab.line(&format!("hot {trace} --function {busy}")).ends(0, &["No source lines are known"]);
    lab.line(&format!("trace -o part.trace --roi {busy} -- ./stripped")).ends(0, &["in 1 entries"]);
    let part = functions(&lab.line("hot part.trace --json").ends(0, &[]));
    assert_eq!((part.len(), part[0]["instructions"].as_u64()), (1, all[0]["instructions"].as_u64()));
    lab.line("trace --roi stripped+0x1 -- ./stripped").refused(&["no code at 0x1"]);
}

/// Assembly without a table for unwinding: what is known of its functions is where they are called, and the program's start.
#[test]
fn functions_of_a_stripped_file_without_a_table_begin_where_they_are_called() {
    let lab = Lab::shared();
    let text = ".globl _start\n_start: bl region\n bl region\n li 0, 1\n li 3, 0\n sc\nregion: li 4, 5\n\
                1: addi 4, 4, -1\n cmpdi 4, 0\n bne 1b\n blr\n";
    lab.write("p.s", text);
    let mut clang = Command::new("clang-19");
    clang.args([
        "--target=powerpc64le-linux-gnu",
        "-nostdlib",
        "-static",
        "-fuse-ld=lld",
        "-s",
        "p.s",
        "-o",
        "p",
    ]);
    finish(clang.current_dir(&lab.folder)).ends(0, &[]);
    lab.line("trace -- ./p").ends(0, &[]);
    let all = functions(&lab.line("hot p.trace --json").ends(0, &[]));
    let counts: Vec<_> = all.iter().map(|one| one["instructions"].as_u64().unwrap()).collect();
    assert_eq!(counts, [2 * (1 + 3 * 5 + 1), 5], "{all:#?}");
    let region = all[0]["function"].as_str().unwrap();
    assert_eq!(region, format!("p+{}", all[0]["address"].as_str().unwrap()));
    lab.line("hot p.trace").ends(0, &["where the trace calls them"]);
    lab.line(&format!("trace -o part.trace --roi {region} -- ./p"))
        .ends(0, &["34 instructions in 2 entries"]);
}

/// QEMU tells no address of some accesses; the predictor cannot let them miss, or wait for a store.
#[test]
fn accesses_without_an_address_are_told_where_cycles_are_predicted() {
    let lab = Lab::shared();
    let trace = |name: &str, known: bool| {
        let path = lab.folder.join(name);
        let mut writer = trace::Writer::create(path, arch::Arch::Powerpc64le, &[]).unwrap();
        let bytes = [0xe864_0000_u32, 0x3884_0008].map(u32::to_le_bytes).concat(); // ld r3, 0(r4); addi r4, r4, 8
        let id = writer.define_block(&trace::Block { address: 0x1000, bytes, sizes: vec![4, 4] });
        for number in 0..9 {
            let address = if known { 0x8000 + 8 * number } else { 0 };
            let access = trace::Access {
                address,
                instruction: 0,
                bytes: 8,
                store: false,
                known,
                cache_operation: false,
            };
            writer.put(&trace::Item::Block { id, accesses: vec![access] }).unwrap();
        }
        writer.finish("exit").unwrap();
    };
    trace("known.trace", true);
    trace("unknown.trace", false);
    let told = "did not tell the addresses of 9 accesses";
    for verb in ["predict", "hot", "explain", "compare known.trace"] {
        for option in ["", "--json"] {
            lab.line(&format!("{verb} unknown.trace -c power9 {option}")).ends(0, &[told]);
        }
        let ran =
            lab.line(&format!("{verb} known.trace -c power9").replace("compare known", "compare ./known"));
        assert!(!format!("{ran:?}").contains("did not tell"), "{ran:#?}");
    }
    for (name, count) in [("known.trace", 0), ("unknown.trace", 9)] {
        let ran = lab.line(&format!("predict {name} -c power9 --json")).ends(0, &[]);
        assert_eq!(ran.records("trace_prediction")[0]["unknown_addresses"], count);
    }
    // Counts do not depend on addresses.
    let counted = lab.line("hot unknown.trace").ends(0, &[]);
    assert!(!format!("{counted:?}").contains("did not tell"), "{counted:#?}");
}

/// As a shell takes it: Rust's functions have `$` in their names, and files any character.
#[test]
fn the_command_for_the_lines_of_the_first_can_be_pasted() {
    let lab = Lab::shared();
    let program = PROGRAM.replace("busy", "busy$LT$u$GT$");
    recorded_of(&lab, "priced", &program, &["-g"]);
    for (old, new) in [("priced.trace", "my own.trace"), ("priced", "mo$ved")] {
        std::fs::rename(lab.folder.join(old), lab.folder.join(new)).unwrap();
    }
    // A name that the trace knows, in another folder.
    std::fs::create_dir(lab.folder.join("a folder")).unwrap();
    std::fs::rename(lab.folder.join("mo$ved"), lab.folder.join("a folder/priced")).unwrap();
    let mut list = lab.command();
    list.args(["hot", "my own.trace", "-n", "1", "--symbols", "a folder/priced"]).env("COLUMNS", "500");
    let told = finish(&mut list).ends(0, &["Lines of the first: ./assay hot 'my own.trace'"]).stdout;
    let command = told.rsplit_once("first: ./assay").unwrap().1;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec {} {command}", env!("CARGO_BIN_EXE_assay"))).current_dir(&lab.folder);
    shell.env("ASSAY_ROOT", common::root()).env("ASSAY_CACHE", &lab.cache);
    finish(&mut shell).ends(0, &["busy$LT$u$GT$", "the work"]);
    let name = std::path::Path::new("my own.trace");
    std::fs::rename(lab.folder.join(name), lab.folder.join("-v.trace")).unwrap();
    lab.line("hot -n 1 -- -v.trace").ends(0, &["./assay hot ./-v.trace"]);
}

#[test]
fn a_stripped_file_may_have_an_at_sign_in_its_name() {
    let lab = Lab::shared();
    let trace = recorded(&lab, "me@home", &["-s"]);
    let all = functions(&lab.line(&format!("hot {trace} --json")).ends(0, &[]));
    let busy = all[0]["function"].as_str().unwrap();
    assert!(busy.starts_with("me@home+0x"), "{busy}");
    lab.line(&format!("hot {trace} --function {busy}")).ends(0, &["No source lines are known"]);
    lab.line(&format!("trace -o part.trace --roi {busy} -- ./me@home")).ends(0, &["in 1 entries"]);
}

#[test]
fn a_file_that_was_changed_or_moved_is_told_and_another_can_stand_for_it() {
    let lab = Lab::shared();
    let trace = recorded(&lab, "moved", &["-g"]);
    std::fs::create_dir_all(lab.folder.join("elsewhere")).unwrap();
    let (old, new) = (lab.folder.join("moved"), lab.folder.join("elsewhere/moved"));
    // Nothing but code of the file.
    lab.line("trace -o part.trace --roi busy -- ./moved").ends(0, &["in 1 entries"]);
    std::fs::rename(&old, &new).unwrap();
    lab.line("hot part.trace --function busy").ends(2, &["has no names for its code", "--symbols FILE"]);
    lab.line("hot part.trace --symbols elsewhere/moved --function busy").ends(0, &["Lines"]);
    let ran = lab.line(&format!("hot {trace}")).ends(0, &["its code is shown by address", "--symbols"]);
    assert!(!ran.stdout.contains("busy"), "{}", ran.stdout);
    lab.line(&format!("hot {trace} --symbols elsewhere/moved")).ends(0, &["busy"]);
    lab.line(&format!("hot {trace} --symbols elsewhere/moved --function no_such"))
        .refused(&["'no_such'", "busy"]);
    std::fs::copy("/bin/true", &old).unwrap();
    lab.line(&format!("hot {trace}")).ends(0, &["is not the file that was recorded"]);
    lab.line("hot nosuch.trace").ends(2, &["nosuch.trace"]);
}

/// Writes a function, calls it, and writes another to the same place, as a JIT does.
#[cfg(target_arch = "x86_64")]
const REWRITTEN: &str = "#include <string.h>
#include <sys/mman.h>
int main(void)
{
	unsigned char one[] = { 0xb8, 1, 0, 0, 0, 0xc3 }, two[] = { 0xb8, 2, 0, 0, 0, 0xc3 }; /* mov $N, %eax; ret */
	unsigned char *code = mmap((void *)0x20000000, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int (*call)(void) = (int (*)(void))code, sum = 0;
	memcpy(code, one, 6);
	for (int i = 0; i < 100; i++) sum += call();
	memcpy(code, two, 6);
	for (int i = 0; i < 300; i++) sum += call();
	return sum != 700;
}
";

#[cfg(target_arch = "x86_64")]
/// As hand-written assembly often is: no types, no sizes, nothing for unwinding.
#[test]
fn functions_of_assembly_have_the_names_of_their_symbols() {
    let lab = Lab::shared();
    let loops = "bare_start: call bare_work\n loop: call bare_work\n jmp end\n";
    let work = "bare_work: nop\n nop\n nop\n ret\n";
    let end = "end: mov $60, %eax\n xor %edi, %edi\n syscall\n";
    lab.write("bare.s", &format!(".globl bare_start, bare_work\n{loops}{work}{end}"));
    let mut build = Command::new("clang-19");
    build.args(["--target=x86_64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld"]);
    build.args(["-Wl,-e,bare_start", "-o", "bare", "bare.s"]);
    finish(build.current_dir(&lab.folder)).ends(0, &[]);
    finish(Command::new("strip").current_dir(&lab.folder).args(["-o", "barest", "bare"])).ends(0, &[]);
    lab.line("trace -- ./bare").ends(0, &[]);
    let records = functions(&lab.line("hot bare.trace --json").ends(0, &[]));
    let told: Vec<_> = records
        .iter()
        .map(|one| (one["function"].as_str().unwrap(), one["instructions"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("bare_work", 8 + 3), ("bare_start", 3)]);
    lab.line("trace -- ./barest").ends(0, &[]);
    let ran = lab.line("hot barest.trace").ends(0, &[]);
    let told: Vec<&str> = ran.stdout.split_whitespace().collect();
    assert!(told.join(" ").contains("or where the trace calls them"), "{ran:#?}");
    let records = functions(&lab.line("hot barest.trace --json").ends(0, &[]));
    let told: Vec<_> = records.iter().map(|one| one["instructions"].as_u64().unwrap()).collect();
    assert_eq!(told, [8 + 3, 3], "the functions are those of the file with symbols: {records:#?}");
}

#[test]
fn code_that_was_rewritten_has_rows_of_its_own() {
    let lab = Lab::shared();
    let trace = recorded_of(&lab, "rewritten", REWRITTEN, &[]);
    for cpu in ["", " -c zen3"] {
        let ran = lab.line(&format!("hot {trace}{cpu} --function 0x20000000"));
        let told = ran.ends(0, &["held other instructions at other times"]).stdout;
        for (text, times) in [("eax, 1", "100"), ("eax, 2", "300"), ("ret", "400")] {
            let row =
                told.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {told}"));
            assert!(row.split_whitespace().any(|word| word == times), "{row}");
        }
    }
}

/// A trace may come from anybody, and so may the paths in it.
#[test]
fn a_path_in_a_note_does_nothing_to_the_terminal() {
    let lab = Lab::shared();
    let trace = recorded(&lab, "odd\u{1b}[31mname", &[]);
    std::fs::remove_file(lab.folder.join("odd\u{1b}[31mname")).unwrap();
    let told = lab.line(&format!("hot {trace}")).ends(0, &["its code is shown by address"]);
    assert!(!told.stderr.contains('\u{1b}') && told.stderr.contains("odd\u{fffd}[31mname"), "{told:?}");
}
