// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Objects whose symbols and sections overlap, or are many: a short file can describe more than a machine holds, or cost time
//! by the square of its length. They are read in proportion to their length, or refused with the reason.

use ebpf::{ElfError, Object};
use object::write::{SectionId, Symbol, SymbolSection};
use object::{
    elf, Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};
use std::time::{Duration, Instant};

const EXIT: [u8; 8] = [0x95, 0, 0, 0, 0, 0, 0, 0];
/// By the square of the length, each of these objects takes minutes.
const TIME_MAX: Duration = Duration::from_secs(20);

struct Writer(object::write::Object<'static>);

impl Writer {
    fn new() -> Writer {
        let (format, machine) = (BinaryFormat::Elf, Architecture::Bpf);
        Writer(object::write::Object::new(format, machine, Endianness::Little))
    }

    fn section(&mut self, name: &str, kind: SectionKind, data: Vec<u8>) -> SectionId {
        let section = self.0.add_section(Vec::new(), name.into(), kind);
        self.0.append_section_data(section, &data, 8);
        section
    }

    fn symbol(&mut self, name: String, section: SectionId, value: u64, size: u64, scope: SymbolScope) {
        self.0.add_symbol(Symbol {
            name: name.into_bytes(),
            value,
            size,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }

    fn parse(self, change: impl FnOnce(&mut [u8])) -> Result<Object, ElfError> {
        let mut data = self.0.write().expect("an object");
        change(&mut data);
        let start = Instant::now();
        let object = Object::parse(&data);
        assert!(start.elapsed() < TIME_MAX, "{:?}", start.elapsed());
        object
    }
}

fn refused(writer: Writer, change: impl FnOnce(&mut [u8])) {
    let error = writer.parse(change).expect_err("more than an object may be");
    assert!(matches!(error, ElfError::Overlaps), "{error}");
    assert!(error.to_string().contains("more than 128 MiB: too many overlap"), "{error}");
}

#[test]
fn functions_of_the_same_code_are_counted_each() {
    let mut writer = Writer::new();
    let section = writer.section("xdp", SectionKind::Text, EXIT.repeat(20_000));
    for index in 0..1000 {
        writer.symbol(format!("f{index}"), section, 0, 8 * 20_000, SymbolScope::Linkage);
    }
    refused(writer, |_| {});
}

/// The symbols of an object, of 24 bytes each: name, info (binding and type), other, section, value, size.
fn symbols(data: &mut [u8]) -> std::slice::ChunksExactMut<'_, u8> {
    let number = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().expect("a number")) as usize;
    let headers = number(40); // e_shoff; then sh_type, sh_offset, sh_size
    let table = (headers..).step_by(64).find(|at| data[at + 4] == 2).expect("SHT_SYMTAB");
    let (start, bytes) = (number(table + 24), number(table + 32));
    data[start..start + bytes].chunks_exact_mut(24)
}

#[test]
fn symbols_of_the_same_name_are_counted_each() {
    let mut writer = Writer::new();
    let section = writer.section("xdp", SectionKind::Text, EXIT.repeat(1000));
    for index in 0..1000 {
        let name = if index == 0 { "x".repeat(1 << 20) } else { format!("f{index}") };
        writer.symbol(name, section, 8 * index, 8, SymbolScope::Linkage);
    }
    refused(writer, |data| {
        let long: [u8; 4] =
            symbols(data).nth(1).expect("after the null symbol")[..4].try_into().expect("st_name");
        symbols(data).for_each(|symbol| symbol[..4].copy_from_slice(&long));
    });
}

/// Elf64_Shdr: name, type, flags (8 bytes), address, offset, size.
#[test]
fn sections_of_the_same_bytes_are_counted_each() {
    let mut writer = Writer::new();
    let section = writer.section("xdp", SectionKind::Text, EXIT.to_vec());
    writer.symbol("f".into(), section, 0, 8, SymbolScope::Linkage);
    for index in 0..1000 {
        writer.section(&format!(".data.{index}"), SectionKind::Data, vec![1; 8]);
    }
    refused(writer, |data| {
        let size = data.len() as u64;
        let table = u64::from_le_bytes(data[40..48].try_into().expect("e_shoff")) as usize;
        for header in data[table..].chunks_exact_mut(64) {
            let flags = u64::from_le_bytes(header[8..16].try_into().expect("sh_flags"));
            if flags & u64::from(elf::SHF_WRITE) != 0 {
                header[24..32].fill(0);
                header[32..40].copy_from_slice(&size.to_le_bytes());
            }
        }
    });
}

/// With types and sizes, and without, as clang before version 8 wrote them.
#[test]
fn many_functions_are_read_in_proportion() {
    for typed in [true, false] {
        let mut writer = Writer::new();
        let section = writer.section("xdp", SectionKind::Text, EXIT.repeat(100_000));
        for index in 0..100_000 {
            let size = if typed { 8 } else { 0 };
            writer.symbol(format!("f{index}"), section, 8 * index, size, SymbolScope::Linkage);
        }
        let without_types = |data: &mut [u8]| symbols(data).for_each(|symbol| symbol[4] &= 0xf0);
        let object = writer
            .parse(|data| {
                if !typed {
                    without_types(data)
                }
            })
            .expect("an object");
        assert_eq!(object.programs.len(), 100_000);
        assert!(object.programs.iter().all(|program| program.bytecode == EXIT));
    }
}

/// One program that calls a hundred thousand functions, the last one first.
#[test]
fn many_callees_are_linked_in_proportion() {
    const CALLEES: u64 = 100_000;
    let mut code = Vec::new();
    for index in 0..CALLEES {
        let distance = (CALLEES - index + CALLEES - 1 - index) as i32;
        code.extend([0x85, 0x10, 0, 0].into_iter().chain(distance.to_le_bytes()));
    }
    code.extend(EXIT.repeat(CALLEES as usize + 1));
    let mut writer = Writer::new();
    let section = writer.section("xdp", SectionKind::Text, code);
    writer.symbol("entry".into(), section, 0, 8 * (CALLEES + 1), SymbolScope::Linkage);
    for index in 0..CALLEES {
        writer.symbol(format!("f{index}"), section, 8 * (CALLEES + 1 + index), 8, SymbolScope::Compilation);
    }
    let object = writer.parse(|_| {}).expect("an object");
    assert_eq!(object.programs[0].bytecode.len() as u64, 8 * (2 * CALLEES + 1));
}

/// Names go to terminals.
#[test]
fn names_hold_no_control_characters() {
    let mut writer = Writer::new();
    let section = writer.section("xdp\u{1b}[2J", SectionKind::Text, EXIT.to_vec());
    writer.symbol("\u{1b}[31mred\n".into(), section, 0, 8, SymbolScope::Linkage);
    let object = writer.parse(|_| {}).expect("an object");
    let program = &object.programs[0];
    assert_eq!(
        (program.name.as_str(), program.section.as_str()),
        ("\u{fffd}[31mred\u{fffd}", "xdp\u{fffd}[2J")
    );
    let mut writer = Writer::new();
    let section = writer.section("xdp\u{1b}[2J", SectionKind::Text, EXIT.to_vec());
    writer.symbol("\u{1b}[31mred\n".into(), section, 4, 8, SymbolScope::Linkage);
    let message = writer.parse(|_| {}).expect_err("no whole instructions").to_string();
    assert!(
        message.contains("function \u{fffd}[31mred\u{fffd}: bytes 4 to 12 of section xdp\u{fffd}"),
        "{message}"
    );
}
