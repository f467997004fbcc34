# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Multiplies a vector by one limb, four limbs a turn, one carry chain across turns: the form of GMP's mul_1.
mul:	mulld	14,20,7
	mulhdu	15,20,7
	mulld	16,21,7
	mulhdu	17,21,7
	ld	20,0(8)
	ld	21,8(8)
	adde	14,14,22
	adde	16,16,15
	mulld	18,20,7
	mulhdu	19,20,7
	mulld	23,21,7
	mulhdu	22,21,7
	ld	20,16(8)
	ld	21,24(8)
	std	14,0(9)
	adde	18,18,17
	std	16,8(9)
	adde	23,23,19
	std	18,16(9)
	addi	8,8,32
	std	23,24(9)
	addi	9,9,32
	bdnz	mul
