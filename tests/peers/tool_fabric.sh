# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# rdmsr, wrmsr: counters of AMD's data fabric and memory controllers, programmed by hand on a CPU of each socket of a machine
# whose time stands still.
. tests/peers/lib.sh
. tests/peers/fabric.sh

second() {
	truth >"$T/before"
	step 1
	truth >"$T/after"
}
for s in $sockets; do echo "$s $(cpu_of "$s")"; done >"$T/cpus"
# The numbers of the channels that have memory: they move something.
step 1
numbers=$(jq -r '.channels | map(select(.socket == 0 and .read_bytes > 0).channel) | sort[]' "$mnt/truth.json")
channels=$(echo "$numbers" | wc -l)
number() { echo "$numbers" | sed -n "$(($1 + 1))p"; } # of the Nth channel

# fabric CPU COUNTER CONTROL: it counts that, from nothing.
fabric() {
	wrmsr -p "$1" "$(fabric_ctl "$2")" 0
	wrmsr -p "$1" "$(fabric_ctr "$2")" 0
	wrmsr -p "$1" "$(fabric_ctl "$2")" "$3"
}
# Event 7 + 40h per channel, mask 38h, both directions; of PerfMonV2 event 1fh + 40h per channel, mask ffeh what was read by both
# sockets, fffh what was written.  Bits 11:8 of the event are in 35:32, those of the mask in 27:24.
control() { # NUMBER DIRECTION
	case $model in
	zen2 | zen3) event=$((0x07 + 0x40 * $1)) mask=0x38 ;;
	*) event=$((0x1f + 0x40 * $1)) mask=$([ "$2" = read ] && echo 0xffe || echo 0xfff) ;;
	esac
	printf '0x%x' $((event >> 8 << 32 | mask >> 8 << 24 | 1 << 22 | (mask & 0xff) << 8 | (event & 0xff)))
}

# ---- data fabric: so many channels at once as there are counters

case $model in
zen2 | zen3) directions=both n_counters=4 ;;
*) directions="read written" n_counters=16 ;;
esac
row wrmsr "control of channel 0" "$(control 0 read)" "$(case $model in zen2 | zen3) echo 0x403807 ;; *) echo 0xf40fe1f ;; esac)" =
for direction in $directions; do
	first=0
	while [ $first -lt "$channels" ]; do
		last=$((first + n_counters < channels ? first + n_counters : channels))
		while read -r socket cpu; do
			for n in $(seq $first $((last - 1))); do fabric "$cpu" $((n - first)) "$(control "$(number "$n")" "$direction")"; done
			row rdmsr "socket $socket control of channel $(number "$first")" "0x$(rdmsr -p "$cpu" "$(fabric_ctl 0)")" \
				"$(control "$(number "$first")" "$direction")" =
		done <"$T/cpus"
		second
		while read -r socket cpu; do
			for n in $(seq $first $((last - 1))); do
				row rdmsr "socket $socket fabric channel $(number "$n") $direction" "$(rdmsr -u -p "$cpu" "$(fabric_ctr $((n - first)))")" \
					"$(moved "$socket" "$(number "$n")" "$direction")" 0
			done
		done <"$T/cpus"
		first=$last
	done
done

# They wrap at 48 bits, reach only their socket, and stand still without the enable bit.
fabric 0 0 "$(control "$(number 0)" both)"
wrmsr -p 0 "$(fabric_ctr 0)" 0xfffffffffffb
fabric 0 1 "$(printf '0x%x' $(($(control "$(number 0)" both) & ~(1 << 22))))"
second
direction=${directions##* }
row rdmsr "fabric counter from 2^48 - 5" "$(rdmsr -u -p 0 "$(fabric_ctr 0)")" "$(($(moved 0 "$(number 0)" "$direction") - 5))" 0
row rdmsr "fabric counter without its enable bit" "$(rdmsr -u -p 0 "$(fabric_ctr 1)")" 0 0
while read -r _ cpu; do
	for n in $(seq 0 $((n_counters - 1))); do
		wrmsr -p "$cpu" "$(fabric_ctl "$n")" 0
		wrmsr -p "$cpu" "$(fabric_ctr "$n")" 0
	done
done <"$T/cpus"
row rdmsr "status for a counter that is not there" "$(status rdmsr -p 0 "$(fabric_ctl $n_counters)")" 4 =

# ---- memory controllers: four counters each, bit 31 enables, bits 9:8 are the direction of event 0ah (CAS)

umc_ctl() { printf '0x%x' $((0xc0010800 + 8 * $1 + 2 * $2)); } # UMC COUNTER
umc_ctr() { printf '0x%x' $((0xc0010801 + 8 * $1 + 2 * $2)); }
case $model in
zen2 | zen3) row rdmsr "status for UMC counters, which are not there" "$(status rdmsr -p 0 0xc0010800)" 4 = ;;
*)
	while read -r socket cpu; do
		for n in $(seq 0 $((channels - 1))); do
			wrmsr -p "$cpu" "$(umc_ctl "$n" 0)" 0x8000010a
			wrmsr -p "$cpu" "$(umc_ctl "$n" 1)" 0x8000020a
			wrmsr -p "$cpu" "$(umc_ctl "$n" 3)" 0x8000000a
		done
		row rdmsr "socket $socket UMC $(number 0) control" "$(rdmsr -p "$cpu" 0xc0010800)" 8000010a =
	done <"$T/cpus"
	second
	while read -r socket cpu; do
		for n in $(seq 0 $((channels - 1))); do
			row rdmsr "socket $socket UMC $(number "$n") CAS read" \
				"$(rdmsr -u -p "$cpu" "$(umc_ctr "$n" 0)")" "$(moved "$socket" "$(number "$n")" read)" 0
			row rdmsr "socket $socket UMC $(number "$n") CAS written" \
				"$(rdmsr -u -p "$cpu" "$(umc_ctr "$n" 1)")" "$(moved "$socket" "$(number "$n")" written)" 0
			row rdmsr "socket $socket UMC $(number "$n") CAS" \
				"$(rdmsr -u -p "$cpu" "$(umc_ctr "$n" 3)")" "$(moved "$socket" "$(number "$n")" both)" 0
			row rdmsr "socket $socket UMC $(number "$n"), a counter not in use" "$(rdmsr -u -p "$cpu" "$(umc_ctr "$n" 2)")" 0 0
		done
	done <"$T/cpus"
	# They do not wrap: bit 48 says that it was too much, and they stay there.
	wrmsr -p 0 "$(umc_ctr 0 0)" 0xfffffffffffb
	step 1
	full=$(rdmsr -p 0 "$(umc_ctr 0 0)")
	row rdmsr "UMC counter from 2^48 - 5: bit 48" "$(rdmsr -p 0 -f 48:48 "$(umc_ctr 0 0)")" 1 =
	step 1
	row rdmsr "the same a second later" "$(rdmsr -p 0 "$(umc_ctr 0 0)")" "$full" =
	row rdmsr "status beyond the last UMC" "$(status rdmsr -p 0 "$(umc_ctl "$channels" 0)")" 4 =
	while read -r _ cpu; do
		for n in $(seq 0 $((channels - 1))); do
			for counter in 0 1 3; do
				wrmsr -p "$cpu" "$(umc_ctl "$n" $counter)" 0
				wrmsr -p "$cpu" "$(umc_ctr "$n" $counter)" 0
			done
		done
	done <"$T/cpus"
	;;
esac
row wrmsr "rules that the machine saw broken" "$(jq .count "$mnt/violations.json")" 0 =
