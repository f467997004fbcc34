// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Boots a kernel under QEMU with an initramfs made for the run, runs one program in it, and reports how both ended.
//!
//! The console's output is logged as it arrives. A panic ends QEMU at once (`panic=-1`, `-no-reboot`; an oops becomes a
//! panic), so a broken kernel does not run into the timeout. QEMU gets SIGTERM if it does not end, at which its plugins
//! still write what they have.

use crate::console::{Console, Exit};
use crate::initramfs::Archive;
use crate::machine::Machine;
use crate::workload::Run;
use arch::Arch;
use lab::cache::{read_whole, Scratch, Workspace};
use lab::process::{Command, Limits, Watch};
use lab::target::Target;
use lab::toolchain::find_program;
use lab::{freestanding, process, Problem, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A console with more output than this is flooded, and the run is ended.
const FLOOD_BYTES: u64 = 32 << 20;
/// The time that a machine has to power off once its program has ended or its kernel has panicked.
const POWER_OFF_WITHIN: Duration = Duration::from_secs(5);
/// QEMU's own memory, besides the guest's.
const QEMU_MEMORY_BYTES: u64 = 4 << 30;
const QEMU_FILE_BYTES: u64 = 64 << 30;

/// A boot of a kernel.
#[derive(Clone, Debug)]
pub struct Boot<'a> {
    /// The machine.
    pub machine: &'static Machine,
    /// What QEMU is to boot.
    pub kernel: &'a Path,
    /// QEMU's name of the cpu.
    pub cpu: &'a str,
    /// What runs in it.
    pub run: Run,
    /// Processors.
    pub processors: u32,
    /// Memory of the guest.
    pub memory_mib: u32,
    /// From the start of QEMU to its end.
    pub timeout: Duration,
    /// Further arguments of QEMU: a plugin and its options.
    pub qemu_arguments: Vec<OsString>,
    /// Further words of the kernel's command line.
    pub append: Vec<String>,
    /// Whether a plugin records it.
    pub traced: bool,
    /// The file for the console's log; without one, a new file in the cache.
    pub log: Option<PathBuf>,
}

impl<'a> Boot<'a> {
    /// One processor, a gigabyte, two minutes, the default cpu.
    pub fn new(machine: &'static Machine, kernel: &'a Path, run: Run) -> Boot<'a> {
        Boot {
            machine,
            kernel,
            cpu: machine.cpus[0].1,
            run,
            processors: 1,
            memory_mib: 1024,
            timeout: Duration::from_secs(120),
            qemu_arguments: Vec::new(),
            append: Vec::new(),
            traced: false,
            log: None,
        }
    }
}

/// What QEMU printed, or a console showed, that was silent.
pub const NOTHING: &str = "(nothing)";

/// How a booted kernel and its program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program exited with this status.
    Exited(i32),
    /// The program was killed by this signal.
    Killed(i32),
    /// The program could not be started: the kernel's error number.
    NotStarted(i32),
    /// The kernel panicked, for this reason.
    Panicked(String),
    /// Neither the program nor QEMU ended in time.
    Hung {
        /// The time that they had.
        timeout: Duration,
        /// The last line of the console.
        last: String,
    },
    /// The console was flooded; its last line.
    Flooded(String),
    /// QEMU ended, but the program had not; what QEMU printed.
    Stopped(String),
}

/// What a run left.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Whether anything was printed on the console, be it by firmware.
    pub started: bool,
    /// Whether the program was started.
    pub begun: bool,
    /// The program's standard output.
    pub stdout: String,
    /// The program's standard error.
    pub stderr: String,
    /// Oopses, warnings and stalls that the kernel reported.
    pub complaints: Vec<String>,
    /// Modules that could not be loaded, with the kernel's error number.
    pub modules_refused: Vec<(i32, String)>,
    /// Requested files of /sys and /proc: the path, and the first line as it was once the modules were loaded.
    pub files: Vec<(String, String)>,
    /// Lines of the program that are lost because the kernel printed into them.
    pub damaged: u64,
    /// The console's log, complete unless it was flooded.
    pub log: PathBuf,
    /// From the start of QEMU to its end: time under QEMU, not a measurement.
    pub elapsed: Duration,
}

