/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: zmm0 to zmm31, as many and as wide as the processor has, k0 to k7, MXCSR, the x87 state. Included by registers.h.
 *
 * Vectors are read and written by moves, never by XSAVE. The x87 state is read by FXSAVE, because nothing else gives all of
 * it; with error pointers of zero, because AMD's processors store these only if an exception is pending.
 */

enum {
	FILE_K = 32 * 64,
	FILE_MXCSR = FILE_K + 8 * 8,
	FILE_X87 = FILE_MXCSR + 64,
	FILE_BYTES = FILE_X87 + 512,
	AREA_XMM = 160,
	AREA_AVX512_AT = 464,
	AREA_HEADER = 512,
	AREA_YMM_HIGH = 576,
	/* Offsets from the place that avx512_at() gives. */
	AVX512_OPMASK = 0,
	AVX512_ZMM_HIGH = 64,
	AVX512_ZMM_UPPER = 576,
};

struct register_file {
	uint8_t zmm[32][64];
	uint64_t k[8];
	uint32_t mxcsr, unused[15];
	uint8_t x87[512];
} __attribute__((aligned(64)));

static unsigned int registers_features;

/* `level`: 0 for SSE, 1 for AVX, 2 for AVX-512. */
void registers_call_with(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			 struct register_file *own, unsigned int level);

__asm__(".macro vs_dump base\n"
	"	fxsave64 2176(\\base)\n"
	"	stmxcsr	2112(\\base)\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups	%xmm\\number, 64 * \\number(\\base)\n"
	"	.endr\n"
	"	cmpl	$1, %r9d\n"
	"	jb	7f\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	vmovups	%ymm\\number, 64 * \\number(\\base)\n"
	"	.endr\n"
	"	je	7f\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	vmovups	%zmm\\number, 64 * \\number(\\base)\n"
	"	.endr\n"
	"	.irp	number, 0,1,2,3,4,5,6,7\n"
	"	kmovq	%k\\number, 2048 + 8 * \\number(\\base)\n"
	"	.endr\n"
	"7:\n"
	"	.endm\n"
	"	.macro	vs_load base\n"
	"	fxrstor64 2176(\\base)\n"
	"	ldmxcsr	2112(\\base)\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups	64 * \\number(\\base), %xmm\\number\n"
	"	.endr\n"
	"	cmpl	$1, %r9d\n"
	"	jb	7f\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	vmovups	64 * \\number(\\base), %ymm\\number\n"
	"	.endr\n"
	"	je	7f\n"
	"	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	vmovups	64 * \\number(\\base), %zmm\\number\n"
	"	.endr\n"
	"	.irp	number, 0,1,2,3,4,5,6,7\n"
	"	kmovq	2048 + 8 * \\number(\\base), %k\\number\n"
	"	.endr\n"
	"7:\n"
	"	.endm\n"
	"	.text\n"
	"	.globl	registers_call_with\n"
	"	.type	registers_call_with, @function\n"
	"registers_call_with:\n"
	"	pushq	%rcx\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	vs_dump	%r8\n"
	"	vs_load	%rdx\n"
	"	movq	%rdi, %rax\n"
	"	movq	%rsi, %rdi\n"
	"	call	*%rax\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rcx\n"
	"	vs_dump	%rcx\n"
	"	vs_load	%r8\n"
	"	ret\n"
	"	.size	registers_call_with, . - registers_call_with\n");

static void registers_call(void (*function)(void), const void *area, const struct register_file *in, struct register_file *out,
			   struct register_file *own)
{
	unsigned int level = 0;

	if (registers_features & VECTOR_STATE_BIT(avx))
		level = registers_features & VECTOR_STATE_BIT(avx512) ? 2 : 1;
	registers_call_with(function, area, in, out, own, level);
}

/* Asked once, because CPUID is slow under a hypervisor. */
static unsigned int avx512_at(void)
{
	static unsigned int at;

	if (at == 0)
		at = vector_state_avx512_at();
	return at;
}

/* ------------------------------------------------------------------ which registers lie where */

static void run(unsigned int file, unsigned int file_step, unsigned int area, unsigned int bytes, unsigned int count,
		unsigned int area_step, char kind, piece_visitor *visit, void *with)
{
	for (unsigned int i = 0; i < count; i++) {
		struct piece piece = { .file = (uint16_t)(file + i * file_step),
				       .area = (uint16_t)(area + i * area_step),
				       .bytes = (uint16_t)bytes,
				       .number = (uint8_t)i,
				       .kind = kind };

		visit(&piece, with);
	}
}

