// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uncorectl plot: samples as a page with pictures, or as a trace.  Of each quantity of each place it keeps so many bins of equal
 * time, with the least, mean and largest value; when time runs past the last one, each two become one.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/confine.h"
#include "cli/curves.h"
#include "cli/options.h"
#include "cli/page.h"

static const char usage[] =
	"usage: uncorectl plot [OPTION]... FILE...\n"
	"\n"
	"Draws samples of mem, stat and llc (CSV, JSON lines, records; - is standard input) on one page for a\n"
	"browser, which needs nothing else: bandwidth of sockets and channels over time, caches, events, flags\n"
	"as marks, and shares. Several files are drawn side by side. Touches no machine.\n";
static const char notes[] = "Exit status 0; 2 when a file has no such samples.\n";

enum { FILES_MAX = 16, BINS = 2048, CHANNEL_BINS = BINS / 4, TRACE_PIECE = 1 << 18, SUMS = 65, MACHINE = SUMS - 1 };

struct bin {
	float low, mean, high, n; /* n 0: there is no value */
};

struct track {            /* one quantity of a place */
	struct bin *bins; /* BINS; owned; NULL: it never had a value */
	double least, sum, most, n;
};

struct place {
	struct track tracks[CURVES_QUANTITIES];
	double peak;
	uint64_t flags[CURVES_FLAGS]; /* in how many samples */
	uint64_t *marks;              /* BINS words: the flags in each bin; owned */
};

struct sum { /* of the channels of a socket, or of all, in the current sample */
	double values[CURVES_QUANTITIES];
	unsigned n[CURVES_QUANTITIES];
	bool of_channels;
};

struct file {
	struct curves curves;
	struct place *places; /* of curves.places; owned */
	size_t n_places;
	struct place sums[SUMS];
	struct sum now[SUMS];
	size_t n_rows, n_rows_before; /* of the current sample, and of the one before */
	uint64_t start_ns, bin_ns, sample_ns;
};

struct plot {
	unsigned format; /* 0: html */
	const char *path;
	struct file *files; /* owned */
	size_t n_files;
};

/* ---- bins ---- */

static void bin_add(struct bin *to, const struct bin *from)
{
	float n = to->n + from->n;

	if (from->n == 0)
		return;
	to->low = to->n > 0 && to->low < from->low ? to->low : from->low;
	to->high = to->n > 0 && to->high > from->high ? to->high : from->high;
	to->mean = to->n > 0 ? to->mean + (from->mean - to->mean) * from->n / n : from->mean;
	to->n = n;
}

static void halve_place(struct place *place)
{
	for (size_t i = 0; i < BINS && place->marks; i++)
		place->marks[i] = 2 * i < BINS ? place->marks[2 * i] | place->marks[2 * i + 1] : 0;
	for (unsigned q = 0; q < CURVES_QUANTITIES; q++) {
		struct bin *bins = place->tracks[q].bins;

		for (size_t i = 0; i < BINS && bins; i++) {
			struct bin both = 2 * i < BINS ? bins[2 * i] : (struct bin){0};

			if (2 * i < BINS)
				bin_add(&both, &bins[2 * i + 1]);
			bins[i] = both;
		}
	}
}

/* The bin of a time; halves all until there is one. */
static size_t bin_at(struct file *file, uint64_t time_ns)
{
	uint64_t since = time_ns > file->start_ns ? time_ns - file->start_ns : 0;

	while (since / file->bin_ns >= BINS) {
		for (size_t i = 0; i < file->n_places; i++)
			halve_place(&file->places[i]);
		for (size_t i = 0; i < SUMS; i++)
			halve_place(&file->sums[i]);
		file->bin_ns *= 2;
	}
	return (size_t)(since / file->bin_ns);
}

static bool put(struct file *file, struct place *place, unsigned quantity, double value)
{
	struct track *track = &place->tracks[quantity];
	struct bin bin = {(float)value, (float)value, (float)value, 1};

	if (!track->bins)
		track->bins = calloc(BINS, sizeof(*track->bins));
	if (!track->bins)
		return series_wrong(&file->curves.series, "out of memory");
	bin_add(&track->bins[bin_at(file, file->sample_ns)], &bin);
	track->least = track->n > 0 && track->least < value ? track->least : value;
	track->most = track->n > 0 && track->most > value ? track->most : value;
	track->sum += value;
	track->n++;
	return true;
}

/* ---- reading ---- */

