// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf run`: one program on one memory. On this machine it runs in a child of this process and can have maps; for another
//! architecture the plugin program runs it under QEMU.

use super::input::{self, Form, Input, InputArgs};
use super::machine::{self, CodeArgs};
use super::plugin;
use crate::context::{Context, Outcome};
use arch::Arch;
use ebpf::{ByteOrder, Engine, Limits, Loaded, Options, PacketContext, Program, Status, Vm};
use lab::{host, Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// Options of `ebpf run`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// What r1 points to (r2 is its length): hex digits, or @FILE for a file's bytes
    #[arg(long, value_name = "HEX|@FILE", default_value = "", conflicts_with = "packet")]
    memory: String,
    /// Run an XDP or traffic-control program of an ELF object on each packet of a pcap file
    #[arg(long, value_name = "FILE.pcap", conflicts_with_all = ["target", "no_bounds"])]
    packet: Option<PathBuf>,
    /// What a packet's program gets, where its section does not say it
    #[arg(long, value_name = "STRUCT", value_parser = ["xdp_md", "__sk_buff"], requires = "packet")]
    context: Option<String>,
    /// The most memory that one map may take, with its keys, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = crate::numbers::whole::<u32>(1..=65536))]
    map_mib: u32,
    /// Run generated code (the default where there is a back end)
    #[arg(long, conflicts_with = "interpret")]
    jit: bool,
    /// Run the interpreter, which is the reference
    #[arg(long)]
    interpret: bool,
    /// Run as on this architecture, under QEMU (default: on this machine, without QEMU)
    #[arg(short = 'a', long, visible_alias = "arch", value_name = "ARCH")]
    target: Option<Arch>,
    /// Stop the program after this many instructions; 0: never
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, value_parser = crate::numbers::whole::<u64>(0..))]
    budget: u64,
    /// Trust the program: let it access any memory
    #[arg(long)]
    no_bounds: bool,
    #[command(flatten)]
    code: CodeArgs,
}

/// A run. Kind `ebpf_run`.
#[derive(Clone, Debug, Serialize)]
struct RunRecord {
    kind: &'static str,
    file: String,
    form: &'static str,
    program: String,
    section: String,
    byte_order: &'static str,
    arch: &'static str,
    engine: &'static str,
    machine: String,
    /// As a number, and in hex for readers of JSON whose numbers have 53 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    r0: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r0_hex: Option<String>,
    /// Of a pcap file: which packet, from 1; the verdict's name; the packet as the program left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    packet: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packet_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions_used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    assay_version: &'static str,
}

/// r0 and instructions used if they are known; or why the program was refused or stopped.
type Answer = std::result::Result<(u64, Option<u64>), String>;

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let input = input::load(&args.input)?;
    let program = input.single()?;
    let memory = input::memory(&args.memory)?;
    let native = host::native_arch();
    let arch = args.target.or(native).ok_or_else(|| {
        Problem::new("this machine's architecture is not known to the tool").remedy("name one with --target")
    })?;
    let compiled = !args.interpret && (args.jit || machine::has_back_end(arch));
    if compiled {
        machine::require_back_end(arch)?;
    }
    let engine = if compiled { Engine::Compiled } else { Engine::Interpreter };
    let here = native == Some(arch);
    let cpu = if here { None } else { Some(machine::cpu(arch, args.code.cpu.as_deref())?) };
    let record = RunRecord {
        kind: "ebpf_run",
        file: input.place.clone(),
        form: input.form.name(),
        program: program.name.clone(),
        section: program.section.clone(),
        byte_order: input.order_name(),
        arch: arch.name(),
        engine: if compiled { "compiled code" } else { "interpreter" },
        machine: match cpu {
            Some(cpu) => machine::emulator(context, arch, cpu)?.describe(),
            None => "this machine".to_owned(),
        },
        r0: None,
        r0_hex: None,
        packet: None,
        verdict: None,
        packet_after: None,
        instructions_used: None,
        error: None,
        assay_version: env!("CARGO_PKG_VERSION"),
    };
    refuse_other_order(&input, arch)?;
    let header = input.describe(program);
    if let Some(file) = &args.packet {
        return on_packets(context, args, arch, (&input, program, engine), file, record);
    }
    note_context(program, memory.len());
    let nothing = memory.is_empty();
    let show = |answer: Answer| {
        if nothing && answer.as_ref().is_err_and(|why| why.contains("outside context")) {
            eprintln!("note: r1 points to no memory here: --memory HEX or --memory @FILE gives it some");
        }
        show(context, &header, record, answer)
    };
    if let Some(cpu) = cpu {
        refuse_kernels(&input, program, "--target", "on this machine only")?;
        let qemu = machine::emulator(context, arch, cpu)?;
        return Ok(show(under_qemu(context, args, arch, &qemu, engine, (&input, program), &memory)?));
    }
    in_child(args, || Ok(show(in_process(args, arch, &input, program, engine, memory)?)))
}

