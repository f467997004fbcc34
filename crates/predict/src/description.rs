// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A cpu's keys in the typed form that the simulator runs on.
//!
//! Building it also finds what the schema cannot see: a part that names a unit that does not exist, a mnemonic
//! claimed by two classes, more pipes than the busy mask has bits.

mod builder;
mod memory;

use self::builder::Builder;
pub use self::memory::Memory;
pub(crate) use self::memory::{IndexedBy, ReadModify, Renames};
use crate::cpu::schema::CoreKind;
use crate::cpu::{Cpu, CpuError};
use crate::flags::Flags;
use decode::{power_version, Role};
use std::collections::{HashMap, HashSet};

/// Bits in the mask of busy pipes.
pub const PIPES_MAX: u32 = 32;
/// Queues that the occupancy calendar counts, rename registers excepted.
pub const QUEUES_MAX: usize = 6;
/// Banks that a line of the first level has at most.
pub(crate) const BANKS_MAX: u64 = 16;
/// Bypass domains, with the unnamed one.
pub const DOMAINS_MAX: usize = 32;
/// The domain that reads addresses, and the one that reads what is stored.
pub(crate) const ADDRESS_DOMAIN: u8 = 1;
pub(crate) const STORED_DOMAIN: u8 = 2;
/// The domain that stands for readers in the other half of a core than the producer's.
pub(crate) const OTHER_HALF: u8 = 3;

/// The front end's numbers, as the schema explains them.
#[derive(Clone, Debug)]
pub struct Fetch {
    pub(crate) block: u64,
    pub(crate) width: u32,
    pub(crate) taken: u64,
    pub(crate) same_block_taken: Option<u64>,
    /// What a fetch starts at a multiple of.
    pub(crate) align: u64,
    pub(crate) after_indirect: bool,
    pub(crate) call_taken: u64,
    pub(crate) return_taken: u64,
    pub(crate) ahead: Option<u64>,
    /// Without that: a branch is of the block of its last byte; a block comes with the end of the one before it.
    pub(crate) branch_ends: bool,
    pub(crate) follows: bool,
    /// What an entry of `width` instructions has room for: two for each of these and one for each constant.
    pub(crate) room: Option<u32>,
    /// Branches fetched in a cycle at most.
    pub(crate) branches: u32,
    pub(crate) buffer: usize,
    /// Whether a taken branch ends a cycle's fetch, with prediction running ahead.
    pub(crate) breaks: bool,
    /// Whether two taken branches are predicted a cycle.
    pub(crate) pairs: bool,
    /// Further cycles until the part of a block beyond `width` is fetched, and the instructions of an entry.
    pub(crate) again: Option<(u64, u32)>,
    /// Levels of branch target buffer, fastest first.
    pub(crate) btb: Vec<BranchTargets>,
    /// Bytes whose branches share a set of each.
    pub(crate) btb_line: u64,
    pub(crate) return_changed: Option<u64>,
    pub(crate) overruled: Option<u64>,
    /// What a taken branch in the second line of a block costs more, where blocks count from the start of a line.
    pub(crate) second_line: Option<u64>,
    pub(crate) replay: Option<Replay>,
    pub(crate) decoded: Option<Decoded>,
}

/// A cache of decoded instructions, by lines of the instruction cache.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    /// In all, and in a set.
    pub(crate) entries: usize,
    pub(crate) ways: usize,
    /// Aligned bytes decoded in a cycle of a line that is not in it; of a dense one half as many.
    pub(crate) bytes: u64,
    /// A line of more instructions is dense: it takes three entries instead of two.
    pub(crate) dense: u32,
    /// One of more is not kept.
    pub(crate) most: u32,
}

/// Paths that are replayed from the queue in front of rename.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Slots that a path has at most, and lines that it enters.
    pub(crate) slots: u64,
    pub(crate) lines: usize,
    /// Taken branches that have to repeat before, and cycles from the dispatch of the last of them until it is replayed from the
    /// next branch on that is predicted.
    pub(crate) after: usize,
    pub(crate) decided: u64,
    /// Cycles that leaving it costs beside a misprediction.
    pub(crate) exit: u64,
    /// A path is copied until it fills so many rows of so many slots; the cycle ends with the last copy.
    pub(crate) rows: u64,
    pub(crate) row: u64,
    /// Rows read in a cycle, where a call begins one.
    pub(crate) call_rows: Option<u64>,
    /// Instructions, and taken branches, delivered in a cycle.
    pub(crate) width: u32,
    pub(crate) branches: u32,
}

