// SPDX-License-Identifier: GPL-2.0-or-later
/* What the keys of `top` do. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/top.h"

/* ---- choosing a place ---- */

static void move(struct top *top, int by)
{
	struct top_model *m = &top->model;
	size_t *places = calloc(m->n_places + 1, sizeof(*places)), n, at = 0;
	unsigned columns, rows;

	if (!places)
		return;
	screen_size(&columns, &rows);
	n = top_list(m, columns, rows, places);
	while (at < n && places[at] != m->selected)
		at++;
	if (at == n)
		at = 0;
	else if (by < 0)
		at = at < (size_t)-by ? 0 : at - (size_t)-by;
	else
		at = at + (size_t)by < n ? at + (size_t)by : n - 1;
	if (n)
		m->selected = places[at];
	free(places);
}

/* ---- sentences about a place ---- */

static const struct {
	const char *word, *sentence;
} meanings[] = {
	{"missing", "it does not answer, or another socket has it and this one does not"},
	{"partial", "a sum that lacks at least one channel"},
	{"stolen", "another program wrote our control register, which is neither written again nor put back"},
	{"reset", "the counter jumped though its control is ours: another program cleared it"},
	{"gap", "it was not read for too long, or the machine was suspended"},
	{"late", "the count is right, but its interval is uncertain by more than 0.2 %; take a longer one (+)"},
	{"stopped", "the box stands still: frozen, asleep, or without DIMMs"},
	{"unconfirmed", "a 0 that no clock confirms"},
	{"unprogrammed", "no program counts this (--observe)"},
	{"changed", "its owner gave the counter another event (--observe)"},
	{"free_running", "counted by a counter of the whole controller that always runs"},
};

static void explain(struct top *top)
{
	struct top_model *m = &top->model;
	const struct top_place *place = &m->places[m->selected];
	static const char *const uses[] = {"idle", "counting", "enabled, but not moving", "standing still"};
	struct unc_box_state state;
	struct unc_box *box = NULL;
	enum { SIZE = 8000 };

	free(top->text);
	m->text = top->text = calloc(1, SIZE);
	if (!top->text)
		return;
	unc_text_join(top->text, SIZE, "", "%s: %s\n", place->name, *place->flags ? place->flags : "no flags");
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (strstr(place->flags, meanings[i].word))
			unc_text_join(top->text, SIZE, "", "%s: %s\n", meanings[i].word, meanings[i].sentence);
	if (!place->is_socket && unc_box_find(top->machine, place->name, &box) == 0) {
		if (unc_box_state(box, &state) < 0)
			unc_text_join(top->text, SIZE, "", "\n%s\n", unc_errmsg(top->ctx));
		else
			unc_text_join(top->text, SIZE, "", "\nits counters now: %s%s\n", uses[state.use],
				      state.frozen ? ", frozen" : "");
		for (size_t i = 0; box && i < state.n_slots; i++)
			unc_text_join(top->text, SIZE, "", "  %s[%u] = 0x%08llx  %s\n", state.slots[i].reg,
				      state.slots[i].index, (unsigned long long)state.slots[i].control,
				      state.slots[i].event);
	} else {
		unc_text_join(top->text, SIZE, "", "choose a channel (up, down) to see what its counters hold\n");
	}
	unc_text_join(top->text, SIZE, "", "`uncorectl doctor` finds the programs that use these counters.\n\n");
	for (size_t i = m->n_notes > TOP_NOTES ? m->n_notes - TOP_NOTES : 0; i < m->n_notes; i++)
		unc_text_join(top->text, SIZE, "", "%s %s\n", m->notes[i % TOP_NOTES].clock,
			      m->notes[i % TOP_NOTES].text);
	m->view = TOP_TEXT;
}

/* ---- the line that is typed ---- */

static const char prompt[] = "events or metrics: ";

/* What names have in common, and which there are. */
struct completion {
	const char *begin; /* what was typed */
	char common[100], all[TOP_NOTE_MAX];
	size_t n;
};

static void complete_with(struct completion *c, const char *name)
{
	size_t same = 0;

	if (strncmp(name, c->begin, strlen(c->begin)) != 0)
		return;
	if (c->n++ == 0)
		snprintf(c->common, sizeof(c->common), "%s", name);
	while (c->common[same] && c->common[same] == name[same])
		same++;
	c->common[same] = '\0';
	unc_text_join(c->all, sizeof(c->all), " ", "%s", name);
}

static void complete(struct top *top)
{
	char *line = top->model.prompt, *comma = strrchr(line, ',');
	struct completion c = {.begin = comma ? comma + 1 : line + strlen(prompt)};
	struct unc_event_info event;
	struct unc_metric_info metric;
	size_t begin = (size_t)(c.begin - line);

	for (size_t i = 0; unc_metric_info(top->machine, "imc", i, &metric) == 0; i++)
		if (!metric.lacks)
			complete_with(&c, metric.name);
	for (size_t i = 0; unc_event_info(top->machine, "imc", i, &event) == 0; i++)
		complete_with(&c, event.name);
	if (c.n > 1)
		top_add_note(&top->model, c.all);
	if (c.n)
		snprintf(line + begin, sizeof(top->model.prompt) - begin, "%s", c.common);
}

