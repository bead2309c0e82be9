// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_private.h"
#include "access/record_words.h"
#include "base/err.h"
#include "base/files.h"

enum { LINE_MAX_BYTES = 2 * UNC_RECORD_BLOCK + 4 * UNC_MSG_MAX, TIMES_BYTES = 100, PER_LINE = 8, PIECE = 1024 };

struct record {
	struct unc_host host;
	struct unc_files files;
	struct unc_host *inner; /* owned */
	struct unc_record_cfg cfg;
	unc_log_fn *log; /* who hears the context's notes */
	void *log_arg;   /* not owned */
	bool asking;     /* the host inside is at work: what it notes is part of the record */
	unsigned asked[UNC_RECORD_ENDS];
	uint64_t last_ns[UNC_RECORD_CLOCKS];
	bool has_times; /* the line that is being put together is one of times */
	size_t len;
	char line[LINE_MAX_BYTES];
};

struct record_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops; /* ours, under the name of the bus inside */
	struct unc_bus *inner;  /* owned */
	struct record *record;  /* outlives the bus */
	enum unc_kind kind;
};

struct record_space {
	struct unc_space space;
	struct unc_space *inner; /* owned */
};

/* ---- lines ---- */

static void put(struct record *record, const char *fmt, ...) UNC_PRINTF(2, 3);
static void put(struct record *record, const char *fmt, ...)
{
	size_t room = sizeof(record->line) - record->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(record->line + record->len, room, fmt, args);
	va_end(args);
	if (n > 0)
		record->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void end_line(struct record *record)
{
	record->cfg.line(record->cfg.arg, record->line);
	record->line[0] = '\0';
	record->len = 0;
	record->has_times = false;
	memset(record->asked, 0, sizeof(record->asked));
}

static void begin_line(struct record *record)
{
	if (record->has_times)
		end_line(record);
}

static void put_char(struct record *record, unsigned char c)
{
	if (c < ' ' || c == 0x7f || c == '%')
		put(record, "%%%02X", c);
	else
		put(record, "%c", c);
}

static void put_text(struct record *record, const char *text)
{
	while (*text)
		put_char(record, (unsigned char)*text++);
}

/* One word. */
static void put_path(struct record *record, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ')
			put(record, "%%20");
		else
			put_char(record, (unsigned char)*path);
	}
}

static void put_hex(struct record *record, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len && record->len + 3 <= sizeof(record->line); i++) {
		record->line[record->len++] = digits[bytes[i] >> 4];
		record->line[record->len++] = digits[bytes[i] & 0xf];
	}
	record->line[record->len] = '\0';
}

/* ---- without paths ---- */

/* A path is meant where it stands as a word, or with more of a path behind it. */
static bool stands_there(const char *text, const char *at, size_t len)
{
	return (at == text || strchr(" \"'`(:=,", at[-1])) && (!at[len] || strchr("/ \"'`):,;", at[len]));
}

static void replace(char *text, size_t size, const struct unc_record_alias *alias)
{
	size_t from = strlen(alias->path), to = strlen(alias->alias);
	char copy[UNC_MSG_MAX];
	char *at = text;

	while ((at = strstr(at, alias->path))) {
		if (!stands_there(text, at, from)) {
			at++;
			continue;
		}
		snprintf(copy, sizeof(copy), "%s", at + from);
		snprintf(at, size - (size_t)(at - text), "%s%s", alias->alias, copy);
		at += strlen(at) < to ? strlen(at) : to;
	}
}

static void hide(const struct record *record, char *text, size_t size)
{
	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++)
		if (record->cfg.aliases[i].path && record->cfg.aliases[i].path[0])
			replace(text, size, &record->cfg.aliases[i]);
}

/* Behind a failure: its sentence without paths, for everybody; then the end of its line. */
static int finish(struct record *record, int rc)
{
	struct unc_ctx *ctx = record->host.ctx;

	if (rc < 0 && rc != UNC_EAGAIN) {
		hide(record, ctx->msg, sizeof(ctx->msg));
		put(record, " !%s %s ", unc_record_class(rc), ctx->os_name ? ctx->os_name : "-");
		put_text(record, ctx->msg);
	} else if (rc < 0) {
		put(record, " !%s -", unc_record_class(rc));
	}
	end_line(record);
	return rc;
}

static void on_note(void *arg, const char *sentence)
{
	struct record *record = arg;
	char text[UNC_MSG_MAX];

	snprintf(text, sizeof(text), "%s", sentence);
	if (record->asking) {
		hide(record, text, sizeof(text));
		begin_line(record);
		put(record, "note ");
		put_text(record, text);
		end_line(record);
	}
	if (record->log)
		record->log(record->log_arg, text);
}

/* ---- the host ---- */