/// A level of branch target buffer.
#[derive(Clone, Copy, Debug)]
pub struct BranchTargets {
    pub(crate) entries: usize,
    /// Entries of a set, if that is known.
    pub(crate) ways: Option<usize>,
    /// Cycles of a taken branch that is found in it.
    pub(crate) taken: u64,
}

/// How directions are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predictor {
    /// Backward taken, forward not.
    Static,
    /// Bimodal and global tables with a chooser.
    Tournament,
    /// Tables of growing history with tags.
    Tage,
}

/// The branch predictor's numbers.
#[derive(Clone, Debug)]
pub struct Branch {
    pub(crate) predictor: Predictor,
    pub(crate) mispredict: u64,
    pub(crate) table: usize,
    pub(crate) history: u32,
    pub(crate) return_stack: usize,
    pub(crate) indirect: usize,
    pub(crate) indirect_path: usize,
    pub(crate) folded: bool,
    pub(crate) fold_distance: u64,
}

/// A group is of so many instructions and branches at most.
pub(crate) const GROUP_MAX: usize = 8;

/// A width that limits nothing.
const NO_WIDTH: u32 = 1000;

/// Dispatch and completion.
#[derive(Clone, Debug)]
pub struct Dispatch {
    pub(crate) width: u32,
    pub(crate) branches: Option<u32>,
    pub(crate) taken: Option<u32>,
    pub(crate) three_source: Option<u32>,
    pub(crate) latency: u64,
    pub(crate) complete_width: usize,
    pub(crate) complete_latency: u64,
    /// Values and updated base registers, and instructions with a condition as result, of which a cycle completes so many at most.
    pub(crate) complete_results: Option<u32>,
    pub(crate) complete_conditions: Option<u32>,
    /// Whether some complete only as the first of their cycle.
    pub(crate) complete_first: bool,
    pub(crate) window: usize,
    pub(crate) rename_general: Option<usize>,
    pub(crate) rename_vector: Option<usize>,
    /// What writes only conditions takes a general one.
    pub(crate) rename_conditions: bool,
    /// Both kinds take theirs from one pool of so many; `rename_general` and `rename_vector` are not given then.
    pub(crate) rename_shared: Option<usize>,
    /// The domain of readers that take their pipe twice if rename has added a constant to a source.
    pub(crate) counted_twice: Option<u8>,
    pub(crate) binds: Binds,
    /// The queue that has room for `width` more before the instructions of a cycle are dispatched.
    pub(crate) together: Option<u8>,
    /// Each operation holds an entry of its own pipe's queue, not the instruction one of its first pipe's.
    pub(crate) queues_operations: bool,
    /// Bits of the widest register that passes through a pipe at once.
    pub(crate) datapath: u16,
    /// Whether a pipe has one result a cycle.
    pub(crate) one_result: bool,
    /// Loads of general registers take `results`, too, where the core has slices.
    pub(crate) load_results: bool,
    /// Slices, and the operations that go to two of them, a superslice, at once; none on other cores.
    pub(crate) slices: u32,
    pub(crate) tuple: u32,
    /// The first of the queues that there are one of for each slice.
    pub(crate) slice_queue: Option<u8>,
    /// Of each slice or half, the pipe that takes a result.
    pub(crate) results: u32,
    /// On a core with halves, the pipes whose results those are.
    pub(crate) results_from: u32,
    /// Sets of pipes that the slots of a cycle go to in turn; none if every operation may take all its pipes.
    pub(crate) lanes: Vec<u32>,
    pub(crate) steering: Option<Steering>,
    /// What is accepted in a cycle.
    pub(crate) accepts: Vec<Accept>,
    /// Operations that wait for a pipe that they are bound to, at most, and the cycles from issue for which they still count.
    pub(crate) binding_entries: u16,
    /// Nothing is bound by its slot to a pipe for which so many more wait than for the emptiest.
    pub(crate) binding_apart: u16,
    pub(crate) binding_held: u64,
    /// Pipes among whose operations loads and stores count until their addresses have issued.
    pub(crate) binding_address: u32,
}

