// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"

enum { DWORD_NS_DEFAULT = 500, DWORD_NS_MAX = 1000000000, GONE_S_MAX = 200000000, QM_TIMES_MAX = 1000000 };

struct parse {
	struct unc_ctx *ctx;
	struct unc_sim_options *options;
	uint64_t given; /* bit i: keys[i] was there */
	const struct key *last;
};

struct key {
	const char *name;
	const char *possible; /* what may stand behind the = */
	bool repeats;
	int (*set)(struct parse *parse, const struct key *key, const char *value);
};

/* What the user wrote is cut where it would push the rest out of the sentence. */
static int bad_value(const struct parse *parse, const struct key *key, const char *value)
{
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s=%.200s: must be %s", parse->options->model->name, key->name,
			value, key->possible);
}

/* From 1 to most. */
static int set_count(const struct parse *parse, const struct key *key, const char *value, unsigned most,
		     unsigned *count)
{
	uint64_t n;

	if (!unc_text_u64(value, &n) || n < 1 || n > most)
		return bad_value(parse, key, value);
	*count = (unsigned)n;
	return UNC_OK;
}

static int set_sockets(struct parse *parse, const struct key *key, const char *value)
{
	return set_count(parse, key, value, UNC_SIM_SOCKETS_MAX, &parse->options->sockets);
}

static int set_cores(struct parse *parse, const struct key *key, const char *value)
{
	return set_count(parse, key, value, UNC_SIM_CORES_MAX, &parse->options->cores);
}

static int set_threads(struct parse *parse, const struct key *key, const char *value)
{
	return set_count(parse, key, value, UNC_SIM_THREADS_MAX, &parse->options->threads);
}

static int set_l3s(struct parse *parse, const struct key *key, const char *value)
{
	return set_count(parse, key, value, UNC_SIM_L3S_MAX, &parse->options->l3s);
}

static int set_snc(struct parse *parse, const struct key *key, const char *value)
{
	unsigned *snc = &parse->options->snc;
	int rc = set_count(parse, key, value, 4, snc);

	return rc == UNC_OK && *snc == 3 ? bad_value(parse, key, value) : rc;
}

static int set_domains(struct parse *parse, const struct key *key, const char *value)
{
	return set_count(parse, key, value, UNC_SIM_SOCKETS_MAX, &parse->options->domains);
}

static int set_dword_ns(struct parse *parse, const struct key *key, const char *value)
{
	uint64_t n;

	if (!unc_text_u64(value, &n) || n > DWORD_NS_MAX)
		return bad_value(parse, key, value);
	parse->options->dword_ns = n;
	return UNC_OK;
}

static int set_path(struct parse *parse, const struct key *key, const char *value, char **path)
{
	if (!*value)
		return bad_value(parse, key, value);
	*path = unc_text_dup(value);
	return *path ? UNC_OK : unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
}

static int set_load(struct parse *parse, const struct key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->load);
}

static int set_state(struct parse *parse, const struct key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->state);
}

static int set_files(struct parse *parse, const struct key *key, const char *value)
{
	return set_path(parse, key, value, &parse->options->files);
}

/* One of two words. */
static int set_word(struct parse *parse, const struct key *key, const char *value, const char *no, const char *yes,
		    bool *flag)
{
	if (strcmp(value, no) != 0 && strcmp(value, yes) != 0)
		return bad_value(parse, key, value);
	*flag = !strcmp(value, yes);
	return UNC_OK;
}

static int set_clock(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "real", "step", &parse->options->step);
}

static int set_frz_en(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "wo", "rw", &parse->options->frz_en_rw);
}

static int set_ctl_writes(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "once", "twice", &parse->options->ctl_twice);
}

static int set_numbering(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "normal", "reversed", &parse->options->reversed);
}

