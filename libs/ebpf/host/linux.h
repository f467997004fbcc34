/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What host/linux.c gives to a program without a libc. */
#ifndef EBPF_HOST_LINUX_H
#define EBPF_HOST_LINUX_H

#include "host.h"

/* The program. Returns the exit status. */
int linux_main(int argc, char **argv);

size_t linux_strlen(const char *text);
bool linux_same(const char *a, const char *b);
void linux_write(int descriptor, const char *text);
/* Bytes read, 0 at the end, negative errno. */
long linux_read(int descriptor, void *buffer, size_t bytes);
/* Cleared pages, or NULL. */
void *linux_map(size_t bytes);
void linux_unmap(void *memory, size_t bytes);

#endif
