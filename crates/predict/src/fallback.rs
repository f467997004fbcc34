// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models, for instructions in no class of a cpu file and for cores nobody has described.
//!
//! `llvm:CPU` names a core described by LLVM's model alone. Its widths, pipes and latencies are LLVM's; what such a model
//! does not hold (fetch, caches, forwarding, prediction) is a guess here, common to all of them, and every
//! instruction counts as a fallback, so that its coverage is 0 percent and nobody takes it for a description.

mod pipes;

use self::pipes::Places;
use crate::cpu::schema::{number_key, Need};
use crate::cpu::{Cpu, CpuError};
use crate::description::Description;
use arch::Arch;
use decode::{Decoder, Instruction, Model, Scheduling, Subtarget};
use std::path::PathBuf;

pub(crate) use self::pipes::Occupied;

/// LLVM's figures for an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FallbackTiming {
    /// Internal operations.
    pub(crate) micro_ops: u16,
    /// Cycles to an updated base, at most.
    pub(crate) base: u16,
    /// Cycles to the results, in the order of `Instruction::writes`; the last one serves for those beyond.
    pub(crate) latencies: Vec<u16>,
    /// Pipes taken, where the cpu has LLVM's.
    pub(crate) pipes: Option<OccupiedPipes>,
    /// Cycles after the address at which what computes with a loaded value reads its registers; 0 where LLVM does not say.
    pub(crate) late: u16,
    /// It waits for none of its registers, if it reads no flags.
    pub(crate) independent: bool,
    /// Renaming does it, without pipe or time.
    pub(crate) eliminated: bool,
}

/// What an instruction takes of LLVM's pipes, and which those are that go with an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OccupiedPipes {
    pub(crate) occupied: Vec<Occupied>,
    /// The pipes that a plain load can take, and a plain store.
    pub(crate) of_load: u32,
    pub(crate) of_store: u32,
}

/// What LLVM knows of the cpu that a file names.
pub(crate) struct Fallback {
    scheduling: Scheduling,
    /// Of a core that only LLVM describes: a file of ours says itself what its core lacks.
    subtarget: Option<Subtarget>,
    /// LLVM counts an extra micro-op for dispatch on POWER.
    counts_dispatch: bool,
    /// Cycles until an updated base can be used: x86 cores reckon the stack pointer when they rename.
    base_cycles: u16,
    places: Places,
    load_pipes: u32,
    store_pipes: u32,
}

impl Fallback {
    /// For the LLVM model that the cpu names, if LLVM has it for this architecture.
    pub(crate) fn of(cpu: &Cpu, description: &Description, arch: Arch) -> Option<Fallback> {
        let name = cpu.word("llvm")?;
        let is_alone = cpu.name.starts_with(PREFIX);
        let mut scheduling = Scheduling::new(arch, name).ok()?;
        let places = Places::new(scheduling.model(), description);
        let [load_pipes, store_pipes] = match places.are_known() {
            true => plain(arch).map(|code| places.all(&uses(&mut scheduling, arch, code))),
            false => [0, 0],
        };
        Some(Fallback {
            scheduling,
            subtarget: if is_alone { Subtarget::new(arch, name) } else { None },
            base_cycles: u16::from(arch != Arch::X86_64),
            counts_dispatch: matches!(arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le),
            places,
            load_pipes,
            store_pipes,
        })
    }

    /// LLVM's figures of an instruction.
    pub(crate) fn timing(&mut self, instruction: &Instruction) -> Option<FallbackTiming> {
        let entry = self.scheduling.entry(instruction)?;
        let micro_ops = if self.counts_dispatch { 1 } else { entry.micro_ops.clamp(1, 255) as u16 };
        let mut latencies: Vec<u16> =
            entry.write_latencies_cycles.iter().map(|&cycles| cycles.min(1000) as u16).collect();
        if latencies.is_empty() {
            latencies.push(entry.latency_cycles.min(1000) as u16);
        }
        // Of a core whose pipes are its own, dependencies are left as they are, too.
        let has_pipes = self.load_pipes != 0;
        Some(FallbackTiming {
            micro_ops,
            base: self.base_cycles,
            latencies,
            pipes: has_pipes.then(|| OccupiedPipes {
                occupied: self.places.occupied(&entry.uses),
                of_load: self.load_pipes,
                of_store: self.store_pipes,
            }),
            late: entry.late_cycles.min(1000) as u16,
            independent: has_pipes && entry.breaks_dependencies,
            eliminated: has_pipes && entry.is_eliminated,
        })
    }

