// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles the C++ shim against the LLVM that `llvm-config-19` (or `$LLVM_CONFIG`) describes and links it with that libLLVM as
//! a shared object, which src/shim/library.rs loads when the first instruction is decoded. Every failure says what is missing
//! and how to get it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The oldest and newest LLVM that the shim is written for.
const LLVM_MAJORS: std::ops::RangeInclusive<u32> = 19..=22;
const SOURCES: [&str; 5] =
    ["shim/shim.h", "shim/target.h", "shim/decode.cpp", "shim/scheduling.cpp", "shim/mca.cpp"];

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo::rerun-if-env-changed=ASSAY_CHECK_ONLY");
    println!("cargo::rerun-if-changed=build.rs");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let config = Config::find()?;
    println!("cargo::rerun-if-changed={}", config.program.display());
    let include = config.ask("--includedir")?;
    let header = Path::new(&include).join("llvm/MC/MCDisassembler/MCDisassembler.h");
    if !header.exists() {
        return Err(format!(
            "{} is missing although {} is there: install the headers (Debian: apt-get install llvm-19-dev)",
            header.display(),
            config.program.display()
        ));
    }
    println!("cargo::rustc-env=ASSAY_LLVM_MAJOR={}", config.major);
    let output = Path::new(&env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?).join("shim.so");
    // tests/gates/run has only the Rust code checked: nothing is linked that could load the shim.
    if env::var_os("ASSAY_CHECK_ONLY").is_some() {
        return std::fs::write(&output, b"").map_err(|error| format!("{}: {error}", output.display()));
    }
    let mut compiler = cc::Build::new();
    compiler
        .cpp(true)
        .std("c++17")
        .include("shim")
        .flag(format!("-isystem{include}"))
        .flag("-fno-rtti")
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        // The shim only calls libLLVM, which does the work; more optimisation takes longer to compile and gains nothing.
        .opt_level(1)
        .pic(true)
        .warnings(true)
        .extra_warnings(true)
        .files(SOURCES.iter().filter(|source| source.ends_with(".cpp")));
    let objects = compiler.try_compile_intermediates().map_err(|error| {
        format!("the LLVM shim does not compile; is a C++17 compiler (g++) installed? {error}")
    })?;
    link(&config, &compiler, &objects, &output)
}

/// Links the shim with the shared libLLVM: the static libraries would add 100 MB to each program.
fn link(config: &Config, compiler: &cc::Build, objects: &[PathBuf], output: &Path) -> Result<(), String> {
    let folder = config.ask("--libdir")?;
    let libraries = config.ask_all(&["--link-shared", "--libs"]).map_err(|error| {
        format!("{error}\nthe shared libLLVM is needed (Debian: apt-get install llvm-19-dev libllvm19)")
    })?;
    let names: Vec<_> = libraries.split_whitespace().filter(|word| word.starts_with("-l")).collect();
    if names.is_empty() {
        return Err(format!(
            "{} --link-shared --libs names no library: '{libraries}'",
            config.program.display()
        ));
    }
    let linked = compiler
        .get_compiler()
        .to_command()
        .args(["-shared", "-Wl,--no-undefined", "-Wl,--as-needed", "-o"])
        .arg(output)
        .args(objects)
        .arg(format!("-L{folder}"))
        // Where the system looks for libraries anyhow, this names the same folder.
        .arg(format!("-Wl,-rpath,{folder}"))
        .args(names)
        .output()
        .map_err(|error| format!("the compiler cannot be run to link the LLVM shim: {error}"))?;
    if !linked.status.success() {
        return Err(format!(
            "the LLVM shim cannot be linked with {folder}'s libLLVM:\n{}",
            String::from_utf8_lossy(&linked.stderr).trim()
        ));
    }
    Ok(())
}

/// The llvm-config that is used.
struct Config {
    program: PathBuf,
    major: u32,
}

impl Config {
    fn find() -> Result<Config, String> {
        let program = match env::var_os("LLVM_CONFIG") {
            Some(program) if !program.is_empty() => PathBuf::from(program),
            _ => search_path("llvm-config-19").ok_or(
                "llvm-config-19 is not on PATH: install LLVM 19 (Debian: apt-get install llvm-19-dev), \
                 or set LLVM_CONFIG to the llvm-config of another version from 19 to 22",
            )?,
        };
        let mut config = Config { program, major: 0 };
        let version = config.ask("--version")?;
        config.major = version
            .split('.')
            .next()
            .and_then(|major| major.parse().ok())
            .ok_or_else(|| format!("{} reports the version '{version}'", config.program.display()))?;
        if !LLVM_MAJORS.contains(&config.major) {
            return Err(format!(
                "{} is LLVM {version}; the shim is written for {} to {}: set LLVM_CONFIG to one of those",
                config.program.display(),
                LLVM_MAJORS.start(),
                LLVM_MAJORS.end()
            ));
        }
        Ok(config)
    }

    fn ask(&self, option: &str) -> Result<String, String> {
        self.ask_all(&[option])
    }

    fn ask_all(&self, options: &[&str]) -> Result<String, String> {
        let what = format!("{} {}", self.program.display(), options.join(" "));
        let output = Command::new(&self.program)
            .args(options)
            .output()
            .map_err(|error| format!("cannot run {what}: {error}; is LLVM_CONFIG right?"))?;
        if !output.status.success() {
            return Err(format!("{what} failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

fn search_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|program| program.exists())
}
