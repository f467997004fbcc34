// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Proof, for all inputs, that a straight-line variant computes what its hot path promises.
//!
//! [`prove`] judges the assembled bytes of an object file: it decodes them, executes them symbolically (`isa`, over
//! `machine`), and asks z3 for an input on which the result differs from the contract. The tests evaluate the same terms
//! with numbers and compare them with QEMU, so the semantics that a proof rests on are tested. Besides the result, the
//! stack pointer and the callee-saved registers have to come back unchanged, and no byte may be read or written but those of
//! the contract, the function's own frame, the red zone below it and on 64-bit POWER the word that is lent above it: what lies
//! beside them may be on a page that faults.
//!
//! Branches other than the final return, and instructions without semantics, are answered with
//! [`Verdict::Cannot`] and the instruction's text: no proof, no guess.

mod abi;
mod entry;
pub mod isa;
pub mod machine;
mod smt;
pub mod term;

use std::collections::HashMap;

use abi::Abi;
use arch::Arch;
use decode::{Decoder, Flow, Instruction};
use entry::Entry;
use machine::State;
use object::{Object, ObjectSection, ObjectSymbol};
use term::Term;

/// The most instructions that are executed before the return; more are refused.
const INSTRUCTIONS_MAX: usize = 256;

/// Why there is no verdict at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// z3 is missing or did not run.
    #[error("cannot run the SMT solver z3: {0}; install the package z3")]
    NoSolver(std::io::Error),
    /// z3's output is not an answer.
    #[error("the SMT solver z3 failed: {0}")]
    Solver(String),
    /// The object file cannot be read, or does not define the function.
    #[error("{0}")]
    Object(String),
    /// No decoder for the architecture.
    #[error("{0}")]
    Decode(String),
}

/// What a function has to do, for all inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contract {
    /// Returns the low bits of the argument, bytes reversed, zero-extended.
    Swap(u32),
    /// Returns the bits at the address in the argument, bytes reversed, zero-extended.
    LoadSwap(u32),
    /// Stores the low bits of the second argument, bytes reversed, at the address in the first.
    StoreSwap(u32),
}

impl Contract {
    /// The contract of a byteswap hot path by its symbol (`swap16`, `load_swap64`, ...), if it has one that can be proved.
    pub fn of_symbol(symbol: &str) -> Option<Contract> {
        type Make = fn(u32) -> Contract;
        let forms: [(&str, Make); 3] = [
            ("load_swap", Contract::LoadSwap),
            ("store_swap", Contract::StoreSwap),
            ("swap", Contract::Swap),
        ];
        let (prefix, make) = forms.into_iter().find(|(prefix, _)| symbol.starts_with(prefix))?;
        match &symbol[prefix.len()..] {
            "16" => Some(make(16)),
            "32" => Some(make(32)),
            "64" => Some(make(64)),
            _ => None,
        }
    }
}

/// The outcome of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The contract holds for all inputs.
    Proved {
        /// Instructions from entry (on 64-bit POWER the local one) to return, inclusive.
        instructions: usize,
    },
    /// The contract fails on this input.
    Refuted(Counterexample),
    /// The proof could not be attempted or finished; says at which instruction and why.
    Cannot(String),
}

/// An input on which a function does the wrong thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What is wrong: "result", "register r14 after return", "byte written at r1-400", "byte read at r3+4".
    pub what: String,
    /// The values of the inputs that matter, by register or memory byte, sorted by name.
    pub inputs: Vec<(String, u128)>,
    /// What the function yields.
    pub got: u128,
    /// What the contract demands.
    pub want: u128,
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs: Vec<_> = self.inputs.iter().map(|(name, value)| format!("{name}={value:#x}")).collect();
        let (what, got, want) = (&self.what, self.got, self.want);
        // A byte that is read where it must not be changes no value.
        if got == want {
            return write!(f, "{what}: it is no byte of the contract, and may be on a page that faults");
        }
        write!(f, "{what}: with {} got {got:#x}, want {want:#x}", inputs.join(" "))
    }
}

