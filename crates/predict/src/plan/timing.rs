// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The slots, latencies and pipes of one instruction: from its class in the cpu file, composed with those of its accesses, or
//! from LLVM's model where no class has it.

use crate::cpu::schema::CoreKind;
use crate::description::*;
use crate::fallback::{Fallback, FallbackTiming, Occupied, OccupiedPipes};
use crate::forms::forms;
use crate::register_kinds::RegisterKinds;
use crate::relax::Relax;
use decode::{Flow, Instruction, Operand, Register, RegisterKind, Role};

/// What a class says of one instruction, or what stands in for it.
pub(super) struct Timing {
    pub(super) class: u16,
    pub(super) slots: u8,
    pub(super) latencies: Vec<u16>,
    pub(super) parts: Vec<Part>,
    /// No class of the cpu file has the instruction.
    pub(super) fallback: bool,
    /// The result depends on nothing, and the core recognises that.
    pub(super) independent: bool,
}

impl Timing {
    /// Looks the instruction up.
    pub(super) fn of(
        description: &Description,
        kinds: &RegisterKinds,
        fallback: Option<&mut Fallback>,
        instruction: &Instruction,
    ) -> Timing {
        let mnemonic = &instruction.mnemonic;
        let of_form = |form| description.class_of_form(mnemonic, form).map(|class| (form, class));
        if let Some((form, class)) = forms(instruction, kinds).into_iter().find_map(of_form) {
            let timing =
                from_class(description, class, instruction, kinds, true).passing(description, instruction);
            let ignores = description.classes[usize::from(class)].ignores;
            return Timing { independent: form == "zero" && ignores == Ignores::Nothing, ..timing };
        }
        if let Some(class) = description.class_of(mnemonic) {
            return from_class(description, class, instruction, kinds, true)
                .passing(description, instruction);
        }
        let mut timing =
            from_class(description, default_class(description, instruction), instruction, kinds, false);
        timing.fallback = true;
        if let Some(llvm) = fallback.and_then(|llvm| llvm.timing(instruction)) {
            timing.slots = llvm.micro_ops.clamp(1, 255) as u8;
            if let Some(&last) = llvm.latencies.last() {
                for (index, latency) in timing.latencies.iter_mut().enumerate() {
                    *latency = llvm.latencies.get(index).copied().unwrap_or(last);
                }
            }
            if instruction.load || instruction.store {
                timing.tell_apart(description, instruction, &llvm);
            }
            if let Some(pipes) = &llvm.pipes {
                timing.take_pipes(description, instruction, pipes);
            }
            if llvm.eliminated {
                timing.parts.clear();
                timing.latencies.fill(0);
            }
            let is_flag = |register: &Register| {
                matches!(kinds.kind(*register), RegisterKind::Condition | RegisterKind::Carry)
            };
            timing.independent = llvm.independent && !instruction.reads.iter().any(is_flag);
        }
        timing
    }

    /// Has the instruction take the pipes of its mnemonic's class, whatever its form.
    pub(super) fn execute(
        &mut self,
        description: &Description,
        kinds: &RegisterKinds,
        instruction: &Instruction,
    ) {
        if let Some(class) = description.class_of(&instruction.mnemonic) {
            *self = from_class(description, class, instruction, kinds, true);
        }
    }

    /// What is wider than a pipe passes through it in two halves.
    fn passing(mut self, description: &Description, instruction: &Instruction) -> Timing {
        let is_wider = |operand: &Operand| operand.bits() > Some(description.dispatch.datapath);
        if instruction.operands.iter().any(is_wider) {
            self.parts.iter_mut().for_each(|part| part.busy *= 2);
        }
        self
    }

    /// Leaves out what is taken as free or unlimited.
    pub(super) fn relax(&mut self, relax: Relax) {
        let most = match relax {
            Relax { chains: true, .. } => 0,
            Relax { latency: true, .. } => 1,
            _ => u16::MAX,
        };
        self.latencies.iter_mut().for_each(|latency| *latency = most.min(*latency));
        for part in &mut self.parts {
            if part.mask & relax.pipes != 0 {
                part.mask = 0;
            }
        }
    }

