// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs for the test of ELF objects (crates/ebpf/tests/objects.rs), compiled there for bpf and bpfeb: maps, data
 * sections, static and global functions in other sections, and packet parsing. The context is plain memory.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define noinline __attribute__((noinline))

static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(void *map, const void *key) = (void *)3;

struct {
	int (*type)[2]; /* array */
	int (*max_entries)[4];
	u32 *key;
	u64 *value;
} counters SEC(".maps");

struct pair {
	u32 a, b;
};

struct {
	int (*type)[1]; /* hash */
	int (*max_entries)[2];
	int (*key_size)[8];
	int (*value_size)[4];
} table SEC(".maps");

const volatile u32 constant = 0x01020304;
static const u16 squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };
volatile u64 initialised = 40;
volatile u32 zeroed[3];

/* Adds 5 to counter 2 twice and gives it: 10. */
SEC("test") u64 count(void *context)
{
	u32 key = 2, i;
	u64 *value;

	for (i = 0; i < 2; i++) {
		value = map_lookup(&counters, &key);
		if (!value)
			return 999;
		*value += 5;
	}
	key = 4; /* outside */
	if (map_lookup(&counters, &key))
		return 998;
	return *value;
}

/* Uses the hash table until it is full: 0x3 if every step gives what it has to. */
SEC("test") u64 remember(void *context)
{
	struct pair key = { 1, 2 };
	u32 value = 7, *found;
	u64 ok = 0;

	if (map_lookup(&table, &key) || map_delete(&table, &key) != -2)
		return 100;
	if (map_update(&table, &key, &value, 0) || map_update(&table, &key, &value, 1) != -17)
		return 101;
	key.b = 3;
	value = 8;
	if (map_update(&table, &key, &value, 2) != -2 || map_update(&table, &key, &value, 0))
		return 102;
	key.b = 4;
	if (map_update(&table, &key, &value, 0) != -7)
		return 103;
	key.b = 2;
	found = map_lookup(&table, &key);
	ok |= found && *found == 7;
	if (map_delete(&table, &key) || map_lookup(&table, &key))
		return 104;
	key.b = 3;
	found = map_lookup(&table, &key);
	ok |= (found && *found == 8) << 1;
	return ok;
}

/* .rodata, .data, .bss: 0x01020304 + 49 + 41 + 7. */
SEC("test") u64 variables(u8 *context)
{
	zeroed[2] += 7;
	initialised++;
	return constant + squares[context[0] & 7] + initialised + zeroed[2];
}

static noinline u64 twice(u64 x)
{
	volatile u64 kept = x;

	return kept * 2;
}

noinline u64 thrice(u64 x)
{
	return twice(x) + x;
}

/* Calls into .text, to a global function that calls a static one: 6 * 2 + 6 * 3. */
SEC("test") u64 calls(u8 *context)
{
	return twice(context[1]) + thrice(context[1]);
}

/* Ethernet, IPv4, TCP: swaps the ports, writes a new window, and gives the sum of the ports. */
SEC("net") u64 packet(u8 *data, u64 bytes)
{
	u16 source, target;

	if (bytes < 54 || *(u16 *)(data + 12) != __builtin_bswap16(0x0800) && *(u16 *)(data + 12) != 0x0800)
		return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	source = __builtin_bswap16(*(u16 *)(data + 34));
	target = __builtin_bswap16(*(u16 *)(data + 36));
	*(u16 *)(data + 48) = __builtin_bswap16(source + 1);
#else
	source = *(u16 *)(data + 34);
	target = *(u16 *)(data + 36);
	*(u16 *)(data + 48) = source + 1;
#endif
	return (u32)source + target;
}

/* An access that bounds catch. */
SEC("test") u64 wild(u8 *context)
{
	return *(u64 *)(context + 4000);
}
