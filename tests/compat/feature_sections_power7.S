/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections resolved for POWER7: see feature_sections.h.
 *
 * assay-requires: power7
 */
#define WANTED (1 + 8 + 32 + 128)
#include "feature_sections.h"