/// The bytes of a function in an object file, up to the end of its section, its address there, and where it is entered.
fn function_bytes<'a>(
    arch: Arch,
    object: &object::File<'a>,
    symbol: &str,
) -> Result<(&'a [u8], u64, Entry), Error> {
    let found = object
        .symbols()
        .find(|s| s.name() == Ok(symbol) && !s.is_undefined())
        .ok_or_else(|| Error::Object(format!("the object file does not define {symbol}")))?;
    let index = found.section_index().ok_or_else(|| Error::Object(format!("{symbol} is in no section")))?;
    let section = object.section_by_index(index).map_err(|e| Error::Object(e.to_string()))?;
    let data = section.data().map_err(|e| Error::Object(e.to_string()))?;
    let start = usize::try_from(found.address() - section.address())
        .ok()
        .filter(|start| *start < data.len())
        .ok_or_else(|| Error::Object(format!("{symbol} lies outside its section")))?;
    Ok((&data[start..], found.address(), Entry::of(arch, &found)))
}

/// Whether `symbol` in the object file (of the architecture given) fulfils the contract for all inputs.
pub fn prove(arch: Arch, object: &[u8], symbol: &str, contract: Contract) -> Result<Verdict, Error> {
    let object = object::File::parse(object).map_err(|e| Error::Object(e.to_string()))?;
    let (bytes, address, entry) = function_bytes(arch, &object, symbol)?;
    if let Err(reason) = entry.check_prologue(arch, bytes, address)? {
        return Ok(Verdict::Cannot(reason));
    }
    let local = entry.local_offset.min(bytes.len());
    prove_from_local(arch, &bytes[local..], address + local as u64, contract, entry.keeps_toc)
}

/// As [`prove`], for code given as bytes, such as a JIT's.
pub fn prove_bytes(arch: Arch, bytes: &[u8], address: u64, contract: Contract) -> Result<Verdict, Error> {
    prove_from_local(arch, bytes, address, contract, Entry::ONLY.keeps_toc)
}

fn prove_from_local(
    arch: Arch,
    bytes: &[u8],
    address: u64,
    contract: Contract,
    keeps_toc: bool,
) -> Result<Verdict, Error> {
    let start = State::new(arch);
    let mut state = start.clone();
    let instructions = match run_to_return(bytes, address, &mut state)? {
        Ok(instructions) => instructions,
        Err(reason) => return Ok(Verdict::Cannot(reason)),
    };
    if let Some(what) = stray_read(&state, contract, keeps_toc) {
        return Ok(Verdict::Refuted(Counterexample { what, inputs: Vec::new(), got: 0, want: 0 }));
    }
    for (what, got, want) in obligations(&start, &state, contract, keeps_toc) {
        match smt::check(&got.equal(&want))? {
            smt::Answer::Valid => {}
            smt::Answer::Fails(values) => {
                return Ok(Verdict::Refuted(counterexample(what, &got, &want, values)));
            }
            smt::Answer::Unknown(why) => {
                return Ok(Verdict::Cannot(format!("the solver gave up on the {what}: {why}")));
            }
        }
    }
    Ok(Verdict::Proved { instructions })
}

