// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A cpu's keys in the typed form that the simulator runs on.
//!
//! Building it also finds what the schema cannot see: a part that names a unit that does not exist, a mnemonic
//! claimed by two classes, more pipes than the busy mask has bits.

use crate::cpu::schema::CoreKind;
use crate::cpu::{Cpu, CpuError};
use decode::power_version;
use std::collections::{HashMap, HashSet};

/// Bits in the mask of busy pipes.
pub const PIPES_MAX: u32 = 32;
/// Queues that the occupancy calendar counts, rename registers excepted.
pub const QUEUES_MAX: usize = 6;
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
    /// Branches fetched in a cycle at most.
    pub(crate) branches: u32,
    pub(crate) buffer: usize,
    /// Whether a taken branch ends a cycle's fetch, with prediction running ahead.
    pub(crate) breaks: bool,
    /// Levels of branch target buffer, fastest first.
    pub(crate) btb: Vec<BranchTargets>,
    /// Bytes whose branches share a set of each.
    pub(crate) btb_line: u64,
    pub(crate) return_changed: Option<u64>,
    pub(crate) overruled: Option<u64>,
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
    pub(crate) folded: bool,
    pub(crate) fold_distance: u64,
}

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
    pub(crate) window: usize,
    pub(crate) rename_general: Option<usize>,
    pub(crate) rename_vector: Option<usize>,
    pub(crate) binds: bool,
    /// Whether a pipe has one result a cycle.
    pub(crate) one_result: bool,
    /// Slices, and the operations that go to two of them, a superslice, at once; none on other cores.
    pub(crate) slices: u32,
    pub(crate) tuple: u32,
    /// The first of the queues that there are one of for each slice.
    pub(crate) slice_queue: Option<u8>,
    /// Of each slice or half, the pipe that takes a result.
    pub(crate) results: u32,
    /// On a core with halves, the pipes whose results those are.
    pub(crate) results_from: u32,
}

/// Loads, stores and what goes wrong between them.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) load_queue: usize,
    pub(crate) store_queue: usize,
    pub(crate) miss_queue: usize,
    pub(crate) forward: u64,
    pub(crate) forward_renamed: Option<u64>,
    /// From the store's data to the load's value.
    pub(crate) forward_data: Option<u64>,
    /// Added when a doubleword comes from a store and the cache.
    pub(crate) forward_merge: u64,
    pub(crate) forward_vector: u64,
    /// Of a load that one store covers in part and the cache for the rest, if they are merged.
    pub(crate) forward_partial: Option<u64>,
    /// Added to a forwarded load that crosses the first boundary, if not what others take.
    pub(crate) cross_forward: Option<u64>,
    /// Accesses of any form can be renamed to each other, not only those by base and displacement.
    pub(crate) renames_any: bool,
    pub(crate) rename_interval: u64,
    /// Bytes of the smallest load that can be renamed.
    pub(crate) rename_least: u64,
    /// Cycles that an address of two registers adds to a load.
    pub(crate) indexed: u64,
    pub(crate) forward_failed: u64,
    pub(crate) partial_merges: bool,
    /// Each doubleword may come from another store, not from two.
    pub(crate) doublewords: bool,
    pub(crate) reject_retry: u64,
    pub(crate) drain: u64,
    pub(crate) drain_interval: u64,
    /// Most bytes of two stores that enter the cache together; 0 if none do.
    pub(crate) drain_pair: u64,
    pub(crate) order_flush: u64,
    pub(crate) order_waits: bool,
    pub(crate) alias_mask: u64,
    pub(crate) same_group_flush: u64,
    /// Boundary and cost, both added when crossed.
    pub(crate) crossings: Vec<(u64, u64)>,
    /// Of the first boundary: accesses that a load across it takes the pipes of, and cycles until the next store drains.
    pub(crate) cross_loads: u64,
    pub(crate) cross_drain: u64,
}

