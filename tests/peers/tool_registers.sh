# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# setpci, lspci, rdmsr, wrmsr: registers as the machine has them, on a machine whose time stands still.
. tests/peers/lib.sh

config() { echo "$mnt/sys/bus/pci/devices/$1/config"; }
# Their numbers of 64 bits do not fit awk's.
sum64() { echo $((0x$2 << 32 | 0x$1)); }

# ---- configuration space

row lspci "functions, class, vendor, device (md5)" "$(lspci -D -n | awk '{ print $1, $2, $3 }' | sort | md5sum | cut -c1-12)" "$(
	for device in "$mnt"/sys/bus/pci/devices/*; do
		read -r class <"$device/class"
		read -r vendor <"$device/vendor"
		read -r id <"$device/device"
		class=${class#0x}
		echo "${device##*/} ${class%??}: ${vendor#0x}:${id#0x}"
	done | sort | md5sum | cut -c1-12
)" =

for address in $(truth | awk '$1 == "channel" { print $3 }'); do
	[ -e "$(config "$address")" ] || continue
	row lspci "$address bytes 00-ff (md5)" "$(lspci -D -xxx -s "$address" | awk '/^[0-9a-f]0:/ { $1 = ""; print }' | tr -d ' \n' | md5sum | cut -c1-12)" \
		"$(od -An -v -tx1 -N 256 "$(config "$address")" | tr -d ' \n' | md5sum | cut -c1-12)" =
	# A counter from nothing, for one second.  CAS_COUNT.RD is event 4, masks 1 and 2, in all five; bit 22 enables.
	setpci -s "$address" a0.l=0 a4.l=0 d8.l=00400304
	row setpci "$address CTL0 as written" "$(setpci -s "$address" d8.l)" "$(od -An -v -tx4 -j $((0xd8)) -N 4 "$(config "$address")" | tr -d ' ')" =
done

truth >"$T/before"
tsc_before=$(rdmsr -p 0 -u 0x10)
step 1
tsc_after=$(rdmsr -p 0 -u 0x10)
truth >"$T/after"
for address in $(truth | awk '$1 == "channel" { print $3 }'); do
	[ -e "$(config "$address")" ] || continue
	# shellcheck disable=SC2046 # two words
	row setpci "$address CTR0 after a second" "$(sum64 $(setpci -s "$address" a0.l a4.l))" "$(events "$address")" =
done

# ---- model-specific registers

row rdmsr "time stamps in a second" $((tsc_after - tsc_before)) $(($(rdmsr -p 0 -u -f 15:8 0xce) * 100000000)) =
row rdmsr "CPUs with MSRs (-a)" "$(rdmsr -a 0x10 | wc -l)" "$(find "$mnt/dev/cpu" -mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l)" =
row rdmsr "status for a register that is not there" "$(status rdmsr -p 0 0x123)" 4 =

case $model in
snbep | ivt) row rdmsr "status for PQR_ASSOC, which is not there" "$(status rdmsr -p 0 0xc8f)" 4 = ;;
*)
	# CLOS in the high half, RMID in the low; beyond the highest RMID it faults and nothing changes.
	wrmsr -p 1 0xc8f 0x5
	row wrmsr "PQR_ASSOC of CPU 1 as written" "$(rdmsr -p 1 0xc8f)" 5 =
	row wrmsr "PQR_ASSOC of CPU 0 is its own" "$(rdmsr -p 0 0xc8f)" 0 =
	row wrmsr "status for an RMID beyond the highest" "$(status wrmsr -p 1 0xc8f 0x3ff)" 4 =
	row wrmsr "PQR_ASSOC of CPU 1 after that" "$(rdmsr -p 1 0xc8f)" 5 =
	wrmsr -p 1 0xc8f 0
	;;
esac

# All boxes of the socket stand still and go on.
case $model in
snbep) global='' ;;
ivt) global=0xc00 freeze=0x80000000 go_on=0x20000000 ;;
skx | clx | cpx) global=0x700 freeze=0x8000000000000000 go_on=0x2000000000000000 ;;
*) global=0x700 freeze=0x80000000 go_on=0x20000000 ;;
esac
if [ -n "$global" ]; then
	package=$(cat /sys/devices/system/cpu/cpu0/topology/physical_package_id)
	address=$(truth | awk -v s="$package" '$1 == "channel" && $2 == s { print $3; exit }')
	wrmsr -p 0 $global "$freeze"
	before=$(setpci -s "$address" a0.l)
	step 1
	row wrmsr "$address CTR0 a second after a global freeze" "$(setpci -s "$address" a0.l)" "$before" =
	wrmsr -p 0 $global "$go_on"
	truth >"$T/before"
	step 1
	truth >"$T/after"
	row wrmsr "$address CTR0 a second after it ended" "$((0x$(setpci -s "$address" a0.l) - 0x$before))" "$(events "$address")" =
fi
for address in $(truth | awk '$1 == "channel" { print $3 }'); do
	if [ -e "$(config "$address")" ]; then setpci -s "$address" d8.l=0 a0.l=0 a4.l=0; fi
done
