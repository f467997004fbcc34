// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The machine that a kernel of each architecture is built for and booted on: one row each, with its fields in the
//! order a porter needs them.

use arch::Arch;
use lab::{Problem, Result};

/// How to build and boot a kernel of an architecture.
#[derive(Debug)]
pub struct Machine {
    /// The architecture.
    pub arch: Arch,
    /// The board, if it is not the architecture's default machine; its configuration is `kernel/config/ARCH-BOARD.config`.
    pub board: Option<&'static str>,
    /// The kernel's name for it: `make ARCH=`.
    pub kernel_arch: &'static str,
    /// What QEMU boots, below the build folder: the ELF file or the image that the architecture's boot protocol wants.
    pub image: &'static str,
    /// The emulator.
    pub qemu_program: &'static str,
    /// The Debian package that has it; `None` if `./setup` builds it (LoongArch's vectors are newer than Debian's QEMU).
    pub qemu_package: Option<&'static str>,
    /// Whether a trace needs the emulator that `./setup` builds nevertheless, since only there a plugin can read memory.
    pub traced_by_built: bool,
    /// The board, and what it needs besides the kernel.
    pub qemu_arguments: &'static [&'static str],
    /// QEMU's names of the cpu and of its board, if each cpu has a board of its own.
    pub boards: &'static [(&'static str, &'static str)],
    /// The console, as the kernel's command line names it.
    pub console: &'static str,
    /// Whether QEMU can derive time from the instructions executed on it (-icount).
    pub counted_time: bool,
    /// Bytes of the non-volatile memory that the kernel wants to find formatted, which QEMU's own firmware leaves to us.
    pub nvram_bytes: Option<u32>,
    /// Whether it hosts guests, whose code is then part of a recording.
    pub hosts_guests: bool,
    /// CPUs that it boots on: our name, QEMU's. The first is the default.
    pub cpus: &'static [(&'static str, &'static str)],
    /// What QEMU does not model of this architecture, for messages.
    pub not_modelled: &'static str,
}

/// A partition without the mitigations that TCG lacks; QEMU warns on each start unless they are turned off. Its firmware is
/// QEMU's own (VOF), which hands the kernel the device tree and is done; SLOF, the default, is interpreted Forth and takes
/// three quarters of a boot's instructions.
const PSERIES: &[&str] =
    &["-M", "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off,usb=off"];
/// The kernel as it is linked.
const ELF: &str = "vmlinux";

/// What the rows of POWER share.
const POWER: Machine = Machine {
    arch: Arch::Powerpc64le,
    board: None,
    kernel_arch: "powerpc",
    image: ELF,
    qemu_program: "qemu-system-ppc64",
    qemu_package: Some("qemu-system-ppc"),
    traced_by_built: false,
    qemu_arguments: PSERIES,
    boards: &[],
    console: "hvc0",
    counted_time: true,
    nvram_bytes: Some(64 << 10),
    hosts_guests: false,
    cpus: &[("power8", "power8"), ("power9", "power9"), ("power10", "power10")],
    not_modelled:
        "Linux runs little-endian from POWER8 on; QEMU emulates partitions (pseries), not KVM's HV guests",
};

/// What the rows of boards with an ordinary serial line share; most are called `virt`.
const VIRT: Machine = Machine {
    qemu_arguments: &["-M", "virt"],
    console: "ttyS0",
    nvram_bytes: None,
    not_modelled: "",
    ..POWER
};

static MACHINES: [Machine; 8] = [
    Machine {
        arch: Arch::Powerpc,
        qemu_program: "qemu-system-ppc",
        qemu_arguments: &["-M", "mac99,via=pmu"],
        console: "ttyPZ0",
        nvram_bytes: None,
        cpus: &[("7450", "7450")],
        not_modelled:
            "QEMU has no MPC8xx and no e300 board: the only 32-bit machine here is the Power Mac with a 7450",
        ..POWER
    },
    Machine {
        arch: Arch::Powerpc64,
        cpus: &[("power8", "power8"), ("power9", "power9"), ("power10", "power10"), ("power7", "power7")],
        not_modelled: "QEMU emulates partitions (pseries), not KVM's HV guests inside of one",
        ..POWER
    },
    POWER,
    // Without the management controller (BMC) it cannot be powered off.
    Machine {
        board: Some("powernv"),
        qemu_arguments: &["-device", "ipmi-bmc-sim,id=bmc", "-device", "isa-ipmi-bt,bmc=bmc,irq=10"],
        boards: &[("power8", "powernv8"), ("power9", "powernv9")],
        // QEMU ends with "Bad icount read": the processor's time base is read where QEMU does not count instructions.
        counted_time: false,
        nvram_bytes: None,
        hosts_guests: true,
        cpus: &[("power8", "power8"), ("power9", "power9")],
        not_modelled:
            "the bare machine, where KVM HV runs, is here a POWER8's or a POWER9's, with one thread a core",
        ..POWER
    },
    Machine {
        arch: Arch::Loongarch64,
        kernel_arch: "loongarch",
        qemu_program: "qemu-system-loongarch64",
        qemu_package: None,
        cpus: &[("la464", "la464")],
        not_modelled: "QEMU has the LA464, and no LA664",
        ..VIRT
    },
    Machine {
        arch: Arch::X86_64,
        kernel_arch: "x86_64",
        qemu_program: "qemu-system-x86_64",
        qemu_package: Some("qemu-system-x86"),
        // A call's return address is in memory, which the plugin has to read.
        traced_by_built: true,
        // The firmware only reports the first core of each package to the kernel.
        qemu_arguments: &["-M", "pc", "-smp", "cores=1,threads=1"],
        cpus: &[
            ("golden_cove", "max"),
            ("redwood_cove", "max"),
            ("zen3", "max"),
            ("zen4", "max"),
            ("zen5", "max"),
        ],
        not_modelled: "QEMU emulates neither AVX-512 nor the cores' own model numbers",
        ..VIRT
    },
    Machine {
        arch: Arch::Aarch64,
        kernel_arch: "arm64",
        image: "arch/arm64/boot/Image",
        qemu_program: "qemu-system-aarch64",
        qemu_package: Some("qemu-system-arm"),
        console: "ttyAMA0",
        cpus: &[("cortex-a72", "cortex-a72"), ("max", "max")],
        ..VIRT
    },
    Machine {
        arch: Arch::Riscv64,
        kernel_arch: "riscv",
        image: "arch/riscv/boot/Image",
        qemu_program: "qemu-system-riscv64",
        qemu_package: Some("qemu-system-misc"),
        cpus: &[("rv64", "rv64"), ("rv64v", "rv64,v=true,vext_spec=v1.0"), ("sifive-u74", "rv64")],
        ..VIRT
    },
];

