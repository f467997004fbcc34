/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that calls a helper is interpreted; of its code for POWER, which few hosts can run, only the size is asked for. */
#include <cstdio>
#include <ebpf.h>
#include <host/host.h>

static uint64_t sum(uint64_t a, uint64_t b, uint64_t, uint64_t, uint64_t, void *)
{
	return a + b;
}

int main()
{
	const unsigned char program[] = { 0xb7, 1, 0, 0, 40, 0, 0, 0, 0xb7, 2, 0, 0, 2, 0, 0, 0,
					  0x85, 0, 0, 0, 1,  0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0 };
	ebpf_vm *vm = ebpf_create(&ebpf_host_platform, nullptr);
	ebpf_target target = { "powerpc64le", EBPF_POWER_ISA206, EBPF_SWAP_AUTO, EBPF_FUSION_AUTO };
	size_t bytes = 0;
	uint64_t r0 = 0;

	ebpf_register_helper(vm, 1, sum, 0);
	bool good = !ebpf_load(vm, program, sizeof(program), EBPF_LITTLE_ENDIAN) && !ebpf_verify(vm) &&
		    !ebpf_run(vm, EBPF_INTERPRETER, nullptr, 0, &r0);
	good = good && ebpf_emit(vm, &target, nullptr, &bytes) == EBPF_ERROR_BUFFER;
	std::printf("%s: %d, %d bytes of code\n", ebpf_message(vm), static_cast<int>(r0), static_cast<int>(bytes));
	ebpf_destroy(vm);
	return !good || r0 != 42 || bytes == 0;
}
