// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The simulator: one module per shape of core over shared parts.
//!
//! There is no loop over cycles. Each instruction, in program order, gets the cycle of its fetch, dispatch, issue, result
//! and completion from the times of those before it; every structure of limited size is a record of when its entries
//! become free. That is exact for in-order structures and equals oldest-first scheduling for the pipes, and it costs
//! tens of nanoseconds an instruction instead of a pass over the whole machine each cycle.
//!
//! `execute`, with `window` and `memory`, is the engine of the out-of-order shapes; `grouped`, `sliced` and
//! `out_of_order` give it their dispatch rules. `in_order` is an engine of its own. `shape` drives both.

mod banks;
mod binding;
pub(crate) mod branch;
mod cache;
pub use cache::Cache;
mod claims;
pub(crate) mod decoded;
mod drains;
mod execute;
mod front_end;
mod grouped;
mod halves;
mod hierarchy;
mod hint;
mod in_order;
mod memory;
mod order;
mod out_of_order;
pub(crate) mod planted;
mod queues;
mod renaming;
mod replay;
mod schedulers;
mod shape;
mod sliced;
mod store_queue;
mod streams;
mod table;
mod units;
mod values;
mod window;

use crate::cause::Cause;
use crate::cpu::schema::CoreKind;
use crate::description::Description;
use crate::moment::Moment;
use crate::plan::{BlockPlan, Plan};
use crate::relax::Relax;
use crate::skipped::Skipped;
use crate::source::Access;

/// What a core counted; all counts are of the simulated (and skipped-over) execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions executed.
    pub instructions: u64,
    /// Branches of all kinds.
    pub branches: u64,
    /// Branches taken.
    pub branches_taken: u64,
    /// Branches predicted wrongly.
    pub branch_misses: u64,
    /// Instructions that load.
    pub loads: u64,
    /// Instructions that store.
    pub stores: u64,
    /// Data accesses that missed the first level.
    pub l1_misses: u64,
    /// Of those, that missed the second.
    pub l2_misses: u64,
    /// Of those, that came from memory.
    pub memory_accesses: u64,
    /// Instruction lines that missed.
    pub instruction_misses: u64,
    /// Loads served by the store queue.
    pub forwards: u64,
    /// Loads that met a store that could not serve them.
    pub forward_failures: u64,
    /// Loads flushed because they ran too early.
    pub order_flushes: u64,
    /// Dispatch groups (grouped cores).
    pub groups: u64,
    /// Executions of instructions in no class of the cpu file.
    pub fallbacks: u64,
    /// Cycles that dispatch stood still, by `Cause`.
    pub stalls: [u64; Cause::COUNT],
}

impl Counters {
    fn fields(&mut self) -> [&mut u64; 15] {
        [
            &mut self.instructions,
            &mut self.branches,
            &mut self.branches_taken,
            &mut self.branch_misses,
            &mut self.loads,
            &mut self.stores,
            &mut self.l1_misses,
            &mut self.l2_misses,
            &mut self.memory_accesses,
            &mut self.instruction_misses,
            &mut self.forwards,
            &mut self.forward_failures,
            &mut self.order_flushes,
            &mut self.groups,
            &mut self.fallbacks,
        ]
    }

    /// The cause of most of the cycles that dispatch stood still since `before`, and how many those are.
    #[cold]
    pub(crate) fn stalled_since(&self, before: &[u64; Cause::COUNT]) -> (u64, Cause) {
        let since =
            Cause::ALL.into_iter().map(|cause| (self.stalls[cause as usize] - before[cause as usize], cause));
        since.max_by_key(|&(cycles, _)| cycles).unwrap_or((0, Cause::Dependency))
    }

    /// Adds what every execution of a block adds.
    #[inline]
    pub(crate) fn add_block(&mut self, block: &BlockPlan) {
        self.instructions += u64::from(block.count);
        self.loads += u64::from(block.loads);
        self.stores += u64::from(block.stores);
        self.branches += u64::from(block.branches);
        self.fallbacks += u64::from(block.fallbacks);
    }

    /// Adds what is counted in windows that are skipped and like those since `before`.
    pub(crate) fn repeat_since(&mut self, before: &Counters, skipped: Skipped) {
        let mut before = before.clone();
        for (now, before) in self.fields().into_iter().zip(before.fields()) {
            *now += skipped.of(*now - *before);
        }
        for (now, before) in self.stalls.iter_mut().zip(before.stalls) {
            *now += skipped.of(*now - before);
        }
    }
}

