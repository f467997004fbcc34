// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf stats`: the census of byte-order operations, and how large the code of each back end is, with swaps merged into
//! accesses and without.

use super::input::{self, Input, InputArgs};
use super::inspect::places;
use super::machine::{self, HELPER_NUMBER_MAX};
use crate::context::{Context, Outcome};
use arch::Arch;
use ebpf::{ByteOrder, Census, Fusion, Options, Program, Target, Vm};
use lab::{Problem, Result};
use report::record::Record;
use report::{Count, Derived, Report, Table};
use serde::Serialize;

/// Options of `ebpf stats`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
}

/// A program's census on machines of one byte order. Kind `ebpf_census`.
#[derive(Serialize)]
struct CensusRecord<'a> {
    kind: &'static str,
    file: &'a str,
    program: &'a str,
    section: &'a str,
    machine_byte_order: &'static str,
    instructions: u64,
    loads: u64,
    stores: u64,
    be_16_32_64: [u64; 3],
    le_16_32_64: [u64; 3],
    bswap_16_32_64: [u64; 3],
    swaps_with_load: u64,
    swaps_with_store: u64,
    swaps_remaining: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fusable_percent: Option<f64>,
    assay_version: &'static str,
}

/// The size of a program's code. Kind `ebpf_code_size`.
#[derive(Serialize)]
struct SizeRecord<'a> {
    kind: &'static str,
    file: &'a str,
    program: &'a str,
    section: &'a str,
    arch: &'static str,
    cpu: &'static str,
    unfused_bytes: u64,
    fused_bytes: u64,
    assay_version: &'static str,
}

/// One row of the first table.
struct Counted {
    name: String,
    machine: ByteOrder,
    census: Census,
}

/// One row of the second.
struct Size {
    name: String,
    arch: Arch,
    cpu: &'static str,
    unfused_bytes: u64,
    fused_bytes: u64,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let input = input::load(&args.input)?;
    let mut counted = Vec::new();
    let mut sizes = Vec::new();
    let mut outcome = Outcome::Fine;
    for program in &input.object.programs {
        let mut vm = vm(&input)?;
        let refused = match &program.unresolved {
            Some(reason) => Some(reason.clone()),
            None => vm.load(&program.bytecode, input.object.order).err().map(|error| error.message),
        };
        if let Some(reason) = refused {
            eprintln!("assay: {}: program {} is refused: {reason}", input.place, program.name);
            outcome = Outcome::Failed;
            continue;
        }
        for row in census(&mut vm, &input, program)? {
            if context.json {
                println!("{}", census_record(&input, program, &row).to_line());
            }
            counted.push(row);
        }
        for row in code_sizes(&mut vm, &input, program)? {
            if context.json {
                println!("{}", size_record(&input, program, &row).to_line());
            }
            sizes.push(row);
        }
    }
    if !context.json && !counted.is_empty() {
        let mut report =
            Report::new(&format!("{}, {} ({})", input.place, input.form.name(), input.order_name()));
        report.section("Byte order").table(census_table(&counted));
        report.section("Code").table(size_table(&sizes));
        context.show(&report);
    }
    Ok(outcome)
}

/// Nothing runs here, so every helper is taken to exist.
fn vm(input: &Input) -> Result<Vm> {
    let mut vm = machine::vm(Options { relocate: Some(places(&input.object.maps)), ..Options::default() })?;
    machine::pretend_helpers(&mut vm, input.form, 0..HELPER_NUMBER_MAX)?;
    Ok(vm)
}

fn failed(input: &Input, program: &Program, error: &ebpf::Error) -> Problem {
    Problem::new(format!("program {}: {error}", program.name)).at(&input.place)
}

fn census(vm: &mut Vm, input: &Input, program: &Program) -> Result<Vec<Counted>> {
    let orders = [ByteOrder::Little, ByteOrder::Big].into_iter();
    orders
        .map(|machine| {
            let census = Census::of(vm, &program.bytecode, input.object.order, machine)
                .map_err(|error| failed(input, program, &error))?;
            Ok(Counted { name: program.name.clone(), machine, census })
        })
        .collect()
}

