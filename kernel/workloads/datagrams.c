/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UDP datagrams from a tunnel, of which the program only reads the first byte: so the kernel checksums each as a whole
 * before it copies anything (net/ipv4/udp.c, a read that is shorter than the datagram), in the program's system call
 * and not in a softirq. Every eighth arrives with one bit flipped, and has to be refused.
 *
 *     datagrams [BYTES [ROUNDS [vectors]]]    (3000 1000)
 *
 * `vectors`: the program touches a vector register before each read, so kernel code that acquires the vector unit has a
 * state to save, and to restore afterwards. To see what a checksum costs: --roi __csum_partial on POWER, do_csum on
 * LoongArch; or --user-roi receive, the system call as a whole, with the cost of the program's registers.
 */
#include "freestanding.h"

enum { IP_BYTES = 20, UDP_BYTES = 8, HEADERS = IP_BYTES + UDP_BYTES, BYTES_MAX = 65535 - HEADERS, PORT = 4711, DAMAGED = 8 };
enum { O_RDWR = 2, AF_INET = 2, SOCK_DGRAM = 2, MSG_DONTWAIT = 0x40, EAGAIN = 11 };
enum { IFF_UP = 1, IFF_TUN = 1, IFF_NO_PI = 0x1000, SIOCSIFFLAGS = 0x8914, SIOCSIFADDR = 0x8916 };

/* _IOW('T', 202, int) */
#ifdef __powerpc__
#define TUNSETIFF 0x800454caU
#else
#define TUNSETIFF 0x400454caU
#endif

/* Addresses and ports are bytes in network byte order, whatever the machine's. */
struct address {
	uint16_t family;
	uint8_t port[2], host[4], rest[8];
};

struct request {
	char name[16];
	union {
		struct address address;
		int16_t flags;
		uint8_t room[24];
	} of;
};

static const uint8_t here[4] = { 10, 0, 0, 1 }, there[4] = { 10, 0, 0, 2 };
static uint8_t packet[HEADERS + BYTES_MAX];

static _Noreturn void stop(const char *what)
{
	say(ERRORS, "datagrams: ");
	say(ERRORS, what);
	say(ERRORS, "\n");
	leave(1);
}

static void put_16(uint8_t *at, unsigned int value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Adds 16-bit words in network byte order, byte by byte. */
static unsigned int sum_of(const uint8_t *at, size_t bytes, unsigned int sum)
{
	for (size_t i = 0; i < bytes; i++) {
		sum += i & 1 ? at[i] : (unsigned int)at[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/* Makes a datagram of so many bytes, with its headers. */
static void make_packet(size_t bytes)
{
	uint8_t *ip = packet, *udp = packet + IP_BYTES, *data = packet + HEADERS;
	unsigned int sum, state = 1;

	for (size_t i = 0; i < bytes; i++) {
		state = state * 1103515245 + 12345;
		/* Every second page is all ones, for carries. */
		data[i] = i & 4096 ? 0xff : (uint8_t)(state >> 16);
	}
	ip[0] = 0x45;
	put_16(ip + 2, (unsigned int)(HEADERS + bytes));
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, there, 4);
	memcpy(ip + 16, here, 4);
	put_16(ip + 10, ~sum_of(ip, IP_BYTES, 0) & 0xffff);
	put_16(udp, PORT);
	put_16(udp + 2, PORT);
	put_16(udp + 4, (unsigned int)(UDP_BYTES + bytes));
	/* The pseudo-header: both addresses, the protocol, the length. */
	sum = sum_of(ip + 12, 8, 17 + (unsigned int)(UDP_BYTES + bytes));
	sum = ~sum_of(udp, UDP_BYTES + bytes, sum) & 0xffff;
	put_16(udp + 6, sum ? sum : 0xffff);
}

static long open_tunnel(long talk)
{
	struct request request = { .name = "tun0", .of.flags = IFF_TUN | IFF_NO_PI };
	long tunnel;

	(void)CALL(SYS_MKDIRAT, AT_FDCWD, "/devices", 0777);
	(void)CALL(SYS_MOUNT, "devtmpfs", "/devices", "devtmpfs", 0, 0);
	tunnel = CALL(SYS_OPENAT, AT_FDCWD, "/devices/net/tun", O_RDWR);
	if (tunnel < 0 || CALL(SYS_IOCTL, tunnel, TUNSETIFF, &request) < 0)
		stop("this kernel has no tunnel (CONFIG_TUN)");
	request.of.address = (struct address){ .family = AF_INET };
	memcpy(request.of.address.host, here, 4);
	if (CALL(SYS_IOCTL, talk, SIOCSIFADDR, &request) < 0)
		stop("the tunnel takes no address");
	request.of.flags = IFF_UP;
	if (CALL(SYS_IOCTL, talk, SIOCSIFFLAGS, &request) < 0)
		stop("the tunnel does not come up");
	return tunnel;
}

static long open_socket(void)
{
	struct address address = { .family = AF_INET };
	long talk = CALL(SYS_SOCKET, AF_INET, SOCK_DGRAM, 0);

	put_16(address.port, PORT);
	if (talk < 0 || CALL(SYS_BIND, talk, &address, sizeof(address)) < 0)
		stop("this kernel has no sockets of the Internet (CONFIG_INET)");
	return talk;
}

static inline void touch_vectors(void)
{
#if defined(__powerpc__)
	__asm__ volatile(".machine push\n.machine altivec\nvspltisw 0, 1\n.machine pop");
#elif defined(__loongarch__)
	__asm__ volatile("xvldi $xr0, 1");
#else
	stop("no vector register is known here");
#endif
}

long receive(long talk, bool vectors);

/* Not inlined: it is traced by its name. */
__attribute__((noinline)) long receive(long talk, bool vectors)
{
	uint8_t first[1];

	if (vectors)
		touch_vectors();
	return CALL(SYS_RECVFROM, talk, first, sizeof(first), MSG_DONTWAIT, 0, 0);
}

static size_t number(const char *digits)
{
	size_t value = 0;

	while (*digits >= '0' && *digits <= '9')
		value = value * 10 + (size_t)(*digits++ - '0');
	return value;
}

_Noreturn void assay_main(uintptr_t *stack)
{
	const char *const *words = (const char *const *)(stack + 1);
	size_t count = stack[0], bytes = count > 1 ? number(words[1]) : 3000, rounds = count > 2 ? number(words[2]) : 1000;
	bool vectors = count > 3 && text_equal(words[3], "vectors");
	long talk, tunnel;

	if (!bytes || bytes > BYTES_MAX || !rounds || count > 4 || (count > 3 && !vectors))
		stop("[BYTES [ROUNDS [vectors]]]");
	talk = open_socket();
	tunnel = open_tunnel(talk);
	make_packet(bytes);
	for (size_t round = 1; round <= rounds; round++) {
		uint8_t damage = round % DAMAGED ? 0 : (uint8_t)(1 << round / DAMAGED % 8);
		uint8_t *at = packet + HEADERS + round * 31 % bytes;
		long got;

		*at ^= damage;
		if (CALL(ASSAY_SYS_WRITE, tunnel, packet, HEADERS + bytes) != (long)(HEADERS + bytes))
			stop("the tunnel does not take a packet");
		*at ^= damage;
		got = receive(talk, vectors);
		if (damage ? got != -EAGAIN : got != 1)
			stop(damage ? "wrong: a datagram with a bit turned over was taken" :
				      "wrong: a good datagram was refused");
	}
	leave(0);
}