/// The life of one executed instruction, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Index of the static instruction in the plan.
    pub op: u32,
    /// Fetched.
    pub fetch: u64,
    /// Dispatched (issued to the window).
    pub dispatch: u64,
    /// The first cycle in which it could have issued with all sources there; until then it is on its way to the queues.
    pub start: u64,
    /// Sources ready.
    pub ready: u64,
    /// Its last part went to a pipe.
    pub issue: u64,
    /// Result there.
    pub finish: u64,
    /// Completed in program order; `u64::MAX` while its group is open.
    pub complete: u64,
    /// It opened a dispatch group.
    pub opens_group: bool,
    /// What it waited for most, before it was dispatched or after.
    pub cause: Cause,
    /// The pipes that it took, a bit for each.
    pub pipes: u32,
    /// Of these the ones that it kept for longer than a cycle, and for how long.
    pub kept: (u32, u16),
    /// The store in flight whose bytes it had to wait for, by number; 0: none.
    pub loaded_from: u64,
    /// The last of its own stores, by number, which rises; 0: none.
    pub stored: u64,
}

/// Who gets a record of each instruction's life. The engines are compiled once with and once without records: without, there
/// is no cost, and both take the same paths, so that what is recorded is what is predicted.
pub(crate) trait Record {
    /// Whether anybody listens.
    const ON: bool;
    /// An instruction, the next in program order.
    fn push(&mut self, event: Event);
    /// Those told so far.
    fn told(&mut self) -> &mut [Event];
}

/// Nobody listens.
pub(crate) struct Nobody;

impl Record for Nobody {
    const ON: bool = false;

    #[inline(always)]
    fn push(&mut self, _event: Event) {}

    fn told(&mut self) -> &mut [Event] {
        &mut []
    }
}

impl Record for Vec<Event> {
    const ON: bool = true;

    fn push(&mut self, event: Event) {
        Vec::push(self, event);
    }

    fn told(&mut self) -> &mut [Event] {
        self
    }
}

/// Work left over at some time. Where it changes from turn to turn of a loop, the loop's pace lasts only until a queue is full
/// or empty.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Backlog {
    /// Cycles that stores and lines in flight need once everything has completed.
    pub(crate) memory: u64,
    /// Cycles of each pipe that are reserved behind the last dispatch.
    pub(crate) pipes: [u16; 32],
}

/// A core that executes blocks of a plan.
pub(crate) trait Core: Send {
    /// Executes a block; `next` is the address executed after it. Events go to `events` if it is there.
    fn block(
        &mut self,
        plan: &Plan,
        block: usize,
        accesses: &[Access],
        next: u64,
        events: Option<&mut Vec<Event>>,
    );
    /// The cycle up to which everything executed has completed.
    fn now(&self) -> u64;
    /// What is left to do of everything executed.
    fn backlog(&mut self) -> Backlog;
    /// What was counted.
    fn counters(&mut self) -> &mut Counters;
    /// Of that the instructions, which are asked for after each block.
    fn executed(&self) -> u64;
    /// Whether an access to that byte would not be counted as a miss.
    fn holds(&mut self, address: u64, store: bool) -> bool;
    /// Whether a prefetch has brought the line of that byte and it has not been used yet.
    fn is_prefetched(&mut self, address: u64) -> bool;
    /// Brings the line of a skipped access into the caches.
    fn touch(&mut self, address: u64, store: bool);
    /// These registers, by number, get values that have been there from the first.
    fn forget(&mut self, registers: &[u8]);
    /// Passages of the mark since the last call, oldest first, in the cycles in which all before it has completed, as entries of
    /// regions are. (Dispatch is ahead of that by a miss that it need not wait for, and by more from call to call until the
    /// window or a queue is full.)
    fn marks(&mut self) -> &mut Vec<Moment>;
    /// Instructions in flight at most.
    fn in_flight(&self) -> u64;
    /// Bytes of a data cache line.
    fn line_bytes(&mut self) -> u64;
}

/// Builds the core of a description.
pub(crate) fn build(description: &Description, relax: Relax) -> Box<dyn Core> {
    match description.kind {
        CoreKind::Grouped => Box::new(execute::Engine::<grouped::Groups>::new(description, relax)),
        CoreKind::Sliced => Box::new(execute::Engine::<sliced::Slices>::new(description, relax)),
        CoreKind::OutOfOrder => Box::new(execute::Engine::<out_of_order::Slots>::new(description, relax)),
        CoreKind::InOrder => Box::new(in_order::InOrder::new(description, relax)),
    }
}
