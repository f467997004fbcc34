// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The machine that we run on: what it is and which claims it can put to the test natively.

use crate::target::Requirement;
use arch::Arch;
use report::record::MachineRecord;
use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

struct CpuInfo {
    fields: Vec<(String, String)>,
    flags: BTreeSet<String>,
}

fn cpu_info() -> &'static CpuInfo {
    static INFO: OnceLock<CpuInfo> = OnceLock::new();
    INFO.get_or_init(|| parse_cpu_info(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()))
}

fn parse_cpu_info(text: &str) -> CpuInfo {
    let split = |line: &str| {
        line.split_once(':').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
    };
    let fields: Vec<_> = text.lines().filter_map(split).collect();
    let flags = fields
        .iter()
        .filter(|(key, _)| matches!(key.as_str(), "flags" | "Features" | "features"))
        .flat_map(|(_, value)| value.split_whitespace().map(str::to_owned))
        .collect();
    CpuInfo { fields, flags }
}

/// The architecture of this machine, if it is one of ours.
pub fn native_arch() -> Option<Arch> {
    match (std::env::consts::ARCH, cfg!(target_endian = "little")) {
        ("powerpc64", true) => Some(Arch::Powerpc64le),
        ("powerpc64", false) => Some(Arch::Powerpc64),
        (name, _) => name.parse().ok(),
    }
}

/// The first of the flags that this machine does not show, if any.
pub fn missing_flag(requirements: &[&'static Requirement]) -> Option<&'static str> {
    let flags = &cpu_info().flags;
    requirements
        .iter()
        .flat_map(|requirement| requirement.host_flags)
        .find(|flag| !flags.contains(**flag))
        .copied()
}

/// Describes this machine.
pub fn machine() -> MachineRecord {
    let info = cpu_info();
    let field = |name: &str| {
        info.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
    MachineRecord {
        processor: [field("model name"), field("cpu"), field("Model Name")]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_else(|| "unknown".to_owned()),
        identification: format!(
            "family {} model {} stepping {}",
            field("cpu family"),
            field("model"),
            field("stepping")
        ),
        processors_count: std::thread::available_parallelism().map_or(1, usize::from),
        kernel,
        virtualised: info.flags.contains("hypervisor"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_whole_words() {
        let info = parse_cpu_info("model name\t: X\nflags\t\t: fpu avx2 avx512f\n");
        assert!(info.flags.contains("avx2"));
        assert!(!info.flags.contains("avx"));
    }
}
