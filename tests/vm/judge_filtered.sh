# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

has "the msr driver refuses wrmsr" "$(left wrmsr.err)" "Operation not permitted"
is "a raw write is not permitted" "$(left raw.rc)" 4
has "and the filter is named as the cause" "$(left raw.err)" "the msr driver filters writes: \`echo on > /sys/module/msr/parameters/allow_writes\`"
is "mem needs no MSR" "$(left mem.rc)" 0
has "doctor names the filter" "$(left doctor.out | tr -s ' \n' ' ')" "note msr writes the msr driver refuses every write: no cache can be monitored seen /sys/module/msr/parameters/allow_writes: off"
