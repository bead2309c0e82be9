// SPDX-License-Identifier: GPL-2.0-or-later
/* The only file that knows ncurses. */
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#undef columns /* macros of term.h */
#undef lines

#include "cli/confine.h"
#include "cli/emit.h"
#include "cli/top_screen.h"

static SCREEN *screen; /* owned; NULL: it was never open */
static bool is_open, no_ink, has_ink;
static char term[64];

const char *screen_prepare(enum top_glyphs *ret_glyphs)
{
	const char *name = getenv("TERM"), *none = getenv("NO_COLOR");
	bool utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	int error;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "standard input and output are not a terminal; `uncorectl mem` prints tables, CSV and JSON "
		       "lines";
	if (!name || !*name)
		return "TERM does not say which terminal this is; set it, or take `uncorectl mem`";
	no_ink = none && *none;
	snprintf(term, sizeof(term), "%s", name);
	/* What other variables name, files of terminals too, is read only with the caller's own rights. */
	confine_environment();
	use_env(FALSE);
	if (setupterm(term, STDOUT_FILENO, &error) != OK)
		return "this computer does not know the terminal that TERM names; set TERM=xterm, or take `uncorectl "
		       "mem`";
	if (!cursor_address || !clear_screen)
		return "the terminal that TERM names cannot move its cursor; take `uncorectl mem`";
	*ret_glyphs = !utf8                        ? TOP_ASCII
		      : strcmp(term, "linux") == 0 ? TOP_BLOCKS
						   : TOP_BRAILLE; /* its font has no braille */
	return NULL;
}

/* Blue and orange are told apart by everyone; terminals with fewer colours have yellow. */
static void start_ink(void)
{
	enum { NONE = -1 };
	/* Of 8 colours, and of 256. */
	static const int inks[TOP_INKS][2] = {
		[TOP_PLAIN] = {NONE, NONE},
		[TOP_TITLE] = {NONE, NONE},
		[TOP_DIM] = {NONE, 245},
		[TOP_READ] = {COLOR_BLUE, 33},
		[TOP_WRITE] = {COLOR_YELLOW, 208},
		[TOP_PMEM] = {COLOR_GREEN, 36},
		[TOP_WARN] = {COLOR_YELLOW, 208},
		[TOP_HEAT] = {NONE, 240},
		{COLOR_BLUE, 24},
		{COLOR_CYAN, 33},
		{COLOR_YELLOW, 214},
		[TOP_HEAT_LAST] = {COLOR_YELLOW, 208},
	};

	if (no_ink || !has_colors() || start_color() != OK || use_default_colors() != OK)
		return;
	for (int i = 1; i < TOP_INKS; i++)
		init_extended_pair(i, inks[i][COLORS >= 256], NONE);
	has_ink = true;
}

bool screen_open(void)
{
	if (!screen) {
		screen = newterm(term, stdout, stdin);
		if (!screen)
			return false;
		start_ink();
		cbreak(); /* signals of keys stay signals */
		noecho();
		curs_set(0);
		keypad(stdscr, TRUE);
		nodelay(stdscr, TRUE);
		set_escdelay(25);
	}
	is_open = true;
	return true;
}

void screen_close(void)
{
	if (is_open)
		endwin();
	is_open = false;
}

bool screen_is_open(void)
{
	return is_open;
}

void screen_size(unsigned *ret_columns, unsigned *ret_rows)
{
	enum { MOST = 1000 };
	struct window window = output_window(&(struct output){.fd = STDOUT_FILENO});

	*ret_columns = window.columns < MOST ? window.columns : MOST;
	*ret_rows = window.rows < MOST ? window.rows : MOST;
}

void screen_draw(const struct top_cell *cells, unsigned columns, unsigned rows, bool all)
{
	if ((int)columns != COLS || (int)rows != LINES)
		resizeterm((int)rows, (int)columns);
	if (all)
		clearok(stdscr, TRUE);
	for (unsigned i = 0; i < columns * rows; i++) {
		wchar_t text[2] = {cells[i].glyph, 0};
		short ink = 0; /* its glyph is enough without colours */
		cchar_t cell;

		if (has_ink)
			ink = cells[i].ink;
		setcchar(&cell, text, cells[i].bold ? A_BOLD : A_NORMAL, ink, NULL);
		mvadd_wch((int)(i / columns), (int)(i % columns), &cell);
	}
	refresh();
}

int screen_key(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	int key = getch();

	if (key == ERR)
		key = poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR)) ? SCREEN_LOST : SCREEN_NO_KEY;
	return key;
}