impl Outcome {
    /// Whether the program exited with status 0, all modules were loaded and no output was lost.
    pub fn success(&self) -> bool {
        self.ending == Ending::Exited(0) && self.modules_refused.is_empty() && self.damaged == 0
    }

    /// What went wrong, in a clause; `None` where nothing did.
    pub fn failure(&self) -> Option<String> {
        let stage = if self.begun { "while the program ran" } else { "before the program was started" };
        let text = match &self.ending {
            Ending::Exited(0) => match (self.modules_refused.first(), self.damaged) {
                (Some((error, path)), _) => {
                    format!("the kernel refused the module {path}: {}", errno(*error))
                }
                (None, 0) => return None,
                (None, count) => {
                    format!("{count} lines of the program's output are lost: the kernel printed into them")
                }
            },
            Ending::Exited(status) => format!("the program exited with status {status}"),
            Ending::Killed(signal) => format!("the program was ended by {}", process::signal_name(*signal)),
            Ending::NotStarted(error) => format!("the program could not be started: {}", errno(*error)),
            Ending::Panicked(reason) => format!("the kernel panicked {stage}: {reason}"),
            Ending::Hung { timeout, last } => format!(
                "nothing ended within {} s, {stage}; the console's last line: {last}",
                timeout.as_secs()
            ),
            Ending::Flooded(last) => {
                format!("the kernel printed more than {} MiB {stage}, such as: {last}", FLOOD_BYTES >> 20)
            }
            Ending::Stopped(said) => format!("QEMU ended {stage}, and nothing tells why: {said}"),
        };
        Some(text)
    }

    /// Whether the failure is the kernel's and not the program's.
    pub fn kernel_failed(&self) -> bool {
        matches!(
            self.ending,
            Ending::Panicked(_) | Ending::Hung { .. } | Ending::Flooded(_) | Ending::Stopped(_)
        )
    }
}

fn errno(number: i32) -> String {
    std::io::Error::from_raw_os_error(number).to_string()
}

/// Boots, runs, and waits for the end.
pub fn boot(workspace: &Workspace, boot: &Boot) -> Result<Outcome> {
    let machine = boot.machine;
    let mark = mark();
    let initrd = workspace.scratch(".cpio")?;
    fs::write(initrd.path(), initramfs(workspace, boot, &mark)?)
        .map_err(|error| Problem::io("write the initramfs", initrd.path(), &error))?;
    let log = match &boot.log {
        Some(log) => log.clone(),
        None => workspace.folder("kernel/log")?.join(format!("{}-{}-{mark}.log", machine.name(), boot.cpu)),
    };
    let nvram = match machine.nvram_bytes {
        Some(bytes) => Some(formatted_nvram(workspace, bytes)?),
        None => None,
    };
    let file = File::create(&log).map_err(|error| Problem::io("write the console's log", &log, &error))?;
    let console = Arc::new(Mutex::new(Console::new(&mark)));
    let mut command = qemu(workspace, machine, boot, initrd.path())?;
    if let Some(nvram) = &nvram {
        command = command.arg("-drive").arg(raw_flash(nvram.path()));
    }
    let output = command.run_watched(watcher(console.clone(), file))?;
    let mut console = console.lock().expect("nothing panics while it is held");
    console.finish();
    Ok(outcome(&console, &output, boot.timeout, log))
}

/// Writes each chunk into the log and the console, and decides when to end QEMU.
fn watcher(console: Arc<Mutex<Console>>, mut file: File) -> impl FnMut(&[u8]) -> Watch + Send + 'static {
    move |chunk| {
        let mut console = console.lock().expect("nothing panics while it is held");
        if console.bytes < FLOOD_BYTES {
            // If the log cannot be written, the console is still parsed.
            let _ = file.write_all(chunk);
        }
        console.push(chunk);
        if console.bytes >= FLOOD_BYTES {
            Watch::EndWithin(Duration::ZERO)
        } else if console.exit.is_some() || console.panic.is_some() {
            Watch::EndWithin(POWER_OFF_WITHIN)
        } else {
            Watch::Go
        }
    }
}

