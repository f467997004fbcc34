/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formatted output without a libc, each line by one write at once; and the end of a program that cannot go on. */
#include "internal.h"

static void add_char(struct assay_text *text, char c)
{
	if (text->used + 1 < sizeof(text->bytes)) {
		text->bytes[text->used++] = c;
		text->bytes[text->used] = '\0';
	}
}

/* Divides by ten through 16-bit digits: 32-bit targets have no 64-bit division without libgcc. */
static unsigned int divide_by_ten(uint64_t *value)
{
	uint64_t quotient = 0;
	uint32_t remainder = 0;

	for (int shift = 48; shift >= 0; shift -= 16) {
		uint32_t digit = (remainder << 16) | (uint16_t)(*value >> shift);

		quotient = (quotient << 16) | (digit / 10);
		remainder = digit % 10;
	}
	*value = quotient;
	return remainder;
}

static void add_number(struct assay_text *text, uint64_t value, bool hex, unsigned int width)
{
	char digits[24];
	unsigned int count = 0;

	do {
		unsigned int digit = hex ? (unsigned int)(value & 15) : divide_by_ten(&value);

		if (hex)
			value >>= 4;
		digits[count++] = "0123456789abcdef"[digit];
	} while (value != 0);
	while (count < width && count < sizeof(digits))
		digits[count++] = '0';
	while (count > 0)
		add_char(text, digits[--count]);
}

static void add_string(struct assay_text *text, const char *string)
{
	while (*string)
		add_char(text, *string++);
}

/* How wide an integer argument is: `l`, `ll` or `z` before the conversion. */
static uint64_t next_integer(va_list *list, unsigned int longs, bool is_signed)
{
	if (longs == 0)
		return is_signed ? (uint64_t)(int64_t)va_arg(*list, int) : va_arg(*list, unsigned int);
	if (longs == 1)
		return is_signed ? (uint64_t)(int64_t)va_arg(*list, long) : va_arg(*list, unsigned long);
	return va_arg(*list, uint64_t);
}

static void add_integer(struct assay_text *text, va_list *list, unsigned int longs, char conversion, unsigned int width)
{
	uint64_t value = next_integer(list, longs, conversion == 'd');

	if (conversion == 'd' && (int64_t)value < 0) {
		add_char(text, '-');
		value = -value;
	}
	add_number(text, value, conversion == 'x', width);
}

void assay_text_add_list(struct assay_text *text, const char *format, va_list outer)
{
	va_list list;

	va_copy(list, outer);
	for (; *format; format++) {
		unsigned int width = 0, longs = 0;

		if (*format != '%') {
			add_char(text, *format);
			continue;
		}
		for (format++; *format >= '0' && *format <= '9'; format++)
			width = width * 10 + (unsigned int)(*format - '0');
		for (; *format == 'l' || *format == 'z'; format++)
			longs++;
		if (*format == 's')
			add_string(text, va_arg(list, const char *));
		else if (*format == 'c')
			add_char(text, (char)va_arg(list, int));
		else if (*format == 'p')
			add_number(text, (uintptr_t)va_arg(list, void *), true, 0);
		else if (*format == 'd' || *format == 'u' || *format == 'x')
			add_integer(text, &list, longs, *format, width);
		else
			add_char(text, *format);
		if (!*format)
			break;
	}
	va_end(list);
}

void assay_text_add(struct assay_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	assay_text_add_list(text, format, list);
	va_end(list);
}

void assay_exit(int status)
{
	for (;;)
		assay_syscall(ASSAY_SYS_EXIT_GROUP, (uintptr_t)status, 0, 0, 0, 0, 0);
}

void assay_text_write(int descriptor, const struct assay_text *text)
{
	size_t done = 0;

	while (done < text->used) {
		long count = assay_syscall(ASSAY_SYS_WRITE, (uintptr_t)descriptor, (uintptr_t)(text->bytes + done),
					   text->used - done, 0, 0, 0);

		if (count <= 0)
			assay_exit(EXIT_USAGE);
		done += (size_t)count;
	}
}

void assay_print(const char *format, ...)
{
	struct assay_text text = { .used = 0 };
	va_list list;

	va_start(list, format);
	assay_text_add_list(&text, format, list);
	va_end(list);
	assay_text_write(1, &text);
}

void assay_die(const char *format, ...)
{
	struct assay_text text = { .used = 0 };
	va_list list;

	assay_text_add(&text, "error: ");
	va_start(list, format);
	assay_text_add_list(&text, format, list);
	va_end(list);
	assay_text_add(&text, "\n");
	assay_text_write(2, &text);
	assay_exit(EXIT_USAGE);
}

bool assay_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}
