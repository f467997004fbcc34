// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Fetch: aligned blocks, taken branches, the instruction cache, the buffer before dispatch.

use super::branch::{Branches, Outcome};
use super::decoded::DecodedLines;
use super::hierarchy::Hierarchy;
use super::hint::{mostly, rarely};
use super::planted::{planted, Fault};
use super::replay::{Detector, Passed, Replayed};
use crate::cause::Cause;
use crate::description::Description;
use crate::flags::Flags;
use crate::op::Op;
use crate::plan::Plan;
use crate::relax::Relax;

/// Most instructions that a cpu file lets wait before dispatch; a power of two.
const BUFFER_MAX: usize = 1024;

/// Branch prediction that runs ahead of fetch.
struct Ahead {
    /// By so many cycles at most.
    cycles: u64,
    /// When the block being fetched was predicted, where it starts and how long it may be.
    predicted: u64,
    start: u64,
    bytes: u64,
    /// A conditional branch that is taken ends the cycle's fetch, as the second direct jump does; whether there was a first.
    breaks: bool,
    /// Whether every second taken branch joins the one before it.
    pairs: bool,
    joined: bool,
}

/// A cache of decoded instructions, whose blocks are kept in entries.
struct Entries {
    /// Cycles more until more of a block comes than a cycle fetches.
    again: u64,
    /// Instructions of an entry.
    of: u32,
    /// Whether this block starts a cycle, and whether more has come of it since.
    entered: bool,
    long: bool,
    /// A taken branch led to this block, and its first entry came in the cycle of the block before.
    shares: bool,
    /// The second one came alone, so that the third, if there is one, comes as late as if the block had started a cycle.
    alone: bool,
}

/// Loops that come from the queue in front of rename.
struct Replay {
    detector: Detector,
    /// Instructions, and taken branches, that it delivers in a cycle.
    width: u32,
    branches: u32,
    /// `FrontEnd::width` and `unchecked` where the loop is fetched.
    fetched: (u32, u32),
    /// What leaving a loop costs beside a misprediction, and what the next restart is later for it.
    exit: u64,
    later: u64,
}

/// The room that an instruction takes with its constants, where these matter; what is fused with the one in front of it takes
/// room for its own only.
#[inline(always)]
fn room_of(op: &Op) -> u32 {
    let constants = if planted(Fault::ConstantsFree) { 0 } else { op.fetched_with };
    2 * u32::from(!op.is(Flags::FUSED)) + u32::from(constants)
}

/// The fetch unit. Cycles count from fetch; the constant depth from fetch to dispatch is left out, since it
/// shows only after a misprediction, whose cost the cpu file gives as a whole.
pub(crate) struct FrontEnd {
    block_bytes: u64,
    align_mask: u64,
    width: u32,
    line_mask: u64,
    line: u64,
    /// What a taken branch costs more in the second line of a block, if that matters.
    second_line: Option<u64>,
    /// Instructions in this run of bytes are fetched without further checks, as long as the width lasts; empty once fetch is to
    /// start again.
    piece: u64,
    piece_bytes: u64,
    in_block: u32,
    /// Slots are counted, not instructions: those of a loop that is replayed.
    by_slots: bool,
    /// Room left for instructions and their constants in what is fetched, and how much there is.
    room: u32,
    room_in_all: u32,
    /// Bits of an address that change where a line ends; none if that does not matter.
    crossing_mask: u64,
    /// A branch is of the block that its last byte is in.
    branch_ends: bool,
    /// Whether that or room matters; and how many instructions of a block only have to be in its run of bytes: none if so.
    by_bytes: bool,
    unchecked: u32,
    /// When the newest block started, if the next may come with its end.
    follows: Option<u64>,
    /// Branches fetched in this cycle, and how many may be.
    branches_in_block: u32,
    branches_max: u32,
    /// No more branches of a loop that is replayed come in this cycle.
    branches_full: bool,
    cycle: u64,
    ahead: Option<Ahead>,
    entries: Option<Entries>,
    replay: Option<Replay>,
    /// Decoded instructions, and how many aligned bytes a cycle decodes of the line being fetched, if it is not among them.
    decoded: Option<DecodedLines>,
    decodes: Option<u64>,
    /// What delayed fetch to the current cycle.
    pub(crate) cause: Cause,
    /// Cycle of the next block, if a taken branch or a misprediction sets it, and which of them did.
    redirect: (u64, Cause),
    redirected: bool,
    /// When the last instructions left the buffer, by the instruction's number.
    left: [u64; BUFFER_MAX],
    left_mask: usize,
    number: usize,
    /// Slots fetched.
    slots: u64,
    buffer: usize,
    pub(crate) branches: Branches,
    unlimited: bool,
    taken_free: bool,
}

