/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interpreter: the reference that says what a program means. Generated code must give the same r0, the same memory
 * and the same fault at the same instruction. It is written after RFC 9669, one case an operation, for reading first.
 *
 * Where the RFC leaves something open, both engines do this: registers other than r1, r2 and r10 start as 0, r1 to r5
 * are 0 after a helper, the stack starts as 0, and a local call keeps r6 to r9.
 */
#include "internal.h"

struct saved_frame {
	uint32_t return_to;
	uint64_t r[4]; /* r6 to r9 */
};

struct machine {
	const struct ebpf_vm *vm;
	struct ebpf_frame *frame;
	uint64_t r[EBPF_REGISTERS];
	struct saved_frame saved[EBPF_CALL_DEPTH_MAX];
	unsigned depth;
	uint32_t at; /* the instruction being executed */
};

static bool fault(struct machine *m, enum ebpf_status status, uint64_t address)
{
	m->frame->status = status;
	m->frame->fault_instruction = m->at;
	m->frame->fault_address = address;
	return false;
}

/* Arithmetic. `signed_` is the offset of DIV and MOD. 64-bit operands come sign-extended from the immediate. */

static uint64_t divide64(uint64_t a, uint64_t b, bool signed_)
{
	if (b == 0)
		return 0;
	if (!signed_)
		return a / b;
	return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b); /* INT64_MIN / -1 wraps */
}

static uint64_t modulo64(uint64_t a, uint64_t b, bool signed_)
{
	if (b == 0)
		return a;
	if (!signed_)
		return a % b;
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint32_t divide32(uint32_t a, uint32_t b, bool signed_)
{
	if (b == 0)
		return 0;
	if (!signed_)
		return a / b;
	return b == UINT32_MAX ? 0 - a : (uint32_t)((int32_t)a / (int32_t)b);
}

static uint32_t modulo32(uint32_t a, uint32_t b, bool signed_)
{
	if (b == 0)
		return a;
	if (!signed_)
		return a % b;
	return b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}

/* The value of the low `bits` bits, sign-extended. */
static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	switch (bits) {
	case 8:
		return (uint64_t)(int64_t)(int8_t)value;
	case 16:
		return (uint64_t)(int64_t)(int16_t)value;
	case 32:
		return (uint64_t)(int64_t)(int32_t)value;
	default:
		return value;
	}
}

/* Arithmetic shift without relying on what C leaves to the implementation. */
static uint64_t shift_right_arithmetic(uint64_t value, unsigned count)
{
	uint64_t sign = 0 - (value >> 63);

	return count ? value >> count | (sign & ~(UINT64_MAX >> count)) : value;
}

static uint64_t alu64(uint8_t code, uint64_t a, uint64_t b, int16_t offset)
{
	switch (code) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return divide64(a, b, offset == 1);
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return a << (b & 63);
	case BPF_RSH:
		return a >> (b & 63);
	case BPF_NEG:
		return 0 - a;
	case BPF_MOD:
		return modulo64(a, b, offset == 1);
	case BPF_XOR:
		return a ^ b;
	case BPF_MOV:
		return sign_extend(b, (unsigned)offset);
	default: /* BPF_ARSH */
		return shift_right_arithmetic(a, b & 63);
	}
}

static uint32_t alu32(uint8_t code, uint32_t a, uint32_t b, int16_t offset)
{
	switch (code) {
	case BPF_DIV:
		return divide32(a, b, offset == 1);
	case BPF_LSH:
		return a << (b & 31);
	case BPF_RSH:
		return a >> (b & 31);
	case BPF_MOD:
		return modulo32(a, b, offset == 1);
	case BPF_ARSH:
		return (uint32_t)shift_right_arithmetic(sign_extend(a, 32), b & 31);
	default: /* the low half of the 64-bit operation */
		return (uint32_t)alu64(code, a, b, offset);
	}
}

