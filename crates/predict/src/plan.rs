// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Static instructions, compiled for one cpu: everything the simulator needs per execution, looked up once.
//!
//! An instruction finds its class by name: first with the form that a mnemonic alone does not show
//! (`mtspr@link`, `ori@nop`, `xor@zero`, `mov@load`; see `form`), then by mnemonic alone. One that no class
//! claims takes LLVM's scheduling figures if the cpu names an LLVM model that has it, else a default class by
//! what it does (load, store, branch, other). It is never dropped, and it is counted and named in the result.

mod names;
mod timing;

use crate::cpu::schema::CoreKind;
use crate::description::*;
use crate::fallback::Fallback;
use crate::flags::Flags;
use crate::forms::forms;
use crate::op::*;
use crate::register_kinds::RegisterKinds;
use crate::relax::Relax;
use decode::{Flow, Instruction, Operand, Register, RegisterKind, Role};
use names::Names;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use timing::Timing;

pub(crate) use names::{Named, NAMELESS};

/// A run of static instructions: what one block of the trace stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlan {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// What each execution of the block adds to the counters.
    pub(crate) loads: u32,
    pub(crate) stores: u32,
    pub(crate) branches: u32,
    pub(crate) fallbacks: u32,
    /// One repeated string instruction, of which each execution recorded is one element.
    pub(crate) is_string: bool,
}

/// All static instructions seen so far, compiled.
pub struct Plan {
    pub(crate) ops: Vec<Op>,
    pub(crate) sources: Vec<u8>,
    pub(crate) results: Vec<Result>,
    pub(crate) parts: Vec<Part>,
    pub(crate) blocks: Vec<BlockPlan>,
    mark: Option<u64>,
    shift: u64,
    relax: Relax,
    fallback: Option<Fallback>,
    /// Mnemonics that the core does not have, with the address of the first of each.
    pub(crate) lacking: BTreeMap<String, u64>,
    /// Mnemonics in no class, with the number of static instructions.
    pub(crate) unknown: BTreeMap<String, u64>,
    /// Per op, the mnemonic, for counting executions of fallbacks.
    pub(crate) fallback_names: BTreeMap<u32, String>,
    /// The classes that instructions were timed by, with those that their accesses add.
    pub(crate) classes: BTreeSet<u16>,
    /// The bypass domains that each register's values come from, a bit for each.
    producers: Box<[u32; REGISTERS]>,
    /// The instructions that copy a register in no time, in order, and which registers they copy to which.
    copies: Vec<u32>,
    copied: BTreeSet<(u8, u8)>,
    /// What rename knows of each instruction's accesses, on a core that knows stores by it.
    names: Names,
    /// The instructions of each line of code, where fetch counts them.
    lines: HashMap<u64, Vec<u32>>,
}

impl Plan {
    /// An empty plan; `mark` is the address whose passages are reported, and every instruction stands `shift` bytes
    /// further on than it says of itself. Relaxed pipes and latencies are left out of the instructions.
    pub(crate) fn new(mark: Option<u64>, shift: u64, relax: Relax, fallback: Option<Fallback>) -> Plan {
        Plan {
            ops: Vec::new(),
            sources: Vec::new(),
            results: Vec::new(),
            parts: Vec::new(),
            blocks: Vec::new(),
            mark,
            shift,
            relax,
            fallback,
            lacking: BTreeMap::new(),
            unknown: BTreeMap::new(),
            fallback_names: BTreeMap::new(),
            classes: BTreeSet::new(),
            producers: Box::new([1; REGISTERS]),
            copies: Vec::new(),
            copied: BTreeSet::new(),
            names: Names::default(),
            lines: HashMap::new(),
        }
    }

    /// Registers that go into an address, into memory, and into anything else.
    #[inline]
    pub(crate) fn sources_of(&self, op: &Op) -> (&[u8], &[u8], &[u8]) {
        let (address, stored) = (usize::from(op.address_sources), usize::from(op.stored_sources));
        let (of_address, rest) = self.all_sources(op).split_at(address);
        let (of_stored, others) = rest.split_at(stored);
        (of_address, of_stored, others)
    }

    /// What rename knows of an instruction's accesses.
    #[inline]
    pub(crate) fn named_of(&self, op: &Op) -> Named {
        self.names.of(op.index)
    }

    /// All of those.
    #[inline]
    pub(crate) fn all_sources(&self, op: &Op) -> &[u8] {
        &self.sources[op.sources as usize..op.sources as usize + usize::from(op.source_count())]
    }

