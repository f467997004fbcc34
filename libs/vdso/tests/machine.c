// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See machine.h. */
#include "machine.h"
#include "vdso_read.h"

enum { IMAGE_BYTES_MAX = 65536, AUXILIARY_SYSINFO_EHDR = 33, AT_FDCWD = -100 };

const int32_t machine_clocks[7] = { VDSO_CLOCK_REALTIME,
				    VDSO_CLOCK_MONOTONIC,
				    VDSO_CLOCK_MONOTONIC_RAW,
				    VDSO_CLOCK_REALTIME_COARSE,
				    VDSO_CLOCK_MONOTONIC_COARSE,
				    VDSO_CLOCK_BOOTTIME,
				    VDSO_CLOCK_TAI };

const char *machine_clock_name(int32_t clock)
{
	switch (clock) {
	case VDSO_CLOCK_REALTIME:
		return "realtime";
	case VDSO_CLOCK_MONOTONIC:
		return "monotonic";
	case VDSO_CLOCK_MONOTONIC_RAW:
		return "monotonic-raw";
	case VDSO_CLOCK_REALTIME_COARSE:
		return "realtime-coarse";
	case VDSO_CLOCK_MONOTONIC_COARSE:
		return "monotonic-coarse";
	case VDSO_CLOCK_BOOTTIME:
		return "boottime";
	case VDSO_CLOCK_TAI:
		return "tai";
	default:
		return "unknown";
	}
}

/* ------------------------------------------------------------------ mapping */

static size_t read_file(const char *path, unsigned char *to, size_t bytes_max)
{
	long file = bare_call(SYS_OPENAT, (uintptr_t)AT_FDCWD, (uintptr_t)path, 0, 0);
	size_t bytes = 0;
	long count = 0;

	if (file < 0)
		assay_die("%s cannot be opened (errno %ld)", path, -file);
	while (bytes < bytes_max &&
	       (count = bare_call(SYS_READ, (uintptr_t)file, (uintptr_t)(to + bytes), bytes_max - bytes)) > 0)
		bytes += (size_t)count;
	if (count < 0)
		assay_die("%s cannot be read (errno %ld)", path, -count);
	if (bytes == bytes_max)
		assay_die("%s is larger than a vDSO may be here", path);
	bare_call(SYS_CLOSE, (uintptr_t)file);
	return bytes;
}

/* One memory, two views: writable anywhere, and read-only where the image looks for it. */
static void *shared_page(void *at, size_t bytes)
{
	long file = bare_call(SYS_MEMFD_CREATE, (uintptr_t)"vdso page", 0);

	if (file < 0 || bare_call(SYS_FTRUNCATE, (uintptr_t)file, bytes) < 0)
		assay_die("no memory to share (errno %ld)", -file);
	bare_map(at, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, file);
	return bare_map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file);
}

