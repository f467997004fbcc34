// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The tests that a patch has to pass in a booted kernel: the kernel's own, as programs (selftests) and as modules (KUnit,
//! test_bpf), and ours. Each runs in a boot of its own, and its output is parsed so that a failed case is named.

use crate::boot::Outcome;
use crate::conformance;
use crate::console::without_time;
use crate::machine::Machine;
use crate::patch::{self, Patch};
use crate::test_bpf;
use crate::workload::{self, Run};
use crate::Built;
use arch::Arch;
use lab::build::digest;
use lab::cache::{read_text, Workspace};
use lab::process::Command;
use lab::target::Target;
use lab::toolchain::{Compiler, CompilerKind};
use lab::{Problem, Result};
use std::path::PathBuf;

/// At most this many failed cases are named; the console's log has all.
const NAMED_MAX: usize = 12;
/// The exit status of a selftest that skips itself (KSFT_SKIP in kselftest.h).
const SELFTEST_SKIPS: i32 = 4;

/// A test by its name.
#[derive(Debug)]
pub struct Test {
    /// What the command line calls it.
    pub name: &'static str,
    /// What it tests, for lists.
    pub what: &'static str,
    archs: &'static [Arch],
    how: How,
}

#[derive(Debug)]
enum How {
    /// A workload of ours: it exits with status 0, or prints lines of the form `PART: lost ...`, `NAME: wrong: ...` or
    /// with `FAILED`.
    Workload,
    /// A workload of ours as well, whose output crate::conformance parses.
    Conformance,
    /// tools/testing/selftests/powerpc/math: the program and this file of assembly.
    Math(&'static str),
    /// tools/testing/selftests/vDSO: the program and these further files.
    Vdso(&'static [&'static str]),
    /// Modules to load in this order; the last one prints its results on the console.
    Modules(&'static [&'static str], Tells),
}

#[derive(Clone, Copy, Debug)]
enum Tells {
    /// TAP, as KUnit prints it.
    Kunit,
    /// Lines that crate::test_bpf parses.
    TestBpf,
}

const POWER64: &[Arch] = &[Arch::Powerpc64, Arch::Powerpc64le];
/// Architectures whose static C library ./setup installs; Debian 12 has none for LoongArch.
const WITH_LIBRARY: &[Arch] =
    &[Arch::Powerpc, Arch::Powerpc64, Arch::Powerpc64le, Arch::X86_64, Arch::Aarch64, Arch::Riscv64];
/// aarch64's vDSO has no getcpu; powerpc's 32-bit vDSO only has it in a kernel for one processor.
const WITH_GETCPU: &[Arch] = &[Arch::Powerpc64, Arch::Powerpc64le, Arch::X86_64, Arch::Riscv64];
const PARSE: &[&str] = &["parse_vdso.c"];
/// vDSOs without `time`, whose case vdso_test_abi skips.
const WITHOUT_TIME: &[Arch] = &[Arch::Aarch64, Arch::Riscv64];

/// The test that needs a KVM host, which the default machines are not.
const GUEST_SWITCH: &str = "guest_switch";

