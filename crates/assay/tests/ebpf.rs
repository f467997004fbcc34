// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `assay ebpf` and `assay prove` as users run them: results, messages, exit status.

use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BACK_ENDS: [&str; 4] = ["powerpc64", "powerpc64le", "loongarch64", "x86_64"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout")
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(words).env("ASSAY_ROOT", root()).current_dir(root());
    command
}

fn assay(words: &[&str]) -> Output {
    command(words).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the command, which has to end with `status`; returns standard output.
fn expect(words: &[&str], status: i32) -> String {
    let output = assay(words);
    let told = format!("{words:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{told}");
    text(&output.stdout)
}

/// Runs the command, which has to refuse its input: exit status 2, a message that contains `about`, and nothing on
/// standard output.
fn refusal(words: &[&str], about: &str) {
    let output = assay(words);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}\n{message}");
    assert!(message.contains(about), "{words:?}: '{about}' is not in: {message}");
    let first = message
        .lines()
        .find(|line| !line.starts_with("note: ") && !line.contains(": at work for "))
        .unwrap_or_default();
    assert!(first.starts_with("assay: ") || first.starts_with("error: "), "{words:?}: {message}");
    assert!(output.stdout.is_empty(), "{words:?}: {}", text(&output.stdout));
}

fn json(words: &[&str], status: i32) -> Vec<Value> {
    let mut all = words.to_vec();
    all.push("--json");
    expect(&all, status).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Writes a file for a test and returns its path.
fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, contents).expect("the file can be written");
    path.display().to_string()
}

fn slots(text: &str) -> Vec<u8> {
    ebpf::assemble(text, ebpf::ByteOrder::Little).expect("LLVM's syntax")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}

fn compile(target: &str, source: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = Command::new("clang-19")
        .args(["-target", target, "-mcpu=v4", "-O2", "-g", "-ffreestanding", "-Wno-everything", "-c", "-o"])
        .arg(&path)
        .arg(root().join(source))
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 -target {target} {source}");
    path.display().to_string()
}

const PORTS: &str = "docs/example/ports.bpf";
/// 443 and 50000 in network order.
const MEMORY: &str = "01bb c350";

#[test]
fn every_form_of_a_program_is_told_apart_and_runs() {
    let assembly = fs::read_to_string(root().join(PORTS)).expect("the example");
    let bytecode = slots(&assembly);
    let object = compile("bpfel", "libs/ebpf/tests/objects/programs.c", "forms.o");
    let forms = [
        (PORTS.to_owned(), "assembly text"),
        (file("forms.raw", &bytecode), "raw bytecode"),
        (file("forms.hex", hex(&bytecode)), "hex text"),
    ];
    for (path, form) in &forms {
        for engine in ["--jit", "--interpret"] {
            let records = json(&["ebpf", "run", path, "--memory", MEMORY, engine], 0);
            assert_eq!(records[0]["r0"], 443 + 50000, "{form} {engine}");
            assert_eq!(records[0]["r0_hex"], "0x000000000000c50b");
            assert_eq!(records[0]["form"], *form);
            assert_eq!(records[0]["instructions_used"], 13);
        }
    }
    for engine in ["--jit", "--interpret"] {
        // The program needs the object's maps.
        let records = json(&["ebpf", "run", &object, "--program", "count", "--memory", "0706", engine], 0);
        assert_eq!((&records[0]["r0"], &records[0]["form"]), (&10.into(), &"ELF object".into()), "{engine}");
    }
    let shown = expect(&["ebpf", "run", PORTS, "--memory", MEMORY], 0);
    assert!(shown.contains("0x000000000000c50b (50443)") && shown.contains("assembly text"), "{shown}");
}

