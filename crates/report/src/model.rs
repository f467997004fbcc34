// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The report: what is said, apart from how it is shown.

use crate::table::Table;
use crate::text::{clean, clean_lines};

/// A report: a title and sections, in the order in which they are read.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
}

/// A part of a report under its own heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// Running text; line breaks in it do not matter.
    Paragraph(String),
    /// Lines that keep their breaks and columns: a listing, a command with its output.
    Verbatim(Vec<String>),
    /// A table.
    Table(Table),
}

impl Report {
    /// A report without sections.
    pub fn new(title: &str) -> Report {
        Report { title: clean(title), sections: Vec::new() }
    }

    /// Adds a section and gives it, to be filled.
    pub fn section(&mut self, heading: &str) -> &mut Section {
        self.sections.push(Section { heading: clean(heading), blocks: Vec::new() });
        self.sections.last_mut().expect("just added")
    }
}

impl Section {
    /// Adds running text.
    pub fn paragraph(&mut self, text: &str) -> &mut Section {
        self.blocks.push(Block::Paragraph(clean(text)));
        self
    }

    /// Adds lines that are shown as they are.
    pub fn verbatim(&mut self, text: &str) -> &mut Section {
        self.blocks.push(Block::Verbatim(clean_lines(text)));
        self
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) -> &mut Section {
        self.blocks.push(Block::Table(table));
        self
    }
}
