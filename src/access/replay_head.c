// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record says in front of what happened. */
#include <stdlib.h>
#include <string.h>

#include "access/replay_cursor.h"
#include "base/text.h"

static int take_text(struct unc_replay_cursor *c, char **ret_text)
{
	size_t size = (size_t)(c->end - c->at) + 1;
	char *copy = malloc(size);

	if (!copy)
		return unc_replay_no_memory(c->text);
	free(*ret_text);
	*ret_text = copy;
	return unc_replay_rest(c, copy, size) ? UNC_OK : UNC_EARG;
}

static int take_option(struct unc_replay_cursor *c, struct unc_replay_head *head)
{
	void *more;

	if (head->n_options == UNC_REPLAY_OPTIONS)
		return UNC_EARG;
	more = unc_array_more(head->options, head->n_options, sizeof(*head->options));
	if (!more)
		return unc_replay_no_memory(c->text);
	head->options = more;
	return take_text(c, &head->options[head->n_options++]);
}

static int take_utc(struct unc_replay_cursor *c, struct unc_replay_head *head)
{
	char buf[UNC_REPLAY_WORD];
	bool west;
	uint64_t seconds;

	unc_replay_word(c, buf);
	west = buf[0] == '-';
	if (!unc_text_u64(buf + west, &seconds) || seconds > 86400 || c->at < c->end)
		return UNC_EARG;
	head->utc_s = west ? -(int64_t)seconds : (int64_t)seconds;
	return UNC_OK;
}

static int take_fact(struct unc_replay_cursor *c, const char *first, struct unc_replay_head *head)
{
	if (c->at < c->end)
		return UNC_EARG;
	if (strcmp(first, "simulated") == 0)
		head->simulated = true;
	else if (strcmp(first, "stands_still") == 0)
		head->stands_still = true;
	else if (strcmp(first, "maps") == 0)
		head->maps = true;
	else
		return UNC_EARG;
	return UNC_OK;
}

static int head_line(struct unc_replay_cursor *c, const char *first, struct unc_replay_head *head)
{
	if (strcmp(first, "program") == 0)
		return take_text(c, &head->program);
	if (strcmp(first, "utc") == 0)
		return take_utc(c, head);
	if (strcmp(first, "option") == 0)
		return take_option(c, head);
	if (strcmp(first, "machine") == 0)
		return take_text(c, &head->name);
	return take_fact(c, first, head);
}

int unc_replay_text_head(struct unc_replay_text *text, struct unc_replay_head *head)
{
	struct unc_replay_cursor c;
	char first[UNC_REPLAY_WORD];
	int rc = UNC_OK;

	memset(head, 0, sizeof(*head));
	text->line = 0;
	if (!unc_replay_next_line(text, &c) || strcmp(unc_replay_word(&c, first), UNC_RECORD_FORMAT) != 0 ||
	    c.at < c.end) {
		text->line = 1;
		return unc_replay_wrong(text, "it does not begin with " UNC_RECORD_FORMAT);
	}
	while (rc == UNC_OK) {
		if (!unc_replay_next_line(text, &c))
			return unc_replay_wrong(text, "its head does not end");
		if (strcmp(unc_replay_word(&c, first), "begin") == 0)
			break;
		rc = head_line(&c, first, head);
	}
	if (rc == UNC_OK && (c.at < c.end || !head->name))
		rc = UNC_EARG;
	return rc == UNC_EARG ? unc_replay_wrong(text, "this line makes no sense") : rc;
}

void unc_replay_head_clear(struct unc_replay_head *head)
{
	for (size_t i = 0; i < head->n_options; i++)
		free(head->options[i]);
	free(head->options);
	free(head->program);
	free(head->name);
	memset(head, 0, sizeof(*head));
}
