# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "ours ends by the signal, when all is put back" "$(left mem.rc)" 143
at_once perf.csv mem.csv
