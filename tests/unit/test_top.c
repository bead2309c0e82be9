// SPDX-License-Identifier: GPL-2.0-or-later
/* Every screen of `top`, without a terminal. */
#include "cli/top_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { COLUMNS_MAX = 200, ROWS_MAX = 60 };

/* A machine with a sample, in which channel c of every socket moves c + 1 GB/s of 10, three parts of four of it read. */
struct scene {
	struct top_model m;
	float *histories;
	struct top_cell cells[COLUMNS_MAX * ROWS_MAX];
	unsigned columns, rows;
};
static struct scene scene;

static void give(struct top_place *place, double rate)
{
	place->given = true;
	place->read = rate * 0.75;
	place->write = rate * 0.25;
	place->most = rate;
	place->history[(scene.m.samples - 1) % TOP_HISTORY] = (float)rate;
}

static void begin(unsigned sockets, unsigned channels)
{
	struct top_model *m = &scene.m;
	size_t n = 0;

	memset(&scene, 0, sizeof(scene));
	m->n_places = 1 + sockets * (channels + 1);
	m->places = calloc(m->n_places, sizeof(*m->places));
	scene.histories = calloc((m->n_places + 10) * TOP_HISTORY, sizeof(float));
	m->places[n++] = (struct top_place){
		.label = "machine", .name = "machine", .n_channels = sockets * channels, .history = scene.histories};
	m->unit = 1e9;
	m->unit_name = "GB/s";
	m->size_unit = 1 << 20;
	m->size_unit_name = "MiB";
	m->glyphs = TOP_ASCII;
	m->interval_s = 1;
	m->cpu_percent = 0.3;
	strcpy(m->clock, "14:03:01");
	strcpy(m->machine, "Broadwell-EP");
	for (unsigned s = 0; s < sockets; s++)
		for (unsigned c = 0; c <= channels; c++, n++) {
			struct top_place *place = &m->places[n];

			place->history = scene.histories + n * TOP_HISTORY;
			place->level = c ? TOP_CHANNEL : TOP_SOCKET;
			place->n_channels = c ? 1 : channels;
			snprintf(place->label, sizeof(place->label), c ? "imc0.ch%u" : "socket %u", c ? c - 1 : s);
			snprintf(place->name, sizeof(place->name), c ? "socket%u.imc0.ch%u" : "socket %u", s, c - 1);
			place->peak = c ? 10e9 : 10e9 * channels;
			m->places->peak += c ? 10e9 : 0;
		}
	top_next_sample(m);
	for (n = 1; n < m->n_places; n++)
		give(&m->places[n], m->places[n].level == TOP_SOCKET ? 1e9 * channels * (channels + 1) / 2
								     : 1e9 * (double)((n - 1) % (channels + 1)));
	give(m->places, 1e9 * sockets * channels * (channels + 1) / 2);
}

static void end(void)
{
	free(scene.m.places);
	free(scene.m.caches);
	free(scene.histories);
	scene.m.places = NULL;
	scene.m.caches = NULL;
	scene.histories = NULL;
}
EACH(NULL, end)

static void draw(unsigned columns, unsigned rows)
{
	scene.columns = columns;
	scene.rows = rows;
	top_layout(&scene.m, columns, rows, scene.cells);
}

/* A row as text: blanks at its end are left out; a glyph that is not ASCII is '@'. */
static const char *row(unsigned at)
{
	char text[COLUMNS_MAX + 1];
	unsigned n = scene.columns;

	for (unsigned i = 0; i < n; i++)
		text[i] = scene.cells[at * n + i].glyph < 127 ? (char)scene.cells[at * n + i].glyph : '@';
	while (n && text[n - 1] == ' ')
		n--;
	return test_text("%.*s", (int)n, text);
}

static bool shows(const char *text)
{
	for (unsigned at = 0; at < scene.rows; at++)
		if (strstr(row(at), text))
			return true;
	return false;
}