#[test]
fn big_endian_instructions_are_read_too() {
    let text = "r0 = 0x1122334455667788 ll\nr0 s>>= 4\nexit\n";
    let big = ebpf::assemble(text, ebpf::ByteOrder::Big).expect("LLVM's syntax");
    let path = file("big.raw", &big);
    let want = "0x0112233445566778";
    assert_eq!(json(&["ebpf", "run", &path, "--order", "big"], 0)[0]["r0_hex"], want);
    assert_eq!(
        json(&["ebpf", "run", &path, "--order", "big", "--target", "powerpc64"], 0)[0]["r0_hex"],
        want
    );
    // An object is for machines of one byte order; on others it would give a wrong number.
    let object = compile("bpfeb", "libs/ebpf/tests/objects/programs.c", "big.o");
    let words = ["ebpf", "run", &object, "--program", "calls", "--memory", "0706"];
    assert_eq!(json(&[&words[..], &["--target", "powerpc64"]].concat(), 0)[0]["r0"], 30);
    for target in ["powerpc64le", "loongarch64", "x86_64"] {
        let words = [&words[..], &["--target", target]].concat();
        refusal(&words, "is compiled for big-endian machines (bpfeb)");
        refusal(&words, "--target powerpc64, or compile it with clang -target bpfel");
    }
}

#[test]
fn what_needs_a_kernel_is_told_and_shown() {
    let object = compile("bpfel", "libs/ebpf/tests/objects/kernel.c", "kernel.o");
    assert_eq!(json(&["ebpf", "run", &object, "--program", "other"], 0)[0]["r0"], 11);
    refusal(&["ebpf", "run", &object, "--program", "program"], "calls bpf_some_kfunc, an extern function");
    refusal(
        &["ebpf", "emit", &object, "--program", "program", "--target", "powerpc64"],
        "an extern function",
    );
    let shown = expect(&["ebpf", "disassemble", &object], 0);
    assert!(shown.contains("cannot run: ") && shown.contains("call btf"), "{shown}");
    let output = assay(&["ebpf", "verify", &object]);
    assert_eq!(output.status.code(), Some(1));
    let verdicts = text(&output.stdout);
    assert!(verdicts.contains("REFUSED  program") && verdicts.contains("ok       other"), "{verdicts}");
    assert!(
        text(&output.stderr).contains("CO-RE relocations (1) are not applied"),
        "{}",
        text(&output.stderr)
    );
}

/// A pcap file of Ethernet frames with these protocols and lengths; every byte but the protocol's is the frame's length.
fn pcap(name: &str, frames: &[(u16, usize)]) -> String {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    for (protocol, length) in frames {
        for word in [0, 0, *length as u32, *length as u32] {
            bytes.extend(word.to_le_bytes());
        }
        let mut frame = vec![*length as u8; *length];
        frame[12..14].copy_from_slice(&protocol.to_be_bytes());
        bytes.extend(frame);
    }
    file(name, bytes)
}

fn packets_object(options: &[&str], name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let target = if cfg!(target_endian = "big") { "bpfeb" } else { "bpfel" };
    let status = Command::new("clang-19")
        .args(["-target", target, "-mcpu=v3", "-O2", "-g", "-Wno-everything", "-c", "-o"])
        .arg(&path)
        .args(options)
        .arg(root().join("libs/ebpf/tests/objects/packets.c"))
        .status()
        .expect("clang-19 runs");
    assert!(status.success());
    path.display().to_string()
}

#[test]
fn programs_get_packets_of_a_pcap_file() {
    let object = packets_object(&[], "packets.o");
    let packets = pcap("frames.pcap", &[(0x0800, 98), (0x0806, 60), (0x86dd, 80), (0x0800, 20)]);
    for engine in ["--interpret", "--jit"] {
        let words = ["ebpf", "run", &object, "--program", "classify", "--packet", &packets, engine];
        let verdicts: Vec<Value> = json(&words, 0).iter().map(|record| record["verdict"].clone()).collect();
        assert_eq!(verdicts, ["XDP_PASS", "XDP_TX", "XDP_DROP", "XDP_DROP"], "{engine}");
        let tagged = &json(&["ebpf", "run", &object, "--program", "tag", "--packet", &packets, engine], 0)[0];
        let after = tagged["packet_after"].as_str().expect("it is changed");
        assert!(tagged["verdict"] == "XDP_TX" && after.len() == 120, "{engine}: {tagged}");
        assert!(after.starts_with("aa0000bb6262"), "{engine}: {after}");
        let stopped =
            &json(&["ebpf", "run", &object, "--program", "overrun", "--packet", &packets, engine], 1)[3];
        assert!(stopped["error"].as_str().is_some_and(|error| error.starts_with("stopped: ")), "{stopped}");
        let output = assay(&["ebpf", "run", &object, "--program", "count", "--packet", &packets, engine]);
        assert!(
            text(&output.stdout).contains("98 bytes: TC_ACT_OK (0)"),
            "{engine}: {}",
            text(&output.stdout)
        );
        assert!(
            text(&output.stderr).contains("trace_printk: 98 bytes, protocol "),
            "{}",
            text(&output.stderr)
        );
        let mut unheard =
            command(&["ebpf", "run", &object, "--program", "count", "--packet", &packets, engine]);
        unheard.stderr(fs::File::options().write(true).open("/dev/full").expect("it is there"));
        assert_eq!(unheard.output().expect("the command starts").status.code(), output.status.code());
    }
}

