// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The trace file: what one run of a program executed, block by block, with the address of every memory access.
//!
//! The recorder is a QEMU plugin (`tracer/`); this crate is the other end: a streaming [`Reader`] with bounded memory.
//! A loop is one record with a count in the file, and the reader shows it: at the start of an iteration,
//! [`Reader::repetition`] tells how many iterations are left, and [`Reader::skip`] skips them in constant time.
//! `docs/trace-format.md` describes the bytes.
//!
//! ```no_run
//! use trace::{Event, Reader};
//! let mut reader = Reader::open("program.trace")?;
//! while let Some(event) = reader.next()? {
//!     if let Event::Block { id, accesses } = event {
//!         println!("block {id} with {} accesses", accesses.len());
//!     }
//! }
//! # Ok::<(), trace::Error>(())
//! ```

mod count;
mod error;
mod event;
mod format;
mod frames;
mod header;
mod held;
mod loops;
mod pages;
mod reader;
mod writer;

pub use count::{count, EntryCounts};
pub use error::Error;
pub use event::{Access, Block, Counts, Event, Leave, Repetition};
pub use header::{End, Header, Image, Region};
pub use held::Held;
pub use pages::{reach, Reach};
pub use reader::Reader;
pub use writer::{Item, Writer};
