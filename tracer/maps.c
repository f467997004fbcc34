// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The files that are mapped into this process, QEMU and the guest, as /proc/self/maps lists them.

#include "tracer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Linux writes a line feed in a path as \012, and nothing else in another way than it is.
static void restore_line_feeds(char *path)
{
	for (char *at; (at = strstr(path, "\\012")); path = at + 1) {
		*at = '\n';
		memmove(at + 1, at + 4, strlen(at + 4) + 1);
	}
}

bool maps_visit(bool (*visit)(const struct mapping *mapping, void *data), void *data)
{
	char *text = files_maps(), *rest = NULL;
	bool could_read = text, more = true;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && more; line = strtok_r(NULL, "\n", &rest)) {
		struct mapping mapping = { .path = "" };
		int path_at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &mapping.first, &mapping.end,
			   &mapping.offset, &path_at) < 3)
			continue;
		if (path_at && line[path_at] == '/') {
			restore_line_feeds(line + path_at);
			mapping.path = line + path_at;
		}
		more = visit(&mapping, data);
	}
	free(text);
	return could_read;
}
