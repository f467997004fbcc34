/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The base vector extension has no byte reversal, but its segment accesses take structures apart: vlseg2e8, vlseg4e8 and vlseg8e8
 * put byte i of every element into register group i. The groups in reverse order, stored by vsseg2e8 and its like, are the elements
 * reversed. vsetvli hands out the length of each round, so there is no tail loop. Bytes need no alignment.
 *
 * assay-requires: rvv
 */
#include "assembly.h"

FUNCTION(swap_buffer)
	.option	arch, +v
	beqz	a1, 2f
1:	vsetvli	t0, a1, e8, BY_WIDTH(m4, m2, m1), ta, ma
	BY_WIDTH(vlseg2e8.v, vlseg4e8.v, vlseg8e8.v) v8, (a0)
#if BITS == 16
	vmv4r.v	v20, v8
	vmv4r.v	v16, v12
#elif BITS == 32
	vmv2r.v	v22, v8
	vmv2r.v	v20, v10
	vmv2r.v	v18, v12
	vmv2r.v	v16, v14
#else
	vmv1r.v	v23, v8
	vmv1r.v	v22, v9
	vmv1r.v	v21, v10
	vmv1r.v	v20, v11
	vmv1r.v	v19, v12
	vmv1r.v	v18, v13
	vmv1r.v	v17, v14
	vmv1r.v	v16, v15
#endif
	BY_WIDTH(vsseg2e8.v, vsseg4e8.v, vsseg8e8.v) v16, (a0)
	slli	t1, t0, BY_WIDTH(1, 2, 3)
	add	a0, a0, t1
	sub	a1, a1, t0
	bnez	a1, 1b
2:	ret
END(swap_buffer)
