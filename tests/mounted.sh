# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests of a mounted machine, behind tests/lib.sh: mount_machine and unmount.  Whatever happens, it is unmounted at the end.

mnt=$T/mnt
pid=
unmount() { # server_rc: how the server ended
	server_rc=
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null
		over "$pid"
		server_rc=$?
	fi
	pid=
	# In case the server died without unmounting.
	! mountpoint -q "$mnt" || umount "$mnt"
}
trap unmount EXIT
trap 'exit 1' INT TERM

mount_machine() { # MACHINE: 0 when it is there; what it logs is in T/log, what it says in T/server
	mkdir -p "$mnt"
	"$B/uncore-simfs" --log "$T/log" "$1" "$mnt" >"$T/server" 2>&1 &
	pid=$!
	until_ is_mounted
	[ -e "$mnt/truth.json" ]
}
# Or its server has given up.
is_mounted() { [ -e "$mnt/truth.json" ] || is_gone "$pid"; }
# Accesses of a trace or of a log without their times.  One in memory is at an address, base and offset together, as the server does
# not know which window its client has opened there.
at_addresses() { # FILE
	awk '
		function number(hex,  i, n) {
			for (i = 3; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		{ sub(/^[0-9]* /, "") }
		$1 == "mmio" { $2 = sprintf("%.0f", number($2) + number($4)); $4 = "" }
		{ print }' "$1"
}
