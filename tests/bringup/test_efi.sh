# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl.efi, started by firmware (OVMF) on simulated PCI functions: it lists what the command lists of the same simulated machine,
# and counts what the registers said.
scratch=$T
# Firmware places windows in memory.
rows() { awk '/^socket[0-9]/ { if ($2 ~ /^0x/) $2 = "window"; $1 = $1; print }'; }

# judge MODEL
judge() {
	machine=sim:$1,sockets=2 name=$1 T=$scratch/$1.judge
	export name
	mkdir "$T"
	R=$scratch/$1.list
	tests/bringup/boot_efi "$R" "$machine" list
	cp "$R/truth" "$R/log" "$T"
	. tests/vm/lib.sh
	is "$1: list has the rows that it has of the simulated machine" "$(rows <"$R/console")" \
		"$("$B/uncorectl" --machine "$machine" list 2>/dev/null | rows)"
	is "$1: a clock that may be wrong is a note" "$(grep -c 'not invariant' "$R/console")" 1
	R=$scratch/$1.mem
	tests/bringup/boot_efi "$R" "$machine" mem -i 0.5 -n 2 --format csv -o mem.csv
	cp "$R/truth" "$R/violations" "$R/log" "$T"
	tr -d '\r' <"$R/mem.csv" >"$R/mem.out"
	follow all
	undisturbed ours "$(our_counts mem.out)" $((2 * channels))
	is "$1: mem tells the true rates" "$(true_rates mem.out)" ""
	is "$1: a control that it wrote is 0 in the end" "$(awk '
		$3 == "w32" && $4 ~ /^0xd[8c]$|^0xe[04]$/ { last[$2 " " $4] = $5; n++ }
		END { for (key in last) if (last[key] != "0x00000000") print key, last[key]
			if (!n) print "none was written" }' "$T/accesses")" ""
	legal
}

judge snbep
judge skx
judge icx
judge spr
for command in xcheck top "mem -- true"; do
	# shellcheck disable=SC2086 # words
	tests/bringup/boot_efi "$scratch/none" sim:snbep,sockets=1 $command
	is "$command: it says what it needs, in one sentence" "$(grep -v ' note: ' "$scratch/none/console" |
		grep -c '^uncorectl: .*needs an operating system, and none runs here')" 1
done
