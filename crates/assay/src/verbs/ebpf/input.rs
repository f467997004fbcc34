// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! From a file to programs: ELF objects, raw bytecode, hex text and assembly text, told apart by what is in them.

use clap::ValueEnum;
use ebpf::{ByteOrder, Object, Program};
use lab::{Problem, Result};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Even a program of a million instructions, the library's limit, is shorter in any form that people write.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// The most memory that a program can be given: its hex digits also have to fit into the input of the plugin program.
const MEMORY_BYTES_MAX: usize = 16 << 20;
/// Captures are larger than programs; all packets of one are in memory at once.
const PACKETS_BYTES_MAX: u64 = 256 << 20;

/// Which program to work on.
#[derive(clap::Args, Clone, Debug)]
pub struct InputArgs {
    /// ELF object of clang -target bpf, raw bytecode, hex text or BPF assembly; told apart by content ("-": standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Of an ELF object, the programs in this section only
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Of an ELF object, the program of this function only
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Byte order of instructions that are no ELF object, which says it itself
    #[arg(long, value_name = "ORDER", value_enum, default_value = "little")]
    order: Order,
}

/// A byte order, as users write it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    /// As on most machines
    Little,
    /// As on powerpc64
    Big,
}

impl InputArgs {
    /// The file, as it was named.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// What was found in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// ELF.
    Elf,
    /// Bytes of instructions.
    Raw,
    /// The same in hex digits.
    Hex,
    /// LLVM's BPF assembly.
    Assembly,
}

impl Form {
    /// For people and records.
    pub fn name(self) -> &'static str {
        match self {
            Form::Elf => "ELF object",
            Form::Raw => "raw bytecode",
            Form::Hex => "hex text",
            Form::Assembly => "assembly text",
        }
    }
}

/// The programs of a file, at least one.
#[derive(Debug)]
pub struct Input {
    /// The file, for messages.
    pub place: String,
    /// What it is.
    pub form: Form,
    /// Programs and maps; forms other than ELF give one program and no map.
    pub object: Object,
}

impl Input {
    /// `bpfel` or `bpfeb`, as LLVM calls the two.
    pub fn order_name(&self) -> &'static str {
        order_name(self.object.order)
    }

    /// A program's description for the user.
    pub fn describe(&self, program: &Program) -> String {
        let of = match (self.form, program.section.as_str()) {
            (Form::Elf, section) => format!("in section {section} of an {}", self.form.name()),
            _ => format!("from {}", self.form.name()),
        };
        let slots = program.bytecode.len() / ebpf::SLOT_BYTES;
        format!("{} {of} ({}), {slots} slots of 8 bytes", program.name, self.order_name())
    }

    /// The one program that a verb can work on. If other sections hold programs, functions in `.text` are callees of these
    /// and do not count.
    pub fn single(&self) -> Result<&Program> {
        let program = self.chosen()?;
        match &program.unresolved {
            None => Ok(program),
            Some(reason) => Err(Problem::new(reason.clone())
                .at(&self.place)
                .remedy("choose a program that needs nothing of a kernel; disassemble shows this one, too")),
        }
    }

    fn chosen(&self) -> Result<&Program> {
        let programs = &self.object.programs;
        let entries: Vec<&Program> = programs.iter().filter(|program| program.section != ".text").collect();
        match (programs.as_slice(), entries.as_slice()) {
            ([only], _) => Ok(only),
            (_, [only]) => Ok(only),
            _ => Err(Problem::new(format!("holds {} programs", programs.len()))
                .at(&self.place)
                .remedy(format!("choose one with --program or --section: {}", names(programs)))),
        }
    }
}

/// `bpfel` or `bpfeb`.
pub fn order_name(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "bpfel",
        ByteOrder::Big => "bpfeb",
    }
}