fn show(context: &Context, header: &str, mut record: RunRecord, answer: Answer) -> Outcome {
    let outcome = if answer.is_ok() { Outcome::Fine } else { Outcome::Failed };
    match answer {
        Ok((r0, used)) => {
            record.r0 = Some(r0);
            record.r0_hex = Some(format!("{r0:#018x}"));
            record.instructions_used = used;
        }
        Err(why) => record.error = Some(why),
    }
    if context.json {
        println!("{}", record.to_line());
        return outcome;
    }
    println!("program       {header}");
    println!("engine        {}, {}, {}", record.engine, record.arch, record.machine);
    if let Some(r0) = record.r0 {
        let signed = if (r0 as i64) < 0 { format!(", as signed {}", r0 as i64) } else { String::new() };
        println!("r0            {r0:#018x} ({r0}{signed})");
        println!(
            "instructions  {}",
            record.instructions_used.map_or("not told".to_owned(), |used| used.to_string())
        );
    }
    if let Some(error) = &record.error {
        println!("no result     {error}");
    }
    outcome
}

/// Notes that a program which expects a structure of the kernel's gets the bytes of `--memory` in its place.
fn note_context(program: &Program, memory_bytes: usize) {
    if let Some(kind) = PacketContext::of_section(&program.section) {
        eprintln!(
            "note: {} is in section {} and expects a struct {}; it gets --memory's {memory_bytes} bytes as that. --packet \
             FILE.pcap makes one for each packet",
            program.name,
            program.section,
            kind.name()
        );
    }
}

fn limits(args: &Args, target: ebpf::Target) -> Limits {
    Limits {
        budget_instructions: (args.budget > 0).then_some(args.budget),
        target,
        any_byte_order: false,
        map_bytes_max: Some((args.map_mib as usize) << 20),
    }
}

/// Each packet of the file, one after the other, on the same maps.
fn on_packets(
    context: &Context,
    args: &Args,
    arch: Arch,
    (input, program, engine): (&Input, &Program, Engine),
    file: &Path,
    record: RunRecord,
) -> Result<Outcome> {
    let of_section = PacketContext::of_section(&program.section);
    let kind = match args.context.as_deref() {
        Some("xdp_md") => PacketContext::XdpMd,
        Some(_) => PacketContext::SkBuff,
        None => of_section.ok_or_else(|| {
            Problem::new(format!(
                "section '{}' does not say what its program gets for a packet",
                program.section
            ))
            .at(&input.place)
            .remedy("say it with --context xdp_md or --context __sk_buff")
        })?,
    };
    if input.form != Form::Elf {
        return Err(Problem::new(format!("is {}, which knows neither maps nor sections", input.form.name()))
            .at(&input.place)
            .remedy("--packet is for ELF objects; give others their bytes with --memory"));
    }
    let bytes = input::packets(file)?;
    let packets = ebpf::read_pcap(&bytes).map_err(|why| {
        Problem::new(why)
            .at(file.display())
            .remedy("give a pcap file of Ethernet frames, as tcpdump -w writes it")
    })?;
    let target = args.code.native_target(arch)?;
    in_child(args, || {
        let mut loaded = match Loaded::new(&input.object, program, limits(args, target)) {
            Ok(loaded) => loaded,
            Err(error) => {
                return Ok(show(context, &input.describe(program), record, no_answer(input, error)?))
            }
        };
        if !context.json {
            println!("program       {}", input.describe(program));
            println!(
                "engine        {}, {}, {}; context {}",
                record.engine,
                record.arch,
                record.machine,
                kind.name()
            );
        }
        let mut outcome = Outcome::Fine;
        for (index, packet) in packets.iter().enumerate() {
            let result = loaded.run_on_packet(engine, kind, packet);
            let used = (args.budget > 0).then(|| loaded.vm().instructions_used());
            let mut one = RunRecord { packet: Some(index + 1), instructions_used: used, ..record.clone() };
            match result {
                Ok((r0, after)) => {
                    (one.r0, one.r0_hex) = (Some(r0), Some(format!("{r0:#018x}")));
                    // What other programs return with the same structure has other names.
                    one.verdict = of_section.filter(|of| *of == kind).and_then(|kind| kind.verdict(r0));
                    one.packet_after = (after != *packet).then(|| input::to_hex(&after));
                }
                Err(error) => {
                    outcome = Outcome::Failed;
                    one.error = no_answer(input, error)?.err();
                }
            }
            show_packet(context, &one, packet.len());
        }
        Ok(outcome)
    })
}

