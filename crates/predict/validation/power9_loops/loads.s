# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight loads, each of the address that the next one reads.
loop:	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	ld	6,0(6)
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