static int add_hide(struct parse *parse, const struct key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	struct unc_addr addr, *more;

	if (!unc_addr_parse_pci(value, &addr))
		return bad_value(parse, key, value);
	more = unc_array_more(options->hide, options->n_hide, sizeof(*more));
	if (!more)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	more[options->n_hide++] = addr;
	options->hide = more;
	return UNC_OK;
}

static bool parse_seconds(const char *text, uint64_t *ret_ns)
{
	double seconds;

	if (!unc_text_double(text, &seconds) || seconds > GONE_S_MAX)
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
	return from && parse_seconds(from, &gone->from_ns) &&
	       (!text || (parse_seconds(text, &gone->until_ns) && gone->until_ns > gone->from_ns));
}

static int add_gone(struct parse *parse, const struct key *key, const char *value)
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
	/* A function vanishes at a moment and does not come back. */
	good = parse_gone(copy, &gone) &&
	       (strcmp(key->name, "vanish") != 0 || (strchr(value, '@') && gone.until_ns == UINT64_MAX));
	free(copy);
	if (!good)
		return bad_value(parse, key, value);
	gone.key = key->name;
	options->gone[options->n_gone++] = gone;
	return UNC_OK;
}

/* NTH[:WHAT][:forever], cut where the colons are. */
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

static int set_fail(struct parse *parse, const struct key *key, const char *value)
{
	char *copy = unc_text_dup(value);
	bool good;

	if (!copy)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	good = parse_fail(copy, &parse->options->fail);
	free(copy);
	return good ? UNC_OK : bad_value(parse, key, value);
}

/* N:before or N:after */
static int set_kill(struct parse *parse, const struct key *key, const char *value)
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
	return good ? UNC_OK : bad_value(parse, key, value);
}

/* NTH or NTH:TIMES */
static int set_nth(const struct parse *parse, const struct key *key, const char *value, uint64_t *nth, uint64_t *times)
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
	return good ? UNC_OK : bad_value(parse, key, value);
}

static int set_lose(struct parse *parse, const struct key *key, const char *value)
{
	struct unc_fault *fail = &parse->options->fail;

	return set_nth(parse, key, value, &fail->lose_at, &fail->lose);
}

/* ok, or error or unavailable, which may have :TIMES or :alternate */
static int set_qm(struct parse *parse, const struct key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;
	const char *colon = strchr(value, ':');
	size_t len = colon ? (size_t)(colon - value) : strlen(value);
	uint64_t times = 0;

	if (len == 5 && !strncmp(value, "error", len))
		options->qm = UNC_SIM_QM_ERROR;
	else if (len == 11 && !strncmp(value, "unavailable", len))
		options->qm = UNC_SIM_QM_UNAVAILABLE;
	else if (strcmp(value, "ok") != 0)
		return bad_value(parse, key, value);
	options->qm_alternate = colon && !strcmp(colon + 1, "alternate");
	if (colon && !options->qm_alternate && (!unc_text_u64(colon + 1, &times) || times < 1 || times > QM_TIMES_MAX))
		return bad_value(parse, key, value);
	options->qm_times = (unsigned)times;
	return UNC_OK;
}

/* NTH or NTH:TIMES */
static int set_disturb(struct parse *parse, const struct key *key, const char *value)
{
	struct unc_sim_options *options = parse->options;

	return set_nth(parse, key, value, &options->disturb_at, &options->disturb_times);
}

static int set_mbm_erratum(struct parse *parse, const struct key *key, const char *value)
{
	bool on = false;
	int rc;

	rc = set_word(parse, key, value, "0", "1", &on);
	parse->options->mbm_erratum = on ? UNC_SIM_YES : UNC_SIM_NO;
	return rc;
}

static int set_abmc(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "0", "1", &parse->options->abmc);
}

struct adding {
	struct unc_sim_options *options;
	bool no_memory;
};

