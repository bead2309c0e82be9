// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl llc: how much of the last-level cache each group of CPUs holds, and how much it moves to and from memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "cli/llc.h"
#include "cli/sampler.h"
#include "machine/machine.h"

static const char usage[] =
	"usage: uncorectl llc [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"How much of the last-level cache groups of CPUs own, and what they move between it and\n"
	"memory, by the monitoring of the caches (CMT, MBM).  Where no group is named, each L3 is one:\n"
	"l3-0 and so on.  Without -n until interrupted.  With a COMMAND its lifetime is one sample, its\n"
	"exit status ours, and without -o the data goes to stderr.\n"
	"\n";
static const char notes[] =
	"\n"
	"Words instead of a number: unavailable (the hardware has none for now), error (it has none at\n"
	"all, or the access failed), disturbed (another program selected something meanwhile), stale\n"
	"(the previous reading is too old, or there is none), shared_rmid (see below).  Flags: hijacked\n"
	"(another program gave a CPU of the group another RMID), shared_rmid (another program gave the\n"
	"group's RMID to a CPU outside the group), corrected (a known erratum), over (more is owned than\n"
	"the cache has), local_exceeds (more was counted as local than in total, so that remote is not\n"
	"known), sum (of a group on several L3s), partial (a sum without a part), longer (bytes of a\n"
	"sample before, which had no value, are in it), late (when it was read is uncertain, and so the\n"
	"rate), moved (the process may run on other CPUs now), narrowed (on fewer), others (used its CPUs\n"
	"for more than 2 % of the time), gone (it has ended), simulated: the machine is.\n"
	"\n"
	"CPUs get an RMID and keep their class of service; all of it is put back at exit.  Exit status 1\n"
	"when that failed, or a value was never obtained or may be wrong.\n";

#define EXAMINE_FIRST_NS UINT64_C(10000000)
#define EXAMINE_LAST_NS  UINT64_C(200000000)

struct llc {
	struct llc_want want;
	struct unc_machine *machine; /* not owned */
	uint64_t examine_ns;         /* time until processes are examined again */
	struct unc_llc *llc;         /* owned */
	struct llc_groups groups;
	struct unc_ctx *ctx; /* not owned */
	struct llc_rows rows;
	struct column columns[EMIT_COLUMNS_MAX];
	bool sampled;
	char lacks[500]; /* what was never obtained, or may be wrong; "": nothing */
};

/* ---- options ---- */

/* Makes an empty text visible, too. */
static const char *shown(const char *given)
{
	return *given ? given : "\"\"";
}

/* text: the list, which may be only a part of what was given. */
static int add_cpus(struct cpu_list *list, const struct option_given *given, const char *text)
{
	switch (cpu_list_add(list, text)) {
	case CPU_LIST_GOOD:
		return EXIT_DONE;
	case CPU_LIST_NO_MEMORY:
		return no_memory();
	case CPU_LIST_TOO_HIGH:
		say("llc: %s %s: there is no such CPU, the highest that could be is %d", given->option, given->value,
		    CPU_LIST_MAX);
		return EXIT_NOT_HERE;
	default:
		return usage_error("llc: %s %s: not a list of CPUs, such as 0-3,8", given->option, shown(given->value));
	}
}

/* NULL: out of memory. */
static struct llc_want_group *add_group(struct llc_want *want, const char *name, size_t len)
{
	struct llc_want_group *groups = unc_array_more(want->groups, want->n_groups, sizeof(*groups));

	if (!groups)
		return NULL;
	want->groups = groups;
	groups[want->n_groups].name = strndup(name, len);
	return groups[want->n_groups].name ? &groups[want->n_groups++] : NULL;
}

static bool same_cpus(const struct cpu_list *one, const struct cpu_list *other)
{
	return one->n == other->n && memcmp(one->cpus, other->cpus, one->n * sizeof(*one->cpus)) == 0;
}

static int take_list(void *member, const struct option_given *given)
{
	return add_cpus(member, given, given->value);
}