/// Mnemonics that are fused, any of the first with any of the second.
#[derive(Clone, Debug)]
struct Fusion {
    first: HashSet<String>,
    second: HashSet<String>,
    /// The fused operation takes the pipes of the first, not of the second.
    keeps_first: bool,
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
    pub(crate) streams: usize,
    pub(crate) distance: u64,
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
}

impl Unit {
    /// Its pipes that the slices from `first` on, `count` of them, have, of `slices` in all: of one to a slice theirs, of one
    /// to a superslice (two slices) that one, of one in all that one.
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
}

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
}

pub(crate) const FIRST: u32 = 1;
pub(crate) const LAST: u32 = 2;
pub(crate) const ALONE: u32 = 4;
pub(crate) const ENDS: u32 = 8;
pub(crate) const EVEN: u32 = 16;
pub(crate) const BEFORE: u32 = 32;
pub(crate) const AFTER: u32 = 64;
pub(crate) const NO_FORWARD: u32 = 128;
/// No third operation goes into its tuple.
pub(crate) const RESTRICTED: u32 = 1 << 27;
/// It goes to both slices of its superslice, or takes the place of what would go to the other.
pub(crate) const BOTH: u32 = 1 << 28;

/// Sources that a core knows not to need.
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
    /// By role: value, carry, condition, base update, link.
    pub(crate) latency: [u16; 5],
    pub(crate) per_word: u16,
    pub(crate) serial: u16,
    pub(crate) flags: u32,
    pub(crate) parts: Vec<Part>,
    pub(crate) domain: u8,
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
    pub(crate) classes: Vec<Class>,
    /// Added cycles, by producer's domain * DOMAINS_MAX + consumer's.
    pub(crate) bypass: Option<Vec<u8>>,
    /// Classes whose parts are added to an instruction that also reads, or writes, memory.
    pub(crate) load_op: Option<u16>,
    pub(crate) store_op: Option<u16>,
    /// Patterns of mnemonics that the core does not have.
    lacks: Vec<String>,
    /// Version of the Power ISA, where one is told.
    isa: Option<String>,
    fusions: Vec<Fusion>,
    exact: HashMap<String, (usize, u16)>,
    /// Prefix, distance, class; longest prefix first.
    prefixes: Vec<(String, usize, u16)>,
}

impl Description {
    /// Whether readers in this domain get every value at once, wherever it comes from.
    pub(crate) fn is_near(&self, reader: u8) -> bool {
        let table = self.bypass.as_deref().unwrap_or_default();
        table.chunks(DOMAINS_MAX).all(|of_producer| of_producer[usize::from(reader)] == 0)
    }

