// SPDX-License-Identifier: GPL-2.0-or-later
/* The groups that `llc` monitors: those of the options, and the processes whose CPUs are groups. */
#define _GNU_SOURCE

#include "base/text.h"
#include "cli/cli.h"
#include "cli/llc.h"
#include "machine/machine.h"
#include "uncore/task.h"

struct llc_task {              /* a process whose CPUs are a group */
	char *group;           /* name; owned */
	bool is_pid;           /* named by --pid: the run ends when all of these have ended */
	struct unc_task *task; /* owned */
	unsigned seen;         /* bits of enum unc_task_flag, in this interval so far */
	unsigned flags;        /* the same of the interval before */
};

static const char cgroups[] = "/sys/fs/cgroup";

/* ---- options ---- */

/* Makes an empty text visible, too. */
static const char *shown(const char *given)
{
	return *given ? given : "\"\"";
}

/* Names appear in tables and in records, where they are printed unchanged. */
static bool prints(const char *text, const char *end)
{
	char piece[UNC_TEXT_PIECE];

	for (const char *next = text; text < end; text = next)
		if (unc_text_show_next(&next, piece) != (size_t)(next - text))
			return false;
	return true;
}

/* NULL: out of memory. */
static struct llc_group *add_group(struct llc *llc, const char *name, size_t len)
{
	struct llc_group *groups = unc_array_more(llc->groups, llc->n_groups, sizeof(*groups));

	if (!groups)
		return NULL;
	llc->groups = groups;
	groups[llc->n_groups].name = strndup(name, len);
	return groups[llc->n_groups].name ? &groups[llc->n_groups++] : NULL;
}

int llc_take_cpus(void *member, const struct option_given *given)
{
	struct llc *llc = member;
	struct llc_group *added = add_group(llc, given->value, strlen(given->value));
	int status = added ? option_cpus(&added->cpus, given) : no_memory();

	if (status != EXIT_DONE)
		return status;
	for (const struct llc_group *group = llc->groups; group != added; group++)
		if (strcmp(group->name, added->name) == 0 && group->cpus.n == added->cpus.n &&
		    memcmp(group->cpus.cpus, added->cpus.cpus, added->cpus.n * sizeof(*added->cpus.cpus)) == 0)
			return usage_error("%s: --cpus %s: given twice", given->command, given->value);
	return EXIT_DONE;
}

int llc_take_group(void *member, const struct option_given *given)
{
	const char *text = given->value, *equals = strchr(text, '=');
	struct llc_group *group;

	if (!equals || equals == text)
		return usage_error("%s: --group %s: write NAME=LIST, such as web=0-3,8", given->command, shown(text));
	if (!prints(text, equals))
		return usage_error("%s: --group %s: the NAME has characters that do not print, or is not UTF-8",
				   given->command, text);
	if (strspn(text, " ") == (size_t)(equals - text))
		return usage_error("%s: --group %s: the NAME is blank", given->command, text);
	group = add_group(member, text, (size_t)(equals - text));
	return group ? option_add_cpus(&group->cpus, given, equals + 1) : no_memory();
}

int llc_take_pid(void *member, const struct option_given *given)
{
	struct llc *llc = member;
	struct llc_group *group;
	char name[32];
	uint64_t pid;

	if (!unc_text_u64(given->value, &pid) || pid == 0 || pid > INT32_MAX)
		return usage_error("llc: --pid %s: not the number of a process", shown(given->value));
	for (size_t i = 0; i < llc->n_groups; i++)
		if (llc->groups[i].pid == pid)
			return usage_error("llc: --pid %s: given twice", given->value);
	snprintf(name, sizeof(name), "pid%u", (unsigned)pid);
	group = add_group(llc, name, strlen(name));
	if (!group)
		return no_memory();
	group->pid = (unsigned)pid;
	return EXIT_DONE;
}

static int take_name(struct llc *llc, const struct option_given *given, const char *name, struct llc_group **ret_group)
{
	if (strspn(name, " ") == strlen(name))
		return usage_error("llc: %s %s: which one?", given->option, shown(given->value));
	if (!prints(name, name + strlen(name)))
		return usage_error("llc: %s %s: it has characters that do not print, or is not UTF-8", given->option,
				   given->value);
	for (size_t i = 0; i < llc->n_groups; i++)
		if ((llc->groups[i].cgroup || llc->groups[i].program) && strcmp(llc->groups[i].name, name) == 0)
			return usage_error("llc: %s %s: given twice", given->option, given->value);
	*ret_group = add_group(llc, name, strlen(name));
	return *ret_group ? EXIT_DONE : no_memory();
}

