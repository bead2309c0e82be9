// SPDX-License-Identifier: GPL-2.0-or-later
/* The defects of defect=: their names and arguments, and what each does to a machine. */
#include "sim/defects.h"

#include "sim/keys.h"
#include "sim/msr.h"

enum { MILLION = 1000000, CTR_BITS = 48 };

#define N_MAX   UINT64_C(1000000000000)
#define NOWHERE UINT64_MAX /* an offset that was not given */

/* A channel as load files name it, the UBOX of a socket, a data fabric, which imc numbers, or a CPU. It is not checked to exist. */
struct where {
	bool is_cpu, is_ubox, is_df;
	unsigned socket, imc, channel, cpu;
};

struct unc_sim_defect { /* one defect as it was given */
	const struct kind *kind;
	char *text; /* as it was given, for error messages; owned */
	struct where where[2];
	unsigned n_where;
	struct unc_sim_place *places[2]; /* of channels; not owned */
	unsigned which[2], n_which;      /* counters, 0 to 3 or UNC_SIM_FIXED; or sockets */
	uint64_t off, others_off;        /* offsets, or the number of an MSR */
	uint64_t bit;
	uint64_t n;        /* COUNTS, BITS, N */
	uint64_t ns;       /* the first SECONDS */
	uint64_t until_ns; /* the second SECONDS; 0: not given */
	int ppm;           /* PERCENT, in millionths */
	bool yes;          /* always true */
};

/*
 * Applies a defect: at is what its kind says that it is about, in the faults of its first channel, or without a channel
 * in those of monitoring.
 */
typedef int apply_fn(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at);
/* The same for one that always can be applied, and changes nothing else. */
typedef void set_fn(const struct unc_sim_defect *defect, void *at);

static apply_fn stick, swap_channels, swap_sockets, run_off, hide, add_side, ignore, set_cpu, refuse_writes, use_other;
static set_fn set_width, add_counters, cross, stop;

/* What with AMD can have a defect: a data fabric, as socket0.df0, and the counters of a UMC, as those of a channel. */
enum { OF_DF = 1, OF_UMC = 2 };

/*
 * args has one letter for each argument: w a channel, r a channel, a UBOX or a CPU, x a CPU, o an offset, O another
 * offset, b a bit, c any counter, e one of the four general counters, W the width of one, n a number, s seconds, u
 * later seconds, p per cent, k a socket. Arguments after a ? may be left out.
 */
#define AT(member)    .at = offsetof(struct unc_sim_faults, member)
#define AT_QM(member) .at = offsetof(struct unc_sim_qm_faults, member)
#define COPY(argument)                                                                                                 \
	.from = offsetof(struct unc_sim_defect, argument), .size = sizeof(((struct unc_sim_defect *)0)->argument)
