// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The region of interest: entered at its symbol, left at the matching return; and the special cases.

use std::collections::BTreeSet;

use crate::support::recording::{self, Program, Whole};
use arch::Arch;
use trace::{count, EntryCounts, Leave, Reader, Region};

fn record(arch: Arch, scenario: &str) -> (Program, Whole) {
    let program = Program::build("regions.c", arch, &[&format!("-D{scenario}")]);
    let whole = program.trace("region", "", &[program.region("region")], &[]);
    (program, whole)
}

const ARCHES: [Arch; 7] = Arch::ALL;

#[test]
fn each_call_is_one_entry_with_its_callees() {
    for arch in ARCHES {
        let (program, whole) = record(arch, "CALLS");
        assert_eq!(whole.entries.len(), 1003, "{arch}");
        assert!(whole.entries.iter().all(|e| e.0 == Leave::Return), "{arch}");
        let lengths: Vec<_> = whole.entries.iter().map(|e| e.1).collect();
        assert!(lengths[0] < lengths[1] && lengths[1] < lengths[2], "{arch}: {:?}", &lengths[..4]);
        assert!(lengths[3..].iter().all(|&l| l == lengths[3]), "{arch}");
        assert_eq!(whole.instructions[0].address, program.local_entry("region"), "{arch}");
        let last = &whole.instructions[lengths[0] - 1];
        assert!(last.address >= program.symbol("region"), "{arch}: the return is the last");
    }
}

#[test]
fn calls_in_a_loop_are_one_repetition() {
    let program = Program::build("regions.c", Arch::Powerpc64le, &["-DCALLS"]);
    let (_, path) = program.record("folded", "", &[program.region("region")], &[]);
    let entries = count(&mut Reader::open(&path).unwrap()).unwrap();
    assert_eq!(entries.iter().map(|e| e.entries).collect::<Vec<_>>(), [1, 1, 1, 1000]);
    let mut reader = Reader::open(&path).unwrap();
    let mut longest = 0;
    loop {
        for r in reader.repetitions().unwrap() {
            longest = longest.max(r.region_events_per_iteration * r.remaining);
        }
        if reader.next().unwrap().is_none() {
            break;
        }
    }
    assert!(longest > 1900, "1000 calls are a repetition of {longest} events");
}

#[test]
fn the_local_entry_point_is_an_entry() {
    let program = Program::build("regions.c", Arch::Powerpc64le, &["-DCALLS"]);
    let (global, local) = (program.symbol("region"), program.local_entry("region"));
    assert_ne!(global, local);
    let whole = program.trace("both", "", &[program.region("region")], &[]);
    let entered = |at: u64| whole.accesses_at(at).len();
    // One call goes through a pointer, and so to the global entry point, from which control runs into the local one.
    assert_eq!((entered(global), entered(local), whole.entries.len()), (1, 1003, 1003));
    let only_global = program.trace("global", "", &[format!("roi=region:{global:#x}")], &[]);
    assert_eq!(only_global.entries.len(), 1);
}

#[test]
fn a_return_address_that_cannot_be_read_ends_the_recording() {
    let program = Program::build("regions.c", Arch::X86_64, &["-DSTACKLESS"]);
    let (output, path) = program.record("stackless", "", &[program.region("region")], &[]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("its return address at 0x10 cannot be read"), "{told}");
    assert!(output.status.code() == Some(125) && !path.exists(), "{output:?}");
}

/// `FILE+0xADDRESS` stands for a function without a name.
#[test]
fn a_region_may_be_named_as_an_address_is_written() {
    let program = Program::build("regions.c", Arch::Powerpc64le, &["-DCALLS"]);
    let (name, at, local) = ("a:0x1.b+0x2", program.symbol("region"), program.local_entry("region"));
    let (output, path) = program.record("named", "", &[format!("roi={name}:{at:#x}:{local:#x}")], &[]);
    assert!(output.status.success(), "{output:?}");
    let regions = Reader::open(&path).unwrap().header().regions();
    assert_eq!(regions, [Region { name: name.to_owned(), address: at }]);
    assert_eq!(Whole::read(&path).entries.len(), 1003);
}