static bool end_sample(struct file *file)
{
	bool good = true;

	for (unsigned s = 0; s < SUMS; s++)
		for (unsigned q = 0; q < file->curves.n_quantities && good; q++)
			if (file->now[s].n[q])
				good = put(file, &file->sums[s], q, file->now[s].values[q]);
	memset(file->now, 0, sizeof(file->now));
	file->n_rows_before = file->n_rows;
	file->n_rows = 0;
	return good;
}

/* Where there are rows of channels, those of their controllers have the same once more. */
static void add_to_sum(struct sum *sum, bool of_channel, unsigned quantity, double value)
{
	if (of_channel && !sum->of_channels)
		*sum = (struct sum){.of_channels = true};
	if (of_channel != sum->of_channels)
		return;
	sum->values[quantity] += value;
	sum->n[quantity]++;
}

static bool take_flags(struct file *file, struct place *place)
{
	uint64_t bits = file->curves.flag_bits;

	if (!place->marks)
		place->marks = calloc(BINS, sizeof(*place->marks));
	if (!place->marks)
		return series_wrong(&file->curves.series, "out of memory");
	place->marks[bin_at(file, file->sample_ns)] |= bits;
	for (unsigned i = 0; i < file->curves.n_flags; i++)
		place->flags[i] += bits >> i & 1;
	return true;
}

static bool take_row(struct file *file)
{
	const struct curves *curves = &file->curves;
	const struct curve_place *where = &curves->places[curves->place];
	const struct place none = {.peak = 0};
	struct place *place;

	if (!file->bin_ns) {
		file->start_ns = curves->time_ns - curves->interval_ns;
		file->bin_ns = curves->interval_ns / 16 + 1;
	}
	if (curves->new_sample && !end_sample(file))
		return false;
	file->n_rows++;
	if (curves->new_sample)
		file->sample_ns = curves->time_ns;
	if (curves->place == file->n_places && !unc_array_add(&file->places, &file->n_places, &none, sizeof(none)))
		return series_wrong(&file->curves.series, "out of memory");
	place = &file->places[curves->place];
	place->peak = curves->peak > place->peak ? curves->peak : place->peak;
	for (unsigned q = 0; q < curves->n_quantities; q++) {
		double value = curves->values[q];

		if (isnan(value))
			continue;
		if (!put(file, place, q, value))
			return false;
		if (where->imc < 0 || where->socket < 0 || where->socket >= MACHINE || where->event[0])
			continue;
		add_to_sum(&file->now[where->socket], where->channel >= 0, q, value);
		add_to_sum(&file->now[MACHINE], where->channel >= 0, q, value);
	}
	return !curves->flag_bits || take_flags(file, place);
}

static bool read_file(struct file *file)
{
	while (curves_next(&file->curves) && take_row(file))
		;
	if (!file->curves.series.failed && file->curves.n_samples == 0)
		series_wrong(&file->curves.series, "no samples of mem, stat or llc are in it");
	/* If the writer was killed in the middle of a sample, the sums of that one lack channels. */
	return !file->curves.series.failed && (file->n_rows < file->n_rows_before || end_sample(file));
}

/* ---- html: the data for page_plot.html ---- */

static void print_bins(struct json *json, const struct track *track, unsigned step, double scale)
{
	json_begin(json, "bins", '[');
	for (unsigned i = 0; i < BINS; i += step) {
		struct bin bin = {0};

		for (unsigned k = i; k < i + step; k++)
			bin_add(&bin, &track->bins[k]);
		if (bin.n == 0)
			continue;
		json_key(json, NULL);
		output_printf(json->out, bin.low == bin.high ? "[%u,%.5g]" : "[%u,%.5g,%.5g,%.5g]", i, bin.mean / scale,
			      bin.low / scale, bin.high / scale);
	}
	json_end(json, ']');
}

static void print_marks(struct json *json, const struct file *file, const struct place *place)
{
	json_begin(json, "flags", '{');
	for (unsigned f = 0; f < file->curves.n_flags; f++) {
		if (!place->flags[f])
			continue;
		json_begin(json, file->curves.flags[f], '[');
		json_put_u64(json, NULL, place->flags[f]);
		for (unsigned i = 0; i < BINS && strcmp(file->curves.flags[f], "simulated") != 0; i++)
			if (place->marks[i] >> f & 1)
				json_put_u64(json, NULL, i);
		json_end(json, ']');
	}
	json_end(json, '}');
}

