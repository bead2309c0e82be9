// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"
#include "sim/options.h"
#include "sim/state.h"

enum { DWORD_NS_MAX = 1000000000, SECONDS_MAX = 200000000 };

/* The user's text is cut to 200 bytes, so that the rest of the message is not lost. */
int unc_sim_bad_value(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s=%.200s: must be %s", parse->options->model->name, key->name,
			value, key->possible);
}

int unc_sim_set_count(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		      unsigned most, unsigned *count)
{
	uint64_t n;

	if (!unc_text_u64(value, &n) || n < 1 || n > most)
		return unc_sim_bad_value(parse, key, value);
	*count = (unsigned)n;
	return UNC_OK;
}

int unc_sim_set_word(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value, const char *no,
		     const char *yes, bool *flag)
{
	if (strcmp(value, no) != 0 && strcmp(value, yes) != 0)
		return unc_sim_bad_value(parse, key, value);
	*flag = !strcmp(value, yes);
	return UNC_OK;
}

int unc_sim_set_nth(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value, uint64_t *nth,
		    uint64_t *times)
{
	char *copy = unc_text_dup(value), *rest = copy;
	const char *first;
	bool good;

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	first = unc_text_cut(&rest, ':');
	*times = 1;
	good = first && unc_text_u64(first, nth) && *nth > 0 && (!rest || (unc_text_u64(rest, times) && *times > 0));
	free(copy);
	return good ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

static int set_sockets(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_SOCKETS_MAX, &parse->options->sockets);
}

static int set_cores(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_CORES_MAX, &parse->options->cores);
}

static int set_threads(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_THREADS_MAX, &parse->options->threads);
}

static int set_domains(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_SOCKETS_MAX, &parse->options->domains);
}

static int set_dword_ns(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	uint64_t n;

	if (!unc_text_u64(value, &n) || n > DWORD_NS_MAX)
		return unc_sim_bad_value(parse, key, value);
	parse->options->dword_ns = n;
	return UNC_OK;
}

static int set_path(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value, char **path)
{
	if (!*value)
		return unc_sim_bad_value(parse, key, value);
	*path = unc_text_dup(value);
	return *path ? UNC_OK : unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
}

static int set_load(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->load);
}

static int set_state(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->state);
}

static int set_files(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->files);
}

static int set_clock(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "real", "step", &parse->options->step);
}

static int set_frz_en(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "wo", "rw", &parse->options->frz_en_rw);
}

static int set_status_bits(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "fixed_first", "by_number", &parse->options->status_by_number);
}

static int set_ctl_writes(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "once", "twice", &parse->options->ctl_twice);
}

static int set_clock_event(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "works", "dead", &parse->options->clock_event_dead);
}

static int set_numa(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "on", "off", &parse->options->numa_off);
}

static int set_numbering(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "normal", "reversed", &parse->options->reversed);
}

