/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal of `top`: cells in, keys out.  A process has one terminal, so this is state outside objects, as it is in ncurses. */
#ifndef UNC_CLI_TOP_SCREEN_H
#define UNC_CLI_TOP_SCREEN_H

#include "cli/top_model.h"

/* Besides the keys of ncurses. */
enum { SCREEN_NO_KEY = -1, SCREEN_LOST = -2 /* the terminal is gone */ };

/* NULL: this terminal can show it; else why not, and what to do. Loads what the terminal and its language need from files. */
const char *screen_prepare(enum top_glyphs *ret_glyphs);
/* Takes the terminal, or takes it again after screen_close().  False: out of memory. */
bool screen_open(void);
/* Gives the terminal back as it was. */
void screen_close(void);
bool screen_is_open(void);
void screen_size(unsigned *ret_columns, unsigned *ret_rows);
/* Draws what has changed; all: everything, since the terminal may show something else. */
void screen_draw(const struct top_cell *cells, unsigned columns, unsigned rows, bool all);
/* The next key that is pressed already. */
int screen_key(void);

#endif
