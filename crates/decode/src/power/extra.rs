// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER instructions that LLVM 19 does not know, in the encodings of Power ISA 2.07 and 3.1, books I to III, and of
//! the PowerPC 603 and MPC8xx manuals. They are few, but `lswx` and `mcrxr` are in 32-bit libraries, and `msgsnd` and the
//! radix forms of `tlbie` in kernels.

use crate::facts::{Access, Facts};
use crate::instruction::{Flow, Role};
use crate::isa::Extra;
use crate::registers::Mapping;

use super::{CA, CR, CTR, FPSCR, LR, OV, SO, TAR, VS};

/// What is decoded here.
pub(super) const MNEMONICS: &[&str] = &[
    "lswx", "stswx", "eciwx", "ecowx", "mcrxr", "tlbia", "lfdpx", "stfdpx", "lfdp", "stfdp", "bctar",
    "bctarl", "mtfsb0.", "mtfsb1.", "fmrgew", "fmrgow", "prtyw", "prtyd", "msgsndu", "msgclru", "msgsndp",
    "msgclrp", "msgsnd", "msgclr", "tlbie", "tlbiel", "slbiag", "slbia", "rfscv", "urfid", "stop", "doze",
    "nap", "sleep", "rvwinkle", "pnop", "plq", "pstq",
];

/// The fields of an instruction word, by the names that the ISA gives them.
struct Fields {
    word: u32,
    rt: u16,
    ra: u16,
    rb: u16,
}

/// Decodes a word that LLVM refused. A prefix comes with its suffix, and the result's length is then 8.
pub(super) fn decode(words: &[u32]) -> Option<Extra> {
    let &word = words.first()?;
    if word >> 26 == 1 {
        return prefixed(word, *words.get(1)?);
    }
    let fields = Fields::of(word);
    let mut facts = Facts::default();
    let mnemonic = match (word >> 26, fields.extended()) {
        (31, 533) => string(&fields, Access::Load, "lswx", &mut facts),
        (31, 661) => string(&fields, Access::Store, "stswx", &mut facts),
        (31, 310) => indexed(&fields, Access::Load, 4, "eciwx", &mut facts),
        (31, 438) => indexed(&fields, Access::Store, 4, "ecowx", &mut facts),
        (31, 512) => mcrxr(&fields, &mut facts),
        (31, 370) => "tlbia",
        (31, 791) => float_pair(&fields, Access::Load, true, "lfdpx", &mut facts),
        (31, 919) => float_pair(&fields, Access::Store, true, "stfdpx", &mut facts),
        (57, _) if word & 3 == 0 => float_pair(&fields, Access::Load, false, "lfdp", &mut facts),
        (61, _) if word & 3 == 0 => float_pair(&fields, Access::Store, false, "stfdp", &mut facts),
        (19, 560) => bctar(&fields, &mut facts),
        (63, 38 | 70) if word & 0x001f_f801 == 1 => set_status_bit(&fields, &mut facts),
        (63, 838 | 966) if word & 1 == 0 => merge_words(&fields, &mut facts),
        (31, 154 | 186) if word & 0xf801 == 0 => parity(&fields, &mut facts),
        (31, 78 | 110 | 142 | 174 | 206 | 238) if word & 0x03ff_0001 == 0 => message(&fields, &mut facts),
        (31, 274 | 306) if word & 0x0010_0001 == 0 => invalidate_translation(&fields, &mut facts),
        (31, 850) if word & 0x001e_f801 == 0 => invalidate_segments(&fields, &mut facts),
        (31, 498) if word & 0x031f_f801 == 0 => "slbia",
        (19, 82) if word & 0x03ff_f801 == 0 => return_from_vectored_call(&mut facts),
        (19, 306) if word & 0x03ff_f801 == 0 => halt("urfid", &mut facts),
        (19, 370) => halt("stop", &mut facts),
        (19, 402) => halt("doze", &mut facts),
        (19, 434) => halt("nap", &mut facts),
        (19, 466) => halt("sleep", &mut facts),
        (19, 498) => halt("rvwinkle", &mut facts),
        _ => return None,
    };
    Some(Extra { mnemonic, text: fields.text(mnemonic), facts, length: 4 })
}

