# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The kernel is locked down, and registers in memory cannot even be read.
. /guest/lib.sh

modprobe intel_uncore
echo integrity >/sys/kernel/security/lockdown
said mem uncorectl mem -n 1
said list uncorectl list
said doctor uncorectl doctor
perf_stat -- sleep 0.5
