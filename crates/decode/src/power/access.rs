// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER's memory accesses, by mnemonic.
//!
//! LLVM's `mayLoad` and `mayStore` cannot be used as they are: whatever has side effects is both (`mfspr`, `sync`,
//! `isync`, `dcbt`, `darn`, even `nop`), and what no compiler emits is neither (`lswi`, `stswi`, `lbzcix`). A test
//! checks that this table and LLVM agree wherever LLVM claims exactly one of the two.

use crate::facts::{Access, Facts};
use crate::instruction::Role;
use crate::isa::Raw;

/// What the instruction does to memory, and how many bytes of it; 0 if that depends on data or on the cpu.
pub(super) fn of(raw: &Raw) -> Option<(Access, u16)> {
    let name = raw.mnemonic;
    // Prefixed forms are the plain ones with a longer displacement.
    let name = if raw.bytes.len() == 8 { name.strip_prefix('p').unwrap_or(name) } else { name };
    match name {
        "lmw" => return Some((Access::Load, words(raw))),
        "stmw" => return Some((Access::Store, words(raw))),
        "lswi" => return Some((Access::Load, string_bytes(raw))),
        "stswi" => return Some((Access::Store, string_bytes(raw))),
        _ => {}
    }
    if let Some(bytes) = load(name) {
        return Some((Access::Load, bytes));
    }
    if let Some(bytes) = store(name) {
        return Some((Access::Store, bytes));
    }
    match name {
        "lwat" | "stwat" => Some((Access::Both, 4)),
        "ldat" | "stdat" => Some((Access::Both, 8)),
        "dcbt" | "dcbtst" | "dcbst" | "dcbf" | "dcbi" | "dcba" | "icbi" | "icbt" | "dcbtep" | "dcbtstep"
        | "dcbstep" | "dcbfep" | "icbiep" | "dst" | "dstt" | "dstst" | "dststt" | "dcbtls" | "dcbtstls"
        | "dcblc" | "icbtls" | "icblc" => Some((Access::Hint, 0)),
        _ => None,
    }
}

fn load(name: &str) -> Option<u16> {
    Some(match name {
        "lbz" | "lbzu" | "lbzx" | "lbzux" | "lbzcix" | "lbepx" | "lbarx" | "lvebx" | "lxsibzx" | "lxvrbx" => {
            1
        }
        "lhz" | "lhzu" | "lhzx" | "lhzux" | "lhzcix" | "lhepx" | "lha" | "lhau" | "lhax" | "lhaux"
        | "lhbrx" | "lharx" | "lvehx" | "lxsihzx" | "lxvrhx" => 2,
        "lwz" | "lwzu" | "lwzx" | "lwzux" | "lwzcix" | "lwepx" | "lwa" | "lwax" | "lwaux" | "lwbrx"
        | "lwarx" | "lfs" | "lfsu" | "lfsx" | "lfsux" | "lfiwax" | "lfiwzx" | "lvewx" | "lxssp"
        | "lxsspx" | "lxsiwax" | "lxsiwzx" | "lxvwsx" | "lxvrwx" => 4,
        "ld" | "ldu" | "ldx" | "ldux" | "ldcix" | "ldepx" | "ldbrx" | "ldarx" | "lfd" | "lfdu" | "lfdx"
        | "lfdux" | "lfdepx" | "lxsd" | "lxsdx" | "lxvdsx" | "lxvrdx" | "hashchk" | "hashchkp" => 8,
        "lq" | "lqarx" | "lvx" | "lvxl" | "lvepx" | "lvepxl" | "lxv" | "lxvx" | "lxvd2x" | "lxvw4x"
        | "lxvh8x" | "lxvb16x" => 16,
        "lxvp" | "lxvpx" => 32,
        "copy" => 128,
        "lxvl" | "lxvll" | "lxvrl" | "lxvrll" | "lxvprl" | "lxvprll" | "lxvpb32x" => 0,
        _ => return None,
    })
}

