// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/field.h"
#include "pmon/event_parts.h"
#include "pmon/nearest.h"

const struct unc_part_name unc_part_names[UNC_PARTS] = {
	[UNC_PART_EVENT] = {"event", "ev_sel"},   [UNC_PART_UMASK] = {"umask", "umask"},
	[UNC_PART_EDGE] = {"edge", "edge_det"},   [UNC_PART_INVERT] = {"inv", "invert"},
	[UNC_PART_THRESH] = {"thresh", "thresh"},
};

int unc_parts_refuse(const struct unc_parts *t, int err, const char *fmt, ...)
{
	char why[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return unc_fail(t->ctx, err, "%s: event \"%s\": %s", t->box->name, t->whole, why);
}

const struct unc_field *unc_parts_field(const struct unc_parts *t, unsigned part)
{
	const struct unc_field *field = unc_reg_field(t->ctl, unc_part_names[part].field);

	return field && field->acc == UNC_RW ? field : NULL;
}

/* Finds a part by either name; UNC_PARTS: no part has this name. */
static unsigned part_of(const char *name)
{
	unsigned i = 0;

	while (i < UNC_PARTS && strcmp(name, unc_part_names[i].perf) != 0 && strcmp(name, unc_part_names[i].field) != 0)
		i++;
	return i;
}

static int no_event(const struct unc_parts *t, const char *name)
{
	char near[200];

	unc_nearest_events(t->box->unit, name, near, sizeof(near));
	return unc_fail(t->ctx, UNC_ENOREG, "%s: %s has no %s event \"%s\"%s%s; `uncorectl events` lists them",
			t->box->name, t->box->unit->title, t->box->unit->name, name, *near ? "; near it are " : "",
			near);
}

static int set_part(struct unc_parts *t, unsigned part, uint64_t value)
{
	const struct unc_field *field = unc_parts_field(t, part);

	if (!field)
		return unc_parts_refuse(t, UNC_EARG, "%s has no %s", t->box->unit->title,
					part == UNC_PART_INVERT ? "invert" : unc_part_names[part].perf);
	if (t->given[part])
		return unc_parts_refuse(t, UNC_EARG, "%s is said twice", unc_part_names[part].perf);
	if (value > unc_field_max(field))
		return unc_parts_refuse(t, UNC_ERANGE,
					"%s=0x%" PRIx64 ": the largest value is %" PRIu64 " (0x%" PRIx64 ")",
					unc_part_names[part].perf, value, unc_field_max(field), unc_field_max(field));
	t->given[part] = true;
	t->values[part] = value;
	return UNC_OK;
}

/* perf's config has the layout of the control register. */
static int set_config(struct unc_parts *t, uint64_t config)
{
	struct unc_ctx *ctx = t->ctx;
	uint64_t known = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < UNC_PARTS && rc == 0; i++) {
		const struct unc_field *field = unc_parts_field(t, i);

		if (!field)
			continue;
		rc = set_part(t, i, unc_field_get(field, config));
		if (rc == 0)
			rc = unc_field_set(ctx, field, t->values[i], &known);
	}
	if (rc == 0 && known != config)
		rc = unc_parts_refuse(t, UNC_EARG,
				      "config=0x%" PRIx64 ": bits 0x%" PRIx64 " belong to no part of an event", config,
				      config ^ known);
	t->config = true;
	return rc;
}

static bool is_one_bit(unsigned part)
{
	return part == UNC_PART_EDGE || part == UNC_PART_INVERT;
}

/* Reads "thresh=8" or "edge". */
static int read_part(struct unc_parts *t, char *name)
{
	char *value_text = strchr(name, '=');
	uint64_t value = 1;
	unsigned part;

	if (value_text)
		*value_text++ = '\0';
	part = part_of(name);
	if (part == UNC_PARTS && strcmp(name, "config") != 0)
		return unc_parts_refuse(t, UNC_EARG, "\"%s\" is none of thresh=, edge, invert%s", name,
					t->named ? "" : ", event=, umask=, config=");
	if (t->named && t->named->fixed)
		return unc_parts_refuse(t, UNC_EARG, "%s is counted by the fixed counter, which has no %s",
					t->named->name, name);
	if (t->named && (part == UNC_PARTS || part == UNC_PART_EVENT || part == UNC_PART_UMASK))
		return unc_parts_refuse(t, UNC_EARG, "%s is selected by its name, and takes no %s= besides",
					t->named->name, name);
	if (!value_text && !is_one_bit(part))
		return unc_parts_refuse(t, UNC_EARG, "%s needs a value, as in %s=1", name, name);
	if (value_text && !unc_text_u64(value_text, &value))
		return unc_parts_refuse(t, UNC_EARG, "%s=%s: not a number, decimal or 0x", name, value_text);
	if (t->config)
		return unc_parts_refuse(t, UNC_EARG, "config= has all parts in it, and takes no %s besides", name);
	return part == UNC_PARTS ? set_config(t, value) : set_part(t, part, value);
}