    /// The results of an instruction.
    #[inline]
    pub(crate) fn results_of(&self, op: &Op) -> &[Result] {
        &self.results[op.results as usize..op.results as usize + usize::from(op.result_count)]
    }

    /// The result of that number.
    #[inline]
    pub(crate) fn result_of(&self, op: &Op, number: u8) -> &Result {
        &self.results[op.results as usize + usize::from(number)]
    }

    /// The pipes of an instruction.
    #[inline]
    pub(crate) fn parts_of(&self, op: &Op) -> &[Part] {
        &self.parts[op.parts as usize..op.parts as usize + usize::from(op.part_count)]
    }

    /// Compiles the instructions of the next block.
    pub fn add_block(&mut self, description: &Description, kinds: &RegisterKinds, block: &[Instruction]) {
        let first = self.ops.len() as u32;
        let written = self.results.len();
        for (index, instruction) in block.iter().enumerate() {
            // Two are fused, not three.
            let again = self.ops[first as usize..].last().is_some_and(|op| op.is(Flags::FUSED));
            let pair =
                (index > 0 && !again).then(|| fused(description, kinds, &block[index - 1], instruction));
            let pair = pair.flatten();
            self.add(description, kinds, instruction, matches!(pair, Some(FusedPipes::Own)));
            if let Some(pipes) = pair {
                self.fuse(pipes);
                self.execute_counted(description);
            }
        }
        let is_new = self.learn_producers(description, first as usize, written);
        let from = if is_new { 0 } else { first };
        for index in from as usize..self.ops.len() {
            let op = &self.ops[index];
            let near = Flags::NEAR.when(!op.is(Flags::MANY_SOURCES) && self.is_near(description, op));
            self.ops[index].flags = self.ops[index].flags & !Flags::NEAR | near;
        }
        let known = self.copies.partition_point(|&index| index < from);
        for &index in &self.copies[known..] {
            let op = &mut self.ops[index as usize];
            let comes_late = description.comes_late(self.producers[usize::from(op.first_sources[0])]);
            op.flags = op.flags & !Flags::BY_DOMAIN | Flags::BY_DOMAIN.when(comes_late);
        }
        self.limit(description, first as usize);
        if description.dispatch.queues_operations {
            self.queue_operations(first as usize);
        }
        if description.fetch.decoded.is_some() {
            self.count_lines(!(description.caches.instruction_line - 1), first as usize);
        }
        let ops = &self.ops[first as usize..];
        let sum = |flag: Flags| ops.iter().filter(|op| op.is(flag)).count() as u32;
        self.blocks.push(BlockPlan {
            first,
            count: ops.len() as u32,
            loads: sum(Flags::LOAD),
            stores: sum(Flags::STORE),
            branches: sum(Flags::BRANCH),
            fallbacks: sum(Flags::FALLBACK),
            is_string: matches!(block, [one] if one.mnemonic.starts_with("rep ")),
        });
    }

    /// Notes which domains the results come from, of the instructions and results from those on; whether values may come late now to
    /// instructions that were there before.
    fn learn_producers(&mut self, description: &Description, first: usize, written: usize) -> bool {
        let mut is_new = false;
        let producers = &mut self.producers[..];
        let mut note = |producers: &mut [u32], register: u8, domains: u32| {
            let new = domains & !producers[usize::from(register)];
            producers[usize::from(register)] |= new;
            is_new |= description.comes_late(new);
            new != 0
        };
        for result in &self.results[written..] {
            note(producers, result.register, 1 << result.domain());
        }
        for op in &self.ops[first..] {
            // What is renamed to a stored register is that register.
            if let Some(counted) = description.memory.rename_counted.filter(|_| op.is(Flags::LOAD)) {
                note(producers, op.first_result.register, 1 << counted);
            }
        }
        let known = self.copies.partition_point(|&index| (index as usize) < first);
        for &index in &self.copies[known..] {
            let op = &self.ops[index as usize];
            self.copied.insert((op.first_sources[0], op.first_result.register));
        }
        let mut pass = |&(from, to): &(u8, u8)| note(producers, to, producers[usize::from(from)]);
        while self.copied.iter().any(&mut pass) {}
        is_new
    }

