// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate is the only way: every public function, on a machine that is opened for reading, in a dry run and for writing, while a
 * spy sits at the backend (spy.h).  The scenes are compared with the headers in include/, so that a new function must have one.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <unistd.h>

#include "base/text.h"
#include "spy.h"
#include "test.h"
#include "uncore/check.h"
#include "uncore/doctor.h"
#include "uncore/event.h"
#include "uncore/recover.h"
#include "uncore/reg.h"
#define UNC_REGIONS
#include "uncore/region.h"
#include "uncore/task.h"
#include "uncore/traffic.h"
#include "uncore/xcheck.h"

enum { COUNTS_MAX = 16, ROWS_MAX = 8 };

/* ---- what scenes begin with ---- */

/* Where a box stops to be read, and counters take turns: all the writes that counting knows. */
static void add_events(struct spy *s)
{
	static const char *const events[] = {"cas_count.rd",        "cas_count.wr", "act_count.all",
					     "pre_count.page_miss", "rpq_inserts",  "clockticks"};
	static const struct unc_session_cfg cfg = {.freeze = true, .multiplex = true};

	OK(s, unc_session_open(s->m, &cfg, &s->session));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		OK(s, unc_session_add(s->session, s->box, events[i], NULL));
}

static void count(struct spy *s)
{
	add_events(s);
	unc_session_start(s->session);
}

static void add_group(struct spy *s)
{
	static const struct unc_llc_cfg cfg;
	static const unsigned cpus[] = {0, 1};

	OK(s, unc_llc_open(s->m, &cfg, &s->llc));
	OK(s, unc_llc_add(s->llc, "group", cpus, 2));
}

static void monitor(struct spy *s)
{
	add_group(s);
	unc_llc_start(s->llc);
}

static void write_ctl(struct spy *s)
{
	uint64_t now;

	unc_box_reg_write(s->box, onsim_reg_number(s->box, "CTL", 0), 0x304, &now);
}

static void add_task(struct spy *s)
{
	OK(s, unc_task_open(s->m, 0, &s->task));
}

static uint64_t later(struct spy *s, uint64_t ns)
{
	return unc_machine_mono_ns(s->m) + ns;
}

/* Looks what is left; of a machine that was not left changed that is nothing. */
static void look_left(struct spy *s)
{
	OK(s, unc_recover_open(s->m, &s->recover));
}

/* ---- scenes: one for each function ---- */

enum { LOOKS, WRITES }; /* does it write, where the machine was opened for that? */

struct scene {
	const char *name;
	void (*play)(struct spy *s);
	int kind;
	struct scene *next;
};
static struct scene *scenes;

