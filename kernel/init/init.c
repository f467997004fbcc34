/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first process of a kernel that Assay boots: mounts what programs expect, loads modules, runs one program, passes
 * on its output, reports how it ended and powers off.
 *
 * /assay/run has the orders, words that each end with a zero byte: the mark of our records, the number of modules and
 * their paths, the number of files of /sys and /proc to report once the modules are loaded and their paths, the number
 * of the program's words and these. crates/kernel/src/console.rs describes the records and parses them. The program's
 * streams are pipes and no terminal, so its output only reaches the console in records.
 *
 * A waiter process between init and the program writes the program's status into a pipe. So init waits in one place,
 * for three pipes: it needs no signals, and takes no time from the program by polling.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "freestanding.h"

enum { O_RDWR = 2, O_CLOEXEC = 02000000, POLL_IN = 1, POLL_ENDED = 8 | 16 };
enum { CONFIGURATION_BYTES_MAX = 1 << 16, WORDS_MAX = 4096, LINE_BYTES_MAX = 2000 };

/* At most this much of each of the program's streams is passed on, since a console is slow. */
enum { STREAM_BYTES_MAX = 2 << 20 };

/* ------------------------------------------------------------------ records */

static const char *mark = "";
static uint32_t records;

static char *put_hex(char *at, uint32_t value, int digits)
{
	for (int digit = digits - 1; digit >= 0; digit--)
		*at++ = "0123456789abcdef"[value >> 4 * digit & 15];
	return at;
}

static void record(char kind, const char *text, size_t bytes)
{
	static char line[LINE_BYTES_MAX + 100];
	uint32_t first = (uint32_t)(unsigned char)kind + records % 251, second = 0;
	char *at = line;

	for (size_t i = 0; i < bytes; i++) {
		first = (first + (unsigned char)text[i]) % 255;
		second = (second + first) % 255;
	}
	*at++ = '@';
	at = put_text(at, mark);
	*at++ = ' ';
	*at++ = kind;
	*at++ = ' ';
	at = put_hex(at, records++, 8);
	*at++ = ' ';
	at = put_hex(at, second << 8 | first % 255, 4);
	*at++ = ' ';
	memcpy(at, text, bytes);
	at += bytes;
	*at++ = '\n';
	for (const char *from = line; from < at;) {
		long written = CALL(ASSAY_SYS_WRITE, 1, from, at - from);

		if (written <= 0)
			return;
		from += written;
	}
}

/* A PC is powered off by ACPI, which a small kernel lacks, so the call would only halt it; a reset ends QEMU as well. */
#ifdef __x86_64__
enum { POWER_OFF = 0x01234567 };
#else
enum { POWER_OFF = 0x4321fedc };
#endif

static _Noreturn void power_off(void)
{
	for (;;)
		(void)CALL(SYS_REBOOT, 0xfee1dead, 672274793, POWER_OFF, 0);
}

/* Sent twice under one number, in case a kernel's message is printed into one of them. */
static _Noreturn void ended(const char *how, long number)
{
	char text[64], *end = put_number(put_text(text, how), (uint64_t)number);

	record('x', text, (size_t)(end - text));
	records--;
	record('x', text, (size_t)(end - text));
	power_off();
}

/* ------------------------------------------------------------------ the configuration */

static char configuration[CONFIGURATION_BYTES_MAX];
static char *modules[WORDS_MAX], *told[WORDS_MAX], *words[WORDS_MAX + 1];
static size_t modules_count, told_count;

static char *next_word(char *at)
{
	return at + text_length(at) + 1;
}

static size_t number_word(const char *text)
{
	size_t value = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (size_t)(*text - '0');
	return value < WORDS_MAX ? value : WORDS_MAX;
}

static char *take_words(char *at, char **list, size_t *count)
{
	*count = number_word(at);
	at = next_word(at);
	for (size_t i = 0; i < *count; i++) {
		list[i] = at;
		at = next_word(at);
	}
	return at;
}

static void read_configuration(void)
{
	size_t have = 0, words_count;
	long file = CALL(SYS_OPENAT, AT_FDCWD, "/assay/run", O_CLOEXEC);

	/* The last byte stays zero. */
	while (file >= 0 && have < sizeof(configuration) - 1) {
		long got = CALL(SYS_READ, file, configuration + have, sizeof(configuration) - 1 - have);

		if (got <= 0)
			break;
		have += (size_t)got;
	}
	mark = configuration;
	char *at = take_words(next_word(configuration), modules, &modules_count);

	take_words(take_words(at, told, &told_count), words, &words_count);
	words[words_count] = NULL;
}

