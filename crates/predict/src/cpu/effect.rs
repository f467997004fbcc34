// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Numbers that would have no effect, because a word or another number that they need is missing, and dispatch rules that
//! the core's shape does not have. A file with such a number or rule claims something of the core that no prediction uses,
//! so it is refused.

use super::schema::CoreKind;
use super::{Cpu, CpuError};
use std::collections::BTreeSet;

/// A key, what is wrong with it, and what its presence depends on.
type Found = (String, String, &'static str);

impl Cpu {
    /// Fails on the first number that has no effect.
    pub(super) fn check_effects(&self) -> Result<(), CpuError> {
        let numbers =
            self.idle_pairs().or_else(|| self.idle_branch_number()).or_else(|| self.idle_class_number());
        let found = numbers.or_else(|| self.idle_queue()).or_else(|| self.idle_rule());
        let found = found
            .or_else(|| self.idle_bypass())
            .or_else(|| self.idle_domain())
            .or_else(|| self.idle_later())
            .or_else(|| self.idle_counted())
            .or_else(|| self.idle_machine())
            .or_else(|| self.idle_accept())
            .or_else(|| self.idle_fusion())
            .or_else(|| self.idle_class());
        let Some((key, problem, allowed)) = found else { return Ok(()) };
        let Some(place) = self.entry(&key).map(|entry| entry.place().clone()) else { return Ok(()) };
        Err(CpuError::Invalid { place, key, problem, allowed: allowed.into() })
    }

    fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Numbers that only act together with another.
    fn idle_pairs(&self) -> Option<Found> {
        const PAIRS: [(&str, &str, &str); 60] = [
            ("fetch.btb", "fetch.btb_taken", "together with fetch.btb_taken"),
            ("fetch.btb_taken", "fetch.btb", "together with fetch.btb"),
            ("fetch.btb2", "fetch.btb2_taken", "together with fetch.btb2_taken"),
            ("fetch.btb2_taken", "fetch.btb2", "together with fetch.btb2"),
            ("fetch.again", "fetch.ahead", "together with fetch.ahead"),
            ("fetch.entry", "fetch.again", "together with fetch.again"),
            ("replay.slots", "fetch.ahead", "together with fetch.ahead"),
            ("decoded.entries", "fetch.ahead", "together with fetch.ahead"),
            ("decoded.ways", "decoded.entries", "together with decoded.entries"),
            ("decoded.bytes", "decoded.entries", "together with decoded.entries"),
            ("decoded.dense", "decoded.entries", "together with decoded.entries"),
            ("decoded.most", "decoded.entries", "together with decoded.entries"),
            ("replay.lines", "replay.slots", "together with replay.slots"),
            ("replay.decided", "replay.after", "together with replay.after"),
            ("replay.exit", "replay.slots", "together with replay.slots"),
            ("fetch.second_line", "fetch.ahead", "together with fetch.ahead"),
            ("replay.branches", "replay.slots", "together with replay.slots"),
            ("replay.after", "replay.slots", "together with replay.slots"),
            ("replay.rows", "replay.slots", "together with replay.slots"),
            ("replay.call_rows", "replay.row", "together with replay.row"),
            ("replay.row", "replay.rows", "together with replay.rows"),
            ("rename.counted_twice", "memory.rename_counted", "together with memory.rename_counted"),
            ("memory.rename_counted", "memory.forward_renamed", "together with memory.forward_renamed"),
            ("memory.forward_counted", "memory.rename_counted", "together with memory.rename_counted"),
            ("memory.forward_partial_soon", "memory.forward_retry", "together with memory.forward_retry"),
            ("memory.forward_partial_soon", "memory.forward_partial", "together with memory.forward_partial"),
            ("memory.rename_least", "memory.forward_renamed", "together with memory.forward_renamed"),
            (
                "memory.rename_least_computing",
                "memory.forward_renamed",
                "together with memory.forward_renamed",
            ),
            ("memory.rename_reach", "memory.forward_renamed", "together with memory.forward_renamed"),
            ("memory.rename_learns", "memory.rename_reach", "together with memory.rename_reach"),
            ("memory.rename_unlearns", "memory.rename_learns", "together with memory.rename_learns"),
            ("memory.rename_flush", "memory.rename_learns", "together with memory.rename_learns"),
            ("memory.bank_loads", "memory.bank", "together with memory.bank"),
            ("memory.cross", "memory.cross_cost", "together with memory.cross_cost"),
            ("memory.cross_cost", "memory.cross", "together with memory.cross"),
            ("memory.cross2", "memory.cross2_cost", "together with memory.cross2_cost"),
            ("memory.cross2_cost", "memory.cross2", "together with memory.cross2"),
            ("memory.cross_loads", "memory.cross", "together with memory.cross"),
            ("memory.cross_drain", "memory.cross", "together with memory.cross"),
            ("memory.cross_store", "memory.cross_drain", "together with memory.cross_drain"),
            ("memory.drain_run", "memory.drain_pair", "together with memory.drain_pair"),
            ("memory.read_modify.unit", "memory.read_modify.retry", "together with memory.read_modify.retry"),
            ("memory.read_modify.busy", "memory.read_modify.unit", "together with memory.read_modify.unit"),
            ("memory.read_modify.retry", "memory.read_modify.unit", "together with memory.read_modify.unit"),
            ("memory.read_modify.failed", "memory.read_modify.unit", "together with memory.read_modify.unit"),
            ("memory.waiting_held", "memory.waiting_loads", "together with memory.waiting_loads"),
            ("prefetch.distance", "prefetch.streams", "together with prefetch.streams"),
            ("prefetch.near", "prefetch.streams", "together with prefetch.streams"),
            ("prefetch.latency", "prefetch.streams", "together with prefetch.streams"),
            ("cache.l3.size", "cache.l2.size", "together with cache.l2.size"),
            ("binding.entries", "dispatch.binds", "together with dispatch.binds"),
            ("binding.apart", "dispatch.binds", "together with dispatch.binds"),
            ("binding.held", "binding.entries", "together with binding.entries"),
            ("binding.address", "binding.entries", "together with binding.entries"),
            ("schedulers.entries", "schedulers.pipes", "together with schedulers.pipes"),
            ("schedulers.enter", "schedulers.pipes", "together with schedulers.pipes"),
            ("schedulers.apart", "schedulers.pipes", "together with schedulers.pipes"),
            ("schedulers.by_pipes", "schedulers.pipes", "together with schedulers.pipes"),
            ("schedulers.slots", "schedulers.pipes", "together with schedulers.pipes"),
            ("schedulers.pipes_apart", "schedulers.pipes", "together with schedulers.pipes"),
        ];
        let idle = PAIRS.into_iter().find(|(key, other, _)| self.has(key) && !self.has(other));
        idle.map(|(key, _, allowed)| (key.to_owned(), "has no effect alone".into(), allowed))
    }

    fn idle_branch_number(&self) -> Option<Found> {
        let in_order = self.kind() == CoreKind::InOrder;
        let predictor = self.word("branch.predictor");
        let shared = self.has("rename.shared");
        let binds = self.value("dispatch.binds").is_some_and(|how| how > 0.0);
        let one_result = self.value("dispatch.one_result").is_some_and(|count| count > 0.0);
        let rules = [
            ("branch.table", predictor != Some("static"), "with a predictor that is not static"),
            ("branch.history", predictor != Some("static"), "with a predictor that is not static"),
            ("branch.folded", in_order, "in an in-order core"),
            (
                "branch.fold_distance",
                in_order && self.has("branch.folded"),
                "together with branch.folded, in-order",
            ),
            ("complete.results", in_order, "in an in-order core"),
            ("complete.conditions", in_order, "in an in-order core"),
            ("dispatch.latency", !in_order, "in a core that is not in-order"),
            ("memory.load_queue", !in_order, "in a core that is not in-order"),
            ("memory.bank", !in_order, "in a core that is not in-order"),
            ("memory.rename_reach", !in_order, "in a core that is not in-order"),
            (
                "memory.order_lasts",
                !in_order && self.word("memory.load_hit_store") != Some("wait"),
                "in a core that is not in-order and whose loads do not wait (memory.load_hit_store)",
            ),
            ("memory.order_lasts", !self.has("memory.order_remembers"), "without memory.order_remembers"),
            ("rename.counted_twice", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("replay.slots", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("binding.entries", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("dispatch.together", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("dispatch.queued", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("binding.apart", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            ("binding.apart", self.value("dispatch.binds") == Some(1.0), "where dispatch.binds is 1"),
            ("dispatch.one_result", binds || !one_result, "where dispatch.binds is 1 or 2"),
            ("binding.entries", binds, "where dispatch.binds is 1 or 2"),
            ("memory.waiting_loads", self.kind() == CoreKind::OutOfOrder, "in a core of kind 'out_of_order'"),
            (
                "rename.conditions",
                self.kind() == CoreKind::OutOfOrder && self.has("rename.general"),
                "together with rename.general in a core of kind 'out_of_order'",
            ),
            ("rename.shared", self.kind() == CoreKind::Grouped, "in a grouped core"),
            ("rename.general", !in_order && !shared, "in a core that is not in-order, without rename.shared"),
            ("rename.vector", !in_order && !shared, "in a core that is not in-order, without rename.shared"),
            ("memory.same_group_flush", self.kind() == CoreKind::Grouped, "in a grouped core"),
            (
                "memory.store_misses",
                !in_order && self.word("cache.l1.write") == Some("through") && self.has("cache.l2.size"),
                "where cache.l1.write is \"through\" and there is cache.l2, in a core that is not in-order",
            ),
            (
                "memory.general_completed",
                self.has("memory.forward_completed"),
                "together with memory.forward_completed",
            ),
            (
                "memory.vector_completed",
                self.has("memory.forward_completed"),
                "together with memory.forward_completed",
            ),
            (
                "memory.forward_merge",
                self.word("memory.partial_forward") == Some("doublewords"),
                "where memory.partial_forward is \"doublewords\"",
            ),
        ];
        let idle = rules.into_iter().find(|(key, acts, _)| self.has(key) && !acts);
        idle.map(|(key, _, allowed)| (key.to_owned(), "has no effect in this core".into(), allowed))
    }

    fn idle_class_number(&self) -> Option<Found> {
        self.names("class").into_iter().find_map(|class| {
            let key = |rest: &str| format!("class.{class}.{rest}");
            let parts = self.words(&key("parts"));
            let rules = [
                (
                    "serial",
                    self.words(&key("serialise")).iter().any(|word| word == "after"),
                    "where serialise has \"after\": it holds what is younger",
                ),
                ("busy", !parts.is_empty(), "where parts name a pipe to keep busy"),
                ("completes", self.kind() == CoreKind::InOrder, "in an in-order core"),
                (
                    "step",
                    parts.iter().any(|part| part.trim_start_matches("pair ").starts_with("then ")),
                    "where a part begins with 'then '",
                ),
            ];
            let idle = rules.into_iter().find(|(rest, acts, _)| self.has(&key(rest)) && !acts);
            idle.map(|(rest, _, allowed)| (key(rest), "has no effect".into(), allowed))
        })
    }

    fn idle_queue(&self) -> Option<Found> {
        let used: Vec<&str> =
            self.names("unit").iter().filter_map(|unit| self.word(&format!("unit.{unit}.queue"))).collect();
        let held = |queue: &String| self.has(&format!("queue.{queue}.held"));
        let queues = self.names("queue");
        if let Some(queue) = queues.iter().find(|queue| !used.contains(&queue.as_str())) {
            return Some((
                format!("queue.{queue}.entries"),
                "has no effect".into(),
                "a queue that a unit names",
            ));
        }
        let idle = queues.into_iter().filter(|_| self.kind() != CoreKind::OutOfOrder).find(held)?;
        Some((
            format!("queue.{idle}.held"),
            "has no effect in this core".into(),
            "in a core of kind 'out_of_order'",
        ))
    }

    /// A bypass whose domain no result has, or no source. `other` is the domain of a class that names none.
    fn idle_bypass(&self) -> Option<Found> {
        let classes = self.names("class");
        let word = |class: &str, key: &str| self.word(&format!("class.{class}.{key}"));
        let mut has = BTreeSet::from(["other"]);
        let mut reads = BTreeSet::from(["other", "address", "store_data"]);
        for class in &classes {
            has.extend([word(class, "domain"), word(class, "base_as")].into_iter().flatten());
            reads.extend(word(class, "reads_as").or_else(|| word(class, "domain")));
        }
        let domains = self.names("domain");
        for rest in ["longer", "later"] {
            has.extend(domains.iter().filter_map(|domain| self.word(&format!("domain.{domain}.{rest}"))));
        }
        if self.has("dispatch.halves") {
            reads.insert("other_half");
        }
        self.names("bypass").into_iter().find_map(|from| {
            let key = |to: &str| format!("bypass.{from}.{to}");
            let to = self.names(&format!("bypass.{from}"));
            if !has.contains(from.as_str()) {
                return Some((key(to.first()?), "has no effect".into(), "from the domain of a class's results"));
            }
            let idle = to.iter().find(|to| !reads.contains(to.as_str()))?;
            let allowed = "to address, to store_data, to other_half where dispatch.halves is, or to the domain of a class's sources";
            Some((key(idle), "has no effect".into(), allowed))
        })
    }

    /// A domain of one class's results that no bypass names, most likely misspelt. (Those of several classes tell kinds of results
    /// apart, for heirs that name them; where a bypass names `other`, a domain that none names is apart from it.)
    fn idle_domain(&self) -> Option<Found> {
        let bypasses = self.names("bypass");
        let ends = bypasses.iter().flat_map(|from| self.names(&format!("bypass.{from}")));
        let named: BTreeSet<String> = ends.chain(bypasses.iter().cloned()).collect();
        if named.contains("other") {
            return None;
        }
        let classes = self.names("class");
        let of = |class: &String, rest: &str| self.word(&format!("class.{class}.{rest}"));
        let has = |class: &String, domain: &str| {
            ["domain", "base_as", "reads_as"].map(|rest| of(class, rest)).contains(&Some(domain))
        };
        let mut own = classes.iter().flat_map(|class| [(class, "domain"), (class, "base_as")]);
        own.find_map(|(class, rest)| {
            let domain = of(class, rest).filter(|domain| *domain != "other" && !named.contains(*domain))?;
            let is_alone = !classes.iter().any(|one| one != class && has(one, domain));
            let problem = format!("names '{domain}', which has no effect");
            let allowed = "a domain that a bypass or another class names, or other";
            is_alone.then(|| (format!("class.{class}.{rest}"), problem, allowed))
        })
    }

    /// A domain for what is dispatched later, on a core that does not ask for it.
    fn idle_later(&self) -> Option<Found> {
        if self.kind() == CoreKind::OutOfOrder {
            return None;
        }
        let keys = self.names("domain").into_iter().map(|name| format!("domain.{name}.later"));
        let key = keys.into_iter().find(|key| self.has(key))?;
        Some((key, "has no effect".into(), "in a core of kind 'out_of_order'"))
    }

    /// Rename's domains that no class's results have, or that none reads its sources as, most likely misspelt.
    fn idle_counted(&self) -> Option<Found> {
        let classes = self.names("class");
        let of = |class: &str, key: &str| self.word(&format!("class.{class}.{key}"));
        let gives = |class: &String, domain: &str| of(class, "domain") == Some(domain);
        let reads = |class: &String, domain: &str| {
            of(class, "reads_as").or_else(|| of(class, "domain")) == Some(domain)
        };
        let idle = |key: &str, is_of: &dyn Fn(&String, &str) -> bool| {
            self.word(key)
                .filter(|domain| !classes.iter().any(|class| is_of(class, domain)))
                .map(str::to_owned)
        };
        let found = |key: &str, domain: String, allowed| {
            (key.to_owned(), format!("names '{domain}', which has no effect"), allowed)
        };
        let counted = "memory.rename_counted";
        let twice = "rename.counted_twice";
        idle(counted, &gives).map(|domain| found(counted, domain, "the domain of a class's results")).or_else(
            || {
                idle(twice, &reads)
                    .map(|domain| found(twice, domain, "a domain as which a class reads its sources"))
            },
        )
    }

    /// A machine that CPUID cannot give such a name.
    fn idle_machine(&self) -> Option<Found> {
        let allowed =
            "maker, family and model, as /proc/cpuinfo tells them, and flags from there: 'AuthenticAMD 25 1'";
        let is_number = |word: &str| word.parse::<u32>().is_ok_and(|number| number.to_string() == word);
        let is_flag = |word: &&str| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let is_name = |machine: &String| {
            let Some((_maker, rest)) = machine.split_at_checked(12) else { return false };
            match rest.split(' ').collect::<Vec<_>>()[..] {
                ["", family, model, ref flags @ ..] => {
                    is_number(family) && is_number(model) && flags.iter().all(is_flag)
                }
                _ => false,
            }
        };
        let wrong = self.words("machine").iter().find(|machine| !is_name(machine));
        if let Some(machine) = wrong {
            return Some(("machine".into(), format!("names '{machine}', which is no machine"), allowed));
        }
        let idle = self.has("machine") && !self.runs(arch::Arch::X86_64);
        idle.then(|| ("machine".into(), "has no effect".into(), "in a core that runs x86_64"))
    }

    /// A class that serves no instruction: it has no list, and neither its name nor another key makes it serve some. (A list that
    /// is empty is that of a class whose instructions all have others, in a cpu that is written out.)
    fn idle_class(&self) -> Option<Found> {
        const BY_NAME: [&str; 4] = ["load", "store", "branch", "default"];
        const BY_KEY: [&str; 3] = ["memory.load_op", "memory.load_op_vector", "memory.store_op"];
        self.names("class").into_iter().find_map(|class| {
            let serves = BY_NAME.contains(&class.as_str())
                || BY_KEY.iter().any(|key| self.word(key) == Some(class.as_str()))
                || self.has(&format!("class.{class}.instructions"));
            let below = format!("class.{class}.");
            let key = self.entries().map(|(key, _)| key).find(|key| key.starts_with(&below))?;
            let allowed = "in a class with instructions, or in one of load, store, branch, default";
            (!serves).then(|| (key.to_owned(), "has no effect".into(), allowed))
        })
    }

    /// Pipes without a limit, or a limit without pipes.
    fn idle_accept(&self) -> Option<Found> {
        self.names("accept").into_iter().find_map(|name| {
            let (pipes, operations) = (format!("accept.{name}.pipes"), format!("accept.{name}.operations"));
            match (self.has(&pipes), self.has(&operations)) {
                (true, false) => {
                    Some((pipes, "has no effect alone".into(), "together with accept.*.operations"))
                }
                (false, true) => {
                    Some((operations, "has no effect alone".into(), "together with accept.*.pipes"))
                }
                _ => None,
            }
        })
    }

    /// Half of a fusion. The second instruction is always named.
    fn idle_fusion(&self) -> Option<Found> {
        self.names("fusion").into_iter().find_map(|fusion| {
            let key = |rest: &str| format!("fusion.{fusion}.{rest}");
            let there = |rest: &&str| self.has(&key(rest));
            let first = ["first", "second", "pipe", "takes", "computes"].into_iter().find(there)?;
            let missing = ["first", "second"].into_iter().find(|rest| !there(rest))?;
            let allowed = if missing == "first" {
                "together with fusion.*.first"
            } else {
                "together with fusion.*.second"
            };
            Some((key(first), "has no effect alone".into(), allowed))
        })
    }

    /// A word of `class.*.group` that this core's dispatch does not look at.
    fn idle_rule(&self) -> Option<Found> {
        let (grouped, sliced) = (self.kind() == CoreKind::Grouped, self.kind() == CoreKind::Sliced);
        let thirds = self.value("dispatch.tuple").is_none_or(|places| places > 2.0);
        let rules = [
            ("alone", grouped, "in a grouped core"),
            ("end", grouped, "in a grouped core"),
            ("first", grouped || sliced, "in a grouped or sliced core"),
            ("last", grouped || sliced, "in a grouped or sliced core"),
            ("even", grouped || sliced, "in a grouped or sliced core"),
            ("both", sliced, "in a sliced core"),
            ("restricted", sliced && thirds, "in a sliced core whose tuples have a third place"),
        ];
        self.names("class").into_iter().find_map(|class| {
            let key = format!("class.{class}.group");
            let idle = |word: &String| rules.iter().find(|(rule, acts, _)| rule == word && !acts);
            let (rule, _, allowed) = *self.words(&key).iter().find_map(idle)?;
            Some((key, format!("has '{rule}', which has no effect in this core"), allowed))
        })
    }
}
