// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Objects made by hand: their fields are public, so safe code can fill in anything. Loading gives an error at worst, and no
//! safe call reaches memory that is not the program's.

use crate::support::object;
use ebpf::{Engine, Limits, Loaded, MapKind, Object, PacketContext, Pointer, Status, Vm};

/// With a `&mut Vm`, `std::mem::replace` would take the VM away from the maps that it has addresses of.
#[test]
fn the_vm_cannot_be_taken_from_its_maps() {
    let _: fn(&Loaded) -> &Vm = Loaded::vm;
}

/// Loads an object that is changed first; the error is one of the argument.
fn refused(change: impl FnOnce(&mut Object)) -> String {
    let mut object = object("r0 = 0\nexit");
    change(&mut object);
    let error = Loaded::new(&object, &object.programs[0], Limits::default()).expect_err("it is refused");
    assert_eq!(error.status, Status::Argument, "{error}");
    error.message
}

#[test]
fn contents_have_to_fit_their_map() {
    let message = refused(|object| object.map_contents[0] = vec![0x41; 17]);
    assert_eq!(message, "map m: contents of 17 bytes for a value of 16");
    let message = refused(|object| object.map_contents[0] = vec![0x41; 1 << 20]);
    assert_eq!(message, "map m: contents of 1048576 bytes for a value of 16");
    for (kind, entries) in [(MapKind::Hash, 1), (MapKind::Other(3), 1), (MapKind::Array, 0)] {
        let message = refused(|object| {
            object.map_contents[0] = vec![0x41; 16];
            (object.maps[0].kind, object.maps[0].entries) = (kind, entries);
        });
        assert_eq!(message, "map m: contents, which only an array of a value has");
    }
    let message = refused(|object| object.map_contents.clear());
    assert_eq!(message, "1 maps, and contents for 0: each map needs an entry");
}

#[test]
fn pointers_have_to_lie_in_maps_and_point_into_them() {
    for (map, offset, target, target_offset) in [
        (0, 9, 0, 0),
        (0, usize::MAX - 7, 0, 0),
        (0, usize::MAX - 3, 0, 0),
        (1, 0, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 0, 17),
        (0, 0, 0, usize::MAX),
    ] {
        let message = refused(|object| object.pointers.push(Pointer { map, offset, target, target_offset }));
        let place = format!(
            "the address at byte {offset} of map {map} points to byte {target_offset} of map {target}"
        );
        assert_eq!(message, format!("{place}: one of the two is not there"));
    }
    let mut object =
        object("r1 = map_val_by_idx(0)+0 ll\nr1 = *(u64 *)(r1 + 8)\nr0 = *(u64 *)(r1 + 0)\nexit");
    object.map_contents[0] = [42u64.to_ne_bytes(), [0; 8]].concat();
    object.pointers.push(Pointer { map: 0, offset: 8, target: 0, target_offset: 0 });
    let mut loaded =
        Loaded::new(&object, &object.programs[0], Limits::default()).expect("a pointer to itself");
    assert_eq!(loaded.run(Engine::Interpreter, &mut []), Ok(42));
}

const EINVAL: u64 = -22_i64 as u64;

/// xdp_adjust_head (44) and _tail (65) take the context of a run on a packet, and no other address, 0 least of all.
#[test]
fn only_a_run_on_a_packet_moves_its_ends() {
    for (helper, context) in [(44, "0"), (65, "0"), (44, "r6"), (65, "r6")] {
        let object = object(&format!("r6 = r1\nr1 = {context}\nr2 = 0\ncall {helper}\nexit"));
        let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
        let packet = |loaded: &mut Loaded, bytes: usize| {
            let run = loaded.run_on_packet(Engine::Interpreter, PacketContext::XdpMd, &vec![0; bytes]);
            run.map(|(r0, _)| r0)
        };
        let own = if context == "r6" { 0 } else { EINVAL };
        assert_eq!(loaded.run(Engine::Interpreter, &mut [0; 24]), Ok(EINVAL), "before any packet");
        assert_eq!(packet(&mut loaded, 64), Ok(own), "call {helper}, {context}");
        assert_eq!(loaded.run(Engine::Interpreter, &mut [0; 24]), Ok(EINVAL), "after a packet");
        assert_eq!(packet(&mut loaded, 1 << 20).map_err(|error| error.status), Err(Status::Argument));
        assert_eq!(loaded.run(Engine::Interpreter, &mut [0; 24]), Ok(EINVAL), "after one too large");
    }
}

/// trace_printk (6) of nothing at address 0, not even the zero that ends a format; lookup (1), update (2) and delete (3) with a key of no bytes there, and a value of
/// none.
#[test]
fn nothing_may_be_at_address_0() {
    for (call, expected) in
        [("r2 = 0\ncall 6", EINVAL), ("call 1", 0), ("call 2", 0), ("call 3", -2_i64 as u64)]
    {
        let map = if call == "r2 = 0\ncall 6" { "r1 = 0" } else { "r1 = map_by_idx(0)+0 ll\nr2 = 0" };
        let mut object = object(&format!("{map}\nr3 = 0\nr4 = 0\n{call}\nexit"));
        let map = &mut object.maps[0];
        (map.kind, map.key_bytes, map.value_bytes) = (MapKind::Hash, 0, 0);
        let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
        assert_eq!(loaded.run(Engine::Interpreter, &mut []), Ok(expected), "{call}");
    }
    let object = object("r2 = 0\nr3 = 0\nr4 = 0\ncall 26\nexit"); // skb_load_bytes
    let mut loaded = Loaded::new(&object, &object.programs[0], Limits::default()).expect("it loads");
    loaded.run_on_packet(Engine::Interpreter, PacketContext::SkBuff, &[0; 64]).expect("it runs");
    assert_eq!(loaded.run(Engine::Interpreter, &mut []), Ok(0));
}

#[test]
fn a_map_s_memory_is_limited_with_its_keys() {
    let load = |key_bytes, value_bytes, entries| {
        let mut object = object("r0 = 0\nexit");
        let map = &mut object.maps[0];
        (map.kind, map.key_bytes, map.value_bytes, map.entries) =
            (MapKind::Hash, key_bytes, value_bytes, entries);
        Loaded::new(&object, &object.programs[0], Limits::default()).map(|_| ())
    };
    let refused = |key_bytes, value_bytes, entries| {
        let error = load(key_bytes, value_bytes, entries).expect_err("it is too large");
        assert_eq!(error.status, Status::Memory);
        error.message
    };
    assert_eq!(
        refused(4, 0, u32::MAX),
        "map m: 4294967295 values of 0 bytes, with keys of 4 bytes and 48 more to find each, are more than the 67108864 \
         bytes that a map may have"
    );
    assert!(refused(1 << 20, 8, 1000).contains("with keys of 1048576 bytes"));
    assert!(refused(u32::MAX, u32::MAX, u32::MAX).contains("are more than"));
    assert_eq!(load(4, 8, 1 << 20), Ok(()));
}
