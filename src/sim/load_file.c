// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a load file; load.h describes the format. */

#include "base/yaml.h"
#include "sim/load.h"

enum { STEPS_MAX = 1000, CPU_MAX = 99999 /* beyond any machine, so that an error message can name it */ };

struct file {
	struct unc_ctx *ctx;
	const char *path;
	struct unc_sim_load *load;
};

static int no_memory(const struct file *file)
{
	return unc_fail(file->ctx, UNC_ENOMEM, "%s: out of memory", file->path);
}

/* As unc_fail() with UNC_EARG, with "FILE:LINE: " in front of the sentence. */
#define refuse(file, line, ...)                                                                                        \
	unc_wrap((file)->ctx, unc_fail((file)->ctx, UNC_EARG, __VA_ARGS__), "%s:%u", (file)->path, line)

/* What a number of a load file may be at most, and how many units of the load one is. */
struct quantity {
	double max, units;
};
/* No event comes faster than this, and as a number of millionths it fits 64 bits. */
static const struct quantity rates = {1e12, UNC_SIM_RATE_ONE};
/* Up to the limit of machine time. */
static const struct quantity seconds = {2.8e8, 1e9};

static int parse_number(const struct file *file, const struct unc_yaml *node, const char *what,
			const struct quantity *quantity, uint64_t *ret_units)
{
	const char *text = unc_yaml_text(node);
	double value;

	if (!text)
		return refuse(file, node->line, "%s: a number belongs here", what);
	if (text[0] == '-')
		return refuse(file, node->line, "%s: %.40s is negative; it must be 0 or more", what, text);
	if (!unc_text_double(text, &value))
		return refuse(file, node->line, "%s: \"%.40s\" is not a number; write it like 12, 0.5 or 6.4e9", what,
			      text);
	if (value > quantity->max)
		return refuse(file, node->line, "%s: %.40s is too large; the most is %g", what, text, quantity->max);
	*ret_units = (uint64_t)(value * quantity->units + 0.5);
	return UNC_OK;
}

static int parse_steps(const struct file *file, const struct unc_yaml *node, struct unc_sim_curve *curve)
{
	const char *what = node->key;
	const struct unc_yaml *step, *key;
	uint64_t at_ns = 0, rate = 0;
	int rc;

	for (step = node->child; step; step = step->next) {
		const struct unc_yaml *at_key = unc_yaml_get(step, "at"), *rate_key = unc_yaml_get(step, "rate");

		if (!at_key || !rate_key)
			return refuse(file, step->line, "%s: a step must be {at: SECONDS, rate: NUMBER}", what);
		for (key = step->child; key; key = key->next)
			if (key != at_key && key != rate_key)
				return refuse(file, key->key_line, "%s: a step has the keys at and rate, not \"%.40s\"",
					      what, key->key);
		rc = parse_number(file, at_key, what, &seconds, &at_ns);
		if (rc == UNC_OK)
			rc = parse_number(file, rate_key, what, &rates, &rate);
		if (rc < 0)
			return rc;
		if (curve->n && at_ns <= curve->steps[curve->n - 1].at_ns)
			return refuse(file, step->line,
				      "%s: this step is not later than the one before it; put them in order", what);
		if (curve->n == STEPS_MAX)
			return refuse(file, step->line, "%s: more than 1000 steps", what);
		rc = unc_sim_curve_add(curve, at_ns, rate, step->line);
		if (rc < 0)
			return rc;
	}
	if (!curve->n)
		return refuse(file, node->line, "%s: the list of steps is empty; write 0 if nothing is to happen",
			      what);
	return UNC_OK;
}

/* Parses a number, or steps. On failure the curve holds what was read so far; UNC_ENOMEM has no sentence. */
static int parse_curve(const struct file *file, const struct unc_yaml *node, struct unc_sim_curve *ret_curve)
{
	uint64_t rate;
	int rc;

	*ret_curve = (struct unc_sim_curve){0};
	if (node->kind == UNC_YAML_LIST)
		return parse_steps(file, node, ret_curve);
	if (node->kind == UNC_YAML_MAP)
		return refuse(file, node->line, "%s: must be a number, or a list of steps {at: SECONDS, rate: NUMBER}",
			      node->key);
	rc = parse_number(file, node, node->key, &rates, &rate);
	return rc < 0 ? rc : unc_sim_curve_add(ret_curve, 0, rate, node->line);
}

/*
 * Gives a curve to all channels that match the pattern: that of an event, or where event is NULL of bytes read or written.
 * Bytes, and the CAS events made of them, are two forms of the same traffic: the form given last replaces the other.
 */
