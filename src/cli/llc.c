// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl llc: how much of the last-level cache each group of CPUs holds, and how much it moves to and from memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "base/text.h"
#include "cli/channels.h"
#include "cli/llc.h"
#include "cli/sampler.h"
#include "rdt/rdt.h"
#include "uncore/task.h"

static const char usage[] =
	"usage: uncorectl llc [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"How much of the last-level cache groups of CPUs own, and what they move between it and\n"
	"memory, by the monitoring of the caches (CMT, MBM).  Where no group is named, each L3 is one:\n"
	"l3-0 and so on.  Without -n until interrupted.  With a COMMAND its lifetime is one sample, its\n"
	"exit status ours, and without -o the data goes to stderr.\n";
static const char notes[] =
	"Words instead of a number: unavailable (the hardware has none for now), error (it has none at\n"
	"all, or the access failed), disturbed (another program selected something meanwhile), stale\n"
	"(the previous reading is too old, or there is none), unassigned (AMD: no bandwidth counter is\n"
	"assigned to the RMID; a flag, too), shared_rmid (see below).  Flags: hijacked (another program\n"
	"gave a CPU of the group another RMID), shared_rmid (another program gave the group's RMID to a\n"
	"CPU outside the group), corrected (a known erratum), over (more is owned than the cache has),\n"
	"local_exceeds (more was counted as local than in total, so that remote is not known), sum (of\n"
	"several L3s or groups), partial (a sum without a part), longer (bytes of a sample before, which\n"
	"had no value, are in it), late (when it was read is uncertain, and so the rate), moved (the\n"
	"process may run on other CPUs now), narrowed (on fewer), others (used its CPUs for more than 2 %\n"
	"of the time), gone (it has ended), simulated: the machine is.\n"
	"\n"
	"CPUs get an RMID and keep their class of service; all of it is put back at exit.  Exit status 1\n"
	"when that failed, or a value was never obtained or may be wrong.\n";

#define EXAMINE_FIRST_NS UINT64_C(10000000)
#define EXAMINE_LAST_NS  UINT64_C(200000000)

