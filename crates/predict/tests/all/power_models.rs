// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! POWER's classes against LLVM's models, instruction by instruction: latency, and the resources that only some take.
//!
//! LLVM's tables are no truth, so a difference may stand: where the number is measured, where its range holds LLVM's, or
//! where a list below says why. What this finds is the instruction that a pattern puts into another one's class.

use crate::classes::{load, named, power_64};
use decode::{Instruction, Role, Scheduling};
use predict::cpu::{Entry, Kind};
use predict::description::Description;
use predict::Cpu;
use std::collections::BTreeMap;

/// A core, and LLVM's model of it.
struct Pair {
    cpu: Cpu,
    description: Description,
    scheduling: Scheduling,
    isa: String,
}

/// What LLVM says of one instruction.
struct Told {
    latency: u32,
    /// Names of resources, and for how many cycles each.
    uses: BTreeMap<&'static str, u32>,
}

impl Pair {
    fn new(cpu: &str, model: &str) -> Pair {
        let cpu = load(cpu);
        Pair {
            description: Description::new(&cpu).unwrap(),
            scheduling: Scheduling::new(arch::Arch::Powerpc64, model).unwrap(),
            isa: cpu.word("isa").unwrap().to_owned(),
            cpu,
        }
    }

    /// Shows each instruction that the core has, a class names, and LLVM knows. Moves to and from special registers are one
    /// mnemonic for all registers, and no-operations another's.
    fn each(&mut self, mut visit: impl FnMut(&Cpu, &str, &Instruction, &Told)) {
        for instruction in power_64().found.values() {
            let mnemonic = instruction.mnemonic.as_str();
            let is_later = decode::power_version(mnemonic).is_some_and(|version| version > self.isa.as_str());
            if is_later || instruction.no_operation || ["mfspr", "mtspr"].contains(&mnemonic) {
                continue;
            }
            let Some(class) = self.description.class_of(mnemonic) else { continue };
            let Some(entry) = self.scheduling.entry(instruction) else { continue };
            let names = &self.scheduling.model().resources;
            let uses = entry.uses.iter().map(|&(index, cycles)| (names[index].name, cycles)).collect();
            let class = self.cpu.names("class")[usize::from(class)].clone();
            visit(&self.cpu, &class, instruction, &Told { latency: entry.latency_cycles, uses });
        }
    }
}

/// Lowest and highest believable cycles of a class's key; nothing where they were measured, or fitted to what was.
fn range(cpu: &Cpu, class: &str, key: &str) -> Option<(f64, f64)> {
    match cpu.entry(&format!("class.{class}.{key}")) {
        Some(Entry::Number(number)) if [Kind::Measured, Kind::Fitted].contains(&number.kind) => None,
        Some(Entry::Number(number)) => Some(number.range.unwrap_or((number.value, number.value))),
        _ if key == "latency.value" || key == "latency.base" || key == "slots" => Some((1.0, 1.0)),
        _ => range(cpu, class, "latency.value"),
    }
}

/// The cycles until the last result, as LLVM counts them.
fn of_last_result(cpu: &Cpu, class: &str, instruction: &Instruction) -> Option<(f64, f64)> {
    let key = |role| match role {
        Role::Value => "latency.value",
        Role::Upper => "latency.upper",
        Role::Carry => "latency.carry",
        Role::Condition => "latency.condition",
        Role::BaseUpdate => "latency.base",
        Role::Link => "latency.link",
    };
    let ranges: Option<Vec<_>> =
        instruction.writes.iter().map(|write| range(cpu, class, key(write.role))).collect();
    ranges?
        .into_iter()
        .reduce(|(low, high), (other_low, other_high)| (low.max(other_low), high.max(other_high)))
}

/// What a cpu file adds to a result of fixed-point work on its way: to the other half of the core, and to branches and condition
/// logic.
fn on_the_way(cpu: &Cpu, class: &str, instruction: &Instruction) -> f64 {
    if cpu.word(&format!("class.{class}.domain")) != Some("fx") {
        return 0.0;
    }
    let of = |to: &str| cpu.value(&format!("bypass.fx.{to}")).unwrap_or(0.0);
    let is_condition = instruction.writes.iter().any(|write| write.role == Role::Condition);
    of("other_half") + if is_condition { of("condition") } else { 0.0 }
}

/// By how many cycles POWER10's results reach their own kind sooner than the model's latency says (`ReadAdvance`).
fn sooner(told: &Told) -> u32 {
    let uses = |name| told.uses.contains_key(name);
    match () {
        () if uses("P10_MM") => 6,
        () if uses("P10_CY") => 3,
        () if uses("P10_BF") => 2,
        () => 1,
    }
}

