// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/check.h"

const struct unc_check_theme unc_check_behaviour = {NULL, 0};
