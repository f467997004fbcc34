// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The hot loop in words and tables, for `explain` and `hot`: cycles per iteration, what each instruction waits for and
//! which pipes it occupies, the loop-carried dependency chain, and how busy each unit is.

use predict::hot::HotLoop;
use predict::Cause;
use report::{Derived, Predicted, Section, Table};

/// Waits for pipes on a chain, in percent of its cycles, up to which nothing is said of them.
const PIPES_AT_LEAST: f64 = 5.0;

/// Adds the hot loop to a section.
pub fn show(section: &mut Section, hot: &HotLoop) {
    section.paragraph(&text(hot));
    section.table(instructions(hot));
    if !hot.units.is_empty() {
        section.table(units(hot));
    }
}

/// Cycles per iteration, and what bounds them, in words.
fn text(hot: &HotLoop) -> String {
    let count = hot.instructions.len();
    let chain = match (hot.carried, hot.chain_pipes_percent) {
        (false, _) => "No single chain of results runs from iteration to iteration".to_owned(),
        (true, ..=PIPES_AT_LEAST) => {
            "The chain of results from one iteration to the next is marked: each of these waits for just the one before".to_owned()
        }
        (true, percent) => format!(
            "A chain of results from one iteration to the next is marked, but {percent:.0} % of its cycles are waits for a pipe"
        ),
    };
    format!(
        "{:.2} cycles an iteration of {count} instructions ({:.2} instructions a cycle), over {} iterations in steady state; \
         {:.0} % of the instructions looked at are in it. {chain}.",
        hot.cycles,
        count as f64 / hot.cycles.max(0.001),
        hot.iterations,
        hot.share_percent
    )
}

fn instructions(hot: &HotLoop) -> Table {
    let mut table = Table::new(
        "One iteration of the hot loop",
        "predicted, not measured; means over the iterations; on chain: its result is what the next one on the chain waited for; \
         pipes: cycles for which it takes those of each unit",
    );
    // Names say more than addresses, and there is no room for both.
    let is_named = hot.instructions.iter().any(|one| !one.place.is_empty());
    let place = table.text_column(if is_named { "place" } else { "address" });
    let text = table.text_column("instruction");
    let chain = table.text_column("on chain");
    let pipes = table.text_column("pipes");
    let sources = table.predicted_column("waits for sources", "cycles", 1);
    let pipe = table.predicted_column("waits for a pipe", "cycles", 1);
    let executes = table.predicted_column("executes", "cycles", 1);
    for one in &hot.instructions {
        let row = table.row();
        let told = if one.place.is_empty() { format!("{:x}", one.address) } else { one.place.clone() };
        table.set(row, place, told).set(row, text, one.text.as_str());
        table.set(row, chain, if one.on_chain { "*" } else { "" });
        table.set(row, pipes, pressure_text(&one.pipes));
        table.set(row, sources, Predicted(one.for_sources)).set(row, pipe, Predicted(one.for_pipe));
        table.set(row, executes, Predicted(one.executes));
    }
    table
}

/// `LS 1 FX 0.5`.
fn pressure_text(pipes: &[(String, f64)]) -> String {
    let one = |(unit, cycles): &(String, f64)| {
        let text = format!("{cycles:.2}");
        format!("{unit} {}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    pipes.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn units(hot: &HotLoop) -> Table {
    let mut table = Table::new(
        "Pipes in an iteration",
        "taken: all pipes of a unit together; full: of the cycles that an iteration takes, those for which a pipe of the unit is taken",
    );
    let name = table.text_column("unit");
    let pipes = table.text_column("pipes");
    let taken = table.predicted_column("taken", "cycles", 2);
    let full = table.derived_column("full", "%", 0);
    for unit in &hot.units {
        let row = table.row();
        table.set(row, name, unit.name.as_str()).set(row, pipes, unit.pipes.to_string());
        table.set(row, taken, Predicted(unit.cycles));
        table.set(row, full, Derived::from(100.0 * unit.least() / hot.cycles.max(0.001)));
    }
    table
}

/// The causes of a run's stalls, the longest first, as shares of its cycles, which were told just before.
pub fn stalls_text(counters: &predict::Counters, cycles: u64) -> String {
    let mut stalls: Vec<_> = Cause::ALL.iter().zip(counters.stalls).filter(|(_, stall)| *stall > 0).collect();
    stalls.sort_by_key(|(_, stall)| std::cmp::Reverse(*stall));
    let share = |stall: u64| 100.0 * stall as f64 / cycles.max(1) as f64;
    let shown = stalls.iter().take(4).filter(|(_, stall)| share(*stall) >= 1.0);
    let shown: Vec<String> =
        shown.map(|(cause, stall)| format!("{} {:.0} %", cause.name(), share(*stall))).collect();
    match shown.is_empty() {
        true => "Nothing that it waits for takes a hundredth of these cycles.".to_owned(),
        false => format!("Of these cycles it waits for: {}.", shown.join(", ")),
    }
}
