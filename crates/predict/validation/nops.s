# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 240 nops and the branch of a loop.
nops:	.rept	240
	nop
	.endr
	bdnz	nops
