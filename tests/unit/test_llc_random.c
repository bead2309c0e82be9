// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Machines, loads, groups, intervals and other people's doings drawn by lot: whatever has the status ok must be what the simulated
 * machine knows to be so, and in the end every register is as it was found, or as another process left it.
 */
#include <unistd.h>

#include "llc_oracle.h"
#include "test.h"

enum { R_SNC_CONFIG = 0xca0, CPUS_MAX = 512, GROUPS_MAX = 12 };
enum { LOOKS_MAX = 2000 }; /* rows times reads of a case */

struct lot {
	uint64_t state;
};

/* xorshift64*: the same numbers everywhere. */
static uint64_t draw(struct lot *lot)
{
	lot->state ^= lot->state >> 12;
	lot->state ^= lot->state << 25;
	lot->state ^= lot->state >> 27;
	return lot->state * UINT64_C(2685821657736338717);
}

static unsigned below(struct lot *lot, unsigned n)
{
	return (unsigned)((draw(lot) >> 33) % n);
}

static bool one_in(struct lot *lot, unsigned n)
{
	return below(lot, n) == 0;
}

enum { HAND_EVTSEL = 1, HAND_PQR = 2, HAND_TIME = 4, HAND_SUSPEND = 8, HAND_GONE = 16 }; /* what another process does */

struct world {
	struct onllc x;
	struct lot lot;
	struct llc_oracle oracle;
	unsigned hand, odds; /* what is done, and at one access in how many; hand 0: nothing */
	bool acting, amd, snc_local, all_rmids;
	bool touched;  /* IA32_QM_EVTSEL, by another process */
	char gone[16]; /* a CPU that is offline for a while, or for ever */
	uint64_t work_left;
	size_t n_cpus;
	struct unc_sim_cpu cpus[CPUS_MAX];
	uint64_t pqr_found[CPUS_MAX], pqr_given[CPUS_MAX], evtsel_found[CPUS_MAX], evtsel_left[CPUS_MAX];
	bool grouped[CPUS_MAX];
	char model[200], common[200], own[120], load[64];
};

static unsigned long n_cases, n_numbers, n_reads;

/* ---- the other hand ---- */

static unsigned online(struct world *w)
{
	unsigned cpu;

	do
		cpu = below(&w->lot, (unsigned)w->n_cpus);
	while (!w->cpus[cpu].online);
	return cpu;
}

static void touch_evtsel(struct world *w, unsigned cpu)
{
	uint64_t now = onllc_peek(&w->x, cpu, R_EVTSEL), next;

	/* Twice in a row it could be as before by chance, which would not show. */
	if (now == w->evtsel_left[cpu])
		return;
	do
		next = 1 + below(&w->lot, 3) + ((uint64_t)below(&w->lot, w->oracle.info.cpuid_max_rmid + 1) << 32);
	while (next == now);
	onllc_poke(&w->x, cpu, R_EVTSEL, next);
	for (size_t i = 0; i < w->n_cpus; i++) /* it may be one for all of them */
		if (w->cpus[i].l3 == w->cpus[cpu].l3)
			w->evtsel_left[i] = next;
	w->touched = true;
}

static void touch_pqr(struct world *w)
{
	unsigned cpu = online(w);
	uint64_t now = onllc_peek(&w->x, cpu, R_PQR), clos = one_in(&w->lot, 3) ? below(&w->lot, 4) : now >> 32;
	uint64_t rmid = one_in(&w->lot, 2) ? w->pqr_given[cpu] & 0xfff : below(&w->lot, w->oracle.info.max_rmid + 1);

	if (w->oracle.info.events == 1) /* without allocation there is no class but 0 */
		clos = now >> 32;
	onllc_poke(&w->x, cpu, R_PQR, clos << 32 | rmid);
	w->oracle.hijacked = true;
}

static void suspend(struct world *w)
{
	CU_ASSERT_EQUAL_FATAL(unc_sim_suspend(w->x.o.hand, S_NS + below(&w->lot, 1000) * MS_NS), 0);
	w->touched = w->oracle.hijacked = true;
}

