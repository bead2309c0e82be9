// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory channels that a command counts, and boxes that no socket has. */
#include "cli/channels.h"

#include "base/text.h"
#include "cli/cli.h"
#include "machine/nodes.h"

const char *place_title(const struct unc_machine *machine)
{
	const struct unc_box *box = unc_box_at(machine, "imc", 0);

	if (box && box->unit->kind == UNC_MSR)
		return "CPU";
	return box && box->unit->kind == UNC_MMIO ? "address" : "PCI";
}

bool absent_add(struct absent *absent, const struct unc_box_info *info)
{
	const char *place = strchr(info->name, '.');

	if (info->presence != UNC_ABSENT)
		return false;
	place = place ? place + 1 : info->name; /* the name without its socket */
	if (unc_text_listed(absent->places, place, strlen(place)))
		return true;
	unc_text_enlist(absent->places, sizeof(absent->places), place, strlen(place));
	absent->n++;
	absent->in_msrs |= strncmp(info->pci, "cpu", 3) == 0;
	return true;
}

const char *boxes_nearest(struct unc_machine *machine, const char *name, char buf[UNC_NEAREST_TEXT])
{
	struct unc_nearest nearest = {.asked = name};

	for (size_t i = 0; i < unc_box_count(machine, "imc"); i++)
		unc_nearest_offer(&nearest, unc_box_at(machine, "imc", i)->name);
	return unc_nearest_text(&nearest, buf);
}

void absent_say(const struct absent *absent)
{
	if (absent->in_msrs) /* CPUID tells it of each socket */
		say("note: %s: no DIMM is there, on every socket or on some (CPUID leaf 0x80000022)", absent->places);
	else if (absent->n)
		say("note: %s %s absent on every socket (hidden by the firmware, or this part has none)",
		    absent->places, absent->n == 1 ? "is" : "are");
}

struct choice { /* the state of channels_open() */
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	const char *unit, *patterns; /* patterns NULL: all */
	channel_add_fn *add;
	void *arg;
	struct channels channels;
	struct absent absent;
};

void channels_clear(struct channels *channels)
{
	free(channels->list);
	free(channels->imcs);
	free(channels->nodes);
	free(channels->sockets);
	*channels = (struct channels){0};
}

enum { PATTERN_MAX = 128 };

/* Copies the first of the patterns.  Returns the others; NULL: there are none. */
static const char *next_pattern(const char *patterns, char one[PATTERN_MAX])
{
	size_t len = strcspn(patterns, ",");

	/* No name has so many letters. */
	snprintf(one, PATTERN_MAX, "%.*s", (int)len, patterns);
	return patterns[len] ? patterns + len + 1 : NULL;
}

bool box_is_chosen(const char *patterns, const char *name)
{
	char one[PATTERN_MAX];
	bool chosen = !patterns;

	while (patterns && !chosen) {
		patterns = next_pattern(patterns, one);
		chosen = unc_text_match(one, name);
	}
	return chosen;
}

int boxes_check(struct unc_ctx *ctx, const char *patterns, const char *kind, const char *list, box_name_fn *name,
		const void *arg)
{
	char one[PATTERN_MAX], near[UNC_NEAREST_TEXT];

	while (patterns) {
		struct unc_nearest nearest = {.asked = one};
		const char *box;
		size_t i = 0;

		patterns = next_pattern(patterns, one);
		while ((box = name(arg, i)) != NULL && !unc_text_match(one, box)) {
			unc_nearest_offer(&nearest, box);
			i++;
		}
		if (!box)
			return unc_fail(ctx, UNC_ENODEV,
					"--box %s: no %s of this machine has such a name%s; `uncorectl %s` shows them",
					one, kind, unc_nearest_text(&nearest, near), list);
	}
	return UNC_OK;
}

