/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of `top`: what is counted, what is shown, and what keys do. */
#ifndef UNC_CLI_TOP_H
#define UNC_CLI_TOP_H

#include "cli/llc.h"
#include "cli/mem.h"
#include "cli/top_screen.h"

struct top {
	/* What the options ask for. */
	const char *events; /* not owned */
	unsigned glyphs;    /* enum top_glyphs, or what the terminal can show */
	bool no_caches, is_dry;

	struct unc_ctx *ctx; /* not owned, as is machine */
	struct unc_machine *machine;
	struct mem mem;
	struct llc_beside beside;
	char *also;               /* metrics besides the bandwidth, joined by commas; owned */
	struct unc_count *counts; /* of the last read of the channels; owned */
	uint64_t interval_ns;
	bool has_file, saves; /* -o FILE; the next sample goes there in any case */
	bool keeps;           /* the next screen is kept */
	struct output kept;   /* screens as text, and samples as JSON lines, for when the terminal is given back */
	struct output said;   /* sentences for then */
	bool quit, quits;     /* the user wants it; it ends */
	int failed;           /* the first thing that could not be put back */

	struct top_model model;
	float *histories;
	struct output text;          /* model.text is in it */
	int text_key;                /* that showed it */
	uint64_t cpu_ns, sampled_ns; /* at the last sample */
};

/* Makes the places of the model, and starts the caches if it can. Errors as a sampler's start. */
int top_model_start(struct top *top);
void top_model_end(struct top *top);
/*
 * Starts counting the bandwidth, and these events and metrics, joined by commas: in one session, as two would take each other for
 * other programs.
 */
int top_start_counting(struct top *top, const char *names);
/* Counts these instead of those before; if that fails, none, after a note. */
void top_count_again(struct top *top, const char *names);
void top_end_caches(struct top *top);
/* Takes the last read into the model. */
void top_take_sample(struct top *top);
void top_take_key(struct top *top, int key);

#endif
