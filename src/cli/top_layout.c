// SPDX-License-Identifier: GPL-2.0-or-later
/* Which part of `top` is where in a window of that size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top_model.h"

enum { WIDE = 120, LEFT_MAX = 80, FULL = 74, TALL = 16 };
/* Columns of the list: its names, and what follows them. */
enum { LABEL = 11, NAME = 18, BAR = 20, RATE = 8, PERCENT = 8, PMEM = 8, MOST = 8, HISTORY_MIN = 8 };

static const char keys[] = "q quit  ? help  p pause  enter open  l scale  o sort  m map  e events  d why";

/* ---- where things are ---- */

struct frame {
	struct top_area head, body, foot;
	struct top_area list, map, caches, notes; /* in the body */
};

static size_t count_channels(const struct top_model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_places; i++)
		n += m->places[i].level == TOP_CHANNEL;
	return n;
}

static bool has_peak(const struct top_model *m)
{
	size_t i = 0;

	while (i < m->n_places && m->places[i].peak <= 0)
		i++;
	return i < m->n_places;
}

static unsigned at_most(size_t n, unsigned most)
{
	return n < most ? (unsigned)n : most;
}

/* The same sizes for drawing and for moving in the list. */
static struct frame frame_of(const struct top_model *m, struct top_cell *cells, unsigned columns, unsigned rows)
{
	const struct top_area all = {cells, columns, columns, rows};
	bool tall = rows >= TALL, wide = columns >= WIDE;
	unsigned left = columns / 2 < FULL ? FULL : columns / 2 < LEFT_MAX ? columns / 2 : LEFT_MAX;
	unsigned head = tall ? 3 : 2, foot = tall ? 2 : 1, body = rows > head + foot ? rows - head - foot : 0;
	unsigned n_notes = m->n_notes && tall ? at_most(m->n_notes, 2) + 1 : 0, right = 0, n_caches = 0;
	unsigned above = wide ? at_most(count_channels(m) + 2, body / 2) : at_most(m->n_places - 1, body);
	unsigned room = body > above + n_notes ? body - above - n_notes : 0; /* where the list or the map needs none */
	struct frame f = {.head = top_part(&all, 0, 0, head, columns),
			  .body = top_part(&all, head, 0, body, columns),
			  .foot = top_part(&all, rows > foot ? rows - foot : 0, 0, foot, columns)};

	if (m->n_caches && !m->no_caches && (wide || tall))
		n_caches = at_most(m->n_caches + 2, room > body / 3 ? room : body / 3);
	if (!wide)
		above = body > n_caches + n_notes ? body - n_caches - n_notes : 0;
	f.list = top_part(&f.body, 0, 0, above, columns);
	if (wide) { /* the rest is beside the list */
		f.list = top_part(&f.body, 0, 0, body, left);
		right = f.list.columns + 2;
		f.map = top_part(&f.body, 0, right, above, columns);
		n_notes = body;
	}
	f.caches = top_part(&f.body, above, right, n_caches, columns);
	f.notes = top_part(&f.body, above + n_caches, right, n_notes, columns);
	return f;
}

/* ---- the list ---- */

static bool opened(const struct top_model *m, unsigned rows, const struct top_place *socket)
{
	size_t n = m->n_places - 1;
	bool fits = n <= rows || n == count_channels(m) + 1;

	return socket->opened == TOP_AS_FITS ? fits : socket->opened == TOP_OPEN;
}

static double both(const struct top_place *place)
{
	return place->given ? place->read + place->write : -1;
}

static size_t list_of(const struct top_model *m, unsigned rows, size_t *ret_places)
{
	bool shown = true;
	size_t n = 0;

	for (size_t i = 1; i < m->n_places; i++) {
		const struct top_place *place = &m->places[i];
		bool channel = place->level == TOP_CHANNEL;

		if (!channel)
			shown = opened(m, rows, place);
		if (m->by_traffic ? channel : !channel || shown)
			ret_places[n++] = i;
	}
	/* Few enough to be inserted one by one, and equal ones stay in their order. */
	for (size_t i = 1; i < n && m->by_traffic; i++) {
		size_t place = ret_places[i], k = i;

		for (; k > 0 && both(&m->places[ret_places[k - 1]]) < both(&m->places[place]); k--)
			ret_places[k] = ret_places[k - 1];
		ret_places[k] = place;
	}
	return n;
}