    /// Whether the core is known not to have that instruction.
    pub(crate) fn lacks(&mut self, instruction: &Instruction) -> bool {
        self.subtarget.as_mut().is_some_and(|subtarget| !subtarget.has(instruction))
    }
}

/// A load of a register from where another points, and the store of it.
fn plain(arch: Arch) -> [&'static [u8]; 2] {
    match arch {
        Arch::X86_64 => [&[0x48, 0x8b, 0x07], &[0x48, 0x89, 0x07]],
        Arch::Aarch64 => [&[0x20, 0x00, 0x40, 0xf9], &[0x20, 0x00, 0x00, 0xf9]],
        Arch::Riscv64 => [&[0x03, 0xb5, 0x05, 0x00], &[0x23, 0xb0, 0xa5, 0x00]],
        Arch::Loongarch64 => [&[0xa4, 0x00, 0xc0, 0x28], &[0xa4, 0x00, 0xc0, 0x29]],
        Arch::Powerpc => [&[0x80, 0x64, 0, 0], &[0x90, 0x64, 0, 0]],
        Arch::Powerpc64 => [&[0xe8, 0x64, 0, 0], &[0xf8, 0x64, 0, 0]],
        Arch::Powerpc64le => [&[0, 0, 0x64, 0xe8], &[0, 0, 0x64, 0xf8]],
    }
}

/// What LLVM's entry of an instruction uses; nothing if there is none.
fn uses(scheduling: &mut Scheduling, arch: Arch, code: &[u8]) -> Vec<(usize, u32)> {
    let decoded = Decoder::new(arch).ok().and_then(|mut decoder| decoder.decode(code, 0).ok());
    let entry = decoded.and_then(|instruction| scheduling.entry(&instruction));
    entry.map_or_else(Vec::new, |entry| entry.uses)
}

/// What the names of such cores begin with.
pub const PREFIX: &str = "llvm:";

/// Instructions between issue and completion where LLVM gives no number.
const IN_ORDER_WINDOW: u32 = 16;

/// What no scheduling model holds: a guess common to all such cores, and the range in which cores of the last fifteen years lie,
/// from little in-order ones to the widest. Caches are beside the point of hot paths and stand as they are.
const GUESSES: &[(&str, u32, (u32, u32), &str)] = &[
    ("clock.frequency", 2000, (2000, 2000), "MHz"),
    ("fetch.block", 32, (16, 64), "bytes"),
    ("fetch.taken", 1, (1, 3), "cycles"),
    ("fetch.buffer", 64, (8, 128), "instructions"),
    ("branch.return_stack", 16, (8, 64), "entries"),
    ("branch.indirect", 512, (64, 4096), "entries"),
    ("branch.history", 64, (12, 256), "branches"),
    ("dispatch.latency", 1, (1, 4), "cycles"),
    ("complete.width", 8, (4, 16), "units"),
    ("memory.load_queue", 64, (16, 192), "entries"),
    ("memory.store_queue", 48, (8, 96), "entries"),
    ("memory.miss_queue", 12, (4, 32), "entries"),
    ("memory.forward", 5, (3, 8), "cycles"),
    ("memory.forward_failed", 6, (2, 12), "cycles"),
    ("memory.drain", 4, (1, 12), "cycles"),
    ("memory.cross", 64, (64, 64), "bytes"),
    ("memory.cross_cost", 1, (0, 8), "cycles"),
    ("memory.cross_loads", 2, (1, 2), "accesses"),
    ("cache.instruction.size", 32, (32, 32), "KiB"),
    ("cache.instruction.ways", 8, (8, 8), "ways"),
    ("cache.instruction.line", 64, (64, 64), "bytes"),
    ("cache.l1.size", 32, (32, 32), "KiB"),
    ("cache.l1.ways", 8, (8, 8), "ways"),
    ("cache.l1.line", 64, (64, 64), "bytes"),
    ("cache.l2.size", 512, (512, 512), "KiB"),
    ("cache.l2.ways", 8, (8, 8), "ways"),
    ("cache.l2.latency", 14, (9, 22), "cycles"),
    ("cache.memory.latency", 250, (150, 500), "cycles"),
];

