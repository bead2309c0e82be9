// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of a simulated machine and their values: sim.h describes them. */
#include "sim/keys.h"

#include "sim/state.h"

enum {
	SECONDS_MAX = 200000000, /* 6 years */
	PERCENT_MAX = 90,
	PPM_OF_PERCENT = 10000,
	QM_TIMES_MAX = 1000000,
	QM_SLOW_READS = 2,
	PARANOID_LEAST = -1,
	PARANOID_MOST = 4,
	NUMBER_MOST = 15,
};

struct unc_sim_key {
	const char *name;
	const char *possible; /* describes the values after the = */
	bool repeats;
	unsigned needs; /* bits of enum unc_sim_need */
	unc_sim_key_parse *parse;
	unc_sim_key_parse *more;  /* adds more numbers after a comma to the key's list; NULL: it has no list */
	size_t at, at_times;      /* offsets in the options of what it sets, and of a second number */
	size_t given_at;          /* and of a flag that it was given; 0: none */
	const char *const *words; /* that it can be, ending with NULL */
	/* Of a number; least of words: the value of the first one; of two numbers: the most of the second one. */
	unsigned least, most;
};

bool unc_sim_no_memory(struct unc_sim_parse *parse)
{
	parse->failed = unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	return false;
}

/* Appends to a list of the options. */
static bool append(struct unc_sim_parse *parse, void *array, size_t *n, const void *element, size_t size)
{
	return unc_array_add(array, n, element, size) || unc_sim_no_memory(parse);
}

/* Returns where the options hold what the key sets. */
static void *target(const struct unc_sim_parse *parse)
{
	return (char *)parse->options + parse->key->at;
}

static bool parse_number(struct unc_sim_parse *parse, char *text)
{
	unsigned *number = target(parse);
	uint64_t n;

	if (!unc_text_u64(text, &n) || n < parse->key->least || n > parse->key->most)
		return false;
	*number = (unsigned)n;
	return true;
}

static bool parse_snc(struct unc_sim_parse *parse, char *text)
{
	return parse_number(parse, text) && parse->options->snc != 3;
}

/* Finds which of the key's words the text is. */
static bool find_word(const struct unc_sim_parse *parse, const char *text, unsigned *ret_i)
{
	const char *const *words = parse->key->words;

	for (unsigned i = 0; words[i]; i++)
		if (!strcmp(words[i], text)) {
			*ret_i = i;
			return true;
		}
	return false;
}

/* The second word sets a flag. */
static bool parse_flag(struct unc_sim_parse *parse, char *text)
{
	bool *flag = target(parse);
	unsigned i = 0;
	bool known = find_word(parse, text, &i);

	*flag = i;
	return known;
}

/* The words are the values of an enum, from least on. */
static bool parse_choice(struct unc_sim_parse *parse, char *text)
{
	unsigned *choice = target(parse), i = 0;
	bool known = find_word(parse, text, &i);

	*choice = parse->key->least + i;
	return known;
}

static bool parse_path(struct unc_sim_parse *parse, char *text)
{
	char **path = target(parse);

	if (!*text)
		return false;
	*path = unc_text_dup(text);
	return *path || unc_sim_no_memory(parse);
}

/* NTH or NTH:TIMES */
static bool parse_nth(struct unc_sim_parse *parse, char *text)
{
	uint64_t *nth = target(parse), *times = (uint64_t *)((char *)parse->options + parse->key->at_times);

	*times = 1;
	return unc_text_u64(unc_text_cut(&text, ':'), nth) && *nth > 0 &&
	       (!text || (unc_text_u64(text, times) && *times > 0));
}

/* MMIO_BASE has 29 bits of 8 MiB. 0 is what firmware leaves that forgot it. */
static bool parse_mmio_base(struct unc_sim_parse *parse, char *text)
{
	uint64_t *base = &parse->options->mmio_base;

	return unc_text_u64(text, base) && *base % (1 << 23) == 0 && *base < UINT64_C(1) << 51;
}