static int take_curve(const struct file *file, const char *pattern, const struct unc_yaml *node, enum unc_sim_from from,
		      const struct unc_sim_event *event)
{
	struct unc_sim_load *load = file->load;
	struct unc_sim_curve curve;
	int rc = parse_curve(file, node, &curve);

	for (size_t i = 0; i < load->n_channels && rc == UNC_OK; i++) {
		struct unc_sim_channel_load *channel = &load->channels[i];

		if (!unc_sim_load_matches(channel, pattern))
			continue;
		for (size_t k = 0; event && !channel->by_event[from] && k < load->model->n_events; k++)
			if (load->model->events[k].from == from)
				unc_sim_curve_clear(&channel->events[k]);
		channel->by_event[from] = event;
		rc = unc_sim_curve_copy(&curve,
					event ? &channel->events[event - load->model->events] : &channel->bytes[from]);
	}
	unc_sim_curve_clear(&curve);
	return rc == UNC_ENOMEM ? no_memory(file) : rc;
}

static int find_event(const struct file *file, const struct unc_yaml *node, const struct unc_sim_event **ret_event)
{
	const struct unc_sim_model *model = file->load->model;
	const struct unc_sim_event *event = unc_sim_event_find(model, node->key);
	const struct unc_sim_sum *sum = unc_sim_sum_find(model, node->key);
	size_t len = strlen(node->key);

	if (sum && unc_sim_event_of(model, sum->code)->flags & UNC_SIM_CONSTANT)
		event = unc_sim_event_of(model, sum->code); /* another name of the clock */
	if (event && event->flags & UNC_SIM_CONSTANT)
		return refuse(file, node->key_line,
			      "%s: this is the DRAM clock itself, always %" PRIu64 " a second; leave it out", node->key,
			      unc_sim_dclk_hz(model));
	if (sum)
		return refuse(file, node->key_line, "%s: this is a sum; give the events that it is made of", node->key);
	for (size_t i = 0; !event && i < model->n_events; i++)
		if (unc_sim_event_base_len(&model->events[i]) == len && !strncmp(model->events[i].name, node->key, len))
			return refuse(file, node->key_line,
				      "%s: this event has sub-events; give them one by one, such as %s", node->key,
				      model->events[i].name);
	if (!event)
		return refuse(file, node->key_line,
			      "%.60s: sim:%s has no such event; they are named like act_count or cas_count.rd_reg",
			      node->key, model->name);
	*ret_event = event;
	return UNC_OK;
}

