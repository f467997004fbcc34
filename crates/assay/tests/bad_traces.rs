// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Recordings of more than a plain run of a function, and wrong cpu files: each ends with one message that names the
//! error, its place and the remedy, or behaves as docs/limits.md and docs/trace-format.md state.

mod common;

use common::{checkout_with, finish, root, Lab, Ran};
use std::fs;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds one of the tracer's own test programs for powerpc64le.
fn program(lab: &Lab, file: &str, scenario: &str) -> PathBuf {
    let path = lab.folder.join(scenario.to_lowercase());
    let mut command = Command::new("clang-19");
    command.args(["--target=powerpc64le-linux-gnu", "-mabi=elfv2", "-O2", "-ffreestanding", "-nostdlib"]);
    command.args(["-static", "-fuse-ld=lld", &format!("-D{scenario}"), "-o"]).arg(&path);
    let output = command.arg(root().join("crates/trace/tests/programs").join(file)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    path
}

/// Records a region of such a program as `t.trace`.
fn record(lab: &Lab, file: &str, scenario: &str, region: &str) -> Ran {
    let path = program(lab, file, scenario);
    lab.assay(["trace", "--roi", region, "-o", "t.trace", "--", path.to_str().unwrap()])
}

/// The prediction of `t.trace` on power8.
fn prediction(lab: &Lab) -> serde_json::Value {
    lab.line("predict t.trace -c power8 --json").ends(0, &[]).records("trace_prediction").remove(0)
}

#[test]
fn a_function_that_is_never_reached_is_told_by_both_verbs() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "NEVER", "region").ends(1, &["'region'", "never entered", "remedy", "inlined"]);
    assert!(!lab.folder.join("t.trace").exists());
    // The tracer by itself would write such a file.
    let path = lab.folder.join("t.trace");
    trace::Writer::create(path, arch::Arch::Powerpc64le, &[("region", "f:0x1000")])
        .unwrap()
        .finish("exit")
        .unwrap();
    lab.line("predict t.trace -c power8").refused(&["t.trace", "nothing was executed", "calls the function"]);
    lab.line("explain t.trace -c power8").refused(&["t.trace", "nothing was executed"]);
}

#[test]
fn a_function_that_is_not_there_is_refused_with_those_that_are_like_it() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "CALLS", "regio").refused(&["calls", "no function 'regio'", "similar: region"]);
    record(&lab, "regions.c", "CALLS", "elsewhere").refused(&["no function 'elsewhere'", "nm"]);
    assert!(!lab.folder.join("t.trace").exists());
}

/// QEMU has loaded no program then, so nothing is known of what the program calls.
#[test]
fn a_qemu_that_does_not_start_the_program_is_no_function_that_is_never_reached() {
    let lab = Lab::shared();
    let path = program(&lab, "regions.c", "CALLS");
    let of = |region: &str| {
        lab.assay([
            "trace",
            "--qemu-cpu",
            "nosuch",
            "--roi",
            region,
            "-o",
            "t.trace",
            "--",
            path.to_str().unwrap(),
        ])
    };
    for region in ["region", "_start"] {
        of(region)
            .refused(&["QEMU ended before the program's first instruction", "see what QEMU says above"]);
    }
    assert!(!lab.folder.join("t.trace").exists());
}

#[test]
fn a_recursive_region_is_one_call_with_its_recursion() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "RECURSION", "region").ends(0, &["2 entries", "12 recursive entries"]);
    assert_eq!(prediction(&lab)["calls"], 2);
}

#[test]
fn of_several_threads_one_is_predicted_and_the_rest_is_counted() {
    let lab = Lab::shared();
    record(&lab, "life.c", "THREADS", "region").ends(0, &["2 entries", "100 entries by other threads"]);
    assert_eq!(prediction(&lab)["calls"], 2);
}

