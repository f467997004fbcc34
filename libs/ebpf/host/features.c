/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the CPU that this runs on can do, as the feature bits of struct ebpf_target. */
#include "host.h"

#if defined(__x86_64__)

static void cpuid(uint32_t leaf, uint32_t registers[4])
{
	__asm__("cpuid" : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3]) : "a"(leaf), "c"(0));
}

/* Intel SDM volume 2, CPUID: leaf 1 ecx bit 9 SSSE3, bit 22 MOVBE; leaf 7 ebx bit 8 BMI2. */
uint32_t ebpf_host_features(void)
{
	uint32_t registers[4], features = 0;

	cpuid(1, registers);
	features |= registers[2] >> 9 & 1 ? EBPF_X86_SSSE3 : 0;
	features |= registers[2] >> 22 & 1 ? EBPF_X86_MOVBE : 0;
	cpuid(0, registers);
	if (registers[0] >= 7) {
		cpuid(7, registers);
		features |= registers[1] >> 8 & 1 ? EBPF_X86_BMI2 : 0;
	}
	return features;
}

#elif defined(__powerpc64__)

#define AT_HWCAP 16
#define AT_HWCAP2 26

/*
 * Linux, Documentation/arch/powerpc/elf_hwcaps.rst: ARCH_2_06 and HAS_VSX in hwcap; ARCH_2_07, ARCH_3_00, ARCH_3_1 in hwcap2.
 * VSX is a feature of its own, which an ISA 3.0 core or its kernel may be without; a program may write all vector registers.
 */
uint32_t ebpf_host_features(void)
{
	uint64_t hwcap = ebpf_host_auxiliary(AT_HWCAP), hwcap2 = ebpf_host_auxiliary(AT_HWCAP2);
	uint32_t features = 0;

	features |= hwcap & 0x00000100 ? EBPF_POWER_ISA206 : 0;
	features |= hwcap2 & 0x80000000 ? EBPF_POWER_ISA207 : 0;
	features |= hwcap2 & 0x00800000 ? EBPF_POWER_ISA300 : 0;
	features |= hwcap2 & 0x00040000 ? EBPF_POWER_ISA310 : 0;
	features |= hwcap & 0x00000080 ? EBPF_POWER_VSX : 0;
	return features;
}

#elif defined(__loongarch__)

#define AT_HWCAP 16

/* Linux, arch/loongarch/include/uapi/asm/hwcap.h: LAM. Unaligned accesses need no bit: kernels emulate those of general registers. */
uint32_t ebpf_host_features(void)
{
	return ebpf_host_auxiliary(AT_HWCAP) & 1 << 1 ? EBPF_LOONGARCH_LAM : 0;
}

#else

uint32_t ebpf_host_features(void)
{
	return 0;
}

#endif
