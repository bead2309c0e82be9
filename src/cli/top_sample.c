// SPDX-License-Identifier: GPL-2.0-or-later
/* What `top` counts, and how a sample becomes what it shows. */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

#include "base/text.h"
#include "cli/top.h"

/* ---- places ---- */

static void add_place(struct top *top, const struct channel_group *group, const char *label, const char *name,
		      int level)
{
	struct top_model *m = &top->model;
	struct top_place *place = &m->places[m->n_places++];

	snprintf(place->label, sizeof(place->label), "%s", label + strspn(label, " "));
	snprintf(place->name, sizeof(place->name), "%s", name);
	place->level = level;
	place->first = group->first;
	place->n_channels = group->end - group->first;
}

static void add_places(struct top *top)
{
	const struct channels *channels = &top->mem.counting.channels;

	add_place(top, &(struct channel_group){.end = channels->n}, "machine", "machine", TOP_MACHINE);
	for (size_t s = 0; s < channels->n_sockets; s++) {
		const struct channel_group *socket = &channels->sockets[s];

		add_place(top, socket, socket->label, socket->label, TOP_SOCKET);
		for (size_t i = socket->first; i < socket->end; i++)
			add_place(top, &(struct channel_group){.first = i, .end = i + 1}, channels->list[i].label,
				  channels->list[i].info.name, TOP_CHANNEL);
	}
}

static void add_cache(struct top *top, size_t row, bool named)
{
	const struct unc_llc_row_info *info = &top->beside.llc.infos[row];
	struct top_cache *cache = &top->model.caches[top->model.n_caches++];

	cache->row = row;
	cache->size = (double)info->l3_bytes;
	snprintf(cache->group, sizeof(cache->group), "%s", named ? info->group : "");
	if (info->sum)
		snprintf(cache->l3, sizeof(cache->l3), "all");
	else
		snprintf(cache->l3, sizeof(cache->l3), "%u", info->l3);
}

/* The sum of a group comes before its parts, as a socket before its channels. */
static void add_caches(struct top *top)
{
	const struct unc_llc_row_info *infos = top->beside.llc.infos;
	size_t n = top->beside.on ? top->beside.llc.n_rows : 0, end;

	for (size_t first = 0; first < n; first = end) {
		end = first + 1;
		while (end < n && strcmp(infos[end].group, infos[first].group) == 0)
			end++;
		if (infos[end - 1].sum)
			add_cache(top, end - 1, true);
		for (size_t i = first; i < end - infos[end - 1].sum; i++)
			add_cache(top, i, !infos[end - 1].sum);
	}
}

void top_end_caches(struct top *top)
{
	llc_beside_end(&top->beside, top->beside.llc.llc && !top->quits, &top->failed);
	top->model.n_caches = 0;
}

/* Those of rates depend on the peaks, which the first sample tells. */
static void choose_units(struct top *top)
{
	const struct view *view = top->mem.counting.view;
	const struct unit *unit = view_unit(view);
	struct top_model *m = &top->model;

	m->unit = unit->scale;
	m->unit_name = unit->per_s;
	/* As llc shows it, where no unit is chosen. */
	m->size_unit = view->unit == UNIT_AUTO ? 1 << 20 : unit->scale;
	m->size_unit_name = view->unit == UNIT_AUTO ? "MiB" : unit->name;
}

