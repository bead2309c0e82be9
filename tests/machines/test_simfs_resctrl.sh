# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A mounted machine whose kernel has resctrl: its files, beside the registers of the same machine.
. tests/lib.sh
. tests/mounted.sh

machine=sim:bdx,sockets=1,cores=2,clock=step,resctrl=on,resctrl_hw_id=on
if ! mount_machine "$machine,resctrl_group=jobs:5:1,resctrl_group=jobs/mon_groups/one:7:"; then
	unmount
	skip "a machine with resctrl is mounted" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
resctrl=$mnt/sys/fs/resctrl
is "it is mounted there, too" "$(cat "$mnt/proc/mounts")" "resctrl /sys/fs/resctrl resctrl rw,relatime,debug 0 0"
is "groups are folders" "$(cd "$resctrl" && find . -path '*mon_L3*' -prune -o -type d -print | LC_ALL=C sort | tr '\n' ' ')" \
	". ./info ./info/L3_MON ./jobs ./jobs/mon_data ./jobs/mon_groups ./jobs/mon_groups/one ./jobs/mon_groups/one/mon_data ./mon_data ./mon_groups "
is "which have an RMID" "$(cat "$resctrl/jobs/mon_hw_id") $(cat "$resctrl/jobs/mon_groups/one/mon_hw_id")" "5 7"
is "and CPUs" "$(cat "$resctrl/cpus_list") $(cat "$resctrl/jobs/cpus_list")" "0,2-3 1"
is "that carry it" "$(dd if="$mnt/dev/cpu/1/msr" iflag=skip_bytes skip=3215 bs=8 count=1 2>"$T/dd" | od -An -tx8 | tr -d ' ')" \
	0000000100000005
total=$resctrl/jobs/mon_data/mon_L3_00/mbm_total_bytes
before=$(cat "$total")
echo 5000000000 >"$mnt/clock"
check "what they move is counted" [ "$(cat "$total")" -gt "$before" ]
run sh -c "echo 0 >$resctrl/jobs/cpus_list"
has "nothing there can be changed" "$err" "enied"
unmount

mount_machine sim:bdx,sockets=1,cores=2 || not_ok "a machine without resctrl is mounted" "$(cat "$T/server")"
check "without resctrl there is no such folder" [ ! -e "$mnt/sys/fs/resctrl" ]
check "and no list of mounts" [ ! -e "$mnt/proc/mounts" ]
unmount