/* Checks the unit before a slash: "imc" or "uncore_imc". */
static int check_unit(struct unc_parts *t, const char *name)
{
	static const char perf[] = "uncore_";
	const char *unit = t->box->unit->name, *rest = name;
	size_t len = strlen(unit);

	if (strncmp(name, perf, sizeof(perf) - 1) == 0)
		rest += sizeof(perf) - 1;
	t->perf = rest != name;
	if (strcmp(rest, unit) == 0)
		return UNC_OK;
	if (rest != name && strncmp(rest, unit, len) == 0 && rest[len] == '_')
		return unc_parts_refuse(
			t, UNC_EARG, "%s is one box by its perf number; write uncore_%s/ and choose boxes with --box",
			name, unit);
	return unc_parts_refuse(t, UNC_EARG, "%s is a box of the unit %s, not of \"%s\"", t->box->name, unit, name);
}

/* Cuts text apart: *ret_body is what is between the slashes, or everything if there are none. */
static int cut_unit(struct unc_parts *t, char *text, char **ret_body)
{
	char *slash = strchr(text, '/'), *body = text;
	int rc;

	if (slash) {
		*slash = '\0';
		rc = check_unit(t, text);
		if (rc < 0)
			return rc;
		body = slash + 1;
		slash = strchr(body, '/');
		if (slash && slash[1] != '\0')
			return unc_parts_refuse(t, UNC_EARG, "\"%s\" behind the last slash", slash + 1);
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
	return first[len] == '=' || part_of(name) < UNC_PARTS;
}

/* Returns the next piece of "a:b,c"; NULL at the end. */
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

/*
 *
 * Finds the fixed event if perf's code for it was given.  The fixed counter has no event code; perf calls it 0xff, without any
 * other part (Linux arch/x86/events/intel/uncore.h, UNCORE_FIXED_EVENT).  In a general counter that would count nothing.  NULL:
 * the text means another event.
 */
static const struct unc_event *perf_fixed(const struct unc_parts *t)
{
	static const uint64_t code[UNC_PARTS] = {[UNC_PART_EVENT] = 0xff};
	const struct unc_unit *unit = t->box->unit;

	if (!t->perf || memcmp(t->values, code, sizeof(code)) != 0)
		return NULL;
	for (size_t i = 0; i < unit->n_events; i++)
		if (unit->events[i].fixed)
			return &unit->events[i];
	return NULL;
}

/* Manuals and Intel's lists write event names in capitals, the lists with a prefix: UNC_M_CAS_COUNT.RD. */
static const struct unc_event *find_event(const struct unc_unit *unit, const char *name)
{
	static const char prefix[] = "unc_m_";
	char plain[256];
	size_t n = 0;

	for (; name[n] && n + 1 < sizeof(plain); n++)
		plain[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
	plain[n] = '\0';
	return unc_unit_event(unit, plain + (strncmp(plain, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0));
}

int unc_parts_read(struct unc_parts *t)
{
	char buf[256], *rest = buf, *piece;
	int rc;

	if (strlen(t->whole) >= sizeof(buf))
		return unc_fail(t->ctx, UNC_EARG, "%s: an event of %zu letters", t->box->name, strlen(t->whole));
	memcpy(buf, t->whole, strlen(t->whole) + 1);
	rc = cut_unit(t, buf, &rest);
	if (rc == 0 && !begins_raw(rest)) {
		piece = cut_piece(&rest);
		t->named = find_event(t->box->unit, piece);
		if (!t->named)
			return no_event(t, piece);
	}
	while (rc == 0 && (piece = cut_piece(&rest)))
		rc = read_part(t, piece);
	if (rc == 0 && !t->named && !t->given[UNC_PART_EVENT])
		rc = unc_parts_refuse(t, UNC_EARG, "no event= in it");
	if (rc == 0 && !t->named)
		t->named = perf_fixed(t);
	return rc;
}

/* ---- the text that is shown ---- */

struct line { /* is truncated at its end */
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

void unc_parts_show(const struct unc_parts *t, char *buf)
{
	struct line line = {.buf = buf};

	if (t->named) {
		append(&line, "%s", t->named->name);
		if (t->values[UNC_PART_THRESH])
			append(&line, ":thresh=%" PRIu64, t->values[UNC_PART_THRESH]);
		append(&line, "%s%s", t->values[UNC_PART_EDGE] ? ":edge" : "",
		       t->values[UNC_PART_INVERT] ? ":invert" : "");
		return;
	}
	append(&line, "event=0x%" PRIx64 ",umask=0x%" PRIx64, t->values[UNC_PART_EVENT], t->values[UNC_PART_UMASK]);
	append(&line, "%s%s", t->values[UNC_PART_EDGE] ? ",edge" : "", t->values[UNC_PART_INVERT] ? ",inv" : "");
	if (t->values[UNC_PART_THRESH])
		append(&line, ",thresh=%" PRIu64, t->values[UNC_PART_THRESH]);
}
