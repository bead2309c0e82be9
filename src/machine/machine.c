// SPDX-License-Identifier: GPL-2.0-or-later
/* Identifies the CPU by CPUID.  Leaves: Intel SDM vol. 2A, CPUID; the model formula: registers.md section 3. */
#include "machine/machine.h"

#include "access/filter.h"
#include "access/cpuid_raw.h"
#include "access/record_text.h"
#include "access/replay.h"
#include "machine/discovery.h"
#include "machine/gate.h"
#include "machine/nodes.h"
#include "map/field.h"

unsigned unc_machine_first_cpu(const struct unc_machine *m)
{
	return m->topo.n_packages ? m->topo.first_cpu : 0;
}

static int cpuid(struct unc_machine *m, uint32_t leaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_wrap(m->ctx, m->host->ops->cpuid(m->host, unc_machine_first_cpu(m), leaf, 0, ret_regs),
			"CPUID leaf 0x%x", leaf);
}

int unc_machine_identify(struct unc_machine *m)
{
	struct unc_cpuid_regs leaf0, leaf1;
	unsigned family;
	int rc = cpuid(m, 0, &leaf0);

	if (rc < 0)
		return rc;
	unc_put_le32(m->cpu.vendor, leaf0.ebx);
	unc_put_le32(m->cpu.vendor + 4, leaf0.edx);
	unc_put_le32(m->cpu.vendor + 8, leaf0.ecx);
	for (unsigned i = 0; i < 12; i++)
		if (m->cpu.vendor[i] < ' ' || m->cpu.vendor[i] > '~')
			return unc_fail(m->ctx, UNC_ENOSUP, "CPUID leaf 0 names no vendor (ebx %08x edx %08x ecx %08x)",
					leaf0.ebx, leaf0.edx, leaf0.ecx);
	if (leaf0.eax < 1)
		return unc_fail(m->ctx, UNC_ENOSUP, "CPUID has no leaf 1, so this CPU's model cannot be known");
	rc = cpuid(m, 1, &leaf1);
	if (rc < 0)
		return rc;
	/* Family, model and stepping are spread over leaf 1 EAX.  CPUID has no map, since it selects the maps. */
	family = leaf1.eax >> 8 & 0xf;
	m->cpu.stepping = leaf1.eax & 0xf;
	m->cpu.model = (leaf1.eax >> 4 & 0xf) | (family == 6 || family == 15 ? (leaf1.eax >> 16 & 0xf) << 4 : 0);
	m->cpu.family = family == 15 ? 15 + (leaf1.eax >> 20 & 0xff) : family;
	m->cpu.host = m->host;
	m->cpu.cpu = unc_machine_first_cpu(m);
	return UNC_OK;
}

/* What the operating system reports about a computer, enough to distinguish two with the same processor. */

enum { FILE_MAX = 4096, PARTS_MAX = 3 };
#define CPU "/sys/devices/system/cpu/cpu%u"
#define DMI "/sys/class/dmi/id/" /* serial numbers are there too, readable by root only; they are not read */

static const struct fact {
	const char *name;
	const char *files[PARTS_MAX]; /* read one after the other; %u is replaced by the number of an online CPU */
} facts[] = {
	{"system", {DMI "sys_vendor", DMI "product_name"}},
	{"board", {DMI "board_vendor", DMI "board_name", DMI "board_version"}},
	{"firmware", {DMI "bios_vendor", DMI "bios_version", DMI "bios_date"}},
	{"microcode", {CPU "/microcode/version"}},
	/*
	 * The release of a distribution's kernel often stays the same; its version names the build: "#1 SMP Debian
	 * 6.1.192-2".
	 */
	{"kernel", {"/proc/sys/kernel/osrelease", "/proc/sys/kernel/version"}},
};

_Static_assert(sizeof(facts) / sizeof(facts[0]) == UNC_MACHINE_FACTS, "callers make room for all of them");

int unc_machine_fact(struct unc_machine *m, size_t index, struct unc_machine_fact *ret_fact)
{
	struct unc_machine_fact fact = {0};

	if (index >= sizeof(facts) / sizeof(facts[0]))
		return UNC_ENODEV;
	fact.name = facts[index].name;
	for (unsigned i = 0; i < PARTS_MAX && facts[index].files[i]; i++) {
		char path[80], *text;
		size_t len;
		int rc;

		snprintf(path, sizeof(path), facts[index].files[i], unc_machine_first_cpu(m));
		rc = unc_host_file(m->host, path, FILE_MAX, &text, NULL);
		if (rc == UNC_ENOMEM)
			return rc;
		if (rc < 0)
			continue;
		len = strcspn(text, "\n");
		while (len && text[len - 1] == ' ')
			len--;
		if (len)
			unc_text_join(fact.text, sizeof(fact.text), " ", "%.*s", (int)len, text);
		free(text);
	}
	*ret_fact = fact;
	return UNC_OK;
}

