// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/replay_text.h"
#include "base/err.h"
#include "base/text.h"

/*
 * Between two things in a record it is asked whether the COMMAND has ended: once for each sample, and when something wakes us.  A
 * record in which nothing comes after so many questions never answers.
 */
enum { QUESTIONS_MAX = 10000 };

struct replay {
	struct unc_host host;
	struct unc_host bystander;
	struct unc_files files;
	char *path;  /* owned */
	char *bytes; /* owned: the whole record */
	struct unc_replay_text text;
	struct unc_replay_head head;
	struct unc_replay_thing next, asked_for;
	unsigned asked[UNC_RECORD_ENDS];
	uint64_t last_ns[UNC_RECORD_CLOCKS];
	bool over; /* something differed: then why */
	char why[UNC_MSG_MAX];
	void (*on_difference)(void *arg, const char *sentence);
	void *arg; /* not owned */
};

struct replay_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops; /* under the name of the kind */
	struct replay *replay;  /* outlives the bus */
	enum unc_kind kind;
};

static struct replay *replay_of(struct unc_host *host)
{
	return (struct replay *)host;
}

/* ---- what differs ---- */

static int fail_over(struct replay *replay)
{
	return unc_fail(replay->host.ctx, UNC_EIO, "%s", replay->why);
}

static int end_with(struct replay *replay, const char *sentence)
{
	replay->over = true;
	snprintf(replay->why, sizeof(replay->why), "%s", sentence);
	if (replay->on_difference)
		replay->on_difference(replay->arg, replay->why);
	return fail_over(replay);
}

static int differ(struct replay *replay)
{
	char has[200], wants[200], sentence[UNC_MSG_MAX];

	unc_replay_describe(&replay->next, has, sizeof(has));
	unc_replay_describe(&replay->asked_for, wants, sizeof(wants));
	snprintf(sentence, sizeof(sentence), "replay:%s:%u: the record has %s here, and %s is asked for", replay->path,
		 replay->next.line, has, wants);
	return end_with(replay, sentence);
}

/* To the next thing.  The record was checked when it was opened, so that only memory can be missing. */
static void advance(struct replay *replay)
{
	unc_replay_thing_clear(&replay->next);
	memset(replay->asked, 0, sizeof(replay->asked));
	if (unc_replay_text_next(&replay->text, &replay->next) < 0)
		end_with(replay, replay->host.ctx->msg);
}

static void say_notes(struct replay *replay)
{
	while (!replay->over && replay->next.kind == UNC_REPLAY_NOTE) {
		unc_note(replay->host.ctx, "%s", replay->next.text);
		advance(replay);
	}
}

static struct unc_replay_thing *ask(struct replay *replay, enum unc_replay_kind kind)
{
	struct unc_replay_thing *asked = &replay->asked_for;

	memset(asked, 0, offsetof(struct unc_replay_thing, bytes));
	asked->kind = kind;
	return asked;
}

static bool same_deadline(const struct unc_replay_thing *a, const struct unc_replay_thing *b)
{
	return a->forever == b->forever && (a->forever || (a->ns == b->ns && a->backwards == b->backwards));
}

/* A start that failed is in the record without its CPUs. */
static bool same_traffic(const struct unc_replay_thing *has, const struct unc_replay_thing *asked)
{
	const struct unc_traffic *a = &has->traffic, *b = &asked->traffic;

	if (has->op != asked->op || a->kind != b->kind || a->node != b->node || a->bytes_per_s != b->bytes_per_s ||
	    a->size_bytes != b->size_bytes || a->n_cpus != b->n_cpus)
		return false;
	for (size_t i = 0; i < has->n; i++)
		if (has->cpus[i].cpu != b->cpus[i])
			return false;
	return true;
}

static bool same_attr(const struct unc_perf_attr *a, const struct unc_perf_attr *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 && a->config2 == b->config2 &&
	       a->cpu == b->cpu;
}

