// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Writes the results of a fit: the numbers and the out-of-sample error into the cpu's own file, whose comments and order
//! stay, and the fits without each family into a file beside the figures.

use super::Found;
use crate::context::Context;
use crate::corpus::FIGURES;
use lab::output::Output;
use lab::{Problem, Result};
use predict::cpu::{Entry, Number};
use predict::left_out;
use toml_edit::{value, Array, DocumentMut, InlineTable, Item, Table, Value};

/// The `fitted_to` of a number that was fitted here.
const FITTED_TO: &str = "the figures of crates/predict/validation (assay fit)";
/// The key in `sources` that a written number names.
const SOURCE: &str = "fit";
const SOURCE_TEXT: &str = "assay fit, over the figures of crates/predict/validation";

/// Writes both files; each whole or not at all.
pub fn write(context: &Context, found: &Found) -> Result<()> {
    let cpus = context.workspace.root.join("cpus");
    let path = predict::Cpu::path(&cpus, &found.cpu.name)
        .ok_or_else(|| Problem::new(format!("{} has no file below {}", found.cpu.name, cpus.display())))?;
    let text = lab::cache::read_text(&path)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| Problem::new(error.to_string()).at(path.display()))?;
    document["sources"][SOURCE] = value(SOURCE_TEXT);
    for number in found.numbers.iter().filter(|number| number.figures > 0) {
        let Some(Entry::Number(entry)) = found.cpu.entry(&number.key) else { continue };
        let fitted = found.adopted.as_ref().and_then(|values| values.get(&number.key)).copied();
        match fitted {
            Some(fitted) => set(&mut document, &number.key, inline(entry, fitted, number.prior))?,
            // Fitted before and not now: the value goes back to the documented one. A number that was never fitted is left
            // as it is.
            None if entry.prior.is_some() => {
                set(&mut document, &number.key, inline(entry, number.prior, number.prior))?;
            }
            None => {}
        }
    }
    let percent = (found.error.log * 1000.0).round() / 10.0;
    set(&mut document, "validation.error", measured(percent, "percent"))?;
    set(&mut document, "validation.families", measured(found.error.families, "families"))?;
    let numbers: Array = found.draws.iter().map(usize::to_string).collect();
    set(&mut document, "validation.draws", Value::Array(numbers))?;
    let figures = context.workspace.root.join(FIGURES);
    let fits = left_out::path(&figures, &found.cpu.name);
    if let Some(folder) = fits.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Problem::io("make the folder", folder, &error))?;
    }
    Output::new(&path)?.write(document.to_string().as_bytes())?;
    Output::new(&fits)?.write(found.fits.text(&found.cpu.name).as_bytes())?;
    context.progress(&format!("wrote {} and {}", path.display(), fits.display()));
    Ok(())
}

fn number(amount: f64) -> Value {
    if amount.fract() == 0.0 {
        Value::from(amount as i64)
    } else {
        Value::from(amount)
    }
}

/// The entry of a fitted number, which keeps what was documented of it.
fn inline(entry: &Number, fitted: f64, prior: f64) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("value", number(fitted));
    table.insert("unit", entry.unit.as_str().into());
    table.insert("source", SOURCE.into());
    table.insert("kind", "fitted".into());
    if let Some((low, high)) = entry.range {
        table.insert("range", Value::Array([low, high].into_iter().map(number).collect::<Array>()));
    }
    table.insert("prior", number(prior));
    table.insert("fitted_to", FITTED_TO.into());
    let told = entry.note.as_deref().map_or(String::new(), |note| format!("{note}; "));
    let known = match entry.prior {
        // Fitted before: the note already tells where the documented value comes from.
        Some(_) => entry.note.clone().unwrap_or_default(),
        None => format!("{told}documented value {prior}: {} ({})", entry.kind.name(), entry.source),
    };
    table.insert("note", known.into());
    table
}

fn measured(amount: f64, unit: &str) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("value", number(amount));
    table.insert("unit", unit.into());
    table.insert("source", SOURCE.into());
    table.insert("kind", "measured".into());
    table
}

/// Sets a dotted key; tables that are missing on the way are made.
fn set(document: &mut DocumentMut, key: &str, entry: impl Into<Value>) -> Result<()> {
    let mut folder: &mut Item = document.as_item_mut();
    let names: Vec<&str> = key.split('.').collect();
    let (last, above) = names.split_last().expect("a key has a name");
    for name in above {
        let table = folder
            .as_table_like_mut()
            .ok_or_else(|| Problem::new(format!("'{key}' goes through what is no table")))?;
        if !table.contains_key(name) {
            let mut made = Table::new();
            made.set_implicit(*name != *above.last().expect("there is one"));
            table.insert(name, Item::Table(made));
        }
        folder = table.get_mut(name).expect("it was made");
    }
    let table = folder
        .as_table_like_mut()
        .ok_or_else(|| Problem::new(format!("'{key}' goes through what is no table")))?;
    match table.get_mut(last) {
        // The line keeps its place and its comments.
        Some(old) => *old = value(entry),
        None => {
            table.insert(last, value(entry));
        }
    }
    Ok(())
}
