/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `top` shows, and how: the last sample with its history, and what the user chose.  top_layout() turns it into cells; it knows
 * no terminal, so that tests see every screen.
 */
#ifndef UNC_CLI_TOP_MODEL_H
#define UNC_CLI_TOP_MODEL_H

#include "cli/number.h"

enum { TOP_HISTORY = 512, TOP_NOTES = 16, TOP_ITEMS = 16, TOP_NOTE_MAX = 400 };

struct top_place {
	enum { TOP_MACHINE, TOP_SOCKET, TOP_CHANNEL } level;
	char label[40], name[40];
	size_t first, n_channels;                          /* which channels it is */
	enum { TOP_AS_FITS, TOP_OPEN, TOP_CLOSED } opened; /* of a socket, as the user chose */
	bool given;                                        /* this sample has a value */
	double read, write;           /* bytes per second; if they are not told apart, read has both */
	double pmem_read, pmem_write; /* of Optane modules */
	double most;                  /* the highest sum of reads and writes so far, */
	char most_clock[16];          /* and when that was */
	double peak;                  /* the highest that is possible; 0: not known */
	char flags[FLAGS_TEXT_MAX];
	float *history; /* ring of TOP_HISTORY sums of reads and writes; NAN: no value; owned by the caller */
};

struct top_cache {              /* a group on an L3 */
	char l3[16], group[40]; /* group: only in its first row */
	size_t row;             /* of the read of the caches */
	double size;            /* bytes */
	double owned;           /* bytes; as the others, NAN: no value */
	double total, local, remote;
	char words[FLAGS_TEXT_MAX]; /* why not, and flags */
	float *history;             /* of total */
};

struct top_item { /* an event or a metric of a place */
	char name[64], value[50 + FLAGS_TEXT_MAX];
};

enum top_view { TOP_MAIN, TOP_ALONE, TOP_MAP, TOP_CACHES, TOP_TEXT };
enum top_glyphs { TOP_BRAILLE, TOP_BLOCKS, TOP_ASCII };
enum top_scale { TOP_OF_PEAK, TOP_OF_HIGHEST, TOP_LOCKED };

struct top_model {
	char machine[80]; /* "Broadwell-EP, simulated" */
	char clock[16];
	double interval_s, cpu_percent; /* cpu_percent below 0: not known yet */
	bool together;                  /* reads and writes are not told apart */
	bool has_pmem;
	double unit, size_unit; /* of rates, and of what a cache holds */
	const char *unit_name, *size_unit_name;

	struct top_place *places; /* the machine, and each socket before its channels */
	size_t n_places;
	struct top_cache *caches;
	size_t n_caches;
	struct top_item items[TOP_ITEMS]; /* of the selected place */
	size_t n_items;
	uint64_t samples;                    /* the last one is in history[(samples - 1) % TOP_HISTORY] */
	char notes[TOP_NOTES][TOP_NOTE_MAX]; /* each with its time */
	size_t n_notes;                      /* so many there were; the last ones are kept */

	/* What the user chose. */
	enum top_view view;
	enum top_glyphs glyphs;
	enum top_scale scale;
	double locked;   /* the scale of a channel with TOP_LOCKED */
	size_t selected; /* 0, the machine, is not marked */
	bool paused, by_traffic, no_caches, recording;
	unsigned behind;  /* samples that came since it is paused */
	char prompt[200]; /* a line that is being typed; "": none */
	const char *text; /* of TOP_TEXT: lines that end with \n; not owned */
};

/* Colours.  Each colour also has its own glyph. */
enum top_ink {
	TOP_PLAIN,
	TOP_TITLE,
	TOP_DIM,
	TOP_READ,
	TOP_WRITE,
	TOP_PMEM,
	TOP_WARN,
	TOP_HEAT,
	TOP_HEAT_LAST = TOP_HEAT + 4,
	TOP_INKS
};

struct top_cell {
	uint16_t glyph; /* Unicode */
	uint8_t ink;
	bool bold;
};

/* Fills columns * rows cells. */
void top_layout(const struct top_model *model, unsigned columns, unsigned rows, struct top_cell *cells);
/* The places that the main view lists in a window of that size, in their order: at most n_places of them. */
size_t top_list(const struct top_model *model, unsigned columns, unsigned rows, size_t *ret_places);
/* Are the channels of that socket listed there? */
bool top_is_open(const struct top_model *model, unsigned columns, unsigned rows, const struct top_place *socket);
/* The same or the next higher of 1, 2, 5, 10, ...: a scale that does not change with every sample. */
double top_rounded_up(double number);
/* The rate of a full bar of a place. */
double top_scale(const struct top_model *model, const struct top_place *place);

/* The same of a group in the caches. */
double top_cache_scale(const struct top_model *model);

/* A sample has come: every history begins a place that has no value yet. */
void top_next_sample(struct top_model *model);
void top_add_note(struct top_model *model, const char *text);

/* ---- parts of a screen, for top_layout.c ---- */

struct top_area { /* a part of the cells */
	struct top_cell *cells;
	unsigned stride, columns, rows;
};
struct top_area top_part(const struct top_area *area, unsigned row, unsigned column, unsigned rows, unsigned columns);
void top_set(const struct top_area *area, unsigned row, unsigned column, unsigned glyph, enum top_ink ink);
/* Returns the column after the text; what does not fit is cut. */
unsigned top_put(const struct top_area *area, unsigned row, unsigned column, enum top_ink ink, const char *fmt, ...)
	UNC_PRINTF(5, 6);
/* Words, broken at the width of the area from that row on.  Returns the row after them. */
unsigned top_words(const struct top_area *area, unsigned row, const char *text);
void top_line(const struct top_area *area);
/* What a bar is made of: what is read, written, moved by Optane modules, and what is free. */
enum { TOP_PARTS = 4 };
unsigned top_bar_glyph(enum top_glyphs glyphs, unsigned part);
void top_bar(const struct top_area *area, enum top_glyphs glyphs, const double values[TOP_PARTS - 1], double scale);
/* The latest samples at the right, in all rows of the area. */
void top_draw_history(const struct top_area *area, const struct top_model *model, const float *history, double scale);
void top_draw_heat(const struct top_area *area, const struct top_model *model, const float *history, double scale);
struct top_number {
	char text[16];
};
/* A rate in the unit of the model, without its name; NAN: "-". */
struct top_number top_rate(const struct top_model *model, double rate);

#endif
