# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The kernel is locked down, which lasts until it is started again.
. /guest/lib.sh

echo integrity >/sys/kernel/security/lockdown
controls >before
said setpci poke "$(channels | head -n 1)" ctl3 0
said mem uncorectl mem -n 1
said list uncorectl list
said doctor uncorectl doctor
controls >after
# perf's driver is the kernel, and to look is permitted.
perf_begin
said observe uncorectl mem --observe -i 0.5 -n 2 --format csv
perf_end