    /// Counts, of the lines that the instructions from that one on are in, the instructions from each to its line's end.
    fn count_lines(&mut self, line_mask: u64, first: usize) {
        let mut grown = BTreeSet::new();
        for index in first..self.ops.len() {
            let line = self.ops[index].address & line_mask;
            self.lines.entry(line).or_default().push(index as u32);
            grown.insert(line);
        }
        for line in grown {
            let line = &self.lines[&line];
            // Blocks overlap.
            let addresses: BTreeSet<u64> = line.iter().map(|&one| self.ops[one as usize].address).collect();
            for &one in line {
                let behind = addresses.range(self.ops[one as usize].address..).count();
                self.ops[one as usize].fetched_with = behind.min(usize::from(u8::MAX)) as u8;
            }
        }
    }

    /// Notes for what limits on dispatch the instructions count, from that one on. (Those that were fused have other pipes than before.)
    fn limit(&mut self, description: &Description, first: usize) {
        let dispatch = &description.dispatch;
        if dispatch.accepts.is_empty() && dispatch.binding_entries == u16::MAX {
            return;
        }
        let limited = dispatch.binding_entries != u16::MAX;
        let binding = if limited { binding(dispatch.binds, &description.units) } else { 0 };
        for index in first..self.ops.len() {
            let parts = self.parts_of(&self.ops[index]);
            let within = |pipes: u32| parts.iter().find(|part| part.mask != 0 && part.mask & !pipes == 0);
            let counts = |(bit, accept): (usize, &Accept)| u8::from(within(accept.pipes).is_some()) << bit;
            let steer = dispatch.accepts.iter().enumerate().map(counts).sum();
            let accesses = self.ops[index].is(Flags::LOAD | Flags::STORE);
            let address = if accesses && limited { dispatch.binding_address } else { 0 };
            let bound = match within(binding).filter(|part| part.busy <= 1) {
                // What computes with what it loads in one slot is one entry.
                Some(part) if part.mask & address != 0 && self.ops[index].slots <= 1 => part.mask & address,
                Some(part) => part.mask,
                None if self.ops[index].mask != 0 => address,
                None => 0,
            } as u8;
            (self.ops[index].steer, self.ops[index].bound) = (steer, bound);
        }
    }

    /// Notes which instructions hold more than one entry of issue queues, from that one on.
    fn queue_operations(&mut self, first: usize) {
        for index in first..self.ops.len() {
            let queues = self.parts_of(&self.ops[index]).iter().map(|part| part.queue);
            let mut queues = queues.filter(|&queue| queue != NO_QUEUE);
            let (one, more) = (queues.next().unwrap_or(NO_QUEUE), queues.next().is_some());
            let op = &mut self.ops[index];
            op.queue = if more { NO_QUEUE } else { one };
            op.flags |= Flags::QUEUED_APART.when(more);
        }
    }

    /// Whether no bypass between domains delays a source of this instruction.
    fn is_near(&self, description: &Description, op: &Op) -> bool {
        let (of_address, stored, others) = self.sources_of(op);
        if op.source_domain == 0 && self.copies.binary_search(&op.index).is_ok() {
            // It is a name for its source, and waits for nothing.
            return true;
        }
        let near = |registers: &[u8], reader: u8| {
            let late = description.late[usize::from(reader) % DOMAINS_MAX];
            registers.iter().all(|&register| self.producers[usize::from(register)] & late == 0)
        };
        near(of_address, ADDRESS_DOMAIN) && near(stored, STORED_DOMAIN) && near(others, op.source_domain)
    }