TEST(a_channel_has_bars_of_reads_and_writes_its_rate_its_share_and_its_peak)
{
	begin(1, 4);
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(0),
			       "uncorectl top  Broadwell-EP  1 s                            0.3 % CPU  14:03:01");
	CU_ASSERT_STRING_EQUAL(row(1), " read 7.50  write 2.50  total 10.0 GB/s  of 40.0  most 10.0 at");
	CU_ASSERT_STRING_EQUAL(row(2),
			       "-------------------------------    GB/s of peak------------------------   most-");
	CU_ASSERT_STRING_EQUAL(row(3),
			       "socket 0   read 7.50  write 2.50   10.0  25 %                         _   10.0");
	CU_ASSERT_STRING_EQUAL(row(4),
			       " imc0.ch0  ##..................    1.00  10 %                         .   1.00");
	CU_ASSERT_STRING_EQUAL(row(7),
			       " imc0.ch3  ######==............    4.00  40 %                         _   4.00");
}

TEST(a_channel_without_a_number_says_why_and_has_no_number)
{
	begin(1, 4);
	scene.m.places[3].given = false;
	strcpy(scene.m.places[3].flags, "stolen");
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(5), " imc0.ch1  stolen");
	strcpy(scene.m.places[4].flags, "late");
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(6), " imc0.ch2  #####=..............    3.00  30 %    late");
	draw(40, 10);
	CU_ASSERT_PTR_NOT_NULL(strstr(row(4), "stolen"));
	CU_ASSERT_PTR_NOT_NULL(strstr(row(5), "late"));
}

TEST(without_a_peak_the_highest_rate_seen_is_the_scale_and_no_share_is_shown)
{
	begin(1, 4);
	for (size_t i = 0; i < scene.m.n_places; i++)
		scene.m.places[i].peak = 0;
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(7),
			       " imc0.ch3  ############====....    4.00                               =   4.00");
	CU_ASSERT_TRUE(shows("full bar: 5.00 GB/s a channel, by the highest seen"));
	CU_ASSERT_FALSE(shows("%  "));
	scene.m.scale = TOP_LOCKED;
	scene.m.locked = 8e9;
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" imc0.ch3  ########==.........."));
	CU_ASSERT_TRUE(shows("[locked]"));
}

TEST(a_rate_above_the_scale_fills_the_bar_and_no_more)
{
	begin(1, 1);
	scene.m.scale = TOP_LOCKED;
	scene.m.locked = 1e8;
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" imc0.ch0  ####################    1.00"));
}

TEST(sockets_fold_where_channels_do_not_fit_and_open_one_by_one)
{
	size_t places[8 * 13];

	begin(8, 12);
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" socket 7  "));
	CU_ASSERT_FALSE(shows("imc0.ch0"));
	CU_ASSERT_EQUAL(top_list(&scene.m, 79, 24, places), 8);
	scene.m.places[14].opened = TOP_OPEN; /* socket 1 */
	CU_ASSERT_EQUAL(top_list(&scene.m, 79, 24, places), 20);
	CU_ASSERT_EQUAL(places[2], 15);
	/* The chosen one is always shown. */
	scene.m.selected = 1 + 7 * 13;
	draw(79, 24);
	CU_ASSERT_TRUE(shows(">socket 7"));
	scene.m.selected = 1 + 13 + 12;
	draw(79, 12);
	CU_ASSERT_TRUE(shows(">imc0.ch11"));
}

TEST(the_busiest_come_first_where_that_is_chosen)
{
	size_t places[10];

	begin(2, 4);
	scene.m.by_traffic = true;
	give(&scene.m.places[4], 9e9);
	scene.m.places[5].given = false;
	CU_ASSERT_EQUAL(top_list(&scene.m, 79, 24, places), 8);
	CU_ASSERT_EQUAL(places[0], 4);
	CU_ASSERT_EQUAL(places[1], 10);
	CU_ASSERT_EQUAL(places[7], 5);
	draw(79, 24);
	CU_ASSERT_PTR_NOT_NULL(strstr(row(3), "socket0.imc0.ch2"));
}

TEST(a_wide_window_has_a_map_in_which_a_missing_sample_is_an_x)
{
	begin(2, 4);
	top_next_sample(&scene.m); /* which nothing has */
	top_next_sample(&scene.m);
	give(&scene.m.places[2], 10e9);
	give(&scene.m.places[3], 0);
	draw(160, 50);
	CU_ASSERT_PTR_NOT_NULL(strstr(row(4), ".x#"));
	CU_ASSERT_PTR_NOT_NULL(strstr(row(5), ".x."));
	CU_ASSERT_PTR_NOT_NULL(strstr(row(3), "channels over time"));
	/* Elsewhere it is a view of its own, of sockets where channels do not fit. */
	scene.m.view = TOP_MAP;
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(3), "channels over time");
	end();
	begin(8, 12);
	scene.m.view = TOP_MAP;
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(3), "sockets over time");
}

