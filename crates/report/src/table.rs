// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Tables whose columns know what kind of figure they hold.
//!
//! A column is made for one type of value and accepts no other: that predictions and measurements never share a column is
//! checked when Assay is compiled. The kind is shown in every column's head.

use crate::text::clean;
use std::marker::PhantomData;

/// What a figure is; shown with the column's heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word, or a verdict.
    Text,
    /// A whole number that is given, such as a size.
    Integer,
    /// A whole number that was counted exactly, such as instructions.
    Counted,
    /// Computed from a trace and a description of a cpu that is not here.
    Predicted,
    /// Taken on a real machine by a clock.
    Measured,
    /// Somebody else's figure.
    Published,
    /// Computed from other columns: a ratio, an error.
    Derived,
}

impl Kind {
    /// The word in the column's head; empty where the heading says enough.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Text | Kind::Integer | Kind::Derived => "",
            Kind::Counted => "counted",
            Kind::Predicted => "predicted",
            Kind::Measured => "measured",
            Kind::Published => "published",
        }
    }
}

/// The meaning of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Right, or faster.
    Good,
    /// Wrong, or slower.
    Bad,
}

/// A word in a table.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The word.
    pub text: String,
    /// Its meaning; it colours a terminal and a page, and changes nothing elsewhere.
    pub tone: Tone,
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text { text: text.to_owned(), tone: Tone::Plain }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text { text, tone: Tone::Plain }
    }
}

/// A whole number that is given, such as a size.
#[derive(Clone, Copy, Debug)]
pub struct Integer(pub u64);

/// A whole number that was counted exactly.
#[derive(Clone, Copy, Debug)]
pub struct Count(pub u64);

/// A predicted figure, in the column's unit.
#[derive(Clone, Copy, Debug)]
pub struct Predicted(pub f64);

/// A published figure, in the column's unit.
#[derive(Clone, Copy, Debug)]
pub struct Published(pub f64);

/// A measured figure and its 95 % interval, if it has one; in the column's unit.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The median.
    pub median: f64,
    /// Both ends of the interval.
    pub interval: Option<[f64; 2]>,
}

/// A figure computed from others, such as a ratio, and its 95 % interval, if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Derived {
    /// The figure.
    pub value: f64,
    /// Both ends of the interval.
    pub interval: Option<[f64; 2]>,
}

impl From<f64> for Derived {
    fn from(value: f64) -> Derived {
        Derived { value, interval: None }
    }
}

/// What can stand in a table; each type has columns of its own.
pub trait Value: sealed::Sealed {
    /// The kind of figure.
    #[doc(hidden)]
    const KIND: Kind;
    /// The text of a cell, with this many decimals.
    #[doc(hidden)]
    fn show(&self, digits: usize) -> (String, Tone);
}

mod sealed {
    pub trait Sealed {}
}

/// Fixed decimals; a zero has no sign.
fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(positive) if positive.chars().all(|c| c == '0' || c == '.') => positive.to_owned(),
        _ => text,
    }
}

fn with_interval(value: f64, interval: Option<[f64; 2]>, digits: usize) -> String {
    let value = fixed(value, digits);
    match interval {
        Some([low, high]) => format!("{value} [{}, {}]", fixed(low, digits), fixed(high, digits)),
        None => value,
    }
}

macro_rules! values {
    ($($type:ident $kind:ident |$value:ident, $digits:ident| $show:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const KIND: Kind = Kind::$kind;
            fn show(&self, $digits: usize) -> (String, Tone) {
                let $value = self;
                $show
            }
        }
    )*};
}

values! {
    Text Text |value, _digits| (clean(&value.text), value.tone);
    Integer Integer |value, _digits| (value.0.to_string(), Tone::Plain);
    Count Counted |value, _digits| (value.0.to_string(), Tone::Plain);
    Predicted Predicted |value, digits| (fixed(value.0, digits), Tone::Plain);
    Published Published |value, digits| (fixed(value.0, digits), Tone::Plain);
    Measured Measured |value, digits| (with_interval(value.median, value.interval, digits), Tone::Plain);
    Derived Derived |value, digits| (with_interval(value.value, value.interval, digits), Tone::Plain);
}

/// A column of a table, for values of type `V` alone.
#[derive(Debug)]
pub struct Column<V> {
    index: usize,
    values: PhantomData<fn(V)>,
}

impl<V> Clone for Column<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Column<V> {}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row(usize);

/// A table: columns first, then rows. Leading columns of texts and integers are its keys: where a table is too wide and has
/// to be split, each part repeats them. A cell that is never set is shown as `-`.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) caption: String,
    pub(crate) method: String,
    pub(crate) heads: Vec<Head>,
    pub(crate) rows: Vec<Vec<Cell>>,
    pub(crate) footnotes: Vec<String>,
    pub(crate) notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub heading: String,
    pub unit: String,
    pub kind: Kind,
    digits: usize,
}