static bool same(const struct unc_replay_thing *has, const struct unc_replay_thing *asked)
{
	if (has->kind != asked->kind)
		return false;
	switch (has->kind) {
	case UNC_REPLAY_TIME:
		return has->clock == asked->clock;
	case UNC_REPLAY_SLEEP:
		return same_deadline(has, asked);
	case UNC_REPLAY_CPUID:
		return has->cpu == asked->cpu && has->leaf == asked->leaf && has->subleaf == asked->subleaf;
	case UNC_REPLAY_BUS:
		return has->bus == asked->bus && has->writable == asked->writable;
	case UNC_REPLAY_LIST:
		return has->bus == asked->bus;
	case UNC_REPLAY_OPEN:
		return strcmp(has->space, asked->space) == 0;
	case UNC_REPLAY_WRITE:
		if (has->len != asked->len || memcmp(has->bytes, asked->bytes, (size_t)asked->len) != 0)
			return false;
		/* fallthrough */
	case UNC_REPLAY_READ:
		return has->off == asked->off && has->len == asked->len && strcmp(has->space, asked->space) == 0;
	case UNC_REPLAY_CLAIM:
		return has->claim == asked->claim && has->off == asked->off && has->len == asked->len &&
		       strcmp(has->space, asked->space) == 0;
	case UNC_REPLAY_TRAFFIC:
		return same_traffic(has, asked);
	case UNC_REPLAY_PERF_OPEN:
		return same_attr(&has->attr, &asked->attr);
	case UNC_REPLAY_PERF:
		return has->perf == asked->perf && has->event == asked->event;
	case UNC_REPLAY_FILE:
	case UNC_REPLAY_TEXT:
	case UNC_REPLAY_NAMES:
	case UNC_REPLAY_LINK:
		return strcmp(has->err ? has->file : has->text, asked->text) == 0;
	default:
		return true;
	}
}

/* What is asked for is next in the record, which then is replay->next; else a failure. */
static int meet(struct replay *replay)
{
	if (!replay->over)
		say_notes(replay);
	if (replay->over)
		return fail_over(replay);
	return same(&replay->next, &replay->asked_for) ? UNC_OK : differ(replay);
}

/* Behind an answer: how it ended. */
static int leave(struct replay *replay)
{
	const struct unc_replay_thing *thing = &replay->next;
	int rc = thing->err;

	if (rc < 0 && thing->text[0])
		unc_fail_named(replay->host.ctx, rc, thing->os_name, "%s", thing->text);
	advance(replay);
	return rc;
}

/* ---- the host ---- */

static uint64_t replay_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct replay *replay = replay_of(host);

	ask(replay, UNC_REPLAY_TIME)->clock = clock;
	if (meet(replay) < 0)
		return ++replay->last_ns[clock];
	if (replay->next.backwards)
		replay->last_ns[clock] -= replay->next.ns;
	else
		replay->last_ns[clock] += replay->next.ns;
	leave(replay);
	return replay->last_ns[clock];
}

static uint64_t bystander_now_ns(struct unc_host *bystander, enum unc_clock clock)
{
	const struct replay *replay =
		(const struct replay *)((const char *)bystander - offsetof(struct replay, bystander));

	return replay->last_ns[clock];
}

static int replay_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct replay *replay = replay_of(host);
	uint64_t *last_ns = &replay->last_ns[UNC_CLOCK_MONO];
	struct unc_replay_thing *asked = ask(replay, UNC_REPLAY_SLEEP);

	asked->forever = mono_ns == UINT64_MAX;
	asked->backwards = mono_ns < *last_ns;
	asked->ns = asked->backwards ? *last_ns - mono_ns : mono_ns - *last_ns;
	/* Nothing passes by itself any more: who sleeps in a loop must not go on for ever. */
	return meet(replay) == UNC_OK ? leave(replay) : fail_over(replay);
}

static int replay_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct replay *replay = replay_of(host);
	struct unc_replay_thing *asked = ask(replay, UNC_REPLAY_CPUID);
	int rc;

	asked->cpu = cpu;
	asked->leaf = leaf;
	asked->subleaf = subleaf;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err)
		*ret_regs = replay->next.regs;
	return leave(replay);
}

static int replay_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct replay *replay = replay_of(host);
	int rc;

	ask(replay, UNC_REPLAY_TOPOLOGY);
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err) {
		*ret_topo = replay->next.topo;
		replay->next.topo = (struct unc_topo){0};
	}
	return leave(replay);
}

/* No traffic is made: the record has what was moved then. */
static int replay_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct replay *replay = replay_of(host);
	struct unc_replay_thing *asked = ask(replay, UNC_REPLAY_TRAFFIC);
	int rc;

	asked->op = op;
	if (op == UNC_TRAFFIC_START)
		asked->traffic = *traffic;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err && op != UNC_TRAFFIC_START)
		*ret_done = replay->next.done;
	return leave(replay);
}