/* In front of each access of ours. */
static void interfere(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct world *w = arg;

	if (!w->acting || !one_in(&w->lot, w->odds))
		return;
	if (w->hand & HAND_EVTSEL && !write && off != R_PQR && addr->kind == UNC_MSR) {
		touch_evtsel(w, addr->msr.cpu);
		w->oracle.undisturbed = false;
	}
	if (w->hand & HAND_PQR && one_in(&w->lot, 4))
		touch_pqr(w);
	if (w->hand & HAND_TIME && one_in(&w->lot, 4)) {
		onsim_step(&w->x.o, below(&w->lot, 3000000));
		w->oracle.undisturbed = false;
	}
	if (w->hand & HAND_SUSPEND && one_in(&w->lot, 40)) {
		suspend(w);
		w->oracle.undisturbed = false;
	}
}

/* ---- a machine ---- */

struct kind {
	const char *model;
	unsigned l3s; /* of a socket, that it can have */
	bool snc, allocates;
};
static const struct kind kinds[] = {
	{"hsx", 1, false, false}, {"bdx", 1, false, true},  {"bdxde", 1, false, true}, {"skx", 1, false, true},
	{"clx", 1, false, true},  {"cpx", 1, false, true},  {"icx", 1, true, true},    {"spr", 1, true, true},
	{"zen2", 4, false, true}, {"zen3", 4, false, true}, {"zen4", 4, false, true},  {"zen5", 4, false, true},
};
static const char *const dumps[] = {
	"amd-epyc-7742-64-core-processor-dual",
	"amd-epyc-9124-16-core-processor",
	"intel-xeon-cpu-e5-2697-v4-dual",
	"intel-xeon-cpu-e5-2699-v3-dual",
	"intel-xeon-platinum-8180-cpu-dual",
	"intel-xeon-platinum-8351n-cpu",
	"intel-xeon-w9-3475x",
};
enum { N_DUMPS = sizeof(dumps) / sizeof(dumps[0]) };

static void append(char *text, size_t size, const char *fmt, unsigned n)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", len ? "," : "");
	len = strlen(text);
	snprintf(text + len, size - len, fmt, n);
}

/* Steps that all CPUs of a machine have at the same times; together they do not move more than an L3 can. */
static void write_load(struct world *w, unsigned n_cpus)
{
	uint64_t most = UINT64_C(140000000000) / n_cpus;
	unsigned n_steps = one_in(&w->lot, 2) ? 1 : 2 + below(&w->lot, 3);
	FILE *file;

	test_file(w->load, sizeof(w->load), "unc-llc-load");
	file = fopen(w->load, "w");
	fprintf(file, "format: uncorectl-load/1\ncpus:\n");
	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		uint64_t rates[3][8];

		if (cpu && one_in(&w->lot, 5))
			continue;
		for (unsigned i = 0; i < n_steps; i++) {
			rates[0][i] = below(&w->lot, 4) ? draw(&w->lot) % (24 << 20) : 0;
			rates[1][i] = below(&w->lot, 4) ? draw(&w->lot) % most : 0;
			rates[2][i] = rates[1][i] ? draw(&w->lot) % (rates[1][i] + 1) : 0;
		}
		fprintf(file, "  \"%u\":\n", cpu);
		for (unsigned k = 0; k < 3; k++) {
			static const char *const names[] = {"occupancy", "total", "local"};

			fprintf(file, "    %s:\n", names[k]);
			for (unsigned i = 0; i < n_steps; i++)
				fprintf(file, "      - {at: %u.%u, rate: %" PRIu64 "}\n", i / 2, 5 * (i % 2),
					rates[k][i]);
		}
	}
	fclose(file);
}