static uint64_t record_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct record *record = (struct record *)host;
	uint64_t now_ns = record->inner->ops->now_ns(record->inner, clock), last_ns = record->last_ns[clock];

	if (record->len > TIMES_BYTES)
		begin_line(record);
	if (!record->has_times)
		put(record, "t");
	record->has_times = true;
	if (now_ns >= last_ns)
		put(record, " %c+%" PRIu64, unc_record_clocks[clock], now_ns - last_ns);
	else
		put(record, " %c-%" PRIu64, unc_record_clocks[clock], last_ns - now_ns);
	memset(record->asked, 0, sizeof(record->asked));
	record->last_ns[clock] = now_ns;
	return now_ns;
}

static int record_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct record *record = (struct record *)host;
	uint64_t last_ns = record->last_ns[UNC_CLOCK_MONO];
	int rc;

	begin_line(record);
	rc = record->inner->ops->sleep_until(record->inner, mono_ns);
	if (mono_ns == UINT64_MAX)
		put(record, "sleep forever");
	else if (mono_ns >= last_ns)
		put(record, "sleep m+%" PRIu64, mono_ns - last_ns);
	else
		put(record, "sleep m-%" PRIu64, last_ns - mono_ns);
	return finish(record, rc);
}

static int record_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct record *record = (struct record *)host;
	struct unc_cpuid_regs regs;
	int rc;

	begin_line(record);
	record->asking = true;
	rc = record->inner->ops->cpuid(record->inner, cpu, leaf, subleaf, &regs);
	record->asking = false;
	put(record, "cpuid %u 0x%" PRIx32 " 0x%" PRIx32, cpu, leaf, subleaf);
	if (rc == UNC_OK) {
		put(record, " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32, regs.eax, regs.ebx,
		    regs.ecx, regs.edx);
		*ret_regs = regs;
	}
	return finish(record, rc);
}

static int record_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct record *record = (struct record *)host;
	struct unc_topo topo;
	int rc;

	begin_line(record);
	record->asking = true;
	rc = record->inner->ops->topology(record->inner, &topo);
	record->asking = false;
	put(record, "topology");
	if (rc == UNC_OK) {
		put(record, " %u %u", topo.n_cpus, topo.first_cpu);
		for (size_t i = 0; i < topo.n_packages; i++)
			put(record, " %u:%u:%u", topo.packages[i].id, topo.packages[i].n_cpus,
			    topo.packages[i].first_cpu);
		*ret_topo = topo;
	}
	return finish(record, rc);
}

/* ---- its buses ---- */

static struct record *record_of(const struct unc_bus *bus)
{
	return ((const struct record_bus *)bus)->record;
}

static void put_access(struct record *record, const struct unc_space *space, bool write, uint64_t off, size_t len)
{
	char name[UNC_ADDR_TEXT];

	put(record, "%s %s 0x%" PRIx64 " ", unc_record_op(write, space->addr.kind, off, len),
	    unc_addr_text(&space->addr, name), off);
}

static void put_data(struct record *record, const struct unc_space *space, uint64_t off, const void *bytes, size_t len)
{
	if (space->addr.kind == UNC_MSR)
		put(record, "0x%016" PRIx64, unc_le64(bytes));
	else if (len == 4 && off % 4 == 0)
		put(record, "0x%08" PRIx32, unc_le32(bytes));
	else
		put_hex(record, bytes, len);
}

static int too_long(const struct unc_space *space, size_t len)
{
	return unc_fail(space->bus->ctx, UNC_ERANGE, "record: an access of %zu bytes; a record has at most %d", len,
			(int)UNC_RECORD_BLOCK);
}

static int record_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = ((struct record_space *)space)->inner;
	struct record *record = record_of(space->bus);
	int rc;

	if (len > UNC_RECORD_BLOCK)
		return too_long(space, len);
	begin_line(record);
	record->asking = true;
	rc = inner->bus->ops->read(inner, off, buf, len);
	record->asking = false;
	put_access(record, space, false, off, len);
	if (rc < 0)
		put(record, "*%zu", len);
	else
		put_data(record, space, off, buf, len);
	return finish(record, rc);
}

static int record_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = ((struct record_space *)space)->inner;
	struct record *record = record_of(space->bus);
	int rc;

	if (len > UNC_RECORD_BLOCK)
		return too_long(space, len);
	begin_line(record);
	record->asking = true;
	rc = inner->bus->ops->write(inner, off, buf, len);
	record->asking = false;
	put_access(record, space, true, off, len);
	put_data(record, space, off, buf, len);
	return finish(record, rc);
}

