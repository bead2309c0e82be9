/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host around a host, and buses around its buses, that write down everything which the machine was asked and answered,
 * in order: a record.  access/replay.h answers from it.
 *
 * A record is text, a line for each question with its answer.  Numbers are decimal, or hex behind 0x and in data.  Its head:
 *
 *     uncorectl-record/2
 *     program VERSION             the writer of the record may add these three: the version of the program,
 *     utc SECONDS                 how far its local time is ahead of UTC,
 *     option TEXT                 and each option of the command
 *     machine NAME                as the machine is called in the output
 *     simulated                   where it is
 *     stands_still                where its time passes by sleeping alone
 *     maps                        where register maps were loaded besides the built-in ones
 *     begin
 *
 * Then, as they happened:
 *
 *     t r+50 m+50 b+50            clocks that were read, and how far each had gone since it was read before (at first: since
 *                                 0; ns): r raw, m monotonic, b with suspensions, w wall; up to 32 in a line
 *     sleep m+1000000             until that time, counted from where m was read last; or: sleep forever
 *     cpuid CPU LEAF SUBLEAF EAX EBX ECX EDX
 *     topology CPUS FIRST PACKAGE:CPUS:FIRST ...
 *     bus pci rw                  opened; or ro, for reading only
 *     list pci N                  its N spaces follow, in lines that begin with +
 *     open 0000:ff:10.0 4096      a space, and its length
 *     r32 0000:ff:10.0 0xf4 0x00010100
 *                                 an access, as access/trace.h writes it
 *     claim take 0000:ff:10.4 0xc8d 3
 *                                 of a space three registers from that offset or number on, 0 being all; or ask, or leave
 *     maps N                      the names of N map files follow, each in a line that begins with +
 *     file NAME BYTES             a map file; its text follows, in lines that begin with | (or : where none ended there)
 *     cpus N                      N CPUs follow as CPU:PACKAGE:NODE:L3, in lines that begin with +; - is what was not told, and
 *                                 CPU:off one that is offline
 *     text PATH BYTES             a text file of the operating system; its text follows as that of a map file
 *     names PATH N                the N names in that directory follow, each in a line that begins with +
 *     link PATH =TARGET           where a symbolic link leads; what it says of a program, its files and connections is left out
 *     traffic start KIND NODE BYTES_PER_S SIZE_BYTES N
 *                                 read, write or nt_write, made by N CPUs; they follow, in lines that begin with +.  What failed
 *                                 has N and no CPUs
 *     traffic look LOADED STORED NT_STORED RAW
 *                                 bytes since it was started, and until when; or stop
 *     perf open TYPE CONFIG CONFIG1 CONFIG2 CPU =EVENT
 *                                 an event of the operating system; EVENT is its number in the lines that follow
 *     perf on EVENT               or off, or close
 *     perf read EVENT VALUE ENABLED RUNNING
 *     note SENTENCE               was said meanwhile
 *     signal NUMBER ASKED         a signal to end was noted, when that was asked for the ASKED-th time since the line before
 *     ended STATUS ASKED          the COMMAND had ended with that status
 *
 * What failed ends in "!CLASS NAME SENTENCE": the name of enum unc_err in lower case without UNC_E, how the operating system
 * calls it (or -), and what was said.  A sleep that was woken is "!again -".  The length of a read block is then "*LEN" in the
 * place of its data.  In texts, %, control characters and all that is not ASCII are %XX;
 * in the NAME of a file and the PATH of a text, of names and of a link, blanks too.
 *
 * Paths that the user gave are not in it: an alias takes the place of each, also in the sentences that the recorded command
 * gets, so that the recorded run prints what a replay prints.
 */
#ifndef UNC_ACCESS_RECORD_H
#define UNC_ACCESS_RECORD_H

#include "access/host.h"

struct unc_record_alias {
	const char *path, *alias; /* not owned; outlive the host.  path "": none */
};

enum { UNC_RECORD_ALIASES = 6 };
struct unc_record_cfg {
	void (*line)(void *arg, const char *line); /* without a newline */
	void *arg;                                 /* not owned */
	const char *name;                          /* what the machine is called; not owned */
	const char *map_dir;                       /* an alias; NULL: no folder of maps is read */
	struct unc_record_alias aliases[UNC_RECORD_ALIASES];
};

/* Writes the head.  *ret_host owns inner from then on.  UNC_ENOMEM: inner is still the caller's. */
int unc_record_wrap(struct unc_host *inner, const struct unc_record_cfg *cfg, struct unc_host **ret_host);

/* What comes from outside of the machine and ends a run. */
enum unc_record_end { UNC_RECORD_SIGNAL, UNC_RECORD_ENDED, UNC_RECORD_ENDS };
/* The caller asked whether there is such an end; if there is, number is that of the signal, or the exit status. */
void unc_record_asked(struct unc_host *host, enum unc_record_end end, bool is_there, int number);

#endif