    /// Fuses the last two instructions into one operation: it takes the slot of the first and the pipe of one of them, or of each.
    /// They stay two in the window, and the second still follows the first by the first one's latency.
    fn fuse(&mut self, pipes: FusedPipes) {
        let [.., first, second] = &mut self.ops[..] else { return };
        second.slots = 0;
        if matches!(pipes, FusedPipes::Own) {
            // What is fused with its computation is not renamed to what was stored.
            // It takes no register of its own either.
            first.flags =
                first.flags & !(Flags::GENERAL_AT_BASE | Flags::WRITES_GENERAL | Flags::WRITES_VECTOR);
        }
        second.flags |= Flags::FUSED;
        let parts = first.parts as usize..first.parts as usize + usize::from(first.part_count);
        let of_second = self.parts.get(second.parts as usize).filter(|_| second.part_count > 0);
        let queue = of_second.map_or(NO_QUEUE, |part| part.queue);
        if let Some(last) = self.parts[parts].last_mut() {
            match pipes {
                FusedPipes::Own => return,
                FusedPipes::First => (second.mask, second.prefer) = (last.mask, last.prefer),
                FusedPipes::Second => {}
                FusedPipes::Each(takes) => {
                    // Pipes that are taken as unlimited stay so.
                    let takes = if last.mask == 0 { 0 } else { takes };
                    (last.mask, last.prefer) = (takes, takes);
                    if first.part_count == 1 {
                        (first.mask, first.prefer) = (takes, takes);
                    }
                    // What the second takes besides its first pipe, it takes still.
                    let left = self.parts[second.parts as usize..].get(1).filter(|_| second.part_count > 1);
                    (second.mask, second.prefer) = left.map_or((0, 0), |part| (part.mask, part.prefer));
                    match left {
                        Some(_) => {
                            (second.parts, second.part_count) = (second.parts + 1, second.part_count - 1)
                        }
                        None => (second.part_count, second.queue) = (0, NO_QUEUE),
                    }
                    return;
                }
            }
            (last.mask, last.prefer) = (second.mask, second.prefer);
            if !matches!(pipes, FusedPipes::First) {
                last.queue = queue;
            }
            if first.part_count == 1 {
                (first.mask, first.prefer) = (second.mask, second.prefer);
            }
            (second.mask, second.prefer) = (0, 0);
            (second.part_count, second.queue) = (0, NO_QUEUE);
        }
    }

    /// What rename would have computed alone takes the branch's pipe if it is fused with one, and a cycle: the loop's own `dec` is a
    /// chain.
    fn execute_counted(&mut self, description: &Description) {
        let [.., first, second] = &mut self.ops[..] else { return };
        if !second.is(Flags::BRANCH) || first.part_count > 0 {
            return;
        }
        let counted = description.memory.rename_counted;
        let results = first.results as usize..first.results as usize + usize::from(first.result_count);
        let executed = |result: &Result| {
            let domain = if Some(result.domain()) == counted { 0 } else { result.domain() };
            Result::new(result.register, domain, result.latency().max(1), result.role)
        };
        self.results[results].iter_mut().for_each(|result| *result = executed(result));
        (first.first_result, first.latency) = (executed(&first.first_result), first.latency.max(1));
        (first.parts, first.part_count, first.queue) = (second.parts, second.part_count, second.queue);
        (first.mask, first.prefer) = (second.mask, second.prefer);
        (second.mask, second.prefer) = (0, 0);
        (second.part_count, second.queue) = (0, NO_QUEUE);
    }

