/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64: six general registers and two control words. No vector register is preserved over a call. */
#define REGISTERS_BYTES 64
#define GENERAL_MASK UINT64_MAX

#define REGISTERS                                                                                          \
	{ CLASS_GENERAL, "rbx", 0, GENERAL_MASK }, { CLASS_GENERAL, "rbp", 8, GENERAL_MASK },               \
	{ CLASS_GENERAL, "r12", 16, GENERAL_MASK }, { CLASS_GENERAL, "r13", 24, GENERAL_MASK },             \
	{ CLASS_GENERAL, "r14", 32, GENERAL_MASK }, { CLASS_GENERAL, "r15", 40, GENERAL_MASK },             \
	{ CLASS_CONTROL, "MXCSR.RC", 48, 0x6000 }, { CLASS_CONTROL, "MXCSR exception masks", 48, 0x1f80 },  \
	{ CLASS_CONTROL, "MXCSR.FZ", 48, 0x8000 }, { CLASS_CONTROL, "MXCSR.DAZ", 48, 0x0040 },              \
	{ CLASS_CONTROL, "x87 CW.RC", 56, 0x0c00 }, { CLASS_CONTROL, "x87 CW.PC", 56, 0x0300 },             \
	{ CLASS_CONTROL, "x87 CW exception masks", 56, 0x003f },

/* Reserved bits of MXCSR fault; a precision control of 1 is reserved. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint32_t mxcsr, control;

	__builtin_memcpy(&mxcsr, bytes + 48, 4);
	__builtin_memcpy(&control, bytes + 56, 4);
	mxcsr &= 0xffc0;
	control = (control & 0x0c3f) | (control & 0x0200 ? 0x0340 : 0x0040);
	__builtin_memcpy(bytes + 48, &mxcsr, 4);
	__builtin_memcpy(bytes + 56, &control, 4);
}

static inline void registers_prepare(void)
{
}