static const struct kind {
	const char *name, *args, *written;
	size_t at;
	size_t from, size; /* of the argument that is put there */
	set_fn *set;       /* instead of that, */
	apply_fn *apply;   /* or of both */
	unsigned amd;      /* bits of what else can have it */
	bool of_function;  /* it is about a function as a whole, and not about the faults of a channel */
} kinds[] = {
	{"stuck0", "rob", "WHERE:OFFSET:BIT", .apply = stick},
	{"stuck1", "rob", "WHERE:OFFSET:BIT", .apply = stick},
	{"width", "wcW", "WHERE:CTR:BITS", AT(width), .set = set_width, .amd = OF_DF},
	{"counts-twice", "wc", "WHERE:CTR", AT(counts_twice), .set = add_counters, .amd = OF_DF},
	{"freeze-ignored", "wc", "WHERE:CTR", AT(freeze_ignored), .set = add_counters},
	{"freeze-loses", "wn", "WHERE:COUNTS", AT(freeze_loses), COPY(n)},
	{"reset-leaves", "wc", "WHERE:CTR", AT(reset_leaves), .set = add_counters},
	{"enable-crossed", "wcc", "WHERE:CTR:CTR", AT(gate), .set = cross},
	{"umask-shifted", "w?e", "WHERE[:CTR]", AT(umask_shifted), .set = add_counters},
	{"channels-swapped", "ww", "WHERE:WHERE", .apply = swap_channels, .of_function = true},
	{"sockets-swapped", "kk", "SOCKET:SOCKET", .apply = swap_sockets},
	{"dclk-off", "wp", "WHERE:PERCENT", AT(dclk_ppm), .apply = run_off, .amd = OF_UMC},
	{"carry-missing", "wc", "WHERE:CTR", AT(carry_missing), .set = add_counters, .amd = OF_DF},
	{"stops", "ws?u", "WHERE:SECONDS[:SECONDS]", .set = stop, .amd = OF_DF | OF_UMC},
	{"hidden", "w", "WHERE", .apply = hide, .of_function = true},
	{"ones", "wn", "WHERE:N", AT(ones_one_in), COPY(n)},
	{"drops", "wn", "WHERE:N", AT(drops_one_in), COPY(n), .amd = OF_DF | OF_UMC},
	{"rmid-off", "", "", AT_QM(rmid_off), COPY(yes)},
	{"no-error", "", "", AT_QM(no_error), COPY(yes)},
	{"upscale-off", "p", "PERCENT", AT_QM(upscale_ppm), COPY(ppm)},
	{"never-falls", "", "", AT_QM(never_falls), COPY(yes)},
	{"writes-alias", "ww?o", "WHERE:WHERE[:OFFSET]", .apply = add_side},
	{"same-box", "ww", "WHERE:WHERE", .apply = use_other, .amd = OF_DF},
	{"write-clears", "woO", "WHERE:OFFSET:OFFSET", .apply = add_side},
	{"ignored", "wb?c", "WHERE:BIT[:CTR]", AT(ignored), .apply = ignore, .amd = OF_DF | OF_UMC},
	{"status-crossed", "wcc", "WHERE:CTR:CTR", AT(status_bit), .set = cross},
	{"status-sticks", "w", "WHERE", AT(status_sticks), COPY(yes)},
	{"free-misses", "w", "WHERE", AT(free_misses), COPY(yes)},
	{"mesh-misses", "w", "WHERE", AT(mesh_misses), COPY(yes)},
	{"mbm-exchanged", "", "", AT_QM(mbm_exchanged), COPY(yes)},
	{"assoc-dead", "x", "CPU", AT_QM(assoc_dead), .apply = set_cpu},
	{"assoc-shared", "", "", AT_QM(assoc_shared), COPY(yes)},
	{"counts-other", "ww", "WHERE:WHERE", .apply = use_other, .amd = OF_DF},
	{"write-faults", "xo", "CPU:MSR", .apply = refuse_writes},
};

/* What the letters of args stand for; of a number the least, the most, and where it goes. */
#define NUMBER_AT(member) offsetof(struct unc_sim_defect, member)
static const struct letter {
	const char *possible;
	uint64_t least, most;
	size_t at;
} letters[] = {
	['w'] = {.possible = "a channel such as socket0.imc0.ch1, or with AMD a data fabric such as socket0.df0"},
	['r'] = {.possible = "a channel such as socket0.imc0.ch1, a UBOX such as socket0.ubox or a CPU such as cpu3"},
	['x'] = {.possible = "a CPU such as cpu3"},
	['c'] = {"a counter, 0 to 3 or fixed", .most = UNC_SIM_FIXED - 1},
	['e'] = {"a counter, 0 to 3", .most = UNC_SIM_FIXED - 1},
	['k'] = {"a socket, 0 to 7", .most = UNC_SIM_SOCKETS_X86 - 1},
	['o'] = {"the offset of a register, or of a CPU the number of an MSR", 0, UINT32_MAX, NUMBER_AT(off)},
	['O'] = {"the offset of a register, or of a CPU the number of an MSR", 0, UINT32_MAX, NUMBER_AT(others_off)},
	['b'] = {"a bit, 0 to 63", 0, 63, NUMBER_AT(bit)},
	['W'] = {"a number of bits, 1 to 47", 1, CTR_BITS - 1, NUMBER_AT(n)},
	['p'] = {.possible = "a percentage from -90 to 90 except 0"},
	['s'] = {.possible = "a time of the machine in seconds, up to 200000000"},
	['u'] = {.possible = "a later time of the machine in seconds, up to 200000000"},
	['n'] = {"a number from 1 to 1000000000000", 1, N_MAX, NUMBER_AT(n)},
};

