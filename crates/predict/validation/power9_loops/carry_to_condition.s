# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A carry moved to a condition field that selects, eight times, in one chain.
loop:	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addc	9,3,4
	mcrxrx	7
	isel	3,4,9,30
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
