# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 2017 BPF thread, bpf-bswap-reg: the same swap with eight rotates and inserts and an or.
swap:	ldx	6,3,4
	rldicl	7,6,32,32
	rlwinm	8,6,24,0,31
	rlwimi	8,6,8,8,15
	rlwinm	9,7,24,0,31
	rlwimi	8,6,24,24,31
	rlwimi	9,7,8,8,15
	rlwimi	9,7,8,24,31
	rldicr	8,8,32,31
	or	6,8,9
	stdx	6,3,4
	addi	4,4,8
	cmpd	4,5
	beq	done
	b	swap
done:
