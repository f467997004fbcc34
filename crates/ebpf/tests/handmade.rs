// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Objects made by hand: their fields are public, so safe code can fill in anything. Loading gives an error at worst, and no
//! safe call reaches memory that is not the program's.

use ebpf::{Loaded, Vm};

/// With a `&mut Vm`, `std::mem::replace` would take the VM away from the maps that it has addresses of.
#[test]
fn the_vm_cannot_be_taken_from_its_maps() {
    let _: fn(&Loaded) -> &Vm = Loaded::vm;
}
