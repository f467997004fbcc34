/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Error texts and the few memory operations of a library without libc. The formatter knows just what the messages and
 * the disassembler need.
 */
#include <stdarg.h>

#include "internal.h"

struct writer {
	char *text;
	size_t bytes;
	size_t used;
};

static void put(struct writer *w, char c)
{
	if (w->used + 1 < w->bytes)
		w->text[w->used++] = c;
}

static void put_string(struct writer *w, const char *s)
{
	for (; *s; s++)
		put(w, *s);
}

static void put_number(struct writer *w, uint64_t value, unsigned base)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		put(w, digits[--n]);
}

static void put_signed(struct writer *w, int value)
{
	if (value < 0)
		put(w, '-');
	put_number(w, value < 0 ? 0u - (unsigned)value : (unsigned)value, 10);
}

static void format_list(struct writer *w, const char *format, va_list list)
{
	for (; *format; format++) {
		if (*format != '%') {
			put(w, *format);
			continue;
		}
		switch (*++format) {
		case 's':
			put_string(w, va_arg(list, const char *));
			break;
		case 'u':
			put_number(w, va_arg(list, unsigned), 10);
			break;
		case 'd':
			put_signed(w, va_arg(list, int));
			break;
		case 'x':
			put_string(w, "0x");
			put_number(w, va_arg(list, unsigned), 16);
			break;
		case 'X': /* uint64_t */
			put_string(w, "0x");
			put_number(w, va_arg(list, uint64_t), 16);
			break;
		default:
			put(w, *format);
		}
	}
	if (w->bytes)
		w->text[w->used] = 0;
}

size_t ebpf_format(char *text, size_t bytes, const char *format, ...)
{
	struct writer w = { text, bytes, 0 };
	va_list list;

	va_start(list, format);
	format_list(&w, format, list);
	va_end(list);
	return w.used;
}

enum ebpf_status ebpf_fail(struct ebpf_vm *vm, enum ebpf_status status, uint32_t instruction, const char *format, ...)
{
	struct writer w = { vm->error.text, sizeof(vm->error.text), 0 };
	va_list list;

	vm->error.status = status;
	vm->error.instruction = instruction;
	if (instruction != EBPF_NO_INSTRUCTION) {
		put_string(&w, "instruction ");
		put_number(&w, instruction, 10);
		put_string(&w, ": ");
	}
	va_start(list, format);
	format_list(&w, format, list);
	va_end(list);
	return status;
}

const char *ebpf_status_name(enum ebpf_status status)
{
	static const char *const names[] = {
		"ok",	       "argument", "memory", "state",  "program",   "relocation",
		"unsupported", "buffer",   "budget", "bounds", "alignment", "helper",
	};

	return (unsigned)status < sizeof(names) / sizeof(names[0]) ? names[status] : "unknown";
}

void *ebpf_allocate_unset(struct ebpf_vm *vm, size_t bytes)
{
	return vm->platform.allocate(vm->platform.context, bytes);
}

void *ebpf_allocate(struct ebpf_vm *vm, size_t bytes)
{
	void *memory = ebpf_allocate_unset(vm, bytes);

	if (memory)
		ebpf_clear(memory, bytes);
	return memory;
}

void ebpf_release(struct ebpf_vm *vm, void *memory, size_t bytes)
{
	if (memory)
		vm->platform.release(vm->platform.context, memory, bytes);
}

void ebpf_clear(void *memory, size_t bytes)
{
	__builtin_memset(memory, 0, bytes);
}

void ebpf_copy(void *to, const void *from, size_t bytes)
{
	__builtin_memcpy(to, from, bytes);
}
