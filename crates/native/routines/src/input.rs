// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the routines work on: 32 KiB of bytes and of text, always the same, of which each call takes another window.

use std::sync::OnceLock;

/// Bytes of each buffer: with little beside it, all is in the first level.
const BYTES: usize = 32 << 10;
/// How far the windows of two calls are apart. No byte is in the windows of two of the first 17 calls.
pub const WINDOW: usize = 1873;

/// Words of the text.
const WORDS: [&str; 72] = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "cycle",
    "cycles",
    "pipe",
    "load",
    "store",
    "branch",
    "window",
    "queue",
    "register",
    "value",
    "line",
    "cache",
    "level",
    "turn",
    "loop",
    "call",
    "return",
    "machine",
    "prediction",
    "measurement",
    "interval",
    "latency",
    "throughput",
    "dispatch",
    "retire",
    "operand",
    "with",
    "from",
    "each",
    "which",
    "behind",
    "before",
    "takes",
    "waits",
    "reads",
    "writes",
    "issues",
    "two",
    "three",
    "four",
    "über",
    "naïve",
    "façade",
    "Größe",
    "0.25",
    "17",
    "4096",
    "3.5e-4",
    "65536",
    "12.75",
    "x86",
    "λ",
    "→",
    "don't",
    "one's",
    "(see",
    "below)",
    "first,",
    "second;",
    "end.",
    "so:",
    "then",
];

/// Bytes and text.
pub struct Inputs {
    random: Vec<u8>,
    text: Vec<u8>,
}

/// A generator of pseudo-random numbers (xorshift64*, Marsaglia and Vigna), which needs no crate.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }
}

fn made() -> Inputs {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let bytes = (0..BYTES).map(|_| random.number() as u8).collect();
    let mut text = Vec::with_capacity(BYTES + 16);
    while text.len() < BYTES {
        // The lower of two, so that the first words are the more frequent ones.
        let word = random.below(WORDS.len()).min(random.below(WORDS.len()));
        text.extend_from_slice(WORDS[word].as_bytes());
        text.push(if random.below(12) == 0 { b'\n' } else { b' ' });
    }
    Inputs { random: bytes, text }
}

fn inputs() -> &'static Inputs {
    static INPUTS: OnceLock<Inputs> = OnceLock::new();
    INPUTS.get_or_init(made)
}

fn start(call: usize, bytes: usize) -> usize {
    call * WINDOW % (BYTES - bytes)
}

/// So many pseudo-random bytes for a call.
pub fn bytes(call: usize, bytes: usize) -> &'static [u8] {
    let start = start(call, bytes);
    &inputs().random[start..start + bytes]
}

/// So many pseudo-random numbers for a call.
pub fn numbers(call: usize, count: usize) -> impl Iterator<Item = u32> + Clone {
    bytes(call, 4 * count)
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// So many bytes of text for a call, which begin and end anywhere.
pub fn text(call: usize, bytes: usize) -> &'static [u8] {
    let start = start(call, bytes);
    &inputs().text[start..start + bytes]
}

/// As many whole characters of text as fit into so many bytes.
pub fn characters(call: usize, bytes: usize) -> &'static str {
    let mut text = text(call, bytes);
    let continues = |byte: &u8| byte & 0xc0 == 0x80;
    while text.first().is_some_and(continues) {
        text = &text[1..];
    }
    let whole = match std::str::from_utf8(text) {
        Ok(whole) => return whole,
        Err(error) => error.valid_up_to(),
    };
    std::str::from_utf8(&text[..whole]).unwrap_or_default()
}

/// A sum of all bytes in order, so that no work is left out and a difference shows.
pub fn sum(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut sum = bytes.len() as u64;
    for word in &mut words {
        let word =
            u64::from_le_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]]);
        sum = sum.rotate_left(5) ^ word;
    }
    words.remainder().iter().fold(sum, |sum, &byte| sum.rotate_left(5) ^ u64::from(byte))
}
