// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text to the control register.  Which bits an event's fields are, the map tells; their names are perf's (format/ of its
 * uncore_imc devices), and the map's mean the same.
 */
#include "pmon/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/field.h"
#include "pmon/nearest.h"

enum { EVENT, UMASK, EDGE, INVERT, THRESH, N_PARTS };
static const struct {
	const char *perf, *field;
} parts[N_PARTS] = {
	[EVENT] = {"event", "ev_sel"}, [UMASK] = {"umask", "umask"},    [EDGE] = {"edge", "edge_det"},
	[INVERT] = {"inv", "invert"},  [THRESH] = {"thresh", "thresh"},
};

struct text { /* what is being read */
	struct unc_ctx *ctx;
	const struct unc_box *box;
	const char *whole; /* as it was written, for sentences */
	char buf[256];     /* a copy that is cut up */
	const struct unc_reg *ctl;
	const struct unc_event *named; /* the map's; NULL: raw */
	bool config;                   /* all parts came in one number */
	bool given[N_PARTS];
	uint64_t values[N_PARTS];
};

static int UNC_PRINTF(3, 4) refuse(const struct text *t, int err, const char *fmt, ...)
{
	char why[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return unc_fail(t->ctx, err, "%s: event \"%s\": %s", t->box->name, t->whole, why);
}

/* The field of the control register; NULL: this CPU has none that can be written. */
static const struct unc_field *field_of(const struct text *t, unsigned part)
{
	const struct unc_field *field = unc_reg_field(t->ctl, parts[part].field);

	return field && field->acc == UNC_RW ? field : NULL;
}

/* By either name; N_PARTS: none is called so. */
static unsigned part_of(const char *name)
{
	unsigned i = 0;

	while (i < N_PARTS && strcmp(name, parts[i].perf) != 0 && strcmp(name, parts[i].field) != 0)
		i++;
	return i;
}

static int no_event(const struct text *t, const char *name)
{
	char near[200];

	unc_nearest_events(t->box->unit, name, near, sizeof(near));
	return unc_fail(t->ctx, UNC_ENOREG, "%s: %s has no %s event \"%s\"%s%s; `uncorectl events` lists them",
			t->box->name, t->box->unit->title, t->box->unit->name, name, *near ? "; near it are " : "",
			near);
}

static int set_part(struct text *t, unsigned part, uint64_t value)
{
	const struct unc_field *field = field_of(t, part);

	if (!field)
		return refuse(t, UNC_EARG, "%s has no %s", t->box->unit->title,
			      part == INVERT ? "invert" : parts[part].perf);
	if (t->given[part])
		return refuse(t, UNC_EARG, "%s is said twice", parts[part].perf);
	if (value > unc_field_max(field))
		return refuse(t, UNC_ERANGE, "%s=0x%" PRIx64 ": the largest value is %" PRIu64 " (0x%" PRIx64 ")",
			      parts[part].perf, value, unc_field_max(field), unc_field_max(field));
	t->given[part] = true;
	t->values[part] = value;
	return UNC_OK;
}

/* perf's config is laid out as the control register is. */
static int set_config(struct text *t, uint64_t config)
{
	struct unc_ctx *ctx = t->ctx;
	uint64_t known = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < N_PARTS && rc == 0; i++) {
		const struct unc_field *field = field_of(t, i);

		if (!field)
			continue;
		rc = set_part(t, i, unc_field_get(field, config));
		if (rc == 0)
			rc = unc_field_set(ctx, field, t->values[i], &known);
	}
	if (rc == 0 && known != config)
		rc = refuse(t, UNC_EARG, "config=0x%" PRIx64 ": bits 0x%" PRIx64 " belong to no part of an event",
			    config, config ^ known);
	t->config = true;
	return rc;
}

static bool is_one_bit(unsigned part)
{
	return part == EDGE || part == INVERT;
}

/* "thresh=8", "edge" */
static int read_part(struct text *t, char *name)
{
	char *value_text = strchr(name, '=');
	uint64_t value = 1;
	unsigned part;

	if (value_text)
		*value_text++ = '\0';
	part = part_of(name);
	if (part == N_PARTS && strcmp(name, "config") != 0)
		return refuse(t, UNC_EARG, "\"%s\" is none of thresh=, edge, invert%s", name,
			      t->named ? "" : ", event=, umask=, config=");
	if (t->named && t->named->fixed)
		return refuse(t, UNC_EARG, "%s is counted by the fixed counter, which has no %s", t->named->name, name);
	if (t->named && (part == N_PARTS || part == EVENT || part == UMASK))
		return refuse(t, UNC_EARG, "%s is selected by its name, and takes no %s= besides", t->named->name,
			      name);
	if (!value_text && !is_one_bit(part))
		return refuse(t, UNC_EARG, "%s needs a value, as in %s=1", name, name);
	if (value_text && !unc_text_u64(value_text, &value))
		return refuse(t, UNC_EARG, "%s=%s: not a number, decimal or 0x", name, value_text);
	if (t->config)
		return refuse(t, UNC_EARG, "config= has all parts in it, and takes no %s besides", name);
	return part == N_PARTS ? set_config(t, value) : set_part(t, part, value);
}

