// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of a simulated machine and their values: sim.h describes them. */
#include "sim/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "sim/load.h"
#include "sim/state.h"

enum {
	DWORD_NS_MAX = 1000000000,
	SECONDS_MAX = 200000000, /* 6 years */
	PERCENT_MAX = 90,
	PPM_OF_PERCENT = 10000,
	QM_TIMES_MAX = 1000000,
	QM_SLOW_READS = 2,
	PARANOID_LEAST = -1,
	PARANOID_MOST = 4,
	NUMBER_MOST = 15,
};

bool unc_sim_no_memory(struct unc_sim_parse *parse)
{
	parse->failed = unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	return false;
}

/* Returns where the options hold what the key sets. */
static void *target(const struct unc_sim_parse *parse, const struct unc_sim_key *key)
{
	return (char *)parse->options + key->at;
}

static bool parse_count(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	unsigned *count = target(parse, key);
	uint64_t n;

	if (!unc_text_u64(text, &n) || n < 1 || n > key->most)
		return false;
	*count = (unsigned)n;
	return true;
}

static bool parse_snc(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	return parse_count(parse, key, text) && parse->options->snc != 3;
}

static bool parse_word(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	bool *flag = target(parse, key);

	*flag = !strcmp(text, key->yes);
	return *flag || !strcmp(text, key->no);
}

static bool parse_path(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	char **path = target(parse, key);

	if (!*text)
		return false;
	*path = unc_text_dup(text);
	return *path || unc_sim_no_memory(parse);
}

/* NTH or NTH:TIMES */
static bool parse_nth(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	uint64_t *nth = target(parse, key), *times = (uint64_t *)((char *)parse->options + key->at_times);

	*times = 1;
	return unc_text_u64(unc_text_cut(&text, ':'), nth) && *nth > 0 &&
	       (!text || (unc_text_u64(text, times) && *times > 0));
}

static bool parse_dword_ns(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	uint64_t *ns = &parse->options->dword_ns;

	(void)key;
	return unc_text_u64(text, ns) && *ns <= DWORD_NS_MAX;
}

/* MMIO_BASE has 29 bits of 8 MiB. 0 is what firmware leaves that forgot it. */
static bool parse_mmio_base(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	uint64_t *base = &parse->options->mmio_base;

	(void)key;
	return unc_text_u64(text, base) && *base % (1 << 23) == 0 && *base < UINT64_C(1) << 51;
}

/* Returns which of the names, which NULL ends, the text is; *ret_i is not changed if it is none. */
static bool parse_name(const char *const *names, const char *text, unsigned *ret_i)
{
	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], text)) {
			*ret_i = i;
			return true;
		}
	return false;
}

static bool parse_mmio(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	static const char *const names[] = {"ok", "limit", "off", NULL};
	unsigned i = 0;
	bool known = parse_name(names, text, &i);

	(void)key;
	parse->options->mmio = (enum unc_sim_mmio_fault)i;
	return known;
}

static bool parse_table(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	static const char *const names[] = {"ok",      "duplicate", "hole", "access0", "access2", "no_units", "ones",
					    "differs", "offset",    "ram",  "overlap", "changes", NULL};
	unsigned i = 0;
	bool known = parse_name(names, text, &i);

	(void)key;
	parse->options->table = (enum unc_sim_table_fault)i;
	return known;
}

static bool parse_seed(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	(void)key;
	parse->options->seeded = true;
	return unc_text_u64(text, &parse->options->seed);
}

static bool parse_empty(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_options *options = parse->options;
	char **more = unc_array_more(options->empty, options->n_empty, sizeof(*more));

	(void)key;
	if (!more)
		return unc_sim_no_memory(parse);
	options->empty = more;
	if (!*text)
		return false;
	more[options->n_empty] = unc_text_dup(text);
	if (!more[options->n_empty])
		return unc_sim_no_memory(parse);
	options->n_empty++;
	return true;
}

struct adding {
	struct unc_sim_cpu_array *array;
	bool no_memory;
};

static void add_cpu(void *arg, uint64_t cpu)
{
	struct adding *adding = arg;
	struct unc_sim_cpu_array *array = adding->array;
	unsigned *more = unc_array_more(array->cpus, array->n, sizeof(*more));

	adding->no_memory |= !more;
	if (!more)
		return;
	more[array->n++] = (unsigned)cpu;
	array->cpus = more;
}