fn code_sizes(vm: &mut Vm, input: &Input, program: &Program) -> Result<Vec<Size>> {
    let mut sizes = Vec::new();
    for arch in machine::back_ends() {
        for cpu in machine::cpus(arch) {
            let mut bytes = |fusion| {
                let target = Target {
                    arch: Some(arch.name().to_owned()),
                    features: machine::features(arch, cpu.name).unwrap_or_default(),
                    fusion,
                    ..Target::default()
                };
                let code = vm.emit(&target).map_err(|error| failed(input, program, &error))?;
                Ok(code.len() as u64)
            };
            sizes.push(Size {
                name: program.name.clone(),
                arch,
                cpu: cpu.name,
                unfused_bytes: bytes(Fusion::Off)?,
                fused_bytes: bytes(Fusion::On)?,
            });
        }
    }
    Ok(sizes)
}

fn census_record<'a>(input: &'a Input, program: &'a Program, row: &Counted) -> CensusRecord<'a> {
    let census = &row.census;
    CensusRecord {
        kind: "ebpf_census",
        file: &input.place,
        program: &program.name,
        section: &program.section,
        machine_byte_order: machine_name(row.machine),
        instructions: census.instructions,
        loads: census.loads,
        stores: census.stores,
        be_16_32_64: census.be,
        le_16_32_64: census.le,
        bswap_16_32_64: census.bswap,
        swaps_with_load: census.with_load,
        swaps_with_store: census.with_store,
        swaps_remaining: census.remaining,
        fusable_percent: census.fusable_percent(),
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn size_record<'a>(input: &'a Input, program: &'a Program, row: &Size) -> SizeRecord<'a> {
    SizeRecord {
        kind: "ebpf_code_size",
        file: &input.place,
        program: &program.name,
        section: &program.section,
        arch: row.arch.name(),
        cpu: row.cpu,
        unfused_bytes: row.unfused_bytes,
        fused_bytes: row.fused_bytes,
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn machine_name(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    }
}

fn census_table(rows: &[Counted]) -> Table {
    let mut table = Table::new(
        "Byte-order operations, and the swaps among them that an access can do",
        "counted in the bytecode; a swap is what a machine of that byte order has to turn round, and it is merged by the \
         rules of the library's own fusion pass, for a machine that can reverse every load and store",
    );
    let program = table.text_column("program");
    let machine = table.text_column("machine");
    let instructions = table.count_column("instructions", "");
    let widths = ["16 bits", "32 bits", "64 bits"].map(|width| table.count_column(width, ""));
    let with_load = table.count_column("by a load", "");
    let with_store = table.count_column("by stores", "");
    let remaining = table.count_column("remain", "");
    let share = table.derived_column("fusable", "%", 0);
    let mut fill = |name: &str, order: ByteOrder, census: &Census| {
        let row = table.row();
        table.set(row, program, name).set(row, machine, machine_name(order));
        table.set(row, instructions, Count(census.instructions));
        for (index, column) in widths.iter().enumerate() {
            table.set(row, *column, Count(census.be[index] + census.le[index] + census.bswap[index]));
        }
        table.set(row, with_load, Count(census.with_load)).set(row, with_store, Count(census.with_store));
        table.set(row, remaining, Count(census.remaining));
        if let Some(percent) = census.fusable_percent() {
            table.set(row, share, Derived::from(percent));
        }
    };
    rows.iter().for_each(|row| fill(&row.name, row.machine, &row.census));
    if rows.len() > 2 {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut sum = Census::default();
            rows.iter().filter(|row| row.machine == order).for_each(|row| sum += row.census);
            fill("all", order, &sum);
        }
    }
    table
}

fn size_table(rows: &[Size]) -> Table {
    let mut table = Table::new(
        "Generated code",
        "bytes that ebpf_emit gives, without bounds and budget, with swaps merged wherever the CPU can and never; the \
         address of a map counts as one of 47 bits",
    );
    let program = table.text_column("program");
    let arch = table.text_column("arch");
    let cpu = table.text_column("cpu");
    let unfused = table.count_column("not merged", "bytes");
    let fused = table.count_column("merged", "bytes");
    let ratio = table.derived_column("merged / not", "", 3);
    for size in rows {
        let row = table.row();
        table.set(row, program, size.name.as_str()).set(row, arch, size.arch.name()).set(row, cpu, size.cpu);
        table.set(row, unfused, Count(size.unfused_bytes)).set(row, fused, Count(size.fused_bytes));
        table.set(row, ratio, Derived::from(size.fused_bytes as f64 / size.unfused_bytes as f64));
    }
    table
}
