// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The packet programs of `libs/ebpf/packets` as hot paths whose variants are machine code: the output of our code
//! generators, with and without merged byte swaps, and the sequences of Linux's JIT.
//!
//! Variants are discovered as files, so this writes the generated code to `FOLDER/ebpf_packets/PROGRAM/`, in the layout of
//! any hot path, with the program compiled natively as the reference. From there on everything works as for hand-written
//! variants (`-d FOLDER`): they are checked against the reference on random packets, counted, predicted.

pub mod kernel;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use arch::Arch;
use ebpf::{ByteOrder, Features, Fusion, Object, Options, Target, Vm};

/// The library folder that is written.
pub const LIBRARY: &str = "ebpf_packets";

/// Why the folder could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be accessed, or a program not be started.
    #[error("{what}: {error}")]
    Io {
        /// The action that failed, and its object.
        what: String,
        /// What went wrong.
        error: std::io::Error,
    },
    /// clang refused a program.
    #[error("clang-19 cannot compile {0} for BPF: {1}")]
    Compile(String, String),
    /// The object or its code was refused.
    #[error("{0}: {1}")]
    Program(String, String),
}

fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
    let what = what.into();
    move |error| Error::Io { what, error }
}

/// One way to make machine code of a program.
struct Generator {
    name: &'static str,
    arch: Arch,
    /// EBPF_POWER_ and EBPF_X86_ bits of ebpf.h.
    features: u32,
    fusion: Fusion,
    /// The value of `assay-requires` in the file.
    requires: &'static str,
    meaning: &'static str,
}

const ISA206: u32 = 1;
const ISA207: u32 = 2;
const ISA300: u32 = 4;
const ISA310: u32 = 8;
const POWER8: u32 = ISA206 | ISA207;
const POWER10: u32 = POWER8 | ISA300 | ISA310;
const MOVBE: u32 = 1;

const GENERATORS: &[Generator] = &[
    Generator {
        name: "unfused",
        arch: Arch::Powerpc64le,
        features: POWER8,
        fusion: Fusion::Off,
        requires: "power8",
        meaning: "Our code for POWER8, every byte swap in registers.",
    },
    Generator {
        name: "fused",
        arch: Arch::Powerpc64le,
        features: POWER8,
        fusion: Fusion::On,
        requires: "power8",
        meaning: "Our code for POWER8, byte swaps merged with loads and stores (lhbrx, sthbrx and so on).",
    },
    Generator {
        name: "unfused_isa31",
        arch: Arch::Powerpc64le,
        features: POWER10,
        fusion: Fusion::Off,
        requires: "power10",
        meaning: "Our code for POWER10, every byte swap in registers, by brh and brw.",
    },
    Generator {
        name: "fused_isa31",
        arch: Arch::Powerpc64le,
        features: POWER10,
        fusion: Fusion::On,
        requires: "power10",
        meaning: "Our code for POWER10, byte swaps merged with loads and stores.",
    },
    Generator {
        name: "jit",
        arch: Arch::Powerpc64,
        features: POWER8,
        fusion: Fusion::On,
        requires: "power8",
        meaning: "Our code for big endian, where network order is the machine's own.",
    },
    Generator {
        name: "jit",
        arch: Arch::Loongarch64,
        features: 0,
        fusion: Fusion::On,
        requires: "",
        meaning: "Our code; LoongArch has no access that swaps.",
    },
    Generator {
        name: "unfused",
        arch: Arch::X86_64,
        features: MOVBE,
        fusion: Fusion::Off,
        requires: "movbe",
        meaning: "Our code, every byte swap in registers.",
    },
    Generator {
        name: "fused",
        arch: Arch::X86_64,
        features: MOVBE,
        fusion: Fusion::On,
        requires: "movbe",
        meaning: "Our code, byte swaps merged with loads and stores (movbe).",
    },
];

/// Name of the variant with the kernel's sequences.
pub const KERNEL: &str = "kernel_sequences";