/// Every test.
pub static TESTS: [Test; 18] = [
    Test {
        name: "regcheck",
        what: "every floating-point and vector register, over switches, preemption, signals and forks",
        archs: &[Arch::Powerpc, Arch::Powerpc64, Arch::Powerpc64le, Arch::Loongarch64],
        how: How::Workload,
    },
    Test {
        name: "vmx_syscall",
        what: "the kernel's selftest: Altivec registers over fork and system calls",
        archs: POWER64,
        how: How::Math("vmx_asm.S"),
    },
    Test {
        name: "vmx_preempt",
        what: "the kernel's selftest: Altivec registers of threads that are preempted for 20 s",
        archs: POWER64,
        how: How::Math("vmx_asm.S"),
    },
    Test {
        name: "vmx_signal",
        what: "the kernel's selftest: Altivec registers as a signal handler finds them",
        archs: POWER64,
        how: How::Math("vmx_asm.S"),
    },
    Test {
        name: "vsx_preempt",
        what: "the kernel's selftest: VSX registers of threads that are preempted for 20 s",
        archs: POWER64,
        how: How::Math("vsx_asm.S"),
    },
    Test {
        name: "checksum",
        what: "lib/checksum_kunit: csum_partial, csum_fold, csum_ipv6_magic, ip_fast_csum",
        archs: &Arch::ALL,
        how: How::Modules(&["kunit", "checksum_kunit"], Tells::Kunit),
    },
    Test {
        name: "test_bpf",
        what: "lib/test_bpf: all of its programs, compiled by the JIT",
        archs: &Arch::ALL,
        how: How::Modules(&["test_bpf"], Tells::TestBpf),
    },
    Test {
        name: GUEST_SWITCH,
        what: "VSX registers of host and guest over switches to a guest of KVM HV and back; --board powernv",
        archs: &[Arch::Powerpc64le],
        how: How::Workload,
    },
    Test {
        name: "bpf_conformance",
        what: "bpf_conformance's programs, compiled by the JIT, each as the verifier optimises it and as it stands",
        archs: &Arch::ALL,
        how: How::Conformance,
    },
    Test {
        name: "vdso_verify",
        what: "the vDSO's clocks by turns with the system calls, as vdsotest does it",
        archs: &Arch::ALL,
        how: How::Workload,
    },
    Test {
        name: "vdso_abi",
        what: "the vDSO's calls with pointers and clocks that are none, as vdsotest does it",
        archs: &Arch::ALL,
        how: How::Workload,
    },
    Test {
        name: "vdso_verify_32",
        what: "vdso_verify in the vDSO that programs of 32 bits get",
        archs: &[Arch::Powerpc64],
        how: How::Workload,
    },
    Test {
        name: "vdso_abi_32",
        what: "vdso_abi in the vDSO that programs of 32 bits get",
        archs: &[Arch::Powerpc64],
        how: How::Workload,
    },
    Test {
        name: "vdso_test_abi",
        what: "the kernel's selftest: each clock of the vDSO, its time and resolution",
        archs: WITH_LIBRARY,
        how: How::Vdso(PARSE),
    },
    Test {
        name: "vdso_test_clock_getres",
        what: "the kernel's selftest: resolutions as the C library and as the system call tell them",
        archs: WITH_LIBRARY,
        how: How::Vdso(&[]),
    },
    Test {
        name: "vdso_test_getcpu",
        what: "the kernel's selftest: the vDSO tells a processor",
        archs: WITH_GETCPU,
        how: How::Vdso(PARSE),
    },
    Test {
        name: "vdso_test_gettimeofday",
        what: "the kernel's selftest: the vDSO tells the time",
        archs: WITH_LIBRARY,
        how: How::Vdso(PARSE),
    },
    Test {
        name: "bpfcheck",
        what: "swaps behind loads and moves, and signs that moves extend, which test_bpf has not, compiled by the JIT",
        archs: &Arch::ALL,
        how: How::Workload,
    },
];

/// What a test found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Cases that passed, where the test counts them.
    pub passed: Option<u64>,
    /// The names of cases that failed.
    pub failed: Vec<String>,
    /// Why it does not count as passed; `None` if it does.
    pub failure: Option<String>,
    /// What the kernel refused and has to refuse, one line per reason.
    pub refused: Vec<String>,
    /// A line of further information, also for a test that passed.
    pub note: Option<String>,
}

