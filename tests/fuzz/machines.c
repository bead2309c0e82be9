// SPDX-License-Identifier: GPL-2.0-or-later
/* Events, journals and states of a simulated machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "fuzz.h"
#include "machine/journals.h"
#include "machine/machine.h"
#include "map/field.h"
#include "pmon/event.h"
#include "sim/computer.h"

#define MACHINE        "sim:snbep,clock=step,sockets=1,cores=1,state=state"
#define MEMORY_MACHINE "sim:spr,clock=step,sockets=1,cores=1,state=state" /* its registers are in memory */
#define SHARED_MACHINE "sim:bdx,clock=step,sockets=1,cores=1,perf=on,resctrl=on,state=state"

/* Numbers, as many as the input has bytes for; then zeros. */
struct numbers {
	const unsigned char *at;
	size_t left;
};

static uint64_t number(struct numbers *n, unsigned bytes)
{
	uint64_t value = 0;

	for (; bytes && n->left; bytes--, n->left--)
		value = value << 8 | *n->at++;
	return value;
}

static struct unc_machine *open_named(struct unc_ctx *ctx, const char *name, bool writable)
{
	const struct unc_machine_cfg cfg = {
		.machine = name, .writable = writable, .state_dir = "journals", .recovers = true};
	struct unc_machine *m;

	return unc_machine_open(ctx, &cfg, &m) < 0 ? NULL : m;
}

/* ---- events ---- */

static struct unc_box *channel(struct unc_machine *m)
{
	struct unc_box *box;

	FUZZ_ASSERT(unc_box_find(m, "socket0.imc0.ch0", &box) == 0);
	return box;
}

/* What a session prints of an event is the same control when it is read again. */
static void check_event(const struct unc_box *box, const struct unc_wanted *wanted)
{
	struct unc_wanted *again;

	if (unc_wanted_new(box, wanted->text, &again) < 0)
		fuzz_fail("\"%s\" was printed: %s", wanted->text, unc_errmsg(box->machine->ctx));
	if (again->control != wanted->control || again->event.fixed != wanted->event.fixed)
		fuzz_fail("\"%s\" was printed of 0x%llx, and is 0x%llx", wanted->text,
			  (unsigned long long)wanted->control, (unsigned long long)again->control);
	FUZZ_ASSERT(strcmp(again->text, wanted->text) == 0);
	unc_wanted_free(again);
}

/* Likewise of a control that another program wrote, where every bit of it is known, and so it can be counted again. */
static void check_control(const struct unc_box *box, uint64_t control)
{
	const struct unc_reg *ctl = unc_unit_reg(box->unit, "CTL");
	struct unc_wanted wanted, *again;

	unc_wanted_decode(box, ctl, control, &wanted);
	if (unc_reg_wrong_bits(ctl, control))
		return;
	FUZZ_ASSERT(unc_wanted_is(box, &wanted, ctl, control));
	if (unc_wanted_new(box, wanted.text, &again) < 0)
		return; /* an edge without a threshold is decoded, and refused */
	FUZZ_ASSERT(unc_wanted_is(box, again, ctl, control));
	unc_wanted_free(again);
}

static void run_event(const char *text, size_t size)
{
	static const char *const names[] = {"sim:snbep,clock=step,sockets=1,cores=1",
					    "sim:skx,clock=step,sockets=1,cores=1",
					    "sim:spr,clock=step,sockets=1,cores=1"};
	static struct unc_machine *machines[3]; /* opened once */
	static struct unc_ctx *ctx;
	struct numbers n = {(const unsigned char *)text, size};
	uint64_t control = number(&n, 4);

	if (!ctx)
		FUZZ_ASSERT(unc_new(&ctx) == 0);
	for (unsigned i = 0; i < 3; i++) {
		struct unc_wanted *wanted;

		if (!machines[i])
			machines[i] = open_named(ctx, names[i], false);
		FUZZ_ASSERT(machines[i]);
		check_control(channel(machines[i]), control);
		if (unc_wanted_new(channel(machines[i]), text, &wanted) < 0)
			continue;
		check_event(channel(machines[i]), wanted);
		unc_wanted_free(wanted);
	}
}

/* ---- journals ---- */

/* A journal without its head. */
static void put_head(char *bytes, size_t len)
{
	char head[UNC_JOURNAL_HEAD + 1];

	unc_journal_put_head(head, len,
			     unc_journal_sum(UNC_JOURNAL_NO_SUM, bytes + UNC_JOURNAL_HEAD, len - UNC_JOURNAL_HEAD));
	memcpy(bytes, head, UNC_JOURNAL_HEAD);
}