/* Reads the number of "socket0" in "socket0.imc0.ch1", and moves *text past it. */
static bool take_number(const char **text, const char *name, unsigned *ret_number)
{
	size_t len = strlen(name);
	uint64_t n;

	if (strncmp(*text, name, len) != 0)
		return false;
	*text += len;
	if (!unc_text_digits(text, 10, 5, &n))
		return false;
	*ret_number = (unsigned)n;
	return true;
}

static bool parse_where(const char *text, bool others_too, struct where *where)
{
	where->is_cpu = others_too && !strncmp(text, "cpu", 3);
	if (where->is_cpu)
		return take_number(&text, "cpu", &where->cpu) && !*text;
	if (!take_number(&text, "socket", &where->socket))
		return false;
	where->is_ubox = others_too && !strcmp(text, ".ubox");
	where->is_df = !others_too && !strncmp(text, ".df", 3);
	if (where->is_df)
		return take_number(&text, ".df", &where->imc) && !*text;
	return where->is_ubox ||
	       (take_number(&text, ".imc", &where->imc) && take_number(&text, ".ch", &where->channel) && !*text);
}

static bool parse_arg(char name, const char *text, struct unc_sim_defect *defect)
{
	const struct letter *letter = &letters[(unsigned char)name];
	uint64_t n, most, *number = (uint64_t *)((char *)defect + letter->at);

	switch (name) {
	case 'w':
	case 'r':
		return parse_where(text, name == 'r', &defect->where[defect->n_where++]);
	case 'x':
		return parse_where(text, true, &defect->where[0]) && defect->where[0].is_cpu;
	case 'c':
	case 'e':
	case 'k':
		most = defect->where[0].is_df ? UNC_SIM_DF_CTRS - 1 : letter->most;
		if (name == 'c' && !defect->where[0].is_df && !strcmp(text, "fixed"))
			n = UNC_SIM_FIXED;
		else if (!unc_text_u64(text, &n) || n > most)
			return false;
		defect->which[defect->n_which++] = (unsigned)n;
		return true;
	case 'p':
		return unc_sim_parse_percent(text, &defect->ppm);
	case 's':
		return unc_sim_parse_seconds(text, &defect->ns);
	case 'u':
		return unc_sim_parse_seconds(text, &defect->until_ns) && defect->until_ns > defect->ns;
	default:
		return unc_text_u64(text, number) && *number >= letter->least && *number <= letter->most;
	}
}

static bool not_so(struct unc_sim_parse *parse, const char *why, const struct kind *kind)
{
	unc_sim_refuse(parse, "defect=%.200s: %s; it is written %s%s%s", parse->value, why, kind->name,
		       *kind->written ? ":" : "", kind->written);
	return false;
}

/* rest: the text after the name, or NULL */
static bool parse_args(struct unc_sim_parse *parse, char *rest, struct unc_sim_defect *defect)
{
	const struct where *a = &defect->where[0], *b = &defect->where[1];
	const struct kind *kind = defect->kind;
	bool optional = false;
	const char *text;
	char why[400];

	for (const char *letter = kind->args; *letter; letter++) {
		optional |= *letter == '?';
		if (*letter == '?')
			continue;
		text = unc_text_cut(&rest, ':');
		if (!text && optional)
			break;
		if (text && parse_arg(*letter, text, defect))
			continue;
		snprintf(why, sizeof(why), "%s%.100s%s must be %s", text ? "\"" : "", text ? text : "what is missing",
			 text ? "\"" : "", letters[(unsigned char)*letter].possible);
		return not_so(parse, why, kind);
	}
	if (rest)
		return not_so(parse, "there is too much after it", kind);
	/* A defect of two channels, counters or sockets cannot name the same one twice. */
	if ((defect->n_where == 2 && a->socket == b->socket && a->imc == b->imc && a->channel == b->channel) ||
	    (defect->n_which == 2 && defect->which[0] == defect->which[1]))
		return not_so(parse, "the two must be different ones", kind);
	return true;
}

