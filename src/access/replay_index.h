/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record in memory, by place: the answers of each register, file and other place in their order; and a command that is
 * answered from it.
 */
#ifndef UNC_ACCESS_REPLAY_INDEX_H
#define UNC_ACCESS_REPLAY_INDEX_H

#include "access/record_text.h"
#include "access/replay.h"

#define UNC_REPLAY_NONE UINT32_MAX

struct unc_replay_entry { /* a line with those that continue it, or one time */
	union {
		const char *at; /* its text */
		uint64_t ns;    /* TIME: what that clock showed */
	};
	uint32_t line;
	uint32_t next; /* of the same series */
	uint16_t used; /* so many of its bytes were given to the command; without bytes 1 */
	uint8_t kind;  /* enum unc_line_kind */
	uint8_t clock; /* TIME */
};

struct unc_replay_series { /* the answers of a space, an event, or to one question */
	enum unc_line_group group;
	const char *key, *answer; /* answer: the first one */
	size_t key_len, answer_len;
	uint32_t first, last;
	uint32_t at;    /* what precedes it is over */
	uint32_t chain; /* of the same bucket */
	bool varies;    /* not all answers are the same */
};

struct unc_replay_index {
	struct unc_replay_entry *entries;
	size_t n;
	struct unc_replay_series *series;
	size_t n_series;
	uint32_t *buckets;
	size_t n_buckets;
};

/* Reads all of it.  UNC_EARG, UNC_ENOMEM; clear it then too. */
int unc_replay_index_read(struct unc_record_text *text, struct unc_replay_index *index);
void unc_replay_index_clear(struct unc_replay_index *index);
/* NULL: there is none. */
struct unc_replay_series *unc_replay_index_find(const struct unc_replay_index *index, enum unc_line_group group,
						const char *key, size_t len);

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
	char *path;  /* owned */
	char *bytes; /* owned: the whole record */
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
/* Says the notes that directly precede an entry, which was not passed. */
void unc_replay_notes(struct unc_replay *replay, size_t end);
/* Of the host, as in struct unc_host_ops. */
uint64_t unc_replay_now_ns(struct unc_host *host, enum unc_clock clock);
/* Nothing passes by itself any more after a difference: a caller that sleeps in a loop must not go on for ever. */
int unc_replay_sleep(struct unc_host *host, uint64_t mono_ns);
/* Whether the next end of that kind is due, and then its number. */
bool unc_replay_ends(struct unc_replay *replay, enum unc_record_end end, int *ret_number);

#endif