/// How operations go to two schedulers of two pipes each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steering {
    pub(crate) pipes: [[u32; 2]; 2],
    /// Operations that each scheduler holds.
    pub(crate) entries: u32,
    /// Operations that enter in a cycle where they had to wait for room.
    pub(crate) enter: u32,
    /// So many more for the fuller pipe of one scheduler than of the other, and the next operation goes to the other.
    pub(crate) apart: u32,
    /// The same between the pipes of a scheduler.
    pub(crate) pipes_apart: u32,
    /// Slots behind each other that go to one scheduler.
    pub(crate) slots: u32,
    /// What had to wait for room goes where fewer wait for the pipes that it can take.
    pub(crate) by_pipes: bool,
}

/// Operations are bound to so many pipes of a core at most.
pub(crate) const BOUND_PIPES: usize = 8;

/// Pipes that operations are bound to at dispatch if they have several to choose from; identical pipes of a unit are not among
/// them.
pub(crate) fn binding(binds: Binds, units: &[Unit]) -> u32 {
    let alone = units.iter().filter(|unit| unit.mask.is_power_of_two());
    let alone = alone.fold(0, |all, unit| all | unit.mask);
    // To the first pipes, or by slots to the last ones: further ones are vector pipes or dividers.
    let most = (1 << BOUND_PIPES) - 1;
    match binds {
        Binds::No => 0,
        Binds::InTurn => alone & most,
        Binds::BySlot => alone & most << (32 - alone.leading_zeros()).saturating_sub(BOUND_PIPES as u32),
    }
}

/// Most limits on what is accepted in a cycle, one a bit of `Op::steer`.
pub(crate) const ACCEPTS_MAX: usize = 8;

/// Of instructions with an operation that can take no other pipes than these, so many are dispatched in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accept {
    pub(crate) pipes: u32,
    pub(crate) operations: u8,
}

/// Whether an instruction is bound to one of its pipes at dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Binds {
    #[default]
    No,
    /// By its slot to one of those that the fewest wait for; in halves, to that which was bound longest ago.
    BySlot,
    /// To that which the fewest wait for, of equals that which was bound longest ago.
    InTurn,
}

/// Mnemonics that are fused, any of the first with any of the second.
#[derive(Clone, Debug)]
pub(crate) struct Fusion {
    first: HashSet<String>,
    second: HashSet<String>,
    pub(crate) pipes: FusedPipes,
    pub(crate) computes: Option<Computes>,
}

/// What the second of two has to compute with, and to write to the same register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computes {
    /// The first one's copy of a register.
    Copied,
    /// What the first one loads.
    Loaded,
}

/// The pipes that a fused operation takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FusedPipes {
    First,
    Second,
    /// One of these for what the first does, and one that the second would take by itself.
    Each(u32),
    /// Those that each takes by itself.
    Own,
}

/// One level of cache.
#[derive(Clone, Debug)]
pub struct Level {
    pub(crate) sets: usize,
    pub(crate) ways: usize,
    pub(crate) latency: u64,
    pub(crate) interval: u64,
}

/// The memory hierarchy.
#[derive(Clone, Debug)]
pub struct Caches {
    pub(crate) instruction: Level,
    pub(crate) instruction_line: u64,
    pub(crate) line: u64,
    pub(crate) l1: Level,
    /// Second level and beyond.
    pub(crate) outer: Vec<Level>,
    pub(crate) memory_latency: u64,
    pub(crate) memory_interval: u64,
    pub(crate) write_through: bool,
    /// Cycles of the path from the second level that a written line takes which leaves the first.
    pub(crate) write_back: u64,
    /// Lines that stores have asked for at once which the second level does not hold; 0 if they wait for none.
    pub(crate) claims: usize,
    pub(crate) streams: usize,
    pub(crate) distance: u64,
    /// The same of lines that the second level has.
    pub(crate) near: u64,
    /// From the use of a line until prefetches that follow on it are asked for.
    pub(crate) prefetch_latency: u64,
    pub(crate) instruction_ahead: u64,
}