/* A scene that adds itself to the list; what it does follows as a block, or for SCENE() as arguments. */
#define LONG_SCENE(function, writes)                                                                                   \
	static void play_##function(struct spy *s);                                                                    \
	__attribute__((constructor)) static void add_##function(void)                                                  \
	{                                                                                                              \
		static struct scene scene = {"unc_" #function, play_##function, writes, NULL};                         \
		scene.next = scenes;                                                                                   \
		scenes = &scene;                                                                                       \
	}                                                                                                              \
	static void play_##function(struct spy *s)
#define SCENE(function, writes, ...)                                                                                   \
	LONG_SCENE(function, writes)                                                                                   \
	{                                                                                                              \
		__VA_ARGS__;                                                                                           \
	}

static void ignore(void *arg, const char *sentence)
{
	(void)arg;
	(void)sentence;
}

LONG_SCENE(new, LOOKS)
{
	struct unc_ctx *ctx = NULL;

	spy_begin(s);
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	unc_free(ctx);
	spy_end(s);
}
SCENE(free, LOOKS, play_new(s))
SCENE(version, LOOKS, UNDER(s, unc_version()))

LONG_SCENE(machine_open, LOOKS)
{
	struct unc_machine_cfg cfg = {.machine = "sim:bdx", .writable = true};
	struct unc_machine *m = NULL;

	spy_begin(s);
	OK(s, unc_machine_open(s->ctx, &cfg, &m));
	spy_end(s);
	CU_ASSERT(unc_machine_close(m) == 0);
}

LONG_SCENE(machine_close, WRITES)
{
	write_ctl(s);
	UNDER(s, unc_machine_close(s->m));
	s->m = NULL;
	s->fault = NULL;
}

SCENE(errmsg, LOOKS, UNDER(s, unc_errmsg(s->ctx)))
SCENE(set_log, LOOKS, UNDER(s, unc_set_log(s->ctx, ignore, NULL)))
SCENE(machine_info, LOOKS, struct unc_machine_info info; UNDER(s, unc_machine_info(s->m, &info)))
SCENE(machine_cpu, LOOKS, struct unc_cpu_info info; UNDER(s, unc_machine_cpu(s->m, &info)))
SCENE(machine_fact, LOOKS, struct unc_machine_fact fact; UNDER(s, unc_machine_fact(s->m, 0, &fact)))
SCENE(machine_raw_ns, LOOKS, UNDER(s, unc_machine_raw_ns(s->m)))
SCENE(machine_mono_ns, LOOKS, UNDER(s, unc_machine_mono_ns(s->m)))
SCENE(machine_real_ns, LOOKS, UNDER(s, unc_machine_real_ns(s->m)))

SCENE(machine_sleep_until, LOOKS, UNDER(s, unc_machine_sleep_until(s->m, later(s, S_NS))))

/* On the simulated machine, whose model is told of it. */
static const unsigned traffic_cpus[] = {0};
static const struct unc_traffic traffic = {
	.kind = UNC_TRAFFIC_WRITE, .cpus = traffic_cpus, .n_cpus = 1, .bytes_per_s = 1000000, .size_bytes = 4096};
SCENE(traffic_start, LOOKS, UNDER(s, unc_traffic_start(s->m, &traffic)))
SCENE(traffic_look, LOOKS, struct unc_traffic_done done; OK(s, unc_traffic_start(s->m, &traffic));
      UNDER(s, unc_traffic_look(s->m, &done)))
SCENE(traffic_stop, LOOKS, struct unc_traffic_done done; OK(s, unc_traffic_start(s->m, &traffic));
      UNDER(s, unc_traffic_stop(s->m, &done)))

SCENE(box_count, LOOKS, UNDER(s, unc_box_count(s->m, NULL)))
SCENE(box_at, LOOKS, UNDER(s, unc_box_at(s->m, "imc", 1)))
SCENE(box_info, LOOKS, struct unc_box_info info; UNDER(s, unc_box_info(s->box, &info)))
SCENE(box_find, LOOKS, struct unc_box *box; UNDER(s, unc_box_find(s->m, "cpu3.rdt", &box)))
SCENE(box_reg_count, LOOKS, UNDER(s, unc_box_reg_count(s->box)))
SCENE(box_reg_info, LOOKS, struct unc_reg_info info; UNDER(s, unc_box_reg_info(s->box, 0, &info)))
SCENE(box_field_info, LOOKS, struct unc_field_info info; UNDER(s, unc_box_field_info(s->box, 0, 0, &info)))
SCENE(box_field_value, LOOKS, uint64_t value; UNDER(s, unc_box_field_value(s->box, 0, 0, 5, &value)))
SCENE(box_reg_base, LOOKS, uint64_t value; UNDER(s, unc_box_reg_base(s->box, 0, 5, &value)))
SCENE(box_field_put, LOOKS, uint64_t value = 0; UNDER(s, unc_box_field_put(s->box, 0, 0, 1, &value)))
SCENE(box_reg_allows, LOOKS, UNDER(s, unc_box_reg_allows(s->box, onsim_reg_number(s->box, "CTL", 0), 0x304)))
SCENE(box_state, LOOKS, struct unc_box_state state; UNDER(s, unc_box_state(s->box, &state)))

/* Each register of each box, MSRs of a CPU among them. */
LONG_SCENE(box_reg_read, LOOKS)
{
	struct unc_box *box = NULL;
	uint64_t value;

	CU_ASSERT(unc_box_find(s->m, "cpu2.rdt", &box) == 0);
	spy_begin(s);
	for (size_t i = 0; i <= unc_box_count(s->m, NULL); i++) {
		for (size_t k = 0; k < unc_box_reg_count(box); k++)
			unc_box_reg_read(box, k, &value);
		box = unc_box_at(s->m, NULL, i);
		if (!box)
			break;
	}
	spy_end(s);
}

/* Each register of a box gets each single bit: what the map forbids is refused, whatever it is. */
static void try_every_bit(struct unc_box *box)
{
	uint64_t now;

	for (size_t i = 0; i < unc_box_reg_count(box); i++)
		for (unsigned bit = 0; bit < 64; bit++)
			unc_box_reg_write(box, i, UINT64_C(1) << bit, &now);
}

LONG_SCENE(box_reg_write, WRITES)
{
	struct unc_box *box = NULL;

	CU_ASSERT(unc_box_find(s->m, "cpu2.rdt", &box) == 0);
	spy_begin(s);
	try_every_bit(box);
	for (size_t i = 0; i < unc_box_count(s->m, NULL); i++)
		try_every_bit(unc_box_at(s->m, NULL, i));
	spy_end(s);
	s->kept =
		true; /* bits that writing 1 clears, and write-only ones: tests of the gate tell what becomes of them */
}

LONG_SCENE(box_reg_keep, LOOKS)
{
	write_ctl(s);
	UNDER(s, unc_box_reg_keep(s->box, onsim_reg_number(s->box, "CTL", 0)));
	s->kept = true;
}

SCENE(box_reg_plan, LOOKS, UNDER(s, unc_box_reg_plan(s->box, onsim_reg_number(s->box, "CTL", 0), 0x304)))
SCENE(machine_put_back, WRITES, write_ctl(s); UNDER(s, unc_machine_put_back(s->m)))

/* What is made is tried at once: the header of a function, a register that a map names, one that none does. */
LONG_SCENE(raw_pci, WRITES)
{
	static const uint32_t offsets[] = {0x04, 0x10, 0x3c, 0xd8, 0x84};
	struct unc_box *box;
	uint64_t now;

	s->by_offset = true;
	spy_begin(s);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		OK(s, unc_raw_pci(s->m, s->box->pci, offsets[i], &box));
		if (unc_box_reg_write(box, 0, 0, &now) == 0 && offsets[i] != 0x84)
			CU_FAIL("a place that is never written by its offset was");
	}
	spy_end(s);
}

