/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The back ends for 64-bit POWER in both byte orders, ELFv2 calling convention: this essay, entry and exit,
 * control, calls and checks. Memory is in power_memory.c, arithmetic and byte swaps in power_arithmetic.c, encodings in
 * power_encode.h.
 *
 * POWER, for a first code generator. All instructions are 32 bits; arithmetic takes three
 * registers, so dst op= src is one instruction with dst named twice. There are few 32-bit results: add, or, mulld work on
 * 64 bits, and a 32-bit eBPF operation is followed by rldicl d,d,0,32 (clrldi), unless the instruction clears the upper
 * half itself, as the rotates with mask (rlwinm), andi. and the plain loads do. Register 0 reads as the number 0 where
 * an address or an addi is formed. ld, std and lwa keep the low two bits of their displacement for the opcode, so odd
 * displacements go through a register. Comparisons write one of eight condition fields, here always CR0, and bc tests a
 * bit of it; bc reaches 32 kB, b reaches 32 MB. Division by zero and -2^63 / -1 do not trap, but their result is
 * undefined, so the code handles those divisors apart. (Power ISA 3.1, book I, chapters 2 and 3.)
 *
 * ELFv2: a function is entered with its own address in r12 when it is called through a pointer, and may change r2, the
 * TOC pointer of its module, which the caller then reloads from 24(r1). A frame is at least 32 bytes, a multiple of 16:
 * back chain, CR, LR and TOC words. The 288 bytes below r1 are safe for a function that calls nothing.
 *
 * Registers. r1 to r5 are r3 to r7, C's arguments. r0 is r8, moved to r3 to return; after a helper the other way. r6 to r9
 * and r10 are r27 to r31, which C preserves. r26 points into struct ebpf_frame, at `scratch`, so that ldbrx, which has no
 * displacement, can use it as the address of the doubleword to swap. r9 is EBPF_SCRATCH, r10 holds the address that a failed
 * check reports, r11, r12 and r0 are temporaries.
 *
 * Programs that call nothing make no frame: registers are saved in the protected zone, and a doubleword to swap goes
 * there too; LR is saved only when bounds checks use it. A register that is never written is not saved.
 *
 * Byte swaps. 16 bits take two rotates in place, 32 bits three and a move. For 64 bits there are four ways, and each CPU
 * has another best one: rotates and inserts (8 instructions and a move) on POWER7, where a load right after the store it
 * depends on is rejected and retried; std and ldbrx on POWER8, which forwards stores (the 2017 measurement); xxbrd in a
 * vector register on POWER9, where EBPF_POWER_VSX says that these are free, else as on POWER8; brd on POWER10. Merging the
 * swap with the access is better than all of them.
 */
#include "power.h"
#include "shape.h"

/* Branch forms that patch fills in. */
enum { BRANCH_16 = 1, BRANCH_26 = 2 };

/* Conditional branches are taken to be short below this; the field reaches 32764. */
#define SHORT_BRANCH_BYTES 32000

/* Branches to labels. */

static void jump(struct ebpf_emitter *e, ebpf_label label)
{
	ebpf_reference(e, label, BRANCH_26);
	b(e, 0);
}

static void call_label(struct ebpf_emitter *e, ebpf_label label)
{
	ebpf_reference(e, label, BRANCH_26);
	word(e, 18u << 26 | 1);
}

static void jump_if(struct ebpf_emitter *e, unsigned condition, ebpf_label label)
{
	if (ebpf_distance_max(e, label) <= SHORT_BRANCH_BYTES) {
		ebpf_reference(e, label, BRANCH_16);
		bc(e, condition, 0);
	} else {
		bc(e, opposite(condition), 8);
		jump(e, label);
	}
}

static bool patch(uint8_t *at, unsigned kind, int64_t displacement, bool big_endian)
{
	int64_t reach = kind == BRANCH_16 ? 1 << 15 : 1 << 25;
	uint32_t field = kind == BRANCH_16 ? 0xfffc : 0x3fffffc;

	ebpf_put32(at, big_endian, ebpf_get32(at, big_endian) | ((uint32_t)displacement & field));
	return displacement >= -reach && displacement < reach;
}

static bool patch_little(uint8_t *at, unsigned kind, int64_t displacement)
{
	return patch(at, kind, displacement, false);
}

static bool patch_big(uint8_t *at, unsigned kind, int64_t displacement)
{
	return patch(at, kind, displacement, true);
}

/* Entry and exit. */

