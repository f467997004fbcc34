// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For crates/assay/tests/ebpf.rs: one program that needs a kernel function, one that reads a field whose offset a loader
 * would adapt to the running kernel (CO-RE), and one that needs nothing.
 */
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))

extern u64 bpf_some_kfunc(u64 x) SEC(".ksyms");

struct task {
	int pid, tgid;
} __attribute__((preserve_access_index));

SEC("test") u64 program(void *context)
{
	return bpf_some_kfunc(1);
}

SEC("test") u64 field(struct task *task)
{
	return task->tgid;
}

SEC("test") u64 other(void *context)
{
	return 11;
}
