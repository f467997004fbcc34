/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Areas that hold registers and nothing else, so these hooks of the test do nothing. On x86-64 they do. */

/* Before a save: what the caller has to put into an area. */
static inline void prepare_area(unsigned char *area)
{
	(void)area;
}

/* Marks the registers as present. */
static inline void finish_area(unsigned char *area)
{
	(void)area;
}

/* After a save: fills in registers that the area marks as in their initial state. */
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
