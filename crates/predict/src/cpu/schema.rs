// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which keys a cpu file may have: unit, bounds, meaning, and which core kinds cannot do without.
//!
//! The loader checks files against this table, `assay cpu` prints the meanings, and the typed description that
//! the simulator runs on is read through it, so a key exists here or nowhere. `*` stands for one name chosen by
//! the file (a unit, a queue, an instruction class).

use super::tree;

/// The four shapes of core that the simulator knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoreKind {
    /// Dispatches and completes groups of instructions in order, executes out of order (POWER7, POWER8).
    Grouped,
    /// Dispatches internal operations to slices, no groups (POWER9, POWER10).
    Sliced,
    /// Renames, executes and retires instruction by instruction (LA464, LA664, x86, Arm).
    OutOfOrder,
    /// Issues in program order (MPC8xx, e300).
    InOrder,
}

impl CoreKind {
    /// All kinds.
    pub const ALL: [CoreKind; 4] =
        [CoreKind::Grouped, CoreKind::Sliced, CoreKind::OutOfOrder, CoreKind::InOrder];

    /// The word used in cpu files.
    pub const fn name(self) -> &'static str {
        match self {
            CoreKind::Grouped => "grouped",
            CoreKind::Sliced => "sliced",
            CoreKind::OutOfOrder => "out_of_order",
            CoreKind::InOrder => "in_order",
        }
    }
}

/// Who needs a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Every cpu.
    Always,
    /// Every cpu that is not in-order.
    OutOfOrder,
    /// None: the meaning says what holds without it.
    Optional,
}

/// One key that holds a number.
pub struct NumberKey {
    /// The key, with `*` for a name chosen by the file.
    pub key: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Who needs it.
    pub need: Need,
    /// What it means.
    pub meaning: &'static str,
}

const fn key(
    key: &'static str,
    unit: &'static str,
    min: f64,
    max: f64,
    need: Need,
    meaning: &'static str,
) -> NumberKey {
    NumberKey { key, unit, min, max, need, meaning }
}

use Need::{Always, Optional, OutOfOrder};