/// An execution unit: a run of bits in the mask of busy pipes.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name in the cpu file.
    pub name: String,
    /// Its pipes.
    pub mask: u32,
    pub(crate) queue: Option<u8>,
    /// What LLVM's model of the cpu calls it.
    pub(crate) resource: Option<String>,
}

impl Unit {
    /// Its pipes that belong to the `count` slices from `first` on, of `slices` in all. A unit has one pipe a slice, one a
    /// superslice (two slices), or one in all.
    fn in_slices(&self, first: u32, count: u32, slices: u32) -> u32 {
        let pipes = self.mask.count_ones();
        let here = |slice: u32| 1 << (self.mask.trailing_zeros() + slice * pipes / slices);
        (first..first + count).fold(0, |mask, slice| mask | here(slice))
    }
}

/// What a part of an instruction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// All sources.
    All,
    /// The sources of the address.
    Address,
    /// The sources of the value stored.
    Data,
    /// The part before it.
    Then,
    /// Only the sources that are not of the address, and the loaded value (a load with an operation).
    Loaded,
    /// The part before it, and nothing waits for this one: another cycle of the same pipes, whenever one of them is free.
    Also,
}

/// Waits in no queue.
pub(crate) const NO_QUEUE: u8 = 255;

/// One pipe that an instruction occupies.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The pipes it can take.
    pub mask: u32,
    /// Those it takes if one is free.
    pub prefer: u32,
    /// What it waits for.
    pub waits: Waits,
    /// Cycles it occupies its pipe.
    pub busy: u16,
    /// Cycles after the part before it.
    pub step: u16,
    /// It takes all these pipes of a superslice at once, not one of them.
    pub pair: bool,
    /// The queue that it holds an entry of, `NO_QUEUE` if its instruction does or none.
    pub queue: u8,
}

/// Sources that a core need not wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignores {
    /// It waits for all.
    Nothing,
    /// Carry and condition.
    Flags,
    /// All but carry and condition.
    Registers,
}

/// An instruction class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name in the cpu file.
    pub name: String,
    pub(crate) slots: u8,
    /// By role: value, carry, condition, base update, link, upper half.
    pub(crate) latency: [u16; 6],
    pub(crate) per_word: u16,
    pub(crate) serial: u16,
    pub(crate) flags: Flags,
    pub(crate) parts: Vec<Part>,
    pub(crate) domain: u8,
    pub(crate) base_as: u8,
    pub(crate) reads_as: u8,
    pub(crate) ignores: Ignores,
}

/// A cpu, typed.
#[derive(Clone, Debug)]
pub struct Description {
    pub(crate) kind: CoreKind,
    pub(crate) fetch: Fetch,
    pub(crate) branch: Branch,
    pub(crate) dispatch: Dispatch,
    pub(crate) memory: Memory,
    pub(crate) caches: Caches,
    pub(crate) units: Vec<Unit>,
    /// Pipes of each half of the core, if it has halves; queues that feed such pipes are in halves, too.
    pub(crate) halves: Option<[u32; 2]>,
    /// Name and entries.
    pub(crate) queues: Vec<(String, u16)>,
    /// Cycles from issue until an entry of each is free.
    pub(crate) queues_held: Vec<u64>,
    pub(crate) classes: Vec<Class>,
    /// Added cycles, by producer's domain * DOMAINS_MAX + consumer's.
    pub(crate) bypass: Option<Vec<u8>>,
    /// By consumer's domain, a bit for each producer's domain whose values come late to it.
    pub(crate) late: [u32; DOMAINS_MAX],
    /// By domain, that of its results which take more than one cycle.
    longer: [u8; DOMAINS_MAX],
    /// By domain, that of its results to what is dispatched in a later cycle.
    pub(crate) later: [u8; DOMAINS_MAX],
    /// Classes whose parts are added to an instruction that also reads, or writes, memory.
    pub(crate) load_op: Option<u16>,
    /// The same of an instruction that writes a vector register.
    pub(crate) load_op_vector: Option<u16>,
    pub(crate) store_op: Option<u16>,
    /// Patterns of mnemonics that the core does not have.
    lacks: Vec<String>,
    /// Version of the Power ISA, if the file names one.
    isa: Option<String>,
    fusions: Vec<Fusion>,
    exact: HashMap<String, (usize, u16)>,
    /// Prefix, distance, class; longest prefix first.
    prefixes: Vec<(String, usize, u16)>,
}

