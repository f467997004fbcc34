// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Every instruction that a cpu has is in a class of its file.
//!
//! The encodings of the fixed-length instruction sets are walked (opcode fields in full, a few operands), those of
//! x86-64 opcode by opcode, and what the decoder makes of them is looked up as the predictor does it: by predicting it.

use arch::Arch;
use decode::{Decoder, Flow, Instruction, RegisterKind, Write};
use predict::source::{Access, Chunk, Item};
use predict::{predict, Cpu, Options, RegisterKinds, Source, SourceError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub(crate) fn load(name: &str) -> Cpu {
    Cpu::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus"), name).unwrap()
}

/// Each instruction once, in a block of its own.
struct Once {
    arch: Arch,
    kinds: Arc<RegisterKinds>,
    instructions: Vec<Instruction>,
}

impl Source for Once {
    fn arch(&self) -> Arch {
        self.arch
    }

    fn kinds(&self) -> Arc<RegisterKinds> {
        self.kinds.clone()
    }

    fn mark(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, chunk: &mut Chunk) -> Result<bool, SourceError> {
        for (block, instruction) in std::mem::take(&mut self.instructions).into_iter().enumerate() {
            let first = chunk.accesses.len() as u32;
            for (applies, store) in [(instruction.load, false), (instruction.store, true)] {
                let bytes = instruction.access_bytes.max(1);
                let access = Access { instruction: 0, bytes, store, known: false, address: 0 };
                chunk.accesses.extend(applies.then_some(access));
            }
            let accesses = first..chunk.accesses.len() as u32;
            let next = instruction.address + u64::from(instruction.length);
            chunk.items.push(Item::Block { block: block as u32, accesses, next });
            chunk.new_blocks.push(vec![instruction]);
        }
        Ok(!chunk.items.is_empty())
    }
}

/// Instructions by what a class can tell of them: mnemonic, memory access, whether the last operand is a register.
pub(crate) type Found = BTreeMap<(String, bool, bool, bool), Instruction>;

fn collect(decoder: &mut Decoder, found: &mut Found, bytes: &[u8]) {
    if let Ok(instruction) = decoder.decode(bytes, 0x1000) {
        note(found, instruction);
    }
}

fn note(found: &mut Found, instruction: Instruction) {
    let last = instruction.text.rsplit([',', ' ']).next().unwrap_or("");
    let immediate = last.trim_start_matches('-').starts_with(|digit: char| digit.is_ascii_digit());
    let key = (instruction.mnemonic.clone(), instruction.load, instruction.store, immediate);
    found.entry(key).or_insert(instruction);
}

/// The mnemonics that are in no class of the cpu. That all of it is predicted alike whether events are recorded or not is
/// seen on the way: the simulator is compiled for either.
fn in_no_class(arch: Arch, cpu: &str, found: &Found) -> BTreeSet<String> {
    let kinds = Arc::new(RegisterKinds::new(&Decoder::new(arch).unwrap()));
    let place = |(index, mut instruction): (usize, Instruction)| {
        instruction.address = 0x10000 + 16 * index as u64;
        if let Flow::Branch { target } = &mut instruction.flow {
            *target = instruction.address;
        }
        instruction
    };
    let cpu_file = load(cpu);
    let isa = cpu_file.word("isa").unwrap_or("9");
    let lacks = |instruction: &&Instruction| {
        let version = decode::power_version(&instruction.mnemonic);
        version.is_some_and(|version| version > isa) || named(&instruction.mnemonic, cpu_file.words("lacks"))
    };
    let told = |events| {
        let had = found.values().filter(|instruction| !lacks(instruction)).cloned();
        let instructions = had.enumerate().map(place).collect();
        let mut source = Once { arch, kinds: kinds.clone(), instructions };
        let options = Options { events, ..Options::default() };
        predict(&mut source, &[&cpu_file], &options).unwrap().remove(0)
    };
    let (prediction, recorded) = (told(None), told(Some((0, u64::MAX))));
    assert_eq!((prediction.cycles, &prediction.counters), (recorded.cycles, &recorded.counters), "{cpu}");
    prediction.fallbacks.into_keys().collect()
}

/// Whether the lower eleven bits behind a primary opcode are, in part, an opcode too (Power ISA 3.1, Book I, 1.6: the formats
/// other than B, D and I). Of displacements and immediates a few are enough.
fn extends(primary: u32) -> bool {
    matches!(primary, 0 | 2..=6 | 9 | 17..=23 | 30 | 31 | 56..=63)
}

/// Types and subtypes of a prefix (Power ISA 3.1, book I, 1.6.3): 8LS and MLS, with and without the bit that makes an
/// address relative, 8RR, MMIRR; and the one of `pnop`.
const PREFIXES: [u32; 7] =
    [0x0400_0000, 0x0410_0000, 0x0500_0000, 0x0600_0000, 0x0610_0000, 0x0790_0000, 0x0700_0000];

/// Operand fields. The last five are what `dcbzl` and `copy`, `ptesync`, `xxmtacc`, `mffscrni` and `mffsl` need.
const OPERANDS: [(u32, u32, u32); 12] = [
    (0, 0, 0),
    (0, 0, 5),
    (3, 3, 0),
    (4, 3, 0),
    (0, 3, 5),
    (1, 3, 5),
    (0, 3, 0),
    (1, 0, 0),
    (2, 0, 0),
    (0, 1, 0),
    (3, 23, 3),
    (3, 24, 0),
];

/// Shows the encodings of POWER: opcode fields in full, with several operands each, since some instructions take even
/// registers only, and others have reserved fields.
fn walk_power(visit: &mut impl FnMut(&[u8])) {
    let word = |primary: u32, s: u32, a: u32, b: u32, low: u32| {
        u32::to_be_bytes(primary << 26 | s << 21 | a << 16 | b << 11 | low)
    };
    // Primary opcode, extended opcode and record bit, and operand fields, which some opcodes extend into.
    for primary in (0..64).filter(|&primary| primary != 1) {
        for low in 0..if extends(primary) { 2048 } else { 4 } {
            for (s, a, b) in OPERANDS {
                visit(&word(primary, s, a, b, low));
            }
            for a in 0..32 {
                visit(&word(primary, 3, a, 5, low));
                visit(&word(primary, 4, a, 0, low));
            }
        }
    }
    for prefix in PREFIXES {
        let mut prefixed = |suffix: [u8; 4]| visit(&[prefix.to_be_bytes(), suffix].concat());
        for primary in (0..64).filter(|&primary| primary != 1) {
            (0..2048).for_each(|low| prefixed(word(primary, 4, 2, 5, low)));
            // Where the suffix ends in an immediate, its opcode extends into the field before.
            (0..32).for_each(|a| (0..4).for_each(|low| prefixed(word(primary, 4, a, 5, low))));
        }
    }
}

/// Encodings of each mnemonic.
type Samples = BTreeMap<String, Vec<Vec<u8>>>;

pub(crate) struct Power {
    pub(crate) found: Found,
    /// Of each mnemonic so many that all operands are among them that are walked: those of the first may be reserved.
    samples: Samples,
}

fn power(arch: Arch) -> Power {
    // Those and each value of RA twice.
    const SAMPLES: usize = OPERANDS.len() + 64;
    let mut decoder = Decoder::new(arch).unwrap();
    let (mut found, mut samples) = (Found::new(), Samples::new());
    walk_power(&mut |bytes| {
        if let Ok(instruction) = decoder.decode(bytes, 0x1000) {
            let of_mnemonic = samples.entry(instruction.mnemonic.clone()).or_default();
            if of_mnemonic.len() < SAMPLES {
                of_mnemonic.push(bytes.to_vec());
            }
            note(&mut found, instruction);
        }
    });
    Power { found, samples }
}

/// What POWER's cores of 64 bits are asked for.
pub(crate) fn power_64() -> &'static Power {
    static FOUND: OnceLock<Power> = OnceLock::new();
    FOUND.get_or_init(|| power(Arch::Powerpc64))
}

