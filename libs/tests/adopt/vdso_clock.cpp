/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The writer's side: a page that shows a chosen second, and one that nobody wrote. */
#include <cstdio>
#include <vdso_clock.h>
#include <vdso_writer.h>

alignas(4096) static vdso_page page, never_written;

int main()
{
	vdso_source source = { VDSO_CLOCKMODE_ARCH, 0, UINT64_MAX, 1000000000 };
	vdso_writer writer;
	vdso_clock clock;
	vdso_time now = { 0, 0 };

	if (vdso_writer_start(&writer, &page, &source, 0, vdso_timestamp{ 1600000000, 0 }, 1) != VDSO_WRITER_OK)
		return 1;
	bool good = vdso_clock_attach(&clock, &page, sizeof(page), nullptr) == VDSO_CLOCK_OK &&
		    vdso_clock_now(&clock, VDSO_CLOCK_REALTIME_COARSE, &now) == VDSO_CLOCK_OK;
	auto refused = vdso_clock_attach(&clock, &never_written, sizeof(page), nullptr);
	std::printf("%lld, %s\n", static_cast<long long>(now.sec), vdso_clock_describe(refused));
	return !good || now.sec != 1600000000 || refused != VDSO_CLOCK_NOT_A_PAGE;
}