static int set_seed(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	parse->options->seeded = true;
	return unc_text_u64(value, &parse->options->seed) ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

static int add_empty(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	char **more;

	if (!*value)
		return unc_sim_bad_value(parse, key, value);
	more = unc_array_more(options->empty, options->n_empty, sizeof(*more));
	if (!more)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	options->empty = more;
	more[options->n_empty] = unc_text_dup(value);
	if (!more[options->n_empty])
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	options->n_empty++;
	return UNC_OK;
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

int unc_sim_add_cpus(const struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		     const char *list, struct unc_sim_cpu_array *array)
{
	struct adding adding = {.array = array};

	if (!unc_text_list(list, UNC_SIM_CPUS_MAX - 1, add_cpu, &adding))
		return unc_sim_bad_value(parse, key, value);
	return adding.no_memory ? unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory") : UNC_OK;
}

static int add_offline(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_add_cpus(parse, key, value, value, &parse->options->offline);
}

static int add_nohz_full(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_add_cpus(parse, key, value, value, &parse->options->nohz_full);
}

static int add_hide(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_addr addr, *more;

	if (!unc_addr_parse_pci(value, &addr))
		return unc_sim_bad_value(parse, key, value);
	more = unc_array_more(options->hide, options->n_hide, sizeof(*more));
	if (!more)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	more[options->n_hide++] = addr;
	options->hide = more;
	return UNC_OK;
}

bool unc_sim_parse_seconds(const char *text, uint64_t *ret_ns)
{
	double seconds;

	if (!unc_text_double(text, &seconds) || seconds > SECONDS_MAX)
		return false;
	*ret_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}

/* ADDR, ADDR@FROM or ADDR@FROM-UNTIL */
static bool parse_gone(char *text, struct unc_sim_gone *gone)
{
	char *addr = unc_text_cut(&text, '@'), *from;

	*gone = (struct unc_sim_gone){.until_ns = UINT64_MAX};
	if (!addr || !unc_addr_parse_pci(addr, &gone->addr))
		return false;
	if (!text)
		return true;
	from = unc_text_cut(&text, '-');
	return from && unc_sim_parse_seconds(from, &gone->from_ns) &&
	       (!text || (unc_sim_parse_seconds(text, &gone->until_ns) && gone->until_ns > gone->from_ns));
}

static int add_gone(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	char *copy = unc_text_dup(value);
	struct unc_sim_gone gone;
	bool good;
	void *more;

	more = copy ? unc_array_more(options->gone, options->n_gone, sizeof(*options->gone)) : NULL;
	if (!more) {
		free(copy);
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	}
	options->gone = more;
	/* A function vanishes at a given time, for good. */
	good = parse_gone(copy, &gone) &&
	       (strcmp(key->name, "vanish") != 0 || (strchr(value, '@') && gone.until_ns == UINT64_MAX));
	free(copy);
	if (!good)
		return unc_sim_bad_value(parse, key, value);
	gone.key = key->name;
	options->gone[options->n_gone++] = gone;
	return UNC_OK;
}

/* NTH[:WHAT][:forever]; text is cut at the colons. */
static bool parse_fail(char *text, struct unc_fault *fail)
{
	char *word = unc_text_cut(&text, ':');
	unsigned how = 0;

	if (!word || !unc_text_u64(word, &fail->at) || fail->at == 0)
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
	return (!word || fail->forever) && !unc_text_cut(&text, ':');
}

static int set_fail(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	char *copy = unc_text_dup(value);
	bool good;

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	good = parse_fail(copy, &parse->options->fail);
	free(copy);
	return good ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

/* N:before or N:after */
static int set_kill(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	char *copy = unc_text_dup(value), *rest = copy;
	const char *nth, *when;
	bool good;

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	nth = unc_text_cut(&rest, ':');
	when = rest ? rest : "";
	options->fail.kill_after = !strcmp(when, "after");
	good = nth && unc_text_u64(nth, &options->fail.kill_at) && options->fail.kill_at > 0 &&
	       (options->fail.kill_after || !strcmp(when, "before"));
	free(copy);
	return good ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

static int set_lose(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_fault *fail = &parse->options->fail;

	return unc_sim_set_nth(parse, key, value, &fail->lose_at, &fail->lose);
}

const struct unc_sim_key unc_sim_keys[] = {
	{"sockets", "a number from 1 to 8", false, set_sockets},
	{"cores", "a number from 1 to 128, the cores of one socket", false, set_cores},
	{"threads", "1 or 2, the threads of one core", false, set_threads},
	{"l3s", "a number from 1 to 128, the L3 caches of one socket", false, unc_sim_set_l3s},
	{"snc", "1, 2 or 4, the NUMA nodes of one socket", false, unc_sim_set_snc},
	{"domains", "a number from 1 to 8, the PCI domains over which the sockets are spread", false, set_domains},
	{"offline", "CPU numbers, e.g. 3,7 or 8-15", true, add_offline},
	{"nohz_full", "CPU numbers, e.g. 3,7 or 8-15", true, add_nohz_full},
	{"load", "the path of a load file", false, set_load},
	{"clock", "real or step", false, set_clock},
	{"state", "the path of a file that holds the machine's state", false, set_state},
	{"files", "the path of a folder that holds files of the machine's operating system, such as proc/mounts", false,
	 set_files},
	{"hide", "a PCI address [DDDD:]BB:DD.F in hex, e.g. ff:10.0", true, add_hide},
	{"allones", "a PCI address, and perhaps when, in seconds of the machine, e.g. ff:10.0 or ff:10.0@1.5-3", true,
	 add_gone},
	{"frz_en", "wo (BOX_CTL bit 16 reads 0) or rw (it reads back)", false, set_frz_en},
	{"frz", "wo (freeze bits read 0) or rw (BOX_CTL bit 8 and frz_all of GLOBAL_CTL read back)", false,
	 unc_sim_set_frz},
	{"sleep", "SOCKET@FROM-UNTIL, e.g. 0@1.5-3: a socket, and when its package sleeps, in seconds of the machine",
	 true, unc_sim_add_sleep},
	{"freeze",
	 "WHERE or WHERE@SECONDS, e.g. socket0 or socket0.imc0.ch1@1.5: what another program freezes, and when", true,
	 unc_sim_add_freeze},
	{"ctl_writes", "once, or twice (the first write of a control that changes it is lost)", false, set_ctl_writes},
	{"status_bits", "fixed_first (BOX_STATUS bit 0 is the fixed counter), or by_number (bit 0 is CTR0)", false,
	 set_status_bits},
	{"clock_event", "works, or dead (event 0 counts nothing)", false, set_clock_event},
	{"numa", "on, or off (all memory is one node)", false, set_numa},
	{"dword_ns", "a number of nanoseconds from 0 to 1000000000", false, set_dword_ns},
	{"seed", "a number, by which load and durations vary", false, set_seed},
	{"empty", "a channel, e.g. socket0.imc0.ch1", true, add_empty},
	{"fail", "NTH[:WHAT][:forever]: which access, from 1, and EIO, EPERM, ENODEV, ENXIO, short, ones or drop",
	 false, set_fail},
	{"kill", "N:before or N:after: around the effect of which access, from 1, the process is killed", false,
	 set_kill},
	{"lose", "NTH[:TIMES]: which write, from 1 and counting writes alone, is lost, and how many", false, set_lose},
	{"msr", "present or absent", false, unc_sim_set_msr},
	{"msr_writes", "on or off", false, unc_sim_set_msr_writes},
	{"lockdown", "0 or 1", false, unc_sim_set_lockdown},
	{"qm_scope", "thread or package: whether each CPU or each L3 has an IA32_QM_EVTSEL of its own", false,
	 unc_sim_set_qm_scope},
	{"qm",
	 "ok, error, unavailable or slow: what IA32_QM_CTR answers; error and unavailable with :TIMES only that often "
	 "for each RMID and event, with :alternate each second time; slow is unavailable at the first :READS reads "
	 "after each selection, 2 by default",
	 false, unc_sim_set_qm},
	{"disturb",
	 "NTH[:TIMES]: behind which write of IA32_QM_EVTSEL, from 1, somebody else writes it too, and how many", false,
	 unc_sim_set_disturb},
	{"mbm_erratum", "0 or 1: whether the bandwidth of high RMIDs is counted wrong", false, unc_sim_set_mbm_erratum},
	{"abmc", "0 or 1: whether bandwidth counters are assigned, so that RMIDs have none", false, unc_sim_set_abmc},
	{"vanish", "ADDR@SECONDS, e.g. ff:10.0@1.5: a PCI address, and a time of the machine", true, add_gone},
	{"defect", "a defect and what it needs, such as stuck1:socket0.imc0.ch1:0xd8:22 or no-error", true,
	 unc_sim_add_defect},
	{"perf", "on or off: whether its kernel has a driver that counts in memory channels", false, unc_sim_set_perf},
	{"perf_order", "the number of each channel of a socket in that driver, e.g. 2-3-0-1", false,
	 unc_sim_set_perf_order},
	{"perf_moves", "a number of seconds, after which its events are moved to other counters", false,
	 unc_sim_set_perf_moves},
	{"perf_mask", "the bits of an event's config that it takes, e.g. 0xffff", false, unc_sim_set_perf_mask},
	{"perf_off", "a percentage from -90 to 90 but for 0, by which it counts too much", false, unc_sim_set_perf_off},
	{"perf_paranoid", "a number from -1 to 4: what perf_event_paranoid is for somebody who is not root", false,
	 unc_sim_set_perf_paranoid},
	{"resctrl", "on or off: whether resctrl is mounted", false, unc_sim_set_resctrl},
	{"resctrl_hw_id", "on or off: whether it shows RMIDs (mounted with -o debug)", false,
	 unc_sim_set_resctrl_hw_id},
	{"resctrl_group",
	 "NAME:RMID:CPUS: a folder such as jobs, mon_groups/one or jobs/mon_groups/one, its RMID, and CPUs such as "
	 "0-3,8 or "
	 "nothing",
	 true, unc_sim_add_group},
	{"resctrl_off", "a percentage from -90 to 90 but for 0, by which it says too much", false,
	 unc_sim_set_resctrl_off},
	{"numbering", "normal or reversed (the lowest bus belongs to the highest socket)", false, set_numbering},
};

const size_t unc_sim_n_keys = sizeof(unc_sim_keys) / sizeof(unc_sim_keys[0]);

const struct unc_sim_key *unc_sim_key_find(const char *name)
{
	size_t i;

	for (i = 0; i < unc_sim_n_keys; i++)
		if (!strcmp(unc_sim_keys[i].name, name))
			return &unc_sim_keys[i];
	return NULL;
}

unc_sim_key_set unc_sim_key_more(const struct unc_sim_key *key)
{
	if (key && (key->set == add_offline || key->set == add_nohz_full))
		return key->set;
	return key && key->set == unc_sim_add_group ? unc_sim_add_group_cpus : NULL;
}

bool unc_sim_key_given(const struct unc_sim_parse *parse, const char *name)
{
	return parse->given >> (unc_sim_key_find(name) - unc_sim_keys) & 1;
}

/* Keys of caches and their monitoring. */

enum { QM_TIMES_MAX = 1000000, QM_SLOW_READS = 2 };

int unc_sim_set_l3s(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_count(parse, key, value, UNC_SIM_L3S_MAX, &parse->options->l3s);
}

int unc_sim_set_snc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	unsigned *snc = &parse->options->snc;
	int rc = unc_sim_set_count(parse, key, value, 4, snc);

	return rc == UNC_OK && *snc == 3 ? unc_sim_bad_value(parse, key, value) : rc;
}

int unc_sim_set_qm_scope(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "thread", "package", &parse->options->qm_per_package);
}

/* ok; error or unavailable, optionally with :TIMES or :alternate; slow, optionally with :READS. */
int unc_sim_set_qm(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	const char *colon = strchr(value, ':');
	size_t len = colon ? (size_t)(colon - value) : strlen(value);
	uint64_t times;

	if (len == 5 && !strncmp(value, "error", len))
		options->qm = UNC_SIM_QM_ERROR;
	else if (len == 11 && !strncmp(value, "unavailable", len))
		options->qm = UNC_SIM_QM_UNAVAILABLE;
	else if (len == 4 && !strncmp(value, "slow", len))
		options->qm = UNC_SIM_QM_SLOW;
	else if (strcmp(value, "ok") != 0)
		return unc_sim_bad_value(parse, key, value);
	options->qm_alternate = colon && options->qm != UNC_SIM_QM_SLOW && !strcmp(colon + 1, "alternate");
	times = options->qm == UNC_SIM_QM_SLOW && !colon ? QM_SLOW_READS : 0;
	if (colon && !options->qm_alternate && (!unc_text_u64(colon + 1, &times) || times < 1 || times > QM_TIMES_MAX))
		return unc_sim_bad_value(parse, key, value);
	options->qm_times = (unsigned)times;
	return UNC_OK;
}

int unc_sim_set_disturb(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;

	return unc_sim_set_nth(parse, key, value, &options->disturb_at, &options->disturb_times);
}

int unc_sim_set_mbm_erratum(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	bool on = false;
	int rc;

	rc = unc_sim_set_word(parse, key, value, "0", "1", &on);
	parse->options->mbm_erratum = on ? UNC_SIM_YES : UNC_SIM_NO;
	return rc;
}

int unc_sim_set_abmc(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "0", "1", &parse->options->abmc);
}

/* The CPUs and caches of a dump cannot be changed. */
static int check_dump(const struct unc_sim_parse *parse)
{
	static const char *const fixed[] = {"sockets", "cores", "threads", "l3s", "snc"};
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (unc_sim_key_given(parse, fixed[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:cpuid: %s: the dump says what there is", fixed[i]);
	return UNC_OK;
}

/* Returns as many L3s as the real part would need for these cores, or more until these are spread evenly. */
static unsigned l3s_for(const struct unc_sim_options *options)
{
	unsigned of_l3 = options->model->l3_cores, n = of_l3 ? (options->cores + of_l3 - 1) / of_l3 : 1;

	while (options->cores % n)
		n++;
	return n;
}

int unc_sim_check_caches(const struct unc_sim_parse *parse)
{
	struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;

	if (options->dump)
		return check_dump(parse);
	if (!unc_sim_key_given(parse, "l3s"))
		options->l3s = l3s_for(options);
	if (options->snc > 1 && !options->model->has_snc)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: snc=%u: this processor has no sub-NUMA clustering here; icx and spr have",
				model, options->snc);
	if (options->l3s > 1 && !options->model->l3_cores)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: l3s=%u: a socket of this processor has one L3; those of AMD have several",
				model, options->l3s);
	if (options->cores % options->l3s || options->cores % options->snc)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: %s=%u: the %u cores of a socket cannot be shared out evenly; choose cores= to fit",
			model, options->cores % options->l3s ? "l3s" : "snc",
			options->cores % options->l3s ? options->l3s : options->snc, options->cores);
	if (options->sockets * options->l3s * options->snc > UNC_SIM_L3S_MAX)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: %u sockets of %u L3 caches are more caches than the %d that a simulated machine "
			"can have",
			model, options->sockets, options->l3s, UNC_SIM_L3S_MAX);
	return UNC_OK;
}

