// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The C functions of `shim/shim.h`, from the shared object that build.rs made, which is part of the program.
//!
//! It is loaded when the first instruction is decoded, not when the program starts: it brings libLLVM with it, whose 350,000
//! relocations take 40 ms, and most runs of the command decode nothing.

use super::{Decoded, RawModel, RawOpcode, RawResource, RawSchedule, RawTarget, AGAIN};
use libloading::Library;
use std::ffi::c_char;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::OnceLock;

static SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shim.so"));

/// Declares the functions, with their names in the library, as one table of pointers.
macro_rules! functions {
    ($($symbol:literal $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            // The pointers lead into it.
            _library: Library,
        }

        impl Functions {
            fn of(library: Library) -> Result<Functions, libloading::Error> {
                // SAFETY: shim.h declares these functions with these types.
                unsafe { Ok(Functions { $($name: *library.get($symbol)?,)* _library: library }) }
            }
        }
    };
}

functions! {
    b"assay_target_new\0" target_new(*const c_char, *const c_char, *const c_char, *mut c_char, usize) -> *mut RawTarget;
    b"assay_target_free\0" target_free(*mut RawTarget);
    b"assay_register_count\0" register_count(*const RawTarget) -> u32;
    b"assay_register_name\0" register_name(*const RawTarget, u32) -> *const c_char;
    b"assay_opcode_count\0" opcode_count(*const RawTarget) -> u32;
    b"assay_opcode_describe\0" opcode_describe(*const RawTarget, u32, *mut RawOpcode);
    b"assay_opcode_mnemonic\0" opcode_mnemonic(*mut RawTarget, u32, *mut c_char, usize);
    b"assay_decode\0" decode(*mut RawTarget, *const u8, usize, u64, *mut Decoded) -> i32;
    b"assay_mnemonic\0" mnemonic(*mut RawTarget, *mut c_char, usize);
    b"assay_text\0" text(*mut RawTarget, u64, *mut c_char, usize);
    b"assay_model_describe\0" model_describe(*const RawTarget, *mut RawModel);
    b"assay_resource_describe\0" resource_describe(*const RawTarget, u32, *mut RawResource) -> i32;
    b"assay_resource_users\0" resource_users(*const RawTarget, *mut u32);
    b"assay_schedule_last\0" schedule_last(*mut RawTarget, *mut RawSchedule) -> i32;
    b"assay_mca\0" mca(*mut RawTarget, *const u8, usize, u32, *mut u64, *mut c_char, usize) -> i32;
    b"assay_cpu_name\0" cpu_name(*const RawTarget, u32, *mut i32) -> *const c_char;
}

/// The library, or why it cannot be loaded; it stays loaded.
pub(super) fn functions() -> Result<&'static Functions, String> {
    static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { libc::memfd_create(c"assay-llvm-shim".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        let error = std::io::Error::last_os_error();
        return Err(format!("no file in memory for its library: {error}{}", limit(&error.to_string())));
    }
    // SAFETY: nothing else has the descriptor.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    let wrote = allowing_files_of(SHIM.len() as libc::rlim_t, || file.write_all(SHIM));
    wrote.map_err(|error| format!("its library cannot be written to memory: {error}"))?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    if !std::path::Path::new(&path).exists() {
        return Err("its library is loaded through /proc/self/fd; mount /proc".to_owned());
    }
    let refused = |error: libloading::Error| refusal(&error.to_string());
    // SAFETY: constructors run, those of the shim (it has none of its own) and of LLVM, which the loader has always run.
    let library = unsafe { Library::new(path) }.map_err(refused)?;
    Functions::of(library).map_err(refused)
}

/// Why the loader refuses a library, with the remedy.
fn refusal(told: &str) -> String {
    match limit(told) {
        "" => format!("{told}; install LLVM{AGAIN}"),
        remedy => format!("{told}{remedy}"),
    }
}

/// What to do if a limit is what stands in the way; the library is there then. The loader tells its errors as text alone.
fn limit(told: &str) -> &'static str {
    let has = |text| told.contains(text);
    if has("Too many open files") {
        "; raise the limit on open files (ulimit -n)"
    } else if ["failed to map segment", "cannot map zero-fill pages", "annot allocate memory"]
        .into_iter()
        .any(has)
    {
        "; raise the limit on memory (ulimit -v), or try again when more is free"
    } else {
        ""
    }
}

/// Runs `write` with a limit on the size of files (`ulimit -f`) of at least so many bytes, if we may raise it.
///
/// The limit counts for files in memory too, and SIGXFSZ would end us. A file that another thread writes meanwhile may become
/// as long as the library, which nobody's disk will notice.
fn allowing_files_of(
    bytes: libc::rlim_t,
    write: impl FnOnce() -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut usual = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it points to a local.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut usual) } == 0;
    if !known || usual.rlim_cur >= bytes {
        return write();
    }
    let raised = libc::rlimit { rlim_cur: bytes, rlim_max: usual.rlim_max.max(bytes) };
    // SAFETY: both point to locals. Above the hard limit only the superuser may go.
    unsafe {
        if libc::setrlimit(libc::RLIMIT_FSIZE, &raised) != 0 {
            let kib = bytes.div_ceil(1 << 10);
            // Shells count in blocks of their own.
            let why = format!(
                "the limit on the size of files is {} KiB; raise it to {kib} KiB: ulimit -f {kib} in bash, ulimit -f {} in dash",
                usual.rlim_cur >> 10,
                2 * kib
            );
            return Err(std::io::Error::other(why));
        }
        let wrote = write();
        libc::setrlimit(libc::RLIMIT_FSIZE, &usual);
        wrote
    }
}
