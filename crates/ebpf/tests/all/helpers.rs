// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What the helpers of objects' programs give, which is what the kernel's give.

use crate::support::object;
use ebpf::{Engine, Limits, Loaded, Object, PacketContext};

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
