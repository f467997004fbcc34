# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A load whose address depends on the sum.
loop:	and	9,3,8
	ldx	9,7,9
	add	3,3,9
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
