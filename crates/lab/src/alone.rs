// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A process that stays alone: the kernel ends it when it tries to start another.
//!
//! A variant that forks at each of a million calls takes the machine down before any time limit, and root is under no
//! resource limit. No hot path has a reason to start a process, so a runner gets a seccomp filter that kills it if it tries
//! to. QEMU's user mode passes a guest's fork on to the kernel, so the filter holds there as well; QEMU's own threads are
//! allowed.
//!
//! Manual: Linux, `Documentation/userspace-api/seccomp_filter.rst`; `struct seccomp_data` in `linux/seccomp.h`.

use std::io;

/// Offsets in `struct seccomp_data`: the system call's number, the architecture, the low half of the first argument.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = if cfg!(target_endian = "little") { 16 } else { 20 };

/// `AUDIT_ARCH_*` of this machine: its ELF machine number with bits for 64 bits and little endian.
#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const NATIVE: u32 = 0xc000_00f3;
#[cfg(target_arch = "loongarch64")]
const NATIVE: u32 = 0xc000_0102;
#[cfg(all(target_arch = "powerpc64", target_endian = "little"))]
const NATIVE: u32 = 0xc000_0015;
#[cfg(all(target_arch = "powerpc64", target_endian = "big"))]
const NATIVE: u32 = 0x8000_0015;

/// System calls that always make a process; newer architectures have only clone.
#[cfg(any(target_arch = "x86_64", target_arch = "powerpc64"))]
const FORKS: &[libc::c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(any(target_arch = "x86_64", target_arch = "powerpc64")))]
const FORKS: &[libc::c_long] = &[];

/// On x86-64, numbers from here on are those of the x32 ABI: the same system calls once more.
const X32: u32 = 0x4000_0000;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const JUMP_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const JUMP_BITS: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;

/// The filter, ready to be put on a process.
#[derive(Clone, Debug)]
pub struct Filter(Vec<libc::sock_filter>);

impl Filter {
    /// Builds the filter; this allocates, so it is done before the fork.
    pub fn new() -> Filter {
        let statement = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
        // Over the next statement if the condition does not hold.
        let when = |code, k| libc::sock_filter { code, jt: 0, jf: 1, k };
        let unless = |code, k| libc::sock_filter { code, jt: 1, jf: 0, k };
        let end = statement(RETURN, libc::SECCOMP_RET_KILL_PROCESS);
        let allow = statement(RETURN, libc::SECCOMP_RET_ALLOW);
        let mut filter = vec![
            statement(LOAD, ARCHITECTURE),
            unless(JUMP_EQUAL, NATIVE),
            end,
            statement(LOAD, NUMBER),
            when(JUMP_AT_LEAST, X32),
            end,
        ];
        for number in FORKS {
            filter.extend([when(JUMP_EQUAL, *number as u32), end]);
        }
        // A filter cannot see through clone3's pointer; libraries fall back to clone where it is missing.
        let absent = statement(RETURN, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
        filter.extend([when(JUMP_EQUAL, libc::SYS_clone3 as u32), absent]);
        filter.extend([unless(JUMP_EQUAL, libc::SYS_clone as u32), allow]);
        filter.extend([
            statement(LOAD, FIRST_ARGUMENT),
            when(JUMP_BITS, libc::CLONE_THREAD as u32),
            allow,
            end,
        ]);
        Filter(filter)
    }

    /// Puts it on this process for good; async-signal-safe.
    ///
    /// # Errors
    /// The kernel's.
    pub fn apply(&self) -> io::Result<()> {
        let program = libc::sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut() };
        // SAFETY: system calls; the program outlives them and is only read.
        let status = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program)
        };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}
