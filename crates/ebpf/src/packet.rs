// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! A packet as XDP and traffic-control programs see it: `struct xdp_md` or `struct __sk_buff`, whose fields `data` and
//! `data_end` are 32 bits wide. The kernel rewrites loads of these fields into loads of pointers; here the packet lies below
//! 4 GiB, so that the fields can hold its addresses. Layouts: the kernel's include/uapi/linux/bpf.h.

use crate::vm::{Error, Status, Vm};

/// Bytes before a packet, as in the kernel (XDP_PACKET_HEADROOM), and bytes behind it for `bpf_xdp_adjust_tail`.
const HEADROOM_BYTES: usize = 256;
const TAILROOM_BYTES: usize = 320;
/// Of the bytes before a packet, the first, into which `bpf_xdp_adjust_head` cannot grow it: there the kernel puts a
/// `struct xdp_frame`. Its size on 64-bit machines, Linux 6.1.
const FRAME_BYTES: usize = 40;
/// The longest packet: what a pcap file's default snapshot length allows.
pub const PACKET_BYTES_MAX: usize = 262_144;
/// Addresses that are tried for the packet: above those that programs are linked to, below 4 GiB.
const LOW_ADDRESSES: std::ops::Range<usize> = 0x1000_0000..0xf000_0000;
/// `bpf_xdp_adjust_tail` and `_head` leave at least an Ethernet header.
const ETHERNET_HEADER_BYTES: usize = 14;

/// The structure that a program gets as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketContext {
    /// XDP: `struct xdp_md`.
    XdpMd,
    /// Traffic control: `struct __sk_buff`.
    SkBuff,
}

impl PacketContext {
    /// The context of XDP and traffic-control programs, by libbpf's names of sections. Programs of other sections that get a
    /// `struct __sk_buff` are none of these: their results mean other things, and `data` may begin at another header.
    pub fn of_section(section: &str) -> Option<PacketContext> {
        let kind = section.split(['/', '.']).next().unwrap_or_default();
        match kind {
            "xdp" => Some(PacketContext::XdpMd),
            "tc" | "tcx" | "classifier" | "action" => Some(PacketContext::SkBuff),
            _ => None,
        }
    }

    /// The kernel's name of the structure.
    pub fn name(self) -> &'static str {
        match self {
            PacketContext::XdpMd => "xdp_md",
            PacketContext::SkBuff => "__sk_buff",
        }
    }

    /// Bytes of the structure, and where `data` and `data_end` are in it.
    fn layout(self) -> (usize, usize, usize) {
        match self {
            PacketContext::XdpMd => (24, 0, 4),
            PacketContext::SkBuff => (192, 76, 80),
        }
    }

    /// The name of the verdict that an XDP or traffic-control program returned.
    pub fn verdict(self, r0: u64) -> Option<&'static str> {
        let names: &[&str] = match self {
            PacketContext::XdpMd => &["XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"],
            PacketContext::SkBuff => &[
                "TC_ACT_OK",
                "TC_ACT_RECLASSIFY",
                "TC_ACT_SHOT",
                "TC_ACT_PIPE",
                "TC_ACT_STOLEN",
                "TC_ACT_QUEUED",
                "TC_ACT_REPEAT",
                "TC_ACT_REDIRECT",
                "TC_ACT_TRAP",
            ],
        };
        match (self, r0 as u32) {
            (PacketContext::SkBuff, u32::MAX) => Some("TC_ACT_UNSPEC"),
            (_, code) => names.get(code as usize).copied(),
        }
    }
}

/// The packet that a program runs on, in a mapping of its own.
pub(crate) struct Packet {
    pub(crate) kind: PacketContext,
    memory: *mut u8,
    memory_bytes: usize,
    start: usize,
    end: usize,
    /// Where the context is, while a program runs on the packet; no address says that none does, a program can pass any.
    context: Option<u64>,
}

