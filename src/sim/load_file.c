// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a load file; load.h describes the format. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/yaml.h"
#include "sim/load.h"

enum { STEPS_MAX = 1000, CPU_MAX = 99999 /* beyond any machine, so that an error message can name it */ };

/* No event comes faster than this, and as a number of millionths it fits 64 bits. */
#define RATE_MAX 1e12
/* The limit of machine time, in seconds. */
#define SECONDS_MAX 2.8e8

struct file {
	struct unc_ctx *ctx;
	const char *path;
	struct unc_sim_load *load;
};

static int no_memory(const struct file *file)
{
	return unc_fail(file->ctx, UNC_ENOMEM, "%s: out of memory", file->path);
}

/* Fails with "LINE: WHAT: why". */
static int refuse(const struct file *file, const struct unc_yaml *node, const char *what, const char *why)
{
	return unc_fail(file->ctx, UNC_EARG, "%s:%u: %s: %s", file->path, node->line, what, why);
}

static int parse_number(const struct file *file, const struct unc_yaml *node, const char *what, double max,
			double *ret_value)
{
	const char *text = unc_yaml_text(node);

	if (!text)
		return refuse(file, node, what, "a number belongs here");
	if (text[0] == '-')
		return unc_fail(file->ctx, UNC_EARG, "%s:%u: %s: %.40s is negative; it must be 0 or more", file->path,
				node->line, what, text);
	if (!unc_text_double(text, ret_value))
		return unc_fail(file->ctx, UNC_EARG,
				"%s:%u: %s: \"%.40s\" is not a number; write it like 12, 0.5 or 6.4e9", file->path,
				node->line, what, text);
	if (*ret_value > max)
		return unc_fail(file->ctx, UNC_EARG, "%s:%u: %s: %.40s is too large; the most is %g", file->path,
				node->line, what, text, max);
	return UNC_OK;
}

static int parse_rate(const struct file *file, const struct unc_yaml *node, const char *what, uint64_t *ret_rate)
{
	double per_second = 0;
	int rc = parse_number(file, node, what, RATE_MAX, &per_second);

	if (rc < 0)
		return rc;
	*ret_rate = (uint64_t)(per_second * (double)UNC_SIM_RATE_ONE + 0.5);
	return UNC_OK;
}

static int parse_step(const struct file *file, const struct unc_yaml *node, const char *what,
		      struct unc_sim_step *ret_step)
{
	const struct unc_yaml *at = unc_yaml_get(node, "at"), *rate = unc_yaml_get(node, "rate"), *child;
	double seconds;
	int rc;

	if (!at || !rate)
		return refuse(file, node, what, "a step must be {at: SECONDS, rate: NUMBER}");
	for (child = node->child; child; child = child->next)
		if (child != at && child != rate)
			return unc_fail(file->ctx, UNC_EARG,
					"%s:%u: %s: a step has the keys at and rate, not \"%.40s\"", file->path,
					child->key_line, what, child->key);
	rc = parse_number(file, at, what, SECONDS_MAX, &seconds);
	if (rc < 0)
		return rc;
	ret_step->at_ns = (uint64_t)(seconds * 1e9 + 0.5);
	ret_step->line = node->line;
	return parse_rate(file, rate, what, &ret_step->rate);
}

static int parse_steps(const struct file *file, const struct unc_yaml *node, const char *what,
		       struct unc_sim_curve *curve)
{
	const struct unc_yaml *child;
	struct unc_sim_step step = {0};
	int rc;

	for (child = node->child; child; child = child->next) {
		rc = parse_step(file, child, what, &step);
		if (rc < 0)
			return rc;
		if (curve->n && step.at_ns <= curve->steps[curve->n - 1].at_ns)
			return refuse(file, child, what,
				      "this step is not later than the one before it; put them in order");
		if (curve->n == STEPS_MAX)
			return refuse(file, child, what, "more than 1000 steps");
		if (unc_sim_curve_add(curve, step.at_ns, step.rate, step.line) < 0)
			return no_memory(file);
	}
	if (!curve->n)
		return refuse(file, node, what, "the list of steps is empty; write 0 if nothing is to happen");
	return UNC_OK;
}

/* Parses a number, or steps. On failure the curve holds what was read so far. */
static int parse_curve(const struct file *file, const struct unc_yaml *node, const char *what,
		       struct unc_sim_curve *ret_curve)
{
	uint64_t rate;
	int rc;

