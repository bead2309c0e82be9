# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg explain: what registers and values mean, from the maps alone.
. tests/lib.sh

one='--map intel-snbep-imc'
explain() { # shellcheck disable=SC2086 # words
	run "$U" reg explain $one --format csv "$@"
}
explain CTL
is "it succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" "maps,register,offset,value,field,bits,field_value,access,reset,note,meaning,source,verify"
is "a record for the register" "$(sed -n 2p "$T/out" | cut -d, -f1-3)" "intel-snbep-imc,CTL,0xd8-0xe4"
is "and each field" "$(sed 1,2d "$T/out" | cut -d, -f5,6 | paste -sd ' ')" \
	"thresh,31:24 invert,23 en,22 rsv_21,21 rsv_20,20 rsv_19,19 edge_det,18 rsv_17,17 rsv_16,16 umask,15:8 ev_sel,7:0"
for form in 'CTL 0x00420304' 'CTL=0x00420304' '*.CTL=4326148'; do
	# shellcheck disable=SC2086
	explain $form
	is "$form: the event that the value selects" "$(sed -n 2p "$T/out" | cut -d, -f10)" "selects cas_count.rd"
	is "$form: its fields" "$(awk -F, '$5 == "en" || $5 == "umask" || $5 == "ev_sel" { print $7 }' "$T/out" | paste -sd ' ')" "0x1 0x3 0x4"
	is "$form: the reserved bit that is wrong" "$(grep WRONG "$T/out" | cut -d, -f5,10)" "rsv_17,WRONG: must be 0x0"
done
explain CTL=0x00400399
is "no event is said too" "$(sed -n 2p "$T/out" | cut -d, -f10)" "selects no event of this map"
explain 'CTL[2].en'
is "an element, a field" "$(sed 1d "$T/out" | cut -d, -f2,3,5 | paste -sd ' ')" "CTL[2],0xe0, CTL[2],0xe0,en"
explain 0x00420304
is "a value alone is that of the register in which it is least wrong" "$(sed 1d "$T/out" | cut -d, -f2,4 | sort -u)" "CTL,0x00420304"
explain 0x10100
is "which it tells by reserved bits" "$(sed 1d "$T/out" | cut -d, -f2 | sort -u)" "BOX_CTL"
explain CTR 0xfffffffffff0 FIXED_CTL
is "several at once" "$(sed 1d "$T/out" | cut -d, -f2,4 | uniq | paste -sd ' ')" "CTR,0x0000fffffffffff0 FIXED_CTL,"
explain CTL4
has "what is never to be written is said" "$(sed -n 2p "$T/out")" "never to be written"

# Which maps.
run "$U" reg explain CTL --format csv
is "without a machine all maps answer, those together that say the same" \
	"$(sed 1d "$T/out" | grep '^"\{0,1\}intel-snbep-imc' | cut -d, -f1 | sort -u)" intel-snbep-imc
check "more than one" [ "$(grep -c ',CTL,.*,,,,,,,' "$T/out")" -ge 1 ]
has "with the same answer" "$out" '"intel-bdx-imc, '
run "$U" --machine sim:snbep,sockets=1,state="$T/state",fail=1:EIO:forever reg explain BOX_CTL --format csv
is "with a machine its maps, though no register of it can be read" "$rc $(sed 1d "$T/out" | cut -d, -f1 | sort -u)" "0 intel-snbep-imc"
run "$U" --machine sim:ivt reg explain GLOBAL_CTL=0x80000000 --format csv
is "a register of 64 bits" "$(awk -F, '$5 == "frz_all" { print $4, $7 }' "$T/out")" "0x0000000080000000 0x1"
mkdir "$T/maps"
sed 's/^format:.*/format: nonsense/' regs/intel-snbep-imc.yaml >"$T/maps/intel-x-imc.yaml"
refused "a map that is wrong is refused with its line" 2 "$T/maps/intel-x-imc.yaml:" "$U" --regs "$T/maps" reg explain CTL
cp regs/intel-snbep-imc.yaml "$T/maps/intel-x-imc.yaml"
run "$U" --regs "$T/maps" reg explain CTL --map '*-x-*' --format csv
is "--regs brings more" "$rc $(sed 1d "$T/out" | cut -d, -f1 | sort -u)" "0 intel-x-imc"
# Every register that stands in the file of a map is explained.
for map in regs/*.yaml; do
	name=${map#regs/}
	sed -n '/^registers:/,/^[a-z]/s/^  \([A-Z][A-Z0-9_]*\):$/\1/p' "$map" | sort -u | sed "s/^/${name%.yaml} /"
done >"$T/registers"
check "the maps have registers" [ "$(wc -l <"$T/registers")" -ge 20 ]
unexplained=$(while read -r map reg; do
	"$U" reg explain --map "$map" "$reg" --format csv 2>&1 | grep -q "^$map,$reg," || echo "$map $reg"
done <"$T/registers")
is "every register of every map is explained" "$unexplained" ""

refused "no such register, and those there are told" 2 "CTR, CTR4, FIXED_CTR, CTL," "$U" reg explain --map intel-snbep-imc CTX
refused "no such field" 2 "no such field" "$U" reg explain CTL.none
refused "no such map" 2 "--map x" "$U" reg explain --map x CTL
refused "a value that is wider" 2 "wider than FIXED_CTL" "$U" reg explain FIXED_CTL=0x100000000
refused "a value that no register holds" 2 "wider than every" "$U" reg explain --map intel-snbep-imc 0x100000000
refused "neither a name nor a value" 2 "neither" "$U" reg explain ctl
refused "a value that is no number" 2 "not a number" "$U" reg explain CTL=x
refused "nothing" 2 "what?" "$U" reg explain
refused "a machine that is none" 2 "nehalem" "$U" --machine sim:nehalem reg explain CTL
refused "a folder of maps that is not there" 2 "$T/none" "$U" --regs "$T/none" reg explain CTL
