// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! eBPF (RFC 9669) in user space: libs/ebpf for Rust programs. The C library is built into the crate, so it need not be
//! installed; it interprets everywhere and compiles for x86-64, POWER and LoongArch.
//!
//! A [`Vm`] holds one program. [`Vm::load`] takes bytecode and verifies it, [`Vm::run`] runs it on a context, by the
//! interpreter or, after [`Vm::compile`], as machine code. Both check every access when [`Options::bounds`] is set, which
//! is what makes running safe; [`Options::budget_instructions`] stops programs that do not end by themselves.
//!
//! ```
//! use ebpf::{assemble, ByteOrder, Engine, Options, Target, Vm};
//!
//! // The length of the IPv4 header at r1, or 0 if the packet, of r2 bytes, is too short.
//! let text = "r0 = 0\nif r2 < 20 goto +3\nr0 = *(u8 *)(r1 + 0)\nr0 &= 15\nr0 <<= 2\nexit";
//! let bytecode = assemble(text, ByteOrder::Little)?;
//!
//! let options = Options { bounds: true, budget_instructions: Some(1000), ..Options::default() };
//! let mut vm = Vm::new(options).ok_or("no memory")?;
//! vm.load(&bytecode, ByteOrder::Little)?;
//! let mut packet = [0x45; 20];
//! assert_eq!(vm.run(Engine::Interpreter, &mut packet)?, 20);
//! assert_eq!(vm.run(Engine::Interpreter, &mut packet[..10])?, 0);
//!
//! # if ebpf::targets().contains(&std::env::consts::ARCH) {
//! vm.compile(&Target::default())?;
//! assert_eq!(vm.run(Engine::Compiled, &mut packet)?, 20);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A failure is an [`Error`]: its kind, a [`Status`], and the instruction that caused it, if one did:
//!
//! ```
//! # use ebpf::{assemble, ByteOrder, Engine, Options, Status, Vm};
//! let mut vm = Vm::new(Options { bounds: true, ..Options::default() }).ok_or("no memory")?;
//! let refused = vm.load(&assemble("r0 = *(u64 *)(r10 + 0)\nexit", ByteOrder::Little)?, ByteOrder::Little).unwrap_err();
//! assert_eq!((refused.status, refused.instruction), (Status::Program, Some(0)));
//!
//! vm.load(&assemble("r0 = *(u8 *)(r1 + 4)\nexit", ByteOrder::Little)?, ByteOrder::Little)?;
//! let stopped = vm.run(Engine::Interpreter, &mut [0; 4]).unwrap_err();
//! assert_eq!((stopped.status, stopped.instruction), (Status::Bounds, Some(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Vm::register_helper`] lets programs call functions of yours, [`Vm::register_region`] lets them access memory of yours;
//! each has an example. [`Object`] reads what `clang -target bpf` writes and links each global function with its callees
//! into one [`Program`], which [`Loaded`] runs with its maps and the common helpers. [`assemble`] and [`disassemble`]
//! convert programs from and to text. [`Census`] counts byte swaps and how many could merge with a load or store.
//! [`Plugin`] builds and runs the conformance plugin for any architecture, and [`conformance`] runs a suite through it.

mod assemble;
mod btf;
pub mod conformance;
mod elf;
mod ffi;
mod helper_names;
mod helpers;
mod keys;
mod listing;
mod loaded;
mod map;
mod maps;
mod packet;
mod plugin;
mod printk;
mod slot;
mod stats;
mod visible;
mod vm;
mod zeros;

pub use assemble::{assemble, AssembleError};
pub use elf::{ElfError, Object, Program};
pub use helper_names::helper_name;
pub use listing::{disassemble, disassemble_exactly, Line};
pub use loaded::{helper_numbers, Limits, Loaded};
pub use map::{MapDefinition, MapKind};
use maps::Maps;
pub use maps::Pointer;
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
    /// The byte order of the host.
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
