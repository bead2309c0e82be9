// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as text, and as bits of the control register; the map says which bits they are. */
#include "pmon/event.h"

#include "base/nearest.h"
#include "base/text.h"
#include "map/field.h"
#include "uncore/event.h"

/* The parts of an event: those of unc_part_names, then the fields that every event of the unit selects, such as masks. */
enum { PARTS_MAX = UNC_PARTS + UNC_EVERY_MAX };

struct unc_parts {
	struct unc_ctx *ctx;
	const struct unc_box *box;
	const char *whole; /* the event's text as it was given, for messages */
	const struct unc_reg *ctl;
	const struct unc_event *named; /* the map's event; NULL: raw */
	bool perf;                     /* "uncore_imc/" was given: the event has perf's meaning */
	bool config;                   /* all parts came in one number (config=) */
	bool given[PARTS_MAX];
	uint64_t values[PARTS_MAX];
};

UNC_PRINTF(3, 4)
static int parts_refuse(const struct unc_parts *t, int err, const char *fmt, ...)
{
	char why[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return unc_fail(t->ctx, err, "%s: event \"%s\": %s", t->box->name, t->whole, why);
}

static unsigned n_parts(const struct unc_parts *t)
{
	return UNC_PARTS + (unsigned)t->box->unit->n_every;
}

static const char *field_name(const struct unc_parts *t, unsigned part)
{
	return part < UNC_PARTS ? unc_part_names[part].field : t->box->unit->selects[part - UNC_PARTS].field;
}

static const char *part_name(const struct unc_parts *t, unsigned part)
{
	return part < UNC_PARTS ? unc_part_names[part].perf : field_name(t, part);
}

/* Returns the part's field in the control register; NULL: this CPU has none that can be written. */
static const struct unc_field *parts_field(const struct unc_parts *t, unsigned part)
{
	const struct unc_field *field = t->ctl ? unc_reg_field(t->ctl, field_name(t, part)) : NULL;

	return field && field->acc == UNC_RW ? field : NULL;
}

/* ---- from text ---- */

const struct unc_part_name unc_part_names[UNC_PARTS] = {
	[UNC_PART_EVENT] = {"event", "ev_sel"},   [UNC_PART_UMASK] = {"umask", "umask"},
	[UNC_PART_EDGE] = {"edge", "edge_det"},   [UNC_PART_INVERT] = {"inv", "invert"},
	[UNC_PART_THRESH] = {"thresh", "thresh"},
};

/* Is that the name, of len letters?  perf writes those of several words in one: slicemask. */
static bool is_name(const char *name, const char *text, size_t len)
{
	for (; *name; name++) {
		if (len > 0 && *text == *name)
			text++, len--;
		else if (*name != '_')
			return false;
	}
	return len == 0;
}

/* Finds a part by either name, of len letters; n_parts(): no part has this name. */
static unsigned part_of(const struct unc_parts *t, const char *name, size_t len)
{
	unsigned i = 0;

	while (i < n_parts(t) && !is_name(part_name(t, i), name, len) && !is_name(field_name(t, i), name, len))
		i++;
	return i;
}

static int set_part(struct unc_parts *t, unsigned part, uint64_t value)
{
	const struct unc_field *field = parts_field(t, part);
	uint64_t most;

	if (!field)
		return parts_refuse(t, UNC_EARG, "%s has no %s", t->box->unit->title,
				    part == UNC_PART_INVERT ? "invert" : part_name(t, part));
	if (t->given[part])
		return parts_refuse(t, UNC_EARG, "%s is said twice", part_name(t, part));
	most = unc_value_max(t->ctl, field->name);
	if (value > most)
		return parts_refuse(t, UNC_ERANGE, "%s=0x%" PRIx64 ": the largest value is %" PRIu64 " (0x%" PRIx64 ")",
				    part_name(t, part), value, most, most);
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

	for (unsigned i = 0; i < n_parts(t) && rc == 0; i++) {
		if (!parts_field(t, i))
			continue;
		rc = set_part(t, i, unc_value_get(t->ctl, field_name(t, i), config));
		if (rc == 0)
			rc = unc_value_set(ctx, t->ctl, field_name(t, i), t->values[i], &known);
	}
	if (rc == 0 && known != config)
		rc = parts_refuse(t, UNC_EARG, "config=0x%" PRIx64 ": bits 0x%" PRIx64 " belong to no part of an event",
				  config, config ^ known);
	t->config = true;
	return rc;
}

/* Reads "thresh=8" or "edge". */
static int read_part(struct unc_parts *t, char *name)
{
	char *value_text = strchr(name, '=');
	uint64_t value = 1;
	unsigned part;

	if (value_text)
		*value_text++ = '\0';
	part = part_of(t, name, strlen(name));
	if (part == n_parts(t) && strcmp(name, "config") != 0)
		return parts_refuse(t, UNC_EARG, "\"%s\" is none of thresh=, edge, invert%s", name,
				    t->named ? "" : ", event=, umask=, config=");
	if (t->named && t->named->fixed)
		return parts_refuse(t, UNC_EARG, "%s is counted by the fixed counter, which has no %s", t->named->name,
				    name);
	if (t->named && (part == n_parts(t) || part == UNC_PART_EVENT || part == UNC_PART_UMASK))
		return parts_refuse(t, UNC_EARG, "%s is selected by its name, and takes no %s= besides", t->named->name,
				    name);
	if (!value_text && part != UNC_PART_EDGE && part != UNC_PART_INVERT)
		return parts_refuse(t, UNC_EARG, "%s needs a value, as in %s=1", name, name);
	if (value_text && !unc_text_u64(value_text, &value))
		return parts_refuse(t, UNC_EARG, "%s=%s: not a number, decimal or 0x", name, value_text);
	if (t->config)
		return parts_refuse(t, UNC_EARG, "config= has all parts in it, and takes no %s besides", name);
	return part == n_parts(t) ? set_config(t, value) : set_part(t, part, value);
}

/*
 * Cuts the unit off, which is "imc", "uncore_imc" or "amd_df": *text begins with what is between the slashes, or is unchanged if there are
 * none.
 */
static int cut_unit(struct unc_parts *t, char **text)
{
	static const char *const prefixes[] = {"uncore_", "amd_"}; /* perf's */
	const char *unit = t->box->unit->name, *name = *text, *rest = name;
	char *slash = strchr(*text, '/');
	size_t len = strlen(unit);

	if (!slash)
		return UNC_OK;
	*slash = '\0';
	*text = slash + 1;
	for (unsigned i = 0; i < 2 && rest == name; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			rest += strlen(prefixes[i]);
	t->perf = rest != name;
	if (t->perf && strncmp(rest, unit, len) == 0 && rest[len] == '_')
		return parts_refuse(t, UNC_EARG,
				    "%s is one box by its perf number; write %.*s%s/ and choose boxes with --box", name,
				    (int)(rest - name), name, unit);
	if (strcmp(rest, unit) != 0)
		return parts_refuse(t, UNC_EARG, "%s is a box of the unit %s, not of \"%s\"", t->box->name, unit, name);
	slash = strchr(*text, '/');
	if (slash && slash[1] != '\0')
		return parts_refuse(t, UNC_EARG, "\"%s\" after the last slash", slash + 1);
	if (slash)
		*slash = '\0';
	return UNC_OK;
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

static const struct unc_event *fixed_event(const struct unc_unit *unit)
{
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
		plain[n] = unc_lower(name[n]);
	plain[n] = '\0';
	return unc_unit_event(unit, plain + (strncmp(plain, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0));
}

/* Is there a metric of that name, or one whose name has it before its dot? */
static bool is_metric(const struct unc_box *box, const char *name)
{
	size_t len = strlen(name), n = unc_metric_count(box->machine, box->unit->name);
	struct unc_metric_info info;

	for (size_t i = 0; i < n; i++)
		if (unc_metric_info(box->machine, box->unit->name, i, &info) == 0 &&
		    strncmp(info.name, name, len) == 0 && (!info.name[len] || info.name[len] == '.'))
			return true;
	return false;
}

static int no_such_event(const struct unc_parts *t, const char *name)
{
	const struct unc_unit *unit = t->box->unit;
	struct unc_nearest nearest = {.asked = name};
	char near[UNC_NEAREST_TEXT];

	if (is_metric(t->box, name))
		return unc_fail(t->ctx, UNC_ENOREG,
				"%s: \"%s\" is a metric and no %s event; `uncorectl stat -m %s` shows it", t->box->name,
				name, unit->name, name);
	for (size_t i = 0; i < unit->n_events; i++)
		unc_nearest_offer(&nearest, unit->events[i].name);
	return unc_fail(t->ctx, UNC_ENOREG, "%s: %s has no %s event \"%s\"%s; `uncorectl events` lists them",
			t->box->name, unit->title, unit->name, name, unc_nearest_text(&nearest, near));
}

/* Reads parts->whole into the other members. */
static int parts_read(struct unc_parts *t)
{
	/*
	 * The fixed counter has no event code; perf calls it 0xff, without any other part (Linux arch/x86/events/intel/uncore.h,
	 * UNCORE_FIXED_EVENT).  In a general counter that would count nothing.
	 */
	static const uint64_t perf_fixed[UNC_PARTS] = {[UNC_PART_EVENT] = 0xff};
	enum { PART_MAX = 31 };
	char buf[256], *rest = buf, *piece;
	size_t len;
	int rc;

	if (strlen(t->whole) >= sizeof(buf))
		return unc_fail(t->ctx, UNC_EARG, "%s: an event of %zu letters", t->box->name, strlen(t->whole));
	memcpy(buf, t->whole, strlen(t->whole) + 1);
	rc = cut_unit(t, &rest);
	if (rc < 0)
		return rc;
	len = strcspn(rest, "=:,");
	if (len > PART_MAX || (rest[len] != '=' && part_of(t, rest, len) == n_parts(t))) {
		piece = cut_piece(&rest);
		t->named = find_event(t->box->unit, piece);
		if (!t->named)
			return no_such_event(t, piece);
	}
	while (rc == 0 && (piece = cut_piece(&rest)))
		rc = read_part(t, piece);
	if (rc < 0 || t->named)
		return rc;
	if (!t->given[UNC_PART_EVENT])
		return parts_refuse(t, UNC_EARG, "no event= in it");
	if (t->perf && memcmp(t->values, perf_fixed, sizeof(perf_fixed)) == 0)
		t->named = fixed_event(t->box->unit);
	return UNC_OK;
}

/* ---- the text that is shown ---- */

/* Adds the parts that each event selects, as far as they are not as the event has them. */
static void show_others(const struct unc_parts *t, char buf[UNC_EVENT_TEXT], const char *between)
{
	uint64_t usual;

	if (!t->ctl || unc_event_control(t->ctx, t->box->unit, t->named, &usual) < 0)
		return;
	for (unsigned i = UNC_PARTS; i < n_parts(t); i++)
		if (t->values[i] != unc_value_get(t->ctl, field_name(t, i), usual))
			unc_text_join(buf, UNC_EVENT_TEXT, between, "%s=0x%" PRIx64, part_name(t, i), t->values[i]);
}

/* Writes "cas_count.rd:thresh=8:edge" or "event=0x4,umask=0x3,edge,thresh=8", cut at its end. */
static void parts_show(const struct unc_parts *t, char buf[UNC_EVENT_TEXT])
{
	const size_t size = UNC_EVENT_TEXT;
	const uint64_t *values = t->values;

	if (t->named) {
		snprintf(buf, size, "%s", t->named->name);
		if (values[UNC_PART_THRESH])
			unc_text_join(buf, size, "", ":thresh=%" PRIu64, values[UNC_PART_THRESH]);
		unc_text_join(buf, size, "", "%s%s", values[UNC_PART_EDGE] ? ":edge" : "",
			      values[UNC_PART_INVERT] ? ":invert" : "");
		show_others(t, buf, ":");
		return;
	}
	snprintf(buf, size, "event=0x%" PRIx64, values[UNC_PART_EVENT]);
	if (parts_field(t, UNC_PART_UMASK))
		unc_text_join(buf, size, ",", "umask=0x%" PRIx64, values[UNC_PART_UMASK]);
	unc_text_join(buf, size, "", "%s%s", values[UNC_PART_EDGE] ? ",edge" : "",
		      values[UNC_PART_INVERT] ? ",inv" : "");
	if (values[UNC_PART_THRESH])
		unc_text_join(buf, size, ",", "thresh=%" PRIu64, values[UNC_PART_THRESH]);
	show_others(t, buf, ",");
}

/* ---- the control register ---- */

static bool selects(const struct unc_event *event, unsigned part)
{
	for (size_t i = 0; i < event->n_select; i++)
		if (strcmp(event->select[i].field, unc_part_names[part].field) == 0)
			return true;
	return false;
}

static uint64_t part_in(const struct unc_parts *t, unsigned part, uint64_t control)
{
	return parts_field(t, part) ? unc_value_get(t->ctl, field_name(t, part), control) : 0;
}

static int build_control(struct unc_parts *t, uint64_t *ret_control)
{
	uint64_t control;
	int rc = unc_event_control(t->ctx, t->box->unit, t->named, &control);

	for (unsigned i = 0; i < n_parts(t) && rc == 0; i++) {
		if (t->given[i] && i < UNC_PARTS && t->named && selects(t->named, i))
			rc = parts_refuse(t, UNC_EARG, "%s sets %s itself", t->named->name, part_name(t, i));
		else if (t->given[i])
			rc = unc_value_set(t->ctx, t->ctl, field_name(t, i), t->values[i], &control);
		else if (i >= UNC_PARTS)
			t->values[i] = part_in(t, i, control);
	}
	if (rc < 0)
		return rc;
	/* Both act on the result of the threshold comparison (Intel 327043-001, table 2-61), where there is one. */
	if (parts_field(t, UNC_PART_THRESH) &&
	    (part_in(t, UNC_PART_EDGE, control) || part_in(t, UNC_PART_INVERT, control)) &&
	    part_in(t, UNC_PART_THRESH, control) == 0)
		return parts_refuse(t, UNC_EARG,
				    "%s acts on what comes out of the threshold comparison; add thresh=1 or more",
				    part_in(t, UNC_PART_EDGE, control) ? "edge" : "invert");
	*ret_control = control;
	return UNC_OK;
}

/* Returns the map's event that selects the same, ignoring threshold, edge, inversion, and what each event selects. */
static const struct unc_event *same_event(const struct unc_parts *t, uint64_t control)
{
	const struct unc_unit *unit = t->box->unit;
	uint64_t ignored = 0;

	for (unsigned i = UNC_PART_EDGE; i < n_parts(t); i++)
		if (i < UNC_PARTS && parts_field(t, i))
			unc_field_set(t->ctx, parts_field(t, i), 0, &control);
		else if (i >= UNC_PARTS)
			unc_value_set(t->ctx, t->ctl, field_name(t, i), unc_value_max(t->ctl, field_name(t, i)),
				      &ignored);
	for (size_t i = 0; i < unit->n_events; i++) {
		uint64_t its;

		if (!unit->events[i].fixed && !unit->events[i].as &&
		    unc_event_control(t->ctx, unit, &unit->events[i], &its) == 0 && !((its ^ control) & ~ignored))
			return &unit->events[i];
	}
	return NULL;
}

/* Describes an event when only the value of its control is known. */
static struct unc_event unknown_event(const struct unc_reg *ctl, const char *path, unsigned line)
{
	uint32_t every = ctl->count < 32 ? (UINT32_C(1) << ctl->count) - 1 : UINT32_MAX;

	return (struct unc_event){.path = path, .line = line, .counters = every, .scale = 1};
}

/* Describes a raw event as the map describes the event that selects the same. */
static struct unc_event raw_event(const struct unc_parts *t, uint64_t control)
{
	const struct unc_event *same = same_event(t, control);

	return same ? *same : unknown_event(t->ctl, t->box->unit->path, 0);
}

/* After a threshold there is at most one count per clock, and it counts clocks, not what the event adds up. */
static void count_clocks(struct unc_event *event)
{
	event->max_inc = 1;
	event->one_per = 0;
	event->scale = 1;
	event->unit = NULL;
}

/* The event is named by its text, and selected by its control. */
static void finish(struct unc_wanted *wanted)
{
	wanted->event.name = wanted->text;
	wanted->event.select = NULL;
	wanted->event.n_select = 0;
}

/* The event of a channel whose counters are those of another box: there it has the number of the channel in its name. */
static int wanted_elsewhere(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted)
{
	struct unc_parts t = {.ctx = box->machine->ctx, .box = box, .whole = text};
	char there[UNC_EVENT_TEXT], buf[UNC_EVENT_TEXT], *name = buf;
	const struct unc_event *event;
	int rc;

	snprintf(buf, sizeof(buf), "%s", text);
	rc = cut_unit(&t, &name);
	if (rc < 0)
		return rc;
	event = find_event(box->unit, name);
	if (!event)
		return no_such_event(&t, name);
	if (!box->beside || box->beside->presence != UNC_PRESENT)
		return unc_fail(t.ctx, box->beside ? box->beside->rc : UNC_ENOSUP, "%s: %s: %s", box->name, event->name,
				box->beside ? box->beside->why : "this machine has no unit that counts it");
	snprintf(there, sizeof(there), "%.40s%u", event->as, box->instance->channel);
	rc = unc_wanted_new(box->beside, there, ret_wanted);
	if (rc < 0)
		return rc;
	snprintf((*ret_wanted)->text, sizeof((*ret_wanted)->text), "%s", event->name);
	(*ret_wanted)->by = box->beside;
	return UNC_OK;
}

int unc_wanted_new(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted)
{
	struct unc_ctx *ctx = box->machine->ctx;
	struct unc_parts t = {.ctx = ctx, .box = box, .whole = text, .ctl = unc_unit_reg(box->unit, "CTL")};
	struct unc_wanted *wanted;
	bool fixed;
	int rc;

	if (box->counted_by)
		return wanted_elsewhere(box, text, ret_wanted);
	if (!t.ctl && strcmp(box->unit->model, "free1") != 0 && box->unit->kind != UNC_AREA)
		return unc_fail(ctx, UNC_ENOSUP, "%s: %s describes no counters", box->name, box->unit->path);
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	rc = parts_read(&t);
	if (rc == 0 && t.named && t.named->refused)
		rc = parts_refuse(&t, UNC_ENOSUP, "%s", t.named->refused);
	if (rc == 0 && t.named && t.named->as) {
		unc_wanted_free(wanted);
		return wanted_elsewhere(box, text, ret_wanted);
	}
	fixed = t.named && t.named->fixed;
	if (rc == 0 && !fixed && t.ctl)
		rc = build_control(&t, &wanted->control);
	if (rc < 0) {
		unc_wanted_free(wanted);
		return rc;
	}
	wanted->event = t.named ? *t.named : raw_event(&t, wanted->control);
	if (!fixed && t.values[UNC_PART_THRESH])
		count_clocks(&wanted->event);
	parts_show(&t, wanted->text);
	finish(wanted);
	*ret_wanted = wanted;
	return UNC_OK;
}

void unc_wanted_free(struct unc_wanted *wanted)
{
	free(wanted);
}

/* ---- a control that another program wrote ---- */

static void decode_parts(struct unc_parts *t, uint64_t control, struct unc_wanted *wanted)
{
	wanted->control = unc_reg_blank(t->ctl);
	for (unsigned i = 0; i < n_parts(t); i++) {
		t->values[i] = part_in(t, i, control);
		if (parts_field(t, i))
			unc_value_set(t->ctx, t->ctl, field_name(t, i), t->values[i], &wanted->control);
	}
	t->named = same_event(t, wanted->control);
	wanted->event = raw_event(t, wanted->control);
	if (t->values[UNC_PART_THRESH])
		count_clocks(&wanted->event);
	else if (t->values[UNC_PART_EDGE] || t->values[UNC_PART_INVERT]) /* not documented without a threshold */
		wanted->event.max_inc = wanted->event.one_per = 0;
	parts_show(t, wanted->text);
}

void unc_wanted_decode(const struct unc_box *box, const struct unc_reg *ctl, uint64_t control,
		       struct unc_wanted *ret_wanted)
{
	struct unc_parts t = {.ctx = box->machine->ctx, .box = box, .ctl = ctl};
	const struct unc_field *en = unc_reg_field(ctl, "en");

	memset(ret_wanted, 0, sizeof(*ret_wanted));
	if (ctl != unc_unit_reg(box->unit, "CTL")) {
		const struct unc_event *event = fixed_event(box->unit);

		ret_wanted->event =
			event ? *event : (struct unc_event){.path = ctl->path, .line = ctl->line, .scale = 1};
		ret_wanted->event.fixed = true;
		snprintf(ret_wanted->text, sizeof(ret_wanted->text), "%s", event ? event->name : ctl->name);
	} else if (unc_reg_wrong_bits(ctl, control)) { /* bits that no field of the map names have an unknown effect */
		if (en)
			unc_field_set(t.ctx, en, 0, &control);
		ret_wanted->event = unknown_event(ctl, ctl->path, ctl->line);
		snprintf(ret_wanted->text, sizeof(ret_wanted->text), "config=0x%" PRIx64, control);
	} else {
		decode_parts(&t, control, ret_wanted);
	}
	finish(ret_wanted);
}

bool unc_wanted_is(const struct unc_box *box, const struct unc_wanted *wanted, const struct unc_reg *ctl,
		   uint64_t control)
{
	const struct unc_parts t = {.ctx = box->machine->ctx, .box = box, .ctl = ctl};
	bool fixed = ctl != unc_unit_reg(box->unit, "CTL");

	if (wanted->event.fixed || fixed)
		return wanted->event.fixed && fixed;
	if (unc_reg_wrong_bits(ctl, control))
		return false;
	for (unsigned i = 0; i < n_parts(&t); i++)
		if (part_in(&t, i, control) != part_in(&t, i, wanted->control))
			return false;
	return true;
}
