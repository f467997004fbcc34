// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The eBPF library `libs/ebpf` for the tool: a safe interface to it, ELF objects, a text form, and statistics.
//!
//! [`Vm`] wraps the C library. [`Object`] reads what `clang -target bpf` (or `bpfeb`) writes and makes each function
//! with its callees one [`Program`], which [`Loaded`] runs with maps behind its map references. [`assemble`] and [`disassemble`] turn
//! programs into text and back. [`Census`] counts byte swaps and how many could merge with a load or store.
//! [`Plugin`] builds and runs the conformance plugin for any architecture, and [`conformance`] runs a suite through it.

mod assemble;
mod btf;
pub mod conformance;
mod elf;
mod ffi;
mod helpers;
mod listing;
mod loaded;
mod maps;
mod packet;
mod plugin;
mod slot;
mod stats;
mod vm;

pub use assemble::{assemble, AssembleError};
pub use elf::{ElfError, Object, Program};
pub use listing::{disassemble, Line};
pub use loaded::{Limits, Loaded};
use maps::Maps;
pub use maps::{MapDefinition, MapKind, Pointer};
pub use packet::{read_pcap, PacketContext};
pub use plugin::{Answer, Plugin, PluginError, Question};
pub use stats::Census;
pub use vm::{
    host_features, targets, CodeStats, Engine, Error, Features, Fusion, Helper, LddwKind, Options, Status,
    Swap, Target, Vm,
};

/// The byte order of a program's instructions: `bpfel` and `bpfeb` in LLVM's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little = 0,
    /// Most significant byte first.
    Big = 1,
}

impl ByteOrder {
    /// Of the machine that this runs on.
    pub const fn native() -> ByteOrder {
        if cfg!(target_endian = "big") {
            ByteOrder::Big
        } else {
            ByteOrder::Little
        }
    }
}

/// Bytes of one instruction slot.
pub const SLOT_BYTES: usize = 8;
