/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One store for each register: the form to compare pairs with.
 *
 * assay-about: str of single registers
 */
#include "common/function.h"

	function neon_save
	mrs	x1, fpsr
	mrs	x2, fpcr
	str	q0, [x0, #0]
	str	q1, [x0, #16]
	str	q2, [x0, #32]
	str	q3, [x0, #48]
	str	q4, [x0, #64]
	str	q5, [x0, #80]
	str	q6, [x0, #96]
	str	q7, [x0, #112]
	str	q8, [x0, #128]
	str	q9, [x0, #144]
	str	q10, [x0, #160]
	str	q11, [x0, #176]
	str	q12, [x0, #192]
	str	q13, [x0, #208]
	str	q14, [x0, #224]
	str	q15, [x0, #240]
	str	q16, [x0, #256]
	str	q17, [x0, #272]
	str	q18, [x0, #288]
	str	q19, [x0, #304]
	str	q20, [x0, #320]
	str	q21, [x0, #336]
	str	q22, [x0, #352]
	str	q23, [x0, #368]
	str	q24, [x0, #384]
	str	q25, [x0, #400]
	str	q26, [x0, #416]
	str	q27, [x0, #432]
	str	q28, [x0, #448]
	str	q29, [x0, #464]
	str	q30, [x0, #480]
	str	q31, [x0, #496]
	str	w1, [x0, #512]
	str	w2, [x0, #516]
	ret
	end_function neon_save