/* clang-format off */
/* Named columns are in the order of CSV; those without a name are only in the table. */
enum column_index {
	C_TIME, C_INTERVAL, C_GROUP, C_CPUS, C_L3, C_RMID,
	C_OWNED_BYTES, C_OWNED, C_PERCENT, C_OWNED_STATUS,
	C_TOTAL_BYTES, C_TOTAL_RATE, C_TOTAL_STATUS,
	C_LOCAL_BYTES, C_LOCAL_RATE, C_LOCAL_STATUS,
	C_REMOTE_BYTES, C_REMOTE_DOUBT, C_REMOTE_RATE, C_SHARE,
	C_OWNED_RAW, C_TOTAL_RAW, C_LOCAL_RAW,
	C_RMID_FOUND, C_FLAGS, C_UNCERTAINTY, C_NOTES, C_BAR, C_BOX, C_SHARE_PERCENT, C_REMOTE_BYTES_RATE, N_COLUMNS,
};
static const struct column llc_columns[] = {
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0},
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0},
	[C_GROUP] = {"group", "Group", COLUMN_TEXT, COLUMN_SHORT},
	[C_CPUS] = {"cpus", "CPUs", COLUMN_TEXT, 4},
	[C_L3] = {"l3", "L3", COLUMN_NUMBER, 0},
	[C_RMID] = {"rmid", "RMID", COLUMN_NUMBER, 3},
	[C_OWNED_BYTES] = {"occupancy_bytes", NULL, COLUMN_NUMBER, 0},
	[C_OWNED] = {NULL, "Occupancy", COLUMN_AMOUNT, 0},
	[C_PERCENT] = {NULL, "of L3", COLUMN_AMOUNT, 1},
	[C_OWNED_STATUS] = {"occupancy_status", NULL, COLUMN_TEXT, 0},
	[C_TOTAL_BYTES] = {"mbm_total_bytes", NULL, COLUMN_NUMBER, 0},
	[C_TOTAL_RATE] = {"mbm_total_bytes_per_s", "Total", COLUMN_RATE, 0},
	[C_TOTAL_STATUS] = {"mbm_total_status", NULL, COLUMN_TEXT, 0},
	[C_LOCAL_BYTES] = {"mbm_local_bytes", NULL, COLUMN_NUMBER, 0},
	[C_LOCAL_RATE] = {"mbm_local_bytes_per_s", "Local", COLUMN_RATE, 3},
	[C_LOCAL_STATUS] = {"mbm_local_status", NULL, COLUMN_TEXT, 0},
	[C_REMOTE_BYTES] = {"mbm_remote_bytes", NULL, COLUMN_NUMBER, 0},
	[C_REMOTE_DOUBT] = {"mbm_remote_uncertainty_bytes", NULL, COLUMN_NUMBER, 0},
	[C_REMOTE_RATE] = {NULL, "Remote", COLUMN_RATE, 4},
	[C_SHARE] = {"l3_share", NULL, COLUMN_AMOUNT, 0},
	[C_OWNED_RAW] = {"occupancy_raw", NULL, COLUMN_NUMBER, 0},
	[C_TOTAL_RAW] = {"mbm_total_raw", NULL, COLUMN_NUMBER, 0},
	[C_LOCAL_RAW] = {"mbm_local_raw", NULL, COLUMN_NUMBER, 0},
	[C_RMID_FOUND] = {"rmid_found", NULL, COLUMN_NUMBER, 0},
	[C_FLAGS] = {"flags", NULL, COLUMN_FLAGS, 0},
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, 0},
	[C_NOTES] = {NULL, "", COLUMN_TEXT, 0},
	[C_BOX] = {"box", NULL, COLUMN_TEXT, 0},
	[C_SHARE_PERCENT] = {"l3_share_percent", NULL, COLUMN_AMOUNT, 0},
	[C_REMOTE_BYTES_RATE] = {"mbm_remote_bytes_per_s", NULL, COLUMN_RATE, 0},
	[C_BAR] = {NULL, "L3 share", COLUMN_BAR, 2},
};
/* clang-format on */
const size_t n_llc_columns = N_COLUMNS;

/* The events, as bits of unc_llc_cfg.events, without which a table does not show a column. */
static const struct {
	enum column_index column;
	unsigned needs;
} needed[] = {
	{C_OWNED, 1 << UNC_LLC_OCCUPANCY},  {C_PERCENT, 1 << UNC_LLC_OCCUPANCY},
	{C_BAR, 1 << UNC_LLC_OCCUPANCY},    {C_TOTAL_RATE, 1 << UNC_LLC_TOTAL},
	{C_LOCAL_RATE, 1 << UNC_LLC_LOCAL}, {C_REMOTE_RATE, 1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL},
};

/* ---- options ---- */

/* In the order of enum llc_per. */
static const char *const places[] = {"", "l3", "group", "socket", "machine", "all", NULL};

static int take_events(void *member, const struct option_given *given)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local"};
	struct llc *llc = member;
	const char *text = given->value;

	llc->cfg.events = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned i = 0;

		while (i < UNC_LLC_EVENTS && (strlen(names[i]) != len || memcmp(names[i], text, len) != 0))
			i++;
		if (i == UNC_LLC_EVENTS)
			return usage_error("llc: --events %s: there are occupancy, total and local, joined by commas",
					   *given->value ? given->value : "\"\"");
		llc->cfg.events |= 1U << i;
		if (!text[len])
			return EXIT_DONE;
		text += len + 1;
	}
}

static int take_types(void *member, const struct option_given *given)
{
	struct llc *llc = member;
	unsigned event = UNC_LLC_EVENTS;
	uint64_t bits;

	if (strncmp(given->value, "total=", 6) == 0)
		event = UNC_LLC_TOTAL;
	else if (strncmp(given->value, "local=", 6) == 0)
		event = UNC_LLC_LOCAL;
	if (event == UNC_LLC_EVENTS || !unc_text_u64(given->value + 6, &bits) || !bits || bits > UINT32_MAX)
		return usage_error("llc: --bmec %s: write total=BITS or local=BITS, such as local=0x40",
				   *given->value ? given->value : "\"\"");
	llc->cfg.types[event] = (unsigned)bits;
	return EXIT_DONE;
}

