# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Products of bytes, in order, one chain.
loop:	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	vmulesb	10,2,20
	vmulosb	14,2,20
	vmrglh	2,10,14
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