/// Where LLVM's latency is another, by cpu, and why that may stand.
const LATENCIES: [(&str, &str, &str); 4] = [
    // LLVM gives all Altivec arithmetic and the single-precision half of VSX the 2 cycles of simple operations, where GCC has 6
    // and 7 and LLVM's POWER8, too. Its 1 for atomics, lmw and mfcr is a reservation. It knows no later CR1, and cracks lfiwax,
    // lfiwzx and lswi.
    (
        "power7",
        "pwr7",
        "vaddfp vsubfp vcf* vct* vexptefp vlogefp vmaddfp vnmsubfp vrefp vrfi* vrsqrtefp vm*hs vmladduhm vmsum* vmul* \
         vsum* xvcvdpsp xvcvsx*sp xvcvux*sp xvresp xvrsqrtesp xvtdivsp xvtsqrtsp xvcpsgnsp l*arx st*cx. \
         lmw lswi lfiw* mfcr f*.",
    ),
    // LLVM has one entry of 41 cycles for all divisions with a record or overflow; divd takes 12 to 23 (pveclib), and nothing says
    // that its record doubles that. A load of a vector register in 3 cycles would be the only one. The rest as on POWER7.
    ("power8", "pwr8", "div*. div*o lxsiwax st*cx. mfcr f*."),
    // The atomics are done at the second-level cache. mffsl is two operations to LLVM.
    ("power9", "pwr9", "ldat lwat mffsl"),
    ("power10", "pwr10", "ldat lwat st*cx."),
];

/// How instructions differ, by mnemonic.
type Differing = BTreeMap<String, String>;

fn differing(
    cpu: &str,
    model: &str,
    differs: impl Fn(&Cpu, &str, &Instruction, &Told) -> Option<String>,
) -> Differing {
    let mut found = Differing::new();
    Pair::new(cpu, model).each(|cpu, class, instruction, told| {
        let how = differs(cpu, class, instruction, told);
        found.extend(how.map(|how| (instruction.mnemonic.clone(), format!("class.{class}: {how}"))));
    });
    found
}

/// Only what the lists name differs, and all that the first one names does.
fn only(mut found: Differing, known: &str, ignored: &str, what: &str) {
    let patterns = |list: &str| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for pattern in patterns(known) {
        let differs = found.keys().any(|mnemonic| named(mnemonic, std::slice::from_ref(&pattern)));
        assert!(differs, "{what}: {pattern} agrees");
    }
    found.retain(|mnemonic, _| !named(mnemonic, &[patterns(known), patterns(ignored)].concat()));
    assert_eq!(found, Differing::new(), "{what}");
}

#[test]
fn latencies_hold_what_llvm_says() {
    for (cpu, model, known) in LATENCIES {
        let found = differing(cpu, model, |cpu, class, instruction, told| {
            if !cpu.words(&format!("class.{class}.serialise")).is_empty() {
                return None;
            }
            let (low, high) = of_last_result(cpu, class, instruction)?;
            let least = told.latency - if model == "pwr10" { sooner(told) } else { 0 };
            let high = high + on_the_way(cpu, class, instruction);
            let agree = low <= f64::from(told.latency) && f64::from(least) <= high;
            (!agree).then(|| format!("{low} to {high} cycles, LLVM {}", told.latency))
        });
        only(found, known, "", cpu);
    }
}

/// Whether a class has the word in a list.
fn has(cpu: &Cpu, class: &str, list: &str, wanted: &str) -> bool {
    let words = cpu.words(&format!("class.{class}.{list}"));
    words.iter().any(|word| word.split([' ', '+', '|']).any(|part| part == wanted))
}

/// What only hypervisors and the kernel have, whose classes are serialising and have no pipes, and transactions.
const SYSTEM: &str = "mtmsr* stbcix sthcix stwcix stdcix lbzcix lhzcix lwzcix ldcix cpabort msgsync tcheck tsr. slb* tlb* mtsr \
    mfsr t*. clrbhrb mfbhrbe rfebb wait stop hrfid rfid sc";

