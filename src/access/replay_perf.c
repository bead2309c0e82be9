// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of a record about events of the operating system. */
#include <string.h>

#include "access/replay_cursor.h"
#include "base/text.h"

/* TYPE CONFIG CONFIG1 CONFIG2 CPU =EVENT */
static bool parse_open(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	struct unc_perf_attr *attr = &thing->attr;

	thing->kind = UNC_REPLAY_PERF_OPEN;
	if (!unc_replay_number32(c, &attr->type) || !unc_replay_number(c, UINT64_MAX, &attr->config) ||
	    !unc_replay_number(c, UINT64_MAX, &attr->config1) || !unc_replay_number(c, UINT64_MAX, &attr->config2) ||
	    !unc_replay_unsigned(c, &attr->cpu))
		return false;
	if (unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return c->at < c->end && *c->at++ == '=' && unc_replay_unsigned(c, &thing->event) && c->at == c->end;
}

/* VALUE ENABLED RUNNING */
static bool parse_count(struct unc_replay_cursor *c, struct unc_perf_count *ret_count)
{
	return unc_replay_number(c, UINT64_MAX, &ret_count->value) &&
	       unc_replay_number(c, UINT64_MAX, &ret_count->enabled_ns) &&
	       unc_replay_number(c, UINT64_MAX, &ret_count->running_ns) && c->at == c->end;
}

static bool parse(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	char buf[UNC_REPLAY_WORD];
	unsigned op = 0;

	unc_replay_word(c, buf);
	if (strcmp(buf, UNC_RECORD_PERF_OPEN) == 0)
		return parse_open(c, thing);
	while (op < UNC_RECORD_PERF_OPS && strcmp(buf, unc_record_perf_ops[op]) != 0)
		op++;
	if (op == UNC_RECORD_PERF_OPS || !unc_replay_unsigned(c, &thing->event))
		return false;
	thing->perf = (enum unc_perf_op)op;
	if (thing->perf != UNC_PERF_READ || unc_replay_failed(c))
		return unc_replay_ending(c, thing);
	return parse_count(c, &thing->count);
}

int unc_replay_parse_perf(struct unc_replay_cursor *c, struct unc_replay_thing *thing)
{
	return parse(c, thing) ? UNC_OK : UNC_EARG;
}
