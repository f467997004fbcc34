/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * time by the library's reader.
 *
 * assay-about: the library's reader, as in the vDSO images
 */
#include "readers/time.h"
