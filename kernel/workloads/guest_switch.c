/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guest_switch in a booted host kernel: a virtual machine of KVM HV with one processor, entered and left by hypercalls.
 *
 *     guest_switch [ROUNDS]
 *
 * Each KVM_RUN enters the guest and returns with its next hypercall, which the kernel does not know and passes to us:
 * on POWER8 once through kvmppc_run_vcpu, the loop over virtual cores, and the real-mode switch below it. In each round
 * guest and host have different random values in vs0 to vs63, and each has to find its own again; the guest's count has
 * to go up by one.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "freestanding.h"
#include "guest.h"
#include "registers.h"

/* linux/kvm.h in powerpc's encoding of ioctls. */
#define NO_DATA(number) (0x2000ae00u | (number))
#define TO_KERNEL(number, type) (0x8000ae00u | (uint32_t)sizeof(type) << 16 | (number))
#define FROM_KERNEL(number, type) (0x4000ae00u | (uint32_t)sizeof(type) << 16 | (number))

struct memory_region {
	uint32_t slot, flags;
	uint64_t at, bytes, user_address;
};

struct cpu_registers {
	uint64_t pc, cr, ctr, lr, xer, msr, srr0, srr1, pid, sprg[8], gpr[32];
};

struct capability {
	uint32_t number, flags;
	uint64_t arguments[4];
	uint8_t rest[64];
};

struct shared {
	uint8_t asked[8];
	uint32_t reason;
	uint8_t flags[20];
	struct {
		uint64_t number, result, arguments[9];
	} call;
};

#define CREATE_VM NO_DATA(0x01)
#define SHARED_BYTES NO_DATA(0x04)
#define CREATE_CPU NO_DATA(0x41)
#define SET_MEMORY TO_KERNEL(0x46, struct memory_region)
#define RUN NO_DATA(0x80)
#define GET_REGISTERS FROM_KERNEL(0x81, struct cpu_registers)
#define ENABLE TO_KERNEL(0xa3, struct capability)
#define SET_REGISTERS TO_KERNEL(0x82, struct cpu_registers)

enum {
	TYPE_HV = 1,
	HYPERCALLS = 68,
	EXIT_HYPERCALL = 19,
	PAGE_BYTES_MAX = 65536,
	GUEST_BYTES = 16 << 20,
	REGISTERS_BYTES = REGISTERS * REGISTER_BYTES
};
enum { O_RDWR = 2, PROT_READ_WRITE = 3, MAP_SHARED_ALL = 1, ROUNDS = 200, LOST_SHOWN_MAX = 8 };

/* 64 bits, little-endian, with floating point, Altivec and VSX on; translation off. */
static const uint64_t guest_msr = 1ull << 63 | 1ull << 25 | 1ull << 23 | 1ull << 13 | 1ull << 12 | 1;

extern const uint8_t guest_code[], guest_code_end[];

static uint8_t guest_memory[GUEST_BYTES] __attribute__((aligned(PAGE_BYTES_MAX)));
static unsigned char fill[BLOCK_BYTES] __attribute__((aligned(64)));
static unsigned char found[BLOCK_BYTES] __attribute__((aligned(64)));
static uint64_t state = 2014, wrong;

static uint32_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static void fill_random(uint8_t *block)
{
	for (unsigned int i = 0; i < REGISTERS_BYTES; i++)
		block[i] = (uint8_t)(next_random() >> 8);
}

static long must(const char *what, long result)
{
	if (result >= 0)
		return result;
	say(ERRORS, "guest_switch: ");
	say(ERRORS, what);
	say(ERRORS, " failed with error ");
	say_number(ERRORS, (uint64_t)-result);
	say(ERRORS, "\n");
	leave(2);
}

static bool equal(const uint8_t *a, const uint8_t *b)
{
	for (unsigned int i = 0; i < REGISTER_BYTES; i++) {
		if (a[i] != b[i])
			return false;
	}
	return true;
}

/* `other` is what the other side had in its registers. */
static void compare(const char *whose, uint64_t round, const uint8_t *put, const uint8_t *got, const uint8_t *other)
{
	for (unsigned int at = 0; at < REGISTERS_BYTES; at += REGISTER_BYTES) {
		if (equal(put + at, got + at))
			continue;
		if (wrong++ >= LOST_SHOWN_MAX)
			continue;
		say(OUT, whose);
		say(OUT, ": lost vs");
		say_number(OUT, at / REGISTER_BYTES);
		say(OUT, " in round ");
		say_number(OUT, round);
		say(OUT, equal(other + at, got + at) ? ", found the other side's\n" : "\n");
	}
}

