/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All floating-point and vector registers of the machine as bytes in memory, and a call with given ones: the independent
 * witness of the tests. registers_<arch>.h has the layout, one asm block that dumps and loads, and the table that says
 * which bytes of the register file each facility puts where in its area. It stores registers by other instructions than
 * the variants do (stxvd2x on POWER, for one), so that a mistake is not made on both sides alike.
 */
#ifndef VECTOR_STATE_REGISTERS_H
#define VECTOR_STATE_REGISTERS_H

#include "assay.h"
#include "vector_state.h"

/* A run of bytes of the register file that belongs to one register. */
struct piece {
	uint16_t file, bytes;
	uint16_t area; /* where a facility's area has it */
	uint8_t number;
	char kind; /* for the name: see register_name() of the architecture */
};

/* Lists the pieces of one facility, one by one. */
typedef void piece_visitor(const struct piece *piece, void *with);

#if defined(__powerpc64__)
#include "registers_power.h"
#elif defined(__powerpc__)
#include "registers_powerpc.h"
#elif defined(__loongarch__)
#include "registers_loongarch64.h"
#elif defined(__x86_64__)
#include "registers_x86_64.h"
#elif defined(__aarch64__)
#include "registers_aarch64.h"
#endif

#endif