fn power_32() -> &'static Power {
    static FOUND: OnceLock<Power> = OnceLock::new();
    FOUND.get_or_init(|| power(Arch::Powerpc))
}

/// Whether more than the upper ten bits of an instruction are its opcode: all but the formats that end in an immediate of 12 bits
/// or more, and those of four registers (LoongArch Reference Manual, volume 1, table 1-1 and appendix B).
fn loongarch_extends(top_10: u32) -> bool {
    matches!(top_10, 0..=7 | 0x18..=0x1f | 0x30..=0x3f | 0xc0..=0xff | 0x1c0..=0x1ff)
}

fn loongarch() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(walk_loongarch)
}

fn walk_loongarch() -> Found {
    let mut decoder = Decoder::new(Arch::Loongarch64).unwrap();
    let mut found = Found::new();
    for top in (0..1u32 << 22).filter(|&top| loongarch_extends(top >> 12) || top & 0xfff < 2) {
        collect(&mut decoder, &mut found, &(top << 10 | 5 << 5 | 6).to_le_bytes());
    }
    for top in 0..1u32 << 17 {
        collect(&mut decoder, &mut found, &(top << 15).to_le_bytes());
    }
    // Where registers have fewer bits, and in those of a displacement: movgr2scr, movscr2gr, jiscr0, jiscr1.
    for word in [0x0880u32, 0x0c24, 0x4800_1200, 0x4800_1300] {
        collect(&mut decoder, &mut found, &word.to_le_bytes());
    }
    found
}

