// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a run keeps of single instructions: the events of a stretch of it, or the cycles that each instruction is charged with.

use super::Options;
use crate::core::{Core, Event};
use crate::description::Description;
use crate::plan::Plan;
pub(super) use crate::profile::Before;
use crate::profile::{Place, Profile};
use crate::skipped::Skipped;
use crate::source::{Access, Item};
use crate::timeline::{Registers, Timeline};
use decode::Instruction;
use std::collections::BTreeMap;

/// The events or charges kept so far.
pub(super) struct Recording {
    /// First executed instruction wanted, and how many.
    events: Option<(u64, u64)>,
    /// Address of the instruction that the wanted events begin with, and how often it is still to be executed before.
    events_at: Option<(u64, u64)>,
    /// Kept; with a profile, those of the newest block.
    recorded: Vec<Event>,
    /// How many of them are before the first that is wanted: a core tells of whole blocks.
    early: usize,
    profile: Option<Profile>,
    texts: Vec<(u64, String)>,
    registers: Vec<Registers>,
}

impl Recording {
    pub(super) fn new(options: &Options) -> Recording {
        Recording {
            events: options.events,
            events_at: options.events_at,
            recorded: Vec::new(),
            early: 0,
            profile: options.profile.then(Profile::default),
            texts: Vec::new(),
            registers: Vec::new(),
        }
    }

    /// Notes the instructions of the plan's next block.
    pub(super) fn define(&mut self, block: &[Instruction]) {
        if let Some(profile) = &mut self.profile {
            block.iter().for_each(|instruction| profile.define(instruction.address, &instruction.text));
        } else if self.events.is_some() {
            self.texts
                .extend(block.iter().map(|instruction| (instruction.address, instruction.text.clone())));
            self.registers.extend(block.iter().map(Registers::of));
        }
    }

    /// Whether the events that were asked for by an address are all there.
    pub(super) fn is_complete(&self) -> bool {
        self.events_at.is_some_and(|(_, left)| left == 0)
            && self.events.is_some_and(|(_, count)| self.recorded.len() as u64 >= count)
    }

    /// Whether the block that begins is the one from which events are wanted, or a later one.
    fn is_wanted(&mut self, plan: &Plan, block: usize) -> bool {
        let Some((address, left)) = &mut self.events_at else { return true };
        if *left > 0 {
            let block = &plan.blocks[block];
            let ops = &plan.ops[block.first as usize..(block.first + block.count) as usize];
            *left -= u64::from(ops.iter().any(|op| op.address == *address));
        }
        *left == 0
    }

    /// Executes a block on the core and keeps what is wanted of it.
    #[inline]
    pub(super) fn execute(
        &mut self,
        core: &mut dyn Core,
        plan: &Plan,
        block: usize,
        accesses: &[Access],
        next: u64,
    ) {
        if self.profile.is_none() && self.events.is_none() {
            core.block(plan, block, accesses, next, None);
        } else {
            self.execute_and_keep(core, plan, block, accesses, next);
        }
    }

    fn execute_and_keep(
        &mut self,
        core: &mut dyn Core,
        plan: &Plan,
        block: usize,
        accesses: &[Access],
        next: u64,
    ) {
        if let Some(profile) = &mut self.profile {
            self.recorded.clear();
            core.block(plan, block, accesses, next, Some(&mut self.recorded));
            profile.charge(&self.recorded);
            return;
        }
        let is_wanted = self.is_wanted(plan, block);
        let wanted = match self.events {
            Some((first, count)) if is_wanted => {
                let executed = core.executed();
                let is_due = executed + u64::from(plan.blocks[block].count) > first;
                if is_due && self.recorded.is_empty() {
                    self.early = first.saturating_sub(executed) as usize;
                }
                let is_short = (self.recorded.len() as u64) < count.saturating_add(self.early as u64);
                (is_due && is_short).then_some(&mut self.recorded)
            }
            _ => None,
        };
        core.block(plan, block, accesses, next, wanted);
    }

    /// Counts executions of an instruction that were simulated with another of it.
    pub(super) fn count_elements(&mut self, op: u32, elements: u64) {
        if let Some(profile) = &mut self.profile {
            profile.places[op as usize].executions += elements;
        }
    }

    /// The cycles that a loop's instructions are charged with so far, each instruction once; none without a profile.
    pub(super) fn charged(&self, plan: &Plan, body: &[Item]) -> Option<Before> {
        let profile = self.profile.as_ref()?;
        let blocks = body.iter().filter_map(|item| match item {
            Item::Block { block, .. } => Some(&plan.blocks[*block as usize]),
            _ => None,
        });
        let mut ops: Vec<u32> = blocks.flat_map(|block| block.first..block.first + block.count).collect();
        ops.sort_unstable();
        ops.dedup();
        Some(profile.before(ops.into_iter().map(|op| op as usize)))
    }

    /// Adds what is charged in windows of a loop that are skipped and like those since then.
    pub(super) fn repeat_since(&mut self, charged: Option<&Before>, skipped: Skipped) {
        if let (Some(profile), Some(charged)) = (&mut self.profile, charged) {
            profile.repeat_since(charged, skipped);
        }
    }

    /// The events and the charges, whichever were asked for.
    pub(super) fn finish(
        mut self,
        description: &Description,
        cpu: &str,
    ) -> (Option<Timeline>, Option<Vec<Place>>) {
        if let Some(profile) = self.profile {
            return (None, Some(profile.places));
        }
        self.recorded.drain(..self.early.min(self.recorded.len()));
        let timeline = self.events.map(|_| Timeline {
            cpu: cpu.to_owned(),
            texts: self.texts,
            registers: self.registers,
            events: self.recorded,
            units: description.units.iter().map(|unit| (unit.name.clone(), unit.mask)).collect(),
            places: BTreeMap::new(),
        });
        (timeline, None)
    }
}
