# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A carry made and added, eight times, in one chain.
loop:	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addc	3,3,4
	addze	3,3
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
