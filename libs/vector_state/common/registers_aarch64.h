/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AArch64: v0 to v31, FPSR, FPCR. Included by registers.h. Registers go one by one, with update. */

enum { FILE_FPSR = 32 * 16, FILE_FPCR = FILE_FPSR + 4, FILE_BYTES = FILE_FPCR + 12 };

struct register_file {
	uint64_t v[32][2];
	uint32_t fpsr, fpcr, unused[2];
} __attribute__((aligned(64)));

static unsigned int registers_features;

void registers_call(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
		    struct register_file *own);

__asm__(".macro vs_each operation, base\n"
	"	mov	x9, \\base\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	\\operation q\\number, [x9], #16\n"
	"	.endr\n"
	"	.endm\n"
	"	.macro	vs_dump base\n"
	"	vs_each	str, \\base\n"
	"	mrs	x10, fpsr\n"
	"	str	w10, [x9]\n"
	"	mrs	x10, fpcr\n"
	"	str	w10, [x9, #4]\n"
	"	.endm\n"
	"	.macro	vs_load base\n"
	"	vs_each	ldr, \\base\n"
	"	ldr	w10, [x9]\n"
	"	msr	fpsr, x10\n"
	"	ldr	w10, [x9, #4]\n"
	"	msr	fpcr, x10\n"
	"	.endm\n"
	"	.text\n"
	"	.globl	registers_call\n"
	"	.type	registers_call, %function\n"
	"registers_call:\n"
	"	stp	x29, x30, [sp, #-32]!\n"
	"	stp	x3, x4, [sp, #16]\n"
	"	mov	x29, sp\n"
	"	vs_dump	x4\n"
	"	vs_load	x2\n"
	"	mov	x9, x0\n"
	"	mov	x0, x1\n"
	"	blr	x9\n"
	"	ldp	x3, x4, [sp, #16]\n"
	"	vs_dump	x3\n"
	"	vs_load	x4\n"
	"	ldp	x29, x30, [sp], #32\n"
	"	ret\n"
	"	.size	registers_call, . - registers_call\n");

static inline void each_neon(bool pairs, piece_visitor *visit, void *with)
{
	struct piece fpsr = { .file = FILE_FPSR, .bytes = 4, .area = 512, .kind = 'S' };
	struct piece fpcr = { .file = FILE_FPCR, .bytes = 4, .area = 516, .kind = 'C' };

	(void)pairs;
	for (unsigned int i = 0; i < 32; i++) {
		struct piece piece = {
			.file = (uint16_t)(i * 16), .bytes = 16, .area = (uint16_t)(i * 16), .number = (uint8_t)i, .kind = 'v'
		};

		visit(&piece, with);
	}
	visit(&fpsr, with);
	visit(&fpcr, with);
}

static const char *register_prefix(char kind)
{
	return kind == 'v' ? "v" : kind == 'S' ? "FPSR" : "FPCR";
}

static bool register_has_number(char kind)
{
	return kind == 'v';
}

static inline bool left_undefined(const char *facility, bool saved, unsigned int at)
{
	(void)facility;
	(void)saved;
	(void)at;
	return false;
}

static bool file_unused(unsigned int at)
{
	return at >= FILE_FPCR + 4;
}

/* FPSR: saturation and sticky exceptions. FPCR: rounding mode, flush to zero, default NaN, half-precision format. */
static void set_control(struct register_file *file, unsigned int round)
{
	static const uint32_t fpsr[] = { 0x0800009f, 0, 0x00000015, 0x0800008a };
	static const uint32_t fpcr[] = { 0x07c00000, 0x00400000, 0, 0x02800000 };

	file->fpsr = fpsr[round % 4];
	file->fpcr = fpcr[round % 4];
	file->unused[0] = file->unused[1] = 0;
}

#include "plain_area.h"
