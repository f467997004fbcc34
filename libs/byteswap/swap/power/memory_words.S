/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory for CPUs before ISA 2.06, which have lwbrx but no ldbrx: each word is reversed by its own load, then the
 * two are joined. The word that holds the low half of the value becomes the high half of the result; which of the two that
 * is in memory depends on the byte order.
 *
 * assay-requires: power7
 */
#include "assembly.h"

#ifdef __LITTLE_ENDIAN__
#define LOW_WORD	-8
#define HIGH_WORD	-4
#else
#define LOW_WORD	-4
#define HIGH_WORD	-8
#endif

FUNCTION(swap)
	std	%r3, -8(%r1)
	addi	%r4, %r1, LOW_WORD
	addi	%r5, %r1, HIGH_WORD
	lwbrx	%r6, 0, %r4
	lwbrx	%r3, 0, %r5
	rldimi	%r3, %r6, 32, 0
	blr
END(swap)
