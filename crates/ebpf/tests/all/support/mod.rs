// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Folders, the architectures that the tests run programs for, and objects made by hand.

pub mod cases;

use ebpf::{assemble, ByteOrder, MapDefinition, MapKind, Object, Plugin, Program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Where make puts its files.
pub fn build_folder() -> PathBuf {
    scratch().join("ebpf")
}

pub fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/ebpf").canonicalize().expect("libs/ebpf")
}

pub fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// A file of the library as each of the compilers makes it for POWER.
pub fn power_objects(source: &str) -> Vec<PathBuf> {
    let compilers: [&[&str]; 2] =
        [&["powerpc64le-linux-gnu-gcc"], &["clang-19", "--target=powerpc64le-linux-gnu"]];
    let object = |compiler: &&[&str]| {
        let object = scratch().join(format!("{}-{}.o", source.replace('/', "-"), compiler[0]));
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-std=c11", "-ffreestanding", "-O2", "-c", "-o"]).arg(&object);
        assert!(command.arg(library().join(source)).status().expect("it runs").success(), "{compiler:?}");
        object
    };
    compilers.iter().map(object).collect()
}

/// Every architecture that the freestanding programs are built for, and the command that runs them here.
pub const MACHINES: [(&str, &[&str]); 6] = [
    ("x86_64", &[]),
    ("powerpc64le", &["qemu-ppc64le"]),
    ("powerpc64", &["qemu-ppc64"]),
    ("loongarch64", &["qemu-loongarch64"]),
    ("aarch64", &["qemu-aarch64"]),
    ("riscv64", &["qemu-riscv64"]),
];

/// Builds for a machine; a missing emulator fails the test rather than skipping it.
pub fn plugin(arch: &str, emulator: &[&str]) -> Plugin {
    // A program without an emulator in the table is x86_64's, and needs one on hosts of another architecture.
    let of_program = format!("qemu-{arch}");
    let emulator: Vec<&str> = match emulator {
        [] if std::env::consts::ARCH != arch => vec![&of_program],
        words => words.to_vec(),
    };
    if let Some(program) = emulator.first() {
        let found = Command::new(program).arg("--version").output();
        assert!(found.is_ok(), "{program} is needed to test {arch}: install qemu-user");
    }
    make(&[&format!("ARCH={arch}"), "programs"]);
    Plugin::built(&build_folder(), arch, &emulator)
}

/// What make prints; it builds into `build_folder`. To make, a blank ends a name: through links it sees none.
pub fn make(words: &[&str]) -> String {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let links = scratch().join("ebpf-links");
    std::fs::create_dir_all(&links).expect("a folder");
    std::fs::create_dir_all(build_folder()).expect("a folder");
    for (name, to) in [("source", library()), ("build", build_folder())] {
        let _ = std::fs::remove_file(links.join(name));
        std::os::unix::fs::symlink(to, links.join(name)).expect("a link");
    }
    let mut command = Command::new("make");
    command.args(["-s", "-C"]).arg(&links).args(["-f", "source/Makefile", "BUILD=build"]).args(words);
    let output = command.output().expect("make runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "make {words:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

pub fn has_back_end(arch: &str) -> bool {
    ebpf::targets().contains(&arch)
}

/// An object with one program and one array map of one value of 16 bytes.
pub fn object(text: &str) -> Object {
    let program = Program {
        name: "program".into(),
        section: "xdp".into(),
        bytecode: assemble(text, ByteOrder::native()).expect("a program"),
        unresolved: None,
    };
    let map =
        MapDefinition { name: "m".into(), kind: MapKind::Array, key_bytes: 4, value_bytes: 16, entries: 1 };
    Object {
        order: ByteOrder::native(),
        programs: vec![program],
        maps: vec![map],
        map_contents: vec![Vec::new()],
        pointers: Vec::new(),
        co_re_relocations: 0,
    }
}
