// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The most used of the kernel's helpers that make sense outside a kernel, with their numbers of include/uapi/linux/bpf.h.
//! The map helpers are in maps.rs. Each helper checks its pointer arguments against the VM's regions.

use crate::map::MapKind;
use crate::maps::Maps;
use crate::packet::PacketContext;
use crate::printk::{formatted, Memory};
use crate::visible::visible_lines;
use crate::vm::Helper;
use std::ffi::c_void;
use std::io::Write;

const EFAULT: u64 = -14_i64 as u64;
const EINVAL: u64 = -22_i64 as u64;
const XDP_ABORTED: u64 = 0;
const XDP_REDIRECT: u64 = 4;
const TC_ACT_SHOT: u64 = 2;
const TC_ACT_REDIRECT: u64 = 7;
const BPF_F_INGRESS: u64 = 1;
/// Of a redirection to all devices of a map, and to all but the one that the packet came from.
const BPF_F_BROADCAST: u64 = 8;
const BPF_F_EXCLUDE_INGRESS: u64 = 16;
/// Numbers of `enum bpf_map_type`.
const DEVMAP: u32 = 14;
const DEVMAP_HASH: u32 = 25;
/// The longest text that a program may print at once.
const TEXT_BYTES_MAX: u64 = 4096;

/// Number and function of each.
pub(crate) const HELPERS: [(u32, Helper); 12] = [
    (5, ktime_get_ns),
    (6, trace_printk),
    (7, get_prandom_u32),
    (8, get_smp_processor_id),
    (14, get_current_pid_tgid),
    (23, redirect),
    (26, skb_load_bytes),
    (28, csum_diff),
    (44, xdp_adjust_head),
    (51, redirect_map),
    (65, xdp_adjust_tail),
    (125, ktime_get_boot_ns),
];

fn maps<'a>(context: *mut c_void) -> &'a mut Maps {
    // SAFETY: the VM's helper context is the Maps that was attached to it, and a helper runs alone.
    unsafe { &mut *context.cast::<Maps>() }
}

/// Nanoseconds since the system's start, as programs that compare with a time of 0 in a map expect.
fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place. Linux has both clocks, so that the call cannot fail.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

