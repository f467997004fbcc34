// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Boots a kernel under QEMU with the tracer loaded and records what functions of the kernel execute.
//!
//! To tell a function from what interrupts it, the tracer has to know the exception vectors, the function that switches
//! tasks, and the function from which on recording is worthwhile: [`facts`] has these for each architecture.

use crate::boot::{boot, Boot, Ending, Outcome};
use crate::region::{sections, Region, Sections, TELLER};
use arch::Arch;
use lab::cache::{Scratch, Workspace};
use lab::elf::Function;
use lab::module::Module;
use lab::record::tracer;
use lab::symbols::Symbols;
use lab::{Problem, Result};
use std::ops::Range;
use std::str::FromStr;

/// The tracer's limit, see tracer/tracer.h.
const REGIONS_MAX: usize = 16;

/// How an interrupt or a fault inside the region is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interrupts {
    /// It is not in the trace.
    #[default]
    LeftOut,
    /// It is in the trace between two markers, and is not counted as part of the region.
    Marked,
    /// It is in the trace as part of the region.
    Part,
}

impl Interrupts {
    fn name(self) -> &'static str {
        match self {
            Interrupts::LeftOut => "left-out",
            Interrupts::Marked => "marked",
            Interrupts::Part => "part",
        }
    }
}

impl FromStr for Interrupts {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Interrupts, String> {
        [Interrupts::LeftOut, Interrupts::Marked, Interrupts::Part]
            .into_iter()
            .find(|known| known.name() == text)
            .ok_or_else(|| "it is left-out, marked or part".to_owned())
    }
}

/// A recorded boot of a kernel.
pub struct Recording<'a> {
    /// What is booted, and what runs in it.
    pub boot: Boot<'a>,
    /// The kernel's symbols.
    pub symbols: &'a Symbols,
    /// The modules that are loaded.
    pub modules: &'a [Module],
    /// The regions: functions of the kernel and of these modules, and BPF programs.
    pub regions: &'a [String],
    /// The symbols of the program that runs.
    pub program: Option<&'a Symbols>,
    /// The regions in this program: functions. A region of user code includes the system calls that it makes.
    pub program_regions: &'a [String],
    /// How interrupts are recorded.
    pub interrupts: Interrupts,
    /// Stop recording after so many instructions.
    pub limit: Option<u64>,
    /// Lines of the trace's header, `KEY:VALUE`.
    pub notes: Vec<String>,
}

/// What the tracer has to know of an architecture's kernels.
struct Facts {
    /// The exception vectors.
    vectors: Vec<Range<u64>>,
    /// The vectors of faults, after which the instruction is executed again; not those of external interrupts.
    faults: Vec<Range<u64>>,
    /// If all exceptions share a vector: the handler of external interrupts, which are no faults.
    outside: Option<u64>,
    /// The function that switches from the stack of one task to that of another.
    switch: &'static [&'static str],
    /// The first address of the kernel's half.
    kernel: u64,
    /// The bytes that `dcbz` clears.
    line: Option<u64>,
}

/// The function in which a kernel has finished its own start and starts its first program.
const STARTS: [&str; 2] = ["run_init_process", "kernel_init"];

fn facts(symbols: &Symbols) -> Result<Facts> {
    let at = |name: &str| symbols.function(name).map(|places| places[0]);
    let half = 1 << 63;
    Ok(match symbols.arch {
        // Power ISA 3.1B, book III, 7.5: real mode, scv and, with AIL 3, the others above 0xc000000000004000.
        Arch::Powerpc64 | Arch::Powerpc64le => Facts {
            vectors: vec![0x100..0x2000, 0xc000_0000_0000_3000..0xc000_0000_0000_6000],
            faults: [0, 0xc000_0000_0000_4000].into_iter().flat_map(faults_of_power).collect(),
            outside: None,
            switch: &["_switch"],
            kernel: half,
            line: Some(128),
        },
        Arch::Powerpc => {
            let faults = faults_of_power(0).collect();
            // A kernel with modules puts them into the 256 MiB below (arch/powerpc/Kconfig, TASK_SIZE).
            let has_modules = symbols.any_of(&["execmem_alloc", "module_alloc"]).is_some();
            Facts {
                vectors: vec![0x100..0x3000],
                faults,
                outside: None,
                switch: &["_switch"],
                kernel: if has_modules { 0xb000_0000 } else { 0xc000_0000 },
                line: Some(32),
            }
        }
        // The TLB refill runs without address translation, so the same handlers have two addresses.
        Arch::Loongarch64 => {
            let handlers = at("exception_handlers")?;
            let length = symbols.length(&handlers).max(1);
            let physical = handlers.address & 0xffff_ffff_ffff;
            // 512 bytes each: 64 exceptions, the interrupts, and at index 80 the TLB refill.
            let faults = [handlers.address, physical].into_iter();
            Facts {
                vectors: vec![handlers.address..handlers.address + length, physical..physical + length],
                faults: faults
                    .flat_map(|from| [from..from + (64 << 9), from + (80 << 9)..from + (81 << 9)])
                    .collect(),
                outside: None,
                switch: &["__switch_to"],
                kernel: half,
                line: None,
            }
        }
        Arch::Aarch64 => {
            let vectors = at("vectors")?.address;
            Facts {
                vectors: vec![vectors..vectors + 0x800],
                // Of the four entries for each origin of an exception, the first is for synchronous exceptions.
                faults: (0..4).map(|from| vectors + (from << 9)).map(|entry| entry..entry + 0x80).collect(),
                outside: None,
                switch: &["cpu_switch_to"],
                kernel: half,
                line: None,
            }
        }
        Arch::Riscv64 => {
            let entry = at("handle_exception")?.address;
            Facts {
                vectors: vec![entry..entry + 2],
                faults: vec![entry..entry + 2],
                outside: Some(at("do_irq")?.address),
                switch: &["__switch_to"],
                kernel: half,
                line: None,
            }
        }
        // Each entry by itself, since the code to which handlers return lies between them.
        Arch::X86_64 => {
            let tables =
                ["irq_entries_start", "spurious_entries_start"].iter().flat_map(|name| symbols.places(name));
            let tables = tables.map(|table| table.address..table.address + symbols.length(table).max(1));
            let entries = |names: &'static [&'static str]| {
                let found = names.iter().flat_map(|name| symbols.beginning(name));
                found.map(|entry| entry.address..entry.address + 1)
            };
            let nmi = at("asm_exc_nmi")?.address;
            let vectors = tables.chain(entries(&["asm_exc_", "asm_sysvec_", "asm_int80_"])).collect();
            let faults = entries(&["asm_exc_"]).filter(|entry| entry.start != nmi).collect();
            Facts { vectors, faults, outside: None, switch: &["__switch_to_asm"], kernel: half, line: None }
        }
    })
}