/// Executes code symbolically from its first byte to its return; gives the number of instructions. The inner error names the
/// instruction that cannot be executed.
pub fn run_to_return(bytes: &[u8], address: u64, state: &mut State) -> Result<Result<usize, String>, Error> {
    let mut decoder = Decoder::new(state.arch()).map_err(|e| Error::Decode(e.to_string()))?;
    let mut offset = 0;
    for count in 1..=INSTRUCTIONS_MAX {
        let rest = &bytes[offset.min(bytes.len())..];
        let here = address + offset as u64;
        let instruction = match decoder.decode(rest, here) {
            Ok(instruction) => instruction,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match instruction.flow {
            Flow::Return if plain_return(&instruction) => return Ok(Ok(count)),
            Flow::Next => {
                if let Err(reason) = isa::step(&instruction, state) {
                    let text = instruction.text.trim().replace('\t', " ");
                    return Ok(Err(format!("{text} at {here:#x}: {reason}")));
                }
            }
            _ => {
                let text = instruction.text.trim().replace('\t', " ");
                return Ok(Err(format!("{text} at {here:#x}: not a straight line")));
            }
        }
        offset += usize::from(instruction.length);
    }
    Ok(Err(format!("no return within {INSTRUCTIONS_MAX} instructions")))
}

/// Whether it is the ABI's return and nothing else. What the decoder takes for a return may also be conditional (POWER), go
/// through another register or past the return address (AArch64, RISC-V, LoongArch), or pop arguments (x86-64); LLVM prints
/// each of those with operands or under another name.
fn plain_return(instruction: &Instruction) -> bool {
    let words: Vec<&str> = instruction.text.split_whitespace().collect();
    matches!(words[..], ["ret" | "blr"] | ["rep", "ret"])
}

/// All triples (what, got, want) in which `got` has to equal `want` for all inputs.
fn obligations(start: &State, end: &State, contract: Contract, keeps_toc: bool) -> Vec<(String, Term, Term)> {
    let mut abi = Abi::of(start.arch());
    abi.preserved.retain(|name| keeps_toc || name != entry::TOC);
    let word = start.word();
    let mut all = Vec::new();
    match contract {
        Contract::Swap(bits) => {
            let input = wide(start, &abi, abi.arguments[0], bits);
            all.push(result(end, &abi, &input.extract(0, bits).reverse_bytes()));
        }
        Contract::LoadSwap(bits) => {
            let bytes = (0..i64::from(bits / 8)).map(|i| start.byte(abi.arguments[0], i));
            let plain = Term::join(&bytes.collect::<Vec<_>>());
            let swapped = if start.arch().big_endian() { plain.reverse_bytes() } else { plain };
            all.push(result(end, &abi, &swapped));
        }
        Contract::StoreSwap(bits) => {
            // On 32-bit POWER, a 64-bit value is an aligned pair of registers: r5 and r6, not r4 and r5.
            let pair = bits > word;
            let value = wide(start, &abi, if pair { "r5" } else { abi.arguments[1] }, bits).extract(0, bits);
            for i in 0..bits / 8 {
                // The stored value is swapped, so this is the reverse of the machine's order.
                let low = if start.arch().big_endian() { 8 * i } else { bits - 8 - 8 * i };
                let got = end.byte(abi.arguments[0], i.into());
                all.push((format!("byte {i} stored"), got, value.extract(low, 8)));
            }
        }
    }
    for (name, value) in end.written() {
        let before = start.read(name, value.bits());
        let what = format!("register {name} after return");
        if abi.preserved.iter().any(|preserved| preserved == name) {
            all.push((what, value.clone(), before));
        } else if abi.preserved_high.iter().any(|preserved| preserved == name) {
            all.push((what, value.extract(64, 64), before.extract(64, 64)));
        }
    }
    for (base, offset, value) in end.stored() {
        let granted = match contract {
            Contract::StoreSwap(bits) if base == abi.arguments[0] => {
                (0..i64::from(bits / 8)).contains(&offset)
            }
            _ => base == abi.stack_pointer && abi.is_own(offset) && end.protected(offset),
        };
        if !granted {
            all.push((format!("byte written at {base}{offset:+}"), value.clone(), start.byte(base, offset)));
        }
    }
    all
}

/// The first byte that is read and is neither the contract's nor the function's: its frame, the red zone, what is lent to it,
/// and on 64-bit POWER what the program keeps around the TOC pointer.
fn stray_read(end: &State, contract: Contract, keeps_toc: bool) -> Option<String> {
    let abi = Abi::of(end.arch());
    let bytes = match contract {
        Contract::LoadSwap(bits) | Contract::StoreSwap(bits) => i64::from(bits / 8),
        Contract::Swap(_) => 0,
    };
    let has_toc = keeps_toc && matches!(end.arch(), Arch::Powerpc64 | Arch::Powerpc64le);
    let granted = |base: &str, offset: i64| {
        base == abi.arguments[0] && (0..bytes).contains(&offset)
            || base == abi.stack_pointer && abi.is_own(offset)
            || base == entry::TOC && has_toc
    };
    let mut stray = end.loaded().filter(|(base, offset)| !granted(base, *offset));
    stray.next().map(|(base, offset)| format!("byte read at {base}{offset:+}"))
}

/// An argument or result that may be wider than a register: `register` holds the high word, the next register the low one.
fn wide(state: &State, abi: &Abi, register: &str, bits: u32) -> Term {
    let word = state.word();
    let first = state.read(register, word);
    if bits <= word {
        return first;
    }
    let next = match register {
        "r3" => abi.arguments[1],
        _ => "r6",
    };
    first.concat(&state.read(next, word))
}

fn result(end: &State, abi: &Abi, want: &Term) -> (String, Term, Term) {
    let got = wide(end, abi, abi.result, want.bits());
    let width = got.bits();
    ("result".to_owned(), got, want.zero_extend(width))
}

fn counterexample(what: String, got: &Term, want: &Term, values: HashMap<String, u128>) -> Counterexample {
    let (got, want) = (got.evaluate(&values), want.evaluate(&values));
    let mut inputs: Vec<_> = values.into_iter().collect();
    inputs.sort();
    Counterexample { what, inputs, got, want }
}
