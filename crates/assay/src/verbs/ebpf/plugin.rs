// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `ebpf plugin`: the program that speaks the plugin protocol of bpf_conformance, built for an architecture, and a script
//! that runs it under QEMU where it is foreign.

use super::machine;
use crate::context::{Context, Outcome};
use arch::Arch;
use ebpf::Plugin;
use lab::emulator::Engine;
use lab::{host, Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Options of `ebpf plugin`.
#[derive(clap::Args)]
pub struct Args {
    /// Architecture, by GNU name (repeatable or separated by commas; default: all)
    #[arg(short, long = "arch", value_name = "ARCH", value_delimiter = ',')]
    archs: Vec<Arch>,
    /// The -cpu of QEMU for foreign ones, by the CPU's name (default: the oldest of the architecture)
    #[arg(long, value_name = "CPU")]
    cpu: Option<String>,
}

/// Where a plugin is. Kind `ebpf_plugin`.
#[derive(Serialize)]
struct PluginRecord {
    kind: &'static str,
    arch: &'static str,
    /// The program itself.
    program: PathBuf,
    /// What to give to bpf_conformance: the program, or the script that runs it under QEMU.
    plugin_path: PathBuf,
    /// What it runs on.
    machine: String,
    assay_version: &'static str,
}

/// The architectures that the freestanding programs are built for.
pub fn archs() -> Vec<Arch> {
    Arch::ALL.into_iter().filter(|arch| !machine::cpus(*arch).is_empty()).collect()
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let archs = if args.archs.is_empty() { archs() } else { args.archs.clone() };
    for arch in archs {
        let cpu = machine::cpu(arch, args.cpu.as_deref())?;
        let native = host::native_arch() == Some(arch) && args.cpu.is_none();
        let engine = if native { Engine::Native } else { machine::emulator(context, arch, cpu)? };
        let plugin = build(context, arch, &engine)?;
        let plugin_path = match &engine {
            Engine::Native => plugin.path(),
            Engine::Qemu { program, cpu: qemu_cpu, .. } => {
                script(context, &plugin.path(), program, qemu_cpu, cpu.name)?
            }
        };
        let record = PluginRecord {
            kind: "ebpf_plugin",
            arch: arch.name(),
            program: plugin.path(),
            plugin_path,
            machine: engine.describe(),
            assay_version: env!("CARGO_PKG_VERSION"),
        };
        if context.json {
            println!("{}", record.to_line());
        } else {
            println!("{:12} {}", record.arch, record.plugin_path.display());
        }
    }
    Ok(Outcome::Fine)
}

/// Builds the plugin of an architecture, to be run by `engine`, or finds it built.
pub fn build(context: &Context, arch: Arch, engine: &Engine) -> Result<Plugin> {
    lab::make::build(&context.workspace, "ebpf", arch, "plugin")?;
    let qemu = match engine {
        Engine::Native => None,
        Engine::Qemu { program, cpu, .. } => Some((program.to_string_lossy(), cpu.as_str())),
    };
    let emulator: Vec<&str> = match &qemu {
        None => Vec::new(),
        Some((program, cpu)) => vec![program, "-cpu", cpu],
    };
    Ok(Plugin::built(&context.workspace.folder("ebpf")?, arch.name(), &emulator))
}

/// bpf_conformance starts a plugin by its path alone, so a foreign one needs a script that starts QEMU.
fn script(context: &Context, plugin: &Path, qemu: &Path, qemu_cpu: &str, cpu: &str) -> Result<PathBuf> {
    let text = format!(
        "#!/bin/sh\n# Runs the eBPF conformance plugin under QEMU; made by ./assay ebpf plugin.\nexec {} -cpu {} {} \"$@\"\n",
        quoted(&qemu.to_string_lossy()),
        quoted(qemu_cpu),
        quoted(&plugin.to_string_lossy())
    );
    let path = plugin.with_file_name(format!("plugin-{cpu}"));
    let scratch = context.workspace.scratch(".sh")?;
    let failed = |error: std::io::Error| Problem::io("write the script", &path, &error);
    fs::write(scratch.path(), text).map_err(failed)?;
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
    scratch.keep_as(&path)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
