// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! LLVM's processor resources as the pipes of a core.
//!
//! A model knows units (some of them among another resource's units: `ALUE` has two of POWER9's four `ALU`) and groups
//! of units that work may go to. What is among nothing is a unit of the cpu file, and all others are subsets of its pipes.
//! In an instruction's entry LLVM lists, beside what was written for it, each group and resource that this is a part of;
//! that is taken out again, as llvm-mca does.

use crate::description::{Description, PIPES_MAX, QUEUES_MAX};
use decode::{Model, Resource};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most pipes of one unit in a cpu file.
const OF_UNIT_MAX: u32 = 16;

/// What an instruction occupies: some of these pipes, and for how many cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Occupied {
    pub(crate) mask: u32,
    /// Those among them that the least goes to which has less choice: what can go elsewhere leaves the others to it.
    pub(crate) prefer: u32,
    pub(crate) cycles: u16,
}

/// The pipes of each of a model's resources; none where the description does not have them.
pub(crate) struct Places {
    masks: Vec<u32>,
    /// Opcodes that use each.
    users: Vec<u32>,
}

impl Places {
    pub(crate) fn new(model: &Model, description: &Description) -> Places {
        let of_unit = |resource: &Resource| {
            let named = |name: &Option<String>| name.as_deref() == Some(resource.name);
            description.units.iter().find(|unit| named(&unit.resource)).map_or(0, |unit| unit.mask)
        };
        let mut masks: Vec<u32> = model.resources.iter().map(of_unit).collect();
        for index in 0..masks.len() {
            among(model, index, &mut masks);
        }
        for (index, resource) in model.resources.iter().enumerate().filter(|(_, one)| is_group(one)) {
            let members = resource.members.iter().map(|&member| masks[member]);
            let whole = members.clone().all(|mask| mask != 0);
            masks[index] = if whole { members.fold(0, |all, mask| all | mask) } else { 0 };
        }
        Places { masks, users: model.resources.iter().map(|resource| resource.users).collect() }
    }

    /// Whether the description has any of them.
    pub(crate) fn are_known(&self) -> bool {
        self.masks.iter().any(|&mask| mask != 0)
    }

    /// All pipes that an entry's uses can go to.
    pub(crate) fn all(&self, uses: &[(usize, u32)]) -> u32 {
        self.occupied(uses).iter().fold(0, |all, one| all | one.mask)
    }

    /// What an entry's uses (resource and cycles) occupy. Of two resources with the same pipes only one was written.
    pub(crate) fn occupied(&self, uses: &[(usize, u32)]) -> Vec<Occupied> {
        let mut rest: Vec<(u32, u32)> =
            uses.iter().map(|&(resource, cycles)| (self.masks[resource], cycles)).collect();
        rest.retain(|&(mask, cycles)| mask != 0 && cycles != 0);
        rest.sort_by_key(|&(mask, _)| (mask.count_ones(), mask));
        for index in 0..rest.len() {
            let (mask, cycles) = rest[index];
            for (wider, of_wider) in &mut rest[index + 1..] {
                if mask & !*wider == 0 {
                    *of_wider = of_wider.saturating_sub(cycles);
                }
            }
        }
        let left = rest.into_iter().filter(|&(_, cycles)| cycles != 0);
        left.map(|(mask, cycles)| Occupied {
            mask,
            prefer: self.least_wanted(mask),
            cycles: cycles.min(1000) as u16,
        })
        .collect()
    }

    /// The pipes of `mask` that the fewest opcodes want which have fewer to choose from.
    fn least_wanted(&self, mask: u32) -> u32 {
        let narrower = |pipe: u32| {
            let of_pipe = move |&(other, _): &(&u32, &u32)| {
                other >> pipe & 1 != 0 && other & !mask == 0 && *other != mask
            };
            let all = self.masks.iter().zip(&self.users);
            all.filter(of_pipe).map(|(other, &users)| users / other.count_ones()).sum::<u32>()
        };
        let wanted: Vec<(u32, u32)> =
            (0..PIPES_MAX).filter(|pipe| mask >> pipe & 1 != 0).map(|pipe| (pipe, narrower(pipe))).collect();
        let least = wanted.iter().map(|&(_, users)| users).min();
        let chosen = wanted.iter().filter(|&&(_, users)| Some(users) == least);
        chosen.fold(0, |all, &(pipe, _)| all | 1 << pipe)
    }
}

