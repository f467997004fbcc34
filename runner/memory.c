/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory with guard pages, the auxiliary vector, random bytes. */
#include "internal.h"

enum { PROTECTION_NONE = 0, PROTECTION_READ = 1, PROTECTION_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22 };
enum { AUXILIARY_END = 0, AUXILIARY_PAGE_BYTES = 6 };

/* ------------------------------------------------------------------ the auxiliary vector */

static const uintptr_t *auxiliary;

/* The initial stack: argc, argv and a zero, the environment and a zero, then pairs of type and value. */
void assay_auxiliary_read(const uintptr_t *stack)
{
	const uintptr_t *at = stack + 1 + stack[0] + 1;

	while (*at)
		at++;
	auxiliary = at + 1;
}

uintptr_t assay_auxiliary(uintptr_t type)
{
	for (const uintptr_t *pair = auxiliary; pair[0] != AUXILIARY_END; pair += 2) {
		if (pair[0] == type)
			return pair[1];
	}
	return 0;
}

size_t assay_page_bytes(void)
{
	size_t bytes = assay_auxiliary(AUXILIARY_PAGE_BYTES);

	if (bytes == 0)
		assay_die("the kernel names no page size (AT_PAGESZ)");
	return bytes;
}

/* ------------------------------------------------------------------ pages */

void *assay_pages(size_t bytes)
{
	long address = assay_syscall(ASSAY_SYS_MMAP, 0, bytes, PROTECTION_READ_WRITE, MAP_PRIVATE_ANONYMOUS, (uintptr_t)-1, 0);

	if (address < 0 && address > -4096)
		assay_die("no memory: mmap of %lu bytes failed with error %ld", (unsigned long)bytes, -address);
	return (void *)address;
}

static void protect(void *page, size_t bytes, int protection)
{
	long status = assay_syscall(ASSAY_SYS_MPROTECT, (uintptr_t)page, bytes, (uintptr_t)protection, 0, 0, 0);

	if (status != 0)
		assay_die("mprotect failed with error %ld", -status);
}

/* What is known of the first regions of a run; a hot path has two or three. */
enum { REGIONS_KNOWN = 8 };

static struct {
	struct assay_region region;
	bool read_only;
} known[REGIONS_KNOWN];

static unsigned int known_count, forbidden_count;

void assay_forbid(void *page, size_t bytes)
{
	protect(page, bytes, PROTECTION_NONE);
	forbidden_count++;
}

void assay_allow(void *page, size_t bytes)
{
	protect(page, bytes, PROTECTION_READ_WRITE);
	if (forbidden_count > 0)
		forbidden_count--;
}

static void set_read_only(struct assay_region region, bool read_only)
{
	protect(region.start, (size_t)(region.end - region.start), read_only ? PROTECTION_READ : PROTECTION_READ_WRITE);
	for (unsigned int i = 0; i < known_count; i++) {
		if (known[i].region.start == region.start)
			known[i].read_only = read_only;
	}
}

void assay_read_only(struct assay_region region)
{
	set_read_only(region, true);
}

void assay_writable(struct assay_region region)
{
	set_read_only(region, false);
}

static int region_of(uintptr_t address)
{
	for (unsigned int i = 0; i < known_count; i++) {
		if (address >= (uintptr_t)known[i].region.start && address < (uintptr_t)known[i].region.end)
			return (int)i;
	}
	return -1;
}

bool assay_read_only_at(const void *address, long *at)
{
	int index = region_of((uintptr_t)address);

	if (index < 0 || !known[index].read_only)
		return false;
	*at = (const unsigned char *)address - known[index].region.start;
	return true;
}

size_t assay_bytes_at(uintptr_t address, long *from_start)
{
	int index = region_of(address);

	if (index < 0 || forbidden_count > 0)
		return 0;
	*from_start = (long)(address - (uintptr_t)known[index].region.start);
	return (uintptr_t)known[index].region.end - address;
}

struct assay_region assay_region_new(size_t bytes_min)
{
	size_t page = assay_page_bytes();
	size_t bytes = (bytes_min + page - 1) & -page;
	unsigned char *whole = assay_pages(bytes + 2 * page);
	struct assay_region region = { whole + page, whole + page + bytes };

	protect(whole, page, PROTECTION_NONE);
	protect(region.end, page, PROTECTION_NONE);
	if (known_count < REGIONS_KNOWN)
		known[known_count++].region = region;
	return region;
}

/* ------------------------------------------------------------------ random numbers */

static uint64_t seed = 0x9e3779b97f4a7c15u, state = 0x9e3779b97f4a7c15u;

/* From zero, the generator would give zeros only. */
void assay_random_seed(uint64_t number)
{
	seed = number;
	state = number ? number : 1;
}

uint64_t assay_random_seeded(void)
{
	return seed;
}

/* xorshift64* (Vigna 2016): one multiplication, no division, good enough upper half. */
uint32_t assay_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 32);
}

uint32_t assay_random_below(uint32_t limit)
{
	return (uint32_t)(((uint64_t)assay_random() * limit) >> 32);
}

void assay_random_fill(void *to, size_t bytes)
{
	unsigned char *at = to;

	for (; bytes >= 4; bytes -= 4, at += 4) {
		uint32_t word = assay_random();

		memcpy(at, &word, 4);
	}
	for (; bytes > 0; bytes--)
		*at++ = (unsigned char)assay_random();
}
