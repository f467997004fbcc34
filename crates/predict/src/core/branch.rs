// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Branch prediction: directions, targets, returns.
//!
//! Makers publish table sizes but rarely the hashing, so the kinds here are the textbook forms with the sizes of
//! the cpu file: what matters for a hot path is which branches repeat a pattern that the history can hold.

use super::cache::Cache;
use crate::description::{Branch, BranchTargets, Fetch, Predictor};
use crate::flags::Flags;
use crate::op::Op;

const TAGE_TABLES: usize = 4;
const TAGE_ENTRIES: usize = 2048;
/// Returns whose last place is remembered, a power of two.
const RETURNED: usize = 1024;
/// Conditional branches that the quick half of the predictor knows, a power of two.
const QUICK: usize = 1024;

#[derive(Clone, Copy, Default)]
struct Tagged {
    tag: u16,
    counter: i8,
    useful: u8,
}

/// The predictor of a core.
pub(crate) struct Branches {
    kind: Predictor,
    bimodal: Box<[u8]>,
    global: Box<[u8]>,
    chooser: Box<[u8]>,
    tagged: Box<[[Tagged; TAGE_ENTRIES]; TAGE_TABLES]>,
    /// How often a tagged entry was looked for.
    allocated: u64,
    /// The part of the history that each tagged table, and the global one, looks at: of its younger half, and of its older
    /// half, which only the last of the tables reaches.
    tagged_masks: [u64; TAGE_TABLES],
    older_mask: u64,
    global_mask: u64,
    history: u64,
    older_history: u64,
    returns: Vec<u64>,
    returns_max: usize,
    targets: Targets,
    btb: Vec<(Cache, u64)>,
    /// Branches whose addresses differ in these many lowest bits only share a set.
    btb_shift: u32,
    /// Cost of a return to another place than the last two times, and where each went then.
    return_changed: Option<u64>,
    returned: Box<[(u64, [u64; 2])]>,
    /// Cost of a direction in which the predictor overrules its quick half, and that half: each branch's last two directions.
    overruled: Option<u64>,
    quick: Box<[(u64, u8)]>,
    taken_cycles: u64,
    same_block: Option<(u64, u64)>,
    /// Whether the taken branch after an indirect one misses the target buffers, and whether the last branch was indirect.
    after_indirect: bool,
    behind_indirect: bool,
    /// Least cycles of a call and of a return.
    call_taken: u64,
    return_taken: u64,
    /// Every branch is predicted right; for finding out what mispredictions cost.
    pub(crate) ideal: bool,
}

/// Targets of indirect branches: where each went last, and where it went last on the same path, of which the makers of POWER8
/// and 9, for one, have a table of its own. An interpreter's jump to the next instruction of its program is known by path alone.
struct Targets {
    by_address: Box<[(u64, u64)]>,
    by_path: Box<[(u64, u64)]>,
    /// The targets of the last branches taken, `PATH_BITS` of each.
    path: u64,
}

/// Bits by which a path moves on with each branch taken: it reaches back sixteen.
const PATH_BITS: u32 = 4;

impl Targets {
    fn new(by_address: usize, by_path: usize) -> Targets {
        let table = |entries: usize| match entries {
            0 => Box::default(),
            _ => vec![(0, 0); entries.next_power_of_two()].into(),
        };
        Targets { by_address: table(by_address), by_path: table(by_path), path: 0 }
    }

    /// Whether it is known that the branch goes to `next`; nothing if the core has no such table.
    fn goes(&mut self, address: u64, next: u64) -> Option<bool> {
        if self.by_address.is_empty() && self.by_path.is_empty() {
            return None;
        }
        let last = place(&mut self.by_address, mix(address, 0), address, next);
        let key = scatter(address ^ scatter(self.path));
        Some(place(&mut self.by_path, key, key, next).or(last) == Some(next))
    }