/* "imc", "uncore_imc": in front of a slash. */
static int check_unit(const struct text *t, const char *name)
{
	static const char perf[] = "uncore_";
	const char *unit = t->box->unit->name, *rest = name;
	size_t len = strlen(unit);

	if (strncmp(name, perf, sizeof(perf) - 1) == 0)
		rest += sizeof(perf) - 1;
	if (strcmp(rest, unit) == 0)
		return UNC_OK;
	if (rest != name && strncmp(rest, unit, len) == 0 && rest[len] == '_')
		return refuse(t, UNC_EARG,
			      "%s is one box by its perf number; write uncore_%s/ and choose boxes with --box", name,
			      unit);
	return refuse(t, UNC_EARG, "%s is a box of the unit %s, not of \"%s\"", t->box->name, unit, name);
}

/* What is between the slashes, or everything where there are none. */
static int cut_unit(struct text *t, char **ret_body)
{
	char *slash = strchr(t->buf, '/'), *body = t->buf;
	int rc;

	if (slash) {
		*slash = '\0';
		rc = check_unit(t, t->buf);
		if (rc < 0)
			return rc;
		body = slash + 1;
		slash = strchr(body, '/');
		if (slash && slash[1] != '\0')
			return refuse(t, UNC_EARG, "\"%s\" behind the last slash", slash + 1);
		if (slash)
			*slash = '\0';
	}
	*ret_body = body;
	return UNC_OK;
}

static bool begins_raw(const char *first)
{
	char name[32];
	size_t len = strcspn(first, "=:,");

	if (len >= sizeof(name))
		return false;
	memcpy(name, first, len);
	name[len] = '\0';
	return first[len] == '=' || part_of(name) < N_PARTS;
}

/* The next piece of "a:b,c"; NULL at the end. */
static char *cut_piece(char **rest)
{
	char *piece = *rest, *end;

	if (!piece)
		return NULL;
	end = piece + strcspn(piece, ":,");
	*rest = *end ? end + 1 : NULL;
	*end = '\0';
	return piece;
}

static int read_text(struct text *t)
{
	char *rest, *piece;
	int rc;

	if (strlen(t->whole) >= sizeof(t->buf))
		return unc_fail(t->ctx, UNC_EARG, "%s: an event of %zu letters", t->box->name, strlen(t->whole));
	memcpy(t->buf, t->whole, strlen(t->whole) + 1);
	rc = cut_unit(t, &rest);
	if (rc == 0 && !begins_raw(rest)) {
		piece = cut_piece(&rest);
		t->named = unc_unit_event(t->box->unit, piece);
		if (!t->named)
			return no_event(t, piece);
	}
	while (rc == 0 && (piece = cut_piece(&rest)))
		rc = read_part(t, piece);
	if (rc == 0 && !t->named && !t->given[EVENT])
		rc = refuse(t, UNC_EARG, "no event= in it");
	return rc;
}

/* ---- the control register ---- */

/* What a named event selects, in a control built from nothing. */
static int select_named(struct unc_ctx *ctx, const struct unc_reg *ctl, const struct unc_event *event,
			uint64_t *ret_control)
{
	uint64_t control = unc_reg_blank(ctl);
	int rc = UNC_OK;

	for (size_t i = 0; i < event->n_select && rc == 0; i++) {
		const struct unc_field *field = unc_reg_field(ctl, event->select[i].field);

		rc = field ? unc_field_set(ctx, field, event->select[i].value, &control)
			   : unc_fail(ctx, UNC_ENOREG, "%s has no field %s", ctl->name, event->select[i].field);
	}
	if (rc == 0)
		*ret_control = control;
	return unc_wrap(ctx, rc, "event %s", event->name);
}

static bool selects(const struct unc_event *event, unsigned part)
{
	for (size_t i = 0; i < event->n_select; i++)
		if (strcmp(event->select[i].field, parts[part].field) == 0)
			return true;
	return false;
}

static uint64_t part_in(const struct text *t, unsigned part, uint64_t control)
{
	const struct unc_field *field = field_of(t, part);

	return field ? unc_field_get(field, control) : 0;
}

