# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncorectl reg watch: tells when registers change.
. tests/lib.sh

S=sim:snbep,sockets=1,clock=step,dword_ns=0,state=$T/state
"$POKE" "$S" w ff:10.0 0xd8 0x00400304
run "$U" --machine "$S" --trace "$T/trace" reg watch 'socket0.imc0.ch0.CT?[0]' -n 3 -i 0.5 --format csv
is "it succeeds" "$rc" 0
is "its header" "$(head -1 "$T/out")" "time_ns,box,pci,register,offset,old,new,changed"
is "first what they are, then only what changes" "$(sed 1d "$T/out" | cut -d, -f4 | paste -sd ' ')" "CTR[0] CTL[0] CTR[0] CTR[0]"
is "the first has no old value" "$(sed -n 3p "$T/out" | cut -d, -f4-)" "CTL[0],0xd8,,0x00400304,"
is "each old value is the new one before" "$(column new | sed -n 1p) $(column new | sed -n 3p)" "$(column old | sed -n 3p) $(column old | sed -n 4p)"
is "the interval is kept" "$(($(column time_ns | sed -n 4p) - $(column time_ns | sed -n 3p)))" 500000000
has "the fields that changed" "$(column changed | sed -n 3p)" "event_count:0x"
is "it writes nothing" "$(grep -c ' w' "$T/trace")" 0
run "$U" --machine "$S" reg watch '*.CTR[0].rsv_63_48' -n 5 --format csv
is "only fields that are named count" "$(sed 1d "$T/out" | wc -l)" 4
refused "no such register" 2 "no register CTS" "$U" --machine "$S" reg watch '*.CTS' -n 1
refused "no such box" 3 "no box" "$U" --machine "$S" reg watch 'socket1.imc0.ch0.CTL' -n 1
refused "nothing" 2 "which?" "$U" --machine "$S" reg watch
refused "an interval must be one" 2 "-i 0" "$U" --machine "$S" reg watch '*.CTL' -i 0
refused "a count must be one" 2 "-n 0" "$U" --machine "$S" reg watch '*.CTL' -n 0
run "$U" --machine "$S,vanish=ff:10.0@2.5" reg watch 'socket0.imc0.ch0.CTL[0]' --format csv
is "a function that vanishes ends it" "$rc" 3
has "and says so" "$err" "all ones"

# Another process writes while it watches.
R=sim:snbep,sockets=1,state=$T/real
lines() { [ "$(wc -l <"$T/out")" -ge "$1" ]; }
env --default-signal=INT "$U" --machine "$R" reg watch 'socket0.imc0.ch0.CTL[2]' -i 0.01 --format csv >"$T/out" 2>"$T/err" </dev/null &
pid=$!
until_ lines 2
"$POKE" "$R" w ff:10.0 0xe0 0x00000304
until_ lines 3
"$POKE" "$R" w ff:10.0 0xe0 0x00400304
until_ lines 4
kill -INT $pid
rc=0
over $pid || rc=$?
is "SIGINT is its ordinary end" "$rc" 0
is "both changes were seen, and written at once" "$(sed 1,2d "$T/out" | cut -d, -f6-)" "0x00000000,0x00000304,umask:0x0->0x3;ev_sel:0x0->0x4
0x00000304,0x00400304,en:0x0->0x1"
run timeout --preserve-status -s TERM 0.3 "$U" --machine "$R" reg watch 'socket0.imc0.ch0.CTL[2]' -i 0.01
is "SIGTERM ends it with its status" "$rc" 143
run sh -c "'$U' --machine '$R' reg watch '*.CTL' -n 1 >/dev/full"
is "a full output is status 1" "$rc" 1
