// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// What is traced, and how the tracer gives up. All other files call this one; it calls none of them.

#include "tracer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct target *target;
bool system_mode;
void (*tracer_discard)(void);

// qemu-system-ppc64 runs either byte order and 32 bits are qemu-system-ppc's own, so `arch=` says which.
static const struct target targets[] = {
	{ ARCH_POWERPC, "ppc", "powerpc", true, 4 },
	{ ARCH_POWERPC64, "ppc64", "powerpc64", true, 8 },
	{ ARCH_POWERPC64LE, "ppc64le", "powerpc64le", false, 8 },
	{ ARCH_LOONGARCH64, "loongarch64", "loongarch64", false, 8 },
	{ ARCH_X86_64, "x86_64", "x86_64", false, 8 },
	{ ARCH_AARCH64, "aarch64", "aarch64", false, 8 },
	{ ARCH_RISCV64, "riscv64", "riscv64", false, 8 },
};

bool target_choose(const char *qemu_name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i].qemu_name, qemu_name))
			target = &targets[i];
	return target != NULL;
}

bool target_choose_arch(const char *name)
{
	if (!strcmp(target->qemu_name, "ppc64") && !strcmp(name, "powerpc64le"))
		return target_choose("ppc64le");
	return !strcmp(target->name, name);
}

static void say(const char *format, va_list args)
{
	fputs("assay tracer: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void tracer_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void tracer_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	if (tracer_discard)
		tracer_discard();
	_exit(125);
}
