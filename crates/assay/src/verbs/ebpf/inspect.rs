// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf disassemble` and `ebpf verify`: the instructions of a program, and whether the library would run it.

use super::input::{self, Form, Input, InputArgs};
use super::machine;
use crate::context::{Context, Outcome};
use ebpf::{LddwKind, MapDefinition, Options, Program};
use lab::Result;
use report::record::Record;
use serde::Serialize;

/// Options of `ebpf disassemble`.
#[derive(clap::Args)]
pub struct DisassembleArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Instructions only, so that the text can be assembled again
    #[arg(long)]
    plain: bool,
}

/// Options of `ebpf verify`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Helpers that the program may call besides those that `run` has, by number (separated by commas)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = crate::numbers::whole::<u32>(0..))]
    helpers: Vec<u32>,
}

/// One instruction. Kind `ebpf_instruction`.
#[derive(Serialize)]
struct InstructionRecord<'a> {
    kind: &'static str,
    program: &'a str,
    section: &'a str,
    slot: usize,
    slots: usize,
    text: String,
}

/// A verdict. Kind `ebpf_verify`.
#[derive(Serialize)]
struct VerifyRecord<'a> {
    kind: &'static str,
    file: &'a str,
    form: &'static str,
    program: &'a str,
    section: &'a str,
    byte_order: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    assay_version: &'static str,
}

/// Prints the instructions of the chosen programs.
pub fn disassemble(context: &Context, args: &DisassembleArgs) -> Result<Outcome> {
    let input = input::load(&args.input)?;
    let mut separator = "";
    for program in &input.object.programs {
        if args.plain && !context.json {
            for line in ebpf::disassemble_exactly(&program.bytecode, input.object.order) {
                println!("{line}");
            }
            continue;
        }
        if !context.json {
            println!("{separator}{}", input.describe(program));
            separator = "\n";
            if let Some(reason) = &program.unresolved {
                println!("cannot run: {reason}");
            }
        }
        for line in ebpf::disassemble(&program.bytecode, input.object.order) {
            if context.json {
                let record = InstructionRecord {
                    kind: "ebpf_instruction",
                    program: &program.name,
                    section: &program.section,
                    slot: line.slot,
                    slots: line.slots,
                    text: line.text,
                };
                println!("{}", record.to_line());
            } else {
                println!("{:6}: {}", line.slot, line.text);
            }
        }
    }
    Ok(Outcome::Fine)
}

/// Verifies the chosen programs.
pub fn verify(context: &Context, args: &VerifyArgs) -> Result<Outcome> {
    let input = input::load(&args.input)?;
    let mut outcome = Outcome::Fine;
    for program in &input.object.programs {
        let result = check(&input, program, &args.helpers)?;
        if result.is_err() {
            outcome = Outcome::Failed;
        }
        if context.json {
            let error = result.err();
            let record = VerifyRecord {
                kind: "ebpf_verify",
                file: &input.place,
                form: input.form.name(),
                program: &program.name,
                section: &program.section,
                byte_order: input.order_name(),
                ok: error.is_none(),
                instruction: error.as_ref().and_then(|error| error.instruction),
                error: error.map(|error| error.message),
                assay_version: env!("CARGO_PKG_VERSION"),
            };
            println!("{}", record.to_line());
        } else {
            match result {
                Ok(()) => println!("ok       {}", input.describe(program)),
                Err(error) => println!("REFUSED  {}\n         {error}", input.describe(program)),
            }
        }
    }
    Ok(outcome)
}

fn check(input: &Input, program: &Program, helpers: &[u32]) -> Result<std::result::Result<(), ebpf::Error>> {
    let elf = input.form == Form::Elf;
    let relocate = elf.then(|| places(&input.object.maps));
    if let Some(reason) = &program.unresolved {
        let message = reason.clone();
        return Ok(Err(ebpf::Error { status: ebpf::Status::Unsupported, instruction: None, message }));
    }
    let mut vm = machine::vm(Options { relocate, ..Options::default() })?;
    let own: Vec<u32> = if elf { ebpf::helper_numbers().collect() } else { vec![machine::UNWIND_HELPER] };
    machine::pretend_helpers(&mut vm, input.form, own.into_iter().chain(helpers.iter().copied()))?;
    Ok(vm.load(&program.bytecode, input.object.order))
}

/// Resolves references to existing maps without creating the maps. Any address will do here; this one has 47 bits, as user
/// addresses have.
pub fn places(maps: &[MapDefinition]) -> Box<dyn Fn(LddwKind, u32, u32) -> Option<u64>> {
    const ADDRESS: u64 = 0x7f12_3456_7890;
    let values: Vec<u64> =
        maps.iter().map(|map| u64::from(map.value_bytes) * u64::from(map.entries)).collect();
    Box::new(move |kind, imm, next_imm| {
        if kind == LddwKind::Code {
            return Some(ADDRESS);
        }
        let bytes = values.get(imm as usize)?;
        match kind {
            LddwKind::MapByIndex => Some(ADDRESS),
            LddwKind::MapValueByIndex => {
                (u64::from(next_imm) < *bytes).then_some(ADDRESS + u64::from(next_imm))
            }
            _ => None,
        }
    })
}