    /// Compiles an instruction; `executed`: it takes a pipe even if it would not by itself.
    fn add(
        &mut self,
        description: &Description,
        kinds: &RegisterKinds,
        instruction: &Instruction,
        executed: bool,
    ) {
        let lacks = description.lacks(&instruction.mnemonic)
            || self.fallback.as_mut().is_some_and(|llvm| llvm.lacks(instruction));
        if lacks {
            self.lacking.entry(instruction.mnemonic.clone()).or_insert(instruction.address);
        }
        let mut timing = Timing::of(description, kinds, self.fallback.as_mut(), instruction);
        if executed && timing.parts.is_empty() {
            timing.execute(description, kinds, instruction);
        }
        let queue = queue_of(description, &timing.parts);
        let steer = steer(description, queue, &timing.parts);
        if description.dispatch.queues_operations {
            timing.parts.iter_mut().for_each(|part| part.queue = queue_of_part(description, part));
        }
        timing.relax(self.relax);
        let without_reads;
        let instruction = if timing.independent {
            without_reads = Instruction { reads: Vec::new(), ..instruction.clone() };
            &without_reads
        } else {
            instruction
        };
        let ignores = description
            .classes
            .get(usize::from(timing.class))
            .map_or(Ignores::Nothing, |class| class.ignores);
        let with_less;
        let instruction = if ignores == Ignores::Nothing {
            instruction
        } else {
            let mut fewer = instruction.clone();
            fewer.reads.retain(|&register| {
                let flags = matches!(kinds.kind(register), RegisterKind::Condition | RegisterKind::Carry);
                flags == (ignores == Ignores::Registers)
            });
            with_less = fewer;
            &with_less
        };
        let index = self.ops.len() as u32;
        let loads = timing::load_op(description, instruction, kinds);
        let stores = description.store_op.filter(|_| instruction.store);
        self.classes.extend([Some(timing.class), loads, stores].into_iter().flatten());
        let mut flags = Flags::FALLBACK.when(timing.fallback);
        let class = description.classes.get(usize::from(timing.class));
        flags |= class.map_or(Flags::NONE, |class| class.flags);
        flags |= static_flags(instruction, kinds);
        flags |= Flags::INDEXED.when(is_indexed(instruction, description.memory.indexed_by));
        flags =
            renaming(description, flags, instruction, kinds, &timing.parts) & !self.unlimited(description);
        if timing.fallback {
            *self.unknown.entry(instruction.mnemonic.clone()).or_default() += 1;
            self.fallback_names.insert(index, instruction.mnemonic.clone());
        }
        if self.mark == Some(instruction.address) {
            flags |= Flags::MARK;
        }
        let domains = class.map_or((0, 0), |class| (class.domain, class.base_as));
        let result = |(write, latency): (&decode::Write, &u16)| {
            let domain = if write.role == Role::BaseUpdate { domains.1 } else { domains.0 };
            let domain = description.domain_of_result(domain, write.role, *latency);
            Result::new(number(write.register), domain, *latency, write.role)
        };
        let results: Vec<Result> =
            instruction.writes.iter().take(255).zip(&timing.latencies).map(result).collect();
        let passes = |result: &Result| description.later[usize::from(result.domain())] != result.domain();
        flags |= Flags::PASSES.when(results.iter().any(passes));
        let latency = timing.latencies.first().copied().unwrap_or(1);
        let part = timing.parts.first().copied();
        let reads_as = class.map_or(0, |class| class.reads_as);
        let (reads, source_domain) = simple_sources(instruction, reads_as);
        if reads.is_some() {
            flags |= Flags::ONE_KIND;
            // What only renames the stack pointer has finished as soon as its line is there (`pop %sp`), and not a cycle later.
            let renames = flags.has(Flags::LOAD) && latency == 0;
            let takes_simply =
                is_simple(&timing.parts, source_domain) || branches_simply(description, flags, &timing.parts);
            let simple = !flags.has(Flags::STORE) && !renames && takes_simply;
            flags |= Flags::SIMPLE.when(simple);
            flags |= Flags::MANY_SOURCES.when(reads.is_some_and(|reads| reads.len() > 3));
        }
        if !flags.has(Flags::LOAD | Flags::STORE) {
            let renames = description.kind == CoreKind::OutOfOrder;
            if renames && flags.has(Flags::SIMPLE) && is_copy(instruction, &timing.parts, &results) {
                self.copies.push(index);
            }
            let adds = renames
                && part.is_some_and(|part| part.mask != 0)
                && !flags.has(Flags::BRANCH)
                && Some(source_domain) == description.dispatch.counted_twice;
            flags = flags & !Flags::BY_DOMAIN | Flags::BY_DOMAIN.when(adds);
        }
        flags |= Flags::PAIR.when(is_pair(instruction, &timing.parts));
        flags |= Flags::TAKES_PAIR.when(matches!(timing.parts[..], [Part { pair: true, .. }]));
        let first_sources = if flags.has(Flags::PAIR) {
            pair_sources(instruction)
        } else {
            one_kind_sources(reads.unwrap_or_default())
        };
        let op = Op {
            kind: Kind::of(description, flags),
            address: instruction.address.wrapping_add(self.shift),
            sources: self.sources.len() as u32,
            results: self.results.len() as u32,
            parts: self.parts.len() as u32,
            flags,
            mask: part.map_or(0, |part| part.mask),
            prefer: part.map_or(0, |part| part.prefer),
            serial: class.map_or(0, |class| class.serial),
            latency,
            finish: finish(&results, latency),
            address_sources: instruction.address_reads.len() as u8,
            stored_sources: instruction.store_reads.len() as u8,
            other_sources: instruction.reads.len() as u8,
            result_count: results.len() as u8,
            part_count: timing.parts.len() as u8,
            slots: timing.slots,
            length: instruction.length,
            fetched_with: constants(instruction),
            queue,
            steer,
            bound: 0,
            source_domain,
            first_sources,
            first_result: results.first().copied().unwrap_or(Result::new(0, 0, 0, Role::Value)),
            index,
        };
        let sources =
            instruction.address_reads.iter().chain(&instruction.store_reads).chain(&instruction.reads);
        self.sources.extend(sources.map(|&register| number(register)));
        if description.memory.rename_learns > 0 {
            self.names.add(instruction, kinds.stack());
        }
        self.results.extend(results);
        self.parts.extend(timing.parts);
        self.ops.push(op);
    }

