// SPDX-License-Identifier: GPL-2.0-or-later
/* What the commands that count events share: the session, and what was counted in one sample. */
#include "cli/counting.h"

#include "pmon/free1.h"

/* In the order of enum per, and the name that stat had for the first. */
const char *const counting_places[] = {"channel", "imc", "node", "socket", "machine", "all", "box", NULL};

int counting_take_per(void *member, const struct option_given *given)
{
	struct counting *counting = member;
	int status = option_word(&counting->per, given);

	counting->per_given = true;
	if (status == EXIT_DONE && counting->per > PER_ALL)
		counting->per = PER_CHANNEL;
	return status;
}

int counting_options_done(void *arg, struct sampler_options *options)
{
	struct counting *counting = arg;

	counting->columns = options->columns;
	counting->view = &options->view;
	counting->flat = view_is_flat(&options->view);
	counting->cfg.observe = options->observe;
	counting->want.stand_ins = options->observe;
	counting->cfg.interval_ns = sampler_interval_ns(options);
	counting->cfg.confirm_later = true;
	if (format_is_metrics(options->format) && (counting->boxes || counting->per != PER_CHANNEL))
		return usage_error("--%s: --format %s has every channel; the query chooses and adds up",
				   counting->boxes ? "box" : "per", sampler_formats[options->format]);
	options->searches = counting->cfg.start;
	if (options->observe && (counting->cfg.freeze || counting->cfg.force || counting->cfg.start))
		return usage_error("--%s needs a register to be written, and --observe writes none: only one of them",
				   counting->cfg.freeze  ? "freeze"
				   : counting->cfg.force ? "force"
							 : "start");
	return EXIT_DONE;
}

/* ---- the session ---- */

static int add_plan(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct counting *counting = arg;
	int rc = plan_add(&counting->plan, counting->session, box);

	if (rc == 0)
		*ret_n = counting->plan.n_adds;
	return rc;
}

static int make_room(struct counting *counting)
{
	size_t n = counting->plan.n_items;

	counting->of_channels = calloc(counting->channels.n * n + 1, sizeof(*counting->of_channels));
	counting->sums = calloc(n + 1, sizeof(*counting->sums));
	if (!counting->of_channels || !counting->sums)
		return unc_fail(counting->ctx, UNC_ENOMEM, "out of memory");
	return UNC_OK;
}

/* The index of the first count of a counted channel; all have the same events. */
static size_t first_count(const struct counting *counting)
{
	const struct channel *channel = counting->channels.list;

	while (!channel->counted)
		channel++;
	return channel->first_count;
}

int counting_stop(void *arg)
{
	struct counting *counting = arg;
	int rc = unc_session_close(counting->session);

	counting->session = NULL;
	return rc;
}

static void forget_channels(struct counting *counting)
{
	channels_clear(&counting->channels);
	free(counting->of_channels);
	free(counting->sums);
	counting->of_channels = counting->sums = NULL;
}

int counting_give_up(struct counting *counting)
{
	int rc = counting_stop(counting);

	forget_channels(counting);
	plan_clear(&counting->plan);
	return rc;
}

/* Starts a session in the boxes of the unit that is wanted. */
static int start_session(struct counting *counting)
{
	struct unc_ctx *ctx = counting->ctx;
	int rc = unc_session_open(counting->machine, &counting->cfg, &counting->session);
	struct channels *channels = &counting->channels;

	if (rc == 0)
		rc = plan_find_unit(ctx, counting->machine, counting->want.unit);
	if (rc == 0 && !counting->add_counters)
		rc = plan_make(ctx, counting->machine, &counting->want, &counting->plan);
	if (rc == 0)
		rc = channels_open(ctx, counting->machine, counting->want.unit, counting->boxes,
				   counting->add_counters ? counting->add_counters : add_plan, counting, channels);
	/* Else they are boxes of a whole node, or L3s. */
	counting->numbered =
		strcmp(counting->want.unit, "imc") == 0 || (rc == 0 && channels->list[0].box->instance->numbered);
	if (rc == 0)
		rc = make_room(counting);
	/* An event is shown in one form, however it was written, unless it has its own name. */
	for (size_t i = 0; i < counting->plan.n_items && rc == 0; i++) {
		struct plan_item *item = &counting->plan.items[i];
		const char *text = unc_session_event(counting->session, first_count(counting) + item->adds[0]);

		if (text && !item->is_metric && !item->is_named)
			item->name = text;
	}
	return rc == 0 ? unc_session_start(counting->session) : rc;
}