static const struct option_def option_defs[] = {
	{"cpus", "LIST", llc_take_cpus, 0, .help = "a group: these CPUs, such as 0-3,8; may be given several times"},
	{"group", "NAME=LIST", llc_take_group, 0, .help = "a group with a name; may be given several times"},
	{"pid", "PID", llc_take_pid, 0,
	 .help = "a group: the CPUs to which that process is bound; may be given several\n"
		 "times.  When all such processes have ended, so does the run"},
	{"program", "NAME", llc_take_program, 0,
	 .help = "a group: the CPUs to which the processes are bound that run that program, as\n"
		 "`ps -C NAME` finds them; may be given several times"},
	{"cgroup", "PATH", llc_take_cgroup, 0,
	 .help = "a group: the CPUs of that cgroup's cpuset, such as system.slice/web.service;\n"
		 "may be given several times"},
	{.argument = "-- COMMAND",
	 .help = "a group: the CPUs to which COMMAND is bound, where no other group is named"},
	{"bind", "LIST", option_cpus, offsetof(struct llc, bind),
	 .help = "bind COMMAND to these CPUs; they are a group, also beside groups that are named"},
	{"all-rmids", NULL, option_flag, offsetof(struct llc, all_rmids),
	 .help = "besides, a row for every RMID as it is; alone it gives none to any CPU"},
	{"events", "LIST", take_events, 0, .help = "of occupancy, total and local; default: all that there are"},
	{"read-cpu", "CPU", option_cpus, offsetof(struct llc, read_cpus),
	 .help = "read the cache of this CPU from there, not from the lowest CPU of it outside\n"
		 "every group; may be given several times"},
	{"shared", NULL, option_flag, offsetof(struct llc, cfg.shared),
	 .help = "go on where others use cache monitoring, or run on all the CPUs of a process"},
	{"no-wait", NULL, option_flag, offsetof(struct llc, cfg.no_wait),
	 .help = "where every free RMID still owns cache, take one that does"},
	{"no-verify", NULL, option_flag, offsetof(struct llc, cfg.no_verify),
	 .help = "do not read back what was selected: two accesses a value instead of three"},
	{"abmc", NULL, option_flag, offsetof(struct llc, cfg.assign),
	 .help = "AMD: assign bandwidth counters to the groups (ABMC) until the end"},
	{"bmec", "EVENT=BITS", take_types, 0,
	 .help = "AMD: let total or local count something else (BMEC) until the end, such as\n"
		 "local=0x40; bits 0 and 1 are reads of local and of remote memory, 2 and 3\n"
		 "non-temporal writes, 4 and 5 reads of slow memory, 6 lines written back.\n"
		 "With --abmc or --bmec all bandwidth counters of these caches restart"},
	{"box", "PATTERNS", option_text, offsetof(struct llc, patterns),
	 .help = "show only L3s with such names, as socket0.l3-0, * and ? allowed, joined by commas"},
	{"per", "WHAT", option_word, offsetof(struct llc, per),
	 .help = "records per l3, group, socket or machine, or all; default: each group on\n"
		 "each L3, and the sum of a group on several",
	 .words = places},
	SAMPLER_TIMES,
	SAMPLER_OBSERVE(NULL),
	SAMPLER_DATA,
};

