# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# With the kernel's driver loaded, which no process uses, all is as without.
. tests/vm/judge_alone.sh