#[test]
fn a_region_inside_of_another_is_told_apart() {
    for arch in ARCHES {
        let program = Program::build("regions.c", arch, &["-DNESTED"]);
        let of = |label: &str, regions: &[&str]| {
            let arguments: Vec<String> = regions.iter().map(|name| program.region(name)).collect();
            let (output, path) = program.record(label, "", &arguments, &[]);
            assert!(output.status.success(), "{arch}: {output:?}");
            count(&mut Reader::open(&path).unwrap()).unwrap()
        };
        let (outer, inner) = (of("outer", &["region"]), of("inner", &["inner"]));
        let both = of("both", &["region", "inner"]);
        let sum = |entries: &[EntryCounts], region: u8, nested: bool| {
            let chosen = entries.iter().filter(|one| one.region == region && one.nested == nested);
            chosen.fold((0, 0), |(calls, instructions), one| {
                assert_eq!(one.how, Leave::Return, "{arch}");
                (calls + one.entries, instructions + one.entries * one.counts.instructions)
            })
        };
        assert_eq!(sum(&both, 0, false), sum(&outer, 0, false), "{arch}");
        assert_eq!(sum(&both, 0, true), (0, 0), "{arch}");
        let (inside, alone) = (sum(&both, 1, true), sum(&both, 1, false));
        assert_eq!((inside.0, alone.0), (5 * 41, 1), "{arch}");
        assert_eq!((inside.0 + alone.0, inside.1 + alone.1), sum(&inner, 0, false), "{arch}");
    }
}

#[test]
fn recursion_belongs_to_the_region() {
    for arch in ARCHES {
        let (_, whole) = record(arch, "RECURSION");
        assert_eq!(whole.entries.len(), 2, "{arch}: {:?}", whole.entries);
        assert!(whole.entries.iter().all(|e| e.0 == Leave::Return && e.1 == whole.entries[0].1), "{arch}");
        assert_eq!(whole.end.total("recursive_entries"), 12, "{arch}");
    }
}

#[test]
fn a_tail_call_belongs_to_the_region() {
    for arch in ARCHES.into_iter().filter(|&arch| arch != Arch::Powerpc) {
        // LLVM makes no tail calls for 32-bit PowerPC.
        let (program, whole) = record(arch, "TAIL");
        assert_eq!(whole.entries.len(), 2, "{arch}: {:?}", whole.entries);
        assert!(whole.entries.iter().all(|e| e.0 == Leave::Return), "{arch}: {:?}", whole.entries);
        let target = program.local_entry("target");
        assert!(!whole.accesses_at(target).is_empty(), "{arch}");
    }
}

#[test]
fn a_longjmp_ends_the_region() {
    for arch in [Arch::Powerpc64le, Arch::Powerpc64, Arch::Powerpc] {
        let (_, whole) = record(arch, "LONGJMP");
        let how: Vec<_> = whole.entries.iter().map(|e| e.0).collect();
        assert_eq!(how, [Leave::Return, Leave::Longjmp, Leave::Longjmp], "{arch}");
        assert_eq!(whole.end.total("longjmp_exits"), 2, "{arch}");
        assert!(whole.instructions.len() < 500, "{arch}: code after the longjmp was recorded");
    }
}

#[test]
fn the_program_may_end_inside() {
    for arch in ARCHES {
        let (_, whole) = record(arch, "EXIT");
        assert_eq!(whole.entries.len(), 1, "{arch}");
        assert_eq!(whole.entries[0].0, Leave::Exit, "{arch}");
    }
}

