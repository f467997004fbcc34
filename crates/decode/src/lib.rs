// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Instruction bytes -> facts that every timing model needs and that no one CPU changes.

/// One architectural register, numbered per architecture; `Decoder::register_name` gives its name.
///
/// Overlapping names are one register (`w0` and `x0`; `f0`, `vs0` and the like; `ymm3` and `zmm3`), and what can
/// be renamed on its own is one of its own: each CR field, CA, OV, each x86 flag group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u16);

/// What a result is, because cores deliver them at different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The value computed or loaded.
    Value,
    /// The carry or overflow bit (POWER's CA/OV/CA32).
    Carry,
    /// A condition field or flags (POWER's CR fields, x86 flags, AArch64 NZCV, LoongArch fcc).
    Condition,
    /// The base register of an update-form access.
    BaseUpdate,
    /// A link or count register written by a branch or a move-to.
    Link,
}

/// A register written, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The register.
    pub register: Register,
    /// What the result is.
    pub role: Role,
}

/// How an instruction changes the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Falls through.
    Next,
    /// A direct jump; `conditional` tells whether it may fall through.
    Branch {
        /// Whether it may fall through.
        conditional: bool,
        /// Where it goes when taken.
        target: u64,
    },
    /// A call; the target is known if it is direct.
    Call {
        /// Where it goes, for a direct call.
        target: Option<u64>,
    },
    /// A return through the link register or the stack; may be conditional on POWER.
    Return,
    /// A jump through a register.
    Indirect,
    /// A system call or trap.
    System,
}

/// One decoded machine instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it stands.
    pub address: u64,
    /// Its encoding, `length` bytes of it.
    pub bytes: [u8; 16],
    /// Bytes of encoding, 1 to 15.
    pub length: u8,
    /// The ISA's own mnemonic in lower case, never an alias: `rldicl`, not `clrldi`; with its dot: `add.`.
    pub mnemonic: String,
    /// LLVM's opcode name, for fallback scheduling tables and messages.
    pub opcode_name: String,
    /// Disassembly for people, aliases allowed.
    pub text: String,
    /// Registers whose values form the address of a memory access (empty without one).
    pub address_reads: Vec<Register>,
    /// Registers whose values are stored to memory (empty for all but stores).
    pub store_reads: Vec<Register>,
    /// All other registers read.
    pub reads: Vec<Register>,
    /// Registers written. Writes to a hard-wired zero register are left out, and so are reads of one.
    pub writes: Vec<Write>,
    /// May read memory.
    pub load: bool,
    /// May write memory.
    pub store: bool,
    /// Bytes of one access, as the ISA defines it (16 for lvx, 4*n for lmw); 0 when it depends on data.
    pub access_bytes: u16,
    /// Change of control flow.
    pub flow: Flow,
}
