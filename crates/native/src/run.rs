// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Runs a loop in a process of its own: by single steps for its path and addresses, or with timing.
//!
//! A loop from a real program reads and writes wherever its registers point. A page that it touches for the first time is
//! mapped in the fault handler and filled with pointers to mapped data, as in BHive (Chen et al., IISWC 2019), but each page
//! has memory of its own, since cores look lines up by virtual address. A loop can harm its own process only. A loop that
//! faults otherwise, or touches too many pages, is not run, and its reason is counted.

use crate::case::{Program, APART, CODE, CONTROL, DATA, DATA_BYTES, FIRST, REGISTERS, TURNS};
use crate::clock::{cycles_per_tick, ticks};
use std::arch::asm;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Steps recorded at most.
pub const STEPS_MAX: usize = 65_536;
/// Samples taken in one visit.
pub const SAMPLES: usize = 120;
/// Pages that a loop may touch besides the data mapped at the start.
const PAGES_MAX: u64 = 12;
const PAGE: u64 = 4096;
const CODE_BYTES: u64 = crate::case::CASE_BYTES;
/// Seconds after which a process is killed.
const SECONDS_MAX: u32 = 60;
/// The relative difference allowed between the clock before and after a sample.
pub(crate) const CLOCK_DRIFT: f64 = 0.015;

/// One instruction about to be executed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its address.
    pub address: u64,
    /// The general registers before it, in encoding order.
    pub registers: [u64; 16],
}

/// Why a loop was not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Failure {
    /// A signal ended it.
    #[error("{}", signal_name(*.0))]
    Signal(i32),
    /// It touched more pages than it may.
    #[error("touches too many pages")]
    Pages,
    /// It accessed memory where none can be mapped.
    #[error("accesses memory that cannot be mapped")]
    Unmappable,
    /// It took more steps than are recorded.
    #[error("takes too many steps")]
    Steps,
    /// The clock never was steady, or no two visits agreed.
    #[error("was disturbed in all of its samples")]
    Disturbed,
    /// The processes that it was timed in differ.
    #[error("took other times in other processes")]
    Disagree,
    /// Its core was shared.
    #[error("ran while another thread had a part of the core, by the control loop")]
    Shared,
    /// There was no process or memory for it.
    #[error("could not be started")]
    NotStarted,
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGFPE => "divides by zero or overflows (SIGFPE)",
        libc::SIGILL => "is illegal here (SIGILL)",
        libc::SIGSEGV | libc::SIGBUS => "faults (SIGSEGV)",
        libc::SIGALRM => "does not end",
        libc::SIGTRAP => "traps (SIGTRAP)",
        _ => "is ended by a signal",
    }
}

/// One sample: cycles of a short and of a long run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Of the short run.
    pub short_cycles: f64,
    /// Of the long run.
    pub long_cycles: f64,
    /// Core cycles per tick of the counter around these runs.
    pub cycles_per_tick: f64,
}

/// The samples of a visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// Samples between two readings of the clock that agree.
    pub samples: Vec<Sample>,
    /// Samples dropped.
    pub disturbed: u64,
}

/// The memory that the child process and its parent share.
#[repr(C)]
struct Shared {
    failure: AtomicU64,
    steps_count: AtomicU64,
    samples_count: AtomicU64,
    disturbed: AtomicU64,
    pages: [u64; PAGES_MAX as usize],
    pages_count: AtomicU64,
    samples: [Sample; SAMPLES],
    steps: [Step; STEPS_MAX],
}

const FAILED_PAGES: u64 = 1;
const FAILED_UNMAPPABLE: u64 = 2;
const FAILED_STEPS: u64 = 3;

/// Memory shared with processes that are forked.
struct Board(*mut Shared);