/// For each consumer's domain the producers' that are late for it, by a table of `Description::bypass`.
fn late(bypass: &[u8]) -> [u32; DOMAINS_MAX] {
    let mut late = [0; DOMAINS_MAX];
    for (index, _) in bypass.iter().enumerate().filter(|(_, cycles)| **cycles > 0) {
        late[index % DOMAINS_MAX] |= 1 << (index / DOMAINS_MAX);
    }
    late
}

impl Description {
    /// Whether a value from one of these domains, a bit for each, comes late to any.
    pub(crate) fn comes_late(&self, domains: u32) -> bool {
        self.late.iter().any(|late| late & domains != 0)
    }

    /// The bypass domain of a result in `role` that takes `latency` cycles, of a class whose results are of `domain`.
    pub(crate) fn domain_of_result(&self, domain: u8, role: Role, latency: u16) -> u8 {
        // Rename adds to a register; the flags of the sum come from a pipe.
        if Some(domain) == self.memory.rename_counted && role != Role::Value {
            0
        } else if latency > 1 && role != Role::Condition {
            self.longer[usize::from(domain)]
        } else {
            domain
        }
    }

    /// Reads a checked cpu.
    pub fn new(cpu: &Cpu) -> Result<Description, CpuError> {
        let mut builder = Builder {
            cpu,
            domains: vec!["other".into(), "address".into(), "store_data".into(), "other_half".into()],
        };
        let mut queues: Vec<(String, u16)> = Vec::new();
        let mut queues_held = Vec::new();
        let mut slice_queue = None;
        for name in cpu.names("queue") {
            let entries = builder.whole(&format!("queue.{name}.entries"), 1) as u16;
            let copies = builder.whole(&format!("queue.{name}.copies"), 1);
            builder.check_copies(&name, copies, slice_queue)?;
            if copies > 1 {
                slice_queue = Some(queues.len() as u8);
            }
            queues.extend((0..copies).map(|_| (name.clone(), entries)));
            let held = builder.whole(&format!("queue.{name}.held"), 0);
            queues_held.extend((0..copies).map(|_| held));
        }
        if queues.len() > QUEUES_MAX {
            let key = format!("queue.{}.entries", queues[QUEUES_MAX].0);
            return Err(builder.invalid(&key, "is one queue too many", format!("{QUEUES_MAX} queues")));
        }
        let units = builder.units(&queues)?;
        let halves = builder.halves(&units);
        let results = builder.unit_named("dispatch.results", &units)?;
        let results_from = builder.unit_named("dispatch.results_from", &units)?;
        let lanes = builder.lanes(&units)?;
        let steering = builder.steering(&units)?;
        let accepts = builder.accepts(&units)?;
        let binding_address = builder.binding_address(&units)?;
        let fusions = builder.fusions(&units)?;
        let classes = builder.classes(&units)?;
        let (exact, prefixes) = builder.patterns(&classes)?;
        let bypass = builder.bypass()?;
        let longer = builder.domains_by("longer")?;
        let later = builder.domains_by("later")?;
        let load_op = builder.class_key("memory.load_op", &classes)?;
        let load_op_vector = builder.class_key("memory.load_op_vector", &classes)?.or(load_op);
        let store_op = builder.class_key("memory.store_op", &classes)?;
        let counted = "memory.rename_counted";
        let rename_counted = cpu.word(counted).map(|name| builder.domain(name, counted)).transpose()?;
        let together = builder.queue("dispatch.together", &queues)?;
        let twice = "rename.counted_twice";
        let counted_twice = cpu.word(twice).map(|name| builder.domain(name, twice)).transpose()?;
        let caches = builder.caches()?;
        let memory = builder.memory();
        if memory.bank.is_some_and(|(bytes, _)| !(1..=BANKS_MAX).contains(&(caches.line >> bytes.ilog2()))) {
            let allowed = format!("cache.l1.line / {BANKS_MAX} to cache.l1.line");
            return Err(builder.invalid("memory.bank", "makes too many banks of a line, or none", allowed));
        }
        Ok(Description {
            kind: cpu.kind(),
            fetch: builder.fetch()?,
            branch: builder.branch(),
            dispatch: Dispatch {
                slice_queue,
                results,
                results_from,
                lanes,
                steering,
                accepts,
                binding_address,
                counted_twice,
                together,
                ..builder.dispatch()
            },
            memory: Memory { rename_counted, ..memory },
            caches,
            units,
            halves,
            queues,
            queues_held,
            classes,
            late: late(bypass.as_deref().unwrap_or_default()),
            bypass,
            longer,
            later,
            load_op,
            load_op_vector,
            store_op,
            lacks: cpu.words("lacks").to_vec(),
            isa: cpu.word("isa").map(str::to_owned),
            fusions,
            exact,
            prefixes,
        })
    }

