// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The lives of executed instructions, for people: terminal text and a self-contained HTML page.

use crate::core::Event;

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

impl Timeline {
    pub(crate) fn new(cpu: &str, texts: Vec<(u64, String)>, events: Vec<Event>) -> Timeline {
        Timeline { cpu: cpu.to_owned(), texts, events }
    }
}
