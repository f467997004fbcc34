// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel build`, and the options by which every action of `kernel` names a kernel.

use crate::context::{Context, Outcome};
use arch::Arch;
use kernel::source::Source;
use kernel::{Built, Machine, Patch, Request};
use lab::cache::file_length;
use lab::Result;
use report::record::Record;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which kernel.
#[derive(Clone, Debug, clap::Args)]
pub struct Which {
    /// Architecture, by GNU name
    #[arg(short, long, value_name = "ARCH")]
    pub arch: Arch,
    /// Another machine of the architecture than the usual one: powernv, a host of KVM's guests, for powerpc64le
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// A patch to apply, as git format-patch or diff -u makes it (repeatable, in this order)
    #[arg(long = "patch", value_name = "FILE")]
    pub patches: Vec<PathBuf>,
    /// A folder of patches, applied before those of --patch in the order of their names (repeatable)
    #[arg(long, value_name = "FOLDER")]
    pub series: Vec<PathBuf>,
    /// gcc or clang (default: gcc where Debian has one for the architecture)
    #[arg(long, value_name = "COMPILER")]
    pub compiler: Option<String>,
    /// A clean kernel tree of yours (default: Debian's linux-source-6.12)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
}

impl Which {
    /// The machine that the kernel is built for and booted on.
    pub fn machine(&self) -> Result<&'static Machine> {
        Machine::named(self.arch, self.board.as_deref())
    }

    /// Refuses patches that cannot be read, a tree that is none, and an image of a kernel, named instead of them, that is no file.
    pub fn look(&self, image: Option<&Path>) -> Result<()> {
        match image {
            Some(image) => file_length(image, "name a vmlinux, or an image that QEMU takes").map(drop),
            None => self.checked_request().map(drop),
        }
    }

    /// [`Which::request`], if a tree of the user's can be built.
    fn checked_request(&self) -> Result<Request> {
        self.source.as_deref().map(Source::look).transpose()?;
        self.request()
    }

    /// The options as a request to the kernel crate.
    pub fn request(&self) -> Result<Request> {
        let mut patches = Vec::new();
        for folder in &self.series {
            patches.extend(Patch::series(folder)?);
        }
        for file in &self.patches {
            patches.push(Patch::read(file)?);
        }
        let compiler = self.compiler.as_deref().map(str::parse).transpose()?;
        Ok(Request { machine: self.machine()?, compiler, patches, source: self.source.clone() })
    }
}

/// Options of `kernel build`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
}

impl Args {
    pub fn look(&self) -> Result<Request> {
        self.which.checked_request()
    }
}

/// A kernel that was built. Kind `kernel_build`.
#[derive(Serialize)]
struct BuildRecord {
    kind: &'static str,
    arch: &'static str,
    version: String,
    compiler: String,
    patches: Vec<String>,
    vmlinux: String,
    compiled_count: usize,
    warnings_count: usize,
    cached: bool,
    elapsed_s: f64,
    assay_version: &'static str,
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let request = args.look()?;
    let built = kernel::build(&context.workspace, &request, &|text| context.progress(text))?;
    if context.json {
        println!("{}", record(&built, &request).to_line());
    } else {
        for warning in &built.warnings {
            eprintln!("{warning}");
        }
        let how = match built.cached {
            true => "from the cache".to_owned(),
            false => format!("{} objects compiled", built.compiled_count),
        };
        println!(
            "{}  Linux {} for {}, {}: {how}, {} warnings, {:.1} s",
            context.workspace.display(&built.vmlinux),
            built.source.version,
            built.arch,
            built.compiler,
            built.warnings.len(),
            built.elapsed.as_secs_f64()
        );
    }
    Ok(Outcome::Fine)
}

fn record(built: &Built, request: &Request) -> BuildRecord {
    BuildRecord {
        kind: "kernel_build",
        arch: built.arch.name(),
        version: built.source.version.clone(),
        compiler: built.compiler.clone(),
        patches: request.patches.iter().map(|patch| patch.path.display().to_string()).collect(),
        vmlinux: built.vmlinux.display().to_string(),
        compiled_count: built.compiled_count,
        warnings_count: built.warnings.len(),
        cached: built.cached,
        elapsed_s: built.elapsed.as_secs_f64(),
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}
