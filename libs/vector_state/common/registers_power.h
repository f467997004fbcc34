/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit POWER, both byte orders: vs0 to vs63, VSCR, FPSCR. Included by registers.h. */

enum { VSR_BYTES = 16, FILE_VSCR = 64 * VSR_BYTES, FILE_FPSCR = FILE_VSCR + 16, FILE_BYTES = FILE_FPSCR + 16 };

/* vs0 to vs63 as two doublewords, the FPR or the more significant one first in either byte order; VSCR as stvx has it. */
struct register_file {
	uint64_t vsr[64][2];
	uint64_t vscr[2];
	uint64_t fpscr, unused;
} __attribute__((aligned(64)));

/* Calls `function(area)` with the registers `in` and stores their values afterwards in `out`; `own` is its scratch space. */
void registers_call(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
		    struct register_file *own);

__asm__(".macro vs_each_vsr operation, base\n"
	"	.set	vs_offset, 0\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
	"32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63\n"
	"	li	12, vs_offset\n"
	"	\\operation \\number, \\base, 12\n"
	"	.set	vs_offset, vs_offset + 16\n"
	"	.endr\n"
	"	.endm\n"
	"	.macro	vs_dump base\n"
	"	vs_each_vsr stxvd2x, \\base\n"
	"	mfvscr	0\n"
	"	li	12, 1024\n"
	"	stvx	0, \\base, 12\n"
	"	mffs	0\n"
	"	stfd	0, 1040(\\base)\n"
	"	.endm\n"
	"	.macro	vs_load base\n"
	"	li	12, 1024\n"
	"	lvx	0, \\base, 12\n"
	"	mtvscr	0\n"
	"	lfd	0, 1040(\\base)\n"
	"	mtfsf	255, 0, 1, 0\n"
	"	vs_each_vsr lxvd2x, \\base\n"
	"	.endm\n"
	"	.text\n"
	"	.globl	registers_call\n"
	"	.type	registers_call, @function\n"
	"registers_call:\n"
	"	mflr	0\n"
	"	std	0, 16(1)\n"
	"	stdu	1, -96(1)\n"
	"	std	6, 48(1)\n"
	"	std	7, 56(1)\n"
	"	std	2, 24(1)\n"
	"	vs_dump	7\n"
	"	vs_load	5\n"
	"	mtctr	3\n"
	"	mr	12, 3\n"
	"	mr	3, 4\n"
	"	bctrl\n"
	"	ld	6, 48(1)\n"
	"	ld	7, 56(1)\n"
	"	vs_dump	6\n"
	"	vs_load	7\n"
	"	addi	1, 1, 96\n"
	"	ld	0, 16(1)\n"
	"	mtlr	0\n"
	"	blr\n"
	"	.size	registers_call, . - registers_call\n");

/* ------------------------------------------------------------------ which registers lie where */

/* The two doublewords of a VSR in memory: exchanged in little-endian order. */
static void vsr_pieces(unsigned int number, unsigned int area, char kind, piece_visitor *visit, void *with)
{
	struct piece piece = { .number = (uint8_t)(kind == 'v' ? number - 32 : number), .bytes = 8, .kind = kind };

	for (unsigned int half = 0; half < 2; half++) {
		piece.file = (uint16_t)(number * VSR_BYTES + half * 8);
		piece.area = (uint16_t)(area + (half ^ VECTOR_STATE_FPR_OFFSET) * 8);
		visit(&piece, with);
	}
}

/* In little-endian order lxvp and stxvp exchange the registers of a pair; a variant that uses them says so. */
static unsigned int placed(unsigned int number, bool pairs)
{
	return number ^ (pairs && !ASSAY_BIG_ENDIAN);
}

static void fpscr_piece(unsigned int area, piece_visitor *visit, void *with)
{
	struct piece piece = { .file = FILE_FPSCR, .bytes = 8, .area = (uint16_t)area, .kind = 'F' };

	visit(&piece, with);
}

static inline void each_fpu(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	for (unsigned int i = 0; i < 32; i++) {
		struct piece piece = { .file = (uint16_t)(i * VSR_BYTES), .bytes = 8, .number = (uint8_t)i, .kind = 'f' };

		piece.area = (uint16_t)(i * VSR_BYTES + VECTOR_STATE_FPR_OFFSET * 8);
		visit(&piece, with);
	}
	fpscr_piece(offsetof(struct vector_state_fpu, fpscr), visit, with);
}

static inline void each_vsx(bool pairs, piece_visitor *visit, void *with)
{
	for (unsigned int i = 0; i < 32; i++)
		vsr_pieces(i, placed(i, pairs) * VSR_BYTES, 's', visit, with);
	fpscr_piece(offsetof(struct vector_state_fpu, fpscr), visit, with);
}

static inline void vmx_pieces(unsigned int area, bool pairs, piece_visitor *visit, void *with)
{
	struct piece vscr = { .file = FILE_VSCR, .bytes = 16, .kind = 'V' };

	vscr.area = (uint16_t)(area + offsetof(struct vector_state_vmx, vscr));
	for (unsigned int i = 0; i < 32; i++)
		vsr_pieces(32 + i, area + placed(i, pairs) * VSR_BYTES, 'v', visit, with);
	visit(&vscr, with);
}

static inline void each_vmx(bool pairs, piece_visitor *visit, void *with)
{
	vmx_pieces(0, pairs, visit, with);
}

static inline void each_all(bool pairs, piece_visitor *visit, void *with)
{
	each_vsx(pairs, visit, with);
	vmx_pieces(offsetof(struct vector_state_all, vmx), pairs, visit, with);
}

static const char *register_prefix(char kind)
{
	return kind == 'f' ? "f" : kind == 's' ? "vs" : kind == 'v' ? "v" : kind == 'V' ? "VSCR" : "FPSCR";
}

static bool register_has_number(char kind)
{
	return kind != 'V' && kind != 'F';
}

/*
 * Writing an FPR leaves the other half of its VSR undefined (zero since ISA 3.1): whether a byte of the register file is in
 * such a half. fpu_save writes f0, through which FPSCR goes.
 */
static bool left_undefined(const char *facility, bool saved, unsigned int at)
{
	return facility[0] == 'f' && at < (saved ? 1 : 32) * VSR_BYTES && at % VSR_BYTES >= 8;
}

/* ------------------------------------------------------------------ values that the control registers can have */

/*
 * FPSCR: sticky bits and the rounding mode in both polarities; no enabled exception that is also pending, which would raise
 * a signal. FEX and VX (0x60000000) follow from others. The upper word holds decimal rounding. VSCR: NJ and SAT.
 */
static void set_control(struct register_file *file, unsigned int round)
{
	static const uint64_t fpscr[] = { 0x82064003, 0x0201f081, 0x700000002, 0x38c000041 };
	static const uint32_t vscr[] = { 0x00010001, 0, 1, 0x00010000 };

	file->fpscr = fpscr[round % 4];
	file->unused = 0;
	file->vscr[0] = file->vscr[1] = 0;
	((uint32_t *)file->vscr)[ASSAY_BIG_ENDIAN ? 3 : 0] = vscr[round % 4];
}

/* This architecture has neither further fields in the area nor further cases. */
#include "plain_area.h"

static unsigned int registers_features;

static bool file_unused(unsigned int at)
{
	return at >= FILE_FPSCR + 8;
}
