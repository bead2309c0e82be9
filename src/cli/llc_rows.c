// SPDX-License-Identifier: GPL-2.0-or-later
/* The groups that `llc` monitors, and a sample of them as rows. */
#include "cli/flags.h"
#include "cli/llc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

/* ---- groups ---- */

struct llc_task {              /* a process whose CPUs are a group */
	char *group;           /* name; owned */
	bool is_pid;           /* named by --pid: the run ends when all of these have ended */
	struct unc_task *task; /* owned */
	unsigned seen;         /* bits of enum unc_task_flag, in this interval so far */
	unsigned flags;        /* the same of the interval before */
};

struct adding {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	const struct llc_want *want;
	struct unc_llc *llc;
	struct llc_groups groups;
};

static int fail_memory(struct unc_ctx *ctx)
{
	return unc_fail(ctx, UNC_ENOMEM, "out of memory");
}

/* The CPUs of the cache of index l3; UNC_ENODEV: there are fewer caches. */
static int l3_cpus(struct adding *adding, size_t l3, struct unc_l3_info *ret_info, struct cpu_list *ret_cpus)
{
	int rc = unc_l3_info(adding->machine, l3, ret_info);

	if (rc < 0)
		return rc;
	*ret_cpus = (struct cpu_list){0};
	if (cpu_list_add(ret_cpus, ret_info->cpus) == CPU_LIST_GOOD)
		return UNC_OK;
	cpu_list_clear(ret_cpus);
	return fail_memory(adding->ctx);
}

static size_t count_l3s(struct adding *adding, int *ret_rc)
{
	struct unc_llc_info info;

	*ret_rc = unc_llc_info(adding->machine, &info);
	return *ret_rc < 0 ? 0 : info.n_l3s;
}

static int add_l3s(struct adding *adding)
{
	int rc;
	size_t n = count_l3s(adding, &rc);

	for (size_t i = 0; i < n && rc == 0; i++) {
		struct unc_l3_info info;
		struct cpu_list cpus;
		char name[32];

		rc = l3_cpus(adding, i, &info, &cpus);
		if (rc < 0)
			return rc;
		snprintf(name, sizeof(name), "l3-%u", info.id);
		rc = unc_llc_add(adding->llc, name, cpus.cpus, cpus.n);
		cpu_list_clear(&cpus);
	}
	return rc;
}

/*
 * Adds the CPUs of an L3 on which a process may run.  If these are all of them it fails (except with --shared), since the process
 * cannot be distinguished from others that run there.
 */
static int take_online(struct adding *adding, const struct cpu_list *allowed, size_t l3, const char *who,
		       const char *how_to_bind, struct cpu_list *online)
{
	struct unc_l3_info info;
	struct cpu_list cpus;
	size_t n = 0;
	int rc = l3_cpus(adding, l3, &info, &cpus);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < cpus.n; i++)
		if (cpu_list_has(allowed, cpus.cpus[i]))
			online->cpus[online->n + n++] = cpus.cpus[i];
	online->n += n;
	if (n == cpus.n && !adding->want->shared)
		rc = unc_fail(adding->ctx, UNC_EARG,
			      "llc: %s may run on every CPU of L3 %u (%s), so that whatever else runs there would be "
			      "counted as its own; bind it to fewer (%s), or count all (--shared)",
			      who, info.id, info.cpus, how_to_bind);
	cpu_list_clear(&cpus);
	return rc;
}

/* The online ones of the CPUs on which it may run: the operating system's list also names CPUs that could be plugged in. */
static int online_cpus(struct adding *adding, const struct cpu_list *allowed, const char *who, const char *how_to_bind,
		       struct cpu_list *ret_online)
{
	struct cpu_list online = {.cpus = calloc(allowed->n + 1, sizeof(*online.cpus))};
	int rc;
	size_t n = count_l3s(adding, &rc);

