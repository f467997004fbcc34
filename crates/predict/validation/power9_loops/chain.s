# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight additions, each of the sum before it.
loop:	add	3,3,4
	add	3,3,4
	add	3,3,4
	add	3,3,4
	add	3,3,4
	add	3,3,4
	add	3,3,4
	add	3,3,4
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