bool unc_sim_parse_defect(struct unc_sim_parse *parse, char *text)
{
	struct unc_sim_defects *given = &parse->options->defects;
	struct unc_sim_defect defect = {.off = NOWHERE, .yes = true};
	const char *name = unc_text_cut(&text, ':');
	char list[512] = "";

	for (size_t i = 0; i < UNC_SIM_N(kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			defect.kind = &kinds[i];
		unc_text_join(list, sizeof(list), ", ", "%s", kinds[i].name);
	}
	if (!defect.kind) {
		unc_sim_refuse(parse, "defect=%.200s: there is no defect of that name; there are: %s", parse->value,
			       list);
		return false;
	}
	if (!parse_args(parse, text, &defect))
		return false;
	defect.text = unc_text_dup(parse->value);
	if (!defect.text || !unc_array_add(&given->defects, &given->n, &defect, sizeof(defect))) {
		free(defect.text);
		return unc_sim_no_memory(parse);
	}
	given->fingerprint += unc_sim_fingerprint(parse->value, strlen(parse->value));
	return true;
}

void unc_sim_defects_clear(struct unc_sim_defects *given)
{
	for (size_t i = 0; i < given->n; i++)
		free(given->defects[i].text);
	free(given->defects);
	*given = (struct unc_sim_defects){0};
}

/* What each does to the machine. */

static int refuse(const struct unc_sim *sim, const struct unc_sim_defect *defect, const char *why)
{
	return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: %s", defect->text, why);
}

/* NULL: there is none. */
static struct unc_sim_place *find_place(const struct unc_sim *sim, enum unc_sim_kind kind, const struct where *where)
{
	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_sim_function *function = sim->places[i].function;

		if (function->kind == kind && sim->places[i].socket == where->socket && function->imc == where->imc &&
		    function->channel == where->channel)
			return &sim->places[i];
	}
	return NULL;
}

static int find_channel(const struct unc_sim *sim, const struct unc_sim_defect *defect, const struct where *where,
			struct unc_sim_place **ret_place)
{
	const struct unc_sim_channel_load *last;

	*ret_place = find_place(sim, UNC_SIM_IMC, where);
	if (*ret_place && !sim->options.model->pmon && !(sim->options.model->umcs && defect->kind->amd & OF_UMC))
		return refuse(sim, defect, "no memory channels are modelled that have registers of their own");
	if (*ret_place)
		return UNC_OK;
	if (!sim->load.n_channels)
		return refuse(sim, defect, "of this processor no memory channels are modelled");
	last = &sim->load.channels[sim->load.n_channels - 1];
	return unc_sim_fail(sim, UNC_EARG,
			    "defect=%.200s: this machine has no channel socket%u.imc%u.ch%u; it has "
			    "socket0.imc0.ch0 to socket%u.imc%u.ch%u",
			    defect->text, where->socket, where->imc, where->channel, last->socket, last->imc,
			    last->channel);
}

/* Makes as many faults as there can be, without any defect. */
static int faults_new(struct unc_sim *sim, size_t n, struct unc_sim_faults **faults)
{
	if (*faults)
		return UNC_OK;
	*faults = calloc(n, sizeof(**faults));
	if (!*faults)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	for (size_t i = 0; i < n; i++) {
		struct unc_sim_faults *none = &(*faults)[i];

		none->stops_ns = UINT64_MAX;
		none->goes_on_ns = UINT64_MAX;
		for (unsigned k = 0; k < UNC_SIM_FAULT_COUNTERS; k++) {
			none->width[k] = CTR_BITS;
			none->gate[k] = k;
			none->status_bit[k] = k;
		}
	}
	return UNC_OK;
}

/* Gives a channel faults of its own. */
static int faults_at(struct unc_sim *sim, struct unc_sim_place *place, void **ret_faults)
{
	int rc = faults_new(sim, sim->load.n_channels, &sim->faults);

	if (rc == UNC_OK) {
		place->faults = &sim->faults[place->channel];
		*ret_faults = &sim->faults[place->channel];
	}
	return rc;
}

