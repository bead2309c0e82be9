// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events: the events of the map, and with --import-perfmon those of a file beside them. */
#include "cli/perfmon.h"

#include "base/text.h"
#include "cli/plan.h"
#include "cli/report.h"
#include "machine/machine.h"

struct listing {             /* the rows of what matches the pattern */
	const char *pattern; /* NULL: all */
	int best;            /* how well the names of the rows that are shown match it */
	unsigned c_source;   /* the column of the sources */
	struct emitter emitter;
	const struct unc_machine *machine;
	const char *unit;
	size_t n_rows;
	char tags[256]; /* "krn, pcm": the tags in the sources of the rows */
};

static void listing_row(struct listing *listing, struct row *row)
{
	const struct value *source = &row->values[listing->c_source];

	row->record = true;
	row->in_table = true;
	listing->n_rows++;
	emit_row(&listing->emitter, row);
	/* Each part of "krn; pcm p.3" begins with a tag. */
	for (const char *at = source->given ? source->text : ""; *at; at += strspn(at, "; ")) {
		unc_text_enlist(listing->tags, sizeof(listing->tags), at, strcspn(at, "; "));
		at += strcspn(at, ";");
	}
}

/* clang-format off */
enum column_index {
	C_EVENT, C_BLOCK, C_ORIGIN, C_ENCODING, C_COUNTERS, C_MAX_INC, C_SCALE, C_UNIT, C_ALSO,
	C_MATCHES, C_DISAGREEMENT, C_REFUSED, C_DESC, C_SOURCE, C_VERIFY, N_COLUMNS,
};
static const struct column columns[N_COLUMNS] = {
	[C_BLOCK] = {"block", "block", COLUMN_TEXT, false},
	[C_EVENT] = {"event", "event", COLUMN_TEXT, false},
	[C_ORIGIN] = {"origin", "origin", COLUMN_TEXT, false},
	[C_ENCODING] = {"encoding", "encoding", COLUMN_TEXT, false},
	[C_COUNTERS] = {"counters", "counters", COLUMN_TEXT, true},
	[C_MAX_INC] = {"max_inc", "max", COLUMN_NUMBER, true},
	[C_SCALE] = {"scale", "scale", COLUMN_NUMBER, true},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, false},
	[C_ALSO] = {"also", NULL, COLUMN_TEXT, false},
	[C_MATCHES] = {"matches", NULL, COLUMN_TEXT, false},
	[C_DISAGREEMENT] = {"disagreement", "disagreement", COLUMN_TEXT, false},
	[C_REFUSED] = {"refused", "refused", COLUMN_TEXT, true},
	[C_DESC] = {"meaning", "meaning", COLUMN_TEXT, true},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[C_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
/* clang-format on */

struct shelf {                       /* both kinds of events, and which of them are the same */
	struct unc_event_info *ours; /* owned */
	struct place {               /* of each of them; owned */
		const struct unc_unit *unit;
		const struct unc_event *event;
	} * places;
	size_t n_ours;
	struct perfmon file;   /* no events without --import-perfmon */
	size_t *counterpart;   /* for each event of the file, the index of ours, or NONE; owned */
	const char *file_name; /* NULL: no file */
	unsigned n_same, n_differ, n_alone;
};
static const size_t NONE = (size_t)-1;

static bool matches_theirs(const struct listing *listing, const struct perfmon_event *event)
{
	return name_match(listing->pattern, perfmon_plain_name(event->name)) == listing->best;
}

/* With the events of that unit, or NULL: of all.  False: out of memory. */
static bool shelf_fill(struct shelf *shelf, const struct unc_machine *machine, const char *name)
{
	const struct unc_map *map = machine->map;
	size_t n = 0;

	for (size_t u = 0; u < map->n_units; u++)
		n += map->units[u].n_events;
	shelf->ours = calloc(n + 1, sizeof(*shelf->ours));
	shelf->places = calloc(n + 1, sizeof(*shelf->places));
	shelf->counterpart = calloc(shelf->file.n_events + 1, sizeof(*shelf->counterpart));
	if (!shelf->ours || !shelf->places || !shelf->counterpart)
		return false;
	for (const struct unc_unit *unit = map->units; unit < map->units + map->n_units; unit++) {
		for (size_t i = 0; i < unit->n_events && (!name || strcmp(name, unit->name) == 0); i++) {
			shelf->places[shelf->n_ours] = (struct place){unit, &unit->events[i]};
			shelf->n_ours += unc_event_info(machine, unit->name, i, &shelf->ours[shelf->n_ours]) == UNC_OK;
		}
	}
	/* Searched by name; but there is only one fixed counter, whatever the two sides call it. */
	for (size_t i = 0; i < shelf->file.n_events; i++) {
		const struct perfmon_event *event = &shelf->file.events[i];

		shelf->counterpart[i] = NONE;
		for (size_t k = 0; k < shelf->n_ours; k++) {
			bool same = perfmon_belongs(event, &shelf->ours[k]);

			if (same || (event->fixed && strcmp(shelf->ours[k].encoding, "fixed") == 0))
				shelf->counterpart[i] = k;
			if (same)
				break;
		}
	}
	return true;
}

static void show_ours(const struct shelf *shelf, size_t number, struct listing *listing)
{
	const struct unc_event_info *event = &shelf->ours[number];
	struct row row = {.record = true};

	row.values[C_BLOCK] = text_value(shelf->places[number].unit->name);
	row.values[C_EVENT] = text_value(event->name);
	row.values[C_ORIGIN] = text_value("map");
	row.values[C_SCALE] = number_if(event->scale >= 1, (uint64_t)event->scale);
	row.values[C_REFUSED] = text_value(shelf->places[number].event->refused);
	row.values[C_ENCODING] = text_value(event->encoding);
	row.values[C_COUNTERS] = text_value(event->counters);
	row.values[C_MAX_INC] = number_if(event->max_inc, event->max_inc);
	row.values[C_UNIT] = text_value(event->unit);
	row.values[C_ALSO] = text_value(event->also);
	for (size_t i = shelf->file.n_events; i-- > 0;) {
		if (shelf->counterpart[i] == number)
			row.values[C_MATCHES] = text_value(shelf->file.events[i].name);
	}
	row.values[C_DESC] = text_value(event->desc);
	row.values[C_SOURCE] = text_value(event->src);
	row.values[C_VERIFY] = text_value(event->verify);
	listing_row(listing, &row);
}

static void show_imported(struct shelf *shelf, size_t number, struct listing *listing)
{
	const struct perfmon_event *event = &shelf->file.events[number];
	const struct unc_event_info *ours =
		shelf->counterpart[number] == NONE ? NULL : &shelf->ours[shelf->counterpart[number]];
	char encoding[100], disagreement[PERFMON_DISAGREEMENT_MAX] = "";
	struct row row = {.record = true};

	perfmon_encoding(event, encoding, sizeof(encoding));
	if (!ours)
		shelf->n_alone++;
	else if (perfmon_disagrees(event, ours, disagreement))
		shelf->n_differ++;
	else
		shelf->n_same++;
	if (disagreement[0])
		say("note: %s of %s is not as %s: %s", event->name, shelf->file_name, ours->name, disagreement);
	row.values[C_EVENT] = text_value(event->name);
	row.values[C_ORIGIN] = text_value("perfmon");
	row.values[C_ENCODING] = text_value(encoding);
	row.values[C_COUNTERS] = text_value(event->counters);
	row.values[C_MATCHES] = text_value(ours ? ours->name : NULL);
	row.values[C_DISAGREEMENT] = text_value(disagreement);
	row.values[C_DESC] = text_value(event->desc);
	row.values[C_SOURCE] = text_value(shelf->file_name);
	row.values[C_VERIFY] = text_value(event->deprecated ? "the list calls it deprecated" : NULL);
	listing_row(listing, &row);
}

/* Shows each of our events with those of the file that belong to it, then those that only the file has. */
static void show_events(struct shelf *shelf, struct listing *listing)
{
	for (size_t i = 0; i < shelf->n_ours; i++) {
		const struct unc_event_info *event = &shelf->ours[i];
		int best = name_match(listing->pattern, event->name);
		char name[PERFMON_NAME_MAX];
		bool matches;

		/* By its name or by one of its other names. */
		for (const char *rest = event->also; rest && perfmon_next_name(&rest, name);) {
			int match = name_match(listing->pattern, name);

			best = match > best ? match : best;
		}
		matches = best == listing->best;
		if (matches)
			show_ours(shelf, i, listing);
		for (size_t k = 0; k < shelf->file.n_events; k++)
			if (shelf->counterpart[k] == i && (matches || matches_theirs(listing, &shelf->file.events[k])))
				show_imported(shelf, k, listing);
	}
	for (size_t k = 0; k < shelf->file.n_events; k++)
		if (shelf->counterpart[k] == NONE && matches_theirs(listing, &shelf->file.events[k]))
			show_imported(shelf, k, listing);
}

/* uncorectl events --metrics */

/* clang-format off */
enum metric_column {
	M_METRIC, M_UNIT, M_FORMULA, M_EVENTS, M_ADDS,
	M_HERE, M_DESC, M_LACKS, M_SOURCE, M_VERIFY, N_METRIC_COLUMNS,
};
static const struct column metric_columns[N_METRIC_COLUMNS] = {
	[M_METRIC] = {"metric", "metric", COLUMN_TEXT, false},
	[M_UNIT] = {"unit", "unit", COLUMN_TEXT, false},
	[M_FORMULA] = {"formula", "formula", COLUMN_TEXT, true},
	[M_EVENTS] = {"events", "events", COLUMN_TEXT, true},
	[M_ADDS] = {"adds", NULL, COLUMN_BOOL, false},
	[M_HERE] = {NULL, "meaning", COLUMN_TEXT, false}, /* or why the metric is not available here */
	[M_DESC] = {"meaning", NULL, COLUMN_TEXT, false},
	[M_LACKS] = {"lacks", NULL, COLUMN_TEXT, false},
	[M_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[M_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
/* clang-format on */

static void show_metric(size_t metric, const struct unc_metric_info *info, struct listing *listing)
{
	char events[600] = "", here[600]; /* "rd=cas_count.rd wr=cas_count.wr" */
	struct row row = {.record = true};
	struct unc_metric_event event;

	for (size_t i = 0; i < info->n_events; i++)
		if (unc_metric_event(listing->machine, listing->unit, metric, i, &event) == UNC_OK)
			unc_text_join(events, sizeof(events), " ", "%s=%s", event.name, event.event);
	snprintf(here, sizeof(here), "not here: %s", info->lacks ? info->lacks : "");
	row.values[M_METRIC] = text_value(info->name);
	row.values[M_UNIT] = text_value(info->unit);
	row.values[M_FORMULA] = text_value(info->formula);
	row.values[M_EVENTS] = text_value(events);
	row.values[M_ADDS] = number_value(info->adds);
	row.values[M_HERE] = text_value(info->lacks ? here : info->desc);
	row.values[M_DESC] = text_value(info->desc);
	row.values[M_LACKS] = text_value(info->lacks);
	row.values[M_SOURCE] = text_value(info->src);
	row.values[M_VERIFY] = text_value(info->verify);
	listing_row(listing, &row);
}

/* uncorectl events: what this machine's memory controllers can count, and the metrics derived from it. */

static const char usage[] =
	"usage: uncorectl events [-v] [--import-perfmon FILE] [--format FORMAT] [-o FILE] [PATTERN]\n"
	"       uncorectl events --catalogue FILE [--pvr NUMBER] [-v] [--format FORMAT] [-o FILE] [PATTERN]\n"
	"       uncorectl events --metrics [-v] [--format FORMAT] [-o FILE] [PATTERN]\n"
	"\n"
	"The events that this machine's memory controllers can count, each with its encoding in the\n"
	"control register, the counters that can count it, the most that it adds per clock, what it\n"
	"means, and the source of that. A PATTERN selects by name: with * and ? the whole name, else\n"
	"an event and its sub-events (cas_count), or, if there are none, a part of the name.\n";
static const char notes[] = "Exit status 0; 1 when nothing matches; 2 when FILE is no such list, or no catalogue.\n";

struct wanted {
	bool metrics;
	const char *unit;
	const char *perfmon_path;    /* NULL: none */
	const char *catalogue, *pvr; /* or NULL */
};

/* Returns the exit status: 0, or 1 if there was no row, after a message that names what was looked for, or if the output failed. */
static int show(struct listing *listing, struct shelf *shelf, const struct report *report, struct output *out)
{
	const struct wanted *wanted = report->line.own;
	const char *what = wanted->metrics ? "metric" : "event";
	size_t n = unc_metric_count(listing->machine, listing->unit), n_cells = 1;
	bool written = true, paragraphs = report->verbose && report->format == FORMAT_TABLE;
	struct column cells[EMIT_COLUMNS_MAX] = {{"sources", NULL, COLUMN_TEXT, false}};
	struct row titles = {.values = {text_value("sources")}};
	char *rest = listing->tags, *tag;
	struct unc_metric_info info;

	for (listing->best = 2; listing->best > 0 && !listing->n_rows; listing->best--) {
		if (!wanted->metrics)
			show_events(shelf, listing);
		for (size_t i = 0; wanted->metrics && i < n; i++)
			if (unc_metric_info(listing->machine, listing->unit, i, &info) == UNC_OK &&
			    name_match(listing->pattern, info.name) == listing->best)
				show_metric(i, &info, listing);
	}
	/* The documents that the tags stand for are one more paragraph. */
	while (paragraphs && n_cells < EMIT_COLUMNS_MAX && (tag = unc_text_cut(&rest, ',')) != NULL) {
		tag += strspn(tag, " ");
		cells[n_cells] = (struct column){tag, NULL, COLUMN_TEXT, false};
		titles.values[n_cells++] = text_value(unc_source_title(listing->machine, listing->unit, tag));
	}
	if (paragraphs && *listing->tags)
		details_print(out, cells, n_cells, &titles);
	else if (listing->n_rows)
		written = emit_sample(&listing->emitter, NULL);
	if (!listing->n_rows && report->argument)
		say("events: no %s matches \"%s\"; without a PATTERN all are shown", what, report->argument);
	else if (!listing->n_rows)
		say("events: this machine has no %s", what);
	else if (wanted->perfmon_path)
		say("note: %s: %zu events of the unit iMC, %zu entries of other units; of those shown %u are as "
		    "in the map, %u differ, %u are not in the map",
		    shelf->file_name, shelf->file.n_events, shelf->file.n_other_units, shelf->n_same, shelf->n_differ,
		    shelf->n_alone);
	return listing->n_rows && written ? EXIT_DONE : EXIT_FAILED;
}

static int list(struct unc_ctx *ctx, const struct unc_machine *machine, struct opened *opened,
		const struct report *report, struct output *out)
{
	const struct wanted *wanted = report->line.own;
	bool imports = wanted->perfmon_path != NULL, paragraphs = report->verbose && report->format == FORMAT_TABLE;
	bool catalogue = machine->map->catalogue != NULL, all = catalogue && !wanted->unit;
	struct shelf shelf = {.file_name = wanted->perfmon_path};
	struct column events[N_COLUMNS];
	struct listing listing = {
		.c_source = wanted->metrics ? M_SOURCE : C_SOURCE, .machine = machine, .unit = wanted->unit};
	int status, rc = UNC_OK;

	if (!listing.unit)
		listing.unit = catalogue && !unc_map_unit(machine->map, "imc") ? machine->map->units[0].name : "imc";
	if (!all)
		rc = plan_find_unit(ctx, machine, listing.unit);
	if (rc == 0 && imports)
		rc = perfmon_read(ctx, wanted->perfmon_path, &shelf.file);
	if (rc < 0)
		return fail_with(ctx, rc);
	if (report->argument)
		listing.pattern = wanted->metrics ? report->argument : perfmon_plain_name(report->argument);
	memcpy(events, columns, sizeof(events));
	if (!imports) { /* nothing is from elsewhere, so the rest has more room */
		events[C_ORIGIN].name = events[C_ORIGIN].title = events[C_MATCHES].name = NULL;
		events[C_DISAGREEMENT].name = events[C_DISAGREEMENT].title = NULL;
		events[C_ENCODING].drop_priority = 1;
		events[C_COUNTERS].drop_priority = events[C_MAX_INC].drop_priority = 2;
		events[C_DESC].drop_priority = COLUMN_CUT;
	}
	for (enum column_index i = 0; i < N_COLUMNS; i++) {
		if (catalogue ? i == C_COUNTERS || i == C_MAX_INC : i == C_BLOCK || i == C_SCALE || i == C_REFUSED)
			events[i].name = events[i].title = NULL;
	}
	emitter_init(&listing.emitter, paragraphs ? FORMAT_DETAILS : report->format,
		     wanted->metrics ? metric_columns : events, wanted->metrics ? (size_t)N_METRIC_COLUMNS : N_COLUMNS,
		     out, false);
	emit_head(&listing.emitter, opened, wanted->metrics ? "metric" : "event");
	if (!shelf_fill(&shelf, machine, all ? NULL : listing.unit))
		status = no_memory();
	else
		status = show(&listing, &shelf, report, out);
	emitter_clear(&listing.emitter);
	free(shelf.ours);
	free(shelf.places);
	free(shelf.counterpart);
	perfmon_clear(&shelf.file);
	return status;
}

static int print(struct opened *opened, const struct report *report, struct output *out)
{
	int status = opened->machine->map->catalogue ? EXIT_DONE : need_counters(opened);

	return status == EXIT_DONE ? list(opened->ctx, opened->machine, opened, report, out) : status;
}

/* The events of a catalogue's file, for which no machine is opened. */
static int look(const struct globals *globals, const struct report *report, struct output *out)
{
	const struct wanted *wanted = report->line.own;
	struct unc_machine machine = {0};
	uint64_t pvr = 0;
	int rc, status;

	if (wanted->metrics && (wanted->perfmon_path || wanted->catalogue))
		return usage_error("events: --import-perfmon and --catalogue bring events, and --metrics lists none; "
				   "use one of them");
	if (wanted->pvr && !wanted->catalogue)
		return usage_error("events: --pvr needs --catalogue FILE");
	if (wanted->pvr && (!unc_text_u64(wanted->pvr, &pvr) || pvr - 1 >= UINT32_MAX))
		return usage_error("events: --pvr %s: not a processor version; give a number such as 0x4e1200",
				   wanted->pvr);
	if (!wanted->catalogue)
		return -1;
	if (unc_new(&machine.ctx) < 0)
		return no_memory();
	unc_set_log(machine.ctx, show_note, NULL);
	rc = catalogue_read(machine.ctx, globals, wanted->catalogue, (uint32_t)pvr, &machine.map);
	status = rc < 0 ? fail_with(machine.ctx, rc) : list(machine.ctx, &machine, NULL, report, out);
	unc_map_free(machine.map);
	unc_free(machine.ctx);
	return status;
}

static const struct option_def option_defs[] = {
	{"metrics", NULL, option_flag, offsetof(struct wanted, metrics),
	 .help = "the metrics instead: figures that follow from counts, with formula,\n"
		 "unit and events, or the event that this machine lacks for it"},
	{"block", "KIND", option_text, offsetof(struct wanted, unit),
	 .help = "those of another counter block than imc, the memory channels: df, the data\n"
		 "fabric of a node, l3, or m2m, what the mesh sends to a memory controller"},
	{"import-perfmon", "FILE", option_text, offsetof(struct wanted, perfmon_path),
	 .help = "beside them the events of FILE, a list of the intel/perfmon project\n"
		 "(JSON), and where the two do not agree",
	 .file = OPTION_READS},
	{"catalogue", "FILE", option_text, offsetof(struct wanted, catalogue),
	 .help = "instead the events of POWER that FILE describes: a device tree (dtb), the\n"
		 "same packed by xz, or an IMA_CATALOG partition",
	 .file = OPTION_READS},
	{"pvr", "NUMBER", option_text, offsetof(struct wanted, pvr),
	 .help = "the processor version register, such as 0x4e1200, which chooses in a partition"},
	{"verbose", NULL, option_flag, offsetof(struct report, verbose),
	 .help = "all that is known, a paragraph each, and what the sources are", .letter = 'v', .both = true,
	 .shared = true},
	OPTION_DATA(struct report, "table (default), csv or jsonl", "write to FILE"),
};

static int events_run(const struct globals *globals, int argc, char **argv)
{
	struct wanted wanted = {0};
	struct report report = {.line = {"events", usage, notes, option_defs, .own = &wanted, .column = 25},
				.takes_argument = true,
				.print = print,
				.look = look};

	return report_run(&report, globals, argc, argv);
}

const struct command events_command = {"events", "the events that can be counted here, and metrics", events_run};
