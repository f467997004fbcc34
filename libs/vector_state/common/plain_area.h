/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Areas that hold registers and nothing else: what the tests have to do besides, which is nothing. x86-64 differs. */

/* Before a save: what the caller has to put into an area. */
static inline void prepare_area(unsigned char *area)
{
	(void)area;
}

/* What says that the registers are there. */
static inline void finish_area(unsigned char *area)
{
	(void)area;
}

/* After a save: registers that the area says are in their initial state. */
static inline void complete(unsigned char *area, const unsigned char *image)
{
	(void)area;
	(void)image;
}

#ifndef AREA_LEFT_UNDEFINED
/* Bytes of the area in which a save may leave anything; `piece` is what they belong to, if to any register. */
static inline bool not_compared(const struct piece *piece, unsigned int byte)
{
	(void)piece;
	(void)byte;
	return false;
}
#endif

static inline void check_more(unsigned char *area, bool quick)
{
	(void)area;
	(void)quick;
}
