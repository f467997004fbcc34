// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Loops from a seed. Loop `n` of a seed is the same on every machine. Loops with an odd number are held out: they are not
//! looked at while the model is tuned, so that their errors show its accuracy on code that it was not fitted to.

mod memory;
mod path;
mod random;
mod words;

pub use random::Random;

use crate::case::{Case, Category, DATA, FIRST};
use std::collections::HashSet;
use std::fmt::Write;
use words::{fill, General, ACROSS, FREE, INTEGER, INTEGER_CHAIN, TRIPS, VECTOR, VECTOR_CHAIN};

/// Address of the data of generated loops: a line's start, with room below.
pub(crate) const BASE: u64 = DATA + 2 * FIRST;
/// The register that counts the turns in generated loops.
pub(crate) const COUNTER: &str = "rsi";

/// A loop being written.
pub(crate) struct Writer {
    pub(crate) random: Random,
    pub(crate) functions: String,
    pub(crate) setup: String,
    pub(crate) body: String,
    pub(crate) labels: u32,
    number: u64,
}

impl Writer {
    /// Adds an instruction to the turn.
    pub(crate) fn push(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// Adds an instruction before the loop.
    pub(crate) fn prepare(&mut self, line: &str) {
        self.setup.push_str(line);
        self.setup.push('\n');
    }

    /// A label that no other loop has.
    pub(crate) fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}_{}", self.number, self.labels)
    }

    /// Three different registers.
    pub(crate) fn three(&mut self) -> [General; 3] {
        let first = self.random.below(13) as usize;
        let second = (first + 1 + self.random.below(6) as usize) % 13;
        let third = (first + 7 + self.random.below(6) as usize) % 13;
        [FREE[first], FREE[second], FREE[third]]
    }

    /// Adds an instruction with random registers.
    pub(crate) fn integer(&mut self, patterns: &[&str]) {
        let [d, s, t] = self.three();
        let pattern = *self.random.pick(patterns);
        let line = fill(pattern, &mut self.random, &[('d', d), ('s', s), ('t', t)], &[], true);
        self.push(&line);
    }

    /// Adds a vector instruction with random registers.
    fn vector(&mut self, patterns: &[&str], wide: bool) {
        let d = self.random.below(16);
        let (s, t) = ((d + self.random.within(1, 7)) % 16, (d + self.random.within(8, 15)) % 16);
        let pattern = self.encoding(patterns, wide);
        let line = fill(pattern, &mut self.random, &[], &[('d', d), ('s', s), ('t', t)], wide);
        self.push(&line);
    }

    /// A random pattern; for 256-bit vectors, none with a legacy encoding.
    fn encoding<'a>(&mut self, patterns: &[&'a str], wide: bool) -> &'a str {
        loop {
            let pattern = *self.random.pick(patterns);
            if !wide || pattern.starts_with('v') {
                return pattern;
            }
        }
    }
}

/// Loop `number` of `seed`.
pub fn case(seed: u64, number: u64) -> Case {
    let category = Category::GENERATED[(number / 2) as usize % Category::GENERATED.len()];
    let mut writer = Writer {
        random: Random::new(seed, number),
        functions: String::new(),
        setup: String::new(),
        body: String::new(),
        labels: 0,
        number,
    };
    writer.prepare(&format!("mov rdi, {BASE}"));
    match category {
        Category::Chain => chain(&mut writer),
        Category::Mix => mix(&mut writer),
        Category::Flow => flow(&mut writer),
        Category::Loads => memory::loads(&mut writer),
        Category::Stores => memory::stores(&mut writer),
        Category::Forwarding => memory::forwarding(&mut writer),
        Category::Unaligned => memory::unaligned(&mut writer),
        Category::Misses => memory::misses(&mut writer),
        Category::Branches => path::branches(&mut writer),
        Category::Calls => path::calls(&mut writer),
        Category::Fetch => path::fetch(&mut writer),
        Category::Vectors | Category::Block | Category::Probe | Category::Routine => vectors(&mut writer),
    }
    let odd_place = category == Category::Fetch || writer.random.percent(40);
    let offset = if odd_place { writer.random.below(64) as u32 } else { 0 };
    Case {
        name: format!("{} {seed}:{number}", category.name()),
        category,
        functions: writer.functions,
        setup: writer.setup,
        body: writer.body,
        counter: COUNTER,
        offset,
        held_out: number % 2 == 1,
    }
}

/// A dependence chain of a few instructions through one register.
fn chain(writer: &mut Writer) {
    let [d, s, t] = writer.three();
    for _ in 0..writer.random.within(1, 8) {
        let pattern = *writer.random.pick(INTEGER_CHAIN);
        let line = fill(pattern, &mut writer.random, &[('d', d), ('s', s), ('t', t)], &[], true);
        writer.push(&line);
    }
    if writer.random.percent(10) {
        let (there, back) = *writer.random.pick(TRIPS);
        for pattern in [there, back] {
            let line = fill(pattern, &mut writer.random, &[('g', d)], &[('d', 3)], false);
            writer.push(&line);
        }
    }
}