#[test]
fn code_that_a_jit_rewrites_is_predicted_as_it_was_in_each_call() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "REWRITTEN", "region").ends(0, &["5 entries"]);
    let whole = prediction(&lab);
    assert_eq!(whole["calls"], 5);
    assert_eq!(whole["coverage_percent"], 100.0, "{whole}");
    // Each call runs the region and the two instructions that it has just written.
    let instructions = whole["instructions"].as_u64().unwrap();
    assert!(instructions >= 5 * 8 && instructions % 5 == 0, "{whole}");
}

#[test]
fn a_program_that_ends_inside_is_predicted_up_to_there() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "EXIT", "region").ends(0, &["1 entries"]);
    assert_eq!(prediction(&lab)["calls"], 1);
}

#[test]
fn a_trace_of_another_architecture_is_refused_by_every_verb_that_takes_one() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "CALLS", "region").ends(0, &[]);
    let runs = "la464 does not run powerpc64le programs, but: loongarch64";
    for verb in ["predict t.trace", "compare t.trace t.trace", "explain t.trace"] {
        lab.line(&format!("{verb} -c la464")).refused(&["t.trace", runs]);
    }
    // It takes no result from the others.
    for (verb, kind) in [("predict t.trace", "trace_prediction"), ("compare t.trace t.trace", "compare")] {
        for cpus in ["power8,la464", "la464,power8"] {
            let ran = lab.line(&format!("{verb} -c {cpus} --json")).ends(1, &["failed: t.trace: ", runs]);
            assert_eq!(ran.records(kind).len(), 1);
        }
        lab.line(&format!("{verb} -c power8,llvm:znver4")).ends(1, &["llvm:znver4 does not run powerpc64le"]);
        lab.line(&format!("{verb} -c la464,zen3")).ends(2, &[runs, "zen3 does not run powerpc64le"]);
    }
    // Of a core of LLVM's, what is for the trace's architecture.
    lab.line("predict t.trace -c power8,llvm:pwr9").ends(0, &["power8", "llvm:pwr9"]);
    // Without -c, all cpus that run the trace are taken.
    let ran = lab.line("predict t.trace").ends(0, &["power7", "power10"]);
    assert!(!ran.stdout.contains("la464"), "{ran:#?}");
}

#[test]
fn a_cpu_that_lacks_an_instruction_takes_no_result_from_the_others() {
    let lab = Lab::shared();
    // Of ISA 3.0.
    lab.write("p.s", ".globl _start\n_start: li 5, 0\n lxvx 34, 0, 1\n li 0, 1\n li 3, 0\n sc\n");
    let mut clang = Command::new("clang-19");
    clang.args(["--target=powerpc64le-linux-gnu", "-mcpu=power9", "-nostdlib", "-static", "-fuse-ld=lld"]);
    finish(clang.args(["p.s", "-o", "p"]).current_dir(&lab.folder)).ends(0, &[]);
    lab.line("trace -o t.trace -- ./p").ends(0, &[]);
    let lacks = "failed: t.trace: power8 does not have what the program executes: 'lxvx'";
    for cpus in ["power9,power8,power10", "power8,power9,power10"] {
        let ran = lab.line(&format!("predict t.trace -c {cpus} --json")).ends(1, &[lacks]);
        assert_eq!(ran.records("trace_prediction").len(), 2);
        lab.line(&format!("predict t.trace -c {cpus}")).ends(1, &[lacks, "power9", "power10", "90 %"]);
        let ran = lab.line(&format!("compare t.trace t.trace -c {cpus} --json")).ends(1, &[lacks]);
        assert_eq!(ran.records("compare").len(), 2);
    }
    for verb in ["predict t.trace", "compare t.trace t.trace"] {
        lab.line(&format!("{verb} -c power8")).refused(&["power8 does not have", "lxvx"]);
        lab.line(&format!("{verb} -c power7,power8"))
            .ends(2, &["power7 does not have", "power8 does not have"]);
        // What nobody named is no failure.
        let ran = lab.line(verb).ends(0, &["left out: ", "power8 does not have", "power9"]);
        assert!(!ran.stderr.contains("failed"), "{ran:#?}");
    }
}

