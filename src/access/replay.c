// SPDX-License-Identifier: GPL-2.0-or-later
/* The host that answers from a record, its buses and its files. */
#include "access/replay.h"

#include "access/replay_index.h"
#include "base/text.h"

struct replay_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops;    /* under the name of the kind */
	struct unc_replay *replay; /* outlives the bus */
};

static struct unc_replay *replay_of(struct unc_host *host)
{
	return (struct unc_replay *)host;
}

/* ---- the host ---- */

static uint64_t bystander_now_ns(struct unc_host *bystander, enum unc_clock clock)
{
	const struct unc_replay *replay =
		(const struct unc_replay *)((const char *)bystander - offsetof(struct unc_replay, bystander));

	return replay->last_ns[clock];
}

static int replay_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	const struct unc_question q = {.kind = UNC_LINE_CPUID, .n = {cpu, leaf, subleaf}};
	const uint64_t *a = replay_of(host)->answer.a;
	int rc = unc_replay_meet(replay_of(host), &q);

	if (rc == UNC_OK)
		*ret_regs = (struct unc_cpuid_regs){(uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2], (uint32_t)a[3]};
	return rc;
}

static int replay_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct unc_replay *replay = replay_of(host);
	int rc = unc_replay_meet(replay, &(struct unc_question){.kind = UNC_LINE_TOPOLOGY});

	if (rc < 0)
		return rc;
	*ret_topo =
		(struct unc_topo){.n_cpus = (unsigned)replay->answer.a[0], .first_cpu = (unsigned)replay->answer.a[1]};
	ret_topo->packages = unc_replay_items(replay, &ret_topo->n_packages);
	return UNC_OK;
}

/* ret_items: the address of a pointer to what the items are. */
static int meet_items(struct unc_replay *replay, const struct unc_question *q, void *ret_items, size_t *ret_n)
{
	int rc = unc_replay_meet(replay, q);
	void *items;

	if (rc < 0)
		return rc;
	items = unc_replay_items(replay, ret_n);
	memcpy(ret_items, &items, sizeof(items));
	return UNC_OK;
}

static int replay_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	return meet_items(replay_of(host), &(struct unc_question){.kind = UNC_LINE_CPUS}, ret_cpus, ret_n);
}

/* No traffic is made: the record has what was moved then. */
static int replay_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_TRAFFIC + (int)op)};
	struct unc_replay *replay = replay_of(host);
	const uint64_t *a = replay->answer.a;
	const unsigned *cpus;
	int rc;

	if (op == UNC_TRAFFIC_START)
		q = unc_line_start_of(traffic);
	rc = unc_replay_meet(replay, &q);
	if (rc == UNC_OK && op != UNC_TRAFFIC_START)
		*ret_done = (struct unc_traffic_done){a[0], a[1], a[2], a[3]};
	cpus = replay->answer.items;
	for (size_t i = 0; rc == UNC_OK && op == UNC_TRAFFIC_START && i < traffic->n_cpus; i++)
		if (i >= replay->answer.n_items || cpus[i] != traffic->cpus[i])
			return unc_replay_differ(replay, replay->answer.line,
						 "the record has traffic made by other CPUs than this command wants");
	return rc;
}

static int replay_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	const struct unc_question q = {.kind = UNC_LINE_PERF_OPEN,
				       .n = {attr->type, attr->config, attr->config1, attr->config2, attr->cpu}};
	int rc = unc_replay_meet(replay_of(host), &q);

	if (rc == UNC_OK)
		*ret_event = (unsigned)replay_of(host)->answer.a[0];
	return rc;
}

static int replay_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	const struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_PERF + (int)op), .n = {event}};
	const uint64_t *a = replay_of(host)->answer.a;
	int rc = unc_replay_meet(replay_of(host), &q);

	if (rc == UNC_OK && op == UNC_PERF_READ)
		*ret_count = (struct unc_perf_count){a[0], a[1], a[2]};
	return rc;
}

/* ---- its buses ---- */

static struct unc_replay *replay_of_bus(const struct unc_bus *bus)
{
	return ((const struct replay_bus *)bus)->replay;
}