    /// A branch was taken to `next`.
    fn went(&mut self, next: u64) {
        self.path = self.path << PATH_BITS ^ next >> 1;
    }
}

/// The target that a table has under that key, which is `next` from now on.
fn place(table: &mut [(u64, u64)], hash: u64, key: u64, next: u64) -> Option<u64> {
    let last = table.len().checked_sub(1)?;
    let entry = &mut table[(hash >> 20) as usize & last];
    let known = (entry.0 == key).then_some(entry.1);
    *entry = (key, next);
    known
}

/// What the front end learns of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The prediction was wrong.
    pub(crate) mispredicted: bool,
    /// Nothing predicts where it goes: its target is known only when its register is.
    pub(crate) unpredicted: bool,
    /// Cycles from fetching the branch to fetching its target, when it was taken and predicted so.
    pub(crate) taken_cycles: u64,
    /// The fastest level of target buffer did not have it, though it was taken.
    pub(crate) is_new: bool,
    /// Further cycles until the next instruction is fetched, if the first prediction was overruled.
    pub(crate) overruled_cycles: u64,
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// Both halves of the history in one number, each bit of which depends on every branch. Products alone carry only upwards: the
/// oldest branches would change nothing that a table is looked up by.
fn fold(younger: u64, older: u64) -> u64 {
    scatter(younger ^ scatter(older))
}

