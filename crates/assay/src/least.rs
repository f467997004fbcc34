// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What `predict::least` found, in words and as a table.

use predict::least::{Bounds, Least, STORES};
use report::{Derived, Predicted, Table};

/// The bound, in one sentence or two.
pub fn summary(bounds: &Bounds) -> String {
    let most = &bounds.least[0];
    let serialising = bounds.cycles - bounds.unserialised;
    let bound = format!("{:.1} cycles", most.cycles);
    let mut text = match most.is_for_any_order() {
        true => {
            format!("No order of these instructions takes fewer than {bound} here, for {}.", most.resource)
        }
        false => format!("In this order, {} alone takes {bound}.", most.resource),
    };
    text += &format!(" The code takes {:.1}", bounds.cycles);
    if serialising >= 0.05 {
        text += &format!(
            ", of which {serialising:.1} are serialising instructions; without them {:.1}",
            bounds.unserialised
        );
    }
    text += ".";
    let gained = |one: &&Least| one.cycles < 0.99 * bounds.unserialised;
    if let Some(one) = bounds.obstacle.as_ref().filter(gained) {
        text += &format!(
            " What keeps this order from the bound is {}: without that, too, {:.1}.",
            one.resource, one.cycles
        );
    }
    text
}

/// One row per resource.
pub fn table(bounds: &Bounds) -> Table {
    let mut table = Table::new(
        "Least cycles that each resource allows",
        "each row is a prediction with all other resources free or unlimited and without serialising; only what asks \
         for more than the first-level cache's stores, which limit every row",
    );
    let resource = table.text_column("resource alone");
    let cycles = table.predicted_column("least", "cycles", 1);
    let share = table.derived_column("of all", "%", 1);
    let floor = bounds.least.iter().find(|one| one.resource == STORES).map_or(0.0, |one| one.cycles);
    let shown = |one: &&Least| one.resource == STORES || one.cycles > 1.001 * floor;
    for one in bounds.least.iter().filter(shown).take(8) {
        let row = table.row();
        table.set(row, resource, one.resource.as_str()).set(row, cycles, Predicted(one.cycles));
        table.set(row, share, Derived::from(100.0 * one.cycles / bounds.cycles));
    }
    table
}