    /// Flags of results that nothing limits on this core: neither rename registers nor, for general ones, a pipe that writes one
    /// a cycle, which an unlimited window does not change.
    fn unlimited(&self, description: &Description) -> Flags {
        let dispatch = &description.dispatch;
        let limits = |entries: Option<usize>| !self.relax.window && entries.is_some();
        let general = limits(dispatch.rename_shared.or(dispatch.rename_general)) || dispatch.one_result;
        let vector = limits(dispatch.rename_shared.or(dispatch.rename_vector));
        Flags::WRITES_GENERAL.when(!general) | Flags::WRITES_VECTOR.when(!vector)
    }
}

/// Constants that are fetched with the instruction; those of a no-operation are not kept.
fn constants(instruction: &Instruction) -> u8 {
    match instruction.no_operation {
        true => 0,
        false => instruction.operands.iter().map(Operand::constants).sum(),
    }
}

/// Cycles until the last result but updated bases, which do not wait for memory as the others do; at least one.
fn finish(results: &[Result], latency: u16) -> u16 {
    let computed = results.iter().filter(|result| result.role != Role::BaseUpdate);
    computed.map(Result::latency).fold(latency.max(1), u16::max)
}

/// Whether it takes no pipe and no time to make the only register that it writes of the only one that it reads.
fn is_copy(instruction: &Instruction, parts: &[Part], results: &[Result]) -> bool {
    let same = |result: &Result| (result.role, result.latency(), result.domain()) == (Role::Value, 0, 0);
    parts.is_empty() && instruction.reads.len() == 1 && matches!(results, [result] if same(result))
}

/// Whether an instruction whose sources are of one kind takes no pipe, or one for one cycle, with all of them.
fn is_simple(parts: &[Part], source_domain: u8) -> bool {
    match parts {
        [] => true,
        [part] => {
            let with_all = match part.waits {
                Waits::All => true,
                Waits::Address => source_domain == ADDRESS_DOMAIN,
                _ => false,
            };
            with_all && part.busy <= 1
        }
        _ => false,
    }
}

/// Whether a branch takes no pipes but for one cycle each, with all of its sources. On a plain out-of-order core the engine's path
/// for simple branches takes those behind the first, too, but holds one entry of a queue.
fn branches_simply(description: &Description, flags: Flags, parts: &[Part]) -> bool {
    description.kind == CoreKind::OutOfOrder
        && !description.dispatch.queues_operations
        && flags.has(Flags::BRANCH)
        && !flags.has(Flags::LOAD)
        && parts.iter().all(|part| part.waits == Waits::All && part.busy <= 1)
}

/// The sources, if all go into an address, or all into a store, or all into neither, and the domain that reads them.
fn simple_sources(instruction: &Instruction, reads_as: u8) -> (Option<&[Register]>, u8) {
    let kinds = [
        (&instruction.reads, reads_as),
        (&instruction.address_reads, ADDRESS_DOMAIN),
        (&instruction.store_reads, STORED_DOMAIN),
    ];
    let mut used = kinds.into_iter().filter(|(registers, _)| !registers.is_empty());
    match (used.next(), used.next()) {
        (None, _) => (Some(&[]), reads_as),
        (Some((registers, domain)), None) => (Some(registers), domain),
        _ => (None, reads_as),
    }
}

/// Whether the core makes one operation of a conditional branch and the instruction in front of it, which does not write
/// memory nor compare memory with a constant, or of a no-operation and what stands in front of it; if so, the pipes that it takes.
fn fused(
    description: &Description,
    kinds: &RegisterKinds,
    first: &Instruction,
    second: &Instruction,
) -> Option<FusedPipes> {
    let follows = first.address.wrapping_add(u64::from(first.length)) == second.address;
    let constant = first.operands.last().is_some_and(Operand::is_constant);
    let may = match second.flow {
        Flow::Branch { .. } => second.conditional && !first.store && !(first.load && constant),
        Flow::Next => first.flow == Flow::Next,
        _ => false,
    };
    if !follows || !may {
        return None;
    }
    let holds = |fusion: &&Fusion| match fusion.computes {
        None => true,
        Some(Computes::Copied) => copies(first, kinds) && computes_with(description, kinds, first, second),
        Some(Computes::Loaded) => {
            loads_simply(first, kinds)
                && computes_with(description, kinds, first, second)
                && is_of_two(second)
        }
    };
    description.fusions_of(&first.mnemonic, &second.mnemonic).find(holds).map(|fusion| fusion.pipes)
}