int top_model_start(struct top *top)
{
	const struct channels *channels = &top->mem.counting.channels;
	struct top_model *m = &top->model;
	struct unc_machine_info info;
	size_t n = 1 + channels->n_sockets + channels->n, n_rows;
	int rc;

	unc_machine_info(top->machine, &info);
	snprintf(m->machine, sizeof(m->machine), "%s%s, %zu channel%s", info.part, info.simulated ? " (simulated)" : "",
		 channels->n, channels->n == 1 ? "" : "s");
	m->interval_s = (double)top->interval_ns / 1e9;
	m->cpu_percent = -1;
	choose_units(top);
	m->together = top->mem.together;
	m->has_pmem = top->mem.counting.n_pmem > 0;
	top->beside.llc.cfg.interval_ns = top->interval_ns;
	rc = top->no_caches ? UNC_OK : llc_beside_start(&top->beside, top->ctx, top->machine);
	/* Caches are optional, but not groups that the user names. */
	if (rc < 0 && top->beside.llc.n_groups)
		return rc;
	if (rc < 0)
		top_end_caches(top);
	n_rows = top->beside.on ? top->beside.llc.n_rows : 0;
	top->histories = calloc((n + n_rows) * TOP_HISTORY, sizeof(*top->histories));
	m->places = calloc(n, sizeof(*m->places));
	m->caches = calloc(n_rows + 1, sizeof(*m->caches));
	if (!top->histories || !m->places || !m->caches)
		return unc_fail(top->ctx, UNC_ENOMEM, "out of memory");
	add_places(top);
	add_caches(top);
	for (size_t i = 0; i < n; i++)
		m->places[i].history = top->histories + i * TOP_HISTORY;
	for (size_t i = 0; i < m->n_caches; i++)
		m->caches[i].history = top->histories + (n + i) * TOP_HISTORY;
	return UNC_OK;
}

void top_model_end(struct top *top)
{
	free(top->histories);
	free(top->model.places);
	free(top->model.caches);
	free(top->beside.rows);
	free(top->text.text);
	free(top->kept.text);
	free(top->said.text);
	free(top->counts);
	free(top->also);
}

/* ---- counting ---- */