static unsigned node_of(const struct unc_sim *sim, const struct where *where)
{
	return where->socket * unc_sim_nodes(&sim->options) + where->imc;
}

/* Both must be data fabrics, and exist. */
static int df_faults_at(struct unc_sim *sim, const struct unc_sim_defect *defect, void **ret_faults)
{
	int rc = faults_new(sim, UNC_SIM_NODES_MAX, &sim->df_faults);

	if (!(defect->kind->amd & OF_DF))
		return refuse(sim, defect, "that is not a defect of data fabrics");
	for (size_t i = 0; i < defect->n_where; i++) {
		const struct where *where = &defect->where[i];

		if (!where->is_df || !(sim->options.model->on & UNC_SIM_ON_ZENS) ||
		    where->socket >= sim->options.sockets || where->imc >= unc_sim_nodes(&sim->options))
			return refuse(sim, defect,
				      "the machine has no such data fabric; zen1 has socket0.df0 to socket1.df3");
	}
	if (rc == UNC_OK)
		*ret_faults = &sim->df_faults[node_of(sim, &defect->where[0])];
	return rc;
}

static struct unc_sim_stuck stuck_of(const struct unc_sim_defect *defect, uint64_t off, uint64_t bit)
{
	bool one = !strcmp(defect->kind->name, "stuck1");

	return (struct unc_sim_stuck){.off = (uint32_t)off, .zeros = one ? 0 : bit, .ones = one ? bit : 0};
}

static bool is_register(const struct unc_sim *sim, uint64_t off)
{
	return off % 4 == 0 && off < sim->options.model->config_bytes;
}

/* A counter is two dwords and has 64 bits; other registers have bits 0 to 31 only. */
static int stick(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	struct unc_sim_faults *faults = at;
	uint64_t off = defect->off + (defect->bit >= 32 ? 4 : 0);
	const struct unc_sim_stuck stuck = stuck_of(defect, off, UINT64_C(1) << defect->bit % 32);
	int i = defect->where[0].is_ubox ? -1 : unc_sim_imc_counter_at((uint32_t)off);

	if (!is_register(sim, defect->off))
		return refuse(sim, defect, "the offset must be a multiple of 4 within the configuration space");
	if (defect->bit >= 32 && (i < 0 || defect->off % 8))
		return refuse(sim, defect, "that register has the bits 0 to 31; only counters have 64");
	if (i >= 0) {
		faults->zeros[i] |= stuck.zeros << (off % 8 ? 32 : 0);
		faults->ones[i] |= stuck.ones << (off % 8 ? 32 : 0);
	}
	return unc_list_add(sim->host.ctx, &faults->stuck, &faults->n_stuck, &stuck, sizeof(stuck));
}

/* A write has an effect at the other channel, or in the same one clears another dword. */
static int add_side(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	struct unc_sim_faults *faults = at;
	const struct unc_sim_side side = {.off = (uint32_t)defect->off,
					  .any = defect->off == NOWHERE,
					  .other = defect->places[1],
					  .clears = (uint32_t)defect->others_off};

	if ((!side.any && !is_register(sim, defect->off)) || !is_register(sim, defect->others_off))
		return refuse(sim, defect, "an offset must be a multiple of 4 within the configuration space");
	return unc_list_add(sim->host.ctx, &faults->sides, &faults->n_sides, &side, sizeof(side));
}

static void set_width(const struct unc_sim_defect *defect, void *at)
{
	unsigned *widths = at;

	widths[defect->which[0]] = (unsigned)defect->n;
}

/* The counter that was given, or the four general ones, or all of a data fabric. */
static unsigned counters_of(const struct unc_sim_defect *defect)
{
	unsigned all = defect->where[0].is_df ? 0xffff : 0xf;

	return defect->n_which ? 1u << defect->which[0] : all;
}

static void add_counters(const struct unc_sim_defect *defect, void *at)
{
	*(unsigned *)at |= counters_of(defect);
}