	if (!online.cpus)
		return fail_memory(adding->ctx);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_online(adding, allowed, i, who, how_to_bind, &online);
	if (rc == 0 && online.n == 0)
		rc = unc_fail(adding->ctx, UNC_ENODEV,
			      "llc: %s may run on no CPU that is online on this machine; bind it to one (%s)", who,
			      how_to_bind);
	if (rc < 0)
		cpu_list_clear(&online);
	else
		*ret_online = online;
	return rc;
}

static int keep_task(struct llc_groups *groups, const char *group, bool is_pid, struct unc_task *task)
{
	const struct llc_task kept = {.group = unc_text_dup(group), .is_pid = is_pid, .task = task};

	if (kept.group && unc_array_add(&groups->tasks, &groups->n_tasks, &kept, sizeof(kept)))
		return UNC_OK;
	free(kept.group);
	unc_task_close(task);
	return UNC_ENOMEM;
}

/* pid 0: the COMMAND. */
static int add_task(struct adding *adding, const char *group, unsigned pid)
{
	struct cpu_list allowed = {0}, online = {0};
	const unsigned *cpus;
	struct unc_task *task;
	char who[40] = LLC_COMMAND_GROUP;
	int rc = unc_task_open(adding->machine, pid, &task);

	if (rc < 0)
		return rc;
	if (pid)
		snprintf(who, sizeof(who), "process %u", pid);
	if (keep_task(&adding->groups, group, pid != 0, task) < 0)
		return fail_memory(adding->ctx);
	rc = unc_task_cpus(task, &cpus, &allowed.n);
	if (rc < 0)
		return rc;
	allowed.cpus = malloc(allowed.n * sizeof(*cpus) + 1);
	if (!allowed.cpus)
		return fail_memory(adding->ctx);
	memcpy(allowed.cpus, cpus, allowed.n * sizeof(*cpus));
	rc = online_cpus(adding, &allowed, who, pid ? "taskset -p" : "--bind LIST", &online);
	if (rc == 0)
		rc = unc_llc_add(adding->llc, group, online.cpus, online.n);
	cpu_list_clear(&online);
	cpu_list_clear(&allowed);
	return rc;
}

static int add_all(struct adding *adding)
{
	const struct llc_want *want = adding->want;
	int rc = UNC_OK;

	for (size_t i = 0; i < want->n_groups && rc == 0; i++) {
		const struct llc_want_group *group = &want->groups[i];

		rc = group->pid ? add_task(adding, group->name, group->pid)
				: unc_llc_add(adding->llc, group->name, group->cpus.cpus, group->cpus.n);
	}
	if (rc == 0 && want->command)
		rc = add_task(adding, LLC_COMMAND_GROUP, 0);
	if (rc == 0 && want->all_rmids)
		rc = unc_llc_add_rmids(adding->llc);
	if (rc == 0 && want->n_groups == 0 && !want->command && !want->all_rmids)
		rc = add_l3s(adding);
	return rc;
}

int llc_groups_add(struct unc_ctx *ctx, struct unc_machine *machine, const struct llc_want *want, struct unc_llc *llc,
		   struct llc_groups *ret_groups)
{
	struct adding adding = {.ctx = ctx, .machine = machine, .want = want, .llc = llc};
	int rc = add_all(&adding);

	if (rc < 0)
		llc_groups_clear(&adding.groups);
	else
		*ret_groups = adding.groups;
	return rc;
}

void llc_groups_clear(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		unc_task_close(groups->tasks[i].task);
		free(groups->tasks[i].group);
	}
	free(groups->tasks);
	*groups = (struct llc_groups){0};
}

int llc_groups_examine(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		unsigned flags;
		int rc = unc_task_look(groups->tasks[i].task, &flags);

		if (rc < 0)
			return rc;
		/* The flag for other tasks covers the interval as a whole, all other flags any moment in it. */
		groups->tasks[i].seen &= ~(unsigned)UNC_TASK_OTHERS;
		groups->tasks[i].seen |= flags;
	}
	return UNC_OK;
}