TEST(history_is_braille_blocks_or_ascii_with_the_latest_sample_at_the_right)
{
	static const struct {
		enum top_glyphs glyphs;
		unsigned last, before;
	} cases[] = {{TOP_BRAILLE, 0x2800 | 0x80 | 0x47, ' '}, {TOP_BLOCKS, 0x2582, 0x2588}, {TOP_ASCII, '_', '#'}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct top_cell cells[2] = {{.glyph = 0}};
		const struct top_area area = {cells, 2, 2, 1};
		float history[TOP_HISTORY] = {4, 1};
		struct top_model m = {.samples = 2, .glyphs = cases[i].glyphs};

		top_draw_history(&area, &m, history, 4);
		CU_ASSERT_EQUAL(cells[1].glyph, i ? cases[i].last : 0x2800u | 0x47 | 0x80);
		CU_ASSERT_EQUAL(cells[0].glyph, cases[i].before);
		/* Paused: as it was then. */
		m.behind = 1;
		top_draw_history(&area, &m, history, 4);
		CU_ASSERT_EQUAL(cells[1].glyph, i == 0 ? 0x2800u | 0xb8 : i == 1 ? 0x2588u : (unsigned)'#');
		history[1] = NAN;
		m.behind = 0;
		top_draw_history(&area, &m, history, 4);
		CU_ASSERT_EQUAL(cells[1].glyph, i == 0 ? 0x2800u | 0x47 : (unsigned)' ');
	}
}

/* A cache that moved that much before, and in this sample. */
static struct top_cache cache(const char *group, const char *l3, double owned, double total, const char *words)
{
	static const double size = 25 << 20;
	struct top_cache cache = {.owned = owned, .size = size, .total = total, .local = total, .remote = NAN};

	cache.history = scene.histories + (scene.m.n_places + scene.m.n_caches++) * TOP_HISTORY;
	cache.history[0] = (float)total;
	snprintf(cache.group, sizeof(cache.group), "%s", group);
	snprintf(cache.l3, sizeof(cache.l3), "%s", l3);
	snprintf(cache.words, sizeof(cache.words), "%s", words);
	return cache;
}

TEST(caches_have_their_share_and_their_history_or_a_word)
{
	struct top_cache caches[10];

	begin(2, 4);
	caches[0] = cache("web", "all", 11.25 * (1 << 20), 6.1e9, "");
	caches[1] = cache("", "0", 11.25 * (1 << 20), 5e9, "");
	caches[2] = cache("db\303\251", "1", NAN, NAN, "unavailable");
	scene.m.caches = caches;
	draw(79, 24);
	CU_ASSERT_TRUE(shows("Group      L3  occupancy          MiB of L3    GB/s   local   remote"));
	CU_ASSERT_TRUE(shows(" web       all #####.......    11.2   45 %    6.10    6.10        -           ="));
	CU_ASSERT_TRUE(shows("           0   #####.......    11.2   45 %    5.00    5.00        -           -"));
	CU_ASSERT_TRUE(shows(" db?      1                       -              -       -        - unavailable"));
	draw(40, 24);
	CU_ASSERT_TRUE(shows(" web       all     11.2   45 %    6.10"));
	scene.m.no_caches = true;
	draw(79, 24);
	CU_ASSERT_FALSE(shows("web"));
	scene.m.caches = NULL;
}

TEST(caches_without_room_are_counted_and_have_a_view_of_their_own)
{
	struct top_cache caches[10];

	begin(2, 4);
	for (unsigned i = 0; i < 10; i++)
		caches[i] = cache(test_text("g%u", i), "0", 0, 0, "");
	scene.m.caches = caches;
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" g5 "));
	CU_ASSERT_FALSE(shows(" g6 "));
	CU_ASSERT_TRUE(shows(" (4 more: c)"));
	scene.m.view = TOP_CACHES;
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" g9 "));
	CU_ASSERT_FALSE(shows("more"));
	scene.m.caches = NULL;
}