size_t top_list(const struct top_model *m, unsigned columns, unsigned rows, size_t *ret_places)
{
	return list_of(m, frame_of(m, NULL, columns, rows).list.rows, ret_places);
}

bool top_is_open(const struct top_model *m, unsigned columns, unsigned rows, const struct top_place *socket)
{
	return opened(m, frame_of(m, NULL, columns, rows).list.rows, socket);
}

/* Where the columns of the list are. */
struct list_columns {
	bool full;
	unsigned label, bar, rate, percent, pmem, history;
};

static struct list_columns columns_of(const struct top_model *m, unsigned width, bool has_flags)
{
	struct list_columns c = {.full = width >= FULL, .label = m->by_traffic ? NAME : LABEL};
	unsigned percent = has_peak(m) ? PERCENT : 0, pmem = m->has_pmem && c.full ? PMEM : 0;
	unsigned numbers = c.label + RATE + percent + pmem, rest = width > numbers ? width - numbers : 0;

	/* A narrow row has its flags at the end, in place of a part of the bar. */
	c.bar = c.full ? BAR : has_flags && rest > 10 ? rest - 10 : rest;
	c.rate = c.label + c.bar;
	c.percent = c.rate + RATE;
	c.pmem = c.percent + percent;
	c.history = c.pmem + pmem + (c.full ? 2 : 1);
	return c;
}

/* The names of the columns, in the line above them. */
static void draw_titles(const struct top_model *m, const struct top_area *area, unsigned width)
{
	struct list_columns c = columns_of(m, width, false);

	if (!c.full)
		return;
	top_put(area, 0, c.rate, TOP_DIM, "%*s", RATE, m->unit_name);
	if (has_peak(m))
		top_put(area, 0, c.percent, TOP_DIM, " of peak");
	if (m->has_pmem)
		top_put(area, 0, c.pmem, TOP_DIM, "%*s", PMEM, "Optane");
	top_put(area, 0, width - MOST, TOP_DIM, "%*s", MOST - 1, "most");
}

static void draw_place(const struct top_model *m, const struct top_area *area, unsigned row,
		       const struct top_place *place, bool marked)
{
	struct list_columns c = columns_of(m, area->columns, place->flags[0] != '\0');
	bool open = place->level == TOP_SOCKET && opened(m, area->rows, place);
	const double parts[] = {place->read, place->write, place->pmem_read + place->pmem_write};
	struct top_area part = top_part(area, row, c.label, 1, c.bar);

	if (marked)
		top_set(area, row, 0, '>', TOP_TITLE);
	top_put(area, row, marked || !open, open ? TOP_TITLE : TOP_PLAIN, "%.*s", (int)c.label - 1,
		m->by_traffic ? place->name : place->label);
	if (!place->given) {
		top_put(area, row, c.label, TOP_WARN, "%s", place->flags[0] ? place->flags : "-");
		return;
	}
	if (!open && c.bar > 3)
		top_bar(&part, m->glyphs, parts, top_scale(m, place));
	else if (c.full && !m->together)
		top_put(area, row, c.label, TOP_PLAIN, "read %-5s write %-5s", top_rate(m, place->read).text,
			top_rate(m, place->write).text);
	top_put(area, row, c.rate + 1, TOP_PLAIN, "%*s", RATE - 1, top_rate(m, both(place)).text);
	/* A share that has no room is that of a --peak that makes no sense. */
	if (place->peak > 0 && both(place) < 10 * place->peak)
		top_put(area, row, c.percent, TOP_PLAIN, "%4.0f %%", 100 * both(place) / place->peak);
	if (m->has_pmem && c.full)
		top_put(area, row, c.pmem, TOP_PLAIN, "%*s", PMEM, top_rate(m, parts[2]).text);
	if (place->flags[0]) {
		top_put(area, row, c.history, TOP_WARN, "%s", place->flags);
	} else if (c.full && area->columns >= c.history + HISTORY_MIN + MOST) {
		part = top_part(area, row, c.history, 1, area->columns - c.history - MOST);
		top_draw_history(&part, m, place->history, top_scale(m, place));
		top_put(area, row, area->columns - MOST, TOP_DIM, "%*s", MOST - 1, top_rate(m, place->most).text);
	}
}

