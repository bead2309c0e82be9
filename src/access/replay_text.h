/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as text in memory, taken apart: one thing after the other. */
#ifndef UNC_ACCESS_REPLAY_TEXT_H
#define UNC_ACCESS_REPLAY_TEXT_H

#include "access/record_parts.h"
#include "access/replay.h"
#include "base/err.h"
#include "uncore/traffic.h"

enum unc_replay_kind {
	UNC_REPLAY_END, /* there is nothing more */
	UNC_REPLAY_TIME,
	UNC_REPLAY_SLEEP,
	UNC_REPLAY_CPUID,
	UNC_REPLAY_TOPOLOGY,
	UNC_REPLAY_BUS,
	UNC_REPLAY_LIST,
	UNC_REPLAY_OPEN,
	UNC_REPLAY_READ,
	UNC_REPLAY_WRITE,
	UNC_REPLAY_CLAIM,
	UNC_REPLAY_MAPS,
	UNC_REPLAY_FILE,
	UNC_REPLAY_CPUS,
	UNC_REPLAY_TEXT,
	UNC_REPLAY_NAMES,
	UNC_REPLAY_LINK,
	UNC_REPLAY_TRAFFIC,
	UNC_REPLAY_PERF_OPEN,
	UNC_REPLAY_PERF,
	UNC_REPLAY_NOTE,
	UNC_REPLAY_OUTSIDE, /* a signal, or the end of the COMMAND */
};

struct unc_replay_thing { /* as recorded, or as it is asked for */
	enum unc_replay_kind kind;
	unsigned line;
	int err;             /* how it ended: 0, or an enum unc_err */
	const char *os_name; /* static */
	char text
		[UNC_MSG_MAX]; /* the sentence of a failure or a note; the name of FILE, TEXT, NAMES, LINK, unless it failed */
	enum unc_clock clock;       /* TIME */
	uint64_t ns;                /* TIME: how far; SLEEP: until when, behind the last MONO */
	bool backwards, forever;    /* likewise; SLEEP without end */
	unsigned cpu;               /* CPUID */
	uint32_t leaf, subleaf;     /* likewise */
	struct unc_cpuid_regs regs; /* likewise */
	enum unc_kind bus;          /* BUS, LIST */
	bool writable;              /* BUS */
	char space[UNC_ADDR_TEXT];  /* OPEN, READ, WRITE, CLAIM: its name */
	uint64_t off, len;          /* of an access or claim; OPEN: length of the space */
	enum unc_claim claim;       /* CLAIM */
	enum unc_record_end end;    /* OUTSIDE */
	int number;
	unsigned asked;
	enum unc_traffic_op op;                /* TRAFFIC */
	struct unc_traffic traffic;            /* its start; its CPUs are in cpus, but as it is asked for */
	struct unc_traffic_done done;          /* otherwise */
	struct unc_perf_attr attr;             /* PERF_OPEN */
	unsigned event;                        /* likewise; PERF */
	enum unc_perf_op perf;                 /* PERF */
	struct unc_perf_count count;           /* likewise, of READ */
	unsigned char bytes[UNC_RECORD_BLOCK]; /* of an access */
	struct unc_topo topo;                  /* TOPOLOGY; owned */
	struct unc_addr *addrs;                /* LIST; owned */
	struct unc_host_cpu *cpus;             /* CPUS, TRAFFIC; owned */
	/* FILE, TEXT, LINK: what is in it, and a zero, or its name where it failed; MAPS, NAMES: names, each with its zero; owned */
	char *file;
	size_t n; /* elements of addrs and cpus, bytes of a file, names */
};
void unc_replay_thing_clear(struct unc_replay_thing *thing);

struct unc_replay_text {
	struct unc_ctx *ctx;
	const char *path; /* for sentences; not owned */
	const char *at, *end;
	unsigned line;
	bool in_times; /* at stands within a line of times */
};

/* Reads the head and leaves text behind it.  UNC_EARG: "FILE:LINE: ..."; UNC_ENOMEM.  Clear it also after a failure. */
int unc_replay_text_head(struct unc_replay_text *text, struct unc_replay_head *head);
/* The next thing, into one that is cleared.  UNC_EARG, UNC_ENOMEM.  A last line that was cut off is not there. */
int unc_replay_text_next(struct unc_replay_text *text, struct unc_replay_thing *thing);

/* "a read of 16 bytes at 0xb0 of 0000:ff:10.0" */
void unc_replay_describe(const struct unc_replay_thing *thing, char *buf, size_t size);

/* Lines of a record, word by word. */

enum { UNC_REPLAY_WORD = 64 }; /* longer than any that is known */

struct unc_replay_cursor { /* within a line */
	struct unc_replay_text *text;
	const char *at, *end;
};

/* UNC_EARG: that is wrong with the line that was read last. */
int unc_replay_wrong(const struct unc_replay_text *text, const char *what);
int unc_replay_no_memory(const struct unc_replay_text *text);

/* The next line; false: there is none. */
bool unc_replay_next_line(struct unc_replay_text *text, struct unc_replay_cursor *ret_cursor);
/* The character that it would begin with; 0: there is none. */
char unc_replay_peek(const struct unc_replay_text *text);
/* A word up to the next blank; "" at the end, or where it is longer than any that is known.  Returns buf. */
const char *unc_replay_word(struct unc_replay_cursor *c, char buf[UNC_REPLAY_WORD]);
/* A word that is a number, up to max.  false: it is none. */
bool unc_replay_number(struct unc_replay_cursor *c, uint64_t max, uint64_t *ret_number);
bool unc_replay_unsigned(struct unc_replay_cursor *c, unsigned *ret_number);
bool unc_replay_number32(struct unc_replay_cursor *c, uint32_t *ret_number);
/* One character, %XX for those that cannot stand in a line.  false: malformed. */
bool unc_replay_char(struct unc_replay_cursor *c, char *ret_char);
/* The rest of the line.  false: malformed, or longer than there is room. */
bool unc_replay_rest(struct unc_replay_cursor *c, char *buf, size_t size);

/* At "!io EIO SENTENCE"? */
bool unc_replay_failed(const struct unc_replay_cursor *c);
/* That, or the end of the line. */
bool unc_replay_ending(struct unc_replay_cursor *c, struct unc_replay_thing *thing);
/* What is behind a word that tells the kind, which that function may refine.  UNC_EARG: no sense, UNC_ENOMEM. */
int unc_replay_parse_perf(struct unc_replay_cursor *c, struct unc_replay_thing *thing); /* access/replay_cursor.c */

#endif
