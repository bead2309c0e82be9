// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a screen of `top`: text, bars, histories, the heat map. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/top_model.h"

/* ---- the model ---- */

void top_next_sample(struct top_model *m)
{
	size_t at = m->samples++ % TOP_HISTORY;

	for (size_t i = 0; i < m->n_places; i++)
		m->places[i].history[at] = NAN;
	for (size_t i = 0; i < m->n_caches; i++)
		m->caches[i].history[at] = NAN;
	m->behind = m->paused ? m->behind + 1 : 0;
}

void top_add_note(struct top_model *m, const char *text)
{
	snprintf(m->notes[m->n_notes++ % TOP_NOTES], TOP_NOTE_MAX, "%s%s%s", m->clock, *m->clock ? " " : "", text);
}

/* The value of that many samples ago; NAN: there is none. */
static double ago(const struct top_model *m, const float *history, unsigned samples)
{
	samples += m->behind;
	if (samples >= m->samples || samples >= TOP_HISTORY)
		return NAN;
	return (double)history[(m->samples - 1 - samples) % TOP_HISTORY];
}

double top_rounded_up(double rate)
{
	double step = 1;

	while (step < rate)
		step *= 10;
	return rate <= step / 5 ? step / 5 : rate <= step / 2 ? step / 2 : step;
}

/* Of the latest samples, and of what was found before. */
static double highest(const struct top_model *m, const float *history, double most)
{
	enum { LATEST = 80 };

	for (unsigned k = 0; k < LATEST; k++)
		most = ago(m, history, k) > most ? ago(m, history, k) : most;
	return most;
}

double top_scale(const struct top_model *m, const struct top_place *place)
{
	double most = 0, n = (double)place->n_channels;

	if (m->scale == TOP_LOCKED)
		return m->locked * n;
	if (m->scale == TOP_OF_PEAK && place->peak > 0)
		return place->peak;
	for (size_t i = 0; i < m->n_places; i++)
		if (m->places[i].level == TOP_CHANNEL)
			most = highest(m, m->places[i].history, most);
	return most > 0 ? top_rounded_up(most) * n : 1;
}

double top_cache_scale(const struct top_model *m)
{
	double most = 0;

	for (size_t i = 0; i < m->n_caches; i++)
		most = highest(m, m->caches[i].history, most);
	return most > 0 ? top_rounded_up(most) : 1;
}

struct top_number top_rate(const struct top_model *m, double rate)
{
	struct top_number number = {"-"};

	rate /= m->unit;
	if (!isnan(rate))
		snprintf(number.text, sizeof(number.text), "%.*f", rate < 9.995 ? 2 : rate < 999.95 ? 1 : 0, rate);
	return number;
}

/* ---- cells ---- */

struct top_area top_part(const struct top_area *area, unsigned row, unsigned column, unsigned rows, unsigned columns)
{
	struct top_area part = {.stride = area->stride};

	if (row >= area->rows || column >= area->columns)
		return part;
	part.cells = area->cells + (size_t)row * area->stride + column;
	part.rows = rows < area->rows - row ? rows : area->rows - row;
	part.columns = columns < area->columns - column ? columns : area->columns - column;
	return part;
}

void top_set(const struct top_area *area, unsigned row, unsigned column, unsigned glyph, enum top_ink ink)
{
	if (row < area->rows && column < area->columns)
		area->cells[(size_t)row * area->stride + column] = (struct top_cell){
			.glyph = (uint16_t)glyph, .ink = (uint8_t)ink, .bold = ink == TOP_TITLE || ink == TOP_WARN};
}

/* Names come from anywhere: what is not ASCII takes one cell, as a question mark. */
unsigned top_put(const struct top_area *area, unsigned row, unsigned column, enum top_ink ink, const char *fmt, ...)
{
	char text[TOP_NOTE_MAX + 100];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (const char *c = text; *c && column < area->columns; c++)
		if ((*c & 0xc0) != 0x80)
			top_set(area, row, column++, *c >= ' ' && *c <= '~' ? (unsigned)*c : '?', ink);
	return column;
}

unsigned top_words(const struct top_area *area, unsigned row, const char *text)
{
	unsigned column = 0;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (column && column + 1 + len > area->columns) {
			row++;
			column = 0;
		}
		column = top_put(area, row, column ? column + 1 : 0, TOP_PLAIN, "%.*s", (int)len, text);
		text += len;
		if (*text == '\n') {
			row++;
			column = 0;
		}
		text += *text != '\0';
	}
	return row + (column > 0);
}

