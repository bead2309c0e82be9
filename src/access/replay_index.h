/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record in memory, by place: the answers of each register, file and other place in their order. */
#ifndef UNC_ACCESS_REPLAY_INDEX_H
#define UNC_ACCESS_REPLAY_INDEX_H

#include "access/record_text.h"

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

#endif
