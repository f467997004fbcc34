// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prepares the packet programs of `libs/ebpf/packets` for `kernel/workloads/packets.c` in a booted kernel: the
//! bytecode that `./assay ebpf compare` uses, a packet, and the result of running the interpreter here.

use arch::Arch;
use ebpf::{ByteOrder, Engine, Options, Vm};
use lab::cache::Workspace;
use lab::{Problem, Result};

/// The workload that runs them.
pub const WORKLOAD: &str = "packets";

const PROGRAMS: [&str; 4] = ["flow_hash", "forward", "parse_tcp", "rewrite_ports"];

/// The packet of libs/ebpf/packets/packet_test.h: 203.0.113.7 port 40001 to 172.16.5.9 port 80. No program leaves early
/// on it.
#[rustfmt::skip]
const PACKET: [u8; 64] = [
    0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00,
    0x45, 0, 0, 50, 0x12, 0x34, 0x40, 0, 64, 6, 0xb5, 0x11, 203, 0, 113, 7, 172, 16, 5, 9,
    0x9c, 0x41, 0, 80, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 1, 0x50, 0x18, 0xfa, 0xf0, 0x77, 0x88, 0, 0,
    b'G', b'E', b'T', b' ', b'/', b' ', b'H', b'T', b'T', b'P',
];

/// The workload's arguments: a hundred rounds of each program.
pub fn arguments() -> Vec<String> {
    ["100"].into_iter().chain(PROGRAMS).map(str::to_owned).collect()
}

/// The files that the workload reads, one for each program.
pub fn files(workspace: &Workspace, arch: Arch) -> Result<Vec<(String, Vec<u8>)>> {
    let file = |name: &&str| Ok((format!("assay/packets/{name}"), file(workspace, arch, name)?));
    PROGRAMS.iter().map(file).collect()
}

/// The packet before and after, the return value, and the program, all in the booted kernel's byte order.
fn file(workspace: &Workspace, arch: Arch, name: &str) -> Result<Vec<u8>> {
    let source = workspace.root.join(format!("libs/ebpf/packets/{name}.c"));
    let bytecode = |order| {
        jit_compare::bytecode(&source, order)
            .map_err(|error| Problem::new(error.to_string()).remedy("run ./setup"))
    };
    let (after, result) = interpreted(&bytecode(ByteOrder::native())?)
        .map_err(|error| Problem::new(error).at(source.display()))?;
    let (order, result) = match arch.big_endian() {
        true => (ByteOrder::Big, result.to_be_bytes()),
        false => (ByteOrder::Little, result.to_le_bytes()),
    };
    Ok([&PACKET[..], &after, &result, &bytecode(order)?].concat())
}

/// The packet as a program leaves it, and the program's return value.
fn interpreted(bytecode: &[u8]) -> std::result::Result<([u8; 64], u64), String> {
    let options = Options { bounds: true, ..Options::default() };
    let mut vm = Vm::new(options).ok_or("no memory for a VM")?;
    let mut packet = PACKET;
    vm.load(bytecode, ByteOrder::native()).map_err(|error| error.to_string())?;
    let result = vm.run(Engine::Interpreter, &mut packet).map_err(|error| error.to_string())?;
    match result {
        0 => Err("does not take the packet".to_owned()),
        result => Ok((packet, result)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refuses_the_packet_is_no_case() {
        let nothing = ebpf::assemble("r0 = 0\nexit", ByteOrder::native()).unwrap();
        assert!(interpreted(&nothing).unwrap_err().contains("does not take"));
        let marks = ebpf::assemble("*(u8 *)(r1 + 63) = 7\nr0 = r2\nexit", ByteOrder::native()).unwrap();
        let (after, result) = interpreted(&marks).unwrap();
        assert_eq!((after[63], after[62], result), (7, b'T', 64));
    }
}
