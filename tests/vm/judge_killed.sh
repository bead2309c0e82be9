# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

check "ours undisturbed when it was killed" [ "$(left counting)" != "$(left left)" ]
is "recover puts all back" "$(left recover.rc)" 0
same "perf's controls and ours are as before ours began" counting after
is "nothing is left to recover" "$(left again.rc)" 0
follow all
$how perf "$(perf_counts perf.csv)" $((2 * channels))
legal
