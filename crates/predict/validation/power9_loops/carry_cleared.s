# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# XER written before each of eight carries.
loop:	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	li	10,0
	mtxer	10
	addc	3,3,4
	addze	3,3
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