impl Head {
    /// Kind and unit, such as `predicted ns`; may be empty.
    pub fn qualifier(&self) -> String {
        format!("{} {}", self.kind.word(), self.unit).trim().to_owned()
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    pub text: String,
    pub tone: Tone,
    /// The footnotes, counted from 1.
    pub footnotes: Vec<usize>,
}

impl Table {
    /// A table without columns. `method` says how its figures came about and is shown under the table; it may be empty only
    /// where there are no figures but given ones.
    pub fn new(caption: &str, method: &str) -> Table {
        Table {
            caption: clean(caption),
            method: clean(method),
            heads: Vec::new(),
            rows: Vec::new(),
            footnotes: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a column of words.
    pub fn text_column(&mut self, heading: &str) -> Column<Text> {
        self.column(heading, "", 0)
    }

    /// Adds a column of given whole numbers.
    pub fn integer_column(&mut self, heading: &str, unit: &str) -> Column<Integer> {
        self.column(heading, unit, 0)
    }

    /// Adds a column of exact counts.
    pub fn count_column(&mut self, heading: &str, unit: &str) -> Column<Count> {
        self.column(heading, unit, 0)
    }

    /// Adds a column of predictions, shown with `digits` decimals.
    pub fn predicted_column(&mut self, heading: &str, unit: &str, digits: usize) -> Column<Predicted> {
        self.column(heading, unit, digits)
    }

    /// Adds a column of measurements with their intervals.
    pub fn measured_column(&mut self, heading: &str, unit: &str, digits: usize) -> Column<Measured> {
        self.column(heading, unit, digits)
    }

    /// Adds a column of published figures.
    pub fn published_column(&mut self, heading: &str, unit: &str, digits: usize) -> Column<Published> {
        self.column(heading, unit, digits)
    }

    /// Adds a column of figures that are computed from others.
    pub fn derived_column(&mut self, heading: &str, unit: &str, digits: usize) -> Column<Derived> {
        self.column(heading, unit, digits)
    }

    fn column<V: Value>(&mut self, heading: &str, unit: &str, digits: usize) -> Column<V> {
        assert!(self.rows.is_empty(), "the columns of '{}' have to be made before its rows", self.caption);
        let needs_method = !matches!(V::KIND, Kind::Text | Kind::Integer);
        assert!(
            !needs_method || !self.method.is_empty(),
            "table '{}' has figures but no method",
            self.caption
        );
        self.heads.push(Head { heading: clean(heading), unit: clean(unit), kind: V::KIND, digits });
        Column { index: self.heads.len() - 1, values: PhantomData }
    }

    /// Adds an empty row at the end.
    pub fn row(&mut self) -> Row {
        self.rows.push(vec![Cell::default(); self.heads.len()]);
        Row(self.rows.len() - 1)
    }

    /// Fills a cell.
    ///
    /// # Panics
    /// If row or column are another table's.
    pub fn set<V: Value>(&mut self, row: Row, column: Column<V>, value: impl Into<V>) -> &mut Table {
        let head = &self.heads[column.index];
        assert_eq!(head.kind, V::KIND, "a column of another table");
        let (text, tone) = value.into().show(head.digits);
        let cell = &mut self.rows[row.0][column.index];
        (cell.text, cell.tone) = (text, tone);
        self
    }

    /// Puts a numbered note under the table and its number into a cell; the same text gets the same number.
    pub fn mark<V: Value>(&mut self, row: Row, column: Column<V>, note: &str) -> &mut Table {
        let note = clean(note);
        let known = self.footnotes.iter().position(|known| *known == note);
        let index = known.unwrap_or_else(|| {
            self.footnotes.push(note);
            self.footnotes.len() - 1
        });
        self.rows[row.0][column.index].footnotes.push(index + 1);
        self
    }

    /// Puts a note under the table.
    pub fn note(&mut self, text: &str) -> &mut Table {
        self.notes.push(clean(text));
        self
    }

    /// How many of the leading columns say what a row is about.
    pub(crate) fn keys_count(&self) -> usize {
        let keys =
            self.heads.iter().take_while(|head| matches!(head.kind, Kind::Text | Kind::Integer)).count();
        // A table of nothing but words has its first column as key.
        if keys == self.heads.len() {
            keys.min(1)
        } else {
            keys
        }
    }

    /// Method, numbered notes and notes, each as it is to be read.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let method = (!self.method.is_empty()).then(|| format!("Method: {}", self.method));
        let footnotes = self.footnotes.iter().zip(1..).map(|(note, number)| format!("({number}) {note}"));
        method.into_iter().chain(footnotes).chain(self.notes.iter().cloned()).collect()
    }
}

impl Cell {
    /// The value, or `-` where there is none.
    pub fn value(&self) -> &str {
        if self.text.is_empty() {
            "-"
        } else {
            &self.text
        }
    }

    /// The numbers of its footnotes, such as `(1)(3)`.
    pub fn marks(&self) -> String {
        self.footnotes.iter().map(|number| format!("({number})")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_fixed_decimals_and_no_negative_zero() {
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-0.06, 1), "-0.1");
        assert_eq!(fixed(1234.5, 0), "1234");
        assert_eq!(with_interval(16.54, Some([16.21, 16.88]), 1), "16.5 [16.2, 16.9]");
    }

    #[test]
    fn footnotes_with_one_text_have_one_number() {
        let mut table = Table::new("t", "m");
        let (name, cycles) = (table.text_column("name"), table.predicted_column("la464", "cycles", 1));
        for _ in 0..2 {
            let row = table.row();
            table.set(row, name, "x").set(row, cycles, Predicted(1.0)).mark(row, cycles, "guessed");
        }
        assert_eq!(table.footnotes, ["guessed"]);
        assert_eq!(table.remarks(), ["Method: m", "(1) guessed"]);
        assert_eq!(table.keys_count(), 1);
    }

    #[test]
    #[should_panic(expected = "has figures but no method")]
    fn figures_without_a_method_are_refused() {
        Table::new("t", "").measured_column("here", "ns", 1);
    }
}