static int build_control(const struct text *t, uint64_t *ret_control)
{
	uint64_t control = unc_reg_blank(t->ctl);
	int rc = t->named ? select_named(t->ctx, t->ctl, t->named, &control) : UNC_OK;

	for (unsigned i = 0; i < N_PARTS && rc == 0; i++) {
		if (!t->given[i])
			continue;
		if (t->named && selects(t->named, i))
			rc = refuse(t, UNC_EARG, "%s sets %s itself", t->named->name, parts[i].perf);
		else
			rc = unc_field_set(t->ctx, field_of(t, i), t->values[i], &control);
	}
	if (rc < 0)
		return rc;
	/* Both act on what comes out of the threshold comparison (Intel 327043-001, table 2-61). */
	if ((part_in(t, EDGE, control) || part_in(t, INVERT, control)) && part_in(t, THRESH, control) == 0)
		return refuse(t, UNC_EARG,
			      "%s acts on what comes out of the threshold comparison; add thresh=1 or more",
			      part_in(t, EDGE, control) ? "edge" : "invert");
	*ret_control = control;
	return UNC_OK;
}

/* The map's event that selects the same, but for threshold, edge and inversion. */
static const struct unc_event *same_event(const struct text *t, uint64_t control)
{
	const struct unc_unit *unit = t->box->unit;

	for (unsigned i = EDGE; i < N_PARTS; i++)
		if (field_of(t, i))
			unc_field_set(t->ctx, field_of(t, i), 0, &control);
	for (size_t i = 0; i < unit->n_events; i++) {
		uint64_t its;

		if (!unit->events[i].fixed && select_named(t->ctx, t->ctl, &unit->events[i], &its) == 0 &&
		    its == control)
			return &unit->events[i];
	}
	return NULL;
}

static uint32_t every_counter(const struct unc_reg *ctl)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < ctl->count; i++)
		all |= UINT32_C(1) << i;
	return all;
}

/* What is known of a raw event: what the map says of the event that it is. */
static struct unc_event raw_event(const struct text *t, uint64_t control)
{
	const struct unc_event *same = same_event(t, control);

	if (same)
		return *same;
	return (struct unc_event){.path = t->box->unit->path, .line = 0, .counters = every_counter(t->ctl), .scale = 1};
}

/* Behind a threshold there is at most one count a clock, and it counts clocks, not what the event adds up. */
static void count_clocks(struct unc_event *event)
{
	event->max_inc = 1;
	event->scale = 1;
	event->unit = NULL;
}

/* ---- the text that is shown ---- */

struct line { /* cut at its end */
	char *buf;
	size_t used;
};

static void UNC_PRINTF(2, 3) append(struct line *line, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line->buf + line->used, UNC_EVENT_TEXT - line->used, fmt, args);
	va_end(args);
	line->used += n < 0 ? 0 : (size_t)n;
	if (line->used >= UNC_EVENT_TEXT)
		line->used = UNC_EVENT_TEXT - 1;
}

/* "cas_count.rd:thresh=8:edge", "event=0x4,umask=0x3,edge,thresh=8" */
static void write_text(const struct text *t, char *buf)
{
	struct line line = {.buf = buf};

	if (t->named) {
		append(&line, "%s", t->named->name);
		if (t->values[THRESH])
			append(&line, ":thresh=%" PRIu64, t->values[THRESH]);
		append(&line, "%s%s", t->values[EDGE] ? ":edge" : "", t->values[INVERT] ? ":invert" : "");
		return;
	}
	append(&line, "event=0x%" PRIx64 ",umask=0x%" PRIx64, t->values[EVENT], t->values[UMASK]);
	append(&line, "%s%s", t->values[EDGE] ? ",edge" : "", t->values[INVERT] ? ",inv" : "");
	if (t->values[THRESH])
		append(&line, ",thresh=%" PRIu64, t->values[THRESH]);
}

/* ---- */

static int fill(struct text *t, struct unc_wanted *wanted)
{
	int rc = read_text(t);

	if (rc < 0)
		return rc;
	if (t->named && t->named->fixed) {
		wanted->event = *t->named;
	} else {
		rc = build_control(t, &wanted->control);
		if (rc < 0)
			return rc;
		wanted->event = t->named ? *t->named : raw_event(t, wanted->control);
		if (t->values[THRESH])
			count_clocks(&wanted->event);
	}
	write_text(t, wanted->text);
	wanted->event.name = wanted->text;
	wanted->event.select = NULL;
	wanted->event.n_select = 0;
	return UNC_OK;
}

int unc_wanted_new(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct text t = {.ctx = ctx, .box = box, .whole = text, .ctl = unc_unit_reg(box->unit, "CTL")};
	struct unc_wanted *wanted;
	int rc;

	if (!t.ctl)
		return unc_fail(ctx, UNC_ENOSUP, "%s: %s describes no counters", box->name, box->unit->path);
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	rc = fill(&t, wanted);
	if (rc < 0) {
		unc_wanted_free(wanted);
		return rc;
	}
	*ret_wanted = wanted;
	return UNC_OK;
}

void unc_wanted_free(struct unc_wanted *wanted)
{
	free(wanted);
}
