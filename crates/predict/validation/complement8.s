# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Complements eight limbs a turn: the form of GMP's com.
not:	nor	14,14,14
	nor	15,15,15
	std	14,0(9)
	std	15,8(9)
	ld	14,0(8)
	ld	15,8(8)
	nor	16,16,16
	nor	17,17,17
	std	16,16(9)
	std	17,24(9)
	ld	16,16(8)
	ld	17,24(8)
	nor	14,14,14
	nor	15,15,15
	std	14,32(9)
	std	15,40(9)
	ld	14,32(8)
	ld	15,40(8)
	nor	16,16,16
	nor	17,17,17
	std	16,48(9)
	std	17,56(9)
	addi	9,9,64
	ld	16,48(8)
	ld	17,56(8)
	addi	8,8,64
	bdnz	not
