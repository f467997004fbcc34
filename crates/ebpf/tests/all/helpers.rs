// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the helpers of objects' programs give, which is what the kernel's give.

use crate::support::object;
use ebpf::{Engine, Limits, Loaded, MapKind, Object, PacketContext, Status};

const EINVAL: u64 = -22_i64 as u64;

/// r0, and the packet of 64 ones as the program leaves it.
fn on_packet(object: &Object, kind: PacketContext) -> (u64, Vec<u8>) {
    let mut loaded = Loaded::new(object, &object.programs[0], Limits::default()).expect("it loads");
    loaded.run_on_packet(Engine::Interpreter, kind, &[1; 64]).expect("it runs")
}

/// The same of a program's text.
fn xdp(text: &str) -> (u64, Vec<u8>) {
    on_packet(&object(text), PacketContext::XdpMd)
}

/// Also by what was cut off before: the kernel clears memory that a packet grows into.
#[test]
fn a_packet_grows_by_zeros_at_its_end() {
    let (r0, packet) = xdp("r6 = r1\nr2 = -40\ncall 65\nr1 = r6\nr2 = 50\ncall 65\nexit");
    assert_eq!((r0, packet), (0, [[1; 24].as_slice(), &[0; 50]].concat()));
}

/// Into the headroom of 256 bytes, but for the 40 of the kernel's own.
#[test]
fn a_packet_grows_by_216_bytes_at_its_start() {
    for (bytes, expected) in [(216, (0, 64 + 216)), (217, (EINVAL, 64))] {
        let (r0, packet) = xdp(&format!("r2 = -{bytes}\ncall 44\nexit"));
        assert_eq!((r0, packet.len()), expected, "{bytes} bytes");
    }
}

/// XDP_ABORTED is 0 and XDP_REDIRECT 4; TC_ACT_SHOT is 2 and TC_ACT_REDIRECT 7.
#[test]
fn a_redirect_with_unknown_flags_drops_the_packet() {
    for (kind, flags, verdict) in [
        (PacketContext::XdpMd, 0, 4),
        (PacketContext::XdpMd, 1, 0),
        (PacketContext::SkBuff, 0, 7),
        (PacketContext::SkBuff, 1, 7), // BPF_F_INGRESS
        (PacketContext::SkBuff, 2, 2),
    ] {
        let object = object(&format!("r1 = 1\nr2 = {flags}\ncall 23\nexit"));
        assert_eq!(on_packet(&object, kind).0, verdict, "{kind:?}, flags {flags}");
    }
}

/// Maps of devices, 14 and 25, know BPF_F_BROADCAST, 8, and BPF_F_EXCLUDE_INGRESS, 16; those of CPUs, 16, and sockets, 17, no
/// flags but the verdict for a key that is not there.
#[test]
fn a_redirect_through_a_map_knows_the_flags_of_its_kind() {
    for (map, flags, verdict) in [
        (14, 2, 2),
        (14, 8, 4),
        (25, 8 | 16 | 1, 4),
        (14, 16 | 3, 3),
        (14, 32 | 2, 0),
        (16, 3, 3),
        (16, 8, 0),
        (17, 16 | 2, 0),
    ] {
        let mut object = object(&format!("r1 = map_by_idx(0)+0 ll\nr2 = 0\nr3 = {flags}\ncall 51\nexit"));
        object.maps[0].kind = MapKind::Other(map);
        assert_eq!(on_packet(&object, PacketContext::XdpMd).0, verdict, "map type {map}, flags {flags}");
    }
}