/* Traffic between CPUs and memory that is made on request. */

int unc_traffic_start(struct unc_machine *m, const struct unc_traffic *traffic)
{
	struct unc_host *host = m->host;
	int rc;

	if (!host->ops->traffic)
		return unc_fail(m->ctx, UNC_ENOSUP, "%s: memory traffic cannot be made on this machine from here",
				m->name);
	if (m->has_traffic)
		return unc_fail(m->ctx, UNC_EARG, "%s: memory traffic is being made already", m->name);
	if (!traffic->n_cpus || !traffic->size_bytes)
		return unc_fail(m->ctx, UNC_EARG, "%s: memory traffic needs a CPU, and a buffer of some size", m->name);
	rc = host->ops->traffic(host, UNC_TRAFFIC_START, traffic, NULL);
	m->has_traffic = rc == 0;
	return rc;
}

static int ask(struct unc_machine *m, enum unc_traffic_op op, struct unc_traffic_done *ret_done)
{
	if (!m->has_traffic)
		return unc_fail(m->ctx, UNC_EARG, "%s: no memory traffic is being made", m->name);
	return m->host->ops->traffic(m->host, op, NULL, ret_done);
}

int unc_traffic_look(struct unc_machine *m, struct unc_traffic_done *ret_done)
{
	return ask(m, UNC_TRAFFIC_LOOK, ret_done);
}

int unc_traffic_stop(struct unc_machine *m, struct unc_traffic_done *ret_done)
{
	int rc = ask(m, UNC_TRAFFIC_STOP, ret_done);

	m->has_traffic = false;
	return rc;
}

int unc_machine_bus_open(struct unc_machine *m, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_bus *bus;
	int rc = m->host->ops->bus_open(m->host, kind, writable, &bus);

	if (rc < 0)
		return rc;
	if (m->trace.sink)
		return unc_trace_wrap(bus, &m->trace, ret_bus);
	*ret_bus = bus;
	return UNC_OK;
}

int unc_machine_bus(struct unc_machine *m, enum unc_kind kind, struct unc_bus **ret_bus)
{
	bool is_dry = m->writable && m->dry_run;
	struct unc_bus *bus = m->bus[kind];
	int rc = UNC_OK;

	if (!bus) {
		rc = unc_machine_bus_open(m, kind, m->writable && !is_dry, &bus);
		if (rc == 0 && is_dry)
			rc = unc_dry_wrap(bus, &bus);
	}
	if (rc == 0)
		*ret_bus = m->bus[kind] = bus;
	return rc;
}

/* A bare directory tree has no topology; that is noted, and opening goes on. */
int unc_machine_who(struct unc_machine *m)
{
	int rc = m->host->ops->topology(m->host, &m->topo);

	if (rc < 0 && rc != UNC_ENODATA)
		return rc;
	if (rc < 0)
		memcpy(m->no_topology, m->ctx->msg, sizeof(m->no_topology));
	return unc_machine_identify(m);
}

/* A machine that is recorded (access/record.h), and its name without paths of the user. */

struct unc_recording { /* outlives the host that records; owned by the machine */
	char *name;    /* the machine's name, in which "root:DIR" and "sim:snbep,state=FILE" have aliases for paths */
	char *paths;   /* the paths that the aliases replace */
	struct unc_record_cfg cfg;
	unsigned n_aliases;
};

static void add_alias(struct unc_recording *recording, const char *path, const char *alias)
{
	if (recording->n_aliases < UNC_RECORD_ALIASES && path && *path)
		recording->cfg.aliases[recording->n_aliases++] = (struct unc_record_alias){path, alias};
}

static void cut_slashes(char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		path[--len] = '\0';
}

/* Adds aliases for the keys whose values are paths, as in "sim:snbep,state=/tmp/x".  paths keeps the texts. */
static int name_machine(struct unc_ctx *ctx, struct unc_recording *recording, const char *machine)
{
	static const char *const keys[][2] = {
		{"sim:cpuid=", "FILE"}, {"load=", "FILE"}, {"state=", "FILE"}, {"files=", "DIR"}};
	size_t room = 2 * strlen(machine) + 16; /* "FILE" replaces a path, which may be shorter */
	char *rest, *word;

	recording->name = calloc(room, 1);
	recording->paths = unc_text_dup(machine);
	if (!recording->name || !recording->paths)
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	if (strncmp(machine, "root:", 5) == 0) {
		snprintf(recording->name, room, "root:DIR");
		cut_slashes(recording->paths + 5);
		add_alias(recording, recording->paths + 5, "DIR");
		return UNC_OK;
	}
	for (rest = recording->paths; (word = unc_text_cut(&rest, ',')) != NULL;) {
		const char *alias = NULL;
		char *value = word;

		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (strncmp(word, keys[i][0], strlen(keys[i][0])) != 0)
				continue;
			alias = keys[i][1];
			value = word + strlen(keys[i][0]);
		}
		unc_text_join(recording->name, room, ",", "%.*s%s", (int)(value - word), word, alias ? alias : word);
		if (!alias)
			continue;
		cut_slashes(value);
		add_alias(recording, value, alias);
	}
	return UNC_OK;
}