/// Whether it loads by one register and a constant.
fn loads_simply(instruction: &Instruction, kinds: &RegisterKinds) -> bool {
    let loads = instruction.load && !instruction.store;
    loads && instruction.address_reads.len() == 1 && !has_form(instruction, kinds, "relative")
}

/// Whether it computes with another register than its first one, or with that alone.
fn is_of_two(instruction: &Instruction) -> bool {
    match instruction.operands.as_slice() {
        [_] => true,
        [one, other, ..] => one != other && !other.is_constant(),
        [] => false,
    }
}

fn has_form(instruction: &Instruction, kinds: &RegisterKinds, form: &str) -> bool {
    forms(instruction, kinds).contains(&form)
}

/// Whether it moves the whole of a register to another one.
fn copies(instruction: &Instruction, kinds: &RegisterKinds) -> bool {
    let memory = instruction.load || instruction.store;
    !memory && instruction.reads.len() == 1 && has_form(instruction, kinds, "move")
}

/// Whether `second` computes in registers with what `first` wrote, all of it, and writes it to the same register.
fn computes_with(
    description: &Description,
    kinds: &RegisterKinds,
    first: &Instruction,
    second: &Instruction,
) -> bool {
    let (Some(written), Some(Operand::Register { register, bits })) =
        (first.operands.first(), second.operands.first())
    else {
        return false;
    };
    let whole = bits.is_none_or(|bits| bits >= 32);
    let memory = second.load || second.store;
    let is_zero =
        || has_form(second, kinds, "zero") && description.class_of_form(&second.mnemonic, "zero").is_some();
    let depends = second.reads.contains(register) && !has_form(second, kinds, "count") && !is_zero();
    *written == Operand::Register { register: *register, bits: *bits } && whole && !memory && depends
}

fn one_kind_sources(reads: &[Register]) -> [u8; 3] {
    std::array::from_fn(|index| reads.get(index).map_or(NO_REGISTER, |&register| number(register)))
}

/// The sources of the address, then the other one.
fn pair_sources(instruction: &Instruction) -> [u8; 3] {
    let other = instruction.store_reads.iter().chain(&instruction.reads).next();
    let [first, second, _] = one_kind_sources(&instruction.address_reads);
    [first, second, other.map_or(NO_REGISTER, |&register| number(register))]
}

fn is_pair(instruction: &Instruction, parts: &[Part]) -> bool {
    let [address, other] = parts else { return false };
    let fits = match (address.waits, other.waits) {
        (Waits::Address, Waits::Data) => instruction.store && !instruction.load,
        (Waits::Address, Waits::Loaded) => instruction.load && !instruction.store,
        _ => false,
    };
    fits && address.busy.max(other.busy) <= 1
        && instruction.address_reads.len() <= 2
        && instruction.store_reads.len() + instruction.reads.len() <= 1
}

fn queue_of(description: &Description, parts: &[Part]) -> u8 {
    parts.first().map_or(NO_QUEUE, |part| queue_of_pipes(description, part.mask))
}

fn queue_of_pipes(description: &Description, pipes: u32) -> u8 {
    let unit = description.units.iter().find(|unit| unit.mask & pipes != 0);
    unit.and_then(|unit| unit.queue).unwrap_or(NO_QUEUE)
}

/// The queue in which a part waits by itself; further cycles of a pipe wait in none.
fn queue_of_part(description: &Description, part: &Part) -> u8 {
    if part.waits == Waits::Also {
        NO_QUEUE
    } else {
        queue_of_pipes(description, part.mask)
    }
}

/// How an instruction of these parts is sent to a half of the core: in turn with all others whose first part goes to the same
/// unit, or to the only half that has all its pipes.
fn steer(description: &Description, queue: u8, parts: &[Part]) -> u8 {
    if description.halves.is_none() {
        return 0;
    }
    let Some(halves) = description.halves.filter(|_| description.is_in_halves(queue)) else { return NEITHER };
    let shared = !(halves[0] | halves[1]);
    let fits = |half: usize| parts.iter().all(|part| part.mask & (halves[half] | shared) != 0);
    match (fits(0), fits(1)) {
        (true, true) => {
            let of_first = |unit: &Unit| parts.iter().take(1).any(|part| unit.mask & part.prefer != 0);
            description.units.iter().position(of_first).unwrap_or(0) as u8 % FIXED
        }
        (true, false) => FIXED,
        (false, true) => FIXED + 1,
        (false, false) => NEITHER,
    }
}

