# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four divisions of single precision in one chain.
loop:	xsdivsp	34,34,52
	xsdivsp	34,34,52
	xsdivsp	34,34,52
	xsdivsp	34,34,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
