// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl maps: lists register maps, and reports errors in them. */
#include <unistd.h>

#include "cli/confine.h"
#include "cli/report.h"
#include "map/check.h"

static const char help[] = "usage: uncorectl maps list [--format FORMAT] [-o FILE]\n"
			   "       uncorectl maps check [PATH]...\n"
			   "\n"
			   "`maps list` shows the register maps there are, with the parts that they are for.\n"
			   "\n"
			   "Checks register maps and files of metrics: files, or every *.yaml in a folder; without\n"
			   "a PATH those built in.\n"
			   "Each finding is a line FILE:LINE: error (CHECK): SENTENCE.\n"
			   "Exit status 0 when there are none, 1 when there are, 2 when a PATH cannot be read.\n";

struct check {
	struct unc_ctx *ctx;
	struct output out;
	unsigned maps, errors;
	int status;
};

static void report(void *arg, const char *file, unsigned line, const char *name, const char *sentence)
{
	struct check *check = arg;

	output_printf(&check->out, "%s:%u: error (%s): ", file, line, name);
	output_shown(&check->out, sentence);
	output_append(&check->out, "\n", 1);
}

static void check_text(struct check *check, const char *path, const char *text, size_t len, bool loaded)
{
	unsigned errors = 0;
	int rc = unc_map_check_text(check->ctx, path, text, len, loaded, report, check, &errors);

	check->maps++;
	check->errors += errors;
	if (rc < 0)
		check->status = fail_with(check->ctx, rc);
}

static void check_file(struct check *check, const char *path)
{
	char *text;
	size_t len;
	int rc = unc_os_file_read(check->ctx, path, UNC_YAML_MAX_BYTES, UNC_TRUST_ANY, &text, &len);

	if (rc < 0) {
		fail_with(check->ctx, rc);
		check->status = EXIT_USAGE;
		return;
	}
	check_text(check, path, text, len, true);
	free(text);
}

static void check_path(struct check *check, const char *path)
{
	const char *const *names;
	char file[4096];
	size_t n;

	if (unc_os_dir_list(check->ctx, path, &names, &n) < 0) {
		check_file(check, path);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		if (len <= 5 || strcmp(names[i] + len - 5, ".yaml") != 0)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		check_file(check, file);
	}
	free((void *)names);
}

/* ---- maps list ---- */

static const struct column columns[] = {
	{"map", "map", COLUMN_TEXT, false},         {"part", "part", COLUMN_TEXT, false},
	{"unit", "unit", COLUMN_TEXT, false},       {"registers", "registers", COLUMN_NUMBER, false},
	{"events", "events", COLUMN_NUMBER, false}, {"path", NULL, COLUMN_TEXT, false},
	{"refused", "", COLUMN_TEXT, COLUMN_CUT},
};

static int look(const struct globals *globals, const struct report *report, struct output *out)
{
	struct emitter emitter;
	struct unc_map *map = NULL;
	struct unc_ctx *ctx;
	int status = EXIT_DONE, rc;

	if (unc_new(&ctx) < 0)
		return no_memory();
	confine(globals, CONFINE_READING, 0);
	rc = unc_map_load_all(ctx, globals->map_dir, &map);
	if (rc < 0)
		status = fail_with(ctx, rc == UNC_ENODEV ? UNC_EARG : rc);
	emitter_init(&emitter, report->format, columns, sizeof(columns) / sizeof(columns[0]), out, false);
	for (size_t i = 0; rc == 0 && i < map->n_units; i++) {
		const struct unc_unit *unit = &map->units[i];

		emit_values(&emitter,
			    (struct value[]){text_value(unit->map), text_value(unit->title), text_value(unit->name),
					     number_value(unit->n_regs), number_value(unit->n_events),
					     text_value(unit->path), text_value(unit->refused)});
	}
	if (rc == 0 && !emit_sample(&emitter, NULL))
		status = EXIT_FAILED;
	emitter_clear(&emitter);
	unc_map_free(map);
	unc_free(ctx);
	return status;
}

static const struct option_def option_defs[] = {
	OPTION_DATA(struct report, "table (default), csv or jsonl", "write to FILE"),
};

/* ---- the command ---- */

static int maps_run(const struct globals *globals, int argc, char **argv)
{
	struct report report = {.line = {"maps list",
					 "usage: uncorectl maps list [--format FORMAT] [-o FILE]\n"
					 "\n"
					 "The register maps that are built in, and those of --regs: the part that each "
					 "is for, its unit, and\n"
					 "how many registers and events of that it knows.\n",
					 "", option_defs},
				.look = look};
	struct check check = {0};

	if (argc > 1 && strcmp(argv[1], "list") == 0)
		return report_run(&report, globals, argc - 1, argv + 1);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return show_text(help);
	if (argc < 2 || strcmp(argv[1], "check") != 0)
		return usage_error("maps: %s: there are `maps list` and `maps check [PATH]...`",
				   argc < 2 ? "what?" : argv[1]);
	if (globals->stdout_closed)
		return refuse(EXIT_FAILED, "standard output: closed");
	if (unc_new(&check.ctx) < 0)
		return no_memory();
	confine(globals, CONFINE_READING, 0);
	output_on(&check.out, STDOUT_FILENO);
	for (int i = 2; i < argc; i++)
		check_path(&check, argv[i]);
	for (size_t i = 0; argc == 2 && i < unc_n_maps_built_in; i++) {
		char path[256];

		snprintf(path, sizeof(path), "regs/%s.yaml", unc_maps_built_in[i].name);
		check_text(&check, path, unc_maps_built_in[i].text, unc_maps_built_in[i].len, false);
	}
	unc_free(check.ctx);
	if (!output_close(&check.out))
		return EXIT_FAILED;
	say("%u map%s checked, %u error%s", check.maps, check.maps == 1 ? "" : "s", check.errors,
	    check.errors == 1 ? "" : "s");
	if (check.status)
		return check.status;
	return check.errors ? EXIT_FAILED : EXIT_DONE;
}

const struct command maps_command = {"maps", "the register maps there are, and whether they are right", maps_run};
