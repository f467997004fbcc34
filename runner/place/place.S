/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Room in front of all code of a runner: ASSAY_PLACE_BYTES, so that the code stands elsewhere in its cache lines.
 *
 * It is linked first and never executed. Each section behind it moves as far as its own alignment lets it, as in another
 * program with other code in front. The flag R keeps it, though nothing refers to it.
 */
	.section .text.assay_place,"axR",%progbits
	.skip	ASSAY_PLACE_BYTES

	.section .note.GNU-stack,"",%progbits