static int replay_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_replay *replay = replay_of_bus(space->bus);
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = unc_line_access_of(&space->addr, false, off, NULL, len, name);
	int rc = unc_replay_meet(replay, &q);

	if (rc == UNC_OK)
		memcpy(buf, replay->answer.bytes + replay->first, len);
	return rc;
}

static int replay_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = unc_line_access_of(&space->addr, true, off, buf, len, name);

	if (len > UNC_RECORD_BLOCK)
		return unc_fail(space->bus->ctx, UNC_ERANGE, "replay: a write of %zu bytes; a record has at most %d",
				len, (int)UNC_RECORD_BLOCK);
	return unc_replay_meet(replay_of_bus(space->bus), &q);
}

static int replay_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = {.kind = (enum unc_line_kind)(UNC_LINE_CLAIM + (int)how),
				       .text = unc_addr_text(&space->addr, name),
				       .n = {first, n}};

	return unc_replay_meet(replay_of_bus(space->bus), &q);
}

static int replay_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_question q = {.kind = UNC_LINE_LIST, .n = {bus->kind}};

	return meet_items(replay_of_bus(bus), &q, ret_addrs, ret_n);
}

static int replay_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_replay *replay = replay_of_bus(bus);
	char name[UNC_ADDR_TEXT];
	struct unc_space *space;
	int rc = unc_replay_meet(replay,
				 &(struct unc_question){.kind = UNC_LINE_OPEN, .text = unc_addr_text(addr, name)});

	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "replay: out of memory");
	*space = (struct unc_space){.bus = bus, .addr = *addr, .len = replay->answer.a[0]};
	*ret_space = space;
	return UNC_OK;
}

static const struct unc_bus_ops replay_bus_ops = {
	.name = "replay",
	.list = replay_list,
	.space_open = replay_space_open,
	.read = replay_read,
	.write = replay_write,
	.claim = replay_claim,
};

/* A bus that was opened for writing answers also a command that only reads. */
static int replay_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_replay *replay = replay_of(host);
	struct unc_question q = {.kind = UNC_LINE_BUS, .n = {kind, writable}};
	struct replay_bus *bus;
	int rc;

	if (!writable && !unc_replay_knows(replay, &q))
		q.n[1] = true;
	rc = unc_replay_meet(replay, &q);
	if (rc < 0)
		return rc;
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "replay: out of memory");
	bus->ops = replay_bus_ops;
	bus->ops.name = unc_line_words('k')[kind];
	bus->replay = replay;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = host->ctx, .writable = writable, .kind = kind};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

/* ---- files ---- */

static int read_text(struct unc_replay *replay, enum unc_line_kind kind, const char *path, size_t max, char **ret_text,
		     size_t *ret_len)
{
	int rc = unc_replay_meet(replay, &(struct unc_question){.kind = kind, .text = path});

	if (rc < 0)
		return rc;
	if (replay->answer.n_items > max)
		return unc_fail(replay->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here",
				path, max);
	*ret_text = unc_replay_items(replay, ret_len);
	return UNC_OK;
}

static struct unc_replay *replay_of_files(struct unc_files *files)
{
	return (struct unc_replay *)((char *)files - offsetof(struct unc_replay, files));
}

static int files_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	(void)path;
	return meet_items(replay_of_files(files), &(struct unc_question){.kind = UNC_LINE_MAPS}, ret_names, ret_n);
}

static int files_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		      size_t *ret_len)
{
	const char *slash = strrchr(path, '/');

	(void)trust; /* it steers nothing but this replay */
	return read_text(replay_of_files(files), UNC_LINE_FILE, slash ? slash + 1 : path, max, ret_text, ret_len);
}

static int replay_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		       struct unc_os_found *ret_found)
{
	const struct unc_question names = {.kind = UNC_LINE_NAMES, .text = path};

	if (what == UNC_LOOK_NAMES)
		return meet_items(replay_of(host), &names, &ret_found->data, &ret_found->n);
	return read_text(replay_of(host), what == UNC_LOOK_LINK ? UNC_LINE_LINK : UNC_LINE_TEXT, path, max,
			 &ret_found->text, &ret_found->n);
}

