// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gate is the only way: every public function, on a machine that is opened for reading, in a dry run and for writing, while a
 * spy sits at the backend (spy.h).  The table at the end is compared with include/uncore.h, so that a new function must come here.
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
#include "uncore/task.h"
#include "uncore/traffic.h"
#include "uncore/xcheck.h"

enum { COUNTS_MAX = 16, ROWS_MAX = 8 };

/* ---- what scenes begin with ---- */

static struct unc_box *channel(struct spy *s)
{
	return s->box;
}

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

static void read_counts(struct spy *s)
{
	struct unc_count counts[COUNTS_MAX];

	UNDER(s, unc_session_read(s->session, counts, 6));
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

	unc_box_reg_write(s->box, spy_reg(s->box, "CTL"), 0x304, &now);
}

static void add_task(struct spy *s)
{
	OK(s, unc_task_open(s->m, 0, &s->task));
}

static void wait_ns(struct spy *s, int (*sleep_until)(struct spy *s, uint64_t mono_ns), uint64_t ns)
{
	UNDER(s, sleep_until(s, unc_machine_mono_ns(s->m) + ns));
}

/* Looks what is left; of a machine that nobody has left changed that is nothing. */
static void look_left(struct spy *s)
{
	OK(s, unc_recover_open(s->m, &s->recover));
}

/* ---- scenes: one for each function ---- */

#define SCENE(name, ...)                                                                                               \
	static void name(struct spy *s)                                                                                \
	{                                                                                                              \
		__VA_ARGS__;                                                                                           \
	}

static void ignore(void *arg, const char *sentence)
{
	(void)arg;
	(void)sentence;
}

static void new_and_free(struct spy *s)
{
	struct unc_ctx *ctx = NULL;

	spy_begin(s);
	CU_ASSERT_FATAL(unc_new(&ctx) == 0);
	unc_free(ctx);
	spy_end(s);
}

static void open_one(struct spy *s)
{
	struct unc_machine_cfg cfg = {.machine = "sim:bdx", .writable = true};
	struct unc_machine *m = NULL;

	spy_begin(s);
	OK(s, unc_machine_open(s->ctx, &cfg, &m));
	spy_end(s);
	CU_ASSERT(unc_machine_close(m) == 0);
}

static void close_it(struct spy *s)
{
	write_ctl(s);
	UNDER(s, unc_machine_close(s->m));
	s->m = NULL;
	s->fault = NULL;
}

SCENE(errmsg, UNDER(s, unc_errmsg(s->ctx)))
SCENE(set_log, UNDER(s, (unc_set_log(s->ctx, ignore, NULL), 0)))
SCENE(machine_info, struct unc_machine_info info; UNDER(s, (unc_machine_info(s->m, &info), 0)))
SCENE(machine_cpu, struct unc_cpu_info info; UNDER(s, unc_machine_cpu(s->m, &info)))
SCENE(machine_fact, struct unc_machine_fact fact; UNDER(s, unc_machine_fact(s->m, 0, &fact)))
SCENE(raw_ns, UNDER(s, unc_machine_raw_ns(s->m)))
SCENE(mono_ns, UNDER(s, unc_machine_mono_ns(s->m)))
SCENE(real_ns, UNDER(s, unc_machine_real_ns(s->m)))

static int machine_sleep(struct spy *s, uint64_t mono_ns)
{
	return unc_machine_sleep_until(s->m, mono_ns);
}
SCENE(sleep_until, wait_ns(s, machine_sleep, S_NS))

/* On the simulated machine, whose model is told of it. */
static const unsigned traffic_cpus[] = {0};
static const struct unc_traffic traffic = {
	.kind = UNC_TRAFFIC_WRITE, .cpus = traffic_cpus, .n_cpus = 1, .bytes_per_s = 1000000, .size_bytes = 4096};
SCENE(traffic_start, UNDER(s, unc_traffic_start(s->m, &traffic)))
SCENE(traffic_look, struct unc_traffic_done done; OK(s, unc_traffic_start(s->m, &traffic));
      UNDER(s, unc_traffic_look(s->m, &done)))
SCENE(traffic_stop, struct unc_traffic_done done; OK(s, unc_traffic_start(s->m, &traffic));
      UNDER(s, unc_traffic_stop(s->m, &done)))