/* Counts in those of whole controllers, first in those that always run.  Returns the failure of the channels if that fails, too. */
static int fall_back(struct counting *counting, int failure)
{
	static const struct {
		const char *unit, *called;
		unsigned flag;
	} others[] = {{UNC_FREE_UNIT, "the counters that always run", 0},
		      {"m2m", "the mesh's counts, in PCI space,", FLAG_MESH}};
	bool taken = failure == UNC_EBUSY || failure == UNC_EPERM || failure == UNC_EDENIED;
	const char *wanted = counting->want.unit;
	bool freeze = counting->cfg.freeze, may_lack_hbm = false, none_there = true;
	const struct unc_unit *imc;
	struct unc_saved_msg why;

	/* Without /dev/mem no channel answers.  One that was there and is gone is a failure. */
	for (size_t i = 0; i < unc_box_count(counting->machine, "imc"); i++)
		none_there &= unc_box_at(counting->machine, "imc", i)->presence != UNC_PRESENT;
	if (!counting->falls_back || counting->boxes ||
	    (!taken && !(failure == UNC_ENODEV && (none_there || counting->cfg.observe))))
		return failure;
	unc_msg_save(counting->ctx, &why);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (unc_box_count(counting->machine, others[i].unit) == 0)
			continue;
		if (counting_give_up(counting) < 0) { /* a register is not as it was, and nothing else is tried */
			say("%s", unc_errmsg(counting->ctx));
			break;
		}
		counting->want.unit = others[i].unit;
		counting->cfg.freeze = freeze && others[i].flag;
		if (start_session(counting) < 0)
			continue;
		unc_msg_restore(counting->ctx, &why);
		counting->fell_back = true;
		counting->flag = others[i].flag;
		imc = others[i].flag ? unc_map_unit(counting->machine->map, "imc") : NULL;
		for (size_t k = 0; imc && k < imc->n_instances; k++)
			may_lack_hbm |= imc->instances[k].hbm;
		if (may_lack_hbm)
			say("note: memory in the package (HBM), which Xeon Max processors have, is not in the mesh's "
			    "counts");
		say("note: %s; so %s are shown, one row for each memory controller", unc_errmsg(counting->ctx),
		    others[i].called);
		return UNC_OK;
	}
	counting->want.unit = wanted;
	unc_msg_restore(counting->ctx, &why);
	return failure;
}

int counting_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct counting *counting = arg;
	struct unc_machine_info info;
	int rc;

	unc_machine_info(machine, &info);
	counting->ctx = ctx;
	counting->machine = machine;
	counting->simulated = info.simulated;
	rc = start_session(counting);
	if (rc < 0)
		rc = fall_back(counting, rc);
	/* Boxes of whole controllers have no rows of channels. */
	counting->whole = rc == 0 && counting->numbered && !strstr(counting->channels.list[0].info.name, ".ch");
	if (counting->whole && counting->per == PER_CHANNEL)
		counting->per = PER_IMC;
	if (rc == 0 && counting->per == PER_NODE)
		rc = channels_find_nodes(ctx, machine, &counting->channels);
	if (rc == 0 && counting->per == PER_IMC && !counting->numbered)
		rc = unc_fail(ctx, UNC_EARG, "--per imc: of --block %s no box belongs to one memory controller",
			      counting->want.unit);
	counting->columns[C_PCI].title = place_title(machine);
	/* If there are both DIMMs and memory in the package, rows tell which of them they are about. */
	if (counting->channels.n_totals < 2)
		counting->columns[counting->c_memory].name = NULL;
	if (counting->per != PER_NODE)
		counting->columns[counting->c_node].name = NULL;
	*ret_bytes = counting->channels.n_counts * sizeof(struct unc_count);
	return rc;
}

int counting_sleep_until(void *arg, uint64_t mono_ns)
{
	struct counting *counting = arg;

	return unc_session_sleep_until(counting->session, mono_ns);
}

int counting_read(void *arg, void *read, bool *ret_pending)
{
	struct counting *counting = arg;
	const struct unc_count *counts = read;
	int rc;

	rc = unc_session_read(counting->session, read, counting->channels.n_counts);
	for (size_t i = 0; i < counting->channels.n_counts && rc == 0; i++)
		*ret_pending |= counts[i].flags & UNC_COUNT_PENDING;
	return rc;
}