/* Keys of the machine's operating system: the drivers of its kernel, and what it refuses. */

enum { PARANOID_LEAST = -1, PARANOID_MOST = 4, NUMBER_MOST = 15 };

int unc_sim_set_msr(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "present", "absent", &parse->options->msr_absent);
}

int unc_sim_set_msr_writes(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "on", "off", &parse->options->msr_writes_off);
}

int unc_sim_set_lockdown(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "0", "1", &parse->options->lockdown);
}

int unc_sim_set_perf(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->perf.on);
}

static size_t channels_of_socket(const struct unc_sim_model *model)
{
	size_t i, n = 0;

	for (i = 0; i < model->n_functions; i++)
		n += model->functions[i].kind == UNC_SIM_IMC;
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

int unc_sim_set_perf_order(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_perf_options *perf = &parse->options->perf;
	size_t n = channels_of_socket(parse->options->model);
	char *copy = unc_text_dup(value);

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	perf->ordered = !n || parse_order(copy, n, perf->order); /* without channels perf=on is refused anyway */
	free(copy);
	if (perf->ordered)
		return UNC_OK;
	return unc_fail(parse->ctx, UNC_EARG,
			"sim:%s: %s=%.200s: must be %zu different numbers from 0 to %d with - between, the number of "
			"each channel of a socket",
			parse->options->model->name, key->name, value, n, NUMBER_MOST);
}

int unc_sim_set_perf_moves(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	uint64_t *moves_ns = &parse->options->perf.moves_ns;

	return unc_sim_parse_seconds(value, moves_ns) && *moves_ns ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

int unc_sim_set_perf_mask(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	uint64_t mask;

	if (!unc_text_u64(value, &mask) || mask > UINT32_MAX)
		return unc_sim_bad_value(parse, key, value);
	parse->options->perf.masked = true;
	parse->options->perf.mask = (uint32_t)mask;
	return UNC_OK;
}

int unc_sim_set_perf_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_parse_percent(value, &parse->options->perf.off_ppm) ? UNC_OK
									   : unc_sim_bad_value(parse, key, value);
}

int unc_sim_set_perf_paranoid(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	bool minus = *value == '-';
	uint64_t n;
	int64_t paranoid;

	if (!unc_text_u64(value + minus, &n) || n > PARANOID_MOST)
		return unc_sim_bad_value(parse, key, value);
	paranoid = minus ? -(int64_t)n : (int64_t)n;
	if (paranoid < PARANOID_LEAST)
		return unc_sim_bad_value(parse, key, value);
	parse->options->perf.suspicious = true;
	parse->options->perf.paranoid = paranoid;
	return UNC_OK;
}

int unc_sim_set_resctrl(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->resctrl.on);
}

