// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf emit`: machine code ahead of time, for any back end from any machine.

use super::input::{self, to_hex, InputArgs};
use super::machine::{self, CodeArgs, HELPER_NUMBER_MAX};
use crate::context::{Context, Outcome};
use arch::Arch;
use decode::{Decoder, Instruction};
use ebpf::{CodeStats, Options};
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::path::PathBuf;

/// Options of `ebpf emit`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Architecture to generate code for
    #[arg(short = 'a', long, visible_alias = "arch", value_name = "ARCH")]
    target: Arch,
    /// Write the machine code to this file, FIFO or device instead of listing it; -: to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Code that checks every access against the regions in its frame
    #[arg(long)]
    bounds: bool,
    /// Code that charges instructions to the budget in its frame
    #[arg(long)]
    budget: bool,
    #[command(flatten)]
    code: CodeArgs,
}

/// Generated code. Kind `ebpf_code`.
#[derive(Serialize)]
struct EmitRecord<'a> {
    kind: &'static str,
    file: &'a str,
    program: &'a str,
    section: &'a str,
    arch: &'static str,
    cpu: &'static str,
    code_bytes: usize,
    swaps_with_load: u32,
    swaps_with_store: u32,
    swaps_in_register: u32,
    truncations: u32,
    truncations_dropped: u32,
    code: String,
    assay_version: &'static str,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    machine::require_back_end(args.target)?;
    let output = context.output(args.output.as_deref())?;
    output.as_ref().map_or(Ok(()), |output| output.spare([args.input.file()]))?;
    let input = input::load(&args.input)?;
    let program = input.single()?;
    let cpu = machine::cpu(args.target, args.code.cpu.as_deref())?;
    // Any amount will do: the frame brings the budget when the code runs.
    let budget_instructions = args.budget.then_some(u64::MAX);
    let mut vm = machine::vm(Options { budget_instructions, bounds: args.bounds, ..Options::default() })?;
    machine::pretend_helpers(&mut vm, input.form, 0..HELPER_NUMBER_MAX)?;
    if let Err(error) = vm.load(&program.bytecode, input.object.order) {
        return Ok(refused(&input.place, &error));
    }
    let code = match vm.emit(&args.code.target(args.target)?) {
        Ok(code) => code,
        Err(error) => return Err(Problem::new(error.to_string()).at(&input.place)),
    };
    let stats = vm.code_stats();
    if let Some(output) = &output {
        output.write(&code)?;
        if output.is_stdout() {
            return Ok(Outcome::Fine);
        }
    }
    if context.json {
        let record = EmitRecord {
            kind: "ebpf_code",
            file: &input.place,
            program: &program.name,
            section: &program.section,
            arch: args.target.name(),
            cpu: cpu.name,
            code_bytes: code.len(),
            swaps_with_load: stats.swaps_with_load,
            swaps_with_store: stats.swaps_with_store,
            swaps_in_register: stats.swaps_in_register,
            truncations: stats.truncations,
            truncations_dropped: stats.truncations_dropped,
            code: to_hex(&code),
            assay_version: env!("CARGO_PKG_VERSION"),
        };
        println!("{}", record.to_line());
        return Ok(Outcome::Fine);
    }
    println!("{}", input.describe(program));
    println!("{} bytes for {} ({}): {}", code.len(), args.target, cpu.name, swaps(&stats));
    match &output {
        Some(output) => println!("written to {}; to be put at a multiple of 64", output.name()),
        None => list(args.target, &code)?,
    }
    Ok(Outcome::Fine)
}

/// Reports that the library refuses the program, which is a failure and no problem with the command line. Addresses of maps
/// and functions are known only at run time.
fn refused(place: &str, error: &ebpf::Error) -> Outcome {
    eprintln!("assay: {place}: refused: {error}");
    if error.status == ebpf::Status::Relocation {
        eprintln!("  remedy: code ahead of time can hold no address of a map or a function; ./assay ebpf run has them");
    }
    Outcome::Failed
}

fn swaps(stats: &CodeStats) -> String {
    format!(
        "{} swaps by a load, {} by stores, {} in registers; {} truncations, {} of them without code",
        stats.swaps_with_load,
        stats.swaps_with_store,
        stats.swaps_in_register,
        stats.truncations,
        stats.truncations_dropped
    )
}

fn list(arch: Arch, code: &[u8]) -> Result<()> {
    let mut decoder = Decoder::new(arch).map_err(|error| Problem::new(error.to_string()))?;
    let mut at = 0;
    while at < code.len() {
        let instruction = decoder
            .decode(&code[at..], at as u64)
            .unwrap_or_else(|_| Instruction::unknown(arch, &code[at..], at as u64));
        let bytes: Vec<String> = instruction.encoding().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{at:6x}: {:30} {}", bytes.join(" "), instruction.text.trim().replace('\t', " "));
        at += usize::from(instruction.length).max(1);
    }
    Ok(())
}
