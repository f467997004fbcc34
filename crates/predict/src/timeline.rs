// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The lives of executed instructions, for people: terminal text and a self-contained HTML page.
//!
//! A line is an execution, a column a cycle: `D` dispatched, `.` on its way to the queues, `=` waiting for sources, `w` waiting
//! for a pipe, `e` executing, `-` waiting to complete in order, `R` completed; `{` before the line opens a dispatch group.

use crate::core::Event;
use decode::{Instruction, Role};
use std::collections::BTreeMap;
use std::fmt::Write;

mod page;

/// The most columns for the place of an instruction; of a longer one the end is shown.
const PLACE_COLUMNS_MAX: usize = 24;
/// The fewest columns for cycles.
const COLUMNS_MIN: usize = 16;

/// An instruction's text with names for the addresses of code.
fn with_names(text: &str, name_of: &impl Fn(u64) -> Option<String>) -> String {
    let word = |word: &str| {
        let digits = word.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        digits.and_then(name_of).unwrap_or_else(|| word.to_owned())
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// The last characters of a text.
fn ending_of(text: &str, columns_max: usize) -> String {
    let length = text.chars().count();
    text.chars().skip(length.saturating_sub(columns_max)).collect()
}

/// The registers that an instruction reads and writes, by their numbers in `decode`, and as what it writes them.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    pub(crate) reads: Vec<u16>,
    pub(crate) writes: Vec<(u16, Role)>,
}

impl Registers {
    pub(crate) fn of(instruction: &Instruction) -> Registers {
        let reads = [&instruction.address_reads, &instruction.store_reads, &instruction.reads];
        Registers {
            reads: reads.into_iter().flatten().map(|register| register.0).collect(),
            writes: instruction.writes.iter().map(|write| (write.register.0, write.role)).collect(),
        }
    }
}

/// Events with the instructions they belong to.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The cpu's name.
    pub cpu: String,
    /// Address and text of each static instruction.
    pub texts: Vec<(u64, String)>,
    /// The registers of each static instruction.
    pub registers: Vec<Registers>,
    /// What happened, in program order.
    pub events: Vec<Event>,
    /// The cpu's units and the pipes of each, a bit for each.
    pub units: Vec<(String, u32)>,
    /// Where the code is, by its address: `FUNCTION+0x10`; an address without a name is not here.
    pub places: BTreeMap<u64, String>,
}

impl Timeline {
    fn start(&self) -> u64 {
        self.events.iter().map(|event| event.dispatch).min().unwrap_or(0)
    }

    pub(crate) fn end_of(event: &Event) -> u64 {
        if event.complete == u64::MAX {
            event.finish
        } else {
            event.complete
        }
    }

    /// Address and text of an event's instruction.
    pub(crate) fn text_of(&self, event: &Event) -> (u64, String) {
        let (address, text) = self.texts.get(event.op as usize).cloned().unwrap_or_default();
        (address, text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Names the places of the code that the events are of, and those that its branches go to.
    pub fn name(&mut self, name_of: impl Fn(u64) -> Option<String>) {
        let addresses =
            self.events.iter().filter_map(|event| self.texts.get(event.op as usize)).map(|text| text.0);
        self.places = addresses.filter_map(|address| Some((address, name_of(address)?))).collect();
        for event in &self.events {
            if let Some((_, text)) = self.texts.get_mut(event.op as usize) {
                *text = with_names(text, &name_of);
            }
        }
    }

    /// `FUNCTION+0x10`, or the address where the function is not known; without blanks.
    pub(crate) fn place_of(&self, address: u64) -> String {
        self.places.get(&address).map_or_else(|| format!("{address:x}"), |name| name.replace(' ', "_"))
    }

    fn letter(event: &Event, cycle: u64) -> char {
        match cycle {
            _ if cycle < event.dispatch || cycle > Timeline::end_of(event) => ' ',
            _ if cycle == event.dispatch => 'D',
            _ if cycle == Timeline::end_of(event) => 'R',
            _ if cycle < event.start.min(event.issue) => '.',
            _ if cycle < event.ready => '=',
            _ if cycle < event.issue => 'w',
            _ if cycle < event.finish => 'e',
            _ => '-',
        }
    }

    /// Lines of text; cycles beyond `columns` are cut off, which the last line says.
    pub fn text(&self, columns: usize) -> String {
        let start = self.start();
        let places = self.events.iter().map(|event| self.place_of(self.text_of(event).0).chars().count());
        let place_columns = places.max().unwrap_or(0).clamp(8, PLACE_COLUMNS_MAX);
        let columns = columns.saturating_sub(place_columns - 8).max(COLUMNS_MIN);
        let mut out = format!("{}: cycles from {start}\n", self.cpu);
        let mut cut = false;
        for event in &self.events {
            let (address, text) = self.text_of(event);
            let mark = if event.opens_group { '{' } else { ' ' };
            let place = ending_of(&self.place_of(address), place_columns);
            let _ = write!(out, "{mark} {place:>place_columns$} {text:<28.28} ");
            let end = Timeline::end_of(event).saturating_sub(start) as usize;
            cut |= end >= columns;
            let line: String = (0..=end.min(columns - 1))
                .map(|column| Timeline::letter(event, start + column as u64))
                .collect();
            let _ = writeln!(out, "{}", line.trim_end());
        }
        if cut {
            let _ = writeln!(out, "(cut off after {columns} cycles)");
        }
        out
    }
}