impl FrontEnd {
    pub(crate) fn new(description: &Description, relax: Relax) -> FrontEnd {
        let fetch = &description.fetch;
        let branch_ends = fetch.branch_ends && fetch.ahead.is_none();
        let has_room = fetch.room.is_some() && !relax.fetch;
        let mut branches = Branches::new(&description.branch, fetch);
        branches.ideal = relax.mispredicts;
        FrontEnd {
            block_bytes: fetch.block,
            align_mask: !(fetch.align - 1),
            width: fetch.width,
            line_mask: !(description.caches.instruction_line - 1),
            line: u64::MAX,
            second_line: fetch.second_line,
            piece: u64::MAX,
            piece_bytes: 0,
            in_block: 0,
            by_slots: false,
            room: 0,
            room_in_all: fetch.room.filter(|_| !relax.fetch).unwrap_or(u32::MAX),
            crossing_mask: if fetch.breaks && fetch.second_line.is_none() {
                !(description.caches.instruction_line - 1)
            } else {
                0
            },
            branch_ends,
            by_bytes: branch_ends || has_room,
            unchecked: if branch_ends || has_room { 0 } else { fetch.width },
            follows: (fetch.follows && fetch.ahead.is_none()).then_some(0),
            branches_in_block: 0,
            branches_full: false,
            branches_max: if relax.fetch { u32::MAX } else { fetch.branches },
            cycle: 0,
            ahead: fetch.ahead.map(|cycles| Ahead {
                cycles,
                predicted: 0,
                start: 0,
                bytes: 0,
                breaks: fetch.breaks,
                pairs: fetch.pairs,
                joined: false,
            }),
            entries: fetch.again.map(|(again, of)| Entries {
                again,
                of,
                entered: false,
                long: false,
                shares: false,
                alone: false,
            }),
            replay: fetch.replay.filter(|_| !relax.fetch).map(|limits| Replay {
                detector: Detector::new(limits, !(description.caches.instruction_line - 1)),
                width: limits.width,
                branches: limits.branches,
                fetched: (fetch.width, if branch_ends || has_room { 0 } else { fetch.width }),
                exit: limits.exit,
                later: 0,
            }),
            decoded: fetch
                .decoded
                .filter(|_| !relax.fetch)
                .map(|limits| DecodedLines::new(limits, description.caches.instruction_line)),
            decodes: None,
            cause: Cause::Fetch,
            redirect: (0, Cause::Fetch),
            redirected: false,
            left: [0; BUFFER_MAX],
            left_mask: fetch.buffer.max(1).next_power_of_two() - 1,
            number: 0,
            slots: 0,
            buffer: fetch.buffer.clamp(1, BUFFER_MAX),
            branches,
            unlimited: relax.fetch,
            taken_free: relax.fetch || relax.taken_branches,
        }
    }