/// Every number a cpu file may hold.
pub const NUMBERS: &[NumberKey] = &[
    key("clock.frequency", "MHz", 1.0, 10000.0, Always, "clock used to turn cycles into time"),
    key("validation.error", "percent", 0.5, 100.0, Optional, "standard deviation of ln(published / predicted) over the validation corpus, the row's family left out of the fit, less what the ranges explain (crates/predict/src/doubt.rs); written by `assay fit --write`"),
    key("validation.families", "families", 1.0, 1000.0, Optional, "families of the corpus that validation.error was found on (default 0)"),
    key("fetch.block", "bytes", 4.0, 256.0, Always, "aligned block fetched in one cycle"),
    key("fetch.width", "instructions", 1.0, 32.0, Always, "instructions fetched per cycle at most"),
    key("fetch.taken", "cycles", 1.0, 32.0, Always, "cycles from fetching a predicted-taken branch to fetching its target"),
    key("fetch.buffer", "instructions", 1.0, 1024.0, Always, "instructions that wait between fetch and dispatch"),
    key("fetch.btb", "entries", 1.0, 65536.0, Optional, "branches whose target is known early; without it there are none"),
    key("fetch.btb_taken", "cycles", 1.0, 32.0, Optional, "as fetch.taken, for a branch found in fetch.btb"),
    key("fetch.btb2", "entries", 1.0, 65536.0, Optional, "second, larger level of fetch.btb"),
    key("fetch.btb2_taken", "cycles", 1.0, 32.0, Optional, "as fetch.taken, for a branch found in fetch.btb2"),
    key("fetch.btb_ways", "ways", 1.0, 64.0, Optional, "associativity of fetch.btb (default 4, or all entries up to 32)"),
    key("fetch.btb2_ways", "ways", 1.0, 64.0, Optional, "the same of fetch.btb2"),
    key("fetch.btb_line", "bytes", 2.0, 4096.0, Optional, "branches in the same this many bytes share a set of the target buffers (default 2: none do)"),
    key("fetch.breaks", "branches", 0.0, 1.0, Optional, "with fetch.ahead: 1 if a conditional branch that is taken ends the cycle's fetch, and a direct jump does not and takes no cycle of prediction, but every second one does both; and if a taken branch, or what is fused with it, crosses a line, it takes a cycle more; 0 (default) if fetch goes on behind any"),
    key("fetch.overruled", "cycles", 1.0, 32.0, Optional, "lost where a conditional branch goes another way than a quick half of the predictor says, taken if it was in one of its last two times, and the predictor, which comes later, is right"),
    key("fetch.return_changed", "cycles", 1.0, 32.0, Optional, "as fetch.taken, for a return to another place than it went to the last two times, if that is more; one cycle less if it went there the time before last"),
    key("fetch.branch_ends", "branches", 0.0, 1.0, Optional, "without fetch.ahead: 1 if a branch is fetched with the block that its last byte is in; 0 (default) if with that of its first"),
    key("fetch.constants", "constants", 0.0, 64.0, Optional, "without fetch.ahead: constants of up to 32 bits (displacements, immediates, targets of branches; one of 64 bits counts as two) that the fetch.width instructions of a cycle may have; one instruction less makes room for two more (absent: any)"),
    key("fetch.follows", "blocks", 0.0, 1.0, Optional, "without fetch.ahead: 1 if a block comes in the same cycle as the end of the one before it, as far as fetch.width allows, if that one had started in an earlier cycle; 0 (default) if it starts in the next"),
    key("fetch.same_block_taken", "cycles", 1.0, 32.0, Optional, "as fetch.taken, when the target is in the same block"),
    key("fetch.align", "bytes", 4.0, 256.0, Optional, "a fetch behind a taken branch starts at a multiple of this, and ends at the end of the instruction cache's line at the latest (default: fetch.block)"),
    key("fetch.after_indirect", "branches", 0.0, 1.0, Optional, "1 if the taken branch behind an indirect one costs fetch.taken, wherever its target is known; 0 (default) if not"),
    key("fetch.call_taken", "cycles", 1.0, 32.0, Optional, "as fetch.taken, for calls, whatever buffer has them, if that is more"),
    key("fetch.return_taken", "cycles", 1.0, 32.0, Optional, "the same for returns"),
    key("fetch.branches", "branches", 1.0, 16.0, Optional, "branches fetched per cycle at most, taken or not (default: no limit)"),
    key("fetch.pairs", "branches", 0.0, 1.0, Optional, "with fetch.ahead: 1 if every second taken branch in a row that is found in fetch.btb takes no cycle of prediction, whatever branch it is; 0 (default) if each does"),
    key("fetch.again", "cycles", 1.0, 16.0, Optional, "with fetch.ahead: cycles more until the next fetch.width instructions of a block whose first ones came in a cycle of their own, as those of so long a block do behind a taken branch; what comes behind it starts a cycle; blocks end with their lines (absent: none, and they do not)"),
    key("fetch.entry", "instructions", 1.0, 32.0, Optional, "with fetch.again: a block starts a new entry of so many instructions, fetch.width is of whole ones (default 1)"),
    key("decoded.entries", "entries", 8.0, 65536.0, Optional, "with fetch.ahead: of a cache of decoded instructions, of which each line of code takes two; a line that is not there is decoded (absent: all are there from the first)"),
    key("decoded.ways", "entries", 3.0, 64.0, Optional, "with decoded.entries: of a set of lines (default 8)"),
    key("decoded.bytes", "bytes", 2.0, 64.0, Optional, "with decoded.entries: aligned bytes that are decoded in a cycle (default 16)"),
    key("decoded.dense", "instructions", 0.0, 64.0, Optional, "with decoded.entries: a line of which more are fetched is decoded at half that rate, and takes three entries (absent: none is)"),
    key("decoded.most", "instructions", 0.0, 64.0, Optional, "with decoded.entries: a line of which more are fetched is not kept (absent: all are)"),
    key("replay.slots", "slots", 1.0, 1024.0, Optional, "with fetch.ahead, out_of_order: a path that repeats and has so many slots at most is delivered by the queue in front of rename, dispatch.width a cycle, whatever branches are in it, until another way is taken (absent: none)"),
    key("replay.lines", "lines", 1.0, 64.0, Optional, "lines that such a path enters at most, with each taken branch one and one wherever it passes from line to line (default 1)"),
    key("replay.branches", "branches", 1.0, 64.0, Optional, "taken branches of it that are delivered in a cycle at most (default: no limit)"),
    key("replay.after", "branches", 1.0, 1024.0, Optional, "taken branches that have to repeat before it is replayed, each of which fetch.btb has to know, and none may be indirect, but returns (default 1)"),
    key("replay.decided", "cycles", 0.0, 256.0, Optional, "so many cycles behind the dispatch of the last of those branches: it is replayed from the first branch on that was not predicted until then, and if the path was left before, it is not (default 0)"),
    key("replay.exit", "cycles", 0.0, 64.0, Optional, "cycles that leaving it costs beside branch.mispredict (default 0)"),
    key("replay.rows", "rows", 1.0, 1024.0, Optional, "such a path is copied until it fills so many rows; with the last copy a cycle ends (default 1)"),
    key("replay.row", "slots", 1.0, 64.0, Optional, "slots of a row (default 1)"),
    key("replay.call_rows", "rows", 1.0, 8.0, Optional, "rows that are read a cycle, where each call begins one (default: no limit)"),
    key("fetch.ahead", "cycles", 1.0, 256.0, Optional, "cycles that branch prediction runs ahead of fetch at most: fetch goes on behind a taken branch in the same cycle if the target was predicted by then (absent: it starts anew, in aligned blocks)"),
    key("fetch.second_line", "cycles", 1.0, 8.0, Optional, "with fetch.ahead: fetch.block counts from the start of the line in which fetch starts, and a taken branch costs so much more if it ends in every second line from there on (absent: it counts from where fetch starts, and with fetch.breaks a branch costs a cycle more that a line ends in)"),
    key("branch.mispredict", "cycles", 1.0, 64.0, Always, "cycles from resolving a wrongly predicted branch to dispatching the right path"),
    key("branch.table", "entries", 1.0, 1048576.0, Optional, "two-bit counters of each direction table (default 4096)"),
    key("branch.history", "branches", 0.0, 1024.0, Optional, "longest global history used (default 12)"),
    key("branch.return_stack", "entries", 0.0, 1024.0, Optional, "return address stack (default 0: returns are indirect)"),
    key("branch.indirect", "entries", 0.0, 65536.0, Optional, "predicted targets of indirect branches, by their address: the last of each (default 0)"),
    key("branch.indirect_path", "entries", 0.0, 65536.0, Optional, "predicted targets of indirect branches, by the path of sixteen branches taken before, which come first (default 0)"),
    key("branch.fold_distance", "instructions", 0.0, 16.0, Optional, "in-order: two branches closer than this are not both folded"),
    key("branch.folded", "instructions", 0.0, 1.0, Optional, "in-order: 1 if branches are taken out of the queue without an issue slot, 0 if not"),
    key("dispatch.width", "slots", 1.0, 32.0, Always, "slots dispatched (or issued, in-order) per cycle or group"),
    key("dispatch.branches", "branches", 0.0, 8.0, Optional, "branch slots beside them; absent: branches take ordinary slots"),
    key("dispatch.taken", "branches", 1.0, 8.0, Optional, "taken branches dispatched per cycle (default: no limit)"),
    key("dispatch.three_source", "instructions", 1.0, 8.0, Optional, "instructions with three register sources in one group (default: no limit)"),
    key("dispatch.binds", "instructions", 0.0, 2.0, Optional, "1 if an instruction is bound at dispatch to one of its pipes, and waits for it (in halves to that which was bound longest ago; else of those that it can take, the ones first that the fewest waited for when the cycle before began, of equals the last, to the one as far behind as there are slots in front of its own, those among the last two left out that can take other pipes); 2 if to that which the fewest wait for, of equals that which was bound longest ago; 0 (default) if it takes the first that is free (pipes of one unit are alike)"),
    key("dispatch.load_results", "results", 0.0, 1.0, Optional, "sliced: 1 if a load of a general register takes dispatch.results of its slice, too; 0 (default) if it has a port of its own"),
    key("dispatch.datapath", "bits", 64.0, 1024.0, Optional, "width of the vector pipes: an instruction with a wider register keeps each of its pipes twice as long (default: as wide as any register)"),
    key("dispatch.one_result", "results", 0.0, 1.0, Optional, "with dispatch.binds: 1 if a pipe writes one general register a cycle, so that what takes longer keeps a cycle behind it from what takes shorter; 0 (default) if not"),
    key("dispatch.halves", "halves", 1.0, 2.0, Optional, "grouped: 2 if the core has two halves, each with half of the entries of the issue queues and one pipe of each unit of two; instructions of one kind are sent to them in turn at dispatch (default 1). What a result takes longer to the other half is bypass.DOMAIN.other_half"),
    key("dispatch.slices", "slices", 2.0, 4.0, Optional, "sliced: execution slices, two to a superslice; each has one pipe of a unit with as many pipes, and each superslice one of a unit with half as many (absent: none)"),
    key("dispatch.tuple", "slots", 1.0, 8.0, Optional, "sliced: operations that go to one superslice in a cycle at most (default: dispatch.width); tuples go to the superslices in turn, and no third to a tuple that holds a restricted operation"),
    key("dispatch.latency", "cycles", 0.0, 32.0, OutOfOrder, "cycles from dispatch to the earliest issue"),
    key("complete.width", "units", 1.0, 32.0, Always, "groups (grouped) or instructions completed per cycle"),
    key("complete.latency", "cycles", 0.0, 32.0, Optional, "cycles from the last result to completion (default 1)"),
    key("complete.results", "results", 1.0, 8.0, Optional, "in order: values and updated base registers that the instructions completed in a cycle write at most (default: no limit)"),
    key("complete.conditions", "instructions", 1.0, 8.0, Optional, "in order: instructions that write conditions completed in a cycle at most (default: no limit)"),
    key("window.entries", "units", 1.0, 2048.0, Always, "groups (grouped) or instructions between dispatch and completion"),
    key("rename.general", "registers", 1.0, 1024.0, Optional, "general registers beyond the architected ones (default: no limit); in a core of kind out_of_order what takes no pipe takes none, and what was loaded or copied and is fused with its computation takes one with that"),
    key("rename.vector", "registers", 1.0, 1024.0, Optional, "vector and float registers beyond the architected ones (default: no limit)"),
    key("rename.conditions", "registers", 0.0, 1.0, Optional, "out_of_order: 1 if what writes conditions and no register takes a general one for them; 0 (default) if not"),
    key("rename.shared", "registers", 1.0, 1024.0, Optional, "both together, of one pool that they share (default: each has its own)"),
    key("queue.*.entries", "entries", 1.0, 1024.0, Optional, "instructions that wait for issue in this queue"),
    key("queue.*.held", "cycles", 0.0, 64.0, Optional, "out_of_order: cycles from issue until the entry is free (default 0)"),
    key("queue.*.copies", "queues", 1.0, 4.0, Optional, "sliced: such queues, one to a slice (default 1)"),
    key("binding.entries", "entries", 1.0, 1024.0, Optional, "with dispatch.binds, out_of_order: operations bound to one pipe that wait for it; in a cycle that begins with as many for any of them nothing that is bound is dispatched, nor what follows it; what one cycle dispatches goes to a pipe to which nothing was bound in it, if there is one (default: no limit, and any pipe)"),
    key("binding.apart", "operations", 1.0, 1024.0, Optional, "with dispatch.binds = 1, out_of_order: nothing is bound to a pipe for which so many more wait than for the emptiest that it can take (default: no limit)"),
    key("binding.held", "cycles", 0.0, 64.0, Optional, "with binding.entries: cycles from issue until the entry is free (default 0)"),
    key("accept.*.operations", "instructions", 1.0, 32.0, Optional, "so many are dispatched in a cycle, of instructions with an operation that can take no other pipes than accept.*.pipes (absent: no limit)"),
    key("schedulers.entries", "entries", 1.0, 1024.0, Optional, "with schedulers.pipes: operations that each of the two holds (default: no limit)"),
    key("schedulers.enter", "instructions", 1.0, 32.0, Optional, "with schedulers.pipes: operations that enter in a cycle where they had to wait for room (default: no limit)"),
    key("schedulers.apart", "instructions", 1.0, 1024.0, Optional, "with schedulers.pipes: that many more waiting for the fuller pipe of one than for that of the other, and an operation goes to the other (default: never)"),
    key("schedulers.by_pipes", "schedulers", 0.0, 1.0, Optional, "with schedulers.pipes: 1 if an operation that had to wait for room goes to the scheduler in which fewer wait for the pipes that it can take, of equals to the one that holds less; 0 (default) if to the latter"),
    key("schedulers.slots", "slots", 1.0, 8.0, Optional, "with schedulers.pipes: slots behind each other that go to one scheduler (default 1)"),
    key("schedulers.pipes_apart", "instructions", 1.0, 1024.0, Optional, "with schedulers.pipes: that many more waiting for one pipe of a scheduler than for the other, and an operation of both goes to the other (default: never)"),
    key("unit.*.pipes", "pipes", 1.0, 16.0, Optional, "identical pipes of this execution unit"),
    key("unit.*.half", "half", 0.0, 1.0, Optional, "with two dispatch.halves: the one that a unit of one pipe belongs to (absent: both reach it); of two pipes each half has one"),
    key("bypass.*.*", "cycles", 0.0, 32.0, Optional, "cycles added when a result of the first domain feeds the second"),
    key("memory.load_queue", "entries", 1.0, 1024.0, OutOfOrder, "loads between dispatch and completion"),
    key("memory.waiting_loads", "entries", 1.0, 1024.0, Optional, "out_of_order: loads between dispatch and issue (default: no limit but memory.load_queue)"),
    key("memory.waiting_held", "cycles", 0.0, 64.0, Optional, "with memory.waiting_loads: cycles from issue until the entry is free (default 0)"),
    key("memory.store_queue", "entries", 1.0, 1024.0, Always, "stores between dispatch and their write to the cache"),
    key("memory.miss_queue", "entries", 1.0, 1024.0, Always, "first-level misses outstanding"),
    key("memory.store_misses", "lines", 1.0, 1024.0, Optional, "with cache.l1.write = through: lines that completed stores wait for at once because the second level does not hold them; each takes its turn on the path from where it is, unless one store (dcbz) writes all of it (absent: stores wait for no line)"),
    key("memory.forward", "cycles", 0.0, 64.0, OutOfOrder, "load-to-use latency when an older store supplies all bytes; counted from the store's data at the earliest"),
    key("memory.forward_renamed", "cycles", 0.0, 64.0, Optional, "the same when base register, displacement and size agree and the store is predicted (memory renaming)"),
    key("memory.forward_data", "cycles", 0.0, 64.0, Optional, "cycles from the issue of the store's data to a forwarded value at the least (default: as memory.forward)"),
    key("memory.forward_completed", "cycles", 0.0, 64.0, Optional, "cycles from the store's completion to a forwarded value at the least (absent: the store need not have completed)"),
    key("memory.vector_completed", "cycles", 0.0, 64.0, Optional, "as memory.forward_completed, for loads into vector registers (default: the same)"),
    key("memory.general_completed", "loads", 0.0, 1.0, Optional, "0 if what goes from a general register to a general register does not wait for the completion; 1 (default) if all does"),
    key("memory.forward_merge", "cycles", 0.0, 64.0, Optional, "added when an aligned doubleword comes from a store in part and from the cache in part (default 0)"),
    key("memory.split_slots", "slots", 0.0, 4.0, Optional, "slots more of what is split at dispatch, all in general registers: what computes with what it loads and stores the result, and what computes with a loaded value or stores by an address of two registers (default 0)"),
    key("memory.rename_least", "bytes", 1.0, 8.0, Optional, "smallest load that is renamed so (default 1)"),
    key("memory.rename_least_computing", "bytes", 1.0, 8.0, Optional, "the same of an instruction that computes with what it loads (default: memory.rename_least)"),
    key("memory.rename_interval", "cycles", 0.0, 16.0, Optional, "cycles from one load that is renamed so to the next (default 0: no limit)"),
    key("memory.rename_reach", "stores", 1.0, 32.0, Optional, "a load is renamed so to one of that many newest stores only (absent: to any in flight)"),
    key("memory.rename_learns", "executions", 1.0, 4096.0, Optional, "a load is renamed so to a store by other registers or another displacement only when so many more executions of it than memory.rename_unlearns would take back could have been; by the stack pointer any displacement is the same (default 0: at once)"),
    key("memory.rename_unlearns", "executions", 1.0, 4096.0, Optional, "with memory.rename_learns: what an execution takes back that finds the newest store of that instruction elsewhere (default 1)"),
    key("memory.rename_flush", "cycles", 0.0, 128.0, Optional, "with memory.rename_learns: cycles until the front end goes on where such a load had been renamed, counted from its address (default 0)"),
    key("memory.forward_vector", "cycles", 0.0, 64.0, Optional, "as memory.forward, for loads into vector registers (default: the same)"),
    key("memory.forward_partial", "cycles", 0.0, 64.0, Optional, "as memory.forward, for a load that one older store supplies in part and the cache for the rest (absent: such loads do what memory.partial_forward says)"),
    key("memory.indexed", "cycles", 0.0, 16.0, Optional, "cycles more of a load whose address is of two registers (default 0)"),
    key("memory.forward_partial_soon", "cycles", 0.0, 64.0, Optional, "as memory.forward_partial, if the store's data were known a cycle after the value of the same instruction's load before (default: the same)"),
    key("memory.forward_counted", "cycles", 0.0, 64.0, Optional, "with memory.rename_counted: until the store has the data if rename has added a constant to them and the load is not renamed (default 0)"),
    key("memory.store_completes", "cycles", 1.0, 16.0, Optional, "from the address and data of a store until it may complete (default 1)"),
    key("memory.forward_retry", "cycles", 0.0, 64.0, Optional, "after which a load tries again that found its store without data, when it tried first or when the same instruction's load before got a value other than these data (absent: it has them when they are there)"),
    key("memory.forward_failed", "cycles", 0.0, 128.0, Optional, "cycles lost beyond waiting for the drain when an older store supplies only some of the bytes"),
    key("memory.reject_retry", "cycles", 1.0, 64.0, Optional, "interval at which a rejected load tries again (default 1)"),
    key("memory.drain", "cycles", 0.0, 128.0, Always, "cycles from a store's completion to its bytes being in the cache and its queue entry free"),
    key("memory.drain_interval", "cycles", 1.0, 64.0, Optional, "cycles between two stores entering the cache (default 1)"),
    key("memory.drain_apart", "lines", 0.0, 1.0, Optional, "1 if the two of memory.drain_pair may be of different lines; 0 (default) if not"),
    key("memory.drain_run", "stores", 0.0, 1.0, Optional, "with memory.drain_pair: 1 if not only two, but all enter together that follow each other there and have completed, halves of those across memory.cross_store among them; 0 (default) if two"),
    key("memory.drain_pair", "bytes", 0.0, 64.0, Optional, "two stores that follow each other in one line enter the cache together if neither is of more bytes (default 0: none do)"),
    key("memory.order_flush", "cycles", 0.0, 128.0, Optional, "cycles lost when a load ran before an older store to its bytes"),
    key("memory.order_wait", "cycles", 0.0, 16.0, Optional, "from the address of an older store until a load that waited for it is issued (default 0)"),
    key("memory.order_early", "cycles", 0.0, 16.0, Optional, "from the address of an older store until a load that is issued no longer ran too early, unless its register is renamed to what is stored (default 0)"),
    key("memory.order_unit", "bytes", 1.0, 8.0, Optional, "aligned bytes, a power of two, to others of which a load ran before a store in flight as if they were its own (default 1)"),
    key("memory.alias_bits", "bits", 8.0, 64.0, Optional, "low address bits compared to find that (default 64)"),
    key("memory.string_bytes", "bytes", 1.0, 64.0, Optional, "bytes that a repeated string instruction of x86 (rep movs, rep stos) moves at once, aligned to as many (absent: one element)"),
    key("memory.same_group_flush", "cycles", 0.0, 128.0, Optional, "grouped: cycles to fetch a load again that hit a store of its own group and may not forward"),
    key("memory.order_remembers", "executions", 0.0, 4096.0, Optional, "executions for which a load that was ready before the address of an older store to its bytes waits for the addresses that memory.order_waits says (default 0: it waits for stores to its bytes alone)"),
    key("memory.order_lasts", "cycles", 0.0, 4096.0, Optional, "cycles for which a load that ran too early waits, instead of executions, for the addresses of all older stores (default 0)"),
    key("memory.cross", "bytes", 4.0, 65536.0, Optional, "an access that crosses a multiple of this costs memory.cross_cost more"),
    key("memory.cross_cost", "cycles", 0.0, 256.0, Optional, "see memory.cross"),
    key("memory.fill_loads", "accesses", 0.0, 8.0, Optional, "accesses for which the filling of a line of the first level takes the pipes of the load that misses it, or is the first to use it behind a prefetch (default 0)"),
    key("memory.late_loads", "accesses", 0.0, 8.0, Optional, "accesses more that a load takes its pipes for which finds its line missing from the first level or on its way there (default 0)"),
    key("memory.bank", "bytes", 4.0, 64.0, Optional, "of a bank of the first level, a power of two, to which others are rounded down: what is at the same offset of its line is in the same, and a line has sixteen at most (absent: any loads are answered together)"),
    key("memory.bank_loads", "loads", 1.0, 8.0, Optional, "loads that a bank answers in a cycle (default 1); another has its value that much later, but keeps its pipe from nobody"),
    key("memory.cross_loads", "accesses", 1.0, 16.0, Optional, "accesses that a load across memory.cross takes the pipes of (default 1)"),
    key("memory.cross_drain", "cycles", 1.0, 64.0, Optional, "as memory.drain_interval, for a store across memory.cross (default: the same)"),
    key("memory.cross_forward", "cycles", 0.0, 256.0, Optional, "as memory.cross_cost, for a load that a store supplies (default: the same)"),
    key("memory.cross_store", "bytes", 4.0, 65536.0, Optional, "memory.cross for memory.cross_drain, and the bytes within which memory.drain_pair holds (default: memory.cross, and the line)"),
    key("memory.read_modify.unit", "bytes", 2.0, 8.0, Optional, "a store that is not of whole aligned units of so many bytes is a read-modify-write of the cache (absent: none is)"),
    key("memory.read_modify.busy", "cycles", 1.0, 8.0, Optional, "cycles from such a store until its doublewords can be written again without a retry; stores to one line, or within memory.cross_store, that follow each other are written together"),
    key("memory.read_modify.retry", "cycles", 0.0, 16.0, Optional, "cycles that a store waits which comes sooner"),
    key("memory.read_modify.failed", "cycles", 0.0, 64.0, Optional, "added to memory.forward_failed where the older store is such a one (default 0)"),
    key("memory.cross2", "bytes", 4.0, 65536.0, Optional, "second boundary, its cost is added"),
    key("memory.cross2_cost", "cycles", 0.0, 256.0, Optional, "see memory.cross2"),
    key("cache.instruction.size", "KiB", 1.0, 1048576.0, Always, "first-level instruction cache"),
    key("cache.instruction.ways", "ways", 1.0, 64.0, Always, "its associativity"),
    key("cache.instruction.line", "bytes", 16.0, 512.0, Always, "its line"),
    key("cache.l1.size", "KiB", 1.0, 1048576.0, Always, "first-level data cache"),
    key("cache.l1.ways", "ways", 1.0, 64.0, Always, "its associativity"),
    key("cache.l1.line", "bytes", 16.0, 512.0, Always, "its line"),
    key("cache.l1.latency", "cycles", 1.0, 64.0, Always, "load-to-use latency of a general-register load that hits it"),
    key("cache.l2.size", "KiB", 1.0, 1048576.0, Optional, "second-level cache; absent: none"),
    key("cache.l2.ways", "ways", 1.0, 64.0, Optional, "its associativity"),
    key("cache.l2.latency", "cycles", 1.0, 1000.0, Optional, "load-to-use latency on a hit"),
    key("cache.l2.interval", "cycles", 0.0, 256.0, Optional, "cycles a line transfer keeps the path from it busy (default 0)"),
    key("cache.l2.write_back", "cycles", 0.0, 64.0, Optional, "with cache.l1.write = back: cycles that a line which was written keeps the path from the second level busy when another pushes it out of the first (default 0)"),
    key("cache.l3.size", "KiB", 1.0, 1048576.0, Optional, "third-level cache; absent: none"),
    key("cache.l3.ways", "ways", 1.0, 64.0, Optional, "its associativity"),
    key("cache.l3.latency", "cycles", 1.0, 1000.0, Optional, "load-to-use latency on a hit"),
    key("cache.l3.interval", "cycles", 0.0, 256.0, Optional, "as cache.l2.interval"),
    key("cache.memory.latency", "cycles", 1.0, 10000.0, Always, "load-to-use latency from memory"),
    key("cache.memory.interval", "cycles", 0.0, 1000.0, Optional, "as cache.l2.interval"),
    key("prefetch.streams", "streams", 0.0, 64.0, Optional, "data prefetch streams followed at once (default 0: no prefetch)"),
    key("prefetch.distance", "lines", 1.0, 64.0, Optional, "lines a trained stream runs ahead (default 4)"),
    key("prefetch.near", "lines", 1.0, 64.0, Optional, "lines it runs ahead of what the second level has (default: prefetch.distance)"),
    key("prefetch.latency", "cycles", 0.0, 64.0, Optional, "from the use of a line until what it makes the stream want is asked for (default 0)"),
    key("prefetch.instruction", "lines", 0.0, 64.0, Optional, "lines fetched after a missing instruction line (default 0)"),
    key("class.*.slots", "slots", 0.0, 32.0, Optional, "dispatch slots taken (default 1)"),
    key("class.*.latency.value", "cycles", 0.0, 1000.0, Optional, "cycles until the value can be used (default 1; for a load: when it hits the first level)"),
    key("class.*.latency.carry", "cycles", 0.0, 1000.0, Optional, "the same for carry and overflow (default: as value)"),
    key("class.*.latency.condition", "cycles", 0.0, 1000.0, Optional, "the same for condition fields and flags (default: as value)"),
    key("class.*.latency.base", "cycles", 0.0, 1000.0, Optional, "the same for an updated base register (default 1)"),
    key("class.*.latency.link", "cycles", 0.0, 1000.0, Optional, "the same for link and count registers (default: as value)"),
    key("class.*.latency.upper", "cycles", 0.0, 1000.0, Optional, "the same for a product's upper half and a remainder, in a register of their own (default: as value)"),
    key("class.*.busy", "cycles", 1.0, 1000.0, Optional, "cycles its last pipe stays occupied (default 1)"),
    key("class.*.step", "cycles", 0.0, 100.0, Optional, "cycles between the parts of a cracked instruction marked `then` (default 1)"),
    key("class.*.per_word", "cycles", 0.0, 32.0, Optional, "cycles of occupancy added per four bytes moved (lmw, stmw; default 0)"),
    key("class.*.serial", "cycles", 0.0, 1000.0, Optional, "cycles that a serialising instruction holds everything younger after it has run (default 0)"),
];