static bool add_cpus(struct unc_sim_parse *parse, const char *list, struct unc_sim_cpu_array *array)
{
	struct adding adding = {.array = array};

	if (!unc_text_list(list, UNC_SIM_CPUS_MAX - 1, add_cpu, &adding))
		return false;
	return !adding.no_memory || unc_sim_no_memory(parse);
}

static bool parse_cpus(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	return add_cpus(parse, text, target(parse, key));
}

static bool parse_hide(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_options *options = parse->options;
	struct unc_addr *more = unc_array_more(options->hide, options->n_hide, sizeof(*more));

	(void)key;
	if (!more)
		return unc_sim_no_memory(parse);
	options->hide = more;
	if (!unc_addr_parse_pci(text, &more[options->n_hide]))
		return false;
	options->n_hide++;
	return true;
}

bool unc_sim_parse_seconds(const char *text, uint64_t *ret_ns)
{
	double seconds;

	if (!unc_text_double(text, &seconds) || seconds > SECONDS_MAX)
		return false;
	*ret_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}

/* -3, 0.5, +12.25 */
bool unc_sim_parse_percent(const char *text, int *ret_ppm)
{
	bool minus = *text == '-';
	double percent;

	if (!unc_text_double(text + (minus || *text == '+'), &percent) || percent > PERCENT_MAX)
		return false;
	*ret_ppm = (int)(percent * PPM_OF_PERCENT + 0.5);
	if (minus)
		*ret_ppm = -*ret_ppm;
	return *ret_ppm != 0;
}

static bool parse_percent(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	return unc_sim_parse_percent(text, target(parse, key));
}

/* Parses FROM or FROM-UNTIL. */
static bool parse_times(char *text, uint64_t *from_ns, uint64_t *until_ns)
{
	return unc_sim_parse_seconds(unc_text_cut(&text, '-'), from_ns) &&
	       (!text || (unc_sim_parse_seconds(text, until_ns) && *until_ns > *from_ns));
}

/* ADDR, ADDR@FROM or ADDR@FROM-UNTIL; with vanish= ADDR@FROM, as a function vanishes for good. */
static bool parse_gone(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_gone gone = {.until_ns = UINT64_MAX, .key = key->name};
	struct unc_sim_gone *more = unc_array_more(options->gone, options->n_gone, sizeof(*more));

	if (!more)
		return unc_sim_no_memory(parse);
	options->gone = more;
	if (!unc_addr_parse_pci(unc_text_cut(&text, '@'), &gone.addr))
		return false;
	if (!strcmp(key->name, "vanish") && (!text || strchr(text, '-')))
		return false;
	if (text && !parse_times(text, &gone.from_ns, &gone.until_ns))
		return false;
	more[options->n_gone++] = gone;
	return true;
}

/* SOCKET@FROM-UNTIL. Sleeps of a socket must not overlap. */
static bool parse_sleep(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_sleep *more = unc_array_more(options->sleeps, options->n_sleeps, sizeof(*more)), *sleep;
	uint64_t n;

	(void)key;
	if (!more)
		return unc_sim_no_memory(parse);
	options->sleeps = more;
	sleep = &more[options->n_sleeps];
	if (!unc_text_u64(unc_text_cut(&text, '@'), &n) || n >= UNC_SIM_SOCKETS_MAX || !text || !strchr(text, '-') ||
	    !parse_times(text, &sleep->from_ns, &sleep->until_ns))
		return false;
	sleep->socket = (unsigned)n;
	for (size_t i = 0; i < options->n_sleeps; i++)
		if (more[i].socket == sleep->socket && sleep->from_ns < more[i].until_ns &&
		    more[i].from_ns < sleep->until_ns)
			return false;
	options->n_sleeps++;
	return true;
}

/* WHERE or WHERE@SECONDS */
static bool parse_freeze(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_frozen *more = unc_array_more(options->freezes, options->n_freezes, sizeof(*more)), *frozen;

	(void)key;
	if (!more)
		return unc_sim_no_memory(parse);
	options->freezes = more;
	frozen = &more[options->n_freezes];
	frozen->where = unc_text_dup(unc_text_cut(&text, '@'));
	if (!frozen->where)
		return unc_sim_no_memory(parse);
	options->n_freezes++;
	return !text || unc_sim_parse_seconds(text, &frozen->from_ns);
}

