# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sums every third limb into one of three accumulators, six limbs a turn: the form of GMP's mod_34lsub1.
mod:	addc	14,14,18
	nop
	ld	18,0(8)
	adde	15,15,19
	ld	19,8(8)
	adde	16,16,20
	ld	20,16(8)
	addi	8,8,48
	addze	17,17
	bdz	done
	addc	14,14,18
	nop
	ld	18,-24(8)
	adde	15,15,19
	ld	19,-16(8)
	adde	16,16,20
	ld	20,-8(8)
	addze	17,17
	bdnz	mod
done:
