/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An IPv4 header's checksum is computed, updated for a decremented TTL, and verified. */
#include <checksum.h>
#include <cstdio>
#include <cstring>

int main()
{
	unsigned char header[20] = { 0x45, 0, 0, 0x29, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 1, 198, 51, 100, 7 };
	uint16_t check = ip_fast_csum(header, 5), before, after;

	std::memcpy(&before, header + 8, 2);
	header[8]--;
	std::memcpy(&after, header + 8, 2);
	check = csum_replace2(check, before, after);
	std::memcpy(header + 10, &check, 2);
	std::printf("ip_fast_csum of the whole header: %d\n", ip_fast_csum(header, 5));
	return ip_fast_csum(header, 5) != 0;
}
