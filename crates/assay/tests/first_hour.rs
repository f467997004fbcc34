// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a new user does in the first hour, and what has gone wrong there before: arguments that the command should
//! understand, messages that named the wrong cause, figures of wrong variants.

mod common;

use common::{body, checkout_with, endless, finish, root, Lab, GOOD};
use std::time::{Duration, Instant};

/// GOOD, but it skips the last byte of a buffer of over 32 bytes.
fn drops_a_byte() -> String {
    GOOD.replace("i < len", "i < len - (len > 32)")
}

#[test]
fn lists_are_separated_by_commas_and_a_variant_stands_behind_its_hot_path() {
    let lab = Lab::shared();
    let line = "check csum_partial -a powerpc64le,powerpc64,powerpc64 -v adde,uint64 --quick --json";
    assert_eq!(lab.line(line).ends(0, &["4 right"]).records("check").len(), 4);
    let line = "predict csum_partial/uint64 -a powerpc64le -c power8,power8 --case size=40 --json";
    let records = lab.line(line).ends(0, &[]).records("prediction");
    assert_eq!((records.len(), records[0]["variant"].as_str()), (1, Some("uint64")));
    lab.line("count csum_partial/nosuch -a powerpc64le").refused(&["no variant is called 'nosuch'", "adde"]);
    lab.line("predict nosuch/adde -c power8").refused(&["'nosuch'", "csum_partial"]);
}

#[test]
fn a_cpu_leaves_out_what_it_does_not_run_without_a_word_unless_that_was_named() {
    let lab = Lab::shared();
    let ran = lab.line("predict csum_fold -c la464 --case chain=0 --json").ends(0, &[]);
    assert!(!ran.stderr.contains("skipped"), "{ran:#?}");
    lab.line("predict csum_partial -c la464 -v vsx").refused(&["nothing in this selection runs on la464"]);
    lab.line("compare csum_partial -c la464 -a powerpc64 -v uint64,adde").refused(&["runs on la464"]);
    // A run that skips everything is no success: no QEMU has AVX-512, so nothing can be counted.
    lab.line("count csum_partial -v avx512 -a x86_64 --case size=40")
        .refused(&["nothing was judged, all was skipped"]);
}

#[test]
fn the_name_of_a_cpu_that_is_none_leads_to_one_that_is() {
    let lab = Lab::shared();
    lab.line("predict csum_partial -c powr8").refused(&["did you mean power8?"]);
    lab.line("predict csum_partial -c neoverse-n1").refused(&["-c llvm:neoverse-n1"]);
    let ran =
        lab.line("predict csum_partial -c llvm:nosuch -a aarch64").refused(&["for aarch64", "cortex-a53"]);
    assert!(!ran.stderr.contains("pwr8"), "{ran:#?}");
    lab.line("predict csum_partial -c llvm:pwr9 -a aarch64")
        .refused(&["LLVM has it for powerpc, powerpc64, powerpc64le"]);
    // Not every verb that takes a cpu has -a.
    lab.line("cpu llvm:nosuch").refused(&["./assay predict -a ARCH -c llvm:nosuch lists"]);
    lab.line("predict -a riscv64 -c llvm:nosuch").refused(&["LLVM has for riscv64:", "sifive-u74"]);
}

#[test]
fn a_description_of_ones_own_is_named_by_its_path_and_may_build_on_llvms() {
    let lab = Lab::shared();
    lab.write(
        "mine.toml",
        "# Mine.\ntitle = \"Mine\"\narch = [\"aarch64\"]\ninherits = \"llvm:cortex-a76\"\n",
    );
    lab.write("faster.toml", "# Mine.\ntitle = \"Mine\"\ninherits = \"power8\"\n");
    for (file, arch) in [("mine.toml", "aarch64"), ("./faster.toml", "powerpc64le")] {
        let line = format!("predict csum_partial/uint64 -a {arch} -c {file} --case size=40 --json");
        let records = lab.line(&line).ends(0, &[]).records("prediction");
        assert!(records[0]["cycles"].as_f64().unwrap() > 1.0, "{records:?}");
    }
    lab.line("cpu mine.toml").ends(0, &["Mine", "LLVM's scheduling model"]);
    lab.write("bad.toml", "title = \"Bad\"\ninherits = \"llvm:nosuch\"\narch = [\"aarch64\"]\n");
    lab.line("cpu bad.toml").refused(&["nosuch"]);
    lab.line("cpu ./missing.toml").refused(&["missing.toml"]);
}

