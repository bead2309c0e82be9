# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A mounted machine whose kernel refuses: what it says in its files, and what uncorectl makes of that.
. tests/lib.sh
. tests/mounted.sh

if ! mount_machine sim:snbep,sockets=1,lockdown=1; then
	unmount
	skip "a mounted machine is locked down" "no FUSE here: $(cat "$T/server")"
	exit 0
fi
is "a kernel that is locked down says so" "$(cat "$mnt/sys/kernel/security/lockdown")" "none [integrity] confidentiality"
refused "and the refusal names the file that says so" 4 "$mnt/sys/kernel/security/lockdown" "$U" --machine "root:$mnt" mem -n 1
run dd if=/dev/zero of="$mnt/dev/cpu/0/msr" bs=8 count=1 seek=400 conv=notrunc
has "a write to an MSR is refused" "$err" "Operation not permitted"
unmount

mount_machine sim:snbep,sockets=1,msr_writes=off || not_ok "a machine with a filter is mounted" "$(cat "$T/server")"
allow=$mnt/sys/module/msr/parameters/allow_writes
put_perfevtsel0() { printf '\0\0\0\0\0\0\0\0' | dd of="$mnt/dev/cpu/0/msr" oflag=seek_bytes seek=390 conv=notrunc bs=8; }
is "no lockdown is said too" "$(cat "$mnt/sys/kernel/security/lockdown")" "[none] integrity confidentiality"
is "the driver says that it filters writes" "$(cat "$allow")" off
run put_perfevtsel0
has "and it does" "$err" "Operation not permitted"
run "$U" --machine "root:$mnt" mem -i 0.05 -n 1
is "which configuration space does not care about" "$rc" 0
run dd if=/dev/zero of="$allow" bs=2 count=1 conv=notrunc
has "it takes no other words" "$err" "Invalid argument"
echo on >"$allow"
is "it can be told otherwise" "$(cat "$allow")" on
run put_perfevtsel0
is "and then takes them" "$rc" 0
unmount

mount_machine sim:snbep,msr=absent || not_ok "a machine without the driver is mounted" "$(cat "$T/server")"
check "without the driver there is no such file" [ ! -e "$allow" ]
unmount

# Its time is its owner's.
mount_machine sim:snbep,clock=step || not_ok "a machine whose time stands still is mounted" "$(cat "$T/server")"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
program=$(readlink -f "$U")
if [ "$(id -u)" = 0 ] && chmod 755 "$T" "${T%/*}" && as_nobody test -r "$mnt/clock" && as_nobody test -x "$program"; then
	refused "another user hears whose time it is" 4 "run as the user who mounted it" as_nobody "$program" --machine "root:$mnt" list
else
	skip "another user hears whose time it is" "not root, or no other user may come here"
fi