static int take_cpus(void *member, const struct option_given *given)
{
	struct llc_want *want = member;
	const char *list = given->value;
	struct llc_want_group *group = add_group(want, list, strlen(list));
	int status;

	if (!group)
		return no_memory();
	status = add_cpus(&group->cpus, given, list);
	for (size_t i = 0; status == EXIT_DONE && &want->groups[i] != group; i++)
		if (strcmp(want->groups[i].name, list) == 0 && same_cpus(&want->groups[i].cpus, &group->cpus))
			status = usage_error("llc: --cpus %s: given twice", list);
	return status;
}

/* Names appear in tables and in records, where they are printed unchanged. */
static bool good_name(const char *name, size_t len)
{
	const char *end = name + len;

	while (name < end) {
		char piece[UNC_TEXT_PIECE];
		const char *at = name;

		if (unc_text_show_next(&name, piece) != (size_t)(name - at))
			return false;
	}
	return true;
}

static int take_group(void *member, const struct option_given *given)
{
	struct llc_want *want = member;
	const char *text = given->value, *equals = strchr(text, '=');
	struct llc_want_group *group;

	if (!equals || equals == text)
		return usage_error("llc: --group %s: write NAME=LIST, such as web=0-3,8", shown(text));
	if (!good_name(text, (size_t)(equals - text)))
		return usage_error("llc: --group %s: the NAME has characters that do not print, or is not UTF-8", text);
	if (strspn(text, " ") == (size_t)(equals - text))
		return usage_error("llc: --group %s: the NAME is blank", text);
	group = add_group(want, text, (size_t)(equals - text));
	return group ? add_cpus(&group->cpus, given, equals + 1) : no_memory();
}

static int take_pid(void *member, const struct option_given *given)
{
	struct llc_want *want = member;
	const char *text = given->value;
	struct llc_want_group *group;
	char name[32];
	uint64_t pid;

	if (!unc_text_u64(text, &pid) || pid == 0 || pid > INT32_MAX)
		return usage_error("llc: --pid %s: not the number of a process", shown(text));
	snprintf(name, sizeof(name), "pid%u", (unsigned)pid);
	for (size_t i = 0; i < want->n_groups; i++)
		if (want->groups[i].pid == pid)
			return usage_error("llc: --pid %s: given twice", text);
	group = add_group(want, name, strlen(name));
	if (!group)
		return no_memory();
	group->pid = (unsigned)pid;
	return EXIT_DONE;
}

static int take_events(void *member, const struct option_given *given)
{
	static const char *const names[UNC_LLC_EVENTS] = {"occupancy", "total", "local"};
	struct llc_want *want = member;
	const char *text = given->value;

	want->events = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned i = 0;

		while (i < UNC_LLC_EVENTS && (strlen(names[i]) != len || memcmp(names[i], text, len) != 0))
			i++;
		if (i == UNC_LLC_EVENTS)
			return usage_error("llc: --events %s: there are occupancy, total and local, joined by commas",
					   shown(given->value));
		want->events |= 1U << i;
		if (!text[len])
			return EXIT_DONE;
		text += len + 1;
	}
}

static const struct option_def option_defs[] = {
	{"cpus", "LIST", take_cpus, offsetof(struct llc, want),
	 .help = "a group: these CPUs, such as 0-3,8; may be given several times, as may"},
	{"group", "NAME=LIST", take_group, offsetof(struct llc, want), .help = "a group with a name"},
	{"pid", "PID", take_pid, offsetof(struct llc, want),
	 .help = "a group: the CPUs to which that process is bound.  When all such processes\n"
		 "have ended, so does the run"},
	{.argument = "-- COMMAND",
	 .help = "a group: the CPUs to which COMMAND is bound, where no other group is named"},
	{"bind", "LIST", take_list, offsetof(struct llc, want.bind),
	 .help = "and where it is: bind COMMAND to these CPUs"},
	{"all-rmids", NULL, option_flag, offsetof(struct llc, want.all_rmids),
	 .help = "besides, a row for every RMID as it is; alone it gives none to any CPU"},
	{"events", "LIST", take_events, offsetof(struct llc, want),
	 .help = "of occupancy, total and local; default: all that there are"},
	{"read-cpu", "CPU", take_list, offsetof(struct llc, want.read_cpus),
	 .help = "read the cache of this CPU from there, not from the lowest CPU of it outside\n"
		 "every group; may be given several times"},
	{"shared", NULL, option_flag, offsetof(struct llc, want.shared),
	 .help = "go on where others use cache monitoring, or run on all the CPUs of a process"},
	{"no-wait", NULL, option_flag, offsetof(struct llc, want.no_wait),
	 .help = "where every free RMID still owns cache, take one that does"},
	{"no-verify", NULL, option_flag, offsetof(struct llc, want.no_verify),
	 .help = "do not read back what was selected: two accesses a value instead of three"},
	SAMPLER_INTERVAL,
	SAMPLER_COUNT,
	SAMPLER_OBSERVE(NULL),
	SAMPLER_FORMAT,
	SAMPLER_OUTPUT,
	{0},
};

