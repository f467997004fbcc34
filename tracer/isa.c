// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// What the tracer has to know of instructions. It decodes nothing more, because a reader of the trace has the bytes.
//
// QEMU's reports have holes. Power ISA 3.1B numbers bits from the left; below, field(word, 6, 10) is bits 6 to 10.
//   lmw stmw lswi stswi lswx stswx dcbz   access memory through a host pointer, without a report
//   icbi icbiep dcbst dcbf...             are reported as loads: QEMU reads the address to raise a fault if there is one
//   stbcx. ... stqcx., LoongArch and RISC-V sc., AArch64 stxr stlxr stxp stlxp
//                                         are compare-and-exchange: reported as read and write
//   AArch64 dc zva, dc gzva               are a memset of the host's, without a report
//   AArch64 cpyp setp ...                 are done by the host's functions for that
//   AArch64 SVE and SME                   access memory through a host pointer, most of them, in QEMU 7.2

#include "tracer.h"

#include <string.h>

static uint32_t field(uint32_t word, unsigned first, unsigned last)
{
	return word >> (31 - last) & ((1u << (last - first + 1)) - 1);
}

static bool is_power(void)
{
	return target->arch == ARCH_POWERPC || target->arch == ARCH_POWERPC64 || target->arch == ARCH_POWERPC64LE;
}

uint32_t isa_word(const uint8_t *code)
{
	if (target->big_endian)
		return (uint32_t)code[0] << 24 | code[1] << 16 | code[2] << 8 | code[3];
	return (uint32_t)code[3] << 24 | code[2] << 16 | code[1] << 8 | code[0];
}

/* clang-format off */
enum {
	LMW = 46, STMW = 47, X_FORM = 31,
	LSWX = 533, LSWI = 597, STSWX = 661, STSWI = 725, DCBZ = 1014,
	ICBI = 982, DCBST = 54, DCBF = 86, DCBI = 470, DCBA = 758, ICBT = 22, DCBT = 278, DCBTST = 246,
	STBCX = 694, STHCX = 726, STWCX = 150, STDCX = 214, STQCX = 182,
};
/* clang-format on */

static struct instruction_facts power_facts(uint32_t word)
{
	struct instruction_facts facts = { 0 };
	uint32_t primary = field(word, 0, 5);

	facts.silent = primary == LMW || primary == STMW;
	if (primary != X_FORM)
		return facts;
	switch (field(word, 21, 30)) {
	case LSWX:
	case LSWI:
	case STSWX:
	case STSWI:
	case DCBZ:
		facts.silent = true;
		break;
	case ICBI:
	case DCBST:
	case DCBF:
	case DCBI:
	case DCBA:
	case ICBT:
	case DCBT:
	case DCBTST:
		facts.cache_op = true;
		break;
	case STBCX:
	case STHCX:
	case STWCX:
	case STDCX:
	case STQCX:
		facts.store_only = true;
		break;
	}
	return facts;
}

static struct instruction_facts loongarch_facts(uint32_t word)
{
	// sc.w is 0x21, sc.d 0x23 in bits 31..24; sc.q is 0x38570000 under the mask 0xffff8000.
	uint32_t top = word >> 24;
	bool conditional = top == 0x21 || top == 0x23 || (word & 0xffff8000) == 0x38570000;

	return (struct instruction_facts){ .store_only = conditional };
}

// DDI 0487: the loads and stores of SVE are "SVE memory", 1xx0010 in the top bits, those of SME "SME memory". Every QEMU reports
// LDR and STR of a register and LD1R, and executes PRF as nothing. Of the others one with the oldest plugin interface is taken
// to tell nothing.
static bool is_scalable(uint32_t word)
{
	static const struct {
		uint32_t mask, value;
	} others[] = {
		{ 0xffc0a000, 0x85800000 }, { 0xffc0a000, 0xe5800000 }, // LDR, STR
		{ 0xfe408000, 0x84408000 }, // LD1R
		{ 0xffc08010, 0x85c00000 }, { 0xfe60e010, 0x8400c000 }, { 0xbe60e010, 0x8400e000 }, // PRF
		{ 0xbfa08010, 0x84200000 }, { 0xffe08010, 0xc4608000 },
	};

	if ((word & 0xff000000) == 0xe0000000 || (word & 0xffc00000) == 0xe1c00000) // SME's LD1 and ST1
		return true;
	if ((word & 0x9e000000) != 0x84000000)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if ((word & others[i].mask) == others[i].value)
			return false;
	return true;
}

static bool stores_scalable(uint32_t word)
{
	return word >> 24 == 0xe0 || word >> 24 == 0xe1 ? word >> 21 & 1 : word >> 29 == 7;
}

