# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight chained adde over 64 bytes, the inner loop of a 64-bit Internet checksum on POWER.
sum:	ld 6,0(3)
	ld 9,8(3)
	ld 10,16(3)
	ld 11,24(3)
	adde 0,0,6
	adde 0,0,9
	ld 12,32(3)
	ld 14,40(3)
	adde 0,0,10
	adde 0,0,11
	ld 15,48(3)
	ld 16,56(3)
	addi 3,3,64
	adde 0,0,12
	adde 0,0,14
	adde 0,0,15
	adde 0,0,16
	bdnz sum
