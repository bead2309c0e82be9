# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# perf alone.
. /guest/lib.sh

modprobe intel_uncore
perf_stat -- sleep 1
