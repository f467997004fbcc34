// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A safe wrapper of `struct ebpf_vm`.

use crate::{ffi, helper_name, ByteOrder, SLOT_BYTES};
use std::ffi::{c_uint, c_void, CStr, CString};
use std::fmt;
use std::ptr::{null, null_mut};

/// A helper function, in C's calling convention; the last argument is [`Options::helper_context`].
pub type Helper = ffi::HelperFunction;

/// What went wrong, as `enum ebpf_status` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)] // ebpf.h explains each
pub enum Status {
    Argument = 1,
    Memory = 2,
    State = 3,
    Program = 4,
    Relocation = 5,
    Unsupported = 6,
    Buffer = 7,
    Budget = 8,
    Bounds = 9,
    Alignment = 10,
    Helper = 11,
}

impl Status {
    fn from_code(code: c_uint) -> Option<Status> {
        use Status::*;
        [Argument, Memory, State, Program, Relocation, Unsupported, Buffer, Budget, Bounds, Alignment, Helper]
            .into_iter()
            .find(|status| *status as c_uint == code)
    }
}

/// An error of the library: its kind, and its message, which names the instruction where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind of error.
    pub status: Status,
    /// The instruction, counted in slots of 8 bytes from 0.
    pub instruction: Option<u32>,
    /// The text: `instruction 7: ...`.
    pub message: String,
}

/// Which of the two engines runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The reference implementation.
    Interpreter = 0,
    /// Code from [`Vm::compile`].
    Compiled = 1,
}

/// How generated code swaps the bytes of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // ebpf.h explains each
pub enum Swap {
    #[default]
    Auto = 0,
    Memory = 1,
    Register = 2,
    Vector = 3,
    Isa31 = 4,
}

/// Whether swaps are merged with loads and stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Where it pays.
    #[default]
    Auto = 0,
    /// Always, where the machine can.
    On = 1,
    /// Never.
    Off = 2,
}

/// CPU features of a target, as the EBPF_X86_, EBPF_POWER_ and EBPF_LOONGARCH_ bits of ebpf.h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(pub u32);

/// The features of the CPU that this runs on.
pub fn host_features() -> Features {
    // SAFETY: no preconditions.
    Features(unsafe { ffi::ebpf_host_features() })
}

/// The architectures that code can be generated for.
pub fn targets() -> Vec<&'static str> {
    (0..)
        // SAFETY: the library returns static strings and, after the last, NULL.
        .map(|index| unsafe { ffi::ebpf_target_name(index) })
        .take_while(|name| !name.is_null())
        // SAFETY: a terminated static string.
        .map(|name| unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII"))
        .collect()
}

/// The machine that code is generated for, and how.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// An architecture's GNU name; `None` is the machine that this runs on.
    pub arch: Option<String>,
    /// What its CPU can do.
    pub features: Features,
    /// How to swap bytes in a register.
    pub swap: Swap,
    /// Whether to merge swaps with accesses.
    pub fusion: Fusion,
}

/// What code generation did with the byte-order operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeStats {
    /// Bytes of generated code.
    pub code_bytes: usize,
    /// Swaps done by a byte-reversed load.
    pub swaps_with_load: u32,
    /// Swaps done by byte-reversed stores.
    pub swaps_with_store: u32,
    /// Swaps done in a register.
    pub swaps_in_register: u32,
    /// Operations that only clear upper bits on this target.
    pub truncations: u32,
    /// Of those, the ones that need no code.
    pub truncations_dropped: u32,
}

impl From<ffi::EbpfCodeStats> for CodeStats {
    fn from(stats: ffi::EbpfCodeStats) -> CodeStats {
        CodeStats {
            code_bytes: stats.code_bytes,
            swaps_with_load: stats.swaps_with_load,
            swaps_with_store: stats.swaps_with_store,
            swaps_in_register: stats.swaps_in_register,
            truncations: stats.truncations,
            truncations_dropped: stats.truncations_dropped,
        }
    }
}

/// The kinds of `lddw` that name something outside the program: RFC 9669, section 5.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // ebpf.h explains each
pub enum LddwKind {
    MapByFd = 1,
    MapValueByFd = 2,
    Variable = 3,
    Code = 4,
    MapByIndex = 5,
    MapValueByIndex = 6,
}

impl LddwKind {
    fn from_code(code: c_uint) -> Option<LddwKind> {
        use LddwKind::*;
        [MapByFd, MapValueByFd, Variable, Code, MapByIndex, MapValueByIndex]
            .into_iter()
            .find(|kind| *kind as c_uint == code)
    }
}

/// Gives the value that an `lddw` loads, from its kind, immediate and second immediate.
pub type Relocate = Box<dyn Fn(LddwKind, u32, u32) -> Option<u64>>;

