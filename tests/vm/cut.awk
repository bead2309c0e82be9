# SPDX-License-Identifier: GPL-2.0-or-later
# The part of the log of accesses between the first two reads of one byte at `mark`: guest/lib.sh.
$4 == "rblk" && $5 == mark {
	inside++
	next
}
inside == 1
