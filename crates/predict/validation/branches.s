# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sixteen direct branches, each over one nop to the next, and that of the loop.
again:	.rept	16
	b	1f
	nop
1:
	.endr
	bdnz	again
