# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The least loop: two chained additions, a comparison, a branch.
loop:	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