void machine_map(struct machine *machine, const char *path)
{
	size_t page_bytes = assay_page_bytes(), bytes;
	unsigned char *space, *base;
	enum vdso_loader_result result;

	*machine = (struct machine){ .has_counter = 0 };
	/* Room to put the image at a multiple of the largest page size. */
	space = bare_map(NULL, 4 * VDSO_PAGE_STEP + IMAGE_BYTES_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	base = (unsigned char *)(((uintptr_t)space + VDSO_PAGE_STEP - 1) & ~(uintptr_t)(VDSO_PAGE_STEP - 1)) +
	       3 * VDSO_PAGE_STEP;
	bare_map(base, IMAGE_BYTES_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	bytes = read_file(path, base, IMAGE_BYTES_MAX);
	if (bare_call(ASSAY_SYS_MPROTECT, (uintptr_t)base, IMAGE_BYTES_MAX, PROT_READ | PROT_EXEC) < 0)
		assay_die("memory cannot be made executable");
	result = vdso_image_open(&machine->image, base, bytes);
	if (result != VDSO_LOADER_OK)
		assay_die("%s %s", path, vdso_loader_describe(result));
	machine->seen = (const struct vdso_page *)(base - VDSO_PAGE_BEFORE_IMAGE);
	machine->page = shared_page(base - VDSO_PAGE_BEFORE_IMAGE, page_bytes);
	machine->behind = shared_page(base - VDSO_PAGE_BEFORE_IMAGE + VDSO_PAGE_STEP, page_bytes);
	machine->hypervisor = shared_page(base - VDSO_PAGE_BEFORE_IMAGE - VDSO_PAGE_STEP, page_bytes);
	machine_find_calls(&machine->calls, &machine->image, "ours");
}

void machine_start(struct machine *machine)
{
	enum vdso_discipline_result result = vdso_discipline_start(&machine->discipline, machine->page);

	if (result == VDSO_DISCIPLINE_NO_CLOCKS)
		assay_die("%s", vdso_discipline_describe(result));
	machine->has_counter = result == VDSO_DISCIPLINE_OK;
	vdso_writer_set_getcpu(&machine->discipline.writer, vdso_getcpu_flags());
	/* It is the kernel's clock that tests compare with. */
	vdso_discipline_set_reference(&machine->discipline, 0, 0);
	vdso_discipline_update(&machine->discipline, 10000000);
}

static void *call_named(const struct vdso_image *image, const char *name)
{
	static const char *const prefixes[] = { "__kernel_", "__vdso_" };

	for (unsigned int i = 0; i < 2; i++) {
		char full[64];
		size_t used = 0;
		void *function;

		for (const char *from = prefixes[i]; *from; from++)
			full[used++] = *from;
		for (const char *from = name; *from; from++)
			full[used++] = *from;
		full[used] = 0;
		function = vdso_image_symbol(image, full, NULL);
		if (function)
			return function;
	}
	return NULL;
}

void machine_find_calls(struct vdso_calls *calls, const struct vdso_image *image, const char *name)
{
	*calls = (struct vdso_calls){
		.name = name,
		.clock_gettime = call_named(image, "clock_gettime"),
		.clock_gettime64 = call_named(image, "clock_gettime64"),
		.clock_getres = call_named(image, "clock_getres"),
		.gettimeofday = call_named(image, "gettimeofday"),
		.getcpu = call_named(image, "getcpu"),
		.time = call_named(image, "time"),
		.get_tbfreq = call_named(image, "get_tbfreq"),
		.get_syscall_map = call_named(image, "get_syscall_map"),
		.sync_dicache = call_named(image, "sync_dicache"),
	};
}

/* QEMU's user mode has an image for some architectures, too: of QEMU's system calls, which answer otherwise than the kernel's. */
_Bool machine_is_emulated;

_Bool machine_kernel(struct vdso_calls *calls, struct vdso_image *image)
{
	const void *base = (const void *)assay_auxiliary(AUXILIARY_SYSINFO_EHDR);
	enum vdso_loader_result result;

	*calls = (struct vdso_calls){ .name = NULL };
	if (!base || machine_is_emulated)
		return 0;
	/* The kernel does not say how long its image is: it maps whole pages, two on x86-64. */
	result = vdso_image_open(image, base, 2 * assay_page_bytes());
	if (result != VDSO_LOADER_OK)
		result = vdso_image_open(image, base, assay_page_bytes());
	if (result != VDSO_LOADER_OK)
		assay_die("the kernel's vDSO %s", vdso_loader_describe(result));
	machine_find_calls(calls, image, "kernel");
	return calls->clock_gettime != NULL;
}

/* ------------------------------------------------------------------ calling */

static const char *broken_convention;

const char *machine_convention(void)
{
	return broken_convention;
}

#if defined(__powerpc__)
struct outcome {
	uint32_t cr, broken;
	uintptr_t second; /* r4 */
};
long vdso_call_powerpc(void *function, uintptr_t a, uintptr_t b, uintptr_t c, struct outcome *outcome);

static uintptr_t second_word;

long machine_call(void *function, uintptr_t a, uintptr_t b, uintptr_t c)
{
	struct outcome outcome;
	long result = vdso_call_powerpc(function, a, b, c, &outcome);
	_Bool error = outcome.cr & 0x10000000;

	second_word = outcome.second;
	broken_convention = NULL;
	if (outcome.broken & 1)
		broken_convention = "the caller's frame was written, which it need not have";
	else if (outcome.broken & 2)
		broken_convention = "r30 was changed";
	else if (outcome.broken & 4)
		broken_convention = "r2 was changed";
	else if (error && (result <= 0 || result > 4095))
		broken_convention = "CR0.SO says that r3 is an errno, and it is none";
	return error ? -result : result;
}

uint64_t machine_call_wide(void *function)
{
	uint64_t first = (unsigned long)machine_call(function, 0, 0, 0);

	return sizeof(long) == 8 ? first : first << 32 | second_word;
}
#else
long machine_call(void *function, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return ((long (*)(uintptr_t, uintptr_t, uintptr_t))function)(a, b, c);
}
#endif

/* int results: x86-64 and AArch64 leave the upper half undefined. */
static long as_int(long result)
{
	return (int)result;
}

long machine_clock_gettime(const struct vdso_calls *calls, int32_t clock, struct bare_time *time)
{
	long plain[2] = { 0, 0 };
	long result = as_int(machine_call(calls->clock_gettime, (uintptr_t)(intptr_t)clock, (uintptr_t)plain, 0));

	*time = (struct bare_time){ plain[0], plain[1] };
	return result;
}

long machine_clock_getres(const struct vdso_calls *calls, int32_t clock, struct bare_time *time)
{
	long plain[2] = { 0, 0 };
	long result = as_int(machine_call(calls->clock_getres, (uintptr_t)(intptr_t)clock, (uintptr_t)plain, 0));

	*time = (struct bare_time){ plain[0], plain[1] };
	return result;
}