	*ret_curve = (struct unc_sim_curve){0};
	if (node->kind == UNC_YAML_LIST)
		return parse_steps(file, node, what, ret_curve);
	if (node->kind == UNC_YAML_MAP)
		return refuse(file, node, what, "must be a number, or a list of steps {at: SECONDS, rate: NUMBER}");
	rc = parse_rate(file, node, what, &rate);
	if (rc < 0)
		return rc;
	return unc_sim_curve_add(ret_curve, 0, rate, node->line) < 0 ? no_memory(file) : UNC_OK;
}

static bool channel_matches(const struct unc_sim_channel_load *channel, const char *pattern)
{
	char name[64];

	snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", channel->socket, channel->imc, channel->channel);
	return unc_text_match(pattern, name);
}

/* The curve of a channel that a key gives. */
struct target {
	enum unc_sim_from bytes;           /* without event: its bytes read or written */
	const struct unc_sim_event *event; /* NULL: bytes */
};

static bool *by_event(struct unc_sim_channel_load *channel, enum unc_sim_from from)
{
	return from == UNC_SIM_FROM_READ ? &channel->reads_by_event : &channel->writes_by_event;
}

/* Bytes, and the CAS events made of them, are two forms of the same traffic: the form given last replaces the other. */
static void choose_form(const struct unc_sim_model *model, struct unc_sim_channel_load *channel, enum unc_sim_from from,
			bool events)
{
	bool *now = by_event(channel, from);

	if (events && !*now)
		for (size_t i = 0; i < model->n_events; i++)
			if (model->events[i].from == from)
				unc_sim_curve_clear(&channel->events[i]);
	*now = events;
}

static struct unc_sim_curve *target_curve(const struct unc_sim_model *model, struct unc_sim_channel_load *channel,
					  const struct target *target)
{
	if (target->event) {
		if (target->event->from != UNC_SIM_FROM_EVENTS)
			choose_form(model, channel, target->event->from, true);
		return &channel->events[target->event - model->events];
	}
	choose_form(model, channel, target->bytes, false);
	return target->bytes == UNC_SIM_FROM_READ ? &channel->read : &channel->write;
}

static int put_curve(const struct file *file, const char *pattern, const struct target *target,
		     const struct unc_sim_curve *curve)
{
	for (size_t i = 0; i < file->load->n_channels; i++) {
		struct unc_sim_channel_load *channel = &file->load->channels[i];
		struct unc_sim_curve copy, *to;

		if (!channel_matches(channel, pattern))
			continue;
		if (unc_sim_curve_copy(curve, &copy) < 0)
			return no_memory(file);
		to = target_curve(file->load->model, channel, target);
		unc_sim_curve_clear(to);
		*to = copy;
	}
	return UNC_OK;
}

static int take_curve(const struct file *file, const char *pattern, const struct unc_yaml *node,
		      const struct target *target)
{
	struct unc_sim_curve curve;
	int rc = parse_curve(file, node, node->key, &curve);

	if (rc == UNC_OK)
		rc = put_curve(file, pattern, target, &curve);
	unc_sim_curve_clear(&curve);
	return rc;
}

static int find_event(const struct file *file, const struct unc_yaml *node, const struct unc_sim_event **ret_event)
{
	const struct unc_sim_model *model = file->load->model;
	const struct unc_sim_event *event = unc_sim_event_find(model, node->key);
	const struct unc_sim_sum *sum = unc_sim_sum_find(model, node->key);
	size_t i, len = strlen(node->key);

	if (sum && unc_sim_event_of(model, sum->code)->flags & UNC_SIM_CONSTANT)
		event = unc_sim_event_of(model, sum->code); /* another name of the clock */
	if (event && event->flags & UNC_SIM_CONSTANT)
		return unc_fail(file->ctx, UNC_EARG,
				"%s:%u: %s: this is the DRAM clock itself, always %" PRIu64 " a second; leave it out",
				file->path, node->key_line, node->key, unc_sim_dclk_hz(model));
	if (sum)
		return unc_fail(file->ctx, UNC_EARG, "%s:%u: %s: this is a sum; give the events that it is made of",
				file->path, node->key_line, node->key);
	for (i = 0; !event && i < model->n_events; i++)
		if (unc_sim_event_base_len(&model->events[i]) == len && !strncmp(model->events[i].name, node->key, len))
			return unc_fail(file->ctx, UNC_EARG,
					"%s:%u: %s: this event has sub-events; give them one by one, such as %s",
					file->path, node->key_line, node->key, model->events[i].name);
	if (!event)
		return unc_fail(
			file->ctx, UNC_EARG,
			"%s:%u: %.60s: sim:%s has no such event; they are named like act_count or cas_count.rd_reg",
			file->path, node->key_line, node->key, model->name);
	*ret_event = event;
	return UNC_OK;
}

