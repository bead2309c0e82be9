# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests/peers/tool_*.sh, behind lib.sh: pqos on its MSR interface, and uncorectl on the same machine.

# The L3 of a CPU, and the CPUs that are online, "L3 CPU" each, by L3.
l3_of() { cat "/sys/devices/system/cpu/cpu$1/cache/index3/id"; }
l3_cpus() {
	for dir in "$mnt"/dev/cpu/[0-9]*; do
		cpu=${dir##*/}
		echo "$(l3_of "$cpu") $cpu"
	done | sort -k 1,1n -k 2,2n
}
# The Nth CPU of the first two L3s, from 1; 0: the last.
nth_cpus() {
	awk -v nth="$1" '!($1 in n) { l3s[n_l3s++] = $1 } { cpus[$1, ++n[$1]] = $2 }
		END { for (i = 0; i < n_l3s && i < 2; i++) print cpus[l3s[i], nth ? nth : n[l3s[i]]] }' "$T/l3_cpus"
}
# "CPU L3 RMID" of CPUs.
carried() {
	for cpu in "$@"; do
		echo "$cpu $(l3_of "$cpu") $(($(rdmsr -p "$cpu" -u 0xc8f) & 0xffffffff))"
	done
}
l3_cpus >"$T/l3_cpus"

# Bytes of a counter's unit, what there is to be counted, and how wide pqos takes a counter for (CPUID 0xF.1).
# shellcheck disable=SC2046 # four words
set -- $("$asif" "$mnt" "$B/tests/peers/whoami" cpuid 0xf 1)
# shellcheck disable=SC2034 # for those who take this in
scale=$((0x$2)) events=$((0x$4)) bits=$((24 + (0x$1 & 0x7f)))

# Its interval, the shortest.  It ends when it was halted for a hundred of them, and a zen5's 4096 RMIDs take long.
case $model in
zen5) tenths=5 interval=0.5 ;;
*) tenths=1 interval=0.1 ;;
esac
pqos_asks() { echo --iface=msr --disable-mon-ipc --disable-mon-llc_miss -i $tenths -u csv; }
# pqos_start WHAT: it watches until pqos_end.  What it writes is in $T/csv, what it says in $T/out.
pqos_start() {
	rm -f "$T/csv" "$T/pid"
	# shellcheck disable=SC2016,SC2046 # of the shell that becomes pqos; words
	timeout -k 1 120 "$asif" "$mnt" sh -c 'echo $$ >"$0"; exec pqos "$@"' "$T/pid" $(pqos_asks) -m "$1" -o "$T/csv" >"$T/out" 2>&1 &
	pqos_job=$!
}
pqos_end() {
	kill "$pqos_job"
	pqos_rc=0
	wait "$pqos_job" || pqos_rc=$?
}
pqos_lines() {
	lines=$(grep -c '^20' "$T/csv" 2>/dev/null) || :
	echo "${lines:-0}"
}
pqos_told() { [ "$(pqos_lines)" -ge "$1" ]; } # LINES
# pqos_tells LINES: waits until it has told so many more.
pqos_tells() {
	seen=$(pqos_lines)
	until_it pqos_told $((seen + $1))
}
# It is halted between two looks: right behind one.
pqos_halt() {
	seen=$(pqos_lines)
	for _ in $(seq 2000); do
		[ "$(pqos_lines)" = "$seen" ] || break
		sleep 0.01
	done
	kill -STOP "$(cat "$T/pid")"
}
pqos_go_on() { kill -CONT "$(cat "$T/pid")"; }

# uncorectl on the machine's files, with its time; and with what pqos leaves in /var/lock.
tree=$T/tree
mkdir -p "$tree/dev" "$tree/sys" "$tree/proc" "$tree/var/lock"
: >"$tree/clock"
for folder in dev sys proc clock; do mount --bind "$mnt/$folder" "$tree/$folder"; done
mount --bind /run/lock "$tree/var/lock"
llc() { timeout -k 1 120 "$B/uncorectl" --trace "$T/trace" --machine "root:$tree" llc "$@"; }
# of_llc GROUP L3 FIELD: what the last record of that group in $T/json says, "-" if nothing; a list with semicolons.
of_llc() {
	jq -r --arg group "$1" --argjson l3 "$2" --arg field "$3" \
		'select(.group == $group and .l3 == $l3) | .[$field] // "-" | if type == "array" then join(";") else . end' "$T/json" | tail -n 1
}
