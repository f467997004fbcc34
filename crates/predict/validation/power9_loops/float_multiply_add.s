# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four multiply-additions to one sum.
loop:	xsmaddadp	34,52,53
	xsmaddadp	34,52,53
	xsmaddadp	34,52,53
	xsmaddadp	34,52,53
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