/// cgroup_skb programs get a `struct __sk_buff` too, but their results are no verdicts of traffic control.
#[test]
fn verdicts_have_names_where_the_section_says_so() {
    let object = packets_object(&[], "packets-other.o");
    let packets = pcap("other.pcap", &[(0x0800, 98)]);
    let run = ["ebpf", "run", object.as_str(), "--packet", packets.as_str(), "--program"];
    refusal(&[&run[..], &["allow"]].concat(), "section 'cgroup_skb/ingress' does not say what");
    let told = [&run[..], &["allow", "--context", "__sk_buff"]].concat();
    let record = &json(&told, 0)[0];
    assert!(record["r0"] == 1 && record["verdict"].is_null(), "{record}");
    let output = assay(&told);
    assert!(text(&output.stdout).contains("98 bytes: r0 1, "), "{}", text(&output.stdout));
    let record = &json(&[&run[..], &["classify", "--context", "xdp_md"]].concat(), 0)[0];
    assert_eq!(record["verdict"], "XDP_PASS");
}

#[test]
fn what_is_no_packet_is_told() {
    let object = packets_object(&[], "packets-bad.o");
    let packets = pcap("one.pcap", &[(0x0800, 98)]);
    let run = ["ebpf", "run", object.as_str(), "--program", "classify", "--packet"];
    let with =
        |file: &str| [&run[..], &[file]].concat().iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let refused = |file: &str, about: &str| {
        let words = with(file);
        refusal(&words.iter().map(String::as_str).collect::<Vec<_>>(), about);
    };
    refused("/nowhere.pcap", "/nowhere.pcap");
    refused("/dev/zero", "/dev/zero: is larger than 256 MiB");
    refused(&file("text.pcap", "no packets"), "is no pcap file");
    let whole = fs::read(&packets).expect("it was written");
    refused(&file("cut.pcap", &whole[..whole.len() - 1]), "ends in packet 1");
    refusal(
        &["ebpf", "run", PORTS, "--packet", &packets, "--context", "xdp_md"],
        "neither maps nor sections",
    );
    let note = assay(&["ebpf", "run", &object, "--program", "classify", "--memory", "00 00 00 00"]);
    let note = text(&note.stderr);
    assert!(note.contains("expects a struct xdp_md; it gets --memory's 4 bytes"), "{note}");
}

/// The conformance suite has another helper under the number of the kernel's time.
#[test]
fn an_objects_helpers_are_the_kernels_or_none() {
    let source = file(
        "kernels.c",
        "#define PROGRAM(name) __attribute__((section(\"tp/\" #name), used)) int name(void *context)\n\
         static unsigned long long (*ktime)(void) = (void *)5;\n\
         static long (*loop)(unsigned, void *, void *, unsigned long long) = (void *)181;\n\
         static __attribute__((noinline)) long body(unsigned turn, void *unused) { return turn > 3; }\n\
         PROGRAM(later) { return ktime() ? 42 : 43; }\n\
         PROGRAM(callback) { return loop(10, body, 0, 0); }\n",
    );
    let object = compile("bpfel", &source, "kernels.o");
    let run = ["ebpf", "run", object.as_str(), "--program"];
    assert_eq!(json(&[&run[..], &["later"]].concat(), 0)[0]["r0"], 42);
    for elsewhere in [&["--no-bounds"][..], &["--target", "powerpc64le"]] {
        refusal(&[&run[..], &["later"], elsewhere].concat(), "program later: instruction 0 calls a helper");
        refusal(&[&run[..], &["callback"], elsewhere].concat(), "takes the address of a function");
    }
    // In other forms, number 5 is the suite's: code looks at its result, which may end the program.
    let code_bytes = |number: u32| {
        let program = file(&format!("call{number}.bpf"), format!("r1 = 0\ncall {number}\nr0 = 7\nexit\n"));
        json(&["ebpf", "emit", &program, "--target", "powerpc64le"], 0)[0]["code_bytes"].as_u64()
    };
    assert!(code_bytes(5) > code_bytes(6));
}

