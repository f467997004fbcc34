# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four instructions that do nothing.
loop:	nop
	nop
	nop
	nop
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