TEST(optane_modules_have_a_part_of_the_bar_and_a_column)
{
	begin(1, 4);
	scene.m.has_pmem = true;
	scene.m.places[0].pmem_read = scene.m.places[5].pmem_read = 1.5e9;
	scene.m.places[0].pmem_write = scene.m.places[5].pmem_write = 0.5e9;
	draw(100, 24);
	CU_ASSERT_TRUE(shows("  of 40.0  Optane 1.50 + 0.50  most 10.0 at"));
	CU_ASSERT_TRUE(shows("    GB/s of peak  Optane-"));
	CU_ASSERT_TRUE(shows(" imc0.ch3  ######==++++........    4.00  40 %      2.00"));
	CU_ASSERT_TRUE(shows(" imc0.ch2  #####=..............    3.00  30 %      0.00"));
	CU_ASSERT_TRUE(shows(" # read  = write  + Optane   full bar: 10.0 GB/s a channel, the possible peak"));
}

TEST(all_rates_have_the_unit_of_the_run)
{
	begin(1, 4);
	scene.m.unit = 1 << 20;
	scene.m.unit_name = "MiB/s";
	draw(79, 24);
	CU_ASSERT_TRUE(shows(" read 7153  write 2384  total 9537 MiB/s  of 38147"));
	CU_ASSERT_TRUE(shows("   MiB/s of peak"));
	CU_ASSERT_TRUE(shows(" imc0.ch3  ######==............    3815  40 % "));
	CU_ASSERT_TRUE(shows("full bar: 9537 MiB/s a channel"));
}

TEST(one_channel_alone_has_its_items)
{
	begin(1, 4);
	scene.m.view = TOP_ALONE;
	scene.m.selected = 5;
	scene.m.n_items = 1;
	strcpy(scene.m.items[0].name, "page_hit");
	strcpy(scene.m.items[0].value, "75.00 %");
	draw(79, 24);
	CU_ASSERT_STRING_EQUAL(row(3), "socket0.imc0.ch3  read 3.00  write 1.00  total 4.00 GB/s  of 10.0  most 4.00");
	CU_ASSERT_TRUE(shows(" page_hit                                 75.00 %"));
}

TEST(every_size_of_a_window_stays_within_it)
{
	static const enum top_view views[] = {TOP_MAIN, TOP_ALONE, TOP_MAP, TOP_CACHES, TOP_TEXT};

	begin(2, 4);
	scene.m.text = "a line\nthat is longer than some windows are\n\n";
	scene.m.n_caches = 2;
	scene.m.caches = calloc(2, sizeof(*scene.m.caches));
	for (unsigned i = 0; i < 2; i++)
		scene.m.caches[i].history = scene.histories + (scene.m.n_places + i) * TOP_HISTORY;
	for (unsigned i = 0; i < 20; i++)
		top_add_note(&scene.m,
			     "socket0.imc0.ch1: stolen, which is a sentence that is longer than narrow windows");
	for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++)
		for (unsigned columns = 1; columns <= 170; columns += columns < 50 ? 1 : 7)
			for (unsigned rows = 1; rows <= 50; rows += rows < 20 ? 1 : 6) {
				size_t n = (size_t)columns * rows;
				struct top_cell *cells = malloc((n + 1) * sizeof(*cells));

				scene.m.view = views[v];
				cells[n].glyph = 0x1234;
				top_layout(&scene.m, columns, rows, cells);
				CU_ASSERT_EQUAL(cells[n].glyph, 0x1234);
				for (size_t i = 0; i < n; i++)
					if (cells[i].glyph < ' ' || cells[i].ink >= TOP_INKS)
						CU_FAIL("a cell is not drawn");
				free(cells);
			}
}

TEST(every_colour_has_a_glyph_of_its_own)
{
	uint8_t ink_of[128] = {0};

	begin(2, 4);
	give(&scene.m.places[1], 10e9);
	draw(160, 50);
	for (unsigned i = 0; i < 160 * 50; i++) {
		const struct top_cell *cell = &scene.cells[i];

		if (cell->ink != TOP_READ && cell->ink != TOP_WRITE)
			continue;
		if (cell->glyph != '#' && cell->glyph != '=')
			continue;
		CU_ASSERT_TRUE(ink_of[cell->glyph] == 0 || ink_of[cell->glyph] == cell->ink);
		ink_of[cell->glyph] = cell->ink;
	}
	CU_ASSERT_EQUAL(ink_of['#'], TOP_READ);
	CU_ASSERT_EQUAL(ink_of['='], TOP_WRITE);
}