/// Options of a [`Vm`].
#[derive(Default)]
pub struct Options {
    /// Instructions that a run may execute; `None` means no limit.
    pub budget_instructions: Option<u64>,
    /// Check every access at run time.
    pub bounds: bool,
    /// The sixth argument of every helper.
    pub helper_context: Option<*mut c_void>,
    /// Resolves the references of `lddw`; without it, programs with such references are refused.
    pub relocate: Option<Relocate>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("budget_instructions", &self.budget_instructions)
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

extern "C" fn relocate(context: *mut c_void, kind: c_uint, imm: u32, next_imm: u32, value: *mut u64) -> bool {
    // SAFETY: the context is the boxed callback that the Vm owns, and the library passes a place for the value.
    let callback = unsafe { &*context.cast::<Relocate>() };
    match LddwKind::from_code(kind).and_then(|kind| callback(kind, imm, next_imm)) {
        Some(resolved) => {
            // SAFETY: as above.
            unsafe { *value = resolved };
            true
        }
        None => false,
    }
}

/// One program with its options, helpers and regions.
#[derive(Debug)]
pub struct Vm {
    vm: *mut ffi::EbpfVm,
    bounds: bool,
    relocate: *mut Relocate,
}

impl Vm {
    /// A VM without a program; `None` without memory.
    pub fn new(options: Options) -> Option<Vm> {
        let relocate_box = options.relocate.map_or(null_mut(), |callback| Box::into_raw(Box::new(callback)));
        let raw = ffi::EbpfOptions {
            budget_instructions: options.budget_instructions.unwrap_or(0),
            bounds: options.bounds,
            helper_context: options.helper_context.unwrap_or(null_mut()),
            relocate: (!relocate_box.is_null()).then_some(relocate as ffi::Relocate),
            relocate_context: relocate_box.cast(),
        };
        // SAFETY: both structs are valid and copied.
        let vm = unsafe { ffi::ebpf_create(&raw const ffi::ebpf_host_platform, &raw) };
        let vm = Vm { vm, bounds: options.bounds, relocate: relocate_box };
        (!vm.vm.is_null()).then_some(vm)
    }

    pub(crate) fn raw(&self) -> *mut ffi::EbpfVm {
        self.vm
    }

    fn check(&self, code: c_uint) -> Result<(), Error> {
        let Some(status) = Status::from_code(code) else {
            return Ok(());
        };
        // SAFETY: the VM lives, and its message is a terminated string.
        let (message, instruction) = unsafe {
            let message = CStr::from_ptr(ffi::ebpf_message(self.vm)).to_string_lossy().into_owned();
            (message, ffi::ebpf_message_instruction(self.vm))
        };
        Err(Error { status, instruction: (instruction != u32::MAX).then_some(instruction), message })
    }

    /// Makes `function` callable as helper `number` by programs loaded afterwards. With `unwinds`, a result of 0 ends the
    /// whole program, from any depth of calls.
    ///
    /// ```
    /// use ebpf::{assemble, ByteOrder, Engine, Options, Vm};
    /// use std::ffi::c_void;
    ///
    /// extern "C" fn larger(a: u64, b: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    ///     a.max(b)
    /// }
    ///
    /// let mut vm = Vm::new(Options { bounds: true, ..Options::default() }).ok_or("no memory")?;
    /// // SAFETY: it is sound with any arguments.
    /// unsafe { vm.register_helper(1, larger, false) }?;
    /// vm.load(&assemble("r1 = 3\nr2 = 5\ncall 1\nexit", ByteOrder::Little)?, ByteOrder::Little)?;
    /// assert_eq!(vm.run(Engine::Interpreter, &mut [])?, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// Programs choose the arguments: the function must be sound with any.
    pub unsafe fn register_helper(
        &mut self,
        number: u32,
        function: Helper,
        unwinds: bool,
    ) -> Result<(), Error> {
        // SAFETY: the VM lives.
        let code = unsafe { ffi::ebpf_register_helper(self.vm, number, function, unwinds.into()) };
        self.check(code)
    }

