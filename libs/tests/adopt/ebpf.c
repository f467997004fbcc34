/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program of two instructions is interpreted: r0 = 42; exit. */
#include <ebpf.h>
#include <host/host.h>
#include <stdio.h>

int main(void)
{
	static const unsigned char program[] = { 0xb7, 0, 0, 0, 42, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0 };
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, NULL);
	uint64_t r0 = 0;

	if (ebpf_load(vm, program, sizeof(program), EBPF_LITTLE_ENDIAN) || ebpf_verify(vm) ||
	    ebpf_run(vm, EBPF_INTERPRETER, NULL, 0, &r0))
		puts(ebpf_message(vm));
	ebpf_destroy(vm);
	printf("%d\n", (int)r0);
	return r0 != 42;
}