/* NTH[:WHAT][:forever] */
static bool parse_fail(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_fault *fail = &parse->options->fail;
	char *word = unc_text_cut(&text, ':');
	unsigned how = 0;

	(void)key;
	if (!unc_text_u64(word, &fail->at) || fail->at == 0)
		return false;
	word = unc_text_cut(&text, ':');
	if (word && strcmp(word, "forever") != 0) {
		while (unc_fault_name(how) && strcmp(unc_fault_name(how), word) != 0)
			how++;
		if (!unc_fault_name(how))
			return false;
		fail->how = (enum unc_fault_how)how;
		word = unc_text_cut(&text, ':');
	}
	fail->forever = word && strcmp(word, "forever") == 0;
	return (!word || fail->forever) && !text;
}

/* N:before or N:after */
static bool parse_kill(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_fault *fail = &parse->options->fail;

	(void)key;
	if (!unc_text_u64(unc_text_cut(&text, ':'), &fail->kill_at) || !fail->kill_at || !text)
		return false;
	fail->kill_after = !strcmp(text, "after");
	return fail->kill_after || !strcmp(text, "before");
}

/* ok; error or unavailable, optionally with :TIMES or :alternate; slow, optionally with :READS. */
static bool parse_qm(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	static const char *const answers[] = {
		[UNC_SIM_QM_OK] = "ok",
		[UNC_SIM_QM_ERROR] = "error",
		[UNC_SIM_QM_UNAVAILABLE] = "unavailable",
		[UNC_SIM_QM_SLOW] = "slow",
	};
	struct unc_sim_options *options = parse->options;
	const char *word = unc_text_cut(&text, ':');
	unsigned qm = UNC_SIM_QM_OK;
	uint64_t times = 0;

	(void)key;
	while (qm <= UNC_SIM_QM_SLOW && strcmp(word, answers[qm]) != 0)
		qm++;
	if (qm > UNC_SIM_QM_SLOW || (qm == UNC_SIM_QM_OK && text))
		return false;
	options->qm = (enum unc_sim_qm)qm;
	options->qm_alternate = text && qm != UNC_SIM_QM_SLOW && !strcmp(text, "alternate");
	if (qm == UNC_SIM_QM_SLOW && !text)
		times = QM_SLOW_READS;
	if (text && !options->qm_alternate && (!unc_text_u64(text, &times) || times < 1 || times > QM_TIMES_MAX))
		return false;
	options->qm_times = (unsigned)times;
	return true;
}

static bool parse_mbm_erratum(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	(void)key;
	parse->options->mbm_erratum = strcmp(text, "1") == 0 ? UNC_SIM_YES : UNC_SIM_NO;
	return !strcmp(text, "0") || !strcmp(text, "1");
}

static size_t channels_of_socket(const struct unc_sim_model *model)
{
	size_t i, n = 0;

	for (i = 0; i < model->n_functions; i++)
		n += model->functions[i].kind == UNC_SIM_IMC && !model->functions[i].hbm;
	return n;
}

/* Parses one number for each channel, no two equal. */
static bool parse_order(char *text, size_t n, unsigned *order)
{
	unsigned seen = 0;
	uint64_t number;
	size_t i = 0;
	char *word;

	while ((word = unc_text_cut(&text, '-')) != NULL) {
		if (i == n || !unc_text_u64(word, &number) || number > NUMBER_MOST || seen >> number & 1)
			return false;
		seen |= 1u << number;
		order[i++] = (unsigned)number;
	}
	return i == n;
}

static bool parse_perf_order(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_perf_options *perf = &parse->options->perf;
	size_t n = channels_of_socket(parse->options->model);

	perf->ordered = !n || parse_order(text, n, perf->order); /* without channels perf=on is refused anyway */
	if (!perf->ordered)
		parse->failed = unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: %s=%.200s: must be %zu different numbers from 0 to %d with - between, the number of "
			"each channel of a socket",
			parse->options->model->name, key->name, parse->value, n, NUMBER_MOST);
	return perf->ordered;
}

static bool parse_perf_moves(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	uint64_t *moves_ns = &parse->options->perf.moves_ns;

	(void)key;
	return unc_sim_parse_seconds(text, moves_ns) && *moves_ns;
}

static bool parse_perf_mask(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	uint64_t mask;

	(void)key;
	if (!unc_text_u64(text, &mask) || mask > UINT32_MAX)
		return false;
	parse->options->perf.masked = true;
	parse->options->perf.mask = (uint32_t)mask;
	return true;
}