/* Ends the interval: what was seen until now becomes the flags of the interval before. */
static void end_interval(struct llc_groups *groups)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		groups->tasks[i].flags = groups->tasks[i].seen;
		groups->tasks[i].seen = 0;
		unc_task_begin(groups->tasks[i].task);
	}
}

/*
 * The flags of the process whose CPUs are this group; 0 if it belongs to no process.  The end of the COMMAND is not among them,
 * since that ends the run anyway.
 */
static unsigned group_flags(const struct llc_groups *groups, const char *group)
{
	for (size_t i = 0; i < groups->n_tasks; i++) {
		const struct llc_task *task = &groups->tasks[i];

		if (strcmp(task->group, group) == 0)
			return task->is_pid ? task->flags : task->flags & ~(unsigned)UNC_TASK_GONE;
	}
	return 0;
}

bool llc_groups_ended(const struct llc_groups *groups)
{
	size_t pids = 0, ended = 0;

	for (size_t i = 0; i < groups->n_tasks; i++) {
		pids += groups->tasks[i].is_pid;
		ended += groups->tasks[i].is_pid && (groups->tasks[i].flags & UNC_TASK_GONE);
	}
	return pids && ended == pids;
}

/* ---- rows ---- */

/* Named columns are in the order of CSV; those without a name are only in the table. */
enum column_index {
	C_TIME,
	C_INTERVAL,
	C_GROUP,
	C_CPUS,
	C_L3,
	C_RMID,
	C_OWNED_BYTES,
	C_OWNED,
	C_PERCENT,
	C_OWNED_STATUS,
	C_TOTAL_BYTES,
	C_TOTAL_RATE,
	C_TOTAL_STATUS,
	C_LOCAL_BYTES,
	C_LOCAL_RATE,
	C_LOCAL_STATUS,
	C_REMOTE_BYTES,
	C_REMOTE_DOUBT,
	C_REMOTE_RATE,
	C_SHARE,
	C_OWNED_RAW,
	C_TOTAL_RAW,
	C_LOCAL_RAW,
	C_RMID_FOUND,
	C_FLAGS,
	C_UNCERTAINTY,
	C_NOTES,
	C_BAR,
};

/* clang-format off */
const struct column llc_columns[] = {
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
	[C_FLAGS] = {"flags", NULL, COLUMN_TEXT, 0},
	[C_UNCERTAINTY] = {"uncertainty_percent", NULL, COLUMN_AMOUNT, 0},
	[C_NOTES] = {NULL, "", COLUMN_TEXT, 0},
	[C_BAR] = {NULL, "L3 share", COLUMN_BAR, 2},
};
/* clang-format on */
const size_t llc_n_columns = sizeof(llc_columns) / sizeof(llc_columns[0]);

