// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's scheduling models, for cores that Assay has not described itself, and llvm-mca, to compare with.
//!
//! These tables serve a compiler that orders instructions, and are no more exact than that needs. On POWER they lack
//! instructions (on pwr7 nearly a third of what glibc executes, loads among them), count an extra micro-op for the
//! dispatch of each instruction, and put that pseudo-result's latency into the place of a second result; so on POWER
//! every result gets the latency of the whole instruction here. LoongArch has no model at all.

use arch::Arch;

use crate::instruction::{Instruction, Role};
use crate::ports::isa_of;
use crate::registers::{Mapping, Register};
use crate::shim::{Decoded, Opcode, Target};

/// The latency that LLVM assumes where its tables say "unknown", in cycles.
const UNKNOWN_LATENCY_CYCLES: u32 = 100;

/// A cpu that LLVM has no instruction model for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchedulingError {
    /// LLVM has no such cpu, or no model for it.
    #[error(
        "LLVM has no scheduling model for the {arch} cpu '{cpu}'; it has: {}",
        if .usable.is_empty() { "none for this architecture".to_owned() } else { .usable.join(" ") }
    )]
    NoModel {
        /// The architecture asked for.
        arch: Arch,
        /// The cpu asked for.
        cpu: String,
        /// Those that have one.
        usable: Vec<&'static str>,
    },
    /// LLVM cannot be used for the architecture.
    #[error(transparent)]
    Llvm(#[from] crate::Error),
}

/// Why llvm-mca has no answer for a sequence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("llvm-mca refuses the sequence on {cpu}: {message}")]
pub struct McaError {
    /// The cpu whose model was used.
    pub cpu: String,
    /// LLVM's reason.
    pub message: String,
}

/// A core as LLVM's model describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Micro-ops that enter the core per cycle.
    pub issue_width: u32,
    /// Micro-ops in flight; 0 and 1 mean in order.
    pub buffer_size: u32,
    /// Cycles from a load's issue to its result, on a hit.
    pub load_latency_cycles: u32,
    /// Cycles that a mispredicted branch costs.
    pub mispredict_penalty_cycles: u32,
    /// Instructions that retire in a cycle, where the model says it.
    pub retire_width: Option<u32>,
    /// Loads, and stores, in flight, where the model says it.
    pub load_queue: Option<u32>,
    /// See `load_queue`.
    pub store_queue: Option<u32>,
    /// Units and groups of units. A group's use stands beside those of its units in an entry.
    pub resources: Vec<Resource>,
}

/// Equal execution units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// LLVM's name.
    pub name: &'static str,
    /// How many there are.
    pub units: u32,
    /// Entries of its scheduler: `None` if it shares the core's, 0 if it issues in order.
    pub buffer_size: Option<u32>,
    /// How many opcodes use it.
    pub users: u32,
    /// The resource that these units are among: index into the model's list.
    pub above: Option<usize>,
    /// What a group is made of: indexes into the model's list, each as often as it has units; empty for units.
    pub members: Vec<usize>,
}

/// What a model says of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Micro-ops.
    pub micro_ops: u32,
    /// Cycles until the last result.
    pub latency_cycles: u32,
    /// Cycles until each of the instruction's `writes`, in that order.
    pub write_latencies_cycles: Vec<u32>,
    /// Resources used: index into the model's list, and for how many cycles.
    pub uses: Vec<(usize, u32)>,
    /// Cycles after issue at which the last register operand is read, by an instruction that computes with what it loads.
    pub late_cycles: u32,
    /// It does not depend on its registers, only on flags.
    pub breaks_dependencies: bool,
    /// A move that is eliminated at rename, which takes no pipe and no time.
    pub is_eliminated: bool,
    /// It has to be the first of a dispatch group.
    pub begins_group: bool,
    /// It has to be the last of a dispatch group.
    pub ends_group: bool,
}

/// LLVM's scheduling model of one cpu. Not `Send`: make one per thread.
pub struct Scheduling {
    arch: Arch,
    cpu: String,
    target: Target,
    mappings: Vec<Mapping>,
    register_names: Vec<&'static str>,
    model: Model,
}

impl Scheduling {
    /// The model of the cpu that LLVM knows under this name (`-mcpu`), or an error that lists those it has.
    pub fn new(arch: Arch, cpu: &str) -> Result<Scheduling, SchedulingError> {
        let isa = isa_of(arch);
        let usable = Scheduling::cpus(arch)?;
        if !usable.contains(&cpu) {
            return Err(SchedulingError::NoModel { arch, cpu: cpu.to_owned(), usable });
        }
        let target =
            Target::new(isa.triple, cpu, isa.features).map_err(|message| crate::Error { arch, message })?;
        let register_names = target.register_names();
        let mappings = register_names.iter().map(|name| (isa.map)(name)).collect();
        let model = read_model(&target);
        Ok(Scheduling { arch, cpu: cpu.to_owned(), target, mappings, register_names, model })
    }

