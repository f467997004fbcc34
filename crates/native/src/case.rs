// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A case: one loop as assembly text, and as the function that is run.
//!
//! Code, control block and data lie at fixed low addresses, so that recorded addresses are valid in every process. The
//! function saves the callee-saved registers, loads every register from the control block, runs the loop, and returns.

use object::{Object, ObjectSection, ObjectSymbol};
use std::fmt::Write;

/// Address of the control block: saved stack pointer, turns, then the registers' first values.
pub const CONTROL: u64 = 0x2000_0000;
/// Address of the code.
pub const CODE: u64 = 0x3000_0000;
/// Address of the data of generated loops; other pages that a block touches are mapped when it faults.
pub const DATA: u64 = 0x4000_0000;
/// Bytes of data that are mapped from the start.
pub const DATA_BYTES: u64 = 1 << 20;
/// First value of register `n`, in encoding order, is `DATA + FIRST + APART * n`.
pub const FIRST: u64 = 0x1000;
/// See `FIRST`.
pub const APART: u64 = 0x100;

/// Offsets in the control block.
pub(crate) const TURNS: u64 = 8;
pub(crate) const REGISTERS: u64 = 0x100;

/// The general registers in encoding order.
pub const GENERAL: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];

/// What a loop tests; errors are reported for each category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// One chain of dependent instructions.
    Chain,
    /// Instructions that are independent within a turn.
    Mix,
    /// Instructions that read what others wrote, at random.
    Flow,
    /// Loads that hit the first level, also as operands of other instructions.
    Loads,
    /// Stores.
    Stores,
    /// Loads of data stored just before, whole and in part.
    Forwarding,
    /// Unaligned accesses, some of them across lines.
    Unaligned,
    /// Loads that miss the first level.
    Misses,
    /// Branches in patterns.
    Branches,
    /// Calls and returns.
    Calls,
    /// Long loops, and loops at unaligned addresses.
    Fetch,
    /// Vectors of 128 and 256 bits.
    Vectors,
    /// A basic block of a real program.
    Block,
    /// A hand-written loop that shows one mechanism.
    Probe,
    /// A whole routine, which is no loop and has no text here.
    Routine,
}

impl Category {
    /// All that are generated.
    pub const GENERATED: [Category; 12] = [
        Category::Chain,
        Category::Mix,
        Category::Flow,
        Category::Loads,
        Category::Stores,
        Category::Forwarding,
        Category::Unaligned,
        Category::Misses,
        Category::Branches,
        Category::Calls,
        Category::Fetch,
        Category::Vectors,
    ];

    /// A name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Chain => "chain",
            Category::Mix => "mix",
            Category::Flow => "flow",
            Category::Loads => "loads",
            Category::Stores => "stores",
            Category::Forwarding => "forwarding",
            Category::Unaligned => "unaligned",
            Category::Misses => "misses",
            Category::Branches => "branches",
            Category::Calls => "calls",
            Category::Fetch => "fetch",
            Category::Vectors => "vectors",
            Category::Block => "block",
            Category::Probe => "probe",
            Category::Routine => "routine",
        }
    }
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name; that of a generated loop has its seed and number, which determine the loop.
    pub name: String,
    /// What it tests.
    pub category: Category,
    /// Functions that it calls, as assembly text.
    pub functions: String,
    /// Instructions before the loop.
    pub setup: String,
    /// Instructions of a turn, one a line; the decrement of the counter and the branch back are appended.
    pub body: String,
    /// The register that counts the turns down, of 64 bits.
    pub counter: &'static str,
    /// Bytes from a multiple of 64 to the start of the loop.
    pub offset: u32,
    /// Whether it is held out: not looked at while the model is tuned.
    pub held_out: bool,
}

/// A case as machine code for address `CODE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The bytes.
    pub code: Vec<u8>,
    /// Offset of the function.
    pub entry: u64,
    /// Offset of the first instruction of a turn.
    pub start: u64,
    /// Offset of the end, after the branch back.
    pub end: u64,
}