int unc_sim_set_resctrl_hw_id(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "off", "on", &parse->options->resctrl.hw_id);
}

int unc_sim_set_resctrl_off(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	int *off_ppm = &parse->options->resctrl.off_ppm;

	return unc_sim_parse_percent(value, off_ppm) ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

static int check_resctrl(const struct unc_sim_parse *parse)
{
	static const char *const keys[] = {"resctrl_hw_id", "resctrl_group", "resctrl_off"};
	const struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!options->resctrl.on && unc_sim_key_given(parse, keys[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: resctrl is not mounted; add resctrl=on",
					model, keys[i]);
	if (options->resctrl.on && !(options->model->rdt && options->model->rdt->events))
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: resctrl=on: this processor has no cache monitoring",
				model);
	if (options->resctrl.on && options->snc > 1)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: resctrl=on: with snc=%u it would be that of a later kernel than the one here",
				model, options->snc);
	return UNC_OK;
}

int unc_sim_check_kernel(const struct unc_sim_parse *parse)
{
	static const char *const of_perf[] = {"perf_order", "perf_moves", "perf_mask", "perf_off", "perf_paranoid"};
	const struct unc_sim_options *options = parse->options;
	size_t i;

	if (options->perf.on && !options->model->pmon)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: perf=on: of this processor no memory channels are modelled, so there is "
				"nothing to drive",
				options->model->name);
	for (i = 0; i < sizeof(of_perf) / sizeof(of_perf[0]); i++)
		if (!options->perf.on && unc_sim_key_given(parse, of_perf[i]))
			return unc_fail(parse->ctx, UNC_EARG,
					"sim:%s: %s: there is no driver of memory channels; add perf=on",
					options->model->name, of_perf[i]);
	return check_resctrl(parse);
}

