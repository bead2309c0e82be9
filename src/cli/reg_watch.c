// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl reg watch: reports when registers change. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/reg.h"
#include "cli/child.h"
#include "cli/sampler.h"

static const char usage[] =
	"usage: uncorectl reg watch [OPTION]... BOX.REG[.FIELD]...\n"
	"\n"
	"Looks at registers again and again and prints one record when one has changed, or one of the\n"
	"fields that are named; first what they are. Without -n until interrupted. Names are those of\n"
	"`reg get`. Reads only. A change that is undone between two looks is not seen.\n";
static const char notes[] =
	"Exit status 0; 1 when reading failed, 2 when there is no such register or field, 3 when no box\n"
	"matches or answers, 4 when one is not permitted.\n";

enum { C_TIME_NS, C_BOX, C_PCI, C_REGISTER, C_OFFSET, C_OLD, C_NEW, C_CHANGED, N_COLUMNS };

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_TIME_NS] = {"time_ns", "time_ns", COLUMN_NUMBER, false},
	REG_CHANGE_COLUMNS,
};
/* clang-format on */

struct watch {
	const struct reg_options *options;
	struct opened opened;
	struct output out;
	struct emitter emitter;
	struct reg_places places;
	uint64_t *values; /* owned; the values of places at the last read */
	uint64_t looks, missed;
	int wake_fd;
};

static int read_all(void *arg, uint64_t mono_ns)
{
	struct watch *watch = arg;
	bool first = watch->looks == 0, news = false;

	(void)mono_ns;
	for (size_t i = 0; i < watch->places.n; i++) {
		const struct reg_place *place = &watch->places.items[i];
		struct row row = {.record = true, .in_table = true};
		uint64_t was = watch->values[i], now;
		char name[REG_NAME_MAX], changed[400];
		int rc = unc_box_reg_read(place->box, place->reg, &now);
		unsigned digits;

		if (rc < 0)
			return fail_with(watch->opened.ctx, rc);
		watch->values[i] = now;
		if (!first && !reg_differs(place->box, place->reg, was, now, place->target->field, ""))
			continue;
		news = true;
		digits = reg_place_values(place->box, place->reg, name, &row.values[C_BOX]);
		row.values[C_TIME_NS] = number_value(unc_machine_real_ns(watch->opened.machine));
		row.values[C_NEW] = hex_value(now, digits);
		if (!first) {
			row.values[C_OLD] = hex_value(was, digits);
			row.values[C_CHANGED] = text_value(
				reg_changed_text(place->box, place->reg, was, now, changed, sizeof(changed)));
		}
		emit_row(&watch->emitter, &row);
	}
	watch->looks++;
	if (!news)
		return EXIT_DONE;
	return emit_sample(&watch->emitter, NULL) || signals_were_cut_short() ? EXIT_DONE : EXIT_FAILED;
}

static bool is_over(void *arg)
{
	const struct watch *watch = arg;

	return signals_caught() || watch->out.gone || (watch->options->count && watch->looks >= watch->options->count);
}

static int sleep_until(void *arg, uint64_t mono_ns)
{
	return unc_machine_sleep_until(((struct watch *)arg)->opened.machine, mono_ns);
}

static int run(const struct reg_command *self, const struct globals *globals, const struct reg_options *options)
{
	struct watch watch = {.options = options};
	struct reg_target *targets;
	bool looks;
	int status = reg_targets_parse(self->line.command, options->args, options->n_args, &targets);

	if (status != EXIT_DONE)
		return status;
	watch.wake_fd = signals_catch();
	status = watch.wake_fd < 0 ? EXIT_FAILED : output_open(&watch.out, globals, options->path, STDOUT_FILENO);
	if (status == EXIT_DONE)
		status = open_machine(globals, false, watch.wake_fd, NULL, &watch.opened);
	for (int i = 0; i < options->n_args && status == EXIT_DONE; i++)
		status = reg_places_add(&watch.opened, self->line.command, &targets[i], &watch.places);
	emitter_init(&watch.emitter, options->format, columns, N_COLUMNS, &watch.out, false);
	if (status == EXIT_DONE)
		emit_head(&watch.emitter, &watch.opened, "sample");
	watch.values = calloc(watch.places.n + 1, sizeof(*watch.values));
	if (!watch.values)
		status = no_memory();
	looks = status == EXIT_DONE && watch.values && !signals_caught();
	if (status == EXIT_FAILED && signals_were_cut_short())
		status = EXIT_DONE;
	if (looks)
		status = read_all(&watch, 0);
	if (looks && status == EXIT_DONE)
		status = pace(&(struct pace){.ctx = watch.opened.ctx,
					     .machine = watch.opened.machine,
					     .interval_ns = options->interval_ns,
					     .wake_fd = watch.wake_fd,
					     .arg = &watch,
					     .is_over = is_over,
					     .sleep_until = sleep_until,
					     .sample = read_all},
			      &watch.missed);
	if (watch.missed)
		say("note: %llu looks are missing: the time did not suffice; take a longer interval (-i)",
		    (unsigned long long)watch.missed);
	free(watch.places.items);
	free(watch.values);
	free(targets);
	status = close_all(&watch.emitter, &watch.opened, &watch.out, status);
	return signals_end(status, !options->count);
}

static const struct option_def option_defs[] = {
	{"interval", "TIME", option_seconds, offsetof(struct reg_options, interval_ns),
	 .help = "time between looks: 0.5, 500ms, 2m (default 1 s)", .letter = 'i'},
	{"count", "COUNT", option_count, offsetof(struct reg_options, count), .help = "end after COUNT looks",
	 .letter = 'n'},
	REG_OBSERVE,
	OPTION_DATA(struct reg_options, "table (default), csv or jsonl", "write the data to FILE"),
};

const struct reg_command reg_watch = {{"reg watch", usage, notes, .options = option_defs}, .run = run};
