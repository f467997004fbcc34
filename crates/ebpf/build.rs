// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles the eBPF library (libs/ebpf) for the machine that the tool runs on: every C file of the library and of
//! backends/ but the plugin, host/posix.c, which supplies memory, and host/features.c, which detects CPU features.

use std::path::{Path, PathBuf};
use std::process::Command;

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        folder.read_dir().unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter(|path| !path.ends_with("plugin.c"))
        .collect();
    files.sort();
    files
}

/// Builds with GCC's sanitizers. rustc links without default libraries, so the sanitizers' libraries are named here.
fn sanitize(build: &mut cc::Build) {
    build.compiler("gcc").flag("-fsanitize=address,undefined").flag("-fno-sanitize-recover=all");
    build.flag("-fno-omit-frame-pointer");
    let output = Command::new("gcc").arg("-print-file-name=libasan.so").output().expect("gcc runs");
    let library = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let folder = library.parent().filter(|folder| folder.is_absolute()).expect("gcc has libasan.so");
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=asan");
    println!("cargo::rustc-link-lib=dylib=ubsan");
}

fn main() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/ebpf");
    let mut files = c_files(&library);
    files.extend(c_files(&library.join("backends")));
    files.extend(["host/posix.c", "host/features.c"].map(|name| library.join(name)));
    for folder in ["", "backends", "host"] {
        println!("cargo::rerun-if-changed={}", library.join(folder).display());
    }
    // tests/gates/run has only the Rust code checked: nothing is linked.
    println!("cargo::rerun-if-env-changed=ASSAY_CHECK_ONLY");
    if std::env::var_os("ASSAY_CHECK_ONLY").is_some() {
        return;
    }
    let mut build = cc::Build::new();
    // Builds the library with sanitizers, for the tests of damaged objects (docs/ebpf.md).
    println!("cargo::rerun-if-env-changed=EBPF_SANITIZE");
    if std::env::var_os("EBPF_SANITIZE").is_some() {
        sanitize(&mut build);
    }
    build
        .files(files)
        .flag("-std=c11")
        .flag("-ffreestanding")
        .opt_level(2)
        .warnings(true)
        .extra_warnings(true)
        .compile("ebpf");
}
