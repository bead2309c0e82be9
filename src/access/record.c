// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_parts.h"
#include "base/text.h"

static void put(struct unc_keep *k, const char *bytes, size_t n)
{
	if (n >= k->size - k->len)
		return;
	memcpy(k->kept + k->len, bytes, n);
	k->len += n;
}

static void put_text(struct unc_keep *k, const char *text)
{
	put(k, text, strlen(text));
}

static void put_number(struct unc_keep *k, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	put_text(k, digits);
}

static size_t line_len(const struct unc_keep *k)
{
	const char *newline = memchr(k->text, '\n', (size_t)(k->end - k->text));

	return newline ? (size_t)(newline - k->text) + 1 : (size_t)(k->end - k->text);
}

static bool begins_with(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* Each line of the text, with its end; k->text is the line. */
static void each_line(struct unc_keep *k, void (*line)(struct unc_keep *k, size_t len))
{
	for (size_t len; k->text < k->end; k->text += len) {
		len = line_len(k);
		line(k, len);
	}
}

/* Digits at k->text, which moves to their end.  False: there are none, or too many. */
static bool take_number(struct unc_keep *k, uint64_t *ret_number)
{
	size_t len = strspn(k->text, "0123456789");
	char digits[24];

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, k->text, len);
	digits[len] = '\0';
	k->text += len;
	return unc_text_u64(digits, ret_number);
}

static void skip_blanks(struct unc_keep *k)
{
	k->text += strspn(k->text, " ");
}

void unc_keep_nothing(struct unc_keep *k)
{
	(void)k;
}

void unc_keep_line(struct unc_keep *k)
{
	put(k, k->text, line_len(k));
}

void unc_keep_numbers(struct unc_keep *k)
{
	size_t len = strspn(k->text, "0123456789 ,-");

	put(k, k->text, len + (k->text[len] == '\n'));
}

static void keep_bytes(struct unc_keep *k, size_t most)
{
	size_t len = (size_t)(k->end - k->text);

	put(k, k->text, len < most ? len : most);
}

void unc_keep_word(struct unc_keep *k)
{
	keep_bytes(k, 4);
}

void unc_keep_variable(struct unc_keep *k)
{
	keep_bytes(k, 5);
}

void unc_keep_pids(struct unc_keep *k)
{
	uint64_t pid;

	while (take_number(k, &pid)) {
		pid = unc_record_alias_of(k->private, pid);
		if (pid)
			put_number(k, pid);
		if (pid && *k->text)
			put(k, *k->text == '\n' ? "\n" : " ", 1);
		k->text += strspn(k->text, " \n");
	}
}

/* Blanks and backslashes are \ooo in a mount table (Linux fs/proc_namespace.c, mangle()). */
static void note_resctrl(struct unc_record_private *private, const char *dir, size_t len)
{
	size_t n = 0;

	if (private->resctrl[0])
		return; /* the first is what is looked at */
	for (size_t i = 0; i < len && n + 1 < sizeof(private->resctrl); i++) {
		char c = dir[i];

		if (c == '\\' && strspn(dir + i + 1, "01234567") >= 3) {
			c = (char)((dir[i + 1] - '0') * 64 + (dir[i + 2] - '0') * 8 + (dir[i + 3] - '0'));
			i += 3;
		}
		private->resctrl[n++] = c;
	}
	private->resctrl[n] = '\0';
}

/* fstab(5): DEVICE DIRECTORY TYPE OPTIONS 0 0.  Options with a value may name folders. */
static void keep_mount(struct unc_keep *k, size_t len)
{
	const char *end = k->text + len, *fields[4] = {0}, *at = k->text;
	bool resctrl, sysfs;
	size_t n[4] = {0};

	for (unsigned i = 0; i < 4 && at < end; i++) {
		fields[i] = at;
		n[i] = strcspn(at, " \n");
		at += n[i] + (at[n[i]] == ' ');
	}
	resctrl = n[2] == strlen("resctrl") && begins_with(fields[2], "resctrl");
	sysfs = n[1] == strlen("/sys") && begins_with(fields[1], "/sys");
	if (!resctrl && !sysfs)
		return;
	put_text(k, "- ");
	put(k, fields[1], n[1]);
	put_text(k, resctrl ? " resctrl " : " - ");
	if (resctrl)
		note_resctrl(k->private, fields[1], n[1]);
	for (size_t i = 0, word; sysfs && i < n[3]; i += word + 1) {
		word = strcspn(fields[3] + i, ", \n");
		if (!memchr(fields[3] + i, '=', word)) {
			put(k, fields[3] + i, word);
			put_text(k, ",");
		}
	}
	put_text(k, " 0 0\n");
}

