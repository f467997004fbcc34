/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The same with a stack that has a guard page, and a lambda. */
#include <context_switch.h>
#include <cstdio>
#include <host/stack.h>

int main()
{
	size_t bytes = 65536;
	void *stack = context_stack_map(&bytes);
	context main_context = CONTEXT_THREAD, squares;
	uintptr_t sum = 0;

	context_create(&squares, stack, bytes, [](context *self, void *) {
		for (uintptr_t n = 0;; n++)
			context_yield(self, reinterpret_cast<void *>(n * n));
	});
	for (int i = 0; i < 5; i++)
		sum += reinterpret_cast<uintptr_t>(context_resume(&main_context, &squares, nullptr));
	context_stack_unmap(stack, bytes);
	std::printf("%d\n", static_cast<int>(sum));
	return sum != 30;
}
