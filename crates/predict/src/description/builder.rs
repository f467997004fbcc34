// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Reads the keys of a checked cpu, one table of them after the other, and says which is wrong where the schema cannot.

use super::*;
use crate::cpu::schema::POWERS_OF_TWO;
use crate::forms::FORMS;

pub(super) struct Builder<'a> {
    pub(super) cpu: &'a Cpu,
    pub(super) domains: Vec<String>,
}

impl Builder<'_> {
    pub(super) fn invalid(
        &self,
        key: &str,
        problem: impl Into<String>,
        allowed: impl Into<String>,
    ) -> CpuError {
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

    pub(super) fn whole(&self, key: &str, default: u64) -> u64 {
        self.cpu.value(key).map_or(default, |value| value.round().max(0.0) as u64)
    }

    fn power_of_two(&self, key: &str, default: u64) -> Result<u64, CpuError> {
        debug_assert!(POWERS_OF_TWO.contains(&key), "{key} is drawn as any number");
        let value = self.whole(key, default);
        if value.is_power_of_two() {
            Ok(value)
        } else {
            Err(self.invalid(key, format!("is {value}"), "a power of two"))
        }
    }

    pub(super) fn optional(&self, key: &str) -> Option<u64> {
        self.cpu.value(key).map(|value| value.round().max(0.0) as u64)
    }

    pub(super) fn fetch(&self) -> Result<Fetch, CpuError> {
        let mut btb = Vec::new();
        for level in ["fetch.btb", "fetch.btb2"] {
            if let (Some(entries), Some(taken)) =
                (self.optional(level), self.optional(&format!("{level}_taken")))
            {
                let ways = self.optional(&format!("{level}_ways")).map(|ways| ways as usize);
                btb.push(BranchTargets { entries: entries as usize, ways, taken });
            }
        }
        let width = self.whole("fetch.width", 4) as u32;
        let entry = self.whole("fetch.entry", 1) as u32;
        if width % entry != 0 {
            let allowed = "a divisor of fetch.width";
            return Err(self.invalid("fetch.entry", "leaves a part of an entry in a cycle", allowed));
        }
        Ok(Fetch {
            block: self.whole("fetch.block", 16).next_power_of_two(),
            width,
            taken: self.whole("fetch.taken", 1),
            same_block_taken: self.optional("fetch.same_block_taken"),
            align: self.whole("fetch.align", self.whole("fetch.block", 16)).next_power_of_two(),
            after_indirect: self.whole("fetch.after_indirect", 0) != 0,
            call_taken: self.whole("fetch.call_taken", 0),
            return_taken: self.whole("fetch.return_taken", 0),
            ahead: self.optional("fetch.ahead"),
            branch_ends: self.whole("fetch.branch_ends", 0) != 0,
            follows: self.whole("fetch.follows", 0) != 0,
            room: self
                .optional("fetch.constants")
                .filter(|_| self.optional("fetch.ahead").is_none())
                .map(|constants| constants as u32 + 2 * width),
            branches: self.whole("fetch.branches", u64::from(u32::MAX)) as u32,
            buffer: self.whole("fetch.buffer", 16) as usize,
            breaks: self.whole("fetch.breaks", 0) != 0,
            pairs: self.whole("fetch.pairs", 0) != 0,
            again: self.optional("fetch.again").map(|cycles| (cycles, entry)),
            btb,
            btb_line: self.power_of_two("fetch.btb_line", 2)?,
            return_changed: self.optional("fetch.return_changed"),
            overruled: self.optional("fetch.overruled"),
            second_line: self.optional("fetch.second_line"),
            decoded: self.optional("decoded.entries").map(|entries| Decoded {
                entries: entries as usize,
                ways: self.whole("decoded.ways", 8) as usize,
                bytes: self.whole("decoded.bytes", 16).next_power_of_two(),
                dense: self.whole("decoded.dense", u64::from(u32::MAX)) as u32,
                most: self.whole("decoded.most", u64::from(u32::MAX)) as u32,
            }),
            replay: self.optional("replay.slots").map(|slots| Replay {
                slots,
                lines: self.whole("replay.lines", 1) as usize,
                after: self.whole("replay.after", 1) as usize,
                decided: self.whole("replay.decided", 0),
                exit: self.whole("replay.exit", 0),
                rows: self.whole("replay.rows", 1),
                row: self.whole("replay.row", 1),
                call_rows: self.optional("replay.call_rows"),
                width: self.whole("dispatch.width", 1) as u32,
                branches: self.whole("replay.branches", u64::from(u32::MAX)) as u32,
            }),
        })
    }

    pub(super) fn branch(&self) -> Branch {
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
            indirect_path: self.whole("branch.indirect_path", 0) as usize,
            folded: self.whole("branch.folded", 0) != 0,
            fold_distance: self.whole("branch.fold_distance", 0),
        }
    }

    pub(super) fn dispatch(&self) -> Dispatch {
        Dispatch {
            width: self.whole("dispatch.width", 1) as u32,
            branches: self.optional("dispatch.branches").map(|n| n as u32),
            taken: self.optional("dispatch.taken").map(|n| n as u32),
            three_source: self.optional("dispatch.three_source").map(|n| n as u32),
            latency: self.whole("dispatch.latency", 1),
            complete_width: self.whole("complete.width", 1) as usize,
            complete_latency: self.whole("complete.latency", 1),
            complete_results: self.optional("complete.results").map(|n| n as u32),
            complete_conditions: self.optional("complete.conditions").map(|n| n as u32),
            complete_first: true,
            window: self.whole("window.entries", 1) as usize,
            rename_general: self.optional("rename.general").map(|n| n as usize),
            rename_vector: self.optional("rename.vector").map(|n| n as usize),
            rename_conditions: self.whole("rename.conditions", 0) != 0,
            counted_twice: None,
            rename_shared: self.optional("rename.shared").map(|n| n as usize),
            together: None,
            queues_operations: self.cpu.word("dispatch.queued") == Some("operations"),
            binds: match self.whole("dispatch.binds", 0) {
                0 => Binds::No,
                1 => Binds::BySlot,
                _ => Binds::InTurn,
            },
            datapath: self.whole("dispatch.datapath", u64::from(u16::MAX)) as u16,
            one_result: self.whole("dispatch.one_result", 0) != 0,
            load_results: self.whole("dispatch.load_results", 0) != 0,
            slices: self.whole("dispatch.slices", 0) as u32,
            tuple: self.whole("dispatch.tuple", self.whole("dispatch.width", 1)) as u32,
            slice_queue: None,
            results: 0,
            results_from: 0,
            lanes: Vec::new(),
            steering: None,
            accepts: Vec::new(),
            binding_entries: self.whole("binding.entries", u64::from(u16::MAX)) as u16,
            binding_apart: self.whole("binding.apart", u64::from(u16::MAX)) as u16,
            binding_held: self.whole("binding.held", 0),
            binding_address: 0,
        }
    }

    pub(super) fn memory(&self) -> Memory {
        let mut crossings = Vec::new();
        for name in ["memory.cross", "memory.cross2"] {
            if let (Some(bytes), Some(cost)) = (self.optional(name), self.optional(&format!("{name}_cost"))) {
                crossings.push((bytes.next_power_of_two(), cost));
            }
        }
        let bits = self.whole("memory.alias_bits", 64);
        Memory {
            load_queue: self.whole("memory.load_queue", 1) as usize,
            waiting_loads: self.optional("memory.waiting_loads").map(|entries| entries as u16),
            waiting_held: self.whole("memory.waiting_held", 0),
            store_queue: self.whole("memory.store_queue", 1) as usize,
            miss_queue: self.whole("memory.miss_queue", 1) as usize,
            forward: self.whole("memory.forward", 1),
            forward_renamed: self.optional("memory.forward_renamed"),
            forward_data: self.optional("memory.forward_data"),
            forward_completed: self.optional("memory.forward_completed"),
            vector_completed: self
                .optional("memory.vector_completed")
                .or(self.optional("memory.forward_completed")),
            general_completed: self.whole("memory.general_completed", 1) != 0,
            forward_merge: self.whole("memory.forward_merge", 0),
            forward_vector: self.whole("memory.forward_vector", self.whole("memory.forward", 1)),
            forward_partial: self.optional("memory.forward_partial"),
            partial_begins: self.cpu.word("memory.partial_forward") == Some("begins"),
            forward_partial_soon: self.optional("memory.forward_partial_soon"),
            forward_counted: self.whole("memory.forward_counted", 0),
            store_completes: self.whole("memory.store_completes", 1),
            forward_retry: self.optional("memory.forward_retry"),
            cross_forward: self.optional("memory.cross_forward"),
            renames: match self.cpu.word("memory.renames") {
                Some("any") => Renames::Any,
                Some("split") => Renames::Split,
                _ => Renames::Base,
            },
            split_slots: self.whole("memory.split_slots", 0) as u8,
            rename_least: self.whole("memory.rename_least", 1),
            rename_least_computing: self
                .whole("memory.rename_least_computing", self.whole("memory.rename_least", 1)),
            rename_counted: None,
            rename_interval: self.whole("memory.rename_interval", 0),
            rename_reach: self.optional("memory.rename_reach").unwrap_or(u64::MAX),
            rename_learns: self.whole("memory.rename_learns", 0) as u32,
            rename_unlearns: self.whole("memory.rename_unlearns", 1) as u32,
            rename_flush: self.whole("memory.rename_flush", 0),
            indexed: self.whole("memory.indexed", 0),
            forward_failed: self.whole("memory.forward_failed", 0),
            partial_merges: self.cpu.word("memory.partial_forward") == Some("merge"),
            doublewords: self.cpu.word("memory.partial_forward") == Some("doublewords"),
            reject_retry: self.whole("memory.reject_retry", 1).max(1),
            drain: self.whole("memory.drain", 1),
            drain_interval: self.whole("memory.drain_interval", 1),
            drain_pair: self.whole("memory.drain_pair", 0),
            drain_run: self.whole("memory.drain_run", 0) != 0,
            drain_apart: self.whole("memory.drain_apart", 0) != 0,
            order_flush: self.whole("memory.order_flush", 0),
            order_remembers: self.whole("memory.order_remembers", 0) as u32,
            order_wait: self.whole("memory.order_wait", 0),
            order_early: self.whole("memory.order_early", 0),
            order_unit: self.whole("memory.order_unit", 1).next_power_of_two(),
            order_lasts: self.whole("memory.order_lasts", 0),
            order_waits_older: self.cpu.word("memory.order_waits") == Some("older")
                || self.whole("memory.order_lasts", 0) > 0,
            order_waits: self.cpu.word("memory.load_hit_store") == Some("wait"),
            alias_mask: if bits >= 64 { u64::MAX } else { (1 << bits) - 1 },
            same_group_flush: self.whole("memory.same_group_flush", 0),
            string_bytes: self.whole("memory.string_bytes", 0),
            crossings,
            fill_loads: self.whole("memory.fill_loads", 0),
            late_loads: self.whole("memory.late_loads", 0),
            bank: self.optional("memory.bank").map(|bytes| (bytes, self.whole("memory.bank_loads", 1))),
            cross_loads: self.whole("memory.cross_loads", 1),
            cross_drain: self.whole("memory.cross_drain", self.whole("memory.drain_interval", 1)),
            cross_store: self.optional("memory.cross_store").map_or(0, u64::next_power_of_two),
            read_modify: self.optional("memory.read_modify.unit").map(|unit| ReadModify {
                unit: unit.next_power_of_two(),
                row: self.whole("memory.cross_store", self.whole("cache.l1.line", 64)).next_power_of_two(),
                busy: self.whole("memory.read_modify.busy", 1),
                retry: self.whole("memory.read_modify.retry", 0),
                failed: self.whole("memory.read_modify.failed", 0),
            }),
            indexed_by: match self.cpu.word("memory.indexed_by") {
                Some("scale") => IndexedBy::Scale,
                Some("term") => IndexedBy::Term,
                _ => IndexedBy::Register,
            },
        }
    }

    pub(super) fn fusions(&self, units: &[Unit]) -> Result<Vec<Fusion>, CpuError> {
        let words = |key: String| self.cpu.words(&key).iter().cloned().collect();
        let fusion = |name: String| {
            let takes = format!("fusion.{name}.takes");
            let pipe = format!("fusion.{name}.pipe");
            let computes = match self.cpu.word(&format!("fusion.{name}.computes")) {
                Some("copied") => Some(Computes::Copied),
                Some("loaded") => Some(Computes::Loaded),
                _ => None,
            };
            let pipes = match (self.cpu.word(&takes), self.cpu.word(&pipe)) {
                (None, None) if computes.is_some() => FusedPipes::Own,
                (Some(_), Some(_)) => {
                    return Err(self.invalid(&takes, "stands beside fusion.*.pipe", "one of the two"));
                }
                (Some(names), None) => FusedPipes::Each(self.pipes(&takes, names, '|', units)?.0),
                (None, Some("first")) => FusedPipes::First,
                (None, _) => FusedPipes::Second,
            };
            let first = words(format!("fusion.{name}.first"));
            Ok(Fusion { first, second: words(format!("fusion.{name}.second")), pipes, computes })
        };
        self.cpu.names("fusion").into_iter().map(fusion).collect()
    }

    pub(super) fn level(&self, name: &str, line: u64) -> Result<Level, CpuError> {
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

    pub(super) fn caches(&self) -> Result<Caches, CpuError> {
        let line = self.power_of_two("cache.l1.line", 64)?;
        let instruction_line = self.power_of_two("cache.instruction.line", 64)?;
        let mut outer = Vec::new();
        for name in ["cache.l2", "cache.l3"] {
            if self.cpu.value(&format!("{name}.size")).is_some() {
                outer.push(self.level(name, line)?);
            }
        }
        let write_through = self.cpu.word("cache.l1.write") == Some("through");
        // Nothing that is written through is ever pushed out.
        let write_back = if write_through { 0 } else { self.whole("cache.l2.write_back", 0) };
        let distance = self.whole("prefetch.distance", 4);
        Ok(Caches {
            instruction: self.level("cache.instruction", instruction_line)?,
            instruction_line,
            line,
            l1: self.level("cache.l1", line)?,
            outer,
            memory_latency: self.whole("cache.memory.latency", 100),
            memory_interval: self.whole("cache.memory.interval", 0),
            write_through,
            write_back,
            claims: self.whole("memory.store_misses", 0) as usize,
            streams: self.whole("prefetch.streams", 0) as usize,
            distance,
            near: self.whole("prefetch.near", distance),
            prefetch_latency: self.whole("prefetch.latency", 0),
            instruction_ahead: self.whole("prefetch.instruction", 0),
        })
    }

    /// The pipes of the unit that the word of `key` names.
    pub(super) fn unit_named(&self, key: &str, units: &[Unit]) -> Result<u32, CpuError> {
        let Some(name) = self.cpu.word(key) else { return Ok(0) };
        match units.iter().find(|unit| unit.name == name) {
            Some(unit) => Ok(unit.mask),
            None => {
                Err(self.invalid(key, format!("names no unit: '{name}'"), self.cpu.names("unit").join(", ")))
            }
        }
    }

    /// The sets of pipes that the slots of a cycle go to in turn.
    pub(super) fn lanes(&self, units: &[Unit]) -> Result<Vec<u32>, CpuError> {
        let key = "dispatch.lanes";
        let words = self.cpu.words(key);
        if !words.is_empty() && self.cpu.kind() != CoreKind::OutOfOrder {
            return Err(self.invalid(key, "has no effect in this core", "a core of kind 'out_of_order'"));
        }
        words.iter().map(|word| Ok(self.pipes(key, word, '|', units)?.0)).collect()
    }

    /// The two schedulers that operations go to by their slots, if the core has such.
    pub(super) fn steering(&self, units: &[Unit]) -> Result<Option<Steering>, CpuError> {
        let key = "schedulers.pipes";
        let words = self.cpu.words(key);
        if words.is_empty() {
            return Ok(None);
        }
        if self.cpu.kind() != CoreKind::OutOfOrder {
            return Err(self.invalid(key, "has no effect in this core", "a core of kind 'out_of_order'"));
        }
        let mut pipes = [[0; 2]; 2];
        let sets = words.iter().map(|word| Ok(self.pipes(key, word, '|', units)?.0));
        let sets = sets.collect::<Result<Vec<u32>, CpuError>>()?;
        let apart = sets.len() == 2 && sets[0] & sets[1] == 0;
        if !apart || sets.iter().any(|set| set.count_ones() != 2) {
            return Err(self.invalid(
                key,
                "are not two pairs of pipes",
                "two sets of two pipes, apart from each other",
            ));
        }
        for (pair, set) in pipes.iter_mut().zip(sets) {
            let first = set & set.wrapping_neg();
            *pair = [first, set ^ first];
        }
        let number = |name: &str| self.whole(&format!("schedulers.{name}"), u64::from(u32::MAX)) as u32;
        Ok(Some(Steering {
            pipes,
            entries: number("entries"),
            enter: number("enter"),
            apart: number("apart"),
            pipes_apart: number("pipes_apart"),
            slots: self.whole("schedulers.slots", 1) as u32,
            by_pipes: self.whole("schedulers.by_pipes", 0) != 0,
        }))
    }

    /// The pipes among whose operations loads and stores count.
    pub(super) fn binding_address(&self, units: &[Unit]) -> Result<u32, CpuError> {
        let key = "binding.address";
        let Some(names) = self.cpu.word(key) else { return Ok(0) };
        let (pipes, _) = self.pipes(key, names, '|', units)?;
        if pipes >= 1 << BOUND_PIPES {
            return Err(self.invalid(
                key,
                "has a pipe that nothing is bound to",
                format!("of the first {BOUND_PIPES} pipes"),
            ));
        }
        Ok(pipes)
    }

    /// How many instructions are dispatched in a cycle that can take no other pipes than some.
    pub(super) fn accepts(&self, units: &[Unit]) -> Result<Vec<Accept>, CpuError> {
        let names = self.cpu.names("accept");
        let Some(first) = names.first() else { return Ok(Vec::new()) };
        if self.cpu.kind() != CoreKind::OutOfOrder {
            let key = format!("accept.{first}.pipes");
            return Err(self.invalid(&key, "has no effect in this core", "a core of kind 'out_of_order'"));
        }
        if let Some(name) = names.get(ACCEPTS_MAX) {
            let key = format!("accept.{name}.pipes");
            return Err(self.invalid(&key, "is one limit too many", format!("at most {ACCEPTS_MAX}")));
        }
        let accept = |name: &String| {
            let key = format!("accept.{name}.pipes");
            let (pipes, _) = self.pipes(&key, self.cpu.word(&key).unwrap_or_default(), '|', units)?;
            Ok(Accept { pipes, operations: self.whole(&format!("accept.{name}.operations"), 32) as u8 })
        };
        names.iter().map(accept).collect()
    }

    /// The pipes of units, and those of the first one.
    fn pipes(&self, key: &str, names: &str, between: char, units: &[Unit]) -> Result<(u32, u32), CpuError> {
        let (mut all, mut first) = (0, 0);
        for name in names.split(between) {
            let Some(unit) = units.iter().find(|unit| unit.name == name.trim()) else {
                let known = units.iter().map(|unit| unit.name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(self.invalid(key, format!("names no unit: '{name}'"), known));
            };
            all |= unit.mask;
            if first == 0 {
                first = unit.mask;
            }
        }
        Ok((all, first))
    }

    /// Copies of a queue are one for each slice, and of one queue only.
    pub(super) fn check_copies(&self, name: &str, copies: u64, other: Option<u8>) -> Result<(), CpuError> {
        let slices = self.whole("dispatch.slices", 1);
        if copies == 1 || copies == slices && other.is_none() {
            return Ok(());
        }
        let allowed = if other.is_some() { "one queue with copies".to_owned() } else { slices.to_string() };
        Err(self.invalid(&format!("queue.{name}.copies"), "has to be one for each slice", allowed))
    }

    pub(super) fn units(&self, queues: &[(String, u16)]) -> Result<Vec<Unit>, CpuError> {
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
            let queue = self.queue(&format!("unit.{name}.queue"), queues)?;
            let resource = self.cpu.word(&format!("unit.{name}.resource")).map(str::to_owned);
            units.push(Unit { name, mask, queue, resource });
        }
        Ok(units)
    }

    /// The queue that a word names.
    pub(super) fn queue(&self, key: &str, queues: &[(String, u16)]) -> Result<Option<u8>, CpuError> {
        let Some(wanted) = self.cpu.word(key) else { return Ok(None) };
        match queues.iter().position(|(queue, _)| queue == wanted) {
            Some(index) => Ok(Some(index as u8)),
            None => {
                let known = self.cpu.names("queue").join(", ");
                Err(self.invalid(key, format!("names no queue: '{wanted}'"), known))
            }
        }
    }

    /// The pipes of each half: one of each unit of two, and the units that name their half.
    pub(super) fn halves(&self, units: &[Unit]) -> Option<[u32; 2]> {
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

    pub(super) fn domain(&mut self, name: &str, key: &str) -> Result<u8, CpuError> {
        if let Some(index) = self.domains.iter().position(|domain| domain == name) {
            return Ok(index as u8);
        }
        if self.domains.len() == DOMAINS_MAX {
            return Err(self.invalid(key, "is one bypass domain too many", format!("{DOMAINS_MAX} domains")));
        }
        self.domains.push(name.to_owned());
        Ok(self.domains.len() as u8 - 1)
    }

    pub(super) fn classes(&mut self, units: &[Unit]) -> Result<Vec<Class>, CpuError> {
        self.cpu.names("class").into_iter().map(|name| self.class(name, units)).collect()
    }

    pub(super) fn class(&mut self, name: String, units: &[Unit]) -> Result<Class, CpuError> {
        let key = |rest: &str| format!("class.{name}.{rest}");
        let value = self.whole(&key("latency.value"), 1);
        let latency = [
            value,
            self.whole(&key("latency.carry"), value),
            self.whole(&key("latency.condition"), value),
            self.whole(&key("latency.base"), 1),
            self.whole(&key("latency.link"), value),
            self.whole(&key("latency.upper"), value),
        ];
        let mut flags = Flags::NONE;
        for word in self.cpu.words(&key("group")) {
            flags |= match word.as_str() {
                "first" => Flags::FIRST,
                "last" => Flags::LAST,
                "alone" => Flags::ALONE,
                "restricted" => Flags::RESTRICTED,
                "both" => Flags::BOTH,
                "end" => Flags::ENDS,
                _ => Flags::EVEN,
            };
        }
        for word in self.cpu.words(&key("serialise")) {
            flags |= if word == "before" { Flags::BEFORE } else { Flags::AFTER };
        }
        if self.cpu.word(&key("completes")) == Some("first") {
            flags |= Flags::FIRST;
        }
        if self.cpu.word(&key("forward")) == Some("no") {
            flags |= Flags::NO_FORWARD;
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
        let base_as = match self.cpu.word(&key("base_as")) {
            Some(base_as) => self.domain(base_as, &key("base_as"))?,
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
            base_as,
            reads_as,
            ignores: match self.cpu.word(&key("ignores")) {
                Some("flags") => Ignores::Flags,
                Some(_) => Ignores::Registers,
                None => Ignores::Nothing,
            },
            name,
        })
    }

    pub(super) fn parts(&self, class: &str, units: &[Unit]) -> Result<Vec<Part>, CpuError> {
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
            let (mask, prefer) = self.pipes(&key, names, if pair { '+' } else { '|' }, units)?;
            let last = index + 1 == words.len();
            parts.push(Part {
                mask,
                prefer,
                waits,
                busy: if last { busy } else { 1 },
                step,
                pair,
                queue: NO_QUEUE,
            });
        }
        Ok(parts)
    }

    #[allow(clippy::type_complexity)] // The two halves of the lookup; a struct for them would be used once.
    pub(super) fn patterns(
        &self,
        classes: &[Class],
    ) -> Result<(HashMap<String, (usize, u16)>, Vec<(String, usize, u16)>), CpuError> {
        let mut exact: HashMap<String, (usize, u16)> = HashMap::new();
        let mut prefixes: HashMap<String, (usize, u16)> = HashMap::new();
        for (index, class) in classes.iter().enumerate() {
            let key = format!("class.{}.instructions", class.name);
            let distance = self.cpu.distance(&key);
            for pattern in self.cpu.words(&key) {
                self.check_pattern(&key, pattern)?;
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

    /// A pattern that cannot match would leave its instructions to another class without a word.
    fn check_pattern(&self, key: &str, pattern: &str) -> Result<(), CpuError> {
        let (mnemonic, form) =
            pattern.split_once('@').map_or((pattern, None), |(name, form)| (name, Some(form)));
        if mnemonic.strip_suffix('*').unwrap_or(mnemonic).contains('*')
            || form.is_some() && mnemonic.contains('*')
        {
            return Err(self.invalid(
                key,
                format!("has the pattern '{pattern}', which matches nothing"),
                "MNEMONIC, PREFIX* or MNEMONIC@FORM",
            ));
        }
        match form {
            Some(form) if !FORMS.contains(&form) => Err(self.invalid(
                key,
                format!("has the unknown form '{form}' in '{pattern}'"),
                FORMS.join(", "),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn class_key(&self, key: &str, classes: &[Class]) -> Result<Option<u16>, CpuError> {
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

    /// By domain, the one that `domain.NAME.KEY` names, or itself.
    pub(super) fn domains_by(&mut self, key: &str) -> Result<[u8; DOMAINS_MAX], CpuError> {
        let mut others = std::array::from_fn(|domain| domain as u8);
        for name in self.cpu.names("domain") {
            let key = format!("domain.{name}.{key}");
            if let Some(to) = self.cpu.word(&key) {
                others[self.domain(&name, &key)? as usize] = self.domain(to, &key)?;
            }
        }
        Ok(others)
    }

    pub(super) fn bypass(&mut self) -> Result<Option<Vec<u8>>, CpuError> {
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
