// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models, for instructions in no class of a cpu file and for cores nobody has described.
//!
//! `llvm:CPU` names a core described by LLVM's model alone. Its widths and latencies are LLVM's; what such a model
//! does not hold (fetch, caches, forwarding, prediction) is a guess here, common to all of them, and every
//! instruction counts as a fallback, so that its coverage is 0 percent and nobody takes it for a description.

use crate::cpu::{Cpu, CpuError};
use crate::plan::{Fallback, FallbackTiming};
use arch::Arch;
use decode::Scheduling;
use std::path::PathBuf;

/// The look-up in the LLVM model that the cpu names, if LLVM has it for this architecture.
pub(crate) fn of(cpu: &Cpu, arch: Arch) -> Option<Fallback> {
    let mut scheduling = Scheduling::new(arch, cpu.word("llvm")?).ok()?;
    // LLVM counts an extra micro-op for dispatch on POWER.
    let power = matches!(arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le);
    Some(Box::new(move |instruction| {
        let entry = scheduling.entry(instruction)?;
        let micro_ops = if power { 1 } else { entry.micro_ops.clamp(1, 255) as u16 };
        let mut latencies: Vec<u16> =
            entry.write_latencies_cycles.iter().map(|&cycles| cycles.min(1000) as u16).collect();
        if latencies.is_empty() {
            latencies.push(entry.latency_cycles.min(1000) as u16);
        }
        Some(FallbackTiming { micro_ops, latencies })
    }))
}

/// A cpu made of LLVM's model alone; `name` is LLVM's.
pub fn llvm_cpu(arch: Arch, name: &str) -> Result<Cpu, CpuError> {
    let full = format!("llvm:{name}");
    let unknown = |reason: String| CpuError::Read { path: PathBuf::from(&full), reason };
    let scheduling = Scheduling::new(arch, name).map_err(|error| unknown(error.to_string()))?;
    let model = scheduling.model();
    let width = model.issue_width.clamp(1, 16);
    let window = if model.buffer_size <= 1 { 64 } else { model.buffer_size.min(1024) };
    let numbers: &[(&str, u32, &str, &str)] = &[
        ("clock.frequency", 2000, "MHz", "guess"),
        ("fetch.block", 32, "bytes", "guess"),
        ("fetch.width", width, "instructions", "compiler-model"),
        ("fetch.taken", 1, "cycles", "guess"),
        ("fetch.buffer", 64, "instructions", "guess"),
        ("branch.mispredict", model.mispredict_penalty_cycles.clamp(1, 64), "cycles", "compiler-model"),
        ("dispatch.width", width, "slots", "compiler-model"),
        ("dispatch.latency", 1, "cycles", "guess"),
        ("complete.width", width, "units", "guess"),
        ("window.entries", window, "units", "compiler-model"),
        ("memory.load_queue", 64, "entries", "guess"),
        ("memory.store_queue", 48, "entries", "guess"),
        ("memory.miss_queue", 12, "entries", "guess"),
        ("memory.forward", 5, "cycles", "guess"),
        ("memory.drain", 4, "cycles", "guess"),
        ("cache.instruction.size", 32, "KiB", "guess"),
        ("cache.instruction.ways", 8, "ways", "guess"),
        ("cache.instruction.line", 64, "bytes", "guess"),
        ("cache.l1.size", 32, "KiB", "guess"),
        ("cache.l1.ways", 8, "ways", "guess"),
        ("cache.l1.line", 64, "bytes", "guess"),
        ("cache.l1.latency", model.load_latency_cycles.clamp(1, 64), "cycles", "compiler-model"),
        ("cache.l2.size", 512, "KiB", "guess"),
        ("cache.l2.ways", 8, "ways", "guess"),
        ("cache.l2.latency", 14, "cycles", "guess"),
        ("cache.memory.latency", 250, "cycles", "guess"),
        ("unit.LS.pipes", 2, "pipes", "guess"),
        ("class.load.latency.value", model.load_latency_cycles.clamp(1, 64), "cycles", "compiler-model"),
    ];
    let mut text = format!(
        "# {full}: LLVM's scheduling model and common guesses; a fallback, not a description.\n\
         title = \"LLVM's model of {name} (fallback)\"\nkind = \"out_of_order\"\narch = [\"{arch}\"]\nllvm = \"{name}\"\n\
         branch.predictor = \"tournament\"\nsources.llvm = \"LLVM's scheduling model of {name}\"\n\
         sources.assay = \"a guess common to all cores that only LLVM describes\"\n"
    );
    for (key, value, unit, kind) in numbers {
        let (source, range) = match *kind {
            "guess" => ("assay", format!(", range = [{value}, {value}]")),
            _ => ("llvm", String::new()),
        };
        text += &format!("{key} = {{ value = {value}, unit = \"{unit}\", source = \"{source}\", kind = \"{kind}\"{range} }}\n");
    }
    text += "class.load.parts = [\"LS\"]\nclass.store.parts = [\"address LS\"]\nclass.default.parts = []\nclass.branch.parts = []\n";
    Cpu::load_with(&full, |_| Ok((text.clone(), PathBuf::from(&full))))
}