impl Test {
    /// The tests of these names, in the order of the list; without names, all tests for the machine.
    pub fn named(machine: &Machine, names: &[String]) -> Result<Vec<&'static Test>> {
        let arch = machine.name();
        let fits = |test: &&Test| {
            test.archs.contains(&machine.arch) && (test.name != GUEST_SWITCH || machine.hosts_guests)
        };
        let here: Vec<&Test> = TESTS.iter().filter(fits).collect();
        for name in names {
            if !here.iter().any(|test| test.name == name) {
                let known: Vec<&str> = here.iter().map(|test| test.name).collect();
                return Err(Problem::new(format!("there is no test '{name}' for a kernel of {arch}"))
                    .remedy(format!("choose from: {}", known.join(" "))));
            }
        }
        Ok(here
            .into_iter()
            .filter(|test| names.is_empty() || names.iter().any(|name| name == test.name))
            .collect())
    }

    /// The problem with what it needs from outside of the checkout, if that is missing.
    pub fn lacks(&self, workspace: &Workspace) -> Option<Problem> {
        match self.how {
            How::Conformance => conformance::suite(workspace).err(),
            _ => None,
        }
    }

    /// What to run in the kernel.
    pub fn run(&self, workspace: &Workspace, built: &Built, patches: &[Patch]) -> Result<Run> {
        match &self.how {
            How::Workload | How::Conformance => workload::find(workspace, built.arch, self.name, &[]),
            How::Math(assembly) => {
                let assembly = format!("math/{assembly}");
                let main = format!("math/{}.c", self.name);
                let files = [main.as_str(), "harness.c", "utils.c", &assembly];
                let selftest =
                    Selftest { name: self.name, folder: "powerpc", flags: MATH_FLAGS, files: &files };
                Ok(Run { program: Some(selftest.build(workspace, built, patches)?), ..Run::default() })
            }
            How::Vdso(further) => {
                let main = format!("{}.c", self.name);
                let files: Vec<&str> = [main.as_str()].into_iter().chain(further.iter().copied()).collect();
                let selftest = Selftest { name: self.name, folder: "vDSO", flags: &[], files: &files };
                Ok(Run { program: Some(selftest.build(workspace, built, patches)?), ..Run::default() })
            }
            How::Modules(names, _) => {
                let modules = names.iter().map(|name| built.module(name)).collect::<Result<_>>()?;
                Ok(Run { modules, ..Run::default() })
            }
        }
    }

    /// The verdict that its run gives.
    pub fn verdict(&self, workspace: &Workspace, arch: Arch, outcome: &Outcome) -> Result<Verdict> {
        let mut verdict = match &self.how {
            How::Workload => lost(&outcome.stdout),
            How::Conformance => conformance::verdict(&outcome.stdout),
            How::Math(_) => of_selftest(self.name, outcome),
            How::Vdso(_) => of_vdso(arch, outcome),
            How::Modules(_, tells) => {
                let log = read_text(&outcome.log)?;
                let lines: Vec<&str> = log.lines().map(|line| without_time(line.trim_end())).collect();
                match tells {
                    Tells::Kunit => of_kunit(&lines),
                    Tells::TestBpf => {
                        let differs = read_text(&workspace.root.join(test_bpf::DIFFERS))?;
                        test_bpf::verdict(&lines, &test_bpf::left_to_interpreter(&differs, arch)?)
                    }
                }
            }
        };
        // A failure of the kernel takes precedence over the test's result up to then.
        if let Some(failure) = outcome.failure() {
            if outcome.kernel_failed() || verdict.failure.is_none() {
                verdict.failure = Some(failure);
            }
        }
        if let (None, Some(complaint)) = (&verdict.failure, outcome.complaints.first()) {
            verdict.failure = Some(format!("the kernel complained: {complaint}"));
        }
        verdict.failed.truncate(NAMED_MAX);
        Ok(verdict)
    }
}

const MATH_FLAGS: &[&str] = &[
    "-pthread",
    "-m64",
    "-maltivec",
    "-mvsx",
    "-D_GNU_SOURCE=",
    "-DGIT_VERSION=\"assay\"",
    "-Iinclude",
    "-I..",
];

/// A program of tools/testing/selftests, built as its Makefile does, but static.
struct Selftest<'a> {
    name: &'a str,
    /// The folder below selftests.
    folder: &'a str,
    flags: &'a [&'a str],
    /// The first has `main`.
    files: &'a [&'a str],
}

