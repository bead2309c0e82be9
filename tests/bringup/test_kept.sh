# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The journal of uncorectl.efi on its volume, when the power goes: at any write to the volume, and at any of four places of the registers.
# test_efi.sh has the fifth, while it samples.
. tests/lib.sh
umask 077 # else journals are not trusted
mem='mem -i 0.2 -n 1 --format csv -o mem.csv'
boot() { # NAME KEY COMMAND...
	into=$1 keys=$2
	shift 2
	VOLUME=$T/$into.volume tests/bringup/boot_efi "$T/$into" "sim:snbep,sockets=1$keys" "$@"
}
# shellcheck disable=SC2086 # words
WRITES=$T/writes boot whole '' $mem
# Which of its writes to registers is the first that puts back, and the last one.
controls='$3 ~ /ff:10/ && $4 == "w32" && $5 ~ /^0xd[8c]$|^0xe[04]$|^0xf[04]$/'
# shellcheck disable=SC2046 # numbers
set -- $(awk "$controls { n++; if (\$6 ~ /[1-9a-f]/ && \$5 ~ /e0|e4/) back = 0; else if (\$5 ~ /e0|e4/ && !back) back = n }
	END { print back, n }" "$T/whole/log")
back=${1:-0} last=${2:-0}
check "mem writes registers, and then puts them back, by $last writes, from $back on" [ $((back > 20 && last > back + 6)) = 1 ]

# At any write to the volume.
mkdir "$T/states"
cp "$T/writes.before" "$T/image"
run tests/bringup/replay.py "$T/writes" "$T/image" "$T/states"
check "all writes of that run are replayed, $out sectors" [ "$rc" = 0 ] && [ "$out" -gt 10 ]
check "and make the volume that it left" cmp "$T/image" "$T/whole.volume"
# kind FOLDER: what the program says of the journal there; another machine's is left alone, and was read before that.
kind() {
	run "$U" --machine "sim:snbep,state=$T/state" recover --dry-run --state "$1"
	registers=$(cat "$1"/*.journal 2>/dev/null | grep -c '^reg ')
	case $err in
	*"left alone: process 1 (uncorectl.efi), "*", wrote it, on another machine: live"*) echo "whole, of $registers" ;;
	*"there is nothing to recover"*) echo none ;;
	*) echo "$err" ;;
	esac
}
kinds=$(for n in $(seq 0 $(($(find "$T/states" -mindepth 1 -type d | wc -l) - 1))); do kind "$T/states/$n"; done | uniq | paste -sd '/')
is "the power goes at any write: the journal is not there, or whole" "$kinds" 'none/whole, of 16/none'

# At four places of the registers, two guests at once.
kill_at() { # NAME NTH:SIDE
	# shellcheck disable=SC2086 # words
	boot "$1" ",kill=$2:writes" $mem &
}
kill_at before 1:before
kill_at programming 10:after
wait
kill_at back "$((back + 6)):after"
kill_at after "$last:after"
wait
# held NAME: how many of its controls hold what the program wrote there, and how many 0 again.
held() {
	awk "$controls && \$5 !~ /f4/ { is[\$3 \$5] = \$6 ~ /[1-9a-f]\$|[1-9a-f]..\$/ }
		END { for (i in is) n[is[i]]++; print n[1] + 0, n[0] + 0 }" "$T/$1/log"
}
for name in before programming back after; do
	mkdir "$T/$name/kept"
	mcopy -n -i "$T/$name.volume" '::uncorectl/*' "$T/$name/kept/" 2>/dev/null
	is "the power goes $name: there is the whole journal" "$(kind "$T/$name/kept")" "whole, of 16"
	cp "$T/$name/kept/1-0-0.journal" "$T/$name.journal"
	mcopy -D o -i "$T/before.volume" "$T/$name.journal" ::uncorectl/
done
is "before, no register was written" "$(held before)" "0 0"
places="$(held programming) $(held back) $(held after)"
check "programming, some were; then some were put back, and after it all" [ "$(echo "$places" | awk '
	{ print ($1 > 0 && $1 + $2 < 12), ($3 > 0 && $4 > 0 && $3 + $4 == 12), ($5 == 0 && $6 == 12) }')" = "1 1 1" ]
boot before '' recover
is "after the next start recover finds of each that no register holds it" "$(grep -c 'no register holds what it wrote' "$T/before/console")" 5
is "and discards them" "$(mdir -b -i "$T/before.volume" ::uncorectl | grep -c '[.]journal$')" 0