// CPYFP, CPYP, SETP, SETGP and what follows them; of op1, 3 is "memory set".
static bool copies_or_sets(uint32_t word)
{
	return (word & 0xfb200c00) == 0x19000400;
}

static uint32_t kinds_of_copy(uint32_t word)
{
	return (word >> 22 & 3) == 3 ? INFO_STORE : INFO_LOAD | INFO_STORE;
}

// DC ZVA and DC GZVA are SYS #3, C7, C4, #1 and #4 with Rt in the low bits. Of "load/store exclusive", STXR and the like have L
// and o2 zero; a pair (o1) with the top bit of size zero is CASP, which does read.
static struct instruction_facts aarch64_facts(uint32_t word)
{
	bool exclusive = (word & 0x3fc00000) == 0x08000000, pair = word >> 21 & 1, wide = word >> 31;
	bool zeroes = (word & 0xffffffe0) == 0xd50b7420 || (word & 0xffffffe0) == 0xd50b7480;

	return (struct instruction_facts){
		.silent = zeroes || copies_or_sets(word) || (is_scalable(word) && !qemu_plugin_scoreboard_new),
		.store_only = exclusive && (!pair || wide),
	};
}

// SC.W and SC.D: major opcode AMO, funct5 3.
static struct instruction_facts riscv_facts(uint32_t word)
{
	return (struct instruction_facts){ .store_only = (word & 0x7f) == 0x2f && word >> 27 == 3 };
}

struct instruction_facts isa_facts(uint32_t word)
{
	switch (target->arch) {
	case ARCH_POWERPC:
	case ARCH_POWERPC64:
	case ARCH_POWERPC64LE:
		return power_facts(word);
	case ARCH_LOONGARCH64:
		return loongarch_facts(word);
	case ARCH_AARCH64:
		return aarch64_facts(word);
	case ARCH_RISCV64:
		return riscv_facts(word);
	case ARCH_X86_64: // word is that of instructions of four bytes, and these would be of any length
		break;
	}
	return (struct instruction_facts){ 0 };
}

// AMD64 manual, volume 3: INS, OUTS, MOVS, CMPS, STOS, LODS and SCAS with REP or REPNE.
uint8_t isa_turn_accesses(const uint8_t *code, size_t bytes)
{
	static const char prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67 };
	bool repeats = false;

	if (target->arch != ARCH_X86_64)
		return 0;
	for (; bytes > 1; code++, bytes--) {
		if (*code == 0xf2 || *code == 0xf3)
			repeats = true;
		else if (!memchr(prefixes, *code, sizeof(prefixes)) && *code >> 4 != 4) // REX
			return 0;
	}
	if (!repeats)
		return 0;
	if (*code >= 0xa4 && *code <= 0xa7)
		return 2;
	return (*code >= 0x6c && *code <= 0x6f) || (*code >= 0xaa && *code <= 0xaf);
}

// ---- Holes ----------------------------------------------------------------------------------------------------

static uint64_t wrap(uint64_t address)
{
	return target->word_bytes == 4 ? (uint32_t)address : address;
}

static uint64_t base_or_zero(uint32_t word, const void *cpu)
{
	return field(word, 11, 15) ? guest_register(cpu, field(word, 11, 15)) : 0;
}

static bool power_hole(uint32_t word, const void *cpu, uint64_t *address, uint32_t *info)
{
	uint32_t primary = field(word, 0, 5), extended = field(word, 21, 30), bytes, kind = INFO_LOAD;
	bool known = cpu && guest_registers_known(), indexed = false;

	if (primary == LMW || primary == STMW) {
		bytes = 4 * (32 - field(word, 6, 10));
		kind = primary == STMW ? INFO_STORE : INFO_LOAD;
	} else if (extended == LSWI || extended == STSWI) {
		bytes = field(word, 16, 20) ? field(word, 16, 20) : 32;
		kind = extended == STSWI ? INFO_STORE : INFO_LOAD;
	} else if (extended == DCBZ) {
		bytes = (uint32_t)guest_cache_line();
		kind = INFO_STORE;
		known &= bytes != 0;
		indexed = true;
	} else {
		bytes = known ? (uint32_t)guest_xer_bytes(cpu) : 0;
		kind = extended == STSWX ? INFO_STORE : INFO_LOAD;
		indexed = true;
		if (known && !bytes)
			return false;
	}
	if (known) {
		*address = base_or_zero(word, cpu);
		if (indexed)
			*address += guest_register(cpu, field(word, 16, 20));
		else if (primary == LMW || primary == STMW)
			*address += (uint64_t)(int16_t)(word & 0xffff);
		*address = wrap(*address);
		if (extended == DCBZ && primary == X_FORM)
			*address &= ~(uint64_t)(bytes - 1);
	}
	*info = INFO_SYNTHETIC | kind | (known ? 0 : INFO_UNKNOWN) | bytes;
	return true;
}

