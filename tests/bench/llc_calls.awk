# SPDX-License-Identifier: GPL-2.0-or-later
# What strace -y saw of a run of llc, from its first write to IA32_QM_EVTSEL (0xc8d) on: a line of
#   accesses to IA32_QM_EVTSEL and IA32_QM_CTR (0xc8e), writes of them, reads of IA32_PQR_ASSOC (0xc8f),
#   sleeps, other system calls, values that were read once more
# The last are none of the first two: two writes of the same, one behind the other.  An offset of pread64() or pwrite64() is the
# number of an MSR, decimal: 3213, 3214, 3215.
/dev\/cpu\/[0-9]+\/msr>/ {
	number = $0
	sub(/\) *= .*/, "", number)
	sub(/.*, /, "", number)
	if (number == 3215) {
		looks += counting && /pread64\(/
		next
	}
	if (number != 3213 && number != 3214)
		next
	if (/pwrite64\(/) {
		wanted = $0
		sub(/[^"]*/, "", wanted)
		again = wanted == last
		repeats += again
		last = wanted
		counting = 1
	}
	values += counting && !again
	writes += /pwrite64\(/ && !again
	next
}
!counting {
	next
}
/clock_nanosleep\(|poll\(/ {
	sleeps++
	next
}
{
	others++
}
END {
	print values + 0, writes + 0, looks + 0, sleeps + 0, others + 0, repeats + 0
}
