// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define OWN  "own:" /* access/host.h */
#define PMUS "/sys/bus/event_source/devices"

enum { PID_MAX_LIMIT = 4194304 /* Linux include/linux/threads.h */, PID_TEXT = 24 };

/* ---- numbers of processes ---- */

void unc_record_private_clear(struct unc_record_private *private)
{
	free(private->aliases);
	free(private->pids);
	*private = (struct unc_record_private){0};
}

/* Room for that number. */
static bool reserve(struct unc_record_private *private, uint64_t pid)
{
	size_t n = private->n_aliases ? private->n_aliases : 4096;
	uint32_t *more;

	if (pid < private->n_aliases)
		return true;
	while (n <= pid)
		n *= 2;
	more = realloc(private->aliases, n * sizeof(*more));
	if (!more)
		return false;
	memset(more + private->n_aliases, 0, (n - private->n_aliases) * sizeof(*more));
	private->aliases = more;
	private->n_aliases = n;
	return true;
}

static void add(struct unc_record_private *private, uint64_t pid, bool named)
{
	void *more = unc_array_more(private->pids, private->n_pids, sizeof(*private->pids));

	private->pids = more ? more : private->pids;
	if (!more || !reserve(private, pid)) {
		private->out_of_memory = true;
		return;
	}
	private->pids[private->n_pids++] = (struct unc_record_pid){(uint32_t)pid, named};
	private->aliases[pid] = (uint32_t) private->n_pids;
}

void unc_record_private_name(struct unc_record_private *private, uint64_t pid)
{
	if (pid && pid <= PID_MAX_LIMIT && (pid >= private->n_aliases || !private->aliases[pid]))
		add(private, pid, true);
}

uint64_t unc_record_alias_of(struct unc_record_private *private, uint64_t pid)
{
	if (pid == 0 || pid > PID_MAX_LIMIT)
		return 0;
	unc_record_private_name(private, 1);
	if (pid >= private->n_aliases || !private->aliases[pid])
		add(private, pid, false);
	if (private->out_of_memory)
		return 0;
	return private->pids[private->aliases[pid] - 1].named ? pid : UNC_RECORD_PID + private->aliases[pid] - 1;
}

static const char *after(const char *text, const char *part)
{
	size_t len = strlen(part);

	return strncmp(text, part, len) == 0 ? text + len : NULL;
}

/* The component at *path, which moves to its end: of an alias the number; another number is one that the caller has named. */
static size_t put_real(struct unc_record_private *private, const char **path, char *to)
{
	size_t len = strcspn(*path, "/");
	char name[PID_TEXT];
	uint64_t pid;

	memcpy(to, *path, len);
	if (len > 0 && len < sizeof(name) && strspn(*path, "0123456789") == len) {
		memcpy(name, *path, len);
		name[len] = '\0';
		if (!unc_text_u64(name, &pid))
			pid = 0;
		if (pid >= UNC_RECORD_PID && pid - UNC_RECORD_PID < private->n_pids) {
			pid = private->pids[pid - UNC_RECORD_PID].pid;
			*path += len;
			return (size_t)snprintf(to, PID_TEXT, "%" PRIu64, pid);
		}
		unc_record_private_name(private, pid);
	}
	*path += len;
	return len;
}

char *unc_record_private_path(struct unc_record_private *private, const char *path)
{
	char *real = malloc(strlen(path) + 2 * (size_t)PID_TEXT), *to = real;
	const char *rest = path, *next;

	if (!real)
		return NULL;
	next = after(path, OWN);
	next = after(next ? next : path, "/proc/");
	for (unsigned i = 0; next && i < 2; i++) { /* "/proc/PID/task/TID/stat" */
		memcpy(to, rest, (size_t)(next - rest));
		to += next - rest;
		to += put_real(private, &next, to);
		rest = next;
		next = after(rest, "/task/");
	}
	memcpy(to, rest, strlen(rest) + 1);
	return real;
}

/* ---- rules ---- */

