// SPDX-License-Identifier: GPL-2.0-or-later
/* What `top` counts, and how a sample becomes what it shows. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/top.h"

/* ---- places ---- */

static void add_place(struct top *top, const struct channel_group *group, const char *label, const char *name,
		      bool is_socket)
{
	struct top_place *place = &top->model.places[top->model.n_places];

	snprintf(place->label, sizeof(place->label), "%s", label + strspn(label, " "));
	snprintf(place->name, sizeof(place->name), "%s", name);
	place->is_socket = is_socket;
	place->n_channels = group->end - group->first;
	top->groups[top->model.n_places++] = *group;
}

static void add_places(struct top *top)
{
	const struct channels *channels = &top->mem.counting.channels;

	for (size_t s = 0; s < channels->n_sockets; s++) {
		const struct channel_group *socket = &channels->sockets[s];

		add_place(top, socket, socket->label, socket->label, true);
		for (size_t i = socket->first; i < socket->end; i++)
			add_place(top, &(struct channel_group){.first = i, .end = i + 1}, channels->list[i].label,
				  channels->list[i].info.name, false);
	}
}

static void start_caches(struct top *top)
{
	size_t bytes;

	top->llc.columns = top->llc_columns;
	memcpy(top->llc_columns, llc_columns, n_llc_columns * sizeof(*llc_columns));
	top->llc.cfg.interval_ns = top->interval_ns;
	if (top->no_caches)
		return;
	top->has_llc = llc_start(&top->llc, top->ctx, top->machine, &bytes) == 0;
	if (top->has_llc)
		top->llc_rows = calloc(1, bytes);
	if (!top->llc_rows)
		top_end_caches(top);
}

void top_end_caches(struct top *top)
{
	struct unc_llc_info info;
	int rc;

	/* A processor that monitors no caches is no news. */
	if (top->llc.llc && (unc_llc_info(top->machine, &info) < 0 || !info.no_monitoring) && !top->quits)
		say("note: no caches: %s", unc_errmsg(top->ctx));
	rc = unc_llc_close(top->llc.llc);
	top->failed = rc < 0 ? rc : top->failed;
	top->llc.llc = NULL;
	top->has_llc = false;
}

int top_model_start(struct top *top)
{
	const struct channels *channels = &top->mem.counting.channels;
	struct top_model *m = &top->model;
	struct unc_machine_info info;
	size_t n = channels->n_sockets + channels->n;

	unc_machine_info(top->machine, &info);
	snprintf(m->machine, sizeof(m->machine), "%s%s, %zu channels", info.part, info.simulated ? " (simulated)" : "",
		 channels->n);
	m->interval_s = (double)top->interval_ns / 1e9;
	m->cpu_percent = -1;
	m->unit = 1e9;
	m->unit_name = "GB/s";
	m->together = top->mem.together;
	start_caches(top);
	m->n_caches = top->has_llc ? top->llc.n_rows : 0;
	top->histories = calloc((1 + n + m->n_caches) * TOP_HISTORY, sizeof(*top->histories));
	top->groups = calloc(n + 1, sizeof(*top->groups));
	m->places = calloc(n + 1, sizeof(*m->places));
	m->caches = calloc(m->n_caches + 1, sizeof(*m->caches));
	if (!top->histories || !top->groups || !m->places || !m->caches)
		return unc_fail(top->ctx, UNC_ENOMEM, "out of memory");
	add_places(top);
	m->total = (struct top_place){.is_socket = true, .n_channels = channels->n, .history = top->histories};
	for (size_t i = 0; i < n; i++)
		m->places[i].history = top->histories + (1 + i) * TOP_HISTORY;
	for (size_t i = 0; i < m->n_caches; i++) {
		const struct unc_llc_row_info *row = &top->llc.infos[i];
		struct top_cache *cache = &m->caches[i];

		cache->history = top->histories + (1 + n + i) * TOP_HISTORY;
		cache->size = (double)row->l3_bytes;
		snprintf(cache->group, sizeof(cache->group), "%s", row->group);
		if (row->sum)
			snprintf(cache->l3, sizeof(cache->l3), "all");
		else
			snprintf(cache->l3, sizeof(cache->l3), "%u", row->l3);
	}
	return UNC_OK;
}