/* ---- begin and end ---- */

static void replay_close(struct unc_host *host)
{
	struct unc_replay *replay = replay_of(host);
	int rc;

	/* The notes that come last belong to no further question. */
	if (!replay->over)
		unc_record_go(&replay->text, replay->index.notes);
	while (!replay->over && unc_record_next(&replay->text, &replay->answer, &rc))
		unc_note(host->ctx, "%s", replay->answer.sentence);
	if (host->ctx->files == &replay->files)
		host->ctx->files = NULL;
	unc_entry_clear(&replay->answer);
	unc_replay_head_clear(&replay->head);
	unc_replay_index_clear(&replay->index);
	unc_record_close(&replay->text);
	free(replay->path);
	free(replay);
}

static const struct unc_host_ops replay_ops = {
	.close = replay_close,
	.now_ns = unc_replay_now_ns,
	.sleep_until = unc_replay_sleep,
	.cpuid = replay_cpuid,
	.topology = replay_topology,
	.cpus = replay_cpus,
	.look = replay_look,
	.traffic = replay_traffic,
	.perf_open = replay_perf_open,
	.perf = replay_perf,
	.bus_open = replay_bus_open,
};

static const struct unc_host_ops bystander_ops = {
	.now_ns = bystander_now_ns,
};

void unc_replay_head_clear(struct unc_replay_head *head)
{
	for (size_t i = 0; i < head->n_options; i++)
		free(head->options[i]);
	free(head->options);
	free(head->program);
	free(head->name);
	memset(head, 0, sizeof(*head));
}

int unc_replay_head_read(struct unc_ctx *ctx, const char *path, struct unc_replay_head *ret_head)
{
	struct unc_replay_head head;
	struct unc_record_text text;
	int rc = unc_record_open(ctx, path, &text, &head);

	unc_record_close(&text);
	if (rc < 0)
		unc_replay_head_clear(&head);
	else
		*ret_head = head;
	return rc;
}

int unc_replay_open(struct unc_ctx *ctx, const char *path, int wake_fd, struct unc_host **ret_host)
{
	struct unc_replay *replay = calloc(1, sizeof(*replay));
	int rc;

	if (!replay || !(replay->path = unc_text_dup(path))) {
		free(replay);
		return unc_fail(ctx, UNC_ENOMEM, "replay: out of memory");
	}
	rc = unc_record_open(ctx, replay->path, &replay->text, &replay->head);
	if (rc == UNC_OK)
		rc = unc_replay_index_read(&replay->index, &replay->text, &replay->answer);
	replay->host = (struct unc_host){.ops = &replay_ops,
					 .ctx = ctx,
					 .simulated = replay->head.simulated,
					 .stands_still = replay->head.stands_still,
					 .wake_fd = wake_fd,
					 .name = replay->head.name,
					 .map_dir = replay->head.maps ? UNC_RECORD_MAPS : NULL,
					 .bystander = &replay->bystander};
	if (rc < 0) {
		replay->over = true;
		replay_close(&replay->host);
		return rc;
	}
	for (unsigned end = 0; end < UNC_RECORD_ENDS; end++) {
		const char *word = unc_line_types[UNC_LINE_END + end].word;

		replay->ends[end] = unc_replay_index_find(&replay->index, UNC_GROUP_END, word, strlen(word));
	}
	replay->clocks.asleep_ns = INT64_MAX;
	replay->bystander = (struct unc_host){.ops = &bystander_ops, .ctx = ctx};
	replay->files = (struct unc_files){.list = files_list, .read = files_read};
	ctx->files = &replay->files;
	*ret_host = &replay->host;
	return UNC_OK;
}

bool unc_replay_on_difference(struct unc_host *host, void (*fn)(void *arg, const char *sentence), void *arg)
{
	struct unc_replay *replay = replay_of(host);

	if (host->ops != &replay_ops)
		return false;
	replay->on_difference = fn;
	replay->arg = arg;
	return true;
}

bool unc_replay_asks(struct unc_host *host, enum unc_record_end end, int *ret_number)
{
	return host->ops == &replay_ops && unc_replay_ends(replay_of(host), end, ret_number);
}
