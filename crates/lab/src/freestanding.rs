// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Programs of our own that need nothing but the kernel: C with `runner/freestanding.h` and the entry of `runner/arch/<arch>`.
//!
//! They run on seven architectures without a C library for any of them: on the machine, under QEMU's user mode, and as the only
//! files of a kernel that has just booted.

use crate::build::digest;
use crate::cache::{read_text, Workspace};
use crate::problem::{Problem, Result};
use crate::process::Command;
use crate::target::Target;
use crate::toolchain::{linker, Compiler, CompilerKind};
use arch::Arch;
use std::fs;
use std::path::{Path, PathBuf};

const FLAGS: [&str; 8] = [
    "-O2",
    "-std=gnu11",
    "-ffreestanding",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-Wall",
    "-Wextra",
];

/// Keeps the compiler out of the vector registers, which it would use for copies and zeros: what a program touches is what its
/// own assembly names, and a kernel that saves vector registers does it for that.
fn without_vectors(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::Powerpc => &["-mno-altivec"],
        Arch::Powerpc64 | Arch::Powerpc64le => &["-mno-vsx", "-mno-altivec"],
        Arch::X86_64 => &["-mgeneral-regs-only"],
        // With such a flag the assembler would refuse NEON in our own assembly, too; so copies may use vector registers here.
        Arch::Aarch64 => &[],
        // Their baselines have no vectors.
        Arch::Loongarch64 | Arch::Riscv64 => &[],
    }
}

/// Builds a program; one that was built of the same text before comes from the cache.
///
/// `sources` are paths below the checkout, `folders` those with its headers. The entry comes with it. `base` is where it is
/// linked; without one, where the linker puts programs.
pub fn program(
    workspace: &Workspace,
    target: &'static Target,
    name: &str,
    sources: &[PathBuf],
    folders: &[PathBuf],
    base: Option<u32>,
) -> Result<PathBuf> {
    let compiler = Compiler::of(CompilerKind::Clang, target)?;
    let runner = workspace.root.join("runner");
    let mut of_arch = target.variant_folders.iter().map(|name| runner.join("arch").join(name));
    let of_arch = of_arch.rfind(|folder| folder.is_dir()).expect("each architecture has a runner");
    let mut sources: Vec<PathBuf> = sources.iter().map(|source| workspace.root.join(source)).collect();
    sources.extend([
        of_arch.join("entry.S"),
        runner.join("compiler_support.c"),
        runner.join("memory_calls.c"),
    ]);
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| workspace.root.join(folder)).collect();
    folders.extend([of_arch, runner]);

    let base: Vec<String> = base.iter().map(|base| format!("--image-base={base:#x}")).collect();
    let key = key(&compiler, target, &sources, &folders, &base)?;
    let finished = workspace.folder("programs")?.join(format!("{name}-{}-{key}", target.arch));
    if finished.is_file() {
        return Ok(finished);
    }
    let baseline = target.requirement(target.baseline).expect("a test holds that the baseline exists");
    let without = without_vectors(target.arch);
    let mut objects = Vec::new();
    for source in &sources {
        let object = workspace.scratch(".o")?;
        let includes = folders.iter().map(|folder| format!("-I{}", folder.display()));
        let command = compiler.command().args(baseline.cflags).args(FLAGS).args(without).args(includes);
        succeed(command.arg("-c").arg(source).arg("-o").arg(object.path()), source)?;
        objects.push(object);
    }
    let file = workspace.scratch(".program")?;
    let link = Command::new(linker()?)
        .args(["-static", "-nostdlib", "-z", "noexecstack", "--gc-sections", "-e", "_start", "-o"])
        .arg(file.path())
        .args(&base)
        .args(objects.iter().map(|object| object.path()));
    succeed(link, &sources[0])?;
    file.keep_as(&finished)
}

/// All that goes into it: flags, sources, and every header that they may include.
fn key(
    compiler: &Compiler,
    target: &Target,
    sources: &[PathBuf],
    folders: &[PathBuf],
    base: &[String],
) -> Result<String> {
    let mut texts = vec![
        compiler.version.clone(),
        target.arch.name().to_owned(),
        FLAGS.join(" "),
        without_vectors(target.arch).join(" "),
        base.join(" "),
    ];
    for source in sources {
        texts.push(read_text(source)?);
    }
    for folder in folders {
        let entries = fs::read_dir(folder).map_err(|error| Problem::io("read the folder", folder, &error))?;
        let mut headers: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        headers.retain(|path| path.extension().is_some_and(|ending| ending == "h"));
        headers.sort();
        for header in headers {
            texts.push(read_text(&header)?);
        }
    }
    Ok(digest(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
}

fn succeed(command: Command, place: &Path) -> Result<()> {
    let output = command.run_supplied()?;
    if output.success() {
        return Ok(());
    }
    Err(Problem::new(format!("does not build: {}", output.head(8))).at(place.display()))
}