int llc_take_program(void *member, const struct option_given *given)
{
	struct llc_group *group = NULL;
	int status = take_name(member, given, given->value, &group);

	if (!group)
		return status;
	if (strchr(given->value, '/'))
		return usage_error("llc: --program %s: the name alone, without its folder", given->value);
	group->program = given->value;
	return EXIT_DONE;
}

/* With or without the folder where cgroups are. */
int llc_take_cgroup(void *member, const struct option_given *given)
{
	const char *name = given->value;
	struct llc_group *group = NULL;
	int status;

	if (strncmp(name, cgroups, strlen(cgroups)) == 0)
		name += strlen(cgroups);
	name += strspn(name, "/");
	status = take_name(member, given, name, &group);
	if (!group)
		return status;
	if (strstr(name, ".."))
		return usage_error("llc: --cgroup %s: a path below %s", given->value, cgroups);
	group->cgroup = name;
	return EXIT_DONE;
}

/* ---- CPUs ---- */

/* The CPUs of the cache of index l3. */
static int l3_cpus(const struct llc *llc, size_t l3, struct unc_l3_info *ret_info, struct cpu_list *ret_cpus)
{
	int rc = unc_l3_info(llc->machine, l3, ret_info);

	if (rc < 0)
		return rc;
	*ret_cpus = (struct cpu_list){0};
	if (cpu_list_add(ret_cpus, ret_info->cpus) == CPU_LIST_GOOD)
		return UNC_OK;
	cpu_list_clear(ret_cpus);
	return unc_fail(llc->ctx, UNC_ENOMEM, "out of memory");
}

/*
 * Adds the online CPUs on which a process may run: the operating system's list also names CPUs that could be plugged in.  If these
 * are all of an L3 it fails (except with --shared), since the process cannot be distinguished from others that run there.
 */
static int add_online(const struct llc *llc, const char *group, const struct cpu_list *allowed, const char *who,
		      const char *how_to_bind)
{
	struct cpu_list online = {.cpus = calloc(allowed->n + 1, sizeof(*online.cpus))};
	int rc = online.cpus ? UNC_OK : unc_fail(llc->ctx, UNC_ENOMEM, "out of memory");

	for (size_t l3 = 0; l3 < llc->n_l3s && rc == 0; l3++) {
		size_t first = online.n;
		struct unc_l3_info info;
		struct cpu_list cpus;

		rc = l3_cpus(llc, l3, &info, &cpus);
		if (rc < 0)
			break;
		for (size_t i = 0; i < cpus.n; i++)
			if (cpu_list_has(allowed, cpus.cpus[i]))
				online.cpus[online.n++] = cpus.cpus[i];
		if (online.n - first == cpus.n && !llc->cfg.shared)
			rc = unc_fail(llc->ctx, UNC_EARG,
				      "llc: %s may run on every CPU of L3 %u (%s), so that whatever else runs there "
				      "would be counted as its own; bind it to fewer (%s), or count all (--shared)",
				      who, info.id, info.cpus, how_to_bind);
		cpu_list_clear(&cpus);
	}
	if (rc == 0 && online.n == 0)
		rc = unc_fail(llc->ctx, UNC_ENODEV,
			      "llc: %s may run on no CPU that is online on this machine; bind it to one (%s)", who,
			      how_to_bind);
	if (rc == 0)
		rc = unc_llc_add(llc->llc, group, online.cpus, online.n);
	cpu_list_clear(&online);
	return rc;
}

/* ---- processes ---- */

/* Follows a process from now on.  pid 0: the COMMAND.  *ret_cpus is the task's. */
static int follow(struct llc *llc, const char *group, unsigned pid, const unsigned **ret_cpus, size_t *ret_n)
{
	struct llc_task task = {.is_pid = pid != 0};
	int rc = unc_task_open(llc->machine, pid, &task.task);

	if (rc < 0)
		return rc;
	task.group = unc_text_dup(group);
	if (!task.group || !unc_array_add(&llc->tasks, &llc->n_tasks, &task, sizeof(task))) {
		free(task.group);
		unc_task_close(task.task);
		return unc_fail(llc->ctx, UNC_ENOMEM, "out of memory");
	}
	return unc_task_cpus(task.task, ret_cpus, ret_n);
}