/// MurmurHash3's finalizer.
fn scatter(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let bits = (bits ^ bits >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ bits >> 33
}

fn mix(address: u64, folded: u64) -> u64 {
    ((address >> 1) ^ folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn count(counter: &mut u8, up: bool) {
    *counter = if up { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
}

impl Branches {
    pub(crate) fn new(branch: &Branch, fetch: &Fetch) -> Branches {
        let table = branch.table.next_power_of_two();
        let longest = branch.history.clamp(4, 128);
        let lengths = [
            longest.div_ceil(27).max(2),
            longest.div_ceil(9).max(4),
            longest.div_ceil(3).max(6),
            longest.max(8),
        ];
        // The smallest are searched as a whole.
        let ways =
            |level: &BranchTargets| level.ways.unwrap_or(if level.entries <= 32 { level.entries } else { 4 });
        let sets = |level: &BranchTargets| (level.entries / ways(level)).max(1);
        let btb = |level: &BranchTargets| (Cache::new(sets(level), ways(level)), level.taken);
        Branches {
            kind: branch.predictor,
            bimodal: vec![2; table].into(),
            global: vec![2; table].into(),
            chooser: vec![1; table].into(),
            tagged: Box::new([[Tagged::default(); TAGE_ENTRIES]; TAGE_TABLES]),
            allocated: 0,
            tagged_masks: lengths.map(mask),
            older_mask: mask(lengths[TAGE_TABLES - 1].saturating_sub(64)),
            global_mask: mask(branch.history),
            history: 0,
            older_history: 0,
            returns: Vec::new(),
            returns_max: branch.return_stack,
            targets: Targets::new(branch.indirect, branch.indirect_path),
            btb: fetch.btb.iter().map(btb).collect(),
            btb_shift: fetch.btb_line.trailing_zeros(),
            return_changed: fetch.return_changed,
            returned: vec![(0, [0; 2]); if fetch.return_changed.is_some() { RETURNED } else { 0 }].into(),
            overruled: fetch.overruled,
            quick: vec![(0, 0); if fetch.overruled.is_some() { QUICK } else { 0 }].into(),
            taken_cycles: fetch.taken,
            after_indirect: fetch.after_indirect,
            behind_indirect: false,
            same_block: fetch.same_block_taken.map(|cycles| (!(fetch.block - 1), cycles)),
            call_taken: fetch.call_taken,
            return_taken: fetch.return_taken,
            ideal: false,
        }
    }

    /// Predicts a branch that goes on to `next` and learns from it.
    pub(crate) fn resolve(&mut self, op: &Op, next: u64) -> Outcome {
        let taken = next != op.end();
        let mut right = true;
        let mut overruled_cycles = 0;
        if op.is(Flags::CONDITIONAL) {
            right = self.direction(op, taken);
            overruled_cycles = self.overruled.filter(|_| !self.quick_agrees(op, taken) && right).unwrap_or(0);
        }
        if taken && op.is(Flags::CALL) && self.returns_max > 0 {
            if self.returns.len() == self.returns_max {
                self.returns.remove(0);
            }
            self.returns.push(op.end());
        }
        let mut unpredicted = false;
        if taken && op.is(Flags::RETURN | Flags::INDIRECT) {
            let target = self.target(op, next);
            unpredicted = right && target.is_none();
            right &= target.unwrap_or(true);
        }
        if taken {
            self.targets.went(next);
        }
        debug_assert!(op.is(Flags::BRANCH));
        let mut outcome = Outcome {
            mispredicted: !right && !self.ideal,
            unpredicted: unpredicted && !self.ideal,
            taken_cycles: 0,
            is_new: false,
            overruled_cycles,
        };
        if taken {
            (outcome.taken_cycles, outcome.is_new) = self.taken_cost(op, next);
            if let (true, Some(cost)) = (op.is(Flags::RETURN), self.return_changed) {
                let cost = cost.saturating_sub(self.known_returns(op, next));
                outcome.taken_cycles = outcome.taken_cycles.max(cost);
            }
        }
        outcome
    }

    /// Whether the target of a taken indirect branch was predicted right; nothing if it was not predicted.
    fn target(&mut self, op: &Op, next: u64) -> Option<bool> {
        let returns_to = if op.is(Flags::RETURN) { self.returns.pop() } else { None };
        returns_to.map(|predicted| predicted == next).or_else(|| self.targets.goes(op.address, next))
    }

    /// Whether directions are predicted from the encoding alone.
    pub(crate) fn is_static(&self) -> bool {
        self.kind == Predictor::Static
    }

    /// Cycles of a taken branch, and whether the fastest level of target buffer lacked it.
    fn taken_cost(&mut self, op: &Op, next: u64) -> (u64, bool) {
        let mut cost = self.taken_cycles;
        let indirect = op.is(Flags::INDIRECT | Flags::RETURN);
        let behind = std::mem::replace(&mut self.behind_indirect, indirect);
        let unaided = self.after_indirect && (behind || indirect);
        let line = op.address >> self.btb_shift;
        let mut is_new = false;
        for (btb, cycles) in self.btb.iter_mut().rev() {
            is_new = btb.touch_as(line, op.address).is_none();
            if !is_new {
                cost = if unaided { cost } else { cost.min(*cycles) };
            } else {
                btb.insert_as(line, op.address, 0);
            }
        }
        let cost = match self.same_block {
            Some((block, cycles)) if op.address & block == next & block => cost.min(cycles),
            _ if op.is(Flags::CALL) => cost.max(self.call_taken),
            _ if op.is(Flags::RETURN) => cost.max(self.return_taken),
            _ => cost,
        };
        (cost, is_new)
    }

    /// How many of the last two times, counted from the older, a return went where it goes now.
    fn known_returns(&mut self, op: &Op, next: u64) -> u64 {
        let entry = &mut self.returned[(op.address >> 1) as usize % RETURNED];
        let (address, [older, last]) = *entry;
        *entry = (op.address, [last, next]);
        match (address == op.address, next == last, next == older) {
            (true, true, _) => u64::MAX,
            (true, false, true) => 1,
            _ => 0,
        }
    }

    /// Whether the quick half is right: it predicts a branch taken that was taken in one of the last two times.
    fn quick_agrees(&mut self, op: &Op, taken: bool) -> bool {
        let entry = &mut self.quick[(op.address >> 1) as usize % QUICK];
        let lately = if entry.0 == op.address { entry.1 } else { 0 };
        *entry = (op.address, (lately << 1 | u8::from(taken)) & 3);
        (lately != 0) == taken
    }

    fn direction(&mut self, op: &Op, taken: bool) -> bool {
        let predicted = match self.kind {
            Predictor::Static => op.is(Flags::BACKWARD),
            Predictor::Tournament => self.tournament(op.address, taken),
            Predictor::Tage => self.tage(op.address, taken),
        };
        self.older_history = self.older_history << 1 | self.history >> 63;
        self.history = self.history << 1 | u64::from(taken);
        predicted == taken
    }

    fn tournament(&mut self, address: u64, taken: bool) -> bool {
        let size = self.bimodal.len() - 1;
        let local = (address >> 2) as usize & size;
        let global = (mix(address, self.history & self.global_mask) >> 24) as usize & size;
        let (a, b) = (self.bimodal[local] >= 2, self.global[global] >= 2);
        let predicted = if self.chooser[local] >= 2 { b } else { a };
        if a != b {
            count(&mut self.chooser[local], b == taken);
        }
        count(&mut self.bimodal[local], taken);
        count(&mut self.global[global], taken);
        predicted
    }

    fn tage(&mut self, address: u64, taken: bool) -> bool {
        let local = (address >> 2) as usize & (self.bimodal.len() - 1);
        let mut places = [(0usize, 0u16); TAGE_TABLES];
        let mut provider = None;
        for (table, place) in places.iter_mut().enumerate() {
            let history = self.history & self.tagged_masks[table];
            let reaches_back = table == TAGE_TABLES - 1;
            let history =
                if reaches_back { fold(history, self.older_history & self.older_mask) } else { history };
            let hash = mix(address, history);
            *place = ((hash >> 20) as usize % TAGE_ENTRIES, ((hash >> 44) as u16) | 1);
            if self.tagged[table][place.0].tag == place.1 {
                provider = Some(table);
            }
        }
        let base = self.bimodal[local] >= 2;
        let predicted = provider.map_or(base, |table| self.tagged[table][places[table].0].counter >= 0);
        match provider {
            Some(table) => {
                let entry = &mut self.tagged[table][places[table].0];
                entry.counter = (entry.counter + if taken { 1 } else { -1 }).clamp(-4, 3);
                entry.useful = if predicted == taken {
                    (entry.useful + 1).min(3)
                } else {
                    entry.useful.saturating_sub(1)
                };
            }
            None => count(&mut self.bimodal[local], taken),
        }
        if predicted != taken {
            self.allocate(provider.map_or(0, |table| table + 1), &places, taken);
        }
        predicted
    }

    /// Gives a branch that was predicted wrong an entry in a table with a longer history: one that is of no use, mostly the first.
    /// Were it always the first, two histories that meet in one place would drive each other out for ever, each before its entry
    /// is of use; so Seznec and Michaud take the next one in a third of the cases ("A case for (partially) TAgged GEometric
    /// history length branch prediction", 2006).
    fn allocate(&mut self, first: usize, places: &[(usize, u16); TAGE_TABLES], taken: bool) {
        self.allocated += 1;
        let Some(mut table) = (first..TAGE_TABLES).find(|&table| self.gives_way(table, places)) else {
            return;
        };
        if scatter(self.allocated) % 3 == 0 {
            let is_free = |&later: &usize| self.tagged[later][places[later].0].useful == 0;
            table = (table + 1..TAGE_TABLES).find(is_free).unwrap_or(table);
        }
        let (place, tag) = places[table];
        self.tagged[table][place] = Tagged { tag, counter: if taken { 0 } else { -1 }, useful: 0 };
    }

    /// Whether a table's entry is of no use; one that is will be of less.
    fn gives_way(&mut self, table: usize, places: &[(usize, u16); TAGE_TABLES]) -> bool {
        let useful = &mut self.tagged[table][places[table].0].useful;
        let free = *useful == 0;
        *useful = useful.saturating_sub(1);
        free
    }
}