static unsigned saved_count(const struct shape *shape)
{
	return ebpf_count_bits(shape->saved) + shape->frame;
}

static int32_t frame_bytes(unsigned registers)
{
	return (int32_t)(HEADER_BYTES + registers * 8 + 15) & ~15;
}

/* Where the saved registers are: upwards from the header of our frame, or downwards from r1 without one. */
static int32_t save_offset(const struct shape *shape)
{
	return shape->calls ? HEADER_BYTES : -8 * (int32_t)saved_count(shape);
}

/* std or ld of each saved register. */
static void transfer_saved(struct ebpf_emitter *e, const struct shape *shape,
			   void (*transfer)(struct ebpf_emitter *, unsigned, int32_t, unsigned))
{
	int32_t offset = save_offset(shape);
	unsigned reg;

	if (shape->frame) {
		transfer(e, FRAME, offset, SP);
		offset += 8;
	}
	for (reg = 6; reg <= EBPF_R10; reg++) {
		if (shape->saved & R(reg)) {
			transfer(e, gpr(reg), offset, SP);
			offset += 8;
		}
	}
}

static void enter(struct ebpf_emitter *e)
{
	struct shape shape = program_shape(e);

	e->note = shape.frame ? NOTE_FRAME : 0;
	if (shape.link) {
		word(e, MFLR_R0);
		std(e, 0, LINK_SAVE, SP);
	}
	if (shape.calls) {
		stdu(e, SP, -frame_bytes(saved_count(&shape)), SP);
		std(e, TOC, TOC_SAVE, SP);
	}
	transfer_saved(e, &shape, std);
	if (shape.frame)
		d_form(e, ADDI, FRAME, FIRST_ARGUMENT, offsetof(struct ebpf_frame, scratch));
	if (shape.calls)
		std(e, SP, FIELD(saved_sp), FRAME);
	if (shape.saved & R(EBPF_R10))
		ld(e, gpr(EBPF_R10), offsetof(struct ebpf_frame, stack_top), FIRST_ARGUMENT);
	if (e->vm->live_at_entry & R(2))
		ld(e, gpr(2), offsetof(struct ebpf_frame, context_bytes), FIRST_ARGUMENT);
	if (e->vm->live_at_entry & R(1))
		ld(e, gpr(1), offsetof(struct ebpf_frame, context), FIRST_ARGUMENT);
}

static void leave(struct ebpf_emitter *e)
{
	struct shape shape = program_shape(e);

	mr(e, FIRST_ARGUMENT, gpr(0));
	if (shape.calls) {
		ld(e, SP, FIELD(saved_sp), FRAME);
		ld(e, TOC, TOC_SAVE, SP);
	}
	transfer_saved(e, &shape, ld);
	if (shape.calls)
		d_form(e, ADDI, SP, SP, frame_bytes(saved_count(&shape)));
	if (shape.link) {
		ld(e, 0, LINK_SAVE, SP);
		word(e, MTLR_R0);
	}
	word(e, BLR);
}

static void clear(struct ebpf_emitter *e, uint16_t registers)
{
	unsigned reg;

	for (reg = 0; reg <= EBPF_R10; reg++) {
		if (registers & R(reg))
			li(e, gpr(reg), 0);
	}
}

/* Control. */

static unsigned condition_bits(enum ebpf_condition condition)
{
	switch (condition) {
	case EBPF_EQ:
		return IF_EQ;
	case EBPF_GT:
	case EBPF_SGT:
		return IF_GT;
	case EBPF_GE:
	case EBPF_SGE:
		return IF_GE;
	case EBPF_LT:
	case EBPF_SLT:
		return IF_LT;
	case EBPF_LE:
	case EBPF_SLE:
		return IF_LE;
	default: /* NE, SET */
		return IF_NE;
	}
}

static void branch(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, unsigned b, ebpf_label target)
{
	if (condition == EBPF_SET && wide) {
		x_record(e, XO_AND, gpr(a), T1, gpr(b));
	} else if (condition == EBPF_SET) {
		x_form(e, XO_AND, gpr(a), T1, gpr(b));
		rlwinm_record(e, T1, T1, 0, 0, 31);
	} else {
		cmp(e, condition >= EBPF_SGT ? XO_CMP : XO_CMPL, wide, gpr(a), gpr(b));
	}
	jump_if(e, condition_bits(condition), target);
}