/* The flags of the counts show a box that does not answer; if no box answers, the next read fails. */
static void counting_confirm(void *arg, void *reads, size_t n)
{
	struct counting *counting = arg;

	unc_session_confirm(counting->session, reads, n * counting->channels.n_counts);
}

void counting_close(void *arg)
{
	struct counting *counting = arg;

	event_list_clear(&counting->want.events);
	plan_clear(&counting->plan);
	forget_channels(counting);
}

/* ---- a sample ---- */

static void evaluate(const struct counting *counting, const struct plan_item *item, struct accumulator *acc)
{
	double value, doubt;
	int rc;

	if (!acc->given)
		return;
	rc = unc_metric_measure(counting->machine, counting->want.unit, item->metric, acc->scaled, acc->doubts,
				accumulator_seconds(acc), &value, &doubt);
	if (rc == UNC_ERANGE)
		acc->flags |= FLAG_BELOW_ZERO;
	if (rc < 0)
		return;
	accumulator_set_value(acc, value, 0);
	acc->doubt = doubt;
}

static bool has_item(const struct counting *counting, const struct channel *channel, size_t item)
{
	return channel->has_pmem || item < counting->first_pmem || item >= counting->first_pmem + counting->n_pmem;
}

const struct accumulator *counting_sum(const struct counting *counting, const struct channel_group *group)
{
	struct accumulator *sums = counting->sums;
	size_t n = counting->plan.n_items;

	for (size_t k = 0; k < n; k++) {
		const struct plan_item *item = &counting->plan.items[k];

		sums[k] = (struct accumulator){.adds = !item->is_metric || item->info.adds};
		for (size_t i = group->first; i < group->end; i++)
			if (has_item(counting, &counting->channels.list[i], k))
				accumulator_add(&sums[k], &counting->of_channels[i * n + k]);
		accumulator_end_sum(&sums[k]);
		if (!sums[k].adds)
			evaluate(counting, item, &sums[k]);
	}
	return sums;
}

void counting_take(struct counting *counting, const struct unc_count *counts)
{
	const struct channels *channels = &counting->channels;
	size_t n = counting->plan.n_items, first = first_count(counting);

	for (size_t k = 0; k < n; k++) {
		struct plan_item *item = &counting->plan.items[k];

		if (!item->is_metric)
			item->unit = counts[first + item->adds[0]].unit;
	}
	for (size_t i = 0; i < channels->n; i++) {
		const struct channel *channel = &channels->list[i];
		const struct unc_count *own = &counts[channel->first_count];

		for (size_t k = 0; k < n; k++) {
			const struct plan_item *item = &counting->plan.items[k];
			struct accumulator *acc = &counting->of_channels[i * n + k];

			if (!has_item(counting, channel, k))
				continue;
			if (!channel->counted) {
				*acc = accumulator_missing(counts[0].time_ns);
			} else if (!item->is_metric) {
				*acc = accumulator_of_event(&own[item->adds[0]]);
			} else if (item->sums) {
				accumulator_of_amount(own, item->sums, item->n_sums, acc);
			} else {
				accumulator_of(own, item->adds, item->n, acc);
				acc->adds = item->info.adds;
				evaluate(counting, item, acc);
			}
		}
	}
}

/* ---- rows ---- */

/* Emits the rows of a group, or with PER_CHANNEL those of its only channel. */
static void emit_place(const struct counting *counting, const struct channel_group *group, const char *label,
		       enum per per, struct emitter *emitter)
{
	bool below = *label == ' '; /* it is indented, below its socket */
	bool all = counting->per == PER_ALL;
	struct row row = {
		.record = all || per == counting->per, .in_table = all || per >= counting->per, .detail = below};
	const struct accumulator *items = &counting->of_channels[group->first * counting->plan.n_items];

	if (!emit_takes(emitter, &row))
		return;
	if (per != PER_CHANNEL && !(per == PER_IMC && counting->whole))
		items = counting_sum(counting, group);
	row.headline = !below && (!counting->compact || per == PER_MACHINE || counting->per < PER_NODE);
	place_values(counting, label, group->box, &counting->channels.list[group->first].info, per, &row);
	if (per == PER_NODE) {
		const struct channel *first = &counting->channels.list[group->first];

		row.values[counting->c_node] = number_value((uint64_t)first->node);
		row.values[C_SOCKET].given = first->info.socket == counting->channels.list[group->end - 1].info.socket;
	}
	counting->emit_items(counting, group, items, &row, emitter);
}