SCENE(box_count, UNDER(s, unc_box_count(s->m, NULL)))
SCENE(box_at, UNDER(s, unc_box_at(s->m, "imc", 1)))
SCENE(box_info, struct unc_box_info info; UNDER(s, (unc_box_info(channel(s), &info), 0)))
SCENE(box_find, struct unc_box *box; UNDER(s, unc_box_find(s->m, "cpu3.rdt", &box)))
SCENE(reg_count, UNDER(s, unc_box_reg_count(channel(s))))
SCENE(reg_info, struct unc_reg_info info; UNDER(s, unc_box_reg_info(channel(s), 0, &info)))
SCENE(field_info, struct unc_field_info info; UNDER(s, unc_box_field_info(channel(s), 0, 0, &info)))
SCENE(field_value, uint64_t value; UNDER(s, unc_box_field_value(channel(s), 0, 0, 5, &value)))
SCENE(reg_base, uint64_t value; UNDER(s, unc_box_reg_base(channel(s), 0, 5, &value)))
SCENE(field_put, uint64_t value = 0; UNDER(s, unc_box_field_put(channel(s), 0, 0, 1, &value)))
SCENE(reg_allows, UNDER(s, unc_box_reg_allows(channel(s), spy_reg(channel(s), "CTL"), 0x304)))
SCENE(box_state, struct unc_box_state state; UNDER(s, unc_box_state(channel(s), &state)))

/* Each register of each box, MSRs of a CPU among them. */
static void reg_read(struct spy *s)
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

static void reg_write(struct spy *s)
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

static void reg_keep(struct spy *s)
{
	write_ctl(s);
	UNDER(s, unc_box_reg_keep(channel(s), spy_reg(channel(s), "CTL")));
	s->kept = true;
}

SCENE(reg_plan, UNDER(s, unc_box_reg_plan(channel(s), spy_reg(channel(s), "CTL"), 0x304)))
SCENE(put_back, write_ctl(s); UNDER(s, unc_machine_put_back(s->m)))

/* What is made is tried at once: the header of a function, a register that a map names, one that none does. */
static void raw_pci(struct spy *s)
{
	static const uint32_t offsets[] = {0x04, 0x10, 0x3c, 0xd8, 0x84};
	struct unc_box *box;
	uint64_t now;

	s->by_offset = true;
	spy_begin(s);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		OK(s, unc_raw_pci(s->m, channel(s)->pci, offsets[i], &box));
		if (unc_box_reg_write(box, 0, 0, &now) == 0 && offsets[i] != 0x84)
			CU_FAIL("a place that is never written by its offset was");
	}
	spy_end(s);
}

static void raw_msr(struct spy *s)
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
SCENE(raw_mmio, struct unc_box *box; UNDER(s, unc_raw_mmio(s->m, "00:00.0/7.0", 0, &box)))
SCENE(event_count, UNDER(s, unc_event_count(s->m, "imc")))
SCENE(event_info, struct unc_event_info info; UNDER(s, unc_event_info(s->m, "imc", 0, &info)))
SCENE(source_title, UNDER(s, unc_source_title(s->m, "imc", "krn")))
SCENE(metric_count, UNDER(s, unc_metric_count(s->m, "imc")))
SCENE(metric_info, struct unc_metric_info info; UNDER(s, unc_metric_info(s->m, "imc", 0, &info)))
SCENE(metric_find, size_t metric; UNDER(s, unc_metric_find(s->m, "imc", "page_hit", &metric)))
SCENE(metric_event, struct unc_metric_event event; UNDER(s, unc_metric_event(s->m, "imc", 0, 0, &event)))

static const double numbers[UNC_SLOTS_MAX];
SCENE(metric_value, double value; UNDER(s, unc_metric_value(s->m, "imc", 0, numbers, 1, &value)))
SCENE(metric_measure, double value; double doubt;
      UNDER(s, unc_metric_measure(s->m, "imc", 0, numbers, numbers, 1, &value, &doubt)))
SCENE(metric_explain, char buf[99]; UNDER(s, unc_metric_explain(s->m, "imc", 0, numbers, 1, buf, sizeof(buf))))
SCENE(count_value, struct unc_count one = {0}; UNDER(s, unc_count_value(&one)))