static bool test_bits_immediate(struct ebpf_emitter *e, bool wide, unsigned reg, int32_t imm)
{
	uint32_t mask = (uint32_t)imm;
	unsigned begin, end;

	if (wide && imm < 0)
		return false;
	if (mask <= 0xffff)
		d_form(e, ANDI_, reg, T1, imm);
	else if (!(mask & 0xffff))
		d_form(e, ANDIS_, reg, T1, (int32_t)(mask >> 16));
	else if (is_run(mask, &begin, &end))
		rlwinm_record(e, T1, reg, 0, begin, end);
	else
		return false;
	return true;
}

/* Comparison with a constant; for equality there is a form for every constant that is not negative. */
static bool compare_immediate(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned reg, int32_t imm)
{
	bool equality = condition == EBPF_EQ || condition == EBPF_NE;
	bool negative = wide && imm < 0; /* 64 ones above */

	if (fits16(imm) && (equality || condition >= EBPF_SGT)) {
		cmp_imm(e, CMPI, wide, reg, imm);
	} else if (condition < EBPF_SGT && (uint32_t)imm <= 0xffff && !negative) {
		cmp_imm(e, CMPLI, wide, reg, imm);
	} else if (equality && !negative) {
		d_form(e, XORIS, reg, T1, (int32_t)((uint32_t)imm >> 16));
		cmp_imm(e, CMPLI, wide, T1, imm & 0xffff);
	} else {
		return false;
	}
	return true;
}

static bool branch_immediate(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, int32_t imm,
			     ebpf_label target)
{
	bool done = condition == EBPF_SET ? test_bits_immediate(e, wide, gpr(a), imm) :
					    compare_immediate(e, condition, wide, gpr(a), imm);

	if (done)
		jump_if(e, condition_bits(condition), target);
	return done;
}

/* Calls. */

static void call_local(struct ebpf_emitter *e, ebpf_label function)
{
	call_label(e, function);
}

static void transfer_function_registers(struct ebpf_emitter *e, uint16_t saved,
					void (*transfer)(struct ebpf_emitter *, unsigned, int32_t, unsigned))
{
	int32_t offset = HEADER_BYTES;
	unsigned reg;

	for (reg = 6; reg <= 9; reg++) {
		if (saved & R(reg)) {
			transfer(e, gpr(reg), offset, SP);
			offset += 8;
		}
	}
}

static void function_enter(struct ebpf_emitter *e, uint16_t saved)
{
	word(e, MFLR_R0);
	std(e, 0, LINK_SAVE, SP);
	stdu(e, SP, -frame_bytes(ebpf_count_bits(saved)), SP);
	transfer_function_registers(e, saved, std);
	d_form(e, ADDI, gpr(EBPF_R10), gpr(EBPF_R10), -EBPF_FRAME_BYTES);
}

static void function_leave(struct ebpf_emitter *e, uint16_t saved)
{
	d_form(e, ADDI, gpr(EBPF_R10), gpr(EBPF_R10), EBPF_FRAME_BYTES);
	transfer_function_registers(e, saved, ld);
	d_form(e, ADDI, SP, SP, frame_bytes(ebpf_count_bits(saved)));
	ld(e, 0, LINK_SAVE, SP);
	word(e, MTLR_R0);
	word(e, BLR);
}

/* r12 holds the function's address; all arguments except the sixth are in place. */
static void call_address(struct ebpf_emitter *e)
{
	mtctr(e, T2);
	ld(e, ARGUMENT_6, FIELD(helper_context), FRAME);
	word(e, BCTRL);
	mr(e, gpr(0), FIRST_ARGUMENT);
}

static void call_helper(struct ebpf_emitter *e, uint32_t number, bool unwinds)
{
	ld(e, T2, FIELD(helpers), FRAME);
	ld(e, T2, (int32_t)(number * sizeof(struct ebpf_helper_entry)), T2);
	call_address(e);
	if (unwinds) {
		cmp_imm(e, CMPI, true, gpr(0), 0);
		jump_if(e, IF_EQ, ebpf_leave_label(e));
	}
}