/* Does it look like "rmid17", the name of a row of --all-rmids? */
static bool names_rmid(const char *group)
{
	uint64_t rmid;

	return strncmp(group, "rmid", 4) == 0 && unc_text_u64(group + 4, &rmid);
}

static int llc_options_done(void *arg, const struct sampler_options *options)
{
	struct llc_want *want = &((struct llc *)arg)->want;

	want->interval_ns = sampler_interval_ns(options);
	if (want->bind.n && !options->command)
		return usage_error("llc: --bind is where the COMMAND may run, and there is none; write -- COMMAND");
	/* If groups are named, a COMMAND without --bind only determines the duration. */
	want->command = options->command && (want->bind.n || (want->n_groups == 0 && !want->all_rmids));
	for (size_t i = 0; i < want->n_groups; i++) {
		if (want->command && strcmp(want->groups[i].name, LLC_COMMAND_GROUP) == 0)
			return usage_error("llc: the group of the COMMAND is called " LLC_COMMAND_GROUP
					   "; choose another name");
		if (want->all_rmids && names_rmid(want->groups[i].name))
			return usage_error("llc: --group %s: so a row of --all-rmids is called; choose another name",
					   want->groups[i].name);
	}
	return EXIT_DONE;
}

static void want_clear(struct llc_want *want)
{
	for (size_t i = 0; i < want->n_groups; i++) {
		cpu_list_clear(&want->groups[i].cpus);
		free(want->groups[i].name);
	}
	free(want->groups);
	cpu_list_clear(&want->bind);
	cpu_list_clear(&want->read_cpus);
	*want = (struct llc_want){0};
}

/* ---- the command ---- */

/* Checks whether the kernel accepted the whole list, or only a part. */
static int check_bound(int pid, const struct cpu_list *list, cpu_set_t *set, size_t size)
{
	CPU_ZERO_S(size, set);
	if (sched_getaffinity(pid, size, set) != 0) {
		say("llc: --bind: %s", strerror(errno));
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < list->n; i++) {
		if (CPU_ISSET_S(list->cpus[i], size, set))
			continue;
		say("llc: --bind: COMMAND cannot run on CPU %u of this computer: there is none, it is offline, or we "
		    "are kept from it",
		    list->cpus[i]);
		return EXIT_NOT_HERE;
	}
	return EXIT_DONE;
}

static int llc_bind(void *arg, int pid)
{
	struct llc *llc = arg;
	const struct cpu_list *list = &llc->want.bind;
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX + 1);
	cpu_set_t *set;
	int status;

	if (list->n == 0)
		return EXIT_DONE;
	set = CPU_ALLOC(CPU_LIST_MAX + 1);
	if (!set)
		return no_memory();
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < list->n; i++)
		CPU_SET_S(list->cpus[i], size, set);
	if (sched_setaffinity(pid, size, set) != 0 && errno != EINVAL) { /* EINVAL: none of the CPUs exists */
		say("llc: --bind: %s", strerror(errno));
		status = EXIT_FAILED;
	} else {
		status = check_bound(pid, list, set, size);
	}
	CPU_FREE(set);
	return status;
}

