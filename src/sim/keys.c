// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"

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
