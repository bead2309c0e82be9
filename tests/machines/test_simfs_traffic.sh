# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Traffic that is made on purpose on a mounted machine; and what its firmware tells of its memory.
. tests/lib.sh
. tests/mounted.sh
MAKE=$B/tests/maketraffic

if ! mount_machine "sim:bdx,sockets=2,clock=step,empty=socket1.imc0.ch1"; then
	unmount
	skip "a mounted machine makes traffic" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
bytes() { # CHANNEL: what it read and wrote
	sed -n "s/.*$1.*\"read_bytes\": \([0-9]*\), \"write_bytes\": \([0-9]*\).*/\1 \2/p" "$mnt/truth.json"
}
# Millions of bytes per second of the time between two moments, to the tenth of a GB: load and traffic together.
during() { # CHANNEL COMMAND...
	channel=$1
	shift
	before=$(bytes "$channel") from=$(sed -n 's/^raw //p' "$mnt/clock")
	run "$@"
	# shellcheck disable=SC2046,SC2086 # numbers
	set -- $before $(bytes "$channel") "$from" $(sed -n 's/^raw //p' "$mnt/clock")
	echo "$(((($3 - $1) / ($6 - $5 > 0 ? ($6 - $5) / 1000 : 1) + 50) / 100 * 100)) $(((($4 - $2) / (($6 - $5) / 1000) + 50) / 100 * 100))"
}
c00='"socket": 0, "imc": 0, "channel": 0' c11='"socket": 1, "imc": 1, "channel": 1'
c101='"socket": 1, "imc": 0, "channel": 1'

# Channel 0 of socket 0 reads 4.0 GB/s by its load and writes 1.5; four channels share.  Socket 1's last one
# reads 4.885 and writes 1.965.
is "loads are read by all channels of the node" \
	"$(during "$c00" "$MAKE" "root:$mnt" read 0 4000000000 1000000 0 1000000000)" "5000 1500"
is "and told to the byte" "$(cat "$T/out")" "$(printf '2000000000 0 0\n4000000000 0 0')"
is "stores are read and written" \
	"$(during "$c00" "$MAKE" "root:$mnt" write 0 4000000000 1000000 0 1000000000)" "5000 2500"
is "and told as stores" "$(tail -n 1 "$T/out")" "0 4000000000 0"
is "non-temporal ones are written; an empty channel has no part in it" \
	"$(during "$c11" "$MAKE" "root:$mnt" nt_write 1 3000000000 1000000 0 1000000000)" "4900 3000"
is "and told as such" "$(tail -n 1 "$T/out")" "0 0 3000000000"
is "an empty channel does nothing" "$(bytes "$c101")" "0 0"
is "but tick" "$(grep "$c101" "$mnt/truth.json" | grep -c '"dclk": [1-9][0-9]*, .*"cas_count.all": 0}')" 1
is "without traffic all is as before" "$(during "$c00" "$MAKE" "root:$mnt" read 1 1 4096 0 1000000000)" "4000 1500"

run "$MAKE" "root:$mnt" read 7 1000 4096 0 1000
is "a node that is not there is refused" "$rc" 1
has "in the machine's words" "$err" "there is no NUMA node 7"
run sh -c 'echo "read 0 all 4096 0" >"$1"' sh "$mnt/traffic"
has "so is a line that makes no sense" "$(cat "$mnt/traffic")" "refused arg traffic: a line must be"
run sh -c 'echo stop >"$1"' sh "$mnt/traffic"
has "and a stop of what was not started" "$(cat "$mnt/traffic")" "refused arg traffic: none was started"

# A killed process leaves none behind, and while it lives no other process makes any.
mkfifo "$T/begun"
"$MAKE" "root:$mnt" read 0 4000000000 4096 0 0 >"$T/begun" &
maker=$!
word=$(timeout 30 head -1 "$T/begun")
is "a process makes traffic without end" "$word $(sed -n 1p "$mnt/traffic")" "begun running 1"
run "$MAKE" "root:$mnt" read 0 1000 4096 0 1000
has "then no other process can" "$err" "another process makes traffic already; stop that first"
kill -KILL $maker
over $maker
is "it ends with who made it" "$(sed -n 1p "$mnt/traffic")" "running 0"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	run setpriv --reuid=65534 --clear-groups "$MAKE" "root:$mnt" read 0 1000 4096 0 1000
	is "only who mounted it may" "$rc" 1
	run setpriv --reuid=65534 --clear-groups cat "$mnt/sys/firmware/dmi/tables/DMI"
	has "or read what firmware tells" "$err" "Permission denied"
else
	skip "only who mounted it may" "not root, or no setpriv here"
fi
is "the table has a memory device for each channel" \
	"$(tr -c '[:print:]' '\n' <"$mnt/sys/firmware/dmi/tables/DMI" | grep -c '^CPU[01]_IMC[01]_CH[01]_DIMM0$')" 8
is "of the length that stat tells" "$(wc -c <"$mnt/sys/firmware/dmi/tables/DMI")" \
	"$(stat -c %s "$mnt/sys/firmware/dmi/tables/DMI")"
if command -v dmidecode >/dev/null && unshare -m mount --bind "$mnt/sys/firmware" /sys/firmware 2>/dev/null; then
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind "$1" /sys/firmware && dmidecode' sh "$mnt/sys/firmware" >"$T/dmi" 2>&1
	is "dmidecode finds no fault in it" "$(grep -ci -e invalid -e broken -e truncated -e error: "$T/dmi")" 0
	is "and speeds of the seven that are there" "$(grep -c 'Configured Memory Speed: 2400 MT/s' "$T/dmi")" 7
	is "and the one that is not" "$(grep -c 'Size: No Module Installed' "$T/dmi")" 1
else
	skip "dmidecode finds no fault in it" "there is none here, or no mount namespace"
fi
unmount
is "the server ends well" "$server_rc" 0