static void zeroed_block(uint32_t word, const void *cpu, uint64_t *address, uint32_t *info)
{
	enum { ZERO_REGISTER = 31 };
	uint32_t bytes = (uint32_t)guest_cache_line(), rt = word & 31;
	bool known = cpu && guest_registers_known() && bytes;

	if (known)
		*address = rt == ZERO_REGISTER ? 0 : guest_register(cpu, rt) & ~(uint64_t)(bytes - 1);
	*info = INFO_SYNTHETIC | INFO_STORE | (known ? 0 : INFO_UNKNOWN) | bytes;
}

// What a silent instruction has just accessed. False: nothing.
bool isa_hole(uint32_t word, const void *cpu, uint64_t *address, uint32_t *info)
{
	*address = 0;
	if (target->arch != ARCH_AARCH64)
		return power_hole(word, cpu, address, info);
	if (is_scalable(word)) // predicates and the vectors' length are where no plugin finds them
		*info = INFO_SYNTHETIC | INFO_UNKNOWN | (stores_scalable(word) ? INFO_STORE : INFO_LOAD);
	else if (copies_or_sets(word)) // how far each of the three goes is the core's choice
		*info = INFO_SYNTHETIC | INFO_UNKNOWN | kinds_of_copy(word);
	else
		zeroed_block(word, cpu, address, info);
	return true;
}

// ---- Blocks left early ----------------------------------------------------------------------------------------
//
// A block is reported when it begins. If an instruction in it cannot be executed at once (the first vector instruction
// of a LoongArch thread, an atomic that needs the other threads to stop), QEMU leaves the block there and starts a new
// one at that instruction. The rest of the block has then not been executed.

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

enum flow { FLOW_ON, FLOW_TO, FLOW_ANYWHERE };

static enum flow power_flow(uint32_t word, uint64_t at, uint64_t *to)
{
	bool absolute = word >> 1 & 1;

	switch (field(word, 0, 5)) {
	case 18: // b
		*to = wrap((absolute ? 0 : at) + (uint64_t)sign_extend(word & 0x03fffffc, 26));
		return FLOW_TO;
	case 16: // bc
		*to = wrap((absolute ? 0 : at) + (uint64_t)sign_extend(word & 0xfffc, 16));
		return FLOW_TO;
	case 17: // sc: a signal handler or rt_sigreturn may follow
	case 19: // bclr, bcctr, bctar, rfid...
		return FLOW_ANYWHERE;
	}
	return FLOW_ON;
}

static enum flow loongarch_flow(uint32_t word, uint64_t at, uint64_t *to)
{
	uint32_t op = word >> 26;

	if (op == 0x14 || op == 0x15) { // b, bl: the low 16 bits of the offset stand in bits 25..10
		*to = at + (uint64_t)sign_extend((uint64_t)(word & 0x3ff) << 18 | (word >> 10 & 0xffff) << 2, 28);
		return FLOW_TO;
	}
	if (op >= 0x10 && op <= 0x12) { // beqz, bnez, bceqz, bcnez
		*to = at + (uint64_t)sign_extend((uint64_t)(word & 0x1f) << 18 | (word >> 10 & 0xffff) << 2, 23);
		return FLOW_TO;
	}
	if (op >= 0x16 && op <= 0x1b) { // beq .. bgeu
		*to = at + (uint64_t)sign_extend((uint64_t)(word >> 10 & 0xffff) << 2, 18);
		return FLOW_TO;
	}
	if (op == 0x13 || (word & 0xffff8000) == 0x002b0000) // jirl, syscall
		return FLOW_ANYWHERE;
	return FLOW_ON;
}

// LSX and LASX have major opcodes 0x1c, 0x1d (three register and immediate forms), and vector loads, stores and
// four-register forms at the given places.
static bool is_loongarch_vector(uint32_t word)
{
	uint32_t op = word >> 22, group = word >> 20;

	return (word >> 26) == 0x1c || (word >> 26) == 0x1d || (op >= 0xb0 && op <= 0xb3) || (op >= 0xc0 && op <= 0xcf) ||
	       (group >= 0x091 && group <= 0x0d7 && group != 0x0d0) || (word >> 16 >= 0x3840 && word >> 16 <= 0x384f);
}

static uint32_t last_word(const struct block *block)
{
	return block->instructions ? block->slots[block->instructions - 1].word : 0;
}

// The last instruction's bytes.
static const uint8_t *last_code(const struct block *block, size_t *bytes)
{
	*bytes = block->sizes[block->instructions - 1];
	return block->code + (block->end - block->address - *bytes);
}

// Calls and returns access the stack, so a block that has come to its end by one of them shows that by itself.
static enum flow x86_flow(const uint8_t *code, size_t bytes, uint64_t at, uint64_t *to)
{
	const uint8_t *end = code + bytes;

