/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytecode to struct ebpf_insn[]: one entry per slot, so that an index means the same as in the bytecode.
 *
 * Nothing is judged here but the size; whatever the bytes are, they decode. Both byte orders of RFC 9669 section 3.1
 * are read on any host, because values are put together from bytes.
 */
#include "internal.h"

static uint32_t byte(const uint8_t *slot, unsigned at)
{
	return slot[at];
}

static inline struct ebpf_insn decode(const uint8_t *slot, bool big)
{
	uint8_t low = slot[1] & 0x0f, high = slot[1] >> 4;
	struct ebpf_insn insn = { .opcode = slot[0] };

	insn.dst = big ? high : low;
	insn.src = big ? low : high;
	if (big) {
		insn.offset = (int16_t)(byte(slot, 2) << 8 | byte(slot, 3));
		insn.imm = (int32_t)(byte(slot, 4) << 24 | byte(slot, 5) << 16 | byte(slot, 6) << 8 | byte(slot, 7));
	} else {
		insn.offset = (int16_t)(byte(slot, 3) << 8 | byte(slot, 2));
		insn.imm = (int32_t)(byte(slot, 7) << 24 | byte(slot, 6) << 16 | byte(slot, 5) << 8 | byte(slot, 4));
	}
	return insn;
}

void ebpf_decode_slot(const uint8_t *slot, enum ebpf_byte_order order, struct ebpf_insn *insn)
{
	*insn = decode(slot, order == EBPF_BIG_ENDIAN);
}

enum ebpf_status ebpf_decode(struct ebpf_vm *vm, const uint8_t *bytecode, size_t bytes, enum ebpf_byte_order order)
{
	uint32_t slots, i;

	if (bytes == 0)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, EBPF_NO_INSTRUCTION, "the program is empty");
	if (bytes % BPF_SLOT_BYTES)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM,
				 bytes / BPF_SLOT_BYTES < EBPF_PROGRAM_SLOTS_MAX ? (uint32_t)(bytes / BPF_SLOT_BYTES) :
										   EBPF_NO_INSTRUCTION,
				 "truncated: the size is not a multiple of 8 bytes");
	if (bytes / BPF_SLOT_BYTES > EBPF_PROGRAM_SLOTS_MAX)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, EBPF_NO_INSTRUCTION, "the program has more than %u slots",
				 EBPF_PROGRAM_SLOTS_MAX);
	slots = (uint32_t)(bytes / BPF_SLOT_BYTES);
	vm->program = ebpf_allocate_unset(vm, slots * sizeof(*vm->program));
	if (!vm->program)
		return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for %u instructions", slots);
	vm->slots = slots;
	for (i = 0; i < slots; i++)
		vm->program[i] = decode(bytecode + (size_t)i * BPF_SLOT_BYTES, order == EBPF_BIG_ENDIAN);
	return EBPF_OK;
}
