// SPDX-License-Identifier: GPL-2.0-or-later
/* Which part of `top` is where in a window of that size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top_model.h"

enum {
	WIDE = 120,
	LEFT_MAX = 80,
	FULL = 74,
	TALL = 16,
	LABEL = 11,
	BAR = 20,
	RATE = 8,
	PERCENT = 7,
	MOST = 8,
	HISTORY_MIN = 8
};

static const char keys[] = "q quit  ? help  p pause  enter open  l scale  o sort  m map  e events  d why";
static const char help[] = "q          quit; every register is put back as it was\n"
			   "p          pause what is shown; counting goes on\n"
			   "up, down   choose a channel or a socket\n"
			   "enter      open or close a socket; one channel alone; back\n"
			   "l          scale of the bars: the possible peak, the highest seen, or locked as it is\n"
			   "o          order: by channel, or the busiest first\n"
			   "c          show or hide the caches\n"
			   "m          the map of all channels over time\n"
			   "e          events and metrics of a channel by name; tab completes a name\n"
			   "d          what the flags of the chosen channel mean, and what its counters hold\n"
			   "+ -        shorter or longer interval\n"
			   "s          keep this screen as text for the end, and its sample in the file of -o\n"
			   "R          pause or go on with recording to the file of -o\n"
			   "Ctrl-Z     suspend: the counters stay programmed until it goes on or ends\n"
			   "\n"
			   "A channel without a number says why: missing, stolen, stopped and so on; x in the map.\n";

/* ---- where things are ---- */

struct frame {
	struct top_area head, list, map, caches, notes, foot;
	bool history, most; /* columns of the list that fit */
};

static size_t count_channels(const struct top_model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_places; i++)
		n += !m->places[i].is_socket;
	return n;
}

static unsigned at_most(size_t n, unsigned most)
{
	return n < most ? (unsigned)n : most;
}

/* The same sizes for drawing and for moving in the list. */
static struct frame frame_of(const struct top_model *m, struct top_cell *cells, unsigned columns, unsigned rows)
{
	const struct top_area all = {cells, columns, columns, rows};
	unsigned head = rows < TALL ? 2 : 3, foot = rows < TALL ? 1 : 2;
	unsigned body = rows > head + foot ? rows - head - foot : 0, below = 0, n;
	bool caches = m->n_caches > 0 && !m->no_caches;
	struct frame f = {.head = top_part(&all, 0, 0, head, columns),
			  .foot = top_part(&all, rows > foot ? rows - foot : 0, 0, foot, columns)};

	if (columns >= WIDE) {
		unsigned left = columns / 2 < LEFT_MAX ? columns / 2 : LEFT_MAX, right = columns - left - 2;
		unsigned top = head;

		f.list = top_part(&all, head, 0, body, left);
		n = at_most(count_channels(m) + 2, body / 2);
		f.map = top_part(&all, top, left + 2, n, right);
		top += n;
		n = caches ? at_most(m->n_caches + 2, body / 3) : 0;
		f.caches = top_part(&all, top, left + 2, n, right);
		top += n;
		f.notes = top_part(&all, top, left + 2, head + body - top, right);
		return f;
	}
	if (rows >= TALL) {
		n = m->n_notes ? at_most(m->n_notes, 2) + 1 : 0;
		below = n;
		f.notes = top_part(&all, head + body - below, 0, n, columns);
		n = caches ? at_most(m->n_caches + 2, body / 3) : 0;
		below += n;
		f.caches = top_part(&all, head + body - below, 0, n, columns);
	}
	f.list = top_part(&all, head, 0, body - below, columns);
	return f;
}

/* ---- the list ---- */

static bool folds(const struct top_model *m, unsigned rows)
{
	return m->n_places > rows && m->n_places > count_channels(m) + 1;
}

static bool opened(const struct top_model *m, unsigned rows, const struct top_place *socket)
{
	return socket->opened == TOP_AS_FITS ? !folds(m, rows) : socket->opened == TOP_OPEN;
}

static double both(const struct top_place *place)
{
	return place->given ? place->read + place->write : -1;
}

