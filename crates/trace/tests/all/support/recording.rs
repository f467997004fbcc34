// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Builds the tracer and small foreign programs, runs them under QEMU, reads the trace back. A missing tool fails the test
//! and the message names its package: these tests are the only proof that the tracer works.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use arch::Arch;
use trace::{Access, Block, End, Event, Leave, Reader};

pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn source(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn run(command: &mut Command, package: &str) -> Output {
    let output = command.output();
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}; is {package} installed?"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn build_plugin(name: &str, compiler: &str, sources: &[PathBuf]) -> PathBuf {
    let plugin = scratch(&format!("{name}.{}.so", std::process::id()));
    let mut command = Command::new(compiler);
    command.args([
        "-std=gnu11",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fvisibility=hidden",
        "-shared",
        "-fPIC",
    ]);
    run(command.args(sources).arg("-o").arg(&plugin).arg("-lzstd"), "libzstd-dev");
    plugin
}

fn tracer_sources() -> Vec<PathBuf> {
    let folder = source("../../tracer");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect()
}

/// The tracer, built once for each test program.
pub fn tracer() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build_plugin("tracer", "clang-19", &tracer_sources()))
}

/// The tracer as GCC builds it.
pub fn tracer_by_gcc() -> PathBuf {
    build_plugin("tracer_by_gcc", "gcc", &tracer_sources())
}

/// The tracer, built as if it could not read the guest's registers.
pub fn tracer_without_registers() -> PathBuf {
    let source = std::iter::once(PathBuf::from("-DTRACER_WITHOUT_REGISTERS")).chain(tracer_sources());
    build_plugin("without_registers", "clang-19", &source.collect::<Vec<_>>())
}

/// The program that stands in for a newer QEMU.
pub fn stand_in() -> PathBuf {
    let program = scratch(&format!("stand_in.{}", std::process::id()));
    let mut command = Command::new("clang-19");
    command.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"]).arg(&program);
    run(command.arg(source("tests/programs/stand_in.c")).arg("-ldl"), "clang-19");
    program
}

/// The plugin that does not fold loops, for comparison.
pub fn plain_plugin() -> PathBuf {
    build_plugin("plain", "clang-19", &[source("tests/programs/plain_plugin.c")])
}

/// A static program for one architecture, from tests/programs.
pub struct Program {
    pub arch: Arch,
    pub path: PathBuf,
    preloads: bool,
    symbols: OnceLock<String>,
}

fn qemu(arch: Arch) -> String {
    match arch {
        Arch::Powerpc => "qemu-ppc".into(),
        Arch::Powerpc64 => "qemu-ppc64".into(),
        Arch::Powerpc64le => "qemu-ppc64le".into(),
        other => format!("qemu-{other}"),
    }
}

/// QEMU 10, which has LoongArch's vectors. `./setup` puts it into .assay, or the environment names it.
pub fn qemu_10() -> PathBuf {
    match std::env::var_os("ASSAY_QEMU_LOONGARCH64") {
        Some(path) => path.into(),
        None => source("../../.assay/qemu-10/bin/qemu-loongarch64"),
    }
}

impl Program {
    /// Has QEMU preload the plugin too, as `./assay trace` does.
    pub fn preload(&mut self) {
        self.preloads = true;
    }

    pub fn build(name: &str, arch: Arch, flags: &[&str]) -> Program {
        static BUILT: AtomicUsize = AtomicUsize::new(0);
        let number = BUILT.fetch_add(1, Ordering::Relaxed);
        let path = scratch(&format!("{name}.{arch}.{}.{number}", std::process::id()));
        let triple = match arch {
            Arch::Powerpc => "powerpc-linux-gnu".to_owned(),
            other => format!("{other}-linux-gnu"),
        };
        let mut command = Command::new("clang-19");
        command.args([
            &format!("--target={triple}"),
            "-O2",
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-fuse-ld=lld",
        ]);
        if matches!(arch, Arch::Powerpc64 | Arch::Powerpc64le) {
            command.arg("-mabi=elfv2");
        }
        command.args(flags).arg(source(&format!("tests/programs/{name}"))).arg("-o").arg(&path);
        run(&mut command, "clang-19 and lld-19");
        Program { arch, path, preloads: false, symbols: OnceLock::new() }
    }

    /// The symbol's row in the table that readelf prints.
    fn row(&self, name: &str) -> &str {
        let table = self.symbols.get_or_init(|| {
            let output = run(Command::new("llvm-readelf-19").arg("--symbols").arg(&self.path), "llvm-19");
            String::from_utf8(output.stdout).unwrap()
        });
        let row = table.lines().find(|row| row.ends_with(&format!(" {name}")));
        row.unwrap_or_else(|| panic!("{} has no {name}", self.path.display()))
    }

    /// The value of a symbol, for `roi=`.
    pub fn symbol(&self, name: &str) -> u64 {
        u64::from_str_radix(self.row(name).split_whitespace().nth(1).unwrap(), 16).unwrap()
    }

