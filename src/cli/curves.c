// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns the rows of samples into curves. */
#include "cli/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum role {
	/* What follows R_BOX makes the place. */
	R_TIME,
	R_INTERVAL,
	R_FLAGS,
	R_PEAK,
	R_COUNT,
	R_UNIT,
	R_BOX,
	R_SOCKET,
	R_IMC,
	R_CHANNEL,
	R_PCI,
	R_GROUP,
	R_L3,
	R_EVENT,
	R_COUNTER,
	R_MEMORY,
	N_ROLES,
};
_Static_assert((int)N_ROLES == (int)CURVES_ROLES, "each role has a place in struct curves");

enum { KEY_MAX = 512 };

static const char *const role_names[N_ROLES] = {
	[R_TIME] = "time_ns", [R_INTERVAL] = "interval_ns",  [R_FLAGS] = "flags",     [R_COUNT] = "count",
	[R_UNIT] = "unit",    [R_PEAK] = "peak_bytes_per_s", [R_BOX] = "box",         [R_SOCKET] = "socket",
	[R_IMC] = "imc",      [R_CHANNEL] = "channel",       [R_PCI] = "pci",         [R_GROUP] = "group",
	[R_L3] = "l3",        [R_EVENT] = "event",           [R_COUNTER] = "counter", [R_MEMORY] = "memory",
};

static bool is_quantity(const char *name)
{
	return strcmp(name, "value") == 0 || strcmp(name, "occupancy_bytes") == 0 ||
	       unc_text_match("?*_bytes_per_s", name);
}

static void learn_columns(struct curves *curves)
{
	for (; curves->n_seen < curves->series.n_columns; curves->n_seen++) {
		const char *name = curves->series.columns[curves->n_seen];

		for (unsigned role = 0; role < N_ROLES; role++)
			if (strcmp(name, role_names[role]) == 0) {
				curves->column[role] = curves->n_seen + 1;
			}
		if (strcmp(name, role_names[R_PEAK]) == 0 || !is_quantity(name) ||
		    curves->n_quantities == CURVES_QUANTITIES)
			continue;
		curves->quantity_columns[curves->n_quantities] = curves->n_seen;
		curves->quantities[curves->n_quantities++] = name;
	}
}

/* The value of the column with that role; its text is NULL if it is not given, or there is no such column. */
static struct series_text given(const struct curves *curves, enum role role)
{
	return curves->column[role] ? curves->series.values[curves->column[role] - 1] : (struct series_text){NULL, 0};
}

int curves_open(struct curves *curves, const struct globals *globals, const char *command, const char *path)
{
	*curves = (struct curves){.place = 0};
	return series_open(&curves->series, globals, command, path);
}

/* ---- numbers ---- */

static bool number_of(const struct series_text *text, double *ret_value)
{
	char *end;

	*ret_value = strtod(text->text, &end);
	return end > text->text && !*end && isfinite(*ret_value);
}

/* ---- places ---- */

static int number_after(const char *box, const char *word)
{
	const char *at = strstr(box, word);
	uint64_t number;

	if (at)
		at += strlen(word);
	return at && unc_text_take(&at, &number) && number < 10000 ? (int)number : -1;
}

static void place_texts(const struct curves *curves, struct curve_place *place)
{
	static const enum role levels[] = {R_SOCKET, R_IMC, R_CHANNEL};
	static const char *const words[] = {"socket", "imc", "ch"};
	struct series_text box = given(curves, R_BOX), l3 = given(curves, R_L3), pci = given(curves, R_PCI),
			   group = given(curves, R_GROUP), event = given(curves, R_EVENT),
			   counter = given(curves, R_COUNTER), memory = given(curves, R_MEMORY);

	if (box.text)
		snprintf(place->box, CURVES_NAME, "%s", box.text);
	/* Version 1: socket, imc and channel are columns. */
	for (unsigned i = 0; !box.text && i < 3; i++)
		if (given(curves, levels[i]).text)
			unc_text_join(place->box, CURVES_NAME, ".", "%s%s", words[i], given(curves, levels[i]).text);
	if (!box.text && l3.text)
		unc_text_join(place->box, CURVES_NAME, ".", "l3-%s", l3.text);
	if (!box.text && pci.text && !given(curves, R_CHANNEL).text)
		unc_text_join(place->box, CURVES_NAME, ".", "%s", pci.text);
	if (!place->box[0])
		snprintf(place->box, CURVES_NAME, "machine");
	if (group.text)
		snprintf(place->group, CURVES_NAME, "%s", group.text);
	if (memory.text)
		unc_text_join(place->group, CURVES_NAME, " ", "%s", memory.text);
	if (event.text)
		snprintf(place->event, CURVES_NAME, "%s", event.text);
	if (counter.text)
		unc_text_join(place->event, CURVES_NAME, " in ", "%s", counter.text);
	place->socket = number_after(place->box, "socket");
	place->imc = number_after(place->box, ".imc");
	place->channel = number_after(place->box, ".ch");
}