SCENE(session_open, spy_begin(s); add_events(s); spy_end(s))
SCENE(begin_set, add_events(s); UNDER(s, unc_session_begin_set(s->session, true)))
SCENE(end_set, begin_set(s); UNDER(s, unc_session_end_set(s->session)))
SCENE(session_event, add_events(s); UNDER(s, unc_session_event(s->session, 0)))
SCENE(session_start, add_events(s); UNDER(s, unc_session_start(s->session)))
SCENE(session_read, count(s); read_counts(s))

static int session_sleep(struct spy *s, uint64_t mono_ns)
{
	return unc_session_sleep_until(s->session, mono_ns);
}
SCENE(session_sleep_until, count(s); wait_ns(s, session_sleep, S_NS / 10))
SCENE(session_close, count(s); UNDER(s, unc_session_close(s->session)); s->session = NULL)

/* What others count is looked at, in every way, on whatever machine: nothing of that writes. */
static void observe(struct spy *s)
{
	static const struct unc_session_cfg cfg = {.observe = true};
	struct unc_count count;

	spy_somebody_counts(s);
	spy_begin(s);
	OK(s, unc_session_open(s->m, &cfg, &s->session));
	OK(s, unc_session_add_counter(s->session, s->box, 0, NULL));
	OK(s, unc_session_start(s->session));
	OK(s, unc_session_sleep_until(s->session, unc_machine_mono_ns(s->m) + S_NS));
	OK(s, unc_session_read(s->session, &count, 1));
	OK(s, unc_session_confirm(s->session, &count, 1));
	spy_end(s);
}

SCENE(llc_info, struct unc_llc_info info; UNDER(s, unc_llc_info(s->m, &info)))
SCENE(l3_info, struct unc_l3_info info; UNDER(s, unc_l3_info(s->m, 0, &info)))
SCENE(llc_open, spy_begin(s); add_group(s); spy_end(s))
SCENE(llc_events, add_group(s); UNDER(s, unc_llc_events(s->llc)))
SCENE(llc_add_rmids, add_group(s); UNDER(s, unc_llc_add_rmids(s->llc)))
SCENE(llc_start, add_group(s); UNDER(s, unc_llc_start(s->llc)))
SCENE(llc_row_count, monitor(s); UNDER(s, unc_llc_row_count(s->llc)))
SCENE(llc_row_info, struct unc_llc_row_info info; monitor(s); UNDER(s, unc_llc_row_info(s->llc, 0, &info)))
SCENE(llc_read, struct unc_llc_row rows[ROWS_MAX]; monitor(s); UNDER(s, unc_llc_read(s->llc, rows, 1)))
SCENE(llc_confirm, struct unc_llc_row rows[ROWS_MAX]; monitor(s); unc_llc_read(s->llc, rows, 1);
      UNDER(s, unc_llc_confirm(s->llc, rows, 1)))
SCENE(llc_look_last, monitor(s); UNDER(s, unc_llc_look_last(s->llc)))

static int llc_sleep(struct spy *s, uint64_t mono_ns)
{
	return unc_llc_sleep_until(s->llc, mono_ns);
}
SCENE(llc_sleep_until, monitor(s); wait_ns(s, llc_sleep, 20 * S_NS)) /* counters of 24 bits could wrap */
SCENE(llc_complete, char buf[99]; monitor(s); UNDER(s, unc_llc_complete(s->llc, buf, sizeof(buf))))
SCENE(llc_close, monitor(s); UNDER(s, unc_llc_close(s->llc)); s->llc = NULL)

SCENE(recover_open, spy_begin(s); look_left(s); spy_end(s))
SCENE(recover_close, look_left(s); UNDER(s, (unc_recover_close(s->recover), 0)); s->recover = NULL)
SCENE(recover_journals, look_left(s); UNDER(s, unc_recover_journals(s->recover)))
SCENE(recover_journal, struct unc_recover_journal one; look_left(s); UNDER(s, unc_recover_journal(s->recover, 0, &one)))
SCENE(recover_count, look_left(s); UNDER(s, unc_recover_count(s->recover)))
SCENE(recover_info, struct unc_recover_info info; look_left(s); UNDER(s, unc_recover_info(s->recover, 0, &info)))

/* What was left is back then, and only then. */
static void recover_run(struct spy *s)
{
	look_left(s);
	UNDER(s, s->kept = unc_recover_run(s->recover, true) != 0 || s->m->dry_run);
}