/* ------------------------------------------------------------------ the system */

/* Turns on the JIT: some architectures' kernels have one and start with it off (riscv). */
static void compile_bpf(void)
{
	long file = CALL(SYS_OPENAT, AT_FDCWD, "/proc/sys/net/core/bpf_jit_enable", O_RDWR | O_CLOEXEC);

	if (file >= 0) {
		(void)CALL(ASSAY_SYS_WRITE, file, "1", 1);
		(void)CALL(SYS_CLOSE, file);
	}
}

/* Reports a file of /sys or /proc: its path and its first line, which is empty if there is no such file. */
static void tell_file(const char *path)
{
	char text[LINE_BYTES_MAX], *end = put_text(text, path);
	long file = CALL(SYS_OPENAT, AT_FDCWD, path, O_CLOEXEC), got = 0;

	*end++ = ' ';
	if (file >= 0)
		got = CALL(SYS_READ, file, end, text + sizeof(text) - end);
	(void)CALL(SYS_CLOSE, file);
	for (; got > 0 && *end != '\n'; got--)
		end++;
	record('f', text, (size_t)(end - text));
}

/* Errors are ignored: the program does without what this kernel lacks. */
static void prepare_system(void)
{
	static const char *const mounts[][2] = {
		{ "/proc", "proc" },
		{ "/sys", "sysfs" },
		{ "/tmp", "tmpfs" },
		{ "/dev/shm", "tmpfs" },
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		(void)CALL(SYS_MKDIRAT, AT_FDCWD, mounts[i][0], 0777);
		(void)CALL(SYS_MOUNT, mounts[i][1], mounts[i][0], mounts[i][1], 0, 0);
	}
	compile_bpf();
	for (size_t i = 0; i < modules_count; i++) {
		char text[LINE_BYTES_MAX], *end;
		long file = CALL(SYS_OPENAT, AT_FDCWD, modules[i], O_CLOEXEC);
		long error = file < 0 ? file : CALL(SYS_FINIT_MODULE, file, "", 0);

		(void)CALL(SYS_CLOSE, file);
		end = put_number(text, (uint64_t)-error);
		*end++ = ' ';
		end = put_text(end, modules[i]);
		record('m', text, (size_t)(end - text));
	}
	for (size_t i = 0; i < told_count; i++)
		tell_file(told[i]);
}

static _Noreturn void run_program(const int streams[2][2], int started_pipe)
{
	static char *const environment[] = { "PATH=/bin", "HOME=/", "TERM=dumb", "LC_ALL=C", NULL };
	long null = CALL(SYS_OPENAT, AT_FDCWD, "/dev/null", O_RDWR), error;

	(void)CALL(SYS_SETSID, 0);
	(void)CALL(SYS_DUP3, null, 0, 0);
	(void)CALL(SYS_DUP3, streams[0][1], 1, 0);
	(void)CALL(SYS_DUP3, streams[1][1], 2, 0);
	error = CALL(SYS_EXECVE, words[0], words, environment);
	(void)CALL(ASSAY_SYS_WRITE, started_pipe, &error, sizeof(error));
	for (;;)
		(void)CALL(ASSAY_SYS_EXIT_GROUP, 127);
}

/* The program's wait status, or its error number if it could not be started. */
struct ending {
	int32_t not_started;
	int32_t value;
};

static _Noreturn void wait_for_program(const int streams[2][2], int status_pipe)
{
	struct ending ending = { 0, 0 };
	int started[2];
	long child, error = 0;

	(void)CALL(SYS_PIPE2, started, O_CLOEXEC);
	child = CALL(SYS_CLONE, SIGNAL_CHILD, 0, 0, 0, 0);
	if (child == 0)
		run_program(streams, started[1]);
	(void)CALL(SYS_CLOSE, started[1]);
	(void)CALL(SYS_CLOSE, streams[0][1]);
	(void)CALL(SYS_CLOSE, streams[1][1]);
	/* If execve succeeded, it has closed the pipe, and the read only finds its end. */
	if (child < 0 || CALL(SYS_READ, started[0], &error, sizeof(error)) == (long)sizeof(error)) {
		ending.not_started = 1;
		ending.value = (int32_t)-(child < 0 ? child : error);
	} else {
		int32_t status = 0;

		while (CALL(SYS_WAIT4, child, &status, 0, 0) != child)
			;
		ending.value = status;
	}
	(void)CALL(ASSAY_SYS_WRITE, status_pipe, &ending, sizeof(ending));
	for (;;)
		(void)CALL(ASSAY_SYS_EXIT_GROUP, 0);
}

