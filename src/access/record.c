// SPDX-License-Identifier: GPL-2.0-or-later
/* The host that records, and its buses: each asks what it is around, and writes the question and the answer as a line. */
#include "access/record.h"

#include "access/filter.h"
#include "access/record_files.h"
#include "access/record_text.h"
#include "base/text.h"

enum { TIMES_BYTES = 100 };

struct record {
	struct unc_host host;
	struct unc_files files;
	struct unc_host *inner; /* owned */
	struct unc_record_cfg cfg;
	unc_log_fn *log; /* receives the notes of the context */
	void *log_arg;   /* not owned */
	bool asking;     /* the host inside is at work: what it notes is part of the record */
	unsigned asked[UNC_RECORD_ENDS];
	uint64_t last_ns[UNC_RECORD_CLOCKS];
	struct unc_record_private private;
	bool has_times; /* the line that is being put together is one of times */
	struct unc_line line;
};

struct record_bus {
	struct unc_filter_bus filter;
	struct record *record; /* outlives the bus */
};

/* ---- paths of the user, which have aliases ---- */

/* Cuts len bytes at that place of a text, and puts another text there. */
static void replace_at(char *text, size_t size, char *at, size_t len, const char *by)
{
	char copy[UNC_MSG_MAX];

	snprintf(copy, sizeof(copy), "%s", at + len);
	snprintf(at, size - (size_t)(at - text), "%s%s", by, copy);
}

static void hide(const struct record *record, char *text, size_t size)
{
	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++) {
		const struct unc_record_alias *alias = &record->cfg.aliases[i];
		size_t from = alias->path ? strlen(alias->path) : 0;
		char *at = text;

		while (from && (at = strstr(at, alias->path))) {
			/* A path is meant where it is a word, or with more of a path after it. */
			if ((at != text && !strchr(" \"'`(:=,", at[-1])) ||
			    (at[from] && !strchr("/ \"'`):,;", at[from]))) {
				at++;
				continue;
			}
			replace_at(text, size, at, from, alias->alias);
			at += strlen(at) < strlen(alias->alias) ? strlen(at) : strlen(alias->alias);
		}
	}
}

/* The path behind one that begins with an alias.  NULL: out of memory. */
static char *real_path(const struct record *record, const char *path)
{
	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++) {
		const struct unc_record_alias *alias = &record->cfg.aliases[i];
		size_t len = alias->path ? strlen(alias->alias) : 0;

		if (len && strncmp(path, alias->alias, len) == 0 && (!path[len] || path[len] == '/'))
			return unc_text_new("%s%s", alias->path, path + len);
	}
	return unc_text_dup(path);
}

/* ---- lines ---- */

static void line_ended(void *arg, const char *text)
{
	struct record *record = arg;

	record->cfg.line(record->cfg.arg, text);
	record->has_times = false;
	memset(record->asked, 0, sizeof(record->asked));
}

/* Ends a line of times. */
static void begin_line(struct record *record)
{
	if (record->has_times)
		unc_line_end(&record->line);
}

/* The host inside is asked from now on. */
static void ask(struct record *record)
{
	begin_line(record);
	record->asking = true;
}

/*
 * Writes what it was asked and has answered: numbers, and items or the bytes of an access.  Paths in the sentence of a failure get
 * their aliases, also for the caller.  Returns rc.
 */
static int answered(struct record *record, const struct unc_question *q, int rc, const uint64_t *numbers,
		    const void *items, size_t n)
{
	struct unc_ctx *ctx = record->host.ctx;

	record->asking = false;
	unc_line_put_question(&record->line, q);
	if (rc < 0 && rc != UNC_EAGAIN)
		hide(record, ctx->msg, sizeof(ctx->msg));
	if (rc < 0)
		unc_line_put_failure(&record->line, q, rc, rc == UNC_EAGAIN ? NULL : ctx->os_name,
				     rc == UNC_EAGAIN ? NULL : ctx->msg);
	else
		unc_line_put_answer(&record->line, q, numbers, items, n);
	unc_line_end(&record->line);
	return rc;
}

static int no_memory(struct unc_ctx *ctx)
{
	return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
}

/* ---- the host ---- */

static uint64_t record_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct record *record = (struct record *)host;
	uint64_t now_ns = record->inner->ops->now_ns(record->inner, clock), last_ns = record->last_ns[clock];
	bool back = now_ns < last_ns;

	if (record->line.len > TIMES_BYTES)
		begin_line(record);
	if (!record->has_times)
		unc_line_put(&record->line, "t");
	record->has_times = true;
	unc_line_put(&record->line, " %c%c%" PRIu64, unc_record_clocks[clock], back ? '-' : '+',
		     back ? last_ns - now_ns : now_ns - last_ns);
	memset(record->asked, 0, sizeof(record->asked));
	record->last_ns[clock] = now_ns;
	return now_ns;
}