/* It opens the machine by itself, and shows each access. */
static void examine(struct spy *s)
{
	struct unc_machine_cfg cfg = {
		.machine = s->name, .writable = true, .state_dir = s->journals, .trace = spy_trace, .trace_arg = s};

	spy_begin(s);
	OK(s, unc_doctor_run(s->ctx, &cfg, &s->doctor));
	spy_end(s);
}
SCENE(doctor_count, examine(s); UNDER(s, unc_doctor_count(s->doctor)))
SCENE(doctor_line, struct unc_doctor_line line; examine(s); UNDER(s, unc_doctor_line(s->doctor, 0, &line)))
SCENE(doctor_verdict, examine(s); UNDER(s, unc_doctor_verdict(s->doctor)))
SCENE(doctor_free, examine(s); UNDER(s, (unc_doctor_free(s->doctor), 0)); s->doctor = NULL)

SCENE(task_open, spy_begin(s); add_task(s); spy_end(s))
SCENE(task_cpus, const unsigned *cpus; size_t n; add_task(s); UNDER(s, unc_task_cpus(s->task, &cpus, &n)))
SCENE(task_look, unsigned flags; add_task(s); UNDER(s, unc_task_look(s->task, &flags)))
SCENE(task_begin, add_task(s); UNDER(s, (unc_task_begin(s->task), 0)))
SCENE(task_close, add_task(s); UNDER(s, (unc_task_close(s->task), 0)); s->task = NULL)

/* One that looks and one that writes, which is enough of them here: checks write through the gate like everybody. */
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

SCENE(check_about, UNDER(s, unc_check_about(0) != NULL))
SCENE(check_open, spy_begin(s); choose_checks(s); spy_end(s))
SCENE(check_chosen, choose_checks(s); UNDER(s, unc_check_chosen(s->check, 0) != NULL))
SCENE(check_run, choose_checks(s); UNDER(s, unc_check_run(s->check)))
SCENE(check_results, run_checks(s); UNDER(s, unc_check_results(s->check)))
SCENE(check_result, struct unc_check_result result; run_checks(s); UNDER(s, unc_check_result(s->check, 0, &result)))
SCENE(check_value, struct unc_check_value value; run_checks(s); UNDER(s, unc_check_value(s->check, 0, 0, &value)))
SCENE(check_plot, struct unc_check_plot plot; run_checks(s); UNDER(s, unc_check_plot(s->check, 0, 0, &plot)))
SCENE(check_close, choose_checks(s); UNDER(s, (unc_check_close(s->check), 0)); s->check = NULL)

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

static int xcheck_sleep(struct spy *s, uint64_t mono_ns)
{
	return unc_xcheck_sleep_until(s->xcheck, mono_ns);
}

SCENE(xcheck_open, spy_begin(s); add_both(s); spy_end(s))
SCENE(xcheck_add_resctrl, add_both(s); UNDER(s, unc_xcheck_add_resctrl(s->xcheck, "")))
SCENE(xcheck_start, add_both(s); UNDER(s, unc_xcheck_start(s->xcheck)))
SCENE(xcheck_sleep_until, count_both(s); wait_ns(s, xcheck_sleep, 100 * S_NS)) /* longer than it goes without a look */
SCENE(xcheck_sample, count_both(s); UNDER(s, unc_xcheck_sample(s->xcheck)))
SCENE(xcheck_count, count_both(s); UNDER(s, unc_xcheck_count(s->xcheck)))
SCENE(xcheck_row, struct unc_xcheck_row row; count_both(s); UNDER(s, unc_xcheck_row(s->xcheck, 0, &row)))
SCENE(xcheck_close, count_both(s); UNDER(s, unc_xcheck_close(s->xcheck)); s->xcheck = NULL)

/* ---- all of them ---- */

enum { LOOKS, WRITES }; /* does it write, where the machine was opened for that? */

