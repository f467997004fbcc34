// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// A server: binds a free port of 127.0.0.1, prints its number, and answers each connection with the text received, in upper
// case. It serves connections one after the other and never ends.

#include "start.h"

#if defined(__powerpc__)
enum { CALL_SOCKET = 326, CALL_BIND = 327, CALL_LISTEN = 329, CALL_ACCEPT = 330, CALL_GETSOCKNAME = 331, CALL_READ = 3 };
#elif defined(__aarch64__) || defined(__loongarch__) || defined(__riscv)
enum { CALL_SOCKET = 198, CALL_BIND = 200, CALL_LISTEN = 201, CALL_ACCEPT = 202, CALL_GETSOCKNAME = 204, CALL_READ = 63 };
#endif
enum { AF_INET = 2, SOCK_STREAM = 1 };

struct address {
	uint16_t family;
	unsigned char port[2], host[4], rest[8];
};

__attribute__((noinline)) void answer(volatile char *text, long length)
{
	for (long i = 0; i < length; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] -= 'a' - 'A';
}

static void print_number(unsigned number)
{
	char text[12];
	unsigned at = sizeof(text);

	text[--at] = '\n';
	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	system_call(CALL_WRITE, 1, (long)(text + at), sizeof(text) - at);
}

int run(void)
{
	struct address address = { AF_INET, { 0, 0 }, { 127, 0, 0, 1 }, { 0 } };
	unsigned length = sizeof(address);
	long listener = system_call(CALL_SOCKET, AF_INET, SOCK_STREAM, 0);
	char text[64];

	if (listener < 0 || system_call(CALL_BIND, listener, (long)&address, sizeof(address)) < 0 ||
	    system_call(CALL_LISTEN, listener, 4, 0) < 0 ||
	    system_call(CALL_GETSOCKNAME, listener, (long)&address, (long)&length) < 0)
		return 1;
	print_number(address.port[0] * 256u + address.port[1]);
	for (;;) {
		long connection = system_call(CALL_ACCEPT, listener, 0, 0);
		long got = connection < 0 ? -1 : system_call(CALL_READ, connection, (long)text, sizeof(text));

		if (got < 0)
			return 2;
		answer(text, got);
		system_call(CALL_WRITE, connection, (long)text, got);
		system_call(CALL_CLOSE, connection, 0, 0);
	}
}