fn names(programs: &[Program]) -> String {
    let name = |program: &Program| format!("{} ({})", program.name, program.section);
    programs.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Compiles a program in C to an object; also in docs/ebpf.md.
const COMPILE: &str = "clang-19 -target bpf -mcpu=v4 -O2 -g -c program.c -o program.o";

/// Reads a file and chooses the programs that were asked for.
pub fn load(args: &InputArgs) -> Result<Input> {
    let bytes = read(&args.file)?;
    let place = args.file.display().to_string();
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let name = if stem == "-" { "program".to_owned() } else { stem.into_owned() };
    let order = match args.order {
        Order::Little => ByteOrder::Little,
        Order::Big => ByteOrder::Big,
    };
    let form = form_of(&bytes);
    let single = |bytecode: Vec<u8>| {
        let program = Program { name, section: String::new(), bytecode, unresolved: None };
        Object {
            order,
            programs: vec![program],
            maps: Vec::new(),
            map_contents: Vec::new(),
            pointers: Vec::new(),
            co_re_relocations: 0,
        }
    };
    let object = match form {
        Form::Elf => Object::parse(&bytes).map_err(|error| {
            Problem::new(error.to_string()).at(&place).remedy(format!("an object of C is made by: {COMPILE}"))
        })?,
        Form::Raw => single(bytes),
        Form::Hex => single(hex(&String::from_utf8_lossy(&bytes)).map_err(|why| {
            Problem::new(format!("hex text with {why}"))
                .at(&place)
                .remedy("write two hex digits for each byte; blanks and line ends may stand between bytes")
        })?),
        Form::Assembly => {
            let text = String::from_utf8_lossy(&bytes);
            single(ebpf::assemble(&text, order).map_err(|error| {
                if args.file.extension().is_some_and(|ending| ending == "c") {
                    return Problem::new("is C, which is compiled first")
                        .at(&place)
                        .remedy(format!("{COMPILE}, and give the object"));
                }
                Problem::new(format!("taken for BPF assembly: {error}")).at(&place).remedy(
                    "the syntax is LLVM's, as ./assay ebpf disassemble prints it; ELF objects, raw bytecode and hex \
                     text are read, too",
                )
            })?)
        }
    };
    if object.co_re_relocations > 0 {
        eprintln!(
            "note: {place}: CO-RE relocations ({}) are not applied: offsets in kernel structures are those that the object was \
             compiled with",
            object.co_re_relocations
        );
    }
    choose(args, Input { place, form, object })
}

fn choose(args: &InputArgs, mut input: Input) -> Result<Input> {
    if input.form != Form::Elf {
        if args.section.is_some() || args.program.is_some() {
            return Err(Problem::new(format!(
                "is {}, which has no sections or functions",
                input.form.name()
            ))
            .at(&input.place)
            .remedy("leave out --section and --program"));
        }
        return Ok(input);
    }
    let known = names(&input.object.programs);
    let wanted = |program: &Program| {
        args.section.as_ref().is_none_or(|section| *section == program.section)
            && args.program.as_ref().is_none_or(|name| *name == program.name)
    };
    input.object.programs.retain(wanted);
    if input.object.programs.is_empty() {
        return Err(Problem::new("has no such program")
            .at(&input.place)
            .remedy(format!("its programs, with their sections, are: {known}")));
    }
    Ok(input)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let remedy = "name an ELF object, raw bytecode, hex text or BPF assembly";
    let failed = |error: std::io::Error| {
        Problem::new(format!("cannot read the file: {error}")).at(path.display()).remedy(remedy)
    };
    let reader: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(File::open(path).map_err(failed)?),
    };
    let bytes = at_most(FILE_BYTES_MAX, reader, path, remedy, failed)?;
    if bytes.is_empty() {
        return Err(Problem::new("is empty").at(path.display()).remedy(remedy));
    }
    Ok(bytes)
}