    /// Lets programs of a VM with bounds access this memory.
    ///
    /// ```
    /// use ebpf::{assemble, ByteOrder, Engine, Options, Status, Vm};
    ///
    /// let mut counter = Box::new(41u64);
    /// let address = &raw mut *counter;
    /// let mut vm = Vm::new(Options { bounds: true, ..Options::default() }).ok_or("no memory")?;
    /// let text = format!("r1 = {address:p} ll\nr0 = *(u64 *)(r1 + 0)\nr0 += 1\n*(u64 *)(r1 + 0) = r0\nexit");
    /// vm.load(&assemble(&text, ByteOrder::native())?, ByteOrder::native())?;
    /// assert_eq!(vm.run(Engine::Interpreter, &mut []).unwrap_err().status, Status::Bounds);
    ///
    /// // SAFETY: the counter lives until the region is taken back, and nobody else looks at it meanwhile.
    /// unsafe { vm.register_region(address.cast(), 8) }?;
    /// assert_eq!(vm.run(Engine::Interpreter, &mut [])?, 42);
    /// vm.unregister_region(address.cast(), 8)?;
    /// assert_eq!(*counter, 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// The memory must stay valid and otherwise unused while programs run.
    pub unsafe fn register_region(&mut self, start: *mut u8, bytes: usize) -> Result<(), Error> {
        // SAFETY: the VM lives.
        let code = unsafe { ffi::ebpf_register_region(self.vm, start.cast(), bytes) };
        self.check(code)
    }

    /// Lets programs of a VM with bounds read this memory, and not write it.
    ///
    /// # Safety
    /// The memory must stay valid and must not be written while programs run.
    pub unsafe fn register_read_only_region(&mut self, start: *const u8, bytes: usize) -> Result<(), Error> {
        // SAFETY: the VM lives.
        let code = unsafe { ffi::ebpf_register_read_only_region(self.vm, start.cast(), bytes) };
        self.check(code)
    }

    /// Removes the latest registration of exactly this memory.
    pub fn unregister_region(&mut self, start: *const u8, bytes: usize) -> Result<(), Error> {
        // SAFETY: the VM lives, and the address is only compared.
        let code = unsafe { ffi::ebpf_unregister_region(self.vm, start.cast(), bytes) };
        self.check(code)
    }

    /// Loads and verifies bytecode.
    pub fn load(&mut self, bytecode: &[u8], order: ByteOrder) -> Result<(), Error> {
        // SAFETY: the VM lives, and the bytecode is given with its length and copied.
        let code =
            unsafe { ffi::ebpf_load(self.vm, bytecode.as_ptr().cast(), bytecode.len(), order as c_uint) };
        self.check(code)?;
        // SAFETY: the VM lives.
        self.check(unsafe { ffi::ebpf_verify(self.vm) })
            .map_err(|error| with_helper_name(error, bytecode, order))
    }

    fn with_raw_target<T>(
        target: &Target,
        action: impl FnOnce(*const ffi::EbpfTarget) -> T,
    ) -> Result<T, Error> {
        let arch = target.arch.as_deref().map(CString::new).transpose().map_err(|_| Error {
            status: Status::Argument,
            instruction: None,
            message: "an architecture's name has no NUL".into(),
        })?;
        let raw = ffi::EbpfTarget {
            arch: arch.as_ref().map_or(null(), |name| name.as_ptr()),
            features: target.features.0,
            swap: target.swap as c_uint,
            fusion: target.fusion as c_uint,
        };
        Ok(action(&raw))
    }

    /// Compiles the verified program for this machine, whose CPU must have the target's features. The code of an earlier call
    /// is gone, also when this one fails.
    pub fn compile(&mut self, target: &Target) -> Result<(), Error> {
        let code = refuse_lacking(target.features, host_features()).and_then(|()| {
            // SAFETY: the VM and the target live.
            Vm::with_raw_target(target, |raw| unsafe { ffi::ebpf_compile(self.vm, raw) })
        });
        match code {
            Ok(code) => self.check(code),
            Err(error) => {
                self.drop_code();
                Err(error)
            }
        }
    }

    /// For what is refused before the library sees it: the library refuses a target with a name, and drops the code first.
    fn drop_code(&mut self) {
        let named = ffi::EbpfTarget { arch: c"".as_ptr(), features: 0, swap: 0, fusion: 0 };
        // SAFETY: the VM and the target live.
        unsafe { ffi::ebpf_compile(self.vm, &raw const named) };
    }

    /// Generates code for any target.
    pub fn emit(&mut self, target: &Target) -> Result<Vec<u8>, Error> {
        let mut code = Vec::new();
        loop {
            let mut bytes = code.len();
            let pointer: *mut u8 = if code.is_empty() { null_mut() } else { code.as_mut_ptr() };
            // SAFETY: the VM and the target live, and the buffer is given with its length.
            let status = Vm::with_raw_target(target, |raw| unsafe {
                ffi::ebpf_emit(self.vm, raw, pointer.cast(), &mut bytes)
            })?;
            match self.check(status) {
                Err(Error { status: Status::Buffer, .. }) if bytes > code.len() => code.resize(bytes, 0),
                Err(error) => return Err(error),
                Ok(()) => {
                    code.truncate(bytes);
                    return Ok(code);
                }
            }
        }
    }