/// Keys whose value has to be a power of two.
pub(crate) const POWERS_OF_TWO: &[&str] = &["cache.l1.line", "cache.instruction.line", "fetch.btb_line"];

/// Two keys of one number: what a load takes that hits the first level. What a miss or a forwarded load takes is told from the
/// load's issue on and kept as what it takes beyond that, so with one key moved alone a slower cache would make both faster.
const TWINS: [&str; 2] = ["cache.l1.latency", "class.load.latency.value"];

/// The other key of the same number.
pub(crate) fn twin(key: &str) -> Option<&'static str> {
    let [first, second] = TWINS;
    match key {
        _ if key == first => Some(second),
        _ if key == second => Some(first),
        _ => None,
    }
}

/// One key that holds a word or a list of words.
pub struct WordKey {
    /// The key.
    pub key: &'static str,
    /// The words allowed; empty: any.
    pub allowed: &'static [&'static str],
    /// Whether it is a list.
    pub list: bool,
    /// Whether every cpu needs it.
    pub needed: bool,
    /// What it means.
    pub meaning: &'static str,
}

const fn word(
    key: &'static str,
    allowed: &'static [&'static str],
    list: bool,
    needed: bool,
    meaning: &'static str,
) -> WordKey {
    WordKey { key, allowed, list, needed, meaning }
}

