// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/text.h"
#include "machine/tasks.h"

bool unc_cpuset_of_list(const char *list, struct unc_cpuset *ret_set)
{
	struct unc_cpuset set = {{0}};
	uint64_t cpu, last;

	while (unc_text_range(&list, UNC_CPUSET_MAX - 1, &cpu, &last))
		for (; cpu <= last; cpu++)
			set.has[cpu] = true;
	if (list)
		return false;
	*ret_set = set;
	return true;
}

size_t unc_cpuset_count(const struct unc_cpuset *set)
{
	size_t n = 0;

	for (size_t i = 0; i < UNC_CPUSET_MAX; i++)
		n += set->has[i];
	return n;
}

/* Fields of /proc/PID/stat by their numbers in proc(5); those of the times follow each other. */
enum { F_STATE = 3, F_UTIME = 14, F_N_THREADS = 20, F_STARTTIME = 22, F_VSIZE, F_PROCESSOR = 39, F_END };

/*
 * Some fields can be negative, which counts as 0, since none of those is used.  Old kernels have fewer, but all up to the memory.
 */
bool unc_proc_stat_parse(const char *text, struct unc_proc_stat *ret_stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *rest;
	uint64_t fields[F_END] = {0};
	unsigned i;
	int len;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	rest = close + 3;
	for (i = F_STATE + 1; i < F_END && (i <= F_VSIZE || (*rest != '\n' && *rest)); i++) {
		bool negative = *rest == ' ' && rest[1] == '-';

		if (*rest++ != ' ')
			return false;
		rest += negative;
		if (!unc_text_take(&rest, &fields[i]))
			return false;
		if (negative)
			fields[i] = 0;
	}
	if (*rest != ' ' && *rest != '\n' && *rest)
		return false;
	*ret_stat = (struct unc_proc_stat){
		.state = close[2],
		.utime = fields[F_UTIME],
		.stime = fields[F_UTIME + 1],
		.cutime = fields[F_UTIME + 2],
		.cstime = fields[F_UTIME + 3],
		.n_threads = fields[F_N_THREADS],
		.starttime = fields[F_STARTTIME],
		.vsize = fields[F_VSIZE],
		.processor_told = i > F_PROCESSOR,
		.processor = fields[F_PROCESSOR],
	};
	len = (int)(close - open) - 1;
	snprintf(ret_stat->comm, sizeof(ret_stat->comm), "%.*s", len, open + 1);
	return true;
}

bool unc_proc_ended(const struct unc_proc_stat *stat)
{
	return stat->state == 'X' || stat->state == 'x' || (stat->state == 'Z' && stat->n_threads <= 1);
}

bool unc_proc_status_cpus(const char *text, struct unc_cpuset *ret_set)
{
	static const char key[] = "\nCpus_allowed_list:\t";
	const char *line = strstr(text, key);
	char list[4096]; /* a kernel of 8192 CPUs writes no line that is longer than a page */
	size_t len;

	if (!line)
		return false;
	line += strlen(key);
	len = strcspn(line, "\n");
	if (len >= sizeof(list) || !line[len]) /* cut off */
		return false;
	memcpy(list, line, len);
	list[len] = '\0';
	return unc_cpuset_of_list(list, ret_set);
}

bool unc_proc_next_number(const char **rest, uint64_t *ret_number)
{
	*rest += strspn(*rest, " ");
	return unc_text_take(rest, ret_number);
}

/* Columns of a line "cpuN". */
enum { C_USER, C_NICE, C_SYSTEM, C_IDLE, C_IOWAIT, C_IRQ, C_SOFTIRQ, C_STEAL, C_END };

bool unc_proc_next_cpu_time(const char **rest, uint64_t *ret_cpu, struct unc_cpu_time *ret_time)
{
	while (**rest) {
		uint64_t columns[C_END] = {0}, total = 0; /* old kernels have fewer; missing ones are 0 */
		const char *text = *rest;
		unsigned n = 0;

		*rest += strcspn(text, "\n");
		*rest += **rest == '\n';
		if (strncmp(text, "cpu", 3) != 0)
			continue;
		text += 3;
		if (!unc_text_take(&text, ret_cpu))
			continue;
		for (; n < C_END && *text == ' '; n++) {
			text++;
			if (!unc_text_take(&text, &columns[n]) || columns[n] > UINT64_MAX / C_END) {
				n = 0; /* nonsense */
				break;
			}
			total += columns[n];
		}
		if (n <= C_IDLE || (*text != ' ' && *text != '\n'))
			continue;
		*ret_time = (struct unc_cpu_time){true, total - columns[C_IDLE] - columns[C_IOWAIT], total};
		return true;
	}
	return false;
}

/* The tree of a process: its threads, the children of each (/proc/PID/task/TID/children), and so on. */

enum { STAT_MAX = 4096, STATUS_MAX = 1 << 20, CHILDREN_MAX = 1 << 20, PATH_LEN = 96 };

static int read_file(struct unc_task *task, const struct unc_task_member *member, const char *tid, const char *file,
		     size_t max, char **ret_text)
{
	struct unc_host *host = task->m->host;
	char path[PATH_LEN];

	if (tid)
		snprintf(path, sizeof(path), "%s/%.24s/task/%.20s/%s", task->proc, member->name, tid, file);
	else
		snprintf(path, sizeof(path), "%s/%.24s/%s", task->proc, member->name, file);
	return unc_host_file(host, path, max, ret_text, NULL);
}