#[test]
fn a_large_map_is_the_users_to_allow() {
    let object = packets_object(&["-DLARGE_MAP"], "packets-large.o");
    let packets = pcap("large.pcap", &[(0x0800, 98)]);
    let run = ["ebpf", "run", object.as_str(), "--program", "classify", "--packet", packets.as_str()];
    refusal(
        &run,
        "map large: 20000000 values of 8 bytes are more than the 67108864 bytes that a map may have",
    );
    assert_eq!(json(&[&run[..], &["--map-mib", "160"]].concat(), 0)[0]["verdict"], "XDP_PASS");
}

#[test]
fn a_suite_of_which_nothing_ran_is_no_success() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(["ebpf", "conformance"]).env("ASSAY_ROOT", root()).env("ASSAY_SHARED", "/nowhere");
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let message = text(&output.stderr);
    assert!(message.contains("no program of the suite was run") && message.contains("--suite"), "{message}");
}

#[test]
fn programs_run_as_on_other_machines() {
    for arch in BACK_ENDS {
        for swap in ["auto", "memory", "register"] {
            for fusion in ["on", "off"] {
                if swap == "memory" && arch == "loongarch64" {
                    continue; // it has no byte-reversing loads and stores
                }
                let words = ["ebpf", "run", PORTS, "--memory", MEMORY, "--target", arch];
                let words = [&words[..], &["--swap", swap, "--fusion", fusion]].concat();
                // An x86-64 without movbe has no byte-reversing loads and stores.
                let cpu = if arch == "x86_64" && swap == "memory" { vec!["--cpu", "movbe"] } else { vec![] };
                let records = json(&[words, cpu].concat(), 0);
                assert_eq!(records[0]["r0"], 443 + 50000, "{arch} {swap} {fusion}");
                assert_eq!(records[0]["arch"], arch);
            }
        }
    }
    // -a names the architecture in every verb.
    let interpreted = json(&["ebpf", "run", PORTS, "--memory", MEMORY, "-a", "riscv64"], 0);
    assert_eq!((&interpreted[0]["r0"], &interpreted[0]["engine"]), (&50443.into(), &"interpreter".into()));
    let power10 = ["ebpf", "run", PORTS, "--memory", MEMORY, "--target", "powerpc64le", "--cpu", "power10"];
    assert_eq!(json(&[&power10[..], &["--swap", "isa31"]].concat(), 0)[0]["r0"], 50443);
}