/* Channels of DIMMs come first, then those of HBM. */
static int add_channel(struct choice *choice, struct unc_box *box, bool hbm)
{
	struct channels *channels = &choice->channels;
	struct channel *channel = &channels->list[channels->n];
	size_t n = 0;
	int rc = UNC_OK;

	*channel = (struct channel){.box = box, .has_pmem = unc_box_has_pmem(box)};
	unc_box_info(box, &channel->info);
	if (channel->info.hbm != hbm)
		return UNC_OK;
	if (!box_is_chosen(choice->patterns, channel->info.name) || absent_add(&choice->absent, &channel->info))
		return UNC_OK;
	channel->first_count = channels->n_counts;
	if (channel->info.presence != UNC_MISSING) {
		rc = choice->add(choice->arg, box, &n);
		channel->counted = rc == 0;
	}
	channels->n_counts += n;
	channels->n++;
	return rc;
}

enum level { BY_IMC, BY_NODE, BY_SOCKET, BY_MEMORY };

/* Divides the channels into groups of the same kind of memory, also of the same socket or NUMA node, or also of the same iMC. */
static size_t group_channels(const struct channels *channels, enum level level, struct channel_group *groups)
{
	size_t n = 0;

	for (size_t i = 0; i < channels->n; i++) {
		const struct unc_box_info *info = &channels->list[i].info,
					  *before = &channels->list[i ? i - 1 : 0].info;
		struct channel_group *group = &groups[n];

		if (i > 0 && info->hbm == before->hbm &&
		    (level == BY_MEMORY || level == BY_NODE || info->socket == before->socket) &&
		    (level != BY_NODE || channels->list[i].node == channels->list[i - 1].node) &&
		    (level != BY_IMC || info->imc == before->imc)) {
			groups[n - 1].end = i + 1;
			continue;
		}
		group->first = i;
		group->end = i + 1;
		if (level == BY_IMC)
			snprintf(group->label, sizeof(group->label), "  %s%u", info->hbm ? "hbm" : "imc", info->imc);
		else if (level == BY_NODE)
			snprintf(group->label, sizeof(group->label), "node %d", channels->list[i].node);
		else if (level == BY_SOCKET)
			snprintf(group->label, sizeof(group->label), "socket %u%s", info->socket,
				 info->hbm ? " HBM" : "");
		else
			snprintf(group->label, sizeof(group->label), "total%s", info->hbm ? " HBM" : "");
		if (level == BY_MEMORY)
			snprintf(group->box, sizeof(group->box), "machine");
		else if (level == BY_NODE)
			snprintf(group->box, sizeof(group->box), "node%d", channels->list[i].node);
		else
			snprintf(group->box, sizeof(group->box), "socket%u%s%s", info->socket,
				 level == BY_IMC ? "." : "", level == BY_IMC ? group->label + 2 : "");
		n++;
	}
	return n;
}

/*
 * The NUMA node of a channel is that of the CPUs that reach its box, or where these are all of its socket, that of the socket, if it
 * is one.  With sub-NUMA clustering, or NPS2 and NPS4 of AMD, a socket has several; which of them a controller belongs to is in no
 * register that is known here.
 */
static int find_node(struct unc_ctx *ctx, struct channel *channel, const struct unc_host_cpu *cpus, size_t n)
{
	const struct unc_box *box = channel->box->counted_by ? channel->box->counted_by : channel->box;
	bool by_cpus = box->unit->per == UNC_PER_NODE || box->unit->per == UNC_PER_L3;

	channel->node = -1;
	if (channel->info.hbm)
		return unc_fail(ctx, UNC_ENOSUP,
				"--per node: %s: memory in the package may be a NUMA node of its own, and which is not "
				"known here; name other boxes with --box",
				channel->info.name);
	for (size_t i = 0; i < n; i++) {
		if (!cpus[i].online || cpus[i].package != (int)channel->info.socket || cpus[i].node < 0 ||
		    cpus[i].node == channel->node || (by_cpus && !unc_node_box_has(box, cpus[i].cpu)))
			continue;
		if (channel->node >= 0)
			return unc_fail(ctx, UNC_ENOSUP,
					"--per node: %s: the CPUs beside it are of several NUMA nodes, %d and %d, and "
					"no register that is known here tells to which of them it belongs; take --per "
					"imc or --per socket",
					channel->info.name, channel->node, cpus[i].node);
		channel->node = cpus[i].node;
	}
	if (channel->node < 0)
		return unc_fail(ctx, UNC_ENOSUP, "--per node: %s: this machine does not tell its NUMA node",
				channel->info.name);
	return UNC_OK;
}