    /// Runs the program on `context`. Only for a VM with bounds, where the program can reach nothing else.
    pub fn run(&mut self, engine: Engine, context: &mut [u8]) -> Result<u64, Error> {
        if !self.bounds {
            return Err(Error {
                status: Status::State,
                instruction: None,
                message: "Vm::run needs the bounds option; Vm::run_unchecked does without".into(),
            });
        }
        // SAFETY: with bounds, the program reaches only the context, its stack and registered regions.
        unsafe { self.run_unchecked(engine, context) }
    }

    /// Runs the program on `context`.
    ///
    /// # Safety
    /// Without the bounds option the program can access any memory: its author must be trusted.
    pub unsafe fn run_unchecked(&mut self, engine: Engine, context: &mut [u8]) -> Result<u64, Error> {
        let mut r0 = 0;
        let pointer: *mut u8 = if context.is_empty() { null_mut() } else { context.as_mut_ptr() };
        // SAFETY: as the caller promises.
        let code =
            unsafe { ffi::ebpf_run(self.vm, engine as c_uint, pointer.cast(), context.len(), &mut r0) };
        self.check(code).map(|()| r0)
    }

    /// Instructions charged to the budget by the last run.
    pub fn instructions_used(&self) -> u64 {
        // SAFETY: the VM lives.
        unsafe { ffi::ebpf_instructions_used(self.vm) }
    }

    /// Slots of the loaded program.
    pub fn slots(&self) -> usize {
        // SAFETY: the VM lives.
        unsafe { ffi::ebpf_instruction_count(self.vm) as usize }
    }

    /// What the last [`Vm::compile`] or [`Vm::emit`] did.
    pub fn code_stats(&self) -> CodeStats {
        let mut stats = ffi::EbpfCodeStats::default();
        // SAFETY: the VM lives.
        unsafe { ffi::ebpf_code_stats(self.vm, &mut stats) };
        stats.into()
    }

    /// What would merge on a machine of byte order `order` that can reverse every load and store.
    pub fn census(&mut self, order: ByteOrder) -> Result<CodeStats, Error> {
        let mut stats = ffi::EbpfCodeStats::default();
        // SAFETY: the VM lives.
        let code = unsafe { ffi::ebpf_census(self.vm, order as c_uint, &mut stats) };
        self.check(code).map(|()| stats.into())
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        // SAFETY: both were made by new and are dropped once; the VM, which refers to the callback, goes first.
        unsafe {
            if !self.vm.is_null() {
                ffi::ebpf_destroy(self.vm);
            }
            if !self.relocate.is_null() {
                drop(Box::from_raw(self.relocate));
            }
        }
    }
}

/// Code that is to run here may use what this CPU has and nothing else: what others do with the encodings is not known.
fn refuse_lacking(wanted: Features, here: Features) -> Result<(), Error> {
    match wanted.0 & !here.0 {
        0 => Ok(()),
        lacking => {
            let message = format!(
                "this machine has no CPU feature {lacking:#x}: host_features() gives those that it has"
            );
            Err(Error { status: Status::Unsupported, instruction: None, message })
        }
    }
}

/// Adds the kernel's name of the helper to the error that refuses a call of an unregistered helper.
fn with_helper_name(error: Error, bytecode: &[u8], order: ByteOrder) -> Error {
    const CALL: u8 = 0x85;
    let slot = error
        .instruction
        .and_then(|at| bytecode.get(at as usize * SLOT_BYTES..)?.first_chunk::<SLOT_BYTES>());
    let Some(&[CALL, registers, _, _, imm @ ..]) = slot else { return error };
    let (source, number) = match order {
        ByteOrder::Little => (registers >> 4, u32::from_le_bytes(imm)),
        ByteOrder::Big => (registers & 15, u32::from_be_bytes(imm)),
    };
    match helper_name(number).filter(|_| source == 0) {
        Some(name) => {
            let message = error.message.replacen(
                &format!("helper {number}"),
                &format!("helper {number} (bpf_{name})"),
                1,
            );
            Error { message, ..error }
        }
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_that_the_machine_lacks_are_refused() {
        assert_eq!(refuse_lacking(Features(3), Features(7)), Ok(()));
        let error = refuse_lacking(Features(6), Features(5)).expect_err("it lacks one");
        assert_eq!(error.status, Status::Unsupported);
        assert_eq!(
            error.message,
            "this machine has no CPU feature 0x2: host_features() gives those that it has"
        );
        let mut vm = Vm::new(Options::default()).expect("memory");
        let target = Target { features: Features(!host_features().0), ..Target::default() };
        assert!(vm.compile(&target).is_err_and(|error| error.status == Status::Unsupported));
    }
}