    /// The local entry point of a function: on ELFv2 its distance is in bits 7..5 of st_other (ABI 3.4.1).
    pub fn local_entry(&self, name: &str) -> u64 {
        let other = self.row(name).split("[<other: 0x").nth(1).and_then(|rest| rest.split('>').next());
        let code = other.map_or(0, |hex| u64::from_str_radix(hex, 16).unwrap() >> 5);
        self.symbol(name) + if code > 1 { 1 << code } else { 0 }
    }

    pub fn region(&self, name: &str) -> String {
        format!("roi={name}:{:#x}:{:#x}", self.symbol(name), self.local_entry(name))
    }

    fn qemu_command(&self) -> Command {
        match self.arch {
            Arch::Loongarch64 => {
                let mut command = Command::new(qemu_10());
                command.args(["-R", "0x100000000"]); // else the address of the stack differs from run to run
                command
            }
            other => Command::new(qemu(other)),
        }
    }

    /// Runs under QEMU with a plugin.
    pub fn run_with(
        &self,
        plugin: &Path,
        cpu: &str,
        plugin_arguments: &[String],
        arguments: &[&str],
    ) -> Output {
        let mut option = plugin.display().to_string();
        for argument in plugin_arguments {
            option.push(',');
            option.push_str(argument);
        }
        let mut command = self.qemu_command();
        if !cpu.is_empty() {
            command.args(["-cpu", cpu]);
        }
        if self.preloads {
            // By its name alone, since ld.so would split the path at a blank.
            let name = Path::new(".").join(plugin.file_name().unwrap());
            command.current_dir(plugin.parent().unwrap());
            command.env("LD_PRELOAD", name).env("ASSAY_PRELOAD", "");
        }
        command.args(["-plugin", &option]).arg(&self.path).args(arguments);
        command
            .output()
            .unwrap_or_else(|e| panic!("{command:?}: {e}; is qemu-user installed, is QEMU 10 built?"))
    }

    /// The path of a trace of this program.
    pub fn trace_path(&self, label: &str) -> PathBuf {
        scratch(&format!("{}.{label}.trace", self.path.file_name().unwrap().to_str().unwrap()))
    }

    /// Records; returns the program's output and the path of the trace, which need not exist.
    pub fn record(
        &self,
        label: &str,
        cpu: &str,
        plugin_arguments: &[String],
        arguments: &[&str],
    ) -> (Output, PathBuf) {
        let path = self.trace_path(label);
        let _ = std::fs::remove_file(&path);
        let mut all = vec![format!("out={}", path.display())];
        all.extend_from_slice(plugin_arguments);
        (self.run_with(tracer(), cpu, &all, arguments), path)
    }

    /// Records a trace and reads it whole.
    pub fn trace(&self, label: &str, cpu: &str, plugin_arguments: &[String], arguments: &[&str]) -> Whole {
        let (output, path) = self.record(label, cpu, plugin_arguments, arguments);
        assert!(output.status.success(), "{}: {output:?}", self.path.display());
        let whole = Whole::read(&path);
        std::fs::remove_file(&path).unwrap();
        whole
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// One instruction as it was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    pub address: u64,
    pub bytes: Vec<u8>,
    pub accesses: Vec<Access>,
}

/// A short trace in memory.
pub struct Whole {
    pub instructions: Vec<Executed>,
    /// How each region entry ended, and the number of instructions in it.
    pub entries: Vec<(Leave, usize)>,
    pub end: End,
}

impl Whole {
    pub fn read(path: &Path) -> Whole {
        let mut reader = Reader::open(path).unwrap_or_else(|e| panic!("{e}"));
        let (mut instructions, mut entries, mut entered) = (Vec::new(), Vec::new(), 0);
        loop {
            let (id, accesses) = match reader.next().unwrap_or_else(|e| panic!("{e}")) {
                None => break,
                Some(Event::EnterRegion { .. }) => {
                    entered = instructions.len();
                    continue;
                }
                Some(Event::LeaveRegion { how }) => {
                    entries.push((how, instructions.len() - entered));
                    continue;
                }
                Some(Event::Interrupt | Event::InterruptOver) => {
                    panic!("a program's trace has no interrupts")
                }
                Some(Event::Block { id, accesses }) => (id, accesses.to_vec()),
            };
            append(&reader.blocks()[id as usize], &accesses, &mut instructions);
        }
        Whole { instructions, entries, end: reader.end().unwrap().clone() }
    }

    /// All accesses of the instructions at an address, in the order of execution.
    pub fn accesses_at(&self, address: u64) -> Vec<&[Access]> {
        self.instructions.iter().filter(|i| i.address == address).map(|i| &i.accesses[..]).collect()
    }
}

fn append(block: &Block, accesses: &[Access], out: &mut Vec<Executed>) {
    for (index, (address, bytes)) in block.iter().enumerate() {
        let own = accesses.iter().filter(|a| usize::from(a.instruction) == index);
        out.push(Executed { address, bytes: bytes.to_vec(), accesses: own.copied().collect() });
    }
}
