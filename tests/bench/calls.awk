# SPDX-License-Identifier: GPL-2.0-or-later
# Of what `strace -f -ttt` wrote of `uncorectl mem`: one line
#
#     START LEAST MOST REPEATS WRITES FURTHER CHECKS SECONDS CLONES
#
# START: system calls from exec to the last access to a register before the first sleep.  LEAST, MOST: 16-byte reads of a channel in
# one sample, reads that were done at once again (since they were late) counted apart, in REPEATS.  FURTHER: the most in any sample
# that is neither such a read nor a control check.  CHECKS: the most of any channel, in SECONDS.  A sample goes from one sleep
# to the next; the last one is left out, as it ends in the closing, and so are looks alone, of which a start has some: LEAST is 0 if
# there were less than SAMPLES - 1 (-v samples=SAMPLES).
{
	call = $3
	sub(/\(.*/, "", call)
	if (call !~ /^[a-z_0-9]+$/)
		next # a signal, an exit
	n_calls++
	clones += call ~ /^(clone|clone3|fork|vfork)$/
}
call ~ /^(ppoll|poll|clock_nanosleep|nanosleep|select|pselect6|epoll_wait|epoll_pwait)$/ {
	end_sample()
	n_sleeps++
	if (n_sleeps == 1) {
		start = last_access
		begin_s = $2
	}
	end_s = $2
	reset()
	further = 1
	next
}
call ~ /^p(read|write)64$/ {
	last_access = n_calls
}
n_sleeps == 0 { next }
call == "pread64" {
	fd = $3
	sub(/.*\(/, "", fd)
	sub(/,.*/, "", fd)
	n = split($0, words, ",")
	len = words[n - 1] + 0
	fds[fd] = 1
	if (fd == last_fd && len == last_len && len > 4)
		repeats++
	else if (len != 16)
		checks[fd]++
	else
		reads[fd]++
	last_fd = fd
	last_len = len
	next
}
{ last_fd = "" }
call == "pwrite64" { writes++; next }
{ further++ }

function reset(   fd) {
	for (fd in reads)
		delete reads[fd]
	last_fd = ""
	writes = repeats = 0
	for (fd in checks)
		delete checks[fd]
}

function end_sample(   fd, n) {
	if (n_sleeps == 0)
		return
	n = 0
	for (fd in reads) {
		n++
		if (reads[fd] > most)
			most = reads[fd]
		if (least == "" || reads[fd] < least)
			least = reads[fd]
	}
	n_samples += n > 0
	if (n > 0 && n != channels)
		least = 0
	for (fd in checks)
		all_checks[fd] += checks[fd]
	all_repeats += repeats
	all_writes += writes
	if (further > most_further)
		most_further = further
}

END {
	for (fd in all_checks)
		if (all_checks[fd] > most_checks)
			most_checks = all_checks[fd]
	if (n_samples < 2 || most == "")
		exit 1
	if (n_samples < samples - 1)
		least = 0
	printf "%d %d %d %d %d %d %d %.2f %d\n", start, least, most, all_repeats, all_writes, most_further, most_checks,
		end_s - begin_s, clones
}