/// LLVM's tables take the whole width from wherever the code stands. Cores that issue out of order come near to that: they predict
/// branches ahead of fetch, and most keep decoded instructions.
const GUESSED_AHEAD: (&str, u32, (u32, u32), &str) = ("fetch.ahead", 16, (4, 64), "cycles");

/// Pipes of a core whose model has more than can be described, or no plain load.
const GUESSED_PIPES: &[(&str, u32, (u32, u32), &str)] =
    &[("unit.LS.pipes", 2, (1, 3), "pipes"), ("unit.ST.pipes", 1, (1, 2), "pipes")];

/// No model says what is fused for renaming; comparisons with their branches are on x86-64 cores since 2011.
const FUSED_ON_X86: &str = "fusion.compare.pipe = \"second\"\n\
    fusion.compare.first = [\"cmp\", \"test\", \"add\", \"sub\", \"and\", \"inc\", \"dec\"]\n\
    fusion.compare.second = [\"jb\", \"jae\", \"je\", \"jne\", \"jbe\", \"ja\", \"jl\", \"jge\", \"jle\", \"jg\"]\n";

/// A cpu made of LLVM's model alone; `name` is LLVM's.
pub fn llvm_cpu(arch: Arch, name: &str) -> Result<Cpu, CpuError> {
    let full = format!("{PREFIX}{name}");
    let text = text(arch, name)?;
    Cpu::load_with(&full, |_| Ok((text.clone(), PathBuf::from(&full))))
}