static const struct rule {
	const char *path; /* * stands for any text */
	void (*keep)(struct unc_keep *k);
} texts[] = {
	{"/proc/mounts", unc_keep_mounts},
	{"/proc/1/mounts", unc_keep_mounts},
	{"/proc/modules", unc_keep_modules},
	{"/proc/stat", unc_keep_cpu_times},
	{"/proc/sysvipc/shm", unc_keep_segments},
	{"/proc/sys/kernel/nmi_watchdog", unc_keep_numbers},
	{"/proc/sys/kernel/perf_event_paranoid", unc_keep_numbers},
	{"/proc/sys/kernel/osrelease", unc_keep_line},
	{"/proc/sys/kernel/version", unc_keep_line},
	{"/proc/self/status", unc_keep_rights},
	{"/proc/self/uid_map", unc_keep_numbers},
	{"/proc/1/cgroup", unc_keep_container},
	{"/proc/*/task/*/status", unc_keep_cpus_allowed},
	{"/proc/*/task/*/children", unc_keep_pids},
	{"/proc/*/stat", unc_keep_process},
	{"/.dockerenv", unc_keep_nothing},
	{"/run/.containerenv", unc_keep_nothing},
	{"/run/systemd/container", unc_keep_nothing},
	{"/var/run/likwid.lock", unc_keep_nothing},
	{"/run/likwid.lock", unc_keep_nothing},
	{"/var/lock/libpqos", unc_keep_lock},
	{"/run/lock/libpqos", unc_keep_lock},
	{"/dev/shm/sem.Num PCM insts", unc_keep_word},
	{"/tmp/opcm-daemon-shm-id", unc_keep_numbers},
	{"/sys/kernel/security/lockdown", unc_keep_line},
	{"/sys/kernel/security/lsm", unc_keep_line},
	{"/sys/module/msr/parameters/allow_writes", unc_keep_line},
	{"/sys/firmware/efi/efivars/SecureBoot-*", unc_keep_variable},
	{"/sys/firmware/dmi/tables/DMI", unc_keep_memory_devices},
	{"/sys/firmware/dmi/entries/17-*/raw", unc_keep_memory_devices},
	/* Serial numbers are there too. */
	{"/sys/class/dmi/id/sys_vendor", unc_keep_line},
	{"/sys/class/dmi/id/product_name", unc_keep_line},
	{"/sys/class/dmi/id/board_vendor", unc_keep_line},
	{"/sys/class/dmi/id/board_name", unc_keep_line},
	{"/sys/class/dmi/id/board_version", unc_keep_line},
	{"/sys/class/dmi/id/bios_vendor", unc_keep_line},
	{"/sys/class/dmi/id/bios_version", unc_keep_line},
	{"/sys/class/dmi/id/bios_date", unc_keep_line},
	{"/sys/devices/system/cpu/cpu*/microcode/version", unc_keep_line},
	{"/sys/devices/system/cpu/nohz_full", unc_keep_numbers},
	{"/sys/bus/pci/devices/*/numa_node", unc_keep_numbers},
	{PMUS "/uncore_*/type", unc_keep_numbers},
	{PMUS "/uncore_*/cpumask", unc_keep_numbers},
	{PMUS "/uncore_*/format/*", unc_keep_line},
	{PMUS "/uncore_*/events/*", unc_keep_line},
};

/* Below the directory where resctrl is mounted. */
static const struct rule resctrl_texts[] = {
	{"*/mon_features", unc_keep_features}, {"*/cpus_list", unc_keep_numbers},
	{"*/mon_hw_id", unc_keep_numbers},     {"*/tasks", unc_keep_pids},
	{"*/mon_data/*", unc_keep_line}, /* a number, "Unavailable" and its like */
};

static const struct names_rule {
	const char *path;
	const char *kept; /* names that match; "": none, NULL: numbers of processes */
} names_rules[] = {
	{"/proc", NULL},
	{"/proc/*/task", NULL},
	{"/proc/*/fd", "*"},
	{"/sys", ""},
	{"/dev/cpu", ""},
	{PMUS, "uncore_*"},
	{PMUS "/uncore_*/format", "*"},
	{PMUS "/uncore_*/events", "*"},
	{"/sys/firmware/dmi/entries", "17-*"},
};

static int no_rule(struct unc_ctx *ctx, const char *path)
{
	return unc_fail(ctx, UNC_ENODATA, "%s: record: there is no rule what of it may be in a record", path);
}