static void choose_machine(struct world *w)
{
	const struct kind *kind = &kinds[below(&w->lot, sizeof(kinds) / sizeof(kinds[0]))];
	unsigned l3s = kind->l3s > 1 ? 1 + below(&w->lot, kind->l3s) : 1, snc = kind->snc ? 1u << below(&w->lot, 3) : 1;
	unsigned sockets = 1 + below(&w->lot, 3) / 2, cores = l3s * snc * (1 + below(&w->lot, 4));
	unsigned threads = 1 + below(&w->lot, 2), n = sockets * cores * threads;
	size_t size = sizeof(w->common);

	snprintf(w->model, sizeof(w->model), "%s", kind->model);
	snprintf(w->common, size, "sockets=%u,cores=%u,threads=%u", sockets, cores, threads);
	if (kind->l3s > 1)
		append(w->common, size, "l3s=%u", l3s);
	if (snc > 1)
		append(w->common, size, "snc=%u", snc);
	if (threads == 2 && snc == 1 && cores > l3s && one_in(&w->lot, 3))
		append(w->common, size, "offline=%u", n / 2 + below(&w->lot, n / 2));
	if (one_in(&w->lot, 2)) {
		size_t len = strlen(w->common);

		write_load(w, n);
		snprintf(w->common + len, size - len, ",load=%s", w->load);
	}
	if (kind->l3s > 1 && strcmp(kind->model, "zen5") == 0 && one_in(&w->lot, 4))
		append(w->common, size, "abmc=1", 0);
	if (strchr("bsc", *kind->model) && *kind->model != 's' && one_in(&w->lot, 4) && !w->all_rmids)
		append(w->own, sizeof(w->own), "mbm_erratum=0", 0);
}

/* One of the dumps of real machines, which are not there where only the sources are. */
static bool choose_dump(struct world *w, unsigned i)
{
	snprintf(w->model, sizeof(w->model), "cpuid=../shared/cpuid/%s.test", dumps[i]);
	return access(w->model + strlen("cpuid="), R_OK) == 0;
}

static void open_machine(struct world *w)
{
	static const char *const answers[] = {"qm=error:1", "qm=unavailable:2", "qm=unavailable:alternate",
					      "qm=error:2"};
	struct onllc *x = &w->x;

	append(w->common, sizeof(w->common), one_in(&w->lot, 2) ? "qm_scope=package" : "qm_scope=thread", 0);
	append(w->own, sizeof(w->own), "dword_ns=%u", one_in(&w->lot, 3) ? 1 + below(&w->lot, 900) : 0);
	w->oracle.exact = strstr(w->own, "dword_ns=0") && !(w->hand & HAND_TIME);
	if (one_in(&w->lot, 6))
		append(w->own, sizeof(w->own), answers[below(&w->lot, 4)], 0);
	if (one_in(&w->lot, 6))
		append(w->own, sizeof(w->own), "disturb=%u", 1 + below(&w->lot, 60));
	onllc_machine(x, w->model, w->common, w->own);
	w->n_cpus = unc_sim_info(x->o.hand).n_cpus;
	CU_ASSERT_FATAL(w->n_cpus <= CPUS_MAX);
	for (size_t i = 0; i < w->n_cpus; i++)
		CU_ASSERT_EQUAL_FATAL(unc_sim_cpu(x->o.hand, i, &w->cpus[i]), 0);
	if (strstr(w->common, "snc=") && one_in(&w->lot, 2))
		for (size_t i = 0; i < w->n_cpus; i++)
			onllc_poke(x, (unsigned)i, R_SNC_CONFIG, 0);
	else
		w->snc_local = strstr(w->common, "snc=");
}

/* ---- groups ---- */

static void found(struct world *w)
{
	for (size_t i = 0; i < w->n_cpus; i++) {
		if (!w->cpus[i].online)
			continue;
		w->pqr_found[i] = onllc_peek(&w->x, (unsigned)i, R_PQR);
		w->evtsel_found[i] = onllc_peek(&w->x, (unsigned)i, R_EVTSEL);
	}
}