void unc_keep_mounts(struct unc_keep *k)
{
	each_line(k, keep_mount);
}

static void keep_module(struct unc_keep *k, size_t len)
{
	(void)len;
	if (begins_with(k->text, "intel_uncore "))
		put_text(k, "intel_uncore \n");
}

void unc_keep_modules(struct unc_keep *k)
{
	each_line(k, keep_module);
}

static void keep_cpu_time(struct unc_keep *k, size_t len)
{
	(void)len;
	if (!begins_with(k->text, "cpu"))
		return;
	put(k, k->text, strspn(k->text, "cpu0123456789 "));
	put_text(k, "\n");
}

void unc_keep_cpu_times(struct unc_keep *k)
{
	each_line(k, keep_cpu_time);
}

/* Linux ipc/shm.c, sysvipc_shm_proc_show(): key, shmid, perms, size, cpid, lpid, nattch, uid, gid and more */
static void keep_segment(struct unc_keep *k, size_t len)
{
	enum { SHMID = 1, CPID = 4, NATTCH = 6, N_COLUMNS };
	const char *line = k->text;
	uint64_t column = 0;

	(void)len;
	skip_blanks(k);
	k->text += *k->text == '-';
	for (unsigned i = 0; i < N_COLUMNS && take_number(k, &column); i++) {
		if (i == CPID)
			column = unc_record_alias_of(k->private, column);
		else if (i != SHMID && i != NATTCH)
			column = 0;
		put_number(k, column);
		put_text(k, i + 1 < N_COLUMNS ? " " : "\n");
		skip_blanks(k);
	}
	k->text = line;
}

void unc_keep_segments(struct unc_keep *k)
{
	each_line(k, keep_segment);
}

/* capabilities(7), proc_pid_status(5) */
static void keep_right(struct unc_keep *k, size_t len)
{
	if (begins_with(k->text, "Uid:") || begins_with(k->text, "CapEff:"))
		put(k, k->text, len);
}

void unc_keep_rights(struct unc_keep *k)
{
	each_line(k, keep_right);
}

const char *unc_record_container(const char *cgroup)
{
	static const char *const makers[] = {"docker", "kubepods", "containerd", "libpod", "lxc"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strstr(cgroup, makers[i]))
			return makers[i];
	return NULL;
}

void unc_keep_container(struct unc_keep *k)
{
	const char *maker = unc_record_container(k->text);

	put_text(k, maker ? maker : "");
}

static void keep_cpus(struct unc_keep *k, size_t len)
{
	if (begins_with(k->text, "Cpus_allowed")) /* as a mask, and as a list in the next line */
		put(k, k->text, len);
}

void unc_keep_cpus_allowed(struct unc_keep *k)
{
	each_line(k, keep_cpus);
}

/* Names of programs by which other users of counters are known; any other name may tell what a user works on, so it is not kept. */
static const char *known_program(const char *name, size_t len)
{
	static const char *const known[] = {"perf", "pqos", "rdtset"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i]) == len && memcmp(known[i], name, len) == 0)
			return known[i];
	return "-";
}

/* proc_pid_stat(5): utime to cstime, num_threads, starttime, vsize, processor.  The others are 0: ids, addresses, signals. */
static bool is_kept_field(unsigned field)
{
	return (field >= 14 && field <= 17) || field == 20 || field == 22 || field == 23 || field == 39;
}

/* "1234 (name) S 1 ...": the name may have brackets in it. */
void unc_keep_process(struct unc_keep *k)
{
	const char *open = strchr(k->text, '('), *close = strrchr(k->text, ')');
	uint64_t pid;

	if (!open || !close || close < open || !take_number(k, &pid) || close[1] != ' ' || !close[2])
		return;
	put_number(k, unc_record_alias_of(k->private, pid));
	put_text(k, " (");
	put_text(k, known_program(open + 1, (size_t)(close - open) - 1));
	put_text(k, ") ");
	put(k, close + 2, 1);
	k->text = close + 3;
	for (unsigned field = 4; field <= 39 && *k->text == ' '; field++) {
		size_t sign = k->text[1] == '-', len = strspn(k->text + 1 + sign, "0123456789");

		if (!len)
			break;
		put_text(k, " ");
		put(k, is_kept_field(field) ? k->text + 1 : "0", is_kept_field(field) ? sign + len : 1);
		k->text += 1 + sign + len;
	}
	put_text(k, "\n");
}

