/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The block of registers that registers.S loads and stores, by architecture. */
#ifndef KERNEL_REGISTERS_H
#define KERNEL_REGISTERS_H

#include <stdint.h>

long registers_cross(const void *fill, void *found, long number, long a, long b, long spins);

struct control {
	const char *name;
	unsigned int offset, bytes;
};

#if defined(__powerpc64__)
enum { REGISTERS = 64, REGISTER_BYTES = 16, CHILD_BYTES = REGISTER_BYTES, CONTROLS = 3 };
#define REGISTER_NAME "vs"
static const struct control controls[CONTROLS] = { { "VSCR", 1024, 16 }, { "FPSCR", 1040, 8 }, { "VRSAVE", 1048, 8 } };

/* VSCR's non-Java and saturation bits, FPSCR's two rounding modes, a VRSAVE that says that every register is in use. */
static inline void fill_controls(unsigned char *block, uint32_t random)
{
	uint64_t rounding = (random & 3) | (uint64_t)(random >> 4 & 7) << 32, saves = 0xffffffff;
	/* mtvscr takes the last word of the register; this is where lvx loads that from. */
	unsigned int last = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 12;
	uint32_t vscr = (random >> 2 & 1) << 16 | (random >> 3 & 1);

	for (unsigned int i = 0; i < 16; i++)
		block[1024 + i] = 0;
	*(uint32_t *)(void *)(block + 1024 + last) = vscr;
	*(uint64_t *)(void *)(block + 1040) = rounding;
	*(uint64_t *)(void *)(block + 1048) = saves;
}
#elif defined(__powerpc__)
/* REGISTERS are the vectors; the doubles come after them in the block and are compared like controls. */
#define DOUBLE(number) { "f" #number, 512 + 8 * (number), 8 }
#define DOUBLES(ten) \
	DOUBLE(ten##0), DOUBLE(ten##1), DOUBLE(ten##2), DOUBLE(ten##3), DOUBLE(ten##4), DOUBLE(ten##5), DOUBLE(ten##6), \
		DOUBLE(ten##7), DOUBLE(ten##8), DOUBLE(ten##9)
enum { REGISTERS = 32, REGISTER_BYTES = 16, CHILD_BYTES = REGISTER_BYTES, CONTROLS = 35 };
#define REGISTER_NAME "v"
static const struct control controls[CONTROLS] = {
	DOUBLES(),
	DOUBLES(1),
	DOUBLES(2),
	DOUBLE(30),
	DOUBLE(31),
	/* The first word of what mffs returns is not FPSCR's. */
	{ "VSCR", 768, 16 },
	{ "FPSCR", 788, 4 },
	{ "VRSAVE", 792, 4 },
};

/* Doubles of random bits; the rest as on 64-bit POWER. */
static inline void fill_controls(unsigned char *block, uint32_t random)
{
	uint32_t *words = (uint32_t *)(void *)block;
	uint32_t next = random;

	for (unsigned int i = 512 / 4; i < 768 / 4; i++) {
		next = next * 1664525u + 1013904223u;
		words[i] = next;
	}
	for (unsigned int i = 768 / 4; i < 784 / 4; i++)
		words[i] = 0;
	words[780 / 4] = (random >> 2 & 1) << 16 | (random >> 3 & 1);
	words[784 / 4] = 0;
	words[788 / 4] = random & 3;
	words[792 / 4] = 0xffffffff;
}
#elif defined(__loongarch__)
/*
 * CHILD_BYTES: what a forked child keeps of each register. copy_thread() marks the vectors as unused, so the upper
 * parts are reset.
 */
enum { REGISTERS = 32, REGISTER_BYTES = 32, CHILD_BYTES = 8, CONTROLS = 0 };
#define REGISTER_NAME "xr"
static const struct control controls[1];

static inline void fill_controls(unsigned char *block, uint32_t random)
{
	(void)block;
	(void)random;
}
#endif

/* Includes room for the controls. */
enum { BLOCK_BYTES = 1088 };

#endif