void llc_columns_of(unsigned events, struct column *columns)
{
	static const struct {
		enum column_index column;
		unsigned needs;
	} needs[] = {
		{C_OWNED, 1 << UNC_LLC_OCCUPANCY},  {C_PERCENT, 1 << UNC_LLC_OCCUPANCY},
		{C_BAR, 1 << UNC_LLC_OCCUPANCY},    {C_TOTAL_RATE, 1 << UNC_LLC_TOTAL},
		{C_LOCAL_RATE, 1 << UNC_LLC_LOCAL}, {C_REMOTE_RATE, 1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL},
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if ((events & needs[i].needs) != needs[i].needs)
			columns[needs[i].column].title = NULL;
}

/* The part of a read after its n rows: the flags of each row's process. */
static uint64_t *task_flags(const struct llc_rows *rows, struct unc_llc_row *read)
{
	return (void *)(read + rows->n);
}

void llc_rows_clear(struct llc_rows *rows)
{
	free(rows->infos);
}

int llc_rows_init(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_llc *llc, struct llc_groups *groups,
		  struct llc_rows *rows)
{
	size_t n = unc_llc_row_count(llc);
	struct unc_machine_info info;

	unc_machine_info(machine, &info);
	*rows = (struct llc_rows){.llc = llc, .groups = groups, .simulated = info.simulated, .n = n};
	rows->read_bytes = n * (sizeof(struct unc_llc_row) + sizeof(uint64_t));
	rows->infos = calloc(n + 1, sizeof(*rows->infos));
	if (!rows->infos)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		unc_llc_row_info(llc, i, &rows->infos[i]);
	return UNC_OK;
}

int llc_rows_read(struct llc_rows *rows, void *read, bool *ret_pending)
{
	const struct unc_llc_row *is = read;
	uint64_t *flags = task_flags(rows, read);
	int rc = unc_llc_read(rows->llc, read, rows->n);

	if (rc == 0)
		rc = llc_groups_examine(rows->groups);
	end_interval(rows->groups);
	*ret_pending = false;
	for (size_t i = 0; i < rows->n && rc == 0; i++) {
		flags[i] = group_flags(rows->groups, rows->infos[i].group);
		*ret_pending |= is[i].flags & UNC_LLC_PENDING;
	}
	return rc;
}

/* Fails only if monitoring has not started. */
void llc_rows_confirm(struct llc_rows *rows, void *reads, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unc_llc_confirm(rows->llc, (void *)((char *)reads + i * rows->read_bytes), rows->n);
}

/* What is shown instead of a number. */
static struct value missing(const struct unc_llc_value *value)
{
	const char *status = llc_status_text(value->status);

	return no_value(*status ? status : NULL);
}

static struct value bytes_of(const struct unc_llc_value *value)
{
	return value->status == UNC_LLC_OK ? number_value(value->bytes) : missing(value);
}

static struct value rate_of(const struct unc_llc_value *value)
{
	return value->status == UNC_LLC_OK ? rate_value(value->bytes_per_s) : missing(value);
}

static struct value raw_of(const struct unc_llc_value *value)
{
	return value->has_raw ? number_value(value->raw) : (struct value){0};
}

static void owned_values(const struct unc_llc_value *owned, uint64_t l3_bytes, struct row *row)
{
	struct value *values = row->values;
	double share = l3_bytes ? (double)owned->bytes / (double)l3_bytes : 0;

	values[C_OWNED_BYTES] = bytes_of(owned);
	values[C_OWNED_STATUS] = text_value(llc_status_text(owned->status));
	values[C_OWNED_RAW] = raw_of(owned);
	values[C_OWNED] = missing(owned);
	if (owned->status != UNC_LLC_OK)
		return;
	values[C_OWNED] = amount_value((double)owned->bytes / (1 << 20), "MiB");
	if (!l3_bytes)
		return;
	values[C_SHARE] = amount_value((double)(uint64_t)(share * 1e6 + 0.5) / 1e6, NULL);
	values[C_PERCENT] = amount_value(share * 100, "%");
	values[C_BAR] = (struct value){.given = true, .bar = {share, 0, 1}};
}

static void moved_values(const struct unc_llc_row *read, struct row *row)
{
	const struct unc_llc_value *total = &read->values[UNC_LLC_TOTAL], *local = &read->values[UNC_LLC_LOCAL];
	struct value *values = row->values;

	values[C_TOTAL_BYTES] = bytes_of(total);
	values[C_TOTAL_RATE] = rate_of(total);
	values[C_TOTAL_STATUS] = text_value(llc_status_text(total->status));
	values[C_TOTAL_RAW] = raw_of(total);
	values[C_LOCAL_BYTES] = bytes_of(local);
	values[C_LOCAL_RATE] = rate_of(local);
	values[C_LOCAL_STATUS] = text_value(llc_status_text(local->status));
	values[C_LOCAL_RAW] = raw_of(local);
	if (total->status == UNC_LLC_OK || local->status == UNC_LLC_OK)
		values[C_UNCERTAINTY] = uncertainty_value(total->uncertainty_percent > local->uncertainty_percent
								  ? total->uncertainty_percent
								  : local->uncertainty_percent);
	if (!read->has_remote)
		return;
	values[C_REMOTE_BYTES] = number_value(read->remote_bytes);
	values[C_REMOTE_DOUBT] = number_value(read->remote_uncertain_bytes);
	if (total->interval_ns)
		values[C_REMOTE_RATE] = rate_value((double)read->remote_bytes * 1e9 / (double)total->interval_ns);
}

static void emit_one(const struct unc_llc_row_info *info, const struct unc_llc_row *read, struct llc_flags flags,
		     struct row *row, struct emitter *emitter)
{
	char flags_buf[FLAGS_TEXT_MAX], notes_buf[FLAGS_TEXT_MAX];

	row->values[C_TIME] = number_value(read->time_ns);
	if (read->interval_ns)
		row->values[C_INTERVAL] = number_value(read->interval_ns);
	row->values[C_GROUP] = text_value(info->group);
	row->values[C_CPUS] = text_value(info->cpus);
	if (!info->sum)
		row->values[C_L3] = number_value(info->l3);
	row->values[C_RMID] = number_value(info->rmid);
	owned_values(&read->values[UNC_LLC_OCCUPANCY], info->l3_bytes, row);
	moved_values(read, row);
	if (read->flags & UNC_LLC_HIJACKED)
		row->values[C_RMID_FOUND] = number_value(read->rmid_found);
	row->values[C_FLAGS] = text_value(llc_flags_text(&flags, flags_buf));
	flags.simulated = false;
	row->values[C_NOTES] = text_value(llc_flags_text(&flags, notes_buf));
	emit_row(emitter, row);
}

static bool same_group(const struct llc_rows *rows, size_t a, size_t b)
{
	return a < rows->n && b < rows->n && strcmp(rows->infos[a].group, rows->infos[b].group) == 0;
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

/* A table separates a group of several rows, and the first RMID. */
static bool begins(const struct llc_rows *rows, size_t i)
{
	if (i == 0 || same_group(rows, i - 1, i))
		return false;
	if (rows->infos[i].as_is)
		return !rows->infos[i - 1].as_is;
	return same_group(rows, i, i + 1) || (i > 1 && same_group(rows, i - 2, i - 1));
}

static void emit_rest(struct emitter *emitter, size_t n, const char *why)
{
	struct row rest = {.in_table = true};
	char text[40];

	snprintf(text, sizeof(text), "%zu more", n);
	rest.values[C_GROUP] = text_value(text);
	rest.values[C_NOTES] = text_value(why);
	emit_row(emitter, &rest);
}

void llc_rows_emit(const struct llc_rows *rows, const void *read, struct emitter *emitter)
{
	const struct unc_llc_row *is = read;
	const uint64_t *task = (const void *)(is + rows->n);
	static const char *const words[QUIETS] = {[NO_BYTES] = "no bytes", [NO_VALUE] = "no value"};
	size_t n[QUIETS] = {0};

	for (size_t i = 0; i < rows->n; i++) {
		bool rmid = rows->infos[i].as_is;
		enum quiet why = rmid ? quiet(&is[i]) : SHOWN;
		const struct llc_flags flags = {is[i].flags, (unsigned)task[i], rows->infos[i].sum, rows->simulated};
		struct row row = {.record = true, .in_table = why == SHOWN};

		n[why]++;
		row.detail = !rmid && !rows->infos[i].sum &&
			     (same_group(rows, i, i + 1) || (i && same_group(rows, i - 1, i)));
		row.headline = begins(rows, i);
		emit_one(&rows->infos[i], &is[i], flags, &row, emitter);
	}
	for (enum quiet why = NO_BYTES; why < QUIETS; why++)
		if (n[why])
			emit_rest(emitter, n[why], words[why]);
}