/* Keeps the entry's address in frame->scratch until its flags are read after the call. */
static void call_register(struct ebpf_emitter *e, unsigned number, ebpf_label bad)
{
	mr(e, ADDRESS, gpr(number));
	ld(e, T1, FIELD(helper_count), FRAME);
	cmp(e, XO_CMPL, true, ADDRESS, T1);
	jump_if(e, IF_GE, bad);
	rldicr(e, T1, ADDRESS, 4, 59); /* sizeof(struct ebpf_helper_entry) is 16 */
	ld(e, T2, FIELD(helpers), FRAME);
	x_form(e, XO_ADD, T1, T1, T2);
	std(e, T1, FIELD(scratch), FRAME);
	ld(e, T2, 0, T1);
	cmp_imm(e, CMPI, true, T2, 0);
	jump_if(e, IF_EQ, bad);
	call_address(e);
	ld(e, T1, FIELD(scratch), FRAME);
	ld(e, T1, offsetof(struct ebpf_helper_entry, flags), T1);
	d_form(e, ANDI_, T1, T1, EBPF_HELPER_UNWIND);
	/* result | (flag - 1) is 0 only if the flag is 1 and the result 0 */
	d_form(e, ADDI, T1, T1, -1);
	x_record(e, XO_OR, T1, T1, gpr(0));
	jump_if(e, IF_EQ, ebpf_leave_label(e));
}

/* Checks. */

static void charge(struct ebpf_emitter *e, uint32_t instructions, ebpf_label bad)
{
	ld(e, T1, FIELD(budget), FRAME);
	if (instructions <= 0x7fff) {
		cmp_imm(e, CMPLI, true, T1, (int32_t)instructions);
		jump_if(e, IF_LT, bad);
		d_form(e, ADDI, T1, T1, -(int32_t)instructions);
	} else {
		set_register(e, T2, instructions);
		cmp(e, XO_CMPL, true, T1, T2);
		jump_if(e, IF_LT, bad);
		x_form(e, XO_SUBF, T1, T2, T1);
	}
	std(e, T1, FIELD(budget), FRAME);
}

static void check_alignment(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label bad)
{
	d_form(e, ADDI, ADDRESS, gpr(m.base), m.offset);
	d_form(e, ANDI_, ADDRESS, T1, (int32_t)m.bytes - 1);
	jump_if(e, IF_NE, bad);
}

static void check_bounds(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label routine, ebpf_label bad)
{
	d_form(e, ADDI, ADDRESS, gpr(m.base), m.offset);
	call_label(e, routine);
	jump_if(e, IF_NE, bad);
}

static void fault(struct ebpf_emitter *e, enum ebpf_status status, uint32_t instruction, bool address)
{
	if (address)
		std(e, ADDRESS, FIELD(fault_address), FRAME);
	li(e, T1, (int32_t)status);
	std(e, T1, FIELD(status), FRAME);
	set_register(e, T1, instruction);
	std(e, T1, FIELD(fault_instruction), FRAME);
	jump(e, ebpf_leave_label(e));
}

/* clang-format off */
#define POWER_BACKEND(arch, is_big, patch_function)									\
	{														\
		.name = arch, .big_endian = is_big, .fusion_pays = true, .extension_costs = true,			\
		.features_known = EBPF_POWER_ISA206 | EBPF_POWER_ISA207 | EBPF_POWER_ISA300 | EBPF_POWER_ISA310 |	\
			EBPF_POWER_VSX,											\
		.swap_error = ebpf_power_swap_error, .has_swapped_access = ebpf_power_has_swapped_access,		\
		.enter = enter, .leave = leave, .clear = clear, .load_immediate = ebpf_power_load_immediate,		\
		.move = ebpf_power_move, .move_sign_extended = ebpf_power_move_sign_extended,				\
		.negate = ebpf_power_negate, .alu = ebpf_power_alu, .alu_immediate = ebpf_power_alu_immediate,		\
		.swap = ebpf_power_swap, .truncate = ebpf_power_truncate_register, .load = ebpf_power_load,		\
		.store = ebpf_power_store, .store_immediate = ebpf_power_store_immediate, .atomic = ebpf_power_atomic,	\
		.jump = jump, .branch = branch, .branch_immediate = branch_immediate, .call_local = call_local,		\
		.function_enter = function_enter, .function_leave = function_leave, .call_helper = call_helper,		\
		.call_register = call_register, .charge = charge, .check_alignment = check_alignment,			\
		.check_bounds = check_bounds, .bounds_routine = ebpf_power_bounds_routine, .fault = fault,		\
		.patch = patch_function,										\
	}
/* clang-format on */

const struct ebpf_backend ebpf_backend_powerpc64le = POWER_BACKEND("powerpc64le", false, patch_little);
const struct ebpf_backend ebpf_backend_powerpc64 = POWER_BACKEND("powerpc64", true, patch_big);
