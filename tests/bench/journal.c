// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal MACHINE FOLDER ROUNDS: what the journal on disk, in FOLDER, adds to a start that counts two events of every memory channel.
 * Prints nanoseconds of wall-clock time, each the median of ROUNDS: opening the folder, starting the session with the journal, and
 * without it.  Whether it is there is all that differs; which is first changes from round to round.
 */
#define _GNU_SOURCE

#include "bench.h"
#include "machine/journals.h"
#include "machine/machine.h"
#include "uncore.h"

static struct unc_ctx *ctx;

/* Nanoseconds of unc_session_start(), and of opening the journal, which stands for what unc_machine_open() does. */
static uint64_t start(const char *machine, const char *folder, bool journal, uint64_t *ret_open_ns)
{
	const struct unc_machine_cfg cfg = {.machine = machine, .state_dir = folder, .writable = true, .wake_fd = -1};
	const struct unc_session_cfg session_cfg = {.force = false};
	struct unc_session *session;
	struct unc_machine *m;
	uint64_t begin_ns, took_ns;

	must(ctx, unc_machine_open(ctx, &cfg, &m));
	unc_journal_disk_close(m->disk);
	m->disk = NULL;
	begin_ns = now_ns(CLOCK_MONOTONIC_RAW);
	if (journal)
		must(ctx, unc_journal_disk_open(m, &m->disk));
	*ret_open_ns = now_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
	if (journal && !m->disk)
		die(machine, "it has no journal");
	must(ctx, unc_session_open(m, &session_cfg, &session));
	for (size_t i = 0; i < unc_box_count(m, "imc"); i++) {
		must(ctx, unc_session_add(session, unc_box_at(m, "imc", i), "cas_count.rd", NULL));
		must(ctx, unc_session_add(session, unc_box_at(m, "imc", i), "cas_count.wr", NULL));
	}
	begin_ns = now_ns(CLOCK_MONOTONIC_RAW);
	must(ctx, unc_session_start(session));
	took_ns = now_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
	must(ctx, unc_session_close(session));
	must(ctx, unc_machine_close(m));
	return took_ns;
}

int main(int argc, char **argv)
{
	size_t rounds = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t *times = rounds ? calloc(3 * rounds, sizeof(*times)) : NULL, *opened = times, *with, *without, none;

	if (!times)
		return usage("MACHINE FOLDER ROUNDS");
	with = times + rounds;
	without = times + 2 * rounds;
	must(ctx, unc_new(&ctx));
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			without[i] = start(argv[1], argv[2], false, &none);
		with[i] = start(argv[1], argv[2], true, &opened[i]);
		if (i % 2 == 0)
			without[i] = start(argv[1], argv[2], false, &none);
	}
	printf("%llu %llu %llu\n", (unsigned long long)median(opened, rounds), (unsigned long long)median(with, rounds),
	       (unsigned long long)median(without, rounds));
	free(times);
	unc_free(ctx);
	return 0;
}