static int ignore(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	uint64_t *ignored = at;

	if (defect->bit >= 32 && !defect->where[0].is_df)
		return refuse(sim, defect, "a control has the bits 0 to 31");
	for (unsigned i = 0; i < UNC_SIM_FAULT_COUNTERS; i++)
		if (counters_of(defect) >> i & 1)
			ignored[i] |= UINT64_C(1) << defect->bit;
	return UNC_OK;
}

static int run_off(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	const struct unc_sim_model *model = sim->options.model;
	struct unc_sim_channel_load *channel = &sim->load.channels[defect->places[0]->channel];
	unsigned millionths = (unsigned)(MILLION + defect->ppm);

	for (size_t i = 0; i < model->n_events; i++)
		for (size_t k = 0; model->events[i].flags & UNC_SIM_CONSTANT && k < channel->events[i].n; k++)
			channel->events[i].steps[k].rate = unc_sim_constant_hz(model, i) * millionths;
	*(int *)at = defect->ppm;
	return UNC_OK;
}

static void cross(const struct unc_sim_defect *defect, void *at)
{
	unsigned *counters = at;

	counters[defect->which[0]] = defect->which[1];
	counters[defect->which[1]] = defect->which[0];
}

static void stop(const struct unc_sim_defect *defect, void *at)
{
	struct unc_sim_faults *faults = at;

	faults->stops_ns = defect->ns;
	faults->goes_on_ns = defect->until_ns ? defect->until_ns : UINT64_MAX;
}

static int hide(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	(void)at;
	if (defect->places[0]->gone)
		return refuse(sim, defect, "allones= or vanish= names that function too, and it can be away only once");
	defect->places[0]->hidden = true;
	return UNC_OK;
}

/* Exchanges the functions at two addresses; only the addresses stay. */
static int swap_channels(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	struct unc_sim_place *a = defect->places[0], *b = defect->places[1];
	const struct unc_sim_place was = *a;

	(void)sim;
	(void)at;
	a->function = b->function;
	a->socket = b->socket;
	a->channel = b->channel;
	a->faults = b->faults;
	b->function = was.function;
	b->socket = was.socket;
	b->channel = was.channel;
	b->faults = was.faults;
	return UNC_OK;
}

static int set_cpu(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	if (defect->where[0].cpu >= sim->n_cpus)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no CPU %u; it has 0 to %zu",
				    defect->text, defect->where[0].cpu, sim->n_cpus - 1);
	*(const struct unc_sim_cpu **)at = &sim->cpus[defect->where[0].cpu];
	return UNC_OK;
}

/* A channel shows the registers of another; of a data fabric they also count what happens there, or count that alone. */
static int use_other(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	struct unc_sim_faults *faults = at;

	bool shows = !strcmp(defect->kind->name, "same-box");

	if (!defect->where[0].is_df && !shows)
		return refuse(sim, defect, "only a data fabric counts what happens at another one");
	faults->instead = defect->places[1];
	faults->counts = defect->where[0].is_df ? node_of(sim, &defect->where[1]) + 1 : 0;
	faults->shows = shows ? faults->counts : 0;
	return UNC_OK;
}

static int stick_msr(struct unc_sim *sim, const struct unc_sim_defect *defect, struct unc_sim_stuck stuck)
{
	struct unc_sim_msr msr = {.sim = sim, .number = (uint32_t)defect->off};
	int rc;

	if (sim->options.msr_absent)
		return refuse(sim, defect, "there are no MSRs with msr=absent");
	rc = set_cpu(sim, defect, &stuck.cpu);
	if (rc < 0)
		return rc;
	msr.cpu = stuck.cpu;
	if (!unc_sim_msr_exists(&msr))
		return refuse(sim, defect, "this processor has no MSR of that number");
	return unc_list_add(sim->host.ctx, &sim->stuck, &sim->n_stuck, &stuck, sizeof(stuck));
}

static int refuse_writes(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	const struct unc_sim_stuck stuck = {.off = (uint32_t)defect->off, .write_faults = true};

	(void)at;
	return stick_msr(sim, defect, stuck);
}