extern "C" fn ktime_get_ns(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// With the time in suspend.
extern "C" fn ktime_get_boot_ns(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    nanoseconds(libc::CLOCK_BOOTTIME)
}

impl Memory for Maps {
    /// The text ends before what the program may not read, too.
    fn string(&self, address: u64) -> String {
        let bytes = (0..TEXT_BYTES_MAX)
            // SAFETY: a helper is called during a run.
            .map_while(|index| unsafe { self.program_bytes(address.wrapping_add(index), 1) })
            .map(|byte| byte[0])
            .take_while(|byte| *byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }

    fn bytes(&self, address: u64, count: usize) -> Vec<u8> {
        // SAFETY: a helper is called during a run.
        unsafe { self.program_bytes(address, count) }.unwrap_or_else(|| vec![0; count])
    }
}

/// Prints to standard error, and gives the text's length.
extern "C" fn trace_printk(format: u64, bytes: u64, a: u64, b: u64, c: u64, context: *mut c_void) -> u64 {
    if bytes > TEXT_BYTES_MAX {
        return EINVAL;
    }
    let maps = maps(context);
    // SAFETY: a helper is called during a run.
    let Some(format) = (unsafe { maps.program_bytes(format, bytes as usize) }) else { return EFAULT };
    let Some(end) = format.iter().position(|byte| *byte == 0) else { return EINVAL };
    let format = String::from_utf8_lossy(&format[..end]);
    let Some(text) = formatted(&format, [a, b, c], &*maps) else {
        return EINVAL;
    };
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    // What cannot be written is lost; the program cannot know.
    let _ = write!(std::io::stderr(), "trace_printk: {}{line_end}", visible_lines(&text));
    text.len() as u64
}

/// The same numbers in every run, so that runs can be compared.
extern "C" fn get_prandom_u32(_: u64, _: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    let state = &mut maps(context).random;
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 32
}

extern "C" fn get_smp_processor_id(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    0
}

extern "C" fn get_current_pid_tgid(_: u64, _: u64, _: u64, _: u64, _: u64, _: *mut c_void) -> u64 {
    let id = u64::from(std::process::id());
    id << 32 | id
}

/// As in the kernel, flags that do not exist are an answer of their own: the packet is dropped.
extern "C" fn redirect(_: u64, flags: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    match maps(context).packet.as_ref().map(|packet| packet.kind) {
        None => EINVAL,
        Some(PacketContext::XdpMd) if flags != 0 => XDP_ABORTED,
        Some(PacketContext::XdpMd) => XDP_REDIRECT,
        Some(PacketContext::SkBuff) if flags & !BPF_F_INGRESS != 0 => TC_ACT_SHOT,
        Some(PacketContext::SkBuff) => TC_ACT_REDIRECT,
    }
}

/// Maps of devices, sockets or CPUs are empty here: as in the kernel, a failed lookup returns the low bits of the flags, and all
/// devices of a map are found though they are none.
extern "C" fn redirect_map(map: u64, _: u64, flags: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    const ACTIONS: u64 = 3;
    let known = match maps(context).kind(map) {
        Some(MapKind::Other(DEVMAP | DEVMAP_HASH)) => BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS,
        _ => 0,
    };
    if flags & !(ACTIONS | known) != 0 {
        XDP_ABORTED
    } else if flags & BPF_F_BROADCAST != 0 {
        XDP_REDIRECT
    } else {
        flags & ACTIONS
    }
}

/// As in the kernel, the destination is cleared where the packet does not have the bytes.
extern "C" fn skb_load_bytes(_: u64, offset: u64, to: u64, bytes: u64, _: u64, context: *mut c_void) -> u64 {
    let maps = maps(context);
    let Some(packet) = &maps.packet else { return EINVAL };
    let (offset, bytes) = (u64::from(offset as u32) as usize, bytes as u32 as usize);
    let part = packet.bytes().get(offset..offset.saturating_add(bytes));
    // SAFETY: the VM is the running one; memory that it may write is valid.
    unsafe {
        if !crate::ffi::ebpf_may_write(maps.vm(), to, bytes) {
            return EFAULT;
        }
        match part {
            Some(part) => std::ptr::copy(part.as_ptr(), to as *mut u8, bytes),
            None if bytes > 0 => std::ptr::write_bytes(to as *mut u8, 0, bytes),
            None => {} // `to` may be 0
        }
    }
    if part.is_some() {
        0
    } else {
        EFAULT
    }
}

/// The seed, plus the sum of the words at `to`, minus the sum of the words at `from`, in one's-complement arithmetic. Words
/// have 32 bits in the host's byte order.
extern "C" fn csum_diff(
    from: u64,
    from_bytes: u64,
    to: u64,
    to_bytes: u64,
    seed: u64,
    context: *mut c_void,
) -> u64 {
    let maps = maps(context);
    let (from_bytes, to_bytes) = (from_bytes as u32, to_bytes as u32);
    if from_bytes % 4 != 0 || to_bytes % 4 != 0 || from_bytes.saturating_add(to_bytes) > 512 {
        return EINVAL;
    }
    let words = |address: u64, bytes: u32| {
        // SAFETY: a helper is called during a run.
        let bytes = unsafe { maps.program_bytes(address, bytes as usize) }?;
        let word = |four: &[u8]| u32::from_ne_bytes([four[0], four[1], four[2], four[3]]);
        Some(bytes.chunks_exact(4).map(word).collect::<Vec<u32>>())
    };
    let (Some(from), Some(to)) = (words(from, from_bytes), words(to, to_bytes)) else { return EFAULT };
    let mut sum = u64::from(seed as u32);
    sum += from.iter().map(|word| u64::from(!word)).sum::<u64>();
    sum += to.iter().map(|word| u64::from(*word)).sum::<u64>();
    while sum >> 32 != 0 {
        sum = (sum & u64::from(u32::MAX)) + (sum >> 32);
    }
    sum
}

fn adjust(context: *mut c_void, xdp: u64, head: i32, tail: i32) -> u64 {
    let maps = maps(context);
    let vm = maps.vm();
    let adjusted = maps.packet.as_mut().is_some_and(|packet| packet.adjust(vm, xdp, head, tail));
    if adjusted {
        0
    } else {
        EINVAL
    }
}

extern "C" fn xdp_adjust_head(xdp: u64, delta: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    adjust(context, xdp, delta as i32, 0)
}

extern "C" fn xdp_adjust_tail(xdp: u64, delta: u64, _: u64, _: u64, _: u64, context: *mut c_void) -> u64 {
    adjust(context, xdp, 0, delta as i32)
}