/// The vectors of faults, relative to `base`: storage and segments, alignment and program, unavailable facilities, and
/// those for emulation assistance (soft patch, Altivec assist).
fn faults_of_power(base: u64) -> impl Iterator<Item = Range<u64>> {
    [0x300..0x500, 0x600..0x900, 0xe00..0xe60, 0xf20..0xfa0, 0x1500..0x1800]
        .into_iter()
        .map(move |range| base + range.start..base + range.end)
}

/// The arguments of the plugin.
fn arguments(recording: &Recording, regions: &[Region], sections: &Sections) -> Result<Vec<String>> {
    let symbols = recording.symbols;
    let facts = facts(symbols)?;
    // A host's kernel that goes to the lower half enters a guest, which comes back, and not user mode: for the tracer
    // the lower half is kernel, too.
    let kernel = if recording.boot.machine.hosts_guests { 0 } else { facts.kernel };
    let mut words = vec![format!("arch={}", symbols.arch), format!("kernel={kernel:#x}")];
    words.extend(facts.vectors.iter().map(|range| format!("vector={:#x}:{:#x}", range.start, range.end)));
    words.extend(facts.faults.iter().map(|range| format!("fault={:#x}:{:#x}", range.start, range.end)));
    words.extend(facts.outside.map(|address| format!("outside={address:#x}")));
    words.extend(symbols.any_of(facts.switch).map(|function| format!("switch={:#x}", function.address)));
    words.extend(symbols.any_of(&STARTS).map(|function| format!("start={:#x}", function.local_entry)));
    words.extend(facts.line.map(|bytes| format!("line={bytes}")));
    words.push(format!("interrupts={}", recording.interrupts.name()));
    words.extend(recording.limit.map(|limit| format!("limit={limit}")));
    words.extend(watched(recording, regions, sections)?);
    words.extend(recording.notes.iter().map(|note| format!("note={note}")));
    Ok(words)
}

/// The arguments with the regions' addresses, and with the function that reports those not known yet.
fn watched(recording: &Recording, regions: &[Region], sections: &Sections) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for (region, name) in regions.iter().zip(recording.regions) {
        words.extend(region.arguments(name, recording.symbols, sections)?);
    }
    for name in recording.program_regions {
        let program = recording.program.expect("who names its functions names it");
        let places = program.function(name)?.iter();
        words.extend(places.map(|place| format!("roi={name}:{:#x}:{:#x}", place.address, place.local_entry)));
    }
    if words.len() > REGIONS_MAX {
        return Err(Problem::new(format!(
            "the functions stand in {} places, and {REGIONS_MAX} can be watched",
            words.len()
        ))
        .remedy("name fewer --roi, or ones whose name no other file has"));
    }
    if regions.iter().any(|region| matches!(region, Region::Program(_))) {
        let place = teller(recording.program)?;
        words.push(format!("tell={:#x}:{:#x}", place.address, place.local_entry));
    }
    Ok(words)
}

/// The function by which a workload reports the addresses of its BPF programs.
fn teller(program: Option<&Symbols>) -> Result<Function> {
    program.and_then(|symbols| symbols.any_of(&[TELLER])).ok_or_else(|| {
        Problem::new("the workload does not tell where its programs of BPF are").at(TELLER).remedy(
            "choose --workload packets or bpfcheck, or let yours call it as kernel/workloads/code_at.h says",
        )
    })
}

