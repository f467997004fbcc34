/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time from a page that the hypervisor writes: KVM's and Xen's pvclock, Hyper-V's TSC page. Either can stand for the
 * architecture's counter in a clock page (VDSO_CLOCKMODE_PVCLOCK counts nanoseconds, VDSO_CLOCKMODE_HVCLOCK 100 ns), and
 * either can be read alone.
 *
 * Layouts and rules: the kernel's Documentation/virt/kvm/x86/msr.rst (MSR_KVM_SYSTEM_TIME_NEW), and the Hypervisor Top Level
 * Functional Specification, "Partition Reference TSC Mechanism". The counter is passed in, so that tests can have their own.
 */
#ifndef VDSO_HYPERVISOR_H
#define VDSO_HYPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

enum { VDSO_HYPERVISOR_TRIES_MAX = 1000 };

/* One a virtual processor; version is odd while the hypervisor writes. */
struct vdso_pvclock {
	uint32_t version;
	uint32_t pad0;
	uint64_t tsc_timestamp;
	uint64_t system_time; /* ns, at tsc_timestamp */
	uint32_t tsc_to_system_mul; /* a fraction of 2^32 */
	int8_t tsc_shift; /* to the left; to the right if negative */
	uint8_t flags;
	uint8_t pad[2];
};
/* private: */
#ifdef __cplusplus
static_assert(sizeof(struct vdso_pvclock) == 32, "pvclock");
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct vdso_pvclock) == 32, "pvclock");
#endif
/* public: */

enum { VDSO_PVCLOCK_TSC_STABLE = 1, VDSO_PVCLOCK_GUEST_STOPPED = 2 };

/* Where the wall clock was when system_time was 0; written when the guest asks. */
struct vdso_pvclock_wall {
	uint32_t version;
	uint32_t sec;
	uint32_t nsec;
};

struct vdso_hyperv_tsc {
	uint32_t sequence; /* 0: the page is not valid, take the MSR */
	uint32_t reserved;
	uint64_t scale; /* a fraction of 2^64, to 100 ns */
	int64_t offset; /* 100 ns */
};

/* private: */
#define VDSO_HYPERVISOR_LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define VDSO_HYPERVISOR_LOADS_END() __atomic_thread_fence(__ATOMIC_ACQUIRE)

/* The high 64 bits of a product, by halves: 32-bit machines have no type for it. */
static inline uint64_t vdso_multiply_high(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)middle;

	return a_high * b_high + (middle >> 32) + (other >> 32);
}
/* public: */

/*
 * Nanoseconds of the guest's system time. False if the page cannot be shared between processors (no TSC_STABLE flag), or if
 * the hypervisor writes for too long. A counter below tsc_timestamp gives the time of the timestamp, never less.
 */
static inline bool vdso_pvclock_ns(const volatile void *at, uint64_t (*counter)(void), uint64_t *ns)
{
	const struct vdso_pvclock *page = (const struct vdso_pvclock *)(uintptr_t)at;

	for (int tries = 0; tries < VDSO_HYPERVISOR_TRIES_MAX; tries++) {
		uint32_t version = VDSO_HYPERVISOR_LOAD(page->version), mul;
		uint64_t delta, base;
		int shift;

		if (version & 1)
			continue;
		VDSO_HYPERVISOR_LOADS_END();
		if (version == 0 || !(page->flags & VDSO_PVCLOCK_TSC_STABLE))
			return 0;
		delta = counter() - page->tsc_timestamp;
		base = page->system_time;
		mul = page->tsc_to_system_mul;
		shift = page->tsc_shift;
		VDSO_HYPERVISOR_LOADS_END();
		if (VDSO_HYPERVISOR_LOAD(page->version) != version)
			continue;
		if ((int64_t)delta < 0)
			delta = 0;
		delta = shift < 0 ? delta >> (-shift & 63) : delta << (shift & 63);
		*ns = base + (vdso_multiply_high(delta, (uint64_t)mul << 32));
		return 1;
	}
	return 0;
}

/* Units of 100 ns of the partition's reference time. False if the page is not valid. */
static inline bool vdso_hyperv_100ns(const volatile void *at, uint64_t (*counter)(void), uint64_t *ticks)
{
	const struct vdso_hyperv_tsc *page = (const struct vdso_hyperv_tsc *)(uintptr_t)at;

	for (int tries = 0; tries < VDSO_HYPERVISOR_TRIES_MAX; tries++) {
		uint32_t sequence = VDSO_HYPERVISOR_LOAD(page->sequence);
		uint64_t scale, now;
		int64_t offset;

		/* The specification up to 4.0b says that -1 is the invalid value; hypervisors write 0. */
		if (sequence == 0)
			return 0;
		VDSO_HYPERVISOR_LOADS_END();
		scale = page->scale;
		offset = page->offset;
		now = counter();
		VDSO_HYPERVISOR_LOADS_END();
		if (VDSO_HYPERVISOR_LOAD(page->sequence) != sequence)
			continue;
		*ticks = vdso_multiply_high(now, scale) + (uint64_t)offset;
		return 1;
	}
	return 0;
}

#endif