static int llc_options_done(void *arg, struct sampler_options *options)
{
	struct llc *llc = arg;

	llc->columns = options->columns;
	llc->cfg.interval_ns = sampler_interval_ns(options);
	if (format_is_metrics(options->format) && llc->per != LLC_PER_USUAL)
		return usage_error("--per: --format %s has every group on every L3; the query adds up",
				   sampler_formats[options->format]);
	if (llc->bind.n && !options->command)
		return usage_error("llc: --bind is where the COMMAND may run, and there is none; write -- COMMAND");
	/* If groups are named, a COMMAND without --bind only determines the duration. */
	llc->command = options->command && (llc->bind.n || (llc->n_groups == 0 && !llc->all_rmids));
	for (size_t i = 0; i < llc->n_groups; i++) {
		const char *name = llc->groups[i].name;
		uint64_t rmid;

		if (llc->command && strcmp(name, LLC_COMMAND_GROUP) == 0)
			return usage_error("llc: the group of the COMMAND is called " LLC_COMMAND_GROUP
					   "; choose another name");
		if (llc->all_rmids && strncmp(name, "rmid", 4) == 0 && unc_text_u64(name + 4, &rmid))
			return usage_error("llc: --group %s: so a row of --all-rmids is called; choose another name",
					   name);
	}
	return EXIT_DONE;
}

/* ---- the run ---- */

static int llc_bind(void *arg, int pid)
{
	const struct cpu_list *list = &((struct llc *)arg)->bind;
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX + 1);
	int status = EXIT_DONE;
	cpu_set_t *set;

	if (list->n == 0)
		return EXIT_DONE;
	set = CPU_ALLOC(CPU_LIST_MAX + 1);
	if (!set)
		return no_memory();
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < list->n; i++)
		CPU_SET_S(list->cpus[i], size, set);
	/* EINVAL: none of the CPUs exists.  Otherwise the kernel may have accepted only a part of the list. */
	if ((sched_setaffinity(pid, size, set) != 0 && errno != EINVAL) || sched_getaffinity(pid, size, set) != 0)
		status = refuse(EXIT_FAILED, "llc: --bind: %s", strerror(errno));
	for (size_t i = 0; i < list->n && status == EXIT_DONE; i++)
		if (!CPU_ISSET_S(list->cpus[i], size, set))
			status = refuse(EXIT_NOT_HERE,
					"llc: --bind: COMMAND cannot run on CPU %u of this computer: there is none, it "
					"is offline, or we are kept from it",
					list->cpus[i]);
	CPU_FREE(set);
	return status;
}

/* A read has its rows, and after them the flags of each row's process. */
static size_t read_bytes(const struct llc *llc)
{
	return llc->n_rows * (sizeof(struct unc_llc_row) + sizeof(uint64_t));
}

/* The rows before a sum are its parts. */
static void name_row(struct llc *llc, size_t row)
{
	struct unc_llc_row_info *info = &llc->infos[row];
	char(*box)[24] = &llc->boxes[row];
	const struct unc_rdt *rdt;

	unc_llc_row_info(llc->llc, row, info);
	if (info->sum) {
		size_t socket = strcspn(box[-1], "."), part = row;
		bool one = true;

		while (part-- > 0 && strcmp(llc->infos[part].group, info->group) == 0)
			one &= strncmp(llc->boxes[part], box[-1], socket + 1) == 0;
		snprintf(*box, sizeof(*box), "%.*s", one ? (int)socket : 7, one ? box[-1] : "machine");
		return;
	}
	if (unc_rdt_of(llc->machine, &rdt) == 0)
		unc_l3_name(rdt, info->l3, *box);
}

static const char *box_name(const void *arg, size_t i)
{
	const struct llc *llc = arg;

	return i < llc->n_rows ? llc->boxes[i] : NULL;
}

static int llc_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct llc *llc = arg;
	struct unc_machine_info machine_info;
	struct unc_llc_info info = {0};
	int rc = unc_llc_info(machine, &info);

	unc_machine_info(machine, &machine_info);
	llc->ctx = ctx;
	llc->machine = machine;
	llc->n_l3s = info.n_l3s;
	llc->simulated = machine_info.simulated;
	llc->cfg.read_cpus = llc->read_cpus.cpus;
	llc->cfg.n_read_cpus = llc->read_cpus.n;
	if (rc == 0 && info.no_monitoring)
		rc = unc_fail(ctx, UNC_ENOSUP, "llc: this CPU does not monitor its caches: %s", info.no_monitoring);
	if (rc == 0)
		rc = unc_llc_open(machine, &llc->cfg, &llc->llc);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if ((unc_llc_events(llc->llc) & needed[i].needs) != needed[i].needs)
			llc->columns[needed[i].column].title = NULL;
	rc = llc_groups_add(llc);
	if (rc == 0)
		rc = unc_llc_start(llc->llc);
	if (rc < 0)
		return rc;
	llc->n_rows = unc_llc_row_count(llc->llc);
	llc->infos = calloc(llc->n_rows + 1, sizeof(*llc->infos));
	llc->boxes = calloc(llc->n_rows + 1, sizeof(*llc->boxes));
	if (!llc->infos || !llc->boxes)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < llc->n_rows; i++)
		name_row(llc, i);
	*ret_bytes = read_bytes(llc);
	rc = boxes_check(ctx, llc->patterns, "L3", "list --caches", box_name, llc);
	return rc == 0 ? llc_sums_make(llc) : rc;
}

