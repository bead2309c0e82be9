// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * growth WHAT N: does one thing with N of something, for a test that counts instructions and looks how they grow with N.
 *
 *     journal   reads a journal of N registers, and asks for each of them whether it was left
 *     again     the same, where each line is of the same register
 *     nearest   looks for the names near one that none of N names is
 *     events    plans a session of N events in one box, which take turns
 *     twice     the same, each event being there twice
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/nearest.h"
#include "machine/journals.h"
#include "machine/machine.h"
#include "pmon/event.h"

static struct unc_ctx *ctx;

static void must(bool good)
{
	if (good)
		return;
	fprintf(stderr, "growth: %s\n", unc_errmsg(ctx));
	exit(1);
}

static struct unc_journal_line line_of(unsigned i)
{
	return (struct unc_journal_line){.addr = {.kind = UNC_MSR, .msr = {.cpu = i * 7919 % 8192}},
					 .off = i / 8192,
					 .bits = 64,
					 .box = "b",
					 .reg = "R"};
}

static void journal(unsigned n, bool again)
{
	const struct unc_host_identity identity = {.machine = "live", .boot = "b"};
	const struct unc_journal_who who = {.pid = 2, .command = "x"};
	const uint64_t value = 1;
	struct unc_bytes buf = {0};
	struct unc_journal_text text;
	char head[UNC_JOURNAL_HEAD + 1] = "";
	unsigned found = 0;

	must(unc_bytes_add(&buf, head, UNC_JOURNAL_HEAD) && unc_journal_put_begin(&buf, &identity, &who));
	for (unsigned i = 0; i < n; i++) {
		struct unc_journal_line line = line_of(again ? 0 : i);

		line.values = &value;
		line.n_values = 1;
		must(unc_journal_put_reg(&buf, &line));
	}
	unc_journal_put_head(
		head, buf.len,
		unc_journal_sum(UNC_JOURNAL_NO_SUM, buf.bytes + UNC_JOURNAL_HEAD, buf.len - UNC_JOURNAL_HEAD));
	memcpy(buf.bytes, head, UNC_JOURNAL_HEAD);
	must(unc_journal_text_parse(ctx, buf.bytes, buf.len, &text) == 0);
	for (unsigned i = 0; i < n; i++) {
		struct unc_journal_line line = line_of(i);

		found += unc_journal_text_has(&text, &line.addr, line.off);
	}
	must(found == (again ? n > 0 : n));
	unc_journal_text_clear(&text);
	free(buf.bytes);
}

static void nearest(unsigned n)
{
	struct unc_nearest near = {.asked = "an_event_with_a_long_name_that_is_not_there"};

	for (unsigned i = 0; i < n; i++) {
		char name[48];

		snprintf(name, sizeof(name), "an_event_with_a_long_name_%u.part", i);
		unc_nearest_offer(&near, name);
	}
}

static void events(unsigned n, bool twice)
{
	const struct unc_machine_cfg cfg = {.machine = "sim:snbep,clock=step,sockets=1,cores=1", .writable = true};
	const struct unc_session_cfg session_cfg = {.multiplex = true};
	struct unc_session *session;
	struct unc_machine *m;
	char event[64];

	must(unc_machine_open(ctx, &cfg, &m) == 0 && unc_session_open(m, &session_cfg, &session) == 0);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = twice ? i / 2 : i;

		snprintf(event, sizeof(event), "imc/event=0x%x,umask=0x%x/", k % 256, 1 + k / 256);
		must(unc_session_add(session, unc_box_at(m, "imc", 0), event, NULL) == 0);
	}
	must(n == 0 || unc_session_start(session) == 0);
	must(unc_session_close(session) == 0 && unc_machine_close(m) == 0);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	const char *what = argc == 3 ? argv[1] : "";

	must(unc_new(&ctx) == 0);
	if (strcmp(what, "journal") == 0 || strcmp(what, "again") == 0)
		journal(n, *what == 'a');
	else if (strcmp(what, "nearest") == 0)
		nearest(n);
	else if (strcmp(what, "events") == 0 || strcmp(what, "twice") == 0)
		events(n, *what == 't');
	else
		must(false);
	unc_free(ctx);
	return 0;
}