/* Puts the recording host around m->host.  UNC_EARG: a replay is not recorded again; UNC_ENOMEM. */
static int start_recording(struct unc_machine *m, const struct unc_machine_cfg *cfg)
{
	struct unc_recording *recording;
	struct unc_host *host;
	int rc;

	if (unc_replay_on_difference(m->host, NULL, NULL))
		return unc_fail(m->ctx, UNC_EARG, "%s: a replay is not recorded again", m->name);
	recording = calloc(1, sizeof(*recording));
	if (!recording)
		return unc_fail(m->ctx, UNC_ENOMEM, "record: out of memory");
	m->recording = recording;
	rc = name_machine(m->ctx, recording, m->name);
	if (rc < 0)
		return rc;
	add_alias(recording, cfg->map_dir, UNC_RECORD_MAPS);
	add_alias(recording, cfg->record_input, UNC_RECORD_INPUT);
	recording->cfg.line = cfg->record;
	recording->cfg.arg = cfg->record_arg;
	recording->cfg.name = recording->name;
	recording->cfg.map_dir = cfg->map_dir ? UNC_RECORD_MAPS : NULL;
	rc = unc_record_wrap(m->host, &recording->cfg, &host);
	if (rc == UNC_OK)
		m->host = host;
	return rc;
}

static void free_machine(struct unc_machine *m)
{
	unc_journal_disk_close(m->disk);
	unc_journal_clear(&m->journal);
	unc_claims_free(m);
	for (size_t i = 0; i < m->n_boxes; i++)
		unc_space_close(m->boxes[i].space);
	free(m->boxes);
	unc_node_parts_free(m);
	unc_tables_free(m->tables);
	unc_raw_free_all(m);
	unc_machine_cpu_boxes_free(m);
	if (m->rdt)
		m->rdt_free(m->rdt);
	for (unsigned kind = 0; kind < UNC_KINDS; kind++)
		unc_bus_close(m->bus[kind]);
	unc_map_free(m->map);
	unc_topo_clear(&m->topo);
	unc_host_close(m->host);
	if (m->recording) {
		free(m->recording->name);
		free(m->recording->paths);
	}
	free(m->recording);
	free(m->state_dir);
	free(m->name);
	free(m);
}

int unc_machine_reach(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine)
{
	struct unc_machine *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	m->ctx = ctx;
	m->name = unc_text_dup(cfg->machine ? cfg->machine : "live");
	m->state_dir = cfg->state_dir ? unc_text_dup(cfg->state_dir) : NULL;
	m->writable = cfg->writable;
	m->recovers = cfg->recovers;
	m->dry_run = cfg->dry_run;
	m->dry_run_arg = cfg->dry_run_arg;
	rc = m->name && (m->state_dir || !cfg->state_dir) ? unc_machine_cpu_boxes_new(m)
							  : unc_fail(ctx, UNC_ENOMEM, "out of memory");
	if (rc == 0)
		rc = unc_machine_host_open(ctx, m->name, cfg->wake_fd > 0 ? cfg->wake_fd : -1, &m->host);
	if (rc < 0)
		goto fail;
	m->host->command = cfg->command_pid > 0 ? cfg->command_pid : 0;
	m->host->traffic_maker = cfg->traffic_maker;
	if (cfg->differs)
		unc_replay_on_difference(m->host, cfg->differs, cfg->differs_arg);
	if (cfg->record)
		rc = start_recording(m, cfg);
	if (rc < 0)
		goto fail;
	/* A trace does not change a record. */
	m->trace.host = m->host->bystander ? m->host->bystander : m->host;
	m->trace.t0_ns = m->trace.host->ops->now_ns(m->trace.host, UNC_CLOCK_RAW);
	m->trace.sink = cfg->trace;
	m->trace.arg = cfg->trace_arg;
	*ret_machine = m;
	return UNC_OK;
fail:
	free_machine(m);
	return rc;
}

int unc_machine_fit(struct unc_machine *m, const char *map_dir)
{
	int rc = unc_map_load(m->ctx, &m->cpu, m->host->map_dir ? m->host->map_dir : map_dir, &m->map);

	/* A folder of maps that does not exist is the caller's mistake, not a fault of the machine. */
	return rc == UNC_ENODEV ? UNC_EARG : rc;
}

