// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept of each file of the operating system, which may name hosts, users, folders and programs. */
#include "access/record_files.h"

#include "access/record_text.h"
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

static void add(struct unc_record_private *private, uint64_t pid, bool named)
{
	const struct unc_record_pid item = {(uint32_t)pid, named};

	if (!private->aliases) {
		private->aliases = calloc(PID_MAX_LIMIT + 1, sizeof(*private->aliases));
	}
	if (private->aliases && unc_array_add(&private->pids, &private->n_pids, &item, sizeof(item))) {
		private->aliases[pid] = (uint32_t) private->n_pids;
	} else {
		private->out_of_memory = true;
	}
}

void unc_record_private_name(struct unc_record_private *private, uint64_t pid)
{
	if (pid && pid <= PID_MAX_LIMIT && (!private->aliases || !private->aliases[pid]))
		add(private, pid, true);
}

/* The number of a process in a record; 0: Linux has no process of that number, or out of memory. */
static uint64_t alias_of(struct unc_record_private *private, uint64_t pid)
{
	if (pid == 0 || pid > PID_MAX_LIMIT)
		return 0;
	unc_record_private_name(private, 1);
	if (!private->aliases || !private->aliases[pid])
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
	const char *begin = *path, *end = begin;
	uint64_t pid = 0;

	*path += len;
	if (!unc_text_take(&end, &pid) || end != *path || pid < UNC_RECORD_PID ||
	    pid - UNC_RECORD_PID >= private->n_pids) {
		if (end == *path)
			unc_record_private_name(private, pid);
		memcpy(to, begin, len);
		return len;
	}
	return (size_t)snprintf(to, PID_TEXT, "%" PRIu64, (uint64_t) private->pids[pid - UNC_RECORD_PID].pid);
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

/* ---- what is kept of a text ---- */

struct keep {
	struct unc_record_private *private;
	const char *text, *end; /* what was read, which has a zero at its end */
	char *kept;             /* what is kept of it */
	size_t len, size;
};
/* A number of a process may become longer: "1 " becomes "10000001 ". */
#define KEEP_SIZE(len) (8 * (len) + 64)

static void put(struct keep *k, const char *bytes, size_t n)
{
	if (n >= k->size - k->len)
		return;
	memcpy(k->kept + k->len, bytes, n);
	k->len += n;
}

static void UNC_PRINTF(2, 3) put_text(struct keep *k, const char *fmt, ...)
{
	size_t room = k->size - k->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(k->kept + k->len, room, fmt, args);
	va_end(args);
	if (n > 0 && (size_t)n < room)
		k->len += (size_t)n;
}

static size_t line_len(const struct keep *k)
{
	const char *newline = memchr(k->text, '\n', (size_t)(k->end - k->text));

	return newline ? (size_t)(newline - k->text) + 1 : (size_t)(k->end - k->text);
}

static void keep_line(struct keep *k)
{
	put(k, k->text, line_len(k));
}

static void keep_numbers(struct keep *k)
{
	size_t len = strspn(k->text, "0123456789 ,-");

	put(k, k->text, len + (k->text[len] == '\n'));
}

static void keep_pids(struct keep *k)
{
	uint64_t pid;

	while (unc_text_take(&k->text, &pid)) {
		pid = alias_of(k->private, pid);
		if (pid)
			put_text(k, "%" PRIu64 "%s", pid, *k->text == '\n' ? "\n" : *k->text ? " " : "");
		k->text += strspn(k->text, " \n");
	}
}

/* fstab(5): DEVICE DIRECTORY TYPE OPTIONS 0 0.  Options with a value may name folders. */
static void keep_mount(struct keep *k, size_t len)
{
	const char *end = k->text + len, *fields[4] = {0}, *at = k->text;
	bool resctrl, sysfs;
	size_t n[4] = {0};

	for (unsigned i = 0; i < 4 && at < end; i++) {
		fields[i] = at;
		n[i] = strcspn(at, " \n");
		at += n[i] + (at[n[i]] == ' ');
	}
	resctrl = n[2] == strlen("resctrl") && after(fields[2], "resctrl");
	sysfs = n[1] == strlen("/sys") && after(fields[1], "/sys");
	if (!resctrl && !sysfs)
		return;
	put_text(k, "- %.*s %s ", (int)n[1], fields[1], resctrl ? "resctrl" : "-");
	if (resctrl && !k->private->resctrl[0]) { /* the first is what is looked at */
		snprintf(k->private->resctrl, sizeof(k->private->resctrl), "%.*s", (int)n[1], fields[1]);
		unc_text_demangle(k->private->resctrl);
	}
	for (size_t i = 0, word; sysfs && i < n[3]; i += word + 1) {
		word = strcspn(fields[3] + i, ", \n");
		if (!memchr(fields[3] + i, '=', word))
			put_text(k, "%.*s,", (int)word, fields[3] + i);
	}
	put_text(k, " 0 0\n");
}

static void keep_module(struct keep *k, size_t len)
{
	(void)len;
	if (after(k->text, "intel_uncore "))
		put_text(k, "intel_uncore \n");
}

static void keep_cpu_time(struct keep *k, size_t len)
{
	(void)len;
	if (!after(k->text, "cpu"))
		return;
	put_text(k, "%.*s\n", (int)strspn(k->text, "cpu0123456789 "), k->text);
}

/* Linux ipc/shm.c, sysvipc_shm_proc_show(): key, shmid, perms, size, cpid, lpid, nattch, uid, gid and more */
static void keep_segment(struct keep *k, size_t len)
{
	enum { SHMID = 1, CPID = 4, NATTCH = 6, N_COLUMNS };
	const char *line = k->text;
	uint64_t column = 0;

	(void)len;
	k->text += strspn(k->text, " ");
	k->text += *k->text == '-';
	for (unsigned i = 0; i < N_COLUMNS && unc_text_take(&k->text, &column); i++) {
		if (i == CPID)
			column = alias_of(k->private, column);
		else if (i != SHMID && i != NATTCH)
			column = 0;
		put_text(k, "%" PRIu64 "%c", column, i + 1 < N_COLUMNS ? ' ' : '\n');
		k->text += strspn(k->text, " ");
	}
	k->text = line;
}

const char *unc_record_container(const char *cgroup)
{
	static const char *const makers[] = {"docker", "kubepods", "containerd", "libpod", "lxc"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strstr(cgroup, makers[i]))
			return makers[i];
	return NULL;
}

static void keep_container(struct keep *k)
{
	const char *maker = unc_record_container(k->text);

	put_text(k, "%s", maker ? maker : "");
}

/* proc_pid_stat(5): utime to cstime, num_threads, starttime, vsize, processor.  The others are 0: ids, addresses, signals. */
static bool is_kept_field(unsigned field)
{
	return (field >= 14 && field <= 17) || field == 20 || field == 22 || field == 23 || field == 39;
}

/* "1234 (name) S 1 ...": the name may have brackets in it. */
static void keep_process(struct keep *k)
{
	/* Programs by which other users of counters are known; any other name may tell what a user works on. */
	static const char known[] = "perf, pqos, rdtset";
	const char *open = strchr(k->text, '('), *close = strrchr(k->text, ')');
	uint64_t pid;

	if (!open || !close || close < open || !unc_text_take(&k->text, &pid) || close[1] != ' ' || !close[2])
		return;
	if (!unc_text_listed(known, open + 1, (size_t)(close - open) - 1))
		open = "(-)";
	put_text(k, "%" PRIu64 " (%.*s) %c", alias_of(k->private, pid), (int)strcspn(open + 1, ")"), open + 1,
		 close[2]);
	k->text = close + 3;
	for (unsigned field = 4; field <= 39 && *k->text == ' '; field++) {
		size_t sign = k->text[1] == '-', len = strspn(k->text + 1 + sign, "0123456789");

		if (!len)
			break;
		put_text(k, " %.*s", is_kept_field(field) ? (int)(sign + len) : 1,
			 is_kept_field(field) ? k->text + 1 : "0");
		k->text += 1 + sign + len;
	}
	put_text(k, "\n");
}

static void keep_lock(struct keep *k)
{
	uint64_t pid, second;

	k->text += strspn(k->text, " ");
	if (!unc_text_take(&k->text, &pid))
		return;
	k->text += strspn(k->text, " ");
	if (!unc_text_take(&k->text, &second))
		return;
	put_text(k, "%" PRIu64 " %" PRIu64 "\n", alias_of(k->private, pid), second);
}

/* Of the kernel's arguments the one that lets programs map more of memory. */
static void keep_relaxed(struct keep *k)
{
	put_text(k, strstr(k->text, "iomem=relaxed") ? "iomem=relaxed\n" : "");
}

/* "6a08\t808609a7\t...": bus and device, and ids; after them are interrupts, addresses, and the driver's name. */
static void keep_function(struct keep *k, size_t len)
{
	size_t n = strcspn(k->text, "\t"), ids = n + 1 < len ? strcspn(k->text + n + 1, "\t\n") : 0;

	if (!ids)
		return;
	put(k, k->text, n + 1 + ids);
	put_text(k, "\n");
}

/* "  fb800000-fbffffff : NAME": a name that may be a driver's becomes "in use"; where the kernel lies is not kept. */
static void keep_range(struct keep *k, size_t len)
{
	static const char *const known[] = {"System RAM",    "Reserved", "reserved", "PCI Bus ",
					    "PCI MMCONFIG ", "pnp ",     "IOAPIC "};
	size_t at = strcspn(k->text, ":\n") + 2;
	const char *name = k->text + at;
	bool kept = false;

	if (at >= len || after(name, "Kernel "))
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		kept |= after(name, known[i]) != NULL;
	kept |= strspn(name, "0123456789abcdef:.") == strcspn(name, "\n"); /* a PCI function */
	put(k, k->text, kept ? len : at);
	if (!kept)
		put_text(k, "in use\n");
}

/* DSP0134 (SMBIOS), 6.1: a structure's length is in its second byte; its strings are behind it, and two zeros end them. */
static size_t structure_len(const unsigned char *at, size_t left)
{
	size_t len = left >= 4 ? at[1] : 0;

	if (len < 4)
		return 0;
	while (len + 1 < left && (at[len] || at[len + 1]))
		len++;
	return len + 2 <= left ? len + 2 : 0;
}

/* The nth string of a structure, from 1 on, none being 0, becomes as many dashes. */
static void cut_string(unsigned char *at, size_t len, unsigned nth)
{
	size_t i = at[1];

	while (nth > 1 && i < len)
		nth -= !at[i++];
	for (; nth && i < len && at[i]; i++)
		at[i] = '-';
}

enum { SMBIOS_DEVICE = 17, SMBIOS_SERIAL = 0x18, SMBIOS_ASSET = 0x19, SMBIOS_END = 127 };

/* Memory devices (7.18), without their numbers, and the end. */
static void keep_memory_devices(struct keep *k)
{
	for (size_t n; (n = structure_len((const unsigned char *)k->text, (size_t)(k->end - k->text))) != 0;
	     k->text += n) {
		unsigned char *at = (unsigned char *)k->kept + k->len;

		if (k->text[0] != SMBIOS_DEVICE && k->text[0] != SMBIOS_END)
			continue;
		put(k, k->text, n);
		for (unsigned field = SMBIOS_SERIAL; at[0] == SMBIOS_DEVICE && field <= SMBIOS_ASSET; field++)
			if (field < at[1])
				cut_string(at, n, at[field]);
	}
}

/* ---- rules ---- */

static const struct rule {
	const char *path;                         /* * stands for any text */
	void (*keep)(struct keep *k);             /* what it keeps of the whole text; or: */
	void (*line)(struct keep *k, size_t len); /* of each line, which k->text is; or: */
	const char *begins;                       /* lines that begin with one of these words; or: */
	size_t bytes;                             /* so many bytes; 0: nothing */
} texts[] = {
	{"/proc/iomem", .line = keep_range},
	{"/proc/bus/pci/devices", .line = keep_function},
	{"/proc/cmdline", .keep = keep_relaxed},
	{"/proc/mounts", .line = keep_mount},
	{"/proc/1/mounts", .line = keep_mount},
	{"/proc/modules", .line = keep_module},
	{"/proc/stat", .line = keep_cpu_time},
	{"/proc/sysvipc/shm", .line = keep_segment},
	{"/proc/sys/kernel/nmi_watchdog", .keep = keep_numbers},
	{"/proc/sys/kernel/perf_event_paranoid", .keep = keep_numbers},
	{"/proc/sys/kernel/osrelease", .keep = keep_line},
	{"/proc/sys/kernel/version", .keep = keep_line},
	{"/proc/self/status", .begins = "Uid: CapEff:"}, /* capabilities(7), proc_pid_status(5) */
	{"/proc/self/uid_map", .keep = keep_numbers},
	{"/proc/1/cgroup", .keep = keep_container},
	{"/proc/*/task/*/status", .begins = "Cpus_allowed"}, /* as a mask, and as a list in the next line */
	{"/proc/*/task/*/children", .keep = keep_pids},
	{"/proc/*/stat", .keep = keep_process},
	{"/.dockerenv", .bytes = 0},
	{"/run/.containerenv", .bytes = 0},
	{"/run/systemd/container", .bytes = 0},
	{"/var/run/likwid.lock", .bytes = 0},
	{"/run/likwid.lock", .bytes = 0},
	{"/var/lock/libpqos", .keep = keep_lock},
	{"/run/lock/libpqos", .keep = keep_lock},
	{"/dev/shm/sem.Num PCM insts", .bytes = 4},
	{"/tmp/opcm-daemon-shm-id", .keep = keep_numbers},
	{"/sys/kernel/security/lockdown", .keep = keep_line},
	{"/sys/kernel/security/lsm", .keep = keep_line},
	{"/sys/module/msr/parameters/allow_writes", .keep = keep_line},
	{"/sys/firmware/efi/efivars/SecureBoot-*", .bytes = 5}, /* of EFI: 32 bits of attributes, and a byte */
	{"/*/imc-counters/*/base-addr", .bytes = 0},
	{"/sys/firmware/devicetree/base/imc-counters/*", .bytes = UNC_RECORD_TEXT},
	{"/proc/device-tree/imc-counters/*", .bytes = UNC_RECORD_TEXT},
	{"/sys/firmware/dmi/tables/DMI", .keep = keep_memory_devices},
	{"/sys/firmware/dmi/entries/17-*/raw", .keep = keep_memory_devices},
	/* Serial numbers are there too. */
	{"/sys/class/dmi/id/sys_vendor", .keep = keep_line},
	{"/sys/class/dmi/id/product_name", .keep = keep_line},
	{"/sys/class/dmi/id/board_vendor", .keep = keep_line},
	{"/sys/class/dmi/id/board_name", .keep = keep_line},
	{"/sys/class/dmi/id/board_version", .keep = keep_line},
	{"/sys/class/dmi/id/bios_vendor", .keep = keep_line},
	{"/sys/class/dmi/id/bios_version", .keep = keep_line},
	{"/sys/class/dmi/id/bios_date", .keep = keep_line},
	{"/sys/devices/system/cpu/cpu*/microcode/version", .keep = keep_line},
	{"/sys/devices/system/cpu/nohz_full", .keep = keep_numbers},
	{"/sys/bus/pci/devices/*/numa_node", .keep = keep_numbers},
	{PMUS "/uncore_*/type", .keep = keep_numbers},
	{PMUS "/uncore_*/cpumask", .keep = keep_numbers},
	{PMUS "/uncore_*/format/*", .keep = keep_line},
	{PMUS "/uncore_*/events/*", .keep = keep_line},
};

/* Below the directory where resctrl is mounted. */
static const struct rule resctrl_texts[] = {
	{"*/mon_features", .begins = "llc_ mbm_"}, {"*/cpus_list", .keep = keep_numbers},
	{"*/mon_hw_id", .keep = keep_numbers},     {"*/tasks", .keep = keep_pids},
	{"*/mon_data/*", .keep = keep_line}, /* a number, "Unavailable" and its like */
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
	{"/sys/firmware/devicetree/base/imc-counters*", "*"},
	{"/proc/device-tree/imc-counters*", "*"},
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

/* NULL: there is none. */
static const struct rule *rule_of(const struct unc_record_private *private, const char *path)
{
	const char *rest = below_resctrl(private, path);
	const struct rule *list = rest ? resctrl_texts : texts;
	size_t n = rest ? sizeof(resctrl_texts) / sizeof(resctrl_texts[0]) : sizeof(texts) / sizeof(texts[0]);

	for (size_t i = 0; i < n; i++)
		if (unc_text_match(list[i].path, rest ? rest : path))
			return &list[i];
	return NULL;
}

int unc_record_keep_text(struct unc_ctx *ctx, struct unc_record_private *private, const char *path, char **text,
			 size_t *len)
{
	const char *own = after(path, OWN);
	const struct rule *rule = rule_of(private, own ? own : path);
	struct keep k = {.private = private, .text = *text, .end = *text + *len};

	if (rule)
		k.size = KEEP_SIZE(*len) < UNC_RECORD_TEXT ? KEEP_SIZE(*len) : UNC_RECORD_TEXT;
	k.kept = rule ? malloc(k.size) : NULL;
	if (k.kept && rule->keep)
		rule->keep(&k);
	if (k.kept && rule->bytes)
		put(&k, k.text, *len < rule->bytes ? *len : rule->bytes);
	for (size_t n; k.kept && (rule->line || rule->begins) && k.text < k.end; k.text += n) {
		n = line_len(&k);
		if (rule->line)
			rule->line(&k, n);
		for (const char *word = rule->begins; word && *word; word += strcspn(word, " "), word += *word == ' ')
			if (strncmp(k.text, word, strcspn(word, " ")) == 0)
				put(&k, k.text, n);
	}
	if (k.kept)
		k.kept[k.len] = '\0';
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

int unc_record_keep_names(struct unc_ctx *ctx, struct unc_record_private *private, const char *path,
			  const char *const **names, size_t *n)
{
	const char *own = after(path, OWN);
	const struct names_rule of_resctrl = {"", "*"}, *rule = NULL;
	const char *const *list = NULL;
	struct unc_names kept = {0};

	own = own ? own : path;
	if (below_resctrl(private, own))
		rule = &of_resctrl;
	for (size_t i = 0; i < sizeof(names_rules) / sizeof(names_rules[0]) && !rule; i++)
		if (unc_text_match(names_rules[i].path, own))
			rule = &names_rules[i];
	for (size_t i = 0; rule && i < *n; i++) {
		const char *name = (*names)[i];
		char number[PID_TEXT];
		uint64_t pid;
		bool is_kept = rule->kept && unc_text_match(rule->kept, name);

		if (!rule->kept && strspn(name, "0123456789") == strlen(name) && unc_text_u64(name, &pid)) {
			pid = alias_of(private, pid);
			snprintf(number, sizeof(number), "%" PRIu64, pid);
			name = number;
			is_kept = pid != 0;
		}
		if (is_kept && !unc_names_add(&kept, name))
		private->out_of_memory = true;
	}
	free((void *)*names);
	if (!rule)
		return no_rule(ctx, path);
	*n = kept.n;
	list = unc_names_list(&kept, false);
	if (!list || private->out_of_memory) {
		free((void *)list);
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