impl Board {
    fn new() -> Result<Board, Failure> {
        // SAFETY: a new mapping, zero bytes being a valid `Shared`.
        let memory = unsafe { map(0, size_of::<Shared>() as u64, libc::MAP_SHARED, libc::PROT_WRITE) };
        if memory.is_null() {
            return Err(Failure::NotStarted);
        }
        Ok(Board(memory.cast()))
    }

    fn shared(&self) -> &Shared {
        // SAFETY: mapped as long as `self` lives; the process that writes it has ended.
        unsafe { &*self.0 }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made.
        unsafe {
            libc::munmap(self.0.cast(), size_of::<Shared>());
        }
    }
}

/// Maps zeroed memory, at an address or, with 0, anywhere; null if that fails.
unsafe fn map(address: u64, bytes: u64, sharing: i32, protection: i32) -> *mut u8 {
    let fixed = if address == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    let flags = sharing | libc::MAP_ANONYMOUS | fixed;
    // SAFETY: without MAP_FIXED no existing mapping is replaced.
    let memory =
        unsafe { libc::mmap(address as *mut _, bytes as usize, libc::PROT_READ | protection, flags, -1, 0) };
    if memory == libc::MAP_FAILED {
        return null_mut();
    }
    memory.cast()
}

/// State for the signal handlers of the child process, which has one thread.
static BOARD: AtomicPtr<Shared> = AtomicPtr::new(null_mut());
static START: AtomicU64 = AtomicU64::new(0);
static END: AtomicU64 = AtomicU64::new(0);
static ENTRY: AtomicU64 = AtomicU64::new(0);

/// Records `turns` turns, instruction by instruction. With `filled`, all data are pointers to data.
pub fn steps(program: &Program, turns: u64, filled: bool) -> Result<Vec<Step>, Failure> {
    let board = Board::new()?;
    in_process(&board, program, || {
        // SAFETY: in the child, where the program is mapped; the handler ends single-stepping after the loop.
        unsafe {
            if filled {
                fill_data();
            }
            set_turns(turns);
            step_through(CODE + program.entry);
        }
    })?;
    let shared = board.shared();
    Ok(shared.steps[..(shared.steps_count.load(Ordering::Relaxed) as usize).min(STEPS_MAX)].to_vec())
}

/// How a loop is run.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Turns of a short run.
    pub short: u64,
    /// Turns of a long run.
    pub long: u64,
    /// Whether all data are pointers to data before each run.
    pub filled: bool,
    /// Whether its turns access other addresses than those before. Then what the run before has left in the caches counts, and a
    /// long run behind a short one would find its first turns' lines there: it goes behind another long one, as the short one does.
    pub walks: bool,
}

/// Takes samples of a short and a long run.
pub fn sample(program: &Program, runs: Runs) -> Result<Visit, Failure> {
    let Runs { short, long, filled, walks } = runs;
    let board = Board::new()?;
    in_process(&board, program, || {
        for _ in 0..3 {
            timed(program, long, filled);
        }
        let board = BOARD.load(Ordering::Relaxed);
        for _ in 0..SAMPLES {
            let before = cycles_per_tick();
            let short_ticks = timed(program, short, filled);
            if walks {
                timed(program, long, filled);
            }
            let long_ticks = timed(program, long, filled);
            let after = cycles_per_tick();
            let rate = (before + after) / 2.0;
            // SAFETY: the board is mapped, and only this process, which has one thread, writes it now.
            let shared = unsafe { &mut *board };
            if (before - after).abs() > CLOCK_DRIFT * rate {
                shared.disturbed.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let number = shared.samples_count.fetch_add(1, Ordering::Relaxed) as usize;
            shared.samples[number] = Sample {
                short_cycles: short_ticks as f64 * rate,
                long_cycles: long_ticks as f64 * rate,
                cycles_per_tick: rate,
            };
        }
    })?;
    let shared = board.shared();
    let samples = shared.samples[..shared.samples_count.load(Ordering::Relaxed) as usize].to_vec();
    let disturbed = shared.disturbed.load(Ordering::Relaxed);
    Ok(Visit { samples, disturbed })
}

/// Runs `work` in a forked child with the program mapped, and waits for the child's end.
fn in_process(board: &Board, program: &Program, work: impl FnOnce()) -> Result<(), Failure> {
    // SAFETY: the child runs our code only: it takes no lock, and malloc, which it uses before the program, supports forks.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(Failure::NotStarted);
    }
    if child == 0 {
        let placed = place(board, program);
        if placed {
            work();
        }
        // SAFETY: ends the child at once, without the parent's handlers.
        unsafe { libc::_exit(i32::from(!placed)) }
    }
    let mut status = 0;
    // SAFETY: waits for our child.
    while unsafe { libc::waitpid(child, &mut status, 0) } < 0 {}
    match board.shared().failure.load(Ordering::Relaxed) {
        FAILED_PAGES => Err(Failure::Pages),
        FAILED_UNMAPPABLE => Err(Failure::Unmappable),
        FAILED_STEPS => Err(Failure::Steps),
        _ if libc::WIFSIGNALED(status) => Err(Failure::Signal(libc::WTERMSIG(status))),
        _ if libc::WEXITSTATUS(status) != 0 => Err(Failure::NotStarted),
        _ => Ok(()),
    }
}

