// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a decoded instruction is: the types that the rest of Assay sees.

use arch::Arch;

use crate::operand::Operand;
use crate::registers::Register;

/// What a result is, because cores deliver them at different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The value computed or loaded.
    Value,
    /// The upper half of a product or the remainder of a division, where the other half or the quotient goes to a register of its
    /// own (x86's `mul`, `mulx`, `div`).
    Upper,
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
    /// A direct jump.
    Branch {
        /// Where it goes when taken.
        target: u64,
    },
    /// A call; the target is known if it is direct.
    Call {
        /// Where it goes, for a direct call.
        target: Option<u64>,
    },
    /// A return through the link register or the stack.
    Return,
    /// A jump through a register.
    Indirect,
    /// A system call, trap or return from an interrupt.
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
    /// LLVM's opcode name, for messages; empty for what LLVM does not know.
    pub opcode_name: String,
    /// Disassembly for people, aliases allowed.
    pub text: String,
    /// Registers whose values form the address of a memory access, or of a prefetch or cache operation, which is
    /// neither `load` nor `store`. Empty without one.
    pub address_reads: Vec<Register>,
    /// Registers whose values are stored to memory as they are (empty for all but stores). x86's `add [rdi], rax` has
    /// none: what it stores is its own result, and `rax` is among `reads`.
    pub store_reads: Vec<Register>,
    /// All other registers read, the merged-into destination of a partial write included.
    pub reads: Vec<Register>,
    /// Registers written. Writes to a hard-wired zero register are left out, and so are reads of one.
    pub writes: Vec<Write>,
    /// May read memory.
    pub load: bool,
    /// May write memory.
    pub store: bool,
    /// Bytes of one access, as the ISA defines it (16 for lvx, 4*n for lmw); 0 when it depends on data (lxvl, masked
    /// vectors) or on the cpu (dcbz). Gathers and indexed vector accesses: bytes of one element.
    pub access_bytes: u16,
    /// Change of control flow.
    pub flow: Flow,
    /// Whether that depends on a condition, and it may fall through: of jumps everywhere, on POWER of calls and returns, too.
    pub conditional: bool,
    /// What the ISA defines as doing nothing: `nop`, POWER's `ori 0,0,0`, LoongArch's `andi $zero,$zero,0`.
    pub no_operation: bool,
    /// What it names, the destinations first; empty for what LLVM does not know.
    pub operands: Vec<Operand>,
}

impl Instruction {
    /// Represents bytes in which no instruction was found, so that callers can count and place them: the mnemonic is
    /// `unknown`, the length the ISA's smallest step (4; 2 for a RISC-V parcel that is encoded as compressed; 1 on
    /// x86-64), never more than `bytes` holds, and there are no facts.
    pub fn unknown(arch: Arch, bytes: &[u8], address: u64) -> Instruction {
        let step = match arch {
            Arch::X86_64 => 1,
            Arch::Riscv64 if bytes.first().is_some_and(|byte| byte & 3 != 3) => 2,
            _ => 4,
        };
        let length = step.min(bytes.len());
        let mut encoding = [0; 16];
        encoding[..length].copy_from_slice(&bytes[..length]);
        Instruction {
            address,
            bytes: encoding,
            length: length as u8,
            mnemonic: "unknown".to_owned(),
            opcode_name: String::new(),
            text: format!("unknown {}", hexadecimal(&bytes[..length])),
            address_reads: Vec::new(),
            store_reads: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            load: false,
            store: false,
            access_bytes: 0,
            flow: Flow::Next,
            conditional: false,
            no_operation: false,
            operands: Vec::new(),
        }
    }

    /// The encoding without the padding.
    pub fn encoding(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// Bytes in memory order, as `7c 63 21 14`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}
