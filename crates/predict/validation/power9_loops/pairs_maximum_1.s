# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The larger bytes of pairs, one chain.
loop:	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	vspltish	10,8
	vsrh	14,2,10
	vmaxub	2,2,14
	vpkuhum	2,2,2
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