fn show_packet(context: &Context, record: &RunRecord, bytes: usize) {
    if context.json {
        println!("{}", record.to_line());
        return;
    }
    let number = record.packet.unwrap_or(0);
    let used = record.instructions_used.map_or(String::new(), |used| format!(", {used} instructions"));
    let changed = match &record.packet_after {
        Some(hex) if hex.len() / 2 != bytes => format!(", packet changed, {} bytes now", hex.len() / 2),
        Some(_) => ", packet changed".to_owned(),
        None => String::new(),
    };
    match (record.r0, &record.error) {
        (Some(r0), _) => {
            let result = record.verdict.map_or(format!("r0 {r0}"), |verdict| format!("{verdict} ({r0})"));
            println!("packet {number:<6} {bytes} bytes: {result}{used}{changed}");
        }
        (None, error) => {
            println!("packet {number:<6} {bytes} bytes: {}", error.as_deref().unwrap_or("no result"))
        }
    }
}

/// Helper `UNWIND_HELPER`: returns its argument; if that is 0, the program ends.
extern "C" fn unwind(r1: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    r1
}

fn in_process(
    args: &Args,
    arch: Arch,
    input: &Input,
    program: &Program,
    engine: Engine,
    mut memory: Vec<u8>,
) -> Result<Answer> {
    let budget_instructions = (args.budget > 0).then_some(args.budget);
    let target = args.code.native_target(arch)?;
    if input.form == Form::Elf && !args.no_bounds {
        let limits = limits(args, target);
        let mut loaded = match Loaded::new(&input.object, program, limits) {
            Ok(loaded) => loaded,
            Err(error) => return no_answer(input, error),
        };
        let result = loaded.run(engine, &mut memory);
        return answer(input, result, loaded.vm(), budget_instructions);
    }
    refuse_kernels(input, program, "--no-bounds", "in checked runs only")?;
    let mut vm = machine::vm(Options { budget_instructions, bounds: !args.no_bounds, ..Options::default() })?;
    // SAFETY: the function only returns its argument.
    unsafe { vm.register_helper(machine::UNWIND_HELPER, unwind, true) }
        .map_err(|error| Problem::new(error.to_string()))?;
    let ready = vm.load(&program.bytecode, input.object.order).and_then(|()| match engine {
        Engine::Compiled => vm.compile(&target),
        Engine::Interpreter => Ok(()),
    });
    if let Err(error) = ready {
        return no_answer(input, error);
    }
    let result = if args.no_bounds {
        // SAFETY: the user vouches for the program; the process that it can harm is a child that does nothing else.
        unsafe { vm.run_unchecked(engine, &mut memory) }
    } else {
        vm.run(engine, &mut memory)
    };
    answer(input, result, &vm, budget_instructions)
}

fn answer(
    input: &Input,
    result: std::result::Result<u64, ebpf::Error>,
    vm: &Vm,
    budget: Option<u64>,
) -> Result<Answer> {
    match result {
        Ok(r0) => Ok(Ok((r0, budget.map(|_| vm.instructions_used())))),
        Err(error) => no_answer(input, error),
    }
}