static int record_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct record *record = record_of(bus);
	char name[UNC_ADDR_TEXT];
	struct unc_addr *addrs;
	size_t n;
	int rc;

	begin_line(record);
	record->asking = true;
	rc = unc_bus_list(((struct record_bus *)bus)->inner, &addrs, &n);
	record->asking = false;
	put(record, "list %s", unc_record_kinds[((struct record_bus *)bus)->kind]);
	if (rc < 0)
		return finish(record, rc);
	put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		if (i % PER_LINE == 0) {
			end_line(record);
			put(record, "+");
		}
		put(record, " %s", unc_addr_text(&addrs[i], name));
	}
	*ret_addrs = addrs;
	*ret_n = n;
	return finish(record, rc);
}

static int record_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct record *record = record_of(bus);
	struct record_space *space = calloc(1, sizeof(*space));
	char name[UNC_ADDR_TEXT];
	int rc;

	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "record: out of memory");
	begin_line(record);
	record->asking = true;
	rc = unc_space_open(((struct record_bus *)bus)->inner, addr, &space->inner);
	record->asking = false;
	put(record, "open %s", unc_addr_text(addr, name));
	if (rc < 0) {
		free(space);
		return finish(record, rc);
	}
	put(record, " %" PRIu64, space->inner->len);
	space->space = (struct unc_space){.bus = bus, .addr = space->inner->addr, .len = space->inner->len};
	*ret_space = &space->space;
	return finish(record, rc);
}

static void record_space_close(struct unc_space *space)
{
	unc_space_close(((struct record_space *)space)->inner);
	free(space);
}

static void record_bus_close(struct unc_bus *bus)
{
	unc_bus_close(((struct record_bus *)bus)->inner);
	free(bus);
}

static const struct unc_bus_ops record_bus_ops = {
	.name = "record",
	.help = "writes down each access",
	.close = record_bus_close,
	.list = record_list,
	.space_open = record_space_open,
	.space_close = record_space_close,
	.read = record_read,
	.write = record_write,
};

static int record_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct record *record = (struct record *)host;
	struct record_bus *bus = calloc(1, sizeof(*bus));
	int rc;

	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "record: out of memory");
	begin_line(record);
	record->asking = true;
	rc = record->inner->ops->bus_open(record->inner, kind, writable, &bus->inner);
	record->asking = false;
	put(record, "bus %s %s", unc_record_kinds[kind], writable ? "rw" : "ro");
	if (rc < 0) {
		free(bus);
		return finish(record, rc);
	}
	bus->ops = record_bus_ops;
	bus->ops.name = bus->inner->ops->name;
	bus->ops.help = bus->inner->ops->help;
	bus->record = record;
	bus->kind = kind;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = host->ctx, .writable = bus->inner->writable};
	*ret_bus = &bus->bus;
	return finish(record, rc);
}

/* ---- files ---- */

static struct record *record_of_files(struct unc_files *files)
{
	return (struct record *)((char *)files - offsetof(struct record, files));
}

/* The path behind one that begins with an alias.  NULL: out of memory. */
static char *real_path(const struct record *record, const char *path)
{
	const char *rest = path, *before = "";
	size_t size;
	char *real;

	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++) {
		const struct unc_record_alias *alias = &record->cfg.aliases[i];
		size_t len = alias->path ? strlen(alias->alias) : 0;

		if (len && strncmp(path, alias->alias, len) == 0 && (!path[len] || path[len] == '/')) {
			before = alias->path;
			rest = path + len;
			break;
		}
	}
	size = strlen(before) + strlen(rest) + 1;
	real = malloc(size);
	if (real)
		snprintf(real, size, "%s%s", before, rest);
	return real;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_names(struct record *record, const char *const *names, size_t n)
{
	put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		end_line(record);
		put(record, "+ ");
		put_text(record, names[i]);
	}
}

static int files_list(struct unc_files *files, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = record_of_files(files);
	char *real = real_path(record, path);
	const char *const *names;
	size_t n;
	int rc;

	if (!real)
		return unc_fail(record->host.ctx, UNC_ENOMEM, "record: out of memory");
	begin_line(record);
	rc = unc_os_dir_list(record->host.ctx, real, &names, &n);
	free(real);
	put(record, "maps");
	if (rc < 0)
		return finish(record, rc);
	put_names(record, names, n);
	*ret_names = names;
	*ret_n = n;
	return finish(record, rc);
}

static void put_file(struct record *record, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t piece = (size_t)(end - text) < PIECE ? (size_t)(end - text) : PIECE;
		const char *newline = memchr(text, '\n', piece);

		if (newline)
			piece = (size_t)(newline - text);
		put(record, "%c", newline ? '|' : ':');
		for (size_t i = 0; i < piece; i++)
			put_char(record, (unsigned char)text[i]);
		end_line(record);
		text += piece + (newline ? 1 : 0);
	}
}