static void add_cpu(void *arg, uint64_t cpu)
{
	struct adding *adding = arg;
	struct unc_sim_options *options = adding->options;
	unsigned *more = unc_array_more(options->offline, options->n_offline, sizeof(*more));

	adding->no_memory |= !more;
	if (!more)
		return;
	more[options->n_offline++] = (unsigned)cpu;
	options->offline = more;
}

static int add_offline(struct parse *parse, const struct key *key, const char *value)
{
	struct adding adding = {.options = parse->options};

	if (!unc_text_list(value, UNC_SIM_CPUS_MAX - 1, add_cpu, &adding))
		return bad_value(parse, key, value);
	return adding.no_memory ? unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory") : UNC_OK;
}

static int set_msr(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "present", "absent", &parse->options->msr_absent);
}

static int set_msr_writes(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "on", "off", &parse->options->msr_writes_off);
}

static int set_lockdown(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "0", "1", &parse->options->lockdown);
}

static int set_qm_scope(struct parse *parse, const struct key *key, const char *value)
{
	return set_word(parse, key, value, "thread", "package", &parse->options->qm_per_package);
}

static const struct key keys[] = {
	{"sockets", "a number from 1 to 8", false, set_sockets},
	{"cores", "a number from 1 to 128, the cores of one socket", false, set_cores},
	{"threads", "1 or 2, the threads of one core", false, set_threads},
	{"l3s", "a number from 1 to 128, the L3 caches of one socket", false, set_l3s},
	{"snc", "1, 2 or 4, the NUMA nodes of one socket", false, set_snc},
	{"domains", "a number from 1 to 8, the PCI domains over which the sockets are spread", false, set_domains},
	{"offline", "CPU numbers, e.g. 3,7 or 8-15", true, add_offline},
	{"load", "the path of a load file", false, set_load},
	{"clock", "real or step", false, set_clock},
	{"state", "the path of a file that holds the machine's state", false, set_state},
	{"files", "the path of a folder that holds files of the machine's operating system, such as proc/mounts", false,
	 set_files},
	{"hide", "a PCI address [DDDD:]BB:DD.F in hex, e.g. ff:10.0", true, add_hide},
	{"allones", "a PCI address, and perhaps when, in seconds of the machine, e.g. ff:10.0 or ff:10.0@1.5-3", true,
	 add_gone},
	{"frz_en", "wo (BOX_CTL bit 16 reads 0) or rw (it reads back)", false, set_frz_en},
	{"ctl_writes", "once, or twice (the first write of a control that changes it is lost)", false, set_ctl_writes},
	{"dword_ns", "a number of nanoseconds from 0 to 1000000000", false, set_dword_ns},
	{"fail", "NTH[:WHAT][:forever]: which access, from 1, and EIO, EPERM, ENODEV, ENXIO, short, ones or drop",
	 false, set_fail},
	{"kill", "N:before or N:after: around the effect of which access, from 1, the process is killed", false,
	 set_kill},
	{"lose", "NTH[:TIMES]: which write, from 1 and counting writes alone, is lost, and how many", false, set_lose},
	{"msr", "present or absent", false, set_msr},
	{"msr_writes", "on or off", false, set_msr_writes},
	{"lockdown", "0 or 1", false, set_lockdown},
	{"qm_scope", "thread or package: whether each CPU or each L3 has an IA32_QM_EVTSEL of its own", false,
	 set_qm_scope},
	{"qm",
	 "ok, error or unavailable: what IA32_QM_CTR answers; the latter two with :TIMES only so often for each RMID "
	 "and event, with :alternate each second time",
	 false, set_qm},
	{"disturb",
	 "NTH[:TIMES]: behind which write of IA32_QM_EVTSEL, from 1, somebody else writes it too, and how many", false,
	 set_disturb},
	{"mbm_erratum", "0 or 1: whether the bandwidth of high RMIDs is counted wrong", false, set_mbm_erratum},
	{"abmc", "0 or 1: whether bandwidth counters are assigned, so that RMIDs have none", false, set_abmc},
	{"vanish", "ADDR@SECONDS, e.g. ff:10.0@1.5: a PCI address, and a time of the machine", true, add_gone},
	{"numbering", "normal or reversed (the lowest bus belongs to the highest socket)", false, set_numbering},
};

