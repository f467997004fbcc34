/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * st1 stores four registers and advances the base: eight instructions, each of which depends on the base of the one before.
 *
 * assay-about: st1 of four registers, with update
 */
#include "common/function.h"

	function neon_save
	mrs	x1, fpsr
	mrs	x2, fpcr
	mov	x3, x0
	st1	{v0.2d, v1.2d, v2.2d, v3.2d}, [x3], #64
	st1	{v4.2d, v5.2d, v6.2d, v7.2d}, [x3], #64
	st1	{v8.2d, v9.2d, v10.2d, v11.2d}, [x3], #64
	st1	{v12.2d, v13.2d, v14.2d, v15.2d}, [x3], #64
	st1	{v16.2d, v17.2d, v18.2d, v19.2d}, [x3], #64
	st1	{v20.2d, v21.2d, v22.2d, v23.2d}, [x3], #64
	st1	{v24.2d, v25.2d, v26.2d, v27.2d}, [x3], #64
	st1	{v28.2d, v29.2d, v30.2d, v31.2d}, [x3], #64
	str	w1, [x0, #512]
	str	w2, [x0, #516]
	ret
	end_function neon_save