/// Whether the y bit of a conditional branch of 32-bit PowerPC, the last of its field BO, turns the prediction by direction
/// around: `bne-` to an address before it is predicted not taken, and `bnelr+` taken (PowerPC Architecture, book I, section on
/// static branch prediction; 603e user's manual, chapter 6). Later versions of the architecture tell hints by other bits of BO, which these cores ignore.
fn turned_around(instruction: &Instruction) -> bool {
    const Y: u8 = 1 << 5;
    const CONDITIONAL: [&str; 8] = ["bc", "bca", "bcl", "bcla", "bclr", "bclrl", "bcctr", "bcctrl"];
    CONDITIONAL.contains(&instruction.mnemonic.as_str()) && instruction.bytes[1] & Y != 0
}

fn static_flags(instruction: &Instruction, kinds: &RegisterKinds) -> Flags {
    let mut flags = match instruction.flow {
        Flow::Next | Flow::System => Flags::NONE,
        Flow::Branch { .. } => Flags::BRANCH,
        Flow::Call { target: Some(_) } => Flags::BRANCH | Flags::CALL,
        Flow::Call { target: None } => Flags::BRANCH | Flags::CALL | Flags::INDIRECT,
        Flow::Return => Flags::BRANCH | Flags::RETURN,
        Flow::Indirect => Flags::BRANCH | Flags::INDIRECT,
    };
    flags |= Flags::CONDITIONAL.when(instruction.conditional);
    let back = match instruction.flow {
        Flow::Branch { target } | Flow::Call { target: Some(target) } => target <= instruction.address,
        _ => false,
    };
    flags |= Flags::BACKWARD.when(back != turned_around(instruction));
    if instruction.load {
        flags |= Flags::LOAD;
    }
    if instruction.store {
        flags |= Flags::STORE;
    }
    let writes_kind = |wanted| instruction.writes.iter().any(|write| kinds.kind(write.register) == wanted);
    if writes_kind(RegisterKind::General) {
        flags |= Flags::WRITES_GENERAL;
    }
    if writes_kind(RegisterKind::Vector) {
        flags |= Flags::WRITES_VECTOR;
    }
    let sources = instruction.address_reads.len() + instruction.store_reads.len() + instruction.reads.len();
    if sources >= 3 {
        flags |= Flags::THREE_SOURCES;
    }
    let stores_vector =
        instruction.store_reads.iter().any(|&register| kinds.kind(register) == RegisterKind::Vector);
    if stores_vector || writes_kind(RegisterKind::Vector) {
        flags |= Flags::MOVES_VECTOR;
    } else if instruction.address_reads.len() == 1 {
        flags |= Flags::GENERAL_AT_BASE;
    }
    flags
}

/// The flags of an instruction with those of the registers that rename takes for its results. Where instructions are renamed
/// one by one, what takes no pipe has its result in a register that is there.
fn renaming(
    description: &Description,
    flags: Flags,
    instruction: &Instruction,
    kinds: &RegisterKinds,
    parts: &[Part],
) -> Flags {
    let results = Flags::WRITES_GENERAL | Flags::WRITES_VECTOR;
    if description.kind != CoreKind::OutOfOrder {
        flags
    } else if parts.is_empty() {
        flags & !results
    } else {
        let mut kinds = instruction.writes.iter().map(|write| kinds.kind(write.register));
        let is_condition = |kind| matches!(kind, RegisterKind::Condition | RegisterKind::Carry);
        flags | Flags::WRITES_GENERAL.when(description.dispatch.rename_conditions && kinds.any(is_condition))
    }
}

/// Whether a load's address is of the form that takes longer: of two registers, or with one of them scaled.
fn is_indexed(instruction: &Instruction, by: IndexedBy) -> bool {
    let mut addresses = instruction.operands.iter().filter_map(|operand| match operand {
        Operand::Memory(address) => Some(address),
        _ => None,
    });
    instruction.load
        && match by {
            IndexedBy::Register => instruction.address_reads.len() >= 2,
            IndexedBy::Scale => addresses.any(|address| address.scale > 1),
            IndexedBy::Term => {
                addresses.any(|address| address.scale > 1 || address.scale == 1 && address.displacement != 0)
            }
        }
}
