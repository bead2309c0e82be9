// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/proc_text.h"

#include <string.h>

#include "base/text.h"

static void ignore(void *arg, uint64_t number)
{
	(void)arg, (void)number;
}

static void add_cpu(void *arg, uint64_t cpu)
{
	((struct unc_cpuset *)arg)->has[cpu] = true;
}

bool unc_cpuset_of_list(const char *list, struct unc_cpuset *ret_set)
{
	/* First without effect: it calls back before it knows whether the rest is well-formed. */
	if (!unc_text_list(list, UNC_CPUSET_MAX - 1, ignore, NULL))
		return false;
	memset(ret_set, 0, sizeof(*ret_set));
	return unc_text_list(list, UNC_CPUSET_MAX - 1, add_cpu, ret_set);
}

size_t unc_cpuset_count(const struct unc_cpuset *set)
{
	size_t n = 0;

	for (size_t i = 0; i < UNC_CPUSET_MAX; i++)
		n += set->has[i];
	return n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits from *text on, which moves behind them. */
static bool number(const char **text, uint64_t *ret_number)
{
	const char *p = *text;
	uint64_t value = 0;

	for (; is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret_number = value;
	return true;
}

/* Fields of /proc/PID/stat by their numbers in proc(5). */
enum {
	F_STATE = 3,
	F_UTIME = 14,
	F_STIME,
	F_CUTIME,
	F_CSTIME,
	F_N_THREADS = 20,
	F_STARTTIME = 22,
	F_VSIZE,
	F_PROCESSOR = 39,
	F_END
};

/*
 * Those behind the state, some of which can be negative: that is as good as 0, since none of those is used.  How many there are: old
 * kernels end earlier.
 */
static bool fields_behind_state(const char *text, uint64_t fields[F_END], unsigned *ret_end)
{
	unsigned i;

	for (i = F_STATE + 1; i < F_END; i++) {
		bool negative;

		if (i > F_VSIZE && (*text == '\n' || !*text))
			break;
		if (*text++ != ' ')
			return false;
		negative = *text == '-';
		text += negative;
		if (!number(&text, &fields[i]))
			return false;
		if (negative)
			fields[i] = 0;
	}
	*ret_end = i;
	return *text == ' ' || *text == '\n' || !*text;
}

bool unc_proc_stat_parse(const char *text, struct unc_proc_stat *ret_stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t fields[F_END] = {0};
	struct unc_proc_stat stat = {0};
	unsigned end;
	size_t len;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	stat.state = close[2];
	if (!fields_behind_state(close + 3, fields, &end))
		return false;
	len = (size_t)(close - open) - 1;
	if (len >= sizeof(stat.comm))
		len = sizeof(stat.comm) - 1;
	memcpy(stat.comm, open + 1, len);
	stat.utime = fields[F_UTIME];
	stat.stime = fields[F_STIME];
	stat.cutime = fields[F_CUTIME];
	stat.cstime = fields[F_CSTIME];
	stat.n_threads = fields[F_N_THREADS];
	stat.starttime = fields[F_STARTTIME];
	stat.vsize = fields[F_VSIZE];
	stat.processor_told = end > F_PROCESSOR;
	stat.processor = fields[F_PROCESSOR];
	*ret_stat = stat;
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
	return number(rest, ret_number);
}

/* Columns of a line "cpuN". */
enum { C_USER, C_NICE, C_SYSTEM, C_IDLE, C_IOWAIT, C_IRQ, C_SOFTIRQ, C_STEAL, C_END };

static bool cpu_line(const char *line, uint64_t *ret_cpu, struct unc_cpu_time *ret_time)
{
	uint64_t columns[C_END] = {0}; /* old kernels have fewer: those they do not tell are 0 */
	uint64_t total = 0;
	unsigned n = 0;

	if (strncmp(line, "cpu", 3) != 0)
		return false;
	line += 3;
	if (!number(&line, ret_cpu))
		return false;
	for (; n < C_END && *line == ' '; n++) {
		line++;
		if (!number(&line, &columns[n]) || columns[n] > UINT64_MAX / C_END)
			return false;
		total += columns[n];
	}
	if (n <= C_IDLE || (*line != ' ' && *line != '\n'))
		return false;
	*ret_time = (struct unc_cpu_time){
		.told = true, .busy = total - columns[C_IDLE] - columns[C_IOWAIT], .total = total};
	return true;
}

void unc_proc_cpu_times(const char *text, void (*add)(void *arg, uint64_t cpu, const struct unc_cpu_time *time),
			void *arg)
{
	while (*text) {
		struct unc_cpu_time time;
		uint64_t cpu;

		if (cpu_line(text, &cpu, &time))
			add(arg, cpu, &time);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}