fn outcome(console: &Console, output: &process::Output, timeout: Duration, log: PathBuf) -> Outcome {
    let last = || match console.last.is_empty() {
        true => NOTHING.to_owned(),
        false => console.last.clone(),
    };
    let ending = match (&console.panic, console.exit) {
        (Some(reason), _) => Ending::Panicked(reason.clone()),
        (None, Some(Exit::Status(status))) => Ending::Exited(status),
        (None, Some(Exit::Signal(signal))) => Ending::Killed(signal),
        (None, Some(Exit::NotStarted(error))) => Ending::NotStarted(error),
        (None, None) if console.bytes >= FLOOD_BYTES => Ending::Flooded(last()),
        (None, None) if output.ending == process::Ending::TimedOut => Ending::Hung { timeout, last: last() },
        (None, None) => {
            let said = output.stderr.trim();
            Ending::Stopped(if said.is_empty() { last() } else { said.to_owned() })
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Outcome {
        ending,
        started: console.bytes > 0,
        begun: console.begun,
        stdout: text(&console.stdout),
        stderr: text(&console.stderr),
        complaints: console.complaints.clone(),
        modules_refused: console.modules_refused.clone(),
        files: console.files.clone(),
        damaged: console.damaged,
        log,
        elapsed: output.elapsed,
    }
}

/// A word that no program prints by accident.
fn mark() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Two concurrent runs differ in their process, or in their time within one process.
    format!("{:x}-{:x}", std::process::id(), now.as_nanos())
}

/// QEMU's program for a machine; if `traced`, one whose plugins can record it.
pub fn qemu_program(workspace: &Workspace, machine: &Machine, traced: bool) -> Result<PathBuf> {
    let missing = || Problem::new(format!("the program '{}' is missing", machine.qemu_program));
    match machine.qemu_package {
        Some(package) if !(traced && machine.traced_by_built) => find_program(machine.qemu_program)
            .ok_or_else(|| {
                missing().remedy(format!("run ./setup --kernel, or install the Debian package {package}"))
            }),
        _ => {
            let built = workspace.cache.join("qemu-10-system/bin").join(machine.qemu_program);
            let remedy = format!("run ./setup --kernel-qemu-10, which builds it at {}", built.display());
            built.is_file().then_some(built).ok_or_else(|| missing().remedy(remedy))
        }
    }
}

/// Non-volatile memory as firmware hands it over: one free partition. Its header (PAPR, "NVRAM") is the signature, a checksum,
/// the length in units of 16 bytes, big-endian, and twelve bytes of name.
fn formatted_nvram(workspace: &Workspace, bytes: u32) -> Result<Scratch> {
    let units = u16::try_from(bytes / 16).expect("a machine's NVRAM is less than a MiB");
    let mut header = [b'w'; 16];
    header[..2].copy_from_slice(&[0x7f, 0]);
    header[2..4].copy_from_slice(&units.to_be_bytes());
    // The sum of the other bytes, each carry added to it.
    header[1] = header.iter().fold(0, |sum: u8, byte| {
        let (sum, carry) = sum.overflowing_add(*byte);
        sum + u8::from(carry)
    });
    let file = workspace.scratch(".nvram")?;
    let mut content = vec![0; bytes as usize];
    content[..16].copy_from_slice(&header);
    fs::write(file.path(), content).map_err(|error| Problem::io("write the NVRAM", file.path(), &error))?;
    Ok(file)
}

/// QEMU's words for a file as flash memory; a comma of the path is doubled.
fn raw_flash(path: &Path) -> OsString {
    let mut words = b"if=pflash,format=raw,file=".to_vec();
    for byte in path.as_os_str().as_bytes() {
        words.extend((*byte == b',').then_some(b','));
        words.push(*byte);
    }
    OsString::from_vec(words)
}

/// The folders of Debian's firmware, which an emulator that we build does not have.
const FIRMWARE: [&str; 2] = ["/usr/share/qemu", "/usr/share/seabios"];

fn qemu(workspace: &Workspace, machine: &Machine, boot: &Boot, initrd: &Path) -> Result<Command> {
    if !boot.kernel.is_file() {
        return Err(Problem::new("there is no such kernel")
            .at(boot.kernel.display())
            .remedy("name the vmlinux or image that QEMU is to boot"));
    }
    let mut append = vec![
        format!("console={}", machine.console),
        "panic=-1".to_owned(),
        "oops=panic".to_owned(),
        "printk.devkmsg=off".to_owned(),
    ];
    append.extend(boot.append.iter().cloned());
    let limits = Limits {
        memory_bytes: QEMU_MEMORY_BYTES + (u64::from(boot.memory_mib) << 20),
        file_bytes: QEMU_FILE_BYTES,
    };
    let firmware = if boot.traced && machine.traced_by_built { &FIRMWARE[..] } else { &[] };
    Ok(Command::new(qemu_program(workspace, machine, boot.traced)?)
        .args(firmware.iter().flat_map(|folder| ["-L", folder]))
        .args(machine.arguments(boot.cpu))
        .args([
            "-cpu",
            boot.cpu,
            "-smp",
            &boot.processors.to_string(),
            "-m",
            &format!("{}M", boot.memory_mib),
        ])
        .args(["-accel", "tcg", "-nodefaults", "-nographic", "-monitor", "none", "-no-reboot"])
        .args(["-net", "none", "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"])
        .arg("-kernel")
        .arg(boot.kernel)
        .arg("-initrd")
        .arg(initrd)
        .args(["-append", &append.join(" ")])
        .args(&boot.qemu_arguments)
        .limits(limits)
        .timeout(boot.timeout))
}

/// Init, the program, its files and modules, and what init is to do with them.
fn initramfs(workspace: &Workspace, boot: &Boot, mark: &str) -> Result<Vec<u8>> {
    let mut archive = Archive::new();
    archive.device("dev/console", 5, 1);
    archive.device("dev/null", 1, 3);
    archive.device("dev/zero", 1, 5);
    archive.device("dev/urandom", 1, 9);
    archive.device("dev/kvm", 10, 232);
    archive.file("init", &read(&init(workspace, boot.machine.arch)?)?)?;
    let mut modules = Vec::new();
    for module in &boot.run.modules {
        modules.push(format!("/modules/{}", file_name(module)));
        archive.file(&format!("modules/{}", file_name(module)), &read(module)?)?;
    }
    let mut words = Vec::new();
    if let Some(program) = &boot.run.program {
        words.push(format!("/bin/{}", guest_name(program)));
        archive.file(&words[0], &read(program)?)?;
        words.extend(boot.run.arguments.iter().cloned());
    }
    for (there, content) in &boot.run.files {
        archive.file(there, content)?;
    }
    archive.file("assay/run", &orders(mark, [&modules, &boot.run.told_files, &words])?)?;
    Ok(archive.finish())
}

/// The orders that kernel/init/init.c reads, within the size of its buffers.
fn orders(mark: &str, lists: [&[String]; 3]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut word = |text: &str| {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    };
    word(mark);
    for list in lists {
        word(&list.len().to_string());
        list.iter().for_each(|text| word(text));
    }
    let too_many = lists.iter().any(|list| list.len() >= 4096) || bytes.len() >= 1 << 16;
    if too_many || lists.iter().any(|list| list.iter().any(|text| text.contains('\0'))) {
        return Err(Problem::new("the program's arguments are more than 64 KiB or hold a zero byte")
            .remedy("give it a file, or fewer arguments"));
    }
    Ok(bytes)
}

/// Above the default addresses of linkers, and below 2 GiB. A trace identifies a program's function by its address, so
/// init must not overlap the program.
const INIT_BASE: u32 = 0x7000_0000;

fn init(workspace: &Workspace, arch: Arch) -> Result<PathBuf> {
    let folder = PathBuf::from("kernel/init");
    let sources = [folder.join("init.c")];
    freestanding::program(workspace, Target::of(arch), "init", &sources, &[folder], Some(INIT_BASE))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    read_whole(path, "name a program's or a module's file")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A cached program's name without the suffix that the cache has added: `pingpong-powerpc64le-1234` is `pingpong`.
fn guest_name(path: &Path) -> String {
    let name = file_name(path);
    let cached = path.parent().is_some_and(|folder| folder.ends_with("programs"));
    match name.split_once('-') {
        Some((name, _)) if cached => name.to_owned(),
        _ => name,
    }
}