/* Keys of what stops counters: freeze bits, sleep of a package, another program. */

int unc_sim_set_frz(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	return unc_sim_set_word(parse, key, value, "wo", "rw", &parse->options->frz_rw);
}

static int no_memory(const struct unc_sim_parse *parse)
{
	return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
}

/* SOCKET@FROM-UNTIL; text is cut at @ and -. Sleeps of a socket must not overlap. */
static bool parse_sleep(char *text, const struct unc_sim_options *options, struct unc_sim_sleep *sleep)
{
	char *socket = unc_text_cut(&text, '@'), *from = unc_text_cut(&text, '-');
	uint64_t n;

	if (!socket || !from || !text || !unc_text_u64(socket, &n) || n >= UNC_SIM_SOCKETS_MAX ||
	    !unc_sim_parse_seconds(from, &sleep->from_ns) || !unc_sim_parse_seconds(text, &sleep->until_ns))
		return false;
	sleep->socket = (unsigned)n;
	for (size_t i = 0; i < options->n_sleeps; i++)
		if (options->sleeps[i].socket == sleep->socket && sleep->from_ns < options->sleeps[i].until_ns &&
		    options->sleeps[i].from_ns < sleep->until_ns)
			return false;
	return sleep->until_ns > sleep->from_ns;
}