static void draw_list(const struct top_model *m, const struct top_area *area)
{
	size_t *places = calloc(m->n_places, sizeof(*places)), n, first = 0, at = 0;

	if (!places)
		return; /* an empty list, until there is memory again */
	n = list_of(m, area->rows, places);
	while (at < n && places[at] != m->selected)
		at++;
	if (n > area->rows && at < n)
		first = at < area->rows / 2 ? 0 : at - area->rows / 2;
	if (n > area->rows && first > n - area->rows)
		first = n - area->rows;
	for (unsigned row = 0; row < area->rows && first + row < n; row++)
		draw_place(m, area, row, &m->places[places[first + row]], first + row == at);
	free(places);
}

/* ---- the other parts ---- */

static unsigned put_rates(const struct top_model *m, const struct top_area *area, unsigned row, unsigned column,
			  const struct top_place *place)
{
	bool wide = area->columns >= 60;

	if (!place->given)
		return top_put(area, row, column, TOP_WARN, "%s", *place->flags ? place->flags : "no number");
	if (wide && !m->together)
		column = top_put(area, row, column, TOP_PLAIN, "read %s  write %s  ", top_rate(m, place->read).text,
				 top_rate(m, place->write).text);
	column = top_put(area, row, column, TOP_PLAIN, "total %s %s", top_rate(m, both(place)).text, m->unit_name);
	if (*place->flags)
		column = top_put(area, row, column, TOP_WARN, " %s", place->flags);
	if (place->peak > 0)
		column = top_put(area, row, column, TOP_PLAIN, "  of %s", top_rate(m, place->peak).text);
	if (wide && m->has_pmem)
		column = top_put(area, row, column, TOP_PLAIN, "  Optane %s + %s", top_rate(m, place->pmem_read).text,
				 top_rate(m, place->pmem_write).text);
	/* As much as fits. */
	if (wide && column + 11 <= area->columns)
		column = top_put(area, row, column, TOP_PLAIN, "  most %s", top_rate(m, place->most).text);
	if (wide && column + 12 <= area->columns)
		column = top_put(area, row, column, TOP_PLAIN, " at %s", place->most_clock);
	return column;
}

static void draw_head(const struct top_model *m, const struct top_area *area)
{
	unsigned column, cost = area->columns;
	char text[80] = "";

	column = top_put(area, 0, 0, TOP_TITLE, "uncorectl top");
	if (area->columns >= 60)
		column = top_put(area, 0, column, TOP_PLAIN, "  %s", m->machine);
	column = top_put(area, 0, column, TOP_PLAIN, "  %g s", m->interval_s);
	if (m->paused)
		column = top_put(area, 0, column, TOP_WARN, " [paused]");
	if (m->recording)
		column = top_put(area, 0, column, TOP_WARN, " [recording]");
	if (m->scale != TOP_OF_PEAK)
		column = top_put(area, 0, column, TOP_WARN, m->scale == TOP_LOCKED ? " [locked]" : " [own scale]");
	if (m->cpu_percent >= 0)
		snprintf(text, sizeof(text), "%.1f %% CPU  %s", m->cpu_percent, m->clock);
	if (strlen(text) + column + 1 < cost)
		top_put(area, 0, cost - (unsigned)strlen(text), TOP_DIM, "%s", text);
	if (m->samples)
		put_rates(m, area, 1, 1, m->places);
	else
		top_put(area, 1, 1, TOP_DIM, "the first sample comes after %g s", m->interval_s);
}