static int add_task(struct llc *llc, const char *group, unsigned pid)
{
	struct cpu_list allowed = {0};
	const unsigned *cpus;
	char who[40] = LLC_COMMAND_GROUP;
	int rc = follow(llc, group, pid, &cpus, &allowed.n);

	if (rc < 0)
		return rc;
	if (pid)
		snprintf(who, sizeof(who), "process %u", pid);
	allowed.cpus = (unsigned *)cpus; /* owned by the task, and only read */
	return add_online(llc, group, &allowed, who, pid ? "taskset -p" : "--bind LIST");
}

enum { NAME_PATH = 300, COMM_MAX = 64, CPUS_TEXT_MAX = 1 << 20 };

/* The kernel keeps the first 15 letters of a program's name. */
static bool runs(const struct llc *llc, const char *proc, const char *pid, const char *program)
{
	char path[NAME_PATH], *comm;
	size_t len;
	bool same;

	snprintf(path, sizeof(path), "%s/%.20s/comm", proc, pid);
	if (unc_host_file(llc->machine->host, path, COMM_MAX, &comm, &len) < 0)
		return false; /* it has ended meanwhile */
	comm[strcspn(comm, "\n")] = '\0';
	same = strcmp(comm, program) == 0 || (strlen(comm) == 15 && strncmp(comm, program, 15) == 0);
	free(comm);
	return same;
}

/* All processes that run the program now, as one group; those that they start belong to it. */
static int add_program(struct llc *llc, const struct llc_group *group)
{
	const char *const *names = NULL;
	struct cpu_list allowed = {0};
	char who[NAME_PATH];
	size_t n = 0, found = 0;
	const char *proc = "/proc";
	int rc = unc_host_names(llc->machine->host, proc, &names, &n);

	/* A simulated machine without files of its own has the processes of this computer, as for --pid. */
	if (rc < 0 && rc != UNC_ENOMEM && llc->machine->host->simulated) {
		proc = "own:/proc";
		rc = unc_host_names(llc->machine->host, proc, &names, &n);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		const unsigned *cpus = NULL;
		size_t n_cpus = 0;
		uint64_t pid;

		if (!unc_text_u64(names[i], &pid) || pid == 0 || pid > INT32_MAX ||
		    !runs(llc, proc, names[i], group->program))
			continue;
		rc = follow(llc, group->name, (unsigned)pid, &cpus, &n_cpus);
		if (rc == UNC_ENODEV) { /* it has ended meanwhile */
			rc = UNC_OK;
			continue;
		}
		found++;
		for (size_t k = 0; k < n_cpus && rc == 0; k++) {
			char text[24];

			snprintf(text, sizeof(text), "%u", cpus[k]);
			if (!cpu_list_has(&allowed, cpus[k]) && cpu_list_add(&allowed, text) != CPU_LIST_GOOD)
				rc = unc_fail(llc->ctx, UNC_ENOMEM, "out of memory");
		}
	}
	free((void *)names);
	snprintf(who, sizeof(who), "program %.100s", group->program);
	if (rc == 0 && found == 0)
		rc = unc_fail(llc->ctx, UNC_ENODEV, "llc: --program %.100s: no process runs a program of that name now",
			      group->program);
	if (rc == 0)
		rc = add_online(llc, group->name, &allowed, who, "taskset -p");
	cpu_list_clear(&allowed);
	return rc;
}