LONG_SCENE(raw_msr, WRITES)
{
	struct unc_box *box;
	uint64_t now;

	s->by_offset = true;
	spy_begin(s);
	OK(s, unc_raw_msr(s->m, 0, 0x1a4, &box)); /* MSR_PREFETCH_CONTROL (SDM vol. 4), which no map names */
	unc_box_reg_write(box, 0, 0xf, &now);
	spy_end(s);
}

/* A unit of a discovery table, of which this machine has none: tests/unit/test_raw.c has more. */
SCENE(raw_mmio, LOOKS, struct unc_box *box; UNDER(s, unc_raw_mmio(s->m, "00:00.0/7.0", 0, &box)))
SCENE(event_count, LOOKS, UNDER(s, unc_event_count(s->m, "imc")))
SCENE(event_info, LOOKS, struct unc_event_info info; UNDER(s, unc_event_info(s->m, "imc", 0, &info)))
SCENE(source_title, LOOKS, UNDER(s, unc_source_title(s->m, "imc", "krn")))
SCENE(metric_count, LOOKS, UNDER(s, unc_metric_count(s->m, "imc")))
SCENE(metric_info, LOOKS, struct unc_metric_info info; UNDER(s, unc_metric_info(s->m, "imc", 0, &info)))
SCENE(metric_find, LOOKS, size_t metric; UNDER(s, unc_metric_find(s->m, "imc", "page_hit", &metric)))
SCENE(metric_event, LOOKS, struct unc_metric_event event; UNDER(s, unc_metric_event(s->m, "imc", 0, 0, &event)))