    /// LLVM's latency of an instruction that accesses memory counts from its address to its last result. An updated base is there
    /// at once, and a computation with a loaded value waits for its registers only when the value is there (LLVM's
    /// `ReadAdvance`).
    fn tell_apart(&mut self, description: &Description, instruction: &Instruction, llvm: &FallbackTiming) {
        let load = description
            .class_named("load")
            .and_then(|class| description.classes.get(usize::from(class)))
            .map_or(1, |class| class.latency[role_index(Role::Value)]);
        let before = if llvm.late > 0 { llvm.late } else { load };
        let computes = match llvm.pipes {
            Some(_) => computes_with_loaded(instruction),
            None => computes_with_loaded(instruction) && !instruction.reads.is_empty(),
        };
        for (latency, write) in self.latencies.iter_mut().zip(&instruction.writes) {
            if write.role == Role::BaseUpdate {
                *latency = llvm.base.min(*latency);
            } else if computes {
                *latency = latency.saturating_sub(before).max(1);
            }
        }
        if computes && llvm.pipes.is_none() {
            self.parts.iter_mut().for_each(|part| part.waits = Waits::Address);
            self.parts.push(no_pipe(Waits::Loaded));
        }
    }

    /// The pipes that LLVM says. Those that a plain load can take go with the address; those that only a plain store takes, with
    /// what is stored; and what computes with a loaded value takes the others behind it.
    fn take_pipes(&mut self, description: &Description, instruction: &Instruction, pipes: &OccupiedPipes) {
        let Instruction { store, flow, .. } = *instruction;
        let computes = computes_with_loaded(instruction);
        let updates = store && computes;
        let step = if updates { self.latencies.iter().copied().max().unwrap_or(1).max(1) } else { 0 };
        let waits = |one: &Occupied| match () {
            () if !computes && !store => Waits::All,
            () if one.mask & pipes.of_load != 0 => Waits::Address,
            () if updates && one.mask & !pipes.of_store == 0 => Waits::Then,
            () if computes => Waits::Loaded,
            () if flow == Flow::Next => Waits::Data,
            () => Waits::All,
        };
        let part = |one: &Occupied| {
            let waits = waits(one);
            let step = if waits == Waits::Then { step } else { 0 };
            Part {
                mask: one.mask,
                prefer: one.prefer,
                waits,
                busy: one.cycles,
                step,
                pair: false,
                queue: NO_QUEUE,
            }
        };
        self.parts = pipes.occupied.iter().map(part).collect();
        let needed: &[Waits] = match (computes, store) {
            (false, false) => &[],
            (false, true) => &[Waits::Address, Waits::Data],
            (true, false) => &[Waits::Address, Waits::Loaded],
            (true, true) => &[Waits::Address, Waits::Loaded, Waits::Then],
        };
        for &waits in needed {
            if !self.parts.iter().any(|part| part.waits == waits) {
                self.parts.push(Part { step, ..no_pipe(waits) });
            }
        }
        let order = [Waits::Address, Waits::All, Waits::Loaded, Waits::Data, Waits::Then];
        self.parts.sort_by_key(|part| order.iter().position(|&waits| waits == part.waits));
        if description.kind != CoreKind::InOrder {
            self.parts = self.parts.iter().flat_map(in_single_cycles).collect();
        }
    }
}

/// Whether it computes with what it loads: it needs registers beside those of the address, and so not before, or stores again.
fn computes_with_loaded(instruction: &Instruction) -> bool {
    instruction.load && (instruction.store || !instruction.reads.is_empty()) && instruction.flow == Flow::Next
}

/// The most cycles that are split like this.
const SINGLE_CYCLES_MAX: u16 = 16;

/// Several cycles of several pipes are work that any of them may do, as LLVM's tables mean it (four cycles of four pipes: one
/// such instruction a cycle); only a single pipe is occupied for all of its cycles in a row.
fn in_single_cycles(part: &Part) -> Vec<Part> {
    if part.mask.count_ones() < 2 || part.busy > SINGLE_CYCLES_MAX {
        return vec![*part];
    }
    let more = Part { busy: 1, step: 0, waits: Waits::Also, ..*part };
    let rest = usize::from(part.busy) - 1;
    std::iter::once(Part { busy: 1, ..*part }).chain(std::iter::repeat_n(more, rest)).collect()
}

/// A part that takes no pipe.
fn no_pipe(waits: Waits) -> Part {
    Part { mask: 0, prefer: 0, waits, busy: 1, step: 0, pair: false, queue: NO_QUEUE }
}

const ROLES: usize = 6;

/// The place of a role in a class's latencies.
fn role_index(role: Role) -> usize {
    match role {
        Role::Value => 0,
        Role::Carry => 1,
        Role::Condition => 2,
        Role::BaseUpdate => 3,
        Role::Link => 4,
        Role::Upper => 5,
    }
}