impl Selftest<'_> {
    fn build(&self, workspace: &Workspace, built: &Built, patches: &[Patch]) -> Result<PathBuf> {
        let Built { arch, source, .. } = built;
        let compiler = Compiler::of(CompilerKind::Gcc, Target::of(*arch))?;
        let state = [source.state(), patch::digest_of(patches)].concat();
        let key = digest(&[&source.identity, &compiler.version, self.name, &state, "3"]);
        let name = format!("{}-{arch}-{}", self.name, &key[..16]);
        let finished = workspace.folder("programs")?.join(name);
        if finished.is_file() {
            return Ok(finished);
        }
        let program = workspace.scratch(".program")?;
        // A series may change the tests, or what they are made of.
        let tree = workspace.scratch(".tree")?;
        let changed = patches.iter().any(|patch| patch.touched.iter().any(|path| path.starts_with("tools")));
        let top = match changed {
            true => {
                patch::patched_tree(source, patches, tree.path())?;
                tree.path()
            }
            false => &source.folder,
        };
        let folder = top.join("tools/testing/selftests").join(self.folder);
        // Without our target flags: the C library is for the compiler's default ABI, which for powerpc64 is not ours.
        let output = Command::new(&compiler.program)
            .args(["-static", "-std=gnu99", "-O2"])
            .args(self.flags)
            .args(self.files)
            .arg("-o")
            .arg(program.path())
            .folder(&folder)
            .run()?;
        if !output.success() {
            let why = Problem::new(format!("the kernel's selftest does not build: {}", output.head(4)));
            return Err(why.at(folder.join(self.files[0]).display()).remedy(
                "a static C library of the architecture is needed (such as libc6-dev-ppc64el-cross); ./setup --kernel brings it",
            ));
        }
        program.keep_as(&finished)
    }
}

fn lost(stdout: &str) -> Verdict {
    let failed = stdout
        .lines()
        .filter(|line| [": lost ", ": wrong: ", "FAILED"].iter().any(|word| line.contains(word)))
        .map(str::to_owned)
        .collect();
    counted(None, failed)
}

/// A verdict from cases alone.
pub(crate) fn counted(passed: Option<u64>, failed: Vec<String>) -> Verdict {
    let failure = match failed.len() {
        0 => None,
        1 => Some("a case failed".to_owned()),
        count => Some(format!("{count} cases failed")),
    };
    Verdict { passed, failed, failure, ..Verdict::default() }
}

/// The harness prints `success:`, `failure:` or `skip:` and the name, after what its checks found.
fn of_selftest(name: &str, outcome: &Outcome) -> Verdict {
    let text = format!("{}{}", outcome.stdout, outcome.stderr);
    let said = |word: &str| text.lines().any(|line| line.starts_with(&format!("{word}: {name}")));
    if said("skip") || outcome.ending == crate::Ending::Exited(SELFTEST_SKIPS) {
        let failure = Some("it skipped itself: this cpu lacks what it tests".to_owned());
        return Verdict { failure, ..Verdict::default() };
    }
    if said("success") {
        return counted(None, Vec::new());
    }
    let found = text.lines().filter(|line| !line.starts_with("test:") && !line.starts_with("tags:"));
    let mut verdict = counted(None, found.map(str::to_owned).collect());
    verdict.failure = Some("the kernel's selftest failed".to_owned());
    verdict
}

/// A program with cases prints `ok N WHAT` or `WHAT [PASS]`, and `not ok N WHAT` or `WHAT [FAIL]`; others only have an
/// exit status. `ok N # SKIP WHAT` is a function that it has not found, which fails where the vDSO has to have it.
fn of_vdso(arch: Arch, outcome: &Outcome) -> Verdict {
    if outcome.ending == crate::Ending::Exited(SELFTEST_SKIPS) {
        let failure = Some(format!("it skipped itself: {}", outcome.stdout.trim()));
        return Verdict { failure, ..Verdict::default() };
    }
    let lines = || outcome.stdout.lines().map(str::trim);
    let is_skipped = |line: &&str| line.starts_with("ok ") && line.contains(" # SKIP ");
    let is_absent = |line: &&str| WITHOUT_TIME.contains(&arch) && line.ends_with("_time");
    let passed = |line: &&str| (line.starts_with("ok ") || line.ends_with("[PASS]")) && !is_skipped(line);
    let failed = |line: &&str| {
        line.starts_with("not ok ") || line.ends_with("[FAIL]") || (is_skipped(line) && !is_absent(line))
    };
    let passed = lines().filter(passed).count() as u64;
    let failed = lines().filter(failed).map(str::to_owned).collect();
    let mut verdict = counted((passed > 0).then_some(passed), failed);
    let absent = lines().filter(|line| is_skipped(line) && is_absent(line)).count();
    verdict.note = (absent > 0).then(|| format!("{absent} skipped: the vDSO of {arch} has no time"));
    verdict
}

