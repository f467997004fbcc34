# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Two words stored, the doubleword that they make loaded.
loop:	ld	3,0(6)
	addi	3,3,1
	stw	3,0(6)
	srdi	9,3,32
	stw	9,4(6)
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