/// The bytes of a file that has at most so many: a device may have no end.
fn at_most(
    bytes_max: u64,
    reader: impl Read,
    path: &Path,
    remedy: &str,
    failed: impl Fn(std::io::Error) -> Problem,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        let what = format!("is larger than {} MiB", bytes_max >> 20);
        return Err(Problem::new(what).at(path.display()).remedy(remedy));
    }
    Ok(bytes)
}

/// As [`at_most`]; `action` is what the error says that cannot be done.
fn file_at_most(bytes_max: u64, action: &str, path: &Path, remedy: &str) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| Problem::io(action, path, &error);
    at_most(bytes_max, File::open(path).map_err(failed)?, path, remedy, failed)
}

/// The bytes of a pcap file.
pub fn packets(path: &Path) -> Result<Vec<u8>> {
    let remedy = "take a part of the capture: editcap -r IN OUT 1-100000";
    file_at_most(PACKETS_BYTES_MAX, "read the packets", path, remedy)
}

/// ELF has its magic number. Text is UTF-8 without control characters, which no bytecode is: `exit` begins with 0x95, which
/// begins no character of UTF-8, and holds zeros. No instruction in assembly consists of hex digits alone.
fn form_of(bytes: &[u8]) -> Form {
    if bytes.starts_with(b"\x7fELF") {
        return Form::Elf;
    }
    let is_text = |text: &&str| text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'));
    match std::str::from_utf8(bytes).ok().filter(is_text) {
        None => Form::Raw,
        Some(text) if text.chars().all(|c| c.is_ascii_hexdigit() || c.is_whitespace()) => Form::Hex,
        Some(_) => Form::Assembly,
    }
}

/// Bytes from hex digits; blanks may stand anywhere. The error is worded to follow "with".
fn hex(text: &str) -> std::result::Result<Vec<u8>, String> {
    let mut digits = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        digits.push(c.to_digit(16).ok_or_else(|| format!("'{}' in it", c.escape_default()))? as u8);
    }
    match digits.len() {
        0 => Err("no digit".to_owned()),
        count if count % 2 == 1 => Err(format!("an odd number of digits, {count}")),
        _ => Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
    }
}

/// The memory that a program gets: hex digits, or a file's bytes after an `@`.
pub fn memory(text: &str) -> Result<Vec<u8>> {
    let bytes = match text.strip_prefix('@') {
        Some(path) => {
            let remedy = "give a file of the bytes that the program needs";
            file_at_most(MEMORY_BYTES_MAX as u64, "read the memory", Path::new(path), remedy)?
        }
        None if text.trim().is_empty() => Vec::new(),
        None => hex(text).map_err(|why| {
            Problem::new(format!("--memory with {why}"))
                .remedy("give hex digits, two a byte, or @FILE for the bytes of a file")
        })?,
    };
    if bytes.len() > MEMORY_BYTES_MAX {
        return Err(Problem::new(format!("the memory has {} bytes", bytes.len()))
            .remedy(format!("give at most {MEMORY_BYTES_MAX}")));
    }
    Ok(bytes)
}

/// Bytes as hex digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides() {
        assert_eq!(form_of(b"\x7fELF\x02"), Form::Elf);
        assert_eq!(form_of(b"b7 00 00 00\n01000000\n"), Form::Hex);
        assert_eq!(form_of(b"r0 = 1\nexit\n"), Form::Assembly);
        assert_eq!(form_of(&[0x95, 0, 0, 0, 0, 0, 0, 0]), Form::Raw);
        assert_eq!(form_of(&[0xff]), Form::Raw);
    }

    #[test]
    fn hex_digits_are_pairs() {
        assert_eq!(hex("0a Ff\n"), Ok(vec![10, 255]));
        assert_eq!(hex("0a f"), Err("an odd number of digits, 3".to_owned()));
        assert_eq!(hex("0g"), Err("'g' in it".to_owned()));
        assert_eq!(to_hex(&[0, 171]), "00ab");
    }
}