/// In the child: maps code, control block and data, and installs the signal handlers.
fn place(board: &Board, program: &Program) -> bool {
    BOARD.store(board.0, Ordering::Relaxed);
    START.store(CODE + program.start, Ordering::Relaxed);
    END.store(CODE + program.end, Ordering::Relaxed);
    ENTRY.store(CODE + program.entry, Ordering::Relaxed);
    let private = libc::MAP_PRIVATE;
    // SAFETY: new mappings at addresses of ours; the signal stack stays mapped until the process ends.
    unsafe {
        libc::alarm(SECONDS_MAX);
        let code = map(CODE, CODE_BYTES, private, libc::PROT_WRITE);
        let control = map(CONTROL, PAGE, private, libc::PROT_WRITE);
        // Populated, since pages that were never written share one page of zeros, which always hits the first level.
        let data = map(DATA, DATA_BYTES, private | libc::MAP_POPULATE, libc::PROT_WRITE);
        let stack = map(0, 64 << 10, private, libc::PROT_WRITE);
        if [code, control, data, stack].iter().any(|memory| memory.is_null()) {
            return false;
        }
        if program.code.len() as u64 > CODE_BYTES {
            return false;
        }
        code.copy_from(program.code.as_ptr(), program.code.len());
        libc::mprotect(code.cast(), CODE_BYTES as usize, libc::PROT_READ | libc::PROT_EXEC);
        for number in 0..16 {
            control.add((REGISTERS + 8 * number) as usize).cast::<u64>().write(DATA + FIRST + APART * number);
        }
        for lane in 0..8 {
            // 1.0f in each lane: neither zero nor denormal.
            control.add((REGISTERS + 128 + 4 * lane) as usize).cast::<u32>().write(0x3f80_0000);
        }
        let alternative = libc::stack_t { ss_sp: stack.cast(), ss_flags: 0, ss_size: 64 << 10 };
        libc::sigaltstack(&alternative, null_mut());
        take(libc::SIGSEGV, on_fault);
        take(libc::SIGBUS, on_fault);
        take(libc::SIGTRAP, on_step);
        for signal in [libc::SIGFPE, libc::SIGILL, libc::SIGALRM, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_DFL);
        }
        // Flush denormals to zero: their extra cost is not what the loops test.
        asm!("ldmxcsr [{}]", in(reg) &0x9fc0u32);
    }
    true
}

type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

unsafe fn take(signal: i32, handler: Handler) {
    // SAFETY: a zeroed sigaction is valid, and the handler does only what a handler may.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, null_mut());
    }
}

