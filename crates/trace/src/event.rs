// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The contents of a trace: accesses, blocks, events, repetitions and counts.

/// One memory access of one instruction. A 16-byte access counts as one, even if the emulator splits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Virtual address of the first byte; 0 if not `known`.
    pub address: u64,
    /// Index of the instruction in its block, from 0.
    pub instruction: u16,
    /// Size in bytes; 0 if it is not known either.
    pub bytes: u16,
    /// Whether memory is written. An instruction that reads and writes has two accesses, the read first.
    pub store: bool,
    /// Whether the address is known. The emulator does not report all accesses, see docs/trace-format.md.
    pub known: bool,
    /// A cache instruction (`dcbst`, `icbi`): it names a line and moves no data. Neither a load nor a store.
    pub cache_operation: bool,
}

/// Straight-line code as the emulator translated it. It need not end in a branch: blocks end at pages and system calls, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Virtual address of the first instruction.
    pub address: u64,
    /// The instructions' bytes, in the order of memory.
    pub bytes: Vec<u8>,
    /// Size of each instruction in bytes; the sum is the length of `bytes`.
    pub sizes: Vec<u8>,
}

impl Block {
    /// The number of instructions.
    pub fn instructions(&self) -> usize {
        self.sizes.len()
    }

    /// Address and bytes of each instruction.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut at = 0;
        self.sizes.iter().map(move |&size| {
            let from = at;
            at += usize::from(size);
            (self.address.wrapping_add(from as u64), &self.bytes[from..at])
        })
    }
}

/// How a region was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// Control reached the return address.
    Return,
    /// A longjmp or the like: the caller's frame was abandoned.
    Longjmp,
    /// The program ended inside, or called execve.
    Exit,
    /// The recording's limit was reached inside.
    Limit,
    /// In a trace of a whole machine: the CPU switched to a task that is not in the region, and the rest is not recorded.
    Switched,
}

/// What happened next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A region of interest is entered: `header().regions()[region]`, or the whole program. Regions may nest.
    EnterRegion {
        /// Number of the region.
        region: u8,
    },
    /// The innermost open region is left.
    LeaveRegion {
        /// How it is left.
        how: Leave,
    },
    /// An interrupt begins inside the region: the next blocks belong to it. Only in traces recorded with marked interrupts.
    Interrupt,
    /// The interrupt is over: the next blocks belong to the region again.
    InterruptOver,
    /// A block was executed.
    Block {
        /// Index into `blocks()`.
        id: u32,
        /// Its accesses in program order.
        accesses: &'a [Access],
    },
}

/// A repeated sequence of events; the reader is at the start of one of its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Unique in the trace. An inner repetition gets a new id in each iteration of the outer one.
    pub id: u64,
    /// 0 for the outermost.
    pub depth: usize,
    /// Iterations that are finished.
    pub iteration: u64,
    /// Iterations that are left, this one included: at least 1.
    pub remaining: u64,
    /// Blocks executed in one iteration, inner repetitions multiplied out.
    pub blocks_per_iteration: u64,
    /// Instructions executed in one iteration.
    pub instructions_per_iteration: u64,
    /// All counts of one iteration.
    pub counts_per_iteration: Counts,
    /// How often a region is entered or left, or an interrupt begins or ends, in one iteration.
    pub region_events_per_iteration: u64,
}

/// Exact counts of executed code and its accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Blocks.
    pub blocks: u64,
    /// Reads; each access of an instruction counts once.
    pub loads: u64,
    /// Writes.
    pub stores: u64,
    /// Accesses of cache instructions, for those that QEMU reports.
    pub cache_operations: u64,
    /// Accesses whose address is not known; the other counts include them.
    pub unknown_addresses: u64,
}

impl Counts {
    /// Counts one access.
    pub fn count(&mut self, access: &Access) {
        match (access.cache_operation, access.store) {
            (true, _) => self.cache_operations += 1,
            (false, true) => self.stores += 1,
            (false, false) => self.loads += 1,
        }
        self.unknown_addresses += u64::from(!access.known);
    }

    /// What was added since `before`.
    pub fn since(&self, before: &Counts) -> Counts {
        let mut since = *self;
        since.add(before, u64::MAX); // times -1: subtracts
        since
    }

    /// Adds `times` times `part`. Numbers above 2^64 wrap; a reader refuses a trace that has more than 2^60.
    pub fn add(&mut self, part: &Counts, times: u64) {
        let add = |sum: &mut u64, part: u64| *sum = sum.wrapping_add(part.wrapping_mul(times));
        add(&mut self.instructions, part.instructions);
        add(&mut self.blocks, part.blocks);
        add(&mut self.loads, part.loads);
        add(&mut self.stores, part.stores);
        add(&mut self.cache_operations, part.cache_operations);
        add(&mut self.unknown_addresses, part.unknown_addresses);
    }
}