static void draw_legend(const struct top_model *m, const struct top_area *area)
{
	static const char *const words[TOP_PARTS - 1] = {"read", "write", "Optane"};
	const struct top_place *channel = m->places;
	unsigned column = 1;

	for (size_t i = 0; i < m->n_places; i++)
		if (m->places[i].level == TOP_CHANNEL &&
		    (channel->level != TOP_CHANNEL || m->places[i].peak > channel->peak))
			channel = &m->places[i];
	for (unsigned part = 0; part < (m->together ? 1U : m->has_pmem ? 3U : 2U); part++) {
		top_set(area, 0, column, top_bar_glyph(m->glyphs, part), (enum top_ink)(TOP_READ + part));
		column = top_put(area, 0, column + 1, TOP_DIM, " %s  ", m->together ? "used" : words[part]);
	}
	if (m->samples)
		top_put(area, 0, column, TOP_DIM, " full bar: %s %s a channel%s",
			top_rate(m, top_scale(m, channel)).text, m->unit_name,
			m->scale == TOP_LOCKED                         ? ", locked"
			: m->scale == TOP_OF_PEAK && channel->peak > 0 ? ", the possible peak"
								       : ", by the highest seen");
}

static void draw_foot(const struct top_model *m, const struct top_area *area)
{
	const struct top_area above = top_part(area, 0, 0, area->rows - 1, area->columns);

	/* The list has room of its own for notes. */
	if (m->view != TOP_MAIN && m->n_notes)
		top_put(&above, 0, 0, TOP_PLAIN, "%s", m->notes[(m->n_notes - 1) % TOP_NOTES]);
	else
		draw_legend(m, &above);
	if (*m->prompt)
		top_put(area, area->rows - 1, 0, TOP_TITLE, "%s_", m->prompt);
	else
		top_put(area, area->rows - 1, 0, TOP_DIM, "%s", keys);
}

static void draw_map(const struct top_model *m, const struct top_area *area)
{
	size_t n = count_channels(m);
	bool sockets = n + 1 > area->rows && n + 1 < m->n_places;
	unsigned row = 0;

	top_put(area, row++, 0, TOP_TITLE, "%s over time", sockets ? "sockets" : "channels");
	for (size_t i = 1; i < m->n_places && row < area->rows; i++) {
		const struct top_place *place = &m->places[i];
		struct top_area part = top_part(area, row, NAME + 1, 1, area->columns);

		if (place->level != (sockets ? TOP_SOCKET : TOP_CHANNEL))
			continue;
		top_put(area, row++, 0, TOP_PLAIN, "%.*s", NAME, place->name);
		top_draw_heat(&part, m, place->history, top_scale(m, place));
	}
}

