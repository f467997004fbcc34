/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The manual's example: a filter that takes IPv4 packets from port 443 and counts them with a helper; and what happens
 * to the same filter without its check of the packet's length.
 */
#include "../ebpf.h"
#include "../host/host.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_PACKET = 1 };

/* A helper: five arguments from the program, and what the options say as the sixth. */
static uint64_t count_packet(uint64_t port, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	uint64_t *counters = context;

	(void)r2, (void)r3, (void)r4, (void)r5;
	return ++counters[port & 1023];
}

/* r1 is the packet, r2 its length. In clang's syntax, with the index of each instruction. */
static const uint8_t filter[] = {
	0xb7, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /*  0: r0 = 0 */
	0xa5, 0x02, 0x08, 0x00, 0x36, 0x00, 0x00, 0x00, /*  1: if r2 < 54 goto +8 */
	0x69, 0x13, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, /*  2: w3 = *(u16 *)(r1 + 12) */
	0xdc, 0x03, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, /*  3: r3 = be16 r3 */
	0x55, 0x03, 0x05, 0x00, 0x00, 0x08, 0x00, 0x00, /*  4: if r3 != 0x800 goto +5 */
	0x69, 0x14, 0x22, 0x00, 0x00, 0x00, 0x00, 0x00, /*  5: w4 = *(u16 *)(r1 + 34) */
	0xdc, 0x04, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, /*  6: r4 = be16 r4 */
	0x55, 0x04, 0x02, 0x00, 0xbb, 0x01, 0x00, 0x00, /*  7: if r4 != 443 goto +2 */
	0xbf, 0x41, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /*  8: r1 = r4 */
	0x85, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, /*  9: call 1 */
	0x95, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 10: exit */
};

static int failed(const char *what, struct ebpf_vm *vm)
{
	fprintf(stderr, "%s: %s\n", what, vm ? ebpf_message(vm) : "no memory");
	ebpf_destroy(vm);
	return 1;
}

int main(void)
{
	uint64_t counters[1024] = { 0 }, r0;
	uint8_t packet[54] = { 0 };
	struct ebpf_options options = { .budget_instructions = 1000, .bounds = true, .helper_context = counters };
	struct ebpf_target target = { .features = ebpf_host_features() };
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, &options);

	memcpy(packet + 12, "\x08\x00", 2); /* IPv4 */
	memcpy(packet + 34, "\x01\xbb", 2); /* from port 443 */
	if (!vm || ebpf_register_helper(vm, COUNT_PACKET, count_packet, 0))
		return failed("create", vm);
	if (ebpf_load(vm, filter, sizeof(filter), EBPF_LITTLE_ENDIAN) || ebpf_verify(vm))
		return failed("load", vm);
	if (ebpf_compile(vm, &target))
		return failed("compile", vm);
	if (ebpf_run(vm, EBPF_COMPILED, packet, sizeof(packet), &r0))
		return failed("run", vm);
	printf("%llu packets from port 443\n", (unsigned long long)r0);

	/* Without instructions 0 and 1, a short packet is read past its end: the bounds option stops that. */
	if (ebpf_load(vm, filter + 16, sizeof(filter) - 16, EBPF_LITTLE_ENDIAN) || ebpf_verify(vm))
		return failed("load without the length check", vm);
	if (ebpf_run(vm, EBPF_INTERPRETER, packet, 10, &r0) == EBPF_ERROR_BOUNDS)
		printf("stopped at instruction %u\n", (unsigned)ebpf_message_instruction(vm));
	ebpf_destroy(vm);
	return 0;
}