impl Machine {
    /// The default machine of an architecture.
    pub fn of(arch: Arch) -> &'static Machine {
        MACHINES
            .iter()
            .find(|machine| machine.arch == arch && machine.board.is_none())
            .expect("every Arch has a machine; a test holds it")
    }

    /// The machine of a board, or the default one.
    pub fn named(arch: Arch, board: Option<&str>) -> Result<&'static Machine> {
        let Some(board) = board else { return Ok(Machine::of(arch)) };
        let mut others = MACHINES.iter().filter(|machine| machine.board.is_some());
        others.clone().find(|machine| machine.arch == arch && machine.board == Some(board)).ok_or_else(|| {
            let known =
                others.by_ref().map(|it| format!("-a {} --board {}", it.arch, it.board.unwrap_or_default()));
            Problem::new(format!("there is no board '{board}' for a kernel of {arch}"))
                .remedy(format!("leave --board out, or choose: {}", known.collect::<Vec<_>>().join(", ")))
        })
    }

    /// The name for its files: the architecture, and the board if it is not the default one.
    pub fn name(&self) -> String {
        match self.board {
            Some(board) => format!("{}-{board}", self.arch),
            None => self.arch.to_string(),
        }
    }

    /// QEMU's arguments for a cpu, by QEMU's name of it.
    pub fn arguments(&self, cpu: &str) -> Vec<&'static str> {
        let board = self.boards.iter().find(|(of, _)| *of == cpu);
        board
            .into_iter()
            .flat_map(|(_, board)| ["-M", *board])
            .chain(self.qemu_arguments.iter().copied())
            .collect()
    }

    /// The make target of the image that QEMU boots; `None` if QEMU boots the ELF file.
    pub fn image_target(&self) -> Option<&'static str> {
        (self.image != ELF).then(|| self.image.rsplit('/').next().unwrap_or(self.image))
    }

    /// QEMU's name of the cpu that we call `name`; without a name, of the default cpu.
    pub fn cpu(&self, name: Option<&str>) -> Result<&'static str> {
        let Some(name) = name else { return Ok(self.cpus[0].1) };
        self.cpus.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| *theirs).ok_or_else(|| {
            let known: Vec<&str> = self.cpus.iter().map(|(ours, _)| *ours).collect();
            let why = if self.not_modelled.is_empty() {
                String::new()
            } else {
                format!(" ({})", self.not_modelled)
            };
            Problem::new(format!("a kernel for {} cannot be booted on the cpu '{name}' here{why}", self.arch))
                .remedy(format!("choose one of: {}", known.join(" ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arch_has_a_machine_and_a_cpu() {
        for arch in Arch::ALL {
            let machine = Machine::of(arch);
            assert!(machine.cpu(None).is_ok(), "{arch}");
            assert_eq!(machine.arch, arch);
        }
    }

    #[test]
    fn a_board_is_another_machine_of_its_architecture() {
        let host = Machine::named(Arch::Powerpc64le, Some("powernv")).unwrap();
        assert_eq!(
            (host.name().as_str(), Machine::of(Arch::Powerpc64le).board),
            ("powerpc64le-powernv", None)
        );
        for (_, cpu) in host.cpus {
            assert_eq!(host.arguments(cpu)[1], format!("powernv{}", cpu.trim_start_matches("power")));
        }
        let problem = Machine::named(Arch::Aarch64, Some("powernv")).unwrap_err().to_string();
        assert!(problem.contains("-a powerpc64le --board powernv"), "{problem}");
    }

    #[test]
    fn a_cpu_that_does_not_boot_is_refused_with_those_that_do() {
        let problem = Machine::of(Arch::Powerpc).cpu(Some("e300c2")).unwrap_err().to_string();
        assert!(problem.contains("no e300 board") && problem.contains("7450"), "{problem}");
    }
}