static int add_cgroup(struct llc *llc, const struct llc_group *group)
{
	struct cpu_list allowed = {0};
	char path[NAME_PATH], who[NAME_PATH], *text;
	size_t len;
	int rc;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/cpuset.cpus.effective", cgroups, group->cgroup) >= sizeof(path))
		return unc_fail(llc->ctx, UNC_EARG, "llc: --cgroup %.60s...: the path is too long", group->cgroup);
	rc = unc_host_file(llc->machine->host, path, CPUS_TEXT_MAX, &text, &len);
	if (rc < 0)
		return unc_wrap(
			llc->ctx, rc,
			"llc: --cgroup %.100s: its CPUs are not known, as there is no such cgroup, or it has no cpuset",
			group->cgroup);
	text[strcspn(text, "\n")] = '\0';
	if (*text && cpu_list_add(&allowed, text) != CPU_LIST_GOOD)
		rc = unc_fail(llc->ctx, UNC_EIO, "llc: --cgroup %.100s: %s: not a list of CPUs: %.100s", group->cgroup,
			      path, text);
	free(text);
	snprintf(who, sizeof(who), "cgroup %.100s", group->cgroup);
	if (rc == 0)
		rc = add_online(llc, group->name, &allowed, who, "cpuset.cpus");
	cpu_list_clear(&allowed);
	return rc;
}

static int add_one(struct llc *llc, const struct llc_group *group)
{
	if (group->pid)
		return add_task(llc, group->name, group->pid);
	if (group->program)
		return add_program(llc, group);
	if (group->cgroup)
		return add_cgroup(llc, group);
	return unc_llc_add(llc->llc, group->name, group->cpus.cpus, group->cpus.n);
}

int llc_groups_add(struct llc *llc)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_groups && rc == 0; i++)
		rc = add_one(llc, &llc->groups[i]);
	if (rc == 0 && llc->command)
		rc = add_task(llc, LLC_COMMAND_GROUP, 0);
	if (rc == 0 && llc->all_rmids)
		rc = unc_llc_add_rmids(llc->llc);
	/* Where nothing is named, each L3 is a group. */
	for (size_t i = 0; llc->n_groups == 0 && !llc->command && !llc->all_rmids && i < llc->n_l3s && rc == 0; i++) {
		struct unc_l3_info info;
		struct cpu_list cpus;
		char name[32];

		rc = l3_cpus(llc, i, &info, &cpus);
		if (rc < 0)
			break;
		snprintf(name, sizeof(name), "l3-%u", info.id);
		rc = unc_llc_add(llc->llc, name, cpus.cpus, cpus.n);
		cpu_list_clear(&cpus);
	}
	return rc;
}

void llc_groups_clear(struct llc *llc)
{
	for (size_t i = 0; i < llc->n_tasks; i++) {
		unc_task_close(llc->tasks[i].task);
		free(llc->tasks[i].group);
	}
	for (size_t i = 0; i < llc->n_groups; i++) {
		cpu_list_clear(&llc->groups[i].cpus);
		free(llc->groups[i].name);
	}
	free(llc->tasks);
	free(llc->groups);
	cpu_list_clear(&llc->bind);
	cpu_list_clear(&llc->read_cpus);
}

int llc_tasks_examine(struct llc *llc)
{
	for (size_t i = 0; i < llc->n_tasks; i++) {
		unsigned flags;
		int rc = unc_task_look(llc->tasks[i].task, &flags);

		if (rc < 0)
			return rc;
		/* The flag for other tasks covers the interval as a whole, all other flags any moment in it. */
		llc->tasks[i].seen &= ~(unsigned)UNC_TASK_OTHERS;
		llc->tasks[i].seen |= flags;
	}
	return UNC_OK;
}

bool llc_tasks_end_interval(struct llc *llc)
{
	size_t pids = 0, ended = 0;

	for (size_t i = 0; i < llc->n_tasks; i++) {
		struct llc_task *task = &llc->tasks[i];

		task->flags = task->seen;
		task->seen = 0;
		unc_task_begin(task->task);
		pids += task->is_pid;
		ended += task->is_pid && (task->flags & UNC_TASK_GONE);
	}
	return pids && ended == pids;
}

unsigned llc_task_flags(const struct llc *llc, const char *group)
{
	unsigned flags = 0, gone = UNC_TASK_GONE;
	size_t n = 0;

	for (size_t i = 0; i < llc->n_tasks; i++) {
		const struct llc_task *task = &llc->tasks[i];

		if (strcmp(task->group, group) != 0)
			continue;
		n++;
		flags |= task->flags;
		gone &= task->is_pid ? task->flags : 0;
	}
	/* Processes of one program are not others to each other, and some of them may end before the last. */
	if (n > 1)
		flags &= ~(unsigned)UNC_TASK_OTHERS;
	return (flags & ~(unsigned)UNC_TASK_GONE) | gone * (n > 0);
}