fn store(name: &str) -> Option<u16> {
    Some(match name {
        "stb" | "stbu" | "stbx" | "stbux" | "stbcix" | "stbepx" | "stbcx." | "stvebx" | "stxsibx"
        | "stxvrbx" => 1,
        "sth" | "sthu" | "sthx" | "sthux" | "sthcix" | "sthepx" | "sthbrx" | "sthcx." | "stvehx"
        | "stxsihx" | "stxvrhx" => 2,
        "stw" | "stwu" | "stwx" | "stwux" | "stwcix" | "stwepx" | "stwbrx" | "stwcx." | "stfs" | "stfsu"
        | "stfsx" | "stfsux" | "stfiwx" | "stvewx" | "stxssp" | "stxsspx" | "stxsiwx" | "stxvrwx"
        | "ecowx" => 4,
        "std" | "stdu" | "stdx" | "stdux" | "stdcix" | "stdepx" | "stdbrx" | "stdcx." | "stfd" | "stfdu"
        | "stfdx" | "stfdux" | "stfdepx" | "stxsd" | "stxsdx" | "stxvrdx" | "hashst" | "hashstp" => 8,
        "stq" | "stqcx." | "stvx" | "stvxl" | "stvepx" | "stvepxl" | "stxv" | "stxvx" | "stxvd2x"
        | "stxvw4x" | "stxvh8x" | "stxvb16x" => 16,
        "stxvp" | "stxvpx" => 32,
        "paste." => 128,
        "stxvl" | "stxvll" | "stxvrl" | "stxvrll" | "stxvprl" | "stxvprll" | "stxvpb32x" => 0,
        // A cache block: 16 bytes on an 8xx, 32 on an e300, 128 on POWER.
        "dcbz" | "dcbzl" | "dcbzep" | "dcbzlep" => 0,
        _ => return None,
    })
}

/// Bytes of `lmw` and `stmw`: from RT to r31.
fn words(raw: &Raw) -> u16 {
    4 * (32 - raw.field(6, 10) as u16)
}

/// Bytes of `lswi` and `stswi`: the field NB, where 0 stands for 32.
fn string_bytes(raw: &Raw) -> u16 {
    match raw.field(16, 20) as u16 {
        0 => 32,
        bytes => bytes,
    }
}

/// Adds the registers of accesses to several, of which LLVM names the first, and takes out an `r0` that means zero.
pub(super) fn widen(raw: &Raw, out: &mut Facts) {
    let (first, base) = (raw.field(6, 10) as u16, raw.field(11, 15) as u16);
    let count = match raw.mnemonic {
        "lmw" | "stmw" => 32 - first,
        "lswi" | "stswi" => string_bytes(raw).div_ceil(4),
        "lq" | "stq" | "lqarx" | "stqcx." => 2,
        "lwat" | "ldat" => {
            (1..=atomic_operands(raw)).for_each(|n| out.read((first + n) % 32));
            0
        }
        _ => 0,
    };
    for number in (0..count).map(|n| (first + n) % 32) {
        add_register(raw, number, out);
    }
    let zero_base = matches!(raw.mnemonic, "lswi" | "stswi" | "copy" | "paste.")
        || raw.mnemonic.ends_with("cix")
        || raw.mnemonic.ends_with("epx");
    let index_is_r0 = raw.field(16, 20) == 0 && !raw.mnemonic.ends_with("swi");
    if zero_base && base == 0 && !index_is_r0 {
        out.address_reads.retain(|register| register.0 != 0);
    }
}

/// How many registers behind RT a fetching atomic takes, by its function code (book II, 4.5.1): RT+1 for arithmetic,
/// logic and swap, and RT+2 to be stored by a compare-and-swap, while those that count within bounds have the bound in
/// memory.
fn atomic_operands(raw: &Raw) -> u16 {
    const COMPARE_AND_SWAP_NOT_EQUAL: u32 = 0b10000;
    match raw.field(16, 20) {
        COMPARE_AND_SWAP_NOT_EQUAL => 2,
        code if code > COMPARE_AND_SWAP_NOT_EQUAL => 0,
        _ => 1,
    }
}

fn add_register(raw: &Raw, number: u16, out: &mut Facts) {
    if raw.mnemonic.trim_start_matches('p').starts_with("st") {
        out.data(&crate::registers::Mapping::whole(number));
    } else {
        out.write(number, Role::Value);
    }
}
