# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One addition, counted by CTR.
loop:	addi	3,3,1
	bdnz	loop