static int llc_start(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, size_t *ret_bytes)
{
	struct llc *llc = arg;
	const struct llc_want *want = &llc->want;
	struct unc_llc_cfg cfg = {
		.events = want->events,
		.shared = want->shared,
		.no_wait = want->no_wait,
		.no_verify = want->no_verify,
		.read_cpus = want->read_cpus.cpus,
		.n_read_cpus = want->read_cpus.n,
		.interval_ns = want->interval_ns,
		.confirm_later = true,
	};
	struct unc_llc_info info = {0};
	int rc = unc_llc_info(machine, &info);

	if (rc == 0 && info.no_monitoring)
		rc = unc_fail(ctx, UNC_ENOSUP, "llc: this CPU does not monitor its caches: %s", info.no_monitoring);
	if (rc == 0)
		rc = unc_llc_open(machine, &cfg, &llc->llc);
	if (rc < 0)
		return rc;
	llc->ctx = ctx;
	llc->machine = machine;
	llc_columns_of(unc_llc_events(llc->llc), llc->columns);
	rc = llc_groups_add(ctx, machine, want, llc->llc, &llc->groups);
	if (rc == 0)
		rc = unc_llc_start(llc->llc);
	if (rc == 0)
		rc = llc_rows_init(ctx, machine, llc->llc, &llc->groups, &llc->rows);
	*ret_bytes = llc->rows.read_bytes;
	return rc;
}

/*
 * A COMMAND may have exited when its only sample is read, so processes are examined while it waits: soon at first, then five times
 * a second.  This is not done where time passes only while this process sleeps, since the wait would never end.
 */
static int llc_sleep_until(void *arg, uint64_t mono_ns)
{
	struct llc *llc = arg;
	int rc = UNC_OK;

	if (llc->groups.n_tasks == 0 || (mono_ns == UINT64_MAX && llc->machine->host->stands_still))
		return unc_llc_sleep_until(llc->llc, mono_ns);
	while (rc == 0) {
		uint64_t until = unc_machine_mono_ns(llc->machine) + llc->examine_ns;

		if (until >= mono_ns)
			return unc_llc_sleep_until(llc->llc, mono_ns);
		rc = unc_llc_sleep_until(llc->llc, until);
		if (rc == 0)
			rc = llc_groups_examine(&llc->groups);
		llc->examine_ns = llc->examine_ns * 2 < EXAMINE_LAST_NS ? llc->examine_ns * 2 : EXAMINE_LAST_NS;
	}
	return rc;
}

static int llc_read(void *arg, void *read, bool *ret_pending)
{
	struct llc *llc = arg;
	int rc = llc_rows_read(&llc->rows, read, ret_pending);

	if (rc < 0)
		return rc;
	llc->sampled = true;
	return llc_groups_ended(&llc->groups) ? SAMPLER_LAST : UNC_OK;
}

static void llc_confirm(void *arg, void *reads, size_t n)
{
	struct llc *llc = arg;

	llc_rows_confirm(&llc->rows, reads, n);
}

static void llc_end_reads(void *arg)
{
	struct llc *llc = arg;

	if (unc_llc_look_last(llc->llc) < 0)
		snprintf(llc->lacks, sizeof(llc->lacks), "%s", unc_errmsg(llc->ctx));
}

static int llc_emit(void *arg, const void *read, struct emitter *emitter)
{
	struct llc *llc = arg;

	llc_rows_emit(&llc->rows, read, emitter);
	return UNC_OK;
}

static int llc_stop(void *arg)
{
	struct llc *llc = arg;
	int rc;

	if (llc->sampled && !llc->lacks[0])
		unc_llc_complete(llc->llc, llc->lacks, sizeof(llc->lacks));
	rc = unc_llc_close(llc->llc);
	llc->llc = NULL;
	return rc;
}

static int llc_verdict(void *arg)
{
	struct llc *llc = arg;

	if (!llc->lacks[0])
		return EXIT_DONE;
	say("llc: %s", llc->lacks);
	return EXIT_FAILED;
}

static void llc_close(void *arg)
{
	struct llc *llc = arg;

	llc_rows_clear(&llc->rows);
	llc_groups_clear(&llc->groups);
	want_clear(&llc->want);
}

static int llc_run(const struct globals *globals, int argc, char **argv)
{
	struct llc llc = {.examine_ns = EXAMINE_FIRST_NS};
	struct sampler sampler = {
		.name = "llc",
		.usage = usage,
		.notes = notes,
		.options = option_defs,
		.columns = llc.columns,
		.n_columns = llc_n_columns,
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

	memcpy(llc.columns, llc_columns, llc_n_columns * sizeof(*llc_columns));
	return sampler_run(&sampler, globals, argc, argv);
}

const struct command llc_command = {"llc", "cache and memory bandwidth of groups of CPUs, or of a process", llc_run};