/* Each group, or its parts and their sum, on each L3. */
static void draw_caches(const struct top_model *m, const struct top_area *area)
{
	enum { SHARE = 15, SHARE_BAR = 12, NUMBERS = 67 };
	bool wide = area->columns >= NUMBERS;
	unsigned row = m->view == TOP_MAIN && area->rows > 2, left = area->rows - row - 1;
	double scale = top_cache_scale(m);

	if (row)
		top_line(area);
	top_put(area, row++, 0, TOP_TITLE,
		wide ? "Group      L3  occupancy %12s of L3 %7s   local   remote" : "Group      L3  %8s of L3 %7s",
		m->size_unit_name, m->unit_name);
	for (size_t i = 0; i < m->n_caches && row < area->rows; i++, row++) {
		const struct top_cache *cache = &m->caches[i];
		struct top_area part = top_part(area, row, SHARE, 1, SHARE_BAR);
		unsigned column = wide ? SHARE + SHARE_BAR : SHARE;
		char owned[24] = "-", share[12] = "";

		if (m->n_caches > left && row + 1 == area->rows) {
			top_put(area, row, 1, TOP_DIM, "(%zu more: c)", m->n_caches - i);
			break;
		}
		if (!isnan(cache->owned))
			snprintf(owned, sizeof(owned), "%.1f", cache->owned / m->size_unit);
		if (!isnan(cache->owned) && cache->size > 0) {
			snprintf(share, sizeof(share), "%.0f %%", 100 * cache->owned / cache->size);
			if (wide)
				top_bar(&part, m->glyphs, (const double[]){cache->owned, 0, 0}, cache->size);
		}
		top_put(area, row, 1, TOP_PLAIN, "%-9.9s %-3.3s", cache->group, cache->l3);
		column = top_put(area, row, column, TOP_PLAIN, "%8s %6s %7s", owned, share,
				 top_rate(m, cache->total).text);
		if (wide)
			column = top_put(area, row, column, TOP_PLAIN, " %7s %8s", top_rate(m, cache->local).text,
					 top_rate(m, cache->remote).text);
		if (*cache->words)
			top_put(area, row, column, TOP_WARN, " %s", cache->words);
		part = top_part(area, row, NUMBERS, 1, area->columns);
		if (!*cache->words)
			top_draw_history(&part, m, cache->history, scale);
	}
}

/* The latest at the bottom, as many as fit. */
static void draw_notes(const struct top_model *m, const struct top_area *area)
{
	const struct top_area none = {.columns = area->columns};
	size_t first = m->n_notes;
	unsigned used = 1, row = 1;

	if (m->n_notes)
		top_line(area);
	for (; first > 0 && m->n_notes - first < TOP_NOTES; first--) {
		used += top_words(&none, 0, m->notes[(first - 1) % TOP_NOTES]);
		if (used > area->rows && first < m->n_notes)
			break;
	}
	for (; first < m->n_notes; first++)
		row = top_words(area, row, m->notes[first % TOP_NOTES]);
}

/* One channel, or one socket, or the machine. */
static void draw_alone(const struct top_model *m, const struct top_area *area)
{
	const struct top_place *place = &m->places[m->selected];
	unsigned n = at_most(m->n_items, area->rows / 2), height = area->rows - n - 2;
	struct top_area part = top_part(area, 1, 7, height, area->columns);
	double scale = top_scale(m, place);

	put_rates(m, area, 0, top_put(area, 0, 0, TOP_TITLE, "%s  ", place->name), place);
	if (area->rows < n + 3)
		return;
	top_put(area, 1, 0, TOP_DIM, "%s", top_rate(m, scale).text);
	top_put(area, height, 0, TOP_DIM, "0");
	top_draw_history(&part, m, place->history, scale);
	part = top_part(area, height + 1, 0, n + 1, area->columns);
	top_line(&part);
	for (unsigned i = 0; i < n; i++)
		top_put(&part, i + 1, 1, TOP_PLAIN, "%-40.40s %s", m->items[i].name, m->items[i].value);
}

void top_layout(const struct top_model *m, unsigned columns, unsigned rows, struct top_cell *cells)
{
	struct frame f = frame_of(m, cells, columns, rows);
	struct top_area line = top_part(&f.head, 2, 0, 1, columns);

	for (size_t i = 0; i < (size_t)columns * rows; i++)
		cells[i] = (struct top_cell){.glyph = ' '};
	if (!columns || !rows)
		return;
	draw_head(m, &f.head);
	top_line(&line);
	draw_foot(m, &f.foot);
	switch (m->view) {
	case TOP_ALONE:
		draw_alone(m, &f.body);
		break;
	case TOP_MAP:
		draw_map(m, &f.body);
		break;
	case TOP_CACHES:
		draw_caches(m, &f.body);
		break;
	case TOP_TEXT:
		top_words(&f.body, 0, m->text);
		break;
	case TOP_MAIN:
		draw_titles(m, &line, f.list.columns);
		draw_list(m, &f.list);
		draw_map(m, &f.map);
		draw_caches(m, &f.caches);
		draw_notes(m, &f.notes);
		break;
	}
}
