// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader MACHINE ROUNDS: reads and writes of every memory channel through the library, without pacing and without output.
 * Prints the nanoseconds of CPU time of one unc_session_read().
 */
#define _GNU_SOURCE
#include "bench.h"

enum { COUNTS_MAX = 256 };

static struct unc_ctx *ctx;

static size_t add_all(struct unc_machine *machine, struct unc_session *session)
{
	/* A channel is counted as a whole, or each of its two halves. */
	static const char *const events[][4] = {
		{"cas_count.rd", "cas_count.wr"},
		{"umc_cas_cmd.rd", "umc_cas_cmd.wr"},
		{"cas_count_sch0.rd", "cas_count_sch0.wr", "cas_count_sch1.rd", "cas_count_sch1.wr"},
	};
	size_t n = 0;

	for (size_t i = 0; i < unc_box_count(machine, "imc") && n + 4 <= COUNTS_MAX; i++) {
		struct unc_box *box = unc_box_at(machine, "imc", i);
		unsigned which = 0;

		while (which < 2 && unc_session_add(session, box, events[which][0], NULL) < 0)
			which++;
		for (size_t k = which < 2; k < 4 && events[which][k]; k++)
			must(ctx, unc_session_add(session, box, events[which][k], NULL));
		n += which < 2 ? 2 : 4;
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

	if (rounds == 0)
		return usage("MACHINE ROUNDS");
	must(ctx, unc_new(&ctx));
	must(ctx, unc_machine_open(ctx, &cfg, &machine));
	must(ctx, unc_session_open(machine, &session_cfg, &session));
	n = add_all(machine, session);
	must(ctx, unc_session_start(session));
	before_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned long round = 0; round < rounds; round++)
		must(ctx, unc_session_read(session, counts, n));
	printf("%.1f\n", (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns) / (double)rounds);
	must(ctx, unc_session_close(session));
	must(ctx, unc_machine_close(machine));
	unc_free(ctx);
	return 0;
}
