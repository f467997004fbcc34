// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The Rust side of `shim/shim.h`: its types and a safe wrapper. Besides its `library`, which has the functions, no module is
//! unsafe.

mod library;

use library::Functions;
use std::ffi::{c_char, CStr, CString};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

const OPERANDS_MAX: usize = 24;
const IMPLICIT_MAX: usize = 64;
const WRITES_MAX: usize = 32;
const USES_MAX: usize = 64;
/// Long enough for every text that LLVM prints; a longer one is cut off.
const TEXT_MAX: usize = 256;

const KIND_REGISTER: u8 = 1;
const KIND_IMMEDIATE: u8 = 2;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Operand {
    value: i64,
    kind: u8,
    definition: u8,
    memory: u8,
    tied_to: i8,
}

impl Operand {
    /// LLVM's register number; 0, "no register", is none.
    pub(crate) fn register(&self) -> Option<usize> {
        (self.kind == KIND_REGISTER && self.value > 0).then_some(self.value as usize)
    }

    pub(crate) fn immediate(&self) -> Option<i64> {
        (self.kind == KIND_IMMEDIATE).then_some(self.value)
    }

    pub(crate) fn is_definition(&self) -> bool {
        self.definition != 0
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.memory != 0
    }

    /// The index of the definition that has to be the same register.
    pub(crate) fn tied_to(&self) -> Option<usize> {
        usize::try_from(self.tied_to).ok()
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Decoded {
    pub(crate) opcode: u32,
    pub(crate) length: u32,
    pub(crate) prefix_flags: u32,
    operand_count: u32,
    operands: [Operand; OPERANDS_MAX],
    target: u64,
    has_target: u32,
}

impl Decoded {
    pub(crate) fn operands(&self) -> &[Operand] {
        &self.operands[..self.operand_count as usize]
    }

    pub(crate) fn target(&self) -> Option<u64> {
        (self.has_target != 0).then_some(self.target)
    }
}

#[repr(C)]
pub(crate) struct RawOpcode {
    name: *const c_char,
    load: u8,
    store: u8,
    branch: u8,
    indirect: u8,
    call: u8,
    ret: u8,
    definition_count: u32,
    use_count: u32,
    definitions: [u16; IMPLICIT_MAX],
    uses: [u16; IMPLICIT_MAX],
}

/// What LLVM's tables say of an opcode; `may_load` and `may_store` are often wrong for instructions with side effects.
#[derive(Clone, Debug)]
pub(crate) struct Opcode {
    pub(crate) name: &'static str,
    pub(crate) may_load: bool,
    pub(crate) may_store: bool,
    pub(crate) branch: bool,
    pub(crate) indirect: bool,
    pub(crate) call: bool,
    pub(crate) ret: bool,
    pub(crate) implicit_definitions: Vec<usize>,
    pub(crate) implicit_uses: Vec<usize>,
}

#[repr(C)]
#[derive(Default)]
pub(crate) struct RawModel {
    pub(crate) has_instruction_model: u32,
    pub(crate) issue_width: u32,
    pub(crate) buffer_size: u32,
    pub(crate) load_latency: u32,
    pub(crate) mispredict_penalty: u32,
    pub(crate) resource_count: u32,
    pub(crate) retire_width: u32,
    pub(crate) load_queue: u32,
    pub(crate) store_queue: u32,
}

#[repr(C)]
struct RawResource {
    name: *const c_char,
    units: u32,
    buffer_size: i32,
    above: u32,
    members: *const u32,
}

/// One of a model's resources, as LLVM has it; numbers count from 1, and 0 is none.
pub(crate) struct ResourceFacts {
    pub(crate) name: &'static str,
    pub(crate) units: u32,
    pub(crate) buffer_size: i32,
    pub(crate) above: u32,
    pub(crate) members: Vec<u32>,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawUse {
    pub(crate) resource: u32,
    pub(crate) cycles: u32,
}

#[repr(C)]
struct RawSchedule {
    micro_ops: u32,
    begins_group: u32,
    ends_group: u32,
    write_count: u32,
    write_latencies: [i32; WRITES_MAX],
    use_count: u32,
    uses: [RawUse; USES_MAX],
    late_cycles: u32,
    breaks_dependencies: u32,
    is_eliminated: u32,
}

/// An instruction's entry in a scheduling model, as LLVM has it.
pub(crate) struct Entry {
    pub(crate) micro_ops: u32,
    pub(crate) begins_group: bool,
    pub(crate) ends_group: bool,
    pub(crate) write_latencies: Vec<i32>,
    pub(crate) uses: Vec<RawUse>,
    pub(crate) late_cycles: u32,
    pub(crate) breaks_dependencies: bool,
    pub(crate) is_eliminated: bool,
}

#[repr(C)]
struct RawTarget {
    _opaque: [u8; 0],
}

/// How Debian's LLVM is installed, which has all targets.
const AGAIN: &str = " (Debian: apt-get install llvm-19-dev) and build again";

/// One LLVM target with one cpu and feature set. Holds a raw pointer, so it is neither `Send` nor `Sync`.
pub(crate) struct Target {
    raw: NonNull<RawTarget>,
    llvm: &'static Functions,
}

impl Target {
    /// The error says why, and what helps.
    pub(crate) fn new(triple: &str, cpu: &str, features: &str) -> Result<Target, String> {
        let text = |what: &str| {
            CString::new(what).map_err(|_| format!("'{}' contains a zero byte", what.escape_debug()))
        };
        let (triple, cpu, features) = (text(triple)?, text(cpu)?, text(features)?);
        let mut message = [0 as c_char; TEXT_MAX];
        // LLVM keeps its targets in a global list that it does not guard: two threads that start one at once see half a list.
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let llvm = library::functions()?;
        // SAFETY: the strings end with a zero, and the message buffer is as long as stated.
        let raw = unsafe {
            (llvm.target_new)(
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                message.as_mut_ptr(),
                message.len(),
            )
        };
        let refused =
            || format!("{}; install an LLVM that was built with this target{AGAIN}", buffer_text(&message));
        NonNull::new(raw).map(|raw| Target { raw, llvm }).ok_or_else(refused)
    }

    fn raw(&self) -> *mut RawTarget {
        self.raw.as_ptr()
    }

    /// LLVM's register names by LLVM's register number; number 0 is "no register".
    pub(crate) fn register_names(&self) -> Vec<&'static str> {
        // SAFETY: the numbers are in range.
        unsafe {
            (0..(self.llvm.register_count)(self.raw()))
                .map(|n| library_text((self.llvm.register_name)(self.raw(), n)))
                .collect()
        }
    }

    pub(crate) fn opcode_count(&self) -> usize {
        // SAFETY: no further condition.
        unsafe { (self.llvm.opcode_count)(self.raw()) as usize }
    }

    pub(crate) fn opcode(&self, number: usize) -> Opcode {
        assert!(number < self.opcode_count(), "opcode {number} of {}", self.opcode_count());
        let mut out = std::mem::MaybeUninit::<RawOpcode>::zeroed();
        // SAFETY: the number is in range; all of the fields allow zero bytes.
        let raw = unsafe {
            (self.llvm.opcode_describe)(self.raw(), number as u32, out.as_mut_ptr());
            out.assume_init()
        };
        let list =
            |numbers: &[u16], count: u32| numbers[..count as usize].iter().map(|&n| n as usize).collect();
        Opcode {
            // SAFETY: LLVM's tables are static.
            name: unsafe { library_text(raw.name) },
            may_load: raw.load != 0,
            may_store: raw.store != 0,
            branch: raw.branch != 0,
            indirect: raw.indirect != 0,
            call: raw.call != 0,
            ret: raw.ret != 0,
            implicit_definitions: list(&raw.definitions, raw.definition_count),
            implicit_uses: list(&raw.uses, raw.use_count),
        }
    }

    /// LLVM's mnemonic of an opcode; empty if there is none, as for what only the compiler has.
    pub(crate) fn opcode_mnemonic(&self, number: usize) -> String {
        assert!(number < self.opcode_count(), "opcode {number} of {}", self.opcode_count());
        let mut buffer = [0 as c_char; TEXT_MAX];
        // SAFETY: the number is in range, and the buffer is as long as stated.
        unsafe { (self.llvm.opcode_mnemonic)(self.raw(), number as u32, buffer.as_mut_ptr(), buffer.len()) };
        buffer_text(&buffer)
    }

    pub(crate) fn decode(&mut self, bytes: &[u8], address: u64) -> Option<Decoded> {
        let mut out = std::mem::MaybeUninit::<Decoded>::zeroed();
        // SAFETY: the bytes are readable for the stated size; all of the fields allow zero bytes.
        unsafe {
            let found =
                (self.llvm.decode)(self.raw(), bytes.as_ptr(), bytes.len(), address, out.as_mut_ptr());
            (found != 0).then(|| out.assume_init())
        }
    }

    /// The mnemonic of what was decoded last.
    pub(crate) fn mnemonic(&mut self) -> String {
        let mut buffer = [0 as c_char; TEXT_MAX];
        // SAFETY: the buffer is as long as stated.
        unsafe { (self.llvm.mnemonic)(self.raw(), buffer.as_mut_ptr(), buffer.len()) };
        buffer_text(&buffer)
    }

    /// The disassembly of what was decoded last.
    pub(crate) fn text(&mut self, address: u64) -> String {
        let mut buffer = [0 as c_char; TEXT_MAX];
        // SAFETY: the buffer is as long as stated.
        unsafe { (self.llvm.text)(self.raw(), address, buffer.as_mut_ptr(), buffer.len()) };
        buffer_text(&buffer)
    }

    pub(crate) fn model(&self) -> RawModel {
        let mut out = RawModel::default();
        // SAFETY: no further condition.
        unsafe { (self.llvm.model_describe)(self.raw(), &mut out) };
        out
    }

    /// One of the model's resources.
    pub(crate) fn resource(&self, number: u32) -> Option<ResourceFacts> {
        let mut out = std::mem::MaybeUninit::<RawResource>::zeroed();
        // SAFETY: the shim refuses numbers out of range; all of the fields allow zero bytes; LLVM's tables are static.
        unsafe {
            let found = (self.llvm.resource_describe)(self.raw(), number, out.as_mut_ptr());
            let raw = (found != 0).then(|| out.assume_init())?;
            let count = if raw.members.is_null() { 0 } else { raw.units as usize };
            Some(ResourceFacts {
                name: library_text(raw.name),
                units: raw.units,
                buffer_size: raw.buffer_size,
                above: raw.above,
                members: (0..count).map(|index| *raw.members.add(index)).collect(),
            })
        }
    }

    /// How many opcodes use each resource of the model, that of number 1 first.
    pub(crate) fn resource_users(&self) -> Vec<u32> {
        let mut counts = vec![0; (self.model().resource_count as usize).saturating_sub(1)];
        // SAFETY: there is an entry for each resource, and the shim writes none where there are none.
        unsafe { (self.llvm.resource_users)(self.raw(), counts.as_mut_ptr()) };
        counts
    }

    /// The model's entry for what was decoded last.
    pub(crate) fn schedule_last(&mut self) -> Option<Entry> {
        let mut out = std::mem::MaybeUninit::<RawSchedule>::zeroed();
        // SAFETY: all of the fields allow zero bytes.
        let raw = unsafe {
            let found = (self.llvm.schedule_last)(self.raw(), out.as_mut_ptr());
            (found != 0).then(|| out.assume_init())?
        };
        Some(Entry {
            micro_ops: raw.micro_ops,
            begins_group: raw.begins_group != 0,
            ends_group: raw.ends_group != 0,
            write_latencies: raw.write_latencies[..raw.write_count as usize].to_vec(),
            uses: raw.uses[..raw.use_count as usize].to_vec(),
            late_cycles: raw.late_cycles,
            breaks_dependencies: raw.breaks_dependencies != 0,
            is_eliminated: raw.is_eliminated != 0,
        })
    }

    /// Cycles of all of the iterations of a loop with this body, or why not.
    pub(crate) fn mca(&mut self, code: &[u8], iterations: u32) -> Result<u64, String> {
        let mut cycles = 0;
        let mut message = [0 as c_char; TEXT_MAX];
        // SAFETY: the code is readable for the stated size, and the message buffer is as long as stated.
        let done = unsafe {
            (self.llvm.mca)(
                self.raw(),
                code.as_ptr(),
                code.len(),
                iterations,
                &mut cycles,
                message.as_mut_ptr(),
                message.len(),
            )
        };
        if done != 0 {
            Ok(cycles)
        } else {
            Err(buffer_text(&message))
        }
    }

    /// Every cpu name that the target knows, and whether it has an instruction model.
    pub(crate) fn cpus(&self) -> Vec<(&'static str, bool)> {
        let mut has_model = 0;
        // SAFETY: the shim returns NULL behind the last; LLVM's tables are static.
        let one = |n| unsafe {
            let name = (self.llvm.cpu_name)(self.raw(), n, &mut has_model);
            (!name.is_null()).then(|| (library_text(name), has_model != 0))
        };
        (0..).map_while(one).collect()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: nothing else holds the pointer.
        unsafe { (self.llvm.target_free)(self.raw()) }
    }
}

/// Text in LLVM's static tables.
unsafe fn library_text(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the caller's pointer is to static, zero-terminated text.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

fn buffer_text(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
