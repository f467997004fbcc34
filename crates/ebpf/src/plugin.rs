// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The conformance plugin (`libs/ebpf/plugin.c`) as a program of any architecture, which the library's Makefile builds:
//! run under QEMU if its architecture is not the host's.

use crate::Engine;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Why the plugin could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// A program that is needed could not be started.
    #[error("cannot run {program}: {error}")]
    Start {
        /// Its name.
        program: String,
        /// The operating system's error.
        error: std::io::Error,
    },
}

/// A built plugin.
#[derive(Clone, Debug)]
pub struct Plugin {
    arch: String,
    folder: PathBuf,
    emulator: Vec<String>,
}

/// The answer of one run: r0, or why there is none.
pub type Answer = Result<u64, String>;

/// A program and its memory, both in hex; the memory may be empty.
pub type Question<'a> = (&'a str, &'a str);

impl Plugin {
    /// The plugin for `arch` that the library's Makefile built below `build`, with the fuzzer beside it. `emulator` is the command
    /// that runs foreign programs (`["qemu-ppc64le", "-cpu", "power9"]`), empty for native ones.
    pub fn built(build: &Path, arch: &str, emulator: &[&str]) -> Plugin {
        let emulator = emulator.iter().map(|word| word.to_string()).collect();
        Plugin { arch: arch.into(), folder: build.join(arch), emulator }
    }

    /// The architecture.
    pub fn arch(&self) -> &str {
        &self.arch
    }

    /// The built program.
    pub fn path(&self) -> PathBuf {
        self.folder.join("plugin")
    }

    /// Whether its architecture is big-endian.
    pub fn is_big_endian(&self) -> bool {
        self.arch == "powerpc64"
    }

    /// A command that runs `program` of the build: "plugin" or "differential".
    pub fn command(&self, program: &str) -> Command {
        let path = self.folder.join(program);
        match self.emulator.split_first() {
            Some((emulator, arguments)) => {
                let mut command = Command::new(emulator);
                command.args(arguments).arg(path);
                command
            }
            None => Command::new(path),
        }
    }

    /// Runs one program (hex, as a little-endian machine lays it out) on `memory` (hex, or empty), by the protocol of
    /// bpf_conformance.
    pub fn run(&self, question: Question, engine: Engine, options: &[&str]) -> Result<Answer, PluginError> {
        let (program, memory) = question;
        let mut command = self.command("plugin");
        if !memory.is_empty() {
            command.arg(memory);
        }
        command.arg(engine_option(engine)).args(options);
        let output = feed(command, program)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(match u64::from_str_radix(text.trim(), 16) {
            Ok(r0) if output.status.success() => Ok(r0),
            _ => Err(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
        })
    }

    /// Runs many programs in one process. If the process ends early, so do the answers; the last one then says how it ended.
    pub fn run_batch(
        &self,
        questions: &[Question],
        engine: Engine,
        options: &[&str],
    ) -> Result<Vec<Answer>, PluginError> {
        let mut command = self.command("plugin");
        command.args(["--batch", engine_option(engine)]).args(options);
        let input: Vec<String> =
            questions.iter().map(|(program, memory)| format!("{program},{memory}\n")).collect();
        let output = feed(command, &input.concat())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut answers: Vec<Answer> = text
            .lines()
            .map(|line| {
                u64::from_str_radix(line, 16).map_err(|_| line.trim_start_matches("error: ").to_owned())
            })
            .collect();
        if answers.len() < questions.len() || !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            answers.push(Err(format!("the plugin ended early: {}, {}", output.status, errors.trim())));
        }
        Ok(answers)
    }
}

fn engine_option(engine: Engine) -> &'static str {
    match engine {
        Engine::Compiled => "--jit",
        Engine::Interpreter => "--interpret",
    }
}

fn feed(mut command: Command, input: &str) -> Result<Output, PluginError> {
    let program = format!("{command:?}");
    let start = |error| PluginError::Start { program: program.clone(), error };
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
    let pipe = child.stdin.take();
    let input = input.to_owned();
    // The plugin reads all of its input before it writes, but it may also stop early and close the pipe. Its exit
    // status shows that, so a failed write is ignored.
    let writer = std::thread::spawn(move || pipe.map(|mut pipe| pipe.write_all(input.as_bytes())));
    let output = child.wait_with_output().map_err(start);
    let _ = writer.join();
    output
}
