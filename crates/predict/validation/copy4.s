# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Copies four limbs a turn, each loaded right before it is stored: the form of GMP's generic copyi.
copy:	ld	14,0(8)
	std	14,0(9)
	ld	15,8(8)
	std	15,8(9)
	ld	16,16(8)
	std	16,16(9)
	ld	17,24(8)
	std	17,24(9)
	addi	8,8,32
	addi	9,9,32
	bdnz	copy