/* ------------------------------------------------------------------ what the program says */

static struct stream {
	int from;
	char kind;
	size_t passed, dropped, have;
	char line[LINE_BYTES_MAX];
} streams_read[2];

static void pass_on(struct stream *stream, char kind)
{
	if (stream->passed < STREAM_BYTES_MAX)
		record(kind, stream->line, stream->have);
	else
		stream->dropped += stream->have;
	stream->passed += stream->have + 1;
	stream->have = 0;
}

static bool read_stream(struct stream *stream)
{
	static char chunk[16384];
	long got = CALL(SYS_READ, stream->from, chunk, sizeof(chunk));

	for (long i = 0; i < got; i++) {
		if (chunk[i] == '\n') {
			pass_on(stream, stream->kind);
			continue;
		}
		stream->line[stream->have++] = chunk[i];
		if (stream->have == sizeof(stream->line))
			pass_on(stream, (char)(stream->kind - 32));
	}
	return got > 0;
}

static void finish_stream(struct stream *stream)
{
	if (stream->have)
		pass_on(stream, (char)(stream->kind - 32));
	if (stream->dropped) {
		char text[80], *end = put_text(put_number(put_text(text, "[cut here: "), stream->dropped), " bytes more]");

		record(stream->kind, text, (size_t)(end - text));
	}
}

struct poll {
	int fd;
	int16_t wanted, found;
};

/*
 * Passes on output until the program has ended and no more is there; processes that it has left behind may keep the
 * pipes open.
 */
static struct ending pass_streams(int status_pipe)
{
	struct ending ending = { 1, 0 };
	bool over = false;

	for (;;) {
		struct poll polls[3] = { { streams_read[0].from, POLL_IN, 0 },
					 { streams_read[1].from, POLL_IN, 0 },
					 { over ? -1 : status_pipe, POLL_IN, 0 } };
		long now[4] = { 0, 0, 0, 0 };
		bool any = false;

		if (CALL(SYS_PPOLL, polls, 3, over ? (uintptr_t)now : 0, 0, 0) < 0)
			return ending;
		for (int i = 0; i < 2; i++) {
			if (polls[i].found & POLL_IN && read_stream(&streams_read[i]))
				any = true;
			else if (polls[i].found)
				streams_read[i].from = -1;
		}
		if (!any && over)
			return ending;
		if (polls[2].found) {
			(void)CALL(SYS_READ, status_pipe, &ending, sizeof(ending));
			over = true;
		}
	}
}

_Noreturn void assay_main(uintptr_t *stack)
{
	int streams[2][2], status_pipe[2];
	struct ending ending;
	long waiter;

	(void)stack;
	read_configuration();
	prepare_system();
	record('b', "", 0);
	if (!words[0])
		ended("exit ", 0);
	(void)CALL(SYS_PIPE2, streams[0], O_CLOEXEC);
	(void)CALL(SYS_PIPE2, streams[1], O_CLOEXEC);
	(void)CALL(SYS_PIPE2, status_pipe, O_CLOEXEC);
	waiter = CALL(SYS_CLONE, SIGNAL_CHILD, 0, 0, 0, 0);
	if (waiter == 0)
		wait_for_program((const int(*)[2])streams, status_pipe[1]);
	(void)CALL(SYS_CLOSE, streams[0][1]);
	(void)CALL(SYS_CLOSE, streams[1][1]);
	(void)CALL(SYS_CLOSE, status_pipe[1]);
	streams_read[0] = (struct stream){ .from = streams[0][0], .kind = 'o' };
	streams_read[1] = (struct stream){ .from = streams[1][0], .kind = 'e' };
	ending = pass_streams(status_pipe[0]);
	finish_stream(&streams_read[0]);
	finish_stream(&streams_read[1]);
	if (waiter < 0 || ending.not_started)
		ended("error ", waiter < 0 ? -waiter : ending.value);
	if (ending.value & 0x7f)
		ended("signal ", ending.value & 0x7f);
	ended("exit ", ending.value >> 8 & 0xff);
}