/// Without EVEX, and with it.
fn x86() -> &'static [Found; 2] {
    static FOUND: OnceLock<[Found; 2]> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut decoder = Decoder::new(Arch::X86_64).unwrap();
        let mut found = Found::new();
        x86_legacy(&mut decoder, &mut found);
        x86_vector(&mut decoder, &mut found, false);
        let mut with_evex = found.clone();
        x86_vector(&mut decoder, &mut with_evex, true);
        [found, with_evex]
    })
}

/// Immediates and displacements behind the bytes walked.
const TAIL: [u8; 9] = [0; 9];

fn x86_legacy(decoder: &mut Decoder, found: &mut Found) {
    // ModRM: memory at rdi and registers, with each extension of the opcode.
    let operands: Vec<u8> = (0..8).map(|extension| extension << 3 | 7).chain(0xc0..=0xff).collect();
    let alone = [&[][..], &[0x66], &[0xf2], &[0xf3], &[0xf0]];
    let prefixes = alone.iter().flat_map(|prefix| [prefix.to_vec(), [prefix, &[0x48][..]].concat()]);
    for prefix in prefixes {
        for map in [&[][..], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]] {
            for opcode in 0..=255 {
                for &operand in &operands {
                    collect(decoder, found, &[&prefix, map, &[opcode, operand], &TAIL].concat());
                }
            }
        }
    }
}

/// VEX's encodings, or EVEX's.
fn x86_vector(decoder: &mut Decoder, found: &mut Found, evex: bool) {
    let operands = (0..8).flat_map(|extension| [extension << 3 | 7, extension << 3 | 0xc3]);
    for operand in operands {
        for (map, opcode) in (1..=6u8).flat_map(|map| (0..=255u8).map(move |opcode| (map, opcode))) {
            for low in 0..16u8 {
                // W, a register in vvvv or none, L (VEX only), pp.
                let (w, l, pp) = ((low & 8) << 4, low & 4, low & 3);
                for vvvv in [0x78, 0x70] {
                    if !evex {
                        let vex = [0xc4, 0xe0 | map, w | vvvv | l | pp, opcode, operand];
                        collect(decoder, found, &[&vex[..], &TAIL].concat());
                        continue;
                    }
                    // Each length, without a mask and with one.
                    for third in [0x08, 0x09, 0x28, 0x29, 0x48, 0x49] {
                        let evex = [0x62, 0xf0 | map, w | vvvv | 4 | pp, third, opcode, operand];
                        collect(decoder, found, &[&evex[..], &TAIL].concat());
                    }
                }
            }
        }
    }
}