static const double numbers[UNC_SLOTS_MAX];
SCENE(metric_value, LOOKS, double value; UNDER(s, unc_metric_value(s->m, "imc", 0, numbers, 1, &value)))
SCENE(metric_measure, LOOKS, double value; double doubt;
      UNDER(s, unc_metric_measure(s->m, "imc", 0, numbers, numbers, 1, &value, &doubt)))
SCENE(metric_explain, LOOKS, char buf[99]; UNDER(s, unc_metric_explain(s->m, "imc", 0, numbers, 1, buf, sizeof(buf))))
SCENE(count_value, LOOKS, struct unc_count one = {0}; UNDER(s, unc_count_value(&one)))

SCENE(session_open, LOOKS, UNDER(s, add_events(s)))
SCENE(session_add, LOOKS, play_session_open(s))
SCENE(session_begin_set, LOOKS, add_events(s); UNDER(s, unc_session_begin_set(s->session, true)))
SCENE(session_end_set, LOOKS, play_session_begin_set(s); UNDER(s, unc_session_end_set(s->session)))
SCENE(session_event, LOOKS, add_events(s); UNDER(s, unc_session_event(s->session, 0)))
SCENE(session_start, WRITES, add_events(s); UNDER(s, unc_session_start(s->session)))
SCENE(session_read, WRITES, struct unc_count counts[COUNTS_MAX]; count(s);
      UNDER(s, unc_session_read(s->session, counts, 6)))

SCENE(session_sleep_until, WRITES, count(s); UNDER(s, unc_session_sleep_until(s->session, later(s, S_NS / 10))))
SCENE(session_close, WRITES, count(s); UNDER(s, unc_session_close(s->session)); s->session = NULL)

/* What others count is looked at, in every way, on whatever machine: nothing of that writes. */
LONG_SCENE(session_add_counter, LOOKS)
{
	static const struct unc_session_cfg cfg = {.observe = true};
	struct unc_count count;

	spy_other_counts(s);
	spy_begin(s);
	OK(s, unc_session_open(s->m, &cfg, &s->session));
	OK(s, unc_session_add_counter(s->session, s->box, 0, NULL));
	OK(s, unc_session_start(s->session));
	OK(s, unc_session_sleep_until(s->session, unc_machine_mono_ns(s->m) + S_NS));
	OK(s, unc_session_read(s->session, &count, 1));
	OK(s, unc_session_confirm(s->session, &count, 1));
	spy_end(s);
}
SCENE(session_confirm, LOOKS, play_session_add_counter(s))

/* Regions of what others count; but a region whose events take turns gives a counter to the next event. */
LONG_SCENE(regions_open, LOOKS)
{
	static const struct unc_session_cfg cfg = {.observe = true};
	struct unc_region_info info;
	struct unc_regions *regions;
	struct unc_count sum;

	spy_other_counts(s);
	OK(s, unc_session_open(s->m, &cfg, &s->session));
	OK(s, unc_session_add_counter(s->session, s->box, 0, NULL));
	OK(s, unc_session_start(s->session));
	spy_begin(s);
	OK(s, unc_regions_open(s->session, &regions));
	OK(s, unc_region_begin(regions, "solve"));
	OK(s, unc_machine_sleep_until(s->m, later(s, S_NS)));
	OK(s, unc_region_end(regions, "solve"));
	EQ(unc_region_count(regions), 1);
	OK(s, unc_region_info(regions, 0, &info));
	OK(s, unc_region_counts(regions, 0, &sum, 1));
	unc_regions_close(regions);
	spy_end(s);
}
SCENE(regions_close, LOOKS, play_regions_open(s))
SCENE(region_begin, LOOKS, play_regions_open(s))
SCENE(region_count, LOOKS, play_regions_open(s))
SCENE(region_info, LOOKS, play_regions_open(s))
SCENE(region_counts, LOOKS, play_regions_open(s))
LONG_SCENE(region_end, WRITES)
{
	struct unc_regions *regions = NULL;

	count(s);
	if (unc_regions_open(s->session, &regions) == 0) { /* it has started */
		OK(s, unc_region_begin(regions, "solve"));
		OK(s, unc_machine_sleep_until(s->m, later(s, S_NS)));
	}
	UNDER(s, regions ? unc_region_end(regions, "solve") : 0);
	unc_regions_close(regions);
}