/// Each instruction writes the next of ten registers; its other operands are among three further ones.
fn mix(writer: &mut Writer) {
    let count = writer.random.within(3, 28);
    let kinds: Vec<&str> = (0..writer.random.within(1, 6)).map(|_| *writer.random.pick(INTEGER)).collect();
    for number in 0..count {
        let d = FREE[number as usize % 10];
        let (s, t) = (FREE[10 + writer.random.below(3) as usize], FREE[10 + writer.random.below(3) as usize]);
        let pattern = *writer.random.pick(&kinds);
        let line = fill(pattern, &mut writer.random, &[('d', d), ('s', s), ('t', t)], &[], true);
        writer.push(&line);
    }
}

/// Instructions with random registers.
fn flow(writer: &mut Writer) {
    for _ in 0..writer.random.within(4, 40) {
        writer.integer(INTEGER);
    }
}

fn vectors(writer: &mut Writer) {
    let wide = writer.random.percent(60);
    match writer.random.below(4) {
        0 => vector_chain(writer, wide),
        1 => {
            for _ in 0..writer.random.within(3, 24) {
                writer.vector(VECTOR, wide);
            }
        }
        2 => vector_mix(writer, wide),
        _ => vector_stream(writer, wide),
    }
}

fn vector_chain(writer: &mut Writer, wide: bool) {
    for _ in 0..writer.random.within(1, 6) {
        let from = if wide && writer.random.percent(15) { ACROSS } else { VECTOR_CHAIN };
        let pattern = writer.encoding(from, wide);
        let line = fill(pattern, &mut writer.random, &[], &[('d', 1), ('s', 2), ('t', 3)], wide);
        writer.push(&line);
    }
}

fn vector_mix(writer: &mut Writer, wide: bool) {
    let count = writer.random.within(3, 24);
    let kinds: Vec<&str> = (0..writer.random.within(1, 4)).map(|_| writer.encoding(VECTOR, wide)).collect();
    for number in 0..count {
        let pattern = *writer.random.pick(&kinds);
        let vectors = [('d', number % 12), ('s', 12 + number % 2), ('t', 14 + number % 2)];
        let line = fill(pattern, &mut writer.random, &[], &vectors, wide);
        writer.push(&line);
    }
}

/// Loads, computes and stores, as a vectorised loop does.
fn vector_stream(writer: &mut Writer, wide: bool) {
    let bytes = if wide { 32 } else { 16 };
    for number in 0..writer.random.within(1, 8) {
        let load = fill(
            &format!("vmovdqu vd, [rdi+{}]", bytes * number),
            &mut writer.random,
            &[],
            &[('d', number)],
            wide,
        );
        writer.push(&load);
        for _ in 0..writer.random.below(4) {
            let pattern = writer.encoding(VECTOR_CHAIN, wide);
            let vectors = [('d', number), ('s', 14), ('t', 15)];
            let line = fill(pattern, &mut writer.random, &[], &vectors, wide);
            writer.push(&line);
        }
        if writer.random.percent(60) {
            let pattern = format!("vmovdqu [rdi+{}], vd", 512 + bytes * number);
            let line = fill(&pattern, &mut writer.random, &[], &[('d', number)], wide);
            writer.push(&line);
        }
    }
}

/// The loops 0 to `count` of a seed that belong to one half. A loop whose code the open half has, too, may have been looked at, so
/// the held-out half is without it.
pub fn cases(seed: u64, count: u64, half: Half) -> Vec<Case> {
    let (held_out, open): (Vec<Case>, Vec<Case>) =
        (0..count).map(|number| case(seed, number)).partition(|case| case.held_out);
    if half == Half::Open {
        return open;
    }
    let code = |case: &Case| (case.functions.clone(), case.setup.clone(), case.body.clone());
    let known: HashSet<_> = open.iter().map(code).collect();
    held_out.into_iter().filter(|case| !known.contains(&code(case))).collect()
}

/// Which half of the cases is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The cases that the model may be tuned with.
    Open,
    /// The cases that it may not be tuned with.
    HeldOut,
}

impl Half {
    /// Whether a case belongs to this half.
    pub fn takes(self, held_out: bool) -> bool {
        held_out == (self == Half::HeldOut)
    }
}

/// Adds a line of formatted text to the turn.
pub(crate) fn line(writer: &mut Writer, text: std::fmt::Arguments<'_>) {
    writeln!(writer.body, "{text}").expect("text grows");
}
