/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All of the libraries in one program, beside the C library's functions of similar names, and what their headers say of edge
 * cases: empty inputs, NULL, misaligned addresses, impossible sizes.
 */
#include <byteswap.h>
#include <cache_log.h>
#include <checksum.h>
#include <context_switch.h>
#include <ebpf.h>
#include <host/host.h>
#include <host/stack.h>
#include <stdio.h>
#include <string.h>
#include <updater/updater.h>
#include <vdso_clock.h>
#include <vdso_discipline.h>
#include <vdso_loader.h>
#include <vdso_read.h>
#include <vdso_writer.h>

static int wrong;

#define HOLDS(condition) ((condition) ? (void)0 : (void)(wrong++, printf("line %d: %s\n", __LINE__, #condition)))

static void checksums(void)
{
	unsigned char bytes[64] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, copy[64];

	HOLDS(csum_partial(NULL, 0, 7) % 0xffff == 7);
	HOLDS(csum_partial_copy(NULL, NULL, 0) % 0xffff == 0);
	for (int shift = 0; shift < 16; shift++) {
		memmove(copy + shift, bytes, 9);
		HOLDS(csum_fold(csum_partial(copy + shift, 9, 0)) == csum_fold(csum_partial(bytes, 9, 0)));
	}
}

static void swaps(void)
{
	unsigned char bytes[35];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	swap_buffer64(NULL, 0);
	swap_buffer32(bytes + 1, 8);
	HOLDS(bytes[0] == 0 && bytes[1] == 4 && bytes[4] == 1 && bytes[32] == 29 && bytes[33] == 33);
	HOLDS(swap32(0x01020304) == bswap_32(0x01020304) && swap16(0xffff0102ul) == 0x0201);
}

static void logs(void)
{
	static uint64_t memory[CACHE_LOG_BYTES(16) / 8];
	static struct cache_log log;

	HOLDS(cache_log_create(&log, memory, 0, 1) != CACHE_LOG_OK);
	HOLDS(cache_log_create(&log, (char *)memory + 1, sizeof(memory) - 1, 1) != CACHE_LOG_OK);
	HOLDS(cache_log_create(&log, NULL, sizeof(memory), 1) != CACHE_LOG_OK);
	HOLDS(cache_log_create(&log, memory, sizeof(memory), 1) == CACHE_LOG_OK);
	cache_log_switch_in(&log);
	cache_log_note_range(&log.notes, memory, 0);
	cache_log_switch_out(&log, 0);
	HOLDS(log.notes.noted == 0);
}

static void nothing(struct context *self, void *message)
{
	context_yield(self, message);
}

static void contexts(void)
{
	struct context main_context = CONTEXT_THREAD, other;
	size_t none = 0, all = SIZE_MAX, most = SIZE_MAX / 2;
	char *stack = (char *)context_stack_map(&none);

	HOLDS(context_stack_map(&all) == NULL && context_stack_map(&most) == NULL);
	HOLDS(stack && none >= CONTEXT_STACK_BYTES_MIN);
	HOLDS(context_create(&other, stack, 0, nothing) == CONTEXT_STACK_TOO_SMALL);
	HOLDS(context_create(&other, stack + 1, none - 1, nothing) == CONTEXT_STACK_MISALIGNED);
	HOLDS(context_create(&other, stack, none, nothing) == CONTEXT_OK);
	HOLDS(context_resume(&main_context, &other, &wrong) == &wrong);
	context_stack_unmap(stack, none);
}

static void programs(void)
{
	static const unsigned char half[12] = { 0xb7 };
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, NULL);
	uint64_t r0;

	HOLDS(vm && ebpf_load(vm, NULL, 0, EBPF_LITTLE_ENDIAN) && *ebpf_message(vm));
	HOLDS(ebpf_load(vm, half, sizeof(half), EBPF_LITTLE_ENDIAN) && *ebpf_message(vm));
	HOLDS(ebpf_load(vm, half, (size_t)-8, EBPF_LITTLE_ENDIAN) && *ebpf_message(vm));
	HOLDS(ebpf_verify(vm) && ebpf_run(vm, EBPF_INTERPRETER, NULL, 0, &r0));
	ebpf_destroy(vm);
	ebpf_destroy(NULL);
}

static void clocks(void)
{
	static struct vdso_page page __attribute__((aligned(4096)));
	struct vdso_clock clock;

	HOLDS(vdso_clock_attach(&clock, NULL, sizeof(page), NULL) == VDSO_CLOCK_NO_PAGE);
	HOLDS(vdso_clock_attach(&clock, (char *)&page + 1, sizeof(page) - 1, NULL) == VDSO_CLOCK_NO_PAGE);
	HOLDS(vdso_clock_attach(&clock, &page, 0, NULL) != VDSO_CLOCK_OK);
	HOLDS(vdso_clock_attach(&clock, &page, sizeof(page), NULL) != VDSO_CLOCK_OK);
}

int main(void)
{
	checksums();
	swaps();
	logs();
	contexts();
	programs();
	clocks();
	return wrong;
}