SCENE(llc_info, LOOKS, struct unc_llc_info info; UNDER(s, unc_llc_info(s->m, &info)))
SCENE(l3_info, LOOKS, struct unc_l3_info info; UNDER(s, unc_l3_info(s->m, 0, &info)))
SCENE(llc_open, LOOKS, UNDER(s, add_group(s)))
SCENE(llc_add, LOOKS, play_llc_open(s))
SCENE(llc_events, LOOKS, add_group(s); UNDER(s, unc_llc_events(s->llc)))
SCENE(llc_add_rmids, LOOKS, add_group(s); UNDER(s, unc_llc_add_rmids(s->llc)))
SCENE(llc_start, WRITES, add_group(s); UNDER(s, unc_llc_start(s->llc)))
SCENE(llc_row_count, LOOKS, monitor(s); UNDER(s, unc_llc_row_count(s->llc)))
SCENE(llc_row_info, LOOKS, struct unc_llc_row_info info; monitor(s); UNDER(s, unc_llc_row_info(s->llc, 0, &info)))
SCENE(llc_read, WRITES, struct unc_llc_row rows[ROWS_MAX]; monitor(s); UNDER(s, unc_llc_read(s->llc, rows, 1)))
SCENE(llc_confirm, LOOKS, struct unc_llc_row rows[ROWS_MAX]; monitor(s); unc_llc_read(s->llc, rows, 1);
      UNDER(s, unc_llc_confirm(s->llc, rows, 1)))
SCENE(llc_look_last, LOOKS, monitor(s); UNDER(s, unc_llc_look_last(s->llc)))

SCENE(llc_sleep_until, WRITES, monitor(s);
      UNDER(s, unc_llc_sleep_until(s->llc, later(s, 20 * S_NS)))) /* counters of 24 bits could wrap */
SCENE(llc_complete, LOOKS, char buf[99]; monitor(s); UNDER(s, unc_llc_complete(s->llc, buf, sizeof(buf))))
SCENE(llc_close, WRITES, monitor(s); UNDER(s, unc_llc_close(s->llc)); s->llc = NULL)

SCENE(recover_open, LOOKS, UNDER(s, look_left(s)))
SCENE(recover_close, LOOKS, look_left(s); UNDER(s, unc_recover_close(s->recover)); s->recover = NULL)
SCENE(recover_journals, LOOKS, look_left(s); UNDER(s, unc_recover_journals(s->recover)))
SCENE(recover_journal, LOOKS, struct unc_recover_journal one; look_left(s);
      UNDER(s, unc_recover_journal(s->recover, 0, &one)))
SCENE(recover_count, LOOKS, look_left(s); UNDER(s, unc_recover_count(s->recover)))
SCENE(recover_info, LOOKS, struct unc_recover_info info; look_left(s); UNDER(s, unc_recover_info(s->recover, 0, &info)))

/* What was left is back then, and only then. */
LONG_SCENE(recover_run, WRITES)
{
	look_left(s);
	UNDER(s, s->kept = unc_recover_run(s->recover, true) != 0 || s->m->dry_run);
}