void unc_keep_lock(struct unc_keep *k)
{
	uint64_t pid, second;

	skip_blanks(k);
	if (!take_number(k, &pid))
		return;
	skip_blanks(k);
	if (!take_number(k, &second))
		return;
	put_number(k, unc_record_alias_of(k->private, pid));
	put_text(k, " ");
	put_number(k, second);
	put_text(k, "\n");
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
void unc_keep_memory_devices(struct unc_keep *k)
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

static void keep_feature(struct unc_keep *k, size_t len)
{
	if (begins_with(k->text, "llc_") || begins_with(k->text, "mbm_"))
		put(k, k->text, len);
}

void unc_keep_features(struct unc_keep *k)
{
	each_line(k, keep_feature);
}

enum { TIMES_BYTES = 100 };

/* ---- the host ---- */

static uint64_t record_now_ns(struct unc_host *host, enum unc_clock clock)
{
	struct record *record = (struct record *)host;
	uint64_t now_ns = record->inner->ops->now_ns(record->inner, clock), last_ns = record->last_ns[clock];

	if (record->len > TIMES_BYTES)
		unc_record_begin_line(record);
	if (!record->has_times)
		unc_record_put(record, "t");
	record->has_times = true;
	if (now_ns >= last_ns)
		unc_record_put(record, " %c+%" PRIu64, unc_record_clocks[clock], now_ns - last_ns);
	else
		unc_record_put(record, " %c-%" PRIu64, unc_record_clocks[clock], last_ns - now_ns);
	memset(record->asked, 0, sizeof(record->asked));
	record->last_ns[clock] = now_ns;
	return now_ns;
}

static int record_sleep_until(struct unc_host *host, uint64_t mono_ns)
{
	struct record *record = (struct record *)host;
	uint64_t last_ns = record->last_ns[UNC_CLOCK_MONO];
	int rc;

	unc_record_begin_line(record);
	rc = record->inner->ops->sleep_until(record->inner, mono_ns);
	if (mono_ns == UINT64_MAX)
		unc_record_put(record, "sleep forever");
	else if (mono_ns >= last_ns)
		unc_record_put(record, "sleep m+%" PRIu64, mono_ns - last_ns);
	else
		unc_record_put(record, "sleep m-%" PRIu64, last_ns - mono_ns);
	return unc_record_finish(record, rc);
}

static int record_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
			struct unc_cpuid_regs *ret_regs)
{
	struct record *record = (struct record *)host;
	struct unc_cpuid_regs regs;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->cpuid(record->inner, cpu, leaf, subleaf, &regs);
	unc_record_answered(record);
	unc_record_put(record, "cpuid %u 0x%" PRIx32 " 0x%" PRIx32, cpu, leaf, subleaf);
	if (rc == UNC_OK) {
		unc_record_put(record, " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32, regs.eax,
			       regs.ebx, regs.ecx, regs.edx);
		*ret_regs = regs;
	}
	return unc_record_finish(record, rc);
}

static int record_topology(struct unc_host *host, struct unc_topo *ret_topo)
{
	struct record *record = (struct record *)host;
	struct unc_topo topo;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->topology(record->inner, &topo);
	unc_record_answered(record);
	unc_record_put(record, "topology");
	if (rc == UNC_OK) {
		unc_record_put(record, " %u %u", topo.n_cpus, topo.first_cpu);
		for (size_t i = 0; i < topo.n_packages; i++)
			unc_record_put(record, " %u:%u:%u", topo.packages[i].id, topo.packages[i].n_cpus,
				       topo.packages[i].first_cpu);
		*ret_topo = topo;
	}
	return unc_record_finish(record, rc);
}

static void put_cpu(struct record *record, const struct unc_host_cpu *cpu)
{
	const int told[] = {cpu->package, cpu->node, cpu->l3};

	unc_record_put(record, " %u", cpu->cpu);
	if (!cpu->online) {
		unc_record_put(record, ":off");
		return;
	}
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (told[i] < 0)
			unc_record_put(record, ":-");
		else
			unc_record_put(record, ":%d", told[i]);
	}
}