int unc_sim_add_sleep(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_sleep *more = unc_array_more(options->sleeps, options->n_sleeps, sizeof(*more));
	char *copy = unc_text_dup(value);
	bool good;

	if (more)
		options->sleeps = more;
	if (!more || !copy) {
		free(copy);
		return no_memory(parse);
	}
	good = parse_sleep(copy, options, &more[options->n_sleeps]);
	options->n_sleeps += good;
	free(copy);
	return good ? UNC_OK : unc_sim_bad_value(parse, key, value);
}

int unc_sim_add_freeze(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_sim_frozen *more = unc_array_more(options->freezes, options->n_freezes, sizeof(*more));
	char *where = unc_text_dup(value), *at = where;

	if (more)
		options->freezes = more;
	if (!more || !where) {
		free(where);
		return no_memory(parse);
	}
	more[options->n_freezes++] = (struct unc_sim_frozen){.where = where};
	if (!unc_text_cut(&at, '@') || (at && !unc_sim_parse_seconds(at, &more[options->n_freezes - 1].from_ns)))
		return unc_sim_bad_value(parse, key, value);
	return UNC_OK;
}

/* resctrl_group=NAME:RMID:CPUS */

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

static bool is_path_of_group(const char *path, bool *ret_no_memory)
{
	char *copy = unc_text_dup(path);
	bool is = copy && is_path(copy);

	*ret_no_memory = !copy;
	free(copy);
	return is;
}

