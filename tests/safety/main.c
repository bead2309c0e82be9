// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * safety UNCORECTL SIMFS SIGAT SCRATCH FIGURES [STEP [ONLY]]: every command that programs something dies in every way,
 * everywhere it can; `recover` follows; then every register is as it was found.  Prints lines of "ok", "not ok" and "skip",
 * and writes the figures to a file.  STEP: only every so many places are tried.  ONLY: of the commands those alone whose
 * name has that in it.
 *
 * As many jobs run at once as there are processors; a job is one way of dying of one command.
 */
#define _GNU_SOURCE
#include "safety.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TASKS_MAX = 192 };

struct task {
	const struct command *command;
	const struct job *job;
	pid_t pid;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void perform(const struct tools *tools, const struct task *task, unsigned number, struct result *result)
{
	struct world w = {.tools = tools, .command = task->command, .result = result};
	double begin = now();

	snprintf(w.folder, sizeof(w.folder), "%s/%u", tools->scratch, number);
	world_prepare(&w);
	task->job->run(&w);
	result->seconds = now() - begin;
	fflush(stdout);
}

static void tell(const struct task *task, const struct result *r)
{
	char *rest = strdup(r->told), *at = rest, *line;

	if (r->skipped) {
		printf("skip %s: %s # %s\n", task->command->name, task->job->name, r->told);
	} else if (r->wrong || r->left_over || !r->points) {
		printf("not ok %s: %s: %u tried, %u registers left over, %u wrong\n", task->command->name,
		       task->job->name, r->points, r->left_over, r->wrong);
		while ((line = strsep(&at, "\n")))
			if (*line)
				printf("# %s\n", line);
	} else {
		printf("ok %s: %s: %u tried, %u registers left behind, 0 left over (%.1f s)\n", task->command->name,
		       task->job->name, r->points, r->left_by_kill, r->seconds);
	}
	fflush(stdout);
	free(rest);
}

static size_t list_tasks(struct task *tasks, const char *only)
{
	size_t n = 0;

	for (size_t k = 0; k < n_jobs; k++)
		for (size_t i = 0; i < n_commands; i++)
			if (n < TASKS_MAX && (jobs[k].commands & commands[i].is) && strstr(commands[i].name, only))
				tasks[n++] = (struct task){&commands[i], &jobs[k], 0};
	return n;
}

static void perform_all(const struct tools *tools, struct task *tasks, size_t n, struct result *results)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
	size_t next = 0, done = 0;

	while (done < n) {
		for (; next < n && running < processors; next++, running++) {
			tasks[next].pid = fork();
			if (tasks[next].pid == 0) {
				perform(tools, &tasks[next], (unsigned)next, &results[next]);
				_exit(0);
			}
		}
		int status;
		pid_t pid = wait(&status);

		running--;
		for (size_t i = 0; i < next; i++) {
			if (tasks[i].pid != pid)
				continue;
			if (status != 0) {
				results[i].wrong++;
				snprintf(results[i].told, sizeof(results[i].told), "it did not run to its end");
			}
			tell(&tasks[i], &results[i]);
			tasks[i].pid = 0; /* its number may be given to a later one */
			done++;
		}
	}
}

static void put_figures(FILE *out, const struct tools *tools, const struct task *tasks, size_t n,
			const struct result *results, double seconds)
{
	struct result sum = {0};
	char sample[64] = "";

	for (size_t i = 0; i < n; i++) {
		sum.points += results[i].points;
		sum.left_by_kill += results[i].left_by_kill;
		sum.left_over += results[i].left_over;
		sum.wrong += results[i].wrong;
	}
	if (tools->step > 1)
		snprintf(sample, sizeof(sample), " (a sample: one place of %u)", tools->step);
	printf("%s %u ways of dying tried%s, %u registers left behind by them, %u left over after recover, in %.1f s\n",
	       sum.left_over || sum.wrong || !sum.left_by_kill ? "not ok" : "ok", sum.points, sample, sum.left_by_kill,
	       sum.left_over, seconds);
	if (!out)
		return;
	fprintf(out,
		"{\"kill_points\": %u, \"registers_left_behind\": %u, \"registers_left_over\": %u, \"wrong\": %u, ",
		sum.points, sum.left_by_kill, sum.left_over, sum.wrong);
	fprintf(out, "\"every\": %u, \"seconds\": %.1f, \"jobs\": [\n", tools->step, seconds);
	for (size_t i = 0; i < n; i++)
		fprintf(out,
			" {\"command\": \"%s\", \"death\": \"%s\", \"tried\": %u, \"left_behind\": %u, \"left_over\": "
			"%u, "
			"\"skipped\": %s, \"seconds\": %.1f}%s\n",
			tasks[i].command->name, tasks[i].job->name, results[i].points, results[i].left_by_kill,
			results[i].left_over, results[i].skipped ? "true" : "false", results[i].seconds,
			i + 1 < n ? "," : "");
	fprintf(out, "]}\n");
}

int main(int argc, char **argv)
{
	size_t size = TASKS_MAX * sizeof(struct result), n;
	struct task tasks[TASKS_MAX];
	struct result *results;
	struct tools tools;
	double begin = now();
	FILE *out;

	if (argc < 6 || argc > 8)
		return 2;
	tools = (struct tools){argv[1], argv[2], argv[3], argv[4], argc > 6 ? (unsigned)atoi(argv[6]) : 1};
	results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return 2;
	block_child();
	n = list_tasks(tasks, argc == 8 ? argv[7] : "");
	perform_all(&tools, tasks, n, results);
	out = fopen(argv[5], "w");
	put_figures(out, &tools, tasks, n, results, now() - begin);
	return !out || fclose(out) != 0;
}
