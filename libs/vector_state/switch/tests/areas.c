// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * areas CASE: gives the checked functions of ../../vector_state.h an unsuitable area, one fault a run, as misuse.c does for
 * contexts. Ends with status 3 and the message if it is stopped. `areas list` lists the cases and what the message has to
 * contain, separated by a tab. The facilities themselves are stand-ins, which say that they were reached.
 */
#define VECTOR_STATE_DEBUG
#include "../../vector_state.h"

#include "bare.h"

enum { EVERYTHING = -1, ROOM = 4096 };

static _Alignas(128) unsigned char area[ROOM];

_Noreturn void vector_state_stop(const char *function, const char *message)
{
	bare_write(function);
	bare_write(": ");
	bare_write(message);
	bare_write("\n");
	bare_exit(3);
}

static _Noreturn void reached(void)
{
	bare_write("reached the facility\n");
	bare_exit(3);
}

#define STAND_IN(facility, type, bytes) \
	void facility##_save(type *into) \
	{ \
		(void)into; \
		reached(); \
	} \
	void facility##_restore(const type *from) \
	{ \
		(void)from; \
		reached(); \
	}
VECTOR_STATE_EACH(STAND_IN)

struct misuse {
	const char *name, *message;
	void (*call)(void *area, size_t bytes, unsigned int facilities);
	const char *how;
	size_t bytes, alignment;
};

static void save_or_restore(const struct misuse *one)
{
	if (bare_same(one->how, "null"))
		one->call(NULL, ROOM, (unsigned int)EVERYTHING);
	else if (bare_same(one->how, "misaligned"))
		one->call(area + one->alignment / 2, ROOM - one->alignment, (unsigned int)EVERYTHING);
	else if (bare_same(one->how, "small"))
		one->call(area, one->bytes - 1, (unsigned int)EVERYTHING);
	else if (bare_same(one->how, "absent"))
		one->call(area, ROOM, 0);
	else
		one->call(area, one->bytes, (unsigned int)EVERYTHING);
}

#define RESTORE_WITH(facility, type, bytes) \
	static void facility##_restore_with(void *from, size_t size, unsigned int facilities) \
	{ \
		facility##_restore_in(from, size, facilities); \
	}
VECTOR_STATE_EACH(RESTORE_WITH)

#define CASE(facility, direction, function, type, bytes, how, message) \
	{ #facility "_" #direction "_" how, message, function, how, bytes, __alignof__(type) },
#define CASES(facility, direction, function, type, bytes) \
	CASE(facility, direction, function, type, bytes, "null", #facility "_" #direction ": the area is a null pointer") \
	CASE(facility, direction, function, type, bytes, "misaligned", #facility "_" #direction ": the area is not aligned") \
	CASE(facility, direction, function, type, bytes, "small", #facility "_" #direction ": the area is too small") \
	CASE(facility, direction, function, type, bytes, "absent", #facility "_" #direction ": this processor has no such") \
	CASE(facility, direction, function, type, bytes, "right", "reached the facility")
#define BOTH(facility, type, bytes) \
	CASES(facility, save, facility##_save_in, type, bytes) \
	CASES(facility, restore, facility##_restore_with, type, bytes)

/* RISC-V has no facility here, so no case. */
static const struct misuse cases[] = { VECTOR_STATE_EACH(BOTH){ 0 } };

int bare_main(int argc, char **argv, const uintptr_t *auxiliary)
{
	bool list = argc == 2 && bare_same(argv[1], "list");

	(void)auxiliary;
	(void)reached;
	for (const struct misuse *one = cases; one->name; one++) {
		if (list) {
			bare_write(one->name);
			bare_write("\t");
			bare_write(one->message);
			bare_write("\n");
		} else if (argc == 2 && bare_same(argv[1], one->name)) {
			save_or_restore(one);
			bare_write("not stopped\n");
			return 0;
		}
	}
	return list ? 0 : 2;
}