/*
 * A COMMAND may have exited when its only sample is read, so processes are examined while it waits: soon at first, then five times
 * a second.  This is not done where time passes only while this process sleeps, since the wait would never end.
 */
static int llc_sleep_until(void *arg, uint64_t mono_ns)
{
	struct llc *llc = arg;
	int rc = UNC_OK;

	if (llc->n_tasks == 0 || (mono_ns == UINT64_MAX && llc->machine->host->stands_still))
		return unc_llc_sleep_until(llc->llc, mono_ns);
	while (rc == 0) {
		uint64_t until = unc_machine_mono_ns(llc->machine) + llc->examine_ns;

		if (until >= mono_ns)
			return unc_llc_sleep_until(llc->llc, mono_ns);
		rc = unc_llc_sleep_until(llc->llc, until);
		if (rc == 0)
			rc = llc_tasks_examine(llc);
		llc->examine_ns = llc->examine_ns * 2 < EXAMINE_LAST_NS ? llc->examine_ns * 2 : EXAMINE_LAST_NS;
	}
	return rc;
}

int llc_read(void *arg, void *read, bool *ret_pending)
{
	struct llc *llc = arg;
	const struct unc_llc_row *rows = read;
	uint64_t *flags = (void *)(rows + llc->n_rows);
	int rc = unc_llc_read(llc->llc, read, llc->n_rows);
	bool ended;

	if (rc == 0)
		rc = llc_tasks_examine(llc);
	if (rc < 0)
		return rc;
	ended = llc_tasks_end_interval(llc);
	for (size_t i = 0; i < llc->n_rows; i++) {
		flags[i] = llc_task_flags(llc, llc->infos[i].group);
		*ret_pending |= rows[i].flags & UNC_LLC_PENDING;
	}
	llc->sampled = true;
	return ended ? SAMPLER_LAST : UNC_OK;
}

/* Fails only if monitoring has not started. */
static void llc_confirm(void *arg, void *reads, size_t n)
{
	struct llc *llc = arg;

	for (size_t i = 0; i < n; i++)
		unc_llc_confirm(llc->llc, (void *)((char *)reads + i * read_bytes(llc)), llc->n_rows);
}

static void llc_end_reads(void *arg)
{
	struct llc *llc = arg;

	if (unc_llc_look_last(llc->llc) < 0)
		snprintf(llc->lacks, sizeof(llc->lacks), "%s", unc_errmsg(llc->ctx));
}

/* ---- rows ---- */