static int parse_events(const struct file *file, const struct unc_yaml *entry, const struct unc_yaml *node)
{
	const struct unc_sim_event *event;
	const struct unc_yaml *child;
	int rc;

	if (node->kind != UNC_YAML_MAP)
		return refuse(file, node->line, "events: must be a mapping of event names to rates");
	for (child = node->child; child; child = child->next) {
		const char *bytes;

		rc = find_event(file, child, &event);
		if (rc < 0)
			return rc;
		/* Bytes and their events must not be in one entry, as it is not clear which of the two is meant. */
		bytes = event->from == UNC_SIM_FROM_READ ? "read" : "write";
		if (event->from != UNC_SIM_FROM_EVENTS && unc_yaml_get(entry, bytes))
			return refuse(file, child->key_line,
				      "%s: contradicts \"%s:\" of the same entry, which gives it too; keep one",
				      child->key, bytes);
		rc = take_curve(file, entry->key, child, event->from, event);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

static int parse_channels(const struct file *file, const struct unc_yaml *entry)
{
	const struct unc_sim_load *load = file->load;
	const struct unc_sim_channel_load *last = &load->channels[load->n_channels - 1];
	const struct unc_yaml *child;
	size_t i = 0;
	int rc = UNC_OK;

	if (!load->n_channels)
		return refuse(file, entry->key_line, "of this processor no memory channels are modelled");
	while (i < load->n_channels && !unc_sim_load_matches(&load->channels[i], entry->key))
		i++;
	if (i == load->n_channels)
		return refuse(file, entry->key_line,
			      "this machine has no channel \"%.60s\"; it has socket0.imc0.ch0 to socket%u.imc%u.ch%u",
			      entry->key, last->socket, last->imc, last->channel);
	if (entry->kind != UNC_YAML_MAP)
		return refuse(file, entry->line, "%s: must be a mapping with read, write or events", entry->key);
	for (child = entry->child; child && rc == UNC_OK; child = child->next) {
		if (!strcmp(child->key, "read"))
			rc = take_curve(file, entry->key, child, UNC_SIM_FROM_READ, NULL);
		else if (!strcmp(child->key, "write"))
			rc = take_curve(file, entry->key, child, UNC_SIM_FROM_WRITE, NULL);
		else if (!strcmp(child->key, "events"))
			rc = parse_events(file, entry, child);
		else
			rc = refuse(file, child->key_line,
				    "unknown key \"%.40s\"; a channel has read, write and events", child->key);
	}
	return rc;
}

/* NULL: a CPU has no such key. */
static struct unc_sim_curve *cpu_curve(struct unc_sim_cpu_load *cpu, const char *key)
{
	if (!strcmp(key, "occupancy"))
		return &cpu->occupancy;
	if (!strcmp(key, "total"))
		return &cpu->total;
	return !strcmp(key, "local") ? &cpu->local : NULL;
}

static int parse_cpus(const struct file *file, const struct unc_yaml *entry)
{
	struct unc_sim_load *load = file->load;
	bool has[UNC_SIM_CPUS_MAX] = {false};     /* the CPUs that the entry names */
	uint64_t cpu, last, missing = UINT64_MAX; /* the first one that the machine lacks */
	const char *list = entry->key;
	struct unc_sim_curve curve;
	const struct unc_yaml *child;
	int rc = UNC_OK;

	while (unc_text_range(&list, CPU_MAX, &cpu, &last)) {
		for (; cpu <= last && cpu < load->n_cpus; cpu++)
			has[cpu] = true;
		if (cpu <= last && missing == UINT64_MAX)
			missing = cpu;
	}
	if (list)
		return refuse(file, entry->key_line, "\"%.60s\" is not a list of CPUs; they are written like 0-3,8",
			      entry->key);
	if (missing != UINT64_MAX)
		return refuse(file, entry->key_line, "this machine has no CPU %" PRIu64 "; it has 0 to %zu", missing,
			      load->n_cpus - 1);
	if (entry->kind != UNC_YAML_MAP)
		return refuse(file, entry->line, "%s: must be a mapping with occupancy, total or local", entry->key);
	for (child = entry->child; child && rc == UNC_OK; child = child->next) {
		if (!cpu_curve(&load->cpus[0], child->key))
			return refuse(file, child->key_line,
				      "unknown key \"%.40s\"; a CPU has occupancy, total and local", child->key);
		rc = parse_curve(file, child, &curve);
		for (size_t i = 0; i < load->n_cpus && rc == UNC_OK; i++)
			if (has[i])
				rc = unc_sim_curve_copy(&curve, cpu_curve(&load->cpus[i], child->key));
		unc_sim_curve_clear(&curve);
	}
	return rc == UNC_ENOMEM ? no_memory(file) : rc;
}

/* Parses a section; what describes its entries, and parse reads one of them. */
static int parse_section(const struct file *file, const struct unc_yaml *section, const char *what,
			 int (*parse)(const struct file *file, const struct unc_yaml *entry))
{
	int rc = UNC_OK;

	if (!section)
		return UNC_OK;
	if (section->kind != UNC_YAML_MAP)
		return refuse(file, section->line, "%s: %s", section->key, what);
	for (const struct unc_yaml *child = section->child; child && rc == UNC_OK; child = child->next)
		rc = parse(file, child);
	return rc;
}

static int parse_root(const struct file *file, const struct unc_yaml *root)
{
	static const char channels_are[] = "must be a mapping of channel names such as \"socket*.imc0.ch*\"";
	const struct unc_yaml *format = unc_yaml_get(root, "format"), *channels = unc_yaml_get(root, "channels"),
			      *cpus = unc_yaml_get(root, "cpus"), *child;
	int rc;

	if (!unc_yaml_text(format) || strcmp(unc_yaml_text(format), "uncorectl-load/1") != 0)
		return refuse(file, format ? format->line : root->line,
			      "format: a load file has a line \"format: uncorectl-load/1\"");
	for (child = root->child; child; child = child->next)
		if (child != format && child != channels && child != cpus)
			return refuse(file, child->key_line,
				      "unknown key \"%.40s\"; a load file has format, channels and cpus", child->key);
	if (!channels && !cpus)
		return refuse(file, root->line, "channels: %s", channels_are);
	rc = parse_section(file, channels, channels_are, parse_channels);
	if (rc < 0)
		return rc;
	return parse_section(file, cpus, "must be a mapping of CPUs such as \"0-3,8\"", parse_cpus);
}

int unc_sim_load_read(struct unc_ctx *ctx, const char *path, struct unc_sim_load *load)
{
	const struct file file = {.ctx = ctx, .path = path, .load = load};
	struct unc_yaml *root = NULL;
	char *text;
	size_t len;
	int rc = unc_os_file_read(ctx, path, UNC_YAML_MAX_BYTES, UNC_TRUST_ANY, &text, &len);

	if (rc < 0)
		return unc_sim_path_failed(ctx, load->model, "load", rc);
	load->fingerprint = unc_sim_fingerprint(text, len); /* 0 is the default load's */
	rc = unc_yaml_parse(ctx, path, text, len, &root);
	if (rc == UNC_EMAP)
		rc = UNC_EARG; /* a load is an argument, not a register map */
	if (rc == UNC_OK)
		rc = parse_root(&file, root);
	unc_yaml_free(root);
	free(text);
	return rc < 0 ? rc : unc_sim_load_check(ctx, path, load);
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

		if (!((events[i].flags ^ events[event].flags) & UNC_SIM_AGAIN))
			sum += unc_sim_part_rate(&part, tick);
	}
	return sum;
}

static int check_group(const struct file *file, const struct group *group)
{
	const unc_sim_wide one = (unc_sim_wide)UNC_SIM_RATE_ONE * UNC_SIM_WEIGHT;
	const struct unc_sim_channel_load *channel = &group->load->channels[group->channel];
	const struct unc_sim_event *event = &group->load->model->events[group->first];
	uint64_t most = unc_sim_dclk_hz(group->load->model) * event->max_inc / (event->clocks ? event->clocks : 1);
	bool several = group->end - group->first > 1;
	char cycles[32] = "DCLK cycle";

	if (event->clocks)
		snprintf(cycles, sizeof(cycles), "%u DCLK cycles", event->clocks);
	for (size_t i = group->first; i < group->end; i++) {
		const struct unc_sim_curve *curve = unc_sim_load_part(group->load, group->channel, i).curve;

		for (size_t k = 0; k < curve->n; k++) {
			unc_sim_wide rate = rate_at(group, i, curve->steps[k].at_ns * UNC_SIM_TICKS_PER_NS);

			if (rate > most * one)
				return refuse(file, curve->steps[k].line,
					      "socket%u.imc%u.ch%u: %.*s%s would come %" PRIu64
					      " times a second, and there are at most %u each %s, %" PRIu64
					      " a second; lower it",
					      channel->socket, channel->imc, channel->channel,
					      several ? (int)unc_sim_event_base_len(event) : 255, event->name,
					      several ? ", all of its sub-events together," : "",
					      (uint64_t)((rate + one - 1) / one), event->max_inc, cycles, most);
		}
	}
	return UNC_OK;
}

/* Local traffic is part of the total; that is checked at every step of both curves. */
static int check_cpu(const struct file *file, const struct unc_sim_cpu_load *cpu, size_t number)
{
	const struct unc_sim_curve *curves[] = {&cpu->total, &cpu->local};

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < curves[i]->n; k++) {
			const struct unc_sim_step *step = &curves[i]->steps[k];
			uint64_t tick = step->at_ns * UNC_SIM_TICKS_PER_NS;
			uint64_t total = unc_sim_curve_rate(&cpu->total, tick);
			uint64_t local = unc_sim_curve_rate(&cpu->local, tick);

			if (local > total)
				return refuse(file, step->line,
					      "CPU %zu: local would be %" PRIu64 " bytes a second and total %" PRIu64
					      ", of which it is a part; lower it",
					      number, local / UNC_SIM_RATE_ONE, total / UNC_SIM_RATE_ONE);
		}
	}
	return UNC_OK;
}

int unc_sim_load_check(struct unc_ctx *ctx, const char *path, const struct unc_sim_load *load)
{
	const struct file file = {.ctx = ctx, .path = path};
	const struct unc_sim_event *events = load->model->events;
	struct group group = {.load = load};
	int rc = UNC_OK;

	for (group.channel = 0; group.channel < load->n_channels; group.channel++) {
		for (group.first = 0; group.first < load->model->n_events && rc == UNC_OK; group.first = group.end) {
			const struct unc_sim_event *first = &events[group.first];

			group.end = group.first + 1;
			while (!(first->flags & UNC_SIM_RANKS) && group.end < load->model->n_events &&
			       events[group.end].code == first->code)
				group.end++;
			rc = check_group(&file, &group);
		}
	}
	for (size_t i = 0; i < load->n_cpus && rc == UNC_OK; i++)
		rc = check_cpu(&file, &load->cpus[i], i);
	return rc;
}
