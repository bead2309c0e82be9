# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

n=$(($(buses | wc -l) * 2 * $(grep -c '"pci"' "$T/truth") / $(buses | wc -l)))
follow
counted perf "$(perf_counts perf.csv)" "$n"