impl Fields {
    fn of(word: u32) -> Fields {
        let field = |shift: u32| (word >> shift & 31) as u16;
        Fields { word, rt: field(21), ra: field(16), rb: field(11) }
    }

    /// The extended opcode of X and XL forms.
    fn extended(&self) -> u32 {
        self.word >> 1 & 0x3ff
    }

    /// RA|0, as LLVM writes it.
    fn base(&self) -> String {
        match self.ra {
            0 => "0".to_owned(),
            ra => format!("r{ra}"),
        }
    }

    fn text(&self, mnemonic: &str) -> String {
        let (rt, ra, rb) = (self.rt, self.ra, self.rb);
        let base = self.base();
        match mnemonic {
            "lfdp" | "stfdp" => format!("{mnemonic} f{rt}, {}({base})", (self.word & 0xfffc) as i16),
            "lfdpx" | "stfdpx" => format!("{mnemonic} f{rt}, {base}, r{rb}"),
            "mcrxr" => format!("mcrxr cr{}", rt / 4),
            "bctar" | "bctarl" => format!("{mnemonic} {rt}, {ra}, {}", rb & 3),
            "lswx" | "stswx" | "eciwx" | "ecowx" => format!("{mnemonic} r{rt}, {base}, r{rb}"),
            "mtfsb0." | "mtfsb1." => format!("{mnemonic} {rt}"),
            "fmrgew" | "fmrgow" => format!("{mnemonic} f{rt}, f{ra}, f{rb}"),
            "prtyw" | "prtyd" => format!("{mnemonic} r{ra}, r{rt}"),
            "tlbie" | "tlbiel" => {
                format!("{mnemonic} r{rb}, r{rt}, {}, {}, {}", ra >> 2 & 3, ra >> 1 & 1, ra & 1)
            }
            "slbia" => format!("slbia {}", rt & 7),
            "slbiag" => format!("slbiag r{rt}, {}", ra & 1),
            _ if mnemonic.starts_with("msg") => format!("{mnemonic} r{rb}"),
            _ => mnemonic.to_owned(),
        }
    }
}

/// RA|0 and, for X forms, RB.
fn address(fields: &Fields, with_rb: bool, facts: &mut Facts) {
    if fields.ra != 0 {
        facts.address(&Mapping::whole(fields.ra));
    }
    if with_rb {
        facts.address(&Mapping::whole(fields.rb));
    }
}

fn transfer(access: Access, number: u16, facts: &mut Facts) {
    if access == Access::Load {
        facts.write(number, Role::Value);
    } else {
        facts.data(&Mapping::whole(number));
    }
}

fn indexed(
    fields: &Fields,
    access: Access,
    bytes: u16,
    name: &'static str,
    facts: &mut Facts,
) -> &'static str {
    facts.access(access, bytes);
    address(fields, true, facts);
    transfer(access, fields.rt, facts);
    name
}

/// XER gives the number of bytes, so the number of registers is not known: the first stands for all. XER is read as SO.
fn string(fields: &Fields, access: Access, name: &'static str, facts: &mut Facts) -> &'static str {
    facts.read(SO);
    indexed(fields, access, 0, name, facts)
}

fn float_pair(
    fields: &Fields,
    access: Access,
    indexed: bool,
    name: &'static str,
    facts: &mut Facts,
) -> &'static str {
    facts.access(access, 16);
    address(fields, indexed, facts);
    transfer(access, VS + fields.rt, facts);
    transfer(access, VS + (fields.rt + 1) % 32, facts);
    name
}

/// Moves SO, OV and CA to a CR field and clears them.
fn mcrxr(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.write(CR + fields.rt / 4, Role::Condition);
    for number in [CA, OV, SO] {
        facts.read(number);
        facts.write(number, Role::Carry);
    }
    "mcrxr"
}

fn bctar(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(TAR);
    super::condition(fields.rt.into(), fields.ra.into(), facts);
    if fields.word & 1 == 0 {
        facts.flow = Some(Flow::Indirect);
        return "bctar";
    }
    facts.write(LR, Role::Link);
    facts.flow = Some(Flow::Call { target: None });
    "bctarl"
}

