// SPDX-License-Identifier: GPL-2.0-or-later
/* What the keys of `top` do. */
#define _GNU_SOURCE
#define NCURSES_NOMACROS 1
#include <curses.h> /* names of keys only */

#include "base/text.h"
#include "cli/top.h"

enum { ESCAPE = 27, DELETE = 127 };

/* ---- choosing a place ---- */

static void step(struct top *top, int by)
{
	struct top_model *m = &top->model;
	size_t *places = calloc(m->n_places, sizeof(*places)), n, at = 0;
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

/* ---- pages of text ---- */

/* Shows the text of a key, or the list again if it shows that already; then NULL. */
static struct output *begin_text(struct top *top, int key)
{
	bool again = top->model.view == TOP_TEXT && top->text_key == key;

	top->text_key = key;
	top->text.len = 0;
	top->model.text = "";
	top->model.view = again ? TOP_MAIN : TOP_TEXT;
	return again ? NULL : &top->text;
}

static void end_text(struct top *top)
{
	output_append(&top->text, "", 1);
	if (!top->text.failed)
		top->model.text = top->text.text;
}

static void put_sentences(struct output *out, const struct flag_word *words, const char *text)
{
	for (; words->word; words++)
		if (words->sentence && strstr(text, words->word))
			output_printf(out, "  %s: %s\n", words->word, words->sentence);
}

static void put_counters(struct top *top, struct unc_box *box, struct output *out)
{
	static const char *const uses[] = {"idle", "counting", "enabled, but not moving", "standing still"};
	struct unc_box_state state;

	if (unc_box_state(box, &state) < 0) {
		output_printf(out, "%s\n", unc_errmsg(top->ctx));
		return;
	}
	output_printf(out, "its counters now: %s%s\n", uses[state.use], state.frozen ? ", frozen" : "");
	for (size_t i = 0; i < state.n_slots; i++)
		output_printf(out, "  %s[%u] = 0x%08llx  %s\n", state.slots[i].reg, state.slots[i].index,
			      (unsigned long long)state.slots[i].control, state.slots[i].event);
}

static void explain(struct top *top, int key)
{
	struct top_model *m = &top->model;
	const struct top_place *place = &m->places[m->selected];
	struct output *out = begin_text(top, key);
	struct unc_box *box;

	if (!out)
		return;
	output_printf(out, "%s: %s\n", place->name, *place->flags ? place->flags : "no flags");
	put_sentences(out, count_flag_words, place->flags);
	if (place->level == TOP_CHANNEL && unc_box_find(top->machine, place->name, &box) == 0)
		put_counters(top, box, out);
	else
		output_printf(out, "choose a channel (up, down) to see what its counters hold\n");
	for (size_t i = 0; i < m->n_caches; i++) {
		const struct top_cache *cache = &m->caches[i];

		if (*cache->words)
			output_printf(out, "cache: %s on L3 %s: %s\n", top->beside.llc.infos[cache->row].group,
				      cache->l3, cache->words);
		put_sentences(out, llc_words, cache->words);
	}
	output_printf(out, "`uncorectl doctor` finds the programs that use these counters.\n\n");
	for (size_t i = m->n_notes > TOP_NOTES ? m->n_notes - TOP_NOTES : 0; i < m->n_notes; i++)
		output_printf(out, "%s\n", m->notes[i % TOP_NOTES]);
	end_text(top);
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
	case '\t':
		complete(top);
		break;
	case ESCAPE:
		*line = '\0';
		break;
	case KEY_BACKSPACE:
	case DELETE:
	case '\b':
		if (len > strlen(prompt))
			line[len - 1] = '\0';
		break;
	case KEY_ENTER:
	case '\n':
	case '\r':
		top_count_again(top, line + strlen(prompt));
		top->model.view = top->mem.counting.plan.n_items > top->mem.n_items ? TOP_ALONE : TOP_MAIN;
		*line = '\0';
		break;
	default:
		if (key > ' ' && key < DELETE && len + 1 < sizeof(top->model.prompt)) {
			line[len] = (char)key;
			line[len + 1] = '\0';
		}
	}
}

static void ask(struct top *top, int unused)
{
	(void)unused;
	snprintf(top->model.prompt, sizeof(top->model.prompt), "%s", prompt);
}

/* ---- choices ---- */

static void toggle(struct top *top, int member)
{
	bool *value = (bool *)((char *)top + member);

	*value = !*value;
}

static void show(struct top *top, int view)
{
	top->model.view = (int)top->model.view == view ? TOP_MAIN : (enum top_view)view;
}

/* Shown where there is room, then all of them, then none. */
static void change_caches(struct top *top, int unused)
{
	struct top_model *m = &top->model;
	bool were_hidden = m->no_caches;

	(void)unused;
	m->no_caches = m->view == TOP_CACHES;
	m->view = m->view == TOP_MAIN && !were_hidden ? TOP_CACHES : TOP_MAIN;
}