static int replay_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct replay *replay = replay_of(host);
	int rc;

	ask(replay, UNC_REPLAY_PERF_OPEN)->attr = *attr;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err)
		*ret_event = replay->next.event;
	return leave(replay);
}

static int replay_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct replay *replay = replay_of(host);
	struct unc_replay_thing *asked = ask(replay, UNC_REPLAY_PERF);
	int rc;

	asked->perf = op;
	asked->event = event;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err && op == UNC_PERF_READ)
		*ret_count = replay->next.count;
	return leave(replay);
}

/* ---- its buses ---- */

static struct replay *replay_of_bus(const struct unc_bus *bus)
{
	return ((const struct replay_bus *)bus)->replay;
}

static struct unc_replay_thing *ask_access(const struct unc_space *space, enum unc_replay_kind kind, uint64_t off,
					   size_t len)
{
	struct unc_replay_thing *asked = ask(replay_of_bus(space->bus), kind);

	unc_addr_text(&space->addr, asked->space);
	asked->off = off;
	asked->len = len;
	return asked;
}

static int replay_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct replay *replay = replay_of_bus(space->bus);
	int rc;

	ask_access(space, UNC_REPLAY_READ, off, len);
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err)
		memcpy(buf, replay->next.bytes, len);
	return leave(replay);
}

static int replay_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct replay *replay = replay_of_bus(space->bus);
	struct unc_replay_thing *asked = ask_access(space, UNC_REPLAY_WRITE, off, len);
	int rc;

	if (len > sizeof(asked->bytes))
		return unc_fail(space->bus->ctx, UNC_ERANGE, "replay: a write of %zu bytes; a record has at most %zu",
				len, sizeof(asked->bytes));
	memcpy(asked->bytes, buf, len);
	rc = meet(replay);
	return rc < 0 ? rc : leave(replay);
}

static int replay_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	int rc;

	ask_access(space, UNC_REPLAY_CLAIM, first, (size_t)n)->claim = how;
	rc = meet(replay_of_bus(space->bus));
	return rc < 0 ? rc : leave(replay_of_bus(space->bus));
}

static int replay_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct replay *replay = replay_of_bus(bus);
	struct unc_replay_thing *next = &replay->next;
	int rc;

	ask(replay, UNC_REPLAY_LIST)->bus = ((struct replay_bus *)bus)->kind;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!next->err) {
		*ret_addrs = next->addrs;
		*ret_n = next->n;
		next->addrs = NULL;
	}
	return leave(replay);
}

static int replay_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct replay *replay = replay_of_bus(bus);
	struct unc_space *space;
	int rc;

	unc_addr_text(addr, ask(replay, UNC_REPLAY_OPEN)->space);
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (replay->next.err)
		return leave(replay);
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "replay: out of memory");
	*space = (struct unc_space){.bus = bus, .addr = *addr, .len = replay->next.len};
	*ret_space = space;
	return leave(replay);
}

static void replay_space_close(struct unc_space *space)
{
	free(space);
}

static void replay_bus_close(struct unc_bus *bus)
{
	free(bus);
}

static const struct unc_bus_ops replay_bus_ops = {
	.name = "replay",
	.help = "answers from a record",
	.close = replay_bus_close,
	.list = replay_list,
	.space_open = replay_space_open,
	.space_close = replay_space_close,
	.read = replay_read,
	.write = replay_write,
	.claim = replay_claim,
};

static int replay_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct replay *replay = replay_of(host);
	struct unc_replay_thing *asked = ask(replay, UNC_REPLAY_BUS);
	struct replay_bus *bus;
	int rc;

	asked->bus = kind;
	asked->writable = writable;
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (replay->next.err)
		return leave(replay);
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "replay: out of memory");
	bus->ops = replay_bus_ops;
	bus->ops.name = unc_record_kinds[kind];
	bus->replay = replay;
	bus->kind = kind;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = host->ctx, .writable = writable};
	*ret_bus = &bus->bus;
	return leave(replay);
}

/* ---- files ---- */

static struct replay *replay_of_files(struct unc_files *files)
{
	return (struct replay *)((char *)files - offsetof(struct replay, files));
}