void top_model_end(struct top *top)
{
	free(top->histories);
	free(top->groups);
	free(top->model.places);
	free(top->model.caches);
	free(top->llc_rows);
	free(top->text);
	free(top->counts);
	free(top->also);
}

/* ---- counting ---- */

/* Each name is a metric or an event; UNC_EARG: neither. */
static int sort_names(struct top *top, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name, complaint[EVENT_LIST_COMPLAINT];
	struct plan_want *want = &top->mem.counting.want;
	size_t size = strlen(names) + 2, metric;
	int rc = UNC_OK;

	event_list_clear(&want->events);
	want->events = (struct event_list){0};
	free(top->also);
	top->also = calloc(1, size);
	if (!copy || !top->also)
		rc = unc_fail(top->ctx, UNC_ENOMEM, "out of memory");
	while (rc == 0 && *names && (name = unc_text_cut(&rest, ','))) {
		if (unc_metric_find(top->machine, "imc", name, &metric) == 0)
			unc_text_join(top->also, size, ",", "%s", name);
		else if (!event_list_add(&want->events, name, complaint))
			rc = unc_fail(top->ctx, UNC_EARG, "top: -e %s: %s", name, complaint);
	}
	free(copy);
	want->also = rc == 0 && *top->also ? top->also : NULL;
	top->mem.counting.cfg.multiplex = want->also || want->events.n;
	return rc;
}

int top_start_counting(struct top *top, const char *names)
{
	size_t bytes = 0;
	int rc = sort_names(top, names);

	if (rc == 0)
		rc = mem_start(&top->mem, top->ctx, top->machine, &bytes);
	if (rc < 0)
		return rc;
	free(top->counts);
	top->counts = calloc(1, bytes + 1);
	return top->counts ? UNC_OK : unc_fail(top->ctx, UNC_ENOMEM, "out of memory");
}

void top_count_again(struct top *top, const char *names)
{
	int rc = counting_give_up(&top->mem.counting);

	if (rc == 0)
		rc = top_start_counting(top, names);
	if (rc < 0 && *names) {
		top_add_note(&top->model, unc_errmsg(top->ctx));
		rc = counting_give_up(&top->mem.counting);
		if (rc == 0)
			rc = top_start_counting(top, "");
	}
	if (rc < 0)
		top->failed = rc;
	top->quit |= rc < 0;
}

static void take_items(struct top *top)
{
	const struct counting *counting = &top->mem.counting;
	struct top_model *m = &top->model;
	const struct accumulator *items;
	size_t first = top->mem.n_items, n = counting->plan.n_items;

	m->n_items = 0;
	if (m->n_places == 0 || n == first)
		return;
	items = m->places[m->selected].is_socket ? counting_sum(counting, &top->groups[m->selected])
						 : &counting->of_channels[top->groups[m->selected].first * n];
	for (size_t i = first; i < n && m->n_items < TOP_ITEMS; i++) {
		const struct plan_item *item = &counting->plan.items[i];
		struct top_item *shown = &m->items[m->n_items++];
		char number[NUMBER_TEXT_MAX], flags[FLAGS_TEXT_MAX];
		bool event = !item->is_metric;
		double value = event ? items[i].per_s : items[i].value;
		const char *unit = !event                                           ? item->unit
				   : item->unit && strcmp(item->unit, "bytes") == 0 ? "bytes/s"
										    : "/s";

		snprintf(shown->name, sizeof(shown->name), "%s", item->name);
		snprintf(shown->value, sizeof(shown->value), "%s  %s",
			 items[i].has_value ? number_with_unit(value, unit, number_scale(value, unit), number) : "-",
			 flags_text(items[i].flags & ~(unsigned)UNC_COUNT_SCALED, flags));
	}
}

/* ---- a sample ---- */

/* A rate that is higher by less is the same peak. */
#define SAME 1.001