impl Packet {
    /// Maps memory below 4 GiB.
    pub(crate) fn new(kind: PacketContext) -> Result<Packet, Error> {
        let memory_bytes = (HEADROOM_BYTES + PACKET_BYTES_MAX + TAILROOM_BYTES).next_multiple_of(65536);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        for place in LOW_ADDRESSES.step_by(0x100_0000) {
            // SAFETY: a new mapping that replaces none.
            let memory = unsafe {
                libc::mmap(place as *mut _, memory_bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
            };
            if memory as usize == place {
                return Ok(Packet {
                    kind,
                    memory: memory.cast(),
                    memory_bytes,
                    start: 0,
                    end: 0,
                    context: None,
                });
            }
            if memory != libc::MAP_FAILED {
                // SAFETY: it was just mapped, at another place, by a kernel that does not know MAP_FIXED_NOREPLACE.
                unsafe { libc::munmap(memory, memory_bytes) };
            }
        }
        let message = "there is no memory below 4 GiB for the packet, whose address has 32 bits".to_owned();
        Err(Error { status: Status::Memory, instruction: None, message })
    }

    /// Copies a packet into the mapping; gives the context for it.
    fn place(&mut self, bytes: &[u8]) -> Vec<u8> {
        // SAFETY: the whole mapping; a packet and the room around it fit.
        let memory = unsafe { std::slice::from_raw_parts_mut(self.memory, self.memory_bytes) };
        memory.fill(0);
        memory[HEADROOM_BYTES..HEADROOM_BYTES + bytes.len()].copy_from_slice(bytes);
        (self.start, self.end) = (HEADROOM_BYTES, HEADROOM_BYTES + bytes.len());
        let mut context = vec![0; self.kind.layout().0];
        if self.kind == PacketContext::SkBuff {
            // len; protocol, in network order as in the packet; ifindex
            context[0..4].copy_from_slice(&(bytes.len() as u32).to_ne_bytes());
            if let Some(protocol) = bytes.get(12..14) {
                context[16..18].copy_from_slice(protocol);
                if cfg!(target_endian = "big") {
                    context[16..20].rotate_right(2);
                }
            }
            context[40..44].copy_from_slice(&1u32.to_ne_bytes());
        } else {
            context[12..16].copy_from_slice(&1u32.to_ne_bytes()); // ingress_ifindex
        }
        for (at, value) in self.pointers() {
            context[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        context
    }

    /// Offset and value of each field of the context that points into the packet. Without metadata, `data_meta` is `data`.
    fn pointers(&self) -> Vec<(usize, u32)> {
        let (_, data, data_end) = self.kind.layout();
        let at = |offset: usize| (self.memory as usize + offset) as u32;
        let meta = match self.kind {
            PacketContext::XdpMd => 8,
            PacketContext::SkBuff => 140,
        };
        vec![(data, at(self.start)), (data_end, at(self.end)), (meta, at(self.start))]
    }

    /// The packet's bytes as they are now.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: inside of the mapping.
        unsafe { std::slice::from_raw_parts(self.memory.add(self.start), self.end - self.start) }
    }

    /// Registers the packet as a region and gives the context to run with; [`Packet::leave`] unregisters it.
    pub(crate) fn enter(&mut self, vm: &mut Vm, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        if bytes.len() > PACKET_BYTES_MAX {
            let message = format!("a packet of {} bytes; at most {PACKET_BYTES_MAX} are taken", bytes.len());
            return Err(Error { status: Status::Argument, instruction: None, message });
        }
        let context = self.place(bytes);
        if !bytes.is_empty() {
            // SAFETY: the mapping lives as long as the packet.
            unsafe { vm.register_region(self.memory.add(self.start), bytes.len())? };
        }
        self.context = Some(context.as_ptr() as u64); // not before the last error, which frees the context
        Ok(context)
    }

    /// Unregisters the packet with its current start and length.
    pub(crate) fn leave(&mut self, vm: &mut Vm) -> Result<(), Error> {
        self.context = None;
        match self.end - self.start {
            0 => Ok(()),
            // SAFETY: inside of the mapping.
            bytes => vm.unregister_region(unsafe { self.memory.add(self.start) }, bytes),
        }
    }

    /// Moves the start or the end of the packet, for a helper, and updates the context and the registered region. Bytes that
    /// come at the end are 0, as in the kernel. False if there is no room, the packet would be too short, or `context` is not
    /// the run's.
    pub(crate) fn adjust(&mut self, vm: *mut crate::ffi::EbpfVm, context: u64, head: i32, tail: i32) -> bool {
        let (start, end) = (self.start as i64 + i64::from(head), self.end as i64 + i64::from(tail));
        let room = self.memory_bytes.min(HEADROOM_BYTES + PACKET_BYTES_MAX + TAILROOM_BYTES) as i64;
        if Some(context) != self.context
            || start < FRAME_BYTES as i64
            || end > room
            || end - start < ETHERNET_HEADER_BYTES as i64
        {
            return false;
        }
        // SAFETY: both lie in the mapping; the VM is the running one, which lets a helper change regions.
        unsafe {
            let (old, new) = (self.memory.add(self.start), self.memory.add(start as usize));
            if crate::ffi::ebpf_register_region(vm, new.cast(), (end - start) as usize) != 0 {
                return false;
            }
            crate::ffi::ebpf_unregister_region(vm, old.cast(), self.end - self.start);
        }
        let grown = (end as usize).saturating_sub(self.end);
        // SAFETY: up to the new end, which lies in the mapping; the program has not seen these bytes, or has given them up.
        unsafe { self.memory.add(self.end).write_bytes(0, grown) };
        (self.start, self.end) = (start as usize, end as usize);
        for (at, value) in self.pointers() {
            // SAFETY: the context is the run's, which was made with this layout.
            unsafe { (context as *mut u8).add(at).cast::<u32>().write_unaligned(value) };
        }
        true
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.memory.cast(), self.memory_bytes) };
    }
}