/* It opens the machine by itself, and shows each access. */
LONG_SCENE(doctor_run, LOOKS)
{
	struct unc_machine_cfg cfg = {
		.machine = s->name, .writable = true, .state_dir = s->journals, .trace = spy_trace, .trace_arg = s};

	spy_begin(s);
	OK(s, unc_doctor_run(s->ctx, &cfg, &s->doctor));
	spy_end(s);
}
SCENE(doctor_count, LOOKS, play_doctor_run(s); UNDER(s, unc_doctor_count(s->doctor)))
SCENE(doctor_line, LOOKS, struct unc_doctor_line line; play_doctor_run(s);
      UNDER(s, unc_doctor_line(s->doctor, 0, &line)))
SCENE(doctor_verdict, LOOKS, play_doctor_run(s); UNDER(s, unc_doctor_verdict(s->doctor)))
SCENE(doctor_free, LOOKS, play_doctor_run(s); UNDER(s, unc_doctor_free(s->doctor)); s->doctor = NULL)

SCENE(task_open, LOOKS, UNDER(s, add_task(s)))
SCENE(task_cpus, LOOKS, const unsigned *cpus; size_t n; add_task(s); UNDER(s, unc_task_cpus(s->task, &cpus, &n)))
SCENE(task_look, LOOKS, unsigned flags; add_task(s); UNDER(s, unc_task_look(s->task, &flags)))
SCENE(task_begin, LOOKS, add_task(s); UNDER(s, unc_task_begin(s->task)))
SCENE(task_close, LOOKS, add_task(s); UNDER(s, unc_task_close(s->task)); s->task = NULL)

/* One that looks and one that writes, which is enough of them here: checks write through the gate as all do. */
static void choose_checks(struct spy *s)
{
	static const char *const only[] = {"presence.ids", "registers.width"};
	const struct unc_check_cfg cfg = {.only = only, .n_only = 2, .observe = !s->m->writable};

	OK(s, unc_check_open(s->m, &cfg, &s->check));
}
static void run_checks(struct spy *s)
{
	choose_checks(s);
	unc_check_run(s->check);
}

SCENE(check_about, LOOKS, UNDER(s, unc_check_about(0) != NULL))
SCENE(check_open, LOOKS, UNDER(s, choose_checks(s)))
SCENE(check_chosen, LOOKS, choose_checks(s); UNDER(s, unc_check_chosen(s->check, 0) != NULL))
SCENE(check_run, WRITES, choose_checks(s); UNDER(s, unc_check_run(s->check)))
SCENE(check_results, LOOKS, run_checks(s); UNDER(s, unc_check_results(s->check)))
SCENE(check_result, LOOKS, struct unc_check_result result; run_checks(s);
      UNDER(s, unc_check_result(s->check, 0, &result)))
SCENE(check_value, LOOKS, struct unc_check_value value; run_checks(s);
      UNDER(s, unc_check_value(s->check, 0, 0, &value)))
SCENE(check_plot, LOOKS, struct unc_check_plot plot; run_checks(s); UNDER(s, unc_check_plot(s->check, 0, 0, &plot)))
SCENE(check_close, LOOKS, choose_checks(s); UNDER(s, unc_check_close(s->check)); s->check = NULL)

/* Beside the kernel's own counting, whose writes are not ours. */
static void add_both(struct spy *s)
{
	const struct unc_xcheck_cfg cfg = {.tolerance = -1, .observe = !s->m->writable};

	OK(s, unc_xcheck_open(s->m, &cfg, &s->xcheck));
	OK(s, unc_xcheck_add(s->xcheck, s->box, "cas_count.rd"));
}

static void count_both(struct spy *s)
{
	add_both(s);
	OK(s, unc_xcheck_start(s->xcheck));
}

SCENE(xcheck_open, LOOKS, UNDER(s, add_both(s)))
SCENE(xcheck_add, LOOKS, play_xcheck_open(s))
SCENE(xcheck_add_resctrl, LOOKS, add_both(s); UNDER(s, unc_xcheck_add_resctrl(s->xcheck, "")))
SCENE(xcheck_start, WRITES, add_both(s); UNDER(s, unc_xcheck_start(s->xcheck)))
SCENE(xcheck_sleep_until, LOOKS, count_both(s);
      UNDER(s, unc_xcheck_sleep_until(s->xcheck, later(s, 100 * S_NS)))) /* longer than it goes without a look */
