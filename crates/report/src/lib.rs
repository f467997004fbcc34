// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! One report model and its renderers.

pub mod record;
