/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* LoongArch, LP64D: fp, s0 to s8, fs0 to fs7 (64 bits; what LSX and LASX have above is not preserved) and fcsr0's control. */
#define REGISTERS_BYTES 160
#define ALL UINT64_MAX

#define GENERAL(number) { CLASS_GENERAL, "s" #number, 8 + 8 * number, ALL },
#define FLOATING(number) { CLASS_FLOATING, "fs" #number, 88 + 8 * number, ALL },

#define REGISTERS                                                                                       \
	{ CLASS_GENERAL, "fp", 0, ALL }, GENERAL(0) GENERAL(1) GENERAL(2) GENERAL(3) GENERAL(4)         \
	GENERAL(5) GENERAL(6) GENERAL(7) GENERAL(8)                                                     \
	FLOATING(0) FLOATING(1) FLOATING(2) FLOATING(3) FLOATING(4) FLOATING(5) FLOATING(6) FLOATING(7) \
	{ CLASS_CONTROL, "fcsr0.RM", 80, 0x300 }, { CLASS_CONTROL, "fcsr0.Enables", 80, 0x1f },

/* No flags and causes, which would raise an exception if enabled. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint64_t fcsr;

	__builtin_memcpy(&fcsr, bytes + 80, 8);
	fcsr &= 0x31f;
	__builtin_memcpy(bytes + 80, &fcsr, 8);
}

static inline void registers_prepare(void)
{
}