/* where NULL: a sum. */
static void print_place(struct json *json, const struct file *file, const struct place *place,
			const struct curve_place *where, const char *box)
{
	json_begin(json, NULL, '{');
	json_put_text(json, "box", box);
	json_put_text(json, "group", where ? where->group : NULL);
	json_put_text(json, "event", where ? where->event : NULL);
	json_put_bool(json, "sum", !where);
	json_put_real(json, "peak", place->peak > 0 ? place->peak : NAN);
	print_marks(json, file, place);
	json_begin(json, "tracks", '[');
	for (unsigned q = 0; q < file->curves.n_quantities; q++) {
		const struct track *track = &place->tracks[q];
		const char *name = file->curves.quantities[q];
		bool is_value = strcmp(name, "value") == 0;

		if (!track->bins)
			continue;
		json_begin(json, NULL, '{');
		json_put_text(json, "quantity", name);
		json_put_text(json, "unit", curves_unit(&file->curves, where, q));
		json_put_real(json, "least", track->least);
		json_put_real(json, "mean", track->sum / track->n);
		json_put_real(json, "most", track->most);
		json_put_real(json, "scale", is_value ? 1 : 1e6);
		print_bins(json, track, where ? BINS / CHANNEL_BINS : 1, is_value ? 1 : 1e6);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static void print_report(const void *arg, struct output *out)
{
	const struct plot *plot = arg;
	struct json json = {.out = out, .in_page = true};

	json_begin(&json, NULL, '[');
	for (size_t k = 0; k < plot->n_files; k++) {
		const struct file *file = &plot->files[k];
		char box[24];

		json_begin(&json, NULL, '{');
		json_put_text(&json, "name", file->curves.series.name);
		json_put_u64(&json, "samples", file->curves.n_samples);
		json_put_real(&json, "start_ms", (double)file->start_ns / 1e6);
		json_put_real(&json, "seconds", (double)(file->sample_ns - file->start_ns) / 1e9);
		json_put_real(&json, "bin_s", (double)file->bin_ns / 1e9);
		json_begin(&json, "places", '[');
		for (unsigned s = 0; s < SUMS; s++) {
			bool has = false;

			for (unsigned q = 0; q < CURVES_QUANTITIES; q++)
				has |= file->sums[s].tracks[q].bins != NULL;
			snprintf(box, sizeof(box), s == MACHINE ? "machine" : "socket%u", s);
			for (size_t i = 0; i < file->n_places; i++) /* the file has it by itself */
				has &= strcmp(file->curves.places[i].box, box) != 0;
			if (has)
				print_place(&json, file, &file->sums[s], NULL, box);
		}
		for (size_t i = 0; i < file->n_places; i++)
			print_place(&json, file, &file->places[i], &file->curves.places[i], file->curves.places[i].box);
		json_end(&json, ']');
		json_end(&json, '}');
		output_text(out, "\n");
	}
	json_end(&json, ']');
}

static void print_title(const void *arg, struct output *out)
{
	const struct plot *plot = arg;

	output_text(out, "uncorectl plot of");
	for (size_t i = 0; i < plot->n_files; i++)
		check_xml(out, "%s%s", i ? ", " : " ", plot->files[i].curves.series.name);
}

/* ---- trace: events as Perfetto and chrome://tracing read them (Trace Event Format), one process for each file ---- */

static void trace_event(struct json *json, const char *phase, size_t file, const char *name)
{
	output_text(json->out, json->more ? ",\n" : "\n");
	json->more = false;
	json_begin(json, NULL, '{');
	json_put_text(json, "ph", phase);
	json_put_u64(json, "pid", file + 1);
	json_put_text(json, "name", name);
}

static void trace_end(struct json *json)
{
	json_end(json, '}');
	json_end(json, '}');
}

static void trace_row(struct json *json, const struct curves *curves, size_t file, uint64_t start_ns)
{
	const struct curve_place *place = &curves->places[curves->place];
	double us = (double)(curves->time_ns - start_ns) / 1e3;
	char name[3 * CURVES_NAME];

	snprintf(name, sizeof(name), "%s%s%s%s%s", place->box, *place->group ? " " : "", place->group,
		 *place->event ? " " : "", place->event);
	trace_event(json, "C", file, name);
	json_put_real(json, "ts", us);
	json_begin(json, "args", '{');
	for (unsigned q = 0; q < curves->n_quantities; q++)
		if (!isnan(curves->values[q]))
			json_put_real(json, curves->quantities[q], curves->values[q]);
	trace_end(json);
	for (unsigned f = 0; f < curves->n_flags; f++) {
		if (!(curves->flag_bits >> f & 1) || strcmp(curves->flags[f], "simulated") == 0)
			continue;
		trace_event(json, "i", file, curves->flags[f]);
		json_put_real(json, "ts", us);
		json_put_text(json, "s", "p");
		json_begin(json, "args", '{');
		json_put_text(json, "box", name);
		trace_end(json);
	}
}

static int print_trace(struct plot *plot, struct output *out)
{
	struct json json = {.out = out};

	output_text(out, "{\"traceEvents\":[");
	for (size_t i = 0; i < plot->n_files; i++) {
		struct curves *curves = &plot->files[i].curves;
		uint64_t start_ns = 0;

		trace_event(&json, "M", i, "process_name");
		json_begin(&json, "args", '{');
		json_put_text(&json, "name", curves->series.name);
		trace_end(&json);
		while (!out->failed && curves_next(curves)) {
			start_ns = start_ns ? start_ns : curves->time_ns - curves->interval_ns;
			trace_row(&json, curves, i, start_ns);
			if (out->len > TRACE_PIECE)
				output_flush(out);
		}
		if (!curves->series.failed && curves->n_samples == 0)
			series_wrong(&curves->series, "no samples of mem, stat or llc are in it");
		if (curves->series.failed)
			return EXIT_USAGE;
	}
	output_text(out, "\n]}\n");
	return EXIT_DONE;
}

/* ---- the command ---- */

static const char *const formats[] = {"html", "trace", NULL};

static const struct option_def option_defs[] = {
	{"format", "FORMAT", option_word, offsetof(struct plot, format),
	 .help = "html (default), or trace: JSON that Perfetto (ui.perfetto.dev) and\nchrome://tracing open",
	 .words = formats},
	{"output", "FILE", option_text, offsetof(struct plot, path), .help = "write to FILE", .letter = 'o',
	 .file = OPTION_WRITES},
	{0},
};

static void clear(struct place *place)
{
	for (unsigned q = 0; q < CURVES_QUANTITIES; q++)
		free(place->tracks[q].bins);
	free(place->marks);
}

static void close_files(struct plot *plot)
{
	for (size_t k = 0; k < plot->n_files; k++) {
		struct file *file = &plot->files[k];

		for (size_t i = 0; i < file->n_places; i++)
			clear(&file->places[i]);
		for (unsigned s = 0; s < SUMS; s++)
			clear(&file->sums[s]);
		free(file->places);
		curves_close(&file->curves);
	}
	free(plot->files);
}

/* Would the page be written over this file? */
static bool is_same_file(const char *path, const char *other)
{
	struct stat a, b;

	return path && stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int plot_main(const struct globals *globals, int argc, char **argv)
{
	static const struct page_part parts[] = {
		{"{{title}}", print_title}, {"{{version}}", page_version}, {"{{report}}", print_report}};
	struct plot plot = {.path = NULL};
	const struct command_line line = {"plot", usage, notes, .options = option_defs, .own = &plot};
	int first, status, n_standard = 0;
	struct output out = {0};

	first = command_line_parse(&line, argc, argv, &status);
	if (first == 0)
		return status;
	for (int i = first; i < argc; i++) {
		n_standard += strcmp(argv[i], "-") == 0;
		if (is_same_file(plot.path, argv[i]))
			return usage_error("plot: -o %s: is also read; name another file", plot.path);
	}
	if (first == argc || argc - first > FILES_MAX)
		return usage_error("plot: which files? 1 to %d of them, e.g. `uncorectl plot run.csv -o run.html`",
				   FILES_MAX);
	if (n_standard > 1)
		return usage_error("plot: only one of them can be standard input");
	if (!plot.path && isatty(STDOUT_FILENO))
		return usage_error("plot: a page is nothing for a terminal; -o page.html writes it to a file");
	plot.files = calloc((size_t)(argc - first), sizeof(*plot.files));
	if (!plot.files)
		return no_memory();
	status = EXIT_DONE;
	for (int i = first; i < argc && status == EXIT_DONE; i++)
		status = curves_open(&plot.files[plot.n_files++].curves, globals, "plot", argv[i]);
	confine(globals, CONFINE_FILES, 0); /* -o makes a file */
	for (size_t i = 0; i < plot.n_files && status == EXIT_DONE && !plot.format; i++)
		status = read_file(&plot.files[i]) ? EXIT_DONE : EXIT_USAGE;
	if (status == EXIT_DONE)
		status = output_open(&out, globals, plot.path, STDOUT_FILENO);
	if (status == EXIT_DONE && plot.format)
		status = print_trace(&plot, &out);
	else if (status == EXIT_DONE)
		page_fill(page_plot, parts, sizeof(parts) / sizeof(parts[0]), &plot, &out);
	status = output_end(&out, status);
	close_files(&plot);
	return status;
}

const struct command plot_command = {"plot", "samples as a page with pictures, or as a trace for Perfetto", plot_main};