#[test]
fn a_copy_of_a_description_has_a_name_of_its_own_beside_the_first() {
    let lab = Lab::shared();
    let narrow = "# Mine.\ntitle = \"Mine\"\ninherits = \"power8\"\n[sources]\ntest = \"made for a test\"\n[dispatch]\n\
                  width = { value = 2, unit = \"slots\", source = \"test\", kind = \"manual\" }\n";
    lab.write("mine/power9.toml", narrow);
    lab.write("mine/narrow.toml", narrow);
    let line = "predict csum_partial/uint64 -a powerpc64le --case size=40 --json -c";
    let predict = |cpus: &str| lab.assay(line.split(' ').chain([cpus]));
    for cpus in ["power9,./mine/power9.toml", "./mine/power9.toml,power9"] {
        let parts = ["'power9'", "./mine/power9.toml", "another file name"];
        predict(cpus).refused(&parts);
    }
    // One cpu that is named twice is one, LLVM's core for two architectures has one name.
    for (cpus, count) in [
        ("power9,./mine/narrow.toml", 2),
        ("power9,power9", 1),
        ("./mine/power9.toml,mine/power9.toml", 1),
        (&format!("power9,{}", root().join("cpus/power/power9.toml").display()), 1),
        ("llvm:pwr9,llvm:pwr9", 1),
    ] {
        let records = predict(cpus).ends(0, &[]).records("prediction");
        assert_eq!(records.len(), count, "{cpus}: {records:?}");
    }
    let both = "predict csum_partial/uint64 -a powerpc64le,powerpc64 --case size=40 --json -c llvm:pwr9";
    assert_eq!(lab.line(both).ends(0, &[]).records("prediction").len(), 2);
}

#[test]
fn a_broken_description_is_told_and_hides_no_other() {
    let lab = Lab::shared();
    let checkout = checkout_with(&lab, "power/power8.toml", |text| {
        let lines =
            text.lines().map(|line| if line.starts_with("arch =") { "arch = [\"vax\"]" } else { line });
        lines.collect::<Vec<_>>().join("\n")
    });
    let ran = finish(lab.command().env("ASSAY_ROOT", &checkout).arg("cpu"));
    ran.refused(&["power8.toml:", "'vax', which is no architecture", "powerpc64le", "la464", "zen3"]);
}

#[test]
fn a_wrong_variant_gets_no_figures_unless_they_are_asked_for() {
    let lab = Lab::shared();
    lab.write("broken.c", drops_a_byte());
    let case = "-a powerpc64le --case size=40 --json";
    for verb in ["predict", "compare", "count"] {
        let cpu = if verb == "count" { "" } else { "-c power8" };
        let line = format!("{verb} csum_partial broken.c -v uint64,adde {cpu} {case}");
        let ran =
            lab.line(&line).ends(1, &["csum_partial/broken", "is wrong, so its figures", "returned 0x"]);
        assert!(!ran.stdout.contains("broken") && ran.stdout.contains("uint64"), "{ran:#?}");
    }
    // A report says that the variant is wrong, and has no figures of it.
    let line =
        "report csum_partial broken.c -v uint64 -a powerpc64le -c power8 --case size=40 --json -o records";
    lab.line(line).ends(1, &["is wrong, so its figures"]);
    let text = std::fs::read_to_string(lab.folder.join("records")).unwrap();
    let all: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_broken: Vec<_> =
        all.iter().filter(|one| one["variant"] == "broken").map(|one| &one["kind"]).collect();
    assert_eq!(of_broken, ["check"], "{text}");
    let line = format!("predict csum_partial broken.c -v uint64 -c power8 {case} --unchecked");
    assert!(lab.line(&line).ends(0, &[]).stdout.contains("broken"));
    let line = format!(
        "measure csum_partial broken.c -v uint64 -a {} --case size=40 --processes 2",
        common::native()
    );
    let ran = lab.line(&line).ends(1, &["is wrong, so its figures"]);
    assert!(ran.stdout.contains("uint64") && !ran.stdout.contains("broken"), "{ran:#?}");
}

