/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A page with the kernel's time, kept by a thread, read without a system call. */
#include <stdio.h>
#include <time.h>
#include <updater/updater.h>
#include <vdso_clock.h>

int main(void)
{
	static struct vdso_page page __attribute__((aligned(4096)));
	struct vdso_updater *updater = vdso_updater_start(&page, 10000000);
	struct vdso_clock clock;
	struct vdso_time now;
	enum vdso_clock_result result;

	if (!updater || vdso_clock_attach(&clock, &page, sizeof(page), NULL) != VDSO_CLOCK_OK)
		return 1;
	result = vdso_clock_now(&clock, VDSO_CLOCK_REALTIME_COARSE, &now);
	printf("%lld: %s\n", (long long)now.sec, vdso_clock_describe(result));
	vdso_updater_stop(updater);
	return result != VDSO_CLOCK_OK || now.sec + 2 < time(NULL);
}
