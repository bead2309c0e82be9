# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Commands drawn by lot die at places drawn by lot, two at a time now and then, and another hand writes a control between them.
# Then `recover`: every register is as it was, or as the other hand left it.  SEED and ROUNDS draw others.
. tests/lib.sh

seed=${SEED:-1}
rounds=${ROUNDS:-10}
# With sanitizers each run takes ten times as long.
grep -q __asan_init "$U" && rounds=${ROUNDS:-2}
draw() { # N: a number below N, in lot
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	lot=$((seed / 65536 % $1))
}

put_back=0

registers() { # all but what counts
	"$U" --machine "$S" reg dump --format csv "$which" 2>"$T/err" | cut -d, -f2-5 |
		grep -v -e CTR -e STATUS -e BYTES | uniq
}

counting() { # MACHINE: a command that counts in memory channels
	draw 10
	case $lot in
	0) "$U" --machine "$1" mem -n 3 ;;
	1) "$U" --machine "$1" mem -n 2 --freeze ;;
	2) "$U" --machine "$1" stat -e "cas_count.rd,cas_count.wr,act_count,rpq_inserts,wpq_inserts" -n 2 -i 0.012 ;;
	3) "$U" --machine "$1" stat -e "{cas_count.rd,cas_count.wr}" -n 2 ;;
	4) "$U" --machine "$1" reg set '*.CTL[3].en=1' '*.CTL[3].umask=12' --write --for 1 ;;
	5) "$U" --machine "$1" reg set '*.ch1.CTL[1]=0x400304' '*.ch1.CTR[1]=0x9876aaaaaaaa' --write --for 1 ;;
	6) "$U" --machine "$1" reg raw pci "$chan" 0x84 7 --write --unmapped --for 1 ;;
	7) "$U" --machine "$1" mem -n 2 --force ;;
	8) "$U" --machine "$1" recover ;;
	9) "$U" --machine "$1" recover --dry-run ;;
	esac
}
caching() { # MACHINE: one that monitors caches
	draw 5
	case $lot in
	0) "$U" --machine "$1" llc --cpus 0 -n 2 ;;
	1) "$U" --machine "$1" llc --cpus 0 --cpus 1 -n 3 ;;
	2) "$U" --machine "$1" reg raw msr 0 0x1a4 7 --write --unmapped --for 1 ;;
	3) "$U" --machine "$1" recover ;;
	4) "$U" --machine "$1" reg set 'cpu1.rdt.PQR_ASSOC.RMID=3' --write --for 1 ;;
	esac
}
# One command, which dies in front of one of its accesses, behind it, or not.
one() { # KEEP
	draw 150
	at=$((lot + 1))
	draw 5
	case $lot in
	0) death= ;;
	1 | 2) death=,kill=$at:before ;;
	*) death=,kill=$at:after ;;
	esac
	echo "$kind $S$death" >>"$T/log"
	"$kind" "$S$death" >"$T/$1" 2>&1
}
poke() { # another hand, in a control
	draw "$#"
	shift "$lot"
	draw 4
	off=$((0xd8 + 4 * lot))
	draw 256
	value=$(printf '0x%08x' $((0x00400055 + 0x100 * lot)))
	"$POKE" "$S" w "$1" $off "$value"
	echo "$1,$off,$value" >>"$T/poked"
}

torture() { # NAME KIND KEYS CHANNEL...
	name=$1 kind=$2 keys=$3
	shift 3
	S=sim:$name,sockets=1,clock=step,dword_ns=0$keys,state=$T/machine
	which='*'
	[ "$kind" = caching ] && which='cpu*'
	bad=0 chan=${1-}
	rm -rf "$T/machine" "$T/journals"
	registers >"$T/before"
	: >"$T/log"
	for round in $(seq "$rounds"); do
		: >"$T/poked"
		draw 4
		for _ in $(seq $((lot + 1))); do
			draw 3
			if [ "$lot" = 0 ]; then
				one a &
				first=$!
				draw 7919 # else both draw the same
				one b
				over "$first"
			else
				one a
			fi
			draw 3
			[ "$lot" = 0 ] && [ $# -gt 0 ] && poke "$@"
		done
		"$U" --machine "$S" recover >"$T/recovered" 2>&1
		put_back=$((put_back + $(grep -c -e 'put back$' -e 'idle$' "$T/recovered")))
		registers >"$T/after"
		expect
		if ! cmp -s "$T/wanted" "$T/after"; then
			bad=$((bad + 1))
			not_ok "$name, round $round" "$(diff "$T/wanted" "$T/after")" "$(tail -5 "$T/log")" "$(cat "$T/poked" "$T/recovered")"
		fi
		if [ ! -s "$T/poked" ] && [ -n "$(ls "$T/journals" 2>/dev/null)" ]; then
			bad=$((bad + 1))
			not_ok "$name, round $round: no journal is left" "$(cat "$T/recovered")"
		fi
		"$U" --machine "$S" recover --force >"$T/recovered" 2>&1
		if [ -n "$(ls "$T/journals" 2>/dev/null)" ]; then
			bad=$((bad + 1))
			not_ok "$name, round $round: with --force no journal is left" "$(cat "$T/recovered")"
			rm -rf "$T/journals"
		fi
		registers >"$T/before"
	done
	is "$name$keys: registers are as they were, in $rounds rounds" "$bad" 0
}
expect() { # what there was, but for what the other hand wrote last
	awk -F, -v OFS=, 'FNR == NR { at[$1 "," $2] = $3; next }
		{ key = sprintf("%s,%d", $1, hex($3)); if (key in at) $4 = at[key]; print }
		function hex(text, n, i) {
			for (i = 3; i <= length(text); i++) n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}' "$T/poked" "$T/before" >"$T/wanted"
	[ -s "$T/poked" ] || cp "$T/before" "$T/wanted"
}

torture snbep counting ,frz_en=rw 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5
torture snbep counting ,frz_en=wo 0000:ff:10.0 0000:ff:10.1 0000:ff:10.4 0000:ff:10.5
torture hsx counting ,frz_en=rw 0000:ff:14.0 0000:ff:14.1
torture skx counting '' 0000:3a:0a.2 0000:3a:0a.6 0000:3a:0b.2
torture spr caching ''
torture bdx caching ''
check "of which some had been left changed ($put_back)" [ "$put_back" -gt 0 ]