/* Puts PATH, RMID and CPUS into the group, which then owns the path. */
static int set_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		     struct unc_sim_group *group)
{
	const char *colon = strchr(value, ':'), *list = colon ? strchr(colon + 1, ':') : NULL;
	char *rmid = NULL;
	bool no_memory;
	uint64_t n;

	group->path = unc_text_dup(value);
	if (!group->path)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	if (!list)
		return unc_sim_bad_value(parse, key, value);
	rmid = group->path + (colon - value);
	*rmid++ = '\0';
	group->path[list - value] = '\0';
	if (!unc_text_u64(rmid, &n) || n >= UNC_SIM_RMIDS_MAX)
		return unc_sim_bad_value(parse, key, value);
	group->rmid = (unsigned)n;
	if (!is_path_of_group(group->path, &no_memory))
		return no_memory ? unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory")
				 : unc_sim_bad_value(parse, key, value);
	return list[1] ? unc_sim_add_cpus(parse, key, value, list + 1, &group->cpus) : UNC_OK;
}

int unc_sim_add_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;
	struct unc_sim_group *more = unc_array_more(resctrl->groups, resctrl->n, sizeof(*more));

	if (!more)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	resctrl->groups = more;
	if (resctrl->n + 1 == UNC_SIM_GROUPS)
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there can be %d of them",
				parse->options->model->name, key->name, UNC_SIM_GROUPS - 1);
	return set_group(parse, key, value, &more[resctrl->n++]);
}

int unc_sim_add_group_cpus(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;

	return unc_sim_add_cpus(parse, key, value, value, &resctrl->groups[resctrl->n - 1].cpus);
}

void unc_sim_groups_clear(struct unc_sim_resctrl_options *resctrl)
{
	size_t i;

	for (i = 0; i < resctrl->n; i++) {
		free(resctrl->groups[i].path);
		free(resctrl->groups[i].cpus.cpus);
	}
	free(resctrl->groups);
}

enum { DWORD_NS_DEFAULT = 500 };

int unc_sim_path_failed(struct unc_ctx *ctx, const struct unc_sim_model *model, const char *key, int rc)
{
	bool typed = rc == UNC_ENODEV || rc == UNC_ERANGE || !strcmp(unc_err_name(ctx, rc), "EISDIR");

	if (!model)
		return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s", key);
	return unc_wrap(ctx, typed ? UNC_EARG : rc, "sim:%s: %s", model->name, key);
}

void unc_sim_list_add(char *list, size_t size, const char *item)
{
	size_t len = strlen(list);

	snprintf(list + len, size - len, "%s%s", len ? ", " : "", item);
}

static int unknown_model(struct unc_ctx *ctx, const char *name)
{
	const struct unc_sim_model *model;
	char list[256] = "";
	size_t i;

	for (i = 0; (model = unc_sim_model_at(i)) != NULL; i++)
		unc_sim_list_add(list, sizeof(list), model->name);
	unc_sim_list_add(list, sizeof(list), "cpuid=FILE");
	return unc_fail(ctx, UNC_EARG, "sim:%.200s: there is no simulated machine of that name; there is: %s", name,
			list);
}

static int unknown_key(const struct unc_sim_parse *parse, const char *name)
{
	char list[1024] = "";
	size_t i;

	for (i = 0; i < unc_sim_n_keys; i++)
		unc_sim_list_add(list, sizeof(list), unc_sim_keys[i].name);
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: unknown key \"%.200s\"; the keys are: %s",
			parse->options->model->name, name, list);
}

static int set_key(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_key *key;
	char *value = strchr(text, '=');

	/* The lists of offline=, nohz_full= and resctrl_group= continue after their commas. */
	if (!value && text[0] >= '0' && text[0] <= '9' && unc_sim_key_more(parse->last))
		return unc_sim_key_more(parse->last)(parse, parse->last, text);
	if (value)
		*value++ = '\0';
	key = unc_sim_key_find(text);
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
	parse->given |= UINT64_C(1) << (key - unc_sim_keys);
	return key->set(parse, key, value);
}