const struct flag_word llc_words[] = {
	[UNC_LLC_NOT_ASKED] = {0, "", NULL},
	[UNC_LLC_OK] = {0, "ok", NULL},
	[UNC_LLC_UNAVAILABLE] = {0, "unavailable", "the hardware has no value for now"},
	[UNC_LLC_ERROR] = {0, "error", "the hardware has no value at all, or the access failed"},
	[UNC_LLC_DISTURBED] = {0, "disturbed", "another program selected something else meanwhile"},
	[UNC_LLC_STALE] = {0, "stale", "the reading before is too old, or there is none"},
	[UNC_LLC_SHARED] = {0, "shared_rmid", NULL},
	[UNC_LLC_UNASSIGNED] = {0, "unassigned", NULL},
	/* Flags from here on. */
	{UNC_LLC_HIJACKED, "hijacked", "another program gave a CPU of the group another RMID"},
	{UNC_LLC_SHARED_RMID, "shared_rmid", "another program gave the group's RMID to a CPU outside the group"},
	{UNC_LLC_CORRECTED, "corrected", "a known erratum was corrected"},
	{UNC_LLC_OVER, "over", "more is owned than the cache has"},
	{UNC_LLC_PARTIAL, "partial", "a sum without a part"},
	{UNC_LLC_LONGER, "longer", "bytes of a sample before, which had no value, are in it"},
	{UNC_LLC_LATE, "late", "when it was read is uncertain, and so the rate"},
	{UNC_LLC_LOCAL_EXCEEDS, "local_exceeds", "more was counted as local than in total, so remote is not known"},
	{UNC_LLC_NO_COUNTER, "unassigned", "no bandwidth counter is assigned to the RMID (AMD)"},
	{FLAG_SUM, "sum", NULL},
	{UNC_TASK_MOVED << FLAG_TASKS, "moved", "the process may run on other CPUs now"},
	{UNC_TASK_NARROWED << FLAG_TASKS, "narrowed", "the process may run on fewer CPUs now"},
	{UNC_TASK_OTHERS << FLAG_TASKS, "others", "other processes used its CPUs for more than 2 % of the time"},
	{UNC_TASK_GONE << FLAG_TASKS, "gone", "the process has ended"},
	{FLAG_SIMULATED, "simulated", NULL},
	{0, NULL, NULL},
};

/* A value, or what is shown instead of a number; the columns of its bytes, its rate, its status and what was read. */
static void event_values(const struct unc_llc_value *value, unsigned bytes, unsigned rate, unsigned status,
			 unsigned raw, struct value *values)
{
	const char *word = llc_words[value->status].word;
	bool given = value->status == UNC_LLC_OK;

	values[bytes] = given ? number_value(value->bytes) : no_value(*word ? word : NULL);
	values[rate] = given ? rate_value(value->bytes_per_s) : values[bytes];
	values[status] = text_value(word);
	values[raw] = number_if(value->has_raw, value->raw);
}

static void emit_one(const struct llc *llc, const struct unc_llc_row_info *info, const char *box,
		     const struct unc_llc_row *read, unsigned flags, struct row *row, struct emitter *emitter)
{
	const struct unc_llc_value *owned = &read->values[UNC_LLC_OCCUPANCY];
	const struct unc_llc_value *total = &read->values[UNC_LLC_TOTAL], *local = &read->values[UNC_LLC_LOCAL];
	double share = info->l3_bytes ? (double)owned->bytes / (double)info->l3_bytes : 0;
	struct value *values = row->values;
	char text[FLAGS_TEXT_MAX];

	values[C_TIME] = number_value(read->time_ns);
	values[C_INTERVAL] = number_if(read->interval_ns, read->interval_ns);
	values[C_BOX] = text_value(box);
	values[C_GROUP] = info->group ? text_value(info->group) : no_value(box);
	values[C_CPUS] = text_value(info->cpus);
	values[C_L3] = number_if(!info->sum, info->l3);
	values[C_RMID] = number_if(info->group, info->rmid);
	event_values(owned, C_OWNED_BYTES, C_OWNED, C_OWNED_STATUS, C_OWNED_RAW, values);
	event_values(total, C_TOTAL_BYTES, C_TOTAL_RATE, C_TOTAL_STATUS, C_TOTAL_RAW, values);
	event_values(local, C_LOCAL_BYTES, C_LOCAL_RATE, C_LOCAL_STATUS, C_LOCAL_RAW, values);
	if (owned->status == UNC_LLC_OK)
		values[C_OWNED] = amount_value((double)owned->bytes / (1 << 20), "MiB");
	if (owned->status == UNC_LLC_OK && info->l3_bytes) {
		values[C_SHARE] = amount_value((double)(uint64_t)(share * 1e6 + 0.5) / 1e6, NULL);
		values[C_PERCENT] = amount_value(share * 100, "%");
		values[C_SHARE_PERCENT] = amount_value((double)(uint64_t)(share * 1e6 + 0.5) / 1e4, NULL);
		values[C_BAR] = (struct value){.given = true, .bar = {share, 0, 1}};
	}
	if (total->status == UNC_LLC_OK || local->status == UNC_LLC_OK)
		values[C_UNCERTAINTY] = uncertainty_value(total->uncertainty_percent > local->uncertainty_percent
								  ? total->uncertainty_percent
								  : local->uncertainty_percent);
	values[C_REMOTE_BYTES] = number_if(read->has_remote, read->remote_bytes);
	values[C_REMOTE_DOUBT] = number_if(read->has_remote, read->remote_uncertain_bytes);
	if (read->has_remote && total->interval_ns)
		values[C_REMOTE_RATE] = values[C_REMOTE_BYTES_RATE] =
			rate_value((double)read->remote_bytes * 1e9 / (double)total->interval_ns);
	/* The title of a table says simulated. */
	flags |= llc->simulated && emitter->format != FORMAT_TABLE ? FLAG_SIMULATED : 0;
	values[C_RMID_FOUND] = number_if(read->flags & UNC_LLC_HIJACKED, read->rmid_found);
	values[emitter->format == FORMAT_TABLE ? C_NOTES : C_FLAGS] = text_value(flags_words(flags, llc_words, text));
	emit_row(emitter, row);
}

