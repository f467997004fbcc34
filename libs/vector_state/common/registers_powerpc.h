/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit PowerPC: f0 to f31 and FPSCR, v0 to v31 and VSCR, each if the processor has them. Included by registers.h.
 * It is the only architecture whose processors may lack one or the other (603, MPC8xx).
 */

enum { FILE_VR = 32 * 8, FILE_VSCR = FILE_VR + 32 * 16, FILE_FPSCR = FILE_VSCR + 16, FILE_BYTES = FILE_FPSCR + 16 };

struct register_file {
	uint64_t fpr[32];
	uint64_t vr[32][2];
	uint64_t vscr[2];
	uint64_t fpscr, unused;
} __attribute__((aligned(64)));

static unsigned int registers_features;

/* registers_call() with the features as a further argument: 1 is FPU, 2 is AltiVec. */
void registers_call_with(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			 struct register_file *own, unsigned int features);

__asm__(".macro vs_each operation, base, from, step\n"
	"	.set	vs_offset, \\from\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	li	12, vs_offset\n"
	"	\\operation \\number, \\base, 12\n"
	"	.set	vs_offset, vs_offset + \\step\n"
	"	.endr\n"
	"	.endm\n"
	"	.macro	vs_dump base\n"
	"	andi.	0, 8, 1\n"
	"	beq	7f\n"
	"	vs_each	stfdx, \\base, 0, 8\n"
	"	mffs	0\n"
	"	stfd	0, 784(\\base)\n"
	"7:	andi.	0, 8, 2\n"
	"	beq	7f\n"
	"	vs_each	stvx, \\base, 256, 16\n"
	"	mfvscr	0\n"
	"	li	12, 768\n"
	"	stvx	0, \\base, 12\n"
	"7:\n"
	"	.endm\n"
	"	.macro	vs_load base\n"
	"	andi.	0, 8, 1\n"
	"	beq	7f\n"
	"	lfd	0, 784(\\base)\n"
	"	mtfsf	255, 0\n"
	"	vs_each	lfdx, \\base, 0, 8\n"
	"7:	andi.	0, 8, 2\n"
	"	beq	7f\n"
	"	li	12, 768\n"
	"	lvx	0, \\base, 12\n"
	"	mtvscr	0\n"
	"	vs_each	lvx, \\base, 256, 16\n"
	"7:\n"
	"	.endm\n"
	"	.text\n"
	"	.globl	registers_call_with\n"
	"	.type	registers_call_with, @function\n"
	"registers_call_with:\n"
	"	mflr	0\n"
	"	stw	0, 4(1)\n"
	"	stwu	1, -48(1)\n"
	"	stw	6, 16(1)\n"
	"	stw	7, 20(1)\n"
	"	stw	8, 24(1)\n"
	"	vs_dump	7\n"
	"	vs_load	5\n"
	"	mtctr	3\n"
	"	mr	3, 4\n"
	"	bctrl\n"
	"	lwz	6, 16(1)\n"
	"	lwz	7, 20(1)\n"
	"	lwz	8, 24(1)\n"
	"	vs_dump	6\n"
	"	vs_load	7\n"
	"	addi	1, 1, 48\n"
	"	lwz	0, 4(1)\n"
	"	mtlr	0\n"
	"	blr\n"
	"	.size	registers_call_with, . - registers_call_with\n");

static void registers_call(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			   struct register_file *own)
{
	unsigned int present = 0;

	if (registers_features & VECTOR_STATE_BIT(fpu))
		present |= 1;
	if (registers_features & VECTOR_STATE_BIT(vmx))
		present |= 2;
	registers_call_with(function, area, in, out, own, present);
}

/* ------------------------------------------------------------------ which registers lie where */

static void run(unsigned int file, unsigned int area, unsigned int bytes, unsigned int count, char kind, piece_visitor *visit,
		void *with)
{
	for (unsigned int i = 0; i < count; i++) {
		struct piece piece = { .file = (uint16_t)(file + i * bytes),
				       .area = (uint16_t)(area + i * bytes),
				       .bytes = (uint16_t)bytes,
				       .number = (uint8_t)i,
				       .kind = kind };

		visit(&piece, with);
	}
}

static inline void each_fpu(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	run(0, 0, 8, 32, 'f', visit, with);
	run(FILE_FPSCR, offsetof(struct vector_state_fpu, fpscr), 8, 1, 'F', visit, with);
}

static inline void vmx_pieces(unsigned int area, piece_visitor *visit, void *with)
{
	run(FILE_VR, area, 16, 32, 'v', visit, with);
	run(FILE_VSCR, area + (unsigned int)offsetof(struct vector_state_vmx, vscr), 16, 1, 'V', visit, with);
}

static inline void each_vmx(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	vmx_pieces(0, visit, with);
}

static inline void each_all(bool pairs, piece_visitor *visit, void *with)
{
	each_fpu(pairs, visit, with);
	vmx_pieces(offsetof(struct vector_state_all, vmx), visit, with);
}

static const char *register_prefix(char kind)
{
	return kind == 'f' ? "f" : kind == 'v' ? "v" : kind == 'V' ? "VSCR" : "FPSCR";
}

static bool register_has_number(char kind)
{
	return kind == 'f' || kind == 'v';
}

/* An FPR is a register of its own here. */
static inline bool left_undefined(const char *facility, bool saved, unsigned int at)
{
	(void)facility;
	(void)saved;
	(void)at;
	return false;
}

/* Registers that this processor lacks are not compared; nor is the upper half of FPSCR, which mffs leaves undefined. */
static bool file_unused(unsigned int at)
{
	bool fpu = registers_features & VECTOR_STATE_BIT(fpu), vmx = registers_features & VECTOR_STATE_BIT(vmx);

	if (at < FILE_VR)
		return !fpu;
	if (at < FILE_FPSCR)
		return !vmx;
	return !fpu || at < FILE_FPSCR + 4 || at >= FILE_FPSCR + 8;
}

/* As on 64-bit POWER, without decimal rounding. */
static void set_control(struct register_file *file, unsigned int round)
{
	static const uint32_t fpscr[] = { 0x82064003, 0x0201f081, 2, 0x8c000041 };
	static const uint32_t vscr[] = { 0x00010001, 0, 1, 0x00010000 };

	file->fpscr = fpscr[round % 4];
	file->unused = 0;
	file->vscr[0] = file->vscr[1] = 0;
	((uint32_t *)file->vscr)[3] = vscr[round % 4];
}

#define AREA_LEFT_UNDEFINED 1
#include "plain_area.h"

/* mffs leaves the upper half of FPSCR's doubleword undefined, so the stored half is undefined, too. */
static bool not_compared(const struct piece *piece, unsigned int byte)
{
	return piece && piece->kind == 'F' && byte < 4;
}