/* Checks keys that must go together, and keys that need what this model does not have. */
static int check_together(const struct unc_sim_parse *parse)
{
	static const char *const of_msrs[] = {"msr_writes", "qm_scope", "qm", "disturb", "mbm_erratum", "abmc"};
	const struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;
	size_t i;
	int rc;

	if (unc_sim_key_given(parse, "dword_ns") && !options->step)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: dword_ns=%llu: with clock=real an access takes as long as it takes; add clock=step",
			model, (unsigned long long)options->dword_ns);
	for (i = 0; i < sizeof(of_msrs) / sizeof(of_msrs[0]); i++) {
		if (options->msr_absent && unc_sim_key_given(parse, of_msrs[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there are no MSRs with msr=absent", model,
					of_msrs[i]);
		if (!options->model->rdt && i >= 1 && unc_sim_key_given(parse, of_msrs[i]))
			return unc_fail(parse->ctx, UNC_EARG,
					"sim:%s: %s: this processor has no cache monitoring; those from hsx on have",
					model, of_msrs[i]);
	}
	if (options->frz_en_rw && !(options->model->pmon && options->model->pmon->frz_needs_en))
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: frz_en=rw: this processor has no frz_en; snbep, hsx, bdx and bdxde have",
				model);
	if (options->domains > options->sockets)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: domains=%u: more domains than sockets, of which there are %u", model,
				options->domains, options->sockets);
	rc = unc_sim_check_kernel(parse);
	return rc < 0 ? rc : unc_sim_check_caches(parse);
}

static int find_model(const struct unc_sim_parse *parse, const char *name)
{
	static const char from_dump[] = "cpuid=";
	struct unc_sim_options *options = parse->options;
	int rc;

	if (strncmp(name, from_dump, strlen(from_dump)) != 0) {
		options->model = unc_sim_model_find(name);
		return options->model ? UNC_OK : unknown_model(parse->ctx, name);
	}
	rc = unc_sim_dump_open(parse->ctx, name + strlen(from_dump), &options->dump);
	if (rc == UNC_OK)
		options->model = &options->dump->model;
	return rc;
}

static int parse_all(struct unc_sim_parse *parse, char *rest)
{
	const char *name = unc_text_cut(&rest, ',');
	char *text;
	int rc;

	rc = find_model(parse, name ? name : "");
	if (rc < 0)
		return rc;
	parse->options->sockets = parse->options->model->sockets;
	parse->options->cores = parse->options->model->cores;
	parse->options->threads = parse->options->model->threads;

	while ((text = unc_text_cut(&rest, ',')) != NULL) {
		rc = set_key(parse, text);
		if (rc < 0)
			return rc;
	}
	return check_together(parse);
}

int unc_sim_options_parse(struct unc_ctx *ctx, const char *args, struct unc_sim_options *ret_options)
{
	struct unc_sim_parse parse = {.ctx = ctx, .options = ret_options};
	char *copy;
	int rc;

	*ret_options = (struct unc_sim_options){.l3s = 1, .snc = 1, .domains = 1, .dword_ns = DWORD_NS_DEFAULT};
	copy = unc_text_dup(args);
	if (!copy)
		return unc_fail(ctx, UNC_ENOMEM, "sim: out of memory");
	rc = parse_all(&parse, copy);
	free(copy);
	return rc;
}

void unc_sim_options_clear(struct unc_sim_options *options)
{
	unc_sim_dump_free(options->dump);
	free(options->load);
	free(options->state);
	free(options->files);
	free(options->hide);
	free(options->gone);
	free(options->sleeps);
	for (size_t i = 0; i < options->n_freezes; i++)
		free(options->freezes[i].where);
	free(options->freezes);
	free(options->offline.cpus);
	free(options->nohz_full.cpus);
	unc_sim_defects_clear(&options->defects);
	unc_sim_groups_clear(&options->resctrl);
	for (size_t i = 0; i < options->n_empty; i++)
		free(options->empty[i]);
	free(options->empty);
	*options = (struct unc_sim_options){0};
}