/* Control, status and tag words, and ten bytes of each register. */
static inline void each_x87(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	run(FILE_X87, 0, 0, 2, 1, 0, 'c', visit, with);
	run(FILE_X87 + 2, 0, 2, 2, 1, 0, 'w', visit, with);
	run(FILE_X87 + 4, 0, 4, 1, 1, 0, 't', visit, with);
	run(FILE_X87 + 32, 16, 32, 10, 8, 16, 'p', visit, with);
}

static inline void each_sse(bool pairs, piece_visitor *visit, void *with)
{
	(void)pairs;
	run(FILE_MXCSR, 0, 24, 4, 1, 0, 'M', visit, with);
	run(0, 64, AREA_XMM, 16, 16, 16, 'x', visit, with);
}

static inline void each_avx(bool pairs, piece_visitor *visit, void *with)
{
	each_sse(pairs, visit, with);
	run(16, 64, AREA_YMM_HIGH, 16, 16, 16, 'y', visit, with);
}

static inline void each_avx512(bool pairs, piece_visitor *visit, void *with)
{
	each_avx(pairs, visit, with);
	run(32, 64, avx512_at() + AVX512_ZMM_HIGH, 32, 16, 32, 'z', visit, with);
	run(16 * 64, 64, avx512_at() + AVX512_ZMM_UPPER, 64, 16, 64, 'Z', visit, with);
	run(FILE_K, 8, avx512_at() + AVX512_OPMASK, 8, 8, 8, 'k', visit, with);
}

static inline void each_all(bool pairs, piece_visitor *visit, void *with)
{
	each_x87(pairs, visit, with);
	if (registers_features & VECTOR_STATE_BIT(avx512))
		each_avx512(pairs, visit, with);
	else if (registers_features & VECTOR_STATE_BIT(avx))
		each_avx(pairs, visit, with);
	else
		each_sse(pairs, visit, with);
}

static const char *register_prefix(char kind)
{
	switch (kind) {
	case 'p':
		return "x87 register ";
	case 'x':
		return "xmm";
	case 'y':
		return "upper half of ymm";
	case 'z':
		return "upper half of zmm";
	case 'Z':
		return "zmm 16 + ";
	case 'k':
		return "k";
	case 'c':
		return "x87 control word";
	case 'w':
		return "x87 status word";
	case 't':
		return "x87 tag word";
	default:
		return "MXCSR";
	}
}

static bool register_has_number(char kind)
{
	return kind == 'p' || kind == 'x' || kind == 'y' || kind == 'z' || kind == 'Z' || kind == 'k';
}

/* AVX code makes what lies above 256 bits zero; XRSTOR leaves it. */
static inline bool left_undefined(const char *facility, bool saved, unsigned int at)
{
	return !saved && facility[0] == 'a' && facility[1] == 'v' && facility[3] == '\0' && at < 16 * 64 && at % 64 >= 32;
}

static bool file_unused(unsigned int at)
{
	bool avx = registers_features & VECTOR_STATE_BIT(avx), avx512 = registers_features & VECTOR_STATE_BIT(avx512);
	unsigned int x87 = at - FILE_X87;

	if (at < FILE_K)
		return (at >= 16 * 64 && !avx512) || at % 64 >= (avx512 ? 64u : avx ? 32u : 16u);
	if (at < FILE_MXCSR)
		return !avx512;
	if (at < FILE_X87)
		return at >= FILE_MXCSR + 4;
	return x87 >= 160 || (x87 >= 5 && x87 < 32) || (x87 >= 32 && x87 % 16 >= 10);
}

/*
 * The second half of each eight rounds leaves components in their initial state, which XSAVEOPT and XSAVEC do not store. x87:
 * all exceptions are masked, because the next instruction would raise a pending one. FXRSTOR takes XMM and MXCSR from its
 * image, too: MXCSR must be valid there; both get their final values afterwards.
 */