static int record_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct record *record = (struct record *)host;
	uint64_t step = mono_ns - record->last_ns[UNC_CLOCK_MONO];
	const struct unc_question q = {.kind = UNC_LINE_SLEEP,
				       .n = {mono_ns == UINT64_MAX ? UNC_RECORD_FOREVER : step}};

	begin_line(record);
	return answered(record, &q, record->inner->ops->sleep_until(record->inner, mono_ns), NULL, NULL, 0);
}

static int record_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct record *record = (struct record *)host;
	struct unc_cpuid_regs regs = {0};
	int rc;

	ask(record);
	rc = record->inner->ops->cpuid(record->inner, cpu, leaf, subleaf, &regs);
	if (rc == UNC_OK)
		*ret_regs = regs;
	return answered(record, &(struct unc_question){.kind = UNC_LINE_CPUID, .n = {cpu, leaf, subleaf}}, rc,
			(const uint64_t[]){regs.eax, regs.ebx, regs.ecx, regs.edx}, NULL, 0);
}

static int record_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct record *record = (struct record *)host;
	struct unc_topo topo = {0};
	int rc;

	ask(record);
	rc = record->inner->ops->topology(record->inner, &topo);
	if (rc == UNC_OK)
		*ret_topo = topo;
	return answered(record, &(struct unc_question){.kind = UNC_LINE_TOPOLOGY}, rc,
			(const uint64_t[]){topo.n_cpus, topo.first_cpu}, topo.packages, topo.n_packages);
}

static int record_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	int rc;

	ask(record);
	rc = record->inner->ops->cpus(record->inner, ret_cpus, ret_n);
	return answered(record, &(struct unc_question){.kind = UNC_LINE_CPUS}, rc,
			(const uint64_t[]){rc < 0 ? 0 : *ret_n}, rc < 0 ? NULL : *ret_cpus, rc < 0 ? 0 : *ret_n);
}

/* It is of the computer, not of what is measured on it: so it is in no record. */
static int record_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	struct unc_host *inner = ((struct record *)host)->inner;

	if (!inner->ops->identity)
		return unc_fail(host->ctx, UNC_ENODATA, "this machine is gone when this program ends");
	return inner->ops->identity(inner, ret_identity);
}

static int record_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct record *record = (struct record *)host;
	struct unc_question q = {.kind = UNC_LINE_TRAFFIC + (unsigned)op};
	struct unc_traffic_done done = {0};
	int rc;

	if (!record->inner->ops->traffic)
		return unc_fail(host->ctx, UNC_ENOSUP, "memory traffic cannot be made on this machine from here");
	ask(record);
	rc = record->inner->ops->traffic(record->inner, op, traffic, &done);
	if (op == UNC_TRAFFIC_START) {
		q = unc_line_start_of(traffic);
		return answered(record, &q, rc, NULL, traffic->cpus, traffic->n_cpus);
	}
	if (rc == UNC_OK)
		*ret_done = done;
	return answered(record, &q, rc,
			(const uint64_t[]){done.loaded_bytes, done.stored_bytes, done.nt_stored_bytes, done.raw_ns},
			NULL, 0);
}

/* A host without such events is asked, too, so that a replay refuses them with the same words. */
static int record_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct record *record = (struct record *)host;
	const struct unc_question q = {.kind = UNC_LINE_PERF_OPEN,
				       .n = {attr->type, attr->config, attr->config1, attr->config2, attr->cpu}};
	unsigned event = 0;
	int rc;

	ask(record);
	rc = unc_host_perf_open(record->inner, attr, &event);
	if (rc == UNC_OK)
		*ret_event = event;
	return answered(record, &q, rc, (const uint64_t[]){event}, NULL, 0);
}

static int record_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct record *record = (struct record *)host;
	struct unc_perf_count count = {0};
	int rc;

	ask(record);
	rc = unc_host_perf(record->inner, op, event, op == UNC_PERF_READ ? &count : NULL);
	if (rc == UNC_OK && op == UNC_PERF_READ)
		*ret_count = count;
	return answered(record, &(struct unc_question){.kind = UNC_LINE_PERF + (unsigned)op, .n = {event}}, rc,
			(const uint64_t[]){count.value, count.enabled_ns, count.running_ns}, NULL, 0);
}

/* ---- its buses ---- */

static struct record *record_of(const struct unc_bus *bus)
{
	return ((const struct record_bus *)bus)->record;
}

