# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 2017 BPF thread, bpf-bswap: a doubleword is stored to the stack and loaded back reversed.
swap:	ldx	6,3,4
	stdx	6,1,7
	ldbrx	6,1,7
	stdx	6,3,4
	addi	4,4,8
	cmpd	4,5
	beq	done
	b	swap
done:
