// SPDX-License-Identifier: GPL-2.0-or-later
/* Stores what checks produce (results, values, plots), and gives it to the caller. */
#include "check/drive.h"

/* ==== how rare a fault may be ==== */

/* The probability that all n tries succeed is (1 - 1/N)^n < e^(-n/N), which is below 0.01 from n = N ln 100 = 4.60517 N on. */
const char *unc_odds_text(uint64_t n, uint64_t n_bad, char buf[UNC_ODDS_TEXT])
{
	if (n_bad)
		snprintf(buf, UNC_ODDS_TEXT, "one in %" PRIu64, n / n_bad);
	else
		snprintf(buf, UNC_ODDS_TEXT, "one in %" PRIu64 " would have been seen with 99 %%",
			 n / 4606 * 1000 + n % 4606 * 1000 / 4606);
	return buf;
}

struct unc_check_kept {
	struct unc_check_value value; /* without the texts below */
	char what[80], reg[UNC_GATE_TEXT];
};

struct unc_check_trace {
	struct unc_check_plot plot; /* without the title and the points below */
	char title[120];
	struct unc_check_point *points; /* owned */
};

/* ==== notes results ==== */

static struct unc_check_entry *last(struct unc_check *c)
{
	return c->rc == 0 && c->n_entries ? &c->entries[c->n_entries - 1] : NULL;
}

void unc_check_begin(struct unc_check *c, const char *subject)
{
	struct unc_check_entry entry = {.result = {.check = c->now->about.name, .state = UNC_CHECK_PASS}};

	snprintf(entry.subject, sizeof(entry.subject), "%s", subject);
	if (c->rc == 0)
		c->rc = unc_list_add(c->m->ctx, &c->entries, &c->n_entries, &entry, sizeof(entry));
}

void unc_check_begin_socket(struct unc_check *c, unsigned socket)
{
	char subject[24];

	snprintf(subject, sizeof(subject), "socket%u", socket);
	unc_check_begin(c, subject);
}

bool unc_check_begin_box(struct unc_check *c, const struct unc_check_box *b, bool only_read)
{
	bool good = only_read ? b->there : b->usable;

	const char *inapplicable = unc_check_inapplicable(c, b);

	unc_check_begin(c, b->box->name);
	if (!good)
		unc_check_prevented(c, b->rc, b->why);
	else if (inapplicable)
		unc_check_skip(c, "%s", inapplicable);
	return good && !inapplicable;
}

const char *unc_check_inapplicable(const struct unc_check *c, const struct unc_check_box *b)
{
	bool in_msrs = b->box->unit->kind == UNC_MSR;

	if (c->now->msrs >= UNC_CHECK_DRIVEN ||
	    (!in_msrs && (c->now->need == UNC_CHECK_CHANNELS || b->pbox.regs.fixed_ctl)))
		return NULL;
	if (in_msrs && c->now->msrs == UNC_CHECK_NO_MSRS)
		return "its counters are MSRs: they have no function of their own, and nothing stops all of them at "
		       "once";
	return unc_drive_clock_event(b) ? NULL : "it counts no clock, by which this could be told";
}

/* The first failure keeps its sentence; otherwise the last sentence is kept. */
void unc_check_say(struct unc_check *c, enum unc_check_state state, const char *fmt, ...)
{
	struct unc_check_entry *entry = last(c);
	va_list args;

	if (!entry || entry->result.state == UNC_CHECK_FAIL)
		return;
	entry->result.state = state;
	va_start(args, fmt);
	vsnprintf(entry->finding, sizeof(entry->finding), fmt, args);
	va_end(args);
}

void unc_check_prevented(struct unc_check *c, int rc, const char *why)
{
	struct unc_check_entry *entry = last(c);

	unc_check_skip(c, "%s", why);
	if (entry && entry->result.state == UNC_CHECK_SKIP)
		entry->result.rc = rc;
}

bool unc_check_failed(const struct unc_check *c)
{
	return c->n_entries && c->entries[c->n_entries - 1].result.state == UNC_CHECK_FAIL;
}

int unc_check_broke(struct unc_check *c, int rc)
{
	if (rc == UNC_EAGAIN || rc == UNC_ENOMEM)
		return rc;
	if (rc == UNC_EBUSY)
		unc_check_skip(c, "%s", c->m->ctx->msg);
	else if (rc < 0)
		unc_check_fail(c, "%s", c->m->ctx->msg);
	return UNC_OK;
}

/* ---- values ---- */

struct unc_check_seen unc_seen(const struct unc_box *box, const struct unc_reg *reg, unsigned index, const char *what,
			       uint64_t read)
{
	return (struct unc_check_seen){.what = what, .box = box, .reg = reg, .index = index, .read = read};
}

struct unc_check_seen unc_seen_value(const char *name, const char *what, uint64_t read)
{
	return (struct unc_check_seen){.what = what, .name = name, .read = read};
}

struct unc_check_seen unc_seen_wrote(struct unc_check_seen seen, uint64_t wrote)
{
	seen.has_wrote = true;
	seen.wrote = wrote;
	return seen;
}

static uint64_t compared_bits(const struct unc_check_seen *seen)
{
	return seen->compared ? seen->compared : seen->reg ? unc_reg_all(seen->reg) : UINT64_MAX;
}

static bool is_good(const struct unc_check_seen *seen)
{
	return !seen->has_expected || ((seen->read ^ seen->expected) & compared_bits(seen)) == 0;
}

/* If there is no room, a bad value replaces a good one. */
static void keep(struct unc_check *c, struct unc_check_entry *entry, const struct unc_check_seen *seen)
{
	struct unc_check_kept kept = {
		.value = {.box = seen->box ? seen->box->name : "",
			  .pci = seen->box ? seen->box->pci : "",
			  .offset = seen->reg ? unc_reg_off(seen->reg, seen->index) : 0,
			  .bits = seen->reg ? seen->reg->bits : 64,
			  .has_wrote = seen->has_wrote,
			  .has_expected = seen->has_expected,
			  .wrote = seen->wrote,
			  .read = seen->read,
			  .expected = seen->expected,
			  .compared = compared_bits(seen),
			  .good = is_good(seen)},
	};
	size_t i = 0;

	snprintf(kept.what, sizeof(kept.what), "%s", seen->what);
	if (seen->reg)
		unc_gate_reg_text(seen->reg, seen->index, kept.reg);
	else
		snprintf(kept.reg, sizeof(kept.reg), "%s", seen->name);
	if (entry->result.n_values < UNC_CHECK_VALUES_KEPT) {
		c->rc = unc_list_add(c->m->ctx, &entry->values, &entry->result.n_values, &kept, sizeof(kept));
	} else if (!kept.value.good) {
		while (i < entry->result.n_values && !entry->values[i].value.good)
			i++;
		if (i < entry->result.n_values)
			entry->values[i] = kept;
		else
			entry->result.n_dropped++;
	}
}

bool unc_check_see(struct unc_check *c, struct unc_check_seen seen)
{
	struct unc_check_entry *entry = last(c);

	if (entry)
		keep(c, entry, &seen);
	return is_good(&seen);
}

bool unc_check_compare(struct unc_check *c, struct unc_check_seen seen, uint64_t expected, uint64_t compared)
{
	seen.has_expected = true;
	seen.expected = expected;
	seen.compared = compared;
	return unc_check_see(c, seen);
}

bool unc_check_expect(struct unc_check *c, struct unc_check_seen seen, uint64_t expected, uint64_t compared)
{
	int digits = seen.reg ? (int)seen.reg->bits / 4 : 1;
	char name[UNC_GATE_TEXT], wrote[40] = "";

	if (unc_check_compare(c, seen, expected, compared))
		return true;
	if (seen.has_wrote)
		snprintf(wrote, sizeof(wrote), "wrote 0x%0*" PRIx64 ", ", digits, seen.wrote);
	unc_check_fail(c, "%s: %s: %sread 0x%0*" PRIx64 ", expected 0x%0*" PRIx64,
		       seen.reg ? unc_gate_reg_text(seen.reg, seen.index, name) : seen.name, seen.what, wrote, digits,
		       seen.read, digits, expected);
	return false;
}

/* ---- when a check ends ---- */

/* The result of that channel from index first on; NULL: there is none. */
static struct unc_check_entry *entry_of(const struct unc_check *c, size_t first, const struct unc_check_box *b)
{
	for (size_t i = first; i < c->n_entries; i++)
		if (strcmp(c->entries[i].subject, b->box->name) == 0)
			return &c->entries[i];
	return NULL;
}

/* What was seen of the channel before may be caused by what else happens there, so this is added after it. */
static void report_lost(struct unc_check *c, size_t first, struct unc_check_box *b)
{
	struct unc_check_entry *entry = entry_of(c, first, b);
	char found[UNC_CHECK_TEXT];

	if (!entry) {
		unc_check_begin(c, b->box->name);
		entry = last(c);
	}
	if (!entry)
		return;
	memcpy(found, entry->finding, sizeof(found));
	snprintf(entry->finding, sizeof(entry->finding), "%.400s%s%.240s", b->why,
		 entry->result.state == UNC_CHECK_FAIL ? "; this check had found: " : "",
		 entry->result.state == UNC_CHECK_FAIL ? found : "");
	entry->result.state = UNC_CHECK_FAIL;
	b->lost.told = true;
	if (b->lost.seen.reg && c->rc == 0)
		keep(c, entry, &b->lost.seen);
}

void unc_check_verify_readback(struct unc_check *c, size_t first)
{
	bool any = false;

	for (size_t i = 0; i < c->n_boxes; i++)
		any |= entry_of(c, first, &c->boxes[i]) != NULL;
	for (size_t i = 0; i < c->n_boxes && any; i++)
		if (!entry_of(c, first, &c->boxes[i]))
			unc_check_begin(c, c->boxes[i].box->name);
	for (size_t i = 0; i < c->n_boxes; i++)
		if (c->boxes[i].lost.is && !c->boxes[i].lost.told)
			report_lost(c, first, &c->boxes[i]);
	for (size_t i = first; i < c->n_entries; i++) {
		struct unc_check_entry *entry = &c->entries[i];

		if (entry->finding[0])
			continue;
		entry->result.state = UNC_CHECK_FAIL;
		snprintf(entry->finding, sizeof(entry->finding),
			 "this check says neither what it saw nor why it did not look: a fault of uncorectl");
	}
}

/* ---- plots ---- */

void unc_check_begin_plot(struct unc_check *c, const struct unc_check_plot *plot)
{
	struct unc_check_entry *entry = last(c);
	struct unc_check_trace trace = {.plot = *plot};

	snprintf(trace.title, sizeof(trace.title), "%s", plot->title);
	if (entry)
		c->rc = unc_list_add(c->m->ctx, &entry->traces, &entry->result.n_plots, &trace, sizeof(trace));
}

void unc_check_point(struct unc_check *c, double x, double y)
{
	struct unc_check_entry *entry = last(c);
	struct unc_check_trace *trace =
		entry && entry->result.n_plots ? &entry->traces[entry->result.n_plots - 1] : NULL;
	const struct unc_check_point point = {x, y};

	if (trace)
		c->rc = unc_list_add(c->m->ctx, &trace->points, &trace->plot.n_points, &point, sizeof(point));
}

/* ---- tested ---- */

bool unc_check_is_doubtful(const struct unc_reg *reg, const struct unc_field *field)
{
	bool programmed = field && (field->acc == UNC_RW || field->acc == UNC_WO);

	return (field && field->verify) || (reg->verify && !programmed);
}

void unc_check_tested(struct unc_check *c, const char *name, const char *fmt, ...)
{
	struct unc_check_entry *entry = last(c);
	const char *had = entry && entry->result.tested ? entry->result.tested : "";
	char text[UNC_CHECK_TEXT], quoted[2 * UNC_CHECK_TEXT];
	size_t n = 0;
	va_list args;
	char *more;

	if (!entry)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Quotes, backslashes and control characters would end a YAML string. */
	for (const char *at = text; *at && n + 3 < sizeof(quoted); at++) {
		if (*at == '"' || *at == '\\')
			quoted[n++] = '\\';
		quoted[n] = *at;
		if ((unsigned char)*at < ' ')
			quoted[n] = ' ';
		n++;
	}
	quoted[n] = '\0';
	more = unc_text_new("%s%s%s: {tested: \"%s\"}", had, had[0] ? "\n" : "", name, quoted);
	if (!more) {
		c->rc = unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	free((char *)entry->result.tested);
	entry->result.tested = more;
}

/* ==== what the caller reads ==== */

void unc_check_entry_clear(struct unc_check_entry *entry)
{
	for (size_t i = 0; i < entry->result.n_plots; i++)
		free(entry->traces[i].points);
	free(entry->traces);
	free(entry->values);
	free((char *)entry->result.tested);
}

size_t unc_check_results(const struct unc_check *c)
{
	return c->n_entries;
}

static const struct unc_check_entry *entry_at(const struct unc_check *c, size_t i)
{
	if (i < c->n_entries)
		return &c->entries[i];
	unc_fail(c->m->ctx, UNC_ENODEV, "there are %zu results, none of number %zu", c->n_entries, i);
	return NULL;
}

int unc_check_result(const struct unc_check *c, size_t index, struct unc_check_result *ret_result)
{
	const struct unc_check_entry *entry = entry_at(c, index);

	if (!entry)
		return UNC_ENODEV;
	*ret_result = entry->result;
	ret_result->subject = entry->subject;
	ret_result->finding = entry->finding;
	return UNC_OK;
}

int unc_check_value(const struct unc_check *c, size_t result, size_t index, struct unc_check_value *ret_value)
{
	const struct unc_check_entry *entry = entry_at(c, result);

	if (!entry)
		return UNC_ENODEV;
	if (index >= entry->result.n_values)
		return unc_fail(c->m->ctx, UNC_ENODEV, "result %zu has %zu values, none of number %zu", result,
				entry->result.n_values, index);
	*ret_value = entry->values[index].value;
	ret_value->what = entry->values[index].what;
	ret_value->reg = entry->values[index].reg;
	return UNC_OK;
}

int unc_check_plot(const struct unc_check *c, size_t result, size_t index, struct unc_check_plot *ret_plot)
{
	const struct unc_check_entry *entry = entry_at(c, result);

	if (!entry)
		return UNC_ENODEV;
	if (index >= entry->result.n_plots)
		return unc_fail(c->m->ctx, UNC_ENODEV, "result %zu has %zu plots, none of number %zu", result,
				entry->result.n_plots, index);
	*ret_plot = entry->traces[index].plot;
	ret_plot->title = entry->traces[index].title;
	ret_plot->points = entry->traces[index].points;
	return UNC_OK;
}