/* Bytes and their events must not be in one entry, as it is not clear which of the two is meant. */
static int check_form(const struct file *file, const struct unc_yaml *entry, const struct unc_yaml *node,
		      const struct unc_sim_event *event)
{
	const char *bytes = event->from == UNC_SIM_FROM_READ ? "read" : "write";

	if (event->from == UNC_SIM_FROM_EVENTS || !unc_yaml_get(entry, bytes))
		return UNC_OK;
	return unc_fail(file->ctx, UNC_EARG,
			"%s:%u: %s: contradicts \"%s:\" of the same entry, which gives it too; keep one", file->path,
			node->key_line, node->key, bytes);
}

static int parse_events(const struct file *file, const struct unc_yaml *entry, const struct unc_yaml *node)
{
	struct target target = {0};
	const struct unc_yaml *child;
	int rc;

	if (node->kind != UNC_YAML_MAP)
		return refuse(file, node, "events", "must be a mapping of event names to rates");
	for (child = node->child; child; child = child->next) {
		rc = find_event(file, child, &target.event);
		if (rc == UNC_OK)
			rc = check_form(file, entry, child, target.event);
		if (rc == UNC_OK)
			rc = take_curve(file, entry->key, child, &target);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

static int parse_entry_key(const struct file *file, const struct unc_yaml *entry, const struct unc_yaml *node)
{
	const struct target read = {.bytes = UNC_SIM_FROM_READ}, write = {.bytes = UNC_SIM_FROM_WRITE};

	if (!strcmp(node->key, "read"))
		return take_curve(file, entry->key, node, &read);
	if (!strcmp(node->key, "write"))
		return take_curve(file, entry->key, node, &write);
	if (!strcmp(node->key, "events"))
		return parse_events(file, entry, node);
	return unc_fail(file->ctx, UNC_EARG, "%s:%u: unknown key \"%.40s\"; a channel has read, write and events",
			file->path, node->key_line, node->key);
}

static int check_pattern(const struct file *file, const struct unc_yaml *entry)
{
	const struct unc_sim_channel_load *last;

	for (size_t i = 0; i < file->load->n_channels; i++)
		if (channel_matches(&file->load->channels[i], entry->key))
			return UNC_OK;
	last = &file->load->channels[file->load->n_channels - 1];
	return unc_fail(file->ctx, UNC_EARG,
			"%s:%u: this machine has no channel \"%.60s\"; it has socket0.imc0.ch0 to socket%u.imc%u.ch%u",
			file->path, entry->key_line, entry->key, last->socket, last->imc, last->channel);
}

static int parse_entry(const struct file *file, const struct unc_yaml *entry)
{
	const struct unc_yaml *child;
	int rc = check_pattern(file, entry);

	if (rc < 0)
		return rc;
	if (entry->kind != UNC_YAML_MAP)
		return refuse(file, entry, entry->key, "must be a mapping with read, write or events");
	for (child = entry->child; child; child = child->next) {
		rc = parse_entry_key(file, entry, child);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

/* The curve that one line of a section cpus gives, and its CPUs. */
struct cpu_target {
	const struct file *file;
	const struct unc_yaml *entry;
	const char *key;
	const struct unc_sim_curve *curve; /* NULL: only check that the CPUs exist */
	int rc;
};

/* NULL: a CPU has no such key. */
static struct unc_sim_curve *cpu_curve(struct unc_sim_cpu_load *cpu, const char *key)
{
	if (!strcmp(key, "occupancy"))
		return &cpu->occupancy;
	if (!strcmp(key, "total"))
		return &cpu->total;
	return !strcmp(key, "local") ? &cpu->local : NULL;
}

static int put_cpu(const struct cpu_target *target, uint64_t number)
{
	const struct file *file = target->file;
	struct unc_sim_curve copy, *to;

	if (number >= file->load->n_cpus)
		return unc_fail(file->ctx, UNC_EARG, "%s:%u: this machine has no CPU %" PRIu64 "; it has 0 to %zu",
				file->path, target->entry->key_line, number, file->load->n_cpus - 1);
	if (!target->curve)
		return UNC_OK;
	if (unc_sim_curve_copy(target->curve, &copy) < 0)
		return no_memory(file);
	to = cpu_curve(&file->load->cpus[number], target->key);
	unc_sim_curve_clear(to);
	*to = copy;
	return UNC_OK;
}

static void add_cpu(void *arg, uint64_t number)
{
	struct cpu_target *target = arg;

	if (target->rc == UNC_OK)
		target->rc = put_cpu(target, number);
}

static int put_cpus(struct cpu_target *target)
{
	const struct unc_yaml *entry = target->entry;

	target->rc = UNC_OK;
	if (!unc_text_list(entry->key, CPU_MAX, add_cpu, target))
		return unc_fail(target->file->ctx, UNC_EARG,
				"%s:%u: \"%.60s\" is not a list of CPUs; they are written like 0-3,8",
				target->file->path, entry->key_line, entry->key);
	return target->rc;
}

static int parse_cpu_key(struct cpu_target *target, const struct unc_yaml *node)
{
	const struct file *file = target->file;
	struct unc_sim_curve curve;
	int rc;

	if (!cpu_curve(&file->load->cpus[0], node->key))
		return unc_fail(file->ctx, UNC_EARG,
				"%s:%u: unknown key \"%.40s\"; a CPU has occupancy, total and local", file->path,
				node->key_line, node->key);
	target->key = node->key;
	rc = parse_curve(file, node, node->key, &curve);
	if (rc == UNC_OK) {
		target->curve = &curve;
		rc = put_cpus(target);
		target->curve = NULL;
	}
	unc_sim_curve_clear(&curve);
	return rc;
}

static int parse_cpus_entry(const struct file *file, const struct unc_yaml *entry)
{
	struct cpu_target target = {.file = file, .entry = entry};
	const struct unc_yaml *child;
	int rc = put_cpus(&target);

	if (rc < 0)
		return rc;
	if (entry->kind != UNC_YAML_MAP)
		return refuse(file, entry, entry->key, "must be a mapping with occupancy, total or local");
	for (child = entry->child; child; child = child->next) {
		rc = parse_cpu_key(&target, child);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

/* Parses a section; what describes its entries, and parse reads one of them. */
static int parse_section(const struct file *file, const struct unc_yaml *section, const char *what,
			 int (*parse)(const struct file *file, const struct unc_yaml *entry))
{
	const struct unc_yaml *child;
	int rc;

	if (!section)
		return UNC_OK;
	if (section->kind != UNC_YAML_MAP)
		return refuse(file, section, section->key, what);
	for (child = section->child; child; child = child->next) {
		rc = parse(file, child);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

static int parse_root(const struct file *file, const struct unc_yaml *root)
{
	static const char channels_are[] = "must be a mapping of channel names such as \"socket*.imc0.ch*\"";
	const struct unc_yaml *format = unc_yaml_get(root, "format"), *channels = unc_yaml_get(root, "channels"),
			      *cpus = unc_yaml_get(root, "cpus"), *child;
	int rc;

	if (!unc_yaml_text(format) || strcmp(unc_yaml_text(format), "uncorectl-load/1") != 0)
		return refuse(file, format ? format : root, "format",
			      "a load file has a line \"format: uncorectl-load/1\"");
	for (child = root->child; child; child = child->next)
		if (child != format && child != channels && child != cpus)
			return unc_fail(file->ctx, UNC_EARG,
					"%s:%u: unknown key \"%.40s\"; a load file has format, channels and cpus",
					file->path, child->key_line, child->key);
	if (!channels && !cpus)
		return refuse(file, root, "channels", channels_are);
	rc = parse_section(file, channels, channels_are, parse_entry);
	if (rc < 0)
		return rc;
	return parse_section(file, cpus, "must be a mapping of CPUs such as \"0-3,8\"", parse_cpus_entry);
}

int unc_sim_load_parse(struct unc_ctx *ctx, const char *path, const char *text, size_t len, struct unc_sim_load *load)
{
	const struct file file = {.ctx = ctx, .path = path, .load = load};
	struct unc_yaml *root;
	int rc = unc_yaml_parse(ctx, path, text, len, &root);

	if (rc < 0) /* a load is an argument, not a register map */
		return rc == UNC_EMAP ? UNC_EARG : rc;
	rc = parse_root(&file, root);
	unc_yaml_free(root);
	return rc;
}

/*
 * Refuses impossible loads: more in a DCLK cycle than an event's maximum increment, which no counter could take (G-JKT
 * event tables); more bursts than a data bus carries, as each has eight transfers, two in a DCLK cycle (JESD79-3,
 * JESD79-4); and more local traffic than total traffic.
 */

struct group { /* events that one counter may count together */
	const struct unc_sim_load *load;
	size_t channel;
	size_t first, end; /* indices of the events */
};

static size_t group_end(const struct unc_sim_model *model, size_t first)
{
	size_t end = first + 1;

	if (model->events[first].flags & UNC_SIM_RANKS)
		return end;
	while (end < model->n_events && model->events[end].code == model->events[first].code)
		end++;
	return end;
}

/*
 * Returns the sum of the rates of this event and of those of the group that can occur in addition to it, in millionths
 * per second times UNC_SIM_WEIGHT. Sub-events that count the same occurrences, divided in another way, are not added.
 */
static unc_sim_wide rate_at(const struct group *group, size_t event, uint64_t tick)
{
	const struct unc_sim_event *events = group->load->model->events;
	unc_sim_wide sum = 0;

	for (size_t i = group->first; i < group->end; i++) {
		struct unc_sim_part part = unc_sim_load_part(group->load, group->channel, i);

		if ((events[i].flags ^ events[event].flags) & UNC_SIM_AGAIN)
			continue;
		sum += (unc_sim_wide)unc_sim_curve_rate(part.curve, tick) * (unsigned)(part.whole - part.less);
	}
	return sum;
}

static uint64_t most_a_second(const struct unc_sim_load *load, const struct unc_sim_event *event)
{
	return unc_sim_dclk_hz(load->model) * event->max_inc / (event->clocks ? event->clocks : 1);
}

static int too_fast(struct unc_ctx *ctx, const char *path, const struct group *group, unc_sim_wide rate, unsigned line)
{
	const unc_sim_wide one = (unc_sim_wide)UNC_SIM_RATE_ONE * UNC_SIM_WEIGHT;
	const struct unc_sim_channel_load *channel = &group->load->channels[group->channel];
	const struct unc_sim_event *event = &group->load->model->events[group->first];
	bool several = group->end - group->first > 1;
	char cycles[32] = "DCLK cycle";

	if (event->clocks)
		snprintf(cycles, sizeof(cycles), "%u DCLK cycles", event->clocks);
	return unc_fail(ctx, UNC_EARG,
			"%s:%u: socket%u.imc%u.ch%u: %.*s%s would come %" PRIu64
			" times a second, and there are at most %u each %s, %" PRIu64 " a second; lower it",
			path, line, channel->socket, channel->imc, channel->channel,
			several ? (int)unc_sim_event_base_len(event) : 255, event->name,
			several ? ", all of its sub-events together," : "", (uint64_t)((rate + one - 1) / one),
			event->max_inc, cycles, most_a_second(group->load, event));
}

static int check_group(struct unc_ctx *ctx, const char *path, const struct group *group)
{
	const struct unc_sim_event *event = &group->load->model->events[group->first];
	unc_sim_wide most = (unc_sim_wide)most_a_second(group->load, event) * UNC_SIM_RATE_ONE * UNC_SIM_WEIGHT;

	for (size_t i = group->first; i < group->end; i++) {
		const struct unc_sim_curve *curve = unc_sim_load_part(group->load, group->channel, i).curve;

		for (size_t k = 0; k < curve->n; k++) {
			unc_sim_wide rate = rate_at(group, i, curve->steps[k].at_ns * UNC_SIM_TICKS_PER_NS);

			if (rate > most)
				return too_fast(ctx, path, group, rate, curve->steps[k].line);
		}
	}
	return UNC_OK;
}

/* Local traffic is part of the total; that is checked at every step of both curves. */
static int check_cpu(struct unc_ctx *ctx, const char *path, const struct unc_sim_cpu_load *cpu, size_t number)
{
	const struct unc_sim_curve *curves[] = {&cpu->total, &cpu->local};

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < curves[i]->n; k++) {
			const struct unc_sim_step *step = &curves[i]->steps[k];
			uint64_t tick = step->at_ns * UNC_SIM_TICKS_PER_NS;
			uint64_t total = unc_sim_curve_rate(&cpu->total, tick);
			uint64_t local = unc_sim_curve_rate(&cpu->local, tick);

			if (local > total)
				return unc_fail(
					ctx, UNC_EARG,
					"%s:%u: CPU %zu: local would be %" PRIu64 " bytes a second and total %" PRIu64
					", of which it is a part; lower it",
					path, step->line, number, local / UNC_SIM_RATE_ONE, total / UNC_SIM_RATE_ONE);
		}
	}
	return UNC_OK;
}

static int check_cpus(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load)
{
	int rc;

	for (size_t i = 0; i < load->n_cpus; i++) {
		rc = check_cpu(ctx, path, &load->cpus[i], i);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

int unc_sim_load_check(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load)
{
	struct group group = {.load = load};
	int rc;

	for (group.channel = 0; group.channel < load->n_channels; group.channel++) {
		for (group.first = 0; group.first < load->model->n_events; group.first = group.end) {
			group.end = group_end(load->model, group.first);
			rc = check_group(ctx, path, &group);
			if (rc < 0)
				return rc;
		}
	}
	return check_cpus(ctx, path, load);
}