static const struct {
	const char *name;
	void (*scene)(struct spy *s);
	int kind;
} functions[] = {
	{"unc_new", new_and_free, LOOKS},
	{"unc_free", new_and_free, LOOKS},
	{"unc_errmsg", errmsg, LOOKS},
	{"unc_set_log", set_log, LOOKS},
	{"unc_machine_open", open_one, LOOKS},
	{"unc_machine_close", close_it, WRITES},
	{"unc_machine_info", machine_info, LOOKS},
	{"unc_machine_cpu", machine_cpu, LOOKS},
	{"unc_machine_fact", machine_fact, LOOKS},
	{"unc_machine_raw_ns", raw_ns, LOOKS},
	{"unc_machine_mono_ns", mono_ns, LOOKS},
	{"unc_machine_real_ns", real_ns, LOOKS},
	{"unc_machine_sleep_until", sleep_until, LOOKS},
	{"unc_traffic_start", traffic_start, LOOKS},
	{"unc_traffic_look", traffic_look, LOOKS},
	{"unc_traffic_stop", traffic_stop, LOOKS},
	{"unc_box_count", box_count, LOOKS},
	{"unc_box_at", box_at, LOOKS},
	{"unc_box_info", box_info, LOOKS},
	{"unc_box_find", box_find, LOOKS},
	{"unc_box_reg_count", reg_count, LOOKS},
	{"unc_box_reg_info", reg_info, LOOKS},
	{"unc_box_field_info", field_info, LOOKS},
	{"unc_box_reg_read", reg_read, LOOKS},
	{"unc_box_field_value", field_value, LOOKS},
	{"unc_box_reg_base", reg_base, LOOKS},
	{"unc_box_field_put", field_put, LOOKS},
	{"unc_box_reg_allows", reg_allows, LOOKS},
	{"unc_box_reg_write", reg_write, WRITES},
	{"unc_box_reg_keep", reg_keep, LOOKS},
	{"unc_box_reg_plan", reg_plan, LOOKS},
	{"unc_machine_put_back", put_back, WRITES},
	{"unc_raw_pci", raw_pci, WRITES},
	{"unc_raw_msr", raw_msr, WRITES},
	{"unc_raw_mmio", raw_mmio, LOOKS},
	{"unc_event_count", event_count, LOOKS},
	{"unc_event_info", event_info, LOOKS},
	{"unc_source_title", source_title, LOOKS},
	{"unc_metric_count", metric_count, LOOKS},
	{"unc_metric_info", metric_info, LOOKS},
	{"unc_metric_find", metric_find, LOOKS},
	{"unc_metric_event", metric_event, LOOKS},
	{"unc_metric_value", metric_value, LOOKS},
	{"unc_metric_measure", metric_measure, LOOKS},
	{"unc_metric_explain", metric_explain, LOOKS},
	{"unc_box_state", box_state, LOOKS},
	{"unc_count_value", count_value, LOOKS},
	{"unc_session_open", session_open, LOOKS},
	{"unc_session_begin_set", begin_set, LOOKS},
	{"unc_session_end_set", end_set, LOOKS},
	{"unc_session_add", session_open, LOOKS},
	{"unc_session_add_counter", observe, LOOKS},
	{"unc_session_event", session_event, LOOKS},
	{"unc_session_start", session_start, WRITES},
	{"unc_session_read", session_read, WRITES},
	{"unc_session_confirm", observe, LOOKS},
	{"unc_session_sleep_until", session_sleep_until, WRITES},
	{"unc_session_close", session_close, WRITES},
	{"unc_llc_info", llc_info, LOOKS},
	{"unc_l3_info", l3_info, LOOKS},
	{"unc_llc_open", llc_open, LOOKS},
	{"unc_llc_events", llc_events, LOOKS},
	{"unc_llc_add", llc_open, LOOKS},
	{"unc_llc_add_rmids", llc_add_rmids, LOOKS},
	{"unc_llc_start", llc_start, WRITES},
	{"unc_llc_row_count", llc_row_count, LOOKS},
	{"unc_llc_row_info", llc_row_info, LOOKS},
	{"unc_llc_read", llc_read, WRITES},
	{"unc_llc_confirm", llc_confirm, LOOKS},
	{"unc_llc_look_last", llc_look_last, LOOKS},
	{"unc_llc_sleep_until", llc_sleep_until, WRITES},
	{"unc_llc_complete", llc_complete, LOOKS},
	{"unc_llc_close", llc_close, WRITES},
	{"unc_recover_open", recover_open, LOOKS},
	{"unc_recover_close", recover_close, LOOKS},
	{"unc_recover_journals", recover_journals, LOOKS},
	{"unc_recover_journal", recover_journal, LOOKS},
	{"unc_recover_count", recover_count, LOOKS},
	{"unc_recover_info", recover_info, LOOKS},
	{"unc_recover_run", recover_run, WRITES},
	{"unc_doctor_run", examine, LOOKS},
	{"unc_doctor_count", doctor_count, LOOKS},
	{"unc_doctor_line", doctor_line, LOOKS},
	{"unc_doctor_verdict", doctor_verdict, LOOKS},
	{"unc_doctor_free", doctor_free, LOOKS},
	{"unc_check_about", check_about, LOOKS},
	{"unc_check_open", check_open, LOOKS},
	{"unc_check_run", check_run, WRITES},
	{"unc_check_chosen", check_chosen, LOOKS},
	{"unc_check_results", check_results, LOOKS},
	{"unc_check_result", check_result, LOOKS},
	{"unc_check_value", check_value, LOOKS},
	{"unc_check_plot", check_plot, LOOKS},
	{"unc_check_close", check_close, LOOKS},
	{"unc_xcheck_open", xcheck_open, LOOKS},
	{"unc_xcheck_add", xcheck_open, LOOKS},
	{"unc_xcheck_add_resctrl", xcheck_add_resctrl, LOOKS},
	{"unc_xcheck_start", xcheck_start, WRITES},
	{"unc_xcheck_sleep_until", xcheck_sleep_until, LOOKS},
	{"unc_xcheck_sample", xcheck_sample, LOOKS},
	{"unc_xcheck_count", xcheck_count, LOOKS},
	{"unc_xcheck_row", xcheck_row, LOOKS},
	{"unc_xcheck_close", xcheck_close, WRITES},
	{"unc_task_open", task_open, LOOKS},
	{"unc_task_close", task_close, LOOKS},
	{"unc_task_cpus", task_cpus, LOOKS},
	{"unc_task_look", task_look, LOOKS},
	{"unc_task_begin", task_begin, LOOKS},
};
enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void play(size_t i, enum spy_mode mode)
{
	bool may = mode == SPY_WRITABLE;
	struct spy s;

	if (strncmp(functions[i].name, "unc_recover_", 12) == 0)
		spy_open_left(&s, mode);
	else
		spy_open(&s, mode);
	functions[i].scene(&s);
	if (s.under == UINT64_MAX)
		fprintf(stderr, "\n%s was not called\n", functions[i].name);
	CU_ASSERT(s.under != UINT64_MAX);
	if ((s.under != 0) != (may && functions[i].kind == WRITES))
		fprintf(stderr, "\n%s wrote %" PRIu64 " times (mode %d)\n", functions[i].name, s.under, (int)mode);
	CU_ASSERT_EQUAL(s.under != 0, may && functions[i].kind == WRITES);
	spy_close(&s);
	CU_ASSERT(may || s.writes == 0);
	if (s.n_wrong)
		fprintf(stderr, "\n%s: %s\n", functions[i].name, s.wrong);
	EQ(s.n_wrong, 0);
}