/* Finds or adds the place of the row.  The rows of a sample usually follow one another as in the sample before. */
static bool find_place(struct curves *curves)
{
	size_t len = 0, n = curves->n_places, guess = curves->place + 1 < n ? curves->place + 1 : 0;
	struct curve_place place;
	char key[KEY_MAX];

	for (unsigned role = R_BOX; role <= R_MEMORY; role++) {
		struct series_text text = given(curves, role);

		if (len + text.len + 2 > KEY_MAX)
			return series_wrong(&curves->series, "its names are too long");
		if (text.text)
			memcpy(key + len, text.text, text.len);
		len += text.len;
		key[len++] = '\x1f';
	}
	key[len] = '\0';
	for (size_t i = 0; i < n; i++, guess = guess + 1 < n ? guess + 1 : 0) {
		if (strcmp(curves->places[guess].key, key) != 0)
			continue;
		curves->place = guess;
		return true;
	}
	if (n == CURVES_PLACES)
		return series_wrong(&curves->series, "more than %d boxes, groups and events are too many to compare",
				    CURVES_PLACES);
	curves->place = n;
	place = (struct curve_place){.key = unc_text_dup(key)};
	place_texts(curves, &place);
	if (place.key && unc_array_add(&curves->places, &curves->n_places, &place, sizeof(place)))
		return true;
	free(place.key);
	return series_wrong(&curves->series, "out of memory");
}

/* ---- rows ---- */

static void take_flags(struct curves *curves)
{
	char *rest = given(curves, R_FLAGS).text, *word;

	curves->flag_bits = 0;
	while ((word = unc_text_cut(&rest, ';'))) {
		size_t i = 0;

		while (i < curves->n_flags && strcmp(curves->flags[i], word) != 0)
			i++;
		if (!*word || i == CURVES_FLAGS)
			continue;
		if (i == curves->n_flags) {
			curves->flags[i] = unc_text_dup(word);
			curves->n_flags += curves->flags[i] != NULL;
		}
		curves->flag_bits |= UINT64_C(1) << i;
	}
}

static bool take_values(struct curves *curves, struct curve_place *place)
{
	struct series_text peak = given(curves, R_PEAK), unit = given(curves, R_UNIT);
	bool is_event = given(curves, R_COUNT).text != NULL;

	for (size_t i = 0; i < curves->n_quantities; i++) {
		struct series_text *text = &curves->series.values[curves->quantity_columns[i]];
		double *value = &curves->values[i];

		*value = NAN;
		if (!text->text)
			continue;
		if (!number_of(text, value))
			return series_wrong(&curves->series, "%s is not a number: %s", curves->quantities[i],
					    text->text);
		if (curves->quantities[i][0] != 'v')
			continue;
		if (!place->unit[0])
			snprintf(place->unit, sizeof(place->unit), "%s%s", unit.text ? unit.text : "",
				 is_event ? "/s" : "");
		if (is_event)
			*value = curves->interval_ns ? *value * 1e9 / (double)curves->interval_ns : NAN;
	}
	curves->peak = 0;
	return !peak.text || number_of(&peak, &curves->peak) ||
	       series_wrong(&curves->series, "peak_bytes_per_s is not a number");
}

bool curves_next(struct curves *curves)
{
	struct series *series = &curves->series;
	struct series_text time, interval;
	struct curve_place *place;

	if (!series_next(series))
		return false;
	learn_columns(curves);
	if (!curves->column[R_TIME] || curves->n_quantities == 0)
		return false;
	time = given(curves, R_TIME);
	interval = given(curves, R_INTERVAL);
	curves->interval_ns = 0;
	if (!time.text || !unc_text_u64(time.text, &curves->time_ns) ||
	    (interval.text && !unc_text_u64(interval.text, &curves->interval_ns)))
		return series_wrong(series, "its time_ns and interval_ns are not whole numbers");
	if (!find_place(curves))
		return false;
	place = &curves->places[curves->place];
	take_flags(curves);
	if (!take_values(curves, place))
		return false;
	curves->new_sample =
		place->sample == curves->n_samples; /* it has been in the last one already, or there was none */
	curves->n_samples += curves->new_sample;
	place->sample = curves->n_samples;
	return true;
}

const char *curves_unit(const struct curves *curves, const struct curve_place *place, size_t quantity)
{
	const char *name = curves->quantities[quantity];

	return strcmp(name, "value") == 0 ? place->unit : strstr(name, "per_s") ? "bytes/s" : "bytes";
}

void curves_close(struct curves *curves)
{
	for (size_t i = 0; i < curves->n_places; i++)
		free(curves->places[i].key);
	for (size_t i = 0; i < curves->n_flags; i++)
		free(curves->flags[i]);
	free(curves->places);
	series_close(&curves->series);
	*curves = (struct curves){.place = 0};
}