/* Shifts, which compilers know for a byte swap: for __builtin_bswap64 they call their own library where no instruction does it. */
static uint64_t swap(uint64_t value, int bits)
{
	value = (value & 0x00ff00ff00ff00ff) << 8 | (value >> 8 & 0x00ff00ff00ff00ff);
	value = (value & 0x0000ffff0000ffff) << 16 | (value >> 16 & 0x0000ffff0000ffff);
	return (value << 32 | value >> 32) >> (64 - bits);
}

static uint64_t low_bits(uint64_t value, int bits)
{
	return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* Section 4.2: le and be convert between that order and the host's, so one of them only clears the upper bits. */
static uint64_t convert_order(const struct ebpf_insn *insn, uint64_t value)
{
	bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	if (insn->opcode == BPF_OP_BSWAP || (insn->opcode == BPF_OP_BE) != host_is_big)
		return swap(value, insn->imm);
	return low_bits(value, insn->imm);
}

static void arithmetic(struct machine *m, const struct ebpf_insn *insn)
{
	uint64_t *dst = &m->r[insn->dst];
	bool reg = BPF_SOURCE(insn->opcode) == BPF_X;
	uint64_t operand = reg ? m->r[insn->src] : (uint64_t)(int64_t)insn->imm;
	uint8_t code = BPF_CODE(insn->opcode);

	if (code == BPF_END)
		*dst = convert_order(insn, *dst);
	else if (BPF_CLASS(insn->opcode) == BPF_ALU64)
		*dst = alu64(code, *dst, operand, insn->offset);
	else
		*dst = alu32(code, (uint32_t)*dst, (uint32_t)operand, insn->offset);
}

static bool condition(const struct machine *m, const struct ebpf_insn *insn)
{
	uint64_t a = m->r[insn->dst];
	uint64_t b = BPF_SOURCE(insn->opcode) == BPF_X ? m->r[insn->src] : (uint64_t)(int64_t)insn->imm;
	bool narrow = BPF_CLASS(insn->opcode) == BPF_JMP32;
	int64_t sa, sb;

	if (narrow) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	sa = (int64_t)(narrow ? sign_extend(a, 32) : a);
	sb = (int64_t)(narrow ? sign_extend(b, 32) : b);
	switch (BPF_CODE(insn->opcode)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return (a & b) != 0;
	case BPF_JNE:
		return a != b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSLT:
		return sa < sb;
	default: /* BPF_JSLE */
		return sa <= sb;
	}
}

/* Memory. A region never wraps around, so distances within it do not either. */
static bool in_bounds(struct machine *m, uint64_t address, unsigned bytes, bool write)
{
	uint64_t last = write ? m->frame->writable_end : m->frame->regions_end;
	const struct ebpf_region *region = (const struct ebpf_region *)(uintptr_t)m->frame->regions;
	const struct ebpf_region *end = (const struct ebpf_region *)(uintptr_t)last;

	for (; region < end; region++) {
		if (address >= region->start && address - region->start <= region->bytes &&
		    region->bytes - (address - region->start) >= bytes)
			return true;
	}
	return fault(m, EBPF_ERROR_BOUNDS, address);
}

static uint64_t read_memory(uint64_t address, unsigned bytes)
{
	const void *memory = (const void *)(uintptr_t)address;
	uint8_t v8;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (bytes) {
	case 1:
		__builtin_memcpy(&v8, memory, 1);
		return v8;
	case 2:
		__builtin_memcpy(&v16, memory, 2);
		return v16;
	case 4:
		__builtin_memcpy(&v32, memory, 4);
		return v32;
	default:
		__builtin_memcpy(&v64, memory, 8);
		return v64;
	}
}

static void write_memory(uint64_t address, uint64_t value, unsigned bytes)
{
	void *memory = (void *)(uintptr_t)address;
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;

	switch (bytes) {
	case 1:
		__builtin_memcpy(memory, &v8, 1);
		break;
	case 2:
		__builtin_memcpy(memory, &v16, 2);
		break;
	case 4:
		__builtin_memcpy(memory, &v32, 4);
		break;
	default:
		__builtin_memcpy(memory, &value, 8);
	}
}

static void atomic32(struct machine *m, const struct ebpf_insn *insn, uint32_t *memory)
{
	uint32_t operand = (uint32_t)m->r[insn->src], old = 0, expected;

	switch (insn->imm & ~BPF_FETCH) {
	case BPF_ADD:
		old = __atomic_fetch_add(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_OR:
		old = __atomic_fetch_or(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_AND:
		old = __atomic_fetch_and(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_XOR:
		old = __atomic_fetch_xor(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_XCHG & ~BPF_FETCH:
		old = __atomic_exchange_n(memory, operand, __ATOMIC_SEQ_CST);
		break;
	default: /* BPF_CMPXCHG */
		expected = (uint32_t)m->r[0];
		__atomic_compare_exchange_n(memory, &expected, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		m->r[0] = expected;
		return;
	}
	if (insn->imm & BPF_FETCH)
		m->r[insn->src] = old;
}

static void atomic64(struct machine *m, const struct ebpf_insn *insn, uint64_t *memory)
{
	uint64_t operand = m->r[insn->src], old = 0;

	switch (insn->imm & ~BPF_FETCH) {
	case BPF_ADD:
		old = __atomic_fetch_add(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_OR:
		old = __atomic_fetch_or(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_AND:
		old = __atomic_fetch_and(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_XOR:
		old = __atomic_fetch_xor(memory, operand, __ATOMIC_SEQ_CST);
		break;
	case BPF_XCHG & ~BPF_FETCH:
		old = __atomic_exchange_n(memory, operand, __ATOMIC_SEQ_CST);
		break;
	default: /* BPF_CMPXCHG leaves in r0 what was there, also when it stored */
		__atomic_compare_exchange_n(memory, &m->r[0], operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return;
	}
	if (insn->imm & BPF_FETCH)
		m->r[insn->src] = old;
}

/*
 * Operations with FETCH are fully ordered, as in the kernel's memory model. C's strongest order is weaker where it is made of
 * load-and-reserve and store-conditional: a later access that is not atomic may pass the store.
 */
static void order_fully(void)
{
#ifndef __x86_64__ /* whose locked instructions are fences */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static bool atomic(struct machine *m, const struct ebpf_insn *insn, uint64_t address, unsigned bytes)
{
	if (address % bytes)
		return fault(m, EBPF_ERROR_ALIGNMENT, address);
	if (bytes == 4)
		atomic32(m, insn, (uint32_t *)(uintptr_t)address);
	else
		atomic64(m, insn, (uint64_t *)(uintptr_t)address);
	if (insn->imm & BPF_FETCH)
		order_fully();
	return true;
}

/* Loads, stores and atomics; false if it faulted. */
static bool access_memory(struct machine *m, const struct ebpf_insn *insn)
{
	bool is_load = BPF_CLASS(insn->opcode) == BPF_LDX;
	uint64_t address = m->r[is_load ? insn->src : insn->dst] + (uint64_t)(int64_t)insn->offset;
	unsigned bytes = ebpf_access_bytes(insn->opcode);

	if (m->vm->options.bounds && !in_bounds(m, address, bytes, !is_load))
		return false;
	if (is_load) {
		uint64_t value = read_memory(address, bytes);

		m->r[insn->dst] = BPF_MODE(insn->opcode) == BPF_MEMSX ? sign_extend(value, bytes * 8) : value;
		return true;
	}
	if (BPF_CLASS(insn->opcode) == BPF_ST)
		write_memory(address, (uint64_t)(int64_t)insn->imm, bytes);
	else if (BPF_MODE(insn->opcode) == BPF_MEM)
		write_memory(address, m->r[insn->src], bytes);
	else
		return atomic(m, insn, address, bytes);
	return true;
}

/* Calls a helper; false if the program ends with it. */
static bool call_helper(struct machine *m, uint64_t number)
{
	const struct ebpf_helper_entry *helpers = (const struct ebpf_helper_entry *)(uintptr_t)m->frame->helpers;
	const struct ebpf_helper_entry *entry;
	unsigned i;

	if (number >= m->frame->helper_count || !helpers[number].function)
		return fault(m, EBPF_ERROR_HELPER, number);
	entry = &helpers[number];
	m->r[0] = ((ebpf_helper)(uintptr_t)entry->function)(m->r[1], m->r[2], m->r[3], m->r[4], m->r[5],
							    (void *)(uintptr_t)m->frame->helper_context);
	for (i = 1; i <= 5; i++)
		m->r[i] = 0;
	return !(entry->flags & EBPF_HELPER_UNWIND) || m->r[0] != 0;
}

static void call_local(struct machine *m, const struct ebpf_insn *insn)
{
	struct saved_frame *saved = &m->saved[m->depth++];

	saved->return_to = m->at + 1;
	ebpf_copy(saved->r, &m->r[6], sizeof(saved->r));
	m->r[EBPF_R10] -= EBPF_FRAME_BYTES;
	m->at = insn->target;
}

/* Returns from a local function; false at the end of the main program. */
static bool leave(struct machine *m)
{
	if (m->depth == 0)
		return false;
	m->at = m->saved[--m->depth].return_to;
	ebpf_copy(&m->r[6], m->saved[m->depth].r, sizeof(m->saved[0].r));
	m->r[EBPF_R10] += EBPF_FRAME_BYTES;
	return true;
}

/* Executes a jump, call or exit and moves on; false if the program ends. */
static bool jump(struct machine *m, const struct ebpf_insn *insn)
{
	switch (insn->opcode) {
	case BPF_OP_EXIT:
		return leave(m);
	case BPF_OP_CALL:
		if (insn->src == BPF_CALL_LOCAL) {
			call_local(m, insn);
			return true;
		}
		if (!call_helper(m, (uint32_t)insn->imm))
			return false;
		m->at++;
		return true;
	case BPF_OP_CALLX:
		if (!call_helper(m, m->r[insn->dst]))
			return false;
		m->at++;
		return true;
	case BPF_OP_JA:
	case BPF_OP_JA32:
		m->at = insn->target;
		return true;
	default:
		m->at = condition(m, insn) ? insn->target : m->at + 1;
		return true;
	}
}

static bool charge(struct machine *m, const struct ebpf_insn *leader)
{
	if (m->frame->budget < leader->charge)
		return fault(m, EBPF_ERROR_BUDGET, 0);
	m->frame->budget -= leader->charge;
	return true;
}

/* Executes the instruction at m->at and moves on; false if the program ends or faults. */
static bool step(struct machine *m)
{
	const struct ebpf_insn *insn = &m->vm->program[m->at];

	if ((insn->flags & EBPF_INSN_LEADER) && m->vm->options.budget_instructions && !charge(m, insn))
		return false;
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		arithmetic(m, insn);
		m->at++;
		return true;
	case BPF_JMP:
	case BPF_JMP32:
		return jump(m, insn);
	case BPF_LD:
		m->r[insn->dst] = ebpf_wide(insn);
		m->at += 2;
		return true;
	default:
		if (!access_memory(m, insn))
			return false;
		m->at++;
		return true;
	}
}

void ebpf_interpret(const struct ebpf_vm *vm, struct ebpf_frame *frame, uint64_t *r0)
{
	struct machine m = { .vm = vm, .frame = frame };

	m.r[1] = frame->context;
	m.r[2] = frame->context_bytes;
	m.r[EBPF_R10] = frame->stack_top;
	while (step(&m))
		;
	*r0 = m.r[0];
}