/* Counters that always run are only read, so that no bus is opened for writing. */
static bool writes_any(const struct unc_map *map)
{
	bool any = false;

	for (size_t u = 0; u < map->n_units; u++)
		for (size_t i = 0; i < map->units[u].n_regs; i++)
			any |= unc_reg_writable(&map->units[u].regs[i]);
	return any;
}

int unc_machine_by_catalogue(struct unc_machine *m, int failed)
{
	struct unc_saved_msg why;
	int rc;

	if (*m->cpu.vendor)
		return failed;
	unc_msg_save(m->ctx, &why);
	rc = unc_machine_catalogue(m);
	if (rc == 0)
		memcpy(m->cpu.vendor, "IBM", sizeof("IBM"));
	if (rc != UNC_ENODEV)
		return rc;
	unc_msg_restore(m->ctx, &why);
	return failed;
}

int unc_machine_open(struct unc_ctx *ctx, const struct unc_machine_cfg *cfg, struct unc_machine **ret_machine)
{
	struct unc_machine *m;
	int rc = unc_machine_reach(ctx, cfg, &m);

	if (rc < 0)
		return rc;
	rc = unc_machine_who(m);
	if (rc < 0)
		rc = unc_machine_by_catalogue(m, rc);
	if (rc == 0 && !m->map)
		rc = unc_machine_fit(m, cfg->map_dir);
	if (rc == 0 && ctx->only_counts && m->map->n_units && !writes_any(m->map))
		m->writable = false;
	if (rc == 0 && !cfg->no_boxes)
		rc = unc_machine_find_boxes(m);
	if (rc == 0 && m->writable && !m->dry_run)
		rc = unc_journal_disk_open(m, &m->disk);
	if (rc < 0)
		free_machine(m);
	else
		*ret_machine = m;
	return rc;
}

int unc_machine_map(struct unc_ctx *ctx, const char *name, const char *map_dir, struct unc_map **ret_map)
{
	const struct unc_machine_cfg cfg = {.machine = name};
	struct unc_machine *m;
	int rc = unc_machine_reach(ctx, &cfg, &m);

	if (rc < 0)
		return rc;
	rc = unc_machine_who(m);
	if (rc == 0)
		rc = unc_map_load(ctx, &m->cpu, map_dir, ret_map);
	free_machine(m);
	return rc == UNC_ENODEV && map_dir ? UNC_EARG : rc;
}

int unc_machine_close(struct unc_machine *m)
{
	struct unc_traffic_done done;
	int rc;

	if (!m)
		return UNC_OK;
	if (m->has_traffic)
		unc_traffic_stop(m, &done);
	rc = unc_gate_restore(m, NULL);
	free_machine(m);
	return rc;
}

void unc_machine_info(const struct unc_machine *m, struct unc_machine_info *ret_info)
{
	const char *part = "", *counts = NULL;

	/* Maps of several units may name the part differently: a unit that counts is preferred; maps for many parts have no title. */
	for (size_t i = 0; i < m->map->n_units && !counts; i++) {
		const struct unc_unit *unit = &m->map->units[i];

		counts = unit->counter_bits ? unit->title : NULL;
		if (!*part && unit->per != UNC_PER_CPU && unit->title)
			part = unit->title;
	}
	*ret_info = (struct unc_machine_info){
		.name = m->host->name ? m->host->name : m->name,
		.simulated = m->host->simulated,
		.vendor = m->cpu.vendor,
		.part = counts ? counts : part,
		.family = m->cpu.family,
		.model = m->cpu.model,
		.stepping = m->cpu.stepping,
		.n_sockets = m->n_sockets,
		.n_cpus = m->topo.n_cpus,
		.socket_rule = m->socket_rule,
		.no_counters = m->map->no_counters,
	};
}

int unc_machine_cpu(struct unc_machine *m, struct unc_cpu_info *ret_info)
{
	return unc_os_identify(m->host, unc_machine_first_cpu(m), ret_info);
}

int unc_machine_sleep_until(struct unc_machine *m, uint64_t mono_ns)
{
	if (mono_ns == UINT64_MAX && m->host->stands_still)
		return unc_fail(m->ctx, UNC_EARG, "the time of this machine stands still: it cannot be waited for");
	return m->host->ops->sleep_until(m->host, mono_ns);
}

uint64_t unc_machine_raw_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_RAW);
}

uint64_t unc_machine_mono_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_MONO);
}

uint64_t unc_machine_real_ns(const struct unc_machine *m)
{
	return m->host->ops->now_ns(m->host, UNC_CLOCK_REAL);
}