/// Ends the child and records why.
fn fail(why: u64) -> ! {
    let board = BOARD.load(Ordering::Relaxed);
    // SAFETY: the board is mapped.
    unsafe {
        (*board).failure.store(why, Ordering::Relaxed);
        libc::_exit(0)
    }
}

extern "C" fn on_fault(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid siginfo; the board is mapped, and one thread runs.
    unsafe {
        let address = (*info).si_addr() as u64;
        let shared = &mut *BOARD.load(Ordering::Relaxed);
        let count = shared.pages_count.load(Ordering::Relaxed);
        if count == PAGES_MAX {
            fail(FAILED_PAGES);
        }
        let page = address & !(PAGE - 1);
        // A fault without an address, such as a general protection fault, has address 0.
        if page == 0 || page >> 47 != 0 || map(page, PAGE, libc::MAP_PRIVATE, libc::PROT_WRITE).is_null() {
            fail(FAILED_UNMAPPABLE);
        }
        fill(page);
        shared.pages[count as usize] = page;
        shared.pages_count.store(count + 1, Ordering::Relaxed);
    }
}

/// Fills a page with pointers into the data.
unsafe fn fill(page: u64) {
    for offset in (0..PAGE).step_by(8) {
        // SAFETY: the caller's page is mapped.
        unsafe { ((page + offset) as *mut u64).write_volatile(DATA + FIRST) };
    }
}

/// Fills the data that the registers' first values point to.
unsafe fn fill_data() {
    // SAFETY: the data are mapped.
    (DATA..DATA + 3 * PAGE).step_by(PAGE as usize).for_each(|page| unsafe { fill(page) });
}

/// Index of each register, in encoding order, in the kernel's array of registers.
const KERNEL_ORDER: [i32; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];
const SINGLE_STEP: i64 = 0x100;

extern "C" fn on_step(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid context; the board is mapped, and one thread runs.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let address = registers[libc::REG_RIP as usize] as u64;
        if address == END.load(Ordering::Relaxed) {
            registers[libc::REG_EFL as usize] &= !SINGLE_STEP;
            return;
        }
        let called = (CODE..ENTRY.load(Ordering::Relaxed)).contains(&address);
        if !called && !(START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&address) {
            return;
        }
        let shared = &mut *BOARD.load(Ordering::Relaxed);
        let count = shared.steps_count.load(Ordering::Relaxed) as usize;
        if count == STEPS_MAX {
            fail(FAILED_STEPS);
        }
        let values = KERNEL_ORDER.map(|register| registers[register as usize] as u64);
        shared.steps[count] = Step { address, registers: values };
        shared.steps_count.store(count as u64 + 1, Ordering::Relaxed);
    }
}

unsafe fn set_turns(turns: u64) {
    // SAFETY: the control block is mapped.
    unsafe { ((CONTROL + TURNS) as *mut u64).write_volatile(turns) };
}

/// Calls the function with the trap flag set.
unsafe fn step_through(function: u64) {
    // SAFETY: the function follows the calling convention, and single-stepping ends after its loop.
    unsafe {
        asm!(
            "pushfq",
            "or qword ptr [rsp], 0x100",
            "popfq",
            "call {function}",
            function = in(reg) function,
            clobber_abi("sysv64"),
        );
    }
}

/// Ticks of a run of `turns` turns.
fn timed(program: &Program, turns: u64, filled: bool) -> u64 {
    // SAFETY: in the child, where program, control block, data and board are mapped; the function follows the calling
    // convention.
    unsafe {
        if filled {
            let shared = &*BOARD.load(Ordering::Relaxed);
            let count = shared.pages_count.load(Ordering::Relaxed) as usize;
            shared.pages[..count].iter().for_each(|&page| fill(page));
            fill_data();
        }
        set_turns(turns);
        let function: extern "sysv64" fn() = std::mem::transmute(CODE + program.entry);
        let start = ticks();
        function();
        ticks() - start
    }
}
