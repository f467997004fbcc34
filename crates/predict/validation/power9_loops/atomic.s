# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An atomic addition.
loop:	lwarx	3,0,6
	addi	3,3,1
	stwcx.	3,0,6
	bne-	out
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
out:
	blr