static int stick_ubox(struct unc_sim *sim, const struct unc_sim_defect *defect)
{
	unsigned socket = defect->where[0].socket;
	struct unc_sim_place *place = find_place(sim, UNC_SIM_UBOX, &defect->where[0]);

	if (!place)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no UBOX of socket %u", defect->text,
				    socket);
	place->faults = &sim->ubox_faults[socket];
	return stick(sim, defect, &sim->ubox_faults[socket]);
}

static int swap_sockets(struct unc_sim *sim, const struct unc_sim_defect *defect, void *at)
{
	unsigned a = defect->which[0], b = defect->which[1], was;

	(void)at;
	if (!sim->options.model->config_bytes)
		return refuse(sim, defect, "of this processor no PCI functions are modelled");
	if (a >= sim->options.sockets || b >= sim->options.sockets)
		return unc_sim_fail(sim, UNC_EARG, "defect=%.200s: this machine has no socket %u; its sockets= is %u",
				    defect->text, a > b ? a : b, sim->options.sockets);
	was = sim->ubox_reports[a];
	sim->ubox_reports[a] = sim->ubox_reports[b];
	sim->ubox_reports[b] = was;
	return UNC_OK;
}

static int apply(struct unc_sim *sim, struct unc_sim_defect *defect)
{
	const struct kind *kind = defect->kind;
	void *faults = &sim->qm_faults, *at;
	int rc = UNC_OK;

	if (defect->n_where && defect->where[0].is_cpu)
		return stick_msr(sim, defect, stuck_of(defect, defect->off, UINT64_C(1) << defect->bit));
	if (defect->n_where && defect->where[0].is_ubox)
		return stick_ubox(sim, defect);
	if (defect->where[0].is_df || defect->where[1].is_df) {
		rc = df_faults_at(sim, defect, &faults);
	} else {
		for (size_t i = 0; rc == UNC_OK && i < defect->n_where; i++)
			rc = find_channel(sim, defect, &defect->where[i], &defect->places[i]);
		if (rc == UNC_OK && defect->n_where && !kind->of_function)
			rc = faults_at(sim, defect->places[0], &faults);
	}
	if (rc < 0)
		return rc;
	if (!defect->n_where && !defect->n_which && kind->apply != refuse_writes) {
		if (sim->options.msr_absent)
			return refuse(sim, defect, "there are no MSRs with msr=absent");
		if (!sim->options.model->rdt || !sim->options.model->rdt->events)
			return refuse(sim, defect, "this processor has no cache monitoring; those from hsx on have");
	}
	at = (char *)faults + kind->at;
	if (kind->apply)
		return kind->apply(sim, defect, at);
	if (kind->set)
		kind->set(defect, at);
	else
		memcpy(at, (const char *)defect + kind->from, kind->size);
	return UNC_OK;
}

int unc_sim_defects_init(struct unc_sim *sim)
{
	int rc = UNC_OK;

	for (unsigned socket = 0; socket < UNC_SIM_SOCKETS_MAX; socket++)
		sim->ubox_reports[socket] = socket;
	for (size_t i = 0; rc == UNC_OK && i < sim->options.defects.n; i++)
		rc = apply(sim, &sim->options.defects.defects[i]);
	return rc;
}

void unc_sim_defects_start(struct unc_sim *sim, uint64_t t_ns)
{
	for (size_t i = 0; i < sim->n_stuck; i++) {
		struct unc_sim_msr msr = {
			.sim = sim, .cpu = sim->stuck[i].cpu, .number = sim->stuck[i].off, .t_ns = t_ns};

		if (unc_sim_msr_find(&msr) && !msr.reg->counts)
			unc_sim_msr_stick(&msr);
	}
}

void unc_sim_defects_free(struct unc_sim *sim)
{
	for (size_t i = 0; sim->faults && i < sim->load.n_channels; i++) {
		free(sim->faults[i].stuck);
		free(sim->faults[i].sides);
	}
	for (size_t i = 0; i < UNC_SIM_SOCKETS_MAX; i++)
		free(sim->ubox_faults[i].stuck);
	free(sim->faults);
	free(sim->df_faults);
	free(sim->stuck);
}