/* bytes: of a write; NULL: it is a read. */
static int record_access(struct unc_space *space, uint64_t off, void *buf, const void *bytes, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	struct record *record = record_of(space->bus);
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = unc_line_access_of(&space->addr, bytes != NULL, off, bytes, len, name);
	int rc;

	if (len > UNC_RECORD_BLOCK)
		return unc_fail(space->bus->ctx, UNC_ERANGE, "record: an access of %zu bytes; a record has at most %d",
				len, (int)UNC_RECORD_BLOCK);
	ask(record);
	rc = bytes ? inner->bus->ops->write(inner, off, bytes, len) : inner->bus->ops->read(inner, off, buf, len);
	return answered(record, &q, rc, NULL, buf, len);
}

static int record_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	return record_access(space, off, buf, NULL, len);
}

static int record_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	return record_access(space, off, NULL, buf, len);
}

static int record_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct record *record = record_of(space->bus);
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = {
		.kind = UNC_LINE_CLAIM + (unsigned)how, .text = unc_addr_text(&space->addr, name), .n = {first, n}};

	ask(record);
	return answered(record, &q, unc_filter_claim(space, first, n, how), NULL, NULL, 0);
}

static int record_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct record *record = record_of(bus);
	const struct unc_question q = {.kind = UNC_LINE_LIST, .n = {bus->kind}};
	int rc;

	ask(record);
	rc = unc_bus_list(unc_filter_inner_bus(bus), ret_addrs, ret_n);
	return answered(record, &q, rc, (const uint64_t[]){rc < 0 ? 0 : *ret_n}, rc < 0 ? NULL : *ret_addrs,
			rc < 0 ? 0 : *ret_n);
}

static int record_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	char name[UNC_ADDR_TEXT];
	const struct unc_question q = {.kind = UNC_LINE_OPEN, .text = unc_addr_text(addr, name)};
	int rc;

	ask(record_of(bus));
	rc = unc_filter_space_open(bus, addr, ret_space);
	return answered(record_of(bus), &q, rc, rc < 0 ? NULL : &(*ret_space)->len, NULL, 0);
}

static const struct unc_bus_ops record_bus_ops = {
	.name = "record",
	.list = record_list,
	.space_open = record_space_open,
	.read = record_read,
	.write = record_write,
	.claim = record_claim,
};

static int record_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct record *record = (struct record *)host;
	const struct unc_question q = {.kind = UNC_LINE_BUS, .n = {kind, writable}};
	struct record_bus *bus = NULL;
	struct unc_bus *inner = NULL;
	int rc;

	ask(record);
	rc = record->inner->ops->bus_open(record->inner, kind, writable, &inner);
	if (rc == UNC_OK) {
		bus = unc_filter_wrap(inner, &record_bus_ops, sizeof(*bus));
		rc = bus ? UNC_OK : UNC_ENOMEM;
	}
	if (bus) {
		bus->record = record;
		*ret_bus = &bus->filter.bus;
	}
	return answered(record, &q, rc, NULL, NULL, 0);
}

/* ---- map files ---- */

static struct record *record_of_files(struct unc_files *files)
{
	return (struct record *)((char *)files - offsetof(struct record, files));
}

static int maps_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = record_of_files(files);
	struct unc_ctx *ctx = record->host.ctx;
	char *real = real_path(record, path);
	int rc;

	if (!real)
		return no_memory(ctx);
	begin_line(record);
	rc = unc_os_dir_trust(ctx, real);
	if (rc == 0)
		rc = unc_os_dir_list(ctx, real, ret_names, ret_n);
	free(real);
	return answered(record, &(struct unc_question){.kind = UNC_LINE_MAPS}, rc,
			(const uint64_t[]){rc < 0 ? 0 : *ret_n}, rc < 0 ? NULL : *ret_names, rc < 0 ? 0 : *ret_n);
}

static int maps_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		     size_t *ret_len)
{
	struct record *record = record_of_files(files);
	const char *slash = strrchr(path, '/');
	char *real = real_path(record, path), *text = NULL;
	size_t len = 0;
	int rc;

	if (!real)
		return no_memory(record->host.ctx);
	begin_line(record);
	rc = unc_os_file_read(record->host.ctx, real, max, trust, &text, &len);
	free(real);
	if (rc == UNC_OK)
		*ret_text = text;
	if (rc == UNC_OK && ret_len)
		*ret_len = len;
	return answered(record, &(struct unc_question){.kind = UNC_LINE_FILE, .text = slash ? slash + 1 : path}, rc,
			(const uint64_t[]){len}, text, len);
}

/* ---- files of the operating system: a record keeps a part of each ---- */

static const char *without_own(const char *path)
{
	return strncmp(path, "own:", 4) == 0 ? path + 4 : path;
}

static int record_look(struct unc_host *host, enum unc_look what, const char *path, size_t max,
		       struct unc_os_found *ret_found)
{
	static const enum unc_line_kind kinds[] = {
		[UNC_LOOK_TEXT] = UNC_LINE_TEXT, [UNC_LOOK_NAMES] = UNC_LINE_NAMES, [UNC_LOOK_LINK] = UNC_LINE_LINK};
	struct record *record = (struct record *)host;
	struct unc_os_found found = {.n = 0};
	char *real, *at = NULL; /* the path with own numbers of processes, and where the sentence of a failure has it */
	int rc;

