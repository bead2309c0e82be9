// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "onresctrl.h"

static const char *const events[3] = {"llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"};

/* It looks at its counters before each access to a number, if time has passed. */
static void live(void *arg, const struct unc_addr *addr, bool write, uint64_t off)
{
	struct onresctrl *k = arg;

	(void)addr, (void)write, (void)off;
	if (unc_machine_raw_ns(k->x.o.m) != k->looked_ns)
		onresctrl_update(k);
}

static void find_l3s(struct onresctrl *k)
{
	const struct unc_rdt *rdt;

	OK(&k->x.o, unc_rdt_of(k->x.o.m, &rdt));
	k->n_l3s = (unsigned)rdt->info.n_l3s;
	CU_ASSERT_FATAL(k->n_l3s <= ONRESCTRL_L3S);
	for (unsigned i = 0; i < k->n_l3s; i++) {
		k->id[i] = rdt->l3s[i].id;
		k->cpu[i] = rdt->l3s[i].cpus[rdt->l3s[i].n_cpus - 1]; /* not where ours is read */
	}
	k->bits = rdt->info.counter_bits;
	k->snc = rdt->info.nodes;
	k->n_rmids = rdt->info.cpuid_max_rmid + 1;
}

static void open_kernel(struct onresctrl *k, const char *model, const char *common, const char *own, bool clusters)
{
	onresctrl_close(k);
	k->tree = tree_new();
	snprintf(k->mount, sizeof(k->mount), "sys/fs/resctrl");
	tree_text(&k->tree, "proc/mounts",
		  test_text("proc /proc proc rw 0 0\nresctrl /%s resctrl rw,relatime 0 0\n", k->mount));
	onresctrl_put(k, "", "info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n");
	onllc_machine(&k->x, model, common, test_text("files=%s,%s", k->tree.root, own));
	for (unsigned cpu = 0; clusters && cpu < 2; cpu++)
		onllc_poke(&k->x, cpu, 0xca0, 0); /* as Linux has it: RMIDs are shared out */
	find_l3s(k);
	k->factor = 1;
	if (!clusters)
		k->snc = 1;
	k->x.o.fault.before = live;
	k->x.o.fault.arg = k;
	k->cfg.tolerance = -1;
}

void onresctrl_open(struct onresctrl *k, const char *model, const char *common, const char *own)
{
	open_kernel(k, model, common, own, strstr(common, "snc="));
}

void onresctrl_open_old(struct onresctrl *k, const char *model, const char *common, const char *own)
{
	open_kernel(k, model, common, own, false);
	k->factor = k->x.o.m->rdt->info.nodes;
}

void onresctrl_close(struct onresctrl *k)
{
	k->x.o.fault.before = NULL;
	if (k->xc)
		OK(&k->x.o, unc_xcheck_close(k->xc));
	onsim_close(&k->x.o);
	if (k->tree.root[0])
		tree_remove(&k->tree);
	memset(k, 0, sizeof(*k));
}

void onresctrl_put(struct onresctrl *k, const char *path, const char *name, const char *text)
{
	tree_text(&k->tree, test_text("%s/%s%s%s", k->mount, path, path[0] ? "/" : "", name), text);
}

static uint64_t qm(struct onresctrl *k, unsigned l3, unsigned event, unsigned rmid)
{
	uint64_t was = onllc_peek(&k->x, k->cpu[l3], R_EVTSEL), sum = 0;

	for (unsigned node = 0; node < k->snc; node++) {
		unsigned each = k->snc > 1 ? node * (k->n_rmids / k->snc) : 0;
		uint64_t ctr;

		onllc_poke(&k->x, k->cpu[l3], R_EVTSEL, (uint64_t)(rmid + each) << 32 | (event + 1));
		ctr = onllc_peek(&k->x, k->cpu[l3], R_QM_CTR);
		if (ctr >> 62) /* AMD: once more */
			ctr = onllc_peek(&k->x, k->cpu[l3], R_QM_CTR);
		sum += ctr >> 62 ? 0 : ctr;
	}
	onllc_poke(&k->x, k->cpu[l3], R_EVTSEL, was);
	return sum;
}

static void read_group(struct onresctrl *k, struct onresctrl_group *group, bool anew)
{
	uint64_t mask = (UINT64_C(1) << k->bits) - 1;

	for (unsigned l3 = 0; l3 < k->n_l3s; l3++) {
		for (unsigned event = 0; event < 3; event++) {
			uint64_t now = qm(k, l3, event, group->rmid);

			group->chunks[l3][event] =
				anew         ? 0
				: event == 0 ? now
					     : group->chunks[l3][event] + ((now - group->prev[l3][event]) & mask);
			group->prev[l3][event] = now;
		}
	}
}