/// What is left of the mnemonics in no class when those are taken away that a pattern (a trailing `*`) names.
fn without(mnemonics: BTreeSet<String>, patterns: &str) -> Vec<String> {
    let patterns: Vec<String> = patterns.split_whitespace().map(str::to_owned).collect();
    mnemonics.into_iter().filter(|mnemonic| !named(mnemonic, &patterns)).collect()
}

/// Whether one of the patterns names the mnemonic. A star stands for any letters.
pub(crate) fn named(mnemonic: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| match pattern.split_once('*') {
        Some((prefix, suffix)) => mnemonic.strip_prefix(prefix).is_some_and(|rest| rest.ends_with(suffix)),
        None => mnemonic == pattern,
    })
}

/// Embedded cores' and the hypervisor's, and what LLVM knows of cores to come.
const NOT_POWER: &str = "dcbfep dcbstep dcbtep dcbtstep dcbzep dcbzlep icbiep lbepx lhepx lwepx stbepx sthepx stwepx \
    lfdepx stfdepx icblc icblq. icbtls dccci iccci mfdcr mtdcr mfpmr mtpmr rfci rfdi rfmci tlb* wrtee* eciwx ecowx \
    dmmr dmsetdmrz dmx* lxvrl* stxvrl* lxvprl* stxvprl* subfus subfus.";
#[test]
fn power_cpus_class_all_that_they_have() {
    let Power { found, .. } = power_64();
    assert!(found.len() > 1400, "{} forms decoded", found.len());
    for cpu in ["power7", "power8", "power9", "power10"] {
        let missing = in_no_class(Arch::Powerpc64, cpu, found);
        // Of 3.1B, in the room of no-operations: older cores run them, and do nothing.
        let hashes = if cpu == "power10" { "" } else { "hash*" };
        assert_eq!(without(missing, &format!("{NOT_POWER} {hashes}")), [""; 0], "{cpu}");
    }
}

/// Mnemonics of which binutils disassembles an encoding for the cpu.
fn disassembled(samples: &Samples, cpu: &str) -> BTreeSet<String> {
    const OBJDUMP: &str = "powerpc64le-linux-gnu-objdump";
    const NOP: [u8; 4] = [0x60, 0, 0, 0];
    // Sixteen bytes each, so that no prefix meets the next one's word.
    let place =
        |encoding: &Vec<u8>| encoding.iter().chain(NOP.iter().cycle()).take(16).copied().collect::<Vec<u8>>();
    let file = std::env::temp_dir().join(format!("assay-versions-{cpu}-{}", std::process::id()));
    std::fs::write(&file, samples.values().flatten().flat_map(place).collect::<Vec<u8>>()).unwrap();
    let options = ["-D", "-b", "binary", "-m", "powerpc:common64", "-EB", "-M", cpu];
    let output = std::process::Command::new(OBJDUMP).args(options).arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let output = output.unwrap_or_else(|error| panic!("{OBJDUMP}: {error}; ./setup --gcc installs it"));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(":\t"));
    let known = |(address, line): (&str, &str)| {
        let instruction = line.split_once('\t')?.1;
        let address = usize::from_str_radix(address.trim(), 16).ok()?;
        (!instruction.starts_with(".long")).then_some(address)
    };
    let at: BTreeSet<usize> = lines.filter_map(known).collect();
    let mnemonics = samples.iter().flat_map(|(mnemonic, some)| some.iter().map(move |_| mnemonic));
    let disassembled = mnemonics.enumerate().filter(|(place, _)| at.contains(&(16 * place)));
    disassembled.map(|(_, mnemonic)| mnemonic.clone()).collect()
}

/// By hand: of `wait` and `paste.` binutils has other encodings. Before 3.0 `mffsl` is `mffs` with reserved bits set,
/// which cores ignore; the C library relies on it.
const NOT_BINUTILS: &str = "wait paste. mffsl";

/// What binutils has for older cores alone.
const NOT_BINUTILS_POWER7: &str = "dcba lfdp lfdpx stfdp stfdpx mbar mcrxr mfsr mfsrin mtsr mtsrin mftb";

