// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Shared by the tests: the command with a cache of its own, input files, and assertions that hold however a run ends.

// Each test program uses a part of this.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A variant that is right on every architecture, to be judged beside wrong ones.
pub const GOOD: &str = "#include <stdint.h>
uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i & 1) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
";

/// A function of the right name with another body.
pub fn body(text: &str) -> String {
    format!(
        "#include <stdint.h>\nuint32_t csum_partial(const void *buf, int len, uint32_t sum)\n{{\n{text}\n}}\n"
    )
}

/// A variant that never returns, on any architecture.
pub fn endless() -> String {
    body("for (;;)\n__asm__ volatile(\"\");")
}

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate stands in its checkout")
}

/// A test's own folder with a cache in it; both are removed on drop.
pub struct Lab {
    /// The folder for the test's files; runs start in it.
    pub folder: PathBuf,
    /// The cache.
    pub cache: PathBuf,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit status, unless a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Lab {
    /// A folder with an empty cache, except for the QEMU that ./setup has built.
    pub fn empty() -> Lab {
        let lab = Lab::in_folder("lab");
        lab.link_qemu();
        lab
    }

    /// A folder with the cache that all tests share, which saves compiling the runtime for each test.
    pub fn shared() -> Lab {
        let mut lab = Lab::in_folder("lab");
        lab.cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-input-cache");
        fs::create_dir_all(&lab.cache).expect("the target folder can be written");
        lab.link_qemu();
        lab
    }

    /// A folder with an empty cache and without QEMU's link, under a path that ends in `name`.
    pub fn in_folder(name: &str) -> Lab {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let unique = format!("bad-input-{}-{serial}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique).join(name);
        fs::create_dir_all(folder.join("cache")).expect("the target folder can be written");
        Lab { cache: folder.join("cache"), folder }
    }

    /// Links into the cache the QEMU that ./setup has built.
    pub fn link_qemu(&self) {
        self.link("qemu-10");
    }

    /// Links into the cache GMP's routines that ./setup has unpacked.
    pub fn link_gmp_source(&self) {
        self.link("gmp-source");
    }

    fn link(&self, folder: &str) {
        let set_up = std::env::var_os("ASSAY_CACHE").map_or_else(|| root().join(".assay"), PathBuf::from);
        // Another test may just have made the link in the shared cache.
        let _ = std::os::unix::fs::symlink(set_up.join(folder), self.cache.join(folder));
    }

    /// Writes a file, with the folders above it, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("it stands in the folder")).expect("folders can be made");
        fs::write(&path, content).expect("files can be written");
        path
    }

    /// Writes an executable shell script, such as for PATH.
    pub fn write_program(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is our file");
        path
    }

    /// The command, ready for arguments and changes of its environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &self.cache).current_dir(&self.folder);
        command.stdin(Stdio::null());
        command
    }

    /// Runs the command with these arguments.
    pub fn assay<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        finish(self.command().args(args))
    }

    /// Runs the command with the words of a line.
    pub fn line(&self, line: &str) -> Ran {
        self.assay(line.split_whitespace())
    }

    /// Asserts that no partially written file is left in the cache or beside the test's own files.
    pub fn assert_tidy(&self) {
        let left: Vec<PathBuf> = files_below(&self.cache.join("tmp"));
        // The shared cache has the scratch files of other tests.
        let shared = !self.cache.starts_with(&self.folder);
        assert!(shared || left.is_empty(), "left behind: {left:?}");
        for folder in ["objects", "runners"] {
            for path in files_below(&self.cache.join(folder)) {
                let start = fs::read(&path).expect("it is listed");
                assert!(start.starts_with(b"\x7fELF"), "{} is no whole ELF file", path.display());
            }
        }
        let cores: Vec<PathBuf> = files_below(&self.folder)
            .into_iter()
            .filter(|path| path.extension() == Some("core".as_ref()))
            .collect();
        assert!(cores.is_empty(), "core files: {cores:?}");
    }

    /// The processes that have our cache's path in their command line: compilers, QEMUs and runners of this test.
    pub fn processes(&self) -> Vec<String> {
        let mark = self.cache.display().to_string();
        let mut lines = Vec::new();
        for entry in fs::read_dir("/proc").expect("this is Linux").flatten() {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(&mark) {
                lines.push(line);
            }
        }
        lines
    }

    /// Waits for a process of this test with `part` in its command line.
    pub fn await_process(&self, part: &str) {
        wait_for(&format!("a process with {part}"), || {
            self.processes().iter().any(|line| line.contains(part))
        });
    }

    /// Waits until no process of this test is left.
    pub fn await_no_process(&self) {
        wait_for("the end of all processes", || self.processes().is_empty());
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // A folder that cannot be removed does not disturb the next run, whose folder has another name.
        let _ = fs::remove_dir_all(self.folder.parent().expect("a folder of its own"));
    }
}

