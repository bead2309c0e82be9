// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader MACHINE ROUNDS: reads and writes of every memory channel through the library, without pacing and without output.
 * Prints the nanoseconds of CPU time of one unc_session_read().
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "uncore.h"

enum { COUNTS_MAX = 256 };

static struct unc_ctx *ctx;

static void must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "reader: %s\n", unc_errmsg(ctx));
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static size_t add_all(struct unc_machine *machine, struct unc_session *session)
{
	size_t n = 0;

	/* A channel is counted as a whole, or each of its two halves. */
	static const char *const whole[] = {"cas_count.rd", "cas_count.wr"};
	static const char *const halves[] = {"cas_count_sch0.rd", "cas_count_sch0.wr", "cas_count_sch1.rd",
					     "cas_count_sch1.wr"};

	for (size_t i = 0; i < unc_box_count(machine, "imc") && n + 4 <= COUNTS_MAX; i++) {
		struct unc_box *box = unc_box_at(machine, "imc", i);

		if (unc_session_add(session, box, whole[0], NULL) == 0) {
			must(unc_session_add(session, box, whole[1], NULL));
			n += 2;
			continue;
		}
		for (size_t k = 0; k < 4; k++)
			must(unc_session_add(session, box, halves[k], NULL));
		n += 4;
	}
	return n;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct unc_machine_cfg cfg = {.machine = argc > 1 ? argv[1] : NULL,
				      .state_dir = getenv("UNCORECTL_STATE"),
				      .writable = true,
				      .wake_fd = -1};
	struct unc_session_cfg session_cfg = {.confirm_later = true};
	struct unc_count counts[COUNTS_MAX];
	struct unc_session *session;
	struct unc_machine *machine;
	uint64_t before_ns;
	size_t n;

	if (rounds == 0) {
		fprintf(stderr, "usage: reader MACHINE ROUNDS\n");
		return 2;
	}
	must(unc_new(&ctx));
	must(unc_machine_open(ctx, &cfg, &machine));
	must(unc_session_open(machine, &session_cfg, &session));
	n = add_all(machine, session);
	must(unc_session_start(session));
	before_ns = cpu_ns();
	for (unsigned long round = 0; round < rounds; round++)
		must(unc_session_read(session, counts, n));
	printf("%.1f\n", (double)(cpu_ns() - before_ns) / (double)rounds);
	must(unc_session_close(session));
	must(unc_machine_close(machine));
	unc_free(ctx);
	return 0;
}