#[test]
fn power_versions_are_those_that_binutils_tells() {
    let Power { samples, .. } = power_64();
    let known = ["power7", "power8", "power9", "power10"].map(|cpu| disassembled(samples, cpu));
    for (version, step) in ["2.07", "3.0", "3.1"].into_iter().zip(known.windows(2)) {
        let first: BTreeSet<String> = step[1].difference(&step[0]).cloned().collect();
        assert!(first.len() > 100, "{version}: {} are new", first.len());
        let ours = |mnemonic: &String| decode::power_version(mnemonic) == Some(version);
        let differ: BTreeSet<String> = first.into_iter().filter(|mnemonic| !ours(mnemonic)).collect();
        assert_eq!(without(differ, NOT_BINUTILS), [""; 0], "first in {version}");
    }
    // What the oldest of them has is in no list, save for what programs have from 2.07 on.
    let old = known[0].iter().filter(|mnemonic| decode::power_version(mnemonic).is_some());
    assert_eq!(without(old.cloned().collect(), "lq stq"), [""; 0]);
    // Nothing stays unseen because binutils takes none of its encodings that are walked.
    let unknown = samples.keys().filter(|mnemonic| known.iter().all(|cpu| !cpu.contains(*mnemonic)));
    assert_eq!(
        without(unknown.cloned().collect(), &format!("{NOT_POWER} {NOT_BINUTILS_POWER7}")),
        [""; 0],
        "known for no cpu"
    );
}

/// Book E's and later embedded cores', and what only hypervisors and later servers have, which their lists of what they lack
/// leave out.
const NOT_32_BITS: &str = "lbzcix lhzcix lwzcix stbcix sthcix stwcix lbepx lhepx lwepx stbepx sthepx stwepx lfdepx \
    stfdepx dcbfep dcbstep dcbtep dcbtstep dcbzep dcbzl* icb* dccci iccci mfdcr mtdcr mfpmr mtpmr mfbhrbe clrbhrb rfci \
    rfdi rfmci rfebb rfscv urfid nap doze sleep rvwinkle stop wait attn tlb* wrtee* mtmsrd msg* cpabort lwsync \
    ptesync subfus* dmmr dmsetdmrz dmx* p* cnt* set* br*";

#[test]
fn cpus_of_32_bits_class_all_that_they_have() {
    let Power { found, .. } = power_32();
    for cpu in ["mpc885", "e300c2"] {
        let missing = in_no_class(Arch::Powerpc, cpu, found);
        assert_eq!(without(missing, NOT_32_BITS), [""; 0], "{cpu}");
    }
}

#[test]
fn loongarch_cpus_class_every_instruction() {
    let found = loongarch();
    assert!(found.len() > 1800, "{} forms decoded", found.len());
    for cpu in ["la464", "la664"] {
        let missing = in_no_class(Arch::Loongarch64, cpu, found);
        assert_eq!(without(missing, ""), [""; 0], "{cpu}");
    }
}

/// The class of a mnemonic that `cpu` does not tell apart by forms: an exact name first, then the longest pattern.
fn class_of(cpu: &Cpu, mnemonic: &str) -> Option<String> {
    let patterns = |class: &String| cpu.words(&format!("class.{class}.instructions")).to_vec();
    let classes = cpu.names("class").into_iter().map(|class| (patterns(&class), class));
    let fits = classes.filter_map(|(patterns, class)| {
        let of_class = patterns.iter().filter(|&pattern| named(mnemonic, std::slice::from_ref(pattern)));
        Some((of_class.map(|pattern| (!pattern.ends_with('*'), pattern.len())).max()?, class))
    });
    fits.max().map(|(_, class)| class)
}