    /// The cycle in which the instruction is fetched.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, op: &Op, caches: &mut Hierarchy) -> u64 {
        let outside = op.address.wrapping_sub(self.piece) >= self.piece_bytes;
        if rarely(outside || self.in_block >= self.unchecked) {
            let full = self.in_block >= self.width && !op.is(Flags::FUSED);
            let enters = outside || full || self.branches_full && op.is(Flags::BRANCH);
            if self.by_bytes {
                self.fetch_bytes(op, enters, caches);
            } else if mostly(enters) {
                self.enter(op, op.address, caches);
            }
        }
        let slots = u32::from(op.slots);
        self.in_block += if self.by_slots { slots } else { u32::from(!op.is(Flags::FUSED)) };
        self.slots += u64::from(slots);
        let buffer = self.buffer + usize::from(planted(Fault::BufferLonger));
        let before = self.number.wrapping_sub(buffer) & self.left_mask;
        self.cycle = self.cycle.max(self.left[before % BUFFER_MAX]);
        self.cycle
    }

    /// What matters only where instructions are as long as their operands need: the room that constants take, and the block that
    /// the last byte of a branch is in. `enters`: it enters a block in any case.
    #[inline]
    fn fetch_bytes(&mut self, op: &Op, enters: bool, caches: &mut Hierarchy) {
        let needs = room_of(op);
        if rarely(enters || needs > self.room) {
            self.enter(op, op.address, caches);
        }
        let ends = self.branch_ends && op.is(Flags::BRANCH) && !planted(Fault::BranchStarts);
        if rarely(ends && (op.end() - 1).wrapping_sub(self.piece) >= self.piece_bytes) {
            self.enter(op, op.end() - 1, caches);
        }
        self.room = self.room.saturating_sub(needs);
    }

    /// Moves fetch to the next block, or within a block to the next line.
    #[inline(never)]
    fn enter(&mut self, op: &Op, address: u64, caches: &mut Hierarchy) {
        if self.replay.as_ref().is_some_and(|replay| replay.detector.replays()) {
            // The next cycle of the replay, from wherever it is; slots that did not fit into this one come in it.
            let cycles = (self.in_block / self.width).max(1);
            self.in_block = self.in_block.saturating_sub(cycles * self.width);
            (self.branches_in_block, self.branches_full) = (0, false);
            self.unchecked = self.width;
            (self.cycle, self.cause) = (self.cycle + u64::from(cycles), Cause::Fetch);
            return;
        }
        let started = self.follows.filter(|_| address.wrapping_sub(self.piece) >= self.piece_bytes);
        let elsewhere = self.redirected || address & self.line_mask != self.line;
        if let Some(decoded) = self.decoded.as_mut().filter(|_| elsewhere) {
            let bytes = decoded.enter(address, !self.redirected, u32::from(op.fetched_with), self.number);
            self.decodes = bytes.map(|bytes| if planted(Fault::DecodedFaster) { 2 * bytes } else { bytes });
        }
        if self.ahead.is_some() {
            self.enter_predicted(op);
        } else if !started.is_some_and(|cycle| self.comes_with_end(op, cycle)) {
            let next = (self.cycle + u64::from(!self.unlimited), Cause::Fetch);
            let (cycle, cause) = if self.redirected { self.redirect } else { next };
            self.redirected = false;
            self.in_block = 0;
            self.branches_in_block = 0;
            self.cycle = cycle.max(self.cycle);
            self.cause = cause;
        }
        if self.ahead.is_none() {
            self.piece = address & self.align_mask;
            self.piece_bytes = self.block_bytes.min(self.to_line_end(self.piece));
            self.piece_bytes += 4 * u64::from(planted(Fault::BlockLonger));
        }
        self.room = self.room_in_all;
        if address & self.line_mask != self.line {
            self.enter_line(address, caches);
        }
        if rarely(started.is_some()) {
            self.follows = Some(self.cycle);
        }
    }

    /// Whether a block that is entered with `op` comes in the same cycle as the end of the one before it, which had started in
    /// the cycle `started`.
    #[inline]
    fn comes_with_end(&self, op: &Op, started: u64) -> bool {
        let room = self.in_block < self.width || op.is(Flags::FUSED);
        !self.redirected && room && self.cycle > started && !planted(Fault::BlockAlone)
    }

    /// The same where branch prediction runs ahead: a block starts wherever it is entered, and fetch goes on in the same
    /// cycle if it was predicted by then.
    #[inline]
    fn enter_predicted(&mut self, op: &Op) {
        let address = op.address;
        let line_left = self.to_line_end(address);
        let Some(ahead) = &mut self.ahead else { return };
        let mut cause = Cause::Fetch;
        let redirected = std::mem::take(&mut self.redirected);
        let goes_on = !redirected && address.wrapping_sub(ahead.start) < ahead.bytes;
        if redirected {
            (ahead.predicted, cause) = self.redirect;
        } else if !goes_on {
            ahead.joined ^= ahead.pairs;
            let joined = ahead.pairs && ahead.joined;
            ahead.predicted += u64::from(!self.unlimited && !joined);
        }
        if !goes_on {
            ahead.start = address;
            ahead.bytes = match (&self.entries, self.second_line) {
                (Some(_), _) => line_left,
                (None, Some(_)) => self.block_bytes - (address & !self.line_mask),
                (None, None) => self.block_bytes,
            };
        }
        self.piece = address;
        self.piece_bytes = (ahead.start + ahead.bytes - address).min(line_left);
        let mut full = self.in_block >= self.width && !op.is(Flags::FUSED);
        if let Some(bytes) = self.decodes {
            // Of the block and the line, what a cycle decodes.
            let left = self.piece_bytes.min(bytes - address % bytes);
            self.piece = ahead.start.max(address & !(bytes - 1)).max(address & self.line_mask);
            self.piece_bytes = left + (address - self.piece);
            full = true;
        }
        let mut later = u64::from(full);
        let mut alone = false;
        if let Some(entries) = &mut self.entries {
            if goes_on {
                entries.long = entries.entered && (entries.long || full);
                let waits = entries.entered && !planted(Fault::RestAtOnce);
                later += if waits { later * entries.again } else { 0 };
                alone = full && std::mem::take(&mut entries.shares) && !planted(Fault::LongShares);
                entries.entered |= alone;
                entries.alone = alone || entries.alone && !full;
            } else {
                if std::mem::take(&mut entries.alone) {
                    self.in_block -= entries.of;
                }
                if !planted(Fault::EntryShared) {
                    self.in_block = self.in_block.next_multiple_of(entries.of);
                }
                full = std::mem::take(&mut entries.long) || self.in_block >= self.width;
                later = u64::from(full);
            }
        }
        let cycle = (self.cycle + if self.unlimited { 0 } else { later }).max(ahead.predicted);
        if cycle > self.cycle || full {
            self.in_block = if alone { self.entries.as_ref().map_or(0, |entries| entries.of) } else { 0 };
            self.branches_in_block = 0;
            self.cause = cause;
            self.cycle = cycle;
        }
        if let Some(entries) = self.entries.as_mut().filter(|_| !goes_on) {
            entries.entered = self.in_block == 0;
            entries.shares = redirected && !entries.entered;
        }
    }

    /// Bytes from there to the end of its line.
    #[inline]
    fn to_line_end(&self, address: u64) -> u64 {
        (address | !self.line_mask).wrapping_sub(address).wrapping_add(1)
    }

    fn enter_line(&mut self, address: u64, caches: &mut Hierarchy) {
        self.line = address & self.line_mask;
        let wait = caches.fetch(address, self.cycle);
        if wait > 0 && !self.unlimited {
            self.cycle += wait;
            self.cause = Cause::InstructionCache;
        }
    }

    /// The instruction left the buffer at `dispatch`.
    #[inline]
    pub(crate) fn dispatched(&mut self, dispatch: u64) {
        self.left[(self.number & self.left_mask) % BUFFER_MAX] = dispatch;
        self.number = self.number.wrapping_add(1);
    }

    /// Instructions that wait before dispatch at most.
    pub(crate) fn buffered(&self) -> u64 {
        self.buffer as u64
    }

    /// Predicts a branch that goes on to `next`.
    pub(crate) fn predict(&mut self, plan: &Plan, op: &Op, next: u64) -> Outcome {
        let outcome = self.branches.resolve(op, next);
        if let Some(mispredicted) = self.replay(op, next, &outcome) {
            // What is replayed is not predicted; that another way is taken shows when the branch executes.
            return Outcome { mispredicted, unpredicted: false, ..outcome };
        }
        self.branches_in_block += 1;
        if rarely(self.branches_in_block == self.branches_max) {
            // The next instruction is fetched in the next cycle, as if the block were full.
            self.in_block = self.width;
        }
        let taken = outcome.taken_cycles > 0;
        if (taken || outcome.overruled_cycles > 0) && !self.taken_free {
            let joined = if taken { self.join(op, outcome.taken_cycles) } else { 0 };
            let way = if taken {
                outcome.taken_cycles + u64::from(self.crosses_line(plan, op)) + self.in_second_line(op)
                    - joined
            } else {
                0
            };
            let overruled = if planted(Fault::OverruledFree) { 0 } else { outcome.overruled_cycles };
            let taken_cycles = way + overruled;
            let from = self.ahead.as_ref().map_or(self.cycle, |ahead| {
                // Prediction runs at most `cycles` ahead of fetch.
                ahead.predicted.max(self.cycle.saturating_sub(ahead.cycles))
            });
            self.restart(from + taken_cycles, Cause::TakenBranch);
        }
        outcome
    }

    /// Whether the branch leaves the path that is replayed; nothing if none is.
    #[inline]
    fn replay(&mut self, op: &Op, next: u64, outcome: &Outcome) -> Option<bool> {
        let replay = self.replay.as_mut()?;
        let began = replay.detector.replays();
        let taken = outcome.taken_cycles > 0;
        let known = !op.is(Flags::INDIRECT) && (!outcome.is_new || planted(Fault::ReplaysNew));
        let passed = Passed {
            predicted: self.ahead.as_ref().map_or(0, |ahead| ahead.predicted),
            dispatched: self.left[(self.number.wrapping_sub(1) & self.left_mask) % BUFFER_MAX],
            slots: self.slots,
        };
        match replay.detector.branch(op, next, taken, known, passed) {
            Replayed::No => None,
            Replayed::Ends => {
                replay.later = if planted(Fault::ExitFree) { 0 } else { replay.exit };
                self.fetch_again();
                Some(true)
            }
            Replayed::Goes { cycle_ends } => {
                if !began {
                    // Where the path's instructions stand no longer matters.
                    (self.piece, self.piece_bytes) = (0, u64::MAX);
                    (self.width, self.unchecked) = (replay.width, replay.width);
                    self.by_slots = true;
                    replay.detector.begin(self.cycle, self.slots);
                } else if taken && op.is(Flags::CALL) {
                    let cycle = replay.detector.call(self.cycle, self.slots);
                    if cycle > self.cycle {
                        (self.cycle, self.cause) = (cycle, Cause::Fetch);
                        (self.in_block, self.branches_in_block, self.branches_full) = (0, 0, false);
                        self.unchecked = self.width;
                    }
                }
                self.branches_in_block = if began { self.branches_in_block + u32::from(taken) } else { 0 };
                if cycle_ends {
                    self.in_block = self.in_block.max(self.width);
                }
                if self.branches_in_block >= replay.branches {
                    (self.branches_full, self.unchecked) = (true, 0);
                }
                Some(false)
            }
        }
    }

    /// What was replayed is fetched from now on.
    fn fetch_again(&mut self) {
        let Some(replay) = self.replay.as_mut() else { return };
        replay.detector.stop();
        (self.width, self.unchecked) = replay.fetched;
        (self.by_slots, self.branches_full) = (false, false);
        (self.piece_bytes, self.in_block, self.branches_in_block) = (0, 0, 0);
        if let Some(ahead) = &mut self.ahead {
            (ahead.predicted, ahead.bytes, ahead.joined) = (self.cycle, 0, false);
        }
    }

    /// Whether `op`, or the instruction in front of it, if they are fused, crosses a line, if that matters. The two are of one
    /// block, so they stand one behind the other in the plan.
    #[inline]
    fn crosses_line(&self, plan: &Plan, op: &Op) -> bool {
        let crosses = |from: u64, to: u64| (from ^ (to - 1)) & self.crossing_mask != 0;
        let in_front = || plan.ops[op.index as usize - 1].address;
        crosses(op.address, op.end()) || op.is(Flags::FUSED) && crosses(in_front(), op.address)
    }

    /// What a taken branch costs more for the line that it ends in.
    #[inline]
    fn in_second_line(&self, op: &Op) -> u64 {
        let (Some(cost), Some(ahead)) = (self.second_line, &self.ahead) else { return 0 };
        let line = |address: u64| (address & self.line_mask) / (!self.line_mask + 1);
        let lines = line(op.end() - 1).wrapping_sub(line(ahead.start));
        if lines % 2 == 1 && !planted(Fault::LinesAlike) {
            cost
        } else {
            0
        }
    }

    /// Whether the target of a taken branch is predicted in the same cycle as the branch, and fetched in it, as a number of
    /// cycles saved.
    fn join(&mut self, op: &Op, cycles: u64) -> u64 {
        let Some(ahead) = self.ahead.as_mut() else { return 0 };
        if ahead.pairs {
            ahead.joined = cycles == 1 && !ahead.joined && !planted(Fault::SecondAlone);
            return u64::from(ahead.joined);
        } else if !ahead.breaks {
            return 0;
        }
        let jumps = !op.is(Flags::CONDITIONAL | Flags::CALL | Flags::RETURN | Flags::INDIRECT);
        ahead.joined = jumps && !ahead.joined;
        if op.is(Flags::CONDITIONAL) || jumps && !ahead.joined {
            self.in_block = self.width;
        }
        u64::from(ahead.joined)
    }

    /// Fetch starts again so that the next instruction is dispatched at `cycle` at the earliest.
    pub(crate) fn restart(&mut self, cycle: u64, cause: Cause) {
        let mut later = 0;
        if let Some(replay) = &mut self.replay {
            later = std::mem::take(&mut replay.later);
            if replay.detector.replays() {
                self.fetch_again();
            }
        }
        self.redirect = (cycle + later, cause);
        self.redirected = true;
        self.piece_bytes = 0;
    }
}
