/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit POWER, ELFv2: r14 to r31, CR2 to CR4, f14 to f31, v20 to v31, and the control bits of FPSCR and VSCR. */
#define REGISTERS_BYTES 512
#define ALL UINT64_MAX

#define GENERAL(number) { CLASS_GENERAL, "r" #number, 8 * (number - 14), ALL },
#define FLOATING(number) { CLASS_FLOATING, "f" #number, 160 + 8 * (number - 14), ALL },
#ifdef __LITTLE_ENDIAN__
#define VECTOR_HIGH 8
#define VSCR_MASK 0x10000 /* VSCR is the vector's last word, which stvx stores first */
#define VSCR_OFFSET 496
#define FPSCR_UPPER_OFFSET 156
#else
#define VECTOR_HIGH 0
#define VSCR_MASK 0x10000
#define VSCR_OFFSET 504
#define FPSCR_UPPER_OFFSET 152
#endif
#define VECTOR(number)                                                                              \
	{ CLASS_VECTOR, "v" #number ".high", 304 + 16 * (number - 20) + VECTOR_HIGH, ALL },         \
	{ CLASS_VECTOR, "v" #number ".low", 304 + 16 * (number - 20) + (8 - VECTOR_HIGH), ALL },

#define REGISTERS                                                                                     \
	GENERAL(14) GENERAL(15) GENERAL(16) GENERAL(17) GENERAL(18) GENERAL(19) GENERAL(20)           \
	GENERAL(21) GENERAL(22) GENERAL(23) GENERAL(24) GENERAL(25) GENERAL(26) GENERAL(27)           \
	GENERAL(28) GENERAL(29) GENERAL(30) GENERAL(31)                                               \
	{ CLASS_CONDITION, "CR2", 144, 0x00f00000 }, { CLASS_CONDITION, "CR3", 144, 0x000f0000 },     \
	{ CLASS_CONDITION, "CR4", 144, 0x0000f000 },                                                  \
	FLOATING(14) FLOATING(15) FLOATING(16) FLOATING(17) FLOATING(18) FLOATING(19)                 \
	FLOATING(20) FLOATING(21) FLOATING(22) FLOATING(23) FLOATING(24) FLOATING(25)                 \
	FLOATING(26) FLOATING(27) FLOATING(28) FLOATING(29) FLOATING(30) FLOATING(31)                 \
	VECTOR(20) VECTOR(21) VECTOR(22) VECTOR(23) VECTOR(24) VECTOR(25)                             \
	VECTOR(26) VECTOR(27) VECTOR(28) VECTOR(29) VECTOR(30) VECTOR(31)                             \
	{ CLASS_CONTROL, "FPSCR.RN", 152, 0x3 }, { CLASS_CONTROL, "FPSCR.NI", 152, 0x4 },             \
	{ CLASS_CONTROL, "FPSCR exception enables", 152, 0xf8 },                                      \
	{ CLASS_CONTROL, "FPSCR.DRN", 152, UINT64_C(0x700000000) },                                   \
	{ CLASS_CONTROL, "VSCR.NJ", VSCR_OFFSET, (uint64_t)VSCR_MASK },

/* No status bits in FPSCR, where an enabled exception with its status set is one that has happened; NJ alone in VSCR. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint64_t fpscr, vscr;

	__builtin_memcpy(&fpscr, bytes + 152, 8);
	fpscr &= UINT64_C(0x7000000ff);
	__builtin_memcpy(bytes + 152, &fpscr, 8);
	__builtin_memcpy(&vscr, bytes + VSCR_OFFSET, 8);
	vscr &= VSCR_MASK;
	__builtin_memset(bytes + 496, 0, 16);
	__builtin_memcpy(bytes + VSCR_OFFSET, &vscr, 8);
}

/*
 * Linux sets VRSAVE to all ones at a thread's first vector instruction; QEMU's user mode never does, and glibc's
 * swapcontext would skip the vectors for it. On real machines this changes nothing, because of the first line.
 */
static inline void registers_prepare(void)
{
	__asm__ volatile("vor 0, 0, 0\n\tmtspr 256, %0" : : "r"(-1L));
}