#[test]
fn an_endless_loop_is_found_in_seconds_where_it_is_counted() {
    let lab = Lab::shared();
    lab.write("endless.c", endless());
    let started = Instant::now();
    lab.line("count csum_partial endless.c -v uint64 -a powerpc64le --case size=40")
        .ends(1, &["an endless loop?"]);
    // The limit is three seconds of processor time, which take longer on a busy machine; it was two minutes once.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_wrong_verdict_tells_the_call_and_how_to_have_it_again() {
    let lab = Lab::shared();
    lab.write("my file.c", drops_a_byte());
    let check = ["check", "csum_partial", "my file.c", "-a", "powerpc64le", "--json"];
    let records = lab.assay(check).ends(1, &[]).records("check");
    let failure = records[0]["failure"].as_str().unwrap();
    for part in ["size=33", "of the check, seed ", "argument 1: byte "] {
        assert!(failure.contains(part), "'{part}' in {failure}");
    }
    let again = records[0]["again"].as_str().unwrap();
    let call: u64 = again.rsplit("--call=").next().unwrap().parse().unwrap();
    assert!(again.starts_with("./assay check csum_partial 'my file.c' -a powerpc64le"), "{again}");
    let (wanted, before) = (format!("--call={call}"), format!("--call={}", call - 1));
    let same = lab.assay(check.iter().copied().chain([wanted.as_str()])).ends(1, &[]).records("check");
    assert_eq!(same[0]["failure"].as_str(), Some(failure), "the same call fails in the same way");
    // All calls before it are right, and the check ends after the call that was named.
    lab.assay(check.iter().copied().chain([before.as_str()])).ends(0, &["1 right"]);
    let debugger = records[0]["debugger"].as_str().unwrap();
    assert!(debugger.contains("-g 1234") && debugger.contains(&format!("call={call}")), "{debugger}");
    assert!(debugger.contains("break assay_wanted_call_follows"), "{debugger}");
    // Other random data: the same bug, another sum.
    for seed in [7, u64::MAX] {
        let seed = format!("--seed={seed}");
        let other = lab.assay(check.iter().copied().chain([seed.as_str()])).ends(1, &[]).records("check");
        let other = other[0]["failure"].as_str().unwrap();
        assert!(other != failure && other.contains("size=33"), "{other}");
    }
}

#[test]
fn a_call_that_the_check_never_comes_to_is_refused_with_how_many_there_are() {
    let lab = Lab::shared();
    let line = "check csum_partial -a powerpc64le -v uint64 --quick --call";
    let ran = lab.line(&format!("{line} 99999999999")).refused(&["the quick check makes", "from 1 to"]);
    assert!(ran.stdout.is_empty(), "no verdict: {ran:#?}");
    let last = ran.stderr.split("from 1 to ").nth(1).unwrap().split(';').next().unwrap();
    lab.line(&format!("{line} {last}")).ends(0, &["1 right"]);
}