    /// Reads a checked cpu.
    pub fn new(cpu: &Cpu) -> Result<Description, CpuError> {
        let mut builder = Builder {
            cpu,
            domains: vec!["other".into(), "address".into(), "store_data".into(), "other_half".into()],
        };
        let mut queues: Vec<(String, u16)> = Vec::new();
        let mut slice_queue = None;
        for name in cpu.names("queue") {
            let entries = builder.whole(&format!("queue.{name}.entries"), 1) as u16;
            let copies = builder.whole(&format!("queue.{name}.copies"), 1);
            builder.check_copies(&name, copies, slice_queue)?;
            if copies > 1 {
                slice_queue = Some(queues.len() as u8);
            }
            queues.extend((0..copies).map(|_| (name.clone(), entries)));
        }
        if queues.len() > QUEUES_MAX {
            let key = format!("queue.{}.entries", queues[QUEUES_MAX].0);
            return Err(builder.invalid(&key, "is one queue too many", format!("{QUEUES_MAX} queues")));
        }
        let units = builder.units(&queues)?;
        let halves = builder.halves(&units);
        let results = builder.unit_named("dispatch.results", &units)?;
        let results_from = builder.unit_named("dispatch.results_from", &units)?;
        let classes = builder.classes(&units)?;
        let (exact, prefixes) = builder.patterns(&classes)?;
        let bypass = builder.bypass()?;
        let load_op = builder.class_key("memory.load_op", &classes)?;
        let store_op = builder.class_key("memory.store_op", &classes)?;
        Ok(Description {
            kind: cpu.kind(),
            fetch: builder.fetch(),
            branch: builder.branch(),
            dispatch: Dispatch { slice_queue, results, results_from, ..builder.dispatch() },
            memory: builder.memory(),
            caches: builder.caches()?,
            units,
            halves,
            queues,
            classes,
            bypass,
            load_op,
            store_op,
            lacks: cpu.words("lacks").to_vec(),
            isa: cpu.word("isa").map(str::to_owned),
            fusions: builder.fusions(),
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

    /// Whether the core makes one operation of two instructions with these mnemonics, one right behind the other.
    /// And if so, whether it takes the pipes of the first.
    pub(crate) fn fuses(&self, first: &str, second: &str) -> Option<bool> {
        let fuse = |fusion: &&Fusion| fusion.first.contains(first) && fusion.second.contains(second);
        self.fusions.iter().find(fuse).map(|fusion| fusion.keeps_first)
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

struct Builder<'a> {
    cpu: &'a Cpu,
    domains: Vec<String>,
}

impl Builder<'_> {
    fn invalid(&self, key: &str, problem: impl Into<String>, allowed: impl Into<String>) -> CpuError {
        let place = self.cpu.entry(key).map(|entry| entry.place().clone());
        CpuError::Invalid {
            place: place.unwrap_or_else(|| crate::cpu::Place {
                file: std::sync::Arc::new(self.cpu.name.clone().into()),
                line: 1,
            }),
            key: key.to_owned(),
            problem: problem.into(),
            allowed: allowed.into(),
        }
    }

    fn whole(&self, key: &str, default: u64) -> u64 {
        self.cpu.value(key).map_or(default, |value| value.round().max(0.0) as u64)
    }

    fn optional(&self, key: &str) -> Option<u64> {
        self.cpu.value(key).map(|value| value.round().max(0.0) as u64)
    }

    fn fetch(&self) -> Fetch {
        let mut btb = Vec::new();
        for level in ["fetch.btb", "fetch.btb2"] {
            if let (Some(entries), Some(taken)) =
                (self.optional(level), self.optional(&format!("{level}_taken")))
            {
                let ways = self.optional(&format!("{level}_ways")).map(|ways| ways as usize);
                btb.push(BranchTargets { entries: entries as usize, ways, taken });
            }
        }
        Fetch {
            block: self.whole("fetch.block", 16).next_power_of_two(),
            width: self.whole("fetch.width", 4) as u32,
            taken: self.whole("fetch.taken", 1),
            same_block_taken: self.optional("fetch.same_block_taken"),
            align: self.whole("fetch.align", self.whole("fetch.block", 16)).next_power_of_two(),
            after_indirect: self.whole("fetch.after_indirect", 0) != 0,
            call_taken: self.whole("fetch.call_taken", 0),
            return_taken: self.whole("fetch.return_taken", 0),
            ahead: self.optional("fetch.ahead"),
            branches: self.whole("fetch.branches", u64::from(u32::MAX)) as u32,
            buffer: self.whole("fetch.buffer", 16) as usize,
            breaks: self.whole("fetch.breaks", 0) != 0,
            btb,
            btb_line: self.whole("fetch.btb_line", 2),
            return_changed: self.optional("fetch.return_changed"),
            overruled: self.optional("fetch.overruled"),
        }
    }

    fn branch(&self) -> Branch {
        Branch {
            predictor: match self.cpu.word("branch.predictor") {
                Some("static") => Predictor::Static,
                Some("tage") => Predictor::Tage,
                _ => Predictor::Tournament,
            },
            mispredict: self.whole("branch.mispredict", 10),
            table: self.whole("branch.table", 4096) as usize,
            history: self.whole("branch.history", 12) as u32,
            return_stack: self.whole("branch.return_stack", 0) as usize,
            indirect: self.whole("branch.indirect", 0) as usize,
            folded: self.whole("branch.folded", 0) != 0,
            fold_distance: self.whole("branch.fold_distance", 0),
        }
    }

    fn dispatch(&self) -> Dispatch {
        Dispatch {
            width: self.whole("dispatch.width", 1) as u32,
            branches: self.optional("dispatch.branches").map(|n| n as u32),
            taken: self.optional("dispatch.taken").map(|n| n as u32),
            three_source: self.optional("dispatch.three_source").map(|n| n as u32),
            latency: self.whole("dispatch.latency", 1),
            complete_width: self.whole("complete.width", 1) as usize,
            complete_latency: self.whole("complete.latency", 1),
            window: self.whole("window.entries", 1) as usize,
            rename_general: self.optional("rename.general").map(|n| n as usize),
            rename_vector: self.optional("rename.vector").map(|n| n as usize),
            binds: self.whole("dispatch.binds", 0) != 0,
            one_result: self.whole("dispatch.one_result", 0) != 0,
            slices: self.whole("dispatch.slices", 0) as u32,
            tuple: self.whole("dispatch.tuple", self.whole("dispatch.width", 1)) as u32,
            slice_queue: None,
            results: 0,
            results_from: 0,
        }
    }

    fn memory(&self) -> Memory {
        let mut crossings = Vec::new();
        for name in ["memory.cross", "memory.cross2"] {
            if let (Some(bytes), Some(cost)) = (self.optional(name), self.optional(&format!("{name}_cost"))) {
                crossings.push((bytes.next_power_of_two(), cost));
            }
        }
        let bits = self.whole("memory.alias_bits", 64);
        Memory {
            load_queue: self.whole("memory.load_queue", 1) as usize,
            store_queue: self.whole("memory.store_queue", 1) as usize,
            miss_queue: self.whole("memory.miss_queue", 1) as usize,
            forward: self.whole("memory.forward", 1),
            forward_renamed: self.optional("memory.forward_renamed"),
            forward_data: self.optional("memory.forward_data"),
            forward_merge: self.whole("memory.forward_merge", 0),
            forward_vector: self.whole("memory.forward_vector", self.whole("memory.forward", 1)),
            forward_partial: self.optional("memory.forward_partial"),
            cross_forward: self.optional("memory.cross_forward"),
            renames_any: self.cpu.word("memory.renames") == Some("any"),
            rename_least: self.whole("memory.rename_least", 1),
            rename_interval: self.whole("memory.rename_interval", 0),
            indexed: self.whole("memory.indexed", 0),
            forward_failed: self.whole("memory.forward_failed", 0),
            partial_merges: self.cpu.word("memory.partial_forward") == Some("merge"),
            doublewords: self.cpu.word("memory.partial_forward") == Some("doublewords"),
            reject_retry: self.whole("memory.reject_retry", 1).max(1),
            drain: self.whole("memory.drain", 1),
            drain_interval: self.whole("memory.drain_interval", 1),
            drain_pair: self.whole("memory.drain_pair", 0),
            order_flush: self.whole("memory.order_flush", 0),
            order_waits: self.cpu.word("memory.load_hit_store") == Some("wait"),
            alias_mask: if bits >= 64 { u64::MAX } else { (1 << bits) - 1 },
            same_group_flush: self.whole("memory.same_group_flush", 0),
            crossings,
            cross_loads: self.whole("memory.cross_loads", 1),
            cross_drain: self.whole("memory.cross_drain", self.whole("memory.drain_interval", 1)),
        }
    }

    fn fusions(&self) -> Vec<Fusion> {
        let words = |key: String| self.cpu.words(&key).iter().cloned().collect();
        let fusion = |name: String| Fusion {
            first: words(format!("fusion.{name}.first")),
            second: words(format!("fusion.{name}.second")),
            keeps_first: self.cpu.word(&format!("fusion.{name}.pipe")) == Some("first"),
        };
        self.cpu.names("fusion").into_iter().map(fusion).collect()
    }

    fn level(&self, name: &str, line: u64) -> Result<Level, CpuError> {
        let ways = self.whole(&format!("{name}.ways"), 1).max(1);
        let lines = self.whole(&format!("{name}.size"), 1) * 1024 / line;
        if lines < ways {
            return Err(self.invalid(
                &format!("{name}.size"),
                "holds less than one set",
                "size >= ways * line",
            ));
        }
        Ok(Level {
            sets: (lines / ways) as usize,
            ways: ways as usize,
            latency: self.whole(&format!("{name}.latency"), 1),
            interval: self.whole(&format!("{name}.interval"), 0),
        })
    }

    fn caches(&self) -> Result<Caches, CpuError> {
        let line = self.whole("cache.l1.line", 64).next_power_of_two();
        let instruction_line = self.whole("cache.instruction.line", 64).next_power_of_two();
        let mut outer = Vec::new();
        for name in ["cache.l2", "cache.l3"] {
            if self.cpu.value(&format!("{name}.size")).is_some() {
                outer.push(self.level(name, line)?);
            }
        }
        Ok(Caches {
            instruction: self.level("cache.instruction", instruction_line)?,
            instruction_line,
            line,
            l1: self.level("cache.l1", line)?,
            outer,
            memory_latency: self.whole("cache.memory.latency", 100),
            memory_interval: self.whole("cache.memory.interval", 0),
            write_through: self.cpu.word("cache.l1.write") == Some("through"),
            streams: self.whole("prefetch.streams", 0) as usize,
            distance: self.whole("prefetch.distance", 4),
            instruction_ahead: self.whole("prefetch.instruction", 0),
        })
    }

    /// The pipes of the unit that the word of `key` names.
    fn unit_named(&self, key: &str, units: &[Unit]) -> Result<u32, CpuError> {
        let Some(name) = self.cpu.word(key) else { return Ok(0) };
        match units.iter().find(|unit| unit.name == name) {
            Some(unit) => Ok(unit.mask),
            None => {
                Err(self.invalid(key, format!("names no unit: '{name}'"), self.cpu.names("unit").join(", ")))
            }
        }
    }

    /// Copies of a queue are one for each slice, and of one queue only.
    fn check_copies(&self, name: &str, copies: u64, other: Option<u8>) -> Result<(), CpuError> {
        let slices = self.whole("dispatch.slices", 1);
        if copies == 1 || copies == slices && other.is_none() {
            return Ok(());
        }
        let allowed = if other.is_some() { "one queue with copies".to_owned() } else { slices.to_string() };
        Err(self.invalid(&format!("queue.{name}.copies"), "has to be one for each slice", allowed))
    }

    fn units(&self, queues: &[(String, u16)]) -> Result<Vec<Unit>, CpuError> {
        let mut units = Vec::new();
        let mut next = 0;
        for name in self.cpu.names("unit") {
            let key = format!("unit.{name}.pipes");
            let pipes = self.whole(&key, 1) as u32;
            if next + pipes > PIPES_MAX {
                return Err(self.invalid(
                    &key,
                    "exceeds the pipes that can be described",
                    format!("{PIPES_MAX} pipes in all"),
                ));
            }
            let slices = self.whole("dispatch.slices", 0) as u32;
            if slices > 0 && ![1, slices / 2, slices].contains(&pipes) {
                let allowed = format!("1, {} or {slices}", slices / 2);
                return Err(self.invalid(&key, "does not go evenly to the slices", allowed));
            }
            let mask = (((1u64 << pipes) - 1) << next) as u32;
            next += pipes;
            let queue_key = format!("unit.{name}.queue");
            let queue = match self.cpu.word(&queue_key) {
                None => None,
                Some(wanted) => match queues.iter().position(|(queue, _)| queue == wanted) {
                    Some(index) => Some(index as u8),
                    None => {
                        let known =
                            queues.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
                        return Err(self.invalid(&queue_key, format!("names no queue: '{wanted}'"), known));
                    }
                },
            };
            units.push(Unit { name, mask, queue });
        }
        Ok(units)
    }

    /// The pipes of each half: one of each unit of two, and the units that name their half.
    fn halves(&self, units: &[Unit]) -> Option<[u32; 2]> {
        if self.whole("dispatch.halves", 1) < 2 {
            return None;
        }
        let mut halves = [0; 2];
        for unit in units {
            match self.optional(&format!("unit.{}.half", unit.name)) {
                Some(half) => halves[half as usize % 2] |= unit.mask,
                None if unit.mask.count_ones() == 2 => {
                    let first = unit.mask & unit.mask.wrapping_neg();
                    halves[0] |= first;
                    halves[1] |= unit.mask ^ first;
                }
                None => {}
            }
        }
        Some(halves)
    }

    fn domain(&mut self, name: &str, key: &str) -> Result<u8, CpuError> {
        if let Some(index) = self.domains.iter().position(|domain| domain == name) {
            return Ok(index as u8);
        }
        if self.domains.len() == DOMAINS_MAX {
            return Err(self.invalid(key, "is one bypass domain too many", format!("{DOMAINS_MAX} domains")));
        }
        self.domains.push(name.to_owned());
        Ok(self.domains.len() as u8 - 1)
    }

    fn classes(&mut self, units: &[Unit]) -> Result<Vec<Class>, CpuError> {
        self.cpu.names("class").into_iter().map(|name| self.class(name, units)).collect()
    }

    fn class(&mut self, name: String, units: &[Unit]) -> Result<Class, CpuError> {
        let key = |rest: &str| format!("class.{name}.{rest}");
        let value = self.whole(&key("latency.value"), 1);
        let latency = [
            value,
            self.whole(&key("latency.carry"), value),
            self.whole(&key("latency.condition"), value),
            self.whole(&key("latency.base"), 1),
            self.whole(&key("latency.link"), value),
        ];
        let mut flags = 0;
        for word in self.cpu.words(&key("group")) {
            flags |= match word.as_str() {
                "first" => FIRST,
                "last" => LAST,
                "alone" => ALONE,
                "restricted" => RESTRICTED,
                "both" => BOTH,
                "end" => ENDS,
                _ => EVEN,
            };
        }
        for word in self.cpu.words(&key("serialise")) {
            flags |= if word == "before" { BEFORE } else { AFTER };
        }
        if self.cpu.word(&key("forward")) == Some("no") {
            flags |= NO_FORWARD;
        }
        let parts = self.parts(&name, units)?;
        let domain = match self.cpu.word(&key("domain")) {
            Some(domain) => self.domain(domain, &key("domain"))?,
            None => 0,
        };
        let reads_as = match self.cpu.word(&key("reads_as")) {
            Some(reads_as) => self.domain(reads_as, &key("reads_as"))?,
            None => domain,
        };
        Ok(Class {
            slots: self.whole(&key("slots"), 1) as u8,
            latency: latency.map(|cycles| cycles as u16),
            per_word: self.whole(&key("per_word"), 0) as u16,
            serial: self.whole(&key("serial"), 0) as u16,
            flags,
            parts,
            domain,
            reads_as,
            ignores: match self.cpu.word(&key("ignores")) {
                Some("flags") => Ignores::Flags,
                Some(_) => Ignores::Registers,
                None => Ignores::Nothing,
            },
            name,
        })
    }

    fn parts(&self, class: &str, units: &[Unit]) -> Result<Vec<Part>, CpuError> {
        let key = format!("class.{class}.parts");
        let busy = self.whole(&format!("class.{class}.busy"), 1) as u16;
        let step = self.whole(&format!("class.{class}.step"), 1) as u16;
        let words = self.cpu.words(&key);
        if words.len() > 8 {
            return Err(self.invalid(&key, "has more parts than can be described", "8 parts"));
        }
        let mut parts = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let (pair, word) = word.strip_prefix("pair ").map_or((false, word.as_str()), |rest| (true, rest));
            let (waits, names) = match word.split_once(' ') {
                None => (Waits::All, word),
                Some(("address", names)) => (Waits::Address, names),
                Some(("data", names)) => (Waits::Data, names),
                Some(("then", names)) if index > 0 => (Waits::Then, names),
                Some(_) => {
                    return Err(self.invalid(
                        &key,
                        format!("has a part '{word}'"),
                        "UNIT|UNIT..., with 'address ', 'data ' or (not on the first) 'then ' before it, and 'pair ' before that",
                    ));
                }
            };
            if pair && self.optional("dispatch.slices").is_none() {
                return Err(self.invalid(
                    &key,
                    format!("has a part 'pair {word}'"),
                    "slices (dispatch.slices)",
                ));
            }
            let (mut mask, mut prefer) = (0, 0);
            for name in names.split(if pair { '+' } else { '|' }) {
                let Some(unit) = units.iter().find(|unit| unit.name == name.trim()) else {
                    let known = units.iter().map(|unit| unit.name.as_str()).collect::<Vec<_>>().join(", ");
                    return Err(self.invalid(&key, format!("names no unit: '{name}'"), known));
                };
                mask |= unit.mask;
                if prefer == 0 {
                    prefer = unit.mask;
                }
            }
            let last = index + 1 == words.len();
            parts.push(Part { mask, prefer, waits, busy: if last { busy } else { 1 }, step, pair });
        }
        Ok(parts)
    }

    #[allow(clippy::type_complexity)] // The two halves of the lookup; a struct for them would be used once.
    fn patterns(
        &self,
        classes: &[Class],
    ) -> Result<(HashMap<String, (usize, u16)>, Vec<(String, usize, u16)>), CpuError> {
        let mut exact: HashMap<String, (usize, u16)> = HashMap::new();
        let mut prefixes: HashMap<String, (usize, u16)> = HashMap::new();
        for (index, class) in classes.iter().enumerate() {
            let key = format!("class.{}.instructions", class.name);
            let distance = self.cpu.distance(&key);
            for pattern in self.cpu.words(&key) {
                let (table, name) = match pattern.strip_suffix('*') {
                    Some(prefix) => (&mut prefixes, prefix),
                    None => (&mut exact, pattern.as_str()),
                };
                match table.get(name) {
                    Some(&(other, class)) if other == distance => {
                        let rival = &classes[class as usize].name;
                        return Err(self.invalid(
                            &key,
                            format!("claims '{pattern}', which class.{rival} claims too"),
                            "one class per pattern in a file",
                        ));
                    }
                    Some(&(other, _)) if other < distance => {}
                    _ => {
                        table.insert(name.to_owned(), (distance, index as u16));
                    }
                }
            }
        }
        let mut prefixes: Vec<_> =
            prefixes.into_iter().map(|(prefix, (distance, class))| (prefix, distance, class)).collect();
        prefixes.sort_by_key(|(prefix, distance, _)| (std::cmp::Reverse(prefix.len()), *distance));
        Ok((exact, prefixes))
    }

    fn class_key(&self, key: &str, classes: &[Class]) -> Result<Option<u16>, CpuError> {
        let Some(name) = self.cpu.word(key) else { return Ok(None) };
        match classes.iter().position(|class| class.name == name) {
            Some(index) => Ok(Some(index as u16)),
            None => Err(self.invalid(
                key,
                format!("names no class: '{name}'"),
                self.cpu.names("class").join(", "),
            )),
        }
    }

    fn bypass(&mut self) -> Result<Option<Vec<u8>>, CpuError> {
        let mut table = None;
        for from in self.cpu.names("bypass") {
            for to in self.cpu.names(&format!("bypass.{from}")) {
                let key = format!("bypass.{from}.{to}");
                let cycles = self.whole(&key, 0) as u8;
                let from = self.domain(&from, &key)? as usize;
                let to = self.domain(&to, &key)? as usize;
                table.get_or_insert_with(|| vec![0; DOMAINS_MAX * DOMAINS_MAX])[from * DOMAINS_MAX + to] =
                    cycles;
            }
        }
        Ok(table)
    }
}