/// KUnit prints `not ok N NAME` for a failed case, `ok N NAME # SKIP REASON` for one that skipped itself, which shows nothing of
/// the patch, and the totals as `# Totals: pass:5 fail:0 skip:0 total:5`.
fn of_kunit(lines: &[&str]) -> Verdict {
    let is_no_success = |line: &&str| line.starts_with("not ok ") || line.contains(" # SKIP");
    let failed: Vec<String> = lines
        .iter()
        .map(|line| line.trim_start())
        .filter(is_no_success)
        .filter_map(|line| line.strip_prefix("not ok ").or_else(|| line.strip_prefix("ok ")))
        .filter_map(|rest| Some(rest.split_once(' ')?.1.trim().to_owned()))
        .collect();
    let passed = lines
        .iter()
        .rev()
        .find_map(|line| line.trim_start().strip_prefix("# Totals: pass:")?.split(' ').next()?.parse().ok());
    let mut verdict = counted(passed, failed);
    if passed.unwrap_or(0) == 0 && verdict.failure.is_none() {
        verdict.failure = Some("KUnit ran no case".to_owned());
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A program that exited with status 0 after it printed this.
    fn outcome(stdout: &str) -> Outcome {
        Outcome {
            ending: crate::Ending::Exited(0),
            started: true,
            begun: true,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            complaints: Vec::new(),
            modules_refused: Vec::new(),
            files: Vec::new(),
            damaged: 0,
            log: PathBuf::new(),
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn a_function_that_the_vdso_lacks_has_not_passed() {
        let ran = outcome("TAP version 13\nok 1 __kernel_gettimeofday\nok 2 # SKIP __kernel_time\n");
        let found = of_vdso(Arch::Powerpc64le, &ran);
        assert_eq!((found.passed, found.failed), (Some(1), vec!["ok 2 # SKIP __kernel_time".to_owned()]));
        let found = of_vdso(Arch::Aarch64, &ran);
        assert_eq!((found.passed, found.failure), (Some(1), None));
        assert_eq!(found.note.as_deref(), Some("1 skipped: the vDSO of aarch64 has no time"));
        let ran = outcome("ok 1 # SKIP __vdso_clock_gettime CLOCK_TAI\nclock_id: CLOCK_TAI [PASS]\n");
        let found = of_vdso(Arch::Riscv64, &ran);
        assert_eq!((found.passed, found.failed.len()), (Some(1), 1));
    }

    #[test]
    fn kunit_is_read_and_silence_is_no_success() {
        let good = [
            "KTAP version 1",
            "    ok 1 test_csum",
            "# Totals: pass:5 fail:0 skip:0 total:5",
            "ok 1 checksum",
        ];
        assert_eq!(of_kunit(&good), Verdict { passed: Some(5), ..Verdict::default() });
        let bad = [
            "    not ok 2 test_csum_all_carry_inputs",
            "# Totals: pass:4 fail:1 skip:0 total:5",
            "not ok 1 checksum",
        ];
        assert_eq!(of_kunit(&bad).failed, ["test_csum_all_carry_inputs", "checksum"]);
        let skipped = [
            "    ok 1 test_csum",
            "    ok 2 test_ip_fast_csum # SKIP no such thing here",
            "# Totals: pass:1 fail:0 skip:1 total:2",
            "ok 1 checksum",
        ];
        assert_eq!(of_kunit(&skipped).failed, ["test_ip_fast_csum # SKIP no such thing here"]);
        assert!(of_kunit(&["kunit: disabled"]).failure.unwrap().contains("no case"));
    }
}
