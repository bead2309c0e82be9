# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# --dry-run: every write that would be done, in order, and none done.
. tests/lib.sh

S=sim:snbep,sockets=2,clock=step,state=$T/state
run "$U" --machine "$S" --trace "$T/trace" mem -n 1 --format csv
grep ' w32 ' "$T/trace" | awk '{ print $3, $5, $6 }' >"$T/done"
run "$U" --machine "$S" --trace "$T/trace" --dry-run mem -n 1 --format csv
is "it succeeds" "$rc" 0
sed -n 's/^write [^ ]* (\([^)]*\)) [^ ]* at \(0x[0-9a-f]*\): \(0x[0-9a-f]*\) (.*)$/\1 \2 \3/p' "$T/out" >"$T/would"
check "the lines are the writes that a real run does, in its order" cmp "$T/done" "$T/would"
is "every line is one" "$(wc -l <"$T/would")" "$(wc -l <"$T/out")"
has "each is decoded" "$out" "CTL[3] at 0xe4: 0x00400304 (en=1 umask=0x3 ev_sel=0x4)"
is "nothing was written" "$(grep -c ' w' "$T/trace")" 0
lacks "and nothing is said to be left behind" "$err" "BOX_CTL"
run "$U" --machine "$S" --dry-run mem -- sh -c "echo ran >$T/ran"
check "a COMMAND does not run" [ ! -e "$T/ran" ]
is "and its status is 0" "$rc" 0
"$POKE" "$S" w ff:10.0 0xd8 0x00400304
run "$U" --machine "$S" --dry-run mem --format csv
is "a box that another process uses would not be frozen" "$(grep -c '(0000:ff:10.0) BOX_CTL' "$T/out")" 0
for off in 0xdc 0xe0 0xe4; do "$POKE" "$S" w ff:10.0 $off 0x00400304; done
run "$U" --machine "$S" --dry-run mem --format csv
is "a refusal is the same as in a real run" "$rc" 5
is "before any write" "$out" ""
run sh -c "'$U' --machine '$S' --dry-run mem --force >/dev/full"
is "a full output is status 1" "$rc" 1