/* FIRST or FIRST:SECOND. The second one is at most what least says; by default it is as the first, as far as it can be. */
static bool parse_two(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_key *key = parse->key;
	uint64_t first, second;

	if (!unc_text_u64(unc_text_cut(&text, ':'), &first) || first > key->most)
		return false;
	second = unc_sim_least(first, key->least);
	if (text && (!unc_text_u64(text, &second) || second > key->least))
		return false;
	*(uint32_t *)target(parse) = (uint32_t)first;
	*(uint32_t *)((char *)parse->options + key->at_times) = (uint32_t)second;
	return true;
}

static bool parse_seed(struct unc_sim_parse *parse, char *text)
{
	return unc_text_u64(text, &parse->options->seed);
}

static bool parse_channel(struct unc_sim_parse *parse, char *text)
{
	return *text && (unc_names_add(target(parse), text) || unc_sim_no_memory(parse));
}

static bool add_cpus(const char *list, struct unc_sim_cpu_set *cpus)
{
	uint64_t cpu, last;

	while (unc_text_range(&list, UNC_SIM_CPUS_MAX - 1, &cpu, &last))
		for (; cpu <= last; cpu++)
			cpus->has[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return !list;
}

static bool parse_cpus(struct unc_sim_parse *parse, char *text)
{
	return add_cpus(text, target(parse));
}

static bool parse_hide(struct unc_sim_parse *parse, char *text)
{
	struct unc_addr addr;

	return unc_addr_parse_pci(text, &addr) &&
	       append(parse, &parse->options->hide, &parse->options->n_hide, &addr, sizeof(addr));
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

static bool parse_percent(struct unc_sim_parse *parse, char *text)
{
	return unc_sim_parse_percent(text, target(parse));
}

/* Parses FROM or FROM-UNTIL. */
static bool parse_times(char *text, uint64_t *from_ns, uint64_t *until_ns)
{
	return unc_sim_parse_seconds(unc_text_cut(&text, '-'), from_ns) &&
	       (!text || (unc_sim_parse_seconds(text, until_ns) && *until_ns > *from_ns));
}

/* ADDR, ADDR@FROM or ADDR@FROM-UNTIL; with vanish= ADDR@FROM, as a function or a CPU vanishes for good. */
static bool parse_gone(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_gone gone = {.until_ns = UINT64_MAX, .key = parse->key->name};
	bool vanishes = !strcmp(gone.key, "vanish");
	const char *where = unc_text_cut(&text, '@');

	if (!unc_addr_parse_pci(where, &gone.addr) &&
	    (!vanishes || !unc_addr_parse(where, &gone.addr) || gone.addr.kind != UNC_MSR))
		return false;
	if (vanishes && (!text || strchr(text, '-')))
		return false;
	if (text && !parse_times(text, &gone.from_ns, &gone.until_ns))
		return false;
	return append(parse, &parse->options->gone, &parse->options->n_gone, &gone, sizeof(gone));
}

/* SOCKET@FROM-UNTIL. Sleeps of a socket must not overlap. */
static bool parse_sleep(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_options *options = parse->options;
	struct unc_sim_sleep sleep = {0};
	uint64_t n;

	if (!unc_text_u64(unc_text_cut(&text, '@'), &n) || n >= UNC_SIM_SOCKETS_MAX || !text || !strchr(text, '-') ||
	    !parse_times(text, &sleep.from_ns, &sleep.until_ns))
		return false;
	sleep.socket = (unsigned)n;
	for (size_t i = 0; i < options->n_sleeps; i++)
		if (options->sleeps[i].socket == sleep.socket && sleep.from_ns < options->sleeps[i].until_ns &&
		    options->sleeps[i].from_ns < sleep.until_ns)
			return false;
	return append(parse, &parse->options->sleeps, &parse->options->n_sleeps, &sleep, sizeof(sleep));
}

/* WHERE or WHERE@SECONDS */
static bool parse_freeze(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_options *options = parse->options;
	const char *where = unc_text_cut(&text, '@');
	struct unc_sim_frozen frozen = {0};

	if ((text && !unc_sim_parse_seconds(text, &frozen.from_ns)) ||
	    !append(parse, &options->freezes, &options->n_freezes, &frozen, sizeof(frozen)))
		return false;
	frozen.where = unc_text_dup(where);
	options->freezes[options->n_freezes - 1] = frozen;
	return frozen.where || unc_sim_no_memory(parse);
}

/* NTH[:WHAT][:forever] */
static bool parse_fail(struct unc_sim_parse *parse, char *text)
{
	struct unc_fault *fail = &parse->options->fail;
	char *word = unc_text_cut(&text, ':');
	unsigned how = 0;

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

/* N:before or N:after, and :writes */
static bool parse_kill(struct unc_sim_parse *parse, char *text)
{
	struct unc_fault *fail = &parse->options->fail;
	const char *when;

	if (!unc_text_u64(unc_text_cut(&text, ':'), &fail->kill_at) || !fail->kill_at || !text)
		return false;
	when = unc_text_cut(&text, ':');
	fail->kill_after = !strcmp(when, "after");
	fail->writes_only = text && !strcmp(text, "writes");
	return (fail->kill_after || !strcmp(when, "before")) && (!text || fail->writes_only);
}

/* ok; error or unavailable, optionally with :TIMES or :alternate; slow, optionally with :READS. */
static bool parse_qm(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_options *options = parse->options;
	uint64_t times = 0;

	if (!parse_choice(parse, unc_text_cut(&text, ':')) || (options->qm == UNC_SIM_QM_OK && text))
		return false;
	options->qm_alternate = text && options->qm != UNC_SIM_QM_SLOW && !strcmp(text, "alternate");
	if (options->qm == UNC_SIM_QM_SLOW && !text)
		times = QM_SLOW_READS;
	if (text && !options->qm_alternate && (!unc_text_u64(text, &times) || times < 1 || times > QM_TIMES_MAX))
		return false;
	options->qm_times = (unsigned)times;
	return true;
}

/* Parses one number for each channel of a socket, no two equal. */
static bool parse_perf_order(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_model *model = parse->options->model;
	unsigned seen = 0;
	size_t n = 0, i = 0;
	uint64_t number;
	char *word;

	for (size_t k = 0; k < model->n_functions; k++)
		n += model->pmon && model->functions[k].kind == UNC_SIM_IMC && !model->functions[k].hbm;
	if (!n)
		return true; /* without channels perf=on is refused anyway */
	while ((word = unc_text_cut(&text, '-')) != NULL && i < n && unc_text_u64(word, &number) &&
	       number <= NUMBER_MOST && !(seen >> number & 1)) {
		seen |= 1u << number;
		parse->options->perf.order[i++] = (unsigned)number;
	}
	if (i == n && !word)
		return true;
	unc_sim_refuse(
		parse,
		"%s=%.200s: must be %zu different numbers from 0 to %d with - between, the number of each channel "
		"of a socket",
		parse->key->name, parse->value, n, NUMBER_MOST);
	return false;
}

static bool parse_perf_moves(struct unc_sim_parse *parse, char *text)
{
	uint64_t *moves_ns = &parse->options->perf.moves_ns;

	return unc_sim_parse_seconds(text, moves_ns) && *moves_ns;
}

static bool parse_perf_paranoid(struct unc_sim_parse *parse, char *text)
{
	int64_t *paranoid = &parse->options->perf.paranoid;
	bool minus = *text == '-';
	uint64_t n;

	if (!unc_text_u64(text + minus, &n) || n > PARANOID_MOST)
		return false;
	*paranoid = minus ? -(int64_t)n : (int64_t)n;
	return *paranoid >= PARANOID_LEAST;
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

/* NAME:RMID:[CPUS] */
static bool parse_group(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;
	char *path = unc_text_cut(&text, ':'), *rmid = unc_text_cut(&text, ':');
	struct unc_sim_group *group, none = {0};
	uint64_t n;

	if (resctrl->n + 1 >= UNC_SIM_GROUPS) {
		unc_sim_refuse(parse, "%s: there can be %d of them", parse->key->name, UNC_SIM_GROUPS - 1);
		return false;
	}
	if (!text || !unc_text_u64(rmid, &n) || n >= UNC_SIM_RMIDS_MAX ||
	    !append(parse, &resctrl->groups, &resctrl->n, &none, sizeof(none)))
		return false;
	group = &resctrl->groups[resctrl->n - 1];
	group->rmid = (unsigned)n;
	group->path = unc_text_dup(path);
	if (!group->path)
		return unc_sim_no_memory(parse);
	return is_path(path) && (!*text || add_cpus(text, &group->cpus));
}

static bool parse_group_cpus(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;

	return add_cpus(text, &resctrl->groups[resctrl->n - 1].cpus);
}

/* clang-format off */
#define AT(member)               .at = offsetof(struct unc_sim_options, member)
#define GIVEN(member)            .given_at = offsetof(struct unc_sim_options, member)
#define NUMBER(from, to, member) .parse = parse_number, .least = from, .most = to, AT(member)
#define FLAG(no, yes, member)    .parse = parse_flag, .words = (const char *const[]){no, yes, NULL}, AT(member)
#define PATH(member)             .parse = parse_path, AT(member)
#define CPUS(member)             .parse = parse_cpus, .more = parse_cpus, .repeats = true, AT(member)
#define WORDS(...)               .words = (const char *const[]){__VA_ARGS__, NULL}
#define MONITORING               .needs = UNC_SIM_NEEDS_MSRS | UNC_SIM_NEEDS_MONITORING
#define NTH(first, how_many)     .parse = parse_nth, AT(first), .at_times = offsetof(struct unc_sim_options, how_many)
#define TWO(to, to_second, first, second) \
	.parse = parse_two, .most = to, .least = to_second, AT(first), .at_times = offsetof(struct unc_sim_options, second)

static const struct unc_sim_key keys[] = {
	{"sockets", NUMBER(1, UNC_SIM_SOCKETS_MAX, sockets), .needs = UNC_SIM_NEEDS_MODEL,
	 .possible = "a number from 1 to 8, of p9 and p10 to 16"},
	{"cores", NUMBER(1, UNC_SIM_CORES_MAX, cores), .needs = UNC_SIM_NEEDS_MODEL,
	 .possible = "a number from 1 to 128, the cores of one socket"},
	{"threads", NUMBER(1, UNC_SIM_THREADS_MAX, threads), .needs = UNC_SIM_NEEDS_MODEL,
	 .possible = "1 or 2, the threads of one core"},
	{"l3s", NUMBER(1, UNC_SIM_L3S_MAX, l3s), .needs = UNC_SIM_NEEDS_MODEL,
	 .possible = "a number from 1 to 128, the L3 caches of one socket"},
	{"snc", .parse = parse_snc, .least = 1, .most = 4, AT(snc), .needs = UNC_SIM_NEEDS_MODEL,
	 .possible = "1, 2 or 4, the NUMA nodes of one socket"},
	{"domains", NUMBER(1, UNC_SIM_SOCKETS_X86, domains),
	 .possible = "a number from 1 to 8, the PCI domains over which the sockets are spread"},
	{"offline", CPUS(offline), .possible = "CPU numbers, e.g. 3,7 or 8-15"},
	{"nohz_full", CPUS(nohz_full), .possible = "CPU numbers, e.g. 3,7 or 8-15"},
	{"load", PATH(load), .possible = "the path of a load file"},
	{"clock", FLAG("real", "step", step), .possible = "real or step"},
	{"state", PATH(state), .possible = "the path of a file that holds the machine's state"},
	{"files", PATH(files),
	 .possible = "the path of a folder that holds files of the machine's operating system, such as proc/mounts"},
	{"hide", .parse = parse_hide, .repeats = true, .possible = "a PCI address [DDDD:]BB:DD.F in hex, e.g. ff:10.0"},
	{"allones", .parse = parse_gone, .repeats = true,
	 .possible = "a PCI address, and perhaps when, in seconds of the machine, e.g. ff:10.0 or ff:10.0@1.5-3"},
	{"frz_en", FLAG("wo", "rw", frz_en_rw), .possible = "wo (BOX_CTL bit 16 reads 0) or rw (it reads back)"},
	{"frz", FLAG("wo", "rw", frz_rw),
	 .possible = "wo (freeze bits read 0) or rw (BOX_CTL bit 8 and frz_all of GLOBAL_CTL read back)"},
	{"sleep", .parse = parse_sleep, .repeats = true,
	 .possible = "SOCKET@FROM-UNTIL, e.g. 0@1.5-3: a socket, and when its package sleeps, in seconds of the machine"},
	{"freeze", .parse = parse_freeze, .repeats = true,
	 .possible = "WHERE or WHERE@SECONDS, e.g. socket0 or socket0.imc0.ch1@1.5: what another program freezes, and when"},
	{"ctl_writes", FLAG("once", "twice", ctl_twice),
	 .possible = "once, or twice (the first write of a control that changes it is lost)"},
	{"status_bits", FLAG("fixed_first", "by_number", status_by_number),
	 .possible = "fixed_first (BOX_STATUS bit 0 is the fixed counter), or by_number (bit 0 is CTR0)"},
	{"clock_event", FLAG("works", "dead", clock_event_dead), .possible = "works, or dead (event 0 counts nothing)"},
	{"numa", FLAG("on", "off", numa_off), .possible = "on, or off (all memory is one node)"},
	{"dword_ns", NUMBER(0, 1000000000, dword_ns), .possible = "a number of nanoseconds from 0 to 1000000000"},
	{"seed", .parse = parse_seed, GIVEN(seeded), .possible = "a number, by which load and durations vary"},
	{"empty", .parse = parse_channel, .repeats = true, AT(empty), .possible = "a channel, e.g. socket0.imc0.ch1"},
	{"pmem", .parse = parse_channel, .repeats = true, AT(pmem), .possible = "a channel, e.g. socket0.imc0.ch1"},
	{"fail", .parse = parse_fail,
	 .possible = "NTH[:WHAT][:forever]: which access, from 1, and EIO, EPERM, ENODEV, ENXIO, short, ones or drop"},
	{"kill", .parse = parse_kill,
	 .possible = "N:before or N:after: the process is killed before or after its Nth access has its effect; with :writes "
			     "behind it, its Nth write"},
	{"lose", NTH(fail.lose_at, fail.lose),
	 .possible = "NTH[:TIMES]: which write, from 1 and counting writes alone, is lost, and how many"},
	{"msr", FLAG("present", "absent", msr_absent), .possible = "present or absent"},
	{"msr_writes", FLAG("on", "off", msr_writes_off), .needs = UNC_SIM_NEEDS_MSRS, .possible = "on or off"},
	{"mmio_base", .parse = parse_mmio_base,
	 .possible = "a multiple of 0x800000 below 2^51: where the registers in memory are"},
	{"iomem", FLAG("shown", "zeros", iomem_zeros), .possible = "shown, or zeros (/proc/iomem shows no addresses)"},
	{"mmio", .parse = parse_choice, WORDS("ok", "limit", "off"), AT(mmio),
	 .possible = "ok, limit (of a controller's memory, below its base) or off (nothing in memory answers)"},
	{"table", .parse = parse_choice, AT(table),
	 WORDS("ok", "duplicate", "hole", "access0", "access2", "no_units", "ones", "differs", "offset", "ram", "overlap",
	       "changes", "second", "stride", "two", "loop"),
	 .possible = "ok, duplicate, hole, access0, access2, no_units, ones, differs, offset, ram, overlap, changes, "
		     "second, stride, two or loop: what is wrong with the discovery table"},
	{"nest", .parse = parse_choice, AT(nest), .needs = UNC_SIM_NEEDS_POWER,
	 WORDS("ok", "paused", "never", "speed", "little", "torn", "stalls", "pauses", "short", "pruned", "deaf"),
	 .possible = "ok, paused, never, speed, little, torn, stalls, pauses, short, pruned or deaf: what is wrong with its counters"},
	{"lockdown", FLAG("0", "1", lockdown), .possible = "0 or 1"},
	{"uncore", NUMBER(1, 127, uncore), .needs = UNC_SIM_NEEDS_MSRS,
	 .possible = "a number from 1 to 127: to how many times 100 MHz the clock of the uncore is throttled"},
	{"qm_scope", FLAG("thread", "package", qm_per_package), MONITORING,
	 .possible = "thread or package: whether each CPU or each L3 has an IA32_QM_EVTSEL of its own"},
	{"qm", .parse = parse_qm, WORDS("ok", "error", "unavailable", "slow"), AT(qm), MONITORING,
	 .possible = "ok, error, unavailable or slow: what IA32_QM_CTR answers; error and unavailable with :TIMES only "
		     "that often for each RMID and event, with :alternate each second time; slow is unavailable at the "
		     "first :READS reads after each selection, 2 by default"},
	{"disturb", NTH(disturb_at, disturb_times), MONITORING,
	 .possible = "NTH[:TIMES]: after which write of IA32_QM_EVTSEL, from 1, another program writes it too, and how "
		     "many"},
	{"mbm_erratum", .parse = parse_choice, WORDS("0", "1"), .least = UNC_SIM_NO, AT(mbm_erratum),
	 MONITORING,
	 .possible = "0 or 1: whether the bandwidth of high RMIDs is counted wrong"},
	{"abmc", FLAG("0", "1", abmc), MONITORING,
	 .possible = "0 or 1: whether bandwidth counters are assigned, so that RMIDs have none"},
	{"umcs", TWO(UNC_SIM_UMCS_ALL, UNC_SIM_UMCS_ALL, amd.umcs[0].mask, amd.umcs[1].mask), GIVEN(amd_given.umcs), .needs = UNC_SIM_NEEDS_UMCS,
	 .possible = "MASK[:MASK]: a bit for each memory controller that has memory, 0 to 0xfff, of socket 0 and of others"},
	{"df_ctrs", TWO(63, UNC_SIM_DF_CTRS, amd.df_ctrs, amd.df_here), GIVEN(amd_given.df_ctrs), .needs = UNC_SIM_NEEDS_UMCS,
	 .possible = "N[:HERE]: how many counters of a data fabric CPUID tells of, 0 to 63, and how many there are, up to 16"},
	{"umc_ctrs", TWO(63, UNC_SIM_UMC_CTRS, amd.umcs[0].ctrs, amd.umcs[0].here), GIVEN(amd_given.umc_ctrs), .needs = UNC_SIM_NEEDS_UMCS,
	 .possible = "N[:HERE]: how many counters of memory controllers CPUID tells of, 0 to 63, and how many there are"},
	{"remote", NUMBER(0, 100, amd.remote), .needs = UNC_SIM_NEEDS_ZEN,
	 .possible = "a number from 0 to 100: how many per cent of the traffic of memory other sockets cause"},
	{"vm", .parse = parse_choice, WORDS("no", "kvm", "qemu"), AT(amd.vm), .needs = UNC_SIM_NEEDS_ZEN,
	 .possible = "no, kvm (CPUID tells of no uncore counters) or qemu (their registers forget what is written)"},
	{"vanish", .parse = parse_gone, .repeats = true,
	 .possible = "ADDR@SECONDS, e.g. ff:10.0@1.5 or cpu3@1.5: a PCI address or a CPU, and a time of the machine"},
	{"defect", .parse = unc_sim_parse_defect, .repeats = true,
	 .possible = "a defect and what it needs, such as stuck1:socket0.imc0.ch1:0xd8:22 or no-error"},
	{"perf", FLAG("off", "on", perf.on),
	 .possible = "on or off: whether its kernel has a driver that counts in memory channels"},
	{"perf_order", .parse = parse_perf_order, GIVEN(perf.ordered), .needs = UNC_SIM_NEEDS_PERF,
	 .possible = "the number of each channel of a socket in that driver, e.g. 2-3-0-1"},
	{"perf_moves", .parse = parse_perf_moves, .needs = UNC_SIM_NEEDS_PERF,
	 .possible = "a number of seconds, after which its events are moved to other counters"},
	{"perf_mask", NUMBER(0, UINT32_MAX, perf.mask), GIVEN(perf.masked), .needs = UNC_SIM_NEEDS_PERF,
	 .possible = "the bits of an event's config that it takes, e.g. 0xffff"},
	{"perf_off", .parse = parse_percent, AT(perf.off_ppm), .needs = UNC_SIM_NEEDS_PERF,
	 .possible = "a percentage from -90 to 90 except 0, by which it counts too much"},
	{"perf_paranoid", .parse = parse_perf_paranoid, GIVEN(perf.suspicious), .needs = UNC_SIM_NEEDS_PERF,
	 .possible = "a number from -1 to 4: what perf_event_paranoid is for users other than root"},
	{"resctrl", FLAG("off", "on", resctrl.on), .possible = "on or off: whether resctrl is mounted"},
	{"resctrl_hw_id", FLAG("off", "on", resctrl.hw_id), .needs = UNC_SIM_NEEDS_RESCTRL,
	 .possible = "on or off: whether it shows RMIDs (mounted with -o debug)"},
	{"resctrl_group", .parse = parse_group, .more = parse_group_cpus, .repeats = true, .needs = UNC_SIM_NEEDS_RESCTRL,
	 .possible = "NAME:RMID:CPUS: a folder such as jobs, mon_groups/one or jobs/mon_groups/one, its RMID, and CPUs "
		     "such as 0-3,8 or nothing"},
	{"resctrl_off", .parse = parse_percent, AT(resctrl.off_ppm), .needs = UNC_SIM_NEEDS_RESCTRL,
	 .possible = "a percentage from -90 to 90 except 0, by which it says too much"},
	{"numbering", FLAG("normal", "reversed", reversed),
	 .possible = "normal or reversed (the lowest bus belongs to the highest socket)"},
};
/* clang-format on */

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

int unc_sim_keys_refuse(struct unc_sim_parse *parse, enum unc_sim_need need, const char *why)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (keys[i].needs & need && parse->given >> i & 1)
			return unc_sim_refuse(parse, "%s: %s", keys[i].name, why);
	return UNC_OK;
}

/* Parses a copy of the value with one of the key's functions. The user's text is cut to 200 bytes in messages. */
static int parse_value(struct unc_sim_parse *parse, unc_sim_key_parse *function, const char *value)
{
	char *copy = unc_text_dup(value);
	bool good;

	parse->value = value;
	good = copy ? function(parse, copy) : unc_sim_no_memory(parse);
	free(copy);
	if (!good && !parse->failed)
		unc_sim_refuse(parse, "%s=%.200s: must be %s", parse->key->name, value, parse->key->possible);
	return parse->failed;
}

int unc_sim_key_set(struct unc_sim_parse *parse, char *text)
{
	const struct unc_sim_key *key;
	char *value = strchr(text, '='), list[1024] = "";

	/* The lists of offline=, nohz_full= and resctrl_group= continue after their commas. */
	if (!value && text[0] >= '0' && text[0] <= '9' && parse->key && parse->key->more)
		return parse_value(parse, parse->key->more, text);
	if (value)
		*value++ = '\0';
	key = key_find(text);
	parse->key = key;
	if (!key) {
		for (size_t i = 0; i < N_KEYS; i++)
			unc_text_join(list, sizeof(list), ", ", "%s", keys[i].name);
		return unc_sim_refuse(parse, "unknown key \"%.200s\"; the keys are: %s", text, list);
	}
	if (!value)
		return unc_sim_refuse(parse, "%s needs a value: %s=..., %s", key->name, key->name, key->possible);
	if (unc_sim_key_given(parse, key->name) && !key->repeats)
		return unc_sim_refuse(parse, "%s=%.200s: %s was given before, and can be given once only", key->name,
				      value, key->name);
	parse->given |= UINT64_C(1) << (key - keys);
	if (key->given_at)
		*(bool *)((char *)parse->options + key->given_at) = true;
	return parse_value(parse, key->parse, value);
}