/* Another process was there before. */
static void prepare(struct world *w, struct unc_llc_cfg *cfg)
{
	bool allocates = w->oracle.info.allocation;

	cfg->no_wait = true;
	cfg->shared = one_in(&w->lot, 3);
	for (unsigned i = 0; i < 4 && one_in(&w->lot, 2); i++) {
		uint64_t rmid = cfg->shared ? below(&w->lot, w->oracle.info.max_rmid + 1) : 0;

		onllc_poke(&w->x, online(w), R_PQR, (allocates ? (uint64_t)below(&w->lot, 4) << 32 : 0) | rmid);
	}
	if (one_in(&w->lot, 2)) { /* registers are not 0 for ever */
		onllc_poke(&w->x, online(w), R_EVTSEL, UINT64_C(0x300000002));
		onsim_step(&w->x.o, below(&w->lot, 1000) * MS_NS);
	}
	if (one_in(&w->lot, 3)) {
		unsigned one = 1u << below(&w->lot, UNC_LLC_EVENTS), asked = one | 1u << below(&w->lot, UNC_LLC_EVENTS);

		cfg->events = asked & w->oracle.info.events;
	}
}

static size_t pick_group(struct world *w, unsigned *cpus)
{
	unsigned first = online(w), how = below(&w->lot, 4), l3 = w->cpus[first].l3, odds = 1 + below(&w->lot, 6);
	size_t n = 0;

	for (unsigned i = 0; i < w->n_cpus; i++) {
		const struct unc_sim_cpu *cpu = &w->cpus[i];
		bool in = how == 0 ? i == first : how == 1 ? cpu->l3 == l3 : how == 2 ? one_in(&w->lot, odds) : true;

		if (!in || !cpu->online || w->grouped[i])
			continue;
		w->grouped[i] = true;
		cpus[n++] = i;
	}
	return n;
}

/* False: this machine cannot start so, of which the sentence tells. */
static bool start(struct world *w)
{
	struct llc_oracle *oracle = &w->oracle;
	unsigned cpus[CPUS_MAX], reader = 0, n_groups = 0;
	struct unc_llc_cfg cfg = {0};
	struct onllc *x = &w->x;

	prepare(w, &cfg);
	if (one_in(&w->lot, 3)) {
		reader = online(w);
		cfg.read_cpus = &reader;
		cfg.n_read_cpus = 1;
	}
	found(w);
	if (unc_llc_open(x->o.m, &cfg, &x->llc) < 0)
		return false;
	oracle->info.events = cfg.events ? cfg.events : oracle->info.events;
	for (unsigned i = 0, n = 1 + below(&w->lot, GROUPS_MAX); i < n; i++) {
		size_t n_in = pick_group(w, cpus);

		if (!n_in)
			continue;
		OK(&x->o, unc_llc_add(x->llc, test_text("g%u", i), cpus, n_in));
		n_groups++;
	}
	w->all_rmids = w->all_rmids && (oracle->info.max_rmid + 1) * oracle->info.n_l3s + 3 * GROUPS_MAX < ONLLC_ROWS;
	if (w->all_rmids)
		OK(&x->o, unc_llc_add_rmids(x->llc));
	if (onllc_try_start(x) < 0)
		return false;
	for (unsigned i = 0; i < w->n_cpus; i++)
		w->pqr_given[i] = w->cpus[i].online ? onllc_peek(x, i, R_PQR) : 0;
	return true;
}

/* ---- sampling ---- */

static void pass_time(struct world *w)
{
	static const uint64_t longest_ns[] = {10 * MS_NS, 100 * MS_NS, S_NS, 5 * S_NS, 40 * S_NS, 7200 * S_NS};
	uint64_t ns = MS_NS + draw(&w->lot) % longest_ns[below(&w->lot, 6)];
	struct unc_host *host = w->x.o.m->host;

	/* Every half a second of sleep is some accesses. */
	if (ns / (S_NS / 2) * (w->n_cpus + 2 * w->x.n) > w->work_left || one_in(&w->lot, 3)) {
		onsim_step(&w->x.o, ns);
		if (ns > S_NS)
			w->oracle.undisturbed = false;
	} else {
		w->work_left -= ns / (S_NS / 2) * (w->n_cpus + 2 * w->x.n);
		OK(&w->x.o, unc_llc_sleep_until(w->x.llc, host->ops->now_ns(host, UNC_CLOCK_MONO) + ns));
	}
	if (w->hand & HAND_PQR && one_in(&w->lot, 2)) {
		touch_pqr(w);
		onsim_step(&w->x.o, below(&w->lot, 20) * MS_NS);
	}
	if (w->hand & HAND_EVTSEL && one_in(&w->lot, 3))
		touch_evtsel(w, online(w));
	if (w->hand & HAND_SUSPEND && one_in(&w->lot, 4)) {
		suspend(w);
		w->oracle.undisturbed = false;
	}
}