static bool same_group(const struct llc *llc, size_t a, size_t b)
{
	return a < llc->n_rows && b < llc->n_rows && strcmp(llc->infos[a].group, llc->infos[b].group) == 0;
}

/* The reason why a table leaves a row out. */
enum quiet { SHOWN, NO_BYTES, NO_VALUE, QUIETS };

/* Does the row own or move anything?  If some values are missing and the others are 0, this is not known. */
static enum quiet quiet(const struct unc_llc_row *read)
{
	enum quiet quiet = NO_BYTES;

	for (unsigned i = 0; i < UNC_LLC_EVENTS; i++) {
		const struct unc_llc_value *value = &read->values[i];

		if (value->status == UNC_LLC_OK && value->bytes)
			return SHOWN;
		if (value->status != UNC_LLC_OK && value->status != UNC_LLC_NOT_ASKED)
			quiet = NO_VALUE;
	}
	return quiet;
}

/* A group on one L3 is what its only row is. */
static enum quiet emit_sum(const struct llc *llc, const struct llc_sum *sum, const struct unc_llc_row *rows,
			   const uint64_t *task, struct emitter *emitter)
{
	bool one = sum->per == LLC_PER_GROUP && sum->n == 1;
	struct unc_llc_row added;
	uint64_t tasks = llc_sum_up(llc, sum, rows, task, &added);
	enum quiet why = sum->info.as_is ? quiet(&added) : SHOWN;
	struct row row = {
		.record = true, .in_table = why == SHOWN, .headline = sum == llc->sums && llc->per == LLC_PER_ALL};

	emit_one(llc, one ? &llc->infos[sum->first] : &sum->info, one ? llc->boxes[sum->first] : sum->box,
		 one ? &rows[sum->first] : &added, added.flags | (unsigned)tasks << FLAG_TASKS | (one ? 0 : FLAG_SUM),
		 &row, emitter);
	return why;
}

