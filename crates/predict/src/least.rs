// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The least cycles that each resource allows, predicted with all other resources free or unlimited. The largest of
//! them is a lower bound of this code on this model, and of any order of its instructions if it is for the latency of results,
//! one kind of pipe or the stores. `explain`, in contrast, says what one resource adds.
//!
//! The rate at which the first-level cache accepts stores is not freed: in the long run no queue hides it, whatever the order
//! of the instructions. So it limits every other row as well, and is the bound if no resource needs more cycles.
//!
//! Serialising instructions are treated separately. They wait for everything before them to complete, so they are not a
//! resource like a pipe, and their cost is a guess in most cpu files. The bound leaves them out.
//!
//! If the code takes over a twentieth more than the bound, each other resource is freed in turn: the one whose removal
//! saves most is what keeps this order from its bound.

use crate::cpu::Cpu;
use crate::description::Description;
use crate::driver::{predict_jobs, Options, PredictError};
/// The limit that is left when everything else is free.
pub use crate::explain::STORES;
use crate::explain::{cycles_of, Open, DISPATCH};
use crate::relax::Relax;
use serde::Serialize;

/// One resource alone.
#[derive(Serialize)]
pub struct Least {
    /// As a noun phrase.
    pub resource: String,
    /// Cycles when nothing else limits.
    pub cycles: f64,
}

/// All resources, the one that needs most cycles first, and what serialising adds.
pub struct Bounds {
    /// Each resource alone, without serialising instructions.
    pub least: Vec<Least>,
    /// Cycles if everything limits.
    pub cycles: f64,
    /// Cycles if everything limits, but serialising instructions do not serialise.
    pub unserialised: f64,
    /// Cycles if only the latency of results and serialising instructions limit: the chain that no other resource shortens.
    pub serialised_chain: f64,
    /// If the bound is missed: the resource that keeps the code from it, and the cycles with that one free and without
    /// serialising.
    pub obstacle: Option<Least>,
}

/// The ratio of cycles to bound up to which no obstacle is reported.
const MISS: f64 = 1.05;

/// How far from each other two predictions of one number may be, since each ends where its calls have settled.
const SLIP: f64 = 1.005;

const LATENCY: &str = "latency of results";
const ALL_PIPES: &str = "all pipes";

impl Least {
    /// Whether it is for any order of the instructions. What dispatch, fetch and window take depends on the order, and so does
    /// which of several pipes an operation takes.
    pub fn is_for_any_order(&self) -> bool {
        let name = self.resource.as_str();
        [STORES, LATENCY].contains(&name) || name.ends_with(" pipes") && name != ALL_PIPES
    }
}

/// Everything free but the stores.
fn all_free(pipes: u32) -> Relax {
    Relax {
        fetch: true,
        taken_branches: true,
        mispredicts: true,
        dispatch: true,
        pipes,
        latency: true,
        chains: true,
        window: true,
        shorter: false,
        load_hit_store: true,
        stores: false,
        caches: true,
        serialise: true,
    }
}

fn all_pipes(description: &Description) -> u32 {
    description.units.iter().fold(0, |all, unit| all | unit.mask)
}

/// Each resource, with everything else free.
pub(crate) fn alone(description: &Description) -> Vec<(String, Relax)> {
    let pipes = all_pipes(description);
    let free = all_free(pipes);
    let mut list = vec![
        // First, so that the stable sort keeps it before rows that need no more cycles.
        (STORES.to_owned(), free),
        (DISPATCH.to_owned(), Relax { dispatch: false, ..free }),
        (
            "fetch (blocks, width, taken branches)".to_owned(),
            Relax { fetch: false, taken_branches: false, ..free },
        ),
        ("window, queues and rename registers".to_owned(), Relax { window: false, ..free }),
        (LATENCY.to_owned(), Relax { latency: false, chains: false, load_hit_store: false, ..free }),
    ];
    let only = |mask: u32| Relax { pipes: pipes & !mask, ..free };
    list.extend(description.units.iter().map(|unit| (format!("{} pipes", unit.name), only(unit.mask))));
    list.push((ALL_PIPES.to_owned(), only(pipes)));
    list
}

