// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The loop to which most events of a stretch of a program belong: its cycles an iteration, what each of its instructions
//! waits for, and the dependency chain that bounds it.
//!
//! The loop is found in the events alone, by the instruction that repeats most often and the distance at which it does. A call
//! in a row of calls is a loop, too. Cycles come from the later half of the iterations, when the window has filled.

use crate::chain::Chain;
use crate::core::Event;
use crate::timeline::Timeline;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions that are searched for a loop: several iterations of usual loops, at little cost.
pub const WINDOW: u64 = 4096;

/// The fewest iterations that can show a steady state.
const ITERATIONS_MIN: usize = 8;

/// A loop in steady state.
#[derive(Clone, Debug)]
pub struct HotLoop {
    /// Iterations that the figures are of.
    pub iterations: usize,
    /// Cycles an iteration.
    pub cycles: f64,
    /// Share of the events looked at that are of this loop, in percent.
    pub share_percent: f64,
    /// Its instructions in program order, from the lowest address.
    pub instructions: Vec<HotInstruction>,
    /// Whether a chain of results runs from each iteration to the next.
    pub carried: bool,
    /// Of the cycles that this chain takes, those for which one of its instructions waits for a pipe, in percent; 0 without a
    /// chain.
    pub chain_pipes_percent: f64,
    /// What an iteration asks of each of the cpu's units that it needs, the busiest first.
    pub units: Vec<UnitLoad>,
}

/// What an iteration asks of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitLoad {
    /// The unit.
    pub name: String,
    /// How many pipes it has.
    pub pipes: u32,
    /// Cycles for which its pipes are taken, all of them together.
    pub cycles: f64,
}

impl UnitLoad {
    /// The least cycles that an iteration takes because of it, were it shared out evenly.
    pub fn least(&self) -> f64 {
        self.cycles / f64::from(self.pipes.max(1))
    }
}

/// One instruction of the loop; cycles are means over the iterations.
#[derive(Clone, Debug)]
pub struct HotInstruction {
    /// Its address.
    pub address: u64,
    /// `FUNCTION+0x10`, where the timeline has names; empty else.
    pub place: String,
    /// Its text.
    pub text: String,
    /// Waited for its sources.
    pub for_sources: f64,
    /// Waited for a pipe.
    pub for_pipe: f64,
    /// From issue to result.
    pub executes: f64,
    /// On the chain: the next one waited for just this result.
    pub on_chain: bool,
    /// The units whose pipes it takes, and for how many cycles in all.
    pub pipes: Vec<(String, f64)>,
}