int channels_find_nodes(struct unc_ctx *ctx, struct unc_machine *machine, struct channels *channels)
{
	const struct unc_host_cpu *cpus = NULL;
	size_t n = 0;
	int rc = unc_machine_cpus(machine, &cpus, &n);

	channels->nodes = calloc(channels->n + 1, sizeof(*channels->nodes));
	if (!channels->nodes)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < channels->n && rc == 0; i++)
		rc = find_node(ctx, &channels->list[i], cpus, n);
	if (rc == 0)
		channels->n_nodes = group_channels(channels, BY_NODE, channels->nodes);
	return rc;
}

static const char *box_name(const void *arg, size_t i)
{
	const struct choice *choice = arg;
	const struct unc_box *box = unc_box_at(choice->machine, choice->unit, i);

	return box ? box->name : NULL;
}

/* Returns the most useful error: a channel that failed comes before one that is not present, and that before none at all. */
static int none_answers(const struct choice *choice)
{
	size_t n = unc_box_count(choice->machine, choice->unit);
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		struct unc_box *box = unc_box_at(choice->machine, choice->unit, i);
		struct unc_box_info info;
		size_t unused;

		unc_box_info(box, &info);
		if (!box_is_chosen(choice->patterns, info.name))
			continue;
		first = first ? first : info.why;
		if (choice->add(choice->arg, box, &unused) == UNC_EIO)
			return UNC_EIO;
	}
	return unc_fail(
		choice->ctx, UNC_ENODEV,
		"no memory channel%s%s answers on this machine: %.600s; `uncorectl list -v` shows where each was "
		"looked for",
		choice->patterns ? " of --box " : "", choice->patterns ? choice->patterns : "", first ? first : "");
}

int channels_open(struct unc_ctx *ctx, struct unc_machine *machine, const char *unit, const char *patterns,
		  channel_add_fn *add, void *arg, struct channels *ret_channels)
{
	struct choice choice = {
		.ctx = ctx, .machine = machine, .unit = unit, .patterns = patterns, .add = add, .arg = arg};
	struct channels *channels = &choice.channels;
	size_t n = unc_box_count(machine, unit);
	bool many_imcs = false;
	int rc = UNC_OK;

	channels->list = calloc(n + 1, sizeof(*channels->list));
	channels->imcs = calloc(n + 1, sizeof(*channels->imcs));
	channels->sockets = calloc(n + 1, sizeof(*channels->sockets));
	if (!channels->list || !channels->imcs || !channels->sockets)
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	if (rc == 0 && n > 0)
		rc = boxes_check(ctx, patterns, "box", "list", box_name, &choice);
	for (unsigned hbm = 0; hbm < 2; hbm++)
		for (size_t i = 0; i < n && rc == 0; i++)
			rc = add_channel(&choice, unc_box_at(machine, unit, i), hbm);
	if (rc == 0 && channels->n_counts == 0)
		rc = none_answers(&choice);
	if (rc < 0) {
		channels_clear(channels);
		return rc;
	}
	if (!ctx->terse)
		absent_say(&choice.absent);
	for (size_t i = 0; i < channels->n; i++)
		many_imcs |= channels->list[i].info.imc != 0;
	for (size_t i = 0; i < channels->n; i++) {
		struct channel *channel = &channels->list[i];
		const struct unc_box_info *info = &channel->info;

		if (!channel->box->instance->numbered)
			snprintf(channel->label, sizeof(channel->label), "  %.20s", strchr(info->name, '.') + 1);
		else if (many_imcs)
			snprintf(channel->label, sizeof(channel->label), "  %s%u.ch%u", info->hbm ? "hbm" : "imc",
				 info->imc, info->channel);
		else
			snprintf(channel->label, sizeof(channel->label), "  ch%u", info->channel);
	}
	channels->n_imcs = group_channels(channels, BY_IMC, channels->imcs);
	channels->n_sockets = group_channels(channels, BY_SOCKET, channels->sockets);
	channels->n_totals = group_channels(channels, BY_MEMORY, channels->totals);
	*ret_channels = *channels;
	return UNC_OK;
}