	while (code + 1 < end && (*code == 0x2e || *code == 0x3e || *code == 0x66 || *code == 0xf2 || *code == 0xf3))
		code++; // hints, bnd and rep before a branch
	if (code + 1 < end && *code >> 4 == 4)
		code++; // REX
	if (*code >> 4 == 7 || (*code >= 0xe0 && *code <= 0xe3) || *code == 0xeb) { // jcc, loop, jmp
		*to = at + bytes + (uint64_t)sign_extend(end[-1], 8);
		return FLOW_TO;
	}
	if (*code == 0xe8 || *code == 0xe9 || (*code == 0x0f && end - code == 6 && code[1] >> 4 == 8)) { // call, jmp, jcc
		*to = at + bytes + (uint64_t)sign_extend(isa_word(end - 4), 32);
		return FLOW_TO;
	}
	if (*code == 0xff || *code == 0xcf || *code == 0xcd || (*code == 0x0f && (code[1] == 0x05 || code[1] == 0x07)))
		return FLOW_ANYWHERE; // jmp by register or memory, iret, int, syscall, sysret
	return FLOW_ON;
}

// How control leaves the block at its end.
static enum flow flow_of(const struct block *block, uint64_t *to)
{
	size_t bytes;

	if (!block->instructions)
		return FLOW_ON;
	const uint8_t *code = last_code(block, &bytes);
	if (is_power())
		return power_flow(last_word(block), block->end - 4, to);
	if (target->arch == ARCH_LOONGARCH64)
		return loongarch_flow(last_word(block), block->end - 4, to);
	return target->arch == ARCH_X86_64 ? x86_flow(code, bytes, block->end - bytes, to) : FLOW_ON;
}

// Does the block end in these bytes?
static bool ends_in(const struct block *block, const uint8_t *code, size_t bytes)
{
	return block->instructions && block->end - block->address >= bytes &&
	       !memcmp(block->code + (block->end - block->address - bytes), code, bytes);
}

bool isa_goes_to(const struct block *block, uint64_t next)
{
	uint64_t to = 0;

	return block->end == next || (flow_of(block, &to) == FLOW_TO && to == next);
}

// rfi rfid rfscv hrfid (extended opcodes 50, 18, 82, 274 of 19), ertn, eret, iretq, sret and mret.
bool isa_returns_from_interrupt(const struct block *block)
{
	uint32_t word = last_word(block), extended = field(word, 21, 30);

	if (is_power())
		return field(word, 0, 5) == 19 && (extended == 50 || extended == 18 || extended == 82 || extended == 274);
	if (target->arch == ARCH_LOONGARCH64)
		return word == 0x06483800;
	if (target->arch == ARCH_AARCH64)
		return word == 0xd69f03e0;
	if (target->arch == ARCH_X86_64)
		return ends_in(block, (const uint8_t[]){ 0x48, 0xcf }, 2);
	return target->arch == ARCH_RISCV64 && (word == 0x10200073 || word == 0x30200073);
}

// sc and scv, syscall, svc, syscall and int $0x80, ecall.
bool isa_calls_system(const struct block *block)
{
	uint32_t word = last_word(block);

	if (is_power())
		return field(word, 0, 5) == 17;
	if (target->arch == ARCH_LOONGARCH64)
		return (word & 0xffff8000) == 0x002b0000;
	if (target->arch == ARCH_AARCH64)
		return (word & 0xffe0001f) == 0xd4000001;
	if (target->arch == ARCH_X86_64)
		return ends_in(block, (const uint8_t[]){ 0x0f, 0x05 }, 2) || ends_in(block, (const uint8_t[]){ 0xcd, 0x80 }, 2);
	return target->arch == ARCH_RISCV64 && word == 0x00000073;
}

// To execute an instruction while the other threads stop, or one that rewrites the block that it is in, QEMU translates it alone.
// A jump leads to a block that is as long as the rest of the first.
static bool goes_on_alone(const struct block *block, const struct block *next)
{
	return next->instructions == 1 && next->end < block->end;
}

// Did control leave the block before its end, to come back at `next`, which begins at one of its instructions?
bool isa_interrupted(const struct block *block, const struct block *next)
{
	bool known = is_power() || target->arch == ARCH_LOONGARCH64 || target->arch == ARCH_X86_64;
	uint64_t to;

	if (!known)
		return goes_on_alone(block, next);
	enum flow flow = flow_of(block, &to);
	if (flow == FLOW_TO && to == next->address)
		return false;
	if (flow == FLOW_ANYWHERE && !(target->arch == ARCH_LOONGARCH64 && is_loongarch_vector(isa_word(next->code))))
		return goes_on_alone(block, next);
	return true;
}
