/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the driver of a published figure defines, and what it may use.
 *
 * A driver is a C file that calls code whose cycles somebody measured. It is linked with that code, main.c beside this
 * file and the runner's entry into a static program without a C library. main.c fills the operands, makes twenty calls
 * and exits; a prediction is of the later half of them, when caches and branch predictors know the code.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* Makes the data of a call with this argument, a length for most drivers. */
void prepare(unsigned long argument);

/* One call of what is judged. The prediction times from one entry of this function to the next. */
void call(unsigned long argument) __attribute__((noinline));

/* The next of a fixed sequence of random words (xorshift64*, Vigna 2016): every run executes the same instructions. */
uint64_t random_word(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Ends the run with a message's status if a driver was given an argument that it has no room for. */
void require(int holds);

/* Fills an array with random words. */
#define RANDOM(array) \
	do { \
		for (size_t index_ = 0; index_ < COUNT(array); index_++) \
			(array)[index_] = random_word(); \
	} while (0)

#endif