#[test]
fn a_trace_that_is_wrong_takes_no_result_from_the_others() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "CALLS", "region").ends(0, &[]);
    lab.write("cut.trace", &fs::read(lab.folder.join("t.trace")).unwrap()[..200]);
    let ran = lab.line("predict cut.trace t.trace no.trace t.trace -c power8 --json");
    let ran = ran.ends(2, &["cut.trace is truncated", "no.trace"]);
    assert_eq!(ran.records("trace_prediction").len(), 2);
}

#[test]
fn a_trace_cut_off_anywhere_is_refused_by_every_verb_that_takes_one() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "CALLS", "region").ends(0, &[]);
    let whole = fs::read(lab.folder.join("t.trace")).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 24 + 1) {
        lab.write("cut.trace", &whole[..length]);
        for line in ["predict cut.trace -c power8", "explain cut.trace -c power8"] {
            lab.line(line).refused(&["cut.trace"]);
        }
    }
}

/// Runs the command as a user whom nothing is readable to that its owner may not read; `None` if the machine does not allow it.
fn without_privileges(lab: &Lab, line: &str) -> Option<Ran> {
    let allowed = Command::new("unshare").args(["--user", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this machine gives no user namespace to this user");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["--user", env!("CARGO_BIN_EXE_assay")]).args(line.split_whitespace());
    command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache).current_dir(&lab.folder);
    Some(finish(&mut command))
}

#[test]
fn a_trace_that_cannot_be_read_is_refused_by_what_stands_in_the_way() {
    let lab = Lab::shared();
    record(&lab, "regions.c", "CALLS", "region").ends(0, &[]);
    let at = |name: &str| lab.folder.join(name);
    fs::create_dir(at("folder.trace")).unwrap();
    fs::copy(at("t.trace"), at("locked.trace")).unwrap();
    fs::set_permissions(at("locked.trace"), fs::Permissions::from_mode(0o0)).unwrap();
    symlink("circle.trace", at("circle.trace")).unwrap();
    symlink("/dev/null", at("device.trace")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe.trace")).status().unwrap().success());
    for (name, parts) in [
        ("folder.trace", ["it is a folder", "name a trace in it"]),
        ("device.trace", ["it is a device", "`assay trace` has recorded"]),
        ("pipe.trace", ["it is a pipe", "write it to a file first"]),
        ("circle.trace", ["symbolic links", "see that the path is right"]),
        ("t.trace/under.trace", ["Not a directory", "see that the path is right"]),
        ("locked.trace", ["Permission denied", "readable to you"]),
    ] {
        for line in
            ["predict {} -c power8", "explain {} -c power8", "hot {}", "count {}", "compare t.trace {}"]
        {
            let line = line.replace("{}", name);
            let Some(ran) = without_privileges(&lab, &line) else { return };
            ran.refused(&[name, parts[0], parts[1]]);
        }
    }
}

/// Cycles and interval come from several readings of the file: they have to be of one recording, also while another one takes its
/// name again and again.
#[test]
fn a_trace_that_is_replaced_meanwhile_is_judged_as_it_was() {
    let lab = Lab::shared();
    let names = ["calls.trace", "recursion.trace"];
    for (name, scenario) in names.into_iter().zip(["CALLS", "RECURSION"]) {
        record(&lab, "regions.c", scenario, "region").ends(0, &[]);
        fs::rename(lab.folder.join("t.trace"), lab.folder.join(name)).unwrap();
    }
    let replace = |name: &str| {
        fs::copy(lab.folder.join(name), lab.folder.join("new.trace")).unwrap();
        fs::rename(lab.folder.join("new.trace"), lab.folder.join("t.trace")).unwrap();
    };
    let line = "predict t.trace -c power8 --json";
    let alone = names.map(|name| {
        replace(name);
        lab.line(line).ends(0, &[]).stdout
    });
    assert_ne!(alone[0], alone[1]);
    let over = AtomicBool::new(false);
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                names.into_iter().for_each(replace);
            }
        });
        let ran = (0..20).map(|_| lab.line(line)).collect();
        over.store(true, Ordering::Relaxed);
        ran
    });
    let mixed: Vec<&Ran> = ran.iter().filter(|ran| !alone.contains(&ran.stdout)).collect();
    assert!(mixed.is_empty(), "{} of {}: {:#?} {alone:#?}", mixed.len(), ran.len(), mixed[0]);
}