/// Resolves the names, so that a wrong one is reported before anything is booted.
fn regions<'a>(recording: &'a Recording) -> Result<Vec<Region<'a>>> {
    facts(recording.symbols)?;
    recording.regions.iter().map(|name| Region::of(recording.symbols, recording.modules, name)).collect()
}

/// Boots only to load the modules and to learn the addresses of their sections.
fn places_of_modules(workspace: &Workspace, started: &Boot) -> Result<Sections> {
    let mut learning = started.clone();
    learning.run.program = None;
    learning.run.files.clear();
    let outcome = boot(workspace, &learning)?;
    if let Some(failure) = outcome.failure() {
        return Err(Problem::new(format!("where the modules are could not be learned: {failure}"))
            .at(workspace.display(&outcome.log))
            .remedy("the console's log has the rest")
            .of_variant());
    }
    sections(&outcome.files)
}

/// Boots, records, and returns the trace with the outcome of the run. A failed run is an error that names the console's
/// log.
pub fn record(workspace: &Workspace, recording: &Recording) -> Result<(Scratch, Outcome)> {
    let scratch = workspace.scratch(".trace")?;
    let regions = regions(recording)?;
    let mut started = recording.boot.clone();
    started.traced = true;
    // With KASLR the functions are not at the addresses of their symbols.
    started.append.push("nokaslr".to_owned());
    // Time advances by a nanosecond per instruction: else the timer would interrupt every few functions, since
    // recording is slow, and no two recordings would be alike. Not with several processors: they would run in turn in
    // one thread of QEMU, and the tracer tells processors apart by their threads.
    if recording.boot.machine.counted_time && recording.boot.processors == 1 {
        started.qemu_arguments.extend(["-icount", "shift=0,sleep=off"].map(Into::into));
    }
    started.run.told_files = regions.iter().flat_map(Region::files).collect();
    let places = match started.run.told_files.is_empty() {
        true => Sections::new(),
        false => places_of_modules(workspace, &started)?,
    };
    let mut plugin =
        vec![format!("file={}", tracer(workspace)?.display()), format!("out={}", scratch.path().display())];
    plugin.extend(arguments(recording, &regions, &places)?);
    plugin.push(format!("note=qemu_cpu:{}", recording.boot.cpu));
    // QEMU splits the option at commas; two commas stand for one.
    let escaped: Vec<String> = plugin.iter().map(|part| part.replace(',', ",,")).collect();
    started.qemu_arguments.extend(["-plugin".into(), escaped.join(",").into()]);
    let outcome = boot(workspace, &started)?;
    let log = || workspace.display(&outcome.log);
    if let Ending::Stopped(said) = &outcome.ending {
        let tracer_said = said.lines().rfind(|line| line.contains("assay tracer:"));
        if let Some(line) = tracer_said {
            return Err(Problem::new(line.trim().trim_start_matches("assay tracer: ")).at(log()));
        }
        if said.contains("-plugin") || said.contains("ould not load plugin") {
            let problem = Problem::new(format!(
                "this QEMU takes no plugin: {}",
                said.lines().last().unwrap_or_default()
            ));
            return Err(problem
                .at(log())
                .remedy("put one that was built with --enable-plugins first in PATH, as Debian's is"));
        }
    }
    if let Some(failure) = outcome.failure() {
        return Err(Problem::new(failure).at(log()).remedy("the console's log has the rest").of_variant());
    }
    if !scratch.path().is_file() {
        return Err(Problem::new("the run left no trace")
            .at(log())
            .remedy("the console's log has what QEMU said"));
    }
    still_there(&places, &sections(&outcome.files)?, &log())?;
    Ok((scratch, outcome))
}

/// Fails if a section has another address in this boot than in the one before: then another function was recorded.
fn still_there(before: &Sections, now: &Sections, log: &str) -> Result<()> {
    match before.iter().find(|(file, address)| now.get(*file) != Some(*address)) {
        None => Ok(()),
        Some((file, address)) => Err(Problem::new(format!(
            "{file} said {address:#x} when the modules were looked for and {} when they were recorded",
            now.get(file).map_or("nothing".to_owned(), |address| format!("{address:#x}"))
        ))
        .at(log)
        .remedy("this kernel places its modules at random; if it does so with nokaslr, too, they cannot be traced")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_elsewhere_in_the_recorded_boot_is_no_result() {
        let at = |address| Sections::from([("/sys/module/m/sections/.text".to_owned(), address)]);
        assert!(still_there(&at(0x1000), &at(0x1000), "log").is_ok());
        let moved = still_there(&at(0x1000), &at(0x2000), "log").unwrap_err().to_string();
        assert!(moved.contains("0x1000") && moved.contains("0x2000"), "{moved}");
        let silent = still_there(&at(0x1000), &Sections::new(), "log").unwrap_err().to_string();
        assert!(silent.contains("nothing"), "{silent}");
    }
}