const struct channel_group *counting_groups(const struct counting *counting, size_t *ret_n)
{
	const struct channels *channels = &counting->channels;

	*ret_n = channels->n_totals;
	if (counting->per == PER_SOCKET)
		*ret_n = channels->n_sockets;
	else if (counting->per == PER_NODE)
		*ret_n = channels->n_nodes;
	else if (counting->per == PER_IMC)
		*ret_n = channels->n_imcs;
	return counting->per == PER_SOCKET ? channels->sockets
	       : counting->per == PER_NODE ? channels->nodes
	       : counting->per == PER_IMC  ? channels->imcs
					   : channels->totals;
}

/* A table goes from the whole to its parts: a socket, its controllers or channels, the next socket, the sum. */
void counting_emit(const struct counting *counting, struct emitter *emitter)
{
	const struct channels *channels = &counting->channels;
	bool has_imcs = counting->per == PER_IMC || (counting->per == PER_ALL && counting->numbered);
	size_t s = 0;

	for (size_t t = 0; t < channels->n_totals; t++) {
		const struct channel_group *total = &channels->totals[t];
		size_t first = s;

		for (; s < channels->n_sockets && channels->sockets[s].first < total->end; s++) {
			const struct channel_group *socket = &channels->sockets[s], *imc = channels->imcs;
			bool one = socket->end - socket->first == 1;
			bool alone = one && !counting->compact && counting->per == PER_CHANNEL;

			if (!alone && counting->per != PER_NODE)
				emit_place(counting, socket, socket->label, PER_SOCKET, emitter);
			for (; has_imcs && imc < channels->imcs + channels->n_imcs; imc++)
				if (imc->first >= socket->first && imc->first < socket->end)
					emit_place(counting, imc, imc->label, PER_IMC, emitter);
			for (size_t i = socket->first; i < socket->end; i++) {
				const struct channel *channel = &channels->list[i];

				emit_place(counting, &(struct channel_group){.first = i, .end = i + 1},
					   alone ? channel->info.name : channel->label, PER_CHANNEL, emitter);
			}
		}
		for (size_t i = 0; i < channels->n_nodes; i++)
			emit_place(counting, &channels->nodes[i], channels->nodes[i].label, PER_NODE, emitter);
		if (counting->compact || s > first + 1 || channels->n_nodes > 1 || counting->per >= PER_MACHINE)
			emit_place(counting, total, total->label, PER_MACHINE, emitter);
	}
}

void place_values(const struct counting *counting, const char *label, const char *box, const struct unc_box_info *info,
		  enum per per, struct row *row)
{
	bool numbered = counting->numbered;

	box = per == PER_CHANNEL ? info->name : box;
	row->values[C_LABEL] = text_value(counting->flat ? box : label);
	row->values[counting->c_box] = text_value(box);
	if (per <= PER_SOCKET)
		row->values[C_SOCKET] = number_value(info->socket);
	if (per <= PER_IMC && numbered)
		row->values[C_IMC] = number_value(info->imc);
	if (per == PER_CHANNEL) {
		if (numbered)
			row->values[C_CHANNEL] = number_value(info->channel);
		row->values[C_PCI] = text_value(info->pci);
	}
	row->values[counting->c_memory] = text_value(info->hbm ? "hbm" : "ddr");
}

void time_values(const struct accumulator *acc, struct row *row)
{
	row->values[C_TIME] = number_value(acc->time_ns);
	if (acc->interval_ns)
		row->values[C_INTERVAL] = number_value(acc->interval_ns);
}

void emit_flagged(const struct counting *counting, struct row *row, unsigned flags, struct emitter *emitter)
{
	bool table = emitter->format == FORMAT_TABLE;
	char text[FLAGS_TEXT_MAX];

	flags |= counting->flag;
	if (table && counting->shows_ran)
		flags &= ~(unsigned)(UNC_COUNT_SCALED | UNC_COUNT_NOT_RUN);
	else if (!table && counting->simulated) /* the title of a table says it */
		flags |= FLAG_SIMULATED;
	row->values[table ? counting->c_notes : counting->c_flags] = text_value(flags_text(flags, text));
	emit_row(emitter, row);
}

/* ---- the command ---- */

int counting_run(struct sampler *sampler, const struct globals *globals, int argc, char **argv)
{
	if (!sampler->start)
		sampler->start = counting_start;
	sampler->sleep_until = counting_sleep_until;
	sampler->read = counting_read;
	sampler->confirm = counting_confirm;
	sampler->stop = counting_stop;
	return sampler_run(sampler, globals, argc, argv);
}