/// LLVM's core `name` as what a cpu file inherits: for the first architecture that the file says it runs and LLVM has it for.
/// A file that says none inherits that too, so there may be only one.
pub(crate) fn inherited(heir: &str, name: &str) -> Result<(String, PathBuf), CpuError> {
    let said = toml::from_str::<toml::Table>(heir).ok().and_then(|table| table.get("arch").cloned());
    let refused = |reason: String| CpuError::Read { path: PathBuf::from(format!("{PREFIX}{name}")), reason };
    let words: Vec<String> = match said {
        Some(toml::Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Some(toml::Value::String(word)) => vec![word],
        _ => {
            let have = |arch: &Arch| Scheduling::cpus(*arch).is_ok_and(|cpus| cpus.contains(&name));
            let archs: Vec<&str> =
                Arch::ALL.iter().filter(|arch| have(arch)).map(|arch| arch.name()).collect();
            if archs.len() > 1 {
                let all = archs.join(", ");
                return Err(refused(format!(
                    "LLVM has it for {all}; say in the file that inherits it which of these it runs: arch = [\"{}\"]",
                    archs[archs.len() - 1]
                )));
            }
            // None is refused below, with the reason.
            Arch::ALL.map(|arch| arch.name().to_owned()).to_vec()
        }
    };
    let known = words.iter().filter_map(|word| Arch::ALL.into_iter().find(|arch| arch.name() == word));
    let mut first = None;
    for arch in known {
        match text(arch, name) {
            Ok(text) => return Ok((text, PathBuf::from(format!("{PREFIX}{name}")))),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first
        .unwrap_or_else(|| refused("the file that inherits it names no architecture that we know".into())))
}

/// What a model says of some number in place of the guess.
fn told(model: &Model, key: &str) -> Option<u32> {
    let told = match key {
        "complete.width" => model.retire_width,
        "memory.load_queue" => model.load_queue,
        "memory.store_queue" => model.store_queue,
        _ => None,
    };
    told.filter(|&value| number_key(key).is_some_and(|known| f64::from(value) <= known.max))
}

fn guess(key: &str, value: u32, (low, high): (u32, u32), unit: &str) -> String {
    format!(
        "{key} = {{ value = {value}, unit = \"{unit}\", source = \"assay\", kind = \"guess\", range = [{low}, {high}] }}\n"
    )
}

fn number(key: &str, value: u32, unit: &str) -> String {
    format!(
        "{key} = {{ value = {value}, unit = \"{unit}\", source = \"llvm\", kind = \"compiler-model\" }}\n"
    )
}

/// Units and the parts of what LLVM has no entry for: LLVM's, or guesses and why.
fn units(scheduling: &mut Scheduling, arch: Arch, in_order: bool) -> (String, Option<String>) {
    let found = pipes::units(scheduling.model()).and_then(|text| {
        let parts = plain(arch).map(|code| {
            let uses = uses(scheduling, arch, code);
            pipes::parts(scheduling.model(), &uses)
        });
        if parts.iter().any(Vec::is_empty) {
            return Err("LLVM's model does not say what loads and stores use".to_owned());
        }
        let [load, store] = parts;
        Ok(text + &memory_classes(&load, &store))
    });
    match found {
        Ok(text) => (text, None),
        Err(reason) => {
            let guessed = GUESSED_PIPES.iter().take(if in_order { 1 } else { 2 });
            let text: String =
                guessed.map(|&(key, value, range, unit)| guess(key, value, range, unit)).collect();
            let store = if in_order { "LS" } else { "ST" };
            (text + &memory_classes(&["LS".to_owned()], &[store.to_owned()]), Some(reason))
        }
    }
}

fn memory_classes(load: &[String], store: &[String]) -> String {
    let list = |parts: &[String], before: &str| {
        let words: Vec<String> = parts.iter().map(|part| format!("\"{before}{part}\"")).collect();
        words.join(", ")
    };
    format!("class.load.parts = [{}]\nclass.store.parts = [{}]\n", list(load, ""), list(store, "address "))
}

/// The cpu file that stands for LLVM's model.
fn text(arch: Arch, name: &str) -> Result<String, CpuError> {
    let full = format!("{PREFIX}{name}");
    let unknown = |reason: String| CpuError::Read { path: PathBuf::from(&full), reason };
    let mut scheduling = Scheduling::new(arch, name).map_err(|error| unknown(error.to_string()))?;
    let model = scheduling.model().clone();
    let width = model.issue_width.clamp(1, 16);
    // LLVM's buffer of one micro-op or none means that instructions issue in program order.
    let in_order = model.buffer_size <= 1;
    let kind = if in_order { "in_order" } else { "out_of_order" };
    let window = if in_order { IN_ORDER_WINDOW } else { model.buffer_size.min(1024) };
    let load = model.load_latency_cycles.clamp(1, 64);
    let mispredict = model.mispredict_penalty_cycles.clamp(1, 64);
    let of_core: &[(&str, u32, &str)] = &[
        ("fetch.width", width, "instructions"),
        ("branch.mispredict", mispredict, "cycles"),
        ("dispatch.width", width, "slots"),
        ("window.entries", window, "units"),
        ("cache.l1.latency", load, "cycles"),
        ("class.load.latency.value", load, "cycles"),
    ];
    let (units, why_guessed) = units(&mut scheduling, arch, in_order);
    let pipes = why_guessed.map_or(String::new(), |reason| format!("# Its pipes are guesses: {reason}.\n"));
    let predictor = if in_order { "tournament" } else { "tage" };
    let mut text = format!(
        "# {full}: LLVM's scheduling model and common guesses; a fallback, not a description.\n{pipes}\
         title = \"LLVM's model of {name} (fallback)\"\nkind = \"{kind}\"\narch = [\"{arch}\"]\nllvm = \"{name}\"\n\
         branch.predictor = \"{predictor}\"\nsources.llvm = \"LLVM's scheduling model of {name}\"\n\
         sources.assay = \"a guess common to all cores that only LLVM describes\"\n"
    );
    text.extend(of_core.iter().map(|&(key, value, unit)| number(key, value, unit)));
    let has_effect =
        |key: &str| !in_order || number_key(key).is_some_and(|known| known.need != Need::OutOfOrder);
    text.extend(GUESSES.iter().filter(|guess| has_effect(guess.0)).map(|&(key, value, range, unit)| {
        told(&model, key).map_or_else(|| guess(key, value, range, unit), |value| number(key, value, unit))
    }));
    if !in_order {
        let (key, value, range, unit) = GUESSED_AHEAD;
        text += &guess(key, value, range, unit);
    }
    if arch == Arch::X86_64 && !in_order {
        text += FUSED_ON_X86;
    }
    text += &units;
    text += "class.default.parts = []\nclass.branch.parts = []\n";
    Ok(text)
}
