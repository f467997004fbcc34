// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The recorded steps of a loop as the predictor's input.

use crate::case::{Program, CODE, GENERAL};
use crate::run::Step;
use arch::Arch;
use decode::{AddressForm, Decoder, Flow, Instruction, Register};
use predict::source::{Access, Chunk, Item};
use predict::{RegisterKinds, Source, SourceError};
use std::collections::HashMap;
use std::sync::Arc;

/// An instruction of the loop and how it forms its address.
struct Known {
    instruction: Instruction,
    form: Option<AddressForm>,
}

/// A recorded loop; its turns are replayed several times, so that the later passes find caches and predictors warm.
#[derive(Clone)]
pub struct Recorded {
    kinds: Arc<RegisterKinds>,
    blocks: Vec<Vec<Instruction>>,
    chunk: Chunk,
    passes: u32,
    passes_max: u32,
    mark: u64,
    /// Instructions of the first turn, in the order executed.
    turn: Vec<Instruction>,
    walks: bool,
    turns: u64,
}

/// The fewest passes over the recorded turns, and the fewest steps of all passes together.
const PASSES: u32 = 2;
const STEPS_LEAST: u64 = 5_000;
/// The fewest turns: a loop that is replayed from the queue in front of rename is so only after dozens.
const TURNS_LEAST: u64 = 400;
/// From this many steps on, a loop whose path may change is replayed once only: a predictor could memorise the recording.
const STEPS_ONCE: usize = 3_000;

impl Recorded {
    /// From a program and its recorded steps.
    pub fn new(program: &Program, steps: &[Step]) -> Result<Recorded, SourceError> {
        let mut decoder = Decoder::new(Arch::X86_64)?;
        let mut reader = Reader { program, known: HashMap::new(), numbers: number_registers(&decoder) };
        let mut recorded = Recorded {
            kinds: Arc::new(RegisterKinds::new(&decoder)),
            blocks: Vec::new(),
            chunk: Chunk::default(),
            passes: 0,
            passes_max: PASSES,
            mark: CODE + program.start,
            turn: Vec::new(),
            walks: false,
            turns: 0,
        };
        let mut block_numbers: HashMap<(u64, usize), u32> = HashMap::new();
        let mut first_addresses: HashMap<u64, u64> = HashMap::new();
        let mut rest = steps;
        while !rest.is_empty() {
            let mut block = Vec::new();
            let first = recorded.chunk.accesses.len() as u32;
            let start = rest[0].address;
            while let [step, behind @ ..] = rest {
                let known = reader.know(&mut decoder, step.address)?;
                let (form, instruction) = (known.form, known.instruction.clone());
                let numbers = &reader.numbers;
                if instruction.load || instruction.store {
                    let address = form.and_then(|form| resolve(form, numbers, &instruction, step));
                    let address = address.ok_or_else(|| {
                        SourceError::Failed(format!("the address of '{}' is not known", instruction.text))
                    })?;
                    let before = first_addresses.entry(step.address).or_insert(address);
                    recorded.walks |= *before != address;
                    for (applies, store) in [(instruction.load, false), (instruction.store, true)] {
                        let bytes = instruction.access_bytes.max(1);
                        let access =
                            Access { instruction: block.len() as u16, bytes, store, known: true, address };
                        recorded.chunk.accesses.extend(applies.then_some(access));
                    }
                }
                if step.address == recorded.mark {
                    recorded.turns += 1;
                }
                if recorded.turns <= 1 {
                    recorded.turn.push(instruction.clone());
                }
                let ends = instruction.flow != Flow::Next;
                block.push(instruction);
                rest = behind;
                if ends {
                    break;
                }
            }
            // The replay wraps around: the first turn follows the last recorded step.
            let next = rest.first().map_or(recorded.mark, |step| step.address);
            let count = recorded.blocks.len() as u32;
            let number = *block_numbers.entry((start, block.len())).or_insert(count);
            if number == count {
                recorded.blocks.push(block);
            }
            let accesses = first..recorded.chunk.accesses.len() as u32;
            recorded.chunk.items.push(Item::Block { block: number, accesses, next });
        }
        let turns_short = TURNS_LEAST / recorded.turns.max(1) + 1;
        let steps_short = STEPS_LEAST / steps.len().max(1) as u64 + 1;
        recorded.passes_max = PASSES.max(turns_short.max(steps_short) as u32);
        if recorded.branches() > 1 && !recorded.walks && steps.len() >= STEPS_ONCE {
            recorded.passes_max = 1;
        }
        Ok(recorded)
    }

    /// Number of recorded turns.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Whether the address of some access changes.
    pub fn walks(&self) -> bool {
        self.walks
    }

    /// Whether every turn is like the first: the branch back is the only conditional one, no branch is indirect, and no
    /// address changes. Then a few turns suffice.
    pub fn repeats(&self) -> bool {
        !self.walks && self.branches() <= 1
    }

    /// Conditional and indirect branches of the first turn.
    fn branches(&self) -> usize {
        let undecided =
            |instruction: &&Instruction| instruction.conditional || instruction.flow == Flow::Indirect;
        self.turn.iter().filter(undecided).count()
    }

    /// The instructions of the first turn.
    pub fn turn(&self) -> &[Instruction] {
        &self.turn
    }
}

impl Source for Recorded {
    fn arch(&self) -> Arch {
        Arch::X86_64
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.kinds.clone()
    }

    fn mark(&self) -> Option<u64> {
        Some(self.mark)
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        if self.passes == self.passes_max {
            return Ok(false);
        }
        *chunk = self.chunk.clone();
        if self.passes == 0 {
            chunk.new_blocks = self.blocks.clone();
        }
        self.passes += 1;
        Ok(true)
    }
}

struct Reader<'a> {
    program: &'a Program,
    known: HashMap<u64, Known>,
    numbers: HashMap<Register, usize>,
}

impl Reader<'_> {
    fn know(&mut self, decoder: &mut Decoder, address: u64) -> Result<&Known, SourceError> {
        if !self.known.contains_key(&address) {
            let offset = address.wrapping_sub(CODE) as usize;
            let bytes = self.program.code.get(offset..).unwrap_or_default();
            let instruction =
                decoder.decode(bytes, address).map_err(|error| SourceError::Failed(error.to_string()))?;
            let form = decoder.address_form(&instruction);
            self.known.insert(address, Known { instruction, form });
        }
        Ok(&self.known[&address])
    }
}

/// The index of each general register in the registers of a step.
fn number_registers(decoder: &Decoder) -> HashMap<Register, usize> {
    let named = |(number, name): (usize, &&str)| Some((decoder.register(name)?, number));
    GENERAL.iter().enumerate().filter_map(named).collect()
}

fn resolve(
    form: AddressForm,
    numbers: &HashMap<Register, usize>,
    instruction: &Instruction,
    step: &Step,
) -> Option<u64> {
    let value = |register: Option<Register>| match register {
        Some(register) => numbers.get(&register).map(|&number| step.registers[number]),
        None => Some(0),
    };
    let next = if form.from_next { instruction.address + u64::from(instruction.length) } else { 0 };
    let index = value(form.index)?.wrapping_mul(u64::from(form.scale));
    Some(value(form.base)?.wrapping_add(index).wrapping_add(next).wrapping_add_signed(form.displacement))
}
