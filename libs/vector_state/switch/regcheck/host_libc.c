// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* regcheck as a program with a libc: what adapters of other libraries need. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void regcheck_write(const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t count = write(STDOUT_FILENO, text, left);

		if (count <= 0)
			exit(2);
		text += count;
		left -= (size_t)count;
	}
}

int main(int argc, char **argv)
{
	return regcheck_main(argc, argv);
}
