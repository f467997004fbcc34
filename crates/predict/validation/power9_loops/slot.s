# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A counter in memory.
loop:	ld	3,0(6)
	addi	3,3,1
	std	3,0(6)
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