/// One bit of FPSCR; the others stay. Its sums of exceptions become CR1.
fn set_status_bit(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(FPSCR);
    facts.write(FPSCR, Role::Value);
    facts.write(CR + 1, Role::Condition);
    ["mtfsb1.", "mtfsb0."][usize::from(fields.extended() == 70)]
}

fn merge_words(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(VS + fields.ra);
    facts.read(VS + fields.rb);
    facts.write(VS + fields.rt, Role::Value);
    ["fmrgow", "fmrgew"][usize::from(fields.extended() == 966)]
}

fn parity(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(fields.rt);
    facts.write(fields.ra, Role::Value);
    ["prtyw", "prtyd"][usize::from(fields.extended() == 186)]
}

/// Doorbells: RB says which kind, and for whom.
fn message(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(fields.rb);
    match fields.extended() {
        78 => "msgsndu",
        110 => "msgclru",
        142 => "msgsndp",
        174 => "msgclrp",
        206 => "msgsnd",
        _ => "msgclr",
    }
}

/// The forms of 3.0, whose fields RIC, PRS and R say what is invalidated.
fn invalidate_translation(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(fields.rt);
    facts.read(fields.rb);
    ["tlbie", "tlbiel"][usize::from(fields.extended() == 274)]
}

fn invalidate_segments(fields: &Fields, facts: &mut Facts) -> &'static str {
    facts.read(fields.rt);
    "slbiag"
}

fn halt(name: &'static str, facts: &mut Facts) -> &'static str {
    facts.flow = Some(Flow::System);
    name
}

/// Goes on where `scv` has left LR and CTR.
fn return_from_vectored_call(facts: &mut Facts) -> &'static str {
    [LR, CTR].into_iter().for_each(|number| facts.read(number));
    halt("rfscv", facts)
}

fn prefixed(prefix: u32, suffix: u32) -> Option<Extra> {
    // Bits 12 and 13 are reserved, and those behind them zero.
    if prefix & 0x03f3_ffff == 0x0300_0000 {
        return no_operation(suffix);
    }
    quadword(prefix, suffix)
}

/// `pnop`, whose suffix may be nearly anything (book I).
fn no_operation(suffix: u32) -> Option<Extra> {
    let facts = Facts { no_operation: true, ..Facts::default() };
    let extra = Extra { mnemonic: "pnop", text: "pnop".to_owned(), facts, length: 8 };
    may_be_passed_over(suffix).then_some(extra)
}

/// All but branches, `rfebb`, `attn`, and what synchronises the context save for `isync`: the suffix of a `pnop` is none
/// of these.
fn may_be_passed_over(word: u32) -> bool {
    let keeps_context = word & 0x0001_0000 != 0; // the field L of `mtmsr`
    match (word >> 26, Fields::of(word).extended()) {
        (16 | 18, _) | (19, 16 | 528 | 560) => false,
        (17, _) => word & 3 == 0,
        (19, 18 | 82 | 146 | 274 | 306 | 370) => false,
        (31, 146 | 178) => keeps_context,
        (0, 256) => false,
        _ => true,
    }
}

/// `plq` and `pstq`: an 8LS prefix, whose R bit makes the address relative to the instruction.
fn quadword(prefix: u32, suffix: u32) -> Option<Extra> {
    let fields = Fields::of(suffix);
    let (mnemonic, access) = match suffix >> 26 {
        _ if prefix & 0x03e0_0000 != 0 => return None, // another prefix type, or reserved bits
        56 => ("plq", Access::Load),
        60 => ("pstq", Access::Store),
        _ => return None,
    };
    let mut facts = Facts::default();
    facts.access(access, 16);
    let relative = prefix & 0x0010_0000 != 0;
    if !relative {
        address(&fields, false, &mut facts);
    }
    transfer(access, fields.rt, &mut facts);
    transfer(access, (fields.rt + 1) % 32, &mut facts);
    let low = u64::from(prefix & 0x3ffff) << 16 | u64::from(suffix & 0xffff);
    let displacement = ((low << 30) as i64) >> 30;
    let text =
        format!("{mnemonic} r{}, {displacement}({}), {}", fields.rt, fields.base(), u8::from(relative));
    Some(Extra { mnemonic, text, facts, length: 8 })
}