	record->inner->command = host->command;
	if (host->command > 0)
		unc_record_private_name(&record->private, (uint64_t)host->command);
	ask(record);
	real = unc_record_private_path(&record->private, path);
	if (!real)
		return no_memory(host->ctx);
	rc = record->inner->ops->look(record->inner, what, real, max < UNC_RECORD_TEXT ? max : UNC_RECORD_TEXT, &found);
	if (rc < 0 && strcmp(real, path) != 0)
		at = strstr(host->ctx->msg, without_own(real));
	if (at)
		replace_at(host->ctx->msg, UNC_MSG_MAX, at, strlen(without_own(real)), without_own(path));
	free(real);
	record->asking = false;
	if (rc == UNC_OK && what == UNC_LOOK_TEXT)
		rc = unc_record_keep_text(host->ctx, &record->private, path, &found.text, &found.n);
	else if (rc == UNC_OK && what == UNC_LOOK_NAMES)
		rc = unc_record_keep_names(host->ctx, &record->private, path, &found.names, &found.n);
	else if (rc == UNC_OK)
		rc = unc_record_keep_link(host->ctx, path, &found.text);
	if (rc == UNC_OK)
		*ret_found = found;
	return answered(record, &(struct unc_question){.kind = kinds[what], .text = path}, rc,
			(const uint64_t[]){found.n}, found.data, found.n);
}

/* ---- begin and end ---- */

static void on_note(void *arg, const char *sentence)
{
	struct record *record = arg;
	char text[UNC_MSG_MAX];

	snprintf(text, sizeof(text), "%s", sentence);
	if (record->asking) {
		hide(record, text, sizeof(text));
		begin_line(record);
		unc_line_put(&record->line, "note ");
		unc_line_put_text(&record->line, text);
		unc_line_end(&record->line);
	}
	if (record->log)
		record->log(record->log_arg, text);
}

static void record_close(struct unc_host *host)
{
	struct record *record = (struct record *)host;
	struct unc_ctx *ctx = host->ctx;

	begin_line(record);
	if (ctx->log == on_note) {
		ctx->log = record->log;
		ctx->log_arg = record->log_arg;
	}
	if (ctx->files == &record->files)
		ctx->files = NULL;
	unc_host_close(record->inner);
	unc_record_private_clear(&record->private);
	free(record);
}

static const struct unc_host_ops record_ops = {
	.close = record_close,
	.now_ns = record_now_ns,
	.sleep_until = record_sleep_until,
	.cpuid = record_cpuid,
	.topology = record_topology,
	.cpus = record_cpus,
	.look = record_look,
	.identity = record_identity,
	.traffic = record_traffic,
	.perf_open = record_perf_open,
	.perf = record_perf,
	.bus_open = record_bus_open,
};

int unc_record_wrap(struct unc_host *inner, const struct unc_record_cfg *cfg, struct unc_host **ret_host)
{
	struct unc_ctx *ctx = inner->ctx;
	const char *const facts[] = {inner->simulated ? "simulated" : NULL, inner->stands_still ? "stands_still" : NULL,
				     cfg->map_dir ? "maps" : NULL, "begin"};
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return no_memory(ctx);
	record->host = *inner;
	record->host.ops = &record_ops;
	record->host.name = cfg->name;
	record->host.map_dir = cfg->map_dir;
	record->host.bystander = inner;
	record->inner = inner;
	record->cfg = *cfg;
	record->line.end = line_ended;
	record->line.arg = record;
	record->log = ctx->log;
	record->log_arg = ctx->log_arg;
	ctx->log = on_note;
	ctx->log_arg = record;
	record->files = (struct unc_files){.list = maps_list, .read = maps_read};
	ctx->files = &record->files;
	unc_line_put(&record->line, UNC_RECORD_FORMAT);
	unc_line_end(&record->line);
	unc_line_put(&record->line, "machine ");
	unc_line_put_text(&record->line, cfg->name);
	unc_line_end(&record->line);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (!facts[i])
			continue;
		unc_line_put(&record->line, "%s", facts[i]);
		unc_line_end(&record->line);
	}
	*ret_host = &record->host;
	return UNC_OK;
}

void unc_record_asked(struct unc_host *host, enum unc_record_end end, bool is_there, int number)
{
	struct record *record = (struct record *)host;
	struct unc_question q = {.kind = UNC_LINE_END + (unsigned)end, .n = {(uint64_t)number}};

	if (host->ops != &record_ops)
		return;
	q.n[1] = ++record->asked[end];
	if (!is_there)
		return;
	begin_line(record);
	answered(record, &q, UNC_OK, NULL, NULL, 0);
}