#[test]
fn a_region_that_is_never_reached_is_an_empty_trace() {
    let (_, whole) = record(Arch::Powerpc64le, "NEVER");
    assert_eq!((whole.instructions.len(), whole.end.total("region_entries")), (0, 0));
    assert_eq!(whole.end.get("end"), Some("exit"));
}

#[test]
fn rewritten_code_is_another_block() {
    let (program, whole) = record(Arch::Powerpc64le, "REWRITTEN");
    let code = program.symbol("code");
    let seen: BTreeSet<Vec<u8>> =
        whole.instructions.iter().filter(|i| i.address == code).map(|i| i.bytes.clone()).collect();
    let expected: BTreeSet<Vec<u8>> = (0..5u32).map(|i| (0x3860_0000 | i).to_le_bytes().to_vec()).collect();
    assert_eq!(seen, expected);
}

#[test]
fn the_load_address_is_added() {
    for arch in [Arch::Powerpc64le, Arch::Loongarch64] {
        let program = Program::build("moved.c", arch, &["-fPIE", "-static-pie", "-Wl,--no-dynamic-linker"]);
        assert!(program.symbol("region") < 0x100000, "{arch}: not position-independent");
        let image = format!("image={}", program.path.display());
        let whole = program.trace("moved", "", &[image, program.region("region")], &[]);
        assert_eq!(whole.entries.len(), 2, "{arch}: {:?}", whole.end);
        assert!(whole.instructions[0].address > 0x100000, "{arch}: not moved");
    }
}

#[test]
fn an_image_that_is_not_loaded_is_told() {
    let program = Program::build("moved.c", Arch::Powerpc64le, &[]);
    let region = program.region("region");
    let other = format!("image={}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let whole = program.trace("other", "", &[other, region.clone()], &[]);
    assert_eq!((whole.entries.len(), whole.end.total("regions_not_loaded")), (0, 1));
    let (output, path) = program.record("absent", "", &["image=/absent/lib.so".into(), region], &[]);
    assert!(!output.status.success() && !path.exists());
    assert!(String::from_utf8_lossy(&output.stderr).contains("image=/absent/lib.so"), "{output:?}");
}

/// A library may be unloaded and come back elsewhere, and another may come to its place, with the same code even.
#[test]
fn a_region_in_a_library_is_where_the_library_is() {
    let file = |name: &str| {
        let path = recording::scratch(&format!("{name}.{}.code", std::process::id()));
        std::fs::write(&path, [0x8d, 0x47, 0x01, 0xc3]).unwrap(); // lea 1(%rdi), %eax; ret
        path
    };
    let (ours, other) = (file("ours"), file("other"));
    let (ours, other) = (ours.display(), other.display());
    const HERE: u64 = 0x2000_0000;
    const THERE: u64 = 0x2001_0000;
    for (mapped, entries) in [
        (vec![(&ours, HERE), (&other, HERE)], 10),
        (vec![(&other, HERE), (&ours, HERE)], 10),
        (vec![(&ours, HERE), (&ours, THERE)], 20),
        (vec![(&ours, HERE), (&other, HERE), (&ours, HERE), (&other, THERE), (&ours, THERE)], 30),
    ] {
        let list: Vec<_> = mapped.iter().map(|(path, at)| format!("{{\"{path}\",{at:#x}}}")).collect();
        let program = Program::build("mapped.c", Arch::X86_64, &[&format!("-DMAPPED={}", list.join(","))]);
        let arguments = [format!("image={ours}"), "roi=code:0x0".to_owned()];
        let whole = program.trace("mapped", "", &arguments, &[]);
        assert_eq!(whole.entries.len(), entries, "{list:?}: {:?}", whole.end);
        assert!(whole.entries.iter().all(|e| *e == (Leave::Return, 2)), "{list:?}: {:?}", whole.entries);
        assert_eq!(whole.end.total("regions_not_loaded"), 0, "{list:?}");
    }
    for path in [ours.to_string(), other.to_string()] {
        std::fs::remove_file(path).unwrap();
    }
}
