/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RISC-V: s0 to s11; with F fs0 to fs11, with D of 64 bits; with F or Zfinx the rounding mode. */
#define REGISTERS_BYTES 208
#define ALL UINT64_MAX

#define GENERAL(number) { CLASS_GENERAL, "s" #number, 8 * number, ALL },

#ifdef __riscv_flen
#define FLOATING(number) { CLASS_FLOATING, "fs" #number, 104 + 8 * number, ALL >> (64 - __riscv_flen) },
#define REGISTERS_FLOATING                                                                    \
	FLOATING(0) FLOATING(1) FLOATING(2) FLOATING(3) FLOATING(4) FLOATING(5)               \
	FLOATING(6) FLOATING(7) FLOATING(8) FLOATING(9) FLOATING(10) FLOATING(11)
#else
#define REGISTERS_FLOATING
#endif
#if defined(__riscv_flen) || defined(__riscv_zfinx)
#define REGISTERS_CONTROL { CLASS_CONTROL, "fcsr.frm", 96, 0x7 },
#else
#define REGISTERS_CONTROL
#endif

#define REGISTERS                                                                             \
	GENERAL(0) GENERAL(1) GENERAL(2) GENERAL(3) GENERAL(4) GENERAL(5) GENERAL(6)          \
	GENERAL(7) GENERAL(8) GENERAL(9) GENERAL(10) GENERAL(11)                              \
	REGISTERS_FLOATING REGISTERS_CONTROL

/* Modes 0 to 3; 4 is legal, too, and 5 to 7 are not. */
static inline void registers_make_legal(unsigned char *bytes)
{
	uint64_t frm;

	__builtin_memcpy(&frm, bytes + 96, 8);
	frm &= 3;
	__builtin_memcpy(bytes + 96, &frm, 8);
}

static inline void registers_prepare(void)
{
}