/// `bypass.general` is what insertions of general registers into vectors wait for.
#[test]
fn loongarch_cpus_say_of_all_general_results_that_they_are() {
    let kinds = RegisterKinds::new(&Decoder::new(Arch::Loongarch64).unwrap());
    for cpu in ["la464", "la664"].map(load) {
        let is_wrong = |instruction: &&Instruction| {
            let class = class_of(&cpu, &instruction.mnemonic).unwrap_or_else(|| "default".into());
            let is_general = |write: &Write| kinds.kind(write.register) == RegisterKind::General;
            instruction.writes.iter().any(is_general)
                && !instruction.no_operation
                && cpu.word(&format!("class.{class}.domain")) != Some("general")
        };
        let wrong: BTreeSet<String> =
            loongarch().values().filter(is_wrong).map(|instruction| instruction.mnemonic.clone()).collect();
        assert_eq!(wrong, BTreeSet::new(), "{}", cpu.name);
    }
}

/// Other makers', virtual machines', enclaves', the shadow stack's, tiles, later cores'.
const NOT_GOLDEN_COVE: &str = "aadd aand aor axor cmp*xadd aesdec128kl aesdec256kl aesdecwide* aesenc128kl aesenc256kl \
    aesencwide* encodekey* loadiwkey ccmp ctest cfcmov clgi stgi clui stui testui uiret senduipi clzero clrssbsy \
    incssp* rdssp* rstorssp saveprevssp wrss* wruss* cvtpd2pi cvtps2pi cvttpd2pi cvttps2pi maskmov* vmaskmovdqu enclv \
    eretu erets extrq hreset ldtilecfg sttilecfg tdp* tcmm* lkgs montmul movdir64b pbndkb pconfig psmash ptwrite \
    pvalidate rdpru rmp* seam* tdcall skinit tlbsync umonitor urdmsr uwrmsr v4f* vp4dp* vbcst* vmclear vmfunc vmload \
    vmmcall vmptr* vmread vmrun vmsave vmwrite vmxo* vsha512* vsm3* vsm4* wait xcrypt* xsha* xstore xsusldtrk \
    xresldtrk";

#[test]
fn golden_cove_classes_all_that_it_has() {
    let [_, found] = x86();
    assert!(found.len() > 2500, "{} forms decoded", found.len());
    let missing = in_no_class(Arch::X86_64, "golden_cove", found);
    assert_eq!(without(missing, NOT_GOLDEN_COVE), [""; 0]);
}

/// Other makers', virtual machines', enclaves', transactions, tiles, masks of AVX-512, later cores'.
const NOT_ZEN3: &str = "aadd aand aor axor cmp*xadd aesdec128kl aesdec256kl aesdecwide* aesenc128kl aesenc256kl \
    aesencwide* encodekey* loadiwkey clui stui testui uiret senduipi enclv erets eretu gf2p8* vgf2p8* hreset k* ldtilecfg sttilecfg \
    lkgs montmul movdir64b pbndkb pconfig ptwrite seam* tcmm* tdcall tdp* umonitor urdmsr uwrmsr vbcst* vcvtne* vmclear \
    vmfunc vmptr* vmread vmwrite vmxo* vpdp* vpermil2* vsha512* vsm3* vsm4* xabort xbegin xend xtest xcrypt* xsha* xstore \
    xresldtrk xsusldtrk";

#[test]
fn zen3_classes_all_that_it_has() {
    let [found, _] = x86();
    assert!(found.len() > 1500, "{} forms decoded", found.len());
    let missing = in_no_class(Arch::X86_64, "zen3", found);
    assert_eq!(without(missing, NOT_ZEN3), [""; 0]);
}

/// The same without masks; half precision, and what other cores have of AVX-512.
const NOT_ZEN4_OR_5: &str = "aadd aand aor axor cmp*xadd aesdec128kl aesdec256kl aesdecwide* aesenc128kl aesenc256kl \
    aesencwide* encodekey* loadiwkey ccmp ctest cfcmov clui stui testui uiret senduipi enclv erets eretu hreset ldtilecfg sttilecfg \
    lkgs montmul pbndkb pconfig ptwrite seam* tcmm* tdcall tdp* umonitor urdmsr uwrmsr v4f* vp4dp* vbcst* vexp2* vmclear \
    vmfunc vmptr* vmread vmwrite vmxo* vpermil2* vsha512* vsm3* vsm4* xabort xbegin xend xtest xcrypt* xsha* xstore \
    xresldtrk xsusldtrk vaddsh vsubsh vmulsh vdivsh vdivph vsqrtsh vsqrtph vcmpsh vcomish vucomish vmovsh vmovw vfcm* \
    vfmulcph vfmulcsh vcvtph* vcvttph* vcvtsh* vcvttsh* vcvtuw2ph vcvtw2ph vcvtdq2ph vcvtudq2ph vcvtqq2ph vcvtuqq2ph \
    vcvtpd2ph vcvtps2phx vcvtsd2sh vcvtss2sh vcvtsi2sh vcvtusi2sh";

