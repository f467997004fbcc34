/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections resolved for POWER9: see feature_sections.h.
 *
 * assay-requires: power9
 */
#define WANTED (1 + 4 + 32 + 64)
#include "feature_sections.h"