#[test]
fn an_instruction_that_no_class_describes_is_executed_counted_and_named() {
    let lab = Lab::shared();
    let checkout = checkout_with(&lab, "power/power7.toml", |text| text.replace("\"add\", ", ""));
    lab.write("t.s", ".globl _start\n_start: li 3, 7\n add 4, 3, 3\n add 4, 4, 3\n li 0, 1\n li 3, 0\n sc\n");
    let mut build = Command::new("clang-19");
    build.args(["--target=powerpc64le-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "t.s", "-o", "t"]);
    assert!(build.current_dir(&lab.folder).status().unwrap().success());
    lab.line("trace -o t.trace -- ./t").ends(0, &["6 instructions"]);
    let mut command = lab.command();
    command.env("ASSAY_ROOT", checkout).args(["predict", "t.trace", "-c", "power7"]);
    finish(&mut command).ends(0, &["66.7 %", "default class: add 2x"]);
}

#[test]
fn a_wrong_cpu_file_is_refused_with_file_line_key_and_what_is_allowed() {
    let lab = Lab::shared();
    let first_number = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("frequency")).unwrap();
        let value = line.split("value = ").nth(1).unwrap().split(',').next().unwrap();
        format!("value = {value},")
    };
    let without = |text: &str, start: &str| {
        text.lines().filter(|line| !line.starts_with(start)).collect::<Vec<_>>().join("\n")
    };
    type Edit<'a> = &'a dyn Fn(&str) -> String;
    let cases: [(&str, Edit, &[&str]); 6] = [
        ("missing", &|text| without(text, "frequency"), &["clock.frequency", "value ="]),
        (
            "negative",
            &|text| text.replacen(&first_number(text), "value = -133,", 1),
            &["clock.frequency", "-133", "1 to 10000 MHz"],
        ),
        ("unknown", &|text| text.replacen("[fetch]\n", "[fetch]\nblok = 3\n", 1), &["fetch.blok", "block"]),
        (
            "misspelt",
            &|text| text.replacen("instructions = [", "instructions = [\"nosuch\", ", 1),
            &["instructions' names 'nosuch', and no instruction of powerpc is called so"],
        ),
        ("cyclic", &|text| format!("inherits = \"mpc885\"\n{text}"), &["mpc885 -> mpc885"]),
        ("no parent", &|text| format!("inherits = \"mpc999\"\n{text}"), &["mpc999", "mpc885"]),
    ];
    for (name, edit, parts) in cases {
        let checkout = checkout_with(&lab, "powerpc/mpc885.toml", edit);
        for line in [
            "cpu mpc885",
            "cpu power8 --diff mpc885",
            "predict csum_fold -c mpc885",
            "explain csum_fold/reference -c mpc885",
        ] {
            let mut command = lab.command();
            command.env("ASSAY_ROOT", &checkout).args(line.split_whitespace());
            let ran = finish(&mut command).refused(parts);
            assert!(ran.stderr.contains("mpc885.toml"), "{name}: {ran:#?}");
            assert!(name == "missing" || ran.stderr.contains(".toml:"), "{name} names no line: {ran:#?}");
        }
    }
}