#[test]
fn power9_takes_the_resources_that_llvm_says_too() {
    // A word of ours, and LLVM's resource. Of restricted ones LLVM leaves out what GCC has as one kind: comparisons of scalars, their
    // divisions and roots, and all rotates with a record; and GCC isel. The pair of a permutation behind a load is a part.
    let restricted = "stmw stswi mtfsf* mffs* xscmp* xstdivdp xstsqrtdp xsdiv* xssqrt* extswsli. rldic. sld. srad. sradi. \
        srd. isel div* mods* modu* mfmsr mftb";
    for (list, word, resource, known) in [
        ("group", "both", "IP_EXECE", "lxvdsx lxvh8x lxvw4x"),
        ("group", "restricted", "DISPx02", restricted),
        ("parts", "PM", "PM", ""),
        ("parts", "CY", "CY", ""),
        ("parts", "DFU", "DFU", ""),
        ("parts", "DIV", "DIV", ""),
        ("parts", "LS", "LS", ""),
        ("parts", "BR", "BR", ""),
    ] {
        let found = differing("power9", "pwr9", |cpu, class, _, told| {
            let llvm = told.uses.contains_key(resource);
            (llvm != has(cpu, class, list, word)).then(|| format!("LLVM {llvm}"))
        });
        only(found, known, SYSTEM, word);
    }
}

#[test]
fn power10_takes_the_resources_that_llvm_says_too() {
    for (unit, resource) in
        [("DX", "P10_DX"), ("DFU", "P10_DF"), ("DIV", "P10_DV"), ("LS", "P10_LD"), ("BR", "P10_BR")]
    {
        let found = differing("power10", "pwr10", |cpu, class, _, told| {
            let llvm = told.uses.contains_key(resource);
            (llvm != has(cpu, class, "parts", unit)).then(|| format!("LLVM {llvm}"))
        });
        only(found, "", SYSTEM, unit);
    }
}

#[test]
fn power10_takes_as_many_slices_as_llvm_says_too() {
    // Divisions of floats occupy their pipe in LLVM, and a unit beside it here; matrices have a unit of their own in LLVM, and two
    // slices in GCC. paddi is the store pipe's to LLVM, any slice's to GCC. No compiler emits a record of floating point.
    let known =
        "f*. vexptefp addco. subfco. ldat lwat stdat stwat paddi plfs plxssp lfsu* lfiwax mtfs* mffsce";
    let found = differing("power10", "pwr10", |cpu, class, _, told| {
        let parts = cpu.words(&format!("class.{class}.parts"));
        if has(cpu, class, "parts", "FD") || told.uses.contains_key("P10_MM") {
            return None;
        }
        let llvm: u32 =
            ["P10_FX", "P10_PM", "P10_BF", "P10_CY"].iter().filter_map(|name| told.uses.get(name)).sum();
        let ours = parts.iter().filter(|part| part.ends_with("ALU")).count();
        (llvm as usize != ours).then(|| format!("{ours}, LLVM {llvm}"))
    });
    only(found, known, SYSTEM, "slices");
}

#[test]
fn power10_takes_the_slots_that_llvm_says_too() {
    // No compiler emits a record of floating point, nor vexptefp. lfiwax is cracked on POWER9. LLVM gives pstxvp half of what it
    // gives stxvp.
    let found = differing("power10", "pwr10", |cpu, class, _, told| {
        let llvm = f64::from(*told.uses.get("P10_ANY_SLOT")?);
        let (low, high) = range(cpu, class, "slots")?;
        (!(low..=high).contains(&llvm)).then(|| format!("{low} to {high} slots, LLVM {llvm}"))
    });
    only(found, "f*. vexptefp lfiwax pstxvp", SYSTEM, "slots");
}

/// Instructions to which GCC's md files give one type (`crypto` in crypto.md, `VStype_simple` in vsx.md), and LLVM several, with the
/// latency of the type on POWER8, POWER9 and POWER10.
const GCC_TYPES: [(&str, [f64; 3]); 2] = [
    ("vcipher vncipherlast vsbox vpmsumb vpmsumd vpermxor vshasigmaw vshasigmad", [7.0, 6.0, 4.0]),
    ("xvadddp xvaddsp xvmaxdp xvminsp xvcmpeqdp xvcmpgtsp. xvnegdp xvabssp", [6.0, 7.0, 5.0]),
];

#[test]
fn latencies_hold_what_gcc_says_of_a_type() {
    for (place, cpu) in ["power8", "power9", "power10"].into_iter().enumerate() {
        let cpu = load(cpu);
        let description = Description::new(&cpu).unwrap();
        for (mnemonics, cycles) in GCC_TYPES {
            for mnemonic in mnemonics.split(' ') {
                let class = &cpu.names("class")[usize::from(description.class_of(mnemonic).unwrap())];
                // Nothing where it was measured.
                let Some((low, high)) = range(&cpu, class, "latency.value") else { continue };
                let holds = low <= cycles[place] && cycles[place] <= high;
                assert!(holds, "{}: {mnemonic} takes {low} to {high}, not {}", cpu.name, cycles[place]);
            }
        }
    }
}
