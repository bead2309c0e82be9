/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a record, word by word. */
#ifndef UNC_ACCESS_REPLAY_CURSOR_H
#define UNC_ACCESS_REPLAY_CURSOR_H

#include "access/replay_text.h"

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
int unc_replay_parse_perf(struct unc_replay_cursor *c, struct unc_replay_thing *thing); /* access/replay_perf.c */

#endif
