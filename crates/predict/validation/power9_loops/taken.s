# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight branches, each to the next line of sixteen bytes.
loop:	b	.Lline0
	.p2align 4
.Lline0:
	b	.Lline1
	.p2align 4
.Lline1:
	b	.Lline2
	.p2align 4
.Lline2:
	b	.Lline3
	.p2align 4
.Lline3:
	b	.Lline4
	.p2align 4
.Lline4:
	b	.Lline5
	.p2align 4
.Lline5:
	b	.Lline6
	.p2align 4
.Lline6:
	b	.Lline7
	.p2align 4
.Lline7:
	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
