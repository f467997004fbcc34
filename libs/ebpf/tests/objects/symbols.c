// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an object may refer to, for crates/ebpf/tests/symbols.rs: one program each, chosen by -D. The context is plain
 * memory. Some of it needs a kernel, which has to be told by name.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define noinline __attribute__((noinline))

static u64 values[4] = { 1, 20, 300, 4000 };
static u64 *pointers[3] = { &values[2], &values[3], &values[0] };
static u64 **volatile to_pointers = &pointers[1];
static const char *const words[] = { "ab", "cd", "ef" };

static noinline u64 increment(u64 x)
{
	volatile u64 kept = x;

	return kept + 1;
}

static noinline u64 decrement(u64 x)
{
	volatile u64 kept = x;

	return kept - 1;
}

#if defined(KFUNC) || defined(KSYM) || defined(KCONFIG)
SEC("test") u64 other(void *context)
{
	return 11;
}
#endif

#if defined(POINTERS)
SEC("test") u64 program(u32 *context)
{
	pointers[2][0] += 5; /* values[0] is 6 now */
	return *pointers[context[0]] + **to_pointers + values[0] + (u64)words[context[0] + 1][1];
}
#elif defined(FUNCTION_POINTER)
/* What the kernel's bpf_loop takes: the address of a function, which no helper here uses. */
SEC("test") u64 program(void *context)
{
	u64 (*volatile kept)(u64) = decrement;

	return (u64)kept == (u64)increment ? 1 : increment(40);
}
#elif defined(CO_RE)
struct task {
	int pid, tgid;
} __attribute__((preserve_access_index));

SEC("test") u64 program(struct task *task)
{
	return task->tgid + task->pid;
}
#elif defined(KFUNC)
extern u64 bpf_some_kfunc(u64 x) SEC(".ksyms");

SEC("test") u64 program(void *context)
{
	return bpf_some_kfunc(1);
}
#elif defined(KSYM)
extern const int some_ksym SEC(".ksyms");

SEC("test") u64 program(void *context)
{
	return (u64)&some_ksym;
}
#elif defined(KCONFIG)
extern int CONFIG_SOMETHING SEC(".kconfig");

SEC("test") u64 program(void *context)
{
	return CONFIG_SOMETHING;
}
#elif defined(FUNCTION_IN_DATA)
static void *volatile functions[2] = { (void *)increment, (void *)decrement };

SEC("test") u64 program(u32 *context)
{
	return (u64)functions[context[0]];
}
#elif defined(EXTERN_IN_DATA)
extern int some_variable;
static int *volatile addresses[1] = { &some_variable };

SEC("test") u64 program(u32 *context)
{
	return (u64)addresses[context[0]];
}
#elif defined(OLD_MAPS)
/* Maps as they were before BTF, one to a section. */
struct old_map {
	u32 type, key_bytes, value_bytes, entries, flags;
};

struct old_map SEC("maps/counts") counts = { 2, 4, 8, 3, 0 };
struct old_map SEC("maps/others") others = { 2, 4, 4, 7, 0 };

SEC("test") u64 program(void *context)
{
	u64 *(*lookup)(void *, const u32 *) = (u64 * (*)(void *, const u32 *))1;
	u32 key = 2;
	u64 *count = lookup(&counts, &key);

	return count ? (*count += 5) : 1;
}

SEC("second") u64 random(void *context)
{
	u32 (*get_prandom)(void) = (u32(*)(void))7;

	return get_prandom() & 0;
}
#elif defined(HELPER)
/* Helpers are calls of a number; nothing is looked up. */
SEC("test") u64 program(void *context)
{
	u64 (*helper)(u64) = (u64(*)(u64))77;

	return helper(1);
}
#endif
