# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight loads, each by the address that the one before has loaded.
again:	.rept	8
	ld	9,0(9)
	.endr
	bdnz	again