/* Linux get_corrected_mbm_count(), mon_scale. */
static uint64_t bytes_of(struct onresctrl *k, const struct onresctrl_group *group, unsigned l3, unsigned event)
{
	const struct unc_rdt *rdt;
	uint64_t chunks = group->chunks[l3][event];

	OK(&k->x.o, unc_rdt_of(k->x.o.m, &rdt));
	if (event && group->rmid > rdt->info.exact_rmid)
		chunks = chunks * (uint64_t)(1048576 * rdt->info.factor + 0.5) >> 20;
	return chunks * rdt->info.unit_bytes;
}

static bool is_in(const struct onresctrl_group *child, const struct onresctrl_group *parent)
{
	size_t len = strlen(parent->path);
	const char *rest = child->path + len;

	if (strncmp(child->path, parent->path, len) != 0)
		return false;
	if (len)
		rest += *rest == '/';
	return child != parent && child->there && strncmp(rest, "mon_groups/", 11) == 0;
}

static void say(struct onresctrl *k, const struct onresctrl_group *group)
{
	for (unsigned l3 = 0; l3 < k->n_l3s; l3++) {
		for (unsigned event = 0; event < 3; event++) {
			const char *name = test_text("mon_data/mon_L3_%02u/%s", k->id[l3], events[event]);
			uint64_t bytes = bytes_of(k, group, l3, event);

			for (unsigned i = 0; i < ONRESCTRL_GROUPS; i++)
				if (is_in(&k->groups[i], group))
					bytes += bytes_of(k, &k->groups[i], l3, event);
			bytes = (uint64_t)((double)bytes * k->factor);
			onresctrl_put(k, group->path, name, test_text("%" PRIu64 "\n", bytes));
		}
	}
}

void onresctrl_update(struct onresctrl *k)
{
	k->looked_ns = unc_machine_raw_ns(k->x.o.m);
	for (unsigned i = 0; i < ONRESCTRL_GROUPS; i++)
		if (k->groups[i].there)
			read_group(k, &k->groups[i], false);
	for (unsigned i = 0; i < ONRESCTRL_GROUPS; i++)
		if (k->groups[i].there)
			say(k, &k->groups[i]);
}

void onresctrl_group(struct onresctrl *k, const char *path, unsigned rmid, const char *cpus, const char *tasks)
{
	struct onresctrl_group *group = k->groups;

	while (group->there && group < k->groups + ONRESCTRL_GROUPS - 1)
		group++;
	CU_ASSERT_FATAL(!group->there);
	*group = (struct onresctrl_group){.rmid = rmid, .there = true};
	snprintf(group->path, sizeof(group->path), "%s", path);
	onresctrl_put(k, path, "cpus_list", test_text("%s\n", cpus));
	onresctrl_put(k, path, "tasks", tasks);
	if (k->hw_id)
		onresctrl_put(k, path, "mon_hw_id", test_text("%u\n", rmid));
	read_group(k, group, true);
	say(k, group);
}

void onresctrl_drop(struct onresctrl *k, const char *path)
{
	struct tree dir;

	for (unsigned i = 0; i < ONRESCTRL_GROUPS; i++)
		if (k->groups[i].there && strcmp(k->groups[i].path, path) == 0)
			k->groups[i].there = false;
	snprintf(dir.root, sizeof(dir.root), "%.300s/%s/%s", k->tree.root, k->mount, path);
	tree_remove(&dir);
}

void onresctrl_task(struct onresctrl *k, unsigned tid, char state, unsigned cpu)
{
	const char *text = test_text(
		"%u (a b) %c 1 1 1 0 -1 4194304 10 0 0 0 5 6 0 0 20 0 1 0 4711 8192 390 18446744073709551615 1 2 3 0 0 "
		"0 0 0 0 0 0 0 17 %u 0 0 0 0 0\n",
		tid, state, cpu);

	tree_text(&k->tree, test_text("proc/%u/task/%u/stat", tid, tid), text);
}

void onresctrl_carry(struct onresctrl *k, unsigned first, unsigned last, unsigned rmid)
{
	for (unsigned cpu = first; cpu <= last; cpu++)
		onllc_poke(&k->x, cpu, R_PQR, rmid);
}

void onresctrl_run(struct onresctrl *k, const char *path, unsigned rmid, unsigned first, unsigned last)
{
	onresctrl_carry(k, first, last, rmid);
	onresctrl_group(k, path, rmid, test_text("%u-%u", first, last), "");
}