fn is_group(resource: &Resource) -> bool {
    !resource.members.is_empty()
}

fn is_unit(resource: &Resource) -> bool {
    !is_group(resource) && resource.above.is_none()
}

/// Gives units that are among another resource's their pipes, in turn: where they are more than there are, they share.
fn among(model: &Model, index: usize, masks: &mut [u32]) {
    let Some(above) = model.resources[index].above.filter(|_| masks[index] == 0) else { return };
    among(model, above, masks);
    let pipes: Vec<u32> = (0..PIPES_MAX).filter(|pipe| masks[above] >> pipe & 1 != 0).collect();
    if pipes.is_empty() {
        return;
    }
    let before = model.resources[..index].iter().filter(|other| other.above == Some(above));
    let first: u32 = before.map(|other| other.units).sum();
    let wanted = model.resources[index].units.min(pipes.len() as u32);
    let taken = (first..first + wanted).map(|place| pipes[place as usize % pipes.len()]);
    masks[index] = taken.fold(0, |mask, pipe| mask | 1 << pipe);
}

/// The units of a cpu file for a model, with the queues that feed them, or why there can be none.
pub(super) fn units(model: &Model) -> Result<String, String> {
    let units: Vec<(usize, &Resource)> =
        model.resources.iter().enumerate().filter(|(_, one)| is_unit(one) && one.units > 0).collect();
    let pipes: u32 = units.iter().map(|(_, unit)| unit.units).sum();
    if pipes > PIPES_MAX || units.iter().any(|(_, unit)| unit.units > OF_UNIT_MAX) {
        return Err(format!("LLVM's model has {pipes} pipes, and {PIPES_MAX} can be described"));
    }
    let mut text = String::new();
    let mut queues = BTreeMap::new();
    for (index, unit) in units {
        let name = unit.name;
        let _ = writeln!(
            text,
            "unit.{name}.pipes = {{ value = {}, unit = \"pipes\", source = \"llvm\", kind = \"compiler-model\" }}\n\
             unit.{name}.resource = \"{name}\"",
            unit.units
        );
        if let Some((queue, entries)) = queue(model, index) {
            if queues.len() < QUEUES_MAX || queues.contains_key(queue) {
                queues.insert(queue, entries);
                let _ = writeln!(text, "unit.{name}.queue = \"{queue}\"");
            }
        }
    }
    for (queue, entries) in queues {
        let _ = writeln!(
            text,
            "queue.{queue}.entries = {{ value = {entries}, unit = \"entries\", source = \"llvm\", kind = \"compiler-model\" }}"
        );
    }
    Ok(text)
}

/// The name and entries of the smallest scheduler that feeds a unit. One of no entry or one is an order, not a queue.
fn queue(model: &Model, unit: usize) -> Option<(&'static str, u32)> {
    let feeds = |(index, one): &(usize, &Resource)| *index == unit || one.members.contains(&unit);
    let schedulers = model.resources.iter().enumerate().filter(feeds);
    let sizes = schedulers.filter_map(|(_, one)| Some((one.name, one.buffer_size.filter(|&size| size > 1)?)));
    sizes.min_by_key(|&(_, entries)| entries)
}

/// The units that uses (resource and cycles) go to, as parts of a class: `A|B` for either.
pub(super) fn parts(model: &Model, uses: &[(usize, u32)]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for &(resource, _) in uses {
        let mut names: Vec<&str> = units_of(model, resource);
        names.sort_unstable();
        names.dedup();
        parts.push(names.join("|"));
    }
    parts.retain(|part| !part.is_empty());
    let wider = |part: &String, other: &String| {
        part != other && other.split('|').all(|name| part.split('|').any(|of_part| of_part == name))
    };
    let all = parts.clone();
    parts.retain(|part| !all.iter().any(|other| wider(part, other)));
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// The names of the units that a resource is or has.
fn units_of(model: &Model, resource: usize) -> Vec<&'static str> {
    let one = &model.resources[resource];
    match one.above {
        Some(above) => units_of(model, above),
        None if is_group(one) => one.members.iter().flat_map(|&member| units_of(model, member)).collect(),
        None => vec![one.name],
    }
}