#define N(table) (sizeof(table) / sizeof((table)[0]))
enum { N_KEYS = N(keys) };

static const struct key *key_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static bool key_given(const struct parse *parse, const char *name)
{
	return parse->given >> (key_find(name) - keys) & 1;
}

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

static int unknown_key(const struct parse *parse, const char *name)
{
	char list[512] = "";
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		unc_sim_list_add(list, sizeof(list), keys[i].name);
	return unc_fail(parse->ctx, UNC_EARG, "sim:%s: unknown key \"%.200s\"; the keys are: %s",
			parse->options->model->name, name, list);
}

static int set_key(struct parse *parse, char *text)
{
	const struct key *key;
	char *value = strchr(text, '=');

	/* The list of offline= goes on behind its commas. */
	if (!value && text[0] >= '0' && text[0] <= '9' && parse->last && !strcmp(parse->last->name, "offline"))
		return parse->last->set(parse, parse->last, text);
	if (value)
		*value++ = '\0';
	key = key_find(text);
	parse->last = key;
	if (!key)
		return unknown_key(parse, text);
	if (!value)
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s needs a value: %s=..., %s",
				parse->options->model->name, key->name, key->name, key->possible);
	if (key_given(parse, key->name) && !key->repeats)
		return unc_fail(parse->ctx, UNC_EARG,
				"sim:%s: %s=%.200s: %s was given before, and can be given once only",
				parse->options->model->name, key->name, value, key->name);
	parse->given |= UINT64_C(1) << (key - keys);
	return key->set(parse, key, value);
}

/* A dump has CPUs and caches as they are. */
static int check_dump(const struct parse *parse)
{
	static const char *const fixed[] = {"sockets", "cores", "threads", "l3s", "snc"};
	size_t i;

	for (i = 0; i < N(fixed); i++)
		if (key_given(parse, fixed[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:cpuid: %s: the dump says what there is", fixed[i]);
	return UNC_OK;
}

/* As many L3s as the real part would need for these cores, or more where these cannot be shared out evenly. */
static unsigned l3s_for(const struct unc_sim_options *options)
{
	unsigned of_l3 = options->model->l3_cores, n = of_l3 ? (options->cores + of_l3 - 1) / of_l3 : 1;

	while (options->cores % n)
		n++;
	return n;
}

/* How many caches and nodes a socket has. */
static int check_caches(const struct parse *parse)
{
	struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;

	if (options->dump)
		return check_dump(parse);
	if (!key_given(parse, "l3s"))
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

/* Keys that say something together, or need what this model does not have. */
static int check_together(const struct parse *parse)
{
	static const char *const of_msrs[] = {"msr_writes", "qm_scope", "qm", "disturb", "mbm_erratum", "abmc"};
	const struct unc_sim_options *options = parse->options;
	const char *model = options->model->name;
	size_t i;

	if (key_given(parse, "dword_ns") && !options->step)
		return unc_fail(
			parse->ctx, UNC_EARG,
			"sim:%s: dword_ns=%llu: with clock=real an access takes as long as it takes; add clock=step",
			model, (unsigned long long)options->dword_ns);
	for (i = 0; i < N(of_msrs); i++) {
		if (options->msr_absent && key_given(parse, of_msrs[i]))
			return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there are no MSRs with msr=absent", model,
					of_msrs[i]);
		if (!options->model->rdt && i >= 1 && key_given(parse, of_msrs[i]))
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
	return check_caches(parse);
}

static int find_model(const struct parse *parse, const char *name)
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

static int parse_all(struct parse *parse, char *rest)
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
	struct parse parse = {.ctx = ctx, .options = ret_options};
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
	free(options->offline);
	*options = (struct unc_sim_options){0};
}
