// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What Assay tells people and programs: one report model with renderers for the terminal, a mail, Markdown and HTML, and
//! the records that `--json` prints.
//!
//! A [`Report`] has sections, a section has paragraphs, tables and verbatim text. A [`Table`] knows of each column what
//! kind of figure it holds, and its type keeps predictions and measurements apart: a [`Column<Predicted>`](Column) takes no
//! [`Measured`], so they cannot share a column by mistake. Every table is made with the method behind its figures.
//!
//! Renderers never fail and never trust a text: control characters are replaced when a text enters the model, each format's
//! own syntax is escaped when it leaves. Records ([`record`]) are not reports: they carry full numbers, and reports may be
//! made from them.

mod html;
mod layout;
mod mail;
mod markdown;
mod model;
mod plain;
pub mod record;
mod table;
mod terminal;
mod text;

pub use html::html;
pub use mail::{mail, MAIL_WIDTH};
pub use markdown::markdown;
pub use model::{Block, Report, Section};
pub use table::{
    Column, Count, Derived, Integer, Kind, Measured, Predicted, Published, Row, Table, Text, Tone, Value,
};
pub use terminal::{terminal, Terminal};
pub use text::clean_lines;