static struct shared *new_guest(long *cpu)
{
	struct memory_region region = { .bytes = GUEST_BYTES, .user_address = (uintptr_t)guest_memory };
	static const struct capability hypercalls = { .number = HYPERCALLS };
	static struct cpu_registers registers;
	long kvm, vm, shared;

	memcpy(guest_memory + GUEST_CODE, guest_code, (size_t)(guest_code_end - guest_code));
	kvm = must("open /dev/kvm", CALL(SYS_OPENAT, AT_FDCWD, "/dev/kvm", O_RDWR));
	vm = must("KVM_CREATE_VM (HV)", CALL(SYS_IOCTL, kvm, CREATE_VM, TYPE_HV));
	(void)must("KVM_SET_USER_MEMORY_REGION", CALL(SYS_IOCTL, vm, SET_MEMORY, &region));
	*cpu = must("KVM_CREATE_VCPU", CALL(SYS_IOCTL, vm, CREATE_CPU, 0));
	(void)must("KVM_CAP_PPC_PAPR", CALL(SYS_IOCTL, *cpu, ENABLE, &hypercalls));
	(void)must("KVM_GET_REGS", CALL(SYS_IOCTL, *cpu, GET_REGISTERS, &registers));
	registers.pc = GUEST_CODE;
	registers.msr = guest_msr;
	(void)must("KVM_SET_REGS", CALL(SYS_IOCTL, *cpu, SET_REGISTERS, &registers));
	shared = must("KVM_GET_VCPU_MMAP_SIZE", CALL(SYS_IOCTL, kvm, SHARED_BYTES, 0));
	shared = must("mmap", CALL(ASSAY_SYS_MMAP, 0, shared, PROT_READ_WRITE, MAP_SHARED_ALL, *cpu, 0));
	return (struct shared *)(uintptr_t)shared;
}

/* Enters the guest and returns. The guest's memory then has its registers of the round before. */
static void go_round(volatile struct shared *shared, long cpu, uint64_t round)
{
	static uint8_t before[REGISTERS_BYTES], fill_before[REGISTERS_BYTES];

	memcpy(before, guest_memory + GUEST_FILL, sizeof(before));
	memcpy(fill_before, fill, sizeof(fill_before));
	fill_random(guest_memory + GUEST_FILL);
	fill_random(fill);
	fill_controls(fill, next_random());
	(void)must("KVM_RUN", registers_cross(fill, found, SYS_IOCTL, cpu, RUN, 1));
	compare("host", round, fill, found, guest_memory + GUEST_FILL);
	if (shared->reason != EXIT_HYPERCALL || shared->call.number != GUEST_CALL || shared->call.arguments[0] != round) {
		say(OUT, "guest: wrong: round ");
		say_number(OUT, round);
		say(OUT, " ended for reason ");
		say_number(OUT, shared->reason);
		say(OUT, " with call ");
		say_number(OUT, shared->call.number);
		say(OUT, ", count ");
		say_number(OUT, shared->call.arguments[0]);
		say(OUT, "\n");
		leave(1);
	}
	shared->call.result = 0;
	if (round > 1)
		compare("guest", round, before, guest_memory + GUEST_FOUND, fill_before);
}

_Noreturn void assay_main(uintptr_t *stack)
{
	uint64_t rounds = ROUNDS;
	struct shared *shared;
	long cpu;

	if (stack[0] > 1) {
		rounds = 0;
		for (const char *at = (const char *)stack[2]; *at >= '0' && *at <= '9'; at++)
			rounds = rounds * 10 + (uint64_t)(*at - '0');
	}
	shared = new_guest(&cpu);
	for (uint64_t round = 1; round <= rounds; round++)
		go_round(shared, cpu, round);
	say_number(OUT, rounds);
	say(OUT, " switches to a guest and back, registers lost: ");
	say_number(OUT, wrong);
	say(OUT, "\n");
	leave(wrong != 0 || rounds == 0);
}