/// The packets of a pcap file (not pcapng) with Ethernet frames, of either byte order.
pub fn read_pcap(file: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let word = |at: usize, big: bool| -> Option<u32> {
        let bytes = file.get(at..at + 4)?.try_into().ok()?;
        Some(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    // Timestamps in microseconds or in nanoseconds.
    let is_magic = |magic: Option<u32>| matches!(magic, Some(0xa1b2_c3d4 | 0xa1b2_3c4d));
    let big = match (is_magic(word(0, false)), is_magic(word(0, true))) {
        (true, _) => false,
        (_, true) => true,
        _ if word(0, false) == Some(0x0a0d_0d0a) => {
            return Err("is pcapng; editcap -F pcap IN OUT makes a pcap file of it".into())
        }
        _ => return Err("is no pcap file".into()),
    };
    match word(20, big).map(|kind| kind & 0xffff) {
        Some(1) => {}
        Some(other) => return Err(format!("has link type {other}; only Ethernet (1) is read")),
        None => return Err("ends in its header".into()),
    }
    let mut packets = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let cut = || format!("ends in packet {}", packets.len() + 1);
        let bytes = word(at + 8, big).ok_or_else(cut)? as usize;
        if bytes > PACKET_BYTES_MAX {
            return Err(format!("says that packet {} has {bytes} bytes", packets.len() + 1));
        }
        let packet = file.get(at + 16..at + 16 + bytes).ok_or_else(cut)?;
        packets.push(packet.to_vec());
        at += 16 + bytes;
    }
    if packets.is_empty() {
        return Err("holds no packet".into());
    }
    Ok(packets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pcap(big: bool, packets: &[&[u8]]) -> Vec<u8> {
        let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut file = Vec::new();
        for value in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 1] {
            file.extend(word(value));
        }
        for packet in packets {
            for value in [0, 0, packet.len() as u32, packet.len() as u32] {
                file.extend(word(value));
            }
            file.extend(*packet);
        }
        file
    }

    #[test]
    fn packets_of_both_byte_orders_are_read() {
        for big in [false, true] {
            let packets: Vec<Vec<u8>> = vec![vec![1, 2, 3], vec![4; 60]];
            assert_eq!(read_pcap(&pcap(big, &[&packets[0], &packets[1]])), Ok(packets));
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = pcap(false, &[&[7; 60]]);
        for bytes in 0..whole.len() {
            assert!(read_pcap(&whole[..bytes]).is_err(), "{bytes}");
        }
        let mut token_ring = whole.clone();
        token_ring[20] = 6;
        assert!(read_pcap(&token_ring).is_err_and(|why| why.contains("link type 6")));
        assert!(read_pcap(&0x0a0d_0d0a_u32.to_le_bytes()).is_err_and(|why| why.contains("editcap")));
    }

    #[test]
    fn sections_say_what_the_context_is() {
        assert_eq!(PacketContext::of_section("xdp"), Some(PacketContext::XdpMd));
        assert_eq!(PacketContext::of_section("xdp.frags/devmap"), Some(PacketContext::XdpMd));
        for section in ["tc", "tc/ingress", "tcx/egress", "classifier", "action"] {
            assert_eq!(PacketContext::of_section(section), Some(PacketContext::SkBuff), "{section}");
        }
        for section in
            ["kprobe/tcp_connect", "cgroup_skb/ingress", "sk_skb/stream_verdict", "socket", "lwt_in"]
        {
            assert_eq!(PacketContext::of_section(section), None, "{section}");
        }
    }

    #[test]
    fn verdicts_have_the_kernels_names() {
        assert_eq!(PacketContext::XdpMd.verdict(4), Some("XDP_REDIRECT"));
        assert_eq!(PacketContext::SkBuff.verdict(8), Some("TC_ACT_TRAP"));
        assert_eq!(PacketContext::SkBuff.verdict(u64::from(u32::MAX)), Some("TC_ACT_UNSPEC"));
        for (kind, code) in [(PacketContext::XdpMd, 5), (PacketContext::SkBuff, 9)] {
            assert_eq!(kind.verdict(code), None);
        }
    }
}
