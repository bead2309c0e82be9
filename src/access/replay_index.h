/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record by place: the answers of each register, file and other place in their order; and a command that is answered from it.
 *
 * A record is read twice.  The first time it is checked, and its places are found.  The second time it is read as far as the command
 * asks; of what was read so, the entries are in memory from those on that can still answer.
 */
#ifndef UNC_ACCESS_REPLAY_INDEX_H
#define UNC_ACCESS_REPLAY_INDEX_H

#include "access/record_text.h"
#include "access/replay.h"

#define UNC_REPLAY_NONE UINT32_MAX
enum { UNC_REPLAY_BUCKETS = 1 << 16, UNC_REPLAY_ENTRIES = 1 << 26 /* in memory at most */ };

struct unc_replay_entry { /* a line with those that continue it, or one time of it */
	union {
		uint64_t off; /* where it is in the record */
		uint64_t ns;  /* TIME: what that clock showed */
	};
	uint32_t line;
	uint32_t next;   /* of the same series; NONE: it was not read yet, or there is none */
	uint32_t series; /* of the index */
	uint16_t used;   /* so many of its bytes were given to the command; without bytes 1 */
	uint8_t kind;    /* enum unc_line_kind */
	uint8_t clock;   /* TIME */
};

struct unc_replay_series { /* the answers of a space, an event, or to one question */
	enum unc_line_group group;
	char *key; /* owned */
	size_t key_len;
	struct unc_replay_entry first;
	uint64_t answer; /* the hash of the first answer */
	bool varies;     /* not all answers are the same */
	uint32_t final;  /* its last entry */
	uint32_t at;     /* of what was read: what precedes it is over; it may be a deed that is not in memory */
	uint32_t last;   /* of what was read */
	uint32_t chain;  /* the next series of the same bucket, plus 1; 0: none */
};

struct unc_replay_index {
	struct unc_replay_series *series;
	size_t n_series;
	uint32_t buckets[UNC_REPLAY_BUCKETS]; /* 0: empty, or one more than a series */
	struct unc_record_place start, notes; /* of the first entry, and of the notes that end the record */
	bool checked;                         /* all of it */
	/* What was read of it, for the command once it is checked. */
	struct unc_replay_entry *entries;   /* the first is the entry `begin` of the record */
	size_t n, begin, end;               /* and the last one is before the entry `end` */
	struct unc_record_place next;       /* behind the last of them */
	uint64_t now_ns[UNC_RECORD_CLOCKS]; /* at the last of them */
};

/* Reads all of a record.  UNC_EARG, UNC_ENOMEM, UNC_EIO; clear the index then too. */
int unc_replay_index_read(struct unc_replay_index *index, struct unc_record_text *text, struct unc_entry *entry);
void unc_replay_index_clear(struct unc_replay_index *index);
/* NULL: there is none. */
struct unc_replay_series *unc_replay_index_find(struct unc_replay_index *index, enum unc_line_group group,
						const char *key, size_t len);
/*
 * Reads one more line, which is left in *entry, too.  Entries before keep may leave the memory.  False: there is none, or *ret_rc
 * says what failed.
 */
bool unc_replay_index_more(struct unc_replay_index *index, struct unc_record_text *text, size_t keep,
			   struct unc_entry *entry, int *ret_rc);

/* What the clocks showed at the last times of the record that were passed. */
struct unc_replay_clocks {
	bool read[UNC_RECORD_CLOCKS];
	uint64_t ns[UNC_RECORD_CLOCKS];
	/* What the second clock showed first, after the first clock had been read. */
	bool has_after[UNC_RECORD_CLOCKS][UNC_RECORD_CLOCKS];
	uint64_t after_ns[UNC_RECORD_CLOCKS][UNC_RECORD_CLOCKS];
	/* How far BOOT is ahead of MONO, at most by the last reading and by all, as unc_was_suspended() judges it. */
	int64_t most_ns, asleep_ns;
};

struct unc_replay {
	struct unc_host host;
	struct unc_host bystander;
	struct unc_files files;
	char *path; /* owned */
	struct unc_record_text text;
	struct unc_replay_head head;
	struct unc_replay_index index;
	size_t at;    /* the first entry that was not passed */
	size_t since; /* the first entry after the last time that the command was told */
	struct unc_replay_clocks clocks;
	uint64_t last_ns[UNC_RECORD_CLOCKS]; /* that the command was told */
	bool guessed[UNC_RECORD_CLOCKS];     /* and that the record does not have */
	unsigned asked[UNC_RECORD_ENDS], asked_time;
	struct unc_replay_series *ends[UNC_RECORD_ENDS]; /* the index's; NULL: there is none */
	struct unc_line question;
	struct unc_entry answer;
	size_t first; /* of its bytes that are asked for */
	bool over;    /* something differed: then why */
	char why[UNC_MSG_MAX];
	void (*on_difference)(void *arg, const char *sentence);
	void *arg; /* not owned */
};

/* line: of the record; 0: none in particular.  From then on everything fails with UNC_EIO and that sentence. */
int unc_replay_differ(struct unc_replay *replay, unsigned line, const char *fmt, ...) UNC_PRINTF(3, 4);
/* Finds the answer, which then is replay->answer.  Returns how it ended, or UNC_EIO: the record has none. */
int unc_replay_meet(struct unc_replay *replay, const struct unc_question *q);
/* Whether there is any answer to that question. */
bool unc_replay_knows(struct unc_replay *replay, const struct unc_question *q);
/* The items of the answer, which become the caller's; *ret_n: how many. */
void *unc_replay_items(struct unc_replay *replay, size_t *ret_n);
/* Of the host, as in struct unc_host_ops. */
uint64_t unc_replay_now_ns(struct unc_host *host, enum unc_clock clock);
/* Nothing passes by itself any more after a difference: a caller that sleeps in a loop must not go on for ever. */
int unc_replay_sleep(struct unc_host *host, uint64_t mono_ns);
/* Whether the next end of that kind is due, and then its number. */
bool unc_replay_ends(struct unc_replay *replay, enum unc_record_end end, int *ret_number);

#endif