static void set_control(struct register_file *file, unsigned int round)
{
	static const uint32_t mxcsr[] = { 0x7fbf, 0x1f80, 0x3fa1, 0x9fc0 };
	static const uint16_t control[] = { 0x0c7f, 0x037f, 0x007f, 0x0b7f };
	static const uint16_t status[] = { 0x3922, 0x0000, 0x4700, 0x2801 };
	static const uint8_t tag[] = { 0xff, 0x00, 0x5a, 0x81 };
	uint32_t plain = 0x1f80;
	uint16_t initial = 0x037f;

	file->mxcsr = mxcsr[round % 4];
	memset(file->unused, 0, sizeof(file->unused));
	memset(file->x87, 0, 32);
	memcpy(file->x87, &control[round % 4], 2);
	memcpy(file->x87 + 2, &status[round % 4], 2);
	file->x87[4] = tag[round % 4];
	memcpy(file->x87 + 24, &plain, 4);
	if (round % 8 == 4 || round % 8 == 7) {
		memset(file->x87, 0, 24);
		memset(file->x87 + 32, 0, 128);
		memcpy(file->x87, &initial, 2);
	}
	if (round % 8 == 5) {
		for (unsigned int i = 0; i < 16; i++)
			memset(file->zmm[i] + 16, 0, 48);
		memset(file->zmm[16], 0, 16 * 64);
	} else if (round % 8 >= 6) {
		memset(file->zmm, 0, sizeof(file->zmm));
	}
}

/* ------------------------------------------------------------------ the header, and components in their initial state */

static uint64_t bits_of(char kind)
{
	switch (kind) {
	case 'c':
	case 'w':
	case 't':
	case 'p':
		return VECTOR_STATE_XSTATE_X87;
	case 'x':
		return VECTOR_STATE_XSTATE_SSE;
	case 'y':
		return VECTOR_STATE_XSTATE_AVX;
	case 'k':
		return 0x20;
	case 'z':
		return 0x40;
	case 'Z':
		return 0x80;
	default:
		return 0; /* MXCSR is restored with SSE or AVX, whatever XSTATE_BV says */
	}
}

static void add_bits(const struct piece *piece, void *with)
{
	*(uint64_t *)with |= bits_of(piece->kind);
}

static uint64_t facility_bits(void);

/* As vector_state_prepare(), without asking CPUID each time. */
static inline void prepare_area(unsigned char *area)
{
	uint64_t at = avx512_at();

	memset(area + AREA_HEADER, 0, 64);
	memcpy(area + AREA_AVX512_AT, &at, 8);
}

static inline void finish_area(unsigned char *area)
{
	uint64_t bits = facility_bits();

	memcpy(area + AREA_HEADER, &bits, 8);
}

static uint64_t header_word(const unsigned char *area, unsigned int index)
{
	uint64_t word;

	memcpy(&word, area + AREA_HEADER + 8 * index, 8);
	return word;
}

/* The initial value of a byte of a register. */
static unsigned char initial_byte(const struct piece *piece, unsigned int byte)
{
	static const unsigned char control[] = { 0x7f, 0x03 }, mxcsr[] = { 0x80, 0x1f, 0, 0 };

	return piece->kind == 'c' ? control[byte] : piece->kind == 'M' ? mxcsr[byte] : 0;
}

struct completion {
	unsigned char *area;
	uint64_t present;
};

static void complete_piece(const struct piece *piece, void *with)
{
	struct completion *completion = with;
	uint64_t bits = bits_of(piece->kind);

	if ((completion->present & bits) == bits)
		return;
	for (unsigned int i = 0; i < piece->bytes; i++)
		completion->area[piece->area + i] = initial_byte(piece, i);
}

static void each_of_facility(piece_visitor *visit, void *with);

static inline void complete(unsigned char *area, const unsigned char *image)
{
	uint64_t present = header_word(area, 0), format = header_word(area, 1);
	struct completion completion = { area, present };

	(void)image;
	if (present & ~facility_bits())
		assay_fail("save says in XSTATE_BV that it stored 0x%lx, which is more than 0x%lx", (unsigned long)present,
			   (unsigned long)facility_bits());
	if (format != 0)
		assay_fail("save leaves 0x%lx in XCOMP_BV, which is not the standard format", (unsigned long)format);
	for (unsigned int i = 2; i < 8; i++) {
		if (header_word(area, i) != 0)
			assay_fail("save wrote to the reserved bytes of the header");
	}
	each_of_facility(complete_piece, &completion);
}

/* FOP, FIP, FDP, the mask of MXCSR, the padding of the x87 registers; the header is checked elsewhere. */
static inline bool not_compared(const struct piece *piece, unsigned int byte)
{
	if (piece)
		return false;
	return (byte >= 5 && byte < 24) || (byte >= 28 && byte < 32) || (byte >= 32 && byte < 160 && byte % 16 >= 10) ||
	       (byte >= AREA_HEADER && byte < AREA_HEADER + 64);
}

/* Restoring what XSTATE_BV leaves out. In initial_state.h, which knows the facility. */
static void check_more(unsigned char *area, bool quick);
