// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Instruction bytes -> facts that every timing model needs and that no one CPU changes.
//!
//! LLVM's MC library decodes (`shim/`, the only place that knows it); this crate decides what of LLVM's tables is
//! true for timing. LLVM's tables often differ from that: they describe instructions for a compiler, which may call an
//! `mfspr` a load and a store to keep it in place, and which needs no carry bit in `addex`. Each architecture has one
//! module that opens with its peculiarities:
//! `power` (32 and 64 bits), `loongarch`, `x86`, `aarch64`, `riscv`.
//!
//! ```
//! let mut decoder = decode::Decoder::new(arch::Arch::Powerpc64le)?;
//! let adde = decoder.decode(&0x7c63_2114u32.to_le_bytes(), 0x1000)?;
//! assert_eq!(adde.mnemonic, "adde");
//! let ca = decoder.register("ca").unwrap();
//! assert!(adde.reads.contains(&ca));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aarch64;
#[cfg(test)]
mod agreement;
mod decoder;
mod facts;
mod instruction;
mod isa;
mod loongarch;
mod operand;
mod ports;
mod power;
mod registers;
mod riscv;
mod scheduling;
mod shim;
mod subtarget;
mod x86;

pub use decoder::{DecodeError, Decoder, Error, Reason};
pub use instruction::{Flow, Instruction, Role, Write};
pub use operand::{Address, Operand};
pub use power::versions::power_version;
pub use registers::{Register, RegisterKind};
pub use scheduling::{Entry, McaError, Model, Resource, Scheduling, SchedulingError};
pub use subtarget::Subtarget;
pub use x86::address::AddressForm;
