/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch: f0 to f31, which are the low ends of vr0 to vr31 and xr0 to xr31, as wide as the processor has them; fcc0 to
 * fcc7; fcsr0. Included by registers.h.
 *
 * The assembler takes LSX and LASX instructions only in a file that is compiled for them. This one is compiled for
 * every machine, so they are written as words. vst and the others have the displacement in bits 21 to 10, the base
 * register in bits 9 to 5 and the vector register in bits 4 to 0.
 */

enum { FILE_FCC = 32 * 32, FILE_FCSR = FILE_FCC + 8, FILE_BYTES = FILE_FCSR + 8 };

struct register_file {
	uint64_t xr[32][4];
	uint8_t fcc[8];
	uint32_t fcsr, unused;
} __attribute__((aligned(64)));

static unsigned int registers_features;

/* `width`: 0 for 64-bit registers, 1 for LSX, 2 for LASX. */
void registers_call_with(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			 struct register_file *own, unsigned int width);

/* Register numbers: a2 is r6, a3 r7, a4 r8, a5 r9, t0 r12, t1 r13. */
__asm__(".macro vs_words word, base\n"
	"	.set	vs_offset, 0\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	.word	\\word + (vs_offset << 10) + (\\base << 5) + \\number\n"
	"	.set	vs_offset, vs_offset + 32\n"
	"	.endr\n"
	"	.endm\n"
	"	.macro	vs_by_width float, lsx, lasx, base\n"
	"	li.w	$t1, 1\n"
	"	beq	$a5, $t1, 1f\n"
	"	bltu	$t1, $a5, 2f\n"
	"	vs_words \\float, \\base\n"
	"	b	3f\n"
	"1:	vs_words \\lsx, \\base\n"
	"	b	3f\n"
	"2:	vs_words \\lasx, \\base\n"
	"3:\n"
	"	.endm\n"
	"	.macro	vs_dump base\n"
	"	vs_by_width 0x2bc00000, 0x2c400000, 0x2cc00000, \\base\n"
	"	.irp	number, 0,1,2,3,4,5,6,7\n"
	"	movcf2gr $t0, $fcc\\number\n"
	"	st.b	$t0, $r\\base, 1024 + \\number\n"
	"	.endr\n"
	"	movfcsr2gr $t0, $fcsr0\n"
	"	st.w	$t0, $r\\base, 1032\n"
	"	.endm\n"
	"	.macro	vs_load base\n"
	"	.irp	number, 0,1,2,3,4,5,6,7\n"
	"	ld.bu	$t0, $r\\base, 1024 + \\number\n"
	"	movgr2cf $fcc\\number, $t0\n"
	"	.endr\n"
	"	ld.wu	$t0, $r\\base, 1032\n"
	"	movgr2fcsr $fcsr0, $t0\n"
	"	vs_by_width 0x2b800000, 0x2c000000, 0x2c800000, \\base\n"
	"	.endm\n"
	"	.text\n"
	"	.globl	registers_call_with\n"
	"	.type	registers_call_with, @function\n"
	"registers_call_with:\n"
	"	addi.d	$sp, $sp, -48\n"
	"	st.d	$ra, $sp, 0\n"
	"	st.d	$a3, $sp, 8\n"
	"	st.d	$a4, $sp, 16\n"
	"	st.d	$a5, $sp, 24\n"
	"	vs_dump	8\n"
	"	vs_load	6\n"
	"	move	$t0, $a0\n"
	"	move	$a0, $a1\n"
	"	jirl	$ra, $t0, 0\n"
	"	ld.d	$a3, $sp, 8\n"
	"	ld.d	$a4, $sp, 16\n"
	"	ld.d	$a5, $sp, 24\n"
	"	vs_dump	7\n"
	"	vs_load	8\n"
	"	ld.d	$ra, $sp, 0\n"
	"	addi.d	$sp, $sp, 48\n"
	"	ret\n"
	"	.size	registers_call_with, . - registers_call_with\n");

static unsigned int registers_width(void)
{
	if (registers_features & VECTOR_STATE_BIT(lasx))
		return 2;
	return registers_features & VECTOR_STATE_BIT(lsx) ? 1 : 0;
}

static void registers_call(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			   struct register_file *own)
{
	registers_call_with(function, area, in, out, own, registers_width());
}

/* ------------------------------------------------------------------ which registers lie where */

static void control_pieces(unsigned int fcc, piece_visitor *visit, void *with)
{
	struct piece flags = { .file = FILE_FCC, .bytes = 8, .area = (uint16_t)fcc, .kind = 'c' };
	struct piece control = { .file = FILE_FCSR, .bytes = 4, .area = (uint16_t)(fcc + 8), .kind = 'C' };

	visit(&flags, with);
	visit(&control, with);
}

static void vector_pieces(unsigned int bytes, char kind, piece_visitor *visit, void *with)
{
	for (unsigned int i = 0; i < 32; i++) {
		struct piece piece = { .file = (uint16_t)(i * 32),
				       .bytes = (uint16_t)bytes,
				       .area = (uint16_t)(i * bytes),
				       .number = (uint8_t)i,
				       .kind = kind };

		visit(&piece, with);
	}
	control_pieces(32 * bytes, visit, with);
}

static inline void each_fpu(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	vector_pieces(8, 'f', visit, with);
}

static inline void each_lsx(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	vector_pieces(16, 'v', visit, with);
}

static inline void each_lasx(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	vector_pieces(32, 'x', visit, with);
}

static const char *register_prefix(char kind)
{
	return kind == 'f' ? "f" : kind == 'v' ? "vr" : kind == 'x' ? "xr" : kind == 'c' ? "fcc0-fcc7" : "fcsr0";
}

static bool register_has_number(char kind)
{
	return kind != 'c' && kind != 'C';
}

/* Loading the low end of a vector register leaves the rest of it undefined. */
static inline bool left_undefined(const char *facility, bool saved, unsigned int at)
{
	unsigned int loaded = facility[0] == 'f' ? 8 : facility[1] == 's' ? 16 : 32;

	return !saved && at < FILE_FCC && at % 32 >= loaded;
}

static bool file_unused(unsigned int at)
{
	return at < FILE_FCC ? at % 32 >= 8u << registers_width() : at >= FILE_FCSR + 4;
}

/* fcsr0: enables, rounding mode, flags, causes; no cause together with its enable, which would raise an exception. */
static void set_control(struct register_file *file, unsigned int round)
{
	static const uint32_t fcsr[] = { 0x0015031f, 0x1f0a0100, 0x00000200, 0x0a1f0015 };

	for (unsigned int i = 0; i < 8; i++)
		file->fcc[i] = (0xa6u * (round + 1) >> i) & 1;
	file->fcsr = fcsr[round % 4];
	file->unused = 0;
}

#include "plain_area.h"