static void take_away(struct world *w)
{
	struct unc_fault *fault = &w->x.o.fault;

	snprintf(w->gone, sizeof(w->gone), "cpu%u", online(w));
	fault->only = w->gone;
	fault->at = 1;
	fault->seen = 0;
	fault->forever = true;
	fault->how = one_in(&w->lot, 2) ? UNC_FAULT_ENXIO : UNC_FAULT_EIO;
}

/* False: there is nothing more to read. */
static bool sample(struct world *w)
{
	static struct llc_truths before, after;
	bool calm = !strstr(w->own, "qm=") && !strstr(w->own, "disturb=") && !(w->amd && w->hand & HAND_PQR) &&
		    !(w->hand & HAND_SUSPEND) && w->oracle.undisturbed;
	int rc;

	w->acting = w->hand;
	if (w->hand & HAND_GONE && !*w->gone && one_in(&w->lot, 3))
		take_away(w);
	w->oracle.undisturbed = calm && !*w->gone;
	w->oracle.steady = !(w->hand & HAND_PQR);
	w->oracle.unassigned = w->hand & HAND_SUSPEND && strstr(w->common, "abmc=1");
	pass_time(w);
	llc_oracle_truths(&w->oracle, &before);
	rc = unc_llc_read(w->x.llc, w->x.rows, w->x.n);
	w->acting = false;
	if (rc < 0) {
		CU_ASSERT_TRUE(*w->gone || strstr(w->own, "qm=error"));
		return false;
	}
	llc_oracle_truths(&w->oracle, &after);
	llc_oracle_check(&w->oracle, &before, &after);
	n_reads++;
	return true;
}

/* ---- the end ---- */

static bool pqr_is_put_back(const struct world *w, size_t cpu, uint64_t was, uint64_t is)
{
	uint64_t low = UINT64_C(0xffffffff);

	if ((was & low) != (w->pqr_given[cpu] & low))
		return is == was; /* another process's by then */
	return is == ((was & ~low) | (w->pqr_found[cpu] & low));
}

/* A CPU that took over from another one may have had something else by then, and one for all may be of a CPU that is gone. */
static bool evtsel_is_put_back(const struct world *w, size_t cpu, uint64_t was, uint64_t is)
{
	if (is == w->evtsel_found[cpu])
		return true;
	if (w->touched)
		return is == was || is == w->evtsel_left[cpu] || is == 0 || w->hand & HAND_GONE;
	return *w->gone && strstr(w->common, "qm_scope=package");
}