/// An error of the program is an answer; what we or the machine cannot do is a problem.
fn no_answer(input: &Input, error: ebpf::Error) -> Result<Answer> {
    match error.status {
        Status::Program | Status::Relocation => Ok(Err(format!("refused: {error}"))),
        Status::Budget | Status::Bounds | Status::Alignment | Status::Helper => {
            Ok(Err(format!("stopped: {error}")))
        }
        Status::Memory => Err(Problem::new(error.to_string())
            .at(&input.place)
            .remedy("--map-mib N lets a map take N MiB, as far as this machine has them")),
        _ => Err(Problem::new(error.to_string()).at(&input.place)),
    }
}

/// Runs `action` in a child process and takes over its exit status, so that a program that crashes does not take this
/// process with it.
fn in_child(args: &Args, action: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
    // SAFETY: the only other thread waits for signals and holds no lock that the child would find locked for ever.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(Problem::new(format!("cannot start a process: {}", std::io::Error::last_os_error()))),
        0 => {
            end_with_parent();
            std::process::exit(match action() {
                Ok(Outcome::Fine) => 0,
                Ok(Outcome::Failed) => 1,
                Err(problem) => {
                    eprintln!("assay: {problem}");
                    2
                }
            })
        }
        _ => wait_for(child, args.no_bounds),
    }
}

/// The child ends with its parent. It unblocks the signals, so that they end it as they end any process: the thread that
/// waits for them exists only in the parent.
fn end_with_parent() {
    // SAFETY: system calls on a local.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut none = std::mem::MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
}

fn wait_for(child: libc::pid_t, no_bounds: bool) -> Result<Outcome> {
    let mut status = 0;
    // SAFETY: the child is ours and the status a valid place.
    while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(Problem::new(format!("cannot wait for the program: {error}")));
        }
    }
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        let name = lab::process::signal_name(signal);
        eprintln!("assay: {name} ended the program\n  remedy: {}", remedy(signal, no_bounds));
        return Ok(Outcome::Failed);
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(Outcome::Fine),
        1 => Ok(Outcome::Failed),
        // The child has said what is wrong.
        other => std::process::exit(other),
    }
}

/// What to do after a signal: a fault is the program's own only where its accesses are not checked.
fn remedy(signal: i32, no_bounds: bool) -> &'static str {
    match signal {
        libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE | libc::SIGTRAP if no_bounds => {
            "without --no-bounds, an access to memory that is not its own is stopped and its instruction named"
        }
        libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE | libc::SIGTRAP | libc::SIGABRT => {
            "report it with the command line and the program: it is a defect of Assay itself"
        }
        libc::SIGKILL => "if the kernel's log says that memory ran out: smaller maps, or a machine with more",
        _ => "run it again: the signal came from another process",
    }
}

/// An object's code assumes the byte order that it was compiled for: on a machine of the other order it would run and give a
/// wrong result. Other forms say nothing of a machine.
fn refuse_other_order(input: &Input, arch: Arch) -> Result<()> {
    let big = input.object.order == ByteOrder::Big;
    if input.form != Form::Elf || big == arch.big_endian() {
        return Ok(());
    }
    let (order, other) = if big { ("big", "powerpc64") } else { ("little", "powerpc64le") };
    let what =
        format!("is compiled for {order}-endian machines ({}), and {arch} is not one", input.order_name());
    let same = if big { "bpfel" } else { "bpfeb" };
    Err(Problem::new(what)
        .at(&input.place)
        .remedy(format!("run it with --target {other}, or compile it with clang -target {same}")))
}