/// Every word a cpu file may hold.
pub const WORDS: &[WordKey] = &[
    word("title", &[], false, true, "the name people know it by"),
    word("kind", &["grouped", "sliced", "out_of_order", "in_order"], false, true, "shape of the core"),
    word("arch", &[], true, true, "architectures whose programs it runs"),
    word("implements", &[], true, false, "claims of variants (`assay-requires`) that it fulfils, besides its architecture's baseline"),
    word("lacks", &[], true, false, "mnemonics of its architecture that the core does not have, a trailing * stands for any ending: a program that executes one cannot be predicted for it"),
    word("isa", &["2.06", "2.07", "3.0", "3.1"], false, false, "version of the Power ISA that the core implements: it lacks what is younger"),
    word("machine", &[], true, false, "machines that have this core, as CPUID names them (`AuthenticAMD 25 1`: maker, family, model, and flags of /proc/cpuinfo that another core of this number lacks): `validate --native` tries it there"),
    word("validation.draws", &[], true, false, "those of the 512 cores drawn from the ranges that agree with the published figures, by number; written by `assay fit` (crates/predict/src/draws.rs)"),
    word("llvm", &[], false, false, "LLVM's name of a cpu whose scheduling model serves for instructions in no class"),
    word("branch.predictor", &["static", "tournament", "tage"], false, true, "how directions are predicted"),
    word("dispatch.results", &[], false, false, "sliced: unit that takes the results computed in a slice, one a cycle, when they are there (absent: any number); in halves: those of a half, from dispatch.results_from"),
    word("dispatch.results_from", &[], false, false, "in halves: unit whose pipes hand their results to those of dispatch.results"),
    word("dispatch.lanes", &[], true, false, "out_of_order: sets of pipes, each `FX|FY`; an operation that could take any pipe of them goes to one set by its dispatch slot, to the first by the first slot of a cycle and on in turn, and takes a pipe of that set (absent: any pipe)"),
    word("binding.address", &[], false, false, "with binding.entries: pipes (`A0|A1|A2`) for one of which a load or store takes an entry until its address has issued, unless it has an operation that is bound, which is bound to one of these if it can and the instruction takes one slot (absent: loads and stores take none)"),
    word("accept.*.pipes", &[], false, false, "out_of_order: pipes that a cycle's instructions are limited for (`A1|A2`); see accept.*.operations"),
    word("schedulers.pipes", &[], true, false, "out_of_order: two schedulers, each of two pipes (`F0|F2`); an operation of them goes to the first if its instruction begins with the first, third, fifth slot of its cycle, else to the second, or if both were full to the one that holds less; if it could take both pipes of its scheduler, it waits for these in turn (absent: none)"),
    word("memory.load_hit_store", &["flush", "wait"], false, false, "what happens to a load ready before an older store's address: it runs and is flushed, or waits"),
    word("memory.order_waits", &["newest", "older"], false, false, "with memory.order_remembers: the load waits for the address of that store instruction's newest store, wherever it goes, and ran too early but once (default), or for those of all older stores, as do those that are dispatched before the last that waits has run, and too early again when it does not wait"),
    word("memory.partial_forward", &["drain", "merge", "doublewords", "begins"], false, false, "a load that an older store covers in part waits for the drain, or has the bytes merged, or has them merged if no aligned doubleword of it needs two stores, or, as memory.forward_partial says, if it begins where that store does, and else waits"),
    word("memory.renames", &["base", "any", "split"], false, false, "which accesses memory.forward_renamed is about: by one base register (default), of any form, or of any form, but what computes with the value has to store as well or to be of two slots"),
    word("memory.rename_counted", &[], false, false, "with memory.forward_renamed: domain of results that rename has computed: a load of less than 8 bytes, or of what a store of less than 8 bytes stored of them, is not renamed (absent: as others)"),
    word("dispatch.together", &[], false, false, "out_of_order: the queue that has room for dispatch.width more before the instructions of a cycle are dispatched, all together (absent: each is when its own queue has room for it)"),
    word("dispatch.queued", &["instructions", "operations"], false, false, "out_of_order: what holds an entry of an issue queue: each instruction, in the queue of its first pipe until its last operation is issued (instructions, the default), or each operation, in that of its own pipe until it is issued, and one that stores until its address is, too (operations)"),
    word("rename.counted_twice", &[], false, false, "with memory.rename_counted: domain as which instructions read their sources that take a pipe for another cycle if a source is of those results (absent: none)"),
    word("memory.indexed_by", &["register", "scale", "term"], false, false, "what memory.indexed is for: an address of two registers (default), an index that is scaled, or an index that is scaled or has a displacement beside it"),
    word("memory.load_op", &[], false, false, "class whose parts come before those of an instruction of another class that reads memory"),
    word("memory.load_op_vector", &[], false, false, "the same of an instruction that writes a vector register, which waits for what it loads as long as that class's value takes (default: memory.load_op)"),
    word("memory.store_op", &[], false, false, "class whose parts come after those of an instruction of another class that writes memory"),
    word("cache.l1.write", &["back", "through"], false, false, "a store miss brings the line in (back, the default), or goes through, see memory.store_misses"),
    word("fusion.*.first", &[], true, false, "mnemonics that the core fuses with an instruction of the second list which follows at once: one slot and one pipe (`*`: any that is no branch)"),
    word("fusion.*.pipe", &["first", "second"], false, false, "whose pipes the fused operation takes (default: the second one's)"),
    word("fusion.*.takes", &[], false, false, "in place of fusion.*.pipe: the first takes one of these pipes (`A0|A3`), and the second what it takes besides its first one"),
    word("fusion.*.second", &[], true, false, "see fusion.*.first; conditional branches and no-operations, or with fusion.*.computes others"),
    word("fusion.*.computes", &["copied", "loaded"], false, false, "only if the second computes, in registers and in at least 32 bits, with what the first copied from another register, or loaded by a register and a constant, and writes it to the same register (a loaded one with another register); each takes the pipes that it takes by itself, the second at least one"),
    word("unit.*.queue", &[], false, false, "queue that feeds the unit"),
    word("unit.*.resource", &[], false, false, "the processor resource of LLVM's model that the unit is: instructions in no class take its pipes as LLVM says (absent: they take none of it)"),
    word("class.*.instructions", &[], true, false, "mnemonics, a trailing * stands for any ending; exact names win, then longer patterns"),
    word("class.*.parts", &[], true, false, "pipes it needs: `FX`, `LS|LU` for either, `address LS` waits for the address only, `data LU` for the stored value only, `then FX` comes after the part before it; `pair ALU+PM` takes all pipes of these units that a superslice has"),
    word("class.*.group", &["first", "last", "alone", "end", "even", "restricted", "both"], true, false, "dispatch rules. Grouped: first or last of its group, alone in it, ends it (`end`) if it is a branch; even: pairs start at an even slot. Sliced: first or last of its cycle; even; restricted: no third operation in its tuple; both: takes the slots of both slices"),
    word("class.*.serialise", &["before", "after"], true, false, "waits for everything older; holds back everything younger"),
    word("class.*.completes", &["first", "any"], false, false, "in order: whether it completes only as the first of its cycle (default any)"),
    word("class.*.domain", &[], false, false, "bypass domain of its results (default: `other`)"),
    word("domain.*.longer", &[], false, false, "bypass domain of the results of this one, but for conditions, that take more than one cycle (default: the same)"),
    word("domain.*.later", &[], false, false, "out_of_order: bypass domain of the results of this one to what is dispatched in a later cycle than they were (default: the same)"),
    word("class.*.base_as", &[], false, false, "bypass domain of the base register that it updates, the stack pointer of a push (default: as its domain)"),
    word("class.*.reads_as", &[], false, false, "bypass domain as which it reads its sources (default: as its domain)"),
    word("class.*.ignores", &["flags", "registers"], false, false, "sources that the core knows not to need: carry and condition, or all others (default: none)"),
    word("class.*.forward", &["yes", "no"], false, false, "whether such a load can take its bytes from the store queue (default yes)"),
];

/// The number key that `key` fits.
pub fn number_key(key: &str) -> Option<&'static NumberKey> {
    tree::at(key)?.number
}

/// The word key that `key` fits.
pub fn word_key(key: &str) -> Option<&'static WordKey> {
    tree::at(key)?.word
}