/* What is read of a journal is the same when it is written and read again. */
static void check_journal(struct unc_ctx *ctx, const struct unc_journal_text *text)
{
	struct unc_bytes buf = {0};
	struct unc_journal_text again;
	char head[UNC_JOURNAL_HEAD + 1] = "";

	FUZZ_ASSERT(unc_bytes_add(&buf, head, UNC_JOURNAL_HEAD));
	FUZZ_ASSERT(unc_journal_put_begin(&buf, &text->identity, &text->who));
	for (size_t i = 0; i < text->n_claims; i++)
		FUZZ_ASSERT(unc_journal_put_claim(&buf, text->claims[i].box, &text->claims[i].addr));
	for (size_t i = 0; i < text->n_lines; i++)
		FUZZ_ASSERT(unc_journal_put_reg(&buf, &text->lines[i]));
	put_head(buf.bytes, buf.len);
	if (unc_journal_text_parse(ctx, buf.bytes, buf.len, &again) < 0)
		fuzz_fail("%s: %.*s", unc_errmsg(ctx), (int)buf.len, buf.bytes);
	FUZZ_ASSERT(again.n_lines == text->n_lines && again.n_claims == text->n_claims);
	FUZZ_ASSERT(memcmp(&again.identity, &text->identity, sizeof(again.identity)) == 0 &&
		    strcmp(again.who.command, text->who.command) == 0 && again.who.pid == text->who.pid);
	for (size_t i = 0; i < text->n_lines; i++) {
		const struct unc_journal_line *a = &again.lines[i], *b = &text->lines[i];

		FUZZ_ASSERT(unc_addr_compare(&a->addr, &b->addr) == 0 && a->off == b->off && a->bits == b->bits &&
			    strcmp(a->box, b->box) == 0 && strcmp(a->reg, b->reg) == 0 && a->before == b->before &&
			    a->ours == b->ours && a->any == b->any && a->doubted == b->doubted &&
			    a->has_idle == b->has_idle && a->idle == b->idle && a->n_values == b->n_values &&
			    memcmp(a->values, b->values, a->n_values * sizeof(*a->values)) == 0);
	}
	unc_journal_text_clear(&again);
	free(buf.bytes);
}

/* The head is made to fit, so that what is behind it is looked at. */
static void run_journal(const char *text, size_t size)
{
	struct unc_journal_text parsed;
	struct unc_ctx *ctx;
	char *bytes = malloc(UNC_JOURNAL_HEAD + size + 1);

	FUZZ_ASSERT(bytes && unc_new(&ctx) == 0);
	memcpy(bytes + UNC_JOURNAL_HEAD, text, size + 1);
	put_head(bytes, UNC_JOURNAL_HEAD + size);
	if (unc_journal_text_parse(ctx, bytes, UNC_JOURNAL_HEAD + size, &parsed) == 0) {
		check_journal(ctx, &parsed);
		unc_journal_text_clear(&parsed);
	}
	free(bytes);
	unc_free(ctx);
}

/* ---- recovering ---- */

static const struct unc_sim_state *state_of(const struct unc_machine *m)
{
	return unc_sim_of(m->host)->store.state;
}

/*
 * A line of a register that may be there, may hold one of the values, and may be one that nothing may write.  True: it is as a session
 * writes it, so that putting it back breaks no rule of the manual.
 */
static bool put_line(struct unc_machine *m, struct numbers *n, struct unc_bytes *buf)
{
	struct unc_box *box = unc_box_at(m, "imc", (size_t)number(n, 1) % unc_box_count(m, "imc"));
	const struct unc_reg *reg = &box->unit->regs[number(n, 1) % box->unit->n_regs];
	uint64_t values[3] = {number(n, 4), number(n, 2), 0};
	struct unc_journal_line line = {.addr = box->addr,
					.off = unc_reg_off(reg, number(n, 1) % reg->count),
					.bits = reg->bits,
					.before = unc_reg_base(reg, number(n, 4)),
					.ours = UINT64_MAX >> (64 - reg->bits),
					.values = values,
					.n_values = number(n, 1) % 4};
	bool usual;

	snprintf(line.box, sizeof(line.box), "%s", box->name);
	snprintf(line.reg, sizeof(line.reg), "%s%s", reg->name, reg->count > 1 ? "[0]" : "");
	usual = !(number(n, 1) & 1);
	if (!usual) {
		line.before = number(n, 4);
		line.off = (uint32_t)number(n, 2);
		line.addr.pci.fn = (uint8_t)(number(n, 1) & 7);
		line.ours = number(n, 4);
		line.doubted = number(n, 2);
		line.any = number(n, 1);
		line.idle = number(n, 2);
		line.has_idle = line.idle != 0;
	}
	FUZZ_ASSERT(unc_journal_put_reg(buf, &line));
	return usual;
}

