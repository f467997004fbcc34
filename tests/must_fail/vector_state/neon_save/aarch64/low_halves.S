/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * d8 to d15, which are all that the ABI preserves, are stored instead of q8 to q15.
 *
 * assay-expect: fail save left wrong in the area v8
 */
#include "common/function.h"

	function neon_save
	stp	q0, q1, [x0, #0]
	stp	q2, q3, [x0, #32]
	stp	q4, q5, [x0, #64]
	stp	q6, q7, [x0, #96]
	stp	q16, q17, [x0, #256]
	stp	q18, q19, [x0, #288]
	stp	q20, q21, [x0, #320]
	stp	q22, q23, [x0, #352]
	stp	q24, q25, [x0, #384]
	stp	q26, q27, [x0, #416]
	stp	q28, q29, [x0, #448]
	stp	q30, q31, [x0, #480]
	str	d8, [x0, #128]
	str	d9, [x0, #144]
	str	d10, [x0, #160]
	str	d11, [x0, #176]
	str	d12, [x0, #192]
	str	d13, [x0, #208]
	str	d14, [x0, #224]
	str	d15, [x0, #240]
	mrs	x1, fpsr
	str	w1, [x0, #512]
	mrs	x1, fpcr
	str	w1, [x0, #516]
	ret
	end_function neon_save