static bool parse_perf_paranoid(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_perf_options *perf = &parse->options->perf;
	bool minus = *text == '-';
	uint64_t n;

	(void)key;
	if (!unc_text_u64(text + minus, &n) || n > PARANOID_MOST)
		return false;
	perf->suspicious = true;
	perf->paranoid = minus ? -(int64_t)n : (int64_t)n;
	return perf->paranoid >= PARANOID_LEAST;
}

/* These names have a meaning of their own in resctrl's folder: Linux Documentation/filesystems/resctrl.rst. */
static bool is_name(const char *name)
{
	return name && name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !unc_text_listed("info, mon_data, mon_groups, cpus, cpus_list, ctrl_hw_id, mode, mon_hw_id, schemata, "
				"size, tasks",
				name, strlen(name));
}

/* NAME, mon_groups/NAME or NAME/mon_groups/NAME; text is cut at the slashes. */
static bool is_path(char *text)
{
	char *name = unc_text_cut(&text, '/');

	if (is_name(name)) {
		name = unc_text_cut(&text, '/');
		if (!name)
			return true;
	}
	return name && !strcmp(name, "mon_groups") && is_name(unc_text_cut(&text, '/')) && !text;
}

static struct unc_sim_group *group_new(struct unc_sim_parse *parse, const struct unc_sim_key *key)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;
	struct unc_sim_group *more = unc_array_more(resctrl->groups, resctrl->n, sizeof(*more));

	if (!more) {
		unc_sim_no_memory(parse);
		return NULL;
	}
	resctrl->groups = more;
	if (resctrl->n + 1 < UNC_SIM_GROUPS)
		return &more[resctrl->n++];
	parse->failed = unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there can be %d of them",
				 parse->options->model->name, key->name, UNC_SIM_GROUPS - 1);
	return NULL;
}

/* NAME:RMID:[CPUS] */
static bool parse_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_group *group = group_new(parse, key);
	char *path, *rmid;
	uint64_t n;

	if (!group)
		return false;
	path = unc_text_cut(&text, ':');
	rmid = unc_text_cut(&text, ':');
	if (!text || !unc_text_u64(rmid, &n) || n >= UNC_SIM_RMIDS_MAX)
		return false;
	group->rmid = (unsigned)n;
	group->path = unc_text_dup(path);
	if (!group->path)
		return unc_sim_no_memory(parse);
	return is_path(path) && (!*text || add_cpus(parse, text, &group->cpus));
}

static bool parse_group_cpus(struct unc_sim_parse *parse, const struct unc_sim_key *key, char *text)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;

	(void)key;
	return add_cpus(parse, text, &resctrl->groups[resctrl->n - 1].cpus);
}

#define AT(member) .at = offsetof(struct unc_sim_options, member)