/* Pointers first, the names they point to behind them: one allocation. */
static const char **pack_names(const struct unc_replay_thing *maps)
{
	const char *name = maps->file;
	size_t bytes = 0, head = maps->n * sizeof(char *);
	const char **names;
	char *copy;

	for (size_t i = 0; i < maps->n; i++)
		bytes += strlen(name + bytes) + 1;
	names = malloc(head + bytes + 1);
	if (!names)
		return NULL;
	copy = (char *)names + head;
	if (bytes)
		memcpy(copy, name, bytes);
	for (size_t i = 0; i < maps->n; i++) {
		names[i] = copy;
		copy += strlen(copy) + 1;
	}
	return names;
}

/* What the names are that come next in the record. */
static int take_names(struct replay *replay, const char *const **ret_names, size_t *ret_n)
{
	const char **names;
	int rc = meet(replay);

	if (rc < 0)
		return rc;
	if (replay->next.err)
		return leave(replay);
	names = pack_names(&replay->next);
	if (!names)
		return unc_fail(replay->host.ctx, UNC_ENOMEM, "replay: out of memory");
	*ret_names = names;
	*ret_n = replay->next.n;
	return leave(replay);
}

/* Likewise the text of a file. */
static int take_text(struct replay *replay, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct unc_replay_thing *next = &replay->next;
	int rc = meet(replay);

	if (rc < 0)
		return rc;
	if (next->err)
		return leave(replay);
	if (next->n > max)
		return unc_fail(replay->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here",
				path, max);
	*ret_text = next->file;
	if (ret_len)
		*ret_len = next->n;
	next->file = NULL;
	return leave(replay);
}

static void ask_named(struct replay *replay, enum unc_replay_kind kind, const char *name)
{
	snprintf(ask(replay, kind)->text, sizeof(replay->asked_for.text), "%s", name);
}

static int files_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct replay *replay = replay_of_files(files);

	(void)path;
	ask(replay, UNC_REPLAY_MAPS);
	return take_names(replay, ret_names, ret_n);
}

static int files_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		      size_t *ret_len)
{
	struct replay *replay = replay_of_files(files);
	const char *slash = strrchr(path, '/');

	(void)trust; /* it steers nothing but this replay */
	ask_named(replay, UNC_REPLAY_FILE, slash ? slash + 1 : path);
	return take_text(replay, path, max, ret_text, ret_len);
}

/* ---- the operating system ---- */

static int replay_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct replay *replay = replay_of(host);
	int rc;

	ask(replay, UNC_REPLAY_CPUS);
	rc = meet(replay);
	if (rc < 0)
		return rc;
	if (!replay->next.err) {
		*ret_cpus = replay->next.cpus;
		*ret_n = replay->next.n;
		replay->next.cpus = NULL;
	}
	return leave(replay);
}

static int replay_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	ask_named(replay_of(host), UNC_REPLAY_TEXT, path);
	return take_text(replay_of(host), path, max, ret_text, ret_len);
}

static int replay_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	ask_named(replay_of(host), UNC_REPLAY_NAMES, path);
	return take_names(replay_of(host), ret_names, ret_n);
}

static int replay_link(struct unc_host *host, const char *path, char **ret_text)
{
	ask_named(replay_of(host), UNC_REPLAY_LINK, path);
	return take_text(replay_of(host), path, SIZE_MAX, ret_text, NULL);
}

/* ---- begin and end ---- */

static void replay_free(struct replay *replay)
{
	unc_replay_thing_clear(&replay->next);
	unc_replay_head_clear(&replay->head);
	free(replay->bytes);
	free(replay->path);
	free(replay);
}

/* A run that is over before its record is differs from it too. */
static void replay_close(struct unc_host *host)
{
	struct replay *replay = replay_of(host);
	char has[200], sentence[UNC_MSG_MAX];

	if (!replay->over)
		say_notes(replay);
	if (host->ctx->files == &replay->files)
		host->ctx->files = NULL;
	if (!replay->over && replay->next.kind != UNC_REPLAY_END) {
		unc_replay_describe(&replay->next, has, sizeof(has));
		snprintf(sentence, sizeof(sentence),
			 "replay:%s:%u: the record has %s here, and nothing more is asked for", replay->path,
			 replay->next.line, has);
		end_with(replay, sentence);
	}
	replay_free(replay);
}

static const struct unc_host_ops replay_ops = {
	.close = replay_close,
	.now_ns = replay_now_ns,
	.sleep_until = replay_sleep_until,
	.cpuid = replay_cpuid,
	.topology = replay_topology,
	.cpus = replay_cpus,
	.file = replay_file,
	.names = replay_names,
	.link = replay_link,
	.traffic = replay_traffic,
	.perf_open = replay_perf_open,
	.perf = replay_perf,
	.bus_open = replay_bus_open,
};

