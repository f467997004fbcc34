// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `code`: what the compiler made of a variant: machine code under the source lines that it came from, with the compiler and all
//! its flags; of two compilers side by side.

use crate::context::{Context, Outcome};
use crate::select::Selection;
use lab::build::Builder;
use lab::cache::read_text;
use lab::discover::Variant;
use lab::elf::Function;
use lab::process::Command;
use lab::toolchain::require_program;
use lab::{Problem, Result};
use report::record::{Common, Record};
use report::Report;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Options of `code`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
}

/// What one compiler made of one variant. Kind `code`.
#[derive(Serialize)]
struct CodeRecord {
    #[serde(flatten)]
    common: Common,
    flags: Vec<String>,
    bytes: u64,
    instructions: Vec<Line>,
}

/// One instruction and where it came from.
#[derive(Clone, Serialize)]
struct Line {
    address: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// Runs the verb; with `--compiler clang,gcc` both are shown, side by side.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let names: Vec<&str> = args.selection.compiler.split(',').collect();
    if names.len() > 2 {
        return Err(
            Problem::new("more than two compilers").remedy("name one, or two as in --compiler clang,gcc")
        );
    }
    let mut listings: Vec<(Variant, Vec<CodeRecord>)> = Vec::new();
    let mut skips = BTreeSet::new();
    for name in names {
        let selection = Selection { compiler: name.to_owned(), ..args.selection.clone() };
        let builder = Builder::new(&context.workspace, selection.compiler()?);
        for variant in selection.variants(context)? {
            if let Some(reason) = builder.cannot_build_for(variant.arch) {
                if skips.insert((name.to_owned(), variant.arch.name())) {
                    eprintln!("not shown, {} by {name}: {reason}", variant.arch);
                }
                continue;
            }
            let record = code(&builder, &variant)?;
            let same = |known: &&mut (Variant, Vec<CodeRecord>)| {
                known.0.source == variant.source && known.0.arch == variant.arch
            };
            match listings.iter_mut().find(same) {
                Some((_, records)) => records.push(record),
                None => listings.push((variant, vec![record])),
            }
        }
    }
    if listings.is_empty() {
        return Err(Problem::new("there is no code to show, for the reasons above")
            .remedy("choose another --compiler, or an architecture that it compiles for"));
    }
    if context.json {
        listings.iter().flat_map(|(_, records)| records).for_each(|record| println!("{}", record.to_line()));
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new("Machine code");
    for (variant, records) in &listings {
        let section = report.section(&format!("{} on {}", variant.title(), variant.arch));
        for record in records {
            let count = record.instructions.len();
            section.paragraph(&format!(
                "{count} instructions in {} bytes by {}",
                record.bytes, record.common.compiler
            ));
            section.paragraph(&record.flags.join(" "));
        }
        let sources = &mut BTreeMap::new();
        match &records[..] {
            [left, right] => section.verbatim(&side_by_side(left, right)),
            [one] => section.verbatim(&under_lines(one, sources)),
            _ => section,
        };
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

fn code(builder: &Builder, variant: &Variant) -> Result<CodeRecord> {
    let runner = builder.runner(variant)?;
    let symbol = &variant.hotpath.symbol;
    let names: Vec<&str> = std::iter::once(symbol.as_str())
        .chain(variant.hotpath.adapters.iter().map(|adapter| adapter.symbol.as_str()))
        .filter(|name| runner.elf.function(name).is_some())
        .collect();
    let output = Command::new(require_program("llvm-objdump-19", "llvm-19")?)
        .args(["-d", "--line-numbers", "--no-show-raw-insn"])
        .arg(format!("--disassemble-symbols={}", names.join(",")))
        .arg(&runner.path)
        .run_supplied()?;
    if !output.success() {
        return Err(
            Problem::new(format!("cannot be disassembled: {}", output.head(3))).at(runner.path.display())
        );
    }
    let functions: Vec<Function> = names.iter().filter_map(|name| runner.elf.function(name)).collect();
    let mut instructions = parse(&output.stdout);
    // llvm-objdump goes on to the next symbol, through the padding.
    instructions.retain(|one| {
        let address = u64::from_str_radix(&one.address, 16).unwrap_or(u64::MAX);
        functions
            .iter()
            .any(|function| (function.address..function.address + function.size_bytes).contains(&address))
    });
    if instructions.is_empty() {
        return Err(Problem::new(format!("holds no code of {symbol}")).at(runner.path.display()));
    }
    let mut common = Common::new("code", &variant.hotpath.name, &variant.name, variant.arch.name());
    common.compiler = runner.compiler.clone();
    let bytes = functions.iter().map(|function| function.size_bytes).sum();
    Ok(CodeRecord { common, flags: builder.flags(variant)?, bytes, instructions })
}

/// Reads what llvm-objdump prints: `; FILE:LINE` before the instructions of a line, which are `ADDRESS: TEXT`.
fn parse(listing: &str) -> Vec<Line> {
    let (mut file, mut line) = (None, None);
    let mut found = Vec::new();
    for text in listing.lines() {
        if let Some((name, number)) = text.strip_prefix("; ").and_then(|place| place.rsplit_once(':')) {
            if let Ok(number) = number.trim().parse() {
                (file, line) = (Some(name.to_owned()), Some(number));
            }
            continue;
        }
        let Some((address, code)) = text.trim_start().split_once(':') else { continue };
        if address.is_empty() || !address.chars().all(|c| c.is_ascii_hexdigit()) || code.trim().is_empty() {
            continue;
        }
        let words: Vec<&str> = code.split_whitespace().collect();
        found.push(Line { address: address.to_owned(), text: words.join(" "), file: file.clone(), line });
    }
    found
}

/// A line of a source file, which is read once; `None` if the file is no longer there.
fn source_line<'a>(
    sources: &'a mut BTreeMap<String, Vec<String>>,
    file: Option<&String>,
    line: Option<u64>,
) -> Option<&'a str> {
    let (file, line) = (file?, line?);
    let lines = sources.entry(file.clone()).or_insert_with(|| {
        let text = read_text(Path::new(file)).unwrap_or_default();
        text.lines().map(|line| line.replace('\t', "    ")).collect()
    });
    lines.get((line as usize).checked_sub(1)?).map(String::as_str)
}

/// Each source line, then its instructions.
fn under_lines(record: &CodeRecord, sources: &mut BTreeMap<String, Vec<String>>) -> String {
    let mut text = String::new();
    let mut place = (None, None);
    for line in &record.instructions {
        let here = (line.file.clone(), line.line);
        if here != place {
            if here.0 != place.0 {
                text += &format!("{}\n", line.file.as_deref().unwrap_or("(no source is known)"));
            }
            let source = source_line(sources, line.file.as_ref(), line.line).unwrap_or_default();
            text += &format!(
                "{:>5}  {}\n",
                line.line.map_or(String::new(), |number| number.to_string()),
                source.trim_end()
            );
            place = here;
        }
        text += &format!("           {}  {}\n", line.address, line.text);
    }
    text
}

/// Two columns, each instruction with the number of its source line.
fn side_by_side(left: &CodeRecord, right: &CodeRecord) -> String {
    let shown = |record: &CodeRecord| -> Vec<String> {
        let line = |line: &Line| {
            format!("{:>5}  {}", line.line.map_or(String::new(), |number| number.to_string()), line.text)
        };
        let head = format!("{:>5}  {}", "line", record.common.compiler);
        std::iter::once(head).chain(record.instructions.iter().map(line)).collect()
    };
    let (left, right) = (shown(left), shown(right));
    let width = left.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let empty = String::new();
    let rows = (0..left.len().max(right.len())).map(|row| {
        let (a, b) = (left.get(row).unwrap_or(&empty), right.get(row).unwrap_or(&empty));
        format!("{a:width$}  |{b}").trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_with_its_lines() {
        let listing =
            "\nx: file format elf64\n\n0000000010010380 <f>:\n; f():\n; /a/b.c:7\n10010380: \tld 7, 0(3)\n\
                       ; /a/b.c:9\n10010384: \tblr\n";
        let lines = parse(listing);
        let seen: Vec<_> = lines.iter().map(|line| (line.line.unwrap(), line.text.as_str())).collect();
        assert_eq!(seen, [(7, "ld 7, 0(3)"), (9, "blr")]);
        assert_eq!(lines[0].file.as_deref(), Some("/a/b.c"));
    }
}