/// Refuses a program of an object that needs what only checked runs on this machine have: a program of another form may call
/// the conformance suite's helper by the same number.
fn refuse_kernels(input: &Input, program: &Program, option: &str, where_they_are: &str) -> Result<()> {
    const LDDW: u8 = 0x18;
    const CALL: u8 = 0x85;
    const CALLX: u8 = 0x8d;
    const FUNCTION_ADDRESS: u8 = 4;
    if input.form != Form::Elf {
        return Ok(());
    }
    let mut slots = program.bytecode.chunks_exact(ebpf::SLOT_BYTES).enumerate();
    while let Some((slot, bytes)) = slots.next() {
        let source = match input.object.order {
            ByteOrder::Little => bytes[1] >> 4,
            ByteOrder::Big => bytes[1] & 15,
        };
        let what = match (bytes[0], source) {
            (CALL, 0) | (CALLX, _) => "calls a helper",
            (LDDW, FUNCTION_ADDRESS) => "takes the address of a function",
            (LDDW, 1..) => "refers to a map or a data section",
            _ => "",
        };
        if !what.is_empty() {
            let problem = Problem::new(format!("program {}: instruction {slot} {what}", program.name));
            return Err(problem.at(&input.place).remedy(format!(
                "leave out {option}: maps, addresses of functions and the kernel's helpers exist {where_they_are}"
            )));
        }
        if bytes[0] == LDDW {
            slots.next();
        }
    }
    Ok(())
}

fn under_qemu(
    context: &Context,
    args: &Args,
    arch: Arch,
    qemu: &lab::emulator::Engine,
    engine: Engine,
    (input, program): (&Input, &Program),
    memory: &[u8],
) -> Result<Answer> {
    let plugin = plugin::build(context, arch, qemu)?;
    let budget = args.budget.to_string();
    let mut options = args.code.plugin_options();
    if args.budget > 0 {
        options.extend(["--budget", &budget]);
    }
    if !args.no_bounds {
        options.push("--bounds");
    }
    let hex = input::to_hex(&little_endian(&program.bytecode, input.object.order));
    let memory = input::to_hex(memory);
    // A batch of one line, on standard input: the length of arguments is limited.
    let answers = plugin
        .run_batch(&[(&hex, &memory)], engine, &options)
        .map_err(|error| Problem::new(error.to_string()))?;
    match answers.into_iter().next() {
        Some(Ok(r0)) => Ok(Ok((r0, None))),
        Some(Err(why)) => plugins_complaint(why),
        None => Err(Problem::new("the plugin program gave no answer").at(plugin.path().display())),
    }
}

/// The plugin puts the kind of error first, which decides as in `no_answer`.
fn plugins_complaint(why: String) -> Result<Answer> {
    match why.split_once(": ") {
        Some(("program" | "relocation", text)) => Ok(Err(format!("refused: {text}"))),
        Some(("budget" | "bounds" | "alignment" | "helper", text)) => Ok(Err(format!("stopped: {text}"))),
        Some(("the plugin ended early", _)) => Ok(Err(why)),
        _ => Err(Problem::new(why)),
    }
}

/// The plugin protocol lays instructions out as a little-endian machine does.
fn little_endian(bytecode: &[u8], order: ByteOrder) -> Vec<u8> {
    let mut bytes = bytecode.to_vec();
    if order == ByteOrder::Big {
        for slot in bytes.chunks_exact_mut(ebpf::SLOT_BYTES) {
            slot[1] = slot[1].rotate_left(4);
            slot[2..4].reverse();
            slot[4..8].reverse();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unchecked_fault_is_said_to_be_the_programs() {
        assert!(remedy(libc::SIGSEGV, true).contains("--no-bounds"));
        for (signal, no_bounds) in [(libc::SIGSEGV, false), (libc::SIGABRT, false), (libc::SIGABRT, true)] {
            assert!(remedy(signal, no_bounds).contains("a defect of Assay itself"), "{signal} {no_bounds}");
        }
        assert!(remedy(libc::SIGKILL, false).contains("memory ran out"));
    }

    #[test]
    fn instructions_of_both_byte_orders_become_the_same() {
        let text = "r3 = *(u16 *)(r1 - 2)\nr0 = 0x1122334455667788 ll\nif r3 > 7 goto +1\nr0 = 1\nexit\n";
        let assemble = |order| ebpf::assemble(text, order).expect("LLVM's syntax");
        let little = assemble(ByteOrder::Little);
        assert_eq!(little_endian(&assemble(ByteOrder::Big), ByteOrder::Big), little);
        assert_eq!(little_endian(&little, ByteOrder::Little), little);
    }
}
