# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# uncore-simfs: AMD's uncore counters as other programs reach them, through the files of the msr driver.
. tests/lib.sh
. tests/mounted.sh
LC_ALL=C
export LC_ALL

rdmsr() { perl -e 'open F, "<", $ARGV[0] and sysseek F, hex $ARGV[1], 0 and defined sysread F, $b, 8 or print "!$!"; print unpack "Q<", $b' "$mnt/dev/cpu/$1/msr" "$2"; }
wrmsr() { perl -e 'open F, "+<", $ARGV[0] and sysseek F, hex $ARGV[1], 0 and defined syswrite F, pack "Q<", hex $ARGV[2] or print "!$!"' "$mnt/dev/cpu/$1/msr" "$2" "$3"; }
# moved CHANNEL: lines of 64 bytes, by truth.json
moved() { perl -ne 'BEGIN { $c = shift } print(($1 + $2) / 64) if /$c, .*"read_bytes": (\d+), "write_bytes": (\d+)/' "$1" "$mnt/truth.json"; }

cat >"$T/load" <<-END
	format: uncorectl-load/1
	channels:
	  "socket*.imc*.ch*": {read: 6.4e6, write: 6.4e5}
	  socket1.imc2.ch1: {read: 6.4e9, write: 6.4e8}
END
if ! mount_machine "sim:zen1,clock=step,dword_ns=0,load=$T/load"; then
	unmount
	skip "uncore-simfs shows AMD's uncore counters" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
# Socket 1 has CPUs 32 to 63, its die 2 48 to 55 and 112 to 119.
is "a control is taken" "$(wrmsr 48 c0010242 403847)" ""
is "by that die alone" "$(rdmsr 115 c0010242) $(rdmsr 56 c0010242)" "4208711 0"
echo 1000000000 >"$mnt/clock"
is "it has counted what really happened" "$(rdmsr 119 c0010243) $(moved '"socket": 1, "imc": 2, "channel": 1')" "110000000 110000000"
is "a die without its control nothing" "$(rdmsr 56 c0010243)" 0
is "what is not there faults" "$(rdmsr 0 c0010248) $(wrmsr 0 c0010240 1000000)" "!Input/output error !Input/output error"
wrmsr 3 c0010240 100000
has "an interrupt is a violation" "$(cat "$mnt/violations.json")" '"pci": "cpu3", "offset": 3221291584, "value": 1048576, "wrong": 1048576'
is "which is the only one" "$(grep -c t_ns "$mnt/violations.json")" 1
unmount
