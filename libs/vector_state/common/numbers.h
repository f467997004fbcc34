/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* X(0) X(1) ... X(31): one statement for each register of a file, for the references. */
#ifndef VECTOR_STATE_NUMBERS_H
#define VECTOR_STATE_NUMBERS_H

#define EACH_OF_16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define EACH_OF_32(X) \
	EACH_OF_16(X) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

#endif
