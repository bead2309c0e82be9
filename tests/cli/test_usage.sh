# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Wrong arguments: one sentence, the documented exit status, and no register touched.
. tests/lib.sh

refused "a command is needed" 2 "which command?" "$U"
refused "an unknown command is named" 2 '"frobnicate"' "$U" frobnicate
refused "an unknown option is named" 2 "--frob" "$U" --frob list
refused "an unknown option of a command is named" 2 "mem: there is no option --frob" "$U" mem --frob
refused "an unknown short option is named" 2 "mem: there is no option -q" "$U" mem -q
refused "an option without its value is named" 2 "-i needs a value" "$U" mem -i

refused "an unknown kind of machine is named" 2 '"foo"' "$U" --machine foo list
refused "an unknown model is named" 2 "nehalem" "$U" --machine sim:nehalem list
refused "an unknown key is named" 2 "sokets" "$U" --machine sim:snbep,sokets=2 list
refused "a value that makes no sense is named" 2 "sockets" "$U" --machine sim:snbep,sockets=0 list
refused "root: needs a directory" 2 "root:DIR" "$U" --machine root: list
refused "a root: directory that is missing is named" 2 "$T/nowhere" "$U" --machine "root:$T/nowhere" list
mkdir "$T/empty"
refused "a root: directory without CPUID says which files were looked for" 3 "$T/empty/cpuid.raw" "$U" --machine "root:$T/empty" mem -n 1
UNCORECTL_MACHINE=sim:nehalem refused "the machine of the environment counts" 2 "nehalem" "$U" list

S=sim:snbep,sockets=1,state=$T/state
for interval in 0 -1 0.0 x 1x nan inf 1e99 ''; do
	refused "an interval of \"$interval\" is refused" 2 "-i $interval" "$U" --machine "$S" mem -i "$interval" -n 1
done
for count in 0 -1 x 1.5 18446744073709551616; do
	refused "a count of \"$count\" is refused" 2 "-n $count" "$U" --machine "$S" mem -n "$count"
done
refused "an unknown format is refused" 2 "--format xml" "$U" --machine "$S" mem --format xml
refused "an unknown --per is refused" 2 "--per bank" "$U" --machine "$S" mem --per bank
refused "a COMMAND without -- is refused" 2 "after --" "$U" --machine "$S" mem true
refused "-- without a COMMAND is refused" 2 "no COMMAND" "$U" --machine "$S" mem --
refused "list takes no argument" 2 "list: x" "$U" --machine "$S" list x
check "no machine was made by all that" [ ! -e "$T/state" ]

refused "--regs of a folder that is missing is refused" 2 "$T/nowhere" "$U" --machine "$S" --regs "$T/nowhere" list
refused "a folder of journals has a name" 2 "--state wants the name of a folder" "$U" --state "" list
refused "a trace that cannot be written is named" 1 "$T/no/trace" "$U" --machine "$S" --trace "$T/no/trace" list
refused "an output file that cannot be made is named" 1 "$T/no/out" "$U" --machine "$S" mem -n 1 -o "$T/no/out"

for command in "" list mem maps; do
	# shellcheck disable=SC2086 # no argument when empty
	run "$U" $command --help
	is "help of \"$command\" succeeds" "$rc" 0
	has "help of \"$command\" is on stdout" "$out" "usage: uncorectl"
	is "help of \"$command\" fits a terminal" "$(awk 'length > 100' "$T/out")" ""
done
run "$U" --version
has "--version tells it" "$out" "uncorectl 0."