#[test]
fn stopped_programs_end_with_1_and_name_the_instruction() {
    let wild = file("wild.bpf", "r3 = 16\nr0 = *(u64 *)(r3 + 0)\nexit\n");
    let endless = file("endless.bpf", "r0 = 1\ngoto -1\nexit\n");
    let unknown = file("unknown.bpf", "raw 0xff 0 0 0 0\nexit\n");
    for target in [&[][..], &["--target", "powerpc64le"], &["--target", "powerpc64", "--interpret"]] {
        let run = |path: &str, more: &[&str]| {
            let words = [&["ebpf", "run", path], target, more].concat();
            json(&words, 1)[0]["error"].as_str().expect("an error").to_owned()
        };
        let stray = run(&wild, &[]);
        assert!(stray.starts_with("stopped: instruction 1: "), "{target:?}: {stray}");
        let long = run(&endless, &["--budget", "1000"]);
        assert!(long.starts_with("stopped: ") && long.contains("budget"), "{target:?}: {long}");
        let refused = run(&unknown, &[]);
        assert!(refused.starts_with("refused: instruction 0: "), "{target:?}: {refused}");
    }
    let output = assay(&["ebpf", "run", &wild, "--no-bounds"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("SIGSEGV"), "{}", text(&output.stderr));
}

#[test]
fn verify_names_instruction_and_reason() {
    let cases: [(&str, u64); 7] = [
        ("r0 = 0\ngoto +7\nexit\n", 1),
        ("r0 = 1 ll\nif r0 > 1 goto -2\nexit\n", 2),
        ("r0 = 0\nraw 0xff 0 0 0 0\nexit\n", 1),
        ("r10 = 1\nexit\n", 0),
        ("r1 = 0\ncall 77\nexit\n", 1),
        ("*(u64 *)(r10 - 600) = r1\nr0 = 0\nexit\n", 0),
        ("r0 = 0\n", 0),
    ];
    for (index, (program, slot)) in cases.into_iter().enumerate() {
        let path = file(&format!("refused{index}.bpf"), program);
        let record = &json(&["ebpf", "verify", &path], 1)[0];
        assert_eq!(
            (&record["ok"], &record["instruction"]),
            (&false.into(), &slot.into()),
            "{program}: {record}"
        );
        let shown = expect(&["ebpf", "verify", &path], 1);
        assert!(shown.contains("REFUSED") && shown.contains(&format!("instruction {slot}: ")), "{shown}");
        // A refused program is not run.
        let run = &json(&["ebpf", "run", &path], 1)[0];
        assert!(run["error"].as_str().is_some_and(|why| why.starts_with("refused: ")), "{run}");
    }
    let helper = file("helper.bpf", "r1 = 0\ncall 77\nexit\n");
    expect(&["ebpf", "verify", &helper, "--helpers", "76,77"], 0);
    let unknown = expect(&["ebpf", "verify", &file("unknown.bpf", "call 12\nexit\n")], 1);
    assert!(unknown.contains("call of helper 12 (bpf_tail_call)"), "{unknown}");
    let object = compile("bpfel", "libs/ebpf/tests/objects/programs.c", "verify.o");
    let shown = expect(&["ebpf", "verify", &object], 0);
    assert!(shown.lines().all(|line| line.starts_with("ok")) && shown.lines().count() >= 6, "{shown}");
}

#[test]
fn a_bad_input_is_one_message() {
    let odd = file("odd.hex", "95 00 0");
    let lines = file("lines.txt", "exit\nr0 = what\n");
    let elf = file("broken.o", b"\x7fELF\x02\x01\x01 and nothing more");
    let empty = file("empty", "");
    let object = compile("bpfel", "libs/ebpf/tests/objects/programs.c", "bad.o");
    refusal(&["ebpf", "run", "does/not/exist"], "does/not/exist: cannot read the file");
    refusal(&["ebpf", "run", "docs"], "cannot read the file");
    refusal(&["ebpf", "run", &empty], "remedy: name an ELF object");
    refusal(&["ebpf", "run", "libs/ebpf/tests/objects/programs.c"], "is C, which is compiled first");
    refusal(&["ebpf", "run", &odd], "an odd number of digits");
    refusal(&["ebpf", "run", &lines], "line 2");
    refusal(&["ebpf", "verify", &elf], "not a readable ELF object");
    refusal(&["ebpf", "verify", &elf], "remedy: an object of C is made by: clang-19 -target bpf");
    refusal(&["ebpf", "stats", "/bin/true"], "not for BPF");
    refusal(&["ebpf", "run", &object], "choose one with --program");
    refusal(&["ebpf", "run", &object, "--program", "nothing"], "its programs");
    refusal(&["ebpf", "run", PORTS, "--program", "x"], "no sections");
    refusal(&["ebpf", "run", PORTS, "--memory", "0g"], "'g'");
    refusal(&["ebpf", "run", PORTS, "--memory", "@does/not/exist"], "cannot read the memory");
    refusal(&["ebpf", "run", PORTS, "--memory", "@/dev/zero"], "/dev/zero: is larger than 16 MiB");
    refusal(&["ebpf", "run", "/dev/zero"], "/dev/zero: is larger than 64 MiB");
    refusal(&["ebpf", "run", PORTS, "--target", "mips"], "unknown architecture");
    refusal(&["ebpf", "run", PORTS, "--target", "powerpc"], "powerpc");
    refusal(&["ebpf", "run", PORTS, "--target", "aarch64", "--jit"], "no code can be generated for aarch64");
    refusal(&["ebpf", "run", PORTS, "--target", "powerpc64", "--cpu", "movbe"], "power7 power8");
    refusal(&["ebpf", "run", &object, "--program", "count", "--target", "powerpc64le"], "refers to a map");
    refusal(&["ebpf", "run", PORTS, "--target", "loongarch64", "--swap", "memory"], "byte-reversed load");
    refusal(&["ebpf", "emit", PORTS, "--target", "riscv64"], "back ends for");
    refusal(&["ebpf", "emit", PORTS, "--target", "x86_64", "--swap", "isa31"], "isa31");
    refusal(&["ebpf", "conformance", "--suite", PORTS], "ports.bpf");
    refusal(&["ebpf", "conformance", "--suite", "does/not/exist"], "does/not/exist");
    refusal(&["ebpf", "plugin", "--arch", "powerpc"], "powerpc");
    refusal(&["prove", "csum_partial"], "no contract");
    refusal(&["prove", "swap16", "-v", "nothing"], "no variant");
}

#[test]
fn damaged_bytes_never_end_the_command_by_a_signal() {
    let object =
        fs::read(compile("bpfel", "libs/ebpf/tests/objects/programs.c", "damage.o")).expect("the object");
    let bytecode = slots(&fs::read_to_string(root().join(PORTS)).expect("the example"));
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for round in 0..60 {
        let mut bytes = if round % 2 == 0 { object.clone() } else { bytecode.clone() };
        for _ in 0..1 + random(12) {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }
        bytes.truncate(bytes.len() - random(bytes.len() / 2));
        let path = file("damaged", &bytes);
        for words in [
            &["ebpf", "run", &path, "--budget", "1000"][..],
            &["ebpf", "stats", &path],
            &["ebpf", "disassemble", &path],
        ] {
            let output = assay(words);
            assert_eq!(output.status.signal(), None, "round {round}: {words:?}\n{}", text(&output.stderr));
            assert!(matches!(output.status.code(), Some(0..=2)), "{words:?}");
            assert!(
                !text(&output.stderr).contains("panicked") && !text(&output.stderr).contains("a defect of"),
                "{}",
                text(&output.stderr)
            );
        }
    }
}

#[test]
fn a_plain_listing_can_be_assembled_again() {
    let object = compile("bpfel", "libs/ebpf/packets/forward.c", "listing.o");
    let plain = expect(&["ebpf", "disassemble", &object, "--plain"], 0);
    let parsed = ebpf::Object::parse(&fs::read(&object).expect("the object")).expect("it loads");
    assert_eq!(slots(&plain), parsed.programs[0].bytecode);
    let unknown = expect(
        &["ebpf", "disassemble", &file("plain.hex", "ff00000000000000 9500000001000000"), "--plain"],
        0,
    );
    assert_eq!(unknown, "raw 0xff 0 0 0 0\nraw 0x95 0 0 0 1\n");
    let shown = expect(&["ebpf", "disassemble", PORTS], 0);
    assert!(shown.contains("     2: w3 = *(u16 *)(r1 + 0)\n     3: r3 = be16 r3\n"), "{shown}");
    let records = json(&["ebpf", "disassemble", PORTS], 0);
    assert_eq!(records.len(), 13);
    assert_eq!(records[12]["text"], "exit");
}

#[test]
fn emitted_code_is_written_whole_and_listed() {
    for arch in BACK_ENDS {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emitted-{arch}"));
        let out = path.display().to_string();
        expect(&["ebpf", "emit", PORTS, "--target", arch, "-o", &out], 0);
        let record = &json(&["ebpf", "emit", PORTS, "--target", arch], 0)[0];
        let code = fs::read(&path).expect("the code");
        assert_eq!(record["code"], hex(&code).replace(' ', ""));
        let listing = expect(&["ebpf", "emit", PORTS, "--target", arch], 0);
        assert!(!listing.contains("unknown"), "{arch}:\n{listing}");
        assert!(listing.lines().count() > 10, "{arch}:\n{listing}");
    }
    let power = expect(&["ebpf", "emit", PORTS, "--target", "powerpc64le", "--fusion", "on"], 0);
    assert!(power.contains("lhbrx"), "{power}");
    let separate = expect(&["ebpf", "emit", PORTS, "--target", "powerpc64le", "--fusion", "off"], 0);
    assert!(!separate.contains("lhbrx"), "{separate}");
    refusal(
        &["ebpf", "emit", PORTS, "--target", "x86_64", "-o", "does/not/exist/code"],
        "cannot write the file",
    );
    let object = compile("bpfel", "libs/ebpf/tests/objects/programs.c", "emit.o");
    let output = assay(&["ebpf", "emit", &object, "--program", "count", "--target", "powerpc64"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("address of a map"), "{}", text(&output.stderr));
}

#[test]
fn stats_count_swaps_and_sizes() {
    let records = json(&["ebpf", "stats", PORTS], 0);
    let census = |order: &str| {
        records
            .iter()
            .find(|r| r["machine_byte_order"] == order)
            .unwrap_or_else(|| panic!("no census for {order}"))
    };
    let little = census("little");
    assert_eq!(little["instructions"], 13);
    assert_eq!((&little["loads"], &little["stores"]), (&2.into(), &2.into()));
    assert_eq!(little["be_16_32_64"], serde_json::json!([4, 0, 0]));
    assert_eq!((&little["swaps_with_load"], &little["swaps_with_store"]), (&2.into(), &2.into()));
    assert_eq!(little["fusable_percent"], 100.0);
    let big = census("big");
    let swaps = ["swaps_with_load", "swaps_with_store", "swaps_remaining"]
        .map(|key| big[key].as_u64().expect("a count"));
    assert_eq!(swaps, [0, 0, 0], "network order is the machine's own");
    let sizes: Vec<&Value> = records.iter().filter(|r| r["kind"] == "ebpf_code_size").collect();
    for arch in BACK_ENDS {
        assert!(sizes.iter().any(|size| size["arch"] == arch), "{arch}");
    }
    for size in &sizes {
        let bytes = |key: &str| size[key].as_u64().expect("a count");
        let (unfused, fused) = (bytes("unfused_bytes"), bytes("fused_bytes"));
        match size["arch"].as_str() {
            Some("powerpc64le") => assert!(fused < unfused, "{size}"),
            Some("powerpc64" | "loongarch64") => assert_eq!(fused, unfused, "{size}"),
            _ => assert!(unfused > 0 && fused > 0, "{size}"),
        }
    }
    let shown = expect(&["ebpf", "stats", PORTS], 0);
    assert!(shown.contains("fusable") && shown.contains("powerpc64le"), "{shown}");
}

const SUITE: &str = r#"[
 {"name": "seven", "program": "b7000000070000009500000000000000", "memory": "", "result": "0x7"},
 {"name": "first-byte", "program": "71100000000000009500000000000000", "memory": "2a", "result": "0x2a"}
]"#;

#[test]
fn a_conformance_run_can_fail_and_is_never_skipped_silently() {
    let suite = file("suite.json", SUITE);
    let rows = json(&["ebpf", "conformance", "--suite", &suite], 0);
    for arch in BACK_ENDS {
        let engines: Vec<&Value> =
            rows.iter().filter(|row| row["arch"] == arch).map(|row| &row["engine"]).collect();
        assert!(engines.iter().any(|engine| *engine == "interpreter"), "{arch}: {engines:?}");
        assert!(
            engines.iter().filter(|engine| **engine == "compiled code").count() >= 2,
            "{arch}: {engines:?}"
        );
    }
    assert!(rows.iter().all(|row| row["passed"] == 2 && row["failed"] == 0), "{rows:?}");

    let wrong = file("wrong.json", SUITE.replace("0x2a", "0x2b"));
    let output = assay(&["ebpf", "conformance", "--suite", &wrong, "-a", "powerpc64le"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("first-byte: r0 is 0x2a, not 0x2b"), "{}", text(&output.stdout));

    let nowhere = file("a-file-is-no-folder", "");
    let output = command(&["ebpf", "conformance"]).env("ASSAY_SHARED", nowhere).output().expect("it starts");
    let message = text(&output.stderr);
    assert!(message.contains("skip ") && message.contains("no program of the suite was run"), "{message}");
}

#[test]
fn what_big_endian_machines_have_to_give_is_listed_with_the_reason() {
    let rows = json(&["ebpf", "conformance", "--big-endian"], 0);
    assert_eq!(rows.len(), 32, "docs/ebpf.md gives the number");
    for row in &rows {
        assert_eq!(row["kind"], "ebpf_big_endian");
        assert!(["4.2", "5.1", "5.3"].iter().any(|section| row["rfc9669_section"] == *section), "{row}");
        assert_ne!(row["published"], row["big_endian"], "{row}");
    }
}

#[test]
fn plugins_speak_the_protocol() {
    let listed = expect(&["ebpf", "plugin", "-a", "x86_64", "-a", "powerpc64"], 0);
    let paths: Vec<&str> =
        listed.lines().map(|line| line.split_once(' ').expect("its architecture first").1.trim()).collect();
    assert_eq!(paths.len(), 2, "{listed}");
    for path in paths {
        let run = |words: &[&str]| {
            use std::io::Write;
            let mut child = Command::new(path)
                .args(words)
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("it starts");
            let program = b"71 10 00 00 00 00 00 00  95 00 00 00 00 00 00 00\n";
            child.stdin.take().expect("a pipe").write_all(program).expect("it reads");
            let output = child.wait_with_output().expect("it ends");
            (output.status.code(), text(&output.stdout).trim().to_owned())
        };
        assert_eq!(run(&["2a 00", "--jit"]), (Some(0), "2a".to_owned()), "{path}");
        assert_eq!(run(&["2a 00", "--interpret"]), (Some(0), "2a".to_owned()), "{path}");
    }
}

#[test]
fn proofs_and_counterexamples() {
    let records = json(&["prove", "swap32", "-a", "powerpc64le", "-a", "x86_64"], 0);
    assert!(records.len() >= 4, "{records:?}");
    assert!(records.iter().all(|record| record["verdict"] == "proved"), "{records:?}");
    assert!(records.iter().all(|record| record["instructions"].as_u64() > Some(1)), "{records:?}");

    let function = |name: &str, body: &str| {
        file(name, format!("\t.abiversion 2\n\t.text\n\t.globl swap32\n\t.type swap32,@function\nswap32:\n{body}\n\tblr\n"))
    };
    // The upper half stays dirty for some inputs only.
    let wrong =
        function("wrong_swap.S", "\trlwinm 4,3,8,0,31\n\trlwimi 4,3,24,0,7\n\trlwimi 4,3,24,16,24\n\tmr 3,4");
    let record = &json(&["prove", "swap32", "-a", "powerpc64le", &wrong], 1)[0];
    assert_eq!(record["verdict"], "counterexample", "{record}");
    let number = |value: &Value| {
        let hex = value.as_str().and_then(|text| text.strip_prefix("0x")).expect("hex");
        u64::from_str_radix(hex, 16).expect("hex")
    };
    let example = &record["counterexample"];
    let input = number(&example["inputs"]["r3"]);
    assert_eq!(number(&example["want"]), u64::from((input as u32).swap_bytes()));
    assert_ne!(example["got"], example["want"]);
    let shown = expect(&["prove", "swap32", "-a", "powerpc64le", &wrong], 1);
    assert!(shown.starts_with("WRONG") && shown.contains("want 0x"), "{shown}");

    let branch = function("branch_swap.S", "\tb 1f\n\tli 3,0\n1:");
    let record = &json(&["prove", "swap32", "-a", "powerpc64le", &branch], 0)[0];
    assert_eq!(record["verdict"], "cannot", "{record}");
    assert!(record["reason"].as_str().is_some_and(|why| why.contains("not a straight line")), "{record}");
}

#[test]
fn a_missing_solver_is_named() {
    // Everything that building a runner needs, but no z3.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-solver");
    fs::create_dir_all(&folder).expect("the folder");
    let path = std::env::var_os("PATH").expect("a PATH");
    for name in ["clang-19", "ld.lld-19"] {
        let program =
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
        let link = folder.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(program.expect("it is installed"), link).expect("a link");
        }
    }
    let output =
        command(&["prove", "swap16", "-a", "x86_64"]).env("PATH", &folder).output().expect("it starts");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("z3") && message.contains("remedy"), "{message}");
}