#[test]
fn a_write_into_the_input_is_called_that() {
    let lab = Lab::shared();
    // It restores each byte, so that no sum is ever wrong.
    let restores = body(
        "unsigned char *bytes = (unsigned char *)(uintptr_t)buf;
         uint64_t total = sum;
         for (int i = 0; i < len; i++) {
                 unsigned char byte = bytes[i];
                 *(volatile unsigned char *)&bytes[i] = 0;
                 total += (i & 1) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? byte * 256u : byte;
                 *(volatile unsigned char *)&bytes[i] = byte;
         }
         while (total >> 32)
                 total = (total & 0xffffffff) + (total >> 32);
         return (uint32_t)total;",
    );
    lab.write("restores.c", restores);
    lab.line("check csum_partial restores.c -a powerpc64le,x86_64 --quick")
        .ends(1, &["wrote into its input: byte ", "0 right"]);
}

#[test]
fn the_command_that_repeats_a_call_works_for_a_name_that_begins_with_a_dash() {
    let lab = Lab::shared();
    lab.write("-dash.c", drops_a_byte());
    let check = ["check", "csum_partial", "-a", "powerpc64le", "--quick", "--json", "--", "-dash.c"];
    let records = lab.assay(check).ends(1, &[]).records("check");
    let again = records[0]["again"].as_str().unwrap();
    assert!(again.contains(" ./-dash.c "), "{again}");
    let words = again.strip_prefix("./assay ").unwrap().split_whitespace().chain(["--json"]);
    let same = lab.assay(words).ends(1, &[]).records("check");
    assert_eq!(same[0]["failure"], records[0]["failure"]);
}

#[test]
fn a_missing_header_is_no_verdict_and_its_folder_can_be_named() {
    let lab = Lab::shared();
    lab.write("mine.c", format!("#include <asm/of-another-kernel.h>\n{GOOD}"));
    let ran = lab.line("check csum_partial mine.c -a powerpc64le --quick");
    let ran = ran.refused(&["cannot be judged: it includes asm/of-another-kernel.h", "-I DIR"]);
    assert!(!ran.stdout.contains("WRONG"), "{ran:#?}");
    lab.write("inc lude/asm/of-another-kernel.h", "#define NAME csum_partial\n");
    let check = ["check", "csum_partial", "mine.c", "-a", "powerpc64le", "--quick", "-I", "inc lude"];
    lab.assay(check).ends(0, &["1 right"]);
    lab.write("named.c", GOOD.replace("csum_partial", "NAME"));
    let check = "check csum_partial named.c -a powerpc64le --quick --cflags -DNAME=csum_partial";
    lab.line(check).ends(0, &["1 right"]);
    lab.line("check csum_partial -a powerpc64le -I .")
        .refused(&["-I and --cflags are for files of your own"]);
}

#[test]
fn a_file_without_the_function_is_no_verdict_and_its_own_name_can_be_used() {
    let lab = Lab::shared();
    lab.write("empty.c", "");
    lab.line("check csum_partial empty.c -a powerpc64le")
        .refused(&["cannot be judged", "no global function"]);
    // What only the file itself sees would not help: its own functions, labels, constants.
    let label = "__asm__(\".LC7: .globl exported\\nexported: .long 0\\n\");\n";
    let own = "static __attribute__((noinline, used)) int hidden(int x) { return x * 3; }\n";
    lab.write("own.c", format!("{label}{own}int shown(int x) {{ return hidden(x); }}\n"));
    let object = ["--target=powerpc64le-linux-gnu", "-O1", "-c", "own.c", "-o", "own.o"];
    let mut clang = std::process::Command::new("clang-19");
    assert!(clang.args(object).current_dir(&lab.folder).status().unwrap().success());
    for file in ["own.c", "own.o"] {
        let ran = lab.line(&format!("check csum_partial {file} -a powerpc64le"));
        ran.refused(&["does not define csum_partial (it defines exported shown)"]);
    }
    lab.write("other.c", GOOD.replace("csum_partial", "my_sum"));
    let ran = lab.line("check csum_partial other.c -a powerpc64le --quick");
    let ran =
        ran.refused(&["does not define csum_partial (it defines my_sum)", "--cflags=-DNAME=csum_partial"]);
    assert!(!ran.stdout.contains("WRONG"), "{ran:#?}");
    lab.line("check csum_partial other.c -a powerpc64le --quick --cflags=-Dmy_sum=csum_partial")
        .ends(0, &["1 right"]);
}