/* Each name is a metric or an event. */
static int sort_names(struct top *top, const char *names)
{
	struct event_list *events = &top->mem.counting.want.events;
	size_t n = 0, size = strlen(names) + 1, metric;
	char complaint[EVENT_LIST_COMPLAINT];

	event_list_clear(events);
	top->mem.counting.want.also = NULL;
	free(top->also);
	top->also = calloc(1, size);
	if (!top->also)
		return unc_fail(top->ctx, UNC_ENOMEM, "out of memory");
	if (*names && !event_list_add(events, names, complaint))
		return unc_fail(top->ctx, UNC_EARG, "top: -e %s: %s", names, complaint);
	for (size_t i = 0; i < events->n; i++) {
		struct event_item item = events->items[i];

		if (unc_metric_find(top->machine, "imc", item.text, &metric) < 0) {
			events->items[n++] = item;
			continue;
		}
		unc_text_join(top->also, size, ",", "%s", item.text);
		free(item.text);
	}
	events->n = n;
	if (*top->also)
		top->mem.counting.want.also = top->also;
	top->mem.counting.cfg.multiplex = *top->also || n;
	return UNC_OK;
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

/* The values of all items of a place. */
static const struct accumulator *items_of(const struct top *top, const struct top_place *place)
{
	const struct counting *counting = &top->mem.counting;
	struct channel_group group = {.first = place->first, .end = place->first + place->n_channels};

	return place->level == TOP_CHANNEL ? &counting->of_channels[place->first * counting->plan.n_items]
					   : counting_sum(counting, &group);
}

static void take_items(struct top *top)
{
	const struct plan *plan = &top->mem.counting.plan;
	struct top_model *m = &top->model;
	const struct accumulator *items = items_of(top, &m->places[m->selected]);

	m->n_items = 0;
	for (size_t i = top->mem.n_items; i < plan->n_items && m->n_items < TOP_ITEMS; i++) {
		const struct plan_item *item = &plan->items[i];
		struct top_item *shown = &m->items[m->n_items++];
		char number[NUMBER_TEXT_MAX] = "-", flags[FLAGS_TEXT_MAX];
		bool bytes = item->unit && strncmp(item->unit, "bytes", 5) == 0;
		double value = item->is_metric ? items[i].value : items[i].per_s;
		const char *unit = item->is_metric ? item->unit : "/s";

		/* All rates of bytes have one unit. */
		if (items[i].has_value && bytes)
			number_with_unit(value / m->unit, m->unit_name, 1, number);
		else if (items[i].has_value)
			number_with_unit(value, unit, unit ? number_scale(value, unit) : 1, number);
		snprintf(shown->name, sizeof(shown->name), "%s", item->name);
		snprintf(shown->value, sizeof(shown->value), "%.48s  %s", number,
			 flags_text(items[i].flags & ~(unsigned)UNC_COUNT_SCALED, flags));
	}
}

/* ---- a sample ---- */

/* A rate that is higher by less is the same peak. */
#define SAME 1.001

/* Words of a channel that change are news. */
static void take_place(struct top *top, struct top_place *place)
{
	const struct accumulator *items = items_of(top, place);
	const struct counting *counting = &top->mem.counting;
	struct top_model *m = &top->model;
	char flags[FLAGS_TEXT_MAX];
	unsigned bits = 0;
	bool given = true;
	double rates[4] = {0}, sum;

	/* Reads, writes, and those of Optane modules, which not every channel has. */
	for (size_t i = 0; i < top->mem.n_items; i++) {
		bits |= items[i].flags;
		given &= items[i].has_value || (counting->n_pmem && i >= counting->first_pmem);
		rates[i] = items[i].has_value ? items[i].value : 0;
	}
	place->peak = peaks_sum(&top->mem.peaks, place->first, place->first + place->n_channels);
	flags_text(bits & ~(unsigned)(UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN), flags);
	sum = rates[0] + rates[1];
	if (given)
		place->history[(m->samples - 1) % TOP_HISTORY] = (float)sum;
	if (given && sum > place->most * SAME) {
		snprintf(place->most_clock, sizeof(place->most_clock), "%s", m->clock);
		place->most = sum;
	}
	if (m->paused)
		return;
	place->given = given;
	place->read = rates[0];
	place->write = rates[1];
	place->pmem_read = rates[2];
	place->pmem_write = rates[3];
	if (place->level == TOP_CHANNEL && *flags && strcmp(flags, place->flags) != 0) {
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

static void take_cache(struct top *top, struct top_cache *cache)
{
	const struct unc_llc_row *row = (const struct unc_llc_row *)top->beside.rows + cache->row;
	const struct unc_llc_value *total = &row->values[UNC_LLC_TOTAL];
	struct top_model *m = &top->model;

	cache->history[(m->samples - 1) % TOP_HISTORY] = (float)number_of(total, total->bytes_per_s);
	if (m->paused)
		return;
	cache->total = number_of(total, total->bytes_per_s);
	cache->owned = number_of(&row->values[UNC_LLC_OCCUPANCY], (double)row->values[UNC_LLC_OCCUPANCY].bytes);
	cache->local = number_of(&row->values[UNC_LLC_LOCAL], row->values[UNC_LLC_LOCAL].bytes_per_s);
	cache->remote = row->has_remote && total->interval_ns
				? (double)row->remote_bytes * 1e9 / (double)total->interval_ns
				: NAN;
	flags_words(row->flags, llc_words, cache->words);
	for (unsigned k = 0; k < UNC_LLC_EVENTS && !*cache->words; k++)
		if (row->values[k].status != UNC_LLC_OK)
			snprintf(cache->words, sizeof(cache->words), "%s", llc_words[row->values[k].status].word);
}

/* The part of a CPU that this process has used since the last sample. */
static void take_cost(struct top *top)
{
	uint64_t cpu_ns = (uint64_t)clock() * (1000000000 / CLOCKS_PER_SEC), now_ns = unc_os_now_ns(UNC_CLOCK_MONO);

	if (top->sampled_ns && now_ns > top->sampled_ns)
		top->model.cpu_percent = 100 * (double)(cpu_ns - top->cpu_ns) / (double)(now_ns - top->sampled_ns);
	top->cpu_ns = cpu_ns;
	top->sampled_ns = now_ns;
}

void top_take_sample(struct top *top)
{
	struct counting *counting = &top->mem.counting;
	struct top_model *m = &top->model;
	time_t now = (time_t)(unc_machine_real_ns(top->machine) / 1000000000);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(m->clock, sizeof(m->clock), "%H:%M:%S", &tm);
	counting_take(counting, top->counts);
	if (!peaks_update(&top->mem.peaks, counting, counting->of_channels[0].time_ns))
		top->quit = true;
	if (m->samples == 0)
		choose_units(top);
	top_next_sample(m);
	for (size_t i = 0; i < m->n_places; i++)
		take_place(top, &m->places[i]);
	for (size_t i = 0; i < m->n_caches && top->beside.on; i++)
		take_cache(top, &m->caches[i]);
	take_items(top);
	take_cost(top);
}
