# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A program that does not look at the highest leaf would see 832 RMIDs here.
. tests/vm/lib.sh

is "the highest leaf is 0xd" "$(left leaf0 | awk '{ print $1 }')" 0000000d
has "leaf 0xf answers all the same" "$(left leaf15)" 00000340
is "llc is not for this machine" "$(left llc.rc)" 3
has "and says why" "$(left llc.err)" "this CPU does not monitor its caches: CPUID leaf 0xf lies beyond its highest leaf 0xd"
is "llc prints nothing" "$(left llc.out)" ""
has "list says it too" "$(left list.out | tr -s ' \n' ' ')" "no monitoring (CMT, MBM): CPUID leaf 0xf lies beyond its highest leaf 0xd"
