/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One load for each register: the form to compare pairs with.
 *
 * assay-about: ldr of single registers
 */
#include "common/function.h"

	function neon_restore
	ldr	w1, [x0, #512]
	ldr	w2, [x0, #516]
	msr	fpsr, x1
	msr	fpcr, x2
	ldr	q0, [x0, #0]
	ldr	q1, [x0, #16]
	ldr	q2, [x0, #32]
	ldr	q3, [x0, #48]
	ldr	q4, [x0, #64]
	ldr	q5, [x0, #80]
	ldr	q6, [x0, #96]
	ldr	q7, [x0, #112]
	ldr	q8, [x0, #128]
	ldr	q9, [x0, #144]
	ldr	q10, [x0, #160]
	ldr	q11, [x0, #176]
	ldr	q12, [x0, #192]
	ldr	q13, [x0, #208]
	ldr	q14, [x0, #224]
	ldr	q15, [x0, #240]
	ldr	q16, [x0, #256]
	ldr	q17, [x0, #272]
	ldr	q18, [x0, #288]
	ldr	q19, [x0, #304]
	ldr	q20, [x0, #320]
	ldr	q21, [x0, #336]
	ldr	q22, [x0, #352]
	ldr	q23, [x0, #368]
	ldr	q24, [x0, #384]
	ldr	q25, [x0, #400]
	ldr	q26, [x0, #416]
	ldr	q27, [x0, #432]
	ldr	q28, [x0, #448]
	ldr	q29, [x0, #464]
	ldr	q30, [x0, #480]
	ldr	q31, [x0, #496]
	ret
	end_function neon_restore
