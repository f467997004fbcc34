// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compares sums with RFC 1071's definition, for all lengths up to some hundred bytes at every alignment, and for lengths
//! at which the dispatcher calls each of its forms.

use checksum::Sum;

/// The definition: words in network order, carries added back, complemented.
fn defined(bytes: &[u8]) -> [u8; 2] {
    let mut sum = 0u64;
    for pair in bytes.chunks(2) {
        sum += u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    }
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

fn bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 56) as u8
        })
        .collect()
}

#[test]
fn sums_are_as_defined() {
    let memory = bytes(70_000);
    for length in (0..300).chain([1472, 1500, 4096, 9000, 65_535]) {
        for start in 0..if length < 300 { 64 } else { 8 } {
            let part = &memory[start..start + length];
            assert_eq!(
                Sum::default().add(part).fold().to_ne_bytes(),
                defined(part),
                "{length} bytes from {start}"
            );
            let even = length / 2 & !1;
            let pieces = Sum::default().add(&part[..even]).add(&part[even..]);
            assert_eq!(
                pieces.fold().to_ne_bytes(),
                defined(part),
                "{length} bytes from {start}, in two pieces"
            );
        }
    }
}

#[test]
fn copies_are_copies_and_summed() {
    let memory = bytes(10_000);
    for length in (0..200).chain([1472, 4096, 9000]) {
        let mut copy = vec![0; length];
        let sum = Sum::default().add(&memory[9000..9010]).add_copied(&memory[3..3 + length], &mut copy);
        assert_eq!(copy, memory[3..3 + length]);
        let whole = [&memory[9000..9010], &memory[3..3 + length]].concat();
        assert_eq!(sum.fold().to_ne_bytes(), defined(&whole), "{length} bytes");
    }
}

#[test]
fn a_changed_word_changes_the_checksum_as_a_new_sum_does() {
    let mut header = bytes(40);
    for at in (0..40).step_by(4) {
        let before = Sum::default().add(&header).fold();
        let old: [u8; 4] = header[at..at + 4].try_into().expect("four bytes");
        header[at + 1] ^= 0x5a;
        header[at + 2] ^= 0xff;
        let new: [u8; 4] = header[at..at + 4].try_into().expect("four bytes");
        let after = Sum::default().add(&header).fold();
        assert_eq!(checksum::replace32(before, u32::from_ne_bytes(old), u32::from_ne_bytes(new)), after);
        let word = |bytes: &[u8; 4], at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let half = checksum::replace16(before, word(&old, 0), word(&new, 0));
        assert_eq!(checksum::replace16(half, word(&old, 2), word(&new, 2)), after);
    }
}

#[test]
fn the_pseudo_header_is_part_of_the_sum() {
    let memory = bytes(200);
    let (source, destination) = (memory[1..17].try_into().unwrap(), memory[20..36].try_into().unwrap());
    let payload = &memory[50..163];
    let mut whole = [&memory[1..17], &memory[20..36]].concat();
    whole.extend((payload.len() as u32).to_be_bytes());
    whole.extend([0, 0, 0, 17]);
    whole.extend(payload);
    let sum = Sum::default().add(payload).fold_ipv6(source, destination, payload.len() as u32, 17);
    assert_eq!(sum.to_ne_bytes(), defined(&whole));
}

#[test]
#[should_panic(expected = "of one length")]
fn a_copy_of_another_length_is_refused() {
    let _ = Sum::default().add_copied(&[0; 4], &mut [0; 3]);
}
