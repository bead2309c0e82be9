# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# As in a container that has the host's files in /host, and of its own neither /sys nor /dev/cpu.
. /guest/lib.sh

cat >inside <<'END'
for folder in sys proc dev; do
	mkdir -p /host/$folder
	mount --rbind /$folder /host/$folder
done
mount -t tmpfs tmpfs /sys
mount -t tmpfs tmpfs /dev
ls /sys >nothing
mknod /dev/null c 1 3
. ./said
said live uncorectl mem -i 0.2 -n 1 --format csv
said mem uncorectl --machine root:/host mem -i 0.5 -n 2 --format csv
END
sed -n '/^said()/,/^}/p' /guest/lib.sh >said
unshare -m sh -eu inside
