// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The lives of executed instructions, for people: terminal text and a self-contained HTML page.
//!
//! A line is an execution, a column a cycle: `D` dispatched, `=` waiting for sources, `w` waiting for a pipe,
//! `e` executing, `-` waiting to complete in order, `R` completed; `{` before the line opens a dispatch group.

use crate::core::Event;
use std::fmt::Write;

/// Events with the instructions they belong to.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The cpu's name.
    pub cpu: String,
    /// Address and text of each static instruction.
    pub texts: Vec<(u64, String)>,
    /// What happened, in program order.
    pub events: Vec<Event>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Timeline {
    pub(crate) fn new(cpu: &str, texts: Vec<(u64, String)>, events: Vec<Event>) -> Timeline {
        Timeline { cpu: cpu.to_owned(), texts, events }
    }

    fn start(&self) -> u64 {
        self.events.iter().map(|event| event.dispatch).min().unwrap_or(0)
    }

    fn end_of(event: &Event) -> u64 {
        if event.complete == u64::MAX {
            event.finish
        } else {
            event.complete
        }
    }

    fn text_of(&self, event: &Event) -> (u64, String) {
        let (address, text) = self.texts.get(event.op as usize).cloned().unwrap_or_default();
        (address, text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn letter(event: &Event, cycle: u64) -> char {
        match cycle {
            _ if cycle < event.dispatch || cycle > Timeline::end_of(event) => ' ',
            _ if cycle == event.dispatch => 'D',
            _ if cycle == Timeline::end_of(event) => 'R',
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

    /// A page that needs nothing else.
    pub fn html(&self) -> String {
        const STYLE: &str = "body{font:13px system-ui;margin:1em}table{border-collapse:collapse}td{padding:0 .5em;white-space:nowrap}\
            td.c{font-family:monospace}tr.g td{border-top:1px solid #999}svg rect{shape-rendering:crispEdges}";
        const COLOURS: [(&str, &str, &str); 5] = [
            ("dispatched", "#4477aa", "D"),
            ("waits for sources", "#ccbb44", "="),
            ("waits for a pipe", "#ee6677", "w"),
            ("executes", "#228833", "e"),
            ("waits to complete", "#cccccc", "-"),
        ];
        let start = self.start();
        let mut out = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}: timeline</title><style>{STYLE}</style><h1>{0}</h1><p>",
            escape(&self.cpu)
        );
        for (name, colour, _) in COLOURS {
            let _ = write!(out, "<span style=\"background:{colour}\">&nbsp;&nbsp;</span> {name} &nbsp; ");
        }
        out += "</p><table>";
        for event in &self.events {
            let (address, text) = self.text_of(event);
            let end = Timeline::end_of(event);
            let spans = [
                (event.dispatch, event.dispatch + 1),
                (event.dispatch + 1, event.ready),
                (event.ready.max(event.dispatch + 1), event.issue),
                (event.issue, event.finish),
                (event.finish, end),
            ];
            let group = if event.opens_group { " class=\"g\"" } else { "" };
            let width = 6 * (end - start.min(end) + 1).min(4000);
            let _ = write!(
                out,
                "<tr{group}><td class=\"c\">{address:x}<td class=\"c\">{}<td>{}<td><svg width=\"{width}\" height=\"12\">",
                escape(&text),
                event.cause.name()
            );
            for ((from, to), (name, colour, _)) in spans.into_iter().zip(COLOURS) {
                if to > from {
                    let _ = write!(
                        out,
                        "<rect x=\"{}\" y=\"1\" width=\"{}\" height=\"10\" fill=\"{colour}\"><title>{name}: cycles {from} to {to}</title></rect>",
                        6 * (from - start.min(from)),
                        6 * (to - from)
                    );
                }
            }
            out += "</svg>";
        }
        out += "</table></html>\n";
        out
    }
}
