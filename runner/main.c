/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The runner's command line:
 *
 *     RUNNER check TOKEN [quick] [seed=N] [call=N]
 *                                           all checks, or those up to a call: `checked N TOKEN`, status 0; `failure: ...`, 1;
 *                                           `crash: ...`, 3; after these two, `detail: ...` lines that may help
 *                                           `calls N TOKEN` before it if the check ends before call=N
 *     RUNNER run CASE ITERATIONS            calls the hot path; `result 0x...`; of no calls, makes the case's data
 *     RUNNER time CASE ITERATIONS SAMPLES   the same, timed: a line `sample ns=N ticks=N [cycles=N]` each
 *
 * A usage error or bad case is one line on standard error and status 2.
 */
#include "internal.h"

static uint64_t number(const char *text, const char *what)
{
	uint64_t value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (value > UINT64_MAX / 10 || value * 10 > UINT64_MAX - digit)
			assay_die("%s '%s' is greater than %llu", what, text, (unsigned long long)UINT64_MAX);
		value = value * 10 + digit;
	}
	if (at == text || *at)
		assay_die("%s '%s' is not a whole number", what, text);
	return value;
}

/* Advances a text past a prefix, if it begins with it. */
static bool behind(const char **text, const char *start)
{
	const char *at = *text;

	for (; *start; start++, at++) {
		if (*at != *start)
			return false;
	}
	*text = at;
	return true;
}

static const struct assay_key *key_named(const char *name)
{
	for (unsigned int i = 0; i < assay_hotpath.keys_count; i++) {
		if (assay_equal(assay_hotpath.keys[i].name, name))
			return &assay_hotpath.keys[i];
	}
	return NULL;
}

static _Noreturn void bad_key(const char *name)
{
	struct assay_text known = { .used = 0 };

	for (unsigned int i = 0; i < assay_hotpath.keys_count; i++) {
		const struct assay_key *key = &assay_hotpath.keys[i];

		assay_text_add(&known, " %s (%llu to %llu)", key->name, (unsigned long long)key->min,
			       (unsigned long long)key->max);
	}
	assay_die("case of %s has no key '%s'; keys:%s", assay_hotpath.name, name, known.bytes);
}

/* `part` is KEY=VALUE and is cut in two in place. Sets the key's bit in `given`. */
static void set_key(char *part, uint64_t *given)
{
	const struct assay_key *key;
	uint64_t value, bit;
	char *equals = part;

	while (*equals && *equals != '=')
		equals++;
	if (!*equals)
		assay_die("'%s' in the case is not KEY=NUMBER", part);
	*equals = '\0';
	key = key_named(part);
	if (!key)
		bad_key(part);
	bit = (uint64_t)1 << (key - assay_hotpath.keys);
	value = number(equals + 1, part);
	if (*given & bit)
		assay_die("the case gives %s twice", part);
	if (value < key->min || value > key->max)
		assay_die("%s=%llu is outside %llu to %llu", part, (unsigned long long)value, (unsigned long long)key->min,
			  (unsigned long long)key->max);
	*key->value = value;
	*given |= bit;
}

/* The argument may be modified: it lies in the initial stack. */
static void set_case(char *text)
{
	uint64_t given = 0;
	char *part = text;

	for (char *at = text;; at++) {
		char c = *at;

		if (c != ',' && c != '\0')
			continue;
		*at = '\0';
		set_key(part, &given);
		part = at + 1;
		if (c == '\0')
			break;
	}
	for (unsigned int i = 0; i < assay_hotpath.keys_count; i++) {
		const struct assay_key *key = &assay_hotpath.keys[i];

		if (given >> i & 1)
			continue;
		if (!key->optional)
			assay_die("the case lacks the key %s", key->name);
		*key->value = key->fallback;
	}
}

/*
 * The token proves that the runner wrote a line: the variant may write to standard output and end the process, too. So it
 * is removed from the initial stack, where every program could find it.
 */
static int check(char *token, int count, char **words)
{
	static struct assay_text shown;
	bool quick = false;

	assay_text_add(&shown, "%s", token);
	for (; *token; token++)
		*token = 0;
	for (int i = 0; i < count; i++) {
		const char *value = words[i];

		if (assay_equal(value, "quick"))
			quick = true;
		else if (behind(&value, "seed="))
			assay_random_seed(number(value, "seed"));
		else if (behind(&value, "call="))
			assay_call_wanted(number(value, "call"), shown.bytes);
		else
			assay_die("check takes quick, seed=N and call=N, not '%s'", value);
	}
	assay_watchdog_start();
	assay_hotpath.check(quick);
	assay_call_reached();
	assay_checked(shown.bytes);
}

static int run(char *case_text, const char *iterations_text)
{
	static struct assay_text shown;
	uint64_t iterations = number(iterations_text, "ITERATIONS");

	assay_text_add(&shown, "%s", case_text);
	set_case(case_text);
	assay_hotpath.set_up();
	assay_case("run %s", shown.bytes);
	/* A hot path's loop calls before it counts. */
	assay_print("result 0x%llx\n", (unsigned long long)(iterations ? assay_bench(iterations) : 0));
	return assay_hotpath.held_up && assay_hotpath.held_up() ? EXIT_HELD_UP : EXIT_FINE;
}

static int time(char *case_text, const char *iterations_text, const char *samples_text)
{
	static struct assay_text shown;
	uint64_t iterations = number(iterations_text, "ITERATIONS");
	uint64_t samples = number(samples_text, "SAMPLES");

	if (iterations == 0 || samples == 0)
		assay_die("ITERATIONS and SAMPLES must be at least 1");
	assay_text_add(&shown, "%s", case_text);
	set_case(case_text);
	assay_hotpath.set_up();
	assay_case("time %s", shown.bytes);
	return assay_time(iterations, samples);
}

static int verb(int count, char **words)
{
	if (count >= 3 && assay_equal(words[1], "check"))
		return check(words[2], count - 3, words + 3);
	if (count == 4 && assay_equal(words[1], "run"))
		return run(words[2], words[3]);
	if (count == 5 && assay_equal(words[1], "time"))
		return time(words[2], words[3], words[4]);
	assay_die("usage: check TOKEN [quick] [seed=N] [call=N] | run CASE ITERATIONS | time CASE ITERATIONS SAMPLES");
}

/* Called by arch/<arch>/entry.S with the initial stack pointer. */
_Noreturn void assay_main(uintptr_t *stack);
_Noreturn void assay_main(uintptr_t *stack)
{
	assay_auxiliary_read(stack);
	assay_crash_handler_install();
	assay_exit(verb((int)stack[0], (char **)(stack + 1)));
}