/// The loop of a stretch of events; none if nothing comes back often enough.
pub fn hot_loop(timeline: &Timeline) -> Option<HotLoop> {
    let events = &timeline.events[..];
    let (first, period) = repeated(events)?;
    let runs = iterations_from(events, first, period);
    let address = |event: &Event| timeline.texts.get(event.op as usize).map_or(0, |text| text.0);
    // It begins where its code does, wherever the window began.
    let turn = (0..period).min_by_key(|offset| address(&events[first + offset]))?;
    let first = first + turn;
    let runs = if turn == 0 { runs } else { runs.saturating_sub(1) };
    if runs < ITERATIONS_MIN {
        return None;
    }
    let ops: BTreeSet<u32> = events[first..first + period].iter().map(|event| event.op).collect();
    let from = runs / 2;
    let iterations = runs - 1 - from;
    // Completion is in order and has no slack; dispatch runs ahead until the window is full.
    let head = |iteration: usize| Timeline::end_of(&events[first + iteration * period]);
    let cycles = (head(runs - 1) - head(from)) as f64 / iterations as f64;
    let chain = Chain::of(timeline, first, period, runs);
    let mean = |offset: usize, value: &dyn Fn(&Event) -> u64| {
        let sum: u64 =
            (from..runs - 1).map(|iteration| value(&events[first + iteration * period + offset])).sum();
        sum as f64 / iterations as f64
    };
    let of_unit = |offset: usize, mask: u32| mean(offset, &|event| held(event, mask));
    let instructions = (0..period).map(|offset| {
        let pipes = timeline.units.iter().map(|(name, mask)| (name.clone(), of_unit(offset, *mask)));
        let (address, text) = timeline.text_of(&events[first + offset]);
        HotInstruction {
            address,
            place: timeline.places.get(&address).cloned().unwrap_or_default(),
            text,
            for_sources: mean(offset, &|event| event.ready.saturating_sub(event.start)),
            for_pipe: mean(offset, &|event| event.issue.saturating_sub(event.ready)),
            executes: mean(offset, &|event| event.finish.saturating_sub(event.issue)),
            on_chain: chain.as_ref().is_some_and(|chain| chain.places.contains(&offset)),
            pipes: pipes.filter(|(_, cycles)| *cycles > 0.0).collect(),
        }
    });
    let load = |(name, mask): &(String, u32)| UnitLoad {
        name: name.clone(),
        pipes: mask.count_ones(),
        cycles: (0..period).map(|offset| of_unit(offset, *mask)).sum(),
    };
    let mut units: Vec<UnitLoad> = timeline.units.iter().map(load).filter(|unit| unit.cycles > 0.0).collect();
    units.sort_by(|a, b| b.least().total_cmp(&a.least()));
    Some(HotLoop {
        iterations,
        cycles,
        share_percent: 100.0 * events.iter().filter(|event| ops.contains(&event.op)).count() as f64
            / events.len() as f64,
        instructions: instructions.collect(),
        carried: chain.is_some(),
        chain_pipes_percent: chain.map_or(0.0, |chain| chain.pipes_percent),
        units,
    })
}

/// Cycles for which an instruction takes pipes of that mask, all of them together.
fn held(event: &Event, mask: u32) -> u64 {
    let (kept, cycles) = event.kept;
    let long = (event.pipes & kept & mask).count_ones();
    let short = (event.pipes & !kept & mask).count_ones();
    u64::from(long) * u64::from(cycles) + u64::from(short)
}

/// Where a row of equal turns begins, and how many instructions a turn has: the shortest turn that comes often in a row, as that
/// of an inner loop; else what covers most, as the calls of a function in a row.
fn repeated(events: &[Event]) -> Option<(usize, usize)> {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        places.entry(event.op).or_default().push(index);
    }
    let rows: Vec<Row> = places.values().filter_map(|places| longest_row(places)).collect();
    let often = rows.iter().filter(|row| row.turns >= 2 * ITERATIONS_MIN);
    let inner = often.min_by_key(|row| (row.period, usize::MAX - row.turns));
    let most = rows.iter().max_by_key(|row| (row.turns * row.period, usize::MAX - row.period));
    inner.or(most).map(|row| (row.first, row.period))
}

/// Equal turns in a row.
struct Row {
    first: usize,
    period: usize,
    turns: usize,
}

/// The longest row of equal distances between the places of one instruction.
fn longest_row(places: &[usize]) -> Option<Row> {
    let mut best: Option<Row> = None;
    let mut start = 0;
    for index in 1..places.len() {
        let period = places[index] - places[index - 1];
        if index >= 2 && places[index - 1] - places[index - 2] != period {
            start = index - 1;
        }
        let turns = index - start;
        if best.as_ref().is_none_or(|known| turns > known.turns) {
            best = Some(Row { first: places[start], period, turns });
        }
    }
    best
}

/// How many turns follow each other whose instructions are those of the first.
fn iterations_from(events: &[Event], first: usize, period: usize) -> usize {
    let body: Vec<u32> = events[first..first + period].iter().map(|event| event.op).collect();
    events[first..]
        .chunks_exact(period)
        .take_while(|turn| turn.iter().zip(&body).all(|(event, op)| event.op == *op))
        .count()
}