    /// The class of a mnemonic: an exact name first, then the longest pattern; a child's list before its parent's.
    pub fn class_of(&self, mnemonic: &str) -> Option<u16> {
        if let Some(&(_, class)) = self.exact.get(mnemonic) {
            return Some(class);
        }
        self.prefixes
            .iter()
            .find(|(prefix, _, _)| mnemonic.starts_with(prefix.as_str()))
            .map(|&(_, _, class)| class)
    }

    /// The class that lists `mnemonic@form` exactly.
    pub fn class_of_form(&self, mnemonic: &str, form: &str) -> Option<u16> {
        self.exact.get(&format!("{mnemonic}@{form}")).map(|&(_, class)| class)
    }

    /// Whether the core does not have that instruction.
    pub(crate) fn lacks(&self, mnemonic: &str) -> bool {
        let is_younger = |isa: &String| power_version(mnemonic).is_some_and(|version| version > isa.as_str());
        self.isa.as_ref().is_some_and(is_younger)
            || self.lacks.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => mnemonic.starts_with(prefix),
                None => mnemonic == pattern,
            })
    }

    /// The pipes that each slice has, and those that each superslice has.
    pub(crate) fn pipes_of_slices(&self) -> (Vec<u32>, Vec<u32>) {
        let slices = self.dispatch.slices;
        let have = |first: u32, count: u32| {
            self.units.iter().fold(0, |mask, unit| mask | unit.in_slices(first, count, slices))
        };
        let superslices = (0..slices).step_by(2).map(|first| have(first, 2)).collect();
        ((0..slices).map(|slice| have(slice, 1)).collect(), superslices)
    }

    /// How the core may fuse two instructions with these mnemonics into one operation, one right after the other.
    pub(crate) fn fusions_of<'a>(
        &'a self,
        first: &'a str,
        second: &'a str,
    ) -> impl Iterator<Item = &'a Fusion> {
        let starts = move |fusion: &Fusion| fusion.first.contains(first) || fusion.first.contains("*");
        self.fusions.iter().filter(move |fusion| fusion.second.contains(second) && starts(fusion))
    }

    /// The same cpu where dispatch and completion limit nothing: they have no width, and nothing is bound to a half of the core or
    /// to a pipe before it issues. Without groups, the window holds as many instructions as it held in groups.
    pub(crate) fn without_dispatch(&self) -> Description {
        let mut free = self.clone();
        if self.kind == CoreKind::Grouped {
            free.dispatch.window *= GROUP_MAX;
        }
        free.halves = None;
        free.dispatch = Dispatch {
            width: NO_WIDTH,
            branches: self.dispatch.branches.map(|_| NO_WIDTH),
            taken: None,
            three_source: None,
            complete_width: NO_WIDTH as usize,
            complete_results: None,
            complete_conditions: None,
            complete_first: false,
            binds: Binds::No,
            together: None,
            lanes: Vec::new(),
            steering: None,
            accepts: Vec::new(),
            binding_entries: u16::MAX,
            binding_apart: u16::MAX,
            ..free.dispatch
        };
        free
    }

    /// Whether the entries of that queue are divided between the halves of the core.
    pub(crate) fn is_in_halves(&self, queue: u8) -> bool {
        let halves = self.halves.map_or(0, |[first, second]| first | second);
        self.units.iter().any(|unit| unit.queue == Some(queue) && unit.mask & halves != 0)
    }

    /// The class of that name.
    pub fn class_named(&self, name: &str) -> Option<u16> {
        self.classes.iter().position(|class| class.name == name).map(|index| index as u16)
    }
}
