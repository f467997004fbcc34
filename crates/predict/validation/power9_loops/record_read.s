# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight additions whose condition selects.
loop:	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	add.	3,3,4
	isel	3,4,3,2
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
