// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models, for instructions in no class of a cpu file and for cores nobody has described.
//!
//! `llvm:CPU` names a core described by LLVM's model alone. Its widths and latencies are LLVM's; what such a model
//! does not hold (fetch, caches, forwarding, prediction) is a guess here, common to all of them, and every
//! instruction counts as a fallback, so that its coverage is 0 percent and nobody takes it for a description.

use crate::cpu::schema::{number_key, Need};
use crate::cpu::{Cpu, CpuError};
use arch::Arch;
use decode::{Instruction, Scheduling, Subtarget};
use std::path::PathBuf;

/// LLVM's figures for an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FallbackTiming {
    /// Internal operations.
    pub(crate) micro_ops: u16,
    /// Cycles to an updated base, at most.
    pub(crate) base: u16,
    /// Cycles to the results, in the order of `Instruction::writes`; the last one serves for those beyond.
    pub(crate) latencies: Vec<u16>,
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
}

impl Fallback {
    /// For the LLVM model that the cpu names, if LLVM has it for this architecture.
    pub(crate) fn of(cpu: &Cpu, arch: Arch) -> Option<Fallback> {
        let name = cpu.word("llvm")?;
        let is_alone = cpu.name.starts_with(PREFIX);
        Some(Fallback {
            scheduling: Scheduling::new(arch, name).ok()?,
            subtarget: if is_alone { Subtarget::new(arch, name) } else { None },
            base_cycles: u16::from(arch != Arch::X86_64),
            counts_dispatch: matches!(arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le),
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
        Some(FallbackTiming { micro_ops, base: self.base_cycles, latencies })
    }

    /// Whether the core is known not to have that instruction.
    pub(crate) fn lacks(&mut self, instruction: &Instruction) -> bool {
        self.subtarget.as_mut().is_some_and(|subtarget| !subtarget.has(instruction))
    }
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
    ("unit.LS.pipes", 2, (1, 3), "pipes"),
];

/// LLVM's tables take the whole width from wherever the code stands. Cores that issue out of order come near to that: they predict
/// branches ahead of fetch, and most keep decoded instructions.
const GUESSED_AHEAD: (&str, u32, (u32, u32), &str) = ("fetch.ahead", 16, (4, 64), "cycles");

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

/// LLVM's core `name` as what a cpu file inherits: for the first architecture that the file says it runs and LLVM has it for;
/// for any where the file says none.
pub(crate) fn inherited(heir: &str, name: &str) -> Result<(String, PathBuf), CpuError> {
    let said = toml::from_str::<toml::Table>(heir).ok().and_then(|table| table.get("arch").cloned());
    let words: Vec<String> = match said {
        Some(toml::Value::Array(items)) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Some(toml::Value::String(word)) => vec![word],
        _ => Arch::ALL.map(|arch| arch.name().to_owned()).to_vec(),
    };
    let known = words.iter().filter_map(|word| Arch::ALL.into_iter().find(|arch| arch.name() == word));
    let mut refused = None;
    for arch in known {
        match text(arch, name) {
            Ok(text) => return Ok((text, PathBuf::from(format!("{PREFIX}{name}")))),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| CpuError::Read {
        path: PathBuf::from(format!("{PREFIX}{name}")),
        reason: "the file that inherits it names no architecture that we know".into(),
    }))
}

/// The cpu file that stands for LLVM's model.
fn text(arch: Arch, name: &str) -> Result<String, CpuError> {
    let full = format!("{PREFIX}{name}");
    let unknown = |reason: String| CpuError::Read { path: PathBuf::from(&full), reason };
    let scheduling = Scheduling::new(arch, name).map_err(|error| unknown(error.to_string()))?;
    let model = scheduling.model();
    let width = model.issue_width.clamp(1, 16);
    // LLVM's buffer of one micro-op or none means that instructions issue in program order.
    let in_order = model.buffer_size <= 1;
    let kind = if in_order { "in_order" } else { "out_of_order" };
    let window = if in_order { IN_ORDER_WINDOW } else { model.buffer_size.min(1024) };
    let load = model.load_latency_cycles.clamp(1, 64);
    let mispredict = model.mispredict_penalty_cycles.clamp(1, 64);
    let model: &[(&str, u32, &str)] = &[
        ("fetch.width", width, "instructions"),
        ("branch.mispredict", mispredict, "cycles"),
        ("dispatch.width", width, "slots"),
        ("window.entries", window, "units"),
        ("cache.l1.latency", load, "cycles"),
        ("class.load.latency.value", load, "cycles"),
    ];
    let predictor = if in_order { "tournament" } else { "tage" };
    let mut text = format!(
        "# {full}: LLVM's scheduling model and common guesses; a fallback, not a description.\n\
         title = \"LLVM's model of {name} (fallback)\"\nkind = \"{kind}\"\narch = [\"{arch}\"]\nllvm = \"{name}\"\n\
         branch.predictor = \"{predictor}\"\nsources.llvm = \"LLVM's scheduling model of {name}\"\n\
         sources.assay = \"a guess common to all cores that only LLVM describes\"\n"
    );
    for (key, value, unit) in model {
        text += &format!("{key} = {{ value = {value}, unit = \"{unit}\", source = \"llvm\", kind = \"compiler-model\" }}\n");
    }
    let has_effect =
        |key: &str| !in_order || number_key(key).is_some_and(|known| known.need != Need::OutOfOrder);
    for (key, value, (low, high), unit) in GUESSES.iter().filter(|guess| has_effect(guess.0)) {
        text += &format!(
            "{key} = {{ value = {value}, unit = \"{unit}\", source = \"assay\", kind = \"guess\", range = [{low}, {high}] }}\n"
        );
    }
    if !in_order {
        let (key, value, (low, high), unit) = GUESSED_AHEAD;
        text += &format!(
            "{key} = {{ value = {value}, unit = \"{unit}\", source = \"assay\", kind = \"guess\", range = [{low}, {high}] }}\n"
        );
    }
    if arch == Arch::X86_64 && !in_order {
        text += FUSED_ON_X86;
    }
    let store = if in_order {
        "LS"
    } else {
        text += "unit.ST.pipes = { value = 1, unit = \"pipes\", source = \"assay\", kind = \"guess\", range = [1, 2] }\n";
        "ST"
    };
    text += &format!("class.load.parts = [\"LS\"]\nclass.store.parts = [\"address {store}\"]\n");
    text += "class.default.parts = []\nclass.branch.parts = []\n";
    Ok(text)
}