static int files_read(struct unc_files *files, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		      size_t *ret_len)
{
	struct record *record = record_of_files(files);
	char *real = real_path(record, path), *text;
	size_t len;
	int rc;

	if (!real)
		return unc_fail(record->host.ctx, UNC_ENOMEM, "record: out of memory");
	begin_line(record);
	rc = unc_os_file_read(record->host.ctx, real, max, trust, &text, &len);
	free(real);
	put(record, "file ");
	put_text(record, file_name(path));
	if (rc < 0)
		return finish(record, rc);
	put(record, " %zu", len);
	end_line(record);
	put_file(record, text, len);
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return rc;
}

/* ---- the operating system ---- */

static void put_cpu(struct record *record, const struct unc_host_cpu *cpu)
{
	const int told[] = {cpu->package, cpu->node, cpu->l3};

	put(record, " %u", cpu->cpu);
	if (!cpu->online) {
		put(record, ":off");
		return;
	}
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (told[i] < 0)
			put(record, ":-");
		else
			put(record, ":%d", told[i]);
	}
}

static int record_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	struct unc_host_cpu *cpus;
	size_t n;
	int rc;

	begin_line(record);
	record->asking = true;
	rc = record->inner->ops->cpus(record->inner, &cpus, &n);
	record->asking = false;
	put(record, "cpus");
	if (rc < 0)
		return finish(record, rc);
	put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		if (i % PER_LINE == 0) {
			end_line(record);
			put(record, "+");
		}
		put_cpu(record, &cpus[i]);
	}
	*ret_cpus = cpus;
	*ret_n = n;
	return finish(record, rc);
}

static int record_file(struct unc_host *host, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	struct record *record = (struct record *)host;
	char *text;
	size_t len;
	int rc;

	begin_line(record);
	record->asking = true;
	record->inner->command = host->command;
	rc = record->inner->ops->file(record->inner, path, max < UNC_RECORD_TEXT ? max : UNC_RECORD_TEXT, &text, &len);
	record->asking = false;
	put(record, "text ");
	put_path(record, path);
	if (rc < 0)
		return finish(record, rc);
	len = unc_record_cut_private(path, text, len);
	put(record, " %zu", len);
	end_line(record);
	put_file(record, text, len);
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return rc;
}

static int record_names(struct unc_host *host, const char *path, const char *const **ret_names, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	const char *const *names;
	size_t n;
	int rc;

	begin_line(record);
	record->asking = true;
	record->inner->command = host->command;
	rc = record->inner->ops->names(record->inner, path, &names, &n);
	record->asking = false;
	put(record, "names ");
	put_path(record, path);
	if (rc < 0)
		return finish(record, rc);
	put_names(record, names, n);
	*ret_names = names;
	*ret_n = n;
	return finish(record, rc);
}

/* ---- begin and end ---- */

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
	free(record);
}

static const struct unc_host_ops record_ops = {
	.close = record_close,
	.now_ns = record_now_ns,
	.sleep_until = record_sleep_until,
	.cpuid = record_cpuid,
	.topology = record_topology,
	.cpus = record_cpus,
	.file = record_file,
	.names = record_names,
	.bus_open = record_bus_open,
};

static void put_head(struct record *record)
{
	put(record, "%s", UNC_RECORD_FORMAT);
	end_line(record);
	put(record, "machine ");
	put_text(record, record->cfg.name);
	end_line(record);
	if (record->host.simulated) {
		put(record, "simulated");
		end_line(record);
	}
	if (record->host.stands_still) {
		put(record, "stands_still");
		end_line(record);
	}
	if (record->cfg.map_dir) {
		put(record, "maps");
		end_line(record);
	}
	put(record, "begin");
	end_line(record);
}

int unc_record_wrap(struct unc_host *inner, const struct unc_record_cfg *cfg, struct unc_host **ret_host)
{
	struct unc_ctx *ctx = inner->ctx;
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	record->host = *inner;
	record->host.ops = &record_ops;
	record->host.name = cfg->name;
	record->host.map_dir = cfg->map_dir;
	record->host.bystander = inner;
	record->inner = inner;
	record->cfg = *cfg;
	record->log = ctx->log;
	record->log_arg = ctx->log_arg;
	ctx->log = on_note;
	ctx->log_arg = record;
	record->files = (struct unc_files){.list = files_list, .read = files_read};
	ctx->files = &record->files;
	put_head(record);
	*ret_host = &record->host;
	return UNC_OK;
}

void unc_record_asked(struct unc_host *host, enum unc_record_end end, bool is_there, int number)
{
	struct record *record = (struct record *)host;
	unsigned asked;

	if (host->ops != &record_ops)
		return;
	asked = ++record->asked[end];
	if (!is_there)
		return;
	begin_line(record);
	put(record, "%s %d %u", unc_record_ends[end], number, asked);
	end_line(record);
}