/* Two L3s: CPUs 0-3 and 8-11, 4-7 and 12-15. */
void onresctrl_open_loaded(struct onresctrl *k, const char *model, const char *common, const char *own)
{
	onresctrl_open(k, model, test_text("%s,load=%s", common, onsim_file(ONRESCTRL_LOAD)), own);
}

void onresctrl_open_bdx(struct onresctrl *k, bool hw_id)
{
	onresctrl_open_loaded(k, "bdx", BDX_16, "dword_ns=0");
	k->hw_id = hw_id;
	onresctrl_group(k, "", 0, "2-15", "1\n2\n3\n");
	onresctrl_run(k, "jobs", 5, 0, 1);
}

void onresctrl_begin(struct onresctrl *k, bool hw_id)
{
	onresctrl_open_bdx(k, hw_id);
	onresctrl_watch(k, "jobs");
}

void onresctrl_begin_one(struct onresctrl *k, unsigned rmid)
{
	k->hw_id = true;
	onresctrl_group(k, "", 0, "1-3", "");
	onresctrl_run(k, "jobs", rmid, 0, 0);
	onresctrl_watch(k, "jobs");
}

int onresctrl_try(struct onresctrl *k, const char *group)
{
	if (!k->xc)
		OK(&k->x.o, unc_xcheck_open(k->x.o.m, &k->cfg, &k->xc));
	return unc_xcheck_add_resctrl(k->xc, group);
}

void onresctrl_add(struct onresctrl *k, const char *group)
{
	OK(&k->x.o, onresctrl_try(k, group));
}

void onresctrl_watch(struct onresctrl *k, const char *group)
{
	onresctrl_add(k, group);
	onresctrl_start(k);
}

void onresctrl_rows(struct onresctrl *k)
{
	k->n = unc_xcheck_count(k->xc);
	CU_ASSERT_FATAL(k->n > 0 && k->n <= ONRESCTRL_ROWS);
	for (size_t i = 0; i < k->n; i++)
		OK(&k->x.o, unc_xcheck_row(k->xc, i, &k->rows[i]));
}

void onresctrl_start(struct onresctrl *k)
{
	OK(&k->x.o, unc_xcheck_start(k->xc));
	onresctrl_rows(k);
}

void onresctrl_sample(struct onresctrl *k, uint64_t ns)
{
	OK(&k->x.o, unc_xcheck_sleep_until(k->xc, unc_machine_mono_ns(k->x.o.m) + ns));
	onresctrl_update(k);
	OK(&k->x.o, unc_xcheck_sample(k->xc));
	onresctrl_rows(k);
}

struct unc_xcheck_row *onresctrl_row(struct onresctrl *k, const char *group, unsigned l3, const char *event)
{
	const char *source = test_text("%s%smon_data/mon_L3_%02u/%s", group, group[0] ? "/" : "", l3, event);

	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->rows[i].source, source) == 0)
			return &k->rows[i];
	fprintf(stderr, "there is no row of %s\n", source);
	CU_FAIL_FATAL("no such row");
	return NULL;
}

static void is(const struct unc_xcheck_row *row, enum unc_xcheck_verdict verdict, const char *why)
{
	if (row->verdict != verdict)
		fprintf(stderr, "%s: %s\n", row->source, row->why ? row->why : "");
	EQ(row->verdict, verdict);
	HAS(row->why ? row->why : "", why);
}

struct unc_xcheck_row *onresctrl_is(struct onresctrl *k, const char *group, unsigned l3, const char *event,
				    enum unc_xcheck_verdict verdict, const char *why)
{
	struct unc_xcheck_row *row = onresctrl_row(k, group, l3, event);

	is(row, verdict, why);
	return row;
}

void onresctrl_are(struct onresctrl *k, enum unc_xcheck_verdict verdict, const char *why)
{
	for (size_t i = 0; i < k->n; i++)
		is(&k->rows[i], verdict, why);
}

void onresctrl_goes_on(struct onresctrl *k)
{
	onresctrl_sample(k, S_NS);
	onresctrl_agrees(k);
}

void onresctrl_agrees(struct onresctrl *k)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct unc_xcheck_row *row = &k->rows[i];

		is(row, UNC_XCHECK_OK, "");
		EQ(row->kernel, row->raw);
		CU_ASSERT_TRUE(row->has_kernel && row->has_raw && !row->has_ours);
		CU_ASSERT_PTR_NULL(row->why);
	}
}
