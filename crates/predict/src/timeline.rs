// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The lives of executed instructions, for people: terminal text and a self-contained HTML page.
//!
//! A line is an execution, a column a cycle: `D` dispatched, `.` on its way to the queues, `=` waiting for sources, `w` waiting
//! for a pipe, `e` executing, `-` waiting to complete in order, `R` completed; `{` before the line opens a dispatch group.

use crate::core::Event;
use std::fmt::Write;

mod page;

/// Events with the instructions they belong to.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The cpu's name.
    pub cpu: String,
    /// Address and text of each static instruction.
    pub texts: Vec<(u64, String)>,
    /// What happened, in program order.
    pub events: Vec<Event>,
    /// The cpu's units and the pipes of each, a bit for each.
    pub units: Vec<(String, u32)>,
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
        let mut out = format!("{}: cycles from {start}\n", self.cpu);
        let mut cut = false;
        for event in &self.events {
            let (address, text) = self.text_of(event);
            let mark = if event.opens_group { '{' } else { ' ' };
            let _ = write!(out, "{mark} {address:>8x} {text:<28.28} ");
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
