/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections resolved for POWER10: see feature_sections.h.
 *
 * assay-requires: power10
 */
#define WANTED (1 + 4 + 256)
#include "feature_sections.h"