/* Returns whether all its lines are usual ones. */
static bool write_journal(struct unc_machine *m, struct numbers *n, uint64_t *ret_bits)
{
	struct unc_journal_who who = {.pid = 2, .start = 1, .command = "uncorectl mem", .since_ns = 1};
	struct unc_bytes buf = {0};
	struct unc_host_identity identity;
	char head[UNC_JOURNAL_HEAD + 1] = "";
	uint64_t flipped = number(n, 3);
	bool usual = true;

	FUZZ_ASSERT(m->host->ops->identity(m->host, &identity) == 0);
	FUZZ_ASSERT(unc_bytes_add(&buf, head, UNC_JOURNAL_HEAD));
	FUZZ_ASSERT(unc_journal_put_begin(&buf, &identity, &who));
	do
		usual &= put_line(m, n, &buf);
	while (n->left && buf.len < 20000);
	put_head(buf.bytes, buf.len);
	if (flipped) {
		flipped %= 8 * buf.len;
		buf.bytes[flipped / 8] ^= (char)(1 << flipped % 8);
	}
	mkdir("journals", 0700);
	fuzz_folder_write("journals/2-1.journal", buf.bytes, buf.len);
	free(buf.bytes);
	*ret_bits = flipped;
	return usual;
}

/*
 * `recover` with a journal of which perhaps one bit is flipped: then no register of the machine changes.  Else no write
 * breaks a rule of the manual.
 */
static void run_recover(const char *text, size_t size)
{
	struct numbers n = {(const unsigned char *)text, size};
	uint64_t choice = number(&n, 1);
	const char *name = choice & 2 ? MEMORY_MACHINE : MACHINE;
	bool force = choice & 1, usual;
	static struct unc_sim_imc before[UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX];
	struct unc_sim_violation violation;
	struct unc_recover *recover;
	struct unc_machine *m;
	struct unc_ctx *ctx;
	uint64_t flipped;

	FUZZ_ASSERT(unc_new(&ctx) == 0);
	fuzz_folder_begin();
	m = open_named(ctx, name, false);
	FUZZ_ASSERT(m);
	usual = write_journal(m, &n, &flipped);
	FUZZ_ASSERT(unc_machine_close(m) == 0);
	m = open_named(ctx, name, true);
	FUZZ_ASSERT(m);
	memcpy(before, state_of(m)->imc, sizeof(before));
	if (unc_recover_open(m, &recover) == 0) {
		unc_recover_run(recover, force);
		unc_recover_close(recover);
	}
	if (flipped)
		FUZZ_ASSERT(memcmp(before, state_of(m)->imc, sizeof(before)) == 0);
	for (size_t i = 0; usual && unc_sim_violation(m->host, i, &violation) == 0; i++)
		if (state_of(m)->violations[i].rule < UNC_SIM_NEEDS_THRESH) /* what was there before may be nonsense */
			fuzz_fail("%s", violation.sentence);
	unc_machine_close(m);
	fuzz_folder_end();
	unc_free(ctx);
}

/* ---- state=FILE ---- */

static void poke_state(struct numbers *n)
{
	int fd = open("state", O_RDWR | O_CLOEXEC);

	FUZZ_ASSERT(fd >= 0);
	while (n->left) {
		uint64_t kind = number(n, 1), off = number(n, 3) % sizeof(struct unc_sim_state), value = number(n, 8);
		size_t len = (size_t)1 << (kind & 3);

		if (kind & 4) /* in what is not the shares */
			off %= offsetof(struct unc_sim_state, shares);
		if (pwrite(fd, &value, len, (off_t)off) < 0)
			break;
	}
	close(fd);
}

static void use_machine(struct unc_machine *m)
{
	const struct unc_session_cfg cfg = {.force = true};
	struct unc_session *session;
	struct unc_count count;

	if (unc_session_open(m, &cfg, &session) < 0)
		return;
	if (unc_session_add(session, channel(m), "cas_count.rd", NULL) == 0 && unc_session_start(session) == 0) {
		unc_machine_sleep_until(m, unc_machine_mono_ns(m) + 10000000);
		unc_session_read(session, &count, 1);
	}
	unc_session_close(session);
}

/* A machine whose state another program changed: it is refused, or used, and ends. */
static void run_state(const char *text, size_t size)
{
	struct numbers n = {(const unsigned char *)text, size};
	uint64_t choice = number(&n, 1);
	const char *name = choice & 1 ? SHARED_MACHINE : choice & 2 ? MEMORY_MACHINE : MACHINE;
	struct unc_machine *m;
	struct unc_ctx *ctx;

	FUZZ_ASSERT(unc_new(&ctx) == 0);
	fuzz_folder_begin();
	m = open_named(ctx, name, false);
	FUZZ_ASSERT(m && unc_machine_close(m) == 0);
	poke_state(&n);
	m = open_named(ctx, name, true);
	if (m) {
		use_machine(m);
		unc_machine_close(m);
	}
	fuzz_folder_end();
	unc_free(ctx);
}

const struct fuzz_target fuzz_machines[] = {
	{"event", run_event}, {"journal", run_journal}, {"recover", run_recover}, {"state", run_state}, {NULL, NULL}};
