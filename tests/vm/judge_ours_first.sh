# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

follow all
# Where the driver's frz has an effect, it stops ours too, while it adds its events and takes them away.
case $machine in *frz_en=rw*) how=counted ;; *) how=undisturbed ;; esac
is "ours ends by the signal, when all is put back" "$(left mem.rc)" 143
$how perf "$(perf_counts perf.csv)" $((2 * channels))
$how ours "$(our_counts mem.csv)" $((2 * channels))