static int record_cpus(struct unc_host *host, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct record *record = (struct record *)host;
	struct unc_host_cpu *cpus;
	size_t n;
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->cpus(record->inner, &cpus, &n);
	unc_record_answered(record);
	unc_record_put(record, "cpus");
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		unc_record_part(record, i);
		put_cpu(record, &cpus[i]);
	}
	*ret_cpus = cpus;
	*ret_n = n;
	return unc_record_finish(record, rc);
}

/* Of the computer, not of what is measured on it: so it is in no record. */
static int record_identity(struct unc_host *host, struct unc_host_identity *ret_identity)
{
	struct unc_host *inner = ((struct record *)host)->inner;

	if (!inner->ops->identity)
		return unc_fail(host->ctx, UNC_ENODATA, "this machine is gone when this program ends");
	return inner->ops->identity(inner, ret_identity);
}

static int record_traffic_start(struct record *record, const struct unc_traffic *traffic)
{
	int rc;

	unc_record_ask(record);
	rc = record->inner->ops->traffic(record->inner, UNC_TRAFFIC_START, traffic, NULL);
	unc_record_answered(record);
	unc_record_put(record, "traffic start %s %u %" PRIu64 " %" PRIu64 " %zu",
		       unc_record_traffic_kinds[traffic->kind], traffic->node, traffic->bytes_per_s,
		       traffic->size_bytes, traffic->n_cpus);
	for (size_t i = 0; i < traffic->n_cpus && rc == UNC_OK; i++) {
		unc_record_part(record, i);
		unc_record_put(record, " %u", traffic->cpus[i]);
	}
	return unc_record_finish(record, rc);
}

static int record_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
			  struct unc_traffic_done *ret_done)
{
	struct record *record = (struct record *)host;
	struct unc_traffic_done done;
	int rc;

	if (!record->inner->ops->traffic)
		return unc_fail(host->ctx, UNC_ENOSUP, "memory traffic cannot be made on this machine from here");
	if (op == UNC_TRAFFIC_START)
		return record_traffic_start(record, traffic);
	unc_record_ask(record);
	rc = record->inner->ops->traffic(record->inner, op, NULL, &done);
	unc_record_answered(record);
	unc_record_put(record, "traffic %s", unc_record_traffic_ops[op]);
	if (rc == UNC_OK) {
		unc_record_put(record, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, done.loaded_bytes,
			       done.stored_bytes, done.nt_stored_bytes, done.raw_ns);
		*ret_done = done;
	}
	return unc_record_finish(record, rc);
}

/* ---- begin and end ---- */

static void on_note(void *arg, const char *sentence)
{
	struct record *record = arg;
	char text[UNC_MSG_MAX];

	snprintf(text, sizeof(text), "%s", sentence);
	if (record->asking) {
		unc_record_hide(record, text, sizeof(text));
		unc_record_begin_line(record);
		unc_record_put(record, "note ");
		unc_record_put_text(record, text);
		unc_record_end_line(record);
	}
	if (record->log)
		record->log(record->log_arg, text);
}

static void record_close(struct unc_host *host)
{
	struct record *record = (struct record *)host;
	struct unc_ctx *ctx = host->ctx;

	unc_record_begin_line(record);
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
	.file = unc_record_file,
	.names = unc_record_names,
	.link = unc_record_link,
	.identity = record_identity,
	.traffic = record_traffic,
	.perf_open = unc_record_perf_open,
	.perf = unc_record_perf,
	.bus_open = unc_record_bus_open,
};

static void put_head(struct record *record)
{
	unc_record_put(record, "%s", UNC_RECORD_FORMAT);
	unc_record_end_line(record);
	unc_record_put(record, "machine ");
	unc_record_put_text(record, record->cfg.name);
	unc_record_end_line(record);
	if (record->host.simulated) {
		unc_record_put(record, "simulated");
		unc_record_end_line(record);
	}
	if (record->host.stands_still) {
		unc_record_put(record, "stands_still");
		unc_record_end_line(record);
	}
	if (record->cfg.map_dir) {
		unc_record_put(record, "maps");
		unc_record_end_line(record);
	}
	unc_record_put(record, "begin");
	unc_record_end_line(record);
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
	record->files = (struct unc_files){.list = unc_record_maps_list, .read = unc_record_maps_read};
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
	unc_record_begin_line(record);
	unc_record_put(record, "%s %d %u", unc_record_ends[end], number, asked);
	unc_record_end_line(record);
}
