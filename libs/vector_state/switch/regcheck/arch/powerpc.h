/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 32-bit PowerPC: r14 to r31 and CR2 to CR4; with an FPU f14 to f31; with AltiVec v20 to v31 and VRSAVE. */
#define REGISTERS_BYTES 464
#define ALL UINT64_MAX

/* A big-endian word, read as the upper half of eight bytes. */
#define WORD(mask) ((uint64_t)(mask) << 32)
#define GENERAL(number) { CLASS_GENERAL, "r" #number, 4 * (number - 14), WORD(0xffffffff) },
#define FLOATING(number) { CLASS_FLOATING, "f" #number, 88 + 8 * (number - 14), ALL },
#define VECTOR(number)                                                                  \
	{ CLASS_VECTOR, "v" #number ".high", 240 + 16 * (number - 20), ALL },           \
	{ CLASS_VECTOR, "v" #number ".low", 248 + 16 * (number - 20), ALL },

#ifdef _SOFT_FLOAT
#define REGISTERS_FLOATING
#else
#define REGISTERS_FLOATING                                                                            \
	FLOATING(14) FLOATING(15) FLOATING(16) FLOATING(17) FLOATING(18) FLOATING(19)                 \
	FLOATING(20) FLOATING(21) FLOATING(22) FLOATING(23) FLOATING(24) FLOATING(25)                 \
	FLOATING(26) FLOATING(27) FLOATING(28) FLOATING(29) FLOATING(30) FLOATING(31)                 \
	{ CLASS_CONTROL, "FPSCR.RN", 80, 0x3 }, { CLASS_CONTROL, "FPSCR.NI", 80, 0x4 },               \
	{ CLASS_CONTROL, "FPSCR exception enables", 80, 0xf8 },
#endif
#ifdef __ALTIVEC__
#define REGISTERS_VECTOR                                                                              \
	VECTOR(20) VECTOR(21) VECTOR(22) VECTOR(23) VECTOR(24) VECTOR(25)                             \
	VECTOR(26) VECTOR(27) VECTOR(28) VECTOR(29) VECTOR(30) VECTOR(31)                             \
	{ CLASS_CONTROL, "VRSAVE", 76, WORD(0xffffffff) }, { CLASS_CONTROL, "VSCR.NJ", 440, 0x10000 },
#else
#define REGISTERS_VECTOR
#endif

#define REGISTERS                                                                                     \
	GENERAL(14) GENERAL(15) GENERAL(16) GENERAL(17) GENERAL(18) GENERAL(19) GENERAL(20)           \
	GENERAL(21) GENERAL(22) GENERAL(23) GENERAL(24) GENERAL(25) GENERAL(26) GENERAL(27)           \
	GENERAL(28) GENERAL(29) GENERAL(30) GENERAL(31)                                               \
	{ CLASS_CONDITION, "CR2", 72, WORD(0x00f00000) }, { CLASS_CONDITION, "CR3", 72, WORD(0x000f0000) }, \
	{ CLASS_CONDITION, "CR4", 72, WORD(0x0000f000) },                                             \
	REGISTERS_FLOATING REGISTERS_VECTOR

/* No status bits in FPSCR, where an enabled exception with its status set is one that has happened; NJ alone in VSCR; and
 * VRSAVE with v20's bit, because without a bit of v20 to v31 these count as not in use. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint64_t fpscr, vscr;

	__builtin_memcpy(&fpscr, bytes + 80, 8);
	fpscr &= 0xff;
	__builtin_memcpy(bytes + 80, &fpscr, 8);
	bytes[78] |= 0x08;
	__builtin_memcpy(&vscr, bytes + 440, 8);
	vscr &= 0x10000;
	__builtin_memset(bytes + 432, 0, 8);
	__builtin_memcpy(bytes + 440, &vscr, 8);
}

/* VRSAVE is -1 on Linux after a thread's first vector instruction; QEMU's user mode leaves it at 0. */
static inline void registers_prepare(void)
{
#ifdef __ALTIVEC__
	__asm__ volatile("vor 0, 0, 0\n\tmtspr 256, %0" : : "r"(-1));
#endif
}