/// ENOENT, 2, of a hash that does not have the key; E2BIG, 7, of an array that is shorter, with any flags; EEXIST, 17, of what
/// is there; EINVAL, 22, of unknown flags. A map of a type that is not known, such as a trie, 11, takes nothing.
#[test]
fn an_update_fails_as_in_the_kernel() {
    for (kind, key, flags, error) in [
        (MapKind::Hash, 9, 2, 2),
        (MapKind::Hash, 9, 3, 22),
        (MapKind::Array, 0, 1, 17),
        (MapKind::Array, 0, 2, 0),
        (MapKind::Array, 9, 0, 7),
        (MapKind::Array, 9, 1, 7),
        (MapKind::Array, 9, 2, 7),
        (MapKind::Array, 9, 3, 22),
        (MapKind::Other(11), 0, 0, 7),
    ] {
        let key = format!("*(u32 *)(r10 - 4) = {key}\nr2 = r10\nr2 += -4");
        let value = "*(u64 *)(r10 - 24) = 0\n*(u64 *)(r10 - 16) = 0\nr3 = r10\nr3 += -24".to_owned();
        let update = format!("r1 = map_by_idx(0)+0 ll\nr4 = {flags}\ncall 2\nr0 = -r0\nexit");
        let mut object = object(&[key, value, update].join("\n"));
        object.maps[0].kind = kind;
        assert_eq!(on_packet(&object, PacketContext::XdpMd).0, error, "{kind:?}, flags {flags}");
    }
}

/// trace_printk gives the length of the text; of a format without an end, or that the kernel does not know, -EINVAL.
#[test]
fn printing_gives_the_length_of_the_text() {
    for (format, bytes, result) in [
        (b"0%04x%s\0", 8, 5 + 5),
        (b"0%04x%s\0", 7, EINVAL),
        (b"0%04y%s\0", 8, EINVAL),
        (b"0%4x%sx\0", 8, EINVAL),
        (b"\xff%04x%s\0", 8, EINVAL),
    ] {
        let format = u64::from_ne_bytes(*format) as i64;
        let text = u64::from_ne_bytes(*b"fives\0\0\0") as i64;
        let stored = format!(
            "r1 = {format} ll\n*(u64 *)(r10 - 16) = r1\nr1 = {text} ll\n*(u64 *)(r10 - 8) = r1\nr4 = r10\nr4 += -8"
        );
        let call = format!("r1 = r10\nr1 += -16\nr2 = {bytes}\nr3 = 10\ncall 6\nexit");
        assert_eq!(xdp(&format!("{stored}\n{call}")).0, result, "{format:#x}, {bytes} bytes");
    }
}

/// A program that finds no time in a map, 0, and waits for some seconds to pass has waited long enough.
#[test]
fn time_counts_from_the_system_s_start() {
    for (helper, clock) in [(5, libc::CLOCK_MONOTONIC), (125, libc::CLOCK_BOOTTIME)] {
        let now = || {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: a valid place.
            assert_eq!(unsafe { libc::clock_gettime(clock, &mut time) }, 0);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        };
        let before = now();
        let (r0, _) = xdp(&format!("call {helper}\nexit"));
        assert!((before..=now()).contains(&r0), "helper {helper}: {r0}, after {before}");
    }
}

/// Stores and bpf_map_update_elem, whose -EPERM is 1; a section whose name only begins alike holds variables.
#[test]
fn constants_are_not_written() {
    let value =
        "*(u64 *)(r10 - 16) = 0\n*(u64 *)(r10 - 8) = 0\nr2 = r10\nr2 += -8\nr3 = r10\nr3 += -16\nr4 = 0";
    let store = "r1 = map_val_by_idx(0)+0 ll\nr0 = *(u64 *)(r1 + 0)\n*(u64 *)(r1 + 0) = 0\nexit".to_owned();
    let update = format!("r1 = map_by_idx(0)+0 ll\n{value}\ncall 2\nr0 = -r0\nexit");
    for (name, stored, updated) in [
        (".rodata", Err(Status::Bounds), 1),
        (".rodata.str1.1", Err(Status::Bounds), 1),
        (".rodatum", Ok(7), 0),
        (".data", Ok(7), 0),
    ] {
        let run = |text: &str| {
            let mut object = object(text);
            object.maps[0].name = name.into();
            object.map_contents[0] = 7u64.to_ne_bytes().to_vec();
            let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
            loaded.run(Engine::Interpreter, &mut []).map_err(|error| error.status)
        };
        assert_eq!((run(&store), run(&update)), (stored, Ok(updated)), "{name}");
    }
}
