# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

n=$((2 * $(grep -c '"pci"' "$T/truth")))
follow
is "ours ends well" "$(left mem.rc)" 0
counted perf "$(perf_counts perf.csv)" $n
counted ours "$(our_counts mem.csv)" $n