/* Fills in the fields of stat.  UNC_ENODEV: the process has ended, or another process has its number by now. */
static int read_process(struct unc_task *task, struct unc_task_member *member, bool known)
{
	struct unc_proc_stat stat;
	char *text;
	bool good;
	int rc = read_file(task, member, NULL, "stat", STAT_MAX, &text);

	if (rc < 0)
		return rc;
	good = unc_proc_stat_parse(text, &stat);
	free(text);
	if (!good)
		return unc_fail(task->m->ctx, UNC_EIO, "%s/%s/stat: this is not what Linux writes there", task->proc,
				member->name);
	if (known && stat.starttime != member->starttime)
		return unc_fail(task->m->ctx, UNC_ENODEV, "process %s has ended, and its number is another's by now",
				member->name);
	member->starttime = stat.starttime;
	member->waited = stat.cutime + stat.cstime;
	member->total = stat.utime + stat.stime + member->waited;
	member->alive = !unc_proc_ended(&stat);
	return UNC_OK;
}

/* Adds a process that exists and is not yet listed.  UNC_ENOMEM. */
static int add_member(struct unc_task *task, struct unc_task_walk *walk, const struct unc_task_member *member,
		      bool known)
{
	struct unc_task_member found = *member;
	int rc;

	for (size_t i = 0; i < walk->n_members; i++)
		if (walk->members[i].pid == member->pid)
			return UNC_OK;
	if (walk->n_members >= UNC_TASK_THREADS_MAX) {
		walk->cut = true;
		return UNC_OK;
	}
	rc = read_process(task, &found, known);
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	return unc_list_add(task->m->ctx, &walk->members, &walk->n_members, &found, sizeof(found));
}

static int add_children(struct unc_task *task, struct unc_task_walk *walk, size_t of, const char *tid)
{
	const char *rest;
	uint64_t pid;
	char *text;
	int rc = read_file(task, &walk->members[of], tid, "children", CHILDREN_MAX, &text);

	if (rc < 0) {
		/*
		 * A thread may have ended, but the first thread was there just now, and stays until its process ends.
		 */
		if (of == 0 && rc == UNC_ENODEV && unc_text_u64(tid, &pid) && pid == walk->members[0].pid)
			walk->no_children = true;
		if (rc == UNC_ERANGE)
			walk->cut = true;
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	}
	rest = text;
	rc = UNC_OK;
	while (rc == 0 && unc_proc_next_number(&rest, &pid)) {
		struct unc_task_member child = {.pid = pid};

		snprintf(child.name, sizeof(child.name), "%llu", (unsigned long long)pid);
		rc = add_member(task, walk, &child, false);
	}
	free(text);
	return rc;
}

static int read_thread(struct unc_task *task, struct unc_task_walk *walk, size_t of, const char *tid)
{
	struct unc_cpuset cpus;
	char *text;
	int rc = read_file(task, &walk->members[of], tid, "status", STATUS_MAX, &text);

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	walk->n_threads++;
	if (unc_proc_status_cpus(text, &cpus))
		for (size_t i = 0; i < UNC_CPUSET_MAX; i++)
			walk->cpus.has[i] |= cpus.has[i] && (!task->online_told || task->online.has[i]);
	free(text);
	return walk->no_children ? UNC_OK : add_children(task, walk, of, tid);
}

static int read_threads(struct unc_task *task, struct unc_task_walk *walk, size_t of)
{
	struct unc_host *host = task->m->host;
	char path[PATH_LEN];
	const char *const *tids;
	uint64_t tid;
	size_t n;
	int rc;

	snprintf(path, sizeof(path), "%s/%.24s/task", task->proc, walk->members[of].name);
	rc = unc_host_names(host, path, &tids, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (walk->n_threads >= UNC_TASK_THREADS_MAX) {
			walk->cut = true;
			break;
		}
		if (unc_text_u64(tids[i], &tid))
			rc = read_thread(task, walk, of, tids[i]);
	}
	free((void *)tids);
	return rc;
}

/* Members are appended during this loop. */
static int read_members(struct unc_task *task, struct unc_task_walk *walk, size_t from)
{
	for (size_t i = from; i < walk->n_members; i++) {
		int rc = walk->members[i].alive ? read_threads(task, walk, i) : UNC_OK;

		if (rc == UNC_ENOMEM || (rc < 0 && rc != UNC_ENODEV && i == 0))
			return rc;
	}
	return UNC_OK;
}

int unc_task_walk(struct unc_task *task, struct unc_task_walk *ret_walk)
{
	struct unc_task_walk *walk = ret_walk;
	size_t n;
	int rc;

	*walk = (struct unc_task_walk){.no_children = task->last.no_children};
	walk->members = unc_array_more(NULL, 0, sizeof(*walk->members));
	if (!walk->members)
		return unc_fail(task->m->ctx, UNC_ENOMEM, "out of memory");
	walk->members[0] = task->root;
	walk->n_members = 1;
	rc = read_process(task, &walk->members[0], task->root.starttime != 0);
	walk->gone = rc == UNC_ENODEV || (rc == 0 && !walk->members[0].alive);
	if (walk->gone)
		return UNC_OK;
	if (rc == 0)
		rc = read_members(task, walk, 0);
	n = walk->n_members;
	/* Former members stay members, though one whose parent has ended is not the child of any member any more. */
	for (size_t i = 1; i < task->last.n_members && rc == 0; i++)
		rc = add_member(task, walk, &task->last.members[i], true);
	if (rc == 0)
		rc = read_members(task, walk, n);
	if (rc < 0) {
		free(walk->members);
		walk->members = NULL;
	}
	return rc;
}
