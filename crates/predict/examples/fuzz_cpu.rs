// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Feeds damaged cpu files to the loader, and has those that it takes predict a loop:
//! `cargo run --release -p predict --example fuzz_cpu -- CPUS_DIR CPU [INPUTS] [SEED]`. A panic ends it; the short form of
//! this is a test.
//!
//! Most inputs are damaged pieces of a file, which are quick to refuse. Every sixteenth is a whole file in which a few
//! digits are others: most of these load, with numbers that nobody foresaw.

use predict::cpu::Entry;
use predict::loops::LoopSource;
use predict::{predict, Cpu, CpuError, Options};
use std::path::Path;

/// xorshift64, so that a seed repeats a run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }

    /// A short piece of the file with holes, ends and other bytes.
    fn piece(&mut self, whole: &[u8]) -> Vec<u8> {
        let from = self.below(whole.len());
        let mut bytes = whole[from..(from + 200 + self.below(2000)).min(whole.len())].to_vec();
        for _ in 0..self.below(6) {
            let at = self.below(bytes.len());
            match self.below(3) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => drop(bytes.drain(at..(at + self.below(30)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    }

    /// The whole file with other digits in up to three places.
    fn other_numbers(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        let digits: Vec<usize> = (0..whole.len()).filter(|&at| whole[at].is_ascii_digit()).collect();
        for _ in 0..1 + self.below(3) {
            bytes[digits[self.below(digits.len())]] = b'0' + self.below(10) as u8;
        }
        bytes
    }
}

/// A loop of an add and a branch back, for each architecture that a cpu file can name.
fn two_instructions(arch: arch::Arch) -> &'static [u8] {
    match arch {
        arch::Arch::Loongarch64 => &[0x84, 0x94, 0x10, 0x00, 0xff, 0xff, 0xff, 0x53],
        arch::Arch::X86_64 => &[0x48, 0x01, 0xf0, 0xeb, 0xfb],
        arch::Arch::Powerpc64le => &[0x14, 0x22, 0x63, 0x7c, 0xfc, 0xff, 0xff, 0x4b],
        _ => &[0x7c, 0x63, 0x22, 0x14, 0x4b, 0xff, 0xff, 0xfc],
    }
}

fn predicts(cpu: &Cpu, arch: arch::Arch) -> bool {
    let source = LoopSource::new(arch, two_instructions(arch), 0x1000, &[], 200);
    source.is_ok_and(|mut source| predict(&mut source, &[cpu], &Options::default()).is_ok())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, name, rest @ ..] = arguments.as_slice() else {
        return Err("usage: fuzz_cpu CPUS_DIR CPU [INPUTS] [SEED]".into());
    };
    let dir = Path::new(dir);
    let undamaged = Cpu::load(dir, name)?;
    let Some(Entry::Number(clock)) = undamaged.entry("clock.frequency") else {
        return Err("a cpu without a clock".into());
    };
    let arch =
        arch::Arch::ALL.into_iter().find(|&arch| undamaged.runs(arch)).ok_or("a cpu that runs nothing")?;
    let whole = std::fs::read(clock.place.file.as_path())?;
    let inputs: u64 = rest.first().map_or(Ok(1_000_000), |text| text.parse())?;
    let mut random = Random(rest.get(1).map_or(Ok(0x5eed), |text| text.parse())?);
    let (mut refused, mut loaded, mut predicted) = (0u64, 0u64, 0u64);
    for input in 0..inputs {
        let bytes = if input % 16 == 0 { random.other_numbers(&whole) } else { random.piece(&whole) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = |wanted: &str| -> Result<_, CpuError> {
            if wanted == "fuzzed" {
                return Ok((text.clone(), "fuzzed.toml".into()));
            }
            let path = clock.place.file.with_file_name(format!("{wanted}.toml"));
            let text = std::fs::read_to_string(&path);
            Ok((
                text.map_err(|error| CpuError::Read { path: path.clone(), reason: error.to_string() })?,
                path,
            ))
        };
        match Cpu::load_with("fuzzed", read) {
            Ok(cpu) => {
                loaded += 1;
                predicted += u64::from(predicts(&cpu, arch));
            }
            Err(_) => refused += 1,
        }
    }
    println!("{inputs} inputs: {refused} refused, {loaded} loaded, {predicted} of them predicted, no panic");
    Ok(())
}