impl Program {
    /// Whether an address belongs to the loop or to what it calls.
    pub fn holds(&self, address: u64) -> bool {
        let offset = address.wrapping_sub(CODE);
        offset < self.entry || (self.start..self.end).contains(&offset)
    }
}

/// The most bytes of code of one case.
pub const CASE_BYTES: u64 = 32 << 10;

impl Case {
    /// The case as assembly text (Intel syntax); `number` makes its labels unique.
    fn assembly(&self, number: usize) -> String {
        let mut text =
            format!(".p2align 6\nfunctions_{number}:\n{}\n.p2align 6\nentry_{number}:\n", self.functions);
        let saved = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
        saved.iter().for_each(|register| writeln!(text, "push {register}").expect("text grows"));
        writeln!(text, "mov qword ptr [{CONTROL}], rsp").expect("text grows");
        // With non-zero upper halves, each transition between legacy SSE and VEX code would cost a hundred cycles on AMD.
        for vector in 0..16 {
            writeln!(text, "vmovups xmm{vector}, xmmword ptr [{}]", CONTROL + REGISTERS + 128)
                .expect("text grows");
        }
        for (number, register) in GENERAL.iter().enumerate() {
            let from = if *register == self.counter { TURNS } else { REGISTERS + 8 * number as u64 };
            writeln!(text, "mov {register}, qword ptr [{}]", CONTROL + from).expect("text grows");
        }
        let nops = if self.offset == 0 { String::new() } else { format!(".nops {}\n", self.offset) };
        // mfence: earlier stores are in the cache when the loop starts, else loads might be renamed to them. test: the carry
        // and overflow flags start clear.
        writeln!(text, "{}\nmfence\ntest rsp, rsp\n.p2align 6\n{nops}start_{number}:", self.setup)
            .expect("text grows");
        writeln!(text, "{}\ndec {}\njnz start_{number}\nend_{number}:", self.body, self.counter)
            .expect("text grows");
        writeln!(text, "mov rsp, qword ptr [{CONTROL}]").expect("text grows");
        saved.iter().rev().for_each(|register| writeln!(text, "pop {register}").expect("text grows"));
        text + "vzeroupper\ncld\nret\n"
    }
}

/// All cases as one assembly file.
pub fn assembly(cases: &[Case]) -> String {
    let mut text = String::from(".intel_syntax noprefix\n.text\n");
    cases.iter().enumerate().for_each(|(number, case)| text += &case.assembly(number));
    writeln!(text, ".p2align 6\nfunctions_{}:", cases.len()).expect("text grows");
    text
}

/// The object file assembled from [`assembly`] cannot be read, or lacks code or symbols.
#[derive(Debug, thiserror::Error)]
#[error("the assembled loops cannot be read: {0}")]
pub struct ObjectError(String);

/// Extracts the cases from the object file, in their order.
pub fn programs(object: &[u8], count: usize) -> Result<Vec<Program>, ObjectError> {
    let wrong = |error: object::Error| ObjectError(error.to_string());
    let file = object::File::parse(object).map_err(wrong)?;
    let text = file.section_by_name(".text").ok_or_else(|| ObjectError("no code".into()))?;
    let text = text.data().map_err(wrong)?;
    let symbols: std::collections::HashMap<&str, u64> =
        file.symbols().filter_map(|symbol| Some((symbol.name().ok()?, symbol.address()))).collect();
    let find = |stem: &str, number: usize| {
        let name = format!("{stem}_{number}");
        symbols.get(name.as_str()).copied().ok_or_else(|| ObjectError(format!("no symbol {name}")))
    };
    let one = |number: usize| {
        let (first, behind) = (find("functions", number)?, find("functions", number + 1)?);
        let code = text.get(first as usize..behind as usize).unwrap_or_default().to_vec();
        let at = |stem| Ok(find(stem, number)? - first);
        Ok(Program { code, entry: at("entry")?, start: at("start")?, end: at("end")? })
    };
    (0..count).map(one).collect()
}
