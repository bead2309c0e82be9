# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "ours ends well" "$(left mem.rc)" 0
at_once perf.csv mem.csv