void top_line(const struct top_area *area)
{
	for (unsigned column = 0; column < area->columns; column++)
		top_set(area, 0, column, '-', TOP_DIM);
}

static unsigned steps_up_to(double steps, unsigned most)
{
	return steps >= most ? most : (unsigned)steps;
}

unsigned top_bar_glyph(enum top_glyphs glyphs, unsigned part)
{
	static const unsigned sets[2][TOP_PARTS] = {{0x2588, 0x2592, 0x2591, 0xb7}, {'#', '=', '+', '.'}};

	return sets[glyphs == TOP_ASCII][part];
}

void top_bar(const struct top_area *area, enum top_glyphs glyphs, const double values[TOP_PARTS - 1], double scale)
{
	static const enum top_ink inks[TOP_PARTS] = {TOP_READ, TOP_WRITE, TOP_PMEM, TOP_DIM};
	unsigned column = 0;
	double sum = 0;

	for (unsigned part = 0; part < TOP_PARTS; part++) {
		unsigned end = area->columns;

		sum += part < TOP_PARTS - 1 ? values[part] : 0;
		if (part < TOP_PARTS - 1)
			end = steps_up_to(sum / scale * area->columns + 0.5, area->columns);
		for (; column < end; column++)
			top_set(area, 0, column, top_bar_glyph(glyphs, part), inks[part]);
	}
}

/* A value in steps from 1, which is also that of 0, to n; 0: there is no value. */
static unsigned level(double value, double scale, unsigned n)
{
	double steps = value / scale * n;
	unsigned whole;

	if (!(value >= 0))
		return 0;
	whole = steps_up_to(steps, n);
	return whole + (whole < steps && whole < n) + (steps <= 0);
}

/* Part of a column of so many steps that is in a cell of n steps, with so many below it. */
static unsigned in_cell(unsigned steps, unsigned below, unsigned n)
{
	return steps <= below ? 0 : steps - below > n ? n : steps - below;
}

void top_draw_history(const struct top_area *area, const struct top_model *m, const float *history, double scale)
{
	/* Dots of a braille cell from the bottom up: of the left column, and of the right one. */
	static const unsigned char dots[2][5] = {{0, 0x40, 0x44, 0x46, 0x47}, {0, 0x80, 0xa0, 0xb0, 0xb8}};
	static const unsigned steps_of[] = {[TOP_BRAILLE] = 4, [TOP_BLOCKS] = 8, [TOP_ASCII] = 5};
	unsigned steps = steps_of[m->glyphs], per_cell = m->glyphs == TOP_BRAILLE ? 2 : 1;

	for (unsigned row = 0; row < area->rows; row++) {
		unsigned below = (area->rows - 1 - row) * steps;

		for (unsigned column = 0; column < area->columns; column++) {
			unsigned glyph = 0, n = 0;

			for (unsigned side = 0; side < per_cell; side++) {
				unsigned samples = (area->columns - column) * per_cell - 1 - side;

				n = in_cell(level(ago(m, history, samples), scale, steps * area->rows), below, steps);
				glyph |= dots[side][n < 4 ? n : 4];
			}
			if (m->glyphs == TOP_BRAILLE)
				glyph = glyph ? 0x2800 | glyph : ' ';
			else
				glyph = n == 0 ? ' ' : m->glyphs == TOP_BLOCKS ? 0x2580 + n : (unsigned)" ._-=#"[n];
			top_set(area, row, column, glyph, TOP_READ);
		}
	}
}

void top_draw_heat(const struct top_area *area, const struct top_model *m, const float *history, double scale)
{
	enum { LEVELS = 5 };
	static const unsigned shades[2][LEVELS] = {{0xb7, 0x2591, 0x2592, 0x2593, 0x2588}, {'.', ':', '+', '*', '#'}};

	for (unsigned column = 0; column < area->columns; column++) {
		unsigned samples = area->columns - 1 - column, n;
		double value = ago(m, history, samples);

		if (samples + m->behind >= m->samples)
			continue;
		n = level(value, scale, LEVELS);
		top_set(area, 0, column, n ? shades[m->glyphs == TOP_ASCII][n - 1] : 'x',
			n ? (enum top_ink)(TOP_HEAT + n - 1) : TOP_WARN);
	}
}