/* Words of a channel that change are news. */
static void take_place(struct top *top, struct top_place *place, const struct accumulator *items, size_t n)
{
	struct top_model *m = &top->model;
	char flags[FLAGS_TEXT_MAX];
	unsigned bits = 0;
	bool given = true;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		bits |= items[i].flags;
		given &= items[i].has_value;
		sum += items[i].value;
	}
	flags_text(bits & ~(unsigned)(UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN), flags);
	if (given) {
		place->history[(m->samples - 1) % TOP_HISTORY] = (float)sum;
		if (sum > place->most * SAME && place == &m->total)
			snprintf(m->most_clock, sizeof(m->most_clock), "%s", m->clock);
		if (sum > place->most * SAME)
			place->most = sum;
	}
	if (m->paused)
		return;
	place->given = given;
	place->read = items[0].value;
	place->write = n > 1 ? items[1].value : 0;
	if (!place->is_socket && *flags && strcmp(flags, place->flags) != 0) {
		char text[TOP_NOTE_MAX];

		snprintf(text, sizeof(text), "%s: %s", place->name, flags);
		top_add_note(m, text);
	}
	snprintf(place->flags, sizeof(place->flags), "%s", flags);
}

static double number_of(const struct unc_llc_value *value, double number)
{
	return value->status == UNC_LLC_OK ? number : NAN;
}

static void take_caches(struct top *top)
{
	const struct unc_llc_row *rows = top->llc_rows;
	struct top_model *m = &top->model;

	for (size_t i = 0; i < m->n_caches; i++) {
		struct top_cache *cache = &m->caches[i];
		const struct unc_llc_value *values = rows[i].values;
		const char *word = "";

		if (!top->has_llc) {
			cache->owned = cache->total = cache->local = cache->remote = NAN;
			continue;
		}
		cache->total = number_of(&values[UNC_LLC_TOTAL], values[UNC_LLC_TOTAL].bytes_per_s);
		cache->history[(m->samples - 1) % TOP_HISTORY] = (float)cache->total;
		if (m->paused)
			continue;
		cache->owned = number_of(&values[UNC_LLC_OCCUPANCY], (double)values[UNC_LLC_OCCUPANCY].bytes);
		cache->local = number_of(&values[UNC_LLC_LOCAL], values[UNC_LLC_LOCAL].bytes_per_s);
		cache->remote = rows[i].has_remote && values[UNC_LLC_TOTAL].interval_ns
					? (double)rows[i].remote_bytes * 1e9 / (double)values[UNC_LLC_TOTAL].interval_ns
					: NAN;
		for (unsigned k = 0; k < UNC_LLC_EVENTS; k++)
			if (values[k].status != UNC_LLC_OK && values[k].status != UNC_LLC_NOT_ASKED)
				word = llc_status_word(values[k].status);
		llc_flags_text(rows[i].flags, cache->words);
		if (!*cache->words)
			snprintf(cache->words, sizeof(cache->words), "%s", word);
	}
}

/* The part of a CPU that this process has used since the last sample. */
static void take_cost(struct top *top)
{
	struct timespec cpu, raw;
	uint64_t cpu_ns, raw_ns;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
	cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
	raw_ns = (uint64_t)raw.tv_sec * 1000000000 + (uint64_t)raw.tv_nsec;
	if (top->raw_ns && raw_ns > top->raw_ns)
		top->model.cpu_percent = 100 * (double)(cpu_ns - top->cpu_ns) / (double)(raw_ns - top->raw_ns);
	top->cpu_ns = cpu_ns;
	top->raw_ns = raw_ns;
}

void top_take_sample(struct top *top)
{
	struct counting *counting = &top->mem.counting;
	size_t n = counting->plan.n_items, n_own = top->mem.together ? 1 : 2;
	struct top_model *m = &top->model;
	time_t now = (time_t)(unc_machine_real_ns(top->machine) / 1000000000);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(m->clock, sizeof(m->clock), "%H:%M:%S", &tm);
	counting_take(counting, top->counts);
	if (!peaks_update(&top->mem.peaks, counting, counting->of_channels[0].time_ns))
		top->quit = true;
	top_next_sample(m);
	m->behind += m->paused;
	for (size_t i = 0; i < m->n_places; i++) {
		const struct channel_group *group = &top->groups[i];

		m->places[i].peak = peaks_sum(&top->mem.peaks, group->first, group->end);
		take_place(top, &m->places[i],
			   m->places[i].is_socket ? counting_sum(counting, group)
						  : &counting->of_channels[group->first * n],
			   n_own);
	}
	m->total.peak = peaks_sum(&top->mem.peaks, 0, counting->channels.n);
	take_place(top, &m->total,
		   counting_sum(counting, &(struct channel_group){.first = 0, .end = counting->channels.n}), n_own);
	take_caches(top);
	take_items(top);
	take_cost(top);
}