static void close_machine(struct world *w, const char *name)
{
	static uint64_t pqr[CPUS_MAX], evtsel[CPUS_MAX];
	struct onllc *x = &w->x;
	unsigned bad = 0;

	for (unsigned i = 0; i < w->n_cpus; i++) {
		pqr[i] = w->cpus[i].online ? onllc_peek(x, i, R_PQR) : 0;
		evtsel[i] = w->cpus[i].online ? onllc_peek(x, i, R_EVTSEL) : 0;
	}
	/* It may be there again. */
	if (one_in(&w->lot, 2) || !*w->gone) {
		x->o.fault.at = 0;
		*w->gone = '\0';
		OK(&x->o, unc_llc_close(x->llc));
	} else {
		unc_llc_close(x->llc);
	}
	for (unsigned i = 0; i < w->n_cpus; i++) {
		uint64_t now;

		if (!w->cpus[i].online || (*w->gone && (unsigned)atoi(w->gone + 3) == i))
			continue;
		now = onllc_peek(x, i, R_PQR);
		if (!pqr_is_put_back(w, i, pqr[i], now) && bad++ < 3)
			fprintf(stderr, "\n%s: cpu %u: PQR_ASSOC %#" PRIx64 ", was %#" PRIx64 ", found %#" PRIx64 "\n",
				name, i, now, pqr[i], w->pqr_found[i]);
		now = onllc_peek(x, i, R_EVTSEL);
		if (!evtsel_is_put_back(w, i, evtsel[i], now) && bad++ < 3)
			fprintf(stderr, "\n%s: cpu %u: QM_EVTSEL %#" PRIx64 ", was %#" PRIx64 ", found %#" PRIx64 "\n",
				name, i, now, evtsel[i], w->evtsel_found[i]);
	}
	EQ(bad, 0);
	onsim_close(&x->o);
}

static void run_case(uint64_t seed, unsigned dump)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned n;
	char name[700];

	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	w->lot.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned i = 0; i < 8; i++)
		draw(&w->lot);
	w->work_left = one_in(&w->lot, 20) ? 200000 : 5000;
	w->odds = 1u << below(&w->lot, 9);
	w->hand = one_in(&w->lot, 3) ? 0 : below(&w->lot, 32);
	w->all_rmids = one_in(&w->lot, 6);
	if (dump < N_DUMPS) {
		if (!choose_dump(w, dump)) {
			fprintf(stderr, "skip: there is no %s\n", w->model);
			free(w);
			return;
		}
	} else {
		choose_machine(w);
	}
	open_machine(w);
	snprintf(name, sizeof(name), "seed %" PRIu64 ": sim:%s,%s,%s hand %u odds %u", seed, w->model, w->common,
		 w->own, w->hand, w->odds);
	if (getenv("RANDOM_TELL"))
		fprintf(stderr, "%s\n", name);
	llc_oracle_init(&w->oracle, &w->x);
	w->oracle.undisturbed = true;
	w->amd = w->oracle.info.unit_bytes == 64;

	w->oracle.exact = strstr(w->own, "dword_ns=0") && !(w->hand & (HAND_TIME));
	w->oracle.local_mode = w->snc_local && w->oracle.info.nodes > 1;
	w->x.o.fault.before = interfere;
	w->x.o.fault.arg = w;
	if (start(w)) {
		llc_oracle_started(&w->oracle);
		n = 3 + below(&w->lot, 12);
		for (unsigned i = 0; i < n && i * w->x.n < LOOKS_MAX && sample(w); i++) {
		}
		n_cases++;
	} else if (getenv("RANDOM_TELL")) {
		fprintf(stderr, "  %s\n", w->x.o.ctx->msg);
	}
	n_numbers += w->oracle.numbers;
	if (w->oracle.wrong)
		fprintf(stderr, "%s\n", name);
	EQ(w->oracle.wrong, 0);
	close_machine(w, name);
	if (*w->load)
		unlink(w->load);
	free(w);
}

static unsigned number_of(const char *name, unsigned otherwise)
{
	return getenv(name) ? (unsigned)atoi(getenv(name)) : otherwise;
}

TEST(whatever_is_ok_is_true)
{
	unsigned first = number_of("RANDOM_FIRST", 1), n = number_of("RANDOM_CASES", 100);

	for (unsigned i = 0; i < n; i++)
		run_case(first + i, N_DUMPS);
	fprintf(stderr, "%lu cases, %lu reads, %lu numbers\n", n_cases, n_reads, n_numbers);
	CU_ASSERT_TRUE(n_cases > n / 2 && n_numbers > 20 * n);
}

TEST(of_real_machines_too)
{
	for (unsigned i = 0; i < N_DUMPS; i++)
		for (unsigned k = 0; k < number_of("RANDOM_DUMPS", 1); k++)
			run_case(1000 * i + k, i);
}