    /// The cpus of an architecture that LLVM has an instruction model for.
    pub fn cpus(arch: Arch) -> Result<Vec<&'static str>, crate::Error> {
        let named = Scheduling::named(arch)?;
        Ok(named.into_iter().filter(|(_, has_model)| *has_model).map(|(name, _)| name).collect())
    }

    /// All cpus of an architecture that LLVM knows by name, and whether it has an instruction model for them.
    pub fn named(arch: Arch) -> Result<Vec<(&'static str, bool)>, crate::Error> {
        let isa = isa_of(arch);
        let target = Target::new(isa.triple, "", isa.features);
        Ok(target.map_err(|message| crate::Error { arch, message })?.cpus())
    }

    /// LLVM's name of the cpu.
    pub fn cpu(&self) -> &str {
        &self.cpu
    }

    /// The core.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What the model says of an instruction of the same architecture; nothing if it has no entry.
    pub fn entry(&mut self, instruction: &Instruction) -> Option<Entry> {
        let decoded = self.target.decode(behind_prefix(instruction), instruction.address)?;
        let raw = self.target.schedule_last()?;
        let opcode = self.target.opcode(decoded.opcode as usize);
        let cycles = |latency: i32| u32::try_from(latency).unwrap_or(UNKNOWN_LATENCY_CYCLES);
        let latencies: Vec<u32> = raw.write_latencies.iter().copied().map(cycles).collect();
        let longest = latencies.iter().copied().max().unwrap_or(0);
        let write_latency = |register, role| {
            let place = self.definition(&decoded, &opcode, register, role)?;
            latencies.get(place).copied()
        };
        let write_latencies_cycles = instruction
            .writes
            .iter()
            .map(|write| write_latency(write.register, write.role).unwrap_or(longest))
            .collect();
        Some(Entry {
            micro_ops: raw.micro_ops,
            latency_cycles: longest,
            write_latencies_cycles,
            uses: raw.uses.iter().map(|used| (used.resource as usize - 1, used.cycles)).collect(),
            late_cycles: raw.late_cycles,
            breaks_dependencies: raw.breaks_dependencies,
            is_eliminated: raw.is_eliminated,
            begins_group: raw.begins_group,
            ends_group: raw.ends_group,
        })
    }

    /// The place of a register among LLVM's definitions, explicit ones first, which is also its place among the
    /// latencies.
    fn definition(
        &self,
        decoded: &Decoded,
        opcode: &Opcode,
        register: Register,
        role: Role,
    ) -> Option<usize> {
        if matches!(self.arch, Arch::Powerpc | Arch::Powerpc64 | Arch::Powerpc64le) {
            return None;
        }
        let explicit = decoded.operands().iter().filter(|operand| operand.is_definition());
        let numbers = explicit
            .map(|operand| operand.register().unwrap_or(0))
            .chain(opcode.implicit_definitions.iter().copied());
        let is_flags = |number: usize| role == Role::Condition && self.register_names[number] == "EFLAGS";
        numbers
            .into_iter()
            .position(|number| self.mappings[number].registers.contains(&register) || is_flags(number))
    }

    /// What llvm-mca says a loop with this body takes per iteration, in cycles, averaged over `iterations` (llvm-mca's
    /// own default is 100) as llvm-mca does: it is LLVM's analyzer library that runs, with the program's default
    /// options, linked in; no program has to be installed.
    pub fn mca_cycles(&mut self, body: &[Instruction], iterations: u32) -> Result<f64, McaError> {
        let code: Vec<u8> = body.iter().flat_map(behind_prefix).copied().collect();
        let iterations = iterations.max(1);
        let refused = |message| McaError { cpu: self.cpu.clone(), message };
        let total = self.target.mca(&code, iterations).map_err(refused)?;
        Ok(total as f64 / f64::from(iterations))
    }
}

/// The encoding without a `lock` prefix, which LLVM would take for another instruction.
fn behind_prefix(instruction: &Instruction) -> &[u8] {
    let locked = instruction.mnemonic.starts_with("lock ");
    let encoding = instruction.encoding();
    if locked {
        encoding.strip_prefix(&[0xf0]).unwrap_or(encoding)
    } else {
        encoding
    }
}

fn read_model(target: &Target) -> Model {
    let raw = target.model();
    let users = target.resource_users();
    let known = |number: u32| (number > 0).then_some(number);
    Model {
        issue_width: raw.issue_width,
        buffer_size: raw.buffer_size,
        load_latency_cycles: raw.load_latency,
        mispredict_penalty_cycles: raw.mispredict_penalty,
        retire_width: known(raw.retire_width),
        load_queue: known(raw.load_queue),
        store_queue: known(raw.store_queue),
        resources: (1..raw.resource_count)
            .filter_map(|number| target.resource(number))
            .zip(users)
            .map(|(found, users)| Resource {
                name: found.name,
                users,
                units: found.units,
                buffer_size: u32::try_from(found.buffer_size).ok(),
                above: known(found.above).map(|number| number as usize - 1),
                members: found.members.iter().map(|&number| number as usize - 1).collect(),
            })
            .collect(),
    }
}