/// Writes the hot paths below `folder`, replacing what an earlier call wrote, and returns the programs' names.
pub fn write_hotpaths(checkout: &Path, folder: &Path) -> Result<Vec<String>, Error> {
    let sources = checkout.join("libs/ebpf/packets");
    let library = folder.join(LIBRARY);
    if library.exists() {
        std::fs::remove_dir_all(&library).map_err(io(format!("remove {}", library.display())))?;
    }
    std::fs::create_dir_all(&library).map_err(io(format!("create {}", library.display())))?;
    copy(&checkout.join("libs/ebpf/ebpf.h"), &library.join("ebpf.h"))?;
    for header in ["packet.h", "packet_test.h"] {
        copy(&sources.join(header), &library.join(header))?;
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&sources).map_err(io(format!("read {}", sources.display())))? {
        let source = entry.map_err(io("read a folder"))?.path();
        if source.extension().is_some_and(|ending| ending == "c") {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            write_hotpath(&source, &library.join(&name), &name)?;
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::copy(from, to).map(drop).map_err(io(format!("copy {} to {}", from.display(), to.display())))
}

fn write(path: PathBuf, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io(format!("create {}", folder.display())))?;
    std::fs::write(&path, text).map_err(io(format!("write {}", path.display())))
}

fn write_hotpath(source: &Path, folder: &Path, name: &str) -> Result<(), Error> {
    let symbol = format!("packet_{name}");
    let toml = format!(
        "symbol = \"{symbol}\"\nprototype = \"uint64_t {symbol}(struct ebpf_frame *frame)\"\n\
         meaning = \"the eBPF program {name} on the packet that frame->context points to\"\n\n\
         [[case]]\nmatching = 1\n\n[[case]]\nmatching = 0\n"
    );
    write(folder.join("hotpath.toml"), &toml)?;
    copy(source, &folder.join("program.h"))?;
    let reference = format!(
        "/* The program itself, compiled natively. */\n#include \"ebpf.h\"\n#include \"packet.h\"\n\n\
         static uint64_t program(unsigned char *packet, uint64_t bytes);\n#include \"program.h\"\n\nuint64_t {symbol}(struct ebpf_frame *frame)\n{{\n\
         \treturn program((unsigned char *)(uintptr_t)frame->context, frame->context_bytes);\n}}\n"
    );
    write(folder.join("reference.c"), &reference)?;
    let test = format!(
        "#define PROGRAM {symbol}\n#define REFERENCE {symbol}_reference\n#include \"packet_test.h\"\n"
    );
    write(folder.join("test.c"), &test)?;
    let little = bytecode(source, ByteOrder::Little)?;
    let big = bytecode(source, ByteOrder::Big)?;
    for generator in GENERATORS {
        let (code, order) =
            if generator.arch.big_endian() { (&big, ByteOrder::Big) } else { (&little, ByteOrder::Little) };
        let text = generated(generator, code, order, name, &symbol)?;
        write(folder.join(generator.arch.name()).join(format!("{}.S", generator.name)), &text)?;
    }
    let lines =
        kernel::assembly(&little).map_err(|error| Error::Program(name.to_owned(), error.to_string()))?;
    let meaning = "The instruction sequences that Linux's JIT emits for this program.";
    let text = assembly(&symbol, Arch::Powerpc64le, "power7", meaning, &lines);
    write(folder.join("powerpc64le").join(format!("{KERNEL}.S")), &text)
}

/// Compiles a program for BPF and extracts its bytecode from the object.
pub fn bytecode(source: &Path, order: ByteOrder) -> Result<Vec<u8>, Error> {
    let target = if order == ByteOrder::Big { "bpfeb" } else { "bpfel" };
    let output = Command::new("clang-19")
        .args(["-target", target, "-mcpu=v3", "-O2", "-ffreestanding", "-Wall", "-Wextra", "-c", "-o", "-"])
        .arg(source)
        .output()
        .map_err(io("run clang-19"))?;
    let name = source.display().to_string();
    if !output.status.success() {
        return Err(Error::Compile(name, String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let object =
        Object::parse(&output.stdout).map_err(|error| Error::Program(name.clone(), error.to_string()))?;
    match object.programs.into_iter().find(|program| program.name == "program") {
        Some(program) => Ok(program.bytecode),
        None => Err(Error::Program(name, "defines no function named program".to_owned())),
    }
}

fn generated(
    generator: &Generator,
    bytecode: &[u8],
    order: ByteOrder,
    name: &str,
    symbol: &str,
) -> Result<String, Error> {
    let failed = |error: ebpf::Error| Error::Program(name.to_owned(), error.to_string());
    let mut vm = Vm::new(Options::default())
        .ok_or_else(|| Error::Program(name.to_owned(), "no memory for a VM".to_owned()))?;
    vm.load(bytecode, order).map_err(failed)?;
    let target = Target {
        arch: Some(generator.arch.name().to_owned()),
        features: Features(generator.features),
        fusion: generator.fusion,
        ..Target::default()
    };
    let code = vm.emit(&target).map_err(failed)?;
    let mut lines = String::new();
    for bytes in code.chunks(16) {
        let numbers: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "\t.byte {}", numbers.join(", "));
    }
    Ok(assembly(symbol, generator.arch, generator.requires, generator.meaning, &lines))
}

/// An assembly file that defines `symbol` with these lines.
fn assembly(symbol: &str, arch: Arch, requires: &str, meaning: &str, lines: &str) -> String {
    let power = matches!(arch, Arch::Powerpc64 | Arch::Powerpc64le);
    let key =
        if requires.is_empty() { String::new() } else { format!(" *\n * assay-requires: {requires}\n") };
    let abi = if power { "\t.abiversion 2\n" } else { "" };
    format!(
        "/*\n * {meaning}\n{key} */\n{abi}\t.text\n\t.globl\t{symbol}\n\t.type\t{symbol}, @function\n\t.balign\t32\n\
         {symbol}:\n{lines}\t.size\t{symbol}, . - {symbol}\n\n\t.section .note.GNU-stack, \"\", @progbits\n"
    )
}
