// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Writes the results of a fit: the numbers and the out-of-sample error into the cpu's own file, whose comments and order
//! stay, and the fits without each family into a file beside the figures.

use super::Found;
use crate::context::Context;
use crate::corpus::FIGURES;
use lab::output::Output;
use lab::{Problem, Result};
use predict::cpu::{Entry, Kind, Number};
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
    let before = predict::fit::documented(&found.cpu);
    for number in found.numbers.iter().filter(|number| number.figures > 0) {
        let fitted = found.adopted.as_ref().and_then(|values| values.get(&number.key)).copied();
        let core = fitted.and_then(|fitted| before.with(&number.key, fitted));
        for key in found.cpu.keys_of(&number.key) {
            let (Some(Entry::Number(entry)), Some(prior)) = (found.cpu.entry(&key), before.value(&key))
            else {
                continue;
            };
            match core.as_ref().and_then(|core| core.value(&key)) {
                Some(fitted) => set(&mut document, &key, inline(entry, fitted, prior))?,
                // Fitted before and not now: the value goes back to the documented one. A number that was never fitted is left
                // as it is.
                None if entry.prior.is_some() => {
                    let table =
                        documented(&document, entry, prior).unwrap_or_else(|| inline(entry, prior, prior));
                    set(&mut document, &key, table)?;
                }
                None => {}
            }
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

/// Stands in the note of a fitted number before the documented value, its kind and its source.
const DOCUMENTED: &str = "documented value ";

/// The entry that a fitted number had before it was fitted, as its note tells. `None` if somebody has rewritten the note, if the
/// source is no longer in the file, or if the number had been fitted by hand to what the note does not tell.
fn documented(document: &DocumentMut, entry: &Number, prior: f64) -> Option<InlineTable> {
    let note = entry.note.as_deref()?;
    let (told, known) = note.split_at(note.rfind(DOCUMENTED)?);
    let (kind, source) =
        known.strip_prefix(&format!("{DOCUMENTED}{prior}: "))?.strip_suffix(')')?.split_once(" (")?;
    Kind::from_name(kind).filter(|kind| *kind != Kind::Fitted)?;
    let mut sources = document.get("sources")?.as_table_like()?.iter();
    let (source, _) = sources.find(|(_, text)| text.as_str() == Some(source))?;
    let mut table = InlineTable::new();
    table.insert("value", number(prior));
    table.insert("unit", entry.unit.as_str().into());
    table.insert("source", source.into());
    table.insert("kind", kind.into());
    range(&mut table, entry);
    if let Some(told) = told.strip_suffix("; ") {
        table.insert("note", told.into());
    }
    Some(table)
}

/// Where the number may be, and with which other it moves.
fn range(table: &mut InlineTable, entry: &Number) {
    if let Some((low, high)) = entry.range {
        table.insert("range", Value::Array([low, high].into_iter().map(number).collect::<Array>()));
    }
    if let Some(with) = &entry.moves_with {
        table.insert("moves_with", with.as_str().into());
    }
}

/// The entry of a fitted number, which keeps what was documented of it.
fn inline(entry: &Number, fitted: f64, prior: f64) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("value", number(fitted));
    table.insert("unit", entry.unit.as_str().into());
    table.insert("source", SOURCE.into());
    table.insert("kind", "fitted".into());
    range(&mut table, entry);
    table.insert("prior", number(prior));
    table.insert("fitted_to", FITTED_TO.into());
    let told = entry.note.as_deref().map_or(String::new(), |note| format!("{note}; "));
    let known = match entry.prior {
        // Fitted before: the note already tells where the documented value comes from.
        Some(_) => entry.note.clone().unwrap_or_default(),
        None => format!("{told}{DOCUMENTED}{prior}: {} ({})", entry.kind.name(), entry.source),
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

#[cfg(test)]
mod tests {
    use super::*;
    use predict::cpu::Place;

    const LLVM: &str = "LLVM 19, POWER9 scheduling model";

    fn documented_number(note: Option<&str>) -> Number {
        Number {
            value: 3.5,
            unit: "cycles".to_owned(),
            source: LLVM.to_owned(),
            kind: Kind::CompilerModel,
            range: Some((3.0, 5.0)),
            moves_with: None,
            fitted_to: None,
            prior: None,
            note: note.map(str::to_owned),
            place: Place { file: Default::default(), line: 1 },
        }
    }

    /// The number after a fit has moved it to 4, as a later fit reads it.
    fn fitted(before: &Number) -> Number {
        let note = inline(before, 4.0, before.value).get("note").and_then(Value::as_str).map(str::to_owned);
        Number { value: 4.0, kind: Kind::Fitted, prior: Some(before.value), note, ..before.clone() }
    }

    #[test]
    fn a_number_that_goes_back_is_as_documented_before() {
        let document: DocumentMut = format!("[sources]\nllvm = \"{LLVM}\"\n").parse().unwrap();
        let start =
            "{ value = 3.5, unit = \"cycles\", source = \"llvm\", kind = \"compiler-model\", range = [3, 5]";
        for (note, end) in [(None, " }"), (Some("GCC has 5; so"), ", note = \"GCC has 5; so\" }")] {
            let again = fitted(&documented_number(note));
            let table = documented(&document, &again, 3.5).expect("its note tells");
            assert_eq!(table.to_string(), format!("{start}{end}"));
        }
    }

    #[test]
    fn a_number_that_moves_with_another_still_does_when_it_is_fitted_and_goes_back() {
        let document: DocumentMut = format!("[sources]\nllvm = \"{LLVM}\"\n").parse().unwrap();
        let tied =
            Number { moves_with: Some("class.alu.latency.value".to_owned()), ..documented_number(None) };
        let again = documented(&document, &fitted(&tied), 3.5).expect("its note tells");
        for table in [inline(&tied, 4.0, 3.5), again] {
            let with = table.get("moves_with").and_then(Value::as_str);
            assert_eq!(with, tied.moves_with.as_deref(), "{table}");
        }
    }

    #[test]
    fn a_number_whose_note_does_not_tell_stays_fitted() {
        let document: DocumentMut = "[sources]\nother = \"the manual\"\n".parse().unwrap();
        assert!(documented(&document, &fitted(&documented_number(None)), 3.5).is_none(), "no such source");
        let sources: DocumentMut = format!("[sources]\nllvm = \"{LLVM}\"\n").parse().unwrap();
        let by_hand = Number { kind: Kind::Fitted, ..documented_number(None) };
        assert!(documented(&sources, &fitted(&by_hand), 3.5).is_none(), "to what is not known");
        let rewritten = Number { note: Some("measured since".to_owned()), ..fitted(&by_hand) };
        assert!(documented(&sources, &rewritten, 3.5).is_none());
    }
}
