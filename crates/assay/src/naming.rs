// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Names for the addresses of a trace: which function of which file, and which line of its source.

use decode::{Decoder, Flow};
use lab::code_map::{CodeFile, Place};
use lab::process::Command;
use lab::toolchain::require_program;
use lab::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trace::{Block, End};

/// A file whose code differs from the trace's in more than one out of this many blocks is taken for another build.
const DIFFERENT_ONE_OF: usize = 20;

/// The files that a trace's code came from.
pub struct Names {
    /// Each file with the difference between the trace's addresses and the file's own.
    files: Vec<(u64, CodeFile)>,
    /// The files that could not be used, and why.
    pub notes: Vec<String>,
}

/// An address with its name.
pub struct Named {
    /// The function.
    pub place: Place,
    /// The file, if it is known, and the address in it.
    pub file: Option<(PathBuf, u64)>,
}

impl Names {
    /// Takes names from the files that the trace names, as far as they have not changed. `symbols` are files that the
    /// trace does not name, such as a kernel's vmlinux, or files that have moved.
    pub fn of(blocks: &[Block], end: Option<&End>, symbols: &[PathBuf]) -> Result<Names> {
        let mut names = Names { files: Vec::new(), notes: Vec::new() };
        let images = end.map(End::images).unwrap_or_default();
        let mut given: Vec<CodeFile> =
            symbols.iter().map(|path| CodeFile::load(path)).collect::<Result<_>>()?;
        for image in images.iter() {
            // The addresses up to the next image belong to this one or to none. A recording that was cut early may have
            // executed nothing in it.
            let behind = images.iter().map(|other| other.start).filter(|start| *start > image.start).min();
            let own = image.start..behind.unwrap_or(u64::MAX);
            let executed = blocks.iter().any(|block| own.contains(&block.address));
            let same = |file: &CodeFile| image.path.file_name().is_some_and(|name| *name == *file.name);
            let file = match given.iter().position(same) {
                Some(index) => Ok(given.remove(index)),
                None => CodeFile::load(&image.path),
            };
            match file {
                _ if !executed => {}
                Ok(file) => {
                    let bias = file.bias(image.start);
                    names.take(blocks, bias, file)?;
                }
                Err(problem) => names
                    .notes
                    .push(format!("its code is shown by address: {problem}; --symbols names a copy of it")),
            }
        }
        for file in given {
            if file.movable {
                return Err(Problem::new("is none of the files that the trace's code came from")
                    .at(file.path.display())
                    .remedy("name a file as it was called when the trace was recorded, or a program that is loaded where it was linked"));
            }
            names.take(blocks, 0, file)?;
        }
        Ok(names)
    }

    fn take(&mut self, blocks: &[Block], bias: u64, mut file: CodeFile) -> Result<()> {
        // The trace may have no block at an address of this file; the file that was recorded has at least one block in
        // the trace.
        let judged =
            blocks.iter().filter_map(|block| file.has(block.address.wrapping_sub(bias), &block.bytes));
        let (mut same, mut different) = (0, 0);
        judged.for_each(|is_same| *if is_same { &mut same } else { &mut different } += 1);
        if same == 0 || different * DIFFERENT_ONE_OF > same + different {
            self.notes.push(format!(
                "{} is not the file that was recorded: of {} blocks that it could have {same} are the same; its code is \
                 shown by address",
                file.path.display(),
                same + different
            ));
        } else {
            let is_in_none = |block: &Block| {
                let address = block.address.wrapping_sub(bias);
                file.has(address, &block.bytes).is_some() && !file.is_in_function(address)
            };
            if blocks.iter().any(is_in_none) {
                let entries = called(blocks, file.arch)?;
                file.add_entries(entries.into_iter().map(|entry| entry.wrapping_sub(bias)).collect());
            }
            self.files.push((bias, file));
        }
        Ok(())
    }

    /// The function at an address of the trace.
    pub fn of_address(&self, address: u64) -> Named {
        let known =
            self.files.iter().find(|(bias, file)| file.has(address.wrapping_sub(*bias), &[]).is_some());
        match known {
            Some((bias, file)) => {
                let address = address.wrapping_sub(*bias);
                Named { place: file.function(address), file: Some((file.path.clone(), address)) }
            }
            // Code without a file is named by its page.
            None => {
                let start = address & !0xfff;
                let place = Place { file: String::new(), function: format!("{start:#x}"), start };
                Named { place, file: None }
            }
        }
    }
}

impl Names {
    /// `FUNCTION+0x10`, if the address is in a known file.
    pub fn place_text(&self, address: u64) -> Option<String> {
        let Named { place, file } = self.of_address(address);
        let behind = file?.1.saturating_sub(place.start);
        Some(if behind == 0 { place.function } else { format!("{}+{behind:#x}", place.function) })
    }

    /// An instruction's text with the trace's code addresses turned into the file's.
    pub fn in_file_addresses(&self, text: &str) -> String {
        let word = |word: &str| {
            let address = word.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let file = address.and_then(|address| self.of_address(address).file);
            file.map_or_else(|| word.to_owned(), |(_, address)| format!("{address:#x}"))
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// Where the direct calls of a trace go: functions begin there, be it in files that do not say so.
fn called(blocks: &[Block], arch: arch::Arch) -> Result<BTreeSet<u64>> {
    let mut decoder = Decoder::new(arch).map_err(|error| Problem::new(error.to_string()))?;
    let mut entries = BTreeSet::new();
    for (address, bytes) in blocks.iter().filter_map(|block| block.iter().last()) {
        // What cannot be decoded calls nothing that is known.
        let Ok(instruction) = decoder.decode(bytes, address) else { continue };
        if let Flow::Call { target: Some(target) } = instruction.flow {
            // PC-relative calls of the next instruction only fetch their own address.
            entries.extend(Some(target).filter(|target| *target != address + u64::from(instruction.length)));
        }
    }
    Ok(entries)
}

/// A line of a source.
pub type SourceLine = (String, u64);

/// The source lines of addresses in a file, if it has debugging information.
pub fn source_lines(file: &Path, addresses: &[u64]) -> Result<BTreeMap<u64, SourceLine>> {
    let mut lines = BTreeMap::new();
    // Chunks that fit into a command line.
    for part in addresses.chunks(4096) {
        let output = Command::new(require_program("llvm-symbolizer-19", "llvm-19")?)
            .args(["--output-style=JSON", "--no-demangle"])
            .arg(format!("--obj={}", file.display()))
            .args(part.iter().map(|address| format!("{address:#x}")))
            .run()?;
        for (address, told) in part.iter().zip(answers(&output.stdout)) {
            // The first symbol is the innermost inlined function, which the instruction comes from.
            let place = &told["Symbol"][0];
            if let (Some(name), Some(line)) = (place["FileName"].as_str(), place["Line"].as_u64()) {
                if !name.is_empty() && line > 0 {
                    lines.insert(*address, (name.to_owned(), line));
                }
            }
        }
    }
    Ok(lines)
}

/// One value per address: llvm-symbolizer prints a line for each, or all in one list.
fn answers(text: &str) -> Vec<serde_json::Value> {
    let values = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    values
        .flat_map(|value| match value {
            serde_json::Value::Array(all) => all,
            one => vec![one],
        })
        .collect()
}