/* "" and the like of the directory itself; NULL: it is not below it. */
static const char *below_resctrl(const struct unc_record_private *private, const char *path)
{
	const char *other = after(path, "/proc/1/root"), *rest;

	rest = private->resctrl[0] ? after(other ? other : path, private->resctrl) : NULL;
	return rest && strchr("/", *rest) ? rest : NULL;
}

static const struct rule *find(const struct rule *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (unc_text_match(list[i].path, path))
			return &list[i];
	return NULL;
}

static const struct rule *rule_of(const struct unc_record_private *private, const char *path)
{
	const char *rest = below_resctrl(private, path);

	if (rest)
		return find(resctrl_texts, sizeof(resctrl_texts) / sizeof(resctrl_texts[0]), rest);
	return find(texts, sizeof(texts) / sizeof(texts[0]), path);
}

int unc_record_keep_text(struct unc_ctx *ctx, struct unc_record_private *private, const char *path, char **text,
			 size_t *len)
{
	const char *own = after(path, OWN);
	const struct rule *rule = rule_of(private, own ? own : path);
	struct unc_keep k = {.private = private, .text = *text, .end = *text + *len};

	if (rule)
		k.size = UNC_KEEP_SIZE(*len) < UNC_RECORD_TEXT ? UNC_KEEP_SIZE(*len) : UNC_RECORD_TEXT;
	k.kept = rule ? malloc(k.size) : NULL;
	if (k.kept) {
		rule->keep(&k);
		k.kept[k.len] = '\0';
	}
	free(*text);
	if (!rule)
		return no_rule(ctx, path);
	if (!k.kept || private->out_of_memory) {
		free(k.kept);
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	}
	*text = k.kept;
	*len = k.len;
	return UNC_OK;
}

/* The name as it is kept, in buf where it is another one; NULL: it is not. */
static const char *kept_name(struct unc_record_private *private, const char *kept, const char *name, char buf[PID_TEXT])
{
	uint64_t pid;

	if (kept)
		return unc_text_match(kept, name) ? name : NULL;
	if (strspn(name, "0123456789") != strlen(name) || !unc_text_u64(name, &pid))
		return NULL;
	pid = unc_record_alias_of(private, pid);
	snprintf(buf, PID_TEXT, "%" PRIu64, pid);
	return pid ? buf : NULL;
}

/* As unc_os_dir_list(): the pointers, and behind them the texts. */
static const char **keep_names(struct unc_record_private *private, const char *kept, const char *const *names,
			       size_t *n)
{
	size_t size = sizeof(*names) + *n * (sizeof(*names) + PID_TEXT), n_kept = 0;
	const char **list;
	char *to;

	for (size_t i = 0; i < *n; i++)
		size += strlen(names[i]) + 1;
	list = malloc(size);
	if (!list)
		return NULL;
	to = (char *)(list + *n);
	for (size_t i = 0; i < *n; i++) {
		char buf[PID_TEXT];
		const char *name = kept_name(private, kept, names[i], buf);

		if (!name)
			continue;
		list[n_kept++] = to;
		memcpy(to, name, strlen(name) + 1);
		to += strlen(name) + 1;
	}
	*n = n_kept;
	return list;
}

int unc_record_keep_names(struct unc_ctx *ctx, struct unc_record_private *private, const char *path,
			  const char *const **names, size_t *n)
{
	const char *own = after(path, OWN);
	const struct names_rule of_resctrl = {"", "*"}, *rule = NULL;
	const char **list = NULL;

	own = own ? own : path;
	if (below_resctrl(private, own))
		rule = &of_resctrl;
	for (size_t i = 0; i < sizeof(names_rules) / sizeof(names_rules[0]) && !rule; i++)
		if (unc_text_match(names_rules[i].path, own))
			rule = &names_rules[i];
	if (rule)
		list = keep_names(private, rule->kept, *names, n);
	free((void *)*names);
	if (!rule)
		return no_rule(ctx, path);
	if (!list || private->out_of_memory) {
		free(list);
		return unc_fail(ctx, UNC_ENOMEM, "record: out of memory");
	}
	*names = list;
	return UNC_OK;
}