int llc_emit(void *arg, const void *read, struct emitter *emitter)
{
	static const char *const words[QUIETS] = {[NO_BYTES] = "no bytes", [NO_VALUE] = "no value"};
	const struct llc *llc = arg;
	const struct unc_llc_row *rows = read;
	const uint64_t *task = (const void *)(rows + llc->n_rows);
	size_t n[QUIETS] = {0};

	for (size_t i = 0; i < llc->n_rows; i++) {
		const struct unc_llc_row_info *info = &llc->infos[i];
		enum quiet why = info->as_is ? quiet(&rows[i]) : SHOWN;
		unsigned flags = rows[i].flags | (unsigned)task[i] << FLAG_TASKS | (info->sum ? FLAG_SUM : 0);
		bool goes_on = same_group(llc, i, i + 1), follows = i && same_group(llc, i - 1, i);
		struct row row = {.record = true, .in_table = why == SHOWN};

		if (!llc_row_is_shown(llc, i))
			continue;
		n[why]++;
		row.detail = !info->as_is && !info->sum && (goes_on || follows);
		/* A table separates a group of several rows, and the first RMID. */
		if (i && !follows)
			row.headline = info->as_is ? !llc->infos[i - 1].as_is
						   : goes_on || (i > 1 && same_group(llc, i - 2, i - 1));
		emit_one(llc, info, llc->boxes[i], &rows[i], flags, &row, emitter);
	}
	for (size_t i = 0; i < llc->n_sums; i++)
		n[emit_sum(llc, &llc->sums[i], rows, task, emitter)]++;
	for (enum quiet why = NO_BYTES; why < QUIETS; why++) {
		struct row row = {.in_table = true};
		char text[40];

		snprintf(text, sizeof(text), "%zu more", n[why]);
		row.values[C_GROUP] = text_value(text);
		row.values[C_NOTES] = text_value(words[why]);
		if (n[why])
			emit_row(emitter, &row);
	}
	return UNC_OK;
}

/* ---- the command ---- */

static int llc_stop(void *arg)
{
	struct llc *llc = arg;

	if (llc->sampled && !llc->lacks[0])
		unc_llc_complete(llc->llc, llc->lacks, sizeof(llc->lacks));
	return unc_llc_close(llc->llc);
}

int llc_beside_start(struct llc_beside *beside, struct unc_ctx *ctx, struct unc_machine *machine)
{
	size_t bytes = 0;
	int rc;

	beside->llc.columns = memcpy(beside->columns, llc_columns, sizeof(llc_columns));
	rc = llc_start(&beside->llc, ctx, machine, &bytes);
	beside->rows = calloc(1, bytes + 1);
	if (rc == 0 && !beside->rows)
		rc = unc_fail(ctx, UNC_ENOMEM, "out of memory");
	beside->on = rc == 0;
	return rc;
}

void llc_beside_end(struct llc_beside *beside, bool noted, int *failed)
{
	struct llc *llc = &beside->llc;
	struct unc_llc_info info;
	int rc;

	/* That a processor cannot monitor caches needs no note. */
	if (noted && (unc_llc_info(llc->machine, &info) < 0 || !info.no_monitoring))
		say("note: no caches: %s", unc_errmsg(llc->ctx));
	rc = unc_llc_close(llc->llc);
	*failed = rc < 0 ? rc : *failed;
	llc->llc = NULL;
	beside->on = false;
}

static int llc_verdict(void *arg)
{
	struct llc *llc = arg;

	if (!llc->lacks[0])
		return EXIT_DONE;
	return refuse(EXIT_FAILED, "llc: %s", llc->lacks);
}

void llc_close(void *arg)
{
	struct llc *llc = arg;

	free(llc->infos);
	free(llc->boxes);
	free(llc->sums);
	llc_groups_clear(llc);
}

static int llc_run(const struct globals *globals, int argc, char **argv)
{
	struct llc llc = {.cfg.confirm_later = true, .examine_ns = EXAMINE_FIRST_NS};
	struct sampler sampler = {
		.line = {"llc", usage, notes, .options = option_defs},
		.columns = llc_columns,
		.n_columns = N_COLUMNS,
		.arg = &llc,
		.no_observe =
			"which value of a cache IA32_QM_CTR shows is chosen by writing IA32_QM_EVTSEL, so nothing can "
			"be monitored without a write; `uncorectl list --caches` writes none",
		.options_done = llc_options_done,
		.forked = llc_bind,
		.start = llc_start,
		.sleep_until = llc_sleep_until,
		.read = llc_read,
		.read_writes = true,
		.confirm = llc_confirm,
		.end_reads = llc_end_reads,
		.emit = llc_emit,
		.stop = llc_stop,
		.verdict = llc_verdict,
		.close = llc_close,
	};

	return sampler_run(&sampler, globals, argc, argv);
}

const struct command llc_command = {"llc", "cache and memory bandwidth of groups of CPUs, or of a process", llc_run};
