/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sixty-four bits, in a register and in memory. */
#include <byteswap.h>
#include <cstdio>
#include <vector>

int main()
{
	std::vector<uint64_t> numbers(33, 0x0102030405060708);

	swap_buffer64(numbers.data(), numbers.size());
	std::printf("%016llx\n", static_cast<unsigned long long>(numbers.back()));
	return numbers.back() != 0x0807060504030201 || swap64(numbers[0]) != 0x0102030405060708;
}