static void type(struct top *top, int key)
{
	char *line = top->model.prompt;
	size_t len = strlen(line);

	switch (key) {
	case TOP_TAB:
		complete(top);
		break;
	case TOP_ESCAPE:
		*line = '\0';
		break;
	case TOP_BACKSPACE:
		if (len > strlen(prompt))
			line[len - 1] = '\0';
		break;
	case TOP_ENTER:
		top_count_again(top, line + strlen(prompt));
		top->model.view = top->mem.counting.plan.n_items > top->mem.n_items ? TOP_ALONE : TOP_MAIN;
		*line = '\0';
		break;
	default:
		if (key > ' ' && key < 127 && len + 1 < sizeof(top->model.prompt)) {
			line[len] = (char)key;
			line[len + 1] = '\0';
		}
	}
}

/* ---- choices ---- */

static void change_interval(struct top *top, bool longer)
{
	static const uint64_t steps_ms[] = {100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000};
	enum { STEPS = sizeof(steps_ms) / sizeof(steps_ms[0]) };
	uint64_t ms = top->interval_ns / 1000000;
	unsigned i = 0;

	while (i < STEPS && (longer ? steps_ms[i] <= ms : steps_ms[i] < ms))
		i++;
	i = longer ? i : i - (i > 0);
	if (i < STEPS)
		top->interval_ns = steps_ms[i] * 1000000;
	top->model.interval_s = (double)top->interval_ns / 1e9;
}

static void change_scale(struct top_model *m)
{
	struct top_place channel = {.n_channels = 1};
	bool has_peak = m->total.peak > 0;

	if (m->scale == TOP_OF_PEAK && has_peak) {
		m->scale = TOP_OF_HIGHEST;
	} else if (m->scale != TOP_LOCKED) {
		m->locked = top_scale(m, &channel);
		m->scale = TOP_LOCKED;
	} else {
		m->scale = TOP_OF_PEAK;
	}
}

static void enter(struct top_model *m)
{
	struct top_place *place = &m->places[m->selected];
	unsigned columns, rows;

	screen_size(&columns, &rows);
	if (m->view != TOP_MAIN)
		m->view = TOP_MAIN;
	else if (place->is_socket && !m->by_traffic)
		place->opened = top_is_open(m, columns, rows, place) ? TOP_CLOSED : TOP_OPEN;
	else
		m->view = TOP_ALONE;
}

static void show(struct top_model *m, enum top_view view)
{
	m->view = m->view == view ? TOP_MAIN : view;
}

void top_take_key(struct top *top, int key)
{
	struct top_model *m = &top->model;

	if (key == TOP_LOST)
		top->quit = true;
	else if (*m->prompt)
		type(top, key);
	else
		switch (key) {
		case 'q':
			top->quit = true;
			break;
		case 'p':
		case ' ':
			m->paused = !m->paused;
			m->behind = 0;
			break;
		case TOP_UP:
		case 'k':
			move(top, -1);
			break;
		case TOP_DOWN:
		case 'j':
			move(top, 1);
			break;
		case TOP_PAGE_UP:
			move(top, -10);
			break;
		case TOP_PAGE_DOWN:
			move(top, 10);
			break;
		case TOP_ENTER:
			enter(m);
			break;
		case TOP_ESCAPE:
			m->view = TOP_MAIN;
			break;
		case 'l':
			change_scale(m);
			break;
		case 'o':
			m->by_traffic = !m->by_traffic;
			break;
		case 'c':
			m->no_caches = !m->no_caches;
			break;
		case 'm':
			show(m, TOP_MAP);
			break;
		case 'd':
			if (m->view == TOP_TEXT)
				m->view = TOP_MAIN;
			else
				explain(top);
			break;
		case 's':
			top->keeps = true;
			top->saves = top->has_file;
			top_add_note(m, top->has_file
						? "this screen is printed at the end, and its sample is in the file"
						: "this screen is printed at the end");
			break;
		case 'R':
			if (!top->has_file)
				top_add_note(m, "there is no file to record to: start with -o FILE");
			top->records = m->recording = top->has_file && !top->records;
			break;
		case 'e':
			snprintf(m->prompt, sizeof(m->prompt), "%s", prompt);
			break;
		case '+':
		case '=':
			change_interval(top, false);
			break;
		case '-':
			change_interval(top, true);
			break;
		case '?':
		case 'h':
			show(m, TOP_HELP);
			break;
		default:
			break;
		}
}