/// The complement of `alone`: the resource that limits there is free here and all others limit; serialising
/// instructions do not serialise.
fn without(alone: Relax, pipes: u32) -> Relax {
    Relax {
        fetch: !alone.fetch,
        taken_branches: !alone.taken_branches,
        mispredicts: !alone.mispredicts,
        dispatch: !alone.dispatch,
        pipes: pipes & !alone.pipes,
        latency: !alone.latency,
        chains: false,
        window: !alone.window,
        shorter: false,
        load_hit_store: !alone.load_hit_store,
        stores: false,
        caches: !alone.caches,
        serialise: true,
    }
}

/// What keeps the code from its bound: of all resources but the bounding one, which is the first of the list, the one
/// without which the code takes fewest cycles, and these cycles.
fn obstacle(
    open: &mut Open<'_>,
    (cpu, pipes): (&Cpu, u32),
    base: &Options,
    alone: &[(Least, Relax)],
) -> Result<Option<Least>, PredictError> {
    let others = alone.iter().skip(1).filter(|(one, _)| one.resource != STORES);
    let freed = others.clone().map(|(_, relax)| Options { relax: without(*relax, pipes), ..base.clone() });
    let jobs: Vec<_> = freed.map(|options| (cpu, options)).collect();
    let predicted = predict_jobs(&mut *open()?, &jobs)?;
    let named = others.zip(&predicted).map(|((other, _), prediction)| Least {
        resource: other.resource.clone(),
        cycles: cycles_of(prediction),
    });
    Ok(named.min_by(|a, b| a.cycles.total_cmp(&b.cycles)))
}

impl Bounds {
    /// Predicts with each resource alone.
    pub fn of(open: &mut Open<'_>, cpu: &Cpu, base: &Options) -> Result<Bounds, PredictError> {
        let description = Description::new(cpu)?;
        let list = alone(&description);
        let unserialised = Relax { serialise: true, ..Relax::default() };
        let pipes = all_pipes(&description);
        let chain = Relax {
            latency: false,
            chains: false,
            load_hit_store: false,
            serialise: false,
            ..all_free(pipes)
        };
        let shorter = Relax { serialise: true, shorter: true, ..chain };
        let ends = [Relax::default(), unserialised, chain, shorter];
        let relaxed = ends.into_iter().chain(list.iter().map(|(_, relax)| *relax));
        let jobs: Vec<_> = relaxed.map(|relax| (cpu, Options { relax, ..base.clone() })).collect();
        let predicted = predict_jobs(&mut *open()?, &jobs)?;
        let cycles: Vec<f64> = predicted.iter().map(cycles_of).collect();
        // With fewer limits, instructions issue to the pipes in another order, which can take longer: that is no lower bound. Nor
        // is the latency of chains that do not wait for each other, of which a longer window has more under way.
        let is_bound = |resource: &str, freed: f64| {
            resource == STORES
                || freed <= SLIP * cycles[1] && (resource != LATENCY || cycles[3] <= SLIP * freed)
        };
        let mut alone: Vec<(Least, Relax)> = list
            .into_iter()
            .zip(&cycles[4..])
            .filter(|((resource, _), freed)| is_bound(resource, **freed))
            .map(|((resource, relax), freed)| (Least { resource, cycles: freed.min(cycles[1]) }, relax))
            .collect();
        alone.sort_by(|a, b| b.0.cycles.total_cmp(&a.0.cycles));
        let missed = cycles[1] > MISS * alone[0].0.cycles;
        let obstacle = if missed { obstacle(open, (cpu, pipes), base, &alone)? } else { None };
        let least = alone.into_iter().map(|(one, _)| one).collect();
        let [cycles, unserialised, serialised_chain] = [cycles[0], cycles[1], cycles[2]];
        Ok(Bounds { least, unserialised, serialised_chain, obstacle, cycles })
    }
}