#[test]
fn zen5_classes_all_that_it_has() {
    let [_, found] = x86();
    assert!(found.len() > 2500, "{} forms decoded", found.len());
    let missing = in_no_class(Arch::X86_64, "zen5", found);
    assert_eq!(without(missing, NOT_ZEN4_OR_5), [""; 0]);
}

#[test]
fn zen4_classes_all_that_it_has() {
    let [_, found] = x86();
    let missing = in_no_class(Arch::X86_64, "zen4", found);
    assert_eq!(without(missing, NOT_ZEN4_OR_5), [""; 0]);
}

/// The patterns of a cpu's own file that are those of no instruction found. Of forms only `nop` is looked at.
fn dead_patterns(cpu: &str, found: &Found) -> BTreeSet<String> {
    let cpu = load(cpu);
    let is_dead = |pattern: &&String| {
        let (name, form) = pattern.split_once('@').unwrap_or((pattern, ""));
        let name = [name.to_owned()];
        !found.values().any(|instruction| {
            named(&instruction.mnemonic, &name) && (form != "nop" || instruction.no_operation)
        })
    };
    let keys = cpu.names("class").into_iter().map(|class| format!("class.{class}.instructions"));
    let own = keys.filter(|key| cpu.distance(key) == 0);
    own.flat_map(|key| cpu.words(&key).iter().filter(is_dead).cloned().collect::<Vec<_>>()).collect()
}

/// What the walk leaves out: operands with few values, and instructions without any.
const NOT_WALKED_LOONGARCH: &str =
    "armmfflag bcnez csrwr csrwr@scratch ertn movfcsr2gr movgr2fcsr setarm* tlb* x86clrtm \
    x86dectop x86inctop x86mftop x86mttop x86settm";
/// Those whose addresses have a vector of indices, and AMD's XOP map.
const NOT_WALKED_X86: &str = "vgather* vpgather* vscatter* vpscatter* blc* blsfill blsic t1mskc tzmsk";

#[test]
fn every_pattern_is_that_of_an_instruction() {
    let [_, x86] = x86();
    for (cpus, found, not_walked) in [
        (&["power7", "power8", "power9", "power10"][..], &power_64().found, ""),
        (&["mpc885", "e300c2"], &power_32().found, ""),
        (&["la464", "la664"], loongarch(), NOT_WALKED_LOONGARCH),
        (&["golden_cove", "redwood_cove", "zen3", "zen4", "zen5"], x86, NOT_WALKED_X86),
    ] {
        let walked = |pattern: &String| not_walked.split(' ').all(|other| other != pattern);
        for cpu in cpus {
            let dead: Vec<String> = dead_patterns(cpu, found).into_iter().filter(walked).collect();
            assert_eq!(dead, [""; 0], "{cpu}");
        }
    }
}

/// All that can be in a trace can be in a cpu file.
#[test]
fn each_mnemonic_found_may_be_named_in_a_cpu_file() {
    for (arch, found) in [
        (Arch::Powerpc64, &power_64().found),
        (Arch::Powerpc, &power_32().found),
        (Arch::Loongarch64, loongarch()),
        (Arch::X86_64, &x86()[1]),
    ] {
        let known = Decoder::new(arch).unwrap().mnemonics();
        let unknown: BTreeSet<&String> = found
            .keys()
            .map(|(mnemonic, ..)| mnemonic)
            .filter(|mnemonic| !known.contains(*mnemonic))
            .collect();
        assert_eq!(unknown, BTreeSet::new(), "{arch}");
    }
}