/// Polls until something holds; panics after five minutes. A minute was not enough on a busy machine to build into an empty cache.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(300), "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Ran {
    let output = command.output().expect("the command starts");
    Ran {
        status: output.status.code(),
        signal: output.status.signal(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// Asserts the exit status and that the output of both streams contains these parts.
    #[track_caller]
    pub fn ends(self, status: i32, parts: &[&str]) -> Ran {
        assert_eq!(self.status, Some(status), "{self:#?}");
        let all = format!("{}{}", self.stdout, self.stderr);
        for part in parts {
            assert!(all.contains(part), "'{part}' is missing in {self:#?}");
        }
        for bad in ["panicked", "a defect of Assay", "RUST_BACKTRACE"] {
            assert!(!all.contains(bad), "{self:#?}");
        }
        self
    }

    /// Asserts wrong usage or a wrong environment: status 2, these parts, and one message with one remedy.
    #[track_caller]
    pub fn refused(self, parts: &[&str]) -> Ran {
        let ran = self.ends(2, parts);
        let remedies = ran.stderr.matches("remedy:").count();
        assert_eq!(remedies, 1, "one remedy: {ran:#?}");
        ran
    }

    /// The records on standard output, which has to consist of JSON lines of this kind, at least one. No number may be lost: a
    /// field that is `None` and not skipped would count as a number that has no JSON form.
    #[track_caller]
    pub fn records(&self, kind: &str) -> Vec<serde_json::Value> {
        let parse = |line: &str| -> serde_json::Value {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        };
        let records: Vec<_> = self.stdout.lines().map(parse).collect();
        assert!(!records.is_empty(), "{self:#?}");
        for record in &records {
            assert_eq!(record["kind"], kind, "{record}");
            assert!(record.get("not_finite").is_none(), "{record}");
        }
        records
    }
}

/// All files below a folder; none if it does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The architecture of this machine, for what runs natively.
pub fn native() -> &'static str {
    match (std::env::consts::ARCH, cfg!(target_endian = "little")) {
        ("powerpc64", true) => "powerpc64le",
        (name, _) => name,
    }
}

/// A described cpu of this machine's architecture.
pub fn native_cpu() -> &'static str {
    match native() {
        "x86_64" => "zen3",
        "powerpc64le" => "power9",
        "loongarch64" => "la464",
        other => panic!("no cpu of {other} is described; add one to this test"),
    }
}

/// A copy of the checkout in which the cpu file `name`, like `power/power8.toml`, is edited, or created if there is none.
pub fn checkout_with(lab: &Lab, name: &str, edit: impl Fn(&str) -> String) -> PathBuf {
    let checkout = lab.folder.join("checkout");
    let _ = fs::remove_dir_all(&checkout);
    fs::create_dir_all(checkout.join("cpus")).unwrap();
    for folder in ["libs", "runner", "tracer", "studies"] {
        std::os::unix::fs::symlink(root().join(folder), checkout.join(folder)).unwrap();
    }
    for folder in fs::read_dir(root().join("cpus")).unwrap().flatten() {
        fs::create_dir(checkout.join("cpus").join(folder.file_name())).unwrap();
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            let path = file.path();
            let place = checkout.join("cpus").join(path.strip_prefix(root().join("cpus")).unwrap());
            let text = fs::read_to_string(&path).unwrap();
            fs::write(place, text).unwrap();
        }
    }
    let place = checkout.join("cpus").join(name);
    fs::write(&place, edit(&fs::read_to_string(&place).unwrap_or_default())).unwrap();
    checkout
}

/// Gives the child the default disposition of these signals, as a shell's foreground job has it, even if these tests
/// run in the background with the signals ignored.
pub fn heeding_interrupts(command: &mut Command) -> &mut Command {
    let heed = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: a system call on integers.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only calls signal(2), which is async-signal-safe.
    unsafe { command.pre_exec(heed) }
}
