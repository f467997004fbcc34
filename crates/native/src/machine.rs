// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Which core this is, and which cpu file describes it.

use predict::Cpu;
use std::path::Path;

/// Why there is no cpu file for this machine.
#[derive(Debug, thiserror::Error)]
pub enum NotDescribed {
    /// Not an x86-64 machine.
    #[error("native loops are run on x86-64 only, and this machine is none")]
    OtherArch,
    /// No file names this machine.
    #[error("no cpu file describes this machine, which CPUID calls '{machine}'; those that name machines: {}", described.join(", "))]
    Nobody {
        /// The machine's name, from CPUID.
        machine: String,
        /// Each cpu whose file names machines, with the machine.
        described: Vec<String>,
    },
    /// A cpu file is wrong.
    #[error(transparent)]
    Cpu(#[from] predict::CpuError),
}

/// Maker, family and model as CPUID gives them, as cpu files write them: `AuthenticAMD 25 1`.
#[cfg(target_arch = "x86_64")]
pub fn name() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 machine has CPUID. Newer compilers declare these functions safe.
    let (maker, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
    let bytes: Vec<u8> =
        [maker.ebx, maker.edx, maker.ecx].iter().flat_map(|word| word.to_le_bytes()).collect();
    let (family, model) = family_and_model(version);
    Some(format!("{} {family} {model}", String::from_utf8_lossy(&bytes)))
}

/// Maker, family and model as CPUID gives them.
#[cfg(not(target_arch = "x86_64"))]
pub fn name() -> Option<String> {
    None
}

/// Family and model from CPUID's leaf 1, with the extended fields added as the makers' manuals say.
fn family_and_model(version: u32) -> (u32, u32) {
    let field = |shift: u32, bits: u32| version >> shift & ((1 << bits) - 1);
    let (family, model) = (field(8, 4), field(4, 4));
    let extended = if family == 15 { family + field(20, 8) } else { family };
    (extended, if matches!(family, 6 | 15) { field(16, 4) << 4 | model } else { model })
}

/// Whether a cpu file's `entry` names that machine: by what CPUID says, and by flags. A host may give its guests another core's
/// number, but not instructions that this core lacks.
fn is_named(entry: &str, machine: &str, flags: &[String]) -> bool {
    entry.strip_prefix(machine).is_some_and(|rest| match rest.strip_prefix(' ') {
        Some(needed) => needed.split(' ').all(|needed| flags.iter().any(|flag| flag == needed)),
        None => rest.is_empty(),
    })
}

/// The flags of this machine, as Linux names them.
fn flags() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("flags")?.trim_start().strip_prefix(':'));
    line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Whether the cpu's file names this machine.
pub fn is_described_by(cpu: &Cpu) -> bool {
    let flags = flags();
    name().is_some_and(|machine| cpu.words("machine").iter().any(|entry| is_named(entry, &machine, &flags)))
}

/// The cpu in `dir` whose file names this machine.
pub fn described_in(dir: &Path) -> Result<Cpu, NotDescribed> {
    let machine = name().ok_or(NotDescribed::OtherArch)?;
    let flags = flags();
    let mut described = Vec::new();
    for name in Cpu::list(dir) {
        let cpu = Cpu::load(dir, &name)?;
        if cpu.words("machine").iter().any(|entry| is_named(entry, &machine, &flags)) {
            return Ok(cpu);
        }
        described.extend(cpu.words("machine").iter().map(|machine| format!("{} ({machine})", cpu.name)));
    }
    Err(NotDescribed::Nobody { machine, described })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_tells_cores_of_one_number_apart() {
        let has = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>();
        let is_named = |entry, flags: &[&str]| is_named(entry, "GenuineIntel 6 16", &has(flags));
        assert!(is_named("GenuineIntel 6 16", &[]));
        assert!(!is_named("GenuineIntel 6 167", &["amx_tile"]), "another number");
        assert!(is_named("GenuineIntel 6 16 amx_tile", &["fpu", "amx_tile"]));
        assert!(!is_named("GenuineIntel 6 16 amx_tile", &["fpu", "amx_tile2"]));
    }

    #[test]
    fn family_and_model_are_put_together_as_the_manuals_say() {
        assert_eq!(family_and_model(0x00a0_0f11), (25, 1), "Zen 3, Milan");
        assert_eq!(family_and_model(0x000c_06f2), (6, 207), "Emerald Rapids");
    }
}