#[test]
fn headers_of_the_c_library_are_named_as_the_cause() {
    let lab = Lab::shared();
    lab.write("tree/checksum/csum_partial/generic/mine.c", format!("#include <string.h>\n{GOOD}"));
    lab.write("mine.c", format!("#include <sys/types.h>\n{GOOD}"));
    // The native architecture has a C library, others may have one: the answer is the same.
    for arch in ["powerpc64", "x86_64", "aarch64"] {
        let ran = lab.line(&format!("check csum_partial -d tree -a {arch} --quick"));
        let ran =
            ran.refused(&["cannot be judged: it includes string.h, a header of the C library", "assay.h"]);
        assert!(!ran.stdout.contains("WRONG"), "{ran:#?}");
        lab.line(&format!("check csum_partial mine.c -a {arch} --quick"))
            .refused(&["cannot be judged: it includes sys/types.h, a header of the C library"]);
    }
}

#[test]
fn words_mean_what_they_say_or_are_refused() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    // Debian's names of architectures.
    lab.line("check csum_partial mine.c -a ppc64el,loong64 --quick").ends(0, &["2 right", "powerpc64le"]);
    // Variants of ours are judged beside a file if they are named.
    lab.line("check csum_partial mine.c -a ppc64el -v uint64,adde --quick").ends(0, &["3 right"]);
    let line = "predict csum_partial/adde,uint64 -a powerpc64le -c power8 --case size=40 --json";
    assert_eq!(lab.line(line).ends(0, &[]).records("prediction").len(), 2);
    lab.line("check mine.c -a powerpc64le").refused(&["the hot path that it is judged as stands before it"]);
    lab.line("measure a.trace").refused(&["a recorded trace", "predict, explain, hot"]);
    // Refused before anything is built or measured.
    for line in ["compare csum_partial mine.c", "report csum_partial mine.c -a powerpc64le -c power8"] {
        let ran = lab.line(&format!("{line} --against nosuch")).refused(&["--against nosuch", "uint64"]);
        assert!(!ran.stderr.contains("measuring") && !ran.stderr.contains("checking"), "{ran:#?}");
    }
    lab.line("check csum_partial/adde -a x86_64")
        .refused(&["no variant is called 'adde'", "it is there for powerpc"]);
    lab.line("explain csum_partial/adde -c power8,power9").refused(&["one cpu at a time"]);
    lab.line("trace -- ./").refused(&["is a folder and no program"]);
    // For a cpu that runs several architectures the usual one is taken, with a note.
    lab.line("explain csum_partial mine.c -c power9 --case size=40 --count 1")
        .ends(0, &["csum_partial/mine (powerpc64le)", "-a chooses among powerpc powerpc64 powerpc64le"]);
}

#[test]
fn what_is_wrong_with_ones_own_file_is_told_before_ours_are_judged() {
    let lab = Lab::shared();
    lab.write("broken.c", drops_a_byte());
    let mut command = lab.command();
    command.args([
        "count",
        "csum_partial",
        "broken.c",
        "-a",
        "powerpc64le",
        "-v",
        "uint64",
        "--case",
        "size=40",
        "--json",
    ]);
    // Both streams into one file, in the order in which they were written.
    let both = std::fs::File::create(lab.folder.join("both")).unwrap();
    command.stdout(both.try_clone().unwrap()).stderr(both);
    command.status().unwrap();
    let told = std::fs::read_to_string(lab.folder.join("both")).unwrap();
    let place = |part: &str| told.find(part).unwrap_or_else(|| panic!("no {part} in {told}"));
    assert!(place("csum_partial/broken on") < place("\"variant\":\"uint64\""), "{told}");
}