static void change_interval(struct top *top, int longer)
{
	enum { LEAST_MS = 100, MOST_MS = 60000 };
	double ms = (double)top->interval_ns / 1e6;

	/* 1, 2, 5, 10, ...: what is 2.5 times shorter is rounded up to the next shorter one. */
	ms = top_rounded_up(longer ? ms * 1.01 : ms / 2.5);
	if (ms > MOST_MS || (!longer && ms < LEAST_MS))
		return;
	top->interval_ns = (uint64_t)ms * 1000000;
	top->model.interval_s = ms / 1000;
}

static void change_scale(struct top *top, int unused)
{
	struct top_place channel = {.n_channels = 1};
	struct top_model *m = &top->model;
	bool has_peak = m->places->peak > 0;

	(void)unused;
	if (m->scale == TOP_OF_PEAK && has_peak) {
		m->scale = TOP_OF_HIGHEST;
	} else if (m->scale != TOP_LOCKED) {
		m->locked = top_scale(m, &channel);
		m->scale = TOP_LOCKED;
	} else {
		m->scale = TOP_OF_PEAK;
	}
}

static void enter(struct top *top, int unused)
{
	struct top_model *m = &top->model;
	struct top_place *place = &m->places[m->selected];
	unsigned columns, rows;

	(void)unused;
	screen_size(&columns, &rows);
	if (m->view != TOP_MAIN)
		m->view = TOP_MAIN;
	else if (place->level == TOP_SOCKET && !m->by_traffic)
		place->opened = top_is_open(m, columns, rows, place) ? TOP_CLOSED : TOP_OPEN;
	else
		m->view = TOP_ALONE;
}

static void snapshot(struct top *top, int unused)
{
	(void)unused;
	top->keeps = true;
	top->saves = top->has_file;
	top_add_note(&top->model, top->has_file ? "this screen is printed at the end, and its sample is in the file"
						: "this screen and its sample as JSON lines are printed at the end");
}

static void record(struct top *top, int unused)
{
	(void)unused;
	top->model.recording = top->has_file && !top->model.recording;
	if (!top->has_file)
		top_add_note(&top->model, "there is no file to record to: start with -o FILE");
}

static void help(struct top *top, int key);

#define MODEL(member) (int)offsetof(struct top, model.member)

static const struct {
	int keys[3];
	void (*press)(struct top *top, int arg);
	int arg;
	const char *name, *help; /* NULL: it is in the line above */
} bindings[] = {
	{{'q', SCREEN_LOST}, toggle, offsetof(struct top, quit), "q", "quit; every register is put back as it was"},
	{{'p', ' '}, toggle, MODEL(paused), "p", "pause what is shown; counting goes on"},
	{{'k', KEY_UP}, step, -1, "up, down", "choose a channel or a socket"},
	{{'j', KEY_DOWN}, step, 1, NULL, NULL},
	{{KEY_PPAGE}, step, -10, NULL, NULL},
	{{KEY_NPAGE}, step, 10, NULL, NULL},
	{{'\n', '\r', KEY_ENTER}, enter, 0, "enter", "open or close a socket; one channel alone; back"},
	{{ESCAPE}, show, TOP_MAIN, NULL, NULL},
	{{'l'}, change_scale, 0, "l", "scale: the possible peak, the highest seen, or locked as it is"},
	{{'o'}, toggle, MODEL(by_traffic), "o", "order: by channel, or the busiest first"},
	{{'c'}, change_caches, 0, "c", "all caches, none, or those for which there is room"},
	{{'m'}, show, TOP_MAP, "m", "the map of all channels over time"},
	{{'e'}, ask, 0, "e", "events and metrics of a channel by name; tab completes a name"},
	{{'d'}, explain, 'd', "d", "what the flags of the chosen channel mean, and what its counters hold"},
	{{'+', '='}, change_interval, false, "+ -", "shorter or longer interval"},
	{{'-'}, change_interval, true, NULL, NULL},
	{{'s'}, snapshot, 0, "s", "keep this screen as text, and its sample as JSON lines or in the file"},
	{{'R'}, record, 0, "R", "pause or go on with recording to the file of -o"},
	{{'?', 'h'}, help, '?', "Ctrl-Z", "suspend: the counters stay programmed until it goes on or ends"},
};
enum { N_BINDINGS = sizeof(bindings) / sizeof(bindings[0]) };

static void help(struct top *top, int key)
{
	struct output *out = begin_text(top, key);

	for (size_t i = 0; out && i < N_BINDINGS; i++)
		if (bindings[i].name)
			output_printf(out, "%-10s %s\n", bindings[i].name, bindings[i].help);
	if (!out)
		return;
	output_printf(out,
		      "\nA channel without a number says why: missing, stolen, stopped and so on; x in the map.\n");
	end_text(top);
}

void top_take_key(struct top *top, int key)
{
	if (*top->model.prompt && key != SCREEN_LOST) {
		type(top, key);
		return;
	}
	for (size_t i = 0; i < N_BINDINGS; i++)
		for (unsigned k = 0; k < 3; k++)
			if (bindings[i].keys[k] == key)
				bindings[i].press(top, bindings[i].arg);
}
