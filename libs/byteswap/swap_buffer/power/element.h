/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One element at %r3, then advances to the next: a plain load and a reversed store, the same code in both byte orders. */
/* clang-format off */
#define SWAP_ELEMENT \
	BY_WIDTH(lhz, lwz, ld) %r5, 0(%r3); \
	BY_WIDTH(sthbrx, stwbrx, stdbrx) %r5, 0, %r3; \
	addi %r3, %r3, BITS / 8

/* log2 of its bytes. */
#define ELEMENT_SHIFT BY_WIDTH(1, 2, 3)
