/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections resolved for POWER8: see feature_sections.h.
 *
 * assay-requires: power8
 */
#define WANTED (1 + 4 + 16 + 32 + 128)
#include "feature_sections.h"