SCENE(xcheck_sample, LOOKS, count_both(s); UNDER(s, unc_xcheck_sample(s->xcheck)))
SCENE(xcheck_count, LOOKS, count_both(s); UNDER(s, unc_xcheck_count(s->xcheck)))
SCENE(xcheck_row, LOOKS, struct unc_xcheck_row row; count_both(s); UNDER(s, unc_xcheck_row(s->xcheck, 0, &row)))
SCENE(xcheck_close, WRITES, count_both(s); UNDER(s, unc_xcheck_close(s->xcheck)); s->xcheck = NULL)

/* ---- all of them ---- */

static void play(const struct scene *scene, enum spy_mode mode)
{
	bool should_write = mode == SPY_WRITABLE && scene->kind == WRITES;
	struct spy s;

	if (strncmp(scene->name, "unc_recover_", 12) == 0)
		spy_open_left(&s, mode);
	else
		spy_open(&s, mode);
	scene->play(&s);
	if (s.under == UINT64_MAX || (s.under != 0) != should_write)
		fprintf(stderr, "\n%s was not called, or wrote %" PRIu64 " times (mode %d)\n", scene->name, s.under,
			(int)mode);
	CU_ASSERT(s.under != UINT64_MAX);
	CU_ASSERT_EQUAL(s.under != 0, should_write);
	spy_close(&s);
	CU_ASSERT(mode == SPY_WRITABLE || s.writes == 0);
	if (s.n_wrong)
		fprintf(stderr, "\n%s: %s\n", scene->name, s.wrong);
	EQ(s.n_wrong, 0);
}

static void play_all(enum spy_mode mode)
{
	for (const struct scene *scene = scenes; scene; scene = scene->next)
		play(scene, mode);
}

TEST(nothing_writes_on_a_machine_opened_for_reading)
{
	play_all(SPY_READ_ONLY);
}

TEST(nothing_writes_in_a_dry_run)
{
	play_all(SPY_DRY);
}

TEST(each_write_is_journalled_and_as_its_map_says)
{
	play_all(SPY_WRITABLE);
}

/* How many "UNC_API TYPE *unc_NAME(" there are in a header; each must be above. */
static size_t count_functions(const char *path)
{
	FILE *header = fopen(path, "r");
	size_t found = 0;
	char line[300];

	CU_ASSERT_PTR_NOT_NULL_FATAL(header);
	while (fgets(line, sizeof(line), header)) {
		char *name = strncmp(line, "UNC_API ", 8) == 0 ? strstr(line, "unc_") : NULL, *end = name;
		const struct scene *scene = scenes;

		while (name && (end = name + strcspn(name, " (")) && *end == ' ')
			name = strstr(end, "unc_"); /* after a struct that it returns */
		if (!name)
			continue;
		found++;
		*end = '\0';
		while (scene && strcmp(scene->name, name) != 0)
			scene = scene->next;
		if (!scene)
			fprintf(stderr, "\nno scene tries %s\n", name);
		CU_ASSERT_PTR_NOT_NULL(scene);
	}
	fclose(header);
	return found;
}

TEST(every_function_of_the_headers_is_tried)
{
	size_t found = count_functions("include/uncore.h");
	glob_t headers;

	CU_ASSERT_EQUAL_FATAL(glob("include/uncore/*.h", 0, NULL, &headers), 0);
	for (size_t i = 0; i < headers.gl_pathc; i++)
		found += count_functions(headers.gl_pathv[i]);
	globfree(&headers);
	for (const struct scene *scene = scenes; scene; scene = scene->next)
		found--;
	EQ(found, 0); /* and there is no scene of another */
}