TEST(nothing_writes_on_a_machine_opened_for_reading)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		play(i, SPY_READ_ONLY);
}

TEST(nothing_writes_in_a_dry_run)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		play(i, SPY_DRY);
}

TEST(each_write_is_journalled_and_as_its_map_says)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		play(i, SPY_WRITABLE);
}

static bool is_listed(const char *name, size_t len)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (strlen(functions[i].name) == len && strncmp(functions[i].name, name, len) == 0)
			return true;
	return false;
}

/* How many "UNC_API TYPE *unc_NAME(" there are in a header; each must be above. */
static size_t count_functions(const char *path)
{
	FILE *header = fopen(path, "r");
	size_t found = 0;
	char line[300];

	CU_ASSERT_PTR_NOT_NULL_FATAL(header);
	while (fgets(line, sizeof(line), header)) {
		const char *name = strncmp(line, "UNC_API ", 8) == 0 ? strstr(line, "unc_") : NULL, *end = name;

		while (name && (end = name + strcspn(name, " (")) && *end == ' ')
			name = strstr(end, "unc_"); /* after a struct that it returns */
		if (!name)
			continue;
		found++;
		if (!is_listed(name, (size_t)(end - name)))
			fprintf(stderr, "\nno scene tries %.*s\n", (int)(end - name), name);
		CU_ASSERT(is_listed(name, (size_t)(end - name)));
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
	EQ(found, N_FUNCTIONS);
}