static const struct unc_sim_key keys[] = {
	{"sockets", "a number from 1 to 8", .parse = parse_count, AT(sockets), .most = UNC_SIM_SOCKETS_MAX},
	{"cores", "a number from 1 to 128, the cores of one socket", .parse = parse_count, AT(cores),
	 .most = UNC_SIM_CORES_MAX},
	{"threads", "1 or 2, the threads of one core", .parse = parse_count, AT(threads), .most = UNC_SIM_THREADS_MAX},
	{"l3s", "a number from 1 to 128, the L3 caches of one socket", .parse = parse_count, AT(l3s),
	 .most = UNC_SIM_L3S_MAX},
	{"snc", "1, 2 or 4, the NUMA nodes of one socket", .parse = parse_snc, AT(snc), .most = 4},
	{"domains", "a number from 1 to 8, the PCI domains over which the sockets are spread", .parse = parse_count,
	 AT(domains), .most = UNC_SIM_SOCKETS_MAX},
	{"offline", "CPU numbers, e.g. 3,7 or 8-15", .repeats = true, .parse = parse_cpus, .more = parse_cpus,
	 AT(offline)},
	{"nohz_full", "CPU numbers, e.g. 3,7 or 8-15", .repeats = true, .parse = parse_cpus, .more = parse_cpus,
	 AT(nohz_full)},
	{"load", "the path of a load file", .parse = parse_path, AT(load)},
	{"clock", "real or step", .parse = parse_word, .no = "real", .yes = "step", AT(step)},
	{"state", "the path of a file that holds the machine's state", .parse = parse_path, AT(state)},
	{"files", "the path of a folder that holds files of the machine's operating system, such as proc/mounts",
	 .parse = parse_path, AT(files)},
	{"hide", "a PCI address [DDDD:]BB:DD.F in hex, e.g. ff:10.0", .repeats = true, .parse = parse_hide},
	{"allones", "a PCI address, and perhaps when, in seconds of the machine, e.g. ff:10.0 or ff:10.0@1.5-3",
	 .repeats = true, .parse = parse_gone},
	{"frz_en", "wo (BOX_CTL bit 16 reads 0) or rw (it reads back)", .parse = parse_word, .no = "wo", .yes = "rw",
	 AT(frz_en_rw)},
	{"frz", "wo (freeze bits read 0) or rw (BOX_CTL bit 8 and frz_all of GLOBAL_CTL read back)",
	 .parse = parse_word, .no = "wo", .yes = "rw", AT(frz_rw)},
	{"sleep", "SOCKET@FROM-UNTIL, e.g. 0@1.5-3: a socket, and when its package sleeps, in seconds of the machine",
	 .repeats = true, .parse = parse_sleep},
	{"freeze",
	 "WHERE or WHERE@SECONDS, e.g. socket0 or socket0.imc0.ch1@1.5: what another program freezes, and when",
	 .repeats = true, .parse = parse_freeze},
	{"ctl_writes", "once, or twice (the first write of a control that changes it is lost)", .parse = parse_word,
	 .no = "once", .yes = "twice", AT(ctl_twice)},
	{"status_bits", "fixed_first (BOX_STATUS bit 0 is the fixed counter), or by_number (bit 0 is CTR0)",
	 .parse = parse_word, .no = "fixed_first", .yes = "by_number", AT(status_by_number)},
	{"clock_event", "works, or dead (event 0 counts nothing)", .parse = parse_word, .no = "works", .yes = "dead",
	 AT(clock_event_dead)},
	{"numa", "on, or off (all memory is one node)", .parse = parse_word, .no = "on", .yes = "off", AT(numa_off)},
	{"dword_ns", "a number of nanoseconds from 0 to 1000000000", .parse = parse_dword_ns},
	{"seed", "a number, by which load and durations vary", .parse = parse_seed},
	{"empty", "a channel, e.g. socket0.imc0.ch1", .repeats = true, .parse = parse_empty},
	{"fail", "NTH[:WHAT][:forever]: which access, from 1, and EIO, EPERM, ENODEV, ENXIO, short, ones or drop",
	 .parse = parse_fail},
	{"kill", "N:before or N:after: around the effect of which access, from 1, the process is killed",
	 .parse = parse_kill},
	{"lose", "NTH[:TIMES]: which write, from 1 and counting writes alone, is lost, and how many",
	 .parse = parse_nth, AT(fail.lose_at), .at_times = offsetof(struct unc_sim_options, fail.lose)},
	{"msr", "present or absent", .parse = parse_word, .no = "present", .yes = "absent", AT(msr_absent)},
	{"msr_writes", "on or off", .parse = parse_word, .no = "on", .yes = "off", AT(msr_writes_off)},
	{"mmio_base", "a multiple of 0x800000 below 2^51: where the registers in memory are", .parse = parse_mmio_base},
	{"iomem", "shown, or zeros (/proc/iomem shows no addresses)", .parse = parse_word, .no = "shown",
	 .yes = "zeros", AT(iomem_zeros)},
	{"mmio", "ok, limit (of a controller's memory, below its base) or off (nothing in memory answers)",
	 .parse = parse_mmio},
	{"table",
	 "ok, duplicate, hole, access0, access2, no_units, ones, differs, offset, ram, overlap or changes: what is "
	 "wrong "
	 "with the discovery table",
	 .parse = parse_table},
	{"lockdown", "0 or 1", .parse = parse_word, .no = "0", .yes = "1", AT(lockdown)},
	{"qm_scope", "thread or package: whether each CPU or each L3 has an IA32_QM_EVTSEL of its own",
	 .parse = parse_word, .no = "thread", .yes = "package", AT(qm_per_package)},
	{"qm",
	 "ok, error, unavailable or slow: what IA32_QM_CTR answers; error and unavailable with :TIMES only that often "
	 "for each RMID and event, with :alternate each second time; slow is unavailable at the first :READS reads "
	 "after each selection, 2 by default",
	 .parse = parse_qm},
	{"disturb",
	 "NTH[:TIMES]: after which write of IA32_QM_EVTSEL, from 1, another program writes it too, and how many",
	 .parse = parse_nth, AT(disturb_at), .at_times = offsetof(struct unc_sim_options, disturb_times)},
	{"mbm_erratum", "0 or 1: whether the bandwidth of high RMIDs is counted wrong", .parse = parse_mbm_erratum},
	{"abmc", "0 or 1: whether bandwidth counters are assigned, so that RMIDs have none", .parse = parse_word,
	 .no = "0", .yes = "1", AT(abmc)},
	{"vanish", "ADDR@SECONDS, e.g. ff:10.0@1.5: a PCI address, and a time of the machine", .repeats = true,
	 .parse = parse_gone},
	{"defect", "a defect and what it needs, such as stuck1:socket0.imc0.ch1:0xd8:22 or no-error", .repeats = true,
	 .parse = unc_sim_parse_defect},
	{"perf", "on or off: whether its kernel has a driver that counts in memory channels", .parse = parse_word,
	 .no = "off", .yes = "on", AT(perf.on)},
	{"perf_order", "the number of each channel of a socket in that driver, e.g. 2-3-0-1",
	 .parse = parse_perf_order},
	{"perf_moves", "a number of seconds, after which its events are moved to other counters",
	 .parse = parse_perf_moves},
	{"perf_mask", "the bits of an event's config that it takes, e.g. 0xffff", .parse = parse_perf_mask},
	{"perf_off", "a percentage from -90 to 90 except 0, by which it counts too much", .parse = parse_percent,
	 AT(perf.off_ppm)},
	{"perf_paranoid", "a number from -1 to 4: what perf_event_paranoid is for users other than root",
	 .parse = parse_perf_paranoid},
	{"resctrl", "on or off: whether resctrl is mounted", .parse = parse_word, .no = "off", .yes = "on",
	 AT(resctrl.on)},
	{"resctrl_hw_id", "on or off: whether it shows RMIDs (mounted with -o debug)", .parse = parse_word, .no = "off",
	 .yes = "on", AT(resctrl.hw_id)},
	{"resctrl_group",
	 "NAME:RMID:CPUS: a folder such as jobs, mon_groups/one or jobs/mon_groups/one, its RMID, and CPUs such as "
	 "0-3,8 or "
	 "nothing",
	 .repeats = true, .parse = parse_group, .more = parse_group_cpus},
	{"resctrl_off", "a percentage from -90 to 90 except 0, by which it says too much", .parse = parse_percent,
	 AT(resctrl.off_ppm)},
	{"numbering", "normal or reversed (the lowest bus belongs to the highest socket)", .parse = parse_word,
	 .no = "normal", .yes = "reversed", AT(reversed)},
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static const struct unc_sim_key *key_find(const char *name)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

bool unc_sim_key_given(const struct unc_sim_parse *parse, const char *name)
{
	return parse->given >> (key_find(name) - keys) & 1;
}

static int unknown_key(const struct unc_sim_parse *parse, const char *name)
{
	char list[1024] = "";

	for (size_t i = 0; i < N_KEYS; i++)
		unc_text_join(list, sizeof(list), ", ", "%s", keys[i].name);
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: unknown key \"%.200s\"; the keys are: %s",
			parse->options->model->name, name, list);
}

