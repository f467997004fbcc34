/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FPCR is stored as a doubleword, over the reserved word behind it.
 *
 * assay-expect: fail belongs to no register
 */
#include "common/function.h"

	function neon_save
	stp	q0, q1, [x0, #0]
	stp	q2, q3, [x0, #32]
	stp	q4, q5, [x0, #64]
	stp	q6, q7, [x0, #96]
	stp	q8, q9, [x0, #128]
	stp	q10, q11, [x0, #160]
	stp	q12, q13, [x0, #192]
	stp	q14, q15, [x0, #224]
	stp	q16, q17, [x0, #256]
	stp	q18, q19, [x0, #288]
	stp	q20, q21, [x0, #320]
	stp	q22, q23, [x0, #352]
	stp	q24, q25, [x0, #384]
	stp	q26, q27, [x0, #416]
	stp	q28, q29, [x0, #448]
	stp	q30, q31, [x0, #480]
	mrs	x1, fpsr
	str	w1, [x0, #512]
	mrs	x1, fpcr
	add	x3, x0, #516
	str	x1, [x3]
	ret
	end_function neon_save