int unc_record_keep_link(struct unc_ctx *ctx, const char *path, char **text)
{
	const char *slash = strrchr(*text, '/');

	if (unc_text_match("/proc/*/fd/*",
			   path)) { /* whether it is a perf event, of all that a process may have open */
		if (strcmp(*text, "anon_inode:[perf_event]") != 0)
			(*text)[0] = '\0';
		return UNC_OK;
	}
	if (unc_text_match("/sys/bus/pci/devices/*/driver", path)) {
		if (slash)
			memmove(*text, slash + 1, strlen(slash));
		return UNC_OK;
	}
	free(*text);
	return no_rule(ctx, path);
}

/* The lines of a record: how they are put together, and what of paths is in them. */

enum { PER_LINE = 8, PIECE = 1024 };

void unc_record_put(struct record *record, const char *fmt, ...)
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

void unc_record_end_line(struct record *record)
{
	record->cfg.line(record->cfg.arg, record->line);
	record->line[0] = '\0';
	record->len = 0;
	record->has_times = false;
	memset(record->asked, 0, sizeof(record->asked));
}

void unc_record_begin_line(struct record *record)
{
	if (record->has_times)
		unc_record_end_line(record);
}

void unc_record_ask(struct record *record)
{
	unc_record_begin_line(record);
	record->asking = true;
}

void unc_record_answered(struct record *record)
{
	record->asking = false;
}

static void put_char(struct record *record, unsigned char c)
{
	if (c < ' ' || c > '~' || c == '%') /* a record is ASCII: it can be shown anywhere */
		unc_record_put(record, "%%%02X", c);
	else
		unc_record_put(record, "%c", c);
}

void unc_record_put_text(struct record *record, const char *text)
{
	while (*text)
		put_char(record, (unsigned char)*text++);
}

void unc_record_put_path(struct record *record, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ')
			unc_record_put(record, "%%20");
		else
			put_char(record, (unsigned char)*path);
	}
}

void unc_record_put_hex(struct record *record, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len && record->len + 3 <= sizeof(record->line); i++) {
		record->line[record->len++] = digits[bytes[i] >> 4];
		record->line[record->len++] = digits[bytes[i] & 0xf];
	}
	record->line[record->len] = '\0';
}

void unc_record_part(struct record *record, size_t i)
{
	if (i % PER_LINE != 0)
		return;
	unc_record_end_line(record);
	unc_record_put(record, "+");
}

void unc_record_put_names(struct record *record, const char *const *names, size_t n)
{
	unc_record_put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		unc_record_end_line(record);
		unc_record_put(record, "+ ");
		unc_record_put_text(record, names[i]);
	}
}

void unc_record_put_file(struct record *record, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t piece = (size_t)(end - text) < PIECE ? (size_t)(end - text) : PIECE;
		const char *newline = memchr(text, '\n', piece);

		if (newline)
			piece = (size_t)(newline - text);
		unc_record_put(record, "%c", newline ? '|' : ':');
		for (size_t i = 0; i < piece; i++)
			put_char(record, (unsigned char)text[i]);
		unc_record_end_line(record);
		text += piece + (newline ? 1 : 0);
	}
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

void unc_record_hide(const struct record *record, char *text, size_t size)
{
	for (unsigned i = 0; i < UNC_RECORD_ALIASES; i++)
		if (record->cfg.aliases[i].path && record->cfg.aliases[i].path[0])
			replace(text, size, &record->cfg.aliases[i]);
}

void unc_record_hide_path(char *text, size_t size, const char *real, const char *path)
{
	char *at = strcmp(real, path) == 0 ? NULL : strstr(text, real);
	char copy[UNC_MSG_MAX];

	if (!at)
		return;
	snprintf(copy, sizeof(copy), "%s", at + strlen(real));
	snprintf(at, size - (size_t)(at - text), "%s%s", path, copy);
}

int unc_record_finish(struct record *record, int rc)
{
	struct unc_ctx *ctx = record->host.ctx;

	if (rc < 0 && rc != UNC_EAGAIN) {
		unc_record_hide(record, ctx->msg, sizeof(ctx->msg));
		unc_record_put(record, " !%s %s ", unc_record_class(rc), ctx->os_name ? ctx->os_name : "-");
		unc_record_put_text(record, ctx->msg);
	} else if (rc < 0) {
		unc_record_put(record, " !%s -", unc_record_class(rc));
	}
	unc_record_end_line(record);
	return rc;
}