/* Parses a copy of the value with one of the key's functions. The user's text is cut to 200 bytes in messages. */
static int parse_value(struct unc_sim_parse *parse, const struct unc_sim_key *key, unc_sim_key_parse *function,
		       const char *value)
{
	char *copy = unc_text_dup(value);
	bool good;

	parse->value = value;
	good = copy ? function(parse, key, copy) : unc_sim_no_memory(parse);
	free(copy);
	if (good)
		return UNC_OK;
	return parse->failed ? parse->failed
			     : unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s=%.200s: must be %s",
					parse->options->model->name, key->name, value, key->possible);
}

int unc_sim_key_set(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_key *key;
	char *value = strchr(text, '=');

	/* The lists of offline=, nohz_full= and resctrl_group= continue after their commas. */
	if (!value && text[0] >= '0' && text[0] <= '9' && parse->last && parse->last->more)
		return parse_value(parse, parse->last, parse->last->more, text);
	if (value)
		*value++ = '\0';
	key = key_find(text);
	parse->last = key;
	if (!key)
		return unknown_key(parse, text);
	if (!value)
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s needs a value: %s=..., %s",
				parse->options->model->name, key->name, key->name, key->possible);
	if (unc_sim_key_given(parse, key->name) && !key->repeats)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: %s=%.200s: %s was given before, and can be given once only",
				parse->options->model->name, key->name, value, key->name);
	parse->given |= UINT64_C(1) << (key - keys);
	return parse_value(parse, key, key->parse, value);
}
