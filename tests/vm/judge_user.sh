# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
. tests/vm/lib.sh

is "the kernel gives another user 64 bytes" "$(left bytes)" 64
is "mem is not permitted" "$(left mem.rc)" 4
is "and says why, in one sentence" "$(left mem.err)" \
	"uncorectl: pci 0000:ff:0b.0: open /sys/bus/pci/devices/0000:ff:0b.0/config for writing: Permission denied: this needs root, and you are user 1000: run it as root, e.g. with sudo"
is "mem prints nothing" "$(left mem.out)" ""
is "list, too, is not permitted" "$(left list.rc)" 4
is "and tells it of each channel" "$(grep -c 'not permitted .*only the first 64 bytes can be read: the rest needs root, and you are user 1000' "$R/list.out")" "$channels"
is "what is said of the socket's number has an end" "$(grep -c '^uncorectl: note: socket numbers: .*needs root, and you are user 1000: run it as root, e.g. with sudo)$' "$R/list.err")" 1
is "doctor's status is the same" "$(left doctor.rc)" 4
has "doctor names the 64 bytes" "$(left doctor.out | tr -s ' \n' ' ')" "fail config space of 4 functions only the first 64 bytes can be read"