fn from_class(
    description: &Description,
    class: u16,
    instruction: &Instruction,
    kinds: &RegisterKinds,
    compose: bool,
) -> Timing {
    let index = class;
    let Some(class) = description.classes.get(usize::from(class)) else {
        let latencies = vec![1; instruction.writes.len().max(1)];
        return Timing {
            class: index,
            slots: 1,
            latencies,
            parts: Vec::new(),
            fallback: true,
            independent: false,
        };
    };
    let words = instruction.access_bytes.div_ceil(4);
    let extra = class.per_word * words;
    let mut latencies: Vec<u16> = instruction
        .writes
        .iter()
        .map(|write| class.latency[role_index(write.role) % ROLES] + extra)
        .collect();
    if latencies.is_empty() {
        latencies.push(class.latency[0] + extra);
    }
    let mut parts = class.parts.clone();
    if let Some(last) = parts.last_mut() {
        last.busy += extra;
    }
    let mut slots = class.slots;
    // A class with parts for an address or for stored data describes its own access.
    let own = parts.iter().any(|part| matches!(part.waits, Waits::Address | Waits::Data));
    if compose && !own {
        if let Some(load) = load_op(description, instruction, kinds) {
            let load = &description.classes[usize::from(load)];
            let first = load.parts.iter().map(|part| Part { waits: Waits::Address, ..*part });
            let later = u64::from(load.latency[0]).saturating_sub(description.caches.l1.latency);
            let step = if writes_vector(instruction, kinds) { later as u16 } else { 0 };
            let rest = parts.iter().map(|part| Part { waits: Waits::Loaded, step, ..*part });
            parts = first.chain(rest).collect();
        }
        if let (true, Some(store)) = (instruction.store, description.store_op) {
            let stores = description.classes[usize::from(store)].parts.iter();
            if instruction.load {
                // Read-modify-write: what is stored is what was computed.
                let step = class.latency[0].max(1);
                let data = stores.clone().filter(|part| part.waits != Waits::Address);
                let addresses: Vec<Part> =
                    stores.clone().filter(|part| part.waits == Waits::Address).copied().collect();
                parts.splice(1..1, addresses);
                parts.extend(data.map(|part| Part { waits: Waits::Then, step, ..*part }));
            } else {
                parts.extend(stores.copied());
            }
            slots = slots.max(1);
        }
    }
    let extends = u64::from(class.latency[0]) > description.caches.l1.latency;
    if compose && is_split(instruction, !own, extends, kinds) {
        slots += description.memory.split_slots;
    }
    Timing { class: index, slots, latencies, parts, fallback: false, independent: false }
}

/// Whether an instruction is one of those that `memory.split_slots` is about; `computes`: with what it loads, `extends`: its sign. A
/// class that describes what it reads and writes has all slots itself.
fn is_split(instruction: &Instruction, computes: bool, extends: bool, kinds: &RegisterKinds) -> bool {
    let is_general = |&register| kinds.kind(register) != RegisterKind::Vector;
    let general = instruction.store_reads.iter().all(is_general)
        && instruction.reads.iter().all(is_general)
        && !writes_vector(instruction, kinds);
    let indexed = instruction.address_reads.len() > 1;
    general
        && match (instruction.load, instruction.store) {
            (true, true) => computes,
            (true, false) => (computes || extends) && indexed,
            (false, true) => indexed,
            (false, false) => false,
        }
}

/// The class whose parts read the memory operand of an instruction of another class.
pub(super) fn load_op(
    description: &Description,
    instruction: &Instruction,
    kinds: &RegisterKinds,
) -> Option<u16> {
    let vector = writes_vector(instruction, kinds);
    let class = if vector { description.load_op_vector } else { description.load_op };
    class.filter(|_| instruction.load)
}

fn writes_vector(instruction: &Instruction, kinds: &RegisterKinds) -> bool {
    instruction.writes.iter().any(|write| kinds.kind(write.register) == RegisterKind::Vector)
}

/// The class that stands in for an instruction in none.
fn default_class(description: &Description, instruction: &Instruction) -> u16 {
    let name = match instruction.flow {
        Flow::Next if instruction.load => "load",
        Flow::Next if instruction.store => "store",
        Flow::Next => "default",
        _ => "branch",
    };
    description.class_named(name).or_else(|| description.class_named("default")).unwrap_or(u16::MAX)
}