static const struct unc_host_ops bystander_ops = {
	.now_ns = bystander_now_ns,
};

/* Everything is looked at once, so that nothing malformed is met later. */
static int check(struct replay *replay)
{
	struct unc_replay_text text = replay->text;
	int rc;

	do {
		rc = unc_replay_text_next(&text, &replay->next);
		if (rc == UNC_OK && replay->next.kind == UNC_REPLAY_END)
			return UNC_OK;
		unc_replay_thing_clear(&replay->next);
	} while (rc == UNC_OK);
	return rc;
}

static int read_text(struct unc_ctx *ctx, const char *path, char **ret_bytes, struct unc_replay_text *ret_text)
{
	size_t len;
	int rc;

	rc = unc_os_file_read(ctx, path, UNC_REPLAY_BYTES, UNC_TRUST_ANY, ret_bytes, &len);
	if (rc < 0)
		return unc_wrap(ctx, rc == UNC_ENODEV ? UNC_EARG : rc, "replay");
	*ret_text = (struct unc_replay_text){.ctx = ctx, .path = path, .at = *ret_bytes, .end = *ret_bytes + len};
	return UNC_OK;
}

int unc_replay_head_read(struct unc_ctx *ctx, const char *path, struct unc_replay_head *ret_head)
{
	struct unc_replay_text text;
	struct unc_replay_head head;
	char *bytes;
	int rc;

	rc = read_text(ctx, path, &bytes, &text);
	if (rc < 0)
		return rc;
	rc = unc_replay_text_head(&text, &head);
	free(bytes);
	if (rc < 0)
		unc_replay_head_clear(&head);
	else
		*ret_head = head;
	return rc;
}

int unc_replay_open(struct unc_ctx *ctx, const char *path, int wake_fd, struct unc_host **ret_host)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int rc = UNC_ENOMEM;

	if (!replay || !(replay->path = unc_text_dup(path))) {
		free(replay);
		return unc_fail(ctx, UNC_ENOMEM, "replay: out of memory");
	}
	rc = read_text(ctx, replay->path, &replay->bytes, &replay->text);
	if (rc == UNC_OK)
		rc = unc_replay_text_head(&replay->text, &replay->head);
	if (rc == UNC_OK)
		rc = check(replay);
	replay->host = (struct unc_host){.ops = &replay_ops,
					 .ctx = ctx,
					 .simulated = replay->head.simulated,
					 .stands_still = replay->head.stands_still,
					 .wake_fd = wake_fd,
					 .name = replay->head.name,
					 .map_dir = replay->head.maps ? UNC_RECORD_MAPS : NULL,
					 .bystander = &replay->bystander};
	replay->bystander = (struct unc_host){.ops = &bystander_ops, .ctx = ctx};
	replay->files = (struct unc_files){.list = files_list, .read = files_read};
	if (rc < 0) {
		replay_free(replay);
		return rc;
	}
	ctx->files = &replay->files;
	advance(replay);
	*ret_host = &replay->host;
	return UNC_OK;
}

bool unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg)
{
	struct replay *replay = replay_of(host);

	if (host->ops != &replay_ops)
		return false;
	replay->on_difference = fn;
	replay->arg = arg;
	return true;
}

bool unc_replay_asks(struct unc_host *host, enum unc_record_end end, int *ret_number)
{
	struct replay *replay = replay_of(host);
	char sentence[UNC_MSG_MAX];

	if (host->ops != &replay_ops)
		return false;
	/* What cannot go on need not wait for a COMMAND that will not end. */
	if (replay->over && end == UNC_RECORD_ENDED)
		*ret_number = 1;
	if (replay->over)
		return end == UNC_RECORD_ENDED;
	if (++replay->asked[end] > QUESTIONS_MAX && end == UNC_RECORD_ENDED) {
		snprintf(sentence, sizeof(sentence), "replay:%s:%u: the record does not tell how the COMMAND ended",
			 replay->path, replay->next.line);
		end_with(replay, sentence);
		*ret_number = 1;
		return true;
	}
	if (replay->next.kind != UNC_REPLAY_OUTSIDE || replay->next.end != end ||
	    replay->asked[end] < replay->next.asked)
		return false;
	*ret_number = replay->next.number;
	advance(replay);
	return true;
}