static size_t list_of(const struct top_model *m, unsigned rows, size_t *ret_places)
{
	bool shown = true;
	size_t n = 0;

	for (size_t i = 0; i < m->n_places; i++) {
		const struct top_place *place = &m->places[i];

		if (place->is_socket)
			shown = opened(m, rows, place);
		if (m->by_traffic ? !place->is_socket : place->is_socket || shown)
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

static void percent(const struct top_area *area, unsigned row, unsigned column, const struct top_place *place)
{
	if (place->peak > 0)
		top_put(area, row, column, TOP_PLAIN, "%4.0f %%", 100 * (place->read + place->write) / place->peak);
}

/* A channel, or a socket that stands for its channels. */
static void place_row(const struct top_model *m, const struct top_area *area, unsigned row,
		      const struct top_place *place, const char *name)
{
	bool full = area->columns >= FULL, has_percent = m->total.peak > 0;
	unsigned label = m->by_traffic ? 18 : LABEL, rate = RATE + (has_percent ? PERCENT : 0), used = label + rate,
		 bar_end;
	unsigned bar = full ? BAR : area->columns > used ? area->columns - used : 0;
	struct top_area part;
	char text[TOP_RATE_MAX];

	bar = place->flags[0] && !full && bar > 10 ? bar - 10 : bar;
	top_put(area, row, 1, TOP_PLAIN, "%.*s", (int)label - 1, name);
	bar_end = label + bar;
	if (!place->given) {
		top_put(area, row, label, TOP_WARN, "%s", place->flags[0] ? place->flags : "-");
		return;
	}
	if (bar > 3) {
		part = top_part(area, row, label, 1, bar);
		top_bar(&part, m->glyphs, place->read, place->write, top_scale(m, place));
	}
	top_put(area, row, bar_end, TOP_PLAIN, "%*s", RATE, top_rate(m, place->read + place->write, text));
	if (has_percent)
		percent(area, row, bar_end + RATE, place);
	used = bar_end + rate + 2;
	if (place->flags[0])
		top_put(area, row, used - (full ? 0 : 1), TOP_WARN, "%s", place->flags);
	else if (full && area->columns >= used + HISTORY_MIN + MOST) {
		part = top_part(area, row, used, 1, area->columns - used - MOST);
		top_draw_history(&part, m, place->history, top_scale(m, place));
		top_put(area, row, area->columns - MOST, TOP_DIM, "%*s", MOST - 1, top_rate(m, place->most, text));
	}
}

/* A socket above its channels. */
static void socket_row(const struct top_model *m, const struct top_area *area, unsigned row,
		       const struct top_place *place, bool titles)
{
	char read[TOP_RATE_MAX], write[TOP_RATE_MAX], sum[TOP_RATE_MAX];
	unsigned column = top_put(area, row, 0, TOP_TITLE, "%s", place->label);
	bool full = area->columns >= FULL;

	column = column < LABEL ? LABEL : column + 1;
	if (!place->given) {
		top_put(area, row, column, TOP_WARN, "%s", place->flags[0] ? place->flags : "-");
		return;
	}
	top_rate(m, place->read + place->write, sum);
	if (full && !m->together)
		top_put(area, row, column, TOP_PLAIN, "read %-5s write %-5s", top_rate(m, place->read, read),
			top_rate(m, place->write, write));
	/* The numbers are above those of its channels. */
	column = full ? LABEL + BAR : area->columns - RATE - (m->total.peak > 0 ? PERCENT : 0);
	column = top_put(area, row, column + 1, TOP_PLAIN, "%*s", RATE - 1, sum);
	percent(area, row, column, place);
	if (!full)
		return;
	column += (m->total.peak > 0 ? PERCENT : 0) + 2;
	if (place->flags[0])
		top_put(area, row, column, TOP_WARN, "%s", place->flags);
	else if (titles)
		top_put(area, row, area->columns - 6, TOP_DIM, " peak");
}

static void draw_list(const struct top_model *m, const struct top_area *area)
{
	size_t *places = calloc(m->n_places + 1, sizeof(*places)), n, first = 0, at = 0;
	bool titles = true;

	if (!places)
		return; /* an empty list, until there is memory again */
	n = list_of(m, area->rows, places);
	while (at < n && places[at] != m->selected)
		at++;
	if (n > area->rows && at < n)
		first = at < area->rows / 2 ? 0 : at - area->rows / 2;
	if (n > area->rows && first > n - area->rows)
		first = n - area->rows;
	for (unsigned row = 0; row < area->rows && first + row < n; row++) {
		const struct top_place *place = &m->places[places[first + row]];

		if (place->is_socket && opened(m, area->rows, place)) {
			socket_row(m, area, row, place, titles);
			titles = false;
		} else {
			place_row(m, area, row, place, m->by_traffic ? place->name : place->label);
		}
		if (places[first + row] == m->selected && m->selected)
			top_set(area, row, place->is_socket && opened(m, area->rows, place) ? 10 : 0, '>', TOP_TITLE);
	}
	free(places);
}

/* ---- the other parts ---- */

static void draw_head(const struct top_model *m, const struct top_area *area)
{
	char read[TOP_RATE_MAX], write[TOP_RATE_MAX], sum[TOP_RATE_MAX];
	const struct top_place *total = &m->total;
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
	if (!m->samples) {
		top_put(area, 1, 1, TOP_DIM, "the first sample comes after %g s", m->interval_s);
	} else if (!total->given) {
		top_put(area, 1, 1, TOP_WARN, "%s", *total->flags ? total->flags : "no number");
	} else {
		column = 1;
		top_rate(m, total->read + total->write, sum);
		if (!m->together && area->columns >= 60)
			column = top_put(area, 1, column, TOP_PLAIN, "read %s  write %s  ",
					 top_rate(m, total->read, read), top_rate(m, total->write, write));
		column = top_put(area, 1, column, TOP_PLAIN, "total %s %s", sum, m->unit_name);
		if (*total->flags)
			column = top_put(area, 1, column, TOP_WARN, " %s", total->flags);
		if (total->peak > 0)
			column = top_put(area, 1, column, TOP_PLAIN, "  of %s", top_rate(m, total->peak, sum));
		if (area->columns >= 60)
			top_put(area, 1, column, TOP_PLAIN, "  most %s at %s", top_rate(m, total->most, sum),
				m->most_clock);
	}
	top_line(area, 2);
}

static void draw_foot(const struct top_model *m, const struct top_area *area)
{
	char text[TOP_RATE_MAX];
	struct top_place channel = {.n_channels = 1};
	unsigned last = area->rows - 1, column = 0;
	double scale;

	for (size_t i = 0; i < m->n_places; i++)
		if (!m->places[i].is_socket)
			channel.peak = m->places[i].peak > channel.peak ? m->places[i].peak : channel.peak;
	scale = top_scale(m, &channel);
	if (area->rows > 1 && m->glyphs == TOP_ASCII)
		column = top_put(area, 0, 1, TOP_DIM, "%s", m->together ? "# used" : "# read  = write");
	else if (area->rows > 1) {
		top_set(area, 0, 1, 0x2588, TOP_READ);
		column = top_put(area, 0, 2, TOP_DIM, "%s", m->together ? " used" : " read    write");
		if (!m->together)
			top_set(area, 0, 9, 0x2592, TOP_WRITE);
	}
	if (area->rows > 1 && m->samples)
		top_put(area, 0, column, TOP_DIM, "   full bar: %s %s a channel%s", top_rate(m, scale, text),
			m->unit_name,
			m->scale == TOP_LOCKED                        ? ", locked"
			: m->scale == TOP_OF_PEAK && channel.peak > 0 ? ", the possible peak"
								      : ", by the highest seen");
	/* The list has room of its own for notes. */
	if (m->view != TOP_MAIN && m->n_notes && area->rows > 1) {
		const struct top_note *note = &m->notes[(m->n_notes - 1) % TOP_NOTES];

		column = top_put(area, 0, 0, TOP_PLAIN, "%s %s", note->clock, note->text);
		while (column < area->columns)
			top_set(area, 0, column++, ' ', TOP_PLAIN);
	}
	if (*m->prompt)
		top_put(area, last, 0, TOP_TITLE, "%s_", m->prompt);
	else
		top_put(area, last, 0, TOP_DIM, "%s", keys);
}

static void draw_map(const struct top_model *m, const struct top_area *area)
{
	unsigned row = 0, label = 18;
	size_t n = count_channels(m);
	bool sockets = n + 1 > area->rows && n < m->n_places;

	top_put(area, row++, 0, TOP_TITLE, "%s over time", sockets ? "sockets" : "channels");
	for (size_t i = 0; i < m->n_places && row < area->rows; i++) {
		const struct top_place *place = &m->places[i];
		struct top_area part = top_part(area, row, label + 1, 1, area->columns);

		if (place->is_socket != sockets)
			continue;
		top_put(area, row++, 0, TOP_PLAIN, "%.*s", (int)label, place->name);
		top_draw_heat(&part, m, place->history, top_scale(m, place));
	}
}

static const char *rate_or(const struct top_model *m, double rate, char buf[TOP_RATE_MAX])
{
	return isnan(rate) ? "-" : top_rate(m, rate, buf);
}

static void draw_caches(const struct top_model *m, const struct top_area *area)
{
	unsigned row = 0;
	bool wide = area->columns >= 60;

	if (area->rows > 2)
		top_line(area, row++);
	top_put(area, row++, 0, TOP_TITLE,
		wide ? "L3   group     occupancy          MB    %%      %s   local   remote"
		     : "L3   group           MB    %%     %s",
		m->unit_name);
	for (size_t i = 0; i < m->n_caches && row < area->rows; i++, row++) {
		const struct top_cache *cache = &m->caches[i];
		char total[TOP_RATE_MAX], local[TOP_RATE_MAX], remote[TOP_RATE_MAX], owned[24] = "-", share[12] = "";
		struct top_area part = top_part(area, row, 15, 1, 12);
		unsigned column = wide ? 27 : 15;

		if (!isnan(cache->owned))
			snprintf(owned, sizeof(owned), "%.1f", cache->owned / 1e6);
		if (!isnan(cache->owned) && cache->size > 0)
			snprintf(share, sizeof(share), "%.0f %%", 100 * cache->owned / cache->size);
		top_put(area, row, 1, TOP_PLAIN, "%-3.3s %-9.9s", cache->l3, cache->group);
		if (wide && !isnan(cache->owned) && cache->size > 0)
			top_bar(&part, m->glyphs, cache->owned, 0, cache->size);
		column = top_put(area, row, column, TOP_PLAIN, "%8s %6s %7s", owned, share,
				 rate_or(m, cache->total, total));
		if (wide)
			column = top_put(area, row, column, TOP_PLAIN, " %7s %8s", rate_or(m, cache->local, local),
					 rate_or(m, cache->remote, remote));
		if (*cache->words)
			top_put(area, row, column, TOP_WARN, " %s", cache->words);
	}
}

/* The latest at the bottom, each as many rows as it wants. */
static void draw_notes(const struct top_model *m, const struct top_area *area, bool line)
{
	size_t n = m->n_notes < TOP_NOTES ? m->n_notes : TOP_NOTES, first;
	struct top_area rest = *area;

	if (line && area->rows > 1) {
		top_line(area, 0);
		rest = top_part(area, 1, 0, area->rows, area->columns);
	}
	first = line ? m->n_notes - at_most(n, rest.rows) : m->n_notes - n;
	for (unsigned row = 0; first < m->n_notes && row < rest.rows; first++) {
		const struct top_note *note = &m->notes[first % TOP_NOTES];
		char text[TOP_NOTE_MAX + 20];

		snprintf(text, sizeof(text), "%s %s", note->clock, note->text);
		if (line)
			top_put(&rest, row++, 0, TOP_PLAIN, "%s", text);
		else
			row = top_words(&rest, row, TOP_PLAIN, text);
	}
}

/* One channel, or one socket. */
static void draw_alone(const struct top_model *m, const struct top_area *area)
{
	const struct top_place *place = &m->places[m->selected];
	char read[TOP_RATE_MAX], write[TOP_RATE_MAX], sum[TOP_RATE_MAX];
	unsigned n = at_most(m->n_items, area->rows / 2), column = top_put(area, 0, 0, TOP_TITLE, "%s", place->name);
	struct top_area part;

	if (place->given) {
		column = top_put(area, 0, column, TOP_PLAIN, "  %s %s", top_rate(m, place->read + place->write, sum),
				 m->unit_name);
		if (!m->together)
			column = top_put(area, 0, column, TOP_PLAIN, "  read %s  write %s",
					 top_rate(m, place->read, read), top_rate(m, place->write, write));
		column = top_put(area, 0, column, TOP_DIM, "  most %s", top_rate(m, place->most, sum));
	}
	top_put(area, 0, column, TOP_WARN, "  %s", place->flags);
	if (area->rows < n + 3)
		return;
	top_put(area, 1, 0, TOP_DIM, "%s", top_rate(m, top_scale(m, place), sum));
	top_put(area, area->rows - n - 2, 0, TOP_DIM, "0");
	part = top_part(area, 1, 7, area->rows - n - 2, area->columns - 7);
	top_draw_history(&part, m, place->history, top_scale(m, place));
	part = top_part(area, area->rows - n - 1, 0, n + 1, area->columns);
	top_line(&part, 0);
	for (unsigned i = 0; i < n; i++)
		top_put(&part, i + 1, 1, TOP_PLAIN, "%-*.*s %s", 40, 40, m->items[i].name, m->items[i].value);
}

void top_layout(const struct top_model *m, unsigned columns, unsigned rows, struct top_cell *cells)
{
	struct frame f = frame_of(m, cells, columns, rows);
	struct top_area body = {cells + (size_t)f.head.rows * columns, columns, columns, 0};

	for (size_t i = 0; i < (size_t)columns * rows; i++)
		cells[i] = (struct top_cell){.glyph = ' '};
	if (!columns || !rows)
		return;
	body.rows = rows > f.head.rows + f.foot.rows ? rows - f.head.rows - f.foot.rows : 0;
	draw_head(m, &f.head);
	draw_foot(m, &f.foot);
	switch (m->view) {
	case TOP_ALONE:
		draw_alone(m, &body);
		break;
	case TOP_MAP:
		draw_map(m, &body);
		break;
	case TOP_TEXT:
		top_words(&body, 0, TOP_PLAIN, m->text);
		break;
	case TOP_HELP:
		top_words(&body, 0, TOP_PLAIN, help);
		break;
	case TOP_MAIN:
		draw_list(m, &f.list);
		draw_map(m, &f.map);
		draw_caches(m, &f.caches);
		draw_notes(m, &f.notes, columns < WIDE);
		break;
	}
}
