/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AArch64: x19 to x29, d8 to d15 (the upper halves of v8 to v15 are not preserved), and FPCR. */
#define REGISTERS_BYTES 160
#define ALL UINT64_MAX

#define GENERAL(number) { CLASS_GENERAL, "x" #number, 8 * (number - 19), ALL },
#define FLOATING(number) { CLASS_FLOATING, "d" #number, 96 + 8 * (number - 8), ALL },

#define REGISTERS                                                                                    \
	GENERAL(19) GENERAL(20) GENERAL(21) GENERAL(22) GENERAL(23) GENERAL(24) GENERAL(25)          \
	GENERAL(26) GENERAL(27) GENERAL(28) GENERAL(29)                                              \
	FLOATING(8) FLOATING(9) FLOATING(10) FLOATING(11) FLOATING(12) FLOATING(13)                  \
	FLOATING(14) FLOATING(15)                                                                    \
	{ CLASS_CONTROL, "FPCR.RMode", 88, 0x00c00000 }, { CLASS_CONTROL, "FPCR.FZ", 88, 0x01000000 }, \
	{ CLASS_CONTROL, "FPCR.DN", 88, 0x02000000 }, { CLASS_CONTROL, "FPCR.AHP", 88, 0x04000000 },

/* The bits that every implementation has; trap enables read as zero on most. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint64_t fpcr;

	__builtin_memcpy(&fpcr, bytes + 88, 8);
	fpcr &= 0x07c00000;
	__builtin_memcpy(bytes + 88, &fpcr, 8);
}

static inline void registers_prepare(void)
{
}