#[test]
fn a_key_that_the_command_does_not_know_may_mean_that_it_is_the_older() {
    let lab = Lab::shared();
    let checkout = checkout_with(&lab, "power/power8.toml", |text| format!("key-of-tomorrow = 1\n{text}"));
    let ran = finish(lab.command().env("ASSAY_ROOT", &checkout).args(["cpu", "power8"]));
    ran.refused(&["unknown key 'key-of-tomorrow'", "this command is older", "cargo build"]);
}

#[test]
fn a_kernels_file_that_wants_more_of_its_kernel_is_not_called_wrong() {
    let lab = Lab::shared();
    lab.write(
        "mine.c",
        format!(
            "#include <linux/types.h>\n{}",
            GOOD.replace("uint64_t total = sum", "uint64_t total = SUM_OF(sum)")
        ),
    );
    let ran = lab.line("check csum_partial mine.c -a powerpc64le --quick");
    let ran = ran.refused(&["cannot be judged", "SUM_OF", "--cflags"]);
    assert!(!ran.stdout.contains("WRONG"), "{ran:#?}");
    let flags =
        ["check", "csum_partial", "mine.c", "-a", "powerpc64le", "--quick", "--cflags", "-DSUM_OF(x)=(x)"];
    lab.assay(flags).ends(0, &["1 right"]);
}

#[test]
fn what_cannot_run_here_is_refused_with_the_cpus_that_it_is_predicted_for() {
    let lab = Lab::shared();
    lab.write("mine.c", GOOD);
    let foreign =
        if common::native() == "powerpc64le" { "loongarch64,aarch64" } else { "powerpc64le,loongarch64" };
    for verb in ["compare", "measure"] {
        let ran = lab.line(&format!("{verb} csum_partial mine.c -v uint64 -a {foreign} --case size=40"));
        let ran = ran.refused(&["nothing in this selection can run on this machine", "-c "]);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("la464"), "{ran:#?}");
    }
}

#[test]
fn what_fails_on_every_case_is_told_once_and_before_any_command_line() {
    let lab = Lab::shared();
    lab.write("broken.c", drops_a_byte());
    let line = format!(
        "measure csum_partial broken.c -v uint64 -a {} --case size=40 --case size=250 --processes 1",
        common::native()
    );
    let ran = lab.line(&line).ends(1, &["is wrong"]);
    assert_eq!(ran.stderr.matches("failed:").count(), 1, "{ran:#?}");
    lab.write("crash.c", body("*(volatile int *)8 = 1; return sum;"));
    let line = "count csum_partial crash.c -v uint64 -a powerpc64le --case size=40 --unchecked";
    let ran = lab.line(line).ends(1, &["SIGSEGV", "run.log"]);
    assert!(!ran.stderr.contains("-plugin"), "QEMU's command line is in the log: {ran:#?}");
}

#[test]
fn another_prototype_than_the_contract_s_is_named_as_the_cause() {
    let lab = Lab::shared();
    // On x86_64 the upper half of a register that holds an int is undefined.
    lab.write(
        "long.c",
        GOOD.replace("int len", "unsigned long len").replace("int i = 0", "unsigned long i = 0"),
    );
    lab.line("check csum_partial long.c -a x86_64 --quick")
        .ends(1, &["the contract says: uint32_t csum_partial(const void *buf, int len, uint32_t sum)"]);
    lab.write("dropped.c", drops_a_byte());
    let ran = lab.line("check csum_partial dropped.c -a x86_64 --quick").ends(1, &[]);
    assert!(!ran.stdout.contains("the contract says"), "{ran:#?}");
}

#[test]
fn the_version_names_the_commit() {
    let lab = Lab::shared();
    let git = std::process::Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()).output();
    let told = lab.line("--version").ends(0, &["assay 0.", "(commit "]).stdout;
    // A source tarball has no git repository.
    if let Some(commit) = git.ok().filter(|output| output.status.success() && root().join(".git").exists()) {
        let commit = String::from_utf8_lossy(&commit.stdout)[..12].to_owned();
        assert!(told.contains(&commit), "{told}");
    }
    lab.line("help check").ends(0, &["Usage: assay check", "--quick"]);
}
